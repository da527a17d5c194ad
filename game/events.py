"""Events: the facts of one game, in the order in which they became known.

An event is something that was seen or ruled. Scores, turn kinds and the clock's readings
are not facts: ``game.state`` derives them, so that one more event can amend an earlier one.
Times are integers, nanoseconds on the table's one monotonic base.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_origin, get_type_hints

from game.board import SIZE, Board, Square, valid_symbol
from game.errors import TilewatchError
from game.flags import CODES

Side = Literal["left", "right"]
Button = Literal["left", "right", "neutral"]
Ruling = Literal[
    "play",
    "pass",
    "exchange",
    "challenge_upheld",
    "challenge_failed",
    "challenge_withdrawn",
    "illegal_play",
    "illegal_play_unknown",
    "taken_back",
    "no_score",
    "undone",
]
"""What somebody says of a turn. ``illegal_play``: announced as one (NASPA III.G.5), by a player
known or not; when, is told by the turns seen since. ``taken_back``: the play comes off for
another reason, and the turn is lost. ``no_score``: the tiles stay and score nothing.
``undone``: there was no such turn, as after a slip on the clock."""

StopReason = Literal[
    "blank",
    "challenge",
    "director",
    "extra_tiles",
    "family_emergency",
    "foreign_tiles",
    "improper_procedure",
    "late_arrival",
    "medical",
    "misoriented_tiles",
    "missing_tiles",
    "out",
    "overdraw",
    "score",
    "six_zeros",
    "tile_bag",
    "unforeseen",
    "other",
]
"""Why a clock may have been stopped; which of these a text allows is its ``stop.reasons``."""

Cause = Literal["absent", "both_absent", "late", "left", "resigned", "overtime", "director"]
"""Why a game is forfeited; ``both_absent``: by both, whoever is named."""

SIDES: tuple[Side, Side] = ("left", "right")


def other(side: Side) -> Side:
    """The opponent's side."""
    return "right" if side == "left" else "left"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that the camera itself saw amiss at one turn."""

    code: str
    """A flag code, such as ``misoriented_tile``."""
    square: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game begins on an empty board, or on the position given as ``rows``."""

    game_id: str
    players: Mapping[str, str]
    """``{"left": name, "right": name}``"""
    rulebook: str
    tile_set: str
    first: Side | None
    """Who plays first, where that is known before the first press."""
    t_ns: int
    rows: tuple[str, ...] | None = None
    """Only when told so: the position at the start."""
    adjust: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the rulebook that the event announced otherwise, by name."""
    word_list: Mapping[str, str] | None = None
    """The word list in use, as ``{"name": …, "sha256": …}``."""


@dataclass(frozen=True, slots=True)
class ButtonPressed:
    """A clock button went down. ``left`` is pressed by the left player to end a turn."""

    button: Button
    t_ns: int


@dataclass(frozen=True, slots=True)
class TurnSeen:
    """The board as the camera read it for the turn that a press ended."""

    side: Side
    """The player whose turn it was."""
    press_ns: int
    rows: tuple[str, ...]
    """15 strings of 15 symbols, see :mod:`game.board`."""
    sighted_ns: int | None = None
    """When the frame was taken that was read."""
    confidence: Mapping[str, float] = field(default_factory=dict)
    """Of the changed squares, 0..1, keyed ``8H``."""
    frames: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of the evidence by role: ``before``, ``at``, ``after``."""
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class TilesChanged:
    """The camera saw that tiles changed after the press that ended the last turn."""

    turn: int
    """The turn that had just ended."""
    rows: tuple[str, ...]
    """The board as it lay then, like those of :class:`TurnSeen`."""
    sighted_ns: int
    """When the frame was taken that was read."""
    frames: Mapping[str, str]
    """SHA-256 of the evidence by role: ``at`` the press, ``after`` it."""
    t_ns: int


