"""Overlays: what their addresses may say, which table a slot shows, and how late."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from dashboard.app import create_app
from dashboard.overlay.followers import MOST_DELAYS, DelayedFeeds, TooManyDelaysError
from dashboard.overlay.pages import PARTS
from dashboard.overlay.slots import MOST, SlotError, Slots
from dashboard.overlay.style import COLOURS, OverlayStyleError, style_of
from dashboard.site import Site, table_over
from dashboard.tokens import Tokens
from dashboard.web_db import WebDb
from record.log.event_log import EventLog
from table.views.public_policy import PublicPolicy
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog, events_in


@pytest.fixture
def hall(tmp_path, log, game):
    """Two tables with a game each, a broadcaster's token, and the time."""
    now = SimpleNamespace(s=2000.0)

    def clock() -> int:
        return round(now.s * SECOND)

    with EventLog(tmp_path / "two" / "tilewatch.db") as second:
        other = GameInLog(second, "game-2").start({"left": "Cleo", "right": "Dan"})
        tables = (
            table_over(
                log, id="1", name="Table 1", clock=clock, public=PublicPolicy(unseen="never")
            ),
            table_over(second, id="2", name="Table 2", clock=clock),
        )
        app = create_app(Site(tables, heartbeat_s=0.05), tmp_path / "web")
        app.testing = True
        tokens = Tokens(WebDb(tmp_path / "web"))
        yield SimpleNamespace(
            client=app.test_client(),
            game=game,
            other=other,
            now=now,
            tokens=tokens,
            token=tokens.make("stream", "overlay", by="Dora")[1],
            slots=app.extensions["tilewatch.Slots"],
            tables=tables,
        )
        for table in tables:
            table.close()


def live(hall, slot="feature", **query):
    return hall.client.get(f"/overlay/{slot}/live", query_string=query)


def test_an_address_says_size_delay_font_and_colours():
    look = style_of({"size": "75", "delay": "30", "font": "Fira Sans", "accent": "00FF88aa"})
    assert (look.size, look.delay_s) == (75, 30)
    assert look.style == {"--accent": "#00ff88aa", "--font": '"Fira Sans"', "--size": "0.75"}
    assert style_of({}).style == {"--size": "1"}
    assert set(style_of(dict.fromkeys(COLOURS, "#123456")).colours) == set(COLOURS)


NONSENSE = [
    ({"size": "24"}, "size: a whole number from 25 to 400"),
    ({"size": "1e3"}, "size"),
    ({"size": "٣٠"}, "size"),
    ({"delay": "-1"}, "delay: a whole number from 0 to 600"),
    ({"delay": "601"}, "delay"),
    ({"accent": "red"}, "accent: six or eight hexadecimal digits"),
    ({"ground": "fff;background:url(//x)"}, "ground"),
    ({"font": 'x";}*{color:red'}, "font"),
    ({"font": ""}, "font"),
    ({"colour": "ffffff"}, "an overlay has no parameter 'colour'; it has size, delay, font"),
]


def test_an_address_that_says_nonsense_is_told_so(hall):
    for output, reported in NONSENSE:
        with pytest.raises(OverlayStyleError, match=reported):
            style_of(output)
        answer = hall.client.get("/overlay/feature/scene", query_string=output)
        assert answer.status_code == 400
        assert reported.split("'")[0] in answer.text


def test_every_part_has_a_page_with_nothing_inline(hall):
    for part in PARTS:
        answer = hall.client.get(f"/overlay/1/{part}", query_string={"accent": "ff0000"})
        assert answer.status_code == 200
        assert "style=" not in answer.text.replace("data-style=", "")
        assert "<style" not in answer.text
        assert hall.client.get(f"/overlay/nowhere/{part}").status_code == 404
    for path in ("/overlay/1/rack", "/overlay/1", "/overlay//scene", "/overlay/..%2f/scene"):
        assert hall.client.get(path).status_code in (404, 308)


def test_a_page_shows_the_game_before_its_script_has_run(hall):
    """On slow Wi-Fi the script and the first view come more than a second later."""
    hall.game.play(*TURNS[0])
    page = hall.client.get("/overlay/1/scene").text
    assert 'data-state="loaded"' in page
    below = page[: page.index('id="result"')]
    names = re.findall(r'<h2 class="name" dir="auto">(.*?)</h2>', below)
    assert [html.unescape(name) for name in names] == list(NAMES.values())
    assert re.findall("<output>(.*?)</output>", page) == ["24", "0"]
    assert re.search(r'data-name="8D"[^>]*aria-label="8D, F, 4 points"', page)
    last = page[page.index('id="last"') : page.index("</section>", page.index('id="last"'))]
    assert f"{names[0]} at 8D" in last
    assert re.findall('class="letter" data-print="(.)"', last) == list("FIRNS")
    assert '<p class="gain">+24</p>' in last


