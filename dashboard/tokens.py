"""Read-only tokens: for overlays and programs that cannot log in.

A token is a random text, shown once when it is made; ``web.db`` keeps only its SHA-256. A plain
SHA-256 is enough, because the token is random and cannot be guessed. Clients send the token as
``Authorization: Bearer …``; those that can only be given a URL send ``?token=…``. No token can
change anything. Withdrawing one takes effect with the next request, and ends the streams that were
opened with it.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias, get_args

from flask import abort, request
from pydantic import ConfigDict

from dashboard.parts import find
from dashboard.web_db import WebDb, WebError
from game.errors import TilewatchError
from game.schema import Audience

Scope: TypeAlias = Literal["public", "overlay", "director-read"]

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)

MAY_SEE: Final[dict[Scope, frozenset[Audience]]] = {
    "public": frozenset({"public"}),
    "overlay": frozenset({"public", "broadcast"}),
    "director-read": frozenset({"public", "player", "broadcast", "director"}),
}
"""The audiences that each scope opens."""

LONGEST_NAME: Final = 80

_PREFIX: Final = "tw"
_TOUCH_S: Final = 3600
"""The least time between two writes of the last use: a token is used many times a second."""

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS tokens (
    id TEXT PRIMARY KEY,
    hash BLOB NOT NULL,
    name TEXT NOT NULL,
    scope TEXT NOT NULL,
    table_id TEXT,
    made_by TEXT NOT NULL,
    made_s INTEGER NOT NULL,
    used_s INTEGER
) STRICT
"""


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is listed; its text is known to its holder alone. Times are in Unix seconds."""

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    id: str
    name: str
    scope: Scope
    table: str | None
    """The one table that the token opens; None for all tables."""
    made_by: str
    made_s: int
    used_s: int | None
    """When the token was last used, to the hour; None if never."""

    def opens(self, audience: Audience, table_id: str | None) -> bool:
        """True if it opens this audience's view of this table."""
        return audience in MAY_SEE[self.scope] and self.table in (None, table_id)


class Tokens:
    """The tokens of a data folder. Safe to use from any thread."""

    def __init__(self, db: WebDb, now: Callable[[], float] = time.time) -> None:
        self._db, self._now = db, now
        db.prepare(_TABLE)

    def make(
        self, name: str, scope: Scope, *, by: str, table: str | None = None
    ) -> tuple[Token, str]:
        """Return a new token and its text, which is shown only now. Raises ``TilewatchError``."""
        name = " ".join(name.split())
        if not 0 < len(name) <= LONGEST_NAME:
            raise TilewatchError(f"name: say what the token is for, in 1 to {LONGEST_NAME} letters")
        if scope not in SCOPES:
            raise TilewatchError(f"scope: {scope!r} is none of {', '.join(SCOPES)}")
        token_id, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
        token = Token(token_id, name, scope, table, by, int(self._now()), None)
        with self._db.change() as change:
            change.execute(
                "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
                (token.id, _hash(secret), name, scope, table, by, token.made_s),
            )
        return token, f"{_PREFIX}_{token_id}_{secret}"

    def all(self) -> list[Token]:
        """Return every token, oldest first."""
        return [
            Token(*row)
            for row in self._db.rows(
                "SELECT id, name, scope, table_id, made_by, made_s, used_s FROM tokens"
                " ORDER BY made_s, rowid"
            )
        ]

    def withdraw(self, token_id: str) -> bool:
        """End a token; return True if there was one."""
        with self._db.change() as change:
            return change.execute("DELETE FROM tokens WHERE id = ?", (token_id,)).rowcount > 0

    def valid(self, token_id: str) -> bool:
        """True if the token has not been withdrawn."""
        return bool(self._db.rows("SELECT 1 FROM tokens WHERE id = ?", (token_id,)))

    def check(self, text: str) -> Token | None:
        """Return the token with this text; ``None`` if there is none."""
        prefix, _, rest = text.partition("_")
        token_id, _, secret = rest.partition("_")
        if prefix != _PREFIX or not secret.isascii():
            return None
        rows = self._db.rows(
            "SELECT hash, id, name, scope, table_id, made_by, made_s, used_s FROM tokens"
            " WHERE id = ?",
            (token_id,),
        )
        if not rows or not hmac.compare_digest(rows[0][0], _hash(secret)):
            return None
        token = Token(*rows[0][1:])
        now = int(self._now())
        if token.used_s is None or now - token.used_s >= _TOUCH_S:
            # A full disk is no reason to turn an overlay away.
            with contextlib.suppress(WebError), self._db.change() as change:
                change.execute("UPDATE tokens SET used_s = ? WHERE id = ?", (now, token.id))
        return token


def presented() -> Token | None:
    """Return the token of the current request; ``None`` if the request has none.

    An unknown or withdrawn token ends the request with a 401, so that its holder notices and is not
    silently shown the public's view.
    """
    header = request.headers.get("Authorization", "")
    kind, _, text = header.partition(" ")
    if kind.lower() != "bearer":
        text = request.args.get("token", "")
    if not text:
        return None
    kept = find(Tokens)
    token = kept.check(text.strip()) if kept is not None else None
    if token is None:
        abort(401, description="This token is not known here; it may have been withdrawn.")
    return token


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
