"""A table's desk as the hub has it: requests go to the table and come back from its log."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Final

from game.events import TroubleNoted
from game.troubles import TroubleCode, make_trouble
from hub.errors import HubError
from hub.presence import Presence
from hub.requests import Requests
from hub.wire.posts import as_json
from table.desk import TIMEOUT_S, Answer, Desk, Post

_MIRRORED_S: Final = 2.0
_ABSENT: Final[Mapping[str, TroubleCode]] = {"stopped": "table_off", "out": "table_out"}


class HubDesk(Desk):
    """Whoever posts waits for the table's answer. The newest picture stays at the table.

    A table that is not there answers later: the request waits for it and says until when.
    """

    def __init__(
        self, table_id: str, presence: Presence, requests: Requests, last_seq: Callable[[], int]
    ) -> None:
        """``last_seq`` is that of the table's log as it is here."""
        self._table, self._presence = table_id, presence
        self._requests, self._last_seq = requests, last_seq

    def now_ns(self) -> int:
        """Return the time on the table's base, as far as it is known here."""
        return self._presence.now_ns(self._table)

    @property
    def phase(self) -> str:
        """The phase that the table reports."""
        return self._presence.facts_of(self._table).phase

    @property
    def uncounted(self) -> tuple[str, ...]:
        """The tiles of no turn yet that the table reports."""
        return self._presence.facts_of(self._table).uncounted

    def post(self, post: Post, timeout_s: float = TIMEOUT_S) -> Answer:
        """Ask the table, and wait for its answer or for word that it will come later."""
        try:
            answer = self._requests.ask(self._table, as_json(post), self._last_seq(), timeout_s)
        except HubError as error:
            return Answer(None, str(error))
        # Who asked looks at the game again next: let the record be here by then.
        deadline = time.monotonic() + _MIRRORED_S
        while answer.seq is not None and self._last_seq() < answer.seq:
            if time.monotonic() > deadline:
                break
            time.sleep(0.01)
        return answer

    def trouble(self) -> tuple[TroubleNoted, ...]:
        """The faults that the table reports, and its silence."""
        found: list[TroubleNoted] = []
        state = self._presence.state(self._table)
        silent_s = self._presence.silent_s(self._table)
        if state != "here":
            since = self.now_ns() - int((silent_s or 0) * 1e9)
            out = self._presence.kept_out(self._table)
            code = _ABSENT.get(state, "table_silent")
            line = f"this table is {out}" if out is not None else _silence(state, silent_s)
            found.append(make_trouble(code, line, since))
        return (*found, *self._presence.facts_of(self._table).trouble)


def _silence(state: str, silent_s: float | None) -> str:
    if state == "never":
        return "this table was not heard since the hub was started"
    since = "" if silent_s is None else f" since {time.strftime('%H:%M:%S', _ago(silent_s))}"
    if state == "stopped":
        return f"this table was switched off{since and ', and not heard' + since}"
    return f"nothing is heard of this table{since}; look whether it has power and a network"


def _ago(seconds: float) -> time.struct_time:
    return time.localtime(time.time() - seconds)
