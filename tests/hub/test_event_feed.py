"""The event as a feed and as a calendar: valid, with ids that stay, nothing before its time."""

from __future__ import annotations

import re
from datetime import datetime
from xml.etree import ElementTree

import pytest

from hub.config import RoundsConfig
from hub.event_feed import as_calendar
from tests.hub.pagekit import Pages, keep_results, result
from tests.hub.servicekit import Venue

ATOM = "{http://www.w3.org/2005/Atom}"
AT_NS = 1_796_000_000_000_000_000
BEST = {"bingos": 1, "word": "QUIXOTRY", "position": "8A", "score": 365, "turn": 3}
GAME = result("t1", "Ann <b>", "Bo & Co", (402, 371), plays={"left": BEST}, at_ns=AT_NS)


def entries(pages: Pages) -> dict[str, str]:
    """The titles of the feed's entries, by id."""
    answer = pages.get("/event/feed.atom")
    assert answer.mimetype == "application/atom+xml"
    feed = ElementTree.fromstring(answer.data)
    assert feed.tag == f"{ATOM}feed"
    for one in (feed, *feed.iter(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):  # RFC 4287, 4.1.1 and 4.1.2
            assert len(one.findall(f"{ATOM}{name}")) == 1, name
        assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", one.find(f"{ATOM}id").text)
        assert datetime.fromisoformat(one.find(f"{ATOM}updated").text).tzinfo is not None
        addresses = [link.get("href") for link in one.findall(f"{ATOM}link")]
        assert addresses
        assert all(address.startswith("http://") for address in addresses)
    assert feed.find(f"{ATOM}author/{ATOM}name").text
    found = list(feed.iter(f"{ATOM}entry"))
    assert len({one.find(f"{ATOM}id").text for one in found}) == len(found)
    return {one.find(f"{ATOM}id").text: one.find(f"{ATOM}title").text for one in found}


def test_a_result_and_the_round_s_best_play_are_entries_with_ids_that_stay(venue):
    pages = Pages(venue)
    assert entries(pages) == {}
    keep_results(venue, GAME)
    first = entries(pages)
    assert set(first.values()) == {
        "Round 1: Ann <b> 402 – 371 Bo & Co",
        "Play of round 1: QUIXOTRY for 365 by Ann <b>",
    }
    better = {"left": {**BEST, "word": "OXAZEPAM", "score": 392}}
    keep_results(venue, result("t2", "Cem", "Dora", (500, 300), plays=better, at_ns=AT_NS + 1))
    then = entries(pages)
    assert {id_ for id_, title in then.items() if title.startswith("Play of")} < set(first)
    assert len(then) == 3
    headers = {"If-None-Match": pages.get("/event/feed.atom").headers["ETag"]}
    assert pages.client.get("/event/feed.atom", headers=headers).status_code == 304


def test_what_is_not_final_or_without_a_time_is_not_in_the_feed(venue):
    keep_results(venue, result("t1", "Ann", "Bo", (402, 371)),
                 result("t2", "Cem", "Dora", (5, 4), signed=False, at_ns=AT_NS))  # fmt: skip
    assert entries(Pages(venue)) == {}


@pytest.fixture
def timed(opened) -> Venue:
    begin = (datetime(2026, 12, 5, 9, 30).astimezone(), datetime(2026, 12, 5, 11, 0).astimezone())
    return opened(name="Lakeside; Town, " + "ö" * 60, rounds=RoundsConfig(begin=begin, minutes=50))


def unfolded(data: bytes) -> list[str]:
    """The lines of a calendar (RFC 5545, 3.1)."""
    raw = data.split(b"\r\n")
    assert raw.pop() == b""
    assert all(len(line) <= 75 and b"\n" not in line for line in raw)
    return data.decode().replace("\r\n ", "").split("\r\n")


def test_the_rounds_are_a_calendar(timed):
    pages = Pages(timed)
    answer = pages.get("/event/calendar.ics")
    assert answer.mimetype == "text/calendar"
    lines = unfolded(answer.data)
    assert lines[:2] == ["BEGIN:VCALENDAR", "VERSION:2.0"]
    assert lines.count("BEGIN:VEVENT") == lines.count("END:VEVENT") == 2
    begins = timed.config.rounds.of(1).astimezone().utctimetuple()
    assert f"DTSTART:2026{begins.tm_mon:02}{begins.tm_mday:02}T{begins.tm_hour:02}3000Z" in lines
    assert "DURATION:PT50M" in lines
    assert f"SUMMARY:Lakeside\\; Town\\, {'ö' * 60}: round 2" in lines
    uids = [line for line in lines if line.startswith("UID:")]
    assert len(set(uids)) == 2
    assert uids == [
        line for line in unfolded(pages.get("/event/calendar.ics").data) if line[:4] == "UID:"
    ]
    assert 'href="/event/calendar.ics"' in pages.get("/event/rounds").text


def test_without_times_there_is_no_calendar(venue):
    pages = Pages(venue)
    assert pages.get("/event/calendar.ics").status_code == 404
    assert "calendar.ics" not in pages.get("/event/standings").text
    assert as_calendar("A", []).startswith(b"BEGIN:VCALENDAR\r\n")
