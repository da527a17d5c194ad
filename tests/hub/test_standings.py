"""Standings by TSH's order, worked out by hand; and which round is seated at which tables."""

from __future__ import annotations

import pytest

from dashboard.standings import Standing, ranked
from game.events import GameEnded, to_payload
from hub.binding import bind
from hub.event_meetings import newest_round, round_due
from hub.event_site import EventSite, matching, plain_standings
from hub.pairings import load_pairings
from hub.result_files import as_tsh
from table.pairings.details import EventDetails
from table.pairings.reading import read_pairings
from tests.hub.hubkit import until
from tests.hub.pagekit import Pages, pairings_file, result
from tests.hub.servicekit import play


def places(lines: list[Standing]) -> list[tuple[int, str]]:
    return [(one.rank, one.name) for one in lines]


def counts(lines: list[Standing]) -> list[tuple[str, float, float, int, int]]:
    """The name, wins, losses, spread and games of each player."""
    return [(one.name, one.wins, one.losses, one.spread, one.games) for one in lines]


def seated(left: str, right: str, table: int = 9) -> dict:
    """The hall's row of a table at which these two play."""
    players = {"left": {"name": left, "score": 5}, "right": {"name": right, "score": 9}}
    row = {"id": f"table-{table}", "name": f"Table {table}", "status": "running"}
    return {**row, "players": players, "final": False}


def test_wins_come_first_then_fewer_losses_then_spread_then_rating():
    assert places(
        ranked(
            [
                Standing("Low", 900, wins=2, losses=1, spread=10),
                Standing("Spread", 100, wins=2, losses=1, spread=11),
                Standing("Fewer", 100, wins=2, losses=0, spread=-50),
                Standing("High", 1500, wins=2, losses=1, spread=10),
                Standing("Most", 100, wins=2.5, losses=2, spread=-400),
                Standing("Last", 2000),
            ]
        )
    ) == [(1, "Most"), (2, "Fewer"), (3, "Spread"), (4, "High"), (4, "Low"), (6, "Last")]


def entrant(number, name, opponents, scores=(), rating=0):
    return {
        "id": number, "name": name, "rating": rating, "pairings": opponents,
        "scores": list(scores), "etc": {"board": [1] * len(opponents)},
    }  # fmt: skip


@pytest.fixture
def pairings(tmp_path) -> EventDetails:
    players = [
        None,
        entrant(1, "Ito, Aiko", [2, 3], [], 1500),
        entrant(2, "Bo", [1, 0], [None, 50], 1200),
        entrant(3, "Dee, D.", [4, 1], [300], 900),
        entrant(4, "Cem", [3, 0], [300, -50], 800),
    ]
    tournament = {"divisions": [{"name": "A", "players": players}]}
    return load_pairings(pairings_file(tmp_path, tournament))


def site(pairings, results, rows=()) -> EventSite:
    return EventSite(pairings, results, bind(results, pairings), rows)


def test_a_division_counts_what_was_settled_here_and_what_tsh_has(pairings):
    results = [result("table-1", "Aiko Ito", "Bo", (402, 371), game_id="g1")]
    lines = site(pairings, results).standings["A"]
    assert [one.rank for one in lines] == [1, 2, 3, 4]
    assert counts(lines) == [
        ("Aiko Ito", 1, 0, 31, 1),
        ("Bo", 1, 1, 19, 2),  # a bye of 50
        ("D. Dee", 0.5, 0.5, 0, 1),  # a tie that TSH has
        ("Cem", 0.5, 1.5, -50, 2),  # and a forfeit
    ]


def test_without_divisions_the_results_alone_count():
    results = [
        result("t1", "Ann", "Bo", (400, 300), game_id="a"),
        result("t1", "Bo", "Ann", (350, 350), game_id="b", winner="tie", spread=0),
        result("t2", "Cem", "Ann", (10, 0), game_id="c", winner="right", spread=50,
               outcome="left"),
    ]  # fmt: skip
    lines = plain_standings(results, {"dora": "Dora"})
    assert counts(lines) == [
        ("Ann", 2.5, 0.5, 150, 3),
        ("Bo", 0.5, 1.5, -100, 2),
        ("Dora", 0, 0, 0, 0),  # fewer losses
        ("Cem", 0, 1, -50, 1),
    ]


