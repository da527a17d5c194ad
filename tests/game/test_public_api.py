"""The public names of ``game``, and the examples of docs/game.md."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import game
from game import Game, TilewatchError, read_gcg, write_gcg

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "game.md"


def test_every_public_name_can_be_imported():
    for name in game.__all__:
        assert getattr(game, name).__name__ == name


def test_another_name_is_refused():
    with pytest.raises(AttributeError, match="no attribute 'Gaem'"):
        game.Gaem  # noqa: B018


def test_the_examples_of_the_guide():
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    results = doctest.testfile(str(GUIDE), module_relative=False, optionflags=flags)
    assert results.attempted > 20
    assert results.failed == 0


def test_a_word_may_be_written_with_or_without_the_tiles_that_lie_there():
    plain, dotted = Game(), Game()
    for one, word in ((plain, "TEN"), (dotted, ".EN")):
        one.play("8G", "CAT")
        one.play("I8", word)
    assert plain.board == dotted.board
    assert plain.scores == dotted.scores


@pytest.mark.parametrize(
    ("position", "word", "message"),
    [
        ("15N", "DOG", "runs off the board"),
        ("O14", "DOG", "runs off the board"),
        ("8G", "COT", "A lies on 8H"),
        ("8G", "CAT", "no new tile"),
        ("8F", ".CAT", "no tile lies on 8F"),
        ("16A", "CAT", "no such square"),
    ],
)
def test_what_cannot_be_played_is_refused_and_changes_nothing(position, word, message):
    one = Game()
    one.play("8G", "CAT")
    before = one.state
    with pytest.raises(TilewatchError, match=message):
        one.play(position, word)
    assert one.state == before


def test_there_must_be_a_play_to_challenge():
    with pytest.raises(TilewatchError, match="no play to challenge"):
        Game().challenge(succeeds=True)


def test_nobody_plays_on_after_the_end():
    one = Game()
    one.play("8G", "CAT")
    one.end()
    assert one.on_turn is None
    with pytest.raises(TilewatchError, match="the game is over"):
        one.play("I8", "TEN")


@given(
    st.lists(st.sampled_from(["pass", "exchange", "failed", "upheld"]), min_size=1, max_size=4),
    st.sampled_from(game.rulebook_ids()),
)
def test_a_game_comes_back_from_its_own_record(steps, rulebook):
    one = Game("Ann", "Bob", rulebook=rulebook)
    for number, step in enumerate(steps):
        if step == "pass":
            one.pass_turn()
        elif step == "exchange":
            one.exchange("AB")
        else:
            one.play(f"{8 + number}{'HIJKL'[number]}", "CAT")
            one.challenge(succeeds=step == "upheld")
    again = Game.from_record(read_gcg(write_gcg(one)))
    assert again.board == one.board
    assert dict(again.scores) == dict(one.scores)
