"""Scores and totals that both players agree on."""

from __future__ import annotations

import pytest

from game.errors import TilewatchError
from game.events import Retracted, ScoreAgreed
from game.gcg import parse, record_from_game, write

from .test_declared_events import played, with_rule


@pytest.mark.parametrize(("book", "rule"), with_rule("score_agreed"))
def test_a_turn_scores_what_both_players_agree_on_and_says_what_its_tiles_make(book, rule):
    table = played(book)
    made = table.state.turns[1].score
    before = table.state
    table.put(ScoreAgreed(2, "right", made + 7, "TD", "as written", table.now))
    turn = table.state.turns[1]
    assert (turn.score, turn.total) == (made + 7, made + 7)
    flag = next(one for one in turn.flags if one.code == "score_agreed")
    assert (flag.rule, str(made) in flag.message) == (rule, True)
    table.put(Retracted(len(table.events), "TD", "", table.now))
    assert table.state == before
    with pytest.raises(TilewatchError, match="turn 2 was Bo's"):
        table.put(ScoreAgreed(2, "left", 5, "TD", "", table.now))


@pytest.mark.parametrize(("book", "rule"), with_rule("score_agreed"))
def test_a_total_that_both_agree_on_stands_beside_the_turns(book, rule):
    table = played(book)
    total = table.state.scores["left"]
    table.put(ScoreAgreed(0, "left", total + 4, "TD", "", table.now))
    (line,) = table.state.adjustments
    assert (line.kind, line.points, line.rule) == ("agreed", 4, rule)
    assert table.play("10F", "BE").total == total + 4 + table.state.turns[-1].score


def test_a_game_record_says_in_a_note_what_was_agreed_on():
    table = played("wespa-2007")
    table.put(ScoreAgreed(0, "left", table.state.scores["left"] + 4, "TD", "", table.now))
    table.put(ScoreAgreed(2, "right", 50, "TD", "", table.now))
    text = write(record_from_game(table.state))
    assert "+4 points to Ann Lee: both players agreed on it (4.4)" in text
    assert "The players agree on 50 for turn 2" in text
    assert [line.points for line in table.state.adjustments] == [4]
    assert [entry.score for entry in parse(text).entries][-1] == 4


# Properties.
