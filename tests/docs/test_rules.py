"""The page on how andon decides has every rule, and its examples are commands that exist."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from andon.checks.verifying.oracle import read_cases

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/how-andon-decides.md").read_text(encoding="utf-8")


def test_the_table_of_findings_is_written_from_the_rules() -> None:
    told = subprocess.run([sys.executable, ROOT / "tools/rules.py", "--check"], capture_output=True, text=True)

    assert told.returncode == 0, told.stderr


def test_the_example_of_an_oracle_is_one(tmp_path: Path) -> None:
    [example] = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "cases.toml").write_text(example)

    [case] = read_cases(tmp_path)

    assert tomllib.loads(example)["case"][0]["stdout"] == case.stdout == "4.00"


def test_the_picture_is_there() -> None:
    for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", PAGE):
        assert (ROOT / "docs" / path).is_file()
