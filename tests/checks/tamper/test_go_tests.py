"""Tests of Go as verification reads them, spelling by spelling."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.checks.tamper.go_tests import outline
from andon.checks.tamper.outline import Outline, TestCase


def read(text: str) -> Outline:
    found = outline(text)
    assert found is not None
    return found


def only(body: str, head: str = "package calc\n") -> TestCase:
    (case,) = read(f"{head}func TestX(t *testing.T) {{\n{body}\n}}\n").cases
    return case


NAMES = [
    ("func TestAdd(t *testing.T) {}", ["TestAdd"]),
    ("func Test(t *testing.T) {}", ["Test"]),
    ("func Test_add(t *testing.T) {}", ["Test_add"]),
    ("func FuzzAdd(f *testing.F) {}", ["FuzzAdd"]),
    ("func ExampleAdd() {}", ["ExampleAdd"]),
    ("func (s *CalcSuite) TestAdd() { s.Equal(1, 2) }", ["CalcSuite::TestAdd"]),
    ("func TestMain(m *testing.M) {}", []),
    ("func Testadd(t *testing.T) {}", []),
    ("func testAdd(t *testing.T) {}", []),
    ("func BenchmarkAdd(b *testing.B) {}", []),
    ("func TestHelper(a, b int, t *testing.T) int { return 1 }", []),
    ("// func TestAdd(t *testing.T) {}", []),
]


@pytest.mark.parametrize(("text", "names"), NAMES)
def test_the_functions_that_go_runs_are_tests(text: str, names: list[str]) -> None:
    assert [each.name for each in read(f"package calc\n{text}\n").cases] == names


@pytest.mark.parametrize(
    "body",
    [
        "t.Skip()",
        't.Skipf("later %d", 1)',
        "t.SkipNow()",
        "if testing.Short() { t.Skip() }",
        "t.Run(n, func(t *testing.T) { t.Skip() })",
    ],
)
def test_a_skip_anywhere_in_a_test_is_one(body: str) -> None:
    assert only(body).skipped
    assert not only("").skipped


@pytest.mark.parametrize(
    "head", ["//go:build ignore\n", "// +build integration\n", "// Copyright\n\n//go:build !race\n"]
)
def test_a_build_constraint_skips_all(head: str) -> None:
    assert only("", f"{head}\npackage calc\n").skipped
    assert not only("// go:build ignore", "// Built by go:build\n\npackage calc\n").skipped


CHECKS = [
    ('if got != want { t.Errorf("got %d", got) }', ["if got != want fails"]),
    ('if got != want { t.Fatal("other words") }', ["if got != want fails"]),
    ("if got := Add(1, 2); got != 3 { t.FailNow() }", ["if got := Add ( 1 , 2 ) ; got != 3 fails"]),
    ("if ok { return } else { t.Fail() }", ["unless if ok fails"]),
    ("if ok { return }\nt.Fail()", ["unless if ok fails"]),
    ("require.Equal(t, 3, Add(1, 2))", ["require . Equal ( t , 3 , Add ( 1 , 2 ) )"]),
    ("assert.NoError(t, err)", ["assert . NoError ( t , err )"]),
    ("checkEqual(t, 3, got)", ["checkEqual ( t , 3 , got )"]),
    ("Expect(got).To(Equal(3))", ["Expect ( got ) . To ( Equal ( 3 ) )"]),
    ('t.Run("one", func(t *testing.T) { assert.True(t, a) })', ['runs "one"', "assert . True ( t , a )"]),
    ("for _, tt := range tests { if tt.a { t.Error() } }", ["for _ , tt := range tests if tt . a fails"]),
    ("server := start(t)", []),
    ('log.Fatal("x")', []),
    ("return\nt.Fail()", []),
    ("t.Skip()\nt.Fail()", []),
    ("os.Exit(0)\nt.Fail()", []),
    ("// t.Fail()", []),
]


@pytest.mark.parametrize(("body", "checks"), CHECKS)
def test_checks_are_those_that_are_reached_with_their_conditions(body: str, checks: list[str]) -> None:
    assert list(only(body).checks) == checks


def test_the_output_of_an_example_is_its_check_and_without_it_nothing_runs() -> None:
    with_output, without = read(
        "package c\nfunc ExampleA() {\n\tfmt.Println(1)\n\t// Output:\n\t// 1\n}\n"
        "func ExampleB() {\n\tfmt.Println(1)\n}\n"
    ).cases
    assert (with_output.checks, with_output.skipped) == (("Output:\n1",), False)
    assert (without.checks, without.skipped) == ((), True)


PARAMETERS = [
    ("tests := []struct{ a int }{{1}, {2}, {3}}\nfor _, tt := range tests { t.Run(tt.n, f) }", 3),
    ('for n, tt := range map[string]int{"a": 1, "b": 2} { t.Run(n, f) }', 2),
    ("var tests = []int{1}\nfor range tests { t.Fail() }", 1),
    ("for _, tt := range shared { t.Fail() }", 2),
    ("for _, tt := range load() { t.Fail() }", None),
    ("", None),
]


@pytest.mark.parametrize(("body", "parameters"), PARAMETERS)
def test_the_entries_of_tables_are_counted(body: str, parameters: int | None) -> None:
    assert only(body, "package calc\nvar shared = []int{1, 2}\n").parameters == parameters


def test_the_seeds_of_a_fuzz_test_are_counted() -> None:
    (case,) = read(
        "package c\nfunc FuzzA(f *testing.F) { f.Add(1); f.Add(2); f.Fuzz(func(t *testing.T, a int) {}) }\n"
    ).cases
    assert case.parameters == 2


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("calc.Now = func() int { return 1 }", ("calc.Now",)),
        ("now = func() int { return 1 }", ("now",)),
        ("gomonkey.ApplyFunc(calc.Add, func() {})", ("calc.Add",)),
        ("monkey.Patch(calc.Add, f)", ("calc.Add",)),
        ("add := func() {}", ()),
    ],
)
def test_replaced_functions_are_named(body: str, names: tuple[str, ...]) -> None:
    assert only(body).replaces == names


def test_formatting_and_comments_change_nothing_and_code_does() -> None:
    plain = only("if a != 1 { t.Error(1, 2) }")
    formatted = only("\t// why\n\tif a != 1 {\n\t\tt.Error(\n\t\t\t1,\n\t\t\t2,\n\t\t)\n\t}")
    assert (plain.body, plain.checks) == (formatted.body, formatted.checks)
    assert only("if a != 2 { t.Error(1, 2) }").body != plain.body


def test_helpers_and_the_main_function_of_tests_are_support() -> None:
    base = "package c\nfunc TestA(t *testing.T) {}\n"
    assert read(base + "func TestB(t *testing.T) {}\n").support == read(base).support
    assert read(base + "func TestMain(m *testing.M) { os.Exit(0) }\n").support != read(base).support


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.text(),
        st.lists(st.sampled_from([*"(){}[]`\"';\n", "func", "TestX", "t", ".Run", "range", "//go:build x"])).map(
            " ".join
        ),
    )
)
def test_no_text_raises(text: str) -> None:
    outline(text)
    outline("package c\nfunc TestX(t *testing.T) {\n" + text)
