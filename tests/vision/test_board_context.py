"""The whole board tells of its squares.

The premium squares say where the grid lies, the tiles what a blank looks like, and the empty board
what still is empty.
"""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from game.board import SIZE, Premium, Square, premium
from vision.board_context import face_colours, recolour_posterior
from vision.decode import SYMBOL_ORDER
from vision.empty_board import EmptyBoardModel, pattern_log_likelihood_ratio
from vision.premium_layout import premium_fit, square_colours
from vision.rectify import BORDER, PITCH, homography, rectify

CORNERS = np.array([[120, 90], [600, 130], [570, 620], [100, 580]], np.float32)
GREEN = {
    Premium.NONE: (90, 120, 40),
    Premium.DLS: (200, 170, 120),
    Premium.TLS: (170, 90, 30),
    Premium.DWS: (140, 140, 220),
    Premium.TWS: (50, 40, 190),
}
CREAM = (205, 228, 235)


def painted(tiles=(), colours=GREEN, seed=3, light=0.5):
    """A board seen obliquely under a sloping light, with flat tiles on the named squares."""
    pitch = 24
    flat = np.full((19 * pitch, 19 * pitch, 3), (60, 50, 70), np.uint8)
    for row in range(SIZE):
        for col in range(SIZE):
            y, x = (row + 2) * pitch, (col + 2) * pitch
            flat[y : y + pitch, x : x + pitch] = colours[premium(Square(row, col))]
            cv2.rectangle(flat, (x, y), (x + pitch, y + pitch), (200, 200, 200), 1)
            if (row, col) in tiles:
                cv2.rectangle(flat, (x + 1, y + 1), (x + pitch - 2, y + pitch - 2), CREAM, -1)
    to_board = np.array([[1 / pitch, 0, -2], [0, 1 / pitch, -2], [0, 0, 1]])
    picture = cv2.warpPerspective(flat, homography(CORNERS) @ to_board, (720, 720))
    slope = 1 - light * np.linspace(0, 1, 720)[None, :, None]
    noise = np.random.default_rng(seed).normal(0, 4, picture.shape)
    return np.clip(picture * slope + noise, 0, 255).astype(np.uint8)


def test_the_right_pose_beats_its_neighbours():
    fit = premium_fit(square_colours(painted(), CORNERS))
    assert fit.shape == (3, 3)
    assert fit[1, 1] > 0.9
    assert np.delete(fit.ravel(), 4).max() < 0.4


@pytest.mark.parametrize(("dx", "dy"), [(1, 0), (-1, 0), (0, 1), (-1, -1)])
def test_a_pose_one_square_off_shows_where_the_board_is(dx, dy):
    matrix = homography(CORNERS)
    grid = np.array([[0, 0], [15, 0], [15, 15], [0, 15]], float) + np.array([dx, dy])
    moved = np.column_stack([grid, np.ones(4)]) @ matrix.T
    corners = (moved[:, :2] / moved[:, 2:]).astype(np.float32)
    fit = premium_fit(square_colours(painted(), corners))
    assert np.unravel_index(fit.argmax(), fit.shape) == (1 - dy, 1 - dx)


def test_tiles_are_left_out_when_named():
    tiles = {(r, c) for r in range(15) for c in range(15) if (r * 7 + c * 3) % 5 < 2}
    occupied = np.zeros((15, 15), bool)
    for square in tiles:
        occupied[square] = True
    colours = square_colours(painted(tiles), CORNERS)
    assert premium_fit(colours, occupied)[1, 1] > premium_fit(colours)[1, 1] + 0.1


@pytest.mark.parametrize("seed", range(5))
def test_no_layout_is_seen_in_noise(seed):
    noise = np.random.default_rng(seed).integers(0, 255, (90, 90, 3)).astype(np.uint8)
    picture = cv2.resize(noise, (720, 720), interpolation=cv2.INTER_CUBIC)
    assert premium_fit(square_colours(picture, CORNERS))[1, 1] < 0.3


def probabilities(rows, sure=0.99):
    out = np.full((SIZE, SIZE, len(SYMBOL_ORDER)), 1e-5, np.float32)
    for r, line in enumerate(rows):
        for c, symbol in enumerate(line):
            out[r, c, SYMBOL_ORDER.index(symbol)] = sure
    return out / out.sum(-1, keepdims=True)


def rows_of(tiles):
    """An A on each of these squares."""
    return ["".join("A" if (r, c) in tiles else "." for c in range(SIZE)) for r in range(SIZE)]


def doubt(before, square, **shares):
    """Have the crop alone in doubt about a square."""
    before[square] = 1e-6
    for name, share in shares.items():
        before[square][SYMBOL_ORDER.index({"blank": "?", "empty": "."}.get(name, name))] = share


def faces(tiles=(), *colours, light=0.5):
    return face_colours(rectify(painted(tiles, *colours, light=light), CORNERS))


