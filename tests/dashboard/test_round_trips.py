"""How early a press on a page may be stamped: by what was measured, never by what is claimed."""

from __future__ import annotations

import pytest

from dashboard.clock.presses import PagePress, Presses
from dashboard.clock.round_trips import (
    ALLOWANCE_NS,
    MAX_TRIP_NS,
    MS,
    OUTAGES_NS,
    RESENT_NS,
    SILENCE_NS,
    RoundTrips,
)
from table.desk import Answer

SECOND = 1_000_000_000


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


def test_a_claim_gains_the_round_trip_and_the_allowance_at_most():
    page = Page(20 * MS)
    page.ask(5)
    for _ in range(20):
        assert page.lead(5 * SECOND) == 20 * MS + ALLOWANCE_NS
        page.ask(3)


def test_before_anything_was_measured_there_is_the_allowance_alone():
    assert Page(0).lead(5 * SECOND) == ALLOWANCE_NS


def test_a_page_that_answers_late_on_purpose_gains_little():
    page = Page(SILENCE_NS)
    page.ask(50, every=0)
    assert page.lead(5 * SECOND) == MAX_TRIP_NS + ALLOWANCE_NS


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


def test_no_press_counts_from_before_the_silence():
    page = Page(10 * MS)
    page.ask(5, every=0)
    page.now += SILENCE_NS + MS
    heard = SILENCE_NS + MS
    assert page.lead(5 * SECOND) == heard


def test_a_page_that_is_in_touch_has_no_silence():
    page = Page(10 * MS)
    page.ask(30)
    page.now += SILENCE_NS - SECOND // 2
    assert page.lead(2 * SECOND) == 10 * MS + ALLOWANCE_NS
    page.ask(5)
    page.now += SILENCE_NS
    page.ask(2 + 2 * RESENT_NS // SECOND)  # long over
    assert page.lead(2 * SECOND) == 10 * MS + ALLOWANCE_NS


def test_a_page_that_was_hardly_ever_in_touch_cannot_fall_silent():
    page = Page(10 * MS)
    page.ask(2)
    page.now += 2 * SILENCE_NS
    assert page.lead(5 * SECOND) <= 10 * MS + ALLOWANCE_NS


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


def test_a_table_whose_time_runs_faster_is_held_to_the_same():
    page = Page(20 * MS * 20, rate=20)
    page.ask(5, every=10 * SECOND)
    assert page.lead(100 * SECOND) == (20 * MS + ALLOWANCE_NS) * 20


def test_nothing_is_remembered_without_end():
    trips = RoundTrips()
    for n in range(1000):
        trips.asked(f"page-{n}", n)
        trips.asked("mine", n)
    assert len(trips._pages) < 50
    assert len(trips._pages["mine"].asked) < 50


@pytest.mark.parametrize("buttons", [["left"], ["neutral"], ["left", "neutral"]])
def test_stopping_both_clocks_gains_a_side_no_more_than_its_own_half(buttons):
    page = Page(2 * MS)
    presses = Presses(page.trips)
    gained = 0
    for n in range(12):
        page.ask(5)
        page.now += 4 * SECOND  # silent
        made = PagePress(f"press {n}", buttons[n % len(buttons)], page.now - 4 * SECOND, page.name)
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
