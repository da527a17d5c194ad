"""Whatever is handed to a command, it answers in one line, writes nothing, and has no traceback.

The cases are in ``refusals.toml`` and ``configurations.toml``.
"""

from __future__ import annotations

import resource
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import cv2
import numpy as np
import pytest

from record.log.event_log import EventLog
from table.cli import main
from table.doctor.reader import drawn
from table.doctor.run import checked_file

HERE = Path(__file__).parent
CASES = [
    pytest.param(case, run, id=f"{run or 'no command'}: {'; '.join(case['says'])[:60]}")
    for case in tomllib.loads((HERE / "refusals.toml").read_text("utf-8"))["case"]
    for run in case["runs"]
]
CONFIGURATIONS = [
    pytest.param(case["toml"], case["says"], id=case["says"])
    for case in tomllib.loads((HERE / "configurations.toml").read_text("utf-8"))["case"]
]
RECORDING = {
    "recording/recording.toml": (
        'name = "game"\ntile_set = "english"\nstills = true\n'
        'players = { left = "Ann", right = "Bob" }\n'
    ),
    "recording/buttons.csv": "t_ms,button\n0,right\n1000,left\n",
    "recording/frames/000000900.jpg": {"picture": [400, 400]},
}


def picture(path: Path, size: list[int], flat: bool = False, cut: int | None = None) -> None:
    if flat:
        image = np.full((*size, 3) if size[0] < 1000 else size, 120, np.uint8)
    else:
        image = np.random.default_rng(1).integers(0, 255, (*size, 3)).astype(np.uint8)
    path.write_bytes(cv2.imencode(path.suffix, image)[1].tobytes()[:cut])


def put(path: Path, content) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    match content:
        case str():
            path.write_text(content, "utf-8")
        case {"picture": size, **more}:
            picture(path, size, **more)
        case {"text": text, "encoding": encoding}:
            path.write_text(text, encoding)
        case {"bytes": data}:
            path.write_bytes(bytes(data))
        case {"link": target}:
            path.symlink_to(target)
        case {"gone": True}:
            pass
        case _:
            raise ValueError(content)


@pytest.fixture
def refused(tmp_path, monkeypatch, capfd):
    """``refused("read", path)``: what the command says is wrong, in one line.

    Libraries below Python may write to the terminal too, so the descriptors are read.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "own"))

    def refused(*argv: object) -> str:
        status = main([*map(str, argv)])
        out, err = capfd.readouterr()
        *before, last = err.splitlines()
        assert (status, out) == (2, ""), err
        assert all(line.startswith("uses ") for line in before), err
        assert last.startswith("tilewatch: ")
        return err.rstrip()

    return refused


@pytest.mark.parametrize(("case", "run"), CASES)
def test_what_cannot_be_used_is_one_line_that_says_so(refused, tmp_path, case, run):
    files = {**(RECORDING if "given" in case else {}), **case.get("files", {})}
    for name, content in files.items():
        put(tmp_path / name, content)
    line = refused(*shlex.split(run))
    for text in case["says"]:
        assert text in line
    for name in ("out", *case.get("nothing", ())):
        assert not (tmp_path / name).exists()


@pytest.mark.parametrize(("toml", "says"), CONFIGURATIONS)
def test_a_configuration_that_cannot_be_meant_is_refused_at_once(refused, tmp_path, toml, says):
    """A device that is not there is waited for; a configuration that is wrong stays wrong."""
    file, data = tmp_path / "table.toml", tmp_path / "data"
    file.write_text(toml, "utf-8")
    line = refused("run", "--config", file, "--data", data)
    assert f"{file}: " in line
    assert says in line
    assert not data.exists()
    first = next(checked_file(file, data))
    assert (first.ok, says in first.says) == (False, True)


def test_a_line_stays_readable_however_long_what_it_quotes(refused, tmp_path):
    record = tmp_path / "long.gcg"
    record.write_text(f"#player1 a Ann\n#player2 b Bob\n>a: CAT 8H CAT +10 {'9' * 6000}\n", "utf-8")
    line = refused("score", record)
    assert len(line) < 700
    assert "long.gcg: line 3: '999" in line
    assert line.endswith("is not a running total")


def test_a_record_that_is_not_there_leaves_no_game_in_the_log(refused, tmp_path):
    (tmp_path / "table.toml").write_text('[simulated]\ngcg = "none.gcg"\n[serve]\non = false\n')
    assert "none.gcg" in refused("run", "--config", "table.toml", "--data", "data")
    with EventLog(tmp_path / "data" / "tilewatch.db") as log:
        assert log.game_ids() == []


def test_a_library_that_cannot_be_loaded_is_one_line(refused, monkeypatch):
    def broken(*_, **__):
        raise ImportError("libGL.so.1: cannot open shared object file")

    monkeypatch.setattr("record.log.event_log.EventLog.__init__", broken)
    line = refused("export", "last", "--data", ".")
    assert "libGL.so.1" in line
    assert "sh install.sh" in line


def test_a_picture_without_a_board_is_not_guessed_at(refused, tmp_path):
    """Sky, wood grain and plain noise: nothing that could be taken for a grid."""
    sky = np.linspace(120, 250, 480)[:, None, None] * np.ones((1, 640, 3))
    grain = np.sin(np.linspace(0, 60, 480))[:, None, None] * 20 + 120
    wood = grain + np.random.default_rng(2).normal(0, 6, (480, 640, 3))
    noise = np.random.default_rng(1).integers(0, 255, (480, 640, 3))
    for name, image in (("sky", sky), ("wood", wood), ("noise", noise)):
        cv2.imwrite(str(tmp_path / f"{name}.jpg"), image.astype(np.uint8))
        assert f"{name}.jpg: no board found" in refused("read", "--json", f"{name}.jpg")


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    """A drawn board of 40 megapixels."""
    picture = cv2.resize(drawn("english"), (8000, 5000), interpolation=cv2.INTER_LINEAR)
    path = tmp_path_factory.mktemp("memory") / "board.jpg"
    assert cv2.imwrite(str(path), picture)
    return path


@pytest.mark.parametrize(
    "megabytes",
    [
        100,
        550,
        700,
        *(pytest.param(one, marks=pytest.mark.slow) for one in (300, 450, 500, 575, 600)),
    ],
)
def test_too_little_memory_is_said_and_never_a_crash_or_no_picture(board, megabytes):
    """A large picture is read where there is room, else one line says why not."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 2**20, megabytes * 2**20))

    done = subprocess.run(
        [sys.executable, "-m", "table.cli", "read", str(board)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limited,
    )
    if done.returncode == 0:
        assert "board found" in done.stdout
        return
    assert done.returncode == 2, done.stderr
    assert "too little memory" in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("erase last --by Dee --why asked --data none", "no such event log"),
        ("hub --publish ftp://x --data none --port 0", "publish to a folder"),
    ],
)
def test_what_is_refused_makes_no_data_folder(tmp_path, monkeypatch, capsys, words, says):
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert not (tmp_path / "none").exists()
