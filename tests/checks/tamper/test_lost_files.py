"""Tests in languages andon does not read are missed when they go, and only then."""

from __future__ import annotations

import pytest

from andon.checks.tamper.lost_files import lost_file_findings
from andon.domain.changeset import FILE, Changed, ChangeSet, Side


def gone(path: str, moved_to: str = "") -> list[str]:
    side = Side(FILE, b"exit 0\nand more\n")
    files = [Changed(path, side, None), *([Changed(moved_to, None, side)] if moved_to else [])]
    return [finding.rule for finding in lost_file_findings(ChangeSet(tuple(files)))]


@pytest.mark.parametrize("path", ["tests/test_old.sh", "test/run.pl", "spec/cart_spec.rb"])
def test_a_test_file_that_is_gone_is_found(path: str) -> None:
    assert gone(path) == ["test_deleted"]


@pytest.mark.parametrize("path", ["src/old.sh", "tests/test_a.py", "tests/data/x.txt", "docs/test.md"])
def test_what_is_no_test_or_is_read_elsewhere_is_not(path: str) -> None:
    assert gone(path) == []


def test_one_that_moved_is_not_gone() -> None:
    assert gone("tests/test_old.sh", "tests/unit/test_old.sh") == []
    assert gone("tests/test_old.sh", "attic/old.sh") == ["test_deleted"]
