"""Which table a slot shows, and who says so."""

from __future__ import annotations

import pytest

from dashboard.overlay.slots import MOST, SlotError, Slots
from dashboard.site import Site, table_over
from dashboard.web_db import WebDb


@pytest.fixture
def site(log):
    made = Site(
        tuple(table_over(log, id=each, name=each, clock=lambda: 0) for each in ("1", "2", "7"))
    )
    yield made
    made.close()


def test_a_table_is_a_slot_and_the_first_is_featured(site):
    slots = Slots()
    assert slots.table("feature", site).id == "1"
    assert slots.table("7", site).id == "7"
    assert slots.table("8", site) is None
    assert not slots.known("8", site)
    assert slots.names(site) == ["feature", "1", "2", "7"]


def test_what_the_director_says_holds_over_a_restart(site, tmp_path):
    db = WebDb(tmp_path)
    slots = Slots(db)
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


def test_a_slot_waits_for_a_table_that_is_not_there(site):
    slots = Slots()
    slots.assign("feature", "12")
    assert slots.table("feature", site) is None
    assert slots.known("feature", site)


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
