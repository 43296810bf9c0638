"""What could be better in a repository, by rules a program can apply (A-152). Proposals only; pure.

Long files and functions, modules that no test mentions. Every proposal names a place and a number, and no more of a
kind than a person reads.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

LONG_FILE = 500
LONG_FUNCTION = 80
OF_A_KIND = 5
"""The worst of each kind are proposed: the next time, others are the worst."""
CODE = ("py", "js", "jsx", "mjs", "cjs", "ts", "tsx", "go", "rs", "java", "kt", "c", "cc", "cpp", "cs", "rb", "php")
_TEST_FOLDER = re.compile(r"(?:^|/)(?:tests?|__tests__|spec|fixtures)/")
_TEST_FILE = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test|conftest|[^/]*\.(?:test|spec))\.[a-z]+$")
_NO_MODULE = frozenset({"__init__", "__main__", "setup", "conftest", "_version"})


@dataclass(frozen=True, slots=True)
class Source:
    path: str
    text: str

    @property
    def is_code(self) -> bool:
        return self.path.rpartition(".")[2] in CODE

    @property
    def is_test(self) -> bool:
        return bool(_TEST_FOLDER.search(self.path) or _TEST_FILE.search(self.path))

    @property
    def module(self) -> str:
        return self.path.rpartition("/")[2].rpartition(".")[0]


def proposals(sources: Iterable[Source]) -> tuple[str, ...]:
    """The worst of each kind, kind by kind."""
    code = [source for source in sources if source.is_code]
    product, tests = [each for each in code if not each.is_test], [each for each in code if each.is_test]
    return (*_long_functions(product), *_long_files(product), *_untested(product, tests))


def _long_files(sources: Sequence[Source]) -> Iterator[str]:
    lengths = {source.path: len(source.text.splitlines()) for source in sources}
    for path in sorted((path for path in lengths if lengths[path] > LONG_FILE), key=lambda path: -lengths[path])[
        :OF_A_KIND
    ]:
        yield f"{path}:1: {lengths[path]} lines; split the file by subject"


def _long_functions(sources: Sequence[Source]) -> Iterator[str]:
    found = [each for source in sources if source.path.endswith(".py") for each in _functions(source)]
    for lines, place, name in sorted(found, key=lambda each: (-each[0], each[1]))[:OF_A_KIND]:
        yield f"{place}: {name} has {lines} lines; split it into steps with names"


def _functions(source: Source) -> Iterator[tuple[int, str, str]]:
    if source.text.count("\n") < LONG_FUNCTION:
        return
    try:
        tree = ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > LONG_FUNCTION:
                yield lines, f"{source.path}:{node.lineno}", f"{node.name}()"


def _untested(sources: Sequence[Source], tests: Sequence[Source]) -> Iterator[str]:
    """A module whose name stands in no test. Says nothing about how well the others are tested."""
    if not tests:
        if sources:
            yield f"{sources[0].path}:1: there are no tests; begin with this file"
        return
    words = {word for test in tests for word in re.findall(r"\w+", test.text)}
    silent = [each for each in sources if each.module not in words and each.module not in _NO_MODULE]
    python = [
        each for each in silent if each.path.endswith(".py") and re.search(r"^(?:async )?def |^class ", each.text, re.M)
    ]
    for source in python[:OF_A_KIND]:
        yield f"{source.path}:1: no test mentions this module; add one"
