"""The output of ``tilewatch read`` and ``rulebooks``, and of text from outside."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace

import cv2
import pytest

from game.printable import printable
from game.rulebooks.loading import rulebook_ids, settings
from table import calibrated_reader
from table.cli import main
from table.commands import terminal
from vision.classifier import Promise


def test_read_answers_what_it_can(tmp_path, bench, put, drawn, monkeypatch, capsys):
    monkeypatch.setattr(calibrated_reader, "board_reader", lambda tile_set, threads=1: bench.reader)
    board = put("8G", "C~T")
    good, blind, bad = (tmp_path / name for name in ("good.png", "blind.png", "bad.jpg"))
    cv2.imwrite(str(good), drawn(board))
    cv2.imwrite(str(blind), drawn(board, seed=1))
    bad.write_text("not a picture")
    bench.reader.teach(drawn(board), board, guesses={"8H": [("A", 0.5), ("R", 0.25)]})
    for reading in bench.reader.taught.values():
        reading.ms.update(locate=12.5, read=20.0)
    bench.reader.blind(drawn(board, seed=1))

    assert main(["read", "--json", str(good)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["image"] == str(good)
    assert document["rows"] == list(board.rows)
    assert len(document["corners"]) == 4
    assert len(document["confidence"]) == len(document["confidence"][0]) == 15
    assert document["ms"] == {"locate": 12.5, "read": 20.0}

    assert main(["read", "--json", str(bad), str(good), str(blind)]) == 2
    out, err = capsys.readouterr()
    assert [one["image"] for one in json.loads(out)] == [str(good)]
    assert [line.split(": ")[1] for line in err.splitlines()] == [str(bad), str(blind)]

    assert main(["read", str(good)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[9] == "  8 . . . . . . C ~ T . . . . . ."


def test_read_says_which_squares_are_not_read_surely(
    tmp_path, bench, put, drawn, monkeypatch, capsys
):
    monkeypatch.setattr(calibrated_reader, "board_reader", lambda tile_set, threads=1: bench.reader)
    board, picture = put("8G", "CAT"), tmp_path / "board.png"
    cv2.imwrite(str(picture), drawn(board))
    bench.reader.teach(drawn(board), board, sure={"8I": 0.97})
    (key, reading), *_ = bench.reader.taught.items()
    promise = Promise(sure=0.98, risk=1 / 20_000, confidence=0.95, boards=500)
    reading = replace(reading, promise=promise, ms={"locate": 12.5, "read": 20.0})
    bench.reader.taught[key] = reading
    assert main(["read", "--json", str(picture)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["marked"] == ["8I"]
    assert document["promise"]["sure"] == 0.98
    assert main(["read", str(picture)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2] == "may be misread, below 98.000%: 8I T 97.00%"
    assert "at most 1 square in 20,000 is wrong and not among these" in lines[-1]


@pytest.mark.parametrize("id_", rulebook_ids())
def test_every_setting_is_shown_with_its_rule(id_, capsys):
    assert main(["rulebooks"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names == list(rulebook_ids())
    assert main(["rulebooks", id_, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [line["name"] for line in document["settings"]] == [
        one.name for one in settings().values()
    ]
    assert sum(line["rule"] is not None for line in document["settings"]) > 25
    assert all(line["meaning"] for line in document["settings"])


@pytest.mark.parametrize(
    ("rulebook", "texts"),
    [
        # Where a text disagrees with itself, it is told.
        ("sanspa-2001", ("overtime_limit.minutes = 10  [18.5]", "4.4 calls the game over at 15")),
        ("sanspa-2001", ("22.7 says 30",)),
        # A fault has who may do what, and until when.
        ("naspa-2017", ("off_centre  [III.G.1]", "until the first new tile is drawn")),
        ("naspa-2017", ("opponent: challenge the whole play off the board",)),
    ],
)
def test_a_rulebook_is_shown_with_its_notes_and_remedies(rulebook, texts, capsys):
    assert main(["rulebooks", rulebook]) == 0
    out = capsys.readouterr().out
    assert [text for text in texts if text not in out] == []


EVIL = "Ann\x1b[2K\r\nb.zip: sound\u202e\x9b\u2028\x7f\ud800"
SHOWN = r"Ann\x1b[2K\x0d\x0ab.zip: sound\u202e\x9b\u2028\x7f\ud800"


def test_a_text_is_one_line_of_what_can_be_seen(capsys):
    for name in ("Björn", "Čilla O'Neil", "שרה", "李 雷", "a\u00a0b", r"a\b", "→ –"):
        assert printable(name) == name
    terminal.answer(EVIL, "and the next")
    terminal.say(EVIL)
    terminal.fault(EVIL)
    out, err = capsys.readouterr()
    assert out == f"{SHOWN}\nand the next\n"
    assert err.count("\n") == 2
    assert all(one.isprintable() for one in (out + err).replace("\n", ""))


def test_json_keeps_what_it_says_and_is_printable_too(capsys):
    terminal.answer_json({"name": EVIL, "other": "Björn 😀"})
    out = capsys.readouterr().out
    assert out.endswith("\n")
    assert out[:-1].isprintable()
    assert "Björn 😀" in out
    assert json.loads(out)["name"] == EVIL


def test_a_terminal_that_cannot_show_a_letter_gets_its_code(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "latin-1", write_through=True))
    terminal.answer("Čilla Björn")
    terminal.answer_json({"name": "Čilla"})
    lines = raw.getvalue().decode("latin-1").splitlines()
    assert lines == [r"\u010cilla Björn", '{"name": "\\u010cilla"}']


def test_a_game_record_forges_no_lines(tmp_path, capsys):
    path = tmp_path / "a\u202eb.gcg"
    text = (
        "#character-encoding UTF-8\n#player1 Ann Ann\x1b[2KAnn\n#player2 Bob Bo\u202eb\n"
        ">Ann: CATSERS 8H CAT +99 99\n"
    )
    path.write_text(text, "utf-8")
    main(["score", str(path)])
    out, err = capsys.readouterr()
    assert r"\u202e" in out + err
    assert all(one.isprintable() for one in (out + err).replace("\n", ""))


def test_a_file_that_is_not_there_forges_no_lines(tmp_path, capsys):
    for command in ("score", "verify", "read"):
        assert main([command, str(tmp_path / EVIL[:-1])]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert all(one.isprintable() for one in err.replace("\n", ""))
        assert err.count("\n") == 1
