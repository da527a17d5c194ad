"""The players' clock: who may press it, when a press was made, and what is never told."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from dashboard.app import create_app
from dashboard.clock.presses import CLAIM_LATE_NS, CLAIMED_NS, DOUBLE_NS, PagePress, Presses, stamp
from dashboard.clock.round_trips import (
    ALLOWANCE_NS,
    MAX_TRIP_NS,
    MS,
    OUTAGES_NS,
    RESENT_NS,
    SILENCE_NS,
    RoundTrips,
)
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

    def post(self, press) -> Answer:
        if self.refuses:
            return Answer(None, self.refuses)
        self.pressed.append((press.button, press.t_ns))
        self.claimed.append((press.claimed_ns, press.heard_ns))
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
        keys=app.extensions["tilewatch.LinkKeys"],
        key=app.extensions["tilewatch.LinkKeys"].key("1"),
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
    assert not LinkKeys("camera", WebDb(tmp_path)).opens("1", one)  # one key for each kind


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
    page = clock.client.get("/tables/1/clock").text  # which anybody may have
    for secret in ("FIRNS", "QJZ", "8D", "flags", "rows", "unseen"):
        assert secret not in text + page
    assert clock.key not in page
    assert "Ada" not in page


@pytest.mark.parametrize(
    ("lead", "gained", "claimed"),
    [
        (SECOND // 2, ALLOWANCE_NS, SECOND // 2),
        (CLAIM_LATE_NS, ALLOWANCE_NS, CLAIM_LATE_NS),
        (2**62, 0, CLAIMED_NS),  # a claim out of all bounds is logged as such
    ],
)
def test_a_press_that_is_stamped_early_gains_no_more_than_the_way_takes(
    clock, lead, gained, claimed
):
    address, page = "/tables/1/clock/api/time", {"key": clock.key, "page": "mine"}
    for _ in range(5):
        number = clock.client.get(address, query_string=page).json["number"]
        clock.client.get(address, query_string={**page, "echo": number})
    assert press(clock, t_ns=NOW - lead, page="mine").json["done"]
    assert clock.desk.pressed == [("left", NOW - gained)]
    assert clock.desk.claimed == [(NOW - claimed, NOW)]


@pytest.mark.parametrize(
    ("made", "kept"),
    [(None, False), (NOW + 1, False), (NOW - CLAIM_LATE_NS - 1, False), (-5, False),
     (10**30, False), (NOW, True), (NOW - CLAIM_LATE_NS, True)],
)  # fmt: skip
def test_a_stamp_that_cannot_be_is_replaced_by_now(made, kept):
    assert stamp(made, NOW) == (made if kept else NOW)


def test_a_press_counts_once_and_from_when_it_was_made(clock):
    """It may be sent again, also where it was refused; a double tap is one press."""
    done = {"done": True, "refused": None, "on_disk": True}
    clock.desk.refuses = "the table has stopped"
    refused = {"done": False, "refused": "the table has stopped", "on_disk": True}
    made = NOW - ALLOWANCE_NS // 2
    assert press(clock, t_ns=made).json == refused
    clock.desk.refuses = None
    for _ in range(3):
        assert press(clock, t_ns=made).json == done
    assert press(clock, press_id="b", t_ns=made - DOUBLE_NS + 1).json == done
    assert clock.desk.pressed == [("left", made)]
    assert clock.desk.claimed == [(made, NOW)]


def test_as_on_a_real_clock_the_button_of_a_standing_clock_does_nothing(clock, game):
    # The left clock runs.
    refused = {"done": False, "refused": "that clock stands already", "on_disk": True}
    assert press(clock, "right").json == refused
    assert press(clock, "neutral", "p2").json["done"]
    assert clock.desk.pressed == [("neutral", NOW)]


def test_with_both_clocks_standing_either_half_starts_the_other():
    posted = []

    def post(button, t_ns, claimed_ns, heard_ns):
        posted.append((button, t_ns))
        return Answer(1)

    for button, done in (("neutral", False), ("left", True), ("right", True)):
        page = PagePress(id="x", button=button)
        answer = Presses().press(page, now_ns=NOW, running=lambda: None, post=post)
        assert answer.done == done
    assert [button for button, _ in posted] == ["left", "right"]
    # Presses never go back in time.
    presses = Presses()
    presses.press(
        PagePress(id="a", button="left", t_ns=NOW), now_ns=NOW, running=lambda: "left", post=post
    )
    late = PagePress(id="b", button="right", t_ns=NOW - ALLOWANCE_NS // 2)
    presses.press(late, now_ns=NOW + 1, running=lambda: "right", post=post)
    assert posted[2:] == [("left", NOW), ("right", NOW)]


NONSENSE = (
    None, [], {}, {"id": "x"}, {"id": "", "button": "left"}, {"id": "x" * 65, "button": "left"},
    {"id": "x", "button": "up"}, {"id": "x", "button": ["left"]},
    *({"id": "x", "button": "left", "t_ns": t_ns} for t_ns in ("1", 1.5, True)),
    *({"id": "x", "button": "left", "page": page} for page in (1, "x" * 65)),
    {"id": "x", "button": "left", "more": "x" * 2000},
)  # fmt: skip


def test_nonsense_is_told_in_one_line_and_another_site_is_refused(clock):
    address, headers = "/tables/1/clock/api/press", {"X-Clock-Key": clock.key}
    for sent in NONSENSE:
        answer = clock.client.post(address, json=sent, headers=headers)
        assert answer.status_code in ((415,) if sent is None else (400, 413)), sent
        assert answer.json["error"]
        assert "\n" not in answer.json["error"]
    headers["Origin"] = "http://elsewhere.example"
    body = {"id": "x", "button": "left"}
    assert clock.client.post(address, json=body, headers=headers).status_code == 403
    assert clock.desk.pressed == []


def test_a_table_that_is_only_watched_cannot_be_pressed(client, game):
    keys = client.application.extensions["tilewatch.LinkKeys"]
    watched = SimpleNamespace(client=client, key=keys.key("1"))
    assert press(watched).status_code == 409


class Page:
    """A page of a clock on a network with this round trip."""

    def __init__(self, trip_ns: int, rate: float = 1.0, at: int = 1000 * SECOND) -> None:
        self.trips, self.trip, self.now, self.rate = RoundTrips(rate), trip_ns, at, rate
        self.name = "mine"

    def ask(self, times: int = 1, every: int = SECOND // 2) -> None:
        for _ in range(times):
            number = self.trips.asked(self.name, self.now)
            self.now += self.trip
            self.trips.answered(self.name, number, self.now)
            self.now += every

    def lead(self, claimed: int, game: str = "g1", button: str = "left") -> int:
        """By how much a press is put back that claims so much."""
        made = self.now - claimed
        return self.now - self.trips.accepted(self.name, game, button, made, self.now)


def test_an_honest_press_counts_from_when_it_was_made():
    for trip in (3 * MS, 40 * MS, 300 * MS):
        page = Page(trip)
        page.ask(5)
        for late in (0, trip // 2, trip):
            assert page.lead(late) == late


@pytest.mark.parametrize(
    ("trip", "asked", "every", "silent", "lead", "rate"),
    [
        pytest.param(0, 0, 0, 0, ALLOWANCE_NS, 1, id="nothing measured"),
        pytest.param(20 * MS, 5, SECOND // 2, 0, 20 * MS + ALLOWANCE_NS, 1, id="measured"),
        pytest.param(20 * MS, 5, SECOND // 2, 0, 20 * MS + ALLOWANCE_NS, 20, id="faster time"),
        pytest.param(SILENCE_NS, 50, 0, 0, MAX_TRIP_NS + ALLOWANCE_NS, 1, id="late on purpose"),
        pytest.param(
            10 * MS, 2, 0, 2 * SILENCE_NS, 10 * MS + ALLOWANCE_NS, 1, id="hardly in touch"
        ),
        pytest.param(10 * MS, 30, 0, SILENCE_NS, 10 * MS + ALLOWANCE_NS, 1, id="in touch"),
        pytest.param(10 * MS, 5, 0, SILENCE_NS + MS, SILENCE_NS + MS, 1, id="from the silence on"),
    ],
)
def test_a_claim_gains_so_much_at_most(trip, asked, every, silent, lead, rate):
    page = Page(trip * rate, rate)
    page.ask(asked, every * rate)
    page.now += silent * rate
    assert page.lead(5 * SECOND * rate) == lead * rate


def test_the_shortest_of_the_last_round_trips_counts():
    page = Page(30 * MS)
    page.ask(3)
    page.trip = 300 * MS
    page.ask(20)
    assert page.lead(5 * SECOND) == 30 * MS + ALLOWANCE_NS
    page.ask(30)  # it went elsewhere
    assert page.lead(5 * SECOND) == 300 * MS + ALLOWANCE_NS


def test_numbers_count_once_and_for_their_own_page():
    page = Page(0)
    number = page.trips.asked("other", page.now)
    page.trips.answered("mine", number, page.now + 300 * MS)
    page.trips.answered("mine", "made-up", page.now + 300 * MS)
    page.now += 300 * MS
    assert page.lead(5 * SECOND) == ALLOWANCE_NS


@pytest.mark.parametrize("asks_first", [False, True])
def test_a_press_made_while_the_connection_was_broken_is_put_back(asks_first):
    page = Page(10 * MS)
    page.ask(5)
    page.now += 2 * SECOND  # pressed right after it broke
    if asks_first:
        page.ask(1, every=100 * MS)
    assert page.lead(2 * SECOND) == 2 * SECOND
    # A round trip that spans the silence is not the shortest.
    page.ask(2 + 2 * RESENT_NS // SECOND)
    assert page.lead(2 * SECOND) == 10 * MS + ALLOWANCE_NS


def test_silences_put_on_gain_so_much_in_a_game_and_no_more():
    page = Page(10 * MS)
    usual = 10 * MS + ALLOWANCE_NS
    gains = []
    for turn in range(20):
        page.name = f"page-{turn % 3}"  # to load it anew makes no difference
        page.ask(5)
        page.now += 5 * SECOND
        gains.append(page.lead(5 * SECOND) - usual)
    assert sum(gains) == OUTAGES_NS
    assert gains[5:] == [0] * 15
    page.ask(5)
    page.now += 5 * SECOND
    assert page.lead(5 * SECOND, button="right") > usual  # the other side has its own
    page.ask(5)
    page.now += 5 * SECOND
    assert page.lead(5 * SECOND, game="g2") > usual


def test_nothing_is_remembered_without_end():
    page = Page(20 * MS)
    page.ask(3)
    for n in range(50):
        page.trips.asked(f"page-{n}", page.now)
    assert page.lead(5 * SECOND) == ALLOWANCE_NS  # what its trips took
    numbers = [page.trips.asked(page.name, page.now) for _ in range(50)]
    page.now += page.trip
    page.trips.answered(page.name, numbers[0], page.now)
    assert page.lead(5 * SECOND) == ALLOWANCE_NS


@pytest.mark.parametrize("buttons", [["left"], ["neutral"], ["left", "neutral"]])
def test_stopping_both_clocks_gains_a_side_no_more_than_its_own_half(buttons):
    page = Page(2 * MS)
    presses = Presses(page.trips)
    gained = 0
    for n in range(12):
        page.ask(5)
        page.now += 4 * SECOND  # silent
        made = PagePress(
            id=f"press {n}",
            button=buttons[n % len(buttons)],
            t_ns=page.now - 4 * SECOND,
            page=page.name,
        )
        counted: list[int] = []

        def post(_button, t_ns, _claimed_ns, _heard_ns, counted=counted):
            counted.append(t_ns)
            return Answer(1)

        answer = presses.press(
            made, now_ns=page.now, running=lambda: "left", post=post, game_id="g1"
        )
        assert answer.done
        gained += page.now - counted[0]
    assert gained <= OUTAGES_NS + 12 * (2 * MS + ALLOWANCE_NS)
