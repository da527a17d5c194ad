"""Says in one line why a network stream cannot be opened or read, without showing a login.

The texts of FFmpeg's errors name the whole address, with the password in it. So none of them is
ever repeated: a fault is named by its type, and the camera by its host alone.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal
from urllib.parse import quote, urlsplit

Scheme = Literal["rtsp", "rtsps", "http", "https"]

PORTS: Final[dict[Scheme, int]] = {"rtsp": 554, "rtsps": 322, "http": 80, "https": 443}

_NO_VIDEO: Final = (
    "answers, but with no video; give the address of the stream, not of the camera's web page"
)
_BY_ERROR: Final = (
    ("HTTPUnauthorizedError", "refuses the login (401); check user and password in [camera]"),
    ("HTTPForbiddenError", "forbids the login to see this (403); check its rights in the camera"),
    ("HTTPNotFoundError", "has no such stream (404); check the path in url"),
    ("HTTPTooManyRequestsError", "has too many viewers (429); close the others"),
    ("HTTPClientError", "refuses the request; check the path in url"),
    ("HTTPServerError", "has a fault of its own (5xx); restart the camera or its app"),
    (
        "ConnectionRefusedError",
        "refuses the connection; check the port in url, and that the camera or its app runs",
    ),
    ("DecoderNotFoundError", "sends a video that cannot be decoded; set the camera to H.264"),
    ("ProtocolNotFoundError", "sends on to an address that is none of rtsp, http and https"),
    ("DemuxerNotFoundError", _NO_VIDEO),
    ("InvalidDataError", _NO_VIDEO),
)
"""PyAV's errors and their meanings, subclasses before their base classes."""


@dataclass(frozen=True)
class StreamAddress:
    """The address of a stream; shown, it is its host alone.

    The path may hold a password as well as the login may: some cameras want it there.
    """

    scheme: Scheme
    host: str
    port: int
    rest: str = field(repr=False)
    """Path and query."""
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    @classmethod
    def parse(cls, url: str) -> StreamAddress:
        """Return the address in a URL. Raises ``ValueError``, whose text repeats nothing of it."""
        form = "must be like rtsp://192.168.1.20:554/path; give user and password by themselves"
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            raise ValueError(form) from None
        scheme: Scheme | None = next((one for one in PORTS if one == parts.scheme), None)
        if scheme is None:
            raise ValueError(f"must begin with {', '.join(f'{one}://' for one in PORTS)}")
        # An @ in the path belongs to a password with a / in it.
        cut = not parts.username and "@" in f"{parts.path}?{parts.query}#{parts.fragment}"
        if not host or cut or any(mark.isspace() or not mark.isprintable() for mark in url):
            raise ValueError(form)
        rest = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        login = (parts.username or "", parts.password or "")
        return cls(scheme, host, port or PORTS[scheme], rest, *login)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def secure(self) -> bool:
        """True if the connection is encrypted (TLS)."""
        return self.scheme in ("rtsps", "https")

    def url(self) -> str:
        """Return the whole address with the login, for the library alone."""
        if not self.user:
            return f"{self}{self.rest}"
        login = f"{self.user}:{self.password}@"
        return str(self).replace("://", f"://{login}", 1) + self.rest

    def with_login(self, user: str, password: str) -> StreamAddress:
        """Return the same address with this login."""
        login = (quote(user, safe=""), quote(password, safe=""))
        return StreamAddress(self.scheme, self.host, self.port, self.rest, *login)


def why_not_opened(
    error: BaseException,
    address: StreamAddress,
    ca_file: Path | None,
    took_s: float,
    limit_s: float,
) -> str:
    """Return why a stream could not be opened, in words that do not contain its address."""
    names = {kind.__name__ for kind in type(error).__mro__}
    if took_s >= limit_s * 0.95:
        return f"does not answer within {limit_s:g} s; check the address and the network"
    known = next((text for name, text in _BY_ERROR if name in names), None)
    if known is not None and known != _NO_VIDEO:
        return known
    return _of_the_network(address, ca_file, limit_s) or known or _NO_VIDEO


_OTHER_NAME: Final = (62, 64)
"""OpenSSL's codes of a certificate for another host name or IP address."""


def why_lost(error: BaseException) -> str:
    """Return why a stream that was open has failed."""
    if type(error).__name__ == "ExitError":
        return "has sent nothing for a while; check the camera and the network"
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & {"ConnectionResetError", "BrokenPipeError", "ConnectionAbortedError"}:
        return "has closed the connection"
    return "has broken off the stream"


def _of_the_network(address: StreamAddress, ca_file: Path | None, limit_s: float) -> str | None:
    """Return the fault of the network or the certificate; None if the camera can be reached."""
    try:
        with contextlib.ExitStack() as stack:
            plain = socket.create_connection((address.host, address.port), limit_s)
            stack.enter_context(plain)
            if address.secure:
                context = ssl.create_default_context(cafile=ca_file)
                stack.enter_context(context.wrap_socket(plain, server_hostname=address.host))
    except socket.gaierror:
        return "cannot be found: there is no host of that name; check the address in url"
    except ssl.SSLCertVerificationError as error:
        if error.verify_code in _OTHER_NAME:
            return "has a certificate for another name; use the name in its certificate in url"
        return (
            f"has a certificate that is not trusted ({error.verify_message}); give the camera's "
            "own certificate as ca_file in [camera]"
        )
    except ssl.SSLError:
        return "speaks no TLS at that port; try rtsp:// or http://, or another port"
    except ConnectionRefusedError:
        return dict(_BY_ERROR)["ConnectionRefusedError"]
    except TimeoutError:
        return f"does not answer within {limit_s:g} s; check the address and the network"
    except OSError:
        return "cannot be reached; check the address in url and the network"
    return None
