"""The write guard: who may write what while a pipeline is active, by whichever tool."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.uam import guard, writes
from andon.domain.uam.shell import calls

MESSAGE = "Source files must be edited by uam-worker agents"
SPRINT = "phase2-sprint"

PATHS = {
    "C-75 below .uam": (".uam/x.py", False),
    "C-75 source": ("src/a.ts", True),
    "C-75 other file": ("README.md", False),
    "C-75 plan": ("PLAN.md", False),
    "C-75 learnings": ("docs/learnings/x/notes.py", False),
    "C-75 out of an allowed folder": ("docs/learnings/../../src/a.py", True),
    "C-75 settings": (".claude/hooks/a.js", False),
    "C-75 capitals": ("SRC/A.PY", True),
    "C-75 a plan elsewhere": ("src/PLAN.md/../a.py", True),
}


@pytest.mark.parametrize(("path", "refused"), PATHS.values(), ids=PATHS)
@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit"])
def test_paths(project: Any, tool: str, path: str, refused: bool) -> None:
    project.stands(SPRINT)

    said = project.guard(tool, file_path=str(project.folder / path))

    assert said.code == 0
    assert (MESSAGE in said.denied) is refused
    assert refused or said.passed


def test_C_75_a_notebook_is_source(project: Any) -> None:
    assert project.stands(SPRINT).guard("NotebookEdit", notebook_path="analysis.ipynb").denied


WHO = {
    "X-37 worker": ("uam:uam-worker", False),
    "X-37 front end": ("uam:uam-frontend", False),
    "X-37 without the plugin's name": ("uam-worker", False),
    "X-37 nobody known": (None, True),
    "X-37 another agent": ("general-purpose", True),
    "X-37 a fork": ("fork", True),
    "X-37 another of ours": ("uam:uam-git-master", True),
    "X-37 a name that ends alike": ("my-uam-worker", True),
}


@pytest.mark.parametrize(("agent", "refused"), WHO.values(), ids=WHO)
def test_who_writes(project: Any, agent: str | None, refused: bool) -> None:
    project.stands(SPRINT)

    by_tool = project.guard("Write", agent, file_path=str(project.folder / "src/a.py"))
    by_shell = project.guard("Bash", agent, command="echo x > src/a.py")

    assert (bool(by_tool.denied), bool(by_shell.denied)) == (refused, refused)


REFUSED = {
    "G-17 redirection": "echo x > src/a.py",
    "G-17 appended": "cat >> src/a.ts <<EOF\nx\nEOF",
    "G-17 clobbered": "echo x >| src/a.py",
    "G-17 both streams": "make &> src/a.py",
    "G-17 after another": "cd src && echo x > a.py",
    "G-17 in a substitution": "echo $(echo x > src/a.py)",
    "G-17 in a group": "{ echo x; } > src/a.py",
    "G-17 sed": "sed -i 's/a/b/' src/a.py",
    "G-17 sed with a copy": "sed -i.bak -e s/a/b/ src/a.py",
    "G-17 sed of many": "git ls-files | xargs sed -i s/a/b/",
    "G-17 find": "find . -name '*.py' -exec sed -i s/a/b/ {} +",
    "G-17 perl": "perl -pi -e 's/a/b/' src/a.js",
    "G-17 tee": "echo x | sudo tee -a src/a.go",
    "G-17 copy": "cp /tmp/x src/a.py",
    "G-17 copy into": "cp /tmp/a.py src/",
    "G-17 moved away": "mv src/a.py docs/a.txt",
    "G-17 removed": "rm -f src/a.py",
    "G-17 made": "touch src/new.py",
    "G-17 dd": "dd if=/dev/zero of=src/a.c",
    "G-17 shell in a shell": "bash -c 'echo x > src/a.py'",
    "G-17 eval": "eval 'echo x > src/a.py'",
    "G-17 python": "python3 -c \"open('src/a.py','w').write('x')\"",
    "G-17 python fed": "python3 - <<'E'\nfrom pathlib import Path\nPath('src/a.py').write_text('x')\nE",
    "G-17 node": "node -e \"require('fs').writeFileSync('src/a.js','')\"",
    "G-17 patch": "patch -p1 < change.diff",
    "G-17 git apply": "git apply change.diff",
    "G-17 git checkout": "git checkout -- src/a.py",
    "G-17 formatter": "npx prettier --write src",
    "G-17 fetched": "curl -o src/a.js http://127.0.0.1/a.js",
    "G-17 apply_patch": "apply_patch <<'E'\n*** Begin Patch\n*** Add File: src/a.py\n+x\n*** End Patch\nE",
}
ALLOWED = {
    "G-17 tests": "python -m pytest tests/test_a.py 2>&1 | tail",
    "G-17 reading": "sed -n 1,3p src/a.py; cat src/a.py | head",
    "G-17 quoted": "grep -rn 'x > y.py' src",
    "G-17 said": "echo '> src/a.py'",
    "G-17 commit": "git add src/a.py && git commit -m 'x > a.py'",
    "G-17 own files": "pytest > .uam/out.txt; cp src/a.py .uam/sandbox/",
    "G-17 the plan": "sed -i 's/### \\[ \\] TODO 1/### [x] TODO 1/' .uam/PLAN.md",
    "G-17 a plan that quotes": "cat <<EOF > .uam/PLAN.md\n- [A] `echo > src/a.py`\nEOF",
    "G-17 looking only": "black --check src && git apply --check x.diff",
    "G-17 another branch": "git checkout main",
    "G-17 a stream": "echo hi >&2",
    "G-17 a read by code": "python3 -c \"print(open('src/a.py').read())\"",
}


@pytest.mark.parametrize("line", REFUSED.values(), ids=REFUSED)
def test_the_shell_writes_no_source_either(project: Any, line: str) -> None:
    assert MESSAGE in project.stands(SPRINT).guard("Bash", command=line).denied


@pytest.mark.parametrize("line", ALLOWED.values(), ids=ALLOWED)
def test_the_shell_does_everything_else(project: Any, line: str) -> None:
    assert project.stands(SPRINT).guard("Bash", command=line).passed


@given(st.text())
def test_any_line_can_be_taken_apart(line: str) -> None:
    calls(line)
    writes.written(line)


@given(st.sampled_from(guard.SOURCES), st.sampled_from([">", ">>", "> ", ">|", "1>", "&>"]), st.text("ab ;\n'"))
def test_a_redirection_to_a_source_file_is_seen_wherever_it_stands(ending: str, sign: str, before: str) -> None:
    line = f"{before.replace(chr(39), '')}\necho x {sign}src/a{ending}"

    assert writes.refusal(line, "/p", "/p", None)


def test_G_17_the_list_of_endings_can_be_set(project: Any) -> None:
    project.stands(SPRINT)
    (project.folder / ".uam/config.json").write_text(json.dumps({"source_extensions": [".foo"]}))

    assert project.guard("Write", file_path="src/a.foo").denied
    assert project.guard("Write", file_path="src/a.py").passed


def test_C_75_a_link_leads_nowhere_else(project: Any) -> None:
    project.stands(SPRINT)
    (project.folder / "src").mkdir()
    (project.folder / ".uam/inside").symlink_to(project.folder / "src")

    assert project.guard("Write", file_path=str(project.folder / ".uam/inside/a.py")).denied


PATCH = "*** Begin Patch\n*** Update File: {}\n@@\n-a\n+b\n*** End Patch"


@pytest.mark.parametrize(("path", "refused"), [("src/a.py", True), (".uam/PLAN.md", False)], ids=["source", "plan"])
@pytest.mark.parametrize("key", ["command", "input", "patch"])
def test_a_patch_of_codex_is_judged_by_the_files_it_names(project: Any, key: str, path: str, refused: bool) -> None:
    said = project.stands(SPRINT).guard("apply_patch", **{key: PATCH.format(path)})

    assert bool(said.denied) is refused


def test_a_patch_that_moves_a_file_to_a_source_is_refused(project: Any) -> None:
    patch = "*** Begin Patch\n*** Update File: notes.txt\n*** Move to: src/a.py\n*** End Patch"

    assert project.stands(SPRINT).guard("apply_patch", command=patch).denied


@pytest.mark.parametrize("phase", ["completed", "cancelled"])
def test_C_65_and_C_13_afterwards_everybody_may_write(project: Any, phase: str) -> None:
    assert project.stands(phase).guard("Write", file_path="src/a.py").passed


def test_a_run_that_andon_drives_is_not_guarded_here(project: Any) -> None:
    """andon works in a worktree of its own; the checkout is the person's."""
    assert project.stands(SPRINT, driver="andon").guard("Write", file_path="src/a.py").passed


def test_C_02_a_session_below_the_top_of_a_repository_is_guarded_too(project: Any) -> None:
    project.stands(SPRINT)
    (project.folder / ".git").mkdir()
    below = project.folder / "packages/one"
    below.mkdir(parents=True)
    event = {"tool_name": "Write", "tool_input": {"file_path": str(below / "a.py")}, "cwd": str(below)}

    assert project.hook("write_guard", event, CLAUDE_PROJECT_DIR=str(below)).denied