@dataclass(frozen=True, slots=True)
class TableDescribed:
    """What the game is recorded with, said once at its start."""

    software: str
    """Version of tilewatch."""
    files: Mapping[str, str]
    """SHA-256 of what readings and scores depend on, by name: models, rulebook, set of tiles."""
    settings: Mapping[str, Any]
    """The table's configuration."""
    t_ns: int


@dataclass(frozen=True, slots=True)
class Picture:
    """One evidence picture, kept under its SHA-256."""

    role: str
    """``before``, ``at`` and ``after`` the press; ``read``: what the reading rests on;
    ``around``: near a press whose turn was flagged; ``crop``: a changed square of ``of``."""
    sha256: str
    exposed_ns: int
    """When its exposure began."""
    square: str | None = None
    of: str | None = None
    """Of a crop: SHA-256 of the picture that it was cut from."""


@dataclass(frozen=True, slots=True)
class PicturesKept:
    """Evidence pictures of a turn are on the disk."""

    turn: int
    pictures: tuple[Picture, ...]
    t_ns: int


@dataclass(frozen=True, slots=True)
class PicturesDeleted:
    """Evidence pictures of the game were deleted, as the table's rule for keeping them has it."""

    pictures: tuple[str, ...]
    """The SHA-256 of each."""
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class PlayersNamed:
    """Who sits where was said, or mended: one name or both."""

    players: Mapping[str, str]
    """By side; a side that is not in it keeps its name."""
    by: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class TurnRuled:
    """Somebody said what a turn was."""

    turn: int
    """The number of the turn, from 1."""
    ruling: Ruling
    by: str
    why: str
    t_ns: int
    words: int = 0
    """Of a challenge that failed: how many words were challenged; 0 where the points for it,
    if any, are given by a :class:`ChallengeBonus`."""
    called_ns: int | None = None
    """Of a challenge: when it was called, where that is known."""
    tiles: str = ""
    """Of an exchange: the tiles exchanged, or their number."""


@dataclass(frozen=True, slots=True)
class HoldCalled:
    """The opponent holds a play: new tiles wait, and a challenge may follow."""

    turn: int
    """The turn that is held."""
    by: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class StopExplained:
    """Why the clock was stopped after a turn."""

    turn: int
    """The last turn before the clock was stopped; 0 before the first."""
    reason: StopReason
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class SetSeen:
    """The whole set of tiles laid out to be checked, before a game or after it."""

    symbols: str
    """Every tile, as letters and ``?`` for a blank, in any order."""
    by: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class InfractionNoted:
    """A minor infraction that no camera can see, such as a wrong score announced."""

    side: Side
    """Who made it."""
    rule: str | None
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class BlankDesignated:
    """The letter of the blank that lies on a square; counts from the turn that put it there."""

    square: str
    letter: str
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class SquareCorrected:
    """What really lay on a square at a turn, and since."""

    turn: int
    square: str
    symbol: str
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class ChallengeBonus:
    """Points for a player whose play was challenged in vain; ``points`` are added."""

    side: Side
    points: int
    rule: str | None
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class PenaltyAdded:
    """Points off a player's score; ``points`` above 0 are taken off."""

    side: Side
    points: int
    rule: str | None
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class RackReported:
    """The tiles on a player's rack at this moment, as letters and ``?``."""

    side: Side
    tiles: str
    t_ns: int
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game is over by somebody's word (it also ends by itself when a player is out)."""

    reason: str
    t_ns: int
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class ClockAdjusted:
    """Time given to a player's clock, or taken off it where ``added_ns`` is below 0."""

    side: Side
    added_ns: int
    rule: str | None
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class LateStart:
    """Time that ran off a player's clock before the game, because the player came late."""

    side: Side
    lost_ns: int
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class GameForfeited:
    """A player loses the game without its being played out."""

    side: Side
    """Who loses it."""
    cause: Cause
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class GameReopened:
    """A game that had ended goes on, or a signed result may be changed."""

    ground: str
    """After signing, one that the rulebook knows (``signed.grounds``)."""
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class ResultSigned:
    """Both players signed the result."""

    by: str
    t_ns: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class Retracted:
    """An earlier ruling or correction is taken back; nothing is deleted."""

    event: int
    """Its number in the game, the start being 1."""
    by: str
    why: str
    t_ns: int


