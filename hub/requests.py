"""Directors' requests to tables from the hub: stored until settled, each done once or never.

A request is on the hub's disk before it is sent, and has an id. When the table carries it out, it
writes the id into its log (the record's ``source`` ends in ``#`` and the id). So the log shows if a
request was done, even if the answer was lost. A table gets one request at a time, oldest first, so
that requests are done in their order.

A request that could not be sent before it expired is dropped. One that may have reached the table
is withdrawn instead, and stays *unsure* until the table has answered if it was done or withdrawn.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from game.events import from_payload
from hub.errors import HubError
from hub.repeating import Repeating
from hub.store import HubStore
from hub.wire.messages import Request, RequestAnswer
from hub.wire.posts import in_words
from record.chain import LoggedEvent
from table.desk import Answer

RULING_S: Final = 1800.0
NAMING_S: Final = 3600.0
PRESS_S: Final = 5.0
"""The seconds for which a press, or a request of no other kind here, waits for its table."""

_LASTS_S: Final = {
    "ruling": RULING_S,
    "naming": NAMING_S,
    "next_game": RULING_S,
    "new_game": RULING_S,
    "players": RULING_S,
}

_TOLD_S: Final = 900.0
"""The seconds for which a request that was not done is told at its table."""

_AGAIN_S: Final = 3.0
_REMEMBERED: Final = 500

Status = Literal["waiting", "unsure", "done", "refused", "expired", "withdrawn"]

OPEN: Final = ("waiting", "unsure")

Send = Callable[[str, Request], bool]


@dataclass(frozen=True, slots=True)
class KeptRequest:
    """One request, as people see it."""

    id: str
    table: str
    by: str
    words: str
    status: Status
    asked_ns: int
    expires_ns: int
    seq: int | None
    answer: str | None
    """The table's answer, in one line."""


