"""Continuity: known tiles find the board again where the locator fails or slips."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from game.board import Board, Square
from game.events import Finding
from game.flags import POSES, make_flag
from sensors.interfaces import Frame
from tests.readerkit import OneLook
from vision.errors import NoBoardFoundError
from vision.rectify import turned
from vision.tracking.appearance import appearance_distance
from vision.tracking.findings import NewFindings
from vision.tracking.observer import BoardObserver, shifted_by_squares


class Slipping(OneLook):
    """A reader that finds the board ``slip`` squares off, or not at all, and reads it rightly."""

    def __init__(self, board, reading, corners, slip) -> None:
        self.board, self.reading, self.corners, self.slip = board, reading, corners, slip

    def read(self, image, corners=None, known=None):
        if corners is None:
            if self.slip is None:
                raise NoBoardFoundError("no board found")
            corners = shifted_by_squares(self.corners, -self.slip[0], -self.slip[1])
        side = float(np.linalg.norm(self.corners[1] - self.corners[0])) / 15
        off = (np.asarray(corners)[0] - self.corners[0]) / side
        right, down = (round(float(one)) for one in off)
        shown = [
            "".join(
                self.board.rows[r + down][c + right]
                if 0 <= r + down < 15 and 0 <= c + right < 15
                else "."
                for c in range(15)
            )
            for r in range(15)
        ]
        return replace(self.reading, rows=tuple(shown), corners=np.asarray(corners, np.float32))


@pytest.fixture
def seen(bench, drawn, put, grid):
    """An observer that knows RIVER/OTTER, a frame in which one more word was laid, its reader."""
    known = put("H8", ".OTTE", put("8D", "RIVER"))
    bench.reader.teach(drawn(known), known)
    reader = Slipping(known, bench.reader.read(drawn(known)), grid, (0, 0))
    observer = BoardObserver(reader)
    observer.commit(observer.update(observer.observe([Frame(drawn(known), 0, 0)]), 1))
    reader.board = put("12I", "GG", known)
    return observer, Frame(drawn(reader.board, seed=1), 1, 1), reader


@pytest.mark.parametrize("slip", [(0, 0), (1, 0), (0, -1), (-1, 1), None])
def test_a_board_that_the_locator_slipped_on_is_read_where_it_lies(seen, grid, slip):
    observer, frame, reader = seen
    reader.slip = slip
    sighting = observer.update(observer.observe([frame]), 2)
    assert sighting.merged.rows == reader.board.rows
    assert sighting.reading.corners == pytest.approx(grid, abs=0.01)


def test_a_table_without_the_board_is_not_taken_for_it(seen, put):
    observer, frame, reader = seen
    reader.board, reader.slip = put("1A", "X"), None
    assert observer.observe([frame]) is None


class Lying(OneLook):
    """A reader of a board whose tiles lie straight, but for one."""

    def __init__(self, reading, square, tile_pose, code) -> None:
        self.reading, self.square, self.tile_pose = reading, square, tile_pose
        self.code = code

    def read(self, image, corners=None, known=None):
        tile_pose = np.zeros((15, 15, 3), np.float32)
        tile_pose[self.square][:2] = self.tile_pose
        far = max(abs(part) for part in self.tile_pose) >= 0.2
        found = (Finding(self.code, self.square.name, "lies aside"),) if far else ()
        return replace(self.reading, tile_pose=tile_pose, findings=found)


@pytest.mark.parametrize("code", sorted(POSES))
@pytest.mark.parametrize(
    ("tile_pose", "reported"),
    [
        # A tile that lay aside from the first is told of once, however it is measured later.
        ([(0.24, 0), (0.21, 0.05), (0.28, 0)], [1, 0, 0]),
        # Measured just short of what is told, and just beyond: nobody has touched it.
        ([(0.19, 0), (0.22, 0), (0.19, 0)], [0, 0, 0]),
        # One that a sleeve has pushed is told of when that happens.
        ([(0.02, 0), (0.25, 0), (0.24, 0.02)], [0, 1, 0]),
    ],
)
def test_a_tile_askew_is_reported_once(bench, drawn, put, tile_pose, reported, code):
    board = put("8D", "RIVER")
    bench.reader.teach(drawn(board), board)
    reader = Lying(bench.reader.read(drawn(board)), Square.parse("8F"), tile_pose[0], code)
    observer, new, before, counts = BoardObserver(reader), NewFindings(), Board.empty(), []
    for turn, reader.tile_pose in enumerate(tile_pose, start=1):
        # Another light each time, so that the square never looks as it did.
        frame = Frame(drawn(board, light=0.6 + 0.2 * turn, seed=turn), turn, turn)
        sighting = observer.update(observer.observe([frame]), turn)
        found = new.of(sighting, SimpleNamespace(board=before, turns=()))
        observer.commit(sighting)
        counts.append(sum(finding.code == code for finding in found))
        before = Board.from_rows(sighting.merged.rows)
    assert counts == reported


@pytest.mark.parametrize("open_", [True, False])
def test_a_square_is_asked_about_by_one_turn(bench, drawn, put, open_):
    """However it looks in the next turns, as where the picture's edge cuts it."""
    board = put("8D", "RI~ER")
    bench.reader.teach(drawn(put("8D", "RI?ER")), board)
    unread = bench.reader.read(drawn(put("8D", "RI?ER")))
    reader = Lying(
        replace(unread, rows=board.rows), Square.parse("8F"), (0.3, 0), "uncertain_square"
    )
    observer = BoardObserver(reader)
    flag = make_flag("uncertain_square", ("8F",), message="may be V")
    turn = SimpleNamespace(
        flags=(flag if open_ else replace(flag, settled=9),), before=Board.empty()
    )
    state = SimpleNamespace(board=put("8D", "RI"), turns=(turn,))
    sighting = observer.update(observer.observe([Frame(drawn(board), 1, 1)]), 2)
    assert [one.code for one in NewFindings().of(sighting, state)] == (
        [] if open_ else ["uncertain_square"]
    )


