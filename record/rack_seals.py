"""The seals on what is seen on racks: commit first, reveal after the game.

A game's key seals its racks (:mod:`record.opened_racks`). The event that commits to the key also
has it sealed to the X25519 key of the broadcast role; a later event opens it. The tiles of every
sighting are padded to one length.
"""

from __future__ import annotations

import base64
import json
import os
from typing import TYPE_CHECKING, Any, Final

from record.opened_racks import NONCE, rack_content, unsealed

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

PADDED: Final = 384
"""The bytes of every sealed text before it is sealed."""


def rack_seal(key: bytes, place: str, content: dict[str, Any]) -> str:
    """Return what was seen on a rack, sealed by a game's key, in base 64.

    Args:
        key: 32 bytes.
        place: what the seal is bound to (``record.opened_racks.rack_place``).
        content: ``tiles`` (symbols from left to right, ``?`` for a blank) and ``confidence`` (of
            each tile, 0 to 1).

    Raises:
        ValueError: the content is too long.
    """
    text = json.dumps(content, separators=(",", ":")).encode()
    if len(text) > PADDED:
        raise ValueError(f"{len(text)} bytes are too many for a rack")
    return _sealed(key, text.ljust(PADDED), place)


def rack_unseal(key: bytes, place: str, sealed: str) -> dict[str, Any]:
    """Return what :func:`rack_seal` was given.

    Raises ``ValueError`` if the key or the place differs, or no rack was sealed.
    """
    return rack_content(unsealed(key, sealed, place))


def key_sealed_to(recipient: str, key: bytes, game_id: str) -> str:
    """Return a game's key, sealed to a public X25519 key (64 hexadecimal digits), in base 64."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import (  # noqa: PLC0415
        X25519PrivateKey,
        X25519PublicKey,
    )

    once = X25519PrivateKey.generate()
    shared = once.exchange(X25519PublicKey.from_public_bytes(bytes.fromhex(recipient)))
    public = once.public_key().public_bytes_raw()
    sealed = _sealed(_derived(shared, public.hex() + recipient), key, game_id)
    return base64.b64encode(public + base64.b64decode(sealed)).decode()


def key_unsealed(private: X25519PrivateKey, sealed: str, game_id: str) -> bytes:
    """Return the key that :func:`key_sealed_to` was given.

    Raises ``ValueError`` if it was sealed to another key or for another game.
    """
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey  # noqa: PLC0415

    content = base64.b64decode(sealed)
    public, rest = content[:32], base64.b64encode(content[32:]).decode()
    shared = private.exchange(X25519PublicKey.from_public_bytes(public))
    recipient = private.public_key().public_bytes_raw().hex()
    return unsealed(_derived(shared, public.hex() + recipient), rest, game_id)


def _derived(shared: bytes, keys: str) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415

    return HKDF(SHA256(), 32, None, f"tilewatch racks\n{keys}".encode()).derive(shared)


def _sealed(key: bytes, text: bytes, place: str) -> str:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

    nonce = os.urandom(NONCE)
    return base64.b64encode(nonce + AESGCM(key).encrypt(nonce, text, place.encode())).decode()
