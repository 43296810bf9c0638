"""What of a Rust project lint, test, build and typecheck run. Runs nothing itself."""

from __future__ import annotations

from andon.checks.facts import Rust
from andon.checks.goal_parts import not_needed, runs
from andon.domain.goal import Goal

WORDS = {"lint": "clippy", "test": "test", "build": "build", "typecheck": "check"}


def rust_goal(name: str, rust: Rust, *, clippy: bool) -> Goal:
    """`clippy`: whether the machine has it."""
    if not rust.has_code:
        return not_needed(name, "no Rust code")
    if name == "lint" and not clippy:
        return not_needed(name, "clippy is not installed (rustup component add clippy)")
    if name == "test" and not rust.has_tests:
        return not_needed(name, "no tests found")
    return runs(name, "cargo", WORDS[name], *(("--workspace",) if rust.whole_workspace else ()))
