"""Phase 5: report, or improve and check again, or a guard; and every way out dissolves the team."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

PARTS = ("Plan summary", "Design summary", "Implementation result", "Check result", "Lessons")


def parts_of(report: str) -> list[str]:
    return re.findall("^## (.+)$", report, re.MULTILINE)


def reject_and_go_on(story: Any) -> None:
    """The first guard ends it; a person sets that counter back and asks for more, until the second guard acts."""
    story.auto()
    path = story.repository / "docs" / ".pdca-status.json"
    status = json.loads(path.read_text())
    story.facts["first"] = status
    # Two rejections raise the limit of improvements from 5 to 7: one below it, so that one more is made.
    status["counters"] |= {"phase4Reentries": 0, "cumulativeIterations": 6}
    path.write_text(json.dumps(status))
    story.andon("resume")


@pytest.mark.parametrize("name", ["green", "mended", "short-plan", "options", "search", "short-of-it"])
def test_A_122_phase_5_acts_instead_of_recommending(story: Callable[..., Any], name: str) -> None:
    told = story(name)

    for entered in told.of("phase_entered", name="act"):
        following = next(e for e in told.of("spawn") if e.seq > entered.seq)
        assert following.data["name"] in ("reporter", "fixer", "iterator") and following.phase == "act"
    assert not [line for line in told.first.stdout.splitlines() if line.strip().startswith("Recommended")]


def test_A_123_A_126_a_rejection_is_fixed_and_checked_again(story: Callable[..., Any]) -> None:
    told = story("mended")

    [fixing] = told.of("spawn", name="fixer")
    assert (fixing.data["role"], fixing.data["model"]) == ("executor", "sonnet")
    assert "(reason R-7)" in fixing.data["prompt"]
    assert told.phases == ["plan", "do", "check", "act", "check", "act"]
    assert [e.data["verdict"] for e in told.of("verdict")] == ["REJECT", "APPROVE"]
    assert "ties by name" in told.document("src/tally/__init__.py")


def test_A_123_an_approval_leads_to_the_report_and_the_end(story: Callable[..., Any]) -> None:
    told = story("green")

    [verdict] = told.of("verdict")
    rest = [e.kind for e in told.journal if e.seq > verdict.seq]

    assert rest.index("committed") < rest.index("team_deleted")
    assert [e.data["name"] for e in told.of("spawn") if e.seq > verdict.seq] == ["reporter"]


def test_A_125_a_writer_on_haiku_reports_in_five_parts(story: Callable[..., Any]) -> None:
    told = story("green")

    [reporting] = told.of("spawn", name="reporter")
    assert (reporting.data["role"], reporting.data["model"]) == ("writer", "haiku")
    for part in ("plan summary", "design summary", "implementation result", "check result", "lessons"):
        assert part in reporting.data["prompt"]
    report = told.document(f"docs/04-report/{told.row.feature}.report.md")
    assert parts_of(report) == [*PARTS, "Record"]


def test_A_125_a_reporter_that_crashes_does_not_undo_the_work(story: Callable[..., Any]) -> None:
    told = story("options")

    report = told.document(f"docs/04-report/{told.row.feature}.report.md")

    assert told.ending["status"] == "done"
    assert [e for e in told.of("warning") if "andon wrote the report from its own record" in e.data["text"]]
    assert parts_of(report) == [*PARTS, "Record"]
    assert "Verifier: APPROVE" in report and "test: passed" in report
    assert "- modified: `tests/test_words.py`" in report


def test_A_125_parts_that_the_reporter_left_out_are_added_from_what_was_measured(story: Callable[..., Any]) -> None:
    told = story("leftovers")

    report = told.document(f"docs/04-report/{told.row.feature}.report.md")

    assert parts_of(report) == [
        *("Plan summary", "Lessons", "Design summary", "Implementation result", "Check result"),
        "Record",
    ]
    assert "Scratch files taught me a lot." in report  # what it did write stays
    assert "- added: `ralph-counter.txt`" in report and "Verifier: APPROVE" in report
    assert told.spawned.count("reporter") == 1 and told.ending["status"] == "done"


def test_A_28_tokens_of_teammates_and_phases_add_up(story: Callable[..., Any]) -> None:
    told = story("green")

    report = told.document(f"docs/04-report/{told.row.feature}.report.md")
    rows = re.findall(r"^\| ([a-z-]+) \| (plan|do|check|act) \| \w+ \| ([\d,]+) \|", report, re.MULTILINE)
    rows = [(name, phase, int(tokens.replace(",", ""))) for name, phase, tokens in rows]
    used = {e.data["name"]: e.data["usage"] for e in told.of("result") if e.data["usage"]}
    assert {name: tokens for name, _, tokens in rows} == {
        name: usage["input_tokens"] + usage["output_tokens"] for name, usage in used.items()
    }
    sums: dict[str, int] = {}
    for _, phase, tokens in rows:
        sums[phase] = sums.get(phase, 0) + tokens
    told_sums = re.findall(r"^\| (plan|do|check|act|total) \| \d+ \| ([\d,]+) \|", report, re.MULTILINE)
    assert {phase: int(tokens.replace(",", "")) for phase, tokens in told_sums} == sums | {"total": sum(sums.values())}
    assert sums == {"plan": 4233, "do": 40400, "check": 5050, "act": 7070}
    assert told.ending["spent"]["tokens"] == sum(sums.values())


def test_A_127_X_03_checks_that_never_pass_run_phase_4_three_times(story: Callable[..., Any]) -> None:
    told = story("rejected", reject_and_go_on)

    first = [e for e in told.journal if e.place[0] == 1]
    assert [e.data["name"] for e in first if e.kind == "phase_entered"].count("check") == 3
    assert [e.data["name"] for e in first if e.kind == "spawn"].count("fixer") == 2
    [notice] = [e for e in first if e.kind == "user_notified"]
    assert notice.data["text"].startswith("[Phase 5] Phase 4 re-entry limit of 3 reached.")
    assert "(reason N-1)" in notice.data["text"]  # the open issue
    assert told.facts["first"]["exitReason"] == "reentry_limit"
    assert told.first.code == 2


def test_A_127_a_rejected_work_is_not_published(story: Callable[..., Any]) -> None:
    told = story("rejected", reject_and_go_on)

    assert told.of("committed") == [] and told.git("branch", "--list", "feat/*") == ""
    assert "# another try" in (told.worktree / "src/tally/__init__.py").read_text()


def test_A_128_X_03_A_66_the_limit_of_improvements_counts_over_the_whole_run(story: Callable[..., Any]) -> None:
    told = story("rejected", reject_and_go_on)

    second = [e for e in told.journal if e.place[0] == 2]
    assert [e.data["name"] for e in second if e.kind == "spawn"].count("fixer") == 1
    [notice] = [e for e in second if e.kind == "user_notified"]
    assert notice.data["text"].startswith("[Phase 5] Limit of 7 cumulative improvements reached.")
    after = [e for e in second if e.seq > notice.seq]
    assert [e.data["name"] for e in after if e.kind == "spawn"] == ["reporter"]
    assert after[-2].kind == "team_deleted"
    assert told.status_file["counters"]["cumulativeIterations"] == 7
    assert told.ending["reason"] == "improvement_limit"


@pytest.mark.parametrize(
    ("name", "status", "reason"),
    [
        ("green", "done", "goal_met"),
        ("lying", "failed", "qa_failed"),
        ("missing-tool", "needs_user", "environment"),
        ("many-files", "done", "goal_met"),
        ("big", "needs_user", "plan_incomplete"),
        ("forced", "needs_user", "same_failure"),
        ("short-of-it", "needs_user", "improvement_limit"),
        ("failing", "failed", "teammate_crashed"),
        ("blocked", "needs_user", "blocked"),
        ("dry-run", "done", "dry_run"),
    ],
)
def test_A_129_E_18_every_ending_names_its_reason_and_dissolves_the_team(
    story: Callable[..., Any], name: str, status: str, reason: str
) -> None:
    told = story(name)

    assert (told.ending["status"], told.ending["reason"]) == (status, reason)
    assert told.ending["message"]
    assert [e.kind for e in told.journal][-2:] == ["team_deleted", "run_ended"]
    assert told.row.status == status and told.row.reason == reason


def test_A_129_what_a_person_has_to_put_right_is_said_and_recorded(story: Callable[..., Any]) -> None:
    told = story("blocked")

    assert "docs/03-check" in told.ending["message"] and "outside" in told.ending["message"]
    assert told.of("bug") == []
    assert told.status_file["exitReason"] == "blocked"
    assert told.first.code == 2


def test_A_129_E_18_a_guard_too(story: Callable[..., Any]) -> None:
    told = story("rejected", reject_and_go_on)

    for leg in (1, 2):
        assert [e.kind for e in told.journal if e.place[0] == leg][-2:] == ["team_deleted", "run_ended"]


# --- STANDARD and HEAVY ---------------------------------------------------------------------------------------------


def test_A_123_A_124_X_60_a_gap_is_closed_by_the_iterator_and_checked_again(story: Callable[..., Any]) -> None:
    told = story("search")  # 85 %, then 93 %

    [iterating] = told.of("spawn", name="iterator")
    assert (iterating.data["role"], iterating.data["model"], iterating.phase) == ("executor", "sonnet", "act")
    prompt = iterating.data["prompt"]
    assert prompt.startswith("[Gap Improvement]") and "85 %" in prompt and "(항목 G-1)" in prompt and "90 %" in prompt
    assert told.phases[-4:] == ["check", "act", "check", "act"] and told.phases.count("check") == 2
    assert told.status_file["counters"]["cumulativeIterations"] == 2  # its own repetitions
    assert told.spawned[-1] == "reporter" and told.ending["status"] == "done"


def test_A_128_X_03_the_iterators_repetitions_add_up_to_the_limit(story: Callable[..., Any]) -> None:
    told = story("short-of-it")  # three repetitions, then two, and never 90 %

    first, second = told.of("spawn", name="iterator")
    assert "at most 5 rounds" in first.data["prompt"] and "at most 2 rounds" in second.data["prompt"]
    [notice] = told.of("user_notified")
    assert notice.data["text"].startswith("[Phase 5] Limit of 5 cumulative improvements reached.")
    assert "matches the design by 70 %" in notice.data["text"]
    assert [e.data["name"] for e in told.of("spawn") if e.seq > notice.seq] == ["reporter"]
    assert told.status_file["counters"]["cumulativeIterations"] == 5 and told.first.code == 2


def test_A_127_A_128_G_07_what_stays_open_is_in_the_report_and_listed_by_name(story: Callable[..., Any]) -> None:
    told = story("short-of-it")

    open_ = {e.data["kind"]: e.data for e in told.of("open_finding")}
    assert set(open_) == {"gap"}
    report = (told.worktree / f"docs/04-report/{told.row.feature}.report.md").read_text()
    assert open_["gap"]["id"] in report and told.of("committed") == []


def test_G_07_A_123_a_critical_finding_counts_as_a_rejection(story: Callable[..., Any]) -> None:
    told = story("many-files")

    [fixing] = told.of("spawn", name="fixer")
    assert "critical: INSTALL.md:1: it tells people to pipe a script into a shell" in fixing.data["prompt"]
    assert "a long line" not in fixing.data["prompt"]  # which is minor
    assert told.phases[-4:] == ["check", "act", "check", "act"] and told.ending["status"] == "done"
    assert [e.data["verdict"] for e in told.of("verdict", name="quality-checker")] == ["1 critical", "0 critical"]


def test_A_84_a_lost_test_is_a_rejection_whoever_lost_it_and_whoever_approved(story: Callable[..., Any]) -> None:
    told = story("careless")

    verdicts = [(e.data["name"], e.data["verdict"]) for e in told.of("verdict")]
    assert verdicts == [("andon", "REJECT"), ("verifier", "APPROVE"), ("verifier", "APPROVE")]
    [fixing] = told.of("spawn", name="fixer")
    assert "test deletion: tests/test_old.sh" in fixing.data["prompt"]
    assert told.ending["status"] == "done"
    assert told.document("tests/test_old.sh") == "exit 0\n"
