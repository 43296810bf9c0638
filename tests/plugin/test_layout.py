"""The plugin as it is shipped: whole, made from the rules and the roles, and examined by its own check and by lint."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from andon.app.plugin import lint
from andon.domain.uam import layout, replies
from andon.domain.uam.agents import CATALOGUE

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "plugin"
TABLE = {
    "uam-explore": ("haiku", "Write, Edit, Task"),
    "uam-gap-analyzer": ("haiku", "Write, Edit, Bash, Task"),
    "uam-tradeoff-analyzer": ("sonnet", "Write, Edit, Bash, Task"),
    "uam-verification-planner": ("sonnet", "Write, Edit, Bash, Task"),
    "uam-pm": ("opus", "Write, Edit, Bash, Task"),
    "uam-designer": ("sonnet", "Write, Edit, Bash, Task"),
    "uam-researcher": ("sonnet", "Write, Edit, Task"),
    "uam-worker": ("sonnet", "Task"),
    "uam-frontend": ("sonnet", "Task"),
    "uam-git-master": ("sonnet", "Write, Edit, Task"),
    "uam-code-reviewer": ("sonnet", "Write, Edit"),
    "uam-debugger": ("sonnet", "Write, Edit, Task"),
}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(PLUGIN, tmp_path / "plugin", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "plugin"


def tool() -> ModuleType:
    described = importlib.util.spec_from_file_location("andon_tools_plugin", ROOT / "tools/plugin.py")
    assert described and described.loader
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    return module


def test_what_is_committed_is_what_the_tool_makes() -> None:
    """The job descriptions of andon's pipeline and the plugin's agents are one text, and so are the rules."""
    assert tool().stale() == []


def test_the_tool_sees_what_differs_and_what_nothing_makes(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tool()
    monkeypatch.setattr(module, "PLUGIN", copy)
    (copy / "agents/uam-pm.md").write_text("another text")
    (copy / "core/uam/extra.py").write_text("")
    (copy / "core/uam/plan.py").unlink()

    assert module.stale() == ["agents/uam-pm.md", "core/uam/extra.py", "core/uam/plan.py"]


def test_C_69_twelve_agents_with_their_models_and_forbidden_tools() -> None:
    there = {path.stem: layout.frontmatter(path.read_text()) for path in (PLUGIN / "agents").glob("*.md")}

    assert {name: (head["model"], head["disallowedTools"]) for name, head in there.items()} == TABLE
    assert {name: head["name"] for name, head in there.items()} == {name: name for name in TABLE}


@pytest.mark.parametrize("agent", CATALOGUE, ids=lambda agent: agent.name)
def test_C_76_every_agent_says_what_its_results_must_have(agent: Any) -> None:
    assert replies.wanted((PLUGIN / f"agents/{agent.name}.md").read_text()) == [*agent.required]


def test_C_91_C_10_and_C_11_the_layout() -> None:
    """S-14, X-27: manifest, twelve agents, four hooks and their registration, two commands, eight skills."""
    names = ("uam", "uam-small", "uam-pivot", "uam-status", "uam-cancel", "uam-resume", "uam-bugfix", "uam-compound")

    assert json.loads((PLUGIN / ".claude-plugin/plugin.json").read_text())["name"] == "uam"
    assert {path.parent.name for path in PLUGIN.glob("skills/*/SKILL.md")} == {*names}
    assert {path.stem for path in PLUGIN.glob("commands/*.md")} == {"uam-run", "uam-small-run"}
    assert len([*PLUGIN.glob("hooks/*.py")]) == 4
    assert (PLUGIN / "README.md").is_file()


def test_C_74_four_hooks_in_exec_form_for_their_events() -> None:
    hooks = json.loads((PLUGIN / "hooks/hooks.json").read_text())
    there = [(event, matcher, hook) for event, matcher, hook in layout.commands_in(hooks)]

    assert {Path(hook["args"][2]).name for _, _, hook in there} == {path.name for path in PLUGIN.glob("hooks/*.py")}
    assert all(hook["args"][:2] == ["-I", "-S"] for _, _, hook in there)
    assert all(hook.get("onFailure") == "block" for _, _, hook in there if "guard" in str(hook))
    assert {event for event, _, _ in there} == {
        *("PreToolUse", "PostToolUse", "SubagentStop", "Stop", "UserPromptSubmit"),
    }


def test_C_07_every_adopted_strength_is_reported_present(project: Any) -> None:
    told = json.loads(project.uam("check", "--json").stdout)

    assert told["problems"] == []
    assert {each["of"] for each in told["features"]} == {"OMC", "hoyeon", "SG-Loop"}
    assert all(each["present"] for each in told["features"])


def replaced(path: str, old: str, new: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        text = (folder / path).read_text()
        assert old in text
        (folder / path).write_text(text.replace(old, new))

    return change


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "C-88 agent removed": (lambda f: (f / "agents/uam-pm.md").unlink(), "agents/uam-pm.md: is missing"),
    "C-88 skill removed": (
        lambda f: (f / "skills/uam-status/SKILL.md").unlink(),
        "skills/uam-status/SKILL.md: is missing",
    ),
    "C-88 hook removed": (lambda f: (f / "hooks/uam_write_guard.py").unlink(), "hooks/uam_write_guard.py: is missing"),
    "C-88 state removed": (lambda f: (f / "core/uam/state.py").unlink(), "core/uam/state.py: is missing"),
    "C-88 no forbidden tools": (
        replaced("agents/uam-worker.md", "disallowedTools: Task\n", ""),
        "agents/uam-worker.md: disallowedTools is Task",
    ),
    "C-88 hook not registered": (
        replaced("hooks/hooks.json", '"Stop": [', '"SessionEnd": ['),
        "uam_phase_controller.py is not registered for Stop",
    ),
    "C-88 guard deaf to the shell": (replaced("hooks/hooks.json", "|Bash|", "|"), "does not hear of Bash"),
    "C-90 guard fails open": (replaced("hooks/hooks.json", '"onFailure": "block"', '"async": false'), "onFailure"),
    "C-77 misspelt": (
        replaced("agents/uam-explore.md", "## validate_prompt", "## validation_prompt"),
        "validation_prompt",
    ),
    "C-77 missing": (replaced("agents/uam-explore.md", "## validate_prompt", "## other"), "has no list under"),
    "model": (replaced("agents/uam-explore.md", "model: haiku", "model: haiku9"), "there is no model haiku9"),
    "tool": (replaced("agents/uam-explore.md", "Write, Edit", "Wirte, Edit"), "names Wirte, a tool that is not known"),
    "agent's name": (replaced("agents/uam-pm.md", "name: uam-pm", "name: pm"), "its name is pm"),
    "skill's name": (
        replaced("skills/uam/SKILL.md", "name: uam\n", "name: uma\n"),
        "its name is uma, its folder is uam",
    ),
    "interpreter": (
        replaced("hooks/hooks.json", '"python3"', '"/nowhere/python3"'),
        "/nowhere/python3 cannot be started",
    ),
    "script": (replaced("hooks/hooks.json", "phase_controller.py", "controller.py"), "starts hooks/uam_controller.py"),
    "manifest": (lambda f: (f / ".claude-plugin/plugin.json").write_text("{"), "is not JSON"),
}


@pytest.mark.parametrize(("change", "told"), BROKEN.values(), ids=BROKEN)
def test_a_broken_installation_is_named(copy: Path, project: Any, change: Callable[[Path], object], told: str) -> None:
    change(copy)

    assert told in "\n".join(f"{each.file}: {each.problem}" for each in lint(copy))
    if (copy / "core/uam/state.py").exists():  # what the check itself stands on
        examined = replace(project, plugin=copy).uam("check")
        assert examined.returncode == 1
        assert told in examined.stdout


def test_X_63_an_agent_of_the_project_counts_as_there(copy: Path, project: Any) -> None:
    here = project.folder / ".claude/agents"
    here.mkdir(parents=True)
    (copy / "agents/uam-pm.md").rename(here / "uam-pm.md")

    assert replace(project, plugin=copy).uam("check").returncode == 0
    (here / "uam-pm.md").write_text((here / "uam-pm.md").read_text().replace("validate_", "validation_"))
    assert "validation_prompt" in replace(project, plugin=copy).uam("check").stdout


def test_hooks_import_the_standard_library_and_nothing_slow(project: Any) -> None:
    """Whatever a hook reaches must load in a few milliseconds."""
    project.stands("phase2-sprint", (" ", " "))
    slow = {"dataclasses", "typing", "inspect", "pathlib", "subprocess", "argparse", "tempfile", "logging", "asyncio"}
    script = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); sys.argv = ['']\n"
        "import guarding, validating, controlling, detecting\n"
        "from uam import writes, knowledge\n"
        "print(json.dumps(sorted(sys.modules)))"
    )

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script, str(PLUGIN / "core")], capture_output=True, text=True, timeout=30
    )

    assert not slow & {*json.loads(done.stdout)}, done.stderr
