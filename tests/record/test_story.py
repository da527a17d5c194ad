"""The account of a game: nothing is left out of it or in it twice; effects, times and signs."""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from datetime import timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import game.state.fold
from game.board import Board, Square, is_tile
from game.events import (
    EVENT_TYPES,
    BlankDesignated,
    BoardChanged,
    ButtonPressed,
    ClockAdjusted,
    GameEnded,
    GameForfeited,
    PenaltyAdded,
    Picture,
    PicturesKept,
    RackReported,
    ResultSigned,
    Retracted,
    SetAltered,
    SquareChange,
    SquareCorrected,
    StopExplained,
    TroubleNoted,
    TurnParted,
    TurnRuled,
    to_payload,
)
from game.flags import CODES
from record.bundle.derived_files import page, picture_source
from record.log.event_log import EventLog
from record.paths import DATABASE
from record.story import Story, event_wording, steps_of, tell
from record.story.event_wording import describe_event
from record.story.incident import Incident
from record.story_html.drawings import board
from record.story_html.turn import boards, facts, sum_of, title
from record.story_html.words import clock_of, escape, wall
from record.verifier.replay import verify
from tests.game.gamekit import SECOND, Table, random_game
from tests.game.scriptkit import after
from tests.record.bundlekit import GAME, bundle_of, entries_of, fill

seeds = st.integers(0, 2**32)


def story(table: Table) -> Story:
    return tell(steps_of(entries_of(table.events)))


def of(reported: Story, kind: str) -> list[str]:
    return [one.text for one in reported.incidents if one.kind == kind]


def disturbed(seed: int) -> Table:
    """A game to its end with stops, time given, challenges and things taken back."""
    rng = random.Random(seed)
    table = random_game(seed)
    now = table.now
    last = len(table.state.turns)
    for _ in range(rng.randrange(1, 8)):
        now += rng.randrange(1, 90) * SECOND
        number = rng.randrange(1, last + 1)
        side = rng.choice(["left", "right"])
        event = rng.choice(
            [
                ClockAdjusted(side, rng.choice([-60, 60, 120]) * SECOND, None, "Dee", "slow", now),
                PenaltyAdded(side, 5, None, "Dee", "late", now),
                TurnRuled(number, "challenge_upheld", "Dee", "a phoney", now),
                TurnRuled(number, "challenge_failed", "Dee", "both are words", now),
                ButtonPressed("neutral", now),
                ButtonPressed(side, now),
                RackReported(side, "", now, "Dee", "seen"),
            ]
        )
        if rng.random() < 0.3:
            event = Retracted(len(table.events), "Dee", "wrong", now)
        try:
            table.put(event)
        except Exception as error:
            assert str(error)
    return table


def check_seconds(table: Table, reported: Story) -> None:
    """Every second of both clocks is accounted for."""
    clock = reported.clock
    at = table.events[0].t_ns
    for one in clock.stretches:
        assert one.from_ns == at and one.until_ns > at
        at = one.until_ns
    assert at == reported.course.seen_ns
    for side in ("left", "right"):
        full, left = clock.full_ns[side], clock.left_ns[side]
        assert full - clock.ran_ns(side) + clock.changed_ns(side) == left
        assert left == table.state.clocks.remaining(side, at)


def check_tiles(reported: Story) -> None:
    """So is every tile of the set."""
    account, state = reported.tiles, reported.state
    fates = [one for one in account.fates if one.place != "extra"]
    assert Counter(one.tile for one in fates) == Counter(
        {tile: count for tile, count in state.tile_set.counts.items() if count}
    )
    on = {one.square for one in account.fates if one.place in ("board", "extra")}
    assert on == {square.name for square in state.board.tiles()}
    assert account.uncounted == 0 or account.at("extra") or account.at("unseen")


def check_entries(table: Table, reported: Story) -> None:
    """An entry of a person is told once, with its effect."""
    by_people = [n for n, e in enumerate(table.events, 1) if getattr(e, "by", "") == "Dee"]
    entered = [one.entry.number for one in reported.decisions]
    assert set(by_people) <= set(entered)
    assert len(entered) == len(set(entered))
    for one in reported.decisions:
        homes = [turn.number for turn in reported.turns if one in turn.decisions]
        assert homes == list(one.turns)
        assert (one.entry in reported.beside) == (not homes)
        assert [i.event for i in reported.incidents].count(one.entry.number) == 1


