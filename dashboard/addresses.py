"""The visitor that a request's address belongs to, as far as limits are concerned."""

from __future__ import annotations

import ipaddress
from typing import Final

_THIS_MACHINE: Final = frozenset({"127.0.0.1", "::1"})
_IPV6_PREFIX: Final = 64
"""The prefix of one customer's network: whoever has one of its addresses has all of them."""


def share_of(address: str) -> str:
    """Return what counts as one visitor: an IPv4 address, or an IPv6 network of one customer.

    Anything else is returned unchanged.
    """
    ip = _parsed(address)
    if isinstance(ip, ipaddress.IPv6Address):
        return str(ipaddress.IPv6Network((int(ip), _IPV6_PREFIX), strict=False))
    return str(ip) if ip is not None else address


def is_this_machine(address: str) -> bool:
    """True if an address is a usual loopback address; no other of 127.0.0.0/8 counts."""
    return str(_parsed(address)) in _THIS_MACHINE


def same(one: str, other: str) -> bool:
    """True if two texts are the same address."""
    parsed = _parsed(one)
    return parsed is not None and parsed == _parsed(other)


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    return ip
