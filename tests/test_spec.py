"""The requirements tool, on small sample trees and on this repository."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


def load() -> ModuleType:
    described = importlib.util.spec_from_file_location("andon_tools_spec", ROOT / "tools" / "spec.py")
    assert described and described.loader
    module = importlib.util.module_from_spec(described)
    sys.modules[described.name] = module
    described.loader.exec_module(module)
    return module


spec = load()

CATALOGUE = """# Sample

### A-01 First thing

Text that mentions B-07 and A-99 in passing.

| ID | Contradiction | Resolution |
|---|---|---|
| X-01 | one says so, another not | the later |

### A-02 Second thing
### A-03 Third thing
### A-04 Fourth thing
"""


def repository(folder: Path, tests: str = "", coverage: str = "") -> Path:
    (folder / "docs" / "spec").mkdir(parents=True)
    (folder / "tests" / "deep").mkdir(parents=True)
    (folder / "docs" / "spec" / "sample.md").write_text(CATALOGUE, encoding="utf-8")
    (folder / "docs" / "spec" / "coverage.toml").write_text(coverage, encoding="utf-8")
    (folder / "tests" / "deep" / "test_sample.py").write_text(tests, encoding="utf-8")
    return folder


def states(root: Path) -> dict[str, str]:
    return {requirement.id: requirement.state for requirement in spec.survey(root).requirements}


def test_the_catalogue_is_headings_and_table_rows_and_nothing_mentioned_in_passing(tmp_path: Path) -> None:
    root = repository(tmp_path)

    assert states(root) == dict.fromkeys(("A-01", "A-02", "A-03", "A-04", "X-01"), "MISSING")


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        pytest.param("def test_A_01_first(): ...", {"A-01"}, id="name"),
        pytest.param("async def test_A_01_and_A_02(): ...", {"A-01", "A-02"}, id="two in an async name"),
        pytest.param("def test_first():\n    'Proves A-01, see also X-01.'", {"A-01", "X-01"}, id="docstring"),
        pytest.param("@mark.parametrize('x', [param(1, id='A-03-ui')])\ndef test_it(x): ...", {"A-03"}, id="parameter"),
        pytest.param("CASES = [('A_03', 1)]\n@mark.parametrize('x', CASES)\ndef test_it(x): ...", {"A-03"}, id="table"),
        pytest.param("class TestGate:\n    def test_A_04_closes(self): ...", {"A-04"}, id="method"),
        pytest.param("class Test_A_04:\n    def test_closes(self): ...", {"A-04"}, id="class name"),
        pytest.param("def test_data():\n    text = 'A-01 is only data'", set[str](), id="not a string in a body"),
        pytest.param("# A-01\ndef test_comment(): ...", set[str](), id="not a comment"),
        pytest.param("def sample_A_01(): ...", set[str](), id="not an ordinary function"),
        pytest.param("def test_A_011x_PLAN_A_01b(): ...", set[str](), id="not part of a word"),
        pytest.param("@pytest.mark.skip\ndef test_A_01(): ...", set[str](), id="not a skipped test"),
        pytest.param("@pytest.mark.xfail(strict=True)\ndef test_A_01(): ...", set[str](), id="not an expected failure"),
    ],
)
def test_what_counts_as_naming_an_id(tmp_path: Path, tests: str, expected: set[str]) -> None:
    root = repository(tmp_path, tests)

    assert {id for id, state in states(root).items() if state == "tested"} == expected


def test_a_tested_id_lists_its_node_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = repository(tmp_path, "class TestGate:\n    def test_A_01_closes(self): ...")

    status = spec.main(["--json", "--root", str(root)])

    first = json.loads(capsys.readouterr().out)["requirements"][0]
    assert status == 0
    assert first["tests"] == ["tests/deep/test_sample.py::TestGate::test_A_01_closes"]


def test_reasons_single_before_range_and_a_test_before_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = repository(
        tmp_path,
        "def test_A_01(): ...",
        '[by_construction]\n"A-02" = "no verb for it"\n'
        '[not_applicable]\n"X-01" = "a comment"\n'
        '[later]\n"A-01..A-03" = "part two"',
    )

    status = spec.main(["--root", str(root)])

    assert capsys.readouterr().out.splitlines() == [
        "A-01   tested           tests/deep/test_sample.py::test_A_01",
        "A-02   by construction  no verb for it",
        "A-03   later            part two",
        "A-04   MISSING          Fourth thing",
        "X-01   not applicable   a comment",
        "5 ids: 1 tested, 0 partly, 1 by construction, 1 not applicable, 1 later, 1 MISSING",
    ]
    assert status == 0


def test_an_id_that_is_partly_there_says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = repository(tmp_path, "def test_A_01(): ...", '[partly]\n"A-01" = "the words are there, the deed is not"')

    status = spec.main(["--root", str(root)])

    shown = capsys.readouterr().out.splitlines()
    assert status == 0
    assert shown[0] == "A-01   partly           the words are there, the deed is not"
    assert "0 tested, 1 partly" in shown[-1]


def test_the_samples_of_this_file_are_no_tests_of_requirements(tmp_path: Path) -> None:
    root = repository(tmp_path)
    (root / "tests" / "test_spec.py").write_text("def test_A_01(): ...", encoding="utf-8")

    assert states(root)["A-01"] == "MISSING"


def test_missing_prints_the_holes_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = repository(tmp_path, coverage='[later]\n"A-01..A-04" = "part two"')

    spec.main(["--missing", "--root", str(root)])

    assert [line[:4] for line in capsys.readouterr().out.splitlines()[:-1]] == ["X-01"]


@pytest.mark.parametrize(
    ("tests", "coverage", "message"),
    [
        ("def test_A_77_no_such(): ...", "", "test_sample.py::test_A_77_no_such: names A-77, which does not exist"),
        ("def test_A_01(): ...", '[later]\n"A-01" = "?"', "A-01 is excused as later, but tests/deep/test_sample.py"),
        ("", '[later]\n"A-03..A-05" = "?"', "'A-03..A-05' names A-05, which does not exist"),
        ("", '[later]\n"A-01" = "?"\n[by_construction]\n"A-01" = "?"', "A-01 is named twice"),
        ("", '[partly]\n"A-01" = "?"', "A-01 is said to be partly there, but no test names it"),
        ("", '[soon]\n"A-01" = "?"', "unknown section [soon]"),
    ],
    ids=[
        "unknown id in a test",
        "excused and tested",
        "range too long",
        "two reasons",
        "partly untested",
        "unknown section",
    ],
)
def test_contradictions_end_with_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tests: str, coverage: str, message: str
) -> None:
    root = repository(tmp_path, tests, coverage)

    status = spec.main(["--root", str(root)])

    assert status == 1
    assert message in capsys.readouterr().err


def test_an_id_defined_twice_is_refused(tmp_path: Path) -> None:
    root = repository(tmp_path)
    (root / "docs" / "spec" / "other.md").write_text("### A-01 Again\n", encoding="utf-8")

    with pytest.raises(SystemExit, match="A-01 is defined twice"):
        spec.survey(root)


def test_the_catalogue_of_this_repository_is_whole() -> None:
    found = spec.catalogue(ROOT / "docs" / "spec")

    last = {"A": 156, "B": 61, "C": 92, "D": 128, "E": 31, "X": 70, "G": 48, "S": 30}
    assert set(found) == {f"{kind}-{number:02}" for kind, count in last.items() for number in range(1, count + 1)}


def test_every_id_named_by_a_test_of_this_repository_exists_and_no_excuse_is_stale() -> None:
    assert spec.survey(ROOT).problems == ()
