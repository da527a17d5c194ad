"""The state of each slot of a show: small, kept on disk, and followed by the slot's overlays."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from dashboard.web_db import WebDb

_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS shows (name TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT"
)
_RULES: Final = ""
"""The row of the rules that are switched off: no slot has an empty name."""


@dataclass(frozen=True, slots=True)
class OnAir:
    """The state of one slot: its graphic on air, its sides, its speech."""

    graphic: str = ""
    """The graphic by its name; empty if none is on air."""
    swapped: bool = False
    """True if left and right change places, to match a camera on the other side."""
    spoken: bool = False
    """True if the slot's page of speech speaks."""
    take: int = 0
    """The number of takes so far: a graphic that is taken again starts again."""


class Shows:
    """The states of all slots. Safe to use from any thread."""

    def __init__(self, db: WebDb | None = None) -> None:
        """Keep the state in ``db``; without it only in memory."""
        self._db = db
        self._lock = threading.Lock()
        self._slots: dict[str, OnAir] = {}
        self._off: frozenset[str] = frozenset()
        self.on_change: Callable[[], None] = lambda: None
        """Called after each change, to send it to the overlays at once."""
        if db is None:
            return
        db.prepare(_TABLE)
        for name, text in db.rows("SELECT name, state FROM shows"):
            known = json.loads(text)
            if name == _RULES:
                self._off = frozenset(known)
            else:
                fields = OnAir.__dataclass_fields__
                self._slots[name] = OnAir(**{one: known[one] for one in fields if one in known})

    def of(self, slot: str) -> OnAir:
        """Return what a slot has on air."""
        return self._slots.get(slot, OnAir())

    def change(self, slot: str, changed: dict[str, Any]) -> None:
        """Change fields of a slot's state; a given graphic is taken. Raises ``WebError``."""
        with self._lock:
            before = self.of(slot)
            take = before.take + ("graphic" in changed)
            after = replace(before, **changed, take=take)
            self._write(slot, asdict(after))
            self._slots[slot] = after
        self.on_change()

    @property
    def rules_off(self) -> frozenset[str]:
        """The rules that propose no table."""
        return self._off

    def switch(self, rule: str, *, on: bool) -> None:
        """Switch a rule on or off. Raises ``WebError``."""
        with self._lock:
            off = self._off - {rule} if on else self._off | {rule}
            self._write(_RULES, sorted(off))
            self._off = off

    def _write(self, name: str, state: object) -> None:
        if self._db is not None:
            with self._db.change() as connection:
                connection.execute(
                    "INSERT INTO shows VALUES (?, ?)"
                    " ON CONFLICT (name) DO UPDATE SET state = excluded.state",
                    (name, json.dumps(state)),
                )
