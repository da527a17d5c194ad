"""Pairings as spreadsheet programs save them, and files that are none."""

from __future__ import annotations

import pytest

from dashboard.event.standings import standings
from table.pairings.details import PairedGame, PairingsError
from table.pairings.reading import read_pairings

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
        (b"", "p.csv: is empty"),
        (b"\xef\xbb\xbf\r\n \r\n", "p.csv: the first line must be round,table,left,right"),
        (b"PK\x03\x04\x14", "p.csv: is a workbook; save its sheet as CSV (UTF-8)"),
        (b"\n<!DOCTYPE html><html>", "p.csv: is a web page; save the file that the page links to"),
        (b"<p>Not found</p>\n", "p.csv: is a web page; save the file that the page links to"),
        (b"%PDF-1.7", "p.csv: is a PDF"),
        (b"left,right\n\x81\x8d,b\n", "p.csv: is no text; save it as CSV (UTF-8)"),
        ("who,where\nAnn,1\n", "p.csv: the first line must be round,table,left,right"),
        ("left,right,Left\nAnn,Bob,\n", "p.csv, line 1: two columns are called 'left'"),
        ("left,right\nLeek, Ivo,Bo\n", "p.csv, line 2: it has more cells than the first line has"),
        ("left,right\n\nAnn,\n", "p.csv, line 3: it needs the names of left and right; write Bye"),
        ("left,right\nBye,bye\n", "p.csv, line 2: neither left nor right is a player"),
        (
            "left,right,left_score,right_score\nAnn,Bo,,\nBye,Zed,50,\n",
            "p.csv, line 3: the points of Zed stand in left_score; write them in right_score",
        ),
        (
            "left,right,left_score,right_score\nZed,Withdrawn,,-50\n",
            "line 2: the points of Zed stand in right_score; write them in left_score",
        ),
        ("round,left,right\nfinal,Ann,Bob\n", "line 2: 'final' is no number of a round"),
        ("round,left,right\n1.000,Ann,Bob\n", "line 2: '1.000' is no number of a round"),
        ("round,table,left,right\n1,0,Ann,Bob\n", "line 2: '0' is no number of a table"),
        (f"left,right,division\nAnn,Bo,{'x' * 41}\n", "line 2: a division's name is 1 to 40"),
        (f"left,right\nAnn,{'x' * 81}\n", "line 2: a name is 1 to 80 characters"),
        (
            "round,table,left,right\n1,1,Ann,Bo\n2,1,Bo,Ann\n1,1.0,Cem,Dora\n",
            "p.csv, lines 2 and 4: both are the game of round 1 at table 1",
        ),
        (
            "round,table,division,left,right\n1,1,A,Ann,Bo\n1,1,,Cem,Dora\n",
            "p.csv, lines 2 and 3: both are the game of round 1 at table 1",
        ),
    ],
)
def test_what_cannot_be_used_is_one_line_that_says_where_and_why(read, data, line):
    with pytest.raises(PairingsError) as caught:
        read(data)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_tables_of_two_divisions_may_have_one_number(read):
    found = read("round,table,division,left,right\n1,1,A,Ann,Bo\n1,1,B,Cem,Dora\n")
    assert [one.division for one in found.games] == ["A", "B"]
    assert found.divisions() == ["A", "B"]


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
