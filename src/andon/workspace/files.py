"""Writing files so that a kill leaves the old or the new one, and reading and writing below a folder an agent shaped.

Contained access walks the path component by component and follows no symbolic link: what an agent planted in the
workspace can neither be read through nor written through. Nothing here knows git or runs.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
import time
import uuid
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from andon.domain.errors import UserError

LARGEST_READ = 16 * 1024 * 1024
STRAY_SECONDS = 600.0
"""A temporary file this old belongs to a writer that was killed: an atomic write takes milliseconds."""

_TEMPORARY = re.compile(r"\.[0-9a-f]{32}\.tmp$")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Not blocking, or a pipe the agent left in place of a file would hang the reader.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class OutsideWorkspace(UserError):
    def __init__(self, path: str) -> None:
        super().__init__("Access denied: Path outside workspace", f"{path!r} is, or leads through, something outside")


def is_draft(name: str) -> bool:
    """Whether this is the temporary file of an atomic write, finished or killed."""
    return _TEMPORARY.search(name) is not None


def write_atomic(path: Path, data: str | bytes, *, mode: int = 0o644, drafts: Path | None = None) -> None:
    """Replace a file of andon's own; readers see the old content or the new one, also after a power cut (D-96).

    `drafts` is a folder of the same disk, for a file beside which others would take a draft for something else.
    """
    with _opened(path.parent) as folder, _opened(drafts or path.parent) as drafting:
        _sweep(drafting, path.name, older_than=STRAY_SECONDS)
        _replace(folder, path.name, _as_bytes(data), mode, drafting=drafting)


def read_contained(root: Path, relative: str, *, limit: int = LARGEST_READ) -> bytes:
    """The content of a regular file below `root`. A missing file is FileNotFoundError, as with open()."""
    *folders, name = _components(relative)
    with _opened(root) as top, _walked(top, folders, relative, make=False) as folder:
        try:
            descriptor = os.open(name, _READ, dir_fd=folder)
        except OSError as problem:
            raise _explained(problem, relative) from problem
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise UserError(f"Not a regular file: {relative}")
        with os.fdopen(descriptor, "rb") as opened:
            data = opened.read(limit + 1)
    if len(data) > limit:
        raise UserError(f"File too large: {relative} has more than {limit} bytes")
    return data


def write_contained(root: Path, relative: str, data: str | bytes, *, mode: int = 0o644, keep: bool = True) -> Path:
    """Atomically write a file below `root`, making folders on the way; returns its path.

    One that is not for keeping is not synced: it lies in a copy that goes anyway. Only one process at a time writes
    below a workspace: drafts of the same file are what a killed one left, and go.
    """
    *folders, name = parts = _components(relative)
    with _opened(root) as top, _walked(top, folders, relative, make=True) as folder:
        try:
            present = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        except FileNotFoundError:
            present = stat.S_IFREG | mode
        if stat.S_ISLNK(present):
            raise OutsideWorkspace(relative)
        if not stat.S_ISREG(present):
            raise UserError(f"Not a regular file: {relative}")
        _sweep(folder, name, older_than=0)
        _replace(folder, name, _as_bytes(data), stat.S_IMODE(present) & 0o777, sync=keep)
    return root.joinpath(*parts)


def append_contained(root: Path, relative: str, data: str | bytes) -> None:
    """Whole, at the end of a file below `root`, however many write at once. What stands there already is not added
    again."""
    *folders, name = _components(relative)
    with _opened(root) as top, _walked(top, folders, relative, make=True) as folder:
        try:
            descriptor = os.open(name, _APPEND, 0o644, dir_fd=folder)
        except OSError as problem:
            raise _explained(problem, relative) from problem
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise UserError(f"Not a regular file: {relative}")
            _append_once(descriptor, _as_bytes(data))
        finally:
            os.close(descriptor)


def _append_once(descriptor: int, data: bytes) -> None:
    """By whoever's turn it is. What others left without an end of the line gets one."""
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    before = os.fstat(descriptor).st_size
    there = _content(descriptor, before)
    if data in there:
        return
    left = memoryview(data if not there or there.endswith(b"\n") else b"\n" + data)
    try:
        while left:
            left = left[os.write(descriptor, left) :]
    except OSError:
        os.ftruncate(descriptor, before)  # a full disk leaves no half entry
        raise


