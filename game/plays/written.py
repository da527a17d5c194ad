"""A play as people write it down: where it starts, and its word."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from game.board import EMPTY, UNDESIGNATED, Board, Square, parse_position
from game.errors import TilewatchError
from game.tileset import TileSet

_PIECE: Final = re.compile(r"\[[^\[\]]*\]|.", re.DOTALL)
"""A tile as people write it: letters in square brackets, or one character."""


def tiles_laid(position: str, word: str, board: Board, tiles: TileSet) -> dict[Square, str]:
    """The tiles that a play lays on a board.

    Args:
        position: the first square: ``8D`` across, ``D8`` down.
        word: the main word as :meth:`game.Game.play` takes it.
        board: the board before the play.
        tiles: the set in use.

    Raises:
        TilewatchError: the word runs off the board, a letter differs from the tile that lies there,
            no new tile is played, or a tile is none of the set.
    """
    start, across = parse_position(position)
    play, new = f"{position} {word}", {}
    for index, piece in enumerate(_PIECE.findall(unicodedata.normalize("NFC", word))):
        square = start.step(across, index)
        if not square.on_board:
            raise TilewatchError(f"{play}: the word runs off the board")
        symbol, there = tiles.symbols(piece), board[square]
        if symbol == EMPTY:
            if there == EMPTY:
                raise TilewatchError(f"{play}: no tile lies on {square.name}")
        elif there == EMPTY:
            known = len(symbol) == 1 and symbol.isalpha() and tiles.knows(symbol)
            if symbol != UNDESIGNATED and not known:
                raise TilewatchError(f"{play}: {piece!r} is no tile of the {tiles.name} set")
            new[square] = symbol
        elif there.upper() != symbol.upper():
            raise TilewatchError(f"{play}: {tiles.bracketed(there)} lies on {square.name}")
    if not new:
        raise TilewatchError(f"{play}: no new tile is played")
    return new
