"""A table's connection to its hub: outbox, request handler and picture chunks together.

The file ``hub.json`` beside the log, written by ``tilewatch join``, names the hub and holds the
table's credentials. A table without this file has no hub, and a table that has lost its hub plays
on as if there were none.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from game.files import os_error_as, write_file
from game.state.fold import GameState
from game.troubles import make_trouble
from hub.errors import HubError
from hub.repeating import Repeating
from hub.table_side.outbox import Outbox
from hub.table_side.request_handler import RequestHandler
from hub.wire.connection import Broker
from hub.wire.messages import Address, HubMessage, PictureWanted, Request, TableFacts
from hub.wire.picture_chunks import ChunkServer
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.paths import HUB_FILE
from table.desk import TableDesk
from table.views.views import view

FILE: Final = HUB_FILE
CA_FILE: Final = "hub-authority.pem"

PICTURES_KBIT: Final = 4000
"""Bandwidth for pictures, unless hub.json sets another."""


_CHECK_S: Final = 1.0
_PATIENCE_S: Final = 10.0
"""The seconds for which a lost connection is not reported yet."""


class Membership(BaseModel):
    """The way a table reaches its hub: the contents of ``hub.json``."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    venue: str
    table: str
    name: str
    host: str
    port: int
    password: str = Field(repr=False)
    hub_key: str
    pictures_kbit: int = PICTURES_KBIT

    @model_validator(mode="after")
    def _named(self) -> Membership:
        try:
            Address(self.venue, self.table)
        except HubError as error:
            raise ValueError(str(error)) from error
        return self

    def save(self, folder: Path, ca: str) -> None:
        """Save it in the table's data folder, with the authority's certificate, for the owner only.

        Raises ``HubError``.
        """
        text = self.model_dump_json(indent=2) + "\n"
        for path, content in ((folder / CA_FILE, ca), (folder / FILE, text)):
            with os_error_as(HubError, f"{path}: cannot be written"):
                write_file(path, content.encode(), private=True)

    @classmethod
    def load(cls, folder: Path) -> Membership | None:
        """The membership of a table; None if it was never enrolled. Raises ``HubError``."""
        path = folder / FILE
        try:
            return cls.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise HubError(f"{path}: cannot be read ({error.strerror})") from error
        except ValidationError as error:
            raise HubError(
                f"{path}: not what was written at the enrolment; enrol the table again"
            ) from error

    def broker(self, folder: Path) -> Broker:
        """Address and credentials of the hub's broker."""
        return Broker(self.host, self.port, self.table, self.password, folder / CA_FILE)


class HubConnector:
    """Connects a running table with its hub, in threads that never hold up its loop."""

    def __init__(
        self,
        member: Membership,
        folder: Path,
        log: EventLog,
        desk: TableDesk,
        evidence: EvidenceStore,
        *,
        rate: float = 1.0,
        name: str = "",
        game: Callable[[], GameState | None] = lambda: None,
    ) -> None:
        """``folder`` holds the table's data; ``game`` returns the game on the table.

        Raises ``HubError``.
        """
        self.member = member
        self._desk, self._rate, self._name, self._game = desk, rate, name, game
        self.outbox = Outbox(
            log,
            Address(member.venue, member.table),
            member.broker(folder),
            member.hub_key,
            clock=desk.now_ns,
            facts=self._facts,
            heard=self._heard,
        )
        self._watch = Repeating("hub-tie", _CHECK_S, self._watch_link)
        self._wrong_since: float | None = None
        self._requests = RequestHandler(folder, log, desk, self.outbox.send)
        self._chunks = ChunkServer(evidence, self.outbox.send_chunk, member.pictures_kbit * 125.0)

    def start(self) -> None:
        """Connect."""
        self._requests.start()
        self._chunks.start()
        self.outbox.start()
        self._watch.start()

    def stop(self) -> None:
        """Send the rest, and disconnect."""
        self._watch.stop()
        self._chunks.stop()
        self._requests.stop()
        self.outbox.stop()

    @property
    def trouble(self) -> str | None:
        """The fault of the connection to the hub, in one line; the game goes on without it."""
        return self.outbox.trouble

    def _watch_link(self) -> None:
        """Show a lasting fault of the connection at the table's own desk."""
        trouble, now = self.trouble, time.monotonic()
        if trouble is None:
            self._wrong_since = None
            self._desk.active_troubles.end("hub")
            return
        if self._wrong_since is None:
            self._wrong_since = now
        if now - self._wrong_since >= _PATIENCE_S:
            self._desk.active_troubles.begin(make_trouble("hub", trouble, self._desk.now_ns()))

    def _heard(self, message: HubMessage) -> None:
        if isinstance(message, Request):
            self._requests.take(message)
        elif isinstance(message, PictureWanted):
            self._chunks.take(message)

    def _facts(self) -> TableFacts:
        state = self._game()
        return TableFacts(
            name=self._name,
            phase=self._desk.phase,
            uncounted=self._desk.uncounted,
            rate=self._rate,
            game=None if state is None else _game(state),
            trouble=self._desk.trouble(),
        )


def _game(state: GameState) -> dict[str, Any]:
    """A game in short, for a reader without its log: public score, whose turn, clocks."""
    seen = view(state, "public")
    return {
        "game_id": seen["game_id"],
        "status": seen["status"],
        "players": seen["players"],
        "on_turn": seen["on_turn"],
        "clocks": seen["clocks"],
        "turns": len(seen["turns"]),
    }
