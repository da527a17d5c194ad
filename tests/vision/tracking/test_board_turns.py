"""Turns told from the board alone, by scripted views."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.board import Square
from game.events import Side, other
from vision.tracking.board_turns import BoardTurns
from vision.tracking.new_tiles import NewTiles, PlacedTile
from vision.tracking.open_tiles import BoardView

from .turnkit import BOTH, FIRST, LEFT, NOBODY, RIGHT, START, S, Script


def test_a_play_ends_when_the_opponents_hand_has_placed_a_tile():
    script = Script()
    script.place(LEFT, **FIRST)
    script.view(wait=120 * S)
    assert script.turns == []  # the player may still take it back
    script.place(RIGHT, _9I="O")
    assert script.turns == []  # what was seen once may be a finger
    script.view()
    assert script.turns == [("left", ["8G", "8H", "8I"], "opponent_placed", False)]


def test_a_play_that_is_taken_back_was_none():
    script = Script()
    script.place(LEFT, **FIRST)
    script.lift(*FIRST)
    script.place(LEFT, _8H="O", _8I="X")
    script.place(RIGHT, _9I="I")
    script.view()
    assert script.turns == [("left", ["8H", "8I"], "opponent_placed", False)]


def test_tiles_that_cannot_be_seen_stay():
    script = Script()
    script.place(LEFT, **FIRST)
    script.view("8G", "8H", "8I")
    script.place(RIGHT, _9I="O")
    script.view("8G")
    assert script.turns == [("left", ["8G", "8H", "8I"], "opponent_placed", False)]


def test_a_tile_that_fingers_hid_for_a_moment_is_still_the_players():
    script = Script()
    script.place(LEFT, **FIRST)
    tile = script.tiles.pop(Square.parse("8I"))
    script.view()
    script.tiles[Square.parse("8I")] = replace(tile, hands=RIGHT, after_ns=script.now)
    script.view()
    script.place(RIGHT, _9I="O", _10I="E")
    script.view()
    assert script.turns == [("left", ["8G", "8H", "8I"], "opponent_placed", False)]


def test_a_play_whose_hand_was_not_seen_between_two_of_the_opponents_is_the_players():
    script = Script()
    script.place(LEFT, **FIRST)
    script.place(NOBODY, _9I="O")
    script.place(NOBODY, _10I="E")
    script.place(LEFT, _8J="S")
    script.place(RIGHT, _9J="X")
    script.view()
    script.view()
    assert script.turns == [
        ("left", ["8G", "8H", "8I"], "opponent_placed", False),
        ("right", ["10I", "9I"], "opponent_placed", False),
        ("left", ["8J"], "opponent_placed", False),
    ]


def test_a_whole_play_at_which_only_the_opponents_hand_was_seen_is_asked_about():
    script = Script()
    script.place(LEFT, **FIRST)
    script.place(LEFT, _7I="O", _7J="E")
    script.place(NOBODY, _8F="S")
    script.place(RIGHT, _6J="X")
    script.view()
    script.finish()
    assert [(side, names) for side, names, _, _ in script.turns] == [
        ("left", ["8G", "8H", "8I"]),
        ("right", ["7I", "7J"]),
        ("left", ["8F"]),
        ("right", ["6J"]),
    ]
    assert script.turns[1][3]


def test_an_exchange_is_asked_about_once_also_where_one_hand_was_not_seen():
    script = Script()
    script.place(BOTH, _8G="C")
    script.place(LEFT, _8H="A", _8I="T")
    script.place(LEFT, _9I="O", _10I="E")
    script.place(RIGHT, _10J="X")
    script.view()
    assert [(side, names) for side, names, _, _ in script.turns] == [
        ("left", ["8G", "8H", "8I"]),
        ("right", []),
        ("left", ["10I", "9I"]),
    ]
    assert [asked for *_, asked in script.turns] == [False, True, False]


def test_plays_by_turns_are_told_though_a_tile_of_the_last_is_hidden_still():
    tiles = NewTiles()
    for at, name in enumerate(("8G", "8H", "8I", "9I", "9J", "12L")):
        hands = RIGHT if name == "12L" else LEFT
        tiles[Square.parse(name)] = PlacedTile("A", hands, at * S, (at + 1) * S)
    assert tiles.by_turns(START, "left", 1.0) == []
    plays = tiles.by_turns(START, "left", 1.0, whole=False)
    assert [square.name for square in plays[-1]] == ["12L"]


def test_hands_part_two_plays_of_one_line():
    script = Script()
    script.place(LEFT, **FIRST)
    script.place(RIGHT, _8J="S")
    script.view()
    script.finish()
    assert [(side, names) for side, names, _, _ in script.turns] == [
        ("left", ["8G", "8H", "8I"]),
        ("right", ["8J"]),
    ]


def test_a_second_play_of_the_same_hand_shows_that_the_opponent_passed():
    script = Script()
    script.place(LEFT, **FIRST)
    script.place(LEFT, _9I="O", _10I="E")
    script.place(RIGHT, _10J="X")
    script.view()
    assert script.turns == [
        ("left", ["8G", "8H", "8I"], "player_placed_again", False),
        ("right", [], "player_placed_again", True),
        ("left", ["10I", "9I"], "opponent_placed", False),
    ]


def test_the_hand_at_a_second_play_is_believed_where_those_before_it_are_parted_by_how_they_lie():
    """By how they lie alone, it could be the play of the opponent, who has passed or exchanged."""
    script = Script()
    script.place(LEFT, **FIRST)
    script.place(RIGHT, seen=False, _7I="Z", _9I="G")
    second, third = [f"9{column}" for column in "HJKLMNO"], [f"{row}O" for row in range(2, 9)]
    for name in (*second, *third):
        script.place(LEFT, seen=False, **{name: "E"})
    script.view()
    script.view()
    script.place(RIGHT, _10L="O")
    script.view()
    assert [(side, names) for side, names, *_ in script.turns] == [
        ("left", ["8G", "8H", "8I"]),
        ("right", ["7I", "9I"]),
        ("left", second),
        ("right", []),
        ("left", third),
    ]


def test_a_play_out_of_turn_shows_a_pass_before_it_and_asks():
    script = Script(replace(START, on_turn="right"))
    script.place(LEFT, **FIRST)
    script.place(RIGHT, _9I="O")
    script.view()
    assert script.turns == [
        ("right", [], "player_placed_again", True),
        ("left", ["8G", "8H", "8I"], "opponent_placed", False),
    ]


def test_players_who_sit_the_other_way_round_are_asked_about_at_the_opening():
    watch = BoardTurns()
    tiles = {Square.parse(n): PlacedTile(s, RIGHT, 0, S) for n, s in FIRST.items()}
    watch.see(BoardView(2 * S, tiles), START)
    passed, played = watch.finish(START)
    assert (passed.side, played.side) == ("left", "right")
    assert "sit the other way round" in (passed.doubt or "")
    assert played.doubt is None  # it is asked once


def test_whoever_lays_first_begins_where_nobody_is_known_to():
    script = Script(replace(START, on_turn=None))
    script.place(RIGHT, **FIRST)
    script.place(LEFT, _9I="O")
    script.view()
    assert script.turns == [("right", ["8G", "8H", "8I"], "opponent_placed", False)]


def test_plays_of_unseen_hands_are_parted_where_that_goes_one_way_and_asked_about():
    script = Script()
    script.place(NOBODY, **FIRST)
    script.place(NOBODY, _7J="O", _8J="S", _9J="O")
    script.view()
    script.view()
    assert script.turns == [("left", ["8G", "8H", "8I"], "opponent_placed", True)]
    script.finish()
    assert script.turns[1:] == [("right", ["7J", "8J", "9J"], "watch_ended", True)]


def test_an_unseen_hand_is_that_of_the_player_on_turn_if_the_opponent_answers():
    script = Script()
    script.place(LEFT, **FIRST)
    script.place(RIGHT, _9I="O", _10I="E")
    script.place(BOTH, _10H="F", _10J="D")
    script.view()
    script.place(RIGHT, _11J="O", _12J="G")
    for _ in range(3):
        script.view()
    assert script.turns == [
        ("left", ["8G", "8H", "8I"], "opponent_placed", False),
        ("right", ["10I", "9I"], "opponent_placed", False),
        ("left", ["10H", "10J"], "opponent_placed", False),
    ]


def test_the_last_play_of_a_seen_hand_is_not_asked_about_if_an_unseen_one_was_before_it():
    script = Script()
    script.place(NOBODY, **FIRST)
    script.place(RIGHT, _9I="O", _10I="E")
    script.finish()
    assert script.turns == [
        ("left", ["8G", "8H", "8I"], "watch_ended", False),
        ("right", ["10I", "9I"], "watch_ended", False),
    ]


def test_an_unseen_hand_that_the_player_on_turn_answers_is_asked_about():
    script = Script(replace(START, on_turn="right"))
    script.place(BOTH, **FIRST)
    script.place(RIGHT, _7J="O", _8J="S", _9J="O")
    for _ in range(3):
        script.view()
    assert [(side, asked) for side, _, _, asked in script.turns] == [("right", True)]


@pytest.mark.parametrize(("hands", "asked"), [(BOTH, False), (NOBODY, True)])
def test_a_last_play_at_which_both_hands_were_is_that_of_the_player_on_turn(hands, asked):
    script = Script()
    script.place(LEFT, **FIRST)
    script.place(hands, _9I="O", _10I="E")
    script.finish()
    assert script.turns[1:] == [("right", ["10I", "9I"], "watch_ended", asked)]


def test_plays_of_unseen_hands_that_came_at_once_are_one_turn_that_is_asked_about():
    script = Script()
    script.place(NOBODY, **FIRST, _9I="O", _10I="E")
    for _ in range(3):
        script.view()
    assert script.turns == []
    script.finish()
    assert script.turns == [("left", ["10I", "8G", "8H", "8I", "9I"], "watch_ended", True)]


def test_a_tile_of_either_hand_goes_where_it_makes_two_plays():
    script = Script()
    script.place(LEFT, _8G="C", _8H="A")
    script.place(BOTH, _8I="T", after=0)
    script.place(RIGHT, _9G="O", _10G="W")
    script.view()
    assert script.turns == [("left", ["8G", "8H", "8I"], "opponent_placed", False)]


def test_a_tile_that_fits_both_plays_is_asked_about():
    script = Script()
    script.place(LEFT, _8G="C", _8H="A", _8I="T")
    script.place(BOTH, _8J="S", after=0)
    script.place(RIGHT, _9J="O", _10J="W")
    for _ in range(12):
        script.view()
    ((side, names, how, asked),) = script.turns
    assert (side, how, asked) == ("left", "opponent_placed", True)
    assert names in (["8G", "8H", "8I"], ["8G", "8H", "8I", "8J"])


def test_a_tile_of_an_unseen_hand_that_came_with_the_players_own_is_the_players():
    """It fits the answer as well, of which nothing was there then."""
    script = Script()
    script.place(NOBODY, False, _8J="S")
    script.place(LEFT, True, 0, _8G="C", _8H="A", _8I="T")
    script.view(wait=4 * S)
    script.place(RIGHT, _9J="O", _10J="W")
    script.view()
    assert script.turns == [("left", ["8G", "8H", "8I", "8J"], "opponent_placed", False)]


def test_the_last_tiles_need_no_answer():
    script = Script(replace(START, last=3))
    script.place(LEFT, **FIRST)
    assert script.turns == []
    script.view(wait=4 * S)
    assert script.turns == [("left", ["8G", "8H", "8I"], "played_out", False)]


PLAYS = [
    ["8G=C", "8H=A", "8I=T"],
    ["9I=O", "10I=E"],
    ["10H=F", "10J=D"],
    ["11J=O", "12J=G"],
    ["12I=A", "12K=E"],
    ["12L=S"],
]


@given(
    st.integers(2, len(PLAYS)),
    st.booleans(),
    st.lists(st.tuples(st.integers(0, 1), st.booleans(), st.integers(0, 2)), min_size=40),
)
def test_turns_come_out_however_they_are_seen(count, left_first, noise):
    """Each play by its own hand, tile by tile, some in no view of their own, some taken back.

    A tile may be hidden from before it is placed until the opponent has played. What then comes out
    otherwise is asked about, and no tile is lost.
    """
    side: Side = "left" if left_first else "right"
    script, due, dice = Script(replace(START, on_turn=None)), [], iter(noise)
    for play in PLAYS[:count]:
        for tile in play:
            name, symbol = tile.split("=")
            doubled, seen, hidden = next(dice)
            hands = frozenset({side})
            if doubled:
                script.place(hands, **{f"_{name}": "Z"})
                if Square.parse(name) in script.tiles:
                    script.lift(name)
            script.place(hands, seen=seen, **{f"_{name}": symbol})
            if hidden:
                script.view(*(square.name for square in list(script.tiles)[:hidden]))
        due.append((side, sorted(tile.split("=")[0] for tile in play)))
        side = other(side)
    script.view()
    script.finish()
    came = [(who, names) for who, names, _, _ in script.turns]
    asked = any(asked for *_, asked in script.turns)
    assert came == due or (asked and any(hidden for _, _, hidden in noise))
    assert came != due or not asked or any(hidden for _, _, hidden in noise)
    tiles, expected = ([name for _, names in turns for name in names] for turns in (came, due))
    assert sorted(tiles) == sorted(expected)


@pytest.mark.parametrize("hands", [LEFT, NOBODY, BOTH])
def test_finishing_takes_every_tile_once(hands):
    script = Script()
    script.place(hands, _1A="X", _8H="Y", _15O="Z")
    script.finish()
    assert not script.watch.open
    assert sorted(name for _, names, _, _ in script.turns for name in names) == ["15O", "1A", "8H"]
    assert any(asked for *_, asked in script.turns)
