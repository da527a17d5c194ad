"""The hub's own authority, and the broker's certificate signed by it.

The authority signs only this broker's certificate. A table gets the authority's certificate when it
is enrolled, so it recognises its broker at any address. Both certificates are valid at any time,
because a table without a hardware clock starts in 1970.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from cryptography import x509

from game.files import os_error_as
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
"""The files in the broker's folder by which tables recognise the broker."""


def make_certificates(folder: Path, venue: str) -> None:
    """Write or renew the certificates of the authority and the broker, with their keys.

    An authority is kept if its key exists, so tables go on trusting it. Older versions did not keep
    that key. Such an authority is kept while its certificates are good. When a table on Python 3.13
    would refuse them, a new authority replaces it, and the tables must be enrolled again. Raises
    ``TilewatchError``.
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
    """Return the identifier of the authority's public key, which stays the same at a renewal.

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
    with os_error_as(HubError, f"{path}: cannot be read"):
        return hashlib.sha256(path.read_bytes()).hexdigest()
