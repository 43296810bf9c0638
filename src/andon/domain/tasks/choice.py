"""Which type a task is: the decision tree, a suggestion from the task's text, and warnings about misuse (D-03 to D-06).

A suggestion is never a decision: what a person chose always wins, and what is unclear is asked.
"""

from __future__ import annotations

from dataclasses import dataclass

from andon.domain.order import Question
from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.signals import Mark, Signals, Word, read_signals

A, B, C, D = TaskType.CREATE_APP, TaskType.MODIFY_APP, TaskType.WORKFLOW, TaskType.CUSTOM


@dataclass(frozen=True, slots=True)
class Answers:
    """To the three questions of the tree. None: not known."""

    coding: bool | None
    existing: bool | None = None
    automation: bool | None = None


def decide(answers: Answers) -> TaskType | None:
    """The decision tree (D-03). None when an answer that it needs is not known."""
    possible = still_possible(answers)
    return possible[0] if len(possible) == 1 else None


def still_possible(answers: Answers) -> tuple[TaskType, ...]:
    """The types that the tree can still end at, in its order (D-03)."""
    found: list[TaskType] = []
    if answers.coding is not True:
        found.append(D)
    if answers.coding is False:
        return tuple(found)
    if answers.existing is not False:
        found.append(B)
    if answers.existing is True:
        return tuple(found)
    if answers.automation is not False:
        found.append(C)
    if answers.automation is not True:
        found.append(A)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Suggestion:
    type: TaskType | None
    """None: the text does not say."""
    reason: str
    possible: tuple[TaskType, ...]

    @property
    def question(self) -> Question | None:
        """What to ask a person when the text does not say (D-04)."""
        if self.type is not None:
            return None
        return Question(
            f"Which type of task is this? {self.reason}.",
            tuple(each.value for each in self.possible),
            category="choice",
        )


def suggest(text: str) -> Suggestion:
    """The type that a task's text speaks for, in English or Korean (D-04, D-06)."""
    answers, reason = _answers(read_signals(text))
    return Suggestion(decide(answers), reason, still_possible(answers))


def choose(chosen: TaskType | None, text: str) -> TaskType | None:
    """What a person chose always wins over what is suggested (D-06). None: ask."""
    return chosen or suggest(text).type


_AUTOMATED = (Mark.CADENCE, Mark.EVENT, Mark.SERVICES, Mark.AUTOMATION)
_NOT_KNOWN = Answers(None)
_CONVERSATION = Answers(coding=False)
_CHANGE = Answers(coding=True, existing=True)
_AUTOMATION = Answers(coding=True, existing=False, automation=True)
_NEW = Answers(coding=True, existing=False, automation=False)


def _answers(signals: Signals) -> tuple[Answers, str]:
    if signals.question or signals.verb is Word.ASK:
        return _CONVERSATION, "it asks for an answer"
    match signals.verb:
        case Word.MEND:
            return _CHANGE, "it mends something that exists"
        case Word.CHANGE:
            return _of_change(signals)
        case Word.AUTOMATE:
            return _of_automation(signals)
        case Word.MAKE:
            return _of_making(signals)
        case _:
            return _of_nouns(signals)


def _of_change(signals: Signals) -> tuple[Answers, str]:
    if signals.has(Mark.EXISTING) or not signals.has(Mark.CADENCE, Mark.EVENT):
        return _CHANGE, "it changes something that exists"
    return Answers(coding=True), "it changes something, and does so by itself: is there code to be changed"


def _of_automation(signals: Signals) -> tuple[Answers, str]:
    if signals.has(*_AUTOMATED) or not signals.has(Mark.EXISTING):
        return _AUTOMATION, "it is to happen by itself, or joins services"
    return Answers(coding=True, automation=True), "it may be automation, or a change of code that exists"


def _of_making(signals: Signals) -> tuple[Answers, str]:
    by_itself = signals.has(Mark.CADENCE, Mark.EVENT)
    if signals.has(Mark.EXISTING):
        if signals.has(Mark.FRESH):
            return Answers(coding=True), "it speaks of something new and of something that exists"
        return _CHANGE, "it makes a part of something that exists"
    if Mark.SNIPPET in signals.head and Mark.APPLICATION not in signals.head and not by_itself:
        return _CONVERSATION, "it wants a small piece of code"
    if Mark.APPLICATION in signals.head or signals.has(Mark.FRESH):
        if by_itself:
            return Answers(coding=True, existing=False), "an application, or something that happens by itself"
        return _NEW, "it wants a new application"
    if signals.has(*_AUTOMATED):
        return _AUTOMATION, "it is to happen by itself, or joins services"
    if signals.has(Mark.APPLICATION):
        return _NEW, "it wants a new application"
    return Answers(coding=True), "it does not say what is to be made"


def _of_nouns(signals: Signals) -> tuple[Answers, str]:
    """A text without a verb: the first kind of word that stands alone."""
    if signals.has(Mark.INQUIRY, Mark.SNIPPET):
        if signals.has(Mark.APPLICATION, Mark.FRESH) and not signals.has(Mark.DEFINITE, Mark.EXISTING):
            return _NOT_KNOWN, "a question, or an application"
        return _CONVERSATION, "it asks for an answer or a small piece of code"
    if signals.has(Mark.EXISTING):
        return _CHANGE, "it is about something that exists"
    if signals.has(Mark.FRESH):
        return _NEW, "it wants a new application"
    if signals.has(*_AUTOMATED):
        if signals.has(Mark.APPLICATION) and not signals.has(Mark.CADENCE, Mark.EVENT, Mark.AUTOMATION):
            return Answers(coding=True, existing=False), "an application, or services that are joined"
        return _AUTOMATION, "it is to happen by itself, or joins services"
    if signals.has(Mark.APPLICATION):
        return _NEW, "it names an application"
    if signals.has(Mark.DEFINITE):
        return _CHANGE, "it is about something that exists"
    return _NOT_KNOWN, "nothing in it says whether code is wanted, and which"


@dataclass(frozen=True, slots=True)
class Misuse:
    reason: str
    instead: tuple[TaskType, ...]


_NOT_FOR: dict[tuple[TaskType, TaskType], str] = {
    (A, B): "create_app is not for changing an existing application",
    (A, C): "create_app is not for automation",
    (A, D): "create_app is not for questions and answers",
    (B, A): "modify_app is not for new applications",
    (B, C): "modify_app is not for automation",
    (C, A): "workflow is not for a whole application",
    (C, B): "workflow is not for changing an application",
    (C, D): "workflow is not for what is no automation",
    (D, A): "custom has no documents and no review gates, which a new application deserves",
    (D, B): "custom has no documents and no review gates, which a change of an application deserves",
    (D, C): "custom has no documents and no review gates, which automation deserves",
}


def misuses(chosen: TaskType, text: str, *, code: bool) -> tuple[Misuse, ...]:
    """Why this type may be the wrong one, with what to take instead (D-05). `code`: a code base is supplied."""
    found: list[Misuse] = []
    if chosen is B and not code:
        found.append(Misuse("modify_app needs existing code, and none is supplied", (A, C)))
    suggested = suggest(text).type
    if suggested is not None and (chosen, suggested) in _NOT_FOR:
        found.append(Misuse(_NOT_FOR[chosen, suggested], (suggested,)))
    return tuple(found)