def _content(descriptor: int, size: int) -> bytes:
    parts, at = list[bytes](), 0
    while at < size and (part := os.pread(descriptor, size - at, at)):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def remove_contained(root: Path, relative: str) -> None:
    """Remove a file or link below `root`; one that is gone already does not matter."""
    *folders, name = _components(relative)
    with _opened(root) as top, suppress(FileNotFoundError), _walked(top, folders, relative, make=False) as folder:
        os.unlink(name, dir_fd=folder)


def relative_to_root(root: Path, path: Path) -> str:
    """`path` as a path below `root`, whether given absolute or relative; OutsideWorkspace when it is not below."""
    if not path.is_absolute():
        return path.as_posix()
    for top in (root, root.resolve()):
        try:
            return PurePosixPath(os.path.normpath(path)).relative_to(os.path.normpath(top)).as_posix()
        except ValueError:
            continue
    raise OutsideWorkspace(str(path))


def _components(relative: str) -> list[str]:
    """The names on the way. `a/../b` is resolved as text, which is exact because no link is ever followed."""
    if "\0" in relative or relative.startswith("/"):
        raise OutsideWorkspace(relative)
    parts = PurePosixPath(os.path.normpath(relative or ".")).parts
    if not parts or parts[0] == "..":
        raise OutsideWorkspace(relative)
    return list(parts)


@contextmanager
def _opened(folder: Path) -> Generator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _walked(top: int, folders: list[str], relative: str, *, make: bool) -> Generator[int]:
    descriptor = os.dup(top)
    try:
        for name in folders:
            try:
                below = _entered(descriptor, name, make)
            except OSError as problem:
                raise _explained(problem, relative) from problem
            os.close(descriptor)
            descriptor = below
        yield descriptor
    finally:
        os.close(descriptor)


def _entered(folder: int, name: str, make: bool) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
    try:
        os.mkdir(name, 0o755, dir_fd=folder)
        os.fsync(folder)
    except FileExistsError:
        pass  # made by someone else in the meantime
    return os.open(name, _FOLDER, dir_fd=folder)


def _explained(problem: OSError, relative: str) -> Exception:
    # A link in the way shows as ELOOP, or as ENOTDIR where a folder was expected.
    if problem.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
        return OutsideWorkspace(relative)
    if problem.errno in (errno.ENXIO, errno.EISDIR):
        return UserError(f"Not a regular file: {relative}")
    return problem


def _replace(folder: int, name: str, data: bytes, mode: int, *, sync: bool = True, drafting: int | None = None) -> None:
    temporary, drafts = _temporary(name), folder if drafting is None else drafting
    descriptor = os.open(temporary, _CREATE, mode, dir_fd=drafts)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.fchmod(descriptor, mode)
            if sync:
                os.fsync(descriptor)
        os.rename(temporary, name, src_dir_fd=drafts, dst_dir_fd=folder)
    except BaseException:
        os.unlink(temporary, dir_fd=drafts)
        raise
    if sync:
        os.fsync(folder)


def _sweep(folder: int, name: str, *, older_than: float) -> None:
    """Remove what killed writers of this file left beside it."""
    for draft in [entry.name for entry in os.scandir(folder) if _is_draft_of(name, entry.name)]:
        with suppress(FileNotFoundError):  # its writer finished after all
            found = os.stat(draft, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISREG(found.st_mode) and time.time() - found.st_mtime >= older_than:
                os.unlink(draft, dir_fd=folder)


def _temporary(name: str) -> str:
    return f"{_head(name)}.{uuid.uuid4().hex}.tmp"


def _is_draft_of(name: str, found: str) -> bool:
    return is_draft(found) and _TEMPORARY.sub("", found) == _head(name)


def _head(name: str) -> str:
    # The end of a draft's name tells what it is; the beginning may give way where 255 bytes are not enough.
    return os.fsdecode(os.fsencode(name)[: 255 - 37])


def _as_bytes(data: str | bytes) -> bytes:
    return data.encode() if isinstance(data, str) else data
