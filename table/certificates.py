"""Certificates that tilewatch makes itself: a local authority, and server certificates it signs.

They are used by the pages of a table or a hub that are served over https
(:func:`pages_certificate`), and by a hub's broker (``hub.broker.certificates``). All are made and
renewed by :func:`renew`, and keep to RFC 5280, since Python 3.13 refuses any that do not. The
authority's key is kept, so whoever trusts the authority also trusts a renewed certificate.
"""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import socket
import ssl
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from game.errors import TilewatchError
from game.files import create_private_file, write_file
from table.server_config import ServerAccess

AUTHORITY: Final = "authority.pem"
AUTHORITY_KEY: Final = "authority.key"
PAGES: Final = "pages"
FOLDER: Final = "https"
"""The folder of the pages' certificates within a data folder."""

ALWAYS: Final = (
    datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC),
    datetime.datetime(2099, 12, 31, tzinfo=datetime.UTC),
)
"""A validity that begins in 1970: a table without a hardware clock may start with that date."""
_DAYS: Final = 820
"""Days of validity. Apple's systems refuse a server certificate valid for over 825 days, unless the
user installed its authority; older ones refuse it even then."""
_RENEW: Final = datetime.timedelta(days=60)

_NO_CHECK_TIME: Final = ssl.VerifyFlags(0x200000)
"""OpenSSL's ``X509_V_FLAG_NO_CHECK_TIME``, for which ``ssl`` has no name."""

_LOCAL: Final = (
    *("localhost", "local", "lan", "internal", "home.arpa"),
    *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "127.0.0.0/8"),
    *("::1/128", "fc00::/7", "fe80::/10"),
)
"""Names that no public internet site has, and the networks of this machine and nearby."""

Period = tuple[datetime.datetime, datetime.datetime]
Alternatives = Sequence[x509.GeneralName]
_Extension = TypeVar("_Extension", bound=x509.ExtensionType)


@dataclass(frozen=True)
class Authority:
    """A certificate authority, with its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @classmethod
    def make(
        cls, name: str, permitted: Alternatives = (), key: ec.EllipticCurvePrivateKey | None = None
    ) -> Authority:
        """Make an authority with the given key, or with a new one.

        If ``permitted`` names are given, it can sign only for those.
        """
        constraints = x509.NameConstraints(list(permitted), None) if permitted else None
        return cls._self_signed(_name(name), constraints, key or _new_key())

    def again(self) -> Authority:
        """Return the same authority with a new certificate of the present form.

        Name, key and constraints stay the same, so whoever trusts the old certificate also accepts
        what the new one signs.
        """
        constraints = _extension(self.certificate, x509.NameConstraints)
        return self._self_signed(self.certificate.subject, constraints, self.key)

    def permits(self, name: x509.GeneralName) -> bool:
        """Return True if it may sign for a name; a name it may not makes a certificate invalid."""
        constraints = _extension(self.certificate, x509.NameConstraints)
        if constraints is None or constraints.permitted_subtrees is None:
            return True
        return any(_lies_in(name, one) for one in constraints.permitted_subtrees)

    @classmethod
    def _self_signed(
        cls,
        name: x509.Name,
        constraints: x509.NameConstraints | None,
        key: ec.EllipticCurvePrivateKey,
    ) -> Authority:
        builder = _builder(name, name, key, key, ALWAYS, ca=True)
        if constraints is not None:
            builder = builder.add_extension(constraints, critical=True)
        return cls(builder.sign(key, hashes.SHA256()), key)

    def server(
        self, name: str, alternatives: Alternatives, period: Period = ALWAYS
    ) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
        """Return a new server's certificate and its key."""
        key = _new_key()
        certificate = (
            _builder(_name(name), self.certificate.subject, key, self.key, period, ca=False)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
            .sign(self.key, hashes.SHA256())
        )
        return certificate, key


