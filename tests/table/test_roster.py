"""Who plays whom, from a CSV or from TSH."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from game.rulebooks.loading import load_rulebook
from table.pairings.details import PairingsError, Seat
from table.roster import RosterFile, Schedule, load_games

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


WAITING = SimpleNamespace(status="waiting", players={"left": "Left", "right": "Right"})
NAMED = SimpleNamespace(status="waiting", players={"left": "Ann", "right": "Bob"})


def names(roster, round_: int):
    game = (roster.games if isinstance(roster, RosterFile) else roster).game(round_)
    return None if game is None else game.names


def kept(tmp_path, name: str, text: str):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def test_a_csv_says_who_plays_where_in_which_round(tmp_path):
    roster = load_games(kept(tmp_path, "p.csv", "\ufeff" + CSV), Seat(1))
    assert names(roster, 1) == {"left": "Ann", "right": "Bob"}
    assert names(roster, 2) == {"left": "Cem", "right": "Ann"}
    assert names(roster, 3) is None
    assert names(load_games(kept(tmp_path, "p.csv", CSV), Seat(2)), 1)["left"] == "Cem"


def test_a_file_that_is_written_on_is_read_anew_and_a_spoilt_one_costs_nothing(tmp_path, caplog):
    path = kept(tmp_path, "p.csv", "round,table,left,right\n1,1,Ann,Bob\n")
    roster = RosterFile(path, Seat(1))
    assert names(roster, 2) is None
    path.write_text(CSV, "utf-8")
    assert names(roster, 2) == {"left": "Cem", "right": "Ann"}
    path.write_text("round,table\n", "utf-8")
    for _ in range(3):
        assert names(roster, 2) == {"left": "Cem", "right": "Ann"}
    assert caplog.text.count("the pairings that were known are kept") == 1
    path.unlink()
    assert names(roster, 1) == {"left": "Ann", "right": "Bob"}
    path.write_text(CSV.replace("Cem", "Dora"), "utf-8")
    assert names(roster, 2) == {"left": "Dora", "right": "Ann"}
    with pytest.raises(PairingsError, match="cannot be read"):
        RosterFile(tmp_path / "gone.csv", Seat(1))


def test_a_table_whose_number_two_divisions_have_gets_no_names_until_its_division_is_said(tmp_path):
    text = "round,table,division,left,right\n1,3,A,Ann,Bob\n1,3,B,Cem,Dora\n2,3,A,Bob,Ann\n"
    path = kept(tmp_path, "p.csv", text)
    roster = RosterFile(path, Seat(3))
    assert (names(roster, 1), names(roster, 2)) == (None, None)
    line = Schedule(pairings=roster).doubt(1, WAITING)
    assert "to division A: Ann – Bob, and to division B: Cem – Dora. Name the players" in line
    assert Schedule(pairings=roster).doubt(1, NAMED) is None
    assert "division A: Bob – Ann. Name" in Schedule(pairings=roster).doubt(2, WAITING)
    assert Schedule(pairings=roster).doubt(3, WAITING) is None
    assert names(RosterFile(path, Seat(3, "b")), 1) == {"left": "Cem", "right": "Dora"}
    assert names(RosterFile(path, Seat(3, "B")), 2) is None
    with pytest.raises(PairingsError, match="there is no division 'C'; there are A, B"):
        RosterFile(path, Seat(3, "C"))


def test_a_file_that_is_broken_later_is_told_with_its_line(tmp_path):
    path = kept(tmp_path, "p.csv", CSV)
    schedule = Schedule(pairings=RosterFile(path, Seat(1)))
    assert schedule.doubt(1, NAMED) is None
    path.write_text(CSV + "3,1,Ann,\n", "utf-8")
    assert "line 5: it needs the names" in schedule.doubt(1, NAMED)
    assert schedule.paired(2).names == {"left": "Cem", "right": "Ann"}
    path.write_text(CSV, "utf-8")
    assert schedule.doubt(1, NAMED) is None


def test_pairings_say_who_plays_first(tmp_path):
    text = "left,right,first\nAnn,Bob,Right\nBob,Cem,\n"
    roster = load_games(kept(tmp_path, "p.csv", text), Seat(5))
    assert [roster.game(1).first, roster.game(2).first] == ["right", None]
    wrong = kept(tmp_path, "wrong.csv", text.replace("Right", "Ann"))
    with pytest.raises(PairingsError, match="line 2: first is left or right, not 'Ann'"):
        load_games(wrong, Seat(5))
    tsh = load_games(kept(tmp_path, "tourney.js", f"newt={json.dumps(TOURNEY)};"), Seat(1))
    assert (tsh.game(1).first, tsh.game(3)) == ("left", None)


def test_a_csv_of_one_table_needs_no_numbers(tmp_path):
    roster = load_games(kept(tmp_path, "p.csv", "left,right\nAnn,Bob\nBob,Cem\n"), Seat(5))
    assert names(roster, 2) == {"left": "Bob", "right": "Cem"}


def test_tsh_says_so_too_and_whoever_goes_first_sits_left(tmp_path):
    text = f"newt={json.dumps(TOURNEY)};".replace("[null,", "[undefined,")
    first = load_games(kept(tmp_path, "tourney.js", text), Seat(1))
    assert names(first, 1) == {"left": "Aiko Ito", "right": "Bo"}
    assert names(first, 2) == {"left": "D. Dee", "right": "Bo"}
    second = load_games(kept(tmp_path, "tourney.js", text), Seat(2))
    assert names(second, 1) == {"left": "Cay O’Neil", "right": "D. Dee"}
    assert names(second, 2) == {"left": "Cay O’Neil", "right": "Aiko Ito"}


def test_a_csv_says_what_is_announced_and_is_held_to_the_rulebook(tmp_path):
    text = "round,table,left,right,division,challenge,clock.minutes\n1,1,Ann,Bob,A,lose_turn,22\n"
    text += "2,1,Cem,Ann,A,,\n"
    book = load_rulebook("wespa-2007")
    roster = load_games(kept(tmp_path, "p.csv", text), Seat(1), book)
    assert roster.game(1).announced == {"challenge": "lose_turn", "clock.minutes": 22}
    assert (roster.game(2).announced, roster.game(3)) == ({}, None)
    assert load_games(kept(tmp_path, "q.csv", CSV), Seat(1), book).game(1).announced is None
    for wrong, why in (
        (text.replace("lose_turn", "points 7 word"), r"p.csv, line 2: .*an event may announce"),
        (text.replace(",22", ",²²"), "cannot be '²²'"),
        (text.replace("clock.minutes", "clock.minuts"), "line 2: .*unknown setting 'clock.minuts'"),
    ):
        with pytest.raises(PairingsError, match=why):
            load_games(kept(tmp_path, "p.csv", wrong), Seat(1), book)
