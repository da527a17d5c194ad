"""Pages of single games: what they show, and that they show nothing before its time.

The file that tools watch has always the newest game, and is always whole.
"""

from __future__ import annotations

import gzip
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest

from dashboard.app import create_app
from dashboard.game_numbers import chart, course, numbers, play_text, score_sum, spread_bars
from dashboard.gcg import GcgFile
from dashboard.qr_code import qr_picture, qr_svg
from dashboard.site import Site, table_over
from game.events import (
    ClockAdjusted,
    GameEnded,
    GameForfeited,
    PenaltyAdded,
    RackReported,
    SquareCorrected,
    TurnRuled,
)
from game.gcg import parse
from game.state.fold import fold
from table.views.public_policy import FULLY_OPEN, PublicPolicy
from table.views.views import view
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog
from tests.game.gamekit import Table, random_game
from tests.machine import PATIENCE_S, until

ELSEWHERE = {"left": "Uma", "right": "Vic"}


class Clock:
    """The table's base, moved by hand."""

    def __init__(self) -> None:
        self.now_ns = 100_000 * SECOND

    def __call__(self) -> int:
        return self.now_ns


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def open_site(log, clock):
    """A client for a site over the log; ``embed`` and the policy as given."""
    sites = []

    def made(public: PublicPolicy = FULLY_OPEN, embed: tuple[str, ...] = (), words=None):
        table = table_over(log, id="1", name="Table 1", clock=clock, public=public, words=words)
        site = Site((table,))
        sites.append(site)
        return create_app(site, embed=embed).test_client()

    yield made
    for site in sites:
        site.close()


def ended(game: GameInLog) -> GameInLog:
    """A whole small game, and the racks at its end."""
    game.plays(TURNS)
    game.end()
    return game


def next_game(game: GameInLog, name: str = "game-2", **options) -> GameInLog:
    return GameInLog(game.log, name, t_ns=game.t_ns + 60 * SECOND, **options).start(ELSEWHERE)


PARTS = ("", "/view", "/result", "/game.gcg", "/picture.png")


def test_an_earlier_game_is_open_whole(game, open_site):
    client = open_site()
    next_game(ended(game)).play("8D", "WORDS")
    for part in PARTS:
        assert client.get(f"/tables/1/games/game-1{part}").status_code == 200, part
    view = client.get("/tables/1/games/game-1/view").json
    assert [turn["number"] for turn in view["turns"]] == [1, 2, 3, 4, 5, 6]
    assert view["clocks"]["running"] is None
    record = client.get("/tables/1/games/game-1/game.gcg")
    assert "attachment" in record.headers["Content-Disposition"]
    assert "TO.LS" in record.text
    page = client.get("/tables/1/games/game-1").text
    assert 'data-past="yes"' in page
    assert "José &amp; Søren" in page
    assert "Ada &lt;b&gt;Byron" in page
    listed = client.get("/tables/1/games").text
    assert listed.index("Uma") < listed.index("José")
    assert "Current game" in listed
    note = "without penalties, bonuses and tiles left at the end"  # that the average leaves out
    assert note in page
    for path in ("/tables/1/games/none", "/tables/9/games", "/tables/9/games/game-1"):
        assert client.get(path).status_code == 404


def earlier_link(page: str) -> str | None:
    """Where the link to the game before leads; None where it is not shown."""
    (tag,) = re.findall(r'<a id="earlier-game"[^>]*>', page)
    return None if " hidden" in tag else re.findall(r'href="([^"]*)"', tag)[0]


def test_a_table_leads_to_the_game_that_has_just_ended_there(game, open_site):
    client = open_site()
    ended(game)
    assert earlier_link(client.get("/tables/1").text) is None
    following = next_game(game)
    page = client.get("/tables/1").text
    assert earlier_link(page) == "/tables/1/games/game-1"
    assert "The game before: Ada &lt;b&gt;Byron&lt;/b&gt; – José &amp; Søren" in page
    assert client.get(earlier_link(page)).status_code == 200
    following.play("8D", "WORDS")
    next_game(following, "game-3")
    assert earlier_link(client.get("/tables/1").text) == "/tables/1/games/game-2"
    # The page of one game stays with it.
    assert earlier_link(client.get("/tables/1/games/game-2").text) is None


