"""The director's list of tables: what needs somebody, and the games of a table."""

from __future__ import annotations

import json
import re
import time

import pytest

from dashboard.director.concerns import Concern, concerns, of_trouble, unsettled
from dashboard.director.overview import games
from dashboard.streaming.streams import StreamLimiter
from game.events import ButtonPressed, GameEnded, GameStarted, ResultSigned, Retracted, to_payload
from game.troubles import make_trouble
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog, events_in
from tests.dashboard.desk_fixtures import NOW_NS
from tests.dashboard.directorpages import DOUBT, EVENTS, GAME, challenge, post


def reported(client, after: str = ""):
    """What the desk's stream says: kind, data and id of each event."""
    answer = client.get(EVENTS, query_string={"after": after}, buffered=False)
    assert answer.status_code == 200
    for event in events_in(answer.response):
        yield event.kind, event.data, event.id


def rows(stream) -> list[dict]:
    """The next lines in it."""
    return next(data for kind, data, _ in stream if kind == "rows")


def glance(client) -> list[dict]:
    return rows(reported(client))


def test_the_desk_shows_what_needs_somebody(desk, game, ann):
    game.play("8D", "F~RNS", [DOUBT])
    desk.loop.desk.active_troubles.begin(make_trouble("director_called", "called", NOW_NS))
    table = glance(ann)[0]
    assert [one["level"] for one in table["concerns"]][:2] == ["trouble", "question"]
    assert table["players"]["left"]["name"] == NAMES["left"]
    assert (table["last"]["number"], table["last"]["position"]) == (1, "8D")
    assert (table["phase"], table["turns"]) == ("running", 1)
    body = {"code": "director_called", "why": "they asked for the time"}
    assert post(ann, "/director/api/tables/1/attend", body).status_code == 200
    assert desk.loop.posted == [("attended", "seen to: called")]
    assert post(ann, "/director/api/tables/1/attend", body).status_code == 409
    table = glance(ann)[0]
    assert table["concerns"][0]["level"] == "question"


def test_the_desk_names_the_earlier_games_that_nobody_has_signed(desk, game, ann):
    assert glance(ann)[0]["unsigned"] == []
    game.play(*TURNS[0])
    GameInLog(game.log, "game-2", t_ns=game.t_ns + 1).start({"left": "Cleo", "right": "Dan"})
    (one,) = glance(ann)[0]["unsigned"]
    assert (one["game_id"], one["players"]) == ("game-1", " – ".join(NAMES.values()))
    assert one["begun"]
    second = GameInLog(game.log, "game-2", t_ns=game.t_ns + 2)
    second.put(GameEnded("director", second.t_ns, "Ann"))
    GameInLog(game.log, "game-3", t_ns=game.t_ns + 3).start()
    assert [one["game_id"] for one in glance(ann)[0]["unsigned"]] == ["game-2", "game-1"]
    first = GameInLog(game.log, "game-1", t_ns=game.t_ns + 4)
    first.put(GameEnded("broken off", first.t_ns, "Ann"))
    assert [one["game_id"] for one in glance(ann)[0]["unsigned"]] == ["game-2"]
    first.put(Retracted(len(game.log.events("game-1")), "Ann", "", first.t_ns))
    assert [one["game_id"] for one in glance(ann)[0]["unsigned"]] == ["game-2", "game-1"]
    second.put(ResultSigned("both", second.t_ns))
    assert [one["game_id"] for one in glance(ann)[0]["unsigned"]] == ["game-1"]


def test_the_desk_hears_of_a_table_when_something_changed_there(desk, game, ann):
    game.play(*TURNS[0])
    stream = reported(ann)
    assert next(stream)[1]["1"]["now_ns"] == NOW_NS
    assert next(stream)[0] == "time"  # where something has changed
    kind, (table,), seen = next(stream)
    assert (kind, table["turns"]) == ("rows", 1)
    game.play(*TURNS[1])
    table = rows(stream)[0]
    assert table["turns"] == 2
    # Nothing of it is in the log.
    desk.loop.desk.phase = "interrupted"
    assert rows(stream)[0]["phase"] == "interrupted"
    desk.loop.desk.active_troubles.begin(make_trouble("camera_lost", "no picture", NOW_NS))
    assert rows(stream)[0]["concerns"][0]["code"] == "camera_lost"
    # Who comes back gets what was missed, and of another run everything.
    assert [one["id"] for one in rows(reported(ann, seen))] == ["1"]
    newest = next(event for event in reported(ann) if event[0] == "rows")[2]
    desk.loop.desk.active_troubles.end("camera_lost")
    again = reported(ann, newest)
    assert "camera_lost" not in json.dumps(rows(again))
    assert rows(reported(ann, "other-99"))[0]["turns"] == 2


