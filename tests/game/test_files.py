"""Files that a user names are opened one way: regular ones of a bounded size, nothing else."""

from __future__ import annotations

import os
import socket
import stat

import pytest

from game.errors import TilewatchError
from game.files import (
    create_private_file,
    open_file,
    read_file,
    remove_leftovers,
    replacing,
    require_replaceable,
    write_file,
)


class OwnError(TilewatchError):
    pass


def test_a_file_is_read_whole(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    assert read_file(tmp_path / "a", 5) == b"12345"
    with open_file(tmp_path / "a", 5) as handle:
        assert handle.read(2) == b"12"


def test_what_is_too_large_is_refused_with_both_sizes(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"123456")
    with pytest.raises(OwnError, match=r"a: is too large \(6 bytes; at most 5 bytes are read\)"):
        read_file(path, 5, OwnError)
    os.truncate(path, 100 * 10**9)
    with pytest.raises(TilewatchError, match=r"too large \(100 GB; at most 2.5 MB are read\)"):
        read_file(path, 2_500_000)


def test_a_file_that_says_no_size_is_bounded_all_the_same():
    from pathlib import Path

    assert read_file(Path("/proc/self/stat"), 10_000)
    with pytest.raises(TilewatchError, match="too large"):
        read_file(Path("/proc/self/stat"), 4)


def test_pipes_sockets_and_devices_are_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for name, kind in (("pipe", "a pipe"), ("zero", "a device"), ("socket", "a socket")):
            with pytest.raises(OwnError, match=f"{name}: is {kind}, not a file"):
                read_file(tmp_path / name, 5, OwnError)
            with pytest.raises(OwnError, match=f"{name}: is {kind}, which a file cannot replace"):
                require_replaceable(tmp_path / name, OwnError)


def test_what_the_system_says_is_left_to_the_caller(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "none", 5)
    with pytest.raises(IsADirectoryError):
        read_file(tmp_path, 5)
    with pytest.raises(TilewatchError, match="is a folder"):
        require_replaceable(tmp_path)
    require_replaceable(tmp_path / "none")


def test_a_file_is_replaced_in_one_step(tmp_path):
    path = tmp_path / "a"
    write_file(path, b"old")
    with replacing(path) as temporary:
        temporary.write_bytes(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a"
    write_file(path, b"old")
    with pytest.raises(ZeroDivisionError), replacing(path) as temporary:
        temporary.write_bytes(b"half")
        raise ZeroDivisionError
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("durable", "calls"), [(True, ["file", "folder"]), (False, [])])
def test_a_durable_write_syncs_the_file_and_its_folder(tmp_path, monkeypatch, durable, calls):
    synced = []
    monkeypatch.setattr(
        os, "fsync", lambda fd: synced.append("folder" if _is_folder(fd) else "file")
    )
    write_file(tmp_path / "a", b"1", durable=durable)
    assert synced == calls


def _is_folder(descriptor):
    return stat.S_ISDIR(os.fstat(descriptor).st_mode)


def test_a_private_file_is_its_owners_alone_from_the_first_byte(tmp_path):
    with replacing(tmp_path / "a", private=True) as temporary:
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
    create_private_file(tmp_path / "deep" / "b", b"key")
    for path in (tmp_path / "a", tmp_path / "deep" / "b"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_new_private_file_never_replaces_another(tmp_path):
    create_private_file(tmp_path / "a", b"first")
    with pytest.raises(FileExistsError):
        create_private_file(tmp_path / "a", b"second")
    assert (tmp_path / "a").read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


def test_two_threads_may_write_the_same_file(tmp_path):
    path = tmp_path / "a"
    with replacing(path) as one, replacing(path) as two:
        one.write_bytes(b"1")
        two.write_bytes(b"2")
    assert path.read_bytes() == b"1"


def test_temporary_files_of_killed_processes_are_removed(tmp_path):
    dead, alive, other = (
        tmp_path / name for name in (f".a.0.{2**22 + 1}.tmp", f".a.0.{os.getpid()}.tmp", ".b.tmp")
    )
    for path in (dead, alive, other):
        path.touch()
    remove_leftovers(tmp_path)
    assert not dead.exists()
    assert alive.exists()
    assert other.exists()
