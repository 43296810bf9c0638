"""People and UAM: the interview, discoveries, edits of PLAN.md, cancelling and resuming, adopting a session's work."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def kept(told: Any, path: str) -> str:
    return (told.repository / ".uam" / path).read_text()


def open_hold(story: Any, **data: Any) -> str:
    """The id of the question that is open now, once there is one."""

    def newest() -> str:
        answered = {e.data["hold"] for e in story.seen("hold_answered")}
        return next((e.data["hold"] for e in story.seen("hold_opened", **data) if e.data["hold"] not in answered), "")

    return story.until(f"a question is open {data}", newest)


# --- pivot points ---------------------------------------------------------------------------------------------------


def interview_and_run(story: Any) -> None:
    pivot = ("uam", "pivot", "--runtime", "scripted", "--scenario", str(story.scenario))
    process = story.begin(*pivot)
    story.andon("answer", open_hold(story), "No new dependency")
    second = story.until(
        "the second question", lambda: [e for e in story.seen("hold_opened") if "format" in e.data["question"]]
    )
    story.andon("answer", second[0].data["hold"], "Better not")
    story.finish(process, pivot)
    words = story.auto_words()
    process = story.begin(*words)
    story.andon("answer", open_hold(story, category="discovery"), "2")
    story.finish(process, words)


def test_C_18_the_interview_writes_down_what_must_not_change(story: Callable[..., Any]) -> None:
    told = story("uam-pivot", interview_and_run)

    assert kept(told, "pivot-points.md").splitlines()[2:] == [
        "- [CONFIRMED] PP-1: No new dependency",
        "- [PROVISIONAL] PP-2: Reports stay plain text",
    ]
    assert told.commands[2].code == 0, told.commands[2].stdout


def test_C_19_the_plan_refers_to_every_pivot_point(story: Callable[..., Any]) -> None:
    told = story("uam-pivot", interview_and_run)

    assert "PP-2: Reports stay plain text" in told.prompts["pm"]
    [misread] = told.of("reply_misread", name="planner")
    assert "PP-2 is not referred to" in misread.data["detail"]
    assert "(PP-2)" in kept(told, "PLAN.md")


def test_C_20_G_14_G_38_a_discovery_is_rejected_asked_about_or_queued(story: Callable[..., Any]) -> None:
    told = story("uam-pivot", interview_and_run)

    found = [(e.data["text"], e.data["conflicts"], e.data["decision"]) for e in told.of("discovery")]
    assert found == [
        ("A Markdown library would help", "PP-1", "reject"),
        ("Reports could be HTML", "PP-2", "reject"),  # by the person
        ("A second note is needed", "", "queue"),
    ]
    assert len(told.of("hold_opened", category="discovery")) == 1
    assert "### [x] TODO 2: A second note is needed" in kept(told, "PLAN.md")
    assert told.document("notes/two.md") == "two\n" and told.ending["status"] == "done"


# --- edits ----------------------------------------------------------------------------------------------------------


def edit_cancel_and_resume(story: Any) -> None:
    plan = story.repository / ".uam/PLAN.md"
    words = story.auto_words()
    process = story.begin(*words)
    story.until("both work", lambda: len([e for e in story.seen("spawn") if e.data["name"].startswith("worker")]) == 2)
    folder = Path(f"{story.worktree}-todo-1")
    story.until("the first waits", (folder / "READY").exists)
    plan.write_text(plan.read_text().replace("### [ ] TODO 3: Write", "### [X] TODO 3 Write"))
    (folder / "GO").touch()
    story.until("the first is done", lambda: story.seen("todo", number=1))
    story.facts["ticked"] = plan.read_text()
    story.facts["cancelled"] = json.loads(story.andon("uam", "cancel", "--json").stdout)
    story.finish(process, words)
    story.facts["after"] = json.loads((story.repository / ".uam/state.json").read_text())

    mended = plan.read_text().replace("### [X] TODO 3 Write", "### [ ] TODO 3: Write")
    mended = mended.replace("### [x] TODO 1", "### [ ] TODO 1").replace("test -f notes/three.md", "true")
    plan.write_text(mended)
    rules = json.loads(story.scenario.read_text())["rules"]
    later = story.folder / "later.yaml"
    mild = [rule for rule in rules if rule["match"].get("call") != 1]
    later.write_text(json.dumps({"scenario": 1, "rules": mild}, ensure_ascii=False))
    process = story.begin("resume", "--scenario", str(later))
    asked = open_hold(story, category="approval")
    story.facts["asked"] = [e.data["question"] for e in story.seen("hold_opened", hold=asked)]
    story.andon("answer", asked, "2")
    story.finish(process, ("resume",))


def test_C_89_a_broken_edit_is_told_with_its_line_and_stays(story: Callable[..., Any]) -> None:
    told = story("uam-edited", edit_cancel_and_resume)

    warnings = [e.data["text"] for e in told.of("warning")]
    [broken] = [text for text in warnings if "not a TODO's heading" in text]
    assert "### [X] TODO 3 Write the last note" in broken and "line " in broken
    # The box of the other was ticked in the very text that the person left.
    assert "### [x] TODO 1" in told.facts["ticked"] and "### [X] TODO 3 Write" in told.facts["ticked"]


def test_C_13_X_28_cancelled_means_inactive_and_resumable_at_the_same_phase(story: Callable[..., Any]) -> None:
    told = story("uam-edited", edit_cancel_and_resume)

    assert told.facts["after"]["current_phase"] == "cancelled"
    assert told.facts["after"]["cancelled_from"] == told.facts["cancelled"]["cancelled_from"] == "phase2-sprint"
    assert told.facts["after"]["verified"] == [1]


def test_C_14_a_resume_goes_on_in_the_sprint_and_honours_what_a_person_unticked(story: Callable[..., Any]) -> None:
    told = story("uam-edited", edit_cancel_and_resume)

    later = [e for e in told.journal if e.place[0] == 2]
    assert [e.data["phase"] for e in later if e.kind == "resumed"] == ["phase2-sprint"]
    begun = [e.data["name"] for e in later if e.kind == "spawn" and e.data["name"].startswith("worker")]
    assert {*begun[:2]} == {"worker-1", "worker-2"} and begun[2] == "worker-3"  # 1 was unticked: it is done again
    assert told.document("notes/one.md") == "one, again\n"
    assert told.ending["status"] == "done", told.last.stdout


def test_a_changed_command_needs_a_persons_word_and_the_approved_one_is_run_without_it(
    story: Callable[..., Any],
) -> None:
    told = story("uam-edited", edit_cancel_and_resume)

    [question] = told.facts["asked"]
    assert "+ `true`" in question and "- `test -f notes/three.md`" in question
    measured = [e.data["goal"] for e in told.of("check") if e.place[0] == 2]
    assert "test -f notes/three.md" in measured and "true" not in measured


# --- small and bugfix -----------------------------------------------------------------------------------------------


def test_C_17_G_13_the_small_pipeline_has_three_phases_and_one_gate(story: Callable[..., Any]) -> None:
    told = story("uam-small")

    assert [*dict.fromkeys(told.phases)] == ["plan", "sprint", "gate"]
    assert told.ending["status"] == "done", told.last.stdout
    assert "code-reviewer" not in told.spawned and "pm" not in told.spawned
    assert json.loads(kept(told, "state.json"))["current_phase"] == "completed"
    assert json.loads(kept(told, "state.json"))["max_fix_loops"] == 3
    assert told.document("notes/one.md") == "하나\n둘\n"


def test_E_24_a_korean_task_is_told_of_in_korean(story: Callable[..., Any]) -> None:
    told = story("uam-small")

    [asked] = told.of("hold_opened")
    assert asked.data["question"].startswith("이 계획으로 진행할까요?") and asked.data["options"][0] == "진행"
    assert "모든 게이트를 통과했습니다" in told.ending["message"]


def test_C_15_a_bug_gets_three_attempts_and_then_the_full_pipeline_is_offered(story: Callable[..., Any]) -> None:
    told = story("uam-bugfix@never")

    assert [e.data["number"] for e in told.of("attempt")] == [1, 2, 3]
    [offered] = told.of("hold_opened")
    assert "/uam:uam" in offered.data["question"]
    assert kept(told, "bugfix-attempts.md").count("## Attempt ") == 3
    assert told.last.code == 2 and told.ending["reason"] == "attempts"


def test_C_15_a_bug_that_is_mended_ends_the_attempts(story: Callable[..., Any]) -> None:
    told = story("uam-bugfix@mended")

    assert [(e.data["number"], e.data["passed"]) for e in told.of("attempt")] == [(1, False), (2, True)]
    assert told.ending["status"] == "done", told.last.stdout
    [mended] = [
        line for line in told.git("log", "-2", "--format=%h %s", told.row.branch).splitlines() if "None" in line
    ]
    # With what the first attempt left: it is part of what passes.
    files = told.git("show", "--name-only", "--format=%s", mended.split()[0]).split("\n")
    assert files[0] == "Guard against None" and {*files[1:]} - {""} == {"fixed.txt", "guard.txt"}


def test_E_24_the_report_of_a_korean_task_is_korean(story: Callable[..., Any]) -> None:
    told = story("uam-small")

    report = told.document(f"docs/04-report/{told.row.feature}.report.md")
    assert "- TODO: 완료 1, 실패 0, 남음 0" in report and "- 게이트: 1 통과" in report and "- 수정 루프: 1" in report
