"""The demo: simulated games through the whole pipeline, and players who heed the desk."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.board import Square
from game.events import (
    ButtonPressed,
    GameEnded,
    GameForfeited,
    GameReopened,
    ResultSigned,
    TurnRuled,
)
from game.state.fold import GameState, apply
from game.values import replace
from record.log.event_log import EventLog
from simulation import Script, ScriptTurn, SimulatedTable, source
from simulation.demo_clock import DemoClock
from table import live
from table.cli import main
from table.config import Camera, Serve, SimulatedOptions, TableConfig
from table.demo import play
from table.desk import NamePlayers, NextGame, Ruling
from table.simulated_devices import Heeding
from tests.game.gamekit import SECOND, Table
from tests.machine import PATIENCE_S
from tests.readerkit import OneLook, reading_of

S = Square.parse
SHORT = Script(
    {"left": "Ann", "right": "Bob"},
    "english",
    (
        ScriptTurn("left", "play", {S("8G"): "T", S("8H"): "O", S("8I"): "p"}, 4, 4),
        ScriptTurn("right", "exchange", {}, 0, 0),
        ScriptTurn("left", "withdrawn", {S("9I"): "X"}, 0, 4),
        ScriptTurn("right", "play", {S("9H"): "F", S("10H"): "T"}, 6, 6),
    ),
)
ONE_TURN = replace(SHORT, turns=SHORT.turns[:1])


class Oracle(OneLook):
    """Reads a simulated frame by its truth, or, where told, wrongly."""

    def __init__(self, monkeypatch, wrong: dict[str, str] | None = None) -> None:
        self._wrong = {S(name): symbol for name, symbol in (wrong or {}).items()}
        self._frames: dict[int, object] = {}
        draw = SimulatedTable.draw

        def remember(table, moment):
            frame = draw(table, moment)
            # The frame is kept, so its picture's id stays its own.
            self._frames[id(frame.image)] = frame
            return frame

        monkeypatch.setattr(SimulatedTable, "draw", remember)

    def read(self, image, corners=None, known=None):
        truth = self._frames[id(image)].truth
        seen = np.full((15, 15), "~")
        for (row, col), covered in np.ndenumerate(truth.covered):
            if covered <= 0.3:
                symbol = truth.rows[row][col]
                blank = symbol.islower()
                seen[row, col] = "?" if blank else self._wrong.get(Square(row, col), symbol)
        return reading_of(["".join(row) for row in seen], truth.corners)


@pytest.fixture
def played(monkeypatch, tmp_path):
    """Plays the short game as fast as it goes: what was printed, and what came of it."""

    def played(listener=lambda _: None):
        monkeypatch.setattr(source, "generate", lambda _: SHORT)
        config = TableConfig(
            simulated=SimulatedOptions(seed=8, speed=0, pace="brisk"), serve=Serve(on=False)
        )
        lines = []

        def say(line):
            lines.append(line)
            listener(line)

        outcome = play(config, tmp_path, True, say, Oracle(monkeypatch))
        with EventLog(tmp_path / "tilewatch.db", readonly=True) as log:
            assert log.verify() is None
            types = [event.type for event in log.events()]
        return outcome, lines, types

    return played


def test_a_game_with_all_kinds_of_turns_is_recorded_as_played(tmp_path, played):
    outcome, lines, types = played()
    assert outcome.differences == []
    assert (outcome.games, outcome.turns) == (1, 4)
    assert lines[0] == "Game 1: Ann against Bob"
    assert lines[1].split()[:4] == ["1", "Ann", "8G", "TO?"]
    assert "exchange or pass" in lines[2]
    assert lines[-2] == "Compared with what was played: all 4 turns read and scored right."
    assert lines[-1].endswith("is over without a result (broken off)")
    assert types.count("TurnSeen") == 4
    assert {"BlankDesignated", "TurnRuled"} <= set(types)
    assert list((tmp_path / "evidence").glob("*.jpg"))


@pytest.mark.slow
def test_whoever_sits_at_the_desk_has_a_say(played, built):
    def listener(line):
        if "8G" in line:
            built[0].desk.post(
                NamePlayers({"left": "Zoe"}, "director"), 0
            )  # within the loop nobody waits

    outcome, lines, _ = played(listener)
    assert [line.split()[1] for line in lines[2:4]] == ["Bob", "Zoe"]
    assert lines[-2].startswith("Not compared")
    assert outcome.differences == []


@pytest.mark.slow
def test_the_players_go_on_to_the_next_game_once_the_desk_has_ended_theirs(
    monkeypatch, tmp_path, built
):
    monkeypatch.setattr(source, "generate", lambda _: SHORT)
    lines, over = [], []

    def resign():
        table = built[0]
        event = GameForfeited("right", "resigned", "Ann", "a train", table.desk.now_ns())
        game = table.session.state.game_id
        assert table.desk.post(Ruling(game, event, "director")).done
        assert table.desk.post(NextGame("director", despite_tiles=True)).done

    def say(line):
        lines.append(line)
        if "8G" in line and len(lines) < 4:
            threading.Thread(target=resign, daemon=True).start()
        if line.startswith(("Result", "Not final")):
            over.append(line)
            if len(over) == 2:
                built[0].time.simulation.clock.stop()

    config = TableConfig(
        simulated=SimulatedOptions(speed=20, pace="brisk", between_s=5), serve=Serve(on=False)
    )
    play(config, tmp_path, False, say, Oracle(monkeypatch))
    first, second = (at for at, line in enumerate(lines) if line.startswith("Game "))
    assert second - first < 6  # one turn, its result, and how it was compared
    assert "Result: Ann 4, Bob 0" in lines
    assert any("8G" in line for line in lines[second:])
    assert not [line for line in lines if "delivers no pictures" in line]


@pytest.mark.slow
def test_the_exit_status_says_whether_the_game_was_read_right(monkeypatch, tmp_path, capsys):
    """An event's pairings name the players."""
    monkeypatch.setattr(source, "generate", lambda _: ONE_TURN)
    pairings = tmp_path / "pairings.csv"
    pairings.write_text("round,table,left,left_score,right,right_score\n1,1,Bo Li,,Aiko Ito,\n")
    for wrong, status in (({}, 0), ({"8G": "Y"}, 1)):
        with monkeypatch.context() as patch:
            oracle = Oracle(patch, wrong)
            patch.setattr(live, "calibrated_reader", lambda *_, made=oracle: made)
            data = tmp_path / f"status {status}"
            argv = ["--speed", "0", "--once", "--no-serve", "--data", str(data)]
            assert main(["demo", *argv, "--pairings", str(pairings)]) == status
            with EventLog(data / "tilewatch.db", readonly=True) as log:
                assert [event.type for event in log.events()].count("TurnSeen") == 1
    out = capsys.readouterr().out
    assert out.count("Game 1: Bo Li against Aiko Ito") == 2
    assert "8G T, read as Y" in out
    assert "differences in 1 turn" in out


