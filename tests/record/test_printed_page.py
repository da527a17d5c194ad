"""A dispute prints on two pages, with its pictures, times, ruling and reason."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest

from game.events import Event, Picture, PicturesKept, TurnSeen
from record.bundle.archive import picture_name
from record.bundle.page import page, picture_source
from record.story import Entry, steps_of, tell
from tests.dashboard.axe import violations

from .bundlekit import jpeg
from .disputes import DISPUTES, disputed
from .storykit import entries_of

pytestmark = pytest.mark.browser
SECOND = 1_000_000_000
CORNERS = ((40.0, 40.0), (5.0, 42.0), (6.0, 6.0), (42.0, 5.0))
OTHERS = {hashlib.sha256(one).hexdigest(): one for one in map(jpeg, range(34))}


def pictured(events: tuple[Event, ...]) -> list[Event]:
    """The events with pictures around every press, and a long stop's after it."""
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
    narrow = "[...document.querySelectorAll('.incidents p')].map((one) => one.offsetWidth)"
    assert driver.execute_script(f"return Math.min(...{narrow})") > 250
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


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
        assert len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(printed))) <= 2
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    seen = "[...document.querySelectorAll('.turn')].filter((one) => one.offsetHeight > 0)"
    assert driver.execute_script(f"return {seen}.length") == 1
    shown = "[...document.querySelectorAll(':target .frame')].filter((one) => one.offsetHeight > 0)"
    due = 6 if story.turns[turn - 1].shots else 0  # one that was parted has them with its first
    assert driver.execute_script(f"return {shown}.length") == due
    for selector in ("nav", ":target label", ":target details"):
        script = f"const one = document.querySelector('{selector}'); return one && one.offsetHeight"
        assert not driver.execute_script(script)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