def test_a_page_shows_no_more_than_its_script_is_told(hall):
    hall.game.play(*TURNS[0])
    hall.now.s = hall.game.t_ns / SECOND + 29
    assert "<output>24</output>" in hall.client.get("/overlay/1/scene").text
    assert "<output>24</output>" not in hall.client.get("/overlay/1/scene?delay=30").text
    other = hall.tokens.make("one", "overlay", by="Dora", table="2")[1]
    assert live(hall, slot="1", token=other).status_code == 403
    page = hall.client.get(f"/overlay/1/scene?token={other}")
    assert page.status_code == 200
    assert "Ada" not in page.text
    assert 'data-state="empty"' in page.text


def stream_of(hall, slot="feature", **query):
    answer = hall.client.get(f"/overlay/{slot}/live/events", query_string=query, buffered=False)
    assert answer.status_code == 200
    return answer, (
        event for event in events_in(answer.response) if event.kind not in ("time", "show")
    )


def test_a_stream_goes_along_when_the_slot_gets_another_table(hall):
    answer, events = stream_of(hall)
    assert next(events).data["game_id"] == "game-1"
    hall.slots.assign("feature", "2")
    assert next(events).data["game_id"] == "game-2"
    hall.slots.assign("feature", "9")
    gone = next(events)
    assert (gone.kind, gone.data) == ("slot", {"table": None})
    assert live(hall).json["view"] is None
    hall.slots.assign("feature", "1")
    assert next(events).data["game_id"] == "game-1"
    hall.game.play(*TURNS[0])
    assert len(next(event for event in events if event.data["turns"]).data["turns"]) == 1
    answer.close()
    assert live(hall).json["view"]["players"]["right"]["name"] == NAMES["right"]
    assert live(hall, "nowhere").status_code == 404


def test_a_stream_that_broke_goes_on_where_it_was(hall):
    answer, events = stream_of(hall)
    seen = next(events)
    answer.close()
    hall.game.plays(TURNS[:2])
    answer, events = stream_of(hall, after=seen.id)
    assert [len(next(events).data["turns"]) for _ in range(4)] == [0, 1, 1, 2]
    answer.close()


def test_unseen_tiles_are_for_who_brings_a_token(hall):
    hall.game.play(*TURNS[0])
    assert "unseen" not in live(hall).json["view"]
    assert sum(live(hall, token=hall.token).json["view"]["unseen"].values()) == 95
    assert live(hall, token="tw_0_0").status_code == 401
    assert hall.client.get("/overlay/1/scene?token=tw_0_0").status_code == 401
    public = hall.tokens.make("other", "public", by="Dora")[1]
    assert live(hall, token=public).status_code == 403
    answer = hall.client.get(f"/overlay/1/live/events?token={public}", buffered=False)
    assert answer.status_code == 403


def test_a_token_for_one_table_shows_no_other(hall):
    token = hall.tokens.make("one", "overlay", by="Dora", table="1")[1]
    answer, events = stream_of(hall, token=token)
    assert "unseen" in next(events).data
    hall.slots.assign("feature", "2")
    assert next(events).data == {"table": None}
    answer.close()
    assert live(hall, token=token).status_code == 403


def test_a_token_that_is_withdrawn_ends_its_stream(hall):
    token, text = hall.tokens.make("short", "overlay", by="Dora")
    answer, events = stream_of(hall, token=text)
    next(events)
    hall.tokens.withdraw(token.id)
    assert list(events) == []
    answer.close()


def test_a_delayed_overlay_is_told_nothing_newer(hall):
    hall.game.play(*TURNS[0])
    hall.now.s = hall.game.t_ns / SECOND + 29
    late = live(hall, delay=30).json
    assert len(late["view"]["turns"]) == 0
    assert late["now_ns"] == round((hall.now.s - 30) * SECOND)
    assert len(live(hall).json["view"]["turns"]) == 1
    answer, events = stream_of(hall, delay=30)
    assert len(next(events).data["turns"]) == 0
    hall.now.s += 1
    assert next(events).data["on_turn"] == "right"  # the press, and then the turn
    assert len(next(events).data["turns"]) == 1
    answer.close()
    assert live(hall, delay="x").status_code == 400


