"""The broker's topics: ``tilewatch/<venue>/<table>/<channel>``.

A table may write the channels in :data:`TABLE_SAYS` of its own and read those in :data:`HUB_SAYS`;
the broker's access list keeps it to that (``hub.broker.access``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from hub.errors import HubError

ROOT: Final = "tilewatch"

TableSays: TypeAlias = Literal["events", "presence", "facts", "answers", "have"]
HubSays: TypeAlias = Literal["ack", "requests", "want"]
Channel: TypeAlias = Literal[TableSays, HubSays]

TABLE_SAYS: Final[tuple[TableSays, ...]] = get_args(TableSays)
"""``have`` carries pieces of pictures."""

HUB_SAYS: Final[tuple[HubSays, ...]] = get_args(HubSays)
"""``want`` asks for pieces of pictures."""

_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")


def checked_name(name: str, what: str) -> str:
    """``name`` if it is fit to be part of a topic. Raises ``HubError``."""
    if not _NAME.fullmatch(name):
        raise HubError(
            f"{name[:60]!r} is no name of a {what}: it has 1 to 40 small letters, digits and "
            "hyphens, and a letter or digit at both ends"
        )
    return name


@dataclass(frozen=True, slots=True)
class Address:
    """One table of one venue."""

    venue: str
    table: str

    def __post_init__(self) -> None:
        checked_name(self.venue, "venue")
        checked_name(self.table, "table")

    def topic(self, channel: Channel) -> str:
        """The topic of one of its channels."""
        return f"{ROOT}/{self.venue}/{self.table}/{channel}"

    def __str__(self) -> str:
        return f"{self.venue}/{self.table}"


def all_tables(venue: str, channel: Channel) -> str:
    """The filter that takes a channel of every table of a venue."""
    return f"{ROOT}/{checked_name(venue, 'venue')}/+/{channel}"


def parse_topic(topic: str) -> tuple[Address, str]:
    """The table and the channel of a topic. Raises ``HubError`` for one that is not ours."""
    parts = topic.split("/")
    if len(parts) != 4 or parts[0] != ROOT:
        raise HubError(f"{topic[:80]!r} is no topic of a table")
    return Address(parts[1], parts[2]), parts[3]
