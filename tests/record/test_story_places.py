"""The places of entries in the account, the stop that a reason explains, and times unseen."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from game.board import Square
from game.events import (
    ButtonPressed,
    ClockAdjusted,
    DirectorNoted,
    Event,
    Finding,
    GameEnded,
    GameForfeited,
    GameReopened,
    PenaltyAdded,
    Picture,
    PicturesKept,
    PicturesLost,
    PlayersNamed,
    PlayMade,
    PointsAdjusted,
    PositionRestored,
    RackReported,
    Reported,
    ResultSigned,
    Retracted,
    SetAltered,
    StopExplained,
    TableDescribed,
    TimeUnseen,
    TroubleNoted,
    TurnReading,
    TurnRuled,
    TurnSeen,
)
from record.bundle.derived_files import page, picture_source
from record.story import Story, steps_of, tell
from record.story.entries import RECORDING
from record.story_html.game import clock
from record.story_html.turn import turn_section
from record.story_html.words import moment
from tests.game.gamekit import SECOND, Table
from tests.game.scriptkit import after
from tests.record.bundlekit import entries_of

THREE = "8D PLATE, D8 .IER, 11D .OAD"


def account(table: Table, late_s: dict[type, int] | None = None) -> Story:
    """The account of a game; entries of some kinds were logged so many seconds after their time."""
    late = late_s or {}
    entries = [
        replace(one, logged=replace(one.logged, wall_ns=one.logged.wall_ns + by * SECOND))
        for one in entries_of(table.events)
        for by in (late.get(type(one.event), 0),)
    ]
    return tell(steps_of(entries))


def standing(story: Story) -> dict[str, tuple[int, ...]]:
    """The turns at which people's entries stand, by the kind of each; none for the game."""
    return {type(one.entry.event).__name__: one.turns for one in story.decisions}


def of_stops(story: Story) -> list[tuple[str, int | None]]:
    """The outcome and the turn of each stop of the clock."""
    stops = [one for one in story.incidents if "both clocks stood" in one.text]
    return [(one.outcome.partition(" (entered by ")[0], one.turn) for one in stops]


def stopped(table: Table, *seconds: int) -> None:
    """Stop and start the clock in turn, so many seconds after the last turn."""
    for at, then in enumerate(seconds):
        button = ("neutral", "left" if table.side == "right" else "right")[at % 2]
        table.put(ButtonPressed(button, table.now + then * SECOND))


def test_what_belongs_to_an_end_stands_at_the_game():
    """An earlier turn is ruled on at the same stop: that is no reason to stand there."""
    table = after(THREE, "wespa-2021")
    stop = table.now + 2 * SECOND
    for after_s, event in (
        (0, lambda t: ButtonPressed("neutral", t)),
        (5, lambda t: TurnRuled(2, "challenge_failed", "Dee", "good", t, words=1)),
        (7, lambda t: PenaltyAdded("left", 5, None, "Dee", "rude", t)),
        (20, lambda t: GameEnded("agreed", t, "Dee", "both stopped")),
        (30, lambda t: RackReported("left", "QU", t, "Dee", "shown", 2)),
        (60, lambda t: SetAltered("E", "", "Dee", "counted", t)),
        (90, lambda t: ResultSigned("both", t)),
        (900, lambda t: GameReopened("both_agree", "Dee", "a sum", t)),
    ):
        table.put(event(stop + after_s * SECOND))
    story = account(table)
    assert standing(story) == {
        "TurnRuled": (2,),
        "PenaltyAdded": (3,),
        "GameEnded": (),
        "RackReported": (),
        "SetAltered": (),
        "ResultSigned": (),
        "GameReopened": (),
    }
    assert [one.turn for one in story.incidents][-5:] == [None] * 5
    shown = page(steps_of(entries_of(table.events)), "0" * 64, picture_source({})).decode()
    section = shown.split('id="turn-0"')[1].split("</section>")[0]
    assert "the result was signed" in section
    assert "the result was signed" not in shown.split('id="turn-2"')[1].split("</section>")[0]


