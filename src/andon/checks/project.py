"""What kind of project a tree holds: facts for goals, environments and conditions, each read from files alone.

Runs nothing and changes nothing. What cannot be read is listed as such and never guessed.
"""

from __future__ import annotations

from pathlib import Path

from andon.checks.facts import Project
from andon.checks.node_project import detect_node, playwright_config
from andon.checks.python_project import detect_python

__all__ = ["Project", "detect"]


def detect(folder: Path) -> Project:
    python, python_problems = detect_python(folder)
    node, node_problems = detect_node(folder)
    return Project(python, node, (*python_problems, *node_problems), playwright_config(folder))
