"""What checks printed, kept whole under the name of its content: evidence names it by its digest."""

from __future__ import annotations

import hashlib
from pathlib import Path

from andon.engine.kept import put


class ContentStore:
    """Outputs by their sha256. Writing the same content again is free."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest[2:]

    def keep(self, content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()
        # Compared with what is there, not only looked for: a machine that lost power may have left half a file.
        if self.read(digest) is None:
            put(self.path(digest), content)
        return digest

    def read(self, digest: str) -> bytes | None:
        """The content, or None when it is gone or no longer what its name says."""
        try:
            content = self.path(digest).read_bytes()
        except (OSError, ValueError):  # a name that no file can have, in a statement someone changed
            return None
        return content if hashlib.sha256(content).hexdigest() == digest else None
