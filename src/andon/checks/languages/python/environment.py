"""Builds a Python project's environment: an interpreter, every dependency at a frozen version, andon's own tools.

The project itself is never installed and its own code never runs here, except where only its build code can name its
dependencies; that happens with a download cache of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import uv

from andon.checks.building import Site, Workshop, copy_tree, digest_of, failed
from andon.checks.facts import Project, Python
from andon.checks.languages.python.inputs import Inputs, gather
from andon.checks.languages.python.interpreter import Interpreter
from andon.checks.prepared import NotPrepared
from andon.checks.reading import LOCK_BYTES, read_text

# Used where the project declares none of its own. The older ones are the last for older interpreters.
TOOLS = {
    "pytest": ("pytest==9.2.0 ; python_version >= '3.10'", "pytest==8.3.5 ; python_version < '3.10'"),
    "ruff": ("ruff==0.17.4",),
    "mypy": ("mypy==2.4.1 ; python_version >= '3.10'", "mypy==1.14.1 ; python_version < '3.10'"),
}
_NAME = re.compile(r"([A-Za-z0-9][\w.\-]*)(?:\[[^\]]*\])?\s*(?:==|@)")
_FROM_ADDRESS = re.compile(r"^\S+ @ ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PythonBuilt:
    venv: Path
    digest: str
    requirements: str
    members: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


async def build_python(
    workshop: Workshop, tree: Path, project: Project, interpreter: Interpreter, frozen: str | None
) -> PythonBuilt | NotPrepared:
    python = project.python or Python()
    inputs = gather(tree, project)
    if isinstance(inputs, NotPrepared):
        return inputs
    requirements = frozen if frozen is not None else await _resolved(workshop, tree, python, inputs, interpreter)
    if isinstance(requirements, NotPrepared):
        return requirements
    digest = digest_of("python", requirements, interpreter.identity, inputs.settings)
    made = await workshop.made(digest, lambda site: _install(site, requirements, inputs, interpreter))
    if isinstance(made, NotPrepared):
        return made
    return PythonBuilt(made / "venv", digest, requirements, inputs.members, inputs.notes)


def installed_names(requirements: str) -> set[str]:
    """Normalised names of what a pinned requirements text installs."""
    found = (_NAME.match(line.strip()) for line in requirements.splitlines())
    return {re.sub(r"[-_.]+", "-", match[1]).lower() for match in found if match}


async def _resolved(
    workshop: Workshop, tree: Path, python: Python, inputs: Inputs, interpreter: Interpreter
) -> str | NotPrepared:
    """Pinned requirements with hashes; resolved once for the same declarations, and the same ever after."""
    tools = {name: pins for name, pins in TOOLS.items() if name != "mypy" or python.mypy}
    key = digest_of("resolved", inputs.digest, tools, interpreter.identity)
    made = await workshop.made(key, lambda site: _Resolution(site, tree, python, inputs, interpreter).resolve(tools))
    if isinstance(made, NotPrepared):
        return made
    text = read_text(made, "frozen.txt", limit=LOCK_BYTES)
    return text if isinstance(text, str) else NotPrepared("the resolved requirements cannot be read", inputs.fix)


@dataclass(frozen=True, slots=True)
class _Resolution:
    site: Site
    tree: Path
    python: Python
    inputs: Inputs
    interpreter: Interpreter

    async def resolve(self, tools: Mapping[str, tuple[str, ...]]) -> NotPrepared | None:
        self.inputs.give_to(self.site)
        if self.python.dynamic_dependencies:
            self.site.begin(lambda made: copy_tree(self.tree, made / "tree"))
        locked = self.inputs.locked if self.inputs.locked is not None else await self._project()
        if isinstance(locked, NotPrepared):
            return locked
        missing = [name for name in tools if name not in installed_names(locked)]
        pinned = [pin for name in missing for pin in tools[name]]
        problem = await self._complete("tools", locked, pinned)
        if problem and missing and not problem.environment_error:
            # The project's own pins may rule out andon's: then whichever version fits.
            return await self._complete("any-tools", locked, missing)
        return problem

    async def _project(self) -> str | NotPrepared:
        """What the project itself needs, as pinned requirements."""
        groups = tuple(flag for name in self.python.groups for flag in ("--group", name))
        extras = tuple(flag for name in self.python.extras for flag in ("--extra", name))
        if self.python.lock and self.python.lock.path == "uv.lock":
            export = ("export", "--frozen", "--no-emit-workspace", "--no-emit-local", "--format", "requirements-txt")
            problem = await self._uv("export", (*export, *groups, *extras), "project.txt")
        elif self.inputs.sources or groups:
            compile = ("pip", "compile", *self.inputs.sources, "--generate-hashes", *groups, *extras)
            problem = await self._uv("project", compile, "project.txt", dynamic=self.python.dynamic_dependencies)
        else:
            return ""
        text = read_text(self.site.made, "project.txt", limit=LOCK_BYTES)
        return problem or (text if isinstance(text, str) else NotPrepared("uv left no requirements", self.inputs.fix))

    async def _complete(self, name: str, project: str, tools: list[str]) -> NotPrepared | None:
        """The project's requirements, tools and build backend as one consistent set."""
        wanted = (*tools, *(self.python.build_requires or ()))
        self.site.give("andon/project.txt", project)
        self.site.give(f"andon/{name}.in", "".join(f"{line}\n" for line in wanted))
        return await self._uv(
            name, ("pip", "compile", "andon/project.txt", f"andon/{name}.in", "--generate-hashes"), "frozen.txt"
        )

    async def _uv(
        self, name: str, arguments: tuple[str, ...], output: str, *, dynamic: bool = False
    ) -> NotPrepared | None:
        told = ("--no-header", "--no-annotate", "--quiet", "--output-file", str(self.site.made / output))
        arguments = (*arguments, *told, "--python", str(self.interpreter.program))
        cwd = self.site.made / "tree" if dynamic else self.site.given
        return await _run_uv(
            self.site, name, arguments, self.interpreter, cwd=cwd, fix=self.inputs.fix, code_runs=dynamic
        )


