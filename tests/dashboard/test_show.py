"""The show: what is on air in a slot, which table is proposed, clips, and orders to OBS."""

from __future__ import annotations

import contextlib
import gc
import json
import re
import warnings
from types import SimpleNamespace

import pytest

from dashboard import parts
from dashboard.overlay.pages import PARTS, SECRET_PARTS
from dashboard.overlay.slots import Slots
from dashboard.show.clips import AFTER_NS, clip_of
from dashboard.show.graphics import AUTOMATIC, CANVAS, graphics
from dashboard.show.obs_studio import ObsError, ObsStudio
from dashboard.show.proposals import CLOSE, LATE, reasons
from dashboard.show.state import OnAir, Shows
from dashboard.site import Site, table_over
from dashboard.web_db import WebDb
from game.events import GameEnded, Picture, PicturesKept, PlayersNamed, TurnRuled
from record.log.event_log import EventLog
from table.server_config import ShowOptions
from tests.dashboard.browsing import Page, keys
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog, events_in
from tests.dashboard.obskit import StandInObs


def test_every_graphic_is_on_the_canvas():
    for places in graphics(PARTS | SECRET_PARTS).values():
        for place in places:
            assert 0 <= place.left <= place.left + place.width <= CANVAS[0], place
            assert 0 <= place.top <= place.top + place.height <= CANVAS[1], place
    assert [place.part for place in graphics(PARTS)[AUTOMATIC]] == ["challenge", "bingo", "result"]


def test_what_is_on_air_holds_over_a_restart(tmp_path):
    shows, changes = Shows(WebDb(tmp_path)), []
    shows.on_change = lambda: changes.append(1)
    shows.change("feature", {"graphic": "lower"})
    shows.change("feature", {"swapped": True})
    shows.change("feature", {"graphic": "lower"})
    shows.switch("bingo", on=False)
    again = Shows(WebDb(tmp_path))
    for one in (shows, again):
        assert one.of("feature") == OnAir("lower", swapped=True, take=2)
        assert one.of("other") == OnAir()
        assert one.rules_off == {"bingo"}
    again.switch("bingo", on=True)
    assert Shows(WebDb(tmp_path)).rules_off == frozenset()
    assert len(changes) == 3


def test_an_overlay_is_told_what_is_taken(hall, game):
    client, headers = hall.director()
    answer = hall.visitor().get("/overlay/feature/live/events", buffered=False)
    shown = (event.data for event in events_in(answer.response) if event.kind == "show")
    assert next(shown)["graphic"] == ""
    sent = {"slot": "feature", "graphic": "versus"}
    assert client.post("/director/api/show/take", json=sent, headers=headers).status_code == 200
    game.play(*TURNS[0])
    assert next(shown) == {"graphic": "versus", "swapped": False, "spoken": False, "take": 1}
    answer.close()
    assert 'data-graphic="versus">head to head' in drawn(client, "live-name")


@pytest.mark.parametrize(
    ("path", "sent", "status"),
    [
        ("take", {"slot": "feature", "graphic": "nonsense"}, 422),
        ("take", {"slot": "nowhere", "graphic": "lower"}, 404),
        ("switch", {"slot": "feature", "swapped": "yes"}, 422),
        ("rules", {"rule": "nonsense", "on": True}, 422),
        ("scene", {"scene": "Board"}, 422),
        ("collection", {"slot": "feature", "delay": 601}, 422),
        ("collection", {"slot": "nowhere", "delay": 0}, 404),
    ],
)
def test_a_mistaken_order_is_refused_in_words(hall, game, path, sent, status):
    client, headers = hall.director()
    answer = client.post(f"/director/api/show/{path}", json=sent, headers=headers)
    assert (answer.status_code, bool(answer.json["error"])) == (status, True)
    assert hall.visitor().post(f"/director/api/show/{path}", json=sent).status_code in (401, 403)


def test_a_directors_monitor_shows_what_a_token_shows_and_nobody_elses(hall, game):
    client, _ = hall.director()
    assert "unseen" in client.get("/overlay/1/live?monitor=yes").json["view"]
    assert client.get("/overlay/1/scene?monitor=yes&delay=31").status_code == 200
    assert hall.visitor().get("/overlay/1/scene?monitor=yes&delay=31").status_code == 403
    public = hall.visitor().get("/overlay/1/live").json["view"]
    assert hall.visitor().get("/overlay/1/live?monitor=yes").json["view"] == public