@dataclass(frozen=True)
class CertificateFiles:
    """The files of a server's certificate and key."""

    certificate: Path
    key: Path
    authority: Path | None = None
    """The certificate of our own authority that signed it; None if the user supplied the files."""

    @classmethod
    def own(cls, folder: Path, server: str) -> CertificateFiles:
        """Return the paths that :func:`renew` writes; ``server`` is a name without an ending."""
        return cls(folder / f"{server}.pem", folder / f"{server}.key", folder / AUTHORITY)

    @property
    def folder(self) -> Path:
        """The folder of all the files, with :data:`AUTHORITY` and :data:`AUTHORITY_KEY`."""
        return self.certificate.parent

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the server's certificate, in the form that browsers show."""
        found = x509.load_pem_x509_certificate(self.certificate.read_bytes())
        return found.fingerprint(hashes.SHA256()).hex(" ").upper()

    def check(self) -> None:
        """Raise ``TilewatchError`` with one line if a server cannot use certificate and key."""
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


def renew(
    files: CertificateFiles,
    authority: str,
    server: str,
    names: Iterable[str],
    permitted: Iterable[str] = (),
    days: int | None = None,
) -> None:
    """Make those of four files that are missing, about to expire, or that a client would refuse.

    If the authority's key exists it is kept, so clients that trust the authority go on doing so.

    Args:
        files: the four files.
        authority: the authority's name, if a new one is made.
        server: the server's name.
        names: host names and addresses under which the server is reached; those that the authority
            may not sign for are left out.
        permitted: names and networks that a new authority may sign for; empty: any.
        days: how long the server's certificate is valid; None: at any time.

    Raises:
        TilewatchError: the authority cannot be read, or a file cannot be written.
    """
    try:
        signs = _kept_authority(files, authority, permitted)
        every = dict.fromkeys(_alternatives(names))
        alternatives = [name for name in every if signs.permits(name)]
        if not _still_good(files, alternatives):
            now = _now()
            period = ALWAYS if days is None else (
                now - datetime.timedelta(days=1), now + datetime.timedelta(days=days)
            )  # fmt: skip
            certificate, key = signs.server(server, alternatives, period)
            write_file(files.key, private_pem(key), private=True)
            write_file(files.certificate, public_pem(certificate))
    except OSError as error:
        why = error.strerror or error
        raise TilewatchError(f"{files.folder}: certificates cannot be written ({why})") from error


def refusal(files: CertificateFiles) -> str | None:
    """Return in a few words why a strict client would refuse the server; None if it would not.

    A TLS handshake in memory is tried. Its client trusts the files' authority, and checks neither
    the name nor the dates, because this machine's clock may be wrong.
    """
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    asking = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    asking.check_hostname = False
    asking.verify_flags |= ssl.VERIFY_X509_STRICT | _NO_CHECK_TIME
    try:
        serving.load_cert_chain(files.certificate, files.key, password=_no_password)
        asking.load_verify_locations(files.folder / AUTHORITY)
        server = serving.wrap_bio(to_server, to_client, server_side=True)
        client = asking.wrap_bio(to_client, to_server)
        for side in (client, server, client):
            with contextlib.suppress(ssl.SSLWantReadError):
                side.do_handshake()
    except ssl.SSLCertVerificationError as error:
        return error.verify_message
    except (OSError, ValueError) as error:
        return str(getattr(error, "reason", None) or error)
    return None


def _no_password() -> str:
    raise ValueError("the key has a password")


def pages_certificate(data: Path, names: Iterable[str]) -> CertificateFiles:
    """Return the certificate for the pages of a data folder; make it if there is no good one.

    ``names`` are the host names and addresses under which the pages are reached; those that the
    authority may not sign for are left out. A new certificate is made if the present one lacks a
    name or is about to expire; the authority stays. Raises ``TilewatchError``.
    """
    files, host = CertificateFiles.own(data / FOLDER, PAGES), _host()
    renew(
        files,
        authority=f"tilewatch authority of {host}",
        server=f"tilewatch on {host}",
        names=(*own_names(), *names),
        permitted=(host, *_LOCAL),
        days=_DAYS,
    )
    return files


def certificate_of(
    access: ServerAccess, data: Path, names: Iterable[str]
) -> CertificateFiles | None:
    """Return the certificate that ``[serve]`` asks for; None without https.

    It is the user's own if ``[serve]`` names one, else the one made in the folder ``data``. Raises
    ``TilewatchError``.
    """
    if not access.https:
        return None
    if access.certificate is None or access.key is None:
        return pages_certificate(data, names)
    brought = CertificateFiles(access.certificate, access.key)
    brought.check()
    return brought


