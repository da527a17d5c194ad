"""The event around a game: read from the pairings' file, shown as late as the game."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import dashboard
from dashboard.around import meetings
from dashboard.event import (
    Event,
    Source,
    install,
    next_game,
    own_results,
    results_of_table,
    round_of,
)
from dashboard.overlay.pages import PARTS
from dashboard.overlay.style import (
    DEFAULTS,
    EventError,
    Theme,
    contrast,
    derived_colours,
    load_theme,
)
from dashboard.shown_games import GameLine, ShownGames
from dashboard.standings import divisions, standings
from game.events import Finding, GameEnded
from table.coming_games import load_games
from table.pairings.details import EventDetails, PairedGame, PairingsError, Seat
from table.pairings.reading import read_pairings
from table.views.public_policy import FULLY_OPEN, PublicPolicy
from tests.dashboard.conftest import SECOND, TURNS, GameInLog

HEAD = (
    "event,round,table,left,right,division,left_country,right_country,left_rating,right_rating,"
    "left_score,right_score,logo\n"
)
CSV = (
    HEAD
    + "Spring Open,1,1,Ann,Cleo,A,nga,GB,1800,1700,400,350,logo.png\n"
    + ",1,2,Bob,Dan,A,NZL,,1900,,380,380,\n"
    + ",2,1,Ann,Bob,A,,,,,,,\n"
    + ",3,1,Cleo,Dan,A,,,,,,,\n"
)
PNG = b"\x89PNG\r\n\x1a\n not much of a picture"
NAMES = {"left": "Ann", "right": "Bob"}


@pytest.fixture
def pairings(tmp_path):
    path = tmp_path / "pairings.csv"
    path.write_text(CSV, "utf-8")
    return path


@pytest.fixture
def hall_of(log, halls, pairings):
    """Opens a hall with an event."""

    def opened(public: PublicPolicy = FULLY_OPEN) -> SimpleNamespace:
        game, made, now = GameInLog(log).start(NAMES), halls(public=public), SimpleNamespace(s=0.0)
        install(made.app, Event(Source(pairings), now=lambda: now.s))
        return SimpleNamespace(hall=made, game=game, now=now, client=made.visitor(), path=pairings)

    return opened


@pytest.fixture
def hall(hall_of):
    return hall_of()


def test_a_csv_tells_title_logo_flags_ratings_and_results(pairings):
    found = read_pairings(pairings)
    assert (found.title, found.logo) == ("Spring Open", pairings.parent / "logo.png")
    ann = found.entrant(" ann")
    assert (ann.name, ann.country, ann.rating, ann.division) == ("Ann", "NGA", 1800, "A")
    assert found.entrant("Cleo").country == "GB"
    assert found.games[0] == PairedGame(1, 1, "Ann", "Cleo", (400, 350), "A")
    assert found.games[2].scores is None
    assert load_games(pairings, Seat(1)).game(2).names == NAMES  # it is still a file of pairings


def test_tsh_tells_title_and_flags(tmp_path):
    """A team that is no country's has no flag."""
    players = [
        {"id": number, "name": name, "rating": 1000, "pairings": [], "scores": [],
         "etc": {"team": team}}
        for number, name, team in ((1, "Ito, Aiko", ["JPN"]), (2, "Bo", "Club of Bern"))
    ]  # fmt: skip
    divisions = [{"name": "A", "players": [None, *players]}]
    path = tmp_path / "tourney.js"
    data = {"config": {"event_name": "Club night"}, "divisions": divisions}
    path.write_text(f"newt={json.dumps(data)};")
    found = read_pairings(path)
    assert found.title == "Club night"
    assert [found.entrant(name).country for name in ("Aiko Ito", "Bo")] == ["JPN", ""]


