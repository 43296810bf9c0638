"""Results of single tests reach andon through a channel that code under test cannot write to unnoticed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from andon.checks.results import instruments
from andon.checks.results.channel import Channel
from andon.domain.testing import Outcome, TestReport

LAUNCH = Path(instruments.__file__).with_name(instruments.LAUNCH)
TESTS = """\
import pytest

def test_good(): pass
def test_bad(): assert 0
@pytest.mark.skip
def test_skipped(): pass
@pytest.mark.xfail
def test_known(): assert 0
@pytest.mark.xfail
def test_better(): pass
@pytest.fixture
def falls():
    yield
    assert 0
def test_torn_down(falls): pass
@pytest.fixture
def never(): assert 0
def test_set_up(never): pass
"""


class Bench:
    def __init__(self, folder: Path) -> None:
        self.tree = folder / "tree"
        self.tree.mkdir()
        self.channel = Channel(folder / "rooms", folder / "kept" / "1.secret")
        self.printed = ""

    def run(self, *arguments: str, **files: str) -> TestReport:
        for name, text in files.items():
            (self.tree / f"{name}.py").write_text(text)
        self.channel.open()
        words = [sys.executable, "-I", str(LAUNCH), str(self.channel.folder), str(self.tree), "-p", "no:cacheprovider"]
        done = subprocess.run(
            [*words, "-p", "no:randomly", *arguments], cwd=self.tree, capture_output=True, text=True, timeout=60
        )
        self.printed = done.stdout + done.stderr
        return self.channel.read("pytest")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.parametrize("arguments", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_every_end_of_a_test_is_told(bench: Bench, arguments: tuple[str, ...]) -> None:
    report = bench.run(*arguments, test_all=TESTS)

    assert {id.partition("::")[2]: outcome for id, outcome in report.outcomes.items()} == {
        "test_good": Outcome.PASSED,
        "test_bad": Outcome.FAILED,
        "test_skipped": Outcome.SKIPPED,
        "test_known": Outcome.EXPECTED_FAILURE,
        "test_better": Outcome.UNEXPECTED_PASS,
        "test_torn_down": Outcome.FAILED,
        "test_set_up": Outcome.FAILED,
    }
    assert report.finished and report.status == 1 and not report.forged and not report.unfinished


def test_what_cannot_be_collected_is_a_problem(bench: Bench) -> None:
    report = bench.run(test_broken="import nothing_of_that_name\n", test_fine="def test_x(): pass\n")

    assert report.status == 2 and len(report.problems) == 1 and "nothing_of_that_name" in report.problems[0]


def test_a_process_that_ends_itself_leaves_results_missing(bench: Bench) -> None:
    leaves = (
        "import os\ndef test_a(): pass\ndef test_b():\n    print('2 passed in 0.1s', flush=True)\n    os._exit(0)\n"
    )

    report = bench.run(test_leaves=leaves)

    assert not report.finished and report.unfinished == ("test_leaves.py::test_b",)


@pytest.mark.parametrize(
    "forgery",
    [
        'file.write(\'1 {"kind": "test", "id": "x", "outcome": "passed"} 00\\n\')',
        "file.truncate(0); file.write('0 {} 00\\n')",
        "first = open(path).readline(); file.write(first)",
    ],
    ids=["invented", "replaced", "repeated"],
)
def test_what_others_write_is_forged(bench: Bench, forgery: str) -> None:
    path = bench.channel.folder / "results"
    code = f"def test_a():\n    path = {str(path)!r}\n    with open(path, 'a') as file:\n        {forgery}\n"

    assert bench.run(test_forges=code).forged


def test_the_secret_is_gone_before_code_of_the_tree_is_loaded(bench: Bench) -> None:
    looks = (
        "import os\n"
        f"found = os.listdir({str(bench.channel.folder)!r}) + [v for v in os.environ.values() if len(v) == 64]\n"
        "def test_nothing_there(): assert 'secret' not in found\n"
    )

    assert bench.run(conftest=looks, test_looks=looks).passed == ("test_looks.py::test_nothing_there",)


def test_no_module_of_the_tree_stands_in_for_what_the_reporter_needs(bench: Bench) -> None:
    takes_over = "import sys\nsys.exit('taken over')\n"

    report = bench.run(
        test_x="def test_x(): pass\n", pytest=takes_over, hmac=takes_over, json=takes_over, sitecustomize=takes_over
    )

    assert report.passed == ("test_x.py::test_x",), bench.printed


def test_a_child_that_a_test_forks_tells_nothing(bench: Bench) -> None:
    forks = "import os\ndef test_forks():\n    if os.fork() == 0:\n        return\n    os.wait()\n"

    report = bench.run(test_forks=forks)

    assert not report.forged and report.passed == ("test_forks.py::test_forks",)


def test_a_run_that_is_attached_to_keeps_its_secret(bench: Bench) -> None:
    bench.channel.open()
    kept = bench.channel.secret.read_bytes()

    bench.channel.open()

    assert bench.channel.secret.read_bytes() == kept
