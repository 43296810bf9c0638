"""What the agent of the `api` runtime does with its tools, its sessions and the errors of providers."""

from __future__ import annotations

import asyncio
import os
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from pydantic_ai import ToolFailed
from pydantic_ai import exceptions as wrong
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.usage import RequestUsage

from andon.domain.order import Usage
from andon.runtimes import api_work, own_lines
from andon.runtimes.api_tools import CHARACTERS, KINDS, Tools
from andon.runtimes.events import Event, Exceeded, Failed, RateLimited, Refused, Replied, Tool, Unauthenticated, Used

Heard = list[dict[str, Any]]


@pytest.fixture
def heard() -> Heard:
    return []


@pytest.fixture
def tools(workspace: Path, heard: Heard) -> Tools:
    def tell(kind: str, **fields: object) -> None:
        heard.append({"type": kind, **fields})

    return Tools(workspace, tell, {"PATH": "/usr/bin:/bin"})


def call(tools: Tools, tool: str, **given: object) -> str:
    offered = {each.name: each for each in tools.offered(True, ())}
    return offered[tool].function(**given)  # type: ignore[call-arg]


def names(tools: Tools, writes: bool, only: tuple[str, ...] = ()) -> set[str]:
    return {each.name for each in tools.offered(writes, only)}


def test_E_03_who_may_write_nothing_is_offered_no_writing(tools: Tools) -> None:
    assert names(tools, writes=True) == {*KINDS}
    assert names(tools, writes=False) == {*KINDS} - {"write_file", "edit_file"}


def test_E_04_an_order_names_the_tools_that_are_offered(tools: Tools) -> None:
    assert names(tools, True, ("Read", "run_command")) == {"read_file", "run_command"}
    assert names(tools, True, ("WebFetch",)) == set(), "what is not there is not made up for by everything"


def test_E_02_files_are_found_read_written_and_edited(tools: Tools, workspace: Path, heard: Heard) -> None:
    call(tools, "write_file", path="src/a.py", text="one\ntwo\nthree\n")
    call(tools, "edit_file", path=str(workspace / "src/a.py"), old="two", new="2")

    assert call(tools, "read_file", path="src/a.py", first_line=2, lines=1) == "2\n"
    assert call(tools, "list_files", pattern="*.py") == "src/a.py"
    assert call(tools, "search", pattern="^th|ee$") == "./src/a.py:3:three\n"
    assert [(each["tool"], each["target"], each["ok"]) for each in heard[:2]] == [
        ("write", "src/a.py", True),
        ("edit", str(workspace / "src/a.py"), True),
    ]


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "link/x"])
@pytest.mark.parametrize("tool", ["read_file", "write_file"])
def test_E_03_no_path_leads_out_of_the_workspace(tools: Tools, workspace: Path, tool: str, path: str) -> None:
    (workspace / "link").symlink_to(workspace.parent)
    given = {"path": path} | ({"text": "x"} if tool == "write_file" else {})

    with pytest.raises(ToolFailed, match="is not in the working folder"):
        call(tools, tool, **given)

    assert [each.name for each in workspace.parent.iterdir()] == ["workspace"]


@pytest.mark.parametrize("text", ["", "aXaXa", "nothing"])
def test_E_02_an_edit_that_does_not_say_where_changes_nothing(tools: Tools, workspace: Path, text: str) -> None:
    (workspace / "a").write_text(text)

    with pytest.raises(ToolFailed, match=r"occurs \d times"):
        call(tools, "edit_file", path="a", old="X", new="Y")

    assert (workspace / "a").read_text() == text


def test_E_02_a_command_tells_its_exit_code_and_all_it_printed(tools: Tools, heard: Heard) -> None:
    assert call(tools, "run_command", command="echo out; echo err >&2") == "Exit code: 0\nout\nerr\n"
    with pytest.raises(ToolFailed, match="Exit code: 3\nno"):
        call(tools, "run_command", command="echo no; exit 3")

    assert [each["ok"] for each in heard] == [True, False]


def test_E_16_a_command_ends_at_its_time_with_all_it_started(tools: Tools, workspace: Path) -> None:
    began = time.monotonic()

    with pytest.raises(ToolFailed, match=r"within 0\.5 seconds"):
        call(tools, "run_command", command="sleep 60 & echo $! > pid; sleep 60", seconds=0.5)

    assert time.monotonic() - began < 10
    pid = int((workspace / "pid").read_text())
    assert not psutil.pid_exists(pid) or psutil.wait_procs([psutil.Process(pid)], timeout=5)[1] == []


