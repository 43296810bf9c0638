"""Commits as the git-master words and groups them; by a rule where it cannot (C-36, C-63)."""

from __future__ import annotations

from collections.abc import Sequence

from andon.domain.assignment import Assignment
from andon.domain.uam import commits
from andon.pipelines.uam.course import Course
from andon.ports import Change
from andon.roles.uam_contracts import Commit, CommitsForm


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


async def commit(course: Course, proposed: Sequence[Commit], files: Sequence[str], title: str, reason: str) -> None:
    """As proposed; without a proposal, code, tests and documents apart, worded by andon."""
    parts = proposed or [
        Commit(commits.message(kind, title, reason, paths, course.history), tuple(paths))
        for kind, paths in commits.groups(files)
    ]
    for part in parts:
        await course.run.commit_part(f"{part.message.rstrip()}\n\nAndon-Run: {course.run.id}\n", part.files)
