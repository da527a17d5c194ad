"""Tiles that are read late, and hands that hover beside those that lay tiles."""

from __future__ import annotations

from dataclasses import replace

import pytest

from game.board import EMPTY, Square
from vision.tracking.new_tiles import NewTiles, PlacedTile

from .turnkit import BOTH, FIRST, LEFT, NOBODY, RIGHT, START, S, Script


def test_a_tile_that_is_read_late_starts_no_turn_of_its_own():
    """A blank that could not be read before the opponent had answered."""
    script = Script()
    script.place(LEFT, **FIRST)
    placed = script.now
    script.place(RIGHT, _9I="O", _10I="E")
    script.view()
    script.tiles[Square.parse("8J")] = PlacedTile("?", LEFT, 0, placed)
    script.view()
    script.view()
    script.place(LEFT, _10J="X")
    script.view()
    assert script.turns == [
        ("left", ["8G", "8H", "8I", "8J"], "opponent_placed", False),
        ("right", ["10I", "9I"], "opponent_placed", False),
    ]


def test_a_tile_that_is_read_late_and_completes_no_play_is_asked_about_once():
    script = Script()
    script.place(LEFT, **FIRST)
    placed = script.now
    script.place(RIGHT, _9I="O", _10I="E")
    script.view()
    script.tiles[Square.parse("13M")] = PlacedTile("?", LEFT, 0, placed)
    script.view()
    script.place(LEFT, _10J="X")
    script.view(wait=4 * S)
    script.place(RIGHT, _11J="I")
    script.view()
    script.view(wait=10 * S)
    assert [asked for *_, asked in script.turns] == [False, True, False]


def test_a_late_tile_whose_addition_was_taken_back_is_not_added_again():
    script = Script()
    script.place(LEFT, **FIRST)
    placed = script.now
    script.place(RIGHT, _9I="O", _10I="E")
    script.view()
    late = Square.parse("8J")
    script.tiles[late] = PlacedTile("S", LEFT, 0, placed)
    script.view()
    script.view()
    assert script.turns[0][1] == ["8G", "8H", "8I", "8J"]
    script.position = replace(script.position, board=script.position.board.replace({late: EMPTY}))
    script.tiles[late] = PlacedTile("S", NOBODY, 0, script.now)
    for _ in range(3):
        script.view()
    assert late in script.tiles
    assert late not in script.watch.open


def test_a_hand_that_hovers_beside_the_player_on_turn_is_not_believed_but_asked_about():
    """Else the play would be two, with a pass between them, and all turns after it shifted."""
    script = Script()
    script.place(RIGHT, _8G="C", _8H="A")
    script.place(LEFT, _8I="T")
    script.view()
    script.place(RIGHT, _9I="O", _10I="E")
    script.view()
    assert script.turns == [("left", ["8G", "8H", "8I"], "opponent_placed", True)]
    script.place(LEFT, _10J="X")
    script.view()
    assert script.turns[1:] == [("right", ["10I", "9I"], "opponent_placed", False)]


def test_a_hovering_hand_at_the_next_play_is_not_believed_where_only_plays_by_turns_fit():
    script = Script()
    script.place(LEFT, **FIRST)
    script.place(RIGHT, _9I="O", _10I="E")
    script.place(RIGHT, _10J="X", _10G="A")
    script.place(LEFT, _10H="P")
    script.view()
    script.place(RIGHT, _11G="B")
    script.view()
    assert [(side, names) for side, names, _, _ in script.turns] == [
        ("left", ["8G", "8H", "8I"]),
        ("right", ["10I", "9I"]),
        ("left", ["10G", "10H", "10J"]),
    ]
    assert any(asked for *_, asked in script.turns)


def test_a_tile_laid_in_the_midst_of_a_play_is_of_that_play_whoever_s_hand_was_seen():
    """Else the play would be none, and the tile a turn of its own that shifts all the others."""
    script = Script()
    script.place(LEFT, _8H="A", _8K="S", seen=False)
    script.place(RIGHT, _8G="C", seen=False)
    script.place(LEFT, _8I="T", _8J="E")
    script.view()
    script.place(RIGHT, _9I="O", _10I="E")
    script.view()
    script.finish()
    assert script.turns == [
        ("left", ["8G", "8H", "8I", "8J", "8K"], "opponent_placed", False),
        ("right", ["10I", "9I"], "watch_ended", False),
    ]


