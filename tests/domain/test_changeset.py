"""Which files moved, however many."""

from __future__ import annotations

import time

from andon.domain.changeset import FILE, Changed, ChangeSet, Side


def moved(before: dict[str, str], after: dict[str, str]) -> dict[str, str]:
    gone = [Changed(path, Side(FILE, text.encode()), None) for path, text in before.items()]
    fresh = [Changed(path, None, Side(FILE, text.encode())) for path, text in after.items()]
    return ChangeSet((*gone, *fresh)).renamed


def lines(*numbers: int) -> str:
    return "".join(f"line {number}\n" for number in numbers)


def test_a_file_moves_as_it_is_or_with_little_changed() -> None:
    before = {"a.py": lines(*range(10)), "b.py": lines(*range(20, 30)), "c.py": lines(40, 41)}
    after = {"x.py": lines(*range(20, 28), 99), "y.py": lines(*range(10)), "z.py": lines(40, 50, 51)}

    assert moved(before, after) == {"a.py": "y.py", "b.py": "x.py"}


def test_of_equal_files_each_keeps_its_name() -> None:
    same = lines(1)

    assert moved({"old/a.py": same, "old/b.py": same}, {"new/b.py": same, "new/a.py": same}) == {
        "old/a.py": "new/a.py",
        "old/b.py": "new/b.py",
    }


def test_empty_files_move_nowhere() -> None:
    assert moved({"old/__init__.py": ""}, {"new/__init__.py": ""}) == {}


def test_a_package_of_a_thousand_files_is_matched_soon() -> None:
    def text(number: int, name: str) -> str:
        return f"import {name}\n" + lines(*range(40 * number, 40 * number + 40))

    before = {f"acme/m{number}.py": text(number, "acme") for number in range(1000)}
    after = {f"apex/m{number}.py": text(number, "apex") for number in range(1000)}
    began = time.process_time()

    found = moved(before, after)

    assert all(found[f"acme/m{number}.py"] == f"apex/m{number}.py" for number in range(1000))
    assert time.process_time() - began < 3
