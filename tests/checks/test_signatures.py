from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.checks.environment_errors import environment_error
from andon.checks.signatures import signatures

ROOT = "/somewhere/trees/a1"

PYTEST = """\
tests/test_app.py::test_add FAILED                                       [ 50%]
=================================== FAILURES ===================================
tests/test_app.py:{line}: AssertionError
=========================== short test summary info ============================
FAILED tests/test_app.py::test_add - AssertionError: assert {address} == 2
ERROR tests/test_other.py - ModuleNotFoundError: No module named 'missing'
========================= 1 failed, 1 error in {seconds}s ==========================
"""
RUFF_CONCISE = "src/app.py:{line}:8: F401 [*] `os` imported but unused\nFound 1 error.\n"
RUFF_FULL = (
    "F401 [*] `os` imported but unused\n --> src/app.py:{line}:8\n  |\n{line} | import os\n  |\nFound 1 error.\n"
)
RUFF_LENGTH = "src/app.py:{line}:121: E501 Line too long (13{line} > 120)\n"
ESLINT = "\n{root}/src/a.js\n  {line}:7  error  'x' is assigned a value but never used  no-unused-vars\n\n✖ 1 problem\n"
MYPY = 'src/app.py:{line}: error: Incompatible types in assignment (got "str")  [assignment]\nFound 1 error in 1 file\n'
TSC = "src/a.ts({line},5): error TS2322: Type 'string' is not assignable to type 'number'.\n"
TSC_PRETTY = (
    "\x1b[96msrc/a.ts\x1b[0m:\x1b[93m{line}\x1b[0m:\x1b[93m5\x1b[0m - \x1b[91merror\x1b[0m"
    "\x1b[90m TS2322: \x1b[0mType 'string' is not assignable to type 'number'.\n"
)
JEST = (
    "FAIL src/a.test.js ({seconds} s)\n  ● sums › adds\n\n    expect(received).toBe(expected)\n"
    "      at {root}/src/a.test.js:{line}:3\n"
)
VITEST = " FAIL  src/a.test.ts > sums > adds\nAssertionError: expected 3 to be 4\n Duration  {seconds}s\n"
TAP = "ok 1 - fine\nnot ok 2 - adds\n  ---\n  duration_ms: {seconds}\nnot ok 3 - later # TODO\n# tests 3\n"
SPEC = "✔ fine (0.4ms)\n✖ adds ({seconds}ms)\nℹ tests 2\n"
CRASH = (
    "Traceback\n  File '{root}/app.py', line {line}\nRuntimeError: object at {address} in /tmp/pytest-{line}/x lost\n"
)

