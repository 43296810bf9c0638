"""What an `andon uam` leaves in a checkout's `.uam/`, as one text to compare: boxes, state, each worker's result.

Results and what was learned stand there in the order workers were brought in, which is by chance; so they are sorted,
and what is there twice shows.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

_SECONDS = re.compile(r'"seconds": [\d.]+')


def told(checkout: Path) -> str:
    folder = checkout / ".uam"
    parts = [f"{name}\n{(folder / name).read_text()}" for name in ("PLAN.md", "state.json", "report.md")]
    outputs = json.loads((folder / "context/outputs.json").read_text())
    parts.append("outputs.json\n" + "\n".join(sorted(json.dumps(each, sort_keys=True) for each in outputs)))
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.suffix == ".md" and path.name not in ("PLAN.md", "report.md"):
            parts.append(f"{name}\n{as_set(path.read_text())}")
        elif name.startswith(("gate-results/", "fix-loop/")) and path.is_file():
            parts.append(f"{name}\n{path.read_text()}")
    return _SECONDS.sub('"seconds": TIME', "\n\n".join(parts))


def as_set(text: str) -> str:
    return "\n".join(sorted(text.splitlines()))