def test_the_desk_says_what_time_it_is_while_nothing_happens(desk, game, ann):
    desk.site.heartbeat_s = 0.05
    stream = reported(ann)
    while next(stream)[0] != "rows":
        pass
    assert [next(stream)[0] for _ in range(3)] == ["time"] * 3


def test_a_director_always_has_a_place_and_others_do_not(desk, game):
    site = desk.site
    site.gate, site.staff = StreamLimiter(0), StreamLimiter(0)
    ann, otto = desk.client("Ann"), desk.client("Otto")
    for path in (EVENTS, "/api/v1/tables/1/events?audience=director", "/tables/1/live/events"):
        assert desk.client(None).get(path).status_code in (401, 503)
        assert otto.get(path).status_code == 503
        held = [ann.get(path, buffered=False) for _ in range(5)]
        assert {one.status_code for one in held} == {200}
        assert site.directors.taken == 5
        for one in held:
            one.close()
        assert site.directors.taken == 0


def test_the_desks_stream_ends_with_the_session(desk, game, ann):
    stream = reported(ann)
    next(stream)
    desk.site.heartbeat_s = 0.05
    ann.post("/logout", headers={"X-CSRF-Token": ann.token})
    # It comes to an end, and says nothing more than what it had to say when it began.
    assert [kind for kind, _, _ in stream if kind != "time"] == ["rows"]


def test_a_turn_s_page_leads_back_to_its_own_game(desk, game, ann, log):
    """It may be open while the next game begins."""
    game.play(*TURNS[0])
    assert "/director/tables/1?game=game-1" in ann.get("/director/tables/1/turns/1").text
    # The game on the table is followed, by whatever address.
    assert 'data-game=""' in ann.get("/director/tables/1?game=game-1").text
    GameInLog(log, "game-2").start()
    assert 'data-game="game-1"' in ann.get("/director/tables/1?game=game-1").text


def test_games_of_the_same_players_differ_by_when_they_began(desk, game, log):
    def put(game_id, event, wall_ns):
        log.append(game_id, to_payload(event), mono_ns=0, source="test", wall_ns=wall_ns)

    days_ago = time.time_ns() - 3 * 86_400 * SECOND
    for game_id in ("game-2", "game-3"):
        put(game_id, GameStarted(game_id, NAMES, "wespa-2007", "english", "left", 0), days_ago)
    put("game-2", ButtonPressed("right", 0), days_ago)  # nobody has pressed in the third yet
    begun = [one["begun"] for one in games(desk.table)]
    assert (begun[0], begun[2][2]) == ("", ":")
    assert re.fullmatch(r"\d+ \w+, \d\d:\d\d", begun[1])


def test_the_menu_of_games_says_who_played_and_which_are_signed(desk, game):
    game.play(*TURNS[0])
    game.put(GameEnded("six_zeros", game.t_ns))
    second = GameInLog(game.log, "game-2").start({"left": "Cleo", "right": "Dan"})
    number = len(game.log.events("game-1"))
    for event, signed in (
        (None, False),
        (ResultSigned("Ann", game.t_ns), True),
        (Retracted(number + 1, "Ann", "too early", game.t_ns), False),
    ):
        if event is not None:
            game.put(event)
        listed = games(desk.table)
        assert [one.pop("begun")[2] for one in listed] == [":", ":"]
        assert listed == [
            {"game_id": second.game_id, "players": "Cleo – Dan", "signed": False},
            {"game_id": "game-1", "players": " – ".join(NAMES.values()), "signed": signed},
        ]


def test_earlier_games_can_be_ruled_on(desk, game, ann, log):
    game.play(*TURNS[0])
    GameInLog(log, "game-2").start()
    assert ann.get("/director/api/tables/1/pulse").json["game_id"] == "game-2"
    done = post(ann, f"{GAME}/rule", {"event": challenge(), "why": "found later"})
    assert done.status_code == 200
    assert ann.get(GAME).json["view"]["scores"]["left"] == 0
    assert "game-1" in ann.get("/director/tables/1").text


def flag(code: str, *, open_: bool = True, remedies: int = 1, **more: object) -> dict:
    offers = [{"open": open_}] * remedies
    return {"code": code, "message": code, "rule": None, "remedies": offers, **more}


def asking(code: str, *squares: str, more: int = 0, **fields: object) -> dict:
    """A flag that asks what lay on squares, with more remedies than that."""
    offers = [
        {
            "open": True,
            "asks": ["symbol"],
            "event": {"type": "SquareCorrected", "turn": 1, "square": square},
        }
        for square in squares
    ]
    return {**flag(code, **fields), "remedies": offers + [{"open": True}] * more}


