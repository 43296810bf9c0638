"""Measures a goal: runs its commands on a clean checkout, confined and without network, and says what came of it.

A verdict comes from how the commands ended, never from what an agent says. Nothing outside the checkout is changed.
"""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from andon.checks.environment import Environments
from andon.checks.interactive import told
from andon.checks.judging import Ran, judged
from andon.checks.prepared import Environment, NotPrepared
from andon.checks.results.instruments import STRENGTH, Instrument, instrument
from andon.checks.signatures import signatures
from andon.checks.summaries import TEST_GOALS, runner_of
from andon.domain.errors import EnvironmentProblem
from andon.domain.goal import Goal
from andon.domain.verdict import CheckResult, Verdict
from andon.ports import Bounds, Command, Confinement, Mount, Sandbox
from andon.processes import complaint, supervise
from andon.processes.shares import DISK_BYTES, memory_share

OUTPUT_BYTES = 16 * 1024 * 1024
TAIL_CHARACTERS = 8000
MOST_FAILING = 200
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True, slots=True)
class Inspector:
    sandbox: Sandbox
    environments: Environments
    trust_host: bool = False

    async def measure(
        self,
        goal: Goal,
        tree: str,
        tree_folder: Path,
        folder: Path,
        environment: Environment | NotPrepared,
        git_mount: str | None = None,
        seconds: float = 600.0,
    ) -> CheckResult:
        """`tree_folder` is a checkout of `tree` that nothing was run in yet, and that is thrown away afterwards.

        The whole output is left in `folder`/output. Asked again with the same folder, nothing runs twice.
        """
        if goal.settled is not None or not goal.commands:
            why = f"{goal.reason} (to put right: {goal.fix})" if goal.fix else goal.reason
            return CheckResult(goal.name, goal.settled or Verdict.NOT_MEASURED, why, tree=tree)
        if not self.sandbox.confines and not self.trust_host:
            return self._unmeasured(goal, tree, "no sandbox on this machine, and the host is not trusted")
        if isinstance(environment, NotPrepared):
            fix = f" (to put right: {environment.fix_command})" if environment.fix_command else ""
            return self._unmeasured(
                goal, tree, environment.reason + fix, environment.output, broken=environment.environment_error
            )
        lacking = next((argv[0] for argv in goal.commands if argv[0] in environment.lacks), "")
        if lacking:
            return self._lacking(goal, tree, lacking, environment.lacks[lacking])
        ran: list[Ran] = []
        try:
            for number, argv in enumerate(goal.commands, start=1):
                left = seconds - sum(one.exit.seconds for one in ran)
                ran.append(
                    await self._run(
                        goal, argv, tree_folder, folder / str(number), environment, git_mount, max(left, 1.0)
                    )
                )
        except EnvironmentProblem as problem:
            return self._unmeasured(goal, tree, f"{problem.message} {problem.hint}".strip())
        return self._result(goal, tree, tree_folder, folder, environment, ran)

    def _lacking(self, goal: Goal, tree: str, program: str, why: str) -> CheckResult:
        """A tool that nobody in the project asks for may be missing."""
        reason = f"{program} could not be installed: {why}"
        return (
            CheckResult(goal.name, Verdict.NOT_NEEDED, reason, tree=tree)
            if goal.ours
            else self._unmeasured(goal, tree, reason)
        )

    def _unmeasured(self, goal: Goal, tree: str, reason: str, output: str = "", *, broken: bool = True) -> CheckResult:
        return CheckResult(
            goal.name,
            Verdict.NOT_MEASURED,
            reason,
            command=goal.commands[0],
            tree=tree,
            sandbox=self.sandbox.tier,
            output=output[-TAIL_CHARACTERS:],
            signatures=signatures(goal.sort, reason),
            environment_error=broken,
        )

    async def _run(
        self,
        goal: Goal,
        argv: tuple[str, ...],
        tree_folder: Path,
        folder: Path,
        environment: Environment,
        git_mount: str | None,
        seconds: float,
    ) -> Ran:
        runner = runner_of(argv, tree_folder)
        rooms = _rooms(folder)
        instrument = instrument_for(goal, argv, environment, tree_folder, folder)
        if instrument:
            instrument.put_up()
        caches = {variable: str(rooms / name) for variable, name in environment.caches.items()}
        for cache in caches.values():
            Path(cache).mkdir(parents=True, exist_ok=True)
        variables = {**_variables(goal, tree_folder, environment), **caches}
        if instrument:
            variables |= instrument.variables
        mounts = tuple(_mounts(tree_folder, rooms, environment, git_mount))
        if not self.sandbox.mounts:
            _put_in_place(mounts, tree_folder)
            mounts = ()
        confined = self.sandbox.confine(
            Command(instrument.argv if instrument else argv, str(tree_folder), variables, goal.stdin.encode()),
            Confinement(
                folder=str(tree_folder),
                writable=(
                    str(tree_folder),
                    *caches.values(),
                    *((str(instrument.channel.folder),) if instrument else ()),
                ),
                readable=(*environment.readable, *((str(instrument.tools),) if instrument else ())),
                mounts=mounts,
            ),
        )
        watched = _watched(tree_folder, folder)
        bounds = Bounds(seconds, OUTPUT_BYTES, memory_bytes=memory_share(), disk_bytes=DISK_BYTES, disk_folder=watched)
        exit = await supervise(folder, confined, bounds, afresh=False)
        if failure := self.sandbox.setup_failure(exit.code, complaint(folder)):
            why = f"the sandbox could not be set up: {failure}"
            return Ran(argv, exit, _read(folder), Verdict.NOT_MEASURED, why, environment_error=True)
        report = instrument.channel.read(instrument.runner) if instrument else None
        return judged(goal, argv, exit, _read(folder), runner, report)

    def _result(
        self, goal: Goal, tree: str, tree_folder: Path, folder: Path, environment: Environment, ran: list[Ran]
    ) -> CheckResult:
        whole = "".join(f"$ {told(one.argv)}\n{one.output}\n" for one in ran)
        data = whole.encode()
        (folder / "output").write_bytes(data)
        bad = [one for one in ran if one.verdict is not Verdict.PASSED]
        worst = next((one for one in bad if one.verdict is Verdict.FAILED), bad[0] if bad else ran[0])
        named = {name for one in bad for name in _names(goal, one, str(tree_folder))}
        return CheckResult(
            goal.name,
            worst.verdict,
            worst.reason,
            command=worst.argv,
            tree=tree,
            exit_code=worst.exit.code,
            seconds=sum(one.exit.seconds for one in ran),
            sandbox=self.sandbox.tier,
            environment=environment.digest,
            output=whole[-TAIL_CHARACTERS:],
            output_digest=hashlib.sha256(data).hexdigest(),
            signatures=tuple(sorted(named)),
            exits=tuple(one.exit.code for one in ran),
            environment_error=any(one.environment_error for one in bad),
            truncated=any(one.exit.truncated for one in ran),
            tests=_counted(ran),
            failing=tuple(name for one in ran if one.report for name in one.report.failed)[:MOST_FAILING],
        )


