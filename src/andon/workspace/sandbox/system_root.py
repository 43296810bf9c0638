"""What of the host's own file system every confined program may read. A list, and nothing that is not on it."""

from __future__ import annotations

from pathlib import Path

FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")

PRIVATE = ("/tmp", "/run", "/var/tmp")
HOME = "/home/sandbox"

# Certificates by folder, never /etc/ssl or /etc/pki whole: those hold private keys, and root may read them.
_ETC = (
    "alternatives",
    "ca-certificates/extracted",
    "crypto-policies",
    "debian_version",
    "fonts",
    "gai.conf",
    "group",
    "host.conf",
    "hosts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "locale.alias",
    "locale.conf",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "pki/ca-trust/extracted",
    "pki/tls/cert.pem",
    "pki/tls/certs",
    "pki/tls/openssl.cnf",
    "protocols",
    "services",
    "ssl/cert.pem",
    "ssl/certs",
    "ssl/openssl.cnf",
    "terminfo",
    "timezone",
)
# Debian keeps a JDK's own configuration here and links to it from /usr/lib/jvm.
_ETC_PATTERNS = ("java-*-openjdk",)
_ETC_NETWORK = ("resolv.conf",)

# Corners of /proc that root may write or read although it holds no capability.
PROC_READ_ONLY = ("/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/driver", "/proc/dynamic_debug")
PROC_HIDDEN_FOLDERS = ("/proc/acpi", "/proc/scsi", "/proc/asound")
PROC_HIDDEN_FILES = (
    "/proc/config.gz",
    "/proc/iomem",
    "/proc/ioports",
    "/proc/kallsyms",
    "/proc/kcore",
    "/proc/key-users",
    "/proc/keys",
    "/proc/kmsg",
    "/proc/kpagecgroup",
    "/proc/kpagecount",
    "/proc/kpageflags",
    "/proc/latency_stats",
    "/proc/mtrr",
    "/proc/sched_debug",
    "/proc/slabinfo",
    "/proc/sysrq-trigger",
    "/proc/timer_list",
    "/proc/timer_stats",
    "/proc/vmallocinfo",
)


def readable_paths(*, network: bool) -> tuple[str, ...]:
    """The system paths of this machine, as they are named; any of them may be a symlink."""
    etc = Path("/etc")
    names = _ETC + (_ETC_NETWORK if network else ())
    files = [etc / name for name in names] + [found for pattern in _ETC_PATTERNS for found in sorted(etc.glob(pattern))]
    return tuple(path for path in (*FOLDERS, *map(str, files)) if Path(path).exists())
