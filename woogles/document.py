"""A game document of Woogles: read strictly from JSON, and made anew from a table's record."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from typing import Any, Final, Literal, cast, get_args

from game.errors import TilewatchError

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
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
RULES: Final = ("VOID", "SINGLE", "DOUBLE", "FIVE_POINT", "TEN_POINT", "TRIPLE")
STATES: Final = ("PLAYING", "WAITING_FOR_FINAL_PASS", "GAME_OVER", "UNSTARTED")

TURNS: Final[frozenset[Kind]] = frozenset({"TILE_PLACEMENT_MOVE", "PASS", "EXCHANGE"})
CHALLENGES: Final[frozenset[Kind]] = frozenset(
    {"PHONY_TILES_RETURNED", "CHALLENGE_BONUS", "UNSUCCESSFUL_CHALLENGE_TURN_LOSS"}
)
"""The outcomes of a challenge; the server chooses among them by its own lexicon."""
ENDS: Final[frozenset[Kind]] = frozenset({"END_RACK_PTS", "END_RACK_PENALTY"})
"""Events that the server adds by itself."""

_POINTS: Final[Mapping[Kind, tuple[str, int]]] = {
    "TILE_PLACEMENT_MOVE": ("score", 1),
    "PHONY_TILES_RETURNED": ("lostScore", -1),
    "CHALLENGE_BONUS": ("bonus", 1),
    "END_RACK_PTS": ("endRackPoints", 1),
    "TIME_PENALTY": ("lostScore", -1),
    "END_RACK_PENALTY": ("lostScore", -1),
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
    events: tuple[DocEvent, ...]
    racks: tuple[bytes, bytes]
    rule: str
    """One of ``RULES``."""
    state: str
    """One of ``STATES``."""
    scores: tuple[int, int]
    clocks: tuple[int, ...]
    """The milliseconds on both clocks; empty if there are none."""
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    """The whole JSON."""


def sorted_ends(events: Iterable[DocEvent]) -> tuple[DocEvent, ...]:
    """Return events with the penalties for racks in the order of the players."""
    found: list[DocEvent] = []
    for is_end, group in groupby(events, lambda one: one.kind == "END_RACK_PENALTY"):
        several = list(group)
        found += sorted(several, key=lambda one: one.player) if is_end else several
    return tuple(found)


def read_document(data: object) -> Document:
    """Return the document in a JSON value. Raises ``DocumentError`` for another form."""
    whole = _table(data, "the document")
    players = [_table(one, "players") for one in _list(whole, "players")]
    if len(players) != len(("first", "second")):
        raise DocumentError(f"Woogles gives a game of {len(players)} players")
    names = tuple(_text(one, "realName") or _text(one, "nickname") for one in players)
    racks = [_bytes_of(one, "racks") for one in _list(whole, "racks")] or [b"", b""]
    scores = [_whole(one, "currentScores") for one in _list(whole, "currentScores")] or [0, 0]
    timers = _table(_get(whole, "timers") or {}, "timers")
    events = [read_event(one) for one in _list(whole, "events")]
    if len(racks) != len(names) or len(scores) != len(names):
        raise DocumentError("Woogles gives a document whose racks or scores are not two")
    return Document(
        uid=_text(whole, "uid"),
        players=cast(tuple[str, str], names),
        events=sorted_ends(events),
        racks=cast(tuple[bytes, bytes], tuple(racks)),
        rule=_choice(whole, "challengeRule", RULES, "ChallengeRule_"),
        state=_choice(whole, "playState", STATES),
        scores=cast(tuple[int, int], tuple(scores)),
        clocks=tuple(_whole(one, "timeRemaining") for one in _list(timers, "timeRemaining")),
        raw=whole,
    )


def read_event(data: object) -> DocEvent:
    """Return the event in a JSON value. Raises ``DocumentError`` for another form."""
    one = _table(data, "events")
    kind = cast(Kind, _choice(one, "type", KINDS))
    name, sign = _POINTS.get(kind, ("", 0))
    player = _whole(_get(one, "playerIndex") or 0, "playerIndex")
    if player not in (0, 1):
        raise DocumentError(f"Woogles names a player {player} of two")
    tiles = {"TILE_PLACEMENT_MOVE": "playedTiles", "EXCHANGE": "exchanged"}.get(kind)
    exchange = kind == "EXCHANGE"
    data_ = _bytes_of(_get(one, tiles) or "", tiles) if tiles else b""
    return DocEvent(
        kind,
        player,
        sign * _whole(_get(one, name) or 0, name) if name else 0,
        _text(one, "position").upper() if kind == "TILE_PLACEMENT_MOVE" else "",
        bytes(sorted(data_)) if exchange else data_,
        _bytes_of(_get(one, "rack") or "", "rack"),
        _whole(_get(one, "millisRemaining") or 0, "millisRemaining") or None,
        _text(one, "note"),
    )


def event_json(event: DocEvent, total: int) -> dict[str, Any]:
    """Return an event in the form of a document; ``total`` is the player's score after it."""
    found: dict[str, Any] = {
        "type": event.kind,
        "playerIndex": event.player,
        "cumulative": total,
        "rack": encoded(event.rack),
        "note": event.note,
    }
    if event.kind in _POINTS:
        name, sign = _POINTS[event.kind]
        found[name] = sign * event.points
    if event.millis is not None:
        found["millisRemaining"] = event.millis
    if event.kind == "TILE_PLACEMENT_MOVE":
        down = event.position[:1].isalpha()
        column, row = re.sub(r"\d", "", event.position), re.sub(r"\D", "", event.position)
        found |= {
            "position": event.position,
            "row": int(row) - 1,
            "column": ord(column) - ord("A"),
            "direction": "VERTICAL" if down else "HORIZONTAL",
            "playedTiles": encoded(event.tiles),
            "wordsFormed": [encoded(word) for word in event.formed],
            "isBingo": sum(map(bool, event.tiles)) == 7,
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


def _get(data: Mapping[str, Any], name: str) -> Any:
    """Return a field by its name in JSON, or as the definitions spell it; None without it."""
    return data.get(name, data.get(re.sub("[A-Z]", lambda at: f"_{at[0].lower()}", name)))


def _table(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise DocumentError(f"Woogles gives no object for {name}")
    return value


def _list(data: Mapping[str, Any], name: str) -> list[Any]:
    value = _get(data, name)
    if not isinstance(value, list | None):
        raise DocumentError(f"Woogles gives no list for {name}")
    return value or []


def _text(data: Mapping[str, Any], name: str) -> str:
    value = _get(data, name)
    if not isinstance(value, str | None):
        raise DocumentError(f"Woogles gives no text for {name}")
    return value or ""


def _whole(value: object, name: str) -> int:
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,18}", value):
        return int(value)  # 64 bits are text in JSON
    if isinstance(value, bool) or not isinstance(value, int):
        raise DocumentError(f"Woogles gives no number for {name}")
    return value


def _bytes_of(value: object, name: str) -> bytes:
    try:
        return base64.b64decode(cast(str, value), validate=True)
    except (TypeError, ValueError, binascii.Error):
        raise DocumentError(f"Woogles gives no bytes for {name}") from None


def _choice(data: Mapping[str, Any], name: str, known: Sequence[str], before: str = "") -> str:
    value = _get(data, name) or 0
    if isinstance(value, str):
        value = value.removeprefix(before)
        if value in known:
            return value
    elif isinstance(value, int) and 0 <= value < len(known):
        return known[value]
    raise DocumentError(f"Woogles gives {value!r:.40} for {name}")