def test_a_round_shows_results_games_under_way_and_byes(pairings):
    won = {"winner": "right", "spread": 31}
    results = [result("table-1", "Bo", "Aiko Ito", (371, 402), game_id="g1", **won)]
    row = seated("D. Dee", "aiko ito")
    event = site(pairings, results, [row])
    first, second = event.rounds[1], event.rounds[2]
    (settled,) = [one for one in first if one.result]
    assert settled.result == results[0]
    (entered,) = [one for one in first if one.scores]
    assert (entered.left, entered.scores) == ("D. Dee", (300, 300))
    (live,) = [one for one in second if one.live]
    assert live.live == row
    assert [one.left for one in second if not one.right] == ["Bo", "Cem"]
    assert newest_round(event.rounds) == 2
    assert event.next_of("aiko ito") is None  # round 2 is being played
    now = event.now_of("aiko ito")
    assert (now.opponent, now.points, now.outcome) == ("D. Dee", (9, 5), "")
    first_game, bye = event.own_games["bo"]
    assert (first_game.points, first_game.spread, first_game.outcome) == ((371, 402), -31, "lost")
    # It has no result of a game, and is no sign that the round has begun.
    assert (bye.round, bye.opponent, bye.spread, bye.outcome) == (2, "", 50, "bye")
    assert [one.outcome for one in event.own_games["cem"]] == ["tie", "bye"]
    assert newest_round(site(pairings, results).rounds) == 1
    assert list(event.players) == ["aiko ito", "bo", "cem", "d. dee"]


def test_the_best_plays_are_those_of_settled_games():
    best = {"bingos": 1, "word": "QUIXOTRY", "position": "8A", "score": 365, "turn": 3}
    results = [
        result("t1", "Ann", "Bo", (400, 300), game_id="a", plays={"left": best, "right": {}}),
        result("t1", "Cem", "Bo", (400, 300), game_id="b"),
    ]
    (play,) = site(None, results).best_plays
    assert (play.player, play.opponent, play.word, play.score, play.turn) == (
        "Ann", "Bo", "QUIXOTRY", 365, 3,
    )  # fmt: skip


def test_names_are_found_by_every_word():
    names = {"aiko ito": "Aiko Ito", "bo": "Bo"}
    assert matching(names, "ITO  ai") == ["aiko ito"]
    assert matching(names, " ") == []
    accents = {"łukasz wójcik": "Łukasz Wójcik"}
    assert matching(accents, "lukasz") == matching(accents, "WÓJCIK") == list(accents)


def test_the_round_due_is_the_newest_until_it_is_over(of_csv):
    assert round_due(of_csv().rounds) == 2  # the first has its scores in the file
    assert round_due(of_csv(rows=[seated("Ann", "Bo", 1)]).rounds) == 2
    assert round_due(site(None, []).rounds) is None


CSV = """round,table,division,left,left_rating,left_score,right,right_rating,right_score
1,1,A,Ann,1500,400,Bo,1400,380
1,2,B,Cem,1300,300,Dora,1200,300
2,1,A,Ann,,,Bo,,
"""


@pytest.fixture
def of_csv(tmp_path):
    path = tmp_path / "pairings.csv"
    path.write_text(CSV)

    def made(results=(), rows=()) -> EventSite:
        pairings = load_pairings(path)
        return EventSite(pairings, results, bind(results, pairings), rows, read_pairings(path))

    return made


def test_the_scores_of_a_csv_count_where_no_table_has_a_result(of_csv):
    divisions = of_csv().standings
    assert list(divisions) == ["A", "B"]
    assert counts(divisions["A"]) == [("Ann", 1, 0, 20, 1), ("Bo", 0, 1, -20, 1)]
    assert divisions["A"][0].rating == 1500
    assert [(one.rank, one.wins) for one in divisions["B"]] == [(1, 0.5), (1, 0.5)]
    read = result("table-2", "Dora", "Cem", (410, 390), game_id="g1")
    assert counts(of_csv([read]).standings["B"]) == [("Dora", 1, 0, 20, 1), ("Cem", 0, 1, -20, 1)]


