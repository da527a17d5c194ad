"""The entries of people: author, time, reason, turns, and the effects on the game."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from game import events
from game.adjudication.answers import RULINGS
from game.adjudication.preview import Difference, TurnDifference, between, left_lying, of_no_play
from game.board import UNDESIGNATED
from game.clock import shown
from game.flags import QUESTIONS, label
from game.state.clock_events import OnClocks
from game.state.end_events import OnTheEnd
from game.state.fold import GameState
from game.state.ledger import TAKEN_OFF
from game.state.restructuring import Restructuring
from game.state.settlement import UNFINISHED, Adjustment
from game.terms import EndReason
from game.tile_symbols import printed, symbol_words
from record.story.contradictions import against
from record.story.entries import Entry, Step
from record.story.event_wording import ENDS, Names, number, signed
from record.story.places import Course, Place, moment_ns
from record.story.rules import deciding_rule
from record.story.taken_off import TakenOff

DecisionKind = Literal["challenge", "ruling", "correction", "end", "note"]

_KINDS: Final[tuple[tuple[DecisionKind, Any], ...]] = (
    ("challenge", events.ChallengeBonus | events.HoldCalled | events.PlayAccepted),
    ("correction", Restructuring | events.BlankDesignated | events.SquareCorrected),
    ("correction", events.Retracted),
    ("end", OnTheEnd | events.RackReported),
    ("ruling", OnClocks | events.PenaltyAdded | events.PointsAdjusted | events.PositionRestored),
    ("ruling", events.ButtonPressed | events.ScoreAgreed | events.StopExplained | events.TurnRuled),
)
"""The events of each kind; a ruling on a challenge is a challenge, and any other event a note."""


@dataclass(frozen=True, slots=True)
class Decision:
    """An entry of a person, with its effects."""

    entry: Entry
    kind: DecisionKind
    text: str
    """The entry in words, with the turns' present numbers."""
    place: Place
    """The turns at which the entry stands, or the game."""
    changes: tuple[str, ...]
    """The effects, one a line; empty if there were none."""
    against: tuple[str, ...]
    """The record's own contradictions of it, one a line; empty if there is none."""
    rule: str
    """The rule that decides, in words (:mod:`record.story.rules`); empty if none is known."""
    entered_ns: int
    """When it was entered, on the table's base."""
    happened_ns: int | None
    """When it happened, or the challenge was called, if the entry says so; None if it was entered
    at once."""
    taken_back: int | None = None
    """The number of the event that took the entry back; None if none did."""
    takes_back: int | None = None
    """For a retraction: the number of the event that is taken back."""
    overtaken: int | None = None
    """The number of the later entry on the same matter that decides; None if there is none."""
    off: tuple[TakenOff, ...] = ()
    """For a ruling by which a play came off: when its tiles were lifted from the board."""

    @property
    def outcome(self) -> str:
        """Its effects in words, and what they are if it had none."""
        parts = [*self.changes]
        failed = getattr(self.entry.event, "ruling", None) == "challenge_failed"
        if not parts:
            parts.append("the play stands" if failed else "nothing changed by it")
        parts += (*self.against, *(one.text for one in self.off))
        if self.overtaken is not None and self.stands:
            parts.append(f"it holds no longer: event {self.overtaken} decides")
        return "; ".join(parts)

    @property
    def turns(self) -> tuple[int, ...]:
        """The turns at which the entry stands; empty if it stands at the game."""
        return self.place.turns

    @property
    def stands(self) -> bool:
        """True if the entry was not taken back."""
        return self.taken_back is None

    @property
    def called(self) -> bool:
        """True if the entry says when a challenge was called."""
        return getattr(self.entry.event, "called_ns", None) is not None


def decisions_of(course: Course, off: Mapping[int, tuple[TakenOff, ...]]) -> tuple[Decision, ...]:
    """Return the entries of people in a game, in order; ``off`` are the plays lifted as ruled."""
    steps = course.steps
    gone = {
        step.event.event: step.number for step in steps if isinstance(step.event, events.Retracted)
    }
    found = tuple(
        _decision(course, step, gone.get(step.number))
        for step in steps
        if step.before is not None and _entered(step)
    )
    matters = [_matter(one) for one in found]
    last = {of: one.entry.number for of, one in zip(matters, found, strict=True) if one.stands}
    decides = (last.get(of) if of is not None else None for of in matters)
    lifted = {one.entry.number: off.get(one.turns[0], ()) for one in _rulings_off(found)}
    return tuple(
        replace(
            one,
            overtaken=by if by is not None and by > one.entry.number else None,
            off=lifted.get(one.entry.number, ()),
        )
        for one, by in zip(found, decides, strict=True)
    )


def _rulings_off(found: Iterable[Decision]) -> Iterable[Decision]:
    """Return the ruling by which each play came off that did: the last on it that stands."""
    rulings = (
        one
        for one in found
        if one.stands
        and one.turns
        and isinstance(one.entry.event, events.TurnRuled)
        and one.entry.event.ruling in TAKEN_OFF
    )
    return {one.turns[0]: one for one in rulings}.values()


