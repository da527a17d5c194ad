"""The plays of a rack, against a slow search that tries every word at every place."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache, lru_cache
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.plays import find_plays
from analysis.word_index import WordIndex
from game.board import SIZE, Board, Square
from game.plays.change import compare
from game.plays.play import find_play, misplaced
from game.plays.score import score_play
from game.rulebooks.loading import load_rulebook
from game.tileset import TileSet, load_tile_set
from simulation.game_generator import vocabulary

BOOK = load_rulebook("wespa-2021")
ENGLISH = load_tile_set("english")


def slow(words: set[str], board: Board, rack: str, tiles: TileSet) -> dict[frozenset, int]:
    """Every play, with its score, by the rules alone: each word is tried at each place."""
    found: dict[frozenset, int] = {}
    for squares, across in lines():
        there = {at: board[square] for at, square in enumerate(squares) if board[square] != "."}
        for word in words:
            if len(word) > len(squares):
                continue
            if any(word[at] != there[at].upper() for at in there if at < len(word)):
                continue
            new = tuple(at for at in range(len(word)) if at not in there)
            if not 0 < len(new) <= len(rack):
                continue
            for blanks in designations(word, new, rack):
                placed = {squares[at]: word[at].lower() if at in blanks else word[at] for at in new}
                if (score := legal(words, board, placed, across, tiles)) is not None:
                    found[frozenset(placed.items())] = score
    return found


@cache
def lines() -> list[tuple[list[Square], bool]]:
    """From each square the squares to the board's edge, across and down."""
    return [
        (
            [start.step(across, at) for at in range(SIZE - (start.col if across else start.row))],
            across,
        )
        for start in (Square(row, col) for row in range(SIZE) for col in range(SIZE))
        for across in (True, False)
    ]


@lru_cache(1 << 14)
def designations(word: str, new: tuple[int, ...], rack: str) -> list[tuple[int, ...]]:
    """The places of a word's new tiles that may be blanks, so that the rack has the rest."""
    has = Counter(rack.replace("?", ""))
    return [
        blanks
        for count in range(rack.count("?") + 1)
        for blanks in combinations(new, count)
        if not Counter(word[at] for at in new if at not in blanks) - has
    ]


def legal(words: set[str], board: Board, placed: dict, across: bool, tiles: TileSet) -> int | None:
    """The score of a play; None if it is none, or one of its words is not in the list."""
    after = board.replace(placed)
    change = compare(board, after)
    play = find_play(change)
    if play is None or misplaced(change, play):
        return None
    if not board.symbols and (after["8H"] == "." or len(placed) == 1):
        return None
    texts = ["".join(after[square] for square in word) for word in play.words]
    if any(text.upper() not in words for text in texts):
        return None
    return score_play(after, play, tiles, BOOK).total


def small_list(rng: random.Random, tiles: TileSet, count: int) -> set[str]:
    """Words for a set: English ones, or for other sets whatever its letters make."""
    if tiles is ENGLISH:
        return set(rng.sample(sorted(vocabulary()), count * 2))
    letters = sorted(tiles.letters, key=lambda one: -tiles.counts[one])[: rng.randint(4, 9)]
    letters += rng.sample(tiles.letters, 2) + list(tiles.spelling)[:2]
    return {
        "".join(rng.choices(letters, k=rng.choice((2, 2, 3, 3, 4, 5, 7)))) for _ in range(count)
    }


def position(seed: int, name: str, count: int) -> tuple[set[str], TileSet, Board, str]:
    """A random position: a list, a board that some plays have made, and a rack."""
    rng, tiles = random.Random(seed), load_tile_set(name)
    words = small_list(rng, tiles, count)
    index, board = WordIndex(words, tiles), Board.empty()
    bag = [tile for tile, many in tiles.counts.items() for _ in range(many)] + ["?"] * 4
    rng.shuffle(bag)
    for _ in range(rng.choice((0, 1, 3, 6, 10))):
        plays = find_plays(index, board, "".join(rng.sample(bag, 7)), BOOK)
        if len(plays):
            board = board.replace(dict(plays[rng.randrange(min(20, len(plays)))].tiles))
    if board.symbols and not rng.randrange(5):  # something on it that nobody can read
        board = board.replace({rng.choice(list(board.tiles())): rng.choice("?#~")})
    return words, tiles, board, "".join(rng.sample(bag, rng.randint(1, 7)))


@given(
    st.integers(0, 10**9),
    st.sampled_from(["english", "english", "german", "polish", "spanish", "welsh"]),
)
def test_the_plays_and_scores_are_those_of_a_slow_search(seed, name):
    words, tiles, board, rack = position(seed, name, 120)
    index = WordIndex(words, tiles)
    want = slow(words, board, rack, tiles)
    every = find_plays(index, board, rack, BOOK, every_blank=True)
    assert {frozenset(play.tiles): play.score for play in every} == want
    assert len(every) == len(want), "no play is found twice"
    best: dict[tuple, int] = {}
    for placed, score in want.items():
        key = tuple(sorted((square, symbol.upper()) for square, symbol in placed))
        best[key] = max(score, best.get(key, 0))
    single = find_plays(index, board, rack, BOOK)
    assert {
        tuple(sorted((square, symbol.upper()) for square, symbol in play.tiles)): play.score
        for play in single
    } == best
    assert len(single) == len(best)
    assert single.scores.tolist() == sorted(best.values(), reverse=True)
    for play in single[:3]:
        found = find_play(compare(board, board.replace(dict(play.tiles))))
        assert found is not None
        assert (found.position, found.word) == (play.position, play.word)
        assert play.bingo == (len(play.tiles) == 7)


def test_a_play_through_tiles_on_the_board_is_written_as_in_a_record():
    index = WordIndex({"CAT", "CATS", "SO"}, ENGLISH)
    board = Board.empty().replace(
        {Square(7, 7): "C", Square(7, 8): "a", Square(7, 9): "T"},
    )
    best = find_plays(index, board, "SO", BOOK)[0]
    assert (best.position, best.word, best.whole, best.score) == ("K8", "SO", "SO", 7)
    only = find_plays(index, board, "S", BOOK)
    assert [(one.position, one.word, one.whole) for one in only] == [("8H", "...S", "CaTS")]


def test_words_too_long_or_with_foreign_letters_are_left_out():
    index = WordIndex({"A", "AT", "A" * 16, "A1"}, ENGLISH)
    assert {length: group.letters.shape[1] for length, group in index.groups.items()} == {2: 1}
    assert len(find_plays(index, Board.empty(), "AT", BOOK)) == 4


@pytest.mark.parametrize("rack", ["", "QQ"])
def test_a_rack_without_a_play_has_none(rack):
    index = WordIndex({"CAT"}, ENGLISH)
    assert len(find_plays(index, Board.empty(), rack, BOOK)) == 0
