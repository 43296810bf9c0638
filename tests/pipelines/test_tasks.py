"""Tasks: every phase is worked on, measured, judged by another agent, and decided by a person."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from published import mistakes

pytestmark = pytest.mark.xdist_group("task-modify")
ANALYSIS, PLAN = "docs/analysis/current_state.md", "docs/planning/modification_plan.md"


def waiting(story: Any, phase: int, count: int) -> str:
    """The id of the review that is open, when so many have been opened."""

    def newest() -> str:
        rows = story.store.runs.newest(1, str(story.repository)) if story.entries() else []
        reviews = story.store.reviews.of_run(rows[0].id) if rows else []
        found = [each for each in reviews if each.pending and each.phase == phase]
        return found[0].id if found and len(reviews) == count else ""

    return story.until(f"review {count} of phase {phase}", newest)


def decide_every_phase(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    waiting(story, 1, 1)
    story.facts["shown"] = story.andon("task", "show").stdout
    story.facts["status"], story.facts["asked"] = story.andon("status").stdout, story.andon("answer").stdout
    story.facts["answered"] = story.andon("answer", story.row.id, "approved").stderr
    story.andon("task", "approve", "--json")
    waiting(story, 2, 2)
    story.facts["unsaid"] = story.andon("task", "request-changes").stderr
    wish = ("--comment", "More tests", "--on", f"{PLAN}:34", "Four cases")
    story.andon("task", "request-changes", *wish)
    second = waiting(story, 2, 3)
    story.facts["again"] = story.andon("task", "show").stdout
    story.facts["second"] = second
    story.facts["stale"] = story.andon("task", "approve", "--version", "7").stderr
    story.andon("task", "approve", "--version", "1")
    waiting(story, 3, 4)
    story.facts["listed"] = story.andon("task", "list", "--json").stdout
    story.andon("task", "approve")
    waiting(story, 4, 5)
    story.andon("task", "approve")
    story.finish(process, words)
    story.facts["after"] = story.andon("task", "list", "--json").stdout
    story.facts["runs"], story.facts["logs"] = story.andon("runs").stdout, story.andon("logs").stdout
    story.facts["done"] = story.andon("task", "show").stdout


def approve_every_phase(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    for count, phase in enumerate((1, 2, 2, 3, 4), start=1):
        waiting(story, phase, count)
        wish = ("request-changes", "--comment", "More tests") if count == 2 else ("approve",)
        story.andon("task", *wish)
    story.finish(process, words)


@pytest.fixture
def told(story: Callable[..., Any]) -> Any:
    return story("task-modify", decide_every_phase)


def finished(told: Any) -> Any:
    return next(each for each in told.commands if each.words[:2] == ("task", "create"))


def test_D_27_D_68_four_phases_each_with_its_review_and_a_branch_at_the_end(told: Any) -> None:
    assert finished(told).code == 0, finished(told).stdout
    assert told.phases == ["analysis", "planning", "implementation", "verification"]
    decided = [(e.data["number"], e.data["status"]) for e in told.of("review_decided")]
    assert decided == [(1, "approved"), (2, "changes_requested"), (2, "approved"), (3, "approved"), (4, "approved")]
    assert "src/tally/counting.py" in told.git("diff", "--name-only", f"main..{told.row.branch}").split()


def test_D_28_D_73_a_missing_part_is_measured_without_a_verifier_and_the_agent_is_told(told: Any) -> None:
    first, second = [e for e in told.of("phase_verified") if e.data["number"] == 1]
    verifiers = [e.seq for e in told.of("spawn", name="task-verifier-1")]

    assert not first.data["passed"] and "has no part impact" in first.data["report"]
    assert second.data["passed"] and verifiers and verifiers[0] > first.seq  # D-22: it was not asked before
    [rework] = told.of("rework")
    assert rework.data["attempt"] == 1 and "has no part impact" in told.of("spawn", name="task-agent")[1].data["prompt"]


def test_D_77_the_review_of_one_file_says_so_in_the_singular(told: Any) -> None:
    first = told.of("hold_opened")[0].data["question"]

    assert first.endswith("verification passed, 1 file."), first


def test_D_71_the_verifier_has_the_criteria_of_its_phase_only_and_may_write_nothing(told: Any) -> None:
    for number in (1, 2, 3, 4):
        [*_, spawn] = told.of("spawn", name=f"task-verifier-{number}")
        assert f"- B{number}-" in spawn.data["prompt"] and spawn.data["writes"] == []
        assert not any(f"- B{other}-" in spawn.data["prompt"] for other in {1, 2, 3, 4} - {number})


def test_D_30_a_phase_of_documents_may_write_those_and_nothing_else(told: Any) -> None:
    writes = [e.data["writes"] for e in told.of("spawn", name="task-agent")]

    assert writes == [[ANALYSIS], [ANALYSIS], [PLAN], [PLAN], ["."], ["."]]


def test_D_75_D_77_what_a_person_wants_otherwise_reaches_the_agent_with_file_and_line(told: Any) -> None:
    prompt = told.of("spawn", name="task-agent")[3].data["prompt"]

    assert "a person wants it otherwise" in prompt
    assert "More tests" in prompt and f"{PLAN}:34: Four cases" in prompt
    shown = told.git("show", f"{told.row.branch}:{PLAN}")
    assert "four cases" in shown


def test_D_101_D_102_a_decision_about_another_version_is_a_conflict_and_decides_nothing(told: Any) -> None:
    assert "Review was already processed by another user" in told.facts["stale"]
    assert told.store.reviews.get(told.facts["second"]).status.value == "approved"


def test_D_103_changes_need_words_and_a_review_is_not_answered_like_a_question(told: Any) -> None:
    assert "Say what is to be changed" in told.facts["unsaid"]
    assert "A review is decided with the version that was looked at" in told.facts["answered"]


def test_D_72_what_was_measured_is_shown_before_anybody_decides(told: Any) -> None:
    shown = told.facts["shown"]

    assert "[analysis]  planning  implementation  verification" in shown
    assert "passed  B1-01  The analysis exists" in shown and ANALYSIS in shown


def test_D_72_where_to_read_it_and_how_to_decide_stand_wherever_a_phase_waits(told: Any) -> None:
    folder = told.store.home.run(told.row.id) / "worktree"

    assert f"To be read in {folder}:\n  {ANALYSIS}\n" in told.facts["shown"]
    assert f"It waits for you: `andon task show {told.row.id}`." in told.facts["status"]
    assert "verification passed, 1 file." in told.facts["asked"] and "changes_requested" not in told.facts["asked"]
    assert f"Its work is on branch {told.row.branch}; " in told.facts["done"]


def test_what_a_person_reads_of_a_task_has_columns_and_no_python(told: Any) -> None:
    assert re.search(r"done +modify_app +verification +\d\d ", told.facts["runs"])
    assert re.search(r"phase_left +name=analysis spent=tokens \d+, ", told.facts["logs"])
    assert "{'" not in told.facts["logs"] and "changes_requested)" not in told.facts["logs"]


def test_D_120_D_125_the_state_of_a_task_and_its_progress(told: Any) -> None:
    [before] = [each for each in json.loads(told.facts["listed"]) if each["id"] == told.row.id]
    [after] = [each for each in json.loads(told.facts["after"]) if each["id"] == told.row.id]

    assert (before["state"], before["phase"], before["progress"]) == ("review", 3, 0.75)
    assert (after["state"], after["progress"], after["review"]) == ("completed", 1.0, None)
    assert (before["agent"], after["agent"]) == ("waiting_review", "completed")  # D-126, D-70


def test_D_128_a_field_says_more_about_the_text_and_does_not_stand_for_it(told: Any) -> None:
    field = "What must not break: words() keeps the order of the text"
    [listed] = [each for each in json.loads(told.facts["listed"]) if each["id"] == told.row.id]

    prompts = [spawn.data["prompt"] for spawn in told.of("spawn")]
    assert prompts and all("Count how often each word occurs" in each and field in each for each in prompts)
    assert told.row.task in told.facts["shown"] and field in told.facts["shown"]
    assert listed["inputs"] == {"critical": "words() keeps the order of the text"}


def test_D_38_the_practices_of_the_type_stand_in_its_prompt(told: Any) -> None:
    prompt = told.of("spawn", name="task-agent")[0].data["prompt"]

    assert "Keep what works working" in prompt and "[USER_QUESTION]" in prompt
    assert "exponential back-off" not in prompt  # which is workflow's


def test_D_76_ten_steps_lead_from_the_agents_word_to_the_next_phase(told: Any) -> None:
    """Phase 1: failed, mended, approved. Phase 2: verified, wanted otherwise, mended, approved."""
    names = {"task-agent": "agent", "task-verifier-1": "verifier", "task-verifier-2": "verifier"}
    steps: list[str] = []
    for entry in told.journal:
        if entry.phase not in ("analysis", "planning") and entry.kind != "hold_opened":
            continue
        match entry.kind:
            case "spawn" | "result":
                steps.append(f"{names[entry.data['name']]} {'at work' if entry.kind == 'spawn' else 'says done'}")
            case "phase_verified":
                steps.append("passed" if entry.data["passed"] else "failed")
            case "review_decided":
                steps.append(entry.data["status"])
            case "rework" | "phase_entered":
                steps.append(entry.kind)
            case _:
                pass
    works, judged = ["agent at work", "agent says done"], ["verifier at work", "verifier says done", "passed"]
    assert steps == [
        *("phase_entered", *works, "failed", "rework", *works, *judged, "approved"),
        *("phase_entered", *works, *judged, "changes_requested", *works, *judged, "approved"),
    ]


def test_G_45_after_the_last_review_no_phase_begins_and_the_task_is_complete(told: Any) -> None:
    kinds = [entry.kind for entry in told.journal]
    after = kinds[len(kinds) - kinds[::-1].index("review_decided") :]

    assert "phase_entered" not in after and told.of("run_ended")[-1].data["reason"] == "goal_met"


def test_G_44_requests_for_changes_are_counted_and_shown(told: Any) -> None:
    assert "changes requested: 1" in told.facts["again"]
    assert "changes requested" not in told.facts["shown"]


def test_D_36_X_43_phase_4_is_the_agents_own_work_with_a_report_of_its_tests(told: Any) -> None:
    [*_, last] = told.of("spawn", name="task-agent")
    report = told.git("show", f"{told.row.branch}:docs/verification/report.md")

    assert last.data["prompt"].startswith("[Phase 4: verification")
    assert all(word in report for word in ("Existing tests", "New tests", "Manual tests"))
    assert told.of("spawn", name="task-verifier-4")  # D-79: and judged by another one all the same


@pytest.mark.parametrize(("schema", "kind"), [("phase-verification", "phase_verified"), ("checkpoint", "checkpoint")])
def test_E_08_what_a_task_tells_is_as_its_schema_says(told: Any, schema: str, kind: str) -> None:
    entries = told.of(kind)

    assert entries and [mistakes(schema, dict(each.data)) for each in entries] == [[]] * len(entries)


def test_X_40_criteria_of_its_own_and_no_guides(told: Any) -> None:
    assert not any("/guide/" in entry.data["prompt"] for entry in told.of("spawn"))


def test_D_35_code_that_is_taken_back_in_the_last_phase_is_noticed_and_the_plan_stays_as_it_was_approved(
    story: Callable[..., Any],
) -> None:
    told = story("task-undone", approve_every_phase)

    [missed] = [e.data for e in told.of("rework") if e.data["number"] == 4]
    assert [each for each in missed["reasons"] if "src/tally/counting.py" in each], missed
    assert finished(told).code == 0, finished(told).stdout
    assert "src/tally/counting.py" in told.git("diff", "--name-only", f"main..{told.row.branch}").split()
    assert "src/tally/counting.py" in told.git("show", f"{told.row.branch}:{PLAN}")
