"""Hashes, digests, fingerprints and signatures."""

import hashlib
import re

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def sha256(data: bytes | memoryview) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def fingerprint(key: str) -> str:
    """32 hexadecimal digits in groups of four, from a public key in hexadecimal digits."""
    return "-".join(re.findall("....", sha256(bytes.fromhex(key))[:32]))


def digest(record_hash: str) -> str:
    """The twelve letters and digits that a result slip has, from an event's hash."""
    bits = f"{int(record_hash, 16):0256b}"[:60]
    letters = "".join(BASE32[int(five, 2)] for five in re.findall(".....", bits))
    return "-".join(re.findall("....", letters))


def is_signed(kind: str, key: str, text: str, signature: str) -> bool:
    """True if the key signed this text as a record or as a bundle (``kind``)."""
    message = f"tilewatch {kind}\n{key}\n{text}\n".encode()
    if not re.fullmatch("[0-9a-f]{128}", signature):
        return False
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(signature), message)
        return True
    except (InvalidSignature, ValueError):
        return False
