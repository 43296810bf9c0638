"""Keeps secrets of the environment out of everything that is written down (E-28)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH)", re.IGNORECASE)
_SHORTEST = 8
"""Shorter values are words that occur by chance; hiding them would tear up ordinary text."""


class Redaction:
    """Replaces the values of secret-looking environment variables wherever they appear in text."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        secrets = {v for k, v in environment.items() if _SECRET_NAME.search(k) and len(v) >= _SHORTEST}
        ordered = sorted(secrets, key=len, reverse=True)
        self._pattern = re.compile("|".join(re.escape(s) for s in ordered)) if ordered else None

    def text(self, text: str) -> str:
        return self._pattern.sub("[redacted]", text) if self._pattern else text

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
