"""Bounce traces through the debounce."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sensors.debounce import MS, DebouncedPress, Debouncer, Edge
from sensors.reports import DeviceReport

BUTTONS = ("left", "right", "neutral")
US = 1000


def play(trace: list[tuple[str, int, float]], end_ms: float = 10_000):
    """Edges ``(button, closed, t_ms)`` and time between them, as the driver lets it pass."""
    debouncer = Debouncer(BUTTONS)
    reported = []
    for button, closed, t_ms in trace:
        t_ns = round(t_ms * MS)
        while (due := debouncer.due_ns()) is not None and due < t_ns:
            reported += debouncer.at(due)
        reported += debouncer.edge(Edge(button, bool(closed), t_ns))
    while (due := debouncer.due_ns()) is not None and due < end_ms * MS:
        reported += debouncer.at(due)
    presses = [(p.button, p.t_ns / MS) for p in reported if isinstance(p, DebouncedPress)]
    reports = [item for item in reported if isinstance(item, DeviceReport)]
    return presses, [r.code + " over" * (r.state == "over") for r in reports]


def bounced(button: str, at_ms: float, held_ms: float) -> list[tuple[str, int, float]]:
    """A press that bounces for 3 ms on the way down and on the way up."""
    down = [(button, i % 2 == 0, at_ms + i * 0.5) for i in range(7)]
    up = [(button, i % 2 == 1, at_ms + held_ms + i * 0.5) for i in range(7)]
    return [*down, *up]


def test_a_clean_press_is_stamped_at_its_edge():
    assert play([("left", 1, 100), ("left", 0, 250)]) == ([("left", 100)], [])


def test_a_bounced_press_is_one_and_is_stamped_at_the_first_edge():
    assert play(bounced("left", 100, 120)) == ([("left", 100)], [])


def test_a_press_of_five_milliseconds_counts():
    assert play([("right", 1, 100), ("right", 0, 105)]) == ([("right", 100)], [])
    assert play(bounced("right", 100, 5)) == ([("right", 100)], [])


def test_a_spike_is_no_press_and_hides_none():
    spike = [("left", 1, 100), ("left", 0, 100.05)]
    assert play(spike) == ([], [])
    assert play([*spike, ("left", 1, 130), ("left", 0, 200)]) == ([("left", 130)], [])


def test_both_at_once_come_in_order_of_time_and_are_said():
    trace = [("right", 1, 100), ("left", 1, 103), ("right", 0, 180), ("left", 0, 190)]
    assert play(trace) == ([("right", 100), ("left", 103)], ["button_both"])


def test_both_at_once_bounced():
    trace = sorted([*bounced("left", 100, 60), *bounced("right", 100.2, 70)], key=lambda e: e[2])
    assert play(trace) == ([("left", 100), ("right", 100.2)], ["button_both"])


def test_presses_come_in_order_though_the_first_contact_bounces_the_longer():
    left = [("left", 1, 100), ("left", 0, 100.3), ("left", 1, 104), ("left", 0, 180)]
    trace = sorted([*left, ("right", 1, 101), ("right", 0, 170)], key=lambda e: e[2])
    assert play(trace) == ([("left", 100), ("right", 101)], ["button_both"])
    spike = [("left", 1, 100), ("left", 0, 100.3), ("right", 1, 101), ("right", 0, 170)]
    assert play(spike) == ([("right", 101)], [])


def test_a_double_press_is_one_and_is_said():
    trace = [("left", 1, 100), ("left", 0, 160), ("left", 1, 220), ("left", 0, 280)]
    assert play(trace) == ([("left", 100)], ["button_double"])


def test_the_same_side_again_is_passed_on_and_said():
    trace = [("left", 1, 100), ("left", 0, 160), ("left", 1, 1220), ("left", 0, 1280)]
    assert play(trace) == ([("left", 100), ("left", 1220)], ["button_same_side"])


def test_the_same_side_after_the_clock_was_stopped_starts_it_again():
    trace = [
        edge
        for button, at_ms in (("left", 100), ("neutral", 1000), ("left", 2000), ("right", 3000))
        for edge in ((button, 1, at_ms), (button, 0, at_ms + 80))
    ]
    presses = [("left", 100), ("neutral", 1000), ("left", 2000), ("right", 3000)]
    assert play(trace) == (presses, [])


def test_a_stuck_button_is_one_press_and_leaves_the_others_alone():
    trace = [("left", 1, 100), ("right", 1, 5000), ("right", 0, 5100), ("left", 0, 6000)]
    assert play(trace) == ([("left", 100), ("right", 5000)], ["button_stuck", "button_stuck over"])


def test_a_lost_edge_does_not_lose_the_next_press():
    trace = [("left", 1, 100), ("left", 1, 700), ("left", 0, 800), ("left", 1, 1500)]
    presses, _ = play(trace)
    assert presses[0] == ("left", 100)
    assert presses[-1] == ("left", 1500)


@given(
    gaps=st.lists(st.integers(400, 3000), min_size=1, max_size=12),
    held=st.integers(5, 250),
    bounces=st.lists(st.integers(20, 900), max_size=12),
)
def test_any_bounce_gives_as_many_presses_as_were_made(gaps, held, bounces):
    """Closings and openings that bounce for up to 10.8 ms at random, on alternate sides."""
    trace, wanted, t_us = [], [], 0
    for index, gap in enumerate(gaps):
        t_us += gap * 1000
        button = BUTTONS[index % 2]
        wanted.append((button, t_us / 1000))
        for start, first in ((t_us, 1), (t_us + held * 1000 + sum(bounces), 0)):
            level, at = first, start
            trace.append((button, level, at / 1000))
            for step in bounces[: len(bounces) // 2 * 2]:
                level, at = 1 - level, at + step
                trace.append((button, level, at / 1000))
        t_us = at
    assert play(trace, end_ms=t_us / 1000 + 1000)[0] == wanted
