"""The list of incidents: each said once, with its reason, and what changed nothing together."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import resources
from typing import get_args

import pytest

from game.board import UNREADABLE, Board, Square
from game.events import (
    BlankDesignated,
    BoardChanged,
    ButtonPressed,
    ClockAdjusted,
    DirectorNoted,
    DrawDelayed,
    Finding,
    GameEnded,
    GameForfeited,
    HoldCalled,
    LateStart,
    OvertimeErased,
    Picture,
    PlayAccepted,
    PlayersNamed,
    PointsAdjusted,
    PositionRestored,
    Reported,
    Retracted,
    ScoreAgreed,
    SquareChange,
    SquareCorrected,
    TilesFound,
    TurnInserted,
    TurnRuled,
    TurnSeen,
    other,
)
from game.flags import Flag
from record.story import Story, steps_of, tell
from record.story.decisions import against
from record.story.flags import settled_by
from record.story.incident import Incident, IncidentKind
from record.story.places import Course
from record.story.story import CAMERA_CANNOT
from record.story_html.drawings import PictureSource
from record.story_html.game import clock, incidents, opening, tiles
from record.story_html.pictures import happened
from record.story_html.turn import turn_section
from tests.game.gamekit import SECOND, Table, position
from tests.game.scriptkit import after
from tests.record.bundlekit import entries_of
from tests.record.disputes import disputed

SOURCE = PictureSource(lambda sha: None, lambda _: None)
COVERED = Finding("board_covered", None, "at the press, but no part of the play")


def story(table: Table) -> Story:
    return tell(steps_of(entries_of(table.events)))


def of(reported: Story, kind: str) -> list[Incident]:
    return [one for one in reported.incidents if one.kind == kind]


def test_a_log_of_which_events_were_skipped_is_told():
    table = after("8D PLATE")
    table.put(ClockAdjusted("right", 70 * SECOND, None, "Dee", "the clock ran on", table.now))
    entries = [
        replace(one, logged=replace(one.logged, number=one.number + 5))
        for one in entries_of(table.events)
    ]
    found = tell(steps_of(entries)).incidents
    assert entries[-1].number in [one.event for one in found]


def test_overtime_is_one_sum_with_its_lines():
    table = Table(rulebook="wespa-2021", seconds=30)
    table.play("8D", "PLATE")
    table.seconds = 27 * 60
    table.play("D8", ".IER")
    table.play("11D", ".OAD")
    table.put(GameEnded("agreed", table.now, "Dee", "both stopped"))
    table.put(OvertimeErased("right", "Dee", "a phone rang", table.now, 10))
    table.put(ClockAdjusted("right", 70 * SECOND, None, "Dee", "the clock ran on", table.now))
    left, right = of(story(table), "overtime")
    assert left.text.startswith("overtime: Ann Lee is ")
    assert right.lines[0] == "over time when 1 turn ended, first turn 2"
    assert [line.partition(":")[0] for line in right.lines[1:]] == ["−20", "+10", "+10"]
    assert "the clock showed −2:00 (rule 5.3.2, Dee, event " in right.lines[1]
    assert "Why" not in right.lines[1], "the reason is of the end of the game"
    assert right.lines[2].endswith("(rule 5.3.4(a), Dee, event 10). Why: a phone rang")
    assert (left.outcome, right.outcome) == ("= −30 beside the turns", "= 0 beside the turns")
    named = [one for one in story(table).incidents if "is erased" in one.text]
    assert named == [], "it is a line of the sum, and no incident besides"


def test_notes_that_changed_nothing_are_one_line():
    table = Table(rulebook="wespa-2021")
    for place, word in (("8D", "PLATE"), ("D8", ".IER"), ("11D", ".OAD")):
        table.play(place, word, (COVERED,))
    (one,) = of(story(table), "flag")
    assert (one.turn, one.also, one.outcome) == (1, (2, 3), "nothing was entered")
    html = incidents(story(table))
    assert re.findall(r'href="#turn-(\d)">\d</a>', html) == ["1", "2", "3"]


def changed(*changes: SquareChange, table: Table, back: bool = False, **more) -> Incident:
    """The incident of a change 2 s after the last press, by Ann's arm; put back by Bo's after 7."""
    at = [table.now + n * SECOND // 10 for n in (15, 20, 70, 75)]
    table.put(
        BoardChanged(changes, *at[:2], "left", *(at[2:] if back else (None, None)), "right" if back
        else None, (Picture("altered", "b" * 64, at[1]),), at[1], **more)
    )  # fmt: skip
    return next(one for one in story(table).incidents if one.event == len(table.events))


def test_the_overtime_of_a_game_played_out_is_told_by_its_last_turn():
    table = Table(rulebook="wespa-2021", rows=position(0), seconds=26 * 60)
    table.play("8H", ".UTRAISE")
    (over,) = of(story(table), "overtime")
    assert over.lines[1:] == ("−10: turn 1 ended; the clock showed −1:00 (rule 5.3.2, event 4)",)


def test_a_turn_whose_only_entry_was_taken_back_is_as_it_was():
    table = after("8D PLATE", "wespa-2021")
    table.put(TurnRuled(1, "challenge_upheld", "Dee", "", table.now))
    assert story(table).turns[0].amended
    table.put(Retracted(len(table.events), "Dee", "", table.now))
    assert not story(table).turns[0].amended


def test_letters_exchanged_after_the_press_stand_in_the_turn_in_which_they_lay_so():
    table = after("8D PLATE", "psa")
    at = len(table.events)
    one, two = SquareChange("8D", "P", "L"), SquareChange("8E", "L", "P")
    changed(one, two, table=table, back=True)
    table.play("D8", ".IER")
    found = next(one for one in story(table).incidents if one.event == at + 1)
    assert found.turn == 2
    assert found.text == (
        "8D showed P and then L; 8E showed L and then P: changed 1.5 s to 2.0 s after the press "
        "of turn 1, Ann Lee's arm there; Bo's clock ran"
    )
    assert found.outcome == (
        "as before again 7.0 s to 7.5 s after the press of turn 1, Bo's arm there"
    )
    assert found.rule == "rule 3.4.1: changed after press; 3.6.1: changed out of turn"
    html = turn_section(story(table), story(table).turns[1], SOURCE)
    assert "when the board had changed" in html
    assert found.text in html.replace("&#x27;", "'")


def test_a_change_that_began_to_be_out_of_sight_before_the_press_may_have_come_before_it():
    table = after("8D PLATE", "psa")
    table.play("D8", ".IER")
    at = table.now - 4 * SECOND, table.now + 3 * SECOND
    swapped = SquareChange("9D", "I", "E"), SquareChange("10D", "E", "I")
    table.put(BoardChanged(swapped, *at, None, None, None, None, (), at[1]))
    found = next(one for one in story(table).incidents if one.event == len(table.events))
    assert "4.0 s before to 3.0 s after the press of turn 2" in found.text
    assert "(if before or after it, no picture shows)" in found.text
    assert not found.rule


def test_a_part_that_was_put_back_is_told_by_itself():
    table = after("8D PLATE", "psa")
    one, two = SquareChange("8D", "P", "."), SquareChange("8E", "L", ".")
    changed(one, two, table=table)
    number = len(table.events)
    changed(two, table=table, back=True)
    lines = [it for it in story(table).incidents if (it.event or 0) >= number]
    assert (
        ["8D" in it.text for it in lines] == ["8E" not in it.text for it in lines] == [True, False]
    )
    assert lines[1].outcome.startswith("as before again")


def test_a_square_that_changed_twice_lay_so_until_it_changed_again():
    table = after("8D PLATE", "naspa-2017")
    changed(SquareChange("8D", "P", "."), table=table)
    number = len(table.events)
    changed(SquareChange("8D", "P", "S"), table=table)
    one, two = (it for it in story(table).incidents if (it.event or 0) >= number)
    assert one.outcome == f"it lay so until it changed again, event {number + 1}"
    assert two.outcome == "it lay so at the end of the turn"


@pytest.mark.parametrize(
    ("change", "more", "words", "rule"),
    [
        (SquareChange("8D", "P", "."), {}, "8D showed P and then nothing", "IV.G.1"),
        (SquareChange("8D", "P", "S"), {}, "8D showed P and then S", "IV.G.1"),
        (SquareChange("8D", "P", "P", True), {}, "the P on 8D was turned or pushed", "III.G.4"),
        (SquareChange("8D", "P", "P", True, 0.0), {}, "the P on 8D was pushed on", "III.G.4"),
        (SquareChange("8D", "P", "P", True, -24.0), {}, "the P on 8D was turned by 24°", "III.G.4"),
        (SquareChange("2B", ".", "S"), {}, "2B showed nothing and then S", "IV.D"),
        (None, {}, "an arm of the player not on turn over the board", "IV.D"),
        (None, {"moved": 0.5, "turned": -3.0}, "moved by 0.5 squares and turned by 3°", "IV.D"),
        (None, {"moved": 0.02, "turned": -3.0}, "the board was turned by 3°, with", "IV.D"),
    ],
)
def test_a_change_has_the_rule_of_the_flag_that_it_would_get(change, more, words, rule):
    table = after("8D PLATE", "naspa-2017")
    found = changed(*[change] * (change is not None), table=table, **more)
    assert words in found.text
    assert found.rule.startswith(f"rule {rule}: ")


def test_a_tile_that_stayed_when_its_play_came_off_is_on_the_board_after_it():
    table = after("8D PLATE", "naspa-2017")
    table.play("D8", ".IER")
    table.put(ButtonPressed("neutral", table.now + SECOND))
    table.put(TurnRuled(2, "challenge_upheld", "Dee", "", table.now + SECOND))
    table.put(ButtonPressed("right", table.now + SECOND))
    found = changed(SquareChange("11D", "R", "."), table=table)
    assert found.text.startswith(
        "the R on 11D, of a play that came off, lay there when the clock went on, and was taken off"
    )
    assert found.rule == "rule III.G.6: withdrawn tiles left"
    assert "have a minute given to Ann Lee" in " ".join(found.lines)
    assert found.outcome == "nothing was entered"
    table.put(ClockAdjusted("left", 60 * SECOND, None, "Dee", "III.G.6", table.now + 4 * SECOND))
    found = next(one for one in story(table).incidents if one.event == found.event)
    assert found.outcome.startswith("entered: ")
    board = Board.from_rows(table.state.board.rows)
    table.see(board)
    assert "after, as it counts; 11D still lay there" in turn_section(
        story(table), story(table).turns[1], SOURCE
    )


def test_a_tile_of_a_play_that_came_off_went_to_the_next_square_and_lay_there():
    table = after("8D PLATE", "naspa-2017")
    table.play("D8", ".IER")
    at, tiles = table.now, table.state.turns[1].tiles
    table.put(ButtonPressed("neutral", at + SECOND))
    table.put(TurnRuled(2, "challenge_upheld", "Dee", "a phoney", at + 2 * SECOND))
    off = tuple(SquareChange(name, tiles[name], ".") for name in ("9D", "10D", "11D"))
    slid, seen = SquareChange("11E", ".", "R"), (at + 3 * SECOND, at + 4 * SECOND)
    table.put(BoardChanged((*off, slid), *seen, "right", None, None, None, (), seen[1]))
    table.put(ButtonPressed("left", at + 6 * SECOND))
    gone = (SquareChange("11E", "R", "."),), at + 9 * SECOND, at + 10 * SECOND
    table.put(BoardChanged(*gone, "left", None, None, None, (), at + 10 * SECOND))
    whole = story(table)
    moved, later = (one for one in whole.incidents if one.event and "11E" in one.text)
    assert moved.text.startswith("the R went from 11D to 11E: changed 3.0 s to 4.0 s after")
    assert not moved.rule
    assert later.text.startswith("the R on 11E, of a play that came off, lay there when the clock")
    assert "Ann Lee's arm there" in later.text
    (ruling,) = of(whole, "challenge")
    assert "; 9D, 10D of the play were taken off 3.0 s" in ruling.outcome


def test_an_arm_that_stayed_over_the_board_after_its_press():
    table = after("8D PLATE", "naspa-2017")
    at = table.now + SECOND // 10
    back = table.now + 5 * SECOND, table.now + 6 * SECOND, "left"
    table.put(BoardChanged((), at, at, "left", *back, (), table.now + 6 * SECOND))
    found = next(one for one in story(table).incidents if one.event == len(table.events))
    made = ": stayed from the press of turn 1 on, Ann Lee's arm there; Bo's clock ran"
    assert found.text.endswith(made)
    assert found.outcome.startswith("away again 5.0 s to 6.0 s after the press of turn 1")


def test_a_tile_that_was_laid_after_the_end_is_told_at_the_game():
    table = after("8D PLATE", "naspa-2017")
    table.put(GameEnded("agreed", table.now + SECOND, "Dee"))
    at = table.now + 3 * SECOND, table.now + 4 * SECOND
    fresh = (SquareChange("2B", ".", "S"),)
    table.put(BoardChanged(fresh, *at, "left", None, None, None, (), at[1]))
    found = next(one for one in story(table).incidents if one.event == len(table.events))
    assert found.turn is None
    assert found.text.startswith("2B showed nothing and then S: changed 3.0 s to 4.0 s after")
    assert (found.outcome, found.rule) == ("it lay so when it was seen last", "")


@pytest.mark.parametrize("seen_gone", [False, True])
def test_a_tile_that_was_left_over_and_built_on_is_told_with_both_readings(seen_gone):
    table = after("8D PLATE", "sanspa-1999")
    table.play("D8", ".IER")
    at = table.now
    table.put(ButtonPressed("neutral", at + SECOND))
    table.put(TurnRuled(2, "challenge_upheld", "Dee", "a phoney", at + 2 * SECOND))
    squares = ("9D", "10D", "11D") if seen_gone else ("10D", "11D")
    gone = tuple(SquareChange(name, "I", ".") for name in squares)
    times = at + 3 * SECOND, at + 4 * SECOND, "right", None, None, None, (), at + 4 * SECOND
    table.put(BoardChanged(gone, *times))
    table.put(ButtonPressed("right", at + 6 * SECOND))
    table.play("D8", ".IOS")
    (flag,) = [one for one in of(story(table), "flag") if "withdrawn tiles" in one.text]
    assert "by Ann Lee, and as replaced from the bag. Were they left there?" in flag.text
    assert "Then they are Bo's, and nobody drew for them" in flag.text
    lay_on = "9D of Bo's turn 2 lay there still when 10D, 11D had come off, event "
    assert (lay_on in flag.outcome) is not seen_gone
    (tile,) = [one.text for one in story(table).tiles.at("board") if one.square == "9D"]
    assert tile == "9D, turn 3 by Ann Lee, or left there from a play that came off"


@pytest.mark.parametrize(
    ("squares", "ruled_s", "on_s", "back", "expected"),
    [
        (("9D", "10D"), 2, 8, False, None),
        (("9D", "10D"), 6, 8, False, None),
        (("9D", "10D"), 10, 8, False, "9D showed I and then nothing; 10D showed E"),
        (("9D", "10D"), None, 8, False, "9D showed I and then nothing; 10D showed E"),
        (("9D", "8D"), 2, 8, False, "8D showed P and then nothing: "),
        (("9D", "10D"), 2, 8, True, "9D showed I and then nothing; 10D showed E"),
    ],
    ids=["ruled, then off", "off, then ruled", "ruled late", "no ruling", "one along", "put back"],
)
def test_tiles_that_come_off_in_a_stop_as_ruled_are_no_incident(
    squares, ruled_s, on_s, back, expected
):
    table = after("8D PLATE", "wespa-2021")
    table.play("D8", ".IER")
    at = table.now
    made = [
        (1, ButtonPressed("neutral", at + SECOND)),
        (on_s, ButtonPressed("left", at + on_s * SECOND)),
    ]
    if ruled_s is not None:
        ruled = TurnRuled(2, "challenge_upheld", "Dee", "a phoney", at + ruled_s * SECOND)
        made.append((ruled_s, ruled))
    was = {"8D": "P", "9D": "I", "10D": "E"}
    gone = tuple(SquareChange(name, was[name], ".") for name in squares)
    times = (at + 3 * SECOND, at + 4 * SECOND, "right")
    again = (at + 5 * SECOND, at + 6 * SECOND, "right") if back else (None, None, None)
    made.append((7, BoardChanged(gone, *times, *again, (), at + 7 * SECOND)))
    for _, event in sorted(made, key=lambda one: one[0]):
        table.put(event)
    found = [one.text for one in story(table).incidents if " and then nothing" in one.text]
    assert [one[: len(expected or "")] for one in found] == [expected] * (expected is not None)


@pytest.mark.parametrize(
    ("gone", "side", "ruled_s", "words"),
    [
        ("9D 10D 11D", "right", 2, "the tiles of the play were taken off {}, Bo's arm there"),
        ("9D 10D 11D", "left", 6, "the tiles of the play were taken off {}, Ann Lee's arm there"),
        ("9D 10D", None, 2, "9D, 10D of the play were taken off {}, whose arm was not made out"),
    ],
)
def test_the_hand_that_took_a_play_off_is_told_with_its_ruling(gone, side, ruled_s, words):
    table = after("8D PLATE", "wespa-2021")
    table.play("D8", ".IER")
    at, tiles = table.now, table.state.turns[1].tiles
    table.put(ButtonPressed("neutral", at + SECOND))
    off = tuple(SquareChange(name, tiles[name], ".") for name in gone.split())
    seen = at + 3 * SECOND, at + 4 * SECOND
    made = (
        BoardChanged(off, *seen, side, None, None, None, (), at + 4 * SECOND),
        TurnRuled(2, "challenge_upheld", "Dee", "a phoney", at + ruled_s * SECOND),
    )
    for event in made if ruled_s > 4 else made[::-1]:
        table.put(event)
    table.put(BoardChanged(off, *seen, side, None, None, None, (), at + 5 * SECOND))
    table.put(ButtonPressed("left", at + 8 * SECOND))
    whole = story(table)
    text = words.format("3.0 s to 4.0 s after the press") + "; both clocks stood"
    (ruling,) = of(whole, "challenge")
    assert ruling.outcome.endswith(f"; {text}")
    assert ruling.outcome.count("taken off") == 1
    assert (4 * SECOND, text) in [*happened(whole.turns[1])]


@pytest.mark.parametrize("off_s", [4, 9])
@pytest.mark.parametrize("word", [".IOS", "...."])
def test_a_tile_that_a_later_turn_laid_where_a_ruling_took_one_off_was_not_put_back(off_s, word):
    table = after("8D PLATE", "wespa-2021")
    table.play("D8", ".IER")
    at = table.now
    table.put(ButtonPressed("neutral", at + SECOND))
    table.put(TurnRuled(2, "challenge_upheld", "Dee", "a phoney", at + 2 * SECOND))
    table.put(ButtonPressed("left", at + 8 * SECOND))
    gone, off = (SquareChange("9D", "I", "."),), at + off_s * SECOND
    table.put(BoardChanged(gone, off - SECOND // 2, off, "right", None, None, None, (), off))
    table.now = at + 10 * SECOND
    table.side = "left"
    if word == "....":
        table.nothing()
    else:
        table.play("D8", word)
    back = table.now - 3 * SECOND, table.now - 2 * SECOND, "left"
    table.put(BoardChanged(gone, off - SECOND // 2, off, "right", *back, (), off))
    found = [one for one in story(table).incidents if "9D" in one.text and "changed " in one.text]
    again = [one.outcome.startswith("as before again") for one in found]
    assert again == ([True] if word == "...." else [False] * (off_s == 9))


@pytest.mark.parametrize("called_s", [0, 1, 2, 9, None])
def test_tiles_that_came_off_in_the_stop_of_a_challenge_are_no_incident_though_ruled_on_later(
    called_s,
):
    table = after("8D PLATE", "wespa-2021")
    at = table.now
    table.put(ButtonPressed("neutral", at + SECOND))
    gone = SquareChange("8D", "P", "."), at + 3 * SECOND, at + 4 * SECOND
    table.put(BoardChanged((gone[0],), *gone[1:], "left", None, None, None, (), at + 4 * SECOND))
    table.put(ButtonPressed("left", at + 8 * SECOND))
    called_ns = None if called_s is None else at + called_s * SECOND
    ruled = TurnRuled(1, "challenge_upheld", "Dee", "no", at + 30 * SECOND, 0, called_ns)
    table.put(ruled)
    found = [one for one in story(table).incidents if " and then nothing" in one.text]
    assert len(found) == (called_s not in (0, 1, 2))


def test_a_tile_that_a_later_press_found_gone_is_of_no_play_that_came_off():
    """The change is logged after the turn in which it was found, whose sighting lacks the tile."""
    table = after("8D PLATE", "naspa-2017")
    at = table.now
    table.board = table.board.replace({Square.parse("8D"): "."})
    table.nothing()
    times = at + SECOND, at + 2 * SECOND
    gone = (SquareChange("8D", "P", "."),)
    table.put(BoardChanged(gone, *times, "left", None, None, None, (), times[1]))
    found = next(one for one in story(table).incidents if one.event == len(table.events))
    assert found.text == (
        "8D showed P and then nothing: changed 1.0 s to 2.0 s after the press of turn 1, "
        "Ann Lee's arm there; Bo's clock ran"
    )
    assert found.rule == "rule IV.G.1: changed after press; IV.D: changed out of turn"
    assert not found.lines


def test_a_change_while_both_clocks_stood_is_in_nobodys_turn():
    """The time goes from the last press that ended a turn, whatever was undone since."""
    table = after("8D PLATE", "wespa-2021")
    at = table.now
    table.put(ButtonPressed("neutral", at + SECOND))
    table.now = at + 9 * SECOND
    table.put(ButtonPressed("right", table.now))
    table.nothing()
    table.put(TurnRuled(2, "undone", "Dee", "no turn", table.now))
    table.board = table.board.replace({Square.parse("8D"): "L", Square.parse("8E"): "P"})
    table.side = "right"
    table.play("H8", ".AT")
    swapped = SquareChange("8D", "P", "L"), SquareChange("8E", "L", "P")
    times = at + 4 * SECOND, at + 6 * SECOND
    table.put(BoardChanged(swapped, *times, "left", None, None, None, (), times[1]))
    whole = story(table)
    found = next(one for one in whole.incidents if one.event == len(table.events))
    assert found.turn == 1
    assert found.text.endswith(
        "changed 4.0 s to 6.0 s after the press of turn 1, Ann Lee's arm there; both clocks stood"
    )
    flags = [one for one in of(whole, "flag") if one.text.startswith("tile ")]
    words = f"arm was there when it changed while both clocks stood, event {len(table.events)}"
    assert flags and all(one.outcome.endswith(f"; Ann Lee's {words}") for one in flags)


def test_a_flag_on_what_the_other_player_changed_cites_that():
    table = after("8D PLATE", "wespa-2021")
    changed(SquareChange("8D", "P", "L"), SquareChange("8E", "L", "P"), table=table)
    number = len(table.events)
    table.board = table.board.replace({Square.parse("8D"): "L", Square.parse("8E"): "P"})
    table.play("H8", ".AT")
    flags = [one for one in of(story(table), "flag") if one.text.startswith("tile ")]
    assert flags
    cause = f"Ann Lee's arm was there when it changed, event {number}"
    assert all(one.outcome.endswith(cause) for one in flags)
    html = turn_section(story(table), story(table).turns[1], SOURCE)
    assert f"; {cause}" in html.replace("&#x27;", "'")
    assert all("(rule 3.4.1)" in one.text for one in flags)
    assert {line for one in flags for line in one.lines} == {
        "either: put the tiles back where they lay (3.4.1)",
        "director: call the director (3.4.1)",
    }


def test_the_remedy_for_tiles_that_nobody_saw_moved_is_given_by_whose_hand_it_was():
    table = after("8D PLATE", "wespa-2021")
    table.board = table.board.replace({Square.parse("8D"): "L", Square.parse("8E"): "P"})
    table.play("H8", ".AT")
    flag, *_ = (one for one in of(story(table), "flag") if one.text.startswith("tile "))
    assert flag.lines[0].startswith("if Bo did it, opponent: challenge the whole play off")
    assert flag.lines[-1] == "if Ann Lee did it, director: call the director (3.4.1)"


def test_an_entry_that_names_the_tile_of_a_flag_is_told_with_it():
    table = after("8D PLATE", "naspa-2017")
    table.play("D8", ".IER", (Finding("askew", "9D", "lies between squares"),))
    for what in ("the bag was counted", "the I belongs to 9D"):
        table.put(DirectorNoted(what, "Dee", "", table.now + SECOND, turn=2))
    (flag,) = of(story(table), "flag")
    outcome = f"entered: a note, on turn 2: the I belongs to 9D, event {len(table.events)}"
    assert flag.outcome == outcome
    assert flag.lines, "a note takes no remedy away"


def test_what_is_drawn_is_said_to_be_out_of_sight_where_tiles_were_found():
    table = after("8D PLATE", "psa")
    table.put(TilesFound("table", 1, "left", "Dee", "under the board", table.now + SECOND))
    (one,) = (one for one in story(table).incidents if "found" in one.text)
    assert any(line.startswith("what was drawn") for line in CAMERA_CANNOT)
    assert "they go into the bag" in one.rule


def test_a_flag_of_a_play_that_was_accepted_says_so():
    table = after("8D PLATE", "wespa-2021")
    askew = Finding("askew", "9D", "lies between squares")
    table.play("D8", ".IER", (askew,))
    (one,) = of(story(table), "flag")
    assert one.outcome == "nothing was entered"
    table.put(PlayAccepted(2, "play_accepted", "Dee", "", table.now + SECOND))
    (one,) = of(story(table), "flag")
    assert one.outcome.startswith("nothing was entered; turn 2 was accepted: by word, event ")
    played = after("8D PLATE", "wespa-2021")
    played.play("D8", ".IER", (askew,))
    played.play("11D", ".OAD")
    (one,) = of(story(played), "flag")
    assert one.outcome == "nothing was entered; the play stands: Ann Lee played on in turn 3"


def test_a_challenge_in_vain_that_costs_a_turn_is_said_once():
    table = after("8D PLATE, D8 .IER", "naspa-2017")
    table.put(ButtonPressed("neutral", table.now + SECOND))
    table.put(TurnRuled(2, "challenge_failed", "Dee", "both are words", table.now + 2 * SECOND))
    table.now += 3 * SECOND
    table.put(ButtonPressed("right", table.now))
    table.nothing()
    reported = story(table)
    (one,) = of(reported, "challenge")
    assert "turn 3 is the turn that Ann Lee lost by it" in one.outcome
    assert not [
        one for one in reported.incidents if "nobody entered" in one.outcome and one.turn == 3
    ]


def test_the_times_of_a_turn_that_was_entered_as_not_pressed_count_from_its_end():
    table = after("8D PLATE", "sanspa-1999")
    end = table.now + 9 * SECOND
    table.put(TurnInserted(2, "right", {"9D": "O"}, end, "Dee", "drew", end, "hand_in_bag"))
    table.put(TurnRuled(2, "challenge_upheld", "Dee", "no", end + 5 * SECOND, 0, end + 2 * SECOND))
    (one,) = of(story(table), "challenge")
    assert "called 2.0 s after its end" in one.how_entered
    table.put(PlayAccepted(2, "tiles_drawn", "Dee", "both say", end + 9 * SECOND, end))
    (flag,) = [one for one in of(story(table), "flag") if "out of time" in one.text]
    note = "rule 7.3, 13.2: drawing counts where the opponent allowed it"
    assert f"{note}; no press is known after turn 2" in flag.outcome
    page = turn_section(story(table), story(table).turns[1], SOURCE)
    assert note in page
    assert "Ended without a press" in page and "Pressed at" not in page


def test_a_call_is_told_to_the_tenth_from_the_press():
    for called_ms, says in ((2040, "called 2.0 s after the press"), (-1230, "1.2 s before the")):
        table = after("8D PLATE", "wespa-2021")
        called = table.now + called_ms * 10**6
        table.put(ButtonPressed("neutral", table.now + 3 * SECOND))
        ruled = TurnRuled(1, "challenge_failed", "Dee", "a word", table.now + 5 * SECOND, 1, called)
        table.put(ruled)
        (one,) = of(story(table), "challenge")
        assert says in one.how_entered
        assert ("out of time" in one.outcome) == (called_ms < 0)


def test_the_list_is_by_turn_and_each_kind_can_be_chosen():
    table = after("8D PLATE, D8 .IER", "wespa-2021")
    table.put(ButtonPressed("neutral", table.now + SECOND))
    table.put(TurnRuled(2, "challenge_failed", "Dee", "a word", table.now + 5 * SECOND, 1))
    html = incidents(story(table))
    assert html.count("<h3>") == 1
    assert '<h3><a href="#turn-2">2. Bo: D8 PIER' in html
    assert "<i>Why: a word.</i>" in html
    assert "a challenge in vain costs 5 points" in html
    kinds = set(re.findall(r'<li class="(\w+)', html))
    assert kinds == set(re.findall(r'id="kind-(\w+)"', html)) - {"all"}
    style = resources.files("record.bundle").joinpath("assets", "bundle.css").read_text()
    chosen = re.findall(r"#incidents:has\(#kind-(\w+):checked\)[^,]*li li", style)
    assert set(chosen) == set(get_args(IncidentKind))


def test_what_is_of_the_game_stands_at_no_turn():
    """A late start, the overtime and the points of the end; an empty last turn is no place."""
    table = Table(rulebook="wespa-2021", seconds=30)
    table.put(LateStart("left", 60 * SECOND, "Dee", "came late", table.now))
    table.play("8D", "PLATE")
    table.seconds = 27 * 60
    table.play("D8", ".IER")
    table.seconds = 30
    table.play("11D", ".OAD")
    table.put(GameEnded("agreed", table.now, "Dee", "both stopped"))
    table.put(PointsAdjusted("right", 7, "score", None, "Dee", "added up wrongly", table.now))
    whole = story(table)
    late = [one for one in whole.incidents if one.text.startswith("late start")]
    assert [(one.turn, one.t_ns) for one in late] == [(None, 0)]
    assert all(line.startswith("after the last turn: ") for line in whole.adjustments)
    head = opening(whole)
    assert head.count('<a href="#turn-0">after the last turn') == len([*whole.adjustments])


def test_overtime_at_a_press_that_the_end_counted_is_not_said_to_be_no_longer_so():
    flag = Flag("overtime", (), None, "Ann is over time", "public", settled=1)
    table = after("8D PLATE", "wespa-2021")
    words = settled_by(flag, Course(steps_of(entries_of(table.events))))
    assert words == "it is counted with the overtime of the whole game, event 1"


@pytest.mark.parametrize(
    ("book", "seconds", "says"),
    [
        (
            "sanspa-2001",
            26,
            "it lasted 26.0 s; a hold has no limit, rule 13.1; "
            "Ann Lee could draw from 21.5 s after the press, rule 13.1",
        ),
        (
            "sanspa-1999",
            27,
            "it lasted 27.0 s; a hold may last 20.0 s (about 20, then the player must decide), "
            "rule 13.1; Ann Lee could not draw during it, rule 13.1",
        ),
    ],
)
def test_a_hold_tells_how_long_it_lasted_and_by_which_rule(book, seconds, says):
    table = after("8D PLATE", book)
    held_ns = table.state.turns[-1].press_ns + 1_500_000_000
    table.put(HoldCalled(1, "Dee", held_ns))
    table.put(PlayAccepted(1, "score_written", "Dee", "", held_ns + seconds * SECOND))
    held, written = story(table).turns[0].decisions
    assert held.rule == says
    rule = table.state.rulebook.event_rule("score_written")
    assert written.rule == f"rule {rule}: a play that is accepted by writing its score"


def test_a_hold_that_nobody_ended_lasted_to_the_next_turn_at_most():
    table = after("8D PLATE", "sanspa-2001")
    table.put(HoldCalled(1, "Dee", table.now + 2 * SECOND))
    (open_,) = story(table).turns[0].decisions
    assert "lasted" not in open_.rule
    table.play("D8", ".IER")
    (held,) = story(table).turns[0].decisions
    assert held.rule.startswith("it lasted at most 28.0 s, until the next turn had ended; a hold")


def test_a_hold_ended_when_the_challenge_was_called():
    table = after("8D PLATE", "sanspa-2001")
    at_ns = table.now
    table.put(HoldCalled(1, "Dee", at_ns + 2 * SECOND))
    ruled_ns = at_ns + 60 * SECOND
    table.put(TurnRuled(1, "challenge_upheld", "Dee", "", ruled_ns, called_ns=at_ns + 9 * SECOND))
    held = story(table).turns[0].decisions[0]
    assert held.rule.startswith("it lasted 7.0 s; ")


def test_an_agreed_score_names_the_rule():
    table = after("8D PLATE", "wespa-2021")
    table.put(ScoreAgreed(1, "left", 14, "Dee", "both sheets", table.now + SECOND))
    (agreed,) = story(table).turns[0].decisions
    assert agreed.rule == "rule 3.5(d): a score that both players agree on"


def test_an_entry_rests_on_the_word_of_who_made_it_where_no_picture_speaks():
    """The table's own clock or a picture may show what a clock was set by, or what is noted."""
    table = after("8D PL?TE, D8 .IER, 11D .OAD", "wespa-2007")
    at = table.now
    table.put(ClockAdjusted("left", 6 * SECOND, None, "Dee", "it had run", at))
    table.put(BlankDesignated("8F", "A", "Dee", "said now", at))
    table.put(TurnRuled(3, "challenge_failed", "Dee", "a word", at))
    table.put(TurnRuled(3, "challenge_failed", "Dee", "a word", at, called_ns=at))
    table.put(DirectorNoted("an A was found", "Dee", "", at))
    word, unseen = ", on Dee's word", ": no picture shows it"
    assert [one.how_entered.partition(" (entered by Dee")[2] for one in story(table).decisions] == [
        f"){word}",
        f", when turn 3 had ended){word}{unseen}",
        ")",
        f"), the call on Dee's word{unseen}",
        f"){word}",
    ]
    assert story(table).decisions[1].rule == (
        "WESPA Game Rules, 2007 is silent on the letter of a blank"
    )


