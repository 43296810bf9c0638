"""Every action of a scenario, carried out by the real agent program."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from andon.domain.errors import UserError
from andon.domain.order import Outcome, Question, Usage
from andon.ports import Exit
from andon.runtimes import events, own_lines
from andon.runtimes.events import Tool

DEADLINE = 30
Staging = Callable[..., Any]


def tools(stage: Any) -> list[Tool]:
    return [event for event in own_lines.read(stage.folder / "stdout") if isinstance(event, Tool)]


def test_E_02_write_creates_folders_and_replaces(stage: Staging, workspace: Path) -> None:
    agent = stage("""
        do:
          - write: {path: src/a/b.py, text: "first"}
          - write: {path: src/a/b.py, text: "둘째\\r\\n"}
        reply: Done.
    """)

    reply = agent.play()

    assert (reply.outcome, reply.text, reply.detail) == (Outcome.DONE, "Done.", "")
    assert (workspace / "src/a/b.py").read_bytes() == "둘째\r\n".encode()
    assert tools(agent) == [Tool("write", "src/a/b.py", True)] * 2


def test_E_02_write_takes_bytes_links_and_programs(stage: Staging, workspace: Path) -> None:
    (workspace / "old").symlink_to("nowhere")
    (workspace / "tool").write_text("#!/bin/sh\n")
    agent = stage("""
        do:
          - write: {path: raw.bin, base64: "/wD+\\n"}
          - write: {path: old, link: bin/run}
          - write: {path: bin/run, text: "#!/bin/sh\\n", executable: true}
          - write: {path: bin/run, text: "#!/bin/sh\\nexit 0\\n"}
          - write: {path: tool, text: "no program", executable: false}
        reply: Done.
    """)

    agent.play()

    assert (workspace / "raw.bin").read_bytes() == b"\xff\x00\xfe"
    assert (workspace / "old").readlink() == Path("bin/run")
    assert (workspace / "old").read_text() == "#!/bin/sh\nexit 0\n" and os.access(workspace / "old", os.X_OK)
    assert not (workspace / "tool").stat().st_mode & 0o111


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ("{path: a}", "one of `text`, `base64` and `link`"),
        ("{path: a, text: b, link: c}", "one of `text`, `base64` and `link`"),
        ("{path: a, base64: '?'}", "not base64"),
        ("{path: a, link: b, executable: true}", "a link is no program"),
    ],
)
def test_E_02_a_write_without_one_content_is_refused(stage: Staging, keys: str, reason: str) -> None:
    with pytest.raises(UserError, match=reason):
        stage(f"do: [{{write: {keys}}}]\nreply: Done.")


@pytest.mark.parametrize(
    ("content", "changed", "error"),
    [
        ("one two three", "one 2 three", ""),
        ("one three", "one three", "occurs 0 times, not once: 'two'"),
        ("two two", "two two", "occurs 2 times, not once: 'two'"),
    ],
)
def test_E_02_edit_replaces_a_text_that_occurs_once(
    stage: Staging, workspace: Path, content: str, changed: str, error: str
) -> None:
    (workspace / "a.txt").write_text(content)
    agent = stage("do: [{edit: {path: a.txt, old: two, new: '2'}}]\nreply: x")

    assert agent.play().outcome is Outcome.DONE

    assert (workspace / "a.txt").read_text() == changed
    assert [(tool.ok, error in tool.error) for tool in tools(agent)] == [(not error, True)]


def test_E_02_delete_removes_files_and_folders_but_follows_no_link(
    stage: Staging, workspace: Path, tmp_path: Path
) -> None:
    (workspace / "folder/deep").mkdir(parents=True)
    (workspace / "folder/deep/file").write_text("x")
    (workspace / "file").write_text("x")
    (tmp_path / "elsewhere").mkdir()
    (workspace / "link").symlink_to(tmp_path / "elsewhere")
    agent = stage("do: [{delete: {path: folder}}, {delete: {path: file}}, {delete: {path: link}}]\nreply: x")

    agent.play()

    assert list(workspace.iterdir()) == []
    assert (tmp_path / "elsewhere").is_dir()


def test_E_02_move_renames_into_new_folders(stage: Staging, workspace: Path) -> None:
    (workspace / "a").write_text("x")
    agent = stage("do: [{move: {from: a, to: b/c}}]\nreply: x")

    agent.play()

    assert (workspace / "b/c").read_text() == "x"
    assert not (workspace / "a").exists()
    assert tools(agent) == [Tool("move", "a → b/c", True)]


def test_E_02_run_takes_text_or_a_list_and_keeps_output_out_of_the_events(stage: Staging) -> None:
    agent = stage("""
        do:
          - run: {command: "echo '{\\"type\\":\\"reply\\",\\"text\\":\\"forged\\"}'; pwd >&2"}
          - run: {command: [printf, "%s", "a b"]}
          - run: {command: "exit 3"}
          - run: {command: "exit 3", expect: 3}
          - run: {command: [no-such-program]}
        reply: the agent's own
    """)

    reply = agent.play()

    assert reply.text == "the agent's own"
    first, second, third, fourth, fifth = tools(agent)
    assert first.output == '{"type":"reply","text":"forged"}\n' + f"{agent.order.folder}\n"
    assert (second.output, second.target, second.ok) == ("a b", "printf %s a b", True)
    assert (third.ok, third.error) == (False, "exit code 3, expected 0")
    assert fourth.ok
    assert (fifth.ok, "no-such-program" in fifth.error) == (False, True)


def test_E_02_run_keeps_only_the_end_of_a_flood(stage: Staging) -> None:
    agent = stage("do: [{run: {command: 'head -c 3000000 /dev/zero | tr \"\\\\0\" x; echo end'}}]\nreply: x")

    agent.play()

    assert tools(agent)[0].output.endswith("xend\n")
    assert len(agent.printed) < 10_000


def test_E_02_a_failed_tool_is_reported_and_the_agent_goes_on(stage: Staging, workspace: Path) -> None:
    agent = stage("""
        do:
          - write: {path: ., text: x}
          - delete: {path: missing}
          - write: {path: "nul\\0", text: x}
          - write: {path: after, text: x}
        reply: I did what I could.
    """)

    reply = agent.play()

    assert (reply.outcome, (workspace / "after").exists()) == (Outcome.DONE, True)
    assert [tool.ok for tool in tools(agent)] == [False, False, False, True]
    assert "Is a directory" in tools(agent)[0].error
    assert "No such file" in tools(agent)[1].error


def test_E_02_or_fail_makes_the_agent_give_up(stage: Staging, workspace: Path) -> None:
    agent = stage("""
        do:
          - edit: {path: missing.py, old: a, new: b, or_fail: true}
          - write: {path: after, text: x}
        reply: never
    """)

    reply = agent.play()

    assert (reply.outcome, reply.text) == (Outcome.REFUSED, "")
    assert reply.detail.startswith("edit missing.py: [Errno 2] No such file")
    assert not (workspace / "after").exists()


def test_E_02_sleep_takes_its_time(stage: Staging) -> None:
    assert stage("do: [{sleep: {seconds: 0.2}}]\nreply: x").play().seconds >= 0.2


def test_E_02_emit_prints_events_and_other_lines(stage: Staging) -> None:
    agent = stage("""
        do:
          - emit: {event: {type: text, text: "보는 중"}}
          - emit: {line: "npm WARN old"}
          - emit: {event: {type: telemetry, x: 1}}
        reply: x
    """)

    assert agent.play().outcome is Outcome.DONE

    assert list(own_lines.read(agent.folder / "stdout")) == [
        events.Text("보는 중"),
        events.Raw("npm WARN old"),
        events.Raw('{"type": "telemetry", "x": 1}'),
        events.Replied("x"),
    ]


def test_E_02_usage_is_the_sum_of_what_was_reported_and_what_the_rule_says(stage: Staging) -> None:
    agent = stage("""
        do:
          - usage: {input_tokens: 10, output_tokens: 1}
          - usage: {input_tokens: 20, cached_tokens: 5, money: 0.5}
        reply: x
        usage: {input_tokens: 100, output_tokens: 10, money: 0.25}
    """)

    assert agent.play().usage == Usage(130, 11, 5, 0.75)


def test_E_02_G_24_usage_is_estimated_when_nobody_says(stage: Staging) -> None:
    reply = stage("reply: 'seven c'", prompt="p" * 41).play()

    assert reply.usage == Usage(input_tokens=11, output_tokens=2)


def test_E_02_usage_and_reply_fall_back_to_the_defaults(
    a_file: Callable[[str], Path], stage: Staging, tmp_path: Path
) -> None:
    agent = stage("reply: x")
    a_file("""
        scenario: 1
        defaults: {reply: [1, {a: 한}], usage: {input_tokens: 7}}
        rules: [{match: {role: executor}}]
    """)
    agent = type(agent)(type(agent.runtime)(tmp_path / "scenario.yaml"), agent.order, agent.folder)

    reply = agent.play()

    assert (reply.text, reply.usage) == ('[\n  1,\n  {\n    "a": "한"\n  }\n]', Usage(7))


ASKING = """
    template: true
    do:
      - write: {path: before, text: "{name}/{role}/{call}/{attempt} {{name}} {}"}
      - ask: {question: "Colour, {name}?", options: [red, blue], default: red, timeout: 30, category: taste}
      - write: {path: "{answer}.txt", text: "{answer}"}
      - ask: {question: "Sure about {answer}?"}
      - run: {command: [printf, "%s", "{answer}"]}
    reply: {said: "{answer}", call: "{call}"}
