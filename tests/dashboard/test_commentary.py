"""The commentators' page: what it says, to whom, how late; and the analysis after a game."""

from __future__ import annotations

import sys
import textwrap
import time
from contextlib import ExitStack

import pytest

from analysis.options import AnalysisOptions
from dashboard.overlay.followers import MOST_DELAYS
from game.events import GameEnded, RackReported
from record.log.event_log import EventLog
from table.views.public_policy import PublicPolicy
from tests.dashboard.browsing import Page, violations
from tests.dashboard.commentary_fixtures import RackedGame
from tests.dashboard.conftest import SECOND, TURNS, GameInLog, hall_over
from tests.dashboard.surfacekit import answers
from tests.dashboard.test_not_shown import VALUES, differing

PATHS = (
    "/commentary",
    "/commentary/1",
    "/commentary/1/live",
    "/commentary/1/live/events",
    "/overlay/1/racks",
    "/overlay/1/plays",
)


@pytest.fixture
def racked(game) -> RackedGame:
    return RackedGame(game)


@pytest.fixture
def seated(racked, halls):
    def opened(options=None, **more):
        return racked.seated(halls(**more), options)

    return opened


def report(hall, query="", headers=None):
    found = hall.visitor().get(
        f"/commentary/1/live{query}", headers=headers or hall.token("overlay")
    )
    assert found.status_code == 200
    return found.get_json()["view"]


def test_racks_plays_and_draws_are_those_of_the_position(seated, racked):
    racked.play_on(3)
    shown = report(seated())
    assert shown["turns"] == 3
    assert shown["on_turn"] == racked.game.side == "right"
    assert {side: sorted(rack) for side, rack in shown["racks"].items()} == {
        side: sorted(rack) for side, rack in racked.racks.items()
    }
    bag = {tile: racked.bag.count(tile) for tile in racked.bag}
    assert shown["pool"] == bag
    assert shown["bag"] == sum(bag.values())
    best = shown["plays"]["right"]["best"]
    scores = [(not play["bingo"], -play["score"]) for play in best]
    assert scores == sorted(scores), "bingos first, then by score"
    assert len(shown["chances"]["vowels"]) == 7


def test_the_last_play_stands_beside_the_best_of_its_rack(seated, racked):
    racked.play()
    assert report(seated())["recent"][0]["missed"] == 0
    chosen = racked.play(4)
    last = report(seated())["recent"][0]
    assert last["score"] == chosen.score
    assert last["missed"] == last["best"]["score"] - chosen.score > 0
    assert last["phoney"] is None, "it can still be challenged"


def test_a_phoney_is_named_once_nobody_can_challenge_it(seated, racked):
    racked.game.play("8H", "QXV")
    (turn,) = report(seated())["recent"]
    assert (turn["phoney"], turn["best"]) == (None, None)
    assert turn["missed"] == 0, "that nothing in the list scores so much is not said"
    racked.game.play("", "")
    recent = report(seated())["recent"]
    assert [turn["phoney"] for turn in recent] == [None, True]


@pytest.mark.parametrize("path", PATHS)
def test_only_a_token_for_a_stream_opens_the_pages(path, seated, racked):
    hall = seated()
    director, _ = hall.director()
    for client in (hall.visitor(), director):
        assert client.get(path).status_code == 401
    for scope in ("public", "director-read"):
        assert hall.visitor().get(path, headers=hall.token(scope)).status_code == 403
    other = hall.token("overlay", "another table")
    assert hall.visitor().get(path, headers=other).status_code == 403
    found = hall.visitor().get(path, headers=hall.token("overlay"))
    assert (found.status_code, found.headers["Cache-Control"]) == (200, "no-store")


def test_the_page_without_a_token_says_that_it_needs_one(seated):
    page = seated().visitor().get("/commentary", headers={"Accept": "text/html"})
    assert page.status_code == 401
    assert "A token is needed" in page.text
    assert "Log in" not in page.text, "no account helps"


def test_the_address_is_checked(seated):
    hall = seated(AnalysisOptions(addresses=["192.0.2.0/24"]))
    token = hall.token("overlay")
    visitor = hall.visitor()
    for address, status in (("192.0.2.7", 200), ("198.51.100.1", 403), ("", 403)):
        found = visitor.get(PATHS[2], headers=token, environ_base={"REMOTE_ADDR": address})
        assert found.status_code == status
    mapped = {"REMOTE_ADDR": "::ffff:192.0.2.7"}
    assert visitor.get(PATHS[2], headers=token, environ_base=mapped).status_code == 200


