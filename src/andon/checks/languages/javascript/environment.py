"""Prepares what JavaScript checks run with: Node.js, and node_modules as the project's own program makes it.

The project's own scripts never run here; packages' install scripts run after, and apart from, the downloads.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from andon.checks.building import Site, Step, Workshop, digest_of, failed
from andon.checks.facts import Node, Project
from andon.checks.languages.javascript.installers import NPM, Installer, fetched, installer_of
from andon.checks.languages.javascript.node import SYSTEM_PATH, NodeProgram, node_for, playwright_browsers
from andon.checks.prepared import Environment, NotPrepared
from andon.checks.reading import LOCK_BYTES, is_folder, read_table, read_text, source_files, table

# Some tools keep caches inside node_modules and fail when they cannot.
WRITTEN_BY_TOOLS = (".cache", ".vite", ".vite-temp", ".vitest")
KEPT_KEYS = (
    *("name", "version", "type", "workspaces", "overrides", "engines", "bundleDependencies", "peerDependenciesMeta"),
    *("dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "bin", "private"),
    *("pnpm", "resolutions", "dependenciesMeta", "catalog", "catalogs", "trustedDependencies"),
)
_NPMRC_LINE = re.compile(
    r"\s*(?:registry|@[\w.-]+:registry|legacy-peer-deps|install-strategy|install-links|node-linker|shamefully-hoist"
    r"|(?:public-)?hoist-pattern(?:\[\])?|auto-install-peers|strict-peer-dependencies|link-workspace-packages)\s*="
)
_NOT_THERE = re.compile(r"No matching version found for (@?[^@\s]+)@|'(@?[^@\s']+)@[^']*' is not in this registry")
MOST_LEFT_OUT = 12
PACKAGES = 500
MOST_LOOKED_AT = 5000


async def prepare_node(
    workshop: Workshop, tree: Path, project: Project, folder: Path, frozen: str | None, given: Mapping[str, Any]
) -> Environment | NotPrepared:
    facts = project.node or Node()
    if problem := project.problem_with("package.json"):
        return NotPrepared(problem, "mend package.json")
    node = await node_for(workshop, tree, folder, str(given.get("node", "")))
    if isinstance(node, NotPrepared):
        return node
    browsers = playwright_browsers(workshop.environ) if project.playwright_config else None
    bare = Environment(
        digest_of("node", node.version),
        paths=(node.folder,),
        variables={
            **({"PLAYWRIGHT_BROWSERS_PATH": browsers} if browsers else {}),
            "npm_config_offline": "true",
            "npm_config_update_notifier": "false",
            "npm_config_fund": "false",
            "npm_config_audit": "false",
            "COREPACK_ENABLE_STRICT": "0",
            "NEXT_TELEMETRY_DISABLED": "1",
        },
        readable=(*node.readable, *((browsers,) if browsers else ())),
        notes=node.notes,
        settings={"node": node.version.removeprefix("v").split(".")[0]},
    )
    if not facts.dependencies and not facts.workspaces:
        return bare
    return await _Preparing(workshop, tree, node, _manifests(tree)).environment(bare, frozen)


def _manifests(tree: Path) -> dict[str, str]:
    """Every package.json without its scripts, and of settings what says where packages come from and go to."""
    files: dict[str, str] = {}
    for path in [path for path in source_files(tree) if path.rpartition("/")[2] == "package.json"][:PACKAGES]:
        manifest = read_table(tree, path)
        if isinstance(manifest, Mapping):
            files[path] = json.dumps({key: manifest[key] for key in KEPT_KEYS if key in manifest}, sort_keys=True)
    settings = read_text(tree, ".npmrc")
    if isinstance(settings, str):
        files[".npmrc"] = "".join(f"{line}\n" for line in settings.splitlines() if _NPMRC_LINE.match(line))
    patches = [path for path in source_files(tree) if path.endswith(".patch")]
    for path in ("pnpm-workspace.yaml", *patches[:PACKAGES]):
        if isinstance(text := read_text(tree, path), str):
            files[path] = text
    return files


@dataclass(frozen=True, slots=True)
class _Preparing:
    workshop: Workshop
    tree: Path
    node: NodeProgram
    files: Mapping[str, str]

    async def environment(self, bare: Environment, frozen: str | None) -> Environment | NotPrepared:
        """As the lock file has it, by the program that wrote it; else by npm, resolved afresh."""
        installer = installer_of(self.tree)
        lock = frozen if frozen is not None else _text(self.tree, installer.lock)
        key = digest_of("chosen", installer.name, self.files, lock, self.node.version)
        told = self.workshop.told(key)
        if told is None and lock:
            made = await self._made(bare, installer if frozen is None else NPM, lock)
            if isinstance(made, Environment) or made.environment_error:
                return made
            note = f"{installer.lock}: not usable: {made.reason}"
        else:
            note = str((told or {}).get("note", ""))
        fresh = await self._resolved()
        if isinstance(fresh, NotPrepared):
            return replace(fresh, output="\n".join(filter(None, (note, fresh.output))))
        files, lost, text = fresh
        made = await replace(self, files=files)._made(bare, replace(NPM, name_told="package.json"), text)
        if isinstance(made, NotPrepared):
            return replace(made, output="\n".join(filter(None, (note, made.output))))
        if note:
            await self.workshop.tell(key, {"note": note})
        return replace(made, notes=(*((note,) if note else ()), *lost, *made.notes))

    async def _resolved(self) -> tuple[Mapping[str, str], list[str], str] | NotPrepared:
        """A lock file of npm's, made for these manifests once and for all; the manifests, and what is not in them."""
        key = digest_of("locked", self.files, self.node.version)
        made = await self.workshop.made(key, self._resolve)
        if isinstance(made, NotPrepared):
            return made
        told = self.workshop.told(key) or {}
        text = _text(made, "project/package-lock.json")
        return (told["files"], told["left out"], text) if text else NotPrepared("npm left no lock file", "npm install")

    async def _resolve(self, site: Site) -> NotPrepared | None:
        """What is only for development and cannot be had, such as a linter's settings, is left out."""
        words = (self.node.npm, "install", "--package-lock-only", "--ignore-scripts", *NPM.quiet)
        files, left_out = dict(self.files), list[str]()
        while True:
            site.begin(lambda made: _fill(made, files))
            step = await self._step(site, f"resolve-{len(left_out)}", NPM, words)
            if not step.ok and "ERESOLVE" in step.output:
                step = await self._step(site, f"resolve-legacy-{len(left_out)}", NPM, (*words, "--legacy-peer-deps"))
            lost = _NOT_THERE.search(step.output)
            done = _without(files, lost[1] or lost[2]) if lost and not step.ok and len(left_out) < MOST_LEFT_OUT else ""
            if not done:
                break
            left_out.append(done)
            _fill(site.made, files)
        site.tell({"files": files, "left out": left_out})
        return None if step.ok else failed(step, "npm install", "npm install")

    async def _made(self, bare: Environment, installer: Installer, lock: str) -> Environment | NotPrepared:
        program = await fetched(self.workshop, installer, self.node)
        if isinstance(program, NotPrepared):
            return program
        digest = digest_of("node", installer.name, installer.version, self.files, lock, self.node.version)

        async def install(site: Site) -> NotPrepared | None:
            return await self._install(site, installer, program, lock)

        made = await self.workshop.made(digest, install)
        if isinstance(made, NotPrepared):
            return made
        folders = [f"{path.removesuffix('package.json')}node_modules" for path in self.files if _is_manifest(path)]
        linked = tuple((str(made / "project" / path), path) for path in folders if is_folder(made, f"project/{path}"))
        own = (str(program.parent),) if program else ()
        anyway = (self.workshop.told(digest) or {}).get("note")
        notes = (f"{installer.lock}: {anyway}",) if anyway else ()
        return replace(
            bare,
            digest=digest,
            paths=(*bare.paths, *own),
            readable=(*bare.readable, *(str(Path(each).parents[1]) for each in own), *(each for each, _ in linked)),
            linked=linked,
            scratch=tuple(f"{path}/{name}" for _, path in linked for name in WRITTEN_BY_TOOLS),
            notes=(*bare.notes, *notes, f"{installer.name_told or installer.lock}: installed by {installer.name}"),
            frozen=lock if installer.name == NPM.name else "",
        )

    async def _install(self, site: Site, installer: Installer, program: Path | None, lock: str) -> NotPrepared | None:
        site.begin(lambda made: _fill(made, {**self.files, **installer.settings, installer.lock: lock}))
        words = (self.node.npm,) if program is None else (str(program),)
        step = await self._step(site, "install", installer, (*words, *installer.frozen, *installer.quiet), program)
        if not step.ok and installer.lenient:
            how = (*words, *installer.lenient, *installer.quiet)
            why = failed(step, f"{installer.name} {' '.join(installer.frozen)}", "").reason
            step = await self._step(site, "install-anyway", installer, how, program)
            site.tell({"note": f"not quite usable: {why}; installed with {' '.join(installer.lenient)}"})
        if not step.ok:
            return failed(step, f"{installer.name} {installer.frozen[0]}", f"{installer.name} install")
        project = site.made / "project"
        if await asyncio.to_thread(_has_install_scripts, project):
            words = (str(program), "rebuild") if program and installer.name == "pnpm" else (self.node.npm, "rebuild")
            step = await self._step(site, "scripts", NPM, words, program, code_runs=True)
            if not step.ok and installer.name == NPM.name:
                return failed(step, "npm rebuild", "npm install")
        for path in filter(_is_manifest, self.files):
            place = f"{path.removesuffix('package.json')}node_modules"
            if is_folder(project, place):
                _make_room(project / place)
        return None

    async def _step(
        self,
        site: Site,
        name: str,
        installer: Installer,
        words: tuple[str, ...],
        program: Path | None = None,
        *,
        code_runs: bool = False,
    ) -> Step:
        cache = str(site.made / "cache" if code_runs else site.workshop.cache(installer.name))
        own = f":{program.parent}" if program else ""
        return await site.run(
            name,
            words,
            cwd=site.made / "project",
            env={"PATH": f"{self.node.folder}{own}:{SYSTEM_PATH}", **installer.environ(cache, site.workshop.environ)},
            readable=(*self.node.readable, *((str(program.parents[2]),) if program else ())),
            writable=() if code_runs else (cache,),
            code_runs=code_runs,
        )