def test_a_port_that_is_taken_is_one_line(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["demo", "--port", str(taken.getsockname()[1]), "--once"]) == 2
    assert re.search(r"in use.*another port", capsys.readouterr().err)


def test_the_command_shows_its_pages_stops_cleanly_and_leaves_nothing_behind(tmp_path):
    record = tmp_path / "game.gcg"  # to make a game up takes a while
    record.write_text("#player1 Ann Ann\n#player2 Bob Bob\n>Ann: CATERSI 8G CAT +10 10\n")
    command = [sys.executable, "-m", "table.cli", "demo", "--port", "0", "--gcg", str(record)]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as running:
        try:
            first = running.stdout.readline()
            url = next(word for word in first.split() if word.startswith("http://"))
            with urllib.request.urlopen(url, timeout=PATIENCE_S) as page:
                assert page.status == 200
                assert b"tilewatch" in page.read()
            account = running.stdout.readline()
            assert "log in as director, password " in account
            assert len(account.split()[-1]) == 19
            assert running.stdout.readline().startswith("Game 1:")
            assert list(tmp_path.glob("*-tilewatch/tilewatch.db"))
            running.send_signal(signal.SIGTERM)  # as SIGINT, which Python knows by itself
            out, err = running.communicate(timeout=PATIENCE_S)
        finally:
            running.kill()
    assert out.endswith("Stopped.\n")
    assert err.startswith("uses data in a folder that is deleted at the end")
    assert err.count("\n") == 1
    assert running.returncode == 0
    assert list(tmp_path.glob("*-tilewatch")) == []


