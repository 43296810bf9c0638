"""What failed, test by test, out of what a check printed: name, kind of error, message (C-43)."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Failed = tuple[str, str, str]

_PYTEST = re.compile(r"^(?:FAILED|ERROR) (\S+?)(?: - (.*))?$", re.MULTILINE)
_SCRIPT = re.compile(r"^\s*(?:FAIL|✖|×|●)\s+(\S.*?)(?: \(?\d+(?:\.\d+)? ?ms\)?)?$", re.MULTILINE)
_KIND = re.compile(r"^\s*(?:E\s+)?([A-Z]\w*(?:Error|Exception|Failure|Warning)|AssertionError)\b:?\s*(.*)$")
UNKNOWN = "Failed"


def failed_tests(output: str, known: Sequence[str], otherwise: str) -> list[Failed]:
    """`known` are the tests that andon's reporter told of; without any, and where the output names none, it is one
    failure, which is called `otherwise`."""
    told = {name.rpartition("/")[2]: _kind(why or "") for name, why in _PYTEST.findall(output)}
    names = [*known] or [found[0] for found in _PYTEST.findall(output)] or _SCRIPT.findall(output)
    if not names:
        kind, message = next(_errors(output), (UNKNOWN, _last(output)))
        return [(otherwise, kind, message)]
    general = next(_errors(output), (UNKNOWN, ""))
    return [(_short(name), *told.get(name.rpartition("/")[2], general)) for name in dict.fromkeys(names)]


def _short(name: str) -> str:
    """Of `tests/test_a.py::test_b` the last part."""
    return name.rpartition("::")[2] or name


def _kind(why: str) -> tuple[str, str]:
    found = _KIND.match(why)
    return (found[1], found[2]) if found else (UNKNOWN if not why.startswith("assert") else "AssertionError", why)


def _errors(output: str) -> Iterator[tuple[str, str]]:
    for line in output.splitlines():
        if found := _KIND.match(line):
            yield found[1], found[2]


def _last(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "nothing was printed"
