"""An agent of andon's own over a model's API: `api_work.py`, one process an order, inside the sandbox.

It needs the extra `andon[api]`, which only that process imports.
"""

from __future__ import annotations

import json
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

import andon
from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.order import Order, Reply
from andon.domain.question_block import INSTRUCTION
from andon.ports import Command, Exit, Needs, Watch
from andon.processes import readable_for
from andon.runtimes import own_lines
from andon.runtimes.events import Event, Reader
from andon.runtimes.identity import introduced
from andon.runtimes.installed import PATH
from andon.runtimes.program import NETWORK, certificates, handed_on, home_of, judged, watching, written
from andon.runtimes.providers import Provider, models_here, provider_of
from andon.runtimes.servers import Ready, server_needs, servers_of, told_to_ours
from andon.runtimes.setup import Setup

PROGRAM = "andon.runtimes.api_agent"
_ORDER = "order.json"


class ApiRuntime:
    name = "api"

    def __init__(self, setup: Setup) -> None:
        if setup.program or setup.arguments:
            raise UserError("The runtime api starts a program of andon's own", "Take program and arguments out of it.")
        self._setup = setup
        self._environment = setup.environment
        need_packages("pydantic_ai")
        self._models = models_here(setup.environment, setup.models)
        for model in self._models.values():
            _need(model, setup.environment)

    @property
    def signed_in(self) -> str:
        """By which variables."""
        keys = (provider_of(model).key(self._environment) for model in self._models.values())
        return ", ".join(dict.fromkeys(filter(None, keys)))

    def command(self, order: Order, folder: Path) -> Command:
        folder.mkdir(parents=True, exist_ok=True)
        model = self._models[order.tier]
        told = {
            "order": 1,
            "model": model,
            "prompt": introduced(order),
            "system": f"{order.system}\n\n{INSTRUCTION}",
            "folder": order.folder,
            "writes": bool(order.writable),
            "tools": list(order.tools),
            "schema": None if order.schema is None else dict(order.schema),
            "turns": order.limits.turns,
            "tokens": order.limits.tokens,
            "money": order.limits.money,
            "session": order.session,
            "sessions": str(home_of(self.name, order, folder) / "sessions"),
            "secrets": list(provider_of(model).keys),
        }
        written(folder / _ORDER, json.dumps(told))
        return Command(
            argv=(sys.executable, "-I", "-m", PROGRAM, str(folder / _ORDER)),
            cwd=order.folder,
            env={
                "PATH": PATH,
                "LANG": "C.UTF-8",
                **told_to_ours(self._servers(order)),
                **self._handed_on(provider_of(model)),
            },
        )

    def _handed_on(self, provider: Provider) -> dict[str, str]:
        """What leads to the provider of the order's model, and to no other."""
        given = handed_on(self._environment, (*provider.variables, *NETWORK))
        return {provider.base: provider.free_at, **given} if provider.free_at else given

    def _servers(self, order: Order) -> tuple[Ready, ...]:
        if order.servers:
            need_packages("mcp", "andon[mcp]")
        return servers_of(order, self._setup.servers, self._environment)

    def needs(self, order: Order, folder: Path) -> Needs:
        more, mounts = server_needs(self._servers(order), self._environment)
        places = (sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
        own = (Path(sys.base_prefix).resolve(), *map(Path, places), *map(Path, andon.__path__))
        readable = (*readable_for(sys.executable, *own), *certificates(self._environment), str(folder / _ORDER))
        home = str(home_of(self.name, order, folder))
        return Needs(readable=(*readable, *more), home=home, mounts=mounts, network=True)

    def watch(self, order: Order) -> Watch:
        return watching(order, own_lines.read_line)

    def reply(self, order: Order, folder: Path, exit: Exit) -> Reply:
        return judged(order, folder, exit, own_lines.read_line)

    def told(self, order: Order, folder: Path) -> Iterable[Event]:
        del order
        return own_lines.read(folder / "stdout")

    def reader(self, order: Order) -> Reader:
        del order
        return own_lines.read_line


def _need(model: str, environment: Mapping[str, str]) -> None:
    provider = provider_of(model)
    need_packages(provider.package)
    if not provider.reachable(environment):
        raise EnvironmentProblem(f"No key for {provider.name}, which has the model {model}", f"Set {provider.keys[0]}.")


def need_packages(package: str, distribution: str = "andon[api]") -> None:
    if not _there(package):
        install = f'pip install "{distribution}"'
        raise EnvironmentProblem(f"The runtime api needs packages that are not installed: {package}", install)


def _there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # not even the package around it
        return False
