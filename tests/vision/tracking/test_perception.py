"""The pipeline alone: frames and presses in, typed results out; and how sure a turn is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from unittest.mock import patch

import cv2
import numpy as np
import pytest

from game.adjudication.remedies import offers
from game.board import Board, Square
from game.events import (
    ButtonPressed,
    Finding,
    GameEnded,
    GameStarted,
    SquareChange,
    StopExplained,
    TurnRuled,
    from_payload,
)
from game.state.fold import apply
from game.tileset import load_tile_set
from sensors.interfaces import Frame, Press
from table.turn_events import seen_event, unseen_event
from tests.table import recorderkit
from tests.table.conftest import CORNERS, MS, FakeReader, draw
from tests.table.recorderkit import EMPTY, IN_FULL_VIEW, cover
from vision.tracking.perception import Perception
from vision.tracking.results import BoardChange, PressDue, Result, SecondPlay, SeenTurn, TileChange
from vision.tracking.sighting import Observation
from vision.tracking.turn_hypotheses import DecodedTurn
from vision.tracking.turn_posterior import Decoded
from vision.tracking.turn_window import OpenTurns

HANDS = {"left": "bottom", "right": "top"}
LOW, HIGH = range(9, 15), range(6)
"""The rows that an arm covers that comes across the lower rim of the picture, or the upper one."""


class Driver:
    """Feeds one game, and folds what follows as a table does, in memory."""

    def __init__(self, hands=None, **start) -> None:
        self.reader = FakeReader()
        self.perception = Perception(self.reader, hands=hands)
        players, first = {"left": "Ann", "right": "Bob"}, start.pop("first", None)
        self.state = apply(
            None,
            GameStarted("g", players, "wespa-2007", "english", first, 0, hands=hands, **start),
        )
        self.seq = 0
        self.found: list[Result] = []

    def frames(
        self,
        from_ms: int,
        until_ms: int,
        board: Board,
        sure: float | Mapping[str, float] = 0.99,
        read: Board | None = None,
        taken: Callable[[np.ndarray], np.ndarray] = lambda drawn: drawn,
        corners: np.ndarray = CORNERS,
    ) -> list[Result]:
        """``read`` is what is read of the board; the board itself without it.

        ``taken`` is how the camera takes a picture of it.
        """
        before = len(self.found)
        for t_ms in range(from_ms, until_ms, 100):
            image = taken(draw(board, seed=self.seq))
            self.reader.teach(image, read or board, sure, corners=corners)
            self.perception.frame(Frame(image, t_ms * MS, self.seq))
            self.seq += 1
            self._take()
        return self.found[before:]

    def press(self, button, t_ms: int) -> list[Result]:
        self.perception.press(Press(button, t_ms * MS))
        return self._take()

    def finish(self) -> list[Result]:
        self.perception.finish()
        return self._take()

    def _take(self) -> list[Result]:
        before = len(self.found)
        while (result := self.perception.next(self.state)) is not None:
            self.found.append(result)
            if isinstance(result, PressDue):
                event = ButtonPressed(result.press.button, result.press.t_ns)
                self.state = apply(self.state, event)
            elif isinstance(result, SeenTurn):
                self.state = apply(self.state, self._event(result))
            elif isinstance(result, TileChange):
                rows, t_ns = result.sighting.merged.rows, result.sighting.frame.t_ns
                last = self.state.turns[-1].number
                self.state = apply(self.state, result.kind(last, rows, t_ns, {}, t_ns))
        return self.found[before:]

    def _event(self, seen: SeenTurn):
        if seen.sighting is None:
            return unseen_event(seen, self.state.board.rows, ())
        return seen_event(seen, seen.sighting, {}, (), blind=False)


def opened(first: Board, **shown) -> Driver:
    """A game in which left has laid this, shown so, and pressed."""
    driver = Driver()
    driver.frames(0, 500, EMPTY)
    driver.press("right", 450)
    driver.frames(500, 1500, first, **shown)
    driver.press("left", 1050)
    return driver


def turns_of(found: list[Result]) -> list[str]:
    """Each turn among the results: whose it is, and where its tiles lie."""
    turns = [one for one in found if isinstance(one, SeenTurn)]
    return [" ".join([one.side, *(s.name for s in one.changed)]) for one in turns]


LEFT, RIGHT = "left 8G 8H 8I", "right 7H 9H"
"""The first turn, CAT, and the answer to it, BAN."""


@pytest.fixture
def first(put):
    return put("8G", "CAT")


@pytest.fixture
def second(put, first):
    return put("H7", "B.N", first)


def test_a_board_at_rest_is_looked_at_before_any_press():
    driver = Driver()
    (rest,) = driver.frames(0, 600, EMPTY)
    assert isinstance(rest, Observation)
    assert rest.reading.rows == EMPTY.rows
    driver.frames(600, 1200, EMPTY)
    assert driver.perception.present is not None


def test_a_press_is_due_before_the_turn_that_it_ends(first):
    pressed, turn = opened(first).found[-2:]
    assert isinstance(pressed, PressDue)
    assert pressed.press.t_ns == 1050 * MS
    assert pressed.at_rest_ns is not None and pressed.at_rest_ns <= 1050 * MS
    assert pressed.read_ahead
    assert isinstance(turn, SeenTurn)
    assert (turns_of([turn]), turn.press_ns) == ([LEFT], 1050 * MS)
    assert turn.sighting is not None
    assert turn.sighting.merged.rows == first.rows
    assert not turn.findings


def test_a_press_that_ends_no_turn_rests_on_nothing_read_ahead():
    driver = Driver()
    driver.frames(0, 1200, EMPTY)
    (pressed,) = driver.press("right", 1150)
    assert isinstance(pressed, PressDue)
    assert pressed.at_rest_ns is not None
    assert not pressed.read_ahead


def test_a_turn_whose_press_nobody_could_see_follows_from_a_later_frame(first, second):
    driver = opened(first)
    driver.frames(1500, 2500, cover(second, range(5, 12), range(4, 12)))
    (pressed,) = driver.press("right", 2450)
    assert isinstance(pressed, PressDue)
    assert not pressed.read_ahead
    assert driver.perception.pending is not None
    found = driver.frames(2500, 3500, second)
    (turn,) = (result for result in found if isinstance(result, SeenTurn))
    assert driver.perception.pending is None
    assert (turns_of([turn]), turn.press_ns) == ([RIGHT], 2450 * MS)


@pytest.mark.parametrize(
    ("rows", "cols", "aside", "at_once"),
    [
        (range(12, 15), range(3), None, True),
        (range(9, 15), range(6, 9), None, False),
        (range(2, 6), range(9, 12), 0.99, True),
        (range(2, 6), range(9, 12), IN_FULL_VIEW, False),
    ],
    ids=[
        "a hand away from the play hides none of it",
        "at its end a part may lie under the hand",
        "what seems to be a tile aside of the play may be a fingertip",
        "unless it is read in full view",
    ],
)
def test_a_turn_rests_on_the_view_at_its_press_where_that_shows_the_whole_play(
    first, second, put, rows, cols, aside, at_once
):
    driver = opened(first)
    shown = put("2J", "E", second) if aside else second
    sure = {"2J": aside or 0.99, "7H": 0.9999, "9H": 0.9999}
    driver.frames(1500, 2500, cover(shown, rows, cols), sure=sure)
    assert turns_of(driver.press("right", 2450)) == ([RIGHT] if at_once else [])
    assert (driver.perception.pending is None) == at_once
    driver.frames(2500, 3500, shown)
    whole = {"2J", "7H", "9H"} if aside == IN_FULL_VIEW else {"7H", "9H"}
    assert set(driver.state.turns[1].tiles) == whole


@pytest.mark.parametrize(("bare", "unread"), [(0.9, "8J "), (0.9999, "")])
def test_the_gap_of_a_play_may_be_a_blank_as_plain_as_its_square(first, put, bare, unread):
    driver = opened(first)
    driver.frames(1500, 2500, put("8K", "SE", first), sure={"8J": bare})
    found = driver.press("right", 2450) + driver.finish()
    assert turns_of(found) == [f"right {unread}8K 8L"]


def test_pictures_of_another_size_show_the_same_board(first, second):
    driver = opened(first)
    driver.frames(1500, 1900, first)
    half = partial(cv2.resize, dsize=None, fx=0.5, fy=0.5)
    driver.frames(1900, 2900, second, taken=half, corners=CORNERS / 2)
    pressed, turn = driver.press("right", 2850)
    assert isinstance(pressed, PressDue) and pressed.at_rest_ns == 2100 * MS
    assert turns_of([turn]) == [RIGHT]


def test_a_camera_may_use_one_array_for_all_pictures(first, second):
    """A kept picture does not change when the camera reuses its buffer."""
    array = np.empty((400, 400, 3), np.uint8)

    def again(image: np.ndarray) -> np.ndarray:
        array[:] = image
        return array

    found = []
    for taken in (again, np.copy):
        driver = opened(first, taken=taken)
        driver.frames(1500, 2500, cover(second, range(9, 15), range(6, 9)), taken=taken)
        driver.press("right", 2450)
        driver.frames(2500, 3500, second, taken=taken)
        found.append([shown(result) for result in driver.found])
    assert found[0] == found[1]
    assert driver.state.board.rows == second.rows


def test_what_one_picture_leaves_in_doubt_another_of_the_board_at_rest_settles(first):
    driver = Driver()
    driver.frames(0, 500, EMPTY)
    driver.press("right", 450)
    driver.frames(500, 600, first, sure={"8H": 0.5}, read=first.replace({Square.parse("8H"): "~"}))
    driver.frames(600, 1500, first)
    driver.press("left", 1450)
    assert driver.state.board.rows == first.rows
    assert not driver.state.turns[0].flags


def test_a_camera_that_has_stalled_says_nothing_about_now():
    driver = Driver()
    driver.frames(0, 500, EMPTY)
    (pressed,) = driver.press("right", 5000)
    assert isinstance(pressed, PressDue)
    assert pressed.at_rest_ns is None


def test_what_seemed_to_be_a_tile_in_full_view_is_asked_about(first, put):
    driver = opened(first, sure=0.9, read=put("10J", "X", first))
    (turn,) = driver.state.turns
    assert (turn.word, [flag.squares for flag in turn.flags]) == ("CAT", [("10J",)])


def test_what_is_open_is_settled_before_the_next_press_is_due(first, second):
    driver = opened(first)
    driver.frames(1500, 2500, cover(second, range(5, 12), range(4, 12)))
    driver.press("right", 2450)
    turn, pressed, *_ = driver.press("left", 2500)
    assert isinstance(turn, SeenTurn) and turn.side == "right"
    assert isinstance(pressed, PressDue)


@pytest.mark.parametrize("placed", ["before", "after"])
def test_a_tile_read_only_later_is_the_play_s_if_its_square_looked_so_at_the_press(put, placed):
    whole, unread = put("8G", "CATS"), put("8G", "CAT~")
    there = whole if placed == "before" else put("8G", "CAT")
    driver = opened(there, read=unread)
    assert driver.state.turns[0].word == "CAT"
    driver.frames(1500, 2500, cover(there, range(6, 15), range(3)))
    driver.frames(2500, 3500, whole)
    found = (c for result in driver.found for c in getattr(result, "found", ()))
    corrected = [(c.turn, c.square.name, c.symbol) for c in found]
    assert corrected == ([(1, "8J", "S")] if placed == "before" else [])


def test_the_squares_that_a_hand_covers_at_the_press_are_named(put):
    first, driver = put("8G", "CAT"), Driver()
    driver.frames(0, 500, EMPTY)
    driver.press("right", 450)
    driver.frames(500, 1000, first)
    driver.frames(1000, 2500, cover(first, range(13, 15), range(2, 4)))
    driver.press("left", 2450)
    (turn,) = (one for one in driver.found if isinstance(one, SeenTurn))
    assert turn.covered == "14C, 14D, 15C, 15D at the press, but no part of the play"


def test_a_tile_put_right_in_sight_counts_though_a_hand_covers_it_at_the_press(put):
    long = put("8D", "CARTON")
    driver = opened(long)
    wrong = put("D8", ".AB", put("8I", "M", long))
    driver.frames(1500, 2500, wrong)
    driver.press("right", 2450)
    assert driver.state.board.rows == wrong.rows
    driver.frames(2500, 3500, put("8I", "N", wrong))
    right = put("E9", "X", put("8I", "N", wrong))
    driver.frames(3500, 4500, cover(right, range(5, 12), range(8, 14)), sure=IN_FULL_VIEW)
    driver.press("left", 4450)
    driver.finish()
    assert len(driver.state.turns) == 3
    assert driver.state.board.rows == right.rows


def test_a_tile_that_is_pushed_back_beside_an_arm_is_nobody_s_new_tile(first, second, put):
    driver = opened(first)
    pushed = put("12G", "C", put("H7", "B.N", put("8H", "AT")))
    driver.frames(1500, 2500, pushed)
    driver.press("right", 2450)
    assert [flag.code for flag in driver.state.turns[1].flags] == ["tile_moved"]
    driver.frames(2500, 3500, cover(second, range(11, 15), range(5, 8)), sure=IN_FULL_VIEW)
    driver.frames(3500, 4500, put("10G", "BEN", second))
    driver.press("left", 4450)
    driver.finish()
    (*_, last) = driver.state.turns
    assert (sorted(last.tiles), last.flags) == (["10G", "10H", "10I"], ())


def test_without_a_clock_an_open_play_is_a_turn_when_the_game_is_over(first):
    driver = Driver(HANDS)
    assert driver.perception.by_board
    driver.frames(0, 1000, EMPTY)
    driver.frames(1000, 3000, first)
    assert not driver.state.turns
    (turn,) = driver.finish()
    assert isinstance(turn, SeenTurn)
    assert (turn.ended, turns_of([turn])) == ("watch_ended", [LEFT])


def test_results_that_were_not_asked_for_are_dropped(first):
    driver = Driver()
    driver.frames(0, 500, EMPTY)
    driver.press("right", 450)
    driver.frames(500, 1500, first)
    driver.perception.press(Press("left", 1450 * MS))
    assert isinstance(driver.perception.next(driver.state), PressDue)
    driver.perception.finish()
    assert driver.perception.next(driver.state) is None


def shown(result: Result) -> tuple[object, ...]:
    """A result without its pictures."""
    if isinstance(result, Observation):
        return "rest", result.frame.t_ns, result.reading.rows
    if isinstance(result, PressDue):
        return "press", result.press, result.at_rest_ns
    if isinstance(result, SeenTurn):
        assert result.sighting is not None
        confidence = result.sighting.merged.confidence.tobytes()
        return "turn", result.certainty, result.changed, result.findings, confidence
    return (type(result),)


def test_the_same_inputs_give_the_same_results(first, second):
    def played() -> list[tuple[object, ...]]:
        driver = opened(first)
        driver.frames(1500, 2300, cover(second, range(5, 12), range(4, 12)))
        driver.press("right", 2250)
        driver.frames(2300, 3300, second)
        driver.press("neutral", 3280)
        driver.frames(3300, 4300, first)
        driver.finish()
        return [shown(result) for result in driver.found]

    once, again = played(), played()
    assert once == again
    assert {one[0] for one in once} >= {"rest", "press", "turn", TileChange}


@pytest.mark.parametrize(("reason", "due"), [("out", [LEFT]), ("score", [])])
def test_a_stop_ends_a_play_where_somebody_says_it_was_the_last_whatever_is_in_the_bag(
    first, reason, due
):
    driver = Driver()
    driver.frames(0, 500, EMPTY)
    driver.press("right", 450)
    driver.frames(500, 1500, first)
    driver.press("neutral", 1450)
    assert turns_of(driver.frames(1500, 2500, first)) == []
    driver.state = apply(driver.state, StopExplained(0, reason, "TD", "", 2400 * MS))
    assert turns_of(driver.frames(2500, 4500, first)) == due
    assert [turn.press_ns for turn in driver.state.turns] == [1450 * MS] * len(due)
    assert driver.state.clocks.running is None


def test_a_stop_ends_a_play_where_somebody_says_so_only_after_the_end_of_the_game(first):
    driver = Driver()
    driver.frames(0, 500, EMPTY)
    driver.press("right", 450)
    driver.frames(500, 1500, first)
    driver.press("neutral", 1450)
    driver.state = apply(driver.state, GameEnded("agreed", 2000 * MS))
    assert turns_of(driver.frames(1500, 2500, first)) == []
    driver.state = apply(driver.state, StopExplained(0, "out", "TD", "", 2400 * MS))
    assert turns_of(driver.frames(2500, 4500, first)) == [LEFT]
    assert [turn.press_ns for turn in driver.state.turns] == [1450 * MS]


def test_a_letter_that_is_read_otherwise_later_is_of_its_turn_by_the_number_that_it_has_since(put):
    true = put("8G", "COT")
    driver = opened(true, sure={"8H": 0.6}, read=put("8G", "CAT"))
    driver.perception.renumber({1: 0}, {})
    driver.frames(1500, 2500, put("H7", "B.N", true), sure=0.9999)
    (turn,) = [one for one in driver.press("right", 2450) if isinstance(one, SeenTurn)]
    corrections = turn.sighting.merged.corrections
    assert [(one.turn, one.square.name, one.symbol) for one in corrections] == [(0, "8H", "O")]


def test_a_tile_is_gone_after_the_press_though_another_of_its_play_could_not_be_read(put):
    true = put("8G", "CATS")
    driver = opened(true, read=put("8G", "CAT~"))
    after = driver.frames(1500, 3500, put("8G", "C.TS"), read=put("8G", "C.T~"))
    assert [type(one) for one in after if isinstance(one, TileChange)] == [TileChange]
    (turn,) = driver.state.turns
    assert [(f.code, f.squares) for f in turn.flags if f.squares == ("8H",)] == [
        ("changed_after_press", ("8H",))
    ]


def test_an_answer_at_rest_ends_the_turn_before_it_although_nothing_moves_any_more(first, second):
    driver = Driver(HANDS)
    driver.frames(0, 1500, EMPTY)
    driver.frames(1500, 2500, cover(first, range(8, 15), range(6, 9)))
    driver.frames(2500, 4000, first)
    driver.frames(4000, 5000, cover(second, range(9), range(6, 9)))
    assert turns_of(driver.frames(5000, 9000, second)) == [LEFT]


@pytest.mark.parametrize(("early", "answered"), [("AB", True), ("AB", False), ("", True)])
def test_what_came_after_the_press_is_added_to_the_play_of_its_hand(
    first, second, put, early, answered
):
    """The turn scores as it lay at the press, and is flagged; the answer is as it was laid."""
    driver = Driver()
    driver.frames(0, 800, EMPTY)
    driver.press("right", 750)
    for t_ms, before, after, side in (
        (800, EMPTY, first, "left"),
        (4000, first, second, "right"),
        (8000, second, put("I9", early, second), "left"),
    ):
        lay(driver, t_ms, before, after, side)
        driver.press(side, t_ms + 2000)
        driver.frames(t_ms + 2000, t_ms + 3200, after)
    third, late = put("I9", early, second), put("I9", "ABS", second)
    lay(driver, 11200, third, late, "left")
    driver.frames(13200, 14000, late)
    last = put("6H", "A", put("6I", "X", late)) if answered else late
    if answered:
        lay(driver, 14000, late, last, "right")
    driver.frames(16000, 17000, last)
    driver.press("right", 16950)
    driver.frames(17000, 21000, last)
    driver.finish()
    turns = driver.state.turns
    own, later = ("9I", "10I", "11I")[: len(early)], ("9I", "10I", "11I")[len(early) :]
    assert sorted(turns[2].tiles) == sorted(own)
    if answered:
        assert [(f.code, f.squares) for f in turns[2].flags] == [("changed_after_press", later)]
        (added,) = [one.event for one in driver.found if isinstance(one, BoardChange)]
        letters = zip(later, "ABS"[len(early) :], strict=True)
        assert added.changes == tuple(SquareChange(name, ".", one) for name, one in letters)
        assert added.side == "left"
        assert 11_000 <= added.from_ns // MS < added.seen_ns // MS <= 13_200
        assert turns[3].side == "right"
        assert sorted(turns[3].tiles) == ["6H", "6I"]
    else:  # it may be the answer
        (flag,) = [f for f in turns[3].flags if f.code == "turn_inferred"]
        assert "who made it TABS at I8 after the press" in flag.message


def test_whose_the_plays_are_that_no_picture_parts_is_asked_and_nobody_has_them_meanwhile(
    first, second, put
):
    """One answer for each order gives both turns their tiles."""
    driver = opened(first)
    both = put("I9", "AB", second)
    driver.press("right", 8000)
    driver.press("left", 15_000)
    driver.frames(16_000, 20_000, both)
    driver.finish()
    _, unseen, turn = driver.state.turns
    assert [unseen.kind, turn.kind] == ["not_known", "not_known"]
    assert sorted(turn.open_tiles) == ["10I", "7H", "9H", "9I"]
    assert driver.state.scores["left"] == driver.state.turns[0].total
    assert driver.state.scores["right"] == 0
    (flag,) = [one for one in turn.flags if one.code == "turn_inferred"]
    parted = [["7H 9H", "10I 9I"], ["10I 9I", "7H 9H"]]
    ways = []
    for offer in offers(driver.state, turn, flag):
        event = from_payload(dict(offer.event) | {"by": "TD", "t_ns": 10**15})
        answered = apply(driver.state, event).turns
        ways.append([" ".join(sorted(one.tiles)) for one in answered[1:]])
    assert all(way in ways for way in parted)


@pytest.mark.parametrize(("tiles", "asked"), [("8I", []), ("8I 9I", ["9I"])])
def test_a_second_play_has_no_tile_that_a_recorded_turn_has(first, put, tiles, asked):
    """A question about the recorded turn is open; whose its tile is may depend on the answer."""
    driver = opened(first)
    play = frozenset(map(Square.parse, tiles.split()))
    maybe = DecodedTurn("right", play, 2000 * MS), 0.5
    with patch.object(OpenTurns, "decode", lambda *_, **__: Decoded(maybe_ended=maybe)):
        driver.press("left", 1500)  # whose turn it is not, so that all is decoded
        driver.frames(1500, 6000, put("9I", "A", first))
    found = [one for one in driver.found if isinstance(one, SecondPlay)]
    assert [sorted(square.name for square in one.tiles) for one in found] == [asked] * bool(asked)


def test_a_press_that_is_made_up_for_after_its_turn_was_recorded_is_of_that_turn(
    first, second, put
):
    driver = Driver()
    driver.frames(0, 800, EMPTY)
    driver.press("right", 750)
    lay(driver, 800, EMPTY, first, "left")
    driver.press("left", 2800)
    driver.frames(2800, 4000, first)
    lay(driver, 4000, first, second, "right")
    third = put("I9", "AB", second)
    lay(driver, 8000, second, third, "left")
    driver.frames(10000, 14000, third)
    assert [turn.side for turn in driver.state.turns] == ["left", "right"]
    driver.press("right", 13950)
    driver.frames(14000, 15500, third)
    driver.press("left", 15450)
    driver.frames(15500, 19000, third)
    driver.finish()
    turns = driver.state.turns
    assert [turn.side for turn in turns] == ["left", "right", "left"]
    assert sorted(turns[2].tiles) == ["10I", "9I"]
    assert [flag.code for turn in turns for flag in turn.flags] == ["not_pressed"]


def lay(driver: Driver, t_ms: int, before: Board, after: Board, side: str) -> None:
    """An arm of this side lays the tiles by which two boards differ, within two seconds."""
    squares = before.diff(after)
    if not squares:
        driver.frames(t_ms, t_ms + 2000, after)
        return
    rows, cols = [s.row for s in squares], [s.col for s in squares]
    reach = range(min(rows), 15) if side == "left" else range(max(rows) + 1)
    for number in range(8):
        board = before if number < 4 else after
        wide = range(max(min(cols) - number % 2, 0), min(max(cols) + 2, 15))
        at_ms = t_ms + 100 * number
        driver.frames(at_ms, at_ms + 100, cover(board, reach, wide))
    driver.frames(t_ms + 800, t_ms + 2000, after)


def both_played(driver: Driver, first: Board, second: Board, *presses: int) -> None:
    """Two plays, from the second picture on under an arm, or a shadow, that moves."""
    shown = [(EMPTY, range(0)), *[(EMPTY, LOW)] * 5, *[(first, LOW)] * 5, *[(first, HIGH)] * 5]
    for at, (board, rows) in enumerate([*shown, *[(second, HIGH)] * 5]):
        moved = range(6, 9) if at % 2 else range(7, 10)
        driver.frames(100 * at, 100 * at + 100, cover(board, rows, moved))
        if at in presses:
            driver.press("left" if at else "right", 100 * at + 50)


def test_plays_are_told_apart_that_were_made_before_the_board_was_ever_at_rest(first, second):
    driver = Driver(HANDS)
    both_played(driver, first, second)
    assert turns_of(driver.frames(2100, 6000, second)) == [LEFT]


def test_a_press_parts_plays_that_were_made_before_the_board_was_ever_at_rest(first, second):
    driver = Driver()
    both_played(driver, first, second, 0, 10)
    driver.frames(2100, 4000, second)
    driver.press("right", 4000)
    driver.finish()
    turns = [" ".join([turn.side, *sorted(turn.tiles)]) for turn in driver.state.turns]
    assert turns == [LEFT, RIGHT]


def test_the_last_tiles_end_the_game_although_nothing_moves_any_more():
    """The bag is empty, and one player's last seven tiles lie there."""
    counts = load_tile_set("english").counts
    tiles = [letter for letter in sorted(counts) if letter != "?" for _ in range(counts[letter])]
    rack, others = "TRAINED", "AEIOU"  # and both blanks
    for letter in rack + others:
        tiles.remove(letter)
    start = Board.empty().replace({Square(*divmod(at, 15)): one for at, one in enumerate(tiles)})
    driver = Driver(HANDS, rows=start.rows, first="left")
    played = start.replace({Square(6, 3 + at): letter for at, letter in enumerate(rack)})
    driver.frames(0, 1500, start)
    driver.frames(1500, 2500, cover(played, range(6, 15), range(3, 11)))
    found = driver.frames(2500, 9000, played)
    (turn,) = [result for result in found if isinstance(result, SeenTurn)]
    assert (turn.ended, len(turn.changed)) == ("played_out", 7)


