"""The page's two languages. English stands in templates and code; words/ko.toml has the Korean for every sentence.

words/en.toml has what the machine's own words are for people, such as `in_progress`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from andon.domain.language import Language

Say = Callable[..., str]
ONE = "one"
"""The section of what is said otherwise where `count` is 1."""
_VALUE = re.compile(r"\\\{(\w+)\\\}")


@cache
def table(language: Language) -> Mapping[str, str]:
    text = files("andon.web").joinpath("words", f"{language}.toml").read_text("utf-8")
    sections = {name: words for name, words in tomllib.loads(text).items() if name != ONE}
    return {said: means for words in sections.values() for said, means in words.items()}


@cache
def _ones() -> Mapping[str, str]:
    """What is said of one thing, by what is said of many. Korean says the same of both."""
    return tomllib.loads(files("andon.web").joinpath("words", f"{Language.EN}.toml").read_text("utf-8"))[ONE]


def speaker(language: Language) -> Say:
    """`_("{count} events", count=3)` in that language. What has no Korean yet is said in English."""
    own, english = table(language), table(Language.EN)

    def say(text: str, /, **values: Any) -> str:
        said = own.get(text) or english.get(text, text)
        if str(values.get("count")) == "1" and said == text:
            said = _ones().get(text, text)
        return said.format(**values) if values else said

    return say


@cache
def _sentences() -> list[tuple[re.Pattern[str], str]]:
    """Those of a scan, each with the pattern of what it becomes; with more words of its own first."""
    text = files("andon.web").joinpath("words", f"{Language.KO}.toml").read_text("utf-8")
    known = sorted(tomllib.loads(text)["scan"], key=lambda said: -len(re.sub(r"\{\w+\}", "", said)))
    return [(re.compile(_VALUE.sub(r"(?P<\1>.+?)", re.escape(said)), re.S), said) for said in known]


def heard(text: str, say: Say) -> str:
    """A sentence that another part has put together, in the reader's language; values in it stay as they are."""
    for pattern, said in _sentences():
        if (found := pattern.fullmatch(text)) is not None:
            return say(said, **found.groupdict())
    return text


def preferred(cookie: str, accept: str) -> Language:
    """What a person chose; else what their browser asks for first."""
    if cookie in ("en", "ko"):
        return Language(cookie)
    first = accept.split(",", 1)[0].strip().lower()
    return Language.KO if first.startswith("ko") else Language.EN
