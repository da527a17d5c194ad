"""What is known of a square from one sighting to the next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from game.board import SIZE, Board, Square
from tests.vision.tracking.conftest import cases
from vision.change_detector import PATCH
from vision.decode import SYMBOL_ORDER
from vision.reading import Reading
from vision.tracking.appearance import FRAME, AppearanceMap, appearance_distance
from vision.tracking.board_tracker import BoardTracker, TrackedBoard

CORNERS = np.array([(0, 0), (180, 0), (180, 180), (0, 180)], np.float32)
PLACE = "8H"
AT = Square.parse(PLACE)
NOTHING = Board.empty()


def reading(board: Board, output: dict[str, float]) -> Reading:
    """A sure reading of ``board``, but for what is said of one square."""
    given = np.full((SIZE, SIZE, len(SYMBOL_ORDER)), 1e-5, np.float32)
    for row, line in enumerate(board.rows):
        for col, symbol in enumerate(line):
            given[row, col, SYMBOL_ORDER.index(symbol)] = 1.0
    given[AT] = 1e-5
    for symbol, p in output.items():
        given[AT][SYMBOL_ORDER.index(symbol)] = p
    given /= given.sum(axis=-1, keepdims=True)
    best = given.argmax(axis=-1)
    rows = tuple("".join(SYMBOL_ORDER[at] for at in line) for line in best)
    turns = np.zeros((SIZE, SIZE), np.int8)
    return Reading(CORNERS, rows, given.max(axis=-1), turns, {}, (), 1.0, posterior=given)


def looks(*dark: str, by: float = 0.7) -> AppearanceMap:
    """An even board on which some squares are darker than the others."""
    board = np.full((SIZE * 12, SIZE * 12, 3), 120.0, np.float32)
    for name in dark:
        square = Square.parse(name)
        board[square.row * 12 : square.row * 12 + 12, square.col * 12 : square.col * 12 + 12] *= by
    framed = np.pad(board, ((FRAME, FRAME), (FRAME, FRAME), (0, 0)), mode="edge")
    patches = np.zeros((SIZE * SIZE, PATCH, PATCH, 3), np.uint8)
    return AppearanceMap(framed, patches, np.ones((SIZE + 2, SIZE + 2), np.bool_))


def dark(by: float) -> AppearanceMap:
    """The place darker than the squares around it; a tile darkens it to 0.7."""
    return looks(PLACE, by=by)


BARE, TILE = looks(), dark(0.7)
EMPTY = {".": 0.99}, BARE
"""The reading and the look of the square before a tile lies there."""


def lit(look: AppearanceMap, by: float) -> AppearanceMap:
    """The same board in another light."""
    patches = np.full_like(look.patches, min(255, round(200 * by)))
    return replace(look, framed=look.framed * np.float32(by), patches=patches)


def merged_after(*sightings, change_evidence=None) -> Iterator[TrackedBoard]:
    """The result of each ``(output, look)``, one a turn, also with a board: ``(…, board)``."""
    memory = BoardTracker(change_evidence)
    for turn, (output, look, *board) in enumerate(sightings, start=1):
        merged = memory.update(reading(*board or [NOTHING], output), look, turn)
        memory.commit(merged)
        yield merged


def shown(merged: TrackedBoard) -> str:
    return merged.rows[AT.row][AT.col]


def corrected(merged: TrackedBoard) -> list[tuple[int, str]]:
    return [(one.turn, one.symbol) for one in merged.corrections]


AROUND = [f"{row}{col}" for row in range(6, 11) for col in "FGHIJ"]


def sighting(text: str) -> tuple[dict[str, float], AppearanceMap]:
    """The reading of the place as ``A=.6 ?=.3``, and how it looks: bare, but for what follows.

    ``dark=`` how dark it is, ``around=`` with all squares around it; ``lit=`` in which light the
    board is; ``grey=`` the level of its patches, which tells when it was seen.
    """
    words = {what: float(value) for what, _, value in (one.partition("=") for one in text.split())}
    by, around, light, level = (words.pop(name, 0) for name in ("dark", "around", "lit", "grey"))
    look = looks(*AROUND, by=around) if around else dark(by or 1)
    look = lit(look, light) if light else look
    return words, replace(look, patches=np.full_like(look.patches, level)) if level else look


def sightings_of(text: str) -> list[tuple[dict[str, float], AppearanceMap]]:
    return [sighting(one) for one in text.split(" | ")]


# Sightings, what is shown after each, and what the last one corrects: "3?", in turn 3 a blank.
SIGHTINGS = """
a tile that is turned over was there before however unsurely it was read
    #=.67 .=.32 dark=.7 | H=.99 dark=.4 -> #H