GO_TEST = (
    "=== RUN   TestAdd\n    app_test.go:{line}: Add = -1 ({address})\n--- FAIL: TestAdd ({seconds}s)\n"
    "--- FAIL: TestTable ({seconds}s)\n    --- FAIL: TestTable/small_numbers ({seconds}s)\n"
    "    --- PASS: TestTable/fine ({seconds}s)\nFAIL\nFAIL\texample.com/app\t{seconds}s\n"
    "ok  \texample.com/app/sub\t{seconds}s\nFAIL\n"
)
GO_PANIC = (
    "--- FAIL: TestP ({seconds}s)\npanic: assignment to entry in nil map [recovered]\n\ngoroutine {line} [running]:\n"
    "testing.tRunner.func1.2({{address}, 0x551c90})\n\t/usr/lib/go-1.19/src/testing/testing.go:1396 +0x24e\n"
    "example.com/app/panics.TestP(0x0?)\n\t{root}/panics/p_test.go:{line} +0x2e\n"
    "FAIL\texample.com/app/panics\t{seconds}s\n"
)
GO_BUILD = (
    "FAIL\texample.com/app/bad [build failed]\nFAIL\n\n# example.com/app/bad\nbad/bad.go:{line}:29: undefined: y\n"
)
GO_VET = (
    "# example.com/app/bad\nvet: bad/bad.go:{line}:29: undeclared name: y\n# example.com/app/sub\n"
    'sub/sub.go:{line}:13: fmt.Printf format %d has arg "x" of wrong type string\n'
)
CARGO_TEST = (
    "running 3 tests\ntest tests::fine ... ok\ntest tests::adds ... FAILED\n"
    "test src/lib.rs - add (line {line}) ... FAILED\n\n"
    "thread 'tests::adds' (457) panicked at src/lib.rs:{line}:17:\nassertion `left == right` failed\n\n"
    "failures:\n    tests::adds\n\n"
    "test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in {seconds}s\n\n"
    "   Compiling app v0.1.0 ({root})\n     Running unittests src/lib.rs (target/debug/deps/app-71ce70495b798487)\n"
    "error: test failed, to rerun pass `--lib`\n"
)
RUSTC = (
    "    Checking app v0.1.0 ({root})\nerror[E0308]: mismatched types\n  --> src/lib.rs:{line}:41\n   |\n"
    '{line} | pub fn bad() -> i32 { return "s"; }\n   |        ^^^ expected `i32`, found `&str`\n\n'
    "For more information about this error, try `rustc --explain E0308`.\n"
    "error: could not compile `app` (lib) due to 1 previous error\n"
)
CLIPPY = (
    "error: approximate value of `f{32, 64}::consts::PI` found\n  --> src/lib.rs:{line}:48\n   |\n\n"
    "warning: length comparison to zero\n  --> src/lib.rs:{line}:54\n\n"
    "error: could not compile `app` (lib) due to 1 previous error; 1 warning emitted\n"
)
SUREFIRE = (
    "[INFO] Running app.AppTest\n"
    "[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 1, Time elapsed: {seconds} s "
    "<<< FAILURE! -- in app.AppTest\n"
    "[ERROR] app.AppTest.adds -- Time elapsed: {seconds} s <<< FAILURE!\n"
    "org.opentest4j.AssertionFailedError: expected: <3> but was: <-1>\n\tat app.AppTest.adds(AppTest.java:{line})\n\n"
    "[ERROR] app.AppTest.throwsUp -- Time elapsed: {seconds} s <<< ERROR!\njava.lang.IllegalStateException: boom\n"
    "[ERROR] Failures: \n[ERROR]   AppTest.adds:{line} expected: <3> but was: <-1>\n"
    "[INFO] BUILD FAILURE\n[INFO] Total time:  {seconds} s\n"
)
SUREFIRE_OLD = "adds(app.AppTest)  Time elapsed: {seconds} sec  <<< FAILURE!\njava.lang.AssertionError\n"
MAVEN_JAVAC = (
    "[ERROR] COMPILATION ERROR : \n[ERROR] {root}/src/main/java/app/App.java:[{line},65] incompatible types: "
    "java.lang.String cannot be converted to int\n[ERROR] -> [Help 1]\n"
)
GRADLE = (
    ":test\n\napp.AppTest > adds FAILED\n    java.lang.AssertionError at AppTest.java:{line}\n\n"
    "2 tests completed, 1 failed\nBUILD FAILED in {seconds}s\n"
)
GRADLE_JAVAC = "{root}/src/main/java/app/X.java:{line}: error: incompatible types: String cannot be converted to int\n"
MAKE = "gcc -c a.c\na.c:{line}:9: error: expected ';' before '}' token\nmake[1]: *** [Makefile:{line}: a.o] Error 1\n"
MAKE_SILENT = "testing\nmake: *** [Makefile:{line}: test] Error 1\n"

TABLE = [
    ("test", PYTEST, (
        "test:tests/test_app.py::test_add FAILED",
        "test:tests/test_other.py ERROR ModuleNotFoundError: No module named 'missing'")),
    ("lint", RUFF_CONCISE, ("lint:src/app.py F401 `os` imported but unused",)),
    ("lint", RUFF_FULL, ("lint:src/app.py F401 `os` imported but unused",)),
    ("lint", RUFF_LENGTH, ("lint:src/app.py E501 Line too long (# > #)",)),
    ("lint", ESLINT, ("lint:src/a.js 'x' is assigned a value but never used no-unused-vars",)),
    ("typecheck", MYPY, ('typecheck:src/app.py Incompatible types in assignment (got "str") [assignment]',)),
    ("typecheck", TSC, ("typecheck:src/a.ts TS2322: Type 'string' is not assignable to type 'number'.",)),
    ("typecheck", TSC_PRETTY, ("typecheck:src/a.ts TS2322: Type 'string' is not assignable to type 'number'.",)),
    ("test", JEST, ("test:src/a.test.js sums › adds FAILED",)),
    ("test", VITEST, ("test:src/a.test.ts > sums > adds FAILED",)),
    ("test", TAP, ("test:adds FAILED",)),
    ("test", SPEC, ("test:adds FAILED",)),
    ("build", CRASH, ("build:RuntimeError: object at 0x… in <tmp> lost",)),
    ("build", "\n====\n", ("build:no output",)),
    ("test", GO_TEST, (
        "test:example.com/app TestAdd FAILED", "test:example.com/app TestTable FAILED",
        "test:example.com/app TestTable/small_numbers FAILED")),
    ("test", GO_PANIC, ("test:example.com/app/panics TestP FAILED",)),
    ("test", GO_BUILD, ("test:bad/bad.go undefined: y", "test:example.com/app/bad build failed")),
    ("lint", GO_VET, (
        "lint:bad/bad.go undeclared name: y",
        'lint:sub/sub.go fmt.Printf format %d has arg "x" of wrong type string')),
    ("test", CARGO_TEST, ("test:src/lib.rs - add (line #) FAILED", "test:tests::adds FAILED")),
    ("typecheck", RUSTC, ("typecheck:src/lib.rs E0308 mismatched types",)),
    ("lint", CLIPPY, ("lint:src/lib.rs approximate value of `f{32, 64}::consts::PI` found",)),
    ("test", SUREFIRE, ("test:app.AppTest.adds FAILED", "test:app.AppTest.throwsUp ERROR")),
    ("test", SUREFIRE_OLD, ("test:adds(app.AppTest) FAILED",)),
    ("typecheck", MAVEN_JAVAC, (
        "typecheck:src/main/java/app/App.java incompatible types: java.lang.String cannot be converted to int",)),
    ("test", GRADLE, ("test:app.AppTest > adds FAILED",)),
    ("build", GRADLE_JAVAC, (
        "build:src/main/java/app/X.java incompatible types: String cannot be converted to int",)),
    ("build", MAKE, ("build:a.c: error: expected ';' before '}' token",)),
    ("test", MAKE_SILENT, ("test:testing",)),
]  # fmt: skip


