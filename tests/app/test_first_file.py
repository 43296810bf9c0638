"""`andon init`: a file that explains every setting and changes none; each of its lines counts once uncommented."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from andon.app.first_file import first_file, settings_in_order
from andon.app.home import Home
from andon.app.settings import TABLES, Settings, known_keys, load_settings
from andon.app.settings_sources import File
from andon.app.trust import trust
from warm import Finished

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
KEYS = [setting for settings in settings_in_order("claude").values() for setting in settings]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "repository/.git").mkdir(parents=True)
    return tmp_path / "repository"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "home").mkdir()
    return Home.of({"ANDON_HOME": str(tmp_path / "home")})


def loaded(home: Home, repository: Path, text: str) -> Settings:
    (repository / "andon.toml").write_text(text)
    trust(home, File.read(repository / "andon.toml"))
    return load_settings(home, repository, {}, {})[0]


def uncommented(text: str, key: str = "") -> str:
    """With the # taken away before one key, or before all of them."""
    return "\n".join(
        line.removeprefix("#") if line.startswith(f"#{key}") and not line.startswith(("# ", "##")) else line
        for line in text.splitlines()
    )


def test_the_file_sets_nothing(home: Home, repository: Path) -> None:
    text = first_file(ENVIRONMENT, repository).text

    assert tomllib.loads(text) == {}
    assert loaded(home, repository, text) == Settings.model_validate({})


@pytest.mark.parametrize("setting", KEYS, ids=lambda each: each.key)
def test_every_line_counts_by_itself_and_says_what_holds_anyway(home: Home, repository: Path, setting: Any) -> None:
    text = uncommented(first_file(ENVIRONMENT, repository).text, f"{setting.key} =")
    [name] = tomllib.loads(text)

    found = loaded(home, repository, text)

    if not setting.unset and name not in TABLES:
        assert found == Settings.model_validate({})
    else:
        assert getattr(found, name) != getattr(Settings.model_validate({}), name)


def test_all_lines_count_together(home: Home, repository: Path) -> None:
    text = uncommented(first_file(ENVIRONMENT, repository).text)

    assert set(tomllib.loads(text)) == set(Settings.model_fields)
    loaded(home, repository, text)


def test_every_setting_is_there_with_its_meaning(repository: Path) -> None:
    text = first_file(ENVIRONMENT, repository).text
    plain = {key for key, below in known_keys().items() if not below and key not in TABLES}
    below = {f"{key}.{each}" for key, names in known_keys().items() for each in names}

    listed = {setting.key for setting in KEYS}
    assert plain | below <= listed
    words = " ".join(text.replace("\n# ", " ").split())
    assert all(setting.meaning in words for setting in KEYS)


def test_what_people_change_first_stands_first_and_what_was_found_above(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/codex").write_text("#!/bin/sh\n")
    (tmp_path / "bin/codex").chmod(0o755)
    (repository / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "0"\n')
    (repository / "tests").mkdir()
    (repository / "tests/test_x.py").write_text("def test_x(): pass\n")

    made = first_file({**ENVIRONMENT, "PATH": str(tmp_path / "bin"), "OPENAI_API_KEY": "sk-secret"}, repository)

    assert (made.agents["claude"], made.agents["codex"]) == ("not installed", "installed, signed in")
    assert made.commands["test"].startswith("pytest")
    assert '#runtime = "codex"' in made.text and "#   check test        pytest" in made.text
    assert 'roles.critic.runtime = "claude"' in made.text and "sk-secret" not in made.text
    assert made.text.index("#runtime") < made.text.index("#budget.money") < made.text.index("#limits.")


def test_init_writes_once(run_andon: Callable[..., Finished], repository: Path) -> None:
    (repository / "below").mkdir()
    here = ("--repo", str(repository / "below"))

    wrote = run_andon("init", *here)
    again = run_andon("init", *here)

    path = repository / "andon.toml"
    assert wrote.code == 0 and str(path) in wrote.stdout and 'andon auto "…"' in wrote.stdout
    assert again.code == 3 and "--force" in again.stderr
    path.write_text("language = 'ko'\n")
    assert run_andon("init", *here).code == 3 and path.read_text() == "language = 'ko'\n"
    assert run_andon("init", *here, "--force").code == 0 and tomllib.loads(path.read_text()) == {}


def test_init_shows_what_it_would_write(run_andon: Callable[..., Finished], repository: Path) -> None:
    shown = run_andon("init", "--repo", str(repository), "--print")
    told = json.loads(run_andon("init", "--repo", str(repository), "--print", "--json").stdout)

    assert not (repository / "andon.toml").exists()
    assert tomllib.loads(shown.stdout) == {} and "#runtime = " in shown.stdout
    assert told["text"] == shown.stdout and told["written"] is False


def test_init_outside_of_a_repository_says_so(run_andon: Callable[..., Finished], tmp_path: Path) -> None:
    ran = run_andon("init", "--repo", str(tmp_path))

    assert ran.code == 3 and "in no git repository" in ran.stderr


def test_init_follows_no_link(run_andon: Callable[..., Finished], repository: Path, tmp_path: Path) -> None:
    (repository / "andon.toml").symlink_to(tmp_path / "elsewhere")

    assert run_andon("init", "--repo", str(repository)).code == 3
    run_andon("init", "--repo", str(repository), "--force")

    assert not (tmp_path / "elsewhere").exists()
    assert os.path.lexists(repository / "andon.toml")
