"""The calls: what a server answers that is no Woogles, and documents that are none."""

from __future__ import annotations

import json
import threading

import pytest

from game.errors import TilewatchError
from game.tile_symbols import SYMBOL_OF
from table.config import Camera, TableConfig
from table.live import opened
from tests.dashboard.connectionkit import Peer
from woogles.client import GAMES, NoAnswerError, RefusedError, Woogles
from woogles.document import DocumentError, read_document
from woogles.letters import letters_of
from woogles.slot import Slots, Wanted, WooglesOptions, order

KEY = "a-key-of-ours"
DOCUMENT = {"uid": "g", "players": [{"nickname": "A"}, {"nickname": "B"}]}


def answered(status: str, body: bytes, more: str = "", length: int | None = None):
    """The result of one call with an answer."""
    size = len(body) if length is None else length
    head = f"HTTP/1.1 {status}\r\n{more}Content-Length: {size}\r\nConnection: close\r\n\r\n"
    peer = Peer(lambda connection: connection.sendall(head.encode() + body))
    try:
        return Woogles(f"http://127.0.0.1:{peer.port}", KEY, 2.0).call(GAMES, "GetX", {}), peer
    finally:
        peer.close()


@pytest.mark.parametrize(
    ("status", "body", "more", "length"),
    [
        ("200 OK", b"<!doctype html><title>Hi</title>", "", None),
        ("200 OK", b'{"uid": "g', "", None),
        ("200 OK", b"{}", "", 40),
        ("200 OK", b"[1]", "", None),
        ("200 OK", b"[" * 100_000, "", None),
        ("200 OK", b'"' + b"x" * 4_000_010 + b'"', "", None),
        ("500 No", b"[" * 100_000, "", None),
        ("x" * 60_000, b"", "", None),
        ("502 Bad Gateway", b"<html>", "", None),
        ("403 Forbidden", b"<html>Are you human?</html>", "", None),
        ("503 No", b'{"code": "unavailable", "message": "later"}', "", None),
        ("400 No", b'{"code": 7}', "", None),
        ("302 Found", b"", "Location: http://127.0.0.1:9/elsewhere\r\n", None),
        ("nonsense", b"", "", None),
    ],
)
def test_an_answer_that_is_none_is_no_refusal(status, body, more, length):
    with pytest.raises(NoAnswerError) as failed:
        answered(status, body, more, length)
    assert KEY not in str(failed.value)
    assert "\n" not in str(failed.value)
    assert len(str(failed.value)) < 500


@pytest.mark.parametrize(
    ("begins", "drop"),
    [
        ("", b"HTTP/1.1 100 Continue\r\n\r\n"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{}", b" "),
        ("HTTP/1.1 200 OK\r\n\r\n{}", b" "),
        ("HTTP/1.1 500 No\r\nContent-Length: 100000\r\n\r\n{}", b" "),
    ],
)
def test_a_call_has_its_time_as_a_whole(begins, drop):
    over = threading.Event()

    def drips(connection):
        connection.sendall(begins.encode())
        while not over.wait(0.05):
            connection.sendall(drop)

    peer = Peer(drips)
    try:
        with pytest.raises(NoAnswerError):
            Woogles(f"http://127.0.0.1:{peer.port}", KEY, 0.5).call(GAMES, "GetX", {})
    finally:
        over.set()
        peer.close()


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.2:80/https://x",
        "file:///etc/https://x",
        "http://127.0.0.1:80@evil.example",
        "http://127.0.0.1.evil.example",
        "https://name@evil.example",
        "https://[::",
        "https://a..b",
        "https://x:99999",
        "https://x/ y",
    ],
)
def test_the_key_goes_to_a_safe_address_alone(url):
    with pytest.raises(ValueError, match="url"):
        WooglesOptions(account="club", broadcast="open", url=url)


GAME = {"table_number": 1}
WANTED = Wanted("g", ("Ann", "Bo"), 1, 1, "DOUBLE")


@pytest.mark.parametrize(
    "answer",
    [
        {"games": 5},
        {"games": [5]},
        {"games": [GAME], "game_id": "x" * 100_000, "creator_username": "me"},
        {"games": [GAME], "game_id": "a\0b", "creator_username": "me"},
        {"games": [GAME], "game_id": "../x", "creator_username": "me"},
        {"games": [GAME], "game_id": "g2", "username": "me"},
        {"games": [GAME], "game_id": "g2", "creator_username": "x" * 100_000},
    ],
)
@pytest.mark.parametrize("own", [True, False])
def test_a_server_that_lies_gives_no_game(tmp_path, monkeypatch, answer, own):
    monkeypatch.setattr(Woogles, "call", lambda *_: answer)
    options = WooglesOptions(account="me", broadcast="" if own else "b", lexicon="X")
    slots = Slots(Woogles("https://x", KEY), options, tmp_path / "woogles.json")
    with pytest.raises(TilewatchError) as failed:
        slots.found(WANTED, None)
    assert len(str(failed.value)) < 500


@pytest.mark.parametrize("kept", ['{"g": 5}', '{"g": "a b"}', "[" * 100_000, "[]"])
def test_a_file_of_other_games_knows_none(tmp_path, kept):
    path = tmp_path / "woogles.json"
    path.write_text(kept)
    options = WooglesOptions(account="me", broadcast="b")
    assert Slots(Woogles("https://x", KEY), options, path).known("g") is None


def test_a_refusal_says_why_in_one_line():
    body = json.dumps({"code": "invalid_argument", "message": "not on\nturn"}).encode()
    with pytest.raises(RefusedError, match="Woogles refuses: not on turn") as refused:
        answered("400 Bad Request", body)
    assert refused.value.code == "invalid_argument"


