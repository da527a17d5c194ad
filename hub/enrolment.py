"""Enrolment and revocation of tables at the hub: codes and credentials.

A request for enrolment is checked in stages, each with its own limit, so that an attacker cannot
use up what an honest table needs:

1. *Form and signature.* A message of another form, or not signed by the key that it names, is
   refused. Any number of these does no harm.
2. *The code's name.* A name that no open code has is refused in the same way.
3. *The password.* Every exchange is one guess. One source (an IPv4 address, or the /64 network of
   an IPv6 one) may begin :data:`GUESSES_BY_SOURCE` exchanges about one code; after that it is
   refused for that code, and other sources are not. All sources together may begin
   :data:`GUESSES`; after that the code is void, since the password has only 40 bits.

So the chance to guess a code in the quarter of an hour for which it is valid is at most 10,000 in
2^40, one in 110 million, with any number of addresses; to void it takes 2,000 addresses. The number
of all guesses is on the disk and survives a restart of the hub; the numbers by source do not. A
table that shares its address with an attacker (behind a proxy that is not named in ``hub.toml``) is
refused together with it; the director then makes another code.
"""

from __future__ import annotations

import ipaddress
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from hub.broker.access import hash_password, new_password
from hub.errors import GuessError, HubError, WireError
from hub.store import REVOKED, HubStore
from hub.wire.handshake import (
    Confirmation,
    EnrolCode,
    HubExchange,
    Opening,
    check_signature,
)
from hub.wire.messages import checked_name, parsed

MAX_NAME: Final = 80
"""The most characters of a table's name."""

CODE_S: Final = 900.0
"""The seconds for which a code, which admits one table, is valid."""

EXCHANGE_S: Final = 60.0
"""The seconds within which the table must confirm the key; after that it must begin again."""

GUESSES_BY_SOURCE: Final = 5
"""The most attempts at one code from one source."""

GUESSES: Final = 10_000
"""The most attempts at one code from all sources."""

_NEW_CODE: Final = "make a new one on the director's desk"
_REFUSED: Final = f"this code is wrong, used or out of date; {_NEW_CODE}"
_NO_TABLES: Final = "not what a table asks with; is it of another version?"


@dataclass(frozen=True, slots=True)
class HubDetails:
    """The data that a table needs to reach its hub, besides its own credential."""

    venue: str
    host: str
    port: int
    ca: str
    """The authority's certificate, in PEM."""
    hub_key: str


@dataclass(frozen=True, slots=True)
class _OpenCode:
    """A valid code in the store."""

    name: str
    password: str
    table_id: str
    table_name: str
    tries: int


@dataclass(frozen=True, slots=True)
class _Begun:
    """An exchange that waits for the table to confirm its key."""

    exchange: HubExchange
    code: _OpenCode
    key: str
    until_ns: int


def new_code(
    store: HubStore, table_id: str, name: str, wall_ns: Callable[[], int] = time.time_ns
) -> EnrolCode:
    """Make, store and return a code that admits one table, by this name. Raises ``HubError``."""
    checked_name(table_id, "table")
    name = " ".join(name.split())
    if not 0 < len(name) <= MAX_NAME or not name.isprintable():
        raise HubError(f"a table's name has 1 to {MAX_NAME} characters that can be printed")
    code = EnrolCode.new()
    now = wall_ns()
    with store.write() as connection:
        connection.execute(
            "DELETE FROM codes WHERE expires_ns < ? OR table_id = ?", (now, table_id)
        )
        connection.execute(
            "INSERT INTO codes (id, verifier, table_id, name, expires_ns) VALUES (?,?,?,?,?)",
            (code.name, code.password, table_id, name, now + int(CODE_S * 1e9)),
        )
    return code


