"""An entry before it is made: the difference that it makes, and what nobody can mean."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from game.adjudication.entries import MOST_FOR_A_PLAY, MOST_IN_ALL, check_entry
from game.adjudication.preview import between, difference, left_lying, of_no_play
from game.errors import TilewatchError
from game.events import (
    ClockAdjusted,
    GameEnded,
    GameForfeited,
    HoldCalled,
    LateStart,
    OvertimeErased,
    PenaltyAdded,
    PlayersNamed,
    PositionRestored,
    RackReported,
    Retracted,
    ScoreAgreed,
    SetAltered,
    SquareCorrected,
    StopExplained,
    TurnRuled,
    TurnSeen,
    TurnsJoined,
)
from game.game import Game
from game.state.fold import apply
from record.story.event_wording import ENDS

from .gamekit import SECOND, Table, press
from .scriptkit import after


@pytest.fixture
def table():
    return after("8G CAT, 9G ON, 10G A")


def test_a_corrected_letter_changes_what_its_words_score_and_nothing_else(table):
    found = difference(table.state, SquareCorrected(1, "8G", "Z", "TD", "it is a Z", table.now))
    assert [turn.number for turn in found.turns] == [1, 2, 3]
    assert found.turns[0].before == {
        "word": "CAT", "tiles": {"8G": "C", "8H": "A", "8I": "T"}, "score": 10, "total": 10,
    }  # fmt: skip
    assert found.turns[0].after == {
        "word": "ZAT", "tiles": {"8G": "Z", "8H": "A", "8I": "T"}, "score": 24, "total": 24,
    }  # fmt: skip
    left, right = table.state.scores["left"], table.state.scores["right"]
    assert found.scores == {"left": (left, left + 14 + 7), "right": (right, right + 7)}
    assert found.squares == {"8G": ("C", "Z")}
    assert table.state.turns[0].word == "CAT"  # looked at, not done
    assert json.loads(json.dumps(found.as_json()))["turns"][0]["after"]["score"] == 24


def test_a_tie_is_by_no_points():
    table = after("8G CAT, agree 0 right 10", "wespa-2021")
    end = GameEnded("director", table.now, "TD")
    assert difference(table.state, end).facts["outcome"] == (None, "a tie")
    won = PenaltyAdded("left", 5, None, "TD", "late", table.now)
    table.put(end)
    assert difference(table.state, won).facts["outcome"] == ("a tie", "right wins by 5")


def test_a_game_to_which_nobody_came_is_no_tie():
    absent = GameForfeited("left", "both_absent", "TD", "", 0)
    nobody = Table(rulebook="naspa-2017").state
    assert difference(nobody, absent).facts["outcome"] == (None, "both lose by 50")


def test_an_end_taken_back_leaves_a_game_that_is_played_out_without_a_final_result():
    table = after("8I RATIUES, end out", "bag=0")
    assert table.state.final
    found = difference(table.state, Retracted(len(table.events), "TD", "", table.now))
    facts = {"outcome": ("left wins by 123", "left leads by 123"), "final": (True, False)}
    assert (found.facts, found.empty) == (facts, False)


def test_a_word_through_tiles_is_named_whole(table):
    turn = table.play("8G", "...S")
    assert turn.word == "...S"
    found = difference(table.state, SquareCorrected(turn.number, "8J", "Z", "TD", "", 0))
    assert found.turns[0].after["word"] == "CATZ"
    assert found.turns[0].before["word"] == "CATS"


def test_flags_that_come_and_go_are_named():
    table = after("8G CAT, 1A DOG")
    found = difference(table.state, TurnRuled(2, "challenge_upheld", "TD", "", table.now))
    (turn,) = found.turns
    assert turn.before["kind"] == "play"
    assert turn.after["kind"] == "challenge_upheld"
    assert found.scores == {"left": (10, 10), "right": (15, 0)}
    found = difference(table.state, SquareCorrected(2, "1B", "~", "TD", "", table.now))
    assert set(found.squares) == {"1B"}
    assert [flag.code for flag in found.turns[0].flags_new] == ["uncertain_square"]


def test_clocks_penalties_and_ends_are_in_it(table):
    found = difference(table.state, ClockAdjusted("left", 60 * SECOND, None, "TD", "", table.now))
    assert found.clocks == {"left": ("24:00", "25:00")}
    assert not found.turns
    found = difference(table.state, PenaltyAdded("right", 5, "x", "TD", "", table.now))
    right = table.state.scores["right"]
    assert found.scores["right"] == (right, right - 5)
    found = difference(table.state, GameForfeited("left", "left", "TD", "", 9, margin=75))
    assert found.facts["outcome"] == (None, "right wins by 75")
    assert found.facts["status"] == ("running", "ended")


def test_what_changes_nothing_is_empty_and_what_is_refused_says_why(table):
    assert between(table.state, table.state).empty
    same = apply(table.state, SquareCorrected(1, "8G", "C", "TD", "", table.now))
    assert between(table.state, same).empty
    with pytest.raises(TilewatchError, match="there is no turn 9"):
        difference(table.state, TurnRuled(9, "pass", "TD", "", table.now))


@pytest.mark.parametrize("added", [True, False])
def test_what_lies_there_of_no_play_is_named_if_a_turn_becomes_none(added):
    played = after(f"8D PLATE, -{', changed 2 9D=O 10D=N' * added}", "wespa-2021")
    later = apply(played.state, TurnRuled(2, "undone", "Dee", "struck", played.now))
    words = ["what lies on 9D, 10D is of no play and scores nothing"]
    assert list(of_no_play(between(played.state, later), later)) == words * added


@pytest.mark.parametrize(
    ("script", "turn", "what", "where"),
    [
        ("8D CAGOULE", 1, "CAGOULE, 76 points,", "the next turn"),
        ("8D CAGOULE, -, 9D ON", 1, "CAGOULE, 76 points,", "turn 2"),
        ("8D CAGOULE, rule 1 no_score", 1, "CAGOULE, 0 points,", "the next turn"),
    ],
)
def test_a_play_that_lies_there_is_named_if_its_turn_becomes_none(script, turn, what, where):
    played = after(script, "wespa-2021")
    later = apply(played.state, TurnRuled(turn, "undone", "Dee", "struck", played.now))
    assert list(left_lying(between(played.state, later), later)) == [
        f"{what} leaves the record and lies on the board: its tiles count in {where}"
    ]
    lifted = played.state.turns[turn - 1].tiles
    assert list(left_lying(between(played.state, later), later, lifted)) == []


def test_a_turn_more_or_less_has_no_before_or_no_after(table):
    seen = TurnSeen("right", table.now + SECOND, table.board.rows)
    found = difference(table.state, seen)
    (turn,) = found.turns
    assert (turn.number, turn.before) == (4, None)
    shown = json.loads(json.dumps(found.as_json()))["turns"][0]
    assert (shown["before"], shown["after"]["side"]) == (None, "right")
    assert turn.after["kind"] == "exchange_or_pass"
    (turn,) = between(apply(table.state, seen), table.state).turns
    assert (turn.number, turn.after) == (4, None)


def test_the_name_of_what_names_no_turn_holds_while_turns_come(table):
    """Time given, a penalty, a game given up: no score, nor whose clock runs, is part of them."""
    events = (
        ClockAdjusted("left", 60 * SECOND, None, "TD", "", table.now),
        GameForfeited("left", "resigned", "TD", "", table.now),
        PenaltyAdded("left", 10, None, "TD", "a telephone rang", table.now),
    )
    shown = [difference(table.state, event).digest() for event in events]
    for where, word in (("11G", "TO"), ("12G", "A")):
        table.play(where, word)
        assert table.state.scores["right"] > 0
        events = tuple(replace(event, t_ns=table.now) for event in events)  # as the desk does
        assert [difference(table.state, event).digest() for event in events] == shown


def test_the_name_of_an_effect_holds_all_of_what_a_fact_becomes(table):
    """Of two names, or of two results by the score, more than the first word."""
    for one, other in (
        (PlayersNamed({"left": name}, "TD", table.now, "") for name in ("Ann Bee", "Ann Dee")),
        (PenaltyAdded("left", points, None, "TD", "", table.now) for points in (5, 6)),
    ):
        ended = after("8G CAT, end").state
        assert difference(ended, one).digest() != difference(ended, other).digest()


def test_a_game_given_up_says_how_its_spread_is_fixed_and_another_end_does_not():
    table = after("8G CAT", "wespa-2021")
    found = difference(table.state, GameForfeited("right", "resigned", "TD", "", table.now))
    assert found.basis == "the lead of 10 and 50 points more (rule 5.7(c))"
    assert found.as_json()["basis"] == found.basis
    assert difference(table.state, GameEnded("agreed", table.now)).basis == ""
    table.put(GameForfeited("right", "resigned", "TD", "", table.now))
    assert difference(table.state, PenaltyAdded("left", 0, None, "TD", "", table.now)).basis == ""


def test_an_end_by_the_score_is_another_once_a_turn_has_come(table):
    end = GameEnded("director", table.now, "TD")
    shown = difference(table.state, end).digest()
    table.play("11G", "TO")
    assert difference(table.state, end).digest() != shown


def test_the_name_of_a_ruling_on_an_older_play_holds_while_turns_come(table):
    """A challenge, a tile or an agreed score: what the director saw of the play is unchanged."""
    table.play("11G", "BE")
    rulings = (
        TurnRuled(4, "challenge_upheld", "TD", "no word", table.now),
        TurnRuled(3, "challenge_failed", "TD", "a word", table.now),
        SquareCorrected(3, "10G", "I", "TD", "misread", table.now),
        ScoreAgreed(2, "right", 30, "TD", "both agree", table.now),
    )
    shown = [difference(table.state, ruling).digest() for ruling in rulings]
    assert len(set(shown)) == len(rulings)
    table.play("1A", "VOX")
    table.play("1I", "QUIZ")
    assert [difference(table.state, ruling).digest() for ruling in rulings] == shown
    # A play that stands on the challenged tiles is no mere consequence of the totals.
    table.play("11I", "T")
    assert difference(table.state, rulings[0]).digest() != shown[0]


def test_no_ruling_on_a_play_can_be_entered_twice(table):
    for ruling in (
        TurnRuled(3, "challenge_upheld", "TD", "no word", table.now),
        ScoreAgreed(2, "right", 30, "TD", "both agree", table.now),
        PenaltyAdded("left", 10, None, "TD", "late", table.now),
        ClockAdjusted("left", 60 * SECOND, None, "TD", "", table.now),
    ):
        again = apply(table.state, ruling)
        assert difference(again, ruling).digest() != difference(table.state, ruling).digest()


def test_the_name_of_a_resignation_holds_when_the_clock_is_stopped_or_goes_on(table):
    """Who loses is the same whether the clock runs, and for what reason it stood."""
    resigned = GameForfeited("left", "resigned", "TD", "", table.now)
    shown = difference(table.state, resigned).digest()
    press(table, "neutral")
    assert difference(table.state, resigned).digest() == shown
    press(table, "left")
    table.play("1A", "DOG")  # with flags of its own
    assert difference(table.state, replace(resigned, t_ns=table.now)).digest() == shown
    assert difference(table.state, resigned).digest() != shown  # the play came after it
    other = GameForfeited("right", "resigned", "TD", "", table.now)
    assert difference(table.state, other).digest() != shown


def test_the_name_of_a_resignation_is_another_once_time_has_cost_points(table):
    shown = []
    for seconds in (0, 8, 1800):
        t_ns = table.now + seconds * SECOND
        shown.append(difference(table.state, GameForfeited("left", "resigned", "TD", "", t_ns)))
    assert [one.scores["right"][1] < one.scores["right"][0] for one in shown] == [
        False,
        False,
        True,
    ]
    assert shown[0].digest() == shown[1].digest() != shown[2].digest()


def test_the_name_of_a_stops_reason_holds_when_the_clock_goes_on(table):
    """That the question has gone meanwhile changes nothing of the answer."""
    press(table, "neutral")
    why = StopExplained(3, "challenge", "TD", "it was challenged", table.now)
    shown = difference(table.state, why)
    assert [flag.code for flag in shown.flags_gone] == ["clock_stopped"]
    press(table, "left")
    table.play("11G", "TO")
    assert difference(table.state, why).digest() == shown.digest()


def test_each_line_says_whose_turn_it_is_and_what_was_played_by_its_new_number(table):
    """Where turns are joined, all later numbers are other turns' today."""
    table.play("10I", "T")
    joined = TurnsJoined(2, "right", "TD", "one play", table.now)
    now = apply(table.state, joined).turns
    found = difference(table.state, joined)
    lines = [(one.side, one.word) for one in found.turns if one.after is not None]
    assert lines == [
        (now[one.number - 1].side, now[one.number - 1].words[0][0])
        for one in found.turns
        if one.after is not None
    ]
    shown = found.as_json()["turns"]
    assert [(line["side"], line["word"]) for line in shown][: len(lines)] == lines != []


