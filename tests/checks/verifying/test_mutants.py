"""Hollowed functions of Python: which can be, under which name, and what they then do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.checks.verifying.mutants import KINDS, functions, mutant, names_used, reached

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
    assert mutant(MONEY, {"Money.__init__"}, kind) is None


def test_a_comparison_also_says_yes_to_everything() -> None:
    space: dict[str, type] = {}
    exec(mutant(MONEY, {"Money.__eq__"}, "stranger") or "", space)

    assert space["Money"](1) == 2


def reach(test: str, imports: str = "from shop import Item, total") -> bool:
    return reached(f"import sys\nimport subprocess\n{imports}\n\ndef test_x({test}", "test_x")[1]


@pytest.mark.parametrize(
    ("test", "reaches"),
    [
        ("): assert True", False),
        ("): assert 1 + 1 == 2", False),
        ("): assert Item(1).shelf == 1", True),
        ("cart): assert cart.total", True),
        ("): subprocess.run([sys.executable])", True),
    ],
)
def test_what_could_be_the_product_in_a_form_no_mutant_has(test: str, reaches: bool) -> None:
    assert reach(test) is reaches


@given(st.text())
def test_no_text_is_too_strange(text: str) -> None:
    for kind in KINDS:
        mutant(text, set(functions(text)) | names_used(text), kind)
