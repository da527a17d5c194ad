"""What a table keeps of its enrolment, and what may be a name."""

from __future__ import annotations

import stat
from contextlib import closing

import pytest

from game.errors import TilewatchError
from hub.enrolment.codes import revoke
from hub.errors import HubError
from hub.store import HubStore
from hub.table_side.connector import CA_FILE, FILE, Membership
from hub.wire.topics import Address, checked_name, parse_topic
from tests.machine import until


def test_no_name_can_smuggle_anything_into_a_topic():
    for name in ("", "A", "a b", "a/b", "+", "#", "a\nuser root", "_hub", "-a", "a-", "a" * 41):
        with pytest.raises(HubError):
            checked_name(name, "table")
        with pytest.raises(HubError):
            Address("hall", name)
    assert parse_topic("tilewatch/hall/t1/events") == (Address("hall", "t1"), "events")
    for topic in ("", "tilewatch/hall/t1", "other/hall/t1/events", "tilewatch/hall/T/events"):
        with pytest.raises(HubError):
            parse_topic(topic)


def test_what_a_table_keeps_only_its_owner_can_read(tmp_path):
    member = Membership(
        venue="hall", table="t1", name="Table 1", host="192.0.2.7", port=8883, password="secret",
        hub_key="ab" * 32,
    )  # fmt: skip
    member.save(tmp_path, "CERTIFICATE")
    for name in (FILE, CA_FILE):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert Membership.load(tmp_path) == member
    assert "secret" not in repr(member)
    assert Membership.load(tmp_path / "nowhere") is None


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"venue": "A b"}', "\xff"])
def test_a_broken_membership_says_what_to_do(tmp_path, text):
    (tmp_path / FILE).write_text(text, "utf-8")
    with pytest.raises(HubError, match="enrol the table again"):
        Membership.load(tmp_path)


def test_the_command_beside_a_running_hub_is_heard(venue):
    table = venue.table("t1")
    assert until(lambda: venue.service.presence.state("t1") == "here")
    with closing(HubStore(venue.folder / "hub")) as beside:
        revoke(beside, "t1", "stolen")
    assert until(lambda: not table.tie.outbox.up)
    assert until(lambda: "refuses t1" in (table.tie.trouble or ""))
    with pytest.raises(TilewatchError, match="another tilewatch"):
        HubStore(venue.folder / "hub", serving=True)
