"""The outline of a Python test file is what pytest and unittest would collect; no text makes the reader fail."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.checks.tamper.outline import EXTRACTORS, extractor
from andon.checks.tamper.python_tests import outline
from andon.checks.tamper.runner_settings import settings_findings
from andon.domain.changeset import FILE, Changed, ChangeSet, Side


def names(text: str) -> list[str]:
    found = outline(dedent(text))
    assert found is not None
    return [each.name for each in found.cases]


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("def test_a(): pass\nasync def test_b(): pass\ndef helper(): pass", ["test_a", "test_b"]),
        (
            "class TestA:\n  def test_x(self): pass\n  class TestB:\n    def test_y(self): pass",
            ["TestA::test_x", "TestA::TestB::test_y"],
        ),
        ("class TestA:\n  def __init__(self): pass\n  def test_x(self): pass", []),
        ("class Any:\n  def test_x(self): pass", []),
        ("import unittest as u\nclass Any(u.TestCase):\n  def test_x(self): pass", ["Any::test_x"]),
        ("class Base(TestCase): pass\nclass Any(Base):\n  def test_x(self): pass", ["Any::test_x"]),
        ("class Mixin:\n  def test_x(self): pass\nclass TestA(Mixin): pass", ["Mixin::test_x"]),
        ("import pytest\n@pytest.fixture\ndef test_data(): pass", []),
        ("if False:\n  def test_a(): pass\nelse:\n  def test_b(): pass", ["test_b"]),
        ("try:\n  import a\nexcept ImportError:\n  def test_b(): pass", ["test_b"]),
    ],
)
def test_what_is_collected(text: str, wanted: list[str]) -> None:
    assert names(text) == wanted


@pytest.mark.parametrize(
    "decorators, count",
    [
        ("@pytest.mark.parametrize('a', [1, 2, 3])", 3),
        ("@pytest.mark.parametrize('a', [1, 2])\n@pytest.mark.parametrize('b', (1, 2, 3))", 6),
        ("@pytest.mark.parametrize('a', range(4))", 4),
        ("@pytest.mark.parametrize('a', CASES)", 2),
        ("@pytest.mark.parametrize('a', [*CASES, 3])", 3),
        ("@pytest.mark.parametrize('a', [1, pytest.param(2, marks=pytest.mark.skip)])", 1),
        ("@pytest.mark.parametrize('a', load())", None),
        ("", None),
    ],
)
def test_parameters_are_counted_where_they_can_be_seen(decorators: str, count: int | None) -> None:
    found = outline(f"import pytest\nCASES = [1, 2]\n{decorators}\ndef test_a(a=0, b=0):\n    assert f(a, b)\n")
    assert found is not None
    assert [each.parameters for each in found.cases] == [count]


@pytest.mark.parametrize(
    "body, checks",
    [
        ("x = f(1)\nassert x == 3", ("assert f(1) == 3",)),
        ("assert 3 == f(1)", ("assert f(1) == 3",)),
        ("assert not f(1) == 3", ("assert f(1) != 3",)),
        ("for v in go():\n    assert v", ("assert _1",)),
        ("self.assertEqual(f(1), 3)", ("assert f(1) == 3",)),
        ("self.assertIsNone(f(1))", ("assert f(1) is None",)),
        ("with self.assertRaisesRegex(KeyError, 'x'):\n    f(1)", ("raises(KeyError, match='x'): f(1)",)),
        ("pytest.raises(KeyError, f, 1)", ("raises(KeyError): f(1)",)),
        ("expect(page).to_have_title('x')", ("expect(page).to_have_title('x')",)),
        ("if f(1):\n    pytest.fail('x')", ("if f(1): fail()",)),
        ("try:\n    f(1)\nexcept ValueError:\n    pass\nelse:\n    raise AssertionError", ("fail()",)),
        ("try:\n    assert f(1)\nexcept Exception:\n    raise", ("assert f(1)",)),
        ("try:\n    assert f(1)\nexcept Exception:\n    log()", ()),
        ("while False:\n    assert f(1)", ()),
    ],
)
def test_checks_have_one_spelling(body: str, checks: tuple[str, ...]) -> None:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    found = outline(f"import pytest\nfrom a import f\n\ndef test_a(self):\n{lines}")
    assert found is not None
    assert [each.checks for each in found.cases] == [checks]


def test_each_language_has_a_reader_by_the_ending_of_the_file() -> None:
    assert extractor("a/test_b.py") is outline
    assert extractor("a/b.txt") is None
    assert extractor("Makefile") is None
    assert {".ts", ".go", ".rs", ".java"} <= {*EXTRACTORS}


PIECES = st.sampled_from(
    [
        *(
            "import pytest\n",
            "def test_a():\n",
            "    assert a == b\n",
            "    pass\n",
            "class TestA:\n",
            "@pytest.mark.skip\n",
        ),
        *(
            "    try:\n",
            "        assert x\n",
            "    except:\n",
            "    with pytest.raises(E):\n",
            "a = a\n",
            "b = a\na = b\n",
        ),
        *("pytestmark = pytestmark\n", "    x = x + x\n", "    f'{x!r:>{w}}'\n", "    for a in []:\n", "del test_a\n"),
    ]
)


@settings(max_examples=300)
@given(st.one_of(st.text(), st.lists(PIECES).map("".join)))
def test_no_text_makes_the_reader_fail(text: str) -> None:
    outline(text)


@settings(max_examples=200)
@given(
    st.sampled_from(
        [
            "pyproject.toml",
            "tox.ini",
            "package.json",
            "Makefile",
            "jest.config.js",
            "pom.xml",
            "noxfile.py",
            "conftest.py",
        ]
    ),
    st.one_of(st.none(), st.binary(), st.text().map(str.encode)),
    st.one_of(st.none(), st.binary(), st.text().map(str.encode)),
)
def test_no_content_makes_the_reader_of_settings_fail(path: str, old: bytes | None, new: bytes | None) -> None:
    before, after = (None if each is None else Side(FILE, each) for each in (old, new))
    settings_findings(ChangeSet((Changed(path, before, after),), frozenset([path]), frozenset([path])))
