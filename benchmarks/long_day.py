"""A long day at a real table's loop, with a fault every ten minutes, in real time.

    python benchmarks/long_day.py [--hours 8] [--every 600] [--turn 20] [--seed 0]

``tilewatch run`` with ``kind = "pi"`` and gpiozero's pins, of which only the edge is pretended: the
stand-in for picamera2 shows a drawn board of 1280×960 at 12 frames a second, the mock pins bounce.
Two players make a turn every ``--turn`` seconds, game after game. By turns the camera's buffers
stop, its driver raises, it is unplugged for eight seconds, shows nothing but darkness, freezes, or
hangs while it is opened again for longer than the watchdog waits.

Compared are all turns with what was played, and each fault with the alerts about it. The memory of
the process, and the processor's temperature where the system tells it, are shown after each game;
the boards are drawn in another process, whose caches grow with each new set of tiles. Exit status 1
when a press or a turn was lost, a press was recorded twice, a turn is wrong with no flag on it, a
fault was not reported, or memory grew by more than a tenth after the first game.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import cv2
import gpiozero
import numpy as np
from common import memory_mb
from gpiozero.pins.mock import MockFactory
from live_table import Drawn, turns

from game.board import UNDESIGNATED, Board, Square, is_blank
from game.events import ButtonPressed, GameEnded, TroubleNoted, TurnSeen, from_payload
from game.state.fold import GameState, fold
from sensors.debounce import Timing
from sensors.gpio import PINS
from sensors.interfaces import Image
from simulation import generate
from table.config import Buttons, Camera, Serve, TableConfig
from table.desk import NextGame, Ruling
from table.health.limits import HUNG_S
from table.live import opened
from table.real_devices import run_real
from table.running import RunningTable
from tests.sensors.fake_picamera2 import FakePicamera2

FPS: Final = 12
SIZE: Final = (1280, 960)
THERMAL: Final = Path("/sys/class/thermal/thermal_zone0/temp")

FAULTS: Final = {
    "stopped": ("camera_lost", 0.0),
    "raised": ("camera_lost", 0.0),
    "unplugged": ("camera_lost", 8.0),
    "dark": ("camera_dark", 5.0),
    "frozen": ("camera_frozen", 6.0),
    "hung": ("camera_lost", HUNG_S + 8.0),
}
"""The alert that each fault must raise, and for how many seconds the fault lasts."""


class PretendedCamera:
    """The pictures that the stand-in delivers, and what is wrong with it."""

    def __init__(self) -> None:
        self._images: list[np.ndarray] = [np.zeros((*SIZE[::-1], 3), np.uint8)]
        self._fault, self._until_s = "", 0.0
        self._newest: FakePicamera2 | None = None
        self._due_s = time.monotonic()

    def module(self) -> ModuleType:
        """A module to be imported as ``picamera2``."""
        made = ModuleType("picamera2")
        made.Picamera2 = self._opened  # type: ignore[attr-defined]
        return made

    def show(self, images: list[np.ndarray]) -> None:
        """From now on the camera sees these by turns."""
        self._images = images

    def fail(self, fault: str, seconds: float) -> None:
        """Let something go wrong, for so long."""
        self._until_s = time.monotonic() + seconds
        self._fault = fault
        if fault == "stopped" and self._newest is not None:
            self._newest.stall()

    def _failing(self, *faults: str) -> bool:
        return self._fault in faults and time.monotonic() < self._until_s

    def _opened(self, number: int) -> FakePicamera2:
        if self._failing("unplugged"):
            raise RuntimeError("Camera __init__ sequence did not complete.")
        while self._failing("hung"):
            time.sleep(0.1)
        self._newest = FakePicamera2(number, picture=self._picture, script=self._script)
        return self._newest

    def _script(self, _: int) -> None:
        if self._fault in ("raised", "hung") or self._failing("unplugged"):
            if self._fault == "raised":
                self._fault = ""
            elif self._fault == "hung" and not self._failing("hung"):
                return
            raise RuntimeError("Camera frontend has timed out!")

    def _picture(self, count: int, size: tuple[int, int]) -> np.ndarray:
        self._due_s = max(self._due_s + 1 / FPS, time.monotonic() - 1 / FPS)
        time.sleep(max(0.0, self._due_s - time.monotonic()))
        image = self._images[0 if self._failing("frozen") else count % len(self._images)]
        if image.shape[1::-1] != size:
            image = cv2.resize(image, size)
        return (image // 48).astype(np.uint8) if self._failing("dark") else image


class DrawnApart(Drawn):
    """Pictures of one game's boards, drawn by another process."""

    def __init__(self, seed: int, apart: ProcessPoolExecutor) -> None:
        self._seed, self._apart = seed, apart

    def rest(self, board: Board, count: int = 4) -> list[Image]:
        return self._apart.submit(_draw, self._seed, "rest", board, count).result()

    def hand(self, board: Board, count: int = 3) -> list[Image]:
        return self._apart.submit(_draw, self._seed, "hand", board, count).result()


