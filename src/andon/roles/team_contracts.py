"""The forms of replies in a team: what a member hands in, and a reviewer's verdict."""

from __future__ import annotations

from dataclasses import dataclass

from andon.domain.assignment import ContractError
from andon.domain.grammar import Unreadable
from andon.domain.teams.ralph import Criterion
from andon.domain.teams.results import Opinion, Result, read_opinion, read_result


@dataclass(frozen=True, slots=True)
class ResultForm:
    """A unit's result. What it says of itself counts for nothing; what it found is kept."""

    outputs: tuple[str, ...] = ()
    votes: bool = False
    """There are proposals to vote on."""
    retries: int = 1

    @property
    def instruction(self) -> str:
        wanted = "".join(f'\nOne item for: "{each}".' for each in self.outputs)
        votes = ', "votes": [{"decision": 1, "vote": "yes|no"}]' if self.votes else ""
        voting = "\n`votes`: one for each proposal, by its number, that you have an opinion on." if self.votes else ""
        return f"""End your answer with one fenced JSON object, all keys of it:
```json
{{"status": "DONE|PARTIAL|BLOCKED", "summary": "what came of it, in a few sentences",
 "items": [{{"item": "what was asked for", "analysis": "what you found or did, 200 characters or more", \
"sources": ["path/of/a/file.md:12"]}}],
 "links": ["what others should look at"], "messages": [{{"to": "a member's name", "text": "…"}}], "blocked": ""{votes}}}
```{wanted}
`sources` are files of the project that the item rests on; each is looked for. `blocked` says what you cannot solve \
yourself, with the status BLOCKED and never otherwise. A message to the lead proposes to change the plan.{voting}"""

    def parse(self, text: str) -> Result:
        found = read_result(text)
        if isinstance(found, Unreadable):
            raise ContractError(found.problem)
        return found


@dataclass(frozen=True, slots=True)
class OpinionForm:
    """SHIP or REVISE on the first line; anything else is a REVISE, so it is not asked for again (E-06)."""

    unmeasured: tuple[Criterion, ...] = ()
    """Criteria that only the reviewer can judge."""
    retries: int = 0

    @property
    def instruction(self) -> str:
        scores = ", ".join(f'"{each.value}": 0' for each in self.unmeasured)
        asked = f'\n```json\n{{"scores": {{{scores}}}}}\n```\nEach score goes from 0 to 5.' if scores else ""
        return (
            "The first line of your answer is exactly `VERDICT: SHIP` or `VERDICT: REVISE`. After it, for a REVISE, "
            f"what has to be otherwise and where, so that somebody can act on it.{asked}"
        )

    def parse(self, text: str) -> Opinion:
        return read_opinion(text)
