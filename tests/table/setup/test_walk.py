"""``tilewatch setup``: steps, remedies, resuming, and what it writes."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import cv2
import pytest

from game.errors import TilewatchError
from game.events import from_payload
from record.log.event_log import EventLog
from record.paths import DATABASE
from sensors.drivers import CAMERAS
from sensors.video_file import FileOptions
from table.cli import main
from table.config import load_config
from table.doctor import run
from table.doctor.check import fine, wrong
from table.doctor.configuration import port
from table.doctor.machine import Machine
from table.setup import capture, steps
from table.setup.answers import (
    AnswerError,
    SetupState,
    SetupStoppedError,
    TerminalAsker,
    camera_section,
    write_config,
)
from table.setup.steps import camera_parser
from table.setup.walk import NAMES, Walk
from tests.machine import free_port, until

from .walkkit import EMPTY, Typist, draw_still


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    monkeypatch.setattr(capture, "SETTLING_S", 0.0)
    monkeypatch.setattr(capture, "PICTURES", 2)
    monkeypatch.setattr(steps, "LOOK_S", 0.3)
    monkeypatch.setattr(run, "speed", lambda _: fine("card", "fast"))  # writes to the disk for long
    monkeypatch.setattr(
        steps, "port", lambda *_, **__: fine("port", "is free")
    )  # a table may run here
    patient = replace(CAMERAS["file"], least_rate=0.0)  # a busy machine is slow
    monkeypatch.setitem(CAMERAS, "file", patient)


@pytest.fixture(scope="module")
def empty_board(tmp_path_factory):
    folder = tmp_path_factory.mktemp("camera")
    for name in ("empty.png", "later.png"):  # one alone is no video
        draw_still(folder / name)
    return folder


class Table:
    """A table being set up by somebody who types."""

    def __init__(self, folder):
        self.folder = folder
        self.config, self.data = folder / "table.toml", folder / "data"
        # Nothing of the machine's own is below this root.
        self.machine = Machine(root=folder, ask=lambda _: None)
        self.lines: list[str] = []

    def walk(self, *typed, again=()):
        self.lines.clear()
        walk = Walk(self.config, self.data)
        for name in again:
            walk.again(name)
        typist = Typist(*typed)
        asker = TerminalAsker(typist.read, self.lines.append, self.folder)
        started = walk.run(asker, self.lines.append, None, self.machine)
        assert typist.left == []
        return started

    def printed(self, text):
        return any(text in line for line in self.lines)


@pytest.fixture
def table(tmp_path):
    return Table(tmp_path)


def usual(camera):
    """The answers that have no default here, or another than a test can use."""
    return (
        ("Enter: check again", "l"),  # the machine's clock, which nobody keeps right here
        ("the camera", str(camera)),
        ("lay the whole set", "skip"),
        ("left player's name", "Ann"),
        ("right player's name", "Bob"),
        ("start the table", "no"),
    )


def test_a_walk_ends_in_a_configuration_that_a_table_takes(table, empty_board):
    assert table.walk(*usual(empty_board)) is False
    config = load_config(table.config)
    assert isinstance(config.camera.options, FileOptions)
    assert config.camera.options.path == empty_board
    assert config.buttons.hands == {"left": "bottom", "right": "top"}
    assert (config.players.left, config.players.right) == ("Ann", "Bob")
    assert config.data == table.data
    for name in ("camera", "place", "light", "board", "clock", "pages"):
        assert cv2.imread(str(table.data / "setup" / f"{name}.jpg")) is not None, name
    assert (table.data / "calibration" / "calibration.json").exists()
    assert table.printed("log in as director, password")
    picture = cv2.imread(str(table.data / "setup" / "pages.jpg"))
    address = cv2.QRCodeDetector().detectAndDecode(picture)[0]
    assert address.startswith("http://")
    assert table.printed(f"phones open {address}")


def test_it_goes_on_where_it_was_broken_off_and_does_a_step_again(table, empty_board):
    bare = table.folder / "nothing"
    bare.mkdir()
    for name in ("a.png", "b.png"):
        cv2.imwrite(str(bare / name), cv2.imread(str(empty_board / "empty.png"))[:300, :300])
    with pytest.raises(SetupStoppedError):
        table.walk(usual(empty_board)[0], ("the camera", str(bare)), ("Enter: check again", "q"))
    assert table.printed("NO  ")
    done = json.loads((table.data / "setup.json").read_text())["done"]
    assert list(done) == ["machine", "camera", "game"]
    table.walk(*usual(empty_board)[1:], again=("camera",))
    assert table.printed("(machine): done")
    assert table.walk(("left player's name", "Cy"), ("start", "no"), again=("players",)) is False
    assert load_config(table.config).players.left == "Cy"
    assert load_config(table.config).players.right == "Bob"
    assert table.printed("(place): done")


def test_an_answer_that_cannot_be_used_is_asked_for_again(table, empty_board, monkeypatch):
    """Cameras that are none, one name for two players, a port that is taken; capitals are well."""
    monkeypatch.setattr(steps, "port", port)
    first, chosen, tiles, left, right, start = usual(empty_board)
    wrong = [("the camera", "7"), ("the camera", "gone.mp4"), ("the camera", "ftp://a:b@c/")]
    sets = ("tile set", "klingon"), ("tile set", "English")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        ports = ("their port", str(number)), ("their port", str(free_port()))
        names = left, (right[0], "ann"), right
        table.walk(first, *wrong, chosen, *sets, tiles, *names, *ports, start)
    config = load_config(table.config)
    assert (config.tile_set, config.players.right) == ("english", "Bob")
    for text in (
        "there is no camera 7 in the list",
        "'gone.mp4': no such file",
        "url: must begin with rtsp://",
        "'klingon' is not one of",
        "'ann' is the other player",
        f":{number}: Address already in use",
        "give another port",
    ):
        assert table.printed(text), text
    assert not table.printed("a:b@")


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("'Club Abend'", "Club Abend"),  # pasted as a shell has it
        ('"Club Abend"', "Club Abend"),
        (r"Club\ Abend", "Club Abend"),
        ("Ann's", "Ann's"),
        ("Bob's", None),
    ],
)
def test_a_path_is_taken_with_or_without_the_quotation_marks_of_a_shell(tmp_path, typed, name):
    for folder in ("Club Abend", "Ann's"):
        (tmp_path / folder).mkdir()
    with pytest.raises(AnswerError, match="no such file") if name is None else nullcontext():
        assert camera_parser((), tmp_path)(typed) == str(tmp_path / str(name))


@pytest.mark.parametrize(
    ("question", "done"),
    [("the camera", 1), ("the table's name", 2), ("left player's name", NAMES.index("players"))],
)
def test_q_alone_breaks_off_at_every_question(table, empty_board, question, done):
    answers = {"camera": str(empty_board), "tile_set": "english"} if done > 1 else {}
    SetupState(answers=answers, done=dict.fromkeys(NAMES[:done], "as before")).save(table.data)
    with pytest.raises(SetupStoppedError):
        table.walk((question, "q"))
    assert "q" not in json.loads((table.data / "setup.json").read_text())["answers"].values()


def test_an_answer_typed_at_a_fault_is_not_swallowed_without_a_word():
    lines: list[str] = []
    typist = Typist(("Enter: check again", "game.mp4"), ("Enter: check again", ""))
    asker = TerminalAsker(typist.read, lines.append, Path())
    assert asker.goes_on("camera", wrong("camera", "black", "more light"), grave=False) is False
    assert "Enter asks the questions of this step again" in lines[0]


def test_how_to_go_on_is_said_as_it_was_called(tmp_path, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("sys.argv", [".venv/bin/tilewatch", "setup"])
    monkeypatch.setattr(Walk, "run", interrupted)
    assert main(["setup", "--data", str(tmp_path), "--config", str(tmp_path / "t.toml")]) == 130
    last = capsys.readouterr().err.splitlines()[-1]
    wanted = f".venv/bin/tilewatch setup --config {tmp_path}/t.toml --data {tmp_path}"
    assert last == f"`{wanted}` goes on from here"


def test_tiles_on_the_board_are_named_and_one_remedy_given(table):
    rows = (*EMPTY[:7], "...HORN........", *EMPTY[8:])
    draw_still(table.folder / "camera" / "a.png", rows)
    done = dict.fromkeys(("machine", "camera", "game", "place", "light"), "as before")
    answers = {"camera": str(table.folder / "camera"), "tile_set": "english"}
    SetupState(answers=answers, done=done).save(table.data)
    with pytest.raises(SetupStoppedError):
        table.walk(("Enter: check again", "q"))
    (fault,) = [line for line in table.lines if "something seems to lie" in line]
    assert fault.count("→") == 1
    assert "8D, 8E, 8F, 8G" in fault


def test_a_dark_picture_ends_a_walk_by_answers_with_one_line(tmp_path, capsys):
    draw_still(tmp_path / "camera" / "a.png", light=0.0)
    (tmp_path / "answers.toml").write_text('camera = "camera"\naccept = ["machine"]\n')
    options = ["--config", str(tmp_path / "table.toml"), "--data", str(tmp_path / "data")]
    assert main(["setup", "--answers", str(tmp_path / "answers.toml"), *options]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("tilewatch: camera: ")
    assert "all black" in last
    assert not (tmp_path / "table.toml").exists()
    done = json.loads((tmp_path / "data" / "setup.json").read_text())["done"]
    assert "camera" not in done


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("accept = ['machine']", "no answer for 'camera'"),
        ("accept = ['machine']\ncamera = 'gone.mp4'", "camera: 'gone.mp4': no such file"),
        ("accept = ['machine']\ncamera = 'rtsp://u:hidden@/x'", "camera: url: must be like"),
    ],
)
def test_a_bad_answer_is_one_line_that_names_it(tmp_path, capsys, text, says):
    (tmp_path / "answers.toml").write_text(text + "\n")
    options = ["--config", str(tmp_path / "table.toml"), "--data", str(tmp_path / "data")]
    assert main(["setup", "--answers", str(tmp_path / "answers.toml"), *options]) == 2
    *before, last = capsys.readouterr().err.splitlines()
    assert last.startswith(f"tilewatch: {tmp_path / 'answers.toml'}: ")
    assert says in last
    assert "hidden" not in last
    assert not any("Traceback" in line for line in before)


def test_a_configuration_that_somebody_changed_is_not_replaced(tmp_path):
    path, state = tmp_path / "table.toml", SetupState()
    state.note_written(write_config(path, {"camera": "pi"}, tmp_path))
    state.save(tmp_path)
    Walk(path, tmp_path)
    path.write_text(path.read_text() + "# mine\n")
    with pytest.raises(TilewatchError, match=r"is there already.*--overwrite"):
        Walk(path, tmp_path)
    Walk(path, tmp_path, overwrite=True)


def test_the_login_of_a_network_camera_is_for_the_owner_alone(tmp_path):
    path = tmp_path / "table.toml"
    write_config(path, {"camera": "rtsp://ann:pw@192.0.2.1/x"}, tmp_path)
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("answer", "kind"),
    [("/dev/video97", "webcam"), ("/dev/shm", "file"), ("pi", "pi"), ("rtsp://cam/board", "url")],
)
def test_an_answer_names_a_kind_of_camera(answer, kind):
    assert camera_section(answer)["kind"] == kind


@pytest.mark.slow
def test_a_newcomer_reaches_a_running_table(empty_board, tmp_path, capfd):
    answers, data, number = tmp_path / "answers.toml", tmp_path / "data", free_port()
    answers.write_text(
        f'camera = "{empty_board}"\ntiles = "skip"\nclock = "none"\nleft = "Ann"\nright = "Bob"\n'
        f'pages = "here"\nport = {number}\naccept = ["machine", "camera"]\n'
    )

    def stop_the_table() -> None:
        """Interrupt it once it serves its pages: it runs then."""
        until(answers_there)
        os.kill(os.getpid(), signal.SIGINT)

    def answers_there() -> bool:
        with socket.socket() as page:
            return page.connect_ex(("127.0.0.1", number)) == 0

    watching = threading.Thread(target=stop_the_table)
    watching.start()
    options = ["--config", str(tmp_path / "table.toml"), "--data", str(data)]
    status = main(["setup", "--answers", str(answers), *options])
    watching.join()
    assert status == 0, capfd.readouterr().err
    with EventLog(data / DATABASE, readonly=True) as log:
        (start,) = (from_payload(one.payload) for one in log.events() if one.type == "GameStarted")
    assert start.players == {"left": "Ann", "right": "Bob"}
