"""A plan excuses what it declares, and nothing else."""

from __future__ import annotations

import pytest

from andon.domain.declarations import declared, excuse
from andon.domain.verification import found


def excused(plan: str, rule: str, path: str = "tests/test_cart.py", subject: str = "") -> bool:
    return bool(excuse(found(rule, "m", path, subject=subject), declared(plan), plan))


@pytest.mark.parametrize(
    ("plan", "rule"),
    [
        ("- `tests/test_cart.py`: update the expected total", "test_changed"),
        ("- change `tests/test_cart.py`", "test_weakened"),
        ("- remove the test of carts, tests/test_cart.py", "test_deleted"),
        ("- `tests/test_cart.py` is skipped until the server is back", "test_skipped"),
        ("| `tests/test_cart.py` | modified |", "test_changed"),
        ("- `tests/` — adapt all tests", "test_changed"),
        ("- `tests/test_cart.py` 수정", "test_changed"),
        ("- `tests/test_cart.py` 삭제", "test_deleted"),
    ],
)
def test_a_line_that_says_so_excuses(plan: str, rule: str) -> None:
    assert excused(plan, rule)


@pytest.mark.parametrize(
    ("plan", "rule"),
    [
        ("", "test_changed"),
        ("- `tests/test_cart.py`", "test_changed"),
        ("- `tests/test_cart.py` (new tests)", "test_weakened"),
        ("- `tests/test_cart.py`: update the total", "test_deleted"),
        ("- `tests/test_other.py`: change it", "test_changed"),
        ("We will change things.\n- `tests/test_cart.py`", "test_changed"),
        ("- `tests/test_cart.py`: change and remove and skip everything", "tripwire_passed"),
        ("- `tests/test_cart.py`: change and remove and skip everything", "results_forged"),
    ],
)
def test_naming_a_file_is_not_enough_and_some_things_no_plan_excuses(plan: str, rule: str) -> None:
    assert not excused(plan, rule)


def test_a_dependency_is_declared_by_its_name() -> None:
    assert excused("We need httpx for it.", "dependency_added", "pyproject.toml", "httpx")
    assert not excused("We need httpx2 for it.", "dependency_added", "pyproject.toml", "httpx")
    assert excused("- `pyproject.toml`", "dependency_added", "pyproject.toml", "httpx")


def test_where_nothing_was_settings_take_nothing_back() -> None:
    settings, tripwire = found("runner_settings", "m", "pyproject.toml"), found("tripwire_passed", "m", "tests/x.py")

    assert excuse(settings, (), "", ()) == "the repository was empty"
    assert not excuse(settings, (), "", ("tests/test_cart.py",))
    assert not excuse(settings, ())  # nobody knows what was there
    assert not excuse(tripwire, (), "", ())
