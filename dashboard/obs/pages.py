"""A slot's values under the addresses that scenes for Woogles' broadcasts have, and short ones.

``<field>`` is a page for a browser source, ``<field>.txt`` its text alone, ``events`` a stream of
all values as JSON, ``<field>/events`` one of a field's text. In Woogles' addresses the name of the
broadcast or user before the slot may be any.
"""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from dashboard.access import withdrawn
from dashboard.event.event import this_event
from dashboard.obs.followers import Details, ValueFollower, Where, values_of
from dashboard.obs.values import FIELDS
from dashboard.overlay.event_pages import lag_s
from dashboard.overlay.pages import whereabouts
from dashboard.overlay.slots import FEATURE, slots
from dashboard.site import this_site
from dashboard.streaming.response import stream

_OPEN: Final = {
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
"""Scenes are put together of pages from anywhere; no cookie opens anything here."""

_BIG: Final = {"score": 48, "p1_score": 48, "p2_score": 48, "blank1": 36, "blank2": 36}
_SIZES: Final = {**dict.fromkeys(FIELDS, 20), **_BIG, "last_play": 24}
"""The size of letters in pixels, unless the address says another."""

blueprint = Blueprint("obs", __name__)


@blueprint.get("/obs/<slot>/events")
@blueprint.get("/api/broadcasts/obs/<broadcast>/<slot>/events", endpoint="broadcast_events")
@blueprint.get("/api/annotations/obs/user/<broadcast>/<slot>/events", endpoint="user_events")
def events(slot: str, broadcast: str = "") -> ResponseReturnValue:  # noqa: ARG001
    """All values, whenever one has changed."""
    return stream(ValueFollower(_where(slot), _details(), ended=withdrawn()), _OPEN)


@blueprint.get("/obs/<slot>/<field>/events")
def field_events(slot: str, field: str) -> ResponseReturnValue:
    """One value, whenever it has changed."""
    return stream(ValueFollower(_where(slot), _details(), _known(field), withdrawn()), _OPEN)


@blueprint.get("/obs/<slot>/<name>")
@blueprint.get("/api/broadcasts/obs/<broadcast>/<slot>/<name>", endpoint="broadcast_value")
@blueprint.get("/api/annotations/obs/user/<broadcast>/<slot>/<name>", endpoint="user_value")
def value(slot: str, name: str, broadcast: str = "") -> ResponseReturnValue:  # noqa: ARG001
    """One value, as text or as a page that keeps up by itself."""
    field = _known(name.removesuffix(".txt"))
    text = values_of(_where(slot)(), _details())[field]
    if name.endswith(".txt"):
        answer = Response(text, mimetype="text/plain", headers=_OPEN)
    else:
        answer = Response(
            render_template(
                "obs/value.html",
                field=field,
                text=text,
                size=_SIZES[field],
                events=request.path.rsplit("/", 1)[0] + "/events",
            )
        )
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _known(field: str) -> str:
    if field not in FIELDS:
        abort(404, description=f"There is no value {field[:40]!r}; known are {', '.join(FIELDS)}.")
    return field


def _details() -> Details:
    """Tells the event's details, whenever asked, as late as the request at hand sees the games."""
    event, delay_s = this_event(), lag_s()
    return lambda: event.details_at(delay_s)


def _where(slot: str) -> Where:
    """Return the table in a slot. If there is only one table, every name is a slot for it."""
    site = this_site()
    if not slots().known(slot, site) and len(site.tables) == 1:
        slot = FEATURE
    return whereabouts(slot)