def looked_at(tiles, undecided, blank=0.5):
    """Reads the painted board, with the crop alone undecided at some squares."""
    before = probabilities(rows_of(tiles))
    for square in undecided:
        doubt(before, square, blank=blank, empty=1 - blank)
    after = recolour_posterior(before, faces(tiles))
    return {square: SYMBOL_ORDER[after[square].argmax()] for square in undecided}


def test_what_has_the_tiles_colour_is_a_blank_and_what_has_the_board_s_is_empty():
    tiles = {(7, c) for c in range(3, 11)} | {(r, 5) for r in range(5, 13)}
    blank, plain, double = (7, 10), (2, 6), (3, 7)
    assert premium(Square(*double)) is Premium.DLS
    assert looked_at(tiles, [blank, plain, double]) == {blank: "?", plain: ".", double: "."}
    assert looked_at(tiles, [blank], blank=0.003) == {blank: "?"}  # though its crop seems bare


def test_a_kind_of_square_that_looks_like_blanks_throughout_is_empty_throughout():
    """Crops alone may take every plain dark square for a blank; the tiles look otherwise."""
    tiles = {(7, c) for c in range(6, 9)}
    triples = [(r, c) for r in range(15) for c in range(15) if premium(Square(r, c)) is Premium.TLS]
    assert len(triples) == 12
    seen = looked_at(tiles, triples, blank=0.7)
    assert set(seen.values()) == {"."}


def test_without_tiles_to_compare_with_an_unlike_square_is_still_no_empty_one():
    assert looked_at({(7, 7)}, [(7, 7), (2, 6)]) == {(7, 7): "?", (2, 6): "."}


def test_a_glare_says_nothing():
    tiles, empty = {(7, c) for c in range(3, 11)}, SYMBOL_ORDER.index(".")
    before, colours = probabilities(rows_of(tiles)), faces(tiles)
    colours[2, 6] = (100, 0, 60)
    doubt(before, (2, 6), blank=0.4, empty=0.6)
    assert recolour_posterior(before, colours)[2, 6, empty] > 0.45


def test_a_board_that_shows_too_little_is_left_as_read():
    before = probabilities(["~" * 15] * 15)
    assert (recolour_posterior(before, np.zeros((15, 15, 3))) == before).all()


def test_where_empty_squares_shine_and_tiles_do_not_a_shine_is_no_tile():
    tiles = {(r, c) for r in (1, 3, 7, 9) for c in range(1, 14)}
    before, square = probabilities(rows_of(tiles)), (11, 6)
    doubt(before, square, A=0.6, empty=0.4)

    def empty(shining):
        lit = faces(tiles)
        for place in (square, *shining):
            lit[place] = (100, 0, -60)  # white
        return recolour_posterior(before, lit)[square][SYMBOL_ORDER.index(".")]

    empties = [(5, c) for c in range(1, 14)]
    assert empty(empties) > empty(sorted(tiles)[:13]) + 0.2


def test_a_board_of_the_tiles_colour_leaves_a_doubt_whether_squares_are_empty():
    tiles = {(r, c) for r in (4, 7, 9, 12) for c in range(1, 14)}
    before, empty = probabilities(rows_of(tiles), sure=0.9999), SYMBOL_ORDER.index(".")
    wooden = dict.fromkeys(GREEN, CREAM)
    alike = recolour_posterior(before, faces(tiles, wooden, light=0.1))[2, 6]
    unlike = recolour_posterior(before, faces(tiles))[2, 6]
    assert 0.95 < alike[empty] < 0.99 < unlike[empty]
    assert alike.argmax() == empty


@pytest.mark.parametrize("light", ["shade", "shine"])
def test_a_square_in_shade_or_shining_is_not_a_tile_of_about_that_colour(light):
    """The classifier sees it bare, and another light explains its colour as well as a tile."""
    tiles = {(7, c) for c in range(2, 13)} | {(r, 5) for r in range(3, 13)}
    picture, square = painted((), light=0.0), (2, 6)
    changed = picture * 0.45 if light == "shade" else picture + 110.0
    lit = face_colours(rectify(np.clip(changed, 0, 255).astype(np.uint8), CORNERS))[square]
    bare = faces(light=0.0)
    for place in tiles:
        bare[place] = lit + np.array([1.0, 4.0, -6.0])
    bare[square] = lit
    before = probabilities(rows_of(tiles))
    doubt(before, square, empty=0.98, blank=0.02)
    after = recolour_posterior(before, bare)[square]
    assert after[SYMBOL_ORDER.index(".")] > after[SYMBOL_ORDER.index("?")]


SIDE = 15 * PITCH + 2 * BORDER
EMPTY, BLANK = SYMBOL_ORDER.index("."), SYMBOL_ORDER.index("?")
BARE = (120, 150, 140)


