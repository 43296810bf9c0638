"""The plugin in the real Claude Code: a scripted model goes through every phase, and each hook does its part."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from stages import PROGRAMS, ROOT

from model_server import ModelServer
from model_server.answers import Answer, Use
from model_server.conversation import Request

PLUGIN = ROOT / "plugin"
UAM = f"sh {PLUGIN}/bin/uam"
CLAUDE = PROGRAMS["claude"]
WORKER = "You implement one TODO of a plan."
PLAN = """# PLAN: greeting

## Summary
A greeting.

## Risk Assessment
- Overall: LOW
- Irreversible changes: none

## TODOs

### [ ] TODO 1: the greeting
- Description: `src/a.py`
- Dependencies: none
- Risk: LOW
- Estimated complexity: S
- Acceptance Criteria:
  - [A] `test -s src/a.py`

## Test Strategy

### A-items (Agent-Verifiable)
- unit: `test -s src/a.py`

### S-items (Sandbox Agent Testing)

### H-items (Human-Required)

## Dependency Graph
"""
RESULT = {
    "todo_id": "TODO-1",
    "status": "PASS",
    "outputs": {"files_changed": ["src/a.py"], "summary": "a greeting"},
    "acceptance_criteria": [],
    "learnings": ["greetings are short"],
    "issues": [],
    "decisions": [],
}


def use(tool: str, **given: Any) -> Answer:
    return Answer("", (Use(tool, given),))


def shell(*words: str) -> Answer:
    return use("Bash", command=" && ".join(words), description="as the protocol says")


def write(path: Path, text: str) -> Answer:
    return use("Write", file_path=str(path), content=text)


@dataclass
class Session:
    """A project, and a model that says one thing after another: as the orchestrator, and as its worker."""

    project: Path
    orchestrator: list[Answer]
    worker: list[Answer] = field(default_factory=list[Answer])
    heard: list[Request] = field(default_factory=list[Request])
    by_worker: list[Request] = field(default_factory=list[Request])
    phases: list[str] = field(default_factory=list[str])

    def play(self, request: Request) -> Answer:
        if WORKER in request.system:
            self.by_worker.append(request)
            return self._next(self.worker, request)
        if "Agent" not in request.tools:
            return Answer("a title")
        self.heard.append(request)
        phase = self.state().get("current_phase", "")
        if not self.phases or self.phases[-1] != phase:
            self.phases.append(phase)
        return self._next(self.orchestrator, request)

    def _next(self, said: list[Answer], request: Request) -> Answer:
        told = sum(turn.role == "assistant" for turn in request.turns)
        return said[told] if told < len(said) else Answer("Nothing more to say.")

    def state(self) -> dict[str, Any]:
        path = self.project / ".uam/state.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def told(self, requests: list[Request] | None = None) -> str:
        """Everything a model was told, the orchestrator's unless another is asked for: texts and results of tools."""
        turns = (self.heard if requests is None else requests)[-1].turns
        return "\n".join([*(turn.text for turn in turns), *(each.text for turn in turns for each in turn.results)])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "The beginning"]):
        subprocess.run(
            ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.invalid", *words], cwd=folder, check=True
        )
    return folder


def run(session: Session, prompt: str, *words: str, plugin: Path | None = PLUGIN) -> subprocess.CompletedProcess[str]:
    if not CLAUDE.there:
        pytest.skip("the agent programs are not installed: make agents-install")
    with ModelServer(session.play).serving() as server:
        home = session.project.parent / "home"
        home.mkdir(exist_ok=True)
        environment = {
            "PATH": f"{CLAUDE.bin}:{os.environ['PATH']}",
            "HOME": str(home),
            "IS_SANDBOX": "1",
            "ANTHROPIC_API_KEY": "sk-loopback",
            "ANTHROPIC_BASE_URL": server.url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.invalid",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.invalid",
        }
        command = [
            "claude",
            "-p",
            prompt,
            "--plugin-dir",
            str(PLUGIN),
            "--permission-mode",
            "bypassPermissions",
            *words,
        ]
        return subprocess.run(
            command,
            cwd=session.project,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
        )


