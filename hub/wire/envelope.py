"""Messages besides the log's records: a JSON object, sealed by the sender's key.

On the wire a message is the JSON array ``[body, key, signature]``: ``body`` is the text of a JSON
object, ``key`` the public half of the signer's Ed25519 key and ``signature`` its signature of

    "tilewatch message" LF kind LF venue/table LF key LF SHA-256(body) LF

so that no message passes for one of another kind or of another table. The broker and the network
are trusted with nothing but delivery.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Mapping
from typing import Any, Final, Literal, TypeAlias

from game.events.values import short
from hub.errors import ForgedError, WireError
from hub.wire.topics import Address
from record import strict_json
from record.chain import canonical_json
from record.seals import is_signed_by
from record.signing import TableKey

Kind: TypeAlias = Literal["presence", "facts", "answer", "ack", "request", "want", "joined"]

MAX_MESSAGE: Final = 32 * 1024
"""Bytes of a sealed message at most."""


def seal(kind: Kind, address: Address, body: Mapping[str, Any], key: TableKey) -> bytes:
    """``body`` as a message of this kind, to or from this table."""
    text = canonical_json(body)
    signature = key.sign(_signed(kind, address, key.public, text))
    return json.dumps([text, key.public, signature], ensure_ascii=False).encode()


def unseal(kind: Kind, address: Address, message: bytes, keys: Container[str]) -> dict[str, Any]:
    """The body of a message that one of ``keys`` signed.

    Raises ``WireError``; ``ForgedError`` if nobody of these signed it.
    """
    if len(message) > MAX_MESSAGE:
        raise WireError(f"{kind}: {len(message)} bytes are too many; at most {MAX_MESSAGE}")
    try:
        text, key, signature = strict_json.loads(message)
        if not all(isinstance(part, str) for part in (text, key, signature)):
            raise ValueError("its parts are not texts")
    except (ValueError, TypeError) as error:
        raise WireError(f"{kind}: no sealed message ({short(str(error))})") from error
    if key not in keys:
        raise ForgedError(f"{kind}: signed by an unknown key {short(key[:16])}")
    if not is_signed_by(key, _signed(kind, address, key, text), signature):
        raise ForgedError(f"{kind}: its signature does not hold")
    try:
        body = strict_json.loads(text.encode())
    except ValueError as error:
        raise WireError(f"{kind}: its body cannot be read ({short(str(error))})") from error
    if not isinstance(body, dict):
        raise WireError(f"{kind}: its body is no object")
    return body


def _signed(kind: str, address: Address, key: str, text: str) -> bytes:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"tilewatch message\n{kind}\n{address}\n{key}\n{digest}\n".encode()
