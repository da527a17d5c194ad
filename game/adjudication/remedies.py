"""The remedies for a flag that are open right now, each as something to press.

A rulebook's remedies (:mod:`game.guidance`) say who may do what and until when. An
:class:`OfferedRemedy` is one of them at this table and this moment: whose right it is, whether it
is still open as far as a camera and a clock can tell, and the event that carries it out. That event
lacks only who enters it, when, and what only people know (the letter of a blank). A flag that asks
for a fact (:attr:`game.flags.Code.asks`) has offers that enter it, whatever the rulebook's text.

An offer closes nothing: the director may rule at any time, with or without one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from game.adjudication import reported as reports
from game.adjudication.answers import Case, answers, rulings
from game.adjudication.reported import Found
from game.events import (
    BlankDesignated,
    ClockAdjusted,
    DirectorNoted,
    EndReason,
    Event,
    GameEnded,
    GameForfeited,
    PositionRestored,
    RackReported,
    Ruling,
    Side,
    TurnRuled,
    other,
    to_payload,
)
from game.flag_codes import REPORTABLE, REPORTED
from game.flags import CODES, QUESTIONS, Flag
from game.guidance import ACTIONS, CALL_DIRECTOR, LIMITS, OPENINGS, Remedy, Who, by_name
from game.referee.position import Turn
from game.referee.verdict import fits
from game.state.end_events import forfeit_entry_refused
from game.state.game_state import GameState
from game.state.timed_rights import challenge_gone, windows

__all__ = ["ASKED", "FILLED", "OfferedRemedy", "offers", "rulings", "still_open"]

FILLED = ("by", "why", "t_ns")
"""The fields that the taker of an offer fills in; ``why`` has a beginning already."""

ASKED = "?"
"""The value in an offered event of a field that is still asked."""


@dataclass(frozen=True, slots=True)
class OfferedRemedy:
    """A remedy that somebody may take about a flag."""

    id: str
    """The same as long as the remedy is offered: ``2:off_centre:0:challenge_off``, made of the turn
    (0 for the game), the flag's code, its place among the turn's flags, and the remedy."""
    text: str
    """The remedy in plain words."""
    who: Who
    side: Side | None
    """The player whose right it is; None if it is not one player's."""
    until: str
    """From when on and until when, in plain words; empty if the text sets no limit."""
    open: bool
    """True until its limit has certainly passed. Nobody sees a score being written, so a right
    counts as gone when the opponent has ended the next turn, at the latest."""
    until_ns: int | None
    """When the limit passes; None unless the text gives a time."""
    rule: str | None
    says: str
    """More on the remedy from the rulebook's text."""
    event: Mapping[str, Any] | None
    """The payload (:func:`game.events.to_payload`) of the event that carries it out; None if people
    do so with hands or clock and nothing is recorded."""
    asks: tuple[str, ...]
    """The fields of the event that somebody must fill in first."""


def offers(state: GameState, turn: Turn | None, flag: Flag) -> tuple[OfferedRemedy, ...]:
    """Return the remedies for a flag of a turn, or of the game if ``turn`` is None."""
    about = turn
    if turn is None and flag.code in REPORTED and flag.turn:
        about = state.turns[flag.turn - 1]  # a report is no turn's flag, and may be about one
    case = Case(state, flag, about)
    among = turn.flags if turn is not None else state.flags
    place = next((i for i, one in enumerate(among) if one is flag or one == flag), 0)
    head = f"{turn.number if turn else 0}:{flag.code}:{place}"
    found: list[OfferedRemedy] = []
    entered = list(answers(case))
    numbers: Counter[str] = Counter()
    for remedy in flag.remedies:
        if entered and remedy in CALL_DIRECTOR:
            continue  # who reads this is the director, and can answer
        for event, asks, more in list(_events(case, remedy)) or [(None, (), "")]:
            number = numbers[remedy.action]
            numbers[remedy.action] += 1
            tail = f":{number}" if number else ""
            text = f"{ACTIONS[remedy.action]}{more}"
            found.append(_offer(f"{head}:{remedy.action}{tail}", text, case, remedy, event, asks))
    offered = [(one.event, one.asks) for one in found]
    for name, text, event, asks in entered:
        if (_template(event, asks), asks) in offered:
            continue  # a remedy of the text's is the same
        remedy = Remedy("director", "none", "", flag.rule, _unseen(state, event))
        found.append(_offer(f"{head}:{name}", text, case, remedy, event, asks))
    return tuple(found)


def is_provisional(state: GameState) -> bool:
    """True if there is an unsigned result that an open question may change.

    False while the game may still go on, as players would learn of a doubt.
    """
    if not state.final or state.signed is not None:
        return False
    return any(
        not flag.remedies or any(offer.open for offer in offers(state, turn, flag))
        for turn in (*state.turns, None)
        for flag in (state.flags if turn is None else turn.flags)
        if flag.code in QUESTIONS and flag.settled is None
    )


