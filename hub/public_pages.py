"""The hub's pages for everybody: the hall and its results.

Every page is complete without scripts. It only shows data from the tables' public views.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from flask import (
    Blueprint,
    Response,
    abort,
    request,
)
from flask.typing import ResponseReturnValue

from dashboard.accounts.guard import current_account
from dashboard.board_template import EMPTY_ROWS, SmallBoard, premium_outlines, small_board
from dashboard.responses import as_download, json_answer
from dashboard.streaming.response import last_event_id, stream
from dashboard.streaming.streams import RowsFollower
from hub.public_row import Row, by_drama, by_number, clock_left, newest_moments, public_row
from hub.public_rules import PublicEvent
from hub.public_site import current_round, public_page, this_hub
from hub.result_files import as_csv, as_tsh
from table.pairings.details import table_number

blueprint = Blueprint(
    "hub", __name__, template_folder="templates", static_folder="static",
    static_url_path="/static/hub",
)  # fmt: skip


def tsh_divisions() -> list[str]:
    """The names of the divisions whose results go to TSH; none without a ``tourney.js``."""
    pairings = this_hub().event.pairings()
    return list(pairings.tsh) if pairings is not None else []


# --- the hall ---


def hall_page() -> ResponseReturnValue:
    """Every table as it stands, the most dramatic game first, and what has just happened."""
    return _hall(by_drama(this_hub().hall.public.rows()))


@blueprint.get("/hall")
def screen() -> ResponseReturnValue:
    """Show the hall for a large screen: every table in its place, page after page."""
    return _hall(by_number(this_hub().hall.public.rows()), screen=True)


def _hall(rows: list[Row], *, screen: bool = False) -> ResponseReturnValue:
    return public_page(
        "hub/hall.html",
        rows=rows,
        screen=screen,
        round=current_round(),
        moments=newest_moments(rows, time.time_ns() // 1_000_000),
        empty=public_row("", "", None),
    )


blueprint.add_app_template_global(premium_outlines)


@blueprint.app_template_filter("small_board")
def drawn_board(row: Row) -> SmallBoard:
    """Return the small board of a line, empty where the line has none."""
    last = row.get("last") or {"squares": ()}
    return small_board(row.get("board") or EMPTY_ROWS, last["squares"])


@blueprint.app_template_filter("clock_left")
def clock_text(row: Row, side: str) -> str:
    """Return what a player's clock shows now."""
    return clock_left(row, side, time.time_ns())


@blueprint.get("/hall/events")
def hall_events() -> ResponseReturnValue:
    """The hall's lines for everybody as they change."""
    hub = this_hub()
    return stream(RowsFollower(hub.hall.public, hub.run, last_event_id()))


@blueprint.get("/api/v1/hall")
def hall_state() -> ResponseReturnValue:
    """Return the hall's public lines; with ``q`` only tables or players with this name."""
    rows = this_hub().hall.public.rows()
    wanted = " ".join(request.args.get("q", "").casefold().split())
    return json_answer({"tables": [row for row in rows if _matches(row, wanted)]})


@blueprint.get("/results")
def results_page() -> ResponseReturnValue:
    """The results for everybody."""
    event = this_hub().event.public()
    lines = sorted(
        ({**asdict(one), "round": event.binding.round_of(one)} for one in event.results),
        key=lambda line: (-int(line["round"]), table_number(str(line["table"])) or 0),
    )
    return public_page(
        "hub/results.html",
        lines=lines,
        names={table.id: table.name for table in this_hub().site.tables},
        divisions=tsh_divisions(),
    )


@blueprint.get("/results.csv")
def results_csv() -> ResponseReturnValue:
    """Return the results as CSV: only settled games, unless a director asks for all."""
    shown = _all_or_public()
    return _file(as_csv(shown.results, shown.binding), "text/csv", "results.csv")


@blueprint.get("/results/<path:division>.t")
def results_tsh(division: str) -> ResponseReturnValue:
    """Return a division's results as TSH's ``.t`` file; a director may ask for all.

    Where some players are not shown, only the director's has every name and result.
    """
    shown = _all_or_public()
    pairings = shown.pairings
    if pairings is None or division not in pairings.tsh:
        abort(
            404, description="There is no such division; results in TSH's form need a tourney.js."
        )
    text = as_tsh(shown.results, pairings, division, shown.binding)
    return _file(text, "text/plain", f"{division}.t")


def _all_or_public() -> PublicEvent:
    """Return the event as the public may see it, or whole for a director who asks for all."""
    event, account = this_hub().event, current_account()
    if account is None or account.role != "director" or "all" not in request.args:
        return event.public()
    binding = event.binding()
    return PublicEvent(event.pairings(), binding.results, binding)


def _matches(row: Mapping[str, Any], wanted: str) -> bool:
    names = [row["name"], row["id"]]
    names += [player["name"] for player in (row["players"] or {}).values()]
    return not wanted or any(wanted in str(name).casefold() for name in names)


def _file(text: str, kind: str, name: str) -> Response:
    answer = Response(text, mimetype=kind, headers={"Cache-Control": "no-store"})
    return as_download(answer, name)
