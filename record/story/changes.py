"""The lines that say what an entry changed in a game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from game.adjudication.answers import RULINGS
from game.adjudication.preview import Difference, TurnDifference, between
from game.board import UNDESIGNATED
from game.events import (
    SIDES,
    ClockAdjusted,
    DirectorNoted,
    Event,
    LateStart,
    OvertimeErased,
    RackReported,
    ResultSigned,
    Retracted,
    Side,
    TurnParted,
    TurnRuled,
    UnseenTimeCharged,
)
from game.flags import QUESTIONS, label
from game.state.ending import UNFINISHED, Adjustment
from game.state.fold import GameState
from game.terms import EndReason
from game.tile_symbols import printed, symbol_words
from record.story.event_wording import ENDS, number, signed


def changes(before: GameState, after: GameState, event: Event) -> Iterator[str]:
    """What an event changed, a line each."""
    found = between(before, after)
    yield from _turns(found, after, event)
    yield from _lines(before, after)
    for side, (was, now) in found.scores.items():
        if was != now:
            yield f"{after.players[side]}'s score: {number(was)} → {number(now)}"
    if isinstance(
        event,
        ClockAdjusted | DirectorNoted | LateStart | OvertimeErased | Retracted | UnseenTimeCharged,
    ):
        for side, (was_left, left) in found.clocks.items():
            yield f"{after.players[side]}'s clock: {was_left} → {left}"
    yield from _facts(found, after)
    for flag in found.flags_new:
        yield f"{'asked' if flag.code in QUESTIONS else 'flagged'} since: {flag.message}"
    for flag in found.flags_gone:
        yield f"no longer asked: {label(flag.code)}"
    if (why := _rack_without_points(after, event)) is not None:
        yield why
    if _gives_no_points(after, event):
        yield "no points by this ruling: how many words were challenged was not entered with it"
    if isinstance(event, ResultSigned):
        scores = ", ".join(f"{after.players[side]} {number(after.scores[side])}" for side in SIDES)
        yield f"signed as {scores}"


def _gives_no_points(after: GameState, event: Event) -> bool:
    """True for a challenge in vain that costs points by the rules, and none by its ruling."""
    return (
        isinstance(event, TurnRuled)
        and event.ruling == "challenge_failed"
        and not event.count
        and event.ground != "placement"
        and after.rulebook.challenge_failed == "points"
    )


def _rack_without_points(after: GameState, event: Event) -> str | None:
    """Why a rack that was entered after the end brings and costs nothing; None if it counts."""
    if not isinstance(event, RackReported) or not event.tiles or after.status != "ended":
        return None
    how, book = after.end_reason or "", after.rulebook
    if any(line.kind.startswith("end_rack") for line in after.adjustments) or how == EndReason.OUT:
        return None
    if how in UNFINISHED:
        return "no points by it: no rack counts in a game without a result"
    if how == EndReason.OVERTIME_LIMIT:
        return "no points by it: no rack counts once the limit on overtime is exceeded"
    if how.startswith("forfeit"):
        return "no points by it: no rack counts in a game that was forfeited"
    if how == EndReason.SIX_ZEROS or book.unplayed_factor:
        return None
    return (
        f"no points by it: the game ended with tiles on both racks ({ENDS.get(how, how)}), and "
        f"{book.name} counts them only after scoreless turns or in a game that is cut short"
    )


def _turns(found: Difference, after: GameState, event: Event) -> Iterator[str]:
    for turn in found.turns:
        if isinstance(event, TurnParted) and turn.number == event.turn + 1:
            made = after.turns[turn.number - 1]
            what = f"{made.position} {_words(made.word)}" if made.word else _value(made.kind)
            play = f"{after.players[made.side]}: {what}, {signed(made.score)}"
            yield f"turn {turn.number}: new, {play}"
        else:
            yield from _turn(turn, after.players)


def _turn(turn: TurnDifference, names: Mapping[str, str]) -> Iterator[str]:
    was, now = turn.before, turn.after
    if was is None or now is None:
        yield f"turn {turn.number}: {'new' if was is None else 'no turn any more'}"
        return
    parts = [
        f"{words} {_field(name, was[name], now[name], names)}".strip()
        for name, words in _FIELDS.items()
        if name in now
    ]
    if "tiles" in now and "word" not in now:
        parts.append(f"tiles {_value(was['tiles'])} → {_value(now['tiles'])}")
    if parts:
        yield f"turn {turn.number}: {', '.join(parts)}"
    for flag in turn.flags_new:
        yield f"turn {turn.number}: flagged, {label(flag.code)}"
    for flag in turn.flags_gone:
        yield f"turn {turn.number}: settled, {label(flag.code)}"


_FIELDS: Final = {
    "side": "player",
    "kind": "",
    "position": "position",
    "word": "word",
    "score": "score",
    "bonus": "bonus",
}


def _field(name: str, was: Any, now: Any, names: Mapping[str, str]) -> str:
    """A field that changed, before and after."""
    if name == "side":
        return f"{names[was]} → {names[now]}"
    if name == "word":
        return _words(was, now)
    words = kind_words if name == "kind" else _value
    return f"{words(was)} → {words(now)}"


def _words(*words: str | None) -> str:
    """Words as people read them: ▢ for a tile that nobody has read, ? for a blank."""
    unsaid = any(UNDESIGNATED in word for word in words if word is not None)
    text = " → ".join(_value(None) if word is None else printed(word) for word in words)
    return f"{text} (? is a blank with no letter yet)" if unsaid else text


def kind_words(kind: str) -> str:
    """What a turn was, in words."""
    return str(RULINGS.get(kind, _value(kind)))  # type: ignore[call-overload]


def _value(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        tiles = [f"{square} {symbol_words(symbol)}" for square, symbol in value.items()]
        return ", ".join(tiles) or "none"
    return number(value) if isinstance(value, int) else str(value).replace("_", " ")


def _lines(before: GameState, after: GameState) -> Iterator[str]:
    """Lines beside the turns that came or went."""

    def key(line: Adjustment) -> tuple[str, Side, int, str]:
        return line.kind, line.side, line.points, line.tiles

    old, new = [key(one) for one in before.adjustments], [key(one) for one in after.adjustments]
    for line in before.adjustments:
        if key(line) not in new:
            yield f"{line_words(line, after.players)}: counts no longer"
    for line in after.adjustments:
        if key(line) not in old:
            yield f"{line_words(line, after.players)}: counts now"


def line_words(line: Adjustment, names: Mapping[str, str]) -> str:
    """A line beside the turns, in words."""
    tiles = f" ({line.tiles})" if line.tiles else ""
    return f"{line.kind.replace('_', ' ')}{tiles}, {signed(line.points)} for {names[line.side]}"


_FACTS: Final = {
    "status": "the game",
    "end_reason": "ended by",
    "on_turn": "on turn",
    "bag_count": "tiles in the bag",
    "outcome": "outcome",
}


def _facts(found: Difference, after: GameState) -> Iterator[str]:
    for name, (was, now) in found.facts.items():
        if name in _FACTS:
            yield f"{_FACTS[name]}: {_fact(was, after)} → {_fact(now, after)}"


def _fact(value: Any, after: GameState) -> str:
    if not isinstance(value, str):
        return _value(value)
    first, by, rest = value.partition(" by ")
    return f"{after.players.get(first, _value(first))}{by}{rest}"
