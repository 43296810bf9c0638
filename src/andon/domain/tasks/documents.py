"""Documents of a phase against what is asked of them: there, long enough, filled, no placeholders (D-08 to D-13)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from andon.domain.auto.paths import named_paths
from andon.domain.language import Wording, announces
from andon.domain.tasks.criteria import EXIST, LENGTH, PLACEHOLDERS, SECTIONS, UNTOUCHED, Criterion
from andon.domain.tasks.markdown import lacking, passages
from andon.domain.tasks.phases import Document, Phase
from andon.domain.tasks.placeholders import placeholders

Texts = Mapping[str, str]
"""By path. A path that is not in it does not exist."""
Guides = Mapping[str, Sequence[Wording]]
"""By guide, the headings that its document must have, in either language."""


def documents_of(phase: Phase, texts: Texts, guides: Guides) -> tuple[Criterion, ...]:
    """The four criteria that every document of a phase has to meet (D-08 to D-11, D-13)."""
    documents = phase.documents
    return (
        existing(documents, texts),
        long_enough(documents, texts),
        without_placeholders(documents, texts),
        with_sections(documents, texts, guides),
    )


def existing(documents: Sequence[Document], texts: Texts) -> Criterion:
    """Names exactly the documents that are missing (D-08, D-13)."""
    return Criterion.of(EXIST, [f"{each.path} is missing" for each in documents if each.path not in texts])


def characters(text: str) -> int:
    """How long a document is: what surrounds it is not counted (D-09)."""
    return len(text.strip())


def long_enough(documents: Sequence[Document], texts: Texts) -> Criterion:
    """The least length of each document that exists (D-09, D-13, D-29, D-32, D-42, D-46)."""
    return Criterion.of(
        LENGTH,
        [
            f"{each.path} has {characters(texts[each.path])} characters, {each.least} are needed"
            for each in documents
            if each.path in texts and characters(texts[each.path]) < each.least
        ],
    )


def without_placeholders(documents: Sequence[Document], texts: Texts) -> Criterion:
    """Every placeholder with file and line (D-10)."""
    return Criterion.of(
        PLACEHOLDERS,
        [
            f'{each.path}:{found.line}: "{found.text}"'
            for each in documents
            for found in placeholders(texts.get(each.path, ""))
        ],
    )


def with_sections(documents: Sequence[Document], texts: Texts, guides: Guides) -> Criterion:
    """What a guide has as headings, or a document's definition as parts, and the document has not (D-11, D-28)."""
    problems: list[str] = []
    for each in documents:
        if each.path not in texts:
            continue
        text = texts[each.path]
        wanted = missing_sections(guides.get(each.guide, ()), text)
        problems += [f"{each.path} has no section {name}" for name in wanted]
        problems += [f"{each.path} has no part {name}" for name in lacking(text, each.parts)]
    return Criterion.of(SECTIONS, problems)


def missing_sections(wanted: Sequence[Wording], text: str) -> tuple[str, ...]:
    """Headings of a guide that a document lacks or leaves empty, in both of which it may be written (D-11)."""
    filled = [each.title for each in passages(text) if each.filled]
    return tuple(
        f"{section.en} / {section.ko}"
        for section in wanted
        if not any(announces(title, (section.en.casefold(), section.ko.casefold())) for title in filled)
    )


def unknown_paths(text: str, exists: Callable[[str], bool]) -> Criterion:
    """Paths that an analysis names and that are not in the workspace (D-29). `docs/` is its own."""
    return Criterion.of(
        "paths_exist",
        [
            f"line {each.line}: {each.path} does not exist"
            for each in named_paths(text)
            if not each.new and not each.path.startswith("docs/") and not exists(each.path)
        ],
    )


def code_untouched(phase: Phase, changed: Sequence[str]) -> Criterion:
    """A phase that only writes documents has changed nothing but `docs/` (D-30, D-32)."""
    outside = [] if phase.code else [path for path in changed if not path.startswith("docs/")]
    return Criterion.of(UNTOUCHED, [f"code changed in {phase.name}: {path}" for path in outside])
