"""Who plays whom, from a CSV as spreadsheet programs save it or from TSH's JavaScript."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from dashboard.standings import standings
from game.rulebooks.loading import load_rulebook
from table.coming_games import RosterFile, Schedule, load_games
from table.pairings.details import BYE, PairedGame, PairingsError, Seat
from table.pairings.javascript import NotDataError, is_javascript, read_javascript
from table.pairings.reading import read_pairings

FILES = tomllib.loads(Path(__file__).with_name("files.toml").read_text("utf-8"))
CSV = "round,table,left,right\n1,1,Ann,Bob\n1,2,Cem,Dora\n2,1,Cem,Ann\n"


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


def test_a_csv_says_what_is_announced_and_is_held_to_the_rulebook(tmp_path):
    text = "round,table,left,right,division,challenge,clock.minutes\n1,1,Ann,Bob,A,lose_turn,22\n"
    text += "2,1,Cem,Ann,A,,\n"
    book = load_rulebook("wespa-2007")
    roster = load_games(kept(tmp_path, "p.csv", text), Seat(1), book)
    assert roster.game(1).announced == {"challenge": "lose_turn", "clock.minutes": 22}
    assert (roster.game(2).announced, roster.game(3)) == ({}, None)
    assert load_games(kept(tmp_path, "q.csv", CSV), Seat(1), book).game(1).announced is None
    for wrong, why in (
        (text.replace("lose_turn", "points 7 word"), r"p.csv, line 2: .*it may announce"),
        (text.replace(",22", ",²²"), "cannot be '²²'"),
        (text.replace("clock.minutes", "clock.minuts"), "line 2: .*unknown setting 'clock.minuts'"),
    ):
        with pytest.raises(PairingsError, match=why):
            load_games(kept(tmp_path, "p.csv", wrong), Seat(1), book)


ROWS = [["round", "table", "left", "right"], ["1", "2", "Zoë Ågren", "Bo Œuvré"]]
GAME = (PairedGame(1, 2, "Zoë Ågren", "Bo Œuvré"),)


def text(separator=",", rows=ROWS, ends="\r\n"):
    return "".join(separator.join(row) + ends for row in rows)


@pytest.fixture
def read(tmp_path):
    def read(data):
        path = tmp_path / "p.csv"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return read_pairings(path)

    return read


@pytest.mark.parametrize(
    "data",
    [
        text().encode("utf-8-sig"),
        text(";").encode("utf-8-sig"),
        ("sep=;\r\n" + text(";")).encode(),
        ('"sep=;"\r\n' + text(";")).encode("utf-8-sig"),
        text("\t").encode("utf-16"),
        text("\t").encode("utf-16-le"),
        text("\t").encode("utf-16-be"),
        text(";").encode("cp1252"),
        ("\r\n,,,\r\n" + text() + "\r\n,,,\r\n , ,,\r\n").encode(),
        text(
            rows=[
                ["ROUND", " Table ", "Left", "Right "],
                ["1.0", "2,0".replace(",", "."), *ROWS[1][2:]],
            ]
        ).encode(),
        text(";", rows=[ROWS[0], ["1,0", "2", *ROWS[1][2:]]]).encode(),
        text(rows=[[f'"{cell}"' for cell in row] for row in ROWS]).encode(),
        text(ends="\r").encode(),
    ],
)
def test_a_spreadsheet_may_be_saved_in_any_form(read, data):
    assert read(data).games == GAME


def test_letters_of_windows_are_read_and_said_to_be_read_so(read):
    assert "was read as Windows-1252" in read(text().encode("cp1252")).doubts[0]
    assert read(text()).doubts == ()


@pytest.mark.parametrize(
    ("data", "line"),
    [
        *((case["file"], case["says"]) for case in FILES["csv"]),
        *(
            (b"\xef\xbb\xbf\r\n \r\n", "p.csv: the first line must be round,table,left,right"),
            (b"PK\x03\x04\x14", "p.csv: is a workbook; save its sheet as CSV (UTF-8)"),
            (b"left,right\n\x81\x8d,b\n", "p.csv: is no text; save it as CSV (UTF-8)"),
        ),
    ],
)
def test_what_cannot_be_used_is_one_line_that_says_where_and_why(read, data, line):
    with pytest.raises(PairingsError) as caught:
        read(data)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bye_and_a_withdrawal_are_no_players_and_count_as_their_points_say(read):
    found = read(
        "round,table,left,right,left_score,right_score\n"
        "1,,Ann,Bye,50,\n1,,BYE,Bob,,0\n1,,Cem,Withdrawn,-50,0\n2,,Ann,bye,,\n3,4,,,,\n"
    )
    assert found.games == (
        PairedGame(1, None, "Ann", "", (50, 0)),
        PairedGame(1, None, "Bob", "", (0, 0)),
        PairedGame(1, None, "Cem", "", (-50, 0)),
        PairedGame(2, None, "Ann", ""),
    )
    shown = [(one.name, one.wins, one.losses, one.spread) for one in standings(found, "")]
    assert shown == [("Ann", 1, 0, 50), ("Bob", 0, 0, 0), ("Cem", 0, 1, -50)]


def test_a_round_that_is_not_named_is_the_next_one_of_that_table(read):
    found = read("table,left,right\n1,Ann,Bo\n2,Cem,Dora\n1,Bo,Cem\n2,Dora,Ann\n")
    assert [(one.round, one.table) for one in found.games] == [(1, 1), (1, 2), (2, 1), (2, 2)]


def test_a_membership_number_is_no_part_of_a_name(read):
    for number in (":XT000123", ":xt000123"):
        assert read(f"left,right\nAnn Lee{number},Bo\n").games[0].left == "Ann Lee"


@pytest.mark.parametrize(
    ("written", "value"), [(case["file"], json.loads(case["json"])) for case in FILES["data"]]
)
def test_what_stands_behind_newt_is_data(written, value):
    for before, after in (
        ("newt=", ";\n"),
        ("// by a tool\nconst newt = ", ""),
        ("\ufeffvar newt=", ";"),
    ):
        assert read_javascript(before + written + after) == value


@pytest.mark.parametrize(
    ("text", "line"),
    [
        *((case["file"], case["says"]) for case in FILES["javascript"]),
        ("newt=" + "[" * 100_000, "more than 64 lists and objects"),
    ],
)
def test_what_is_no_data_is_one_line_that_names_the_line(text, line):
    with pytest.raises(NotDataError) as caught:
        read_javascript(text)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_csv_is_no_javascript():
    assert is_javascript('\n/* x */ newt={"a":1}')
    assert is_javascript(' {"divisions":[]}')
    assert read_javascript("window.newt = {};") == read_javascript("globalThis.newt={}") == {}
    assert not is_javascript("sep=;\nround;table")
    assert not is_javascript("newt,table\n")


def player(number, name, pairings="", scores="", board="", p12="", more="", rating=1500):
    etc = f'"etc":{{"board":[{board}],"p12":[{p12}]}}'
    return (
        f'{{{etc},"id":{number},"name":"{name}","newr":undefined,"pairings":[{pairings}],'
        f'"photomood":undefined,"rating":{rating},"scores":[{scores}]{more}}}'
    )


def division(name, *players):
    return f'{{"classes":undefined,"name":{name},"players":[undefined,{",".join(players)}]}}'


@pytest.fixture
def tourney(tmp_path):
    def read(*divisions, config='"event_name":"Leek Cup","logo":undefined'):
        path = tmp_path / "tourney.js"
        data = f'"config":{{{config}}},"divisions":[{",".join(divisions)}],"profile":undefined'
        path.write_text(f"newt={{{data}}};\n", "utf-8")
        return read_pairings(path)

    return read


def test_a_missing_value_may_stand_anywhere(tourney):
    found = tourney(
        division('"A"', player(1, "Leek, Ivo", "2", "", "3", "2"), player(2, "Sorrel, Una", "1"))
    )
    assert found.title == "Leek Cup"
    assert found.games == (PairedGame(1, 3, "Una Sorrel", "Ivo Leek", None, "A", "left"),)


def test_numbers_may_stand_as_texts_and_a_division_may_be_called_by_a_number(tourney):
    found = tourney(
        division(
            "2",
            player(1, "Leek, Ivo", '"2"', '"410"', '"7"', '"1"'),
            player(2, "Sorrel, Una", "1", "399", '"7"', "2"),
        )
    )
    assert found.games == (PairedGame(1, 7, "Ivo Leek", "Una Sorrel", (410, 399), "2", "left"),)


def test_names_are_shown_without_the_membership_number_which_results_keep(tourney):
    found = tourney(
        division(
            '"A"',
            player(1, "Leek, Ivo, Jr.:XT004567"),
            player(2, "Sorrel:"),
            player(3, "Mint, Ada:AA000012/3,"),
            player(4, "Dill, "),
        )
    )
    assert [one.name for one in found.players.values()] == [
        "Ivo Leek, Jr.",
        "Sorrel",
        "Ada Mint",
        "Dill",
    ]
    assert found.tsh["A"][0].name == "Leek, Ivo, Jr.:XT004567"


def test_a_bye_counts_as_its_points_say_and_nobody_is_a_player(tourney):
    found = tourney(
        division(
            '"A"',
            player(1, "Leek, Ivo", "0,3,4", "50,400,100"),
            player(2, "Sorrel, Una", "0,0,0", "-50,-50,-50"),  # has left
            player(3, "Mint, Ada", "0,1,0", "0,390"),
            player(4, "Bye", "0,0,1", "0,0,50"),
        )
    )
    byes = [(one.round, one.left, one.scores) for one in found.games if one.right == BYE]
    assert byes == [
        (1, "Ivo Leek", (50, 0)),
        (3, "Ivo Leek", (50, 0)),
        (1, "Una Sorrel", (-50, 0)),
        (2, "Una Sorrel", (-50, 0)),
        (3, "Una Sorrel", (-50, 0)),
        (1, "Ada Mint", (0, 0)),
        (3, "Ada Mint", None),
    ]
    assert "bye" not in found.players
    shown = [(one.name, one.wins, one.losses, one.spread) for one in standings(found, "A")]
    assert shown == [("Ivo Leek", 3, 0, 110), ("Ada Mint", 0, 1, -10), ("Una Sorrel", 0, 3, -150)]


def test_a_pairing_that_only_one_of_the_two_has_is_a_doubt_and_no_game(tourney):
    found = tourney(
        division(
            '"A"',
            player(1, "Leek, Ivo", "2,undefined"),
            player(2, "Sorrel, Una", "3"),
            player(3, "Mint, Ada", "9"),
        )
    )
    assert found.games == ()
    assert [line.split(" as the")[0] for line in found.doubts] == [
        "division A, round 1: Ivo Leek has number 2",
        "division A, round 1: Una Sorrel has number 3",
        "division A, round 1: Ada Mint has number 9",
    ]


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (
            player(1, "Leek, Ivo", "2", "", "1", "1e400"),
            "player 1: p12, round 1: the number is beyond",
        ),
        (player(1, "Leek, Ivo", "0", '"many"'), "player 1: scores, round 1: 'many' is no whole"),
        (player(1, ""), "player 1: a name is 1 to 80 characters"),
        (player("undefined", "Leek, Ivo"), "player 1 has no id"),
        ('{"id":1,"name":"Leek","pairings":7}', "player 1: pairings is no list"),
        (player(1, "Leek") + "," + player(1, "Mint"), "player 2: another player has the id 1 too"),
    ],
)
def test_what_is_not_as_tsh_has_it_is_one_line(tourney, one, why):
    with pytest.raises(PairingsError) as caught:
        tourney(division('"A"', one))
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_called_js_is_told_what_a_tourney_js_begins_with(tmp_path):
    path = tmp_path / "tourney.js"
    path.write_text("export default {};\n")
    with pytest.raises(PairingsError, match="line 1: it does not begin with newt="):
        read_pairings(path)


def test_ratings_of_any_kind_and_scores_that_are_missing_refuse_nothing(tourney):
    found = tourney(
        division(
            '"A"',
            player(1, "Leek, Ivo", "2", "9999", more=',"rating":"unrated"'),
            player(2, "Sorrel, Una", "1", "400", more=',"rating":1512.5'),
        ),
        config='"logo":"http://pictures/logo.gif"',
    )
    assert [one.rating for one in found.players.values()] == [None, 1512]
    assert found.games[0].scores is None
    assert found.logo is None
    assert "is no PNG, JPEG or WebP beside the file" in found.doubts[0]
