"""How long a run rests because a provider has had enough of it."""

from __future__ import annotations

RATE_LIMIT_SECONDS = 60.0
"""Waited when a rate limit does not say when it ends."""
SHORTEST_REST = 5.0
LONGEST_REST = 24 * 3600.0


def believable(resets_at: float | None, now: float, again: bool) -> float:
    """When a rate limit ends, as far as an agent is believed: not in the past, not after more than a day, and "in a
    moment" only once. So no run is parked for ever, and no orders are handed out back to back."""
    moment = resets_at if resets_at is not None else now + RATE_LIMIT_SECONDS
    soonest = now + SHORTEST_REST
    return min(max(moment, soonest) if again or moment <= now else moment, now + LONGEST_REST)
