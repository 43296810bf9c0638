"""Settings of what checks run with, where what is found in the repository is not what is meant."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, field_validator


class EnvironmentSettings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    python: str | None = Field(
        None, description="Version of Python that checks run with. Unset: one the project allows.", examples=["3.12"]
    )
    node: str | None = Field(
        None, description="Version of Node.js that checks run with. Unset: what `engines` asks for.", examples=["22"]
    )
    install: tuple[str, ...] | None = Field(
        None,
        description="What Python tests need: requirements, `.`, `.[extra]`, `group:NAME`, `-r FILE`; a variable has "
        "one on each line. Unset: what is found.",
        examples=[[".", "group:test", "pytest-mock"]],
    )

    @field_validator("install", mode="before")
    @classmethod
    def _lines(cls, value: object) -> object:
        return tuple(line.strip() for line in value.splitlines() if line.strip()) if isinstance(value, str) else value
