"""Every flag that asks for a fact takes the answer on the spot, under every rulebook."""

from __future__ import annotations

from importlib import import_module, resources

import pytest
from hypothesis import given

from game.adjudication.remedies import offers
from game.errors import TilewatchError
from game.events import (
    GameEnded,
    GameReopened,
    Retracted,
    SetAltered,
    SquareCorrected,
    from_payload,
)
from game.flags import CODES, QUESTIONS, make_flag
from game.guidance import CALL_DIRECTOR
from game.rulebooks.judging import judge
from game.rulebooks.loading import load_rulebook, parse_rulebook, rulebook_ids
from game.state.fold import apply, fold
from game.values import replace
from tests.game.answerkit import ASKING, LATER, SAID, entered, flagged

from .corpuskit import take
from .gamekit import Table, codes, random_game
from .scriptkit import after
from .test_properties import mischief, seeds, taken

BOOKS = rulebook_ids()
EVENT_OF = {
    "seats": "PlayersNamed",
    "letter": "BlankDesignated",
    "symbol": "SquareCorrected",
    "rack": "RackReported",
    "reason": "StopExplained",
    "ruling": "TurnRuled",
    "set": "SetAltered",
    "parting": "TurnParted",
    "ending": "GameEnded",
    "time": "UnseenTimeCharged",
}


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("code", CODES)
def test_a_flag_that_asks_for_a_fact_offers_to_enter_it(code, book):
    state, turn, flag = flagged(code, book)
    found = offers(state, turn, flag)
    assert len({one.id for one in found}) == len(found)
    asks = CODES[code].asks
    if asks is None:
        assert code not in QUESTIONS
        return
    entering = [
        one
        for one in found
        if one.open and one.event is not None and one.event["type"] == EVENT_OF[asks]
    ]
    assert entering, f"{code} under {book}: {[one.text for one in found]}"
    for one in entering:
        assert entered(state, one).progress.events[-1] == from_payload(
            {**one.event, **{n: SAID[n] for n in one.asks}, "by": "TD", "t_ns": LATER}
        )
    assert [one.text for one in found] != ["call the director"]


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("code", ["uncertain_square", "face_down"])
def test_a_question_about_no_square_in_particular_asks_for_the_square_too(code, book):
    state, turn, flag = flagged(code, book)
    flag = replace(flag, squares=())
    found = offers(state, replace(turn, flags=(flag,)), flag)
    assert ("square", "symbol") in [one.asks for one in found]
    assert {"TurnRuled"} < {one.event["type"] for one in found if one.event is not None}


def test_the_facts_that_are_asked_for_are_these():
    assert {code for code, known in CODES.items() if known.asks} == set(ASKING)
    assert set(ASKING) >= QUESTIONS


def asked(table: Table, code: str) -> dict:
    """The offers for the one such flag of the last turn or of the game, by their texts."""
    turn = table.state.turns[-1] if table.state.turns else None
    for holder, flags in ((turn, turn.flags if turn else ()), (None, table.state.flags)):
        for flag in flags:
            if flag.code == code:
                return {one.text: one for one in offers(table.state, holder, flag)}
    raise AssertionError(f"no flag {code}")


def test_a_blank_and_a_tile_face_down_are_answered_where_the_text_is_silent():
    table = after("8G C?T#")
    for code, text, asks in (
        ("blank_undesignated", "say which letter the blank on 8H is", ("letter",)),
        ("face_down", "say what lay on 8J", ("symbol",)),
    ):
        assert [(one.text, one.asks) for one in asked(table, code).values()] == [(text, asks)]


def test_the_question_of_a_rack_names_the_tiles_that_are_not_on_the_board():
    table = after("8I RATIUES, correct 1 8I=#", "bag=0")
    says = [one.says for one in asked(table, "rack_unknown").values() if one.asks == ("tiles",)]
    assert says == ["Not seen on the board: B, D, G, L, N, Q, R, V."]
    state = after("8G CAT, end out").state
    assert {one.says for one in offers(state, None, state.flags[0])} == {""}  # the bag is not empty


@pytest.mark.parametrize(
    ("code", "where", "word", "squares"),
    [
        ("gap", "9H", "O.E", ["9I"]),
        ("disconnected", "G10", "LOSE", ["9G"]),
        ("disconnected", "8K", "ON", ["8J"]),
        ("disconnected", "J10", "LOSE", []),
        ("disconnected", "10G", "ON", []),
    ],
)
def test_a_play_that_one_more_tile_joins_may_have_an_unseen_one(code, where, word, squares):
    table = after(f"8G CAT, {where} {word}")
    turn = table.state.turns[1]
    found = [one for one in asked(table, code).values() if one.asks == ("symbol",)]
    assert [one.event["square"] for one in found] == squares
    for one in found:
        event = SquareCorrected(turn.number, one.event["square"], "?", "TD", "seen", table.now)
        assert code not in codes(apply(table.state, event).turns[-1])


