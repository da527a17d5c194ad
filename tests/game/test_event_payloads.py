"""Events as JSON and back; the schema of a game's JSON, and what no audience was given."""

from __future__ import annotations

import json
from dataclasses import is_dataclass
from typing import get_args, get_type_hints

import pytest
from pydantic import ValidationError

from game import events
from game.errors import TilewatchError
from game.events import EVENT_TYPES, EndReason, from_payload, to_payload
from game.flags import make_flag
from game.schema import Adjustment, Flag, Shape, StatedTurn, Turn, View
from game.state.fold import fold
from game.state.settlement import Adjustment as Line
from game.values import replace

from .scriptkit import after

GRID = ("." * 15,) * 15
DIGEST = "b" * 64
CORNERS = ((1.5, 2.0), (90.0, 3.0), (91.0, 80.0), (0.0, 79.0))
CROP = events.Picture("crop", "c" * 64, 5, square="8H", of=DIGEST)
THREE_CORNERS = events.Picture("at", DIGEST, 5, corners=CORNERS[:3])
PICTURES = (events.Picture("at", DIGEST, 5, corners=CORNERS), CROP)
PLAYERS = {"left": "Ann", "right": "Bo"}
FOUND = events.Finding("askew", "8G", "half")
LAID = events.PlayMade("left", {"8G": "C"}, 5, came_off=True)
WAY = events.TurnReading((LAID,))
EVENTS = [
    events.GameStarted(
        "g", {"left": "A", "right": "B"}, "psa", "english", "left", 0, GRID, {"a": 1}
    ),
    events.ButtonPressed("neutral", 5, "TD", "a ruling"),
    events.TurnSeen("left", 5, GRID, 9, {"8G": 0.5}, {"at": DIGEST}, (FOUND,)),
    events.TurnSeen("left", 5, GRID, lost=(events.PicturesLost(1, 4, 7),), ended="opponent_placed"),
    events.SecondPlaySeen("left", {"8G": "C"}, 5, 9),
    events.BoardSeen(1, GRID, 5, {}, 6),
    events.TilesChanged(1, GRID, 5, {"at": DIGEST}, 6),
    events.TimePassed(5),
    events.TimeUnseen(1, 5, None, False, True),
    events.UnseenTimeCharged(1, "left", 5, "TD", "", 6),
    events.TurnRuled(1, "challenge_failed", "TD", "", 9, words=2, found_ns=3, called_ns=4),
    events.SquareCorrected(1, "8G", "B", "TD", "", 9),
    events.BlankDesignated("8H", "a", "Ann", "said so", 9),
    events.ChallengeBonus("left", 5, "4.6.10", "TD", "", 9),
    events.PenaltyAdded("left", 5, None, "TD", "", 9),
    events.PointsAdjusted("left", -5, "spread", None, "TD", "", 9),
    events.RackReported("right", "AE?", 9, "TD", counted=3),
    events.RackUnderdrawn("left", 1, "TD", "", 0, drawn_by="opponent"),
    events.ScoreAgreed(2, "right", 5, "TD", "", 0),
    events.PlayAccepted(2, "score_written", "TD", "", 9, at_ns=5),
    events.HoldCalled(1, "opponent", 9),
    events.StopExplained(1, "score", "TD", "", 9),
    events.ClockAdjusted("left", -5, None, "TD", "", 9),
    events.ClockStartedInError(2, "right", "TD", "", 0),
    events.DrawDelayed("left", "TD", "", 0),
    events.Reported("out_of_order", "left", "TD", "", 0, turn=2),
    events.DirectorNoted(
        *("no text foresees it", "TD", "", 9, "warning", "left", 2, "1.4", {"left": -5}),
        *({"right": 10}, {"left": 90 * 10**9}, "left", "right", False),
    ),
    events.TurnRuled(
        *(1, "challenge_failed", "TD", "", 9),
        challenged_words=("CAT",),
        ground="words",
        verdict="second_opinion",
    ),
    events.TurnRuled(1, "exchange", "TD", "", 9, tiles="3", announced=4),
    events.LateStart("left", 5, "TD", "", 0),
    events.InfractionNoted("left", "IV.H.1", "TD", "", 0),
    events.OvertimeErased("left", "TD", "", 0, points=10),
    events.PositionRestored(1, "TD", "", 0, {"left": "AE"}, {"left": 5}),
    events.TilesFound("bag", 1, None, "TD", "", 0, tiles="Q", racks={"left": 7, "right": 6}),
    events.SetSeen("AB", "TD", 0),
    events.SetAltered("Q", "Z", "TD", "", 0),
    events.TurnParted(2, ("7I", "7J"), "right", 5, "TD", "", 9, ended="drawing"),
    events.TurnInserted(2, "right", {"7I": "S"}, 5, "TD", "", 9),
    events.TurnSeen("left", 5, GRID, readings=(WAY, events.TurnReading((LAID,), 1, True))),
    events.PlaysAssigned(2, 1, (LAID, replace(LAID, tiles={}, ended_ns=9)), "TD", "", 9),
    events.TurnsJoined(2, "right", "TD", "", 9),
    events.Retracted(3, "TD", "", 9),
    events.GameEnded("broken off", 9, "TD", "", instead=3),
    events.GameForfeited("left", "absent", "TD", "", 9, margin=5),
    events.GameReopened("both_agree", "TD", "", 9),
    events.ResultSigned("both", 9),
    events.PlayersNamed({"left": "Å"}, "TD", 5),
    events.TableDescribed("0.1.0", {"model tiles.onnx": DIGEST}, {"camera": {"fps": 10}}, 0),
    events.PicturesKept(1, PICTURES, 6),
    events.BoardChanged(
        (events.SquareChange("8G", "C", "."), events.SquareChange("8H", "A", "A", True, -20.0)),
        *(1, 2, "left", 3, 4, None),
        (events.Picture("altered", DIGEST, 2),),
        5,
        0.5,
        -3.0,
    ),
    events.PicturesDeleted((DIGEST,), "signed, and above 20 GB", 7),
    events.PicturesDeleted((DIGEST,), "Bob asked", 7, "Dee"),
    events.PublicationDecided("result", "TD", "Ann asked", 9, "table"),
    events.ActionTaken("next_game", "done", "TD", "", 8, next_game={"players": {"left": "Ann"}}),
    events.RacksSealed(DIGEST, DIGEST, "A" * 40, 7),
    events.RackSeen("left", "A" * 40, 8),
    events.RacksOpened(DIGEST, 9),
    events.TroubleNoted("button_stuck", "left", "begins", "left is stuck", 8),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_comes_back_from_json_as_it_was(event):
    assert from_payload(json.loads(json.dumps(to_payload(event)))) == event


def test_each_class_is_a_kind_of_event_or_a_part_of_one():
    """A class that its module's union leaves out would be written and never read."""
    declared = {
        one
        for module in (events.observed, events.noted, events.by_people, events.by_director)
        for one in vars(module).values()
        if isinstance(one, type) and is_dataclass(one) and one.__module__ == module.__name__
    }
    parts = {
        one for cls in declared for hint in get_type_hints(cls).values() for one in inner(hint)
    }
    assert declared - set(EVENT_TYPES.values()) <= parts
    assert not parts & set(EVENT_TYPES.values())


def inner(hint):
    """The types that a hint is made of."""
    return {one for part in get_args(hint) for one in inner(part)} or {hint}


def test_every_kind_of_event_has_been_there_and_back():
    assert {type(event).__name__ for event in EVENTS} == set(EVENT_TYPES)


@pytest.mark.parametrize(
    ("event", "change", "why"),
    [
        (events.PicturesKept(1, (replace(CROP, square="8Z"),), 6), {}, "8Z"),
        (events.PicturesKept(1, (THREE_CORNERS,), 6), {}, "each as x and y"),
        (events.SecondPlaySeen("left", {"8G": "C"}, 5, 9), {"tiles": {"8G": "."}}, "not a tile"),
        (events.TimeUnseen(1, 5, 9, True), {"t_ns": 0}, "t_ns"),
        (events.TimeUnseen(1, 5, 9, True), {"passed_ns": -1}, "passed_ns"),
        (events.UnseenTimeCharged(1, "left", 5, "TD", "", 6), {"charged_ns": -1}, "charged_ns"),
    ],
)
def test_what_cannot_be_is_refused(event, change, why):
    with pytest.raises(TilewatchError, match=why):
        from_payload({**to_payload(event), **change})


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (None, "an event is an object"),
        ({}, "unknown event type None"),
        ({"type": "Explosion"}, "unknown event type 'Explosion'"),
        ({"type": "ButtonPressed", "button": "left"}, "t_ns is missing"),
        ({"type": "ButtonPressed", "button": "up", "t_ns": 1}, "'up' is not one of"),
        ({"type": "ButtonPressed", "button": "left", "t_ns": "1"}, "t_ns: '1' has the wrong form"),
        ({"type": "ButtonPressed", "button": "left", "t_ns": True}, "wrong form"),
        ({"type": "ButtonPressed", "button": "left", "t_ns": 1, "x": 1}, "unknown field 'x'"),
        ({"type": "ButtonPressed", "button": [], "t_ns": 1}, "is not one of"),
        ({"type": "TurnSeen", "side": "left", "press_ns": 1, "rows": "abc"}, "rows"),
        ({"type": "TurnSeen", "side": "left", "press_ns": 1, "rows": [1] * 15}, "rows[0]"),
        ({**to_payload(EVENTS[2]), "findings": [{"code": 1}]}, "findings[0].code"),
    ],
)
def test_a_payload_in_another_form_is_refused(payload, why):
    with pytest.raises(TilewatchError) as caught:
        from_payload(payload)
    assert why in str(caught.value)


