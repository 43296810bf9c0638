"""Source text as a syntax tree: what is read, what is not, and what counts as the same."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.checks.tamper import syntax
from andon.checks.tamper.syntax import SCRIPT, Grammar, parse

SAME = [
    ("a(1, 2)", "a(\n  1,\n  2,\n);"),
    ("a('b')", 'a("b")'),
    ("const f = x => x", "const f = (x) => x;"),
    ("a() // why", "/* why */ a()"),
    ("if (a) { b() }", "if (a) {\n  b();\n}\n"),
]
DIFFERENT = [
    ("a('b c')", "a('b  c')"),
    ("a('b')", "a('c')"),
    ("return_(a)", "return_; (a)"),
    ("() => { return a() }", "() => { return\na() }"),
    ("a(`b`)", "a('b')"),
    ("a('\"')", 'a(\'"\' + "")'),
]


def normal(text: str) -> str:
    code = parse(text, *SCRIPT)
    assert code is not None
    return code.normalised(code.root)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_formatting_is_not_part_of_the_normalised_text(one: str, other: str) -> None:
    assert normal(one) == normal(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_means_something_else_reads_otherwise(one: str, other: str) -> None:
    assert normal(one) != normal(other)


@pytest.mark.parametrize(
    "text",
    [
        "const a = <b>c",
        "const a = <b>{c}</b>",
        "let a: B<C> = d!",
        "using a = b()",
        "import a from 'b' with { type: 'json' }",
    ],
)
def test_all_kinds_of_script_are_read_without_an_error(text: str) -> None:
    code = parse(text, *SCRIPT)
    assert code is not None
    assert not code.root.has_error


def test_an_error_in_one_place_leaves_the_rest_readable() -> None:
    code = parse("function a() { return 1 }\nlet = = 2\nfunction b() { return 2 }\n", *SCRIPT)
    assert code is not None
    assert sum(each.type == "function_declaration" for each in syntax.walk(code.root)) == 2


def test_text_that_is_too_large_too_deep_or_something_else_is_not_read() -> None:
    assert parse("a" * (syntax.LARGEST + 1), *SCRIPT) is None
    assert parse("a" * syntax.LARGEST, *SCRIPT) is not None
    assert parse("(" * 2000 + "a" + ")" * 2000, *SCRIPT) is None
    assert parse("}{ ]) => ,,, ==" * 50, Grammar.JAVA) is None


def test_a_parser_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "it('x', () => { expect(1).toBe(1) })\n" * 20_000  # Go would recover from errors for minutes
    monkeypatch.setattr(syntax, "SECONDS", 0.2)
    assert parse(text, Grammar.GO) is None


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(st.text(), st.binary().map(lambda data: data.decode("utf-8", "surrogateescape"))),
    st.sampled_from(Grammar),
)
def test_no_text_raises_in_any_grammar(text: str, grammar: Grammar) -> None:
    code = parse(text, grammar)
    if code is not None:
        assert isinstance(code.normalised(code.root), str)


def test_nothing_is_loaded_before_the_first_text() -> None:
    program = (
        "import sys, andon.cli.main\n"
        "from andon.checks.tamper import go_tests, java_tests, rust_tests, script_tests\n"
        "sys.exit(any(name.startswith('tree_sitter') for name in sys.modules))\n"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=60).returncode == 0
