"""The table's Ed25519 key, what is signed with it, and the short forms that people copy.

A table makes its key when it first starts and keeps the private half in ``table.key`` next to its
log, readable by its owner alone. A key is named by its public half: 32 bytes, 64 hexadecimal
digits. For people there are two short forms: the *fingerprint* of a key, and the *digest* of a
record's hash that is written on the result slip (both are specified in docs/evidence.md).
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from game.files import SMALL, create_private_file, read_file
from record.errors import SigningError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

KEY_FILE: Final = "table.key"

_BASE32: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's: without I, L, O and U, so that a hand-written digest reads one way."""

_MISREAD: Final = str.maketrans({"I": "1", "L": "1", "O": "0"})
_DIGEST_CHARACTERS: Final = 12


def record_message(key: str, record_hash: str) -> bytes:
    """The message signed for a record of the log: its kind, the key and the record's hash."""
    return f"tilewatch record\n{key}\n{record_hash}\n".encode("ascii")


def bundle_message(key: str, manifest_sha256: str) -> bytes:
    """The message signed for an evidence bundle: its kind, the key and the hash of its manifest."""
    return f"tilewatch bundle\n{key}\n{manifest_sha256}\n".encode("ascii")


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
        """The signature of ``message``: 64 bytes as 128 hexadecimal digits."""
        return self._private.sign(message).hex()

    @classmethod
    def open(cls, path: Path) -> TableKey:
        """The key kept in ``path``, made there when there is none.

        Permissions that let others read it are tightened. Raises ``SigningError`` when the file
        holds no such key or can be neither read nor made.
        """
        try:
            if not path.exists():
                _make(path)
            return cls(_load(path))
        except OSError as error:
            raise SigningError(f"{path}: the table's key: {error.strerror or error}") from error


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


def is_signed_by(key: str, message: bytes, signature: str) -> bool:
    """True if ``signature`` (hex) is that of ``message`` by ``key`` (public half, hex)."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415

    if not re.fullmatch(r"[0-9a-f]{128}", signature):
        return False
    try:
        _public(key).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


@functools.lru_cache(maxsize=64)
def _public(key: str) -> Ed25519PublicKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415
        Ed25519PublicKey,
    )

    if not re.fullmatch(r"[0-9a-f]{64}", key):
        raise ValueError("not a public key in hex")
    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))


def fingerprint(key: str) -> str:
    """The short form of a key: ``9f3a-…``, 32 hexadecimal digits of its SHA-256 in groups of 4."""
    text = hashlib.sha256(bytes.fromhex(key)).hexdigest()[:32]
    return "-".join(text[at : at + 4] for at in range(0, 32, 4))


def same_key(key: str, named: str) -> bool:
    """True if ``named``, a whole public key or a fingerprint as people write it, is ``key``."""
    plain = re.sub(r"[\s-]", "", named.lower())
    return plain in (key, fingerprint(key).replace("-", ""))


def require_key(named: str) -> None:
    """Raise ``SigningError`` where ``named`` is neither a public key nor a fingerprint."""
    if not re.fullmatch(r"[0-9a-f]{64}|[0-9a-f]{32}", re.sub(r"[\s-]", "", named.lower())):
        raise SigningError(
            f"{named[:80]!r} is no key: a public key has 64 hexadecimal digits, a fingerprint 32"
        )


def digest(record_hash: str) -> str:
    """The short form of a record's hash for the result slip: ``K7QM-2D9F-XW3T``.

    The first 60 bits in Crockford's base 32.
    """
    number = int(record_hash[:15], 16)
    text = "".join(_BASE32[number >> 5 * at & 31] for at in range(_DIGEST_CHARACTERS - 1, -1, -1))
    return "-".join(text[at : at + 4] for at in range(0, _DIGEST_CHARACTERS, 4))


def plain_digest(written: str) -> str:
    """A digest as somebody wrote it, in the one form. Raises ``SigningError`` when it is none."""
    plain = re.sub(r"[\s-]", "", written.upper()).translate(_MISREAD)
    if len(plain) != _DIGEST_CHARACTERS or any(letter not in _BASE32 for letter in plain):
        raise SigningError(
            f"{written[:40]!r} is no digest: it has {_DIGEST_CHARACTERS} letters and digits, "
            "like K7QM-2D9F-XW3T"
        )
    return "-".join(plain[at : at + 4] for at in range(0, _DIGEST_CHARACTERS, 4))