@pytest.mark.parametrize(
    ("entered", "turns"),
    [
        # Its moment tells its turn, whenever it is entered.
        (PointsAdjusted("left", 10, "score", None, "Dee", "wrong sum", 30 * SECOND + 10**6), (1,)),
        (PenaltyAdded("left", 5, None, "Dee", "rude", 89 * SECOND), (2,)),
        (ClockAdjusted("left", 60 * SECOND, None, "Dee", "held up", 61 * SECOND), (2,)),
        (PenaltyAdded("left", 5, None, "Dee", "rude", 100 * SECOND), (3,)),
        (PenaltyAdded("left", 5, None, "Dee", "rude", 10 * SECOND), ()),
        (PenaltyAdded("left", 5, None, "Dee", "rude", 120 * SECOND), ()),
        (PlayersNamed({"left": "Cy"}, "Dee", 70 * SECOND), ()),
        (TurnRuled(1, "play", "Dee", "it counts", 7000 * SECOND), (1,)),
    ],
)
def test_an_entry_without_a_turn_stands_where_its_moment_is(entered: Event, turns):
    table = after(THREE, "wespa-2021")
    table.put(GameEnded("agreed", 110 * SECOND, "Dee", "both stopped"))
    table.put(entered)
    assert account(table).decisions[-1].turns == turns
    table.put(Retracted(len(table.events), "Dee", "wrong", 9000 * SECOND))
    assert account(table).decisions[-1].turns == turns


def test_the_present_names_stand_everywhere_and_the_entry_tells_both():
    table = after(THREE, "wespa-2021")
    table.put(ClockAdjusted("left", 60 * SECOND, None, "Dee", "held up", 61 * SECOND))
    table.put(PenaltyAdded("left", 5, None, "Dee", "rude", 62 * SECOND))
    old = dict(table.state.players)
    table.put(PlayersNamed({"left": "Zoe", "right": "Yan"}, "Dee", 70 * SECOND))
    story = account(table)
    lines = [text for turn in story.turns for _, text in turn.presses]
    lines += [line for one in story.decisions for line in (one.text, *one.changes)]
    lines += [story.course.words(one.entry) for one in story.clock.changes]
    assert "Zoe pressed the clock" in lines
    named = [line for line in lines if any(name in line for name in old.values())]
    assert named == [
        f"the player on the left: {old['left']} → Zoe",
        f"the player on the right: {old['right']} → Yan",
    ]


def test_an_entry_long_after_its_time_is_marked_with_the_delay():
    table = after(THREE, "wespa-2021")
    table.put(ClockAdjusted("left", SECOND, None, "Dee", "held up", 31 * SECOND))
    table.put(GameEnded("agreed", 110 * SECOND, "Dee", "both stopped"))
    table.put(TurnRuled(1, "play", "Dee", "it counts", 7200 * SECOND))
    table.put(PenaltyAdded("left", 5, None, "Dee", "rude", 7300 * SECOND))
    story = account(table, {ClockAdjusted: 600})
    late = {
        type(one.entry.event).__name__: story.course.late_ns(one.entry) for one in story.decisions
    }
    assert {name: ns // SECOND for name, ns in late.items()} == {
        "ClockAdjusted": 631 - 60,  # the second turn ended at 60 s
        "GameEnded": 0,
        "TurnRuled": 7200 - 60,
        "PenaltyAdded": 7300 - 110,
    }
    # The wall time of other moments owes nothing to a late entry.
    assert story.wall.at(31 * SECOND) - story.wall.at(30 * SECOND) == SECOND
    # Nor do the clocks: they stood from the end on, and nobody saw them long after it.
    assert story.clock.stretches[-1].until_ns == 110 * SECOND


def test_what_is_entered_after_a_replay_is_of_no_time_of_the_recording():
    """The table's time, on which it was entered, is not the recording's."""
    table = after(THREE, "wespa-2021")
    table.put(TableDescribed("0", {}, {RECORDING: "a game"}, 0))
    table.put(PenaltyAdded("left", 5, None, "Dee", "rude", 90_000 * SECOND))
    story = account(table)
    (one,) = [one for one in story.incidents if one.event is not None]
    assert moment(story, one.t_ns) == "after the recording"
    assert one.how_entered == " (entered by Dee, 24:58:30.0 after the time of the turn)"
    assert story.clock.stretches[-1].until_ns == 90 * SECOND
    assert moment(story, 65 * SECOND) == "1:05"