def _without(files: dict[str, str], package: str) -> str:
    """Of what is for development only, ask for any version of a package, or for none where there is none; what was
    done, and nothing where the code itself asks for it."""
    done = ""
    for path, text in files.items():
        manifest = dict(table(json.loads(text) if _is_manifest(path) else None))
        if package in manifest.get("devDependencies", {}):
            if manifest["devDependencies"][package] == "*":
                del manifest["devDependencies"][package]
                done = f"{package}: cannot be had, left out"
            else:
                done = f"{package}@{manifest['devDependencies'][package]}: cannot be had, any other version instead"
                manifest["devDependencies"][package] = "*"
            files[path] = json.dumps(manifest, sort_keys=True)
    return done


def _is_manifest(path: str) -> bool:
    return path.rpartition("/")[2] == "package.json"


def _text(folder: Path, path: str) -> str:
    text = read_text(folder, path, limit=LOCK_BYTES)
    return text if isinstance(text, str) else ""


def _fill(made: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        target = made / "project" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def _make_room(modules: Path) -> None:
    """Empty folders for writable ones to be mounted on."""
    for name in WRITTEN_BY_TOOLS:
        if not (modules / name).is_symlink():
            (modules / name).mkdir(exist_ok=True)


def _has_install_scripts(project: Path) -> bool:
    """Whether some installed package wants to run code."""
    patterns = ("node_modules/*", "node_modules/@*/*", "node_modules/.pnpm/*/node_modules/*")
    folders = [path for pattern in patterns for path in project.glob(pattern)][:MOST_LOOKED_AT]
    for folder in folders:
        if (folder / "binding.gyp").exists():
            return True
        scripts = table(table(read_table(folder, "package.json")).get("scripts"))
        if {"preinstall", "install", "postinstall"} & set(scripts):
            return True
    return False
