"""The system-call filter of the sandbox, as a classic BPF program the kernel can load.

Allows by default and refuses what no build, test or agent needs. Owns no files and starts nothing.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

# Offsets in struct seccomp_data. Both machines are little-endian, so the low word of an argument comes first.
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16

_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000

_X32_BIT = 0x40000000
_CLONE_NEWUSER = 0x10000000
_TERMINAL_INJECTION = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX

AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16

# Same number on every machine since Linux 5.1.
_SHARED = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "clone3": 435,
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "open_tree_attr": 467,
}


@dataclass(frozen=True, slots=True)
class Machine:
    """What differs between processors: the audit name of the machine and its numbering of calls."""

    audit: int
    numbers: Mapping[str, int]
    x32: bool = False


MACHINES: Mapping[str, Machine] = {
    "x86_64": Machine(
        audit=0xC000003E,
        x32=True,
        numbers=_SHARED
        | {
            "ioctl": 16,
            "socket": 41,
            "socketpair": 53,
            "clone": 56,
            "syslog": 103,
            "uselib": 134,
            "vhangup": 153,
            "pivot_root": 155,
            "chroot": 161,
            "acct": 163,
            "settimeofday": 164,
            "mount": 165,
            "umount2": 166,
            "swapon": 167,
            "swapoff": 168,
            "reboot": 169,
            "sethostname": 170,
            "setdomainname": 171,
            "iopl": 172,
            "ioperm": 173,
            "create_module": 174,
            "init_module": 175,
            "delete_module": 176,
            "quotactl": 179,
            "nfsservctl": 180,
            "lookup_dcookie": 212,
            "clock_settime": 227,
            "kexec_load": 246,
            "add_key": 248,
            "request_key": 249,
            "keyctl": 250,
            "unshare": 272,
            "perf_event_open": 298,
            "prlimit64": 302,
            "open_by_handle_at": 304,
            "setns": 308,
            "finit_module": 313,
            "kexec_file_load": 320,
            "bpf": 321,
            "userfaultfd": 323,
        },
    ),
    "aarch64": Machine(
        audit=0xC00000B7,
        numbers=_SHARED
        | {
            "lookup_dcookie": 18,
            "ioctl": 29,
            "umount2": 39,
            "mount": 40,
            "pivot_root": 41,
            "nfsservctl": 42,
            "chroot": 51,
            "vhangup": 58,
            "quotactl": 60,
            "acct": 89,
            "unshare": 97,
            "kexec_load": 104,
            "init_module": 105,
            "delete_module": 106,
            "clock_settime": 112,
            "syslog": 116,
            "reboot": 142,
            "sethostname": 161,
            "setdomainname": 162,
            "settimeofday": 170,
            "socket": 198,
            "socketpair": 199,
            "add_key": 217,
            "request_key": 218,
            "keyctl": 219,
            "clone": 220,
            "swapon": 224,
            "swapoff": 225,
            "perf_event_open": 241,
            "prlimit64": 261,
            "open_by_handle_at": 265,
            "setns": 268,
            "finit_module": 273,
            "bpf": 280,
            "userfaultfd": 282,
            "kexec_file_load": 294,
        },
    ),
}

_BY_ARGUMENT = frozenset({"ioctl", "socket", "socketpair", "clone", "unshare", "prlimit64"})
# Programs fall back to an older call when they read "no such call"; from "not permitted" some do not.
# clone3 hides its flags behind a pointer, which a filter cannot follow.
_PRETEND_ABSENT = frozenset({"clone3", "io_uring_setup", "io_uring_enter", "io_uring_register"})

_Instruction = tuple[int, int, int, int]


def filter_for(
    machine: str,
    *,
    families: tuple[int, ...] = (AF_UNIX, AF_INET, AF_INET6, AF_NETLINK),
    sees_strangers: bool = False,
) -> bytes | None:
    """The filter for a machine as `platform.machine()` names it, or None where we have no table for it.

    `families` are the address families in which sockets may be made. `sees_strangers`: there is no process namespace,
    so limits may be set for oneself only; Landlock does not rule on them.
    """
    known = MACHINES.get(machine)
    if known is None:
        return None
    program = _program(known, families, sees_strangers)
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _program(machine: Machine, families: tuple[int, ...], sees_strangers: bool) -> Iterator[_Instruction]:
    # A foreign calling convention would number its calls differently and slip past every rule below.
    yield _LOAD, 0, 0, _ARCHITECTURE
    yield _EQUAL, 1, 0, machine.audit
    yield _refuse(errno.ENOSYS)
    yield _LOAD, 0, 0, _NUMBER
    if machine.x32:
        yield _AT_LEAST, 0, 1, _X32_BIT
        yield _refuse(errno.ENOSYS)
    for name, number in sorted(machine.numbers.items()):
        if name not in _BY_ARGUMENT:
            yield _EQUAL, 0, 1, number
            yield _refuse(errno.ENOSYS if name in _PRETEND_ABSENT else errno.EPERM)
    numbers = machine.numbers
    yield from _when(numbers["socket"], _only_families(families))
    yield from _when(numbers["socketpair"], _only_families((AF_UNIX,)))
    yield from _when(numbers["ioctl"], _no_terminal_injection())
    yield from _when(numbers["clone"], _no_user_namespace())
    yield from _when(numbers["unshare"], _no_user_namespace())
    if sees_strangers:
        yield from _when(numbers["prlimit64"], _only_oneself())
    yield _RETURN, 0, 0, _ALLOW


def _when(number: int, body: list[_Instruction]) -> Iterator[_Instruction]:
    """Run `body` for one call. Every body returns, so the call's number is still loaded afterwards."""
    yield _EQUAL, 0, len(body), number
    yield from body


def _only_families(families: tuple[int, ...]) -> list[_Instruction]:
    body: list[_Instruction] = [_load_argument(0)]
    for family in families:
        body += [(_EQUAL, 0, 1, family), (_RETURN, 0, 0, _ALLOW)]
    return [*body, _refuse(errno.EAFNOSUPPORT)]


def _no_terminal_injection() -> list[_Instruction]:
    body: list[_Instruction] = [_load_argument(1)]
    for request in _TERMINAL_INJECTION:
        body += [(_EQUAL, 0, 1, request), _refuse(errno.EPERM)]
    return [*body, (_RETURN, 0, 0, _ALLOW)]


def _no_user_namespace() -> list[_Instruction]:
    return [
        _load_argument(0),
        (_AND, 0, 0, _CLONE_NEWUSER),
        (_EQUAL, 1, 0, 0),
        _refuse(errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _only_oneself() -> list[_Instruction]:
    """By the number every C library uses for it. A program that names its own process number is refused too."""
    return [_load_argument(0), (_EQUAL, 1, 0, 0), _refuse(errno.EPERM), (_RETURN, 0, 0, _ALLOW)]


def _load_argument(position: int) -> _Instruction:
    return _LOAD, 0, 0, _ARGUMENTS + 8 * position


def _refuse(error: int) -> _Instruction:
    return _RETURN, 0, 0, _ERRNO | error
