"""The key that signs evidence. It lies in andon's data folder, which no sandbox can see."""

from __future__ import annotations

import hashlib
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from andon.domain.errors import EnvironmentProblem
from andon.engine.kept import create_once


class SigningKey:
    """An ed25519 key kept in a file that only its owner can read."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.id = hashlib.sha256(key.public_key().public_bytes_raw()).hexdigest()[:16]

    @classmethod
    def load(cls, path: Path) -> SigningKey:
        """Read the key, making it on first use. Concurrent first uses end up with the same key."""
        try:
            if not path.exists():
                create_once(path, Ed25519PrivateKey.generate().private_bytes_raw())
            raw = path.read_bytes()
        except OSError as error:
            what = f"The signing key {path} cannot be used: {error.strerror}"
            raise EnvironmentProblem(
                what, "Without it nothing can be measured. `andon doctor` looks at the folder."
            ) from error
        if len(raw) != 32:
            raise EnvironmentProblem(f"The signing key {path} is damaged", "Restore it from a backup; andon keeps it.")
        return cls(Ed25519PrivateKey.from_private_bytes(raw))

    @property
    def public(self) -> Ed25519PublicKey:
        return self._key.public_key()

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)
