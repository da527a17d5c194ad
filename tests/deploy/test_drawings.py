"""The drawings and tables of docs/hardware.md are those of what the code does."""

from __future__ import annotations

import math
import re
import runpy
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from sensors.gpio import PINS, GpioOptions

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "hardware.md").read_text("utf-8")


@pytest.fixture(scope="module")
def drawings():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)
        return runpy.run_path(str(DOCS / "make_drawings.py"))


@pytest.fixture(scope="module")
def place():
    return runpy.run_path(str(DOCS / "camera_place.py"))


def test_what_is_drawn_is_up_to_date(drawings):
    for path, text in drawings["made"]().items():
        assert path.read_text("utf-8") == text, f"{path.name}: run python docs/make_drawings.py"


def test_drawings_are_well_formed_and_say_what_they_show(drawings):
    for name in ("mount.svg", "wiring.svg"):
        root = ET.parse(DOCS / name).getroot()
        words = {child.tag.rpartition("}")[2]: child.text for child in root}
        assert words["title"]
        assert len(words["desc"]) > 80


def test_the_wiring_is_that_of_the_buttons(drawings):
    wires = {wire.name: wire for wire in drawings["WIRES"]}
    assert {name: wires[name].gpio for name in PINS} == dict(PINS)
    assert "call" in GpioOptions.model_fields
    for wire in wires.values():
        assert wire.ground in drawings["GROUNDS"]
        assert re.search(rf"\| {wire.gpio} \| {wire.pin} \| {wire.ground} \|", PAGE), wire
    pins = [pin for wire in wires.values() for pin in (wire.pin, wire.ground)]
    assert len(set(pins)) == len(pins)


def test_heights_are_those_of_the_formula(place):
    assert place["TURNED_CM"] == pytest.approx(math.sqrt(33**2 + 35**2))
    # A field of 48.1 cm under 41 degrees, and the other way round.
    height = place["height_cm"](48.1, 41.0)
    assert math.degrees(2 * math.atan(48.1 / 2 / height)) == pytest.approx(41.0)
    assert place["angle"](4.712, 6.0) == pytest.approx(42.9, abs=0.1)
    for lens in place["LENSES"]:
        pixels = place["pixels_a_square"](lens.pixels, place["TURNED_CM"])
        assert pixels >= place["WANTED_PX"], lens


def test_a_lamp_that_is_far_enough_aside_is_mirrored_off_the_board(place):
    height, lamp = 64.0, 100.0
    aside = place["lamp_cm"](height, lamp)
    mirrored_at = aside * height / (height + lamp)
    assert mirrored_at == pytest.approx(place["TURNED_CM"] / 2)
    assert math.atan(mirrored_at / height) == pytest.approx(math.atan((aside - mirrored_at) / lamp))


def test_the_drawing_of_the_rooms_shows_the_imports_that_there_are():
    """Which room imports which; how many imports there are may have changed since."""
    made = runpy.run_path(str(DOCS / "make_architecture.py"))
    drawn = (DOCS / "architecture.svg").read_text("utf-8")
    shown = set(re.findall(r"<title>(\w+) imports (\w+):", drawn))
    due = {pair for pair in made["arrows"]() if pair[1] != "game"}
    assert shown == due, "run python docs/make_architecture.py"
