"""The hub's own authority, and the broker's certificate signed by it.

The authority signs nothing but this broker's certificate, and a table is given its certificate when
it is enrolled, so that a table knows its broker wherever the hall's network puts it. Both are valid
at any time: a table without a clock of its own starts in 1970.
"""

from __future__ import annotations

import ipaddress
import socket
from pathlib import Path
from typing import Final

from cryptography import x509

from game.files import create_private_file
from hub.errors import HubError
from table.certificates import Authority, private_pem, public_pem

CA: Final = "authority.pem"
CERTIFICATE: Final = "broker.pem"
PRIVATE_KEY: Final = "broker.key"


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
    authority = Authority.make(f"tilewatch hub of {venue}")
    broker, key = authority.server(f"broker of {venue}", _alternatives())
    try:
        create_private_file(folder / PRIVATE_KEY, private_pem(key))
        (folder / CERTIFICATE).write_bytes(public_pem(broker))
        (folder / CA).write_bytes(public_pem(authority.certificate))
    except OSError as error:
        raise HubError(f"{folder}: certificates cannot be written ({error.strerror})") from error


def _alternatives() -> list[x509.GeneralName]:
    return [
        x509.DNSName("localhost"),
        x509.DNSName(socket.gethostname()),
        x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
    ]
