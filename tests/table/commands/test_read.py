"""``tilewatch read``: what it prints of a picture."""

from __future__ import annotations

import json
from dataclasses import replace

import cv2
import numpy as np

from table import readers
from table.cli import main
from vision.promise import Promise


def test_read_answers_what_it_can(tmp_path, bench, put, drawn, monkeypatch, capsys):
    monkeypatch.setattr(readers, "board_reader", lambda tile_set, threads=1: bench.reader)
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
    monkeypatch.setattr(readers, "board_reader", lambda tile_set, threads=1: bench.reader)
    board, picture = put("8G", "CAT"), tmp_path / "board.png"
    cv2.imwrite(str(picture), drawn(board))
    bench.reader.teach(drawn(board), board)
    for key, reading in bench.reader.taught.items():
        sure = np.ones((15, 15), np.float32)
        sure[7, 8] = 0.97
        promise = Promise(sure=0.999, risk=1 / 20_000, confidence=0.95, boards=500)
        bench.reader.taught[key] = replace(reading, confidence=sure, promise=promise)
        reading.ms.update(locate=12.5, read=20.0)
    assert main(["read", "--json", str(picture)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["marked"] == ["8I"]
    assert document["promise"]["sure"] == 0.999
    assert main(["read", str(picture)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2] == "marked, since less sure than 99.900%: 8I T 97.00%"
    assert "at most 1 square in 20,000 is wrong and not marked" in lines[-1]
