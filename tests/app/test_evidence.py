"""Evidence against whoever may write to the database, the outputs and the refs, but has not the signing key.

Thirteen ways to change history, each on the whole of what andon keeps of a run that has ended: chain, anchors in
andon's git store and in the person's repository, outputs and trees.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import sqlalchemy as sa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from andon.app.anchoring import StoreAnchorage, anchor_at_the_end, repository_anchorage
from andon.app.evidence import Verified, verify
from andon.app.home import Home
from andon.app.store import Store
from andon.domain.run import RunRow
from andon.domain.verdict import CheckResult, Verdict
from andon.engine.ledger import Ledger, Record
from andon.engine.signing import SigningKey
from andon.workspace.repository import Repository
from andon.workspace.store import Store as GitStore
from andon.workspace.worktree import Worktree

QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"]}


@dataclass
class Place:
    """A repository, andon's data folder, and runs whose trees are really there."""

    folder: Path
    object_format: str = "sha1"
    trees: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def __post_init__(self) -> None:
        self.repository.mkdir()
        self.git("init", "--quiet", f"--object-format={self.object_format}")
        (self.repository / "a.txt").write_text("hello\n")
        self.git("add", "--all")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "first")
        self.store = Store.open(Home.of({"ANDON_HOME": str(self.folder / "home")}), {})
        self.git_store = GitStore.open(self.store.home.repositories, Repository.open(self.repository))

    @property
    def repository(self) -> Path:
        return self.folder / "repository"

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.repository, env=QUIET, capture_output=True, check=True, text=True
        )
        return done.stdout.strip()

    def measured(self, run: str = "r1", count: int = 3, *, ended: bool = True, dry: bool = False) -> RunRow:
        """A run with a record on each of its trees."""
        spec = {"request": {"options": {"dry_run": dry}}, "base": self.git("rev-parse", "HEAD"), "trust_host": False}
        words = {"pipeline": "auto", "task": "t", "feature": "f", "branch": "b", "spec": spec}
        self.store.runs.create(run, {**words, "repository": str(self.repository)})
        worktree = Worktree.create(self.git_store, run=run, folder=self.folder / run, base=spec["base"])
        self.trees[run] = []
        for number in range(1, count + 1):
            (worktree.folder / "b.txt").write_text(f"{run} {number}\n")
            self.trees[run].append(worktree.snapshot(f"1.{number}", at=number).tree)
            self.append(run, number)
        row = self.store.runs.get(run)
        if ended:
            self.end(row)
        return row

    def append(self, run: str, number: int, ledger: Ledger | None = None) -> Record:
        ledger = ledger or self.store.ledger
        digest = ledger.store.keep(f"{run} output {number}".encode())
        tree = self.trees[run][min(number, len(self.trees[run])) - 1]
        words = {"tree": tree, "command": ("true",), "exit_code": 0, "output_digest": digest}
        return ledger.append(run, f"1.{number}", CheckResult(f"goal{number}", Verdict.PASSED, **words))

    def end(self, row: RunRow) -> None:
        warned: list[str] = []
        anchor_at_the_end(self.store.ledger, row, warned.append)
        assert warned == []

    def records(self, run: str = "r1") -> list[Record]:
        return self.store.ledger.records(run)

    def verified(self, run: str = "r1") -> Verified:
        # As another process sees it.
        return verify(Store.open(self.store.home, {}), self.store.runs.get(run))

    def reasons(self, run: str = "r1") -> str:
        return "\n".join(f"{each.seq}: {each.reason}" for each in self.verified(run).breaks)

    def sql(self, *statements: str) -> None:
        with self.store.engine.begin() as connection:
            for statement in statements:
                connection.execute(sa.text(statement))

    def allow_changes(self) -> None:
        self.sql("DROP TRIGGER andon_evidence_no_update", "DROP TRIGGER andon_evidence_no_delete")

    def put(self, seq: int, envelope: str, digest: str = "") -> None:
        words = {"envelope": envelope, "seq": seq, "digest": digest}
        changed = "envelope = :envelope" + (", digest = :digest" if digest else "")
        with self.store.engine.begin() as connection:
            connection.execute(sa.text(f"UPDATE andon_evidence SET {changed} WHERE run = 'r1' AND seq = :seq"), words)

    @property
    def ref(self) -> Path:
        return self.git_store.git_folder / "refs" / "evidence" / "r1"

    def anchor_objects(self) -> list[str]:
        """From the newest back to the first, by what each names as the one before."""
        found, name = [], self.ref.read_text().strip()
        while name:
            found.append(name)
            name = json.loads(self.git_store.git().call("cat-file", "blob", name))["previous"]
        return found


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    made.store.engine.dispose()


