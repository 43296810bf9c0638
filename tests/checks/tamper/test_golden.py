"""Snapshots may be added to a file of them; those of the base stay as they are."""

from __future__ import annotations

import pytest

from andon.checks.tamper.golden import golden_findings
from checks.tamper.small_changes import edited

AMBR = "# serializer version: 1\n{}"
SNAP = "// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n{}"
FILES = {
    "tests/__snapshots__/test_a.ambr": (AMBR, "# name: test_{}\n  '{}'\n# ---\n"),
    "tests/__snapshots__/a.test.ts.snap": (SNAP, '\nexports[`test {} 1`] = `\n"{} \\`x\\` \\${y}"\n`;\n'),
}


@pytest.mark.parametrize("path", FILES)
def test_an_added_entry_changes_no_expectation(path: str) -> None:
    whole, entry = FILES[path]
    old, other = (entry.replace("{}", name, 1).replace("{}", "value", 1) for name in "bc")
    more = entry.replace("{}", "a", 1).replace("{}", "text", 1)

    def found(before: str, after: str) -> int:
        return len(golden_findings(edited(path, whole.format(before), whole.format(after))))

    assert found(old + other, more + old + other) == 0
    assert found(old, old + more) == 0
    assert found(old + other, old + more) == 1, "one is gone"
    assert found(old, old.replace("value", "another") + more) == 1, "one is another"
    assert found(old, old + old.replace("value", "another")) == 1, "one stands in for another"
    assert found(old, old + more + "evil()\n") == 1, "something stands between"
    assert found(old, more) == 1
    assert found("", more) == 1, "nothing of the base can be read"


def test_an_entry_that_is_code_is_none() -> None:
    path = "tests/__snapshots__/a.test.ts.snap"
    old = SNAP.format("\nexports[`a 1`] = `1`;\n")

    assert golden_findings(edited(path, old, old + "\nexports[`b 1`] = `${process.exit(0)}`;\n"))
    assert not golden_findings(edited(path, old, old + "\nexports[`b 1`] = `\\${process.exit(0)}`;\n"))


def test_files_of_another_kind_are_compared_as_a_whole() -> None:
    assert golden_findings(edited("tests/data/receipt.txt", "a\n", "a\nb\n"))
