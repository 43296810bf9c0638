"""Every example works: the commands of its page, on a copy of it, and what comes of them."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from andon.domain.teams.bulletin import Note, notes
from patience import until
from warm import Command, Finished

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SECONDS = 100.0
"""Longest time one command may take on a loaded machine."""


@dataclass(frozen=True)
class Shown:
    """An example after its page was followed."""

    folder: Path
    entries: list[dict[str, Any]]
    printed: str

    def of(self, kind: str, **data: Any) -> list[dict[str, Any]]:
        found = [entry["data"] for entry in self.entries if entry["kind"] == kind]
        return [each for each in found if data.items() <= each.items()]

    def git(self, *words: str) -> str:
        return _git(self.folder, *words)

    @property
    def branch(self) -> str:
        return self.git("branch", "--list", "feat/*", "--format=%(refname:short)").strip()

    @property
    def changed(self) -> set[str]:
        """Files that the branch has otherwise than the example."""
        return set(self.git("-c", "core.quotePath=false", "diff", "--name-only", f"main..{self.branch}").split())

    def document(self, path: str) -> str:
        return self.git("show", f"{self.branch}:{path}")

    def kept(self, name: str) -> str:
        return (self.folder / ".team-artifacts" / name).read_text(encoding="utf-8")

    @property
    def bulletin(self) -> list[Note]:
        return notes(self.kept("team_bulletin.md"))

    def rounds(self, id: str) -> list[str]:
        return [each["verdict"] for each in self.of("ralph", id=id)]


Follow = Callable[[str], Shown]


def _git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.invalid")
    command = ["git", *identity, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=True).stdout


def blocks(name: str, language: str) -> list[str]:
    """What the page of an example shows of one kind."""
    page = (EXAMPLES / name / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)\n```", page, re.DOTALL)


def commands(name: str) -> list[list[str]]:
    """What the page of an example says to type."""
    lines = [line for block in blocks(name, "console") for line in block.splitlines()]
    return [shlex.split(line.removeprefix("$ andon ")) for line in lines if line.startswith("$ andon ")]


@pytest.fixture
def follow(tmp_path: Path, start_andon: Callable[..., Command], run_andon: Callable[..., Finished]) -> Follow:
    def asked(folder: Path) -> str:
        found = json.loads(run_andon("answer", "--json", cwd=folder).stdout or "[]")
        return found[0]["id"] if found else ""

    def shown(name: str) -> Shown:
        folder = tmp_path / name
        shutil.copytree(EXAMPLES / name, folder)
        _git(folder, "init", "--quiet", "--initial-branch=main")
        _git(folder, "add", "--all")
        _git(folder, "commit", "--quiet", "--message", "The beginning")
        first, *others = commands(name)
        running = start_andon(*first, cwd=folder)
        for words in others:
            if words[0] == "answer":
                words[1] = until("open question", lambda: asked(folder), SECONDS)
            else:
                running.wait(SECONDS)
            done = run_andon(*words, cwd=folder)
            assert done.code == 0, f"{words}: {done.stderr}"
        code, printed = running.wait(SECONDS), (tmp_path / "andon-0.out").read_text(encoding="utf-8")
        assert code == 0, printed
        entries = [json.loads(line) for line in run_andon("logs", "--json", cwd=folder).stdout.splitlines()]
        return Shown(folder, entries, printed)

    return shown


def side_by_side(shown: Shown, names: tuple[str, ...]) -> bool:
    """Whether all of these units were begun before any of them was done."""
    found = [(e["seq"], e["data"]) for e in shown.entries if e["kind"] == "unit" and e["data"]["id"] in names]
    begun, done = ([seq for seq, data in found if data["state"] == state] for state in ("begun", "done"))
    return len(begun) == len(done) == len(names) and max(begun) < min(done)


def test_S_13_B_33_B_42_B_57_the_knowledge_manager_answers_from_its_notes(follow: Follow) -> None:
    shown = follow("knowledge-manager")
    spawned = {each["name"]: each for each in shown.of("spawn")}
    three = ("graph-navigator", "retrieval-specialist", "deep-reader")
    places = ("lead", "lead-graph-1", "deep-reader", "step-5-write-the-note")

    assert commands(".")[-1] == commands("knowledge-manager")[0]
    assert blocks("knowledge-manager", "markdown")[0] in shown.document("notes/answer.md")
    assert side_by_side(shown, three)
    assert all(f"as the worker {name} of the team km.graph" in spawned[name]["prompt"] for name in three[:2])
    assert [spawned[name]["model"] for name in places] == ["opus[1m]", "sonnet", "haiku", "sonnet"]
    assert [spawned[name]["writes"] for name in places] == [[], [], [], ["notes/answer.md"]]
    assert shown.of("run_ended")[-1]["status"] == "done"
    assert shown.changed == {"notes/answer.md", "notes/index.md"}
    assert "[[answer]]" in shown.document("notes/index.md") and "[[message-queue]]" in shown.document("notes/answer.md")
    assert shown.rounds("deep-reader") == ["REVISE", "SHIP"]
    assert [each.get("Verdict") for each in shown.bulletin if each.get("Worker") == "deep-reader"] == ["REVISE", "SHIP"]
    assert "six days, says" in shown.kept("team_findings.md") and "- [ ]" not in shown.kept("team_progress.md")
    [told] = shown.of("message", recipient="retrieval-specialist", sender="step-2-judge-how-hard-it-is")
    [prompt] = [each["prompt"] for each in shown.of("spawn", name="retrieval-specialist")]
    assert told["content"] in prompt and "Why did we leave" in shown.of("spawn", name="lead")[0]["prompt"]


def test_B_25_B_53_B_56_the_migration_mends_what_a_command_refuses_and_ends_with_all_of_it_green(
    follow: Follow,
) -> None:
    shown = follow("http-client-migration")
    first, second = shown.of("ralph", id="phase-3-implement-the-client")
    packages = {"billing/pay.py", "catalog/pictures.py", "notify/mail.py"}

    assert shown.of("run_ended")[-1]["status"] == "done"
    assert side_by_side(shown, ("billing", "catalog", "notify"))
    [excerpt] = blocks("http-client-migration", "text")
    assert "\n".join(f"  {line}" for line in excerpt.splitlines()) in shown.printed
    assert shown.changed == packages | {"docs/calls.md", "http_client.py"} | {
        f"tests/test_{name}.py" for name in ("http_client", "billing", "catalog", "notify", "one_client")
    }
    assert first["verdict"] == "REVISE" and first["feedback"].startswith("$ python -m pytest -q tests/test_http_client")
    assert second["verdict"] == "SHIP" and len(shown.of("spawn", name="lead-qa-3")) == 1
    assert "partition('?')" in shown.document("http_client.py")
    assert shown.rounds("billing") == ["REVISE", "SHIP"] and "Idempotency-Key" in shown.document("billing/pay.py")
    assert not [path for path in packages if "urllib.request" in shown.document(path)]
    assert len(shown.git("log", "--format=%s", f"main..{shown.branch}").splitlines()) == 6
    assert [each["verdict"] for each in shown.of("verification")] == ["passed"]
    assert "tries once" in shown.kept("team_findings.md") and "## catalog\n" in shown.kept("team_findings.md")
    assert "knows a second call by the header" in shown.of("spawn", name="billing")[0]["prompt"]
    assert [each.by for each in shown.bulletin if "phase-3-implement-the-client" in (each.by, each.get("Worker"))] == [
        "phase-3-implement-the-client",
        "Ralph Loop #1",
        "phase-3-implement-the-client",
        "Ralph Loop #2",
    ]


def test_B_22_B_61_the_korean_team_reports_with_sources_that_exist(follow: Follow) -> None:
    shown = follow("customer-voice-ko")
    report = shown.document("보고서/분기.md")
    cited = re.findall(r"([가-힣]+\.(?:csv|txt)):(\d+)", report)

    assert shown.of("run_ended")[-1]["status"] == "done"
    assert side_by_side(shown, ("설문-분석", "상담-기록-분석", "앱-리뷰-분석"))
    assert blocks("customer-voice-ko", "markdown")[0] in report
    assert shown.changed == {"보고서/분기.md"} and len(cited) > 8
    for name, line in cited:
        assert int(line) <= len(shown.document(f"자료/{name}").splitlines())
    assert shown.rounds("상담-기록-분석") == ["REVISE", "SHIP"]
    verdicts = [each.get("Verdict") for each in shown.bulletin if each.get("Worker") == "상담-기록-분석"]
    assert verdicts == ["REVISE", "SHIP"]
    assert "고객은 두 사람이다" in shown.kept("team_findings.md")
    assert "비율 대신 건수" in shown.of("spawn", name="5단계-보고서-작성")[0]["prompt"]
    assert "1분기. 환불에" in shown.of("spawn", name="lead")[0]["prompt"]
