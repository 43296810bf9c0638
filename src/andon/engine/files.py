"""The verbs of a run that read and write its files: each is one recorded step on one known tree."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from andon.domain.errors import UserError
from andon.domain.patterns import matching
from andon.domain.run import Bug
from andon.domain.verdict import Finding
from andon.engine.hiding import hide
from andon.engine.leg import Leg
from andon.engine.services import Services
from andon.ports import Change, Part, Run


class FileVerbs:
    """Part of DurableRun."""

    _services: Services
    _leg: Leg
    _created_at: float
    base: str
    tree: str
    if TYPE_CHECKING:

        async def _need_verdict(self) -> None: ...

    _series: tuple[tuple[str, str], ...] = ()
    """Commits that wait for `publish`, each with its tree, the oldest first."""
    cleared = False
    """The workspace was removed, because nothing in it is needed any more."""

    async def read(self, path: str, *, last: int = 0) -> str | None:
        tree, workspace = self.tree, self._services.workspace

        async def body(position: str) -> dict[str, Any]:
            await asyncio.to_thread(workspace.ensure, tree)
            text = await asyncio.to_thread(workspace.read, path)
            return {"text": text[-last:] if text and last else text}

        return (await self._leg.step(f"read {path}", body))["text"]

    async def write(self, path: str, text: str, *, state: bool = False) -> None:
        tree, workspace = self.tree, self._services.workspace

        async def body(position: str) -> dict[str, Any]:
            safe = await self._hidden(position, path, text)
            if state:
                await asyncio.to_thread(workspace.ensure, tree)
                await asyncio.to_thread(workspace.write, path, safe)
                await self._mirror(position, path, safe)
                return {"tree": tree}
            writing = partial(workspace.write, path, safe)
            after = await asyncio.to_thread(self._altered, tree, writing, position)
            await self._leg.write(f"{position}/file", "file_written", {"path": path, "tree": after})
            return {"tree": after}

        self.tree = (await self._leg.step(f"write {path}", body))["tree"]

    async def amend(self, path: str, change: Callable[[str | None], str | None]) -> str | None:
        tree, workspace = self.tree, self._services.workspace

        async def body(position: str) -> dict[str, Any]:
            await asyncio.to_thread(workspace.ensure, tree)
            before = await asyncio.to_thread(workspace.read, path)
            after = change(before)
            if after is not None and after != before:
                await asyncio.to_thread(workspace.write, path, after)
                await self._mirror(position, path, after)
            return {"text": before if after is None else after}

        return (await self._leg.step(f"amend {path}", body))["text"]

    async def append(self, path: str, text: str) -> None:
        tree, workspace = self.tree, self._services.workspace

        async def body(position: str) -> dict[str, Any]:
            safe = await self._hidden(position, path, text)
            await asyncio.to_thread(workspace.ensure, tree)
            await asyncio.to_thread(workspace.append, path, safe)
            await self._mirrored(position, path, partial(workspace.mirror_end, path, safe))
            return {}

        await self._leg.step(f"append {path}", body)

    async def _hidden(self, position: str, path: str, text: str) -> str:
        """What of andon's own writing is kept: no secret that it has from a reply or from outside."""
        safe, told = hide(path, text, await asyncio.to_thread(self._services.variables))
        for number, each in enumerate(told, 1):
            await self._leg.write(f"{position}/hidden.{number}", "secret_hidden", {"name": "andon", **each})
        return safe

    async def drop(self, paths: Sequence[str]) -> None:
        tree, dropping = self.tree, partial(self._services.workspace.drop, paths)

        async def body(position: str) -> dict[str, Any]:
            return {"tree": await asyncio.to_thread(self._altered, tree, dropping, position)}

        self.tree = (await self._leg.step("drop", body))["tree"]

    def _altered(self, tree: str, alter: Callable[[], None], position: str) -> str:
        workspace = self._services.workspace
        workspace.ensure(tree)
        alter()
        return workspace.snapshot(position, self._created_at)

    async def _mirror(self, position: str, path: str, text: str) -> None:
        await self._mirrored(position, path, partial(self._services.workspace.mirror, path, text))

    async def _mirrored(self, position: str, path: str, mirror: Callable[[], None]) -> None:
        try:
            await asyncio.to_thread(mirror)
        except (UserError, PermissionError) as problem:
            # The person's own checkout may be closed to us; the run's copy is what counts.
            await self._leg.write(f"{position}/mirror", "warning", {"text": f"{path} is not mirrored: {problem}"})

    async def changes(self, since: str = "") -> tuple[Change, ...]:
        tree, workspace = self.tree, self._services.workspace

        async def body(position: str) -> dict[str, Any]:
            found = await asyncio.to_thread(workspace.changes, since or self.base, tree)
            return {"changes": [asdict(change) for change in found]}

        return tuple(Change(**change) for change in (await self._leg.step("changes", body))["changes"])

    async def changes_of(self, branches: Sequence[Run]) -> tuple[tuple[Change, ...], ...]:
        workspace, pairs = self._services.workspace, [(branch.began, branch.tree) for branch in branches]

        async def body(position: str) -> dict[str, Any]:
            found = [await asyncio.to_thread(workspace.changes, *pair) for pair in pairs]
            return {"changes": [[asdict(change) for change in each] for each in found]}

        found = (await self._leg.step("changes of branches", body))["changes"]
        return tuple(tuple(Change(**change) for change in each) for each in found)

    async def files(self) -> tuple[str, ...]:
        tree, workspace = self.tree, self._services.workspace

        async def body(position: str) -> dict[str, Any]:
            return {"files": await asyncio.to_thread(workspace.paths, tree)}

        return tuple((await self._leg.step("files", body))["files"])

    async def contents(self, paths: Sequence[str]) -> dict[str, str]:
        tree, workspace = self.tree, self._services.workspace

        async def body(position: str) -> dict[str, Any]:
            found = await asyncio.to_thread(workspace.contents, tree, paths)
            return {"contents": {path: content.decode("utf-8", "replace") for path, content in found.items()}}

        return (await self._leg.step("contents", body))["contents"]

    async def existing(self, patterns: Sequence[str]) -> frozenset[str]:
        tree, workspace = self.tree, self._services.workspace

        async def body(position: str) -> dict[str, Any]:
            return {"found": sorted(matching(await asyncio.to_thread(workspace.paths, tree), patterns))}

        return frozenset((await self._leg.step("existing", body))["found"])

    async def findings(
        self, rule: Callable[[str], Sequence[Finding]], whole: Sequence[str] = ()
    ) -> tuple[Finding, ...]:
        tree, workspace = self.tree, self._services.workspace

        async def body(position: str) -> dict[str, Any]:
            diff = await asyncio.to_thread(workspace.diff, self.base, tree, whole)
            return {"findings": [asdict(finding) for finding in await asyncio.to_thread(rule, diff)]}

        return tuple(Finding(**finding) for finding in (await self._leg.step("findings", body))["findings"])

    async def commit(self, message: str) -> str:
        tree, workspace = self.tree, self._services.workspace

        async def body(position: str) -> dict[str, Any]:
            await self._need_verdict()
            commit = await asyncio.to_thread(workspace.publish, tree, message, self._created_at)
            await self._leg.write(
                f"{position}/commit", "committed", {"commit": commit, "tree": tree, "message": message}
            )
            return {"commit": commit}

        return (await self._leg.step("commit", body))["commit"]

    async def commit_parts(self, parts: Sequence[Part]) -> tuple[str, ...]:
        return self.committed(await self.committing(parts))

    def committed(self, made: Sequence[tuple[str, str]]) -> tuple[str, ...]:
        """The series goes on with these."""
        self._series = (*self._series, *made)
        return tuple(commit for commit, _ in made)

    async def committing(self, parts: Sequence[Part]) -> list[tuple[str, str]]:
        """The step of commits, and nothing else: each with its tree."""
        tree, series = self.tree, self._series

        async def body(position: str) -> dict[str, Any]:
            made = await asyncio.to_thread(self._made_of, parts, tree, series)
            told = [
                (f"{position}/commit.{number}", "part_committed", {"commit": commit, "of": of, "message": part.message})
                for number, ((commit, of), part) in enumerate(zip(made, parts, strict=True), start=1)
            ]
            await self._leg.write_all(told)
            return {"series": made}

        return [(commit, of) for commit, of in (await self._leg.step("commit parts", body))["series"]]

    def _made_of(self, parts: Sequence[Part], tree: str, series: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
        """The commits of the parts, each with its tree."""
        workspace = self._services.workspace
        parent, before = series[-1] if series else ("", self.base)
        some = [part.paths for part in parts if part.paths]
        trees = iter(workspace.in_parts(before, tree, some) if some else ())
        made: list[tuple[str, str]] = []
        for number, part in enumerate(parts, start=len(series)):
            of = next(trees) if part.paths else tree
            # One after the other, also for who sorts by time.
            parent = workspace.commit(parent, of, part.message, self._created_at + number)
            made.append((parent, of))
        return made

    async def publish(self) -> str:
        tree, workspace, series = self.tree, self._services.workspace, self._series

        async def body(position: str) -> dict[str, Any]:
            await self._need_verdict()
            if not series or series[-1][1] != tree:
                raise Bug("the commits of the run do not end with its present files", "")
            commits = [commit for commit, _ in series]
            commit = await asyncio.to_thread(workspace.publish_series, commits)
            told = {"commit": commit, "tree": tree, "message": f"{len(commits)} commits"}
            await self._leg.write(f"{position}/commit", "committed", told)
            return {"commit": commit}

        return (await self._leg.step("publish", body))["commit"]

    async def remove_workspace(self) -> None:
        async def body(position: str) -> dict[str, Any]:
            await asyncio.to_thread(self._services.workspace.remove)
            return {}

        await self._leg.step("remove workspace", body)
        # At every replay: whoever takes up a run makes its workspace first, also when all but its end is recorded.
        await asyncio.to_thread(self._services.workspace.remove)
        self.cleared = True
