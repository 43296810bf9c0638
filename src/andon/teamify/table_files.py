"""Tables of the prompt pipeline as files: each may replace a built-in one (G-10; B-11, B-29, B-36, B-37).

A folder holds `categories.yaml`, `tools.yaml`, `purposes.yaml`, `experts.yaml`, `expansions.yaml`, `details.yaml`,
`checklist.yaml`, any of them. What is not there stays as it is built in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from andon.domain.errors import UserError
from andon.domain.teams.categories import Category
from andon.domain.teams.tables import BUILT_IN, Expert, Tables
from andon.domain.teams.tool_paths import Function, Method
from andon.teamify.forms import load_yaml
from andon.teamify.mistakes import listed

LARGEST = 1_000_000
Text = Annotated[str, Field(min_length=1, max_length=500)]
Lines = Annotated[list[Text], Field(max_length=500)]


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid")


class CategoryRow(_Row):
    name: Text
    words: Annotated[list[Text], Field(min_length=1, max_length=500)]
    prefix: Text
    example: str = ""
    purpose: Text
    domain: Text


class ToolRow(_Row):
    name: Text
    title: Text
    server: str = ""
    program: str = ""
    command: str = ""
    first: Method = Method.MCP
    otherwise: str = ""
    why: str = ""


class ExpertRow(_Row):
    name: Text
    frameworks: Annotated[list[Text], Field(min_length=1, max_length=20)]


_Table = tuple[TypeAdapter[Any], Callable[[Any], Any], Callable[[Tables], Any]]


def _lists(rows: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(lines) for key, lines in rows.items()}


def _plain(rows: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    return {key: list(lines) for key, lines in rows.items()}


def _by_purpose(name: str) -> _Table:
    return TypeAdapter(dict[Text, Lines]), _lists, lambda tables: _plain(getattr(tables, name))


_TABLES: Mapping[str, _Table] = {
    "categories": (
        TypeAdapter(Annotated[list[CategoryRow], Field(min_length=1, max_length=100)]),
        lambda rows: tuple(Category(**(row.model_dump() | {"words": tuple(row.words)})) for row in rows),
        lambda tables: [asdict(each) | {"words": list(each.words)} for each in tables.categories],
    ),
    "tools": (
        TypeAdapter(Annotated[list[ToolRow], Field(max_length=200)]),
        lambda rows: tuple(Function(**row.model_dump()) for row in rows),
        lambda tables: [asdict(each) | {"first": each.first.value} for each in tables.tools],
    ),
    "purposes": _by_purpose("purposes"),
    "experts": (
        TypeAdapter(dict[Text, ExpertRow]),
        lambda rows: {domain: Expert(row.name, tuple(row.frameworks)) for domain, row in rows.items()},
        lambda tables: {
            domain: {"name": each.name, "frameworks": list(each.frameworks)} for domain, each in tables.experts.items()
        },
    ),
    "expansions": _by_purpose("expansions"),
    "details": _by_purpose("details"),
    "checklist": (TypeAdapter(Lines), tuple, lambda tables: list(tables.checklist)),
}
NAMES = tuple(_TABLES)
MEANINGS: Mapping[str, str] = {
    "categories": "Kinds of work: the words that speak for each, how ids of its teams begin, its purpose and domain.",
    "tools": "The best way to a function: a server, a program, and which comes first where both are there.",
    "purposes": "Words of a role that speak for a purpose.",
    "experts": "Whom a member is to work like, by domain.",
    "expansions": "What every task of a purpose means besides.",
    "details": "What a word in a task means besides.",
    "checklist": "What every member is told.",
}


def read_tables(folder: Path) -> Tables:
    """The built-in tables with those of a folder in their place. Raises UserError with everything that is wrong."""
    hint = "`andon team tables` prints the built-in ones to begin from."
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder} with tables", hint)
    files = sorted(each for each in folder.iterdir() if each.suffix in (".yaml", ".yml"))
    if unknown := [each.name for each in files if each.stem not in NAMES]:
        raise UserError(f"{folder} has {', '.join(unknown)}, and no such table", f"Known are: {', '.join(NAMES)}.")
    if not files:
        raise UserError(f"There is no table in {folder}", hint)
    found = {each.stem: _read(each) for each in files}
    tables = replace(BUILT_IN, **found)
    _refuse_lost(folder, tables)
    return tables


def _read(file: Path) -> Any:
    form, made, _ = _TABLES[file.stem]
    loaded = load_yaml(file, LARGEST, missing="", kind="A table is a YAML file.")
    try:
        return made(form.validate_python(loaded))
    except ValidationError as error:
        hint = f"`andon team tables --only {file.stem}` prints the built-in one."
        raise UserError(f"{file} is no table of {file.stem}:\n{listed(error, loaded=loaded)}", hint) from None


def _refuse_lost(folder: Path, tables: Tables) -> None:
    """What one table names and another does not have would be passed over in silence."""
    names = [each.name for each in tables.categories]
    lost = [f"two categories are called {name}" for name in sorted({each for each in names if names.count(each) > 1})]
    for each in tables.categories:
        if each.purpose not in tables.expansions:
            lost.append(f"category {each.name}: expansions has no purpose {each.purpose}")
        if each.domain not in tables.experts:
            lost.append(f"category {each.name}: experts has no domain {each.domain}")
    if lost:
        told = "\n".join(f"  - {each}" for each in lost)
        raise UserError(f"The tables in {folder} do not fit together:\n{told}", "A file replaces a table as a whole.")


def as_text(name: str, tables: Tables = BUILT_IN) -> str:
    """One table as its file would be."""
    told = _TABLES[name][2](tables)
    body: str = yaml.safe_dump(told, sort_keys=False, allow_unicode=True, width=110)
    return f"# {MEANINGS[name]}\n{body}"
