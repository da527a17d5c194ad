"""Evidence pictures: the very bytes, under their hash, or a clear no."""

from __future__ import annotations

import errno
import hashlib
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.errors import EvidenceError
from record.evidence import EvidenceStore


@given(jpeg=st.binary(max_size=2000))
def test_the_same_bytes_come_back(tmp_path_factory, jpeg):
    store = EvidenceStore(tmp_path_factory.mktemp("evidence"))
    digest = store.store(jpeg)
    assert digest == hashlib.sha256(jpeg).hexdigest()
    assert store.path(digest).read_bytes() == jpeg
    assert store.load(digest) == jpeg
    assert store.store(jpeg) == digest
    assert [path.name for path in store.folder.iterdir()] == [f"{digest}.jpg"]


def test_a_half_written_picture_of_an_earlier_crash_is_made_good(tmp_path):
    store = EvidenceStore(tmp_path)
    digest = hashlib.sha256(b"whole").hexdigest()
    store.path(digest).write_bytes(b"who")
    with pytest.raises(EvidenceError, match="no longer the picture"):
        store.load(digest)
    store.store(b"whole")
    assert store.load(digest) == b"whole"


def test_a_full_disk_is_one_line_and_leaves_nothing_behind(tmp_path, monkeypatch):
    store = EvidenceStore(tmp_path)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(EvidenceError, match="disk is full"):
        store.store(b"picture")
    assert list(tmp_path.iterdir()) == []


def test_a_prepared_picture_is_evidence_only_once_it_is_kept(tmp_path):
    store = EvidenceStore(tmp_path)
    first, second = store.prepare(b"first"), store.prepare(b"second")
    assert not store.has(first)
    assert not store.has(second)
    assert not store.keep_prepared(first)  # the second took its place
    assert store.keep_prepared(second)
    assert store.load(second) == b"second"
    assert [path.name for path in tmp_path.iterdir()] == [f"{second}.jpg"]


def test_a_prepared_picture_that_is_gone_is_not_taken_for_kept(tmp_path):
    store = EvidenceStore(tmp_path)
    sha = store.prepare(b"picture")
    for path in tmp_path.iterdir():
        path.unlink()
    assert not store.keep_prepared(sha)
    assert not store.has(sha)


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EvidenceError, match="cannot be made"):
        EvidenceStore(tmp_path / "file" / "evidence")


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "A" * 64, "g" * 64, "0" * 63])
def test_only_a_hash_names_a_picture(tmp_path, name):
    with pytest.raises(EvidenceError, match="no SHA-256"):
        EvidenceStore(tmp_path).path(name)


def test_a_picture_that_is_not_there_is_said(tmp_path):
    with pytest.raises(EvidenceError, match="cannot be read"):
        EvidenceStore(tmp_path).load("0" * 64)
