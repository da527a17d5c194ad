"""The key exchange by which a table and its hub trust each other, given a short code.

The code is shown on the director's desk and typed in (or scanned) at the table: twelve letters and
digits, of which four name it and eight are secret. The table shows that it knows the secret, and
the hub answers with what only who knows the secret can read; each end makes a fresh X25519 key for
it, so that nobody can read it later either, code or no code. Whoever stands in between has to guess
forty bits through scrypt before the code is used or runs out, a quarter of an hour later, and a few
guesses are listened to: five from one address and 10,000 in all (``hub.enrolment.codes``), so that
one code is guessed with a chance below one in a hundred million.

    k      = scrypt(secret, "tilewatch enrol " + name of the code, N = 2^15, r = 8, p = 1)
    asked  = name of the code LF key of the table LF X25519 key of the table, all in text
    proof  = HMAC-SHA256(k, "table" LF asked)
    signed = Ed25519 by the table's key of "tilewatch enrol" LF asked
    key    = HKDF-SHA256(X25519, salt = k,
                         info = "tilewatch enrol" LF asked LF X25519 key of the hub)
    sealed = nonce + ChaCha20-Poly1305(key, nonce, JSON, no more data)
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from hub.errors import HubError, WireError
from record.signing import TableKey, is_signed_by

_LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_MISREAD: Final = str.maketrans({"I": "1", "L": "1", "O": "0"})
_NAME: Final = 4
_SECRET: Final = 8
_NONCE: Final = 12
_SHAPES: Final = {
    "code": re.compile(f"[{_LETTERS}]{{{_NAME}}}"),
    "key": re.compile("[0-9a-f]{64}"),
    "x25519": re.compile("[0-9a-f]{64}"),
    "proof": re.compile("[0-9a-f]{64}"),
    "signature": re.compile("[0-9a-f]{128}"),
}
"""The fields of a table's request; nothing else gets as far as a comparison."""


@dataclass(frozen=True, slots=True)
class EnrolCode:
    """A code as both ends know it."""

    name: str
    secret: str

    @classmethod
    def new(cls) -> EnrolCode:
        """A new random code."""
        text = "".join(secrets.choice(_LETTERS) for _ in range(_NAME + _SECRET))
        return cls(text[:_NAME], text[_NAME:])

    @classmethod
    def parse(cls, written: str) -> EnrolCode:
        """The code as somebody typed it. Raises ``HubError`` when it is none."""
        plain = re.sub(r"[\s-]", "", written.upper()).translate(_MISREAD)
        if len(plain) != _NAME + _SECRET or any(letter not in _LETTERS for letter in plain):
            raise HubError(
                f"{written[:40]!r} is no code: it has twelve letters and digits, "
                "like K7QM-2D9F-XW3T, and stands on the director's desk"
            )
        return cls(plain[:_NAME], plain[_NAME:])

    def __str__(self) -> str:
        text = self.name + self.secret
        return "-".join(text[at : at + 4] for at in range(0, len(text), 4))

    def key(self) -> bytes:
        """Derive the key of both ends from the secret. Takes a tenth of a second, on purpose."""
        salt = f"tilewatch enrol {self.name}".encode()
        return hashlib.scrypt(
            self.secret.encode(), salt=salt, n=1 << 15, r=8, p=1, maxmem=1 << 26, dklen=32
        )


class EnrolRequest:
    """The table's end."""

    def __init__(self, code: EnrolCode, key: TableKey) -> None:
        self._k = code.key()
        self._private = X25519PrivateKey.generate()
        public = self._private.public_key().public_bytes_raw().hex()
        self._asked = _asked(code.name, key.public, public)
        self.message = {
            "code": code.name,
            "key": key.public,
            "x25519": public,
            "proof": _proof(self._k, self._asked),
            "signature": key.sign(_signed(self._asked)),
        }
        """The message to the hub, as JSON."""

    def read(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Decrypt the hub's answer. Raises ``WireError`` when it is not by who made the code."""
        try:
            public, sealed = str(answer["x25519"]), bytes.fromhex(str(answer["sealed"]))
            shared = self._private.exchange(
                X25519PublicKey.from_public_bytes(bytes.fromhex(public))
            )
            key = _key(shared, self._k, self._asked, public)
            text = ChaCha20Poly1305(key).decrypt(sealed[:_NONCE], sealed[_NONCE:], None)
            details = json.loads(text)
        except (KeyError, ValueError, InvalidTag) as error:
            raise WireError("the answer does not come from the hub that made the code") from error
        if not isinstance(details, dict):
            raise WireError("the hub's answer cannot be understood")
        return details


def checked_request(message: Mapping[str, Any]) -> tuple[str, str]:
    """The code's name and the table's key that a message names. Raises ``WireError``."""
    parts: list[str] = []
    for name, shape in _SHAPES.items():
        part = message.get(name)
        if not isinstance(part, str) or not shape.fullmatch(part):
            raise WireError("not what a table asks with")
        parts.append(part)
    code, key, public, _, signature = parts
    if not is_signed_by(key, _signed(_asked(code, key, public)), signature):
        raise WireError("the table does not hold the key that it names")
    return code, key


def answer(
    k: bytes, message: Mapping[str, Any], details: Mapping[str, Any]
) -> dict[str, str] | None:
    """The hub's end: what to answer, or None where the table does not know the code's secret.

    ``message`` was looked at by :func:`checked_request`. Raises ``WireError``.
    """
    asked = _asked(str(message["code"]), str(message["key"]), str(message["x25519"]))
    if not hmac.compare_digest(_proof(k, asked).encode(), str(message["proof"]).encode()):
        return None
    private = X25519PrivateKey.generate()
    public = private.public_key().public_bytes_raw().hex()
    try:
        theirs = X25519PublicKey.from_public_bytes(bytes.fromhex(str(message["x25519"])))
        shared = private.exchange(theirs)
    except ValueError as error:
        raise WireError("not what a table asks with") from error
    nonce = secrets.token_bytes(_NONCE)
    text = json.dumps(details, ensure_ascii=False).encode()
    sealed = ChaCha20Poly1305(_key(shared, k, asked, public)).encrypt(nonce, text, None)
    return {"x25519": public, "sealed": (nonce + sealed).hex()}


def _asked(code: str, key: str, public: str) -> str:
    return f"{code}\n{key}\n{public}"


def _proof(k: bytes, asked: str) -> str:
    return hmac.new(k, f"table\n{asked}".encode(), hashlib.sha256).hexdigest()


def _signed(asked: str) -> bytes:
    return f"tilewatch enrol\n{asked}\n".encode("utf-8", "replace")


def _key(shared: bytes, k: bytes, asked: str, public: str) -> bytes:
    info = f"tilewatch enrol\n{asked}\n{public}".encode()
    return HKDF(algorithm=hashes.SHA256(), length=32, salt=k, info=info).derive(shared)
