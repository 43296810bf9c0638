"""Which folders a program outside the system root brings along, and which it must not."""

from __future__ import annotations

from pathlib import Path

import pytest

from andon.processes import readable_for


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path.resolve() / "home"


def installed(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    return path


def test_a_system_program_brings_nothing(home: Path) -> None:
    assert readable_for("/usr/bin/env", home=home) == ()
    assert readable_for("/bin/sh", home=home) == ()


def test_a_version_below_home_brings_its_prefix(home: Path) -> None:
    node = installed(home / ".nvm/versions/node/v20/bin/node")

    assert readable_for(node, home=home) == (str(home / ".nvm/versions/node/v20"),)


def test_a_virtual_environment_brings_its_base(home: Path) -> None:
    base = installed(home / ".pyenv/versions/3.11/bin/python3")
    venv = home / "project/.venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin/python").symlink_to(base)
    (venv / "pyvenv.cfg").write_text(f"home = {base.parent}\nversion = 3.11\n")

    assert set(readable_for(venv / "bin/python", home=home)) == {str(venv), str(base.parent.parent)}


@pytest.mark.parametrize("place", ["bin/tool", ".local/bin/tool"])
def test_a_program_in_a_persons_own_folder_brings_only_itself(place: str, home: Path) -> None:
    tool = installed(home / place)

    assert readable_for(tool, home=home) == (str(tool),)


def test_relative_links_are_followed(home: Path) -> None:
    real = installed(home / ".local/share/agent/versions/2.1")
    link = home / ".local/bin/agent"
    link.parent.mkdir(parents=True)
    link.symlink_to("../share/agent/versions/2.1")

    assert readable_for(link, home=home) == (str(link), str(real.parent))


def test_E_27_what_a_program_needs_besides_is_named_unless_it_is_a_persons_own(home: Path) -> None:
    python = installed(home / ".local/bin/python3")
    library = home / ".local/lib/python3.13"

    assert readable_for(python, home / ".local", library, home=home) == (str(python), str(library))
