"""What no sandbox shows, whoever asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from andon.checks.languages.javascript.node import NodeProgram
from andon.domain.errors import EnvironmentProblem
from andon.ports import Confinement
from andon.workspace.sandbox.layout import layout


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path.resolve() / "people" / "kim"
    (home / ".local/share/andon").mkdir(parents=True)
    (home / "work").mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.mark.parametrize("place", [".", "..", ".local", ".local/share", ".local/share/andon", ".config"])
def test_E_27_a_persons_folders_and_andons_own_are_never_shown(home: Path, place: str) -> None:
    (home / ".config").mkdir()
    asked = Confinement(folder=str(home / "work"), readable=(str((home / place).resolve()),))

    with pytest.raises(EnvironmentProblem, match="own files"):
        layout(asked, own=str(home / ".local/share/andon/sandbox"))


def test_E_27_a_link_to_a_persons_folder_is_not_shown_either(home: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(home)

    with pytest.raises(EnvironmentProblem, match="own files"):
        layout(Confinement(folder=str(home / "work"), readable=(str(tmp_path / "link"),)))


def test_a_version_below_home_is_shown(home: Path) -> None:
    node = home / ".nvm/versions/node/v22"
    node.mkdir(parents=True)

    shown = layout(Confinement(folder=str(home / "work"), readable=(str(node),)))

    assert str(node) in [place.target for place in shown.places]


@pytest.mark.parametrize("place", [".local", "."])
def test_E_27_npm_in_a_persons_folder_brings_only_itself(home: Path, place: str) -> None:
    bin, package = home / place / "bin", home / place / "lib/node_modules/npm/bin/npm-cli.js"
    bin.mkdir(parents=True)
    package.parent.mkdir(parents=True)
    package.write_text("")
    (bin / "node").write_text("")
    (bin / "npm").symlink_to("../lib/node_modules/npm/bin/npm-cli.js")

    readable = NodeProgram(bin / "node", str(bin / "npm"), "v22").readable

    assert set(readable) == {str(bin / "node"), str(bin / "npm"), str(package.parent.parent)}
    layout(Confinement(folder=str(home / "work"), readable=readable))
