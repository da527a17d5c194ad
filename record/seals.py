"""Hashes, signatures, and the short forms of both that people copy; docs/evidence.md has them all.

A key is named by its public half: 32 bytes, 64 hexadecimal digits. For people there are two short
forms: the *fingerprint* of a key, and the *digest* of a record's hash, which people know as its
check code. Every bundle carries the verifier with this module, so it imports nothing of tilewatch.
"""

from __future__ import annotations

import functools
import hashlib
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

GENESIS: Final = "0" * 64
"""``prev_hash`` of a log's first record."""
BASE32: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's: without I, L, O and U, so that a hand-written digest reads one way."""


def sha256(content: bytes | memoryview) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def link(prev_hash: str, body_hash: str) -> str:
    """Return the hash of a record, from the hashes of the record before it and of its own body."""
    return sha256(f"{prev_hash}{body_hash}".encode())


def record_message(key: str, record_hash: str) -> bytes:
    """Return the message signed for a record of the log: kind, key and the record's hash."""
    return f"tilewatch record\n{key}\n{record_hash}\n".encode("ascii")


def bundle_message(key: str, manifest_sha256: str) -> bytes:
    """Return the message signed for an evidence bundle: kind, key and the manifest's hash."""
    return f"tilewatch bundle\n{key}\n{manifest_sha256}\n".encode("ascii")


def is_signed_by(key: str, message: bytes, signature: str) -> bool:
    """True if ``key`` (public half, hex) has made ``signature`` (hex) of ``message``."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 (most readers need none)

    if not re.fullmatch("[0-9a-f]{128}", signature):
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

    if not re.fullmatch("[0-9a-f]{64}", key):
        raise ValueError("not a public key in hex")
    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))


def fingerprint(key: str) -> str:
    """Return a key's short form: ``9f3a-…``, 32 hexadecimal digits of the SHA-256, in fours."""
    return "-".join(re.findall("....", sha256(bytes.fromhex(key))[:32]))


def plain_key(named: str) -> str:
    """Return a written key or fingerprint as plain lower-case digits. Raises ``ValueError``."""
    plain = re.sub(r"[\s-]", "", named.lower())
    if not re.fullmatch("[0-9a-f]{64}|[0-9a-f]{32}", plain):
        raise ValueError(
            f"{named[:80]!r} is no key: one has 64 hexadecimal digits, its fingerprint 32"
        )
    return plain


def is_one_of(key: str, plain: list[str]) -> bool:
    """True if ``plain``, keys and fingerprints from :func:`plain_key`, names the key."""
    return key in plain or fingerprint(key).replace("-", "") in plain


def digest(record_hash: str) -> str:
    """Return the short form of a record's hash for the result slip: ``K7QM-2D9F-XW3T``.

    The first 60 bits in Crockford's base 32.
    """
    number = int(record_hash[:15], 16)
    text = "".join(BASE32[number >> 5 * at & 31] for at in range(11, -1, -1))
    return "-".join(re.findall("....", text))


def plain_digest(written: str) -> str:
    """Return a digest, however somebody wrote it, in its standard form. Raises ``ValueError``."""
    plain = re.sub(r"[\s-]", "", written.upper()).translate(str.maketrans("ILO", "110"))
    if not re.fullmatch(f"[{BASE32}]{{12}}", plain):
        text = "is no check code: one has 12 letters and digits, like K7QM-2D9F-XW3T"
        raise ValueError(f"{written[:40]!r} {text}")
    return "-".join(re.findall("....", plain))
