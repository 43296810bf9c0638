"""Gmail, read only: whose mailbox it is, unread mail, and a search. `python -m andon.connect.gmail`."""

from __future__ import annotations

import http.client
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from andon.connect.answering import (
    SECONDS,
    Environment,
    Problem,
    address,
    answer,
    collected,
    credential,
    entries,
    library,
    rate_limited,
    unreachable,
)
from andon.connect.mail import FIELDS, mail

TOKEN, TOKEN_FILE, ADDRESS = "GMAIL_ACCESS_TOKEN", "GMAIL_TOKEN_FILE", "ANDON_GMAIL_API_URL"
SCOPE = "https://www.googleapis.com/auth/gmail.readonly"
PAGE = 100
SIGN_IN = (
    f"Name a token file with the scope gmail.readonly in {TOKEN_FILE}, or put an access token into {TOKEN}, "
    "then resume the run."
)
TOO_MANY = ("rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "dailyLimitExceeded")


def status(environment: Environment, operand: str, limit: int) -> dict[str, Any]:
    found = _asked(_users(environment).getProfile(userId="me"))
    return {"authenticated": True, "account": str(found.get("emailAddress", ""))}


def unread(environment: Environment, operand: str, limit: int) -> dict[str, Any]:
    """The newest unread mails, newest first."""
    return search(environment, "is:unread", limit)


def search(environment: Environment, query: str, limit: int) -> dict[str, Any]:
    """The first mails that a query in Gmail's own syntax finds, newest first."""
    mails = _users(environment).messages()
    ids: list[str] = []
    page: str | None = None
    while len(ids) < limit:
        wanted = min(PAGE, limit - len(ids))
        found = _asked(mails.list(userId="me", q=query, maxResults=wanted, pageToken=page))
        named = entries(found, "messages")
        ids += [str(each.get("id", "")) for each in named]
        page = found.get("nextPageToken")
        if not page or not named:
            break
    read = [_asked(mails.get(userId="me", id=each, format="full", fields=FIELDS)) for each in ids[:limit]]
    return collected([mail(each) for each in read], query=query)


def _users(environment: Environment) -> Any:
    discovery = library("googleapiclient.discovery", "gmail")
    transport = library("google_auth_httplib2", "gmail")
    httplib2 = library("httplib2", "gmail")
    options = library("google.api_core.client_options", "gmail")
    credentials = _credentials(environment)
    endpoint = options.ClientOptions(api_endpoint=address(environment, ADDRESS, "https://gmail.googleapis.com/"))
    # This client brings certificates of its own; a machine that names others means those.
    trusted = environment.get("SSL_CERT_FILE") or None
    signed = transport.AuthorizedHttp(credentials, http=httplib2.Http(timeout=SECONDS, ca_certs=trusted))
    service = discovery.build(
        "gmail", "v1", http=signed, client_options=endpoint, cache_discovery=False, static_discovery=True
    )
    return service.users()


def _credentials(environment: Environment) -> Any:
    kind = library("google.oauth2.credentials", "gmail").Credentials
    if file := environment.get(TOKEN_FILE, "").strip():
        try:
            return kind.from_authorized_user_file(str(Path(file).expanduser()), scopes=[SCOPE])
        except OSError as error:
            raise Problem("credentials", f"{TOKEN_FILE} cannot be read: {error.strerror}", SIGN_IN) from None
        except (ValueError, KeyError, AttributeError):
            # What the file holds is a secret: the library's own words about it are left out.
            raise Problem("credentials", f"{TOKEN_FILE} names a file that is no token file", SIGN_IN) from None
    if token := credential(environment, TOKEN, SIGN_IN):
        return kind(token=token)
    raise Problem("credentials", f"Not signed in to Gmail: neither {TOKEN_FILE} nor {TOKEN} is set", SIGN_IN)


def _asked(request: Any) -> dict[str, Any]:
    failures = library("googleapiclient.errors", "gmail")
    signing = library("google.auth.exceptions", "gmail")
    httplib2 = library("httplib2", "gmail")
    try:
        found = request.execute(num_retries=0)
    except failures.HttpError as error:
        raise _problem(int(error.resp.status), _reason(error), error.resp) from None
    except signing.RefreshError:
        raise Problem("credentials", "Gmail refuses the credentials, and they cannot be renewed", SIGN_IN) from None
    except (signing.TransportError, httplib2.HttpLib2Error, OSError, http.client.HTTPException) as error:
        raise unreachable("Gmail", error) from None
    except (failures.Error, ValueError):
        found = None
    if not isinstance(found, dict):
        raise Problem("refused", "Gmail answers with something that is no JSON", f"Check {ADDRESS}, if you set it.")
    return cast("dict[str, Any]", found)


def _problem(code: int, reason: str, headers: Mapping[str, str]) -> Problem:
    if code == 429 or reason in TOO_MANY:
        return rate_limited("Gmail", headers.get("retry-after"))
    if code == 401:
        return Problem("credentials", f"Gmail refuses the credentials ({reason or code})", SIGN_IN)
    if code == 403:
        hint = f"The credentials need the scope {SCOPE}, and the Gmail API has to be enabled for their project."
        return Problem("permission", f"Gmail does not let these credentials read mail ({reason or code})", hint)
    if code == 404:
        return Problem("not_found", "Gmail does not find it", f"Check {ADDRESS}, if you set it.")
    return Problem("refused", f"Gmail answers with an error: {reason or f'HTTP {code}'}")


def _reason(error: Any) -> str:
    """Google's word for it, such as rateLimitExceeded; its sentence where there is none."""
    named = [str(each["reason"]) for each in entries({"details": error.error_details}, "details") if each.get("reason")]
    return named[0] if named else str(error.reason or "")[:200]


if __name__ == "__main__":
    sys.exit(answer(sys.argv[1:], {"status": status, "unread": unread, "search": search}))
