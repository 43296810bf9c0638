"""The layers and the bans of the architecture, as data, checked on syntax trees. Standard library only (and pytest).

A violation says file, line, what stands there, and the rule it breaks. The samples at the end show each rule failing.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "andon"

# The layers, top to bottom. A part may import parts of lower lines; parts of one line do not import each other.
LAYERS = (
    ("__main__",),
    ("cli",),
    ("web", "mcp_server"),
    ("app",),
    ("engine", "runtimes", "workspace", "checks", "memory", "teamify", "connect"),
    ("pipelines",),
    ("roles",),
    ("processes",),
    ("ports",),
    ("domain",),
)
DEPTH = {part: depth for depth, line in enumerate(LAYERS) for part in line}

# Only the application layer knows concrete classes: a surface sees it, and the nouns it is handed.
SURFACES = {"cli", "web", "mcp_server"}
SURFACES_SEE = {"app", "ports", "domain"}
# `andon serve` and `andon mcp` start the other surfaces.
CLI_STARTS = {"web", "mcp_server"}

# Talks to the world outside and knows nothing of runs: what it brings home is a value.
CONNECT_SEES = {"processes", "ports", "domain"}

# One front door's pipeline does not lean on another's: what they share is a role, a noun or a verb of Run.
DOORS = ("auto", "uam", "tasks", "team")

# Third-party packages that only certain parts may import.
ONLY_IN = {
    "dbos": {"engine"},
    "slack_sdk": {"connect"},
    "googleapiclient": {"connect"},
    "apprise": {"connect"},
    "libtmux": {"connect"},
    "pydantic_ai": {"runtimes"},
    "mcp": {"mcp_server", "processes"},
}
NOT_IN = {"pydantic": {"domain", "pipelines"}}

# Programs that run alone, in a process of their own: they may start or become another program.
STANDALONE = {
    *("processes/supervisor.py", "workspace/sandbox/landlock_exec.py", "checks/results/pytest_forks.py"),
    *("runtimes/player.py", "runtimes/acp_client.py", "connect/pane.py"),
}

STARTS_PROCESSES = (
    *("subprocess", "pty", "multiprocessing", "concurrent.futures.ProcessPoolExecutor"),
    *("asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell", "asyncio.subprocess"),
    *("os.fork", "os.forkpty", "os.exec*", "os.spawn*", "os.posix_spawn*", "os.popen", "os.system"),
)

# `domain` and `pipelines` compute; the world reaches them through values and through Run.
PURE = {"domain", "pipelines"}
WORLD = (
    *("os", "io", "shutil", "tempfile", "glob", "fcntl", "sqlite3", "signal", "threading", "logging"),
    *("socket", "ssl", "http", "urllib.request", "urllib3", "httpx", "requests"),
    *("time", "random", "secrets", "uuid.uuid1", "uuid.uuid4", "getpass", "platform"),
    *("datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today", "datetime.date.today"),
    *("pathlib.Path.cwd", "pathlib.Path.home", "sys.stdin", "sys.stdout", "sys.stderr", "sys.argv"),
    *("open", "input", "print", "breakpoint"),
)
# Methods of pathlib.Path that touch a disk, looked for only where Path is imported: `run.read` is a verb, not a file.
PATH_METHODS = frozenset(
    (
        *("read_text", "read_bytes", "write_text", "write_bytes", "open", "touch", "unlink", "mkdir", "rmdir", "chmod"),
        *("exists", "is_file", "is_dir", "is_symlink", "stat", "lstat", "samefile", "iterdir", "glob", "rglob"),
        *("resolve", "absolute", "expanduser", "readlink", "symlink_to", "hardlink_to"),
    )
)

# Replay must meet the verbs in the order they were first met, so a pipeline starts nothing of its own.
CONCURRENCY = (
    *("asyncio.create_task", "asyncio.ensure_future", "asyncio.TaskGroup", "asyncio.wait", "asyncio.wait_for"),
    *("asyncio.as_completed", "asyncio.sleep", "asyncio.timeout", "asyncio.to_thread", "asyncio.run", "asyncio.gather"),
)
RUN_VERBS = frozenset(
    (
        *("ask", "check", "hold", "fan_out", "snapshot", "commit", "merge"),
        *("read", "write", "call", "recall", "remember", "say"),
    )
)

# Scripts that the migration tool runs with a context of its own; they cannot be imported.
NOT_IMPORTABLE = ("engine/migrations/env.py", "engine/migrations/versions/")


@dataclass(frozen=True, order=True)
class Violation:
    file: str
    line: int
    what: str
    rule: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}: {self.rule}"


@dataclass(frozen=True)
class Module:
    """One source file: its path below the package, its tree, and what its names stand for."""

    path: str
    tree: ast.Module

    @property
    def part(self) -> str:
        """The unit of the layer table it belongs to; "" is the package's own __init__."""
        first = self.path.split("/")[0].removesuffix(".py")
        return "" if first == "__init__" else first

    def at(self, node: ast.AST, what: str, rule: str) -> Violation:
        return Violation(f"src/andon/{self.path}", getattr(node, "lineno", 1), what, rule)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @cached_property
    def imports(self) -> list[tuple[ast.AST, str]]:
        """Every imported dotted name, wherever it stands: also inside functions and under TYPE_CHECKING."""
        found: list[tuple[ast.AST, str]] = []
        for node in self.nodes:
            if isinstance(node, ast.Import):
                found += [(node, alias.name) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                found += [(node, f"{self.origin(node)}.{alias.name}") for alias in node.names]
            elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                called = getattr(node.func, "attr", "") or getattr(node.func, "id", "")
                if called in ("import_module", "__import__"):
                    found.append((node, str(node.args[0].value)))
        return found

    @cached_property
    def uses(self) -> list[tuple[ast.AST, str]]:
        """Every name or attribute chain as what it stands for: with `from os import environ as e`, e is os.environ."""
        stands_for: dict[str, str] = {}
        inner: set[int] = set()
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.split(".")[0]
                    stands_for[alias.asname or top] = alias.name if alias.asname else top
            elif isinstance(node, ast.ImportFrom):
                stands_for |= {alias.asname or alias.name: f"{self.origin(node)}.{alias.name}" for alias in node.names}
            elif isinstance(node, ast.Attribute):
                inner.add(id(node.value))
        chains = [node for node in self.nodes if isinstance(node, ast.Name | ast.Attribute) and id(node) not in inner]
        return [(node, dotted) for node in chains if (dotted := spelled(node, stands_for))]

    def origin(self, node: ast.ImportFrom) -> str:
        """The module that a `from … import` names, also when it is written relative to this one."""
        package = ["andon", *self.path.split("/")[:-1]]
        above = package[: len(package) - node.level + 1] if node.level else []
        return ".".join([*above, *([node.module] if node.module else [])])


def parse(path: str, text: str) -> Module:
    return Module(path, ast.parse(text, filename=path))


def modules(source: Path = SOURCE) -> list[Module]:
    # The demo's sample project is data that happens to be Python.
    files = sorted(file for file in source.rglob("*.py") if "sample" not in file.parts)
    return [parse(file.relative_to(source).as_posix(), file.read_text(encoding="utf-8")) for file in files]


def spelled(node: ast.expr, stands_for: dict[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Store):  # a name that is given, such as a field's, is not used
            return None
        return stands_for.get(node.id) or (node.id if node.id in BUILTINS else None)
    if isinstance(node, ast.Attribute):
        base = spelled(node.value, stands_for)
        return f"{base}.{node.attr}" if base else None
    return None


BUILTINS = frozenset(name for name in WORLD if "." not in name and name not in sys.stdlib_module_names)


def banned(dotted: str, bans: tuple[str, ...]) -> str | None:
    """The ban that covers a dotted name: itself, a prefix of it at a dot, or a pattern ending in *."""
    for ban in bans:
        if ban.endswith("*") and dotted.startswith(ban[:-1]):
            return ban
        if dotted == ban or dotted.startswith(f"{ban}."):
            return ban
    return None


# The rules -----------------------------------------------------------------------------------------------------------


def layers(module: Module) -> Iterator[Violation]:
    if module.part and module.part not in DEPTH:
        yield module.at(module.tree, f"unknown part `{module.part}`", "every part of andon has a place in LAYERS")
        return
    for node, name in module.imports:
        if name == "andon" or not name.startswith("andon."):
            continue
        target = name.split(".")[1]
        if target == module.part:
            continue
        if target not in DEPTH:
            if (SOURCE / target).is_dir() or (SOURCE / f"{target}.py").is_file():
                yield module.at(node, f"imports {name}", f"`{target}` has no place in LAYERS")
        elif not module.part:
            yield module.at(node, f"imports {name}", "the package itself imports nothing of its parts")
        elif DEPTH[target] == DEPTH[module.part]:
            yield module.at(
                node, f"imports {name}", f"`{module.part}` and `{target}` are siblings: meet at ports or domain"
            )
        elif DEPTH[target] < DEPTH[module.part]:
            yield module.at(node, f"imports {name}", f"imports point down, and `{target}` lies above `{module.part}`")
        elif module.part == "cli" and target in CLI_STARTS:
            continue
        elif module.part in SURFACES and target not in SURFACES_SEE:
            yield module.at(node, f"imports {name}", "a surface knows the application layer only, no concrete classes")
        elif module.part == "connect" and target not in CONNECT_SEES:
            yield module.at(node, f"imports {name}", "a connector knows neither runs nor agents")


def front_doors(module: Module) -> Iterator[Violation]:
    if module.part != "pipelines" or "/" not in module.path:
        return
    own = module.path.split("/")[1].removesuffix(".py")
    for node, name in module.imports:
        parts = name.split(".")
        if parts[:2] == ["andon", "pipelines"] and len(parts) > 2 and parts[2] in DOORS and parts[2] != own in DOORS:
            yield module.at(
                node, f"imports {name}", f"the pipelines of `{own}` and `{parts[2]}` do not depend on each other"
            )


def third_parties(module: Module) -> Iterator[Violation]:
    for node, name in module.imports:
        top = name.split(".")[0]
        if module.part not in ONLY_IN.get(top, {module.part}):
            yield module.at(node, f"imports {top}", f"only {', '.join(sorted(ONLY_IN[top]))}/ imports {top}")
        if module.part in NOT_IN.get(top, ()):
            yield module.at(node, f"imports {top}", f"{top} lives at the edges, not in {module.part}/")
        elif module.part == "domain" and top != "andon" and top not in sys.stdlib_module_names:
            yield module.at(node, f"imports {top}", "domain/ uses the standard library alone")


def processes(module: Module) -> Iterator[Violation]:
    if module.part == "processes" or module.path in STANDALONE:
        return
    for node, name in (*module.imports, *module.uses):
        if banned(name, STARTS_PROCESSES):
            yield module.at(node, f"uses {name}", "only processes/ starts processes")


def purity(module: Module) -> Iterator[Violation]:
    if module.part not in PURE:
        return
    rule = f"{module.part}/ does no input or output and asks neither clock nor chance"
    for node, name in (*module.imports, *module.uses):
        if banned(name, WORLD):
            yield module.at(node, f"uses {name}", rule)
    if any(name in ("pathlib", "pathlib.Path") for _, name in module.imports):
        for node in module.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in PATH_METHODS:
                yield module.at(node, f"calls .{node.func.attr}()", rule)


def replayable(module: Module) -> Iterator[Violation]:
    if module.part != "pipelines":
        return
    allowed = {id(call.func) for call in module.nodes if isinstance(call, ast.Call) and only_run_verbs(call)}
    for node, name in module.uses:
        if name == "asyncio.gather" and id(node) in allowed:
            continue
        if banned(name, CONCURRENCY):
            rule = "a pipeline starts nothing of its own; side by side only asyncio.gather(run.ask(...), run.ask(...))"
            yield module.at(node, f"uses {name}", rule)


def only_run_verbs(call: ast.Call) -> bool:
    return bool(call.args) and all(
        isinstance(arg, ast.Call)
        and isinstance(arg.func, ast.Attribute)
        and isinstance(arg.func.value, ast.Name)
        and arg.func.value.id == "run"
        and arg.func.attr in RUN_VERBS
        for arg in call.args
    )


def quiet_import(module: Module) -> Iterator[Violation]:
    """What runs at import is everything outside function bodies; it must not look at the environment."""
    looks = [(node, name) for node, name in module.uses if banned(name, ("os.environ", "os.environb", "os.getenv"))]
    running = {id(node) for node in at_import(module.tree)} if looks else set[int]()
    for node, name in looks:
        if id(node) in running:
            yield module.at(node, f"uses {name} at import", "importing a module does nothing and reads no environment")


def at_import(node: ast.AST) -> Iterator[ast.AST]:
    """Every node that is evaluated when the module is imported: decorators and defaults, but no function's body."""
    if isinstance(node, ast.Lambda) or (isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)):
        return
    yield node
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        children = [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
    else:
        children = ast.iter_child_nodes(node)
    for child in children:
        yield from at_import(child)


RULES = (layers, front_doors, third_parties, processes, purity, replayable, quiet_import)


def violations(module: Module) -> list[Violation]:
    return sorted({violation for rule in RULES for violation in rule(module)})


# The tests -----------------------------------------------------------------------------------------------------------


def test_X_68_the_review_loop_of_teams_is_used_by_teams_alone() -> None:
    doors = ("pipelines.auto", "pipelines.uam", "pipelines.tasks", "domain.auto", "domain.uam", "domain.tasks")
    sources = [path for door in doors for path in SOURCE.glob(f"{door.replace('.', '/')}/**/*.py")]

    assert sources and [path for path in sources if "teams.ralph" in path.read_text(encoding="utf-8")] == []


def test_E_31_layers_and_bans_hold() -> None:
    found = [str(violation) for module in modules() for violation in violations(module)]

    assert not found, "\n" + "\n".join(found)


# Run in a process of its own: imports the named modules and says which one fails or leaves something in the folder.
IMPORT_ALL = """
import importlib, pathlib, sys
folder, beside, *names = sys.argv[1:]
sys.path += beside.split(":")
seen = set(pathlib.Path(folder).rglob("*"))
for name in names:
    try:
        importlib.import_module(name)
    except BaseException as error:
        print(f"{name}: cannot be imported: {type(error).__name__}: {error}")
    left = set(pathlib.Path(folder).rglob("*")) - seen
    seen |= left
    for path in sorted(left):
        print(f"{name}: importing it makes {path.relative_to(folder)}")
"""


def import_all(names: list[str], path: Path, folder: Path) -> str:
    """What was noticed while importing the modules one after another, with empty home, working and scratch folders."""
    home, here, scratch = (folder / name for name in ("home", "here", "tmp"))
    for place in (home, here, scratch):
        place.mkdir()
    environment = {
        "HOME": str(home),
        "TMPDIR": str(scratch),
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONPATH": str(path),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    # A program that runs alone finds its parts beside itself, as it does when it is started by its path.
    beside = ":".join(sorted({str((SOURCE / program).parent) for program in STANDALONE}))
    command = [sys.executable, "-c", IMPORT_ALL, str(folder), beside, *names]
    done = subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def test_importing_every_module_touches_nothing(tmp_path: Path) -> None:
    names = [
        ".".join(["andon", *module.path.removesuffix(".py").removesuffix("/__init__").split("/")])
        for module in modules()
        if not module.path.startswith(NOT_IMPORTABLE) and module.path not in ("__init__.py", "__main__.py")
    ]

    assert import_all(["andon", *names], SOURCE.parent, tmp_path) == ""


def test_the_import_check_sees_a_folder_made_a_line_printed_and_a_module_that_fails(tmp_path: Path) -> None:
    (tmp_path / "makes_folder.py").write_text("import pathlib\npathlib.Path.home().joinpath('.andon').mkdir()")
    (tmp_path / "prints.py").write_text("print('welcome')")
    (tmp_path / "fails.py").write_text("import no_such_module")
    (tmp_path / "run").mkdir()

    noticed = import_all(["makes_folder", "prints", "fails"], tmp_path, tmp_path / "run")

    assert noticed.splitlines() == [
        "makes_folder: importing it makes home/.andon",
        "welcome",
        "fails: cannot be imported: ModuleNotFoundError: No module named 'no_such_module'",
    ]


# Each rule seen failing: path, text, and what the message must say ----------------------------------------------------

BAD = {
    "a connector that knows runs": (
        "connect/slack.py",
        "from andon.pipelines.auto import context",
        "a connector knows neither runs nor agents",
    ),
    "upward": (
        "domain/plan.py",
        "from andon.ports import Command",
        "imports point down, and `ports` lies above `domain`",
    ),
    "upward, relative": ("roles/load.py", "from ..engine import run", "imports point down, and `engine` lies above"),
    "upward, hidden in a function": (
        "ports.py",
        "def f():\n    import andon.app.wiring",
        ":2: imports andon.app.wiring",
    ),
    "upward, for types only": (
        "processes/start.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from andon.roles import Role",
        ":3: imports andon.roles.Role",
    ),
    "upward, by name": (
        "ports.py",
        "import importlib\nimportlib.import_module('andon.engine')",
        ":2: imports andon.engine",
    ),
    "sibling": ("checks/goals.py", "import andon.workspace.git", "`checks` and `workspace` are siblings"),
    "surface to adapter": (
        "cli/main.py",
        "from andon.engine.run import Run",
        "a surface knows the application layer only",
    ),
    "surface to surface": ("web/pages.py", "from andon.cli import main", "`cli` lies above `web`"),
    "package to part": ("__init__.py", "from andon.domain import order", "the package itself imports nothing"),
    "unknown part": ("helpers/text.py", "", "unknown part `helpers`"),
    "front door to front door": ("pipelines/uam/run.py", "from andon.pipelines.auto import light", "do not depend on"),
    "dbos outside engine": ("app/wiring.py", "from dbos import DBOS", "only engine/ imports dbos"),
    "pydantic in domain": ("domain/order.py", "import pydantic", "pydantic lives at the edges, not in domain/"),
    "pydantic in pipelines": ("pipelines/auto/light.py", "from pydantic import BaseModel", "not in pipelines/"),
    "third party in domain": ("domain/plan.py", "import yaml", "domain/ uses the standard library alone"),
    "subprocess": ("workspace/git.py", "import subprocess", ":1: uses subprocess: only processes/ starts processes"),
    "exec": ("runtimes/claude.py", "import os\nos.execvpe('sh', [], {})", ":2: uses os.execvpe: only processes/"),
    "fork, renamed": ("engine/run.py", "from os import fork as begin\nbegin()", "uses os.fork: only processes/"),
    "asyncio subprocess": (
        "checks/a.py",
        "import asyncio\nasyncio.create_subprocess_exec('x')",
        "only processes/ starts",
    ),
    "open in domain": (
        "domain/plan.py",
        "def f():\n    return open('x')",
        ":2: uses open: domain/ does no input or output",
    ),
    "path method": ("pipelines/auto/a.py", "from pathlib import Path\nPath('x').read_text()", ":2: calls .read_text()"),
    "environment": ("domain/settings.py", "from os import environ", "uses os.environ: domain/ does no input"),
    "clock": ("pipelines/auto/a.py", "from datetime import datetime\nx = datetime.now()", "uses datetime.datetime.now"),
    "sleep": ("pipelines/auto/a.py", "import time\ntime.sleep(1)", ":2: uses time.sleep"),
    "chance": ("domain/names.py", "import random", "uses random"),
    "task": (
        "pipelines/a.py",
        "import asyncio\nasyncio.create_task(f())",
        "uses asyncio.create_task: a pipeline starts",
    ),
    "task group": ("pipelines/a.py", "from asyncio import TaskGroup\nTaskGroup()", "uses asyncio.TaskGroup"),
    "gather of others": (
        "pipelines/a.py",
        "import asyncio\nasyncio.gather(plan(run), run.ask(A))",
        "uses asyncio.gather",
    ),
    "gather of a list": (
        "pipelines/a.py",
        "import asyncio\nasyncio.gather(*[run.ask(r) for r in x])",
        "uses asyncio.gather",
    ),
    "environment at import": (
        "engine/a.py",
        "import os\nDEBUG = os.environ.get('X')",
        ":2: uses os.environ.get at import",
    ),
    "environment in a default": (
        "engine/a.py",
        "import os\ndef f(x=os.getenv('X')): ...",
        ":2: uses os.getenv at import",
    ),
}

GOOD = {
    "downward": (
        "engine/run.py",
        "import dbos\nfrom andon.pipelines.auto import light\nfrom andon.domain.order import Order",
    ),
    "field": ("domain/money.py", "class Price:\n    input: float"),
    "own part": (
        "workspace/sandbox/bwrap.py",
        "from andon.workspace import git\nfrom . import limits\nfrom .. import files",
    ),
    "surface": (
        "cli/main.py",
        "from andon import __version__\nfrom andon.app import runs\nfrom andon.domain.errors import UserError",
    ),
    "module entry": ("__main__.py", "from andon.cli.main import main"),
    "standalone": ("runtimes/player.py", "import os, subprocess\nos.execv('x', [])"),
    "processes": ("processes/start.py", "import subprocess, os\nos.fork()"),
    "verbs side by side": (
        "pipelines/a.py",
        "import asyncio\nasync def f(run):\n    await asyncio.gather(run.ask(A), run.ask(B))",
    ),
    "a verb called read": (
        "pipelines/a.py",
        "async def f(run, files):\n    await run.read(PLAN)\n    files.open()\n    run.write(X)",
    ),
    "names and values": (
        "domain/a.py",
        "from pathlib import PurePosixPath\nfrom datetime import timedelta\nx = 'a'.replace('a', 'b')",
    ),
    "environment when called": ("app/a.py", "import os\ndef f():\n    return os.environ['X']"),
}


@pytest.mark.parametrize("name", BAD)
def test_the_checker_sees(name: str) -> None:
    path, text, message = BAD[name]

    found = "\n".join(map(str, violations(parse(path, text))))

    assert f"src/andon/{path}:" in found
    assert message in found


@pytest.mark.parametrize("name", GOOD)
def test_the_checker_allows(name: str) -> None:
    path, text = GOOD[name]

    assert [str(violation) for violation in violations(parse(path, text))] == []
