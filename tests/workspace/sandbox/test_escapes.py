"""Ways out of a sandbox: a few lines each, ending in an OSError where the sandbox holds, tried in every tier."""

from __future__ import annotations

import platform
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from andon.workspace.sandbox import NoSandbox
from andon.workspace.sandbox.seccomp import MACHINES

GONE = ("ENOENT", "EROFS", "EACCES")
NO = ("EPERM",)


@dataclass(frozen=True)
class Escape:
    name: str
    program: str
    refused: tuple[str, ...]
    control: bool = False
    """Harmless enough to be run without a sandbox, where it must succeed: else it would prove nothing."""
    landlock: tuple[str, ...] = ()
    """How the landlock tier refuses it; empty where it does not claim to."""


FILES = (
    Escape("write-outside", "new(W['outside'] + '/new')", GONE, landlock=("EACCES",)),
    Escape("overwrite-outside", "new(W['outside'] + '/file')", GONE, landlock=("EACCES",)),
    Escape("write-through-symlink", "new('link/new')", GONE, landlock=("EACCES",)),
    Escape("write-through-parent", "new('../outside/new')", GONE, landlock=("EACCES",)),
    Escape("write-through-proc-root", "new('/proc/1/root' + W['outside'] + '/new')", GONE, landlock=("EACCES",)),
    Escape("write-through-proc-cwd", "new('/proc/self/cwd/../outside/new')", GONE, landlock=("EACCES",)),
    Escape("read-secret", "open(W['secret'])", ("ENOENT",), True, landlock=("EACCES",)),
    Escape("list-home", "os.listdir(W['home'])", ("ENOENT",), True, landlock=("EACCES",)),
    Escape("read-roots-home", "os.listdir('/root/.ssh')", ("ENOENT",), landlock=("EACCES", "ENOENT")),
    Escape("read-shadow", "open('/etc/shadow')", ("ENOENT",), landlock=("EACCES",)),
    Escape("read-private-keys", "os.listdir('/etc/ssl/private')", ("ENOENT",), landlock=("EACCES", "ENOENT")),
    Escape("chmod-outside", "os.chmod(W['outside'] + '/file', 0o600)", ("ENOENT",)),
    Escape("chown-outside", "os.chown(W['outside'] + '/file', os.getuid(), os.getgid())", ("ENOENT",), True),
    Escape("hard-link-in", "os.link(W['outside'] + '/file', 'stolen')", ("ENOENT",), landlock=("EACCES", "EXDEV")),
    Escape("hard-link-system", "os.link('/usr/bin/env', 'stolen')", ("EXDEV",), landlock=("EACCES", "EXDEV", "EPERM")),
    Escape("rename-out", "new('moving'); os.rename('moving', W['outside'] + '/new')", GONE, landlock=("EACCES",)),
    Escape("device-node", "os.mknod('node', 0o600 | 0o020000, os.makedev(1, 1))", NO, landlock=("EPERM", "EACCES")),
    Escape("write-usr", "new('/usr/left-behind')", ("EROFS",), landlock=("EACCES",)),
    Escape("write-etc", "new('/etc/left-behind')", ("EROFS",), landlock=("EACCES",)),
    Escape("write-root", "new('/left-behind')", ("EROFS",), landlock=("EACCES",)),
    Escape("write-dev", "new('/dev/left-behind')", ("EROFS",), landlock=("EACCES",)),
    Escape("see-sys", "os.listdir('/sys/kernel')", ("ENOENT",), True, landlock=("EACCES",)),
)

PROC = (
    Escape("sysctl-core-pattern", "os.open('/proc/sys/kernel/core_pattern', os.O_WRONLY)", GONE, landlock=GONE),
    Escape("sysctl-hostname", "os.open('/proc/sys/kernel/hostname', os.O_WRONLY)", GONE, landlock=GONE),
    Escape("sysctl-userns", "os.open('/proc/sys/user/max_user_namespaces', os.O_WRONLY)", GONE, landlock=GONE),
    Escape("sysrq", "os.open('/proc/sysrq-trigger', os.O_WRONLY)", GONE, landlock=GONE),
    Escape("irq", "os.open('/proc/irq/default_smp_affinity', os.O_WRONLY)", GONE, landlock=GONE),
    Escape("mtrr", "os.open('/proc/mtrr', os.O_WRONLY)", GONE, landlock=GONE),
    Escape("kernel-memory", "os.open('/proc/kcore', os.O_RDONLY)", (*GONE, *NO), landlock=(*GONE, *NO)),
    Escape("kernel-timers", "os.open('/proc/timer_list', os.O_RDONLY)", GONE, landlock=GONE),
    Escape("kernel-page-flags", "os.open('/proc/kpageflags', os.O_RDONLY)", GONE, landlock=GONE),
    Escape(
        "see-process",
        "if b'sleep' not in open(f'/proc/{W[\"pid\"]}/cmdline', 'rb').read(): raise ProcessLookupError(3, '')",
        ("ENOENT", "ESRCH"),
        True,
        landlock=("EACCES",),
    ),
    Escape("kill-process", "os.kill(W['pid'], 0)", ("ESRCH",), True, landlock=("EPERM",)),
    Escape("open-process", "os.pidfd_open(W['pid'])", ("ESRCH", "EINVAL"), True),
    Escape("trace-process", "call(W['ptrace'], 16, W['pid'], 0, 0)", ("ESRCH",), landlock=NO),
)