def test_a_game_is_read_without_script(game, open_site):
    ended(game)
    page = open_site().get("/tables/1").text
    assert re.findall(r'data-number="(\d)"', page) == ["6", "5", "4", "3", "2", "1"]
    assert 'data-name="8H" data-words="centre, double word" aria-label="8H, S, 1 point"' in page
    assert "0:30" in page  # the time that a turn took
    assert "The scores after each turn" in page
    assert re.search(
        r'<p class="link"[^>]*data-loaded="final"[^>]*><i[^>]*></i><span>Final</span>', page
    )
    assert '<span class="initials" aria-hidden="true">J&amp;S</span>' in page
    assert re.findall(r"<time[^>]*>([^<]*)</time>", page) == ["23:30", "23:30"]
    last = page[page.index('id="last"') : page.index("</section>", page.index('id="last"'))]
    assert 'José &amp; Søren</span><span class="at"> at 12E' in last
    assert re.findall(r'class="letter" data-print="(.)"', last) == ["O", "X"]
    assert '<p class="gain">+' in last


def test_how_far_a_game_is_is_said_in_the_same_words_everywhere(game, open_site):
    client = open_site()

    def words() -> tuple[str, str]:
        page, listed = client.get("/tables/1").text, client.get("/tables/1/games").text
        pill = re.search(r'id="link".*?<span>([^<]*)</span>', page)
        line = re.search(r"turns? · ([^<]*)</span>", listed)
        assert pill is not None and line is not None
        return pill[1], line[1]

    game.play(*TURNS[0])
    assert words() == ("Playing", "playing")
    game.put(GameEnded("shortened", game.t_ns))
    assert words() == ("Over, not yet final", "over, not yet final")
    assert re.search(r'id="ending">Not final yet', client.get("/tables/1").text)
    game.put(RackReported("left", "AAEEIQZ", game.t_ns, "director"))
    game.put(RackReported("right", "IOUVVWW", game.t_ns, "director"))
    assert words() == ("Final", "cut short · final")
    assert 'id="ending" hidden' in client.get("/tables/1").text


BOTH = "both players agreed to end it"


@pytest.mark.parametrize("rulebook", ["wespa-2021"])  # no rack is asked for
@pytest.mark.parametrize(
    ("event", "on_the_page", "in_the_list"),
    [
        (
            GameForfeited("left", "resigned", "director", "had a train", 0),
            r"won( by \d+)? <small>\(the opponent resigned\)</small>",  # though ahead
            "1 turn · Ada &lt;b&gt;Byron&lt;/b&gt; resigned",
        ),
        (
            GameForfeited("left", "director", "director", "quarrelled", 0),
            r"won( by \d+)? <small>\(",
            "1 turn · by the director&#39;s decision",
        ),
        (
            GameEnded("agreed", 0, "director"),
            rf"(leads|won) by 24 <small>\({BOTH}",
            f"1 turn · {BOTH} · final",
        ),
        (GameEnded("confirmed", 0, "director"), "(leads|won) by 24", "1 turn · final"),
        (
            GameEnded("broken off", 0, "director"),
            "The game was broken off: there is no result.",
            "1 turn · broken off · over, no result",
        ),
    ],
)
def test_a_page_and_the_list_say_how_a_game_ended(game, open_site, event, on_the_page, in_the_list):
    game.play(*TURNS[0])
    game.put(replace(event, t_ns=game.t_ns))
    client = open_site()
    page, listed = client.get("/tables/1").text, client.get("/tables/1/games").text
    assert re.search(on_the_page, page)
    assert ("<small>(" in page) == ("<small>" in on_the_page)
    assert in_the_list in listed
    has_no_result = "broken off" in in_the_list  # nobody has won
    for mark, there in (
        ('data-loaded="no_result"', True), ('data-outcome="', False), ('id="result-body"', False)
    ):  # fmt: skip
        assert (mark in page) == (there == has_no_result), mark


