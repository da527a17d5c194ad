"""The evidence for a dispute: the log's events and the pictures. For the director alone."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, abort, request, send_file
from flask.typing import ResponseReturnValue

from dashboard.access import require
from dashboard.responses import json_answer
from dashboard.sent import whole_argument
from dashboard.site import this_site
from record.chain import LoggedEvent
from record.errors import EvidenceError

MOST: Final = 1000
"""Events in one answer."""

_FOR_GOOD: Final = "private, max-age=31536000, immutable"
"""A picture's address is its hash: what is there never changes. No shared cache may keep it."""

blueprint = Blueprint("api_record", __name__, url_prefix="/api/v1/tables/<table_id>")


@blueprint.get("/log")
def log(table_id: str) -> ResponseReturnValue:
    """The events after ``?after=``, oldest first; ``next`` is what to ask for then."""
    table = this_site().table(table_id)
    require("director", table)
    if table.log is None:
        abort(404, description="This table's log is kept elsewhere.")
    after, limit = whole_argument("after", 0, 2**53), whole_argument("limit", MOST, MOST, 1)
    events = table.log.events(request.args.get("game") or None, after, limit)
    newest = events[-1].seq if events else after
    return json_answer({"events": [_event(one) for one in events], "next": newest})


@blueprint.get("/evidence/<sha256>")
def evidence(table_id: str, sha256: str) -> ResponseReturnValue:
    """One picture, the camera's own bytes."""
    table = this_site().table(table_id)
    require("director", table)
    missing = "There is no such picture here."
    if table.evidence is None:
        abort(404, description=missing)
    try:
        path = table.evidence.path(sha256)  # refuses whatever is no hash
    except EvidenceError:
        abort(404, description=missing)
    if not table.evidence.bring(sha256):
        abort(404, description=missing)
    answer = send_file(path, mimetype="image/jpeg", etag=sha256, conditional=True)
    answer.headers["Cache-Control"] = _FOR_GOOD
    return answer


def _event(event: LoggedEvent) -> dict[str, object]:
    return {
        "seq": event.seq,
        "game_id": event.game_id,
        "number": event.number,
        "mono_ns": event.mono_ns,
        "wall_ns": event.wall_ns,
        "source": event.source,
        "payload": event.payload,
        "prev_hash": event.prev_hash,
        "hash": event.hash,
        "on_disk": event.on_disk,
    }
