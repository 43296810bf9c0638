"""A review: what was measured first, then documents, then code; comments, and the decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from andon.app.access import Role
from andon.app.evidence import Kept, kept
from andon.app.reviewing import File, Folded, Reviewed, files_of, reviewed, waiting_hours
from andon.domain.errors import UserError
from andon.domain.tasks.criteria import BUILDS, CHANGE, SECRETS, SYNTAX, TESTS_PASS
from andon.domain.tasks.reporting import Outcome
from andon.domain.tasks.reviews import Comment, Review
from andon.domain.verdict import Verdict
from andon.domain.verification import VERIFICATION
from andon.web.diffs import Row, Section, sections
from andon.web.documents import LARGEST, Block, blocks
from andon.web.page import Query, View
from andon.web.rendering import Reader
from andon.web.site import NotFound, Site

PARTS = ("head", "report", "ladder", "people", "decide")
GOALS: Mapping[str, tuple[str, ...]] = {
    TESTS_PASS: ("test",),
    BUILDS: ("build", "typecheck"),
    SYNTAX: ("lint", "typecheck"),
    SECRETS: (VERIFICATION,),
    CHANGE: (VERIFICATION,),
}
"""Which goals of the record stand behind a measurement."""
SHOWN_PASSED = 3
PLAIN_COMMENTS = 4
"""On files and lines, at once, without JavaScript."""


def review(site: Site, reader: Reader, path: Mapping[str, str], query: Query) -> View:
    found = reviewed_or_404(site, path["id"])
    overview = site.overview(found.run.id)
    files = shown_files(site, found, query)
    values: dict[str, Any] = {
        "found": found,
        "review": found.review,
        "run": overview,
        "repository": Path(found.run.repository).name,
        "shown": [each for each in found.outcomes if each.verdict.blocks or not each.critical],
        "passed": [each for each in found.outcomes if each.critical and each.verdict is Verdict.PASSED],
        "first": SHOWN_PASSED,
        "plain_comments": PLAIN_COMMENTS,
        "evidence": _evidence(site, found),
        "people": people(site) if reader.visitor.role.includes(Role.ADMIN) and found.waits else (),
        "hours": round(waiting_hours(found.review)),
        **files_values(files, found, query),
    }
    title = f"{reader.say('Review')}: {found.run.task}"
    parts = {f"review-{name}": f"parts/review-{name}.html" for name in PARTS}
    return View("review.html", title, "reviews", values, parts, frozenset({found.run.id}))


def people(site: Site) -> list[str]:
    """Who could decide: everybody with a page or a token who may."""
    there = (*site.access.sessions(), *site.access.tokens())
    return sorted({each.name for each in there if each.name and each.role.includes(Role.REVIEWER)})


def reviewed_or_404(site: Site, id: str) -> Reviewed:
    try:
        return reviewed(site.store, id)
    except UserError as error:
        raise NotFound(error.message, "It may belong to another data folder. Reviews shows what there is.") from error


def shown_files(site: Site, found: Reviewed, query: Query) -> tuple[File, ...]:
    return files_of(site.store, found, since_of(found, query))


def since_of(found: Reviewed, query: Query) -> Review | None:
    """The version that the files are compared with; None: the tree that the phase began with."""
    number = query.get("since", "")
    return found.versions[int(number) - 1] if number.isdecimal() and 0 < int(number) < found.number else None


def files_values(files: Sequence[File], found: Reviewed, query: Query) -> dict[str, Any]:
    """What templates need in order to show files. Diffs are made only when a template asks for one."""
    split = query.get("diff", "split") != "unified"
    names = frozenset(each.path for each in files)
    comments = found.review.comments
    given = _by_line(comments)

    def diff_of(file: File) -> list[tuple[Section, list[tuple[Row, list[Comment]]]]]:
        made = sections(file, beside(file))
        return [(each, [(row, given.get((file.path, row.new), [])) for row in each.rows]) for each in made]

    def beside(file: File) -> bool:
        """A new file has nothing beside it."""
        return split and file.kind == "M"

    def blocks_of(file: File) -> list[tuple[Block, list[Comment]]]:
        return [(each, _between(comments, file.path, each)) for each in blocks(file.new or "", file.path, names)]

    def rendered(file: File) -> bool:
        return file.document and file.path != query.get("source") and len(file.new or "") <= LARGEST

    def is_folded(file: File) -> bool:
        return file.folded is not Folded.NO and file.path != query.get("open")

    def of_file(file: File) -> list[Comment]:
        return _of_file(comments, file)

    return {
        "files": files,
        "documents": [each for each in files if each.document],
        "code": [each for each in files if not each.document],
        "split": split,
        "since": since_of(found, query),
        "link": _linker(query),
        "diff_of": diff_of,
        "beside": beside,
        "blocks_of": blocks_of,
        "rendered": rendered,
        "is_folded": is_folded,
        "of_file": of_file,
        "raw": Markup,
        "added": sum(each.patch.added for each in files),
        "deleted": sum(each.patch.deleted for each in files),
    }


def _by_line(comments: Sequence[Comment]) -> dict[tuple[str, int], list[Comment]]:
    found: dict[tuple[str, int], list[Comment]] = {}
    for each in comments:
        if each.line:
            found.setdefault((each.path, each.line), []).append(each)
    return found


def _between(comments: Sequence[Comment], path: str, block: Block) -> list[Comment]:
    return [each for each in comments if each.path == path and block.line <= each.line <= block.last]


def _of_file(comments: Sequence[Comment], file: File) -> list[Comment]:
    """About the whole file, or about a line that the diff does not show."""
    shown = {line.new for hunk in file.patch.hunks for line in hunk.lines}
    return [
        each
        for each in comments
        if each.path == file.path and (not each.line or (not file.document and each.line not in shown))
    ]


def _linker(query: Query) -> Callable[..., str]:
    """The address of this page, some of it otherwise."""
    known = {key: value for key, value in query.items() if key in ("diff", "since", "source", "open")}

    def link(**changes: str) -> str:
        return f"?{urlencode({key: value for key, value in (known | changes).items() if value})}"

    return link


def _evidence(site: Site, found: Reviewed) -> dict[str, Kept]:
    """The signed record of what was measured for a criterion on this tree, by criterion."""
    here = [each for each in kept(site.store, found.run.id) if each.tree == found.review.tree and not each.at_base]
    measured = {each.goal: each for each in here if each.verdict != Verdict.NOT_NEEDED}
    return {each.id: record for each in found.outcomes if (record := _record(each, measured)) is not None}


def _record(outcome: Outcome, measured: Mapping[str, Kept]) -> Kept | None:
    goals = [goal for part in (*outcome.parts, outcome.id) for goal in GOALS.get(part, ())]
    return next((measured[goal] for goal in goals if goal in measured), None)