@pytest.mark.parametrize("seen_s", [1, 3])
def test_a_play_that_had_been_lifted_when_its_turn_became_none_lies_there_no_more(seen_s):
    table = after("8D PLATE", "naspa-2017")
    at = [table.now + n * SECOND for n in (0, seen_s)]
    off = tuple(
        SquareChange(f"8{col}", tile, ".") for col, tile in zip("DEFGH", "PLATE", strict=True)
    )
    table.put(BoardChanged(off, *at, "left", None, None, None, (), at[1]))
    table.put(PositionRestored(0, "Dee", "", table.now + 2 * SECOND))
    (restored,) = story(table).decisions
    assert ("lies on the board" in restored.outcome) == (seen_s > 2)


def test_tiles_that_were_laid_after_the_end_are_named_beside_the_count():
    table = after("8D PLATE", "psa")
    table.put(GameForfeited("right", "resigned", "Dee", "", table.now + SECOND))
    changed(SquareChange("1A", ".", "W"), SquareChange("8D", "P", "."), table=table)
    words = "Laid after the end, and of no play: 1A W."
    assert words in tiles(story(table))
    changed(SquareChange("1A", "W", "."), table=table)
    assert words not in tiles(story(table))


def test_what_the_camera_reads_again_with_nothing_changed_is_a_line_of_its_turn_alone():
    table = after("8D PLATE", "wespa-2021")
    tiles = {"9D": "I", "10D": "E", "11D": "R", "3L": UNREADABLE}
    seen = table.board.replace({Square.parse(name): symbol for name, symbol in tiles.items()})
    table.see(seen, (Finding("board_covered", None, "not clear at the press"),))
    for square, symbol in (("3L", "."), ("9D", "I")):
        table.put(SquareCorrected(2, square, symbol, "camera", "read again", table.now + SECOND))
    game = story(table)
    assert (game.decisions, of(game, "flag"), game.turns[1].amended) == ((), [], False)
    html = turn_section(game, game.turns[1], SOURCE)
    assert "looked at again after it, with nothing changed: 3L, 9D." in html
    assert "on 3L lay nothing" not in html
    table.put(SquareCorrected(2, "9D", "U", "camera", "read again", table.now + SECOND))
    (read,) = of(story(table), "correction")
    assert read.text == "turn 2: on 9D lay U"


