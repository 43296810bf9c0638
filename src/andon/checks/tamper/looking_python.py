"""Python product code that looks for the project's own test files, or at how its process was started.

Only whole paths count: a text that mentions a test file is for people.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from andon.checks.tamper.constructs import Construct
from andon.checks.tamper.product_names import Names

_STARTED = re.compile(r"/proc/(?:self|thread-self)/(?:task/\d+/)?(?:cmdline|environ|comm|mem)")
_JOINS = ("joinpath", "join", "Path", "PurePath", "PosixPath", "PurePosixPath")


def looks(names: Names, tests: Collection[str]) -> Iterator[Construct]:
    """`tests`: paths of the base's test files and of the code around them."""
    told: set[str] = set()
    for node in names.nodes:
        if not isinstance(node, ast.Constant | ast.BinOp | ast.Call | ast.JoinedStr):
            continue
        path = _path(node, names).removeprefix("./")
        place = path if path in tests or _STARTED.fullmatch(path) else ""
        place = place or _memory(node) or next((each for each in _ends(path) if each in tests), "")
        if place and place not in told:
            told.add(place)
            yield Construct("knows_tests", f"looks at {place}", place, node.lineno)


def _ends(path: str) -> Iterator[str]:
    """What a path ends with, of at least two names."""
    names = path.split("/")
    return ("/".join(names[place:]) for place in range(1, len(names) - 1))


def _memory(node: ast.AST) -> str:
    """The memory of a process, whichever: what is read there is not for products."""
    parts = node.values if isinstance(node, ast.JoinedStr) else []
    ends = [each.value for each in (*parts[:1], *parts[-1:]) if isinstance(each, ast.Constant)]
    match ends:
        case [str() as first, str() as last] if first == "/proc/" and last == "/mem":
            return "/proc/…/mem"
        case _:
            return ""


def _path(node: ast.AST, names: Names) -> str:
    """As far as it is written out: of what is joined, the end that is."""
    match node:
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return _joined([_path(left, names), _path(right, names)])
        case ast.Call(func=ast.Attribute(value=value, attr="joinpath"), args=args):
            return _joined([_path(each, names) for each in (value, *args)])
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=args) if args and name in _JOINS:
            return _joined([_path(each, names) for each in args])
        case _:
            return names.text(node) or ""


def _joined(parts: list[str]) -> str:
    """What is not known counts as a folder."""
    return "/".join(part.strip("/") if number else part.rstrip("/") for number, part in enumerate(parts))
