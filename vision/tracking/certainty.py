"""How sure a turn's tiles are, and what of them is asked about although it was read.

The thresholds are measured (docs/live.md, "How sure a turn is").
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

import numpy as np

from game.board import EMPTY, FACE_DOWN, UNREADABLE, Board, Square, is_tile
from game.events import Finding
from game.plays.change import same_tile
from game.plays.completing import is_play
from game.state.fold import GameState
from vision.reading import guess_words
from vision.tracking.belief import NOTHING, SYMBOLS
from vision.tracking.sighting import Sighting
from vision.tracking.turn_decoder import in_line

_LETTER: Final = 0.75
"""A new tile that is read less surely than this is asked about, ..."""

_BARE: Final = 0.1
"""... and so is one whose square is as likely as this to be bare: of eight squares that were taken
for a tile so, five were bare."""

_UNREAD: Final = 0.5
"""Squares that may hold more of a play make it half as sure."""

_NO_PLAY: Final = 0.2
"""Tiles that make no play: players do place such, but in filmed games of legal plays none of eleven
such turns was right."""

_GUESSES: Final = 3


def tiles_certainty(state: GameState, sighting: Sighting) -> float:
    """Return how sure it is, 0..1, that a turn is the tiles that its sighting shows and no others.

    The probabilities of the readings on all changed squares, less where some could not be read, and
    where the tiles make no play, or none follow such.
    """
    rows, sure = sighting.merged.rows, sighting.merged.confidence
    seen = Board.from_rows(rows)  # in which a blank has no letter, whatever it stands for
    board = state.known_board(seen)
    changed = [at for at in board.diff(seen) if not same_tile(board[at], seen[at])]
    read = [float(sure[at]) for at in changed if seen[at] != UNREADABLE]
    certainty = float(np.prod(read))
    if len(read) < len(changed):
        return certainty * _UNREAD
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
    """Return findings on what is too unsure to count unasked, beyond those that were found.

    ``doubtful`` are squares that may hold no tile, by what lies around them.
    """
    known = {
        finding.square for finding in found if finding.code in ("uncertain_square", "face_down")
    }
    seen = Board.from_rows(sighting.merged.rows)
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
    return not in_line({Square.parse(name) for name in state.turns[-1].tiles})
