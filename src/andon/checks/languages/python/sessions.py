"""What tox, nox and hatch set up to test and check a project: requirements and commands, read as text. Runs nothing."""

from __future__ import annotations

import ast
import configparser
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from andon.checks.reading import one_or_more, read_table, read_text, strings, table

_FACTORS = re.compile(r"(!?[\w{},.!-]+)\s*:\s+(\S.*)")
_REFERENCE = re.compile(r"\{\[([^\]]+)\](\w+)\}")
_PLACES = re.compile(r"\{(?:toxinidir|tox_root)\}/?")
# An environment's own interpreter, or what every tests environment is made of.
_GENERAL = re.compile(r"!|(?:py|pypy)?(?:3|py)?$|tests?$|pytest$|py\d?(?:-tests?)?$")
_TESTING = re.compile(
    r"(?:^|[-_.])(?:tests?|testing|unit|unittests?|pytest|py3?|py3\d+|coverage|cov|main|full)(?:$|[-_.\d])"
)
DEEPEST = 5


@dataclass(frozen=True, slots=True)
class Session:
    name: str
    place: str
    """Where it stands, for people."""
    lines: tuple[str, ...]
    """Requirements, also `-r file`, `.[extra]` and `group:name`."""
    commands: tuple[str, ...] = ()

    @property
    def tests(self) -> bool:
        runs = any(re.search(r"\b(?:pytest|unittest|py\.test)\b", line) for line in self.commands)
        return (bool(_TESTING.search(self.name)) and (runs or not self.commands)) or (self.name == "testenv" and runs)


def read_sessions(tree: Path, pyproject: Mapping[str, Any]) -> tuple[Session, ...]:
    """Those for tests first."""
    found = [*_tox(tree, pyproject), *_nox(tree), *_hatch(tree, pyproject)]
    return tuple(sorted(found, key=lambda session: not session.tests))


# --- tox ------------------------------------------------------------------------------------------------------------


def _tox(tree: Path, pyproject: Mapping[str, Any]) -> Iterator[Session]:
    own = table(table(pyproject.get("tool")).get("tox"))
    file = read_table(tree, "tox.toml")
    texts = {"tox.ini": read_text(tree, "tox.ini"), "setup.cfg": read_text(tree, "setup.cfg"),
             "pyproject.toml": own.get("legacy_tox_ini")}  # fmt: skip
    for place, text in texts.items():
        if isinstance(text, str) and "testenv" in text:
            yield from _tox_ini(place, text)
            return
    native = file if isinstance(file, Mapping) else own
    named = {"testenv": table(native.get("env_run_base")), **table(native.get("env"))}
    for name, told in named.items():
        merged = {**named["testenv"], **table(told)}
        if merged:
            place = f"{'pyproject.toml' if native is own else 'tox.toml'}, tox environment {name}"
            yield Session(name, place, _tox_lines(merged), tuple(_tox_commands(merged.get("commands"))))


def _tox_lines(told: Mapping[str, Any]) -> tuple[str, ...]:
    extras = ",".join(strings(told.get("extras")))
    groups = (f"group:{name}" for name in strings(told.get("dependency_groups")))
    whole = () if told.get("skip_install") is True else (f".[{extras}]" if extras else ".",)
    return (*strings(told.get("deps")), *groups, *whole)


def _tox_commands(told: object) -> Iterator[str]:
    for words in cast("list[object]", told) if isinstance(told, list) else []:
        yield " ".join(one_or_more(words))


def _tox_ini(place: str, text: str) -> Iterator[Session]:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    for section in parser.sections():
        kind, _, name = section.partition(":")
        if kind == "testenv":
            told = _with_base(parser, section)
            extras = ",".join(_ini_lines(parser, told.get("extras", "")))
            groups = [f"group:{each}" for each in _ini_lines(parser, told.get("dependency_groups", ""))]
            whole = (
                () if told.get("skip_install", "").strip().lower() == "true" else (f".[{extras}]" if extras else ".",)
            )
            yield Session(
                name or "testenv",
                f"{place} [{section}]",
                (*_ini_lines(parser, told.get("deps", "")), *groups, *whole),
                tuple(each.lstrip("-! ") for each in _ini_lines(parser, told.get("commands", "").replace("\\\n", " "))),
            )


