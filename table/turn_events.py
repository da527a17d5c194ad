"""Makes events of sightings: turns, second plays, corrections of earlier turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from game.board import EMPTY, UNDESIGNATED, UNREADABLE, Square, is_named_blank, is_tile
from game.events import (
    CAMERA,
    BlankDesignated,
    Event,
    Finding,
    PicturesLost,
    SecondPlaySeen,
    Side,
    SquareCorrected,
    TurnSeen,
)
from game.plays.play import is_play
from game.state.fold import GameState
from game.terms import PictureEdge
from vision.reading import Reading
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.results import SecondPlay, SeenTurn
from vision.tracking.sighting import Sighting

_CERTAIN: Final = 0.9
"""The certainty below which a turn with dropped pictures is asked about."""


def seen_event(
    seen: SeenTurn,
    sighting: Sighting,
    pictures: Mapping[str, str],
    lost: tuple[PicturesLost, ...],
    *,
    blind: bool,
    hands: Mapping[Side, PictureEdge] | None = None,
) -> TurnSeen:
    """Return the event of a turn.

    Args:
        seen: the turn.
        sighting: the reading of the board that it is based on.
        pictures: the evidence by role.
        lost: the gaps without pictures.
        blind: True if this computer missed pictures in it for as long as a play takes.
        hands: the edge of the picture at which each player sits; None if that is not sure.
    """
    sure = sighting.merged.confidence
    return TurnSeen(
        seen.side,
        seen.press_ns,
        sighting.merged.rows,
        sighting.frame.t_ns,
        {square.name: round(float(sure[square]), 4) for square in seen.changed},
        pictures,
        (*seen.findings, *_doubts(seen), *_too_few_pictures(seen, lost, blind)),
        seen.certainty or None,
        _marked(sighting.reading, seen.changed),
        seen.ended,
        lost,
        seen.readings or None,
        hands,
    )


def _marked(reading: Reading, changed: Iterable[Square]) -> tuple[str, ...] | None:
    """Return the changed squares that a reading marks as unsure; None if it has no promise."""
    if reading.promise is None:
        return None
    marked = set(reading.marked)
    return tuple(square.name for square in sorted(changed) if square in marked)


def second_play_event(found: SecondPlay) -> SecondPlaySeen:
    """Return the event of a second play that lies beside the first."""
    rows = found.sighting.merged.rows
    tiles = {square.name: rows[square.row][square.col] for square in sorted(found.tiles)}
    return SecondPlaySeen(found.side, tiles, found.ended_ns, found.sighting.frame.t_ns)


def unseen_event(seen: SeenTurn, rows: tuple[str, ...], lost: tuple[PicturesLost, ...]) -> TurnSeen:
    """Return the event of a turn of which nothing was seen; ``rows`` are those before it."""
    nothing = Finding("uncertain_square", None, seen.covered or "no picture of the board")
    unsure = {"tiles": 0.0, "player": 1.0, "time": 1.0}
    return TurnSeen(
        seen.side,
        seen.press_ns,
        rows,
        None,
        findings=(nothing,),
        certainty=unsure,
        ended=seen.ended,
        lost=lost,
    )


def _doubts(seen: SeenTurn) -> Iterable[Finding]:
    if seen.covered is not None:
        yield Finding("board_covered", None, seen.covered)
    if seen.doubt is None:
        text = "the play may be where nothing could be seen"
        yield Finding("uncertain_square", None, text)
    if (seen.question is not None or seen.readings) and not seen.forgotten:
        yield Finding("turn_inferred", None, seen.question or "")


def _too_few_pictures(
    seen: SeenTurn, lost: tuple[PicturesLost, ...], blind: bool
) -> Iterable[Finding]:
    """Yield the question about a turn for which this computer processed too few pictures.

    Tiles may be counted to the wrong turn if no picture shows when they were laid.
    """
    unsure = min(seen.certainty.values(), default=1.0) < _CERTAIN
    if blind or (unsure and any(one.dropped for one in lost)):
        yield Finding("pictures_lost")


class EarlierTurnCorrections:
    """The corrections of earlier turns of one game, by what later sightings show."""

    def __init__(self) -> None:
        self._amended: dict[Square, set[int]] = {}
        self._letters: dict[Square, tuple[int, str]] = {}
        """By square the designated letter of a blank, and the number of turns at that time."""

    def recall(self, events: Iterable[Event]) -> None:
        """Restore earlier corrections and the letters of the blanks from a game's events."""
        turns = 0
        for event in events:
            turns += isinstance(event, TurnSeen)
            if isinstance(event, BlankDesignated):
                self._letters[Square.parse(event.square)] = turns, event.letter.lower()
            elif isinstance(event, SquareCorrected) and event.by == CAMERA:
                self._amended.setdefault(Square.parse(event.square), set()).add(event.turn)

    def renumber(self, numbers: Mapping[int, int]) -> None:
        """Renumber the turns; ``numbers`` maps old numbers to new ones."""
        self._amended = {
            square: {numbers.get(turn, turn) for turn in turns}
            for square, turns in self._amended.items()
        }
        self._letters = {
            square: (numbers.get(turns, turns), letter)
            for square, (turns, letter) in self._letters.items()
        }

    def events(
        self, correction: ReadingCorrection, state: GameState, t_ns: int
    ) -> list[SquareCorrected]:
        """Return the events that correct the reading of a square in earlier turns.

        A correction applies to later turns as long as their reading equals that of its own turn. So
        a square that was read in several ways needs a correction for each, and every turn that was
        corrected before needs its own. A blank that was not seen for a while keeps its designated
        letter. Two kinds of tiles are never corrected away: a blank whose letter somebody entered,
        and a tile without which the others form no play. A correction that only confirms a
        questioned reading is one event, once.
        """
        correction = _of_its_play(correction, state)
        square, symbol = correction.square, correction.symbol
        shown = state.board[square]
        if symbol == EMPTY and _is_needed(correction, state):
            return []
        if is_named_blank(shown):
            self._letters[square] = len(state.turns), shown
        turns, letter = self._letters.get(square, (0, ""))
        if symbol == UNDESIGNATED and letter and correction.turn <= turns:
            symbol = letter
        amended = self._amended.setdefault(square, set())
        if correction.confirms:
            if correction.turn in amended:
                return []  # somebody may have taken that back
            amended.add(correction.turn)
            return [_correction(correction, correction.turn, symbol, t_ns)]
        was: str | None = None
        made: list[SquareCorrected] = []
        for turn in state.turns[max(0, correction.turn - 1) :]:
            seen = turn.seen.rows[square.row][square.col]
            first = turn.number == correction.turn
            fits = seen == symbol if first else seen in (was, symbol, UNREADABLE)
            if fits and turn.number not in amended:
                continue
            was = seen
            amended.add(turn.number)
            made.append(_correction(correction, turn.number, symbol, t_ns))
        return made