def test_a_session_goes_through_every_phase_and_each_hook_does_its_part(project: Path) -> None:
    """S-14, S-15, C-08, C-21, C-35, C-38, C-75, C-76, C-79, C-80, C-82: by the word, in the real program."""
    source, commit = project / "src/a.py", "git add src/a.py && git commit -q -m 'Greet'"
    session = Session(
        project,
        orchestrator=[
            use("Skill", skill="uam:uam-run"),
            write(source, "by the orchestrator"),
            shell("mkdir -p src", "echo by the shell > src/a.py"),
            write(project / ".uam/PLAN.md", PLAN),
            shell(f"{UAM} approve"),
            Answer("I am finished already."),
            use("Agent", description="TODO 1", prompt="TODO-1: the greeting", subagent_type="uam:uam-worker"),
            shell(f"{UAM} verify 1", commit, f"{UAM} done 1"),
            Answer("The sprint is over."),
            shell(f"{UAM} gate 1", f"! {UAM} gate 2 --critical 1 --warnings 0"),
            Answer("The gates have spoken."),
            shell(f"{UAM} phase phase3-gate"),
            shell(f"{UAM} gate 1", f"{UAM} gate 2 --critical 0 --warnings 1"),
            Answer("The gates have spoken again."),
            shell(f"{UAM} compound", f"{UAM} complete"),
            Answer("Done as measured."),
        ],
        worker=[write(source, "print('hello')\n"), Answer("I did it."), Answer(json.dumps(RESULT))],
    )

    ran = run(session, "uam add a greeting", "--output-format", "json")

    told = session.told()
    assert ran.returncode == 0, ran.stderr
    assert "has begun in phase1-plan" in session.heard[0].system + session.heard[0].turns[0].text
    assert session.phases == [
        *("phase1-plan", "phase2-sprint", "phase3-gate", "phase4-fix", "phase3-gate", "phase5-finalize", "completed"),
    ]
    assert told.count("Source files must be edited by uam-worker agents") >= 2
    assert source.read_text() == "print('hello')\n"
    sent_back = session.told(session.by_worker)
    assert "the reply is not the JSON object of a worker's result" in sent_back
    assert "async" not in told and '"todo_id": "TODO-1"' in told, "the worker's result came back to its caller"
    assert "1 TODO of PLAN.md is open" in told
    assert "A gate has failed" in told
    assert "You are the orchestrator of a UAM pipeline" in told, "the protocol was loaded"
    assert json.loads(ran.stdout)["result"] == "Done as measured."
    assert [each["todo_id"] for each in json.loads((project / ".uam/context/outputs.json").read_text())] == ["TODO-1"]
    assert "greetings are short" in (project / "docs/learnings/greeting/learnings.md").read_text()
    assert "### [x] TODO 1" in (project / ".uam/PLAN.md").read_text()
    assert session.state()["fix_loop_count"] == 1


WAYS: dict[str, tuple[str, str]] = {
    "C-83 Korean": ("uam으로 인사 기능을 만들어 줘", "phase1-plan"),
    "C-09 small": ("uam small: a greeting", "phase1-plan"),
    "C-09 bugfix": ("uam bugfix the greeting", "phase4-fix"),
    "C-08 skill": ("/uam:uam a greeting", "phase1-plan"),
    "C-08 command": ("/uam:uam-run", "phase1-plan"),
    "C-83 no word": ("add a greeting from Guam", ""),
    "C-12 status": ("/uam:uam-status", ""),
}


@pytest.mark.parametrize(("prompt", "phase"), WAYS.values(), ids=WAYS)
def test_ways_to_begin(prompt: str, phase: str, project: Path) -> None:
    session = Session(project, [Answer("Yes.")] * 12)

    ran = run(session, prompt, "--output-format", "json")

    assert ran.returncode == 0, ran.stderr
    assert session.state().get("current_phase", "") == phase


def test_C_33_a_worker_has_no_tool_to_start_others(project: Path) -> None:
    session = Session(
        project,
        [use("Agent", description="TODO 1", prompt="TODO-1", subagent_type="uam:uam-worker"), Answer("Well.")],
        [Answer(json.dumps(RESULT))],
    )

    run(session, "a worker, please")

    tools = {*session.by_worker[0].tools}
    assert "Write" in tools
    assert not {"Agent", "Task"} & tools


def claude(*words: str, home: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    if not CLAUDE.there:
        pytest.skip("the agent programs are not installed: make agents-install")
    environment = {"PATH": f"{CLAUDE.bin}:{os.environ['PATH']}", "HOME": str(home)}
    environment |= {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "ANDON_HOME": str(home / "andon")}
    return subprocess.run([*words], cwd=cwd, env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("folder", [PLUGIN, ROOT], ids=["plugin", "marketplace"])
def test_C_91_the_vendors_validator_finds_nothing(folder: Path, tmp_path: Path) -> None:
    done = claude("claude", "plugin", "validate", "--strict", str(folder), home=tmp_path, cwd=tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr


def test_andon_installs_it_for_claude_and_takes_it_away_again(project: Path, tmp_path: Path) -> None:
    """S-14: without a network, with hooks that then hold."""
    home, andon = tmp_path / "home", str(Path(sys.executable).with_name("andon"))
    home.mkdir()
    done = claude(andon, "plugin", "install", "--json", home=home, cwd=project)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["by"] == "claude"
    session = Session(project, [write(project / "src/a.py", "x"), Answer("Well.")])

    ran = run(session, "uam add a greeting", plugin=None)

    assert "Source files must be edited by uam-worker agents" in session.told(), ran.stderr
    assert claude(andon, "plugin", "uninstall", home=home, cwd=project).returncode == 0
    assert "uam@andon" not in claude("claude", "plugin", "list", home=home, cwd=project).stdout
