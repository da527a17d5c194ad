"""The public site of an event: whole without script, and nothing before its time."""

from __future__ import annotations

import re

import pytest

from dashboard.overlay.style import EventError
from dashboard.standings import standings
from game.events import GameEnded, TableDescribed, to_payload
from game.state.fold import fold
from hub.config import load_hub_config
from hub.event_meetings import Meeting
from hub.run import event_of
from table.views.public_policy import PublicPolicy
from tests.game.gamekit import random_game
from tests.hub.hubkit import until
from tests.hub.pagekit import TOURNEY, Pages, keep_results, put_row, result
from tests.hub.servicekit import play


def words_of(page) -> str:
    """What a page says, without its tags, each run of blanks as one."""
    return " ".join(re.sub(r"<[^>]*>", " ", page.text).split())


PATHS = ("/event/standings", "/event/players", "/event/plays", "/event/search?q=ito", "/results")


@pytest.fixture
def event(opened):
    """Opens the pages of a hub with pairings and the settings given."""
    return lambda **settings: Pages(opened(pairings=TOURNEY, name="Lakeside Open", **settings))


def finished(pages: Pages):
    """A settled game of Aiko Ito and Bo at their table; its id and how it ended."""
    table = pages.venue.table("table-1")
    game, state = play(table, 5, turns=200, names={"left": "Aiko Ito", "right": "Bo"})
    ended = GameEnded("shortened", state.turns[-1].press_ns)
    table.log.append(game, to_payload(ended), mono_ns=1, source="director: ann")
    results = pages.venue.service.event.results
    assert until(lambda: any(one.settled for one in results.all()))
    return game, next(one for one in results.all() if one.settled)


def test_the_site_tells_of_a_settled_game_on_every_page(event):
    pages = event()
    game, settled = finished(pages)
    address = f"/tables/table-1/games/{game}"
    assert until(lambda: pages.get(address).status_code == 200)
    assert settled.at_ns > 0
    for side in ("left", "right"):
        own = settled.plays[side]
        assert own["turns"] > 0 <= own["points"]
        tiles = [own["board"][int(name[:-1]) - 1]["ABCDEFGHIJKLMNO".index(name[-1])]
                for name in own["squares"]]  # fmt: skip
        assert "." not in tiles
        assert len(tiles) <= len(own["word"])
    pairs = f"{settled.left_score} : {settled.right_score}"
    for path in ("/event/rounds/1", "/results", "/event/players/aiko%20ito"):
        assert pairs in words_of(pages.get(path)), path
        assert f'href="{address}' in pages.get(path).text, path
    best = settled.plays["left"]
    plays = pages.get("/event/plays").text
    assert f'href="{address}#turn={best["turn"]}"' in plays
    assert best["word"] in plays
    standings = pages.get("/event/standings").text
    assert "1500" in standings
    winner = "Aiko Ito" if settled.winner == "left" else "Bo"
    assert standings.index(winner) < standings.index("Bo" if winner != "Bo" else "Aiko Ito")
    assert "Aiko Ito" in pages.get("/event/search?q=ito").text
    assert pages.get("/event/rounds").headers["Location"].endswith("/event/rounds/1")
    assert pages.get("/event/rounds/9").status_code == 404
    assert pages.get("/event/players/nobody").status_code == 404
    hall = pages.get("/")
    assert 'data-table="table-1"' in hall.text  # the tables stand in the page itself
    assert pages.get("/hall").status_code == 200


