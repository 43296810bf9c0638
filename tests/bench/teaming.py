"""Teams: how fast files are scanned and a workflow is analysed, and whether a bulletin bears many writers at once."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from ground import Ground
from rows import Row
from timing import in_turns, milliseconds

from andon.domain.teams.graph import mermaid
from andon.domain.teams.matching import matches
from andon.domain.teams.resources import Inventory
from andon.memory.markdown import TeamFiles
from andon.teamify.files import look, roots_of
from andon.teamify.reading import read_workflow

HEAD = """---
name: {kind}-{number}
description: Does what {kind} number {number} does, when somebody asks for it in one of the usual ways
model: sonnet
allowedTools: Read, Grep, Glob
---
"""
BODY = "Read before you write. Say what you did, and what you left out.\n" * 40
STEP = """## STEP {number} (part {number})
inputs: result-{before}
outputs: result-{number}
Read(`docs/{number}.md`), then mcp__obsidian__search_vault; Grep(words)
### reader-{number}
Look at what is there, in parallel.
### writer-{number}
outputs: `out/{number}.md`
Write(out)

"""
WRITER = """
import sys
from pathlib import Path
from andon.domain.teams.bulletin import finding
from andon.workspace.files import append_contained
for number in range(int(sys.argv[3])):
    entry = finding("now", sys.argv[2], f"task {number}", f"{sys.argv[2]} {number} " * 12)
    append_contained(Path(sys.argv[1]), "team_bulletin.md", entry.text())
"""


def scanning(ground: Ground, count: int, rounds: int) -> list[Row]:
    """Beside reading the same files with plain Python."""
    root = ground.scratch / "resources"
    files = [_put(root, number) for number in range(count)]
    works = {"read": lambda: [file.read_bytes() for file in files], "scan": lambda: look(roots_of(root, "project"))}
    taken = in_turns(rounds, works)
    ratio = median(taken["scan"]) / median(taken["read"])
    detail = f"{milliseconds(taken['scan']):.0f} ms over {milliseconds(taken['read']):.0f} ms"
    return [Row("team-scan", f"scanning {count:,} files ÷ reading them", ratio, "×", detail)]


def _put(root: Path, number: int) -> Path:
    kind = ("skills", "agents", "commands")[number % 3]
    file = root / ".claude" / kind / f"{kind}-{number}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(HEAD.format(kind=kind, number=number) + BODY)
    return file


def analysing(ground: Ground, lines: int, rounds: int) -> list[Row]:
    steps = lines // STEP.count("\n")
    text = "".join(STEP.format(number=number, before=number - 1) for number in range(steps))
    file = ground.scratch / "workflow.md"
    file.write_text(text)

    def analyse() -> None:
        found = read_workflow(file)
        matches(found.units, found.text, Inventory())
        mermaid(found.units)

    taken = in_turns(rounds, {"analyse": analyse})["analyse"]
    return [Row("team-analyse", f"analysing {text.count(chr(10)):,} lines", milliseconds(taken), "ms")]


def posting(ground: Ground, agents: int, entries: int) -> list[Row]:
    """Entries that are not there whole and in order, when many write at once."""
    folder = ground.scratch / "team"
    folder.mkdir()
    began = time.perf_counter()
    words = [sys.executable, "-c", WRITER, str(folder)]
    writers = [subprocess.Popen([*words, f"agent-{number}", str(entries)]) for number in range(agents)]
    ended = [writer.wait(600) for writer in writers]
    took = time.perf_counter() - began
    whole = dict.fromkeys((f"agent-{number}" for number in range(agents)), 0)
    for note in TeamFiles(folder).bulletin():
        number = whole.get(note.by, -1)
        good = note.get("Task") == f"task {number}" and note.get("Findings") == (f"{note.by} {number} " * 12).strip()
        if good:
            whole[note.by] += 1
    lost = agents * entries - sum(whole.values()) + sum(map(abs, ended))
    detail = f"{agents * entries:,} entries by {agents} processes in {took:.1f} s"
    return [Row("team-bulletin", "entries lost or not whole", float(lost), "", detail)]
