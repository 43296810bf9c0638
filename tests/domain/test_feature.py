"""Feature names: readable, in the task's own script, and valid wherever they are used."""

from __future__ import annotations

import re
import subprocess
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.domain.feature import branch_name, feature_name
from andon.domain.filenames import sanitise


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("Add a login form", "add-a-login-form"),
        ("../x y", "x-y"),
        ("로그인 화면을 추가해줘!", "로그인-화면을-추가해줘"),
        ("Fix: TypeError in `parse()` (again…)", "fix-typeerror-in-parse-again"),
        ("Füge Grüße hinzu", "füge-grüße-hinzu"),
        ("", "task"),
        ("!!! ??? 🎉", "task"),
        ("ㅤ\u3164", "task"),
        ("CON", "task-con"),
        ("COM¹", "task-com1"),
        (
            "Refactor the payment service so that refunds are idempotent and logged",
            "refactor-the-payment-service-so-that",
        ),
        ("a" * 90, "a" * 40),
        ("हिन्दी में लॉगिन", "हिन्दी-में-लॉगिन"),
    ],
)
def test_E_12_G_25_readable_names(task: str, expected: str) -> None:
    assert feature_name(task) == expected


def test_G_25_taken_names_get_a_number() -> None:
    assert feature_name("Add login", {"add-login"}) == "add-login-2"
    assert feature_name("Add login", {"add-login", "ADD-LOGIN-2"}) == "add-login-3"
    assert feature_name("a" * 90, {"a" * 40}) == "a" * 38 + "-2"


def test_E_12_decomposed_text_gives_the_same_name() -> None:
    assert feature_name(unicodedata.normalize("NFD", "로그인 추가")) == feature_name("로그인 추가")


def test_E_12_git_takes_the_branch() -> None:
    for task in ("../x y", "로그인 화면", "a..b", "@{-1}", "x.lock", "-rf", "HEAD", "~^:?*[\\"):
        name = branch_name(feature_name(task))
        assert subprocess.run(["git", "check-ref-format", "--branch", name], capture_output=True).returncode == 0, name


TASKS = st.text(
    st.one_of(st.characters(), st.sampled_from("./\\ -_@{~^:.CONaux1¹\u0301\u0345\u3164\u200bİßǅﬁΣ파🎉\n")),
    max_size=120,
)


@settings(max_examples=300)
@given(TASKS)
def test_E_12_every_name_is_safe_everywhere(task: str) -> None:
    name = feature_name(task)
    assert 1 <= len(name) <= 40
    assert name == name.lower()
    assert unicodedata.is_normalized("NFC", name)
    assert sanitise(name) == name
    assert Path(name).name == name
    assert not re.search(r"[\x00-\x20\x7f~^:?*\[\\.@/_]|--|^-|-$", name)
    assert feature_name(name) == name
    assert feature_name(task) == name


@settings(max_examples=300)
@given(TASKS, st.integers(1, 30))
def test_G_25_numbers_never_collide(task: str, count: int) -> None:
    taken: list[str] = []
    for _ in range(count):
        taken.append(feature_name(task, taken))
    assert len({name.casefold() for name in taken}) == count
    assert all(len(name) <= 40 for name in taken)
