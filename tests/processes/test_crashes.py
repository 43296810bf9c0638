"""Kills at any moment: of the orchestrator, of the supervisor, of both; full disks. One start each, nothing lost."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from andon.domain.errors import EnvironmentProblem
from andon.ports import Bounds, Command, Exit
from andon.processes import alive, cancel, finished, starts, supervise

MIB = 1024 * 1024
UNTIL_GO = "echo >>ran; echo begun; until [ -e go ]; do sleep 0.02; done; echo reply"

ZYGOTE = """
import asyncio, os, random, signal, sys, time
from pathlib import Path
from andon.ports import Bounds, Command
from andon.processes import finished, starts, supervise
base, rounds = Path(sys.argv[1]), int(sys.argv[2])
choose = random.Random(13)
for number in range(rounds):
    folder, place = base / f"{number}", base / f"{number}-place"
    place.mkdir(parents=True)
    command = Command(("sh", "-c", "echo >>ran; sleep 0.1; echo reply"), str(place), {"PATH": "/usr/bin:/bin"})
    go = lambda: asyncio.run(supervise(folder, command, Bounds(30)))
    child = os.fork()
    if child == 0:
        go()
        os._exit(0)
    delay = choose.uniform(0, 0.16)
    time.sleep(delay)  # The kill point itself, not a wait for something.
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    end = go()
    ran = (place / "ran").read_text().count("\\n")
    reply = (folder / "stdout").read_text()
    if (end.reason, end.code, ran, starts(folder), reply) != ("exited", 0, 1, 1, "reply\\n"):
        sys.exit(f"round {number}, killed after {delay}: {end}, ran {ran}, starts {starts(folder)}, {reply!r}")
print("survived", rounds)
"""

RACER = """
import asyncio, sys
from pathlib import Path
from andon.ports import Bounds, Command
from andon.processes import supervise
base = Path(sys.argv[1])
async def main():
    for number in range(int(sys.argv[2])):
        command = Command(("sh", "-c", f"echo >>{number}.ran; echo reply"), str(base), {"PATH": "/usr/bin:/bin"})
        end = await supervise(base / str(number), command, Bounds(30))
        assert (end.reason, end.code) == ("exited", 0), end
