"""Racks are told to nobody before they are due: not by a page, a stream, a file, or a copy.

Two tables that differ in their racks alone give the same answers at every address of the table's
application and of a hub's, and the letters of the racks are in no file of theirs.
"""

from __future__ import annotations

import json
import logging
import re
from contextlib import ExitStack

import pytest

import tests.dashboard.test_not_shown as at_table
import tests.hub.test_not_shown as at_hub
from dashboard.accounts.guard import SESSION_COOKIE
from dashboard.commentary.seat import Seat, Seats
from dashboard.parts import install
from game.events import GameEnded, RackSeen, from_payload
from game.state.fold import fold
from record.backup import backup
from record.bundle.export import export
from record.evidence import EvidenceStore
from record.rack_key import RackKey
from record.signing import KEY_FILE, TableKey
from table.desk import TableDesk
from table.racks.history import RackDoubt, RackSighting
from table.racks.known import KnownRacks
from tests.dashboard.accounts_fixtures import add
from tests.dashboard.conftest import SECOND, TURNS
from tests.dashboard.test_not_shown import differing

pytestmark = pytest.mark.usefixtures("one_minute")

KEY = RackKey.generate()
RACKS = (("AOEINR?", "BGHDLMO"), ("QZJXKVW", "TUYFPSI"))
"""Different letters on each, so that a rack without one of them is always another."""


def with_racks(game, racks, turns=TURNS) -> KnownRacks:
    """Play turns of a game in a log; both racks are seen before each."""
    known = KnownRacks(KEY)
    for number, turn in enumerate(turns):
        for side, tiles in zip(("left", "right"), racks, strict=True):
            six = tiles[:number] + tiles[number + 1 :]
            state = fold(from_payload(one.payload) for one in game.log.events(game.game_id))
            seen = RackSighting(side, six, game.t_ns + 1, (0.98,) * 6)
            for event in known.sealing(state, seen):
                game.put(event)
        game.play(*turn)
    return known


def masked(answers: dict[str, bytes]) -> dict[str, bytes]:
    """Answers without the distance of a table's clock from the hub's, which is the test's own."""
    return {at: re.sub(rb'"offset_ns":-?\d+', b"", one) for at, one in answers.items()}


@pytest.mark.parametrize(
    ("over", "delay"),
    [(False, {}), (False, {"delay_min": 10}), (True, {}), (True, {"delay_turns": 2})],
    ids=str,
)
@pytest.mark.parametrize("place", [at_table, at_hub], ids=["table", "hub"])
def test_no_answer_depends_on_the_racks(tmp_path, caplog, place, over, delay):
    caplog.set_level(logging.DEBUG)
    made = []
    with ExitStack() as stack:
        for number, racks in enumerate(RACKS):
            public = delay
            if place is at_table:
                public = at_table.PublicPolicy.model_validate(delay)
            one = place.World(tmp_path / f"w{number}", stack, public)
            with_racks(one.game, racks)
            if over:
                one.game.put(GameEnded("shortened", one.game.t_ns, "director"))
            made.append(one)
        answers = [masked(one.everything()) for one in made]
        assert differing(*answers) == []
        assert [len(json.dumps(one.payload)) for one in made[0].log.events()] == [
            len(json.dumps(one.payload)) for one in made[1].log.events()
        ]
    assert "EINR?" not in caplog.text


def test_with_commentators_at_the_table_only_holders_of_a_token_learn_the_racks(tmp_path):
    made = []
    with ExitStack() as stack:
        for number, racks in enumerate(RACKS):
            one = at_table.World(tmp_path / f"w{number}", stack)
            known = with_racks(one.game, racks)
            install(one.app, Seats({"1": Seat(known)}))
            made.append(one)
        tokens = [one.headers.pop() for one in made]
        assert differing(*(one.everything() for one in made)) == []
        for one, token in zip(made, tokens, strict=True):
            one.headers[:] = [token]
        found = differing(*(one.everything() for one in made))
    assert "/commentary/1 0" in found
    assert all("commentary" in path or "rack" in path or "plays" in path for path in found), found


@pytest.mark.parametrize("role", ["observer", "director"])
def test_only_a_director_learns_what_does_not_agree_about_the_racks(tmp_path, role):
    desk = TableDesk(lambda: 2000 * SECOND)
    desk.rack_doubts = (RackDoubt(2, "left", "F was on the rack before turn 2"),)
    with ExitStack() as stack:
        one = at_table.World(tmp_path / "w", stack, desk=desk)
        one.game.plays(TURNS)
        door = one.app.extensions["tilewatch.AuthContext"]
        session = door.sessions.open(add(door.db, "Otto", role))
        one.headers.append({"Cookie": f"{SESSION_COOKIE}={session.token}"})
        answers = one.everything(queries=("",))
    assert answers["/director/api/tables/1/pulse 2"].startswith(b"200")
    found = [at for at, answer in answers.items() if b"on the rack before" in answer]
    due = ["/director/api/tables/1/games/game-1 2", "/director/api/tables/1/pulse 2"]
    assert found == (due if role == "director" else [])


def files(folder) -> bytes:
    return b"".join(one.read_bytes() for one in sorted(folder.rglob("*")) if one.is_file())


def test_no_file_tells_a_rack_and_a_bundle_tells_it_once_it_is_opened(tmp_path):
    racks = ("QZJXKVW", "TUYFPSI")
    with ExitStack() as stack:
        one = at_table.World(tmp_path / "w", stack)
        table_key = TableKey.open(tmp_path / "w" / KEY_FILE)
        known = with_racks(one.game, racks, TURNS[:2])
        one.game.put(GameEnded("shortened", one.game.t_ns, "director"))
        backup(tmp_path / "w", tmp_path / "backup")
        evidence = EvidenceStore(tmp_path / "w" / "evidence")
        export(one.log, evidence, table_key, "game-1", tmp_path / "before.zip")
        held = files(tmp_path)
        state = fold(from_payload(e.payload) for e in one.log.events("game-1"))
        tiles = [seen.tiles for seen in known.sightings(state)]
        assert len(tiles) == 4
        key = known.opening(state, one.game.t_ns).key
        assert not any(word.encode() in held for word in (*tiles, key, KEY.public[::-1]))
        one.game.put(known.opening(state, one.game.t_ns))
        export(one.log, evidence, table_key, "game-1", tmp_path / "after.zip")
        assert key.encode() in files(tmp_path)
        state = fold(from_payload(e.payload) for e in one.log.events("game-1"))
        assert [seen.tiles for seen in KnownRacks(None).sightings(state)] == tiles
        assert any(isinstance(event, RackSeen) for event in state.progress.events)
