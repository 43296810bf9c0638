"""A scenario: the rules by which the scripted runtime answers orders, read from a YAML file.

Owns the language (see docs/reference/scenarios.md) and which rule serves an order. It plays nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import (
    BeforeValidator,
    Field,
    PlainValidator,
    PrivateAttr,
    ValidationError,
    field_validator,
    model_validator,
)

from andon.domain.errors import UserError
from andon.domain.order import Order, Usage
from andon.runtimes import placeholders, positions
from andon.runtimes.actions import ENDINGS, Part, Spend, as_tuple, problem
from andon.runtimes.step import Step


def _one_or_more(value: object) -> object:
    return as_tuple(cast(object, value)) if isinstance(value, list | tuple) else (value,)


def _as_reply(value: object) -> object:
    if not isinstance(value, str | dict | list):
        raise problem("a reply is text, a mapping or a list; put quotes around anything else")
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as wrong:
        raise problem(f"the reply cannot be written as JSON: {wrong}") from None
    return cast(object, value)


Patterns = Annotated[
    tuple[Annotated[str, Field(min_length=1)], ...],
    BeforeValidator(_one_or_more, json_schema_input_type=str | list[str]),
]
Numbers = Annotated[
    tuple[Annotated[int, Field(ge=1)], ...],
    BeforeValidator(_one_or_more, json_schema_input_type=int | list[int]),
]
ReplyValue = Annotated[
    Any,
    PlainValidator(_as_reply, json_schema_input_type=str | dict[str, Any] | list[Any]),
    Field(description="What the agent answers: text, or a mapping or list that is sent as JSON."),
]


class Match(Part):
    """Which orders a rule serves. Every key that is given must agree; none at all serves every order."""

    called = "`match`"
    role: Annotated[Patterns | None, Field(description="The role, or a pattern such as `impl-*`.")] = None
    name: Annotated[Patterns | None, Field(description="The teammate's name, or a pattern such as `planner-*`.")] = None
    phase: Annotated[Patterns | None, Field(description="The phase: plan, design, do, check or act.")] = None
    call: Annotated[Numbers | None, Field(description="The how-manieth order to this name in the run.")] = None
    attempt: Annotated[Numbers | None, Field(description="1, or higher when an order is handed out again.")] = None
    prompt: Annotated[str | None, Field(description="A regular expression found anywhere in the prompt.")] = None

    @field_validator("prompt")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        try:
            re.compile(value or "", re.MULTILINE)
        except re.error as wrong:
            raise problem(f"not a regular expression: {wrong}") from None
        return value

    def disagreements(self, order: Order) -> tuple[str, ...]:
        """Why the rule does not serve this order, a phrase for each key; none when it does."""
        found = list[str]()
        for key in ("role", "name", "phase"):
            wanted, value = cast(tuple[str, ...] | None, getattr(self, key)), cast(str, getattr(order, key))
            if wanted is not None and not any(fnmatchcase(value, pattern) for pattern in wanted):
                found.append(f"{key} is {value}, not {' or '.join(wanted)}")
        for key in ("call", "attempt"):
            numbers, number = cast(tuple[int, ...] | None, getattr(self, key)), cast(int, getattr(order, key))
            if numbers is not None and number not in numbers:
                found.append(f"{key} is {number}, not {' or '.join(map(str, numbers))}")
        if self.prompt is not None and not re.search(self.prompt, order.prompt, re.MULTILINE):
            found.append(f"the prompt does not match /{self.prompt}/")
        return tuple(found)


class Rule(Part):
    """What happens to the orders it matches."""

    called = "a rule"
    match: Match = Field(default=Match(), description="Which orders the rule serves.")
    do: Annotated[
        tuple[Step, ...],
        BeforeValidator(as_tuple, json_schema_input_type=list[Step]),
        Field(description="What the agent does, in this order."),
    ] = ()
    reply: ReplyValue | None = None
    usage: Annotated[Spend | None, Field(description="What each order that the rule serves uses up.")] = None
    template: Annotated[
        bool | None,
        Field(description="Whether placeholders such as {answer} and {document} in texts are filled in."),
    ] = None

    def filled(self, order: Order, value: Any) -> Any:
        """A value of the rule with its placeholders filled in."""
        if not self.template:
            return value
        known = {"name": order.name, "role": order.role, "call": str(order.call), "attempt": str(order.attempt)}
        document = order.writable[0] if len(order.writable) == 1 else ""
        return placeholders.fill(value, {**known, "document": document, "answer": order.prompt})

    @property
    def ends_without_reply(self) -> bool:
        return bool(self.do) and isinstance(self.do[-1].action, ENDINGS)

    @model_validator(mode="after")
    def _nothing_unreachable(self) -> Rule:
        for number, step in enumerate(self.do[:-1]):
            if isinstance(step.action, ENDINGS):
                raise problem(f"never reached: the agent ends with `{step.name}` before it", "do", number + 1)
        if self.ends_without_reply and self.reply is not None:
            raise problem(f"never reached: the agent ends with `{self.do[-1].name}`", "reply")
        return self

    @model_validator(mode="after")
    def _placeholders_known(self) -> Rule:
        known = set(placeholders.KNOWN)
        for at, value, asked in self._texts():
            names = placeholders.used(value)
            if self.template is None and names & known:
                name = min(names & known)
                raise problem(f"`{{{name}}}`: say `template: true` to fill it in or `template: false` to keep it", *at)
            if self.template and names - known:
                name = min(names - known)
                raise problem(f"`{{{name}}}` cannot be filled in; `{{{{{name}}}}}` writes it with its braces", *at)
            if self.template and "answer" in names and not asked:
                raise problem("`{answer}` is known only after an `ask`", *at)
        return self

    def _texts(self) -> Iterator[tuple[tuple[str | int, ...], object, bool]]:
        """Where each text stands, its value, and whether a question was asked before it."""
        asked = False
        for number, step in enumerate(self.do):
            yield ("do", number), step.action.model_dump(mode="json"), asked
            asked = asked or step.ask is not None
        yield ("reply",), self.reply, asked


class Defaults(Part):
    """What a rule that does not say otherwise gets."""

    called = "`defaults`"
    reply: ReplyValue | None = None
    usage: Annotated[Spend | None, Field(description="What each order uses up.")] = None


class Recorded(Part):
    """Of a run that was recorded: what a replay is compared with."""

    called = "`recorded`"
    task: str
    words: Annotated[
        tuple[str, ...],
        BeforeValidator(as_tuple, json_schema_input_type=list[str]),
        Field(description="What was said to the pipeline, options of the work first."),
    ] = ()
    pipeline: Annotated[str, Field(description="Which pipeline it was.")] = "auto"
    reviewers: Annotated[
        tuple[str, ...],
        BeforeValidator(as_tuple, json_schema_input_type=list[str]),
        Field(description="Of `uam`: other programs that reviewed the change."),
    ] = ()
    runtime: Annotated[str, Field(description="Who carried out the orders.")] = ""
    base: Annotated[str, Field(description="The git tree that the run began with.")] = ""
    status: Annotated[str, Field(description="How the run ended; nothing while it goes on.")] = ""
    reason: str = ""
    tree: Annotated[str, Field(description="The git tree of its work, without andon's own documents.")] = ""
    notes: Annotated[
        tuple[str, ...],
        BeforeValidator(as_tuple, json_schema_input_type=list[str]),
        Field(description="What a replay cannot do as the agent did."),
    ] = ()


class Scenario(Part):
    """A scenario file."""

    called = "a scenario"
    scenario: Literal[1] = Field(description="The version of this language.")
    title: str = ""
    recorded: Annotated[Recorded | None, Field(description="Where the scenario was recorded from a run.")] = None
    defaults: Defaults = Field(default=Defaults(), description="What a rule that does not say otherwise gets.")
    rules: Annotated[
        tuple[Rule, ...],
        BeforeValidator(as_tuple, json_schema_input_type=list[Rule]),
        Field(min_length=1, description="Tried from the top; the first that matches serves the order."),
    ]
    _source: str = PrivateAttr(default="")
    _lines: tuple[int, ...] = PrivateAttr(default=())

    @field_validator("scenario", mode="before")
    @classmethod
    def _version(cls, value: object) -> object:
        if value != 1 or isinstance(value, bool):
            raise problem(f"this is version {value!r} of the language; only version 1 can be read")
        return 1

    @model_validator(mode="after")
    def _every_rule_counts(self) -> Scenario:
        for number, rule in enumerate(self.rules):
            if number and self.rules[number - 1].match == Match():
                raise problem("never reached: the rule before it serves every order", "rules", number)
            if not rule.ends_without_reply and rule.reply is None and self.defaults.reply is None:
                raise problem("the rule has no `reply`, and `defaults` has none either", "rules", number)
        return self

    @property
    def digest(self) -> str:
        """Names the content: equal for equal rules, whatever the comments and the layout."""
        return sha256(self.model_dump_json().encode()).hexdigest()[:12]

    def where(self, number: int) -> str:
        """How messages name a rule."""
        return f"{self._source}:{self._lines[number]}" if self._source else f"rule {number + 1}"

    def rule_for(self, order: Order) -> int:
        """The number of the first rule that serves the order; an error that names the order when there is none."""
        disagreements = [rule.match.disagreements(order) for rule in self.rules]
        for number, found in enumerate(disagreements):
            if not found:
                return number
        closest = sorted(range(len(disagreements)), key=lambda number: len(disagreements[number]))[:3]
        first_line = next((line.strip() for line in order.prompt.splitlines() if line.strip()), "")
        raise UserError(
            f"no rule of the scenario{f' {self._source}' if self._source else ''} serves the order to {order.label}: "
            f'"{first_line[:200]}"',
            hint="closest: " + "; ".join(f"{self.where(each)} ({', '.join(disagreements[each])})" for each in closest),
        )

    def reply_of(self, rule: Rule, order: Order) -> Any:
        return rule.filled(order, rule.reply) if rule.reply is not None else self.defaults.reply

    def usage_of(self, rule: Rule) -> Usage | None:
        spend = rule.usage or self.defaults.usage
        return spend.usage if spend else None

    def located(self, source: str, lines: tuple[int, ...]) -> Scenario:
        """The same scenario, knowing where its rules stand."""
        copy = self.model_copy()
        copy._source, copy._lines = source, lines
        return copy


def reply_text(reply: Any) -> str:
    """What an agent says for a rule's reply."""
    if reply is None:
        return ""
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False, indent=2)


def load(path: Path) -> Scenario:
    """Read a scenario file. A mistake in it is a `UserError` that says `file:line: reason`."""
    document = positions.read(path, empty="a scenario starts with `scenario: 1`")
    try:
        scenario = Scenario.model_validate(document.value)
    except ValidationError as wrong:
        raise document.error(wrong) from None
    return scenario.located(str(path), tuple(document.line(("rules", number)) for number in range(len(scenario.rules))))


def json_schema() -> str:
    """The text of scenario.schema.json, for editors and other programs."""
    schema = Scenario.model_json_schema(by_alias=True, mode="validation")
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:andon:scenario:1"}
    return json.dumps({**head, **schema}, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(json_schema(), end="")