async def _install(site: Site, requirements: str, inputs: Inputs, interpreter: Interpreter) -> NotPrepared | None:
    inputs.give_settings_to(site)
    site.give("andon/requirements.txt", requirements)
    venv = str(site.made / "venv")
    make = ("venv", "--no-project", "--allow-existing", "--python", str(interpreter.program), venv)
    problem = await _run_uv(site, "venv", make, interpreter, cwd=site.given, fix=inputs.fix)
    if problem:
        return problem
    # Versions from a git address have no hash to require; those that have one are verified all the same.
    strict = () if _FROM_ADDRESS.search(requirements) else ("--require-hashes",)
    install = ("pip", "install", "--python", venv, "--no-deps", "--link-mode", "copy", "--compile-bytecode", *strict)
    install = (*install, "-r", "andon/requirements.txt")
    return await _run_uv(site, "install", install, interpreter, cwd=site.given, fix=inputs.fix)


async def _run_uv(
    site: Site,
    name: str,
    arguments: tuple[str, ...],
    interpreter: Interpreter,
    *,
    cwd: Path,
    fix: str,
    code_runs: bool = False,
) -> NotPrepared | None:
    """With ready-made wheels and the shared cache; if that is not enough, building from source with a private one."""
    program = uv.find_uv_bin()
    readable = (program, *interpreter.readable)
    env = {"UV_PYTHON_DOWNLOADS": "never", "UV_NO_PROGRESS": "1"}
    what = f"uv {arguments[0]} {arguments[1]}" if arguments[0] == "pip" else f"uv {arguments[0]}"
    if not code_runs:
        shared = str(site.workshop.cache("uv"))
        no_build = ("--no-build",) if arguments[0] == "pip" else ()
        careful = (program, *arguments, *no_build, "--cache-dir", shared)
        step = await site.run(name, careful, cwd=cwd, env=env, readable=readable, writable=(shared,))
        if step.ok:
            return None
        problem = failed(step, what, fix)
        if not no_build or problem.environment_error:
            return problem
    private = (program, *arguments, "--cache-dir", str(site.made / "cache"))
    step = await site.run(f"{name}-building", private, cwd=cwd, env=env, readable=readable, code_runs=True)
    return None if step.ok else failed(step, what, fix)
