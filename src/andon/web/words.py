"""The page's two languages. English stands in templates and code; words/ko.toml has the Korean for every sentence.

words/en.toml has what the machine's own words are for people, such as `in_progress`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from andon.domain.language import Language

Say = Callable[..., str]


@cache
def table(language: Language) -> Mapping[str, str]:
    text = files("andon.web").joinpath("words", f"{language}.toml").read_text("utf-8")
    return {said: means for words in tomllib.loads(text).values() for said, means in words.items()}


def speaker(language: Language) -> Say:
    """`_("{count} events", count=3)` in that language. What has no Korean yet is said in English."""
    own, english = table(language), table(Language.EN)

    def say(text: str, /, **values: Any) -> str:
        said = own.get(text) or english.get(text, text)
        return said.format(**values) if values else said

    return say


def preferred(cookie: str, accept: str) -> Language:
    """What a person chose; else what their browser asks for first."""
    if cookie in ("en", "ko"):
        return Language(cookie)
    first = accept.split(",", 1)[0].strip().lower()
    return Language.KO if first.startswith("ko") else Language.EN
