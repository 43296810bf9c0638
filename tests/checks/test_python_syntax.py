"""Python is parsed by one thread at a time, so that threads which read at once cannot disturb each other."""

from __future__ import annotations

import gc
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from andon.checks.python_syntax import expression_of, module_of

DEEP = "x = " + "[" * 60 + "1" + "]" * 60 + "\n"


@pytest.fixture
def hurried() -> Iterator[None]:
    """Garbage is collected all the time, and another thread takes over whenever it is."""

    def give_way(*_: object) -> None:
        time.sleep(0)

    before = gc.get_threshold()
    gc.callbacks.append(give_way)
    gc.set_threshold(50)
    yield
    gc.set_threshold(*before)
    gc.callbacks.remove(give_way)


@pytest.mark.usefixtures("hurried")
def test_threads_may_parse_at_once() -> None:
    def many(_: int) -> int:
        return sum(len(module_of(DEEP * 10).body) for _ in range(5))

    with ThreadPoolExecutor(4) as threads:
        assert [*threads.map(many, range(4))] == [50] * 4


def test_what_is_parsed_warns_nobody() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert module_of(r"x = '\d'").body
        assert expression_of(r"'\d'")


@pytest.mark.parametrize("text", ["def (", "x = '\0'", "(" * 300])
def test_what_is_not_python_is_an_error_of_its_own(text: str) -> None:
    with pytest.raises((SyntaxError, ValueError, MemoryError)):
        module_of(text)
