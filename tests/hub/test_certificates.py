"""The broker's certificates: as strict clients want them, and renewed where tables know them."""

from __future__ import annotations

import pytest
from cryptography import x509

from hub.broker.certificates import (
    CA,
    CERTIFICATE,
    PRIVATE_KEY,
    authority_id,
    certificate_id,
    make_certificates,
)
from hub.errors import HubError
from table.certificates import AUTHORITY_KEY, CertificateFiles, refusal
from tests.table.test_certificates import as_before


def made(folder) -> CertificateFiles:
    make_certificates(folder, "hall")
    return CertificateFiles(folder, "broker")


def test_a_table_on_python_3_13_takes_the_brokers_certificate(tmp_path):
    files = made(tmp_path)
    assert refusal(files) is None
    for path in (files.key, files.authority_key):
        assert path.stat().st_mode & 0o077 == 0


def test_they_stay_as_long_as_they_are_good(tmp_path):
    made(tmp_path)
    before = certificate_id(tmp_path)
    made(tmp_path)
    assert certificate_id(tmp_path) == before


@pytest.mark.parametrize("name", [CA, CERTIFICATE, PRIVATE_KEY])
def test_what_is_lost_is_made_again_and_the_tables_trust_it(tmp_path, name):
    files = made(tmp_path)
    before = authority_id(tmp_path)
    (tmp_path / name).unlink()
    made(tmp_path)
    assert authority_id(tmp_path) == before
    assert refusal(files) is None


def test_an_authority_whose_key_was_forgotten_gives_way_when_it_would_be_refused(tmp_path):
    files = CertificateFiles(tmp_path / "broker", "broker")
    as_before(files)
    files.authority_key.unlink()
    before = authority_id(files.folder)
    assert "Key Identifier" in (refusal(files) or "")
    made(files.folder)
    assert authority_id(files.folder) != before
    assert refusal(files) is None


def test_an_authority_whose_key_was_forgotten_stays_while_it_is_taken(tmp_path):
    files = made(tmp_path)
    (tmp_path / AUTHORITY_KEY).unlink()
    before = certificate_id(tmp_path)
    made(tmp_path)
    assert certificate_id(tmp_path) == before
    assert not files.authority_key.exists()


def test_what_cannot_be_made_again_for_the_tables_is_one_line(tmp_path):
    made(tmp_path)
    for name in (AUTHORITY_KEY, PRIVATE_KEY):
        (tmp_path / name).unlink()
    with pytest.raises(HubError, match=r"broker.key: missing; put it back .* enrol the tables"):
        make_certificates(tmp_path, "hall")


def test_the_broker_is_valid_where_a_machine_without_a_clock_begins(tmp_path):
    files = made(tmp_path)
    for path in (files.authority, files.certificate):
        found = x509.load_pem_x509_certificate(path.read_bytes())
        assert found.not_valid_before_utc.timestamp() == 0
