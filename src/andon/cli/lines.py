"""A journal entry as one line for people. The same lines appear live, in `andon logs` and when output is piped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from andon.domain.journal import Entry

MARKS = {"passed": "✓", "failed": "✗", "not_measured": "?", "not_needed": "·"}
PHASES = {
    "prepare": "0 PREPARE",
    "plan": "1 PLAN",
    "design": "2 DESIGN",
    "do": "3 DO",
    "check": "4 CHECK",
    "act": "5 ACT",
}
Data = Mapping[str, Any]


def line(entry: Entry) -> str | None:
    """The line, or None for entries that only programs care about."""
    render = _LINES.get(entry.kind)
    return render(entry.data) if render else None


def stamped(entry: Entry) -> str:
    """With step and time, for the log: nothing is left out. The step is what `andon fork --from` takes."""
    moment = datetime.fromtimestamp(entry.at).astimezone().strftime("%H:%M:%S")
    text = line(entry) or f"{entry.kind} {_brief(entry.data)}".rstrip()
    first, *rest = text.splitlines() or [""]
    step = entry.place[1] or ""
    return "\n".join([f"{step:>4}  {moment}  {first}", *(f"{'':>16}{more}" for more in rest)])


def _brief(data: Data) -> str:
    return " ".join(f"{key}={_short(value)}" for key, value in data.items() if value not in ("", None, [], {}))


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else text[:57] + "…"


def _spawn(data: Data) -> str:
    again = f", attempt {data['attempt']}" if data.get("attempt", 1) > 1 else ""
    model = data.get("model") or "no model"
    return f"  → {data['name']} ({data['role']}, {model}{again})"


def _result(data: Data) -> str:
    usage = data.get("usage", {})
    tokens = usage.get("input_tokens", 0) + usage.get("output_tokens", 0)
    first = next(iter(data.get("text", "").strip().splitlines()), "")
    told = first if data["outcome"] == "done" else f"{data['outcome']}: {data.get('detail', '')}"
    return f"  ← {data['name']}  {data.get('seconds', 0):.1f} s, {tokens} tokens  {_short(told)}".rstrip()


def _check(data: Data) -> str:
    command = " ".join(data.get("command", ()))
    note = data.get("reason") or command
    return f"  {MARKS.get(data['verdict'], '?')} {data['goal']:<11} {data['verdict'].replace('_', ' ')}  {_short(note)}"


def _text(data: Data) -> str:
    return str(data.get("text", ""))


_LINES: dict[str, Callable[[Data], str | None]] = {
    "phase_entered": lambda d: f"Phase {PHASES.get(d['name'], d['name'])}",
    "team_created": lambda d: f"Team {d['team']}",
    "spawn": _spawn,
    "result": _result,
    "check": _check,
    "score": _text,
    "warning": lambda d: f"  ! {d['text']}",
    "notice": lambda d: f"  {d['text']}",
    "user_notified": lambda d: f"  ! {d['text']}",
    "promoted": lambda d: f"  ↑ {d['text']}",
    "teammate_failed": lambda d: f"  ! {d['name']}: {d['outcome']} {_short(d['detail'])}",
    "reply_misread": lambda d: f"  ! {d['name']}: the reply could not be read: {_short(d['detail'])}",
    "scope_refused": lambda d: f"  ! {d['name']}: {d['detail']}",
    "rate_limited": lambda d: f"  … {d['name']}: rate limit, going on at {_clock(d['resets_at'])}",
    "hold_opened": lambda d: f"  ? {d['question']}  (andon answer)",
    "hold_answered": lambda d: f"  = {d['answer']}  ({d['by']})",
    "budget_warning": lambda d: f"  ! {d['spent']:g} of {d['limit']:g} {d['line']} used",
    "environment_prepared": lambda d: f"  ! environment: {d['problem']}" if d.get("problem") else None,
    "verdict": lambda d: f"  {'✓' if d['verdict'] == 'APPROVE' else '✗'} {d['name']}: {d['verdict']}",
    "committed": lambda d: f"  commit {d['commit'][:10]}",
    "run_ended": lambda d: f"{d['status'].upper().replace('_', ' ')}: {d['message']}",
}


def _clock(moment: float) -> str:
    return datetime.fromtimestamp(moment).astimezone().strftime("%H:%M:%S")