def test_a_rack_is_asked_of_both_where_nobody_is_out():
    found = asked(after("8G CAT, end out"), "rack_unknown").values()
    assert [(one.event["type"], one.event.get("side"), one.asks) for one in found] == [
        ("Retracted", None, ()),  # the game goes on
        ("RackReported", "left", ("tiles",)),
        ("RackReported", "left", ()),  # none left: they were counted
        ("RackReported", "right", ("tiles",)),
        ("RackReported", "right", ()),
        ("SetAltered", None, ("missing", "extra")),
    ]


def test_a_rack_that_is_not_as_long_as_is_due_can_be_confirmed_or_the_set_put_right():
    table = after("8I RATIUES, rack left - counted, rack right DNLGBV", "naspa-2017 bag=1")
    assert (table.state.end_reason, table.state.final) == ("out", False)
    assert [flag.visibility for flag in table.state.flags] == ["public"]
    found = asked(table, "rack_unknown")
    state = entered(table.state, found["Bo has 6 tiles left all the same: they were counted"])
    assert (state.flags, state.adjustments[0].points) == ((), 2 * 13)
    assert found["say which tiles the set lacks or has too many"].asks == ("missing", "extra")


def test_a_set_that_was_laid_out_with_a_tile_missing_may_be_the_one_in_use():
    table = after("8I RATIUES, set -V", "naspa-2017 bag=1")
    offered = [one for one in asked(table, "set_wrong").values() if one.event is not None]
    (offer,) = [one for one in offered if one.event["type"] == "SetAltered"]
    assert offer.text == "the game is played without V"
    state = entered(table.state, offer)
    assert (state.end_reason, state.flags) == ("out", ())
    assert state.adjustments[0].points == 40
    with pytest.raises(TilewatchError, match="no tile 'Q' to be missing"):
        table.put(SetAltered("QQ", "", "TD", "test", table.now))
    assert table.put(SetAltered("", "", "TD", "it was there", table.now)).status == "running"


def test_a_ruling_that_no_longer_fits_is_answered_with_another():
    steps = "8G CAT, rule 1 no_score, correct 1 8G=., correct 1 8H=., correct 1 8I=."
    table = after(steps)
    found = {one.event["ruling"]: one for one in asked(table, "ruling_ignored").values()}
    (turn,) = entered(table.state, found["pass"]).turns
    assert turn.kind == "pass"
    assert "ruling_ignored" not in codes(turn)


def test_whether_a_slip_ended_the_turn_is_answered_where_the_text_is_silent(monkeypatch):
    book = replace(load_rulebook("wespa-2007"), turn_ends=frozenset({"clock", "clock_stopped"}))
    monkeypatch.setattr(import_module("game.state.fold"), "load_rulebook", lambda _id: book)
    table = after("stop 8G CAT")
    assert codes(table.state.turns[0]) == ["stopped_on_turn"]
    found = {one.event["ruling"]: one for one in asked(table, "stopped_on_turn").values()}
    assert entered(table.state, found["undone"]).turns[0].kind == "undone"


@given(seeds)
def test_whatever_is_asked_in_a_game_can_be_answered(seed):
    state, _ = taken(random_game(seed).events + mischief(seed))
    for turn in (*state.turns, None):
        for flag in (state if turn is None else turn).flags:
            if "?" not in flag.message and flag.code not in QUESTIONS:
                continue
            assert CODES[flag.code].asks is not None, flag
            assert any(one.event is not None for one in offers(state, turn, flag)), flag


SILENT_BOOK = """
[flag.off_centre]
rule = "1.1"
[flag.tile_removed]
rule = "2.2"
seen_by = "opponent"
remedies = [{ who = "either", may = "put_back" }]
[flag.tile_removed_withdrawn]
rule = "2.3"
"""


def test_a_table_of_a_rulebook_takes_away_only_what_it_names():
    text = resources.files("game").joinpath("data", "rulebooks", "psa.toml").read_text("utf-8")
    book = parse_rulebook("toy", text[: text.index("[flag.")] + SILENT_BOOK)
    assert book.guide("off_centre").remedies == CALL_DIRECTOR
    assert book.guide("off_centre").rule == "1.1"
    plain, withdrawn = book.guide("tile_removed"), book.guide("tile_removed", "withdrawn")
    assert (withdrawn.rule, withdrawn.visibility) == ("2.3", "opponent")
    assert withdrawn.remedies == plain.remedies


def test_what_a_shipped_rulebook_has_no_table_for_is_judged_as_silent():
    book = load_rulebook("wespa-2007")
    flag = judge(make_flag("face_down", ("8H",)), book)
    assert (flag.rule, flag.remedies) == (None, CALL_DIRECTOR)