# --- a slot that follows a player ---


def test_a_slot_goes_with_a_player_from_table_to_table(tmp_path, log, game):
    with EventLog(tmp_path / "two" / "tilewatch.db") as second:
        GameInLog(second, "game-2").start({"left": "Cleo", "right": "Dan"})
        tables = tuple(
            table_over(each, id=name, name=name, clock=lambda: 0)
            for name, each in (("1", log), ("2", second))
        )
        site = Site(tables)
        slots = Slots(WebDb(tmp_path))
        slots.assign("star", None, " dan ")
        for one in (slots, Slots(WebDb(tmp_path))):
            assert one.table("star", site).id == "2"
            assert "star" in one.names(site)
        later = GameInLog(log, "game-3", t_ns=1500 * SECOND).start({"left": "Dan", "right": "Eve"})
        game.put(PlayersNamed({"left": "Zed"}, "TD", later.t_ns))
        tables[0].public.latest()
        second_game = GameInLog(second, "game-4", t_ns=1600 * SECOND)
        second_game.start({"left": "Fay", "right": "Gus"})
        assert slots.table("star", site).id == "1"
        later_still = GameInLog(log, "game-5", t_ns=1700 * SECOND)
        later_still.start({"left": "Hal", "right": "Ida"})
        assert slots.table("star", site).id == "1"  # where they were seen last
        slots.assign("star", "2")
        assert slots.followed == {}
        assert slots.table("star", site).id == "2"
        site.close()


# --- proposals ---


def seen(left=300, right=290, bag=LATE, **turn):
    newest = {"kind": "play", "side": "left", "bingo": None, "score": 20, **turn}
    return {
        "status": "running",
        "players": {
            side: {"name": side.title(), "score": score}
            for side, score in {"left": left, "right": right}.items()
        },
        "clocks": {"running": "right", "stopped_for": None},
        "bag_count": bag,
        "turns": [newest],
    }


STOPPED = {"running": None, "stopped_for": "challenge"}


@pytest.mark.parametrize(
    ("view", "found"),
    [
        (None, []),
        (seen(), ["close"]),
        (seen(bag=LATE + 1), []),
        (seen(left=291 + CLOSE), []),
        (seen(bag=50, bingo=50), ["bingo"]),
        (seen(bag=50, bingo=50, kind="challenge_upheld"), ["challenge"]),
        (seen(bag=50, kind="challenge_failed"), ["challenge"]),
        (seen(bingo=50) | {"clocks": STOPPED}, ["challenge", "close", "bingo"]),
        (seen() | {"status": "ended"}, []),
        (seen() | {"turns": []}, []),
        (seen() | {"withheld": True}, []),
    ],
)
def test_a_table_is_proposed_for_a_reason(view, found):
    held = reasons(view)
    assert [rule.key for rule, _ in held] == found
    assert all(reason for _, reason in held)
    assert reasons(view, frozenset(found)) == []


def test_the_table_that_a_rule_proposes_comes_first_until_the_rule_is_off(tmp_path, hall, log):
    with EventLog(tmp_path / "two" / "tilewatch.db") as second:
        hall.site.add(table_over(second, id="2", name="Table 2", clock=lambda: 2000 * SECOND))
        GameInLog(log).start().play(*TURNS[0])
        GameInLog(second, "game-2").start({"left": "Cleo", "right": "Dan"}).play("8D", "RETAINS")
        client, headers = hall.director()
        first, other = drawn(client, "tables", "</ul>").split("</li>")[:2]
        assert 'data-id="2"' in first
        assert "a bingo by Cleo for 66" in first
        assert ("data-proposed" in first, "data-proposed" in other) == (True, False)
        sent = {"rule": "bingo", "on": False}
        client.post("/director/api/show/rules", json=sent, headers=headers)
        assert re.findall(r'data-id="(\d)"', drawn(client, "tables", "</ul>")) == ["1", "2"]
        assert "checked" not in drawn(client, "rule-bingo", ">")


