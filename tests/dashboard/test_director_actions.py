"""What a director does: rulings, shown before they are entered, and the clock and the names."""

from __future__ import annotations

from dataclasses import fields

import pytest

from dashboard.director.actions import may_be_entered
from game.adjudication.preview import GONE_ON
from game.events import EVENT_TYPES, GameEnded, TableDescribed
from game.troubles import make_trouble
from record.story.entries import RECORDING
from table.desk import Answer, TurnMeant
from table.refusals import COUNTED, OTHER_GAME
from tests.dashboard.conftest import SECOND, TURNS, GameInLog
from tests.dashboard.desk_fixtures import NOW_NS
from tests.dashboard.directorpages import COMMANDS, DOUBT, GAME, WHY, challenge, plain_text, post


def preview(client, event: object) -> dict:
    return post(client, f"{GAME}/preview", {"event": event}).json


def rule(client, event: object, why: str = "no word", **more: object):
    return post(client, f"{GAME}/rule", {"event": event, "why": why, **more})


PENALTY = {"type": "PenaltyAdded", "side": "left", "points": 10, "rule": None}
ENDS = {"type": "GameEnded", "reason": "director"}


def test_a_ruling_is_an_event_with_who_and_why(desk, game, ann):
    """They and when are the server's to fill in, whatever the event brings along."""
    game.play(*TURNS[0])
    forged = {**challenge(), "by": "the pope", "t_ns": 5, "why": "because"}
    shown = preview(ann, forged)
    done = rule(ann, forged, "  it is\n no word ", effect=shown["effect"])
    assert done.status_code == 200
    (ruled,) = desk.events("TurnRuled")
    assert (ruled["by"], ruled["why"], ruled["t_ns"]) == ("Ann", "it is no word", NOW_NS)
    assert desk.sources()[-1] == "director: Ann"
    record = ann.get(GAME).json
    assert record["view"]["scores"]["left"] == 0
    stated, number = "turn 1: challenged off the board", done.json["number"]
    assert [(one["text"], one["number"]) for one in record["statements"]] == [(stated, number)]
    more = {"by": "Bea", "effect": preview(ann, PENALTY)["effect"]}
    assert rule(ann, PENALTY, "late", **more).status_code == 200
    again = rule(ann, PENALTY, "late", **more)  # one that is sent again is not entered twice
    assert (again.status_code, again.json["stale"]) == (409, True)
    assert [one["by"] for one in desk.events("PenaltyAdded")] == ["Bea (entered by Ann)"]


def test_what_is_entered_late_counts_where_it_happened(desk, game, ann):
    """Each entry says when it was, and the log when it was entered."""
    game.plays(TURNS[:2])
    view = ann.get(GAME).json["view"]
    at = (view["turns"][0]["press_ms"] + 1) * 1_000_000
    shown = post(ann, f"{GAME}/preview", {"event": PENALTY, "happened_ns": at}).json
    assert rule(ann, PENALTY, happened_ns=at, effect=shown["effect"]).status_code == 200
    (penalty,) = desk.events("PenaltyAdded")
    assert penalty["t_ns"] == at
    (line,) = ann.get(GAME).json["view"]["adjustments"]
    assert (line["after_turn"], line["points"]) == (1, -10)
    for wrong in (NOW_NS + 1, -1, True, "now"):
        refused = rule(ann, PENALTY, happened_ns=wrong)
        assert (refused.status_code, "happened_ns" in refused.json["error"]) == (409, True)


def test_an_entry_in_a_replayed_game_is_of_the_end_of_its_recording(desk, game, ann):
    """The table's time is not the recording's: no clock ran until now."""
    game.put(TableDescribed("0", {}, {RECORDING: "a game"}, 0))
    game.plays(TURNS[:2])
    last = max(one.mono_ns for one in desk.table.log.events())
    shown = post(ann, f"{GAME}/preview", {"event": ENDS}).json
    assert not shown["difference"]["clocks"]
    assert rule(ann, ENDS, effect=shown["effect"]).status_code == 200
    (ended,) = desk.events("GameEnded")
    assert ended["t_ns"] == last < NOW_NS


