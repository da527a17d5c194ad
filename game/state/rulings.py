"""The fold's steps for entries about one turn: rulings, corrections, holds, acceptances."""

from __future__ import annotations

from collections.abc import Callable

from game.board import EMPTY, UNDESIGNATED, UNREADABLE, Square, is_blank, is_tile
from game.errors import TilewatchError
from game.events import (
    BlankDesignated,
    HoldCalled,
    PlayAccepted,
    SquareCorrected,
    StopExplained,
    TurnRuled,
)
from game.referee.inference import stop_at
from game.referee.position import Turn, due
from game.referee.turn_rulings import TurnRulings
from game.referee.verdict import fits
from game.rulebooks.loading import SECOND, Rulebook
from game.rulebooks.setting import DECLARABLE
from game.state.derive import derive, with_ledger
from game.state.game_state import GameState
from game.state.timed_rights import play_ended_ns
from game.values import replace

OnTurn = TurnRuled | SquareCorrected | BlankDesignated | HoldCalled | StopExplained | PlayAccepted


def said_of_turn(state: GameState, event: OnTurn) -> GameState:
    """Return the state after an entry about a turn, with this and all later turns computed again.

    Raises:
        TilewatchError: there is no such turn, or the entry is invalid; the line says why.
    """
    match event:
        case TurnRuled():
            return ruled(state, event)
        case SquareCorrected():
            return _square_corrected(state, event)
        case BlankDesignated():
            return _designated(state, event)
        case HoldCalled():
            return _held(state, event)
        case StopExplained():
            return _explained(state, event)
        case PlayAccepted():
            return _accepted(state, event)


def require_rule(book: Rulebook, name: str) -> str:
    """Return the number of the rule on something that a director may enter.

    Raises:
        TilewatchError: the rulebook has no such rule.
    """
    rule = book.event_rule(name)
    if rule is None:
        raise TilewatchError(f"{book.id} has no rule on {DECLARABLE[name]}")
    return rule


def with_rulings(state: GameState, number: int, rulings: TurnRulings) -> GameState:
    """Return the state with new rulings on a turn, and this and all later turns computed again."""
    return with_ledger(state, state.ledger.with_rulings(number, rulings, state.config))


def ruled(state: GameState, event: TurnRuled) -> GameState:
    """Return the state after a turn was ruled on."""
    turn = state.turn(event.turn)
    if not fits(turn, event.ruling):
        what = "tiles were played" if turn.tiles else "no tiles were played"
        raise TilewatchError(f"turn {turn.number} cannot be ruled {event.ruling!r}: {what}")
    if event.ruling.startswith("illegal"):
        _require_illegal(state, event)
    # In time or late goes by when it came out, not by when it was entered.
    seen = sum(one.press_ns <= event.happened_ns for one in state.turns)
    seen = max(seen, turn.number)
    stops = (stop.at_ns for stop in state.stops_since(turn.number))
    stops_ns = tuple(at for at in stops if turn.press_ns < at <= event.happened_ns)
    known, words = state.ledger.rulings_for(turn.number), tuple(text for text, _ in turn.words)
    rulings = known.with_ruling(event, seen, stops_ns, words)
    rulings = rulings.accepting(_counting(turn, state.rulebook))
    ledger = state.ledger.with_rulings(turn.number, rulings, state.config)
    on_turn, later = state.on_turn, ledger.position.turns[turn.number :]
    if "undone" in (event.ruling, turn.kind) and all(t.kind == "undone" for t in later):
        on_turn = due(ledger.position, state.config)
    after, at_end = with_ledger(replace(state, on_turn=on_turn), ledger), state.progress.at_end
    if at_end is None or at_end.turn != len(after.turns):
        return after
    # The game was over until this was ruled. It goes on from there: with the clocks as they stood,
    # whatever was pressed meanwhile, and whoever is due on turn.
    progress = replace(
        state.progress,
        ledger=ledger,
        clocks=at_end.clocks,
        at_end=None,
        stops=tuple(replace(stop, restarted=None) for stop in state.progress.stops),
    )
    on_turn = due(ledger.position, state.config)
    resumed = derive(replace(state, on_turn=on_turn), progress)
    return after if resumed.status == "ended" else resumed


def _require_illegal(state: GameState, event: TurnRuled) -> None:
    """Refuse to announce an illegal play if the rulebook has no rule on it, or it is too late."""
    book = state.rulebook
    if book.illegal_placement != "illegal_play":
        raise TilewatchError(
            f"{book.id} has no rule on announcing illegal plays: rule the turn "
            "challenge_upheld, no_score or taken_back"
        )
    ended = play_ended_ns(state)
    if ended is not None and event.happened_ns - ended > book.announce_ns:
        raise TilewatchError(
            f"turn {event.turn}: an illegal play is announced within "
            f"{book.announce_ns // SECOND} seconds of the end "
            f"({book.rule('placement.announce_seconds')})"
        )


def _square_corrected(state: GameState, event: SquareCorrected) -> GameState:
    square = Square.parse(event.square)
    return _amended(state, event.turn, square, event.symbol, event.t_ns, event.misoriented)


def _amended(
    state: GameState, number: int, square: Square, symbol: str, t_ns: int, misoriented: str = ""
) -> GameState:
    state.turn(number)
    known = state.ledger.rulings_for(number)
    return with_rulings(state, number, known.with_symbol(square, symbol, t_ns, misoriented))


