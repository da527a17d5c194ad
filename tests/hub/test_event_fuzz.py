"""Whatever a table signs: what the hub takes in it shows, and what it cannot show it refuses."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from game.board import SQUARES
from game.errors import TilewatchError
from game.events import EVENT_TYPES, ButtonPressed, GameEnded, from_payload, to_payload
from game.flags import CODES
from hub.errors import UnreadableError
from hub.service import HubService
from hub.wire.connection import IncomingMessage
from hub.wire.records import check_readable
from record.chain import GENESIS, PAYLOAD_VERSION, LoggedEvent, canonical_json
from record.log.mirror import line_of
from record.signing import TableKey
from tests.game.gamekit import random_game
from tests.hub.pagekit import Pages
from tests.hub.servicekit import no_broker

PAGES = (
    "/",
    "/tables/t1",
    "/tables/t1/live",
    "/tables/t1/clock",
    "/api/v1/tables",
    "/api/v1/tables/t1",
    "/api/v1/tables/t1/clocks",
    "/api/v1/tables/t1/log?game={game}",
    "/api/v1/hall",
    "/overlay/feature/live",
    "/overlay/feature/scene",
    "/results",
    "/results.csv",
    "/results.csv?all=1",
    "/director",
    "/director/hall",
    "/director/hall/state",
    "/director/tables/t1",
    "/director/tables/t1?game={game}",
    "/director/api/tables/t1/pulse",
)
OF_A_GAME = ("/api/v1/tables/t1/turns", "/director/api/tables/t1/games/{game}")
OF_A_TURN = (
    "/api/v1/tables/t1/turns/{turn}",
    "/director/tables/t1/turns/{turn}?game={game}",
    "/director/api/tables/t1/games/{game}/turns/{turn}",
    "/director/api/tables/t1/games/{game}/turns/{turn}/boards",
)


class HostileTable:
    """A table that signs whatever it likes, and the hub that gets it: no broker in between."""

    def __init__(self, folder) -> None:
        self.service = HubService(no_broker(), folder / "hub")
        self.key = TableKey.open(folder / "t1.key")
        self.service.store.enrol("t1", "Table 1", self.key.public, None)
        self.service.admit()
        self.folder = folder
        self.pages = Pages(self)
        self.pages.app.testing = True  # an exception reaches the test
        self.games = 0
        self._at = [0, GENESIS]

    def new_game(self) -> str:
        self.games += 1
        return f"g{self.games}"

    def record(self, game: str, number: int, payload: Any, **more: Any) -> LoggedEvent:
        text = json.dumps(payload, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        type_ = payload.get("type") if isinstance(payload, dict) else None
        one = LoggedEvent(
            self._at[0] + 1, game, number, 10**9 * number, 10**18, "recorder", str(type_),
            PAYLOAD_VERSION, text, self._at[1], "", "", "",
        )  # fmt: skip
        return replace(one, **more).sealed(self.key)

    def send(self, game: str, number: int, payload: Any, **more: Any) -> bool:
        """Sign one more record and send it; whether the hub took it."""
        event = self.record(game, number, payload, **more)
        intake = self.service.hub.intake
        intake._gate.reset("t1")
        intake.take([IncomingMessage("tilewatch/hall/t1/events", line_of(event), False)])
        taken = self.service.store.head("t1")[0] == event.seq
        if taken:
            self._at = [event.seq, event.hash]
        else:
            intake.forget()
        return taken

    def add(self, event: LoggedEvent) -> None:
        """Put a record into the hub's store as a hub did that took in everything."""
        self.service.store.add([("t1", event)])
        self._at = [event.seq, event.hash]
        self.service.hub.intake.forget()
        self.service.hub.log("t1").grown()

    def play(self, game: str, number: int, events) -> int:
        for event in events:
            named = replace(event, game_id=game) if hasattr(event, "game_id") else event
            assert self.send(game, number, to_payload(named))
            number += 1
        return number

    def get(self, path: str):
        return self.pages.get(path, director=True)

    def look(self, game: str) -> None:
        """Every page of the table, and of its newest game where there is one."""
        self.service.hall.draw("t1")
        for path in PAGES:
            answer = self.get(path.format(game=game))
            assert answer.status_code == 200, (path, answer.status_code)
        turns = self.service.tables.table("t1").feeds["director"].latest()
        shown = turns.view if turns is not None else None
        if shown is None:
            return
        count = len(shown["turns"])
        paths = [path.format(game=shown["game_id"]) for path in OF_A_GAME]
        numbers = {n for n in (1, count) if 1 <= n <= count}
        paths += [p.format(game=shown["game_id"], turn=n) for p in OF_A_TURN for n in numbers]
        for path in paths:
            answer = self.get(path)
            assert answer.status_code == 200, (path, answer.status_code)
        assert self.get("/api/v1/tables/t1/game.gcg").status_code in (200, 404)

    def close(self) -> None:
        self.service.close_streams()
        self.service.store.close()


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    one = HostileTable(tmp_path_factory.mktemp("hall"))
    one.play(one.new_game(), 1, GAME[:6])  # what the pages show before anything hostile comes
    yield one
    one.close()


