"""Ways out of a sandbox: a few lines each, ending in an OSError where the sandbox holds.

Tried in every tier, as root and as an ordinary user who owns everything that is to be reached. What a tier does not
claim to stop has no answer listed for it here, and is told in docs/reference/sandbox.md.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from andon.workspace.sandbox.seccomp import MACHINES

GONE = ("ENOENT", "EROFS", "EACCES")
NO = ("EPERM",)
KEPT = ("EACCES",)
"""How Landlock refuses a path."""


@dataclass(frozen=True)
class Escape:
    name: str
    program: str
    refused: tuple[str, ...]
    control: bool = False
    """Harmless enough to be run without a sandbox, where it must succeed: else it would prove nothing."""
    landlock: tuple[str, ...] = ()
    """How the landlock tier refuses it; empty where it does not claim to."""
    exempts_root: str = ""
    """Why the kernel lets root do it wherever it is."""


FILES = (
    Escape("write-outside", "new(W['outside'] + '/new')", GONE, landlock=KEPT),
    Escape("overwrite-outside", "new(W['outside'] + '/file')", GONE, landlock=KEPT),
    Escape("write-through-symlink", "new('link/new')", GONE, landlock=KEPT),
    Escape("write-through-parent", "new(W['up'] + '/new')", GONE, landlock=KEPT),
    Escape("write-through-proc-root", "new('/proc/1/root' + W['outside'] + '/new')", GONE, landlock=KEPT),
    Escape("write-through-proc-cwd", "new('/proc/self/cwd/' + W['up'] + '/new')", GONE, landlock=KEPT),
    Escape("read-secret", "open(W['secret'])", ("ENOENT",), True, landlock=KEPT),
    Escape("list-home", "os.listdir(W['home'])", ("ENOENT",), True, landlock=KEPT),
    Escape("read-roots-home", "os.listdir('/root/.ssh')", ("ENOENT",), landlock=("EACCES", "ENOENT")),
    Escape("read-shadow", "open('/etc/shadow')", ("ENOENT",), landlock=KEPT),
    Escape("read-private-keys", "os.listdir('/etc/ssl/private')", ("ENOENT",), landlock=("EACCES", "ENOENT")),
    Escape("chmod-outside", "os.chmod(W['outside'] + '/file', 0o600)", ("ENOENT",)),
    Escape("chown-outside", "os.chown(W['outside'] + '/file', os.getuid(), os.getgid())", ("ENOENT",), True),
    Escape("hard-link-in", "os.link(W['outside'] + '/file', 'stolen')", ("ENOENT",), landlock=("EACCES", "EXDEV")),
    Escape("hard-link-system", "os.link('/usr/bin/env', 'stolen')", ("EXDEV",), landlock=("EACCES", "EXDEV", "EPERM")),
    Escape("hard-link-out", "os.link('file', W['outside'] + '/new')", (*GONE, "EXDEV"), landlock=("EACCES", "EXDEV")),
    Escape("rename-out", "new('moving'); os.rename('moving', W['outside'] + '/new')", GONE, landlock=KEPT),
    Escape("device-node", "os.mknod('node', 0o600 | 0o020000, os.makedev(1, 1))", NO, landlock=("EPERM", "EACCES")),
    Escape("write-usr", "new('/usr/left-behind')", ("EROFS",), landlock=KEPT),
    Escape("write-etc", "new('/etc/left-behind')", ("EROFS",), landlock=KEPT),
    Escape("write-root", "new('/left-behind')", ("EROFS",), landlock=KEPT),
    Escape("write-dev", "new('/dev/left-behind')", ("EROFS",), landlock=KEPT),
    Escape("read-through-proc-root", "open('/proc/1/root' + W['secret'])", GONE, landlock=KEPT),
    Escape(
        "write-through-descriptor",
        "os.open('new', os.O_CREAT | os.O_WRONLY, dir_fd=os.open('link', os.O_PATH | os.O_DIRECTORY))",
        GONE,
        landlock=KEPT,
    ),
    Escape("see-sys", "os.listdir('/sys/kernel')", ("ENOENT",), True, landlock=KEPT),
    Escape("see-memory-groups", "os.listdir('/sys/fs/cgroup')", ("ENOENT",), True, landlock=KEPT),
)

ANDON = (
    Escape("read-signing-key", "open(W['key'])", ("ENOENT",), True, landlock=KEPT),
    Escape("read-database", "open(W['database'])", ("ENOENT",), True, landlock=KEPT),
    Escape("write-database", "os.open(W['database'], os.O_WRONLY)", GONE, True, landlock=KEPT),
    Escape(
        "list-data-folder",
        "if set(os.listdir(W['andon'])) <= {'runs'}: raise FileNotFoundError(2, 'only the way to the workspace')",
        ("ENOENT",),
        True,
        landlock=KEPT,
    ),
    Escape("read-another-run", "open(W['other'] + '/file')", ("ENOENT",), True, landlock=KEPT),
    Escape("read-another-run-by-parent", "open('../../r2/worktree/file')", ("ENOENT",), True, landlock=KEPT),
    Escape("write-into-another-run", "new(W['other'] + '/new')", GONE, landlock=KEPT),
    Escape("write-into-environment", "new(W['venv'] + '/bin/sitecustomize.py')", ("EROFS",), landlock=KEPT),
    Escape("overwrite-program-of-environment", "new(W['venv'] + '/bin/python')", ("EROFS",), landlock=KEPT),
    Escape("rename-environment", "os.rename(W['venv'] + '/bin', W['venv'] + '/b')", ("EROFS",), landlock=KEPT),
    Escape("link-into-environment", "os.symlink('/tmp', W['venv'] + '/lib')", ("EROFS",), landlock=KEPT),
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
        landlock=KEPT,
    ),
    Escape("kill-process", "os.kill(W['pid'], 0)", ("ESRCH",), True, landlock=("EPERM",)),
    Escape("open-process", "os.pidfd_open(W['pid'])", ("ESRCH", "EINVAL"), True),
    Escape("trace-process", "call('ptrace', 16, W['pid'], 0, 0)", ("ESRCH",), landlock=NO),
    Escape("read-environment-of-process", "open(f'/proc/{W[\"pid\"]}/environ')", ("ENOENT",), True, landlock=KEPT),
    Escape("read-memory-of-process", "open(f'/proc/{W[\"pid\"]}/mem', 'rb')", ("ENOENT",), landlock=KEPT),
    Escape(
        "copy-memory-of-process",
        "room = ctypes.create_string_buffer(8)\n"
        "one = ctypes.c_ulong(1)\n"
        "part = (ctypes.c_uint64 * 2)(ctypes.addressof(room), 8)\n"
        "call('process_vm_readv', W['pid'], part, one, part, one, ctypes.c_ulong(0))",
        ("ESRCH",),
        landlock=NO,
    ),
    Escape(
        "steal-descriptor",
        "call('pidfd_getfd', os.pidfd_open(W['pid']), 0, 0)",
        ("ESRCH", "EINVAL"),
        landlock=NO,
    ),
    Escape(
        "limit-process",
        "call('prlimit64', W['pid'], 7, (ctypes.c_uint64 * 2)(64, 64), None)",
        ("ESRCH",),
        True,
        landlock=NO,
    ),
    Escape("slow-process-down", "os.setpriority(os.PRIO_PROCESS, W['pid'], 19)", ("ESRCH",), True),
    Escape(
        "shared-memory",
        "if libc.shmat(W['shared'], None, 0o10000) in (-1, 2**64 - 1): raise OSError(ctypes.get_errno(), '')",
        ("EINVAL",),
        True,
    ),
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
        "outside-world-udp",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 53))",
        ("ENETUNREACH",),
        landlock=("EAFNOSUPPORT",),
    ),
    Escape(
        "host-loopback-udp",
        "s = socket.socket(type=socket.SOCK_DGRAM); s.settimeout(5)\n"
        "s.connect(('127.0.0.1', W['udp'])); s.send(b'x'); s.recv(9)",
        ("ECONNREFUSED",),
        True,
        landlock=("EAFNOSUPPORT",),
    ),
    Escape("resolve-name", "socket.getaddrinfo('andon-escape.example.com', 80)", ("EAI",), landlock=("EAI",)),
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
    Escape("move-mount", "call('move_mount', -100, b'/usr', -100, b'/tmp', 0)", NO, landlock=NO),
    Escape("pivot-root", "call('pivot_root', b'.', b'.')", NO, landlock=NO),
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
    Escape(
        "become-root",
        "os.setresuid(0, 0, 0) if os.getuid() else os.setresuid(1, 1, 1)",
        ("EPERM", "EINVAL"),
        landlock=NO,
    ),
    Escape(
        "type-into-terminal",
        "os.setsid() if os.getsid(0) != os.getpid() else None\n"
        "main = os.open('/dev/ptmx', os.O_RDWR)\n"
        "fcntl.ioctl(main, 0x40045431, struct.pack('i', 0))\n"
        "call('ioctl', main, 0x5412, b'x')",
        NO,
        landlock=KEPT,
    ),
    Escape("type-with-high-bits", "call('ioctl', 0, ctypes.c_uint64(0x1_0000_5412), b'x')", NO, landlock=NO),
    Escape(
        "set-user-id-program",
        "import subprocess\n"
        "done = subprocess.run(['su', '-c', 'true'], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        "if done.returncode: raise PermissionError(1, 'su')",
        NO,
        landlock=NO,
    ),
    Escape(
        "capabilities",
        "held = (ctypes.c_uint32 * 6)()\n"
        "libc.capget((ctypes.c_uint32 * 2)(0x20080522, 0), held)\n"
        "if not any(held) and libc.prctl(39, 0, 0, 0, 0) == 1: raise PermissionError(1, 'none, and no way to any')",
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
    Escape(
        "huge-memory-file",
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nos.truncate(os.memfd_create('huge'), 64 << 30)",
        ("EFBIG",),
        landlock=("EFBIG",),
    ),
    Escape(
        "raise-own-limits",
        "limit = (ctypes.c_uint64 * 2)(1 << 19, 1 << 19)\n"
        "if libc.setrlimit(7, limit): raise OSError(ctypes.get_errno(), '')",
        NO,
        landlock=NO,
    ),
    Escape(
        "fill-private-folder",
        "for name in ('/tmp', '/var/tmp', '/run', '/dev/shm', os.environ['HOME']):\n"
        "    try: new(name + '/big', 'x' * (2 << 20))\n"
        "    except OSError as full:\n"
        "        if full.errno != errno.ENOSPC: raise\n"
        "    else: break\n"
        "else: raise OSError(errno.ENOSPC, 'all of them')",
        ("ENOSPC",),
    ),
    Escape(
        "fork-bomb",
        "import time\n"
        "children = []\n"
        "try:\n"
        "    while len(children) < 600:\n"
        "        children.append(os.fork())\n"
        "        if not children[-1]: time.sleep(60); os._exit(0)\n"
        "finally:\n"
        "    for child in children: os.kill(child, 9); os.waitpid(child, 0)",
        ("EAGAIN",),
        landlock=("EAGAIN",),
        exempts_root="the limit on processes does not bind root; the time limit and the end of the process tree do",
    ),
)

ESCAPES = (*FILES, *ANDON, *PROC, *NETWORK, *KERNEL, *LIMITS)
BY_LANDLOCK = tuple(escape for escape in ESCAPES if escape.landlock)
CONTROLS = tuple(escape for escape in ESCAPES if escape.control)


def named(escapes: tuple[Escape, ...]) -> list[Any]:
    return [pytest.param(escape, id=escape.name) for escape in escapes]


def tried(world: Any, tier: str, escapes: tuple[Escape, ...], possible: Callable[[], bool]) -> dict[str, str]:
    """All of them in one start of a sandbox. A machine may have none of a tier; one that has it must not lack ours."""
    outcomes = world.outcomes(tier, {escape.name: escape.program for escape in escapes})
    if "unusable" in outcomes and not possible():
        pytest.skip(outcomes["unusable"])
    assert "unusable" not in outcomes, outcomes["unusable"]
    return outcomes


pytestmark = pytest.mark.skipif(platform.machine() not in MACHINES, reason="no system-call filter for this machine")


@pytest.fixture(scope="module")
def in_bwrap(world: Any, namespaces_work: Callable[[], bool]) -> dict[str, str]:
    return tried(world, "bwrap+limits", ESCAPES, namespaces_work)


@pytest.fixture(scope="module")
def in_landlock(world: Any, landlock_works: Callable[[], bool]) -> dict[str, str]:
    return tried(world, "landlock", BY_LANDLOCK, landlock_works)


@pytest.fixture(scope="module")
def in_nothing(world: Any) -> dict[str, str]:
    return tried(world, "none", CONTROLS, lambda: True)


@pytest.mark.parametrize("escape", named(ESCAPES))
def test_bwrap_refuses(escape: Escape, world: Any, in_bwrap: dict[str, str]) -> None:
    _held_by_all_but_root(escape, world)
    assert in_bwrap[escape.name] in (*escape.refused, "EACCES")


@pytest.mark.parametrize("escape", named(BY_LANDLOCK))
def test_landlock_refuses(escape: Escape, world: Any, in_landlock: dict[str, str]) -> None:
    _held_by_all_but_root(escape, world)
    assert in_landlock[escape.name] in escape.landlock


@pytest.mark.parametrize("escape", named(CONTROLS))
def test_without_a_sandbox_it_succeeds(escape: Escape, in_nothing: dict[str, str]) -> None:
    assert in_nothing[escape.name] == "REACHED"


def test_nothing_outside_was_changed_by_any_of_them(
    world: Any, in_bwrap: dict[str, str], in_landlock: dict[str, str]
) -> None:
    assert in_bwrap and in_landlock
    assert world.untouched()


def test_what_a_tier_lets_through_is_documented() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/sandbox.md").read_text(encoding="utf-8")
    open_ones = [escape.name for escape in ESCAPES if not escape.landlock or escape.exempts_root]

    assert [name for name in open_ones if f"`{name}`" not in page] == []
    assert [name for name in re.findall(r"`([a-z]+(?:-[a-z]+)+)`", page) if name not in open_ones] == []


def _held_by_all_but_root(escape: Escape, world: Any) -> None:
    if escape.exempts_root and world.user == 0:
        pytest.skip(escape.exempts_root)
