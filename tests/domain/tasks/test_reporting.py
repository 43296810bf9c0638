"""What a review tells of each criterion: what is wrong first, and nothing passed that nobody looked at."""

from __future__ import annotations

from andon.domain.tasks.criteria import criteria_of
from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.reminders import obstacle
from andon.domain.tasks.reporting import Tally, outcomes, tally, verdict_of_all
from andon.domain.verdict import Verdict

ASKED = criteria_of(TaskType.MODIFY_APP, 2)


def test_D_72_failures_stand_first_then_what_was_not_measured() -> None:
    rows = [{"id": each.id, "passed": True, "detail": ""} for each in ASKED[:6]]
    rows[3] = {"id": ASKED[3].id, "passed": False, "detail": "no file named"}
    rows[4] = {"id": ASKED[4].id, "passed": False, "detail": "risks: not measured"}
    rows.append({"id": "andon_verification", "passed": False, "detail": "a test was deleted"})

    found = outcomes(ASKED, {"passed": False, "criteria": rows})

    assert [each.verdict for each in found[:2]] == [Verdict.FAILED] * 2
    assert {each.title for each in found[:2]} == {ASKED[3].title, "Andon verification"}
    assert tally(found) == Tally(4, 2, 1 + len(ASKED) - 6)


def test_G_19_a_row_that_says_it_was_not_measured_is_not_failed_whatever_its_reason() -> None:
    blind = {"id": ASKED[0].id, "passed": False, "detail": "test: timed out after 120 s", "measured": False}
    failed = {"id": ASKED[1].id, "passed": False, "detail": "too short"}

    found = outcomes(ASKED[:1], {"criteria": [blind]})

    assert [each.verdict for each in found] == [Verdict.NOT_MEASURED] and found[0].why == blind["detail"]
    assert verdict_of_all({"passed": False, "criteria": [blind]}) is Verdict.NOT_MEASURED
    assert verdict_of_all({"passed": False, "criteria": [blind, failed]}) is Verdict.FAILED
    assert verdict_of_all({"passed": False, "criteria": []}) is Verdict.FAILED
    assert obstacle({"passed": False, "criteria": [blind]}) == f"not measured: {ASKED[0].id}"


def test_D_72_one_failure_among_what_was_not_measured_is_a_failure() -> None:
    row = {"id": ASKED[0].id, "passed": False, "detail": "length: not measured\ntoo short"}

    assert outcomes(ASKED[:1], {"criteria": [row]})[0].verdict is Verdict.FAILED


def test_D_72_without_any_result_nothing_has_passed() -> None:
    assert tally(outcomes(ASKED, {})) == Tally(0, 0, len(ASKED))


def test_D_78_a_remark_is_told_last_and_counted_nowhere() -> None:
    asked = criteria_of(TaskType.CREATE_APP, 1)
    rows = [{"id": each.id, "passed": each.critical, "detail": ""} for each in asked]

    found = outcomes(asked, {"criteria": rows})

    assert not found[-1].critical and tally(found).failed == 0
