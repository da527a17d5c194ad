"""A simulated table that is taken up again."""

from __future__ import annotations

import json
import struct
import time

import pytest

import simulation.source
from game.board import EMPTY, Board, Square
from game.events import TurnRuled
from game.state.fold import apply, fold
from sensors.interfaces import Press
from simulation import Moment, Script, ScriptTurn, SimulatedTable
from simulation.source import GameFinished, PlayersSeated, SimulatedSource
from table.config import Serve, SimulatedOptions, TableConfig
from table.live import opened
from tests.simulation.conftest import generated

SECOND = 1_000_000_000


NOW = 7_000 * SECOND
"""The machine's time when a table was killed."""


def mark(folder, reached_ns: int, at_ns: int) -> None:
    """The files that a killed table leaves behind."""
    (folder / "simulated.pos").write_bytes(struct.pack("<qq", reached_ns, at_ns))


@pytest.fixture
def taken_up(tmp_path, monkeypatch):
    """The source of a table that began at 100 s and had reached a time when it was killed."""
    made = []
    monkeypatch.setattr(time, "monotonic_ns", lambda: NOW)

    def take_up(reached_s, speed=1.0):
        config = SimulatedOptions(seed=8, speed=speed)
        SimulatedSource(config, tmp_path, lambda: 100 * SECOND).close()
        mark(tmp_path, reached_s * SECOND, NOW)
        made.append(SimulatedSource(config, tmp_path, lambda: 0))
        return made[-1]

    yield take_up
    for source in made:
        source.close()


def test_a_table_that_lagged_is_taken_up_where_it_was(taken_up):
    assert taken_up(160).behind_ns(290 * SECOND) == 130 * SECOND


@pytest.mark.parametrize("speed", [1.0, 10.0])
def test_what_went_by_while_nobody_looked_is_no_lag(taken_up, monkeypatch, speed):
    source = taken_up(160, speed)
    monkeypatch.setattr(time, "monotonic_ns", lambda: NOW + 60 * SECOND)
    assert source.behind_ns(round((160.5 + 60 * speed) * SECOND)) == 0
    monkeypatch.setattr(time, "monotonic_ns", lambda: 5)  # the machine was started anew
    assert source.behind_ns(300 * SECOND) == 0


def test_a_table_that_has_not_begun_lags_behind_nothing(taken_up):
    assert taken_up(0).behind_ns(300 * SECOND) == 0


def test_a_running_table_goes_on_from_there(tmp_path):
    config = TableConfig(serve=Serve(on=False), simulated=SimulatedOptions(seed=8))
    with opened(config, tmp_path, lambda _: None):
        pass
    number, began_ns, what = json.loads((tmp_path / "simulated.json").read_text("ascii"))
    (tmp_path / "simulated.json").write_text(json.dumps([number, began_ns - 300 * SECOND, what]))
    mark(tmp_path, began_ns - 290 * SECOND, time.monotonic_ns())
    with opened(config, tmp_path, lambda _: None) as table:
        behind_ns = time.monotonic_ns() - table.now_ns()
        assert behind_ns / SECOND == pytest.approx(290, abs=30)


@pytest.fixture
def unseen(monkeypatch):
    """Games of two turns each that nobody draws."""
    script = Script(
        {"left": "Ann", "right": "Bob"},
        "english",
        (
            ScriptTurn("left", "play", {Square.parse("8G"): "T", Square.parse("8H"): "O"}, 4, 4),
            ScriptTurn("right", "exchange", {}, 0, 0),
        ),
    )
    monkeypatch.setattr(simulation.source, "generate", lambda _: script)
    monkeypatch.setattr(SimulatedTable, "draw", lambda _table, _moment: None)


