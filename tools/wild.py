"""`make wild`: verifies releases of well-known packages that nobody here wrote, without any configuration.

usage: wild.py [--only NAME…] [--kind python|javascript|history] [--role honest|undone] [--limit N] [--quick] [--twice]
               [--again] [--json] [--repositories FOLDER [--newest N]] [--seconds N] [--list]

Base: release n; change: release n + 1 (tests/wild/packages.toml). For each also its undone twin, the new tests on the
old product, which must be refused. Answers are kept below ANDON_WILD_HOME by the source of andon that gave them, so
that a run that was stopped goes on. docs/wild.md says how to read the table. Ends with 0, or 1 when a change could not
be made.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import platformdirs
from wild_answers import Answer, Book, ask, this_andon
from wild_archives import NotFetched
from wild_changes import HONEST, UNDONE, Changes, NotMade, Release, of_history, of_release
from wild_table import as_json, text

LIST = Path(__file__).resolve().parents[1] / "tests" / "wild" / "packages.toml"
SECONDS = 600.0
Made = tuple[str, Callable[[], Changes]]


def main() -> int:
    given = _arguments()
    home = Path(os.environ.get("ANDON_WILD_HOME") or platformdirs.user_cache_path("andon") / "wild").absolute()
    releases = _chosen(given)
    if given.list:
        print("\n".join(f"{each.kind:10}  {each.title}" for each in releases))
        return 0
    andon = this_andon()
    book = Book(home / "answers.jsonl", andon)
    answers: list[Answer] = []
    without: list[tuple[str, str]] = []
    not_made: list[tuple[str, str]] = []
    try:
        for title, make in _all(given, releases, home):
            try:
                changes = make()
            except (NotFetched, NotMade) as problem:
                not_made.append((title, str(problem)))
                _say(f"{title}: could not be made: {problem}")
                continue
            if changes.undone is None:
                without.append((changes.honest.title, changes.no_twin))
            for change in changes.all:
                if given.role not in (None, change.role):
                    continue
                known = None if given.again else book.find(change.title, change.role)
                if known is None:
                    known = ask(change, home, given.seconds, andon, twice=given.twice)
                    book.add(known)
                    _say(f"{known.change} {known.role}: {known.answer}, {known.seconds:.0f} s: {known.reason[:200]}")
                answers.append(known)
    except KeyboardInterrupt:
        _say("interrupted: what was answered is kept, and the same command goes on")
        return 130
    finally:
        show = as_json(answers, without, not_made)
        print(json.dumps(show, indent=2, ensure_ascii=False) if given.json else text(answers, without, not_made))
    return 1 if not_made else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make wild", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these packages or repositories")
    parser.add_argument("--kind", choices=("python", "javascript", "history"))
    parser.add_argument("--role", choices=(HONEST, UNDONE), help="only the changes as they are, or only their twins")
    parser.add_argument("--limit", type=int, metavar="N", help="the first N releases")
    parser.add_argument("--quick", action="store_true", help="three small Python packages and one of npm")
    parser.add_argument("--twice", action="store_true", help="ask everything twice: the time of the second counts")
    parser.add_argument("--again", action="store_true", help="ask also what was answered before")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--repositories", type=Path, metavar="FOLDER", help="also the histories in this folder")
    parser.add_argument("--newest", type=int, default=3, metavar="N", help="how many commits of each history")
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="N", help="the longest that one may take")
    parser.add_argument("--list", action="store_true", help="only say what would be verified")
    return parser.parse_args()


def read_list(file: Path = LIST) -> list[Release]:
    with file.open("rb") as opened:
        kinds = tomllib.load(opened)
    return [
        Release(kind, name, entry["from"], entry["to"], entry.get("no_twin", ""), entry.get("quick", False))
        for kind, entries in kinds.items()
        for name, entry in entries.items()
    ]


def _chosen(given: argparse.Namespace) -> list[Release]:
    releases = [
        each
        for each in read_list()
        if (not given.only or each.name in given.only)
        and (not given.kind or each.kind == given.kind)
        and (not given.quick or each.quick)
    ]
    return releases[: given.limit]


def _all(given: argparse.Namespace, releases: Sequence[Release], home: Path) -> Iterator[Made]:
    for release in releases:
        yield release.title, lambda release=release: of_release(release, home)
    if given.repositories is None or given.kind not in (None, "history"):
        return
    for source in sorted(given.repositories.iterdir()):
        if (source / ".git").exists() and (not given.only or source.name in given.only):
            try:
                for changes in of_history(source, given.newest, home):
                    yield changes.honest.title, lambda changes=changes: changes
            except NotMade as problem:
                yield source.name, _failing(problem)


def _failing(problem: NotMade) -> Callable[[], Changes]:
    def fail() -> Changes:
        raise problem

    return fail


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
