"""A simulated table as the source of a live table, or of a recorder alone.

As the source of a live table its games go on while no process runs.

The games follow one another from a seed. The table's progress is kept in a small file, so a process
that is killed and started again finds the same game going on. A press that was not logged is
delivered again, as by a clock that keeps it until it is taken; frames are not.
"""

from __future__ import annotations

import json
import os
import random
import struct
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from game.errors import TilewatchError
from game.events import Event, Side
from game.files import read_file, write_file
from game.gcg import parse
from game.gcg.encoding import MOST
from game.state.fold import GameState, fold
from sensors.interfaces import Frame, Press, RackFrame
from sensors.options import SimulatedOptions
from simulation import (
    ALL_ON,
    BRISK,
    NONE,
    Announcement,
    Moment,
    Pace,
    Plan,
    Script,
    SimulatedTable,
    generate,
    plan,
    script_of,
)
from simulation.actions import Action, PutRight, Wait
from simulation.game_generator import rest_of
from simulation.playing import TurnPlan, play_turn
from simulation.racks import RackCameras

SECOND: Final = 1_000_000_000

_LOOK_S: Final = 0.1
"""The interval in seconds at which the table is served while a game is being made up."""


@dataclass(frozen=True)
class PlayersSeated:
    """The players of the next game sit down."""

    players: tuple[str, str]
    t_ns: int


@dataclass
class Game:
    """One game: its plan, and its table."""

    number: int
    seed: int
    plan: Plan
    table: SimulatedTable
    start_ns: int

    def truth(self) -> GameState:
        """Return the state that a perfect recorder would reach, once it has been played."""
        return fold([self.plan.start("truth", self.start_ns), *self.table.truth])


@dataclass(frozen=True)
class GameFinished:
    """A game is over: nothing more happens in it."""

    game: Game
    t_ns: int


@dataclass(frozen=True)
class BeingMade:
    """The next game is still being made up: nothing happens, and the table's time stands still."""


Happening = Frame | RackFrame | Press | Announcement | PlayersSeated
Item = Happening | GameFinished | BeingMade


