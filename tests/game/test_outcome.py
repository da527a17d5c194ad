"""Who has won and by how much; however a game ends, its clocks stop with it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from game.adjudication.entries import check_entry
from game.adjudication.preview import difference
from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    GameEnded,
    GameForfeited,
    GameReopened,
    PointsAdjusted,
    ResultSigned,
    Retracted,
    SquareCorrected,
    StopExplained,
    TimePassed,
    TurnRuled,
)
from game.gcg import record_from_game, write
from game.rulebooks.loading import load_rulebook, rulebook_ids
from game.state.fold import GameState, ends_turn, fold
from game.state.outcome import played
from game.state.timed_rights import limit_ns, recount_refused, windows
from table.views.views import AUDIENCES, view

from .gamekit import SECOND, Table
from .scriptkit import after

V_K = "the difference of the scores, to which 50 points were added (rule V.K.2)"
AT_SCORE = "naspa-2017 leaving.resigning=current_score"
OUTCOMES = [
    # under what, what happens, who wins by how much, and how that is fixed
    ("wespa-2007", "8G CAT, 9G ON, end", None, 0, ""),
    ("wespa-2007", "8G CAT, 9G ON, penalty left 4, end", "right", 4, ""),
    ("wespa-2007", "8G CAT, forfeit left director 0", "right", 0, "set by the director"),
    ("wespa-2007", "8G CAT, forfeit right resigned", "left", None, "left to the director"),
    ("wespa-2007", "8G CAT, forfeit right resigned 70", "left", 70, "set by the director"),
    ("wespa-2007", "forfeit left both_absent", None, None, "left to the director"),
    (
        "wespa-2007 seconds=2200", "8G CAT, forfeit left overtime", "right", 100,
        "the lead as the limit was reached, 100 points at the least (rule 8.3)",
    ),
    (
        "wespa-2021 seconds=2200", "8G CAT, forfeit left overtime", "right", 100,
        "the difference of the scores, with the limit's points in them (rule 5.3.3)",
    ),
    (
        "wespa-2021", "8G CAT, forfeit right resigned", "left", 60,
        "the lead of 10 and 50 points more (rule 5.7(c))",
    ),
    (
        "wespa-2021", "8G CAT, forfeit left resigned", "right", 50,
        "50 points, as the winner did not lead (rule 5.7(c))",
    ),
    (
        "wespa-2021", "8G CAT, forfeit right resigned 150", "left", 150,
        "raised by the director (rule 5.7(d))",
    ),
    (
        "wespa-2021", "8G CAT, forfeit right left", "left", None,
        "left to the director (rule 5.7(d))",
    ),
    ("wespa-2021", "8G CAT, forfeit right director", "left", None, "left to the director"),
    (
        "psa", "8G CAT, forfeit right left", "left", 60,
        "the lead of 10 and 50 points more (rule 5.7)",
    ),
    (
        "psa", "late left 11, forfeit left late", "right", 150,
        "fixed by the rulebook (rule 2.3.6(a))",
    ),
    (
        AT_SCORE, "8G CAT, 9G ON, penalty right 3, forfeit right resigned", "left", 3,
        "the difference of the scores (rule I.B)",
    ),
    ("naspa-2017", "8G CAT, forfeit right resigned", "left", 60, V_K),
    ("naspa-2017", "8G CAT, forfeit left left", "right", 50, V_K),
    (
        "naspa-2017", "8G CAT, forfeit right resigned 150", "left", 60,
        f"{V_K}; the director raised what the loser's spread loses (rule V.K.3)",
    ),
    ("naspa-2017", "forfeit left absent", "right", 50, "fixed by the rulebook (rule V.K.1)"),
    (
        "naspa-2017", "forfeit left both_absent", None, 50,
        "a loss of 50 points for each player (rule III.C, V.K.1)",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("given", "steps", "winner", "margin", "basis"), OUTCOMES)
def test_who_has_won_and_how_the_spread_is_fixed(given, steps, winner, margin, basis):
    outcome = after(steps, given).state.outcome
    assert (outcome.winner, outcome.margin, outcome.basis) == (winner, margin, basis)
    how = steps.split(", ")[-1].split()
    due = "played" if how[0] == "end" else how[2].replace("overtime", "overtime_limit")
    assert outcome.kind == due


def test_no_director_sets_a_spread_below_nothing():
    with pytest.raises(TilewatchError, match="-1 is below 0"):
        after("8G CAT, forfeit left director -1")


@pytest.mark.parametrize(
    ("left", "right", "winner", "margin"),
    [(1, 0, "left", 1), (0, 1, "right", 1), (-3, -3, None, 0), (300, 299, "left", 1)],
)
def test_a_point_decides(left, right, winner, margin):
    outcome = played({"left": left, "right": right})
    assert (outcome.kind, outcome.winner, outcome.margin) == ("played", winner, margin)


# A game that was broken off has no winner, nothing to be signed, and no right to a recount.


def broken_off(book="wespa-2007", reason="broken off") -> Table:
    table = after("8G CAT, wait 1", book)
    table.put(GameEnded(reason, table.now, "TD", ""))
    return table


@pytest.mark.parametrize("book", rulebook_ids())
@pytest.mark.parametrize("reason", ["broken off", "set up anew"])
def test_nobody_has_won_and_nothing_is_to_be_asked_for(book, reason):
    state = broken_off(book, reason).state
    found = (state.status, state.no_result, state.final, state.outcome)
    assert found == ("ended", True, False, None)
    assert windows(state) == ()
    assert recount_refused(state) == "the game ended without a result"


@pytest.mark.parametrize("audience", AUDIENCES)
def test_no_audience_is_told_a_result(audience):
    shown = view(broken_off().state, audience)
    assert (shown["outcome"], shown["final"], shown["no_result"]) == (None, False, True)


def test_it_cannot_be_signed_until_somebody_says_how_it_ended():
    table = broken_off()
    with pytest.raises(TilewatchError, match="without a result, so there is nothing to sign"):
        check_entry(table.state, ResultSigned("both", table.now))
    table.put(GameEnded("director", table.now, "TD", "", instead=len(table.events)))
    check_entry(table.state, ResultSigned("both", table.now))
    assert table.state.outcome.winner == "left"


def test_a_log_in_which_one_was_signed_stays_readable_and_its_end_can_be_taken_back():
    table = broken_off()
    state = table.put(ResultSigned("both", table.now))
    assert (state.final, state.outcome) == (False, None)
    state = after("8G CAT, end broken_off, retract -1").state
    assert (state.status, state.no_result) == ("running", False)


def test_the_preview_of_it_says_no_result_and_nothing_of_a_final_one():
    table = after("8G CAT")
    found = difference(table.state, GameEnded("broken off", table.now))
    assert found.facts["outcome"] == (None, "no result")
    assert "final" not in found.facts
    table.put(GameEnded("broken off", table.now))
    found = difference(table.state, GameEnded("agreed", table.now, instead=len(table.events)))
    assert found.facts["outcome"][0] == "no result"


def test_its_record_says_so_and_is_no_whole_game():
    record = record_from_game(broken_off().state)
    assert record.incomplete
    assert "GCG cannot say this: the game was broken off: it has no result" in write(record)


BOOKS = rulebook_ids()
CAUSES = ("absent", "both_absent", "late", "left", "resigned", "overtime", "director")
few = settings(max_examples=settings.default.max_examples // 5)
"""As there are a hundred pairs of an ending and a rulebook."""
presses = st.lists(
    st.tuples(st.sampled_from(["left", "right", "neutral"]), st.integers(1, 4000)), max_size=6
)
"""Buttons, each with the seconds since the one before."""


def begun(book: str) -> Table:
    return after("8G CAT, 9G ON, wait 8", book)


def before_it_began(book: str) -> Table:
    table = Table(rulebook=book)
    table.state = fold(table.events[:1])
    table.events = table.events[:1]
    table.end("director")
    return table


def forfeited(cause: str) -> Callable[[str], Table]:
    def made(book: str) -> Table:
        if cause in ("absent", "both_absent"):
            return after(f"wait 8, forfeit left {cause}", book)
        if cause == "late" and load_rulebook(book).late_points:
            return after("wait 8, late left 11, forfeit left late", book)
        how = "director" if cause == "late" else cause
        return after(f"8G CAT, 9G ON, wait 8, forfeit left {how}", book)

    return made


def stopped(table: Table) -> Table:
    table.now += 3 * SECOND
    table.put(ButtonPressed("neutral", table.now))
    return table


def scoreless(book: str) -> Table:
    table = after("-, -, -, -, -, -", book)
    return stopped(table) if table.state.rulebook.scoreless_ends == "clock_stopped" else table


def played_out(book: str) -> Table:
    table = after("8I RATIUES", f"{book} bag=0")
    return stopped(table) if table.state.rulebook.out_stops == "opponent" else table


def found_out_later(book: str) -> Table:
    """The last play was misread; the opponent passed before anybody put it right."""
    table = stopped(after("8I RATIUE., -", f"{book} bag=0"))
    table.put(SquareCorrected(1, "8O", "S", "TD", "", table.now))
    return table


def over_the_limit(book: str) -> Table:
    table = after("8G CAT", book)
    table.now = limit_ns(table.state)
    table.put(TimePassed(table.now))
    if table.state.status != "ended":
        table.put(GameForfeited("right", "overtime", "TD", "", table.now))
    return table


def signed(book: str) -> Table:
    table = played_out(book)
    table.put(ResultSigned("both", table.now))
    return table


ENDINGS: dict[str, Callable[[str], Table]] = {
    "director": lambda book: after("8G CAT, 9G ON, wait 8, end director", book),
    "shortened": lambda book: after("8G CAT, 9G ON, wait 8, end shortened", book),
    "before it began": before_it_began,
    "six_zeros": scoreless,
    "out": played_out,
    "out and stopped": lambda book: after("stop 8I RATIUES", f"{book} bag=0"),
    "out by a correction": found_out_later,
    "overtime_limit": over_the_limit,
    "signed": signed,
    **{f"forfeit: {cause}": forfeited(cause) for cause in CAUSES},
}


def shown(state):
    return state.clocks.running, dict(state.clocks.remaining_ns)


def pressed(table: Table, buttons) -> None:
    for button, seconds in buttons:
        table.now += seconds * SECOND
        table.put(ButtonPressed(button, table.now))


def may_restart(state) -> bool:
    """True if the opponent's clock may be started again: to hold or challenge the last play."""
    by_itself = state.end_reason == "out" and not state.settled and state.signed is None
    return by_itself and state.rulebook.out_stops == "player"


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("ending", ENDINGS)
@few
@given(presses)
def test_no_press_starts_a_clock_after_the_end_and_no_time_passes(ending, book, buttons):
    table = ENDINGS[ending](book)
    end = table.state
    assert end.status == "ended"
    assert end.clocks.running is None
    if may_restart(end):
        out = next(turn.side for turn in end.turns if not turn.rack_count)
        buttons = [(button, seconds) for button, seconds in buttons if button != out]
    pressed(table, buttons)
    assert_as_at(end, table)
    assert fold(table.events) == table.state
    if end.signed is None:  # else nothing but a reopening is taken
        table.put(TimePassed(table.now + 4000 * SECOND))
        assert_as_at(end, table)


