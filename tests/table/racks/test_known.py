"""Racks: sealed as they are seen, read again by the role's key, and opened after the game."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from dashboard.director.concerns import rack_doubts, troubles
from game.errors import TilewatchError
from game.events import (
    GameEnded,
    RackSeen,
    RacksOpened,
    RacksSealed,
    Retracted,
    from_payload,
    to_payload,
)
from game.state.fold import fold
from record.log.event_log import EventLog
from record.opened_racks import opened_racks, rack_content, rack_place
from record.paths import DATABASE
from record.rack_key import RackKey
from record.rack_seals import PADDED, _sealed
from table.cli import main
from table.racks.history import RackDoubt, RackSighting
from table.racks.known import KnownRacks
from tests.game.gamekit import SECOND, Table
from tests.record.bundlekit import GAME, bundle_of, checked, fill

KEY = RackKey.generate()


class Seats:
    """A game whose racks are seen."""

    def __init__(self, key: RackKey = KEY) -> None:
        self.table = Table()
        self.known = KnownRacks(key)

    def see(self, side, tiles, confidence=()):
        seen = RackSighting(side, tiles, self.table.now + 1, confidence)
        for event in self.known.sealing(self.table.state, seen):
            self.table.put(event)

    @property
    def state(self):
        return self.table.state

    @property
    def history(self):
        return self.known.history(self.state)


def events(seats, kind):
    return [one for one in seats.table.events if isinstance(one, kind)]


def test_a_rack_is_known_to_the_role_and_its_event_says_nothing():
    seats = Seats()
    seats.see("left", "AEINRT?")
    assert seats.known.of(seats.state) == {"left": "AEINRT?", "right": None}
    seats.see("right", "Z")
    longest = RackSighting("left", "QQQQQQQQ", 9, (0.123,) * 8)
    (other,) = seats.known.sealing(seats.state, longest)
    sealed = [*events(seats, RackSeen), other]
    assert len({len(one.sealed) for one in sealed}) == 1
    assert "AEINRT" not in json.dumps([to_payload(one) for one in seats.table.events])
    assert KnownRacks(RackKey.generate()).of(seats.state) == {"left": None, "right": None}
    assert KnownRacks(None).of(seats.state) == {"left": None, "right": None}


def test_a_table_that_starts_again_knows_the_racks_by_the_key():
    seats = Seats()
    seats.see("left", "AEINRT?")
    again = KnownRacks(KEY)
    assert again.of(seats.state)["left"] == "AEINRT?"
    seats.known = again
    seats.see("left", "TRINEA?")
    assert len(events(seats, RackSeen)) == 1, "the same tiles in another order are nothing new"
    seats.see("left", "AEINRTS")
    assert len(events(seats, RacksSealed)) == 1


def test_the_key_is_opened_after_the_game_and_its_delay():
    seats = Seats()
    seats.table.play("8G", "CAT")
    seats.see("left", "AEINRT?")
    assert seats.known.opening(seats.state, 10**15) is None
    seats.table.put(GameEnded("agreed", 50 * SECOND))
    assert seats.known.opening(seats.state, 60 * SECOND, 20 * SECOND) is None
    opened = seats.known.opening(seats.state, 70 * SECOND, 20 * SECOND)
    seats.table.put(opened)
    assert KnownRacks(None).of(seats.state)["left"] == "AEINRT?"
    assert seats.known.opening(seats.state, 10**15) is None
    seats.see("left", "AEINRTX")
    assert len(events(seats, RackSeen)) == 1, "what is drawn later is for the next game"
    number = next(at for at, one in enumerate(seats.table.events, 1) if isinstance(one, GameEnded))
    seats.table.put(Retracted(number, "TD", "it goes on", 80 * SECOND))
    seats.see("left", "AEINRTX")
    assert len(events(seats, RacksSealed)) == 2, "what comes later has a key of its own"
    assert KnownRacks(None).of(seats.state)["left"] != "AEINRTX"


def test_racks_of_a_game_without_a_turn_stay_sealed():
    seats = Seats()
    seats.see("left", "AEINRT?")
    assert seats.known.sealed(seats.state)
    seats.table.put(GameEnded("set_up_anew", 50 * SECOND))
    assert seats.known.opening(seats.state, 10**15) is None
    assert not seats.known.sealed(seats.state)


@pytest.mark.parametrize(
    "text",
    ["5", "[]", "{}", "null", '{"tiles":5,"confidence":[]}', '{"tiles":"A","confidence":5}',
     '{"tiles":"A","confidence":["x"]}', '{"tiles":"A","confidence":[1e999]}', "[" * 380],
    ids=lambda text: text[:30],
)  # fmt: skip
def test_what_is_sealed_by_the_right_key_and_is_no_rack_is_none(text):
    seats = Seats()
    seats.see("left", "AEINRT?")
    key = seats.known._game_key(events(seats, RacksSealed)[0], seats.state.game_id)
    place = rack_place(seats.state.game_id, "right", 5)
    seats.table.put(RackSeen("right", _sealed(key, text.encode().ljust(PADDED), place), 5))
    assert [one.side for one in seats.known.sightings(seats.state)] == ["left"]
    payloads = [to_payload(one) for one in (*seats.table.events, RacksOpened(key.hex(), 9))]
    found = [one for _, one in opened_racks(seats.state.game_id, payloads)]
    assert [type(one) for one in found] == [dict, str]
    with pytest.raises(ValueError, match="no rack"):
        rack_content(b"[" * 100_000)


def test_a_rack_is_still_known_after_passes():
    seats = Seats()
    seats.see("left", "QVVUUI?")
    for _ in range(3):
        seats.table.nothing()
    assert {turn.kind for turn in seats.state.turns} == {"exchange_or_pass"}
    assert seats.history.held == {1: "QVVUUI?", 3: "QVVUUI?"}
    assert seats.known.of(seats.state)["left"] == "QVVUUI?"
    seats.see("left", "QAEINR?")
    assert seats.known.of(seats.state)["left"] == "QAEINR?", "it was an exchange"
    assert seats.history.doubts == ()


def test_racks_follow_turns_and_the_tiles_drawn_are_known():
    seats = Seats()
    seats.see("left", "CATERS?")
    seats.see("right", "DOGGYAB")
    seats.see("left", "ERS?")  # being laid: the player still has all seven
    assert seats.known.of(seats.state)["left"] == "CATERS?"
    seats.table.play("8G", "CAT")
    assert sorted(seats.known.of(seats.state)["left"]) == sorted("ERS?")
    seats.see("left", "ERS?Q")
    assert seats.known.of(seats.state)["left"] == "ERS?Q", "some are drawn"
    seats.see("left", "ERS?QIU")
    seats.table.play("9G", "DOG")
    assert seats.history.held == {1: "CATERS?", 2: "DOGGYAB"}
    assert seats.history.drawn == {1: "IQU"}
    assert seats.history.doubts == ()


def test_a_blank_is_played_from_its_rack():
    seats = Seats()
    seats.see("left", "CA?ERSS")
    seats.table.play("8G", "CAt")
    assert seats.history.held == {1: "CA?ERSS"}
    assert seats.history.doubts == ()


@pytest.mark.parametrize(
    ("left", "after", "doubt"),
    [
        ("XATERS?", "ERS?QIU", "C was played and not seen on the player's rack"),
        ("DATERS?", "ERS?QIU", "C was played, and seen on Bo's rack"),
        ("CATERS?", "ERSQQIU", "a blank was on the rack before turn 1 and not after it"),
        ("CATERS?", "ERS?KKU", "rack and board show K more than the set has"),
    ],
)
def test_what_does_not_agree_is_a_doubt(left, after, doubt):
    seats = Seats()
    seats.see("left", left)
    seats.see("right", "CCOGGYA" if "Bo" in doubt else "DOGGYAB")
    seats.table.play("8G", "CAT")
    seats.see("left", after)
    assert doubt in [one.text for one in seats.history.doubts]


def test_a_doubt_is_a_note_on_the_director_s_page():
    doubt = RackDoubt(3, "left", "Z was played and not seen on the player's rack")
    table = SimpleNamespace(desk=SimpleNamespace(trouble=tuple, rack_doubts=(doubt,)), log=None)
    assert troubles(table) == rack_doubts(table, "observer") == rack_doubts(table, None) == []
    (found,) = rack_doubts(table, "director")
    assert (found.level, found.text, found.turn, found.about) == ("note", doubt.text, 3, 3)


def test_an_uncertain_tile_raises_no_doubt():
    seats = Seats()
    seats.see("left", "XATERS?", confidence=(0.5,) + (0.99,) * 6)
    seats.table.play("8G", "CAT")
    assert seats.history.doubts == ()


def test_the_key_is_a_file_that_its_owner_alone_reads(tmp_path, capsys):
    path = tmp_path / "key"
    KEY.save(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert RackKey.load(path).public == KEY.public
    path.chmod(0o644)
    with pytest.raises(TilewatchError, match="others can read"):
        RackKey.load(path)
    for wrong in (tmp_path, tmp_path / "none"):
        with pytest.raises(TilewatchError, match=r"cannot be read .*`tilewatch rack-key FILE`"):
            RackKey.load(wrong)
    assert main(["rack-key", "/proc/x"]) != 0
    assert "/proc/x: no key can be written here" in capsys.readouterr().err


@pytest.mark.parametrize("fault", ["", "place", "key"])
def test_a_bundle_proves_what_was_seen(tmp_path, fault):
    fill(tmp_path, turns=1, signed=False)
    with EventLog(tmp_path / DATABASE) as log:
        before = [one for one in log.events(GAME) if one.type != "GameEnded"]
        state = fold(from_payload(one.payload) for one in before)
        known = KnownRacks(KEY)
        seen = RackSighting("left", "AEINRT?", 30 * SECOND)
        for event in known.sealing(state, seen):
            payload = to_payload(event)
            if fault == "place" and isinstance(event, RackSeen):
                payload["side"] = "right"
            log.append(GAME, payload, mono_ns=event.t_ns, source="racks")
        state = fold(from_payload(one.payload) for one in log.events(GAME))
        opened = known.opening(state, 10**15)
        payload = to_payload(opened) | ({"key": "a" * 64} if fault == "key" else {})
        log.append(GAME, payload, mono_ns=10**15, source="table")
    report = checked(bundle_of(tmp_path, tmp_path / "game.zip"))
    assert report.ok == (not fault)
