"""The tools that `api_work.py` offers its model. The kernel bounds what they can do; they make good errors of it."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable, Collection, Iterator
from functools import wraps
from pathlib import Path
from typing import IO, Annotated

from pydantic import Field
from pydantic_ai import Tool, ToolFailed

from andon import processes
from andon.domain.errors import EnvironmentProblem
from andon.runtimes.events import storable

CHARACTERS = 30_000
"""Of one result. More would crowd out everything else the model has to think about."""
NAMES = 500
LINES = 2000
COMMAND_SECONDS, LONGEST_SECONDS = 120.0, 900.0
KEPT_BYTES = 1 << 20
FILE_BYTES = 16 << 20
"""Of a file that a tool holds in memory."""
PASSED_OVER = {".git", "node_modules", "__pycache__", ".venv"}
KINDS = {
    "read_file": "read",
    "list_files": "list",
    "search": "search",
    "write_file": "write",
    "edit_file": "edit",
    "run_command": "run",
}
"""Tool → how events name what it does."""
_ELSEWHERE = {
    "Read": "read_file",
    "Glob": "list_files",
    "Grep": "search",
    "Write": "write_file",
    "Edit": "edit_file",
    "Bash": "run_command",
}
"""Orders may name tools as Claude Code does."""

Tell = Callable[..., None]
_Path = Annotated[str, Field(description="Relative to the working folder, or absolute within it.")]


class Tools:
    def __init__(self, folder: Path, tell: Tell, environment: dict[str, str]) -> None:
        self._folder = folder
        self._tell = tell
        self._environment = environment

    def offered(self, writes: bool, only: Collection[str]) -> list[Tool[None]]:
        wanted = {_ELSEWHERE.get(name, name) for name in only} or set(KINDS)
        if not writes:
            wanted -= {"write_file", "edit_file"}
        return [Tool(self._told(name), sequential=True) for name in KINDS if name in wanted]

    def read_file(
        self,
        path: _Path,
        first_line: Annotated[int, Field(ge=1)] = 1,
        lines: Annotated[int, Field(ge=1, le=LINES)] = LINES,
    ) -> str:
        """Read a text file, or some of its lines."""
        with self._file(path).open("rb") as file:
            text = _lines(file, first_line, lines)
        if b"\0" in text:
            raise ToolFailed(f"Error: {path} is not a text file")
        return _bounded(text.decode("utf-8", "replace"), "read fewer lines, or search")

    def list_files(
        self,
        path: _Path = ".",
        pattern: Annotated[str, Field(description="For the path below it, such as *.py or src/*.")] = "*",
    ) -> str:
        """List the files below a folder."""
        top, found = self._inside(path), list[str]()
        if not top.is_dir():
            raise ToolFailed(f"Error: {path} is no folder")
        for file in _files(top):
            if fnmatch.fnmatch(file, pattern):
                found.append(file)
            if len(found) > NAMES:
                return "\n".join((*found[:NAMES], f"[more than {NAMES} files: name a folder or a pattern]"))
        return "\n".join(found) or "[no files]"

    def search(
        self,
        pattern: Annotated[str, Field(description="A regular expression, as grep -E has them.")],
        path: _Path = ".",
    ) -> str:
        """Find lines in text files: file, number and line of each."""
        top = self._inside(path)
        place = os.path.relpath(top if top.is_dir() else self._file(path), self._folder)
        without = (f"--exclude-dir={name}" for name in sorted(PASSED_OVER))
        done = self._run(["grep", "-rnIE", *without, "-e", pattern, "--", place], COMMAND_SECONDS)
        if done.timed_out or (done.code not in (0, 1) and not done.stdout):  # beside a file that it cannot read
            raise ToolFailed(f"Error: {done.stderr.decode('utf-8', 'replace')[:500] or 'it took too long'}")
        return _printed(done, "search for less") or "[no such line]"

    def write_file(self, path: _Path, text: str) -> str:
        """Write a whole file, new or in place of what it holds. Folders above it are made."""
        file = self._inside(path)
        if file.exists():
            self._file(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        return f"Written: {path}"

    def edit_file(
        self, path: _Path, old: Annotated[str, Field(description="Text that occurs exactly once.")], new: str
    ) -> str:
        """Replace a piece of a file."""
        file = self._file(path)
        if file.stat().st_size > FILE_BYTES:
            raise ToolFailed(f"Error: {path} is too large to be edited: use a command")
        text = file.read_bytes()
        count = text.count(old.encode()) if old else 0
        if count != 1:
            raise ToolFailed(f"Error: the text to replace occurs {count} times in {path}, not once")
        file.write_bytes(text.replace(old.encode(), new.encode()))
        return f"Edited: {path}"

    def run_command(
        self, command: str, seconds: Annotated[float, Field(gt=0, le=LONGEST_SECONDS)] = COMMAND_SECONDS
    ) -> str:
        """Run a line of shell in the working folder: its exit code and what it printed. It ends with all it started."""
        done = self._run(["/bin/sh", "-c", f"exec 2>&1\n{command}"], seconds)
        printed = _printed(done, "let the command print less")
        if done.timed_out:
            raise ToolFailed(f"Error: it did not end within {seconds:g} seconds\n{printed}")
        if done.code:
            raise ToolFailed(f"Exit code: {done.code}\n{printed}")
        return f"Exit code: 0\n{printed}"

    def _run(self, argv: list[str], seconds: float) -> processes.Finished:
        return processes.run(argv, cwd=self._folder, env=self._environment, seconds=seconds, output_bytes=KEPT_BYTES)

    def _inside(self, path: str) -> Path:
        try:
            found = (self._folder / path).resolve()
        except RuntimeError as circle:
            raise ToolFailed(f"Error: {path} leads in a circle") from circle
        if not found.is_relative_to(self._folder):
            raise ToolFailed(f"Error: {path} is not in the working folder {self._folder}")
        return found

    def _file(self, path: str) -> Path:
        """Nothing that one could wait for without end."""
        found = self._inside(path)
        if found.exists() and not found.is_file():
            raise ToolFailed(f"Error: {path} is no file")
        return found

    def _told(self, name: str) -> Callable[..., str]:
        """The tool, with what it does told as it does it, and errors of the system as answers to the model."""
        function: Callable[..., str] = getattr(self, name)

        @wraps(function)
        def told(*args: object, **given: object) -> str:
            target = str(given.get("path") or given.get("command") or given.get("pattern") or "")[:500]
            try:
                output = storable(function(*args, **given))
            except (ToolFailed, EnvironmentProblem, OSError, ValueError) as error:
                reason = storable(error.message if isinstance(error, ToolFailed) else f"Error: {error}")
                self._tell("tool", tool=KINDS[name], target=target, ok=False, error=reason[:2000])
                raise ToolFailed(reason) from error
            self._tell("tool", tool=KINDS[name], target=target, ok=True, output=output[:2000])
            return output

        return told


def _files(top: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if name not in PASSED_OVER)
        yield from (os.path.relpath(Path(folder, name), top) for name in sorted(names))


def _lines(file: IO[bytes], first: int, count: int) -> bytes:
    found, number = bytearray(), 1
    while number < first + count and (piece := file.readline(FILE_BYTES)):
        found += piece if number >= first else b""
        if len(found) > FILE_BYTES:
            raise ToolFailed("Error: these lines are too large: read fewer lines, or search")
        number += piece.endswith(b"\n")
    return bytes(found)


def _printed(done: processes.Finished, advice: str) -> str:
    cut = f"\n[it printed more than is kept, and this is not its end: {advice}]" if done.truncated else ""
    return _bounded(done.stdout.decode("utf-8", "replace"), advice) + cut


def _bounded(text: str, advice: str) -> str:
    """The beginning and the end: what matters stands at either."""
    if len(text) <= CHARACTERS:
        return text
    half = CHARACTERS // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out: {advice} …]\n{text[-half:]}"