def assert_as_at(end: GameState, table: Table) -> None:
    state = table.state
    assert shown(state) == shown(end)
    for name in ("status", "end_reason", "outcome", "scores", "adjustments", "flags", "forfeit"):
        assert getattr(state, name) == getattr(end, name), name
    assert limit_ns(state) is None


@pytest.mark.parametrize("book", BOOKS)
@few
@given(presses, st.sampled_from(["director", *(f"forfeit: {cause}" for cause in CAUSES)]))
def test_an_end_that_is_taken_back_leaves_the_clocks_as_they_stood(book, buttons, ending):
    for undo in ("retract", "reopen"):
        table = ENDINGS[ending](book)
        end, number = table.state, len(table.events)
        pressed(table, buttons)
        if undo == "retract":
            table.put(Retracted(number, "TD", "a slip", table.now))
        elif ending == "forfeit: resigned" and not end.rulebook.resigned_resumes:
            with pytest.raises(TilewatchError, match="cannot be resumed"):
                table.put(GameReopened("the game goes on", "TD", "", table.now))
            continue
        else:
            table.put(GameReopened("the game goes on", "TD", "", table.now))
        state = table.state
        assert (state.status, state.end_reason) == ("running", None)
        assert shown(state) == shown(end)
        assert state.on_turn == "left"
        assert fold(table.events) == state
        table.now += 600 * SECOND
        table.put(ButtonPressed("right", table.now))
        assert table.state.clocks.running == "left"
        assert ends_turn(table.state, "left") == "left"
        assert table.state.clocks.remaining_ns == end.clocks.remaining_ns
        assert table.play("10G", "DO").clock_ns == end.clocks.remaining_ns["left"] - 30 * SECOND


