"""The hub's pages for the director, and the address at which tables are enrolled."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from flask import Flask, Response, request
from flask.typing import ResponseReturnValue

from dashboard.access import spare
from dashboard.accounts.guard import director_only, logged_in, may_watch
from dashboard.director.actions import source_of
from dashboard.director.pages import desk
from dashboard.overlay.slots import FEATURE, Slots
from dashboard.parts import install, part
from dashboard.qr_code import qr_svg
from dashboard.responses import error_answer, json_answer, private_page
from dashboard.sent import NotJsonError, read_object, sent_object, sent_text
from game.errors import TilewatchError
from hub.binding import Claim
from hub.enrolment import new_code, readmit_table, revoke_table, source_of_address
from hub.errors import GuessError, HubError, WireError
from hub.event_pages import event_blueprint
from hub.intake import UNKNOWN
from hub.public_pages import blueprint, hall_page, tsh_divisions
from hub.public_site import this_hub
from hub.seating import seat, seating_plan
from hub.service import HubService

_ENROL_BYTES: Final = 2000
"""A table's enrolment messages have at most some 350."""

_LONGEST: Final = 80
"""Characters of a table's id or name at most."""

_LONGEST_WHY: Final = 200

EVERY_TABLE: Final = "every table"

PLAYER_WORDS: Final = {
    "all": "games shown whole",
    "result": "results only",
    "nothing": "neither games nor results",
    "full": "name in full",
    "initials": "initials in place of the name",
}
"""The meanings of the words in the list of players."""


def register(app: Flask, service: HubService) -> None:
    """Add the hub's pages to a site's application; the hall replaces the front page of a table."""
    install(app, service)
    app.register_blueprint(blueprint)
    app.register_blueprint(event_blueprint)
    spare(app, "hub.enrol")  # tables come in there, each with a code
    app.view_functions["spectators.home"] = hall_page
    app.view_functions["director.desk"] = director_hall
    install(app, service.hall.director)
    app.jinja_env.globals["hub_name"] = service.config.name
    app.jinja_env.globals["begins"] = service.config.rounds.of
    app.jinja_env.globals["page_frame"] = "hub/event.html"


# --- tables ---


@blueprint.post("/api/v1/enrol")
def enrol() -> ResponseReturnValue:
    """Answer a table's request for enrolment, with a code from the director's desk."""
    hub = this_hub()
    source = source_of_address(request.remote_addr or "")
    try:
        answer = hub.enrolment.answer(read_object(_ENROL_BYTES), source)
    except (WireError, NotJsonError) as error:
        # Of one kind, one in a while is noted: what anybody may post at any rate writes no disk.
        guess = error if isinstance(error, GuessError) else None
        hub.hub.intake.incident(
            guess.table_id if guess else UNKNOWN,
            "code guessed" if guess else "enrolment",
            f"{source}: {error}",
        )
        too_often = guess is not None and guess.too_often
        return json_answer({"error": str(error)}, 429 if too_often else 403)
    except TilewatchError as error:
        return json_answer({"error": str(error)}, 500)
    return json_answer(answer)


# --- the director ---


@blueprint.get("/director/hall")
@may_watch
def director_hall() -> ResponseReturnValue:
    """Show all tables, and to a director all that is done from here."""
    if logged_in().role != "director":
        return desk()
    state, hub = _state(), this_hub()
    return private_page(
        "hub/director.html",
        **state,
        tables=state["enrolled"],
        pairings_file=hub.config.pairings,
        divisions=tsh_divisions(),
    )


@blueprint.get("/director/hall/state")
@director_only
def director_state() -> ResponseReturnValue:
    """Return the tables' lines, the incidents, and the requests that wait for their tables."""
    return json_answer({**_state(), "tables": this_hub().hall.director.rows()})