def test_hands_over_two_tiles_of_a_long_play_show_no_turn_without_a_play():
    """The opponent's arm was still over a part of it: else all turns after it would be shifted."""
    earlier = {f"14{col}": symbol for col, symbol in zip("HIJKLMN", "HEUENDE", strict=True)}
    board = START.board.replace({Square.parse(at): symbol for at, symbol in earlier.items()})
    script = Script(replace(START, board=board))
    script.place(LEFT, _12O="C", _13O="E", _14O="N", _15O="T")
    script.view(wait=4 * S)
    began = script.now
    script.now += 5 * S
    script.place(RIGHT, False, began, _7L="S", _8L="T", _9L="R", _10L="E")
    for name, symbol in {"11L": "U", "12L": "N", "13L": "E"}.items():
        hands = BOTH if name == "11L" else LEFT
        script.tiles[Square.parse(name)] = PlacedTile(symbol, hands, began, script.now)
    script.view()
    began = script.now
    script.view("9L", "10L", "11L", "12L", "13L", wait=4 * S)
    script.place(LEFT, True, began, _8M="A", _8N="X", _8O="I")
    script.view()
    script.view()
    script.finish()
    assert [(side, names) for side, names, _, _ in script.turns] == [
        ("left", ["12O", "13O", "14O", "15O"]),
        ("right", ["10L", "11L", "12L", "13L", "7L", "8L", "9L"]),
        ("left", ["8M", "8N", "8O"]),
    ]
    assert [asked for *_, asked in script.turns] == [False, True, False]


def test_a_tile_that_was_hidden_for_long_may_be_the_last_of_a_play():
    """Its square was hidden since before the opponent's play, and that hand was over it too."""
    placed = {"9I": (RIGHT, 0, 2), "10I": (RIGHT, 6, 8)}
    placed |= {"10K": (LEFT, 9, 10), "10L": (LEFT, 11, 11), "10J": (RIGHT, 0, 12)}
    tiles = NewTiles(
        {
            Square.parse(name): PlacedTile("E", hands, after * S, by * S)
            for name, (hands, after, by) in placed.items()
        }
    )
    board = START.board.replace({Square.parse(name): symbol for name, symbol in FIRST.items()})
    plays = tiles.by_turns(replace(START, board=board, on_turn="right"), "right", 0.34)
    assert [sorted(square.name for square in play) for play in plays] == [
        ["10I", "9I"],
        ["10J", "10K", "10L"],
    ]


@pytest.mark.parametrize("thinking", [5 * S, 60 * S])
def test_a_tile_beside_a_resting_hand_is_of_the_play_that_it_came_with(thinking):
    """Else it would be of the opponent's next play, which it fits as well."""
    script = Script()
    script.place(LEFT, **FIRST)
    script.place(RIGHT, _8J="S")
    for _ in range(4):
        script.view(wait=thinking // 4)
    script.place(RIGHT, _9J="O", _10J="E")
    script.view()
    script.view(wait=10 * S)
    script.finish()
    assert script.turns == [
        ("left", ["8G", "8H", "8I", "8J"], "opponent_placed", True),
        ("right", ["10J", "9J"], "watch_ended", False),
    ]


def test_a_tile_under_a_hand_until_its_answer_has_come_makes_none_of_the_answer_late():
    """A resting hand covers a tile of a play; the opponent's covers one of the answer."""
    script = Script()
    script.place(LEFT, False, _8G="C", _8I="T")
    script.view("8H")
    hidden_ns = script.now
    script.place(RIGHT, False, _9I="O")
    script.place(RIGHT, False, _11I="L")
    covered = PlacedTile("I", RIGHT, script.now - S, script.now)
    for _ in range(3):
        script.view("8H", "9I", "10I", "11I")
    script.tiles[Square.parse("8H")] = PlacedTile("A", LEFT, hidden_ns, script.now)
    script.view("10I")
    script.view("10I")
    assert [names for _, names, *_ in script.turns] == [["8G", "8H", "8I"]]
    script.tiles[Square.parse("10I")] = covered
    script.view()
    script.view()
    script.finish()
    assert script.turns[1:] == [("right", ["10I", "11I", "9I"], "watch_ended", False)]


def test_a_tile_whose_hand_was_not_seen_is_of_the_play_that_it_came_with():
    """It is no turn of the opponent's, who exchanged before the player's next play."""
    script = Script()
    script.place(LEFT, False, 0, **FIRST)
    script.tiles[Square.parse("8J")] = PlacedTile("S", NOBODY, 0, script.now)
    script.view()
    script.view()
    script.place(LEFT, _7J="O", _9J="E")
    script.view()
    script.place(RIGHT, _9K="X")
    script.view()
    script.view()
    assert [(side, names) for side, names, *_ in script.turns] == [
        ("left", ["8G", "8H", "8I", "8J"]),
        ("right", []),
        ("left", ["7J", "9J"]),
    ]


def test_two_plays_of_one_player_are_parted_although_the_hand_was_seen_at_few_of_the_first():
    """Those that it was seen at lie in one line with the second, which has a whole rack.

    The answer shows that at once: nothing more is waited for.
    """
    script = Script()
    script.place(NOBODY, False, 0, _8G="C", _8H="A", _8I="T", _8J="T", _8K="L", _8L="E")
    script.tiles[Square.parse("8M")] = PlacedTile("S", LEFT, 0, script.now)
    script.view(wait=4 * S)
    down = {f"{row}M": letter for row, letter in zip(range(9, 16), "TANDARD", strict=True)}
    script.place(LEFT, **{f"_{name}": letter for name, letter in down.items()})
    script.view(wait=4 * S)
    script.place(RIGHT, _15L="A", _15N="O")
    script.view()
    assert [(side, len(names)) for side, names, *_ in script.turns] == [
        ("left", 7),
        ("right", 0),
        ("left", 7),
    ]
