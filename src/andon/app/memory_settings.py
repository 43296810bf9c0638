"""`[memory]`: whether runs learn from each other, and which MCP server a person lets andon remember with."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class MemorySettings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    learnings: bool = Field(
        True,
        description="Keep what runs of `auto`, `uam` and `team` learn, and offer it to planners and members of later "
        "ones.",
    )
    server: str | None = Field(
        None,
        description="The MCP server of .mcp.json that `andon memory` asks too. Unset: none is started.",
        examples=["memory"],
    )
    search_tool: str | None = Field(
        None, description="The tool of that server that searches, where andon does not know it.", examples=["search"]
    )
    search_arguments: str | None = Field(
        None,
        description="What it is called with, as JSON; {words} stands for what is looked for.",
        examples=['{"query": "{words}"}'],
    )
    write_tool: str | None = Field(
        None, description="The tool of that server that writes, where andon does not know it.", examples=["add"]
    )
    write_arguments: str | None = Field(
        None,
        description="What it is called with, as JSON; {text} stands for what is to be remembered, {title} for its "
        "beginning, {tags} for its tags.",
        examples=['{"content": "{text}"}'],
    )
