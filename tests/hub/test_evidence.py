"""The night after a round: a hub's data are copied and put back, and a game's evidence is made."""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
from contextlib import closing

import pytest

from hub.exporting import export_from_hub
from hub.hub import KEY
from hub.service import HubService
from hub.store import HubStore
from record.seals import digest
from record.signing import KEY_FILE, TableKey
from record.verifier.replay import verify
from table.cli import main
from tests.hub.hubkit import until
from tests.hub.servicekit import play


def mirrored(venue, table) -> bool:
    return venue.service.store.head(table.id) == table.log.head


@pytest.fixture
def hall(venue):
    """A hub with two tables that have played, each with a picture."""
    venue.one, venue.two = venue.table("t1"), venue.table("t2")
    for seed, table in enumerate((venue.one, venue.two)):
        play(table, seed)
        sha = table.keep_picture(bytes([seed]) * 5000)
        assert until(lambda sha=sha: venue.service.pictures.store.has(sha))
    assert until(lambda: mirrored(venue, venue.one) and mirrored(venue, venue.two))
    venue.data = venue.folder / "hub"
    return venue


def backed_up(hall, *options: str) -> int:
    return main(["backup", str(hall.folder / "stick"), "--data", str(hall.data), *options])


def restored(hall, name: str = "other") -> int:
    stick, other = hall.folder / "stick", hall.folder / name
    return main(["restore", str(stick), "--data", str(other)])


def test_there_and_back_with_the_keys_it_is_the_same_hub_to_its_tables(hall, capsys):
    assert backed_up(hall, "--with-key") == 0  # while it runs
    printed = capsys.readouterr().out
    assert "2 tables, " in printed
    assert "2 pictures (2 new); checked" in printed
    play(hall.one, 7)
    assert until(lambda: mirrored(hall, hall.one))
    assert backed_up(hall, "--with-key") == 0
    assert "(0 new)" in capsys.readouterr().out
    assert restored(hall) == 0
    other = hall.folder / "other"
    assert stat.S_IMODE((other / KEY).stat().st_mode) == 0o600
    hall.service.stop()
    hall.service = HubService(hall.config, other)
    hall.service.start()
    play(hall.one, 8)
    assert until(lambda: hall.same(hall.one) and hall.same(hall.two))
    assert hall.service.store.path.parent == other


def test_without_the_keys_the_records_come_back_and_nobody_can_sign_as_the_hub(hall, capsys):
    assert backed_up(hall) == 0
    assert "enrolled again" in capsys.readouterr().err
    stick = hall.folder / "stick"
    assert not (stick / KEY).exists()
    assert not (stick / "broker").exists()
    assert not (stick / "web.db").exists()
    assert restored(hall) == 0
    store = HubStore(hall.folder / "other")
    for table in (hall.one, hall.two):
        assert store.records(table.id) == table.log.events()
    store.close()
    assert restored(hall) == 2  # there are data now
    assert "has data already" in capsys.readouterr().err


def test_a_code_that_is_open_is_in_no_backup(hall):
    from hub.enrolment import new_code

    new_code(hall.service.store, "t9", "Table 9")
    assert backed_up(hall) == 0
    with closing(sqlite3.connect(hall.folder / "stick" / "hub.db")) as copy:
        assert copy.execute("SELECT count(*) FROM codes").fetchone() == (0,)


@pytest.mark.parametrize("what", ["record", "cut", "picture"])
def test_a_backup_that_was_changed_is_refused_by_name(hall, capsys, what):
    assert backed_up(hall) == 0
    stick = hall.folder / "stick"
    with closing(sqlite3.connect(stick / "hub.db", isolation_level=None)) as copy:
        if what == "record":
            copy.execute("DROP TRIGGER records_stand")
            copy.execute(
                "UPDATE records SET payload = replace(payload, '1', '2') "
                "WHERE table_id = 't2' AND seq = 1"
            )
        elif what == "cut":
            copy.execute("DROP TRIGGER records_keep")
            copy.execute("DELETE FROM records WHERE table_id = 't2' AND seq > 3")
    if what == "picture":
        next((stick / "evidence").glob("*.jpg")).write_bytes(b"another")
    assert restored(hall) == 2
    printed = capsys.readouterr().err
    expected = {"record": "t2, event 1", "cut": "do not end where", "picture": "no longer"}
    assert expected[what] in printed
    assert not (hall.folder / "other" / "hub.db").exists()