@given(seeds)
@example(1024)  # a challenge upheld and then failed: time ran that no longer counts
def test_every_second_every_tile_and_every_entry_is_accounted_for_once(seed):
    table = disturbed(seed)
    reported = story(table)
    check_seconds(table, reported)
    check_tiles(reported)
    check_entries(table, reported)


@given(seeds)
def test_the_sum_of_every_play_is_its_score(seed):
    reported = story(random_game(seed))
    for one in reported.turns:
        if one.turn.kind != "play":
            continue
        assert one.sum is not None
        assert tuple((word.text, word.points) for word in one.sum.words) == one.turn.words
        assert one.sum.made == one.sum.counts == one.turn.score


def challenged() -> Table:
    """Turn 1 is challenged off after turn 3, with time given at the same stop; then taken back."""
    table = after("8D PLATE, D8 .IER, 11D .OAD")
    stop = table.now + SECOND
    table.put(ButtonPressed("neutral", stop))
    table.put(TurnRuled(2, "challenge_upheld", "Dee", "not in the list", stop + 9 * SECOND))
    table.put(ClockAdjusted("right", 60 * SECOND, "5.1", "Dee", "waited", stop + 2 * SECOND))
    table.put(StopExplained(3, "challenge", "Dee", "asked", stop + 12 * SECOND))
    table.put(ButtonPressed("left", stop + 20 * SECOND))
    table.put(Retracted(10, "Dee", "looked up the wrong word", stop + 30 * SECOND))
    return table


def test_a_ruling_stands_under_the_turn_that_it_rules_and_its_retraction_beside_it():
    table = challenged()
    assert isinstance(table.events[9], TurnRuled)
    reported = story(table)
    second = [type(one.entry.event).__name__ for one in reported.turns[1].decisions]
    assert second == ["TurnRuled", "Retracted"]
    ruled, back = reported.turns[1].decisions
    assert (ruled.taken_back, back.event) == (14, 14)
    assert not ruled.stands
    assert any("challenged off the board" in line for line in ruled.changes)
    assert any("challenged off the board → a play" in line for line in back.changes)
    assert ruled.entry.why == "not in the list"
    third = [type(one.entry.event).__name__ for one in reported.turns[2].decisions]
    assert third == ["ClockAdjusted", "StopExplained"]


PICTURE = Picture("around", "a" * 64, 1)
DESCRIBED = [
    (GameForfeited("left", "resigned", "TD", "", 0), "Ann resigned"),
    (GameForfeited("left", "late", "TD", "", 0), "Ann came too late and loses"),
    (GameForfeited("left", "both_absent", "TD", "", 0), "neither player came: both lose"),
    (GameForfeited("left", "director", "TD", "", 0), "Ann loses by the director's decision"),
    # A clock that is started from the desk was pressed by no player.
    (ButtonPressed("left", 0), "Ann pressed the clock"),
    (ButtonPressed("left", 0, "Dee", "it goes on"), "Bo's clock was started from the desk"),
    (ButtonPressed("neutral", 0, "Dee", "a question"), "the clock was stopped"),
    (PicturesKept(3, (PICTURE, PICTURE), 2), "2 pictures kept of turn 3"),
    (PicturesKept(3, (PICTURE,), 2), "1 picture kept of turn 3"),
]


@pytest.mark.parametrize(("event", "text"), DESCRIBED)
def test_an_event_is_told_in_plain_words(event, text):
    assert describe_event(event, {"left": "Ann", "right": "Bo"}) == text


def test_each_kind_of_event_has_its_words():
    of_class = {kind for kind in EVENT_TYPES.values() if hasattr(kind, "SAYS")}
    assert of_class | set(event_wording._WORDS) == set(EVENT_TYPES.values())
    assert not of_class & set(event_wording._WORDS)


