"""When the last play of a game was accepted: no challenge of it is due from then on."""

from __future__ import annotations

from collections.abc import Iterator

from game.events import Event, RackReported, other
from game.flags import Flag, make_flag
from game.referee.inference import Seen
from game.referee.position import Turn
from game.rulebooks.judging import judge
from game.rulebooks.loading import SECOND
from game.state.game_state import GameState
from game.values import replace


def took_all(turn: Turn) -> bool:
    """True if a play took its player out, or would have, had it not come off."""
    off = bool(turn.tiles) and not turn.bag_count and len(turn.tiles) == turn.rack_count
    return turn.out or (off and turn.kind == "challenge_upheld")


def accepted_ns(state: GameState, turn: Turn) -> int | None:
    """When the opponent accepted the play of a player who is out; None while that is open.

    ``out.accepted_by`` has the acts that the rulebook knows. Under every rulebook the play is
    accepted once somebody has ended the game.
    """
    accepted = _first(state, turn)
    return None if accepted is None else accepted[0]


def _first(state: GameState, turn: Turn) -> tuple[int, Event | None] | None:
    return min(_acceptances(state, turn), key=lambda one: one[0], default=None)


def _acceptances(state: GameState, turn: Turn) -> Iterator[tuple[int, Event | None]]:
    """Yield when the play was accepted, and the event that says so if it is one of its own."""
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
    if "stopped" in acts and rulings.stop_reason == "out" and rulings.stopped_ns is not None:
        yield rulings.stopped_ns, None
    if state.progress.ended is not None:
        yield state.progress.ended.t_ns, state.progress.ended


def _entered_later(state: GameState, ruled: Event, accepted: Event | None) -> bool:
    """True if a ruling was entered after an acceptance of the same moment."""
    if accepted is None:
        return False
    numbers = {id(event): number for number, event in enumerate(state.progress.events)}
    now = len(numbers)  # the event that is just being applied
    return numbers.get(id(ruled), now) > numbers.get(id(accepted), now)


def late_challenges(state: GameState) -> tuple[Flag, ...]:
    """The flags for a last play that was challenged once it had been accepted."""
    ledger, book = state.ledger, state.rulebook
    if not ledger.rulings:
        return ()
    found = []
    for number, rulings in sorted(ledger.rulings.items()):
        ruled = rulings.ruled
        if ruled is None or ruled.ruling not in ("challenge_upheld", "challenge_failed"):
            continue
        turn = ledger.position.turns[number - 1]
        if not took_all(turn) or any(flag.code == "challenge_late" for flag in turn.flags):
            continue
        called = ruled.happened_ns if ruled.called_ns is None else ruled.called_ns
        accepted_at, accepted = _first(state, turn) or (called, None)
        if called > accepted_at or (
            called == accepted_at and _entered_later(state, ruled, accepted)
        ):
            seconds = (called - accepted_at) // SECOND
            flag = make_flag("challenge_late", variant="accepted", turn=number, seconds=seconds)
            found.append(replace(judge(flag, book), rule=book.rule("out.accepted_by")))
    return tuple(found)
