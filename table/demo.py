"""``tilewatch demo``: a simulated table through the whole real pipeline, with the dashboard.

Only the table is simulated. Its frames and presses go the way that a live table's go: the board is
found in the picture, read, scored, logged, and shown. At the end of each game what was read is
compared with what was really played, and the answer is printed, whatever it is.
"""

from __future__ import annotations

import contextlib
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from dashboard.app import create_app
from dashboard.serve import Server
from dashboard.site import Site, table_over
from game.errors import TilewatchError
from game.events import Event, GameEnded, TurnSeen
from game.gcg import parse
from game.state import GameState, fold
from game.turn import Turn
from sensors.simulated import (
    ALL_ON,
    FPS,
    NONE,
    Pace,
    Script,
    SimulatedTable,
    generate,
    plan,
    script_of,
)
from table.demo_clock import DemoClock
from table.evidence import EvidenceStore
from table.log import EventLog
from table.paths import DATABASE, EVIDENCE, new_game_id
from table.readers import board_reader
from table.recorder import Recorder
from table.sighting import Reads
from table.signing import digest
from table.simulation import Listener, stream
from table.truth import differences

SECOND: Final = 1_000_000_000
_BETWEEN_GAMES_S: Final = 12.0
_MAX_GCG_BYTES: Final = 1_000_000

Say = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """What ``tilewatch demo`` was asked for."""

    seed: int = 8
    gcg: Path | None = None
    speed: float = 1.0
    once: bool = False
    data: Path | None = None
    mischief: bool = False
    pace: Pace = field(default_factory=Pace)
    fps: float = FPS


@dataclass
class Outcome:
    """How many games were played, and every difference between what was read and the truth."""

    games: int = 0
    turns: int = 0
    differences: list[str] = field(default_factory=list)


def demo(
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    speed: float = 1.0,
    seed: int = 8,
    gcg: Path | None = None,
    once: bool = False,
    serve: bool = True,
    data: Path | None = None,
    mischief: bool = False,
) -> int:
    """Play simulated games until interrupted, or one with ``once``; the exit status.

    Raises ``TilewatchError`` when the port is taken, the record cannot be played, or the weights
    are missing.
    """
    if not 0 <= speed <= 100:
        raise TilewatchError(f"--speed {speed:g}: choose 0 (no waiting) to 100")
    options = Options(seed, gcg, speed, once, data, mischief)
    scripts = _scripts(options)
    clock = DemoClock(speed)
    with contextlib.ExitStack() as stack:
        folder = data or Path(stack.enter_context(tempfile.TemporaryDirectory("-tilewatch")))
        log = stack.enter_context(EventLog(folder / DATABASE))
        if serve:
            table = table_over(log, id="1", name="Demo table", clock=clock.now_ns, rate=clock.rate)
            server = Server(create_app(Site((table,))), host, port)
            stack.callback(server.stop)
            server.start()
            _say(f"tilewatch demo: open {server.url} in a browser (Ctrl-C stops it)")
        outcome = Outcome()
        try:
            play(scripts, options, log, clock, outcome, _say)
        except KeyboardInterrupt:
            _say("")
            _say("Stopped.")
            return 0 if not once else 130
        finally:
            clock.stop()
    return 1 if outcome.differences else 0


def play(
    scripts: Iterator[tuple[int, Script]],
    options: Options,
    log: EventLog,
    clock: DemoClock,
    outcome: Outcome,
    say: Say,
    reader: Reads | None = None,
) -> None:
    """Play the scripts one after another into ``log``, and compare each with the truth."""
    evidence = EvidenceStore(options.data / EVIDENCE) if options.data else None
    for seed, script in scripts:
        game_reader = reader or board_reader(script.tile_set)
        planned = plan(script, seed, ALL_ON if options.mischief else NONE)
        rng = random.Random(f"tilewatch table {seed}")
        start_ns = clock.now_ns()
        table = SimulatedTable(
            script,
            seed,
            actions=planned.actions(rng, options.pace),
            fps=options.fps,
            start_ns=start_ns,
        )
        names = script.players
        say(f"Game {outcome.games + 1}: {names['left']} against {names['right']}")
        start = planned.start(new_game_id(f"demo {seed}"), start_ns)
        recorder = Recorder(start, game_reader, log, evidence, listener=_Printer(say))
        unheard = _run(table, recorder, clock)
        truth = fold([start, *table.truth])
        found = [str(difference) for difference in differences(truth, recorder.state)]
        found += [f"nobody could make sense of: {event}" for event in unheard]
        if recorder.state.end_reason is not None:
            # The players agree on the result.
            recorder.record(GameEnded(recorder.state.end_reason, clock.now_ns()), "players")
        outcome.games += 1
        outcome.turns += len(table.turns)
        outcome.differences += found
        last = log.last_of(recorder.state.game_id)
        slip = "" if last is None else digest(last.hash)
        _conclude(recorder.state, len(table.turns), found, say, slip)
        if options.once:
            return
        clock.wait_until(clock.now_ns() + round(_BETWEEN_GAMES_S * SECOND * clock.rate))


def _scripts(options: Options) -> Iterator[tuple[int, Script]]:
    """The games to play, each with the seed of its table. A record is read at once."""
    if options.gcg is not None:
        script = _read_gcg(options.gcg)
        return ((seed, script) for seed in _counting(options.seed))
    return ((seed, generate(seed)) for seed in _counting(options.seed))


def _counting(first: int) -> Iterator[int]:
    while True:
        yield first
        first += 1


def _read_gcg(path: Path) -> Script:
    try:
        if path.stat().st_size > _MAX_GCG_BYTES:
            raise TilewatchError(f"{path}: too large for a game record")
        data = path.read_bytes()
    except OSError as error:
        raise TilewatchError(f"{path}: cannot be read ({error.strerror})") from error
    script = script_of(parse(data, str(path)))
    script.boards()
    return script


def _run(table: SimulatedTable, recorder: Recorder, clock: DemoClock) -> list[Event]:
    """Hand everything that happens at the table to the recorder when it happens.

    Returns what was said and never made sense to the recorder.
    """
    listener = Listener(recorder)
    for item in stream(table):
        if not clock.wait_until(item.t_ns):
            raise KeyboardInterrupt
        listener.hand(item)
    listener.finish()
    return listener.unheard


class _Printer:
    """Prints every turn as it is scored."""

    def __init__(self, say: Say) -> None:
        self._say = say

    def __call__(self, state: GameState, event: Event) -> None:
        if isinstance(event, TurnSeen) and state.turns:
            self._say(_line(state.turns[-1], state))


def _line(turn: Turn, state: GameState) -> str:
    if turn.position is None:
        what = turn.kind.replace("_", " ")
    else:
        what = f"{turn.position:<4} {turn.words[0][0]}"
    flags = f"  [{', '.join(flag.code for flag in turn.flags)}]" if turn.flags else ""
    name = state.players[turn.side]
    return f"{turn.number:>4}  {name:<18.18} {what:<22} {turn.score:>+4} {turn.total:>5}{flags}"


def _conclude(state: GameState, turns: int, found: list[str], say: Say, slip: str) -> None:
    left, right = (f"{state.players[side]} {state.scores[side]}" for side in ("left", "right"))
    say(f"Result: {left}, {right} (digest for the slip: {slip})")
    if not found:
        say(f"Compared with what was played: all {turns} turns read and scored right.")
        return
    say(f"Compared with what was played: {len(found)} differences in {turns} turns:")
    for difference in found:
        say(f"  {difference}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
