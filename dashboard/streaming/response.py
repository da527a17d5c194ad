"""An answer that goes on: the stream of a follower, or a word on when to come back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, cast

from flask import Response, request

from dashboard.accounts import current_account
from dashboard.addresses import is_this_machine, share_of
from dashboard.responses import json_answer
from dashboard.site import this_site
from dashboard.streaming.compression import HEADER, packed
from dashboard.streaming.hand_over import KEY, HandOver
from dashboard.streaming.streams import Follower, follow, opening

RETRY_AFTER_S: Final = 15


def last_event_id() -> str | None:
    """Where the page that asks stopped.

    EventSource sends the header by itself; a page that had to open a new one cannot set headers
    and gives the id in the address instead. The header is the newer of the two.
    """
    return request.headers.get("Last-Event-ID") or request.args.get("after") or None


def stream(
    follower: Follower,
    headers: Mapping[str, str] | None = None,
    staff: bool = False,
    clock_of: str | None = None,
) -> Response:
    """What ``follower`` has to say as server-sent events, or 503 where every place is taken.

    ``staff`` is for whoever may see more than everybody: their places are their own, and so are
    those of the clock of each table (``clock_of``). A director who has logged in is never refused
    one.
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
    hand_over = cast("HandOver | None", request.environ.get(KEY))
    if hand_over is None:
        left = cast(
            "Callable[[], bool]",
            request.environ.get("waitress.client_disconnected", lambda: False),
        )
        words = follow(follower, gone=left, heartbeat_s=site.heartbeat_s)
        answer = Response(words, mimetype=kind, headers=sent)
        # Not in the generator's own `finally`: one that was never started never gets there.
        answer.call_on_close(leave)
        return answer
    try:
        first = opening(follower)
    except BaseException:
        leave()
        raise
    gzip = request.accept_encodings["gzip"] > 0
    if gzip:
        first = HEADER + packed(first)
        sent["Content-Encoding"] = "gzip"
    sent["Vary"] = "Accept-Encoding"
    hand_over(follower, leave, gzip)
    # An iterator: of a list the server would know the length, and take it for the whole answer.
    return Response(iter([first]), mimetype=kind, headers=sent)
