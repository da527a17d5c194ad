"""Properties of turns at every rest of a drawn film, and of what is made of hypotheses."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.board import Board, Square
from game.events import SIDES, ButtonPressed, GameStarted, Side, TurnReading, other
from game.state.fold import GameState, apply
from tests.game.gamekit import random_play
from tests.table.recorderkit import cover
from tests.vision.tracking.test_perception import Driver
from tests.vision.tracking.windowkit import LETTERS, windows
from vision.tracking import turn_window
from vision.tracking.findings import open_questions
from vision.tracking.parameters import TURN
from vision.tracking.tile_timeline import LaidTile
from vision.tracking.turn_hypotheses import DecodedTurn, Hypothesis
from vision.tracking.turn_window import SURE, OpenTurns

# --- films ---


@dataclass
class Film:
    """A film: the boards that a camera shows, ten pictures a second, and the presses."""

    frames: list[tuple[Board, Board]] = field(default_factory=list)
    """Each picture as it is drawn, and the board in it."""
    presses: list[tuple[int, Side]] = field(default_factory=list)
    """In milliseconds."""
    turns: list[tuple[Side, frozenset[str]]] = field(default_factory=list)
    late: bool = False
    """True if the press for the last of them is still to come."""

    @property
    def now_ms(self) -> int:
        return 100 * len(self.frames)

    def rest(self, board: Board, frames: int) -> None:
        self.frames += [(board, board)] * frames

    def play(self, before: Board, after: Board, side: Side, frames: int) -> None:
        """An arm comes from the player's side and lays tiles."""
        squares = before.diff(after)
        rows, cols = [s.row for s in squares], [s.col for s in squares]
        reach = range(min(rows), 15) if side == "left" else range(max(rows) + 1)
        for number in range(frames):
            board = before if number < frames // 2 else after
            wide = range(max(min(cols) - number % 2, 0), min(max(cols) + 2, 15))
            self.frames.append((cover(board, reach, wide), board))


ENDS = st.sampled_from(["rest", "hand", "late", "twice", "other", "forgotten"])
"""When a turn is pressed for: at rest, under the hand, amid the answer; by both players; never."""


@st.composite
def films(draw: st.DrawFn, ends: st.SearchStrategy[str] = ENDS, least: int = 3) -> Film:
    """Plays of a few tiles; pressed for when the hand has left, before that, or not at all."""
    rng, film, board = random.Random(draw(st.integers(0, 2**32))), Film(), Board.empty()
    side: Side = "left"
    film.rest(board, 8)
    film.presses.append((film.now_ms - 50, "right"))
    for _ in range(draw(st.integers(1, 3))):
        squares = random_play(rng, board, 4) or []
        if not squares:
            break
        after = board.replace({square: rng.choice(LETTERS) for square in squares})
        began_ms = film.now_ms
        film.play(board, after, side, draw(st.integers(4, 9)))
        if film.late:
            film.presses.append((draw(st.integers(began_ms, film.now_ms)), other(side)))
        if draw(st.booleans()):  # the arm lies there for a while
            film.frames += film.frames[-1:] * draw(st.integers(0, 15))
        end = draw(ends)
        if end == "hand":
            film.presses.append((film.now_ms - 50, side))
        film.rest(after, draw(st.integers(least, 20)))
        pressing = {"rest": [side], "twice": [side, side], "other": [other(side), side]}
        for number, button in enumerate(pressing.get(end, [])):
            film.presses.append((film.now_ms - 50 + 200 * number, button))
        film.late = end == "late"
        film.rest(after, draw(st.integers(least, 20)))
        film.turns.append((side, frozenset(square.name for square in squares)))
        board, side = after, other(side)
    film.rest(board, 30)
    film.presses.sort()
    return film


def play(film: Film, delays_ms: list[int], at_each=lambda driver, at: None) -> Driver:
    """Show a film; each press arrives so much after it was made, among the pictures."""
    driver = Driver()
    delays = [*delays_ms, *[0] * len(film.presses)]
    due = [(t_ms + by, t_ms, side) for (t_ms, side), by in zip(film.presses, delays, strict=False)]
    for at, (shown, _) in enumerate(film.frames):
        while due and due[0][0] <= 100 * at:
            _, t_ms, side = due.pop(0)
            driver.press(side, t_ms)
        driver.frames(100 * at, 100 * at + 100, shown)
        at_each(driver, at)
    for _, t_ms, side in due:
        driver.press(side, t_ms)
    return driver


def turns_of(state: GameState) -> list[tuple[Side, frozenset[str]]]:
    return [(turn.side, frozenset(turn.tiles)) for turn in state.turns]


def asked(state: GameState) -> list[tuple[int, str]]:
    return [(t.number, flag.code) for t in state.turns for flag in t.flags if flag.settled is None]