NETWORK = (
    Escape(
        "host-loopback",
        "socket.create_connection(('127.0.0.1', W['port']), 2)",
        ("ECONNREFUSED",),
        True,
        landlock=("EAFNOSUPPORT",),
    ),
    Escape(
        "host-loopback-udp-route",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 53))",
        ("ENETUNREACH",),
        landlock=("EAFNOSUPPORT",),
    ),
    Escape(
        "outside-world",
        "socket.create_connection(('192.0.2.1', 80), 2)",
        ("ENETUNREACH",),
        landlock=("EAFNOSUPPORT",),
    ),
    Escape(
        "abstract-socket",
        "socket.socket(socket.AF_UNIX).connect('\\0' + W['abstract'])",
        ("ECONNREFUSED",),
        True,
        landlock=("EAFNOSUPPORT",),
    ),
    Escape(
        "named-socket",
        "socket.socket(socket.AF_UNIX).connect(W['socket'])",
        ("ENOENT",),
        True,
        landlock=("EAFNOSUPPORT",),
    ),
    Escape("vsock", "socket.socket(40, socket.SOCK_STREAM)", ("EAFNOSUPPORT",), landlock=("EAFNOSUPPORT",)),
    Escape("kernel-crypto", "socket.socket(38, socket.SOCK_SEQPACKET)", ("EAFNOSUPPORT",), landlock=("EAFNOSUPPORT",)),
    Escape("raw-packets", "socket.socket(17, socket.SOCK_RAW)", ("EAFNOSUPPORT",), landlock=("EAFNOSUPPORT",)),
    Escape(
        "raw-ip",
        "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
        ("EPERM",),
        landlock=("EAFNOSUPPORT",),
    ),
)

KERNEL = (
    Escape("mount", "call('mount', b'none', b'/tmp', b'tmpfs', 0, None)", NO, landlock=NO),
    Escape("remount-writable", "call('mount', None, b'/usr', None, 0x1020, None)", NO, landlock=NO),
    Escape("unmount-cover", "call('umount2', b'/proc/sys', 2)", NO, landlock=NO),
    Escape("new-mount-api", "call('fsopen', b'tmpfs', 0)", NO, landlock=NO),
    Escape("detached-tree", "call('open_tree', -100, b'/', 1)", NO, landlock=NO),
    Escape("chroot", "os.chroot('.')", NO, landlock=NO),
    Escape("nested-user-namespace", "call('unshare', 0x10000000)", NO, landlock=NO),
    Escape("clone-user-namespace", "call('clone', 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)", NO, landlock=NO),
    Escape("clone3", "call('clone3', 0, 0)", ("ENOSYS",), landlock=("ENOSYS",)),
    Escape(
        "enter-namespace",
        "call('setns', os.open('/proc/self/ns/mnt', os.O_RDONLY), 0)",
        NO,
        landlock=(*NO, "EACCES"),
    ),
    Escape("keyctl", "call('keyctl', 0, -3, 0)", NO, landlock=NO),
    Escape("add-key", "call('add_key', b'user', b'k', b'v', 1, -3)", NO, landlock=NO),
    Escape("request-key", "call('request_key', b'user', b'k', None, 0)", NO, landlock=NO),
    Escape("bpf", "call('bpf', 0, 0, 0)", NO, landlock=NO),
    Escape("perf", "call('perf_event_open', 0, 0, -1, -1, 0)", NO, landlock=NO),
    Escape("userfaultfd", "call('userfaultfd', 1)", NO, landlock=NO),
    Escape(
        "io-uring", "call('io_uring_setup', 1, ctypes.create_string_buffer(120))", ("ENOSYS",), landlock=("ENOSYS",)
    ),
    Escape("kexec", "call('kexec_load', 0, 0, 0, 0)", NO, landlock=NO),
    Escape("load-module", "call('init_module', 0, 0, b'')", NO, landlock=NO),
    Escape("reboot", "call('reboot', 0, 0, 0, 0)", NO, landlock=NO),
    Escape("set-clock", "call('settimeofday', None, None)", NO, landlock=NO),
    Escape("set-hostname", "call('sethostname', b'x', 1)", NO, landlock=NO),
    Escape("file-handle", "call('open_by_handle_at', -100, ctypes.create_string_buffer(64), 0)", NO, landlock=NO),
    Escape("become-root", "os.setresuid(0, 0, 0) if os.getuid() else os.setresuid(1, 1, 1)", ("EPERM", "EINVAL")),
    Escape(
        "type-into-terminal",
        "os.setsid() if os.getsid(0) != os.getpid() else None\n"
        "main = os.open('/dev/ptmx', os.O_RDWR)\n"
        "fcntl.ioctl(main, 0x40045431, struct.pack('i', 0))\n"
        "call('ioctl', main, 0x5412, b'x')",
        NO,
        landlock=("EACCES",),
    ),
    Escape("type-with-high-bits", "call('ioctl', 0, ctypes.c_uint64(0x1_0000_5412), b'x')", NO, landlock=NO),
    Escape(
        "set-user-id-program",
        "import subprocess\n"
        "done = subprocess.run(['su', '-c', 'true'], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        "if done.returncode: raise PermissionError(1, 'su')",
        NO,
    ),
    Escape(
        "capabilities",
        "status = dict(line.split(':', 1) for line in open('/proc/self/status'))\n"
        "held = [int(status[name], 16) for name in ('CapPrm', 'CapEff', 'CapInh', 'CapAmb')]\n"
        "if not any(held) and status['NoNewPrivs'].strip() == '1': raise PermissionError(1, 'none held')",
        NO,
        landlock=NO,
    ),
)