def test_a_round_shows_a_game_that_is_over_before_its_result_is_final(event):
    pages = event()
    table = pages.venue.table("table-1")
    game, state = play(table, 5, turns=6, names={"left": "Aiko Ito", "right": "Bo"})
    scores = f"{state.scores['left']} : {state.scores['right']} "
    assert until(lambda: f"{scores}playing" in words_of(pages.get("/event/rounds/1")))
    answer = pages.get("/event/players/bo")
    # A name that is written from right to left does not pull the scores beside it along.
    assert "against <bdi>Aiko Ito</bdi>, " in answer.text
    player = words_of(answer)
    assert "Playing at Table-1 against Aiko Ito" in player
    assert "Round 1" not in player  # it has begun, and is not to come
    assert "Round 2, table 1 against Aiko Ito" in player
    ended = GameEnded("shortened", state.turns[-1].press_ns)
    table.log.append(game, to_payload(ended), mono_ns=1, source="recorder")
    over = "over, not yet final"
    assert until(lambda: f"{scores}{over}" in words_of(pages.get("/event/rounds/1")))
    assert f"Table-1 {over}" in words_of(pages.get("/"))
    assert scores not in words_of(pages.get("/event/rounds/2"))
    assert "Round 1" in words_of(pages.get("/"))
    games = pages.get("/tables/table-1/games").text
    assert "<h1>Games of Table-1</h1>" in games
    assert 'href="/results" aria-current="page"' in games  # within the event's menu
    assert pages.get("/event/now").get_json() == {"round": 1}


def test_whoever_won_is_marked_also_by_scores_that_only_tsh_has():
    left, right = Meeting(1, "", 1, "Aiko Ito", "Bo", scores=(400, 380)), "Aiko Ito"
    assert (left.winner, left.points) == ("left", (400, 380))
    assert Meeting(1, "", 1, "Bo", right, scores=(380, 400)).winner == "right"
    assert Meeting(1, "", 1, "Bo", right, scores=(400, 400)).winner == ""
    turned = Meeting(1, "t1", 1, "Bo", right, result("t1", right, "Bo", (402, 371)))
    assert (turned.winner, turned.points) == ("right", (371, 402))
    assert Meeting(1, "", 1, "Bo", right).points is None
    open_ = result("t1", right, "Bo", (402, 371), provisional=True)
    assert Meeting(1, "t1", 1, "Bo", right, open_).winner == ""


@pytest.mark.parametrize("public", [{"delay_min": 30}, {"delay_turns": 3}])
def test_a_public_that_is_behind_finds_nothing_newer_on_the_site(event, public):
    pages = event(public=public)
    table = pages.venue.table("table-1")
    game, state = play(table, 5, turns=3, names={"left": "Aiko Ito", "right": "Bo"})
    assert until(lambda: pages.venue.same(table))
    words = [turn.words[0][0] for turn in state.turns if turn.words]
    assert words
    paths = (
        "/", "/hall", "/api/v1/hall", "/event/rounds/1", "/event/players/bo", *PATHS,
        "/tables/table-1", "/tables/table-1/games",
        *(f"/tables/table-1/games/{game}{part}" for part in ("", "/view", "/result", "/game.gcg")),
    )  # fmt: skip
    latest = pages.venue.service.tables.table("table-1").public.latest()
    assert latest is None or not latest.view["turns"]
    for path in paths:
        text = pages.get(path).text
        for word in words:
            assert f">{word}<" not in text, path
            assert f'"{word}"' not in text, path
        for side in ("left", "right"):
            assert f">{state.scores[side]}</b>" not in text or not state.scores[side], path


def test_a_settled_result_waits_for_a_public_that_is_behind(event):
    pages = event(public={"delay_min": 30})
    _, settled = finished(pages)
    pairs = f"{settled.left_score} : {settled.right_score}"
    for path in ("/event/rounds/1", "/event/players/bo", *PATHS):
        text = pages.get(path).text
        assert pairs not in words_of(pages.get(path)), path
        assert settled.plays["left"]["word"] not in text, path


def test_a_result_in_question_is_on_no_page(event):
    pages = event()
    best = {"bingos": 0, "word": "FORGED", "position": "8H", "score": 999, "turn": 1}
    forged = result("table-9", "Aiko Ito", "Bo", (998, 1), game_id="g", plays={"left": best})
    keep_results(pages.venue, forged)
    for path in ("/event/rounds/1", "/event/players/bo", *PATHS):
        text = pages.get(path).text
        assert "998" not in text, path
        assert "FORGED" not in text, path


