"""A play as a dialog shows it: on the board, in its picture, its words, how late a challenge is.

The template ``director/play.html`` draws it. Places are in squares from the board's corner.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dashboard.board_template import Cell, board_rows
from dashboard.director.folded_page import FoldedPage
from dashboard.director.turn_pictures import KeptPictures, frame_around, to_board
from game.board import EMPTY, SIZE, UNDESIGNATED, Board, Square, is_blank
from game.guidance import LIMITS, by_name
from game.referee.position import Turn
from game.state.fold import GameState
from game.state.timed_rights import challenge_gone
from game.tile_symbols import printed, spelled
from record.evidence import EvidenceStore


@dataclass(frozen=True, slots=True)
class ShownSquare:
    """A square of the board, with what lay on it after the play."""

    at: Square
    cell: Cell
    letter: str
    """The letter as people see it; empty for a square without a tile."""
    kind: str
    """CSS classes: ``tile``, and ``lit`` for one of the play, ``blank`` for a blank."""


@dataclass(frozen=True, slots=True)
class ShownPlay:
    """A play as a dialog shows it."""

    frame: tuple[float, ...]
    """The part of the board that is shown: left, top, width and height."""
    squares: tuple[ShownSquare, ...]
    picture: dict[str, Any] | None
    """The picture of its end: ``sha256``, ``caption`` and ``matrix`` (None: unknown how the board
    lies); None if it is not kept."""
    words: tuple[tuple[str, int], ...]
    """Each word that it made, with its points."""
    until: str
    """Until when it may be challenged, with the rule; how late that is once it is too late."""
    late: bool


def shown_play(page: FoldedPage, number: int, store: EvidenceStore | None) -> ShownPlay | None:
    """Return turn ``number`` as a play; None if no tile was played."""
    turn = page.state.turns[number - 1]
    if not turn.tiles:
        return None
    board = turn.before.replace({Square.parse(name): symbol for name, symbol in turn.tiles.items()})
    frame = frame_around(sorted(_of_words(board, turn)))
    return ShownPlay(
        tuple(frame),
        tuple(_squares(board, turn, frame)),
        _picture(page, turn, store),
        tuple((printed(page.state.tile_set.word(word)), points) for word, points in turn.words),
        _until(page.state, turn),
        challenge_gone(page.state, turn),
    )


def _of_words(board: Board, turn: Turn) -> set[Square]:
    """Return the squares of every word that the play is part of."""
    tiles = [Square.parse(name) for name in turn.tiles]
    runs = [board.run(at, across=across) for at in tiles for across in (True, False)]
    return set().union(*runs)


def _squares(board: Board, turn: Turn, frame: list[float]) -> Iterator[ShownSquare]:
    left, top, width, height = frame
    cells = board_rows()
    for row in range(int(top), min(SIZE, int(top + height) + 1)):
        for col in range(int(left), min(SIZE, int(left + width) + 1)):
            at = Square(row, col)
            symbol = board[at]
            if symbol == EMPTY:
                yield ShownSquare(at, cells[row][col], "", "")
                continue
            lit = " lit" if at.name in turn.tiles else ""
            blank = " blank" if is_blank(symbol) else ""
            letter = "" if symbol == UNDESIGNATED else spelled(printed(symbol.upper()))
            yield ShownSquare(at, cells[row][col], letter, f"tile{lit}{blank}")


def _picture(page: FoldedPage, turn: Turn, store: EvidenceStore | None) -> dict[str, Any] | None:
    kept = KeptPictures.of(page, store)
    frames = turn.seen.frames
    sha = next((frames[role] for role in ("at", "after") if role in frames), None)
    if sha is None or not kept.there(sha):
        return None
    caption = f"At the end of turn {turn.number}"
    return {"sha256": sha, "caption": caption, "matrix": to_board(kept.corners.get(sha))}


def _until(state: GameState, turn: Turn) -> str:
    """Return until when a play may be challenged, and how late that is."""
    book = state.rulebook
    limit = by_name(LIMITS.get(book.challenge_until, ""), state.players, turn.side)
    rule = book.rule("challenge.until")
    allowed = f"{limit} (rule {rule})" if rule else limit
    if not challenge_gone(state, turn):
        return f"It may be challenged {allowed}." if limit else ""
    since = len(state.turns) - turn.number
    late = f"{since} turns have followed" if since else "this one was accepted"
    late = "a turn has followed" if since == 1 else late
    says = f"A challenge is late: a play may be challenged {allowed}, and {late}."
    return f"{says} You can rule on it all the same."
