"""Questions about the squares of a turn: when one is asked, once only, and when it is answered.

The thresholds are measured (docs/live.md, "How sure a turn is").
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from math import isfinite
from typing import Final

import numpy as np

from game.board import EMPTY, FACE_DOWN, UNREADABLE, Board, Square, is_tile
from game.events import Finding
from game.flags import POSES
from game.plays.change import same_tile
from game.plays.play import in_lines, is_play
from game.referee.position import Turn
from game.state.fold import GameState
from vision.reading import Reading, guess_words
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.parameters import PUSHED, SQUARE, TURN
from vision.tracking.sighting import Sighting
from vision.tracking.square_filter import NOTHING, SYMBOLS


def shown_later(state: GameState, sighting: Sighting) -> tuple[ReadingCorrection, ...]:
    """Return the corrections of squares that earlier turns left unread or in doubt."""
    found = read_late(state, sighting)
    changed = {correction.square for correction in found}
    sure = (one for one in confirmed(state, sighting) if one.square not in changed)
    return with_misoriented((*found, *sure), sighting)


def read_late(state: GameState, sighting: Sighting) -> tuple[ReadingCorrection, ...]:
    """Return the corrections of tiles that were recorded as unread and can be read now."""
    found = []
    for square, symbol in state.board.tiles().items():
        now = sighting.merged.symbol(square)
        if symbol != UNREADABLE or not is_tile(now) or now == FACE_DOWN:
            continue
        turn = next((t for t in reversed(state.turns) if square.name in t.tiles), None)
        if turn is not None:
            why = f"could not be read at the press of turn {turn.number}, and can be now"
            found.append(ReadingCorrection(turn.number, square, now, why))
    return tuple(found)


def with_misoriented(
    corrections: Iterable[ReadingCorrection], sighting: Sighting
) -> tuple[ReadingCorrection, ...]:
    """Return the corrections, each with how its tile lies if the sighting shows it turned."""
    reading = sighting.reading
    turned = {f.square: f.detail for f in reading.findings if f.code == "misoriented_tile"}
    return tuple(
        replace(one, misoriented=turned.get(one.square.name, ""))
        if one.symbol == reading.symbol(one.square)
        else one
        for one in corrections
    )


def open_questions(state: GameState) -> Iterator[tuple[Turn, Square]]:
    """Yield the squares that an open question is about, each with the turn that it belongs to.

    Whether an unread tile of an earlier turn counts is no such question: no picture answers it.
    """
    for turn in state.turns:
        for flag in turn.flags:
            if flag.code == "uncertain_square" and flag.settled is None:
                squares = map(Square.parse, flag.squares)
                yield from ((turn, square) for square in squares if turn.before[square] == EMPTY)


def confirmed(state: GameState, sighting: Sighting) -> tuple[ReadingCorrection, ...]:
    """Return the confirmations by which a sighting answers open questions about squares.

    A tile is confirmed if it is read surely as the recorded symbol. A bare square of the last turn
    is confirmed if it is in sight while the tiles of that turn lie there. A tile that was laid
    since confirms nothing.
    """
    merged, reading = sighting.merged, sighting.reading
    found = []
    for turn, square in open_questions(state):
        now, counted = reading.symbol(square), turn.after[square]
        sure = float(merged.confidence[square])
        if merged.covered[square] or merged.symbol(square) != now:
            continue
        if sure < SQUARE.sure or not same_tile(now, counted) or now in (UNREADABLE, FACE_DOWN):
            continue
        bare = merged.belief.posterior[square][NOTHING]
        if is_tile(now) and bare < 1 - SQUARE.sure:
            why = f"read for sure in a later view ({sure:.0%})"
        elif now == EMPTY and turn is state.turns[-1] and _last_play_in_sight(state, sighting):
            why = f"in sight without a tile after the press of turn {turn.number}"
        else:
            continue
        found.append(ReadingCorrection(turn.number, square, counted, why, confirms=True))
    return tuple(found)


def _last_play_in_sight(state: GameState, sighting: Sighting) -> bool:
    """True if a sighting shows the tiles of the last turn: the board is not being cleared."""
    tiles = [Square.parse(name) for name in state.turns[-1].tiles]
    return bool(tiles) and all(sighting.shows_tile(square) for square in tiles)


_LETTER: Final = 0.75
"""A new tile is asked about if the posterior of its symbol is lower."""

_BARE: Final = 0.1
"""A new tile is asked about if its square is bare with this posterior or more: of eight such tiles
five were bare squares."""

_NO_PLAY: Final = 0.2
"""Factor on the certainty of tiles that make no play: players do place such, but in filmed games of
legal plays none of eleven such turns was right."""

_GUESSES: Final = 3


def tiles_certainty(state: GameState, sighting: Sighting) -> float:
    """Return the probability, 0..1, that a turn has just the tiles that its sighting shows.

    It is the product of the posteriors of all changed squares, less if some could not be read, and
    if the tiles make no play or follow such tiles.
    """
    sure, seen = sighting.merged.confidence, sighting.board
    board = state.known_board(seen)
    changed = [at for at in board.diff(seen) if not same_tile(board[at], seen[at])]
    read = [float(sure[at]) for at in changed if seen[at] != UNREADABLE]
    certainty = float(np.prod(read))
    if len(read) < len(changed):
        return certainty * TURN.unread
    new = {at: seen[at] for at in changed if seen[at] != EMPTY and not is_tile(board[at])}
    whole = is_play(board, new, state.rulebook.rack_tiles) if new else True
    if not whole or _follows_two_plays(state, changed):
        return certainty * _NO_PLAY
    return certainty


def questions(
    state: GameState,
    sighting: Sighting,
    found: Iterable[Finding],
    doubtful: Collection[Square] = (),
) -> tuple[Finding, ...]:
    """Return questions about the squares that are too unsure to be recorded without one.

    ``found`` are findings that ask already; ``doubtful`` are squares that may be bare, by the
    decoder.
    """
    known = {
        finding.square for finding in found if finding.code in ("uncertain_square", "face_down")
    }
    seen = sighting.board
    changed = [at for at in state.board.diff(seen) if not same_tile(state.board[at], seen[at])]
    asked = [
        Finding("uncertain_square", at.name, f"may be {guess_words(_guesses(sighting, at))}")
        for at in changed
        if is_tile(seen[at]) and not is_tile(state.board[at]) and at.name not in known
        if seen[at] != FACE_DOWN  # of a back it is asked what it is anyway
        if at in doubtful or _is_doubtful(sighting, at)
    ]
    if _follows_two_plays(state, changed):
        text = "nothing was laid, and the turn before shows tiles that are not in one line"
        asked.append(Finding("uncertain_square", None, text))
    return tuple(asked)


def _is_doubtful(sighting: Sighting, square: Square) -> bool:
    belief = sighting.merged.belief.posterior[square]
    return bool(sighting.merged.confidence[square] < _LETTER or belief[NOTHING] >= _BARE)


def _guesses(sighting: Sighting, square: Square) -> tuple[tuple[str, float], ...]:
    belief = sighting.merged.belief.posterior[square]
    return tuple((SYMBOLS[at], float(belief[at])) for at in np.argsort(-belief)[:_GUESSES])


def _follows_two_plays(state: GameState, changed: list[Square]) -> bool:
    """True if nothing changed since a turn whose tiles may have been two plays."""
    if changed or not state.turns or state.turns[-1].kind != "play":
        return False
    return not in_lines([*map(Square.parse, state.turns[-1].tiles)], 1)


class NewFindings:
    """The findings of readings, each reported once of the same tile.

    The reader reports of every picture which tiles are turned, askew or unsure. A tile does not
    turn or move by itself: its finding, or that it had none, holds until its square looks otherwise
    or a sleeve pushes it.
    """

    def __init__(self) -> None:
        self._reported: set[tuple[str, str]] = set()
        self._offsets: dict[str, tuple[float, float]] = {}
        """Each tile's offset, right and down, from its square's middle when it was first seen."""

    def recall(self, state: GameState, reading: Reading | None) -> None:
        """Resume a game by its state and a reading of the newest picture of its board."""
        self._note(finding for turn in state.turns for finding in turn.seen.findings)
        if reading is not None:
            self._note_offsets(reading, state.board, ())

    def of(self, sighting: Sighting, state: GameState) -> tuple[Finding, ...]:
        """Return the findings on a sighting that were not reported of the same tiles before.

        ``state`` is the game before the turn. A question about a square is asked once.
        """
        before, asked = state.board, {square.name for _, square in open_questions(state)}
        after = sighting.board
        changed = {square.name for square in before.diff(after)}
        found = [f for f in sighting.reading.findings if self._is_new(f, sighting, changed)]
        found = [f for f in found if f.code != "uncertain_square" or f.square not in asked]
        self._note_offsets(sighting.reading, after, changed)
        found += [f for f in sighting.merged.doubts if f.square is not None]
        self._note(found)
        return tuple(found)

    def _note(self, findings: Iterable[Finding]) -> None:
        self._reported.update((f.code, f.square) for f in findings if f.square is not None)

    def _is_new(self, finding: Finding, sighting: Sighting, changed: Collection[str]) -> bool:
        if finding.square is None:
            return True
        if finding.code == "misoriented_tile" and finding.square not in changed:
            return False  # tiles don't turn: it was reported, or not, when the tile was placed
        if finding.code in POSES:  # likewise, but that a sleeve may push a tile aside
            return self._shifted(finding.square, sighting.reading, changed)
        square, merged = Square.parse(finding.square), sighting.merged
        symbol = merged.symbol(square)
        settled = symbol not in (UNREADABLE, sighting.reading.symbol(square))
        if finding.code == "uncertain_square" and settled:
            return False  # the sightings before settled it
        same = bool(merged.same_appearance[square])
        if same and (finding.code, finding.square) in self._reported:
            return False
        return finding.square in changed or not same

    def _shifted(self, name: str, reading: Reading, changed: Collection[str]) -> bool:
        """Return True if the tile is new, or has moved since its offset was noted."""
        first, tile_pose = self._offsets.get(name), reading.tile_pose
        if name in changed or first is None or tile_pose is None:
            return True
        right, down, _ = tile_pose[Square.parse(name)].tolist()
        return bool(max(abs(right - first[0]), abs(down - first[1])) >= PUSHED)

    def _note_offsets(self, reading: Reading, board: Board, changed: Collection[str]) -> None:
        """Note the offsets of tiles that are new or were pushed aside."""
        there = {square.name for square in board.tiles()}
        self._offsets = {name: at for name, at in self._offsets.items() if name in there}
        if reading.tile_pose is None:
            return
        poses = reading.tile_pose.tolist()
        for square in board.tiles():
            right, down, _ = poses[square.row][square.col]
            if isfinite(right) and isfinite(down) and self._shifted(square.name, reading, changed):
                self._offsets[square.name] = right, down
