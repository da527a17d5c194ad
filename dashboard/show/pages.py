"""The control page of the show: for one person, who puts graphics and tables on air."""

from __future__ import annotations

import json
from typing import Any, Final

from flask import Blueprint, Response, abort, current_app, request, url_for
from flask.typing import ResponseReturnValue

from dashboard.accounts.guard import director_only, logged_in
from dashboard.admin_log import done, reason
from dashboard.commentary.seat import Seats
from dashboard.on_air import AirTroubles
from dashboard.overlay.pages import PARTS, SECRET_PARTS
from dashboard.overlay.slots import FEATURE, Slots
from dashboard.parts import find, part
from dashboard.responses import answer, as_download, json_answer, private_page
from dashboard.security import under_policy
from dashboard.sent import sent_as
from dashboard.show.collection import NAME, scene_collection
from dashboard.show.graphics import AUTOMATIC, graphics
from dashboard.show.obs_studio import ObsError, ObsStudio
from dashboard.show.proposals import RULES, reasons
from dashboard.show.state import Shows
from dashboard.site import Table, this_site
from dashboard.tokens import Token, Tokens
from game.events import SIDES
from game.schema import Shape

_ALL: Final = PARTS | SECRET_PARTS

_LABELS: Final = {
    "lower": "lower third",
    "last": "last play",
    "unseen": "unseen tiles",
    "next": "next pairing",
    "person_left": "left player",
    "person_right": "right player",
    "versus": "head to head",
    "graph": "score graph",
}
"""The names of graphics on their buttons, where they differ from the part's."""

blueprint = Blueprint("show", __name__, url_prefix="/director")


class _Taken(Shape):
    slot: str
    graphic: str


class _Switched(Shape):
    slot: str
    swapped: bool | None = None
    spoken: bool | None = None


class _OfRule(Shape):
    rule: str
    on: bool


class _OfScene(Shape):
    scene: str


class _OfSlot(Shape):
    slot: str


class _OfCollection(Shape):
    slot: str
    delay: int


@blueprint.get("/show")
@director_only
def page() -> ResponseReturnValue:
    """The control page of the slot in ``?slot=``; an open one asks for it again and again."""
    slots, shows, site = part(Slots), part(Shows), this_site()
    slot = _known(request.args.get("slot", FEATURE))
    seats = part(Seats)
    reads_racks = any(seats.of(table).reads_racks for table in site.tables)
    offered = graphics(_ALL if reads_racks else PARTS)
    lines = [_line(one, shows.rules_off) for one in site.tables]
    made = private_page(
        "director/show.html",
        slot=slot,
        slots=slots.names(site),
        table=slots.table(slot, site),
        player=slots.followed.get(slot),
        tables=sorted(lines, key=lambda one: -one["weight"]),
        graphics={
            name: (_LABELS.get(name, name), _ALL[name][0]) for name in offered if name != AUTOMATIC
        },
        secret=SECRET_PARTS,
        on_air=shows.of(slot),
        served=_served(),
        rules=RULES,
        off=shows.rules_off,
        configured=part(ObsStudio).configured,
        obs=part(ObsStudio).scenes(),
        collections=len(_collections(slot)),
        troubles=part(AirTroubles).all(),
    )
    return under_policy(made, frame_src="'self'")


def _line(table: Table, off: frozenset[str]) -> dict[str, Any]:
    latest = table.feeds["broadcast"].latest()
    view = latest.view if latest is not None else None
    held = reasons(view, off)
    shown = view is not None and "withheld" not in view
    return {
        "id": table.id,
        "name": table.name,
        "reasons": [text for _, text in held],
        "weight": sum(rule.weight for rule, _ in held),
        "status": view["status"] if view is not None else "waiting",
        "bag": view["bag_count"] if view is not None and shown else None,
        "players": [(one["name"], one["score"]) for one in map(view["players"].get, SIDES)]
        if view is not None and shown
        else [],
    }


