"""Real games, in stills and in motion, through the whole pipeline, against what is known."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from game.errors import TilewatchError
from table.cli import main
from table.evaluate.recordings import (
    ExpectedTurn,
    ReplayScore,
    compared,
    due_turns,
    is_recording,
    line,
)
from tools.film.make import film
from tools.film.stills import load_stills
from tools.film.variants import parse_variant

from .sharedkit import due, expected, read, shortened


@pytest.mark.parametrize(
    ("name", "turns"),
    [
        ("scrabscrap-game01", 27),
        # As the others are, with other photographs.
        pytest.param("scrabscrap-game02", 25, marks=pytest.mark.slow),
        ("romanian-game1", 20),
    ],
)
@pytest.mark.shared
def test_every_turn_of_a_game_is_right_and_its_record_is_accepted(
    shared_dir, tmp_path, capsys, name, turns
):
    folder = shared_dir / "recordings" / name
    assert main(["replay", str(folder), "--json", "--out", str(tmp_path)]) == 0
    document, rows = json.loads(capsys.readouterr().out), expected(folder)
    found = [read(turn, row) for turn, row in zip(document["turns"], rows, strict=True)]
    assert found == [due(row) for row in rows]
    assert len(found) == turns
    (gcg,) = tmp_path.glob("*.gcg")
    assert main(["score", str(gcg)]) == 0
    flags = {flag["code"] for turn in document["turns"] for flag in turn["flags"]}
    # A blank's letter is not on the tile: that nobody named it is no fault of the reading.
    assert flags <= {"blank_undesignated"} or name == "romanian-game1"


@pytest.fixture(scope="module")
def stills(shared_dir):
    """``stills("scrabscrap-game01")``: the first two pictures of a recording."""
    return cache(lambda name: load_stills(shared_dir / "recordings" / name, 2))


@pytest.mark.parametrize(
    ("game", "variant"),
    [
        ("scrabscrap-game01", "calm+two-hands+lossy"),
        ("scrabscrap-game01", "hurried+fps4"),
        ("scrabscrap-game02", "early+two-hands+exposure"),
        ("romanian-game1", "resting+flicker+clutter"),
    ],
)
@pytest.mark.slow
@pytest.mark.shared
def test_turns_in_motion_are_right(stills, hands, tmp_path, capsys, game, variant):
    video = film(stills(game), tmp_path / "video", parse_variant(variant), seed=5, hands=hands)
    assert main(["replay", str(video), "--json", "--out", str(tmp_path / "out")]) == 0
    turns, rows = json.loads(capsys.readouterr().out)["turns"], expected(video)
    assert len(rows) == 2
    found = [read(turn, row) for turn, row in zip(turns, rows, strict=True)]
    assert found == [due(row) for row in rows]


@pytest.mark.parametrize("seed", [3, 4], ids=["pressed late", "not pressed"])
@pytest.mark.slow
@pytest.mark.shared
def test_a_turn_that_nobody_pressed_for_is_seen(shared_dir, hands, tmp_path, capsys, seed):
    stills = load_stills(shared_dir / "recordings" / "scrabscrap-game01", 4)
    variant = parse_variant("forgotten-press")
    video = film(stills, tmp_path / "video", variant, seed=seed, hands=hands)
    truth = json.loads((video / "truth.json").read_text("utf-8"))
    forgot = {turn["number"]: turn["notes"] for turn in truth["turns"] if turn["notes"]}
    assert all("forgot to press" in notes for notes in forgot.values())
    assert len(forgot) == 1
    assert main(["replay", str(video), "--json", "--out", str(tmp_path / "out")]) == 0
    turns, rows = json.loads(capsys.readouterr().out)["turns"], expected(video)
    assert [read(turn, row) for turn, row in zip(turns, rows, strict=True)] == [
        due(row) for row in rows
    ]
    noted = [t["number"] for t in turns if "not_pressed" in {flag["code"] for flag in t["flags"]}]
    made_up_for = "pressed after the next play"
    assert noted == [number for number, notes in forgot.items() if made_up_for not in notes]


def write(path: Path, rows: list[tuple[str, ...]]) -> Path:
    file = path / "expected.csv"
    with file.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(("turn", "side", "kind", "position", "word", "score", "total"))
        writer.writerows(rows)
    return file


def test_the_three_ways_of_writing_a_turn(tmp_path):
    file = write(
        tmp_path,
        [
            ("1", "left", "play", "8H", "PI_e", "10", "10"),
            ("2", "right", "play", "H7", "S.O", "5", "5"),
            ("3", "left", "play", "8L=T 9L=?", "", "", ""),
            ("4", "right", "exchange_or_pass", "", "", "0", "5"),
        ],
    )
    assert due_turns(file) == [
        ExpectedTurn(1, "left", {"8H": "P", "8I": "I", "8J": "?", "8K": "?"}),
        ExpectedTurn(2, "right", {"7H": "S", "9H": "O"}),
        ExpectedTurn(3, "left", {"8L": "T", "9L": "?"}),
        ExpectedTurn(4, "right", {}),
    ]


def test_rows_named_by_letters(tmp_path):
    file = write(
        tmp_path,
        [("1", "left", "play", "H4", "FI", "", ""), ("2", "right", "play", "5G", "V.", "", "")],
    )
    assert [one.tiles for one in due_turns(file, rows_lettered=True)] == [
        {"8D": "F", "8E": "I"},
        {"7E": "V"},
    ]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (("x", "left", "play", "8H", "AB", "", ""), ""),
        (("1", "left", "play", "99Z", "AB", "", ""), ""),
        (("1", "black", "play", "8H", "AB", "", ""), "line 3: "),
        (("1", "left", "play", "8M", "ABCD", "", ""), "line 3: "),
        (("1", "left", "play", "8H=A 8P=B", "", "", ""), "line 3: "),
    ],
)
def test_a_row_that_is_no_turn_is_named(tmp_path, row, says):
    file = write(tmp_path, [("1", "left", "play", "8H", "AB", "", ""), row])
    with pytest.raises(TilewatchError, match=rf"expected\.csv: not turns with .*{says}"):
        due_turns(file)


def test_what_a_spreadsheet_saves_is_read(tmp_path):
    file = tmp_path / "expected.csv"
    text = "Turn;Side;Position;Word\r\n1.0;left;8H;AB\r\n;;;\r\n"
    file.write_bytes(text.encode("utf-16"))
    assert due_turns(file) == [ExpectedTurn(1, "left", {"8H": "A", "8I": "B"})]
    file.write_bytes(b"turn,side\n1,\0\xff\xfe")
    with pytest.raises(TilewatchError, match="not turns with"):
        due_turns(file)


def test_a_folder_needs_both_files(tmp_path):
    assert not is_recording(tmp_path)
    (tmp_path / "recording.toml").write_text("")
    assert not is_recording(tmp_path)
    write(tmp_path, [])
    assert is_recording(tmp_path)


def turn(number, side, tiles, *codes) -> SimpleNamespace:
    flags = [SimpleNamespace(code=code) for code in codes]
    return SimpleNamespace(number=number, side=side, tiles=tiles, flags=flags)


def test_turns_are_compared_by_number_side_and_tiles():
    due = [
        ExpectedTurn(1, "left", {"8H": "A", "8I": "?"}),
        ExpectedTurn(2, "right", {"9H": "B"}),
        ExpectedTurn(3, "left", {"10H": "C"}),
        ExpectedTurn(4, "right", {"11H": "D"}),
    ]
    turns = (
        turn(1, "left", {"8H": "A", "8I": "e"}),
        turn(2, "left", {"9H": "B"}),
        turn(3, "left", {}, "board_covered"),
    )
    outcome = compared(SimpleNamespace(turns=turns), due)
    assert outcome == ReplayScore(turns=4, right=1, flagged=1, letters=4, letters_right=2)
    assert "1/4" in line("x", outcome)


@pytest.mark.shared
def test_evaluate_replays_recordings(shared_dir, tmp_path, capsys):
    folder = shared_dir / "recordings" / "romanian-game1"
    assert main(["evaluate", str(shortened(folder, 3, tmp_path / "three-turns"))]) == 0
    out = capsys.readouterr().out
    assert "three-turns                 3/3     100.00%" in out