def test_of_a_game_that_is_skipped_nothing_more_comes_but_its_end(unseen, tmp_path):
    config = SimulatedOptions(seed=8, speed=0, games=2, between_s=5)
    with SimulatedSource(config, tmp_path, lambda: 100 * SECOND) as games:
        items = games.items(-1, [])
        assert isinstance(next(items), PlayersSeated)
        press = next(items)
        assert isinstance(press, Press)
        games.skip()
        over = next(items)
        assert isinstance(over, GameFinished)
        assert (over.game.number, over.t_ns) == (0, press.t_ns)
        # The next game is played, and from its beginning.
        seated = next(items)
        assert isinstance(seated, PlayersSeated)
        assert seated.t_ns == over.t_ns + 5 * SECOND
        rest = list(items)
        assert sum(isinstance(one, Press) for one in rest) == 3  # the start, and a press a turn
        assert [one.game.number for one in rest if isinstance(one, GameFinished)] == [1]


def test_a_game_that_was_skipped_stays_so_when_the_table_is_taken_up_again(unseen, tmp_path):
    config = SimulatedOptions(seed=8, speed=0, games=2)
    with SimulatedSource(config, tmp_path, lambda: 100 * SECOND) as games:
        items = games.items(-1, [])
        next(items)
        games.skip()
        assert isinstance(next(items), GameFinished)
        second = next(items)
        assert isinstance(second, PlayersSeated)
    with SimulatedSource(config, tmp_path, lambda: 0) as again:
        assert not again.fresh
        first, *_, last = again.items(-1, [])
        assert first == second
        assert isinstance(last, GameFinished)
        assert last.game.number == 1


def test_presses_and_announcements_of_the_log_are_not_made_again(unseen, tmp_path):
    config = SimulatedOptions(seed=8, speed=0, games=1)
    with SimulatedSource(config, tmp_path, lambda: 100 * SECOND) as games:
        presses = [one for one in games.items(-1, []) if isinstance(one, Press)]
    (tmp_path / "simulated.json").unlink()
    with SimulatedSource(config, tmp_path, lambda: 100 * SECOND) as again:
        left = [one for one in again.items(presses[1].t_ns, []) if isinstance(one, Press)]
    assert left == presses[2:]


def played_until(source, items, presses):
    """Play on until so many presses were made; the events that a perfect recorder has by then."""
    for item in items:
        if isinstance(item, PlayersSeated):
            source.game.table.draw = lambda moment: moment
        presses -= isinstance(item, Press)
        if not presses:
            break
    item = next(items)  # the turn that has just ended is seen on the next picture
    truth = source.game.table.truth
    return [e for e in truth if getattr(e, "press_ns", getattr(e, "t_ns", 0)) < item.t_ns]


def test_a_play_that_is_ruled_off_is_taken_off_and_the_game_is_played_out(tmp_path, monkeypatch):
    monkeypatch.setattr(simulation.source, "generate", generated)
    config = SimulatedOptions(seed=8, speed=1.0, pace="brisk", games=1)
    with SimulatedSource(config, tmp_path, lambda: 0) as source:
        items = source.items(-1, ())
        known = played_until(source, items, 5)
        start = source.game.plan.start("g", 0)
        state = fold([start, *known])
        number = max(turn.number for turn in state.turns if turn.tiles)
        ruling = TurnRuled(number, "challenge_upheld", "Ann", "no word", known[-1].press_ns + 1)
        state = apply(state, ruling)
        off = {Square.parse(name) for name in state.turns[number - 1].tiles}
        assert not source.putting_right
        assert source.put_right(state, state.turns[number - 1].side)
        assert source.putting_right
        shown = list(items)
        boards = [Board.from_rows(item.rows) for item in shown if isinstance(item, Moment)]
        there = [all(board[at] != EMPTY for at in off) for board in boards]
        assert there[0]
        assert not all(there)
        assert isinstance(shown[-1], GameFinished)
        later = source.game.table.truth[len(known) :]
        after = fold([start, *known, ruling, *later])
        assert after.status == "ended"
        assert len(after.turns) > 8
        codes = {flag.code for turn in after.turns[number:] for flag in turn.flags}
        assert not codes & {"gap", "disconnected", "withdrawn_left", "tile_removed", "extra_tile"}
