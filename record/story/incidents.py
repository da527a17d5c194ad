"""The incidents of a game: each with its time, its turn and its outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from game.clock import passed
from game.events import ActionTaken, PicturesDeleted, TimePassed, TimeUnseen, TroubleNoted
from game.flag_codes import Cost
from game.flags import CODES, QUESTIONS, Flag, label
from game.rulebooks.rulebook import Rulebook
from game.state.fold import GameState
from record.story.accounts import ClockAccount
from record.story.decisions import Decision
from record.story.entries import Step
from record.story.event_wording import describe_event
from record.story.turns import TurnStory, settled_by

IncidentKind = Literal[
    "challenge", "ruling", "correction", "doubt", "flag", "interruption", "overtime", "end", "note"
]

_OF_DECISION: Final[dict[str, IncidentKind]] = {
    "challenge": "challenge",
    "ruling": "ruling",
    "correction": "correction",
    "blank": "correction",
    "rack": "end",
    "clock": "ruling",
    "points": "ruling",
    "end": "end",
    "retraction": "correction",
    "names": "note",
    "entry": "note",
}

_COSTS: Final[Mapping[Cost, str]] = {
    "points": "no question: what it costs is among the points beside the turns",
    "time": "no question: the time is taken off the clock",
}
_COSTS_AT_PRESS: Final = (
    "by the presses; what it costs in the end is among the points beside the turns"
)

BEYOND: Final[dict[str, str]] = {
    "challenge": "That a challenge was called, by whom and when, is words spoken: no camera sees "
    "them. What stands here is what was entered.",
    "rack": "What was drawn, and when, goes on in a bag and on racks that no camera sees.",
    "clock": "Why a clock was stopped is entered by people; the presses are the table's own.",
    "end": "What the players agreed on or announced is words spoken; what stands here was entered.",
    "blank": "Which letter a blank stands for is announced by word or slip; the camera sees a "
    "blank.",
    "exchange": "Whether it was an exchange or a pass, and which tiles were drawn, is not to be "
    "seen on the board.",
}
"""Notes on what a camera cannot settle, by the kind of entry or turn."""


@dataclass(frozen=True, slots=True)
class Incident:
    """An incident, with its time, its turn and its outcome."""

    kind: IncidentKind
    t_ns: int
    turn: int | None
    """The turn; None before the first turn and at the end of the game."""
    text: str
    outcome: str
    open: bool = False
    """True if something is still to be decided."""
    beyond: str = ""
    """The part of the incident that no camera can settle; empty if there is none."""
    event: int | None = None
    """The number of the event, if the incident is an event."""
    also: tuple[int, ...] = ()
    """Further turns that the incident is about."""


def incidents_of(
    steps: Sequence[Step],
    turns: Sequence[TurnStory],
    decisions: Sequence[Decision],
    clock: ClockAccount | None,
) -> tuple[Incident, ...]:
    """Return the incidents of a game, by time."""
    state = steps[-1].after
    found = [
        *_decided(decisions),
        *_flagged(turns),
        *_of_game(state, steps),
        *_inferred(turns, state.rulebook),
        *_stops(clock, state),
        *_noted(steps),
    ]
    return tuple(sorted(found, key=lambda one: one.t_ns))


def _decided(decisions: Sequence[Decision]) -> Iterator[Incident]:
    for one in decisions:
        outcome = "; ".join(one.changes) or "nothing changed by it"
        if one.taken_back is not None:
            outcome = f"taken back by event {one.taken_back}; it had done: {outcome}"
        by = f" (entered by {one.entry.by})" if one.entry.by else ""
        t_ns = getattr(one.entry.event, "called_ns", None) or one.entry.logged.mono_ns
        turns = one.turns or ((one.after_turn,) if one.after_turn else (None,))
        yield Incident(
            _OF_DECISION[one.kind],
            t_ns,
            turns[0],
            f"{one.text}{by}",
            outcome,
            beyond=BEYOND.get(one.kind, ""),
            event=one.entry.number,
            also=tuple(number for number in turns[1:] if number is not None),
        )


def _kind(code: str) -> IncidentKind:
    if CODES[code].costs == "points":
        return "overtime"
    return "doubt" if code in QUESTIONS else "flag"


def _flagged(turns: Sequence[TurnStory]) -> Iterator[Incident]:
    for story in turns:
        for note in story.flags:
            flag = note.flag
            about = flag.turn or story.number
            if about != story.number and about <= len(turns):
                continue  # it is listed with the turn that it is about
            asked = flag.code in QUESTIONS
            unsettled = "still open" if asked else "nothing was entered"
            if CODES[flag.code].costs == "points":
                unsettled = _COSTS_AT_PRESS
            where = story.turn.press_ns, story.number
            yield _of_flag(flag, where, note.settled_by, unsettled, asked=asked)


def _of_flag(
    flag: Flag, where: tuple[int, int | None], settled: str, unsettled: str, *, asked: bool
) -> Incident:
    """Return the incident of a flag at ``where`` (time, turn), with its outcome, settled or not."""
    rule = f" (rule {flag.rule})" if flag.rule else ""
    text = f"{label(flag.code)}: {flag.message}{rule}"
    outcome = f"settled: {settled}" if settled else unsettled
    return Incident(_kind(flag.code), *where, text, outcome, open=asked and not settled)


def _of_game(state: GameState, steps: Sequence[Step]) -> Iterator[Incident]:
    at_ns = max(step.t_ns for step in steps)
    for flag in state.flags:
        costs = CODES[flag.code].costs
        at_last = flag.code == "clock_stopped" or bool(costs)  # it shows with the last turn
        turn = flag.turn or (len(state.turns) if at_last else None)
        unsettled = _COSTS[costs] if costs else "still open"
        where = at_ns, turn or None
        yield _of_flag(flag, where, settled_by(flag, steps), unsettled, asked=not costs)


def _inferred(turns: Sequence[TurnStory], book: Rulebook) -> Iterator[Incident]:
    for story in turns:
        turn = story.turn
        if turn.inferred:
            kind: IncidentKind = "challenge" if turn.kind.startswith("challenge") else "ruling"
            what = turn.kind.replace("_", " ")
            yield Incident(
                kind,
                turn.press_ns,
                turn.number,
                f"taken for: {what}",
                "by the clock and the board; nobody entered it",
                beyond=BEYOND["challenge"],
            )
        elif turn.kind == "not_known":
            yield Incident(
                "note",
                turn.press_ns,
                turn.number,
                f"it is not known what {story.name} played",
                "nobody saw it, and nobody has entered it; it counts to nothing",
            )
        elif turn.kind == "exchange_or_pass":
            why = "it scores nothing either way"
            if turn.bag_count < book.exchange_bag:
                why = f"the bag held {turn.bag_count}, too few for an exchange"
            yield Incident(
                "note",
                turn.press_ns,
                turn.number,
                f"{story.name} played nothing: an exchange or a pass",
                f"nobody entered which; {why}",
                beyond=BEYOND["exchange"],
            )


def _stops(clock: ClockAccount | None, state: GameState) -> Iterator[Incident]:
    for one in () if clock is None else clock.stretches:
        if not one.is_stop:
            continue
        yield Incident(
            "interruption",
            one.from_ns,
            min(one.turn, len(state.turns)) or None,
            f"both clocks stood for {passed(one.length_ns)}",
            f"stopped for: {one.reason}" if one.reason else "nobody entered why",
            beyond=BEYOND["clock"],
        )


def _noted(steps: Sequence[Step]) -> Iterator[Incident]:
    over: dict[tuple[str, str], int] = {}
    for step in reversed(steps):
        event = step.event
        turn = len(step.after.turns) or None
        match event:
            case TroubleNoted(state="over"):
                over[event.code, event.what] = event.t_ns
            case TroubleNoted():
                end = over.pop((event.code, event.what), None)
                how = "still so at the end"
                if end is not None:
                    how = f"over after {(end - event.t_ns) / 1e9:.1f} s"
                how = "it happened once" if event.state == "happened" else how
                text = f"trouble at the table: {event.message}"
                yield Incident("interruption", event.t_ns, turn, text, how)
            case ActionTaken():
                text = f"{event.message} ({event.by})" if event.by else event.message
                yield Incident("note", event.t_ns, turn, text, event.why)
            case PicturesDeleted():
                text = f"{len(event.pictures)} pictures were deleted"
                yield Incident("note", event.t_ns, turn, text, event.why)
            case TimePassed():
                text = "the running clock passed the limit on overtime"
                yield Incident("overtime", event.t_ns, turn, text, "noted by the table")
            case TimeUnseen():
                text = describe_event(event, step.after.players)
                yield Incident("interruption", event.from_ns, turn, text, _clocks_in(event, step))
            case _:
                pass


def _clocks_in(event: TimeUnseen, step: Step) -> str:
    """Describe what the clocks did in a time that nobody watched."""
    side = None if step.before is None else step.before.clocks.running
    if side is None:
        return "no clock ran"
    name = step.after.players[side]
    return f"{name}'s clock stood, and {'ran on after it' if event.runs_on else 'stands since'}"
