"""Tables as everybody may see them: the list, one table's state, and its event stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from dashboard.access import feed_for, withdrawn
from dashboard.answers import json_answer
from dashboard.feed import Views
from dashboard.site import Table, this_site
from dashboard.streams import follow

RETRY_AFTER_S: Final = 15

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")


@blueprint.get("/tables")
def tables() -> ResponseReturnValue:
    """Every table in a line."""
    return json_answer({"tables": [_summary(table) for table in this_site().tables]})


@blueprint.get("/tables/<table_id>")
def state(table_id: str) -> ResponseReturnValue:
    """One table's newest view."""
    table = this_site().table(table_id)
    return state_answer(table, feed_for(table))


@blueprint.get("/tables/<table_id>/events")
def events(table_id: str) -> ResponseReturnValue:
    """Its views as they come."""
    table = this_site().table(table_id)
    return stream_answer(table, feed_for(table))


def state_answer(table: Table, feed: Views) -> Response:
    """The newest view that ``feed`` has of ``table``, as JSON."""
    latest = feed.latest()
    return json_answer(
        {
            "table": {"id": table.id, "name": table.name},
            "id": latest.id if latest else None,
            "now_ns": feed.now_ns(),
            "rate": table.rate,
            "view": latest.view if latest else None,
        }
    )


def stream_answer(table: Table, feed: Views) -> Response:
    """The views of ``feed`` as server-sent events, or 503 where every place is taken."""
    site = this_site()
    leave = site.gate.enter()
    if leave is None:
        response = json_answer(
            {
                "error": "Every place on the live stream is taken; ask again later.",
                "streams": site.gate.limit,
            },
            503,
        )
        response.headers["Retry-After"] = str(RETRY_AFTER_S)
        return response
    # EventSource sends the header by itself; a page that had to open a new one cannot set
    # headers and gives the id in the address instead. The header is the newer of the two.
    last_id = request.headers.get("Last-Event-ID") or request.args.get("after") or None
    left = cast(
        "Callable[[], bool]",
        request.environ.get("waitress.client_disconnected", lambda: False),
    )
    ended = withdrawn()
    stream = Response(
        follow(
            feed, last_id, table.rate, gone=lambda: left() or ended(), heartbeat_s=site.heartbeat_s
        ),
        mimetype="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
    # Not in the generator's own `finally`: one that was never started never gets there.
    stream.call_on_close(leave)
    return stream


def _summary(table: Table) -> dict[str, Any]:
    latest = table.public.latest()
    view = latest.view if latest else None
    return {
        "id": table.id,
        "name": table.name,
        "status": view["status"] if view else "waiting",
        "players": view["players"] if view else None,
        "href": f"/api/v1/tables/{table.id}",
    }