class Learning(OneLook):
    """A reader that says from which blanks it learnt, and with which looks it was asked to read."""

    def __init__(self, reading) -> None:
        self.reading = reading
        self.learnt: list[set[str]] = []
        self.read_with: list[object] = []

    def read(self, image, corners=None, known=None):
        self.read_with.append(None if known is None else known.blank_looks)
        return self.reading

    def blank_looks(self, image, reading, blanks):
        self.learnt.append({square.name for square in blanks})
        return f"looks {len(self.learnt)}"


def known(board):
    return SimpleNamespace(board=board, turns=())


@pytest.fixture
def learning(bench, drawn, put):
    """A board with a blank, such a reader, and its observer."""
    plain = put("8D", "RI?ER")
    bench.reader.teach(drawn(plain), plain)
    reader = Learning(bench.reader.read(drawn(plain)))
    return plain, reader, BoardObserver(reader)


def test_a_blank_that_was_named_teaches_how_blanks_look_until_it_is_none(learning, drawn, put):
    plain, reader, observer = learning

    def look(turn):
        frame = Frame(drawn(plain, seed=turn), turn, turn)
        observer.commit(observer.update(observer.observe([frame]), turn))

    look(1)
    observer.know_blanks(known(plain))
    look(2)
    assert reader.learnt == []
    observer.know_blanks(known(put("8D", "RIvER")))
    look(3)
    look(4)
    assert reader.learnt == [{"8F"}]
    assert reader.read_with == [None, None, None, "looks 1"]
    observer.know_blanks(known(put("8D", "RIvEr")))
    look(5)
    look(6)
    assert reader.learnt == [{"8F"}, {"8F", "8H"}]
    assert reader.read_with[-2:] == ["looks 1", "looks 2"]
    observer.know_blanks(known(put("8D", "RIVER")))
    look(7)
    assert reader.read_with[-1] is None


def test_a_blank_under_a_hand_teaches_nothing_until_it_is_seen(learning, drawn, put):
    plain, reader, observer = learning
    frame = Frame(drawn(plain), 1, 1)
    observer.commit(observer.update(observer.observe([frame]), 1))
    observer.know_blanks(known(put("8D", "RIvER")))
    covered = np.zeros((15, 15), bool)
    covered[Square.parse("8F")] = True
    seen = observer.observe([frame])
    observer.commit(observer.update(replace(seen, not_of_frame=covered), 2))
    assert reader.learnt == []
    observer.commit(observer.update(seen, 3))
    assert reader.learnt == [{"8F"}]


@pytest.mark.parametrize("moved", [0, 20])
def test_a_board_that_was_guessed_to_lie_another_way_round_is_known_by_its_prints(
    bench, drawn, put, grid, moved
):
    """Also where somebody has moved it before its first letter showed which way round it lies."""

    def taught(board, turns, seed, right):
        image = drawn(board, seed=seed)
        image[30:36, 60:90] = 220  # a print that is not on the other three sides
        image = np.roll(image, right, axis=1)
        bench.reader.teach(image, board, corners=turned(grid + np.float32([right, 0]), turns))
        return Frame(image, seed, seed)

    observer = BoardObserver(bench.reader)
    empty = Board.empty()
    observer.commit(observer.update(observer.observe([taught(empty, 1, 0, 0)]), 0))
    first = put("8D", "RIVER")
    seen = observer.update(observer.observe([taught(first, 0, 1, moved)]), 1)
    assert seen.merged.rows == first.rows
    bare = np.array([[symbol == "." for symbol in row] for row in first.rows])
    looked = seen.merged.belief.empty_appearance
    apart = appearance_distance(looked, seen.observation.appearance, bare)
    assert apart[bare].max() < 0.05
