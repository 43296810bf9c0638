"""Runs the tests that a change concerns, by what `make test-record` saw them reach.

usage: test_changed.py [PYTEST ARGUMENT…]            run them
       test_changed.py --list                        say which, and why
       test_changed.py --record [PYTEST ARGUMENT…]   run the suite, and record what each file of tests reaches
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from reach import KEPT, ROOT, Reach, Selection, git, select

sys.path.insert(0, str(ROOT / "tests"))
from reach_recorder import VARIABLE, lines

SHOWN = 8
NO_RECORD = """No record of what the tests reach, so it is not known which of them this change concerns.
  make test-record   runs the whole suite once and makes the record (kept in {kept})
  make test-fast     runs the heart of every door, in under two minutes"""


def main() -> int:
    words = sys.argv[1:]
    if words[:1] == ["--record"]:
        return record(words[1:])
    reach = Reach.load()
    if reach is None:
        print(NO_RECORD.format(kept=KEPT.name))
        return 2
    selection = select(reach)
    tell(reach, selection)
    if words[:1] == ["--list"] or not selection.why:
        return 0
    return run(words, sorted(selection.why))


def tell(reach: Reach, selection: Selection) -> None:
    """Say what will be run and because of what, and what is not known."""
    chosen = len(selection.why)
    print(f"{chosen} of {len(reach.reached)} files of tests reach what changed since {reach.commit[:10]}.")
    causes = Counter(path for paths in selection.why.values() for path in paths)
    for path, count in causes.most_common(SHOWN):
        print(f"  {count:4}  {path}")
    if len(causes) > SHOWN:
        print(f"        and {len(causes) - SHOWN} further files")
    if selection.unknown:
        print("Not known, because no test was seen to reach them (run make test for these):")
        for path in selection.unknown:
            print(f"        {path}")


def record(words: Sequence[str]) -> int:
    """Run the suite, each file of tests with a text of its own for what it reaches, and keep what they say."""
    if git("status", "--porcelain", "--untracked-files=no"):
        print("Commit first: a record is of a commit, and files that are tracked differ from it.", file=sys.stderr)
        return 2
    begin = Path(sysconfig.get_path("purelib")) / "andon-reach.pth"
    recorder = ROOT / "tests" / "reach_recorder.py"
    with tempfile.TemporaryDirectory(prefix="andon-reach-") as folder:
        begin.write_text(
            f"import os, sys; {VARIABLE!r} in os.environ and "
            f"(sys.path.append({str(recorder.parent)!r}), __import__('reach_recorder'))\n"
        )
        try:
            code = run(words, (), {VARIABLE: f"{folder}/start"})
        finally:
            begin.unlink()
        reached = {test: frozenset(seen) for test, seen in lines(Path(folder)) if (ROOT / test).is_file()}
    Reach(git("rev-parse", "HEAD").strip(), reached).keep()
    print(f"Recorded what {len(reached)} files of tests reach, in {KEPT.name}.")
    return code


def run(words: Sequence[str], tests: Sequence[str], environment: Mapping[str, str] | None = None) -> int:
    """Run the suite, or these files of it."""
    workers = os.environ.get("WORKERS", "3")
    return subprocess.call(
        ["scripts/test.sh", workers, *words, *tests], cwd=ROOT, env={**os.environ, **(environment or {})}
    )


if __name__ == "__main__":
    sys.exit(main())