@pytest.mark.parametrize("cleared", [False, True], ids=["left there", "taken off"])
def test_without_a_clock_tiles_of_a_play_ruled_off_are_nobody_s_while_they_lie_there(
    first, second, put, cleared
):
    driver = Driver(HANDS, first="left")
    driver.frames(0, 1500, EMPTY)
    driver.frames(1500, 2500, cover(first, range(8, 15), range(6, 9)))
    driver.frames(2500, 4000, first)
    driver.frames(4000, 5000, cover(second, range(8), range(6, 9)))
    driver.frames(5000, 9000, second)
    third = put("G9", "OD", second)
    driver.frames(9000, 10000, cover(third, range(8, 15), range(4, 7)))
    driver.frames(10000, 14000, third)
    assert [turn.side for turn in driver.state.turns] == ["left", "right"]
    driver.state = apply(
        driver.state, TurnRuled(2, "challenge_upheld", "a director", "", 14_000 * MS)
    )
    driver.frames(14000, 18000, third)
    base = put("G9", "OD", first) if cleared else third
    driver.frames(18000, 19000, cover(base, range(9), range(6, 9)))
    driver.frames(19000, 21000, base)
    fourth = put("I6", "XE", base)
    driver.frames(21000, 22000, cover(fourth, range(7), range(8, 11)))
    driver.frames(22000, 26000, fourth)
    driver.finish()
    turns = [" ".join([turn.side, *sorted(turn.tiles)]) for turn in driver.state.turns]
    assert turns == [LEFT, RIGHT, "left 10G 9G", "right 6I 7I"]
    codes = {flag.code for turn in driver.state.turns for flag in turn.flags}
    assert codes <= {"turn_inferred", "withdrawn_left"}


