"""Codex, headless: `codex exec --json`, one process an order.

Its own sandbox is switched off, as ours is around it. Its settings, the project's instructions and its hooks are not
loaded. It knows no limit of turns or money, and tells of its use only at the end: such limits count for the next order.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from andon.domain.order import Order, Reply
from andon.domain.question_block import INSTRUCTION
from andon.ports import Command, Exit, Needs, Watch
from andon.runtimes.codex_lines import CodexLines, thread_of
from andon.runtimes.events import Event, Reader
from andon.runtimes.identity import introduced
from andon.runtimes.installed import CODEX
from andon.runtimes.models import model_for
from andon.runtimes.program import (
    NETWORK,
    certificates,
    handed_on,
    home_of,
    installation,
    judged,
    search_path,
    sign_in_mounts,
    told,
    watching,
    written,
)
from andon.runtimes.servers import Ready, Told, server_needs, servers_of, told_to_codex
from andon.runtimes.setup import Setup

KEY, BASE = "OPENAI_API_KEY", "OPENAI_BASE_URL"
_SCHEMA = "schema.json"
_SETTINGS = {
    "project_doc_max_bytes": 0,
    "agents.enabled": False,
    "check_for_update_on_startup": False,
    **{f"features.{name}": False for name in ("apps", "goals", "hooks", "multi_agent", "multi_agent_v2", "plugins")},
    "web_search": "disabled",
}


class CodexRuntime:
    name = "codex"

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._program = CODEX.needed(setup.environment, setup.program)

    def command(self, order: Order, folder: Path) -> Command:
        folder.mkdir(parents=True, exist_ok=True)
        words = ["exec", *(("resume", thread_of(order.session)) if order.session else ())]
        words += ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        words += ["-m", model_for(self.name, order.tier, self._setup.models)]
        if order.schema is not None:
            written(folder / _SCHEMA, json.dumps(dict(order.schema)))
            words += ["--output-schema", str(folder / _SCHEMA)]
        servers = self._servers(order)
        told = told_to_codex(servers) if servers else Told("", {})
        words += ["-c", told.text] if servers else []
        environment = {
            "PATH": search_path(self._program, self._setup.environment),
            "LANG": "C.UTF-8",
            **told.variables,
            **self._signed_in(),
        }
        return Command(
            argv=(str(self._program), *words, *self._settings(order), *self._setup.arguments, "-"),
            cwd=order.folder,
            env=environment | handed_on(self._setup.environment, NETWORK),
            stdin=introduced(order).encode(),
        )

    def _signed_in(self) -> dict[str, str]:
        """The program reads its key by another name when nobody sits before it."""
        given = handed_on(self._setup.environment, (*CODEX.keys, BASE))
        return {"CODEX_API_KEY": given[KEY], **given} if KEY in given else given

    def _settings(self, order: Order) -> list[str]:
        settings: dict[str, object] = {**_SETTINGS, "developer_instructions": f"{order.system}\n\n{INSTRUCTION}"}
        if base := self._setup.environment.get(BASE):
            provider = {"name": "andon", "base_url": base, "env_key": KEY, "wire_api": "responses"}
            settings |= {f"model_providers.andon.{key}": value for key, value in provider.items()}
            settings |= {"model_providers.andon.request_max_retries": 0, "model_providers.andon.stream_max_retries": 2}
            settings |= {"model_provider": "andon"}
        # Without this the settings and servers of the repository would be loaded.
        untrusted = f'projects={{{json.dumps(order.folder)}={{trust_level="untrusted"}}}}'
        told = (f"{key}={json.dumps(value)}" for key, value in settings.items())
        return [word for setting in (untrusted, *told) for word in ("-c", setting)]

    def _servers(self, order: Order) -> tuple[Ready, ...]:
        return servers_of(order, self._setup.servers, self._setup.environment)

    def needs(self, order: Order, folder: Path) -> Needs:
        home = home_of(self.name, order, folder)
        more, shared = server_needs(self._servers(order), self._setup.environment)
        (home / ".codex").mkdir(exist_ok=True, mode=0o700)
        mounts = sign_in_mounts(CODEX, self._setup.environment, home)
        schema = (str(folder / _SCHEMA),) if order.schema is not None else ()
        readable = (
            *installation(self._program, self._setup.environment),
            *certificates(self._setup.environment),
            *schema,
            *more,
        )
        return Needs(readable=readable, home=str(home), mounts=(*mounts, *shared), network=True)

    def watch(self, order: Order) -> Watch:
        return watching(order, CodexLines(order.session).read)

    def reply(self, order: Order, folder: Path, exit: Exit) -> Reply:
        return judged(order, folder, exit, CodexLines(order.session).read)

    def told(self, order: Order, folder: Path) -> Iterable[Event]:
        return told(folder, CodexLines(order.session).read)

    def reader(self, order: Order) -> Reader:
        return CodexLines(order.session).read
