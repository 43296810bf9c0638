"""What is left of a run when it has ended, without what differs from run to run by its nature, and how two compare.

Ids, paths, times and durations are replaced; everything else must be the same with and without kills.

Where workers end in any order (`shuffled`), a kill may change the order in which they are brought in, and with it the
numbers of steps and the trees on the way. Nothing else: what happened, how often, and what came of it is compared then
without its place.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import sqlalchemy as sa

from andon import processes
from andon.app.store import Store
from andon.domain.run import RunRow
from andon.engine.database import reading
from ordeals import teamfiles, uamfiles
from ordeals.place import Place

TIMES = frozenset({"at", "seconds", "resets_at", "output_digest"})
STATUS_FILE = "docs/.pdca-status.json"
DRAFT = re.compile(
    r"store/git\.[0-9a-f]{32}\.tmp"
    r"|store/worktrees/RUN/[\w-]+/index\.[0-9a-f]{32}\.tmp"
    r"|(run/worktree|checkout)/(docs/\.pdca-status\.json|\.uam/.*|\.team-artifacts/.*)\.[0-9a-f]{32}\.tmp"
)
"""What a killed writer leaves beside the file it was about to replace, and nobody reads. Told, but not counted."""
_SESSION = re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_OBJECT = re.compile(r"\b[0-9a-f]{40}\b|\b[0-9a-f]{64}\b")
_PLACE = re.compile(r"\b[1-9]\d*\.\d+(-\d+)?\b")
"""Of a step: `1.23`, and of its orders: `1.23-1`."""
_DURATION = re.compile(r"\b\d+(\.\d+)? ?s\b|\b\d+\.\d+ seconds\b")
_BULLETIN = re.compile(r'<data label=\\?"(bulletin|plan|mail|decisions)\\?">.*?</data>', re.DOTALL)
"""Of a prompt: what others had said by then."""
_STAMP = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?")


@dataclass(frozen=True)
class Story:
    ending: str
    steps: tuple[str, ...]
    """The engine's record: which step came at which number, leg by leg."""
    entries: dict[str, str]
    """The journal by key."""
    order: dict[str, tuple[str, ...]]
    """The journal's order where it is not a matter of chance: within each step, and of what the pipeline says."""
    evidence: tuple[str, ...]
    branch: tuple[str, ...]
    """The commit on the run's branch: its message, and every file by content."""
    status_file: str
    files: frozenset[str]
    """What lies about afterwards, in the person's checkout and in andon's folders."""
    starts: Counter[str] = field(default_factory=Counter[str])
    """How often each process was started, as the witness saw it."""
    shuffled: bool = False

    def differences(self, reference: Story) -> list[str]:
        found: list[str] = []
        for name in ("ending", "steps", "order", "evidence", "branch", "status_file"):
            mine, other = getattr(self, name), getattr(reference, name)
            if mine != other:
                found.append(f"{name}: {_first_difference(mine, other)}")
        for key in sorted(self.entries.keys() | reference.entries.keys()):
            mine, other = self.entries.get(key, "nothing"), reference.entries.get(key, "nothing")
            if mine != other:
                found.append(f"journal {key}: {_around(mine, other)}")
        if missing := sorted(reference.files - self.files):
            found.append(f"files missing: {', '.join(missing[:5])}")
        mine, other = self._processes(), reference._processes()
        if mine != other:
            found.append(f"processes: {sorted(set((mine - other) + (other - mine)))[:4]}")
        return found

    def _processes(self) -> Counter[str]:
        """Each process that was started, however often: that is for `repeated` to tell."""
        if not self.shuffled:
            return Counter(dict.fromkeys(self.starts, 1))
        # How often something is measured depends on who comes in with whom; what an agent does, on nobody.
        found = Counter(_placeless(name) for name in self.starts)
        return Counter({name: 1 if name.startswith("checks/") else count for name, count in found.items()})

    def repeated(self, reference: Story) -> list[str]:
        """What was done more often than in peace: processes by the witness, and entries that tell of work."""
        found = [f"{what} started {n} times" for what, n in self.starts.items() if n > max(1, reference.starts[what])]
        for kind in ("spawn", "result", "check", "merged", "part_committed", "todo", "committed"):
            mine, other = (sum(text.startswith(f"{kind} ") for text in s.entries.values()) for s in (self, reference))
            if mine > other:
                found.append(f"{mine} entries {kind}, not {other}")
        if len(self.evidence) > len(reference.evidence):
            found.append(f"{len(self.evidence)} records of evidence, not {len(reference.evidence)}")
        return found

    def litter(self, reference: Story) -> list[str]:
        return sorted(path for path in self.files - reference.files if not DRAFT.match(path))

    def drafts(self, reference: Story) -> list[str]:
        return sorted(path for path in self.files - reference.files if DRAFT.match(path))


