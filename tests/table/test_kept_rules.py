"""Who may be shown on a table's own pages: its configuration, and its hub's list."""

from __future__ import annotations

from game.events import GameEnded, PublicationDecided
from table.desk import ListPlayers, TableDesk
from table.serving import FILE, KeptRules
from table.views.public_policy import PublicPolicy


def test_the_hub_s_list_is_kept_and_only_makes_the_table_s_own_rules_stricter(tmp_path):
    own = PublicPolicy.model_validate({"games": "result", "players": {"Ann Bee": "initials"}})
    rules, desk = KeptRules(own, tmp_path), TableDesk(lambda: 0)
    desk.on_list = rules.put
    listed = ListPlayers("all", "full", {"Bee, Ann": ("full", "nothing"), "Cy": ("result",)}, "hub")
    before = rules.version
    assert desk.post(listed).done
    assert rules.version > before
    for one in (rules, KeptRules(own, tmp_path)):
        policy = one.policy()
        assert policy.games == "result"
        assert policy.players == {"Ann Bee": ("nothing", "initials"), "Cy": ("result",)}
        assert one.naming()("Ann Bee") == "A. B."
    assert desk.post(ListPlayers("all", "full", {}, "hub")).done
    assert rules.policy() == own


def test_a_list_that_cannot_be_used_is_refused_and_a_damaged_one_passed_over(tmp_path):
    rules, desk = KeptRules(PublicPolicy(), tmp_path), TableDesk(lambda: 0)
    desk.on_list = rules.put
    refused = desk.post(ListPlayers("all", "full", {"Ann": ("invisible",)}, "hub"))  # type: ignore[dict-item]
    assert refused.refused
    assert not rules.policy().players
    (tmp_path / FILE).write_text("{")
    assert not KeptRules(PublicPolicy(), tmp_path).policy().players


def test_a_decision_for_the_table_holds_in_its_next_game(sit):
    sat = sit()
    session = sat.session
    session.record(PublicationDecided("result", "Ann", "refused", 1, "table"), "director: ann")
    session.record(PublicationDecided("all", "Ann", "the final", 2), "director: ann")
    session.record(GameEnded("broken off", 3, "Ann"), "director: ann")
    first = session.state.game_id
    session.next_game("table")
    assert session.state.game_id != first
    decided = [one for one in session.state.progress.events if isinstance(one, PublicationDecided)]
    assert [(one.shown, one.by, one.why, one.holds) for one in decided] == [
        ("result", "Ann", "refused", "table")
    ]