def test_a_stop_is_told_with_its_length_and_its_reason():
    reported = story(challenged())
    (stop,) = [one for one in reported.incidents if one.kind == "interruption"]
    assert (stop.text, stop.outcome, stop.turn) == (
        "both clocks stood for 20.0 s", "stopped for: a challenge (entered by Dee)", 3,
    )  # fmt: skip
    (time,) = reported.clock.changes
    assert (time.side, time.added_ns) == ("right", 60 * SECOND)


def test_whole_game_doubts_are_told_and_make_the_result_unsure():
    table = random_game(4)
    table.put(GameEnded("six_zeros", table.now, "Dee", "agreed")) if not table.state.settled else 0
    reported = story(table)
    for flag in reported.state.flags:
        if not CODES[flag.code].costs:
            assert any(flag.message in line for line in reported.doubts)
        assert any(flag.message in one.text for one in reported.incidents)
    assert ("doubt" in reported.standing) == bool(reported.doubts)


def test_a_result_that_lacks_a_rack_is_not_final():
    table = after("8D PLATE")
    table.put(GameEnded("six_zeros", table.now + SECOND))
    reported = story(table)
    assert reported.standing.startswith(
        "Not final: the end costs or brings a rack that nobody knows."
    )
    assert any("rack" in line for line in reported.doubts)
    table.put(ResultSigned("both", table.now + 2 * SECOND))
    assert story(table).standing.startswith("The result was signed (both).")


def test_an_end_line_that_a_correction_took_away_is_told_with_the_correction():
    table = after("8D PLATE")
    table.put(GameEnded("six_zeros", table.now + SECOND))
    for side, rack in (("left", "QU"), ("right", "AE")):
        table.put(RackReported(side, rack, table.now + SECOND, "Dee", "seen", len(rack)))
    table.put(Retracted(len(table.events), "Dee", "another rack", table.now + 2 * SECOND))
    reported = story(table)
    assert reported.decisions[-1].kind == "correction"
    assert "end rack penalty (AE), −2 for Bo: counts no longer" in reported.decisions[-1].changes


def test_a_blank_stands_with_the_turn_that_laid_it():
    table = after("8D PL?TE, D8 .IER")
    table.put(BlankDesignated("8F", "a", "Dee", "asked", table.now + SECOND))
    reported = story(table)
    assert [one.kind for one in reported.turns[0].decisions] == ["correction"]
    assert reported.turns[0].amended
    assert not reported.turns[1].decisions


def test_rulings_follow_their_turns_when_these_are_numbered_anew():
    table = after("8D PLATE, D8 .IER")
    table.put(TurnRuled(2, "challenge_failed", "Dee", "a word", table.now + SECOND))
    ended = table.now - 31 * SECOND
    parted = TurnParted(1, ("8D", "8E"), "left", ended, "Dee", "no press", table.now + 9)
    table.put(parted)
    reported = story(table)
    home = [
        turn.number for turn in reported.turns for one in turn.decisions if one.kind == "challenge"
    ]
    assert home == [3]
    assert "turn 3: challenged unsuccessfully" in of(reported, "challenge")[0]


def test_a_sum_says_which_tile_of_its_words_was_another_when_it_was_laid():
    table = after("8D PLATE, -", "wespa-2021")
    lay = table.board.replace({Square.parse("8F"): "O"})
    table.see(lay)
    table.play("F8", ".NE")
    last = story(table).turns[-1]
    assert last.exchanged == ("8F was A when turn 1 laid it",)
    assert "8F was A when turn 1 laid it" in sum_of(last)


def test_the_sum_counts_a_tile_that_was_turned_over_as_its_letter():
    table = after("8D PL#TE")
    table.lay("8F=A", "7F=M")
    play = story(table).turns[1]
    assert play.turn.words == (("MA", 4),)
    assert (play.sum.made, play.sum.counts) == (4, 4)


