"""The event of a hall: the pairings' file with the results that have come in since."""

from __future__ import annotations

import pytest

from dashboard.event.standings import standings
from dashboard.event.theme import EventError
from hub.config import load_hub_config
from hub.event_source import event_of, settled_results
from table.views.public_policy import PublicPolicy
from tests.hub.pagekit import TOURNEY, result
from tests.hub.servicekit import Venue

COUNTS = {(1, frozenset({"aiko ito", "bo"})): {"aiko ito": 402, "bo": 371}}


def put(venue: Venue) -> None:
    """One result that counts, and one by a table that claims the players of another."""
    for id_ in ("table-1", "table-9"):
        venue.service.store.enrol(id_, id_, "0" * 64, None)
    venue.service.results.put(result("table-1", "Aiko Ito", "Bo", (402, 371), game_id="g1"))
    venue.service.results.put(result("table-9", "Aiko Ito", "Bo", (1, 999), game_id="g1"))


def test_results_that_count_are_in_the_standings_before_the_file_has_them(opened):
    venue = opened(pairings=TOURNEY, name="Town Hall Open")
    put(venue)
    assert settled_results(venue.service) == COUNTS
    event = event_of(venue.service)
    assert event.details().title == "Town Hall Open"
    first = standings(event.details(), "A")[0]
    assert (first.name, first.wins, first.spread) == ("D. Dee", 1, 50)
    second = standings(event.details(), "A")[1]
    assert (second.name, second.wins, second.spread) == ("Aiko Ito", 1, 31)


def test_a_result_waits_until_the_public_has_seen_the_end_of_its_game(opened):
    venue = opened(pairings=TOURNEY, public=PublicPolicy(delay_turns=2))
    put(venue)
    assert settled_results(venue.service) == {}


def test_a_hub_names_what_is_wrong_with_its_theme(opened, tmp_path):
    (tmp_path / "theme.toml").write_text('[colours]\naccent = "red"\n')
    (tmp_path / "hub.toml").write_text('[serve]\ntheme = "theme.toml"\n')
    config = load_hub_config(tmp_path / "hub.toml")
    assert config.serve.theme == tmp_path / "theme.toml"
    venue = opened(serve=config.serve)
    with pytest.raises(EventError, match="colours: accent"):
        event_of(venue.service)
