"""Corrections of earlier turns, by what later sightings show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from game.board import UNDESIGNATED, UNREADABLE, Square, is_blank
from game.events import CAMERA, BlankDesignated, Event, SquareCorrected, TurnSeen
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
        for the letter that it was designated. What only confirms a reading that was asked about is
        one event, once.
        """
        square, symbol = correction.square, correction.symbol
        shown = state.board[square]
        if is_blank(shown) and shown != UNDESIGNATED:
            self._letters[square] = len(state.turns), shown
        turns, letter = self._letters.get(square, (0, ""))
        if symbol == UNDESIGNATED and letter and correction.turn <= turns:
            symbol = letter
        amended = self._amended.setdefault(square, set())
        if correction.confirms:
            if correction.turn in amended:
                return []  # somebody may have taken that back
            amended.add(correction.turn)
            number, why = correction.turn, correction.why
            return [SquareCorrected(number, square.name, symbol, CAMERA, why, t_ns)]
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
            made.append(
                SquareCorrected(turn.number, square.name, symbol, CAMERA, correction.why, t_ns)
            )
        return made
