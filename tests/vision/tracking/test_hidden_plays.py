"""Plays of which tiles lay under a hand that rested, on a board without a clock."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from game.board import Square
from game.events import other
from vision.tracking.new_tiles import PlacedTile

from .turnkit import BOTH, FIRST, LEFT, NOBODY, RIGHT, START, S, Script


def show(script: Script, hands, after: float, at: float, **tiles: str) -> None:
    """Place tiles that came into sight at ``at``; times in seconds."""
    for name, symbol in tiles.items():
        square = Square.parse(name.strip("_"))
        script.tiles[square] = PlacedTile(symbol, hands, int(after * S), int(at * S))


def look(script: Script, at: float) -> None:
    script.now = int((at - 1) * S)
    script.view()


def turns(script: Script) -> list[tuple[str, list[str], bool]]:
    return [(side, names, asked) for side, names, _, asked in script.turns]


def answered(**answer: str) -> Script:
    """A play in sight after 2 seconds, and what was seen of its answer after 9."""
    script = Script()
    show(script, LEFT, 0, 2, **FIRST)
    look(script, 3)
    show(script, RIGHT, 8, 9, **answer)
    look(script, 10)
    look(script, 12)
    return script


def test_a_play_that_came_into_sight_amid_its_answer_is_one_turn_and_so_is_the_answer():
    script = Script()
    show(script, LEFT, 0, 2, **FIRST)
    look(script, 3)
    show(script, BOTH, 10, 11, _9I="O")
    show(script, BOTH, 10, 12, _10I="E")
    look(script, 12)
    show(script, LEFT, 13, 14, _11I="N")
    show(script, RIGHT, 6, 15.5, _9G="G")
    show(script, RIGHT, 5, 16, _7G="Z")
    look(script, 17)
    look(script, 19)
    assert turns(script) == [
        ("left", ["8G", "8H", "8I"], False),
        ("right", ["7G", "9G"], False),
    ]


def test_a_tile_that_may_be_of_a_play_or_of_its_answer_is_asked_about():
    script = Script()
    show(script, LEFT, 0, 2, **FIRST)
    look(script, 3)
    show(script, BOTH, 1, 9, _8J="S")
    show(script, RIGHT, 5, 9, _9J="O", _10J="W")
    for at in (10, 12, 14, 24):
        look(script, at)
    assert [asked for *_, asked in turns(script)] == [True]


def test_a_tile_that_was_hidden_when_its_play_ended_is_added_to_it():
    script = answered(_9I="O", _10I="E")
    show(script, LEFT, 1, 14, _8J="S")
    look(script, 15)
    look(script, 17)
    assert turns(script) == [("left", ["8G", "8H", "8I", "8J"], False)]
    assert script.tiles.keys() == {Square.parse("9I"), Square.parse("10I")}


def test_a_tile_that_fits_the_answer_too_is_not_added_to_the_play_before():
    script = answered(_9J="O", _10J="E")
    show(script, NOBODY, 1, 14, _8J="S")
    look(script, 15)
    assert Square.parse("8J") in script.watch.open


PLAYS = [
    {"8G": "C", "8H": "A", "8I": "T"},
    {"9I": "O", "10I": "E"},
    {"10H": "F", "10J": "D"},
    {"11J": "O", "12J": "G"},
    {"12I": "A", "12K": "E"},
]
"""No play with its answer can be one play."""


@given(
    st.lists(st.floats(0, 5), min_size=len(PLAYS), max_size=len(PLAYS)),
    st.lists(st.booleans(), min_size=len(PLAYS), max_size=len(PLAYS)),
    st.sampled_from(["left", None]),
)
def test_no_turn_is_wrong_without_a_question_however_long_hands_rest(rests, seen, on_turn):
    """Each play takes as many seconds as it has tiles, and its answer starts two seconds later.

    The hand rests over the play for a while, at most until the answer has been laid, and the
    other's may come over it, too.
    """
    script, due, now, side = Script(replace(START, on_turn=on_turn)), [], 1.0, "left"
    moves = []
    for play, rest, clear in zip(PLAYS, rests, seen, strict=True):
        began, ended = now, now + len(play)
        until = ended + 0.2 if clear else ended + rest
        both = until > ended + 2
        moves.append((until, BOTH if both else frozenset({side}), began, play))
        due.append((side, sorted(play)))
        now, side = ended + 2, other(side)
    at = 1.0
    while at < now + 12:
        at += 1.5
        placed = {square for _, names, _, _ in script.turns for square in names}
        for until, hands, began, play in moves:
            if began < at:
                new = {name: symbol for name, symbol in play.items() if name not in placed}
                if until <= at:
                    show(script, hands, began, until, **{f"_{n}": s for n, s in new.items()})
        look(script, at)
    script.finish()
    came = [(who, sorted(names)) for who, names, _ in turns(script)]
    assert came == due or any(asked for *_, asked in turns(script))
    assert sorted(n for _, names in came for n in names) == sorted(n for _, p in due for n in p)


def test_a_play_that_may_have_come_after_the_opponents_is_asked_about():
    script = answered(_9I="O", _10I="E")
    # The opponent's tile came to lie at any time of eight seconds, most of them before the play.
    show(script, LEFT, 17, 18, _10H="F")
    show(script, LEFT, 17.5, 19.5, _10J="D")
    show(script, RIGHT, 11, 20, _8J="S")
    for at in (21, 23, 25):
        look(script, at)
    assert turns(script) == [
        ("left", ["8G", "8H", "8I"], False),
        ("right", ["10I", "9I"], False),
        ("left", ["10H", "10J"], True),
    ]


def test_the_play_on_turn_may_have_come_after_the_opponents():
    tiles = {Square.parse(name): symbol for name, symbol in FIRST.items()}
    script = Script(replace(START, board=START.board.replace(tiles), on_turn="left"))
    # The opponent's tile came to lie at any time of ten seconds, most of them before the play.
    show(script, LEFT, 8, 9, _9I="O")
    show(script, LEFT, 9, 10, _10I="E")
    show(script, RIGHT, 1, 11.5, _8J="S")
    for at in (12, 14, 16):
        look(script, at)
    assert turns(script) == [("left", ["10I", "9I"], True)]


def test_the_end_of_the_last_play_may_be_its_answer():
    script = Script()
    show(script, BOTH, 0, 2, **FIRST)
    show(script, BOTH, 0, 5, _8J="S")
    look(script, 6)
    look(script, 8)
    script.finish()
    assert turns(script) == [("left", ["8G", "8H", "8I", "8J"], True)]