def _state() -> dict[str, Any]:
    hub = this_hub()
    broker = hub.hub.link.trouble
    return {
        "incidents": [
            {"wall_ns": wall, "table": table, "what": what, "detail": detail, "count": count}
            for wall, table, what, detail, count in hub.store.incident_kinds()
        ],
        "requests": [asdict(one) for one in hub.requests.newest()],
        "slots": _slots(),
        "seating": asdict(seating_plan(hub)),
        "pairings": _pairings(),
        "shown": _shown(),
        "trouble": [line for line in (broker, hub.hub.intake.trouble) if line],
        "pictures_missing": hub.pictures.missing,
        "claims": [_claim(one) for one in hub.event.binding().claims],
        "enrolled": [
            {"id": one.id, "name": one.name, "out": one.revoked}
            for one in hub.store.enrolled().values()
        ],
    }


@blueprint.post("/director/hall/slots/<slot>")
@director_only
def point(slot: str) -> ResponseReturnValue:
    """Show another table in a broadcast slot; with an empty ``table`` its default one."""
    table = sent_text(sent_object(), "table", _LONGEST)
    if table and this_hub().tables.table(table) is None:
        raise HubError(f"there is no table {table!r} here")
    part(Slots).assign(slot, table or None)
    return json_answer({"done": True})


@blueprint.post("/director/hall/seat")
@director_only
def seat_round() -> ResponseReturnValue:
    """Send every table the names of its players in a round of the pairings."""
    round_ = sent_object().get("round")
    if type(round_) is not int:
        return json_answer({"error": "say which round"}, 400)
    return json_answer({"seated": seat(this_hub(), round_, source_of(logged_in()))})


@blueprint.post("/director/hall/tables/<table_id>/division")
@director_only
def division(table_id: str) -> ResponseReturnValue:
    """Set a table's division in the pairings; an empty one leaves it open."""
    sent = sent_object()
    if "division" not in sent:
        return json_answer({"error": "say which division"}, 400)
    hub, chosen = this_hub(), sent_text(sent, "division", _LONGEST)
    if table_id not in hub.store.enrolled():
        raise HubError(f"there is no table {table_id[:40]!r} here")
    pairings = hub.event.pairings()
    hub.event.divisions.choose(
        table_id, chosen, pairings.divisions() if pairings is not None else ()
    )
    words = f"is of division {chosen}" if chosen else "is of no division"
    hub.store.note(table_id, "division", f"{words}: {logged_in().name}")
    return json_answer({"done": True})


@blueprint.post("/director/hall/results")
@director_only
def decide() -> ResponseReturnValue:
    """Let a game count for a round of its two players.

    With ``round`` 0 it counts for none; with null the pairings decide.
    """
    body, hub = sent_object(), this_hub()
    table, game, round_ = body.get("table"), body.get("game"), body.get("round")
    if round_ is not None and (type(round_) is not int or round_ < 0):
        return json_answer({"error": "round: a number, 0 for none, or null"}, 400)
    found = (one for one in hub.event.results.all() if (one.table, one.game_id) == (table, game))
    result = next(found, None)
    if result is None:
        raise HubError("there is no such result; look at the hall again")
    hub.event.decisions.decide(result, round_, hub.event.pairings())
    for one in hub.site.tables:  # another game may have given way
        hub.hall.changed(one.id)
    words = "as the pairings have it" if round_ is None else f"for round {round_ or 'none'}"
    line = f"{result.left} – {result.right} ({result.game_id}) counts {words}: {logged_in().name}"
    hub.store.note(result.table, "result", line)
    return json_answer({"done": True})


@blueprint.post("/director/hall/players")
@director_only
def list_player() -> ResponseReturnValue:
    """Set how a player is shown to the public; with neither choice the event's default holds."""
    body, hub = sent_object(), this_hub()
    name = sent_text(body, "name", _LONGEST)
    words = [word for key in ("games", "named") if (word := sent_text(body, key, _LONGEST))]
    hub.list_player(name, words)
    line = f"{name}: {', '.join(words) or 'as the event has it'}; {logged_in().name}"
    hub.store.note(EVERY_TABLE, "who is shown", line)
    return json_answer({"done": True})


