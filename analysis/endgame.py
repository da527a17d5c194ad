"""The end of a game: the bag is empty, and both racks are known."""

from __future__ import annotations

from typing import Final, NamedTuple

from analysis.plays import FoundPlay, Plays, find_plays
from analysis.word_index import WordIndex
from game.board import Board, is_blank
from game.plays.score import rack_value
from game.rulebooks.loading import Rulebook

_ANSWERED: Final = 8
"""The number of plays for which the best answer is looked for."""


class Line(NamedTuple):
    """A play near the end, and what the opponent can do then."""

    play: FoundPlay
    out: bool
    """True if it ends the game."""
    blocks: bool
    """True if the opponent could go out before it, and cannot after it."""
    answer: FoundPlay | None
    """The answer that gains the opponent most; None if the game is over or there is no play."""
    net: int
    """The points gained on the opponent by play and answer, with those for the tiles left if one of
    them ends the game."""


def outs(plays: Plays, rack: str) -> list[FoundPlay]:
    """Return the plays that use a whole rack, best scores first."""
    return [plays[int(at)] for at in (plays.counts == len(rack)).nonzero()[0]] if rack else []


def lines(
    index: WordIndex,
    board: Board,
    racks: tuple[str, str],
    plays: tuple[Plays, Plays],
    book: Rulebook,
) -> list[Line]:
    """Return the best lines of the player on turn, best first.

    The plays with the highest scores and all those that end the game or block the opponent's best
    way out are looked at: this is one turn deep, and no solution of the end of the game.

    Args:
        index: the word list.
        board: the board.
        racks: the racks, the player's on turn first.
        plays: all plays of both racks, in the same order.
        book: the rules.
    """
    mine, theirs = racks
    could = outs(plays[1], theirs)
    looked: dict[tuple[object, ...], FoundPlay] = {
        one.tiles: one for one in (*outs(plays[0], mine)[:2], *plays[0][:_ANSWERED])
    }
    for one in _in_the_way(plays[0], could[0]) if could else ():
        looked.setdefault(one.tiles, one)
    found = [_line(index, board, one, racks, book, bool(could)) for one in looked.values()]
    return sorted(found, key=lambda one: -one.net)


def _in_the_way(plays: Plays, way: FoundPlay) -> list[FoundPlay]:
    """Return the best plays that lie where the opponent's best way out does."""
    squares = {square for square, _ in way.tiles}
    near = (one for one in plays[:200] if any(square in squares for square, _ in one.tiles))
    return [one for _, one in zip(range(_ANSWERED // 2), near, strict=False)]


def _line(
    index: WordIndex,
    board: Board,
    play: FoundPlay,
    racks: tuple[str, str],
    book: Rulebook,
    could: bool,
) -> Line:
    mine, theirs = racks
    value = index.tile_set
    left = left_after(mine, play)
    if not left:
        return Line(play, True, False, None, play.score + 2 * rack_value(theirs, value))
    answers = find_plays(index, board.replace(dict(play.tiles)), theirs, book)
    ends = outs(answers, theirs)[:1]
    gains = [(one.score + 2 * rack_value(left, value), one) for one in ends]
    gains += [(one.score, one) for one in answers[:1]]
    gain, answer = max(gains, key=lambda pair: pair[0], default=(0, None))
    return Line(play, False, could and not ends, answer, play.score - gain)


def left_after(rack: str, play: FoundPlay) -> str:
    """Return the tiles of a rack that a play leaves."""
    for _, symbol in play.tiles:
        rack = rack.replace("?" if is_blank(symbol) else symbol, "", 1)
    return rack
