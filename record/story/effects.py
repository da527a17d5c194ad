"""The effects of an entry on its game, in words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from game import events
from game.adjudication.answers import RULINGS
from game.adjudication.preview import Difference, TurnDifference, between, left_lying, of_no_play
from game.board import UNDESIGNATED
from game.clock import shown
from game.flags import QUESTIONS, label
from game.referee.position import Turn
from game.state.fold import GameState
from game.state.settlement import UNFINISHED, Adjustment
from game.terms import EndReason
from game.tile_symbols import printed, symbol_words
from record.story.entries import Step
from record.story.event_wording import ENDS, Names, number, signed


def effects_of(step: Step, names: Names, lifted: Collection[str]) -> Iterator[str]:
    """Yield the effects of an event, one a line; ``names`` are the players by side.

    ``lifted`` are the squares from which tiles had come off by then.
    """
    before, after, event = step.before, step.after, step.event
    assert before is not None
    found = between(before, after)
    for turn in found.turns:
        yield from _turn(turn, after, event, names)
    yield from left_lying(found, after, lifted)
    yield from of_no_play(found, after)
    yield from _lines(before, after, names)
    for side, (was, now) in found.scores.items():
        if was != now:
            yield f"{names[side]}'s score: {number(was)} → {number(now)}"
    for side in events.SIDES:
        was_ns, now_ns = (one.clocks.remaining(side, step.t_ns) for one in (before, after))
        if was_ns != now_ns:
            yield f"{names[side]}'s clock: {shown(was_ns)} → {shown(now_ns)}"
    yield from _facts(found, names)
    resumed = (before.status, after.status, after.clocks.running) == ("ended", "running", None)
    if resumed and after.timed:
        yield "both clocks stand until one is started"
    for flag in found.flags_new:
        asked = "a new question" if flag.code in QUESTIONS else "a new flag"
        yield f"{asked}: {_with_names(flag.message, after.players, names)}"
    for flag in found.flags_gone:
        yield f"no longer asked: {label(flag.code)}"
    if (why := _rack_without_points(after, event)) is not None:
        yield why
    if _gives_no_points(after, event):
        yield "no points by this ruling: how many words were challenged was not entered with it"
    if isinstance(event, events.ResultSigned):
        scores = ", ".join(f"{names[side]} {number(after.scores[side])}" for side in events.SIDES)
        yield f"signed as {scores}"


def _with_names(text: str, then: Names, now: Names) -> str:
    """Return a text of the game with the present names for those that the players had then."""
    new = {then[side]: now[side] for side in events.SIDES}
    known = "|".join(re.escape(name) for name in sorted(new, key=len, reverse=True) if name)
    return re.sub(rf"\b(?:{known})(?!\w)", lambda found: new[found[0]], text) if known else text


def _gives_no_points(after: GameState, event: events.Event) -> bool:
    """True for a failed challenge that costs points by the rules but none by the ruling."""
    return (
        isinstance(event, events.TurnRuled)
        and event.costs_turn
        and not event.count
        and after.rulebook.challenge_failed == "points"
    )


def _rack_without_points(after: GameState, event: events.Event) -> str | None:
    """Return why a rack that was entered after the end gives no points; None if it does."""
    if not isinstance(event, events.RackReported) or not event.tiles or after.status != "ended":
        return None
    how, book = after.end_reason or "", after.rulebook
    if any(line.kind.startswith("end_rack") for line in after.adjustments) or how == EndReason.OUT:
        return None
    no_end = how in (*UNFINISHED, EndReason.OVERTIME_LIMIT) or how.startswith("forfeit")
    if not no_end and (how == EndReason.SIX_ZEROS or book.unplayed_factor):
        return None
    ended = "a game without a result" if how in UNFINISHED else ENDS.get(how, "a forfeit")
    return f"no points by it: under {book.name} no rack counts at such an end ({ended})"


def _turn(
    turn: TurnDifference, after: GameState, event: events.Event, names: Names
) -> Iterator[str]:
    was, now = turn.before, turn.after
    if was is None or (isinstance(event, events.TurnParted) and turn.number == event.turn + 1):
        made = after.turns[turn.number - 1]
        yield f"turn {turn.number}: new, {names[made.side]}: {turn_words(made)}"
        return
    if now is None:
        yield f"turn {turn.number}: no turn any more"
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
        yield f"turn {turn.number}: no longer flagged, {label(flag.code)}"


_FIELDS: Final = {
    "side": "player",
    "kind": "",
    "position": "position",
    "word": "word",
    "score": "score",
    "bonus": "bonus",
}


def _field(name: str, was: Any, now: Any, names: Names) -> str:
    """Return the value of a changed field before and after, in words."""
    if name == "side":
        return f"{names[was]} → {names[now]}"
    if name == "word":
        return _words(was, now)
    words = kind_words if name == "kind" else _value
    return f"{words(was)} → {words(now)}"


def _words(*words: str | None) -> str:
    """Return words as people read them: ▢ for an unread tile, ? for a blank without a letter."""
    unsaid = any(UNDESIGNATED in word for word in words if word is not None)
    text = " → ".join(_value(None) if word is None else printed(word) for word in words)
    return f"{text} (? is a blank with no letter yet)" if unsaid else text


def turn_words(turn: Turn) -> str:
    """Return what was played in a turn, and its points: ``8D PLATE, +20``."""
    what = kind_words(turn.kind)
    if turn.main_word is not None:
        how = "" if turn.kind == "play" else f" ({what})"
        what = f"{turn.position} {printed(turn.main_word)}{how}"
    return f"{what}, {signed(turn.score)}"


def kind_words(kind: str) -> str:
    """Return the kind of a turn in words."""
    return str(RULINGS.get(kind, _value(kind)))  # type: ignore[call-overload]


def _value(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        tiles = [f"{square} {symbol_words(symbol)}" for square, symbol in value.items()]
        return ", ".join(tiles) or "none"
    return number(value) if isinstance(value, int) else str(value).replace("_", " ")


def _lines(before: GameState, after: GameState, names: Names) -> Iterator[str]:
    """Yield a line for each adjustment that was added or removed."""

    def key(line: Adjustment) -> tuple[str, events.Side, int, str]:
        return line.kind, line.side, line.points, line.tiles

    old, new = [key(one) for one in before.adjustments], [key(one) for one in after.adjustments]
    for lines, other, how in ((before, new, "no longer"), (after, old, "now")):
        for line in lines.adjustments:
            if key(line) not in other:
                yield f"{line_words(line, names)}: counts {how}"


def line_words(line: Adjustment, names: Names) -> str:
    """Return an adjustment (bonus, penalty, rack, time) in words: its kind, points and player."""
    tiles = f" ({line.tiles})" if line.tiles else ""
    return f"{line.kind.replace('_', ' ')}{tiles}, {signed(line.points)} for {names[line.side]}"


_FACTS: Final = {
    "left": "the player on the left",
    "right": "the player on the right",
    "status": "the game",
    "end_reason": "ended by",
    "on_turn": "on turn",
    "bag_count": "tiles in the bag by count",
    "outcome": "outcome",
}


def _facts(found: Difference, names: Names) -> Iterator[str]:
    for name, (was, now) in found.facts.items():
        if name in _FACTS:
            named = name in ("on_turn", "outcome")
            words = (_value(one) if not named else _named_side(one, names) for one in (was, now))
            yield f"{_FACTS[name]}: {' → '.join(words)}"


def _named_side(value: str | None, names: Names) -> str:
    """Return a fact that begins with a side, such as ``left leads by 7``, with the name there."""
    side, _, rest = _value(value).partition(" ")
    return f"{names.get(side, side)} {rest}".rstrip()
