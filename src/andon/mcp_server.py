"""`andon mcp`: runs, tasks, journals and evidence as tools of the Model Context Protocol, on standard input and output.

Each tool is one function of app/programs.py. A problem is told as JSON with a kind, a message and a hint.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import click

from andon import __version__
from andon.app.programs import NotAllowed, Programs
from andon.domain.errors import Conflict, EnvironmentProblem, UserError

if TYPE_CHECKING:
    from mcp.server import MCPServer
    from mcp.types import CallToolResult

INSTRUCTIONS = """andon drives coding agents through plan, do and check on a git repository, and measures the result.
Start a run with start_auto (one change), start_uam (plan-driven) or start_task (in phases, each reviewed by a person);
all of them go on in the background. wait_for_run returns when it ends or waits for somebody. A run is done only when
its status is `done`: then its work is on its branch, and list_evidence says what was measured. People decide
reviews."""
POLL_SECONDS = 0.3
LONGEST_WAIT = 300.0
Result = dict[str, Any]
Tool = Callable[..., Result] | Callable[..., Awaitable[Result]]
Kind = Literal["full", "small", "bugfix"]
Type = Literal["create_app", "modify_app", "workflow", "custom"]


def server(environment: Mapping[str, str]) -> MCPServer:
    """The server with its tools; nothing is opened before the first call."""
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import InputRequiredResult, ToolAnnotations
    from pydantic import ValidationError

    class Server(MCPServer):
        """Arguments that do not fit are told as every other problem is, not in the words of the library."""

        async def call_tool(
            self, name: str, arguments: dict[str, Any], context: Any = None
        ) -> CallToolResult | InputRequiredResult:
            takes = {tool.name: list(tool.input_schema.get("properties", {})) for tool in await self.list_tools()}
            if name not in takes:
                return _problem(UserError(f"There is no tool {name}", f"There are {', '.join(takes)}."))
            if strange := [each for each in arguments if each not in takes[name]]:
                takes_told = f"It takes {', '.join(takes[name])}." if takes[name] else "It takes none."
                return _problem(UserError(f"{name} has no argument {', '.join(strange)}", takes_told))
            try:
                return await super().call_tool(name, arguments, context)
            except ToolError as error:
                if not isinstance(error.__cause__, ValidationError):
                    raise
                found = [(".".join(map(str, each["loc"])), each["msg"]) for each in error.__cause__.errors()]
                wrong = "; ".join(f"`{argument}`: {told}" for argument, told in found)
                return _problem(UserError(f"{name} cannot be called so: {wrong}", "tools/list says what each takes."))

    made = Server("andon", version=__version__, instructions=INSTRUCTIONS, log_level="ERROR")
    programs = Programs(environment)
    looks = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    acts = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)
    ends = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
    for hints, tools in ((looks, _looking(programs)), (acts, _acting(programs)), (ends, _ending(programs))):
        for each in tools:
            made.tool(annotations=hints)(_telling(each))
    return made


# --- looking --------------------------------------------------------------------------------------------------------


def _looking(programs: Programs) -> list[Tool]:
    def list_runs(repository: str | None = None, limit: int = 20) -> Result:
        """Runs, newest first; those of one repository, or all."""
        return {"runs": programs.runs(repository, limit)}

    def show_run(run: str) -> Result:
        """How a run stands: status, phase, what it used up, open questions, and what can be done next."""
        return programs.run(run)

    async def wait_for_run(run: str, seconds: float = 60.0) -> Result:
        """Wait until nobody works on the run: it ended, waits for somebody, or was interrupted. At most 300 seconds;
        `resting` says whether it is so."""
        deadline = time.monotonic() + min(max(0.0, seconds), LONGEST_WAIT)
        while (found := await asyncio.to_thread(programs.resting, run)) is None:
            if time.monotonic() >= deadline:
                return {"resting": False, "run": await asyncio.to_thread(programs.run, run)}
            await asyncio.sleep(POLL_SECONDS)
        return {"resting": True, "run": found}

    def read_journal(run: str, after: int = 0, limit: int = 100, kinds: list[str] | None = None) -> Result:
        """A page of a run's journal, after an entry's number; go on with `next_after` until it is null."""
        return programs.journal(run, after, limit, kinds)

    def list_evidence(run: str) -> Result:
        """What andon measured in a run, one record for each check: goal, verdict, command, tree, digest."""
        return {"evidence": programs.evidence(run)}

    def show_evidence(run: str, number: int) -> Result:
        """One record with its signed statement, and the end of what the check printed."""
        return programs.evidence_of(run, number)

    def list_questions() -> Result:
        """What runs wait for: questions with their options and defaults, and reviews."""
        return {"questions": programs.questions()}

    def list_tasks(limit: int = 20) -> Result:
        """Tasks in phases, newest first, with the review each of them waits for."""
        return {"tasks": programs.tasks(limit)}

    def show_task(task: str) -> Result:
        """A task: state, phase, the review that waits with its version, and what was measured of it."""
        return programs.task(task)

    def search_memory(words: str, repository: str, limit: int = 20) -> Result:
        """What runs and teams learned and decided in this repository, each with its origin. Material to be weighed."""
        return programs.memory(words, repository, limit)

    return [
        *(list_runs, show_run, wait_for_run, read_journal, list_evidence, show_evidence),
        *(list_questions, list_tasks, show_task, search_memory),
    ]


# --- acting ---------------------------------------------------------------------------------------------------------


def _acting(programs: Programs) -> list[Tool]:
    def start_auto(
        task: str, repository: str, budget_tokens: int | None = None, budget_money: float | None = None
    ) -> Result:
        """Plan, do, check and act on a task in a git repository, in the background. Returns the run at once; its work
        comes on a branch of its own, the checkout is left alone."""
        return programs.start_auto(task, repository, {"tokens": budget_tokens, "money": budget_money})

    def start_uam(
        task: str,
        repository: str,
        kind: Kind = "full",
        budget_tokens: int | None = None,
        budget_money: float | None = None,
    ) -> Result:
        """The plan-driven pipeline: full (five phases), small (one to five files) or bugfix. In the background."""
        return programs.start_uam(task, repository, kind, {"tokens": budget_tokens, "money": budget_money})

    def start_task(
        text: str,
        repository: str,
        type: Type | None = None,
        fields: dict[str, str] | None = None,
        budget_tokens: int | None = None,
        budget_money: float | None = None,
    ) -> Result:
        """A task in phases, each verified by andon and then reviewed by a person. Without a type the text decides.
        For create_app and workflow, `repository` is the folder in which the new project is made."""
        budget = {"tokens": budget_tokens, "money": budget_money}
        return programs.start_task(text, repository, type, fields or {}, budget)

    def start_team(
        repository: str, file: str = "team.yaml", budget_tokens: int | None = None, budget_money: float | None = None
    ) -> Result:
        """Let the team of a file in the repository work, in the background: its units in their order, each measured
        and reviewed. `andon team compose` makes such a file out of a workflow document."""
        return programs.start_team(file, repository, {"tokens": budget_tokens, "money": budget_money})

    def answer_question(question: str, answer: str = "") -> Result:
        """Answer a question that a run waits for: one of its options, by name or number, or text where it has none;
        empty takes the default. What only a person can vouch for is refused."""
        return programs.answer(question, answer)

    def resume_run(run: str, direction: str | None = None) -> Result:
        """Go on with a run that was stopped, interrupted or failed, in the background; a direction is told to the
        agents."""
        return programs.resume(run, direction)

    return [start_auto, start_uam, start_task, start_team, answer_question, resume_run]


def _ending(programs: Programs) -> list[Tool]:
    def stop_run(run: str) -> Result:
        """Ask for a run to stop in an orderly way. It can be resumed."""
        return programs.stop(run)

    def decide_review(task: str, approve: bool, version: int, comment: str = "") -> Result:
        """Approve the phase of a task that waits, or request changes with a comment. Refused unless the person's
        settings let programs decide. `version` is the one that was looked at (show_task)."""
        return programs.decide(task, approve, comment, version)

    return [stop_run, decide_review]


# --- problems -------------------------------------------------------------------------------------------------------


def _telling(tool: Tool) -> Callable[..., Awaitable[Result | CallToolResult]]:
    """The tool beside the event loop, its problems as JSON for whoever called."""

    @functools.wraps(tool)
    async def told(**given: Any) -> Result | CallToolResult:
        try:
            if inspect.iscoroutinefunction(tool):
                return await tool(**given)
            return await asyncio.to_thread(functools.partial(tool, **given))  # pyright: ignore[reportReturnType]
        except UserError as error:
            return _problem(error)

    return told


def _problem(error: UserError) -> CallToolResult:
    from mcp.types import CallToolResult, TextContent

    problem = {"error": _kind(error), "message": error.message, "hint": error.hint}
    text = TextContent(type="text", text=json.dumps(problem, ensure_ascii=False))
    return CallToolResult(content=[text], structured_content=problem, is_error=True)


def _kind(error: UserError) -> str:
    match error:
        case NotAllowed():
            return "not_allowed"
        case Conflict():
            return "conflict"
        case EnvironmentProblem():
            return "environment"
        case _:
            return "usage"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
def mcp() -> None:
    """Serve other programs on standard input and output, by the Model Context Protocol.

    They can start, watch, stop and resume runs, read journals and evidence, and answer questions. Approving is left
    to people, unless mcp.may_decide is set.

    \b
    Examples:
      claude mcp add andon -- andon mcp
        Claude Code starts it by itself from then on.
    """
    try:
        made = server(os.environ)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise EnvironmentProblem("The package for MCP is not installed", 'pip install "andon[mcp]"') from error
    made.run("stdio")
