"""The director's page of links: what each overlay slot shows, tokens, and the players' clocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from flask import Blueprint, abort, current_app, request, url_for
from flask.typing import ResponseReturnValue

from dashboard.accounts.guard import director_only
from dashboard.admin_log import AdminLog, done, reason
from dashboard.event import Event
from dashboard.link_keys import LinkKeys, clock_path
from dashboard.on_air import AirTroubles
from dashboard.overlay.pages import PARTS, SECRET_PARTS
from dashboard.overlay.slots import FEATURE, SlotError, Slots, seat_of
from dashboard.parts import find, part
from dashboard.qr_code import qr_svg
from dashboard.responses import answer, json_answer, private_page
from dashboard.security import under_policy
from dashboard.sent import sent_as
from dashboard.show.state import Shows
from dashboard.site import this_site
from dashboard.tokens import Scope, Tokens
from dashboard.webhooks.sender import WebhookSenders
from game.schema import Shape
from table.pairings.details import plain

_SCOPES: Final[Mapping[Scope, str]] = {
    "overlay": "what goes out on a stream",
    "public": "what the public sees",
    "director-read": "everything, read only",
}
_AUDIENCES: Final[Mapping[str, str]] = {
    "public": "what the public sees",
    "director": "what the director sees",
}


class _OfTable(Shape):
    table: str


class _Assignment(Shape):
    name: str
    table: str | None = None
    player: str | None = None
    """A player whom the slot follows, in place of a table."""


blueprint = Blueprint("links", __name__, url_prefix="/director")


@blueprint.get("/links")
@director_only
def page() -> ResponseReturnValue:
    """The page."""
    tokens, senders = find(Tokens), find(WebhookSenders)
    hooks = [(hook, senders.trouble(hook.id)) for hook in senders.hooks.all()] if senders else []
    made = private_page(
        "director/links.html",
        parts=PARTS | SECRET_PARTS,
        secret=tuple(SECRET_PARTS),
        links=_links(),
        tokens=tokens.all() if tokens else [],
        scopes=_SCOPES,
        webhooks=[asdict(hook) | {"trouble": trouble} for hook, trouble in hooks],
        audiences=_AUDIENCES,
        journal=part(AdminLog).newest(),
        troubles=part(AirTroubles).all(),
    )
    return under_policy(made, frame_src="'self'")


@blueprint.get("/api/links")
@director_only
def links() -> ResponseReturnValue:
    """Answer with the slots and their tables, and with the link of each table's clock."""
    return json_answer(_links())


def _links() -> dict[str, Any]:
    site, known = this_site(), part(Slots)
    assigned = known.assigned
    shown = {name: known.table(name, site) for name in known.names(site)}
    own = {FEATURE, *(table.id for table in site.tables)}
    return {
        "served": current_app.extensions.get("tilewatch.address"),
        "tables": [
            {"id": table.id, "name": table.name, "clock": _clock_address(table.id)}
            for table in site.tables
        ],
        "slots": [
            {
                "name": name,
                "assigned": assigned.get(name),
                "player": known.followed.get(name),
                "shows": table.id if table else None,
                "now": table.name if table else None,
                "own": name in own,
                "delays": list(table.allowed.overlay_delays) if table else [],
                "overlays": {one: url_for("overlay.page", slot=name, name=one) for one in PARTS}
                | {one: url_for("commentary.overlay", slot=name, name=one) for one in SECRET_PARTS},
                "commentary": url_for("commentary.page", slot=name),
            }
            for name, table in shown.items()
        ],
    }


@blueprint.get("/api/clock-codes/<table_id>")
@director_only
def clock_code(table_id: str) -> ResponseReturnValue:
    """Answer with the clock's link as a QR code, for the phone that is to be the clock."""
    address = _clock_address(this_site().table(table_id).id)
    return answer(qr_svg(address, 6), "image/svg+xml")


def _clock_address(table_id: str) -> str:
    """Return the URL of a table's clock, with the served address or else the request's host."""
    served = current_app.extensions.get("tilewatch.address", request.host_url.rstrip("/"))
    return f"{served}{clock_path(table_id)}"


@blueprint.post("/api/slots")
@director_only
def assign() -> ResponseReturnValue:
    """Assign a table to a slot, or a player to follow; without either, remove the assignment."""
    asked, why = sent_as(_Assignment), reason()
    if asked.table is not None:
        this_site().table(asked.table)
    if asked.player is not None and not _plays_here(asked.player):
        abort(
            422,
            description=f"player: nobody called {asked.player[:80]} sits at a table or is in the"
            " event’s pairings",
        )
    try:
        part(Slots).assign(asked.name, asked.table, asked.player)
    except SlotError as error:
        abort(422, description=str(error))
    found = f"table {asked.table}" if asked.table else "what it does by itself"
    shows = f"the table of {asked.player}" if asked.player else found
    done(f"slot {asked.name} shows {shows}", why)
    part(Shows).on_change()
    return links()


def _plays_here(player: str) -> bool:
    """Return True if a player of that name is in the event's pairings or sits at a table."""
    event = find(Event)
    paired = event is not None and plain(player) in event.details().players
    return paired or seat_of(player, this_site()) is not None


@blueprint.post("/api/clock-keys")
@director_only
def renew() -> ResponseReturnValue:
    """Make a new link for a table's clock, which ends the one before."""
    asked, why = sent_as(_OfTable), reason()
    part(LinkKeys).renew(this_site().table(asked.table).id)
    done(f"another link for the clock of table {asked.table}", why)
    return links()