def shown(text: str, **values: object) -> str:
    for name, value in values.items():
        text = text.replace("{" + name + "}", str(value))
    return text


@pytest.mark.parametrize(("goal", "output", "expected"), TABLE)
def test_A_105_signature(goal: str, output: str, expected: tuple[str, ...]) -> None:
    text = shown(output, line=7, seconds="0.12", root=ROOT, address="0x7f00aa")
    assert signatures(goal, text, root=ROOT) == expected


@pytest.mark.parametrize(("goal", "output"), [(goal, output) for goal, output, _ in TABLE])
def test_A_105_same_failure_same_signature(goal: str, output: str) -> None:
    first = shown(output, line=7, seconds="0.12", root=ROOT, address="0x7f00aa")
    again = shown(output, line=93, seconds="17.5", root="/elsewhere/b2", address="0x55cc")
    assert signatures(goal, first, root=ROOT) == signatures(goal, again, root="/elsewhere/b2")


@pytest.mark.parametrize(
    ("goal", "one", "other"),
    [
        ("test", "FAILED tests/test_a.py::test_x - assert", "FAILED tests/test_a.py::test_y - assert"),
        ("lint", "a.py:1:1: F401 `os` imported but unused", "a.py:1:1: F401 `re` imported but unused"),
        ("lint", "a.py:1:1: E501 Line too long (1 > 2)", "b.py:1:1: E501 Line too long (1 > 2)"),
        ("typecheck", "a.py:1: error: Bad  [misc]", "a.py:1: error: Worse  [misc]"),
        ("build", "error: cannot find a", "error: cannot find b"),
    ],
)
def test_A_105_different_failures_differ(goal: str, one: str, other: str) -> None:
    assert signatures(goal, one) != signatures(goal, other)


@given(st.text(max_size=400))
def test_A_105_any_output_gives_bounded_single_line_signatures(output: str) -> None:
    for name in signatures("test", output):
        assert name.startswith("test:") and len(name) <= 240 and len(name.splitlines()) == 1


@pytest.mark.parametrize(
    ("output", "code"),
    [
        ("ruff: command not found", 1),
        ("bash: line 1: ruff: command not found", 127),
        ("sh: 1: eslint: not found", 127),
        ("/bin/sh: 1: jest: not found", 1),
        ("zsh: command not found: pytest", 127),
        ("'pytest' is not recognized as an internal or external command,", 1),
        ("Error: tmux is not installed", 1),
        ("mypy not found in PATH", 1),
        ("ruff could not be found on your PATH", 1),
        ("Please check the PATH environment variable", 1),
        ("/usr/bin/python3: No module named pytest", 1),
        ("ModuleNotFoundError: No module named 'pytest'", 1),
        ("prlimit: failed to execute ruff: No such file or directory", 1),
        ("env: 'node': No such file or directory", 1),
        ("env: ‘node’: No such file or directory", 127),
        ("error: Failed to spawn: `ruff`", 2),
        ('npm error npx canceled due to missing packages and no YES option: ["eslint@9.0.0"]', 1),
        ("npm error code ENOTCACHED", 1),
        ("", 127),
    ],
)
def test_A_106_X_18_environment_errors(output: str, code: int) -> None:
    found = environment_error(f"some line\n{output}\n" if output else "", code)
    assert found
    assert not output or code == 127 or found == output


@pytest.mark.parametrize(
    "output",
    [
        "E       AssertionError: assert PATH == '/usr/bin'",
        "E   FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'",
        "AssertionError: assert Path('/a/PATH') == Path('/b')",
        "ModuleNotFoundError: No module named 'requests'",
        "FAILED tests/test_shell.py::test_it - AssertionError: bash: foo: command not found",
        "foo: command not found\n==== 1 failed, 3 passed in 0.12s ====",
        "foo: command not found\n# tests 3\n# fail 1",
        "src/a.py:1:8: F401 `os.PATH` imported but unused",
        "the package is not installed yet, so installing it",
        "error: page not found",
        "GET /index.html: 404 not found in cache",
        "Route /a: not found, as expected",
        "cp: cannot stat 'x': No such file or directory",
        "",
    ],
)
def test_A_106_X_18_ordinary_failures_are_not_environment_errors(output: str) -> None:
    assert environment_error(output, 1) is None
