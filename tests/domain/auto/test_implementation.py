"""A-76, A-80 to A-88, A-121, A-144: claims of completion and what voids them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.auto import red_flags
from andon.domain.auto.implementation import (
    Change,
    ChangeKind,
    Objection,
    Place,
    deleted_tests,
    first_iteration,
    is_test,
    place_of,
    refusals,
    uncertain,
)
from andon.domain.auto.messages import Completed
from andon.domain.auto.red_flags import Flag
from andon.domain.limits import AutoLimits

LIMITS = AutoLimits()
CLAIM = Completed(3, ("src/a.py",), "12 passed, 0 failed", "build ok", "0 errors", "follows the existing pattern")


def objections(claim: Completed) -> list[Objection]:
    return [each.objection for each in refusals(claim, LIMITS)]


def test_A_82_all_evidence_lets_the_claim_go_on() -> None:
    assert refusals(CLAIM, LIMITS) == ()


@pytest.mark.parametrize("name", ["test_results", "build_results", "lint_results", "self_review"])
@pytest.mark.parametrize("empty", ["", " \n"])
def test_A_80_A_82_no_claim_without_evidence(name: str, empty: str) -> None:
    found = refusals(replace(CLAIM, **{name: empty}), LIMITS)

    assert [(each.objection, each.detail) for each in found] == [(Objection.NO_EVIDENCE, name)]


@pytest.mark.parametrize(
    "text",
    [
        "should work",
        "It should now all pass.",
        "probably fine",
        "this seems to pass",
        "아마 통과",
        "통과한 것 같습니다",
    ],
)
def test_A_84_A_85_uncertain_language_blocks(text: str) -> None:
    assert objections(replace(CLAIM, self_review=text)) == [Objection.UNCERTAIN]


@pytest.mark.parametrize(
    "text",
    ["✓ should work with an empty list", "tests/a.py::test_should_pass PASSED", "users should log in first", "passed"],
)
def test_A_84_names_of_tests_and_requirements_do_not(text: str) -> None:
    assert uncertain(text) == ()


@pytest.mark.parametrize(
    ("change", "gone"),
    [
        (Change(ChangeKind.DELETED, "src/a.py"), False),
        (Change(ChangeKind.DELETED, "src/a.test.ts"), True),
        (Change(ChangeKind.DELETED, "pkg/a_test.go"), True),
        (Change(ChangeKind.DELETED, "src/__tests__/a.js"), True),
        (Change(ChangeKind.DELETED, "src/latest.py"), False),
        (Change(ChangeKind.RENAMED, "tests/test_b.py", "tests/test_a.py"), False),
        (Change(ChangeKind.RENAMED, "old/a.py", "tests/test_a.py"), True),
        (Change(ChangeKind.ADDED, "tests/test_a.py"), False),
    ],
)
def test_A_84_what_counts_as_a_deleted_test(change: Change, gone: bool) -> None:
    assert bool(deleted_tests([change])) is gone


def test_A_84_test_files() -> None:
    assert is_test("test_a.py") and is_test("a/b.spec.tsx") and is_test("FooTest.java")
    assert not is_test("src/contest.py") and not is_test("attest.md")


@pytest.mark.parametrize(("iterations", "refused"), [(10, []), (11, [Objection.TOO_MANY_ITERATIONS])])
def test_A_81_X_15_the_tenth_iteration_may_still_complete(iterations: int, refused: list[Objection]) -> None:
    assert objections(replace(CLAIM, iterations=iterations)) == refused


@pytest.mark.parametrize(("used", "first"), [(0, 1), (1, 2), (4, 5), (5, 1), (9, 1)])
def test_A_144_X_67_where_a_resumed_loop_begins(used: int, first: int) -> None:
    assert first_iteration(used, LIMITS) == first


@pytest.mark.parametrize(
    ("command", "place"),
    [
        ("npm install", Place.BACKGROUND),
        ("npm ci --silent", Place.BACKGROUND),
        ("pip install -r x", Place.BACKGROUND),
        ("python -m pip install -e .", Place.BACKGROUND),
        ("pytest tests/ -v", Place.FOREGROUND),
        ("npm test", Place.FOREGROUND),
        ("npm install && npm test", Place.FOREGROUND),
        ("npm run build", Place.FOREGROUND),
        ("", Place.FOREGROUND),
    ],
)
def test_A_88_command_policy(command: str, place: Place) -> None:
    assert place_of(command) is place


DIFF = """diff --git a/src/a.py b/src/a.py
--- a/src/a.py
+++ b/src/a.py
@@ -1,3 +1,6 @@
 import os
-# TODO old
+# FIXME later
+try:
+    pass
+except:
     x = 1
@@ -20 +23,2 @@ def f():
 # TODO was here before
+++ HACK in a line that looks like a header  # HACK
diff --git "a/src/\\355\\225\\234.ts" "b/src/\\355\\225\\234.ts"
--- /dev/null
+++ "b/src/\\355\\225\\234.ts"
@@ -0,0 +1,5 @@
+try { go() } catch (e) {}
+try {
+} catch (e) {
+}
+const TODO = 1
diff --git a/README.md b/README.md
--- a/README.md
+++ b/README.md
@@ -1 +1 @@
-x
+# TODO list
"""


def test_A_85_flags_in_a_diff_with_file_and_line() -> None:
    found = [(each.flag, each.path, each.line) for each in red_flags.in_diff(DIFF)]

    assert found == [
        (Flag.MARKER, "src/a.py", 2),
        (Flag.BARE_EXCEPT, "src/a.py", 5),
        (Flag.MARKER, "src/a.py", 24),
        (Flag.EMPTY_CATCH, "src/한.ts", 1),
        (Flag.EMPTY_CATCH, "src/한.ts", 3),
    ]


def test_A_85_flags_read_as_one_line_for_the_failed_message() -> None:
    assert str(red_flags.in_diff(DIFF)[0]) == "src/a.py:2: todo_comment: # FIXME later"


def test_A_85_swallowed_exceptions() -> None:
    diff = "+++ b/a.py\n@@ -0,0 +1,4 @@\n+except Exception:\n+    pass\n+except ValueError:\n+    pass\n"

    assert [(each.flag, each.line) for each in red_flags.in_diff(diff)] == [(Flag.BARE_EXCEPT, 1)]


@pytest.mark.parametrize(("percent", "flags"), [(79.9, 1), (80.0, 0), (None, 0)])
def test_A_85_A_121_coverage(percent: float | None, flags: int) -> None:
    assert len(red_flags.in_coverage(percent, LIMITS)) == flags


@given(st.text() | st.lists(st.sampled_from(["@@ -1 +1,9 @@\n", "+++ b/x\n", "+a\n", "-b\n", "\\ No\n"])).map("".join))
def test_A_85_any_text_can_be_scanned(text: str) -> None:
    for flag in red_flags.in_diff(text):
        assert flag.line >= 0
