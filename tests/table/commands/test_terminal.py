"""What comes from outside is printed escaped, whichever command prints it."""

from __future__ import annotations

import io
import json
import sys

import pytest

from game.printable import printable
from table.cli import main
from table.commands import terminal

EVIL = "Ann\x1b[2K\r\nb.zip: sound\u202e\x9b\u2028\x7f\ud800"
SHOWN = r"Ann\x1b[2K\x0d\x0ab.zip: sound\u202e\x9b\u2028\x7f\ud800"


@pytest.mark.parametrize(
    "name", ["Björn", "Čilla O'Neil", "שרה", "李 雷", "a\u00a0b", r"a\b", "→ –"]
)
def test_names_stay_as_they_are(name):
    assert printable(name) == name


def test_a_text_is_one_line_of_what_can_be_seen(capsys):
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
