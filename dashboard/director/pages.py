"""The director's pages and pictures."""

from __future__ import annotations

import json

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from dashboard.accounts.guard import may_watch
from dashboard.board_template import board_rows
from dashboard.director.dispute import dispute
from dashboard.director.folded_page import FoldedPage, folded_page, newest_game
from dashboard.director.help import GUIDES, guide
from dashboard.director.overview import games
from dashboard.event import Event
from dashboard.parts import part
from dashboard.responses import answer, as_download, private_page
from dashboard.site import Table, this_site
from game.errors import TilewatchError
from record.story_html import story_css

blueprint = Blueprint("director", __name__, url_prefix="/director")

_LONGEST_CACHE_S = 24 * 3600


@blueprint.get("")
@may_watch
def desk() -> ResponseReturnValue:
    """Every table at a glance."""
    return private_page("director/desk.html", tables=this_site().tables)


@blueprint.get("/tables/<table_id>")
@may_watch
def table_page(table_id: str) -> ResponseReturnValue:
    """One table: what needs the director, with its remedies."""
    table = this_site().table(table_id)
    asked = request.args.get("game", "")
    return private_page(
        "director/table.html",
        table=table,
        rows=board_rows(),
        # The game on the table is followed, also where a link names it.
        game="" if asked == newest_game(table) else asked,
        games=games(table),
    )


@blueprint.get("/tables/<table_id>/turns/<int:number>")
@may_watch
def turn_page(table_id: str, number: int) -> ResponseReturnValue:
    """One turn: its pictures, what changed, and when each thing became known."""
    table = this_site().table(table_id)
    page = _folded(table, number)
    found = dispute(page, number, table.evidence, table.edges)
    return private_page(
        "director/turn.html",
        table=table,
        game=page.state.game_id,
        number=number,
        turns=len(page.state.turns),
        players=page.state.players,
        side=page.state.turns[number - 1].side,
        dispute=found,
        sheet=found.sheet(lambda sha: url_for("director.evidence", table_id=table.id, sha256=sha)),
        event=part(Event).details().title,
    )


def _folded(table: Table, number: int) -> FoldedPage:
    """Return the game in ``?game=``, or a 404 if it has no such turn."""
    game_id = request.args.get("game") or newest_game(table)
    if game_id is None:
        abort(404, description="There has been no game at this table.")
    page = folded_page(table, game_id)
    if not 1 <= number <= len(page.state.turns):
        abort(404, description=f"There is no turn {number} in this game.")
    return page


@blueprint.get("/tables/<table_id>/turns/<int:number>/clip.webm")
@may_watch
def turn_clip(table_id: str, number: int) -> ResponseReturnValue:
    """A turn's pictures as a clip to keep."""
    table = this_site().table(table_id)
    page = _folded(table, number)
    if table.evidence is None:
        abort(404, description="This table keeps no pictures here.")
    try:
        made = dispute(page, number, table.evidence).clip(table.evidence)
    except TilewatchError as error:
        abort(404, description=f"There is no clip of turn {number}: {error}.")
    return as_download(answer(made, "video/webm"), f"{page.state.game_id}-turn-{number}.webm")


@blueprint.get("/story.css")
@may_watch
def story_style() -> ResponseReturnValue:
    """The style of the account, as bundles have it."""
    return Response(story_css(), mimetype="text/css")


@blueprint.get("/tables/<table_id>/evidence/<sha256>.jpg")
@may_watch
def evidence(table_id: str, sha256: str) -> ResponseReturnValue:
    """An evidence picture by its hash, checked against it."""
    store = this_site().table(table_id).evidence
    if store is None:
        abort(404, description="This table keeps no pictures here.")
    try:
        jpeg = store.load(sha256)
    except TilewatchError:
        abort(404, description="There is no such picture, or it is no longer what was kept.")
    return answer(jpeg, "image/jpeg", f"private, max-age={_LONGEST_CACHE_S}, immutable")


@blueprint.get("/tables/<table_id>/picture.jpg")
@may_watch
def picture(table_id: str) -> ResponseReturnValue:
    """Answer with the table's newest picture; a header has the corners and tiles read in it."""
    table = this_site().table(table_id)
    found = table.desk.picture() if table.desk is not None else None
    if found is None:
        return Response(status=204, headers={"Cache-Control": "no-store"})
    height, width = found.frame.image.shape[:2]
    about = {
        "t_ns": found.frame.t_ns,
        "now_ns": table.clock(),
        "width": width,
        "height": height,
        "corners": found.corners,
        "rows": found.rows,
        "read_ns": found.read_ns,
        "looked": found.looked,
    }
    answer = Response(found.frame.jpeg, mimetype="image/jpeg")
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["X-Tilewatch-Read"] = json.dumps(about, separators=(",", ":"))
    return answer


@blueprint.get("/help", defaults={"name": "director"})
@blueprint.get(f"/help/<any({', '.join(GUIDES)}):name>")
@may_watch
def help_page(name: str) -> ResponseReturnValue:
    """A guide of the documentation."""
    try:
        text = guide(name, lambda other: url_for("director.help_page", name=other))
    except OSError:
        abort(404, description="The documentation was not installed with this program.")
    return private_page("director/help.html", name=name, guides=GUIDES, text=text)


@blueprint.get("/")
def slash() -> ResponseReturnValue:
    """Redirect from ``/director/`` to the desk."""
    return redirect(url_for("director.desk"), 308)