def test_a_second_game_of_two_players_stands_in_its_own_round(of_csv):
    event = of_csv(rows=[seated("Ann", "Bo", 1)])
    assert [one.live is not None for one in event.rounds[1]] == [False, False]
    assert [one.scores for one in event.rounds[1]] == [(400, 380), (300, 300)]
    assert event.rounds[2][0].live["id"] == "table-1"
    assert newest_round(event.rounds) == 2
    assert event.next_of("ann") is None
    assert of_csv().next_of("ann").round == 2


AGAIN = """round,table,division,left,left_score,right,right_score
1,24,A,Ann,400,Bo,380
1,24,B,Cem,300,Dora,310
2,,A,Ann,50,Bye,
6,24,A,Bo,,Ann,
6,24,B,Dora,,Cem,
"""


@pytest.mark.parametrize(
    ("games", "rounds"),
    [
        ([("Ann", "Bo", 420, 350)], [6]),
        ([("bo", " ANN", 420, 350)], [6]),
        ([("Dora", "Cem", 420, 350)], [6]),
        ([("Bo", "Ann", 380, 400)], [1]),  # it is what somebody has entered
        ([("Bo", "Ann", 400, 380)], [6]),
        ([("Ann", "Bo", 401, 380), ("Ann", "Bo", 420, 350)], [1, 6]),
        ([("Ann", "Bo", 420, 350), ("Ann", "Bo", 400, 380)], [6, 1]),
    ],
)
def test_a_round_with_a_score_of_the_file_leaves_a_game_to_a_later_one(tmp_path, games, rounds):
    path = tmp_path / "pairings.csv"
    path.write_text(AGAIN)
    pairings = load_pairings(path)
    plays = {"left": {"word": "QUIZ", "position": "8H", "score": 80, "turn": 3}}
    results = [
        result("table-24", left, right, tuple(scores), game_id=f"g{at}", begun=at, plays=plays)
        for at, (left, right, *scores) in enumerate(games)
    ]
    binding = bind(results, pairings)
    assert not binding.claims
    assert [binding.round_of(one) for one in results] == rounds
    event = EventSite(pairings, results, binding, (), read_pairings(path))
    assert sorted(one.round for one in event.best_plays) == sorted(rounds)
    shown = {
        (one.round, one.result.game_id) for m in event.rounds.values() for one in m if one.result
    }
    assert shown == {(number, f"g{at}") for at, number in enumerate(rounds)}


