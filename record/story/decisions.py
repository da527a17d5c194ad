"""The entries of people as incidents: author, time, reason, turns, and the effects on the game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from game import events
from game.adjudication.preview import between
from game.guidance import by_name
from game.state.clock_events import OnClocks
from game.state.end_events import OnTheEnd
from game.state.fold import GameState
from game.state.ledger import TAKEN_OFF
from game.state.restructuring import Restructuring
from record.story.changes import TakenOff
from record.story.effects import effects_of, kind_words
from record.story.entries import Entry, Step
from record.story.event_wording import Names, from_press, lasting, number
from record.story.incident import Incident, IncidentKind
from record.story.places import Course, moment_ns, own_end
from record.story.rules import deciding_rule
from record.story.sums import turn_sum

_KINDS: Final[tuple[tuple[IncidentKind, Any], ...]] = (
    ("challenge", events.ChallengeBonus | events.HoldCalled | events.PlayAccepted),
    ("correction", Restructuring | events.BlankDesignated | events.SquareCorrected),
    ("correction", events.Retracted),
    ("end", OnTheEnd | events.RackReported),
    ("ruling", OnClocks | events.PenaltyAdded | events.PointsAdjusted | events.PositionRestored),
    ("ruling", events.ButtonPressed | events.ScoreAgreed | events.StopExplained | events.TurnRuled),
)
"""The events of each kind; a ruling on a challenge is a challenge, and any other event a note."""

_BY_WORD: Final = (
    events.BlankDesignated | events.ClockStartedInError | events.DrawDelayed
    | events.GameForfeited | events.HoldCalled | events.LateStart | events.PlayAccepted
    | events.RackReported | events.ScoreAgreed | events.TilesFound
)  # fmt: skip
"""The entries about what no picture of the board can show."""

_LATE_NS: Final = 60_000_000_000
"""The delay of an entry from which it is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision(Incident):
    """An entry of a person, with its effects; its turns have their present numbers."""

    entry: Entry
    changes: tuple[str, ...]
    """The effects, one a line; empty if there were none."""
    entered_ns: int
    """When it was entered, on the table's base."""
    taken_back: int | None
    """The number of the event that took the entry back; None if none did."""
    off: tuple[TakenOff, ...]
    """For a ruling by which a play came off: when its tiles were lifted from the board."""

    @property
    def stands(self) -> bool:
        """True if the entry was not taken back."""
        return self.taken_back is None


def looked_again(step: Step) -> str:
    """Return the square that the camera read again with nothing changed; empty for all else."""
    if not isinstance(step.event, events.SquareCorrected) or step.by != events.CAMERA:
        return ""
    assert step.before is not None
    found = between(step.before, step.after)
    return "" if found.squares or any(one.before for one in found.turns) else step.event.square


def decisions_of(course: Course, off: Mapping[int, tuple[TakenOff, ...]]) -> tuple[Decision, ...]:
    """Return the entries of people in a game, in order; ``off`` are the plays lifted as ruled."""
    entered = [step for step in course.steps if step.before is not None and _entered(step)]
    gone = {
        step.event.event: step.number
        for step in entered
        if isinstance(step.event, events.Retracted)
    }
    standing = [step for step in entered if step.number not in gone]
    decides = {_matter(step, course): step.number for step in standing}
    lifted = {
        step.number: off.get(turn, ()) for turn, step in _rulings_off(standing, course).items()
    }
    return tuple(
        _decision(course, step, gone.get(step.number), by, lifted.get(step.number, ()))
        for step in entered
        for by in (decides.get(_matter(step, course), 0),)
    )


def _rulings_off(standing: Iterable[Step], course: Course) -> dict[int, Step]:
    """Return the ruling by which the play of each turn came off that did: the last that stands."""
    return {
        turn: step
        for step in standing
        if isinstance(step.event, events.TurnRuled) and step.event.ruling in TAKEN_OFF
        for turn in course.places[step.number].turns[:1]
    }


def _matter(step: Step, course: Course) -> tuple[object, ...]:
    """Return the matter of an entry, of which only the last counts; most are their own."""
    match step.event:
        case events.TurnRuled(ruling=ruling) if ruling.startswith("challenge_"):
            return ("challenge", course.places[step.number].turns)
        case events.BlankDesignated(square=square):
            return ("blank", square)
    return (step.number,)


def _entered(entry: Step) -> bool:
    if isinstance(entry.event, events.FACTS):
        return isinstance(entry.event, events.ButtonPressed) and bool(entry.by)
    return not looked_again(entry)


