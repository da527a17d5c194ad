"""The demo: simulated games through the whole pipeline, and an honest answer about them."""

from __future__ import annotations

import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.board import Square
from game.errors import TilewatchError
from game.events import GameForfeited
from record.log.event_log import EventLog
from simulation import Script, ScriptTurn, SimulatedTable, generate, source
from simulation.demo_clock import DemoClock
from table import live, simulated_devices
from table.build import build_table
from table.config import Camera, Serve, SimulatedOptions, TableConfig
from table.demo import demo, play
from tests.conftest import heeds_ctrl_c
from tests.readerkit import OneLook
from vision.reading import Reading

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
        rows = [
            [
                "~"
                if truth.covered[row, col] > 0.3
                else self._wrong.get(Square(row, col), symbol)
                if symbol.isupper()
                else "?"
                if symbol.islower()
                else symbol
                for col, symbol in enumerate(line)
            ]
            for row, line in enumerate(truth.rows)
        ]
        return Reading(
            corners=truth.corners,
            rows=tuple("".join(row) for row in rows),
            confidence=np.full((15, 15), 0.99, np.float32),
            rotation=np.zeros((15, 15), np.int8),
            guesses={},
            findings=(),
            upright=1.0,
        )


@pytest.fixture
def played(monkeypatch, tmp_path):
    """Plays one game as fast as it goes: what was printed, and what came of it."""

    def played(script, reader=None, seed=8, listener=None):
        monkeypatch.setattr(source, "generate", lambda _: script)
        config = TableConfig(
            simulated=SimulatedOptions(seed=seed, speed=0, pace="brisk"), serve=Serve(on=False)
        )
        lines = []

        def say(line):
            lines.append(line)
            if listener is not None:
                listener(line)

        outcome = play(config, tmp_path, True, say, reader)
        with EventLog(tmp_path / "tilewatch.db", readonly=True) as log:
            assert log.verify() is None
            types = [event.type for event in log.events()]
        return outcome, lines, types

    return played


def test_a_game_with_all_kinds_of_turns_is_recorded_as_played(monkeypatch, tmp_path, played):
    outcome, lines, types = played(SHORT, Oracle(monkeypatch))
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
def test_a_misread_tile_is_said_and_never_hidden(monkeypatch, played):
    outcome, lines, _ = played(SHORT, Oracle(monkeypatch, {"9H": "E"}))
    assert "turn 4: 9H F, read as E" in outcome.differences
    assert "turn 4: score 6, recorded 3" in outcome.differences
    assert "differences in 4 turns" in "\n".join(lines)
    assert "all 4 turns" not in "\n".join(lines)


@pytest.mark.slow
def test_whoever_sits_at_the_desk_has_a_say_and_sees_the_table(monkeypatch, tmp_path, played):
    tables, pictures = [], []

    def known(*args):
        tables.append(build_table(*args))
        return tables[-1]

    monkeypatch.setattr(live, "build_table", known)

    def listener(line):
        if "8G" in line:
            desk = tables[0].desk
            desk.name({"left": "Zoe"}, timeout_s=0)  # within the loop there is no waiting
            pictures.append((desk.picture(), desk.phase, desk.trouble()))

    outcome, lines, types = played(SHORT, Oracle(monkeypatch), listener=listener)
    assert lines[2].split()[:2] == ["2", "Bob"]
    assert lines[3].split()[:2] == ["3", "Zoe"]
    assert lines[-2].startswith("Not compared")
    assert outcome.differences == []
    (picture, phase, trouble), *_ = pictures
    assert (phase, trouble) == ("running", ())
    assert picture.jpeg.startswith(b"\xff\xd8")
    assert picture.rows[7][6:9] == "TO?"
    assert len(picture.corners) == 4
    assert types.count("PicturesKept") >= 4
    assert list((tmp_path / "evidence").glob("*.jpg"))


@pytest.fixture
def attended(monkeypatch, tmp_path):
    """Plays a game at some speed, while ``act(table)`` is called once its first turn is scored."""

    def attended(act, games=1):
        monkeypatch.setattr(source, "generate", lambda _: SHORT)
        tables, lines, over = [], [], []

        def known(*args):
            tables.append(build_table(*args))
            return tables[-1]

        def say(line):
            lines.append(line)
            if "8G" in line and len(lines) < 4:
                threading.Thread(target=act, args=(tables[0],), daemon=True).start()
            if line.startswith(("Result", "Not final")):
                over.append(line)
                if len(over) == games:
                    tables[0].time.simulation.clock.stop()

        monkeypatch.setattr(live, "build_table", known)
        config = TableConfig(
            simulated=SimulatedOptions(speed=20, pace="brisk", between_s=5), serve=Serve(on=False)
        )
        play(config, tmp_path, False, say, Oracle(monkeypatch))
        return lines

    return attended


@pytest.mark.slow
def test_the_players_wait_while_a_clock_stands_that_was_stopped_at_the_desk(attended):
    seen = []

    def act(table):
        assert table.desk.press_for("neutral", "director", by="Ann", why="a phone rang").done
        stopped_ns = table.desk.now_ns()
        for _ in range(10):
            time.sleep(0.1)
            seen.append((len(table.session.state.turns), table.desk.now_ns() - stopped_ns))
        assert table.desk.press_for("left", "director", by="Ann", why="it rings no more").done

    lines = attended(act)
    assert {turns for turns, _ in seen} == {1}
    assert seen[-1][1] < 2 * 10**9  # 20 seconds of the table's time, had it gone on
    assert sum("Bob" in line for line in lines) > 1


