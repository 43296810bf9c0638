"""A request as JSON and back: what is frozen in a run's input."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from andon.domain.auto.options import Action, Gmail, Options, Request


def request_to_json(request: Request) -> dict[str, Any]:
    return asdict(request)


def request_from_json(data: dict[str, Any]) -> Request:
    options = dict(data["options"])
    gmail = options.pop("gmail")
    return Request(data["task"], Options(**options, gmail=Gmail(**gmail) if gmail else None), Action(data["action"]))
