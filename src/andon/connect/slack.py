"""Slack, read only: whose token it is, and the newest messages of one channel. `python -m andon.connect.slack`."""

from __future__ import annotations

import http.client
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from andon.connect.answering import (
    SECONDS,
    Environment,
    Problem,
    address,
    answer,
    collected,
    credential,
    cut,
    entries,
    library,
    rate_limited,
    section,
    unreachable,
)

TOKEN, ADDRESS = "SLACK_BOT_TOKEN", "ANDON_SLACK_API_URL"
PAGE = 200
"""Most messages of one request that Slack recommends."""
TEXT = 4000
SIGN_IN = f"Put a bot token (xoxb-…) with the scope channels:history into {TOKEN}, then resume the run."

NOT_SIGNED_IN = (
    *("not_authed", "invalid_auth", "account_inactive", "token_revoked", "token_expired", "org_login_required"),
    *("user_removed_from_team", "team_access_not_granted", "two_factor_setup_required"),
)
NOT_ALLOWED = ("missing_scope", "not_in_channel", "access_denied", "no_permission", "ekm_access_denied")


def status(environment: Environment, operand: str, limit: int) -> dict[str, Any]:
    found = _asked(_client(environment).auth_test)
    return {"authenticated": True, "account": str(found.get("user", "")), "team": str(found.get("team", ""))}


def history(environment: Environment, channel: str, limit: int) -> dict[str, Any]:
    """The newest `limit` messages, newest first."""
    client = _client(environment)
    messages: list[dict[str, Any]] = []
    cursor: str | None = None
    while len(messages) < limit:
        wanted = min(PAGE, limit - len(messages))
        page = _asked(client.conversations_history, channel=channel, limit=wanted, cursor=cursor)
        found = entries(page, "messages")
        messages += [_message(each) for each in found]
        cursor = section(page, "response_metadata").get("next_cursor")
        if not cursor or not found:
            break
    return collected(messages[:limit], channel=channel)


def _client(environment: Environment) -> Any:
    sdk = library("slack_sdk", "slack")
    token = credential(environment, TOKEN, SIGN_IN)
    if not token:
        raise Problem("credentials", f"Not signed in to Slack: {TOKEN} is not set", SIGN_IN)
    base = address(environment, ADDRESS, "https://slack.com/api/")
    return sdk.WebClient(token=token, base_url=base, timeout=int(SECONDS), retry_handlers=[])


def _asked(method: Callable[..., Any], **values: Any) -> dict[str, Any]:
    errors = library("slack_sdk.errors", "slack")
    try:
        return section({"data": method(**values).data}, "data")
    except errors.SlackApiError as error:
        raise _problem(error.response, str(values.get("channel", ""))) from None
    except (errors.SlackClientError, OSError, http.client.HTTPException) as error:
        raise unreachable("Slack", error) from None


def _problem(response: Any, channel: str) -> Problem:
    code = str(response.get("error", ""))
    headers = {str(key).lower(): value for key, value in dict(getattr(response, "headers", {})).items()}
    if code in ("ratelimited", "rate_limited") or getattr(response, "status_code", 0) == 429:
        return rate_limited("Slack", headers.get("retry-after"))
    if code in NOT_SIGNED_IN:
        return Problem("credentials", f"Slack refuses the token in {TOKEN} ({code})", SIGN_IN)
    if code in NOT_ALLOWED:
        needed = f" needed: {response['needed']}." if response.get("needed") else ""
        hint = f"Invite the bot to the channel, or give its app the scope.{needed}"
        return Problem("permission", f"Slack does not let the bot read {channel or 'anything'} ({code})", hint)
    if code == "channel_not_found":
        hint = "The id is at the end of the channel's details. A private channel has to invite the bot first."
        return Problem("not_found", f"Slack knows no channel {channel}", hint)
    # A page instead of JSON comes back as a whole in place of a code.
    told = code if code.replace("_", "").isalnum() else "something that is no answer of Slack's"
    return Problem("refused", f"Slack answers with an error: {told}", f"Check {ADDRESS}, if you set it.")


def _message(found: dict[str, Any]) -> dict[str, Any]:
    message = {
        "at": _moment(str(found.get("ts", ""))),
        "from": str(found.get("user") or found.get("username") or found.get("bot_id") or "?"),
        "text": cut(str(found.get("text") or ""), TEXT),
    }
    files = entries(found, "files")[:20]
    named = [cut(f"{each.get('name', '')} {each.get('permalink', '')}".strip(), 500) for each in files]
    replies = {"replies": int(found["reply_count"])} if found.get("reply_count") else {}
    return message | replies | ({"files": named} if named else {})


def _moment(stamp: str) -> str:
    """Slack's `ts` as a time people read; as it is when it is none."""
    try:
        return datetime.fromtimestamp(float(stamp), UTC).strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return stamp


if __name__ == "__main__":
    sys.exit(answer(sys.argv[1:], {"status": status, "history": history}))
