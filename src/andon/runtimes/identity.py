"""Who an agent is in its run and what it may write, said at the top of every prompt to a real agent program.

The agent need not find out by trying; and whoever reads its transcript knows which order it belongs to.
"""

from __future__ import annotations

import re

from andon.domain.order import Order, Tier

IDENTITY = re.compile(
    r"You are (?P<name>.+?) \((?P<role>[^,\n]+), phase (?P<phase>\S+), call (?P<call>\d+), attempt (?P<attempt>\d+)\) "
    r"in run (?P<run>\S+)\.\nYour working folder is `(?P<folder>[^`\n]+)`\. You may write (?P<writable>[^\n]+)\.\n"
)
"""How `introduced` begins: for whoever has to find the order in a conversation."""
_ALL, _NOTHING = "everything in it", "nothing"


def introduced(order: Order) -> str:
    """The prompt, with who is spoken to in front."""
    return f"You are {order.label} in run {order.run}.\n{_place(order)}\n\n{order.prompt}"


def _place(order: Order) -> str:
    return f"Your working folder is `{order.folder}`. You may write {_writable(order)}."


def _writable(order: Order) -> str:
    if not order.writable:
        return _NOTHING
    if "." in order.writable:
        return _ALL
    return ", ".join(f"`{path}`" for path in order.writable) + " in it and nothing else"


def ordered(found: re.Match[str], text: str) -> Order:
    """The order that a text which begins with an identity is about, as far as the text tells."""
    writable = found["writable"]
    paths = (".",) if writable == _ALL else tuple(re.findall(r"`([^`]+)`", writable))
    return Order(
        run=found["run"],
        position="",
        role=found["role"],
        name=found["name"],
        phase=found["phase"],
        prompt=text[found.end() :].lstrip("\n"),
        system="",
        tier=Tier.SONNET,
        folder=found["folder"],
        call=int(found["call"]),
        attempt=int(found["attempt"]),
        writable=paths,
    )