def test_an_end_that_is_taken_back_again_and_again():
    table = begun("wespa-2007")
    before = shown(table.end("director"))
    number = len(table.events)
    pressed(table, [("left", 9), ("right", 9)])
    table.put(Retracted(number, "TD", "", table.now))
    pressed(table, [("right", 5), ("neutral", 7)])
    left = before[1]["left"] - 7 * SECOND
    assert shown(table.state) == (None, {**before[1], "left": left})
    table.end("director")
    number = len(table.events)
    pressed(table, [("left", 900), ("right", 900)])
    assert shown(table.put(Retracted(number, "TD", "", table.now)))[1]["left"] == left
    assert fold(table.events) == table.state


@pytest.mark.parametrize("book", [one for one in BOOKS if load_rulebook(one).out_stops == "player"])
def test_whoever_is_out_may_start_the_opponents_clock_again_and_nothing_else(book):
    table = played_out(book)
    end = dict(table.state.clocks.remaining_ns)
    pressed(table, [("left", 6)])
    assert table.state.clocks.running == "right"
    pressed(table, [("left", 4), ("right", 10), ("right", 10)])
    gone = {**end, "right": end["right"] - 14 * SECOND}
    assert shown(table.state) == (None, gone)
    pressed(table, [("left", 6), ("neutral", 5)])
    assert shown(table.state) == (None, {**gone, "right": gone["right"] - 5 * SECOND})
    assert table.state.status == "ended"


