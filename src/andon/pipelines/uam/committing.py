"""Commits: as the git-master words and groups them where there is something to group, else by a rule (C-36, C-63).

Few files are one commit, and the plan and the worker have said what it does and why: no agent is asked to say it again.
"""

from __future__ import annotations

from collections.abc import Sequence

from andon.domain.artefacts import DOCUMENT_FOLDERS
from andon.domain.assignment import Assignment
from andon.domain.uam import commits
from andon.pipelines.uam.course import Course
from andon.ports import Change, Part
from andon.roles.uam_contracts import Commit, CommitsForm


def to_be_asked(files: Sequence[str]) -> bool:
    return commits.fewest(files) > 1


def commits_asked(
    course: Course, name: str, work: str, changes: Sequence[Change], summary: str
) -> tuple[Assignment, CommitsForm]:
    """The order to the git-master: the agent proposes, andon checks and commits."""
    files = tuple(change.path for change in changes)
    asked = course.assignment(
        "uam-git-master",
        name,
        "commits",
        work=work,
        changes="\n".join(f"{change.kind}: {change.path}" for change in changes),
        summary=summary or "(nothing)",
        history="\n".join(course.history) or "(no history)",
        fewest=str(commits.fewest(files)),
    )
    return asked, CommitsForm(files, commits.fewest(files), course.history)


async def commit_meanwhile(course: Course, committed: str, *, by_hand: bool) -> None:
    """What nobody committed before the run was resumed: a person's work, or that of an agent that was stopped. Else it
    would be told as part of whatever is committed next."""
    changes = await course.run.changes(since=committed)
    files = [change.path for change in changes if not change.path.startswith(DOCUMENT_FOLDERS)]
    if files:
        kind, title = ("chore", "commit.by_hand") if by_hand else ("fix", "commit.under_way")
        await course.run.commit_parts(parts(course, (), files, course.word(title), "", kind))


def parts(
    course: Course, proposed: Sequence[Commit], files: Sequence[str], title: str, reason: str, kind: str = "feat"
) -> list[Part]:
    """As proposed; without a proposal by the rule, worded by andon."""
    if not proposed:
        groups = commits.groups(files, kind)
        proposed = [
            Commit(commits.message(each, title, reason, paths if len(groups) > 1 else (), course.history), tuple(paths))
            for each, paths in groups
        ]
    return [Part(f"{each.message.rstrip()}\n\nAndon-Run: {course.run.id}\n", each.files) for each in proposed]
