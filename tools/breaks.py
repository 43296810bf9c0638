"""Breaks the source on purpose in places chosen at random, and says which breaks the tests notice.

usage: breaks.py [--count 40] [--seed 25]      each break is tried with the tests that reach its function
       breaks.py --list                        only say which breaks were chosen

Needs a clean tree and the record of `make test-record`. Run it in a clone of its own: the source is changed in place
and put back after each break.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reach import ROOT, Reach, git

SOURCE = ROOT / "src" / "andon"
LEFT_OUT = ("app/sample/", "checks/results/pytest_launch.py", "engine/migrations/")
"""The demo's own project, what runs inside a sandbox under another interpreter, and steps that were released."""
_OPPOSITES = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: (" in ", " not in "),
    ast.NotIn: (" not in ", " in "),
    ast.Is: (" is ", " is not "),
    ast.IsNot: (" is not ", " is "),
}


@dataclass(frozen=True)
class Break:
    """One change to one line of the source."""

    path: str
    line: int
    begins: int
    ends: int
    instead: str
    """In the bytes of the line, from `begins` to `ends`."""

    def broken(self, source: bytes) -> bytes:
        rows = source.split(b"\n")
        row = rows[self.line - 1]
        rows[self.line - 1] = row[: self.begins] + self.instead.encode() + row[self.ends :]
        return b"\n".join(rows)

    def show(self) -> str:
        row = (ROOT / self.path).read_bytes().split(b"\n")[self.line - 1]
        was, now = row[self.begins : self.ends].decode(), self.instead
        return f"{self.path}:{self.line}  {was}  →  {now}"


def breaks_of(path: str, source: bytes) -> Iterator[Break]:
    """Each break that the functions of a file offer: conditions, comparisons, results, calls that are left out."""
    rows = source.split(b"\n")
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for node in ast.walk(function):
                yield from _breaks_of(path, rows, node)


def _breaks_of(path: str, rows: Sequence[bytes], node: ast.AST) -> Iterator[Break]:
    def at(part: ast.expr | ast.stmt, instead: str) -> Iterator[Break]:
        if part.end_lineno == part.lineno and part.end_col_offset is not None:
            yield Break(path, part.lineno, part.col_offset, part.end_col_offset, instead)

    def text(part: ast.expr) -> str:
        return rows[part.lineno - 1][part.col_offset : part.end_col_offset].decode()

    match node:
        case ast.If() | ast.IfExp() | ast.While():
            yield from at(node.test, f"not ({text(node.test)})")
        case ast.Return(value=ast.expr() as value) if not _is_false(value):
            yield from at(value, "None")
        case ast.Expr(value=ast.Call() | ast.Await()):
            yield from at(node, "pass")
        case ast.Compare(ops=[only], comparators=[right]) if node.left.end_lineno == right.lineno == node.lineno:
            sign, other = _OPPOSITES[type(only)]
            yield from at(node, f"{text(node.left)} {other.strip()} {text(right)}" if sign else "")
        case ast.BoolOp():
            word, other = (" and ", " or ") if isinstance(node.op, ast.And) else (" or ", " and ")
            yield from at(node, other.join(f"({text(value)})" for value in node.values if word))
        case ast.Constant(value=bool() as value):
            yield from at(node, str(not value))
        case ast.Constant(value=int() as value):
            yield from at(node, str(value + 1))
        case _:
            pass


def _is_false(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and not value.value


def chosen(count: int, seed: int) -> list[Break]:
    """`count` breaks, each in another function's line, by chance; all of which leave a file that Python can read."""
    offered: list[Break] = []
    for file in sorted(SOURCE.rglob("*.py")):
        path = str(file.relative_to(ROOT))
        if not path.removeprefix("src/andon/").startswith(LEFT_OUT):
            offered += breaks_of(path, file.read_bytes())
    offered = sorted(set(offered), key=lambda each: (each.path, each.line, each.begins, each.instead))
    picked: list[Break] = []
    for each in random.Random(seed).sample(offered, len(offered)):
        if len(picked) == count:
            break
        if not any((each.path, each.line) == (other.path, other.line) for other in picked) and _compiles(each):
            picked.append(each)
    return picked


def _compiles(each: Break) -> bool:
    try:
        compile(each.broken((ROOT / each.path).read_bytes()), each.path, "exec")
    except SyntaxError:
        return False
    return True


def notice(reach: Reach, each: Break, workers: str) -> tuple[bool, int, float]:
    """Whether the tests that reach it notice a break, how many files of tests those are, and the seconds it took."""
    tests = reach.of_lines(each.path, [each.line])
    # Those that reach least are about the fewest things, and quick.
    ordered = sorted((test for test in tests if (ROOT / test).exists()), key=lambda test: len(reach.reached[test]))
    file = ROOT / each.path
    source = file.read_bytes()
    began = time.monotonic()
    file.write_bytes(each.broken(source))
    try:
        for begin in range(0, len(ordered), 12):
            words = ["scripts/test.sh", workers, "-x", "-q", *ordered[begin : begin + 12]]
            done = subprocess.run(words, cwd=ROOT, capture_output=True, check=False)
            if done.returncode not in (0, 5):
                return True, len(ordered), time.monotonic() - began
    finally:
        file.write_bytes(source)
    return False, len(ordered), time.monotonic() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=25)
    parser.add_argument("--list", action="store_true")
    asked = parser.parse_args()
    picked = chosen(asked.count, asked.seed)
    if asked.list:
        print("\n".join(each.show() for each in picked))
        return 0
    reach = Reach.load()
    if reach is None or git("status", "--porcelain", "--untracked-files=no"):
        print("Needs a clean tree and the record of make test-record.", file=sys.stderr)
        return 2
    seen = 0
    for number, each in enumerate(picked, 1):
        noticed, files, seconds = notice(reach, each, os.environ.get("WORKERS", "3"))
        seen += noticed
        word = "noticed" if noticed else "SURVIVED"
        print(f"{number:3}/{len(picked)} {word:8} {files:4} files {seconds:6.0f} s  {each.show()}", flush=True)
    print(f"noticed={seen} of {len(picked)} seed={asked.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
