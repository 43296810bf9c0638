"""House rules that a program can see: sizes, names, docstrings, nothing left unfinished. Standard library only."""

from __future__ import annotations

import ast
import io
import os
import re
import subprocess
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FILE_LINES = 400
FUNCTION_LINES = 80
# impl-manager is a role's name in the catalogue, not our choice.
VAGUE = re.compile(r"(?<!impl)(?<!impl_)manager|helper|utils?(?![a-z])|handler|processor", re.IGNORECASE)
UNFINISHED = re.compile(r"\b(TODO|FIXME)\b")


def complaints(path: str, text: str) -> list[str]:
    """What the house has against one source file, each with its place."""
    tree = ast.parse(text, filename=path)
    found: list[str] = []
    if (length := len(text.splitlines())) > FILE_LINES:
        found.append(f"{path}: {length} lines, at most {FILE_LINES}: which two subjects are in it?")
    if text.strip() and not ast.get_docstring(tree):
        found.append(f"{path}:1: no module docstring: say what it owns and what it must not do")
    if VAGUE.search(Path(path).stem):
        found.append(f"{path}: a vague word in the module's name")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES:
                found.append(f"{path}:{node.lineno}: {node.name} has {lines} lines, at most {FUNCTION_LINES}")
        elif isinstance(node, ast.ClassDef) and VAGUE.search(node.name):
            found.append(f"{path}:{node.lineno}: class {node.name}: a vague word in its name")
    return found + unfinished(path, text)


def unfinished(path: str, text: str) -> list[str]:
    """TODO and FIXME in comments. In strings they may be a subject: plans have TODOs, and checks look for them."""
    comments = (t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT)
    return [f"{path}:{t.start[0]}: {match[1]} left in" for t in comments if (match := UNFINISHED.search(t.string))]


def test_every_source_file_keeps_the_house_rules() -> None:
    files = sorted(file for part in ("src", "plugin") for file in (ROOT / part).rglob("*.py"))
    files = [file for file in files if "sample" not in file.parts]

    found = [
        line for file in files for line in complaints(str(file.relative_to(ROOT)), file.read_text(encoding="utf-8"))
    ]

    assert not found, "\n" + "\n".join(found)


DOC = '"""Owns a sample."""\n'


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("src/a.py", DOC + "x = 1\n" * 400, "src/a.py: 401 lines"),
        ("src/a.py", DOC + "def long():\n" + "    x = 1\n" * 80, "src/a.py:2: long has 81 lines"),
        ("src/a.py", "x = 1\n", "src/a.py:1: no module docstring"),
        ("src/text_utils.py", DOC, "src/text_utils.py: a vague word"),
        ("src/a.py", DOC + "class RunManager: ...\n", "src/a.py:2: class RunManager"),
        ("src/a.py", DOC + "x = 1  # TODO: more\n", "src/a.py:2: TODO left in"),
    ],
    ids=["long file", "long function", "no docstring", "module name", "class name", "unfinished"],
)
def test_the_house_sees(path: str, text: str, expected: str) -> None:
    assert any(line.startswith(expected) for line in complaints(path, text)), complaints(path, text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/a.py", DOC + "x = 1\n" * 399),
        ("src/a.py", DOC + "def screen():\n" + "    x = 1\n" * 79),
        ("src/__init__.py", ""),
        ("src/domain/utility.py", DOC + "class Utility: ...\n"),
        ("src/roles/impl_manager.py", DOC + "class ImplManagerReply: ...\n"),
        ("src/a.py", DOC + "HEADING = '### [ ] TODO 1: a title'\n"),
    ],
    ids=[
        "400 lines",
        "80 lines",
        "an empty file",
        "a word that only begins alike",
        "a role's name",
        "a TODO that is the subject",
    ],
)
def test_the_house_allows(path: str, text: str) -> None:
    assert complaints(path, text) == []


def test_make_alone_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))

    shown = subprocess.run(["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, timeout=30)

    assert shown.returncode == 0, shown.stderr
    assert {line.split()[0] for line in shown.stdout.splitlines() if line.startswith("  ")} == targets


def test_the_build_calls_make_test_and_nothing_else() -> None:
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()

    commands = [line for line in lines if line and not line.startswith("#")]
    assert commands == ["set -eu", 'cd "$(dirname "$0")/.."', 'echo "make test"', "exec make test </dev/null"]


@pytest.mark.xdist_group("house")
def test_tests_of_a_group_are_kept_together(request: pytest.FixtureRequest) -> None:
    """Workers name the group to the scheduler in a test's id. Where pytest and xdist disagree about it, groups are
    lost without a word, and tests that share a stage stand on different ones."""
    in_worker = "PYTEST_XDIST_WORKER" in os.environ

    assert request.node.nodeid.endswith("@house") or not in_worker
