"""The shapes of the API's answers, from which its document is made.

Nothing may be in an answer that is not here: every shape refuses further fields, and the tests hold
real answers against them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

_closed = with_config(ConfigDict(extra="forbid"))

Side = Literal["left", "right"]
Ns = Annotated[int, Field(description="nanoseconds on the table's monotonic base")]
Square = Annotated[str, Field(pattern="^(1[0-5]|[1-9])[A-O]$", description="row and column, as 8H")]
Tiles = dict[Square, str]
EventId = Annotated[
    str, Field(description="place in the log and start of its hash; the stream's Last-Event-ID")
]


@_closed
class Error(TypedDict):
    """Why there is no other answer, in one line."""

    error: str


@_closed
class NoPlace(TypedDict):
    """Every place on the live stream is taken."""

    error: str
    streams: int


@_closed
class Named(TypedDict):
    """A thing with a name."""

    id: str
    name: str


@_closed
class Player(TypedDict):
    """One player."""

    name: str
    score: int


@_closed
class Players(TypedDict):
    """Both, by where they sit."""

    left: Player
    right: Player


@_closed
class Numbers(TypedDict):
    """A number for each side."""

    left: int
    right: int


@_closed
class TileSet(TypedDict):
    """The set of tiles that is played with."""

    id: str
    name: str
    total: int
    values: dict[str, int]


@_closed
class Clocks(TypedDict):
    """The clocks: the running side loses time since ``since_ns``."""

    running: Side | None
    since_ns: Ns | None
    remaining_ns: Numbers


@_closed
class OnSquare(TypedDict):
    """What lies on a square."""

    symbol: str
    value: int | None
    blank: bool
    turn: int | None


@_closed
class Remedy(TypedDict):
    """What can be done about a flag (director)."""

    id: str
    text: str
    who: str
    side: Side | None
    until: str
    open: bool
    until_ns: Ns | None
    rule: str | None
    says: str
    event: dict[str, Any] | None
    asks: list[str]


@_closed
class Flag(TypedDict):
    """Something that is not as the rules would have it, or that the camera could not tell."""

    code: str
    label: str
    squares: list[str]
    rule: str | None
    message: str
    visibility: NotRequired[Literal["public", "opponent", "director"]]
    settled: NotRequired[int | None]
    remedies: NotRequired[list[Remedy]]


@_closed
class Word(TypedDict):
    """A word that a play made."""

    text: str
    points: int


@_closed
class Turn(TypedDict):
    """One turn."""

    number: Annotated[int, Field(ge=1)]
    side: Side
    kind: str
    position: str | None
    word: str | None
    tiles: Tiles
    score: int
    total: int
    words: list[Word]
    bingo: int
    press_ms: int
    bag_count: int
    flags: list[Flag]
    phoney: NotRequired[bool]
    rulings: NotRequired[list[str]]


@_closed
class Window(TypedDict):
    """A right that lasts for some time."""

    right: str
    side: Side | None
    turn: int
    opens_ns: Ns
    least_ns: Ns | None
    closes_ns: Ns | None
    until: str
    rule: str | None


@_closed
class Adjustment(TypedDict):
    """Points beside the plays."""

    kind: str
    side: Side
    points: int
    total: int
    rule: str | None
    after_turn: int
    why: str
    tiles: NotRequired[str]


Rows = Annotated[
    list[Annotated[str, Field(min_length=15, max_length=15)]], Field(min_length=15, max_length=15)
]


@_closed
class Outcome(TypedDict):
    """Who has won, and by what."""

    kind: str
    winner: Side | None
    margin: int | None
    rule: str | None
    loss: int | None


@_closed
class View(TypedDict):
    """A game as an audience may see it, complete in itself."""

    audience: Literal["public", "player", "broadcast", "director"]
    game_id: str
    status: Literal["waiting", "running", "ended"]
    end_reason: str | None
    outcome: Outcome | None
    settled: bool
    final: Annotated[
        bool, Field(description="the scores are the result: racks and time are in them")
    ]
    rulebook: Named
    tile_set: TileSet
    players: Players
    scores: Numbers
    on_turn: Side | None
    clocks: Clocks
    bag_count: int
    rows: Rows
    squares: dict[Square, OnSquare]
    last: list[Square]
    turns: list[Turn]
    windows: list[Window]
    adjustments: list[Adjustment]
    flags: list[Flag]
    unseen: NotRequired[dict[str, int]]
    suggestions: NotRequired[dict[Square, list[str]]]


@_closed
class State(TypedDict):
    """One table's newest view."""

    table: Named
    id: EventId | None
    now_ns: Ns
    rate: float
    view: View | None


@_closed
class Summary(TypedDict):
    """One table in a line."""

    id: str
    name: str
    status: Literal["waiting", "running", "ended"]
    players: Players | None
    href: str


@_closed
class Tables(TypedDict):
    """Every table."""

    tables: list[Summary]


@_closed
class Turns(TypedDict):
    """Every turn, oldest first."""

    game_id: str
    turns: list[Turn]


@_closed
class OneTurn(TypedDict):
    """One turn."""

    game_id: str
    turn: Turn


@_closed
class ClocksNow(TypedDict):
    """Both clocks at this moment; below nought is overtime."""

    game_id: str
    now_ns: Ns
    running: Side | None
    remaining_ns: Numbers


@_closed
class LogEvent(TypedDict):
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


@_closed
class Log(TypedDict):
    """Events, and what to ask for next."""

    events: list[LogEvent]
    next: int


@_closed
class Token(TypedDict):
    """A token as it is listed. Times are in Unix seconds."""

    id: str
    name: str
    scope: Literal["public", "overlay", "director-read"]
    table: str | None
    made_by: str
    made_s: int
    used_s: int | None


@_closed
class Tokens(TypedDict):
    """Every token."""

    tokens: list[Token]


@_closed
class NewToken(TypedDict):
    """What is asked for."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    scope: Literal["public", "overlay", "director-read"]
    table: NotRequired[str | None]


@_closed
class MadeToken(TypedDict):
    """A new token, with its text for the only time."""

    token: Token
    text: str


@_closed
class Withdrawn(TypedDict):
    """What is no more."""

    withdrawn: str


@_closed
class Webhook(TypedDict):
    """An address that is told of new turns and flags."""

    id: str
    url: str
    audience: Literal["public", "director"]
    made_by: str
    made_s: int
    trouble: Annotated[str | None, Field(description="why its messages are not taken")]


@_closed
class Webhooks(TypedDict):
    """Every webhook."""

    webhooks: list[Webhook]


@_closed
class NewWebhook(TypedDict):
    """What is asked for."""

    url: Annotated[str, Field(min_length=1, max_length=500)]
    audience: NotRequired[Literal["public", "director"]]


@_closed
class MadeWebhook(TypedDict):
    """A new webhook, with what its messages are signed with for the only time."""

    webhook: Webhook
    secret: str