def test_the_page_is_sent_small_to_whoever_takes_it_so(game, open_site):
    ended(game)
    client = open_site()
    whole = client.get("/tables/1")
    small = client.get("/tables/1", headers={"Accept-Encoding": "gzip, br"})
    assert gzip.decompress(small.data) == whole.data
    assert len(small.data) < len(whole.data) / 4
    assert small.headers["Vary"] == whole.headers["Vary"]
    assert "Accept-Encoding" in whole.vary
    refused = client.get("/tables/1", headers={"Accept-Encoding": "gzip;q=0"})
    assert "Content-Encoding" not in refused.headers


@pytest.mark.parametrize(
    "public", [PublicPolicy(delay_turns=2), PublicPolicy(delay_min=10)], ids=["turns", "minutes"]
)
def test_no_page_shows_a_running_game_before_its_time(game, open_site, clock, public):
    client = open_site(public)
    ended(game)
    clock.now_ns = game.t_ns + 20 * 60 * SECOND
    for table_path in ("/tables/1", "/tables/1/games", "/tables/1/games/game-1/view"):
        assert client.get(table_path).status_code == 200
    following = GameInLog(game.log, "game-2", t_ns=clock.now_ns).start(ELSEWHERE)
    clock.now_ns = following.t_ns
    following.play("8D", "JINGO")
    clock.now_ns = following.t_ns
    assert client.get("/tables/1/live").json["view"]["game_id"] == "game-1"
    # Not even that it has begun, and between whom.
    for part in PARTS:
        assert client.get(f"/tables/1/games/game-2{part}").status_code == 404, part
    assert "Uma" not in client.get("/tables/1/games").text
    assert earlier_link(client.get("/tables/1").text) is None
    for path in ("/tables/1", "/tables/1/games", *(f"/tables/1/games/game-2{p}" for p in PARTS)):
        answer = client.get(path)
        assert b"JINGO" not in answer.data, path
        assert 'aria-label="8D, J' not in answer.get_data(as_text=True), path
    before = client.get("/tables/1/picture.png").data
    clock.now_ns += 11 * 60 * SECOND
    for place, word in (("9D", "AN"), ("10D", "BE")):
        following.play(place, word)
    clock.now_ns = following.t_ns + 11 * 60 * SECOND
    assert "JINGO" in client.get("/tables/1/games/game-2").text
    assert client.get("/tables/1/picture.png").data != before
    assert earlier_link(client.get("/tables/1").text) == "/tables/1/games/game-1"


def test_a_late_ruling_on_an_earlier_game_waits_for_a_public_that_is_behind(game, open_site, clock):
    client = open_site(PublicPolicy(delay_min=10))
    ended(game)
    following = next_game(game)
    following.play("8D", "WORDS")
    clock.now_ns = following.t_ns + 11 * 60 * SECOND
    game.t_ns = clock.now_ns
    game.put(SquareCorrected(1, "8D", "T", "director", "misread", game.t_ns))
    path = "/tables/1/games/game-1/view"
    assert client.get("/tables/1/live").json["view"]["game_id"] == "game-2"
    assert client.get(path).json["rows"][7].strip(".").startswith("F")
    following.t_ns = game.t_ns
    following.play("", "")
    clock.now_ns = following.t_ns + 11 * 60 * SECOND
    assert client.get(path).json["rows"][7].strip(".").startswith("T")


