"""A test that writes the file it then compares with checks nothing; one that writes its input does."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from andon.checks.tamper import comparing
from andon.domain.changeset import ChangeSet

Trees = Callable[[Mapping[str, str], Mapping[str, str]], ChangeSet]

HEAD = "from pathlib import Path\nfrom pkg import report\n\ndef test_report(tmp_path):\n"
EXPECTED = "    expected = Path(__file__).with_name('report.txt')\n"
CHECK = "    assert report() == expected.read_text()\n"


def rules(trees: Trees, before: str, after: str) -> set[str]:
    change = trees({"tests/test_report.py": before}, {"tests/test_report.py": after})
    return {each.rule for each in comparing.test_findings(change)}


def test_writing_what_is_expected_is_found(trees: Trees) -> None:
    after = f"{HEAD}{EXPECTED}    expected.write_text(report())\n{CHECK}"

    assert rules(trees, HEAD + EXPECTED + CHECK, after) == {"test_weakened"}


def test_what_is_expected_may_be_written_on_demand(trees: Trees) -> None:
    after = f"import os\n{HEAD}{EXPECTED}    if 'UPDATE' in os.environ:\n        expected.write_text(report())\n{CHECK}"

    assert rules(trees, HEAD + EXPECTED + CHECK, after) == set()


def test_a_file_that_the_code_changes_may_be_written_first(trees: Trees) -> None:
    check = "    path.write_text('a')\n    report(path)\n    assert path.read_text() == 'b'\n"
    before = f"{HEAD}    path = tmp_path / 'x'\n    path.touch()\n{check}"

    assert rules(trees, before, f"{HEAD}    path = tmp_path / 'x'\n{check}") == set()