class Machine:
    """Real time as the test has it; whoever waits is woken when it is over."""

    def __init__(self) -> None:
        self.ns = 10**9

    def __call__(self) -> int:
        return self.ns

    def wait(self, seconds: float) -> bool:
        self.ns += round(seconds * 1e9)
        return False


@given(
    st.sampled_from([0.5, 1.0, 20.0, 50.0]),
    st.lists(
        st.tuples(st.integers(-50, 2000), st.integers(0, 1500), st.integers(0, 3)), max_size=40
    ),
)
def test_the_time_shown_never_steps_back_nor_ahead_of_the_table(speed, steps):
    """Whatever happens next at the table, and however long the machine takes over it."""
    machine = Machine()
    clock = DemoClock(speed, machine)
    clock._stopped.wait = machine.wait
    shown = reached = newest = clock.now_ns()
    for apart_ms, busy_ms, looks in steps:
        reached += round(apart_ms * speed) * 10**6
        newest = max(newest, reached)
        assert clock.wait_until(reached)
        for _ in range(looks + 1):
            now = clock.now_ns()
            assert max(shown, reached) <= now <= newest
            shown = now
            machine.ns += busy_ms * 10**6


def test_a_clock_without_waiting_shows_where_the_table_is():
    clock = DemoClock(0)
    begun = clock.now_ns()
    for at_ns in range(begun, begun + 4 * 10**12, 10**12):
        assert clock.wait_until(at_ns)
        assert clock.now_ns() == at_ns
    assert clock.rate == 1.0


def test_stopping_the_clock_wakes_whoever_waits():
    clock = DemoClock(1.0)
    threading.Timer(0.1, clock.stop).start()
    assert not clock.wait_until(clock.now_ns() + 60 * 10**9)


def test_a_long_wait_leaves_time_for_whoever_sits_at_the_desk():
    clock = DemoClock(1.0)
    turns = []
    assert clock.wait_until(clock.now_ns() + 350 * 10**6, lambda: turns.append(clock.now_ns()))
    assert len(turns) >= 2
    assert turns == sorted(turns)


def test_the_desk_is_answered_while_the_next_game_is_made_up(monkeypatch, tmp_path, built):
    """To make a game up takes half a minute, and there are twelve seconds between two games."""
    answers, asked = [], threading.Event()

    def slowly(_):
        if built and not asked.is_set():
            answers.append(built[0].desk.post(NamePlayers({"left": "Zoe"}, "director"), PATIENCE_S))
            asked.set()
        return ONE_TURN

    monkeypatch.setattr(source, "generate", slowly)
    config = TableConfig(
        name="Demo table",
        camera=Camera(kind="simulated"),
        simulated=SimulatedOptions(seed=1, speed=100, games=1),
        serve=Serve(on=False),
    )
    play(config, tmp_path, True, lambda _: None, Oracle(monkeypatch))
    assert [answer.done for answer in answers] == [True]


SAT = Table(rulebook="wespa-2021")
SAT.play("8G", "CAT")
GAME = SAT.state
"""A game that goes on."""
LATER = GAME.turns[-1].press_ns + SECOND


def stopped(by: str = "") -> GameState:
    return apply(GAME, ButtonPressed("neutral", LATER, by, "a call" if by else ""))


def ended(by: str = "") -> GameState:
    return apply(GAME, GameEnded("confirmed", LATER, by))


def ruled(state: GameState, by: str, ruling: str = "challenge_upheld") -> GameState:
    return apply(state, TurnRuled(1, ruling, by, "no word", LATER))


