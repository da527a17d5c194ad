"""Bounce traces through the debounce.

``left+100`` closes a contact at 100 ms, and ``left-250`` opens it.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.events import TroubleNoted
from sensors.debounce import MS, Debouncer, Edge
from sensors.interfaces import Press

BUTTONS = ("left", "right", "neutral")


def edges(trace: str) -> list[Edge]:
    found = re.findall(r"(\w+)([+-])(\S+)", trace)
    made = [Edge(button, way == "+", round(float(ms) * MS)) for button, way, ms in found]
    return sorted(made, key=lambda edge: edge.t_ns)


def play(trace: list[Edge], end_ms: float = 10_000) -> tuple[str, str]:
    """The presses and the reports of a trace and time between its edges, as the driver lets it."""
    debouncer = Debouncer(BUTTONS)
    reported = []
    for edge in trace:
        while (due := debouncer.due_ns()) is not None and due < edge.t_ns:
            reported += debouncer.at(due)
        reported += debouncer.edge(edge)
    while (due := debouncer.due_ns()) is not None and due < end_ms * MS:
        reported += debouncer.at(due)
    presses = [f"{p.button} {p.t_ns / MS:g}" for p in reported if isinstance(p, Press)]
    reports = [item for item in reported if isinstance(item, TroubleNoted)]
    return ", ".join(presses), ", ".join(r.code + " over" * (r.state == "over") for r in reports)


def bounced(button: str, at_ms: float, held_ms: float) -> str:
    """A press that bounces for 3 ms on the way down and on the way up."""
    down = [f"{button}{'+-'[i % 2]}{at_ms + i * 0.5}" for i in range(7)]
    up = [f"{button}{'-+'[i % 2]}{at_ms + held_ms + i * 0.5}" for i in range(7)]
    return " ".join([*down, *up])


SPIKE = "left+100 left-100.05"
TRACES = {
    "a clean press is stamped at its edge": ("left+100 left-250", "left 100", ""),
    "a bounced press is one, stamped at the first edge": (
        bounced("left", 100, 120), "left 100", "",
    ),
    "a press of five milliseconds counts": ("right+100 right-105", "right 100", ""),
    "so does one that bounces": (bounced("right", 100, 5), "right 100", ""),
    "a spike is no press": (SPIKE, "", ""),
    "and hides none": (f"{SPIKE} left+130 left-200", "left 130", ""),
    "both at once come in order of time and are told": (
        "right+100 left+103 right-180 left-190", "right 100, left 103", "button_both",
    ),
    "both at once bounced": (
        bounced("left", 100, 60) + " " + bounced("right", 100.2, 70),
        "left 100, right 100.2", "button_both",
    ),
    "presses come in order though the first contact bounces the longer": (
        "left+100 left-100.3 left+104 left-180 right+101 right-170",
        "left 100, right 101", "button_both",
    ),
    "a spike before the other button's press is none": (
        "left+100 left-100.3 right+101 right-170", "right 101", "",
    ),
    "a double press is one and is told": (
        "left+100 left-160 left+220 left-280", "left 100", "button_double",
    ),
    "the same side again is passed on and told": (
        "left+100 left-160 left+1220 left-1280", "left 100, left 1220", "button_same_side",
    ),
    "the same side after the clock was stopped starts it again": (
        "left+100 left-180 neutral+1000 neutral-1080 left+2000 left-2080 right+3000 right-3080",
        "left 100, neutral 1000, left 2000, right 3000", "",
    ),
    "a stuck button is one press and leaves the others alone": (
        "left+100 right+5000 right-5100 left-6000",
        "left 100, right 5000", "button_stuck, button_stuck over",
    ),
    "a lost edge does not lose the next press": (
        "left+100 left+700 left-800 left+1500",
        "left 100, left 1500", "button_same_side, button_stuck",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("trace", "presses", "reports"), TRACES.values(), ids=TRACES)
def test_a_trace_is_presses_and_reports(trace, presses, reports):
    assert play(edges(trace)) == (presses, reports)


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
        wanted.append(f"{button} {t_us / 1000:g}")
        for start, closed in ((t_us, True), (t_us + held * 1000 + sum(bounces), False)):
            level, at = closed, start
            trace.append(Edge(button, level, at * 1000))
            for step in bounces[: len(bounces) // 2 * 2]:
                level, at = not level, at + step
                trace.append(Edge(button, level, at * 1000))
        t_us = at
    assert play(trace, end_ms=t_us / 1000 + 1000)[0] == ", ".join(wanted)
