"""A journal entry as one line for people. The same lines appear live, in `andon logs` and when output is piped."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from andon.cli.text import cut, one_line, plain, wrap
from andon.domain.budget import Line as BudgetLine
from andon.domain.budget import amount
from andon.domain.counting import counted
from andon.domain.grammar import Unreadable, read_object
from andon.domain.journal import Entry
from andon.domain.money import in_dollars
from andon.domain.order import Usage

MARKS = {"passed": "✓", "failed": "✗", "not_measured": "?", "not_needed": "·"}
PHASES = {
    "prepare": "0 PREPARE",
    "plan": "1 PLAN",
    "design": "2 DESIGN",
    "do": "3 DO",
    "check": "4 CHECK",
    "act": "5 ACT",
    "interview": "0 PIVOT POINTS",
    "sprint": "2 SPRINT",
    "gate": "3 GATE",
    "fix": "4 FIX",
    "finalize": "5 FINALIZE",
    "work": "2 WORK",
    "verify": "3 VERIFY",
}
STEP = 4
"""Columns of a step; of one that is named with its leg, two more."""
TIME = 12
"""Columns of the time, and of the spaces around it."""
SHOWN_FAILURES = 3
ONLY_WHEN_ASKED = ("custom", "interactive")
"""Goals that are worth a line only where somebody asked for them."""
SHOWN_REASON = 400
"""Of a rejection: enough to see what it is about. `andon logs --json` has all of it."""
Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """Text for people; what a person must be able to read to its end is wrapped, everything else cut."""

    text: str
    whole: bool = False


def line(entry: Entry, most: int) -> str | None:
    """The line, or None for entries that only programs care about."""
    if entry.kind == "run_started":
        return cut(f"Run {entry.run}  {one_line(str(entry.data.get('task', '')))}", most)
    render = _LINES.get(entry.kind)
    made = render(entry.data) if render else None
    return None if made is None else _fitted(made, most)


def _fitted(made: Line, most: int) -> str:
    if made.whole:
        text = plain(made.text)
        return wrap(text, most, " " * (len(text) - len(text.lstrip(" ")) + 2)) if sys.stdout.isatty() else text
    return "\n".join(cut(each, most) for each in plain(made.text).splitlines())


def stamped(entry: Entry, most: int, *, legs: bool = False) -> str:
    """With step and time, for the log: no entry is left out. The step is what `andon fork --from` takes; in a run of
    several legs it is named with its leg."""
    stamp = STEP + TIME + (2 if legs else 0)
    text = line(entry, most - stamp) or cut(f"{entry.kind} {_brief(entry.data)}".rstrip(), most - stamp)
    first, *rest = text.splitlines() or [""]
    leg, number = entry.place
    step = "" if not number else f"{leg}.{number}" if legs else str(number)
    lead = f"{step:>{stamp - TIME}}  {_clock(entry.at)}  "
    return "\n".join([lead + first, *(f"{'':>{stamp}}{more}" for more in rest)])


def _brief(data: Data) -> str:
    shown = ((key, one_line(_said(value))) for key, value in data.items() if value not in ("", None, [], {}))
    return " ".join(f"{key}={cut(value, 60)}" for key, value in shown)


def _said(value: object) -> str:
    """A value of the journal in words: yes and no, lists and tables without the marks of a program."""
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:,.2f}".rstrip("0").rstrip(".")
        case dict():
            told = cast(Mapping[str, object], value).items()
            return ", ".join(f"{key} {_said(each)}" for key, each in told if each not in ("", None, [], {}))
        case list() | tuple():
            return ", ".join(_said(each) for each in cast(Sequence[object], value))
        case _:
            return str(value)


def _spawn(data: Data) -> Line:
    again = f", attempt {data['attempt']}" if data.get("attempt", 1) > 1 else ""
    model = data.get("model") or "no model"
    return Line(f"  → {data['name']} ({data['role']}, {model}{again})")


def _result(data: Data) -> Line:
    usage = Usage.read(data.get("usage", {}))
    lines = [each for each in str(data.get("text", "")).splitlines() if each.strip()]
    # A section's heading says nothing, what stands below it does. What follows a fence is data.
    first = next((each for each in lines if not each.startswith("##")), lines[0] if lines else "").strip()
    first = _summary(str(data["text"])) if first.startswith(("```", "{")) else first
    # The QA runner's verdict is followed by JSON, and its goals have lines of their own.
    first = first.partition(": {")[0]
    told = first if data["outcome"] == "done" else f"{data['outcome']}: {data.get('detail', '')}"
    used = ", ".join(
        filter(None, (f"{data.get('seconds', 0):.1f} s, {counted(usage.tokens, 'token')}", in_dollars(usage)))
    )
    return Line(f"  ← {data['name']}  {used}  {one_line(told)}".rstrip())


def _summary(text: str) -> str:
    """Of an answer that begins with data: what it says of itself there, if anything."""
    found = read_object(text)
    summary = "" if isinstance(found, Unreadable) else found.get("summary")
    return summary if isinstance(summary, str) else ""


def _check(data: Data) -> Line | None:
    if data["verdict"] == "not_needed" and data["goal"] in ONLY_WHEN_ASKED:
        return None
    note = data.get("reason") or _shown(data.get("command", ()))
    if " " in data["goal"]:  # a plan's own command, which is its name
        note = "" if data["verdict"] == "passed" else note.rpartition(": ")[2]
    verdict = str(data["verdict"]).replace("_", " ")
    told = f"  {MARKS.get(data['verdict'], '?')} {data['goal']:<11} {verdict}  {one_line(note)}"
    named = data.get("signatures", ())[:SHOWN_FAILURES] if data["verdict"] == "failed" else ()
    named = [each for each in named if not each.endswith(":no output")]
    return Line("\n".join((told, *(f"      {one_line(each)}" for each in named))))


def _shown(command: Sequence[str]) -> str:
    """A command as a person would name it: of a script that is given to a shell, what it is given."""
    return " ".join(command[4:] if tuple(command[:2]) == ("sh", "-c") and len(command) > 4 else command)


def _verification(data: Data) -> Line:
    found = [one_line(each["message"]) for each in data.get("findings", ())]
    verdict = {"passed": "verified", "failed": "refused"}.get(data["verdict"], str(data["verdict"]).replace("_", " "))
    note = next(iter(data.get("notes", ())), "") if not found else ""
    told = f"  {MARKS.get(data['verdict'], '?')} {'verify':<11} {verdict}  {one_line(note or data.get('reason', ''))}"
    return Line("\n".join((told.rstrip(), *(f"      {each}" for each in found[:SHOWN_FAILURES]))))


def _verdict(data: Data) -> Line:
    approved = data.get("approved", data["verdict"] == "APPROVE")
    reason = data.get("overruled") or data.get("reason", "")
    why = "" if approved else f"  {cut(one_line(reason), SHOWN_REASON)}"
    return Line(f"  {'✓' if approved else '✗'} {data['name']}: {data['verdict']}{why}".rstrip(), whole=True)


def _todo(data: Data) -> Line:
    box = data["box"] if data["box"].strip() else " "
    return Line(f"  [{box}] TODO {data['number']}: {one_line(data.get('title', ''))}", whole=True)


def _gate(data: Data) -> Line:
    if data["passed"]:
        return Line(f"  ✓ gate {data['gate']} passed")
    lines = [f"  ✗ gate {data['gate']} failed", *_indented(data.get("summary", ""))]
    return Line("\n".join(lines), whole=True)


def _phase_verified(data: Data) -> Line:
    failed = [each for each in data["criteria"] if not each["passed"]]
    if data["passed"]:
        return Line(f"  ✓ phase {data['number']} verified: {len(data['criteria'])} criteria")
    lines = [f"  ✗ phase {data['number']} not verified"]
    for each in failed[:SHOWN_FAILURES]:
        lines += _indented(f"{each['id']}: {each['detail']}")
    more = len(failed) - SHOWN_FAILURES
    return Line("\n".join([*lines, *([f"    and {more} more"] if more > 0 else [])]), whole=True)


def _review_decided(data: Data) -> Line:
    what = data["status"].replace("_", " ")
    return Line(f"  = phase {data['number']}: {what} by {data['by']}  {one_line(data['comment'])}".rstrip(), whole=True)


def _fix_loop(data: Data) -> Line:
    rate = round(100 * data["rate"])
    return Line(f"  ↻ fix loop {data['number']}: {data['strategy']}, pass rate {rate}% ({data['trend']})")


def _reconciliation(data: Data) -> Line:
    return Line(f"  ↻ {data['todo']}: worker {data['attempt'] + 1} takes it up  {one_line(data['reason'])}")


def _unit(data: Data) -> Line:
    mark = {"begun": "[ ]", "done": "[x]", "failed": "[!]"}.get(data["state"], "[?]")
    forced = "  at the limit, not agreed" if data.get("forced") else ""
    why = f"  {one_line(data['why'])}" if data.get("why") else ""
    return Line(f"  {mark} {one_line(data['title'])}  ({data['member']}){forced}{why}", whole=True)


def _ralph(data: Data) -> Line:
    mark = "✓" if data["verdict"] == "SHIP" else "↻"
    mean = "" if data.get("mean") is None else f", {data['mean']:.1f} of 5"
    unseen = data["verdict"] == "SHIP" and data.get("reviewer") == ""
    now = "measured, not reviewed" if unseen else f"round {data['iteration']} of {data['most']}: {data['verdict']}"
    told = f"  {mark} {now}{mean}  {one_line(data['title'])}"
    said = str(data.get("feedback", "")).strip()
    why = said.partition("\n")[0] if said.startswith("$ ") else one_line(said.partition("\n\n")[0])
    return Line("\n".join((told, *_indented(cut(why, SHOWN_REASON)))), whole=True)


def _discovery(data: Data) -> Line:
    return Line(f"  ✧ {data['todo']} found: {one_line(data['text'])}  → {data['decision']}", whole=True)


def _attempt(data: Data) -> Line:
    mark = "✓" if data["passed"] else "✗"
    return Line("\n".join((f"  {mark} attempt {data['number']}", *_indented(data["summary"]))), whole=True)


def _claim(data: Data) -> Line:
    reasons = "\n".join(f"    {one_line(each)}" for each in data["reasons"][:SHOWN_FAILURES])
    more = f"\n    … and {len(data['reasons']) - SHOWN_FAILURES} more" if len(data["reasons"]) > SHOWN_FAILURES else ""
    return Line(
        f"  ✗ {data['name']} claims to be done; andon found otherwise (iteration {data['iteration']}):\n{reasons}{more}"
    )


def _diagnosis(data: Data) -> Line:
    return Line(f"  ⌕ {one_line(data['diagnosis'])}  → {data['agent']} ({data['domain']})", whole=True)


def _merged(data: Data) -> Line:
    if data["conflicts"]:
        left = data.get("left", data["names"])
        return _warn(f"the work of {', '.join(left)} does not merge: {', '.join(data['conflicts'])}")
    return Line(f"  ⋈ merged: {', '.join(data['names'])}")


def _failed(data: Data) -> Line:
    return _warn(f"{data['name']}: {data['outcome']} {one_line(data['detail'])}")


def _refused(data: Data) -> Line:
    return _warn(f"{data['name']}: refused: {one_line(data['detail'])}")


def _misread(data: Data) -> Line:
    return _warn(f"{data['name']}: the reply could not be read: {one_line(data['detail'])}")


def _hold(data: Data) -> Line:
    if data.get("category") == "transition" and data.get("options"):
        # A banner: whatever stands beside its frame breaks it. The choices are listed where it is answered.
        return Line(f"{data['question']}\n    {way_on(data)}", whole=True)
    # A review is decided with the version that was looked at, not by one of these words.
    chosen = data.get("options") and data.get("category") != "review"
    options = f"  ({' | '.join(data['options'])})" if chosen else ""
    return Line(f"  ? {data['question']}{options}\n    {way_on(data)}", whole=True)


def way_on(data: Data) -> str:
    """The command that answers a question."""
    if data.get("category") == "review":
        return f"andon task show {data['hold'].partition('/')[0]}"
    if data.get("category") in ("secret", "dependency"):
        return f"andon task answer {data['hold'].partition('/')[0]}"
    return f"andon answer {data['hold']}"


def _ended(data: Data) -> Line:
    status = data["status"].replace("needs_user", "needs you").upper()
    return Line(f"{status}: {data['message']}" if data["message"] else status, whole=True)


def _environment(data: Data) -> Line | None:
    if not data.get("problem"):
        return None
    fix = f" ({data['fix']})" if data.get("fix") else ""
    return _warn(f"environment: {data['problem']}{fix}")


def _warn(text: str) -> Line:
    lines = text.replace("\n", "\n    ")
    return Line(f"  ! {lines}", whole=True)


def _context(data: Data) -> Line:
    head = f"  {data['option']}: {data['messages']} → {data['path']}"
    return Line("\n".join((head, *_indented(data.get("text", "")))), whole=True)


def _draft(data: Data) -> Line:
    head = f"  {data['number']}. {one_line(data['subject'])}"
    return Line("\n".join((head, *_indented(data["text"]))), whole=True)


def _indented(text: str) -> list[str]:
    return [f"    {each}".rstrip() for each in text.splitlines()]


def _counted(learnings: Sequence[Any]) -> str:
    return counted(len(learnings), "learning")


_LINES: dict[str, Callable[[Data], Line | None]] = {
    "phase_entered": lambda d: Line(f"Phase {PHASES.get(d['name'], d['name'])}"),
    "team_created": lambda d: Line(f"Team {d['team']}"),
    "spawn": _spawn,
    "result": _result,
    "check": _check,
    "context_gathered": _context,
    "reply_draft": _draft,
    "task_created": lambda d: Line(f"  [ ] {one_line(d['subject'])}", whole=True) if "subject" in d else None,
    "recalled": lambda d: Line(f"  told of earlier work: {_counted(d['learnings'])}"),
    "remembered": lambda d: Line(f"  kept for later runs: {_counted(d['lessons'][: d['count']])}"),
    "score": lambda d: Line(str(d.get("text", ""))),
    "forecast": lambda d: Line(f"  {d['text']}", whole=True),
    "warning": lambda d: _warn(d["text"]),
    "notice": lambda d: Line(f"  {d['text']}", whole=True),
    "user_notified": lambda d: _warn(d["text"]),
    "promoted": lambda d: Line(f"  ↑ {d['text']}", whole=True),
    "teammate_failed": _failed,
    "reply_misread": _misread,
    "violation": _refused,
    "scope_refused": _refused,
    "secret_hidden": lambda d: _warn(f"{d['path']}:{d['line']}: {d['what']} is hidden: a document names no secret"),
    "rate_limited": lambda d: Line(f"  … {d['name']}: rate limit, going on at {_clock(d['resets_at'])}"),
    "hold_opened": _hold,
    "hold_kept": lambda d: Line(f"  = waits for {d['by']}"),
    "hold_answered": lambda d: Line(f"  = {one_line(d['answer'])}  ({d['by']})", whole=True),
    "budget_warning": lambda d: _warn(f"{_amount(d, 'spent')} of {_amount(d, 'limit')} used"),
    "environment_prepared": _environment,
    "verification": _verification,
    "verdict": _verdict,
    "claim_refused": _claim,
    "diagnosis": _diagnosis,
    "todo": _todo,
    "todo_added": lambda d: Line(f"  [ ] TODO {d['number']}: {one_line(d['title'])}  (new)", whole=True),
    "reconciliation": _reconciliation,
    "discovery": _discovery,
    "unit": _unit,
    "ralph": _ralph,
    "escalated": lambda d: Line(f"  ⚑ {d['member']} is blocked: {one_line(d['problem'])}", whole=True),
    "gate": _gate,
    "step_ended": lambda d: Line(f"  ✓ step {d['done']} of {d['of']}: {one_line(d['title'])}", whole=True),
    "phase_verified": _phase_verified,
    "rework": lambda d: Line(f"  ↻ rework {d['attempt']} of phase {d['number']}"),
    "review_reminded": lambda d: _warn(d["text"]),
    "review_assigned": lambda d: Line(
        f"  » phase {d['number']}: {d['reviewer']} is to decide  ({d['by']})", whole=True
    ),
    "review_decided": _review_decided,
    "checkpoint": lambda d: Line(f"  ⚑ checkpoint: {d['reason'].replace('_', ' ')}"),
    "turn": lambda d: Line(f"  {d['by'] or d['author']}: {one_line(d['text'])}"),
    "feedback": lambda d: Line(f"  {'★' * d['rating']} {one_line(d['comment'])}  ({d['by']})", whole=True),
    "conversation_ended": lambda d: Line(f"  ended by {d['by']}"),
    "fix_loop": _fix_loop,
    "attempt": _attempt,
    "branched": lambda d: Line(f"  ⑂ {d['teammate']} works alone on {', '.join(d['scope'])}", whole=True),
    "merged": _merged,
    "plan_rerequested": lambda d: _warn(d["missing"]),
    "design_rerequested": lambda d: _warn(d["missing"]),
    "directed": lambda d: Line(f"  » {one_line(d['text'])}  ({d['by']})", whole=True),
    "taken_over": lambda d: Line(f"  » {d['by']} changed {', '.join(d['paths'])}", whole=True),
    "accepted": lambda d: Line(f"  = {d['id']} accepted by {d['by']}: {one_line(d['reason'])}", whole=True),
    "closed": lambda d: Line(f"CLOSED by {d['by']}"),
    "reopened": lambda d: Line(f"OPEN again, by {d['by']}"),
    "committed": lambda d: Line(f"  commit {d['commit'][:10]}"),
    "bug": lambda d: _warn(d["error"]),
    "run_ended": _ended,
}


def _amount(data: Data, key: str) -> str:
    return amount(BudgetLine(data["line"]), data[key])


def _clock(moment: float) -> str:
    return datetime.fromtimestamp(moment).astimezone().strftime("%H:%M:%S")