def _kept_authority(files: CertificateFiles, name: str, permitted: Iterable[str]) -> Authority:
    """Return the authority in the four files; renew its certificate if that is not good."""
    try:
        key = _read_key(files.folder / AUTHORITY_KEY)
        kept = _read_certificate(files.folder / AUTHORITY)
    except ValueError as error:
        raise TilewatchError(
            f"{files.folder}: its authority cannot be read; put it back from a copy, or remove the "
            "folder, and have everybody who trusts it trust the new one"
        ) from error
    if key is not None and kept is not None and kept.public_key() == key.public_key():
        authority = Authority(kept, key)
        # A strict client wants the identifiers, which certificates of before have not.
        if _extension(kept, x509.SubjectKeyIdentifier) is not None:
            return authority
        authority = authority.again()
    else:
        authority = Authority.make(name, [_permitted(one) for one in permitted], key)
    files.folder.mkdir(parents=True, exist_ok=True)
    if key is None:
        create_private_file(files.folder / AUTHORITY_KEY, private_pem(authority.key))
    write_file(files.folder / AUTHORITY, public_pem(authority.certificate))
    return authority


def _read_key(path: Path) -> ec.EllipticCurvePrivateKey | None:
    try:
        key = serialization.load_pem_private_key(path.read_bytes(), None)
    except FileNotFoundError:
        return None
    except TypeError as error:  # it has a password
        raise ValueError(str(error)) from error
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise ValueError("a key of another kind")
    return key


def _read_certificate(path: Path) -> x509.Certificate | None:
    try:
        return x509.load_pem_x509_certificate(path.read_bytes())
    except FileNotFoundError:
        return None


def _still_good(files: CertificateFiles, names: Alternatives) -> bool:
    try:
        found = x509.load_pem_x509_certificate(files.certificate.read_bytes())
        known = _extension(found, x509.SubjectAlternativeName) or ()
    except Exception:  # whatever is wrong with it, a new one is made
        return False
    left = found.not_valid_after_utc - _now()
    return refusal(files) is None and left > _RENEW and set(names) <= set(known)


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


def _host() -> str:
    return socket.gethostname().lower()


def own_names() -> tuple[str, ...]:
    """Return the names and addresses under which this machine reaches itself."""
    host = _host()
    return ("localhost", host, f"{host}.local", "127.0.0.1", "::1")


def _alternatives(names: Iterable[str]) -> Iterator[x509.GeneralName]:
    """Yield names in the form of certificates; leave out a text that cannot be a host's name."""
    for name in names:
        plain = name.strip("[]").lower()
        try:
            yield x509.IPAddress(ipaddress.ip_address(plain))
        except ValueError:
            with contextlib.suppress(ValueError):
                yield x509.DNSName(plain.encode("idna").decode("ascii"))


def _extension(certificate: x509.Certificate, kind: type[_Extension]) -> _Extension | None:
    try:
        return certificate.extensions.get_extension_for_class(kind).value
    except x509.ExtensionNotFound:
        return None


def _lies_in(name: x509.GeneralName, permitted: x509.GeneralName) -> bool:
    if isinstance(name, x509.IPAddress) and isinstance(permitted, x509.IPAddress):
        network = ipaddress.ip_network(str(permitted.value))
        return ipaddress.ip_address(str(name.value)) in network
    if isinstance(name, x509.DNSName) and isinstance(permitted, x509.DNSName):
        return name.value == permitted.value or name.value.endswith(f".{permitted.value}")
    return False


def _permitted(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_network(name))
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


def _new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    issuer_key: ec.EllipticCurvePrivateKey,
    period: Period,
    *,
    ca: bool,
) -> x509.CertificateBuilder:
    """Return a builder with the fields of all certificates; ``ca`` is True for an authority."""
    usage = x509.KeyUsage(
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
    own = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    of_issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key())
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(period[0])
        .not_valid_after(period[1])
        .add_extension(own, critical=False)
        .add_extension(of_issuer, critical=False)
        .add_extension(x509.BasicConstraints(ca, 0 if ca else None), critical=True)
        .add_extension(usage, critical=True)
    )
