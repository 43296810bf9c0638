"""A case of the adversarial suite: a folder with `case.toml`, and what it does to a project, as files or as edits.

case.toml:  title     one sentence: what the change does
            project   a folder of projects/
            expects   (cheats) rules of which at least one must be found
            answer    (cheats) "ask" where nothing can be measured against it, so that its owner is asked; else refused
            deleted   paths that go, also folders  renamed   [[old, new], …]
            links     {path = target}              modes     {path = "755"}
            files     {path = text} to write       submodules  {path = commit}
            [[edit]]  path, old, new               `old` must be there exactly once
Beside it: change/ (larger files to write), plan.md (given as --plan), oracle/ (given as --oracle).
"""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andon.domain.verification import Answer

HERE = Path(__file__).parent
KEYS = {"title", "project", "expects", "answer", "deleted", "renamed", "links", "modes", "files", "submodules", "edit"}


@dataclass(frozen=True)
class Case:
    folder: Path
    told: dict[str, Any]

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def expects(self) -> frozenset[str]:
        return frozenset(self.told.get("expects", ()))

    @property
    def answer(self) -> Answer:
        return Answer(self.told.get("answer", "refused"))

    @property
    def plan(self) -> Path | None:
        return self._beside("plan.md")

    @property
    def oracle(self) -> Path | None:
        return self._beside("oracle")

    def _beside(self, name: str) -> Path | None:
        path = self.folder / name
        return path if path.exists() else None

    def set_up(self, repository: Path) -> None:
        """A repository whose branch `main` is the project, and `change` the change."""
        shutil.copytree(HERE / "projects" / self.told["project"], repository, copy_function=shutil.copy)
        _git(repository, "init", "-q", "-b", "main")
        _git(repository, "add", "-A", "-f")
        _commit(repository, "base")
        _git(repository, "checkout", "-q", "-b", "change")
        self._change(repository)
        _git(repository, "add", "-A", "-f")
        for path, commit in self.told.get("submodules", {}).items():
            _git(repository, "update-index", "--add", "--cacheinfo", f"160000,{commit},{path}")
        _commit(repository, self.told["title"])

    def _change(self, tree: Path) -> None:
        for path in map(tree.joinpath, self.told.get("deleted", ())):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for old, new in self.told.get("renamed", ()):
            (tree / new).parent.mkdir(parents=True, exist_ok=True)
            (tree / old).rename(tree / new)
        if (self.folder / "change").is_dir():
            shutil.copytree(self.folder / "change", tree, copy_function=shutil.copy, dirs_exist_ok=True, symlinks=True)
        for path, text in self.told.get("files", {}).items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text)
        for edit in self.told.get("edit", ()):
            text = (tree / edit["path"]).read_text()
            assert text.count(edit["old"]) == 1, (
                f"{edit['old']!r} stands {text.count(edit['old'])} times in {edit['path']}"
            )
            (tree / edit["path"]).write_text(text.replace(edit["old"], edit["new"]))
        for path, target in self.told.get("links", {}).items():
            (tree / path).unlink(missing_ok=True)
            (tree / path).symlink_to(target)
        for path, mode in self.told.get("modes", {}).items():
            (tree / path).chmod(int(mode, 8))


def cases(kind: str) -> list[Case]:
    """Of `cheats` or `honest`, by name."""
    found = [Case(path.parent, tomllib.loads(path.read_text())) for path in sorted((HERE / kind).glob("*/case.toml"))]
    for case in found:
        unknown = set(case.told) - KEYS
        assert not unknown, f"{case.folder}: unknown keys {sorted(unknown)}"
    return found


def _commit(repository: Path, message: str) -> None:
    _git(repository, "commit", "-q", "--allow-empty", "-m", message)


def _git(repository: Path, *words: str) -> None:
    settings = ("user.name=someone", "user.email=someone@example.org", "core.fileMode=true", "maintenance.auto=false")
    options = [word for setting in settings for word in ("-c", setting)]
    subprocess.run(["git", *options, *words], cwd=repository, check=True, capture_output=True)