def test_a_turn_that_was_taken_back_shows_its_tiles_as_they_lay_at_the_press():
    table = after("8D PLATE")
    table.put(TurnRuled(1, "challenge_upheld", "Dee", "a phoney", table.now + SECOND))
    (turn,) = story(table).turns
    assert turn.lay.tiles() and not turn.turn.after.tiles()
    assert turn.went == ("8D", "8E", "8F", "8G", "8H")
    assert (turn.sum.made, turn.sum.counts) == (20, 0)
    assert [one.text for one in turn.sum.words] == ["PLATE"]
    fates = [one for one in story(table).tiles.fates if one.square]
    assert {(one.place, one.text) for one in fates} == {
        ("unseen", f"came off {name} (laid in turn 1)") for name in turn.went
    }


def test_a_tile_that_was_not_read_is_one_of_the_unseen_and_is_named():
    account = story(after("8D PL~TE")).tiles
    assert account.unread == ("8F",)
    assert account.total == 100


def test_tiles_that_came_off_and_are_laid_anew_are_counted_once():
    off = "8G CAT, rule 1 challenge_upheld, changed 1 8G=. 8H=. 8I=., -"
    came_off = [one for one in story(after(off)).tiles.fates if "came off" in one.text]
    assert len(came_off) == 3
    fates = story(after(f"{off}, 8G ACT")).tiles.fates
    assert not [one for one in fates if "came off" in one.text]


@pytest.mark.parametrize(
    ("end", "how"), [("", "the game has not ended"), (", end broken_off", "no result")]
)
def test_a_game_without_a_result_says_why(end, how):
    assert story(after(f"8G CAT{end}")).result == f"Ann Lee 10, Bo 0: {how}"


def now_on(table: Table, square: str, symbol: str) -> str:
    """Lay a tile on a square, or take it off, and play at the far end of the word."""
    table.board = table.board.replace({Square.parse(square): symbol})
    number = len(table.state.turns)
    table.play(*(("D8", ".IER"), ("11D", ".OAD"))[number - 1])
    tiles = story(table).tiles
    return next((one.text for one in tiles.fates if one.text.startswith(square)), "")


def test_each_tile_is_followed_from_square_to_square():
    table = after("8D PLATE")
    assert now_on(table, "8H", ".") == ""
    assert "came off 8H (laid in turn 1)" in [one.text for one in story(table).tiles.fates]
    assert now_on(table, "8H", "S") == "8H, since turn 3, of no play"
    table = after("8D PLATE")
    now_on(table, "8H", ".")
    assert now_on(table, "8H", "E") == "8H, since turn 3, laid on 8H in turn 1 by Ann Lee"
    table = after("8D PLATE")
    table.board = table.board.replace({Square.parse("8H"): "."})
    at = table.now + SECOND
    change = SquareChange("3A", ".", "E")
    table.put(BoardChanged((change,), at, at + 1, "right", None, None, None, (), at))
    words = "3A, since turn 2 (event 5, Bo's arm there), laid on 8H in turn 1 by Ann Lee"
    assert now_on(table, "3A", "E") == words


def test_the_board_at_a_press_is_the_one_that_was_read():
    table = after("8D PLATE")
    assert now_on(table, "8H", ".") == ""
    found = story(table).turns[1]
    assert found.lay == found.turn.after and not found.went
    table.put(SquareCorrected(2, "11D", "S", "Dee", "looked", table.now + SECOND))
    found = story(table).turns[1]
    assert found.lay[Square.parse("11D")] == "R"
    assert "as it was read at the press; 11D counts as S" in boards(found)


def test_an_extra_tile_and_an_altered_set_are_in_the_account():
    table = after("8D QUQ")
    reported = story(table)
    assert [one.square for one in reported.tiles.at("extra")] == ["8F"]
    assert "8F: one Q more than the set has" in reported.doubts
    table.put(SetAltered("E", "Q", "Dee", "counted", table.now + SECOND))
    reported = story(table)
    assert not reported.tiles.at("extra")
    assert reported.tiles.total == 100


