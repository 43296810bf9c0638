"""Where `auto` keeps its documents, relative to the root of the worktree (E-10, A-59, G-39)."""

from __future__ import annotations

STATUS_PATH = "docs/.pdca-status.json"
NOTEPAD_PATH = ".omc/notepad.md"
SCRATCH_IGNORE = ".omc/.gitignore"
SCRATCH = (".omc/slack-context/", ".omc/gmail-context/", NOTEPAD_PATH, SCRATCH_IGNORE)
"""What andon remembers in a checkout besides its state: for people and agents to read, never part of the work."""
REPORTS = "docs/04-report/"
AUTO_DOCUMENTS = ("docs/01-plan/", "docs/02-design/", "docs/03-check/", REPORTS)


def plan_path(feature: str) -> str:
    return f"docs/01-plan/{feature}.plan.md"


def design_path(feature: str) -> str:
    return f"docs/02-design/{feature}.design.md"


def check_path(feature: str) -> str:
    return f"docs/03-check/{feature}.check.json"


def report_path(feature: str) -> str:
    return f"{REPORTS}{feature}.report.md"


def slack_context_path(channel: str) -> str:
    return f".omc/slack-context/{channel}.md"


def gmail_context_path(timestamp: str) -> str:
    return f".omc/gmail-context/{timestamp}.md"


def team_name(feature: str) -> str:
    return f"pdca-{feature}"