def drawn(client, name: str, end: str = "</") -> str:
    """Return the control page's text from the element with this id to ``end``."""
    page = client.get("/director/show").text
    start = page.index(f'id="{name}"')
    return page[start : page.index(end, start)]


# --- clips ---


def test_a_clip_is_of_the_play_that_is_shown_and_never_newer_than_the_delay(hall, game):
    jpegs = [b"\xff\xd8\xff\xe0 %d \xff\xd9" % number for number in range(6)]
    hashes = [hall.evidence.store(jpeg) for jpeg in jpegs]
    game.play(*TURNS[0])
    first_ns = game.t_ns
    game.play(*TURNS[1])
    press_ns = game.t_ns
    at = [first_ns - SECOND, first_ns + SECOND, press_ns - SECOND, press_ns, press_ns + AFTER_NS]
    at.append(press_ns + AFTER_NS + 1)
    pictures = tuple(Picture("at", sha, t_ns) for sha, t_ns in zip(hashes, at, strict=True))
    game.put(PicturesKept(2, pictures, press_ns))
    table = hall.site.tables[0]
    view = table.feeds["broadcast"].latest().view

    def clip(now_ns):
        return [hashes.index(one.sha256) for one in clip_of(table, view, now_ns)]

    assert clip(press_ns + 60 * SECOND) == [1, 2, 3, 4]
    assert clip(press_ns - 1) == [1, 2]
    client, headers = hall.visitor(), hall.token("overlay")
    assert client.get("/overlay/1/clip/pictures").status_code == 403
    listed = client.get("/overlay/1/clip/pictures", headers=headers).json["pictures"]
    assert [one["ms"] for one in listed] == [0, 28_000, 29_000, 32_000]
    assert client.get(listed[0]["src"], headers=headers).data == jpegs[1]
    assert client.get(listed[0]["src"]).status_code == 403
    assert client.get(f"/overlay/1/clip/{hashes[5]}", headers=headers).status_code == 404
    game.put(TurnRuled(2, "challenge_upheld", "director", "no word", game.t_ns))
    view = table.feeds["broadcast"].latest().view
    assert clip(press_ns + 60 * SECOND) == [1, 2, 3, 4, 5]  # with the hand that takes it back


# --- OBS ---


@pytest.fixture
def obs():
    pytest.importorskip("obsws_python")
    made = StandInObs("a secret")
    yield made
    made.close()


@pytest.fixture
def studio(obs, tmp_path):
    with contextlib.ExitStack() as stack:

        def opened(password: str = "a secret\n", now=lambda: 0.0) -> ObsStudio:
            return stack.enter_context(contextlib.closing(studio_of(obs, tmp_path, password, now)))

        yield opened


def studio_of(obs: StandInObs, tmp_path, password: str, now) -> ObsStudio:
    (tmp_path / "obs-password").write_text(password)
    options = ShowOptions(obs=obs.address, obs_password_file=tmp_path / "obs-password")
    return ObsStudio(options, now)


def test_scenes_of_obs_are_listed_and_switched(obs, studio):
    now = SimpleNamespace(s=0.0)
    made = studio(now=lambda: now.s)
    found = made.scenes()
    assert (found.names, found.on_air, found.fault) == (("Board", "Hall", "Break"), "Board", "")
    made.switch("Hall")
    assert (obs.on_air, made.scenes().on_air) == ("Hall", "Hall")
    with pytest.raises(ObsError, match="No source was found"):
        made.switch("Nowhere")
    obs.drop()  # it was restarted
    made.switch("Break")
    assert (obs.on_air, obs.identified) == ("Break", 2)


def test_an_obs_that_cannot_be_asked_is_one_line(obs, studio, caplog):
    caplog.set_level("DEBUG")
    assert "password" in studio("another").scenes().fault
    assert "another" not in caplog.text
    out_of_reach = studio()
    obs.close()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # the library leaves a refused socket open
        fault = out_of_reach.scenes().fault
        gc.collect()
    assert fault.startswith("OBS at 127.0.0.1:")
    assert "WebSocket Server Settings" in fault
    assert ObsStudio().scenes().fault == ""