def test_whoever_is_ahead_leads_while_a_question_is_open_and_then_wins():
    table = after("8G CAT !uncertain_square 8I, end", "wespa-2021")
    assert table.state.final
    answer = SquareCorrected(1, "8I", "T", "TD", "seen", table.now)
    assert difference(table.state, answer).facts == {
        "outcome": ("left leads by 10", "left wins by 10"),
        "final": (False, True),
    }


def test_another_name_is_a_change_and_so_is_taking_it_back(table):
    named = PlayersNamed({"left": "Eve"}, "TD", table.now)
    found = difference(table.state, named)
    assert (found.facts, found.empty) == ({"left": ("Ann Lee", "Eve")}, False)
    other_name = PlayersNamed({"left": "Eva"}, "TD", table.now)
    assert found.digest() != difference(table.state, other_name).digest()
    table.put(named)
    back = difference(table.state, Retracted(len(table.events), "TD", "", table.now))
    assert (back.facts, back.empty) == ({"left": ("Eve", "Ann Lee")}, False)


@pytest.fixture
def played() -> Table:
    return after("8G CAT, 9G ON", "wespa-2021")


def agreed_on(turn: int, points: int) -> ScoreAgreed:
    return ScoreAgreed(turn, "left", points, "TD", "as written", 10**12)


