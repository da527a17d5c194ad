"""The hub's own authority, and the broker's certificate signed by it.

The authority signs nothing but this broker's certificate, and a table is given its certificate when
it is enrolled, so that a table knows its broker wherever the hall's network puts it. Both are valid
at any time: a table without a clock of its own starts in 1970.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from cryptography import x509

from hub.errors import HubError
from table.certificates import (
    AUTHORITY,
    AUTHORITY_KEY,
    CertificateFiles,
    own_names,
    refusal,
    renew,
)

CA: Final = AUTHORITY
CERTIFICATE: Final = "broker.pem"
PRIVATE_KEY: Final = "broker.key"
KEY_FILES: Final = (CA, AUTHORITY_KEY, CERTIFICATE, PRIVATE_KEY)
"""The files by which tables know the broker, in its folder."""


def make_certificates(folder: Path, venue: str) -> None:
    """Write or renew the certificates of the authority and the broker, with their keys.

    Tables go on trusting an authority whose key is there. Older versions forgot that key: such an
    authority stays while its certificates are good, and gives way to a new one, which no table
    knows, when a table on Python 3.13 would refuse them. Raises ``TilewatchError``.
    """
    files = CertificateFiles.own(folder, "broker")
    if not (folder / AUTHORITY_KEY).exists():
        former = [folder / CA, files.certificate, files.key]
        there = [path for path in former if path.exists()]
        missing = next((path for path in former if not path.exists()), None)
        if there and missing is not None:
            raise HubError(
                f"{missing}: missing; put it back from a copy, or remove {there[0].name} and the "
                "other files beside it, and enrol the tables again"
            )
        if there and refusal(files) is None:
            return
    renew(files, f"tilewatch hub of {venue}", f"broker of {venue}", own_names())


def authority_id(folder: Path) -> str:
    """The identifier of the authority's public key, which every renewal keeps.

    Raises ``HubError``.
    """
    path = folder / CA
    try:
        found = x509.load_pem_x509_certificate(path.read_bytes())
    except (OSError, ValueError) as error:
        raise HubError(f"{path}: the authority's certificate cannot be read") from error
    return x509.SubjectKeyIdentifier.from_public_key(found.public_key()).digest.hex()


def certificate_id(folder: Path) -> str:
    """Return the SHA-256 of the broker's certificate. Raises ``HubError``."""
    path = folder / CERTIFICATE
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise HubError(f"{path}: cannot be read ({error.strerror})") from error
