"""What is wrong with an installed plugin that its vendor's validator does not see (C-07, C-77, C-88, C-91, X-63).

Texts in, problems out: whoever calls reads the files. Rules for every plugin come first, then those for UAM itself.
"""

from __future__ import annotations

import json
import re

from . import agents, replies
from .state import listing, mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    Files = Mapping[str, str]
    Found = tuple[str, str]
    Json = dict[str, Any]

NAME = "uam"
MANIFEST, HOOKS = ".claude-plugin/plugin.json", "hooks/hooks.json"
ROOT_VARIABLE = "${CLAUDE_PLUGIN_ROOT}/"
SKILLS = tuple(
    f"uam{each}" for each in ("", "-small", "-pivot", "-status", "-cancel", "-resume", "-bugfix", "-compound")
)
COMMANDS = ("uam-run", "uam-small-run")
CORE = ("hook", "place", "store", "guarding", "validating", "controlling", "detecting")
GUARD = "uam_write_guard.py"
REGISTERED = (
    (GUARD, "PreToolUse", ("Write", "Edit", "MultiEdit", "NotebookEdit", "Bash")),
    ("uam_validate_output.py", "PostToolUse", ("Agent", "Task")),
    ("uam_validate_output.py", "SubagentStop", ()),
    ("uam_phase_controller.py", "Stop", ()),
    ("uam_keyword_detector.py", "UserPromptSubmit", ()),
)
"""Each hook, its event, and the tools it has to hear of."""
TOOLS = frozenset(
    (
        *("Agent", "Task", "Bash", "PowerShell", "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep"),
        *("WebFetch", "WebSearch", "TodoWrite", "Skill", "SlashCommand", "AskUserQuestion", "LSP", "ToolSearch"),
        *("ExitPlanMode", "EnterPlanMode", "EnterWorktree", "ExitWorktree", "SendMessage", "Workflow", "ListAgents"),
        *("KillShell", "BashOutput", "TaskOutput", "TaskStop", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"),
        *("StructuredOutput", "ListMcpResourcesTool", "ReadMcpResourceTool", "ReportFindings", "ScheduleWakeup"),
        *("CronCreate", "CronDelete", "CronList", "Monitor"),
    )
)
_MODEL = re.compile(r"(?:inherit|(?:haiku|sonnet|opus|fable)(?:\[1m\])?|claude-[a-z0-9.-]+(?:\[1m\])?)")
_ENTRY = re.compile(r"^([A-Za-z][\w-]*):[ \t]*(.*)$")
_SPLIT = re.compile(r"[,\s]+(?![^(]*\))")

FEATURES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("OMC", "parallel sprint", ("core/uam/graph.py", "commands/uam-run.md")),
    ("OMC", "keyword activation", ("hooks/uam_keyword_detector.py", "core/uam/words.py")),
    ("OMC", "status dashboard", ("skills/uam-status/SKILL.md", "core/uam/dashboard.py")),
    ("OMC", "three tiers of models", ("core/uam/agents.py",)),
    ("hoyeon", "worker boundary (write guard)", (f"hooks/{GUARD}", "core/uam/guard.py")),
    ("hoyeon", "self-contained bugfix", ("skills/uam-bugfix/SKILL.md",)),
    ("hoyeon", "circuit breaker", ("core/uam/convergence.py",)),
    ("hoyeon", "validate_prompt", ("hooks/uam_validate_output.py", "core/uam/replies.py")),
    ("hoyeon", "A, S and H items", ("core/uam/plan.py",)),
    ("hoyeon", "worker JSON schema", ("agents/uam-worker.md", "core/uam/replies.py")),
    (
        "SG-Loop",
        "isolated test gate (here without a sandbox, and marked so)",
        ("core/measuring.py", "core/uam/commands.py"),
    ),
    ("SG-Loop", "convergence detector", ("core/uam/convergence.py",)),
    ("SG-Loop", "session reset and three-stage fixing", ("core/uam/convergence.py", "agents/uam-debugger.md")),
)
"""Whose strength it is, what it is, and the files that do it (C-07)."""


def frontmatter(text: str) -> dict[str, str]:
    """The plain entries at a Markdown file's head; a list is joined by commas."""
    if not text.startswith("---\n"):
        return {}
    found: dict[str, str] = {}
    last = ""
    for line in text[4:].partition("\n---")[0].splitlines():
        if entry := _ENTRY.match(line):
            last = entry[1]
            found[last] = entry[2].strip().strip("\"'[]")
        elif last and line.lstrip().startswith("- "):
            found[last] = ", ".join(filter(None, (found[last], line.strip()[2:].strip("\"'"))))
    return found


def tools_of(told: str) -> tuple[str, ...]:
    return tuple(each.strip("\"' ") for each in _SPLIT.split(told) if each.strip("\"' "))


def problems(files: Files, runnable: Callable[[str], bool], elsewhere: Files | None = None) -> list[Found]:
    """(file, what is wrong). `runnable` says whether a hook's program can be started; `elsewhere` are the files below a
    project's `.claude`, where agents may lie as well (X-63)."""
    others = elsewhere or {}
    found = [*_agents(files), *_agents({path: text for path, text in others.items() if NAME in path})]
    found += [*_skills(files), *_hooks(files, runnable)]
    manifest, problem = _json(files, MANIFEST)
    if problem:
        return [(MANIFEST, problem), *found]
    return [*found, *_of_uam(files, others)] if manifest.get("name") == NAME else found