def test_a_note_has_its_effect_and_is_taken_back_with_it(desk, game, ann):
    game.play(*TURNS[0])
    note = {
        **{"type": "DirectorNoted", "what": "No text foresees it", "measure": "warning"},
        **{"side": "right", "score": {"left": -4}, "added_ns": {"right": 30 * SECOND}},
    }
    shown = preview(ann, note)
    assert shown["difference"]["scores"]["left"] == [24, 20]
    done = rule(ann, note, effect=shown["effect"])
    record = ann.get(GAME).json
    assert record["view"]["scores"]["left"] == 20
    assert record["statements"][0]["text"].startswith("an official warning to ")
    rule(ann, {"type": "Retracted", "event": done.json["number"]}, "a slip")
    assert ann.get(GAME).json["view"]["scores"]["left"] == 24


def test_a_correction_of_an_early_turn_counts_in_all_later_ones(desk, game, ann):
    game.plays(TURNS)
    totals = [turn["total"] for turn in ann.get(GAME).json["view"]["turns"]]
    before = game.log.last_seq
    event = {"type": "SquareCorrected", "turn": 1, "square": "8D", "symbol": "f"}
    shown = preview(ann, event)
    assert [turn["number"] for turn in shown["difference"]["turns"]] == [1, 3, 5]
    assert not shown["empty"]
    assert game.log.last_seq == before  # it was shown, and nothing done
    rule(ann, event, "it is a blank")
    after = [turn["total"] for turn in ann.get(GAME).json["view"]["turns"]]
    assert [a - b for a, b in zip(after, totals, strict=True)] == [-16, 0, -16, 0, -16, 0]


def test_what_was_said_can_be_taken_back(desk, game, ann):
    game.play(*TURNS[0])
    event = {"type": "Retracted", "event": rule(ann, challenge()).json["number"]}
    assert rule(ann, event, "a slip").status_code == 200
    record = ann.get(GAME).json
    assert record["view"]["scores"]["left"] == 24
    back = [(one["back"] is not None, one["may_go"]) for one in record["statements"]]
    assert back == [(True, False), (False, False)]
    again = rule(ann, event, "again")
    assert (again.status_code, "already been taken back" in again.json["error"]) == (409, True)


def test_a_result_is_signed_and_then_stays(desk, game, ann):
    game.play(*TURNS[0])
    game.put(GameEnded("confirmed", game.t_ns))
    assert rule(ann, {"type": "ResultSigned"}, "both signed").status_code == 200
    found = ann.get(GAME).json
    assert found["signed"]["by"] == "Ann"
    ended, last = (found["slip"]["ended"], found["slip"]["signed"])
    assert last == found["head"]["digest"] != ended
    desk.picture(1, "after", game.t_ns)
    assert ann.get(GAME).json["slip"] == {"ended": ended, "signed": last}
    assert "signed" in preview(ann, challenge())["refused"]
    assert rule(ann, challenge()).status_code == 409


@pytest.fixture
def overtaken(desk, game, monkeypatch):
    """Call it, and a turn comes before the table's loop takes a ruling."""
    taken = desk.loop.desk.post

    def late(*what, **more):
        game.play(*TURNS[1])
        return taken(*what, **more)

    return lambda: monkeypatch.setattr(desk.loop.desk, "post", late)


@pytest.mark.parametrize("on_its_way", [False, True])
def test_what_was_shown_is_what_is_done(desk, game, ann, overtaken, on_its_way):
    """When the game goes on after looking, or before the table's loop, nothing is done unseen."""
    game.play(*TURNS[0])
    shown = preview(ann, challenge())["effect"]
    if on_its_way:
        overtaken()
    else:
        game.play(*TURNS[1])
    answer = rule(ann, challenge(), effect=shown)
    assert (answer.status_code, answer.json["stale"]) == (409, True)
    if on_its_way:
        assert answer.json["error"] == GONE_ON
    assert desk.events("TurnRuled") == []


def test_a_clock_that_runs_does_not_make_a_ruling_stale(desk, game, ann):
    """The clock shows less with every second between looking and confirming."""
    game.play(*TURNS[0])
    seen = preview(ann, ENDS)
    assert seen["difference"]["stops"] == "right"
    desk.loop.passed_ns = 8 * SECOND
    later = preview(ann, ENDS)
    assert later["difference"]["clocks"] != seen["difference"]["clocks"]
    assert rule(ann, ENDS, effect=seen["effect"]).status_code == 200
    assert desk.events("GameEnded")[0]["t_ns"] == NOW_NS + 8 * SECOND


