"""How far a server's pages and its API reach: what ``[serve]`` says of a table's and of a hub's.

::

    [serve]
    api = "tokens"                # who may ask the API: "public", "tokens" or "off"
    trusted_proxy = "127.0.0.1"   # the address of a proxy whose word on its visitors is taken

``api`` is about programs: all below ``/api/v1``, and the values for scenes (``/obs/…`` and Woogles'
addresses). With ``"public"`` everybody may ask for what the public may see, with ``"tokens"`` only
who has a token, with ``"off"`` nobody. Whoever has logged in may, always; pages, clocks and
overlays go on as they are.

Behind a proxy every request comes from the proxy's address. What it says of who sent it
(``X-Forwarded-For``, ``-Host``, ``-Proto``) is believed when it comes from ``trusted_proxy`` alone;
the same headers from anywhere else are thrown away.
"""

from __future__ import annotations

import ipaddress
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, field_validator

Api: TypeAlias = Literal["public", "tokens", "off"]


class Reached(BaseModel):
    """The part of ``[serve]`` that says it."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    api: Api = "public"
    trusted_proxy: str | None = None

    @field_validator("trusted_proxy")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            return str(ipaddress.ip_address(value))
        except ValueError:
            raise ValueError(f"{value!r} is no address of one machine, such as 127.0.0.1") from None
