"""One supervised process: what it gets, what is kept of it, how each bound ends it, and that nothing survives."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from andon.ports import Bounds, Command, Exit
from andon.processes import alive, cancel, cancelled, finished, starts, supervise

MIB = 1024 * 1024
DAEMONS = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        time.sleep(600)
open("ready", "w").close()
"""
"""Three daemons that left the session, forked twice and ignore TERM."""


def supervised(folder: Path, command: Command, seconds: float = 30, **bounds: object) -> Exit:
    return asyncio.run(asyncio.wait_for(supervise(folder, command, Bounds(seconds, **bounds)), 60))  # type: ignore[arg-type]


@pytest.mark.parametrize("code", [0, 1, 3, 255])
def test_records_the_exit_code_and_both_streams(folder: Path, agent, code: int) -> None:
    end = supervised(folder, agent.shell(f"cat; echo err >&2; exit {code}", stdin=b"in\n"))

    assert (end.reason, end.code, end.signal, end.truncated) == ("exited", code, None, False)
    assert (folder / "stdout").read_bytes() == b"in\n"
    assert (folder / "stderr").read_bytes() == b"err\n"
    assert finished(folder) == end and not alive(folder)


def test_a_signal_is_not_an_exit_code(folder: Path, agent) -> None:
    end = supervised(folder, agent.shell("kill -SEGV $$"))

    assert (end.reason, end.code, end.signal) == ("exited", None, signal.SIGSEGV)


def test_silence_is_empty_files(folder: Path, agent) -> None:
    assert supervised(folder, agent.shell(":")).code == 0
    assert (folder / "stdout").read_bytes() == (folder / "stderr").read_bytes() == b""


def test_bytes_that_are_no_text_pass_through_arguments_and_output(folder: Path, agent) -> None:
    argv = ("printf", "%s|%s|%b", os.fsdecode(b"\xff\xfe"), "한글 😀 \"'\n", "\\0377\\0000")

    supervised(folder, Command(argv, str(agent.place), {"PATH": "/usr/bin:/bin"}))

    assert (folder / "stdout").read_bytes() == b"\xff\xfe|" + "한글 😀 \"'\n".encode() + b"|\xff\x00"


