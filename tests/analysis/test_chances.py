"""Chances of draws, against counting every draw; the end of a game, against every answer."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from analysis.chances import chance_of_one, draw_chances, is_vowel, unseen_by
from analysis.endgame import left_after, lines, outs
from analysis.plays import find_plays
from analysis.word_index import WordIndex
from game.board import Board, Square
from game.plays.score import rack_value
from game.rulebooks.loading import load_rulebook
from game.tileset import load_tile_set

BOOK = load_rulebook("wespa-2021")
ENGLISH = load_tile_set("english")


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 7))
def test_the_chance_is_the_share_of_the_draws(wanted, others, drawn):
    pool = [True] * wanted + [False] * others
    draws = [any(one) for one in combinations(pool, min(drawn, len(pool)))]
    assert abs(chance_of_one(wanted, len(pool), drawn) - sum(draws) / len(draws)) < 1e-9


def test_what_is_on_a_known_rack_is_not_drawn():
    pool = unseen_by({"A": 2, "Q": 1, "?": 1, "B": -1}, ["AQ", None])
    assert pool == {"A": 1, "?": 1}
    chances = draw_chances(pool, ENGLISH, 7)
    assert chances == {"A": [0.5, 1.0], "?": [0.5, 1.0], "vowels": [0.5, 1.0], "dear": [0.0, 0.0]}
    assert draw_chances({}, ENGLISH, 7) == {"vowels": [], "dear": []}


def test_vowels_with_marks_are_vowels():
    assert [tile for tile in "AÄÓYŁ?" if is_vowel(tile)] == ["A", "Ä", "Ó"]


def placed(text: str) -> Board:
    return Board.empty().replace({Square(7, 7 + at): one for at, one in enumerate(text)})


def test_an_out_play_gains_twice_the_tiles_left_and_a_block_is_named():
    words = {"CAT", "CATS", "SO", "OX", "AX", "AT", "TO", "ON", "NO"}
    index, board, racks = WordIndex(words, ENGLISH), placed("CAT"), ("ON", "S")
    plays = tuple(find_plays(index, board, rack, BOOK) for rack in racks)
    assert {one.word for one in outs(plays[1], "S")} == {"...S"}
    found = lines(index, board, racks, plays, BOOK)
    for one in found:
        if one.out:
            assert one.net == one.play.score + 2 * rack_value("S", ENGLISH)
            assert one.answer is None
        else:
            after = find_plays(index, board.replace(dict(one.play.tiles)), "S", BOOK)
            left = 2 * rack_value(left_after("ON", one.play), ENGLISH)
            assert one.net == one.play.score - max((play.score + left for play in after), default=0)
            assert one.blocks == (len(after) == 0)
    assert [one.net for one in found] == sorted((one.net for one in found), reverse=True)


def test_a_play_where_the_opponent_would_go_out_blocks():
    words = {"CAT", "CATS", "CATE", "ER", "AT", "TAE"}
    index, board, racks = WordIndex(words, ENGLISH), placed("CAT"), ("EQ", "S")
    plays = tuple(find_plays(index, board, rack, BOOK) for rack in racks)
    best = lines(index, board, racks, plays, BOOK)[0]
    assert (best.play.word, best.blocks, best.answer) == ("...E", True, None)
