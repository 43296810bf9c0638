"""Agents that speak the Agent Client Protocol, each with what it takes to be started without its user's settings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.order import Order
from andon.runtimes import homes
from andon.runtimes.installed import GEMINI, OPENCODE, AgentProgram
from andon.runtimes.setup import Setup


@dataclass(frozen=True, slots=True)
class Start:
    """How one order begins."""

    words: tuple[str, ...] = ()
    variables: Mapping[str, str] | None = None
    files: Mapping[str, str] | None = None
    """Written to the agent's own home folder before it starts."""
    system: str = ""
    """What the prompt has to say itself, as there is no better place."""
    mode: str = ""
    model: str = ""
    """To be chosen over the protocol."""


class AcpAgent:
    """Any agent that settings name."""

    handed_on: tuple[str, ...] = ()
    """Variables of the person's environment beside the keys."""

    def __init__(self, setup: Setup) -> None:
        if not setup.program:
            name = setup.name or "acp"
            raise UserError(
                f"the runtime {name} does not know which agent to start",
                f'Name it in settings: [runtimes.{name}] program = "…", arguments = ["--acp"].',
            )
        self._setup = setup
        self.program = AgentProgram(
            runtime=setup.name or "acp",
            program=setup.program,
            install=f"Install {setup.program}",
            keys=setup.keys,
            credentials="",
        )

    def settle(self, home: Path, session: str | None) -> None:
        """Whatever its home folder needs before it starts, beside files."""

    def start(self, order: Order, system: str, model: str) -> Start:
        return Start(words=self._setup.arguments, system=system, mode=self._setup.mode or "", model=model)


class Gemini(AcpAgent):
    """Its folder stays untrusted, so that nothing of the repository is loaded; then each tool is asked for, and each
    is allowed by us."""

    handed_on = ("GOOGLE_GEMINI_BASE_URL", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION")
    _CONTEXT = "andon-order.md"
    """Instructions stand in a file of this name, of which a repository has none."""

    def __init__(self, setup: Setup) -> None:
        if GEMINI.path(setup.environment, setup.program) and not GEMINI.signed_in(setup.environment):
            # It would ask to be signed in where nobody can answer, and wait.
            raise EnvironmentProblem("Nobody is signed in to gemini", GEMINI.sign_in)
        self._setup = setup
        self.program = GEMINI

    def start(self, order: Order, system: str, model: str) -> Start:
        del order
        by_key = bool(GEMINI.key(self._setup.environment))
        settings: dict[str, Any] = {
            "security": {"auth": {"selectedType": "gemini-api-key" if by_key else "oauth-personal"}},
            "general": {"maxAttempts": 2, "enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "context": {"fileName": [self._CONTEXT], "loadMemoryFromIncludeDirectories": False},
            "tools": {"exclude": ["invoke_agent", "activate_skill", "enter_plan_mode", "google_web_search"]},
            "experimental": {"enableAgents": False, "skills": False},
        }
        return Start(
            words=("--experimental-acp", "-m", model, *self._setup.arguments),
            variables={"GEMINI_CLI_NO_RELAUNCH": "true", "NO_COLOR": "1"},
            files={".gemini/settings.json": json.dumps(settings), f".gemini/{self._CONTEXT}": system},
            mode="default",
        )

    def settle(self, home: Path, session: str | None) -> None:
        """A session that is taken up in the very minute in which it began is overwritten by the program, as the file's
        name tells minute and session. So it gets the name of another minute."""
        if session is None or not re.fullmatch(r"[\w-]{8,}", session):
            return
        for chats in (home / ".gemini/tmp").glob("*/chats"):
            kept = chats / f"session-2000-01-01T00-00-{session[:8]}.jsonl"
            begun = sorted(
                {*filter(Path.is_file, chats.glob(f"session-*-{session[:8]}.jsonl"))} - {kept},
                key=lambda file: file.stat().st_size,
            )
            if begun and not kept.exists():
                begun.pop().rename(kept)
            for empty in begun:
                empty.unlink()


class Opencode(AcpAgent):
    """Its settings come with a variable. The project's are switched off."""

    handed_on = ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL")
    _OFF = (
        *("AUTOUPDATE", "CLAUDE_CODE", "DEFAULT_PLUGINS", "EXTERNAL_SKILLS", "LSP_DOWNLOAD", "MODELS_FETCH"),
        *("PROJECT_CONFIG", "SHARE"),
    )
    _SYSTEM = ".config/andon-order.md"

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self.program = OPENCODE

    def start(self, order: Order, system: str, model: str) -> Start:
        del order
        settings: dict[str, Any] = {
            "model": model,
            "small_model": model,
            "instructions": [f"~/{self._SYSTEM}"],
            "permission": {"*": "allow", "task": "deny", "skill": "deny", "webfetch": "deny", "websearch": "deny"},
            "share": "disabled",
            "autoupdate": False,
            "snapshot": False,
            "agent": {"title": {"disable": True}},
            "provider": self._providers(model),
        }
        return Start(
            words=("acp", "--print-logs", "--log-level", "WARN", *self._setup.arguments),
            variables={
                "OPENCODE_CONFIG_CONTENT": json.dumps(settings),
                **{f"OPENCODE_DISABLE_{name}": "1" for name in self._OFF},
            },
            files={self._SYSTEM: system},
            mode="build",
            model=model,
        )

    def _providers(self, model: str) -> dict[str, Any]:
        """Where a variable leads elsewhere: the program itself does not look at it. And the model, which may be newer
        than the program."""
        environment = self._setup.environment
        name, _, own = model.partition("/")
        found: dict[str, Any] = {name: {"models": {own: {}}}} if own else {}
        if base := environment.get("ANTHROPIC_BASE_URL"):
            found.setdefault("anthropic", {})["options"] = {"baseURL": f"{base.rstrip('/')}/v1"}
        if base := environment.get("OPENAI_BASE_URL"):
            found.setdefault("openai", {})["options"] = {"baseURL": base}
        return found


AGENTS: Mapping[str, type[AcpAgent]] = {"gemini": Gemini, "opencode": Opencode}
"""By the runtime's name; every other name is an agent that settings describe."""


def write_files(home: Path, files: Mapping[str, str] | None) -> None:
    for name, text in (files or {}).items():
        homes.put(home, name, text)
