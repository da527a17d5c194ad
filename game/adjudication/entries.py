"""Checks that refuse mistaken entries. The fold takes them, so a log that has one stays readable.

:func:`check_entry` is for entries of people, :func:`check_given` for events that code gives a game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from game.clock import duration, shown
from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    DirectorNoted,
    EndReason,
    Event,
    GameEnded,
    GameForfeited,
    HoldCalled,
    LateStart,
    OvertimeErased,
    PositionRestored,
    RackReported,
    ResultSigned,
    Retracted,
    ScoreAgreed,
    Side,
    TurnRuled,
    TurnSeen,
    UnseenTimeCharged,
    check_event,
)
from game.referee.turn_flags import drawn_within
from game.rulebooks.rulebook import Rulebook
from game.state.clock_events import changed_clocks
from game.state.end_events import forfeit_entry_refused
from game.state.game_state import GameState
from game.terms import ENDED_BY_WORD
from game.tileset import BLANK, TileSet

MOST_FOR_A_PLAY: Final = 2_000
"""The most points for a play. The highest play ever constructed makes about 1,790 in English; the
record at a table is 365."""

MOST_IN_ALL: Final = 5_000
"""The most points of a player, above or below 0: penalties may take a total below 0. The record at
a table is 830."""


_ACCEPTED: Final[Mapping[str, str]] = {
    "tiles_drawn": "its player was let draw",
    "score_written": "its score was written down",
    "play_accepted": "it was accepted by word",
    "hold_released": "the hold was released",
}
"""How a play was accepted, in words."""


def check_entry(state: GameState, event: Event) -> None:
    """Refuse an entry that is certainly a typing error, or too late.

    Raises:
        TilewatchError: a score that no play or game makes; a rack that no set has; an exchange of
            neither tiles nor a number of them, or of tiles on the board; an end for no known
            reason; a hold or a forfeit for lateness that comes too late; more time than a player
            can have lost; overtime erased that is not on the clock; a forfeit on time before the
            limit has passed; a signature without a result; a retraction of a signature that no
            longer counts. The message names the fault and the remedy.
    """
    if check := _CHECKS.get(type(event)):
        check(state, event)


def _check_ruling(state: GameState, event: TurnRuled) -> None:
    if event.ruling == "exchange":
        _check_exchanged(event, state)
        most = state.rulebook.rack_tiles
        if event.announced is not None and event.announced > most:
            raise TilewatchError(
                f"TurnRuled.announced: {event.announced} tiles are too many; enter at most {most}"
            )


def _check_racks(state: GameState, event: RackReported | PositionRestored) -> None:
    racks = [event.tiles] if isinstance(event, RackReported) else event.racks.values()
    for rack in racks:
        _check_rack(rack, state.tile_set)


def _check_forfeit(state: GameState, event: GameForfeited) -> None:
    if event.cause == "late" and (refused := forfeit_entry_refused(state, event)):
        raise TilewatchError(refused)
    if event.cause == "overtime" and state.timed:
        _check_limit(state, event)


def _check_late(state: GameState, event: LateStart) -> None:
    most = _most_lost_ns(state.rulebook)
    if event.lost_ns > most:
        raise TilewatchError(
            f"{state.players[event.side]} cannot have lost {duration(event.lost_ns)} by coming "
            f"late: the clock and the overtime add up to only {duration(most)}; enter at most that"
        )


def _check_signature(state: GameState, _event: ResultSigned) -> None:
    if state.no_result:
        raise TilewatchError(
            "the game ended without a result, so there is nothing to sign; if it has one, "
            "enter first how it ended"
        )


def _check_retracted(state: GameState, event: Retracted) -> None:
    events = state.progress.events
    known = 1 <= event.event <= len(events)
    if known and isinstance(events[event.event - 1], ResultSigned) and state.signed is None:
        raise TilewatchError(
            "the signature no longer counts, as the result was opened again: change the "
            "game, and sign it again"
        )


def _check_end(_state: GameState, event: GameEnded) -> None:
    """Refuse an unknown reason, with which the game would count as played to its end."""
    known = sorted({*EndReason, *ENDED_BY_WORD})
    if event.reason not in known:
        raise TilewatchError(
            f"GameEnded.reason: {event.reason!r:.40} is not a known reason; give one of "
            f"{', '.join(known)}"
        )


def _check_charge(state: GameState, event: UnseenTimeCharged) -> None:
    """Refuse to charge more time than passed, or to charge a player whose clock was stopped."""
    unseen = state.progress.unseen.get(event.event)
    if unseen is None:
        return
    gap, player = unseen.event, state.players[unseen.side]
    if event.side != unseen.side:
        raise TilewatchError(
            f"{player}'s clock ran when the table was last watched, and not "
            f"{state.players[event.side]}'s: charge {player}, or adjust "
            f"{state.players[event.side]}'s clock"
        )
    if gap.measured and gap.passed_ns is not None:
        if event.charged_ns > gap.passed_ns:
            raise TilewatchError(
                f"{player} cannot be charged {duration(event.charged_ns)}: nobody watched for "
                f"{duration(gap.passed_ns)}; enter at most that"
            )
    elif event.charged_ns > (most := max(gap.passed_ns or 0, _most_lost_ns(state.rulebook))):
        raise TilewatchError(
            f"{player} cannot be charged {duration(event.charged_ns)}: how long nobody watched is "
            f"not known, and {duration(most)} is the most that can be charged; enter at most that"
        )


def _check_limit(state: GameState, event: GameForfeited) -> None:
    """Refuse a forfeit on time if the player's clock has not passed the limit."""
    lost = state.forfeit
    if lost is None or lost.side != event.side:
        player, left = state.players[event.side], state.clocks.remaining(event.side, event.t_ns)
        raise TilewatchError(
            f"{player} has not passed the limit on overtime: the clock shows {shown(left)}; "
            "correct the clock first, or enter another cause"
        )


