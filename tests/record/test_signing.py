"""The table's key: made once, kept tight, named by a short form; digests that people copy."""

from __future__ import annotations

import hashlib
import stat

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given
from hypothesis import strategies as st

from record.errors import SigningError
from record.seals import (
    bundle_message,
    digest,
    fingerprint,
    is_one_of,
    is_signed_by,
    plain_digest,
    plain_key,
    record_message,
)
from record.signing import TableKey

HASHES = st.binary(min_size=32, max_size=32).map(bytes.hex)


def mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_key_is_made_once_and_only_its_owner_reads_it(tmp_path):
    path = tmp_path / "data" / "table.key"
    key = TableKey.open(path)
    assert mode(path) == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["table.key"]
    before = path.read_bytes()
    assert TableKey.open(path).public == key.public
    assert path.read_bytes() == before
    assert TableKey.open(tmp_path / "other" / "table.key").public != key.public


def test_permissions_that_are_too_wide_are_tightened(tmp_path):
    path = tmp_path / "table.key"
    TableKey.open(path)
    path.chmod(0o644)
    TableKey.open(path)
    assert mode(path) == 0o600


X25519 = X25519PrivateKey.generate().private_bytes(
    Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
)


@pytest.mark.parametrize(
    "content", [b"", b"\xff" * 100, b"-----BEGIN PRIVATE KEY-----\n", X25519], ids=range(4)
)
def test_what_is_no_key_is_refused_and_never_written_over(tmp_path, content):
    path = tmp_path / "table.key"
    path.write_bytes(content)
    with pytest.raises(SigningError, match="no Ed25519 private key") as caught:
        TableKey.open(path)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == content


def test_a_signature_holds_for_its_message_and_key_alone(tmp_path):
    key, other = (TableKey.open(tmp_path / name) for name in ("a.key", "b.key"))
    message = record_message(key.public, "0" * 64)
    signature = key.sign(message)
    assert is_signed_by(key.public, message, signature)
    assert not is_signed_by(other.public, message, signature)
    assert not is_signed_by(key.public, bundle_message(key.public, "0" * 64), signature)
    assert not is_signed_by(key.public, message, signature.upper())
    assert not is_signed_by(key.public, message, signature[:-2])
    assert not is_signed_by("g" * 64, message, signature)
    assert not is_signed_by(key.public, message, other.sign(message))


def test_short_forms_are_what_the_page_says():
    key = bytes(range(32)).hex()
    plain = hashlib.sha256(bytes(range(32))).hexdigest()[:32]
    assert fingerprint(key).replace("-", "") == plain
    assert len(fingerprint(key)) == 39
    assert digest("0" * 64) == "0000-0000-0000"
    assert digest("f" * 64) == "ZZZZ-ZZZZ-ZZZZ"
    assert digest("08421084210842108" + "0" * 47) == "1111-1111-1111"


@given(HASHES, HASHES)
def test_a_digest_is_read_as_people_write_it(one, other):
    written = digest(one)
    sloppy = written.lower().replace("-", " ").replace("1", "l").replace("0", "o")
    assert plain_digest(sloppy) == written
    assert (digest(one) == digest(other)) == (one[:15] == other[:15])


@given(HASHES)
def test_a_key_is_known_by_either_name(key):
    for name in (key, fingerprint(key).upper(), fingerprint(key).replace("-", " ")):
        assert is_one_of(key, [plain_key(name)])
    assert not is_one_of(key, [plain_key("0" * 32)])


@pytest.mark.parametrize("named", ["", "abc", "0" * 31, "g" * 64])
def test_what_is_no_key_is_said(named):
    with pytest.raises(ValueError, match="is no key"):
        plain_key(named)


@pytest.mark.parametrize(
    "written", ["", "K7QM-2D9F", "K7QM-2D9F-XW3TT", "K7QM-2D9F-XW3!", "Ä" * 12]
)
def test_what_is_no_digest_is_said(written):
    with pytest.raises(ValueError, match="is no check code"):
        plain_digest(written)
