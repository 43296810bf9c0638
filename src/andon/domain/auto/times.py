"""How long one order may take (A-156): as set for its role, as set for all roles, or as its kind of work needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from andon.domain.auto.mode import Teammate, Writes

BY_KIND: Mapping[Writes, float] = MappingProxyType(
    {Writes.NOTHING: 1200.0, Writes.DOCUMENT: 1800.0, Writes.CODE: 3600.0}
)
"""Seconds for whoever reads and judges, writes one document, or works on the code and runs its tests."""


@dataclass(frozen=True, slots=True)
class Times:
    all_roles: float | None = None
    roles: Mapping[str, float] = field(default_factory=dict[str, float])

    def of(self, mate: Teammate) -> float:
        return self.roles.get(mate.type) or self.all_roles or BY_KIND[mate.writes]