def _most_lost_ns(book: Rulebook) -> int:
    """Return the most time that a player can lose: the whole clock and the overtime."""
    return book.clock_ns + book.overtime_limit_from_ns


def _check_score(state: GameState, event: ScoreAgreed) -> None:
    if event.turn and not 0 <= event.points <= MOST_FOR_A_PLAY:
        raise TilewatchError(
            f"turn {event.turn} cannot score {event.points}: a play makes from 0 to "
            f"{MOST_FOR_A_PLAY} points; enter the points that both players agree on"
        )
    if not event.turn and abs(event.points) > MOST_IN_ALL:
        raise TilewatchError(
            f"{state.players[event.side]}'s total cannot be {event.points}: it is from "
            f"-{MOST_IN_ALL} to {MOST_IN_ALL}; enter the total that both players agree on"
        )


def _check_rack(rack: str, tiles: TileSet) -> None:
    """Refuse a rack with more of a tile than the set has; the fold refuses tiles of other sets."""
    for tile, count in Counter(rack).items():
        if count > (most := tiles.counts.get(tile, count)):
            raise TilewatchError(
                f"rack {tiles.word(rack)!r}: the {tiles.name} set has {_number(most, tile, tiles)}"
                f", and not {count}; check the rack, or enter first that the set was altered"
            )


def _check_exchanged(event: TurnRuled, state: GameState) -> None:
    """Refuse exchanged tiles that are neither tiles of the set nor a number up to a full rack.

    A mix such as ``7O`` is refused: no letter is a digit.
    """
    exchanged, tiles, most = event.tiles, state.tile_set, state.rulebook.rack_tiles
    listed = [tile for tile in exchanged if tile not in " ,;"]
    known = all(tile in tiles.counts or tile.upper() in tiles.counts for tile in listed)
    digits = exchanged.isascii() and exchanged.isdecimal() and len(exchanged) <= len(str(most))
    number = int(exchanged) if digits else 0
    if not (len(listed) <= most if known else 1 <= number <= most):
        raise TilewatchError(
            f"tiles exchanged: {tiles.word(exchanged)!r:.40} is neither at most {most} tiles of "
            f"the {tiles.name} set nor a number from 1 to {most}; enter one of them, or nothing"
        )
    _check_there(event, tiles.rack("".join(listed)) if known else "", state)


def _check_there(event: TurnRuled, listed: str, state: GameState) -> None:
    """Refuse exchanged tiles if the set had fewer of them off the board."""
    tiles = state.tile_set
    turn = next((one for one in state.turns if one.number == event.turn), None)
    left = tiles.unseen((state.board if turn is None else turn.before).symbols)
    for tile, count in Counter(listed).items():
        if count > max(0, left.get(tile, 0)):
            raise TilewatchError(
                f"tiles exchanged: {tiles.word(listed)!r:.40}: the {tiles.name} set has "
                f"{_number(tiles.counts[tile], tile, tiles)}, and "
                f"{_number(max(0, left[tile]), tile, tiles)} off the board; check the "
                "tiles, or correct the board first"
            )