def test_what_the_time_costs_makes_it_stale(desk, game, ann):
    game.play(*TURNS[0])
    desk.loop.passed_ns = 550 * SECOND  # 20 s over
    seen = preview(ann, ENDS)
    assert seen["difference"]["scores"]["right"] == [0, -10]
    desk.loop.passed_ns += 8 * SECOND  # as much, in another text
    assert preview(ann, ENDS)["effect"] == seen["effect"]
    desk.loop.passed_ns += 60 * SECOND
    late = rule(ann, ENDS, effect=seen["effect"])
    assert (late.status_code, late.json["stale"]) == (409, True)
    assert desk.events("GameEnded") == []


@pytest.mark.parametrize("command", ["stop", "start/left", "next", "count"])
def test_what_is_done_to_the_game_on_the_table_names_it(desk, game, ann, log, command):
    path, body = f"/director/api/tables/1/{command}", {**WHY, "left": "Bea"}
    unnamed = post(ann, path, {name: value for name, value in body.items() if name != "game"})
    assert (unnamed.status_code, "which game" in unnamed.json["error"]) == (409, True)
    GameInLog(log, "game-2").start()
    refused = post(ann, path, body)
    assert (refused.status_code, refused.json["error"]) == (409, OTHER_GAME)
    assert desk.loop.posted == []
    post(ann, path, {**body, "game": "game-2"})
    assert len(desk.loop.posted) == 1


def test_a_clock_is_started_in_the_turn_that_the_page_saw(desk, game, ann):
    path = "/director/api/tables/1/start/left"
    turns, sides = [{"turn": one} for one in (None, "1", True)], ("king", ["left"])
    for wrong in (*turns, *({"on_turn": one} for one in sides)):
        refused = post(ann, path, WHY | wrong)
        assert (refused.status_code, "which turn" in refused.json["error"]) == (409, True)
    assert desk.loop.posted == []
    assert post(ann, path, WHY | {"turn": 4, "on_turn": "left"}).status_code == 200
    assert desk.loop.seen == [TurnMeant(4, "left")]


def test_a_question_that_was_settled_meanwhile_is_not_answered_again(desk, game, ann):
    game.play("8D", "F~RNS", [DOUBT])
    flags = ann.get(GAME).json["view"]["turns"][0]["flags"]
    (flag,) = [one for one in flags if one["code"] == "uncertain_square"]
    asked = {"turn": 1, "code": flag["code"], "message": flag["message"]}
    event = {"type": "SquareCorrected", "turn": 1, "square": "8E", "symbol": "I"}
    assert rule(ann, event, flag=asked).status_code == 200
    again = rule(ann, {**event, "symbol": "L"}, flag=asked)
    assert (again.status_code, "settled" in again.json["error"]) == (409, True)
    assert [one["symbol"] for one in desk.events("SquareCorrected")] == ["I"]
    for wrong in ("x", {"turn": 9}, {"turn": "1"}, {}, []):
        assert rule(ann, event, flag=wrong).status_code == 409


def test_what_was_seen_to_is_what_was_shown(desk, game, ann):
    for message in ("Ann called", "Bea called"):
        called = make_trouble("director_called", message, NOW_NS)
        desk.loop.desk.active_troubles.end("director_called", "")
        desk.loop.desk.active_troubles.begin(called)
    path = "/director/api/tables/1/attend"
    body = {**WHY, "code": "director_called", "message": "Ann called"}
    refused = post(ann, path, body)
    assert (refused.status_code, "Bea called" in refused.json["error"]) == (409, True)
    assert post(ann, path, {**body, "message": "Bea called"}).status_code == 200


def test_what_cannot_be_ruled_is_one_line(desk, game, ann):
    game.play(*TURNS[0])
    before = desk.game.log.last_seq
    for body, says in UNRULABLE:
        answer = post(ann, f"{GAME}/rule", body)
        assert answer.status_code == 409, body
        assert says in answer.json["error"]
        assert "\n" not in answer.json["error"]
    assert desk.game.log.last_seq == before


