"""What a challenge in vain brings: by the word, by the challenge, with a cap, as announced."""

from __future__ import annotations

from importlib import import_module, resources

import pytest

from game.errors import TilewatchError
from game.events import ChallengeBonus, TurnRuled
from game.game import Game, read_gcg, write_gcg
from game.gcg import check, record_from_game
from game.rulebooks.challenge import failed_bonus, nearest_bonus
from game.rulebooks.loading import adjusted, load_rulebook, parse_rulebook
from game.state.fold import apply
from game.values import replace

from .gamekit import Table

CAPPED = """failed_points = { is = 7, rule = "4.6.10" }
failed_cap = { is = 14, rule = "4.6.10" }"""


def capped():
    text = (resources.files("game") / "data" / "rulebooks" / "wespa-2007.toml").read_text("utf-8")
    plain = 'failed_points = { is = 5, rule = "4.6.10" }'
    assert plain in text
    return parse_rulebook("wespa-2007", text.replace(plain, CAPPED))


@pytest.fixture
def house(monkeypatch):
    """WESPA 2007, for every game, with 7 points a word and 14 at most, as a file alone makes it."""
    book = capped()
    for module in ("game.state.fold", "game.gcg.check"):
        monkeypatch.setattr(import_module(module), "load_rulebook", lambda _id: book)
    return book


@pytest.mark.parametrize(("words", "points"), [(0, 0), (1, 7), (2, 14), (3, 14), (8, 14)])
def test_a_cap_limits_the_bonus(words, points):
    assert failed_bonus(capped(), words) == points


@pytest.mark.parametrize(("written", "due"), [(1, 7), (7, 7), (10, 7), (14, 14), (21, 14)])
def test_a_written_bonus_is_held_against_the_nearest_that_can_be(written, due):
    assert nearest_bonus(capped(), written) == due


def test_a_cap_between_two_steps_is_a_bonus_too():
    book = replace(load_rulebook("wespa-2007"), challenge_failed_cap=12)
    assert [failed_bonus(book, words) for words in (1, 2, 3)] == [5, 10, 12]
    assert [nearest_bonus(book, points) for points in (10, 12, 15)] == [10, 12, 12]


def test_a_capped_bonus_is_scored_refused_and_written_to_gcg_and_read_back(house):
    game = Game()
    game.play("8G", "CAT")
    game.play("9G", "ON")
    turn = game.challenge(succeeds=False)
    assert (len(turn.words), turn.bonus) == (3, 14)
    text = write_gcg(game)
    again = Game.from_record(read_gcg(text))
    assert again.scores == game.scores
    assert check(read_gcg(text)) == []
    with pytest.raises(TilewatchError, match="steps of 7, 14 at most"):
        apply(game.state, ChallengeBonus("left", 21, None, "TD", "", 10**12))


@pytest.mark.parametrize(
    ("book", "changes"),
    [
        ("wespa-2007", {"challenge.failed": "lose_turn"}),
        ("wespa-2007", {"challenge.failed_points": 10, "challenge.failed_per": "challenge"}),
        ("naspa-2017", {"challenge.failed": "points", "challenge.failed_points": 10}),
        ("psa", {"challenge.failed": "points"}),
        ("sanspa-2001", {"clock.minutes": 20}),
    ],
)
def test_an_event_may_announce_what_the_text_leaves_to_it(book, changes):
    assert adjusted(load_rulebook(book), changes).adjusted == changes


@pytest.mark.parametrize(
    ("book", "changes", "why"),
    [
        ("wespa-2007", {"challenge.failed_points": 7}, r"points 7 word.*announce: .*\(4.6.10\)"),
        ("wespa-2007", {"challenge.failed_cap": 14}, "up to 14"),
        ("sanspa-2001", {"challenge.failed": "lose_turn"}, "announce: nothing else"),
        ("psa", {"challenge.failed": "lose_turn"}, "cannot cost 'lose_turn'"),
    ],
)
def test_an_event_may_announce_nothing_else(book, changes, why):
    with pytest.raises(TilewatchError, match=why):
        adjusted(load_rulebook(book), changes)


def test_an_announced_bonus_goes_to_gcg_and_back():
    table = Table(adjust={"challenge.failed_per": "challenge", "challenge.failed_points": 10})
    table.play("8G", "CAT")
    table.play("9G", "ON")
    table.put(TurnRuled(2, "challenge_failed", "TD", "", table.now, words=3))
    assert table.state.turns[1].bonus == 10
    once = write_gcg(record_from_game(table.state))
    record = read_gcg(write_gcg(Game.from_record(read_gcg(once))))
    assert dict(record.adjust) == table.adjust
    assert Game.from_record(record).scores == table.state.scores