def test_the_end_of_a_game_is_stored_as_plain_text_and_any_other_text_is_read():
    event = events.GameEnded(EndReason.BROKEN_OFF, 0)
    payload = json.loads(json.dumps(to_payload(event)))
    assert payload["reason"] == "broken off"
    assert from_payload(payload) == event
    assert from_payload(payload | {"reason": "the lights went out"}).reason == "the lights went out"
    assert {one.value for one in EndReason} >= {"out", "six_zeros", "overtime_limit"}


def test_that_nobody_challenged_is_stored_only_where_it_was_asked():
    ruled = events.TurnRuled(1, "play", "TD", "", 9)
    assert "challenged" not in to_payload(ruled)
    asked = events.TurnRuled(1, "play", "TD", "", 9, challenged=False)
    payload = to_payload(asked)
    assert payload["challenged"] is False
    assert from_payload(payload) == asked
    with pytest.raises(TilewatchError, match="wrong form"):
        from_payload({**payload, "challenged": 0})


def test_notes_of_the_table_s_own_work_move_nothing_and_cannot_be_taken_back():
    own = [kind.__name__ for kind in get_args(events.HOUSEKEEPING)]
    notes = [event for event in EVENTS if type(event).__name__ in own]
    start = replace(EVENTS[0], rows=None, adjust={})
    ended, signed = events.GameEnded("director", 2), events.ResultSigned("both", 3)
    game = [start, events.ButtonPressed("left", 1), ended, signed]
    plain, noted = fold(game), fold([start, notes[0], *game[1:], *notes[1:]])
    for name in ("board", "scores", "turns", "status", "clocks", "flags", "signed"):
        assert getattr(noted, name) == getattr(plain, name)
    penalty = events.PenaltyAdded("left", 5, None, "director", "late", 4)
    game = [start, notes[0], events.ButtonPressed("left", 1), penalty]
    with pytest.raises(TilewatchError, match="event 2 is TableDescribed"):
        fold([*game, events.Retracted(2, "director", "?", 5)])
    later = fold([*game, events.Retracted(4, "director", "was in time", 5)])
    assert later.scores == fold(game[:3]).scores


