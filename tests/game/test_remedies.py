"""Offers: every remedy is something that can be pressed, and pressing it does what it says."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from game.adjudication.remedies import ASKED, offers, rulings
from game.errors import TilewatchError
from game.events import HoldCalled, TurnRuled, from_payload
from game.guidance import Remedy, by_name
from game.rulebooks.loading import rulebook_ids
from game.state.fold import apply

from .gamekit import SECOND
from .scriptkit import after

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


def test_the_rack_too_full_loses_turn_or_points():
    table = after("8D ABCDEFGH", "naspa-2017")
    found = offered(table, "too_many_tiles")
    assert pressed(table, found["lose_turn"]).turns[0].kind == "taken_back"
    table.nothing()
    found = offered(table, "too_many_tiles", 0)
    assert not found["lose_turn"].open
    state = pressed(table, found["points_lost"])
    assert (state.turns[0].kind, state.scores["left"]) == ("no_score", 0)


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


def test_the_letter_of_a_blank_is_asked():
    table = after("8G C?T", "psa")
    found = offered(table, "blank_undesignated")
    assert found["demand_letter"].asks == ("letter",)
    assert pressed(table, found["choose_letter"], letter="u").turns[0].word == "CuT"


def test_what_could_not_be_read_is_asked_square_by_square():
    table = after("8G C~T")
    offer = offered(table, "uncertain_square")["8H"]
    assert (offer.who, offer.asks) == ("director", ("symbol",))
    assert pressed(table, offer, symbol="A").turns[0].word == "CAT"


def test_a_stopped_clock_is_asked_about_with_as_many_words_as_were_formed():
    table = after("8G CAT, 9G ON, neutral, start left, 10G A")  # ON made three words
    found = offered(table, "challenge_unclear")
    assert set(found) == {"failed1", "failed2", "failed3", "upheld", "none"}
    assert pressed(table, found["failed2"]).scores["right"] == table.state.scores["right"] + 10
    assert found["none"].event["challenged"] is False
    assert "challenged" not in found["upheld"].event


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


def test_thirty_points_are_offered_until_they_are_counted():
    table = after("-, rule 1 exchange", "naspa-2017 bag=6")
    state = pressed(table, offered(table, "exchange_too_late")["deduct"])
    assert (state.scores["left"], state.adjustments[0].rule) == (-30, "IV.E.2.b")
    table = after("-, 8I RATIUES, rule 1 exchange", "naspa-2017 bag=6")
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


def test_a_game_lost_on_time_is_forfeited_where_the_text_has_it_so():
    table = after("8G CAT", "wespa-2007 seconds=2101")
    state = pressed(table, offered(table, "overtime_limit")["forfeit"])
    assert (state.outcome.winner, state.outcome.margin) == ("right", 100)
    table = after("8G CAT", "naspa-2017 seconds=2101")  # there it has ended by itself
    assert offered(table, "overtime_limit")["forfeit"].event is None


@pytest.mark.parametrize("unseen", ["#", "~"])
def test_a_tile_that_could_only_be_read_later_counts_for_the_turn_that_laid_it(unseen):
    table = after(f"8G C{unseen}T, 8H=A 9G=O 9H=N")
    offer = offered(table, "uncertain_square")["8H"]
    assert (offer.asks, offer.event["turn"]) == ((), 1)
    assert "count the A on 8H for turn 1" in offer.text
    state = pressed(table, offer)
    assert (state.turns[0].word, state.turns[0].score) == ("CAT", 10)
    assert "uncertain_square" not in [flag.code for flag in state.turns[1].flags]


def test_an_opening_that_lies_turned_may_be_moved_until_the_second_move_is_over():
    turned = "8G CAT !misoriented_tile 8G,8H,8I"
    for steps, book, still in (
        *(
            ("", "sanspa-2001", True),
            (", -", "sanspa-2001", True),
            (", -, -", "sanspa-2001", False),
        ),
        *((", -", "naspa-2017", True), (", -, 9G ON", "naspa-2017", False)),
    ):
        found = offered(after(turned + steps, book), "misoriented_play", 0)
        assert found["move_play"].open == still, steps


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


def test_tiles_that_lie_on_may_mean_that_the_play_was_never_withdrawn():
    table = after("8G CAT, rule 1 challenge_upheld, -")
    offer = offered(table, "withdrawn_left")["1-stands"]
    assert "turn 1 stands" in offer.text
    later = pressed(table, offer)
    assert later.turns[0].kind == "play"
    assert later.turns[1].flags == ()