def features(files: Files) -> list[tuple[str, str, bool]]:
    return [(whose, what, all(path in files for path in paths)) for whose, what, paths in FEATURES]


def _json(files: Files, path: str) -> tuple[Json, str]:
    if path not in files:
        return {}, "is missing"
    try:
        value: Any = json.loads(files[path])
    except ValueError as error:
        return {}, f"is not JSON: {error}"
    return mapping(value), ""


def _agents(files: Files) -> Iterator[Found]:
    for path, text in files.items():
        if not path.startswith("agents/") or not path.endswith(".md"):
            continue
        head = frontmatter(text)
        stem = path[7:-3]
        if head.get("name") != stem:
            yield path, f"its name is {head.get('name') or 'missing'}, its file says {stem}"
        if "model" in head and not _MODEL.fullmatch(head["model"]):
            yield path, f"there is no model {head['model']}"
        for key in ("tools", "disallowedTools"):
            for tool in tools_of(head.get(key, "")):
                if tool.partition("(")[0] not in TOOLS and not tool.startswith("mcp__") and tool != "*":
                    yield path, f"{key} names {tool}, a tool that is not known"
        if stem.startswith("uam-") and (nothing := replies.nothing_wanted(stem, text)):
            yield path, nothing


def _skills(files: Files) -> Iterator[Found]:
    for path, text in files.items():
        if path.startswith("skills/") and path.endswith("/SKILL.md"):
            folder, head = path.split("/")[-2], frontmatter(text)
            if head.get("name", folder) != folder:
                yield path, f"its name is {head['name']}, its folder is {folder}"
            if not head.get("description"):
                yield path, "it has no description"
        elif path.startswith("commands/") and path.endswith(".md") and not frontmatter(text).get("description"):
            yield path, "it has no description"


def commands_in(hooks: Json) -> Iterator[tuple[str, str, Json]]:
    """Event, matcher and hook, for every command that is registered."""
    for event, groups in mapping(hooks.get("hooks")).items():
        for group in listing(groups):
            for each in listing(mapping(group).get("hooks")):
                hook = mapping(each)
                if hook.get("type") == "command":
                    yield event, str(mapping(group).get("matcher") or ""), hook


def _hooks(files: Files, runnable: Callable[[str], bool]) -> Iterator[Found]:
    if HOOKS not in files:
        return
    hooks, problem = _json(files, HOOKS)
    if problem:
        yield HOOKS, problem
    programs: set[str] = set()
    for event, _, hook in commands_in(hooks):
        words = [str(hook.get("command") or ""), *map(str, listing(hook.get("args")))]
        for script in re.findall(re.escape(ROOT_VARIABLE) + r"([\w./-]+)", " ".join(words)):
            if script not in files:
                yield HOOKS, f"{event} starts {script}, which is not there"
        program = words[0]
        if "args" in hook and ROOT_VARIABLE not in program and program not in programs and not runnable(program):
            yield HOOKS, f"{program} cannot be started"
        programs.add(program)


def _of_uam(files: Files, elsewhere: Files) -> Iterator[Found]:
    for agent in agents.CATALOGUE:
        path = f"agents/{agent.name}.md"
        text = files.get(path) or elsewhere.get(path)
        if text is None:
            yield path, "is missing"
            continue
        head = frontmatter(text)
        if head.get("model") != agent.tier:
            yield path, f"its model is {agent.tier} by default, not {head.get('model')}"
        if {*tools_of(head.get("disallowedTools", ""))} != {*agent.forbidden}:
            yield path, f"disallowedTools is {', '.join(agent.forbidden)}"
        wanted = replies.wanted(text)
        if wanted is not None and wanted != [*agent.required]:
            yield path, f"`{replies.SECTION}` wants {', '.join(agent.required)}"
    expected = [*(f"skills/{name}/SKILL.md" for name in SKILLS), *(f"commands/{name}.md" for name in COMMANDS)]
    expected += [f"core/{name}.py" for name in CORE] + ["core/uam/state.py", HOOKS]
    yield from ((path, "is missing") for path in expected if path not in files)
    yield from _registered(files)


def _registered(files: Files) -> Iterator[Found]:
    there = [*commands_in(_json(files, HOOKS)[0])]
    for script, event, tools in REGISTERED:
        if f"hooks/{script}" not in files:
            yield f"hooks/{script}", "is missing"
        ours = [(matcher, hook) for at, matcher, hook in there if at == event and script in str(hook)]
        heard = {tool for matcher, _ in ours for tool in matcher.split("|")}
        if not ours:
            yield HOOKS, f"{script} is not registered for {event}"
        elif missing := [tool for tool in tools if tool not in heard]:
            yield HOOKS, f"{script} does not hear of {', '.join(missing)}"
        if script == GUARD and any(hook.get("onFailure") != "block" for _, hook in ours):
            yield HOOKS, f'{script} has no "onFailure": "block": what it cannot judge would be written'
