"""What a scan puts together in sentences has its Korean on the page: every one that its modules can say."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from andon.app.access import Role
from andon.app.teams import keep_inside, team_path
from andon.domain.language import Language
from andon.domain.teams.matching import INSTALL, suggestion
from andon.teamify.documents import OUTSIDE
from andon.web.rendering import Reader, context
from andon.web.security import Visitor
from andon.web.words import heard, speaker

KO, EN = speaker(Language.KO), speaker(Language.EN)
SAYING = {
    "andon.teamify.heads": ("head_of_file", "split", "read_head"),
    "andon.teamify.files": ("markdown",),
    "andon.teamify.servers": ("configured", "_configured", "_ask"),
    "andon.teamify.programs": ("_asked",),
    "andon.teamify.texts": ("read_text",),
    "andon.teamify.reading": ("workflow_of", "read_workflow"),
    "andon.processes.mcp_client": ("told",),
    "andon.domain.teams.selecting": ("remarks",),
    "andon.domain.teams.prompting": ("_ownership", "_duplication", "_scope"),
    "andon.app.teams": (keep_inside.__name__, team_path.__name__),
}
"""Functions whose sentences the page shows."""


def sentences(module: str, functions: tuple[str, ...]) -> Iterator[str]:
    """As they would be with `x` for every value; single words and documentation are none."""
    source = ast.parse(Path(str(import_module(module).__file__)).read_text())
    for function in (each for each in ast.walk(source) if isinstance(each, ast.FunctionDef) and each.name in functions):
        documented = ast.get_docstring(function, clean=False)
        for node in _texts(function):
            text = _sample(node)
            if text != documented and re.search(r"[a-z]+,? [a-z]", text.replace("x", "")):
                yield text


def _texts(node: ast.AST) -> Iterator[ast.expr]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.JoinedStr) or (isinstance(child, ast.Constant) and isinstance(child.value, str)):
            yield child
        else:
            yield from _texts(child)


def _sample(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(each.value) if isinstance(each, ast.Constant) else "x" for each in node.values)
    return str(node.value) if isinstance(node, ast.Constant) else ""


def test_E_05_every_sentence_of_a_scan_has_its_korean() -> None:
    said = {text for module, functions in SAYING.items() for text in sentences(module, functions)} | {OUTSIDE}

    assert len(said) > 30, "a module says its sentences elsewhere now"
    assert sorted(text for text in said if heard(text, KO) == text) == []


@pytest.mark.parametrize("name", [*INSTALL, "something-else"])
def test_E_05_how_to_get_something_has_its_korean(name: str) -> None:
    told = suggestion(name)

    assert heard(told, EN) == told
    assert heard(told, KO) != told or name == "marker_single"


@pytest.mark.parametrize(
    ("english", "korean"),
    [
        ("it did not tell its tools within 15 s", "15초 안에 도구 목록을 알려 주지 않았습니다"),
        ("its head is no YAML: a\nb {c}", "머리말이 YAML이 아닙니다: a\nb {c}"),
        ("it is no text in UTF-8", "UTF-8 텍스트가 아닙니다"),
        ("docs/a.md is no text in UTF-8", "UTF-8 텍스트가 아닙니다: docs/a.md"),
        ("ValueError: something nobody foresaw", "ValueError: something nobody foresaw"),
        ("", ""),
    ],
)
def test_E_05_values_of_a_sentence_stay_as_they_are(english: str, korean: str) -> None:
    assert (heard(english, EN), heard(english, KO)) == (english, korean)


def test_what_has_no_korean_is_marked_as_english_and_nothing_in_it_is_markup() -> None:
    def shown(language: Language, text: str) -> str:
        told: Any = context(Reader(language, "light", Visitor("kim", Role.VIEWER)))["heard"]
        return str(told(text))

    assert shown(Language.KO, "Odd: <b>") == '<span lang="en">Odd: &lt;b&gt;</span>'
    assert shown(Language.EN, "Odd: <b>") == "Odd: &lt;b&gt;"
    assert shown(Language.KO, "its head is no YAML: <b>") == "머리말이 YAML이 아닙니다: &lt;b&gt;"
