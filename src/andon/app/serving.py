"""Where a server listens and who may know: loopback, unless there is TLS."""

from __future__ import annotations

import fcntl
import ipaddress
import socket
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from andon.app.access import Access, Role
from andon.app.home import Home
from andon.domain.errors import EnvironmentProblem, UserError

PORT = 3747
SERVERS = Path("web") / "servers"
"""Below the data folder: a file for each server that runs, named like its port, with its address."""
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int
    certificate: Path | None = None
    key: Path | None = None
    names: tuple[str, ...] = ()
    """By which people may call it, besides the address itself."""

    @property
    def secure(self) -> bool:
        return self.certificate is not None

    @property
    def hosts(self) -> frozenset[str]:
        """Exactly what a Host header may say."""
        names = {self.host, *self.names, *(LOOPBACK if _loopback(self.host) else ())}
        bracketed = {f"[{name}]" if ":" in name and not name.startswith("[") else name for name in names}
        usual = 443 if self.secure else 80
        return frozenset({f"{name}:{self.port}" for name in bracketed} | (bracketed if self.port == usual else set()))

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.secure else 'http'}://{host}:{self.port}"


def checked(address: Address) -> Address:
    """Refuse to offer the page to other machines in the clear."""
    if bool(address.certificate) != bool(address.key):
        raise UserError("A certificate and its key belong together", "--tls-cert FILE --tls-key FILE")
    for file in filter(None, (address.certificate, address.key)):
        if not file.is_file():
            raise UserError(f"{file} is not a file")
    if not _loopback(address.host) and not address.secure:
        hint = "Give --tls-cert and --tls-key; or reach this one through an SSH tunnel."
        raise UserError(f"{address.host} can be reached from other machines: without TLS that is refused", hint)
    return address


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listening(address: Address) -> socket.socket:
    """The socket, bound. Port 0 takes one that is free."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((address.host, address.port))
    except OSError as error:
        made.close()
        hint = "Another program listens there, perhaps another `andon serve`. --port names another one."
        raise EnvironmentProblem(f"{address.host}:{address.port}: {error.strerror}", hint) from error
    return made


@contextmanager
def announced(home: Home, address: Address) -> Generator[None]:
    """While a server runs, whoever uses the same data folder knows its address. The lock ends with its process."""
    file = home.root / SERVERS / str(address.port)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with file.open("w", encoding="utf-8") as kept:
        fcntl.flock(kept, fcntl.LOCK_EX | fcntl.LOCK_NB)
        kept.write(address.url)
        kept.flush()
        try:
            yield
        finally:
            file.unlink(missing_ok=True)


def running(home: Home) -> list[str]:
    """The addresses of the servers that run over this data folder, the newest first."""
    folder = home.root / SERVERS
    files = sorted(folder.iterdir(), key=_begun, reverse=True) if folder.is_dir() else []
    return [url for file in files if (url := _announced(file))]


def _begun(file: Path) -> float:
    with suppress(OSError):
        return file.stat().st_mtime
    return 0.0


def _announced(file: Path) -> str:
    """Nothing of one whose process is gone."""
    try:
        with file.open(encoding="utf-8") as kept:
            try:
                fcntl.flock(kept, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return kept.read()
    except OSError:
        return ""
    return ""


def link(home: Home, url: str, name: str, role: Role = Role.ADMIN) -> str:
    """What a person opens: signs their browser in, once."""
    return f"{url}/login?token={Access(home).link(name, role)}"
