"""Files whose names an agent chose: refused or corrected names, batches, collection."""

from __future__ import annotations

from pathlib import Path

import pytest

from andon.domain.filenames import Policy
from andon.workspace.deliverables import FileToWrite, InvalidFilename, collect, safe_write_file, safe_write_files
from andon.workspace.files import OutsideWorkspace


def test_D_88_writes_under_the_safe_name(tmp_path: Path) -> None:
    written = safe_write_file(tmp_path, tmp_path / "docs", "my plan.md", "본문")
    assert written.path == tmp_path / "docs" / "my_plan.md"
    assert written.path.read_text(encoding="utf-8") == "본문"
    assert written.naming.validation.warnings


def test_D_88_X_57_refuses_an_invalid_name_with_causes_and_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(InvalidFilename) as raised:
        safe_write_file(tmp_path, tmp_path, "../a?.md", "x")
    assert "invalid characters" in raised.value.message
    assert "path traversal" in raised.value.message
    assert raised.value.naming.suggestion is not None
    assert raised.value.naming.suggestion.suggested == "._a_.md"
    assert not list(tmp_path.iterdir())


def test_D_93_X_57_development_writes_the_corrected_name(tmp_path: Path) -> None:
    written = safe_write_file(tmp_path, tmp_path, "a?.md", "x", Policy.DEVELOPMENT)
    assert written.path == tmp_path / "a_.md"
    assert written.naming.event is not None


def test_D_88_folders_outside_are_denied(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / "link").symlink_to(outside)
    for folder in (outside, root / "link", Path("../outside"), root / ".." / "outside"):
        with pytest.raises(OutsideWorkspace):
            safe_write_file(root, folder, "x.md", "x")
    assert not list(outside.iterdir())


def test_D_88_a_root_reached_through_a_link_is_the_persons_choice(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to("real")
    root = tmp_path / "alias"
    safe_write_file(root, root.resolve() / "docs", "x.md", "x")
    assert (tmp_path / "real/docs/x.md").read_text() == "x"


def test_D_89_one_failure_does_not_stop_the_others(tmp_path: Path) -> None:
    files = [FileToWrite(tmp_path, name, "x") for name in ("a.md", "b?.md", "c d.md")]
    results = safe_write_files(tmp_path, files)
    assert [result.success for result in results] == [True, False, True]
    assert [result.original_filename for result in results] == ["a.md", "b?.md", "c d.md"]
    assert results[2].sanitized_path == tmp_path / "c_d.md"
    assert "invalid characters" in results[1].error


def test_D_90_collects_valid_files_and_reports_the_rest(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "plan.md").write_text("12345")
    (tmp_path / "설계.md").write_text("x")
    (tmp_path / "bad?.md").write_text("x")
    (tmp_path / "link.md").symlink_to("/etc/passwd")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("x")
    found = collect(tmp_path, "task-1")
    assert [(item.filename, item.size, item.validated) for item in found.deliverables] == [
        ("설계.md", 1, True),
        ("plan.md", 5, True),
    ]
    assert found.deliverables[1].path == tmp_path / "docs" / "plan.md"
    assert [(error.task, error.filename) for error in found.errors] == [("task-1", "bad?.md")]
    assert "invalid characters" in found.errors[0].errors[0]