what was taken for a letter by mistake and is laid on now was empty
    I=.62 .=.37 dark=.7 | H=.99 dark=.4 -> IH 1.
a blank as plain as its square is seen when it reads as one
    .=.99 | ?=.97 .=.03 -> .?
a square that looks as it did is not given a tile by half a reading
    .=.99 | ?=.55 .=.45 -> ..
a blank is gone when its square looks as it did without it
    .=.99 | ?=.97 .=.02 dark=.7 | ?=.97 .=.02 dark=.7 | .=.99 ?=.01 -> .??.
else it lies in the shade, more likely
    .=.99 | ?=.97 .=.02 dark=.7 | ?=.97 .=.02 dark=.7 | .=.99 ?=.01 dark=.5 -> .???
# Both looks are the same as far as anybody can tell, but one is nearer.
a blank as plain as its square that is taken away is gone and was there before
    .=.99 | ?=.98 .=.01 dark=.97 | .=.99 ?=.01 -> .?.
a blank that nobody touched stays though it reads as empty more surely than as a tile
    .=.99 | ?=.77 .=.23 dark=.96 | .=.92 ?=.08 dark=.96 -> .??
# A shadow makes its square look a little more as it did without it.
a blank is not gone when neither look is much nearer
    .=.99 | ?=.97 .=.02 dark=.92 | .=.7 ?=.3 dark=.963 -> .??
a tile keeps its square through a bad reading of the same look
    Q=.999 dark=.7 | .=.9 Q=.1 dark=.7 -> QQ
a blank that is read late was laid when its square was touched
    .=.99 | .=.99 | ?=.34 .=.66 dark=.96 | ?=.59 .=.41 dark=.96 | ?=.9 .=.1 dark=.96 -> ....? 3?
light that changed is no touch
    .=.99 | .=.99 | ?=.34 .=.66 around=.96 | ?=.59 .=.41 around=.96 |
    ?=.9 .=.1 around=.96 -> ....? 1?
a touched square that reads as empty is empty
    .=.99 | .=.99 dark=.96 -> ..
an empty square that cannot be read in another light corrects no earlier turn
    .=.99 | .=.51 ?=.45 dark=.8 -> .~
# It is asked about: a plain blank may lie there.
a square that could not be read stays so
    .=.99 | .=.52 ?=.48 dark=.975 | .=.92 ?=.08 dark=.975 -> .~~
until it is sure that it is bare
    .=.99 | .=.52 ?=.48 dark=.975 | .=.999 ?=.001 dark=.975 -> .~. 2.
a square that looks as it did without its tile is empty however its print reads
    .=.99 | R=.99 dark=.7 | .=.5 X=.3 A=.2 -> .R.
else it is not
    .=.99 | R=.99 dark=.7 | .=.5 X=.3 A=.2 dark=.5 -> .R~
a tile that is surely read lies there though its square looks bare
    .=.99 | X=.999 dark=.7 | X=.9995 -> .XX
so does a blank
    .=.99 | ?=.999 dark=.7 | ?=.9995 -> .??
the same unsure reading in other lights makes no letter of a back
    .=.99 | X=.79 #=.11 Y=.09 dark=.7 | X=.79 #=.11 Y=.09 dark=.6 | X=.79 #=.11 Y=.09 dark=.5 |
    X=.79 #=.11 Y=.09 dark=.65 | X=.79 #=.11 Y=.09 dark=.55 -> .#####
a tile that may be a back is a letter once it surely reads as one
    .=.99 | X=.79 #=.11 Y=.09 dark=.7 | E=.999 dark=.4 -> .#E