STANDING, OVER = stopped("Ann"), ended("Ann")
REOPENED = apply(OVER, GameReopened("director", "Ann", "by mistake", LATER))
SIGNED = apply(OVER, ResultSigned("both players", LATER))


@pytest.fixture
def clock(monkeypatch) -> DemoClock:
    """A clock that nobody has to wait for."""
    made = DemoClock(1.0)
    monkeypatch.setattr(made, "rest", lambda: None)
    return made


class Waiting:
    """Players at a table whose game is, at each look, the next of ``states``; the last stays."""

    def __init__(self, *states: GameState) -> None:
        self.session = SimpleNamespace(state=states[0])
        self.source = SimpleNamespace(put_right=self.put_right, putting_right=False)
        self.time = SimpleNamespace(simulation=SimpleNamespace(source=self.source))
        self.right: list[str] = []
        self.states = list(states[1:])
        self.waits = 0
        self.heeding = Heeding(self, GAME.game_id)

    def look(self) -> None:
        self.waits += 1
        if self.states:
            self.session.state = self.states.pop(0)
        assert self.waits < 50, "they wait for ever"

    def put_right(self, _state: GameState, side: str) -> bool:
        self.right.append(side)
        return True

    def goes_on(self, clock: DemoClock) -> bool:
        return self.heeding.goes_on(clock, self.look)


@pytest.mark.parametrize(
    ("states", "waits", "goes_on"),
    [
        ([GAME], 0, True),
        ([STANDING, STANDING, GAME], 2, True),
        # They stop the clock themselves, to challenge for example, and start it again.
        ([stopped()], 0, True),
        # A game that the desk ended may be reopened, until the next is asked for there.
        ([OVER, OVER, REOPENED], 2, True),
        ([OVER, SIGNED, SIGNED, replace(GAME, game_id="another", status="waiting")], 3, False),
        # A game that the players ended is theirs to finish.
        ([ended()], 0, True),
        ([replace(GAME, game_id="another")], 0, False),
    ],
)
def test_the_players_wait_for_the_desk_or_play_on(clock, states, waits, goes_on):
    players = Waiting(*states)
    assert (players.goes_on(clock), players.waits) == (goes_on, waits)


@pytest.mark.parametrize("ruling", ["challenge_upheld", "taken_back"])
def test_a_play_that_the_desk_rules_off_is_taken_off_though_the_clock_stands(clock, ruling):
    players = Waiting(STANDING, ruled(STANDING, "Ann", ruling))
    assert players.goes_on(clock)
    assert players.waits == 1
    assert players.heeding.puts_right()
    assert not players.heeding.puts_right()  # once is enough
    players.source.putting_right = True
    assert players.goes_on(clock)
    players.source.putting_right = False
    players.states.append(GAME)  # it is undone, and the clock started
    assert players.goes_on(clock)
    assert players.heeding.puts_right()
    assert players.right == ["left", "left"]


@pytest.mark.parametrize(
    ("by", "ruling"), [("the simulated director", "challenge_upheld"), ("Ann", "challenge_failed")]
)
def test_what_needs_no_tile_taken_off_changes_nothing_of_what_they_do(by, ruling):
    assert not Waiting(ruled(GAME, by, ruling)).heeding.puts_right()


def test_players_who_sit_down_are_not_skipped_for_the_game_before(clock):
    """The desk ended the game before; theirs has not begun, and then it is the one that counts."""
    players = Waiting(OVER)
    players.heeding.sit_down()
    assert players.goes_on(clock)
    assert (players.heeding.playing, players.heeding.before) == (None, OVER.game_id)
    players.session.state = replace(GAME, game_id="theirs")
    assert players.goes_on(clock)
    assert players.heeding.playing == "theirs"
    players.session.state = replace(GAME, status="waiting")
    assert not players.goes_on(clock)
    players.heeding.sit_down()
    assert players.heeding.before is None


def test_nobody_waits_for_a_clock_that_was_stopped_or_has_no_speed(clock):
    clock.stop()
    for one in (clock, DemoClock(0)):
        assert Waiting(STANDING).goes_on(one)