REASONS = [
    # Each reason is of the stop by its moment, and of no other.
    ([StopExplained(3, "blank", "Dee", "asked", 95 * SECOND)], ["the letter of a blank", ""]),
    ([StopExplained(3, "blank", "Dee", "asked", 125 * SECOND)], ["", "the letter of a blank"]),
    # A challenge may be ruled on after the restart, or have been called in a stop.
    ([TurnRuled(3, "challenge_failed", "Dee", "good", 105 * SECOND)], ["a challenge", ""]),
    ([TurnRuled(3, "challenge_failed", "Dee", "good", 125 * SECOND)], ["", "a challenge"]),
    (
        [TurnRuled(3, "challenge_failed", "Dee", "good", 150 * SECOND, called_ns=93 * SECOND)],
        ["a challenge", ""],
    ),
    (
        [
            StopExplained(3, "blank", "Dee", "asked", 125 * SECOND),
            TurnRuled(3, "challenge_failed", "Dee", "good", 150 * SECOND),
        ],
        ["a challenge", "the letter of a blank"],
    ),
    # A challenge has one stop: another is not its, whatever the ruling's moment.
    (
        [
            StopExplained(3, "challenge", "Dee", "called", 95 * SECOND),
            TurnRuled(3, "challenge_failed", "Dee", "good", 95 * SECOND, called_ns=90 * SECOND),
        ],
        ["a challenge", ""],
    ),
    # A ruling on an earlier turn is the reason only of the stop in which it was made.
    ([TurnRuled(2, "challenge_failed", "Dee", "good", 105 * SECOND)], ["", ""]),
    ([TurnRuled(2, "challenge_failed", "Dee", "good", 95 * SECOND)], ["a challenge", ""]),
]


@pytest.mark.parametrize(("entered", "reasons"), REASONS)
def test_a_reason_is_of_the_stop_that_it_explains(entered, reasons):
    table = after(THREE, "wespa-2007")
    stopped(table, 2, 12, 30, 40)
    for event in entered:
        table.put(event)
    outcomes = [f"stopped for: {why}" if why else "nobody entered why" for why in reasons]
    assert of_stops(account(table)) == [(why, 3) for why in outcomes]


def test_a_reason_that_was_entered_in_a_later_stop_is_of_its_own_alone():
    table = after(THREE, "wespa-2007")
    stopped(table, 2, 12, 30, 40)
    table.put(StopExplained(3, "blank", "Dee", "asked", 95 * SECOND))
    explained, other = of_stops(account(table, {StopExplained: 30}))
    assert explained == ("stopped for: the letter of a blank", 3)
    assert other == ("nobody entered why", 3)


def test_a_reason_that_was_taken_back_explains_nothing():
    table = after(THREE, "wespa-2007")
    stopped(table, 2, 12)
    table.put(StopExplained(3, "blank", "Dee", "asked", 95 * SECOND))
    table.put(Retracted(len(table.events), "Dee", "wrong", 130 * SECOND))
    assert of_stops(account(table)) == [("nobody entered why", 3)]


def test_a_note_after_a_stop_without_a_reason_is_named():
    table = after(THREE, "wespa-2007")
    stopped(table, 2, 12)
    table.put(DirectorNoted("the middle button", "Dee", "", table.now + 20 * SECOND))
    why = f"nobody entered why, but a note: event {len(table.events)}"
    assert of_stops(account(table)) == [(why, 3)]
    (row,) = (row for row in clock(account(table)).split("<tr>") if why in row)
    assert f"both stood: {why}" in row


