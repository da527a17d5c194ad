"""The table's Ed25519 key.

A table makes its key when it first starts and keeps the private half in ``table.key`` next to its
log, readable by its owner alone. What is signed with it, and how a key is named, is in
``record.seals``.
"""

from __future__ import annotations

import contextlib
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from game.files import SMALL, create_private_file, read_file
from record.errors import SigningError
from record.seals import fingerprint

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY_FILE: Final = "table.key"


class TableKey:
    """A private key that signs for one table."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes_raw().hex()
        """The public half in hex, by which the key is named everywhere."""

    @property
    def fingerprint(self) -> str:
        """The key's short form for people."""
        return fingerprint(self.public)

    def sign(self, message: bytes) -> str:
        """Return the signature of ``message``: 64 bytes as 128 hexadecimal digits."""
        return self._private.sign(message).hex()

    @classmethod
    def open(cls, path: Path) -> TableKey:
        """Return the key in the file ``path``; make a missing one.

        Permissions that let others read the file are tightened. Raises ``SigningError`` if the file
        has no such key, or cannot be read or made.
        """
        try:
            if not path.exists():
                _make(path)
            return cls(_load(path))
        except OSError as error:
            reason = error.strerror or error
            raise SigningError(f"{path}: the table's key is unusable ({reason})") from error


def _make(path: Path) -> None:
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 (readers need none)
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415
        Ed25519PrivateKey,
    )

    pem = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    create_private_file(path, pem)


def _load(path: Path) -> Ed25519PrivateKey:
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415
        Ed25519PrivateKey,
    )

    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        with contextlib.suppress(OSError):  # a read-only disk keeps what it has
            path.chmod(0o600)
    try:
        private = serialization.load_pem_private_key(read_file(path, SMALL, SigningError), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        private = None
    if not isinstance(private, Ed25519PrivateKey):
        raise SigningError(
            f"{path}: no Ed25519 private key; restore the table's key from where you keep it, or "
            "move this file away, and the table makes itself a new one"
        )
    return private