def _decision(
    course: Course, step: Step, taken_back: int | None, decides: int, off: tuple[TakenOff, ...]
) -> Decision:
    """Return an entry with its effects; ``decides`` is the last on its matter that stands."""
    last, event = course.state, course.now(step)
    entered_ns = course.entered_ns(step)
    effects = list(effects_of(step, course.names, course.lifted(step.t_ns)))
    if taken_back is None and (lost := _lost_turn(last, event)) is not None:
        effects.append(lost)
    failed = getattr(event, "ruling", None) == "challenge_failed"
    parts = effects or ["the play stands" if failed else "nothing changed by it"]
    parts = [*parts, *against(course, step), *(one.text for one in off)]
    if decides > step.number and taken_back is None:
        parts.append(f"it holds no longer: event {decides} decides")
    outcome = "; ".join(parts)
    if taken_back is not None:
        outcome = f"taken back by event {taken_back}; it had done: {outcome}"
    return Decision(
        _kind(event),
        course.places[step.number],
        course.words(step),
        outcome,
        event=step.number,
        why=step.why,
        rule=deciding_rule(last, step, event),
        how_entered="".join(_how_entered(course, step, entered_ns)),
        entry=step,
        changes=tuple(effects),
        entered_ns=entered_ns,
        taken_back=taken_back,
        off=off,
    )


def _kind(event: events.Event) -> IncidentKind:
    if isinstance(event, events.TurnRuled) and event.ruling.startswith("challenge"):
        return "challenge"
    return next((kind for kind, types in _KINDS if isinstance(event, types)), "note")


def _how_entered(course: Course, step: Step, entered_ns: int) -> Iterator[str]:
    """Yield when it was called, who entered it and how late, and if it rests on that alone."""
    turns, name = course.places[step.number].turns, step.by
    called_ns = getattr(step.event, "called_ns", None)
    if called_ns is not None and turns:
        play = course.state.turns[turns[0] - 1]
        yield f", called {from_press(called_ns - play.press_ns, own_end(play))}"
    if not name:
        return
    yield f" (entered by {name}"
    if (later_ns := entered_ns - moment_ns(step)) > 0:
        yield f", {lasting(later_ns)} later"
    after = course.after(entered_ns)
    if course.places[step.number].named and turns and after > turns[-1]:
        yield f", when turn {after} had ended"
    if (ns := course.late_ns(step)) >= _LATE_NS:
        yield f", {lasting(ns)} after the {'time of the turn' if turns else 'end of the game'}"
    yield ")"
    if called_ns is not None:
        yield f", the call on {name}'s word: no picture shows it"
    elif isinstance(step.event, events.ClockAdjusted | events.DirectorNoted):
        yield f", on {name}'s word"  # the table's own clock or a picture may show it
    elif isinstance(step.event, _BY_WORD) and name != events.CAMERA:
        yield f", on {name}'s word: no picture shows it"


def against(course: Course, step: Step) -> Iterator[str]:
    """Yield the record's own contradictions of points that were entered, one a line."""
    match step.event:
        case events.PointsAdjusted(on="score", side=side) | events.ScoreAgreed(turn=0, side=side):
            yield _own_sums(step, side, course.names)
        case events.PointsAdjusted() | events.PenaltyAdded():
            yield from _in_the_bag(course, step)


def _own_sums(step: Step, side: events.Side, names: Names) -> str:
    """Return what the squares give a player, or the turns of which they do not give the score."""
    state = step.before
    assert state is not None
    unlike = []
    for turn in state.turns:
        if turn.side == side and turn.kind == "play":
            found = turn_sum(turn, state.tile_set)
            if found is None or found.made + turn.bonus - turn.penalty != found.counts:
                unlike.append(f"turn {turn.number}")
    if unlike:
        return f"by the record the squares do not give the score of {', '.join(unlike)}"
    score = number(state.scores[side])
    return (
        f"the record's own sums gave {names[side]} {score} before it: each play scores what its "
        "squares give, premiums counted"
    )


def _in_the_bag(course: Course, step: Step) -> Iterator[str]:
    """Yield the tiles in the bag at a report that points answer, if the text goes by them."""
    assert step.before is not None
    reports = zip(step.before.progress.reports, step.after.progress.reports, strict=False)
    for was, now in reports:
        guide = step.after.rulebook.guide(was.code)
        texts = [by_name(str(one), course.names, was.side) for one in guide.remedies]
        if was.answered is None and now.answered and any("the bag" in one for one in texts):
            bag = course.steps[was.event - 1].after.bag_count
            yield f"{bag} tiles were in the bag when it was reported; the rules: {'; '.join(texts)}"


def _lost_turn(last: GameState, event: events.Event) -> str | None:
    """Return which turn a failed challenge cost, in words; None unless the rulebook takes a turn.

    The play stands and the ruling itself changes nothing: the turn is lost when the challenger's
    clock is pressed with nothing played.
    """
    if not isinstance(event, events.TurnRuled) or not event.costs_turn:
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
