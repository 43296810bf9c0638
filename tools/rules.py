"""Writes the table of findings in docs/how-andon-decides.md from the rules. With --check it only says if it is true."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from andon.domain.verification import RULES, Excuse

PAGE = Path(__file__).resolve().parents[1] / "docs" / "how-andon-decides.md"
BEGIN, END = "<!-- rules: written by tools/rules.py -->", "<!-- /rules -->"
EXCUSES = {
    Excuse.NEVER: "by a person only",
    Excuse.NAMED: "the plan names the file or package",
    Excuse.CHANGE: "the plan says that it changes",
    Excuse.REMOVE: "the plan says that it goes or moves",
    Excuse.SKIP: "the plan says that it is skipped",
    Excuse.REGENERATE: "the plan says that it is made anew",
}


def page() -> str:
    rows = ["| layer | rule | what was found | excused |", "|---|---|---|---|"]
    rows += [f"| {rule.layer} | `{name}` | {rule.what} | {EXCUSES[rule.excuse]} |" for name, rule in RULES.items()]
    table = "\n".join([BEGIN, *rows, END])
    return re.sub(f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: table, PAGE.read_text(), flags=re.DOTALL)


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.read_text() == page() else f"{PAGE.name} is not up to date: python tools/rules.py")
    PAGE.write_text(page())
