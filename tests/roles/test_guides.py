"""Guides: the 23 exist, each is a page of its own that explains what it asks for and breaks none of its own rules."""

from __future__ import annotations

import re
from collections import defaultdict
from importlib.resources import files
from itertools import pairwise

import pytest

from andon.domain.language import HANGUL, Language
from andon.roles.guides import NAMES, PHASES, Guide, guide, guides_of, parse
from andon.roles.library import PromptError

ALL = tuple(guide(name) for name in PHASES)
DOCUMENTS = tuple(each for each in ALL if each.document)
STEPS = tuple(each for each in ALL if each.phase != "verification")
VERIFICATIONS = guides_of("verification")
PLACEHOLDER = re.compile(r"(?i:\[insert[^\]]*\]|coming soon|to be defined)|\b(?:TODO|TBD)\b")
LINES = (40, 80)
CHARACTERS = (2500, 6000)


def named(each: Guide) -> str:
    return each.name


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+|\n", text)


def blocks(each: Guide) -> list[str]:
    """Its paragraphs, lists and tables; headings and the marks of code are no text of its own."""
    parts = (part.strip() for part in re.split(r"\n\s*\n", each.text))
    return [part for part in parts if not re.fullmatch(r"#+ .*|```\w*", part)]


def explained(each: Guide, en: str, ko: str) -> str:
    """What stands below a section's heading."""
    found = re.search(rf"^### {re.escape(en)} / {re.escape(ko)}\n(.*?)(?=^##|\Z)", each.text, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def test_G_32_the_guides_are_these_23() -> None:
    folder = files("andon.roles").joinpath("guides")

    shipped = {p.name: {e.name.removesuffix(".md") for e in p.iterdir()} for p in folder.iterdir() if p.is_dir()}

    assert shipped == {phase: set(names) for phase, names in NAMES.items()}
    assert [(phase, len(names)) for phase, names in NAMES.items()] == [
        *(("planning", 9), ("design", 5), ("development", 6), ("verification", 3))
    ]
    assert len(PHASES) == sum(map(len, NAMES.values())), "a name in two phases"


@pytest.mark.parametrize("phase", NAMES)
def test_G_32_the_guides_of_a_phase_come_in_the_order_of_its_steps(phase: str) -> None:
    found = guides_of(phase)

    assert all(a.name < b.name for a, b in pairwise(found))
    assert [each.path for each in found] == [f"/guide/{phase}/{each.name}.md" for each in found]


@pytest.mark.parametrize("each", [*guides_of("planning"), *guides_of("design")], ids=named)
def test_G_32_a_guide_of_documents_leads_to_the_document_of_its_name(each: Guide) -> None:
    assert each.document == f"docs/{each.phase}/{each.name}.md"
    assert len(each.sections) >= 4


@pytest.mark.parametrize("each", [*guides_of("development"), *VERIFICATIONS], ids=named)
def test_G_32_the_other_guides_lead_to_an_outcome(each: Guide) -> None:
    assert each.outcome
    assert each.document in (None, "README.md")


def test_G_32_together_the_guides_ask_for_the_five_parts_of_a_readme() -> None:
    asked = [heading for each in ALL if each.document == "README.md" for heading in each.headings(Language.EN)]

    assert sorted(asked) == ["Description", "Environment variables", "Installation", "Running", "Testing"]


@pytest.mark.parametrize("each", DOCUMENTS, ids=named)
def test_G_32_every_section_has_a_name_in_both_languages_and_is_explained(each: Guide) -> None:
    for section in each.sections:
        assert not re.search(f"[{HANGUL}]", section.en) and re.search(f"[{HANGUL}]", section.ko)
        assert len(explained(each, section.en, section.ko)) > 80, section.en

    for language in Language:
        assert len(set(each.headings(language))) == len(each.sections)
    assert len(re.findall(r"^### ", each.text, re.MULTILINE)) == len(each.sections)


@pytest.mark.parametrize("each", STEPS, ids=named)
def test_G_32_a_guide_shows_good_and_bad_and_says_what_is_measured_and_looked_at(each: Guide) -> None:
    assert re.search(r"^Good:", each.text, re.MULTILINE) and re.search(r"^Bad:", each.text, re.MULTILINE)
    for heading in ("How it agrees with the", "What verification measures by program", "What a reviewer looks at"):
        assert f"\n## {heading}" in each.text


@pytest.mark.parametrize("each", [*guides_of("planning"), *guides_of("design")], ids=named)
def test_G_32_a_guide_of_documents_names_the_least_length(each: Guide) -> None:
    measured = each.text.partition("## What verification measures by program")[2]

    assert "500 characters" in measured


@pytest.mark.parametrize("each", ALL, ids=named)
def test_G_32_a_placeholder_stands_only_where_it_is_forbidden(each: Guide) -> None:
    for sentence in sentences(each.text):
        assert not PLACEHOLDER.search(sentence) or "refused" in sentence, sentence


@pytest.mark.parametrize("each", ALL, ids=named)
def test_G_32_a_guide_is_one_page(each: Guide) -> None:
    source = files("andon.roles").joinpath("guides", each.phase, f"{each.name}.md").read_text(encoding="utf-8")

    assert LINES[0] <= len(source.splitlines()) <= LINES[1]
    assert CHARACTERS[0] <= len(source) <= CHARACTERS[1]


def test_G_32_no_two_guides_share_a_paragraph_or_a_line() -> None:
    used: defaultdict[str, set[str]] = defaultdict(set)
    for each in ALL:
        for block in blocks(each):
            used[block].add(each.name)
            for line in block.splitlines():
                if len(line) > 40 and not line.startswith("#"):
                    used[line.strip()].add(each.name)

    assert not {text: sorted(names) for text, names in used.items() if len(names) > 1}


@pytest.mark.parametrize("each", ALL, ids=named)
def test_G_32_a_guide_refers_only_to_guides_and_documents_that_exist(each: Guide) -> None:
    documents = {other.document for other in ALL}

    assert set(re.findall(r"\b0\d_[a-z_]+", each.text)) <= set(PHASES)
    assert set(re.findall(r"\bdocs/[\w/]+\.md", each.text)) <= documents
    assert each.text.count("```") % 2 == 0
    assert "{{" not in each.text, "a prompt would take it for a hole"


@pytest.mark.parametrize("each", VERIFICATIONS, ids=named)
def test_G_32_every_criterion_of_a_verification_is_explained_once(each: Guide) -> None:
    number = each.name[len("phase")]

    ids = [criterion.id for criterion in each.criteria]

    assert ids == [f"A{number}-{n:02}" for n in range(1, len(ids) + 1)]
    assert re.findall(r"^- \*\*(A\d-\d\d)\*\* .{40,}", each.text, re.MULTILINE) == ids
    assert set(re.findall(r"\bA\d-\d\d\b", each.text)) == set(ids)
    assert {criterion.weight for criterion in each.criteria} == {"critical", "remark"}


@pytest.mark.parametrize("each", VERIFICATIONS, ids=named)
def test_G_32_a_judge_is_told_that_it_can_only_veto_and_has_to_quote(each: Guide) -> None:
    for word in ("veto|stop the line and cannot start it|may not pass what failed", "quot", "file", "line", "`passed`"):
        assert re.search(word, each.text)


@pytest.mark.parametrize("each", STEPS, ids=named)
def test_G_32_only_verification_has_criteria(each: Guide) -> None:
    assert each.criteria == ()


@pytest.mark.parametrize("name", ["10_launch", "planning/01_idea", "../library/writer", ""])
def test_G_32_a_guide_that_does_not_exist_is_an_error(name: str) -> None:
    with pytest.raises(PromptError, match=re.escape(f"no guide named {name}")):
        guide(name)


def test_G_32_a_phase_without_guides_is_an_error() -> None:
    with pytest.raises(PromptError, match="analysis"):
        guides_of("analysis")


HEAD = "name: 01_idea\nphase: planning\n"
SECTIONS = "sections:\n  - {en: Idea, ko: 아이디어}\n"
WHOLE = f"{HEAD}document: docs/a.md\n{SECTIONS}"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("- a", "has no keys"),
        ("a: [", "is no YAML"),
        ("phase: planning", "name is None, not '01_idea'"),
        ("name: 01_idea\nphase: design", "phase is 'design', not 'planning'"),
        (f"{HEAD}sections: []", "neither a document nor an outcome"),
        (f"{HEAD}document: docs/a.md", "sections is no list"),
        (f"{HEAD}document: docs/a.md\nsections: []", "one without the other"),
        (f"{HEAD}outcome: code\n{SECTIONS}", "one without the other"),
        (f"{HEAD}document: 3\n{SECTIONS}", "document is no text"),
        (f"{HEAD}document: docs/a.md\nsections:\n  - Idea", "'Idea' is not made of ko, en"),
        (f"{HEAD}document: docs/a.md\nsections:\n  - {{en: Idea}}", "is not made of ko, en"),
        (f"{WHOLE}criteria:\n  - {{id: A1-01}}", "is not made of id, title, by, weight"),
        (f"{WHOLE}criteria:\n  - {{id: A1-01, title: x, by: luck, weight: critical}}", "A1-01 is measured by nobody"),
    ],
)
def test_G_32_a_malformed_guide_is_an_error_that_names_it(head: str, expected: str) -> None:
    with pytest.raises(PromptError, match=r"^guide 01_idea") as caught:
        parse(f"---\n{head}\n---\nText.\n", "01_idea", "planning")

    assert expected in str(caught.value)


def test_G_32_a_guide_needs_frontmatter_and_text() -> None:
    with pytest.raises(PromptError, match="no frontmatter"):
        parse("# Idea\n", "01_idea", "planning")
    with pytest.raises(PromptError, match="no text"):
        parse(f"---\n{WHOLE}---\n\n", "01_idea", "planning")