_here: dict[int, Drawn] = {}
"""In the other process: what draws the newest game, by its seed."""


def _draw(seed: int, what: str, board: Board, count: int) -> list[Image]:
    if seed not in _here:
        _here.clear()
        _here[seed] = Drawn(seed)
    images: list[Image] = getattr(_here[seed], what)(board, count)
    return images


class Players:
    """Two players who make a turn every so many seconds, and note what they did."""

    def __init__(
        self,
        table: RunningTable,
        camera: PretendedCamera,
        pins: MockFactory,
        apart: ProcessPoolExecutor,
    ) -> None:
        self._table, self._camera, self._pins, self._apart = table, camera, pins, apart
        self.pressed_ns: list[int] = []
        """When each press began, ..."""
        self.drawn_out = 0
        """... and how many were drawn out by a busy machine until they are two presses."""
        self.boards: dict[str, list[Board]] = {}
        """By game, the board after each turn."""

    def play(self, seed: int, turn_s: float, until_s: float) -> None:
        """Play one game, or its beginning."""
        script, drawn = generate(seed), DrawnApart(seed, self._apart)
        game = self._table.session.state.game_id
        played = self.boards.setdefault(game, [])
        boards = iter([None, *script.boards()])
        for button, moving, still in turns(script, drawn):
            began_s = time.monotonic()
            if began_s > until_s:
                break
            for image in moving:
                self._camera.show([image])
                time.sleep(0.7)  # nobody plays within a second
            self._camera.show(still)
            time.sleep(max(1.0, turn_s - (time.monotonic() - began_s)))
            self._press(button)
            if (board := next(boards)) is not None:
                played.append(board)
        time.sleep(12)
        desk, session = self._table.desk, self._table.session
        desk.post(Ruling(game, GameEnded("measured", self._table.now_ns()), "director"))
        self._camera.show(drawn.rest(Board.empty()))
        time.sleep(5)
        while session.state.game_id == game:
            desk.post(NextGame("director", despite_tiles=True))
            time.sleep(0.5)

    def _press(self, button: str) -> None:
        """A press that bounces."""
        pin = self._pins.pin(PINS[button])  # type: ignore[index]
        began_ns = time.monotonic_ns()
        self.pressed_ns.append(began_ns)
        for closed in (True, False, True, False, True):
            pin.drive_low() if closed else pin.drive_high()
            time.sleep(0.0004)
        self.drawn_out += time.monotonic_ns() - began_ns >= Timing().double_ns
        time.sleep(0.12)
        pin.drive_high()


def same(state: GameState, boards: list[Board]) -> Counter[str]:
    """How many of the turns are right, asked about, or silently wrong; and how many are missing.

    What a wrong turn shows, and what lay there, is printed.
    """
    found: Counter[str] = Counter()
    in_doubt: set[Square] = set()
    for turn, board in itertools.zip_longest(state.turns, boards):
        if turn is None or board is None:
            found["missing" if turn is None else "invented"] += 1
            continue
        due = board.replace(
            {s: UNDESIGNATED for s, tile in board.tiles().items() if is_blank(tile)}
        )
        wrong = [
            square
            for square in turn.after.diff(due)
            if not (is_blank(turn.after[square]) and is_blank(due[square]))
        ]
        asked = any(flag.settled is None for flag in turn.flags)
        known, in_doubt = in_doubt, set(wrong) if asked else in_doubt & set(wrong)
        if not set(wrong) - known:  # what an earlier turn asks about is no fault of this one
            found["right"] += 1
            continue
        found["asked" if asked else "silent"] += 1
        text = "; ".join(f"{s.name} shown {turn.after[s]}, is {board[s]}" for s in wrong)
        codes = ", ".join(f"{flag.code} {flag.settled or ''}".strip() for flag in turn.flags)
        print(f"game {state.game_id}, turn {turn.number}: {text}; flags: {codes or 'none'}")
    return found


