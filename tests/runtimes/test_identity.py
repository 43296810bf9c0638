"""Who an agent is, at the top of its prompt: what is written there can be read back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from andon.domain.order import Order
from andon.runtimes.identity import IDENTITY, introduced, ordered


@pytest.mark.parametrize("writable", [(), (".",), ("docs/plan.md",), ("docs/", "src/a.py")])
def test_E_02_an_order_can_be_found_in_a_conversation(
    an_order: Callable[..., Order], writable: tuple[str, ...]
) -> None:
    order = replace(an_order(), name="impl-left", role="executor-high", call=3, attempt=2, writable=writable)

    text = f"<reminder>something of the program's own</reminder>\n{introduced(order)}"
    found = IDENTITY.search(text)
    assert found is not None
    told = ordered(found, text)

    same = ("run", "name", "role", "phase", "call", "attempt", "folder", "writable", "prompt")
    assert [getattr(told, key) for key in same] == [getattr(order, key) for key in same]
