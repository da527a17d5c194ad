"""The Flask application: one blueprint for each room of pages, over the tables of a site."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from flask import Flask

from dashboard import (
    admin_log,
    api,
    camera,
    clock,
    director,
    links,
    module_graph,
    overlay,
    public_games,
    spectators,
    static_files,
    tokens,
)
from dashboard.accounts import AuthContext, guard_app
from dashboard.responses import answer_errors
from dashboard.security import harden
from dashboard.setup import director as set_up
from dashboard.site import Site
from table.server_config import Api


def create_app(
    site: Site,
    data: Path | None = None,
    hosts: Iterable[str] = (),
    api_for: Api = "public",
    webhook_hosts: Iterable[str] = (),
    embed: Iterable[str] = (),
) -> Flask:
    """The application for ``site``. It owns no threads but those of the feeds it was given.

    ``data`` is the folder with accounts, sessions and tokens; without one nobody can log in, and
    there is no director's area. ``hosts`` are names under which the pages are reached besides
    the machine's own; ``api_for`` says who may ask the API; ``webhook_hosts`` are hosts
    inside the network that webhooks may be sent to; ``embed`` are the origins of sites that may
    show a table in a frame. Raises ``TilewatchError`` when the folder
    cannot be used.
    """
    app = Flask(__name__)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.extensions["tilewatch"] = site
    harden(app)
    static_files.install(app)
    module_graph.install(app)
    guard_app(app, data, hosts)
    door = app.extensions.get("tilewatch.door")
    db = door.db if isinstance(door, AuthContext) else None
    if db is not None:
        tokens.install(app, db)
        admin_log.install(app, db)
    clock.install(app, db)
    camera.install(app, db)
    overlay.install(app, db)
    app.register_blueprint(spectators.blueprint)
    public_games.install(app, embed)
    api.register(app, api_for, webhook_hosts)
    for blueprint in director.BLUEPRINTS:
        app.register_blueprint(blueprint)
    app.register_blueprint(links.blueprint)
    app.register_blueprint(set_up.blueprint)
    answer_errors(app)
    return app
