"""Sending requests to addresses that a user gave, and to no address inside the network.

Whoever may give an address could otherwise make this machine send requests to services that they
cannot reach themselves: its own, others in the hall, a cloud's metadata. So a name is resolved
once, the addresses are checked, and the connection is made to one of them; redirects are not
followed, and time and answer are bounded. The sockets are our own: ``http.client`` resolves a name
itself, and has no limit for the time of a whole answer. The owner's file may allow names of its own
network (``webhook_hosts`` in ``table.server_config``).
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import ssl
import time
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import SplitResult, urlsplit

from game.errors import TilewatchError

TIMEOUT_S: Final = 10.0
"""The seconds from a request's first packet to the answer's first lines."""

_LONGEST_HEADER: Final = 16 * 1024
_MOST_ADDRESSES: Final = 4
"""The most addresses of a name that are tried."""

# Listed, as ``is_global`` differs between versions of Python.
_IPV4_REFUSED: Final = tuple(
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",
        "100.64.0.0/10",  # behind a carrier's NAT; a cloud's metadata
        "127.0.0.0/8",
        "168.63.129.16/32",  # a cloud's own services
        "169.254.0.0/16",  # link-local; a cloud's metadata
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
_IPV6_GLOBAL: Final = ipaddress.IPv6Network("2000::/3")
_IPV6_REFUSED: Final = tuple(
    ipaddress.IPv6Network(network)
    for network in (
        "2001::/23",  # Teredo, which embeds an IPv4 address, and other protocols' own
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which embeds an IPv4 address
        "3fff::/20",  # documentation
    )
)
_IPV4_MAPPED: Final = ipaddress.IPv6Network("::ffff:0:0/96")
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")

_Address = tuple[socket.AddressFamily, tuple[object, ...]]
"""The family of a socket, and the address that it connects to."""


class OutboundError(TilewatchError):
    """A request that was not made or not answered, in one line."""


class Outbound:
    """Posts to addresses outside the network, and to hosts that the owner allows."""

    def __init__(
        self,
        allowed: Iterable[str] = (),
        *,
        timeout_s: float = TIMEOUT_S,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """``allowed`` are hosts (``scores.lan``, ``192.168.1.20``), each with a port or without."""
        self._allowed = frozenset(host.lower().rstrip(".") for host in allowed)
        self._timeout_s = timeout_s
        self._tls = tls

    def check(self, url: str) -> None:
        """Refuse an address that is inside the network, if no name has to be resolved to see it.

        Raises ``OutboundError``.
        """
        parts = urlsplit(url)
        with contextlib.suppress(OSError, UnicodeError):
            found = socket.getaddrinfo(
                parts.hostname, _port(parts), type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST
            )
            self._permitted(parts, [(family, to) for family, _, _, _, to in found])
        if _host(parts) == "localhost":
            self._permitted(parts, [])

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Post ``body`` and return the status of the answer. Raises ``OutboundError``."""
        parts = urlsplit(url)
        until = time.monotonic() + self._timeout_s
        self.check(url)
        try:
            found = socket.getaddrinfo(parts.hostname, _port(parts), type=socket.SOCK_STREAM)
            addresses = self._permitted(parts, [(family, to) for family, _, _, _, to in found])
            with self._connected(parts, addresses, until) as connection:
                _send(connection, _request(parts, body, headers), until)
                return _status(connection, until)
        except TimeoutError as error:
            raise OutboundError(f"no answer within {self._timeout_s:g} s") from error
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise OutboundError(reason) from error

    def _permitted(self, parts: SplitResult, found: list[_Address]) -> list[_Address]:
        host = _host(parts)
        named = f"[{host}]" if ":" in host else host
        if not self._allowed.isdisjoint((host, named, f"{named}:{_port(parts)}")):
            return found
        permitted = [one for one in found if is_public(str(one[1][0]))]
        if not permitted:
            raise OutboundError(
                f"{host[:80]} is inside the network; only webhook_hosts under [serve] in the "
                "owner's file can allow it"
            )
        return permitted

    def _connected(
        self, parts: SplitResult, addresses: list[_Address], until: float
    ) -> socket.socket:
        failure: OSError = OSError("no address")
        for family, to in addresses[:_MOST_ADDRESSES]:
            connection = socket.socket(family, socket.SOCK_STREAM)
            try:
                connection.settimeout(_left(until))
                connection.connect(to)
                self._require_another_machine(parts, connection)
                if parts.scheme == "https":
                    connection.settimeout(_left(until))
                    tls = self._tls or ssl.create_default_context()
                    return tls.wrap_socket(connection, server_hostname=parts.hostname)
            except OSError as error:
                connection.close()
                failure = error
            except BaseException:
                connection.close()
                raise
            else:
                return connection
        raise failure

    def _require_another_machine(self, parts: SplitResult, connection: socket.socket) -> None:
        """Refuse a connection to this machine itself, which may have a public address."""
        if connection.getsockname()[0] == connection.getpeername()[0]:
            self._permitted(parts, [])


def is_public(address: str) -> bool:
    """True if an address is on the internet and not in a private or special network."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        if ip in _IPV4_MAPPED or ip in _NAT64:
            ip = ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)
        else:
            return ip in _IPV6_GLOBAL and not any(ip in network for network in _IPV6_REFUSED)
    return not any(ip in network for network in _IPV4_REFUSED)


def _host(parts: SplitResult) -> str:
    return (parts.hostname or "").rstrip(".")


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _request(parts: SplitResult, body: bytes, headers: Mapping[str, str]) -> bytes:
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    lines = [f"POST {path} HTTP/1.1", f"Host: {parts.netloc}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines += [f"Content-Length: {len(body)}", "Connection: close", "", ""]
    return "\r\n".join(lines).encode("ascii") + body


def _send(connection: socket.socket, data: bytes, until: float) -> None:
    unsent = memoryview(data)
    while unsent:
        connection.settimeout(_left(until))
        unsent = unsent[connection.send(unsent) :]


def _status(connection: socket.socket, until: float) -> int:
    """Return the status in the answer's first line; read nothing after it."""
    header = b""
    while True:
        line, end, rest = header.partition(b"\r\n")
        if end:
            version, _, after = line.partition(b" ")
            code = after[:3]
            if not (version.startswith(b"HTTP/1.") and code.isdigit() and len(code) == 3):
                raise OutboundError("answers something other than HTTP")
            if not code.startswith(b"1"):
                return int(code)
            _, whole, after_it = rest.partition(b"\r\n\r\n")
            if whole:  # an interim answer: the real one follows
                header = after_it
                continue
        if len(header) > _LONGEST_HEADER:
            raise OutboundError("answers without end")
        connection.settimeout(_left(until))
        received = connection.recv(4096)
        if not received:
            raise OutboundError("closes the connection without an answer")
        header += received


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