def test_names_are_written_as_text(event):
    pages = event()
    pages.venue.service.store.enrol("t2", "<b>T2</b>", "0" * 64, None)
    friendly = result("t2", "<i>Eve</i>", "Fay & Co", (400, 300))
    pages.venue.service.event.results.put(friendly)
    pages.venue.service.event.decisions.decide(friendly, 1, pages.venue.service.event.pairings())
    for path in ("/event/players", "/results", "/event/search?q=<script>", "/event/standings"):
        text = pages.get(path).text
        assert "<i>Eve" not in text
        assert "<script>" not in text.replace('<script src="', "")
    assert pages.get("/event/players/%3Ci%3Eeve%3C/i%3E").status_code == 200


def test_pairings_are_shown_before_any_table_has_joined(opened):
    venue = opened(pairings="round,table,left,right\n1,1,Ann Lee,Bob\n1,2,Cem,Dora\n2,2,Bob,Cem\n")
    pages = Pages(venue)
    first = pages.get("/event/rounds/1").text
    assert all(name in first for name in ("Ann Lee", "Bob", "Cem", "Dora"))
    assert pages.get("/event/rounds/2").status_code == 200
    assert pages.get("/event/players/ann%20lee").status_code == 200
    standings = pages.get("/event/standings").text
    assert "Dora" in standings
    assert "No table has joined yet" in pages.get("/").text
    assert "No table has joined yet" in pages.get("/hall").text


def test_tables_stand_by_their_numbers_without_script(venue):
    pages = Pages(venue)
    for number in (10, 2, 1, 12):
        put_row(venue, number, status="waiting", players=None)
    for path in ("/", "/hall"):
        found = re.findall(r'data-table="table-(\d+)"', pages.get(path).text)
        assert found == ["1", "2", "10", "12"], path


def test_a_table_shows_who_is_to_play_who_leads_and_who_has_won(venue):
    pages = Pages(venue)
    put_row(venue, 1, on_turn="right", winner=None, provisional=False)
    assert "Table 1 30 in the bag Ann Lee 300 Bo to play 345" in words_of(pages.get("/"))
    assert '<b class="leads" data-part="right-score">345</b>' in pages.get("/").text
    over = {"status": "ended", "final": True, "on_turn": None, "provisional": False}
    put_row(venue, 1, winner="right", **over)
    assert "Table 1 final Ann Lee 300 Bo ✓ won 345" in words_of(pages.get("/"))


def test_players_are_listed_without_regard_to_accents_and_with_their_record(venue):
    pairs = (("Łukasz Wójcik", "Zoë Ng"), ("Mia Öz", "Max"))
    keep_results(venue, *(result("t1", *pair, (402, 371)) for pair in pairs))
    pages = Pages(venue)
    text = words_of(pages.get("/event/players"))
    order = [text.index(name) for name in ("Łukasz", "Max", "Mia", "Zoë")]
    assert order == sorted(order)
    assert "Łukasz Wójcik place 1 1–0" in text
    assert "Łukasz Wójcik" in words_of(pages.get("/event/search?q=lukasz"))
    standings = pages.get("/event/standings").text
    assert "Łukasz Wójcik" in standings
    assert "Rating" not in standings  # nobody has one
    nothing = pages.get("/event/search?q=zzz")
    assert "Nothing found for “zzz”" in words_of(nothing)
    assert 'value="zzz"' in nothing.text


def test_the_names_on_a_table_s_page_lead_to_the_players_and_the_login_names_the_event(venue):
    play(venue.table("1"), 3, turns=2, names={"left": "Ann Lee", "right": "Bo"})
    pages = Pages(venue)
    link = 'href="/event/players/Ann%20Lee" title="The page of Ann Lee">Ann Lee</a></h2>'
    assert until(lambda: link in pages.get("/tables/1").text)
    # The hall has its line in a moment.
    assert until(lambda: pages.get("/event/players/Ann%20Lee").status_code == 200)
    login = pages.get("/login").text
    assert f"<title>Log in – {venue.service.config.name}</title>" in login
    assert "To the tables as everybody sees them" in login