class Requests:
    """The hub's requests. Safe to use from any thread; ``start`` its thread, and ``stop`` it."""

    def __init__(
        self,
        store: HubStore,
        send: Send,
        absence: Callable[[str], str | None],
        *,
        on_change: Callable[[str], None] = lambda _table: None,
        wall_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Load the open requests.

        ``send`` sends a request to a table and returns True if it could; ``absence`` returns why a
        table cannot be asked now, or None; ``on_change`` is called with a table's id when its
        requests changed.
        """
        self._store, self._send, self._absence = store, send, absence
        self._on_change, self._wall_ns = on_change, wall_ns
        self._changing = threading.RLock()
        self._wakeup = threading.Condition(self._changing)
        self._sent_s: dict[str, float] = {}
        self._words: dict[str, str] = {}
        """The words for each request, by id. Pages ask for them every few seconds."""
        self._open_tables = {
            str(table)
            for (table,) in store.read(
                "SELECT DISTINCT table_id FROM requests WHERE status IN ('waiting', 'unsure')"
            )
        }
        self._pushing = Repeating("requests", 0.5, self._push_all)
        self.start, self.stop = self._pushing.start, self._pushing.stop

    # --- directors ---

    def ask(self, table_id: str, post: Mapping[str, Any], seen: int, timeout_s: float) -> Answer:
        """Send a request (``hub.wire.posts``) to a table, and wait for its answer or the timeout.

        ``seen`` is the newest sequence of the table's log that the asking person can have seen.
        Raises ``HubError`` if the request cannot be stored.
        """
        request = secrets.token_hex(4)
        now = self._wall_ns()
        until = now + int(_LASTS_S.get(str(post["kind"]), PRESS_S) * 1e9)
        text = json.dumps({"post": post, "seen": seen}, ensure_ascii=False)
        with self._store.write() as connection:
            connection.execute(
                "INSERT INTO requests (id, table_id, asked_ns, expires_ns, by, body, status) "
                "VALUES (?,?,?,?,?,?,'waiting')",
                (request, table_id, now, until, post["source"], text),
            )
        with self._changing:
            self._open_tables.add(table_id)
        self._push(table_id)
        self._on_change(table_id)
        deadline = time.monotonic() + timeout_s
        with self._wakeup:
            while True:
                found = self.find(request)
                if found.status not in OPEN:
                    break
                left = deadline - time.monotonic()
                if left <= 0:
                    break
                self._wakeup.wait(min(left, 0.5))
        return _answer(found, self._absence(table_id) or "does not answer")

    def withdraw(self, request: str) -> None:
        """Withdraw a request for a director; it may be done already. Raises ``HubError``."""
        found = self.find(request)
        with self._store.write() as connection:
            connection.execute(
                "UPDATE requests SET expires_ns = asked_ns WHERE id = ? AND status IN "
                "('waiting', 'unsure')",
                (request,),
            )
        self._expire(found.table)
        self._push(found.table)

    def find(self, request: str) -> KeptRequest:
        """Return a request. Raises ``HubError`` if there is none with this id."""
        found = self._select("id = ?", (request,))
        if not found:
            raise HubError(f"there is no request {request[:20]!r}")
        return found[0]

    def open(self, table_id: str | None = None) -> list[KeptRequest]:
        """Requests that are not settled, oldest first, of one table or of all."""
        where, values = "status IN ('waiting', 'unsure')", ()
        if table_id is not None:
            return self._select(f"{where} AND table_id = ?", (table_id,))
        return self._select(where, values)

    def not_done(self, table_id: str) -> list[KeptRequest]:
        """Requests that their table did not do in time, for a while after that, oldest first.

        Those that somebody called back are left out.
        """
        return self._select(
            "table_id = ? AND status IN ('expired', 'withdrawn') AND by != 'hub' "
            "AND expires_ns > asked_ns AND expires_ns > ?",
            (table_id, self._wall_ns() - int(_TOLD_S * 1e9)),
        )

    def newest(self, count: int = 20) -> list[KeptRequest]:
        """The newest first, settled or not; without the hub's own that are done."""
        return self._select("NOT (by = 'hub' AND status = 'done')", (), f"DESC LIMIT {int(count)}")

    def _select(self, where: str, values: tuple[Any, ...], more: str = "") -> list[KeptRequest]:
        rows = self._store.read(
            "SELECT id, table_id, by, body, status, asked_ns, expires_ns, seq, said "  # noqa: S608
            f"FROM requests WHERE {where} ORDER BY asked_ns {more}",
            values,
        )
        return [
            KeptRequest(id_, table, by, self._in_words(id_, table, body), status, asked, until, seq,
                    answer)
            for id_, table, by, body, status, asked, until, seq, answer in rows
        ]  # fmt: skip

    def _in_words(self, id_: str, table_id: str, body: str) -> str:
        """Return the words for a request, with the names and the events that it is about."""
        if id_ not in self._words:
            post = json.loads(body)["post"]
            game_id = str(post.get("game_id"))
            records = self._store.records(table_id, game_id) if post["kind"] == "ruling" else []
            self._words[id_] = in_words(post, [from_payload(one.payload) for one in records])
            while len(self._words) > _REMEMBERED:
                self._words.pop(next(iter(self._words)), None)
        return self._words[id_]

    # --- tables ---

    def answered(self, table_id: str, answer: RequestAnswer) -> None:
        """A table has answered."""
        self._settle(table_id, answer.id, answer.status, answer.done_seq, answer.text)

    def logged(self, table_id: str, events: list[LoggedEvent]) -> None:
        """Take new records of a table: some may show that a request was done."""
        if table_id not in self._open_tables:
            return
        for event in events:
            _, found, request = event.source.rpartition("#")
            if found:
                self._settle(table_id, request, "done", event.seq, None)

    def here(self, table_id: str) -> None:
        """Send the waiting requests of a table that is heard again."""
        if table_id in self._open_tables:
            self._sent_s.pop(table_id, None)
            self._push(table_id)

    def _settle(
        self, table_id: str, request: str, status: Status, seq: int | None, answer: str | None
    ) -> None:
        with self._store.write() as connection:
            # What a record in the log says stands above every answer.
            changed = connection.execute(
                "UPDATE requests SET status = ?, seq = coalesce(?, seq), said = ? "
                "WHERE id = ? AND table_id = ? AND (status IN ('waiting', 'unsure') OR "
                "(status != 'done' AND ? = 'done'))",
                (status, seq, answer, request, table_id, status),
            ).rowcount
        if changed:
            with self._wakeup:
                self._sent_s.pop(table_id, None)
                self._wakeup.notify_all()
            self._push(table_id)
            self._on_change(table_id)

    # --- sending ---

    def _push(self, table_id: str) -> None:
        """Send a table the oldest of its requests, unless it was sent just now."""
        with self._changing:
            rows = self._store.read(
                "SELECT id, body, expires_ns, sent FROM requests WHERE table_id = ? AND status IN "
                "('waiting', 'unsure') ORDER BY asked_ns LIMIT 1",
                (table_id,),
            )
            if not rows:
                self._open_tables.discard(table_id)
                return
            request, text, expires, sent = rows[0]
            now_s = time.monotonic()
            if now_s - self._sent_s.get(table_id, -_AGAIN_S) < _AGAIN_S:
                return
            if self._absence(table_id) is not None:
                return
            expired = self._wall_ns() >= expires
            if expired and not sent:
                self._expire(table_id)
                return
            if not sent:
                # Before it is sent: from now on only the table knows what became of it.
                with self._store.write() as connection:
                    connection.execute(
                        "UPDATE requests SET sent = 1, status = 'unsure' WHERE id = ?", (request,)
                    )
            asked = json.loads(text)
            sent_now = Request(id=request, cancel=expired, post=asked["post"], seen=asked["seen"])
            if self._send(table_id, sent_now):
                self._sent_s[table_id] = now_s

    def _expire(self, table_id: str) -> None:
        """Drop requests that waited too long without being sent."""
        with self._store.write() as connection:
            changed = connection.execute(
                "UPDATE requests SET status = 'expired', said = 'the table did not come back in "
                "time; it was not done' WHERE table_id = ? AND status = 'waiting' AND sent = 0 "
                "AND expires_ns <= ?",
                (table_id, self._wall_ns()),
            ).rowcount
        if changed:
            with self._wakeup:
                self._wakeup.notify_all()
            self._on_change(table_id)

    def _push_all(self) -> None:
        """Send the waiting requests, and those without an answer again."""
        for table_id in list(self._open_tables):
            self._expire(table_id)
            self._push(table_id)


def _answer(found: KeptRequest, why: str) -> Answer:
    if found.status == "done":
        return Answer(found.seq)
    if found.status in OPEN:
        until = time.strftime("%H:%M:%S", time.localtime(found.expires_ns / 1e9))
        return Answer(
            None,
            f"the table {why}; request {found.id} waits for it until {until}, and the hall shows "
            "what becomes of it",
        )
    return Answer(None, found.answer or f"the request was {found.status}")
