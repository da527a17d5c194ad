"""Letting tables in, and keeping them out: codes, credentials and revocation at the hub."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hub import handshake
from hub.access import hashed, new_password
from hub.errors import HubError, WireError
from hub.handshake import EnrolCode
from hub.store import HubStore
from hub.topics import checked_name

CODE_S: Final = 900.0
"""A code is good for so long, and for one table."""

_TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class Told:
    """What a table is told of its hub besides its own credential."""

    venue: str
    host: str
    port: int
    ca: str
    """The authority's certificate, in PEM."""
    hub_key: str


def new_code(
    store: HubStore, table_id: str, name: str, wall_ns: Callable[[], int] = time.time_ns
) -> EnrolCode:
    """A code for one table, which is to be called so. Raises ``HubError``."""
    checked_name(table_id, "table")
    name = " ".join(name.split())
    if not 0 < len(name) <= 80 or not name.isprintable():
        raise HubError("a table's name has 1 to 80 characters that can be printed")
    code = EnrolCode.new()
    now = wall_ns()
    with store.write() as connection:
        connection.execute(
            "DELETE FROM codes WHERE expires_ns < ? OR table_id = ?", (now, table_id)
        )
        connection.execute(
            "INSERT INTO codes (id, verifier, table_id, name, expires_ns) VALUES (?,?,?,?,?)",
            (code.name, code.key().hex(), table_id, name, now + int(CODE_S * 1e9)),
        )
    return code


def redeem(
    store: HubStore,
    told: Told,
    message: Mapping[str, Any],
    wall_ns: Callable[[], int] = time.time_ns,
) -> tuple[str, dict[str, str]]:
    """A table asks to be let in: its id, and the answer. The broker is told of it by the caller.

    Raises ``WireError`` for what is refused, without a word on which of the reasons it was.
    """
    code, key = handshake.asks(message)
    rows = store.read(
        "SELECT verifier, table_id, name FROM codes WHERE id = ? AND expires_ns > ? AND tries < ?",
        (code, wall_ns(), _TRIES),
    )
    refused = "this code is wrong, used or out of date; make a new one on the director's desk"
    if not rows:
        raise WireError(refused)
    verifier, table_id, name = rows[0]
    with store.write() as connection:
        connection.execute("UPDATE codes SET tries = tries + 1 WHERE id = ?", (code,))
    password = new_password()
    answer = handshake.answer(
        bytes.fromhex(verifier),
        message,
        {
            "venue": told.venue,
            "table": table_id,
            "name": name,
            "host": told.host,
            "port": told.port,
            "ca": told.ca,
            "hub_key": told.hub_key,
            "password": password,
        },
    )
    if answer is None:
        raise WireError(refused)
    with store.write() as connection:
        if connection.execute("DELETE FROM codes WHERE id = ?", (code,)).rowcount != 1:
            raise WireError(refused)
    store.enrol(table_id, name, key, hashed(password))
    return table_id, answer


def revoke(store: HubStore, table_id: str, why: str) -> None:
    """Keep a table out from now on; its log stays. Raises ``HubError``."""
    _known(store, table_id)
    store.revoke(table_id, why)
    store.note(table_id, "revoked", why)


def readmit(store: HubStore, table_id: str) -> None:
    """Let a table in again with the credential that it has. Raises ``HubError``."""
    _known(store, table_id)
    store.revoke(table_id, None)
    store.note(table_id, "readmitted", "let in again")


def _known(store: HubStore, table_id: str) -> None:
    known = store.enrolled()
    if table_id not in known:
        raise HubError(
            f"there is no table {table_id[:40]!r} here; there are "
            f"{', '.join(known) if known else 'none'}"
        )
