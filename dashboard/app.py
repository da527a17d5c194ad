"""The Flask application: one blueprint for each room of pages, over the tables of a site."""

from __future__ import annotations

from flask import Flask

from dashboard import spectators
from dashboard.answers import answer_errors
from dashboard.api import tables
from dashboard.security import harden
from dashboard.site import Site


def create_app(site: Site) -> Flask:
    """The application for ``site``. It owns no threads but those of the feeds it was given."""
    app = Flask(__name__)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.extensions["tilewatch"] = site
    harden(app)
    app.register_blueprint(spectators.blueprint)
    app.register_blueprint(tables.blueprint)
    answer_errors(app)
    return app