Event = (
    GameStarted
    | ButtonPressed
    | TurnSeen
    | TilesChanged
    | PlayersNamed
    | TurnRuled
    | HoldCalled
    | StopExplained
    | SetSeen
    | InfractionNoted
    | BlankDesignated
    | SquareCorrected
    | ChallengeBonus
    | PenaltyAdded
    | RackReported
    | GameEnded
    | ClockAdjusted
    | LateStart
    | GameForfeited
    | GameReopened
    | ResultSigned
    | Retracted
    | TableDescribed
    | PicturesKept
    | PicturesDeleted
)

HOUSEKEEPING = (TableDescribed, PicturesKept, PicturesDeleted)
"""What the table notes of its own work: no part of the game, and welcome at any time."""

FACTS = (GameStarted, ButtonPressed, TurnSeen, TilesChanged, *HOUSEKEEPING)
"""What was seen; everything else was said, and may be taken back."""

EVENT_TYPES: dict[str, type[Any]] = {cls.__name__: cls for cls in get_args(Event)}
"""Every kind of event by the name under which it is stored."""


def to_payload(event: Event) -> dict[str, Any]:
    """The event as JSON-able data with its kind under ``type``."""
    name = type(event).__name__
    if EVENT_TYPES.get(name) is not type(event):
        raise TilewatchError(f"not an event: {event!r}")
    return {"type": name, **_plain(event)}


def from_payload(payload: Mapping[str, Any]) -> Event:
    """The event of stored data.

    Raises:
        TilewatchError: an unknown kind, or a field that is missing, unknown or of the wrong
            form; the line names it.
    """
    if not isinstance(payload, Mapping):
        raise TilewatchError(f"an event is an object with a type, not {payload!r}")
    name = payload.get("type")
    cls = EVENT_TYPES.get(name) if isinstance(name, str) else None
    if cls is None:
        raise TilewatchError(f"unknown event type {name!r}")
    event: Event = _build(cls, {k: v for k, v in payload.items() if k != "type"}, str(name))
    _check(event)
    return event


@functools.cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(typing.cast("type[Any]", cls))


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    return value


def _build(cls: type[Any], data: Mapping[str, Any], where: str) -> Any:
    as_any: Any = cls
    hints = _hints(as_any)
    fields = {f.name: f for f in dataclasses.fields(cls)}
    for key in data:
        if key not in fields:
            raise TilewatchError(f"{where}: unknown field {key!r}")
    values: dict[str, Any] = {}
    for key, spec in fields.items():
        if key in data:
            values[key] = _read(hints[key], data[key], f"{where}.{key}")
        elif spec.default is dataclasses.MISSING and spec.default_factory is dataclasses.MISSING:
            raise TilewatchError(f"{where}: {key} is missing")
    return cls(**values)


def _read(hint: Any, value: Any, where: str) -> Any:
    """``value`` as the type hint has it: the handful of shapes that events are made of."""
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return value
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        return _read(next(a for a in args if a is not type(None)), value, where)
    if origin is Literal:
        if value in args:
            return value
        raise TilewatchError(f"{where}: {value!r} is not one of {', '.join(map(str, args))}")
    if origin is tuple:
        if isinstance(value, list | tuple):
            return tuple(_read(args[0], v, f"{where}[{i}]") for i, v in enumerate(value))
    elif origin is Mapping:
        if isinstance(value, Mapping):
            return {str(k): _read(args[1], v, f"{where}.{k}") for k, v in value.items()}
    elif dataclasses.is_dataclass(hint):
        if dataclasses.is_dataclass(value):
            return value
        if isinstance(value, Mapping):
            return _build(typing.cast("type[Any]", hint), value, where)
    elif hint is float:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    elif isinstance(value, hint) and not isinstance(value, bool):
        return value
    raise TilewatchError(f"{where}: {value!r} has the wrong form")


