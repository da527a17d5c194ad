"""The ways in which tiles can have been laid by turns."""

from __future__ import annotations

from dataclasses import replace

from game.board import Square
from vision.tracking.new_tiles import NewTiles, PlacedTile, Position
from vision.tracking.ways import MOST_TRIED, Play, fewest, runs

from .turnkit import BOTH, LEFT, NOBODY, RIGHT, START, S

FIRST = frozenset(map(Square.parse, ("8G", "8H", "8I")))


def placed(*groups) -> NewTiles:
    """Tiles of ``(hands, after, at, names)``, in seconds."""
    return NewTiles(
        {
            Square.parse(name): PlacedTile("A", hands, int(after * S), int(at * S))
            for hands, after, at, names in groups
            for name in names.split()
        }
    )


def _names(squares: str) -> str:
    return " ".join(sorted(squares.split()))


def played(tiles: NewTiles, position: Position = START, most: int = 4) -> list[list[str]] | None:
    ways = fewest(tiles, position, most)
    if ways is None:
        return None
    return sorted([" ".join(sorted(s.name for s in play.tiles)) for play in way] for way in ways)


def test_plays_whose_times_are_known_make_one_way():
    tiles = placed((LEFT, 0, 2, "8G 8H 8I"), (RIGHT, 5, 7, "9I 10I"))
    assert played(tiles) == [["8G 8H 8I", "10I 9I"]]
    assert fewest(tiles, START, 4)[0][0] == Play("left", FIRST)


def test_tiles_under_a_resting_hand_are_one_play_amid_the_answer():
    """Else they are two, between which the answer is two: twice as many turns."""
    tiles = placed(
        (LEFT, 0, 2, "8G 8H 8I"),
        (RIGHT, 5, 16, "7G"),
        (RIGHT, 6, 15.5, "9G"),
        (BOTH, 10, 11, "9I"),
        (BOTH, 10, 12, "10I"),
        (LEFT, 13, 14, "11I"),
    )
    assert played(tiles) == [["8G 8H 8I", "7G 9G", "10I 11I 9I"]]


def test_a_tile_hidden_until_the_answer_lies_there_may_be_of_either_play():
    tiles = placed((LEFT, 0, 2, "8G 8H 8I"), (BOTH, 1, 9, "8J"), (RIGHT, 5, 9, "9J 10J"))
    assert played(tiles) == [["8G 8H 8I", "10J 8J 9J"], ["8G 8H 8I 8J", "10J 9J"]]


def test_a_play_takes_time():
    """Seven tiles are not laid in a second: they lay there before the other player's."""
    row = "9I 10I 11I 12I 13I 14I 15I"
    seen = (LEFT, 0, 2, "8G 8H 8I"), (RIGHT, 9, 11, "9G")
    assert played(placed(*seen, (LEFT, 5, 13, row))) == [["8G 8H 8I", "9G", _names(row)]]
    assert played(placed(*seen, (LEFT, 5, 11, row))) == [["8G 8H 8I", "", _names(row), "9G"]]


def test_whoever_began_is_asked_about_where_nobody_was_on_turn():
    tiles = placed((LEFT, 0, 9, "8G 8H 8I"), (RIGHT, 3, 9, "7H 9H"))
    assert len(played(tiles, replace(START, on_turn=None))) == 1
    tiles = placed((LEFT, 0, 9, "8G 8H 8I"), (RIGHT, 3, 9, "6J 7J 8J"))
    assert len(played(tiles, replace(START, on_turn=None))) == 2


def test_a_pass_between_two_plays_of_one_hand_is_a_turn():
    tiles = placed((LEFT, 0, 2, "8G 8H 8I"), (LEFT, 9, 11, "9I 10I"))
    assert played(tiles) == [["8G 8H 8I", "", "10I 9I"]]


def test_tiles_that_came_long_before_the_answer_are_of_the_play_before():
    tiles = placed((LEFT, 0, 3, "8G 8H 8I"), (NOBODY, 0, 3, "8J"), (RIGHT, 8, 9, "9J 10J"))
    assert played(tiles) == [["8G 8H 8I 8J", "10J 9J"]]


def test_too_many_ways_are_none():
    square = [Square(row, col) for row in range(3, 12) for col in range(3, 12)]
    tiles = NewTiles({one: PlacedTile("A", NOBODY, 0, 60 * S) for one in square})
    assert len(runs(frozenset(square))) < MOST_TRIED
    assert fewest(tiles, START, 12) is None