@blueprint.post("/director/hall/codes")
@director_only
def code() -> ResponseReturnValue:
    """Make a code that enrols a table."""
    body = sent_object()
    table, name = sent_text(body, "table", _LONGEST), sent_text(body, "name", _LONGEST)
    made = new_code(this_hub().store, table, name or table)
    host = request.host_url.rstrip("/")
    command = f"tilewatch join {made} --hub {host}"
    return json_answer({"code": str(made), "command": command, "qr": qr_svg(command)})


@blueprint.post("/director/hall/tables/<table_id>/<any(revoke, readmit):what>")
@director_only
def access(table_id: str, what: str) -> ResponseReturnValue:
    """Revoke a table's access, with the reason ``why`` if given, or admit it again."""
    hub = this_hub()
    why = sent_text(sent_object(), "why", _LONGEST_WHY)
    if what == "revoke":
        line = f"kept out by {logged_in().name}"
        revoke_table(hub.store, table_id, f"{line}: {why}" if why else line)
    else:
        readmit_table(hub.store, table_id)
    hub.admit()
    return json_answer({"done": True})


@blueprint.post("/director/hall/requests/<request_id>/withdraw")
@director_only
def withdraw(request_id: str) -> ResponseReturnValue:
    """Withdraw a request that waits for its table."""
    this_hub().requests.withdraw(request_id)
    return json_answer({"done": True})


@blueprint.errorhandler(TilewatchError)
def _refused(error: TilewatchError) -> Response:
    """Return the answer to a refused request: one line, or a page for a request to view one."""
    if request.method == "GET":
        return error_answer(409, str(error))
    return json_answer({"error": str(error)}, 409)


def _claim(claim: Claim) -> dict[str, Any]:
    """Return a disputed result in the form for the director."""
    against = claim.against
    verb = "Let it count" if claim.waits else "Take it"
    rounds = [(f"{verb} for round {one}", one) for one in claim.rounds]
    return {
        "result": asdict(claim.result),
        "rounds": claim.rounds,
        "why": claim.why,
        "waits": claim.waits,
        "against": asdict(against) if against is not None else None,
        "answers": [*rounds, ("For none", 0), ("As the pairings have it", None)],
    }


def _shown() -> dict[str, Any]:
    """Return the event's default for what the public sees, the list of players, and all names."""
    hub = this_hub()
    pairings, default = hub.event.pairings(), hub.rules.event().policy()
    games = pairings.games if pairings is not None else ()
    return {
        "games": default.games,
        "names": default.names,
        "listed": {
            name: [PLAYER_WORDS[word] for word in words]
            for name, words in hub.rules.listed().items()
        },
        "players": sorted({name for game in games for name in game.names.values() if name}),
    }


def _slots() -> dict[str, dict[str, str | None]]:
    """Return the broadcast slots besides the tables' own.

    Each has the id of the table that a director ``chose`` for it, and the name of the table that
    it would show ``by_itself``.
    """
    known, hub = part(Slots), this_hub()
    first = next((table.name for table in hub.site.tables), None)
    return {
        name: {"chosen": known.assigned.get(name), "by_itself": first if name == FEATURE else None}
        for name in dict.fromkeys([FEATURE, *known.assigned])
        if hub.tables.table(name) is None
    }


def _pairings() -> dict[str, Any]:
    """Return the state of the file of pairings for the director: its faults and open questions."""
    hub = this_hub()
    known = hub.event.pairings()
    return {
        "fault": hub.event.fault,
        "kept": known is not None,
        "doubts": known.doubts if known is not None else (),
        "divisions": known.divisions() if known is not None else (),
        "of": hub.event.divisions.all(),
    }