class SimulatedSource:
    """The games of one simulated table, as items in order of time."""

    def __init__(
        self,
        config: SimulatedOptions,
        folder: Path,
        now_ns: Callable[[], int],
        *,
        racks: bool = False,
    ) -> None:
        """Go on at the progress that the file in ``folder`` states, or begin at ``now_ns``.

        With ``racks`` there is a camera at each rack.

        Raises ``TilewatchError`` if the record that is to be played cannot be played.
        """
        if config.gcg is not None:
            read_record(config.gcg)  # before anything of the game is logged
        self._config, self._racks = config, racks
        self._file = folder / "simulated.json"
        self._mark = _Mark(folder / "simulated.pos")
        self._now_ns = now_ns
        kept = _read(self._file, _what(config))
        self.fresh = kept is None
        """True if this table begins, rather than goes on."""
        self._number = kept[0] if kept else 0
        self._start_ns = kept[1] if kept else now_ns()
        reached, self._reached_at_ns = self._mark.read() if kept else (0, 0)
        self._resume_ns = reached if reached > self._start_ns else 0
        if not kept:
            self._save_mark()
        self.game: Game | None = None
        """The game that is being played, or was played last; None before the first."""
        self._skipped = False
        self._taken = -1
        """The number of the frame that was taken last; -1 before the first."""
        self._item_ns = 0
        self._right_ns: int | None = 0
        """The time at which the board was corrected; None while the players are still at it."""
        self._other: Iterator[Action] | None = None
        """Actions that will replace the planned ones; None once they have begun."""

    @property
    def reached_ns(self) -> int:
        """The time of the last item that was handed on, by this process or an earlier one."""
        return max(self._resume_ns, self._start_ns)

    def behind_ns(self, table_ns: int) -> int:
        """Return the nanoseconds by which the table lagged when the previous process ended.

        On a slow machine the table's time waits. A new process must keep that lag: otherwise
        everything that was not reached yet would happen at once. ``table_ns`` is what the table's
        time would be now without any lag.
        """
        since_ns = time.monotonic_ns() - self._reached_at_ns
        if not self._resume_ns or since_ns < 0:  # the machine was started anew
            return 0
        behind = table_ns - self._resume_ns - round(since_ns * self._config.speed)
        return behind if behind > SECOND else 0

    def items(self, logged_press_ns: int, logged: Sequence[Event]) -> Iterator[Item]:
        """Yield everything that happens from now on.

        ``logged_press_ns`` is the time of the newest press in the log and ``logged`` are the events
        in it: presses and announcements that are not in the log are delivered again.
        """
        away = round(self._config.away_s * SECOND) if not self._config.speed else 0
        while self._config.games is None or self._number < self._config.games:
            self.game = game = yield from self._next_game()
            self._skipped, self._taken, self._other = False, -1, None
            resume_ns = self._resume_ns + away if self._resume_ns else 0
            if self._config.speed and self._resume_ns:
                resume_ns = self._now_ns()
            if not resume_ns:
                yield PlayersSeated(
                    (game.plan.script.players["left"], game.plan.script.players["right"]),
                    game.start_ns,
                )
            last_ns, stream = game.start_ns, game.table.happenings()
            cameras = RackCameras(game.plan.script, game.seed) if self._racks else None
            while not self._skipped and (item := next(stream, None)) is not None:
                last_ns = self._item_ns = item.t_ns
                if isinstance(item, Moment):
                    frame = None if item.t_ns <= resume_ns else game.table.draw(item)
                    if frame is None:
                        continue
                    yield frame
                    if cameras is not None:
                        yield from cameras.frames(item, game.table.turns)
                elif _is_new(item, logged_press_ns, logged):
                    yield item
                if (instead := self._instead()) is not None:  # and this item has not been taken
                    game.table.turn_back(self._taken, instead)
                    stream = game.table.happenings()
                    cameras = None  # the players' racks are no longer those of the script
                    continue
                if isinstance(item, Moment):
                    self._taken = item.seq
                self._mark.write(last_ns)
            yield GameFinished(game, last_ns)
            self._number += 1
            between_ns = round(self._config.between_s * SECOND)
            self._start_ns = max(last_ns + between_ns, resume_ns)
            self._resume_ns = 0
            self._save_mark()

    def put_right(self, state: GameState, side: Side) -> bool:
        """Make ``side`` correct the board to the one that counts; the game then goes on from there.

        The newest item is dropped. Returns True; before the first picture it does nothing and
        returns False.
        """
        if self.game is None or self._taken < 0:
            return False
        rng = random.Random(f"tilewatch rest {self.game.seed}.{self._item_ns}")
        self._right_ns = None

        def done(t_ns: int) -> None:
            self._right_ns = t_ns

        self._other = _carrying_on(PutRight(state.board, side, done), state, rng, self._pace)
        return True

    @property
    def putting_right(self) -> bool:
        """True while the board is being corrected."""
        return self._right_ns is None or self._item_ns < self._right_ns

    def _instead(self) -> Iterator[Action] | None:
        """Return the actions that replace the plan, once after each change; otherwise None."""
        instead, self._other = self._other, None
        return instead

    def skip(self) -> None:
        """Break this game off: the next item is ``GameFinished``."""
        self._skipped = True

    def close(self) -> None:
        """End the table."""
        if self.game is not None:
            self.game.table.close()
        self._mark.close()

    def __enter__(self) -> SimulatedSource:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _next_game(self) -> Generator[BeingMade, None, Game]:
        """Make up the next game, which may take half a minute; yield ``BeingMade`` meanwhile."""
        if not self._config.speed:
            return self._game()
        made: Future[Game] = Future()
        threading.Thread(target=_fulfil, args=(made, self._game), daemon=True).start()
        while not made.done():
            wait((made,), _LOOK_S)
            yield BeingMade()
        return made.result()

    def _game(self) -> Game:
        config = self._config
        seed = config.seed + self._number
        script = read_record(config.gcg) if config.gcg else generate(seed)
        planned = plan(script, seed, ALL_ON if config.mischief else NONE)
        pace = self._pace
        rng = random.Random(f"tilewatch table {seed}")
        table = SimulatedTable(
            script, seed, actions=planned.actions(rng, pace), start_ns=self._start_ns
        )
        table.may_turn_back = bool(config.speed)
        return Game(self._number, seed, planned, table, self._start_ns)

    @property
    def _pace(self) -> Pace:
        return BRISK if self._config.pace == "brisk" else Pace()

    def _save_mark(self) -> None:
        text = json.dumps([self._number, self._start_ns, _what(self._config)])
        write_file(self._file, text.encode(), durable=False)


