"""The section ``[serve]`` of a table or a hub: who may use its pages and its API, and how much.

::

    [serve]
    api = "tokens"                # who may ask the API: "public", "tokens" or "off"
    trusted_proxy = "127.0.0.1"   # the address of a proxy whose word on its visitors is taken
    webhook_hosts = ["scores.lan:8080"]   # hosts inside the network that webhooks may be sent to
    embed = ["https://club.example"]      # sites that may show the public's pages in a frame
    language = "en"               # of the public's pages for readers whose browser asks for none
    theme = "theme.toml"          # the colours, font and logo of the overlays
    https = true                  # serve over TLS
    certificate = "pages.pem"     # one's own, in place of that which tilewatch makes
    key = "pages.key"

``api`` is about programs: all addresses below ``/api/v1``, and the values for scenes (``/obs/…``
and Woogles' addresses). With ``"public"`` everybody may read what the public may see; with
``"tokens"`` only holders of a token; with ``"off"`` nobody. Users who have logged in always may.
Pages, clocks and overlays are not affected.

Behind a proxy every request comes from the proxy's address. Its headers about the sender
(``X-Forwarded-For``, ``-Host``, ``-Proto``) are believed only if they come from ``trusted_proxy``;
from any other address they are ignored.

Limits of the server for one visitor have a section of their own, :class:`Limits`::

    [serve.limits]
    connections_per_address = 128

Visitors are distinguished by their address, behind a trusted proxy by the one that it names.

Webhooks may be sent to addresses in the internet. Inside the network (this machine, private and
link-local addresses) they may only be sent to ``webhook_hosts``: names or addresses as in a
webhook's URL, with a port or, for all ports, without.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final, Literal, Self, TypeAlias

from pydantic import Field, field_validator, model_validator

from game.options import OptionNames, OptionPath, StrictOptions

Api: TypeAlias = Literal["public", "tokens", "off"]


_HOST: Final = re.compile(r"(?:[A-Za-z0-9._-]+|\[?[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]+\]?)(?::\d{1,5})?")
"""A name or an address, and perhaps a port. An IPv6 address with a port is in brackets."""

_ORIGIN: Final = re.compile(r"https?://(?:[A-Za-z0-9-]+\.)*[A-Za-z0-9-]+(?::\d{1,5})?")
"""Scheme, host and perhaps a port: no path, no wildcard, no character that would end a policy."""


class Limits(StrictOptions):
    """``[serve.limits]``: the connections of one visitor, and the time of a request."""

    connections: int = Field(default=256, ge=16, le=4096)
    """Connections at the same time, without event streams."""
    connections_per_address: int = Field(default=128, ge=4, le=4096)
    """Connections of one address; a hall behind one router may be one address."""
    incomplete_per_address: int = Field(default=32, ge=2, le=4096)
    """Connections of one address without a complete request so far."""
    streams_per_address: int = Field(default=240, ge=1, le=5000)
    """Public event streams of one address; those of this machine itself are not limited."""
    header_s: float = Field(default=10.0, gt=0, le=600)
    """Seconds from a connection's start, or a request's first byte, to the end of its header."""
    body_s: float = Field(default=30.0, gt=0, le=600)
    """Seconds to the end of a request's body."""
    idle_s: float = Field(default=60.0, gt=0, le=600)
    """Seconds for which an idle connection is kept open for another request."""
    stalled_s: float = Field(default=30.0, gt=0, le=600)
    """Seconds after which a connection is closed if the client accepts no more of an answer."""


DEFAULT_LIMITS: Final = Limits()


class ShowOptions(StrictOptions):
    """``[show]``: the OBS Studio whose scenes the control page of the show switches."""

    obs: str | None = Field(default=None, pattern=r"^[A-Za-z0-9.\-\[\]:]+:[0-9]{1,5}$")
    """``host:port`` of its WebSocket server, 4455 by default there; None: there is none."""
    obs_password_file: OptionPath | None = None
    """A file with nothing but the password of that server."""


class ServerAccess(StrictOptions):
    """The keys of ``[serve]`` that a table and a hub have in common."""

    api: Api = "public"
    trusted_proxy: str | None = None
    webhook_hosts: OptionNames = ()
    embed: OptionNames = ()
    limits: Limits = DEFAULT_LIMITS
    language: Literal["en", "de", "fr"] = "en"
    """The language of public pages for readers whose browser asks for none of them."""
    theme: OptionPath | None = None
    """The overlays' theme, a file in the form of ``dashboard.overlay.style``; None: the default."""
    https: bool = False
    """True to serve over TLS, with tilewatch's own certificate unless ``certificate`` is given."""
    certificate: OptionPath | None = None
    """The certificate of the pages (PEM, with its chain), and its key without a password."""
    key: OptionPath | None = None

    @model_validator(mode="after")
    def _whole_certificate(self) -> Self:
        if (self.certificate is None) != (self.key is None):
            raise ValueError("certificate and key: give both, or none")
        if self.certificate is not None and not self.https:
            raise ValueError("certificate is given without https = true")
        return self

    @field_validator("embed")
    @classmethod
    def _origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for origin in value:
            if _ORIGIN.fullmatch(origin) is None:
                raise ValueError(f"{origin!r} is no origin of a site such as https://club.example")
        return value

    @field_validator("webhook_hosts")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for host in value:
            if _HOST.fullmatch(host) is None:
                raise ValueError(f"{host!r} is no host such as scores.lan or 192.168.1.20:8080")
        return value

    @field_validator("trusted_proxy")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            return str(ipaddress.ip_address(value))
        except ValueError:
            raise ValueError(f"{value!r} is no address of one machine, such as 127.0.0.1") from None