@pytest.mark.parametrize(
    ("book", "whose"), [("psa", "restarts the clock (1.4.3)"), ("wespa-2007", "")]
)
def test_a_play_that_was_made_while_both_clocks_stood_is_told_with_the_stop(book, whose):
    table = after(THREE, book)
    stopped(table, 2)
    table.play("15D", "TO")
    ((outcome, _),) = of_stops(account(table))
    words, _, more = outcome.partition("the press of turn 4 ended it")
    assert words == "nobody entered why; "
    assert more.endswith(whose) and bool(more) == bool(whose)


def test_a_stop_in_a_turn_that_is_none_any_more_has_the_reason_that_was_entered_in_it():
    table = after(THREE, "naspa-2017")
    stopped(table, 2)
    table.put(StopExplained(3, "improper_procedure", "Dee", "a tile", table.now + 5 * SECOND))
    table.put(PositionRestored(2, "Dee", "", table.now + 6 * SECOND))
    table.put(ButtonPressed("left", table.now + 9 * SECOND))
    assert of_stops(account(table)) == [("stopped for: a breach of procedure", 3)]


def test_an_end_that_was_taken_back_is_a_stop_that_says_whose_clock_ran():
    table = after(THREE, "wespa-2021")
    table.put(GameForfeited("right", "left", "Dee", "gone", table.now + 3 * SECOND))
    forfeited = len(table.events)
    table.put(Retracted(forfeited, "Dee", "back", table.now + 10 * SECOND))
    table.put(ButtonPressed("left", table.now + 16 * SECOND))
    table.put(ButtonPressed("right", table.now + 20 * SECOND))
    story = account(table)
    why = f"stopped for: event {forfeited}, an end that was taken back, when Bo's clock ran"
    assert of_stops(story) == [(why, 3)]
    (stop,) = [one for one in story.incidents if "clocks stood" in one.text]
    assert stop.text == "both clocks stood for 13.0 s"
    assert story.decisions[-1].changes[-1] == "both clocks stand until one is started"


def test_what_is_taken_back_after_the_end_leaves_the_game_over():
    table = after(THREE, "wespa-2021")
    table.put(GameEnded("agreed", table.now + 3 * SECOND, "Dee", "over"))
    table.put(ClockAdjusted("left", 9 * SECOND, None, "Dee", "slow", table.now + 8 * SECOND))
    table.put(ButtonPressed("neutral", table.now + 15 * SECOND))
    table.put(Retracted(len(table.events) - 1, "Dee", "wrong", table.now + 20 * SECOND))
    assert of_stops(account(table)) == []


def test_a_stop_that_the_end_followed_is_explained_by_it():
    table = after(THREE, "wespa-2021")
    stopped(table, 2)
    table.put(GameEnded("agreed", table.now + 30 * SECOND, "Dee", "both stopped"))
    assert of_stops(account(table)) == [("stopped for: the end of the game", 3)]


# --- what nobody saw ---


def unseen(story: Story) -> list[tuple[float, float, tuple[int, ...]]]:
    """From when to when there was no picture, in seconds, and the turns of it."""
    return [(one.from_ns / SECOND, one.until_ns / SECOND, one.turns) for one in story.unseen]


def seen(table: Table, at_s: int, sighted_s: int | None, *lost: tuple[int, int, int]) -> None:
    """The player on turn presses; the board is read from a later picture, or from none."""
    at_ns = at_s * SECOND
    table.put(ButtonPressed(table.side, at_ns))
    none = Finding("uncertain_square", None, "no picture of the board")
    table.put(
        TurnSeen(
            table.side,
            at_ns,
            table.board.rows,
            None if sighted_s is None else sighted_s * SECOND,
            findings=(none,) if sighted_s is None else (),
            lost=tuple(PicturesLost(a * SECOND, b * SECOND, n) for a, b, n in lost),
        )
    )
    table.side = "left" if table.side == "right" else "right"


