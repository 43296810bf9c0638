"""Orders to look away that a change adds are found, once, and not when they only moved."""

from __future__ import annotations

import pytest

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


LINE = "    return x.y  # type: ignore[attr-defined]\n"
NEXT = "// @ts-expect-error: old types\nconst a = f(b);\n"


@pytest.mark.parametrize("moves", [LINE, NEXT, "def slow():  # pragma: no cover\n"])
def test_one_that_moves_to_another_file_with_its_line_is_none(moves: str) -> None:
    files = {"a.py": ("x = 1\ny = 2\nz = 3\n" + moves, "x = 1\ny = 2\nz = 3\n"), "b.py": (None, "import q\n" + moves)}

    assert suppression_findings(change(files)) == []


@pytest.mark.parametrize(
    ("before", "after", "elsewhere"),
    [
        (LINE, "", LINE + LINE),
        (LINE, LINE, LINE),
        (LINE, "    return z  # type: ignore[attr-defined]\n", LINE),
        (LINE, "", "    return z.y  # type: ignore[attr-defined]\n"),
        ("# mypy: ignore-errors\n", "", "# mypy: ignore-errors\n"),
        ("# ruff: noqa\n", "", "# ruff: noqa\n"),
        ("/* eslint-disable */\nf();\n", "f();\n", "/* eslint-disable */\nf();\n"),
        (NEXT, "const a = f(b);\n", NEXT.replace("f(b)", "g(c)")),
    ],
)
def test_one_more_or_another_or_one_for_a_whole_file_is_found(before: str, after: str, elsewhere: str) -> None:
    rest = "x = 1\ny = 2\nz = 3\n"
    files = {"a.py": (before + rest, after + rest), "b.py": (None, elsewhere)}

    assert len(suppression_findings(change(files))) == 1


def test_one_that_moved_with_its_file_moves_no_second_time() -> None:
    files = {"a.py": (LINE, None), "b.py": (None, LINE), "c.py": (None, "import q\nimport r\n" + LINE)}

    assert [each.path for each in suppression_findings(change(files))] == ["c.py"]
