"""Where UAM keeps its files, relative to the root of the checkout (C-84, C-68, G-16)."""

from __future__ import annotations

FOLDER = ".uam/"
STATE_PATH = ".uam/state.json"
PLAN_PATH = ".uam/PLAN.md"
PLAN_AT_ROOT = "PLAN.md"
"""Only read, and only where the other is missing (X-29)."""
CONFIG_PATH = ".uam/config.json"
IGNORE_PATH = ".uam/.gitignore"
PIVOT_PATH = ".uam/pivot-points.md"
MEMORY_PATH = ".uam/project-memory.md"
ATTEMPTS_PATH = ".uam/bugfix-attempts.md"
OUTPUTS_PATH = ".uam/context/outputs.json"
GATE1_PATH = ".uam/gate-results/gate1-docker.json"
GATE2_PATH = ".uam/gate-results/gate2-review.json"
GATE3_PATH = ".uam/gate-results/gate3-agent-user.json"
REPORT_PATH = ".uam/report.md"
LEARNINGS = "docs/learnings/"
NOTES = ("learnings", "decisions", "issues")
"""What workers tell besides their work; each has a file in `.uam/context` and one below LEARNINGS."""
FOLDERS = (".uam/context", ".uam/gate-results", ".uam/fix-loop", ".uam/sandbox", "docs/learnings")


def notes_path(kind: str) -> str:
    return f".uam/context/{kind}.md"


def learnings_path(feature: str, kind: str) -> str:
    return f"{LEARNINGS}{feature}/{kind}.md"


def iteration_path(number: int, name: str) -> str:
    return f".uam/fix-loop/iteration-{number:03}/{name}"