COUNTS = {(1, frozenset({"aiko ito", "bo"})): {"aiko ito": 402, "bo": 371}}


@pytest.mark.parametrize("late", [False, True])
def test_results_that_count_are_in_the_standings_once_the_public_has_seen_their_games(opened, late):
    """Before the file has them; and none by a table that claims the players of another."""
    policy = PublicPolicy(delay_turns=2 if late else 0)
    venue = opened(pairings=TOURNEY, name="Town Hall Open", public=policy)
    claimed = result("table-9", "Aiko Ito", "Bo", (1, 999), game_id="g1")
    keep_results(venue, result("table-1", "Aiko Ito", "Bo", (402, 371), game_id="g1"), claimed)
    assert venue.service.event.public_scores() == ({} if late else COUNTS)
    details = event_of(venue.service).details()
    assert details.title == "Town Hall Open"
    first, second, *_ = standings(details, "A")
    assert (first.name, first.wins, first.spread) == ("D. Dee", 1, 50)
    if not late:
        assert (second.name, second.wins, second.spread) == ("Aiko Ito", 1, 31)


def test_a_hub_names_what_is_wrong_with_its_theme(opened, tmp_path):
    (tmp_path / "theme.toml").write_text('[colours]\naccent = "red"\n')
    (tmp_path / "hub.toml").write_text('[serve]\ntheme = "theme.toml"\n')
    config = load_hub_config(tmp_path / "hub.toml")
    assert config.serve.theme == tmp_path / "theme.toml"
    venue = opened(serve=config.serve)
    with pytest.raises(EventError, match="colours: accent"):
        event_of(venue.service)


def describe(table, settings) -> None:
    table.session.recorder.record(TableDescribed("0.2.0", {}, settings, table.desk.now_ns()))


def allowed(venue) -> PublicPolicy:
    return venue.service.tables.table("t1").allowed


def turns_of_the_public(venue) -> int:
    latest = venue.service.tables.table("t1").public.latest()
    return 0 if latest is None else len(latest.view["turns"])


def played(table) -> int:
    """Log a game whose records have the times of its events; the number of its turns."""
    events = random_game(3).events[:24]
    at_ns = 0
    for event in events:
        at_ns = getattr(event, "t_ns", at_ns)
        table.log.append(events[0].game_id, to_payload(event), mono_ns=at_ns, source="recorder")
    return len(fold(events).turns)


def test_a_table_that_shows_its_game_late_is_late_at_its_hub(venue):
    table = venue.table("t1")
    own = PublicPolicy(delay_turns=2, unseen="never")
    describe(table, {"public": own.model_dump(mode="json")})
    assert until(lambda: allowed(venue).delay_turns == 2)
    assert allowed(venue).unseen == "never"
    turns = played(table)
    assert until(lambda: venue.same(table))
    assert until(lambda: turns_of_the_public(venue) > 0)
    assert turns_of_the_public(venue) <= turns - 2
    table.tie.stop()
    venue.restart()  # the hub knows it before the table reports
    assert allowed(venue).delay_turns == 2


@pytest.mark.parametrize(
    "settings", [{}, {"public": {"delay_min": "soon"}}, {"public": {"unheard": 1}}, {"public": 7}]
)
def test_a_table_that_says_nothing_of_it_is_shown_as_the_hub_says(venue, settings):
    table = venue.table("t1")
    describe(table, settings)
    play(table, 3, turns=2)
    assert until(lambda: venue.same(table))
    assert allowed(venue) == venue.config.public


def test_of_two_policies_each_part_is_the_stricter_one():
    late = PublicPolicy(delay_min=5.0, unseen="live", racks="after", words="late")
    shut = PublicPolicy(delay_turns=3, unseen="after", racks="never", words="never")
    both = PublicPolicy(delay_min=5.0, delay_turns=3, unseen="after", racks="never", words="never")
    assert late.stricter(shut) == shut.stricter(late) == both
    assert late.stricter(late) == late
