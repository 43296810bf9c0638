"""Writes team.yaml and proposal.md of every example, as `andon team compose` gives them on a machine with nothing else.
With --check it only says whether they are true; a test keeps them up to date."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from andon.app.teams import Analysis, analyse, propose, text_of
from andon.domain.language import detect
from andon.domain.teams.resources import Inventory
from andon.domain.teams.telling import Teller

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
WORKFLOW = "workflow.md"


def made(folder: Path) -> dict[Path, str]:
    nothing = Inventory(platform="linux")
    found = analyse(folder / WORKFLOW, nothing)
    found = Analysis(replace(found.workflow, path=WORKFLOW), found.matches)
    proposal = propose(found, nothing, {})
    return {
        folder / "team.yaml": text_of(proposal),
        folder / "proposal.md": Teller(detect(found.workflow.text)).proposal(proposal),
    }


def main() -> int:
    files = {path: text for each in sorted(EXAMPLES.glob(f"*/{WORKFLOW}")) for path, text in made(each.parent).items()}
    stale = [path for path, text in files.items() if not path.exists() or path.read_text("utf-8") != text]
    if sys.argv[1:] == ["--check"]:
        for path in stale:
            print(f"{path} is not what compose makes: run {Path(__file__).name}", file=sys.stderr)
        return 1 if stale else 0
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