def instrument_for(
    goal: Goal, argv: tuple[str, ...], environment: Environment, tree_folder: Path, folder: Path
) -> Instrument | None:
    """What tells andon of each test, for a goal that tests. Asked again for the same folder it is the same."""
    if goal.sort not in ("test", STRENGTH):
        return None
    return instrument(argv, environment, tree_folder, folder, _rooms(folder), goal.sort)


def _counted(ran: list[Ran]) -> dict[str, int]:
    """How many tests ended how, where that was told."""
    found: Counter[str] = Counter()
    for one in ran:
        found.update(one.report.counts if one.report else {})
    return dict(found)


def _names(goal: Goal, ran: Ran, root: str) -> tuple[str, ...]:
    if ran.verdict is Verdict.FAILED and not goal.pattern:
        return signatures(goal.sort, ran.output, root=root)
    return signatures(goal.sort, ran.reason, root=root)


def _variables(goal: Goal, tree_folder: Path, environment: Environment) -> dict[str, str]:
    variables = {"LANG": "C.UTF-8", "GIT_OPTIONAL_LOCKS": "0", "NO_COLOR": "1", **environment.variables}
    variables["PATH"] = ":".join((*environment.paths, SYSTEM_PATH))
    if environment.python_path:
        variables["PYTHONPATH"] = ":".join(str(tree_folder / path) for path in environment.python_path)
    if goal.sort in ("custom", STRENGTH, *TEST_GOALS):
        # No watch mode, and no snapshot is written because it was missing.
        variables["CI"] = "1"
    return variables


def _mounts(tree_folder: Path, scratch: Path, environment: Environment, git_mount: str | None) -> Iterator[Mount]:
    if git_mount:
        # Read-only: a check must not leave a hook or an index for the next one.
        yield Mount(git_mount, str(tree_folder / ".git"))
    for source, place in environment.linked:
        yield Mount(source, str(tree_folder / place))
    for place in environment.scratch:
        room = scratch / place.replace("/", "-")
        room.mkdir(parents=True, exist_ok=True)
        yield Mount(str(room), str(tree_folder / place), writable=True)


def _rooms(folder: Path) -> Path:
    """Where the check may write: not among the folders that andon's supervisors keep their records in."""
    return folder.parent.with_name(f"{folder.parent.name}-rooms") / folder.name


def _watched(tree_folder: Path, folder: Path) -> str:
    """Below which growth counts: rooms too, where they and the tree have a folder to themselves."""
    above = folder.parent.parent
    return str(above if above == tree_folder.parent else tree_folder)


def _put_in_place(mounts: tuple[Mount, ...], tree_folder: Path) -> None:
    """Where the sandbox cannot mount: links for what is read, copies of what is small, no room for caches."""
    for mount in mounts:
        target = Path(mount.target)
        if mount.writable or target.exists() or target.is_symlink():
            continue
        if target.parent.resolve() != tree_folder.resolve() / target.parent.relative_to(tree_folder):
            raise EnvironmentProblem(
                f"{target} leads elsewhere through a symlink inside the workspace",
                "Replace the symlink by a real folder.",
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.name == ".git":
            shutil.copytree(mount.source, target, symlinks=True)
        else:
            target.symlink_to(mount.source)


def _read(folder: Path) -> str:
    texts = [
        (folder / name).read_bytes().decode("utf-8", "replace")
        for name in ("stdout", "stderr")
        if (folder / name).exists()  # not when it was lost or cancelled before it printed anything
    ]
    return "\n".join(text for text in texts if text)
