"""A base is measured once, and the same question has the same answer."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "tests").mkdir(parents=True)
    (folder / "shop.py").write_text(
        "def total(prices):\n    return sum(prices)\n\n\ndef most(prices):\n    return max(prices)\n"
    )
    (folder / "tests/test_shop.py").write_text(
        "from shop import most, total\n\n\n"
        "def test_total():\n    assert total([1, 2]) == 3\n    assert total([]) == 0\n\n\n"
        "def test_most():\n    assert most([1, 3, 2]) == 3\n"
    )
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "base")
    git(folder, "checkout", "-q", "-b", "change")
    return folder


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=someone", "-c", "user.email=someone@example.org")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)


@pytest.fixture
def verify(run_andon: Any, repository: Path):
    def run(**edits: str) -> dict[str, Any]:
        for path, text in edits.items():
            (repository / path.replace("__", "/").replace("_py", ".py")).write_text(text)
        commit(repository, "change")
        return again()

    def again() -> dict[str, Any]:
        told = json.loads(run_andon("verify", "--base", "main", "--json", cwd=repository).stdout)
        return {name: told[name] for name in ("answer", "findings", "notes", "unmeasured")}

    run.again = again  # type: ignore[attr-defined]
    return run


WITHOUT_THE_EMPTY_CASE = (
    "from shop import most, total\n\n\n"
    "def test_total():\n    assert total([1, 2]) == 3\n\n\n"
    "def test_most():\n    assert most([1, 3, 2]) == 3\n"
)
AS_A_TABLE = (
    "import pytest\nfrom shop import most, total\n\n\n"
    '@pytest.mark.parametrize(("prices", "sum"), [([1, 2], 3), ([], 0)])\n'
    "def test_sums(prices, sum):\n    assert total(prices) == sum\n\n\n"
    "def test_most():\n    assert most([1, 3, 2]) == 3\n"
)
RED = "def total(prices):\n    return sum(prices)\n\n\ndef most(prices):\n    return max(prices) + 1\n"


def test_what_no_test_asks_any_more_is_told_in_words(verify: Any) -> None:
    told = verify(tests__test_shop_py=WITHOUT_THE_EMPTY_CASE)

    [finding] = [each for each in told["findings"] if each["rule"] == "test_weakened" and each["line"] == 0]
    assert told["answer"] == "refused"
    assert "noticed when `total(prices=list(0: ))` gave something else than 0 in shop.py" in finding["message"]


def test_the_same_cases_in_another_form_are_as_good(verify: Any) -> None:
    assert verify(tests__test_shop_py=AS_A_TABLE)["answer"] == "verified"


def test_the_same_question_has_the_same_answer(verify: Any) -> None:
    first = verify(tests__test_shop_py=WITHOUT_THE_EMPTY_CASE)

    assert verify.again() == first


def test_a_base_is_measured_once(verify: Any, andon_home: Path) -> None:
    first = verify(tests__test_shop_py=AS_A_TABLE)
    [kept] = (andon_home / "results").glob("*.json")
    record = json.loads(kept.read_text())
    record["outcomes"]["tests/test_shop.py::test_total"] = "failed"
    kept.write_text(json.dumps(record))

    told = verify.again()

    # What was kept counts: a test that the base is said to fail is none whose worth is compared.
    assert kept.read_text() == json.dumps(record)
    assert told["notes"] != first["notes"]


def test_a_red_test_that_is_rewritten_is_refused(verify: Any, repository: Path) -> None:
    git(repository, "checkout", "-q", "main")
    (repository / "shop.py").write_text(RED)
    commit(repository, "a mistake")
    git(repository, "checkout", "-q", "-B", "change")

    told = verify(tests__test_shop_py=AS_A_TABLE.replace("== 3\n", ">= 3\n"))

    assert told["answer"] == "refused" and {each["rule"] for each in told["findings"]} >= {"red_test_rewritten"}
