"""Two plays on the board with no press between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from game.board import Board, Square
from simulation import generate
from vision.tracking.forgotten_press import Seats
from vision.tracking.two_plays import LaidTile, two_plays

SECOND = 1_000_000_000
BOARD = Board.empty().replace({Square(7, 6): "C", Square(7, 7): "A", Square(7, 8): "T"})
RACK = 7


def tiles(first, second, *, by="right", then="left", apart=True):
    """Tiles of two plays: each the name of a square and a letter."""
    found = {}
    for at, (name, symbol) in enumerate(first):
        began = at * SECOND
        found[Square.parse(name)] = LaidTile(symbol, by, began, began + SECOND)
    for at, (name, symbol) in enumerate(second):
        began = (20 + at) * SECOND if apart else 0
        found[Square.parse(name)] = LaidTile(symbol, then, began, (21 + at) * SECOND)
    return found


def squares(plays):
    return ["".join(sorted(s.name for s in part)) for part in (plays.first, plays.second)]


FIRST = [("9G", "O"), ("10G", "D")]  # C.O.D down from 8G
NEXT = [("7I", "A"), ("9I", "E")]


def test_hands_of_two_players_make_it_certain():
    plays = two_plays(BOARD, tiles(FIRST, NEXT), "right", RACK)
    assert squares(plays) == ["10G9G", "7I9I"]
    assert plays.certain
    assert plays.ended_ns == 2 * SECOND


@pytest.mark.parametrize(("by", "then"), [(None, None), ("right", None)])
def test_where_no_opponent_was_seen_it_is_asked(by, then):
    plays = two_plays(BOARD, tiles(FIRST, NEXT, by=by, then=then), "right", RACK)
    assert squares(plays) == ["10G9G", "7I9I"]
    assert not plays.certain


def test_an_opponent_who_was_seen_to_lay_all_of_the_answer_makes_it_certain():
    found = tiles(FIRST, NEXT, by=None)
    assert two_plays(BOARD, found, "right", RACK).certain
    unseen = found | {Square.parse("9I"): replace(found[Square.parse("9I")], side=None)}
    assert not two_plays(BOARD, unseen, "right", RACK).certain
    at_once = {
        square: replace(tile, after_ns=2 * SECOND) if tile.side else tile
        for square, tile in found.items()
    }
    assert not two_plays(BOARD, at_once, "right", RACK).certain


@pytest.mark.parametrize(("by", "then"), [("left", "right"), ("right", "right"), ("left", "left")])
def test_the_wrong_hand_is_no_second_player(by, then):
    assert two_plays(BOARD, tiles(FIRST, NEXT, by=by, then=then), "right", RACK) is None


def test_a_hand_at_one_tile_of_the_other_players_play_hovers_there():
    """The first player's hand is on its way back while the answer is begun."""
    longer = [*NEXT, ("10I", "R")]
    found = tiles(FIRST, longer)
    at_first = Square.parse("7I")
    plays = two_plays(
        BOARD, found | {at_first: replace(found[at_first], side="right")}, "right", RACK
    )
    assert squares(plays) == ["10G9G", "10I7I9I"]


def test_tiles_that_can_be_one_play_are():
    assert two_plays(BOARD, tiles([("8J", "S")], [("8F", "S")]), "right", RACK) is None


def test_a_play_that_lies_awry_is_no_second_one():
    assert two_plays(BOARD, tiles(FIRST, [("7I", "A"), ("3C", "E")]), "right", RACK) is None


def test_a_tile_that_was_there_unread_is_no_play_of_its_own():
    # The turn before left a tile face down on 9G; somebody turned it before the next play.
    turned, answer = [("9G", "O")], [*NEXT, ("10I", "R")]
    found = tiles(turned, answer)
    assert two_plays(BOARD, found, "right", RACK).certain
    assert two_plays(BOARD, found, "right", RACK, frozenset({Square.parse("9G")})) is None


