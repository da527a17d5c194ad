"""The Flask application: one blueprint for each room of pages, over the tables of a site."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from flask import Flask

from dashboard import camera, languages, links, obs, parts, privacy, spectators, static_files
from dashboard.access import shut
from dashboard.accounts import pages as accounts
from dashboard.accounts.guard import AuthContext, protect
from dashboard.admin_log import AdminLog
from dashboard.api import keys, openapi, tables  # noqa: F401 - the first and last declare addresses
from dashboard.clock import pages as clock
from dashboard.commentary import pages as commentary
from dashboard.director import api as director_api
from dashboard.director import pages as director
from dashboard.director.overview import Overview
from dashboard.link_keys import LinkKeys, Pairing
from dashboard.overlay import pages as overlay
from dashboard.overlay.slots import Slots
from dashboard.responses import answer_errors
from dashboard.security import harden
from dashboard.setup import pages as setup
from dashboard.show import clips
from dashboard.show import pages as show
from dashboard.show.state import Shows
from dashboard.site import Site
from dashboard.tokens import Tokens
from dashboard.webhooks.outbound import Outbound
from dashboard.webhooks.sender import WebhookSenders
from dashboard.webhooks.store import Webhooks
from table.server_config import Api, Privacy

_PAGES: Final = (
    accounts.blueprint,
    clock.blueprint,
    camera.blueprint,
    camera.pairing_pages,
    overlay.blueprint,
    commentary.blueprint,
    commentary.analysis_pages,
    spectators.blueprint,
    privacy.blueprint,
    openapi.blueprint,
    obs.blueprint,
    director.blueprint,
    director_api.blueprint,
    links.blueprint,
    show.blueprint,
    clips.blueprint,
    setup.blueprint,
)


def create_app(
    site: Site,
    data: Path | None = None,
    hosts: Iterable[str] = (),
    api_for: Api = "public",
    webhook_hosts: Iterable[str] = (),
    embed: Iterable[str] = (),
    language: str = "en",
    notice: Privacy | None = None,
) -> Flask:
    """Return the application for ``site``. It starts no threads of its own.

    ``data`` is the folder with accounts, sessions and tokens; without one nobody can log in, and
    there is no director's area. ``hosts`` are names under which the pages are reached besides
    the machine's own; ``api_for`` says who may ask the API; ``webhook_hosts`` are hosts
    inside the network that webhooks may be sent to; ``embed`` are the origins of sites that may
    show a table in a frame; ``language`` is that of public pages for readers who ask for none, and
    ``notice`` what they say about pictures of people.
    Raises ``TilewatchError`` when the folder cannot be used.
    """
    app = Flask(__name__)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    auth = None if data is None else AuthContext.of(data)
    db = None if auth is None else auth.db
    camera_keys = LinkKeys("camera", db)
    for one in (
        *(site, Overview(site), Slots(db), Shows(db), LinkKeys("clock", db), Pairing(camera_keys)),
        *(() if auth is None else _of_accounts(auth, site, webhook_hosts)),
    ):
        parts.install(app, one)
    harden(app)
    static_files.install(app)
    protect(app, hosts)
    shut(app, api_for)
    languages.prepare(app, language)
    spectators.prepare(app, embed)
    privacy.prepare(app, notice or Privacy())
    for blueprint in _PAGES:
        app.register_blueprint(blueprint)
    answer_errors(app)
    return app


def _of_accounts(auth: AuthContext, site: Site, webhook_hosts: Iterable[str]) -> tuple[object, ...]:
    """Return the parts that a site needs where people can log in."""
    senders = WebhookSenders(site, Webhooks(auth.db), outbound=Outbound(webhook_hosts))
    return auth, Tokens(auth.db), AdminLog(auth.db), senders
