"""The reader's own steps, with a classifier whose every answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from game.board import PREMIUMS, Premium, Square
from vision.decode import SYMBOL_ORDER
from vision.errors import NoBoardFoundError
from vision.labels import CLASS_NAMES, class_index, state_index
from vision.reader import BoardReader
from vision.reading import guess_words
from vision.rectify import PITCH

SIDE = 15 * PITCH
CORNERS = np.array([[40, 40], [40 + SIDE, 40], [40 + SIDE, 40 + SIDE], [40, 40 + SIDE]], np.float32)
PICTURE = np.full((SIDE + 80, SIDE + 80, 3), 120, np.uint8)


class Scripted:
    """Answers by what it is asked for the how-manieth time; remembers how many crops it saw.

    Looks again are three with the crops turned by one to three quarters, and two as they are.
    """

    promise = head = None

    def __init__(self, first, again=None):
        self.first, self.again = first, again
        self.asked = []

    def probabilities(self, crops):
        self.asked.append(len(crops))
        if len(self.asked) == 1:
            return self.first.copy()
        each = len(crops) // 5
        looks = [np.tile(answer(turn, **self.again), (each, 1)) for turn in (1, 2, 3, 0, 0)]
        return np.concatenate(looks)

    def classify(self, crops):
        return self.probabilities(crops), np.zeros((len(crops), 3), np.float32)


def answer(turn=0, /, **shares):
    out = np.full(len(CLASS_NAMES), 1e-6, np.float32)
    for name, share in shares.items():
        index = state_index(name) if name in ("empty", "blank") else class_index(name, turn)
        out[index] = share
    return out / out.sum()


def board(**at):
    first = np.tile(answer(empty=1.0), (225, 1))
    for square, shares in at.items():
        first[int(square[1:])] = answer(**shares)
    return first


def test_a_doubtful_square_alone_is_looked_at_again_and_the_looks_averaged():
    classifier = Scripted(
        board(s112={"C": 0.55, "G": 0.45}, s113={"A": 1.0}), again={"G": 0.9, "C": 0.1}
    )
    reading = BoardReader(classifier).read(PICTURE, CORNERS)
    assert classifier.asked == [225, 5]
    assert reading.rows[7] == ".......GA......"
    odds = (0.45 / 0.55 * (0.9 / 0.1) ** 5) ** (1 / 6)
    assert reading.confidence[7, 7] == pytest.approx(odds / (1 + odds), abs=0.01)


def test_which_way_a_sure_letter_lies_is_no_doubt():
    """O, X and H look alike upside down; that is settled by the other tiles, not by more looks."""
    first = board()
    first[112] = 1e-6
    first[112, [class_index("O", turn) for turn in range(4)]] = 0.25
    classifier = Scripted(first)
    assert BoardReader(classifier).read(PICTURE, CORNERS).rows[7][7] == "O"
    assert classifier.asked == [225]


def test_a_picture_that_is_doubtful_all_over_is_not_looked_at_again():
    first = np.tile(answer(A=0.3, B=0.3, empty=0.4), (225, 1))
    classifier = Scripted(first, again={"A": 1.0})
    reading = BoardReader(classifier).read(PICTURE, CORNERS)
    assert classifier.asked == [225]
    assert set("".join(reading.rows)) == {"~"}


@pytest.mark.parametrize("corners", [[[0, 0]] * 4, [[0, 0], [9, 9], [9, 0], [0, 9]]])
def test_corners_that_are_none_are_refused(corners):
    with pytest.raises(NoBoardFoundError, match="corners"):
        BoardReader(Scripted(board())).read(PICTURE, corners)


def test_without_corners_or_finder_there_is_no_board():
    with pytest.raises(NoBoardFoundError, match="no board found"):
        BoardReader(Scripted(board())).read(PICTURE)


def test_squares_beyond_the_picture_s_edge_are_not_taken_for_empty():
    cut = PICTURE[: 40 + 10 * PITCH]
    reading = BoardReader(Scripted(board(), again={"empty": 1.0})).read(cut, CORNERS)
    assert reading.rows[:10] == ("." * 15,) * 10
    assert reading.rows[10:] == ("~" * 15,) * 5


def test_a_letter_that_the_picture_s_edge_cuts_is_asked_about():
    """An upside-down U that was cut so was an F with 99%."""
    first = board(s135={"F": 1.0}, s136={"blank": 1.0}, s120={"C": 1.0})
    cut = PICTURE[: 40 + 9 * PITCH + int(0.7 * PITCH)]
    reading = BoardReader(Scripted(first, again={"empty": 1.0})).read(cut, CORNERS)
    assert reading.rows[8:10] == ("C" + "." * 14, "~~" + "." * 13)
    assert reading.guesses[Square(9, 0)][0][0] == "F"
    no_tile = [SYMBOL_ORDER.index(symbol) for symbol in ".~"]
    assert (reading.posterior[9, :2][:, no_tile] < 0.01).all()
    value = PICTURE[: 40 + 9 * PITCH + int(0.78 * PITCH)]  # the value is cut, the letter whole
    assert BoardReader(Scripted(first)).read(value, CORNERS).rows[9] == "F?" + "." * 13
    nearly = PICTURE[: 40 + 9 * PITCH + int(0.9 * PITCH)]
    assert BoardReader(Scripted(first)).read(nearly, CORNERS).rows[9] == "F?" + "." * 13


class Found:
    """A finder that sees a board where it is told to."""

    corners, score = CORNERS, 1.0

    def candidates(self, image):
        return [self]


def test_a_grid_with_neither_premium_squares_nor_a_clear_reading_is_no_board():
    noise = np.random.default_rng(2).integers(0, 255, PICTURE.shape).astype(np.uint8)
    first = board(**{f"s{square}": {"A": 0.5, "B": 0.5} for square in range(12)})
    with pytest.raises(NoBoardFoundError, match="no board found"):
        BoardReader(Scripted(first, again={"A": 0.5, "B": 0.5}), Found()).read(noise)


def test_squared_paper_is_no_board():
    paper = np.random.default_rng(3).normal(200, 4, PICTURE.shape).clip(0, 255).astype(np.uint8)
    paper[40 : 41 + SIDE : PITCH] = paper[:, 40 : 41 + SIDE : PITCH] = 90
    with pytest.raises(NoBoardFoundError, match="no board found"):
        BoardReader(Scripted(board()), Found()).read(paper)


def test_a_clear_reading_makes_a_board_and_an_empty_one_is_one_by_its_premium_squares():
    first = board(s111={"T": 1.0}, s112={"A": 1.0}, s113={"N": 1.0})
    assert BoardReader(Scripted(first), Found()).read(PICTURE).rows[7] == "......TAN......"
    picture = PICTURE.copy()
    for row, premiums in enumerate(PREMIUMS):
        for col, premium in enumerate(premiums):
            if premium is not Premium.NONE:
                x, y = 40 + PITCH * col, 40 + PITCH * row
                picture[y : y + PITCH, x : x + PITCH] = (200, 60, 60)
    assert BoardReader(Scripted(board()), Found()).read(picture).rows == ("." * 15,) * 15


class Leaning:
    """Sees one tile far aside, then as ``again`` says from four sides, then in the middle."""

    promise = head = None

    def __init__(self, square, again):
        self.square, self.again = square, [again]

    def classify(self, crops):
        if len(crops) == 225:
            row = {f"s{7 * 15 + col}": {"A": 1.0} for col in range(3, 12)}
            tile_pose = np.zeros((225, 3), np.float32)
            tile_pose[self.square, 0] = 0.3
            return board(**row), tile_pose
        poses = self.again.pop() if self.again else [(0, 0, 0)] * 4
        looks = [answer(turn, A=1.0) for turn in range(4)]
        return np.array(looks), np.array(poses, np.float32)


@pytest.mark.parametrize(
    ("again", "found"),
    [
        ([(0.3, 0, 0), (0, 0.3, 0), (-0.3, 0, 0), (0, -0.3, 0)], ["8H"]),
        ([(0.3, 0, 0), (0, 0.01, 0), (-0.02, 0, 0), (0, -0.02, 0)], []),
    ],
    ids=["it lies aside", "a neighbour's edge"],
)
def test_a_tile_is_askew_only_if_it_lies_so_from_every_side(again, found):
    reading = BoardReader(Leaning(7 * 15 + 7, again)).read(PICTURE, CORNERS)
    assert [f.square for f in reading.findings if f.code == "askew"] == found


@pytest.mark.parametrize(
    ("guesses", "words"),
    [
        ((("A", 0.43), ("C", 0.012), ("E", 0.0)), "A 43%, C 1%"),
        ((("A", 0.004), ("C", 0.001)), "A, which is unlikely"),
    ],
)
def test_guesses_that_round_to_nothing_are_not_told(guesses, words):
    assert guess_words(guesses) == words
