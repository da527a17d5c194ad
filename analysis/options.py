"""The ``[analysis]`` section: what commentators get, how late, and from which engine.

::

    [analysis]
    delay_s = 0                    # the least delay of racks and plays, in seconds
    addresses = ["192.168.7.0/24"] # the networks from which the commentators' pages may be opened
    engine = ["./magpie.py"]       # a program that knows more about plays: analysis.engine
    engine_s = 5.0                 # how long it may take over one position
"""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from pydantic import Field, field_validator

from game.options import StrictOptions

MOST_DELAY_S = 600


class AnalysisOptions(StrictOptions):
    """``[analysis]``."""

    delay_s: int = Field(default=0, ge=0, le=MOST_DELAY_S)
    """The least delay; an address may ask for a longer one."""
    addresses: tuple[str, ...] = ()
    """Networks; without any, pages may be opened from everywhere, with a token."""
    engine: tuple[str, ...] = ()
    """The command and its arguments; none without."""
    engine_s: float = Field(default=5.0, ge=0.5, le=120)

    @field_validator("addresses", "engine", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value

    @field_validator("addresses")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for one in value:
            ip_network(one)  # a ValueError says what is wrong
        return value

    def admits(self, address: str | None) -> bool:
        """True if the pages may be opened from an IP address; not from one that is unknown."""
        if not self.addresses:
            return True
        try:
            given = ip_address(address or "")
        except ValueError:
            return False
        mapped = getattr(given, "ipv4_mapped", None)
        return any((mapped or given) in network for network in self._allowed())

    def _allowed(self) -> list[IPv4Network | IPv6Network]:
        return [ip_network(one) for one in self.addresses]
