"""A module that would be imported instead of another one is found by its name and place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.checks.tamper.shadowing import shadowing_findings
from checks.tamper.small_changes import added, change

BASE = ("shop/__init__.py", "shop/price.py", "tests/test_price.py", "tests/conftest.py", "pyproject.toml")
PYPROJECT = """
[project]
dependencies = ["requests>=2", "PyYAML"]
[dependency-groups]
dev = ["respx"]
[tool.poetry.dependencies]
python = "^3.11"
rich = "^13"
"""

CHEATS = [
    "pytest.py",
    "src/pytest/__init__.py",
    "_pytest/__init__.py",
    "tests/hypothesis.py",
    "random.py",
    "tests/json.py",
    "tests/unittest/__init__.py",
    "src/operator.py",
    "pluggy.py",
    "requests.py",
    "yaml/__init__.py",
    "tests/respx.py",
    "src/rich.py",
    "tests/shop/__init__.py",
    "tests/shop.py",
    "src/shop/__init__.py",
    "shop.py",
    "math.cpython-311-x86_64-linux-gnu.so",
    "node_modules/vitest/index.js",
    "packages/a/node_modules/@jest/globals/index.js",
]


@pytest.mark.parametrize("path", CHEATS)
def test_a_module_that_hides_another_is_found(path: str) -> None:
    [finding] = shadowing_findings(added(path, "x = 1\n", *BASE), {"pyproject.toml": PYPROJECT})

    assert finding.rule == "module_shadowed"


HONEST = [
    "shop/random.py",
    "shop/json.py",
    "shop/types.py",
    "shop/pytest.py",
    "src/newshop/__init__.py",
    "tests/test_json.py",
    "tests/support.py",
    "tests/unit/__init__.py",
    "tests/unit/conftest.py",
    "shop/testing/mock.py",
    "setup.py",
    "conftest.py",
    "src/shop2/shop.py",
    "docs/conf.py",
    "shop/calendar/__init__.py",
    "tests/price_cases.py",
    "web/src/json.ts",
    "app/calendar.py",
]


@pytest.mark.parametrize("path", HONEST)
def test_an_honest_module_is_left_alone(path: str) -> None:
    assert shadowing_findings(added(path, "x = 1\n", *BASE), {"pyproject.toml": PYPROJECT}) == []


def test_a_package_that_moves_under_src_is_left_alone() -> None:
    moved = change(
        {"shop/__init__.py": ("", None), "src/shop/__init__.py": (None, ""), "shop/a.py": ("x", None)},
        ("tests/test_price.py",),
    )

    assert shadowing_findings(moved) == []


def test_a_module_that_becomes_a_package_is_left_alone() -> None:
    assert shadowing_findings(change({"shop.py": ("x = 1\n", None), "shop/__init__.py": (None, "x = 1\n")})) == []


def test_a_module_beside_an_old_one_of_the_same_name_under_the_base_is_only_judged_when_added() -> None:
    assert shadowing_findings(change({"random.py": ("x = 1\n", "x = 2\n")})) == []


@given(st.text(max_size=40), st.text(max_size=80))
def test_no_path_or_manifest_makes_it_raise(path: str, text: str) -> None:
    shadowing_findings(added(path, "", "pyproject.toml"), {"pyproject.toml": text, "requirements.txt": text})


@pytest.mark.parametrize("path", ["src/cart.js", "src/cart.mjs", "src/cart.tsx"])
def test_a_script_beside_one_of_the_same_name_is_found(path: str) -> None:
    """`import '../src/cart'` loads one of them; which, the tool decides."""
    assert [each.rule for each in shadowing_findings(added(path, "", "src/cart.ts"))] == ["module_shadowed"]


@pytest.mark.parametrize("path", ["src/cart.d.ts", "src/cart.css", "src/carts.js"])
def test_what_is_no_script_of_that_name_is_not(path: str) -> None:
    assert not shadowing_findings(added(path, "", "src/cart.ts"))


def test_a_script_that_takes_the_place_of_another_is_not() -> None:
    assert not shadowing_findings(change({"src/cart.js": ("x", None), "src/cart.ts": (None, "x")}))