def _with_base(parser: configparser.RawConfigParser, section: str) -> dict[str, str]:
    base = dict(parser.items("testenv")) if parser.has_section("testenv") else {}
    return base | dict(parser.items(section))


def _ini_lines(parser: configparser.RawConfigParser, text: str, depth: int = 0) -> tuple[str, ...]:
    def referred(match: re.Match[str]) -> str:
        return parser.get(match[1], match[2], fallback="")

    if depth < DEEPEST and _REFERENCE.search(text):
        return _ini_lines(parser, _REFERENCE.sub(referred, text), depth + 1)
    found: list[str] = []
    for raw in text.splitlines():
        line = _PLACES.sub("", re.sub(r"(?:^|\s)#.*", "", raw)).strip()
        factors = _FACTORS.match(line)
        if factors and not any(
            _GENERAL.match(each) for each in re.split(r"[,{}-]+", re.sub(r"\w+\{[^}]*\}", "", factors[1])) if each
        ):
            continue
        if line := factors[2].strip() if factors else line:
            found += (
                [part.strip() for part in line.split(",")]
                if re.fullmatch(r"[\w, -]+", line) and "," in line
                else [line]
            )
    return tuple(found)


# --- nox ------------------------------------------------------------------------------------------------------------


def _nox(tree: Path) -> Iterator[Session]:
    text = read_text(tree, "noxfile.py")
    try:
        parsed = ast.parse(text) if isinstance(text, str) else ast.Module([], [])
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in parsed.body:
        if isinstance(node, ast.FunctionDef) and any("session" in ast.unparse(each) for each in node.decorator_list):
            lines: list[str] = []
            commands: list[str] = []
            for call in (each for each in ast.walk(node) if isinstance(each, ast.Call)):
                words = [
                    word.value for word in call.args if isinstance(word, ast.Constant) and isinstance(word.value, str)
                ]
                verb = call.func.attr if isinstance(call.func, ast.Attribute) else ""
                if verb in ("install", "conda_install"):
                    lines += _installed(words)
                elif verb in ("run", "run_install", "run_always"):
                    lines += [f"group:{word.partition('=')[2]}" for word in words if word.startswith("--group=")]
                    lines += [f".[{word.partition('=')[2]}]" for word in words if word.startswith("--extra=")]
                    lines += _installed(words[words.index("install") + 1 :]) if "install" in words[:4] else ()
                    commands.append(" ".join(words))
                elif verb == "dependency_groups":
                    lines += [f"group:{word}" for word in words[(1 if words[:1] == ["pyproject.toml"] else 0) :]]
            yield Session(node.name, f"noxfile.py, session {node.name}", tuple(lines), tuple(commands))


def _installed(words: list[str]) -> Iterator[str]:
    for number, word in enumerate(words):
        before = words[number - 1] if number else ""
        if before in ("-r", "--requirement", "-c", "--constraint"):
            yield f"{before} {word}"
        elif before == "--group":
            yield f"group:{word}"
        elif not word.startswith("-") or re.match(r"-[rc]\S", word):
            yield word


# --- hatch ----------------------------------------------------------------------------------------------------------


def _hatch(tree: Path, pyproject: Mapping[str, Any]) -> Iterator[Session]:
    file = read_table(tree, "hatch.toml")
    own = table(table(pyproject.get("tool")).get("hatch"))
    envs = table(table(file).get("envs")) or table(own.get("envs"))
    for name, told in envs.items():
        told = table(told)
        extras = ",".join(strings(told.get("features")))
        whole = () if told.get("detached") or told.get("skip-install") else (f".[{extras}]" if extras else ".",)
        groups = (f"group:{each}" for each in strings(told.get("dependency-groups")))
        lines = (*strings(told.get("dependencies")), *strings(told.get("extra-dependencies")), *groups, *whole)
        commands = tuple(line for script in table(told.get("scripts")).values() for line in one_or_more(script))
        base = strings(table(envs.get("default")).get("dependencies")) if name != "default" else ()
        yield Session(name, f"hatch environment {name}", (*base, *lines), commands)