def _correction(
    correction: ReadingCorrection, turn: int, symbol: str, t_ns: int
) -> SquareCorrected:
    how = correction.misoriented if turn == correction.turn else ""
    square = correction.square.name
    return SquareCorrected(turn, square, symbol, CAMERA, correction.why, t_ns, how)


def _of_its_play(correction: ReadingCorrection, state: GameState) -> ReadingCorrection:
    """Return the correction, moved to the turn that forms no play without the tile.

    A plain blank may look like the square under it, so its first sighting may come late.
    """
    square = correction.square
    if correction.confirms or not is_tile(correction.symbol) or state.board[square] != EMPTY:
        return correction
    rack, tile = state.rulebook.rack_tiles, {square: correction.symbol}
    found = []
    for turn in state.turns[max(0, correction.turn - 1) :]:
        tiles = {Square.parse(name): symbol for name, symbol in turn.tiles.items()}
        if tiles and not is_play(turn.before, tiles, rack):
            found += [turn.number] if is_play(turn.before, tiles | tile, rack) else []
    return replace(correction, turn=found[0]) if len(found) == 1 else correction


def _is_needed(correction: ReadingCorrection, state: GameState) -> bool:
    """Return True if a tile was certainly there: named by a person, or needed for the play."""
    square = correction.square
    if not 0 < correction.turn <= len(state.turns) or not is_tile(state.board[square]):
        return False  # the play was taken off
    turn = state.turns[correction.turn - 1]
    if is_named_blank(state.board[square]):
        return True
    if not is_tile(turn.tiles.get(square.name, EMPTY)):
        return False
    tiles = {Square.parse(name): symbol for name, symbol in turn.tiles.items()}
    rest = {at: symbol for at, symbol in tiles.items() if at != square}
    rack = state.rulebook.rack_tiles
    return is_play(turn.before, tiles, rack) and bool(rest) and not is_play(turn.before, rest, rack)
