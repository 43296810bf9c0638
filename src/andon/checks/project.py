"""What kind of project a tree holds: facts for goals, environments and conditions, each read from files alone.

Runs nothing and changes nothing. What cannot be read is listed as such and never guessed.
"""

from __future__ import annotations

from pathlib import Path

from andon.checks.facts import Project
from andon.checks.languages.go.project import detect_go
from andon.checks.languages.java.project import detect_java
from andon.checks.languages.javascript.project import detect_node, playwright_config
from andon.checks.languages.python.project import detect_python
from andon.checks.languages.rust.project import detect_rust
from andon.checks.make_project import detect_make

__all__ = ["Project", "detect", "traits_of"]


def detect(folder: Path) -> Project:
    python, python_problems = detect_python(folder)
    node, node_problems = detect_node(folder)
    go, go_problems = detect_go(folder)
    rust, rust_problems = detect_rust(folder)
    java, java_problems = detect_java(folder)
    make, make_problems = detect_make(folder)
    return Project(
        python,
        node,
        (*python_problems, *node_problems, *go_problems, *rust_problems, *java_problems, *make_problems),
        playwright_config(folder),
        go,
        rust,
        java,
        make,
    )


def traits_of(project: Project) -> frozenset[str]:
    """What a judge of the project should know it is made with."""
    known = {"python": project.python is not None, "node": project.node is not None}
    if project.node is not None:
        node = project.node
        known |= {"typescript": node.typescript, "react": node.react, "next": node.next, "playwright": node.playwright}
    return frozenset(name for name, is_so in known.items() if is_so)