def rack(tiles: str, counted: int | None = None) -> RackReported:
    return RackReported("left", tiles, 10**12, "TD", counted=counted)


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (agreed_on(1, -5), "turn 1 cannot score -5: a play makes from 0 to 2000 points; enter the"),
        (agreed_on(1, 9999), "turn 1 cannot score 9999"),
        (agreed_on(0, 5001), "Ann Lee's total cannot be 5001: it is from -5000 to 5000; enter the"),
        (agreed_on(0, -5001), "total cannot be -5001"),
        (rack("QQQQQQQ"), "rack 'QQQQQQQ': the English set has 1 Q, and not 7; check the rack"),
        (rack("QQ", 2), "has 1 Q, and not 2"),
        (rack("AZZZ"), "has 1 Z, and not 3"),
        (rack("???"), "has 2 blanks, and not 3"),
        (
            PositionRestored(1, "TD", "a misdraw", 10**12, {"right": "ABJJ"}),
            "rack 'ABJJ': the English set has 1 J, and not 2",
        ),
    ],
)
def test_what_nobody_can_mean_is_refused_as_it_is_entered_and_read_from_a_log(played, event, why):
    with pytest.raises(TilewatchError, match=why):
        difference(played.state, event)
    played.put(event)


@pytest.mark.parametrize(
    "event",
    [
        agreed_on(1, 0),
        agreed_on(1, MOST_FOR_A_PLAY),
        agreed_on(0, -MOST_IN_ALL),
        agreed_on(0, MOST_IN_ALL),
        rack(""),
        rack("QZ??EEE"),
        PositionRestored(1, "TD", "a misdraw", 10**12, {"left": "AEIOUYS"}),
    ],
)
def test_what_can_be_is_taken(played, event):
    check_entry(played.state, event)
    difference(played.state, event)


