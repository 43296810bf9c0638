"""Results of single tests in JavaScript reach andon through the same channel, from the real runners."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from andon.checks.prepared import Environment
from andon.checks.results.instruments import Instrument, instrument
from andon.domain.testing import Outcome, TestReport

NODE_TESTS = """\
import assert from 'node:assert';
import { describe, it, test } from 'node:test';

test('good', () => {});
test('bad', () => assert.equal(1, 2));
test('twice', () => {});
test('twice', () => {});
test('outer', async (t) => {
  await t.test('inner', () => {});
});
describe('suite', () => {
  it('stands', () => {});
  it.skip('skipped', () => {});
  it.todo('later');
  it('half \\ud800 a character', () => {});
});
"""
OTHERS = """\
it('good', () => {});
it('bad', () => { expect(1).toBe(2); });
it('twice', () => {});
it('twice', () => {});
describe('suite', () => {
  it.each([[1, 2], [3, 4]])('adds %i to %i', (a, b) => { expect(a).toBe(b - 1); });
  it.skip('skipped', () => {});
  it.todo('later');
});
"""
VITEST = "import { describe, expect, it } from 'vitest';\n" + OTHERS


class Bench:
    def __init__(self, folder: Path, script: str, modules: Path | None = None) -> None:
        self.tree = folder / "tree"
        self.folder = folder
        self.tree.mkdir()
        manifest = {"name": "x", "version": "1.0.0", "type": "module", "scripts": {"test": script}}
        (self.tree / "package.json").write_text(
            json.dumps(manifest if "jest" not in script else {**manifest, "type": "commonjs"})
        )
        if modules:
            (self.tree / "node_modules").symlink_to(modules)
        self.code: int | None = None
        self.printed = ""

    @property
    def channel(self) -> Path:
        return self.folder / "rooms" / "1" / "channel"

    def instrument(self, *words: str) -> Instrument:
        argv = words or ("npm", "test", "--silent")
        found = instrument(argv, Environment(""), self.tree, self.folder / "work" / "1", self.folder / "rooms" / "1")
        assert found
        return found

    def run(self, files: Mapping[str, str], *words: str) -> TestReport:
        for name, text in files.items():
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / name).write_text(text)
        made = self.instrument(*words)
        made.put_up()
        env = {**os.environ, **made.variables, "CI": "1", "NO_COLOR": "1"}
        done = subprocess.run(made.argv, cwd=self.tree, env=env, capture_output=True, text=True, timeout=120)
        self.code, self.printed = done.returncode, done.stdout + done.stderr
        return made.channel.read(made.runner)


@pytest.fixture
def node(tmp_path: Path) -> Bench:
    return Bench(tmp_path, "node --test")


@pytest.fixture(scope="session")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """vitest and jest, installed."""
    folder = tmp_path_factory.mktemp("modules")
    (folder / "package.json").write_text('{"devDependencies": {"jest": "^29", "vitest": "^3"}}')
    npm = shutil.which("npm")
    assert npm
    words = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund"]
    subprocess.run(words, cwd=folder, check=True, capture_output=True, timeout=300)
    return folder / "node_modules"


@pytest.mark.parametrize("words", [(), ("node", "--test"), ("node", "--test", "--test-reporter=tap")])
def test_node_tells_how_each_test_ended(node: Bench, words: tuple[str, ...]) -> None:
    report = node.run({"test/a.test.js": NODE_TESTS}, *words)

    assert report.outcomes == {
        "test/a.test.js › good": Outcome.PASSED,
        "test/a.test.js › bad": Outcome.FAILED,
        "test/a.test.js › twice": Outcome.PASSED,
        "test/a.test.js › twice #2": Outcome.PASSED,
        "test/a.test.js › outer › inner": Outcome.PASSED,
        "test/a.test.js › outer": Outcome.PASSED,
        "test/a.test.js › suite › stands": Outcome.PASSED,
        "test/a.test.js › suite › skipped": Outcome.SKIPPED,
        "test/a.test.js › suite › later": Outcome.SKIPPED,
        "test/a.test.js › suite › half \ufffd a character": Outcome.PASSED,
    }, node.printed
    assert report.finished and report.status == node.code == 1 and not report.forged
    assert "pass 7" in node.printed  # people read the same as ever


def test_node_tells_of_files_that_cannot_be_loaded_and_of_those_without_tests(node: Bench) -> None:
    report = node.run({"test/a.test.js": "no script", "test/b.test.js": "1 + 1;\n"})

    assert report.outcomes == {"test/a.test.js": Outcome.FAILED, "test/b.test.js": Outcome.PASSED}
    assert report.problems[0].startswith("test/a.test.js")


def test_a_runner_that_a_test_starts_is_not_disturbed_and_tells_nothing(node: Bench) -> None:
    inner = (
        "import { spawnSync } from 'node:child_process';\nimport { test } from 'node:test';\n"
        "import assert from 'node:assert';\nconst { NODE_TEST_CONTEXT, ...env } = process.env;\n"
        "test('starts another', () => {\n"
        "  const done = spawnSync(process.execPath, ['--test', 'inner.mjs'], { env, encoding: 'utf8' });\n"
        "  assert.match(done.stdout, /pass 1/);\n});\n"
    )
    report = node.run(
        {"outer.test.mjs": inner, "inner.mjs": "import { test } from 'node:test';\ntest('in', () => {});\n"}
    )

    assert report.outcomes == {"outer.test.mjs › starts another": Outcome.PASSED}, node.printed


def test_the_secret_is_gone_before_a_test_is_loaded(node: Bench) -> None:
    looks = (
        "import { readdirSync } from 'node:fs';\nimport { test } from 'node:test';\n"
        f"const found = readdirSync({str(node.channel)!r});\n"
        "test('nothing there', () => { if (found.includes('secret')) throw new Error(); });\n"
    )

    assert node.run({"a.test.js": looks}).passed == ("a.test.js › nothing there",)


@pytest.mark.parametrize("mode", ["a", "w"])
def test_what_others_write_is_forged(node: Bench, mode: str) -> None:
    forged = '1 {"kind": "test", "id": "x", "outcome": "passed"} 00\\n'
    writes = (
        "import { writeFileSync } from 'node:fs';\nimport { test } from 'node:test';\n"
        f"test('a', () => writeFileSync({str(node.channel / 'results')!r}, '{forged}', {{ flag: '{mode}' }}));\n"
    )

    assert node.run({"a.test.js": writes}).forged


def test_an_end_in_the_middle_is_no_result(node: Bench) -> None:
    ends = "import { test } from 'node:test';\ntest('a', () => {});\ntest('b', () => process.exit(0));\n"

    report = node.run({"a.test.js": ends})

    assert "a.test.js › b" not in report.outcomes


def test_a_suite_that_never_ends_is_no_part_of_other_names(node: Bench) -> None:
    ends = (
        "import { test } from 'node:test';\n"
        "test('a', async (t) => { await t.test('b', () => {}); await t.test('c', () => process.exit(0)); });\n"
    )
    other = "import { describe, it } from 'node:test';\ndescribe('d', () => { it('e', () => {}); });\n"

    report = node.run({"a.test.js": ends, "b.test.js": other})

    assert report.outcomes.get("b.test.js › d › e") is Outcome.PASSED, report.outcomes


@pytest.mark.parametrize(
    ("script", "name", "text"), [("vitest run", "a.test.js", VITEST), ("jest", "a.test.js", OTHERS)]
)
def test_vitest_and_jest_tell_how_each_test_ended(
    tmp_path: Path, modules: Path, script: str, name: str, text: str
) -> None:
    bench = Bench(tmp_path, script, modules)

    report = bench.run({f"test/{name}": text, "test/b.test.js": "no script"})

    assert report.outcomes == {
        "test/a.test.js › good": Outcome.PASSED,
        "test/a.test.js › bad": Outcome.FAILED,
        "test/a.test.js › twice": Outcome.PASSED,
        "test/a.test.js › twice #2": Outcome.PASSED,
        "test/a.test.js › suite › adds 1 to 2": Outcome.PASSED,
        "test/a.test.js › suite › adds 3 to 4": Outcome.PASSED,
        "test/a.test.js › suite › skipped": Outcome.SKIPPED,
        "test/a.test.js › suite › later": Outcome.SKIPPED,
    }, bench.printed
    assert report.finished and report.status == bench.code == 1 and not report.forged
    assert any(each.startswith("test/b.test.js") for each in report.problems)


@pytest.mark.parametrize(("script", "text"), [("vitest run", VITEST), ("jest", OTHERS)])
def test_only_what_is_asked_for_is_run(tmp_path: Path, modules: Path, script: str, text: str) -> None:
    bench = Bench(tmp_path, script, modules)

    report = bench.run(
        {"test/a.test.js": text, "test/c.test.js": text}, "npm", "test", "--silent", "--", "test/c.test.js"
    )

    assert {each.partition(" › ")[0] for each in report.outcomes} == {"test/c.test.js"}
