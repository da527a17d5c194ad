"""Passwords: what may be one, and how it is kept (argon2id, RFC 9106)."""

from __future__ import annotations

import contextlib
import secrets
import threading
import unicodedata
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from game.errors import TilewatchError

SHORTEST: Final = 10
LONGEST: Final = 200

_HASHER: Final = PasswordHasher(time_cost=3, memory_cost=32 * 1024, parallelism=1)
"""32 MiB and three passes: about a tenth of a second, on a Pi half of one."""

_ONE_AT_A_TIME: Final = threading.Lock()
"""So that many attempts at once cost time, never memory."""

_ONE_TRUSTED_AT_A_TIME: Final = threading.Lock()
"""Known devices have a queue of their own, however long the strangers' queue is."""

_NOBODY: Final = _HASHER.hash(secrets.token_hex(16))
"""The hash to compare with if there is no such account, so that the check takes as long."""

_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"


def check_password(password: str, name: str) -> None:
    """Refuse a password that is easily guessed. Raises ``TilewatchError``."""
    if len(password) < SHORTEST:
        raise TilewatchError(f"the password is too short; use {SHORTEST} characters or more")
    if len(password) > LONGEST:
        raise TilewatchError(f"the password is too long; use {LONGEST} characters or fewer")
    if len(set(password)) < 4 or password.casefold() == name.casefold():
        raise TilewatchError("the password is too easily guessed; use another")


def hashed(password: str) -> str:
    """The stored form of a password."""
    with _ONE_AT_A_TIME:
        return _HASHER.hash(_plain(password))


def matches(kept: str | None, password: str, *, trusted: bool = False) -> bool:
    """True if this is the password; ``None`` (no such account) takes as long and is never right.

    A ``trusted`` attempt does not wait for those of strangers.
    """
    line = _ONE_TRUSTED_AT_A_TIME if trusted else _ONE_AT_A_TIME
    with line, contextlib.suppress(VerificationError, InvalidHashError):
        return _HASHER.verify(kept or _NOBODY, _plain(password)) and kept is not None
    return False


def outdated(kept: str) -> bool:
    """True if the hash was made with other costs than today's, and should be made again."""
    return _HASHER.check_needs_rehash(kept)


def random_password() -> str:
    """A password to be typed once: four groups of four, 79 bits."""
    groups = ("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(4))
    return "-".join(groups)


def _plain(password: str) -> str:
    # The same letters, whichever keyboard wrote them. Beyond the longest, nothing is hashed.
    return unicodedata.normalize("NFKC", password[: LONGEST + 1])