def test_a_turn_without_a_press_has_its_own_row_and_says_whose_clock_ran_for_it():
    """The clocks are parted at its end: what ran on ran for the opponent's turn."""
    table = disputed("forgotten_press", "wespa-2007")
    game = tell(steps_of(entries_of(table)))
    first, second = game.turns[:2]
    ran = [game.clock.ran_ns(other(one.turn.side), one.turn) for one in (first, second)]
    assert ran == [0, 9 * SECOND]
    rows = [re.sub("<[^>]*>", "|", row) for row in clock(game).split("<tr>")]
    why = "Ann Lee (turn 2): Bo&#x27;s turn, for no press was heard after turn 1; WESPA"
    assert [row for row in rows if why in row and "0:09.000" in row]
    assert "Ann Lee's clock ran 9.0 s for it" in turn_section(game, second, SOURCE).replace(
        "&#x27;", "'"
    )
    table = Table(rulebook="wespa-2007")
    seen = table.board.replace({Square.parse("8H"): "A", Square.parse("8I"): "T"})
    table.put(TurnSeen("left", 5 * SECOND, seen.rows, ended="opponent_placed"))
    table.now += int(table.seconds * SECOND)
    seen = seen.replace({Square.parse("9H"): "S"})
    table.put(ButtonPressed("left", table.now))
    table.put(TurnSeen("right", table.now, seen.rows))
    (flag,) = [one for one in of(story(table), "flag") if one.text.startswith("not pressed")]
    assert "Ann Lee's clock ran 25.0 s for turn 2, Bo's" in flag.outcome


