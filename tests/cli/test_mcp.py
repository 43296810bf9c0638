"""`andon mcp` as a program meets it: the protocol's own client, over standard input and output."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp import Client, StdioServerParameters

from andon.app.demo import make_sample
from andon.app.queries import open_store
from andon.app.tasks import Verdict, decide, task_of

SECONDS = 90.0
STORY = Path(__file__).parents[1] / "pipelines" / "stories" / "task-modify.yaml"
LOOKING = {
    *("list_runs", "show_run", "wait_for_run", "read_journal", "list_evidence", "show_evidence"),
    *("list_questions", "list_tasks", "show_task", "search_memory"),
}
ACTING = {"start_auto", "start_uam", "start_task", "start_team", "answer_question", "resume_run"}
ENDING = {"stop_run", "decide_review"}
Talk = Callable[[Client], Awaitable[Any]]


def talk(person: Any, words: Talk, **more: str) -> Any:
    """Start `andon mcp` as its clients do, and say `words` to it."""
    environment = person.environment({"ANDON_SCENARIO": str(person.scenario), "ANDON_RUNTIME": "scripted", **more})
    program = StdioServerParameters(
        command=sys.executable, args=["-m", "andon", "mcp"], env=environment, cwd=person.repository
    )

    async def spoken() -> Any:
        async with asyncio.timeout(SECONDS), Client(program) as client:
            return await words(client)

    return asyncio.run(spoken())


async def said(client: Client, tool: str, **given: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, given)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


async def refused(client: Client, tool: str, **given: Any) -> dict[str, str]:
    result = await client.call_tool(tool, given)
    assert result.is_error and result.structured_content == json.loads(result.content[0].text)
    return result.structured_content


def test_every_tool_says_what_it_does_and_whether_it_only_looks(person: Any) -> None:
    tools = talk(person, lambda client: client.list_tools()).tools

    assert {each.name for each in tools} == LOOKING | ACTING | ENDING
    assert all(each.description for each in tools)
    assert {each.name for each in tools if each.annotations.read_only_hint} == LOOKING
    assert {each.name for each in tools if each.annotations.destructive_hint} == ENDING


def test_a_program_starts_a_run_waits_for_its_end_and_reads_what_was_measured(person: Any) -> None:
    async def words(client: Client) -> None:
        started = await said(client, "start_auto", task="greet", repository=str(person.repository))
        ended = await said(client, "wait_for_run", run=started["run"], seconds=80)
        assert ended["resting"] and ended["run"]["status"] == "done", ended

        assert [run["id"] for run in (await said(client, "list_runs"))["runs"]] == [started["run"]]
        shown = await said(client, "show_run", run=started["run"][:4])
        assert shown["branch"] == started["branch"] == "feat/greet"

        first = await said(client, "read_journal", run=started["run"], limit=3)
        assert [entry["seq"] for entry in first["entries"]] == [1, 2, 3] and first["next_after"] == 3
        rest = await said(client, "read_journal", run=started["run"], after=3, limit=500)
        assert rest["entries"][0]["seq"] == 4 and rest["next_after"] is None
        kinds = await said(client, "read_journal", run=started["run"], kinds=["run_ended"])
        assert [entry["kind"] for entry in kinds["entries"]] == ["run_ended"]

        [*_, last] = (await said(client, "list_evidence", run=started["run"]))["evidence"]
        record = await said(client, "show_evidence", run=started["run"], number=last["number"])
        assert record["statement"]["predicate"]["goal"] == last["goal"]

    talk(person, words)
    assert "good day" in person.git("show", "feat/greet:a.txt")


TEAM = """team: custom.notes
name: Notes
members:
- {name: lead, place: lead, model: opus, type: general-purpose}
- {name: writer, model: sonnet, type: general-purpose}
units: [{id: one, title: First note, member: writer, outputs: [notes/one.md], writes: [notes/one.md]}]
"""
WRITER = {
    "match": {"name": "writer"},
    "do": [{"write": {"path": "notes/one.md", "text": "# One\n"}}],
    "reply": {
        "status": "DONE",
        "summary": "Wrote one",
        "items": [{"item": "notes/one.md", "analysis": "A", "sources": []}],
    },
}


def test_B_57_B_40_a_program_lets_a_team_work_and_looks_what_the_project_remembers(person: Any, tmp_path: Path) -> None:
    (person.repository / "team.yaml").write_text(TEAM)
    scenario = tmp_path / "team-scenario.yaml"
    scenario.write_text(yaml.safe_dump({"scenario": 1, "rules": [WRITER]}))
    repository = str(person.repository)

    async def words(client: Client) -> None:
        outside = await refused(client, "start_team", repository=repository, file="../team.yaml")
        assert outside["error"] == "usage"
        started = await said(client, "start_team", repository=repository, budget_tokens=1_000_000)
        assert started["pipeline"] == "team"
        ended = await said(client, "wait_for_run", run=started["run"], seconds=80)
        assert ended["run"]["status"] == "done", ended
        found = await said(client, "search_memory", words="Wrote one", repository=repository)
        assert any("Wrote one" in hit["text"] and hit["layer"] == "markdown" for hit in found["hits"]), found

    talk(person, words, ANDON_SCENARIO=str(scenario))


def test_problems_have_a_kind_a_message_and_a_hint(person: Any) -> None:
    (person.repository / "a.txt").write_text("dirty\n")

    async def words(client: Client) -> list[dict[str, str]]:
        return [
            await refused(client, "show_run", run="zzzz"),
            await refused(client, "start_auto", task="greet", repository=str(person.repository)),
            await refused(client, "start_auto", task="  ", repository=str(person.repository)),
            await refused(client, "answer_question", question="zzzz", answer="yes"),
            await refused(client, "start_task", text="Add a thing", repository="/nowhere", type="modify_app"),
        ]

    unknown, dirty, empty, nobody, nowhere = talk(person, words)
    assert (unknown["error"], unknown["message"]) == ("usage", "No run zzzz") and "andon runs" in unknown["hint"]
    assert "uncommitted changes" in dirty["message"] and dirty["hint"]
    assert empty["message"] == "Say what to do" and "No open question" in nobody["message"] and nowhere["message"]


def test_a_run_is_stopped_and_goes_on_with_a_direction(person: Any) -> None:
    async def words(client: Client) -> str:
        started = await said(client, "start_auto", task="greet", repository=str(person.repository))
        run = started["run"]
        await said(client, "stop_run", run=run)
        stopped = await said(client, "wait_for_run", run=run, seconds=60)
        assert stopped["run"]["status"] == "stopped"
        assert (await refused(client, "resume_run", run=run, direction=" "))["message"] == "The direction says nothing"
        await said(client, "resume_run", run=run, direction="Say good day")
        again = await said(client, "wait_for_run", run=run, seconds=60)
        assert again["resting"] and again["run"]["status"] == "done"
        return run

    run = talk(person, words)
    directed = [entry for entry in person.journal() if entry["kind"] == "directed"]
    assert directed[0]["data"]["text"] == "Say good day" and directed[0]["data"]["by"].startswith("mcp:")
    assert person.runs()[0]["id"] == run


@pytest.fixture
def waiting(person: Any) -> Any:
    """A person with a task whose first phase waits for its review; started by a program."""
    (person.folder / "sample").mkdir()
    person.repository = make_sample(person.folder / "sample")
    rules = yaml.safe_load(STORY.read_text())["rules"]
    person.scenario.write_text(json.dumps({"scenario": 1, "rules": rules}))
    return person


async def _reviewed(client: Client, person: Any) -> dict[str, Any]:
    started = await said(client, "start_task", text="Count words", repository=str(person.repository), type="modify_app")
    await said(client, "wait_for_run", run=started["run"], seconds=80)
    return await said(client, "show_task", task=started["run"])


def test_D_75_a_program_sees_the_review_and_leaves_it_to_a_person(waiting: Any) -> None:
    async def words(client: Client) -> str:
        task = await _reviewed(client, waiting)
        assert task["state"] == "review" and task["review"]["version"] == 1 and task["verification"]["passed"]
        [question] = (await said(client, "list_questions"))["questions"]
        assert question["category"] == "review"
        no = await refused(client, "decide_review", task=task["id"], approve=True, version=1)
        assert no["error"] == "not_allowed" and "a person decides" in no["message"] and "mcp.may_decide" in no["hint"]
        other = await refused(client, "answer_question", question=question["id"], answer="approved")
        assert "A review is decided" in other["message"]
        with waiting.store() as store:  # the person
            found = task_of(store, store.runs.get(task["id"]))
            assert found.pending is not None and found.pending.decided_by == ""
            decide(store, found, Verdict(True, "ada"))
        await _until_phase(client, task["id"], 2)
        await said(client, "stop_run", run=task["id"])
        await said(client, "wait_for_run", run=task["id"], seconds=60)
        return task["id"]

    talk(waiting, words)
    with waiting.store() as store:
        assert next(each.decided_by for each in store.reviews.all()) == "ada"


async def _until_phase(client: Client, task: str, phase: int) -> None:
    while True:  # within the deadline of the talk
        found = await said(client, "show_task", task=task)
        if found["phase"] == phase and found["review"]:
            return
        await said(client, "wait_for_run", run=task, seconds=1)
        await asyncio.sleep(0.2)


def test_D_75_where_the_settings_allow_it_a_program_decides_in_its_own_name(waiting: Any) -> None:
    async def words(client: Client) -> None:
        task = await _reviewed(client, waiting)
        stale = await refused(client, "decide_review", task=task["id"], approve=True, version=7)
        assert stale["error"] == "conflict"
        decided = await said(client, "decide_review", task=task["id"], approve=True, version=1)
        assert (decided["status"], decided["phase"]) == ("approved", 1)
        await _until_phase(client, task["id"], 2)
        await said(client, "stop_run", run=task["id"])
        await said(client, "wait_for_run", run=task["id"], seconds=60)

    talk(waiting, words, ANDON_MCP_MAY_DECIDE="true", USER="ada")
    with waiting.store() as store:
        assert next(each.decided_by for each in store.reviews.all()) == "mcp:ada"


def test_what_only_a_person_can_vouch_for_no_program_answers(person: Any) -> None:
    with person.store() as store:
        common = {"pipeline": "uam", "task": "t", "feature": "f", "repository": str(person.repository), "branch": "b"}
        store.runs.create("r1", {**common, "spec": {}, "status": "waiting"})
    store = open_store(person.environment())
    lock = store.lock("r1")
    assert lock.acquire()
    try:
        _ask(store)
        told = talk(person, lambda client: refused(client, "answer_question", question="r1/1.7", answer="confirmed"))
        allowed = talk(person, lambda client: said(client, "answer_question", question="r1/1.8", answer="1"))
    finally:
        lock.release()
    assert told["error"] == "not_allowed" and "andon answer r1/1.7" in told["hint"]
    assert allowed["answer"] == "one"


def _ask(store: Any) -> None:
    from andon.domain.order import Question

    store.holds.open("r1/1.7", "r1", Question("Is the page pretty?", ("confirmed", "no"), category="human"))
    store.holds.open("r1/1.8", "r1", Question("Which?", ("one", "two"), category="choice"))


def test_a_call_that_cannot_be_served_is_told_as_an_object_whatever_is_wrong_with_it(person: Any) -> None:
    async def words(client: Client) -> list[dict[str, str]]:
        return [
            await refused(client, "show_run"),
            await refused(client, "start_uam", task="x", repository=str(person.repository), kind="zzz"),
            await refused(client, "list_runs", repo=str(person.repository)),
            await refused(client, "list_everything"),
            await refused(client, "search_memory", words="x", repository="/nonexistent"),
        ]

    missing, kind, argument, tool, folder = talk(person, words)

    assert {each["error"] for each in (missing, kind, argument, tool, folder)} == {"usage"}
    assert "`run`" in missing["message"] and "pydantic" not in missing["message"] + kind["message"]
    assert "'small'" in kind["message"]
    assert argument["message"] == "list_runs has no argument repo" and "repository" in argument["hint"]
    assert tool["message"] == "There is no tool list_everything" and "list_runs" in tool["hint"]
    assert folder["message"] == "/nonexistent is not a folder"


def test_the_list_of_runs_tells_what_each_of_them_used_and_asks(done: Any) -> None:
    async def words(client: Client) -> None:
        [listed] = (await said(client, "list_runs"))["runs"]
        shown = await said(client, "show_run", run=listed["id"])
        assert listed["tokens"] == shown["tokens"] > 0
        assert listed["use"] == shown["use"]
        wrong = await refused(client, "read_journal", run=listed["id"], kinds=["chek"])
        assert wrong["message"] == "No entry of a journal is of the kind chek" and "check" in wrong["hint"]

    talk(done, words)
    [listed] = json.loads(done.andon("runs", "--json").stdout)
    assert listed["tokens"] > 0 and listed["use"]["roles"]


def test_a_run_that_was_just_answered_does_not_rest(person: Any) -> None:
    """Its row says for a moment still that it waits; whoever waits for it would be told to answer nothing."""
    ask = {"ask": {"question": "Which?", "options": ["red", "blue"], "default": "red", "timeout": 600}}
    person.play({"executor": {"do": [ask, {"write": {"path": "a.txt", "text": "good day\n"}}], "reply": "Done."}})

    async def words(client: Client) -> dict[str, Any]:
        started = await said(client, "start_auto", task="greet", repository=str(person.repository))
        asked = await said(client, "wait_for_run", run=started["run"], seconds=60)
        [question] = asked["run"]["questions"]
        await said(client, "answer_question", question=question["id"], answer="blue")
        return await said(client, "wait_for_run", run=started["run"], seconds=80)

    ended = talk(person, words)
    assert ended["resting"] and ended["run"]["status"] == "done", ended
