"""The Flask application: pages, API and event streams, over tables that it is handed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from flask import Flask, Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from dashboard import source_code
from dashboard.feed import Clock, Feed, encode
from dashboard.layout import board_rows
from dashboard.security import harden
from dashboard.streams import HEARTBEAT_S, Gate, follow

STREAMS: Final = 64
"""Event streams open at once, unless told otherwise."""

RETRY_AFTER_S: Final = 15


@dataclass(frozen=True)
class Table:
    """A table as the dashboard knows it.

    ``feed`` is cut down to the audience that these pages serve. ``clock`` gives nanoseconds on the
    table's monotonic base, and ``rate`` how fast that base runs beside real time: 1 but for a
    simulated table that is played faster.
    """

    id: str
    name: str
    feed: Feed
    clock: Clock
    rate: float = 1.0


@dataclass(frozen=True)
class Site:
    """What one dashboard serves. ``tables`` are in the order in which they are listed."""

    tables: tuple[Table, ...]
    streams: int = STREAMS
    heartbeat_s: float = HEARTBEAT_S
    by_id: Mapping[str, Table] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_id", {table.id: table for table in self.tables})

    def table(self, table_id: str) -> Table:
        """The table, or a 404."""
        if table_id not in self.by_id:
            abort(404, description=f"There is no table {table_id!r} here.")
        return self.by_id[table_id]


def create_app(site: Site) -> Flask:
    """The application for ``site``. It owns no threads but those of the feeds it was given."""
    app = Flask(__name__)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.extensions["tilewatch"] = site
    app.extensions["tilewatch_gate"] = gate = Gate(site.streams)
    harden(app)
    _pages(app, site)
    _api(app, site, gate)
    _errors(app)
    return app


def _pages(app: Flask, site: Site) -> None:
    @app.get("/")
    def home() -> ResponseReturnValue:
        return _table_page(site.tables[0]) if site.tables else abort(404)

    @app.get("/tables/<table_id>")
    def table_page(table_id: str) -> ResponseReturnValue:
        return _table_page(site.table(table_id))

    @app.get("/source.tar.gz")
    def source() -> ResponseReturnValue:
        return Response(
            source_code.archive(),
            mimetype="application/gzip",
            headers={"Content-Disposition": "attachment; filename=tilewatch-source.tar.gz"},
        )


def _table_page(table: Table) -> Response:
    page = Response(render_template("table.html", table=table, rows=board_rows()))
    page.headers["Cache-Control"] = "no-cache"
    return page


def _api(app: Flask, site: Site, gate: Gate) -> None:
    @app.get("/api/v1/tables")
    def tables() -> ResponseReturnValue:
        return _json({"tables": [_summary(table) for table in site.tables]})

    @app.get("/api/v1/tables/<table_id>")
    def state(table_id: str) -> ResponseReturnValue:
        table = site.table(table_id)
        latest = table.feed.latest()
        return _json(
            {
                "table": {"id": table.id, "name": table.name},
                "id": latest.id if latest else None,
                "now_ns": table.clock(),
                "rate": table.rate,
                "view": latest.view if latest else None,
            }
        )

    @app.get("/api/v1/tables/<table_id>/events")
    def events(table_id: str) -> ResponseReturnValue:
        table = site.table(table_id)
        leave = gate.enter()
        if leave is None:
            response = _json(
                {
                    "error": "Every place on the live stream is taken; ask again later.",
                    "streams": gate.limit,
                },
                503,
            )
            response.headers["Retry-After"] = str(RETRY_AFTER_S)
            return response
        # EventSource sends the header by itself; a page that had to open a new one cannot set
        # headers and gives the id in the address instead. The header is the newer of the two.
        last_id = request.headers.get("Last-Event-ID") or request.args.get("after") or None
        gone = cast(
            "Callable[[], bool]",
            request.environ.get("waitress.client_disconnected", lambda: False),
        )
        stream = Response(
            follow(
                table.feed,
                last_id,
                table.clock,
                table.rate,
                gone=gone,
                heartbeat_s=site.heartbeat_s,
            ),
            mimetype="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )
        # Not in the generator's own `finally`: one that was never started never gets there.
        stream.call_on_close(leave)
        return stream


def _summary(table: Table) -> dict[str, Any]:
    latest = table.feed.latest()
    view = latest.view if latest else None
    return {
        "id": table.id,
        "name": table.name,
        "status": view["status"] if view else "waiting",
        "players": view["players"] if view else None,
        "href": f"/api/v1/tables/{table.id}",
    }


def _json(value: object, status: int = 200) -> Response:
    response = Response(encode(value), status=status, mimetype="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


def _errors(app: Flask) -> None:
    def answer(status: int, title: str, text: str) -> Response:
        if request.path.startswith("/api/"):
            return _json({"error": text}, status)
        return Response(render_template("error.html", title=title, text=text), status=status)

    @app.errorhandler(404)
    def missing(error: Exception) -> ResponseReturnValue:
        text = str(getattr(error, "description", "")) or "There is nothing here."
        return answer(404, "Not found", text)

    @app.errorhandler(405)
    def not_allowed(_: Exception) -> ResponseReturnValue:
        return answer(405, "Not allowed", "This address can only be read.")

    @app.errorhandler(500)
    def broken(_: Exception) -> ResponseReturnValue:
        return answer(500, "Something broke", "The reason stands in tilewatch's log.")
