"""Pages for everybody who watches."""

from __future__ import annotations

import io

from flask import Blueprint, Response, abort, request
from flask.typing import ResponseReturnValue
from werkzeug.wsgi import wrap_file

from dashboard import source_code
from dashboard.api.tables import state_answer, stream_answer
from dashboard.downloads import as_download
from dashboard.public_games import table_page as shown_page
from dashboard.site import this_site

blueprint = Blueprint("spectators", __name__)


@blueprint.get("/")
def home() -> ResponseReturnValue:
    """The first table."""
    tables = this_site().tables
    return shown_page(tables[0]) if tables else abort(404)


@blueprint.get("/tables/<table_id>")
def table_page(table_id: str) -> ResponseReturnValue:
    """One table's game."""
    return shown_page(this_site().table(table_id))


@blueprint.get("/tables/<table_id>/live")
def live(table_id: str) -> ResponseReturnValue:
    """Answer with the data of the table's page; ``[serve] api`` does not close this address."""
    table = this_site().table(table_id)
    return state_answer(table, table.public)


@blueprint.get("/tables/<table_id>/live/events")
def live_events(table_id: str) -> ResponseReturnValue:
    """Stream the table's public view."""
    table = this_site().table(table_id)
    return stream_answer(table, table.public)


@blueprint.get("/source.tar.gz")
def source() -> ResponseReturnValue:
    """Answer with the source of what runs here, as the licence requires."""
    data = source_code.archive()
    # As a file: a server copies bytes for everybody who is slow to take them.
    answer = Response(
        wrap_file(request.environ, io.BytesIO(data)),
        mimetype="application/gzip",
        direct_passthrough=True,
    )
    answer.content_length = len(data)
    return as_download(answer, "tilewatch-source.tar.gz")