def board(seed: int = 3) -> np.ndarray:
    """An empty board of one colour, a little grained, with thin lines and a mark at one side."""
    rng = np.random.default_rng(seed)
    grain = cv2.GaussianBlur(rng.normal(0, 12, (SIDE, SIDE, 1)).astype(np.float32), (0, 0), 3)
    image = np.full((SIDE, SIDE, 3), BARE, np.float32) + grain[..., None]
    for at in range(16):
        line = BORDER + at * PITCH
        image[line - 1 : line + 1] -= 30
        image[:, line - 1 : line + 1] -= 30
    for col in range(15):  # print that tells the top from the other sides
        x, y = BORDER + col * PITCH + PITCH // 2, BORDER + PITCH // 2
        cv2.circle(image, (x, y), 8, (60.0, 60.0, 160.0), -1)
    return np.clip(image, 0, 255).astype(np.uint8)


def placed(
    image: np.ndarray, row: int, col: int, colour: tuple[int, int, int] = BARE
) -> np.ndarray:
    """A plain blank of the board's own colour."""
    out = image.copy()
    x, y = BORDER + col * PITCH, BORDER + row * PITCH
    cv2.rectangle(out, (x + 2, y + 2), (x + PITCH - 3, y + PITCH - 3), colour, -1)
    cv2.rectangle(out, (x + 2, y + 2), (x + PITCH - 3, y + PITCH - 3), (105, 130, 120), 1)
    return out


def lit(image: np.ndarray, seed: int = 0) -> np.ndarray:
    """Under another light: warmer, falling off to one side, with noise."""
    slope = np.linspace(0.65, 1.1, SIDE, dtype=np.float32)[None, :, None]
    gain = np.array([0.75, 0.95, 1.1], np.float32)
    noise = np.random.default_rng(seed).normal(0, 2, image.shape)
    return np.clip(image * slope * gain + noise, 0, 255).astype(np.uint8)


def unsure(*squares: tuple[int, int]) -> np.ndarray:
    """A reading that takes all for empty, and is in two minds about some."""
    p = np.full((15, 15, len(SYMBOL_ORDER)), 1e-5, np.float32)
    p[..., EMPTY] = 0.97
    p[..., BLANK] = 0.03
    for square in squares:
        p[square] = 1e-5
        p[(*square, EMPTY)], p[(*square, BLANK)] = 0.6, 0.4
    return p / p.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("light", [lambda image: image, lit])
def test_a_blank_of_the_boards_own_colour_is_seen_by_what_it_hides(light):
    look = EmptyBoardModel(board())
    picture = placed(board(), 7, 7)
    p = unsure((7, 7), (4, 10))
    # Tiles of this set, which has the board's own colour.
    for square in [(row, col) for row in (9, 11, 13) for col in range(3, 11)]:
        picture = placed(picture, *square)
        p[square] = 1e-5
        p[(*square, SYMBOL_ORDER.index("E"))] = 0.99
    now = light(picture)
    residual = look.residual(now, p)
    assert residual is not None
    before = recolour_posterior(p, face_colours(now))
    after = recolour_posterior(p, face_colours(now), residual)
    assert before[7, 7, BLANK] < 0.6
    assert after[7, 7, BLANK] > max(0.7, before[7, 7, BLANK])
    assert after[4, 10, EMPTY] > 0.85, "what looks as it did is empty the more surely"
    assert (after.argmax(-1) == EMPTY).sum() == 225 - 25


@pytest.mark.parametrize("turns", range(4))
def test_the_side_on_which_the_empty_board_was_photographed_does_not_matter(turns):
    look = EmptyBoardModel(np.ascontiguousarray(np.rot90(board(), turns)))
    residual = look.residual(lit(placed(board(), 2, 9)), unsure())
    assert residual is not None
    assert (residual.turns + turns) % 4 == 0
    log_likelihood_ratio = pattern_log_likelihood_ratio(
        residual, unsure()[..., EMPTY].astype(np.float64)
    )
    assert np.unravel_index(log_likelihood_ratio.argmax(), log_likelihood_ratio.shape) == (2, 9)


def test_a_pose_a_hair_off_makes_no_square_stray():
    shift = np.array([[1, 0, 1.3], [0, 1, -0.9]], np.float32)
    moved = cv2.warpAffine(board(), shift, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE)
    p = unsure()
    residual = EmptyBoardModel(board()).residual(moved, p)
    assert residual is not None
    after = recolour_posterior(p, face_colours(moved), residual)
    assert (after.argmax(-1) == EMPTY).all()


def test_where_hardly_anything_is_empty_nothing_is_compared():
    p = unsure()
    p[..., EMPTY] = 0.1
    assert EmptyBoardModel(board()).residual(board(), p) is None


def test_a_letter_on_a_square_is_no_less_a_letter_for_what_was_below_it():
    now = placed(board(), 5, 5, (220, 225, 230))
    p = unsure()
    letter = SYMBOL_ORDER.index("E")
    p[5, 5] = 1e-5
    p[5, 5, letter] = 0.99
    after = recolour_posterior(p, face_colours(now), EmptyBoardModel(board()).residual(now, p))
    assert after[5, 5].argmax() == letter