class Telling:
    """Reads one run's story."""

    def __init__(self, place: Place, store: Store, run: RunRow, *, shuffled: bool = False) -> None:
        self._place = place
        self._store = store
        self._run = run
        self._shuffled = shuffled
        self._objects: dict[str, str] = {}

    def story(self) -> Story:
        entries = self._entries()
        return Story(
            ending=f"{self._run.status} {self._run.reason} in phase {self._run.phase}, mode {self._run.mode}",
            steps=self._steps(),
            entries=entries,
            order=self._order(),
            evidence=self._evidence(),
            branch=self._branch(),
            status_file=self._clean(self._status_file()),
            files=frozenset(self._files()),
            starts=self._starts(),
            shuffled=self._shuffled,
        )

    def _entries(self) -> dict[str, str]:
        ordered = sorted(self._store.journal.entries(self._run.id), key=lambda e: (e.place, e.key))
        told = [(e.key, f"{e.kind} {e.phase} {self._clean(_timeless(dict(e.data)))}") for e in ordered]
        if not self._shuffled:
            return dict(told)
        # Who comes in with whom is by chance, and so is how often they are measured together.
        texts = [text for _, text in told if not text.startswith("merged ")]
        checks = dict.fromkeys(text for text in texts if text.startswith("check "))
        others = _numbered(text for text in texts if not text.startswith("check "))
        return {each: each for each in (*checks, *others)}

    def _order(self) -> dict[str, tuple[str, ...]]:
        if self._shuffled:
            return {}
        groups: dict[str, list[str]] = {}
        for entry in self._store.journal.entries(self._run.id):
            said = "/" not in entry.key
            groups.setdefault("said" if said else entry.key.partition("/")[0], []).append(entry.key)
        return {name: tuple(keys) for name, keys in groups.items()}

    def _steps(self) -> tuple[str, ...]:
        query = sa.text(
            "SELECT workflow_uuid, function_id, function_name FROM operation_outputs "
            "WHERE workflow_uuid LIKE :run ORDER BY workflow_uuid, function_id"
        )
        statuses = sa.text("SELECT workflow_uuid, status FROM workflow_status WHERE workflow_uuid LIKE :run ORDER BY 1")
        with reading(self._store.engine) as connection:
            steps = connection.execute(query, {"run": f"{self._run.id}.%"}).all()
            legs = connection.execute(statuses, {"run": f"{self._run.id}.%"}).all()
        if self._shuffled:
            # Each kind of step once: how often something is read, written or merged depends on who ends together.
            told = sorted({f"{workflow} {name}" for workflow, _, name in steps})
        else:
            told = [f"{workflow}.{number} {name}" for workflow, number, name in steps]
        told += [f"{workflow} {status}" for workflow, status in legs]
        return tuple(line.replace(self._run.id, "RUN") for line in told)

    def _evidence(self) -> tuple[str, ...]:
        breaks = self._store.ledger.verify(self._run.id)
        told = [f"broken: {each}" for each in breaks]
        for record in self._store.ledger.records(self._run.id):
            p = record.predicate
            # Their order is by chance, since checks run side by side; what a check printed names a time.
            left_out = {"seq", "previous", "anchor", "output"}
            subject = record.statement["subject"][0]["digest"]["gitTree"]
            told.append(self._clean({"tree": subject} | {k: v for k, v in p.items() if k not in left_out}))
        return tuple(sorted({*told} if self._shuffled else told))

    def _branch(self) -> tuple[str, ...]:
        repository = Path(self._run.repository)
        refs = self._place.git(repository, "for-each-ref", "--format=%(refname)", "refs/heads").split()
        name = f"refs/heads/{self._run.branch}"
        told = [f"branches: {' '.join(refs)}"]
        if name not in refs:
            return tuple(told)
        base = self._run.spec["base"]
        told.append(f"commits: {self._place.git(repository, 'rev-list', '--count', f'{base}..{name}').strip()}")
        told += self._commits(repository, base, name)
        for line in self._place.git(repository, "ls-tree", "-r", name).splitlines():
            mode, _, rest = line.partition(" ")
            path = rest.partition("\t")[2]
            content = self._clean(self._place.git(repository, "show", f"{name}:{path}"))
            if self._shuffled and path.startswith("docs/learnings/"):
                content = uamfiles.as_set(content)
            told.append(f"{mode} {path} {hashlib.sha256(content.encode()).hexdigest()[:12]}")
        return tuple(told)

    def _commits(self, repository: Path, base: str, name: str) -> list[str]:
        """Each with who made it, its message and its files; the oldest first, where their order is no chance."""
        log = self._place.git(
            repository, "log", "--reverse", "--name-status", "--format=%x00%an %ae%n%B", f"{base}..{name}"
        )
        told = [self._clean(each.strip()) for each in log.split("\0")[1:]]
        return sorted(told) if self._shuffled else told

    def _starts(self) -> Counter[str]:
        """Two witnesses: the one before the sandbox, and what supervisors note in the folders that are left."""
        seen = self._place.witnessed(self._run.id)
        folder = self._store.home.run(self._run.id)
        for lock in folder.rglob("lock"):
            seen[f"supervised {lock.parent.relative_to(folder)}"] = processes.starts(lock.parent)
        return seen

    def _status_file(self) -> str:
        if self._run.pipeline == "team":
            return teamfiles.told(Path(self._run.repository))
        if self._run.pipeline == "uam":
            return uamfiles.told(Path(self._run.repository))
        path = Path(self._run.repository) / STATUS_FILE
        return path.read_text() if path.exists() else "no status file"

    def _files(self) -> set[str]:
        found: set[str] = set()
        run = self._store.home.run(self._run.id)
        checkout = Path(self._run.repository)
        stores = self._store.home.repositories
        for name, folder in (("run", run), ("checkout", checkout)):
            found |= {f"{name}/{path.relative_to(folder)}" for path in folder.rglob("*") if _told(path, folder)}
        for store in stores.glob("*"):
            # Another run may be making its store at this moment.
            record = store / "repository.json"
            if record.exists() and json.loads(record.read_text())["root"] == str(checkout):
                kept = [*store.glob("*"), *(store / "worktrees").rglob("*"), *(store / "git" / "refs").rglob("*")]
                found |= {f"store/{path.relative_to(store)}" for path in kept}
        named = (self._without_ids(path) for path in found)
        return set(_numbered(map(_placeless, named)) if self._shuffled else named)

    def _without_ids(self, text: str) -> str:
        text = text.replace(self._run.id, "RUN")
        return text.replace(self._run.forked_from, "ORIGIN") if self._run.forked_from else text

    def _clean(self, value: Any) -> str:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
        for own, name in ((str(self._place.home), "HOME"), (self._run.repository, "REPO")):
            text = text.replace(own, name)
        text = self._without_ids(text)
        text = _SESSION.sub("SESSION", text)
        text = _STAMP.sub("STAMP", _DURATION.sub("DURATION", text))
        if self._shuffled:
            return _OBJECT.sub("OBJECT", _placeless(_BULLETIN.sub("BULLETIN", text)))
        return _OBJECT.sub(lambda found: self._objects.setdefault(found[0], f"object-{len(self._objects) + 1}"), text)


