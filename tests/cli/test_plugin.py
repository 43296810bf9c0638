"""`andon plugin` without Claude Code: a copy with a real interpreter, settings that keep what is there, and lint."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import andon
from andon.app.plugin import ID, install, lint, plugin_folder, uninstall
from andon.domain.errors import UserError

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def person_without_claude(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "bin").mkdir()
    return {"HOME": str(tmp_path / "home"), "ANDON_HOME": str(tmp_path / "andon"), "PATH": str(tmp_path / "bin")}


@pytest.mark.parametrize("scope", ["user", "project"])
def test_installed_by_settings_it_can_be_taken_away_again(
    tmp_path: Path, person_without_claude: dict[str, str], scope: str
) -> None:
    folder = {"user": tmp_path / "home/.claude", "project": tmp_path / "work/.claude"}[scope]
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text('{"model": "opus"}')

    done = install(person_without_claude, scope, tmp_path / "work")

    settings = json.loads((folder / "settings.json").read_text())
    assert settings["model"] == "opus"
    assert settings["enabledPlugins"] == {ID: True}
    assert Path(settings["extraKnownMarketplaces"]["andon"]["source"]["path"], "uam") == Path(done.folder)
    assert uninstall(person_without_claude, scope, tmp_path / "work")
    assert json.loads((folder / "settings.json").read_text()) == {"model": "opus"}
    assert not uninstall(person_without_claude, scope, tmp_path / "work") or scope == "project"


def test_what_a_project_uses_is_not_taken_away_with_a_persons_own(person: Any) -> None:
    """Its settings would name a folder that is gone, and the answer was: uninstalled."""
    kept = {"PATH": "/usr/bin:/bin"}
    assert person.andon("plugin", "install", "--project", env=kept).code == 0

    refused = person.andon("plugin", "uninstall", env=kept)
    copy = person.home / "plugin/uam"
    assert refused.code == 3 and "andon plugin uninstall --project" in refused.stderr and copy.is_dir()
    person.andon("plugin", "install", env=kept)
    assert person.andon("plugin", "uninstall", env=kept).stdout == "Uninstalled uam@andon.\n" and copy.is_dir()
    assert person.andon("plugin", "uninstall", "--project", env=kept).stdout == "Uninstalled uam@andon.\n"
    assert ID not in (person.repository / ".claude/settings.json").read_text()


def test_to_forget_a_state_that_there_is_not_makes_none(person: Any) -> None:
    path = f"{plugin_folder()}/bin/uam"
    person.andon("uam", "cancel", "--force")
    told = subprocess.run(["sh", path, "cancel", "--force"], cwd=person.repository, capture_output=True, text=True)

    assert "no state here" in told.stdout
    assert not (person.repository / ".uam").exists()


def test_the_copy_has_a_real_interpreter_and_is_whole(tmp_path: Path, person_without_claude: dict[str, str]) -> None:
    done = install(person_without_claude, "user", tmp_path)
    hooks = (Path(done.folder) / "hooks/hooks.json").read_text()

    interpreter = Path(done.interpreter)
    assert interpreter.is_absolute() and not interpreter.is_symlink()
    assert interpreter.read_bytes()[:4] == b"\x7fELF" or sys.platform != "linux", "no shim, which is a script"
    assert '"python3"' not in hooks and hooks.count(done.interpreter) == 6
    assert lint(Path(done.folder)) == []
    shown = subprocess.run(["sh", f"{done.folder}/bin/uam", "status"], env={}, cwd=tmp_path, capture_output=True)
    assert shown.stdout.decode() == "No pipeline is active here.\n", shown.stderr


def test_installing_twice_replaces_the_copy(tmp_path: Path, person_without_claude: dict[str, str]) -> None:
    first = install(person_without_claude, "user", tmp_path)
    (Path(first.folder) / "agents/uam-pm.md").write_text("spoilt")

    second = install(person_without_claude, "user", tmp_path)

    assert second == first
    assert lint(Path(second.folder)) == []
    assert [path.name for path in Path(person_without_claude["ANDON_HOME"]).iterdir()] == ["plugin"]


def test_settings_that_cannot_be_read_are_left_as_they_are(
    tmp_path: Path, person_without_claude: dict[str, str]
) -> None:
    settings = tmp_path / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text("{broken")

    with pytest.raises(UserError, match="not JSON"):
        install(person_without_claude, "project", tmp_path)

    assert settings.read_text() == "{broken"


def test_lint_of_a_broken_plugin_ends_with_1_and_names_the_file(person: Any, tmp_path: Path) -> None:
    (tmp_path / "broken/agents").mkdir(parents=True)
    (tmp_path / "broken/agents/one.md").write_text("---\nname: two\nmodel: gpt\n---\n")

    ran = person.andon("plugin", "lint", str(tmp_path / "broken"), "--json")

    assert ran.code == 1
    assert {each["file"] for each in json.loads(ran.stdout)} == {"agents/one.md", ".claude-plugin/plugin.json"}
    shutil.copytree(plugin_folder(), tmp_path / "odd")
    (tmp_path / "odd/skills/uam-status/SKILL.md").rename(tmp_path / "odd/skills/uam-status/OTHER.md")
    assert "1 problem in" in person.andon("plugin", "lint", str(tmp_path / "odd")).stderr
    assert person.andon("plugin", "lint").code == 0
    assert person.andon("plugin", "path").stdout.strip() == str(plugin_folder())


def test_the_wheel_carries_the_plugin_and_andon_finds_it_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    package = tmp_path / "site-packages/andon"
    for source, target in included.items():
        shutil.copytree(ROOT / source, tmp_path / "site-packages" / target)

    monkeypatch.setattr(andon, "__file__", str(package / "__init__.py"))

    assert plugin_folder() == package / "plugin"
    assert lint(plugin_folder()) == []
