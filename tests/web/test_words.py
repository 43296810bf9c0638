"""The page speaks two languages: every sentence of a template or a module has its Korean."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter

import andon.web
from andon.domain.language import Language
from andon.domain.tasks.phases import TaskType
from andon.web.words import preferred, speaker, table

WEB = Path(andon.web.__file__).parent
IN_TEMPLATE = re.compile(r"""(?<![\w.])_\(\s*("(?:[^"\\]|\\.)*")""")


def said() -> set[str]:
    found = {ast.literal_eval(text) for page in WEB.rglob("*.html") for text in IN_TEMPLATE.findall(page.read_text())}
    for module in WEB.rglob("*.py"):
        for node in ast.walk(ast.parse(module.read_text())):
            named = isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute))
            if named and getattr(node.func, "id", getattr(node.func, "attr", "")) in ("say", "_"):
                found |= {a.value for a in node.args[:1] if isinstance(a, ast.Constant) and isinstance(a.value, str)}
    return found


def test_E_05_every_sentence_of_the_page_has_its_korean() -> None:
    assert sorted(said() - table(Language.KO).keys() - {"office ", "type "}) == []  # the rest of those is a variable


def test_E_05_every_word_of_the_machine_has_both_languages() -> None:
    assert {f"type {each}" for each in TaskType} <= table(Language.EN).keys()
    assert sorted(table(Language.EN).keys() - table(Language.KO).keys()) == []


def test_E_05_no_translation_loses_or_invents_a_value() -> None:
    def values(text: str) -> set[str]:
        return {name for _, name, _, _ in Formatter().parse(text) if name}

    for english, korean in table(Language.KO).items():
        assert values(english) == values(korean), english


def test_E_05_what_a_person_chose_wins_over_their_browser() -> None:
    assert preferred("", "ko-KR,ko;q=0.9,en;q=0.8") is Language.KO
    assert preferred("en", "ko-KR") is Language.EN and preferred("xx", "fr") is Language.EN
    assert speaker(Language.KO)("Needs you") == "확인이 필요해요"
