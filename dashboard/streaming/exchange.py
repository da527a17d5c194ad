"""The channel by which a view tells the server more about the current request than its answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from flask import request

from dashboard.streaming.streams import Follower

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

KEY: Final = "tilewatch.connection"
"""The key of the connection in a request's WSGI environment."""


@dataclass(frozen=True, slots=True)
class Voucher:
    """The user of a connection, and how many of their connections count against no limit."""

    kind: str
    name: str
    most: int


@dataclass(frozen=True, slots=True)
class GrantedStream:
    """The stream that follows an answer, and what to call when it has ended."""

    follower: Follower
    leave: Callable[[], None]
    gzip: bool


class ViewedConnection(Protocol):
    """A connection, as far as views may change it."""

    granted: GrantedStream | None

    def vouch(self, voucher: Voucher) -> None:
        """Note who uses the connection."""


def this_connection() -> ViewedConnection | None:
    """Return the connection of the request; ``None`` under another server than ours."""
    found: ViewedConnection | None = request.environ.get(KEY)
    return found


def vouch(voucher: Voucher) -> None:
    """Tell the server who sends the request: a director, or a clock.

    Their connections are never closed to make room (:mod:`dashboard.streaming.crowd`).
    """
    connection = this_connection()
    if connection is not None:
        connection.vouch(voucher)


async def until_gone(receive: Receive) -> None:
    """Wait until the page has closed its connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
