"""An agent can run the project's tests as andon does: with the environment that was prepared for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from stages import PROGRAMS, staged

from andon.domain.order import Outcome, Toolbox


@pytest.mark.parametrize("name", ["claude", "codex", "api-chat"])
def test_E_02_the_projects_own_tools_are_there_and_read_only(name: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    if not program.there:
        pytest.skip("the agent programs are not installed: make agents-install")
    tools, packages = tmp_path / "tools/bin", tmp_path / "packages"
    tools.mkdir(parents=True)
    (tools / "checker-of-ours").write_text("#!/bin/sh\necho $FLAVOUR of $PYTHONPATH; touch node_modules/x\n")
    (tools / "checker-of-ours").chmod(0o755)
    packages.mkdir()
    (packages / "library").write_text("known")
    toolbox = Toolbox(
        paths=(str(tools),),
        variables={"FLAVOUR": "vanilla"},
        readable=(str(tools.parent), str(packages)),
        python_path=("src",),
        linked=((str(packages), "node_modules"),),
    )
    rule = {"do": [{"run": {"command": "checker-of-ours; cat node_modules/library"}}], "reply": "Done."}

    with staged(program, tmp_path, [rule]) as stage:
        reply = stage.carry_out(stage.order(toolbox=toolbox))
        heard = "\n".join(result.text for turn in stage.server.seen[-1].turns for result in turn.results)

    assert reply.outcome is Outcome.DONE
    assert f"vanilla of {stage.workspace}/src" in heard
    assert "known" in heard
    assert [path.name for path in packages.iterdir()] == ["library"]