def test_a_flag_about_an_earlier_turn_is_told_of_that_turn():
    table = after("8D PLATE, D8 .IER", "wespa-2021")
    for button in ("neutral", "right"):
        table.now += 5 * SECOND
        table.put(ButtonPressed(button, table.now))
    table.play("11D", ".OAD")
    reported = story(table)
    assert [flag.turn for flag in reported.state.turns[2].flags] == [2]
    assert [note.flag.code for note in reported.turns[1].flags] == ["challenge_unclear"]
    (incident,) = [one for one in reported.incidents if "challenge unclear" in one.text]
    assert (incident.turn, incident.open) == (2, True)


def test_trouble_is_told_with_when_it_was_over():
    table = after("8D PLATE")
    lost = [TroubleNoted("too_slow", "", how, "it cannot keep up", table.now + n * SECOND)
            for n, how in ((1, "begins"), (4, "over"))]  # fmt: skip
    for event in lost:
        table.put(event)
    (one,) = [one for one in story(table).incidents if "trouble" in one.text]
    assert one.outcome == "over after 3.0 s"


def test_a_correction_changes_the_board_and_not_the_reading():
    table = after("8D PLATE")
    table.put(SquareCorrected(1, "8H", "A", "Dee", "looked", table.now + SECOND))
    (turn,) = story(table).turns
    assert turn.turn.word == "PLATA"
    assert Board.from_rows(turn.turn.seen.rows).tiles()
    assert is_tile(turn.lay[next(iter(turn.turn.after.tiles()))])


def test_a_picture_that_is_logged_late_changes_no_clock():
    table = after("8D PLATE")
    end = table.now + SECOND
    kept = PicturesKept(1, (Picture("after", "a" * 64, end + SECOND),), end + SECOND)
    table.put(kept)
    table.put(GameEnded("agreed", end, "Dee", "both stopped"))
    clock = story(table).clock
    assert clock.changes == ()
    assert [(one.side, one.length_ns) for one in clock.stretches] == [
        ("left", 30 * SECOND),
        ("right", SECOND),
        (None, SECOND),
    ]


# --- the account of an entry: its effects, what stays open, times and signs ---


def told_changes(table: Table) -> tuple[str, ...]:
    """The effect of the last entry that a person made."""
    return story(table).decisions[-1].changes


def challenged_in_vain(book: str, **more: str) -> Table:
    table = after("8G CAT", book)
    table.put(TurnRuled(1, "challenge_failed", "TD", "good", table.now, **more))
    return table


def test_the_turn_that_a_challenge_costs_is_told_where_it_is_lost():
    table = challenged_in_vain("naspa-2017")
    assert told_changes(table) == (
        "Bo loses the next turn: a press of the clock with nothing played",
    )
    table.nothing()
    assert table.state.turns[1].kind == "challenge_failed"
    assert "turn 2 is the turn that Bo lost by it" in told_changes(table)


def test_a_challenger_who_plays_on_scores_nothing_unless_somebody_rules_that_it_counts():
    table = challenged_in_vain("naspa-2017")
    table.play("9G", "ON")
    lost = "turn 2 is the turn that Bo lost by it: the play that was made in it scores nothing"
    assert lost in told_changes(table)
    table.put(TurnRuled(2, "play", "TD", "it counts", table.now))
    table.put(TurnRuled(1, "challenge_failed", "TD", "once more", table.now + SECOND))
    assert "Bo lost no turn by it: turn 2 was a play" in told_changes(table)


@pytest.mark.parametrize("more", [{"verdict": "refused"}, {"ground": "placement"}])
@pytest.mark.parametrize("book", ["naspa-2017", "wespa-2021"])
def test_a_challenge_that_costs_nothing_takes_no_turn_and_has_no_points_to_enter(book, more):
    assert told_changes(challenged_in_vain(book, **more)) == ()


def test_no_turn_is_said_to_be_lost_where_the_text_takes_none():
    table = challenged_in_vain("wespa-2021")
    assert not any("turn" in line and "lost" in line for line in told_changes(table))
    assert not any("loses the next turn" in line for line in told_changes(table))


