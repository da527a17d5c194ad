"""Certificates that tilewatch makes itself: a local authority, and what it signs.

A hub's broker has an authority whose key is forgotten at once (``hub.broker.certificates``). The
pages of a table served over https have one whose key is kept (:func:`pages_certificate`), since
the table's address may change. So that a stolen key is of little use, it can sign for this
machine's names and for private addresses only.
"""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import socket
import ssl
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from game.errors import TilewatchError
from game.files import create_private_file, write_file
from table.server_config import ServerAccess

AUTHORITY: Final = "authority.pem"
AUTHORITY_KEY: Final = "authority.key"
CERTIFICATE: Final = "pages.pem"
PRIVATE_KEY: Final = "pages.key"
FOLDER: Final = "https"
"""The folder of a data folder with the four."""

ALWAYS: Final = (
    datetime.datetime(1970, 1, 2, tzinfo=datetime.UTC),
    datetime.datetime(2099, 12, 31, tzinfo=datetime.UTC),
)
"""A table without a clock of its own starts in 1970."""

_DAYS: Final = 820
"""Apple's systems take no certificate of a server that is valid for more than 825 days, unless
somebody has installed its authority; the older ones not even then."""
_RENEW: Final = datetime.timedelta(days=60)

_LOCAL: Final = ("localhost", "local", "lan", "internal", "home.arpa")
"""Names that no site of the internet has."""
_NETWORKS: Final = tuple(
    ipaddress.ip_network(network)
    for network in (
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "169.254.0.0/16",
        "127.0.0.0/8",
        "::1/128",
        "fc00::/7",
        "fe80::/10",
    )
)
"""Addresses of this machine and of local networks."""

Period = tuple[datetime.datetime, datetime.datetime]
Alternatives = Sequence[x509.GeneralName]


@dataclass(frozen=True)
class Authority:
    """A certificate authority, with its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @classmethod
    def make(cls, name: str, permitted: Alternatives = ()) -> Authority:
        """Make one. It can sign for the ``permitted`` names only, where any are given."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = (
            _builder(_name(name), _name(name), key.public_key(), ALWAYS)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(ca=True), critical=True)
        )
        if permitted:
            builder = builder.add_extension(
                x509.NameConstraints(list(permitted), None), critical=True
            )
        return cls(builder.sign(key, hashes.SHA256()), key)

    def server(
        self, name: str, alternatives: Alternatives, period: Period = ALWAYS
    ) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
        """Return a new server's certificate and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = (
            _builder(_name(name), self.certificate.subject, key.public_key(), period)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(ca=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
            .sign(self.key, hashes.SHA256())
        )
        return certificate, key


@dataclass(frozen=True)
class PagesCertificate:
    """The certificate with which pages are served over https.

    ``authority`` is that of the table's own authority, None for a certificate that was brought.
    """

    certificate: Path
    key: Path
    authority: Path | None = None

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the server's certificate, as browsers show it."""
        found = x509.load_pem_x509_certificate(self.certificate.read_bytes())
        return found.fingerprint(hashes.SHA256()).hex(" ").upper()

    def check(self) -> None:
        """Raise ``TilewatchError`` with one line if it cannot be served with."""
        for path in (self.certificate, self.key):
            if not path.is_file():
                raise TilewatchError(f"{path}: is no file; name a PEM file in [serve]")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            context.load_cert_chain(self.certificate, self.key, password=_no_password)
            _ = self.fingerprint
        except (OSError, ValueError) as error:
            why = getattr(error, "reason", None) or error
            raise TilewatchError(
                f"{self.certificate}: is no certificate of the key {self.key} ({why}); give both "
                "as PEM files, the key without a password"
            ) from None


def _no_password() -> str:
    raise ValueError("the key has a password")


