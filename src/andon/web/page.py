"""A page: one template, and the parts of it that are sent again when something has happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from andon.domain.line import Lamp
from andon.web.rendering import Reader, render
from andon.web.site import Site, tower

Query = Mapping[str, str]
Builder = Callable[[Site, Reader, Mapping[str, str], Query], "View"]
"""From the parts of its path and its query."""


@dataclass(frozen=True, slots=True)
class View:
    template: str
    title: str
    place: str
    """Which entry of the navigation it belongs to."""
    values: Mapping[str, Any]
    parts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Element id → template. Each renders one element with that id."""
    runs: frozenset[str] | None = None
    """Whose news change it. None: anybody's."""
    rows: str = ""
    """The run whose journal rows are told one by one, as they come."""


def whole(site: Site, reader: Reader, view: View) -> str:
    return render(view.template, reader, **_shell(site, view), **view.values)


def parts(site: Site, reader: Reader, view: View) -> dict[str, str]:
    values = _shell(site, view) | dict(view.values)
    made = {id: render(template, reader, **values) for id, template in view.parts.items()}
    made["tower"] = render("parts/tower.html", reader, **values)
    return made


def _shell(site: Site, view: View) -> dict[str, Any]:
    everything = site.all()
    lamps = tower(everything)
    reviews = sum(1 for each in everything if each.review is not None)
    return {"view": view, "lamps": lamps, "reviews_open": reviews, "needs": lamps[Lamp.WAITING], "Lamp": Lamp}
