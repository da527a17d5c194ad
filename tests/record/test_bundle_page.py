"""The page of a bundle: what it states is what the events give; it prints on two pages."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
from dataclasses import replace
from html import unescape
from pathlib import Path

import cv2
import numpy as np
import pytest

from game.board import Board
from game.events import (
    ButtonPressed,
    Event,
    GameEnded,
    GameStarted,
    PenaltyAdded,
    Picture,
    PicturesKept,
    RackReported,
    ResultSigned,
    TableDescribed,
    TurnSeen,
)
from record.bundle.archive import picture_name
from record.bundle.derived_files import page, picture_source
from record.raw_edges import RawEdge
from record.story import steps_of, tell
from record.story.entries import RECORDING, Entry
from record.story.event_wording import number
from record.story_html.pictures import answering
from tests.dashboard.browsing import violations

from .bundlekit import entries_of, jpeg
from .disputes import DISPUTES, RULEBOOKS, disputed

START = (
    GameStarted("g", {"left": "Ann", "right": "Bob"}, "wespa-2007", "english", "left", 0),
    ButtonPressed("right", 0),
)
ENDED = (*START, GameEnded("shortened", 9))
RACKS = tuple(
    RackReported(side, tiles, 9, counted=len(tiles))
    for side, tiles in (("left", "AE"), ("right", "Q"))
)
KEY = "0" * 64
NONE = picture_source({})


def text_of(shown: bytes) -> str:
    body = re.sub(r"<(style|script)>.*?</\1>", "", shown.decode(), flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


@pytest.mark.parametrize(
    ("events", "says"),
    [
        (START, "There is no result yet."),
        ((*START, GameEnded("broken off", 8)), "The game ended without a result."),
        (ENDED, "Not final: the end costs or brings a rack that nobody knows."),
        ((*ENDED, *RACKS), "nobody signed the result. Nothing is open."),
        ((*ENDED, *RACKS, ResultSigned("both players", 9)), "The result was signed (both players)"),
    ],
)
def test_the_page_says_whether_the_result_is_final(events, says):
    assert says in text_of(page(steps_of(entries_of(events)), KEY, NONE))


def test_a_replay_has_the_times_of_its_recording():
    """Its events were logged within seconds, whatever time they are of."""
    described = TableDescribed("0", {}, {RECORDING: "a game"}, 0)
    pressed = ButtonPressed("right", 0), ButtonPressed("left", 65 * 10**9)
    seen = TurnSeen("left", 65 * 10**9, Board.empty().rows)
    ended = GameEnded("broken off", 27 * 60 * 10**9)
    events = (START[0], described, *pressed, seen, ended)
    entries = [
        Entry(replace(one.logged, wall_ns=entry_ns), one.event)
        for entry_ns, one in enumerate(entries_of(events), start=10**18)
    ]
    text = text_of(page(steps_of(entries), KEY, NONE))
    assert "27:00 from first to last event of a recording, replayed 2001-09-09" in text
    assert "times count from the start of the recording" in text
    assert "Pressed at 1:05;" in text
    live = text_of(
        page(steps_of([one for one in entries if one.event is not described]), KEY, NONE)
    )
    assert (
        "Played 2001-09-09 01:46 UTC, 27:00 from first to last event; times of day are UTC" in live
    )


@pytest.mark.parametrize("book", RULEBOOKS)
@pytest.mark.parametrize("name", DISPUTES)
def test_the_page_of_a_dispute_states_what_the_fold_gives(book, name):
    events = disputed(name, book)
    entries = entries_of(events)
    story = tell(steps_of(entries))
    shown = page(steps_of(entries), KEY, NONE)
    html, text = shown.decode(), text_of(shown)
    state = story.state
    assert story.result in text
    assert story.standing in text
    for line in (*story.doubts, *story.adjustments, story.rules):
        assert " ".join(line.split()) in text
    for one in story.turns:
        assert f'id="turn-{one.number}"' in html
        section = html.split(f'id="turn-{one.number}"')[1].split("</section>")[0]
        reported = unescape(re.sub(r"<[^>]+>", " ", section))
        assert f"{one.name} has {number(one.turn.total)} after it" in reported
        for flag in one.turn.flags:
            assert flag.message in reported
        for decision in one.decisions:
            assert decision.text in reported
            assert decision.entry.why in reported
            assert all(line in reported for line in decision.changes)
        if one.sum is not None:
            assert f"= {one.sum.made}" in reported.replace("\u2009", " ")
    for one in story.incidents:
        assert " ".join(one.text.split()) in text
        assert " ".join(one.outcome.split()) in text
        for turn in (one.turn, *one.also):
            if turn is not None:
                assert f'href="#turn-{turn}"' in html
    unseen = sum(map(int, re.findall(r"(\d+) not seen", text))) + text.count("came off")
    assert unseen == len(story.tiles.at("unseen"))
    for side in ("left", "right"):
        assert f"{state.players[side]} ({side} seat) {number(state.scores[side])}" in text


@pytest.mark.parametrize("book", [RULEBOOKS[0], "wespa-2021"])
@pytest.mark.parametrize("name", DISPUTES)
def test_each_incident_is_listed_once_and_every_ruling_is_two_clicks_from_there(name, book):
    """One click leads to its turn, and everything of it stands open there."""
    entries = entries_of(disputed(name, book))
    events = [one.event for one in tell(steps_of(entries)).incidents if one.event is not None]
    assert len(events) == len(set(events))
    html = page(steps_of(entries), KEY, NONE).decode()
    incidents = html.split('id="incidents"')[1].split("</section>")[0]
    assert "<details" not in incidents
    for group in incidents.split("<h3>")[1:]:
        if ", event " in group:
            anchor = re.search(r'href="#(turn-\d+)"', group.split("</h3>")[0])
            assert anchor is not None and f'id="{anchor[1]}"' in html
    sections = html.split('<section class="turn"')[1:]
    for section in (one.split("</section>")[0] for one in sections):
        before = section.split('<details class="known"')[0]
        assert section.count('<details class="known"') == 1
        assert ("Why:" in section) == ("Why:" in before)


@pytest.mark.parametrize(
    ("name", "book", "says"),
    [
        ("challenge_in_vain", "wespa-2007", "stopped for: a challenge"),
        ("challenge_in_vain", "wespa-2021", "a challenge in vain costs 5 points for each word"),
        ("challenge_in_vain", "wespa-2021", "how many words were challenged was not entered"),
        ("missing_tiles", "wespa-2021", "with a set that lacks EE (entered by Dee)"),
        ("retraction", "wespa-2021", "taken back: turn 3: challenged unsuccessfully"),
        ("changed_after_press", "wespa-2021", "7D, since turn 3, of no play"),
        ("missing_tiles", "wespa-2021", "The set lacks EE , by what was entered."),
        ("forgotten_press", "wespa-2021", "turn 2: new, Bo: H8 ER, +2"),
        ("misread", "wespa-2021", "as it was read at the press; 8F counts as A"),
        ("overtime", "wespa-2021", "signed as Ann Lee 20, Bo −14"),
        ("overtime", "wespa-2021", "Its end both players agreed to end it, after 2 turns"),
        ("late", "wespa-2021", "no question: the time is taken off the clock"),
        ("late", "wespa-2021", "not ended; 1 turn so far"),
        ("challenge", "wespa-2021", "turn 3: a play → challenged off the board, score 10 → 0"),
    ],
)
def test_a_committee_is_told(name, book, says):
    assert says in text_of(page(steps_of(entries_of(disputed(name, book))), KEY, NONE))


def test_a_rule_that_was_entered_stands_as_it_was_entered():
    """A setting's meaning is not the rule's text: PSA's 5.5 is about margins, too."""
    table = DISPUTES["challenge_in_vain"]("wespa-2021")
    table.put(PenaltyAdded("left", 5, "5.2", "Dee", "late", table.now))
    assert "(rule 5.2, as entered)" in text_of(page(steps_of(entries_of(table.events)), KEY, NONE))