asyncio.run(main())
"""


def supervised(folder: Path, command: Command, **bounds: float) -> Exit:
    return asyncio.run(asyncio.wait_for(supervise(folder, command, Bounds(30, **bounds)), 60))  # type: ignore[arg-type]


def kill_supervisor(folder: Path, *, guard: bool = False, both: bool = False) -> None:
    supervisor = int((folder / "supervisor.pid").read_text())
    if guard or both:
        stat = Path(f"/proc/{supervisor}/stat").read_text()
        os.kill(int(stat.rpartition(")")[2].split()[1]), signal.SIGKILL)
    if not guard:
        os.kill(supervisor, signal.SIGKILL)


def test_E_13_a_second_orchestrator_takes_up_the_agent_of_a_killed_one(
    folder: Path, agent, orchestrate: Callable[..., subprocess.Popen[str]], eventually: Callable[..., None]
) -> None:
    command = agent.shell(UNTIL_GO)
    first = orchestrate(command)
    eventually(agent.runs)

    first.kill()
    first.wait(20)
    assert alive(folder) and agent.survivors()
    second = orchestrate(command)
    (agent.place / "go").touch()

    assert second.communicate(timeout=30)[0] == "exited 0\n"
    assert (folder / "stdout").read_text() == "begun\nreply\n"
    assert agent.runs() == starts(folder) == 1


def test_E_13_an_agent_that_finished_alone_is_not_started_again(
    folder: Path, agent, orchestrate: Callable[..., subprocess.Popen[str]], eventually: Callable[..., None]
) -> None:
    command = agent.shell(UNTIL_GO)
    first = orchestrate(command)
    eventually(agent.runs)
    first.kill()
    first.wait(20)
    (agent.place / "go").touch()
    eventually(lambda: finished(folder))

    end = supervised(folder, command)

    assert (end.reason, end.code, agent.runs()) == ("exited", 0, 1)


def test_E_13_thirty_kill_points_of_the_orchestrator_start_each_agent_once(tmp_path: Path) -> None:
    result = subprocess.run([sys.executable, "-c", ZYGOTE, str(tmp_path), "30"], capture_output=True, timeout=100)

    assert result.stdout == b"survived 30\n", result.stderr.decode()


def test_E_13_orchestrators_that_race_start_it_once(tmp_path: Path) -> None:
    racers = [
        subprocess.Popen([sys.executable, "-c", RACER, str(tmp_path), "50"], stderr=subprocess.PIPE) for _ in range(2)
    ]
    for racer in racers:
        _, complaint = racer.communicate(timeout=100)
        assert racer.returncode == 0, complaint.decode()

    for number in range(50):
        assert (tmp_path / f"{number}.ran").read_text() == "\n", number
        assert starts(tmp_path / str(number)) == 1
        assert (tmp_path / str(number) / "stdout").read_text() == "reply\n"


def test_E_13_ten_waits_in_one_orchestrator_start_it_once(folder: Path, agent) -> None:
    async def scenario() -> list[Exit]:
        command = agent.shell("echo >>ran; exit 7")
        return await asyncio.gather(*(supervise(folder, command, Bounds(30)) for _ in range(10)))

    assert {(end.reason, end.code) for end in asyncio.run(scenario())} == {("exited", 7)}
    assert agent.runs() == starts(folder) == 1


DAEMONS = """
import os, signal, time
open("ran", "a").write("\\n")
print("first", flush=True)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        time.sleep(600)
open("ready", "w").close()
time.sleep(600)
"""


def test_E_27_supervisor_killed_no_daemon_survives_and_nothing_runs_on_what_it_left(
    folder: Path, agent, eventually: Callable[..., None]
) -> None:
    """Without any sandbox: the guard ends what the killed supervisor leaves, and only then does the lock fall."""

    async def scenario() -> Exit:
        task = asyncio.create_task(supervise(folder, agent.python(DAEMONS), Bounds(60)))
        await asyncio.to_thread(eventually, (agent.place / "ready").exists)
        kill_supervisor(folder)
        return await task

    end = asyncio.run(scenario())

    assert (end.reason, end.code, agent.runs(), starts(folder)) == ("lost", None, 1, 1)
    assert agent.survivors() == []
    assert finished(folder) == end == supervised(folder, agent.shell("echo >>ran"))


def test_E_13_supervisor_that_dies_before_the_process_starts_is_replaced(
    folder: Path, agent, eventually: Callable[..., None]
) -> None:
    """A FIFO in the place of `starts` keeps the first supervisor from getting as far as the process."""
    folder.mkdir()
    os.mkfifo(folder / "starts")

    async def scenario() -> Exit:
        task = asyncio.create_task(supervise(folder, agent.shell("echo >>ran"), Bounds(60)))
        await asyncio.to_thread(eventually, (folder / "supervisor.pid").exists)
        (folder / "starts").unlink()
        kill_supervisor(folder)
        return await task

    assert asyncio.run(scenario()).code == 0
    assert agent.runs() == starts(folder) == 1


def test_E_13_cut_by_a_power_loss_it_starts_again_only_for_a_caller_who_put_the_files_back(
    folder: Path, agent, orchestrate: Callable[..., subprocess.Popen[str]], eventually: Callable[..., None]
) -> None:
    orchestrator = orchestrate(agent.shell("echo >>ran; sleep 600; :"))
    eventually(agent.runs)
    orchestrator.kill()
    orchestrator.wait(20)
    kill_supervisor(folder, both=True)
    eventually(lambda: not alive(folder))

    end = asyncio.run(supervise(folder, agent.shell("echo >>ran"), Bounds(30), afresh=False))

    assert (end.reason, agent.runs()) == ("lost", 1)


@pytest.mark.parametrize("name", ["exit.json", "lock", "starts"])
def test_a_fifo_or_a_link_among_its_files_neither_stops_nor_leads_anyone_astray(folder: Path, name: str) -> None:
    folder.mkdir()
    os.mkfifo(folder / name)
    assert (finished(folder), alive(folder), starts(folder)) == (None, False, 0)

    (folder / name).unlink()
    (folder / name).symlink_to("/etc/hostname")
    assert (finished(folder), alive(folder), starts(folder)) == (None, False, 0)


def test_a_planted_link_named_cancel_is_not_followed(folder: Path, tmp_path: Path) -> None:
    folder.mkdir()
    (folder / "cancel").symlink_to(tmp_path / "outside")

    with pytest.raises(OSError, match="symbolic"):
        cancel(folder)

    assert not (tmp_path / "outside").exists()
    (folder / "cancel").unlink()


def test_E_13_guard_killed_the_agent_does_not_notice(folder: Path, agent, eventually: Callable[..., None]) -> None:
    async def scenario() -> Exit:
        task = asyncio.create_task(supervise(folder, agent.shell(UNTIL_GO), Bounds(60)))
        await asyncio.to_thread(eventually, agent.runs)
        kill_supervisor(folder, guard=True)
        (agent.place / "go").touch()
        return await task

    assert asyncio.run(scenario()).code == 0
    assert starts(folder) == 1


def bwrap(command: Command) -> Command:
    wrap = ("bwrap", "--die-with-parent", "--unshare-pid", "--dev-bind", "/", "/", "--proc", "/proc")
    if shutil.which("bwrap") is None or subprocess.run([*wrap, "true"], capture_output=True).returncode:
        pytest.skip("bubblewrap does not work here")
    return Command((*wrap, *command.argv), command.cwd, command.env)


@pytest.mark.parametrize("confined", [False, True], ids=["plain", "bwrap"])
def test_E_27_supervisor_and_guard_killed_at_once(
    folder: Path,
    agent,
    orchestrate: Callable[..., subprocess.Popen[str]],
    eventually: Callable[..., None],
    confined: bool,
) -> None:
    """The process dies with its supervisor; inside a pid namespace its daemons do, too."""
    if confined:
        command = bwrap(agent.shell("setsid sh -c 'sleep 600; :' $0 & echo >>ran; sleep 600; :"))
    else:
        command = agent.python("import time; open('ran', 'a').write('\\n'); time.sleep(600)")
    orchestrator = orchestrate(command)
    eventually(agent.runs)
    orchestrator.kill()
    orchestrator.wait(20)

    kill_supervisor(folder, both=True)

    eventually(lambda: not agent.survivors())
    eventually(lambda: not alive(folder))
    assert finished(folder) is None
    assert supervised(folder, agent.shell("echo >>ran")).code == 0
    assert starts(folder) == 2


def test_without_an_orchestrator_the_lease_runs_out(
    folder: Path, agent, orchestrate: Callable[..., subprocess.Popen[str]], eventually: Callable[..., None]
) -> None:
    orchestrator = orchestrate(agent.shell("echo >>ran; sleep 600; :"), lease=0.4)
    eventually(agent.runs)

    orchestrator.kill()
    eventually(lambda: finished(folder))

    end = finished(folder)
    assert end is not None and end.reason == "lease"
    assert agent.survivors() == []


def test_an_orchestrator_that_waits_keeps_the_lease(folder: Path, agent) -> None:
    assert supervised(folder, agent.shell("sleep 1.2"), lease_seconds=0.2).reason == "exited"


def test_file_size_limit_truncates_output_and_keeps_a_true_exit(folder: Path, agent) -> None:
    """A disk that refuses more output, as an ordinary user can arrange it."""
    script = f"""
