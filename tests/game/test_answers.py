"""Every flag that asks for a fact takes the answer on the spot, under every rulebook."""

from __future__ import annotations

from importlib import import_module, resources

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from game.adjudication.remedies import offers
from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    Finding,
    RackReported,
    SetAltered,
    SetSeen,
    SquareCorrected,
    TurnRuled,
    from_payload,
)
from game.flags import CODES, QUESTIONS, make_flag
from game.guidance import CALL_DIRECTOR
from game.rulebooks.judging import judge
from game.rulebooks.loading import load_rulebook, parse_rulebook, rulebook_ids
from game.state.fold import apply, fold
from game.values import replace
from tests.game.answerkit import ASKING, LATER, SAID, entered, flagged

from .gamekit import Table, position, random_game
from .test_ending import out_table
from .test_properties import kept, mischief

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


def test_a_blank_and_a_tile_face_down_are_answered_where_the_text_is_silent():
    table = Table(rulebook="wespa-2007")
    table.play("8G", "C?T#")
    (blank, down) = table.state.turns[0].flags
    assert (blank.code, down.code) == ("blank_undesignated", "face_down")
    (offer,) = offers(table.state, table.state.turns[0], blank)
    assert (offer.text, offer.asks) == ("say which letter the blank on 8H is", ("letter",))
    (offer,) = offers(table.state, table.state.turns[0], down)
    assert (offer.text, offer.asks) == ("say what lay on 8J", ("symbol",))


def test_the_question_of_a_rack_names_the_tiles_that_are_not_on_the_board():
    table = out_table()
    turn = table.state.turns[-1]
    down = SquareCorrected(turn.number, next(iter(turn.tiles)), "#", "TD", "", table.now)
    state = table.put(down)
    (flag,) = state.flags
    unseen = sorted(tile for tile, count in state.unseen.items() for _ in range(count))
    (says,) = (one.says for one in offers(state, None, flag) if one.asks == ("tiles",))
    assert says == f"Not seen on the board: {', '.join(unseen)}."
    table = Table()
    table.play("8G", "CAT")
    state = table.end("out")
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
    table = Table(rulebook="wespa-2007")
    table.play("8G", "CAT")
    turn = table.play(where, word)
    (flag,) = (flag for flag in turn.flags if flag.code == code)
    found = [one for one in offers(table.state, turn, flag) if one.asks == ("symbol",)]
    assert [one.event["square"] for one in found] == squares
    for one in found:
        event = SquareCorrected(turn.number, one.event["square"], "?", "TD", "seen", table.now)
        assert code not in [flag.code for flag in apply(table.state, event).turns[-1].flags]


def test_a_rack_is_asked_of_both_where_nobody_is_out():
    table = Table()
    table.play("8G", "CAT")
    state = table.end("out")
    (flag,) = state.flags
    found = offers(state, None, flag)
    assert [(one.event["type"], one.event.get("side"), one.asks) for one in found] == [
        ("Retracted", None, ()),  # the game goes on
        ("RackReported", "left", ("tiles",)),
        ("RackReported", "left", ()),  # none left: they were counted
        ("RackReported", "right", ("tiles",)),
        ("RackReported", "right", ()),
        ("SetAltered", None, ("missing", "extra")),
    ]


def test_a_rack_that_is_not_as_long_as_is_due_can_be_confirmed_or_the_set_put_right():
    table = Table(rulebook="naspa-2017", rows=position(1))
    table.play("8I", "RATIUES")
    table.put(RackReported("left", "", table.now, counted=0))
    assert table.state.end_reason == "out"
    (flag,) = table.put(RackReported("right", "DNLGBV", table.now)).flags
    assert (flag.code, flag.visibility, table.state.final) == ("rack_unknown", "public", False)
    found = {one.text: one for one in offers(table.state, None, flag)}
    text = "Bo has 6 tiles left all the same: they were counted"
    state = entered(table.state, found[text])
    assert (state.flags, state.adjustments[0].points) == ((), 2 * 13)
    text = "say which tiles the set lacks or has too many"
    assert found[text].asks == ("missing", "extra")


def test_a_set_that_was_laid_out_with_a_tile_missing_may_be_the_one_in_use():
    table = Table(rulebook="naspa-2017", rows=position(1))
    table.play("8I", "RATIUES")
    counts = dict(table.state.tile_set.counts)
    counts["V"] -= 1
    table.put(SetSeen("".join(t * n for t, n in counts.items()), "TD", table.now))
    (flag,) = table.state.flags
    offered = [one for one in offers(table.state, None, flag) if one.event is not None]
    (offer,) = [one for one in offered if one.event["type"] == "SetAltered"]
    assert offer.text == "the game is played without V"
    state = entered(table.state, offer)
    assert (state.end_reason, state.flags) == ("out", ())
    assert state.adjustments[0].points == 40
    with pytest.raises(TilewatchError, match="no tile 'Q' to be missing"):
        table.put(SetAltered("QQ", "", "TD", "test", table.now))
    assert table.put(SetAltered("", "", "TD", "it was there", table.now)).status == "running"


