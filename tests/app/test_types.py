"""The type of a task that a person starts without naming one (D-06, S-28)."""

from __future__ import annotations

import pytest

from andon.app.tasks import Wish, chosen
from andon.domain.errors import UserError
from andon.domain.tasks.phases import TaskType
from type_examples import EXAMPLES


@pytest.mark.parametrize(("type", "korean", "english"), EXAMPLES)
def test_S_28_D_06_each_of_the_23_examples_starts_as_its_type(type: TaskType, korean: str, english: str) -> None:
    assert (chosen(Wish(korean)), chosen(Wish(english))) == (type, type)


def test_S_28_D_06_what_a_person_names_counts_and_what_says_nothing_is_asked_for() -> None:
    assert chosen(Wish(EXAMPLES[0][2], TaskType.CUSTOM)) is TaskType.CUSTOM
    with pytest.raises(UserError, match="does not say which type") as refused:
        chosen(Wish("Please do the thing"))
    assert "--type" in (refused.value.hint or "")
