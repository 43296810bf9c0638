"""The agent programs that andon knows: where one is, and whether somebody is signed in, without reading any secret."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from andon.domain.errors import EnvironmentProblem

PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True, slots=True)
class AgentProgram:
    runtime: str
    program: str
    install: str
    """The command that installs it."""
    keys: tuple[str, ...]
    """Variables of the environment, each of which signs it in."""
    credentials: str
    """The file in a person's home folder that signs it in."""

    def path(self, environment: Mapping[str, str], instead: str | None = None) -> Path | None:
        found = shutil.which(instead or self.program, path=environment.get("PATH") or PATH)
        return Path(found).absolute() if found else None

    def needed(self, environment: Mapping[str, str], instead: str | None = None) -> Path:
        found = self.path(environment, instead)
        if found is None:
            missing = f"`{instead or self.program}` is not installed, or not on PATH"
            raise EnvironmentProblem(missing, f"{self.install}; `andon doctor` looks again.")
        return found

    def key(self, environment: Mapping[str, str]) -> str:
        """The variable that signs it in; "" for none."""
        return next((name for name in self.keys if environment.get(name)), "")

    def file(self, environment: Mapping[str, str]) -> Path | None:
        """The file that signs it in, where no variable does."""
        path = Path(environment.get("HOME", "/nonexistent"), self.credentials)
        return path if not self.key(environment) and path.is_file() else None

    def signed_in(self, environment: Mapping[str, str]) -> str:
        """By what; "" when nobody seems to be."""
        file = self.file(environment)
        return self.key(environment) or (f"~/{self.credentials}" if file else "")

    @property
    def sign_in(self) -> str:
        return f"Start `{self.program}` once and sign in, or set {self.keys[0]}."


CLAUDE = AgentProgram(
    runtime="claude",
    program="claude",
    install="npm install -g @anthropic-ai/claude-code",
    keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    credentials=".claude/.credentials.json",
)
CODEX = AgentProgram(
    runtime="codex",
    program="codex",
    install="npm install -g @openai/codex",
    keys=("OPENAI_API_KEY", "CODEX_API_KEY"),
    credentials=".codex/auth.json",
)
GEMINI = AgentProgram(
    runtime="gemini",
    program="gemini",
    install="npm install -g @google/gemini-cli",
    keys=("GEMINI_API_KEY",),
    credentials=".gemini/oauth_creds.json",
)
OPENCODE = AgentProgram(
    runtime="opencode",
    program="opencode",
    install="npm install -g opencode-ai",
    keys=("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "OPENCODE_API_KEY"),
    credentials=".local/share/opencode/auth.json",
)
KNOWN = (CLAUDE, CODEX, GEMINI, OPENCODE)
"""In the order in which one is chosen where nobody said which."""


def ready(environment: Mapping[str, str]) -> AgentProgram | None:
    """The first that is installed and signed in."""
    return next((each for each in KNOWN if each.path(environment) and each.signed_in(environment)), None)


def how_to_get_one(environment: Mapping[str, str]) -> str:
    """What lacks, for a person who has none that is ready."""
    there = [each for each in KNOWN if each.path(environment)]
    if there:
        return " ".join(f"{each.program} is installed, but nobody is signed in. {each.sign_in}" for each in there)
    examples = " or ".join(f"`{each.install}`" for each in KNOWN)
    return f"Install one, for example {examples}, and sign in. With a provider's key alone: --runtime api."
