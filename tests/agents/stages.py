"""A stage for real agent programs: a workspace, a model server with a scenario, this machine's sandbox."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil
import yaml

from andon.app.home import Home
from andon.app.sandboxes import best_sandbox
from andon.domain.order import Limits, Order, Reply, Tier
from andon.ports import Runtime
from andon.runtimes.agents import SupervisedAgents
from andon.runtimes.registry import find
from andon.runtimes.setup import Setup
from model_server import ModelServer, Player

ROOT = Path(__file__).resolve().parents[2]
SHORT, MORE = (ROOT / f".agents/{name}/node_modules/.bin" for name in ("short", "more"))
SECRET = "sk-nobody-may-see-this"


@dataclass(frozen=True)
class Program:
    """One agent program as the tests start it."""

    runtime: str
    bin: Path
    money_limit: bool = False
    restricts_tools: bool = False
    tells_reset: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What a person says of a runtime that andon does not know."""
    tells_cached: bool = True
    known: bool = True
    """andon knows its settings. Of another program it can only say what the kernel enforces."""
    short: bool = True
    """Part of `make test`."""

    @property
    def there(self) -> bool:
        return self.runtime == "api" or (self.bin / self.settings.get("program", self.runtime)).exists()


def _api(model: str, money_limit: bool = True) -> Program:
    settings = {"models": {str(tier): model for tier in Tier}}
    return Program("api", SHORT, money_limit, restricts_tools=True, tells_reset=True, settings=settings, short=False)


PROGRAMS = {
    "claude": Program("claude", SHORT, money_limit=True, restricts_tools=True, tells_reset=True),
    "codex": Program("codex", SHORT),
    "gemini": Program("gemini", MORE, tells_cached=False, short=False),
    "opencode": Program("opencode", MORE, short=False),
    # As a person would name it who has an agent that andon does not know.
    "acp": Program(
        "acp",
        MORE,
        settings={
            "program": "codex-acp",
            "keys": ("OPENAI_API_KEY", "CODEX_CONFIG", "MODEL_PROVIDER"),
            "mode": "agent-full-access",
        },
        known=False,
        short=False,
    ),
    "claude-older": Program("claude", MORE, money_limit=True, restricts_tools=True, tells_reset=True, short=False),
    "api-anthropic": _api("anthropic:claude-sonnet-5-5"),
    "api-openai": _api("openai:gpt-6.1-sol"),
    "api-google": _api("google:gemini-3.8-flash"),
    "api-chat": _api("openai-chat:gpt-6.1-sol"),
    "api-ollama": _api("ollama:qwen3", money_limit=False),
}


@dataclass
class Stage:
    program: Program
    folder: Path
    server: ModelServer
    number: int = 0
    environment: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    @property
    def runtime(self) -> Runtime:
        return find(self.program.runtime)(
            Setup(name=self.program.runtime, environment=self.outside(), **self.program.settings)
        )

    def outside(self) -> dict[str, str]:
        """What a person's shell has: a key for each provider, and things that are nobody's business."""
        keys = {f"{name}_API_KEY": "sk-loopback" for name in ("ANTHROPIC", "OPENAI", "GEMINI")}
        provider = {
            "name": "loopback",
            "base_url": f"{self.server.url}/v1",
            "env_key": "OPENAI_API_KEY",
            "wire_api": "responses",
        }
        bases = {
            "ANTHROPIC_BASE_URL": self.server.url,
            "OPENAI_BASE_URL": f"{self.server.url}/v1",
            "OLLAMA_BASE_URL": f"{self.server.url}/v1",
            "GOOGLE_GEMINI_BASE_URL": self.server.url,
            "CODEX_CONFIG": json.dumps({"model_provider": "loopback", "model_providers": {"loopback": provider}}),
            "MODEL_PROVIDER": "loopback",
        }
        home = self.folder / "person"
        home.mkdir(exist_ok=True)
        path = f"{self.program.bin}:{os.environ['PATH']}"
        others = {"AWS_SECRET_ACCESS_KEY": SECRET, "GITHUB_TOKEN": SECRET, "DATABASE_URL": SECRET}
        return {"PATH": path, "HOME": str(home), **keys, **bases, **others, **self.environment}

    def order(self, role: str = "worker", **changes: Any) -> Order:
        order = Order(
            run="r1",
            position="1.1",
            role=role,
            name=f"{role}-1",
            phase="do",
            prompt="Do what is to be done.",
            system="You are careful.",
            tier=Tier.SONNET,
            folder=str(self.workspace),
            writable=(".",),
            limits=Limits(seconds=60),
        )
        return replace(order, **changes)

    def carry_out(self, order: Order) -> Reply:
        return asyncio.run(self.carrying_out(order))

    async def carrying_out(self, order: Order, cancel_when: Callable[[], bool] | None = None) -> Reply:
        home = Home.of({"ANDON_HOME": str(self.folder / "andon"), "HOME": str(self.folder)})
        home.make()
        agents = SupervisedAgents(self.runtime, best_sandbox(home), 60.0)
        self.number += 1
        folder = self.order_folder
        working = asyncio.ensure_future(agents.carry_out(order, folder, None))
        if cancel_when is not None:
            while not working.done() and not cancel_when():
                await asyncio.wait({working}, timeout=0.1)
            await agents.cancel(folder)
        return await working

    def orchestrator(self) -> subprocess.Popen[bytes]:
        """The same in a process of its own, which can be killed. Whoever carries out the order next finds it there."""
        name = next(name for name, program in PROGRAMS.items() if program is self.program)
        words = [sys.executable, __file__, name, str(self.folder), self.server.url]
        search = {"PYTHONPATH": os.pathsep.join(sys.path)}
        return subprocess.Popen(words, env={**os.environ, **search}, stdout=subprocess.DEVNULL)

    @property
    def order_folder(self) -> Path:
        return self.folder / "run" / "orders" / f"1.1-{self.number}"

    def printed(self) -> str:
        return (self.order_folder / "stdout").read_text("utf-8", "replace")

    def files(self) -> dict[str, str]:
        found = (path for path in self.workspace.rglob("*") if path.is_file() and ".git" not in path.parts)
        return {str(path.relative_to(self.workspace)): path.read_text() for path in found}

    def left(self) -> list[str]:
        return left(self.folder)


def left(folder: Path) -> list[str]:
    """Every process of this machine that was started with this folder, or works in it."""
    found: list[str] = []
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
            if process.pid != os.getpid() and any(str(folder) in word for word in (*words, process.cwd())):
                found.append(" ".join(words)[:200])
        except psutil.Error:
            continue
    return found


def until(true: Callable[[], bool], seconds: float) -> bool:
    """Whether it came true in time."""
    deadline = time.monotonic() + seconds
    while not (found := true()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


@contextmanager
def staged(program: Program, folder: Path, rules: list[Any]) -> Iterator[Stage]:
    (folder / "workspace").mkdir()
    scenario = folder / "scenario.yaml"
    scenario.write_text(yaml.safe_dump({"scenario": 1, "rules": rules}))
    with ModelServer(Player(scenario)).serving() as server:
        yield Stage(program, folder, server)


if __name__ == "__main__":
    _stage = Stage(PROGRAMS[sys.argv[1]], Path(sys.argv[2]), ModelServer(None, url=sys.argv[3]))
    _stage.carry_out(_stage.order())
