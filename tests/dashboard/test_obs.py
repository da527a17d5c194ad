"""Values for scenes that were made for Woogles' broadcasts."""

from __future__ import annotations

import json

import pytest

from dashboard.obs import FIELDS, is_vowel, values
from dashboard.site import table_over
from game.events import PlayersNamed, TurnRuled
from table.views.public_policy import PublicPolicy
from tests.dashboard.conftest import SECOND, TURNS, GameInLog

NAMES = {"left": "Ann", "right": "Bob"}


@pytest.fixture
def game(log) -> GameInLog:
    return GameInLog(log).start(NAMES)


def texts(hall, slot: str = "feature", **headers: str) -> dict[str, str]:
    client = hall.visitor()
    return {name: client.get(f"/obs/{slot}/{name}.txt", headers=headers).text for name in FIELDS}


def test_values_of_a_game_in_their_known_forms(hall, game):
    game.plays(TURNS)
    got = texts(hall, **hall.token("overlay"))
    assert got["score"] == "034 - 024"
    assert (got["p1_score"], got["p2_score"]) == (" 34", " 24")
    assert (got["p1_name"], got["p2_name"], got["name"]) == ("Ann", "Bob", "Ann - Bob")
    assert got["last_play"] == "     LAST PLAY: Bob 12E O(X) 9 24"
    assert (got["blank1"], got["blank2"]) == ("SHOe", "")
    assert got["unseen_tiles"].startswith("AAAAAAAA BB CC DDDD EEEEEEEEEEEE F GGG ")
    assert got["unseen_tiles"].endswith(" Z ? ")
    assert got["unseen_count"] == "85 tiles\n37 vowels | 47 consonants"
    assert (got["table"], got["p1_rating"]) == ("Table 1", "")
    # What is unseen is withheld from whoever has no token.
    everybody = texts(hall)
    assert everybody == got | {"unseen_tiles": "", "unseen_count": ""}
    assert "AAAA" not in hall.visitor().get("/obs/feature/unseen_tiles").text


def test_every_other_last_turn(hall, game):
    def last() -> str:
        return hall.visitor().get("/obs/feature/last_play.txt").text.strip()

    assert last() == "LAST PLAY: (no play yet)"
    game.play("8D", "FIRNS")
    assert last() == "LAST PLAY: Ann 8D FIRNS 24 24"
    game.play("", "")
    assert last() == "LAST PLAY: Bob exch or pass 0 0"
    game.put(TurnRuled(2, "exchange", "director", "said so", game.t_ns))
    assert last() == "LAST PLAY: Bob exch (unknown) 0 0"
    game.put(TurnRuled(2, "pass", "director", "said so", game.t_ns))
    assert last() == "LAST PLAY: Bob pass 0 0"
    game.play("H8", ".HOe")
    game.put(TurnRuled(3, "challenge_upheld", "director", "no good", game.t_ns))
    assert last() == "LAST PLAY: Ann CHALLENGED OFF (S)HOe"


def test_who_moves_first_is_player_1(log, tmp_path):
    game = GameInLog(log).start(NAMES)
    game.side = "right"
    game.play("8D", "FIRNS")
    table = table_over(log, id="1", name="T", clock=lambda: 0)
    found = values(table.public.latest().view, "T")
    assert (found["p1_name"], found["p1_score"]) == ("Bob", " 24")
    assert set(values(None, "").values()) == {""}  # before a game
    table.close()


@pytest.mark.parametrize(
    ("tile", "tile_set", "is_one"),
    [
        ("A", "english", True),
        ("Y", "english", False),
        ("Ü", "german", True),
        ("Ł", "polish", False),
        ("Ą", "polish", True),
        ("Y", "polish", True),
        ("?", "english", False),
    ],
)
def test_vowels(tile, tile_set, is_one):
    assert is_vowel(tile, tile_set) is is_one


