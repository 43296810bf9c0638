"""One entry of a rule's `do:` list: exactly one action under its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_args

from pydantic import BaseModel, ConfigDict, model_validator

from andon.runtimes import actions
from andon.runtimes.actions import Action, Part, problem


def _tidy(schema: dict[str, Any], model: type[BaseModel]) -> None:
    """Say in the JSON schema what the validators say: one action, and no value only where no key is needed."""
    for name, spec in schema["properties"].items():
        spec.pop("default", None)
        spec.pop("title", None)
        action = cast(type[BaseModel], get_args(model.model_fields[name].annotation)[0])
        if any(field.is_required() for field in action.model_fields.values()):
            schema["properties"][name] = spec["anyOf"][0]
    schema["minProperties"] = schema["maxProperties"] = 1


class Step(Part):
    """One action under its name."""

    model_config = ConfigDict(json_schema_extra=_tidy)

    called = "an action"
    write: actions.Write | None = None
    edit: actions.Edit | None = None
    delete: actions.Delete | None = None
    move: actions.Move | None = None
    run: actions.Run | None = None
    sleep: actions.Sleep | None = None
    ask: actions.Ask | None = None
    emit: actions.Emit | None = None
    usage: actions.Spend | None = None
    rate_limit: actions.RateLimit | None = None
    crash: actions.Crash | None = None
    limit: actions.Limit | None = None
    hang: actions.Hang | None = None
    garbage: actions.Garbage | None = None
    print: actions.Print | None = None
    refuse: actions.Refuse | None = None
    auth: actions.Auth | None = None

    @model_validator(mode="before")
    @classmethod
    def _exactly_one(cls, value: object) -> object:
        if isinstance(value, cls):
            return value
        if not isinstance(value, Mapping):
            raise problem("an action is a mapping with one key, for example `- hang: {}`")
        named = cast(Mapping[str, object], value)
        if len(named) != 1:
            second = list(named)[1:2]
            raise problem(f"an entry of `do` has one action, not {len(named)}; start the next with `-`", *second)
        # `- hang:` with nothing after it is how YAML writes an action without keys.
        return {name: dict[str, object]() if keys is None else keys for name, keys in named.items()}

    @property
    def name(self) -> str:
        return next(iter(self.model_fields_set))

    @property
    def action(self) -> Action:
        return cast(Action, getattr(self, self.name))
