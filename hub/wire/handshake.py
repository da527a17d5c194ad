"""The key exchange by which a table and its hub trust each other, given a short code: SPAKE2.

The code is shown on the director's desk and typed in (or scanned) at the table: twelve letters and
digits, of which four name it and eight are the password. SPAKE2 (RFC 9382, in the group of Ed25519,
by the package ``spake2``) makes a common key of it. Whoever listens learns nothing to try passwords
on, then or later, and whoever takes part without the password has one guess for each exchange. Both
ends confirm the key, the table first, so that a hub has seen every guess before it answers to one:

    table  code's name, table's key, A, signature      A, B: the elements of SPAKE2
    hub    name of the exchange, B
    table  name of the exchange, HMAC-SHA256(table's confirmation key, transcript)
    hub    HMAC-SHA256(hub's confirmation key, transcript), ChaCha20-Poly1305(sealing key, JSON)

    K          = SPAKE2(password, "tilewatch table " + table's key, "tilewatch hub")
    transcript = code's name LF table's key LF A LF B, all in text
    the keys   = HKDF-SHA256(K, info = "tilewatch enrol"), 32 bytes each in the order of their use
    signature  = Ed25519 by the table's key of "tilewatch enrol" LF code's name LF key LF A

Each sealing key is used once, so the nonce is zero.
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
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from pydantic import Field
from spake2 import SPAKE2_A, SPAKE2_B, SPAKEError

from hub.errors import HubError, WireError
from hub.wire.messages import Body, parsed
from record import strict_json
from record.seals import is_signed_by
from record.signing import TableKey

_LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_MISREAD: Final = str.maketrans({"I": "1", "L": "1", "O": "0"})
_NAME: Final = 4
_PASSWORD: Final = 8
_ONCE: Final = bytes(12)
_HUB: Final = b"tilewatch hub"
_NOT_THE_HUB: Final = "the answer does not come from the hub that made the code"


class Opening(Body):
    """The table's first message."""

    code: str = Field(pattern=f"^[{_LETTERS}]{{{_NAME}}}$")
    key: str = Field(pattern="^[0-9a-f]{64}$")
    element: str = Field(pattern="^[0-9a-f]{66}$")
    signature: str = Field(pattern="^[0-9a-f]{128}$")


class Reply(Body):
    """The hub's answer to it."""

    exchange: str = Field(pattern="^[0-9a-f]{32}$")
    element: str = Field(pattern="^[0-9a-f]{66}$")


class Confirmation(Body):
    """The table's second message."""

    exchange: str = Field(pattern="^[0-9a-f]{32}$")
    confirmation: str = Field(pattern="^[0-9a-f]{64}$")


class Admission(Body):
    """The hub's answer to that, with everything a table has to know."""

    confirmation: str = Field(pattern="^[0-9a-f]{64}$")
    sealed: str = Field(pattern="^([0-9a-f]{2})+$")


@dataclass(frozen=True, slots=True)
class EnrolCode:
    """A code as both ends know it."""

    name: str
    password: str

    @classmethod
    def new(cls) -> EnrolCode:
        """A new random code."""
        text = "".join(secrets.choice(_LETTERS) for _ in range(_NAME + _PASSWORD))
        return cls(text[:_NAME], text[_NAME:])

    @classmethod
    def parse(cls, written: str) -> EnrolCode:
        """The code as somebody typed it. Raises ``HubError`` when it is none."""
        plain = re.sub(r"[\s-]", "", written.upper()).translate(_MISREAD)
        if len(plain) != _NAME + _PASSWORD or any(letter not in _LETTERS for letter in plain):
            raise HubError(
                f"{written[:40]!r} is no code: it has twelve letters and digits, "
                "like K7QM-2D9F-XW3T, and stands on the director's desk"
            )
        return cls(plain[:_NAME], plain[_NAME:])

    def __str__(self) -> str:
        text = self.name + self.password
        return "-".join(text[at : at + 4] for at in range(0, len(text), 4))


