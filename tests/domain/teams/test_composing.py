"""A proposal out of a workflow: roles, models, ownership, prompts in six steps; and what a team must not be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from andon.domain.patterns import overlap
from andon.domain.teams.categories import CATEGORIES
from andon.domain.teams.composing import Circumstances, Proposal, Workflow, compose, requirements
from andon.domain.teams.graph import ordered
from andon.domain.teams.layers import Layer
from andon.domain.teams.matching import matches
from andon.domain.teams.panes import Mode, Panes
from andon.domain.teams.prompting import Role, detect_purpose, expand, prompt, quick_review, resolve_expert
from andon.domain.teams.resources import Inventory, Program, Server, Transport
from andon.domain.teams.routing import Place
from andon.domain.teams.tables import BUILT_IN, Expert
from andon.domain.teams.team import Team, problems
from andon.domain.teams.units import AgentType, Unit, described, slug

SCRAPER = Role(
    name="web_scraper",
    description="웹 페이지 크롤링 및 데이터 추출",
    tasks=("URL 목록에서 콘텐츠 수집",),
    type=AgentType.GENERAL,
    category="Ingest",
    team="km.ingest.web.standard",
)


def workflow(*parts: tuple[str, str], name: str = "knowledge", description: str = "") -> Workflow:
    units = ordered([described(Unit(slug(title), title, 2, 1, body)) for title, body in parts])
    text = "\n".join(f"## {title}\n{body}" for title, body in parts)
    return Workflow(name, description, f"{name}.md", text, units)


def proposed(found: Workflow, inventory: Inventory | None = None, request: str = "") -> Proposal:
    around = Circumstances(inventory or Inventory(), (), Panes(Mode.AUTO), request)
    return compose(found, around)


# --- prompts --------------------------------------------------------------------------------------------------------


def test_B_35_B_38_S_13_the_worked_example_goes_through_the_pipeline() -> None:
    found = prompt(SCRAPER)

    assert (found.purpose, found.domain) == ("agent/automation", "4.1 Tech/AI")
    assert found.expert == Expert("Martin Fowler", ("Microservices", "Event Sourcing"))
    assert found.expanded == (
        "Visit the URLs one by one",
        "Turn HTML into Markdown",
        "Go through every item of the input",
        "Try again up to 3 times on an error",
        "Report as JSON",
    )
    given = {step.number: step.given for step in found.steps}
    assert given["5-1"] == f"{SCRAPER.name} {SCRAPER.description}"
    assert given["5-2"].startswith(SCRAPER.tasks[0]) and given["5-3"] == SCRAPER.tasks[0]
    assert given["5-5"] == "general-purpose"


def test_B_36_a_purpose_alone_expands_a_task_too() -> None:
    assert expand("Read it", "analysis/research") == BUILT_IN.expansions["analysis/research"]


def test_B_36_whoever_writes_acts_and_whoever_reads_investigates() -> None:
    assert "<default_to_action>" in prompt(SCRAPER).text
    assert "<investigate_before_answering>" in prompt(replace(SCRAPER, type=AgentType.EXPLORE)).text
    assert "<default_to_action>" not in prompt(replace(SCRAPER, type=AgentType.PLAN)).text


def test_B_39_S_13_the_role_block_names_persona_frameworks_team_and_role() -> None:
    block = prompt(SCRAPER).text.partition("</role>")[0]

    assert all(
        word in block
        for word in ("Martin Fowler", "Microservices and Event Sourcing", "km.ingest.web.standard", "web_scraper")
    )


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda each: each.name)
def test_B_37_a_role_without_words_has_the_purpose_and_the_domain_of_its_category(category: object) -> None:
    [found] = [each for each in CATEGORIES if each is category]

    assert detect_purpose("x", found.name) == found.purpose
    assert resolve_expert("x", found.name)[0] == found.domain
    assert BUILT_IN.experts[found.domain].name in prompt(replace(SCRAPER, category=found.name)).text


def test_G_10_tables_can_be_replaced() -> None:
    tables = replace(BUILT_IN, experts={"4.1 Tech/AI": Expert("Grace Hopper", ("Compilers",))})

    assert "Grace Hopper would, with Compilers in mind" in prompt(SCRAPER, tables).text


def test_B_36_the_last_step_looks_at_all_roles_together() -> None:
    one = replace(SCRAPER, name="one", writes=("a.md",))
    two = replace(SCRAPER, name="two", writes=("a.md",))
    idle = replace(SCRAPER, name="idle", tasks=())

    found = quick_review((one, two, idle))

    assert [(each.reviewer, each.roles, each.blocks) for each in found] == [
        ("ownership", ("one", "two"), True),
        ("duplication", ("one", "two"), False),
        ("scope", ("idle",), True),
    ]


# --- teams ----------------------------------------------------------------------------------------------------------


def test_B_25_B_33_leads_workers_and_what_only_the_lead_does() -> None:
    team = proposed(
        workflow(
            ("Ask for preferences", "AskUserQuestion(topic)"),
            ("Crawl the web", "Grep(x)\noutputs: pages"),
            ("Summarize and tag", "inputs: pages\noutputs: notes.md\nWrite(notes.md)"),
            ("Save somewhere", "Write(what is not said)"),
        )
    ).team

    by = {work.id: work.member for work in team.works}
    assert by["ask-for-preferences"] == by["save-somewhere"] == "lead"
    assert by["crawl-the-web"] == "crawl-the-web" and by["summarize-and-tag"] == "summarize-and-tag"
    names = {member.name: (member.place, member.model, member.type.value) for member in team.members}
    assert names["lead"] == (Place.LEAD, "opus[1m]", "general-purpose")
    assert names["lead-ingest"] == (Place.CATEGORY_LEAD, "sonnet", "general-purpose")
    assert {"lead-ingest", "lead-analyze"} <= set(names)
    assert names["crawl-the-web"] == (Place.WORKER, "haiku", "Explore")
    assert names["summarize-and-tag"] == (Place.WORKER, "sonnet", "general-purpose")
    assert problems(team) == []


def test_B_26_B_27_who_plans_gets_more_than_who_only_reads() -> None:
    team = proposed(workflow(("Read the notes", "Grep(x)"), ("Design the schema", "Read(x)"))).team

    workers = {each.name: (each.type, each.model) for each in team.members if each.place is Place.WORKER}
    assert workers == {
        "read-the-notes": (AgentType.EXPLORE, "haiku"),
        "design-the-schema": (AgentType.PLAN, "sonnet"),
    }


def test_X_21_two_that_would_write_the_same_at_once_go_to_the_lead() -> None:
    both = [described(Unit(name, name, 2, 1, "outputs: same.md\nWrite(same.md)")) for name in ("one", "two")]
    found = Workflow("w", "", "w.md", "x", tuple(both))  # nothing orders them

    assert {work.member for work in proposed(found).team.works} == {"lead"}


def test_B_49_B_50_a_team_gets_its_memory_by_its_size_and_by_what_is_there() -> None:
    small = workflow(("Crawl", ""))
    server = Server("claude-mem", Transport.STDIO, "memory", "project", "npx")

    assert proposed(small).team.layers == (Layer.MARKDOWN,)
    assert proposed(small, request="시맨틱 검색이 필요하다").team.layers == (Layer.MARKDOWN, Layer.MCP)
    assert proposed(small, Inventory(servers=(server,))).team.layers == (Layer.MARKDOWN, Layer.MCP)


def test_B_54_the_loop_is_on_where_it_is_worth_it() -> None:
    assert proposed(workflow(("Research the market", "analysis"))).team.ralph.enabled
    assert not proposed(workflow(("Crawl everything", "batch"))).team.ralph.enabled


def test_B_34_what_is_missing_stands_where_it_belongs_with_servers_or_with_programs() -> None:
    found = workflow(
        *(("Read", "mcp__drawio__open mcp__obsidian__read_note mcp__claude-mem__search mcp__mine__look"),),
        *(("Convert", "marker_single a.pdf"), ("Look", "npx playwright screenshot")),
    )
    vault = Server("obsidian", Transport.STDIO, "vault", "project", "npx")
    tools = (Program("playwright", "browser automation", "1.0", "/bin/playwright"),)

    for programs in ((), tools):
        inventory = Inventory(servers=(vault,), programs=programs)
        made = replace(proposed(found), matches=matches(found.units, found.text, inventory))
        needs = requirements(made)

        assert needs.servers == ("drawio", "obsidian", "mine")
        assert needs.programs == ("playwright", "marker_single")
        assert needs.optional == ("claude-mem",)


def test_B_33_nobody_reviews_their_own_work() -> None:
    team = proposed(workflow(("Crawl the web", ""), ("Save it", "Write(x)"))).team

    for work in team.works:
        reviewer = team.reviewer_of(work)
        assert reviewer is not None and reviewer.name != work.member
    crawl, _ = team.works
    alone = replace(team, members=tuple(each for each in team.members if each.place is not Place.CATEGORY_LEAD))

    def reviewer(of: Team, member: str) -> str:
        found = of.reviewer_of(replace(crawl, member=member))
        return found.name if found else ""

    assert reviewer(team, "lead-ingest") == "lead" and reviewer(team, "lead") == "lead-ingest"
    assert reviewer(alone, crawl.member) == "lead" and reviewer(alone, "lead") == ""


def test_B_32_what_keeps_a_team_from_working_is_told_each_in_a_sentence() -> None:
    team = proposed(workflow(("Crawl the web", ""), ("Tag them", "outputs: tags.md"))).team
    crawl, tag = team.works
    broken = replace(
        team,
        works=(
            replace(crawl, after=("tag-them", "nobody"), writes=("tags.md",), asks=True),
            replace(tag, after=("crawl-the-web",), member="ghost"),
        ),
        ralph=replace(team.ralph, max_iterations=11),
    )

    assert problems(broken) == [
        "crawl-the-web asks a person: only the lead does that",
        "crawl-the-web writes, and crawl-the-web is Explore, which only reads",
        "crawl-the-web waits for nobody, which there is not",
        "tag-them: there is no member ghost",
        "These wait for each other: crawl-the-web, tag-them",
        "ralph: max_iterations is 11: it goes from 1 to 10",
    ]
    apart = replace(team, works=(replace(crawl, writes=("docs/",)), replace(tag, writes=("docs/a.md",), after=())))
    assert problems(apart)[-1] == "crawl-the-web and tag-them may both write docs/ at the same time"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("a.md", "a.md", True),
        ("docs/", "docs/a.md", True),
        ("docs/**", "docs/b", True),
        (".", "x", True),
        ("docs", "docs2", False),
        ("a.md", "b.md", False),
    ],
)
def test_X_21_scopes_overlap_by_folders(one: str, other: str, expected: bool) -> None:
    assert overlap(one, other) is overlap(other, one) is expected