def test_a_camera_that_was_out_is_one_incident_of_the_turns_that_it_touches():
    table = after("8D PLATE, D8 .IER", "wespa-2021")
    trouble = "camera_lost", ""
    table.put(TroubleNoted(*trouble, "begins", "the camera is lost", 67 * SECOND))
    seen(table, 80, None, (65, 80, 0))
    table.put(TroubleNoted(*trouble, "over", "the camera delivers again", 87 * SECOND))
    seen(table, 100, 101, (65, 87, 0))
    story = account(table)
    assert unseen(story) == [(65, 87, (3, 4))]
    (one,) = [one for one in story.incidents if one.kind == "unseen"]
    assert (one.turn, one.also, one.until_ns) == (3, (4,), 87 * SECOND)
    assert one.text.startswith(
        "no picture of the board for 22.0 s: the camera delivered no picture"
    )
    assert "nobody saw what Ann Lee played in turn 3: it counts as not known" in one.outcome
    assert "turn 4 was read from the picture 1.0 s after the press" in one.outcome
    assert "how its tiles lay at the press no picture shows" not in one.outcome
    assert not any("played nothing" in one.text for one in story.incidents if one.turn == 3)


@pytest.mark.parametrize(
    ("lost", "cause"),
    [
        ((70, 73, 30), "pictures came for which this computer had no time"),
        ((70, 73, 0), "no picture came"),
    ],
)
def test_lost_pictures_are_an_incident(lost, cause):
    table = after("8D PLATE, D8 .IER", "wespa-2021")
    seen(table, 80, 81, lost)
    (one,) = [one for one in account(table).incidents if one.kind == "unseen"]
    assert one.text == f"no picture of the board for 3.0 s: {cause}"
    assert (one.turn, one.t_ns) == (3, 70 * SECOND)
    assert one.outcome.startswith("turn 3 was read from the picture 1.0 s after the press")
    assert one.outcome.endswith(
        "; it began 10.0 s after the press of turn 2; the tiles of the turns before lay on the "
        "same squares after it as before it"
    )


def test_a_lost_camera_was_back_with_the_first_picture_that_was_kept():
    table = after("8D PLATE, D8 .IER", "wespa-2021")
    trouble = "camera_lost", ""
    table.put(TroubleNoted(*trouble, "begins", "no picture for 2 seconds", 67 * SECOND))
    table.put(kept(3, 86))
    table.put(TroubleNoted(*trouble, "over", "it delivers again", 87 * SECOND))
    seen(table, 90, 91, (65, 86, 0))
    story = account(table)
    assert unseen(story) == [(65, 86, (3,))]
    (one,) = [one for one in story.incidents if one.kind == "unseen"]
    assert one.text == "no picture of the board for 21.0 s: the camera delivered no picture"


def test_pictures_that_showed_no_board_did_come():
    table = after("8D PLATE, D8 .IER", "wespa-2021")
    table.put(kept(3, 71))
    seen(table, 80, 81, (70, 73, 0))
    (one,) = [one for one in account(table).incidents if one.kind == "unseen"]
    assert one.text.endswith(": pictures came, but they were dark or the board was covered")


def test_a_dark_picture_is_told_once():
    table = after("8D PLATE, D8 .IER", "wespa-2021")
    trouble = "camera_dark", ""
    table.put(TroubleNoted(*trouble, "begins", "the picture is dark", 67 * SECOND))
    table.put(kept(3, 71))
    table.put(TroubleNoted(*trouble, "over", "the camera sees again", 75 * SECOND))
    seen(table, 80, 81, (66, 75, 0))
    (one,) = [one for one in account(table).incidents if one.kind == "unseen"]
    assert one.text.endswith("for 9.0 s: the pictures were dark")


def test_it_is_light_again_with_the_first_picture_that_was_examined():
    table = after("8D PLATE, D8 .IER", "wespa-2021")
    table.put(TroubleNoted("camera_dark", "", "begins", "the picture is dark", 67 * SECOND))
    table.put(TroubleNoted("camera_dark", "", "over", "the camera sees again", 75 * SECOND))
    seen(table, 80, 81, (66, 73, 0))
    story = account(table)
    (one,) = [one for one in story.incidents if one.kind == "unseen"]
    assert one.text.endswith("for 7.0 s: the pictures were dark")
    assert not story.dark_at(74 * SECOND)


def kept(turn: int, *at_s: int) -> PicturesKept:
    """Pictures that were kept of a turn."""
    found = (Picture("around", f"{s:064x}", s * SECOND) for s in at_s)
    return PicturesKept(turn, tuple(found), max(at_s) * SECOND)


