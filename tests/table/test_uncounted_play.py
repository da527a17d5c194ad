"""A play on the board of a game without a clock that no turn has counted yet."""

from __future__ import annotations

import pytest

from game.adjudication.preview import difference
from game.events import ActionTaken, GameEnded, GameForfeited, from_payload
from table.desk import CountPlay, Ruling
from table.game_setup import GameSetup
from table.refusals import COUNTED, OTHER_GAME
from table.uncounted_play import uncounted
from tests.table.sessionkit import EMPTY, MS, opened

SEATS = {"left": "bottom", "right": "top"}


@pytest.fixture
def pending(sit, put):
    """Ann's CAT has been counted; Bob's TOXIN lies on the board and is worth more."""
    sat = sit(setup=GameSetup("english", "wespa-2007", hands=SEATS, first="left"))
    sat.video(1, EMPTY)
    first = put("8G", "CAT")
    sat.video(2, first)
    assert uncounted(sat.session.recorder) == ("8G C", "8H A", "8I T")
    assert sat.post(CountPlay("director: ann", "TD", "a look at the score")).done
    assert [(turn.side, turn.score) for turn in sat.state.turns] == [("left", 10)]
    assert uncounted(sat.session.recorder) == ()
    sat.both = put("I8", ".OXIN", first)
    sat.video(2, sat.both)
    return sat


def shown(sat, event):
    """A ruling by somebody who has looked at its effect."""
    found = difference(sat.state, event)
    return found, Ruling(sat.state.game_id, event, "director", found.digest())


ENDS = [
    GameEnded("confirmed", 9000 * MS, "TD", "both agree"),
    GameForfeited("left", "resigned", "TD", "Ann resigns", 9000 * MS),
]


@pytest.mark.parametrize("end", ENDS, ids=["ended", "resigned"])
def test_the_end_that_was_shown_without_the_last_play_is_shown_again_with_it(pending, end):
    before, ruling = shown(pending, end)
    assert uncounted(pending.session.recorder) == ("9I O", "10I X", "11I I", "12I N")
    refused = pending.post(ruling)
    assert (refused.done, refused.refused) == (False, COUNTED)
    assert (pending.state.status, len(pending.state.turns)) == ("running", 2)
    after, ruling = shown(pending, end)
    assert after.scores["right"][0] > before.scores["right"][0]
    pending.video(1, pending.both)
    assert pending.post(ruling).done
    assert pending.state.status == "ended"
    ended = after.scores["left"][1], after.scores["right"][1]
    assert (pending.state.scores["left"], pending.state.scores["right"]) == ended


def test_a_play_that_was_counted_first_is_in_what_the_end_shows(pending):
    wrong, _ = shown(pending, ENDS[0])
    assert wrong.facts["outcome"][1].startswith("left")
    assert pending.post(CountPlay("director: ann", "TD", "the game ends")).done
    right, ruling = shown(pending, ENDS[0])
    assert right.facts["outcome"][1].startswith("right")
    assert pending.post(ruling).done
    assert pending.state.outcome.winner == "right"
    logged = [from_payload(one.payload) for one in pending.log.events(pending.state.game_id)]
    noted = [one for one in logged if isinstance(one, ActionTaken)]
    assert [(one.action, one.by, one.why) for one in noted] == [
        ("count_play", "TD", "a look at the score"),
        ("count_play", "TD", "the game ends"),
    ]


def test_the_last_play_counts_where_no_effect_was_shown(pending):
    assert pending.rule(ENDS[0]).done
    assert (pending.state.status, len(pending.state.turns)) == ("ended", 2)
    assert uncounted(pending.session.recorder) == ()


def test_where_nothing_lies_uncounted_nothing_is_counted(pending):
    assert pending.post(CountPlay("director", "TD", "the game ends")).seq is not None
    answer = pending.post(CountPlay("director", "TD", "once more"))
    assert (answer.done, answer.seq) == (True, None)
    assert len(pending.state.turns) == 2
    other = CountPlay("director", "TD", "the game ends", "another")
    assert pending.post(other).refused == OTHER_GAME


def test_with_a_clock_its_press_counts(sit, put):
    sat = sit()
    opened(sat, put)
    assert uncounted(sat.session.recorder) == ()
    assert "its press counts" in sat.post(CountPlay("director")).refused
