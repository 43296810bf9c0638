"""Tests of JavaScript and TypeScript as verification reads them, spelling by spelling."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.checks.tamper.outline import Outline, TestCase
from andon.checks.tamper.script_tests import outline


def read(text: str) -> Outline:
    found = outline(text)
    assert found is not None
    return found


def only(text: str) -> TestCase:
    (case,) = read(text).cases
    return case


RUN = [
    "it('x', () => {})",
    "test('x', async () => {})",
    "specify('x', function () {})",
    "it('x', { timeout: 5 }, () => {})",
    "it('x', () => {}, 5000)",
    "test('x', { skip: false }, () => {})",
    "test('x', { todo: undefined }, () => {})",
    "test.concurrent('x', () => {})",
    "it('x', importedBody)",
    "it('x', helpers.body)",
    "it('x', fakeAsync(() => {}))",
    "const body = () => {}; it('x', body)",
    "import { it as check } from 'vitest'\ncheck('x', () => {})",
    "const { it: check } = require('vitest')\ncheck('x', () => {})",
    "const test = base.extend({ page: 1 })\ntest('x', () => {})",
    "const mine = test.extend({ page: 1 })\nmine('x', () => {})",
    "tap.test('x', () => {})",
    "Deno.test('x', () => {})",
    "function all() { it('x', () => {}) }\nall()",
    "export function all() { it('x', () => {}) }",
    "function mayskip() { this.skip() }\nit('x', () => {})",
    "test('x', <T,>(a: T) => { const b = a as unknown as string })",
    "const a = <string>b; test('x', () => {})",
    "const page = <div>it</div>; it('x', () => { render(<App />) })",
]


@pytest.mark.parametrize("text", RUN)
def test_a_test_that_runs_is_found_and_neither_skipped_nor_focused(text: str) -> None:
    case = only(text)
    assert case.name == "x"
    assert not (case.skipped or case.focused or case.expected_to_fail)


SKIPPED = [
    "it.skip('x', () => {})",
    "it['skip']('x', () => {})",
    "test.skip('x', () => {})",
    "xit('x', () => {})",
    "xtest('x', () => {})",
    "xspecify('x', () => {})",
    "test.todo('x')",
    "it('x')",
    "test.fixme('x', () => {})",
    "it.concurrent.skip('x', () => {})",
    "it.skip.each([1])('x', () => {})",
    "it.skipIf(process.env.CI)('x', () => {})",
    "it.runIf(false)('x', () => {})",
    "test.if(false)('x', () => {})",
    "test.todoIf(true)('x', () => {})",
    "test('x', { skip: true }, () => {})",
    "test('x', { skip: 'broken' }, () => {})",
    "test('x', { 'skip': true }, () => {})",
    "test('x', { skip }, () => {})",
    "test('x', { todo: true }, () => {})",
    "test('x', (t) => { t.skip(); })",
    "test('x', (c) => { c.skip('later') })",
    "test('x', ({ skip }) => { skip() })",
    "test('x', (t) => { t.todo() })",
    "it('x', function () { this.skip() })",
    "it('x', function () { if (process.env.CI) this.skip() })",
    "it('x', () => { pending() })",
    "test('x', async () => { test.skip() })",
    "test('x', async () => { test.skip(true, 'later') })",
    "test('x', async () => { test.fixme() })",
    "test.skip(({ browserName }) => browserName === 'a', 'no'); test('x', () => {})",
    "beforeEach(function () { this.skip() }); it('x', () => {})",
    "describe.skip('d', () => { it('x', () => {}) })",
    "xdescribe('d', () => { it('x', () => {}) })",
    "describe.todo('d', () => { it('x', () => {}) })",
    "describe('d', { skip: true }, () => { it('x', () => {}) })",
    "describe.skipIf(true)('d', () => { it('x', () => {}) })",
    "test.describe.skip('d', () => { test('x', () => {}) })",
    "suite.skip('d', () => { test('x', () => {}) })",
    "if (process.env.ALL) { it('x', () => {}) }",
    "process.env.ALL && it('x', () => {})",
    "process.env.ALL ? it('x', () => {}) : null",
    "const later = process.env.ALL ? it : it.skip\nlater('x', () => {})",
    "const later = it.skip\nlater('x', () => {})",
    "describe('d', () => { return; it('x', () => {}) })",
    "describe('d', () => { if (old) return; it('x', () => {}) })",
    "process.exit(0); it('x', () => {})",
    "function never() { it('x', () => {}) }",
    "const never = () => { it('x', () => {}) }",
    "const it = (name, body) => {}\nit('x', () => {})",
    "function it(name, body) {}\nit('x', () => {})",
    "try { a() } catch { it('x', () => {}) }",
]


@pytest.mark.parametrize("text", SKIPPED)
def test_a_test_that_does_not_run_or_only_sometimes_is_skipped(text: str) -> None:
    case = only(text)
    assert case.name.split(" › ")[-1] == "x"
    assert case.skipped


FOCUSED = [
    "it.only('x', () => {})",
    "fit('x', () => {})",
    "iit('x', () => {})",
    "test('x', { only: true }, () => {})",
    "fdescribe('d', () => { it('x', () => {}) })",
    "describe.only('d', () => { it('x', () => {}) })",
    "test.describe.only('d', () => { test('x', () => {}) })",
    "it.only.each([1])('x', () => {})",
]


@pytest.mark.parametrize("text", FOCUSED)
def test_a_focus_is_seen(text: str) -> None:
    assert only(text).focused


@pytest.mark.parametrize(
    "text",
    [
        "it.failing('x', () => {})",
        "it.fails('x', () => {})",
        "test.fail('x', () => {})",
        "test('x', { fails: true }, () => {})",
        "test('x', () => { test.fail() })",
        "describe('d', () => { test.fail(cond, 'why'); test('x', () => {}) })",
    ],
)
def test_an_expected_failure_is_seen(text: str) -> None:
    assert only(text).expected_to_fail


CHECKS = [
    ("expect(a).toBe(1)", ["expect ( a ) . toBe ( 1 )"]),
    ("expect(a).not.toBe(1)", ["expect ( a ) . not . toBe ( 1 )"]),
    ("await expect(a).resolves.toBe(1)", ["await expect ( a ) . resolves . toBe ( 1 )"]),
    ("return expect(a).rejects.toThrow()", ["await expect ( a ) . rejects . toThrow ( )"]),
    ("expect(a).resolves.toBe(1)", ["expect ( a ) . resolves . toBe ( 1 )"]),
    ("expect.assertions(2)", ["expect . assertions ( 2 )"]),
    ("expect.soft(a).toBe(1)", ["expect . soft ( a ) . toBe ( 1 )"]),
    ("chai.expect(a).to.equal(1)", ["chai . expect ( a ) . to . equal ( 1 )"]),
    ("expect(a).to.be.true", ["expect ( a ) . to . be . true"]),
    ("a.should.equal(1)", ["a . should . equal ( 1 )"]),
    ("a.should.be.ok", ["a . should . be . ok"]),
    ("cy.get('a').should('exist')", ['cy . get ( "a" ) . should ( "exist" )']),
    ("request(app).get('/').expect(200)", ['request ( app ) . get ( "/" ) . expect ( 200 )']),
    ("assert(a)", ["assert ( a )"]),
    ("assert.equal(a, 1)", ["assert . equal ( a , 1 )"]),
    ("t.assert.ok(a)", ["t . assert . ok ( a )"]),
    ("t.deepEqual(a, 1)", ["t . deepEqual ( a , 1 )"]),
    ("sinon.assert.calledOnce(a)", ["sinon . assert . calledOnce ( a )"]),
    ("expectSorted(a)", ["expectSorted ( a )"]),
    ("if (a !== 1) throw new Error('a')", ['if ( a !== 1 ) throw new Error ( "a" )']),
    ("if (a) { expect(a).toBe(1) }", ["if ( a ) expect ( a ) . toBe ( 1 )"]),
    ("a && expect(a).toBe(1)", ["if a && expect ( a ) . toBe ( 1 )"]),
    ("if (!a) return; expect(a).toBe(1)", ["unless if ( ! a ) expect ( a ) . toBe ( 1 )"]),
    ("for (const b of [1]) { expect(b).toBe(1) }", ["for ( const b of [ 1 ] ) expect ( b ) . toBe ( 1 )"]),
    ("await waitFor(() => { expect(a).toBe(1) })", ["expect ( a ) . toBe ( 1 )"]),
    (
        "try { f(); fail('no') } catch (e) { expect(e).toBe(1) }",
        ['fail ( "no" )', "catch ( e ) expect ( e ) . toBe ( 1 )"],
    ),
    ("try { expect(a).toBe(1) } finally { b() }", ["expect ( a ) . toBe ( 1 )"]),
    # What cannot fail is no check.
    ("expect(a)", []),
    ("expect(a).toBe", []),
    ("expect(a).not", []),
    ("return; expect(a).toBe(1)", []),
    ("{ return } expect(a).toBe(1)", []),
    ("process.exit(0); expect(a).toBe(1)", []),
    ("try { expect(a).toBe(1) } catch (e) {}", []),
    ("try { expect(a).toBe(1) } catch { console.log('x') }", []),
    ("// expect(a).toBe(1)", []),
    ("send(expect.any(Number))", []),
]


@pytest.mark.parametrize(("body", "checks"), CHECKS)
def test_checks_are_those_that_can_fail_with_their_conditions(body: str, checks: list[str]) -> None:
    assert list(only(f"it('x', async (t) => {{ {body}\n }})").checks) == checks


PARAMETERS = [
    ("it.each([1, 2, 3])('x', () => {})", 3),
    ("it.each([[1, 2], [3, 4]])('x', () => {})", 2),
    ("it.each([])('x', () => {})", 0),
    ("it.each<number>([1])('x', () => {})", 1),
    ("it.each([1, 2] as const)('x', () => {})", 2),
    ("it.each`a | b\n${1} | ${2}\n${3} | ${4}\n`('x', () => {})", 2),
    ("const cases = [1, 2]\nit.each(cases)('x', () => {})", 2),
    ("it.each(Object.entries({ a: 1, b: 2 }))('x', () => {})", 2),
    ("test.for([1, 2])('x', () => {})", 2),
    ("describe.each([1, 2])('d', () => { it.each([1, 2, 3])('x', () => {}) })", 6),
    ("for (const a of [1, 2]) { it('x', () => {}) }", 2),
    ("[1, 2].forEach((a) => { it('x', () => {}) })", 2),
    ("it.each([...more, 1])('x', () => {})", None),
    ("it.each(imported)('x', () => {})", None),
    ("it('x', () => {})", None),
]


@pytest.mark.parametrize(("text", "parameters"), PARAMETERS)
def test_sets_of_parameters_are_counted_where_the_text_shows_them(text: str, parameters: int | None) -> None:
    assert only(text).parameters == parameters


REPLACES = [
    ("jest.mock('./calc')", "./calc"),
    ("vi.mock('./calc', () => ({}))", "./calc"),
    ("jest.doMock('./calc')", "./calc"),
    ("mock.module('./calc', {})", "./calc"),
    ("vi.stubGlobal('fetch', f)", "fetch"),
    ("sinon.stub(calc, 'add')", "./calc.add"),
    ("jest.spyOn(calc, 'add').mockReturnValue(3)", "./calc.add"),
    ("vi.spyOn(calc, 'add').mockImplementation(() => 3)", "./calc.add"),
    ("vi.mocked(add).mockReturnValue(3)", "./calc.add"),
    ("mock.method(calc, 'add', () => 3)", "./calc.add"),
    ("t.mock.method(calc, 'add', () => 3)", "./calc.add"),
    ("calc.add = jest.fn()", "./calc.add"),
    ("jest.spyOn(calc, 'add')", None),
    ("const f = jest.fn()", None),
]


@pytest.mark.parametrize(
    "place", ["it('x', (t) => { %s })", "%s; it('x', () => {})", "beforeEach((t) => { %s }); it('x', f)"]
)
@pytest.mark.parametrize(("code", "name"), REPLACES)
def test_what_a_test_or_its_surroundings_mock_is_named_by_its_origin(place: str, code: str, name: str | None) -> None:
    imports = "import * as calc from './calc'\nimport { add } from './calc'\n"
    assert only(imports + place % code).replaces == ((name,) if name else ())


def test_what_one_test_mocks_is_not_held_against_another() -> None:
    first, second = read("it('a', () => { jest.doMock('./calc') }); it('b', () => {})").cases
    assert (first.replaces, second.replaces) == (("./calc",), ())


def test_names_lead_from_the_outermost_suite_and_are_unique() -> None:
    text = """
    describe('calc', () => {
      context(`more`, () => { it("adds", () => {}); it('adds', () => {}) })
      describe(Calc, () => { test(name + '!', () => {}) })
      it('has parts', async (t) => { await t.test('part', () => { t.ok(1) }) })
    })
    """
    assert [(each.name, each.line) for each in read(text).cases] == [
        ("calc › more › adds", 3),
        ("calc › more › adds #2", 3),
        ('calc › Calc › name + "!"', 4),
        ("calc › has parts", 5),
        ("calc › has parts › part", 5),
    ]


FORMATTED = (
    "it('x', async x => {\n  const a = [1, 2]\n  expect(f(x, 'b')).toBe(3)\n})\n",
    'it(\n  "x",\n  async (x) => {\n    // why\n    const a = [\n      1,\n      2,\n    ];\n'
    '    expect(f(x, "b")).toBe(3);\n  },\n);\n',
)


def test_formatting_and_comments_change_nothing() -> None:
    first, second = (read(each) for each in FORMATTED)
    assert first.support == second.support
    assert (first.cases[0].body, first.cases[0].checks) == (second.cases[0].body, second.cases[0].checks)


def test_a_title_is_not_part_of_the_body_but_everything_else_is() -> None:
    base = "it('x', () => { expect(1).toBe(f()) })"
    same = {only(text).body for text in (base, base.replace("'x'", "'other'"))}
    other = {only(text).body for text in (base, base.replace("f()", "g()"), base.replace("it(", "it.skip("))}
    assert (len(same), len(other)) == (1, 3)


def test_adding_tests_and_suites_does_not_change_the_support_but_a_helper_does() -> None:
    base = "import { a } from 'a'\ndescribe('d', () => { it('x', () => {}) })\n"
    more = base + "describe('e', () => { it('y', () => {}) })\nit('z', () => {})\n"
    helper = base + "function help() {}\n"
    assert read(base).support.split() == read(base.replace("it('x'", "it('w', () => {}); it('x'")).support.split()
    assert read(helper).support != read(base).support
    assert len(read(more).cases) == 3


def test_a_broken_line_elsewhere_does_not_hide_the_tests() -> None:
    assert [
        each.name for each in read("it('a', () => { expect(1).toBe(1) })\nlet = = 3\nit('b', () => {})\n").cases
    ] == [
        "a",
        "b",
    ]


@pytest.mark.parametrize("text", ["((((((", "}{)(" * 50, "x" * 2_000_001, "\ud800 `"])
def test_what_cannot_be_read_is_none_or_empty(text: str) -> None:
    found = outline(text)
    assert found is None or found.cases == ()


PIECES = st.lists(
    st.sampled_from(
        [*"(){}[]`'\"<>;,.=\n", "it", "test", ".each", ".skip", "'x'", "=>", "expect", "return", "if", "${", "/*"]
    ),
    max_size=60,
).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), PIECES, st.binary().map(lambda data: data.decode("utf-8", "surrogateescape"))))
def test_no_text_raises(text: str) -> None:
    outline(text)


@pytest.mark.parametrize(
    "text",
    [
        "function f() { describe('a', f); describe('b', f) }\nf()",
        "it('x', () => { " + "if (a) { " * 3000 + "expect(1).toBe(1)" + " }" * 3000 + " })",
        "it('x', () => " * 2000 + "1" + ")" * 2000,
        "it('x', () => { a" + ".b" * 50_000 + " })",
        ("it('x', () => { a" + ".b()" * 400 + " })\n") * 10,
        ("it('x', () => { a" + " && b()" * 400 + " })\n") * 10,
        "it('x', () => { a" + " && b" * 20_000 + " })",
        "it('x', () => {" + "{" * 20_000 + "}" * 20_000 + "})",
    ],
    ids=["itself", "conditions", "nested", "chain", "chains", "ands", "and", "blocks"],
)
@pytest.mark.timeout(20)
def test_text_made_to_take_long_does_not(text: str) -> None:
    outline(text)
