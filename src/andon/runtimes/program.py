"""What runtimes share that drive an agent program: where it is, where it keeps its things, what its lines come to.

A program is never believed by its exit code alone. Whatever it prints is read as events (`events.py`), by a reader of
its own, and judged by the same rules for all (`printed.py`).
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from andon.domain.order import Order, Outcome, Reply
from andon.domain.question_block import question_in
from andon.ports import Exit, Mount, Watch
from andon.processes import readable_for
from andon.runtimes import events
from andon.runtimes.installed import PATH, AgentProgram
from andon.runtimes.printed import Printed, estimated

Reader = events.Reader
NETWORK = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS")


def handed_on(environment: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """Variables an agent program needs, in either spelling, and nothing else of the person's environment."""
    wanted = {spelling for name in names for spelling in (name, name.lower() if name in NETWORK else name)}
    return {name: environment[name] for name in sorted(wanted) if name in environment}


def certificates(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Files that those variables name: whose certificates a program believes."""
    named = handed_on(environment, (name for name in NETWORK if "CERT" in name))
    return tuple(path for path in named.values() if Path(path).is_absolute() and Path(path).exists())


def home_of(runtime: str, order: Order, folder: Path) -> Path:
    """Where the agent keeps settings and sessions: one folder a teammate, so that it finds its earlier sessions."""
    name = re.sub(r"[^A-Za-z0-9._-]", "_", order.name)
    if name != order.name:  # two names in another script are two names still
        name = f"{name[:40]}-{sha256(order.name.encode()).hexdigest()[:8]}"
    home = folder.parent.parent / "homes" / f"{runtime}-{name}"
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    return home


def written(file: Path, text: str) -> Path:
    """The file with this text. In place of another one, whose reader goes on with what it has: when an order is handed
    out again after a crash, the agent of the first time may be starting just then."""
    fresh = file.with_name(f"{file.name}.new")
    fresh.write_text(text, encoding="utf-8")
    return fresh.replace(file)


def search_path(program: Path, environment: Mapping[str, str]) -> str:
    """PATH for the program: the system's, and where its interpreter is if that lies elsewhere (nvm, pyenv)."""
    interpreter = _interpreter(program, environment)
    folders = PATH.split(":")
    more = [str(interpreter.parent)] if interpreter and str(interpreter.parent) not in folders else []
    return ":".join((*folders, *more))


def installation(program: Path, environment: Mapping[str, str], *needs: Path) -> tuple[str, ...]:
    """What the program must be able to read of itself: packages beside its own, for a script also its interpreter."""
    interpreter = _interpreter(program, environment)
    more = readable_for(interpreter) if interpreter else ()
    parts = program.resolve().parts
    packages = [Path(*parts[: parts.index("node_modules") + 1])] if "node_modules" in parts else []
    return tuple(dict.fromkeys((*readable_for(program, *needs, *packages), *more)))


def _interpreter(program: Path, environment: Mapping[str, str]) -> Path | None:
    with program.open("rb") as file:
        first = file.readline(200)
    if not first.startswith(b"#!"):
        return None
    words = first[2:].decode("utf-8", "replace").split()
    if words and words[0].endswith("/env"):
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    path = shutil.which(words[0], path=environment.get("PATH")) if words else None
    return Path(path) if path else None


def sign_in_mounts(program: AgentProgram, environment: Mapping[str, str], home: Path) -> tuple[Mount, ...]:
    """A person's sign-in inside the sandbox, where no variable signs the program in. Nothing else of their home is.

    Writable, as the program renews a sign-in that is too old, and the old one is void then.
    """
    return shown(environment, (program.credentials,), home) if program.file(environment) else ()


def shown(environment: Mapping[str, str], names: Iterable[str], home: Path) -> tuple[Mount, ...]:
    """Files of a person's home folder, as far as they are there, at the same place in the agent's."""
    mounts: list[Mount] = []
    for name in names:
        file = Path(environment.get("HOME", "/nonexistent"), name)
        if file.is_file():
            (home / name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            mounts.append(Mount(str(file), str(home / name), writable=True))
    return tuple(mounts)


def watching(order: Order, read: Reader) -> Watch:
    printed = Printed()

    def watch(line: bytes) -> Reply | None:
        for event in read(line):
            printed.add(event)
        return printed.early(order)

    return watch


def judged(order: Order, folder: Path, exit: Exit, read: Reader) -> Reply:
    printed = Printed.of(told(folder, read))
    reply = printed.reply(order, folder, exit)
    if printed.usage is None or (reply.outcome is Outcome.DONE and not printed.usage.tokens):
        # No answer takes no tokens: some servers tell none.
        reply = replace(reply, usage=replace(estimated(order, reply), money=reply.usage.money))
    if reply.outcome is Outcome.DONE and (question := question_in(reply.text)):
        return replace(reply, outcome=Outcome.ASKED, question=question, detail=question.text)
    return reply


def told(folder: Path, read: Reader) -> Iterator[events.Event]:
    """All that an agent printed."""
    for line in events.lines(folder / "stdout"):
        if isinstance(line, events.Raw):
            yield line
        else:
            yield from read(line)
