"""What an event announces: only what the text leaves to it, and the same at every door."""

from __future__ import annotations

from importlib import import_module, resources

import pytest

from game.errors import TilewatchError
from game.events import ChallengeBonus, TurnRuled
from game.game import Game, read_gcg, write_gcg
from game.gcg import check, events_from_record, record_from_game
from game.rulebooks.announcing import announced, in_words, options
from game.rulebooks.challenge import failed_bonus, nearest_bonus
from game.rulebooks.loading import adjusted, load_rulebook, parse_rulebook, rulebook_ids
from game.rulebooks.rulebook import Rulebook
from game.state.fold import apply, fold
from game.values import replace

from .gamekit import Table


def text_of(book: str) -> str:
    return (resources.files("game") / "data" / "rulebooks" / f"{book}.toml").read_text("utf-8")


def test_only_what_differs_from_the_text_is_logged():
    book = load_rulebook("wespa-2007")
    assert announced(book, {}) == {}
    assert announced(book, {"clock.minutes": 25, "challenge": "points 5 word"}) == {}
    assert announced(book, {"clock.minutes": 20, "challenge": "points 10 challenge"}) == {
        "clock.minutes": 20,
        "challenge.failed_points": 10,
        "challenge.failed_per": "challenge",
    }
    assert announced(book, {"challenge": "lose_turn"}) == {"challenge.failed": "lose_turn"}


@pytest.mark.parametrize(
    ("book", "wishes", "why"),
    [
        ("naspa-2017", {"overtime.points": 5}, r"overtime.points is 10 \(V.G.2\), and no event"),
        ("psa", {"clock.minutes": 0}, r"cannot be 0; .* announce: 1 to 600 \(5.3.5\)"),
        ("psa", {"clock.minutes": 601}, "1 to 600"),
        ("psa", {"clock.minutes": True}, "cannot be True"),
        ("psa", {"clock.minutes": "25"}, "cannot be '25'"),
        ("psa", {"clock.minutes": [25]}, "1 to 600"),
        ("naspa-2017", {"leaving.resigning": "never"}, r"as_leaving, current_score \(I.B\)"),
        ("psa", {"leaving.resigning": "current_score"}, r"is as_leaving \(5.7\), and no event"),
        ("wespa-2007", {"challenge": "points 97 word up to 98"}, r"cannot cost 'points 97 word"),
        ("wespa-2007", {"challenge": "a bottle of rum"}, "write 'none', 'lose_turn', 'points"),
        ("wespa-2007", {"challenge": 7}, "7 is no cost"),
        ("wespa-2007", {"house.rule": 1}, "unknown setting 'house.rule'"),
    ],
)
def test_anything_else_is_refused_in_one_line(book, wishes, why):
    with pytest.raises(TilewatchError, match=why) as raised:
        announced(load_rulebook(book), wishes)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("book", "changes", "why"),
    [
        ("wespa-2007", {"challenge.failed": "lose_turn"}, ""),
        ("naspa-2017", {"challenge.failed": "points", "challenge.failed_points": 10}, ""),
        ("psa", {"challenge.failed": "points"}, ""),
        ("sanspa-2001", {"clock.minutes": 20}, ""),
        ("wespa-2007", {"challenge.failed_points": 7}, r"points 7 word.*announce: .*\(4.6.10\)"),
        ("wespa-2007", {"challenge.failed_cap": 14}, "up to 14"),
        ("sanspa-2001", {"challenge.failed": "lose_turn"}, "announce: nothing else"),
        ("psa", {"challenge.failed": "lose_turn"}, "cannot cost 'lose_turn'"),
    ],
)
def test_a_log_has_what_the_text_leaves_to_an_event_and_nothing_else(book, changes, why):
    if not why:
        assert adjusted(load_rulebook(book), changes).adjusted == changes
        return
    with pytest.raises(TilewatchError, match=why):
        adjusted(load_rulebook(book), changes)


@pytest.mark.parametrize("id_", rulebook_ids())
def test_everything_that_is_offered_may_be_announced(id_):
    book = load_rulebook(id_)
    found = options(book)
    assert "clock.minutes" in {one.name for one in found}
    for one in found:
        assert announced(book, {one.name: one.default}) == {}
        for value in one.values or (one.least, one.most):
            made = adjusted(book, announced(book, {one.name: value}))
            assert (value == one.default) == (in_words(made) == "")


def test_a_rulebook_with_a_choice_that_makes_no_sense_is_refused():
    text = text_of("wespa-2007")
    with pytest.raises(TilewatchError, match=r"challenge.choices: 'points 5 wrod' is no cost"):
        parse_rulebook("mine", text.replace('"points 5 word"', '"points 5 wrod"'))
    for line, why in (
        ('"clock.hours" = { from = 1, to = 2 }', "unknown setting"),
        ('"clock.minutes" = { from = 1 }', "values, or from and to"),
        ('"clock.minutes" = 20', "values, or from and to"),
    ):
        with pytest.raises(TilewatchError, match=why):
            parse_rulebook("mine", f"{text}\n[choice]\n{line}\n")


