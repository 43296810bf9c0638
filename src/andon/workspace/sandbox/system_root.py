"""What of the host's own file system every confined program may read. A list, and nothing that is not on it."""

from __future__ import annotations

import os
from pathlib import Path

from andon.processes.toolchain import SYSTEM_FOLDERS

PRIVATE = ("/tmp", "/run", "/var/tmp")
HOME = "/home/sandbox"

# Each entry costs a mount, about 0.3 ms, at every start: what a program can do without is left out.
# Certificates by folder, never /etc/ssl or /etc/pki whole: those hold private keys, and root may read them.
_ETC = (
    "alternatives",
    "ca-certificates/extracted",
    "crypto-policies",
    "fonts",
    "group",
    "hosts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "pki/ca-trust/extracted",
    "pki/tls/cert.pem",
    "pki/tls/certs",
    "pki/tls/openssl.cnf",
    "services",
    "ssl/cert.pem",
    "ssl/certs",
    "ssl/openssl.cnf",
)
# Debian keeps a JDK's own configuration here and links to it from /usr/lib/jvm.
_ETC_PATTERNS = ("java-*-openjdk",)
_ETC_NETWORK = ("resolv.conf",)

# Corners of /proc that root may write or read although it holds no capability, beyond those bwrap covers itself
# (irq, bus, sysrq-trigger). An ordinary user is kept out of them by their modes.
PROC_READ_ONLY = ("/proc/sys", "/proc/acpi", "/proc/scsi", "/proc/dynamic_debug")
PROC_HIDDEN = (
    "/proc/kcore",
    "/proc/kpagecgroup",
    "/proc/kpagecount",
    "/proc/kpageflags",
    "/proc/mtrr",
    "/proc/sched_debug",
    "/proc/timer_list",
    "/proc/vmallocinfo",
)


def readable_paths(*, network: bool) -> tuple[str, ...]:
    """The system paths of this machine, as they are named; any of them may be a symlink."""
    etc = Path("/etc")
    names = _ETC + (_ETC_NETWORK if network else ())
    files = [etc / name for name in names] + [found for pattern in _ETC_PATTERNS for found in sorted(etc.glob(pattern))]
    return tuple(path for path in (*SYSTEM_FOLDERS, *map(str, files)) if os.access(path, os.F_OK))
