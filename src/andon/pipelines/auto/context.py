"""`--slack` and `--gmail`, before Phase 1: sign-in, messages, an analyst, a file, and what follows (A-130 to A-138).

Whatever was read is strangers' text: it reaches prompts fenced as data, and nothing is ever sent. An option that fails
ends the run aloud (A-05).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from andon.domain.auto.artefacts import gmail_context_path, slack_context_path
from andon.domain.auto.context import (
    DRAFTS,
    GMAIL_PARTS,
    MAILS,
    MESSAGES,
    SLACK_PARTS,
    TODOS,
    Message,
    Part,
    analysis,
    document,
    listed_mails,
    listed_messages,
    subject,
    todos,
    within,
)
from andon.domain.auto.mode import Mode, teammate
from andon.domain.auto.options import FollowUp, Gmail, follow_up
from andon.domain.run import Ending, Status
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.notepad import keep_out_of_commits, note
from andon.ports import CallResult
from andon.roles.contracts import DraftsForm, PartsForm
from andon.roles.library import fill

FOR_A_PERSON = ("not_installed", "credentials", "permission")
"""Problems that somebody has to sign in or grant something for; the others may be gone by themselves."""
READ_AT_ONCE = 45_000
"""Characters of all messages in one prompt, besides their heads."""


class _OptionFailed(Exception):
    def __init__(self, ending: Ending) -> None:
        super().__init__(ending.message)
        self.ending = ending


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one option read, and where what is made of it goes."""

    option: str
    title: str
    path: str
    at: str
    messages: Sequence[Message]
    left_out: int
    originals: Part
    listed: Callable[[Sequence[Message]], str]

    @property
    def values(self) -> dict[str, str]:
        """For a prompt. The file has all of every message."""
        more = f", {self.left_out} more left out" if self.left_out else ""
        return {
            "messages": self.listed(within(self.messages, READ_AT_ONCE)),
            "note": f"{len(self.messages)} of them{more}",
        }


async def gather_context(cycle: Cycle) -> Ending | None:
    """What the options find out goes into `cycle.context`. An ending where the run is over with it, or cannot begin."""
    options = cycle.request.options
    if options.slack is None and options.gmail is None:
        return None
    async with cycle.run.phase("prepare"):
        try:
            if options.slack is not None:
                await _slack(cycle, options.slack)
            return await _gmail(cycle, options.gmail) if options.gmail is not None else None
        except _OptionFailed as failed:
            await cycle.notify(failed.ending.message)
            return failed.ending


async def _slack(cycle: Cycle, channel: str) -> None:
    await _ask_outside(cycle, "slack", "status")
    if cycle.request.options.dry_run:
        await _would_spawn(cycle, "slack-analyst")
        return
    found = await _ask_outside(cycle, "slack", "history", channel, "--limit", str(cycle.limits.slack_messages))
    title = cycle.word("context.slack", channel=channel)
    reading = _Reading("--slack", title, slack_context_path(channel), *_read(found), MESSAGES, listed_messages)
    if not reading.messages:
        raise _nothing(cycle, reading.option)
    asked = cycle.assignment("slack-analyst", "slack-analyst", **reading.values, channel=channel)
    parts = await cycle.run.ask(asked, PartsForm(SLACK_PARTS))
    await _keep(cycle, reading, analysis(cycle.language, SLACK_PARTS, parts))


async def _gmail(cycle: Cycle, gmail: Gmail) -> Ending | None:
    """The mails, their analysis, and then one of four ways (A-138)."""
    way = follow_up(gmail)
    await _ask_outside(cycle, "gmail", "status")
    if cycle.request.options.dry_run:
        await _would_spawn(cycle, "gmail-analyst")
        return None if way is FollowUp.RUN else Ending(Status.DONE, "dry_run", cycle.word("ended.dry_run"))
    reading = await _mails(cycle, gmail)
    if not reading.messages:
        if way is FollowUp.RUN:
            raise _nothing(cycle, reading.option)
        return Ending(Status.DONE, "mail_read", cycle.word("ended.no_mail"))
    asked = cycle.assignment("gmail-analyst", "gmail-analyst", **reading.values, query=gmail.query or "is:unread")
    parts = await cycle.run.ask(asked, PartsForm(GMAIL_PARTS))
    body = analysis(cycle.language, GMAIL_PARTS, parts)
    if way is FollowUp.RUN:
        await _keep(cycle, reading, body)
        return None
    if way is FollowUp.TODOS:
        body += await _todos(cycle, parts["requests"])
    elif way is FollowUp.DRAFTS:
        body += await _drafts(cycle, reading)
    await _keep(cycle, reading, body, shown=True)
    text = cycle.word("ended.mail_read", count=len(reading.messages), path=reading.path)
    return Ending(Status.DONE, "mail_read", text)