def test_the_control_page_switches_scenes(studio, hall, game):
    parts.install(hall.app, studio())
    client, headers = hall.director()
    assert 'aria-pressed="true">Board<' in drawn(client, "scenes", "</div>")
    sent = {"scene": "Hall"}
    answer = client.post("/director/api/show/scene", json=sent, headers=headers)
    assert answer.status_code == 200
    assert 'aria-pressed="true">Hall<' in drawn(client, "scenes", "</div>")
    refused = client.post("/director/api/show/scene", json={"scene": "X"}, headers=headers)
    assert refused.status_code == 409


def test_a_scene_collection_has_addresses_that_show_something(hall, game):
    client, headers = hall.director()
    sent = {"slot": "feature", "delay": 31}
    answer = client.post("/director/api/show/collection", json=sent, headers=headers)
    assert "filename=tilewatch-feature.json" in answer.headers["Content-Disposition"]
    found = json.loads(answer.data)
    sources = {one["name"]: one for one in found["sources"]}
    assert {one["name"] for one in found["scene_order"]} <= sources.keys()
    browsers = [one["settings"] for one in sources.values() if one["id"] == "browser_source"]
    assert len(browsers) == len(PARTS | SECRET_PARTS)
    for one in browsers:
        shown = hall.visitor().get(one["url"].replace("http://localhost", ""))
        assert shown.status_code == 200, one["url"]
        assert "delay=31" in one["url"]
    for scene in (one for one in sources.values() if one["id"] == "scene"):
        ids = [item["id"] for item in scene["settings"]["items"]]
        assert len(set(ids)) == len(ids) <= scene["settings"]["id_counter"]
        for item in scene["settings"]["items"]:
            assert sources[item["name"]]["uuid"] == item["source_uuid"]


def test_the_tokens_of_earlier_collections_are_withdrawn_on_demand(hall, game):
    client, headers = hall.director()

    def press(path: str) -> None:
        sent = {"slot": "feature", "delay": 0}
        where = f"/director/api/show/{path}"
        if path != "collection":
            del sent["delay"]
        assert client.post(where, json=sent, headers=headers).status_code == 200

    def tokens() -> list[str]:
        return [token.id for token in hall.app.extensions["tilewatch.Tokens"].all()]

    for _ in range(3):
        press("collection")
    made = tokens()
    assert "Withdraw the 2 tokens before" in drawn(client, "withdraw-earlier")
    press("collection/withdraw")
    assert (len(made), tokens()) == (3, made[2:])


# --- in a browser ---


@pytest.mark.browser
def test_the_next_table_has_a_game_that_runs(browser, url, desk, game, tmp_path):
    game.play(*TURNS[0])
    with contextlib.ExitStack() as stack:
        for name in ("2", "3", "4"):
            log = stack.enter_context(EventLog(tmp_path / name / "tilewatch.db"))
            desk.site.add(table_over(log, id=name, name=f"Table {name}", clock=lambda: 0))
            if name != "3":
                other = GameInLog(log, f"game-{name}").start({"left": "Cleo", "right": "Dan"})
                other.play(*TURNS[0])
            if name == "2":
                other.put(GameEnded("director", other.t_ns))
        page = Page(browser, f"{url}/director/show")
        page.says("#tables [data-id='2'] .players", has="over")
        keys(browser, "n")
        page.there("#tables [data-id='4'][data-on]")
        keys(browser, "n")
        page.there("#tables [data-id='1'][data-on]")
        browser.get("about:blank")


@pytest.mark.browser
def test_a_slot_that_follows_nobody_any_more_keeps_its_table(browser, url, desk, game):
    slots = desk.app.extensions["tilewatch.Slots"]
    slots.assign("feature", None, NAMES["left"])
    page = Page(browser, f"{url}/director/show")
    page.wait("document.querySelector('#player').value !== ''")
    field = browser.find_element("id", "player")
    field.clear()
    field.submit()
    page.says("#on-now", has="Table")
    page.wait("!document.querySelector('#on-now').textContent.includes('following')")
    assert (slots.assigned.get("feature"), dict(slots.followed)) == ("1", {})
    browser.get("about:blank")