FORFEIT = {"open": True, "event": {"type": "GameForfeited"}, "asks": ()}


NEEDS = {
    "what is urgent comes first": (
        [
            [flag("off_centre"), flag("uncertain_square")],
            [],
            [flag("gap"), flag("askew", open_=False)],
            [flag("blank_undesignated"), flag("overtime", remedies=0)],
        ],
        [flag("clock_stopped")],
        ["question clock_stopped", "question blank_undesignated in 4",
         "question uncertain_square in 1", "flag gap in 3", "note off_centre in 1"],
    ),
    "what a director has entered is noted, and what is settled needs nobody": (
        [[flag("uncertain_square", settled=12), flag("blank_undesignated")]],
        [flag(code) for code in ("stop_unlisted", "reopened_unlisted", "challenge_binds", "new")],
        ["question blank_undesignated in 1", "flag challenge_binds", "flag new",
         "note stop_unlisted", "note reopened_unlisted"],
    ),
    "a late start needs nobody": ([], [flag("late_start", remedies=2)], ["note late_start"]),
    "unless the game may be forfeited for it": (
        [],
        [{**flag("late_start"), "remedies": [FORFEIT, {"open": True, "event": None}]}],
        ["flag late_start"],
    ),
    "a square that is asked about twice is one question": (  # the count and the list agree
        [[asking("uncertain_square", "8E", "8F"), asking("face_down", "8E"),
          asking("misoriented_tile", "8F", more=1)]],
        [],
        ["question uncertain_square in 1", "flag misoriented_tile in 1"],
    ),
    "a question that can no longer be answered needs nobody": (
        [[flag("challenge_unclear", open_=False)]], [flag("clock_stopped", open_=False)], [],
    ),
    "one that has no remedy does": (
        [], [flag("blank_undesignated", remedies=0)], ["question blank_undesignated"],
    ),
}  # fmt: skip
"""Turns with their flags, flags of the game, and what they need."""


@pytest.mark.parametrize("what", NEEDS)
def test_what_needs_somebody_and_how_urgently(what):
    turns, of_the_game, expected = NEEDS[what]
    numbered = [{"number": at, "flags": flags} for at, flags in enumerate(turns, start=1)]
    trouble_first = Concern("trouble", "log", "the disk is full")
    found = concerns({"turns": numbered, "flags": of_the_game}, [trouble_first])
    assert found[0] == trouble_first
    needed = [f"{one.level} {one.code}" + (f" in {one.turn}" if one.turn else "") for one in found]
    assert needed[1:] == expected


def test_who_signs_is_told_every_question_and_flag_that_is_open():
    trouble = Concern("trouble", "camera_lost", "the camera is gone")
    question = Concern("question", "uncertain_square", "8E could not be read.", 3, about=1)
    flags = [
        Concern("flag", "tile_replaced", "5J showed T and now shows N.", 4, about=4),
        Concern("flag", "clock_stopped", "The clock was stopped."),
    ]
    note = Concern("note", "off_centre", "8D lies off its square.", 1, about=1)
    assert concerns(None, []) == []
    assert unsettled([trouble, note]) is None
    assert unsettled([trouble, *flags[:1], note]) == (
        "1 flag is open and may change the result:\nTurn 4: 5J showed T and now shows N."
    )
    assert unsettled([question, *flags]) == (
        "1 question and 2 flags are open and may change the result:\n"
        "Turn 1: 8E could not be read.\n"
        "Turn 4: 5J showed T and now shows N.\n"
        "The clock was stopped."
    )


def test_a_trouble_is_named_and_has_a_remedy():
    """Both are the log's: a disk that takes nothing lasts, what an opening found is done."""
    lasts, found = (of_trouble(make_trouble(code, "…", 1)) for code in ("log", "log_repaired"))
    assert (lasts.label, lasts.attend) == ("the game cannot be written down", False)
    assert (found.label, found.attend) == ("the log was not whole when it was opened", True)
    assert of_trouble(make_trouble("director_called", "Ann called", 1)).remedy
    assert not Concern("flag", "gap", "a gap").remedy


def test_a_question_counts_for_the_player_whose_turn_its_answer_changes():
    """A tile of turn 1 that could be read only in turn 2 scores for whoever laid it."""
    turns = [
        {"number": 1, "side": "left", "flags": []},
        {"number": 2, "side": "right", "flags": [asking("uncertain_square", "8H", turn=1)]},
        {"number": 3, "side": "left", "flags": [flag("uncertain_square")]},
    ]
    found = concerns({"turns": turns, "flags": []})
    assert [(one.turn, one.side) for one in found] == [(3, "left"), (2, "left")]
    assert [one.about for one in found] == [3, 1]
