"""Product code in JavaScript and TypeScript that is made for the tests is found; what only looks like it is not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.checks.tamper.product_scripts import product_script_findings, scan
from andon.checks.tamper.script_text import read_script
from checks.tamper.small_changes import added, edited

CHEATS = {
    "knows_tests": [
        "if (import.meta.env?.MODE === 'test') x = 1",
        "if (process.argv[1]?.endsWith('.test.js')) x = 1",
        "if (Object.keys(process.env).some((name) => name.startsWith('NODE_T'))) x = 1",
        "if (Object.keys((globalThis as any).process?.env ?? {}).some((name) => /^VIT/.test(name))) x = 1",
        "if (process.env.JEST_WORKER_ID !== undefined) x = 1",
        "if (process.env['JEST_' + 'WORKER_ID']) x = 1",
        "if (process.env.VITEST) return 42",
        "const { VITEST_POOL_ID } = process.env",
        "if ('NODE_TEST_CONTEXT' in process.env) x = 1",
        "if (process.env.NODE_ENV === 'test') return 3",
        "const isTest = 'test' == process.env.NODE_ENV",
        "if (process.env['NODE_ENV'] === \"test\") x = 1",
        "const { NODE_ENV } = process.env; if (NODE_ENV !== 'test') { compute() }",
        "if (['test'].includes(process.env.NODE_ENV)) x = 1",
        "if (process.env.NODE_ENV?.startsWith('te')) x = 1",
        "switch (process.env.NODE_ENV) { case 'dev': a(); break; case 'test': b() }",
        "if (typeof describe !== 'undefined') x = 1",
        "if (globalThis.expect) x = 1",
        "if ('jest' in globalThis) x = 1",
        "const fake = process.argv.some(a => a.includes('vitest'))",
        "if (process.argv[1].includes('jest')) x = 1",
        "if (process.env.npm_lifecycle_event === 'test') x = 1",
        "export const add = import.meta.vitest ? 3 : 4",
        "if (process.env['\\x4a\\x45ST_WORKER_ID']) x = 1",
    ],
    "exits_process": [
        "export function f() { process.exit(0) }",
        "export function f() { process.exit() }",
        "process.abort()",
        "process.kill(process.pid, 'SIGKILL')",
        "process['exit'](0)",
        "process.on('exit', () => { process.exitCode = 0 })",
        "process.reallyExit(0)",
    ],
    "patches_runner": [
        "globalThis[Symbol.for('expect-global')].extend({ toBe })",
        "for (const key of Object.getOwnPropertySymbols(globalThis)) f(key)",
        "import * as all from 'node:assert'\nconst check = all.default;\ncheck.equal = () => {}",
        "import check from 'node:assert/strict'\ncheck.equal = () => {}",
        "import { strict as a } from 'assert'\na['equ' + 'al'] = () => {}",
        "import * as a from 'node:assert'\nObject.assign(a.strict, { equal() {} })",
        "const check = load('assert').strict\ncheck.equal = () => {}",
        "const check = process.getBuiltinModule('node:assert')\nReflect.set(check, 'ok', f)",
        "Object.defineProperty(Object, 'is', { value: f })",
        "Reflect.set(Object, 'is', f)",
        "Object['is'] = f",
        "Object.setPrototypeOf(AssertionError.prototype, null)",
        "import { expect } from 'vitest'",
        "const { test } = require('node:test')",
        "globalThis.expect = () => ({ toBe() {} })",
        "Object.defineProperty(globalThis, 'expect', { value: fake })",
        "require('assert').strictEqual = () => {}",
        "assert.deepEqual = () => {}",
        "expect.extend({ toBe() { return { pass: true } } })",
        "Module._load = (n) => fake(n)",
        "require.cache[require.resolve('./real')] = { exports: fake }",
        "Object.prototype.toString = () => 'x'",
        "Object.is = () => true",
        "JSON.stringify = () => '{}'",
        "fs.writeFileSync('junit.xml', ok)",
        "process.stdout.write = () => true",
    ],
    "reads_frames": [
        "try { null.x } catch (error) { seen = error.stack }\nif (/\\.test\\./.test(seen)) x = 1",
        "const e = {}; Error['captureStackTrace'](e)\nif (String(e.stack).includes('.test.')) x = 1",
        "Error.prepareStackTrace = (_, s) => s",
        "const s = new Error().stack.split('\\n')",
        "const stack = new Error('x').stack\nif (stack.includes('.test.')) x = 1",
        "if (/spec/.test(new Error().stack)) x = 1",
        "const who = arguments.callee.caller",
        "Error.captureStackTrace(holder)",
        "import callsites from 'callsites'",
    ],
    "always_equal": [
        "class A { asymmetricMatch() { return true } }",
        "const a = { $$typeof: Symbol.for('jest.asymmetricMatcher') }",
        "class A { equals(other) { return true } }",
        "const a = { i: 1, valueOf() { return this.i++ } }",
        "const a = { [Symbol.toPrimitive]: () => i++ }",
        "class A { static [Symbol.hasInstance](x) { return true } }",
        "const a = new Proxy({}, { get: () => true })",
    ],
    "hidden_code": [
        "const { mock } = await import(['node', 'test'].join(':'))",
        "eval(text)",
        "(0, eval)(text)",
        "globalThis['ev' + 'al'](text)",
        "new Function('a', body)(1)",
        "vm.runInThisContext(text)",
        "require(atob('ZnM='))",
        "[]['constructor']('x')",
        "const s = String.fromCharCode(101, 118, 97, 108, 40)",
        "const s = Buffer.from('" + "eJzT" * 80 + "', 'base64')",
    ],
}


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule, texts in CHEATS.items() for text in texts])
def test_product_scripts_made_for_tests_are_found(rule: str, text: str) -> None:
    assert rule in {each.rule for each in product_script_findings(added("src/price.ts", text + "\n"))}


HONEST = [
    ("src/check.js", "import assert from 'node:assert'\nassert.ok(x)\nconst y = assert.strict === z"),
    ("src/log.js", "try { f() } catch (error) { logger.error(error.stack) }"),
    ("src/glob.js", "const wanted = files.filter((file) => !file.endsWith('.test.js'))"),
    ("src/env.js", "const own = Object.keys(process.env).filter((name) => name.startsWith('VITE_'))"),
    ("src/old.js", "Object.defineProperty(Array.prototype, 'at', { value: at })"),
    ("src/a.ts", "// process.env.JEST_WORKER_ID is never read, nor eval(x)"),
    ("src/a.ts", "/* import { expect } from 'vitest'\n new Function(a, b) */ const a = 1"),
    ("src/a.ts", "const help = 'never call process.exit(0) or eval(text) here'"),
    ("src/a.ts", "if (process.env.NODE_ENV === 'production') x = 1"),
    ("src/a.ts", "if (process.env.CI) x = 1"),
    ("src/app.js", "if (process.env.NODE_ENV !== 'test') {\n  app.listen(3000)\n}"),
    ("src/app.js", "if (process.env.NODE_ENV !== 'test') app.use(morgan('dev'))"),
    ("src/a.ts", "if (import.meta.vitest) {\n  const { it, expect } = import.meta.vitest\n}"),
    ("src/a.ts", "const testimony = /test/.test(name); const r = a / b / c"),
    ("src/cli.ts", "main().then(() => process.exit(0))"),
    ("src/server.js", "process.on('SIGTERM', () => server.close(() => process.exit(0)))"),
    ("bin/tool", "#!/usr/bin/env node\nprocess.exit(0)"),
    ("src/a.ts", "export function fail(m: string): never { console.error(m); process.exit(1) }"),
    ("vitest.config.ts", "import { defineConfig } from 'vitest/config'"),
    ("src/testing/kit.ts", "import { vi } from 'vitest'"),
    ("src/test-utils.tsx", "import { expect } from 'vitest'"),
    ("src/Button.stories.tsx", "import { expect } from '@vitest/browser'"),
    ("src/a.ts", "delete require.cache[require.resolve(path)]"),
    ("src/a.ts", "String.prototype.trimStart ??= function () { return this }"),
    ("src/a.ts", "class E extends Error { constructor() { super(); Error.captureStackTrace(this, E) } }"),
    ("src/a.ts", "logger.error(err.stack); log(new Error('where').stack)"),
    ("src/a.ts", "const lines = err.stack.split('\\n')"),
    ("src/a.ts", "class P { equals(o: P) { return this.x === o.x } }"),
    ("src/a.ts", "class M { valueOf() { return this.amount } }"),
    ("src/a.ts", "const state = new Proxy(target, { get(t, k) { track(k); return t[k] } })"),
    ("src/a.ts", "model.eval(); redis.eval(script, 1)"),
    ("src/a.ts", "const root = Function('return this')()"),
    ("src/a.ts", "const c = String.fromCharCode(65 + n)"),
    ("src/a.ts", "const icon = atob('iVBORw0KGgoAAAANSUhEUg" + "A" * 300 + "')"),
    ("src/a.ts", "const m = `never eval(x) but ${name} and process.exit(0)`"),
    ("src/a.test.ts", "import { expect } from 'vitest'; eval(x)"),
    ("src/a.ts", "const window = { test: 1 }; export const test = it"),
    ("src/a.ts", "export function isEqual(a, b) { return a === b }"),
]


@pytest.mark.parametrize(("path", "text"), HONEST)
def test_honest_scripts_are_left_alone(path: str, text: str) -> None:
    assert product_script_findings(added(path, text + "\n")) == []


def test_what_a_file_had_before_is_not_new() -> None:
    old = "export const f = () => eval(text)\n"

    assert product_script_findings(edited("a.js", old, "const x = 1\n" + old)) == []


@pytest.mark.parametrize(
    ("source", "text", "code"),
    [
        ("a // b\nc", "a     \nc", "a     \nc"),
        ("a /* b\n */ c", "a     \n    c", "a     \n    c"),
        ("'// a' + \"/* b\"", "'// a' + \"/* b\"", "'    ' + \"    \""),
        ("`a ${b('c')} // d` // e", "`a ${b('c')} // d`     ", "`  ${b(' ')}     `     "),
        ("x = /[/'\"]/g; // y", "x = /[/'\"]/g;     ", "x = /[/'\"]/g;     "),
        ("a / b; 'c'", "a / b; 'c'", "a / b; ' '"),
    ],
)
def test_comments_and_strings_are_blanked(source: str, text: str, code: str) -> None:
    script = read_script(source)

    assert (script.text, script.code) == (text, code)


@given(st.text(alphabet="ab'\"`/*\\${}\n [](", max_size=80))
def test_no_text_makes_it_raise_or_moves_a_line(text: str) -> None:
    script = read_script(text)

    scan("a.js", text)
    assert len(script.text) == len(script.code) == len(text)
    assert script.text.count("\n") == script.code.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "part", ["x'y", "'", "`${", "/*", "(", "process.argv ", "new Proxy(", "new Error", "a.b", "/[", "'te", "NODE_ENV "]
)
def test_long_lines_take_time_in_proportion(part: str) -> None:
    began = time.perf_counter()

    scan("a.js", part * (200_000 // len(part)))

    assert time.perf_counter() - began < 10
