"""What stands against a change, and what its plan or a person excuses."""

from __future__ import annotations

import pytest

from andon.checks.verifying.sorting import MOST_TOLD, sorted_out
from andon.domain.verdict import Finding
from andon.domain.verification import Question, finding_id, found

PLAN = "- Remove the test of `Stack.pop` from `tests/test_core.py`\n"


def asked(plan: str = "", **accepted: str) -> Question:
    return Question("base", "tree", (), plan, {id.replace("_", "-"): why for id, why in accepted.items()})


def deleted(name: str, path: str = "tests/test_core.py") -> Finding:
    return found("test_deleted", f"{name} is gone", path, subject=name)


def failed(id: str) -> Finding:
    return found("base_test_failed", f"{id} fails, as the base has it", "tests/test_core.py", subject=id)


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("StackTest::test_pop", "tests/test_core.py::StackTest::test_pop"),
        ("test_pop", "tests/test_core.py::test_pop[1-2]"),
        ("stack › pops", "tests/test_core.py › stack › pops"),
        ("tests/test_core.py", "tests/test_core.py::test_pop"),
    ],
)
def test_a_test_that_goes_as_planned_may_fail(name: str, id: str) -> None:
    against, excused = sorted_out(asked(PLAN), (deleted(name), failed(id)))

    assert against == () and len(excused) == 2


@pytest.mark.parametrize("id", ["tests/test_core.py::test_pop_all", "tests/test_core.py::Other::test_pop"])
def test_another_one_may_not(id: str) -> None:
    against, _ = sorted_out(asked(PLAN), (deleted("test_pop"), failed(id)))

    assert [each.subject for each in against] == [id]


def test_one_that_is_still_there_may_not_fail() -> None:
    against, _ = sorted_out(asked(PLAN), (failed("tests/test_core.py::test_pop"),))

    assert len(against) == 1


def test_a_plan_excuses_however_many_tests_fail() -> None:
    many = tuple(failed(f"tests/test_core.py::test_pop[{n}]") for n in range(3 * MOST_TOLD))

    assert sorted_out(asked(PLAN), (deleted("test_pop"), *many))[0] == ()
    assert sorted_out(asked("- Change `tests/test_core.py`: pop raises\n"), many)[0] == ()


def test_of_many_the_first_are_told_and_the_rest_accepted_by_one_name() -> None:
    many = tuple(failed(f"tests/test_core.py::test_{n}") for n in range(MOST_TOLD + 5))

    against, _ = sorted_out(asked(), many)
    last = against[-1]
    accepted = dict.fromkeys((finding_id(each) for each in against), "known")
    left, excused = sorted_out(Question("base", "tree", (), accepted=accepted), many)

    assert len(against) == MOST_TOLD + 1 and last.message.startswith("5 more tests: ")
    assert left == () and {each.because for each in excused} == {"known"}
