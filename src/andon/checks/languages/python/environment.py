"""Prepares what Python checks run with: an interpreter, dependencies at frozen versions, and tools apart from them.

The project's own code is never installed: it is imported from the tree that is measured. Tools, and what builds the
package, have environments of their own, so that one that cannot be had takes nothing else with it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import uv

from andon.checks.building import Site, Workshop, digest_of
from andon.checks.facts import Project, Python
from andon.checks.languages.python.choosing import Chosen, Climb, venv_of
from andon.checks.languages.python.declared import requirement_name
from andon.checks.languages.python.goals import python_goal
from andon.checks.languages.python.interpreter import Interpreter, interpreter_for
from andon.checks.languages.python.package import Package, build_package
from andon.checks.languages.python.project import read_project
from andon.checks.languages.python.rungs import Rung, UvFiles, ladder, uv_files
from andon.checks.languages.python.running import run_uv
from andon.checks.prepared import Environment, NotPrepared
from andon.checks.reading import is_folder, is_present, one_or_more

# Used where the project declares none of its own. The older ones are the last for older interpreters.
TOOLS = {
    "ruff": ("ruff==0.17.4",),
    "mypy": ("mypy==2.4.1 ; python_version >= '3.10'", "mypy==1.14.1 ; python_version < '3.10'"),
}
SOURCES = ("src", "lib")
_NAME = re.compile(r"([A-Za-z0-9][\w.\-]*)(?:\[[^\]]*\])?\s*(?:==|@)")


async def prepare_python(
    workshop: Workshop, tree: Path, project: Project, folder: Path, frozen: str | None, given: Mapping[str, Any]
) -> Environment | NotPrepared:
    python = project.python or Python()
    problem = next((found for found in project.unreadable if found.path in python.manifests), None)
    if problem:
        return NotPrepared(f"{problem.path} cannot be read: {problem.reason}", f"mend {problem.path}")
    wanted = re.match(r"\d+\.\d+", str(given.get("python", "")))
    python = replace(python, prefers=(f"=={wanted[0]}.*", *python.prefers)) if wanted else python
    interpreter = await interpreter_for(workshop, python, folder)
    if isinstance(interpreter, NotPrepared):
        return interpreter
    return await _Preparing(workshop, tree, python, interpreter, one_or_more(given.get("install"))).environment(frozen)


@dataclass(frozen=True, slots=True)
class _Preparing:
    workshop: Workshop
    tree: Path
    python: Python
    interpreter: Interpreter
    given: tuple[str, ...]
    """What andon.toml says is to be installed."""

    async def environment(self, frozen: str | None) -> Environment | NotPrepared:
        told = read_project(self.tree)
        files = uv_files(self.tree, told.pyproject)
        notes: list[str] = []
        package = await build_package(self.workshop, self.tree, told.pyproject, self.interpreter)
        if isinstance(package, NotPrepared):
            notes.append(f"the package itself could not be built: {package.reason}")
            package = Package()
        declared = told.declared
        if declared.base is None:
            declared = declared.with_metadata(package.metadata)
        rungs = ladder(self.tree, declared, told.sessions, self.given)
        places = self._places(files, package)
        chosen = Chosen(frozen) if frozen is not None else await self._climb(rungs, files, package, places).chosen()
        if isinstance(chosen, NotPrepared):
            return chosen
        venv = await venv_of(self.workshop, chosen.requirements, files, self.interpreter)
        if isinstance(venv, NotPrepared):
            return venv
        tools, build, lacks = await self._beside(venv, chosen.requirements, files)
        site = (str(package.site),) if package.site else ()
        folders = (venv, *tools, *((build,) if build else ()))
        program = uv.find_uv_bin()
        return Environment(
            digest_of(
                "python",
                chosen.requirements,
                self.interpreter.identity,
                files.settings,
                package.digest,
                *map(str, folders),
            ),
            paths=(
                *(str(each / "bin") for each in (venv, *tools)),
                *(f"{each}/bin" for each in site),
                str(Path(program).parent),
            ),
            variables={
                "VIRTUAL_ENV": str(venv),
                "PYTHONNOUSERSITE": "1",
                "RUFF_NO_CACHE": "true",
                "RUFF_OUTPUT_FORMAT": "concise",
                "UV_NO_CACHE": "1",
                "UV_OFFLINE": "1",
                # Only building a wheel asks for it: with what [build-system] names, apart from what the tests need.
                "UV_PYTHON": str((build or venv) / "bin" / "python"),
                "UV_PYTHON_DOWNLOADS": "never",
            },
            readable=(*map(str, folders), *site, program, *self.interpreter.readable),
            python_path=places,
            linked=package.linked,
            notes=(*notes, *chosen.notes),
            frozen=chosen.requirements,
            settings={
                "python": ".".join(self.interpreter.version.split(".")[:2]),
                **({"install": chosen.install} if chosen.install else {}),
            },
            lacks=lacks,
        )

    def _climb(self, rungs: tuple[Rung, ...], files: UvFiles, package: Package, places: tuple[str, ...]) -> Climb:
        goal = python_goal("test", self.python)
        return Climb(
            self.workshop,
            self.tree,
            rungs,
            files,
            package,
            self.interpreter,
            goal.commands[0] if goal.commands else (),
            {"PYTHONPATH": ":".join(places)},
            (*self.interpreter.readable, *((str(package.site),) if package.site else ())),
        )

    def _places(self, files: UvFiles, package: Package) -> tuple[str, ...]:
        members = (f"{each}/src" if is_folder(self.tree, f"{each}/src") else each for each in files.members)
        source = (
            name for name in SOURCES if is_folder(self.tree, name) and not is_present(self.tree, f"{name}/__init__.py")
        )
        site = (str(package.site),) if package.site else ()
        return tuple(dict.fromkeys((*source, *members, *package.places, ".", *site)))

    async def _beside(
        self, venv: Path, requirements: str, files: UvFiles
    ) -> tuple[tuple[Path, ...], Path | None, dict[str, str]]:
        """Tools that the tests' environment lacks, what builds the package, and what could not be had."""
        installed = installed_names(requirements)
        tools: list[Path] = []
        lacks: dict[str, str] = {}
        for name, lines in self._tools().items():
            if name not in installed:
                made = await self._apart(name, lines, files, venv)
                if isinstance(made, NotPrepared):
                    lacks[name] = made.reason
                else:
                    tools.append(made)
        build = None
        if self.python.build_requires is not None:
            made = await self._apart("build", self.python.build_requires, files, None)
            if isinstance(made, NotPrepared):
                lacks["uv"] = made.reason
            else:
                build = made
        return tuple(tools), build, lacks

    def _tools(self) -> Mapping[str, tuple[str, ...]]:
        """What linting and checking types needs, by program."""
        found: dict[str, tuple[str, ...]] = {}
        for goal in ("lint", "typecheck"):
            habit = self.python.habits.get(goal)
            for program in dict.fromkeys(words[0] for words in python_goal(goal, self.python).commands):
                lines = habit.lines if habit else ()
                own = () if program in map(requirement_name, lines) else TOOLS.get(program, (program,))
                found[program] = (*lines, *own)
        return found

    async def _apart(
        self, name: str, lines: tuple[str, ...], files: UvFiles, beside: Path | None
    ) -> Path | NotPrepared:
        """An environment of its own; one that is `beside` another sees what is installed there."""
        key = digest_of("apart", name, lines, files.settings, self.interpreter.identity, str(beside))

        async def build(site: Site) -> NotPrepared | None:
            files.give_to(site, whole=False)
            site.give("andon/tools.in", "".join(f"{line}\n" for line in lines))
            here = str(site.made / "venv")
            make = ("venv", "--no-project", "--allow-existing", "--python", str(self.interpreter.program), here)
            problem = await run_uv(site, "venv", make, self.interpreter, cwd=site.given, fix="uv venv")
            install = ("pip", "install", "--python", here, "--link-mode", "copy", "-r", "andon/tools.in")
            problem = problem or await run_uv(
                site, "install", install, self.interpreter, cwd=site.given, fix=f"uv pip install {name}"
            )
            if problem is None and beside and name != "ruff":
                _see(site.made / "venv", beside)
            return problem

        made = await self.workshop.made(key, build)
        return made if isinstance(made, NotPrepared) else made / "venv"


def _see(venv: Path, other: Path) -> None:
    for place in venv.glob("lib/python*/site-packages"):
        further = "".join(f"{path}\n" for path in other.glob("lib/python*/site-packages"))
        (place / "beside.pth").write_text(further)


def installed_names(requirements: str) -> set[str]:
    """Normalised names of what a pinned requirements text installs."""
    return {requirement_name(line.strip()) for line in requirements.splitlines() if _NAME.match(line.strip())}
