"""The hub that a request is for, and what everybody may know of its event."""

from __future__ import annotations

from typing import Any

from flask import Response, current_app, render_template

from dashboard.security import forms_allowed
from dashboard.static_files import compressed
from hub.binding import Binding
from hub.pairings import Pairings
from hub.results import Result
from hub.service import HubService

EXTENSION = "tilewatch.hub"


def this_hub() -> HubService:
    """The hub that the request at hand is for."""
    hub = current_app.extensions[EXTENSION]
    assert isinstance(hub, HubService)
    return hub


def settled_results(binding: Binding) -> list[Result]:
    """The public results: those with a round, delayed like the table's public view.

    One that waits to be signed or let through is provisional.
    """
    hub = this_hub()
    is_public = hub.tables.may_be_told
    settled = (one for one in binding.results if one.settled and binding.claim(one) is None)
    return [one for one in settled if is_public(one.table, one.seq)]


def known_pairings() -> Pairings | None:
    """The pairings as their file has them now, or had them when it could last be read."""
    return this_hub().read_pairings()


def public_page(template: str, **values: Any) -> Response:
    """A page of the event for everybody: with a search that may be sent, and compressed."""
    answer = forms_allowed(Response(render_template(template, **values)))
    answer.headers["Cache-Control"] = "no-cache"
    return compressed(answer)
