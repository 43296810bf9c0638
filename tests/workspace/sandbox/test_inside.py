"""What a confined program can still do: see its workspace, write where it may, run its tools."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from andon.domain.errors import EnvironmentProblem
from andon.ports import Command, Confinement, Mount
from andon.processes import Finished, readable_for, run
from andon.workspace.sandbox import BwrapSandbox, LandlockSandbox, setup_failure


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "docs/plan").mkdir(parents=True)
    (folder / "file").write_text("given")
    return folder


def start(
    sandbox: BwrapSandbox | LandlockSandbox, argv: tuple[str, ...], confinement: Confinement, **command: Any
) -> Finished:
    wrapped = sandbox.confine(Command(argv, **{"cwd": confinement.folder, **command}), confinement)
    return run(wrapped.argv, cwd=wrapped.cwd, env=wrapped.env, stdin=wrapped.stdin, seconds=30)


def shell(sandbox: BwrapSandbox | LandlockSandbox, script: str, confinement: Confinement, **command: Any) -> Finished:
    return start(sandbox, ("/bin/sh", "-c", script), confinement, **command)


def read_only(workspace: Path, **more: Any) -> Confinement:
    return Confinement(folder=str(workspace), **more)


def writable(workspace: Path, **more: Any) -> Confinement:
    return Confinement(folder=str(workspace), writable=(str(workspace),), **more)


def test_rule_5_a_read_only_workspace_cannot_be_written(bwrap: BwrapSandbox, workspace: Path) -> None:
    done = shell(bwrap, "cat file; echo new > new; rm file; mv file other", read_only(workspace))

    assert done.stdout == b"given"
    assert done.stderr.count(b"Read-only file system") == 3
    assert sorted(path.name for path in workspace.iterdir()) == ["docs", "file"]


def test_rule_5_a_writable_part_of_a_read_only_workspace(bwrap: BwrapSandbox, workspace: Path) -> None:
    part = workspace / "docs/plan"

    done = shell(
        bwrap, "echo plan > docs/plan/plan.md; echo no > docs/no.md", read_only(workspace, writable=(str(part),))
    )

    assert (part / "plan.md").read_text() == "plan\n"
    assert b"Read-only file system" in done.stderr
    assert not (workspace / "docs/no.md").exists()


def test_rule_5_a_readable_part_of_a_writable_workspace_is_protected(bwrap: BwrapSandbox, workspace: Path) -> None:
    shell(bwrap, "echo x > file; echo x > docs/no.md", writable(workspace, readable=(str(workspace / "docs"),)))

    assert (workspace / "file").read_text() == "x\n"
    assert not (workspace / "docs/no.md").exists()


def test_landlock_writes_only_where_it_may(landlock: LandlockSandbox, workspace: Path) -> None:
    part = workspace / "docs/plan"

    done = shell(
        landlock,
        "cat file; echo plan > docs/plan/plan.md; echo no > docs/no.md; echo t > $TMPDIR/t && echo $TMPDIR",
        read_only(workspace, writable=(str(part),)),
    )

    assert done.stdout.startswith(b"given" + str(landlock.scratch).encode())
    assert (part / "plan.md").read_text() == "plan\n"
    assert not (workspace / "docs/no.md").exists()


def test_landlock_clears_away_what_earlier_programs_left(landlock: LandlockSandbox, workspace: Path) -> None:
    first = shell(landlock, "echo left > $HOME/left; echo $HOME", read_only(workspace)).stdout.decode().strip()

    shell(landlock, "true", read_only(workspace))

    assert first.startswith(str(landlock.scratch))
    assert not Path(first).exists()


def test_landlock_works_with_a_data_folder_behind_a_symlink(
    landlock: LandlockSandbox, workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "alias").symlink_to("data")

    done = shell(replace(landlock, scratch=tmp_path / "alias"), "echo t > $TMPDIR/t && cat file", read_only(workspace))

    assert done.stdout == b"given", done


def test_landlock_says_what_it_cannot_do(landlock: LandlockSandbox, workspace: Path) -> None:
    mount = Mount(str(workspace / "docs"), str(workspace / "elsewhere"))

    with pytest.raises(EnvironmentProblem, match="cannot show"):
        landlock.confine(Command(("true",), "/"), read_only(workspace, mounts=(mount,)))
    with pytest.raises(EnvironmentProblem, match="cannot keep"):
        landlock.confine(Command(("true",), "/"), writable(workspace, readable=(str(workspace / "docs"),)))


@pytest.mark.parametrize("program", ["git", "node", "python3"])
def test_tools_start(program: str, bwrap: BwrapSandbox, workspace: Path) -> None:
    found = next((path for path in ("/usr/bin", "/usr/local/bin") if Path(path, program).exists()), None)
    if found is None:
        pytest.skip(f"no {program} in the system root")

    done = start(bwrap, (program, "--version"), read_only(workspace))

    assert done.code == 0, done.stderr
    assert b"." in done.stdout


def test_the_interpreter_of_a_virtual_environment_starts(bwrap: BwrapSandbox, workspace: Path) -> None:
    if sys.prefix == sys.base_prefix:
        pytest.skip("not run from a virtual environment")
    confinement = read_only(workspace, readable=readable_for(sys.executable))

    done = start(bwrap, (sys.executable, "-c", "import pytest; print(pytest.__name__)"), confinement)

    assert done.stdout == b"pytest\n", done.stderr


def test_a_readable_prefix_behind_symlinks(bwrap: BwrapSandbox, workspace: Path, tmp_path: Path) -> None:
    real = tmp_path / "store/tool-1/bin"
    real.mkdir(parents=True)
    (real / "tool").write_text("#!/bin/sh\necho ran $0\n")
    (real / "tool").chmod(0o755)
    (tmp_path / "opt").symlink_to(tmp_path / "store")
    (tmp_path / "store/tool").symlink_to("tool-1")
    prefix = tmp_path / "opt/tool"

    done = start(bwrap, (f"{prefix}/bin/tool",), read_only(workspace, readable=(str(prefix),)))

    assert done.stdout.decode() == f"ran {prefix}/bin/tool\n", done.stderr


def test_a_workspace_behind_a_symlinked_parent(bwrap: BwrapSandbox, workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(tmp_path)
    alias = tmp_path / "alias/workspace"

    done = shell(bwrap, f"echo x > {alias}/new; cat {workspace}/new", writable(alias), cwd=str(alias))

    assert done.stdout == b"x\n", done.stderr


def test_a_disposable_git_folder(bwrap: BwrapSandbox, workspace: Path, tmp_path: Path) -> None:
    quiet = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    subprocess.run(["git", "init", "-q", "-b", "main", str(tmp_path / "made")], check=True, env={**os.environ, **quiet})
    mount = Mount(str(tmp_path / "made/.git"), str(workspace / ".git"), writable=True)

    done = shell(bwrap, "git add file && git status --short", writable(workspace, mounts=(mount,)), env=quiet)

    assert done.stdout == b"A  file\n?? docs/\n" or done.stdout == b"A  file\n", done.stderr
    assert (tmp_path / "made/.git/index").exists()
    assert list((workspace / ".git").iterdir()) == []


def test_a_mount_appears_in_a_read_only_workspace(bwrap: BwrapSandbox, workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "modules/left-pad").mkdir(parents=True)
    mount = Mount(str(tmp_path / "modules"), str(workspace / "node_modules"))

    done = shell(bwrap, "ls node_modules; touch node_modules/x", read_only(workspace, mounts=(mount,)))

    assert done.stdout == b"left-pad\n"
    assert b"Read-only file system" in done.stderr


def test_a_home_that_is_given_is_kept(bwrap: BwrapSandbox, workspace: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()

    shell(bwrap, "echo kept > ~/kept", read_only(workspace, home=str(home)))

    assert (home / "kept").read_text() == "kept\n"


def test_a_home_that_is_not_given_is_private_and_empty(bwrap: BwrapSandbox, workspace: Path) -> None:
    done = shell(bwrap, "ls -A ~; echo x > ~/x && echo $HOME; ls -A /home", read_only(workspace))

    assert done.stdout == b"/home/sandbox\nsandbox\n", done.stderr
    assert not Path("/home/sandbox").exists()


def test_private_folders_leave_nothing_on_the_host(bwrap: BwrapSandbox, workspace: Path) -> None:
    name = f"left-{os.getpid()}-{time.monotonic_ns()}"

    done = shell(bwrap, f"touch /tmp/{name} /var/tmp/{name} /run/{name} /dev/shm/{name}", read_only(workspace))

    assert done.code == 0, done.stderr
    assert not [folder for folder in ("/tmp", "/var/tmp", "/run", "/dev/shm") if Path(folder, name).exists()]


def test_private_folders_are_bounded(bwrap: BwrapSandbox, workspace: Path) -> None:
    small = replace(bwrap, limits=replace(bwrap.limits, private_bytes=1 << 20))

    done = shell(small, "head -c 2000000 /dev/zero > /tmp/big", read_only(workspace))

    assert b"No space left" in done.stderr


def test_the_environment_is_exactly_the_commands(
    bwrap: BwrapSandbox, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOST_SECRET", "secret")

    done = start(bwrap, ("env",), read_only(workspace), env={"GIVEN": "1", "LD_BIND_NOW": "1"})

    names = {line.partition("=")[0] for line in done.stdout.decode().splitlines()}
    assert names == {"GIVEN", "LD_BIND_NOW", "PATH", "HOME", "TMPDIR", "PWD"}


def test_values_of_variables_are_not_on_the_command_line(bwrap: BwrapSandbox, workspace: Path) -> None:
    wrapped = bwrap.confine(Command(("true",), "/", {"API_KEY": "sesame"}), read_only(workspace))

    assert not any("sesame" in word for word in wrapped.argv)
    assert wrapped.env["API_KEY"] == "sesame"


@pytest.mark.parametrize("name", ["LD_PRELOAD", "LD_LIBRARY_PATH", "GCONV_PATH", "BASH_ENV", "BASH_FUNC_exec%%"])
def test_loader_variables_do_not_reach_the_programs_that_confine(
    name: str, bwrap: BwrapSandbox, landlock: LandlockSandbox, workspace: Path
) -> None:
    for sandbox in (bwrap, landlock):
        wrapped = sandbox.confine(Command(("true",), "/", {name: "value"}), read_only(workspace))

        assert name not in wrapped.env
        done = start(sandbox, ("env",), read_only(workspace), env={name: "value"})
        assert f"{name}=value".encode() in done.stdout


def test_only_the_standard_streams_are_open(bwrap: BwrapSandbox, workspace: Path) -> None:
    done = start(bwrap, ("ls", "/proc/self/fd"), read_only(workspace))

    assert done.stdout.split() == [b"0", b"1", b"2", b"3"]  # the last is the listing's own


def test_input_and_exit_status_pass_through(bwrap: BwrapSandbox, landlock: LandlockSandbox, workspace: Path) -> None:
    for sandbox in (bwrap, landlock):
        done = shell(sandbox, "cat; exit 7", read_only(workspace), stdin=b"words")

        assert (done.stdout, done.code) == (b"words", 7)


def test_time_zone_and_locale(bwrap: BwrapSandbox, workspace: Path) -> None:
    done = shell(
        bwrap, "TZ=Asia/Seoul date +%z; date +%z; locale charmap", read_only(workspace), env={"LC_ALL": "C.UTF-8"}
    )

    host = subprocess.run(
        ["date", "+%z"], capture_output=True, env={k: v for k, v in os.environ.items() if k != "TZ"}
    ).stdout.strip()
    assert done.stdout.split() == [b"+0900", host, b"UTF-8"]


LOOPBACK = (
    "import socket; s = socket.create_server(('localhost', 0)); "
    "c = socket.create_connection(s.getsockname()); print('connected', socket.gethostbyname(socket.gethostname()))"
)


def test_loopback_works_inside(bwrap: BwrapSandbox, workspace: Path) -> None:
    confinement = read_only(workspace, readable=readable_for(sys.executable))

    done = start(bwrap, (sys.executable, "-I", "-c", LOOPBACK), confinement)

    assert done.stdout == b"connected 127.0.0.1\n", done.stderr


def test_with_network_the_host_is_reached(bwrap: BwrapSandbox, landlock: LandlockSandbox, workspace: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        reach = f"import socket; socket.create_connection(('127.0.0.1', {port}), 5); print('reached')"
        confinement = read_only(workspace, readable=readable_for(sys.executable), network=True)
        for sandbox in (bwrap, landlock):
            done = start(sandbox, (sys.executable, "-I", "-c", reach), confinement)

            assert done.stdout == b"reached\n", done.stderr


def test_only_with_network_there_is_a_resolver(bwrap: BwrapSandbox, workspace: Path) -> None:
    if not Path("/etc/resolv.conf").exists():
        pytest.skip("no resolver on this host")
    script = "cat /etc/resolv.conf"

    assert shell(bwrap, script, read_only(workspace, network=True)).stdout == Path("/etc/resolv.conf").read_bytes()
    assert shell(bwrap, script, read_only(workspace)).code != 0


def test_rule_3_a_daemon_ends_with_the_program_that_left_it(bwrap: BwrapSandbox, workspace: Path) -> None:
    mark = f"0.0{time.monotonic_ns()}"
    daemon = f"setsid sh -c 'while sleep {mark}; do echo alive; done > daemon 2>&1' < /dev/null &"

    done = shell(bwrap, f"{daemon} until [ -s daemon ]; do sleep 0.01; done", writable(workspace))

    assert done.code == 0
    assert (workspace / "daemon").read_text().startswith("alive")
    left = subprocess.run(["pgrep", "-f", mark], capture_output=True).stdout if shutil.which("pgrep") else b""
    assert left == b""


@pytest.mark.parametrize("path", ["relative", "/", "/tmp/../etc", "/tmp/does/not/exist"])
def test_paths_that_make_no_sense_are_refused(path: str, bwrap: BwrapSandbox, workspace: Path) -> None:
    with pytest.raises(EnvironmentProblem):
        bwrap.confine(Command(("true",), "/"), read_only(workspace, writable=(path,)))


def test_a_file_cannot_be_covered_by_a_folder(bwrap: BwrapSandbox, workspace: Path) -> None:
    mount = Mount(str(workspace / "docs"), str(workspace / "file"))

    with pytest.raises(EnvironmentProblem, match="one is a folder"):
        bwrap.confine(Command(("true",), "/"), read_only(workspace, mounts=(mount,)))


def test_rule_1_a_sandbox_that_did_not_start_is_told_from_a_failed_program(
    bwrap: BwrapSandbox, landlock: LandlockSandbox, workspace: Path
) -> None:
    no_filter = replace(bwrap, filter_file=workspace / "gone")
    no_scratch = replace(landlock, scratch=workspace / "gone")

    for sandbox, folder in ((bwrap, "/nowhere"), (landlock, "/nowhere"), (no_filter, "/"), (no_scratch, "/")):
        broken = shell(sandbox, "true", read_only(workspace), cwd=folder)
        assert setup_failure(broken.code, broken.stderr), broken
    for sandbox in (bwrap, landlock):
        failed = shell(sandbox, "echo wrong >&2; exit 1", read_only(workspace))
        assert setup_failure(failed.code, failed.stderr) is None
        missing = start(sandbox, ("no-such-program",), read_only(workspace))
        assert missing.code == 127
        assert setup_failure(missing.code, missing.stderr) is None


def test_rule_3_killing_the_sandbox_ends_everything_in_it(bwrap: BwrapSandbox, workspace: Path) -> None:
    script = "(setsid sh -c 'while echo x >> beat; do sleep 0.01; done' &) ; echo started; sleep 60"
    wrapped = bwrap.confine(Command(("/bin/sh", "-c", script), str(workspace)), writable(workspace))
    process = subprocess.Popen(wrapped.argv, cwd=wrapped.cwd, env=wrapped.env, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"started\n"

    process.kill()
    process.wait(30)

    # The pipe closes when its last holder, the daemon included, has gone.
    assert process.stdout.read() == b""
    process.stdout.close()


def test_a_protected_git_folder_stays_as_it_is(bwrap: BwrapSandbox, workspace: Path) -> None:
    (workspace / ".git/hooks").mkdir(parents=True)
    (workspace / ".git/config").write_text("[core]\n")
    protected = writable(workspace, readable=(str(workspace / ".git"),))

    done = shell(bwrap, "echo x > .git/hooks/pre-commit; echo x >> .git/config; mv .git aside; rm -rf .git", protected)

    assert done.stderr.count(b"Read-only file system") >= 3
    assert (workspace / ".git/config").read_text() == "[core]\n"
    assert list((workspace / ".git/hooks").iterdir()) == []
