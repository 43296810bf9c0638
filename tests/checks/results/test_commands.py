"""Which test commands andon can have a reporter in, and what becomes of their words."""

from __future__ import annotations

import json

import pytest

from andon.checks.results.commands import reported

NPM = ("npm", "test", "--silent")
SCRIPTS = {
    "node --test": "node",
    "node --test test/": "node",
    "node --import tsx --test 'test/**/*.ts'": "node",
    "tsc && node --test dist": "node",
    "c8 node --test": "node",
    "node --test a && node --test b": "",
    "NODE_OPTIONS=--no-warnings node --test": "",
    "node test.js --test-name": "",
    "vitest": "vitest",
    "vitest run --coverage": "vitest",
    "TZ=UTC vitest run": "vitest",
    "cross-env CI=1 npx vitest run": "vitest",
    "tsc --noEmit && vitest run": "vitest",
    "vitest run && tsc --noEmit": "",
    "vitest run || true": "",
    "vitest run; echo done": "",
    "vitest run | tee log": "",
    "vitest bench": "",
    "jest": "jest",
    "./node_modules/.bin/jest --ci": "jest",
    "jest a && jest b": "",
    "run-s test:*": "",
    "mocha": "",
    "echo ok": "",
    "'": "",
}


@pytest.mark.parametrize(("script", "runner"), SCRIPTS.items(), ids=SCRIPTS)
def test_npm_starts_what_the_script_says(script: str, runner: str) -> None:
    known = reported(NPM, json.dumps({"scripts": {"test": script}}))

    assert (known.runner if known else "") == runner


@pytest.mark.parametrize(
    ("argv", "runner"),
    [
        (("npx", "--no-install", "vitest", "run"), "vitest"),
        (("npx", "--no-install", "jest"), "jest"),
        (("npx", "--no-install", "playwright", "test"), ""),
        (("node", "--test"), "node"),
        (("node", "test.js"), ""),
        (("pytest", "tests"), "pytest"),
        (("python", "-m", "pytest"), "pytest"),
        (("make", "test"), ""),
        (NPM, ""),
    ],
)
def test_other_commands_start_what_they_name(argv: tuple[str, ...], runner: str) -> None:
    known = reported(argv)

    assert (known.runner if known else "") == runner


@pytest.mark.parametrize("manifest", ["", "{", "[]", '{"scripts": []}', '{"scripts": {"test": 1}}', "null"])
def test_a_manifest_that_says_nothing_starts_nothing(manifest: str) -> None:
    assert reported(NPM, manifest) is None


def test_words_for_the_runner_stand_behind_those_for_npm() -> None:
    known = reported(NPM, '{"scripts": {"test": "vitest run"}}')
    assert known

    once = known.with_words("--bail=0")
    again = reported(once, '{"scripts": {"test": "vitest run"}}')

    assert once == (*NPM, "--", "--bail=0") and again
    assert again.with_words("a.ts") == (*NPM, "--", "--bail=0", "a.ts")
