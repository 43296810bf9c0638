"""Which of the things a test replaces are the product's own, and when that leaves nothing tested.

Told from names and paths. Replacing what the product gets from outside (clocks, network, libraries) is how one tests.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

from andon.checks.tamper.outline import TestCase
from andon.checks.tamper.python_names import parsed
from andon.checks.tamper.test_paths import belongs_to_tests
from andon.domain.changeset import ChangeSet

_ROOTS = ("src", "lib", "python", "app", "packages", "backend")
_OUTSIDE = frozenset(("requests", "httpx", "aiohttp", "boto3", "urllib3", "redis", "psycopg", "smtplib", "sqlalchemy"))


def newly_mocked(old: TestCase, new: TestCase, change: ChangeSet) -> list[str]:
    """What of the product a test of the base replaces now and did not before."""
    return [each for each in new.replaces if each not in old.replaces and of_product(each, change)]


def mocked_unit(case: TestCase, change: ChangeSet) -> str:
    """What a new test replaces and then calls as if it were the real thing; "" if nothing."""
    for each in case.replaces:
        name = re.split(r"[./:#]", each.strip("./"))[-1]
        if not name or not of_product(each, change):
            continue
        called = re.compile(rf"(?<![\w'\"]){re.escape(name)}\(")
        if any(called.search(check) for check in case.checks if "assert_" not in check):
            return each
    return ""


def of_product(name: str, change: ChangeSet) -> bool:
    if name.startswith((".", "/", "@/", "~/")):
        return True
    module = _module(name, change)
    if module is None:
        return False
    path, rest = module
    if rest and (rest[0] in sys.stdlib_module_names or rest[0] in _OUTSIDE):
        return False
    return not (rest and rest[0] in _imported_from_outside(path, change))


def _module(name: str, change: ChangeSet) -> tuple[str, list[str]] | None:
    """The product's file that the front of a dotted name stands for, and what is left of the name."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        front = "/".join(parts[:length])
        for path in _spellings(front):
            known = path in change.after or path in change.before or path in change.by_path
            if known and not belongs_to_tests(path):
                return path, parts[length:]
    return None


def _spellings(front: str) -> Iterator[str]:
    for root in ("", *(f"{each}/" for each in _ROOTS)):
        for ending in (".py", "/__init__.py", ".ts", ".js", ".tsx", ".jsx"):
            yield f"{root}{front}{ending}"


def _imported_from_outside(path: str, change: ChangeSet) -> set[str]:
    """Names that a changed module has from the standard library or from packages that are not in the tree."""
    changed = change.by_path.get(path)
    tree = parsed(changed.new or "") if changed is not None and path.endswith(".py") else None
    names: set[str] = set()
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import):
            outside = [each for each in node.names if _module(each.name, change) is None]
            names |= {each.asname or each.name.partition(".")[0] for each in outside}
        elif (
            isinstance(node, ast.ImportFrom) and node.module and not node.level and _module(node.module, change) is None
        ):
            names |= {each.asname or each.name for each in node.names}
    return names
