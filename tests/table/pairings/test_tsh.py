"""TSH's ``tourney.js``: players, pairings, byes, and what it leaves open."""

from __future__ import annotations

import pytest

from dashboard.event.standings import standings
from table.pairings.details import BYE, PairedGame, PairingsError, Seat, at_seat
from table.pairings.reading import read_pairings


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


def test_every_division_has_its_own_board_of_a_number(tourney):
    pairs = (("A", "Leek, Ivo", "Sorrel, Una"), ("B", "Mint, Ada", "Dill, Jo"))
    found = tourney(
        *(
            division(f'"{name}"', player(1, one, "2", "", "1", "1"), player(2, other, "1", "", "1"))
            for name, one, other in pairs
        )
    )
    assert [one.in_words() for one in at_seat(found.games, Seat(1)).open(1)] == [
        "division A: Ivo Leek – Una Sorrel",
        "division B: Ada Mint – Jo Dill",
    ]
    assert at_seat(found.games, Seat(1)).game(1) is None
    assert at_seat(found.games, Seat(1, "b")).game(1).left == "Ada Mint"


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