def resigned(record: Record, key: SigningKey | None = None, **changed: object) -> tuple[str, str]:
    """The record with another predicate; signed anew with a key, or with the old signature."""
    envelope = json.loads(record.envelope)
    statement = json.loads(base64.b64decode(envelope["payload"]))
    if "tree" in changed:
        statement["subject"][0]["digest"]["gitTree"] = changed.pop("tree")
    statement["predicate"] |= changed
    payload = json.dumps(statement, sort_keys=True).encode()
    envelope["payload"] = base64.b64encode(payload).decode()
    if key:
        kind = b"application/vnd.in-toto+json"
        signature = key.sign(b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload))
        envelope["signatures"][0]["sig"] = base64.b64encode(signature).decode()
    return json.dumps(envelope), hashlib.sha256(payload).hexdigest()


# --- thirteen ways to change history --------------------------------------------------------------------------


def edit_a_payload(place: Place) -> None:
    place.put(2, *resigned(place.records()[1], result="FAILED"))


def edit_an_envelope(place: Place) -> None:
    place.put(2, json.dumps(json.loads(place.records()[1].envelope) | {"payloadType": "text/plain"}))


def swap_two_records(place: Place) -> None:
    moves = ((1, 99), (2, 1), (99, 2))
    place.sql(*(f"UPDATE andon_evidence SET seq = {to} WHERE seq = {of}" for of, to in moves))


def delete_a_middle_record(place: Place) -> None:
    place.sql("DELETE FROM andon_evidence WHERE seq = 2")


def cut_the_tail(place: Place) -> None:
    place.sql("DELETE FROM andon_evidence WHERE seq = 3")


def wipe_everything(place: Place) -> None:
    place.sql("DELETE FROM andon_evidence")


def change_an_output(place: Place) -> None:
    place.store.ledger.store.path(place.records()[1].predicate["output"]).write_bytes(b"all passed")


def delete_an_output(place: Place) -> None:
    place.store.ledger.store.path(place.records()[1].predicate["output"]).unlink()


def replay_a_record_of_another_run(place: Place) -> None:
    place.measured("r2")
    other = place.records("r2")[2]
    place.put(3, other.envelope, other.digest)


def renumber_a_row(place: Place) -> None:
    place.sql("UPDATE andon_evidence SET seq = 7 WHERE seq = 3")


def sign_with_another_key(place: Place) -> None:
    path = place.folder / "own-key"
    path.write_bytes(Ed25519PrivateKey.generate().private_bytes_raw())
    place.put(3, *resigned(place.records()[2], SigningKey.load(path), result="FAILED"))


def set_the_anchor_back_and_cut_the_tail(place: Place) -> None:
    place.ref.write_text(place.anchor_objects()[1] + "\n")
    cut_the_tail(place)


def replace_a_tree_id(place: Place) -> None:
    place.put(2, *resigned(place.records()[1], tree=place.trees["r1"][0]))


TAMPERING: dict[Callable[[Place], None], str] = {
    edit_a_payload: "2: signature does not match",
    edit_an_envelope: "2: envelope is not as it was written",
    swap_two_records: "1: out of sequence",
    delete_a_middle_record: "2: chain broken",
    cut_the_tail: "3: missing: the anchor has record 3",
    wipe_everything: "1: missing: the anchor has record 1 to 3",
    change_an_output: "2: kept output is missing or changed",
    delete_an_output: "2: kept output is missing or changed",
    replay_a_record_of_another_run: "3: out of sequence",
    renumber_a_row: "3: out of sequence",
    sign_with_another_key: "3: signature does not match",
    set_the_anchor_back_and_cut_the_tail: "3: missing: the anchor has record 3",
    replace_a_tree_id: "2: signature does not match",
}