def _placeless(text: str) -> str:
    return _PLACE.sub("STEP", text)


def _numbered(texts: Iterable[str]) -> Iterator[str]:
    """Each with how often it was there before: equal ones stay apart in a set."""
    seen: Counter[str] = Counter()
    for text in texts:
        seen[text] += 1
        yield f"{text} #{seen[text]}"


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        known = cast("dict[str, Any]", value)
        return {key: "TIME" if key in TIMES else _timeless(each) for key, each in known.items()}
    if isinstance(value, list):
        return [_timeless(each) for each in cast("list[Any]", value)]
    return value


def _told(path: Path, folder: Path) -> bool:
    """Not what git keeps inside its folders: objects that nothing names any more are git's own business. Nor what an
    agent program keeps in its home, which is the program's."""
    inner = path.relative_to(folder).parts
    return (
        "homes" not in inner[:1] and ".git" not in inner[:-1] and "git" not in inner[:-1] and "__pycache__" not in inner
    )


def _first_difference(mine: Any, other: Any) -> str:
    if isinstance(mine, dict):
        keys = [key for key in {**other, **mine} if mine.get(key) != other.get(key)]
        return "; ".join(f"{key}: {mine.get(key)} instead of {other.get(key)}" for key in keys[:2])
    if isinstance(mine, str):
        return _around(mine, other)
    extra = [each for each in mine if each not in other][:2]
    lacking = [each for each in other if each not in mine][:2]
    return f"has {extra}, lacks {lacking}" if extra or lacking else "in another order"


def _around(mine: str, other: str) -> str:
    """The two texts from shortly before they part."""
    at = next((n for n, (a, b) in enumerate(zip(mine, other, strict=False)) if a != b), min(len(mine), len(other)))
    begin = max(0, at - 30)
    return f"…{mine[begin : at + 90]!r} instead of …{other[begin : at + 90]!r}"
