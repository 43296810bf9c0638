"""Where ordeals happen: one ANDON_HOME, fresh repositories, and a witness that notes every start of the sandbox."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ordeals.kinds import PROJECT, Kind

PASSED_ON = ("LANG", "PYTHONPATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "LD_LIBRARY_PATH")
PASSED_ON_PREFIXES = ("UV_", "PIP_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY")
_WITNESS = """#!/bin/sh
# Notes what is about to be started, where, and gives way to the real sandbox. Nothing of andon writes this file.
folder= command= before=
for word do
    if [ "$command" ]; then command="$command $word"
    elif [ "$word" = -- ]; then command=:
    elif [ "$before" = --chdir ]; then folder=$word
    fi
    before=$word
done
[ "$command" ] && printf '%s\\t%s\\n' "$folder" "$command" >>'{log}'
exec '{real}' "$@"
"""
_GH = "#!/bin/sh\nexit 0\n"
"""A GitHub without issues: what the machine at hand has must not decide what a run says."""


@dataclass(frozen=True)
class Place:
    root: Path

    @classmethod
    def make(cls, root: Path, downloads: Path, environments: Path | None = None) -> Place:
        """A place in an empty folder. Packages come from the shared `downloads`; environments are built here, so that
        kills hit that too, unless shared ones are given."""
        place = cls(root)
        for folder in (place.home, place.programs, place.user, place.temporary, root / "repositories"):
            folder.mkdir(parents=True)
        if environments is not None:
            (place.home / "environments").symlink_to(environments, target_is_directory=True)
        else:
            downloads.mkdir(parents=True, exist_ok=True)
            (place.home / "environments").mkdir()
            (place.home / "environments" / "cache").symlink_to(downloads, target_is_directory=True)
        real = shutil.which("bwrap")
        if real is not None:
            _program(place.programs / "bwrap", _WITNESS.format(log=place.witness, real=real))
        _program(place.programs / "gh", _GH)
        return place

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def programs(self) -> Path:
        return self.root / "programs"

    @property
    def user(self) -> Path:
        return self.root / "user"

    @property
    def temporary(self) -> Path:
        return self.root / "tmp"

    @property
    def witness(self) -> Path:
        return self.root / "witness.log"

    @property
    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if k in PASSED_ON or k.upper().startswith(PASSED_ON_PREFIXES)}
        return kept | {
            "PATH": f"{self.programs}:{os.environ.get('PATH', os.defpath)}",
            "HOME": str(self.user),
            "TMPDIR": str(self.temporary),
            "ANDON_HOME": str(self.home),
        }

    def repository(self, name: str, more: Mapping[str, str] | None = None) -> Path:
        """A fresh repository with one commit, and beside it nothing."""
        folder = self.root / "repositories" / name / "tally"
        for path, text in {**PROJECT, **(more or {})}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        self.git(folder, "init", "--quiet", "--initial-branch=main")
        self.git(folder, "config", "user.name", "A Person")
        self.git(folder, "config", "user.email", "person@example.invalid")
        self.git(folder, "add", "--all")
        self.git(folder, "commit", "--quiet", "--message", "Words")
        return folder

    def scenario(self, kind: Kind) -> Path:
        path = self.root / f"{kind.name}.yaml"
        if not path.exists():
            path.write_text(json.dumps(kind.scenario))  # JSON is YAML
        return path

    def git(self, folder: Path, *words: str) -> str:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.user), "GIT_CONFIG_NOSYSTEM": "1"}
        # A fixed time: the same files are then the same commit in every repository.
        environment |= {"GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}
        done = subprocess.run(["git", *words], cwd=folder, env=environment, capture_output=True, timeout=60)
        if done.returncode != 0:
            raise RuntimeError(f"git {' '.join(words)}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode("utf-8", "replace")

    def witnessed(self, run: str) -> Counter[str]:
        """How often each process of a run was really started, told by the witness and named as within the run."""
        seen: Counter[str] = Counter()
        folder = f"{self.home}/runs/{run}/"
        for line in self._witnessed():
            where, _, command = line.partition("\t")
            if folder in line:
                words = " ".join(command.replace(folder, "").split()[-3:])
                seen[f"{where.replace(folder, '')}: {words}"] += 1
        return seen

    def rebuilt(self) -> list[str]:
        """Steps in the building of environments, which all runs share, that were done more than once."""
        seen = Counter(line for line in self._witnessed() if "/environments/" in line and "/runs/" not in line)
        return [line for line, count in seen.items() if count > 1]

    def _witnessed(self) -> list[str]:
        return self.witness.read_text(errors="replace").splitlines() if self.witness.exists() else []


def _program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)
