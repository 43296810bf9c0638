"""The agents of an `andon uam` whose workers work side by side: three TODOs at once, a fourth that needs them all.

In the other form each TODO needs the one before it: nothing is left to chance there, and every step is compared.

The second TODO's first worker leaves a file that is no Python, and says that all is well; Gate 1 finds a wrong test of
the fourth, which one fix loop mends. The three have the same command, which prints nothing: whichever is brought in
first, what is measured afterwards looks alike.
"""

from __future__ import annotations

import json

from andon.domain.uam import agents
from ordeals.rules import Rule, agent, sleep, write

SOUND = "python -m compileall -q src"
SIDES = ("left", "middle", "right")
WRONG = "from tally.whole import whole\n\n\ndef test_all():\n    assert whole() == 'all'\n"
RIGHT = WRONG.replace("'all'", "'left middle right'")


def _todo(number: int, title: str, needs: str, files: str, command: str) -> str:
    return (
        f"### [ ] TODO {number}: {title}\n- Description: Add {files}.\n- Dependencies: {needs}\n- Risk: LOW\n"
        f"- Estimated complexity: S\n- Acceptance Criteria:\n  - [A] `{command}`\n"
    )


def _files(name: str) -> tuple[str, str]:
    return f"src/tally/{name}.py", f"tests/test_{name}.py"


def _named(name: str) -> str:
    return " and ".join(f"`{path}`" for path in _files(name))


def _plan(*, in_line: bool) -> str:
    needs = ("none", "TODO-1", "TODO-2") if in_line else ("none", "none", "none")
    return "\n".join(
        (
            "# PLAN: sides\n\n## Summary\nThree sides and the whole.\n",
            "## Risk Assessment\n- Overall: LOW\n- Irreversible changes: none\n\n## TODOs\n",
            *(_todo(n, f"The {name}", needs[n - 1], _named(name), SOUND) for n, name in enumerate(SIDES, start=1)),
            _todo(
                4,
                "The whole",
                "TODO-1, TODO-2, TODO-3",
                f"{_named('whole')} and `tests/test_all.py`",
                "python -m pytest -q tests/test_whole.py",
            ),
            "## Test Strategy\n\n### A-items (Agent-Verifiable)\n- unit: `python -m pytest -q tests`\n",
            "### S-items (Sandbox Agent Testing)\n\n### H-items (Human-Required)\n\n## Dependency Graph",
            *(f"TODO-{n} → TODO-4" for n in (1, 2, 3)),
        )
    )


def _sections(name: str) -> str:
    """All that is asked of an agent's answer, and nothing in it."""
    return "\n".join(f"## {title}\nNothing more." for title in agents.agent(f"uam-{name}").required)


def _result(todo: str, summary: str, *files: str) -> str:
    told = {
        "todo_id": todo,
        "status": "PASS",
        "outputs": {"files_changed": list(files), "summary": summary},
        "acceptance_criteria": [],
        "learnings": [f"{summary} is learned."],
        "issues": [],
        "decisions": [f"{summary} is decided."],
    }
    return f"```json\n{json.dumps(told)}\n```"


def _commits(subject: str, *groups: tuple[str, ...]) -> str:
    told = [{"message": f"{subject} {n}\n\nIt was asked for.", "files": list(each)} for n, each in enumerate(groups)]
    return f"```json\n{json.dumps({'commits': told})}\n```"


def _side(number: int, seconds: float) -> tuple[Rule, ...]:
    name = SIDES[number - 1]
    source, tests = _files(name)
    return (
        agent(
            f"worker-{number}*",
            write(source, f'"""The {name}."""\n\n\ndef {name}() -> str:\n    return "{name}"\n'),
            sleep(seconds),
            write(tests, f"from tally.{name} import {name}\n\n\ndef test_it():\n    assert {name}() == '{name}'\n"),
            reply=_result(f"TODO-{number}", f"The {name}", source, tests),
        ),
        agent(f"git-master-{number}", reply=_commits(f"Add the {name}", (source, tests))),
    )


_WHOLE, _WHOLE_TESTS = _files("whole")
ANALYSTS = ("explore", "gap-analyzer", "pm", "verification-planner", "tradeoff-analyzer")
_WORKERS = (
    agent(
        "worker-2",
        write(_files("middle")[0], "def middle(\n"),
        sleep(0.2),
        reply=_result("TODO-2", "Half of the middle", _files("middle")[0]),
    ),
    *_side(1, 0.3),
    *_side(2, 0.4),
    *_side(3, 0.8),
    agent(
        "worker-4*",
        write(
            _WHOLE,
            '"""The whole."""\n\nfrom tally.left import left\nfrom tally.middle import middle\n'
            "from tally.right import right\n\n\ndef whole() -> str:\n"
            '    return " ".join((left(), middle(), right()))\n',
        ),
        write(
            _WHOLE_TESTS, "from tally.whole import whole\n\n\ndef test_it():\n    assert whole().split()[0] == 'left'\n"
        ),
        write("tests/test_all.py", WRONG),
        sleep(0.2),
        reply=_result("TODO-4", "The whole", _WHOLE, _WHOLE_TESTS, "tests/test_all.py"),
    ),
    agent("git-master-4", reply=_commits("Add the whole", (_WHOLE,), (_WHOLE_TESTS, "tests/test_all.py"))),
    agent("debugger-1", sleep(0.1), reply=_sections("debugger")),
    agent(
        "fix-worker",
        write("tests/test_all.py", RIGHT),
        sleep(0.2),
        reply=_result("TODO-0", "The test of all", "tests/test_all.py"),
    ),
    agent("git-master-fix-1", reply=_commits("Mend the test of all", ("tests/test_all.py",))),
    agent("code-reviewer", reply=_sections("code-reviewer") + '\n```json\n{"findings": []}\n```'),
)


def agents_of(*, in_line: bool) -> tuple[Rule, ...]:
    analysts = (agent(name, sleep(0.1), reply=_sections(name)) for name in ANALYSTS)
    return (*analysts, agent("planner", reply=_plan(in_line=in_line)), *_WORKERS)