def test_a_ruling_that_no_longer_fits_is_answered_with_another():
    table = Table()
    table.play("8G", "CAT")
    table.put(TurnRuled(1, "no_score", "TD", "", table.now))
    for name in ("8G", "8H", "8I"):
        table.put(from_payload(correction(name, table.now)))
    turn = table.state.turns[0]
    (flag,) = [one for one in turn.flags if one.code == "ruling_ignored"]
    (offer,) = [one for one in offers(table.state, turn, flag) if one.event["ruling"] == "pass"]
    state = entered(table.state, offer)
    assert state.turns[0].kind == "pass"
    assert "ruling_ignored" not in [one.code for one in state.turns[0].flags]


def correction(name: str, t_ns: int) -> dict:
    return {
        "type": "SquareCorrected", "turn": 1, "square": name, "symbol": ".", "by": "TD",
        "why": "", "t_ns": t_ns,
    }  # fmt: skip


def test_whether_a_slip_ended_the_turn_is_answered_where_the_text_is_silent(monkeypatch):
    book = replace(load_rulebook("wespa-2007"), turn_ends=frozenset({"clock", "clock_stopped"}))
    monkeypatch.setattr(import_module("game.state.fold"), "load_rulebook", lambda _id: book)
    table = Table()
    table.stop("8G", "CAT")
    turn = table.state.turns[0]
    (flag,) = turn.flags
    assert flag.code == "stopped_on_turn"
    found = {one.event["ruling"]: one for one in offers(table.state, turn, flag)}
    assert entered(table.state, found["undone"]).turns[0].kind == "undone"


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32))
def test_whatever_is_asked_in_a_game_can_be_answered(seed):
    events = random_game(seed).events + mischief(seed)
    state = fold(kept(events))
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
    table = Table()
    table.play("8G", "C?T", (Finding("misoriented_tile", "8G"),))
    turn = table.state.turns[0]
    (flag,) = [one for one in turn.flags if one.code == "blank_undesignated"]
    (offer,) = offers(table.state, turn, flag)
    assert "blank_undesignated" not in [
        one.code for one in entered(table.state, offer).turns[0].flags
    ]
    table = Table()
    for _ in range(6):
        table.nothing()
    assert [flag.code for flag in table.state.flags] == ["rack_unknown", "rack_unknown"]
    for side in ("left", "right"):
        table.put(RackReported(side, "EEEEEEE", table.now))
    assert table.state.flags == ()
    table = Table()
    table.play("8G", "CAT")
    table.put(ButtonPressed("neutral", table.now + 1))
    (offer, *_) = offers(table.state, None, table.state.flags[0])
    assert entered(table.state, offer).flags == ()
    with pytest.raises(TilewatchError):
        entered(table.state, replace(offer, event={**offer.event, "turn": 9}))


def test_a_tile_that_was_read_late_may_be_left_uncounted():
    table = Table(rulebook="wespa-2021")
    table.play("8G", "C~T")
    table.lay("8H=A", "9H=N", "10H=E")
    turn = table.state.turns[1]
    (flag,) = [one for one in turn.flags if one.code == "uncertain_square"]
    before = dict(table.state.scores)
    found = {one.id.rpartition(":")[2]: one for one in offers(table.state, turn, flag)}
    assert found["8H"].text == "count the A on 8H for turn 1"
    left = found["8H-left"]
    assert left.text == "leave the A on 8H uncounted"
    state = entered(table.state, left)
    assert state.scores == before
    (flag,) = [one for one in state.turns[1].flags if one.code == "uncertain_square"]
    assert flag.settled is not None
    assert entered(table.state, found["8H"]).scores["left"] > before["left"]


@pytest.mark.parametrize(
    ("word", "entered", "changes", "words"),
    [
        (
            "C#T",
            "?",
            ("8H=A", "9I=O"),
            "8H was A all along: count it for turn 1 in place of a blank",
        ),
        ("C~T", None, ("8H=a", "9H=N", "10H=E"), "count the blank A on 8H for turn 1"),
    ],
)
def test_answers_name_tiles_in_words(word, entered, changes, words):
    table = Table(rulebook="wespa-2021")
    table.play("8G", word)
    if entered is not None:
        table.put(SquareCorrected(1, "8H", entered, "TD", "seen", table.now))
    table.lay(*changes)
    turn = table.state.turns[1]
    assert words in [one.text for flag in turn.flags for one in offers(table.state, turn, flag)]


def test_a_tile_that_was_turned_up_is_put_right_by_one_answer():
    """What was entered while it lay face down was a guess."""
    table = Table(rulebook="wespa-2021")
    table.play("8G", "C#T")
    table.put(SquareCorrected(1, "8H", "U", "TD", "seen", table.now))
    table.lay("8H=A", "9I=O")
    turn = table.state.turns[1]
    (flag,) = [one for one in turn.flags if one.code == "tile_replaced"]
    found = {one.id.rpartition(":")[2]: one for one in offers(table.state, turn, flag)}
    assert found["8H-turned"].text == "8H was A all along: count it for turn 1 in place of U"
    state = entered(table.state, found["8H-turned"])
    assert state.turns[0].word == "CAT"
    assert [one.code for one in state.turns[1].flags] == []