@pytest.mark.parametrize("book", BOOKS)
@few
@given(presses)
@example([("right", 900), ("neutral", 2500)])  # past the limit on overtime, had the game gone on
def test_a_last_play_that_is_ruled_off_leaves_the_clocks_as_they_stood(book, buttons):
    table = ENDINGS["out and stopped"](book)
    end = table.state
    if may_restart(end):
        buttons = [(button, seconds) for button, seconds in buttons if button != "left"]
    pressed(table, buttons)
    state = table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    assert (state.status, state.on_turn) == ("running", "right")
    assert shown(state) == shown(end)


def test_a_game_that_was_not_over_after_all_has_used_the_time_that_the_presses_say():
    table = played_out("wespa-2007")
    end = dict(table.state.clocks.remaining_ns)
    pressed(table, [("left", 1), ("right", 20)])
    assert table.state.status == "ended"
    state = table.put(SquareCorrected(1, "8O", ".", "TD", "a shadow", table.now))
    assert state.status == "running"
    assert state.clocks.running == "left"
    # The press that ended the play had started it, and the one a second later changed nothing.
    assert state.clocks.remaining_ns == {**end, "right": end["right"] - 21 * SECOND}
    table = scoreless("naspa-2017")
    end = dict(table.state.clocks.remaining_ns)
    pressed(table, [("right", 4), ("neutral", 6)])
    state = table.put(StopExplained(6, "director", "TD", "", table.now))
    assert state.status == "running"
    assert state.clocks.remaining_ns == {**end, "left": end["left"] - 6 * SECOND}


def test_the_end_of_six_scoreless_turns_stays_where_it_was_when_another_press_comes():
    table = scoreless("wespa-2007")
    end = table.state
    pressed(table, [("left", 8), ("right", 2000), ("neutral", 5)])
    assert shown(table.state) == shown(end)
    assert table.state.scores == end.scores
    turn = table.play("8G", "CAT")  # nobody had noticed, but it was over
    assert turn.kind == "no_score"
    assert table.state.status == "ended"
    assert shown(table.state) == shown(end)
    state = table.put(TurnRuled(7, "play", "TD", "let it stand", table.now))
    assert (state.status, state.scores["left"]) == ("running", 10)  # and its time counts


def test_presses_after_the_end_are_kept_in_the_record():
    table = ENDINGS["director"]("wespa-2007")
    pressed(table, [("left", 8)])
    assert table.state.progress.events[-1] == ButtonPressed("left", table.now)
    assert ends_turn(table.state, "right") is None


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("ending", [scoreless, played_out])
def test_agreeing_on_a_result_after_presses_keeps_the_time_at_the_end(ending, book):
    table = ending(book)
    end = table.state
    pressed(table, [("right", 8), ("neutral", 1)])
    agreed = table.put(GameEnded(end.end_reason, table.now))
    assert (shown(agreed), agreed.scores) == (shown(end), end.scores)


