"""What people entered: who, when, why, about which turns, and what it changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from game.adjudication.answers import RULINGS
from game.adjudication.preview import Difference, TurnDifference, between
from game.events import (
    FACTS,
    SIDES,
    BlankDesignated,
    ButtonPressed,
    ChallengeBonus,
    ClockAdjusted,
    ClockStartedInError,
    Event,
    GameEnded,
    GameForfeited,
    GameReopened,
    HoldCalled,
    LateStart,
    OvertimeErased,
    PenaltyAdded,
    PlayAccepted,
    PlayersNamed,
    PointsAdjusted,
    PositionRestored,
    RackReported,
    ResultSigned,
    Retracted,
    ScoreAgreed,
    Side,
    SquareCorrected,
    StopExplained,
    TurnInserted,
    TurnParted,
    TurnRuled,
    TurnsJoined,
)
from game.flags import QUESTIONS, label
from game.rulebooks.challenge import cost_label, cost_words
from game.rulebooks.listing import shown
from game.state.ending import Adjustment
from game.state.fold import GameState
from game.state.numbering import as_numbered_now, turns_named
from record.story.entries import Entry, Step
from record.story.event_wording import describe_event

DecisionKind = Literal[
    "challenge", "ruling", "correction", "blank", "clock", "points", "rack", "end", "retraction",
    "names", "entry",
]  # fmt: skip

_KINDS: Final[Mapping[type, DecisionKind]] = {
    BlankDesignated: "blank",
    ButtonPressed: "clock",
    ChallengeBonus: "challenge",
    ClockAdjusted: "clock",
    ClockStartedInError: "clock",
    GameEnded: "end",
    GameForfeited: "end",
    GameReopened: "end",
    HoldCalled: "challenge",
    LateStart: "clock",
    OvertimeErased: "clock",
    PenaltyAdded: "points",
    PlayAccepted: "challenge",
    PlayersNamed: "names",
    PointsAdjusted: "points",
    PositionRestored: "ruling",
    RackReported: "rack",
    ResultSigned: "end",
    Retracted: "retraction",
    ScoreAgreed: "points",
    SquareCorrected: "correction",
    StopExplained: "clock",
    TurnInserted: "correction",
    TurnParted: "correction",
    TurnsJoined: "correction",
}


@dataclass(frozen=True, slots=True)
class Decision:
    """One thing that somebody entered."""

    entry: Entry
    kind: DecisionKind
    text: str
    """What was entered, with the turns' numbers of today."""
    turns: tuple[int, ...]
    """The turns that it is about; none where it is about the game."""
    named: bool
    """True if it names those turns itself; else it was entered at the same stop of the clock."""
    after_turn: int
    """How many turns had been seen when it was entered."""
    changes: tuple[str, ...]
    """What it changed, a line each; none where nothing came of it."""
    rule: str
    """The rule with what the rulebook has of it; empty where none is known."""
    taken_back: int | None = None
    """The number of the event that took it back."""
    takes_back: int | None = None
    """Of a retraction: the number of the event that it takes back."""

    @property
    def stands(self) -> bool:
        """True if it was not taken back."""
        return self.taken_back is None


def decisions_of(steps: Sequence[Step]) -> tuple[Decision, ...]:
    """Everything that people entered in a game, in its order."""
    last = steps[-1].after
    gone = {
        step.entry.event.event: step.entry.number
        for step in steps
        if isinstance(step.entry.event, Retracted)
    }
    named = {step.entry.number: _named(last, step.entry, steps) for step in steps}
    return tuple(
        _decision(steps, step, named, gone, _stop_of(steps, at))
        for at, step in enumerate(steps)
        if step.before is not None and _entered(step.entry)
    )


def _entered(entry: Entry) -> bool:
    return not isinstance(entry.event, FACTS) or (
        isinstance(entry.event, ButtonPressed) and bool(entry.by)
    )


def _decision(
    steps: Sequence[Step],
    step: Step,
    named: Mapping[int, tuple[int, ...]],
    gone: Mapping[int, int],
    beside: Sequence[Entry],
) -> Decision:
    entry, before, last = step.entry, step.before, steps[-1].after
    assert before is not None
    own = named[entry.number]
    turns = own
    if not own:  # at the same stop of the clock somebody may have ruled on a turn
        turns = next((named[one.number] for one in beside if named[one.number]), ())
    event = as_numbered_now(last, entry.number, entry.event)
    text = describe_event(event, last.players)
    if isinstance(event, Retracted):
        text = f"{text}: {_taken_back(last, steps[event.event - 1].entry)}"
    kind = _KINDS.get(type(event), "ruling" if isinstance(event, TurnRuled) else "entry")
    if isinstance(event, TurnRuled) and event.ruling.startswith("challenge"):
        kind = "challenge"
    return Decision(
        entry,
        kind,
        text,
        turns,
        bool(own),
        len(before.turns),
        tuple(changes(before, step.after, entry.event)),
        _rule(last, event),
        gone.get(entry.number),
        entry.event.event if isinstance(entry.event, Retracted) else None,
    )


