"""Keeps secrets of the environment out of what andon writes down (E-28): journal, recorded steps, questions, the kept
output of checks, what GitHub's program prints, and what agents printed, once they have ended. Documents are cleaned by
hiding.py, other files that agents write are not; agents run without the environment's secrets, and with those alone
that a person gave to the task.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast
from urllib.parse import unquote

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH(?!OR(?!I)))", re.IGNORECASE)
"""AUTHORIZATION is one, GIT_AUTHOR_NAME is a person's name."""
_USERINFO = re.compile(r"[a-z][a-z0-9+.-]*://([^\s/?#]*)@", re.IGNORECASE)
SHORTEST = 8
"""Shorter values are words that occur by chance; hiding them would tear up ordinary text."""


class Redaction:
    """Replaces the values of secret-looking environment variables wherever they appear in text."""

    def __init__(self, environment: Mapping[str, str], given: Iterable[str] = ()) -> None:
        self._values: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        self._raw: re.Pattern[bytes] | None = None
        self.add(given)
        self.add_named(environment)

    def add(self, values: Iterable[str]) -> None:
        """More of them, such as a person gave while a run goes on."""
        fresh = {value for value in values if len(value) >= SHORTEST} - self._values
        if not fresh:
            return
        self._values |= fresh
        ordered = sorted(self._values, key=len, reverse=True)
        self._pattern = re.compile("|".join(re.escape(s) for s in ordered))
        spelt = sorted({each for value in self._values for each in _spelt(value)}, key=len, reverse=True)
        self._raw = re.compile(b"|".join(re.escape(each) for each in spelt))

    def add_named(self, values: Mapping[str, str]) -> None:
        """Those of them that are secrets by their names, such as variables and headers have."""
        self.add([secret for name, value in values.items() for secret in _secrets(name, value)])

    def text(self, text: str) -> str:
        return self._pattern.sub("[redacted]", text) if self._pattern else text

    def raw(self, data: bytes) -> bytes:
        """What a program printed, which may be JSON: a secret is hidden however that spells it."""
        return self._raw.sub(b"[redacted]", data) if self._raw else data

    def clean(self, value: Any) -> Any:
        """The same JSON value with every string in it redacted, names included."""
        if self._pattern is None:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.clean(k): self.clean(v) for k, v in cast("Mapping[Any, Any]", value).items()}
        if isinstance(value, (list, tuple)):
            return [self.clean(v) for v in cast("list[Any]", value)]
        return value


def _spelt(value: str) -> Iterator[bytes]:
    yield value.encode("utf-8", "surrogateescape")
    for ascii_only in (True, False):
        told = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        yield from (each.encode("utf-8", "surrogateescape") for each in (told, told.replace("/", "\\/")))


def _secrets(name: str, value: str) -> Iterator[str]:
    # The name of a file is no secret, and hiding it would tear up every path below it.
    is_file = value.startswith("/") and os.path.exists(value)  # noqa: PTH110 (minds no value too long for a name)
    if _SECRET_NAME.search(name) and not is_file:
        yield value
    for userinfo in _USERINFO.findall(value):
        password = userinfo.partition(":")[2]
        yield from (password, unquote(password))
