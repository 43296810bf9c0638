"""Who may use the web page and the API: one-time links, sessions of browsers, tokens of programs, each with a role.

A file of the data folder, readable by its owner only. What is kept of a secret is its digest.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from andon.app.home import Home
from andon.domain.errors import UserError
from andon.engine.database import locked
from andon.workspace.files import write_atomic

LINK_SECONDS = 15 * 60.0
LONGEST_NAME = 100
SESSION_SECONDS = 30 * 24 * 3600.0


class Role(StrEnum):
    """What somebody may do: look; decide and answer as well; everything."""

    VIEWER = "viewer"
    REVIEWER = "reviewer"
    ADMIN = "admin"

    def includes(self, other: Role) -> bool:
        ranks = list(Role)
        return ranks.index(self) >= ranks.index(other)


class Kind(StrEnum):
    LINK = "link"
    SESSION = "session"
    TOKEN = "token"


@dataclass(frozen=True, slots=True)
class Pass:
    """A secret that somebody holds, without the secret."""

    id: str
    kind: Kind
    name: str
    role: Role
    digest: str
    made_at: float
    ends_at: float | None = None

    def valid(self, now: float) -> bool:
        return self.ends_at is None or now < self.ends_at


class Access:
    def __init__(self, home: Home, clock: Callable[[], float] = time.time) -> None:
        self._file = home.root / "web" / "access.json"
        self._lock = home.root / "web" / "access.lock"
        self._clock = clock
        self._read: tuple[tuple[int, int] | None, list[Pass]] = (None, [])

    def link(self, name: str, role: Role = Role.ADMIN) -> str:
        """A secret that opens one session, once, within a quarter of an hour."""
        return self._make(Kind.LINK, name, role, LINK_SECONDS)

    def token(self, name: str, role: Role) -> str:
        """A secret for a program; valid until it is taken back."""
        if not name.strip():
            raise UserError("A token needs a name", "It says in the journal who decided.")
        if not name.isprintable() or len(name) > LONGEST_NAME:
            raise UserError("That is no name for a token", f"One line of at most {LONGEST_NAME} characters.")
        if any(each.name == name for each in self.tokens()):
            raise UserError(f"There is a token {name} already", f"`andon token revoke {name}` takes it back.")
        return self._make(Kind.TOKEN, name, role, None)

    def open_session(self, link: str) -> tuple[str, Pass] | None:
        """Use a link up, for a session. None: there is no such link, or not any more."""
        with locked(self._lock):
            passes = self._passes()
            found = _holder(passes, Kind.LINK, link, self._clock())
            if found is None:
                return None
            secret, made = self._new(Kind.SESSION, found.name, found.role, SESSION_SECONDS)
            self._write([each for each in passes if each.id != found.id] + [made])
        return secret, made

    def close_session(self, secret: str) -> None:
        """Sign a browser out: what it holds opens nothing any more."""
        with locked(self._lock):
            found = self.who(Kind.SESSION, secret)
            if found is not None:
                self._write([each for each in self._passes() if each.id != found.id])

    def who(self, kind: Kind, secret: str) -> Pass | None:
        return _holder(self._passes(), kind, secret, self._clock())

    def tokens(self) -> list[Pass]:
        return [each for each in self._passes() if each.kind is Kind.TOKEN]

    def sessions(self) -> list[Pass]:
        now = self._clock()
        return [each for each in self._passes() if each.kind is Kind.SESSION and each.valid(now)]

    def revoke(self, id: str) -> Pass:
        """Take back a token (by name or id) or a session (by id)."""
        with locked(self._lock):
            passes = self._passes()
            found = next((p for p in passes if p.id == id or (p.kind is Kind.TOKEN and p.name == id)), None)
            if found is None:
                raise UserError(f"There is no token {id}", "`andon token list` shows what there is.")
            self._write([each for each in passes if each.id != found.id])
        return found

    def _make(self, kind: Kind, name: str, role: Role, seconds: float | None) -> str:
        with locked(self._lock):
            secret, made = self._new(kind, name, role, seconds)
            self._write([*self._passes(), made])
        return secret

    def _new(self, kind: Kind, name: str, role: Role, seconds: float | None) -> tuple[str, Pass]:
        secret, now = secrets.token_urlsafe(32), self._clock()
        ends_at = now + seconds if seconds is not None else None
        return secret, Pass(secrets.token_hex(6), kind, name, role, _digest(secret), now, ends_at)

    def _passes(self) -> list[Pass]:
        """As the file has them; read again only when it has changed."""
        try:
            stat = self._file.stat()
        except FileNotFoundError:
            return []
        mark = (stat.st_mtime_ns, stat.st_ino)
        if self._read[0] != mark:
            self._read = (mark, [_pass(row) for row in json.loads(self._file.read_text("utf-8"))["passes"]])
        return list(self._read[1])

    def _write(self, passes: list[Pass]) -> None:
        now = self._clock()
        kept = [asdict(each) for each in passes if each.valid(now)]
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomic(self._file, json.dumps({"version": 1, "passes": kept}, indent=1), mode=0o600)


def csrf_of(secret: str) -> str:
    """What a page sends along, besides the cookie: known only to whoever holds the session."""
    return hmac.new(secret.encode(), b"csrf", hashlib.sha256).hexdigest()[:32]


def _holder(passes: list[Pass], kind: Kind, secret: str, now: float) -> Pass | None:
    digest = _digest(secret)
    found = [each for each in passes if each.kind is kind and hmac.compare_digest(each.digest, digest)]
    return next((each for each in found if each.valid(now)), None)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _pass(row: dict[str, Any]) -> Pass:
    typed: dict[str, Any] = {**row, "kind": Kind(row["kind"]), "role": Role(row["role"])}
    return Pass(**typed)