@blueprint.post("/api/show/take")
@director_only
def take() -> ResponseReturnValue:
    """Put a graphic on air; an empty name clears what is there."""
    asked = sent_as(_Taken)
    if asked.graphic and asked.graphic not in graphics(_ALL):
        abort(422, description=f"graphic: one of {', '.join(graphics(_ALL))}")
    part(Shows).change(_known(asked.slot), {"graphic": asked.graphic})
    return json_answer({})


@blueprint.post("/api/show/switch")
@director_only
def switch() -> ResponseReturnValue:
    """Exchange the sides of a slot, or let it speak."""
    asked = sent_as(_Switched)
    given = {"swapped": asked.swapped, "spoken": asked.spoken}
    changed = {name: value for name, value in given.items() if value is not None}
    part(Shows).change(_known(asked.slot), changed)
    return json_answer({})


@blueprint.post("/api/show/rules")
@director_only
def switch_rule() -> ResponseReturnValue:
    """Switch a rule that proposes tables on or off."""
    asked = sent_as(_OfRule)
    if asked.rule not in {rule.key for rule in RULES}:
        abort(422, description=f"There is no rule {asked.rule[:40]!r}.")
    part(Shows).switch(asked.rule, on=asked.on)
    return json_answer({})


@blueprint.post("/api/show/scene")
@director_only
def switch_scene() -> ResponseReturnValue:
    """Put a scene of OBS on air."""
    obs, asked = part(ObsStudio), sent_as(_OfScene)
    if not obs.configured:
        abort(422, description="No OBS is configured: [show] obs in table.toml or hub.toml.")
    try:
        obs.switch(asked.scene)
    except ObsError as error:
        abort(409, description=str(error))
    return json_answer({})


@blueprint.post("/api/show/collection")
@director_only
def collection() -> ResponseReturnValue:
    """A scene collection for OBS, whose addresses have a new token for all tables."""
    asked = sent_as(_OfCollection)
    if not 0 <= asked.delay <= 600:
        abort(422, description="delay: 0 to 600 seconds")
    slot = _known(asked.slot)
    _, text = part(Tokens).make(_token_name(slot), "overlay", by=logged_in().name)
    done(f"a scene collection for OBS, with a token, of slot {slot}", reason())
    served = _served()
    late = str(asked.delay) if asked.delay else None

    def address(name: str) -> str:
        page = "commentary.overlay" if name in SECRET_PARTS else "overlay.page"
        return served + url_for(page, slot=slot, name=name, token=text, delay=late)

    places = {name: each[0] for name, each in graphics(_ALL).items() if name != AUTOMATIC}
    made: Response = answer(
        json.dumps(scene_collection(address, places, _ALL), indent=1), "application/json"
    )
    return as_download(made, f"{NAME}-{slot}.json")


@blueprint.post("/api/show/collection/withdraw")
@director_only
def withdraw_earlier() -> ResponseReturnValue:
    """End the tokens of a slot's scene collections, but the newest one's."""
    slot = _known(sent_as(_OfSlot).slot)
    ended = [token for token in _collections(slot)[:-1] if part(Tokens).withdraw(token.id)]
    done(f"{len(ended)} earlier tokens of scene collections of slot {slot} withdrawn", reason())
    return json_answer({"withdrawn": len(ended)})


def _collections(slot: str) -> list[Token]:
    """Return the tokens of a slot's scene collections, oldest first."""
    kept = find(Tokens)
    return [one for one in kept.all() if one.name == _token_name(slot)] if kept else []


def _token_name(slot: str) -> str:
    return f"OBS scenes of slot {slot}"


def _served() -> str:
    return str(current_app.extensions.get("tilewatch.address", request.host_url.rstrip("/")))


def _known(slot: str) -> str:
    if not part(Slots).known(slot, this_site()):
        abort(404, description=f"There is no slot {slot[:40]!r}.")
    return slot