def test_a_clock_shows_what_it_showed_then_and_a_later_entry_has_a_line():
    table = after("8D PLATE", "wespa-2021")
    table.now += 2 * SECOND
    table.put(ButtonPressed("neutral", table.now))
    left_ns = table.state.clocks.remaining("left", table.now)
    table.now += 5 * SECOND
    table.put(ClockAdjusted("left", 6 * SECOND, None, "Dee", "it had run", table.now))
    table.now += SECOND
    table.put(ButtonPressed("left", table.now))
    game = story(table)
    account = game.clock
    assert account is not None
    before = account.shown_ns(table.now - 2 * SECOND)["left"]
    assert (before, account.shown_ns(table.now)["left"]) == (left_ns, left_ns + 6 * SECOND)
    rows = [re.sub("<[^>]*>", "|", row) for row in clock(game).split("<tr>")]
    at = next(at for at, row in enumerate(rows) if "clock: +0:06 (Dee" in row and "entered:" in row)
    stood = [row for row in rows if "both stood" in row and "had not begun" not in row]
    assert rows.index(stood[0]) == at - 1, "the stop before it"
    assert rows.index(stood[1]) == at + 1, "and after it"


def test_nothing_is_said_to_be_open_or_settled_that_is_not():
    """A ruling answers the flag, and its remedies are past; a later reading settles nothing."""
    table = after("8D PLATE", "wespa-2021")
    table.play("D8", ".IER", (Finding("askew", "9D", "lies between squares"),))
    open_ = turn_section(story(table), story(table).turns[1], SOURCE)
    table.put(TurnRuled(2, "challenge_failed", "Dee", "a word", table.now + SECOND, 1))
    ruled = story(table)
    (flag,) = (one for one in ruled.incidents if one.kind == "flag")
    assert flag.outcome.startswith("entered: turn 2: ")
    shown = turn_section(ruled, ruled.turns[1], SOURCE)
    assert "→ entered: turn 2: " in shown and "→ entered:" not in open_
    assert "call the director" not in shown


