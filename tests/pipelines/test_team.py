"""The team as the journal tells it: who was started, when, with what, and how each teammate's time on it ended."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from andon.domain.auto.artefacts import design_path
from andon.domain.auto.messages import Completed, read_implementation
from andon.domain.auto.mode import post_of
from andon.domain.journal import Entry

TEAM_EVENTS = {
    *("team_created", "task_created", "spawn", "message", "result", "task_update", "shutdown_request", "team_deleted"),
}
LIGHT_RUNS = ("green", "mended", "lying", "short-plan", "no-risks", "failing", "options", "korean")
HIGHER_RUNS = ("standard", "search", "many-files", "forced", "big", "short-of-it")
WHOLE_RUNS = (*LIGHT_RUNS, *HIGHER_RUNS)
MODELS = {
    "doc-analyst": "haiku",
    "issue-analyst": "haiku",
    "planner": "haiku",
    "executor": "sonnet",
    "qa-runner": "",
    "verifier": "sonnet",
    "reporter": "haiku",
}


def who(entry: Entry) -> str:
    return str(entry.data.get("name") or entry.data.get("recipient"))


def turns(told: Any) -> dict[str, list[list[str]]]:
    """By teammate: the kinds of its events, one list for each task it was given."""
    found: dict[str, list[list[str]]] = {}
    for entry in told.journal:
        if entry.kind in TEAM_EVENTS and "team" not in entry.data and entry.data.get("recipient") != "lead":
            mine = found.setdefault(who(entry), [])
            if entry.kind == "task_created":
                mine.append([])
            mine[-1].append(entry.kind)
    return found


def test_X_08_X_09_no_prompt_calls_a_skill_and_no_loop_state_is_kept(story: Callable[..., Any]) -> None:
    told = story("green")

    assert not [prompt for prompt in told.prompts.values() if re.search(r"Skill\(|/(?:ralph|ultra\w+)", prompt)]
    assert not list(told.repository.rglob("*ralph*")) and not list(told.repository.rglob("*ultrawork*"))


@pytest.mark.parametrize("name", WHOLE_RUNS)
def test_A_11_one_team_from_the_beginning_to_the_end(story: Callable[..., Any], name: str) -> None:
    told = story(name)

    events = [entry for entry in told.journal if entry.kind in TEAM_EVENTS]

    assert [entry.kind for entry in events if "team" in entry.data] == ["team_created", "team_deleted"]
    assert events[0].kind == "team_created" and events[-1].kind == "team_deleted"
    assert {events[0].data["team"], events[-1].data["team"]} == {f"pdca-{told.row.feature}"}


@pytest.mark.parametrize("name", WHOLE_RUNS)
def test_A_12_A_14_every_task_is_given_started_answered_updated_and_closed(
    story: Callable[..., Any], name: str
) -> None:
    told = story(name)

    whole = re.compile(r"task_created( spawn message)+ result task_update shutdown_request")
    broken = {mate: t for mate, each in turns(told).items() for t in each if not whole.fullmatch(" ".join(t))}

    assert broken == {}


def test_A_14_a_finished_planner_has_one_task_and_it_is_completed(story: Callable[..., Any]) -> None:
    told = story("green")

    assert len(told.of("task_created", name="planner")) == 1
    assert [e.data["status"] for e in told.of("task_update", name="planner")] == ["completed"]


@pytest.mark.parametrize("name", LIGHT_RUNS)
def test_A_13_every_name_has_a_place_on_the_team(story: Callable[..., Any], name: str) -> None:
    told = story(name)

    assert told.spawned
    assert [post_of(each) for each in told.spawned] == told.spawned  # LIGHT has no numbered places


@pytest.mark.parametrize("name", [*HIGHER_RUNS, "heavy"])
def test_A_13_numbered_places_are_filled_in_order(story: Callable[..., Any], name: str) -> None:
    told = story(name)

    by_place: dict[str, list[str]] = {}
    for each in dict.fromkeys(told.spawned):
        by_place.setdefault(post_of(each), []).append(each)  # raises for a name without a place

    for place, names in by_place.items():
        if place.endswith("-{i}"):
            assert names == [place.replace("{i}", str(number)) for number in range(1, len(names) + 1)]


def test_A_15_the_lead_is_told_once_and_asks_nobody_in_the_meantime(story: Callable[..., Any]) -> None:
    told = story("green")

    [started] = told.of("message", recipient="executor")
    [answered] = told.of("result", name="executor")

    meanwhile = [entry.kind for entry in told.journal if started.seq < entry.seq < answered.seq]
    assert meanwhile == ["violation"]  # andon's own note; the Lead neither asks nor is asked


@pytest.mark.parametrize("name", WHOLE_RUNS)
def test_A_16_the_next_is_spawned_when_the_one_before_is_shut_down(story: Callable[..., Any], name: str) -> None:
    told = story(name)
    scouts = {"doc-analyst", "issue-analyst"}

    at_work: set[str] = set()
    overlaps: list[tuple[str, set[str]]] = []
    for entry in told.journal:
        if entry.kind == "task_created":
            if at_work and not at_work | {who(entry)} <= scouts:
                overlaps.append((who(entry), set(at_work)))
            at_work.add(who(entry))
        elif entry.kind == "shutdown_request":
            at_work.discard(who(entry))

    assert overlaps == [] and at_work == set()


def test_A_17_A_36_the_scouts_work_side_by_side(story: Callable[..., Any]) -> None:
    told = story("green")

    spawned = [e.seq for e in told.of("spawn") if e.data["role"] == "explore"]
    shut_down = [e.seq for e in told.of("shutdown_request") if e.data["recipient"].endswith("-analyst")]

    assert len(spawned) == 2
    assert max(spawned) < min(shut_down)


def test_A_18_the_lead_gets_the_last_word_of_a_teammate_and_nothing_before(story: Callable[..., Any]) -> None:
    told = story("green")
    thought = "is a heap quicker?"

    [order] = [
        told.home / "runs" / e.run / "orders" / e.data["instance"].partition("/")[2]
        for e in told.of("spawn", name="executor")
    ]
    assert thought in (order / "stdout").read_text()  # it was said

    assert len(told.of("result", name="executor")) == 1
    assert not [entry for entry in told.journal if thought in str(entry.data)]


@pytest.mark.parametrize("name", WHOLE_RUNS)
def test_A_19_every_prompt_begins_with_its_phase(story: Callable[..., Any], name: str) -> None:
    told = story(name)

    numbers = {"plan": "1", "design": "2", "do": "3", "check": "4", "act": "5"}
    others = {"gap-checker": r"\[Gap Analysis\]", "iterator": r"\[Gap Improvement\]"}
    wrong = [
        entry.data["prompt"].splitlines()[0]
        for entry in told.of("spawn")
        if not re.match(
            others.get(entry.data["name"], rf"\[Phase {numbers[entry.phase]} [^\]]+\]"), entry.data["prompt"]
        )
    ]

    assert wrong == []


def test_A_20_E_04_a_request_for_another_agent_is_refused_and_told(story: Callable[..., Any]) -> None:
    told = story("green")

    [violation] = told.of("violation", name="executor")
    assert violation.data["detail"] == "asked for another agent: executor; refused, nobody is started for an agent"
    [answered] = told.of("result", name="executor")
    assert answered.data["outcome"] == "done"  # its own work counts
    assert "asked for another agent" in told.andon("logs", "--kind", "violation").stdout
    orders = list((told.home / "runs" / told.row.id / "orders").iterdir())
    assert len(orders) == len([e for e in told.of("spawn") if e.data["model"]])
    assert not any((order / "git").exists() for order in orders)  # each as big as the project, and of no use any more


@pytest.mark.parametrize("name", WHOLE_RUNS)
def test_A_21_a_teammate_stays_until_the_lead_sends_it_home(story: Callable[..., Any], name: str) -> None:
    told = story(name)
    [dissolved] = told.of("team_deleted")

    for result in told.of("result"):
        mate = result.data["name"]
        sent_home = [e.seq for e in told.of("shutdown_request", recipient=mate) if e.seq > result.seq]
        assert sent_home and sent_home[0] < dissolved.seq, mate
        afterwards = [e.kind for e in told.journal if e.seq > sent_home[0] and e.kind in TEAM_EVENTS and who(e) == mate]
        assert afterwards[:1] in ([], ["task_created"]), mate


def test_A_21_a_teammate_whose_program_ends_is_still_on_the_team(story: Callable[..., Any]) -> None:
    told = story("failing")

    [crashed] = told.of("teammate_failed", name="doc-analyst")
    [second] = [e for e in told.of("spawn", name="doc-analyst") if e.seq > crashed.seq]
    [sent_home] = told.of("shutdown_request", recipient="doc-analyst")

    assert (second.data["attempt"], second.data["prompt"]) == (
        2,
        told.of("spawn", name="doc-analyst")[0].data["prompt"],
    )
    assert crashed.seq < second.seq < sent_home.seq


def test_A_22_E_03_the_architect_is_refused_by_the_kernel(story: Callable[..., Any]) -> None:
    told = story("green")

    tried = told.tools("verifier")

    assert [tool["ok"] for tool in tried] == [False, False]
    assert all("Read-only file system" in tool["error"] for tool in tried)
    assert [e.data["detail"] for e in told.of("violation", name="verifier")] == [
        "tried to edit src/tally/__init__.py; refused: Read-only file system",
        "tried to write docs/02-design/mine.design.md; refused: Read-only file system",
    ]
    changed = told.git("diff", "--name-only", f"{told.row.spec['base']}..{told.row.branch}").splitlines()
    assert not [path for path in changed if path.startswith("docs/02-design/")]
    assert design_path(told.row.feature) not in changed


@pytest.mark.parametrize(
    ("name", "path"),
    [("doc-analyst", "README.md"), ("issue-analyst", "docs/issues.md"), ("planner", "src/tally/__init__.py")],
)
def test_E_03_who_only_reads_or_writes_one_document_can_write_nothing_else(
    story: Callable[..., Any], name: str, path: str
) -> None:
    told = story("green")

    [refused] = [tool for tool in told.tools(name) if tool["target"] == path]

    assert not refused["ok"] and "Read-only file system" in refused["error"]
    [violation] = told.of("violation", name=name)
    assert violation.data["detail"] == f"tried to write {path}; refused: Read-only file system"


def test_E_03_a_second_document_beside_the_one_asked_for_is_put_back(story: Callable[..., Any]) -> None:
    told = story("no-risks")

    [refused] = told.of("scope_refused", name="planner")
    assert "docs/01-plan/notes.md" in refused.data["detail"]
    assert "docs/01-plan/notes.md" not in told.git("ls-tree", "-r", "--name-only", told.row.branch)


def test_A_23_X_04_X_61_models_of_a_light_run(story: Callable[..., Any]) -> None:
    told = story("green")

    assert {entry.data["name"]: entry.data["model"] for entry in told.of("spawn")} == MODELS


def test_A_30_the_options_are_known_and_the_team_exists_before_anybody_is_spawned(story: Callable[..., Any]) -> None:
    told = story("green")

    [created] = told.of("team_created")
    assert created.data["options"]["worktree"] is False
    assert created.seq < told.of("spawn")[0].seq
    assert [entry.kind for entry in told.journal if entry.seq < created.seq] == ["run_started"]


def test_A_60_who_works_in_a_light_run_where_all_is_well(story: Callable[..., Any]) -> None:
    told = story("green")

    assert set(told.spawned[:2]) == {"doc-analyst", "issue-analyst"}
    assert told.spawned[2:] == ["planner", "executor", "qa-runner", "verifier", "reporter"]
    assert told.phases == ["plan", "do", "check", "act"]


def test_A_61_who_works_in_a_standard_run_where_all_is_well(story: Callable[..., Any]) -> None:
    told = story("standard")

    assert set(told.spawned[:2]) == {"doc-analyst", "issue-analyst"}
    assert told.spawned[2:] == [
        *("planner", "critic-lite", "design-writer", "impl-manager", "impl-verifier", "qa-runner-1"),
        *("verifier", "gap-checker", "quality-checker", "reporter"),
    ]
    assert told.phases == ["plan", "design", "do", "check", "act"] and told.ending["status"] == "done"


def test_A_62_S_03_who_works_in_a_heavy_run(story: Callable[..., Any]) -> None:
    told = story("heavy")

    rounds = [f"{name}-{number}" for number in (1, 2, 3) for name in ("planner", "arch", "critic")]
    assert told.spawned[2:12] == [*rounds, "design-writer"]
    assert set(told.spawned[12:14]) == {"impl-readers", "impl-writers"}
    assert told.spawned[14:] == [
        *("impl-verifier", "qa-runner-1", "verifier", "gap-checker", "quality-checker", "reporter"),
    ]


def test_G_01_S_10_with_eco_the_models_are_smaller(story: Callable[..., Any]) -> None:
    usual, eco = story("green"), story("options")

    def models(told: Any) -> dict[str, str]:
        return {entry.data["name"]: entry.data["model"] for entry in told.of("spawn")}

    assert models(usual)["executor"] == "sonnet" and models(usual)["verifier"] == "sonnet"
    assert models(eco)["executor"] == models(eco)["verifier"] == "haiku"


def test_S_03_the_heavy_run_as_written(story: Callable[..., Any]) -> None:
    told = story("heavy")

    [message] = told.of("message", recipient="lead")
    assert isinstance(read_implementation(message.data["content"]), Completed)
    report = told.document(f"docs/04-report/{told.row.feature}.report.md")
    parts = [line.removeprefix("## ") for line in report.splitlines() if line.startswith("## ")]
    assert len(parts) >= 5, parts
    assert "from agents.teams.writers import table" in told.document("src/agents/teams/research_team.py")
    assert told.document(f"docs/02-design/{told.row.feature}.design.md").startswith("# 설계")


def test_A_23_A_24_models_of_a_standard_run(story: Callable[..., Any]) -> None:
    told = story("standard")

    models = {entry.data["name"]: entry.data["model"] for entry in told.of("spawn")}
    assert {name for name, model in models.items() if model == "haiku"} == {"doc-analyst", "issue-analyst", "reporter"}
    assert models["qa-runner-1"] == ""  # andon itself
    assert {model for name, model in models.items() if name not in ("qa-runner-1",)} == {"haiku", "sonnet"}


def test_A_145_S_01_S_02_S_03_no_state_of_older_loops_is_left(story: Callable[..., Any]) -> None:
    for name in ("korean", "search", "heavy"):
        told = story(name)
        left = [path.name for path in told.left_behind() if re.search(r"ralph-|ultrawork", path.name)]
        assert left == []


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("korean", "README.md에 설치 방법 추가"),
        ("search", "lib/slack에 메시지 검색 기능 추가"),
        ("heavy", "src/agents/teams에 research_team.py 전면 리팩토링"),
    ],
)
def test_S_01_S_02_S_03_S_12_the_three_tasks_of_the_release_gate_end_well(
    story: Callable[..., Any], name: str, task: str
) -> None:
    told = story(name)

    mode = {"korean": "LIGHT", "search": "STANDARD", "heavy": "HEAVY"}[name]
    assert (told.row.task, told.row.mode) == (task, mode)
    assert (told.ending["status"], told.ending["reason"], told.first.code) == ("done", "goal_met", 0)
    assert told.status_file["phasesCompleted"] == ([1, 3, 4, 5] if mode == "LIGHT" else [1, 2, 3, 4, 5])
    assert f"docs/04-report/{told.row.feature}.report.md" in told.git(
        "ls-tree", "-r", "--name-only", "-z", told.row.branch
    )
    assert told.store.ledger.verify(told.row.id) == []
    assert not [prompt for prompt in told.prompts.values() if re.search(r"Skill\(|/(?:ralph|ultra\w+)", prompt)]


def test_E_20_whoever_judges_did_not_write(story: Callable[..., Any]) -> None:
    told = story("mended")

    instances = {(e.data["name"], e.data["instance"]) for e in told.of("spawn") if "instance" in e.data}
    authors = {instance for name, instance in instances if name in ("executor", "fixer", "planner")}
    judges = {instance for name, instance in instances if name == "verifier"}

    assert len(authors) == 3 and len(judges) == 2
    assert not authors & judges
