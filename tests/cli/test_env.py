"""`andon env`: what checks run with here, shown, tried and written."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

FILES = {
    "pyproject.toml": '[project]\nname = "app"\nversion = "1"\ndependencies = ["six"]\n'
    '[dependency-groups]\ntest = ["idna"]\n',
    "app.py": "import six\n",
    "test_app.py": "import app, idna\n\n\ndef test_it():\n    assert app.six and idna\n",
}


@pytest.fixture
def project(person: Any) -> Any:
    for name, text in FILES.items():
        Path(person.repository, name).write_text(text)
    return person


def test_what_is_found_is_shown_rung_by_rung_in_eighty_columns(project: Any) -> None:
    ran = project.andon("env")
    assert ran.code == 0, ran.stdout + ran.stderr
    assert "  1. group test: idna, six\n  2. the package itself: six\n" in ran.stdout
    assert "test       pytest -v\n" in ran.stdout and "--try" in ran.stdout
    assert max(map(len, ran.stdout.splitlines())) <= 80


def test_what_works_is_written_and_comes_first_from_then_on(project: Any) -> None:
    settings = Path(project.repository, "andon.toml")
    settings.write_text("# ours\nlanguage = 'en'\n")

    ran = project.andon("env", "--write")

    assert ran.code == 0 and "  group test: 1 tests collected\n" in ran.stdout, ran.stdout + ran.stderr
    text = settings.read_text()
    assert text.startswith("# ours\nlanguage = 'en'\n") and 'install = [".", "group:test"]' in text
    again = json.loads(project.andon("env", "--try", "--json").stdout)
    assert again["found"][0]["rungs"][0] == ["andon.toml", "idna, six"]
    assert again["notes"] == ["andon.toml: 1 tests collected"] and not again["written"]


def test_without_an_environment_the_error_itself_and_what_would_change_it_are_told(project: Any) -> None:
    Path(project.repository, "pyproject.toml").write_text('[project]\nname = "app"\ndependencies = ["six>999"]\n')

    ran = project.andon("env", "--write")

    assert ran.code == 2
    assert "No environment: uv pip compile failed: " in ran.stdout and "six>999" in ran.stdout
    assert "environment.install" in ran.stdout
    assert not Path(project.repository, "andon.toml").exists()


def test_a_mistake_in_the_settings_names_its_line(project: Any) -> None:
    Path(project.repository, "andon.toml").write_text("[environment]\ninstal = []\n")
    subprocess.run(["git", "add", "-A"], cwd=project.repository, check=True, timeout=30)

    ran = project.andon("env")

    assert ran.code == 3 and "andon.toml:2: environment.instal" in ran.stderr and "install" in ran.stderr
