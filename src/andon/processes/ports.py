"""Who listens on a port of this machine, as far as a person without privileges can see."""

from __future__ import annotations

import socket
from pathlib import Path

LOOPBACK = "127.0.0.1"
_LISTENS = "0A"


def is_free(port: int) -> bool:
    """Whether a server could listen there now."""
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do: what is closing is no obstacle
        try:
            tried.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def listener(port: int) -> str:
    """The name and pid of the process that does; "" when that cannot be seen."""
    sockets = {f"socket:[{inode}]" for inode in _inodes(port)}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(str(each.readlink()) in sockets for each in (process / "fd").iterdir()):
                return f"{(process / 'comm').read_text().strip()} (pid {process.name})"
        except OSError:
            continue  # it has ended, or is somebody else's
    return ""


def _inodes(port: int) -> set[str]:
    found: set[str] = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = Path(table).read_text().splitlines()[1:]
        except OSError:
            continue
        rows = [line.split() for line in lines]
        found |= {row[9] for row in rows if row[3] == _LISTENS and int(row[1].rpartition(":")[2], 16) == port}
    return found