def test_a_flag_that_a_report_raised_stands_at_the_report():
    table = after("8D PLATE", "naspa-2017")
    table.put(DrawDelayed("left", "Dee", "counted tiles", table.now + SECOND))
    table.play("D8", ".IER")
    table.play("11D", ".OAD")
    (one,) = [one for one in of(story(table), "flag") if "drawing delayed" in one.text]
    assert (one.turn, one.t_ns) == (1, table.events[-5].t_ns)
    (note,) = [one for one in story(table).decisions if isinstance(one.entry.event, DrawDelayed)]
    assert note.rule == "delay 1: the first is a warning, rule IV.G.2.b"


def test_time_that_a_delay_gave_is_on_the_clock_from_its_entry():
    table = after("8D PLATE", "naspa-2017")
    table.put(DrawDelayed("left", "Dee", "counted tiles", table.now + SECOND))
    table.put(DrawDelayed("left", "Dee", "again", table.now + 2 * SECOND))
    table.play("D8", ".IER")
    account = story(table).clock
    (change,) = account.changes
    assert (change.added_ns, change.at_ns) == (60 * SECOND, change.entry.event.t_ns)


def test_an_entry_that_a_later_one_overtook_says_so():
    table = after("8D PLaTE", "sanspa-2001")
    for letter in "AE":
        table.put(BlankDesignated("8F", letter, "Dee", "", table.now + SECOND))
    first, second = story(table).decisions
    assert first.outcome.endswith(f"it holds no longer: event {second.entry.number} decides")
    assert "holds no longer" not in second.outcome


