"""Two plays on the board with no press between them.

Tiles are groups between strokes, each begun 20 seconds after the one before, a tile a second: ``R``
and ``L`` say whose hand was seen at a group, ``-`` that none was, and ``@R`` the same of one tile;
``:3-9`` says between which seconds a tile came. On the board lies CAT, 8G across.
"""

from __future__ import annotations

import numpy as np
import pytest

from game.board import Board, Square
from models.scenes import random_rows
from vision.tracking.forgotten_press import Seats
from vision.tracking.two_plays import LaidTile, two_plays

SECOND = 1_000_000_000
RACK = 7
SIDES = {"L": "left", "R": "right", "-": None}


def tiles_in(text: str) -> dict[Square, LaidTile]:
    found = {}
    for group, part in enumerate(text.split("/")):
        hand, *words = part.split()
        for second, word in enumerate(words, start=20 * group):
            tile, _, times = word.partition(":")
            tile, _, own = tile.partition("@")
            name, symbol = tile.split("=")
            after, at = map(float, times.split("-")) if times else (second, second + 1)
            found[Square.parse(name)] = LaidTile(
                symbol, SIDES[own or hand], int(after * SECOND), int(at * SECOND)
            )
    return found


def board(more: str = "") -> Board:
    tiles = dict(word.split("=") for word in ["8G=C", "8H=A", "8I=T", *more.split()])
    return Board.empty().replace({Square.parse(name): symbol for name, symbol in tiles.items()})


def parted(tiles: str, unread: str = "", more: str = "") -> str:
    """The two plays of the right player and the opponent, with ``?`` if it is not certain."""
    hidden = frozenset(map(Square.parse, unread.split()))
    plays = two_plays(board(more), tiles_in(tiles), "right", RACK, hidden)
    if plays is None:
        return "none"
    parts = [" ".join(sorted(s.name for s in part)) for part in (plays.first, plays.second)]
    return " / ".join(parts) + "?" * (not plays.certain)


FIRST, NEXT = "9G=O 10G=D", "7I=A 9I=E"  # COD down, and TAE across it
BOTH = "10G 9G / 7I 9I"
LATER = [
    # LAUB down, and PULKE across its L, seconds later. AUB alone would be a play, too, before which
    # the L was seen only 0.2 s after the B may have been laid.
    "- 5I=L:13.3-15.3 6I=A:14.2-15.8 7I=U:14.8-15.8 8I=B:15.2-15.8",
    "- 5G=P:16.3-17.7 5H=U:16.3-17.8 5J=K:17.7-18.7 5K=E:18.0-18.7",
]
THREE = f"R {FIRST} / L {NEXT} / R 11H=E 11I=N"
PLAYS = {
    "hands of two players make it certain": (f"R {FIRST} / L {NEXT}", BOTH),
    "where no hand was seen it is asked": (f"- {FIRST} / - {NEXT}", f"{BOTH}?"),
    "where no opponent was seen, too": (f"R {FIRST} / - {NEXT}", f"{BOTH}?"),
    "an opponent who was seen to lay all of the answer makes it certain": (
        f"- {FIRST} / L {NEXT}",
        BOTH,
    ),
    "not one who was seen to lay a part of it": (f"- {FIRST} / L 7I=A 9I=E@-", f"{BOTH}?"),
    "nor one who may have begun at once": (f"- {FIRST} / L 7I=A:2-21 9I=E:2-22", f"{BOTH}?"),
    "the wrong hands are no two players": (f"L {FIRST} / R {NEXT}", "none"),
    "nor is one hand": (f"R {FIRST} / R {NEXT}", "none"),
    "nor the opponent's alone": (f"L {FIRST} / L {NEXT}", "none"),
    # The first player's hand is on its way back while the answer is begun.
    "a hand at one tile of the other player's play hovers there": (
        f"R {FIRST} / L 7I=A@R 9I=E 10I=R",
        "10G 9G / 10I 7I 9I",
    ),
    "tiles that can be one play are": ("R 8J=S / L 8F=S", "none"),
    "a play that lies awry is no second one": (f"R {FIRST} / L 7I=A 3C=E", "none"),
    "more tiles than a rack holds are two players": (
        f"- 9G=E 10G=E 11G=E 12G=E 13G=E 14G=E / - {NEXT}",
        "10G 11G 12G 13G 14G 9G / 7I 9I",
    ),
    "a tile that either play can have goes by when it was laid": (
        "- 9I=O 10I=E / - 10H=R 10J=D",
        "10I 9I / 10H 10J?",
    ),
    "the other way round they are no plays": ("- 10H=R 10J=D / - 9I=O 10I=E", "none"),
}


@pytest.mark.parametrize(("tiles", "plays"), PLAYS.values(), ids=PLAYS)
def test_two_plays_are_told_from_one(tiles, plays):
    assert parted(tiles) == plays


def test_the_first_play_ended_when_its_last_tile_was_there():
    plays = two_plays(board(), tiles_in(f"R {FIRST} / L {NEXT}"), "right", RACK)
    assert plays.ended_ns == 2 * SECOND


def test_a_tile_that_was_there_unread_is_no_play_of_its_own_and_hides_no_two():
    # The turn before left a tile face down on 9G; somebody turned it before the next play.
    turned = "R 9G=O / L 7I=A 9I=E 10I=R"
    assert parted(turned) == "9G / 10I 7I 9I"
    assert parted(turned, unread="9G") == "none"
    assert parted(f"R {FIRST} / L {NEXT}", unread="9G") == BOTH


def test_no_answer_comes_a_fraction_of_a_second_after_the_play():
    around = Board.empty().replace({Square(7, 7): "Ü", Square(6, 7): "D", Square(8, 7): "S"})
    plays = two_plays(around, tiles_in("/".join(LATER)), "right", RACK)
    assert {square.name for square in plays.first} == {"5I", "6I", "7I", "8I"}


def test_of_three_plays_the_first_is_told_unless_one_was_laid_by_the_wrong_hand():
    assert parted(THREE, more="11G=K") == BOTH.replace("/ ", "/ 11H 11I ")
    assert parted(THREE.replace("E 11I=N", "E@L 11I=N@L"), more="11G=K") == "none"


def test_seats_are_learnt_from_turns():
    seats, below, above = Seats(), np.array([0.0, 1.0]), np.array([0.1, -0.995])
    assert seats.whose(below) is None
    seats.learn("left", [below, below])
    assert (seats.whose(below), seats.whose(above)) == ("left", "right")
    assert seats.whose(np.array([0.95, 0.3])) is None
    seats.learn("right", [above, above])
    assert (seats.whose(above), seats.whose(below)) == ("right", "left")
    assert seats.whose(None) is None


@pytest.mark.parametrize("words", [5, 20])
def test_a_board_full_of_new_tiles_is_no_two_plays(words):
    """A table that is started amid a game; the ways to part so many tiles have no end."""
    after = Board.from_rows(random_rows(np.random.default_rng(0), "AEIOTRS", words, 0.0))
    tiles = {
        square: LaidTile(symbol, None, 0, 30 * SECOND) for square, symbol in after.tiles().items()
    }
    assert len(tiles) > 2 * words
    plays = two_plays(Board.empty(), tiles, "left", RACK)
    assert plays is None or not plays.certain
