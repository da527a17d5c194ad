"""What an event announces: only what the text leaves to it, and the same at every door."""

from __future__ import annotations

from importlib import import_module, resources

import pytest

from game.errors import TilewatchError
from game.events import TurnRuled
from game.game import Game, read_gcg, write_gcg
from game.gcg import check, events_from_record, record_from_game
from game.rulebooks.announcing import announced, in_words, options
from game.rulebooks.loading import adjusted, load_rulebook, parse_rulebook, rulebook_ids
from game.state.fold import fold

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


@pytest.mark.parametrize(
    ("book", "wishes"),
    [
        ("naspa-2017", {"clock.minutes": 20, "leaving.resigning": "current_score"}),
        ("naspa-2017", {"challenge": "points 10 word", "clock.minutes": 15}),
        ("psa", {"challenge": "points 5 challenge"}),
    ],
)
def test_what_was_announced_goes_to_gcg_and_back(book, wishes):
    changes = announced(load_rulebook(book), wishes)
    table = Table(rulebook=book, adjust=changes)
    table.play("8G", "CAT")
    record = read_gcg(write_gcg(record_from_game(table.state)))
    assert dict(record.adjust) == changes
    assert check(record) == []
    again = fold(events_from_record(record))
    assert again.rulebook == table.state.rulebook
    assert again.clocks.remaining_ns["right"] == table.state.rulebook.clock_ns


def test_another_bonus_is_one_file(monkeypatch):
    """A bonus of 7 points a word, 14 at most, as the rulebook's file alone makes it."""
    book = parse_rulebook(
        "wespa-2007",
        text_of("wespa-2007").replace(
            "choices = { is = [", 'choices = { is = ["points 7 word up to 14", ', 1
        ),
    )
    for module in ("game.state.fold", "game.gcg.check"):
        monkeypatch.setattr(import_module(module), "load_rulebook", lambda _id: book)
    (offered,) = (one for one in options(book) if one.name == "challenge")
    assert "points 7 word up to 14" in offered.values
    changes = announced(book, {"challenge": "points 7 word up to 14"})
    table = Table(adjust=changes)
    table.play("8G", "CAT")
    table.play("9G", "ON")
    table.put(TurnRuled(2, "challenge_failed", "TD", "", table.now, words=3))
    assert table.state.turns[1].bonus == 14
    assert in_words(table.state.rulebook) == (
        "a challenge in vain costs 7 points for each word, 14 at most"
    )
    record = read_gcg(write_gcg(record_from_game(table.state)))
    assert check(record) == []
    assert Game.from_record(record).scores == table.state.scores
    assert dict(record.adjust) == changes


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
