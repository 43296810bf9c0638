"""What a workflow says about itself, in what order its parts work, and what is missing for it."""

from __future__ import annotations

import pytest

from andon.domain.teams.categories import CATEGORIES, main_categories, scores, team_id
from andon.domain.teams.graph import Cycle, direct, levels, mermaid, ordered
from andon.domain.teams.matching import matches
from andon.domain.teams.resources import Inventory, Server, Transport
from andon.domain.teams.routing import LONG, OPUS, Place, model_for, routed, worker_model
from andon.domain.teams.units import AgentType, Unit, described, references, slug


def unit(title: str, body: str = "", parent: str = "", id: str = "") -> Unit:
    return described(Unit(id or slug(title), title, 3 if parent else 2, 1, body, parent))


def test_B_18_every_kind_of_tool_reference_is_told_apart() -> None:
    calls, mcp = references(
        'mcp__obsidian__create_note, Bash("ls") Read(x) Write(x) Glob(x) Grep(x) Task(x) TeamCreate(x) SendMessage(x) '
        "AskUserQuestion(x) — but not Overwrite(x) or Reading"
    )

    assert calls == (
        *("Bash", "Read", "Write", "Glob", "Grep", "Task", "TeamCreate", "SendMessage", "AskUserQuestion"),
    )
    assert [str(each) for each in mcp] == ["mcp__obsidian__create_note"]


@pytest.mark.parametrize(
    ("body", "inputs", "outputs"),
    [
        ("입력: a\n산출물: b", ("a",), ("b",)),
        ("- **inputs**: `notes.md`, topic\n- **outputs:** report.md", ("notes.md", "topic"), ("report.md",)),
        ("Outputs: [x, y]\n출력: z", (), ("x", "y", "z")),
        ("The inputs are many: nothing here", (), ()),
    ],
)
def test_B_19_inputs_and_outputs_in_both_languages(
    body: str, inputs: tuple[str, ...], outputs: tuple[str, ...]
) -> None:
    found = unit("Step", body)

    assert (found.inputs, found.outputs) == (inputs, outputs)


@pytest.mark.parametrize(
    ("body", "sequential", "parallel"),
    [
        ("STEP 1 완료 후 진행", True, False),
        ("분석 이후", True, False),
        ("blockedBy: [search]", True, False),
        ("셋을 병렬로", False, True),
        ("동시에 실행", False, True),
        ("run in parallel", False, True),
        ("unparalleled", False, False),
    ],
)
def test_B_20_words_for_one_after_the_other_and_side_by_side(body: str, sequential: bool, parallel: bool) -> None:
    found = unit("Step", body)

    assert (found.sequential, found.parallel) == (sequential, parallel)


KNOWLEDGE = (
    unit("STEP 0 (환경확인)"),
    unit("STEP 1 (선호수집)", "AskUserQuestion(preferences)"),
    unit("STEP 2 (복잡도판정)"),
    unit("STEP 3 (팀구성)", "병렬로 실행한다", id="step-3"),
    unit("graph-navigator", "Grep(links)", "step-3"),
    unit("retrieval-specialist", "Grep(words)", "step-3"),
    unit("deep-reader", "Read(notes)", "step-3"),
    unit("STEP 4 (결과수집)"),
    unit("STEP 5 (노트생성)", "Write(note)"),
    unit("STEP 6 (연결강화)", "Edit(note)"),
)


def test_B_21_S_13_the_example_is_a_chain_with_three_side_by_side_at_step_three() -> None:
    found = ordered(KNOWLEDGE)

    groups = levels(found)
    names = [[next(each.title for each in found if each.id == id) for id in level] for level in groups]
    assert [level[0] for level in names if len(level) == 1] == [
        f"STEP {n} {word}"
        for n, word in enumerate(
            ["(환경확인)", "(선호수집)", "(복잡도판정)", "(팀구성)", "(결과수집)", "(노트생성)", "(연결강화)"]
        )
    ]
    assert names[4] == ["graph-navigator", "retrieval-specialist", "deep-reader"]
    picture = mermaid(found)
    assert picture.startswith("flowchart TD") and picture.count("-->") == 3 + 3 + 1 + 1 + 1 + 1 + 1 + 1 - 1


def test_B_21_a_circle_is_an_error_that_names_it() -> None:
    units = (unit("A", "inputs: y\noutputs: x"), unit("B", "inputs: x\noutputs: y"))

    with pytest.raises(Cycle) as error:
        ordered(units)
    assert set(error.value.names) == {"a", "b"}


def test_B_21_a_step_that_goes_by_its_number_waits_for_every_step_before_it() -> None:
    made = ordered(
        [
            unit("1. Collect", "outputs: changes", id="collect"),
            unit("2. Write the notes", "inputs: changes", id="notes"),
            unit("3. Draw", "inputs: changes", id="draw"),
            unit("4. Ask for a go", "AskUserQuestion(go?)", id="ask"),
            unit("5. Publish", "", id="publish"),
            unit("Appendix", "inputs: changes", id="appendix"),
        ]
    )

    assert direct(made)["ask"] == ("notes", "draw") and direct(made)["publish"] == ("ask",)


def test_B_21_what_comes_after_a_step_is_not_waited_for_by_it() -> None:
    late = unit("2. Check", "blockedBy: [Step 4]", id="late")
    made = ordered([unit("1. Begin"), late, unit("3. Go on", "inputs: x"), unit("4. End", "", id="end")])

    assert direct(made)["late"] == ("end",) and direct(made)["end"] == ("1-begin", "3-go-on")