def test_an_answer_takes_the_question_away():
    table = after("8G C?T !misoriented_tile 8G")
    (offer,) = asked(table, "blank_undesignated").values()
    assert codes(entered(table.state, offer).turns[0]) == ["misoriented_tile"]
    table = after("8G CAT, neutral")
    (offer, *_) = asked(table, "clock_stopped").values()
    assert entered(table.state, offer).flags == ()
    with pytest.raises(TilewatchError):
        entered(table.state, replace(offer, event={**offer.event, "turn": 9}))


def test_a_tile_that_was_read_late_may_be_left_uncounted():
    table = after("8G C~T, 8H=A 9H=N 10H=E", "wespa-2021")
    before = dict(table.state.scores)
    found = asked(table, "uncertain_square")
    state = entered(table.state, found["leave the A on 8H uncounted"])
    assert state.scores == before
    (flag,) = [one for one in state.turns[1].flags if one.code == "uncertain_square"]
    assert flag.settled is not None
    counted = entered(table.state, found["count the A on 8H for turn 1"])
    assert counted.scores["left"] > before["left"]
    assert "count the blank A on 8H for turn 1" in asked(
        after("8G C~T, 8H=a 9H=N 10H=E", "wespa-2021"), "uncertain_square"
    )


@pytest.mark.parametrize(("guess", "words"), [("U", "U"), ("?", "a blank")])
def test_a_tile_that_was_turned_up_is_put_right_by_one_answer(guess, words):
    """What was entered while it lay face down was a guess."""
    table = after(f"8G C#T, correct 1 8H={guess}, 8H=A 9I=O", "wespa-2021")
    found = asked(table, "tile_replaced")
    text = f"8H was A all along: count it for turn 1 in place of {words}"
    state = entered(table.state, found[text])
    assert state.turns[0].word == "CAT"
    assert codes(state.turns[1]) == []


# A game that was ended for a reason that does not hold goes on, or ended otherwise.


def test_a_game_whose_last_play_came_off_can_go_on():
    table = after("8I RATIUES, end out", "bag=0")
    assert not table.state.ended_but_nobody_out
    take(table, "rule 1 challenge_upheld")
    state = table.state
    assert (state.status, state.end_reason) == ("ended", "out")
    assert state.ended_but_nobody_out
    (flag,) = state.flags
    offer = offers(state, None, flag)[0]
    assert offer.text == "the game goes on: take its end back"
    state = entered(state, offer)
    assert (state.status, state.end_reason, state.flags) == ("running", None, ())
    ruled = len(state.progress.events) - 1
    assert apply(state, Retracted(ruled, "TD", "it stood", LATER)).end_reason == "out"


def asked_how_it_ended(state):
    (flag,) = [one for one in state.flags if one.code == "not_scoreless"]
    return {one.id.rpartition(":")[2]: one for one in offers(state, None, flag)}


@pytest.mark.parametrize("book", BOOKS)
def test_an_end_by_scoreless_turns_that_were_too_few_can_be_put_right(book):
    table = after("8G CAT, -, -, end six_zeros", book)
    state = table.state
    flag = state.flags[0]
    assert "2 in a row are counted, 6 are needed" in flag.message
    assert flag.rule == load_rulebook(book).rule("scoreless.turns")
    found = asked_how_it_ended(state)
    assert [*found] == ["going_on", "confirmed", "shortened", "director"]
    later = entered(state, found["going_on"])
    assert (later.status, later.end_reason) == ("running", None)
    later = entered(state, found["shortened"])
    assert (later.status, later.end_reason) == ("ended", "shortened")
    assert "not_scoreless" not in [one.code for one in later.flags]
    assert later.progress.ended.t_ns == table.now  # it was over then
    last = len(later.progress.events)
    assert apply(later, Retracted(last, "TD", "a slip", LATER)).end_reason == "six_zeros"
    first = apply(later, Retracted(last - 1, "TD", "a slip", LATER))
    assert (first.status, first.end_reason) == ("ended", "shortened")
    assert fold(later.progress.events) == later


def test_an_end_that_took_the_place_of_another_is_taken_back_with_it():
    table = after("8G CAT, end director")
    for number in (0, 1, len(table.events) + 1):
        with pytest.raises(TilewatchError, match="did not end the game"):
            table.put(GameEnded("shortened", LATER, instead=number))
    state = table.put(GameEnded("six_zeros", LATER, instead=len(table.events)))
    later = entered(state, asked_how_it_ended(state)["going_on"])
    assert (later.status, later.end_reason) == ("running", None)


def test_enough_scoreless_turns_are_not_asked_about():
    table = after("-, -, -, -, -, -, end six_zeros", "naspa-2017")
    assert "not_scoreless" not in [one.code for one in table.state.flags]
    table.put(GameReopened("the game goes on", "TD", "", table.now))
    assert "not_scoreless" not in [one.code for one in table.end("six_zeros").flags]
