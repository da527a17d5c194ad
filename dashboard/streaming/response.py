"""An answer that goes on: the stream of a follower, or a 503 that says when to ask again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from flask import Response, request

from dashboard.accounts.guard import current_account
from dashboard.addresses import is_this_machine, share_of
from dashboard.responses import json_answer
from dashboard.site import this_site
from dashboard.streaming.exchange import GrantedStream, this_connection
from dashboard.streaming.streams import HEADER, Follower, opening, packed

RETRY_AFTER_S: Final = 15
_LONGEST_ID: Final = 200


def last_event_id() -> str | None:
    """Return the id of the newest message that the page has received.

    EventSource sends the header by itself; a page that had to open a new one cannot set headers
    and gives the id in the address instead. The header is the newer of the two. None for a new
    page, and for a text that is no id of our streams.
    """
    sent = request.headers.get("Last-Event-ID") or request.args.get("after") or ""
    return sent if 0 < len(sent) <= _LONGEST_ID and sent.isascii() and sent.isprintable() else None


def stream(
    follower: Follower,
    headers: Mapping[str, str] | None = None,
    staff: bool = False,
    clock_of: str | None = None,
) -> Response:
    """Return ``follower``'s messages as server-sent events, or 503 if every place is taken.

    ``staff`` takes a place reserved for whoever may see more than the public, ``clock_of`` one
    reserved for the clock of that table. A director who has logged in always gets a place.
    """
    site = this_site()
    account = current_account()
    if account is not None and account.role == "director":
        gate = site.directors
    elif clock_of is not None:
        gate = site.clocks
    else:
        gate = site.staff if staff else site.gate
    sent = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", **(headers or {})}
    kind = "text/event-stream"
    if request.method == "HEAD":
        return Response(mimetype=kind, headers=sent)
    address = request.remote_addr or ""
    visitor = clock_of or (None if is_this_machine(address) else share_of(address))
    leave = gate.enter(visitor)
    if leave is None:
        full = "Every place on the live stream is taken; ask again later."
        refusal = json_answer({"error": full, "streams": gate.limit or gate.share}, 503)
        refusal.headers["Retry-After"] = str(RETRY_AFTER_S)
        return refusal
    try:
        first = opening(follower)
    except BaseException:
        leave()
        raise
    gzip = request.accept_encodings["gzip"] > 0
    connection = this_connection()
    if connection is None:  # the page gets the news, and comes back for more by itself
        leave()
    else:
        connection.granted = GrantedStream(follower, leave, gzip)
    if gzip:
        first = HEADER + packed(first)
        sent["Content-Encoding"] = "gzip"
    sent["Vary"] = "Accept-Encoding"
    # An iterator: of a list Flask would know the length, and give it as the whole answer's.
    return Response(iter([first]), mimetype=kind, headers=sent)
