"""What of a failed linter or type checker is the change's doing: findings that the base has too do not count.

A finding is known by file, rule and text, and counted: line numbers move, and a second one of a kind is a new one.
Where not every finding can be read, only a base that failed in the very same way excuses. Runs nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from andon.checks import signatures
from andon.checks.compiled_failures import go_compiler
from andon.checks.interactive import told
from andon.checks.plain_text import normalised, plain_lines
from andon.domain.goal import Goal
from andon.domain.verdict import CheckResult, Verdict

SHOWN = 50
UNTOUCHED = "it fails on the base in the very same way, and so says nothing about this change"


@dataclass(frozen=True, slots=True)
class Tool:
    findings: Callable[[list[str]], Iterator[str]]
    total: Callable[[list[str]], int | None]
    """How many it found in its own count. When fewer can be read, what it printed is not understood."""
    stopped: re.Pattern[str] | None = None
    """Begins a line that tells of files it has not looked at: then more may be wrong than it says."""
    codes: tuple[int, ...] = ()
    """The exit codes of a whole run that found something; none when they do not tell."""


def compared(
    goal: Goal, before: CheckResult, old: str, now: CheckResult, new: str, moved: Mapping[str, str] | None = None
) -> CheckResult:
    """`now` as far as it differs from `before`, the same goal on the base. `old` and `new` are the whole outputs.

    `moved`: files that have another path now. What was found in one is found there still.
    """
    if not _comparable(goal, before, now):
        return now
    then, present = _parts(goal, old), _parts(goal, new)
    if then is None or present is None:
        return now
    added, inherited, unread = Counter[str](), 0, False
    for argv, code, code_then in zip(goal.commands, now.exits, before.exits, strict=True):
        if code == 0:
            continue
        if code is None or code != code_then:
            return now
        found, found_then = _findings(argv, code, present[argv]), _findings(argv, code, then[argv])
        if found is None or found_then is None:
            if _told_by(present[argv]) != _told_by(then[argv]):
                return now
            unread = True
            continue
        found_then = _moved(found_then, moved or {})
        added += found - found_then
        inherited += (found & found_then).total()
    if added:
        return _blamed(now, added, inherited)
    if unread:
        return replace(now, verdict=Verdict.NOT_NEEDED, reason=UNTOUCHED, signatures=())
    of_the_base = "the only finding is" if inherited == 1 else f"all {inherited} findings are"
    return replace(now, verdict=Verdict.PASSED, reason=f"nothing new: {of_the_base} the base's too", signatures=())


def _comparable(goal: Goal, before: CheckResult, now: CheckResult) -> bool:
    failed = now.verdict is Verdict.FAILED and before.verdict is Verdict.FAILED
    whole = not (now.truncated or before.truncated or now.environment_error or before.environment_error)
    return failed and whole and not goal.pattern and len(now.exits) == len(before.exits) == len(goal.commands)


def _blamed(now: CheckResult, added: Counter[str], inherited: int) -> CheckResult:
    names = tuple(sorted(f"{now.goal}:{core}"[: signatures.SIGNATURE_CHARACTERS] for core in added))
    lines = "\n".join(names[:SHOWN])
    news = f"{added.total()} new finding{'s' if added.total() > 1 else ''}"
    others = f"; {inherited} more {'are' if inherited > 1 else 'is'} the base's" if inherited else ""
    return replace(
        now,
        reason=news + others,
        signatures=names[: signatures.SIGNATURES],
        output=f"{now.output.rstrip()}\n\nOf these the base does not have:\n{lines}\n",
    )


def _parts(goal: Goal, output: str) -> dict[tuple[str, ...], list[str]] | None:
    """What each command printed. None when it cannot be told apart: a command prints the head of another."""
    lines = plain_lines(output, most=None)
    heads = {argv: f"$ {told(argv)}" for argv in goal.commands}
    places = [(lines.index(head), argv) for argv, head in heads.items() if lines.count(head) == 1]
    if len(places) != len(goal.commands) or places != sorted(places):
        return None
    ends = [place for place, _ in places[1:]] + [len(lines)]
    return {argv: lines[place + 1 : end] for (place, argv), end in zip(places, ends, strict=True)}


def _findings(argv: tuple[str, ...], code: int, lines: list[str]) -> Counter[str] | None:
    """Every finding; None when the tool is not known, stopped early, or says that there are more than were read."""
    tool = _tool(argv)
    if tool is None or (tool.codes and code not in tool.codes):
        return None
    if tool.stopped and any(map(tool.stopped.match, lines)):
        return None
    found = Counter(tool.findings(lines))
    return found if found and found.total() == tool.total(lines) else None


def _moved(found: Counter[str], moved: Mapping[str, str]) -> Counter[str]:
    """A finding begins with the path of its file."""
    after = Counter[str]()
    for finding, count in found.items():
        path, space, rest = finding.partition(" ")
        after[f"{moved.get(path, path)}{space}{rest}"] += count
    return after


def _told_by(lines: list[str]) -> Counter[str]:
    return Counter(line for line in map(normalised, lines) if line)


# --- the tools whose every finding can be read ----------------------------------------------------------------------


def _last_number(*patterns: str) -> Callable[[list[str]], int | None]:
    told = [re.compile(pattern) for pattern in patterns]

    def total(lines: list[str]) -> int | None:
        found = (match for line in reversed(lines) for pattern in told if (match := pattern.match(line)))
        match = next(found, None)
        return int(match[1]) if match else None

    return total


def _tsc_total(lines: list[str]) -> int:
    return sum(1 for line in lines if re.search(r"\berror TS\d+:", line))


def _vet_total(lines: list[str]) -> int:
    return sum(1 for line in lines if line.strip() and not line.startswith("#"))


# A syntax error, an option or a missing file keeps tsc from looking at types. What is unused it finds with the types.
_TSC_UNUSED = "6133|6138|6192|6196|6198|6199|6205"
_TSC_STOPPED = re.compile(rf"error TS\d|.*\berror TS(?!(?:{_TSC_UNUSED}):)(?:17?\d{{3}}|[56]\d{{3}}|2688):")
_MYPY_STOPPED = re.compile(r"Found \d+ errors? .*\berrors prevented further checking")
# A package that does not compile keeps vet from it, and from all that import it.
_VET_STOPPED = re.compile(r"vet: |\S+\.go:[\d:]+ (?:syntax error|undefined|package \S+ is not in|no required module)\b")

TOOLS = {
    "ruff": Tool(signatures.ruff, _last_number(r"Found (\d+) errors?\.$"), codes=(1,)),
    "mypy": Tool(signatures.mypy, _last_number(r"Found (\d+) errors? in \d+ files?\b"), _MYPY_STOPPED, codes=(1,)),
    "eslint": Tool(signatures.eslint, _last_number(r"✖ \d+ problems? \((\d+) errors?, "), codes=(1,)),
    "tsc": Tool(signatures.tsc, _tsc_total, _TSC_STOPPED),
    "vet": Tool(go_compiler, _vet_total, _VET_STOPPED),
}


def _tool(argv: Sequence[str]) -> Tool | None:
    words = [word for word in argv if word not in ("npx", "--no-install", "go")]
    return TOOLS.get(words[0]) if words else None
