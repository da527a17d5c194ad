"""Offers: every remedy and every answer can be pressed, and pressing it does what it says."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib import import_module, resources

import pytest
from hypothesis import example, given

from game.adjudication.remedies import ASKED, offers, rulings
from game.errors import TilewatchError
from game.events import (
    GameEnded,
    GameReopened,
    HoldCalled,
    Retracted,
    SetAltered,
    SquareCorrected,
    TurnRuled,
    from_payload,
)
from game.flags import CODES, QUESTIONS, make_flag
from game.guidance import CALL_DIRECTOR, Remedy, by_name
from game.rulebooks.judging import judge
from game.rulebooks.loading import load_rulebook, parse_rulebook, rulebook_ids
from game.state.fold import apply, fold
from game.values import replace
from tests.game.answerkit import ASKING, EVENT_OF, LATER, SAID, entered, flagged

from .corpuskit import take
from .gamekit import SECOND, Table, codes, random_game
from .scriptkit import after
from .test_properties import mischief, seeds, taken

ANSWERS = {"letter": "E", "symbol": "E", "tiles": "EE"}


def pressed(table, offer, **output):
    """The state after somebody pressed an offer."""
    event = dict(offer.event)
    for name in offer.asks:
        assert event[name] == ASKED
        event[name] = output.get(name, ANSWERS[name])
    for name, value in (("by", "TD"), ("t_ns", table.now)):
        if name in event:
            assert event[name] in ("", 0)  # left for whoever presses
            event[name] = value
    return apply(table.state, from_payload(event))


def offered(table, code, turn=-1):
    """The offers for the flag of that code, by the end of their ids."""
    state = table.state
    if turn is None:
        turn_, among = None, state.flags
    else:
        turn_ = state.turns[turn]
        among = turn_.flags
    (flag,) = (one for one in among if one.code == code)
    found = offers(state, turn_, flag)
    assert len({one.id for one in found}) == len(found)
    json.dumps([asdict(one) for one in found])
    return {one.id.split(":", 3)[3]: one for one in found}


def test_an_opening_off_the_centre_is_challenged_off_by_the_opponent():
    table = after("7G CAT", "naspa-2017")
    offer = offered(table, "off_centre")["challenge_off"]
    assert (offer.who, offer.side, offer.open, offer.rule) == ("opponent", "right", True, "III.G.1")
    assert offer.id == "1:off_centre:0:challenge_off"
    assert pressed(table, offer).turns[0].kind == "challenge_upheld"
    table.play("8G", "ON")
    assert not offered(table, "off_centre", 0)["challenge_off"].open
    table = after("7G CAT, end, sign", "naspa-2017")
    assert not any(offer.open for offer in offered(table, "off_centre").values())


def test_a_remedy_names_the_players():
    names = {"left": "Ann", "right": "Bo"}
    text = "take points off the player's score, once the opponent agrees"
    named = "take points off Bo's score, once Ann agrees"
    assert by_name(text, names, "right") == named
    assert by_name(text, names, None) == text
    assert by_name("the players agree", names, "left") == "the players agree"


def test_until_when_is_counted_from_the_turn_that_has_the_flag():
    """The tiles of the play before lie there yet."""
    table = after("8G CAT, 9G ON, rule 2 challenge_upheld, 10G BE", "naspa-2017")
    limits = {one.until for one in offered(table, "withdrawn_left").values()} - {""}
    assert limits == {"until Bo ends the next turn"}


def test_an_announced_illegal_play_is_one_event():
    table = after("8G CAT, 1A DOG", "naspa-2017")
    found = offered(table, "disconnected")
    assert pressed(table, found["announce"]).turns[1].kind == "illegal_play"
    assert found["remove_tiles"].event is None  # what follows from the announcement
    assert found["points_lost"].event is None


def minutes_given(table, offer) -> dict[str, int]:
    """The seconds that an offer gives to each player."""
    before, later = (state.clocks.remaining_ns for state in (table.state, pressed(table, offer)))
    return {side: (later[side] - before[side]) // SECOND for side in before}


def test_three_slips_give_a_minute_or_take_one():
    plays = ("9G ON !misoriented_tile 9G", "10G AS !misoriented_tile 10G")
    steps = ", -, ".join(("8G CAT", *plays, "11G AS !misoriented_tile 11G"))
    table = after(steps, "naspa-2017")
    found = offered(table, "minor_infractions")
    assert minutes_given(table, found["extra_minute"]) == {"left": 0, "right": 60}
    assert minutes_given(table, found["extra_minute:1"]) == {"left": -60, "right": 0}
    assert "Ann Lee loses it" in found["extra_minute:1"].text


def test_a_late_player_may_forfeit_and_a_rack_is_asked_for():
    table = after("late left 12")
    state = pressed(table, offered(table, "late_start", None)["forfeit"])
    assert (state.outcome.winner, state.outcome.margin) == ("right", 75)
    table = after("-, -, -, -, -, -")
    asked = [
        offer
        for flag in table.state.flags
        for offer in offers(table.state, None, flag)
        if offer.asks
    ]
    assert [offer.text for offer in asked] == ["say what Ann Lee has left", "say what Bo has left"]
    for offer in asked:
        table.state = pressed(table, offer)
    assert [flag.message for flag in table.state.flags] == [
        f"{name}'s rack was reported as EE, which is 2 tiles; by counting 7 are due."
        for name in ("Ann Lee", "Bo")
    ]


@pytest.mark.parametrize("book", rulebook_ids())
def test_a_turn_can_be_ruled_whatever_it_is_said_to_be_able_to(book):
    table = after("8G CAT, -", book)
    for turn in table.state.turns:
        words = rulings(table.state, turn)
        assert ("illegal_play" in words) == (book == "naspa-2017")
        for ruling in words:
            event = TurnRuled(turn.number, ruling, "TD", "", table.now)
            assert apply(table.state, event).turns[turn.number - 1].number == turn.number
        with pytest.raises(TilewatchError):
            apply(table.state, TurnRuled(turn.number + 5, "pass", "TD", "", table.now))


@pytest.mark.parametrize("book", ["naspa-2017", "wespa-2021"])
def test_thirty_points_are_counted_once_an_exchange_is_found_late_and_never_offered(book):
    table = after("-, rule 1 exchange", f"{book} bag=6")
    found = offered(table, "exchange_too_late")["deduct"]
    assert (found.event, found.open) == (None, False)
    table = after("-, 8I RATIUES, rule 1 exchange", f"{book} bag=6")
    assert table.state.scores["left"] == -30
    assert offered(table, "exchange_too_late", 0)["deduct"].event is None


def test_the_limit_of_a_right_is_given_as_a_moment_where_time_ends_it():
    table = after("10H RATIUES", "naspa-2017 bag=0")  # the last play, and it joins nothing
    found = offered(table, "disconnected")
    assert found["announce"].until_ns == table.now + 20 * SECOND
    assert found["remove_tiles"].until_ns is None
    table = after("7G CAT", "sanspa-1999")
    assert offered(table, "off_centre")["challenge_off"].until_ns is None
    table.put(HoldCalled(1, "right", table.now + SECOND))
    assert offered(table, "off_centre")["challenge_off"].until_ns == table.now + 21 * SECOND
    table.play("8G", "ON")
    table.put(HoldCalled(2, "left", table.now))
    assert offered(table, "off_centre", 0)["challenge_off"].until_ns is None


def test_why_the_clock_stands_is_answered_in_the_rulebooks_words():
    table = after("8G CAT, neutral")
    found = offered(table, "clock_stopped", None)
    listed = {"challenge", "director", "late_arrival", "out", "overdraw", "score", "six_zeros"}
    assert set(found) == {*listed, "absence", "other"}
    assert pressed(table, found["score"]).flags == ()
    (flag,) = pressed(table, found["other"]).flags
    assert (flag.code, flag.rule, flag.turn) == ("stop_unlisted", "5.1", 1)


@pytest.mark.parametrize(
    ("code", "tiles"),
    [("withdrawn_left", "7H=A"), ("tile_removed", "9G=. 9H=. 8I=. 7G=A")],
)
def test_the_minute_for_a_board_left_wrong_goes_to_the_challenger(code, tiles):
    table = after(f"8G CAT, -, -, 9G ON, rule 4 challenge_upheld, {tiles}", "naspa-2017")
    offer = offered(table, code)["extra_minute"]
    assert (offer.who, offer.side, offer.rule) == ("opponent", "left", "III.G.6")
    assert minutes_given(table, offer) == {"left": 60, "right": 0}


@pytest.mark.parametrize(
    ("remedy", "text"),
    [
        (
            Remedy("opponent", "challenge_off", "drawn", "III.G.1", "at once"),
            "opponent: challenge the whole play off the board, whatever the word, until the first "
            "new tile is drawn; at once (III.G.1)",
        ),
        (Remedy("director", "warn", "", None), "director: warn the player"),
        (
            Remedy("either", "put_back", "", "7.2"),
            "either: put the tiles back where they lay (7.2)",
        ),
        (
            Remedy("player", "show_rack", "signed", None),
            "player: show the tiles left, until the result is signed",
        ),
    ],
)
def test_a_remedy_in_words(remedy, text):
    assert str(remedy) == text


BOOKS = rulebook_ids()


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


def test_the_question_of_a_rack_names_the_tiles_that_are_not_on_the_board():
    table = after("8I RATIUES, correct 1 8I=#", "bag=0")
    says = [one.says for one in asked(table, "rack_unknown").values() if one.asks == ("tiles",)]
    assert says == ["Not seen on the board: B, D, G, L, N, Q, R, V."]
    state = after("8G CAT, end out").state
    assert {one.says for one in offers(state, None, state.flags[0])} == {""}  # the bag is not empty


def test_too_many_of_a_letter_asks_which_of_them_is_misread_or_of_another_set():
    table = after("8G WAT, correct 1 8G=Z, 9H Z, 7J NO")
    found = offered(table, "extra_tile", 1)
    asked = [one.event["square"] for one in found.values() if one.asks == ("symbol",)]
    assert asked == ["8G", "9H"]
    assert found["8G-read"].text == "8G was W, as the camera read it"
    state = entered(table.state, found["8G-read"])
    assert (state.turns[0].word, state.turns[1].flags) == ("WAT", ())
    assert "extra_tile" in QUESTIONS
    assert found["set"].asks == ("missing", "extra")
    table.put(SetAltered("", "Z", "TD", "it has two", table.now))
    assert table.state.turns[1].flags == ()


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


def test_whether_a_slip_ended_the_turn_is_answered_where_the_text_is_silent(monkeypatch):
    book = replace(load_rulebook("wespa-2007"), turn_ends=frozenset({"clock", "clock_stopped"}))
    monkeypatch.setattr(import_module("game.state.start_events"), "load_rulebook", lambda _id: book)
    table = after("stop 8G CAT")
    assert codes(table.state.turns[0]) == ["stopped_on_turn"]
    found = {one.event["ruling"]: one for one in asked(table, "stopped_on_turn").values()}
    assert entered(table.state, found["undone"]).turns[0].kind == "undone"


@given(seeds)
@example(383)  # too many of a letter, in a turn whose squares are not known
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


# A game that was ended for a reason that does not hold goes on, or ended otherwise.


def test_a_game_whose_last_play_came_off_can_go_on():
    table = after("8I RATIUES, end out", "bag=0")
    assert not table.state.ended_but_nobody_out
    take(table, "rule 1 challenge_upheld")
    state = table.state
    assert (state.status, state.end_reason) == ("ended", "out")
    assert state.ended_but_nobody_out
    flag, late = sorted(state.flags, key=lambda one: one.code == "challenge_late")
    assert late.code == "challenge_late"  # the end had been entered before
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