def test_an_unread_square_that_is_part_of_two_plays_hides_neither():
    plays = two_plays(BOARD, tiles(FIRST, NEXT), "right", RACK, frozenset({Square.parse("9G")}))
    assert squares(plays) == ["10G9G", "7I9I"]


def test_more_tiles_than_a_rack_holds_are_two_players():
    first = [(f"{row}G", "E") for row in range(9, 15)]
    found = tiles(first, NEXT, by=None, then=None)
    plays = two_plays(BOARD, found, "right", RACK)
    assert len(plays.first) == 6
    assert plays.certain


def test_a_tile_that_either_play_can_have_goes_by_when_it_was_laid():
    first = [("9I", "O"), ("10I", "E")]  # down from the T of CAT
    second = [("10H", "R"), ("10J", "D")]  # across, through the E
    plays = two_plays(BOARD, tiles(first, second, by=None, then=None), "right", RACK)
    assert squares(plays) == ["10I9I", "10H10J"]
    assert two_plays(BOARD, tiles(second, first, by=None, then=None), "right", RACK) is None


def test_no_answer_comes_a_fraction_of_a_second_after_the_play():
    # LAUB down, and PULKE across its L, seconds later. AUB alone would be a play, too, before which
    # the L was seen only 0.2 s after the B may have been laid.
    first = [13.3, 14.2, 14.8, 15.2], [15.3, 15.8, 15.8, 15.8]
    second = [16.3, 16.3, 17.7, 18.0], [17.7, 17.8, 18.7, 18.7]
    names = ["5I", "6I", "7I", "8I", "5G", "5H", "5J", "5K"]
    board = Board.empty().replace({Square(7, 7): "Ü", Square(6, 7): "D", Square(8, 7): "S"})
    seen = zip(names, "LAUBPUKE", first[0] + second[0], first[1] + second[1], strict=True)
    found = {
        Square.parse(name): LaidTile(symbol, None, int(after * SECOND), int(at * SECOND))
        for name, symbol, after, at in seen
    }
    assert squares(two_plays(board, found, "right", RACK)) == ["5I6I7I8I", "5G5H5J5K"]


def three(apart=True):
    return tiles(FIRST, NEXT, apart=apart) | {
        square: LaidTile(tile.symbol, "right", 40 * SECOND, 41 * SECOND)
        for square, tile in tiles([("11H", "E"), ("11I", "N")], []).items()
    }


def test_of_three_plays_the_first_is_told():
    board = BOARD.replace({Square(10, 6): "K"})
    plays = two_plays(board, three(), "right", RACK)
    assert squares(plays) == ["10G9G", "11H11I7I9I"]
    assert plays.certain


def test_three_plays_of_which_one_was_laid_by_the_wrong_hand_are_not_told():
    board = BOARD.replace({Square(10, 6): "K"})
    mixed = {s: replace(t, side="left") if s.row == 10 else t for s, t in three().items()}
    assert two_plays(board, mixed, "right", RACK) is None


def test_seats_are_learnt_from_turns():
    seats, below, above = Seats(), np.array([0.0, 1.0]), np.array([0.1, -0.995])
    assert seats.whose(below) is None
    seats.learn("left", [below, below])
    assert (seats.whose(below), seats.whose(above)) == ("left", "right")
    assert seats.whose(np.array([0.95, 0.3])) is None
    seats.learn("right", [above, above])
    assert (seats.whose(above), seats.whose(below)) == ("right", "left")
    assert seats.whose(None) is None


def test_a_board_full_of_new_tiles_is_no_two_plays():
    """A table that is started amid a game; the ways to part so many tiles have no end."""
    boards = generate(0).boards()
    for first, last in ((2, 7), (2, 20), (13, 18)):
        before, after = boards[first], boards[last]
        new = {square: after[square] for square in before.diff(after)}
        tiles = {square: LaidTile(symbol, None, 0, 30 * SECOND) for square, symbol in new.items()}
        plays = two_plays(before, tiles, "left", RACK)
        assert plays is None or not plays.certain
