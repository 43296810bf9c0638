"""Tests of Rust as verification reads them, spelling by spelling."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.checks.tamper.outline import Outline, TestCase
from andon.checks.tamper.rust_tests import outline


def read(text: str) -> Outline:
    found = outline(text)
    assert found is not None
    return found


def only(text: str) -> TestCase:
    (case,) = read(text).cases
    return case


@pytest.mark.parametrize(
    "text",
    [
        "#[test]\nfn x() {}",
        "#[tokio::test]\nasync fn x() {}",
        '#[tokio::test(flavor = "multi_thread")]\nasync fn x() {}',
        "#[rstest]\nfn x() {}",
        "/// About it\n#[test]\n// why\n#[allow(dead_code)]\nfn x() {}",
        "#[cfg(test)]\n#[test]\nfn x() {}",
    ],
)
def test_a_function_with_a_test_attribute_is_a_test(text: str) -> None:
    case = only(text)
    assert case.name == "x"
    assert not (case.skipped or case.expected_to_fail)


@pytest.mark.parametrize(
    "text", ["fn x() {}", "#[inline]\nfn x() {}", "#[cfg(test)]\nfn x() {}", "// #[test]\nfn x() {}"]
)
def test_a_function_without_one_is_none(text: str) -> None:
    assert read(text).cases == ()


def test_names_lead_through_the_modules() -> None:
    text = "#[cfg(test)]\nmod tests {\n  mod add {\n    #[test]\n    fn x() {}\n  }\n  #[test]\n  fn y() {}\n}\n"
    assert {each.name for each in read(text).cases} == {"tests::add::x", "tests::y"}


@pytest.mark.parametrize(
    "text",
    [
        "#[test]\n#[ignore]\nfn x() {}",
        '#[test]\n#[ignore = "slow"]\nfn x() {}',
        "#[ignore]\n#[test]\nfn x() {}",
        "#[test]\n#[cfg_attr(miri, ignore)]\nfn x() {}",
        '#[test]\n#[cfg(feature = "slow")]\nfn x() {}',
        "#[test]\n#[cfg(any())]\nfn x() {}",
        "#[cfg(not(test))]\nmod tests {\n#[test]\nfn x() {}\n}",
        '#[cfg(all(test, feature = "slow"))]\nmod tests {\n#[test]\nfn x() {}\n}',
        '#![cfg(feature = "slow")]\n#[test]\nfn x() {}',
        "#[cfg(test)]\nmod tests {\n#![cfg(unix)]\n#[test]\nfn x() {}\n}",
    ],
)
def test_a_test_that_does_not_run_or_only_sometimes_is_skipped(text: str) -> None:
    assert only(text).skipped


def test_an_expected_panic_is_an_expected_failure() -> None:
    assert only("#[test]\n#[should_panic]\nfn x() {}").expected_to_fail
    assert only('#[test]\n#[should_panic(expected = "a")]\nfn x() {}').expected_to_fail


CHECKS = [
    ("assert!(a);", ["assert ! ( a )"]),
    ("assert_eq!(add(1, 2), 3);", ["assert_eq ! ( add ( 1 , 2 ) , 3 )"]),
    ("assert_ne!(a, b,);", ["assert_ne ! ( a , b )"]),
    ("assert!(matches!(a, Some(_)));", ["assert ! ( matches ! ( a , Some ( _ ) ) )"]),
    ("pretty_assertions::assert_eq!(a, b);", ["pretty_assertions :: assert_eq ! ( a , b )"]),
    ("insta::assert_snapshot!(a);", ["insta :: assert_snapshot ! ( a )"]),
    ("prop_assert!(a);", ["prop_assert ! ( a )"]),
    ("f().unwrap();", ["f ( ) . unwrap ( )"]),
    ('f().expect("a");', ['f ( ) . expect ( "a" )']),
    ("let _ = f().unwrap();", ["f ( ) . unwrap ( )"]),
    ("f()?;", ["f ( ) ?"]),
    ("f().unwrap()", ["f ( ) . unwrap ( )"]),
    ("if a { panic!(); }", ["if a panic ! ( )"]),
    ("if a != 1 { return Err(e); }", ["if a != 1 return Err ( e )"]),
    ("if a { return; } assert!(b);", ["unless if a assert ! ( b )"]),
    ("for c in [1] { assert!(c); }", ["for c in [ 1 ] assert ! ( c )"]),
    ("match a { Some(b) => assert!(b), None => panic!() }", ["Some ( b ) => assert ! ( b )", "None => panic ! ( )"]),
    ("let dir = tempdir().unwrap();", []),
    ("return; assert!(a);", []),
    ("std::process::exit(0); assert!(a);", []),
    ("let _ = std::panic::catch_unwind(|| { assert!(a); });", []),
    ("// assert!(a);", []),
    ("println!();", []),
]


@pytest.mark.parametrize(("body", "checks"), CHECKS)
def test_checks_are_those_that_are_reached_with_their_conditions(body: str, checks: list[str]) -> None:
    assert list(only(f"#[test]\nfn x() {{\n{body}\n}}").checks) == checks


def test_cases_are_counted() -> None:
    assert only("#[rstest]\n#[case(1, 2)]\n#[case::zero(0, 0)]\nfn x(#[case] a: i32) {}").parameters == 2
    assert only("#[test_case(1)]\n#[test_case(2)]\n#[test_case(3)]\nfn x(a: i32) {}").parameters == 3
    assert only("#[test]\nfn x() {}").parameters is None


def test_product_code_beside_a_test_module_is_not_support() -> None:
    tests = "#[cfg(test)]\nmod tests {\n    use super::*;\n%s    #[test]\n    fn x() {}\n}\n"
    plain, product, helper = "pub fn a() {}\n" + tests % "", "pub fn b() {}\n" + tests % "", tests % "fn help() {}\n"
    assert read(plain).support == read(product).support != read(helper).support


def test_formatting_comments_and_names_do_not_change_a_body() -> None:
    plain = only("#[test]\nfn x() { assert_eq!(a, 1); }")
    other = only("/// About\n#[test]\nfn y() {\n    // why\n    assert_eq!(\n        a,\n        1,\n    );\n}\n")
    assert (plain.body, plain.checks) == (other.body, other.checks)
    assert only("#[test]\n#[ignore]\nfn x() { assert_eq!(a, 1); }").body != plain.body


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.text(),
        st.lists(st.sampled_from([*"(){}[]\"';!#\n", "fn", "x", "#[test]", "mod", "assert!", "match", "=>"])).map(
            " ".join
        ),
    )
)
def test_no_text_raises(text: str) -> None:
    outline(text)
    outline("#[test]\nfn x() {\n" + text)
