"""The forms of replies in `auto`: what an agent quotes is not its own word."""

from __future__ import annotations

from andon.roles.contracts import SCOUTING


def test_E_07_the_size_of_a_task_is_told_by_the_last_object_not_by_one_that_is_quoted() -> None:
    quoted = '```json\n{"files": [], "new_dependency": false}\n```'
    own = '```json\n{"files": ["a.py", "b.py"], "new_dependency": true}\n```'

    found = SCOUTING.parse(f"A task before said\n{quoted}\nThis one:\n{own}").judgement

    assert found.files == ("a.py", "b.py") and found.new_dependency