def _unseen(state: GameState, event: Event) -> str:
    """Return which tiles are not on the board, for a rack asked for with the bag empty; else ""."""
    if not isinstance(event, RackReported) or state.bag_count:
        return ""
    tiles = (
        state.tile_set.text(tile) for tile, count in state.unseen.items() for _ in range(count)
    )
    return f"Not seen on the board: {', '.join(sorted(tiles)) or 'none'}."


def still_open(state: GameState, turn: Turn | None, until: str, side: Side | None = None) -> bool:
    """True unless a limit (a key of :data:`game.guidance.LIMITS`) has certainly passed."""
    if state.signed is not None:
        return until == "day"
    since = state.turns[turn.number if turn is not None else 0 :]
    later = since if turn is not None else ()
    match until:
        case "drawn" | "drawn_or_written" | "racked" | "written" | "bag_tile_returned":
            gone = turn is not None and challenge_gone(state, turn)
            return not gone and not state.settled
        case "end_of_turn" | "new_tiles":
            return turn is None or not any(t.side != turn.side for t in later)
        case "next_play":
            return not any(t.kind == "play" for t in later)
        case "started":
            return state.status == "waiting"
        case "second_move":
            return _moves(state) < 2
        case "third_move":
            return _moves(state) < 3
        case "opponent_next_play":  # the first of them emptied the bag
            return sum(t.side != side and t.kind == "play" for t in since) < 2
        case "own_next_turn":
            return not any(t.side == side and t.kind != "undone" for t in since)
        case "own_turn":
            return state.status == "running"
        case _:
            return True


_BAG: Final[Mapping[str, tuple[int, float]]] = {
    "bag_empty": (0, 0),
    "bag_below_7": (1, 6),
    "bag_below_14": (0, 13),
    "bag_from_7": (7, math.inf),
    "bag_not_empty": (1, math.inf),
}
"""The least and the most tiles in the bag for each opening that goes by them."""


def opened(case: Case, once: str) -> bool:
    """True if the moment of an opening (a key of :data:`game.guidance.OPENINGS`) has come.

    What was done in a turn that a report names goes by the bag before that turn.
    """
    state, turn = case.state, case.turn
    if once in _BAG:
        least, most = _BAG[once]
        done_then = turn is not None and case.flag.code in REPORTABLE
        bag = state.bag_before(turn.number) if turn and done_then else state.bag_count
        return least <= bag <= most
    match once:
        case "found_late":
            return turn is not None and turn.penalty > 0
        case "over":
            return state.status == "ended"
        case _:
            return True


def _moves(state: GameState) -> int:
    return sum(turn.kind != "undone" for turn in state.turns)


def _offer(
    id_: str,
    text: str,
    case: Case,
    remedy: Remedy,
    event: Event | None,
    asks: tuple[str, ...],
) -> OfferedRemedy:
    side, names = case.side, case.state.players
    whose = {"player": side, "opponent": other(side) if side else None}.get(remedy.who)
    return OfferedRemedy(
        id=id_,
        text=by_name(text, names, side),
        who=remedy.who,
        side=whose,
        until=by_name(_when(remedy), names, case.turn.side if case.turn else side),
        open=opened(case, remedy.once)
        and _still_due(case, remedy)
        and still_open(case.state, case.turn, remedy.until, side)
        and not (isinstance(event, GameForfeited) and forfeit_entry_refused(case.state, event)),
        until_ns=_until_ns(case, remedy.until),
        rule=remedy.rule,
        says=by_name(remedy.says, names, side),
        event=None if event is None else _template(event, asks),
        asks=asks,
    )


def _still_due(case: Case, remedy: Remedy) -> bool:
    """True unless a remedy that is taken once has been taken: the game's end, a minute given."""
    match remedy.action:
        case "end_game":
            return case.state.status == "running"
        case "extra_minute":
            since_ns, progress = case.turn.press_ns if case.turn else 0, case.state.progress
            return not any(
                isinstance(event, ClockAdjusted)
                and (event.rule, event.t_ns >= since_ns) == (case.flag.rule, True)
                and number not in progress.retracted
                for number, event in enumerate(progress.events, start=1)
            )
        case _:
            return True


def _when(remedy: Remedy) -> str:
    return ", ".join(words for words in (OPENINGS[remedy.once], LIMITS[remedy.until]) if words)


def _until_ns(case: Case, until: str) -> int | None:
    """Return the time at which a limit passes; None if the text gives no time."""
    right = {"signed": "announce_illegal", "twenty_seconds": "announce_illegal"}.get(until)
    if until in ("drawn", "drawn_or_written", "racked", "written"):
        right = "challenge"
    for window in windows(case.state):
        if window.right == right and (case.turn is None or window.turn == case.turn.number):
            return window.closes_ns
    return None


def _template(event: Event, asks: tuple[str, ...]) -> dict[str, Any]:
    payload = to_payload(event)
    return {key: ASKED if key in asks else value for key, value in payload.items()}


