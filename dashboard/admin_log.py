"""Directors' changes to the site itself: slots, clocks' links, tokens, webhooks; who, when and why.

These changes are about no game, so they are kept in ``web.db`` and not in a table's log. A request
may give a reason in the header ``X-Why``, percent-encoded because headers are ASCII.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from flask import abort, request

from dashboard.accounts.guard import logged_in
from dashboard.parts import part
from dashboard.web_db import WebDb

HEADER: Final = "X-Why"
LONGEST: Final = 400
SHOWN: Final = 50

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS journal (
    at_s INTEGER NOT NULL,
    by TEXT NOT NULL,
    what TEXT NOT NULL,
    why TEXT NOT NULL
) STRICT
"""


@dataclass(frozen=True, slots=True)
class AdminAction:
    """A change that a director made to the site."""

    at_s: int
    """In Unix seconds."""
    by: str
    what: str
    why: str


class AdminLog:
    """The changes made to a site. Safe to use from any thread; no entry is ever changed."""

    def __init__(self, db: WebDb, now: Callable[[], float] = time.time) -> None:
        self._db, self._now = db, now
        db.prepare(_TABLE)

    def note(self, by: str, what: str, why: str) -> None:
        """Add an entry. Raises ``WebError``."""
        with self._db.change() as change:
            change.execute(
                "INSERT INTO journal VALUES (?, ?, ?, ?)", (int(self._now()), by, what, why)
            )

    def newest(self, count: int = SHOWN) -> list[AdminAction]:
        """Return the entries, newest first. Raises ``WebError``."""
        rows = self._db.rows(
            "SELECT at_s, by, what, why FROM journal ORDER BY rowid DESC LIMIT ?", (count,)
        )
        return [AdminAction(*row) for row in rows]


def reason() -> str:
    """Return the reason in the request's header; empty if there is none."""
    why = " ".join(unquote(request.headers.get(HEADER, "")).split())
    if len(why) > LONGEST or not why.isprintable():
        abort(422, description=f"why: at most {LONGEST} characters that can be printed")
    return why


def done(what: str, why: str) -> None:
    """Note what the request has changed, and why."""
    account = logged_in()
    part(AdminLog).note(account.name, what, why)
