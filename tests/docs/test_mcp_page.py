"""docs/mcp.md names the tools there are, and says rightly which of them only look."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from andon.mcp_server import server

PAGE = (Path(__file__).resolve().parents[2] / "docs/mcp.md").read_text(encoding="utf-8")


def test_the_table_is_the_tools() -> None:
    tools = asyncio.run(server({}).list_tools())
    rows = re.findall(r"^\| `(\w+)` \| .* \| ?(yes)? ?\|$", PAGE, re.MULTILINE)

    assert rows == [
        (tool.name, "yes" if tool.annotations and tool.annotations.read_only_hint else "") for tool in tools
    ]
