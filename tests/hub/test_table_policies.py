"""A table's own policy for the public holds at its hub, where it is stricter than the hub's."""

from __future__ import annotations

import pytest

from game.events import TableDescribed, to_payload
from game.state.fold import fold
from table.views.public_policy import PublicPolicy
from tests.game.gamekit import random_game
from tests.hub.hubkit import until
from tests.hub.servicekit import play


def describe(table, settings) -> None:
    table.session.recorder.record(TableDescribed("0.2.0", {}, settings, table.desk.now_ns()))


def allowed(venue) -> PublicPolicy:
    return venue.service.tables.table("t1").allowed


def turns_of_the_public(venue) -> int:
    latest = venue.service.tables.table("t1").public.latest()
    return 0 if latest is None else len(latest.view["turns"])


def played(table) -> int:
    """Log a game whose records have the times of its events; the number of its turns."""
    events = random_game(3).events[:24]
    at_ns = 0
    for event in events:
        at_ns = getattr(event, "t_ns", at_ns)
        table.log.append(events[0].game_id, to_payload(event), mono_ns=at_ns, source="recorder")
    return len(fold(events).turns)


def test_a_table_that_shows_its_game_late_is_late_at_its_hub(venue):
    table = venue.table("t1")
    own = PublicPolicy(delay_turns=2, unseen="never")
    describe(table, {"public": own.model_dump(mode="json")})
    assert until(lambda: allowed(venue).delay_turns == 2)
    assert allowed(venue).unseen == "never"
    turns = played(table)
    assert until(lambda: venue.same(table))
    assert until(lambda: turns_of_the_public(venue) > 0)
    assert turns_of_the_public(venue) <= turns - 2
    table.tie.stop()
    venue.restart()  # the hub knows it before the table reports
    assert allowed(venue).delay_turns == 2


@pytest.mark.parametrize(
    "settings", [{}, {"public": {"delay_min": "soon"}}, {"public": {"unheard": 1}}, {"public": 7}]
)
def test_a_table_that_says_nothing_of_it_is_shown_as_the_hub_says(venue, settings):
    table = venue.table("t1")
    describe(table, settings)
    play(table, 3, turns=2)
    assert until(lambda: venue.same(table))
    assert allowed(venue) == venue.config.public


def test_of_two_policies_each_part_is_the_stricter_one():
    late = PublicPolicy(delay_min=5.0, unseen="live", racks="after", words="late")
    shut = PublicPolicy(delay_turns=3, unseen="after", racks="never", words="never")
    both = PublicPolicy(delay_min=5.0, delay_turns=3, unseen="after", racks="never", words="never")
    assert late.stricter(shut) == shut.stricter(late) == both
    assert late.stricter(late) == late
