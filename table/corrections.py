"""Corrections of earlier turns, by what later sightings show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from game.board import EMPTY, UNDESIGNATED, UNREADABLE, Square, is_named_blank, is_tile
from game.events import CAMERA, BlankDesignated, Event, SquareCorrected, TurnSeen
from game.plays.play import is_play
from game.state.fold import GameState
from vision.tracking.board_tracker import ReadingCorrection


class EarlierTurnCorrections:
    """The corrections of one game."""

    def __init__(self) -> None:
        self._amended: dict[Square, set[int]] = {}
        self._letters: dict[Square, tuple[int, str]] = {}
        """The letters that blanks were designated, and how many turns there were then."""

    def recall(self, events: Iterable[Event]) -> None:
        """Remember the corrections that were made before, and the letters of the blanks."""
        turns = 0
        for event in events:
            turns += isinstance(event, TurnSeen)
            if isinstance(event, BlankDesignated):
                self._letters[Square.parse(event.square)] = turns, event.letter.lower()
            elif isinstance(event, SquareCorrected) and event.by == CAMERA:
                self._amended.setdefault(Square.parse(event.square), set()).add(event.turn)

    def renumber(self, numbers: Mapping[int, int]) -> None:
        """Give the turns other numbers, by their old ones."""
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
        """Return the events that correct what earlier turns were seen to show on a square.

        A correction holds for the turns after it for as long as they were read as its own turn
        was, so a square that was read in several ways needs one for each, and so does every turn
        that was corrected before. A blank that was lost from sight and is found again still stands
        for the letter that it was designated. However a square reads now, a blank that somebody
        named was there, and so was a tile without which the others make no play. What only confirms
        a reading that was asked about is one event, once.
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
            return [_event(correction, correction.turn, symbol, t_ns)]
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
            made.append(_event(correction, turn.number, symbol, t_ns))
        return made


def _event(correction: ReadingCorrection, turn: int, symbol: str, t_ns: int) -> SquareCorrected:
    how = correction.misoriented if turn == correction.turn else ""
    square = correction.square.name
    return SquareCorrected(turn, square, symbol, CAMERA, correction.why, t_ns, how)


def _of_its_play(correction: ReadingCorrection, state: GameState) -> ReadingCorrection:
    """Return the correction as one of the turn that makes no play without the tile.

    A plain blank may look like the square under it, as if it had lain there from the beginning.
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
    """True if a tile was surely there: somebody named it, or the play is none without it."""
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
