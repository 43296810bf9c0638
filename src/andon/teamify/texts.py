"""Texts of people, read from a path that may be anything: a folder, a pipe, a device, a photo. Never waits."""

from __future__ import annotations

import codecs
import os
import stat
from pathlib import Path

from andon.domain.errors import UserError

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_text(path: Path, largest: int, *, missing: str, kind: str) -> str:
    """In UTF-8, or in UTF-16 where it says so. Raises UserError; `missing` is the hint where there is no file, `kind`
    where it is something else."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise UserError(f"There is no file {path}", missing) from None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}", kind) from None
    except ValueError:
        raise UserError("A path has no NUL in it", kind) from None
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise UserError(f"{path} is a folder", f"{kind} Name the file in it.")
        if not stat.S_ISREG(mode):
            raise UserError(f"{path} is no ordinary file", kind)
        raw = _read(descriptor, largest + 1)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}", kind) from None
    finally:
        os.close(descriptor)
    if len(raw) > largest:
        raise UserError(f"{path} is larger than {largest // 1_000_000} MB", kind)
    try:
        return decoded(raw)
    except UnicodeDecodeError:
        raise UserError(f"{path} is no text in UTF-8", kind) from None


def _read(descriptor: int, most: int) -> bytes:
    parts, size = list[bytes](), 0
    while size < most and (part := os.read(descriptor, min(1 << 20, most - size))):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def decoded(raw: bytes) -> str:
    """Raises UnicodeDecodeError."""
    return raw.decode("utf-16") if raw.startswith(_UTF16) else raw.decode("utf-8-sig")
