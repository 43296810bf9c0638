"""`[servers.NAME]`: which MCP servers the members of teams may use, and what of the machine each may see."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class ServerSettings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    use: bool = Field(False, description="Members of teams that name it may start it, without `--servers`.")
    readable: tuple[str, ...] = Field((), description="Files and folders that it may read, besides its own program.")
    writable: tuple[str, ...] = Field((), description="Folders that it may write. Each has to be there.")