async def _mails(cycle: Cycle, gmail: Gmail) -> _Reading:
    words = ("search", gmail.query) if gmail.query else ("unread",)
    found = await _ask_outside(cycle, "gmail", *words, "--limit", str(cycle.limits.gmail_messages))
    at, messages, left_out = _read(found)
    # From the recorded answer: whoever repeats this after a crash names the same file.
    path = gmail_context_path("".join(filter(str.isdigit, at)) or cycle.run.id)
    title = cycle.word("context.gmail", query=gmail.query or "is:unread")
    return _Reading("--gmail", title, path, at, messages, left_out, MAILS, listed_mails)


async def _todos(cycle: Cycle, wanted: str) -> str:
    """One task for each request; the list as a part of the file."""
    items = todos(wanted)
    for item in items:
        await cycle.run.say("task_created", name="", role="", subject=item)
    return "\n\n".join(("", TODOS.heading(cycle.language), "\n".join(f"- [ ] {item}" for item in items) or "-"))


async def _drafts(cycle: Cycle, reading: _Reading) -> str:
    """One reply for each mail, for people to read; the drafts as a part of the file."""
    asked = cycle.assignment("gmail-analyst", "gmail-drafts", **reading.values)
    written = await cycle.run.ask(asked, DraftsForm(len(reading.messages)))
    lines = ["", DRAFTS.heading(cycle.language)]
    for number, (mail, draft) in enumerate(zip(reading.messages, written, strict=True), start=1):
        about = subject(mail)
        await cycle.run.say("reply_draft", number=number, mail=str(mail.get("id", "")), subject=about, text=draft)
        lines += [f"### {number}. {about}", draft]
    return "\n\n".join(lines)


async def _keep(cycle: Cycle, reading: _Reading, body: str, *, shown: bool = False) -> None:
    """Write the context file, note it, and hand what it says to whoever plans."""
    run, count = cycle.run, len(reading.messages)
    source = cycle.word("context.source", count=count, at=reading.at)
    if reading.left_out:
        source += " " + cycle.word("context.left_out", count=reading.left_out)
    originals = (reading.originals, reading.listed(reading.messages))
    await keep_out_of_commits(run)
    await run.write(reading.path, document(reading.title, source, body, cycle.language, originals), state=True)
    await note(run, f"{reading.title}: {reading.path}")
    shown_text = body if shown else ""
    await run.say("context_gathered", option=reading.option, path=reading.path, messages=count, text=shown_text)
    values = {"option": reading.option, "path": cycle.place(reading.path), "gathered": body}
    cycle.context = "\n\n".join(filter(None, (cycle.context, fill("auto/parts/context", values, cycle.limits))))


async def _ask_outside(cycle: Cycle, connector: str, *words: str) -> dict[str, Any]:
    """The connector's answer; a problem ends the run with a message that names the option."""
    found = _answer(await cycle.run.call(connector, *words))
    problem = str(found.get("problem", ""))
    await cycle.run.say("call", connector=connector, words=list(words), problem=problem)
    if not problem:
        return found
    told = f"{str(found.get('message', '')).rstrip('.')}. {found.get('hint', '')}".strip()
    status = Status.NEEDS_PERSON if problem in FOR_A_PERSON else Status.FAILED
    text = cycle.word("option.failed", option=f"--{connector}", problem=told)
    raise _OptionFailed(Ending(status, f"option_{problem}", text))


def _answer(said: CallResult) -> dict[str, Any]:
    try:
        found = json.loads(said.output)
    except ValueError:
        found = None
    if isinstance(found, dict):
        return cast("dict[str, Any]", found)
    return {"problem": "refused", "message": f"its answer cannot be read: {said.output[:200]}"}


def _read(found: Mapping[str, Any]) -> tuple[str, Sequence[Message], int]:
    """(when, what, how many more) of a connector's answer."""
    return str(found["collected_at"]), cast("Sequence[Message]", found["messages"]), int(found["left_out"])


def _nothing(cycle: Cycle, option: str) -> _OptionFailed:
    """A task that builds on messages cannot do without them, and going on in silence would hide that (A-05)."""
    return _OptionFailed(Ending(Status.NEEDS_PERSON, "option_empty", cycle.word("option.nothing", option=option)))


async def _would_spawn(cycle: Cycle, name: str) -> None:
    """The line of a dry run."""
    options = cycle.request.options
    mate = teammate(name, Mode.LIGHT, opus=options.opus, eco=options.eco)
    await cycle.run.say("notice", text=f"would spawn {mate.name} ({mate.type}, {mate.tier})")
