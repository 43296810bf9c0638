"""Starts andon as on a kernel without Landlock: a filter answers its three system calls with "no such call"."""

from __future__ import annotations

import ctypes
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2
LOAD, AT_LEAST, MORE_THAN, RETURN = 0x20, 0x35, 0x25, 0x06
PROGRAM = (
    (LOAD, 0, 0, 0),  # the number of the call
    (AT_LEAST, 0, 2, 444),  # landlock_create_ruleset,
    (MORE_THAN, 1, 0, 446),  # landlock_add_rule, landlock_restrict_self:
    (RETURN, 0, 0, 0x00050000 | 38),  # ENOSYS
    (RETURN, 0, 0, 0x7FFF0000),  # everything else is allowed
)


class Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("program", ctypes.c_char_p))


code = b"".join(struct.pack("HBBI", *instruction) for instruction in PROGRAM)
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
assert libc.prctl(PR_SET_SECCOMP, FILTER, ctypes.byref(Filter(len(PROGRAM), code)), 0, 0) == 0
os.execv(sys.executable, [sys.executable, "-m", "andon", *sys.argv[1:]])
