"""The hub and the event of a request, and the pages that show them to everybody."""

from __future__ import annotations

from typing import Any

from flask import Response, render_template

from dashboard.around import public_lag_s
from dashboard.event import Event
from dashboard.parts import find, part
from dashboard.security import under_policy
from dashboard.static_files import compressed
from hub.event_meetings import newest_round
from hub.event_site import EventSite
from hub.service import HubService
from table.pairings.details import EventDetails


def this_hub() -> HubService:
    """Return the hub of the present request."""
    hub = find(HubService)
    assert hub is not None
    return hub


def public_page(template: str, **values: Any) -> Response:
    """Return a public page, compressed, on which the search form may be sent."""
    page = Response(render_template(template, **values))
    answer = under_policy(page, form_action="'self'")
    answer.headers["Cache-Control"] = "no-cache"
    return compressed(answer)


def this_event() -> EventSite:
    """Return the tournament's present public data."""
    hub = this_hub()
    event = hub.event.public()
    pairings = event.pairings
    rows = hub.hall.public.rows()
    of_csv = pairings is not None and not pairings.tsh
    details = part(Event).details_at(public_lag_s()) if of_csv else EventDetails()
    return EventSite(pairings, event.results, event.binding, rows, details)


def current_round() -> int | None:
    """Return the number of the current round; None without pairings."""
    event = this_event()
    return newest_round(event.rounds) if event.pairings is not None else None