def _matter(one: Decision) -> tuple[object, ...] | None:
    """Return the matter of an entry of which only the last counts; None for any other entry."""
    match one.entry.event:
        case events.TurnRuled(ruling=ruling) if ruling.startswith("challenge_"):
            return ("challenge", one.turns)
        case events.BlankDesignated(square=square):
            return ("blank", square)
    return None


def _entered(entry: Entry) -> bool:
    return not isinstance(entry.event, events.FACTS) or (
        isinstance(entry.event, events.ButtonPressed) and bool(entry.by)
    )


def _decision(course: Course, step: Step, taken_back: int | None) -> Decision:
    last, event = course.state, course.now(step)
    entered_ns, moment = course.entered_ns(step), moment_ns(step)
    effects = list(changes(step, course.names))
    if taken_back is None and (lost := _lost_turn(last, event)) is not None:
        effects.append(lost)
    return Decision(
        step,
        _kind(event),
        course.words(step),
        course.places[step.number],
        tuple(effects),
        tuple(against(course, step)),
        deciding_rule(last, step, event),
        entered_ns,
        None if moment == entered_ns else moment,
        taken_back,
        step.event.event if isinstance(step.event, events.Retracted) else None,
    )


def _kind(event: events.Event) -> DecisionKind:
    if isinstance(event, events.TurnRuled) and event.ruling.startswith("challenge"):
        return "challenge"
    return next((kind for kind, types in _KINDS if isinstance(event, types)), "note")


def _lost_turn(last: GameState, event: events.Event) -> str | None:
    """Return which turn a failed challenge cost, in words; None unless the rulebook takes a turn.

    The play stands and the ruling itself changes nothing: the turn is lost when the challenger's
    clock is pressed with nothing played.
    """
    if not isinstance(event, events.TurnRuled) or event.ruling != "challenge_failed":
        return None
    if last.rulebook.challenge_failed != "lose_turn" or not 1 <= event.turn <= len(last.turns):
        return None
    play = last.turns[event.turn - 1]
    name = last.players[events.other(play.side)]
    if play.kind != "play":
        return None
    if event.turn == len(last.turns):
        if last.status == "ended":
            return None
        return f"{name} loses the next turn: a press of the clock with nothing played"
    after = last.turns[event.turn]
    if after.kind == "challenge_failed":
        return f"turn {after.number} is the turn that {name} lost by it"
    if after.kind == "no_score" and after.ruling is None:
        lost = f"turn {after.number} is the turn that {name} lost by it"
        return f"{lost}: the play that was made in it scores nothing"
    return f"{name} lost no turn by it: turn {after.number} was {kind_words(after.kind)}"


def changes(step: Step, names: Names) -> Iterator[str]:
    """Yield the effects of an event, one a line; ``names`` are the players by side."""
    before, after, event = step.before, step.after, step.event
    assert before is not None
    found = between(before, after)
    yield from _turns(found, after, event, names)
    yield from left_lying(found, after)
    yield from of_no_play(found, after)
    yield from _lines(before, after, names)
    for side, (was, now) in found.scores.items():
        if was != now:
            yield f"{names[side]}'s score: {number(was)} → {number(now)}"
    for side in events.SIDES:
        was_ns, now_ns = (one.clocks.remaining(side, step.t_ns) for one in (before, after))
        if was_ns != now_ns:
            yield f"{names[side]}'s clock: {shown(was_ns)} → {shown(now_ns)}"
        if before.players[side] != after.players[side]:
            yield f"the player on the {side}: {before.players[side]} → {after.players[side]}"
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
        and event.ruling == "challenge_failed"
        and not event.count
        and event.ground != "placement"
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


def _turns(found: Difference, after: GameState, event: events.Event, names: Names) -> Iterator[str]:
    for turn in found.turns:
        if isinstance(event, events.TurnParted) and turn.number == event.turn + 1:
            made = after.turns[turn.number - 1]
            what = f"{made.position} {_words(made.word)}" if made.word else _value(made.kind)
            play = f"{names[made.side]}: {what}, {signed(made.score)}"
            yield f"turn {turn.number}: new, {play}"
        else:
            yield from _turn(turn, names)


def _turn(turn: TurnDifference, names: Names) -> Iterator[str]:
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
    for line in before.adjustments:
        if key(line) not in new:
            yield f"{line_words(line, names)}: counts no longer"
    for line in after.adjustments:
        if key(line) not in old:
            yield f"{line_words(line, names)}: counts now"


def line_words(line: Adjustment, names: Names) -> str:
    """Return an adjustment (bonus, penalty, rack, time) in words: its kind, points and player."""
    tiles = f" ({line.tiles})" if line.tiles else ""
    return f"{line.kind.replace('_', ' ')}{tiles}, {signed(line.points)} for {names[line.side]}"


_FACTS: Final = {
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
