"""One thing is said as one, and a moment as the time of a clock."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing

import pytest

from andon.domain.language import Language
from andon.domain.run import Status
from andon.web.words import speaker

from .small import Small, small


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    with small(tmp_path_factory.mktemp("plurals")) as made:
        made.add("oneevent", Status.DONE)
        made.store.journal.append("oneevent", "1.1", "rate_limited", "plan", {"name": "a", "resets_at": 1795011230.05})
        yield made


@pytest.mark.parametrize(
    ("language", "event", "limit"),
    [
        ("en", "1 event", r"rate limit, goes on at \d\d:\d\d:\d\d"),
        ("ko", "이벤트 1개", r"사용량 제한, \d\d:\d\d:\d\d에 이어서 진행"),
    ],
)
def test_E_05_one_is_said_as_one_and_a_moment_as_a_time(server: Small, language: str, event: str, limit: str) -> None:
    with closing(server.browser()) as browser:
        browser.cookies.set("andon-language", language)
        html = browser.get("/runs/oneevent").text
    assert f">{event}<" in html
    assert re.search(limit, html) and "1,795" not in html


def test_E_05_korean_says_the_same_of_one_and_of_many() -> None:
    say = speaker(Language.KO)
    assert say("{count} files", count=1).replace("1", "2") == say("{count} files", count=2)