@pytest.mark.parametrize(
    ("row", "reported"),
    [
        ("1,1,Ann,Bob,A,Nigeria,,,,,,", "left_country 'Nigeria' is no code such as NGA or GB"),
        ("1,1,Ann,Bob,A,,,high,,,,", "left_rating 'high' is no whole number"),
        ("1,1,Ann,Bob,A,,,,,400,,", "both left_score and right_score, or neither"),
        ("1,1,Ann,Bob,A,,,,,,,../x.png", "is no PNG, JPEG or WebP beside the file"),
        ("1,1,Ann,Bob,A,,,,,,,x.svg", "is no PNG, JPEG or WebP beside the file"),
    ],
)
def test_what_a_csv_cannot_say_is_one_line_that_names_it(tmp_path, row, reported):
    path = tmp_path / "p.csv"
    path.write_text(HEAD + "," + row + "\n")
    with pytest.raises(PairingsError) as caught:
        read_pairings(path)
    assert f"{path}, line 2" in str(caught.value)
    assert reported in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_spoilt_file_leaves_what_was_known_and_says_so_once(pairings, caplog):
    now = SimpleNamespace(s=0.0)
    event = Event(Source(pairings, "The hall"), now=lambda: now.s)
    assert event.details().title == "Spring Open"
    pairings.write_text(HEAD + ",1,1,Ann,,,,,,,,,\n")
    for now.s in (2.0, 4.0):
        assert event.details().title == "Spring Open"
    assert caplog.text.count("the pairings that were known are kept") == 1
    assert Event(Source(None, "The hall")).details().title == "The hall"


def test_wins_come_first_then_spread_and_equals_share_a_place(pairings):
    details = read_pairings(pairings)
    assert divisions(details) == ["A"]
    shown = [(one.rank, one.name, one.wins, one.spread) for one in standings(details, "A")]
    assert shown == [(1, "Ann", 1, 50), (2, "Bob", 0.5, 0), (2, "Dan", 0.5, 0), (4, "Cleo", 0, -50)]


def test_the_round_is_told_by_who_plays(pairings):
    details = read_pairings(pairings)
    assert round_of(details, ["Bob", "Ann"]) == 2
    assert round_of(details, ["Ann", "Cleo"]) == 1
    assert round_of(details, ["Ann", "Eve"]) is None
    found = next_game(details, Seat(1), 2)
    assert found is not None
    assert (found.round, found.left) == (3, "Cleo")
    assert next_game(details, Seat(1), 3) is None
    twice = EventDetails(games=tuple(PairedGame(n, 1, "Ann", "Bob") for n in (1, 2)))
    assert round_of(twice, ["Ann", "Bob"]) is None  # either of them


def around(client, **query):
    answer = client.get("/overlay/1/event", query_string=query)
    assert answer.status_code == 200
    return answer.json


def test_an_overlay_is_told_of_the_event(hall):
    (hall.path.parent / "logo.png").write_bytes(PNG)
    reported = around(hall.client)
    assert (reported["title"], reported["round"]) == ("Spring Open", 2)
    ann = reported["players"]["left"]
    assert (ann["country"], ann["rating"], ann["wins"], ann["spread"]) == ("NGA", 1800, 1, 50)
    assert reported["next"]["players"]["right"]["name"] == "Dan"
    assert reported["standings"]["A"][0]["name"] == "Ann"
    assert reported["met"] == []
    logo = hall.client.get(reported["logo"])
    assert (logo.data, logo.mimetype) == (PNG, "image/png")
    (hall.path.parent / "logo.png").write_bytes(b"<svg onload=alert(1)>")
    assert around(hall.client)["logo"] is None
    assert hall.client.get("/overlay/1/logo").status_code == 404


def test_two_players_games_are_those_they_have_played_by_their_sides_now():
    games = (
        PairedGame(1, 1, "Bob", "ann ", scores=(350, 400)),
        PairedGame(2, 1, "Ann", "Cleo", scores=(300, 301)),
        PairedGame(3, 1, "Ann", "Bob"),
    )
    found = meetings(EventDetails(games=games), {"left": "Ann", "right": "Bob"})
    assert found == [{"round": 1, "scores": {"left": 400, "right": 350}}]


def test_results_of_the_hall_count_before_they_are_in_the_file(pairings):
    results = {(2, frozenset(("ann", "bob"))): {"ann": 300, "bob": 500}}
    found = Event(Source(pairings, results=lambda _: results)).details()
    assert found.games[2].scores == (300, 500)
    assert standings(found, "A")[0].name == "Bob"


