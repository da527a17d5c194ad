"""The games of a table on the director's pages: which one is shown, the menu, and earlier ones."""

from __future__ import annotations

import re
import time

from game.events import (
    ButtonPressed,
    GameEnded,
    GameStarted,
    ResultSigned,
    Retracted,
    to_payload,
)
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog
from tests.dashboard.directorkit import GAME, challenge, post


def test_a_turn_s_page_leads_back_to_its_own_game(desk, game, ann, log):
    """It may be open while the next game begins."""
    game.play(*TURNS[0])
    assert "/director/tables/1?game=game-1" in ann.get("/director/tables/1/turns/1").text
    # The game on the table is followed, by whatever address.
    assert 'data-game=""' in ann.get("/director/tables/1?game=game-1").text
    GameInLog(log, "game-2").start()
    assert 'data-game="game-1"' in ann.get("/director/tables/1?game=game-1").text


def test_the_menu_of_games_can_be_asked_for(desk, game, ann, log):
    GameInLog(log, "game-2").start({"left": "Cleo", "right": "Dan"})
    listed = ann.get("/director/api/tables/1/games").json["games"]
    assert [one.pop("begun")[2] for one in listed] == [":", ":"]
    assert listed == [
        {"game_id": "game-2", "players": "Cleo – Dan", "signed": False},
        {"game_id": "game-1", "players": " – ".join(NAMES.values()), "signed": False},
    ]


def test_games_of_the_same_players_differ_by_when_they_began(desk, game, ann, log):
    def put(game_id, event, wall_ns):
        log.append(game_id, to_payload(event), mono_ns=0, source="test", wall_ns=wall_ns)

    days_ago = time.time_ns() - 3 * 86_400 * SECOND
    for game_id in ("game-2", "game-3"):
        put(game_id, GameStarted(game_id, NAMES, "wespa-2007", "english", "left", 0), days_ago)
    put("game-2", ButtonPressed("right", 0), days_ago)  # nobody has pressed in the third yet
    begun = [one["begun"] for one in ann.get("/director/api/tables/1/games").json["games"]]
    assert (begun[0], begun[2][2]) == ("", ":")
    assert re.fullmatch(r"\d+ \w+, \d\d:\d\d", begun[1])


def test_the_menu_of_games_says_which_are_signed(desk, game, ann):
    def signed() -> bool:
        return ann.get("/director/api/tables/1/games").json["games"][0]["signed"]

    game.play(*TURNS[0])
    game.put(GameEnded("six_zeros", game.t_ns))
    assert not signed()
    game.put(ResultSigned("Ann", game.t_ns))
    assert signed()
    number = sum(1 for _ in game.log.events(game.game_id))
    game.put(Retracted(number, "Ann", "too early", game.t_ns))
    assert not signed()


def test_earlier_games_can_be_ruled_on(desk, game, ann, log):
    game.play(*TURNS[0])
    GameInLog(log, "game-2").start()
    assert ann.get("/director/api/tables/1/pulse").json["game_id"] == "game-2"
    done = post(ann, f"{GAME}/rule", {"event": challenge(), "why": "found later"})
    assert done.status_code == 200
    assert ann.get(GAME).json["view"]["scores"]["left"] == 0
    assert "game-1" in ann.get("/director/tables/1").text