UNRULABLE = (
    ({"event": challenge(), "why": 5}, "say why"),
    ({"event": challenge(), "why": "x" * 401}, "at most 400"),
    ({"event": challenge(), "why": "x", "by": "y" * 81}, "at most 80"),
    ({"event": challenge(9), "why": "x"}, "turn 9"),
    *(({"event": {"type": kind, "button": "left"}, "why": "x"}, "people cannot enter this event")
      for kind in ("TurnSeen", "GameStarted", "PicturesDeleted", "ButtonPressed", "Nonsense")),
    ({"event": {"type": "TurnRuled"}, "why": "x"}, "missing"),
    ({"event": {"type": "TurnRuled", "turn": 1, "ruling": "king"}, "why": "x"}, "king"),
    ({"event": {**challenge(), "more": 1}, "why": "x"}, "more"),
    ({"event": [], "why": "x"}, "an object with a type"),
    ({"why": "x"}, "an object with a type"),
    ({"event": {"type": "ScoreAgreed", "turn": 1, "side": "left", "points": -5}, "why": "x"},
     "cannot score -5"),
    ({"event": {"type": "RackReported", "side": "left", "tiles": "qqqqqqq"}, "why": "x"},
     "has 1 Q, and not 7"),
)  # fmt: skip


def test_what_is_no_json_is_refused(desk, game, ann):
    headers = {"X-CSRF-Token": ann.token}
    assert ann.post(f"{GAME}/rule", data="x", headers=headers).status_code == 415
    assert post(ann, f"{GAME}/rule", [1]).status_code == 400
    headers["Content-Type"] = "application/json"
    for body in ("{", "[" * 5000, '{"event":' * 5000):
        for what in ("rule", "preview"):
            assert ann.post(f"{GAME}/{what}", data=body, headers=headers).status_code == 400
    assert rule(ann, challenge(), "x" * 300_000).status_code == 413


def test_the_clock_and_the_next_game(desk, game, ann):
    for what in ("stop", "start/left", "start/right"):
        assert post(ann, f"/director/api/tables/1/{what}", WHY).status_code == 200
    assert [button for _, button in desk.loop.posted] == ["neutral", "right", "left"]
    assert post(ann, "/director/api/tables/1/start/king", WHY).status_code == 404
    named = {**WHY, "why": "they changed seats", "by": "TD"}
    refused = post(ann, "/director/api/tables/1/next", named)
    assert (refused.status_code, refused.json["error"][:8]) == (409, "the game")
    who = [("Ann", WHY["why"])]
    assert desk.loop.attributions == [*who * 3, ("TD (entered by Ann)", "they changed seats")]


def test_a_reason_that_nobody_gave_is_in_nobodys_name(desk, game, ann):
    game.play(*TURNS[0])
    for why in ({}, {"why": ""}, {"why": "  "}, {"why": None}):
        assert post(ann, f"{GAME}/rule", {"event": challenge(), **why}).status_code == 200
        stopped = post(ann, "/director/api/tables/1/stop", {"game": "game-1", **why})
        assert stopped.status_code == 200
        assert (desk.events("TurnRuled")[-1]["by"], desk.events("TurnRuled")[-1]["why"]) == (
            "Ann", "",
        )  # fmt: skip
        assert desk.loop.attributions[-1] == ("Ann", "")


def test_nothing_is_done_for_a_reason_that_is_no_text(desk, game, ann):
    desk.loop.desk.active_troubles.begin(make_trouble("director_called", "called", NOW_NS))
    for command in COMMANDS:
        for why in ({"why": 5}, {"why": "x" * 401}):
            body = {"left": "Ann", "code": "director_called", **why}
            refused = post(ann, f"/director/api/tables/1/{command}", body)
            assert (refused.status_code, "why" in refused.json["error"]) == (409, True), command
    assert desk.loop.posted == []


def test_a_table_that_stopped_says_so(desk, game, ann):
    game.play(*TURNS[0])
    desk.loop.close()
    answer = rule(ann, challenge())
    assert (answer.status_code, answer.json["error"]) == (409, "the table has stopped")


