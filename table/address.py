"""The address under which other machines reach the pages of a table."""

from __future__ import annotations

import ipaddress
import socket
from typing import Final

ALL: Final = {"", "0.0.0.0", "::"}  # noqa: S104 - compared with, not served on
"""Values that mean all addresses of this machine when a server listens on them."""
_ELSEWHERE: Final = ("192.0.2.1", 9)
"""An address outside every network (RFC 5737): the route to it shows this machine's own address."""


def in_the_network(url: str, host: str) -> str:
    """Return ``url`` with an address that a phone can reach.

    If the table serves on all of its addresses (``host`` is "0.0.0.0"), the result has the address
    of this machine in its network; nothing is sent to find it. Otherwise, and without a network,
    ``url`` is returned unchanged.
    """
    address = network_address(host)
    if host not in ALL or address == host:
        return url
    return f"{url.partition(':')[0]}://{address}:{url.rpartition(':')[2]}"


def network_address(host: str) -> str:
    """Return this machine's network address if ``host`` means all addresses, else ``host``."""
    if host not in ALL:
        return host
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            asking.connect(_ELSEWHERE)
            return str(asking.getsockname()[0])
    except OSError:
        return host


def is_of_this_machine(host: str) -> bool:
    """Return True if a name or address means the machine that uses it, such as ``localhost``."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
