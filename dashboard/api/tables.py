"""Tables as everybody may see them: the list, one table's state, and its event stream."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from dashboard.access import feed_for, withdrawn
from dashboard.feeds.feed import Views
from dashboard.responses import json_answer
from dashboard.site import Table, this_site
from dashboard.streaming.response import last_event_id, stream
from dashboard.streaming.streams import ViewFollower

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
    follower = ViewFollower(feed, last_event_id(), table.rate, withdrawn())
    return stream(follower, staff=feed is not table.public)


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