def _carrying_on(
    first: PutRight, state: GameState, rng: random.Random, pace: Pace
) -> Iterator[Action]:
    """Yield the actions from here on: the board is corrected, then both players finish the game."""
    yield first
    for turn in rest_of(state, rng):
        yield from play_turn(TurnPlan(turn), rng, pace)
    yield Wait(2.0)


def _is_new(item: Press | Announcement, logged_press_ns: int, logged: Sequence[Event]) -> bool:
    """Return True if a press or an announcement is not in the log yet, else False."""
    if isinstance(item, Press):
        return item.t_ns > logged_press_ns
    return item.event not in logged


def _fulfil(made: Future[Game], make: Callable[[], Game]) -> None:
    try:
        made.set_result(make())
    except BaseException as error:
        made.set_exception(error)


class _Mark:
    """A time in a file, written so that it is readable whenever the process is killed."""

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)

    def write(self, t_ns: int) -> None:
        os.pwrite(self._handle, struct.pack("<qq", t_ns, time.monotonic_ns()), 0)

    def read(self) -> tuple[int, int]:
        """Return the time that was written, and the machine's time when it was written."""
        data = os.pread(self._handle, 16, 0)
        reached, at_ns = struct.unpack("<qq", data) if len(data) == 16 else (0, 0)
        return int(reached), int(at_ns)

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def _what(config: SimulatedOptions) -> str:
    """Return the options that determine the games, as one text."""
    gcg = "" if config.gcg is None else str(config.gcg)
    return f"{config.seed} {config.pace} {config.mischief} {gcg}"


def _read(path: Path, what: str) -> tuple[int, int] | None:
    """Return the number of finished games and the start of the next; None for other options."""
    try:
        number, start_ns, kept = json.loads(path.read_text("ascii"))
        return (int(number), int(start_ns)) if kept == what else None
    except (OSError, ValueError, TypeError):
        return None


def read_record(path: Path) -> Script:
    """Return the game of a record as a script. Raises ``TilewatchError`` if it cannot be played."""
    try:
        data = read_file(path, MOST)
    except OSError as error:
        raise TilewatchError(f"{path}: cannot be read ({error.strerror})") from error
    script = script_of(parse(data, str(path)))
    script.boards()
    return script


class Recorder(Protocol):
    """The recorder that takes the items: ``table.recorder.Recorder``."""

    def frame(self, frame: Frame) -> None:
        """Take the next frame."""

    def press(self, press: Press) -> Any:
        """Take a press."""

    def record(self, event: Event, source: str) -> Any:
        """Apply and log one event. Raises ``TilewatchError``, with nothing changed."""

    def finish(self) -> None:
        """Settle the turn that is still open, if any."""


def stream(table: SimulatedTable) -> Iterator[Frame | Press | Announcement]:
    """Yield frames, presses and announcements by time; at the same moment, frames come first."""
    for item in table.happenings():
        if isinstance(item, Moment):
            frame = table.draw(item)
            if frame is not None:
                yield frame
        else:
            yield item


class PendingClaims:
    """Announcements at the table that wait until they can be recorded.

    If a hand hides the board, a player may announce something about a turn before the camera has
    seen that turn.
    """

    def __init__(self) -> None:
        self.pending: list[tuple[Event, str]] = []
        """Announcements that do not fit the game yet, with their source."""

    def add(self, event: Event, source: str) -> None:
        """Add an announcement."""
        self.pending.append((event, source))

    def record_into(self, recorder: Recorder) -> None:
        """Record those that fit the game by now."""
        if self.pending:
            self.pending = [one for one in self.pending if not _recorded(recorder, *one)]


class Listener:
    """Hands what happens at the table to a recorder."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._claims = PendingClaims()

    @property
    def pending(self) -> list[Event]:
        """The announcements that do not fit the game yet."""
        return [event for event, _ in self._claims.pending]

    def hand(self, item: Frame | Press | Announcement) -> None:
        """Take the next item."""
        if isinstance(item, Frame):
            self._recorder.frame(item)
        elif isinstance(item, Press):
            self._recorder.press(item)
        else:
            self._claims.add(item.event, "players")
        self._claims.record_into(self._recorder)

    def finish(self) -> None:
        """Finish the game."""
        self._recorder.finish()
        self._claims.record_into(self._recorder)


def _recorded(recorder: Recorder, event: Event, source: str) -> bool:
    try:
        recorder.record(event, source)
    except TilewatchError:
        return False
    return True