@pytest.mark.parametrize(
    ("book", "reason", "why"),
    [
        ("wespa-2021", "confirmed", "both players agreed that it is over"),
        ("wespa-2021", "broken off", "a game without a result"),
        ("naspa-2017", "confirmed", None),
        ("wespa-2021", "shortened", None),
    ],
)
def test_a_rack_that_brings_nothing_says_why(book, reason, why):
    table = after("8G CAT", book)
    table.put(GameEnded(reason, table.now + SECOND))
    table.put(RackReported("left", "AEIOU", table.now + SECOND, "TD", "", counted=5))
    found = [line for line in told_changes(table) if line.startswith("no points by it")]
    assert (why is None) == (not found)
    assert why is None or why in found[0]


def test_a_change_of_the_outcome_names_the_player_and_no_seat():
    table = after("8G CAT", "wespa-2007")
    table.put(GameEnded("agreed", table.now + SECOND))
    table.put(PenaltyAdded("right", 5, None, "TD", "late", table.now + 2 * SECOND))
    assert "outcome: Ann Lee leads by 10 → Ann Lee leads by 15" in told_changes(table)


def test_a_stop_that_the_text_does_not_list_is_named_in_words():
    table = after("8G CAT", "wespa-2007")
    table.put(ButtonPressed("neutral", table.now + SECOND))
    state = table.put(StopExplained(1, "absence", "TD", "to the toilet", table.now + SECOND))
    (flag,) = state.flags
    assert flag.code == "stop_unlisted"
    assert "for a toilet break or another absence, which" in flag.message
    state = table.put(StopExplained(1, "blank", "TD", "", table.now + SECOND))
    assert "for the letter of a blank, which" in state.flags[0].message


def test_points_below_nought_have_a_minus():
    table = after("8G CAT")
    table.put(PenaltyAdded("right", 10, None, "TD", "late", table.now))
    reported = " ".join(told_changes(table))
    assert "0 → −10" in reported
    assert "-10" not in reported


def test_times_are_told_by_the_zone_of_the_table():
    table = after("8G CAT")
    entries = entries_of(table.events)
    utc = tell(steps_of(entries))
    assert clock_of(utc) == "times of day are UTC"
    there = tell(steps_of(entries), zone=timezone(timedelta(hours=5, minutes=30)))
    assert clock_of(there) == "times of day are UTC+5:30"
    assert facts(utc, utc.turns[0]) != facts(there, there.turns[0])
    assert wall(0, timezone(-timedelta(hours=3))) == "21:00:00 UTC−3"


