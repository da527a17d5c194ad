"""The hub's own authority, and the broker's certificate signed by it.

The authority signs nothing but this broker's certificate, and a table is given its certificate when
it is enrolled, so that a table knows its broker wherever the hall's network puts it. Both are valid
at any time: a table without a clock of its own starts in 1970.
"""

from __future__ import annotations

import datetime
import ipaddress
import socket
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from game.files import create_private_file
from hub.errors import HubError

CA: Final = "authority.pem"
CERTIFICATE: Final = "broker.pem"
PRIVATE_KEY: Final = "broker.key"

_FROM: Final = datetime.datetime(1970, 1, 2, tzinfo=datetime.UTC)
_UNTIL: Final = datetime.datetime(2099, 12, 31, tzinfo=datetime.UTC)


def make_certificates(folder: Path, venue: str) -> None:
    """Write the authority's certificate and the broker's with its key, where they are not there.

    The authority's own key is forgotten: a new broker key means a new authority, and that the
    tables are enrolled again. Raises ``HubError``.
    """
    files = [folder / name for name in (CA, CERTIFICATE, PRIVATE_KEY)]
    there = [path for path in files if path.exists()]
    if len(there) == len(files):
        return
    if there:
        missing = next(path for path in files if not path.exists())
        raise HubError(
            f"{missing}: missing; put it back from a copy, or remove {there[0].name} and the other "
            "files beside it, and enrol the tables again"
        )
    authority_key = ec.generate_private_key(ec.SECP256R1())
    broker_key = ec.generate_private_key(ec.SECP256R1())
    issuer = _name(f"tilewatch hub of {venue}")
    authority = (
        _builder(issuer, issuer, authority_key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(ca=True), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    broker = (
        _builder(_name(f"broker of {venue}"), issuer, broker_key.public_key())
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(ca=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(_alternatives()), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = broker_key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    try:
        create_private_file(folder / PRIVATE_KEY, private)
        (folder / CERTIFICATE).write_bytes(broker.public_bytes(pem))
        (folder / CA).write_bytes(authority.public_bytes(pem))
    except OSError as error:
        raise HubError(f"{folder}: certificates cannot be written ({error.strerror})") from error


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text[:64])])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(_FROM)
        .not_valid_after(_UNTIL)
    )


def _usage(*, ca: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not ca,
        key_cert_sign=ca,
        crl_sign=ca,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _alternatives() -> list[x509.GeneralName]:
    return [
        x509.DNSName("localhost"),
        x509.DNSName(socket.gethostname()),
        x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
    ]
