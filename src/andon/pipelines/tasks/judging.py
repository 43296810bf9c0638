"""What became of a phase: first what andon measures itself, then a verifier, who can only veto (D-71 to D-79)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from andon.domain.auto.findings import verification_findings
from andon.domain.language import Wording
from andon.domain.tasks import key_files, reports
from andon.domain.tasks.automation import REQUIREMENTS
from andon.domain.tasks.criteria import BUILDS, CHANGE, SECRETS, SYNTAX, TESTS_PASS, Asked, Criterion, criteria_of
from andon.domain.tasks.documents import code_untouched, unknown_paths
from andon.domain.tasks.measuring import measured
from andon.domain.tasks.modify_app import CURRENT_STATE, MODIFICATION_PLAN, REPORT
from andon.domain.tasks.phases import Phase, TaskType
from andon.domain.tasks.planned import Change, planned_changes, unplanned_changes
from andon.domain.tasks.readme import readme
from andon.domain.tasks.triggers import declared, trigger_handlers
from andon.domain.tasks.verification import Verification, joined, without_verifier
from andon.domain.verdict import CheckResult, Finding, Verdict
from andon.domain.verification import Verification as Verified
from andon.pipelines.tasks.course import VERIFIER, Course
from andon.roles.guides import guide
from andon.roles.task_contracts import VerificationForm, listed

README, IGNORE, EXAMPLE = "README.md", ".gitignore", ".env.example"
BESIDES = (README, IGNORE, EXAMPLE, REPORT)


async def judge(course: Course, phase: Phase) -> Verification:
    """What was measured is told before anybody is asked; and what is wrong already needs no verifier (D-22)."""
    asked = criteria_of(course.type, phase.number)
    wanted = {CHANGE, *(part for each in asked for part in each.parts)}
    rows = [each for each in await _measured(course, phase) if each.id in wanted]
    found = without_verifier(asked, rows)
    if found is None:
        found = joined(asked, rows, await _asked(course, phase, asked, rows))
    await course.run.say("phase_verified", number=phase.number, **found.as_json())
    return found


async def _asked(course: Course, phase: Phase, asked: Sequence[Asked], rows: Sequence[Criterion]) -> Verification:
    judged = tuple(each for each in asked if each.judged)
    given = guide(phase.verification_guide.rpartition("/")[2].removesuffix(".md")) if phase.verification_guide else None
    assignment = course.assignment(
        VERIFIER,
        "verify",
        phase,
        writes=(),
        criteria=listed(judged),
        measured="\n".join(f"- {each.id}: {'passed' if each.passed else each.detail}" for each in rows) or "(nothing)",
        guide=f"{given.path}\n{given.text}" if given else "(none)",
        changes="\n".join(f"{each.kind}: {each.path}" for each in await course.run.changes(since=course.began)),
    )
    return await course.run.ask(assignment, VerificationForm(judged))


# --- measuring ------------------------------------------------------------------------------------------------------


async def _measured(course: Course, phase: Phase) -> list[Criterion]:
    files = await course.run.files()
    wanted = [document.path for document in course.workflow.documents]
    texts = await course.run.contents([*wanted, *BESIDES])
    changed = await course.run.changes(since=course.began)
    rows = [*measured(course.type, phase.number, texts, _headings(phase))]
    rows.append(code_untouched(phase, [each.path for each in changed]))
    if course.type is TaskType.MODIFY_APP and phase.number == 1:
        there = frozenset((*files, *_folders(files)))
        rows.append(unknown_paths(texts.get(CURRENT_STATE, ""), lambda path: path.rstrip("/") in there))
    if phase.code or phase.number == 4:
        rows += await _code(course, files, texts)
        rows += _of_type(course, phase, files, texts, await _all_changes(course))
    return rows


def _folders(files: Sequence[str]) -> frozenset[str]:
    return frozenset(file[:at] for file in files for at, letter in enumerate(file) if letter == "/")


def _headings(phase: Phase) -> Mapping[str, Sequence[Wording]]:
    names = {path: path.rpartition("/")[2].removesuffix(".md") for path in phase.guides}
    return {path: guide(name).sections for path, name in names.items() if guide(name).sections}


async def _all_changes(course: Course) -> dict[str, Change]:
    kinds = {"added": Change.CREATE, "deleted": Change.DELETE}
    changes = await course.run.changes()
    return {each.path: kinds.get(each.kind, Change.MODIFY) for each in changes}


def _of_type(
    course: Course, phase: Phase, files: Sequence[str], texts: Mapping[str, str], changes: Mapping[str, Change]
) -> list[Criterion]:
    report = texts.get(REPORT, "")
    match course.type, phase.number:
        case TaskType.MODIFY_APP, 3:
            plan = texts.get(MODIFICATION_PLAN, "")
            return [planned_changes(plan, changes), unplanned_changes(plan, changes)]
        case TaskType.MODIFY_APP, _:
            kept = planned_changes(texts.get(MODIFICATION_PLAN, ""), changes)
            return [kept, reports.modification_report(report), reports.failures_explained(report)]
        case TaskType.WORKFLOW, 3:
            wanted = declared(texts.get(REQUIREMENTS, ""))
            return [key_files.workflow_structure(files), trigger_handlers(wanted, files)]
        case TaskType.WORKFLOW, _:
            handlers = trigger_handlers(declared(texts.get(REQUIREMENTS, "")), files)
            return [
                key_files.workflow_structure(files),
                handlers,
                reports.workflow_report(report),
                reports.failures_explained(report),
            ]
        case _:
            return []


async def _code(course: Course, files: Sequence[str], texts: Mapping[str, str]) -> list[Criterion]:
    """Goals of the project run by andon, its verification of the change, and what stands in files that every project
    has."""
    told = await verify(course)
    needed = sorted(each.subject for each in await course.run.findings(_variables))
    return [
        key_files.key_files(files),
        key_files.has_tests(files),
        key_files.env_ignored(texts.get(IGNORE, "")),
        key_files.env_example(needed, texts.get(EXAMPLE)),
        readme(texts.get(README, ""), environment=bool(needed)),
        *_goals(told.results),
        *_findings(course, told),
    ]


async def verify(course: Course) -> Verified:
    """As every change is (how andon decides): the goals, and whether anybody tampered with what they measure."""
    await course.run.prepare()
    goals = await course.run.goals(None, False, course.goals)
    wanted = tuple(goal for goal in goals if goal.name not in ("custom", "interactive"))
    told = await course.run.verify(wanted, course.plan, course.accepted, ())
    if await _mended(course, told):
        told = await course.run.verify(wanted, course.plan, course.accepted, ())
    return told


async def _mended(course: Course, told: Verified) -> bool:
    """What is approved is read-only for the agent, also where a secret stands in it. Written again by andon it is as it
    was, without the secret."""
    exposed = {each.path for each in told.findings if each.rule == "secret_added"}
    paths = [document.path for document in course.planned if document.path in exposed]
    texts = await course.run.contents(paths) if paths else {}
    for path, text in texts.items():
        await course.run.write(path, text)
    return bool(texts)


async def approved_plan(course: Course) -> str:
    """The documents that the code follows, one after the other: what they declare, nobody is blamed for."""
    wanted = [document.path for document in course.planned if document.path != CURRENT_STATE]
    texts = await course.run.contents(wanted)
    return "\n\n".join(texts[path] for path in wanted if path in texts)


def _goals(results: Sequence[CheckResult]) -> list[Criterion]:
    by_name = {result.goal: result for result in results}

    def told(id: str, *names: str) -> Criterion:
        there = [by_name[name] for name in names if name in by_name]
        return Criterion.of(id, _reasons(there, Verdict.FAILED), _reasons(there, Verdict.NOT_MEASURED))

    tests = by_name.get("test")
    ran = tests is not None and (tests.verdict is Verdict.PASSED or tests.verdict.blocks)
    passing = told(TESTS_PASS, "test") if ran else Criterion.of(TESTS_PASS, (), ["no test was run"])
    return [passing, told(BUILDS, "build", "typecheck"), told(SYNTAX, "lint", "typecheck")]


def _reasons(results: Sequence[CheckResult], verdict: Verdict) -> list[str]:
    return [f"{each.goal}: {each.reason}" for each in results if each.verdict is verdict]


def _findings(course: Course, told: Verified) -> list[Criterion]:
    secret = [f"{each.path}:{each.line}: {each.message}" for each in told.findings if each.rule == "secret_added"]
    open_ones = [each.text for each in verification_findings(told) if each.id not in course.accepted]
    blind = told.verdict is Verdict.NOT_MEASURED
    return [Criterion.of(SECRETS, secret), Criterion.of(CHANGE, *(((), open_ones) if blind else (open_ones, ())))]


def _variables(diff: str) -> list[Finding]:
    """Environment variables that the change reads."""
    added = "\n".join(line[1:] for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++"))
    return [Finding(f"reads {name}", subject=name) for name in key_files.variables({"": added})]
