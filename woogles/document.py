"""A game document of Woogles: read strictly from JSON, and made anew from a table's record."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from typing import Annotated, Any, Final, Literal, cast, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictInt,
    ValidationError,
)

from game.errors import TilewatchError
from game.options import one_line

Kind = Literal[
    "TILE_PLACEMENT_MOVE",
    "PHONY_TILES_RETURNED",
    "PASS",
    "CHALLENGE_BONUS",
    "EXCHANGE",
    "END_RACK_PTS",
    "TIME_PENALTY",
    "END_RACK_PENALTY",
    "UNSUCCESSFUL_CHALLENGE_TURN_LOSS",
    "CHALLENGE",
    "TIMED_OUT",
    "RESIGNED",
]
Rule = Literal["VOID", "SINGLE", "DOUBLE", "FIVE_POINT", "TEN_POINT", "TRIPLE"]
State = Literal["PLAYING", "WAITING_FOR_FINAL_PASS", "GAME_OVER", "UNSTARTED"]
RULES: Final[tuple[Rule, ...]] = get_args(Rule)

TURNS: Final[frozenset[Kind]] = frozenset({"TILE_PLACEMENT_MOVE", "PASS", "EXCHANGE"})
CHALLENGES: Final[frozenset[Kind]] = frozenset(
    {"PHONY_TILES_RETURNED", "CHALLENGE_BONUS", "UNSUCCESSFUL_CHALLENGE_TURN_LOSS"}
)
"""The outcomes of a challenge; the server chooses among them by its own lexicon."""
ENDS: Final[frozenset[Kind]] = frozenset({"END_RACK_PTS", "END_RACK_PENALTY"})
"""Events that the server adds by itself."""

_POINTS: Final[Mapping[Kind, tuple[str, int]]] = {
    "TILE_PLACEMENT_MOVE": ("score", 1),
    "PHONY_TILES_RETURNED": ("lost_score", -1),
    "CHALLENGE_BONUS": ("bonus", 1),
    "END_RACK_PTS": ("end_rack_points", 1),
    "TIME_PENALTY": ("lost_score", -1),
    "END_RACK_PENALTY": ("lost_score", -1),
}
"""The field with the points of a kind, and their sign."""


class DocumentError(TilewatchError):
    """An answer that is no game document, in one line."""


@dataclass(frozen=True, slots=True)
class DocEvent:
    """One event of a game document; two are equal if they mean the same to the game."""

    kind: Kind
    player: int
    """0, who plays first, or 1."""
    points: int = 0
    """The change of the player's score."""
    position: str = ""
    """The start of a play, ``8D`` or ``D8``; else empty."""
    tiles: bytes = b""
    """The tiles played or exchanged; else empty."""
    rack: bytes = field(default=b"", compare=False)
    """The tiles known on the rack, those left at the end among them."""
    millis: int | None = field(default=None, compare=False)
    """The milliseconds on the player's clock after it; None if unknown."""
    note: str = field(default="", compare=False)
    formed: tuple[bytes, ...] = field(default=(), compare=False)
    """The words of a play, the main word first."""
    challenged: tuple[int, ...] = field(default=(), compare=False)
    """The places of the challenged words among those that the play formed; empty if unknown."""


@dataclass(frozen=True)
class Document:
    """A game as Woogles has it."""

    uid: str
    players: tuple[str, str]
    """The names in the order of play."""
    users: tuple[str, str]
    """The players' ids, which the calls of their events name."""
    events: tuple[DocEvent, ...]
    racks: tuple[bytes, bytes]
    rule: Rule
    state: State
    scores: tuple[int, int]
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The whole JSON."""


def sorted_ends(events: Iterable[DocEvent]) -> tuple[DocEvent, ...]:
    """Return events with the penalties for racks in the order of the players."""
    found: list[DocEvent] = []
    for is_end, group in groupby(events, lambda one: one.kind == "END_RACK_PENALTY"):
        several = list(group)
        found += sorted(several, key=lambda one: one.player) if is_end else several
    return tuple(found)


def _short(value: object) -> object:
    return value.removeprefix("ChallengeRule_") if isinstance(value, str) else value


def _decoded(value: object) -> object:
    return base64.b64decode(value, validate=True) if isinstance(value, str) else None


Tiles = Annotated[bytes, BeforeValidator(_decoded)]


class _Message(BaseModel):
    """A message of Woogles in its JSON; it may have more than is read here."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)


