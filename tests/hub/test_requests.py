"""What directors ask at the hub is done at the table, once or never, in one order for everybody."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from contextlib import closing
from dataclasses import replace
from typing import get_args

import pytest

from game.adjudication.preview import GONE_ON, difference
from game.events import (
    ButtonPressed,
    GameForfeited,
    GameStarted,
    PenaltyAdded,
    PlayersNamed,
    Retracted,
    TilesFound,
    TurnRuled,
    other,
    to_payload,
)
from hub.errors import WireError
from hub.wire import posts
from hub.wire.messages import Address, Request, seal
from record.errors import LogError
from sensors.debounce import Timing
from table.desk import (
    Attend,
    CountPlay,
    Desk,
    DeskPress,
    DirectorPost,
    ListPlayers,
    NamePlayers,
    NewGame,
    NextGame,
    PlayerPress,
    Ruling,
    TurnMeant,
)
from table.game_setup import GameSetup
from table.refusals import OTHER_GAME, OTHER_TURN
from tests.hub.servicekit import TiedTable
from tests.machine import PATIENCE_S, until


def penalty(desk, points: int, by: str = "TD") -> PenaltyAdded:
    return PenaltyAdded("left", points, None, by, "late", desk.now_ns())


def here(venue, table) -> None:
    assert until(lambda: venue.service.presence.state(table.id) == "here")
    assert until(lambda: venue.service.store.head(table.id) == table.log.head)


@pytest.fixture
def table(venue) -> TiedTable:
    """A table that the hub hears and whose log it has."""
    one = venue.table("t1")
    here(venue, one)
    return one


@pytest.fixture
def desk(venue, table) -> Desk:
    """That table's desk, as the hub's pages have it."""
    return venue.desk(table)


@pytest.fixture
def away(venue) -> TiedTable:
    """A table that is enrolled, and not connected."""
    return venue.table("t1", connect=False)


def penalties(table) -> list[int]:
    return [e.payload["points"] for e in table.log.events() if e.type == "PenaltyAdded"]


def test_a_ruling_at_the_hub_is_in_the_tables_log_and_comes_back(venue, table, desk):
    answer = desk.post(Ruling(table.game, penalty(desk, 10), "director: ann"))
    assert answer.done, answer.refused
    logged = table.log.events()[-1]
    assert (logged.seq, logged.type) == (answer.seq, "PenaltyAdded")
    assert logged.source.startswith("director: ann#")
    # The page that asks again right away finds it there.
    assert venue.service.hub.log("t1").last_seq >= answer.seq
    assert venue.same(table)


def test_what_the_table_refuses_is_refused_at_the_hub_in_the_same_words(table, desk):
    answer = desk.post(Ruling("no-such-game", penalty(desk, 10), "director: ann"))
    assert not answer.done
    assert "there is no game 'no-such-game'" in answer.refused
    assert penalties(table) == []
    seen = desk.post(Ruling(table.game, ButtonPressed("left", desk.now_ns()), "director: ann"))
    assert "not for people" in seen.refused


def test_what_was_shown_at_the_hub_is_what_the_table_does(table, desk):
    fine = penalty(desk, 10)
    effect = difference(table.session.state, fine).digest()
    table.say(PenaltyAdded("left", 5, None, "TD", "late", table.desk.now_ns()), "buttons")
    refused = desk.post(Ruling(table.game, fine, "director: ann", effect=effect))
    assert refused.refused == GONE_ON
    assert penalties(table) == [5]
    shown = difference(table.session.state, fine).digest()
    assert desk.post(Ruling(table.game, fine, "director: ann", effect=shown)).done
    assert penalties(table) == [5, 10]


def test_what_is_meant_for_another_game_is_refused_at_the_table(table, desk):
    named = {"by": "TD", "why": "the draw", "game_id": "an-earlier-game"}
    answers = [
        desk.post(NamePlayers({"left": "Cem"}, "director: ann", **named)),
        desk.post(DeskPress("left", desk.now_ns(), "director: ann", **named)),
        desk.post(NextGame("director: ann", **named)),
        desk.post(CountPlay("director: ann", **named)),
    ]
    assert {answer.refused for answer in answers} == {OTHER_GAME}
    assert desk.post(
        NamePlayers({"left": "Cem"}, "director: ann", **named | {"game_id": table.game})
    ).done
    assert table.session.state.players["left"] == "Cem"


def test_a_start_meant_for_an_earlier_turn_is_refused_at_the_table(table, desk):
    named = {"by": "TD", "why": "go on", "game_id": table.game}
    assert desk.post(DeskPress("neutral", desk.now_ns(), "director: ann", **named)).done
    number, side = len(table.session.state.turns) + 1, table.session.state.on_turn
    for seen in (TurnMeant(number + 1, side), TurnMeant(number, other(side) if side else "left")):
        refused = desk.post(DeskPress("left", desk.now_ns(), "director: ann", **named, seen=seen))
        assert refused.refused == OTHER_TURN
    seen = TurnMeant(number, side)
    start = DeskPress(other(side or "left"), desk.now_ns(), "director: ann", **named, seen=seen)
    assert desk.post(start).done
    sent = json.loads(json.dumps(posts.as_json(start)))
    assert posts.from_json(sent, "#1", 9) == replace(start, t_ns=9, source="director: ann#1")
    with pytest.raises(WireError, match=r"seen\.number: .* valid integer"):
        posts.from_json(sent | {"seen": {"number": "x", "side": None}}, "#1", 9)


def test_what_only_a_director_can_say_passes_through_the_hub_as_it_was_said():
    event = TilesFound("bag", 1, None, "TD", "found", 9, "?", {"left": 6, "right": 7})
    sent = json.loads(json.dumps(posts.as_json(Ruling("g", event, "director: ann"))))
    assert posts.from_json(sent, "#1", 9) == Ruling("g", event, "director: ann#1")


WHO = {"source": "director: ann", "by": "TD", "why": "the draw"}
ASKED = (
    Ruling("g", PenaltyAdded("left", 5, None, "TD", "late", 9), "director: ann", "digest"),
    NamePlayers({"left": "Cem"}, **WHO, game_id="g", announced={"clock.minutes": 20}),
    NextGame(**WHO, game_id="g", despite_tiles=True),
    NewGame(setup=GameSetup("english", "wespa-2007", {"right": "Eve"}, first="left"), **WHO),
    CountPlay(**WHO, game_id="g"),
    DeskPress("left", 9, **WHO, game_id="g", seen=TurnMeant(3, None)),
    Attend("director_called", "left", **WHO, message="Bo calls the director"),
    ListPlayers("result", "full", {"Ann Bee": ("nothing", "initials")}, **WHO),
)


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked.kind)
def test_whatever_a_director_asks_travels_whole(asked):
    assert {type(one) for one in ASKED} == set(get_args(DirectorPost))
    sent = json.loads(json.dumps(posts.as_json(asked)))
    assert posts.from_json(sent, "#1", 9) == replace(asked, source="director: ann#1")
    assert "another version" not in posts.in_words(sent)
    for lost in sent.keys() - {"by", "why", "game_id", "source", "effect", "announced", "seen"}:
        without = {key: value for key, value in sent.items() if key != lost}
        if lost in ("despite_tiles", "message"):  # which have a default
            assert posts.from_json(without, "#1", 9) != posts.from_json(sent, "#1", 9)
            continue
        with pytest.raises(WireError):
            posts.from_json(without, "#1", 9)


@pytest.mark.parametrize("despite", [False, True])
def test_the_next_game_says_whether_it_begins_despite_tiles(despite):
    asked = NextGame("director: ann", "TD", "the next round", "g", despite)
    sent = json.loads(json.dumps(posts.as_json(asked)))
    assert ("despite_tiles" in sent) == despite  # a table of before knows no such thing
    read = posts.from_json(sent, "#1", 9)
    assert read == NextGame("director: ann#1", "TD", "the next round", "g", despite)
    setup = GameSetup("english", "wespa-2007")
    new = NewGame(setup=setup, source="director: ann", despite_tiles=despite)
    read = posts.from_json(json.loads(json.dumps(posts.as_json(new))), "#1", 9)
    assert isinstance(read, NewGame)
    assert read.despite_tiles == despite


def test_what_lies_uncounted_at_the_table_is_known_and_counted_at_the_hub(table, desk):
    assert desk.uncounted == ()
    table.desk.uncounted = ("8H C", "8I A")
    assert until(lambda: desk.uncounted == ("8H C", "8I A"))
    refused = desk.post(
        CountPlay("director: ann", by="TD", why="it ends", game_id=table.game)
    ).refused
    assert "its press counts a play" in refused


def test_a_table_that_is_away_has_the_ruling_when_it_is_back(venue, away):
    desk = venue.desk(away)
    answer = desk.post(Ruling(away.game, penalty(desk, 10), "director: ann"), 0.2)
    assert not answer.done
    assert "is not there" in answer.refused and "waits for it until" in answer.refused
    (waiting,) = venue.service.requests.open("t1")
    assert waiting.status == "waiting"
    for points in (11, 12):  # her own ruling before is not held against her
        desk.post(Ruling(away.game, penalty(desk, points), "director: ann"), 0.01)
    away.connect()
    assert until(lambda: penalties(away) == [10, 11, 12])
    assert until(lambda: venue.service.requests.open("t1") == [])
    assert until(lambda: venue.service.requests.find(waiting.id).status == "done")
    (logged,) = [one for one in away.log.events() if one.payload.get("points") == 10]
    assert venue.service.requests.find(waiting.id).seq == logged.seq


def test_a_hub_that_is_started_again_still_knows_what_it_asked(venue, away):
    desk = venue.desk(away)
    desk.post(Ruling(away.game, penalty(desk, 10), "director: ann"), 0.05)
    venue.restart()
    away.connect()
    assert until(lambda: venue.service.requests.open("t1") == [])
    assert venue.desk(away).post(Ruling(away.game, penalty(desk, 11), "director: ann")).done
    assert penalties(away) == [10, 11]


@pytest.mark.parametrize("crashed", [False, True])
def test_a_request_that_comes_again_is_done_once(venue, table, desk, crashed):
    """Also after a crash right after it was done: no answer was kept, and only the log knows."""
    assert desk.post(Ruling(table.game, penalty(desk, 10), "director: ann")).done
    if crashed:
        table.close()
        with closing(sqlite3.connect(table.folder / "hub-requests.db")) as kept, kept:
            kept.execute("UPDATE answers SET status = 'begun', seq = NULL")
        table.open()
        table.connect()
        here(venue, table)
    (one,) = venue.service.requests.newest()
    ((text,),) = venue.service.store.read("SELECT body FROM requests")
    for _ in range(3):
        venue.service.hub.send("t1", Request(id=one.id, **json.loads(text)))
    # What is asked of a table is done in its order.
    assert desk.post(Ruling(table.game, penalty(desk, 11), "director: ann")).done
    assert penalties(table) == [10, 11]


def test_a_ruling_on_what_somebody_else_ruled_meanwhile_is_refused_and_says_who(venue):
    table = venue.table("t1", connect=False)
    table.connect()
    here(venue, table)
    table.tie.stop()
    assert until(lambda: venue.service.presence.state("t1") == "stopped")
    table.say(penalty(table.desk, 5, "local"), "director: bea")  # at the table's own desk
    desk = venue.desk(table)
    answer = desk.post(Ruling(table.game, penalty(desk, 10), "director: ann"), 0.1)
    assert not answer.done
    request = venue.service.requests.open("t1")[0].id
    table.restart()
    assert until(lambda: venue.service.requests.find(request).status == "refused")
    assert "bea ruled on this game first" in venue.service.requests.find(request).answer
    assert penalties(table) == [5]
    assert until(lambda: venue.same(table))


def test_two_directors_at_once_end_in_one_order(venue, table, desk):
    answers = {}

    def rule(name: str, points: int) -> None:
        answers[name] = desk.post(
            Ruling(table.game, penalty(desk, points), f"director: {name}"), PATIENCE_S
        )

    threads = [threading.Thread(target=rule, args=(name, n)) for n, name in enumerate("ab", 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done = [name for name, answer in answers.items() if answer.done]
    refused = [answer.refused for answer in answers.values() if not answer.done]
    # Either the second had seen the first, or it is told of it: never both without a word.
    assert len(done) == 2 or f"{done[0]} ruled on this game first" in refused[0]
    assert until(lambda: venue.same(table))
    assert len(penalties(table)) == len(done)


def test_a_request_is_called_back_before_the_table_has_it(venue, away):
    desk = venue.desk(away)
    desk.post(Ruling(away.game, penalty(desk, 10), "director: ann"), 0.05)
    (one,) = venue.service.requests.open("t1")
    venue.service.requests.withdraw(one.id)
    assert venue.service.requests.find(one.id).status == "expired"
    away.connect()
    here(venue, away)
    assert desk.post(Ruling(away.game, penalty(desk, 11), "director: ann")).done
    assert penalties(away) == [11]


def test_one_that_may_have_reached_the_table_is_unsure_until_the_table_says(venue, away):
    desk = venue.desk(away)
    desk.post(Ruling(away.game, penalty(desk, 10), "director: ann"), 0.05)
    (one,) = venue.service.requests.open("t1")
    with venue.service.store.write() as connection:  # sent, and then the table was gone
        connection.execute("UPDATE requests SET sent = 1, status = 'unsure', expires_ns = 1")
    away.connect()
    assert until(lambda: venue.service.requests.find(one.id).status == "withdrawn")
    assert penalties(away) == []


def test_a_request_that_was_not_done_in_time_is_told_at_its_table_for_a_while(venue, away):
    desk, requests = venue.desk(away), venue.service.requests
    for points in (10, 11):
        desk.post(Ruling(away.game, penalty(desk, points), "director: ann"), 0.05)
    late, called_back = requests.open("t1")
    requests.withdraw(called_back.id)
    with venue.service.store.write() as connection:
        connection.execute(
            "UPDATE requests SET asked_ns = ?, expires_ns = ? WHERE id = ?",
            (time.time_ns() - 10**9, time.time_ns() - 1, late.id),
        )
    assert until(lambda: requests.find(late.id).status == "expired")
    (noted,) = [one for one in desk.trouble() if one.code == "not_done"]
    assert late.words in noted.message
    assert "the table did not come back in time" in noted.message
    with venue.service.store.write() as connection:
        connection.execute("UPDATE requests SET asked_ns = 1, expires_ns = 2")
    assert not any(one.code == "not_done" for one in desk.trouble())


def test_requests_of_a_stranger_are_not_served(venue, table, desk):
    """Whoever can write the topic still lacks the hub's key."""
    address = Address("hall", "t1")
    post = posts.as_json(Ruling(table.game, penalty(desk, 50), "director"))
    forged = seal(Request(id="stranger", seen=0, post=post), address, table.log.key)
    venue.service.hub.link.publish(address.topic("requests"), forged, qos=1)
    assert desk.post(Ruling(table.game, penalty(desk, 11), "director: ann")).done
    assert penalties(table) == [11]