def named(counts: Counter[str]) -> str:
    """The counts, in one line."""
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"


def temperature() -> str:
    """The processor's temperature, where the system tells it."""
    try:
        return f", {int(THERMAL.read_text('ascii')) / 1000:.0f} °C"
    except (OSError, ValueError):
        return ""


def disturb(camera: PretendedCamera, every_s: float, until_s: float, seed: int) -> list[str]:
    """Let something go wrong again and again; return what did, once the day is over."""
    rng, done = random.Random(seed), []
    order = itertools.cycle(FAULTS)
    due_s = time.monotonic() + every_s
    while due_s < until_s - 70:
        time.sleep(max(0.0, due_s - time.monotonic()) + rng.uniform(0, every_s / 10))
        fault = next(order)
        camera.fail(fault, FAULTS[fault][1])
        done.append(fault)
        due_s += every_s
    return done


def main() -> int:
    """Play the day, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hours", type=float, default=8.0)
    parser.add_argument("--every", type=float, default=600.0, help="seconds between faults")
    parser.add_argument("--turn", type=float, default=20.0, help="seconds a turn takes")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    camera, pins, messages = PretendedCamera(), MockFactory(), []
    sys.modules["picamera2"] = camera.module()
    gpiozero.Device.pin_factory = pins
    settings: dict[str, Any] = {"kind": "pi", "width": SIZE[0], "height": SIZE[1], "fps": FPS}
    config = TableConfig(
        camera=Camera(**settings), buttons=Buttons(kind="gpio"), serve=Serve(on=False)
    )
    until_s = time.monotonic() + 3600 * args.hours
    faults: list[str] = []
    sizes: list[float] = []
    with (
        tempfile.TemporaryDirectory("-long-day") as scratch,
        ProcessPoolExecutor(1, get_context("spawn")) as apart,
        opened(config, Path(scratch), messages.append) as table,
    ):
        loop = threading.Thread(target=run_real, args=(table,))
        loop.start()
        while len(pins.pins) < len(PINS):
            time.sleep(0.05)
        players = Players(table, camera, pins, apart)
        disturber = threading.Thread(
            target=lambda: faults.extend(disturb(camera, args.every, until_s, args.seed))
        )
        disturber.start()
        for seed in itertools.count(args.seed):
            players.play(seed, args.turn, until_s)
            sizes.append(memory_mb())
            print(
                f"{len(sizes)} games, {len(players.pressed_ns)} presses, {sizes[-1]:.0f} MB"
                f"{temperature()}",
                flush=True,
            )
            if time.monotonic() > until_s:
                break
        disturber.join()
        table.stop.set()
        loop.join()
        return report(table, players, faults, messages, sizes)


def report(
    table: RunningTable,
    players: Players,
    faults: list[str],
    messages: list[str],
    sizes: list[float],
) -> int:
    """Print what became of the turns and of the faults; return the exit status."""
    events = [from_payload(event.payload) for event in table.log.events()]
    pressed = [event.t_ns for event in events if isinstance(event, ButtonPressed)]
    found: Counter[str] = Counter()
    for game, boards in players.boards.items():
        state = fold(from_payload(event.payload) for event in table.log.events(game))
        found += same(state, boards)
    noted = Counter(e.code for e in events if isinstance(e, TroubleNoted) and e.state == "begins")
    due = Counter(FAULTS[fault][0] for fault in faults)
    restarts = sum("restarts the table" in line for line in messages)
    seen = sum(isinstance(event, TurnSeen) for event in events)
    for t_ns in pressed:
        if all(abs(t_ns - made_ns) > 1_000_000_000 for made_ns in players.pressed_ns):
            print(f"a press recorded at {t_ns} ns that nobody made")
    made = len(players.pressed_ns)
    drawn_out = f" ({players.drawn_out} drawn out to two)" if players.drawn_out else ""
    print(f"{len(pressed)} of {made} presses{drawn_out} recorded")
    print(f"{seen} turns: {named(found)}")
    print(f"faults: {named(Counter(faults))}; alerts: {named(noted)}, restart wanted {restarts}")
    quiet = [code for code in due if noted[code] < due[code]]
    lost = len(pressed) < made or found["missing"] or found["silent"]
    more = len(pressed) > made + players.drawn_out
    grew = len(sizes) > 1 and sizes[-1] > 1.1 * sizes[0]
    return 1 if lost or more or quiet or grew or restarts < Counter(faults)["hung"] else 0


if __name__ == "__main__":
    sys.exit(main())
