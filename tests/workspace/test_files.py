"""Atomic writes and contained access: kills, links and other things an agent can leave in the way."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from andon.domain.errors import EnvironmentProblem, UserError
from andon.workspace.files import (
    OutsideWorkspace,
    read_contained,
    remove_contained,
    write_atomic,
    write_contained,
)
from andon.workspace.locks import locked


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_D_96_replaces_content_and_leaves_no_temporary_file(tmp_path: Path) -> None:
    target = tmp_path / "state.json"
    write_atomic(target, "one")
    write_atomic(target, b"two")
    assert target.read_bytes() == b"two"
    assert names(tmp_path) == ["state.json"]


def test_D_96_E_11_failing_rename_keeps_the_original(tmp_path: Path) -> None:
    target = tmp_path / "state"
    (target / "inside").mkdir(parents=True)  # a folder that is not empty cannot be renamed over
    with pytest.raises(OSError, match=r"."):
        write_atomic(target, "new")
    assert (target / "inside").is_dir()
    assert names(tmp_path) == ["state"]


def test_D_96_longest_names_have_room_for_the_temporary_one(tmp_path: Path) -> None:
    name = "파" * 85
    write_atomic(tmp_path / name, "x")
    assert names(tmp_path) == [name]


WRITER = """
import sys
from pathlib import Path
from andon.workspace.files import write_atomic
target = Path(sys.argv[1])
print("ready", flush=True)
for number in range(1_000_000):
    write_atomic(target, str(number).zfill(8) * 4096)
"""


def test_D_96_E_11_a_killed_writer_leaves_a_whole_file_and_strays_are_swept(tmp_path: Path) -> None:
    target = tmp_path / "state.json"
    write_atomic(target, "00000000" * 4096)
    for _ in range(8):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(target)], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        writer.stdout.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            writer.wait(random.uniform(0.001, 0.05))
        writer.send_signal(signal.SIGKILL)
        writer.wait(10)
        writer.stdout.close()
        text = target.read_text()
        assert text == text[:8] * 4096
    old, young = (tmp_path / f"state.json.{digit * 32}.tmp" for digit in "0f")
    old.write_text("stray")
    os.utime(old, (1, 1))
    young.write_text("of a writer that may be at work")
    (tmp_path / "notes.tmp").write_text("a person's own")
    write_atomic(target, "last")
    left = names(tmp_path)
    assert old.name not in left and {young.name, "notes.tmp", "state.json"} <= set(left)


def test_D_88_reads_and_writes_below_the_root(tmp_path: Path) -> None:
    path = write_contained(tmp_path, "docs/01-plan/../01-plan/x.md", "text")
    assert path == tmp_path / "docs/01-plan/x.md"
    assert read_contained(tmp_path, "docs/01-plan/x.md") == b"text"
    with pytest.raises(FileNotFoundError):
        read_contained(tmp_path, "docs/none.md")


def test_D_88_keeps_the_mode_of_a_file_it_replaces(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("old")
    script.chmod(0o755)
    write_contained(tmp_path, "run.sh", "new")
    assert script.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize(
    "path",
    ["../secret", "/etc/passwd", "a/../../secret", "link.txt", "up/secret", "folder/through/secret", "", ".", "a\0b"],
)
def test_D_88_nothing_outside_is_read_or_written(tmp_path: Path, path: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    (root / "link.txt").symlink_to(secret)
    (root / "up").symlink_to(tmp_path)
    (root / "folder" / "through").symlink_to("../..")
    with pytest.raises(OutsideWorkspace, match=r"^Access denied: Path outside workspace$"):
        read_contained(root, path)
    with pytest.raises(OutsideWorkspace):
        write_contained(root, path, "overwritten")
    assert secret.read_text() == "secret"


def test_only_regular_files_of_bounded_size_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "big").write_bytes(b"x" * 11)
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tmp_path)  # a socket's path may be no longer than 108 bytes
        server.bind("socket")
        for name in ("pipe", "folder", "socket"):
            with pytest.raises(UserError, match="Not a regular file"):
                read_contained(tmp_path, name)
            with pytest.raises(UserError, match="Not a regular file"):
                write_contained(tmp_path, name, "x")
    with pytest.raises(UserError, match="more than 10 bytes"):
        read_contained(tmp_path, "big", limit=10)
    assert read_contained(tmp_path, "big", limit=11) == b"x" * 11


def test_D_95_waits_for_a_lock_that_is_released(tmp_path: Path) -> None:
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with locked(tmp_path / "file"):
            held.set()
            assert release.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(10)
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:  # 300 ms have passed
            release.set()
            holder.join(10)

    with locked(tmp_path / "file", sleep=sleep):
        pass
    assert waits == [0.1, 0.2]


def test_D_95_gives_up_after_ten_retries(tmp_path: Path) -> None:
    waits: list[float] = []
    with locked(tmp_path / "file"):
        with pytest.raises(EnvironmentProblem, match="locked by another process"):
            with locked(tmp_path / "file", sleep=waits.append):
                pass
    assert len(waits) == 10
    assert min(waits) == 0.1
    assert max(waits) == 1.0


def test_D_95_an_exception_releases(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), locked(tmp_path / "file"):
        raise ZeroDivisionError
    with locked(tmp_path / "file", retries=0):
        pass


def test_A_146_removing_takes_a_link_and_not_what_it_leads_to(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "kept.bak").write_text("kept")
    (root / "link.bak").symlink_to(outside / "kept.bak")
    (root / "way").symlink_to(outside)

    remove_contained(root, "link.bak")
    remove_contained(root, "gone/already.bak")
    with pytest.raises(OutsideWorkspace):
        remove_contained(root, "way/kept.bak")

    assert names(root) == ["way"] and names(outside) == ["kept.bak"]