def test_names_for_a_table_whose_game_is_over_outlive_its_power_cut(venue, table, desk):
    end = GameForfeited("left", "absent", "TD", "did not come", desk.now_ns())
    assert desk.post(Ruling(table.game, end, "director: ann")).done
    names = {"left": "Eve", "right": "Bob"}
    assert (
        desk.post(NamePlayers(names, "director: ann", why="the pairings of round 2")).seq
        is not None
    )
    here(venue, table.restart())
    assert desk.post(NextGame("director: ann")).done
    assert dict(table.session.state.players) == names


def test_who_and_why_travel_with_whatever_is_done_from_the_hub(table, desk):
    named = {"by": "Ann", "why": "the f\u00eate"}
    assert desk.post(NamePlayers({"left": "Cem"}, "director: ann", **named)).done
    assert desk.post(DeskPress("right", desk.now_ns(), "director: ann", **named)).done
    for kind in ("PlayersNamed", "ButtonPressed"):
        reported = [event for event in table.log.events() if event.type == kind][-1]
        assert reported.source.startswith("director: ann#")
        assert {key: reported.payload[key] for key in named} == named
    time.sleep(Timing().both_ns / 1e9)  # sooner, the other button echoes
    # A player's press, from whichever page, is nobody's word.
    assert desk.post(PlayerPress("left", desk.now_ns())).done
    pressed = [event for event in table.log.events() if event.type == "ButtonPressed"][-1]
    assert (pressed.payload["by"], pressed.payload["why"]) == ("", "")
    assert table.session.state.clocks.running == "right"
    assert "going on" in desk.post(NextGame("director: ann")).refused
    for wrong in ({"why": "x" * 401}, {"by": "x" * 300}):
        answer = desk.post(NamePlayers({"left": "Cem"}, "director: ann", **named | wrong))
        assert "why has at most" in answer.refused