@pytest.mark.parametrize("racks", ["never", "after"])
def test_no_page_names_a_rack_that_the_public_may_not_see(game, open_site, clock, racks):
    client = open_site(PublicPolicy(racks=racks, unseen="never"))
    game.plays(TURNS)
    game.put(RackReported("left", "AAEEIQZ", game.t_ns, "director"))
    paths = ["/tables/1", "/tables/1/live", *(f"/tables/1/games/game-1{p}" for p in PARTS[:4])]
    for path in paths:
        assert "QZ" not in client.get(path).text, path
    game.put(RackReported("right", "IOUVVWW", game.t_ns, "director"))
    game.put(GameEnded("shortened", game.t_ns, "director"))
    for begun in (False, True):
        if begun:
            next_game(game)
        found = [path for path in paths[2:] if "QZ" in client.get(path).text]
        assert bool(found) is (racks == "after"), (begun, found)


def test_frames_are_refused_but_where_the_event_allows_a_site(game, open_site):
    closed = open_site()
    assert closed.get("/embed/tables/1").status_code == 404
    client = open_site(embed=("https://club.example", "http://other.example:8080"))
    for path in ("/embed/tables/1", "/embed/tables/1/games/game-1"):
        answer = client.get(path)
        policy = answer.headers["Content-Security-Policy"]
        assert "frame-ancestors 'self' https://club.example http://other.example:8080" in policy
        assert "form-action 'none'" in policy
        assert "X-Frame-Options" not in answer.headers
    for path in ("/", "/tables/1", "/tables/1/games/game-1"):
        answer = client.get(path)
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Frame-Options"] == "DENY"


def test_a_shared_link_has_a_picture_of_our_own(game, open_site):
    client = open_site()
    ended(game)
    page = client.get("/tables/1/games/game-1", base_url="http://localhost:8000").text
    found = re.search(r'property="og:image" content="http://localhost:8000(/[^"]+)"', page)
    assert found is not None
    picture = client.get(found[1])
    assert picture.mimetype == "image/png"
    assert picture.data[:4] == b"\x89PNG"
    for icon in ("/favicon.ico", "/apple-touch-icon.png"):
        with client.get(icon) as answer:
            assert answer.data[:4] == b"\x89PNG"


def test_many_games_are_listed_page_by_page(game, open_site):
    client = open_site()
    played = ended(game)
    for number in range(2, 26):
        played = next_game(played, f"game-{number}")
        played.play("8D", "WORDS")
    first = client.get("/tables/1/games").text
    assert first.count('href="/tables/1/games/game-') == 20
    assert "game-25" in first
    second = client.get("/tables/1/games?before=game-6").text
    assert second.count('href="/tables/1/games/game-') == 5
    assert NAMES["right"].split(" ")[0] in second


def test_an_earlier_game_keeps_the_mark_of_a_phoney(game, open_site):
    client = open_site(PublicPolicy(words="late"), words=frozenset())
    next_game(ended(game)).play("8D", "WORDS")
    shown = client.get("/tables/1/games/game-1/view").get_json()
    plays = [turn for turn in shown["turns"] if turn["kind"] == "play"]
    assert [turn["phoney"] for turn in plays] == [True] * len(plays)


def test_words_are_looked_up_once_nobody_can_challenge_them_and_where_the_event_allows_it(
    game, open_site
):
    game.plays(TURNS[:5])
    listed = frozenset({"FIRNS", "SHOE"})
    never = open_site(words=listed)
    assert never.get("/tables/1/turns/1/words").status_code == 404
    late = open_site(PublicPolicy(words="late"), words=listed)
    turns = late.get("/tables/1/live").get_json()["view"]["turns"]
    newest = turns[-1]["number"]
    assert late.get(f"/tables/1/turns/{newest}/words").status_code == 404
    assert late.get("/tables/1/turns/999/words").status_code == 404
    shown = {one["number"] for one in turns if "phoney" in one}
    assert len(shown) > 1
    for number in shown:
        (turn,) = (one for one in turns if one["number"] == number)
        found = late.get(f"/tables/1/turns/{number}/words").get_json()["words"]
        assert [one["text"] for one in found] == [one["text"] for one in turn["words"]]
        assert turn["phoney"] == (not all(one["listed"] for one in found))


