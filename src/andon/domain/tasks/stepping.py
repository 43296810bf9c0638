"""How far a phase is, seen from outside: by the documents that lie there, never by what its agent says (D-120)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from andon.domain.tasks.documents import Texts, characters
from andon.domain.tasks.markdown import lacking
from andon.domain.tasks.phases import Document, Phase, Step, TaskType
from andon.domain.tasks.progress import task_progress


@dataclass(frozen=True, slots=True)
class Seen:
    documents: tuple[str, ...] = ()
    """Paths that were written in this phase."""
    steps: frozenset[int] = frozenset()
    """Numbers of the steps that are done, counted from 1."""

    def __or__(self, other: Seen) -> Seen:
        """Within one attempt nothing that was done becomes undone: an agent may move text about while it writes."""
        documents = tuple(dict.fromkeys((*self.documents, *other.documents)))
        return Seen(documents, self.steps | other.steps)


@dataclass(frozen=True, slots=True)
class Underway:
    """A phase that an agent works on."""

    type: TaskType
    phase: Phase

    @property
    def paths(self) -> tuple[str, ...]:
        """What to look at. Nothing: the phase is code, and only its verification tells how far it is."""
        return tuple(dict.fromkeys(step.document for step in self.phase.steps if step.document))

    def seen(self, texts: Texts, before: Texts) -> Seen:
        """What the texts show. One that lay there when the phase began, and is the same, shows nothing."""
        written = {path: text for path, text in texts.items() if text.strip() and before.get(path) != text}
        done = (number for number, step in enumerate(self.phase.steps, 1) if self._done(step, written))
        return Seen(tuple(path for path in self.paths if path in written), frozenset(done))

    def _done(self, step: Step, written: Mapping[str, str]) -> bool:
        text = written.get(step.document)
        if text is None:
            return False
        document = self._document(step.document)
        if not step.part:
            return characters(text) >= document.least
        return not lacking(text, tuple(part for part in document.parts if part.name == step.part))

    def _document(self, path: str) -> Document:
        return next(each for each in self.phase.documents if each.path == path)

    def next_step(self, seen: Seen) -> int | None:
        """The first that is not done; None when all are."""
        return next((number for number in range(1, len(self.phase.steps) + 1) if number not in seen.steps), None)

    def told(self, number: int, done: int) -> dict[str, object]:
        """What the journal has of a step that begins or ends."""
        step = self.phase.steps[number - 1]
        return {"number": number, "name": step.name, "title": step.title, "done": done, "of": len(self.phase.steps)}

    def progress(self, seen: Seen) -> float | None:
        return task_progress(self.type, self.phase.number - 1, len(seen.steps))