def pages_certificate(data: Path, names: Iterable[str]) -> PagesCertificate:
    """Return the certificate of the pages of a data folder, made where there is no good one.

    ``names`` are the host names and addresses under which the pages are reached; those that the
    authority may not sign for are left out. A new certificate is made when one is missing in it,
    or when it is about to run out; the authority stays. Raises ``TilewatchError``.
    """
    folder = data / FOLDER
    made = PagesCertificate(folder / CERTIFICATE, folder / PRIVATE_KEY, folder / AUTHORITY)
    every = dict.fromkeys(name.lower() for name in (*_own_names(), *names))
    wanted = [_alternative(name) for name in every if _may_be_signed(name)]
    try:
        authority = _kept_authority(folder)
        if not _still_good(made, authority, wanted):
            now = _now()
            period = (now - datetime.timedelta(days=1), now + datetime.timedelta(days=_DAYS))
            certificate, key = authority.server(f"tilewatch on {_host()}", wanted, period)
            write_file(made.key, private_pem(key), private=True)
            write_file(made.certificate, public_pem(certificate))
    except OSError as error:
        why = error.strerror or error
        raise TilewatchError(f"{folder}: certificates cannot be written ({why})") from error
    return made


def certificate_of(
    access: ServerAccess, data: Path, names: Iterable[str]
) -> PagesCertificate | None:
    """Return the certificate that ``[serve]`` asks for, that of ``data`` or one's own.

    None without https. Raises ``TilewatchError``.
    """
    if not access.https:
        return None
    if access.certificate is None or access.key is None:
        return pages_certificate(data, names)
    brought = PagesCertificate(access.certificate, access.key)
    brought.check()
    return brought


def _kept_authority(folder: Path) -> Authority:
    paths = (folder / AUTHORITY, folder / AUTHORITY_KEY)
    with contextlib.suppress(FileNotFoundError):
        try:
            key = serialization.load_pem_private_key(paths[1].read_bytes(), None)
            certificate = x509.load_pem_x509_certificate(paths[0].read_bytes())
        except ValueError as error:
            raise TilewatchError(
                f"{folder}: its authority cannot be read; put it back from a copy, or remove the "
                "folder, and let the phones know the new one"
            ) from error
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        return Authority(certificate, key)
    permitted: list[x509.GeneralName] = [x509.DNSName(name) for name in (_host(), *_LOCAL)]
    permitted += [x509.IPAddress(network) for network in _NETWORKS]
    made = Authority.make(f"tilewatch authority of {_host()}", permitted)
    folder.mkdir(parents=True, exist_ok=True)
    paths[1].unlink(missing_ok=True)  # one without its certificate is of no use
    create_private_file(paths[1], private_pem(made.key))
    write_file(paths[0], public_pem(made.certificate))
    return made


def _still_good(made: PagesCertificate, authority: Authority, wanted: Alternatives) -> bool:
    try:
        found = x509.load_pem_x509_certificate(made.certificate.read_bytes())
        made.check()
        found.verify_directly_issued_by(authority.certificate)
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except Exception:  # whatever is wrong with it, a new one is made
        return False
    left = found.not_valid_after_utc - _now()
    return left > _RENEW and set(wanted) <= set(names)


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


def _host() -> str:
    return socket.gethostname().lower()


def _own_names() -> tuple[str, ...]:
    host = _host()
    return ("localhost", host, f"{host}.local", "127.0.0.1", "::1")


def _may_be_signed(name: str) -> bool:
    """True if the authority's constraints allow a name; one more would spoil the certificate."""
    try:
        address = ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return any(name == one or name.endswith(f".{one}") for one in (_host(), *_LOCAL))
    return any(address in network for network in _NETWORKS if network.version == address.version)


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name.strip("[]")))
    except ValueError:
        return x509.DNSName(name)


def public_pem(certificate: x509.Certificate) -> bytes:
    """Return a certificate as PEM."""
    return certificate.public_bytes(serialization.Encoding.PEM)


def private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return a key as PEM, without a password."""
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text[:64])])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, period: Period
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(period[0])
        .not_valid_after(period[1])
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
