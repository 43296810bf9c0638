"""Conversations on a real engine: explain, generate code, debug; an answer is kept whole and scored (S-29, S-30)."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from andon.domain.tasks.phases import TaskType
from andon.engine.run import DurableRun
from andon.pipelines.tasks.pipeline import task
from floor import Floor

OFFER = "Shall I go on with a version for your own project?"
CODE = """```python
import re

ADDRESS = re.compile(r"[^@\\s]+@[^@\\s]+\\.[a-z]+")
```
"""
EXPLAINS = f"""JWT authentication keeps the proof of who somebody is in a signed token, so the server stores nothing.

1. The server signs a token when somebody signs in, and sends it back with the answer to that request.
2. The client sends the token along with each request, for example in the header `Authorization: Bearer …`.
3. The server checks the signature and the time at which the token ends before it answers anything.

{CODE}
More about it: https://jwt.io/introduction

{OFFER}"""
GENERATES = f"""This regex finds e-mail addresses in a text, and you can write tests for it right away.

1. Put the following code into a file of its own, for example `addresses.py`.
2. Run it with a text of yours and look at what it finds.

{CODE}
The rules are written down at https://www.rfc-editor.org/rfc/rfc5322

{OFFER}"""
DEBUGS = f"""오류 원인은 값이 None 인 변수를 호출하기 때문입니다.
예를 들어 다음 코드에서 오류 발생 위치를 볼 수 있습니다.

1. 먼저 오류 메시지의 줄 번호를 확인하고 그 변수의 값을 출력해 보세요.
2. 그다음 값이 없을 때의 처리를 추가하고 다시 실행해 보세요.

{CODE}
문서: https://docs.python.org/ko/3/tutorial/errors.html

{OFFER}"""
EXAMPLES = [
    ("Explain JWT authentication", EXPLAINS),
    ("Write a regex for e-mail addresses", GENERATES),
    ("오류 원인 찾아 주세요: 변수 호출 오류 발생", DEBUGS),
]
PHASES = {"phase_entered", "phase_verified", "rework", "review_decided", "checkpoint", "step_started", "verification"}


def said(floor: Floor, message: str, answer: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """How the run ends, and the answer's turn."""
    options = {"type": TaskType.CUSTOM.value}
    payload: dict[str, Any] = {"feature": "talk", "language": "en", "request": {"task": message, "options": options}}
    payload["message"] = {"text": message, "by": "ada"}

    async def pipeline(run: DurableRun) -> dict[str, Any]:
        ended = await task(run, payload)
        return {"status": str(ended.status), "reason": ended.reason}

    ended = floor.play(pipeline, {"match": {"name": "task-helper"}, "reply": answer})
    return ended, floor.told("turn")[-1]


@pytest.mark.parametrize(("message", "answer"), EXAMPLES)
def test_S_29_D_53_an_answer_reaches_the_person_with_its_offer_and_nothing_of_a_phase_appears(
    floor: Floor, message: str, answer: str
) -> None:
    ended, turn = said(floor, message, answer)

    assert ended == {"status": "done", "reason": "answered"}
    assert turn["text"].endswith(OFFER) and turn["text"] == answer
    assert not {each.kind for each in floor.store.journal.entries("r1")} & PHASES
    assert floor.store.reviews.of_run("r1") == [] and floor.store.holds.all_open() == []
    assert not (floor.tree / "docs").exists()
    changed = subprocess.run(
        ["git", "status", "--porcelain"], cwd=floor.repository, capture_output=True, text=True, timeout=30, check=True
    )
    assert changed.stdout == ""


@pytest.mark.parametrize(("message", "answer"), [EXAMPLES[2]])
def test_S_30_G_18_X_45_X_46_a_good_answer_scores_clearly_higher_than_a_bad_one_in_Korean_too(
    floor: Floor, message: str, answer: str
) -> None:
    from andon.domain.tasks.quality import quality_score

    # When a person gets an answer that says nothing
    _, turn = said(floor, message, "글쎄요.")
    bad, good = turn["score"], quality_score(answer, message)

    # Then its score, as it is kept for every screen, is far below that of the good one
    assert bad["overall"] < 3 < good.overall and good.overall - bad["overall"] > 1
    assert good.relevance > bad["relevance"]  # its words are found in Korean (G-18)