# Counted as a blank, it would count as the letter that is turned up after the press.
a back that passes for a blank is asked about as one
    .=.99 | ?=.71 #=.29 dark=.7 | M=.999 dark=.4 -> .#M
what may well be bare is no back
    .=.99 | .=.55 #=.3 X=.13 dark=.7 -> ..
what may be a blank, a back or bare is unread
    .=.99 | ?=.5 #=.3 .=.18 dark=.7 -> .~
what is hardly a back is none
    .=.99 | ?=.5 #=.1 A=.38 dark=.7 -> .~
a letter that may have been a back and reads surely now was that letter
    .=.99 | T=.5 #=.3 Y=.18 dark=.7 | T=.99 dark=.4 -> .#T 2T
# It is likelier to have been turned over than to have been that letter all along.
a back that could not be read and is turned up was no letter
    .=.99 | X=.5 #=.3 Y=.18 dark=.7 | T=.99 dark=.4 -> .#T
nor was one that passed for a blank
    .=.99 | ?=.85 #=.147 .=.003 dark=.7 | T=.99 dark=.4 -> .?T
"""


@pytest.mark.parametrize(("sightings", "expected"), cases(SIGHTINGS))
def test_what_is_shown_of_a_square(sightings, expected):
    merged = list(merged_after(*sightings_of(sightings)))
    corrections = [f"{turn}{symbol}" for turn, symbol in corrected(merged[-1])]
    assert " ".join(["".join(map(shown, merged)), *corrections]) == expected


@pytest.mark.parametrize(
    ("output", "other"),
    [
        ({"X": 0.79, "#": 0.11, "Y": 0.09}, "X"),
        ({"X": 0.5, "#": 0.3, "Y": 0.18}, "X"),
        ({"?": 0.55, "#": 0.44}, "a blank"),
        ({"#": 0.54, "?": 0.45}, None),
    ],
)
def test_a_tile_that_may_be_a_back_is_shown_as_one_and_asked_about(output, other):
    _, merged = merged_after(EMPTY, (output, TILE))
    assert shown(merged) == "#"
    assert [(one.code, one.square) for one in merged.doubts] == (
        [("face_down", PLACE)] if other else []
    )
    assert all(f"or {other} (" in doubt.detail for doubt in merged.doubts)


@pytest.mark.parametrize("empty", [0.45, 0.55])
@pytest.mark.parametrize("by", [0.7, 0.96])
def test_an_empty_square_that_looks_otherwise_is_not_sure_to_be_empty(empty, by):
    _, merged = merged_after(EMPTY, ({"?": 1 - empty, ".": empty}, dark(by)))
    assert shown(merged) == "?" or (shown(merged) == "~" and merged.confidence[AT] < 0.6)


@pytest.mark.parametrize("printed", [{"X": 0.69, "#": 0.12, ".": 0.11}, {"#": 0.6, ".": 0.2}])
def test_a_bare_square_whose_print_passes_for_a_tile_is_told_by_how_it_looked(printed):
    tile = {"A": 0.999}, TILE
    *_, merged = merged_after(EMPTY, tile, (printed, BARE))
    assert (shown(merged), corrected(merged)) == (".", [])
    assert merged.confidence[AT] > 0.9
    *_, merged = merged_after(EMPTY, tile, (printed, dark(0.5)))
    assert shown(merged) != "."


@pytest.mark.parametrize(("by", "sure"), [(0.999, True), (0.95, False)])
def test_a_letter_that_is_read_for_another_on_a_square_that_looks_almost_the_same_is_in_doubt(
    by, sure
):
    """An I and a T differ by little more than the pose does to their edges."""
    new = {"T": 0.998, "I": 0.001}, dark(0.7 * by)
    *_, merged = merged_after(EMPTY, ({"I": 0.999, "T": 0.0005}, TILE), new)
    assert shown(merged) in ("I", "~")
    assert (merged.confidence[AT] > 0.75) == sure


@pytest.mark.parametrize("light", [0.5, 1.0, 1.8])
def test_a_play_s_blank_is_gone_whatever_the_light_did_since_its_square_was_bare(light):
    *_, placed, gone = merged_after(
        ({".": 0.999}, BARE),
        ({"?": 0.999}, lit(dark(0.97), light)),
        ({".": 0.999, "?": 0.0005}, lit(BARE, light)),
    )
    assert (shown(placed), shown(gone), corrected(gone)) == ("?", ".", [])


def test_a_blank_that_is_hard_to_see_is_not_forgotten_because_blanks_are_rare():
    """Every reading takes for granted that blanks are rare; together they must say so once."""
    faint = {"?": 0.15, ".": 0.85}
    seen = list(
        merged_after(
            ({"?": 0.87, ".": 0.13}, TILE), *((faint, dark(by)) for by in (0.78, 0.62) * 4)
        )
    )
    assert all(shown(one) == "?" and not one.corrections for one in seen)
    assert min(one.confidence[AT] for one in seen) > 0.8


def test_a_blank_that_reads_as_empty_at_odds_of_twenty_is_no_doubt_and_a_letter_is():
    for symbol, doubts in (("?", 0), ("A", 1)):
        *_, last = merged_after(
            ({symbol: 0.97, ".": 0.03}, TILE), ({symbol: 0.05, ".": 0.95}, dark(0.9))
        )
        assert (shown(last), len(last.doubts)) == (symbol, doubts)


def test_a_known_tile_that_the_picture_cuts_off_is_no_other():
    cut = np.ones((SIZE + 2, SIZE + 2), np.bool_)
    cut[AT.row + 1, AT.col + 1] = False
    whole = {"J": 0.98}, dark(0.4)
    part = {"J": 0.98}, replace(dark(0.4), in_picture=cut)

    def last(first, second):
        *_, merged = merged_after(first, second)
        return shown(merged), float(merged.confidence[AT]), corrected(merged)

    assert last(({"U": 0.99}, TILE), whole)[0] == "J"
    assert last(({"U": 0.99}, TILE), part) == ("U", pytest.approx(0.99, abs=0.01), [])
    assert last(({"U": 0.99}, TILE), ({".": 0.99}, part[1]))[0] == "."
    assert last(({"U": 0.99}, TILE), ({"~": 0.99}, part[1]))[0] == "U"
    unsure = {"U": 0.6, "J": 0.3}, TILE  # never known, so the picture's part counts
    assert last(unsure, part) == last(unsure, whole)


# --- a comparison of a square with how it looked before ---


class Comparison:
    """Says this of the place, and that nothing was laid on the others; notes what it is asked."""

    def __init__(self, nats: float) -> None:
        self.nats = nats
        self.asked: list[list[str]] = []
        self.before: list[np.ndarray] = []
        """How light each square was before."""

    def __call__(self, before, after, squares):
        assert before.shape == after.shape == (SIZE * SIZE, PATCH, PATCH, 3)
        self.asked.append([Square(*divmod(int(square), SIZE)).name for square in squares])
        self.before.append(before.reshape(SIZE, SIZE, -1).max(axis=-1))
        return np.array([self.nats if name == PLACE else -6.0 for name in self.asked[-1]])


@pytest.mark.parametrize(
    ("output", "look", "nats", "symbol", "asked"),
    [
        ({".": 0.87, "?": 0.13}, dark(0.96), 5.0, "?", True),
        ({".": 0.87, "?": 0.13}, dark(0.96), 0.0, ".", True),
        ({".": 0.87, "?": 0.13}, dark(0.96), -5.0, ".", True),
        ({"?": 0.7, ".": 0.3}, TILE, 5.0, "?", True),
        ({"?": 0.7, ".": 0.3}, TILE, -5.0, ".", True),
        ({"H": 0.97}, TILE, -6.0, "H", False),
        ({"#": 0.97}, TILE, -6.0, "#", False),
    ],
)
def test_a_blank_is_told_from_a_shadow_by_comparing_and_a_letter_or_a_back_is_read(
    output, look, nats, symbol, asked
):
    comparison = Comparison(nats)
    _, second = merged_after(EMPTY, (output, look), change_evidence=comparison)
    assert shown(second) == symbol
    assert comparison.asked == ([[PLACE]] if asked else [])


# What the comparison says, with what the square was compared, and what is shown in the end.
COMPARED = """
a blank that passed for bare is not what its square is compared with
    .=.99 grey=10 | .=.77 ?=.23 dark=.97 grey=20 | .=.77 ?=.23 dark=.97 grey=30 -> -1.4: 10 10
