"""Which failures of a linter or type checker are the change's own (A-79)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from andon.checks.comparing import compared
from andon.domain.goal import Goal
from andon.domain.verdict import CheckResult, Verdict

RUFF = ("ruff", "check", "src/")
ESLINT = ("npx", "--no-install", "eslint", ".")
MYPY = ("mypy", "src/")
TSC = ("npx", "--no-install", "tsc", "--noEmit")
VET = ("go", "vet", "./...")
MAKE = ("make", "lint")


def printed(argv: tuple[str, ...], text: str) -> str:
    return f"$ {' '.join(argv)}\n{text}\n"


def ruff(*findings: str) -> str:
    """`path line code text` each, in the form that names a place below the heading."""
    told = ""
    for each in findings:
        path, line, code, text = each.split(" ", 3)
        told += f"{code} {text}\n --> {path}:{line}:1\n  |\n{line} | some code\n  |\n\n"
    return f"{told}Found {len(findings)} error{'s' if len(findings) != 1 else ''}.\n"


def judged(
    argv: tuple[str, ...], base: str, now: str, *, exits: tuple[int, int] = (1, 1), goal: str = "lint"
) -> CheckResult:
    def failed(code: int) -> CheckResult:
        return CheckResult(goal, Verdict.FAILED, "exit code", argv, exits=(code,), signatures=("lint:all of it",))

    before, after = failed(exits[0]), failed(exits[1])
    return compared(Goal(goal, (argv,)), before, printed(argv, base), after, printed(argv, now))


OLD = "src/a.py 3 F401 `os` imported but unused"


def test_A_79_what_the_base_has_too_does_not_count_wherever_it_has_moved() -> None:
    found = judged(RUFF, ruff(OLD), ruff(OLD.replace(" 3 ", " 90 ")))

    assert (found.verdict, found.signatures) == (Verdict.PASSED, ())
    assert found.reason == "nothing new: the only finding is the base's too"


def test_A_79_the_reason_counts_what_is_new_and_what_is_not() -> None:
    more, other = OLD.replace("a.py", "b.py"), OLD.replace("a.py", "c.py")

    assert judged(RUFF, ruff(OLD, more), ruff(OLD, more)).reason == "nothing new: all 2 findings are the base's too"
    assert judged(RUFF, ruff(OLD, more), ruff(OLD, more, other)).reason == "1 new finding; 2 more are the base's"
    assert judged(RUFF, ruff(OLD), ruff(OLD, more, other)).reason == "2 new findings; 1 more is the base's"
    assert judged(RUFF, ruff(OLD), ruff(more)).reason == "1 new finding"


@pytest.mark.parametrize(
    ("now", "name"),
    [
        (ruff(OLD, "src/a.py 9 F841 `x` is never used"), "lint:src/a.py F841 `x` is never used"),
        (ruff(OLD.replace("a.py", "b.py")), "lint:src/b.py F401 `os` imported but unused"),
        (ruff(OLD, OLD.replace(" 3 ", " 4 ")), "lint:src/a.py F401 `os` imported but unused"),
    ],
    ids=["another rule", "another file", "one more of the same"],
)
def test_A_79_what_the_change_adds_counts_and_is_named_alone(now: str, name: str) -> None:
    found = judged(RUFF, ruff(OLD), now)

    assert (found.verdict, found.signatures) == (Verdict.FAILED, (name,))
    assert found.output.endswith(f"Of these the base does not have:\n{name}\n")


def test_A_79_thousands_of_old_findings_hide_no_new_one() -> None:
    old = [f"src/m{number}.py 1 F401 `os` imported but unused" for number in range(4000)]

    assert judged(RUFF, ruff(*old), ruff(*old[1:])).verdict is Verdict.PASSED
    found = judged(RUFF, ruff(*old), ruff(*old, "src/z.py 1 F821 Undefined name `y`"))
    assert found.signatures == ("lint:src/z.py F821 Undefined name `y`",)


@pytest.mark.parametrize(
    ("now", "exits"),
    [
        ("ruff failed\n  Cause: Failed to parse ruff.toml\n", (1, 2)),
        ("ruff failed\n  Cause: Failed to parse ruff.toml\n", (1, 1)),
        (ruff(OLD).replace("Found 1 ", "Found 2 "), (1, 1)),
        (ruff(OLD).replace("Found 1 error.", ""), (1, 1)),
        (ruff(OLD) + "$ ruff check src/\n", (1, 1)),
        ("", (1, 1)),
    ],
    ids=["crash", "crash with its exit code", "more than can be read", "no count", "two heads", "silence"],
)
def test_A_79_what_is_not_understood_counts_as_it_is(now: str, exits: tuple[int, int]) -> None:
    found = judged(RUFF, ruff(OLD), now, exits=exits)

    assert (found.verdict, found.signatures) == (Verdict.FAILED, ("lint:all of it",))


ESLINT_OLD = "\nsrc/a.js\n  3:7  error  'x' is never used  no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)\n"
ESLINT_NEW = "\nsrc/a.js\n  3:7  error  'y' is not defined  no-undef\n\n✖ 1 problem (1 error, 0 warnings)\n"
MYPY_OLD = "src/a.py:3: error: Name defined on line 9  [no-redef]\nFound 1 error in 1 file (checked 2 source files)\n"


@pytest.mark.parametrize(
    ("argv", "base", "now", "verdict"),
    [
        (ESLINT, ESLINT_OLD, ESLINT_OLD.replace("3:7", "8:7"), Verdict.PASSED),
        (ESLINT, ESLINT_OLD, ESLINT_NEW, Verdict.FAILED),
        (MYPY, MYPY_OLD, MYPY_OLD.replace("3:", "5:").replace("line 9", "line 11"), Verdict.PASSED),
        (MYPY, MYPY_OLD, MYPY_OLD.replace("a.py", "b.py"), Verdict.FAILED),
        (TSC, "src/a.ts(3,5): error TS1: Old.\n", "src/a.ts(4,5): error TS1: Old.\n", Verdict.PASSED),
        (TSC, "src/a.ts(3,5): error TS1: Old.\n", "src/a b.ts(4,5): error TS1: Old.\n", Verdict.FAILED),
        (VET, "# m\n./a.go:3:2: unreachable code\n", "# m\n./a.go:9:2: unreachable code\n", Verdict.PASSED),
        (VET, "./a.go:3:2: unreachable code\n", "./a.go:3:2: unreachable code\npanic: vet\n", Verdict.FAILED),
    ],
)
def test_A_79_of_every_known_tool(argv: tuple[str, ...], base: str, now: str, verdict: Verdict) -> None:
    assert judged(argv, base, now).verdict is verdict


MYPY_STOPPED = (
    "old.py:2: error: Unexpected EOF  [syntax]\nFound 1 error in 1 file (errors prevented further checking)\n"
)


@pytest.mark.parametrize(
    ("argv", "printed_by_both", "code"),
    [
        (MYPY, MYPY_STOPPED, 2),
        (MYPY, MYPY_STOPPED, 1),
        (MYPY, MYPY_OLD, 2),
        (TSC, "src/old.ts(3,5): error TS1005: ';' expected.\n", 2),
        (TSC, "src/old.tsx(3,5): error TS17008: JSX element 'p' has no corresponding closing tag.\n", 2),
        (TSC, "error TS2688: Cannot find type definition file for 'node'.\n", 2),
        (TSC, "src/old.ts(1,1): error TS2688: Cannot find type definition file for 'node'.\n", 2),
        (TSC, "src/old.ts(1,1): error TS5097: An import path cannot end with '.ts'.\n", 2),
        (TSC, "src/old.ts(1,1): error TS6053: File 'x.ts' not found.\n", 2),
        (TSC, "error TS2468: Cannot find global value 'Promise'.\n", 2),
        (VET, "# m/dep\nvet: dep/a.go:2:23: undeclared name: x\n", 2),
        (VET, "# m/dep\ndep/a.go:2:23: undefined: x\n", 2),
        (VET, "dep/a.go:2:8: package nosuch is not in GOROOT (/usr/lib/go/src/nosuch)\n", 1),
    ],
)
def test_A_79_a_tool_that_stopped_early_says_nothing_of_what_it_did_not_look_at(
    argv: tuple[str, ...], printed_by_both: str, code: int
) -> None:
    assert judged(argv, printed_by_both, printed_by_both, exits=(code, code)).verdict is Verdict.NOT_NEEDED
    more = printed_by_both.replace("old", "new").replace("dep/", "other/").replace("'", '"')
    assert judged(argv, printed_by_both, more.replace("src/a.py", "b.py"), exits=(code, code)).verdict is Verdict.FAILED


def test_A_79_what_is_unused_keeps_tsc_from_nothing() -> None:
    unused = "src/a.ts(3,5): error TS6133: 'x' is declared but its value is never read.\n"

    assert judged(TSC, unused, unused.replace("3,5", "9,5"), exits=(2, 2)).verdict is Verdict.PASSED


def test_A_79_text_of_the_work_makes_no_line_of_its_own() -> None:
    """A new finding that cannot be read, and an old one, mended, that a string pretends to be there still."""
    kept = "F841 `x` is never used\n --> src/b.py:1:1\n  |\n1 | x = 'SEP'\n  |\n\n"
    base = f"{kept}F401 `os` imported but unused\n --> src/a.py:3:1\n\nFound 2 errors.\n"
    now = f"{kept}F821 Undefined name `y`\n --> src/b.py:one\n\nFound 2 errors.\n"

    for separator in ("\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\r"):
        forged = now.replace("SEP", f"{separator}src/a.py:3:1: F401 `os` imported but unused{separator}")
        assert judged(RUFF, base, forged).verdict is Verdict.FAILED, repr(separator)


def test_A_79_a_command_to_a_terminal_swallows_no_lines() -> None:
    old = "./a.go:1:2: unreachable code\n"

    assert judged(VET, old, f"\x1b]{old}./a.go:3:2: self-assignment of x\n\x07{old}").verdict is Verdict.FAILED


@pytest.mark.parametrize(
    ("argv", "base", "new"),
    [
        (RUFF, "F401 `os`\n --> src/my own.py:3:1\n\nFound 1 error.\n", "lint:src/my new.py F401 `os`"),
        (RUFF, "src/my own.py:3:1: F401 `os`\nFound 1 error.\n", "lint:src/my new.py F401 `os`"),
        (
            MYPY,
            "src/my own.py:3: error: No\nFound 1 error in 1 file (checked 2 source files)\n",
            "lint:src/my new.py No",
        ),
    ],
    ids=["ruff", "ruff, one line each", "mypy"],
)
def test_A_79_paths_may_have_spaces(argv: tuple[str, ...], base: str, new: str) -> None:
    assert judged(argv, base, base.replace(":3:", ":8:")).verdict is Verdict.PASSED
    assert judged(argv, base, base.replace("own", "new")).signatures == (new,)


def test_A_79_a_tool_that_cannot_be_read_is_excused_by_the_very_same_failure_alone() -> None:
    base = "shellcheck: In run.sh line 3: quote this, in 0.31 s\nmake: *** [Makefile:4: lint] Error 1\n"

    same = judged(MAKE, base, base.replace("0.31", "0.29"), exits=(2, 2))
    assert (same.verdict, same.signatures) == (Verdict.NOT_NEEDED, ())
    assert "on the base in the very same way" in same.reason
    assert judged(MAKE, base, base.replace("run.sh", "new.sh"), exits=(2, 2)).verdict is Verdict.FAILED
    assert judged(MAKE, base, f"{base}another\n", exits=(2, 2)).verdict is Verdict.FAILED


def test_A_79_a_crash_of_the_second_linter_is_not_hidden_by_what_the_first_has_always_found() -> None:
    goal = Goal("lint", (RUFF, ESLINT))
    old, crash = printed(RUFF, ruff(OLD)) + printed(ESLINT, ""), printed(RUFF, ruff(OLD)) + printed(ESLINT, "Oops!")
    before = CheckResult("lint", Verdict.FAILED, exits=(1, 0))

    assert compared(goal, before, old, replace(before, exits=(1, 0)), old).verdict is Verdict.PASSED
    assert compared(goal, before, old, replace(before, exits=(1, 2)), crash).verdict is Verdict.FAILED


@pytest.mark.parametrize("verdict", [Verdict.NOT_MEASURED, Verdict.PASSED])
def test_A_79_a_base_that_did_not_fail_excuses_nothing(verdict: Verdict) -> None:
    now = CheckResult("lint", Verdict.FAILED, exits=(1,))
    text = printed(RUFF, ruff(OLD))

    assert compared(Goal("lint", (RUFF,)), replace(now, verdict=verdict), text, now, text) == now
    assert compared(Goal("lint", (RUFF,)), replace(now, truncated=True), text, now, text) == now


def test_what_was_found_in_a_file_that_moved_is_not_new() -> None:
    def failed(text: str) -> tuple[CheckResult, str]:
        result = CheckResult("lint", Verdict.FAILED, "exit code", RUFF, exits=(1,))
        return result, printed(RUFF, text)

    goal = Goal("lint", commands=(RUFF,))
    before = failed(ruff("src/old.py 3 S102 Use of `exec` detected"))
    now = failed(ruff("src/new.py 3 S102 Use of `exec` detected"))

    assert compared(goal, *before, *now).reason == "1 new finding"
    assert compared(goal, *before, *now, {"src/old.py": "src/new.py"}).verdict is Verdict.PASSED
    assert compared(goal, *before, *now, {"src/other.py": "src/new.py"}).verdict is Verdict.FAILED