# --- how sure a turn is, and what is asked although it was read, at a table with its log ---


def played(live, board, t_ms=1500, button="right", **taught):
    live.video(t_ms, t_ms + 1000, board, **taught)
    live.press(button, t_ms + 950)
    return live.turns[-1]


def test_a_clear_turn_is_sure_and_nobody_is_asked(live, put):
    recorderkit.opened(live, put)
    (turn,) = live.turns
    assert turn.seen.certainty["tiles"] > 0.9
    assert not turn.seen.findings


KNOWN = Finding("uncertain_square", "8H", "may be A 65%, R 32%")


@pytest.mark.parametrize(
    ("square", "guesses", "findings", "asked"),
    [
        ("8H", [("A", 0.7), ("R", 0.28)], [], True),
        ("8H", [("A", 0.8), ("R", 0.18)], [], False),
        # Where perhaps nothing lies it is asked sooner, and what is asked already not again.
        ("8I", [("T", 0.82), (".", 0.17)], [], True),
        ("8H", [("A", 0.65), ("R", 0.32)], [KNOWN], True),
    ],
)
def test_a_letter_that_may_as_well_be_another_is_asked_about(
    live, put, square, guesses, findings, asked
):
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    taught = {"sure": {square: guesses[0][1]}, "guesses": {square: guesses}, "findings": findings}
    turn = played(live, put("8G", "CAT"), 500, "left", **taught)
    assert turn.tiles == {"8G": "C", "8H": "A", "8I": "T"}, "what was read counts meanwhile"
    assert turn.seen.certainty["tiles"] == pytest.approx(guesses[0][1], abs=0.05)
    assert [finding.square for finding in turn.seen.findings] == ([square] if asked else [])
    for finding in turn.seen.findings:
        (letter, first), (other, _) = guesses
        assert finding.detail.startswith(f"may be {letter} {int(10 * first)}")
        assert f", {other} " in finding.detail
    assert [flag.squares for flag in turn.flags] == ([(square,)] if asked else [])


def test_tiles_that_make_no_play_make_a_turn_unsure_and_a_turn_without_any_after_them_too(
    live, put
):
    first = recorderkit.opened(live, put)
    both = put("2B", "TO", put("G7", "A.E", first))
    odd = played(live, both)
    assert odd.seen.certainty["tiles"] < 0.25
    nothing = played(live, both, 2500, "left")
    assert not nothing.tiles
    assert nothing.seen.certainty["tiles"] < 0.25
    assert [flag.code for flag in nothing.flags] == ["uncertain_square"]


def test_a_turn_without_tiles_after_a_play_is_sure(live, put):
    first = recorderkit.opened(live, put)
    nothing = played(live, first)
    assert nothing.seen.certainty["tiles"] == 1.0
    assert not nothing.flags
