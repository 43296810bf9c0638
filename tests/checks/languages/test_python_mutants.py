"""Mutants of Python: each is one small mistake, and code that still can be read."""

from __future__ import annotations

import ast
import inspect
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.checks import mutants as mutants_module
from andon.checks.languages.python import mutants as making
from andon.checks.languages.python.mutants import make_mutants
from andon.checks.mutants import Kind, Mutant, choose
from andon.checks.verifying.names import literals, names_defined, names_used, speaks_of_product

SOURCE = '''\
class Cart:
    """Things and what they cost."""

    def total(self, rebate: int = 3) -> int:
        """In cents."""
        found = [price * count for price, count in self.lines if count > 0]
        if not found and rebate:
            return None
        self.log("summed", f"{rebate}")
        return sum(found) - rebate

    @property
    def empty(self): return not self.lines


def nothing():
    pass
'''


def of_kind(kind: Kind, text: str = SOURCE) -> set[str]:
    data = text.encode()
    return {
        f"{data[each.start : each.end].decode()} → {each.new}"
        for each in make_mutants("a.py", text)
        if each.kind is kind
    }


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (Kind.COMPARISON, {"> → <="}),
        (Kind.OPERATOR, {"* → /", "- → +"}),
        (Kind.CONSTANT, {"0 → (0 + 1)", "\"summed\" → ''"}),
        (Kind.CALL, {'self.log("summed", f"{rebate}") → None'}),
        (Kind.RESULT, {"sum(found) - rebate → None", "not self.lines → None"}),
        (Kind.CONDITION, {"not found and rebate → (not (not found and rebate))", "and → or", "not  → "}),
    ],
)
def test_what_of_a_function_is_written_otherwise(kind: Kind, expected: set[str]) -> None:
    """Docstrings, annotations, defaults, decorators and what a function returns anyway stay as they are."""
    assert of_kind(kind) == expected


def test_functions_that_do_nothing_have_no_hollow_body() -> None:
    hollow = [each.function for each in make_mutants("a.py", SOURCE) if each.kind is Kind.HOLLOW]

    assert hollow == ["Cart.total", "Cart.empty"]


@pytest.mark.parametrize("module", [ast, inspect, textwrap, making, mutants_module])
def test_every_mutant_of_real_code_is_other_code_of_the_same_function(module: object) -> None:
    text = inspect.getsource(module)  # type: ignore[arg-type]
    made = make_mutants("a.py", text)
    whole = ast.dump(ast.parse(text))

    assert len(made) > 10
    for mutant in made[:: max(1, len(made) // 60)]:
        changed = ast.parse(mutant.mutate(text))
        assert ast.dump(changed) != whole, mutant
        lines = {min([node.lineno, *(each.lineno for each in node.decorator_list)]) for node in functions_of(changed)}
        assert mutant.line in lines, mutant


def functions_of(tree: ast.AST) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_a_mutant_is_shown_as_a_diff_and_told_in_a_line() -> None:
    mutant = next(each for each in make_mutants("a.py", SOURCE) if each.new == "+")

    assert mutant.show(SOURCE) == "-        return sum(found) - rebate\n+        return sum(found) + rebate"
    assert mutant.tell(SOURCE) == "`-` became `+` in `Cart.total`"


def test_hollow_bodies_of_all_functions_are_tried_first_and_the_same_ones_every_time() -> None:
    made = make_mutants("a.py", SOURCE)
    chosen = choose(made, 6, "seed")

    assert [each.kind for each in chosen[:2]] == [Kind.HOLLOW, Kind.HOLLOW]
    assert chosen == choose(made, 6, "seed") and len({each.id for each in choose(made, 999, "x")}) == len(made)


@given(st.text())
def test_no_text_is_too_strange(text: str) -> None:
    assert all(isinstance(each, Mutant) for each in make_mutants("a.py", text))
    names_used(text), names_defined(text), literals(text), speaks_of_product(text, "test_x")


def reach(test: str, imports: str = "from shop import Item, total") -> bool:
    return speaks_of_product(f"import sys\nimport subprocess\n{imports}\n\ndef test_x({test}", "test_x")


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
