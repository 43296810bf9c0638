"""Climbs the ladder of a Python project: the first rung whose environment can be built and that collects the tests.

Each rung's versions are resolved once for the same declarations; what was chosen is kept, with the reasons.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from andon.checks.building import Site, Workshop, digest_of
from andon.checks.languages.python.collecting import Collected, collect
from andon.checks.languages.python.interpreter import Interpreter
from andon.checks.languages.python.package import Package
from andon.checks.languages.python.rungs import Rung, UvFiles
from andon.checks.languages.python.running import run_uv
from andon.checks.prepared import NotPrepared
from andon.checks.reading import LOCK_BYTES, read_bytes, read_text, source_files

# Used where the project declares none of its own. The older ones are the last for older interpreters.
PYTEST = ("pytest==9.2.0 ; python_version >= '3.10'", "pytest==8.3.5 ; python_version < '3.10'")
MOST_MENDED = 6
"""Rounds of adding what the tests could not import."""
_FROM_ADDRESS = re.compile(r"^\S+ @ ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Chosen:
    requirements: str
    notes: tuple[str, ...] = ()
    install: tuple[str, ...] = ()
    """What andon.toml would say for it; nothing for a lock file, which comes first anyway."""


@dataclass(frozen=True, slots=True)
class Climb:
    workshop: Workshop
    tree: Path
    rungs: tuple[Rung, ...]
    files: UvFiles
    package: Package
    interpreter: Interpreter
    command: tuple[str, ...]
    """What the tests are run with; empty where there are none."""
    variables: Mapping[str, str]
    readable: tuple[str, ...]

    async def chosen(self) -> Chosen | NotPrepared:
        """What was chosen for the same declarations and collected every test holds for every tree; else for this."""
        told = [asdict(rung) for rung in self.rungs]
        key = digest_of(
            "chosen", told, self.files.settings, self.package.digest, self.interpreter.identity, self.command
        )
        own = digest_of(key, _signature(self.tree))
        kept = self.workshop.told(key) or self.workshop.told(own)
        if kept is None:
            clean: list[bool] = []

            async def climb(site: Site) -> NotPrepared | None:
                ended = await self._climb(site)
                if isinstance(ended, NotPrepared):
                    return ended
                clean.append(ended[1])
                site.tell(asdict(ended[0]))
                return None

            made = await self.workshop.made(own, climb)
            if isinstance(made, NotPrepared):
                return made
            kept = self.workshop.told(own) or {}
            if any(clean):
                await self.workshop.tell(key, kept)
        return Chosen(kept["requirements"], tuple(kept["notes"]), tuple(kept["install"]))

    async def _climb(self, site: Site) -> tuple[Chosen, bool] | NotPrepared:
        """And whether every test was collected."""
        notes: list[str] = []
        problems: list[NotPrepared] = []
        partly: list[tuple[Collected, Rung, Chosen]] = []
        for number, rung in enumerate(self.rungs, start=1):
            built = await self._built(rung)
            if isinstance(built, NotPrepared):
                problems.append(built)
                notes.append(f"{rung.name}: not usable: {built.reason}")
                continue
            collected = await self._collected(site, f"collect-{number}", built.requirements)
            notes += (f"{rung.name}: {note}" for note in built.notes)
            if collected is None or collected.clean:
                count = f"{collected.tests} tests collected" if collected else "built"
                return replace(built, notes=(*notes, f"{rung.name}: {count}")), True
            notes.append(f"{rung.name}: {_told(collected)}")
            partly.append((collected, rung, built))
        if not partly:
            first = next((each for each in problems if not each.environment_error), problems[0])
            return replace(first, output="\n".join((*notes, first.output)).strip())
        return await self._mended(site, notes, partly)

    async def _mended(
        self, site: Site, notes: list[str], partly: list[tuple[Collected, Rung, Chosen]]
    ) -> tuple[Chosen, bool]:
        """The rung that collects most, with what its tests import and cannot find."""
        collected, rung, built = min(partly, key=lambda each: (each[0].errors, -each[0].tests))
        best = (collected, built)
        added: tuple[str, ...] = ()
        for number in range(1, MOST_MENDED + 1):
            missing = tuple(each for each in collected.missing if each not in added)
            if not missing:
                break
            added = (*added, *missing)
            more = await self._built(
                replace(rung, name=f"{rung.name} and more", lines=(*rung.lines, *added), short=(*rung.short, *added))
            )
            if isinstance(more, NotPrepared):
                notes.append(f"{', '.join(missing)}, which the tests ask for: {more.reason}")
                break
            told = await self._collected(site, f"mended-{number}", more.requirements)
            if told is None:
                break
            collected = told
            if (told.errors, -told.tests) < (best[0].errors, -best[0].tests):
                notes.append(f"{rung.name} with {', '.join(added)}, which the tests ask for: {_told(told)}")
                best = (told, more)
            if told.clean:
                break
        return replace(best[1], notes=tuple(notes)), best[0].clean

    async def _built(self, rung: Rung) -> Chosen | NotPrepared:
        """Resolved, and installed."""
        key = digest_of("resolved", asdict(rung), self.files.settings, PYTEST, self.interpreter.identity)
        if rung.export:
            key = digest_of(key, self.files.files)
        made = await self.workshop.made(
            key, lambda site: _Resolution(site, rung, self.files, self.interpreter).resolve()
        )
        if isinstance(made, NotPrepared):
            return made
        text = read_text(made, "frozen.txt", limit=LOCK_BYTES)
        if not isinstance(text, str):
            return NotPrepared("the resolved requirements cannot be read", "uv lock")
        venv = await venv_of(self.workshop, text, self.files, self.interpreter)
        told = self.workshop.told(key) or {"left out": (), "parts": [*rung.parts]}
        if isinstance(venv, NotPrepared):
            return venv
        return Chosen(text, tuple(told["left out"]), rung.written(told["parts"]))

    async def _collected(self, site: Site, name: str, requirements: str) -> Collected | None:
        if not self.command:
            return None
        venv = await venv_of(self.workshop, requirements, self.files, self.interpreter)
        assert isinstance(venv, Path)
        places = [self.variables["PYTHONPATH"]] if self.variables.get("PYTHONPATH") else []
        copy = site.made / name
        path = ":".join(str(copy / place) for place in ":".join(places).split(":") if place)
        programs = f"{venv / 'bin'}:/usr/local/bin:/usr/bin:/bin"
        return await collect(
            site, name, self.tree, self.command, venv,
            variables={"PATH": programs, "VIRTUAL_ENV": str(venv), "PYTHONNOUSERSITE": "1", "PYTHONPATH": path},
            readable=self.readable, linked=self.package.linked,
        )  # fmt: skip


def _told(collected: Collected) -> str:
    if collected.clean:
        return f"{collected.tests} tests collected"
    why = f": {collected.reason}" if collected.reason else ""
    return (
        f"{collected.tests} tests collected, {collected.errors} files not{why}"
        if collected.errors
        else collected.reason
    )


def _signature(tree: Path) -> str:
    total = hashlib.sha256()
    for path in source_files(tree):
        if path.endswith((".py", ".toml", ".cfg", ".ini", ".txt")):
            data = read_bytes(tree, path)
            total.update(f"{path}\0".encode() + (hashlib.sha256(data).digest() if isinstance(data, bytes) else b""))
    return total.hexdigest()


@dataclass(frozen=True, slots=True)
class _Resolution:
    """Pinned requirements with hashes; resolved once for the same declarations, and the same ever after."""

    site: Site
    rung: Rung
    files: UvFiles
    interpreter: Interpreter

    async def resolve(self) -> NotPrepared | None:
        rung = self.rung
        self.files.give_to(self.site, whole=bool(rung.export) or rung.name == "uv.lock")
        if rung.pinned or rung.name == "uv.lock":
            return await self._locked()
        problem = await self._compiled("whole", (*rung.lines, *(line for part in rung.parts.values() for line in part)))
        if problem is None or problem.environment_error or not rung.parts:
            return problem
        kept = rung.lines
        left_out: list[str] = []
        kept_parts: list[str] = []
        for number, (name, lines) in enumerate(rung.parts.items(), start=1):
            if without := await self._compiled(f"part-{number}", (*kept, *lines)):
                left_out.append(f"left out {name}: {without.reason}")
            else:
                kept = (*kept, *lines)
                kept_parts.append(name)
        if len(left_out) == len(rung.parts):
            return problem
        self.site.tell({"left out": left_out, "parts": kept_parts})
        return await self._compiled("rest", kept)

    async def _locked(self) -> NotPrepared | None:
        """As the lock file has it; with pytest, where it has none."""
        text = self.rung.pinned
        if not text:
            flags = ("--frozen", "--no-emit-workspace", "--no-emit-local", "--format", "requirements-txt")
            problem = await self._uv("export", ("export", *flags, *self.rung.export), "locked.txt")
            told = read_text(self.site.made, "locked.txt", limit=LOCK_BYTES)
            if problem or not isinstance(told, str):
                return problem or NotPrepared("uv left no requirements", "uv lock")
            text = told
        if "\npytest==" in f"\n{text}":
            (self.site.made / "frozen.txt").write_text(text)
            return None
        self.site.give("andon/locked.txt", text)
        return await self._compiled("locked", ("-r locked.txt",))

    async def _compiled(self, name: str, lines: tuple[str, ...]) -> NotPrepared | None:
        bounds = (*self.rung.bounds, *(line.removeprefix("-c ") for line in lines if line.startswith("-c ")))
        own = [line for line in lines if not line.startswith("-c ")]
        named = any(re.match(r"pytest\s*(?:$|[\[<>=!~;@ ])", line) for line in own)
        self.site.give(f"andon/{name}-bounds.txt", "".join(f"{line}\n" for line in bounds))
        problem = None
        for attempt, runner in (("", ()),) if named else (("", PYTEST), ("-any", ("pytest",))):
            self.site.give(f"andon/{name}{attempt}.in", "".join(f"{line}\n" for line in (*own, *runner)))
            words = (
                "pip",
                "compile",
                f"andon/{name}{attempt}.in",
                "--generate-hashes",
                "-c",
                f"andon/{name}-bounds.txt",
            )
            problem = await self._uv(f"{name}{attempt}", words, "frozen.txt")
            # The project's own pins may rule out andon's: then whichever version fits.
            if problem is None or problem.environment_error or "pytest" not in problem.reason + problem.output:
                break
        return problem

    async def _uv(self, name: str, arguments: tuple[str, ...], output: str) -> NotPrepared | None:
        told = ("--no-header", "--no-annotate", "--quiet", "--output-file", str(self.site.made / output))
        arguments = (*arguments, *told, "--python", str(self.interpreter.program))
        return await run_uv(self.site, name, arguments, self.interpreter, cwd=self.site.given, fix="uv lock")


async def venv_of(
    workshop: Workshop, requirements: str, files: UvFiles, interpreter: Interpreter
) -> Path | NotPrepared:
    digest = digest_of("python", requirements, interpreter.identity, files.settings)
    made = await workshop.made(digest, lambda site: _install(site, requirements, files, interpreter))
    return made if isinstance(made, NotPrepared) else made / "venv"


async def _install(site: Site, requirements: str, files: UvFiles, interpreter: Interpreter) -> NotPrepared | None:
    files.give_to(site, whole=False)
    site.give("andon/requirements.txt", requirements)
    venv = str(site.made / "venv")
    make = ("venv", "--no-project", "--allow-existing", "--python", str(interpreter.program), venv)
    problem = await run_uv(site, "venv", make, interpreter, cwd=site.given, fix="uv venv")
    if problem:
        return problem
    # Versions from a git address have no hash to require; those that have one are verified all the same.
    strict = () if _FROM_ADDRESS.search(requirements) else ("--require-hashes",)
    install = ("pip", "install", "--python", venv, "--no-deps", "--link-mode", "copy", "--compile-bytecode", *strict)
    install = (*install, "-r", "andon/requirements.txt")
    return await run_uv(site, "install", install, interpreter, cwd=site.given, fix="uv lock")