def test_a_delay_holds_for_values_too(game, halls):
    hall = halls(public=PublicPolicy(delay_turns=2))
    game.plays(TURNS[:4])
    assert "(S)HOe" in texts(hall)["last_play"]
    assert "TO(O)LS" in texts(hall, **hall.token("overlay"))["last_play"]


def data_lines(chunk: bytes) -> list[str]:
    return [
        line.removeprefix("data: ")
        for line in chunk.decode().splitlines()
        if line.startswith("data: ")
    ]


@pytest.mark.parametrize(
    "base",
    [
        "/obs/feature",
        "/obs/1",
        "/api/broadcasts/obs/nationals-2026/stream1",
        "/api/annotations/obs/user/cesar/main",
    ],
)
def test_scenes_made_for_woogles_work_by_changing_the_host(hall, game, base):
    game.play("8D", "FIRNS")
    client = hall.visitor()
    text = client.get(f"{base}/score.txt")
    assert (text.text, text.mimetype) == ("024 - 000", "text/plain")
    assert text.headers["Access-Control-Allow-Origin"] == "*"
    page = client.get(f"{base}/last_play?size=30&color=white&bg=transparent")
    assert page.mimetype == "text/html"
    assert "LAST PLAY: Ann 8D FIRNS 24 24" in page.text
    assert f'data-events="{base}/events"' in page.text
    stream = client.get(f"{base}/events", buffered=False)
    found = (line for chunk in stream.response for line in data_lines(chunk) if line[0] == "{")
    assert json.loads(next(found))["score"] == "024 - 000"
    game.play("H8", ".HOe")
    assert json.loads(next(found))["score"] == "024 - 006"
    stream.close()


def test_one_value_is_a_stream_in_which_nothing_is_said_twice(hall, game):
    headers = hall.token("overlay")
    stream = hall.visitor().get("/obs/feature/unseen_count/events", headers=headers, buffered=False)
    assert data_lines(next(iter(stream.response))) == ["100 tiles", "42 vowels | 56 consonants"]
    stream.close()
    stream = hall.visitor().get("/obs/feature/score/events", buffered=False)
    chunks = iter(stream.response)
    output = data_lines(next(chunks))
    game.play("", "")  # nobody scores
    game.play("8D", "FIRNS")
    while len(output) < 2:
        output += data_lines(next(chunks))
    assert output == ["000 - 000", "000 - 024"]
    stream.close()


def test_what_is_not_there(hall, log, game):
    client = hall.visitor()
    assert client.get("/obs/feature/rack.txt").status_code == 404
    assert client.get("/obs/feature/rack/events").status_code == 404
    hall.site.add(table_over(log, id="2", name="Table 2", clock=lambda: 2000 * SECOND))
    # With several tables a slot that nobody made could be any of them.
    assert client.get("/obs/stream1/score.txt").status_code == 404
    assert client.get("/obs/2/score.txt").status_code == 200
    assert client.get("/obs/feature/score.txt?token=tw_1_2").status_code == 401


def test_names_with_markup_stay_text(hall, game):
    game.put(PlayersNamed({"left": "<script>alert(1)</script>"}, "TD", game.t_ns))
    assert "<script>alert" not in hall.visitor().get("/obs/feature/name").text
    answer = hall.visitor().get("/obs/feature/p1_name.txt")
    assert answer.text.startswith("<script>")
    assert answer.mimetype == "text/plain"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_name_written_from_right_to_left_keeps_to_itself_in_a_line(hall, game):
    game.put(PlayersNamed({"left": "אורי"}, "TD", game.t_ns))
    game.play("8D", "FIRNS")
    client = hall.visitor()
    assert client.get("/obs/1/p1_name.txt").text == "אורי"
    assert client.get("/obs/1/last_play.txt").text.endswith("\u2068אורי\u2069 8D FIRNS 24 24")
    assert client.get("/obs/1/name.txt").text.startswith("\u2068אורי\u2069 - ")
