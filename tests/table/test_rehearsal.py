"""Recordings against what their owners wrote down."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from game.errors import TilewatchError
from game.state.fold import GameState
from table.cli import main
from table.rehearsal import ExpectedTurn, ReplayScore, compared, due_turns, is_recording, line

from .sharedkit import shortened


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
    "rows",
    [[("x", "left", "play", "8H", "AB", "", "")], [("1", "left", "play", "99Z", "AB", "", "")]],
)
def test_what_is_no_turn_is_one_line(tmp_path, rows):
    file = write(tmp_path, rows)
    with pytest.raises(TilewatchError, match=r"expected\.csv: not turns with"):
        due_turns(file)


@pytest.mark.parametrize(
    "row",
    [
        ("1", "black", "play", "8H", "AB", "", ""),
        ("1", "left", "play", "8M", "ABCD", "", ""),
        ("1", "left", "play", "8H=A 8P=B", "", "", ""),
    ],
)
def test_a_row_that_is_no_turn_is_named(tmp_path, row):
    file = write(tmp_path, [("1", "left", "play", "8H", "AB", "", ""), row])
    with pytest.raises(TilewatchError, match=r"expected\.csv: not turns with .*line 3: "):
        due_turns(file)


def test_what_a_spreadsheet_saves_is_read(tmp_path):
    file = tmp_path / "expected.csv"
    text = "Turn;Side;Position;Word\r\n1.0;left;8H;AB\r\n;;;\r\n"
    file.write_bytes(text.encode("utf-16"))
    assert due_turns(file) == [ExpectedTurn(1, "left", {"8H": "A", "8I": "B"})]


def test_a_file_that_is_no_text_is_one_line(tmp_path):
    file = tmp_path / "expected.csv"
    file.write_bytes(b"turn,side\n1,\0\xff\xfe")
    with pytest.raises(TilewatchError, match="not turns with"):
        due_turns(file)


def test_a_folder_needs_both_files(tmp_path):
    assert not is_recording(tmp_path)
    (tmp_path / "recording.toml").write_text("")
    assert not is_recording(tmp_path)
    write(tmp_path, [])
    assert is_recording(tmp_path)


class FakeTurn:
    def __init__(self, number, side, tiles, codes=()):
        self.number, self.side, self.tiles = number, side, tiles
        self.flags = [type("Flag", (), {"code": code}) for code in codes]


def state(*turns: FakeTurn) -> GameState:
    return type("State", (), {"turns": turns})  # type: ignore[return-value]


def test_turns_are_compared_by_number_side_and_tiles():
    due = [
        ExpectedTurn(1, "left", {"8H": "A", "8I": "?"}),
        ExpectedTurn(2, "right", {"9H": "B"}),
        ExpectedTurn(3, "left", {"10H": "C"}),
        ExpectedTurn(4, "right", {"11H": "D"}),
    ]
    outcome = compared(
        state(
            FakeTurn(1, "left", {"8H": "A", "8I": "e"}),
            FakeTurn(2, "left", {"9H": "B"}),
            FakeTurn(3, "left", {}, ["board_covered"]),
        ),
        due,
    )
    assert outcome == ReplayScore(turns=4, right=1, flagged=1, letters=4, letters_right=2)
    assert "1/4" in line("x", outcome)


@pytest.mark.shared
def test_evaluate_replays_recordings(shared_dir, tmp_path, capsys):
    folder = shared_dir / "recordings" / "romanian-game1"
    assert main(["evaluate", str(shortened(folder, 3, tmp_path / "three-turns"))]) == 0
    out = capsys.readouterr().out
    assert "three-turns                 3/3     100.00%" in out
