"""What other parts say in English has its Korean on the page: settings, notes under stations, rows of the journal."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

import andon.web.journal_rows
from andon.app.overview import NOW
from andon.app.settings_view import explained
from andon.domain.journal import KINDS, Entry
from andon.domain.language import Language
from andon.domain.line import NOTES, Lamp, line
from andon.domain.tasks.states import ReviewState
from andon.domain.verdict import Verdict
from andon.web.journal_rows import SENTENCES, label, row_of
from andon.web.rendering import tell
from andon.web.words import speaker, table

KO, EN = speaker(Language.KO), speaker(Language.EN)


def missing(said: set[str]) -> list[str]:
    return sorted(said - table(Language.KO).keys())


def test_E_05_every_setting_is_explained_in_korean(house: Any) -> None:
    assert missing({each.about for each in explained(house.store.home, None, {})}) == []
    with house.client(headers={"cookie": "andon-language=ko", "accept": "text/html"}) as client:
        assert "작업 지시를 수행할 런타임입니다." in client.get("/settings").text


def test_E_05_every_kind_of_entry_has_its_korean() -> None:
    assert missing({label(kind) for kind in KINDS}) == []
    assert SENTENCES.keys() <= KINDS.keys()


def test_E_05_every_sentence_of_a_row_and_a_note_has_its_korean() -> None:
    source = ast.parse(Path(andon.web.journal_rows.__file__).read_text())
    texts = [node.value for node in ast.walk(source) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert missing({each for each in texts if "{" in each} | set(NOTES.values()) | set(NOW)) == []


def test_E_05_every_verdict_in_them_has_its_korean() -> None:
    decided = {ReviewState.APPROVED, ReviewState.CHANGES_REQUESTED}
    assert missing({each.value for each in Verdict} | {each.value for each in decided} | {"not passed"}) == []


@pytest.mark.parametrize(
    ("kind", "data", "english", "korean"),
    [
        ("spawn", {"role": "executor", "model": "x"}, "started · executor · x", "시작 · executor · x"),
        ("check", {"verdict": "not_measured", "reason": "slow"}, "not measured · slow", "측정 안 됨 · slow"),
        ("check", {"verdict": "passed", "reason": ""}, "passed", "통과"),
        ("hold_answered", {"by": "timeout", "answer": "go"}, "no answer came: go", "답이 없음: go"),
        ("hold_kept", {"hold": "r/1", "by": "ann"}, "waits for ann", "ann 님의 답을 기다림"),
        ("warning", {"text": "No git {name} %s"}, "warning · No git {name} %s", "경고 · No git {name} %s"),
        ("merged", {"names": ["unit-1", "b"], "tree": "52dc"}, "merged · unit-1, b", "병합 · unit-1, b"),
        ("result", {"name": "a", "text": '{"summary": "Four notes"}'}, "result · Four notes", "결과 · Four notes"),
        ("task_update", {"name": "a", "status": "completed"}, "task update · completed", "할 일 갱신 · completed"),
        ("environment_prepared", {"digest": "96", "problem": "", "fix": ""}, "environment prepared", "환경 준비"),
        ("shutdown_request", {"recipient": "a"}, "shutdown request", "종료 요청"),
        ("run_started", {"leg": 1, "task": "Greet", "tree": "5"}, "run started · Greet", "실행 시작 · Greet"),
        ("team_deleted", {}, "team deleted", "팀 해산"),
        ("of_another_version", {"text": "Hm"}, "of another version · Hm", "of another version · Hm"),
    ],
)
def test_E_05_a_row_is_told_in_both_languages(kind: str, data: dict[str, Any], english: str, korean: str) -> None:
    entry = Entry("r", 1, 0.0, kind, "check", data)

    assert (row_of(entry, EN).text, row_of(entry, KO).text) == (english, korean)


def test_E_05_the_note_under_a_station_is_told_in_both_languages() -> None:
    entries = [
        Entry("r", 1, 0.0, "phase_entered", "", {"name": "gate"}),
        Entry("r", 2, 1.0, "gate", "gate", {"gate": 2, "passed": False}),
    ]

    [station] = line(("gate",), entries, Lamp.RUNNING)

    assert (station.note, tell(station.said, EN), tell(station.said, KO)) == (
        "gate 2: not passed",
        "gate 2: not passed",
        "관문 2: 통과 못함",
    )
