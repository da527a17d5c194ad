"""The players' clock: who may press it, when a press was made, and what is never told."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from dashboard.app import create_app
from dashboard.clock.presses import CLAIMED_NS, DOUBLE_NS, LATE_NS, PagePress, Presses, stamp
from dashboard.clock.round_trips import ALLOWANCE_NS
from dashboard.link_keys import LinkKeys
from dashboard.site import Site, table_over
from dashboard.web_db import WebDb
from game.events import Finding, RackReported
from table.desk import Answer
from tests.dashboard.conftest import SECOND, TURNS, events_in

NOW = 2000 * SECOND


class FakeDesk:
    """Takes presses down."""

    def __init__(self) -> None:
        self.pressed: list[tuple[str, int]] = []
        self.claimed: list[tuple[int | None, int | None]] = []
        self.refuses: str | None = None

    def now_ns(self) -> int:
        return NOW

    def press(self, button, t_ns=None, timeout_s=5.0, *, claimed_ns=None, heard_ns=None) -> Answer:
        if self.refuses:
            return Answer(None, self.refuses)
        self.pressed.append((button, t_ns))
        self.claimed.append((claimed_ns, heard_ns))
        return Answer(len(self.pressed))


@pytest.fixture
def clock(log, game):
    desk = FakeDesk()
    table = table_over(log, id="1", name="Table 1", clock=lambda: NOW, desk=desk)
    app = create_app(Site((table,), heartbeat_s=0.05))
    app.testing = True
    yield SimpleNamespace(
        client=app.test_client(),
        desk=desk,
        table=table,
        keys=app.extensions["tilewatch.clock_keys"],
        key=app.extensions["tilewatch.clock_keys"].key("1"),
    )
    table.close()


def press(clock, button="left", press_id="p1", key=None, **more):
    return clock.client.post(
        "/tables/1/clock/api/press",
        json={"id": press_id, "button": button, **more},
        headers={"X-Clock-Key": clock.key if key is None else key},
    )


ADDRESSES = ("/tables/1/clock/api", "/tables/1/clock/api/events", "/tables/1/clock/api/time")


def test_only_the_link_opens_the_clock(clock):
    for address in ADDRESSES:
        assert clock.client.get(address).status_code == 401
        assert clock.client.get(address, query_string={"key": "guess"}).status_code == 403
        opened = clock.client.get(address, query_string={"key": clock.key}, buffered=False)
        assert opened.status_code == 200
        opened.close()
    assert press(clock, key="guess").status_code == 403
    assert press(clock, key="").status_code == 401
    assert clock.desk.pressed == []
    assert clock.client.get("/tables/2/clock").status_code == 404


def test_a_new_key_ends_the_old_one(clock):
    stream = clock.client.get(ADDRESSES[1], query_string={"key": clock.key}, buffered=False)
    events = events_in(stream.response)
    assert next(events).kind == "time"
    new = clock.keys.renew("1")
    assert len(list(events)) < 50  # it ends
    stream.close()
    assert press(clock).status_code == 403
    assert press(clock, key=new).json == {"done": True, "refused": None, "on_disk": True}


def test_keys_are_kept_and_cannot_be_guessed(tmp_path):
    keys = LinkKeys("clock", WebDb(tmp_path))
    one, two = keys.key("1"), keys.key("2")
    assert one != two
    assert len(one) >= 22  # 128 bits
    again = LinkKeys("clock", WebDb(tmp_path))
    assert again.opens("1", one)
    assert not again.opens("2", one)
    assert not again.opens("3", "")
    assert again.key("1") == one


def test_whoever_starts_the_table_is_told_the_link(clock):
    from dashboard.clock import clock_address, clock_path

    app = clock.client.application
    with app.test_request_context():
        assert clock_address(app, "1") == clock_path("1") == f"/tables/1/clock#{clock.key}"


def test_the_page_itself_tells_nothing(clock, game):
    game.play(*TURNS[0])
    page = clock.client.get("/tables/1/clock")
    assert page.status_code == 200
    assert clock.key not in page.text
    assert "Ada" not in page.text
    assert "FIRNS" not in page.text


def test_a_clock_is_told_of_the_clocks_alone(clock, game):
    for place, word in TURNS:
        game.play(place, word, [Finding("misoriented_tile", "8D", "upside down")])
    game.put(RackReported("right", "QJZXVKW", game.t_ns))
    answer = clock.client.get(ADDRESSES[0], query_string={"key": clock.key})
    stream = clock.client.get(ADDRESSES[1], query_string={"key": clock.key}, buffered=False)
    events = events_in(stream.response)
    reported = [next(event for event in events if event.kind == "view").data, answer.json["view"]]
    stream.close()
    for view in reported:
        wanted = {"game_id", "status", "settled", "players", "on_turn", "clocks"}
        assert set(view) == wanted
        assert set(view["players"]["left"]) == {"name", "score"}
    text = json.dumps(reported) + answer.text + str(answer.headers)
    for secret in ("FIRNS", "QJZ", "8D", "flags", "rows", "unseen"):
        assert secret not in text


def test_a_press_counts_from_when_it_was_made(clock):
    made = NOW - ALLOWANCE_NS // 2
    assert press(clock, t_ns=made).json["done"]
    assert clock.desk.pressed == [("left", made)]
    assert clock.desk.claimed == [(made, NOW)]


@pytest.mark.parametrize("lead", [SECOND // 2, 4 * SECOND, LATE_NS])
def test_a_press_that_is_stamped_early_gains_no_more_than_the_way_takes(clock, lead):
    """Neither from a page that never asked for the time, nor from one that did."""
    address, page = "/tables/1/clock/api/time", {"key": clock.key, "page": "mine"}
    for _ in range(5):
        number = clock.client.get(address, query_string=page).json["number"]
        clock.client.get(address, query_string={**page, "echo": number})
    assert press(clock, t_ns=NOW - lead, page="mine").json["done"]
    assert clock.desk.pressed == [("left", NOW - ALLOWANCE_NS)]
    assert clock.desk.claimed == [(NOW - lead, NOW)]


def test_a_claim_out_of_all_bounds_is_logged_as_such(clock):
    assert press(clock, t_ns=-(2**62)).json["done"]
    assert clock.desk.pressed == [("left", NOW)]
    assert clock.desk.claimed == [(NOW - CLAIMED_NS, NOW)]


@pytest.mark.parametrize("made", [None, NOW + 1, NOW - LATE_NS - 1, -5, 10**30])
def test_a_stamp_that_cannot_be_is_replaced_by_now(made):
    assert stamp(made, NOW) == NOW


def test_a_stamp_that_can_be_is_kept():
    assert stamp(NOW, NOW) == NOW
    assert stamp(NOW - LATE_NS, NOW) == NOW - LATE_NS


def test_a_press_that_is_sent_again_is_one_press(clock):
    for _ in range(3):
        assert press(clock, press_id="same", t_ns=NOW - 5).json["done"]
    assert len(clock.desk.pressed) == 1


def test_a_double_tap_is_one_press(clock):
    assert press(clock, press_id="a", t_ns=NOW).json["done"]
    again = press(clock, press_id="b", t_ns=NOW - DOUBLE_NS + 1)
    assert again.json == {"done": True, "refused": None, "on_disk": True}
    assert len(clock.desk.pressed) == 1


def test_a_refused_press_may_be_sent_again(clock):
    clock.desk.refuses = "the table has stopped"
    assert press(clock).json == {"done": False, "refused": "the table has stopped", "on_disk": True}
    clock.desk.refuses = None
    assert press(clock).json["done"]


def test_as_on_a_real_clock_the_button_of_a_standing_clock_does_nothing(clock, game):
    # The left clock runs.
    refused = {"done": False, "refused": "that clock stands already", "on_disk": True}
    assert press(clock, "right").json == refused
    assert press(clock, "neutral", "p2").json["done"]
    assert clock.desk.pressed == [("neutral", NOW)]


def test_with_both_clocks_standing_either_half_starts_the_other():
    posted = []

    def post(button, t_ns, claimed_ns, heard_ns):
        posted.append(button)
        return Answer(1)

    for button, done in (("neutral", False), ("left", True), ("right", True)):
        answer = Presses().press(
            PagePress("x", button), now_ns=NOW, running=lambda: None, post=post
        )  # fmt: skip
        assert answer.done == done
    assert posted == ["left", "right"]


def test_presses_never_go_back_in_time():
    posted = []

    def post(button, t_ns, claimed_ns, heard_ns):
        posted.append(t_ns)
        return Answer(1)

    presses = Presses()
    presses.press(PagePress("a", "left", NOW), now_ns=NOW, running=lambda: "left", post=post)
    late = PagePress("b", "right", NOW - ALLOWANCE_NS // 2)
    presses.press(late, now_ns=NOW + 1, running=lambda: "right", post=post)
    assert posted == [NOW, NOW]


@pytest.mark.parametrize(
    "sent",
    [
        None,
        [],
        {},
        {"id": "x"},
        {"id": "", "button": "left"},
        {"id": "x" * 65, "button": "left"},
        {"id": "x", "button": "up"},
        {"id": "x", "button": ["left"]},
        {"id": "x", "button": "left", "t_ns": "1"},
        {"id": "x", "button": "left", "t_ns": 1.5},
        {"id": "x", "button": "left", "t_ns": True},
        {"id": "x", "button": "left", "page": 1},
        {"id": "x", "button": "left", "page": "x" * 65},
    ],
)
def test_nonsense_is_told_in_one_line(clock, sent):
    headers = {"X-Clock-Key": clock.key}
    answer = clock.client.post("/tables/1/clock/api/press", json=sent, headers=headers)
    assert answer.status_code == (415 if sent is None else 400)
    assert answer.json["error"]
    assert "\n" not in answer.json["error"]
    assert clock.desk.pressed == []


def test_a_press_from_another_site_and_a_huge_one_are_refused(clock):
    headers = {"X-Clock-Key": clock.key, "Origin": "http://elsewhere.example"}
    body = {"id": "x", "button": "left"}
    address = "/tables/1/clock/api/press"
    assert clock.client.post(address, json=body, headers=headers).status_code == 403
    big = {**body, "more": "x" * 2000}
    headers = {"X-Clock-Key": clock.key}
    assert clock.client.post(address, json=big, headers=headers).status_code in (400, 413)
    assert clock.desk.pressed == []


def test_a_table_that_is_only_watched_cannot_be_pressed(log, game):
    table = table_over(log, id="1", name="Table 1", clock=lambda: NOW)
    app = create_app(Site((table,)))
    key = app.extensions["tilewatch.clock_keys"].key("1")
    answer = app.test_client().post(
        "/tables/1/clock/api/press",
        json={"id": "x", "button": "left"},
        headers={"X-Clock-Key": key},
    )
    assert answer.status_code == 409
    table.close()