# A bonus of 7 points a word, 14 at most, as a rulebook's file alone makes it.


@pytest.fixture
def house(monkeypatch) -> Rulebook:
    """WESPA 2007, for every game, with that bonus, and another that may be announced."""
    text = text_of("wespa-2007").replace(
        "choices = { is = [", 'choices = { is = ["points 8 word up to 16", ', 1
    )
    plain = 'failed_points = { is = 5, rule = "4.6.10" }'
    capped = plain.replace("5,", "7,") + '\nfailed_cap = { is = 14, rule = "4.6.10" }'
    assert plain in text
    book = parse_rulebook("wespa-2007", text.replace(plain, capped))
    for module in ("game.state.fold", "game.gcg.check"):
        monkeypatch.setattr(import_module(module), "load_rulebook", lambda _id: book)
    return book


def test_a_cap_limits_the_bonus_and_a_written_one_is_held_against_the_nearest_that_can_be(house):
    assert [failed_bonus(house, words) for words in (0, 1, 2, 3, 8)] == [0, 7, 14, 14, 14]
    assert [nearest_bonus(house, points) for points in (1, 7, 10, 14, 21)] == [7, 7, 7, 14, 14]
    between = replace(load_rulebook("wespa-2007"), challenge_failed_cap=12)
    assert [failed_bonus(between, words) for words in (1, 2, 3)] == [5, 10, 12]
    assert [nearest_bonus(between, points) for points in (10, 12, 15)] == [10, 12, 12]


def test_a_capped_bonus_is_scored_refused_and_written_to_gcg_and_read_back(house):
    game = Game()
    game.play("8G", "CAT")
    game.play("9G", "ON")
    turn = game.challenge(succeeds=False)
    assert (len(turn.words), turn.bonus) == (3, 14)
    record = read_gcg(write_gcg(game))
    assert Game.from_record(record).scores == game.scores
    assert check(record) == []
    with pytest.raises(TilewatchError, match="steps of 7, 14 at most"):
        apply(game.state, ChallengeBonus("left", 21, None, "TD", "", 10**12))


def test_another_capped_bonus_may_be_announced(house):
    wish = {"challenge": "points 8 word up to 16"}
    (offered,) = (one for one in options(house) if one.name == "challenge")
    assert wish["challenge"] in offered.values
    changes = announced(house, wish)
    assert in_words(adjusted(house, changes)) == (
        "a challenge in vain costs 8 points for each word, 16 at most"
    )
    assert there_and_back(changes, "wespa-2007", 16)


@pytest.mark.parametrize(
    ("book", "wishes", "bonus"),
    [
        ("naspa-2017", {"clock.minutes": 20, "leaving.resigning": "current_score"}, 0),
        ("naspa-2017", {"challenge": "points 10 word", "clock.minutes": 15}, 30),
        ("psa", {"challenge": "points 5 challenge"}, 5),
        ("wespa-2007", {"challenge": "points 10 challenge"}, 10),
    ],
)
def test_what_was_announced_holds_and_goes_to_gcg_and_back(book, wishes, bonus):
    assert there_and_back(announced(load_rulebook(book), wishes), book, bonus)


def there_and_back(changes, book: str, bonus: int) -> bool:
    table = Table(rulebook=book, adjust=changes)
    table.play("8G", "CAT")
    table.play("9G", "ON")
    table.put(TurnRuled(2, "challenge_failed", "TD", "", table.now, words=3))
    assert table.state.turns[1].bonus == bonus
    record = read_gcg(write_gcg(record_from_game(table.state)))
    assert dict(record.adjust) == changes
    assert check(record) == []
    again = fold(events_from_record(record))
    assert again.rulebook == table.state.rulebook
    assert Game.from_record(record).scores == table.state.scores
    return write_gcg(Game.from_record(record)) == write_gcg(record_from_game(table.state))


def test_a_record_that_claims_what_the_text_does_not_allow_is_refused():
    table = Table()
    table.play("8G", "CAT")
    text = write_gcg(record_from_game(table.state))
    for claim, why in (
        ("challenge.failed_points=7", "cannot cost 'points 7 word'"),
        ("overtime.points=1", "no event may announce another"),
        ("clock.minutes=" + "9" * 5000, "cannot be"),
    ):
        with pytest.raises(TilewatchError, match=why) as raised:
            check(read_gcg(text.replace("tile-set=", f"{claim} tile-set=")))
        assert len(str(raised.value)) < 300