def test_E_18_what_a_tool_tells_the_model_is_bounded(tools: Tools, workspace: Path) -> None:
    (workspace / "long").write_text("x" * 99 + "\n" + "y" * 500_000 + "\nthe end\n")

    for text in (call(tools, "read_file", path="long"), call(tools, "run_command", command="cat long")):
        assert len(text) < CHARACTERS + 200
        assert "characters left out" in text
        assert text.endswith("the end\n")


def test_E_02_a_file_that_is_no_text_is_not_shown(tools: Tools, workspace: Path) -> None:
    (workspace / "a.bin").write_bytes(b"\x00\x01")

    with pytest.raises(ToolFailed, match="not a text file"):
        call(tools, "read_file", path="a.bin")


@pytest.mark.parametrize("tool", ["read_file", "write_file", "edit_file", "search"])
def test_E_16_what_is_no_file_is_waited_for_by_no_tool(tools: Tools, workspace: Path, tool: str) -> None:
    os.mkfifo(workspace / "pipe")
    given = {"write_file": {"text": "x"}, "edit_file": {"old": "x", "new": "y"}, "search": {"pattern": "x"}}
    began = time.monotonic()

    with pytest.raises(ToolFailed, match="pipe is no file"):
        call(tools, tool, path="pipe", **given.get(tool, {}))

    assert time.monotonic() - began < 5


@pytest.mark.parametrize("tool", ["read_file", "list_files", "search"])
def test_E_06_links_in_a_circle_are_an_error_of_the_tool_alone(tools: Tools, workspace: Path, tool: str) -> None:
    (workspace / "a").symlink_to("b")
    (workspace / "b").symlink_to("a")

    with pytest.raises(ToolFailed):
        call(tools, tool, path="a", **({"pattern": "x"} if tool == "search" else {}))


def test_E_06_a_name_that_is_no_text_can_be_told_to_the_model(tools: Tools, workspace: Path) -> None:
    (workspace / os.fsdecode(b"caf\xe9.txt")).write_text("x")

    call(tools, "list_files").encode()


def test_E_18_a_file_of_any_size_is_read_in_a_bounded_space(tools: Tools, workspace: Path) -> None:
    with (workspace / "large").open("wb") as file:
        file.write(b"one\ntwo\n")
        file.truncate(1 << 30)
    tracemalloc.start()

    assert call(tools, "read_file", path="large", lines=2) == "one\ntwo\n"
    for tool, given in (("read_file", {}), ("edit_file", {"old": "one", "new": "1"})):
        with pytest.raises(ToolFailed):
            call(tools, tool, path="large", **given)

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 << 20


def test_E_18_output_that_was_not_kept_is_not_passed_over_in_silence(tools: Tools) -> None:
    printed = call(tools, "run_command", command="seq 400000; echo the end")

    assert "more than is kept" in printed


def test_E_06_a_command_that_cannot_be_started_is_an_error_of_the_tool_alone(tools: Tools) -> None:
    with pytest.raises(ToolFailed, match="Argument list too long"):
        call(tools, "run_command", command="x" * 200_000)


# From here on, a whole order with a model that gives the answers of a list.


class _Stream:
    """As a model streams: nothing, and then the whole."""

    def __init__(self, answer: ModelResponse) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[None]:
        yield None

    def get(self) -> ModelResponse:
        return self._answer


class Given(WrapperModel):
    def __init__(self, answers: list[ModelResponse | Exception]) -> None:
        super().__init__(TestModel())
        self.answers = answers

    @asynccontextmanager
    async def request_stream(self, *_: Any) -> AsyncIterator[Any]:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        yield _Stream(answer)


Answers = Callable[..., list[Event]]


