"""Letting tables in, and keeping them out: codes, credentials and revocation at the hub.

Who asks to be let in is looked at in stages, and each is limited by itself, so that nobody uses up
what an honest table needs:

1. *Form and signature.* What is no message of a table's, or is not signed by the key that it names,
   is refused. It takes nothing from anybody, however much of it comes.
2. *The code's name.* A name that no open code has is refused just so.
3. *The secret.* A wrong one is a guess. :data:`GUESSES_BY_SOURCE` guesses at one code are listened
   to from one source (an IPv4 address, or the /64 network of an IPv6 one); then that source is not
   listened to about that code any more, and every other one still is. :data:`GUESSES` are listened
   to in all; then the code is void, for the secret has 40 bits and no more.

So one code is guessed with a chance of at most 10,000 in 2^40, one in 110 million, by however many
addresses, in the quarter of an hour for which it is good; to void it takes 2,000 addresses. The
number of all guesses is on the disk and outlasts a restart of the hub, that by source does not.
Who shares an address with somebody who guesses (behind a proxy that is not named in ``hub.toml``)
is kept from that code with them; the director makes another.
"""

from __future__ import annotations

import ipaddress
import threading
import time
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hub.broker.access import hash_password, new_password
from hub.enrolment import handshake
from hub.enrolment.handshake import EnrolCode
from hub.errors import GuessError, HubError, WireError
from hub.store import HubStore
from hub.wire.topics import checked_name

CODE_S: Final = 900.0
"""A code is good for so long, and for one table."""

GUESSES_BY_SOURCE: Final = 5
"""Attempts at one code from one source."""

GUESSES: Final = 10_000
"""Attempts at one code in all."""

_NEW_CODE: Final = "make a new one on the director's desk"
_REFUSED: Final = f"this code is wrong, used or out of date; {_NEW_CODE}"


@dataclass(frozen=True, slots=True)
class HubDetails:
    """What a table needs to reach its hub, besides its own credential."""

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


class Guesses:
    """Counts by source who tries a code. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, dict[str, int]] = {}
        """By the name of the code, then by source: of open codes alone."""

    def begin(self, code: str, source: str, open_codes: Container[str]) -> bool:
        """Count an attempt at a code; False where this source has had all of its own.

        It counts before it is looked at, so that many at once are counted too.
        """
        with self._lock:
            for old in [name for name in self._counts if name not in open_codes]:
                del self._counts[old]
            counts = self._counts.setdefault(code, {})
            count = counts.get(source, 0)
            if count >= GUESSES_BY_SOURCE:
                return False
            counts[source] = count + 1
            return True


def source_of_address(address: str) -> str:
    """Whom an address stands for: itself, or the network of an IPv6 one, which a host may change.

    What is no address stands for itself.
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))


def redeem(
    store: HubStore,
    details: HubDetails,
    message: Mapping[str, Any],
    *,
    guesses: Guesses,
    source: str,
    wall_ns: Callable[[], int] = time.time_ns,
) -> tuple[str, dict[str, str]]:
    """A table asks to be let in: its id, and the answer. The broker is told of it by the caller.

    ``source`` is from where it asks (:func:`source_of_address`). Raises ``WireError`` for what is
    refused, without a word on which of the reasons it was; ``GuessError`` for a wrong secret, and
    where this source or all together have guessed too often.
    """
    code, key = handshake.checked_request(message)
    verifier, table_id, name = _begin(store, code, guesses, source, wall_ns())
    password = new_password()
    answer = handshake.answer(
        bytes.fromhex(verifier),
        message,
        {
            "venue": details.venue,
            "table": table_id,
            "name": name,
            "host": details.host,
            "port": details.port,
            "ca": details.ca,
            "hub_key": details.hub_key,
            "password": password,
        },
    )
    if answer is None:
        raise GuessError(_REFUSED, table_id)
    with store.write() as connection:
        if connection.execute("DELETE FROM codes WHERE id = ?", (code,)).rowcount != 1:
            raise WireError(_REFUSED)
    store.enrol(table_id, name, key, hash_password(password))
    return table_id, answer


def _begin(
    store: HubStore, code: str, guesses: Guesses, source: str, now_ns: int
) -> tuple[str, str, str]:
    """Count an attempt at an open code: its verifier, table and name. Raises ``WireError``."""
    rows = store.read(
        "SELECT id, verifier, table_id, name, tries FROM codes WHERE expires_ns > ?", (now_ns,)
    )
    found = next((row[1:] for row in rows if row[0] == code), None)
    if found is None:
        raise WireError(_REFUSED)
    verifier, table_id, name, tries = found
    if tries >= GUESSES:
        raise GuessError(
            f"this code was guessed at too often; {_NEW_CODE}", table_id, too_often=True
        )
    if not guesses.begin(code, source, {row[0] for row in rows}):
        line = f"this code was wrong too often from your address; {_NEW_CODE}"
        raise GuessError(line, table_id, too_often=True)
    with store.write() as connection:
        counted = connection.execute(
            "UPDATE codes SET tries = tries + 1 WHERE id = ? AND tries < ?", (code, GUESSES)
        )
        if counted.rowcount != 1:
            raise WireError(_REFUSED)
    return verifier, table_id, name


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