FLAG = make_flag("off_centre", ("8H",))


def shapes() -> list[type[Shape]]:
    found, new = [], [Shape]
    while new:
        found += (new := [sub for one in new for sub in one.__subclasses__()])
    return [one for one in found if one.__module__ == "game.schema"]


def test_what_is_optional_is_never_taken_from_an_object():
    assert set(Flag.of(FLAG).as_json()) == {"code", "label", "squares", "rule", "message"}
    shown = Flag.of(FLAG, visibility=FLAG.visibility, settled=None).as_json()
    assert (shown["visibility"], shown["settled"]) == (FLAG.visibility, None)
    rack = Line("end_rack", "left", 8, 100, None, 20, tiles="Q")
    assert "tiles" not in Adjustment.of(rack).as_json()
    assert Adjustment.of(rack, tiles=rack.tiles).as_json()["tiles"] == "Q"


def test_what_has_fields_for_some_alone_is_not_converted_unseen():
    table = after("8G CAT")
    with pytest.raises(ValidationError, match="flags"):
        Turn.of(table.state.turns[0], flags=[FLAG])
    guarded = {
        one for one in shapes() if any(not f.is_required() for f in one.model_fields.values())
    }
    assert {Flag, Turn, Adjustment, View} <= guarded
    assert [one for one in guarded if one.model_config["from_attributes"]] == []


def test_a_statement_has_the_fields_of_a_turn_in_its_own_form():
    table = after("8G CAT")
    turn = table.state.turns[0]
    stated, shown = StatedTurn.of(turn).as_json(), Turn.of(turn, flags=[]).as_json()
    assert stated["words"] == [("CAT", 10)]
    assert shown["words"] == [{"symbols": "CAT", "text": "CAT", "points": 10}]
    assert stated.keys() < shown.keys()


def test_a_field_that_the_schema_does_not_know_is_refused():
    with pytest.raises(ValidationError, match="valid"):
        Flag.of(FLAG, valid=True)
