"""Which settings apply and who wins: every key with its value, where it stands, and what lost against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from andon.app.home import Home
from andon.app.settings import NEEDS_TRUST, TABLES, Settings, known_keys, load_settings
from andon.app.settings_sources import PROJECT_FILE, Environment, File, Source
from andon.app.trust import is_trusted
from andon.domain.limits import MEANINGS as LIMITS
from andon.domain.uam_settings import MEANINGS as UAM

DEFAULT = "default"
SECRETS = ("notify.urls", "notify.admin_urls")
"""Addresses that may hold passwords: how many, never which."""
NOT_SIMPLE = (*TABLES, "notify")
"""Edited in the file itself."""


@dataclass(frozen=True, slots=True)
class Place:
    """One value at one place."""

    source: str
    """default, repository, user or environment: in rising order."""
    value: str
    where: str
    """File and line, or the variable."""


@dataclass(frozen=True, slots=True)
class Explained:
    key: str
    value: str
    winner: Place
    lost: tuple[Place, ...]
    """What also says something, the strongest first."""
    untrusted: Place | None
    """What the repository says and is not used, because its file is not trusted."""
    about: str
    simple: bool
    """It can be set by typing one value."""

    @property
    def quiet(self) -> bool:
        """Nobody says anything about it."""
        return self.winner.source == DEFAULT and self.untrusted is None


def explained(home: Home, repository: Path | None, environment: Mapping[str, str]) -> list[Explained]:
    """Every setting. A file that cannot be read is an error with its line, as for a run."""
    settings, _ = load_settings(home, repository, environment, {})
    project = File.read(repository / PROJECT_FILE) if repository else None
    known = known_keys()
    sources: list[tuple[str, Source]] = [("user", File.read(home.settings))]
    sources.insert(0, ("repository", project)) if project else None
    variables = {key: below for key, below in known.items() if key not in TABLES}
    sources.append(("environment", Environment.read(environment, variables)))
    trusted = project is None or is_trusted(home, project.digest)
    return [_explained(settings, sources, key, trusted) for key in _keys(known)]


def _keys(known: Mapping[str, tuple[str, ...]]) -> list[tuple[str, ...]]:
    return [(key, each) if each else (key,) for key, below in known.items() for each in (below or ("",))]


def _explained(settings: Settings, sources: list[tuple[str, Source]], key: tuple[str, ...], trusted: bool) -> Explained:
    name, held_back = ".".join(key), None
    places = [Place(DEFAULT, told(name, _inside(Settings(), key)), "")]  # pyright: ignore[reportCallIssue]
    for source, found in sources:
        value = _inside(found.values, key)
        if value is None:
            continue
        place = Place(source, told(name, value), found.place(key))
        if source == "repository" and not trusted and key[0] in NEEDS_TRUST:
            held_back = place
        else:
            places.append(place)
    *lost, winner = places
    others = tuple(each for each in reversed(lost) if each.source != DEFAULT)
    value = told(name, _inside(settings, key))
    return Explained(name, value, winner, others, held_back, _about(key), key[0] not in NOT_SIMPLE)


def _inside(values: object, key: tuple[str, ...]) -> Any:
    for part in key:
        if isinstance(values, Mapping):
            values = cast("Mapping[str, Any]", values).get(part)
        elif isinstance(values, BaseModel) or is_dataclass(values):
            values = getattr(values, part, None)
        else:
            return None
    return values


def told(name: str, value: Any) -> str:
    """A value as a person would type it. None and what is empty: nothing."""
    if value is None or value == {} or value == ():
        return ""
    if name in SECRETS:
        return f"({len(value)})"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return ", ".join(sorted(cast("Mapping[str, Any]", value)))
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, cast("tuple[Any, ...]", value)))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _about(key: tuple[str, ...]) -> str:
    field = Settings.model_fields[key[0]]
    if len(key) == 1 or key[0] == "role_seconds":
        return field.description or ""
    if key[0] in ("limits", "uam"):
        return (LIMITS if key[0] == "limits" else UAM).get(key[1], "")
    model = field.annotation
    assert isinstance(model, type) and issubclass(model, BaseModel)
    return model.model_fields[key[1]].description or ""