class _Event(_Message):
    type: Kind = "TILE_PLACEMENT_MOVE"
    player_index: Literal[0, 1] = 0
    position: str = ""
    played_tiles: Tiles = b""
    exchanged: Tiles = b""
    rack: Tiles = b""
    millis_remaining: StrictInt = 0
    note: str = ""
    score: StrictInt = 0
    lost_score: StrictInt = 0
    bonus: StrictInt = 0
    end_rack_points: StrictInt = 0

    def event(self) -> DocEvent:
        """Return what it means to the game."""
        name, sign = _POINTS.get(self.type, ("", 0))
        exchanged = bytes(sorted(self.exchanged)) if self.type == "EXCHANGE" else b""
        lays = self.type == "TILE_PLACEMENT_MOVE"
        return DocEvent(
            self.type,
            self.player_index,
            sign * getattr(self, name) if name else 0,
            self.position.upper() if lays else "",
            self.played_tiles if lays else exchanged,
            self.rack,
            self.millis_remaining or None,
            self.note,
        )


class _Player(_Message):
    nickname: str = ""
    real_name: str = ""
    user_id: str = ""


class _Document(_Message):
    uid: str
    players: tuple[_Player, _Player]
    events: tuple[_Event, ...] = ()
    racks: tuple[Tiles, Tiles] = (b"", b"")
    challenge_rule: Annotated[Rule, BeforeValidator(_short)] = "VOID"
    play_state: State = "PLAYING"
    current_scores: tuple[StrictInt, StrictInt] = (0, 0)
    timers: dict[str, Any] = Field(default_factory=dict)


def read_document(data: object) -> Document:
    """Return the document in a JSON value. Raises ``DocumentError`` for another form."""
    try:
        read = _Document.model_validate(data)
    except ValidationError as error:
        raise DocumentError(f"Woogles gives no game document: {one_line(error)}") from None
    first, second = (one.real_name or one.nickname for one in read.players)
    return Document(
        read.uid,
        (first, second),
        (read.players[0].user_id, read.players[1].user_id),
        sorted_ends(one.event() for one in read.events),
        read.racks,
        read.challenge_rule,
        read.play_state,
        read.current_scores,
        cast(Mapping[str, Any], data),
    )


def event_json(event: DocEvent, total: int) -> dict[str, Any]:
    """Return an event in the form of a document; ``total`` is the player's score after it."""
    found: dict[str, Any] = {
        "type": event.kind,
        "player_index": event.player,
        "cumulative": total,
        "rack": encoded(event.rack),
        "note": event.note,
    }
    if event.kind in _POINTS:
        name, sign = _POINTS[event.kind]
        found[name] = sign * event.points
    if event.millis is not None:
        found["millis_remaining"] = event.millis
    if event.kind == "TILE_PLACEMENT_MOVE":
        down = event.position[:1].isalpha()
        column, row = re.sub(r"\d", "", event.position), re.sub(r"\D", "", event.position)
        found |= {
            "position": event.position,
            "row": int(row) - 1,
            "column": ord(column) - ord("A"),
            "direction": "VERTICAL" if down else "HORIZONTAL",
            "played_tiles": encoded(event.tiles),
            "words_formed": [encoded(word) for word in event.formed],
            "is_bingo": sum(map(bool, event.tiles)) == 7,
        }
    elif event.kind == "EXCHANGE":
        found["exchanged"] = encoded(event.tiles)
    return found


def totals(events: Sequence[DocEvent]) -> list[tuple[int, int]]:
    """Return both scores after each event."""
    steps = ((one.points, 0) if one.player == 0 else (0, one.points) for one in events)
    return list(accumulate(steps, lambda a, b: (a[0] + b[0], a[1] + b[1])))


def encoded(data: bytes) -> str:
    """Return bytes as JSON has them."""
    return base64.b64encode(data).decode("ascii")