def test_what_people_may_enter_keeps_who_and_why_and_is_nothing_that_is_seen():
    sayable = set(filter(may_be_entered, EVENT_TYPES))
    assert {"TurnRuled", "Retracted", "ResultSigned", "PenaltyAdded"} <= sayable
    assert not {"GameStarted", "TurnSeen", "ButtonPressed", "PicturesKept"} & sayable
    for kind in sayable:
        assert {"by", "why"} <= {field.name for field in fields(EVENT_TYPES[kind])}, kind


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (challenge(), "8D: F → nothing there"),
        (challenge(), "In the bag: 81 → 86"),
        (challenge(), "1 Ada <b>Byron</b> play → challenged off 24 → 0 24 → 0"),
        (PENALTY, "What changes Ada <b>Byron</b> 24 → 14 (−10) José & Søren 0 as before"),
        ({"type": "PointsAdjusted", "on": "spread", "side": "left", "points": -50, "rule": None},
         "→ Ada <b>Byron</b> −50, José & Søren 0"),
        (ENDS, "The game: going on → over How it ends: by the director"),
        ({"type": "GameForfeited", "side": "right", "cause": "resigned"},
         "Result: Ada <b>Byron</b> wins"),
        ({"type": "GameForfeited", "side": "right", "cause": "resigned"}, "How it ends: resigned"),
        ({"type": "ClockAdjusted", "side": "left", "added_ns": 60 * SECOND, "rule": None},
         "Ada <b>Byron</b>’s clock: 24:30 → 25:30"),
        ({"type": "SquareCorrected", "turn": 1, "square": "8D", "symbol": "f"},
         "8D: F → blank as F"),
        ({"type": "SquareCorrected", "turn": 1, "square": "8D", "symbol": "f"}, "FIRNS → fIRNS"),
        ({"type": "PlayersNamed", "players": {"left": "Bea"}}, "Left: Ada <b>Byron</b> → Bea"),
    ],
)  # fmt: skip
def test_an_effect_is_drawn_in_words(ann, game, event, words):
    game.play(*TURNS[0])
    assert words in plain_text(preview(ann, event)["html"])


def test_several_events_are_previewed_at_once(ann, game):
    game.play(*TURNS[0])
    asked = [challenge(), challenge(9), PENALTY]
    answers = post(ann, f"{GAME}/preview", {"events": asked}).json["answers"]
    alone = [preview(ann, one) for one in asked]
    assert answers == [{key: one[key] for key in one if key != "html"} for one in alone]
    assert [list(one) for one in answers[1:]] == [["refused"], ["difference", "empty", "effect"]]
    assert post(ann, f"{GAME}/preview", {"events": asked * 21}).status_code == 400
    assert post(ann, f"{GAME}/preview", {"events": "all"}).status_code == 400


def test_the_score_of_a_ruling_is_that_of_now_though_a_turn_came_first(game, ann, overtaken):
    game.play(*TURNS[0])
    overtaken()
    penalty = {**PENALTY, "side": "right"}
    shown = preview(ann, penalty)
    assert shown["difference"]["scores"]["right"] == [0, -10]
    done = rule(ann, penalty, effect=shown["effect"])
    scores = ann.get(GAME).json["view"]["scores"]
    assert scores["right"] not in (0, -10)
    assert done.json["difference"]["scores"]["right"] == [scores["right"] + 10, scores["right"]]


def test_what_the_table_answers_is_passed_on(desk, game, ann, monkeypatch):
    monkeypatch.setattr(desk.loop, "_done", lambda _: Answer(7, on_disk=False))
    done = post(ann, "/director/api/tables/1/stop", WHY)  # it is in the table's memory alone
    assert (done.status_code, done.json) == (202, {"seq": 7, "on_disk": False})
    # An end that was shown without the last play is shown anew.
    monkeypatch.setattr(desk.loop, "_done", lambda _: Answer(None, COUNTED))
    answer = rule(ann, {"type": "GameEnded", "reason": "confirmed"})
    assert (answer.status_code, answer.json) == (409, {"error": COUNTED, "stale": True})


def test_what_the_public_may_see_is_decided_and_taken_back_also_after_signing(desk, game, ann):
    game.plays(TURNS[:2])
    rule(ann, {"type": "GameEnded", "reason": "broken off"})
    decided = {"type": "PublicationDecided", "shown": "result", "holds": "game"}
    assert preview(ann, decided)["empty"]
    done = rule(ann, decided, "Ada refused")
    assert done.status_code == 200, done.json
    record = ann.get(GAME).json
    assert record["statements"][-1]["text"] == "the public may see the result alone, for this game"
    assert record["public"] == (
        "The public sees no more than the result of this game (Ann: Ada refused)."
    )
    rule(ann, {"type": "Retracted", "event": done.json["number"]}, "she agrees")
    assert ann.get(GAME).json["public"] is None