def test_the_sum_of_a_play_makes_its_points():
    checked = 0
    for seed in range(6):
        for turn in view(fold(random_game(seed).events), "public")["turns"]:
            for word in turn["words"]:
                if "sum" in word:
                    checked += 1
                    line = re.sub(r"[^\d×+() ]", "", word["sum"]).replace("×", "*")
                    assert eval(line) == word["points"], word
            if turn["words"] and all("sum" in word for word in turn["words"]):
                points = sum(word["points"] for word in turn["words"]) + turn["bingo"]
                assert turn["score"] == points
                assert score_sum(turn).endswith(f"+{turn['bingo']}") == bool(turn["bingo"])
    assert checked > 100


def test_the_course_of_a_game_is_drawn_as_bars_with_its_bingos():
    bars = spread_bars([0, 30, -180], [2])
    assert bars["left"] == "M0.0 0h3.6v-10.0h-3.6z"
    assert bars["right"] == "M4.2 0h3.6v50.0h-3.6z"
    assert bars["bingos"] == "M6.0 0h0"
    assert spread_bars(None) == {"left": "", "right": "", "bingos": ""}


def test_a_code_holds_an_address_of_this_site_and_no_other(game, open_site):
    import cv2

    client = open_site()
    address = "http://localhost/tables/1/games/game-1#turn=4"
    answer = client.get("/share-code.svg", query_string={"address": address})
    assert (answer.status_code, answer.mimetype) == (200, "image/svg+xml")
    assert answer.get_data(as_text=True) == qr_svg(address, 4)
    code = qr_picture(address, 6)
    assert cv2.QRCodeDetector().detectAndDecode(code)[0] == address
    for other in ("http://elsewhere.example/", "javascript:alert(1)", "", "http://localhost.evil/"):
        asked = client.get("/share-code.svg", query_string={"address": other})
        assert asked.status_code == 404, other
    asked = client.get("/share-code.svg", query_string={"address": address + "x" * 400})
    assert asked.status_code == 414


def shown(*, late: bool = True) -> dict:
    table = Table()
    table.play("8D", "FIRNS")  # (2*4+1+1+1+1) * 2 = 24
    table.play("H8", ".HOe")  # 1+4+1+0 = 6
    if late:
        table.put(PenaltyAdded("left", 10, "2.4", "director", "late", table.now))
    table.see()
    return view(table.state, "public")


def test_a_game_is_summed_up():
    left, right = (numbers(shown())[side] for side in ("left", "right"))
    assert (left.turns, left.average, left.used_ns, left.bingos) == (2, 12.0, 60 * SECOND, 0)
    best = left.best
    assert (best.word, best.position, best.score, best.turn) == ("FIRNS", "8D", 24, 1)
    assert (right.average, right.best.word, right.bingos) == (6.0, "SHOE", 0)


def test_bingos_count_while_they_stand():
    table = Table()
    table.play("8D", "ZEALOTS")
    assert numbers(view(table.state, "public"))["left"].bingos == 1
    table.put(TurnRuled(1, "challenge_upheld", "director", "not good", table.now))
    found = numbers(view(table.state, "public"))["left"]
    assert (found.bingos, found.best) == (0, None)


def test_the_course_has_each_score_where_it_came_about():
    moments = course(shown())
    assert [(one.label, one.scores["left"], one.scores["right"]) for one in moments] == [
        ("0", 0, 0),
        ("1", 24, 0),
        ("2", 14, 6),
        ("3", 14, 6),
    ]


def test_the_chart_stays_within_its_frame():
    drawn = chart(course(shown()))
    for line in drawn.lines.values():
        for point in line.split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= drawn.width
            assert 0 <= y <= drawn.height
    assert len(drawn.grid) <= 7


