"""Inventories and proposals as Markdown that people read, in their language (B-13 to B-15, B-32, B-34)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from andon.domain.language import Language, Wording
from andon.domain.teams.composing import Proposal, requirements
from andon.domain.teams.graph import levels, mermaid
from andon.domain.teams.resources import Inventory
from andon.domain.teams.routing import Place
from andon.domain.teams.tool_paths import MATRIX, Function, best_way, instead

DASHBOARD = "http://localhost:3747"
OUTSIDE = (
    ("MCP Registry", "https://registry.modelcontextprotocol.io/"),
    ("Skills", "https://skills.sh"),
    ("Awesome MCP", "https://mcpservers.org/"),
)
SHOWN = 5
"""Skills of a family that are named; the rest is a number."""

WORDS = {
    "inventory": Wording("사용 가능한 리소스 인벤토리", "What there is"),
    "servers": Wording("MCP 서버 ({n}개 활성)", "MCP servers ({n} active)"),
    "servers.columns": Wording("서버|도구 수|CLI 대안|최적 경로|상태", "Server|Tools|CLI instead|Best path|State"),
    "skills": Wording("Skills ({n}개)", "Skills ({n})"),
    "skills.columns": Wording("카테고리|스킬 수|주요 스킬", "Category|Skills|Main skills"),
    "agents": Wording("Agents ({n}개)", "Agents ({n})"),
    "agents.columns": Wording("에이전트|모델|핵심 도구|Agent Teams 지원", "Agent|Model|Main tools|Agent Teams"),
    "commands": Wording("Commands ({n}개)", "Commands ({n})"),
    "commands.columns": Wording("커맨드|Agent Teams 사용|설명", "Command|Agent Teams|Description"),
    "programs": Wording("CLI 도구 ({n}개 감지)", "Command-line tools ({n} found)"),
    "programs.columns": Wording("도구|버전|용도", "Tool|Version|Use"),
    "outside": Wording("외부 리소스", "Elsewhere"),
    "problems": Wording("읽지 못한 것 ({n}개)", "What could not be read ({n})"),
    "problems.columns": Wording("무엇|문제", "What|Problem"),
    "supplementary": Wording(
        "아래 텍스트 인벤토리는 보조 참조용입니다.", "The office shows all of this live; what follows is supplementary."
    ),
    "analysis": Wording("워크플로우 분석 결과: {name}", "Workflow analysis: {name}"),
    "matching": Wording("리소스 매칭", "Resources"),
    "matching.columns": Wording("필요 도구|사용 가능|최적 경로|비고", "Needed|There|Best path|Remark"),
    "units": Wording("식별된 에이전트 유닛 ({n}개)", "Units ({n})"),
    "units.columns": Wording(
        "#|유닛명|카테고리|모델|subagent_type|필요 도구|병렬|쓰기",
        "#|Unit|Category|Model|subagent_type|Tools|Parallel|Writes",
    ),
    "team": Wording("제안 팀 구성", "Proposed team"),
    "team.columns": Wording(
        "역할|에이전트명|모델|subagent_type|담당 유닛|도구", "Role|Agent|Model|subagent_type|Units|Tools"
    ),
    "flow": Wording("데이터 흐름", "Data flow"),
    "environment": Wording("환경 요구사항", "What it needs"),
    "environment.columns": Wording("항목|상태", "What|State"),
    "panes": Wording("Split Pane (tmux)", "Split pane (tmux)"),
    "needs.mcp": Wording("필수 MCP", "Required MCP"),
    "needs.cli": Wording("필수 CLI", "Required CLI"),
    "optional": Wording("선택 도구", "Optional"),
    "none": Wording("없음", "none"),
    "all": Wording("전체", "all"),
    "everything": Wording("전체 조율", "all of it"),
    "kind": Wording("카테고리 조율", "its category"),
    "ralph": Wording("Ralph 루프", "Review loop"),
    "remarks": Wording("검토 의견", "Remarks"),
}


class Teller:
    def __init__(self, language: Language = Language.EN) -> None:
        self._language = language

    def word(self, key: str, **values: object) -> str:
        return getattr(WORDS[key], self._language.value).format(**values)

    # --- inventory --------------------------------------------------------------------------------------------------

    def inventory(self, found: Inventory, dashboard: bool = False, known: Sequence[Function] = MATRIX) -> str:
        """With a dashboard that runs, its address first (B-13)."""
        parts = [f"## {self.word('inventory')}"]
        if dashboard:
            parts.append(f"> **Agent Office**: {DASHBOARD}\n> {self.word('supplementary')}")
        parts += [self._servers(found, known), self._skills(found), self._agents(found), self._commands(found)]
        parts.append(self._programs(found))
        links = "\n".join(f"- {name}: {url}" for name, url in OUTSIDE)
        parts.append(f"### {self.word('outside')}\n{links}")
        if problems := problems_of(found):
            parts.append(self._table("problems", problems, len(problems)))
        return "\n\n".join(parts) + "\n"

    def _servers(self, found: Inventory, known: Sequence[Function]) -> str:
        rows = list[tuple[str, ...]]()
        for each in found.servers:
            tools = "?" if each.tools is None else str(len(each.tools))
            program, best = instead(each, found, known) or "-", best_way(each, found, known) or "-"
            rows.append((each.name, tools, program, best, each.problem or each.status))
        return self._table("servers", rows, sum(not each.problem for each in found.servers))

    def _skills(self, found: Inventory) -> str:
        families = dict.fromkeys(each.category for each in found.skills)
        rows = list[tuple[str, ...]]()
        for family in families:
            names = [each.name for each in found.skills if each.category == family]
            more = f" +{len(names) - SHOWN}" if len(names) > SHOWN else ""
            rows.append((family, str(len(names)), ", ".join(names[:SHOWN]) + more))
        return self._table("skills", rows, len(found.skills))

    def _agents(self, found: Inventory) -> str:
        rows = [(each.name, each.model or "-", _few(each.tools), _yes(each.teams)) for each in found.agents]
        return self._table("agents", rows, len(found.agents))

    def _commands(self, found: Inventory) -> str:
        rows = [(each.name, _yes(each.teams), each.description or "-") for each in found.commands]
        return self._table("commands", rows, len(found.commands))

    def _programs(self, found: Inventory) -> str:
        rows = [(each.name, each.version or "?", each.use) for each in found.programs if each.found]
        return self._table("programs", rows, len(rows))

    # --- proposal ---------------------------------------------------------------------------------------------------

    def proposal(self, made: Proposal) -> str:
        parts = [f"## {self.word('analysis', name=made.workflow.name)}", self._matching(made), self._units(made)]
        parts += [self._team(made), f"### {self.word('flow')}\n```mermaid\n{mermaid(made.workflow.units)}\n```"]
        parts.append(self._environment(made))
        if made.remarks:
            parts.append(f"### {self.word('remarks')}\n" + "\n".join(f"- {each.text}" for each in made.remarks))
        return "\n\n".join(parts) + "\n"

    def _matching(self, made: Proposal) -> str:
        rows = [(each.needed, _yes(each.available), each.path, each.missing or "-") for each in made.matches]
        return self._table("matching", rows)

    def _units(self, made: Proposal) -> str:
        at_once = {id: len(level) > 1 for level in levels(made.workflow.units) for id in level}
        rows = list[tuple[str, ...]]()
        for number, work in enumerate(made.team.works, start=1):
            member = made.team.member(work.member)
            unit = next(each for each in made.workflow.units if each.id == work.id)
            model, type = (member.model, member.type.value) if member else ("-", "-")
            writes = _few(work.writes) if work.writes else _yes(unit.writes)
            rows.append(
                (
                    str(number),
                    work.title,
                    work.category,
                    model,
                    type,
                    _few(unit.allowed),
                    _yes(at_once[work.id]),
                    writes,
                )
            )
        return self._table("units", rows, len(made.team.works))

    def _team(self, made: Proposal) -> str:
        titles = {Place.LEAD: "Lead", Place.CATEGORY_LEAD: "Cat. Lead", Place.WORKER: "Worker"}
        rows = list[tuple[str, ...]]()
        for each in made.team.members:
            own = ", ".join(work.title for work in made.team.works_of(each.name))
            units = own or self.word("everything" if each.place is Place.LEAD else "kind")
            tools = self.word("all") if each.place is Place.LEAD else _few(each.tools)
            rows.append((titles[each.place], each.name, each.model, each.type.value, units, tools))
        return self._table("team", rows)

    def _environment(self, made: Proposal) -> str:
        none, needs = self.word("none"), requirements(made)
        loop = f"{made.advice[1].value} ({made.advice[0]})" if made.advice else none
        rows = [
            (self.word("panes"), _yes(needs.panes)),
            (self.word("needs.mcp"), ", ".join(needs.servers) or none),
            (self.word("needs.cli"), ", ".join(needs.programs) or none),
            (self.word("optional"), ", ".join(needs.optional) or none),
            (self.word("ralph"), loop),
        ]
        return self._table("environment", rows)

    def _table(self, key: str, rows: Iterable[Sequence[str]], n: int = 0) -> str:
        columns = self.word(f"{key}.columns").split("|")
        lines = [f"### {self.word(key, n=n)}", _row(columns), _row(["---"] * len(columns))]
        return "\n".join((*lines, *(_row(row) for row in rows)))


def problems_of(found: Inventory) -> list[tuple[str, str]]:
    """Everything that could not be read, with its place."""
    files = (*found.skills, *found.agents, *found.commands)
    rows = [(each.path, each.problem) for each in files if each.problem]
    rows += [(each.name, each.problem) for each in (*found.servers, *found.programs) if each.problem]
    return rows + [(place, why) for place, _, why in (note.partition(": ") for note in found.notes)]


def _few(names: Sequence[str]) -> str:
    more = f" +{len(names) - SHOWN}" if len(names) > SHOWN else ""
    return (", ".join(names[:SHOWN]) + more) or "-"


def _yes(true: bool) -> str:
    return "✅" if true else "❌"


def _row(cells: Sequence[str]) -> str:
    clean = (" ".join(cell.replace("|", "\\|").split()) for cell in cells)
    return f"| {' | '.join(clean)} |"
