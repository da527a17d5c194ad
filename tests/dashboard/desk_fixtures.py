"""A table with a desk that records what is posted to it, as a table at work does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dashboard.accounts.guard import SESSION_COOKIE
from dashboard.app import create_app
from dashboard.site import Site, Table, table_over
from game.adjudication.preview import after_entry
from game.errors import TilewatchError
from game.events import Picture, PicturesKept, from_payload, to_payload
from game.state.fold import fold
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from sensors.interfaces import Press
from table.desk import (
    Answer,
    CountPlay,
    NextGame,
    NoteAction,
    PendingPost,
    Ruling,
    TableDesk,
    TurnMeant,
)
from table.refusals import refuse_other_game
from tests.dashboard.accounts_fixtures import add
from tests.dashboard.conftest import SECOND, GameInLog

NOW_NS = 2000 * SECOND


class Loop:
    """Does what the loop of a table does with what is posted, without a camera."""

    def __init__(self, log: EventLog) -> None:
        self.log = log
        self.posted: list[tuple[str, str]] = []
        self.attributions: list[tuple[str, str]] = []
        """Who and why, of what is no ruling."""
        self.seen: list[TurnMeant | None] = []
        """The turn during which each press was meant."""
        self.passed_ns = 0
        """How long ago the test began, at the table."""
        self._woken = threading.Event()
        self._over = False
        self.desk = TableDesk(self.now_ns, self._woken.set)
        self.desk.phase = "running"
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def now_ns(self) -> int:
        return NOW_NS + self.passed_ns

    def close(self) -> None:
        self._over = True
        self._woken.set()
        self._thread.join()
        self.desk.close()

    def _run(self) -> None:
        while not self._over:
            self._woken.wait(1)
            self._woken.clear()
            for posted in self.desk.take():
                posted.answer(self._done(posted))

    def _done(self, posted: PendingPost) -> Answer:
        post = posted.post
        try:
            refuse_other_game(post, self.log.game_ids()[-1])
        except TilewatchError as error:
            return Answer(None, str(error))
        if not isinstance(post, Ruling):
            self.attributions.append((getattr(post, "by", ""), getattr(post, "why", "")))
        if isinstance(post, Press):
            self.posted.append(("press", post.button))
            self.seen.append(getattr(post, "seen", None))
            return Answer(self.log.last_seq)
        if isinstance(post, NoteAction):
            self.posted.append((post.action, post.message))
            return Answer(self.log.last_seq)
        if isinstance(post, NextGame):
            self.posted.append(("next", post.source))
            return Answer(None, "the game on the table is going on; end it first")
        if isinstance(post, CountPlay):
            self.posted.append(("count", post.source))
            self.desk.uncounted = ()
            return Answer(self.log.last_seq)
        if not isinstance(post, Ruling):
            self.posted.append(("names", ", ".join(post.players.values())))
            return Answer(None)
        try:
            state = fold(from_payload(e.payload) for e in self.log.events(post.game_id))
            after_entry(state, post.event, post.effect)
        except TilewatchError as error:
            return Answer(None, str(error))
        logged = self.log.append(
            post.game_id, to_payload(post.event), mono_ns=self.now_ns(), source=post.source
        )
        return Answer(logged.seq)


@dataclass
class Desked:
    """A site with one table that has a desk, and its application."""

    table: Table
    loop: Loop
    game: GameInLog
    folder: Path
    site: Site

    def __post_init__(self) -> None:
        self.app = create_app(self.site, self.folder)
        self.app.testing = True
        door = self.app.extensions["tilewatch.AuthContext"]
        add(door.db, "Ann")
        add(door.db, "Otto", "observer")

    def client(self, name: str | None = "Ann"):
        """A browser, logged in unless ``name`` is None; ``client.token`` is what its pages send."""
        client = self.app.test_client()
        client.token = ""
        if name is not None:
            token = self._session(name)
            client.set_cookie(SESSION_COOKIE, token)
            client.token = self.app.extensions["tilewatch.AuthContext"].sessions.form_token(token)
        return client

    def log_in(self, driver, name: str) -> None:
        """Let a real browser on one of the site's pages be this person's."""
        driver.delete_all_cookies()
        driver.add_cookie({"name": SESSION_COOKIE, "value": self._session(name), "path": "/"})

    def _session(self, name: str) -> str:
        """As logging in does, without the time that a password takes on purpose."""
        door = self.app.extensions["tilewatch.AuthContext"]
        return door.sessions.open(door.accounts.find(name)).token

    def picture(self, turn: int, role: str, t_ns: int, square: str | None = None) -> str:
        """Keep a picture of a turn (its bytes are no JPEG: nothing here looks into it)."""
        assert self.table.evidence is not None
        sha = self.table.evidence.store(f"{turn} {role} {t_ns} {square}".encode())
        self.game.put(PicturesKept(turn, (Picture(role, sha, t_ns, square),), t_ns))
        return sha

    def events(self, kind: str) -> list[dict]:
        return [e.payload for e in self.game.log.events() if e.type == kind]

    def sources(self) -> list[str]:
        return [e.source for e in self.game.log.events()]


def desked(log: EventLog, game: GameInLog, folder: Path, streams: int = 8) -> Iterator[Desked]:
    """The site; everything is closed afterwards."""
    loop = Loop(log)
    table = table_over(
        log,
        id="1",
        name="Table <1>",
        clock=loop.now_ns,
        desk=loop.desk,
        evidence=EvidenceStore(folder / "evidence"),
        edges=folder / "edges.csv",
    )
    site = Site((table,), streams=streams)
    try:
        yield Desked(table, loop, game, folder, site)
    finally:
        loop.close()
        site.close()