def test_standings_are_as_late_as_the_overlay(hall):
    assert around(hall.client, delay=60)["standings"] == {}
    assert around(hall.client, delay=60)["players"]["left"]["rating"] == 1800
    assert "wins" not in around(hall.client, delay=60)["players"]["left"]
    hall.now.s = 61.0
    assert around(hall.client, delay=60)["standings"]["A"][0]["name"] == "Ann"
    hall.path.write_text(CSV.replace("2,1,Ann,Bob,A,,,,,,,", "2,1,Ann,Bob,A,,,,,300,500,"))
    hall.now.s = 63.0
    assert around(hall.client)["standings"]["A"][0]["name"] == "Bob"
    assert around(hall.client, delay=60)["standings"]["A"][0]["name"] == "Ann"
    hall.now.s = 123.0
    assert around(hall.client, delay=60)["standings"]["A"][0]["name"] == "Bob"
    assert hall.client.get("/overlay/1/event?delay=61").status_code == 403
    assert hall.client.get("/overlay/1/event?token=tw_0_0").status_code == 401
    assert hall.client.get("/overlay/nowhere/event").status_code == 404


def test_the_publics_delay_holds_for_standings_without_a_token(hall_of):
    hall = hall_of(PublicPolicy(delay_min=5))
    client, token = hall.client, hall.hall.tokens.make("t", "overlay", by="Ann")[1]
    assert around(client)["standings"] == {}
    assert around(client, token=token)["standings"]["A"][0]["name"] == "Ann"
    assert client.get("/obs/1/p1_record.txt").text == ""
    assert client.get(f"/obs/1/p1_record.txt?token={token}").text == "1-0"
    hall.now.s = 301.0
    assert around(client)["standings"]["A"][0]["name"] == "Ann"


def test_values_for_scenes_tell_of_the_event(hall):
    hall.game.play(*TURNS[0])

    def value(name):
        return hall.client.get(f"/obs/1/{name}.txt").text

    assert (value("tournament"), value("round"), value("division")) == ("Spring Open", "2", "A")
    assert (value("p1_rating"), value("p1_record"), value("p1_spread")) == ("1800", "1-0", "+50")
    assert (value("p2_record"), value("p2_place"), value("p2_spread")) == ("0.5-0.5", "2", "+0")


def themed(tmp_path, text):
    path = tmp_path / "theme.toml"
    path.write_text(text)
    return load_theme(path)


def test_a_theme_colours_every_overlay_and_an_address_may_say_otherwise(hall, tmp_path):
    theme = themed(tmp_path, 'font = "Fira Sans"\n[colours]\naccent = "#00C2A8"\nink = "ffffff"\n')
    install(hall.hall.app, Event(Source(hall.path), theme))
    for part in PARTS:
        page = hall.client.get(f"/overlay/1/{part}").text
        assert "#00c2a8" in page
        assert "Fira Sans" in page
    page = hall.client.get("/overlay/1/lower?accent=ff0000").text
    assert "#ff0000" in page
    assert "#00c2a8" not in page


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("[colours]\naccent = 'red'\n", "colours: accent: six or eight hexadecimal digits"),
        ("[colours]\naccnt = 'ff0000'\n", "colours: unknown colour 'accnt'; known are accent,"),
        ("colors = 1\n", "unknown key 'colors'; known are font, logo, colours"),
        ("font = 'x;}'\n", "font: the name of one font"),
        ("[colours\n", "not TOML"),
    ],
)
def test_a_theme_that_cannot_be_is_one_line(tmp_path, text, reported):
    with pytest.raises(EventError) as caught:
        themed(tmp_path, text)
    assert reported in str(caught.value)
    assert "theme.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_hard_to_read_is_warned_of(hall, tmp_path, caplog):
    assert Theme().warnings() == []
    install(hall.hall.app, Event(theme=themed(tmp_path, '[colours]\nground = "808080"\n')))
    assert "theme: soft on ground has a contrast of" in caplog.text
    # Through a panel that is half transparent a white picture shows.
    faint = Theme.model_validate({"colours": {"ground": "0b121b40"}})
    assert any(line.startswith("ink on ground") for line in faint.warnings())


def test_what_was_not_set_keeps_the_style_sheets_colours():
    assert derived_colours({}) == derived_colours({"left": "112233"}) == {}
    assert derived_colours({"tile": "1b3a5c"})["--tile-deep"] == "#1b3a5c"  # all over
    assert [round(contrast(one, "ffffff"), 2) for one in ("000000", "777777")] == [21, 4.48]


