"""Rules of a scenario, as Python values: what an agent of that name does and answers."""

from __future__ import annotations

from typing import Any

Rule = dict[str, Any]


def write(path: str, text: str) -> Rule:
    return {"write": {"path": path, "text": text}}


def sleep(seconds: float) -> Rule:
    return {"sleep": {"seconds": seconds}}


def agent(name: str, *do: Rule, reply: str | None = "Done.", **match: Any) -> Rule:
    told: Rule = {"match": {"name": name, **match}, "do": list(do)}
    return told if reply is None else {**told, "reply": reply}
