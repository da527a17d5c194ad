"""A table whose process stands still now and then: its turns do not depend on it.

A drawn game goes through a table's inbox in the order in which a process hears of it that stands
still from time to time: what was pressed meanwhile at once, then the pictures, in a burst. Where
the camera keeps them all, the turns are those of a replay. Where it keeps few, a turn that is not
as in the replay is asked about.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from game.board import EMPTY, Board
from sensors.interfaces import Frame, Press
from table import inbox as inboxes
from table.inbox import Inbox
from table.recorder import Recorder
from table.views.views import flag_shapes, turn_shape

from .conftest import MS, Bench, draw, word
from .sharedkit import benchmark

FRAME_MS = 100
FRESH_MS = 300
"""So old a picture may be that a camera still has when the process goes on."""

PLAYS = (
    ("left", "8E", "HORN"),
    ("right", "F7", "T.E"),
    ("left", "H7", "O.E"),
    ("right", "E7", "A.A"),
    ("left", "10H", "LOT"),
)


@dataclass(frozen=True)
class Stall:
    """A time in which the process stands still."""

    from_ms: int
    length_ms: int
    kept: int
    """How many of the oldest pictures of it the camera keeps, where it does not keep them all."""

    @property
    def until_ms(self) -> int:
        return self.from_ms + self.length_ms


@dataclass(frozen=True)
class Game:
    """The pictures, the board that each shows, the presses, and what is due of each turn."""

    frames: tuple[Frame, ...]
    boards: tuple[Board, ...]
    presses: tuple[Press, ...]
    dues: tuple[dict[str, object], ...]


def placing(board: Board, after: Board) -> Iterator[tuple[int, Board]]:
    """The boards in sight while a hand lays a play tile by tile, and for how long each."""
    new = [square for square in after.tiles() if board[square] == EMPTY]
    for at, square in enumerate(new):
        yield 300, board.replace(dict.fromkeys(new[at:], "~"))
        board = board.replace({square: after[square]})
    yield 600, after


@cache
def game() -> Game:
    """The drawn game."""
    scenes, presses, dues = [(700, Board.empty())], [Press("right", 650 * MS)], []
    board = Board.empty()
    for number, (side, place, letters) in enumerate(PLAYS, start=1):
        after = word(place, letters, board)
        scenes += [(600, board), *placing(board, after)]
        presses.append(Press(side, (sum(ms for ms, _ in scenes) - 40) * MS))  # type: ignore[arg-type]
        new = {s.name: after[s] for s in after.tiles() if board[s] == EMPTY}
        dues.append({"number": number, "side": side, "tiles": new})
        board = after
    scenes.append((1000, board))
    boards = tuple(shown for ms, shown in scenes for _ in range(ms // FRAME_MS))
    frames = tuple(
        Frame(draw(shown, seed=seq), seq * FRAME_MS * MS, seq, b"jpeg %d" % seq)
        for seq, shown in enumerate(boards)
    )
    return Game(frames, boards, tuple(presses), tuple(dues))


def heard(stalls: Sequence[Stall], *, lossy: bool) -> list[Frame | Press]:
    """All that happens, in the order in which the process hears of it."""
    found: list[tuple[int, int, int, Frame | Press]] = []
    for item in (*game().frames, *game().presses):
        t_ms = item.t_ns // MS
        stall = next((one for one in stalls if one.from_ms <= t_ms < one.until_ms), None)
        if stall is not None and lossy and isinstance(item, Frame):
            old = t_ms - stall.from_ms >= stall.kept * FRAME_MS
            if old and t_ms < stall.until_ms - FRESH_MS:
                continue
        # A press is heard sooner than the pictures of the same time, and they before new ones.
        at_ms = t_ms if stall is None else stall.until_ms
        rank = isinstance(item, Frame) if stall is not None else 2 + isinstance(item, Press)
        found.append((at_ms, int(rank), t_ms, item))
    return [item for *_, item in sorted(found, key=lambda one: one[:3])]


def apart(stalls: Sequence[Stall]) -> list[Stall]:
    """The stalls that begin when the one before is over."""
    found: list[Stall] = []
    for stall in sorted(stalls, key=lambda one: one.from_ms):
        if not found or stall.from_ms >= found[-1].until_ms:
            found.append(stall)
    return found


def recorded(items: Sequence[Frame | Press]) -> tuple[list[dict], list[dict]]:
    """The turns that come of it, and the questions about the game."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), stills=False)
        for frame, board in zip(game().frames, game().boards, strict=True):
            bench.reader.teach(frame.image, board)
        inbox = Inbox()
        with bench.log:
            for item in items:
                inbox.put(item)
                take_all(inbox, bench.recorder)
            inbox._silent_s = inboxes.PATIENCE_S  # no more pictures come
            take_all(inbox, bench.recorder)
            bench.recorder.finish()
        state = bench.state
        turns = [turn_shape(turn, state, "director").as_json() for turn in state.turns]
        return turns, [flag.as_json() for flag in flag_shapes(state, "director")]


def take_all(inbox: Inbox, recorder: Recorder) -> None:
    while (item := inbox.get(0)) is not None:
        if isinstance(item, Frame):
            recorder.frame(item)
        else:
            recorder.press(item)  # type: ignore[arg-type]


@cache
def replayed() -> tuple[list[dict], list[dict]]:
    """The turns and flags of all items in the order of their times."""
    return recorded(heard((), lossy=False))


STALLS = st.lists(
    st.builds(
        Stall,
        st.integers(800, 14_000),
        st.integers(200, 5_000),
        st.integers(0, 4),
    ),
    max_size=4,
).map(apart)


def check(stalls: Sequence[Stall]) -> None:
    """The turns are those of the replay, or are asked about where pictures were dropped."""
    assert recorded(heard(stalls, lossy=False)) == replayed()
    turns, flags = recorded(heard(stalls, lossy=True))
    verdicts = benchmark("motion_turns").Comparison(game().dues, turns, flags).verdicts()
    assert [one for one in verdicts if one["verdict"] == "silent"] == []


def test_the_replay_is_right():
    turns, _ = replayed()
    found = [{name: turn[name] for name in ("number", "side", "tiles")} for turn in turns]
    assert found == [*game().dues]


@pytest.mark.parametrize("from_ms", [pytest.param(2000, marks=pytest.mark.slow), 3500])
def test_a_process_that_stands_still_for_a_while(from_ms):
    check([Stall(from_ms, 4000, 1)])


@pytest.mark.slow
@settings(max_examples=settings().max_examples // 10)
@given(STALLS)
@example([Stall(1000, 5000, 0), Stall(6300, 2400, 2)])
def test_a_process_that_stands_still_now_and_then(stalls):
    check(stalls)