def test_inherits_nothing_but_what_is_passed(folder: Path, agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANDON_TEST_SECRET", "leak")
    leaked = os.open(agent.place, os.O_RDONLY)
    os.set_inheritable(leaked, True)
    script = "import os; print(sorted(os.listdir('/proc/self/fd')), dict(os.environ), os.getcwd())"
    command = agent.python(script)

    supervised(folder, Command(command.argv, command.cwd, {"ONLY": "this", "LC_ALL": "C.UTF-8"}))
    os.close(leaked)

    # 3 is the listing itself: neither the lock nor anything of the orchestrator is open.
    expected = f"['0', '1', '2', '3'] {{'ONLY': 'this', 'LC_ALL': 'C.UTF-8'}} {agent.place}\n"
    assert (folder / "stdout").read_text() == expected


def test_what_holds_secrets_is_readable_by_its_owner_only(folder: Path, agent) -> None:
    supervised(folder, agent.shell(":"))

    for path in (folder, *folder.iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_output_far_over_the_limit_neither_fills_the_disk_nor_stalls(folder: Path, agent) -> None:
    end = supervised(folder, agent.shell("yes | head -c 300000000; echo end >&2"), output_bytes=MIB)

    assert (end.reason, end.code, end.truncated) == ("exited", 0, True)
    assert (folder / "stdout").stat().st_size == MIB
    assert (folder / "stderr").read_bytes() == b"end\n"


def test_output_of_exactly_the_limit_is_whole(folder: Path, agent) -> None:
    end = supervised(folder, agent.shell("printf 12345"), output_bytes=5)

    assert not end.truncated and (folder / "stdout").read_bytes() == b"12345"


def test_finished_is_returned_not_repeated(folder: Path, agent) -> None:
    command = agent.shell("echo >>ran")

    first, second = supervised(folder, command), supervised(folder, command)

    assert first == second and agent.runs() == starts(folder) == 1


@pytest.mark.parametrize("broken", ["", "{", '{"reason": "exi', "[]"])
def test_only_a_whole_record_is_believed(folder: Path, agent, broken: str) -> None:
    folder.mkdir()
    (folder / "exit.json").write_text(broken)

    assert finished(folder) is None
    assert supervised(folder, agent.shell("exit 5")).code == 5


def test_E_27_deadline_ends_daemons_too(folder: Path, agent) -> None:
    end = supervised(folder, agent.python(DAEMONS + "time.sleep(600)"), seconds=0.5)

    assert (end.reason, end.code) == ("timeout", None)
    assert agent.survivors() == []


def test_E_27_deadline_catches_a_process_that_forks_itself_away(folder: Path, agent) -> None:
    runaway = "import os, time\nif os.fork(): time.sleep(600)\nos.setsid()\nwhile True:\n  if os.fork(): os._exit(0)"

    end = supervised(folder, agent.python(runaway), seconds=0.3)

    assert end.reason == "timeout" and "could not" not in end.detail
    assert end.seconds < 10
    assert agent.survivors() == []


def test_E_27_the_record_is_written_after_the_last_daemon_has_gone(
    folder: Path, agent, eventually: Callable[..., None]
) -> None:
    """Whoever sees the record may touch the workspace at once, without asking for the lock."""

    async def scenario() -> list[int]:
        task = asyncio.create_task(supervise(folder, agent.python(DAEMONS), Bounds(60)))
        await asyncio.to_thread(eventually, (folder / "exit.json").exists)
        left = agent.survivors()
        await task
        return left

    assert asyncio.run(scenario()) == []


def test_E_27_exit_leaves_no_daemons_behind(folder: Path, agent) -> None:
    end = supervised(folder, agent.python(DAEMONS + "print('done'); sys.stdout.flush(); os._exit(4)"))

    assert (end.reason, end.code) == ("exited", 4)
    assert (folder / "stdout").read_text() == "done\n"
    assert agent.survivors() == []


def test_E_27_cancel_is_prompt_and_leaves_nothing(folder: Path, agent, eventually: Callable[..., None]) -> None:
    async def scenario() -> tuple[Exit, bool, float]:
        task = asyncio.create_task(supervise(folder, agent.python(DAEMONS + "time.sleep(600)"), Bounds(60)))
        await asyncio.to_thread(eventually, (agent.place / "ready").exists)
        begun = time.monotonic()
        cancel(folder)
        gone = await cancelled(folder, 30)
        return await task, gone, time.monotonic() - begun

    end, gone, seconds = asyncio.run(scenario())

    assert end.reason == "cancelled" and gone and not alive(folder)
    assert agent.survivors() == []
    assert seconds < 15


def test_cancelled_says_when_it_is_not_gone_yet(folder: Path, agent, eventually: Callable[..., None]) -> None:
    async def scenario() -> bool:
        task = asyncio.create_task(supervise(folder, agent.shell("sleep 600; :"), Bounds(60)))
        await asyncio.to_thread(eventually, lambda: alive(folder))
        gone = await cancelled(folder, 0.05)
        cancel(folder)
        await task
        return gone

    assert asyncio.run(scenario()) is False


def test_cancelled_before_the_start_is_never_started(folder: Path, agent) -> None:
    cancel(folder)

    end = supervised(folder, agent.shell("echo >>ran"))

    assert (end.reason, starts(folder), agent.runs()) == ("cancelled", 0, 0)


def test_a_plain_TERM_counts_as_cancel_and_is_told_apart(folder: Path, agent, eventually: Callable[..., None]) -> None:
    async def scenario() -> Exit:
        task = asyncio.create_task(supervise(folder, agent.shell("echo >>ran; sleep 600; :"), Bounds(60)))
        await asyncio.to_thread(eventually, agent.runs)
        os.kill(int((folder / "supervisor.pid").read_text()), signal.SIGTERM)
        return await task

    end = asyncio.run(scenario())

    assert end.reason == "cancelled" and "without a cancel request" in end.detail
    assert agent.survivors() == []


@pytest.mark.parametrize("stranger", [True, False])
def test_cancel_signals_the_supervisor_of_this_folder_only(folder: Path, stranger: bool) -> None:
    """Given a held lock and a number in supervisor.pid: that of our supervisor, or one that was given out again."""
    folder.mkdir()
    whose = "/somewhere/else" if stranger else str(folder)
    process = subprocess.Popen(["sh", "-c", "echo; sleep 600; :", whose], stdout=subprocess.PIPE, process_group=0)
    try:
        assert process.stdout and process.stdout.readline() == b"\n"
        (folder / "supervisor.pid").write_text(f"{process.pid}\n")
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            cancel(folder)

        if stranger:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.2)
        else:
            assert process.wait(20) == -signal.SIGTERM
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def test_memory_of_the_whole_tree_is_bounded(folder: Path, agent) -> None:
    hungry = "import os, time\nif os.fork() == 0: data = bytearray(b'x') * 200_000_000\ntime.sleep(600)"

    end = supervised(folder, agent.python(hungry), memory_bytes=100 * MIB)

    assert end.reason == "memory" and "resident" in end.detail
    assert agent.survivors() == []


def test_memory_within_its_bound_is_left_alone(folder: Path, agent) -> None:
    modest = "import time\ndata = bytearray(b'x') * 20_000_000\ntime.sleep(0.8)"

    assert supervised(folder, agent.python(modest), memory_bytes=200 * MIB).reason == "exited"


def test_growth_on_the_disk_is_bounded_and_what_was_there_is_not_counted(folder: Path, agent) -> None:
    (agent.place / "before").write_bytes(b"x" * 5 * MIB)
    (agent.place / "deep" / "down").mkdir(parents=True)
    watch = {"disk_bytes": 2 * MIB, "disk_folder": str(agent.place)}

    quiet = supervised(folder / "1", agent.shell("head -c 1000000 /dev/zero >a; sleep 0.6"), **watch)
    greedy = supervised(folder / "2", agent.shell("head -c 4000000 /dev/zero >deep/down/b; sleep 600; :"), **watch)

    assert (quiet.reason, greedy.reason) == ("exited", "disk")
    assert agent.survivors() == []


@pytest.mark.parametrize(
    ("argv", "cwd", "said"),
    [
        (("no-such-program",), ".", "no-such-program: No such file"),
        (("./plain",), ".", "plain: Permission denied"),
        (("true",), "nowhere", "nowhere: No such file"),
    ],
)
def test_what_cannot_be_started_says_why(folder: Path, agent, argv: tuple[str, ...], cwd: str, said: str) -> None:
    (agent.place / "plain").write_text("not executable")

    end = supervised(folder, Command(argv, str(agent.place / cwd), {"PATH": "/usr/bin:/bin"}))

    assert (end.reason, end.code) == ("unstartable", None)
    assert said in end.detail


def test_an_agent_that_kills_its_supervisor_is_lost_and_not_started_again(folder: Path, agent) -> None:
    end = supervised(folder, agent.shell("echo >>ran; kill -9 $PPID; sleep 600; :"))

    assert (end.reason, agent.runs()) == ("lost", 1)


def test_an_abandoned_wait_leaves_the_process_and_can_be_taken_up(
    folder: Path, agent, eventually: Callable[..., None]
) -> None:
    command = agent.shell("echo >>ran; until [ -e go ]; do sleep 0.02; done; echo reply")

    async def scenario() -> Exit:
        task = asyncio.create_task(supervise(folder, command, Bounds(60)))
        await asyncio.to_thread(eventually, agent.runs)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert alive(folder) and finished(folder) is None
        again = asyncio.create_task(supervise(folder, command, Bounds(60)))
        (agent.place / "go").touch()
        return await again

    assert asyncio.run(scenario()).code == 0
    assert agent.runs() == starts(folder) == 1
    assert (folder / "stdout").read_text() == "reply\n"


def test_told_when_started_but_not_when_attached(folder: Path, agent, eventually: Callable[..., None]) -> None:
    told: list[str] = []

    async def scenario() -> None:
        command = agent.shell("echo >>ran; until [ -e go ]; do sleep 0.02; done")
        first = asyncio.create_task(supervise(folder, command, Bounds(60), on_started=lambda: told.append("first")))
        await asyncio.to_thread(eventually, agent.runs)
        second = asyncio.create_task(supervise(folder, command, Bounds(60), on_started=lambda: told.append("second")))
        (agent.place / "go").touch()
        await asyncio.gather(first, second)

    asyncio.run(scenario())

    assert told == ["first"]


def test_a_program_that_stopped_waiting_can_exit(folder: Path, agent) -> None:
    """The thread that waits must not hold up the interpreter's end while the agent goes on working."""
    script = f"""
import asyncio
from pathlib import Path
from andon.ports import Bounds, Command
from andon.processes import supervise
async def main():
    await asyncio.wait_for(supervise(Path({str(folder)!r}), Command({agent.shell("sleep 600; :").argv!r}, "/",
                           {{"PATH": "/usr/bin:/bin"}}), Bounds(60)), 0.5)
asyncio.run(main())
"""
    result = subprocess.run([sys.executable, "-c", script], stderr=subprocess.PIPE, timeout=30)

    assert b"TimeoutError" in result.stderr
    assert alive(folder)