SIGNED_GROUNDS = [(book, g) for book in BOOKS for g in sorted(load_rulebook(book).signed_grounds)]


@pytest.mark.parametrize(("book", "ground"), SIGNED_GROUNDS)
@pytest.mark.parametrize("ending", ["director", "forfeit: left", "forfeit: both_absent"])
def test_an_end_is_taken_back_after_it_was_signed_and_opened_again(book, ground, ending):
    table = ENDINGS[ending](book)
    before, number = fold(table.events[:-1]), len(table.events)
    table.put(ResultSigned("both", table.now))
    table.put(GameReopened(ground, "TD", "", table.now))
    assert table.state.status == "ended"
    if ground in load_rulebook(book).signed_report_only:
        return
    state = table.put(Retracted(number, "TD", "", table.now))
    assert (state.status, state.end_reason, state.signed) == (before.status, None, None)
    assert state.scores == before.scores
    assert fold(table.events) == state


def test_a_reopening_that_came_before_a_taken_back_end_opens_nothing():
    table = after("8G CAT, end director")
    table.put(GameReopened("the game goes on", "TD", "", table.now))
    assert (table.state.status, table.state.end_reason) == ("running", None)
    table.put(Retracted(len(table.events) - 1, "TD", "a slip", table.now))
    assert (table.state.status, table.state.end_reason) == ("running", None)
    assert table.end("director").status == "ended"


def test_a_signature_that_was_opened_again_is_not_taken_back_too():
    table = begun("wespa-2021")
    table.end("director")
    table.put(ResultSigned("both", table.now))
    number = len(table.events)
    ground = sorted(load_rulebook("wespa-2021").signed_grounds)[0]
    opened = GameReopened(ground, "TD", "", table.now)
    assert difference(table.state, opened).facts["opened"] == (False, True)
    table.put(opened)
    back = Retracted(number, "TD", "", table.now)
    with pytest.raises(TilewatchError, match="no longer counts, as the result was opened again"):
        difference(table.state, back)
    table.put(back)  # a log that has it is still read


def test_a_reopening_is_not_left_out_where_the_game_had_ended_by_itself():
    """It stopped the clocks: without it a player would pay for the pause."""
    table = after("-, -, -, -, -, 8G CAT, rule 6 challenge_upheld, wait 600", "wespa-2021")
    number = len(table.events)
    assert table.state.end_reason == "six_zeros"
    table.put(GameReopened("the game goes on", "TD", "", table.now))
    with pytest.raises(TilewatchError, match="only a game that has ended can be reopened"):
        table.put(Retracted(number, "TD", "", table.now))


# A signed result, on the grounds of a text or where the record is wrong.


@pytest.mark.parametrize("book", BOOKS)
def test_a_record_that_is_not_what_was_signed_is_put_right_under_any_text(book):
    table = after("8G CAT, end director, sign", book)
    rulebook = load_rulebook(book)
    if "record_wrong" not in rulebook.signed_grounds:
        with pytest.raises(TilewatchError, match="say what in the record"):
            table.put(GameReopened("record_wrong", "TD", " ", table.now))
    rule = re.escape(f"({rulebook.rule('signed.grounds')})")
    with pytest.raises(TilewatchError, match=f"there is no other {rule}"):
        table.put(GameReopened("other", "TD", "a wrong sum found at home", table.now))
    state = table.put(GameReopened("record_wrong", "Tess", "signed at the wrong table", table.now))
    assert (state.signed, state.status) == (None, "ended")
    flags = [flag for flag in state.flags if flag.code == "reopened_unlisted"]
    if "record_wrong" in rulebook.signed_grounds:
        assert (book, flags) == ("sanspa-2001", [])
    else:
        (flag,) = flags
        assert flag.message.startswith("Tess opened the signed result")
        assert flag.message.endswith("do not list: signed at the wrong table")
        assert (flag.rule, flag.visibility) == (rulebook.rule("signed.grounds"), "director")
    before = state.scores["left"]
    table.put(PointsAdjusted("left", 5, "score", None, "TD", "as signed", table.now))
    state = table.put(ResultSigned("both", table.now))
    assert state.scores["left"] == before + 5
    assert len([one for one in state.flags if one.code == "reopened_unlisted"]) == len(flags)
    assert fold(table.events) == state
