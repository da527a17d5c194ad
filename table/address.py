"""The address under which other machines reach the pages of a table."""

from __future__ import annotations

import ipaddress
import socket
from typing import Final

ALL: Final = {"", "0.0.0.0", "::"}  # noqa: S104 - compared with, not served on
"""Each stands for all addresses of this machine when a server listens on it."""
_ELSEWHERE: Final = ("192.0.2.1", 9)
"""An address of no network (RFC 5737): by which way would it be sought?"""


def in_the_network(url: str, host: str) -> str:
    """Return ``url`` with an address that a phone can reach.

    A table that serves on all of its addresses (``host`` "0.0.0.0") is reached by the one that it
    has in its network; nothing is sent to find that out. Any other, and one without a network, is
    reached as it says.
    """
    address = network_address(host)
    if host not in ALL or address == host:
        return url
    return f"{url.partition(':')[0]}://{address}:{url.rpartition(':')[2]}"


def network_address(host: str) -> str:
    """Return this machine's address in its network if ``host`` means all; else ``host``."""
    if host not in ALL:
        return host
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            asking.connect(_ELSEWHERE)
            return str(asking.getsockname()[0])
    except OSError:
        return host


def is_of_this_machine(host: str) -> bool:
    """True if a name or address leads every machine to itself."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
