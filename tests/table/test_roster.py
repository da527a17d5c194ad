"""Who plays whom, from a CSV or from TSH."""

from __future__ import annotations

import json

import pytest

from game.rulebooks.loading import load_rulebook
from table.roster import RosterError, RosterFile, load_roster

CSV = "round,table,left,right\n1,1,Ann,Bob\n1,2,Cem,Dora\n2,1,Cem,Ann\n"


def player(number, name, pairings, boards, firsts):
    etc = {"board": boards, "p12": firsts}
    return {"id": number, "name": name, "pairings": pairings, "etc": etc}


TOURNEY = {
    "config": {"event_name": "Club night"},
    "divisions": [
        {
            "name": "A",
            "players": [
                None,
                player(1, "Ito, Aiko", [2, 3], [1, 2], [1, 2]),
                player(2, "Bo", [1, 4], [1, 1], [2, 2]),
                player(3, "O’Neil, Cay", [4, 1], [2, 2], [1, 1]),
                player(4, "Dee, D.", [3, 2, 0], [2, 1, 0], [2, 1, 0]),
            ],
        }
    ],
}


def kept(tmp_path, name: str, text: str):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def test_a_csv_says_who_plays_where_in_which_round(tmp_path):
    roster = load_roster(kept(tmp_path, "p.csv", "\ufeff" + CSV), 1)
    assert roster.names(1) == {"left": "Ann", "right": "Bob"}
    assert roster.names(2) == {"left": "Cem", "right": "Ann"}
    assert roster.names(3) is None
    assert load_roster(kept(tmp_path, "p.csv", CSV), 2).names(1) == {"left": "Cem", "right": "Dora"}


def test_a_file_that_is_written_on_is_read_anew_and_a_spoilt_one_costs_nothing(tmp_path, caplog):
    path = kept(tmp_path, "p.csv", "round,table,left,right\n1,1,Ann,Bob\n")
    roster = RosterFile(path, 1)
    assert roster.names(2) is None
    path.write_text(CSV, "utf-8")
    assert roster.names(2) == {"left": "Cem", "right": "Ann"}
    path.write_text("round,table\n", "utf-8")
    for _ in range(3):
        assert roster.names(2) == {"left": "Cem", "right": "Ann"}
    assert caplog.text.count("the pairings that were known are kept") == 1
    path.unlink()
    assert roster.names(1) == {"left": "Ann", "right": "Bob"}
    path.write_text(CSV.replace("Cem", "Dora"), "utf-8")
    assert roster.names(2) == {"left": "Dora", "right": "Ann"}
    with pytest.raises(RosterError, match="cannot be read"):
        RosterFile(tmp_path / "gone.csv", 1)


def test_pairings_say_who_plays_first(tmp_path):
    text = "left,right,first\nAnn,Bob,Right\nBob,Cem,\n"
    roster = load_roster(kept(tmp_path, "p.csv", text), 5)
    assert [roster.first(1), roster.first(2)] == ["right", None]
    wrong = kept(tmp_path, "wrong.csv", text.replace("Right", "Ann"))
    with pytest.raises(RosterError, match="line 2: first is left or right, not 'Ann'"):
        load_roster(wrong, 5)
    tsh = load_roster(kept(tmp_path, "tourney.js", f"newt={json.dumps(TOURNEY)};"), 1)
    assert [tsh.first(1), tsh.first(3)] == ["left", None]


def test_a_csv_of_one_table_needs_no_numbers(tmp_path):
    roster = load_roster(kept(tmp_path, "p.csv", "left,right\nAnn,Bob\nBob,Cem\n"), 5)
    assert roster.names(2) == {"left": "Bob", "right": "Cem"}


def test_tsh_says_so_too_and_whoever_goes_first_sits_left(tmp_path):
    text = f"newt={json.dumps(TOURNEY)};".replace("[null,", "[undefined,")
    first = load_roster(kept(tmp_path, "tourney.js", text), 1)
    assert first.names(1) == {"left": "Aiko Ito", "right": "Bo"}
    assert first.names(2) == {"left": "D. Dee", "right": "Bo"}
    second = load_roster(kept(tmp_path, "tourney.js", text), 2)
    assert second.names(1) == {"left": "Cay O’Neil", "right": "D. Dee"}
    assert second.names(2) == {"left": "Cay O’Neil", "right": "Aiko Ito"}


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("who,where\nAnn,1\n", "the first line must be round,table,left,right"),
        ("left,right\nAnn,\n", "line 2: it needs the names"),
        ("round,left,right\nfinal,Ann,Bob\n", "line 2: 'final' is no number of a round"),
        ("newt={", "not a tourney.js"),
        ('newt={"divisions":[{"players":[{"name":"A"}]}]};', "not a tourney.js"),
    ],
)
def test_a_wrong_list_is_one_line(tmp_path, text, output):
    path = kept(tmp_path, "list", text)
    with pytest.raises(RosterError, match=output) as caught:
        load_roster(path, 1)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_list_and_one_that_is_no_text_are_named(tmp_path):
    (tmp_path / "b").write_bytes(b"\xff\xfe\x00")
    for name, output in (("a", "cannot be read"), ("b", "not UTF-8")):
        with pytest.raises(RosterError, match=output):
            load_roster(tmp_path / name, 1)


def test_a_csv_says_what_is_announced_and_is_held_to_the_rulebook(tmp_path):
    text = "round,table,left,right,division,challenge,clock.minutes\n1,1,Ann,Bob,A,lose_turn,22\n"
    text += "2,1,Cem,Ann,A,,\n"
    book = load_rulebook("wespa-2007")
    roster = load_roster(kept(tmp_path, "p.csv", text), 1, book)
    assert roster.announced(1) == {"challenge": "lose_turn", "clock.minutes": 22}
    assert (roster.announced(2), roster.announced(3)) == ({}, None)
    assert load_roster(kept(tmp_path, "q.csv", CSV), 1, book).announced(1) is None
    for wrong, why in (
        (text.replace("lose_turn", "points 7 word"), r"p.csv, line 2: .*an event may announce"),
        (text.replace(",22", ",²²"), "cannot be '²²'"),
        (text.replace("clock.minutes", "clock.minuts"), "line 2: .*unknown setting 'clock.minuts'"),
    ):
        with pytest.raises(RosterError, match=why):
            load_roster(kept(tmp_path, "p.csv", wrong), 1, book)