def test_only_what_changed_a_turn_marks_it():
    def marked(name: str) -> list[int]:
        story = tell(steps_of(entries_of(disputed(name, "wespa-2021"))))
        return [one.number for one in story.turns if one.amended]

    assert marked("blank") == [1]
    assert marked("clock") == []
    assert marked("challenge") == [3]


def test_raw_edges_are_told_with_what_they_were_taken_for():
    events = disputed("challenge", "wespa-2007")
    press = next(e.press_ns for e in events if hasattr(e, "press_ns"))
    edges = [RawEdge(press, "left", True), RawEdge(press + 1_500_000, "left", False)]
    text = text_of(page(steps_of(entries_of(events)), KEY, NONE, edges))
    assert "left closed +0.000 ms, left opened +1.500 ms" in text


# --- as a browser shows and prints it ---

SECOND = 1_000_000_000
CORNERS = ((40.0, 40.0), (5.0, 42.0), (6.0, 6.0), (42.0, 5.0))
OTHERS = {hashlib.sha256(one).hexdigest(): one for one in map(jpeg, range(34))}


def pictured(events: tuple[Event, ...]) -> list[Event]:
    """The events with pictures around every press, a long stop's after it, and crops."""
    found: list[Event] = list(events)  # at the end, so that the others keep their numbers
    number = 0
    for event in events:
        if isinstance(event, TurnSeen):
            number += 1
            shas = iter(OTHERS)
            press = event.press_ns
            kept = [
                Picture(role, next(shas), press + at * SECOND // 10, corners=corners)
                for role, at, corners in (
                    ("before", -10, None),
                    ("at", 0, None),
                    ("read", 2, CORNERS),
                    ("after", 10, None),
                )
            ]
            kept += [Picture("stopped", next(shas), press + at * SECOND) for at in range(2, 32)]
            kept += [Picture("crop", next(iter(OTHERS)), press, f"8{at}") for at in "DEFGH"]
            found.append(PicturesKept(number, tuple(kept), press))
    return found


def written(entries: tuple[Entry, ...], folder: Path) -> str:
    """The address of the page of these entries, with its pictures beside it."""
    source = picture_source({sha: (lambda one=one: one) for sha, one in OTHERS.items()})
    (folder / "index.html").write_bytes(page(steps_of(entries), "0" * 64, source))
    (folder / "pictures").mkdir()
    for sha, one in OTHERS.items():
        (folder / picture_name(sha)).write_bytes(one)
    return (folder / "index.html").as_uri()


@pytest.mark.browser
@pytest.mark.everyday
def test_the_page_is_fit_for_everybody_and_for_a_phone(driver, tmp_path):
    """Nothing that axe-core finds serious, and nothing wider than the screen."""
    entries = entries_of(pictured(disputed("retraction", "wespa-2021")))
    address = written(entries, tmp_path)
    driver.get(address)
    driver.set_script_timeout(60)
    assert violations(driver) == []
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    assert driver.execute_script("return document.documentElement.scrollWidth") <= 390
    narrow = "[...document.querySelectorAll('.incidents li li')].map((one) => one.offsetWidth)"
    assert driver.execute_script(f"return Math.min(...{narrow})") > 250
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


FULL = 0.6
"""The least share of a page that is printed: none is almost half empty, none has a line alone."""
MARGIN = 1.2 / 29.7


def fullness(pdf: bytes, folder: Path) -> list[float]:
    """How far down each page is printed, 0..1 between its margins, by poppler's ``pdftoppm``."""
    (folder / "printed.pdf").write_bytes(pdf)
    for old in folder.glob("page-*"):
        old.unlink()
    command = ["pdftoppm", "-gray", "-r", "20", "printed.pdf", "page"]
    subprocess.run(command, cwd=folder, check=True)
    found = []
    for path in sorted(folder.glob("page-*")):
        image = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
        rows = np.flatnonzero((image < 235).any(axis=1))
        last = rows[-1] / len(image) if len(rows) else 0.0
        found.append((last - MARGIN) / (1 - 2 * MARGIN))
    return found


@pytest.mark.browser
@pytest.mark.parametrize("name", DISPUTES)
def test_a_dispute_prints_on_two_pages(driver, tmp_path, name):
    entries = entries_of(pictured(disputed(name, "wespa-2021")))
    address = written(entries, tmp_path)
    story = tell(steps_of(entries))
    # What came before the first turn leads to none.
    for turn in {one.turn for one in story.incidents if one.turn is not None} or {1}:
        driver.get("about:blank")
        driver.get(f"{address}#turn-{turn}")
        options = {"printBackground": True, "preferCSSPageSize": True}
        printed = driver.execute_cdp_cmd("Page.printToPDF", options)["data"]
        pdf = base64.b64decode(printed)
        assert len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 2
        if shutil.which("pdftoppm"):  # of Debian's poppler-utils
            assert min(fullness(pdf, tmp_path)) >= FULL
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    seen = "[...document.querySelectorAll('.turn')].filter((one) => one.offsetHeight > 0)"
    assert driver.execute_script(f"return {seen}.length") == 1
    shown = "[...document.querySelectorAll(':target .frame')].filter((one) => one.offsetHeight > 0)"
    due = len(answering(story.turns[turn - 1]))
    assert driver.execute_script(f"return {shown}.length") == due
    for selector in ("nav", ":target .film label", ":target details"):
        script = f"const one = document.querySelector('{selector}'); return one && one.offsetHeight"
        assert not driver.execute_script(script)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
