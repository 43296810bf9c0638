"""A conversation: one message of a person, one answer; then the run ends until the next message (D-53, D-54).

It waits without a process. No phases, no documents, no verification, no review: an answer is scored and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from andon.domain.assignment import Assignment
from andon.domain.language import LANGUAGE_NAMES
from andon.domain.order import Tier
from andon.domain.question_block import INSTRUCTION as QUESTION_INSTRUCTION
from andon.domain.run import Ending, Status
from andon.domain.tasks.conversation import AGENT, ANSWERED, COMPLETE, HELPER, PERSON, says_done
from andon.domain.tasks.quality import QualityScore, quality_score
from andon.pipelines.tasks.course import READING_SECONDS, Course
from andon.roles.task_contracts import ANSWER

NOTHING_YET = "(this is the first message)"


async def converse(course: Course, payload: Mapping[str, Any]) -> Ending:
    """One message and its answer."""
    message: dict[str, Any] = payload.get("message") or {"text": course.task, "by": ""}
    talk: list[dict[str, str]] = payload.get("talk") or []
    text = str(message["text"])
    await course.run.mark(mode=course.type.value)
    if not message.get("said"):
        await course.run.say("turn", author=PERSON, by=message["by"], text=text)
    if talk and says_done(text):
        return Ending(Status.DONE, COMPLETE, course.word("ended.complete"))
    answer = await course.run.ask(_assignment(course, text, talk), ANSWER)
    score = _told(quality_score(answer, text))
    await course.run.say("turn", author=AGENT, by=HELPER, text=answer, score=score)
    if says_done(answer):
        return Ending(Status.DONE, COMPLETE, course.word("ended.complete"))
    return Ending(Status.DONE, ANSWERED, course.word("ended.answered", run=course.run.id))


def _assignment(course: Course, text: str, talk: Sequence[Mapping[str, str]]) -> Assignment:
    """Its own session knows the talk; where there is none, the talk is told."""
    direction, course.direction = course.direction, ""
    said = "\n\n".join(f"{each['author']}: {each['text']}" for each in talk)
    values = {"said": text, "talk": said or NOTHING_YET, "language": LANGUAGE_NAMES[course.language]}
    return Assignment(
        role=HELPER,
        name=HELPER,
        prompt="tasks/answer",
        again="tasks/message",
        tier=Tier(course.role_tiers.get(HELPER) or Tier.SONNET),
        values=values | {"questions": QUESTION_INSTRUCTION},
        direction=direction,
        continues=True,
        message=course.word("start", name=HELPER),
        seconds=course.role_seconds.get(HELPER) or course.agent_seconds or READING_SECONDS,
    )


def _told(score: QualityScore) -> dict[str, Any]:
    return asdict(score) | {"overall": score.overall}
