"""Restricts this process with Landlock and a system-call filter, then becomes the program it was given.

A program of its own (`python -I -S landlock_exec.py OPTIONS -- argv…`), standard library only, imported by nothing.
It either confines completely or ends with status 125; it never starts the program with less.
"""

# Imports decide the start-up time: no pathlib, no json, no argparse.
# ruff: noqa: PTH102, PTH208
import binascii
import ctypes
import fcntl
import os
import resource
import stat
import sys

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
PATH_BENEATH = 1
OPENAT2, RESOLVE_NO_SYMLINKS, AT_FDCWD = 437, 4, -100
KERNELS_OWN = ("/proc/", "/dev/")
NO_NEW_PRIVS, SET_SECCOMP, FILTER_MODE, SET_PDEATHSIG, DROP_BOUND = 38, 22, 2, 1, 24
CAPABILITIES_VERSION, LAST_CAPABILITY = 0x20080522, 63

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
REFER, TRUNCATE, IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
FIRST_ABI = (1 << 13) - 1
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
READING = EXECUTE | READ_FILE | READ_DIR
TCP = 3
SIGNALS_AND_ABSTRACT_SOCKETS = 3

libc = ctypes.CDLL(None, use_errno=True)


class Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


class Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def call(name: str, *arguments: object) -> int:
    function = libc.syscall if name == "syscall" else libc.prctl
    result = int(function(*arguments))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def abi() -> int:
    return call("syscall", CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))


def handled(version: int) -> int:
    """The file accesses this kernel can rule on; a newer bit would make it refuse the whole ruleset."""
    extra = (REFER if version >= 2 else 0) | (TRUNCATE if version >= 3 else 0) | (IOCTL_DEVICE if version >= 5 else 0)
    return FIRST_ABI | extra


def restrict_files(read: list[str], write: list[str], *, network: bool) -> None:
    version = abi()
    files = handled(version)
    net = TCP if version >= 4 and not network else 0
    scoped = SIGNALS_AND_ABSTRACT_SOCKETS if version >= 6 else 0
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = Ruleset(files, net, scoped)
    ruleset = call("syscall", CREATE_RULESET, ctypes.byref(rules), ctypes.c_size_t(size), ctypes.c_uint32(0))
    for path in read:
        allow(ruleset, path, READING & files)
    for path in write:
        allow(ruleset, path, files)
    call("prctl", NO_NEW_PRIVS, 1, 0, 0, 0)
    call("syscall", RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    os.close(ruleset)


def open_path(path: str) -> int:
    """Without following symlinks: the paths were real ones when they were chosen, and agents may shape some of them."""
    if path.startswith(KERNELS_OWN):
        return os.open(path, os.O_PATH | os.O_CLOEXEC)
    how = (ctypes.c_uint64 * 3)(os.O_PATH | os.O_CLOEXEC, 0, RESOLVE_NO_SYMLINKS)
    arguments = (ctypes.c_int(AT_FDCWD), os.fsencode(path), ctypes.byref(how), ctypes.c_size_t(ctypes.sizeof(how)))
    return call("syscall", OPENAT2, *arguments)


def allow(ruleset: int, path: str, access: int) -> None:
    try:
        parent = open_path(path)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(os.fstat(parent).st_mode):
        access &= ON_FILES
    rule = PathBeneath(access, parent)
    call(
        "syscall",
        ADD_RULE,
        ctypes.c_int(ruleset),
        ctypes.c_int(PATH_BENEATH),
        ctypes.byref(rule),
        ctypes.c_uint32(0),
    )
    os.close(parent)


def private_folder(scratch: str) -> str:
    """A folder of this program's own. The lock goes with the last descendant, so a later start may clear it away."""
    sweep(scratch)
    path = f"{os.path.realpath(scratch)}/private-{os.urandom(8).hex()}"
    os.mkdir(path, 0o700)
    held = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(held, fcntl.LOCK_SH)
    os.set_inheritable(held, True)
    os.mkdir(f"{path}/home")
    os.mkdir(f"{path}/tmp")
    return path


def sweep(scratch: str) -> None:
    for name in os.listdir(scratch):
        try:
            left = os.open(f"{scratch}/{name}", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            # A folder without its two parts is one that another start is making this moment.
            fcntl.flock(left, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if len(os.listdir(left)) >= 2:
                import shutil  # here: rarely needed, and slow to import

                shutil.rmtree(f"{scratch}/{name}", ignore_errors=True)
        except OSError:
            pass
        finally:
            os.close(left)


def limit(settings: list[str]) -> None:
    for setting in settings:
        name, value = setting.split("=")
        resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (int(value), int(value)))


def drop_capabilities() -> None:
    """Root in a container keeps capabilities that Landlock does not rule on, such as signalling anyone."""
    for capability in range(LAST_CAPABILITY + 1):
        libc.prctl(DROP_BOUND, capability, 0, 0, 0)  # refused for ordinary users, who have none to drop
    header = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0)
    nothing = (ctypes.c_uint32 * 6)()
    if libc.capset(ctypes.byref(header), ctypes.byref(nothing)) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def filter_calls(encoded: str) -> None:
    code = binascii.a2b_base64(encoded)
    if code:
        program = Filter(len(code) // 8, code)
        call("prctl", SET_SECCOMP, FILTER_MODE, ctypes.byref(program), 0, 0)


def become(argv: list[str], env: dict[str, str]) -> None:
    """Look the program up and turn into it. Not os.execvpe: it imports, and the library may be out of reach by now."""
    folders = [""] if "/" in argv[0] else [f"{folder}/" for folder in env["PATH"].split(":") if folder]
    reason = OSError(2, "PATH is empty")
    for folder in folders:
        try:
            os.execve(f"{folder}{argv[0]}", argv, env)
        except OSError as problem:
            reason = problem
    print(f"landlock_exec: cannot start {argv[0]}: {reason.strerror}", file=sys.stderr)
    sys.exit(127)


def options(words: list[str]) -> dict[str, list[str]]:
    """`--name value` pairs; a name may come again."""
    found: dict[str, list[str]] = {name: [] for name in ("read", "write", "limit", "setenv")}
    for name, value in zip(words[::2], words[1::2], strict=True):
        found.setdefault(name.removeprefix("--"), []).append(value)
    return found


def main() -> None:
    end = sys.argv.index("--")
    given = options(sys.argv[1:end])
    call("prctl", SET_PDEATHSIG, 9, 0, 0, 0)
    if os.getsid(0) != os.getpid() and os.getpgid(0) != os.getpid():
        os.setsid()
    env = dict(os.environ) | dict(setting.split("=", 1) for setting in given["setenv"])
    private = private_folder(given["scratch"][0])
    env.setdefault("HOME", f"{private}/home")
    env.setdefault("TMPDIR", f"{private}/tmp")
    os.chdir(given["cwd"][0])
    limit(given["limit"])
    restrict_files(given["read"], [*given["write"], private], network=given["network"] == ["yes"])
    drop_capabilities()
    filter_calls(given["filter"][0])
    become(sys.argv[end + 1 :], env)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, KeyError) as problem:
        print(f"landlock_exec: {problem}", file=sys.stderr)
        sys.exit(125)
