"""What a game record in GCG leaves out of a game, in words for whoever reads the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from game.board import FACE_DOWN, UNDESIGNATED, UNREADABLE, Square
from game.events import EndReason, other
from game.gcg.record import EntryKind
from game.state.fold import GameState
from game.tile_symbols import spelled
from game.tileset import load_tile_set

OPENS = "GCG cannot say this:"
"""How the note begins."""

_IN_POINTS = frozenset({"left", "overtime_limit", "one_point"})
"""Lines by which a game that was not played out ends in points, which a record does say."""


_NO_TIME: Final[Mapping[EntryKind, str]] = {
    "penalty": "a penalty",
    "correction": "a correction of the score",
    "left": "for leaving the game",
    "overtime_limit": "for passing the limit on overtime",
    "one_point": "so that the limit on overtime decides the game",
}


def no_time(kind: EntryKind) -> tuple[str, ...]:
    """The note on a ``(time)`` line whose points are for something else.

    GCG has no other form for points that no turn makes, and its readers know none.
    """
    what = _NO_TIME.get(kind)
    return () if what is None else (f"Not time: these points are {what}.",)


def omissions(state: GameState) -> tuple[str, ...]:
    """One note for everything that makes of the record, read back, another game than this."""
    course = (*_before(state), *_undone(state), *_agreed(state), *_unseen(state))
    return _notes((*course, *_lost(state), *_spreads(state), *_altered(state)))


def omissions_of_course(state: GameState) -> tuple[str, ...]:
    """The omissions that are not about the result."""
    course = (*_before(state), *_undone(state), *_agreed(state), *_unseen(state))
    return _notes((*course, *_altered(state)))


def omissions_of_result(state: GameState) -> tuple[str, ...]:
    """The omissions that are about the result."""
    return _notes((*_lost(state), *_spreads(state), *_no_result(state)))


def _notes(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{OPENS} {text}" for text in texts)


def not_known(
    written: Iterable[Square], tiles: Mapping[str, str], stand_in: str
) -> tuple[str, ...]:
    """The note on a play's line in which a letter had to be invented.

    No reader takes anything but a letter there.

    Args:
        written: the squares of the tiles that the line plays.
        tiles: what lies on them, as far as it is known.
        stand_in: the letter in the line.
    """
    lay = {square.name: tiles.get(square.name) for square in written if square.on_board}
    blanks = [name for name, symbol in lay.items() if symbol == UNDESIGNATED]
    others = [name for name, symbol in lay.items() if symbol in (FACE_DOWN, UNREADABLE)]
    what = []
    if blanks:
        what.append(
            f"the letter{'s' * (len(blanks) > 1)} of the blank{'s' * (len(blanks) > 1)} "
            f"on {_listed(blanks)}"
        )
    if others:
        what.append(f"the tile{'s' * (len(others) > 1)} on {_listed(others)}")
    if not what:
        return ()
    each = "each" if len(blanks) + len(others) > 1 else "it"
    line = f"In the line above, {spelled(stand_in.upper())} stands for {each}."
    return (f"Not known: {'; '.join(what)}. {line}",)


def _listed(names: list[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _before(state: GameState) -> Iterator[str]:
    """Tiles that came to lie there in turns that never were."""
    opening = next((turn for turn in state.turns if turn.kind != "undone"), None)
    if opening is not None and (lay := opening.before.tiles()):
        tiles = ", ".join(f"{symbol} on {square.name}" for square, symbol in lay.items())
        yield f"before the first turn there lay on the board {tiles}"


def _undone(state: GameState) -> Iterator[str]:
    """Turns that never were and came between an illegal play and its being announced."""
    for turn in state.turns:
        if turn.ruling not in ("illegal_play", "illegal_play_unknown"):
            continue
        seen = state.progress.ledger.rulings_for(turn.number).ruled_after
        between = state.turns[turn.number : seen]
        if never := [str(one.number) for one in between if one.kind == "undone"]:
            yield (
                f"turn {turn.number} was announced as an illegal play after turn "
                f"{', '.join(never)}, which was ruled never to have been"
            )


def _agreed(state: GameState) -> Iterator[str]:
    """Scores that people agreed on, or a game began with: no turn's tiles make them."""
    for line in state.adjustments:
        if line.kind in ("agreed", "starting_score"):
            how = "both players agreed on it" if line.kind == "agreed" else "it began so"
            rule = f" ({line.rule})" if line.rule else ""
            yield f"{line.points:+d} points to {state.players[line.side]}: {how}{rule}"
    for turn in state.turns:
        if flag := next((one for one in turn.flags if one.code == "score_agreed"), None):
            rule = f" ({flag.rule})" if flag.rule else ""
            yield f"{flag.message.rstrip('.')}{rule}"


def _unseen(state: GameState) -> Iterator[str]:
    """Turns of which nobody knows what was played in them."""
    for turn in state.turns:
        if turn.kind == "not_known":
            tiles = f", and whose the tiles on {', '.join(turn.open_tiles)} are"
            what = tiles if turn.open_tiles else ""
            yield f"it is not known what was played in turn {turn.number}{what}"


def _no_result(state: GameState) -> Iterator[str]:
    """A game that was not played to its end, and that nobody has won."""
    if state.no_result:
        how = "postponed" if state.end_reason == EndReason.POSTPONED else "broken off"
        yield f"the game was {how}: it has no result"


def _lost(state: GameState) -> Iterator[str]:
    """A result that does not follow from the lines, as the game was not played out."""
    result = state.outcome
    if result is None or result.kind == "played":
        return
    if any(line.kind in _IN_POINTS for line in state.adjustments):
        return
    how = result.kind.replace("_", " ")
    rule = f", {result.rule}" if result.rule else ""
    if result.winner is None:
        won = "both players lose" if result.kind == "both_absent" else "the director decides"
    else:
        winner, loser = state.players[result.winner], state.players[other(result.winner)]
        won = f"{winner} wins against {loser}"
    by = "" if result.margin is None else f" by {result.margin}"
    yield f"the game was not played out ({how}{rule}): {won}{by}"


def _spreads(state: GameState) -> Iterator[str]:
    """Points on the spread alone."""
    for line in state.adjustments:
        if line.kind == "spread":
            name = state.players[line.side]
            yield f"{line.points:+} points on the spread of {name}, which are in no score"


def _altered(state: GameState) -> Iterator[str]:
    """A set that was not the one that it is named after."""
    usual = load_tile_set(state.start.tile_set).counts
    for tile, count in state.tile_set.counts.items():
        if count != usual[tile]:
            yield f"the set had {count} tiles {spelled(tile)}, not {usual[tile]}"