@pytest.mark.browser
@pytest.mark.everyday
def test_one_person_runs_the_show_by_keys(browser, url, desk, game):
    game.play(*TURNS[0])
    page = Page(browser, f"{url}/director/show")
    page.there("#tables li")
    page.there("[data-graphic=board][aria-pressed=true]")
    keys(browser, "2")
    page.says("#next-name", "lower third")
    keys(browser, "\ue007")  # Enter
    page.there("[data-graphic=lower][data-on]")
    page.says("#live-name", "lower third")
    frame = "document.querySelector('#live-frame').contentDocument"
    page.wait(f"{frame}.querySelector('iframe.on')?.title === 'lower'")
    inner = f"{frame}.querySelector('iframe').contentDocument"
    page.wait(f"{inner}.querySelector('output')?.textContent === '24'")
    keys(browser, "a")
    page.says("#live-name", "automatic")
    page.wait(f"{frame}.querySelectorAll('iframe.on').length === 3")
    keys(browser, "c")
    page.wait(f"{frame}.querySelectorAll('iframe').length === 0")
    page.says("#live-name", "none")
    browser.get("about:blank")


@pytest.mark.browser
def test_what_is_ticked_is_kept_and_what_is_typed_stays(browser, url, desk, game):
    game.play(*TURNS[0])
    shows = desk.app.extensions["tilewatch.Shows"]
    page = Page(browser, f"{url}/director/show")
    page.says("#link span", "Live")
    field = browser.find_element("id", "player")
    field.send_keys("Jo")
    page.js("document.querySelector('#swapped').click()")
    page.wait("document.querySelector('#swapped').defaultChecked")  # the server's
    page.js("document.querySelector('.proposals details').open = true")
    page.js("document.querySelector('#rule-bingo').click()")
    page.wait("!document.querySelector('#rule-bingo').defaultChecked")
    assert (shows.of("feature").swapped, shows.rules_off) == (True, {"bingo"})
    shows.change("feature", {"swapped": False})
    page.wait("!document.querySelector('#swapped').checked")
    assert field.get_property("value") == "Jo"
    browser.get("about:blank")


@pytest.mark.browser
def test_sides_are_exchanged_on_every_overlay_of_the_slot(browser, url, desk, game):
    game.play(*TURNS[0])
    shows = desk.app.extensions["tilewatch.Shows"]
    page = Page(browser, f"{url}/overlay/1/lower")
    page.says("[data-side=left] .name", NAMES["left"])
    shows.change("1", {"swapped": True})
    page.says("[data-side=left] .name", NAMES["right"])
    page.says("[data-side=right] output", "24")
    page.there("[data-side=left].on")  # it is their turn
    page = Page(browser, f"{url}/overlay/1/last")
    page.there("#last[data-side=right]")
    shows.change("1", {"swapped": False})
    page.there("#last[data-side=left]")


SPOKEN = (
    "(async () => { const { addedTo } = await import('/static/overlay/speech.js');"
    " const view = (...turns) => ({game_id: 'g', rows: Array(15).fill('.'.repeat(15)),"
    "  players: {left: {name: 'Ann'}, right: {name: 'Bob'}},"
    "  turns: turns.map(([kind, score], at) => ({number: at + 1, side: 'left', kind, score,"
    "   total: score, word: null, position: null, tiles: {}, flags: []}))});"
    " const before = view(['pass', 0], ['exchange', 0]);"
    " window.spoken = [addedTo(before, null),"
    "  addedTo(view(['pass', 0], ['exchange', 0], ['pass', 0]), before),"
    "  addedTo(view(['pass', 5], ['exchange', 0], ['pass', 0]), before)]; })()"
)


@pytest.mark.browser
def test_a_correction_is_all_that_is_spoken_on_a_correction(driver, server):
    page = Page(driver, f"{server.url}/overlay/1/speech")
    page.there("#stage")
    driver.execute_script(SPOKEN)
    page.wait("window.spoken !== undefined")
    first, added, corrected = page.js("window.spoken")
    assert (first, len(added)) == ([], 1)
    assert len(corrected) == 1
    assert corrected[0].startswith("Correction of turn 1. Ann: ")
