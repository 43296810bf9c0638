"""Where settings stand: a TOML file, the environment, the command line. Each can say the place of a mistake."""

from __future__ import annotations

import difflib
import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from andon.domain.errors import EnvironmentProblem, UserError

PROJECT_FILE = "andon.toml"
PREFIX = "ANDON_"
NOT_SETTINGS = (
    "ANDON_HOME",
    "ANDON_DATABASE_URL",
    "ANDON_DEBUG",
    "ANDON_CONTEXT_LEFT",
    "ANDON_SLACK_API_URL",
    "ANDON_GMAIL_API_URL",
)
"""Where andon's data is, how much it tells, where it runs and where credentials go: no file can set them."""
_LINE = re.compile(r"at line (\d+), column \d+")
Location = tuple[str, ...]


class Source(Protocol):
    @property
    def values(self) -> Mapping[str, Any]: ...

    @property
    def folder(self) -> Path:
        """What relative paths are meant from."""
        ...

    @property
    def remark(self) -> str: ...

    def place(self, location: Location) -> str:
        """Where a key stands, as messages name it."""
        ...


@dataclass(frozen=True, slots=True)
class File:
    path: Path
    values: Mapping[str, Any]
    text: str = ""
    digest: str = ""
    """Of exactly the bytes that were read."""

    @classmethod
    def read(cls, path: Path) -> File:
        """An absent file has no values; a broken one is a person's mistake to be told with its line."""
        try:
            content = path.read_bytes()
            text = content.decode("utf-8-sig")
            return cls(path, tomllib.loads(text), text, hashlib.sha256(content).hexdigest())
        except (FileNotFoundError, NotADirectoryError):
            return cls(path, {})
        except tomllib.TOMLDecodeError as error:
            raise UserError(*_broken(path, str(error))) from error
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            raise UserError(f"{path}:{line}: not UTF-8", _LEFT_ALONE) from error
        except OSError as error:
            raise EnvironmentProblem(f"{path} cannot be read: {error.strerror}") from error

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def remark(self) -> str:
        return _LEFT_ALONE

    def without(self, keys: Iterable[str]) -> File:
        left = set(keys)
        return replace(self, values={key: value for key, value in self.values.items() if key not in left})

    def place(self, location: Location) -> str:
        return f"{self.path}:{self._line(location)}: {'.'.join(location)}"

    def _line(self, location: Location) -> int:
        """The line that names the key, or the nearest of its parents that can be found."""
        lines = self.text.splitlines()
        for name in reversed(location):
            key = rf"""["']?{re.escape(name)}["']?\s*"""
            shape = re.compile(rf"^\s*\[?\s*(?:[\w.-]+\.)?{key}[.=\]]|[{{,]\s*{key}=")
            for number, line in enumerate(lines, start=1):
                if shape.search(line):
                    return number
        return 1


_LEFT_ALONE = "The file is left as it is."


def _broken(path: Path, said: str) -> tuple[str, str]:
    found = _LINE.search(said)
    line = f":{found[1]}" if found else ""
    reason = _LINE.sub("", said).replace("()", "").strip()
    return f"{path}{line}: not TOML: {reason}", "The file is left as it is; mend it or move it away."


@dataclass(frozen=True, slots=True)
class Environment:
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def read(cls, environment: Mapping[str, str], known: Mapping[str, tuple[str, ...]]) -> Environment:
        names = {_variable(key): (key,) for key, below in known.items() if not below}
        names |= {_variable(key, each): (key, each) for key, below in known.items() for each in below}
        values: dict[str, Any] = {}
        for variable, value in environment.items():
            if variable in names and value != "":
                *tables, last = names[variable]
                table = values.setdefault(tables[0], {}) if tables else values
                table[last] = value
            elif variable.startswith(PREFIX) and variable not in (*names, *NOT_SETTINGS):
                _refuse_misspelt(variable, names)
        return cls(values)

    @property
    def folder(self) -> Path:
        return Path.cwd()

    @property
    def remark(self) -> str:
        return ""

    def place(self, location: Location) -> str:
        return _variable(*location)


def _variable(*location: str) -> str:
    return PREFIX + "_".join(location).replace("-", "_").upper()


def _refuse_misspelt(variable: str, names: Iterable[str]) -> None:
    """Other programs may have ANDON_… variables of their own; only one that is nearly ours is a mistake."""
    near = difflib.get_close_matches(variable, list(names), n=1, cutoff=0.85)
    if near:
        raise UserError(f"{variable}: there is no such setting", f"Did you mean {near[0]}?")


@dataclass(frozen=True, slots=True)
class CommandLine:
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> CommandLine:
        return cls({key: value for key, value in given.items() if value is not None})

    @property
    def folder(self) -> Path:
        return Path.cwd()

    @property
    def remark(self) -> str:
        return ""

    def place(self, location: Location) -> str:
        return "--" + "-".join(location).replace("_", "-")
