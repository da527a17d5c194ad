"""The broadcast role's X25519 key, which opens the racks of a game before they are due.

Its private half is a file of its own, outside the table's data: who has it, has the role.
"""

from __future__ import annotations

import stat
from pathlib import Path
from typing import TYPE_CHECKING

from game.files import SMALL, create_private_file, read_file
from record.errors import SigningError
from record.rack_seals import key_unsealed

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey


class RackKey:
    """A private key of the broadcast role."""

    def __init__(self, private: X25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes_raw().hex()
        """The public half, in hex."""

    def unsealed(self, sealed: str, game_id: str) -> bytes:
        """Return a game's key that was sealed to this one; ``ValueError`` if it was not."""
        return key_unsealed(self._private, sealed, game_id)

    @classmethod
    def generate(cls) -> RackKey:
        """Return a new key that is in no file."""
        from cryptography.hazmat.primitives.asymmetric.x25519 import (  # noqa: PLC0415
            X25519PrivateKey,
        )

        return cls(X25519PrivateKey.generate())

    def save(self, path: Path) -> None:
        """Write the key into a new file that its owner alone can read. Raises ``OSError``."""
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415

        pem = self._private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        create_private_file(path, pem)

    @classmethod
    def load(cls, path: Path) -> RackKey:
        """Return the key in a file.

        Raises ``SigningError`` with one line if it is missing, no such key, or open to others.
        """
        from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415
        from cryptography.hazmat.primitives.asymmetric.x25519 import (  # noqa: PLC0415
            X25519PrivateKey,
        )

        try:
            content = read_file(path, SMALL, SigningError)
        except OSError as error:
            raise SigningError(
                f"{path}: cannot be read ({error.strerror}); `tilewatch rack-key FILE` makes a "
                "key, and [racks] key names its file"
            ) from error
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise SigningError(f"{path}: others can read this key; chmod 600 it, or make a new one")
        try:
            private = serialization.load_pem_private_key(content, None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            private = None
        if not isinstance(private, X25519PrivateKey):
            raise SigningError(
                f"{path}: no key for racks; make one with `tilewatch rack-key` under another name"
            )
        return cls(private)