def test_of_two_entries_that_have_nothing_to_do_with_each_other_both_hold():
    decisions = story(after("8D PLATE, penalty left 5, penalty right 5")).decisions
    assert len(decisions) == 2
    assert not [one for one in decisions if "holds no longer" in one.outcome]


def test_the_first_of_two_equal_reports_is_told_as_the_warning():
    table = after("8G CAT, report left score_unrecorded 1, 9G ON, 9I E", "sanspa-1999")
    second = Reported("score_unrecorded", "left", "Dee", "again", table.now, turn=3)
    number = table.put(second).event_number - 1
    first, last = of(story(table), "flag")
    assert first.outcome == f"it was the warning, for it was done again, event {number}"
    assert (last.outcome, first.lines) == ("still open", ())
    assert any("take points off Ann Lee" in line for line in last.lines)


def test_the_first_of_two_delayed_draws_is_told_as_the_warning():
    table = after("8G CAT, delayed left, delayed left", "naspa-2017")
    first = next(one for one in of(story(table), "flag") if one.outcome != "still open")
    assert first.outcome.startswith("it was the warning, for it was done again, event ")


def test_another_report_that_settles_one_is_no_warning():
    asked = "8G CAT, end, report right recount_asked, report right recount_halted"
    flag, *_ = of(story(after(asked, "psa")), "flag")
    assert flag.outcome.startswith("settled: reported of Bo: a recount that")