@pytest.mark.parametrize(("tamper", "reason"), TAMPERING.items(), ids=[t.__name__ for t in TAMPERING])
def test_E_19_every_way_to_change_history_is_noticed(
    place: Place, tamper: Callable[[Place], None], reason: str
) -> None:
    place.measured()
    assert place.verified().breaks == ()
    place.allow_changes()

    tamper(place)

    assert reason in place.reasons()


# --- anchors --------------------------------------------------------------------------------------------------


def set_back_by_one(place: Place) -> None:
    place.ref.write_text(place.anchor_objects()[1] + "\n")


def set_back_to_the_first(place: Place) -> None:
    place.ref.write_text(place.anchor_objects()[-1] + "\n")


def remove_the_ref(place: Place) -> None:
    place.ref.unlink()


def remove_its_object(place: Place) -> None:
    name = place.ref.read_text().strip()
    (place.git_store.git_folder / "objects" / name[:2] / name[2:]).unlink()


def name_a_forged_anchor(place: Place) -> None:
    content = json.loads(place.git_store.git().call("cat-file", "blob", place.ref.read_text().strip()))
    forged = json.dumps(content | {"seq": 2, "digest": place.records()[1].digest}).encode()
    place.ref.write_text(place.git_store.git().line("hash-object", "-w", "--stdin", stdin=forged) + "\n")


def take_the_anchor_of_another_run(place: Place) -> None:
    place.measured("r2")
    place.ref.write_text((place.ref.parent / "r2").read_text())


def write_anything(place: Place) -> None:
    place.ref.write_bytes(b"\xff../../../etc/passwd")


ANCHORS: dict[Callable[[Place], None], str] = {
    set_back_by_one: "0: the anchor was set back to record 2: it had come to record 3",
    set_back_to_the_first: "0: the anchor was set back to record 1: it had come to record 3",
    remove_the_ref: "0: the anchor is gone: it had come to record 3",
    remove_its_object: "0: the anchor is not as andon wrote it",
    name_a_forged_anchor: "0: the anchor is not as andon wrote it",
    take_the_anchor_of_another_run: "0: the anchor belongs to run r2",
    write_anything: "0: the anchor is not as andon wrote it",
}


@pytest.mark.parametrize(("tamper", "reason"), ANCHORS.items(), ids=[t.__name__ for t in ANCHORS])
def test_a_changed_anchor_is_noticed(place: Place, tamper: Callable[[Place], None], reason: str) -> None:
    place.measured()

    tamper(place)

    assert reason in place.reasons()


def test_records_written_after_a_cut_do_not_hide_it(place: Place) -> None:
    row = place.measured()
    place.allow_changes()
    cut_the_tail(place)

    for number in (8, 9):
        place.append("r1", number)
    place.end(row)

    assert "3: is not the record that was anchored" in place.reasons()


def test_an_anchor_set_back_while_the_run_works_is_noticed(place: Place) -> None:
    """Without the second anchor, which only an ended run has: records say how far the first had come."""
    place.measured(ended=False)

    set_back_to_the_first(place)

    assert "the anchor was set back to record 1: it had come to record 2" in place.reasons()


def test_known_limit_the_last_record_can_go_when_both_anchors_are_set_back_by_one(place: Place) -> None:
    place.measured(ended=False)
    place.allow_changes()

    set_the_anchor_back_and_cut_the_tail(place)

    assert place.reasons() == ""


class Killed(BaseException):
    """The process ends here, as far as anybody can see."""


class DiesBeforeItAnchors(StoreAnchorage):
    """Of an append the first call anchors the link before, the second the new one."""

    calls = 0

    def change(self, run: str, change: object) -> None:
        self.calls += 1
        if self.calls % 2 == 0:
            raise Killed
        super().change(run, change)  # type: ignore[arg-type]


