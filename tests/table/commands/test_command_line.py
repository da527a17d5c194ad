"""The command: what it prints, where it writes, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from importlib import metadata

import cv2
import pytest

from game.events import from_payload
from game.gcg import check, parse
from game.state.fold import fold
from record.log.event_log import EventLog
from table import calibrated_reader
from table.cli import main
from tests.conftest import heeds_ctrl_c
from tests.machine import PATIENCE_S, until
from vision.images import decode_image

GCG = """#character-encoding UTF-8
#incomplete
#player1 Ann Ann
#player2 Bob Bob
>Ann: CAT 8G CAT +10 10
>Bob: EX H8 .XE +10 10
"""


def run(*argv, **options):
    return subprocess.run(
        [sys.executable, "-m", "table.cli", *map(str, argv)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        **options,
    )


@pytest.fixture
def record(tmp_path):
    """A short game record that is right."""
    path = tmp_path / "game.gcg"
    path.write_text(GCG, "utf-8")
    return path


@pytest.fixture
def recording(tmp_path, bench, put, drawn, monkeypatch):
    """A drawn recording of three turns, and a reader that knows it."""
    folder = tmp_path / "recording"
    (folder / "frames").mkdir(parents=True)
    (folder / "recording.toml").write_text(
        'name = "Café 1"\ntile_set = "english"\nstills = true\n'
        'players = { left = "Ann", right = "Bob" }\n',
        "utf-8",
    )
    first = put("8G", "CAT")
    boards = [first, put("H8", ".XE", first), put("H8", ".XE", first)]
    presses = ["t_ms,button", "0,right"]
    for number, board in enumerate(boards, start=1):
        jpeg = cv2.imencode(".jpg", drawn(board, seed=number))[1].tobytes()
        (folder / "frames" / f"{number * 1000 - 100:09}.jpg").write_bytes(jpeg)
        bench.reader.teach(decode_image(jpeg, "drawn"), board)
        presses.append(f"{number * 1000},{'left' if number % 2 else 'right'}")
    (folder / "buttons.csv").write_text("\n".join(presses) + "\n", "utf-8")
    monkeypatch.setattr(calibrated_reader, "board_reader", lambda tile_set, threads=1: bench.reader)
    return folder


def test_help_and_version():
    done = run("--help")
    assert done.returncode == 0
    for command in ("demo", "replay", "read", "score", "evaluate"):
        assert f"\n  {command} " in done.stdout
    assert run("--version").stdout == f"tilewatch {metadata.version('tilewatch')}\n"


def test_help_loads_nothing_heavy():
    program = (
        "import sys; from table.cli import main; main(['--help'])\n"
        "heavy = {'numpy', 'cv2', 'onnxruntime', 'flask', 'torch', 'ultralytics', 'pydantic'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr == "[]\n"


@pytest.mark.parametrize(
    ("words", "offers"),
    [
        ("re", {"read", "replay", "restore", "repair", "retention"}),
        ("score --j", {"--json"}),
        ("rulebooks wes", {"wespa-2007", "wespa-2021"}),
        ("accounts l", {"list", "link"}),
        ("nonsense x", set()),
    ],
)
def test_the_shell_completes_commands_options_and_values(words, offers):
    words = f"tilewatch {words}"
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = run(env=os.environ | asked | {"_TILEWATCH_COMPLETE": "bash_complete"})
    assert (done.returncode, done.stderr) == (0, "")
    assert {line.removeprefix("plain,") for line in done.stdout.split()} == offers


# --- score ---


@pytest.mark.parametrize(
    ("first", "status", "says"),
    [
        ("+10 10", 0, [": ok (2 turns, Ann 10 : Bob 10; english tiles)"]),
        ("+11 11", 1, [": 2 figures are wrong", "line 5", "written 11, due 10"]),
    ],
)
def test_a_record_is_right_or_its_wrong_figure_is_named(record, capsys, first, status, says):
    record.write_text(GCG.replace("CAT +10 10", f"CAT {first}"), "utf-8")
    assert main(["score", str(record)]) == status
    out = capsys.readouterr().out
    assert out.startswith(f"{record}{says[0]}")
    assert [text for text in says if text not in out] == []


def test_score_json(record, capsys):
    record.write_text(GCG.replace("+10 10\n>Bob", "+9 10\n>Bob"), "utf-8")
    assert main(["score", "--json", str(record)]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["file"] == str(record)
    assert not document["ok"]
    (mismatch,) = document["mismatches"]
    assert (mismatch["line"], mismatch["written"], mismatch["due"]) == (5, 9, 10)
    assert main(["score", "--json", str(record), str(record)]) == 1
    assert len(json.loads(capsys.readouterr().out)) == 2


def test_a_bad_record_among_good_ones_is_named_and_the_good_are_checked(record, tmp_path, capsys):
    assert main(["score", str(tmp_path / "none.gcg"), str(record)]) == 2
    out, err = capsys.readouterr()
    assert out.startswith(f"{record}: ok")
    assert (
        err == f"tilewatch: {tmp_path / 'none.gcg'}: cannot be read (No such file or directory)\n"
    )


# --- replay ---


def test_replay_prints_and_writes_the_game(recording, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["replay", str(recording), "--out", str(out), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["players"] == {"left": "Ann", "right": "Bob"}
    assert document["rulebook"] == "wespa-2021"
    assert document["tile_set"] == "english"
    assert document["status"] == "running"
    turns = document["turns"]
    assert [(t["number"], t["side"], t["kind"]) for t in turns] == [
        (1, "left", "play"),
        (2, "right", "play"),
        (3, "left", "exchange_or_pass"),
    ]
    assert turns[1] | {"flags": []} == turns[1]
    assert (turns[1]["position"], turns[1]["word"]) == ("H8", ".XE")
    assert turns[1]["tiles"] == {"9H": "X", "10H": "E"}
    assert (turns[1]["score"], turns[1]["total"], turns[1]["press_ms"]) == (10, 10, 2000)
    assert document["scores"] == {"left": 10, "right": 10}
    assert document["flags"] == []
    assert document["rows"][8] == ".......X......."
    for kind in ("per_press", "per_frame"):
        assert document["ms"][kind]["p99"] >= document["ms"][kind]["p50"] >= 0

    (gcg,) = out.glob("*.gcg")
    assert check(parse(gcg.read_bytes(), gcg.name)) == []
    assert main(["score", str(gcg)]) == 0
    kept = {path.stem for path in (out / "evidence").glob("*.jpg")}
    with EventLog(out / "tilewatch.db", readonly=True) as log:
        assert log.verify() is None
        pictures = [
            picture
            for event in log.events()
            if event.type == "PicturesKept"
            for picture in event.payload["pictures"]
        ]
        assert kept == {picture["sha256"] for picture in pictures}
        assert sorted(p["square"] for p in pictures if p["role"] == "crop") == sorted(
            square for turn in turns for square in turn["tiles"]
        )
        state = fold(from_payload(event.payload) for event in log.events())
    assert [turn.word for turn in state.turns] == ["CAT", ".XE", None]


def test_replay_plays_by_what_the_recording_says_was_announced(recording, tmp_path):
    toml = recording / "recording.toml"
    plain = toml.read_text("utf-8") + 'rulebook = "wespa-2007"\n'
    toml.write_text(
        plain + 'announced = { clock.minutes = 22, challenge = "lose_turn" }\n', "utf-8"
    )
    assert main(["replay", str(recording), "--out", str(tmp_path / "out")]) == 0
    (gcg,) = (tmp_path / "out").glob("*.gcg")
    text = gcg.read_text("utf-8")
    assert "challenge.failed=lose_turn clock.minutes=22" in text
    gcg.write_text(text.replace("#player1", "#incomplete\n#player1"), "utf-8")
    assert main(["score", str(gcg)]) == 0


def test_replay_writes_to_the_data_folder_unless_told_otherwise(
    recording, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    assert main(["replay", str(recording)]) == 0
    assert (tmp_path / "home" / "tilewatch" / "tilewatch.db").is_file()
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0].split() == ["player", "at", "play", "score", "total", "flags"]
    assert lines[1].split() == ["1", "Ann", "8G", "CAT", "10", "10"]
    assert lines[-1] == "Ann 10  Bob 10"
    assert str(tmp_path / "home") in err
    assert main(["replay", str(recording)]) == 0  # and once more: both are kept
    assert len(list((tmp_path / "home" / "tilewatch").glob("*.gcg"))) == 2
    with EventLog(tmp_path / "home" / "tilewatch" / "tilewatch.db", readonly=True) as log:
        assert len(log.game_ids()) == 2


def test_replay_shows_flags(recording, bench, capsys, tmp_path):
    for key, reading in bench.reader.taught.items():
        rows = ("Q" + reading.rows[0][1:], *reading.rows[1:])
        bench.reader.taught[key] = replace(reading, rows=rows)
    assert main(["replay", str(recording), "--out", str(tmp_path / "o")]) == 0
    assert "\nturn 1: not_one_line" in capsys.readouterr().out


def test_a_recording_without_turns_has_no_record(recording, tmp_path, capsys):
    with EventLog(tmp_path / "o" / "tilewatch.db"):  # a data folder in use is refused
        assert main(["replay", str(recording), "--out", str(tmp_path / "o")]) == 2
    assert "another tilewatch" in capsys.readouterr().err
    (recording / "buttons.csv").write_text("t_ms,button\n")
    assert main(["replay", str(recording), "--out", str(tmp_path / "o"), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["turns"] == []
    assert json.loads(out)["gcg"] is None
    assert "no turns" in err


# --- the world around ---


def test_a_closed_pipe_is_one_line(record):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "table.cli", "score", str(record)],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert done.returncode == 2
    assert done.stderr == "tilewatch: standard output was closed before the answer was written\n"


def test_ctrl_c_is_one_line(tmp_path):
    command = ["accounts", "add", "ann", "--password-stdin", "--data", str(tmp_path)]
    with subprocess.Popen(
        [sys.executable, "-m", "table.cli", *command],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heeds_ctrl_c,  # noqa: PLW1509 - it only sets a signal
    ) as process:
        # Once its database is there the command runs; then it waits for what never comes.
        until((tmp_path / "web.db").exists)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
        assert process.stderr is not None
        assert process.stderr.read() == "tilewatch: interrupted\n"


JOIN = "join K7QM-2D9F-XW3T --hub http://127.0.0.1:9 --data {}"


@pytest.mark.parametrize(
    ("command", "named", "package", "option"),
    [
        (JOIN, "tilewatch join", "paho", "--hub"),
        (JOIN, "tilewatch join", "spake2", "--hub"),
    ],
)
def test_a_command_without_its_packages_says_how_to_get_them(
    tmp_path, command, named, package, option
):
    code = (
        f"import sys\nsys.modules[{package!r}] = None\n"
        f"from table.cli import main\nsys.exit(main({command.format(tmp_path).split()!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (
        2,
        f"tilewatch: {named} needs {package}, which a plain install leaves out; "
        f"install it with: sh install.sh {option}\n",
    )


@pytest.mark.parametrize(
    ("closing", "status"),
    [
        ("tilewatch rulebooks >&-", 2),
        ("tilewatch rulebooks --json >&-", 2),
        ("tilewatch --version >&-", 2),
        ("tilewatch rulebooks 2>&- >/dev/null", 0),
        ("tilewatch bogus 2>&-", 2),
        ("tilewatch bogus >&- 2>&-", 2),
        ("tilewatch rulebooks > /dev/full", 2),
    ],
)
def test_a_stream_that_is_closed_from_the_start(closing, status):
    script = f'tilewatch() {{ "{sys.executable}" -m table.cli "$@"; }}; {closing}'
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == (1 if status and "2>&-" not in closing else 0)


def test_a_user_without_a_home_names_a_folder(monkeypatch, capsys):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr("pathlib.Path.home", homeless)
    for command in (["export", "last"], ["retention"], ["run"]):
        assert main(command) == 2
        assert "name a folder with --data" in capsys.readouterr().err
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "NO  data folder: this user has no home folder" in out