def test_without_a_token_the_listed_delays_may_be_had_and_no_others(hall):
    offered = hall.tables[0].allowed.overlay_delays
    for delay in offered:
        assert live(hall, delay=delay).status_code == 200
    refused = live(hall, delay=31)
    assert refused.status_code == 403
    assert "30, 45, 60" in refused.text
    stream = hall.client.get("/overlay/feature/live/events", query_string={"delay": 31})
    assert stream.status_code == 403
    assert hall.client.get("/obs/feature/score.txt?delay=31").status_code == 403
    page = hall.client.get("/overlay/feature/scene?delay=31")
    assert page.status_code == 403
    assert hall.client.get("/overlay/feature/scene?delay=30").status_code == 200
    assert live(hall, delay=31, token=hall.token).status_code == 200
    assert hall.client.get(f"/overlay/feature/scene?delay=31&token={hall.token}").status_code == 200


def test_strangers_take_no_delay_from_the_broadcaster(hall):
    for delay in range(1, 2 * MOST_DELAYS + 1):
        live(hall, delay=delay)
    for delay in range(1, MOST_DELAYS + 1):
        assert live(hall, delay=delay, token=hall.token).status_code == 200
    assert live(hall, delay=99, token=hall.token).status_code == 503


def test_twenty_overlays_of_one_delay_are_one_delay_and_one_that_nobody_uses_makes_room(hall):
    now = SimpleNamespace(s=0.0)
    lags = DelayedFeeds(lambda: now.s)
    tables = [replace(hall.tables[0], id=f"table {number}") for number in range(20)]
    for delay in range(1, MOST_DELAYS + 1):
        for table in tables:
            feed = lags.feed(table, "broadcast", delay)
            assert lags.feed(table, "broadcast", delay) is feed
    with pytest.raises(TooManyDelaysError):
        lags.feed(tables[0], "broadcast", 99)
    now.s += 59
    followed = lags.feed(tables[0], "broadcast", 1)
    now.s += 2
    for delay in range(90, 90 + MOST_DELAYS - 1):
        lags.feed(tables[0], "broadcast", delay)
    assert lags.feed(tables[0], "broadcast", 1) is followed


def test_a_delay_on_top_of_the_publics_own(tmp_path, log, game):
    now = SimpleNamespace(s=2000.0)
    public = PublicPolicy(delay_turns=1)
    table = table_over(
        log, id="1", name="Table 1", clock=lambda: round(now.s * SECOND), public=public
    )
    lagged = DelayedFeeds().feed(table, "public", 60)
    game.plays(TURNS[:3])
    now.s = game.t_ns / SECOND + 1
    assert len(table.public.latest().view["turns"]) == 2
    assert len(lagged.latest().view["turns"]) == 1
    now.s += 60
    assert len(lagged.latest().view["turns"]) == 2
    assert lagged.now_ns() <= table.public.now_ns()
    table.close()


@pytest.fixture
def site(log):
    made = Site(
        tuple(table_over(log, id=each, name=each, clock=lambda: 0) for each in ("1", "2", "7"))
    )
    yield made
    made.close()


def test_what_the_director_says_holds_over_a_restart(site, tmp_path):
    slots = Slots(WebDb(tmp_path))
    assert [slots.table(name, site).id for name in ("feature", "7")] == ["1", "7"]
    assert slots.names(site) == ["feature", "1", "2", "7"]
    slots.assign("feature", "7")
    slots.assign("left-screen", "2")
    slots.assign("left-screen", "1")
    again = Slots(WebDb(tmp_path))
    for each in (slots, again):
        assert each.table("feature", site).id == "7"
        assert each.table("left-screen", site).id == "1"
        assert each.names(site) == ["feature", "1", "2", "7", "left-screen"]
    again.assign("feature", None)
    assert Slots(WebDb(tmp_path)).table("feature", site).id == "1"


@pytest.mark.parametrize("name", ["", "a b", "../x", "ä", "-x", "x" * 33, "a/b"])
def test_a_name_must_fit_an_address(name):
    with pytest.raises(SlotError, match="a name has"):
        Slots().assign(name, "1")


def test_there_are_not_too_many():
    slots = Slots()
    for n in range(MOST):
        slots.assign(f"s{n}", "1")
    slots.assign("s3", "2")
    with pytest.raises(SlotError, match="remove one"):
        slots.assign("one-more", "1")
    slots.assign("s0", None)
    slots.assign("one-more", "1")
