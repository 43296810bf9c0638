"""What the `api` runtime's own agent does beyond what every program does."""

from __future__ import annotations

from pathlib import Path

from stages import PROGRAMS, staged

from andon.domain.order import Outcome

CHAT = PROGRAMS["api-chat"]


def test_E_07_commands_do_not_see_the_key_and_an_attempt_beyond_the_scope_is_told(tmp_path: Path) -> None:
    rule = {
        "do": [{"run": {"command": "env"}}, {"write": {"path": "src/a.py", "text": "x\n"}}],
        "reply": "Done.",
    }

    with staged(CHAT, tmp_path, [rule]) as stage:
        (stage.workspace / "src").mkdir()
        reply = stage.carry_out(stage.order(writable=("docs/",)))
        heard = "\n".join(result.text for turn in stage.server.seen[-1].turns for result in turn.results)

    assert reply.outcome is Outcome.DONE
    assert "OPENAI_BASE_URL=" in heard
    assert "sk-loopback" not in heard
    assert [violation for violation in reply.violations if "src/a.py; refused: Read-only file system" in violation]