a square that the comparison is in doubt of is not remembered as bare
    .=.996 ?=.004 grey=10 | .=.996 ?=.004 dark=.95 grey=20 |
    .=.996 ?=.004 dark=.93 grey=40 -> -1: 10 10
one that it is sure of is
    .=.996 ?=.004 grey=10 | .=.996 ?=.004 dark=.95 grey=20 |
    .=.996 ?=.004 dark=.93 grey=40 -> -4: 10 20
# A plain blank lies there, and the light has changed since the square was seen bare.
a doubted square is compared with its bare look in the light of today
    .=.99 lit=1 | .=.77 ?=.23 dark=.97 lit=.6 | .=.77 ?=.23 dark=.97 lit=.6 -> -1: 200 120
a blank that reads as empty later is compared with its bare square: 0.5, 4.0
    .=.999 grey=10 | ?=.97 .=.02 dark=.7 grey=20 | .=.97 ?=.03 dark=.5 grey=30 -> 4: 10 ?
a blank that reads as empty later is compared with its bare square: 0.5, -4.0
    .=.999 grey=10 | ?=.97 .=.02 dark=.7 grey=20 | .=.97 ?=.03 dark=.5 grey=30 -> -4: 10 .
a blank that reads as empty later is compared with its bare square: 0.98, 4.0
    .=.999 grey=10 | ?=.97 .=.02 dark=.7 grey=20 | .=.97 ?=.03 dark=.98 grey=30 -> 4: 10 ?