@pytest.fixture
def carried_out(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Answers:
    """What is told of an order whose model gives these answers, one after another; an exception is its way to fail."""
    monkeypatch.setattr(api_work, "WAITS", (0.0, 0.0))
    usual = {"prompt": "Do it.", "system": "", "folder": str(workspace), "writes": True, "tools": [], "secrets": []}
    usual |= dict.fromkeys(("schema", "turns", "tokens", "money", "session")) | {"sessions": str(tmp_path / "sessions")}

    def carry_out(*answers: ModelResponse | Exception, **changes: object) -> list[Event]:
        told = usual | changes
        try:
            asyncio.run(api_work.carry_out(told, Given([*answers])))
        except Exception as error:
            api_work.tell_end(error, told)
        return [own_lines.parse(line) for line in capsys.readouterr().out.splitlines()]

    return carry_out


def said(text: str, finish: Any = "stop") -> ModelResponse:
    return ModelResponse([TextPart(text)], finish_reason=finish)


def of(category: Any, status: int, body: object = None) -> Exception:
    return wrong.ModelHTTPError.for_category(category, status_code=status, model_name="m", body=body)


FORM = {"type": "object", "properties": {"verdict": {"type": "string"}}, "required": ["verdict"]}


def test_E_06_an_answer_that_was_cut_off_or_kept_back_is_no_reply(carried_out: Answers) -> None:
    assert isinstance(carried_out(said("Half an", "length"))[-2], Exceeded)
    assert carried_out(said("I will not.", "content_filter"))[-2] == Refused("I will not.")
    assert isinstance(carried_out(said("", "error"))[-2], Failed)
    assert "broke off" in str(carried_out(*[said("Half an", None)] * 3)[-1])
    assert carried_out(said("Half an", None), said("Whole."))[-1] == Replied("Whole.")


def test_E_16_what_was_used_is_told_before_a_tool_keeps_the_order(carried_out: Answers) -> None:
    calling = ModelResponse(
        [ToolCallPart("list_files", {})], finish_reason="tool_call", usage=RequestUsage(input_tokens=7, output_tokens=3)
    )

    told = carried_out(calling, said("Done."))

    used, listed = (next(at for at, each in enumerate(told) if isinstance(each, kind)) for kind in (Used, Tool))
    assert used < listed
    assert told[used] == Used(Usage(7, 3), total=True)


def test_E_06_what_passes_is_tried_again_and_what_stays_is_a_failure(carried_out: Answers) -> None:
    overloaded = of(wrong.ModelOverloadedError, 529)

    assert carried_out(overloaded, overloaded, said("Done."))[-1] == Replied("Done.")
    assert isinstance(carried_out(overloaded, overloaded, overloaded)[-1], Failed)


def test_E_11_providers_say_in_their_ways_that_one_is_not_let_in_or_has_to_wait(carried_out: Answers) -> None:
    google = {"error": {"details": [{"reason": "API_KEY_INVALID"}]}}
    delay = {"error": {"details": [{"@type": "RetryInfo", "retryDelay": "41s"}]}}

    assert isinstance(carried_out(of(wrong.ModelAuthenticationError, 401))[-1], Unauthenticated)
    assert isinstance(carried_out(of(wrong.ModelRequestRejectedError, 400, google))[-1], Unauthenticated)
    assert carried_out(of(wrong.ModelRateLimitError, 429))[-1] == RateLimited(None)
    limited = carried_out(of(wrong.ModelRateLimitError, 429, delay))[-1]
    assert isinstance(limited, RateLimited)
    assert limited.resets_at is not None
    assert 35 < limited.resets_at - time.time() < 45
    assert isinstance(carried_out(of(wrong.ModelQuotaExceededError, 429))[-1], Refused)


@pytest.mark.parametrize(
    "body",
    [
        {"type": "error", "error": {"type": "invalid_request_error", "message": "no such thing"}},
        {"message": "no such thing", "code": 1},
        [{"error": {"code": 400, "message": "no such thing", "status": "INVALID_ARGUMENT"}}],
        "no such thing",
    ],
    ids=["anthropic", "openai", "google", "text"],
)
def test_E_06_a_refusal_is_told_in_the_providers_words(carried_out: Answers, body: object) -> None:
    told = carried_out(of(wrong.ModelRequestRejectedError, 400, body))

    assert told[-1] == Refused("m: status 400: no such thing")


def test_E_02_a_reply_of_a_form_comes_as_a_tool_or_as_text_that_has_it(carried_out: Answers) -> None:
    formed = ModelResponse([ToolCallPart(api_work.STRUCTURED, {"verdict": "APPROVE"})], finish_reason="tool_call")
    question = "[USER_QUESTION]\nquestion: Which?\n[/USER_QUESTION]"

    assert carried_out(formed, schema=FORM)[-1] == Replied('{"verdict": "APPROVE"}')
    assert carried_out(said('{"verdict": "REVISE"}'), schema=FORM)[-1] == Replied('{"verdict": "REVISE"}')
    assert carried_out(said("I approve."), formed, schema=FORM)[-1] == Replied('{"verdict": "APPROVE"}')
    assert carried_out(said(question), schema=FORM)[-1] == Replied(question)
    assert isinstance(carried_out(*[said("I approve.")] * 9, schema=FORM)[-1], Failed)


def test_E_02_a_session_that_is_not_there_is_no_new_one(carried_out: Answers) -> None:
    for session in ("0" * 32, "../../x"):
        told = carried_out(said("Done."), session=session)
        assert told == [Failed(f"LookupError: there is no session {session}")]


def test_E_13_a_session_keeps_no_call_that_nobody_answered() -> None:
    asked = ModelRequest([UserPromptPart("Do it.")])
    calls = ModelResponse([TextPart("I will."), ToolCallPart("run_command", {"command": "true"})])

    assert api_work.answered([asked, calls]) == [asked]
    assert api_work.answered([asked, done := said("Done.")]) == [asked, done]