def test_a_rack_may_have_what_an_altered_set_has(played):
    played.put(SetAltered("", "Q", "TD", "two of them", 10**12))
    check_entry(played.state, rack("QQ"))
    with pytest.raises(TilewatchError, match="has 2 Q, and not 3"):
        check_entry(played.state, rack("QQQ"))


@pytest.mark.parametrize("book", ["naspa-2017", "psa", "wespa-2007", "wespa-2021"])
def test_who_came_late_and_has_played_forfeits_no_more(book):
    late = GameForfeited("left", "late", "TD", "", 10**12)
    check_entry(after("late left 11", book).state, late)
    with pytest.raises(TilewatchError, match="Ann Lee made turn 1, and so chose to play"):
        check_entry(after("late left 11, 8G CAT", book).state, late)


@pytest.mark.parametrize(
    ("book", "how", "why"),
    [
        ("psa", "tiles_drawn", "its player was let draw"),
        ("psa", "score_written", "its score was written down"),
        ("naspa-2017", "play_accepted", "it was accepted by word"),
    ],
)
def test_a_play_that_was_accepted_is_held_no_more(book, how, why):
    state = after(f"8G CAT, wait 10, accept 1 {how}", book).state
    check_entry(state, HoldCalled(1, "opponent", 35 * SECOND))  # before it was
    with pytest.raises(TilewatchError, match=f"turn 1 can no longer be held: {why}"):
        check_entry(state, HoldCalled(1, "opponent", 50 * SECOND))


