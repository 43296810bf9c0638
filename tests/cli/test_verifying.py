"""`andon verify` as people and CI meet it: what it prints, how it ends, what it records, and what it leaves alone."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from cases import HERE, Case

from published import mistakes

ROOT = Path(__file__).resolve().parents[2]
FINE = {"path": "src/shop/cart.py", "old": "Rounded to the customer's advantage.", "new": "Rounded for the customer."}
SKIPS = {
    "path": "tests/test_cart.py",
    "old": "def test_an_empty_cart",
    "new": "@pytest.mark.skip\ndef test_an_empty_cart",
}


@pytest.fixture
def repository(tmp_path: Path) -> Callable[..., Path]:
    def make(*edits: dict[str, str]) -> Path:
        told = {"title": "a change", "project": "python", "edit": edits}
        Case(HERE / "cheats" / "none", told).set_up(tmp_path / "repository")
        return tmp_path / "repository"

    return make


@pytest.fixture
def verify(run_andon: Callable[..., Any], repository: Callable[..., Path]) -> Callable[..., Any]:
    def run(edits: tuple[dict[str, str], ...], *words: str, base: str = "main", **more: Any) -> Any:
        return run_andon("verify", "--base", base, *words, cwd=repository(*edits), **more)

    return run


def test_a_fine_change_is_verified_and_leaves_the_repository_alone(verify: Any, tmp_path: Path) -> None:
    done = verify((FINE,))

    assert done.code == 0, done.stdout + done.stderr
    assert done.stdout.startswith("✓ verified: nothing stands against this change\n")
    assert re.search(r"test +passed +\d\d passed", done.stdout) and "tripwires failed as they must" in done.stdout
    refs = subprocess.run(["git", "for-each-ref"], cwd=tmp_path / "repository", capture_output=True, text=True).stdout
    assert "andon" not in refs


def test_a_skipped_test_is_refused_with_place_and_id(verify: Any) -> None:
    done = verify((SKIPS,))

    assert done.code == 1
    assert done.stdout.startswith("✗ refused: 1 finding against this change\n")
    assert "  tests/test_cart.py\n" in done.stdout and "test-skipped-" in done.stdout
    assert "--accept ID=REASON" in done.stdout and "andon help findings" in done.stdout


def test_the_same_for_programs(verify: Any) -> None:
    done = verify((SKIPS,), "--json")

    told = json.loads(done.stdout)
    assert mistakes("verification", told) == []
    [finding] = told["findings"]
    assert (done.code, told["verdict"], told["kind"], told["version"]) == (1, "failed", "andon.verification", 1)
    assert (finding["rule"], finding["layer"], finding["path"]) == ("test_skipped", "tests", "tests/test_cart.py")
    assert finding["line"] > 0 and finding["id"].startswith("test-skipped-")
    assert {result["goal"]: result["verdict"] for result in told["results"]}["test"] == "passed"


def test_a_person_accepts_a_finding_on_the_record(verify: Any, run_andon: Any, tmp_path: Path) -> None:
    [finding] = json.loads(verify((SKIPS,), "--json").stdout)["findings"]
    words = ("verify", "--base", "main", "--json", "--accept", f"{finding['id']}=the server is down")

    done = run_andon(*words, cwd=tmp_path / "repository")

    told = json.loads(done.stdout)
    assert (done.code, told["verdict"], told["findings"]) == (0, "passed", [])
    assert not [note for note in told["notes"] if "called" in note]
    assert "the server is down" in told["excused"][0]["because"]
    listed = run_andon("evidence", "list", told["id"], cwd=tmp_path / "repository").stdout
    assert "the server is down" in listed and "verification" in listed
    checked = run_andon("evidence", "verify", told["id"], "--replay", cwd=tmp_path / "repository")
    assert checked.code == 0, checked.stdout + checked.stderr


def test_accepting_what_was_not_found_is_told(verify: Any) -> None:
    done = verify((FINE,), "--accept", "test-skipped-000000=why not")

    assert done.code == 0 and "nothing was found that is called test-skipped-000000" in done.stdout


def test_a_plan_declares_it(verify: Any, tmp_path: Path) -> None:
    plan = tmp_path / "plan.md"
    plan.write_text("# Plan\n\n- `tests/test_cart.py`: skip the test of empty carts until the server is back\n")

    done = verify((SKIPS,), "--plan", str(plan))

    assert done.code == 0 and "declared in line 3 of the plan" in done.stdout


def test_the_files_as_they_lie_in_the_checkout(verify: Any, run_andon: Any, tmp_path: Path) -> None:
    assert verify((FINE,)).code == 0
    cart = tmp_path / "repository/src/shop/cart.py"
    cart.write_text(cart.read_text().replace("return sum(", "return 1 + sum("))

    committed = run_andon("verify", "--base", "main", cwd=tmp_path / "repository")
    present = run_andon("verify", "--base", "main", "--worktree", cwd=tmp_path / "repository")

    assert (committed.code, present.code) == (0, 1)
    assert "test_a_cart_adds_up passes on the base and fails on the new code" in present.stdout


def test_a_command_of_the_persons_own(verify: Any, run_andon: Any, tmp_path: Path) -> None:
    good = verify((FINE,), "--command", "pytest -q tests/test_prices.py")

    whole = run_andon("verify", "--base", "change", cwd=tmp_path / "repository").stdout
    of_one, of_all = (int(re.search(r"(\d+) passed\n", told)[1]) for told in (good.stdout, whole))  # type: ignore[index]
    assert good.code == 0 and 0 < of_one < of_all


def test_nothing_to_measure_is_no_verdict(run_andon: Any, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for words in (
        ["init", "-q"],
        ["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "--allow-empty", "-m", "x"],
    ):
        subprocess.run(["git", *words], cwd=folder, check=True)

    done = run_andon("verify", "--base", "HEAD", cwd=folder)

    assert done.code == 2 and "not measured: nothing here can be measured" in done.stdout
    assert "--command 'make test'" in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--base", "nowhere"), "nowhere"),
        (("--base", "main", "--accept", "x-123456"), "needs a reason"),
        (("--base", "main", "--head", "main", "--worktree"), "cannot both"),
        (("--base", "main", "--plan", "gone.md"), "gone.md"),
        (("--base", "main", "--oracle", "gone"), "gone"),
        (("--base", "main", "--command", "'"), "no command"),
        ((), "--base"),
    ],
)
def test_usage(run_andon: Any, repository: Any, words: tuple[str, ...], told: str) -> None:
    done = run_andon("verify", *words, cwd=repository(FINE))

    assert done.code == 3 and told in done.stderr and "Traceback" not in done.stderr


def test_what_the_base_got_since_is_not_held_against_the_change(verify: Any, run_andon: Any, tmp_path: Path) -> None:
    assert verify((FINE,)).code == 0
    repository = tmp_path / "repository"
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@y"]
    subprocess.run([*git, "checkout", "-q", "main"], cwd=repository, check=True)
    (repository / "tests/test_more.py").write_text("def test_more():\n    assert 'a' + 'b' == 'ab'\n")
    subprocess.run([*git, "add", "-A"], cwd=repository, check=True)
    subprocess.run([*git, "commit", "-q", "-m", "main moves on"], cwd=repository, check=True)

    done = run_andon("verify", "--base", "main", "--head", "change", cwd=repository)

    assert done.code == 0, done.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_person_who_has_had_enough_leaves_nothing_running(
    start_andon: Any, repository: Any, andon_home: Path, number: signal.Signals
) -> None:
    slow = {
        "path": "tests/test_receipt.py",
        "old": "from pathlib import Path\n",
        "new": "import time\nfrom pathlib import Path\n\ntime.sleep(600)\n",
    }
    started = start_andon("verify", "--base", "main", cwd=repository(slow))
    _until(lambda: _sleeping(andon_home))

    started.send_signal(number)

    assert started.wait(timeout=40) == 130
    _until(lambda: not _sleeping(andon_home))
    assert not [*(andon_home / "verifications").glob("*")]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_person_who_has_had_enough_does_not_wait_for_files_to_be_compared(
    start_andon: Any, tmp_path: Path, andon_home: Path, number: signal.Signals
) -> None:
    git = ["git", "-C", str(tmp_path / "large"), "-c", "user.name=x", "-c", "user.email=x@y"]
    (tmp_path / "large").mkdir()
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    for value in ("1", "2"):  # minutes of work for those who compare syntax trees
        for name in range(12):
            lines = (
                f"def f{line}(a):\n    return a + {line} if a > {value} else [a, {line}]\n" for line in range(15_000)
            )
            (tmp_path / f"large/test_{name}.py").write_text("".join(lines))
        subprocess.run([*git, "add", "--all"], check=True)
        subprocess.run([*git, "commit", "-q", "--message", value], check=True)
    started = start_andon("verify", "--base", "HEAD~1", cwd=tmp_path / "large")
    _until(lambda: _computed(started.pid) > 2, seconds=100)  # of its own: it has read the files by then

    started.send_signal(number)

    assert started.wait(timeout=15) == 130
    assert not [*(andon_home / "verifications").glob("*")]


def _computed(pid: int) -> float:
    """Seconds."""
    told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(told[11]) / os.sysconf("SC_CLK_TCK")


def _sleeping(home: Path) -> list[str]:
    """Trials of a data folder that run now."""
    return [
        process
        for process in (each.name for each in Path("/proc").iterdir() if each.name.isdecimal())
        if f"{home}/verifications/" in _command(process) and "pytest_launch" in _command(process)
    ]


def _command(process: str) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def _until(holds: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_verification_is_not_taken_for_a_run(verify: Any, run_andon: Any, tmp_path: Path) -> None:
    id = json.loads(verify((FINE,), "--json").stdout)["id"]

    listed = run_andon("runs", cwd=tmp_path / "repository")
    shown = run_andon("status", id, cwd=tmp_path / "repository")
    newest = run_andon("evidence", "list", cwd=tmp_path / "repository")

    assert id not in listed.stdout
    assert shown.code == 3 and "is a verification, not a run" in shown.stderr
    assert newest.code == 0 and "verification" in newest.stdout


def test_tests_that_cannot_even_start_are_not_measured_and_the_reason_is_the_error(
    verify: Any, run_andon: Any, tmp_path: Path
) -> None:
    """Given a test file that imports a package nobody declares, on both sides, then nothing is refused for it."""
    needs_more = {
        "path": "tests/test_receipt.py",
        "old": "from pathlib import Path\n",
        "new": "from pathlib import Path\n\nimport a_package_of_nobody\n",
    }
    verify((needs_more,))  # makes the repository; what follows takes this commit as the base
    repository = tmp_path / "repository"
    (repository / "NOTES.md").write_text("More.\n")

    done = run_andon("verify", "--base", "HEAD", "--worktree", cwd=repository)

    assert done.code == 2, done.stdout
    error = "tests/test_receipt.py cannot be loaded: ModuleNotFoundError: No module named 'a_package_of_nobody'"
    assert done.stdout.startswith("? not measured") and error in " ".join(done.stdout.split())
    assert "was not run" not in done.stdout


def test_a_wrong_option_of_the_test_runner_is_told_in_its_words(verify: Any) -> None:
    done = verify((FINE,), "--command", "pytest --no-such-option")

    assert done.code == 2, done.stdout
    error = "pytest --no-such-option ran no test: error: unrecognized arguments: --no-such-option"
    assert error in " ".join(done.stdout.split())


def test_an_environment_that_cannot_be_made_refuses_no_test(verify: Any, tmp_path: Path) -> None:
    older = {"path": "pyproject.toml", "old": 'requires-python = ">=3.11"', "new": 'requires-python = ">=9.9"'}
    (tmp_path / "plan.md").write_text("# Plan\n\n## Affected files\n\n- `pyproject.toml`: needs another Python\n")

    done = verify((older,), "--plan", str(tmp_path / "plan.md"))

    assert done.code == 2, done.stdout
    assert "9.9" in done.stdout and "base-test-missing" not in done.stdout


def test_a_test_command_that_fails_on_the_base_in_the_same_way_refuses_nothing(
    run_andon: Any, script_repository: Path
) -> None:
    """Given a command of which only the end is known, and which was red before, then the change is not blamed."""
    package = json.loads((script_repository / "package.json").read_text())
    package["scripts"]["test"] = "node check.js"
    (script_repository / "package.json").write_text(json.dumps(package))
    (script_repository / "check.js").write_text("console.log('1 problem'); process.exit(1);\n")
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@y"]
    subprocess.run([*git, "add", "-A"], cwd=script_repository, check=True)
    subprocess.run([*git, "commit", "-q", "-m", "red"], cwd=script_repository, check=True)
    (script_repository / "README.md").write_text("More.\n")

    done = run_andon("verify", "--base", "HEAD", "--worktree", cwd=script_repository)

    assert done.code == 2, done.stdout
    assert "the base fails in the very same way" in " ".join(done.stdout.split())


def test_every_record_of_a_verification_can_be_shown(verify: Any, run_andon: Any, tmp_path: Path) -> None:
    found = json.loads(verify((FINE,), "--json").stdout)
    repository = tmp_path / "repository"
    records = json.loads(run_andon("evidence", "list", found["id"], "--json", cwd=repository).stdout)

    shown = [run_andon("evidence", "show", found["id"], str(n + 1), cwd=repository) for n in range(len(records))]

    assert [each.code for each in shown] == [0] * len(records), [each.stderr for each in shown]
    head = [line for each in shown for line in each.stdout.partition("\n\n")[0].splitlines()]
    assert not [line for line in head if re.search(r"[\[{(]['\"{\[]|: None|True|False", line)]


TABLE = "import { test } from 'node:test';\nimport assert from 'node:assert/strict';\n" + "".join(
    f"test('adds {n}', () => {{\n  const a = {n};\n  assert.equal(a + 1, {n + 1});\n}});\n" for n in range(60)
)
"""A test file of an ordinary size."""


@pytest.fixture
def script_repository(tmp_path: Path) -> Path:
    """With enough new tests for every thread that parses."""
    told = {"title": "a change", "project": "script", "files": {f"test/table{n}.test.js": TABLE for n in range(8)}}
    Case(HERE / "cheats" / "none", told).set_up(tmp_path / "repository")
    return tmp_path / "repository"


def test_many_test_files_of_another_language_end_with_an_answer(run_andon: Any, script_repository: Path) -> None:
    done = run_andon("verify", "--base", "main", "--json", cwd=script_repository)

    assert done.code in (0, 1), done.stderr
    assert json.loads(done.stdout)["results"]


def test_whatever_a_parser_does_the_command_ends_with_an_answer(start_andon: Any, script_repository: Path) -> None:
    """Given parsers that crash as soon as they start, when a change is verified, then it gets an answer."""
    command = start_andon("verify", "--base", "main", "--json", cwd=script_repository, kept=True)
    crashed: set[int] = set()
    deadline = time.monotonic() + 120
    while command.poll() is None:
        assert time.monotonic() < deadline
        for pid in _parsers_of(command.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSEGV)
                crashed.add(pid)
        time.sleep(0.005)

    done = command.finish(20)
    assert crashed
    assert done.code in (0, 1, 2), done.stderr
    assert json.loads(done.stdout)["verdict"]


def _parsers_of(pid: int) -> list[int]:
    """Its children that parse source text."""
    found: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += [
                int(child)
                for child in listed.read_text().split()
                if b"parser.py" in Path(f"/proc/{child}/cmdline").read_bytes()
            ]
    return found
