"""Tests of Java as verification reads them, spelling by spelling."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.checks.tamper.java_tests import outline
from andon.checks.tamper.outline import Outline, TestCase


def read(text: str) -> Outline:
    found = outline(text)
    assert found is not None
    return found


def only(members: str, head: str = "class CalcTest") -> TestCase:
    (case,) = read(f"package a;\n{head} {{\n{members}\n}}\n").cases
    return case


@pytest.mark.parametrize(
    ("member", "head"),
    [
        ("@Test void x() {}", "class CalcTest"),
        ("@org.junit.Test public void x() {}", "public class CalcTest"),
        ("@ParameterizedTest void x(int a) {}", "class CalcTest"),
        ("@Test(timeout = 5) public void x() {}", "class CalcTest"),
        ("@Test(enabled = true) public void x() {}", "class CalcTest"),
        ("public void x() {}", "@Test public class CalcTest"),
        ("private Repo repo; @Test void x() {} @BeforeEach void a() {}", "class CalcTest"),
    ],
)
def test_a_method_that_runners_run_is_a_test(member: str, head: str) -> None:
    case = only(member, head)
    assert case.name == "CalcTest::x"
    assert not (case.skipped or case.expected_to_fail)


def test_methods_of_junit_3_are_found_by_their_names() -> None:
    text = "class CalcTest extends TestCase { public void testX() {} public void setUp() {} }"
    assert [each.name for each in read(text).cases] == ["CalcTest::testX"]


def test_nested_classes_and_overloads_have_names_of_their_own() -> None:
    text = "class A { @Nested class B { @Test void x() {} } @Test void y() {} @Test void y(Info a) {} }"
    assert [(each.name, each.skipped) for each in read(text).cases] == [
        ("A::B::x", False),
        ("A::y", False),
        ("A::y #2", False),
    ]


@pytest.mark.parametrize(
    ("member", "head"),
    [
        ("@Test @Disabled void x() {}", "class A"),
        ('@Disabled("later") @Test void x() {}', "class A"),
        ("@Ignore @Test public void x() {}", "class A"),
        ('@Test @DisabledIf("a") void x() {}', "class A"),
        ("@Test @DisabledOnOs(OS.LINUX) void x() {}", "class A"),
        ('@Test @EnabledIfSystemProperty(named = "a", matches = "b") void x() {}', "class A"),
        ("@Test(enabled = false) public void x() {}", "class A"),
        ("@Test void x() {}", "@Disabled class A"),
        ("@Test void x() {}", "@Ignore class A"),
        ("public void x() {}", "@Test(enabled = false) class A"),
        ("@Test void x() { assumeTrue(false); }", "class A"),
        ("@Test void x() { Assumptions.assumeTrue(a()); }", "class A"),
        ('@Test void x() { throw new SkipException("a"); }', "class A"),
        ("@BeforeEach void a() { assumeTrue(false); } @Test void x() {}", "class A"),
        ("@Test private void x() {}", "class A"),
        ("@Test static void x() {}", "class A"),
        ("class B { @Test void x() {} }", "class A"),
    ],
)
def test_a_test_that_does_not_run_or_only_sometimes_is_skipped(member: str, head: str) -> None:
    assert only(member, head).skipped


@pytest.mark.parametrize("kind", ["AssertionError", "Throwable", "Error"])
def test_a_test_that_wants_its_checks_to_fail_is_expected_to(kind: str) -> None:
    assert only(f"@Test(expected = {kind}.class) public void x() {{}}").expected_to_fail


def test_an_exception_that_is_wanted_is_a_check() -> None:
    case = only("@Test(expected = IOException.class) public void x() {}")
    assert (case.checks, case.expected_to_fail) == (("expected IOException",), False)


CHECKS = [
    ("assertEquals(3, add(1, 2));", ["assertEquals ( 3 , add ( 1 , 2 ) )"]),
    ("Assertions.assertTrue(a);", ["Assertions . assertTrue ( a )"]),
    ("assertThat(a).isEqualTo(3);", ["assertThat ( a ) . isEqualTo ( 3 )"]),
    ("assertThat(a, is(3));", ["assertThat ( a , is ( 3 ) )"]),
    ("verify(a).b();", ["verify ( a ) . b ( )"]),
    ("thrown.expect(A.class);", ["thrown . expect ( A . class )"]),
    ("var e = assertThrows(A.class, () -> b());", ["assertThrows ( A . class , ( ) -> b ( ) )"]),
    ("mvc.perform(a).andExpect(b);", ["mvc . perform ( a ) . andExpect ( b )"]),
    ("assert a == 1;", ["assert a == 1"]),
    ('fail("a");', ['fail ( "a" )']),
    ("if (a) { throw new A(); }", ["if ( a ) throw new A ( )"]),
    ("if (a) { assertTrue(b); }", ["if ( a ) assertTrue ( b )"]),
    ("if (a) return; assertTrue(b);", ["unless if ( a ) assertTrue ( b )"]),
    ("for (int b : c) { assertTrue(b); }", ["for ( int b : c ) assertTrue ( b )"]),
    ("try { a(); fail(); } catch (IOException e) { }", ["fail ( )"]),
    ("assertThat(a);", []),
    ("when(a.b()).thenReturn(1);", []),
    ("return; assertTrue(a);", []),
    ("System.exit(0); assertTrue(a);", []),
    ("assumeTrue(false); assertTrue(a);", []),
    ("try { assertTrue(a); } catch (Throwable e) { }", []),
    ("try { assertTrue(a); } catch (RuntimeException | AssertionError e) { log(e); }", []),
    ("// assertTrue(a);", []),
]


@pytest.mark.parametrize(("body", "checks"), CHECKS)
def test_checks_are_those_that_can_fail_with_their_conditions(body: str, checks: list[str]) -> None:
    assert list(only(f"@Test void x() {{ {body}\n }}").checks) == checks


@pytest.mark.parametrize(
    ("annotations", "parameters"),
    [
        ("@ParameterizedTest @ValueSource(ints = {1, 2, 3})", 3),
        ("@ParameterizedTest @ValueSource(ints = 1)", 1),
        ('@ParameterizedTest @CsvSource({"1,2", "3,4"})', 2),
        ('@ParameterizedTest @CsvSource(textBlock = """\n1,2\n3,4\n""")', 2),
        ("@ParameterizedTest @NullAndEmptySource @ValueSource(strings = {})", 2),
        ("@RepeatedTest(5)", 5),
        ('@ParameterizedTest @MethodSource("a")', None),
        ("@Test", None),
    ],
)
def test_sets_of_parameters_are_counted_where_the_text_shows_them(annotations: str, parameters: int | None) -> None:
    assert only(f"{annotations} void x(int a) {{}}").parameters == parameters


@pytest.mark.parametrize(
    ("members", "names"),
    [
        ("@MockBean private Repo repo; @Test void x() {}", ("Repo",)),
        ("@Mock Repo repo; @Test void x() {}", ("Repo",)),
        ("@Test void x() { Repo a = Mockito.mock(Repo.class); }", ("Repo",)),
        ("@Test void x() { try (var a = mockStatic(Repo.class)) { } }", ("Repo",)),
        ("@Test void x() { when(repo.find(1)).thenReturn(2); }", ("repo.find",)),
        ("@Test void x() { doReturn(2).when(repo).find(1); }", ("repo.find",)),
        ("@BeforeEach void a() { when(repo.find(1)).thenReturn(2); } @Test void x() {}", ("repo.find",)),
        ("@Autowired Repo repo; @Test void x() {}", ()),
    ],
)
def test_what_is_mocked_is_named(members: str, names: tuple[str, ...]) -> None:
    assert only(members).replaces == names


def test_formatting_comments_and_names_do_not_change_a_body() -> None:
    plain = only("@Test void x() { assertEquals(1, a); }")
    other = only("/** About */\n@Test\nvoid y() {\n    // why\n    assertEquals(\n        1,\n        a);\n}")
    assert (plain.body, plain.checks) == (other.body, other.checks)
    assert only("@Test void x() { assertEquals(2, a); }").body != plain.body


def test_fields_and_hooks_are_support_and_tests_are_not() -> None:
    base = "class A { @Test void x() {} %s }"
    assert read(base % "@Test void y() {}").support == read(base % "").support
    assert read(base % "int a;").support != read(base % "").support


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.text(),
        st.lists(st.sampled_from([*"(){}[]\"';@.\n", "class", "A", "@Test", "void", "assertThat", "try", "catch"])).map(
            " ".join
        ),
    )
)
def test_no_text_raises(text: str) -> None:
    outline(text)
    outline("class A { @Test void x() {\n" + text)