def test_the_time_used_has_the_turn_that_was_open_at_the_end():
    table = Table()
    for place, word in (("8D", "FIRNS"), ("H8", ".HOe"), ("10F", "TO.LS")):
        table.play(place, word)
    table.put(ClockAdjusted("right", 60 * SECOND, None, "director", "late press", table.now))
    table.now += 12 * SECOND
    table.put(GameForfeited("right", "resigned", "director", "gives up", table.now))
    found = numbers(view(table.state, "public"))
    assert found["left"].used_ns == 60 * SECOND
    assert found["right"].used_ns == 42 * SECOND


def test_a_tile_that_could_not_be_read_is_no_sign_of_the_programs_own():
    table = Table()
    table.play("8D", "FI#~S")
    (turn,) = view(table.state, "public")["turns"]
    assert play_text(turn) == "FI▢▢S"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out" / "game.gcg"


@pytest.fixture
def kept(site, path):
    path.parent.mkdir()
    made = GcgFile(site.tables[0], path)
    yield made
    made.stop()


def entries(path: Path) -> int:
    return played_in(path.read_bytes()) if path.exists() else -1


def played_in(text: bytes) -> int:
    # Before the first turn there are the players alone, which is no whole record.
    return len(parse(text).entries) if b"\n>" in text else 0


def test_it_is_never_seen_half_written(game, kept, path):
    until(path.exists)

    def whole(number: int) -> bool:
        text = path.read_bytes()
        assert text.endswith(b"\n")
        return played_in(text) == number

    for number, (place, word) in enumerate(TURNS, start=1):
        game.play(place, word)
        deadline = time.monotonic() + PATIENCE_S
        while not whole(number):  # without a pause: whatever moment it is
            assert time.monotonic() < deadline
    assert [file.name for file in path.parent.iterdir()] == ["game.gcg"]


def test_a_correction_and_a_new_game_are_in_it(game, kept, path, log):
    game.plays(TURNS[:2])
    until(lambda: entries(path) == 2)
    game.put(SquareCorrected(1, "8D", "B", "director", "misread", game.t_ns))
    until(lambda: b"BIRNS" in path.read_bytes())
    GameInLog(log, "game-2").start({"left": "C", "right": "D"})
    until(lambda: b"#player1 C C" in path.read_bytes())
    assert entries(path) == 0


def test_a_folder_that_is_not_there_stops_nothing(game, site, path, caplog):
    kept = GcgFile(site.tables[0], path)
    until(lambda: "cannot be written" in caplog.text)
    game.play(*TURNS[0])
    path.parent.mkdir()
    until(lambda: entries(path) == 1)
    assert caplog.text.count("cannot be written") == 1
    kept.stop()


def test_what_came_last_is_written_when_it_is_stopped(log, game, path):
    """A delay for the public does not hold it up."""
    path.parent.mkdir()
    policy = PublicPolicy(delay_turns=3)
    table = table_over(log, id="1", name="T", clock=lambda: 2000 * SECOND, public=policy)
    kept = GcgFile(table, path)
    game.play(*TURNS[0])
    until(lambda: entries(path) == 1)
    game.play(*TURNS[1])
    kept.stop()
    table.close()
    assert entries(path) == 2


def test_a_score_sheet_has_each_players_turns_and_totals(client, game):
    game.plays(TURNS)
    page = client.get("/tables/1/games/game-1/sheet").text
    tables = page.split("<table>")[1:]
    assert ["Byron" in tables[0], "Søren" in tables[1]] == [True, True]
    assert "FIRNS" in tables[0] and "FIRNS" not in tables[1]
    assert "This result is not final." in page
    german = client.get("/tables/1/games/game-1/sheet", headers={"Accept-Language": "de"}).text
    assert "Spielprotokoll" in german
    assert client.get("/tables/1/games/none/sheet").status_code == 404
