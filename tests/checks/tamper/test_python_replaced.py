"""A test that replaces what it tests is found, also where it names it as a part of the test file itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from andon.checks.tamper import comparing
from andon.domain.changeset import ChangeSet

Trees = Callable[[Mapping[str, str], Mapping[str, str]], ChangeSet]

PRODUCT = {"src/pkg/__init__.py": "", "src/pkg/calc.py": "def add(a, b):\n    return a + b\n"}
HEAD = "import sys\nfrom unittest import mock\nfrom pkg.calc import add\nfrom helpers import clock\n\n"
GIVEN = "def test_adds(monkeypatch):\n"
BODY = "    assert add(2, 3) == 5\n"

REPLACING = {
    "by the file's name": f"@mock.patch('test_calc.add', int)\ndef test_adds():\n{BODY}",
    "by the file's dotted name": f"@mock.patch('tests.test_calc.add', int)\ndef test_adds():\n{BODY}",
    "by __name__": f"@mock.patch(f'{{__name__}}.add', int)\ndef test_adds():\n{BODY}",
    "by __name__ and a sum": f"@mock.patch(__name__ + '.add', int)\ndef test_adds():\n{BODY}",
    "in the module itself": f"{GIVEN}    monkeypatch.setattr(sys.modules[__name__], 'add', 5)\n{BODY}",
    "in the globals": f"{GIVEN}    monkeypatch.setitem(globals(), 'add', lambda *_: 5)\n{BODY}",
    "in the globals, all at once": f"@mock.patch.dict(globals(), {{'add': int}})\ndef test_adds():\n{BODY}",
    "in the globals, by keyword": f"@mock.patch.dict(globals(), add=int)\ndef test_adds():\n{BODY}",
    "object": f"@mock.patch.object(sys.modules[__name__], 'add', int)\ndef test_adds():\n{BODY}",
}
HONEST = {
    "something else of the file": f"@mock.patch('test_calc.clock', int)\ndef test_adds():\n{BODY}",
    "a constant of the file": f"{GIVEN}    monkeypatch.setitem(globals(), 'LIMIT', 5)\n{BODY}",
    "a table": f"{GIVEN}    monkeypatch.setitem({{}}, 'add', 5)\n{BODY}",
    "the environment": f"@mock.patch.dict('os.environ', {{'add': '1'}})\ndef test_adds():\n{BODY}",
}


def rules(trees: Trees, after: str) -> set[str]:
    before = {**PRODUCT, "tests/test_calc.py": f"{HEAD}def test_adds():\n{BODY}"}
    change = trees(before, {**PRODUCT, "tests/test_calc.py": HEAD + after})
    return {each.rule for each in comparing.test_findings(change)}


@pytest.mark.parametrize("after", REPLACING.values(), ids=REPLACING)
def test_a_replaced_unit_is_found_under_the_name_it_has_in_the_test_file(trees: Trees, after: str) -> None:
    assert rules(trees, after) == {"test_mocks_unit"}


@pytest.mark.parametrize("after", HONEST.values(), ids=HONEST)
def test_other_things_may_be_replaced(trees: Trees, after: str) -> None:
    assert rules(trees, after) == set()