def _check_hold(state: GameState, event: HoldCalled) -> None:
    """Refuse to hold a play that was accepted before, unless the opponent was away."""
    if not 1 <= event.turn <= len(state.turns):
        return  # the fold's to refuse
    book, rulings = state.rulebook, state.progress.ledger.rulings_for(event.turn)
    accepted, press_ns = rulings.accepted, state.turns[event.turn - 1].press_ns
    if accepted is None or accepted.moment_ns >= event.t_ns or rulings.returned_ns is not None:
        return
    least_ns = book.challenge_least_ns
    if drawn_within(rulings, press_ns, least_ns) and event.t_ns <= press_ns + least_ns:
        return  # who draws so soon takes no right away
    rule = book.event_rule(accepted.how)
    raise TilewatchError(
        f"turn {event.turn} can no longer be held: {_ACCEPTED[accepted.how]}"
        + (f" ({rule})" if rule else "")
    )


def _check_erased(state: GameState, event: OvertimeErased) -> None:
    """Refuse to erase overtime that has not been used up; what comes later is not erased by it."""
    if changed_clocks(state, event).config.erased == state.config.erased:
        player = state.players[event.side]
        raise TilewatchError(
            f"{player} had no overtime then that is not erased: erase it once it is on the clock"
        )


def _check_note(state: GameState, event: DirectorNoted) -> None:
    for name in ("score", "spread"):
        for side, points in getattr(event, name).items():
            if abs(points) > MOST_IN_ALL:
                raise TilewatchError(
                    f"DirectorNoted.{name}: {points} points for {state.players[side]} are too "
                    f"many; enter at most {MOST_IN_ALL}"
                )
    most = _most_lost_ns(state.rulebook)
    for side, added_ns in event.added_ns.items():
        if abs(added_ns) > most:
            raise TilewatchError(
                f"DirectorNoted.added_ns: {duration(abs(added_ns))} for {state.players[side]} "
                f"is too much; the clock and the overtime add up to only {duration(most)}"
            )


def _number(count: int, tile: str, tiles: TileSet) -> str:
    name = tiles.text(tile) if tile != BLANK else "blank" if count == 1 else "blanks"
    return f"{count or 'no'} {name}"


_CHECKS: Mapping[type[Event], Callable[[GameState, Any], None]] = {
    DirectorNoted: _check_note,
    GameEnded: _check_end,
    GameForfeited: _check_forfeit,
    HoldCalled: _check_hold,
    LateStart: _check_late,
    OvertimeErased: _check_erased,
    PositionRestored: _check_racks,
    RackReported: _check_racks,
    ResultSigned: _check_signature,
    Retracted: _check_retracted,
    ScoreAgreed: _check_score,
    TurnRuled: _check_ruling,
    UnseenTimeCharged: _check_charge,
}
"""The check of each kind of entry that has one."""


def check_given(event: Event, before: Sequence[Event], names: Mapping[Side, str]) -> None:
    """Refuse an event that code gives a game and that a table would never log.

    Args:
        event: the event.
        before: the events so far.
        names: the players' names by side.

    Raises:
        TilewatchError: the event has a player's name for a side, is from before the start, or is a
            press or a turn that the game has already.
    """
    kind, side = type(event).__name__, getattr(event, "side", None)
    for known, name in names.items():
        if side == name and side not in names:
            raise TilewatchError(f"{kind}.side: give game.side({name!r}), which is {known!r}")
    check_event(event)
    start_ns = getattr(before[0], "t_ns", 0)
    if (t_ns := getattr(event, "t_ns", start_ns)) < start_ns:
        raise TilewatchError(
            f"{kind}.t_ns: {t_ns} is before the game began ({start_ns}); now is game.now_ns"
        )
    for number, known_event in enumerate(before, start=1):
        if _is_same(event, known_event):
            raise TilewatchError(f"this {kind} was recorded already, as event {number}")


def _is_same(event: Event, known: Event) -> bool:
    """True if both are the same press, or turns that the same press ended."""
    if isinstance(event, TurnSeen) and isinstance(known, TurnSeen):
        return (event.side, event.press_ns) == (known.side, known.press_ns)
    return isinstance(event, ButtonPressed) and event == known