import asyncio, resource
from pathlib import Path
from andon.ports import Bounds, Command
from andon.processes import supervise
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
command = Command({agent.shell("head -c 100000 /dev/zero; exit 7").argv!r}, "/", {{"PATH": "/usr/bin:/bin"}})
print(asyncio.run(supervise(Path({str(folder)!r}), command, Bounds(30))).code)
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=30)

    end = finished(folder)
    assert result.stdout == b"7\n", result.stderr.decode()
    assert end is not None and (end.reason, end.code, end.truncated) == ("exited", 7, True)
    assert os.strerror(errno.EFBIG) in end.detail
    assert (folder / "stdout").stat().st_size == 8192


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    mount = tmp_path / "disk"
    mount.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(mount)], capture_output=True)
    if made.returncode:
        pytest.skip("mounting is not permitted here")
    yield mount
    subprocess.run(["umount", "-l", str(mount)], check=True)


def test_full_disk_truncates_output_and_keeps_a_true_exit(small_disk: Path, agent) -> None:
    folder = small_disk / "order"

    end = supervised(folder, agent.shell("head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2; exit 7"))

    assert (end.reason, end.code, end.truncated) == ("exited", 7, True)
    assert os.strerror(errno.ENOSPC) in end.detail
    assert finished(folder) == end and not alive(folder)


def test_a_disk_full_from_the_start_is_a_problem_of_the_environment(small_disk: Path, agent) -> None:
    with pytest.raises(OSError, match="No space"):
        (small_disk / "filler").write_bytes(b"x" * MIB)

    with pytest.raises(EnvironmentProblem, match="No space"):
        supervised(small_disk / "order", agent.shell("echo >>ran"))

    assert agent.runs() == 0
    (small_disk / "filler").unlink()
    assert supervised(small_disk / "order", agent.shell("echo >>ran")).code == 0