GAME = tuple(random_game(3).events)
TURNS = GAME[:10]
OPENINGS = ((), GAME[:2], TURNS, (*TURNS, GameEnded("agreed", TURNS[-1].press_ns + 1)))
"""Games to begin from: nothing, a start, some turns, some turns and the end."""


# --- payloads ---

JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**63, -(2**63), 10**400, 1e308, -1e308, 5e-324, 0.5])
    | st.text(max_size=5)
    | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
WORDS = ["", "8H", "h8", " 8d ", "15O", "A", "a", "?", ".", "#", "~", "ß", "Ⅷ", "ǆ", "İ", "Ж", "ÑÑ",
         "english", "german", "wespa-2007", "naspa-2023", "out", "left", "right", "camera_lost",
         "misoriented_tile", "may be A 62%, H 31%", "<script>", "x" * 300, "\n", "\x00",
         "\u202e", "0" * 64, "f" * 64]  # fmt: skip
INTEGERS = st.integers(-2, 12) | st.sampled_from(
    [10**6, -(10**6), 10**6 + 1, 10**12, 2**62, -(2**62), 2**62 + 1, 2**64]
)
ROWS = [".......P......."] + ["." * 15] * 14
BOARDS = st.sampled_from(
    [
        ["." * 15] * 15,
        ROWS,
        [*ROWS[:7], "..ABCß?#~ЖǅÄ...", *ROWS[8:]],
        ["Q" * 15] * 15,
        ["?" * 15] * 15,
        ["~" * 15] * 15,
        *[list(event.rows) for event in GAME if hasattr(event, "press_ns")],
    ]
)


_CHARACTERS = st.sampled_from([*"AQaq?.#~", "ß", "Ⅷ", "ǆ", "İ", "Ж", "ﬁ", "ŉ", "Ä"])
SPECIAL = {
    "square": st.sampled_from([square.name for square in SQUARES]),
    "letter": _CHARACTERS,
    "symbol": _CHARACTERS,
    "tiles": st.text(st.sampled_from("AEQZ?ß"), max_size=9),
    "symbols": st.text(st.sampled_from("AEQZ?ß"), max_size=9),
    "code": st.sampled_from(sorted(CODES)),
}


def values(hint: Any, name: str) -> st.SearchStrategy[Any]:
    """Values of a field: such as fit its hint, at its edges and a little beyond."""
    origin, args = get_origin(hint), get_args(hint)
    if name == "rows":
        return BOARDS
    if name == "corners":
        corner = st.lists(st.floats(-9, 1e5), min_size=2, max_size=2)
        return st.none() | st.lists(corner, min_size=4, max_size=4)
    if name == "confidence" and hint is float:
        return st.floats(0, 1)
    if hint is Any:
        return JUNK
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*[st.none() if one is type(None) else values(one, name) for one in args])
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple:
        return st.lists(values(args[0], name), max_size=4)
    if origin is Mapping:
        keys = {
            "players": st.sampled_from(["left", "right"]),
            "confidence": st.sampled_from([square.name for square in SQUARES]),
            "frames": st.sampled_from(["before", "at", "after", "x"]),
            "adjust": st.sampled_from(["clock.minutes", "overtime.penalty", "rack_tiles", "x"]),
            "word_list": st.sampled_from(["name", "sha256"]),
        }
        kept = keys.get(name, st.text(max_size=4))
        return st.dictionaries(kept, values(args[1], name), max_size=4)
    if dataclasses.is_dataclass(hint):
        return fields(hint)
    if hint is int:
        return INTEGERS
    if hint is bool:
        return st.booleans()
    if hint is float:
        return st.floats(0, 1) | st.sampled_from([0, 1, 2, -1, 1e6, 1e308])
    if name in SPECIAL:
        return SPECIAL[name] | SPECIAL[name] | st.sampled_from(WORDS)
    if name in ("sha256", "frames", "pictures"):
        return st.sampled_from(["0" * 64, "f" * 64])
    return st.sampled_from(WORDS) | st.text(max_size=8)


