"""Reports: refused or flagged under every rulebook, and every offer for one can be entered."""

from __future__ import annotations

import pytest

from game.adjudication.remedies import ASKED, offers
from game.errors import TilewatchError
from game.events import (
    ClockAdjusted,
    GameForfeited,
    PenaltyAdded,
    PointsAdjusted,
    Reported,
    from_payload,
)
from game.flag_codes import REPORTABLE, REPORTED
from game.rulebooks.loading import load_rulebook, rulebook_ids
from game.state.fold import apply, fold

from .gamekit import SECOND
from .scriptkit import after

KNOWN = [
    (book, what)
    for book in rulebook_ids()
    for what in sorted(REPORTABLE)
    if what in load_rulebook(book).guidance
]
UNKNOWN = [
    (book, what)
    for book in rulebook_ids()
    for what in sorted(REPORTABLE)
    if (book, what) not in KNOWN and what != "board_upset"
]
TURN = {"returned": ("right", 1), "misadjudicated": ("left", 1)}


def reported(book: str, what: str):
    """A table at which the first play came off, or stands, and this was reported."""
    off = ", rule 1 challenge_upheld, 9G ARS" if what == "misadjudicated" else ", 9G ARS"
    over = ", agree 0 right 10, end" if what.startswith("recount") else ""
    table = after(f"8G CAT{off}{over}", book)
    side, turn = TURN.get(what, ("right", 2))
    table.put(Reported(what, side, "TD", "seen", table.now, turn=turn))
    return table


def flag_of(state, what: str):
    return next(flag for flag in state.flags if flag.code == what)


@pytest.mark.parametrize(("book", "what"), UNKNOWN)
def test_what_a_rulebook_has_no_rule_on_is_refused_in_one_line(book, what):
    with pytest.raises(TilewatchError, match=f"{book} has no rule on {REPORTED[what].meaning}"):
        reported(book, what)


def test_that_the_board_was_upset_may_be_reported_under_any_text():
    flag = flag_of(reported("psa", "board_upset").state, "board_upset")
    assert (flag.rule, flag.message) == (None, "The board was upset by accident.")


@pytest.mark.parametrize(("book", "what"), KNOWN)
def test_it_is_flagged_for_the_director_with_the_rule_and_every_offer_can_be_entered(book, what):
    table = reported(book, what)
    state = table.state
    flag = flag_of(state, what)
    assert (flag.rule, flag.visibility, flag.settled) == (
        load_rulebook(book).guidance[what].rule, "director", None,
    )  # fmt: skip
    assert "{" not in flag.message
    assert flag.message.endswith(".")
    found = offers(state, None, flag)
    assert [one.text for one in found]
    for one in found:
        if one.event is None:
            continue
        typed = {"points": 20, "added_ns": 30 * SECOND}
        filled = {**one.event, **{name: typed[name] for name in one.asks}}
        assert ASKED not in filled.values()
        given = {name: value for name, value in {"by": "TD", "why": "so"}.items() if name in filled}
        event = from_payload({**filled, **given, "t_ns": table.now})
        later = apply(state, event)
        settles = not (isinstance(event, PointsAdjusted) and event.on == "score")
        assert (flag_of(later, what).settled is not None) == settles, one.text
        assert fold(later.progress.events) == later


@pytest.mark.parametrize(
    ("what", "cause", "answers"),
    [
        ("unethical", "director", True),
        ("unethical", "left", False),
        ("overdrawn", "director", False),
        ("cheating", "director", True),
    ],
)
def test_a_forfeit_answers_what_the_text_lets_a_director_forfeit_a_game_for(what, cause, answers):
    table = after("8G CAT, 9G ARS", "wespa-2021")
    table.put(Reported(what, "right", "TD", "seen", table.now))
    state = table.put(GameForfeited("right", cause, "TD", "so", table.now))
    assert (flag_of(state, what).settled is not None) == answers


def test_two_players_reported_for_one_thing_are_two_cases():
    table = reported("sanspa-2001", "score_unrecorded")
    table.put(Reported("score_unrecorded", "left", "TD", "seen", table.now))
    table.put(PointsAdjusted("left", -50, "spread", "7.5", "TD", "again", table.now))
    open_ = [flag.side for flag in table.state.flags if flag.settled is None]
    assert open_ == ["right"]


def test_points_and_time_for_something_else_answer_nothing():
    table = reported("wespa-2021", "unethical")
    table.put(PenaltyAdded("right", 20, None, "TD", "something else", table.now))
    table.put(PenaltyAdded("left", 20, "6.3.3(b)(iii)", "TD", "the other player", table.now))
    table.put(ClockAdjusted("left", SECOND, "4.10", "TD", "something else", table.now))
    assert flag_of(table.state, "unethical").settled is None


def test_the_turn_that_a_report_is_about_has_to_be_there():
    table = after("8G CAT", "wespa-2021")
    with pytest.raises(TilewatchError, match="there is no turn 2; 1 have been seen"):
        table.put(Reported("unethical", "left", "TD", "", table.now, turn=2))
    with pytest.raises(TilewatchError, match=r"Reported\.what: 'rudeness' is not a code"):
        table.put(Reported("rudeness", "left", "TD", "", table.now))
    with pytest.raises(TilewatchError, match="turn 1 is no play that Ann Lee saw"):
        other = after("8G CAT", "naspa-2017")
        other.put(Reported("returned", "left", "TD", "", other.now, turn=1))


def test_every_kind_has_a_sentence():
    assert all(kind.messages and kind.reported for kind in REPORTED.values())