def test_an_address_may_ask_for_more_delay_and_not_for_less(seated, racked):
    racked.play_on(2)
    racked.game.t_ns = 1990 * SECOND  # the hall's time is 2000 s
    racked.play()
    assert report(seated())["turns"] == 3
    assert report(seated(), "?delay=60")["turns"] == 2
    late = seated(AnalysisOptions(delay_s=60))
    assert report(late)["turns"] == 2
    assert report(late, "?delay=30")["turns"] == 2
    for delay in range(1, MOST_DELAYS):
        report(seated(), f"?delay={delay}")
    refused = late.visitor()
    for delay in range(61, 61 + MOST_DELAYS):
        refused.get(f"/commentary/1/live?delay={delay}", headers=late.token("overlay"))
    answer = refused.get("/commentary/1/live?delay=99", headers=late.token("overlay"))
    assert answer.status_code == 503


def test_a_rack_that_is_seen_reaches_the_stream_without_a_turn(seated, racked):
    hall = seated()
    first = report(hall)
    racked.see("left", "AEINRST")
    shown = report(hall)
    assert shown["racks"]["left"] == "AEINRST" != first["racks"]["left"]
    assert shown["turns"] == first["turns"] == 0


def test_the_page_is_drawn_whatever_is_known_of_the_racks(seated, racked):
    hall = seated()
    headers, page = hall.token("overlay"), hall.visitor()
    whole = {**racked.racks}
    for seen in ("", whole["left"][:3], whole["left"], "QQQQQQQ"):
        racked.see("left", seen)
        for side in ("right", "left", "right", "left"):
            racked.see("right", whole["right"][: 3 if side == "left" else 7])
            assert page.get("/commentary", headers=headers).status_code == 200
    racked.play_on(20)
    for word in ("", "QXV"):
        racked.game.play("A1" if word else "", word)
        assert page.get("/commentary", headers=headers).status_code == 200
    racked.game.put(GameEnded("director", racked.game.t_ns + SECOND))
    assert "The game is over." in page.get("/commentary", headers=headers).text


def test_a_game_that_is_not_shown_gives_nothing(seated, racked):
    racked.play_on(2)
    assert report(seated(public=PublicPolicy(games="nothing"))) == {
        "withheld": True,
        "engine": None,
    }


def test_near_the_end_outs_and_answers_are_given(seated, racked):
    racked.play_on(41)
    hall = seated()
    shown = report(hall)
    assert shown["bag"] == 0
    assert shown["end"] is not None
    assert set(shown["end"]["outs"]) == {"left", "right"}
    assert not any(shown["chances"].values())
    page = hall.visitor().get("/commentary", headers=hall.token("overlay")).text
    assert "cannot go out in one play</p>" in " ".join(page.split()).replace(" </p>", "</p>")


ENGINE = """
import json, sys
line = sys.stdin.readline()
assert line.split()[1].endswith("/"), "only the rack of the player on turn"
print(json.dumps({"engine": "Tried 1.0"}))
print(json.dumps({"kind": "play", "position": "8D", "word": "TRY", "equity": 12.5, "win": 0.6}))
"""


def test_an_engine_is_asked_and_named(seated, racked, tmp_path):
    program = tmp_path / "engine.py"
    program.write_text(textwrap.dedent(ENGINE))
    hall = seated(AnalysisOptions(engine=[sys.executable, str(program)], engine_s=60))
    token = hall.token("overlay")
    assert report(hall, headers=token)["engine"] == {"waits": True}
    from dashboard.commentary.feed import AllReports  # the one that the page follows

    reports = hall.app.extensions["tilewatch.AllReports"]
    assert isinstance(reports, AllReports)
    (_, one) = reports._made["1", 0]
    assert one._wait_for(lambda: one._newest[-1].id.endswith("-e"), 60)
    answered = report(hall, headers=token)["engine"]
    assert (answered["engine"], answered["plays"][0]["equity"]) == ("Tried 1.0", 12.5)
    page = hall.visitor().get("/commentary", headers=token).text
    assert "By Tried 1.0</h2>" in page
    assert '<th scope="row">TRY</th><td class="num">12.5</td><td class="num">60%</td>' in page

    message = one._newest[-1]
    one._seat.engine_says = None  # whatever is wrong here
    one._ask(message)
    assert "could not be asked" in report(hall, headers=token)["engine"]["trouble"]


ANALYSIS = "/tables/1/games/game-1/analysis"


