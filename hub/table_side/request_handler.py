"""Takes the hub's requests to the table's desk, each once, and answers.

The log shows which requests were done: a record made by a request has its id in ``source``. A small
file keeps the answers to requests that leave no record (refusals), and the requests that were
withdrawn before they were done, so that they are never done later. A request is not answered before
its record is on the disk.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from game.errors import TilewatchError
from hub.errors import HubError
from hub.repeating import Worker
from hub.wire.messages import Request, RequestAnswer
from hub.wire.posts import from_json, in_words
from record.chain import LoggedEvent
from record.log.event_log import EventLog
from record.sqlite import Schema, open_database
from table.desk import Desk

FILE: Final = "hub-requests.db"
_SCHEMA: Final = Schema(
    kind="a table's answers to its hub",
    application_id=0x74777271,  # "twrq"
    version=1,
    create="CREATE TABLE IF NOT EXISTS answers (id TEXT PRIMARY KEY, status TEXT NOT NULL, "
    "seq INTEGER, said TEXT) STRICT;",
    error=HubError,
)
_WAITING: Final = 200
_LOOK_BACK: Final = 5000

Reply = Callable[[RequestAnswer], bool]


class RequestHandler:
    """Serves requests in a thread of its own. ``take`` from any thread."""

    def __init__(self, folder: Path, log: EventLog, desk: Desk, reply: Reply) -> None:
        """``reply`` sends an answer to the hub. Raises ``HubError`` if its file cannot be used."""
        self._log, self._desk, self._reply = log, desk, reply
        path = folder / FILE
        try:
            self._answers = open_database(path, _SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise HubError(f"{path}: cannot be used ({error})") from error
        self._worker: Worker[Request] = Worker(
            "hub-requests", _WAITING, lambda asked: self._serve(*asked)
        )
        self.start = self._worker.start

    def stop(self) -> None:
        """Serve the requests that have arrived, and stop."""
        self._worker.stop()
        with suppress(sqlite3.Error):
            self._answers.close()

    def take(self, request: Request) -> None:
        """Queue a request from the hub; the hub asks again for one that is dropped."""
        self._worker.put(request)

    def _serve(self, request: Request) -> None:
        id_ = request.id
        known = self._answers.execute(
            "SELECT status, seq, said FROM answers WHERE id = ?", (id_,)
        ).fetchone()
        if known is None or known[0] == "begun":
            known = self._settled(request, begun=known is not None)
            if known is None:
                return
            self._store_answer(id_, *known)
        status, seq, line = known
        self._reply(RequestAnswer(id=id_, status=status, done_seq=seq, said=line))

    def _settled(
        self, request: Request, *, begun: bool
    ) -> tuple[str, int | None, str | None] | None:
        """Carry it out; None if the disk takes nothing, so that the hub is to ask again."""
        if begun and (record := self._done_before(request.id)) is not None:
            return ("done", record.seq, None) if record.on_disk else None
        if request.cancel:
            return "withdrawn", None, "called back before the table had it"
        try:
            overtaken = self._overtaken(request)
            if overtaken is not None:
                return "refused", None, overtaken
            self._store_answer(request.id, "begun", None, None)
            mark = f"#{request.id}"
            answer = self._desk.post(from_json(request.post, mark, self._desk.now_ns()))
        except TilewatchError as error:
            return "refused", None, str(error)
        if not answer.done:
            return "refused", answer.seq, answer.refused
        return ("done", answer.seq, None) if answer.on_disk else None

    def _overtaken(self, request: Request) -> str | None:
        """Name a ruling made since the asking director last saw the game, in a line."""
        asked = request.post
        if asked.get("kind") != "ruling":
            return None
        for event in self._log.events(str(asked.get("game_id")), after=request.seen):
            source = event.source.partition("#")[0]
            if source.startswith("director") and source != asked.get("source"):
                who = source.removeprefix("director").lstrip(": ")
                words = in_words({"kind": "ruling", "event": event.payload})
                return (
                    f"{who or 'another director'} ruled on this game first ({words}; event "
                    f"{event.seq}); look at the game again"
                )
        return None

    def _done_before(self, id_: str) -> LoggedEvent | None:
        """The record that a request made just before the table was stopped, or its disk failed."""
        after = max(0, self._log.last_seq - _LOOK_BACK)
        for event in reversed(self._log.events(after=after)):
            if event.source.endswith(f"#{id_}"):
                return event
        return None

    def _store_answer(self, id_: str, status: str, seq: int | None, line: str | None) -> None:
        self._answers.execute(
            "INSERT INTO answers VALUES (?,?,?,?) ON CONFLICT (id) DO UPDATE SET "
            "status=excluded.status, seq=excluded.seq, said=excluded.said",
            (id_, status, seq, line),
        )
