"""Loads the guides that agents read before a phase of create_app. Measures nothing and judges nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal, cast, get_args

import yaml

from andon.domain.language import Language, Wording
from andon.roles.library import PromptError

Phase = Literal["planning", "design", "development", "verification"]
By = Literal["program", "judge", "both"]
Weight = Literal["critical", "remark"]

_FRONTMATTER = re.compile(r"\A---\n(.*?)\n---\n(.*)\Z", re.DOTALL)
NAMES: Mapping[Phase, tuple[str, ...]] = MappingProxyType(
    {
        "planning": (
            *("01_idea", "02_market", "03_persona", "04_user_journey", "05_business_model"),
            *("06_product", "07_features", "08_tech", "09_roadmap"),
        ),
        "design": ("01_screen", "02_data_model", "03_task_flow", "04_api", "05_architecture"),
        "development": ("01_setup", "02_data", "03_logic", "04_ui", "05_testing", "06_deploy"),
        "verification": ("phase1_verification", "phase2_verification", "phase3_verification"),
    }
)
"""Every guide by phase, in the order of the steps. No name occurs in two phases."""
PHASES: Mapping[str, Phase] = MappingProxyType({name: phase for phase, names in NAMES.items() for name in names})


@dataclass(frozen=True, slots=True)
class Criterion:
    """What a phase is verified by. A program measures it, or an agent that can only veto, or both."""

    id: str
    title: str
    by: By
    weight: Weight


@dataclass(frozen=True, slots=True)
class Guide:
    """How to do one step well: what comes of it, what it must contain, what it will be measured by."""

    name: str
    phase: Phase
    document: str | None
    """The file it leads to, from the workspace's root."""
    outcome: str | None
    """What it leads to where that is more than a document, or none."""
    sections: tuple[Wording, ...]
    """The headings the document must have, in either language."""
    criteria: tuple[Criterion, ...]
    text: str

    @property
    def path(self) -> str:
        """By which prompts call it."""
        return f"/guide/{self.phase}/{self.name}.md"

    def headings(self, language: Language) -> tuple[str, ...]:
        return tuple(getattr(section, language.value) for section in self.sections)


@cache
def guide(name: str) -> Guide:
    if name not in PHASES:
        raise PromptError(f"no guide named {name}")
    phase = PHASES[name]
    try:
        source = files("andon.roles").joinpath("guides", phase, f"{name}.md").read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise PromptError(f"guide {name} has no file") from error
    return parse(source, name, phase)


@cache
def guides_of(phase: Phase) -> tuple[Guide, ...]:
    """All guides of a phase, in the order of its steps."""
    if phase not in NAMES:
        raise PromptError(f"no guides for a phase named {phase}")
    return tuple(guide(name) for name in NAMES[phase])


def parse(source: str, name: str, phase: Phase) -> Guide:
    """The guide in that text, which must be the one of that name and phase."""
    found = _FRONTMATTER.match(source)
    if found is None:
        raise PromptError(f"guide {name} has no frontmatter")
    try:
        head: Any = yaml.safe_load(found[1])
    except yaml.YAMLError as error:
        raise PromptError(f"guide {name}: its frontmatter is no YAML") from error
    if not isinstance(head, dict):
        raise PromptError(f"guide {name}: its frontmatter has no keys")
    fields = cast("dict[str, Any]", head)
    for key, expected in (("name", name), ("phase", phase)):
        if fields.get(key) != expected:
            raise PromptError(f"guide {name}: {key} is {fields.get(key)!r}, not {expected!r}")
    document, outcome = (_text(fields, key, name) for key in ("document", "outcome"))
    sections = tuple(Wording(**_entry(each, ("ko", "en"), name)) for each in _list(fields, "sections", name))
    criteria = tuple(_criterion(each, name) for each in _list(fields, "criteria", name, needed=False))
    if document is None and outcome is None:
        raise PromptError(f"guide {name} names neither a document nor an outcome")
    if bool(sections) is not bool(document):
        raise PromptError(f"guide {name}: sections are the headings of a document, and it has one without the other")
    if not (text := found[2].strip()):
        raise PromptError(f"guide {name} has no text")
    return Guide(name, phase, document, outcome, sections, criteria, text)


def _criterion(entry: object, name: str) -> Criterion:
    values = _entry(entry, ("id", "title", "by", "weight"), name)
    if values["by"] not in get_args(By) or values["weight"] not in get_args(Weight):
        raise PromptError(f"guide {name}: criterion {values['id']} is measured by nobody, or has no weight")
    return Criterion(values["id"], values["title"], cast("By", values["by"]), cast("Weight", values["weight"]))


def _list(fields: dict[str, Any], key: str, name: str, *, needed: bool = True) -> list[object]:
    if key not in fields and not needed:
        return []
    value: object = fields.get(key)
    if not isinstance(value, list):
        raise PromptError(f"guide {name}: {key} is no list")
    return cast("list[object]", value)


def _entry(entry: object, keys: tuple[str, ...], name: str) -> dict[str, str]:
    values = cast("dict[str, object]", entry) if isinstance(entry, dict) else {}
    if set(values) != set(keys) or not all(isinstance(value, str) and value for value in values.values()):
        raise PromptError(f"guide {name}: {entry!r} is not made of {', '.join(keys)}")
    return cast("dict[str, str]", values)


def _text(fields: dict[str, Any], key: str, name: str) -> str | None:
    value: object = fields.get(key)
    if value is not None and not (isinstance(value, str) and value):
        raise PromptError(f"guide {name}: {key} is no text")
    return value
