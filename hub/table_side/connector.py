"""A table's tie to its hub, from the day it was enrolled: outbox, clerk and pictures together.

What ``tilewatch join`` wrote into ``hub.json`` beside the log says which hub, and how to be let in.
A table without that file knows of no hub, and one whose hub is gone plays on as if there were none.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from game.state.fold import GameState
from hub.broker.access import write_whole
from hub.errors import HubError
from hub.table_side.outbox import Outbox
from hub.table_side.request_handler import RequestHandler
from hub.wire.connection import Broker
from hub.wire.picture_chunks import ChunkServer
from hub.wire.topics import Address, HubSays
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.paths import HUB_FILE
from table.desk import Desk
from table.health.alerts import Alert
from table.views.views import view

FILE: Final = HUB_FILE
CA_FILE: Final = "hub-authority.pem"

PICTURES_KBIT: Final = 4000
"""What a table spends on pictures at most, unless its hub.json says otherwise."""


_LOOK_S: Final = 1.0
_PATIENCE_S: Final = 10.0
"""Wi-Fi that is gone for less is nobody's concern."""


@dataclass(frozen=True, slots=True)
class Membership:
    """What a table knows of its hub: the contents of ``hub.json``."""

    venue: str
    table: str
    name: str
    host: str
    port: int
    password: str = field(repr=False)
    hub_key: str
    pictures_kbit: int = PICTURES_KBIT

    def save(self, folder: Path, ca: str) -> None:
        """Keep it in the table's data folder, with the authority's certificate, for one reader.

        Raises ``HubError``.
        """
        write_whole(folder / CA_FILE, ca)
        write_whole(folder / FILE, json.dumps(asdict(self), indent=2) + "\n")

    @classmethod
    def load(cls, folder: Path) -> Membership | None:
        """That of a table; None for one that was never enrolled. Raises ``HubError``."""
        path = folder / FILE
        try:
            member = cls(**json.loads(path.read_text("utf-8")))
            Address(member.venue, member.table)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise HubError(f"{path}: cannot be read ({error.strerror})") from error
        except (ValueError, TypeError) as error:
            raise HubError(
                f"{path}: not what was written at the enrolment; enrol the table again"
            ) from error
        return member

    def broker(self, folder: Path) -> Broker:
        """Where to connect, and how."""
        return Broker(self.host, self.port, self.table, self.password, folder / CA_FILE)


class HubConnector:
    """Keeps a running table in touch with its hub, beside its loop and never in its way."""

    def __init__(
        self,
        member: Membership,
        folder: Path,
        log: EventLog,
        desk: Desk,
        evidence: EvidenceStore,
        *,
        rate: float = 1.0,
        name: str = "",
        game: Callable[[], GameState | None] = lambda: None,
    ) -> None:
        """``folder`` holds the table's data; ``game`` tells the game on the table.

        Raises ``HubError``.
        """
        if log.key is None:
            raise HubError(f"{log.path}: opened for reading only; only its writer has a hub")
        self.member = member
        self._desk, self._rate, self._name, self._game = desk, rate, name, game
        self.outbox = Outbox(
            log,
            log.key,
            Address(member.venue, member.table),
            member.broker(folder),
            member.hub_key,
            clock=desk.now_ns,
            facts=self._facts,
            heard=self._heard,
        )
        self._stopping = threading.Event()
        self._watch = threading.Thread(target=self._look, name="hub-tie", daemon=True)
        self._clerk = RequestHandler(folder, log, desk, self._reply)
        self._pieces = ChunkServer(evidence, self.outbox.say_piece, member.pictures_kbit * 125.0)

    def start(self) -> None:
        """Connect."""
        self._clerk.start()
        self._pieces.start()
        self.outbox.start()
        self._watch.start()

    def stop(self) -> None:
        """Say goodbye."""
        self._stopping.set()
        if self._watch.ident is not None:
            self._watch.join(timeout=5)
        self._pieces.stop()
        self._clerk.stop()
        self.outbox.stop()

    @property
    def trouble(self) -> str | None:
        """What is wrong with the way to the hub, in one line; the game goes on without."""
        return self.outbox.trouble

    def _look(self) -> None:
        """Show at the table's own desk what has been wrong for a while."""
        since: float | None = None
        while not self._stopping.wait(_LOOK_S):
            trouble, now = self.trouble, time.monotonic()
            if trouble is None:
                since = None
                self._desk.alerts.end("hub")
                continue
            since = now if since is None else since
            if now - since >= _PATIENCE_S:
                self._desk.alerts.begin(Alert("hub", trouble, self._desk.now_ns()))

    def _heard(self, channel: HubSays, body: Mapping[str, Any]) -> None:
        if channel == "requests":
            self._clerk.take(body)
        elif channel == "want":
            self._pieces.take(body)

    def _reply(self, body: Mapping[str, Any]) -> bool:
        return self.outbox.say("answers", body)

    def _facts(self) -> Mapping[str, Any]:
        state = self._game()
        return {
            "name": self._name,
            "phase": self._desk.phase,
            "rate": self._rate,
            "game": None if state is None else _game(state),
            "trouble": [one.as_json() for one in self._desk.trouble()],
        }


def _game(state: GameState) -> dict[str, Any]:
    """A game in short, for who has no log at hand: the public score, whose turn, the clocks."""
    seen = view(state, "public")
    return {
        "game_id": seen["game_id"],
        "status": seen["status"],
        "players": seen["players"],
        "on_turn": seen["on_turn"],
        "clocks": seen["clocks"],
        "turns": len(seen["turns"]),
    }
