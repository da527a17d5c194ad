"""The turns that explain tiles, hands and presses best.

A game is told in one line: ``R 9G=O:1-2`` is a tile that came to lie on 9G between seconds 1 and 2
and at which the right player's arm was seen (``L`` the left one's, ``-`` nobody's); ``press L 5``
is a press. On the board lies CAT, 8G across. The right player is on turn from second 0. Found are
the turns, each with its side, and after ``|`` the tiles of the turn that has not ended. ``sure`` is
a probability of 99%, ``likely`` one of 80%.
"""

from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np
import pytest

from game.board import Board, Square
from vision.tracking.turn_decoder import decode
from vision.tracking.turn_hypotheses import (
    DecodedTurn,
    Hypothesis,
    PressSeen,
    Recorded,
    TileEvent,
    Window,
)

SECOND = 1_000_000_000
SIDES = {"L": "left", "R": "right"}
SEEN = {"L": (log(0.95), log(0.05)), "R": (log(0.05), log(0.95))}
CAT = Board.empty().replace({Square(7, 6): "C", Square(7, 7): "A", Square(7, 8): "T"})


def game(text: str, **more) -> tuple[Window, dict[Square, tuple[float, float]]]:
    tiles, hands, presses, hand = {}, {}, [], "-"
    words = iter(text.split())
    for word in words:
        if word == "press":
            side, second = next(words), next(words)
            presses.append(PressSeen(SIDES[side], int(float(second) * SECOND)))
        elif word in "LR-":
            hand = word
        else:
            tile, _, times = word.partition(":")
            name, symbol = tile.split("=")
            after, by = (int(float(second) * SECOND) for second in times.split("-"))
            square = Square.parse(name)
            tiles[square] = TileEvent(symbol, after, by)
            if hand in SEEN:
                hands[square] = SEEN[hand]
    window = Window(CAT, "right", 7, 0, tiles, tuple(presses), 0.02)
    return replace(window, **more), hands


def words(found: Hypothesis) -> str:
    def turn(one: DecodedTurn) -> str:
        names = " ".join(sorted(square.name for square in one.tiles)) or "nothing"
        added = "".join(f" +{square.name}" for square in sorted(one.added))
        return f"{one.side} {names}{added}" + (" unpressed" if one.press_ns is None else "")

    rest = " ".join(sorted(square.name for square in found.rest))
    return "; ".join(map(turn, found.turns)) + (f" | {rest}" if rest else "")


def outcome(text: str, **more) -> str:
    window, hands = game(text, **more)
    best = decode(window, [(0.0, hands)])[0]
    how = "sure" if best.p >= 0.99 else "likely" if best.p >= 0.8 else "open"
    return f"{how}: {words(best)}"


COD, TAE = "9G=O:0-1 10G=D:1-2", "7I=A:20-21 9I=E:21-22"
"""COD down from the C, and TAE down over the T."""
TURNS = {
    "a play and its press": (f"R {COD} press R 4", "sure: right 10G 9G"),
    "a play that goes on": (f"R {COD}", "sure:  | 10G 9G"),
    "two hands and no press": (f"R {COD} L {TAE}", "sure: right 10G 9G unpressed | 7I 9I"),
    "where no hand was seen a pause tells": (
        f"- {COD} - {TAE} press R 24",
        "likely: right 10G 9G | 7I 9I",
    ),
    "one hand may be one turn, however odd": (f"R {COD} R {TAE}", None),
    "the opponent presses for the answer": (
        f"R {COD} L {TAE} press L 24",
        "sure: right 10G 9G unpressed; left 7I 9I",
    ),
    "a press comes after the answer": (
        f"R {COD} L {TAE} press R 24 press L 25",
        "sure: right 10G 9G; left 7I 9I",
    ),
    "a play that is pressed for, and its answer": (
        f"R {COD} press R 4 L {TAE}",
        "sure: right 10G 9G | 7I 9I",
    ),
    "a tile that was hidden at the press is likely of the word that it ends": (
        "R 9G=O:0-1 - 10G=D:1-9 press R 4",
        "likely: right 10G 9G",
    ),
    "two such tiles are of the word that they go on with": (
        "R 9G=O:0-1 - 10G=D:1-9 11G=E:1-9 press R 4",
        "sure: right 10G 11G 9G",
    ),
    "an answer may go on with the word of the play": (
        "R 9G=O:0-1 press R 4 L 10G=D:8-9 press L 10",
        "sure: right 9G; left 10G",
    ),
    "it is of the play that is none without it": (
        "R 9G=O:0-1 - 10G=D:1-9 R 11G=E:2-3 press R 4",
        "sure: right 10G 11G 9G",
    ),
    "a tile that a late picture shows completes the play": (
        "R 9G=O:0-1 R 10G=D:3.9-4.2 press R 4",
        "sure: right 10G 9G",
    ),
    "a tile that came long after the press is the answer": (
        "R 9G=O:0-1 L 7I=A:8-9 press R 4",
        "sure: right 9G | 7I",
    ),
    "two presses and no tile between them": (
        f"R {COD} press R 4 press L 9",
        "sure: right 10G 9G; left nothing",
    ),
    "a player presses twice": (f"R {COD} press R 4 press R 4.3", "sure: right 10G 9G"),
    "a hand that hovers beside the last tile of a word leaves no doubt": (
        "R 9G=O:0-1 R 10G=D:1-2 L 11G=E:2-3 press R 5",
        "sure: right 10G 11G 9G",
    ),
    "more than a rack is no play": (
        "- 9G=O:0-1 10G=D:1-2 11G=E:2-3 12G=R:3-4 13G=N:4-5 14G=S:5-6 7I=A:20-21 9I=E:21-22 "
        "press L 24",
        "sure: right 10G 11G 12G 13G 14G 9G unpressed; left 7I 9I",
    ),
}