def fields(cls: Any) -> st.SearchStrategy[dict[str, Any]]:
    hints = get_type_hints(cls)
    own = [one.name for one in dataclasses.fields(cls)]
    return st.fixed_dictionaries({name: values(hints[name], name) for name in own})


@st.composite
def payloads(draw, kind: str, game: str = "GAME") -> dict[str, Any]:
    made = {"type": kind, **draw(fields(EVENT_TYPES[kind]))}
    if kind == "GameStarted" and draw(st.integers(0, 3)):
        # Otherwise hardly one would start a game.
        made |= {"players": {"left": draw(st.text(max_size=5)), "right": "Bo"}}
        made |= {"rulebook": "wespa-2007", "tile_set": "english"}
        made |= {} if draw(st.booleans()) else {"adjust": {}}
    if draw(st.integers(0, 3)) == 0:
        made[draw(st.sampled_from(sorted(made)))] = draw(JUNK)
    if draw(st.integers(0, 9)) == 0:
        made.pop(draw(st.sampled_from(sorted(made))))
    return made


def is_sound(payload: dict[str, Any]) -> bool:
    """True if this is an event that can be logged."""
    try:
        canonical_json(payload).encode()
        return from_payload(payload) is not None
    except (TilewatchError, ValueError):
        return False


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(EVENT_TYPES))
@settings(
    max_examples=5,  # each is a game of its own, with some thirty pages
    derandomize=True,
    database=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large,
    ],
)  # fmt: skip
@given(data=st.data(), opening=st.sampled_from(OPENINGS))
def test_whatever_is_taken_in_is_shown(table, kind, data, opening):
    """A game is played up to some moment, and goes on with several events of one kind."""
    begun = kind != "GameStarted" or opening is OPENINGS[2]
    game = table.new_game()
    number = table.play(game, 1, opening if begun else ())
    for payload in data.draw(st.lists(payloads(kind), min_size=3, max_size=3)):
        if not begun:
            game, number = table.new_game(), 1
        if isinstance(payload.get("game_id"), str):
            payload["game_id"] = game
        try:
            taken = table.send(game, number, payload)
        except UnicodeEncodeError:  # it has no form in which it could be sent
            taken = False
        assert taken == is_sound(payload)
        number += taken
    if number > 1:
        table.play(game, number, [ButtonPressed("left", 10**9)])
        table.look(game)


@pytest.mark.parametrize(
    "payload",
    [
        {"players": 1e308},
        {"players": {"left": 1e308, "right": "Bo"}},
        {"adjust": {"x": [[[[[[[[[[[[1]]]]]]]]]]]]}},
        {"t_ns": 2**63},
        {"game_id": "another"},
        {"players": {"left": "x" * 5000, "right": "Bo"}},
        {"type": "GameStarted", "more": 1},
        {"type": "NoSuchEvent"},
        {"type": "PlayersNamed"},
    ],
)
def test_what_cannot_be_shown_is_refused_and_named(table, payload):
    game = table.new_game()
    start = to_payload(replace(GAME[0], game_id=game)) | payload
    assert not table.send(game, 1, start)
    table.look(game)
    assert ("t1", "unreadable") in {
        (id_, what) for _, id_, what, _ in table.service.store.incidents()
    }


def test_the_record_names_what_it_has(table):
    start = to_payload(replace(GAME[0], game_id="g"))
    for more, match in (
        ({"type": "PlayersNamed"}, "not of the kind"),
        ({"game_id": "../etc"}, "no name of a game"),
        ({"game_id": ".."}, "no name of a game"),
        ({"game_id": "other"}, "starts another game"),
        ({"version": PAYLOAD_VERSION + 1}, "newer tilewatch"),
    ):
        with pytest.raises(UnreadableError, match=match):
            check_readable(table.record("g", 1, start, **more))


def test_a_hub_that_has_such_a_record_from_before_shows_its_pages(table):
    """An earlier version took in what it could not show."""
    game = table.new_game()
    event = table.record(game, 1, to_payload(replace(GAME[0], game_id=game)) | {"players": 1e308})
    table.add(event)
    deep = '{"pictures":%s,"type":"PicturesKept"}' % ("[" * 3000 + "]" * 3000)
    event = replace(table.record(game, 2, {"type": "PicturesKept"}), payload_text=deep)
    table.add(event.sealed(table.key))
    for path in ("/", "/tables/t1", "/director", "/director/tables/t1", "/director/hall/state"):
        assert table.get(path).status_code == 200
