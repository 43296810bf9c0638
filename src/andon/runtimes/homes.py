"""Files in the home folder of an agent. Agents can write there, so no link in it is followed."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path, PurePosixPath

from andon.domain.errors import UserError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def put(home: Path, name: str, text: str) -> None:
    """In place of what is there; whoever reads that just now goes on with what it has."""
    *folders, last = PurePosixPath(name).parts
    place = os.open(home, _FOLDER)
    try:
        for folder in folders:
            above, place = place, _entered(place, folder)
            os.close(above)
        fresh = f".{last}.new"
        with suppress(FileNotFoundError):
            os.unlink(fresh, dir_fd=place)
        with os.fdopen(os.open(fresh, _CREATE, 0o600, dir_fd=place), "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(fresh, last, src_dir_fd=place, dst_dir_fd=place)
    except OSError as wrong:
        raise UserError(f"the agent's {name} cannot be written: {wrong.strerror}") from wrong
    finally:
        os.close(place)


def _entered(place: int, folder: str) -> int:
    """The folder below, in the place of a link."""
    with suppress(OSError):
        os.readlink(folder, dir_fd=place)
        os.unlink(folder, dir_fd=place)
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700, dir_fd=place)
    return os.open(folder, _FOLDER, dir_fd=place)