def test_a_bye_and_a_withdrawal_of_a_csv_are_points_and_no_players(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text(
        "round,table,left,right,left_score,right_score\n"
        "1,1,Ann,Bo,,\n1,,Cem,Bye,50,\n1,,Withdrawn,Dora,,-50\n2,,Eve,bye,0,\n"
    )
    details = read_pairings(path)
    event = EventSite(load_pairings(path), [], bind([], load_pairings(path)), [], details)
    lines = sorted(counts(event.standings[""]))
    assert [one[1:4] for one in lines] == [(0, 0, 0), (0, 0, 0), (1, 0, 50), (0, 1, -50), (0, 0, 0)]
    assert list(event.players.values()) == ["Ann", "Bo", "Cem", "Dora", "Eve"]
    assert [(one.left, one.right, one.points) for one in event.rounds[1]] == [
        ("Ann", "Bo", None),
        ("Cem", "", (50, 0)),
        ("Dora", "", (-50, 0)),
    ]
    assert newest_round(event.rounds) == 1  # nobody has played yet


def test_a_game_that_nobody_paired_stands_nowhere_until_the_director_takes_it(tmp_path):
    path = tmp_path / "pairings.csv"
    path.write_text(CSV)
    pairings, details = load_pairings(path), read_pairings(path)
    friendly = result("table-2", "Ann", "Cem", (500, 300), game_id="f")

    def standing(decided=None) -> tuple[list[int], tuple[float, int]]:
        binding = bind([friendly], pairings, decided)
        known = [one for one in binding.results if binding.claim(one) is None]
        event = EventSite(pairings, known, binding, (), details)
        ann = next(one for one in event.standings["A"] if one.name == "Ann")
        return list(event.rounds), (ann.wins, ann.spread)

    assert standing() == ([1, 2], (1, 20))
    assert standing({("table-2", "f"): 2}) == ([1, 2], (2, 220))


ENTERED = "round,table,left,right,left_score,right_score\n1,1,Ann,Bo,272,429\n2,2,Ann,Bo,,\n"


def entered(path, results, rows=()) -> EventSite:
    """The site of an event whose CSV has a score; of the results those that have a round."""
    path.write_text(ENTERED)
    pairings = load_pairings(path)
    binding = bind(results, pairings)
    known = [one for one in binding.results if binding.claim(one) is None]
    return EventSite(pairings, known, binding, rows, read_pairings(path))


@pytest.mark.parametrize("more", [{"signed": False}, {"winner": "", "outcome": "both"}])
def test_a_score_of_the_file_stands_until_a_result_counts(tmp_path, more):
    """A game that waits to be signed, and one of which only a director can say who won."""
    open_one = result("table-1", "Ann", "Bo", (430, 269), game_id="g1", **more)
    event = entered(tmp_path / "p.csv", [open_one])
    assert counts(event.standings[""]) == [("Bo", 1, 0, 157, 1), ("Ann", 0, 1, -157, 1)]
    (meeting,) = event.rounds[1]
    assert (meeting.points, meeting.winner) == ((272, 429), "right")
    (first, second) = event.own_games["ann"]
    assert (first.points, first.outcome, first.meeting.result) == ((272, 429), "lost", None)
    assert second.is_to_come
    signed = result("table-1", "Ann", "Bo", (430, 269), game_id="g1")
    event = entered(tmp_path / "p.csv", [signed])
    assert [one.spread for one in event.standings[""]] == [161, -161]
    assert [one.points for one in event.rounds[1]] == [(430, 269)]
    assert event.own_games["ann"][0].meeting.result == signed
    assert event.own_games["bo"][0].outcome == "lost"


def test_a_score_of_tsh_stands_until_a_result_counts(pairings):
    open_one = result("table-2", "D. Dee", "Cem", (402, 371), game_id="g1", provisional=True)
    event = site(pairings, [open_one])
    assert event.standings == site(pairings, []).standings
    assert "402" not in as_tsh([open_one], pairings, "A", event.binding)
    assert [one.games for one in plain_standings([open_one], {})] == []
    (meeting,) = [one for one in event.rounds[1] if one.left == "D. Dee"]
    assert meeting.points == (300, 300)
    assert event.own_games["d. dee"][0].meeting.result is None


def test_whoever_nobody_paired_is_no_player_of_the_event(tmp_path, pairings):
    event = entered(tmp_path / "p.csv", [], [seated("Ann", "Zed")])
    assert list(event.players) == ["ann", "bo"]
    assert [one.name for one in event.standings[""]] == ["Bo", "Ann"]
    assert "zed" not in site(pairings, [], [seated("Bo", "Zed")]).players
    assert event.live_of("ann") is not None
    # Without pairings everybody at a table is one.
    assert list(site(None, [], [seated("Ann", "Zed")]).players) == ["ann", "zed"]


PAIRINGS = """round,table,left,right,left_score,right_score
1,1,Ann Lee,Bo,400,300
1,2,Cem,Dora,310,320
2,1,Ann Lee,Cem,,
2,2,Bo,Dora,,
3,1,Ann Lee,Dora,,
3,2,Bo,Cem,,
"""


@pytest.fixture
def pages(opened) -> Pages:
    return Pages(opened(pairings=PAIRINGS))


def seating(pages) -> dict:
    found = pages.get("/director/hall/state", director=True).get_json()["seating"]
    return {"due": found["due"], **{one.pop("round"): one for one in found["rounds"]}}


def test_the_round_that_is_due_is_chosen_and_says_whom_it_reaches(pages):
    # Nothing was installed that reads the scores of a file: the first round is due.
    assert seating(pages)["due"] == 1
    assert seating(pages)[1] == {"tables": 0, "playing": [], "others": [], "open": []}
    tables = [pages.venue.table(f"table-{number}") for number in (1, 2)]
    assert until(lambda: seating(pages)[2]["tables"] == 2)
    games = [play(tables[0], 3, turns=4, names={"left": "Ann Lee", "right": "Cem"})]
    assert until(lambda: seating(pages)["due"] == 2)
    found = seating(pages)
    assert found[2] == {"tables": 2, "playing": ["Table-1"], "others": [], "open": []}
    assert found[3] == {"tables": 2, "playing": ["Table-1"], "others": ["Table-1"], "open": []}
    page = pages.get("/director/hall", director=True).text
    assert "<option selected>2</option>" in page
    games.append(play(tables[1], 4, turns=4, names={"left": "Bo", "right": "Dora"}))
    for table, (game, state) in zip(tables, games, strict=True):
        ended = GameEnded("shortened", state.turns[-1].press_ns)
        table.log.append(game, to_payload(ended), mono_ns=1, source="director: ann")
    assert until(lambda: seating(pages)["due"] == 3)  # the second is over at both tables
    assert seating(pages)[3]["playing"] == []


def test_a_hub_without_tables_says_how_the_first_is_let_in(pages):
    page = pages.get("/director/hall", director=True).text
    assert "No table has joined yet. Make a code" in page
    assert page.index("t-enrol") < page.index("t-slots")
    pages.venue.table("table-1")
    page = pages.get("/director/hall", director=True).text
    assert "No table has joined yet" not in page
    assert page.index("t-enrol") > page.index("t-slots")


TWO_DIVISIONS = """round,table,division,left,right
1,1,A,Ann Lee,Bo
1,1,B,Cem,Dora
1,2,A,Eve,Fay
"""


def test_a_table_of_two_games_gets_no_names_until_the_director_says_its_division(opened):
    venue = opened(pairings=TWO_DIVISIONS)
    path = venue.config.pairings
    pages = Pages(venue)
    tables = [venue.table(id_) for id_ in ("b-1", "table-2")]
    assert until(lambda: seating(pages)[1]["tables"] == 1)
    (found,) = seating(pages)[1]["open"]
    assert (found["table"], [one["left"] for one in found["games"]]) == (
        "b-1",
        ["Ann Lee", "Cem"],
    )
    presence = venue.service.presence
    assert until(lambda: all(presence.state(id_) == "here" for id_ in ("b-1", "table-2")))
    sent = pages.post("/director/hall/seat", {"round": 1}).get_json()["seated"]
    assert "say which division" in sent["b-1"]
    assert sent["table-2"] == "done"
    address = "/director/hall/tables/b-1/division"
    assert "no division 'C'; they have A, B" in pages.post(address, {"division": "C"}).text
    assert pages.post(address, {"division": "b"}).get_json() == {"done": True}
    assert (seating(pages)[1]["tables"], seating(pages)[1]["open"]) == (2, [])
    sent = pages.post("/director/hall/seat", {"round": 1}).get_json()["seated"]
    assert sent == {"b-1": "done", "table-2": "done"}
    wanted = {"left": "Cem", "right": "Dora"}
    assert until(lambda: tables[0].session.state.players == wanted)
    path.write_text(TWO_DIVISIONS.replace(",B,", ",Two,"))  # which nobody has said yet
    assert [one["table"] for one in seating(pages)[1]["open"]] == ["b-1"]


def test_a_broken_row_is_told_in_the_hall_and_what_was_known_is_kept(pages):
    def reported() -> dict:
        return pages.get("/director/hall/state", director=True).get_json()["pairings"]

    assert reported() == {"fault": None, "kept": True, "doubts": [], "divisions": [], "of": {}}
    path = pages.venue.config.pairings
    path.write_text(PAIRINGS + "4,1,Ann Lee,,,\n")
    assert "pairings.csv, line 8: it needs the names of left and right" in reported()["fault"]
    assert 3 in seating(pages)
    path.unlink()
    assert "cannot be read (No such file or directory)" in reported()["fault"]
    path.write_text(PAIRINGS)
    assert reported()["fault"] is None
