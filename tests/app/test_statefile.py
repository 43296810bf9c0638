"""A status file somebody broke is never overwritten before it was kept aside, and one that is whole is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from andon.app.statefile import keep_broken_aside

BROKEN = {
    "cut off": b"{ half a fi",
    "a list": b"[1, 2]",
    "no text": b"\xff\xfe\x00",
    "a wrong type": b'{"primaryFeature": "greet", "phaseNumber": "three"}',
    "of the future": b'{"primaryFeature": "greet", "phaseNumber": 1, "schemaVersion": 99}',
    "half a character": b'{"primaryFeature": "greet", "phaseNumber": 1, "mine": "\\ud800"}',
}


def written(checkout: Path, content: bytes) -> Path:
    status = checkout / "docs/.pdca-status.json"
    status.parent.mkdir()
    status.write_bytes(content)
    return status


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN.keys())
def test_E_11_a_broken_status_file_is_kept_aside(tmp_path: Path, content: bytes) -> None:
    status = written(tmp_path, content)

    told = keep_broken_aside(tmp_path)

    [copy] = status.parent.glob(".pdca-status.json.broken-*")
    assert copy.read_bytes() == status.read_bytes() == content
    assert copy.name in told


def test_E_11_a_whole_one_is_left_alone(tmp_path: Path) -> None:
    status = written(tmp_path, b'{"primaryFeature": "older", "phaseNumber": 5, "status": "done", "mine": {"a": [1]}}')

    assert keep_broken_aside(tmp_path) == ""
    assert list(status.parent.iterdir()) == [status]
