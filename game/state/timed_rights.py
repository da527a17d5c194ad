"""Rights with a time limit: when each begins, when it ends, and by which rule.

:func:`windows` returns the rights about the last turn and the end of a game, with their times on
the table's monotonic clock, so that a page can count down without asking again. It reads no clock
itself. If a right ends by an act that no camera sees (a score written, a tile drawn), there is no
time, and the act is named instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from game.events import Event, RackReported, Side, other
from game.guidance import LIMITS, by_name
from game.referee.game_over import end_reason
from game.referee.inference import Seen
from game.referee.position import Turn, answered
from game.referee.turn_flags import drawn_within
from game.rulebooks.rulebook import Rulebook
from game.state.game_state import GameState

Right = Literal[
    "challenge", "draw", "restart", "announce_illegal", "recount", "overtime", "overtime_limit"
]
"""``challenge``: to hold or challenge the last play. ``draw``: to draw tiles while it is held.
``restart``: to start the opponent's clock after playing out. ``announce_illegal``: to announce an
illegal play after the end. ``recount``: to ask for a recount. ``overtime`` and ``overtime_limit``
are no rights, but the times at which the running clock gets into overtime or exceeds its limit."""


@dataclass(frozen=True, slots=True)
class Window:
    """One right and the time in which it can be used."""

    right: Right
    side: Side | None
    """The player who has the right; None if both have it."""
    turn: int
    """The number of the turn that the right is about."""
    opens_ns: int
    least_ns: int | None
    """The time until which the right lasts in any case; None if the rulebook gives none."""
    closes_ns: int | None
    """The time at which the right ends; None if no time ends it."""
    until: str
    """The act that ends the right, in plain words; empty if no act does."""
    rule: str | None

    def open_at(self, now_ns: int) -> bool:
        """True if the right is open at a moment, as far as time decides that."""
        return self.opens_ns <= now_ns and (self.closes_ns is None or now_ns <= self.closes_ns)


def windows(state: GameState) -> tuple[Window, ...]:
    """Return every timed right that has not certainly ended, in the order of :data:`Right`."""
    if state.signed is not None:
        return ()
    return (*_last_play(state), *_end(state), *_clock(state))


def _last_play(state: GameState) -> Iterator[Window]:
    last, book = state.position.last, state.rulebook
    if last is None or state.settled or state.lost_on_time:
        return
    if last.kind != "play" and not last.disturbed:
        return
    rulings = state.ledger.rulings_for(last.number)
    opponent, press = other(last.side), last.press_ns
    if rulings.ruling is not None or accepted(state, last):
        return  # somebody has decided, or accepted the play
    quick = drawn_within(rulings, press, book.challenge_least_ns)
    back = rulings.returned_ns if book.challenge_return_ns else None
    held = rulings.held_ns
    out = _is_last_play(state, last)
    drawing = state.bag_before(last.number) > 0
    ended = state.ledger.sightings[last.number - 1].ended
    unpressed = not out and (state.progress.stopped_ns == press or ended not in (None, "not_known"))
    least = book.challenge_unpressed_ns if unpressed else book.challenge_least_ns
    rule, closes = book.rule("challenge.until"), None
    since, lasts, setting = press, book.out_window_ns if out else 0, "out.window_seconds"
    if back is not None:
        since, lasts, setting = back, book.challenge_return_ns, "challenge.return_seconds"
    if lasts:
        rule = book.rule(setting)
        closes = since + lasts if held is None or held > since + lasts else None
    elif quick or ended == "drawing":
        rule = book.rule(f"challenge.{'unpressed' if unpressed else 'least'}_seconds")
        in_time = held is not None and (not least or held <= press + least)
        closes = press + least if least and not in_time else None
    elif held is not None and book.hold_lasts_ns:
        closes, rule = held + book.hold_lasts_ns, book.rule("hold.lasts_seconds")
    yield Window(
        right="challenge",
        side=opponent,
        turn=last.number,
        opens_ns=press,
        least_ns=press + least if least else None,
        closes_ns=closes,
        until=by_name(_act(book, drawing=drawing), state.players, last.side),
        rule=rule,
    )
    if held is not None and drawing and book.hold_draw_ns:
        start = press if book.hold_draw_from == "press" else held
        opens, rule = start + book.hold_draw_ns, book.rule("hold.draw_seconds")
        yield Window("draw", last.side, last.number, opens, None, None, "", rule)
    if out and book.out_restart_ns:
        opens, rule = press + book.out_restart_ns, book.rule("out.restart_seconds")
        yield Window("restart", last.side, last.number, opens, None, None, "", rule)


def _act(book: Rulebook, *, drawing: bool) -> str:
    """Return the act that ends the right to challenge, in plain words; empty if none does."""
    if drawing or not book.challenge_empty_free:
        return LIMITS.get(book.challenge_until, "")
    # No tile to draw; and writing takes the right away only where a text says so.
    return LIMITS["written"] if book.event_rule("score_written_when_empty") else ""


def accepted(state: GameState, turn: Turn) -> bool:
    """True if the opponent has accepted a play, and with that waived the right to challenge it.

    A tile drawn before the opponent's time was over accepts nothing yet, and nobody accepts a play
    that they have not seen.
    """
    rulings, book = state.ledger.rulings_for(turn.number), state.rulebook
    unseen = rulings.returned_ns is not None and bool(book.challenge_return_ns)
    quick = drawn_within(rulings, turn.press_ns, book.challenge_least_ns)
    if rulings.accepted is not None and not unseen and not quick:
        return True
    return _is_last_play(state, turn) and accepted_ns(state, turn) is not None


def _is_last_play(state: GameState, turn: Turn) -> bool:
    return state.out_turn is not None and state.out_turn.number == turn.number


def accepted_ns(state: GameState, turn: Turn) -> int | None:
    """Return when the opponent accepted the play of a player who is out; None if not yet.

    ``out.accepted_by`` has the acts by which the rulebook lets a play be accepted. Under every
    rulebook it is accepted once somebody has ended the game.
    """
    accepted = acceptance(state, turn)
    return None if accepted is None else accepted[0]


def acceptance(state: GameState, turn: Turn) -> tuple[int, Event | None] | None:
    """Return the time at which a play was accepted, and the event of it; None if it was not.

    The event is None if the play was accepted by something that is no event of its own.
    """
    return min(_acceptances(state, turn), key=lambda one: one[0], default=None)


def _acceptances(state: GameState, turn: Turn) -> Iterator[tuple[int, Event | None]]:
    """Yield the time and event of each acceptance of a play; None if it is no event of its own."""
    ledger, acts = state.ledger, state.rulebook.out_accepted
    entries = ledger.entries if "shown" in acts else ()
    for entry, before in zip(entries, ledger.positions, strict=False):
        seen = len(before.turns)
        match entry:
            case Seen(shown_clock_ns=int()) if seen + 1 == turn.number:
                yield turn.press_ns, None
            case RackReported() if entry.side == other(turn.side) and seen >= turn.number:
                yield entry.t_ns, entry
    rulings = ledger.rulings_for(turn.number)
    for at_ns, one in rulings.explained.items() if "stopped" in acts else ():
        if one.reason == "out" and at_ns is not None:
            yield at_ns, None
    if state.progress.ended is not None:
        yield state.progress.ended.t_ns, state.progress.ended


def challenge_gone(state: GameState, turn: Turn) -> bool:
    """True if the right to challenge a play has certainly ended under every rulebook.

    The opponent has accepted the play, or has ended a turn since.
    """
    return answered(state.turns, turn) or accepted(state, turn)


def undecided(state: GameState, t_ns: int) -> bool:
    """True if at a moment the play of a player who is out was held or challenged, and not decided.

    The game is not over then (NASPA V.C.4, V.E).
    """
    turn, window = state.out_turn, state.rulebook.out_window_ns
    if turn is None:
        return False
    rulings = state.ledger.rulings_for(turn.number)
    ruled, called, held = rulings.ruled, rulings.challenged_ns, rulings.held_ns
    done = [at_ns for at_ns, _ in _acceptances(state, turn)]
    done += [] if rulings.accepted is None else [rulings.accepted.moment_ns]
    done += [] if ruled is None else [ruled.happened_ns]
    if min(done, default=t_ns) < t_ns:
        return False
    challenged = rulings.reason_by(t_ns) == "challenge" or (called is not None and called <= t_ns)
    in_time = held is not None and (not window or held <= turn.press_ns + window)
    return challenged or (in_time and rulings.held_at(t_ns))


def play_ended_ns(state: GameState) -> int | None:
    """Return when the play of a game ended, as far as the log shows; None while it goes on."""
    if state.status != "ended":
        return None
    if state.progress.forfeited is not None:
        return state.progress.forfeited.t_ns
    if state.lost_on_time:
        return state.reached_ns
    stopped = state.progress.stopped_ns is not None
    by_itself = end_reason(state.position, state.config, stopped=stopped) is not None
    if state.progress.ended is not None and not by_itself:
        return state.progress.ended.t_ns
    last = [turn.press_ns for turn in state.turns[-1:]]
    return max(
        [*last, state.progress.stopped_ns or state.start.t_ns, state.progress.passed_ns or 0]
    )


def agreed_ns(state: GameState) -> int | None:
    """Return when the players agreed on the score; None while the game goes on.

    This is when somebody confirmed the end, or else when the play of the game ended.
    """
    return state.progress.ended.t_ns if state.progress.ended is not None else play_ended_ns(state)


def recount_refused(state: GameState) -> str | None:
    """Return why a recount may not be asked for, apart from deadlines; None if it may."""
    book = state.rulebook
    if state.status != "ended":
        return "the game goes on"
    if state.no_result:
        return "the game ended without a result"
    if state.signed is not None:
        return "the result was signed"
    outcome = state.outcome
    if outcome is not None and outcome.kind == "overtime_limit" and not book.recount_after_limit:
        return "a game lost by the limit on overtime is not recounted"
    margin = abs(state.scores["left"] - state.scores["right"])
    if outcome is not None and outcome.margin is not None:
        margin = outcome.margin  # that of a forfeit is not by the scores (PSA 5.3.3(b), 5.7(c))
    if book.recount_points and margin > book.recount_points:
        return (
            f"the margin is {margin}; more than {book.recount_points} are recounted only where "
            "the director is convinced"
        )
    return None


def _end(state: GameState) -> Iterator[Window]:
    book, end, agreed = state.rulebook, play_ended_ns(state), agreed_ns(state)
    if end is None or agreed is None or state.no_result:
        return
    last = len(state.turns)
    if book.announce_ns and last:
        rule, closes = book.rule("placement.announce_seconds"), end + book.announce_ns
        yield Window("announce_illegal", None, last, end, None, closes, LIMITS["signed"], rule)
    if recount_refused(state) is None:
        until = agreed + book.recount_seconds_ns if book.recount_seconds_ns else None
        rule = book.rule("recount.within_seconds")
        yield Window("recount", None, last, agreed, None, until, LIMITS["signed"], rule)


def limit_ns(state: GameState) -> int | None:
    """Return when the running clock exceeds the overtime limit if nobody presses.

    None if no clock runs, somebody ended the game, or a limit has already been exceeded.
    """
    if state.forfeit is not None:
        return None
    moments = (window.opens_ns for window in _clock(state) if window.right == "overtime_limit")
    return next(moments, None)


def _clock(state: GameState) -> Iterator[Window]:
    clocks, book = state.clocks, state.rulebook
    side, since = clocks.running, clocks.since_ns
    if side is None or since is None or state.settled:
        return
    left = clocks.remaining_ns[side]
    turn = len(state.turns) + 1
    limit_ns = book.overtime_limit_from_ns + state.before_play_ns.get(side, 0)
    moments: tuple[tuple[Right, int, str], ...] = (
        ("overtime", book.overtime_from_ns, "overtime.from_seconds"),
        ("overtime_limit", limit_ns, "overtime_limit.minutes"),
    )
    for right, over, rule in moments:
        yield Window(right, side, turn, since + left + over, None, None, "", book.rule(rule))