def test_the_key_is_in_its_header_alone_and_once():
    found, peer = answered("200 OK", b'{"ok": true}')
    assert found == {"ok": True}
    head, _, _body = peer.got[0].partition(b"\r\n\r\n")
    assert head.lower().count(b"x-api-key: " + KEY.encode()) == 1
    assert peer.got[0].count(KEY.encode()) == 1


def test_nobody_there_is_one_line():
    with pytest.raises(NoAnswerError, match="does not answer GetX"):
        Woogles("http://127.0.0.1:9", KEY, 1.0).call(GAMES, "GetX", {})


@pytest.mark.parametrize(
    "change",
    [
        {"players": [{}]},
        {"players": "A and B"},
        {"events": [7]},
        {"events": [{"type": "DANCE"}]},
        {"events": [{"type": 99}]},
        {"events": [{"player_index": 2}]},
        {"events": [{"played_tiles": "ü"}]},
        {"events": [{"played_tiles": 7}]},
        {"events": [{"score": "many"}]},
        {"events": [{"score": True}]},
        {"events": [{"note": 3}]},
        {"racks": ["", "", ""]},
        {"current_scores": [1]},
        {"play_state": "ASLEEP"},
        {"timers": "none"},
        {"uid": 7},
    ],
)
def test_a_document_of_another_form_is_refused(change):
    with pytest.raises(DocumentError):
        read_document(DOCUMENT | change)


def test_a_document_is_read_as_the_server_spells_it():
    event = {"type": "PHONY_TILES_RETURNED", "lost_score": 12, "player_index": 1}
    more = {"challenge_rule": "ChallengeRule_TEN_POINT", "play_state": "GAME_OVER"}
    found = read_document(DOCUMENT | {"events": [event]} | more)
    assert (found.events[0].points, found.events[0].player) == (-12, 1)
    assert (found.rule, found.state) == ("TEN_POINT", "GAME_OVER")


@pytest.mark.parametrize(
    ("tile_set", "numbers"),
    [
        ("dutch", {"A": 1, "Z": 26}),
        ("english", {"A": 1, "Z": 26}),
        ("french", {"A": 1, "Z": 26}),
        ("german", {"Ä": 2, "Ö": 17, "Ü": 24, "Z": 29}),
        ("catalan", {"Ç": 4, "J": 11, "L": 12, "L·L": 13, "NY": 16, "QU": 19, "Z": 26}),
        ("norwegian", {"Y": 25, "Ü": 26, "Z": 27, "Æ": 28, "Ø": 30, "Å": 32}),
        ("polish", {"Ą": 2, "Ł": 16, "P": 22, "R": 23, "Ź": 31, "Ż": 32}),
        ("slovene", {"Č": 4, "R": 19, "Š": 21, "Ž": 29}),
        ("spanish", {"CH": 4, "LL": 13, "Ñ": 16, "RR": 21, "Z": 28}),
        ("swedish", {"Ü": 26, "Z": 27, "Å": 28, "Ä": 29, "Ö": 31}),
    ],
)
def test_every_tile_has_a_number_and_comes_back(tile_set, numbers):
    letters = letters_of(tile_set)
    assert {text: letters.numbers[SYMBOL_OF.get(text, text)] for text in numbers} == numbers
    tiles = "".join(tile for tile, count in letters.tiles.counts.items() if tile != "?" and count)
    assert letters.symbols(letters.played(tiles)) == tiles
    assert letters.symbols(letters.played(tiles.lower())) == tiles.lower()
    assert letters_of("german").played("AÄ.z") == bytes([1, 2, 0, 0x80 | 29])
    assert letters_of("english").rack("?ZA") == bytes([0, 1, 26])


def test_a_set_whose_order_is_not_known_is_refused():
    with pytest.raises(TilewatchError, match="'welsh' are not known here; known are catalan"):
        letters_of("welsh")


@pytest.mark.parametrize(
    ("theirs", "ours", "due"),
    [
        (("Lee, Ann", "Bo"), ("Ann Lee", "Bo"), "same"),
        (("Bo", "Lee, Ann"), ("Ann Lee", "Bo"), "swapped"),
        (("Núñez, José", "X"), ("Jose Nunez", "Y"), "same"),
        (("Cy", "Di"), ("Ann Lee", "Bo"), "strangers"),
    ],
)
def test_who_plays_first_is_known_by_the_names(theirs, ours, due):
    assert order(theirs, ours) == due


def test_the_key_comes_from_a_file_or_the_environment(tmp_path):
    options = WooglesOptions(account="club", broadcast="open")
    assert options.key({"TILEWATCH_WOOGLES_KEY": "k1"}) == "k1"
    with pytest.raises(TilewatchError, match="name a key_file, or set TILEWATCH_WOOGLES_KEY"):
        options.key({})
    with pytest.raises(TilewatchError, match="name a key_file"):
        options.key({"TILEWATCH_WOOGLES_KEY": "kü"})
    file = tmp_path / "key"
    file.write_text("k2\n")
    assert options.model_copy(update={"key_file": file}).key({}) == "k2"
    file.write_text("two words")
    none = options.model_copy(update={"key_file": tmp_path / "none"})
    config = TableConfig(camera=Camera(kind="simulated"), woogles=none)
    with pytest.raises(TilewatchError, match="API key"), opened(config, tmp_path / "d", print):
        pass
    assert not (tmp_path / "d").exists()
    with pytest.raises(TilewatchError, match="key_file"):
        options.model_copy(update={"key_file": file}).key({})