def source_of_address(address: str) -> str:
    """Return the source under which guesses from an address are counted.

    It is the IPv4 address, or the /64 network of an IPv6 one, since a host may change its address
    within that network. A text that is no address is returned unchanged.
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    if found.is_loopback:
        return str(found)
    return str(ipaddress.ip_network((found, 64), strict=False))


class Enrolment:
    """Enrols the tables that have a code. Safe to use from any thread."""

    def __init__(
        self,
        store: HubStore,
        details: Callable[[str], HubDetails],
        admit: Callable[[str, str], None],
        wall_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """``details`` returns the hub's details for a table at a source address.

        ``admit`` lets an enrolled table, by id and password, connect to the broker. Both may raise
        ``HubError``.
        """
        self._store, self._details, self._admit, self._wall_ns = store, details, admit, wall_ns
        self._lock = threading.Lock()
        self._enrolling = threading.Lock()
        self._counts: dict[str, dict[str, int]] = {}
        """The attempts at open codes, by the name of the code, then by source."""
        self._begun: dict[str, _Begun] = {}
        """The begun exchanges by name; there are at most as many as counted attempts."""

    def answer(self, message: Mapping[str, Any], source: str) -> dict[str, str]:
        """Return the answer to either of a table's two messages.

        ``source`` is the table's source (:func:`source_of_address`). Raises ``WireError`` for a
        refused message, without naming the reason; ``GuessError`` for a wrong password, or if this
        source or all sources together have guessed too often.
        """
        if "exchange" in message:
            return self._finish(parsed(Confirmation, message, _NO_TABLES), source)
        opening = parsed(Opening, message, _NO_TABLES)
        check_signature(opening)
        return self._begin(opening, source)

    def _begin(self, opening: Opening, source: str) -> dict[str, str]:
        now = self._wall_ns()
        codes = self._open_codes(now)
        code = codes.get(opening.code)
        if code is None:
            raise WireError(_REFUSED)
        if code.tries >= GUESSES:
            raise GuessError(
                f"this code was guessed at too often; {_NEW_CODE}", code.table_id, too_often=True
            )
        # It counts before it is looked at, so that many at once are counted too.
        with self._lock:
            self._counts = {name: self._counts.get(name, {}) for name in codes}
            self._begun = {
                id_: one
                for id_, one in self._begun.items()
                if one.until_ns > now and one.code.name in codes
            }
            counts = self._counts[code.name]
            counts[source] = count = counts.get(source, 0) + 1
        if count > GUESSES_BY_SOURCE:
            line = f"this code was wrong too often from your address; {_NEW_CODE}"
            raise GuessError(line, code.table_id, too_often=True)
        with self._store.write() as connection:
            counted = connection.execute(
                "UPDATE codes SET tries = tries + 1 WHERE id = ? AND tries < ?",
                (code.name, GUESSES),
            )
            if counted.rowcount != 1:
                raise WireError(_REFUSED)
        exchange = HubExchange(code.password, opening)
        with self._lock:
            self._begun[exchange.reply["exchange"]] = _Begun(
                exchange, code, opening.key, now + int(EXCHANGE_S * 1e9)
            )
        return exchange.reply

    def _finish(self, message: Confirmation, source: str) -> dict[str, str]:
        with self._lock:
            begun = self._begun.pop(message.exchange, None)  # there is one try
        if begun is None or begun.until_ns < self._wall_ns():
            raise WireError(_REFUSED)
        code = begun.code
        if not begun.exchange.is_confirmed_by(message):
            raise GuessError(_REFUSED, code.table_id)
        password = new_password()
        with self._enrolling:
            if code.name not in self._open_codes(self._wall_ns()):
                raise WireError(_REFUSED)
            details = asdict(self._details(source))
            self._store.enrol(code.table_id, code.table_name, begun.key, hash_password(password))
            self._admit(code.table_id, password)
            with self._store.write() as connection:
                connection.execute("DELETE FROM codes WHERE id = ?", (code.name,))
        self._store.note(code.table_id, "enrolled", f"from {source}")
        return begun.exchange.admission(
            {**details, "table": code.table_id, "name": code.table_name, "password": password}
        )

    def _open_codes(self, now_ns: int) -> dict[str, _OpenCode]:
        rows = self._store.read(
            "SELECT id, verifier, table_id, name, tries FROM codes WHERE expires_ns > ?", (now_ns,)
        )
        return {row[0]: _OpenCode(*row) for row in rows}


def revoke_table(store: HubStore, table_id: str, why: str) -> None:
    """Revoke a table's access from now on; its log stays. Raises ``HubError``."""
    _known(store, table_id)
    store.revoke(table_id, why)
    store.note(table_id, REVOKED, why)


def readmit_table(store: HubStore, table_id: str) -> None:
    """Admit a revoked table again with its present credentials. Raises ``HubError``."""
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