FEW = settings(max_examples=settings().max_examples // 10)


@FEW
@given(films())
def test_each_tile_in_sight_is_of_one_turn_or_open(film):
    def at_each(driver: Driver, at: int) -> None:
        now = film.frames[max(at - 9, 0) : at + 1]
        if len(now) < 10 or any(shown != now[-1][1] for shown, _ in now):
            return
        counted = Counter(name for turn in driver.state.turns for name in turn.tiles)
        open_ = {square.name for square in driver.perception._views.open.uncounted}
        questions = {square.name for _, square in open_questions(driver.state)}
        lying = {square.name for square in now[-1][1].tiles()}
        assert set(counted.values()) <= {1}
        assert not counted.keys() & open_
        assert lying <= counted.keys() | open_ | questions
        assert counted.keys() | open_ <= lying | questions

    driver = play(film, [], at_each)
    driver.finish()
    at_each(driver, len(film.frames) - 1)


@FEW
@given(films(st.sampled_from(["rest", "hand"]), 10), st.lists(st.integers(-3, 3), max_size=5))
def test_turns_depend_on_when_a_press_was_not_on_when_it_arrives(film, frames):
    at_once, later = play(film, []), play(film, [100 * one for one in frames])
    for driver in (at_once, later):
        driver.finish()
        assert turns_of(driver.state) == film.turns
    assert asked(later.state) == asked(at_once.state)


# --- what is made of hypotheses ---


def opened(window, hands) -> tuple[OpenTurns, GameState]:
    """The open turns of a game that stands as a window begins."""
    timeline = SimpleNamespace(
        tiles={s: LaidTile(tile, None, None, 1.0) for s, tile in window.tiles.items()},
        seen_ns=window.seen_ns or 10**12,
        seen=None,
        maybe={},
    )
    players = {"left": "Ann", "right": "Bob"}
    start = GameStarted("g", players, "wespa-2007", "english", None, 0, rows=window.board.rows)
    state, turns = apply(None, start), OpenTurns(timeline, None)
    for press in (SimpleNamespace(side=other(window.side), t_ns=1), *window.presses):
        turns.press(state, press.side, press.t_ns)
        state = apply(state, ButtonPressed(press.side, press.t_ns))
    return turns, state


def first_of(reading: TurnReading) -> list[tuple[Side, dict[str, str], bool]]:
    """The first play of a reading, and whether it goes on."""
    goes_on = reading.going_on and len(reading.plays) == 1
    return [(play.side, dict(play.tiles), goes_on) for play in reading.plays[:1]]


@given(windows(unsure=2).filter(lambda drawn: drawn[0].side and not drawn[0].recorded))
def test_what_is_not_unlikely_is_asked_about(drawn):
    turns, state = opened(*drawn)
    kept = []

    def decode(*args):
        kept[:] = real(*args)
        return kept

    real = turn_window.decode
    with patch.object(turn_window, "decode", decode):
        decoded = turns.decode(state)
    unsure = {square for square, tile in drawn[0].tiles.items() if tile.p < TURN.certain}
    for turn in decoded.turns[:1]:
        for one in kept:
            same = bool(one.turns) and one.turns[0].side == turn.side
            differing = turn.tiles ^ one.turns[0].tiles if same else turn.tiles
            if one.p <= 0.01 or (same and not differing):
                continue
            if decoded.sure >= SURE:
                assert differing <= unsure
    if decoded.turns and decoded.sure < SURE:
        one, *others = map(first_of, decoded.readings)
        assert others
        assert one not in others, "it is about the first of them"


@pytest.mark.parametrize(
    "seed", [53, 54, *(pytest.param(n, marks=pytest.mark.slow) for n in (55, 56))]
)
def test_two_presses_that_are_forgotten_in_a_row_are_told_from_the_next_one(seed):
    """The players are quick: for a while the next press may as well be for the first play."""
    rng, film, board = random.Random(seed), Film(), Board.empty()
    side: Side = "left"
    film.rest(board, 8)
    film.presses.append((film.now_ms - 50, "right"))
    for number in range(7):
        squares = random_play(rng, board, 4) or []
        after = board.replace({square: rng.choice(LETTERS) for square in squares})
        film.play(board, after, side, rng.randint(4, 9))
        film.rest(after, rng.choice([1, 2, 4, 10]))
        if number not in (2, 3):
            film.presses.append((film.now_ms - 50, side))
            film.rest(after, rng.choice([2, 4, 10]))
        film.turns.append((side, frozenset(square.name for square in squares)))
        board, side = after, other(side)
    film.rest(board, 30)
    assert turns_of(play(film, []).state) == film.turns


@pytest.mark.parametrize("refuted", [False, True])
def test_a_guess_that_was_recorded_is_not_mixed_with_another_that_is_as_likely(refuted):
    """Two plays were made unseen: who made which is not told, and the first was recorded."""
    one, other_ = (frozenset(map(Square.parse, of.split())) for of in ("6B 7B", "1C 2C 3C"))
    ways = [(one, other_), (other_, one)]
    both = [tuple(DecodedTurn(s, of, 1) for s, of in zip(SIDES, w, strict=True)) for w in ways]
    first = Hypothesis(both[0], "left", frozenset(), 0.0 if refuted else 0.5)
    second = Hypothesis(both[1], "left", frozenset(), 1.0 if refuted else 0.5)
    recorded = SimpleNamespace(tiles=dict.fromkeys(("6B", "7B"), "E"))
    best, _ = turn_window._as_recorded([second, first], (recorded,))
    assert best is (second if refuted else first)