def test_the_zone_may_be_the_machines_own(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert wall(0, None) == "09:00:00 UTC+9"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_tile_that_was_not_read_is_no_sign_of_ours():
    table = after("8G C#T")
    reported = story(table)
    shown = board(table.board, "after") + title(reported.turns[0])
    assert shown.count("▢") == 2
    assert "#" not in shown


def test_a_word_and_its_tiles_are_told_without_the_signs_of_the_log():
    table = after("8G C#?", "wespa-2021")
    table.put(SquareCorrected(1, "8H", "a", "TD", "seen", table.now))
    (changed, *_) = told_changes(table)
    assert "word C▢? → Ca? (? is a blank with no letter yet)" in changed
    assert changed.count("no letter yet") == 1
    assert "#" not in changed


@pytest.mark.parametrize(
    ("challenged", "words"),
    [(None, "turn 1 counts as a play"), (False, "turn 1 was not challenged")],
)
def test_a_play_that_was_ruled_to_stand_says_so(challenged, words):
    table = after("8G CAT", "wespa-2021")
    why = "the clock was stopped, and why is not known (4.6)"  # whatever was entered as the reason
    table.put(TurnRuled(1, "play", "TD", why, table.now, challenged=challenged))
    assert story(table).decisions[-1].text == words


# --- what it leaves open ---


def nothing_played(reported: Story) -> list[Incident]:
    return [one for one in reported.incidents if one.text.endswith(": an exchange or a pass")]


def test_a_turn_without_tiles_that_nobody_named_is_a_fact_and_no_doubt():
    table = after("8D PLATE, -")
    reported = story(table)
    assert reported.turns[1].turn.kind == "exchange_or_pass"
    assert reported.doubts == ()
    assert reported.standing.endswith("Nothing is open.")
    (one,) = nothing_played(reported)
    assert (one.kind, one.turn, one.open) == ("note", 2, False)
    assert one.outcome == "nobody entered which; it scores nothing either way"


def test_with_too_few_tiles_for_an_exchange_such_a_turn_states_so():
    table = random_game(4, pass_rate=0)
    late = Table()
    for event in table.events[2:]:
        late.put(event)
        if late.state.turns and late.state.turns[-1].bag_count in range(1, 7):
            break
    late.now, late.board = event.press_ns, late.state.board
    late.side = "right" if event.side == "left" else "left"
    bag = late.nothing().bag_count
    one = nothing_played(story(late))[-1]
    assert one.outcome == f"nobody entered which; the bag held {bag}, too few for an exchange"


def test_the_result_of_a_resigned_game_says_how_its_spread_is_fixed():
    table = after("8D PLATE", "wespa-2021")
    table.put(GameForfeited("right", "resigned", "TD", "ill", table.now))
    assert story(table).result == (
        "Ann Lee 20, Bo 0: Ann Lee won by 70; "
        "the spread is the lead of 20 and 50 points more (rule 5.7(c))"
    )


def test_a_game_that_neither_came_to_is_no_tie():
    table = Table(rulebook="naspa-2017")
    table.put(GameForfeited("left", "both_absent", "TD", "", 0))
    assert story(table).result == (
        "Ann Lee 0, Bo 0: neither player won; "
        "the spread is a loss of 50 points for each player (rule III.C, V.K.1); "
        "the game does not count for ratings (rule V.K.1)"
    )


# --- work in proportion to the corrections of a game ---


def corrected(count: int) -> Table:
    """A game of two turns, of which one was corrected so often."""
    table = after("8G CAT, 9G ON")
    for number in range(count):
        table.now += 1
        table.put(SquareCorrected(2, "9H", "NM"[number % 2], "TD", "seen on film", table.now))
    return table


def calls(work) -> int:
    """How many functions a piece of work calls, those of the interpreter included."""
    count = 0

    def note(frame, what, arg):
        nonlocal count
        count += what in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_a_bundle_s_game_is_folded_once_to_export_it_and_once_to_check_it(tmp_path, monkeypatch):
    fill(tmp_path, turns=2, signed=False)
    with EventLog(tmp_path / DATABASE) as log:
        for number in range(5):
            event = SquareCorrected(2, "D8", "AB"[number % 2], "TD", "seen on film", 10**12)
            log.append(GAME, to_payload(event), mono_ns=10**12, source="director")
        events = len(log.events(GAME))
    applied, apply = [], game.state.fold.apply

    def noted(state, event):
        applied.append(event)
        return apply(state, event)

    monkeypatch.setattr(game.state.fold, "apply", noted)
    bundle = bundle_of(tmp_path, tmp_path / "bundle")
    assert len(applied) == events
    applied.clear()
    assert verify(bundle).ok
    assert len(applied) == events


def test_the_account_of_twice_as_many_corrections_is_twice_the_work():
    def account(count: int) -> int:
        steps = steps_of(entries_of(corrected(count).events))
        return calls(lambda: page(steps, "0" * 64, picture_source({})))

    none, some, twice = account(0), account(150), account(300)
    assert twice - none < 2.1 * (some - none)


def test_the_states_of_a_game_share_their_events():
    states = [step.after for step in steps_of(entries_of(corrected(20).events))]
    assert [len(one.progress.events) for one in states] == [*range(1, len(states) + 1)]
    assert len({id(one.progress.events._items) for one in states}) == 1
    assert len({id(one.progress.named._items) for one in states}) == 1


# --- as HTML ---

MARK = "\N{LEFT-TO-RIGHT MARK}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ann 24:43, Bo 24:51", "Ann 24:43, Bo 24:51"),
        ("אברהם 24:43, Bo 24:51", f"אברהם{MARK} 24:43, Bo 24:51"),
        ("Bo 24:51; אברהם took 0:08", "Bo 24:51; אברהם took 0:08"),
        ("a & b", "a &amp; b"),
    ],
)
def test_a_number_stays_on_the_right_of_a_name(text, shown):
    assert escape(text) == shown
