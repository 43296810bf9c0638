"""team_plan.md: who does what, in which order, and how that changed on the way (B-41)."""

from __future__ import annotations

from andon.domain.teams.bulletin import one_line
from andon.domain.teams.team import Team, Work

HISTORY = "## Change history"


def plan_text(team: Team, now: str) -> str:
    lines = [f"# Team plan: {one_line(team.name)}", "", f"Team: {one_line(team.id)}", one_line(team.purpose), ""]
    lines += ["## Members", "", "| Name | Place | Model | Type | Units |", "|---|---|---|---|---|"]
    for member in team.members:
        units = ", ".join(work.id for work in team.works_of(member.name))
        lines.append(_row(member.name, member.place.value, member.model, member.type.value, units or "reviews"))
    lines += ["", "## Units", "", "| # | Unit | Member | After | Out | May write |", "|---|---|---|---|---|---|"]
    lines += [_unit(number, work) for number, work in enumerate(team.works, start=1)]
    return "\n".join((*lines, "", HISTORY, "", f"- [{now}] andon: the plan as it began", ""))


def _unit(number: int, work: Work) -> str:
    lists = (", ".join(each) or "-" for each in (work.after, work.outputs, work.writes))
    after, out, writes = lists
    return _row(str(number), work.title, work.member, after, out, writes)


def _row(*cells: str) -> str:
    return f"| {' | '.join(one_line(cell).replace('|', '/') for cell in cells)} |"


def planned(text: str) -> str:
    """What the team's file says, without what was proposed on the way: nobody declares anything by a message."""
    return text.partition(HISTORY)[0]


def changed_plan(before: str, now: str, by: str, text: str, did: str = "proposes") -> str:
    """With one more line of its history. A line that stands there is not added again."""
    line = f"- [{now}] {one_line(by)} {did}: {one_line(text)}"
    known = before if HISTORY in before else f"{before.rstrip()}\n\n{HISTORY}\n"
    return known if line in known.splitlines() else f"{known.rstrip()}\n{line}\n"
