"""Hollowed functions of Python: which can be, under which name, and what they then do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.checks.verifying.mutants import KINDS, functions, mutant, names_used

MONEY = """\
class Money:
    def __init__(self, cents):
        if cents < 0:
            raise ValueError
        self.cents = cents
    def __eq__(self, other):
        return self.cents == other.cents
    def doubled(self):
        def inner():
            return 2
        return Money(self.cents * inner())
"""


def test_what_python_calls_by_itself_goes_by_its_class() -> None:
    assert set(functions(MONEY)) == {"Money.__init__", "Money.__eq__", "doubled"}


def test_a_constructor_that_does_nothing_refuses_nothing() -> None:
    space: dict[str, type] = {}
    exec(mutant(MONEY, {"Money.__init__"}, "nothing") or "", space)

    assert space["Money"](-1)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "nothing"])
def test_otherwise_what_python_calls_by_itself_stays(kind: str) -> None:
    """Or a module that makes a thing while it loads could not be loaded."""
    assert mutant(MONEY, {"Money.__init__", "Money.__eq__"}, kind) is None


@given(st.text())
def test_no_text_is_too_strange(text: str) -> None:
    for kind in KINDS:
        mutant(text, set(functions(text)) | names_used(text), kind)