@pytest.mark.parametrize(
    ("book", "steps", "says"),
    [
        ("sanspa-1999", "8G CAT, 9G ON, points left 9 score", "own sums gave Ann Lee 10 before it"),
        ("sanspa-1999", "8G CAT, agree 1 left 30, 9G ON, points left 9 score", "score of turn 1"),
        ("naspa-2017", "8G CAT, agree 0 left 19", "own sums gave Ann Lee 10 before it"),
        (
            "naspa-2017",
            "8G CAT, 9G ON, report left out_of_order 1, points left -50 spread IV.B.6",
            "81 tiles were in the bag when it was reported; the rules: either: nothing",
        ),
        ("naspa-2017", "8G CAT, points left -50 spread IV.B.6", ""),
        ("sanspa-1999", "8G CAT, report left overdrawn 1, 9G ON, penalty left 5", ""),
    ],
)
def test_what_the_record_says_against_points_stands_beside_them(book, steps, says):
    found = story(after(steps, book))
    last = found.decisions[-1]
    assert says in last.outcome
    assert bool(says) == bool([*against(found.course, last.entry)])


@pytest.mark.parametrize(
    ("book", "steps", "says"),
    [
        ("naspa-2017", "8G CAT, neutral, rule 1 illegal_play", "rule III.G.5: an illegal play"),
        ("naspa-2017", "8G CAT, slip left", "IV.H.1, as entered; rule II.F: every 3 minor"),
        ("sanspa-1999", "8G CAT, neutral, rule 1 challenge_withdrawn", "rule 13.1, 12.2: withdraw"),
        (
            "sanspa-1999",
            "8G CAT, neutral, rule 1 challenge_failed 1 second_opinion",
            "costs nothing; rule 13.5: looking a challenge up again",
        ),
        ("wespa-2021", "8G CAT, neutral, tiles table 1 left E", "rule 4.3: tiles found outside"),
        (
            "wespa-2007",
            "8G CAT, end, sign, reopen both_agree",
            "rule 9.1, 9.2: why a signed result",
        ),
        ("wespa-2007", "8G CAT, end, sign", "once it is signed, scores are corrected before it is"),
        ("wespa-2021", "8G CAT, report left unethical", "rule 6.3.3: unethical behaviour"),
        ("wespa-2021", "8G CAT, neutral, why 1 challenge", "rule 4.1(a): a stop for a challenge"),
        ("sanspa-2001", "8G CAT, neutral, why 1 score", "rule 14.1: a stop for a question about"),
    ],
)
def test_an_entry_names_the_rule_that_decides(book, steps, says):
    assert says in story(after(steps, book)).decisions[-1].rule


def test_scoreless_turns_that_nobody_noticed_name_the_rule_by_which_the_game_goes_on():
    table = after("8G CAT, -, -, -, -, -, -, 9G ON", "sanspa-2001")
    (zeros,) = (one for one in of(story(table), "flag") if one.text.startswith("six zeros"))
    assert zeros.outcome.endswith("; unnoticed, the game goes on (rule 18.6)")


def test_a_new_flag_has_the_present_names():
    """Names that are put right change places: each is put in the other's place once."""
    table = after("8G CAT, report left unethical", "wespa-2021")
    table.put(PlayersNamed({"left": "Bo", "right": "Ann Lee"}, "Dee", table.now))
    entry = story(table).decisions[0]
    assert entry.changes == ("a new flag: Bo behaved unethically, as was reported.",)