def _check(event: Event) -> None:
    """Refuse what no camera or director can mean, at the door."""
    if isinstance(event, GameStarted):
        if set(event.players) != set(SIDES):
            raise TilewatchError("GameStarted.players: it needs the names of left and right")
        if event.rows is not None:
            Board.from_rows(event.rows)
    elif isinstance(event, TurnSeen):
        if len(event.rows) != SIZE:
            raise TilewatchError(f"TurnSeen.rows: a board has {SIZE} rows, not {len(event.rows)}")
        Board.from_rows(event.rows)
        for square in event.confidence:
            Square.parse(square)
        for finding in event.findings:
            if finding.square is not None:
                Square.parse(finding.square)
            if finding.code not in CODES:
                raise TilewatchError(f"TurnSeen.findings: unknown code {finding.code!r}")
    elif isinstance(event, TilesChanged):
        if len(event.rows) != SIZE:
            raise TilewatchError(f"TilesChanged.rows: a board has {SIZE} rows")
        Board.from_rows(event.rows)
    elif isinstance(event, PicturesKept):
        for picture in event.pictures:
            if picture.square is not None:
                Square.parse(picture.square)
    elif isinstance(event, PlayersNamed):
        if not event.players or not set(event.players) <= set(SIDES):
            raise TilewatchError("PlayersNamed.players: it needs the name of left, right or both")
        if not all(isinstance(n, str) and n.strip() for n in event.players.values()):
            raise TilewatchError("PlayersNamed.players: a name is at least one letter")
    elif isinstance(event, BlankDesignated):
        Square.parse(event.square)
        if len(event.letter) != 1 or not event.letter.isalpha():
            raise TilewatchError(f"BlankDesignated.letter: {event.letter!r} is not a letter")
    elif isinstance(event, SquareCorrected):
        Square.parse(event.square)
        if not valid_symbol(event.symbol):
            raise TilewatchError(f"SquareCorrected.symbol: {event.symbol!r} is not a symbol")
    elif isinstance(event, TurnRuled):
        if event.words < 0:
            raise TilewatchError(f"TurnRuled.words: {event.words} is below 0")
    elif isinstance(event, LateStart) and event.lost_ns < 0:
        raise TilewatchError(f"LateStart.lost_ns: {event.lost_ns} is below 0")


@functools.cache
def _simple(cls: Any) -> tuple[tuple[str, tuple[Any, ...], tuple[Any, ...]], ...]:
    """The fields that are plain values, as (name, types, words)."""
    found: list[tuple[str, tuple[Any, ...], tuple[Any, ...]]] = []
    for name, hint in _hints(cls).items():
        if get_origin(hint) is Literal:
            found.append((name, (str,), get_args(hint)))
        elif hint in (int, str):
            found.append((name, (hint,), ()))
        elif hint in (int | None, str | None):
            found.append((name, (get_args(hint)[0], type(None)), ()))
    return tuple(found)


def check_event(event: Event) -> None:
    """Refuse an event with a value, square, symbol or position that cannot be.

    Raises:
        TilewatchError: the line names the field.
    """
    if not isinstance(event, get_args(Event)):
        raise TilewatchError(f"not an event: {event!r}")
    for name, kinds, words in _simple(typing.cast(Any, type(event))):
        value = getattr(event, name)
        if (
            not isinstance(value, kinds)
            or isinstance(value, bool)
            or (words and value not in words)
        ):
            known = f"; known: {', '.join(words)}" if words else ""
            raise TilewatchError(f"{type(event).__name__}.{name}: {value!r} cannot be{known}")
    _check(event)