def test_every_turn_that_a_gap_touches_tells_it_with_the_pictures_around_it():
    table = after("8D PLATE, D8 .IER", "wespa-2021")
    pressed = table.now // SECOND
    table.put(kept(2, pressed + 1))
    seen(table, pressed + 25, pressed + 24, (pressed + 1, pressed + 21, 0))
    table.put(kept(3, pressed + 21))
    seen(table, pressed + 35, pressed + 35)
    story = account(table)
    html = [turn_section(story, one, picture_source({})) for one in story.turns]
    gap = "No picture of the board for 20.0 s, from"
    assert [gap in one for one in html] == [False, True, True, False]
    assert f"{gap} +1.0 s to +21.0 s: no picture came" in html[1]
    assert '<a href="#turn-3">turn 3, −4.0 s</a>' in html[1]
    assert '<a href="#turn-2">turn 2, +1.0 s</a>' in html[2]
    assert re.search(r'<label for="shot-3-0">−4.0 s</label>\.', html[2])


def test_a_long_time_of_which_nothing_is_kept_is_no_time_without_pictures():
    table = after("8D PLATE, D8 .IER", "wespa-2021")
    pressed = table.now // SECOND
    table.put(kept(2, pressed + 1))
    table.put(ButtonPressed("left", table.now + 8 * SECOND))
    read = TurnSeen("left", table.now + 8 * SECOND, table.board.rows, None, lost=())
    table.put(read)
    table.put(kept(3, pressed + 7))
    story = account(table)
    html = turn_section(story, story.turns[2], picture_source({}))
    assert "Pictures came, but none is kept for 6.0 s, from −7.0 s to −1.0 s." in html


@pytest.mark.parametrize(("apart_s", "noted"), [(11, False), (14, True)])
def test_between_pictures_of_thinking_nothing_happened(apart_s, noted):
    table = after("8D PLATE, D8 .IER", "wespa-2021")
    pressed = table.now // SECOND
    table.put(ButtonPressed("left", table.now + 30 * SECOND))
    table.put(TurnSeen("left", table.now + 30 * SECOND, table.board.rows, None, lost=()))
    thinking = [
        Picture("thinking", f"{s:064x}", (pressed + s) * SECOND) for s in range(0, 31, apart_s)
    ]
    table.put(PicturesKept(3, tuple(thinking), table.now))
    story = account(table)
    html = turn_section(story, story.turns[2], picture_source({}))
    assert ("none is kept" in html) is noted


def test_a_camera_that_stays_out_is_an_incident_to_the_last_that_was_seen():
    table = after("8D PLATE", "wespa-2021")
    table.put(TroubleNoted("camera_dark", "", "begins", "the picture is dark", 40 * SECOND))
    table.put(ButtonPressed("neutral", 55 * SECOND))
    story = account(table)
    assert unseen(story) == [(40, 55, ())]
    (one,) = [one for one in story.incidents if one.kind == "unseen"]
    assert (one.turn, one.outcome) == (
        1,
        "no turn ended in it; it began 10.0 s after the press of turn 1; who darkened or covered "
        "the camera no picture tells",
    )


def test_a_time_that_nobody_watched_is_asked_about_where_it_was():
    table = after("8D PLATE, D8 .IER", "wespa-2021")
    table.put(TimeUnseen(70 * SECOND, 70 * SECOND, 1800 * SECOND, measured=False))
    stopped(table, 15, 20)
    seen(table, 99, 99)
    story = account(table)
    (asked,) = [one for one in story.incidents if one.text.startswith("time unseen")]
    assert (asked.turn, asked.t_ns) == (3, 70 * SECOND)
    (one,) = [one for one in story.incidents if one.kind == "unseen"]
    assert one.text.startswith("no picture of the board: nobody watched the table for 30:00")
    assert one.turn == 3