def test_B_22_who_writes_the_same_file_comes_one_after_the_other() -> None:
    units = ordered((unit("Draft", "outputs: notes.md"), unit("Polish", "outputs: notes.md")))

    assert levels(units) == (("draft",), ("polish",))


def test_B_22_two_searches_share_a_level_and_what_joins_them_comes_after_both() -> None:
    units = ordered((unit("Search the web", "Grep(x)"), unit("Search the vault", "Read(x)"), unit("Merge results")))

    assert levels(units) == (("search-the-web", "search-the-vault"), ("merge-results",))


def test_B_21_data_that_one_makes_and_another_takes_is_an_edge() -> None:
    units = ordered(
        (unit("Report", "inputs: figures"), unit("Count", "outputs: figures"), unit("Other", "inputs: url"))
    )

    assert levels(units) == (("count", "other"), ("report",))
    assert direct(units) == {"report": ("count",), "count": (), "other": ()}


# --- kinds ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [each.name for each in CATEGORIES])
def test_B_29_a_text_of_one_category_belongs_to_it(name: str) -> None:
    [category] = [each for each in CATEGORIES if each.name == name]

    assert main_categories(" ".join(category.words)) == (name,)
    assert category.example.startswith(category.prefix) and team_id(name, "x") == f"{category.prefix}.x"


def test_B_30_B_31_G_09_the_strongest_counts_and_those_near_to_it() -> None:
    assert main_categories("crawl scrape fetch, then lint")[0] == "Ingest"
    assert main_categories("nothing of the kind") == ("custom",)
    assert main_categories("crawl " * 5 + "summarize " * 5) == ("Ingest", "Analyze")
    assert main_categories("crawl " * 10 + "summarize") == ("Ingest",)
    assert main_categories("crawl " * 10 + "summarize " * 6) == ("Ingest", "Analyze")


def test_B_30_words_are_found_in_their_forms_and_not_inside_others() -> None:
    assert scores("Scraping, scraped, scrapers; crawling; tagged tags; tagging") == {"Ingest": 4, "Analyze": 3}
    assert scores("guide build unlogged weblog eventually rankle") == {}


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("Decide on the architecture", "opus"),
        ("Integration of the results", "opus"),
        ("high-risk refactoring", "opus"),
        ("reach consensus", "opus"),
        ("implementation plan", "sonnet"),
        ("refactor step by step", "sonnet"),
        ("write tests", "sonnet"),
        ("a script for it", "sonnet"),
        ("label the notes", "haiku"),
        ("classification of mails", "haiku"),
        ("triage", "haiku"),
        ("a small transformation", "haiku"),
        ("read it", None),
    ],
)
def test_B_27_work_is_routed_by_its_kind(text: str, model: str | None) -> None:
    assert routed(text) == model


def test_B_28_places_have_their_models_and_the_leads_is_fixed() -> None:
    assert model_for(Place.LEAD, AgentType.PLAN, long=True, risky=True) == "opus[1m]"
    assert model_for(Place.CATEGORY_LEAD) == "sonnet"
    assert model_for(Place.CATEGORY_LEAD, long=True) == LONG == "sonnet[1m]"
    assert model_for(Place.WORKER, AgentType.EXPLORE) == "haiku"
    assert model_for(Place.WORKER, AgentType.GENERAL) == "sonnet"
    assert model_for(Place.WORKER, long=True) == "sonnet[1m]"
    assert model_for(Place.WORKER, risky=True) == OPUS


@pytest.mark.parametrize(
    ("text", "type", "long", "model"),
    [
        ("read it", AgentType.EXPLORE, False, "haiku"),
        ("look through the tests", AgentType.EXPLORE, False, "sonnet"),
        ("label and save them", AgentType.GENERAL, False, "sonnet"),
        ("plan the next steps", AgentType.PLAN, False, "sonnet"),
        ("plan the classification", AgentType.PLAN, False, "sonnet"),
        ("design the architecture", AgentType.PLAN, True, "opus"),
        ("label them", AgentType.EXPLORE, True, "sonnet[1m]"),
    ],
)
def test_B_27_B_28_a_worker_gets_what_its_work_asks_for_and_not_less_than_its_place_needs(
    text: str, type: AgentType, long: bool, model: str
) -> None:
    assert worker_model(text, type, long=long) == model


def test_B_25_B_26_X_22_planning_reading_and_writing_units_get_their_agents() -> None:
    plan, search, write = unit("Design the schema", "Read(x)"), unit("Search", "Grep(x)"), unit("Save", "Write(x)")

    assert (plan.type, search.type, write.type) == (AgentType.PLAN, AgentType.EXPLORE, AgentType.GENERAL)
    assert plan.allowed == ("Read", "Glob", "Grep")
    assert unit("Look up", "mcp__obsidian__search_vault").allowed == ("Read", "Glob", "Grep", "ToolSearch")
    assert unit("Note", "mcp__obsidian__create_note").allowed[-1] == "mcp__obsidian__create_note"


def test_B_23_B_24_what_is_needed_is_matched_and_what_is_missing_says_how_to_get_it() -> None:
    units = (unit("Note", "mcp__obsidian__create_note"), unit("Draw", "mcp__drawio__create_new_diagram"))
    inventory = Inventory(servers=(Server("obsidian", Transport.STDIO, "vault", "project", "npx"),))

    found = matches(units, "", inventory)

    assert [(each.needed, each.available, each.path) for each in found] == [
        ("obsidian", True, "obsidian MCP"),
        ("drawio", False, "none"),
    ]
    assert found[0].missing == "" and "drawio" in found[1].missing