a blank that reads as empty later is compared with its bare square: 0.98, -4.0
    .=.999 grey=10 | ?=.97 .=.02 dark=.7 grey=20 | .=.97 ?=.03 dark=.98 grey=30 -> -4: 10 .
"""


@pytest.mark.parametrize(("sightings", "expected"), cases(COMPARED))
def test_with_what_a_square_is_compared(sightings, expected):
    nats, _, due = expected.partition(": ")
    comparison = Comparison(float(nats))
    *_, last = merged_after(*sightings_of(sightings), change_evidence=comparison)
    compared = [int(word) for word in due.split() if word.isdigit()]
    levels = [int(before[AT]) for before in comparison.before]
    assert levels[-len(compared) :] == pytest.approx(compared, abs=2)
    assert due[-1].isdigit() or shown(last) == due[-1]


def test_tiles_are_compared_with_themselves_and_empty_squares_with_empty_ones():
    comparison = Comparison(0.0)
    memory = BoardTracker(comparison)
    sightings = sightings_of(".=.99 grey=10 | H=.99 dark=.7 grey=20 | H=.99 dark=.7 grey=30")
    for turn, (output, look) in enumerate(sightings, start=1):
        faint = reading(NOTHING, output)
        if turn > 1:
            faint.posterior[Square.parse("2B")][SYMBOL_ORDER.index("?")] = 0.1
        memory.commit(memory.update(faint, look, turn))
    first, *_, last = comparison.before
    assert (first[AT], last[AT], last[Square.parse("15O")]) == (10, 20, 20)


def test_what_reads_as_a_blank_is_compared_before_all_that_a_shadow_changed():
    comparison = Comparison(-6.0)
    shade = [Square(*divmod(at, SIZE)).name for at in range(0, SIZE * SIZE, 3)]
    assert len(shade) > 60
    assert PLACE not in shade
    now = {"?": 0.95, ".": 0.05}, looks(*shade)
    _, second = merged_after(EMPTY, now, change_evidence=comparison)
    assert PLACE in comparison.asked[-1]
    assert shown(second) == "."


DIM_SQUARE = {"?": 0.9, ".": 0.1}
"""How a dark blue square of an empty board may read in a dim light."""


def test_on_a_board_without_a_letter_no_blank_lies_either():
    tracker = BoardTracker(Comparison(-5.0))
    for turn in (0, 1):
        seen = tracker.update(reading(NOTHING, DIM_SQUARE), BARE, turn)
        tracker.commit(seen)
        assert (seen.rows, corrected(seen)) == (NOTHING.rows, [])
    beside = NOTHING.replace({Square.parse("8G"): "A"})
    (seen,) = merged_after((DIM_SQUARE, BARE, beside), change_evidence=Comparison(-5.0))
    assert seen.rows[7][6:8] == "A?"


# --- what lies around a square ---


@pytest.mark.parametrize(("letter", "symbol"), [(".", "."), ("A", "?")])
def test_a_plain_blank_is_gone_when_the_letters_of_its_play_are(letter, symbol):
    play, left = (NOTHING.replace({Square.parse("8G"): one}) for one in ("A", letter))
    between = dark(0.965)  # of both looks of the square
    *_, last = merged_after(
        ({".": 0.999}, BARE),
        ({"?": 0.999}, looks("8G", PLACE, by=0.94), play),
        ({".": 0.9, "?": 0.09}, between, left),
    )
    assert shown(last) == symbol


@pytest.mark.parametrize(("pushed", "symbol"), [("9H", "."), ("9I", "."), (None, "?"), ("3C", "?")])
def test_an_old_blank_is_gone_when_one_appears_beside_it(pushed, symbol):
    """It was pushed there; alone, an old blank that reads as empty for once stays."""
    now = [] if pushed is None else [pushed]
    board = NOTHING.replace({Square.parse(name): "?" for name in now})
    other = looks(*now, by=0.94)
    between = replace(
        BARE, framed=dark(0.965).framed * other.framed / BARE.framed
    )  # of both its looks
    blank = {"?": 0.999}, dark(0.94)
    *_, last = merged_after(
        ({".": 0.999}, BARE), *[blank] * 5, ({".": 0.96, "?": 0.03}, between, board)
    )
    assert shown(last) == symbol
    assert all(last.rows[at.row][at.col] == "?" for at in map(Square.parse, now))
    assert not last.corrections


def test_a_tile_amid_tiles_is_gone_when_its_square_looks_as_it_did_without_it():
    """The tiles around it tell nothing of the light since then, which the bare squares tell."""
    others = [name for name in AROUND if name != PLACE]
    tiles, gone = looks(*AROUND, by=1.3), looks(*others, by=1.3)
    board = NOTHING.replace({Square.parse(name): "E" for name in others})
    *_, last = merged_after(
        EMPTY,
        *[({"I": 0.999}, tiles, board)] * 2,
        ({".": 0.95, "?": 0.02, "I": 0.01}, gone, board),
    )
    assert shown(last) == "."


@pytest.mark.parametrize(("hand", "corrections"), [(True, [(2, "U")]), (False, [])])
def test_a_letter_that_a_hand_half_hid_is_put_right_by_a_clear_view(hand, corrections):
    """Seen in full both times, the tile was exchanged."""
    under = ["7F", "7G", "8F", "8G", "9F", "9G"] if hand else []
    covered = NOTHING.replace({Square.parse(name): "~" for name in under})
    *_, last = merged_after(
        ({".": 0.999}, BARE),
        ({"J": 0.9997}, looks(PLACE, *under, by=0.5), covered),
        ({"U": 0.9999}, dark(0.52)),
    )
    assert (shown(last), corrected(last)) == ("U", corrections)


@pytest.mark.parametrize("other", [0.8, 0.51])
def test_a_tile_that_was_replaced_and_is_put_back_had_been_replaced(other):
    """Also by one that looks much like it."""
    *_, last = merged_after(
        ({".": 0.999}, BARE),
        ({"I": 0.9997}, dark(0.5)),
        ({"L": 0.9995}, dark(other)),
        ({"I": 0.998, "L": 0.001}, dark(0.5)),
    )
    assert (shown(last), corrected(last)) == ("I", [])


def test_two_tiles_that_are_exchanged_were_each_read_right():
    """An I that might have been an L is one no more than the other tile was an I."""
    other = Square.parse("8I")
    first, then = ({"I": 0.9974, "L": 0.0012}, "L"), ({"L": 0.9994}, "I")
    *_, last = merged_after(
        EMPTY,
        *(
            (output, looks(PLACE, "8I", by=by), NOTHING.replace({other: symbol}))
            for (output, symbol), by in ((first, 0.5), (then, 0.8))
        ),
    )
    assert (shown(last), last.symbol(other), last.corrections) == ("L", "I", ())


def on_frame(hand: bool) -> AppearanceMap:
    """An even board with a hand on the frame beside the right end of rows 1 to 3, or without."""
    framed = BARE.framed.copy()
    framed[FRAME:-FRAME:4, -FRAME:] = 60.0
    if hand:
        framed[FRAME : FRAME + 36, -FRAME:] = framed[FRAME + 2 : FRAME + 38, -FRAME:]
    return replace(BARE, framed=framed)


def test_a_hand_that_has_left_the_frame_covers_nothing():
    memory = BoardTracker()
    for turn, hand in enumerate((False, True), start=1):
        memory.commit(memory.update(reading(NOTHING, {".": 0.99}), on_frame(hand), turn))
    look = looks("1O")
    look.framed[:, -FRAME:] = on_frame(False).framed[:, -FRAME:]
    letter = reading(NOTHING.replace({Square.parse("1O"): "O"}), {".": 0.99})
    letter.posterior[Square.parse("1O")] = 2e-4
    letter.posterior[Square.parse("1O")][SYMBOL_ORDER.index("O")] = 0.99
    merged = memory.update(letter, look, 3)
    assert merged.rows[0][14] == "O"
    assert not merged.covered.any()


def test_a_play_along_the_edge_looks_different_throughout():
    play = [f"{row}O" for row in range(1, 8)]
    distance = appearance_distance(BARE, looks(*play, by=0.85))
    changed = np.array([[Square(r, c).name in play for c in range(SIZE)] for r in range(SIZE)])
    assert (distance[changed] > 0.1).all()
    assert (distance[~changed] < 0.01).all()


def test_a_square_that_is_kept_from_an_earlier_picture_comes_into_the_light_of_the_others():
    before, now = lit(BARE, 1.0), lit(BARE, 0.6)
    seen = np.ones((SIZE, SIZE), np.bool_)
    seen[AT] = False
    stale, kept = before.replaced(seen, now), before.relit(now, ~seen, seen).replaced(seen, now)
    assert appearance_distance(stale, now)[AT] > 0.3
    assert appearance_distance(kept, now).max() < 0.01
    assert np.abs(kept.patches.astype(int) - now.patches).max() <= 2


def test_a_colour_that_the_squares_around_hardly_have_tells_nothing_of_the_light():
    """A little haze more than doubles the blue of a yellow board, and not that of a blue square."""
    before = replace(BARE, framed=np.full_like(BARE.framed, (5.0, 150.0, 160.0)))
    before.board[AT.row * 12 : AT.row * 12 + 12, AT.col * 12 : AT.col * 12 + 12] = (200, 120, 60)
    now = replace(before, framed=np.asarray(before.framed * 0.9 + 5, np.float32))
    seen = np.ones((SIZE, SIZE), np.bool_)
    seen[AT] = False
    assert appearance_distance(before.relit(now, ~seen, seen).replaced(seen, now), now)[AT] < 0.1


# --- which way round the board lies ---


def test_how_squares_looked_empty_is_turned_with_a_board_that_lay_the_other_way_round():
    tracker = BoardTracker()
    tracker.commit(tracker.update(reading(NOTHING, {".": 1.0}), looks("1C"), 0))
    first, there = reading(NOTHING, {"A": 1.0}), Square.parse("15M")
    upright = tracker.update(first, looks("15M"), 1, turned=2)
    assert upright.same_appearance[there]
    assert upright.belief.seen_empty[there]
    assert not tracker.update(first, looks("15M"), 1).same_appearance.all()


@pytest.mark.parametrize(("place", "turns"), [("1C", 0), ("3O", 3), ("15M", 2), ("13A", 1)])
def test_a_print_on_the_board_tells_which_way_round_it_lay(place, turns):
    tracker = BoardTracker()
    empty = reading(NOTHING, {".": 1.0})
    assert tracker.likeliest_turn(empty, looks(place)) == 0
    tracker.commit(tracker.update(empty, looks("1C"), 0))
    assert tracker.likeliest_turn(reading(NOTHING, {"A": 1.0}), looks(place)) == turns
    assert tracker.likeliest_turn(empty, looks("1C", "3O", by=0.98)) == 0  # hardly any print
    hidden = Board.from_rows(["~" * 15] * 15)
    assert tracker.likeliest_turn(reading(hidden, {"~": 1.0}), looks(place)) == 0


# --- what people say ---


@pytest.mark.parametrize(("placed_in", "turn"), [({}, 2), ({PLACE: 1}, 1)])
def test_a_correction_names_the_turn_by_the_number_that_it_has_since(placed_in, turn):
    memory = BoardTracker()
    memory.renumber({1: 2}, placed_in)  # nothing is known yet
    memory.commit(memory.update(reading(NOTHING, {"E": 0.6, "F": 0.39}), TILE, 1))
    memory.renumber({1: 2}, placed_in)
    assert corrected(memory.update(reading(NOTHING, {"F": 0.999}), TILE, 3)) == [(turn, "F")]


@pytest.mark.parametrize(("blank", "symbol"), [(0.3, "?"), (0.001, "?"), (0.0002, ".")])
def test_a_blank_that_somebody_named_lies_there_though_its_square_looks_bare(blank, symbol):
    """However often it reads so: that tells no more than it did when it was named."""
    tracker = BoardTracker(Comparison(-3.0))
    plain = reading(NOTHING, {".": 1 - blank, "?": blank})
    tracker.commit(tracker.update(plain, BARE, 1))
    tracker.know_blanks({AT: 1})
    for turn in range(2, 9):
        later = tracker.update(plain, dark(1 - turn % 3 / 50), turn)
        tracker.commit(later)
        assert shown(later) == symbol
        assert not later.corrections  # the name tells which turn placed it


def test_a_named_blank_that_looked_bare_goes_with_its_play_and_stays_away():
    """Until a ruling takes the play off, its blank still has a name."""
    tracker, plain = BoardTracker(), {".": 0.99, "?": 0.01}
    play = NOTHING.replace({Square.parse("8G"): "A"})
    tracker.commit(tracker.update(reading(NOTHING, plain), BARE, 1))
    tracker.commit(tracker.update(reading(play, plain), looks("8G"), 2))
    tracker.know_blanks({AT: 2})
    for turn in (3, 4, 5):
        now = tracker.update(reading(NOTHING, plain), dark(0.97), turn)
        tracker.commit(now)
        assert now.rows[7][6:8] == ".."


def test_a_name_that_was_a_slip_leaves_no_blank():
    tracker = BoardTracker()
    plain = reading(NOTHING, {".": 0.996, "?": 0.004})
    tracker.commit(tracker.update(plain, BARE, 1))
    for named, symbol in [({AT: 1}, "?"), ({}, ".")]:
        tracker.know_blanks(named)
        assert shown(tracker.update(plain, BARE, 2)) == symbol


@pytest.mark.parametrize("recalled", [{".": 0.72, "?": 0.28}, {".": 0.3, "?": 0.7}])
def test_a_named_blank_stays_in_a_resumed_game_though_it_reads_as_bare(recalled):
    """How its square looked bare is not known to this process."""
    tracker, read = BoardTracker(), NOTHING.replace({Square.parse("8G"): "P"})
    known = read.replace({AT: "i"})
    tracker.recall(reading(read, recalled), TILE, known, {PLACE: 1, "8G": 1})
    tracker.know_blanks({AT: 1})
    for turn in range(2, 12):
        later = tracker.update(reading(read, {".": 0.989, "?": 0.011}), TILE, turn)
        tracker.commit(later)
        assert later.rows[7][6:8] == "P?"
        assert not later.corrections
    tracker.know_blanks({})  # the name was a slip
    last = tracker.update(reading(read, recalled), TILE, 12)
    assert shown(last) == ("." if recalled["."] > 0.5 else "?")
