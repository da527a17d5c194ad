"""Sections that a table and a hub have in common: ``[serve]``, ``[show]`` and ``[privacy]``.

``docs/configuration.md`` shows each key, and what is believed of a proxy's headers.
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
    """Who may ask for ``/api/v1``, ``/obs/…`` and Woogles' addresses: everybody for what the public
    sees, holders of a token, or nobody. Users who have logged in always may."""
    trusted_proxy: str | None = None
    """The address of the proxy whose headers about the sender are believed; None: nobody's are."""
    webhook_hosts: OptionNames = ()
    """Hosts inside the network to which webhooks may be sent, with a port or, for all, without."""
    embed: OptionNames = ()
    """Sites that may show the public's pages in a frame."""
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


class Privacy(StrictOptions):
    """``[privacy]``: what an event tells people in its pictures.

    The notice exists once ``responsible`` and ``contact`` are given. The days are a hub's: the
    longest that its tables keep pictures. A table takes them from its own ``[pictures]``.
    """

    responsible: str = Field(default="", max_length=300)
    """The organiser who is responsible (the controller, GDPR Article 4(7)), with an address."""
    contact: str = Field(default="", max_length=300)
    """Whom to ask, by post, telephone or e-mail."""
    why: str = Field(default="", max_length=1000)
    """The purpose, if it is not the score and the settling of disputes alone."""
    ground: str = Field(default="", max_length=300)
    """The legal ground."""
    more: str = Field(default="", max_length=300, pattern=r"^(https?://\S+)?$")
    """The address of a longer notice."""
    signed_days: float | None = Field(default=None, ge=1, le=36500)
    unsigned_days: float | None = Field(default=None, ge=1, le=36500)

    @property
    def given(self) -> bool:
        """True if there is a notice."""
        return bool(self.responsible)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if bool(self.responsible) != bool(self.contact):
            raise ValueError("responsible and contact: give both, or none")
        if not self.responsible and self.model_fields_set:
            raise ValueError("responsible is missing: a notice says who is responsible")
        return self