def test_pictures_that_are_still_at_a_table_are_named_in_a_backup(hall, capsys):
    hall.service.pictures._idle = lambda: False  # nothing in the background
    hall.two.keep_picture(b"later" * 1000)
    assert until(lambda: mirrored(hall, hall.two))
    assert backed_up(hall) == 1
    assert "t2: 1 pictures of its games are not at the hub" in capsys.readouterr().err


def test_a_table_and_a_hub_do_not_go_into_one_folder(hall, capsys):
    assert backed_up(hall) == 0
    table = str(hall.folder / "t1")
    assert main(["backup", str(hall.folder / "stick"), "--data", table]) == 2
    assert "not a backup" in capsys.readouterr().err


def test_the_evidence_of_a_game_is_made_at_the_hub_with_the_pictures_fetched(hall, capsys):
    hall.service.pictures._idle = lambda: False  # nothing in the background
    sha = hall.one.keep_picture(b"wanted" * 1000)
    game = hall.one.game
    assert until(lambda: mirrored(hall, hall.one))
    assert not hall.service.pictures.store.has(sha)
    path = hall.folder / "game.zip"
    asked = ["export", game, "--data", str(hall.data), "--out", str(path), "--json"]
    assert main(asked) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["lost"] == []
    table = TableKey.open(hall.folder / "t1" / KEY_FILE)
    hub = TableKey.open(hall.data / KEY)
    assert (report["key"], report["signed_by"]) == (table.public, hub.fingerprint)
    assert verify(path, [table.fingerprint, hub.fingerprint]).ok
    assert not verify(path, [table.fingerprint]).ok  # the hub's signature is told from the table's


def test_the_evidence_is_made_without_a_running_hub_and_says_what_it_lacks(hall, capsys):
    hall.service.pictures._idle = lambda: False
    hall.one.keep_picture(b"wanted" * 1000)
    assert until(lambda: mirrored(hall, hall.one))
    hall.service._looking.stop()
    path = hall.folder / "game.zip"
    rest = ["--data", str(hall.data), "--out", str(path)]
    assert main(["export", "last", *rest]) == 2
    assert "name one with --table" in capsys.readouterr().err
    assert main(["export", "last", *rest, "--table", "t7"]) == 2
    assert main(["export", "last", *rest, "--table", "t2"]) == 0
    assert main(["export", hall.one.game, *rest]) == 1
    printed = capsys.readouterr().err
    assert "no hub is running" in printed
    assert "lost: the picture" in printed


def test_a_director_gets_the_evidence_from_the_hubs_page(hall):
    from tests.hub.pagekit import Pages

    pages = Pages(hall)
    game = hall.two.game
    where = f"/director/api/tables/t2/games/{game}"
    assert pages.get(where, director=True).get_json()["archive"] is True
    answer = pages.post(f"{where}/archive", {})
    assert answer.status_code == 200
    path = hall.folder / "page.zip"
    path.write_bytes(answer.data)
    answer.close()
    keys = [TableKey.open(hall.folder / "t2" / KEY_FILE).fingerprint]
    keys.append(TableKey.open(hall.data / KEY).fingerprint)
    assert verify(path, keys).ok


def test_the_evidence_of_a_running_game_ends_where_it_was_when_it_was_asked_for(hall):
    hall.service.pictures._idle = lambda: False
    hall.one.keep_picture(b"wanted" * 1000)
    assert until(lambda: mirrored(hall, hall.one))
    last = hall.one.log.last_seq

    def played_on(_line: str) -> None:
        hall.one.keep_picture(b"newer" * 1000)
        assert until(lambda: mirrored(hall, hall.one))

    path = hall.folder / "game.zip"
    made = export_from_hub(hall.data, hall.one.game, path, say=played_on)
    report = verify(path, [made.key, made.signed_by])
    assert (made.lost, report.faults) == ((), [])
    assert hall.one.log.last_seq > last
    assert report.facts is not None
    assert report.facts.digest == digest(hall.one.log.events()[last - 1].hash)
    assert (report.facts.key, report.facts.table_key) == (made.signed_by, made.key)


def test_a_broker_of_a_folder_that_was_lost_is_ended(hall):
    assert backed_up(hall, "--with-key") == 0
    broker, hall.service.broker = hall.service.broker, None
    hall.service.stop()
    broker.leave()  # the hub is gone, and mosquitto is not
    shutil.rmtree(hall.data)
    assert restored(hall, "hub") == 0
    hall.service = HubService(hall.config, hall.data)
    hall.service.start()
    play(hall.one, 8)
    assert until(lambda: hall.same(hall.one))
