"""A table and its desk: what is posted to it, what is refused, and what outlives a kill."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from game.adjudication.preview import GONE_ON, difference
from game.errors import TilewatchError
from game.events import (
    ActionTaken,
    ButtonPressed,
    GameEnded,
    GameForfeited,
    PenaltyAdded,
    PicturesKept,
    PlayersNamed,
    RackReported,
    TableDescribed,
    from_payload,
    other,
)
from game.troubles import make_trouble
from record.log.event_log import EventLog
from sensors.interfaces import Frame
from table.coming_games import RosterFile, Schedule
from table.desk import (
    UNSURE,
    WITHDRAWN,
    Answer,
    Attend,
    CountPlay,
    DeskPress,
    NamePlayers,
    NextGame,
    NoteAction,
    PlayerPress,
    Ruling,
    ShownFrame,
    TableDesk,
    TurnMeant,
)
from table.game_setup import GameSetup
from table.pairings.details import Seat
from table.refusals import CLOCK_RUNS, COUNTED, NOT_EMPTY, OTHER_GAME, OTHER_TURN
from table.resume import resume_game
from table.views.views import view
from tests.table.sessionkit import EMPTY, MS, end, hand, new_game, opened
from vision.tracking.turn_sightings import TurnSightings

SEATS = {"left": "bottom", "right": "top"}


def test_a_game_without_a_clock_is_told_who_plays_first(sit, tmp_path):
    pairings = tmp_path / "pairings.csv"
    pairings.write_text("left,right,first\nAnn,Bob,right\n")
    schedule = Schedule(pairings=RosterFile(pairings, Seat(1)), always_first="left")
    sat = sit(schedule=schedule, setup=GameSetup("english", "wespa-2007", hands=SEATS))
    assert sat.state.start.first == "right"
    pairings.write_text("left,right,first\nAnn,Bob,\n")
    sat.video(0.2, EMPTY)
    assert sat.state.start.first == "left"  # as in all of its games
    wish = new_game("director", "they have drawn for it")
    assert sat.post(replace(wish, setup=replace(wish.setup, first="right"))).done
    pairings.write_text("left,right,first\nAnn,Eve,left\n")
    sat.video(0.2, EMPTY)
    assert (sat.state.start.first, sat.state.players["right"]) == ("right", "Eve")
    assert sat.log.verify() is None


def test_where_there_is_a_clock_its_first_press_tells_who_plays_first(sit):
    assert sit(schedule=Schedule(always_first="left")).state.start.first is None


def test_the_desk_names_presses_rules_and_is_refused_in_one_line(sit, put):
    sat = sit()
    assert sat.post(NamePlayers({"left": "Ann"}, "director")).seq == sat.log.last_seq
    assert sat.state.players["left"] == "Ann"
    assert "1 to 80 characters" in sat.post(NamePlayers({"left": " "}, "director")).refused
    opened(sat, put)
    assert sat.post(PlayerPress("right", sat.now_ms * MS)).done
    assert [turn.side for turn in sat.state.turns] == ["left", "right"]
    fine = PenaltyAdded("left", 10, None, "director", "late", sat.now_ms * MS)
    assert sat.rule(fine).seq == sat.log.last_seq
    assert sat.state.scores["left"] == sat.state.turns[0].total - 10
    assert "no game 'other'" in sat.rule(fine, "other").refused
    assert "going on" in sat.post(NextGame("director")).refused
    first = end(sat)
    assert sat.post(NamePlayers({"left": "Eve"}, "director")).done
    refused = sat.post(NextGame("director")).refused
    assert refused.startswith(f"{NOT_EMPTY}: 3 tiles")  # or they were its first turn
    assert sat.post(new_game("director", "a club night")).refused == refused
    assert sat.state.game_id == first
    assert sat.post(NextGame("director", despite_tiles=True)).done
    assert sat.state.players["left"] == "Eve"
    assert "waits to be started" in sat.post(NextGame("director")).refused
    # A ruling about the game before.
    before = len(sat.log.events(first))
    answer = sat.rule(PenaltyAdded("right", 5, None, "director", "late", sat.now_ms * MS), first)
    assert answer.seq == sat.log.last_seq
    assert len(sat.log.events(first)) == before + 1
    assert "\n" not in sat.rule(sat.state.start).refused


def test_what_is_meant_for_another_game_or_was_shown_otherwise_is_refused(sit, put):
    sat = sit()
    opened(sat, put)
    first, source = sat.state.game_id, "director: Ann"
    fine = PenaltyAdded("left", 10, None, "director", "late", sat.now_ms * MS)
    effect = difference(sat.state, fine).digest()
    assert sat.post(Ruling(first, fine, source, effect)).done
    # Its score is another by now, so the same ruling would do what nobody saw.
    again = sat.post(Ruling(first, fine, source, effect))
    assert (again.seq, again.refused) == (None, GONE_ON)
    end(sat)
    late = PenaltyAdded("left", 5, None, "director", "late", sat.now_ms * MS)
    effect = difference(sat.state, late).digest()
    assert sat.post(NextGame(source, game_id=first, despite_tiles=True)).done
    second, before = sat.state.game_id, sat.log.last_seq
    for post in (
        NextGame(source, game_id=first),
        NamePlayers({"left": "Eve"}, source, game_id=first),
        DeskPress("left", sat.now_ms * MS, source, game_id=first),
    ):
        assert sat.post(post).refused == OTHER_GAME
    assert sat.post(Ruling(first, fine, source, effect)).refused == GONE_ON
    assert sat.log.last_seq == before
    assert sat.post(Ruling(first, late, source, effect)).done
    assert sat.post(NamePlayers({"left": "Eve"}, source, game_id=second)).done
    assert sat.state.players["left"] == "Eve"


def test_a_rack_that_no_set_has_is_refused_also_where_no_effect_was_shown(sit, put):
    sat = sit()
    opened(sat, put)
    before = sat.log.last_seq
    rack = RackReported("left", "QQQ", sat.now_ms * MS, "director")
    answer = sat.post(Ruling(sat.state.game_id, rack, "director: Ann"))
    assert (answer.seq, "has 1 Q, and not 3" in answer.refused) == (None, True)
    assert sat.log.last_seq == before


def test_a_clock_that_is_started_from_an_old_page_ends_nobodys_turn(sit, put):
    """The players have started it themselves meanwhile, or the turn has changed since."""
    sat = sit()
    opened(sat, put)
    source, game = "director: Ann", sat.state.game_id

    def refused(button, seen=None):
        before = sat.log.last_seq
        press = DeskPress(button, sat.now_ms * MS, source, game_id=game, seen=seen)
        answer = sat.post(press)
        assert sat.log.last_seq == before
        return answer.refused

    assert {refused(button) for button in ("left", "right")} == {CLOCK_RUNS}
    assert sat.post(DeskPress("neutral", sat.now_ms * MS, source)).done
    number, side = len(sat.state.turns) + 1, sat.state.on_turn
    assert side is not None
    for seen in (
        TurnMeant(number - 1, other(side)),
        TurnMeant(number - 1, side),
        TurnMeant(number, other(side)),
    ):
        assert {refused(button, seen) for button in ("left", "right")} == {OTHER_TURN}
    # To stop a clock is never refused.
    stop = DeskPress("neutral", sat.now_ms * MS, source, seen=TurnMeant(1, None))
    assert sat.post(stop).refused != OTHER_TURN
    go_on = DeskPress(other(side), sat.now_ms * MS, source, seen=TurnMeant(number, side))
    assert sat.post(go_on).done
    assert (sat.state.clocks.running, len(sat.state.turns) + 1) == (side, number)


def test_what_somebody_does_at_the_desk_is_an_event_with_who_and_why(sit, put):
    sat = sit()

    def events(game):
        return [from_payload(e.payload) for e in sat.log.events(game)]

    source = "director: Ann"
    assert sat.post(NamePlayers({"left": "Ann"}, source, "TD", "they changed seats")).done
    assert sat.log.events()[-1].source == source
    named = events(sat.state.game_id)[-1]
    assert (named.by, named.why) == ("TD", "they changed seats")
    opened(sat, put)
    assert sat.post(DeskPress("neutral", sat.now_ms * MS, source, "", "a fire alarm")).done
    pressed = [one for one in events(sat.state.game_id) if isinstance(one, ButtonPressed)]
    assert (pressed[-1].by, pressed[-1].why) == (source, "a fire alarm")
    assert {(one.by, one.why) for one in pressed[:-1]} == {("", "")}
    assert sat.post(NoteAction("attended", "seen to: a call", source, "TD", "a question")).done
    acted = events(sat.state.game_id)[-1]
    assert (acted.action, acted.by, acted.why) == ("attended", "TD", "a question")
    end(sat)
    # For the game that follows: this game's log has it, and so has that game's.
    assert sat.post(NamePlayers({"left": "Eve"}, source, "TD", "the draw")).seq == sat.log.last_seq
    assert sat.post(NextGame(source, "TD", "they have left", despite_tiles=True)).done
    start, *output = [
        one for one in events(sat.state.game_id) if not isinstance(one, TableDescribed)
    ]
    assert start.players["left"] == "Eve"
    assert [(type(one), one.by, one.why) for one in output] == [
        (PlayersNamed, "TD", "the draw"),
        (ActionTaken, "TD", "they have left"),
    ]
    assert sat.post(new_game(source, "a club night")).done
    ended = events(sat.log.game_ids()[-2])[-1]
    assert (ended.reason, ended.by, ended.why) == ("set up anew", "TD", "a club night")
    acted = events(sat.state.game_id)[-1]
    assert (acted.action, acted.by, acted.why) == ("new_game", "TD", "a club night")


def test_the_limit_on_overtime_is_seen_when_it_passes_though_nobody_presses(sit, put):
    sat = sit()
    first = opened(sat, put)
    started = sat.state.clocks.since_ns
    limit = started + 35 * 60 * 1000 * MS
    sat.now_ms = limit // MS - 200
    sat.video(0.5, first)
    assert sat.state.flags == ()  # a press made in time may still be on its way
    sat.video(0.3, first)
    (logged,) = [e for e in sat.log.events() if e.type == "TimePassed"]
    assert (logged.mono_ns, logged.payload["t_ns"]) == (limit, limit)
    (flag,) = view(sat.state, "director")["flags"]
    assert (flag["code"], flag["rule"]) == ("overtime_limit", "8.3")
    assert [offer["event"]["cause"] for offer in flag["remedies"]] == ["overtime"]
    noticed = sat.state
    sat.killed()
    assert sat.state == noticed
    sat.video(2, first)
    assert [e.type for e in sat.log.events()].count("TimePassed") == 1


def test_events_that_make_no_game_are_refused(tmp_path):
    with EventLog(tmp_path / "tilewatch.db") as log:
        log.append("g", {"type": "Nonsense"}, mono_ns=0, source="x")
        with pytest.raises(TilewatchError, match="Nonsense"):
            resume_game(log, "g")


def test_names_come_with_what_is_announced_for_their_game(sit, put):
    sat = sit()
    output = {"challenge": "lose_turn"}
    naming = NamePlayers({"left": "Ann", "right": "Bo"}, "hub", announced=output)
    assert sat.post(naming).done
    assert sat.state.start.adjust == {"challenge.failed": "lose_turn"}
    assert dict(sat.state.players) == {"left": "Ann", "right": "Bo"}
    game = sat.state.game_id
    assert sat.post(replace(naming, players={"left": "Anna"})).done
    assert (sat.state.game_id, sat.state.players["left"]) == (game, "Anna")
    wrong = replace(naming, announced={"challenge": "points 7 word"})
    assert "it may announce" in sat.post(wrong).refused
    opened(sat, put)
    assert "with other rules; end it first" in sat.post(replace(naming, announced={})).refused
    assert sat.post(naming).done  # the same rules: they are only named
    end(sat)
    assert sat.post(replace(naming, announced={})).done
    sat.video(1.5, EMPTY)
    assert (sat.state.start.adjust, sat.state.players["left"]) == ({}, "Ann")


def test_a_round_s_announcement_goes_over_the_table_s_own():
    table = GameSetup("english", "wespa-2007", announced={"clock.minutes": 20})
    assert table.adjust({"challenge": "lose_turn"}) == {
        "clock.minutes": 20,
        "challenge.failed": "lose_turn",
    }
    assert table.adjust({"clock.minutes": 25}) == {}  # as the text has it
    sent = replace(table, by_hand=True, of_round={"clock.minutes": 15})
    assert sent.adjust({"clock.minutes": 22}) == {"clock.minutes": 15}


CLUB = {"clock.minutes": 20}
"""The settings that the event announces for one game."""


def test_a_press_that_was_logged_and_not_yet_read_is_read_from_what_was_spooled(
    sit, put, monkeypatch
):
    sat = sit()
    first = put("8G", "CAT")
    sat.video(1, EMPTY)
    sat.press("right")
    sat.video(0.3, hand(first))
    sat.video(1, first)

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(TurnSightings, "turn_ended", die)
        sat.press("left")
    assert sat.state.turns == ()
    sat.killed()
    assert sat.state.turns[0].word == "CAT"
    assert sat.state.turns[0].press_ns == sat.now_ms * MS
    assert sat.state.turns[0].flags == ()


def test_the_last_picture_from_before_a_restart_is_kept(sit, put):
    sat = sit()
    second = put("9H", "T", opened(sat, put))
    sat.video(0.3, hand(second))
    sat.video(1.5, second)
    before_ms, pressed = sat.now_ms, sat.state.turns[0].press_ns
    sat.killed()
    kept = from_payload(sat.log.last_of(sat.state.game_id).payload)
    assert isinstance(kept, PicturesKept)
    assert (kept.turn, [picture.role for picture in kept.pictures]) == (1, ["trouble"])
    assert pressed < kept.pictures[0].exposed_ns <= before_ms * MS


@pytest.mark.parametrize("why", ["", "the draw"])
def test_names_for_the_next_game_are_on_the_disk_when_they_are_answered(sit, put, why):
    sat = sit()
    opened(sat, put)
    end(sat)
    sent = NamePlayers({"left": "Eve", "right": "Bo"}, "director: Ann#1f", "", why, announced=CLUB)
    assert sat.post(sent).seq == sat.log.last_seq
    assert sat.post(NamePlayers({"left": "Eva"}, "director: Ann")).done
    sat.killed()
    assert sat.post(NextGame("director", despite_tiles=True)).done
    assert dict(sat.state.players) == {"left": "Eva", "right": "Bo"}
    assert sat.state.start.adjust == CLUB
    sat.killed()  # in the game that they are of: they are nobody's after it
    end_waiting(sat)
    assert dict(sat.state.players) == {"left": "Left", "right": "Right"}
    assert sat.state.start.adjust == {}


def test_rules_set_by_hand_outlive_a_kill_until_the_configuration_has_others(sit, put):
    sat = sit(settings={"rulebook": "wespa-2007", "announced": {}})
    assert sat.post(new_game("director: Ann", "")).done
    sat.killed()
    end_waiting(sat)
    assert (sat.state.rulebook.id, sat.state.start.adjust) == ("psa", {"clock.minutes": 22})
    sat.options["settings"] = {"rulebook": "wespa-2007", "announced": {"clock.minutes": 20}}
    sat.setup = replace(sat.setup, announced={"clock.minutes": 20})
    sat.killed()
    end_waiting(sat)
    assert sat.state.rulebook.id == "wespa-2007"
    assert sat.state.start.adjust == {"clock.minutes": 20}


def test_simulated_players_take_nobody_s_place_after_a_kill(sit, put):
    own = {"left": "Ann", "right": "Bob"}
    sat = sit()
    sat.session.seat_players(own)
    sat.killed()
    sat.session.seat_players(own)
    assert sat.logged().count("PlayersNamed") == 1
    assert dict(sat.state.players) == own
    assert sat.post(NamePlayers({"left": "Eve"}, "director: hub")).done
    sat.killed()
    sat.session.seat_players(own)
    assert dict(sat.state.players) == {"left": "Eve", "right": "Bob"}
    sat.session.seat_players({"left": "Cem", "right": "Dan"})
    assert dict(sat.state.players) == {"left": "Eve", "right": "Dan"}
    end_waiting(sat, {"left": "Fay"})
    assert sat.state.players["left"] == "Fay"
    sat.session.seat_players(own)
    assert dict(sat.state.players) == {"left": "Fay", "right": "Bob"}


def end_waiting(sat, names=None) -> None:
    """Have the game that waits forfeited, names sent for the next, and that one begun."""
    forfeit = GameForfeited("left", "absent", "director", "did not come", sat.now_ms * MS)
    assert sat.rule(forfeit).done
    sat.session.seat_players({"left": "Gus", "right": "Hal"} if names else {})
    assert names is None or sat.post(NamePlayers(names, "director: hub")).done
    assert sat.post(NextGame("director")).done


@pytest.fixture
def pending(sit, put):
    """Ann's CAT has been counted; Bob's TOXIN lies on the board and is worth more."""
    sat = sit(setup=GameSetup("english", "wespa-2007", hands=SEATS, first="left"))
    sat.video(1, EMPTY)
    first = put("8G", "CAT")
    sat.video(2, first)
    assert sat.session.uncounted == ("8G C", "8H A", "8I T")
    assert sat.post(CountPlay("director: ann", "TD", "a look at the score")).done
    assert [(turn.side, turn.score) for turn in sat.state.turns] == [("left", 10)]
    assert sat.session.uncounted == ()
    sat.both = put("I8", ".OXIN", first)
    sat.video(2, sat.both)
    return sat


def shown(sat, event):
    """A ruling by somebody who has looked at its effect."""
    found = difference(sat.state, event)
    return found, Ruling(sat.state.game_id, event, "director", found.digest())


ENDS = [
    GameEnded("confirmed", 9000 * MS, "TD", "both agree"),
    GameForfeited("left", "resigned", "TD", "Ann resigns", 9000 * MS),
]


@pytest.mark.parametrize("end", ENDS, ids=["ended", "resigned"])
def test_the_end_that_was_shown_without_the_last_play_is_shown_again_with_it(pending, end):
    before, ruling = shown(pending, end)
    assert pending.session.uncounted == ("9I O", "10I X", "11I I", "12I N")
    refused = pending.post(ruling)
    assert (refused.done, refused.refused) == (False, COUNTED)
    assert (pending.state.status, len(pending.state.turns)) == ("running", 2)
    after, ruling = shown(pending, end)
    assert after.scores["right"][0] > before.scores["right"][0]
    pending.video(1, pending.both)
    assert pending.post(ruling).done
    assert pending.state.status == "ended"
    ended = after.scores["left"][1], after.scores["right"][1]
    assert (pending.state.scores["left"], pending.state.scores["right"]) == ended


def test_a_play_that_was_counted_first_is_in_what_the_end_shows(pending):
    wrong, _ = shown(pending, ENDS[0])
    assert wrong.facts["outcome"][1].startswith("left")
    assert pending.post(CountPlay("director: ann", "TD", "the game ends")).done
    right, ruling = shown(pending, ENDS[0])
    assert right.facts["outcome"][1].startswith("right")
    assert pending.post(ruling).done
    assert pending.state.outcome.winner == "right"
    logged = [from_payload(one.payload) for one in pending.log.events(pending.state.game_id)]
    noted = [one for one in logged if isinstance(one, ActionTaken)]
    assert [(one.action, one.by, one.why) for one in noted] == [
        ("count_play", "TD", "a look at the score"),
        ("count_play", "TD", "the game ends"),
    ]


def test_the_last_play_counts_where_no_effect_was_shown(pending):
    assert pending.rule(ENDS[0]).done
    assert (pending.state.status, len(pending.state.turns)) == ("ended", 2)
    assert pending.session.uncounted == ()


def test_where_nothing_lies_uncounted_nothing_is_counted(pending):
    assert pending.post(CountPlay("director", "TD", "the game ends")).seq is not None
    answer = pending.post(CountPlay("director", "TD", "once more"))
    assert (answer.done, answer.seq) == (True, None)
    assert len(pending.state.turns) == 2
    other = CountPlay("director", "TD", "the game ends", "another")
    assert pending.post(other).refused == OTHER_GAME


def test_with_a_clock_its_press_counts(sit, put):
    sat = sit()
    opened(sat, put)
    assert sat.session.uncounted == ()
    assert "its press counts" in sat.post(CountPlay("director")).refused


CORNERS = ((1.0, 2.0), (30.0, 2.0), (30.0, 20.0), (1.0, 20.0))


def frame(seq: int, jpeg: bytes | None = None) -> Frame:
    return Frame(np.zeros((24, 32, 3), np.uint8), seq * 1000, seq, jpeg)


def test_the_newest_picture_is_encoded_once_and_only_when_asked_for():
    encoded = []

    def encode(one: Frame) -> bytes:
        encoded.append(one.seq)
        if one.seq == 5:
            raise TilewatchError("cannot be encoded")
        return b"made"

    desk, rows = TableDesk(lambda: 0, encode=encode), ("." * 15,) * 15
    assert desk.picture() is None
    desk.show(ShownFrame(frame(1, b"one")))
    desk.show(ShownFrame(frame(2, b"two"), CORNERS, rows, 1500))
    picture = desk.picture()
    assert picture is not None
    assert (picture.frame.jpeg, picture.frame.t_ns) == (b"two", 2000)
    assert (picture.corners, picture.rows, picture.read_ns) == (CORNERS, rows, 1500)
    for seq in (3, 4):
        desk.show(ShownFrame(frame(seq)))
    assert encoded == []
    made = [desk.picture().frame for _ in range(3)]
    assert [(one.jpeg, one.t_ns) for one in made] == [(b"made", 4000)] * 3
    desk.show(ShownFrame(frame(5)))
    assert desk.picture() is None
    assert encoded == [4, 5]


def test_what_happened_stays_until_somebody_attends_to_it_and_what_stands_until_it_is_mended():
    done: list[NoteAction] = []

    def log() -> None:
        for posted in desk.take():
            done.append(posted.post)
            posted.answer(Answer(7))

    def attend(code: str, what: str = "") -> Answer:
        return desk.post(Attend(code, what, "director: ann", by="Ann", why="they had a question"))

    desk = TableDesk(lambda: 0, log)
    desk.active_troubles.begin(make_trouble("director_called", "the director is called", 9))
    desk.active_troubles.begin(make_trouble("button_stuck", "left is stuck", 5, "left"))
    assert [condition.code for condition in desk.trouble()] == ["button_stuck", "director_called"]
    assert not attend("button_stuck", "left").done
    assert not attend("no such code").done
    assert attend("director_called").seq == 7
    assert not attend("director_called").done
    output = "seen to: the director is called"
    assert done == [NoteAction("attended", output, "director: ann", "Ann", "they had a question")]
    assert [condition.code for condition in desk.trouble()] == ["button_stuck"]
    assert desk.active_troubles.end("button_stuck", "left") is not None
    assert desk.trouble() == ()


def test_what_the_loop_did_not_get_to_in_time_is_never_done():
    """The director was told that nothing was done, and may have asked again."""
    desk = TableDesk(lambda: 0)
    done = NoteAction("attended", "seen to", "director: ann")
    assert desk.post(done, timeout_s=0.01).refused == WITHDRAWN
    assert list(desk.take()) == []
    # A player's press stands: it has a time of its own.
    desk.post(PlayerPress("left", desk.now_ns()), 0.01)
    assert [posted.post.button for posted in desk.take()] == ["left"]


def test_what_the_loop_has_begun_is_not_called_undone():
    desk = TableDesk(lambda: 0, lambda: list(desk.take()))
    answer = desk.post(NoteAction("attended", "seen to", "director: ann"), timeout_s=0.01)
    assert answer.refused == UNSURE
