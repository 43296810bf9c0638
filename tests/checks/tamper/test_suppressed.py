"""Orders to look away that a change adds are found, once, and not when they only moved."""

from __future__ import annotations

from andon.checks.tamper.suppressed import suppression_findings
from checks.tamper.small_changes import added, change, edited


def test_an_added_order_is_found_with_its_place() -> None:
    [finding] = suppression_findings(edited("a.py", "x = 1\n", "x = 1\ny = f()  # type: ignore\n"))

    assert (finding.rule, finding.line, finding.subject) == ("suppression_added", 2, "y = f()  # type: ignore")


def test_an_order_that_stays_or_moves_is_none() -> None:
    old = "x = f()  # noqa: E501\n"

    assert suppression_findings(edited("a.py", old, "y = 1\n" + old)) == []
    assert suppression_findings(change({"a.py": (old, None), "b.py": (None, old)})) == []


def test_a_second_one_is_found() -> None:
    old = "x = f()  # pragma: no cover\n"

    [finding] = suppression_findings(edited("a.py", old, old + "y = g()  # pragma: no cover\n"))

    assert finding.line == 2


def test_it_does_not_depend_on_the_diff_which_may_be_cut() -> None:
    whole = added("a.py", "x = f()  # noqa\n")

    assert suppression_findings(type(whole)(whole.files)) != []


def test_prose_may_speak_of_them() -> None:
    assert suppression_findings(added("README.md", "Write `# noqa` never.\n")) == []