LIMITS = (
    Escape(
        "core-dump",
        "limit = (ctypes.c_uint64 * 2)(1, 1)\nif libc.setrlimit(4, limit): raise OSError(ctypes.get_errno(), '')",
        NO,
        landlock=NO,
    ),
    Escape(
        "many-files",
        "kept = []\nwhile len(kept) < 100_000: kept.append(os.dup(0))",
        ("EMFILE",),
        landlock=("EMFILE",),
    ),
    Escape(
        "huge-file",
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nopen('huge', 'w').truncate(64 << 30)",
        ("EFBIG",),
        landlock=("EFBIG",),
    ),
)

ESCAPES = (*FILES, *PROC, *NETWORK, *KERNEL, *LIMITS)


def named(escapes: tuple[Escape, ...]) -> list[Any]:
    return [pytest.param(escape, id=escape.name) for escape in escapes]


pytestmark = pytest.mark.skipif(platform.machine() not in MACHINES, reason="no system-call filter for this machine")


@pytest.mark.parametrize("escape", named(ESCAPES))
def test_bwrap_refuses(escape: Escape, bwrap: Any, world: Any, inside: Any) -> None:
    outcome = inside(bwrap, escape.program)

    assert outcome.error in escape.refused
    assert world.untouched()


@pytest.mark.parametrize("escape", named(tuple(escape for escape in ESCAPES if escape.landlock)))
def test_landlock_refuses(escape: Escape, landlock: Any, world: Any, inside: Any) -> None:
    outcome = inside(landlock, escape.program)

    assert outcome.error in escape.landlock
    assert world.untouched()


@pytest.mark.parametrize("escape", named(tuple(escape for escape in ESCAPES if escape.control)))
def test_without_a_sandbox_it_succeeds(escape: Escape, inside: Any) -> None:
    assert inside(NoSandbox(), escape.program).reached


HANDFUL = (
    "write-outside",
    "write-through-proc-root",
    "read-secret",
    "device-node",
    "sysctl-core-pattern",
    "kill-process",
    "trace-process",
    "host-loopback",
    "abstract-socket",
    "vsock",
    "mount",
    "nested-user-namespace",
    "become-root",
    "set-user-id-program",
    "many-files",
)


@pytest.mark.parametrize("escape", named(tuple(escape for escape in ESCAPES if escape.name in HANDFUL)))
def test_bwrap_refuses_an_ordinary_user(escape: Escape, bwrap: Any, unprivileged_world: Any, inside: Any) -> None:
    filter_file = shutil.copy(bwrap.filter_file, unprivileged_world.root)
    Path(filter_file).chmod(0o644)

    outcome = inside(
        replace(bwrap, filter_file=Path(filter_file)), escape.program, python="/usr/bin/python3", as_nobody=True
    )

    assert outcome.error in (*escape.refused, "EACCES")
    assert unprivileged_world.untouched()
