"""Tests made to fail really do, under the runners themselves, and nothing else does."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.checks.tamper import sabotage_go, sabotage_scripts
from andon.checks.tamper.script_tests import outline

SCRIPT = """\
import test, { describe, it } from 'node:test'
import assert from 'node:assert'

const later = (value) => new Promise((resolve) => setTimeout(() => resolve(value), 5))
const line = () => new Error().stack.split('\\n')[2].match(/:(\\d+):/)[1]

test('arrow', () => { assert.equal(1, 1) })
test('expression', () => assert.equal(1, 1))
test('parenthesised', () => (assert.equal(1, 1)))
test('async', async () => { await later(1) })
test('async expression', async () => assert.equal(await later(1), 1))
test('function', function () {
  assert.equal(1, 1) // no semicolon, and a comment
})
test('named', async function named() { return later(1)})
test('returns early', () => { if (line()) { return } assert.fail() })
test('promise', () => { return later(1).then((value) => assert.equal(value, 1)) })
test('promise expression', () => later(1).then((value) => assert.equal(value, 1)))
test('context', (t) => { t.diagnostic('x') })
test('context expression', t => t.diagnostic('x'))
test('done', (t, done) => { later(1).then(() => done()) })
test('options', { timeout: 1000 }, () => { assert.ok(true) })
test('swallows', () => { try { assert.fail() } catch { return } })
test('declares', () => { run(); function run() { assert.ok(true) } })
test('umläut ✓', () => { assert.equal('ä', 'ä') })
test('same', () => {})
test('same', () => { assert.ok(true) })
describe('suite', () => {
  it('inner', () => {
    assert.equal(1, 1)
  })
  describe('deeper', () => { it('inner', () => {}) })
})
test('parent', async (t) => {
  await t.test('child', () => { assert.ok(true) })
  await t.test('other child', () => {})
})
for (const n of [1]) test(`number ${n}`, () => { assert.ok(n) })
test('knows its line', () => { assert.equal(line(), '39') })
"""
FOUND = outline(SCRIPT)
LEAVES = {each.name for each in FOUND.cases if each.name != "parent"} if FOUND else set[str]()


def run_node(folder: Path, text: str) -> dict[str, bool]:
    """Name → passed, in the order of the report; children before their parents."""
    path = folder / "some.test.mjs"
    path.write_text(text, "utf-8")
    command = ["node", "--test", "--test-reporter=tap", str(path)]
    report = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    stack: list[str] = []
    results: dict[str, bool] = {}
    for depth, kind, name in re.findall(r"^( *)(# Subtest:|ok \d+ -|not ok \d+ -) (.*)$", report, re.MULTILINE):
        level = len(depth) // 4
        if kind == "# Subtest:":
            stack[level:] = [name]
        else:
            told = " › ".join([*stack[:level], name]).replace("number 1", "number ${n}")
            results[f"{told} #2" if told in results else told] = not kind.startswith("not")
    return results


needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="needs go")


@needs_node
def test_nothing_fails_before(tmp_path: Path) -> None:
    results = run_node(tmp_path, SCRIPT)
    assert set(results) >= LEAVES
    assert all(results.values())


@needs_node
def test_every_kind_of_test_is_made_to_fail(tmp_path: Path) -> None:
    text, changed = sabotage_scripts.sabotage(SCRIPT, LEAVES, 7)
    results = run_node(tmp_path, text)
    assert changed == LEAVES
    assert {name for name in LEAVES if results[name]} == set()
    assert "same #2" in changed


@needs_node
def test_only_the_named_tests_fail_and_no_line_moves(tmp_path: Path) -> None:
    names = {"arrow", "promise expression", "done", "suite › inner", "swallows", "same #2", "no such test"}
    text, changed = sabotage_scripts.sabotage(SCRIPT, names, 3)
    results = run_node(tmp_path, text)
    assert changed == names - {"no such test"}
    assert {name for name, passed in results.items() if not passed} - {"suite"} == changed
    assert len(text.splitlines()) == len(SCRIPT.splitlines())


@pytest.mark.parametrize(
    "text",
    [
        "it.skip('x', () => {})",
        "it.failing('x', () => {})",
        "it('x')",
        "it('x', body)",
        "const body = () => {}; it('x', body)",
        "it('x', wrapped(() => {}))",
        "it('x', function* () {})",
        "it.each([])('x', () => {})",
        "it('y', () => {})",
        "it('x', () => {}); let = = 1",
        "it('x', () => {",
        "it('x', () => { '\ud800' })",
    ],
)
def test_what_cannot_be_changed_safely_is_not(text: str) -> None:
    assert sabotage_scripts.sabotage(text, {"x"}, 1) == (text, frozenset())


def test_failures_look_different_each_time() -> None:
    texts = {sabotage_scripts.sabotage("it('x', () => {})", {"x"}, number)[0] for number in range(20)}
    assert len(texts) == 20


def test_types_and_elements_are_kept() -> None:
    text = (
        "test('x', async ({ page }: { page: Page }): Promise<void> => { render(<App a={1} />); return page!.b<C>() })\n"
    )
    changed, names = sabotage_scripts.sabotage(text, {"x"}, 1)
    assert names == {"x"}
    assert "try {" in changed
    assert "return await (page!.b<C>())" in changed


@settings(max_examples=100, deadline=None)
@given(st.text(), st.integers())
def test_no_text_and_no_number_raises(body: str, number: int) -> None:
    for text in (body, "it('x', () => {" + body + "})"):
        result, changed = sabotage_scripts.sabotage(text, {"x"}, number)
        assert changed or result == text
        sabotage_go.sabotage(text, {"TestX"}, number)


GO = """\
package calc

import "testing"

func TestPlain(t *testing.T) {
	if 1+1 != 2 {
		t.Error("no")
	}
}

func TestEmpty(x *testing.T) {}

func TestParts(t *testing.T) {
	t.Run("one", func(t *testing.T) { t.Parallel() })
}

func TestReturns(t *testing.T) { if true { return }; t.Error() }

func TestOther(t *testing.T) {}

func TestSkipped(t *testing.T) { t.Skip() }

func TestUnnamed(*testing.T) {}

func TestBlank(_ *testing.T) {}
"""


@needs_go
def test_tests_of_go_are_made_to_fail(tmp_path: Path) -> None:
    names = {"TestPlain", "TestEmpty", "TestParts", "TestReturns", "TestSkipped", "TestUnnamed", "TestBlank"}
    text, changed = sabotage_go.sabotage(GO, names, 5)
    (tmp_path / "go.mod").write_text("module calc\n\ngo 1.19\n")
    (tmp_path / "calc_test.go").write_text(text)
    command = ["go", "test", "-v", "./..."]
    report = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=110).stdout
    outcome = {name: kind for kind, name in re.findall(r"^--- (\w+): (\w+)", report, re.MULTILINE)}
    assert changed == {"TestPlain", "TestEmpty", "TestParts", "TestReturns"}
    assert {name for name, kind in outcome.items() if kind == "FAIL"} == changed
    assert len(outcome) == 8
    assert len(text.splitlines()) == len(GO.splitlines())