def test_of_a_time_that_nobody_watched_no_more_is_said_than_was_heard():
    table = after("8D PLATE, D8 .IER", "wespa-2021")
    ran = table.now
    table.put(TimeUnseen(ran + 5 * SECOND, ran + 35 * SECOND, 30 * SECOND, measured=True))
    ended, pressed = ran + 36 * SECOND, ran + 44 * SECOND
    lost = Finding("pictures_lost", None, "")
    board = table.board
    table.put(TurnSeen("left", ended, board.rows, ended, findings=(lost,), ended="opponent_placed"))
    table.put(ButtonPressed("right", pressed))
    table.put(TurnSeen("right", pressed, board.rows, pressed))
    entries = [
        replace(one, logged=replace(one.logged, wall_ns=pressed))
        if isinstance(one.event, TurnSeen) and one.event.press_ns == ended
        else one
        for one in entries_of(table.events)
    ]
    story = tell(steps_of(entries))
    (gap,) = (one for one in story.incidents if "nobody watched the table" in one.text)
    assert gap.outcome.startswith("both clocks are taken as stopped for 39.0 s; ")
    html = turn_section(story, story.turns[2], picture_source({}))
    assert "Nobody pressed" not in html
    assert "too slow" not in html + " ".join(story.doubts)
    assert "the turn ended without a press that was heard" in html
    assert story.wall.at(ended) == story.wall.at(pressed) - 8 * SECOND


def test_nobody_is_said_to_have_played_nothing_in_a_turn_without_a_picture():
    """Logs of before the table noted lost pictures count such a turn as an exchange or a pass."""
    table = after("8D PLATE, D8 .IER", "wespa-2021")
    table.put(ButtonPressed("left", 80 * SECOND))
    none = Finding("uncertain_square", None, "no picture of the board")
    table.put(TurnSeen("left", 80 * SECOND, table.board.rows, None, findings=(none,)))
    texts = [one.text for one in account(table).incidents if one.turn == 3]
    assert "no tile of Ann Lee's was seen by the press: an exchange or a pass" in texts
    assert not any("played" in text for text in texts)


def test_of_a_turn_that_is_asked_about_no_more_is_said_than_was_seen():
    """A turn without a press has an end, from which times count."""
    table = after(THREE, "wespa-2021")
    rest_ns = table.now + 9 * SECOND
    rows = table.board.replace({Square.parse("8I"): "S"}).rows
    table.put(TurnSeen("right", rest_ns, rows, rest_ns, ended="opponent_placed"))
    press_ns = rest_ns + 20 * SECOND
    table.put(ButtonPressed("left", press_ns))
    ways = tuple(TurnReading((PlayMade(side, {}, press_ns),)) for side in ("left", "right"))
    lost = (PicturesLost(rest_ns + SECOND, rest_ns + 3 * SECOND, 0),)
    asked = (Finding("turn_inferred"),)
    table.put(TurnSeen("left", press_ns, rows, press_ns, findings=asked, lost=lost, readings=ways))
    found = [one for one in account(table).incidents if one.turn == 5]
    words = "no tile of Ann Lee's was seen by the press: an exchange or a pass"
    assert words in [one.text for one in found]
    gap = next(one for one in found if one.kind == "unseen")
    assert "it began 1.0 s after the end of turn 4" in gap.outcome


@pytest.mark.parametrize(
    "make",
    [
        lambda t: Reported("returned", "right", "Dee", "back", t, turn=3),
        lambda t: DirectorNoted("he drew", "Dee", "seen", t, "note", "left", 3),
    ],
)
def test_what_was_entered_late_for_a_moment_stands_at_it_and_says_how_much_later(make):
    table = after(THREE, "sanspa-2001")
    press_ns = table.now
    table.put(make(press_ns + 4 * SECOND))
    story = account(table, {Reported: 20, DirectorNoted: 20})
    (entry,) = story.decisions
    assert entry.t_ns == press_ns + 4 * SECOND
    assert entry.entered_ns == press_ns + 24 * SECOND
    line = next(one for one in story.incidents if one.event == entry.entry.number)
    assert line.how_entered.startswith(" (entered by Dee, 20.0 s later)")
    assert "(entered by Dee, 20.0 s later)" in turn_section(
        story, story.turns[2], picture_source({})
    )
