"""How a project itself lints and checks types, read from where it writes that down. Runs nothing.

Whoever calls a linter otherwise than the project does finds what nobody there looks at.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import yaml

from andon.checks.facts import Habit
from andon.checks.languages.python.declared import Declared, requirement_name
from andon.checks.languages.python.sessions import Session
from andon.checks.reading import one_or_more, read_text, strings, table

LINTERS = ("ruff", "flake8", "pylint", "pyflakes", "pycodestyle")
TYPERS = ("mypy",)
# Of these, nothing can be taken over: they need what a check does not have.
OTHER_TYPERS = ("pyright", "basedpyright", "pyre", "pytype", "ty", "stubtest", "pyrefly")
HOOKS = {"ruff": "ruff check", "ruff-check": "ruff check", "flake8": "flake8", "mypy": "mypy", "pylint": "pylint"}
_STARTS = re.compile(
    r"^(?:(?:poetry|pdm|hatch|pipenv|rye|pixi) run"
    r"|uv(?: tool)? run(?: --(?:group|extra|with|python|package) \S+| --?[\w-]+(?:=\S+)?)*|uvx|pipx run"
    r"|(?:\{envpython\}|\{env_python\}|python[\d.]*) -m|(?:\{envbindir\}|\.?venv/bin)/)\s*"
)
_BLANK = re.compile(
    r"\{(?:posargs|args)[^}]*\}|\$\{?@\}?|\{(?:toxinidir|tox_root|root)\}/?|--(?:install-types|non-interactive)\b"
)
_SHELL = re.compile(r"[|;&<>$`{}\\]")
_WRITES = re.compile(r"--(?:fix|unsafe-fixes|add-noqa|diff|watch|show-files|version|help)\b")
WORKFLOWS = ".github/workflows"
MOST = 4
"""Commands of one kind."""


def habits_of(
    tree: Path, pyproject: Mapping[str, Any], sessions: tuple[Session, ...], declared: Declared
) -> Mapping[str, Habit]:
    """For lint and typecheck, as far as the project says; a tool that andon cannot run is a habit without commands."""
    hooks = list(_hooks(tree))
    sources: list[tuple[str, list[str], tuple[str, ...]]] = [
        *((each.place, [*each.commands], each.lines) for each in sessions),
        *((".pre-commit-config.yaml", [line], lines) for line, lines in hooks),
        ("Makefile", [*_recipes(tree)], ()),
        *((path, lines, ()) for path, lines in _workflows(tree)),
        ("pyproject.toml", [*_scripts(pyproject)], ()),
    ]
    everywhere = [line for each in (*declared.extras.values(), *declared.groups.values()) for line in each]
    found: dict[str, Habit] = {}
    for goal, tools in (("lint", LINTERS), ("typecheck", TYPERS)):
        for place, lines, needs in sources:
            commands = [words for line in lines for words in _commands(line) if words[0] in tools]
            if commands:
                named = {words[0] for words in commands}
                plain = [line for line in needs if re.match(r"\w", line) and not line.startswith("group:")]
                wanted = [line for line in (*plain, *(lines for _, more in hooks for lines in more), *everywhere)
                          if _is_part(requirement_name(line), named)]  # fmt: skip
                once = {requirement_name(line): line for line in reversed(wanted)}
                found[goal] = Habit(tuple(dict.fromkeys(commands))[:MOST], place, tuple(reversed(once.values())))
                break
    if "typecheck" not in found:
        for place, lines, _ in sources:
            other = next(
                (tool for line in lines for tool in OTHER_TYPERS if re.search(rf"(?:^|[\s/]){tool}\b", line)), ""
            )
            if other:
                found["typecheck"] = Habit((), f"{place}: {other}")
                break
    return found


def _is_part(name: str, tools: set[str]) -> bool:
    """The tool, or what it is extended by."""
    if name in tools:
        return True
    if "mypy" in tools and (name.startswith("types-") or name.endswith("-stubs")):
        return True
    return "flake8" in tools and (name.startswith(("flake8-", "pep8-")))


def _commands(line: str) -> Iterator[tuple[str, ...]]:
    """The plain commands of a line: those that need no shell, and change nothing."""
    for part in line.split("&&"):
        text = _BLANK.sub(" ", part).strip()
        while (shorter := _STARTS.sub("", text)) != text:
            text = shorter
        if not text or _SHELL.search(text) or _WRITES.search(text):
            continue
        try:
            words = tuple(shlex.split(text))
        except ValueError:
            continue
        if words[0] == "ruff" and words[1:2] != ("check",):
            if words[1:2] and words[1] in ("format", "rule", "clean", "linter", "config", "version"):
                continue
            words = ("ruff", "check", *words[1:])
        if words[0] in (*LINTERS, *TYPERS):
            yield words


def _hooks(tree: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Of pre-commit: as a command about everything, and what is installed for it."""
    for repository in cast("list[object]", _yaml(tree, ".pre-commit-config.yaml").get("repos") or []):
        told = table(repository)
        version = re.search(r"\d+(?:\.\d+)+", str(told.get("rev", "")))
        for hook in cast("list[object]", told.get("hooks") or []):
            told_hook = table(hook)
            name = str(told_hook.get("id", ""))
            if command := HOOKS.get(name):
                tool = command.split()[0]
                args = [
                    word
                    for word in strings(told_hook.get("args"))
                    if not re.match(r"--(?:fix|exit-non-zero-on-fix|show-fixes|unsafe)", word)
                ]
                paths = () if told_hook.get("pass_filenames") is False or tool == "flake8" else (".",)
                pin = f"{tool}=={version[0]}" if version and told.get("repo") != "local" else tool
                yield (
                    shlex.join((*command.split(), *args, *paths)),
                    (pin, *strings(told_hook.get("additional_dependencies"))),
                )


def _recipes(tree: Path) -> Iterator[str]:
    text = next(
        (text for name in ("Makefile", "GNUmakefile", "makefile") if isinstance(text := read_text(tree, name), str)), ""
    )
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("\t"):
            yield line.strip().lstrip("@-+")


def _workflows(tree: Path) -> Iterator[tuple[str, list[str]]]:
    folder = tree / WORKFLOWS
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() and not folder.is_symlink() else []
    for name in names[:20]:
        if name.endswith((".yml", ".yaml")):
            lines: list[str] = []
            for job in table(_yaml(tree, f"{WORKFLOWS}/{name}").get("jobs")).values():
                steps = table(job).get("steps")
                for step in cast("list[object]", steps) if isinstance(steps, list) else []:
                    lines += str(table(step).get("run", "")).replace("\\\n", " ").splitlines()
            yield f"{WORKFLOWS}/{name}", [line.strip() for line in lines]


def _scripts(pyproject: Mapping[str, Any]) -> Iterator[str]:
    """Of pdm, rye, poe and taskipy."""
    tool = table(pyproject.get("tool"))
    for place, key in (("pdm", "scripts"), ("rye", "scripts"), ("poe", "tasks"), ("taskipy", "tasks")):
        for task in table(table(tool.get(place)).get(key)).values():
            told: object = table(task).get("cmd", task)
            yield " ".join(one_or_more(told))


def _yaml(tree: Path, path: str) -> Mapping[str, Any]:
    text = read_text(tree, path)
    try:
        return table(yaml.safe_load(text)) if isinstance(text, str) else {}
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}