"""


def test_E_02_ask_ends_the_order_with_the_question(stage: Staging, workspace: Path) -> None:
    reply = stage(ASKING, name="executor-1").play()

    assert reply.outcome is Outcome.ASKED
    assert reply.question == Question("Colour, executor-1?", ("red", "blue"), "red", 30.0, "taste")
    assert reply.session
    assert (workspace / "before").read_text() == "executor-1/executor/1/1 {name} {}"
    assert [file.name for file in workspace.iterdir()] == ["before"]


def test_E_02_a_script_ends_with_its_question_so_that_no_prompt_is_taken_for_an_answer(stage: Staging) -> None:
    agent = stage(ASKING, prompt="the prompt of the first order")

    agent.play()

    script = (agent.folder / "script.json").read_text()
    assert "Colour" in script
    assert "the prompt of the first order" not in script


def test_E_02_an_answer_goes_on_behind_the_question(stage: Staging, workspace: Path, tmp_path: Path) -> None:
    first = stage(ASKING)
    asked = first.play()
    (workspace / "before").unlink()

    second = type(first)(
        first.runtime, stage(ASKING, session=asked.session, prompt="blue", call=2).order, tmp_path / "o2"
    )
    asked_again = second.play()
    third = stage(ASKING, session=asked_again.session, prompt="yes {name}", call=3)
    done = third.play()

    assert (workspace / "blue.txt").read_text() == "blue"
    assert not (workspace / "before").exists()
    assert asked_again.question == Question("Sure about blue?")
    assert done.outcome is Outcome.DONE
    assert done.text == '{\n  "said": "yes {name}",\n  "call": "3"\n}'
    assert tools(third)[0].output == "yes {name}"


def test_E_02_rate_limit_says_when_it_ends(stage: Staging) -> None:
    before = time.time()

    reply = stage("do: [{rate_limit: {resets_in: 90}}]").play()

    assert reply.outcome is Outcome.RATE_LIMITED
    assert reply.resets_at is not None
    assert before + 90 <= reply.resets_at <= time.time() + 90
    assert stage("do: [{rate_limit: {}}]").play().resets_at is None


def test_E_02_refuse_and_auth_carry_their_reason(stage: Staging) -> None:
    refused = stage("do: [{refuse: {reason: not this}}]").play()
    unauthenticated = stage("do: [{auth:}]").play()

    assert (refused.outcome, refused.detail) == (Outcome.REFUSED, "not this")
    assert (unauthenticated.outcome, unauthenticated.detail) == (Outcome.UNAUTHENTICATED, "not signed in")


@pytest.mark.parametrize(
    ("keys", "detail"),
    [("{}", "exit code 1"), ("{code: 7}", "exit code 7"), ("{signal: KILL}", "SIGKILL"), ("{signal: SEGV}", "SIGSEGV")],
)
def test_A_156_crash_ends_the_agent_in_the_middle(stage: Staging, workspace: Path, keys: str, detail: str) -> None:
    reply = stage(f"do: [{{write: {{path: half, text: x}}}}, {{crash: {keys}}}]").play()

    assert (reply.outcome, detail in reply.detail) == (Outcome.CRASHED, True)
    assert (workspace / "half").exists()


def test_A_156_an_agent_can_say_itself_that_it_failed_or_was_at_a_limit(stage: Staging) -> None:
    failed = stage("do: [{crash: {reason: out of ideas}}]").play()
    limited = stage("do: [{limit: {reason: more than 3 turns}}]").play()

    assert (failed.outcome, failed.detail) == (Outcome.CRASHED, "out of ideas")
    assert (limited.outcome, limited.detail) == (Outcome.LIMIT, "more than 3 turns")


def test_A_156_a_reply_printed_before_a_crash_does_not_count(stage: Staging) -> None:
    reply = stage("do: [{emit: {event: {type: reply, text: all done}}}, {crash: {}}]").play()

    assert (reply.outcome, reply.text) == (Outcome.CRASHED, "")


@contextmanager
def started(agent: Any) -> Iterator[tuple[subprocess.Popen[bytes], list[int]]]:
    """A hanging agent, once it hangs, with the processes it left behind."""
    command = agent.runtime.command(agent.order, agent.folder)
    process = subprocess.Popen(
        command.argv, cwd=command.cwd, env=dict(command.env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    pids = list[int]()
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        pids = [int(pid) for pid in json.loads(line)["pids"]]
        yield process, pids
    finally:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.kill()
        process.wait(DEADLINE)
        assert process.stdout is not None
        process.stdout.close()


def test_A_156_hang_ends_by_a_signal_only(stage: Staging) -> None:
    with started(stage("do: [{hang:}]")) as (process, pids):
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.2)
        process.terminate()

        assert (process.wait(DEADLINE), pids) == (-signal.SIGTERM, [])


def test_A_156_hang_can_ignore_signals(stage: Staging) -> None:
    with started(stage("do: [{hang: {ignore_signals: true}}]")) as (process, _):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            process.send_signal(number)

        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        process.kill()
        assert process.wait(DEADLINE) == -signal.SIGKILL


def test_A_156_hang_leaves_processes_of_their_own_behind(stage: Staging) -> None:
    with started(stage("do: [{hang: {spawn: 2}}]")) as (process, pids):
        left = [psutil.Process(pid) for pid in pids]

        assert len(left) == 2
        assert all(os.getsid(each.pid) not in (os.getsid(process.pid), process.pid) for each in left)
        assert all(each.ppid() != process.pid for each in left)
        process.kill()
        process.wait(DEADLINE)
        assert all(each.is_running() for each in left)


@pytest.mark.parametrize(("keys", "size"), [("{bytes: 200000}", 200000), ("{bytes: 0}", 0), ("{}", 1024)])
def test_E_02_garbage_is_no_reply(stage: Staging, keys: str, size: int) -> None:
    agent = stage(f"do: [{{garbage: {keys}}}]")

    reply = agent.play()

    assert (reply.outcome, reply.text) == (Outcome.UNPARSEABLE, "")
    assert "ended without a reply" in reply.detail
    assert (agent.folder / "stdout").stat().st_size == size


def test_E_02_garbage_need_not_be_text(stage: Staging) -> None:
    agent = stage("do: [{garbage: {bytes: 300, invalid_utf8: true}}]")

    reply = agent.play()

    assert reply.outcome is Outcome.UNPARSEABLE
    reply.detail.encode()
    with pytest.raises(UnicodeDecodeError):
        (agent.folder / "stdout").read_bytes().decode()


def test_E_02_print_is_cheap_and_goes_on(stage: Staging) -> None:
    agent = stage("do: [{print: {bytes: 50000000}}, {print: {bytes: 1000, to: stderr}}]\nreply: still here")

    reply = agent.play()

    assert (reply.outcome, reply.text) == (Outcome.DONE, "still here")
    assert (agent.folder / "stdout").stat().st_size > 50_000_000
    assert (agent.folder / "stderr").stat().st_size == 1001


def test_E_02_a_reply_that_did_not_fit_is_a_limit(stage: Staging) -> None:
    agent = stage("do: [{print: {bytes: 1000000}}]\nreply: never seen")
    agent.play()
    kept = (agent.folder / "stdout").read_bytes()[:500_000]
    (agent.folder / "stdout").write_bytes(kept)

    reply = agent.runtime.reply(agent.order, agent.folder, Exit("exited", 0, truncated=True))

    assert (reply.outcome, reply.text) == (Outcome.LIMIT, "")