def test_a_kill_between_a_record_and_its_anchor_does_not_look_like_tampering(place: Place) -> None:
    row = place.measured(ended=False)
    dying = Ledger(
        place.store.engine,
        SigningKey.load(place.store.home.key),
        place.store.ledger.store,
        DiesBeforeItAnchors(place.store.home.repositories),
    )

    # when: each record of a long series is cut off from its anchor
    for number in (4, 5, 6):
        with pytest.raises(Killed):
            place.append("r1", number, dying)
        found = place.verified()
        assert (found.breaks, found.anchored) == ((), number - 1)
        assert "not anchored yet" in found.notes[0]

    # then: the step that is repeated makes up for it
    place.append("r1", 6)
    assert (place.verified().anchored, place.verified().notes) == (6, ())
    place.end(row)
    assert place.verified().breaks == ()


def test_a_run_of_before_there_were_anchors_is_told_and_not_refused(place: Place) -> None:
    place.measured(count=1, ended=False)
    place.ref.unlink()
    place.allow_changes()
    place.sql("DELETE FROM andon_evidence")
    plain = Ledger(place.store.engine, SigningKey.load(place.store.home.key), place.store.ledger.store)
    for number in (1, 2, 3):
        place.append("r1", number, plain)

    found = place.verified()

    assert (found.breaks, found.anchored) == ((), 0)
    assert "It is not anchored" in found.notes[0]

    # and going on with it anchors all of it
    place.append("r1", 4)
    assert (place.verified().breaks, place.verified().anchored) == ((), 4)


def test_the_anchor_survives_a_packed_store(place: Place) -> None:
    place.measured()
    place.git_store.git().call("repack", "-a", "-d", "-q", "--no-write-bitmap-index")
    place.git_store.git().call("prune-packed")

    assert place.verified().breaks == ()


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_git_itself_finds_nothing_wrong_with_anchors(tmp_path: Path, object_format: str) -> None:
    place = Place(tmp_path, object_format)
    place.measured()

    assert place.git_store.git().attempt("fsck", "--strict").code == 0
    assert place.git("for-each-ref", "--format=%(refname) %(objecttype)", "refs/andon/r1/evidence").endswith(" blob")
    assert json.loads(place.git("cat-file", "blob", "refs/andon/r1/evidence"))["seq"] == 3
    assert place.verified().breaks == ()


def test_the_persons_repository_is_the_witness_when_andons_own_refs_are_gone(place: Place) -> None:
    place.measured()
    place.allow_changes()
    wipe_everything(place)
    shutil.rmtree(place.ref.parent)

    assert "1: missing: the anchor has record 1 to 3" in place.reasons()


def test_a_dry_run_leaves_no_anchor_in_the_persons_repository_and_holds_all_the_same(place: Place) -> None:
    row = place.measured(dry=True)
    place.git_store.forget("r1")

    assert place.git("for-each-ref", "refs/andon") == ""
    assert repository_anchorage(row) is None
    assert (place.verified().breaks, place.verified().anchored) == ((), 3)


# --- trees ----------------------------------------------------------------------------------------------------


def test_a_tree_that_is_gone_is_noticed(place: Place) -> None:
    place.measured()
    tree = place.trees["r1"][1]
    (place.git_store.git_folder / "objects" / tree[:2] / tree[2:]).unlink()

    assert place.reasons() == f"2: tree {tree[:12]} is not whole in andon's store"


def test_a_tree_of_which_a_file_is_gone_is_noticed(place: Place) -> None:
    place.measured()
    blob = place.git_store.git().line("rev-parse", f"{place.trees['r1'][2]}:b.txt")
    (place.git_store.git_folder / "objects" / blob[:2] / blob[2:]).unlink()

    assert "3: tree" in place.reasons()


def test_a_repository_that_was_moved_away_is_told_and_no_tampering(place: Place) -> None:
    place.measured()
    place.repository.rename(place.folder / "elsewhere")

    found = place.verified()

    assert found.breaks == ()
    assert "The trees were not looked at" in found.notes[0]
