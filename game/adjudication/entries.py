"""Entries that are refused although the fold would take them.

They are checked as somebody enters them, and not as a log is read: a log that has one already stays
readable.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from game.errors import TilewatchError
from game.events import (
    Event,
    PositionRestored,
    RackReported,
    ResultSigned,
    Retracted,
    ScoreAgreed,
    TurnRuled,
)
from game.state.game_state import GameState
from game.tileset import BLANK, TileSet

MOST_FOR_A_PLAY: Final = 2_000
"""Points. The highest play that anybody has constructed makes some 1,790 in English; the record at
a table is 365."""

MOST_IN_ALL: Final = 5_000
"""Points of a player, above or below 0: penalties may take a total below it. The record at a table
is 830."""


def check_entry(state: GameState, event: Event) -> None:
    """Refuse what nobody can mean who enters an event now.

    Raises:
        TilewatchError: a score that no play or game makes, a rack that no set has, an exchange of
            what is neither tiles nor a number of them, a signature where there is no result, or the
            end of one that has ended already; the line says which, and what to do.
    """
    match event:
        case ScoreAgreed():
            _check_score(state, event)
        case RackReported():
            _check_rack(event.tiles, state.tile_set)
        case TurnRuled(ruling="exchange"):
            _check_exchanged(event.tiles, state)
        case PositionRestored():
            for tiles in event.racks.values():
                _check_rack(tiles, state.tile_set)
        case ResultSigned() if state.no_result:
            raise TilewatchError(
                "the game ended without a result, so there is nothing to sign; if it has one, "
                "enter first how it ended"
            )
        case Retracted() if isinstance(_event(state, event.event), ResultSigned):
            if state.signed is None:
                raise TilewatchError(
                    "the signature counts no more since the result was opened again: change the "
                    "game, and sign it anew"
                )


def _event(state: GameState, number: int) -> Event | None:
    events = state.progress.events
    return events[number - 1] if 1 <= number <= len(events) else None


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
    """A tile that the set has not got at all is the fold's to refuse."""
    for tile, count in Counter(rack).items():
        if count > (most := tiles.counts.get(tile, count)):
            raise TilewatchError(
                f"rack {tiles.word(rack)!r}: the {tiles.name} set has {_number(most, tile, tiles)}"
                f", and not {count}; look at the rack again, or enter first that the set was "
                "altered"
            )


def _check_exchanged(exchanged: str, state: GameState) -> None:
    """A letter is never a digit: 7O is neither a number nor tiles."""
    tiles, most = state.tile_set, state.rulebook.rack_tiles
    listed = [tile for tile in exchanged if tile not in " ,;"]
    known = all(tile in tiles.counts or tile.upper() in tiles.counts for tile in listed)
    digits = exchanged.isascii() and exchanged.isdecimal() and len(exchanged) <= len(str(most))
    number = int(exchanged) if digits else 0
    if not (len(listed) <= most if known else 1 <= number <= most):
        raise TilewatchError(
            f"tiles exchanged: {tiles.word(exchanged)!r:.40} is neither at most {most} tiles of "
            f"the {tiles.name} set nor a number from 1 to {most}; enter one of them, or nothing"
        )


def _number(count: int, tile: str, tiles: TileSet) -> str:
    name = tiles.text(tile) if tile != BLANK else "blank" if count == 1 else "blanks"
    return f"{count or 'no'} {name}"