def _taken_back(last: GameState, entry: Entry) -> str:
    return describe_event(as_numbered_now(last, entry.number, entry.event), last.players)


def _rule(last: GameState, event: Event) -> str:
    """The rule that was entered, or that has the cost of a challenge in vain."""
    book = last.rulebook
    if isinstance(event, TurnRuled) and event.ruling == "challenge_failed":
        number = book.rule("challenge.failed")
        cost = f"a challenge in vain costs {cost_label(cost_words(book))}"
        return f"rule {number}: {cost}" if number else f"under {book.name} {cost}"
    entered = getattr(event, "rule", None)
    if not entered:
        return ""
    meanings = [one.meaning for one in shown(book) if one.rule == entered]
    known = entered in {*book.event_rules.values(), *(one.rule for one in book.guidance.values())}
    if meanings:
        return f"rule {entered}, as entered; this rulebook's rule {entered}: {meanings[0]}"
    return f"rule {entered}, as entered{'' if known else '; no setting of this rulebook names it'}"


def _named(last: GameState, entry: Entry, steps: Sequence[Step]) -> tuple[int, ...]:
    """Today's numbers of the turns that an event names, itself or by a square."""
    event = entry.event
    if isinstance(event, Retracted):
        target = steps[event.event - 1].entry
        return _named(last, target, steps)
    if isinstance(event, BlankDesignated):
        on = [turn.number for turn in last.turns if event.square in turn.tiles]
        return tuple(on[-1:])
    return tuple(
        number
        for number in turns_named(last, entry.number, event)
        if 1 <= number <= len(last.turns)
    )


def _stop_of(steps: Sequence[Step], at: int) -> list[Entry]:
    """What people entered between the same two presses, the nearest first."""
    first = at
    while first > 0 and not _starts(steps[first].entry.event):
        first -= 1
    end = at + 1
    while end < len(steps) and not _starts(steps[end].entry.event):
        end += 1
    near = sorted((n for n in range(first, end) if n != at), key=lambda n: (abs(n - at), n))
    beside = [steps[n].entry for n in near if _entered(steps[n].entry)]
    return [one for one in beside if not isinstance(one.event, StopExplained)]


def _starts(event: Event) -> bool:
    return isinstance(event, ButtonPressed) and event.button != "neutral"


def changes(before: GameState, after: GameState, event: Event) -> Iterator[str]:
    """What an event changed, a line each."""
    found = between(before, after)
    yield from _turns(found, after, event)
    yield from _lines(before, after)
    for side, (was, now) in found.scores.items():
        if was != now:
            yield f"{after.players[side]}'s score: {was} → {now}"
    if isinstance(event, ClockAdjusted | LateStart | OvertimeErased | Retracted):
        for side, (was_left, left) in found.clocks.items():
            yield f"{after.players[side]}'s clock: {was_left} → {left}"
    yield from _facts(found, after)
    for flag in found.flags_new:
        yield f"{'asked' if flag.code in QUESTIONS else 'flagged'} since: {flag.message}"
    for flag in found.flags_gone:
        yield f"no longer asked: {label(flag.code)}"
    if _gives_no_points(after, event):
        yield "no points by this ruling: how many words were challenged was not entered with it"
    if isinstance(event, ResultSigned):
        scores = ", ".join(f"{after.players[side]} {after.scores[side]}" for side in SIDES)
        yield f"signed as {scores}"


def _gives_no_points(after: GameState, event: Event) -> bool:
    """True for a challenge in vain that costs points by the rules, and none by its ruling."""
    return (
        isinstance(event, TurnRuled)
        and event.ruling == "challenge_failed"
        and not event.words
        and after.rulebook.challenge_failed == "points"
    )


def _turns(found: Difference, after: GameState, event: Event) -> Iterator[str]:
    for turn in found.turns:
        if isinstance(event, TurnParted) and turn.number == event.turn + 1:
            made = after.turns[turn.number - 1]
            what = f"{made.position} {made.word}" if made.word else _value(made.kind)
            play = f"{after.players[made.side]}: {what}, {made.score:+d}"
            yield f"turn {turn.number}: new, {play}"
        else:
            yield from _turn(turn, after.players)


def _turn(turn: TurnDifference, names: Mapping[str, str]) -> Iterator[str]:
    was, now = turn.before, turn.after
    if was is None or now is None:
        yield f"turn {turn.number}: {'new' if was is None else 'no turn any more'}"
        return
    parts = [
        f"{words} {_field(name, was[name], names)} → {_field(name, now[name], names)}".strip()
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


def _field(name: str, value: Any, names: Mapping[str, str]) -> str:
    if name == "side":
        return names[value]
    return str(RULINGS.get(value, _value(value))) if name == "kind" else _value(value)


def _value(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{square} {symbol}" for square, symbol in value.items()) or "none"
    return str(value).replace("_", " ")


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
    return f"{line.kind.replace('_', ' ')}{tiles}, {line.points:+d} for {names[line.side]}"


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