def test_the_analysis_is_for_everybody_once_the_game_is_final_and_the_racks_open(seated, racked):
    racked.play_on(41)
    hall = seated()
    assert hall.visitor().get(ANALYSIS).status_code == 404
    for side, rack in racked.racks.items():
        racked.game.put(RackReported(side, rack, racked.game.t_ns))
    racked.game.t_ns += SECOND
    racked.game.put(GameEnded("confirmed", racked.game.t_ns))
    assert hall.visitor().get(ANALYSIS).status_code == 404, "the racks are not open yet"
    opened = racked.known.opening(racked.state, racked.game.t_ns + SECOND)
    assert opened is not None
    racked.game.put(opened)
    page = hall.visitor().get(ANALYSIS)
    assert page.status_code == 200
    text = page.get_data(as_text=True)
    assert text.count("<tr data-side") == len(racked.state.turns)
    assert "not in the word list" not in text, "the event does not say so"
    german = hall.visitor().get(ANALYSIS, headers={"Accept-Language": "de"})
    assert "Beste Punktzahl" in german.get_data(as_text=True)
    never = seated(public=PublicPolicy(racks="never"))
    assert never.visitor().get(ANALYSIS).status_code == 404


RACKS = ({"left": "AEINRST", "right": "OUDLG?T"}, {"left": "JKQVWXZ", "right": "AABBCC?"})


def test_no_answer_without_the_role_depends_on_the_racks(tmp_path, monkeypatch):
    begun_ns = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: begun_ns)  # both games of one minute
    found = []
    with ExitStack() as stack:
        for number, racks in enumerate(RACKS):
            folder = tmp_path / f"{number}"
            folder.mkdir()
            log = stack.enter_context(EventLog(folder / "tilewatch.db"))
            racked = RackedGame(GameInLog(log).start())
            for turn, (place, word) in enumerate(TURNS):
                for side, rack in racks.items():
                    racked.see(side, rack[:6] + "ABCDEF"[turn])
                racked.game.play(place, word)
            for side, rack in racks.items():
                racked.see(side, rack)
            hall = racked.seated(hall_over(log, folder))
            stack.callback(hall.site.close)
            shown = report(hall)["racks"]["left"]
            assert sorted(shown) == sorted(racks["left"])
            headers = [{}, hall.token("public"), hall.token("director-read")]
            every = answers(hall.app, VALUES, headers)
            # A director's program gets the log, with what is sealed in it: always another text.
            found.append({path: one for path, one in every.items() if "/1/log" not in path})
    assert differing(*found) == []
    assert not any(b"AEINRST" in one or b"JKQVWXZ" in one for one in found[0].values())


@pytest.mark.browser
@pytest.mark.everyday
def test_the_page_follows_the_game_and_a_withdrawn_token_ends_it(
    driver, screen, serving, seated, racked
):
    racked.play_on(2)
    hall = seated()
    token, secret = hall.tokens.make("cast", "overlay", by="Ann")
    url = serving(hall.app).url
    page = Page(driver, f"{url}/commentary?token={secret}")
    page.there("#link[data-state=live]")
    page.there(".side.on[data-side=left] .plays tr")
    page.there(".side[data-side=right] .rack .tile", 7)
    page.wait("/^\\d+:\\d\\d$/.test(document.querySelector('.side .clock time').textContent)")
    racked.play()
    page.there(".side.on[data-side=right]")
    page.js("dispatchEvent(new KeyboardEvent('keydown', {key: '4'}))")
    page.there("#drawn [aria-pressed=true][value='4']")
    page.js("document.querySelector('#last tbody th').textContent = 'Exchange or pass'")
    for width, height in ((1920, 1080), (1366, 768), (390, 844)):
        screen(width, height)
        assert violations(driver) == []
        page.wait(f"document.documentElement.scrollWidth <= {width}")
        if width > height:  # the lists scroll, and the page stands
            longer = driver.execute_script(
                "const plays = document.querySelector('.side.on .plays');"
                "for (let n = 90; n; n -= 1) plays.append(plays.lastElementChild.cloneNode(true));"
                "return document.documentElement.scrollHeight - innerHeight;"
            )
            assert longer <= 0
    for part, ready in (("racks", ".held .tile"), ("plays", ".best li")):
        overlay = Page(driver, f"{url}/overlay/1/{part}?token={secret}")
        overlay.there(ready)
        overlay.wait("getComputedStyle(document.querySelector('#stage')).opacity === '1'")
        assert violations(driver) == []
    page = Page(driver, f"{url}/overlay/1/racks?token={secret}")
    page.there(".held .tile")
    page.js(
        "document.querySelectorAll('.held .who')"
        ".forEach((who) => { who.textContent = 'Ann '.repeat(20); })"
    )
    page.wait("[...document.querySelectorAll('.held')].every((one) => one.offsetWidth <= 972)")
    page = Page(driver, f"{url}/commentary?token={secret}")
    page.there("#link[data-state=live]")
    hall.tokens.withdraw(token.id)
    page.there("#trouble:not([hidden])")
    page.there("main[data-state=empty]")
