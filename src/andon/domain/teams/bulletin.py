"""The files a team shares: what stands in them, as text and back (B-41, B-43, B-44, B-61)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

PLAN, BULLETIN, FINDINGS, PROGRESS = "team_plan.md", "team_bulletin.md", "team_findings.md", "team_progress.md"
FOLDER, ELSEWHERE = ".team-os/artifacts", ".team-artifacts"
"""Where they lie: the first where there is a `.team-os`, else a folder of our own (B-42)."""
HEADS = {BULLETIN: "# Bulletin\n\n", FINDINGS: "# Findings\n\n"}
"""Of those that grow."""
_HEAD = re.compile(r"^## \[([^\]]*)\] - (.*)$", re.MULTILINE)
_FIELD = re.compile(r"^\*\*([A-Za-z]+)\*\*:[ \t]*(.*?)(?=^\*\*[A-Za-z]+\*\*:|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Note:
    """An entry of the bulletin."""

    at: str
    by: str
    fields: tuple[tuple[str, str], ...]

    def get(self, name: str) -> str:
        return dict(self.fields).get(name, "")

    def text(self) -> str:
        lines = [f"## [{one_line(self.at)}] - {one_line(self.by)}"]
        lines += [f"**{name}**: {_safe(value)}" for name, value in self.fields]
        return "\n".join(lines) + "\n\n"


def finding(at: str, by: str, task: str, findings: str, links: Iterable[str] = ()) -> Note:
    return Note(at, by, (("Task", task), ("Findings", findings), ("Links", ", ".join(links))))


def ralph_note(at: str, iteration: int, worker: str, task: str, verdict: str, feedback: str, changes: str) -> Note:
    told = [("Worker", worker), ("Task", task), ("Verdict", verdict)]
    told += [("Feedback", feedback)] if feedback else []
    told += [("Changes", changes)] if changes else []
    return Note(at, f"Ralph Loop #{iteration}", tuple(told))


def notes(text: str) -> list[Note]:
    """Every entry of a bulletin, the oldest first. What is not one is passed over."""
    heads = list(_HEAD.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)] if heads else []
    return [
        Note(head[1], head[2], tuple((name, value.strip()) for name, value in _FIELD.findall(text[head.end() : end])))
        for head, end in zip(heads, ends, strict=True)
    ]


def progress(tasks: Iterable[tuple[str, bool]]) -> str:
    """Each task, and whether it is done."""
    rows = [f"- [{'x' if done else ' '}] {one_line(each)}" for each, done in tasks]
    return "# Progress\n\n" + "\n".join(rows) + "\n"


def finding_entry(by: str, text: str) -> str:
    """What one has found, for the end of the findings."""
    return f"## {one_line(by)}\n{_quiet(text)}\n\n"


def _quiet(text: str) -> str:
    """A text of an agent under its own heading: no heading of it stands at the same level."""
    return re.sub(r"^ {0,3}#{1,2}(?=\s|$)", "###", _lines(text), flags=re.MULTILINE)


def _lines(text: str) -> str:
    """With one kind of line ends: what some reader takes for one is one here."""
    return "\n".join(text.strip().splitlines())


def one_line(text: str) -> str:
    return " ".join(text.split())


def _safe(text: str) -> str:
    """A text of an agent stays within its entry: no line of it begins another one."""
    quoted = re.sub(r"^( {0,3})#", r"\1\#", _lines(text), flags=re.MULTILINE)
    return re.sub(r"^\*\*", " **", quoted, flags=re.MULTILINE)
