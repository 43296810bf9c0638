"""Tripwires and hollowed functions of JavaScript and TypeScript, and how ids lead to the tests behind them."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.checks.mutants import Kind
from andon.checks.results.commands import reported
from andon.checks.tamper.script_tests import outline
from andon.checks.verifying.runners import RUNNERS
from andon.checks.verifying.script_mutants import make_mutants, names_used
from andon.checks.verifying.script_sabotage import sabotaged

HEAD = "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nconst f = (x) => x;\n"
LITERALS = {
    "a number": "assert.equal(f(1), 1);",
    "zero": "assert.equal(f(0), 0);",
    "a fraction": "assert.strictEqual(f(0.5), 0.5);",
    "a text": "assert.equal(f('a'), 'a');",
    "an empty text": "assert.equal('', f(''));",
    "a template": "assert.equal(f('a'), `a`);",
    "a list": "assert.deepEqual(f([1, 2]), [1, 2]);",
    "an empty list": "assert.deepEqual(f([]), []);",
    "an object": "assert.deepEqual(f({ a: 1 }), { a: 1 });",
    "an empty object": "assert.deepStrictEqual(f({}), {});",
}
OTHERS = {
    "no literal": "const one = 1; assert.equal(f(one), one);",
    "a check that must not hold": "assert.notEqual(f(1), 2);",
    "under a condition": "if (f(0)) { assert.equal(f(1), 2); }",
    "no check": "f(1);",
    "a check behind a return": "return; assert.equal(f(1), 1);",
}


def doomed(body: str) -> str:
    text, made = sabotaged(f"{HEAD}test('x', () => {{ {body} }});\n", {"x"}, random.Random(3))
    assert made == {"x"}
    return text


def passes(folder: Path, text: str) -> bool:
    (folder / "a.test.mjs").write_text(text)
    done = subprocess.run(["node", "--test", "a.test.mjs"], cwd=folder, capture_output=True, text=True, timeout=60)
    assert "tests 1" in done.stdout, done.stdout
    return done.returncode == 0


@pytest.mark.parametrize("body", LITERALS.values(), ids=LITERALS)
def test_a_literal_is_changed_so_that_the_test_fails(tmp_path: Path, body: str) -> None:
    assert "finally" not in doomed(body) and not passes(tmp_path, doomed(body))


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS)
def test_any_other_test_throws_at_its_end(tmp_path: Path, body: str) -> None:
    assert "finally" in doomed(body) and not passes(tmp_path, doomed(body))


def test_a_matcher_that_accepts_everything_passes_its_tripwire(tmp_path: Path) -> None:
    """Which is how it is found out."""
    assert passes(tmp_path, doomed("assert.equal(f(1), 1);").replace("const f", "assert.equal = () => {};\nconst f"))


def test_matchers_of_vitest_and_jest_compare_with_literals_too() -> None:
    text = "it('x', async () => { expect(f()).toBe(1); await expect(g()).resolves.toEqual({ a: 1 }); });"

    changed, _ = sabotaged(text, {"x"}, random.Random(3))

    assert "toBe(1)" not in changed and "({ a: 1 })" not in changed and "finally" not in changed


@pytest.mark.parametrize(
    "check", ["expect(f()).not.toBe(1)", "await expect(f()).rejects.toEqual('a')", "expect(1).toBe(1)"]
)
def test_a_check_that_another_literal_might_not_break_is_left_alone(check: str) -> None:
    changed, _ = sabotaged(f"it('x', async () => {{ {check}; }});", {"x"}, random.Random(3))

    assert check in changed and "finally" in changed


@given(st.text())
def test_no_text_is_too_strange(text: str) -> None:
    found = outline(text)
    sabotaged(text, {case.name for case in found.cases} if found else set(), random.Random(0))
    made = make_mutants("a.ts", text)
    assert names_used(text) is not None and all(each.mutate(text) != text for each in made)


FUNCTIONS = """\
export function declared(a) {
  return a;
}
export const arrow = (a) => a;
const written = function (a) { return a; };
export default class Thing {
  constructor() { this.a = 1; }
  method() { const inner = () => 1; return inner(); }
  static made() { return new Thing(); }
  field = () => 2;
}
exports.given = async (a) => { await a; };
const table = { inside() { return 1; }, other: () => 3 };
[1].map((each) => each);
"""


def test_functions_have_names_and_lines() -> None:
    found = {each.function: each.line for each in make_mutants("a.js", FUNCTIONS)}

    named = {"declared", "arrow", "written", "method", "made", "field", "given", "inside", "other"}
    assert set(found) == {*named, "Thing.constructor"} and found["declared"] == 1


@pytest.mark.parametrize("kind", [Kind.HOLLOW, Kind.RAISING, Kind.RESULT])
def test_a_mutant_does_nothing_of_its_work(tmp_path: Path, kind: Kind) -> None:
    text = "function f(a) { return a; }\nconst g = (a) => ({ a });\nclass C { m() { return 1; } }\n"
    made = [each for each in make_mutants("a.cjs", text) if each.kind is kind]
    for mutant in sorted(made, key=lambda each: -each.start):
        text = mutant.mutate(text)
    asks = (
        "const asked = [() => f(1), () => g(1).a, () => new C().m()];\n"
        "const told = asked.map((each) => { try { return each(); } catch { } });"
    )
    (tmp_path / "a.cjs").write_text(f"{text}{asks}\nconsole.log(JSON.stringify(told.map((each) => each === 1)));\n")

    done = subprocess.run(["node", "a.cjs"], cwd=tmp_path, capture_output=True, text=True, timeout=60)

    assert json.loads(done.stdout) == [False, kind is Kind.RESULT, False]


def test_of_a_constructor_only_the_parts_are_written_otherwise() -> None:
    text = "class B extends A { constructor() { super(); check(1); } }\n"

    assert {text[each.start : each.end]: each.new for each in make_mutants("a.js", text)} == {
        "check(1)": "undefined",
        "1": "(1 + 1)",
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("if (a < b) { c(); }", {"< → >=", "(a < b) → (!(a < b))", "c() → undefined"}),
        ("return a && !b;", {"a && !b → undefined", "&& → ||"}),
        ("const x = 'one', y = { 'key': true };", {"'one' → ''", "true → false"}),
        ("return a ? 1 : b ?? 2;", {"a ? 1 : b ?? 2 → undefined", "a → !(a)", "1 → (1 + 1)", "?? → &&", "2 → (2 + 1)"}),
    ],
)
def test_small_mistakes(text: str, told: set[str]) -> None:
    whole = f"function f<T>(a: T, b: T) {{ {text} }}\n"
    kinds = (Kind.HOLLOW, Kind.RAISING)

    assert {f"{whole[m.start : m.end]} → {m.new}" for m in make_mutants("a.ts", whole) if m.kind not in kinds} == told


NAMES = [
    "a.js › plain",
    "a.js › with %i and $name",
    "a.js › reads ${text} as cents",
    "a.js › it\\'s",
    "a.js › outer › in",
]


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("a.js › plain", NAMES[0]),
        ("a.js › plain #3", NAMES[0]),
        ("a.js › with 1 and Ann", NAMES[1]),
        ("a.js › reads 1.5 as cents", NAMES[2]),
        ("a.js › reads 1.5 as cents #2", NAMES[2]),
        ("a.js › it's", NAMES[3]),
        ("a.js › outer › in", NAMES[4]),
        ("b.js › plain", None),
        ("a.js › reads", None),
    ],
)
def test_an_id_leads_to_the_test_behind_it(id: str, name: str | None) -> None:
    assert RUNNERS["node"].behind([id], NAMES).get(id) == name


def test_a_test_falls_with_those_inside_it() -> None:
    text = HEAD + "test('a', async (t) => { await t.test('b', () => {}); });\ntest('a2', () => {});\n"

    groups = RUNNERS["node"].groups({"x.js": text})

    assert sorted(map(sorted, groups)) == [["x.js › a", "x.js › a › b"], ["x.js › a2"]]


def test_a_skipped_test_is_no_tripwire() -> None:
    text = HEAD + "test('a', () => {});\ntest.skip('b', () => {});\n"

    _, names = RUNNERS["node"].sabotaged({"x.js": text}, {"x.js › a", "x.js › b"}, random.Random(1))

    assert names == {"x.js › a"}


def test_added_files_alone_are_asked_for_where_a_runner_can() -> None:
    command = reported(("npm", "test", "--silent"), '{"scripts": {"test": "vitest run"}}')
    assert command

    assert RUNNERS["vitest"].only(command, ["a.test.ts"])[-2:] == ("--", "a.test.ts")
