"""Which runner a test command starts, where andon has a reporter for it, and how that is put into the command.

Text only: knows command lines and the scripts of package.json. Nothing is read or run here.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

PYTEST = (("pytest",), ("python", "-m", "pytest"), ("python3", "-m", "pytest"))
NPX = ("npx", "--no-install")
NPM_TEST = ("npm", "test")
MANIFEST = "package.json"
_VARIABLE = re.compile(r"[A-Za-z_]\w*=")
_OTHER_SHELL = re.compile(r"[|;<>()`$\n]|(?<!&)&(?!&)")
_NODE_TEST = re.compile(r"(?<![\w./-])node(?=\s)(?:\s+(?!--test(?:\s|$))\S+)*?\s+--test(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Reported:
    """A command whose runner tells andon of each test."""

    runner: str
    argv: tuple[str, ...]
    line: str
    """What the runner is started with, in the end."""

    def with_words(self, *words: str) -> tuple[str, ...]:
        """The command with more arguments for the runner."""
        if not words:
            return self.argv
        passes_on = self.argv[:2] == NPM_TEST and "--" not in self.argv
        return (*self.argv, *(("--",) if passes_on else ()), *words)


def reported(argv: tuple[str, ...], manifest: str | None = None) -> Reported | None:
    """`manifest`: the text of package.json, where there is one. None: there is no reporter for the command."""
    if any(argv[: len(words)] == words for words in PYTEST):
        return Reported("pytest", argv, " ".join(argv))
    if argv[:2] == NPM_TEST:
        given = " ".join(argv[argv.index("--") + 1 :]) if "--" in argv else ""
        return _by_line(argv, f"{test_script(manifest)} {given}".strip())
    if argv[:2] == NPX or argv[:1] == ("node",):
        return _by_line(argv, shlex.join(argv[2:] if argv[:2] == NPX else argv))
    return None


def test_script(manifest: str | None) -> str:
    try:
        read = json.loads(manifest or "{}")
    except ValueError:
        return ""
    scripts = cast("Mapping[str, Any]", read).get("scripts") if isinstance(read, Mapping) else None
    script = cast("Mapping[str, Any]", scripts).get("test") if isinstance(scripts, Mapping) else None
    return script if isinstance(script, str) else ""


def _by_line(argv: tuple[str, ...], line: str) -> Reported | None:
    if len(_NODE_TEST.findall(line)) == 1 and "NODE_OPTIONS" not in line:
        return Reported("node", argv, line)
    # Arguments are put at the end: there the runner must stand, and nothing may follow that a shell reads otherwise.
    runner = _runner(line.rpartition("&&")[2])
    if runner and not _OTHER_SHELL.search(line) and len(re.findall(rf"(?<![\w-]){runner}(?![\w.-])", line)) == 1:
        return Reported(runner, argv, line)
    return None


def _runner(command: str) -> str:
    try:
        words = shlex.split(command)
    except ValueError:
        return ""
    while words and (_VARIABLE.match(words[0]) or words[0] in ("cross-env", "npx", "--no-install", "--no", "-y")):
        words = words[1:]
    name = words[0].rpartition("/")[2] if words else ""
    if name == "vitest" and words[1:2] not in (["bench"], ["list"], ["init"], ["watch"], ["dev"]):
        return name
    return name if name == "jest" else ""


def program(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Of a command that starts pytest, what starts it, without what it is told to run."""
    return next(words for words in PYTEST if argv[: len(words)] == words)
