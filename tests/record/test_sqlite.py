"""Every SQLite file is opened with the same settings, and refused when it is not ours."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing

import pytest

from game.errors import TilewatchError
from record.sqlite import Schema, connect, open_database, pragma, transaction

CREATE = "CREATE TABLE IF NOT EXISTS t (x INTEGER PRIMARY KEY) STRICT;"


class OwnError(TilewatchError):
    pass


def schema(version=1, application_id=7, **more):
    return Schema("a file of t", application_id, version, CREATE, OwnError, **more)


def test_a_new_file_is_private_in_wal_mode_and_synced_at_each_commit(tmp_path):
    path = tmp_path / "a.db"
    with closing(open_database(path, schema())) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert pragma(connection, "synchronous") == 2  # FULL
        assert pragma(connection, "foreign_keys") == 1
        assert pragma(connection, "busy_timeout") == 10_000
        with transaction(connection):
            connection.execute("INSERT INTO t VALUES (1)")
        for part in tmp_path.iterdir():
            assert stat.S_IMODE(part.stat().st_mode) == 0o600, part
    with closing(open_database(path, schema())) as connection:
        assert connection.execute("SELECT x FROM t").fetchall() == [(1,)]


def test_a_transaction_that_fails_changes_nothing(tmp_path):
    with closing(open_database(tmp_path / "a.db", schema())) as connection:
        with pytest.raises(ZeroDivisionError), transaction(connection):
            connection.execute("INSERT INTO t VALUES (1)")
            raise ZeroDivisionError
        assert connection.execute("SELECT x FROM t").fetchall() == []


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (schema(version=2), "written by a newer tilewatch"),
        (schema(application_id=8), "a database of some other program, not a file of t"),
    ],
)
def test_a_file_of_another_kind_or_a_newer_version_is_refused_unchanged(tmp_path, other, words):
    path = tmp_path / "a.db"
    open_database(path, other).close()
    before = path.read_bytes()
    with pytest.raises(OwnError, match=words):
        open_database(path, schema())
    assert path.read_bytes() == before


def test_a_file_of_an_older_version_is_refused(tmp_path):
    open_database(tmp_path / "a.db", schema()).close()
    with pytest.raises(OwnError, match="written by an older tilewatch"):
        open_database(tmp_path / "a.db", schema(version=2))


def test_a_file_without_the_marks_is_of_another_program(tmp_path):
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"{CREATE} INSERT INTO t VALUES (5);")
    with pytest.raises(OwnError, match="some other program"):
        open_database(path, schema())


def test_a_reader_changes_nothing_and_makes_no_file(tmp_path):
    with pytest.raises(sqlite3.OperationalError):
        connect(tmp_path / "none.db", readonly=True)
    assert not list(tmp_path.iterdir())
    open_database(tmp_path / "a.db", schema()).close()
    reader = connect(tmp_path / "a.db", readonly=True)
    with closing(reader), pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader.execute("INSERT INTO t VALUES (1)")
