"""Files that a user names are opened one way: regular ones of a bounded size, nothing else."""

from __future__ import annotations

import os
import socket

import pytest

from game.errors import TilewatchError
from game.files import open_file, read_file, require_replaceable


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
