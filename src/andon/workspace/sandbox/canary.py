"""Tries, from inside a sandbox, what the sandbox promises to prevent, and prints what happened.

A program of its own (`python -I -S canary.py …`), standard library only, imported by nothing. Each line reads
`attempt reached` or `attempt refused`.
"""

import _socket
import os
import sys


def write_outside(path: str) -> None:
    os.close(os.open(f"{path}/left-by-canary", os.O_WRONLY | os.O_CREAT, 0o600))


def read_secret(path: str) -> None:
    os.close(os.open(path, os.O_RDONLY))


def reach_loopback(port: str) -> None:
    connection = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    connection.settimeout(1)
    connection.connect(("127.0.0.1", int(port)))


def see_process(identity: str) -> None:
    """`pid:start` names one process for good; the same number inside another pid namespace starts later."""
    pid, start = identity.split(":")
    file = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
    if os.read(file, 4096).rsplit(b")", 1)[1].split()[19].decode() != start:
        raise ProcessLookupError


def signal_process(identity: str) -> None:
    try:
        see_process(identity)
    except ProcessLookupError:
        raise
    except OSError:
        os.kill(int(identity.split(":")[0]), 0)


def write_sysctl(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY))


def write_workspace(path: str) -> None:
    write_outside(path)


ATTEMPTS = {
    attempt.__name__: attempt
    for attempt in (
        write_workspace,
        write_outside,
        read_secret,
        reach_loopback,
        see_process,
        signal_process,
        write_sysctl,
    )
}

if __name__ == "__main__":
    for argument in sys.argv[1:]:
        name, _, value = argument.partition("=")
        try:
            ATTEMPTS[name](value)
        except OSError:
            print(name, "refused")
        else:
            print(name, "reached")
