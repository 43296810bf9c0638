"""Samples printed by the real tools."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.auto.coverage import Coverage, Uncovered, read_coverage

PYTEST = """\
tests/test_app.py .                                                      [100%]

================================ tests coverage ================================
_______________ coverage: platform linux, python 3.11.7-final-0 ________________

Name                  Stmts   Miss  Cover   Missing
---------------------------------------------------
src/app/__init__.py       7      3    57%   3, 8-9
tests/test_app.py         3      0   100%
---------------------------------------------------
TOTAL                    10      3    70%
============================== 1 passed in 0.05s ===============================
"""
PYTEST_BRANCHES = """\
Name                  Stmts   Miss Branch BrPart  Cover   Missing
-----------------------------------------------------------------
src/app/__init__.py       7      3      2      1    56%   3, 8-9
-----------------------------------------------------------------
TOTAL                     7      3      2      1  55.56%

1 file skipped due to complete coverage.
"""
JEST = """\
PASS ./app.test.js
  ✓ add (11 ms)

-----------|---------|----------|---------|---------|-------------------
File       | % Stmts | % Branch | % Funcs | % Lines | Uncovered Line #s 
-----------|---------|----------|---------|---------|-------------------
All files  |      50 |       25 |      50 |   50.01 |                   
 src       |      50 |       50 |      50 |      50 |                   
  app.js   |      50 |       50 |      50 |      50 | 3,8-9             
 src/deep  |      50 |        0 |      50 |      50 |                   
  full.js  |     100 |      100 |     100 |     100 |                   
  other.js |      50 |        0 |      50 |      50 | 2-5               
-----------|---------|----------|---------|---------|-------------------
Tests:       2 passed, 2 total
"""  # noqa: W291
VITEST = """\
 % Coverage report from v8
-----------|---------|----------|---------|---------|-------------------
File       | % Stmts | % Branch | % Funcs | % Lines | Uncovered Line #s 
-----------|---------|----------|---------|---------|-------------------
All files  |   45.45 |    66.66 |      50 |   45.45 |                   
 app.js    |   45.45 |       50 |      50 |   45.45 | ...3-4,7-10       
-----------|---------|----------|---------|---------|-------------------
"""  # noqa: W291
PYTHON_FILE = Uncovered("src/app/__init__.py", "3, 8-9")
JEST_FILES = (Uncovered("src/app.js", "3,8-9"), Uncovered("src/deep/other.js", "2-5"))


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (PYTEST, Coverage(70.0, (PYTHON_FILE,))),
        (PYTEST_BRANCHES, Coverage(55.56, (PYTHON_FILE,))),
        (JEST, Coverage(50.01, JEST_FILES)),
        (VITEST, Coverage(45.45, (Uncovered("app.js", "...3-4,7-10"),))),
        (JEST.replace("50.01", "\x1b[33;1m50.01\x1b[0m"), Coverage(50.01, JEST_FILES)),
        (PYTEST + JEST, Coverage(50.01, (PYTHON_FILE, *JEST_FILES))),
    ],
)
def test_A_121_percentage_and_uncovered_lines(output: str, expected: Coverage) -> None:
    assert read_coverage(output) == expected


@pytest.mark.parametrize("output", ["", "1 passed in 0.05s", "TOTAL 10 3 70%", "Name  Stmts  Miss  Cover\n----\n"])
def test_A_121_without_a_table_there_is_no_coverage(output: str) -> None:
    assert read_coverage(output) is None


@given(st.text(max_size=200))
def test_A_121_any_output_can_be_read(noise: str) -> None:
    found = read_coverage(f"{noise}\n{PYTEST}")
    assert found is not None and found.percent <= 70.0