def _designated(state: GameState, event: BlankDesignated) -> GameState:
    """Return the state after the letter of a blank was entered.

    A tile on the square that could not be read is taken to be the blank. The same is true of a
    square for which a flag asks whether a tile is on it.
    """
    square = Square.parse(event.square)
    letter = event.letter.upper()
    if letter not in state.tile_set.counts:
        raise TilewatchError(
            f"the {state.tile_set.name} set has no letter {state.tile_set.text(event.letter)!r}"
        )
    for turn in reversed(state.turns):
        tile = turn.tiles.get(square.name, EMPTY)
        if is_blank(tile) or tile == UNREADABLE:
            rulings = state.ledger.rulings_for(turn.number)
            # A blank that was read only after its letter was said is that blank.
            read_ns, symbol = rulings.stamps.get(square, (event.t_ns, UNDESIGNATED))
            t_ns = max(event.t_ns, read_ns) if symbol == UNDESIGNATED else event.t_ns
            return _amended(state, turn.number, square, letter.lower(), t_ns)
    for turn in () if is_tile(state.board[square]) else reversed(state.turns):
        if _may_hold_a_tile(turn, square):
            return _amended(state, turn.number, square, letter.lower(), event.t_ns)
    raise TilewatchError(f"no blank was played on {square.name}")


def _may_hold_a_tile(turn: Turn, square: Square) -> bool:
    """True if an open flag of the turn asks whether a tile is on the square."""
    return any(
        flag.code == "uncertain_square" and flag.settled is None and square.name in flag.squares
        for flag in turn.flags
    )


def _held(state: GameState, event: HoldCalled) -> GameState:
    turn = state.turn(event.turn)
    if not turn.on_board:
        raise TilewatchError(f"turn {event.turn} cannot be held: no tiles were played")
    known = state.ledger.rulings_for(event.turn).with_hold(event.t_ns)
    return with_rulings(state, event.turn, known.accepting(_counting(turn, state.rulebook)))


def _explained(state: GameState, event: StopExplained) -> GameState:
    turn = state.turn(event.turn) if event.turn else None
    stopped_ns = stop_at(state.stops_after(event.turn), event.t_ns)
    known = state.ledger.rulings_for(event.turn).with_stop(event, stopped_ns)
    if turn is not None:
        known = known.accepting(_counting(turn, state.rulebook))
    return with_rulings(state, event.turn, known)


def _accepted(state: GameState, event: PlayAccepted) -> GameState:
    rule = require_rule(state.rulebook, event.how)
    turn, book = state.turn(event.turn), state.rulebook
    if not turn.on_board:
        raise TilewatchError(f"turn {turn.number} cannot be accepted: no tiles were played")
    if event.moment_ns < turn.press_ns:
        raise TilewatchError(
            f"turn {turn.number} cannot be accepted before it has ended: enter what was done "
            "before the press as a note"
        )
    rulings = state.ledger.rulings_for(turn.number)
    bag = state.bag_before(turn.number)
    if event.how == "hold_released" and not rulings.held_at(event.moment_ns):
        raise TilewatchError(f"turn {turn.number} is not held, so there is no hold to release")
    if event.how == "tiles_drawn" and not bag:
        raise TilewatchError(f"the bag was empty before turn {turn.number}: nothing was drawn")
    never = book.challenge_empty_free and book.event_rule("score_written_when_empty") is None
    if event.how == "score_written" and not bag and never:
        rule = book.rule("challenge.no_limit_when_empty") or rule
        raise TilewatchError(f"once the bag is empty, writing a score accepts no play ({rule})")
    if (refused := _refused_meanwhile(rulings, event, book)) is not None:
        raise TilewatchError(refused)
    rulings = replace(rulings, acceptances=(*rulings.acceptances, event))
    return with_rulings(state, turn.number, rulings.accepting(_counting(turn, book)))


def _counting(turn: Turn, book: Rulebook) -> Callable[[TurnRulings, PlayAccepted], bool]:
    """Return the test whether an acceptance of a play counts beside a hold and a challenge.

    A quick draw does not, if the play was held within the time guaranteed (NASPA IV.G.2.c).
    """
    until_ns = turn.press_ns + book.challenge_least_ns

    def counts(rulings: TurnRulings, event: PlayAccepted) -> bool:
        quick = event.how == "tiles_drawn" and event.moment_ns < until_ns
        held = rulings.held_ns is not None and rulings.held_ns <= until_ns
        return _refused_meanwhile(rulings, event, book) is None and not (quick and held)

    return counts


def _refused_meanwhile(rulings: TurnRulings, event: PlayAccepted, book: Rulebook) -> str | None:
    """Return why an acceptance does not count; None if it does.

    It does not while the verdict on a challenge is awaited, and some do not during a hold.
    """
    at_ns, lasts = event.moment_ns, book.hold_lasts_ns
    if rulings.challenged_at(at_ns):
        rule = book.rule("challenge.until")
        return f"nothing accepts a play while a challenge of it is decided: rule on it ({rule})"
    if rulings.held_ns is None or not rulings.held_at(at_ns):
        return None
    if event.how == "tiles_drawn" and not (lasts and at_ns > rulings.held_ns + lasts):
        rule = book.rule("hold.draw_seconds") or book.event_rule(event.how)
        return f"drawing during a hold does not accept the play ({rule})"
    if event.how == "score_written" and book.event_rule("score_written_in_hold") is None:
        rule = book.event_rule(event.how)
        return f"writing the score after a hold does not accept the play ({rule})"
    return None
