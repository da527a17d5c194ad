"""``tilewatch woogles`` and ``highlights``: compare, record, upload, the best of a round."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from game.events import to_payload
from game.gcg import record_from_game, write
from record.log.event_log import EventLog
from record.paths import DATABASE
from table.cli import main
from tests.game.gcg.gcgkit import assert_strict
from woogles.document import read_document
from woogles.mapping import ours_of, remade

from .standin import Standin
from .test_follow import finished, opening


@pytest.fixture
def standin():
    server = Standin()
    yield server
    server.close()


def recorded(folder, table):
    """A table's data with one game."""
    folder.mkdir()
    with EventLog(folder / DATABASE) as log:
        for event in table.events:
            log.append("g1", to_payload(event), mono_ns=event.t_ns if hasattr(event, "t_ns") else 0,
                       source="test")  # fmt: skip
    return folder


def document_of(state) -> dict:
    raw = {"uid": "x", "players": [{"real_name": "Ann Lee"}, {"real_name": "Bo"}]}
    found = read_document(raw | {"challenge_rule": "ChallengeRule_FIVE_POINT"})
    return remade(found, ours_of(record_from_game(state), found.rule))


def test_a_game_annotated_by_hand_stands_beside_ours(tmp_path, capsys):
    table = opening()
    ours, theirs = tmp_path / "ours.gcg", tmp_path / "theirs.json"
    ours.write_text(write(record_from_game(table.state)), "utf-8")
    theirs.write_text(json.dumps(document_of(table.state)))
    assert main(["woogles", "compare", str(ours), str(theirs)]) == 0
    assert "differs" not in capsys.readouterr().out
    document = document_of(table.state)
    document["events"][1]["score"] += 1
    theirs.write_text(json.dumps(document))
    assert main(["woogles", "compare", str(ours), str(theirs)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.endswith("differs") for line in lines] == [False, False, True, False, False]
    assert main(["woogles", "compare", "--json", str(ours), str(theirs)]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [row["same"] for row in found["events"]] == [True, False, True, True]


def test_a_document_that_is_none_is_one_line(tmp_path, capsys):
    ours = tmp_path / "ours.gcg"
    ours.write_text(write(record_from_game(opening().state)), "utf-8")
    for text in ("<html>", "[]", '{"players": []}'):
        theirs = tmp_path / "theirs.json"
        theirs.write_text(text)
        assert main(["woogles", "compare", str(ours), str(theirs)]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_record_has_clock_times_in_a_form_that_the_strictest_reader_takes(tmp_path, capsys):
    data = recorded(tmp_path / "data", finished())
    assert main(["woogles", "gcg", "last", "--data", str(data)]) == 0
    text = capsys.readouterr().out
    assert_strict(text)
    assert text.count("#note Clock: ") >= 10


def test_a_finished_game_is_uploaded_once(tmp_path, capsys, monkeypatch, standin):
    data = recorded(tmp_path / "data", finished())
    config = tmp_path / "table.toml"
    config.write_text(
        f'[woogles]\naccount = "club"\nlexicon = "CSW24"\nurl = "{standin.url}"\n', "utf-8"
    )
    monkeypatch.setenv("TILEWATCH_WOOGLES_KEY", "secret-key")
    sent = ["woogles", "upload", "last", "--data", str(data), "--config", str(config)]
    assert main(sent) == 0
    assert capsys.readouterr().out == "uploaded: imported1\n"
    assert_strict(standin.imported[0])
    monkeypatch.setenv("TILEWATCH_WOOGLES_KEY", "other")
    assert main(sent) == 2
    assert "Woogles refuses" in capsys.readouterr().err


def test_a_record_that_woogles_would_never_end_is_not_uploaded(tmp_path, capsys):
    for kind, due in (("", "has no end"), ("challenge_bonus", "was challenged in vain")):
        record = record_from_game(finished().state if kind else opening().state)
        at = next((n for n, one in enumerate(record.entries) if one.kind == "end_rack"), 0)
        if kind:
            before = record.entries[at - 1]
            bonus = replace(before, kind=kind, score=5, total=before.total + 5)
            later = [replace(one, total=one.total + 5 * (one.player == before.player))
                     for one in record.entries[at:]]  # fmt: skip
            record = replace(record, entries=(*record.entries[:at], bonus, *later))
        path = tmp_path / "game.gcg"
        path.write_text(write(record), "utf-8")
        assert main(["woogles", "upload", str(path)]) == 2
        assert due in capsys.readouterr().err


def test_what_is_asked_of_the_command_is_said(tmp_path, capsys):
    for given, due in (
        (["compare", "last"], "name the game on Woogles"),
        (["upload", "last", "x"], "takes one GAME"),
    ):
        assert main(["woogles", *given]) == 2
        assert due in capsys.readouterr().err


def test_the_highlights_of_a_round(tmp_path, capsys):
    files = []
    for seed in (4, 9, 12):
        files.append(tmp_path / f"{seed}.gcg")
        files[-1].write_text(write(record_from_game(finished(seed).state)), "utf-8")
    assert main(["highlights", "--json", *map(str, files)]) == 0
    found = json.loads(capsys.readouterr().out)
    points = [play["points"] for play in found["plays"]]
    assert points == sorted(points, reverse=True)
    assert len(points) == 5
    whole = [one for one in (found["closest"], found["highest"]) if one]
    assert all(one["scores"][0] > one["scores"][1] for one in whole)
    assert main(["highlights", *map(str, files)]) == 0
    assert "closest game: " in capsys.readouterr().out