@pytest.mark.parametrize(
    ("colours", "above", "below"),
    [
        ({"tile": "1b3a5c", "tile-ink": "ffffff"}, "--blank", "1b3a5c"),
        ({"accent": "2e9e6b"}, "--lit-ink", "2e9e6b"),
        ({"accent": "2e9e6b"}, "--lit-blank", "2e9e6b"),
        ({"accent": "0b57ad"}, "--lit-ink", "0b57ad"),
        ({"board": "c9d3da"}, "--coord", "c9d3da"),
        ({"ground": "ffffff"}, "--bad", "ffffff"),
    ],
)
def test_letters_can_be_read_on_whatever_colour_was_set(colours, above, below):
    assert contrast(derived_colours(colours)[above].removeprefix("#"), below) >= 4.5


def test_the_defaults_are_those_of_the_style_sheet():
    css = (Path(dashboard.__file__).parent / "static/overlay/look.css").read_text()
    for name, colour in DEFAULTS.items():
        assert f"--{name}: #{colour};" in css, name


PAIR = frozenset(("ann", "bob"))
ONCE = (PairedGame(1, 1, "Ann", "Cem"), PairedGame(2, 1, "Bob", "ANN "))


def line(
    left=("Ann", 402), right=("Bob", 371), *, kind=None, early=None, final=True, provisional=False
):
    players = {
        side: {"name": name, "score": score}
        for side, (name, score) in {"left": left, "right": right}.items()
    }
    no_result = early in ("broken off", "set up anew")
    final = final and not no_result
    return GameLine("g", players, "left", kind, early, final, no_result, provisional, False, 20, 0)


@pytest.mark.parametrize(
    ("played", "games", "counts"),
    [
        (line(), ONCE, True),
        (line(early="agreed"), ONCE, True),
        (line(early="director"), ONCE, True),
        (line(early="broken off"), ONCE, False),
        (line(early="set up anew"), ONCE, False),
        (line(kind="overtime_limit"), ONCE, False),
        (line(kind="resigned"), ONCE, False),
        (line(final=False), ONCE, False),
        (line(provisional=True), ONCE, False),
        (line(right=("Dee", 371)), ONCE, False),
        (line(), (*ONCE, PairedGame(9, 4, "Ann", "Bob")), False),
        (line(), (PairedGame(2, 1, "Bob", "Ann", scores=(380, 392)),), False),  # by the file
    ],
)
def test_a_result_counts_for_the_one_round_in_which_its_players_meet(played, games, counts):
    expected = {(2, PAIR): {"ann": 402, "bob": 371}}
    assert own_results([played], games) == (expected if counts else {})


def test_of_two_games_the_newest_counts():
    newest = line(left=("Ann", 300))
    assert own_results([newest, line()], ONCE)[2, PAIR]["ann"] == 300


def test_a_result_in_question_counts_once_the_table_has_gone_on():
    nobody = replace(line(left=("Dee", 0), right=("Eve", 0), final=False), turns=0)
    asked = line(provisional=True)
    assert own_results([nobody, asked], ONCE) == {}
    going_on = replace(nobody, turns=1)
    assert own_results([going_on, asked], ONCE) == {(2, PAIR): {"ann": 402, "bob": 371}}


@pytest.mark.parametrize(
    ("findings", "days_later", "count"),
    [
        ((), 0, 1),
        ((), 2, 0),  # games of another day are of another event
        ((Finding("uncertain_square", TURNS[0][0]),), 0, 0),  # its result is in question
    ],
)
def test_a_tables_own_game_counts_on_its_day(log, site, findings, days_later, count):
    game = GameInLog(log).start(NAMES, rulebook="wespa-2021")
    game.play(*TURNS[0], findings)
    game.put(GameEnded("agreed", game.t_ns))
    later_ns = days_later * 86_400 * SECOND
    results = results_of_table(ShownGames(), site.tables[0], lambda: time.time_ns() + later_ns)
    assert len(results((PairedGame(3, 1, NAMES["left"], NAMES["right"]),))) == count
