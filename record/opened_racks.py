"""The racks of a game whose key was opened, as its events prove them.

The tiles of a sighting are sealed with AES-GCM by a key of the game's own, 32 bytes to which an
earlier event commits by their SHA-256. A seal is bound to its game, side and time. Every bundle
carries the verifier with this module, so it imports nothing of tilewatch.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

NONCE: Final = 12
_FIELDS: Final = ("tiles", "confidence")


def opened_racks(
    game_id: str, payloads: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield what each rack's event shows, or a fault, by the number of the event, from 1.

    Racks whose key was not opened are left out.
    """
    events = list(enumerate(payloads, start=1))
    keys = [bytes.fromhex(one["key"]) for _, one in events if one["type"] == "RacksOpened"]
    opened = {commitment(key): key for key in keys}
    committed: list[str] = []
    for number, one in events:
        if one["type"] == "RacksSealed":
            committed.append(one["commitment"])
        elif one["type"] == "RacksOpened":
            if commitment(bytes.fromhex(one["key"])) not in committed:
                yield number, "opens racks by a key that no event had committed to"
        elif one["type"] == "RackSeen" and committed and committed[-1] in opened:
            place = rack_place(game_id, one["side"], one["t_ns"])
            try:
                yield number, rack_content(unsealed(opened[committed[-1]], one["sealed"], place))
            except ValueError:
                yield number, "the key that its game opened does not open this rack"


def rack_place(game_id: str, side: str, t_ns: int) -> str:
    """Return the place that a rack's seal is bound to."""
    return f"tilewatch rack\n{game_id}\n{side}\n{t_ns}\n"


def rack_content(text: bytes) -> dict[str, Any]:
    """Return ``tiles`` and ``confidence`` of a rack's JSON; ``ValueError`` if it is no rack's."""
    try:
        content = json.loads(text)
    except RecursionError:
        content = None
    tiles, sure = map(content.get, _FIELDS) if isinstance(content, dict) else (None, None)
    if not isinstance(tiles, str) or not isinstance(sure, list):
        raise ValueError("holds no rack")
    if not all(type(one) in (int, float) and 0 <= one <= 1 for one in sure):
        raise ValueError("a tile's confidence is no probability")
    return {"tiles": tiles, "confidence": sure}


def commitment(key: bytes) -> str:
    """Return the hash by which an event commits to a key."""
    return hashlib.sha256(key).hexdigest()


def unsealed(key: bytes, sealed: str, place: str) -> bytes:
    """Return what was sealed, given in base 64; ``ValueError`` if the key or the place differs."""
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

    content = base64.b64decode(sealed)
    try:
        return AESGCM(key).decrypt(content[:NONCE], content[NONCE:], place.encode())
    except InvalidTag:
        raise ValueError("the key does not open it") from None
