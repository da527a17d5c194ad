"""The shapes of the API's answers, from which its document is made.

The shapes of games and turns are in :mod:`game.schema`. Each shape refuses further fields, and the
tests check real answers against the shapes.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from dashboard.tokens import LONGEST_NAME, Scope, Token
from dashboard.webhooks.store import LONGEST_URL
from game.schema import Named, Ns, Numbers, Players, Shape, Turn, View, optional
from game.terms import Side

EventId = Annotated[
    str, Field(description="place in the log and start of its hash; the stream's Last-Event-ID")
]


class Error(Shape):
    """The reason for an error, in one line."""

    error: str


class NoPlace(Shape):
    """Every place on the live stream is taken."""

    error: str
    streams: int


class State(Shape):
    """One table's newest view."""

    table: Named
    id: EventId | None
    now_ns: Ns
    rate: float
    view: View | None


class Summary(Shape):
    """One table in a line."""

    id: str
    name: str
    status: Literal["waiting", "running", "ended"]
    players: Players | None
    href: str


class Tables(Shape):
    """Every table."""

    tables: list[Summary]


class Turns(Shape):
    """Every turn, oldest first."""

    game_id: str
    turns: list[Turn]


class OneTurn(Shape):
    """One turn."""

    game_id: str
    turn: Turn


class ClocksNow(Shape):
    """Both clocks at this moment; below nought is overtime."""

    game_id: str
    now_ns: Ns
    running: Side | None
    remaining_ns: Annotated[Numbers | None, Field(description="null in a game without a clock")]


class LogEvent(Shape):
    """One record of the log."""

    seq: int
    game_id: str
    number: int
    mono_ns: Ns
    wall_ns: int
    source: str
    payload: dict[str, Any]
    prev_hash: str
    hash: str
    on_disk: bool


class Log(Shape):
    """Events, and the ``after`` of the next request."""

    events: list[LogEvent]
    next: int


class Tokens(Shape):
    """Every token."""

    tokens: list[Token]


class NewToken(Shape):
    """A request for a token."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    scope: Scope
    table: str | None = optional()


class MadeToken(Shape):
    """A new token, with its text for the only time."""

    token: Token
    text: str


class Withdrawn(Shape):
    """The token or webhook that was removed."""

    withdrawn: str


class Webhook(Shape):
    """An address to which new turns and flags are posted."""

    id: str
    url: str
    audience: Literal["public", "director"]
    made_by: str
    made_s: int
    trouble: Annotated[str | None, Field(description="why its messages are not taken")]


class Webhooks(Shape):
    """Every webhook."""

    webhooks: list[Webhook]


class NewWebhook(Shape):
    """A request for a webhook."""

    url: Annotated[str, Field(min_length=1, max_length=LONGEST_URL)]
    audience: Literal["public", "director"] = "public"


class MadeWebhook(Shape):
    """A new webhook, with what its messages are signed with for the only time."""

    webhook: Webhook
    secret: str