def test_a_new_game_is_asked_for_from_the_hub(table, desk):
    output = {"clock.minutes": 20, "challenge": "points 10 word"}
    setup = GameSetup("english", "naspa-2017", {"left": "Eve", "right": "Fay"}, None, output)
    whose = NewGame(setup=replace(setup, first="right"), source="director")
    assert posts.from_json(posts.as_json(whose), "", 9).setup.first == "right"
    answer = desk.post(NewGame(setup=setup, source="director"))
    assert answer.done, answer.refused
    state = table.session.state
    assert (state.rulebook.id, state.players["left"]) == ("naspa-2017", "Eve")
    assert state.rulebook.challenge_failed_points == 10
    wrong = replace(setup, announced={"clock.minutes": 9999})
    assert "1 to 600" in desk.post(NewGame(setup=wrong, source="director")).refused


def test_what_the_table_s_disk_does_not_take_is_not_done_before_it_does(
    venue, table, desk, monkeypatch
):

    def full(_events):
        raise LogError("the disk is full")

    with monkeypatch.context() as disk:
        disk.setattr(table.log._disk, "write", full)
        answer = desk.post(Ruling(table.game, penalty(desk, 10), "director: ann"), 0.2)
        assert not answer.done
        assert until(lambda: penalties(table) == [10])
        assert until(lambda: len(venue.service.requests.open("t1")) == 1)
        # The table tells its score, and sends no record that it would lose if it were switched off.
        facts_of = venue.service.presence.facts_of
        assert until(lambda: facts_of("t1").game)
        assert until(lambda: facts_of("t1").game["players"]["left"]["score"] == -10)
        assert venue.service.store.head("t1")[0] < table.log.head[0]
    assert table.log.retry()
    assert until(lambda: venue.service.requests.open("t1") == [])
    (one,) = venue.service.requests.newest()
    assert (one.status, penalties(table)) == ("done", [10])


def test_what_is_asked_of_a_table_is_said_in_words_for_people():
    named = PlayersNamed({"left": "Ann Lee"}, "TD", 0)
    story = [GameStarted("g", {"left": "Left", "right": "Bo"}, "wespa-2007", "english", None, 0)]
    fine = PenaltyAdded("left", 10, None, "TD", "late", 0)
    off = TurnRuled(3, "challenge_upheld", "TD", "no word", 0)

    def words(event) -> str:
        return posts.in_words({"kind": "ruling", "event": to_payload(event)}, [*story, named])

    assert words(off) == "turn 3: challenged off the board"
    assert words(fine) == "10 points off Ann Lee"
    assert words(Retracted(2, "TD", "", 0)) == "taken back: the players: Ann Lee on the left"
    assert posts.in_words({"kind": "ruling", "event": to_payload(fine)}) == (
        "10 points off the player on the left"
    )
    call = {"kind": "attend", "code": "director_called", "message": "Bo calls the director"}
    assert posts.in_words(call) == "seen to: Bo calls the director"
