"""The filter on paper: run by a small interpreter, so that machines we are not on are tested as well."""

from __future__ import annotations

import errno
import struct

import pytest

from andon.workspace.sandbox.seccomp import MACHINES, filter_for

ALLOW = "allow"
ABSENT = {"clone3", "io_uring_setup", "io_uring_enter", "io_uring_register"}
DEPENDS = {"socket", "socketpair", "ioctl", "clone", "unshare", "prlimit64"}


def decide(code: bytes, audit: int, number: int, *arguments: int) -> str:
    """What the kernel would do with one call."""
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<IIQ6Q", number, audit, 0, *padded)
    program = list(struct.iter_unpack("=HBBI", code))
    accumulator = position = 0
    while True:
        operation, yes, no, value = program[position]
        position += 1
        match operation:
            case 0x20:
                accumulator = struct.unpack_from("<I", data, value)[0]
            case 0x54:
                accumulator &= value
            case 0x15:
                position += yes if accumulator == value else no
            case 0x35:
                position += yes if accumulator >= value else no
            case 0x06:
                return ALLOW if value == 0x7FFF0000 else errno.errorcode[value & 0xFFFF]
            case _:
                raise AssertionError(f"unknown instruction {operation:#x}")


@pytest.fixture(params=sorted(MACHINES))
def machine(request: pytest.FixtureRequest) -> str:
    return request.param


def code_of(machine: str) -> bytes:
    code = filter_for(machine)
    assert code is not None
    return code


def test_every_listed_call_is_refused_and_all_others_are_allowed(machine: str) -> None:
    known, code = MACHINES[machine], code_of(machine)
    always = {number: name for name, number in known.numbers.items() if name not in DEPENDS}

    for number in range(600):
        if number in known.numbers.values() and number not in always:
            continue
        name = always.get(number)
        expected = ALLOW if name is None else "ENOSYS" if name in ABSENT else "EPERM"
        assert decide(code, known.audit, number) == expected, (number, name)


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("socket", (1,), ALLOW),
        ("socket", (2,), ALLOW),
        ("socket", (10,), ALLOW),
        ("socket", (16,), ALLOW),
        ("socket", (17,), "EAFNOSUPPORT"),
        ("socket", (38,), "EAFNOSUPPORT"),
        ("socket", (40,), "EAFNOSUPPORT"),
        ("socket", (40 | 1 << 32,), "EAFNOSUPPORT"),
        ("socketpair", (1,), ALLOW),
        ("socketpair", (30,), "EAFNOSUPPORT"),
        ("ioctl", (0, 0x5401), ALLOW),
        ("ioctl", (0, 0x5412), "EPERM"),
        ("ioctl", (0, 0x541C), "EPERM"),
        ("ioctl", (0, 0x5412 | 1 << 32), "EPERM"),
        ("clone", (0x11,), ALLOW),
        ("clone", (0x003D0F00,), ALLOW),
        ("clone", (0x10000011,), "EPERM"),
        ("unshare", (0x400,), ALLOW),
        ("unshare", (0x30000000,), "EPERM"),
    ],
)
def test_calls_that_depend_on_an_argument(machine: str, name: str, arguments: tuple[int, ...], expected: str) -> None:
    known = MACHINES[machine]

    assert decide(code_of(machine), known.audit, known.numbers[name], *arguments) == expected


def test_another_calling_convention_is_refused_whole(machine: str) -> None:
    i386 = 0x40000003

    assert decide(code_of(machine), i386, 20) == "ENOSYS"


def test_x32_is_refused_whole() -> None:
    known = MACHINES["x86_64"]

    assert decide(code_of("x86_64"), known.audit, 0x40000000 | 39) == "ENOSYS"


def test_without_families_there_is_no_socket_but_a_pair(machine: str) -> None:
    known, code = MACHINES[machine], filter_for(machine, families=())
    assert code is not None

    assert decide(code, known.audit, known.numbers["socket"], 1) == "EAFNOSUPPORT"
    assert decide(code, known.audit, known.numbers["socketpair"], 1) == ALLOW


def test_a_machine_without_a_table_has_no_filter() -> None:
    assert filter_for("s390x") is None


@pytest.mark.parametrize(
    ("process", "strangers", "expected"), [(0, True, ALLOW), (1, True, "EPERM"), (1, False, ALLOW)]
)
def test_limits_of_others_are_out_of_reach_where_others_are_in_sight(
    machine: str, process: int, strangers: bool, expected: str
) -> None:
    known, code = MACHINES[machine], filter_for(machine, sees_strangers=strangers)
    assert code is not None

    assert decide(code, known.audit, known.numbers["prlimit64"], process) == expected
