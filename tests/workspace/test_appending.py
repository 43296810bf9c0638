"""Appending to a file that people and others write too: whole, once, and never at the end of somebody else's line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from andon.domain.errors import UserError
from andon.workspace.files import OutsideWorkspace, append_contained


def test_B_44_an_entry_is_added_once_and_begins_a_line_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text("# Bulletin\n\nA person's words")

    for _ in range(2):
        append_contained(tmp_path, "b.md", "## [1] - w\n\n")

    assert (tmp_path / "b.md").read_text() == "# Bulletin\n\nA person's words\n## [1] - w\n\n"


def test_B_44_a_new_file_begins_with_the_entry(tmp_path: Path) -> None:
    append_contained(tmp_path, "a/b.md", "## [1] - w\n\n")

    assert (tmp_path / "a/b.md").read_text() == "## [1] - w\n\n"


def test_B_44_what_is_no_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "link.md").symlink_to("/etc/passwd")
    (tmp_path / "file").write_text("")

    for name in ("folder.md", "pipe.md"):
        with pytest.raises(UserError, match="Not a regular file"):
            append_contained(tmp_path, name, "x\n")
    for name in ("link.md", "file/b.md", "../b.md"):
        with pytest.raises(OutsideWorkspace):
            append_contained(tmp_path, name, "x\n")