class _Keys:
    """The keys that both ends of an exchange derive, and what they are used for."""

    def __init__(self, shared: bytes, *transcript: str) -> None:
        derived = HKDF(hashes.SHA256(), length=96, salt=None, info=b"tilewatch enrol").derive(
            shared
        )
        text = "\n".join(transcript).encode()
        self.of_table, self.of_hub = (
            hmac.new(key, text, hashlib.sha256).hexdigest()
            for key in (derived[:32], derived[32:64])
        )
        """The confirmation that each end sends."""
        self.cipher = ChaCha20Poly1305(derived[64:])


class TableExchange:
    """The table's end."""

    def __init__(self, code: EnrolCode, key: TableKey) -> None:
        self._spake = SPAKE2_A(code.password.encode(), _table(key.public), _HUB)
        self._asked = code.name, key.public, self._spake.start().hex()
        signature = key.sign(_signed(*self._asked))
        self._keys: _Keys | None = None
        self.opening = dict(zip(Opening.model_fields, (*self._asked, signature), strict=True))
        """The first message to the hub, as JSON."""

    def confirm(self, answer: Mapping[str, Any]) -> dict[str, str]:
        """The second message, given the hub's answer to the first. Raises ``WireError``."""
        reply = parsed(Reply, answer, "the hub's answer cannot be understood")
        shared = _finished(self._spake, reply.element)
        self._keys = _Keys(shared, *self._asked, reply.element)
        return {"exchange": reply.exchange, "confirmation": self._keys.of_table}

    def read(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Return the hub's details, from its answer to the second message.

        Raises ``WireError`` when it is not by who made the code.
        """
        assert self._keys is not None
        admission = parsed(Admission, answer, _NOT_THE_HUB)
        if not hmac.compare_digest(self._keys.of_hub, admission.confirmation):
            raise WireError(_NOT_THE_HUB)
        try:
            text = self._keys.cipher.decrypt(_ONCE, bytes.fromhex(admission.sealed), None)
            details = strict_json.loads(text)
        except (InvalidTag, ValueError) as error:
            raise WireError(_NOT_THE_HUB) from error
        if not isinstance(details, dict):
            raise WireError(_NOT_THE_HUB)
        return details


class HubExchange:
    """The hub's end."""

    def __init__(self, password: str, opening: Opening) -> None:
        """Begin an exchange. Raises ``WireError`` if the opening has no valid element."""
        spake = SPAKE2_B(password.encode(), _table(opening.key), _HUB)
        element = spake.start().hex()
        shared = _finished(spake, opening.element)
        self._keys = _Keys(shared, opening.code, opening.key, opening.element, element)
        self.reply = {"exchange": secrets.token_hex(16), "element": element}
        """The answer to the table's first message, as JSON."""

    def is_confirmed_by(self, message: Confirmation) -> bool:
        """Return True if the message proves that the table has the password."""
        return hmac.compare_digest(self._keys.of_table, message.confirmation)

    def admission(self, details: Mapping[str, Any]) -> dict[str, str]:
        """The answer to a message that confirms the key. To be called once."""
        text = json.dumps(details, ensure_ascii=False).encode()
        sealed = self._keys.cipher.encrypt(_ONCE, text, None)
        return {"confirmation": self._keys.of_hub, "sealed": sealed.hex()}


def check_signature(opening: Opening) -> None:
    """Raise ``WireError`` if the table does not hold the key that it names."""
    signed = _signed(opening.code, opening.key, opening.element)
    if not is_signed_by(opening.key, signed, opening.signature):
        raise WireError("the table does not hold the key that it names")


def _table(key: str) -> bytes:
    return b"tilewatch table " + key.encode()


def _finished(spake: SPAKE2_A | SPAKE2_B, element: str) -> bytes:
    try:
        shared: bytes = spake.finish(bytes.fromhex(element))
    except (SPAKEError, ValueError) as error:
        raise WireError("no element of a key exchange") from error
    return shared


def _signed(code: str, key: str, element: str) -> bytes:
    return f"tilewatch enrol\n{code}\n{key}\n{element}\n".encode()