def _ruled(ruling: Ruling) -> Callable[[Case], Iterator[Found]]:
    def found(case: Case) -> Iterator[Found]:
        if case.turn is not None and fits(case.turn, ruling):
            yield TurnRuled(case.turn.number, ruling, "", case.why(), 0), (), ""

    return found


def _announced(case: Case) -> Iterator[Found]:
    if case.state.rulebook.illegal_placement == "illegal_play":
        yield from _ruled("illegal_play")(case)


def _taken_off(case: Case) -> Iterator[Found]:
    # Where an illegal play is announced, the announcement has them taken off or not.
    if not any(one.action == "announce" for one in case.flag.remedies):
        if case.flag.code == "withdrawn_left":
            return  # they are off already, by what was ruled; somebody has to take them
        yield from _ruled("taken_back")(case)


def _points_lost(case: Case) -> Iterator[Found]:
    if not any(one.action == "announce" for one in case.flag.remedies):
        yield from _ruled("no_score")(case)


def _turn_lost(case: Case) -> Iterator[Found]:
    own = case.turn is not None and case.turn.side == case.side
    if case.side is not None and case.flag.code in REPORTED and not own:
        if case.state.status == "running" and case.state.next_side in (case.side, None):
            what, side, rule = CODES[case.flag.code].meaning, case.side, case.flag.rule
            lost = DirectorNoted(what, "", case.why(), 0, side=side, rule=rule, turn_lost=side)
            yield lost, (), ""
        return
    ruling: Ruling = "taken_back" if case.turn is not None and case.turn.tiles else "pass"
    yield from _ruled(ruling)(case)


def _minute(case: Case) -> Iterator[Found]:
    book, side = case.state.rulebook, case.side
    if side is None:
        return
    ns, rule = book.infractions_ns, case.flag.rule
    given = ClockAdjusted(other(side), ns, rule, "", case.why(), 0)
    yield given, (), f": {case.state.players[other(side)]} gets it"
    if case.flag.code == "minor_infractions":
        taken = ClockAdjusted(side, -ns, rule, "", case.why(), 0)
        yield taken, (), f": {case.state.players[side]} loses it"


def _time_back(case: Case) -> Iterator[Found]:
    if case.side is not None:
        yield ClockAdjusted(case.side, 0, case.flag.rule, "", case.why(), 0), ("added_ns",), ""


def _lettered(case: Case) -> Iterator[Found]:
    for square in case.flag.squares:
        event = BlankDesignated(square, "A", "", case.why(), 0)
        yield event, ("letter",), f": {square}"


def _forfeited(case: Case) -> Iterator[Found]:
    side = case.side
    if side is None or case.state.settled:
        return
    if case.flag.code == "late_start":
        yield GameForfeited(side, "late", "", case.why(), 0), (), ""
    elif case.flag.code in REPORTED:
        yield GameForfeited(side, "director", "", case.why(), 0), (), ""
    elif case.state.rulebook.overtime_limit_then == "forfeit":
        yield GameForfeited(side, "overtime", "", case.why(), 0), (), ""


def _ended(case: Case) -> Iterator[Found]:
    if case.state.status == "running":
        yield GameEnded(EndReason.SIX_ZEROS, 0), (), ""


def _restored(case: Case) -> Iterator[Found]:
    if case.turn is not None:
        yield PositionRestored(case.turn.number - 1, "", case.why(), 0), (), ""


def _shown(case: Case) -> Iterator[Found]:
    for side in ("left", "right"):
        yield RackReported(side, "", 0), ("tiles",), f": {case.state.players[side]}"


_DONE_BY: Mapping[str, Callable[[Case], Iterator[Found]]] = {
    "announce": _announced,
    "challenge_off": _ruled("challenge_upheld"),
    "challenge_exchange": _ruled("pass"),
    "choose_letter": _lettered,
    "correct_turn": _ruled("undone"),
    "demand_letter": _lettered,
    "end_game": _ended,
    "extra_minute": _minute,
    "forfeit": _forfeited,
    "lose_turn": _turn_lost,
    "points_lost": _points_lost,
    "remove_tiles": _taken_off,
    "restore_before": _restored,
    "resume_turn": _ruled("undone"),
    "show_rack": _shown,
    "time_back": _time_back,
}
"""The events that carry out each action. An action that is missing is done with hands or clock, or
has its effect by itself: the cost of overtime, or of an exchange found late."""


def _events(case: Case, remedy: Remedy) -> Iterator[Found]:
    reported, done = reports.DONE_BY.get(remedy.action), _DONE_BY.get(remedy.action)
    alone = done is None and remedy.points  # the text's figure, whatever the flag is about
    if reported is not None and case.side is not None and (case.flag.code in REPORTED or alone):
        yield from reported(reports.Due(case, remedy, case.side))
    elif done is not None:
        yield from done(case)
