"""Says for every requirement of docs/spec whether a test names it, or why none does.

Reads the catalogue, docs/spec/coverage.toml and the syntax trees of the tests; it never runs or imports them.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeGuard

Function = ast.FunctionDef | ast.AsyncFunctionDef

KINDS = "ABCDEXGS"
DEFINED = re.compile(rf"^(?:### |\| )([{KINDS}]-\d{{2,3}})(?: \|)? (.+)$")
IN_NAME = re.compile(rf"(?<![A-Za-z0-9])([{KINDS}])_(\d{{2,3}})(?![A-Za-z0-9])")
IN_TEXT = re.compile(rf"(?<![A-Za-z0-9-])([{KINDS}])-(\d{{2,3}})(?!\d)")
AT_START = re.compile(rf"^([{KINDS}])[-_](\d{{2,3}})(?!\d)")
RANGE = re.compile(rf"^([{KINDS}])-(\d{{2,3}})\.\.([{KINDS}])-(\d{{2,3}})$")

OWN_TEST = "test_spec.py"
"""Its samples look like tests of requirements and are none."""

PARTLY = "partly"
EXCUSES = {"by_construction": "by construction", "not_applicable": "not applicable", "later": "later"}
STATES = ("tested", PARTLY, *EXCUSES.values(), "MISSING")


@dataclass(frozen=True, slots=True)
class Requirement:
    id: str
    title: str
    state: str
    why: str = ""
    tests: tuple[str, ...] = ()


@dataclass(slots=True)
class Coverage:
    """What coverage.toml says: reasons by id, the weaker ones from ranges, and what is wrong with the file."""

    single: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    ranged: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    partly: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """What a tested id still lacks."""
    problems: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Report:
    requirements: tuple[Requirement, ...]
    problems: tuple[str, ...]

    @property
    def summary(self) -> str:
        counts = [f"{sum(r.state == state for r in self.requirements)} {state}" for state in STATES]
        return f"{len(self.requirements)} ids: {', '.join(counts)}"


def catalogue(folder: Path) -> dict[str, str]:
    """Id to title, in the order of the files: headings `### A-01 Title` and table rows `| X-01 | text |`."""
    found: dict[str, str] = {}
    for page in sorted(folder.glob("*.md")):
        for line in page.read_text(encoding="utf-8").splitlines():
            if match := DEFINED.match(line):
                if match[1] in found:
                    raise SystemExit(f"{page}: {match[1]} is defined twice")
                found[match[1]] = match[2].split(" | ")[0]
    return dict(sorted(found.items(), key=lambda item: order(item[0])))


def order(id: str) -> tuple[int, int]:
    return KINDS.index(id[0]), int(id[2:])


def ids(pattern: re.Pattern[str], text: str) -> set[str]:
    return {f"{kind}-{number}" for kind, number in pattern.findall(text)}


# Tests ---------------------------------------------------------------------------------------------------------------


def named_by_tests(folder: Path, root: Path) -> dict[str, list[str]]:
    """Id to the node ids of the tests that name it."""
    named: dict[str, list[str]] = {}
    for file in sorted(folder.rglob("test_*.py")):
        if file == folder / OWN_TEST:
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"), filename=str(file))
        for node_id, found in tests_in(tree, file.relative_to(root).as_posix()):
            for id in sorted(found, key=order):
                named.setdefault(id, []).append(node_id)
    return named


def tests_in(tree: ast.Module, path: str) -> Iterator[tuple[str, set[str]]]:
    tables = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    for node in tree.body:
        if is_test(node):
            yield f"{path}::{node.name}", ids_of(node, tables)
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test") and not sits_out(node):
            shared = ids(IN_NAME, node.name) | ids_in_decorators(node, tables)
            for method in node.body:
                if is_test(method):
                    yield f"{path}::{node.name}::{method.name}", ids_of(method, tables) | shared


def is_test(node: ast.stmt) -> TypeGuard[Function]:
    return isinstance(node, Function) and node.name.startswith("test") and not sits_out(node)


def sits_out(node: Function | ast.ClassDef) -> bool:
    """Skipped or expected to fail without a condition: such a test proves nothing."""
    for decorator in node.decorator_list:
        mark = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(mark, ast.Attribute) and mark.attr in ("skip", "xfail"):
            return True
    return False


def ids_of(node: Function, tables: dict[str, ast.expr]) -> set[str]:
    return ids(IN_NAME, node.name) | ids(IN_TEXT, ast.get_docstring(node) or "") | ids_in_decorators(node, tables)


def ids_in_decorators(node: Function | ast.ClassDef, tables: dict[str, ast.expr]) -> set[str]:
    """Ids that open a string of a parametrisation, in the decorator itself or in a table of the module it names."""
    found: set[str] = set()
    for decorator in node.decorator_list:
        parts = list(ast.walk(decorator))
        parts += [
            part
            for name in parts
            if isinstance(name, ast.Name) and name.id in tables
            for part in ast.walk(tables[name.id])
        ]
        for part in parts:
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                found |= ids(AT_START, part.value)
    return found


# Reasons for having no test ------------------------------------------------------------------------------------------


def read_coverage(file: Path, known: dict[str, str]) -> Coverage:
    coverage = Coverage()
    sections = {PARTLY: PARTLY, **EXCUSES}
    for section, entries in tomllib.loads(file.read_text(encoding="utf-8")).items():
        if section not in sections:
            coverage.problems.append(f"coverage.toml: unknown section [{section}], use one of {', '.join(sections)}")
            continue
        for key, why in entries.items():
            into = coverage.partly if section == PARTLY else coverage.ranged if RANGE.match(key) else coverage.single
            for id in expand(key):
                if id not in known:
                    coverage.problems.append(f"coverage.toml: {key!r} names {id}, which does not exist")
                elif id in into:
                    coverage.problems.append(f"coverage.toml: {id} is named twice")
                else:
                    into[id] = (sections[section], str(why))
    return coverage


def expand(key: str) -> list[str]:
    match = RANGE.match(key)
    if match is None or match[1] != match[3]:
        return [key]
    return [f"{match[1]}-{number:02}" for number in range(int(match[2]), int(match[4]) + 1)]


# Report --------------------------------------------------------------------------------------------------------------


def survey(root: Path) -> Report:
    spec = root / "docs" / "spec"
    known = catalogue(spec)
    named = named_by_tests(root / "tests", root)
    coverage = read_coverage(spec / "coverage.toml", known)
    problems = [
        f"{test}: names {id}, which does not exist" for id in named if id not in known for test in named[id]
    ] + coverage.problems
    problems += [
        f"coverage.toml: {id} is excused as {coverage.single[id][0]}, but {named[id][0]} tests it"
        for id in coverage.single
        if id in named
    ]
    problems += [
        f"coverage.toml: {id} is said to be partly there, but no test names it" for id in coverage.partly.keys() - named
    ]
    requirements: list[Requirement] = []
    for id, title in known.items():
        if id in named:
            state, why = coverage.partly.get(id) or ("tested", "")
            requirements.append(Requirement(id, title, state, why, tuple(named[id])))
        else:
            state, why = coverage.single.get(id) or coverage.ranged.get(id) or ("MISSING", "")
            requirements.append(Requirement(id, title, state, why))
    return Report(tuple(requirements), tuple(problems))


def line(requirement: Requirement) -> str:
    rest = requirement.why or ", ".join(requirement.tests) or requirement.title
    return f"{requirement.id:<6} {requirement.state:<16} {rest}"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tools/spec.py", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--missing", action="store_true", help="print only the ids without test or reason")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1], help="the repository")
    options = parser.parse_args(argv)
    report = survey(options.root)
    shown = [r for r in report.requirements if not options.missing or r.state == "MISSING"]
    if options.json:
        rows = [{"id": r.id, "title": r.title, "state": r.state, "why": r.why, "tests": r.tests} for r in shown]
        summary = {"requirements": rows, "problems": report.problems, "summary": report.summary}
        print(json.dumps(summary, ensure_ascii=False, indent=1))
    else:
        print("\n".join([*map(line, shown), report.summary]))
    for problem in report.problems:
        print(problem, file=sys.stderr)
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