@pytest.mark.slow
def test_the_players_go_on_to_the_next_game_once_the_desk_has_ended_theirs(monkeypatch, attended):
    monkeypatch.setattr(simulated_devices, "_GRACE_S", 0.3)

    def act(table):
        event = GameForfeited("right", "resigned", "Ann", "a train", table.desk.now_ns())
        assert table.desk.rule(table.session.state.game_id, event, "director").done

    lines = attended(act, games=2)
    first, second = (at for at, line in enumerate(lines) if line.startswith("Game "))
    assert second - first < 6  # one turn, its result, and how it was compared
    assert any("8G" in line for line in lines[second:])
    assert not [line for line in lines if "delivers no pictures" in line]


@pytest.mark.slow
def test_the_exit_status_tells_whether_the_game_was_read_right(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(source, "generate", lambda _: ONE_TURN)
    for wrong, status in (({}, 0), ({"8G": "Y"}, 1)):
        with monkeypatch.context() as patch:
            oracle = Oracle(patch, wrong)
            patch.setattr(live, "calibrated_reader", lambda *_, made=oracle: made)
            data = tmp_path / f"status {status}"
            assert demo(speed=0, once=True, serve=False, data=data) == status
            with EventLog(data / "tilewatch.db", readonly=True) as log:
                assert [event.type for event in log.events()].count("TurnSeen") == 1
    assert "8G T, read as Y" in capsys.readouterr().out


@pytest.mark.slow
def test_an_events_pairings_name_the_players_of_the_demo(monkeypatch, tmp_path, capsys):
    oracle = Oracle(monkeypatch)
    monkeypatch.setattr(live, "calibrated_reader", lambda *_: oracle)
    monkeypatch.setattr(source, "generate", lambda _: SHORT)
    pairings = tmp_path / "pairings.csv"
    pairings.write_text(
        "round,table,left,left_score,right,right_score\n"
        "1,1,Bo Li,400,Aiko Ito,380\n2,1,Aiko Ito,,Bo Li,\n"
    )
    assert demo(speed=0, once=True, serve=False, data=tmp_path / "d", pairings=pairings) == 0
    assert "Game 1: Aiko Ito against Bo Li" in capsys.readouterr().out


@pytest.mark.slow
def test_the_first_turns_of_a_game_through_the_real_reader(played):
    """The shipped weights find this board and read these tiles: no corners, no hints."""
    script = generate(8)
    short = replace(script, turns=script.turns[:10], finals={})
    outcome, lines, _ = played(short)
    assert outcome.differences == []
    assert lines[-2] == "Compared with what was played: all 10 turns read and scored right."


def test_what_cannot_be_used_is_one_line(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(TilewatchError, match=r"in use.*another port"):
            demo(port=taken.getsockname()[1], once=True)
    for name, content in (("none.gcg", None), ("bad.gcg", b"\x00\xff\x00"), ("empty.gcg", b"")):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(TilewatchError, match=name) as caught:
            demo(gcg=tmp_path / name, serve=False)
        assert "\n" not in str(caught.value)
    for speed in (-1, 1000, float("nan")):
        with pytest.raises(TilewatchError, match="--speed"):
            demo(speed=speed, serve=False)


def test_the_command_shows_its_pages_and_stops_cleanly(tmp_path):
    record = tmp_path / "game.gcg"  # to make a game up takes a while
    record.write_text("#player1 Ann Ann\n#player2 Bob Bob\n>Ann: CATERSI 8G CAT +10 10\n")
    command = [sys.executable, "-m", "table.cli", "demo", "--port", "0", "--gcg", str(record)]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heeds_ctrl_c,  # noqa: PLW1509 - it only sets a signal
    ) as running:
        try:
            first = running.stdout.readline()
            url = next(word for word in first.split() if word.startswith("http://"))
            with urllib.request.urlopen(url, timeout=30) as page:
                assert page.status == 200
                assert b"tilewatch" in page.read()
            account = running.stdout.readline()
            assert "log in as director, password " in account
            assert len(account.split()[-1]) == 19
            assert running.stdout.readline().startswith("Game 1:")
            os.kill(running.pid, signal.SIGINT)
            out, err = running.communicate(timeout=60)
        finally:
            running.kill()
    assert "Stopped." in out
    assert err.startswith("uses data in a folder that is deleted at the end")
    assert err.count("\n") == 1
    assert running.returncode == 0


def test_the_clock_runs_at_its_speed_and_never_far_ahead():
    clock = DemoClock(50.0)
    begun = clock.now_ns()
    assert clock.wait_until(begun + 1_000_000_000)
    assert clock.now_ns() >= begun + 1_000_000_000
    # Time goes on outside, but nothing has happened there.
    assert clock.now_ns() == begun + 1_000_000_000


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
    for seconds in itertools.count(1):
        assert clock.wait_until(begun + seconds * 10**12)
        assert clock.now_ns() == begun + seconds * 10**12
        if seconds == 3:
            break
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


def test_the_desk_is_answered_while_the_next_game_is_made_up(monkeypatch, tmp_path):
    """To make a game up takes half a minute, and there are twelve seconds between two games."""
    answers, asked = [], threading.Event()

    def slowly(_):
        if desks and not asked.is_set():
            answers.append(desks[0].name({"left": "Zoe"}, timeout_s=20))
            asked.set()
        return ONE_TURN

    desks = []

    def known(*args):
        table = build_table(*args)
        desks.append(table.desk)
        return table

    monkeypatch.setattr(source, "generate", slowly)
    monkeypatch.setattr(live, "build_table", known)
    config = TableConfig(
        name="Demo table",
        camera=Camera(kind="simulated"),
        simulated=SimulatedOptions(seed=1, speed=100, games=1),
        serve=Serve(on=False),
    )
    play(config, tmp_path, True, lambda _: None, Oracle(monkeypatch))
    assert [answer.done for answer in answers] == [True]
