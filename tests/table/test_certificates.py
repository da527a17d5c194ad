"""The pages' address and certificate: made once, renewed when the address changes."""

from __future__ import annotations

import contextlib
import datetime
import socket
import ssl
from types import SimpleNamespace

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from game.errors import TilewatchError
from table.address import in_the_network
from table.certificates import (
    ALWAYS,
    AUTHORITY,
    AUTHORITY_KEY,
    FOLDER,
    PAGES,
    Authority,
    CertificateFiles,
    pages_certificate,
    private_pem,
    public_pem,
)


def handshake(made: CertificateFiles, trusted: str, host: str, *, strict: bool = True) -> str:
    """Shake hands over memory as a browser that trusts one authority; the reason if it fails."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(made.certificate, made.key)
    asking = ssl.create_default_context(cadata=trusted)
    asking.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if strict:  # as Python 3.13 is by itself
        asking.verify_flags |= ssl.VERIFY_X509_STRICT
    one = serving.wrap_bio(to_server, to_client, server_side=True)
    two = asking.wrap_bio(to_client, to_server, server_hostname=host)
    for _ in range(6):
        for side in (two, one):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
            except ssl.SSLCertVerificationError as error:
                return error.verify_message
    return ""


def text(path) -> str:
    return path.read_text("ascii")


def test_a_browser_that_knows_the_authority_trusts_the_pages(tmp_path):
    outside = ["scores.example.org", "203.0.113.9"]  # for which the authority may not sign
    names = ["192.168.1.20", "table-7.local", "", "a..lan", "tisch-ä.lan"]
    made = pages_certificate(tmp_path, [*outside, *names])
    idna = "tisch-ä.lan".encode("idna").decode()
    for host in ("192.168.1.20", "table-7.local", "localhost", "127.0.0.1", idna):
        assert handshake(made, text(made.authority), host) == ""
    for key in (made.key, tmp_path / FOLDER / AUTHORITY_KEY):
        assert key.stat().st_mode & 0o077 == 0
    pairs = made.fingerprint.split()  # as the browser shows it
    assert len(pairs) == 32
    assert all(len(pair) == 2 and pair == pair.upper() for pair in pairs)
    for host in ("192.168.1.21", *outside):
        assert "mismatch" in handshake(made, text(made.authority), host).lower()
    other = pages_certificate(tmp_path / "other", [])
    assert handshake(made, text(other.authority), "localhost") != ""


def test_it_stays_until_the_address_changes_and_the_authority_stays_then(tmp_path):
    first = pages_certificate(tmp_path, ["192.168.1.20"])
    before, authority = first.fingerprint, text(first.authority)
    assert pages_certificate(tmp_path, ["192.168.1.20"]).fingerprint == before
    again = pages_certificate(tmp_path, ["192.168.1.99"])
    assert again.fingerprint != before
    assert text(again.authority) == authority
    assert handshake(again, authority, "192.168.1.99") == ""


def test_the_authority_can_sign_for_no_other_site(tmp_path):
    made = pages_certificate(tmp_path, [])
    key = load_pem_private_key((tmp_path / FOLDER / AUTHORITY_KEY).read_bytes(), None)
    authority = Authority(x509.load_pem_x509_certificate(made.authority.read_bytes()), key)
    bank, its_key = authority.server("bank", [x509.DNSName("bank.example")])
    forged = CertificateFiles(tmp_path / "bank.pem", tmp_path / "bank.key")
    forged.certificate.write_bytes(public_pem(bank))
    forged.key.write_bytes(private_pem(its_key))
    assert "permitted" in handshake(forged, text(made.authority), "bank.example")


def test_one_that_is_about_to_run_out_is_renewed(tmp_path, monkeypatch):
    before = pages_certificate(tmp_path, []).fingerprint
    later = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=800)
    monkeypatch.setattr("table.certificates._now", lambda: later)
    assert pages_certificate(tmp_path, []).fingerprint != before


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda made: made.key.unlink(), "pages.key: is no file"),
        (lambda made: made.key.write_bytes(private_pem(Authority.make("x").key)), "MISMATCH"),
        (lambda made: made.certificate.write_bytes(b"junk"), "is no certificate of the key"),
    ],
)
def test_one_that_cannot_be_served_with_is_one_line(tmp_path, spoil, says):
    made = pages_certificate(tmp_path, [])
    spoil(made)
    with pytest.raises(TilewatchError) as caught:
        made.check()
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_spoilt_authority_is_one_line(tmp_path):
    pages_certificate(tmp_path, [])
    (tmp_path / FOLDER / AUTHORITY_KEY).write_bytes(b"junk")
    with pytest.raises(TilewatchError, match="its authority cannot be read; put it back"):
        pages_certificate(tmp_path, [])


def test_the_certificates_have_what_a_strict_client_does_not_ask_for_but_rfc_5280_does(tmp_path):
    made = pages_certificate(tmp_path, [])
    authority, server = (
        x509.load_pem_x509_certificate(path.read_bytes()).extensions
        for path in (made.authority, made.certificate)
    )
    assert authority.get_extension_for_class(x509.NameConstraints).critical
    for kind in (x509.BasicConstraints, x509.KeyUsage):
        assert server.get_extension_for_class(kind).critical
    served = server.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(served) == [x509.ExtendedKeyUsageOID.SERVER_AUTH]


def as_before(files: CertificateFiles) -> str:
    """Lay four files as older versions made them; the authority's certificate, as phones have it.

    They had neither of the two identifiers.
    """

    def signed(subject: str, public, more) -> x509.Certificate:
        builder = x509.CertificateBuilder(extensions=more).public_key(public)
        name = [x509.NameAttribute(x509.NameOID.COMMON_NAME, one) for one in (subject, "old")]
        builder = builder.subject_name(x509.Name(name[:1])).issuer_name(x509.Name(name[1:]))
        builder = builder.not_valid_before(ALWAYS[0]).not_valid_after(ALWAYS[1])
        return builder.serial_number(x509.random_serial_number()).sign(key, hashes.SHA256())

    def kept(certificate: x509.Certificate) -> list[x509.Extension]:
        known = (x509.SubjectKeyIdentifier, x509.AuthorityKeyIdentifier)
        return [one for one in certificate.extensions if not isinstance(one.value, known)]

    made = Authority.make("old", [x509.DNSName("localhost"), x509.DNSName("old-host")])
    key = made.key
    server, its_key = made.server("server", [x509.DNSName("localhost")])
    files.folder.mkdir(parents=True)
    (files.folder / AUTHORITY_KEY).write_bytes(private_pem(key))
    files.authority.write_bytes(public_pem(signed("old", key.public_key(), kept(made.certificate))))
    files.key.write_bytes(private_pem(its_key))
    files.certificate.write_bytes(public_pem(signed("server", its_key.public_key(), kept(server))))
    return files.authority.read_text("ascii")


def test_those_of_an_older_version_are_renewed_and_who_trusts_them_goes_on_trusting(tmp_path):
    files = CertificateFiles.own(tmp_path / FOLDER, PAGES)
    before = as_before(files)
    assert "Key Identifier" in handshake(files, before, "localhost")
    made = pages_certificate(tmp_path, [])
    assert handshake(made, text(made.authority), "localhost") == ""
    # A phone that has the old certificate of the authority, and is no stricter than phones are.
    assert handshake(made, before, "localhost", strict=False) == ""
    again = pages_certificate(tmp_path, [])
    assert (again.fingerprint, text(again.authority)) == (made.fingerprint, text(made.authority))


def test_a_machine_of_another_name_leaves_out_what_its_authority_may_not_sign(tmp_path):
    files = CertificateFiles.own(tmp_path / FOLDER, PAGES)
    as_before(files)  # for "old-host"
    made = pages_certificate(tmp_path, ["old-host"])
    assert handshake(made, text(made.authority), "old-host") == ""


@pytest.mark.parametrize("name", [AUTHORITY, "pages.pem", "pages.key", "a spoilt pages.pem"])
def test_one_of_four_that_is_lost_is_made_again_for_who_trusts_the_authority(tmp_path, name):
    before = text(pages_certificate(tmp_path, []).authority)
    lost = tmp_path / FOLDER / name.split()[-1]
    lost.write_bytes(b"junk") if " " in name else lost.unlink()
    made = pages_certificate(tmp_path, [])
    assert handshake(made, before, "localhost") == ""


def route(address):
    """A socket of a machine with one way out, or with none."""

    def connect(_):
        if address is None:
            raise OSError("Network is unreachable")

    def made(family, kind):
        assert kind == socket.SOCK_DGRAM  # of such a one connecting sends nothing
        end = SimpleNamespace(connect=connect, getsockname=lambda: (address, 40000))
        return contextlib.nullcontext(end)

    return made


@pytest.mark.parametrize(
    ("network", "url", "host", "shown"),
    [
        *(("192.168.1.7", "127.0.0.1", host, "192.168.1.7") for host in ("0.0.0.0", "::", "")),
        (None, "[::1]", "::", "[::1]"),
        ("192.168.1.7", "127.0.0.1", "127.0.0.1", "127.0.0.1"),
    ],
)
def test_a_table_for_all_is_known_by_its_address_in_the_network(
    monkeypatch, network, url, host, shown
):
    monkeypatch.setattr(socket, "socket", route(network))
    assert in_the_network(f"http://{url}:8000", host) == f"http://{shown}:8000"