@pytest.mark.parametrize(("text", "turns"), TURNS.values(), ids=TURNS)
def test_turns_are_decoded(text, turns):
    found = outcome(text)
    assert found.startswith("open") if turns is None else found == turns


def test_tiles_that_join_nothing_and_lie_there_for_long_are_not_an_answer_that_goes_on():
    text = "- 1A=D:0-2 1B=O:0-2 press R 2.4"
    assert outcome(text) == "likely: right 1A 1B"
    seen_ns = 7 * SECOND
    seen = {"seen": np.full((15, 15), seen_ns), "seen_ns": seen_ns}
    assert outcome(text, **seen) == "sure: right 1A 1B"


def test_when_nothing_more_is_seen_the_last_turn_has_ended_too():
    assert outcome(f"R {COD} L {TAE}", over=True) == (
        "sure: right 10G 9G unpressed; left 7I 9I unpressed"
    )


def test_without_buttons_hands_alone_part_the_turns():
    seen = f"R {COD} L {TAE} R 10H=R:40-41 10J=T:41-42"
    assert outcome(seen, unpressed=None) == (
        "sure: right 10G 9G unpressed; left 7I 9I unpressed | 10H 10J"
    )


OWN = Recorded("right", frozenset({Square.parse("9G")}), 4 * SECOND, whole=True)
"""The recorded turn: O on 9G, which was in sight at its press."""
TAE_SOON = "L 6I=S:8-9 7I=A:9-10 9I=E:10-11 10I=S:11-12 press L 13"
NONE = replace(OWN, tiles=frozenset())
"""The same turn, if nothing lay there at its press."""
COD_LATE = "R 9G=O:5-5.5 10G=D:5.5-6"
ADDED = {
    "a tile of the presser's hand is added to the play": (
        f"R 10G=D:5.5-6 {TAE_SOON}",
        "sure: right 9G +10G; left 10I 6I 7I 9I",
    ),
    "so are two": (
        f"R 10G=D:5.5-6 11G=E:6-6.5 {TAE_SOON}",
        "sure: right 9G +10G +11G; left 10I 6I 7I 9I",
    ),
    "so it is where no hand was seen": (
        f"- 10G=D:5.5-6 {TAE_SOON}",
        "likely: right 9G +10G; left 10I 6I 7I 9I",
    ),
    "before an answer is laid it may be the answer's": ("R 10G=D:5.5-6", None),
    "it may be where no answer is laid": ("R 10G=D:5.5-6 press L 13", None),
    "a tile of the answerer's hand is the answer's, wherever it lies": (
        "L 10G=D:5.5-6 10H=I:6-7 10I=M:7-8 press L 13",
        "sure: right 9G; left 10G 10H 10I",
    ),
    "so it is where it joins nothing": (
        f"R 1A=D:5.5-6 {TAE_SOON}",
        "sure: right 9G; left 10I 1A 6I 7I 9I",
    ),
}


@pytest.mark.parametrize(("text", "turns"), ADDED.values(), ids=ADDED)
def test_a_tile_that_came_after_the_press_may_be_added_to_the_play(text, turns):
    found = outcome(f"R 9G=O:0-1 press R 4 {text}", recorded=(OWN,))
    assert found.startswith("open") if turns is None else found == turns


LATE = {
    "the play is laid after the press": (
        f"{COD_LATE} {TAE_SOON}",
        "sure: right nothing +9G +10G; left 10I 6I 7I 9I",
    ),
    "its player presses again": (
        f"{COD_LATE} press R 7 {TAE_SOON}",
        "sure: right nothing +9G +10G; left 10I 6I 7I 9I",
    ),
    "its player's next press is the next turn's": (
        f"{COD_LATE} {TAE_SOON} R 10H=N:14-15 press R 16",
        "sure: right nothing +9G +10G; left 10I 6I 7I 9I; right 10H",
    ),
    "the answerer's hand laid it": (
        "L 9G=O:5-5.5 10G=D:5.5-6 press L 13",
        "sure: right nothing; left 10G 9G",
    ),
    "the player lays one tile more in the next turn": (
        f"{COD_LATE} {TAE_SOON} R 11G=E:14-15 press R 16",
        "sure: right nothing +9G +10G; left 10I 6I 7I 9I; right 11G",
    ),
}


@pytest.mark.parametrize(("text", "turns"), LATE.values(), ids=LATE)
def test_a_whole_play_may_come_after_its_press(text, turns):
    assert outcome(f"press R 4 {text}", recorded=(NONE,)) == turns