def test_a_quick_draw_lets_a_play_be_held_for_five_seconds_and_no_longer():
    state = after("8G CAT, wait 2, accept 1 tiles_drawn", "naspa-2017").state
    check_entry(state, HoldCalled(1, "opponent", 35 * SECOND))
    with pytest.raises(TilewatchError, match="turn 1 can no longer be held"):
        check_entry(state, HoldCalled(1, "opponent", 36 * SECOND))


def test_overtime_is_erased_only_once_it_is_on_the_clock():
    table = after("clock 1490, 8G CAT", "naspa-2017")
    erased = OvertimeErased("left", "TD", "forced", 1600 * SECOND)
    with pytest.raises(TilewatchError, match="Ann Lee had no overtime then that is not erased"):
        check_entry(table.state, erased)
    state = after("clock 1510, 8G CAT", "naspa-2017").state
    check_entry(state, erased)
    with pytest.raises(TilewatchError, match="Ann Lee had no overtime then that is not erased"):
        check_entry(apply(state, erased), erased)


def test_a_play_that_somebody_came_back_to_can_be_held_though_tiles_were_drawn():
    state = after(
        "8G CAT, wait 10, accept 1 tiles_drawn, report right returned 1", "sanspa-1999"
    ).state
    check_entry(state, HoldCalled(1, "opponent", 50 * SECOND))


def test_a_tile_of_several_letters_is_named_as_people_write_it():
    made = Table(tile_set="spanish")
    with pytest.raises(TilewatchError, match="rack 'CHCH': the Español set has 1 CH, and not 2"):
        check_entry(made.state, rack(made.state.tile_set.rack("[CH][CH]")))


def test_a_game_of_the_library_ends_with_racks_that_can_be():
    game = Game("Ann", "Bo")
    with pytest.raises(TilewatchError, match="has 1 Q, and not 2"):
        game.end({"Ann": "QQ"})


@pytest.mark.parametrize("exchanged", ["", "AEI", "AEIOUSS", "aei", "A, E", "??", "1", "7", "AB?"])
def test_an_exchange_of_tiles_or_of_a_number_of_them_is_entered(played, exchanged):
    played.nothing()
    check_entry(played.state, TurnRuled(3, "exchange", "TD", "", 10**12, tiles=exchanged))


@pytest.mark.parametrize(
    "exchanged", ["7O", "O7", "0", "8", "10", "A1", "ABCDEFGH", "\u0667", "7.0", "7" * 5000]
)
def test_an_exchange_of_neither_is_refused(played, exchanged):
    """A letter is never a digit: 7O is no 70, and no 7."""
    played.nothing()
    with pytest.raises(
        TilewatchError, match=r"tiles exchanged: .* is neither at most 7 tiles"
    ) as why:
        check_entry(played.state, TurnRuled(3, "exchange", "TD", "", 10**12, tiles=exchanged))
    assert "\n" not in str(why.value)


@pytest.mark.parametrize("reason", ["broken_off", "", "resigned"])
def test_an_end_for_no_known_reason_is_refused_and_the_known_ones_are_named(played, reason):
    """It would count as played, and could be signed."""
    with pytest.raises(
        TilewatchError, match="not a known reason; give one of agreed, broken off, conf"
    ):
        difference(played.state, GameEnded(reason, played.now, "TD"))
    assert played.put(GameEnded(reason, played.now, "TD")).status == "ended"


@pytest.mark.parametrize("reason", ENDS)
def test_every_end_that_has_words_may_be_entered(played, reason):
    check_entry(played.state, GameEnded(reason, played.now, "TD"))


def test_nobody_is_late_by_more_than_the_clock_and_the_overtime(played):
    book = played.state.rulebook
    most = book.clock_ns + book.overtime_limit_from_ns
    check_entry(played.state, LateStart("left", most, "TD", "", played.now))
    late = LateStart("left", most + 1, "TD", "", played.now)
    with pytest.raises(TilewatchError, match=r"cannot have lost .* by coming late"):
        check_entry(played.state, late)
