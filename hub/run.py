"""Puts a hub together and runs it: service, pages and server. Or writes its site to a folder."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from flask import Flask

from dashboard import parts
from dashboard.accounts.store import invitation
from dashboard.app import create_app
from dashboard.event import Event, Source, install
from dashboard.overlay.style import load_theme
from dashboard.server import Server
from dashboard.show.obs_studio import ObsStudio
from hub.config import HubConfig
from hub.errors import HubError
from hub.intake import UNKNOWN
from hub.pages import register
from hub.publish.changes import Publication, Target
from hub.publish.publisher import Pages, Publisher
from hub.publish.site_files import HallFiles, SiteFiles
from hub.publish.targets import Folder, target_of
from hub.service import HubService
from hub.store import DATABASE, PAGES
from table.address import in_the_network, is_of_this_machine, network_address
from table.certificates import certificate_of


def run_hub(config: HubConfig, folder: Path, say: Callable[[str], None]) -> int:
    """Run a hub until it is interrupted. ``say`` prints a line. Raises ``TilewatchError``."""
    target = target_of(config.publish.target) if config.publish.target else None
    with contextlib.ExitStack() as stack:
        service = HubService(config, folder)
        stack.callback(service.stop)
        service.start()
        serve = config.serve
        app = hub_app(service)
        tls = certificate_of(serve, folder, (*serve.hosts, network_address(serve.host)))
        server = Server(app, serve.host, serve.port, serve.trusted_proxy, serve.limits, tls)
        stack.callback(server.stop)
        server.start()
        if serve.trusted_proxy is None:  # behind one, the address by which somebody came is right
            app.extensions["tilewatch.address"] = in_the_network(server.url, serve.host)
        service.store.keep_setting(PAGES, in_the_network(server.url, serve.host))
        stack.callback(service.close_streams)
        say(f"{config.name}: the hall is at {server.url}")
        if tls is not None:
            say(f"the pages' certificate has the SHA-256 fingerprint {tls.fingerprint}")
        say(f"{_reach(service)}; let one in with: tilewatch enrol TABLE --data {folder}")
        if service.enrol_again:
            say(
                "the broker's certificates are new, and the tables that were enrolled before "
                f"refuse them; enrol again: {', '.join(service.enrol_again)}"
            )
        line = invitation(folder)
        if line:
            say(line)
        if target is not None:
            stack.callback(_publish(app, service, target, say).stop)
        threading.Event().wait()
    return 0


def hub_app(service: HubService) -> Flask:
    """Return the application with all pages of a hub. Raises ``TilewatchError``."""
    serve = service.config.serve
    app = create_app(
        service.site,
        service.folder,
        serve.hosts,
        serve.api,
        serve.webhook_hosts,
        serve.embed,
        serve.language,
        service.config.privacy,
    )
    register(app, service)
    install(app, event_of(service))
    parts.install(app, ObsStudio(service.config.show))
    return app


def _publish(
    app: Flask, service: HubService, target: Target, say: Callable[[str], None]
) -> Publisher:
    given = service.config.publish

    def tell(line: str) -> None:
        say(line)
        service.hub.intake.incident(UNKNOWN, "publishing", line)

    files = SiteFiles(app, service, given.address, service.config.serve.language)
    publisher = Publisher(files, service, target, given.every_s, tell)
    publisher.start()
    say(f"the public site is published to {given.target}")
    return publisher


def event_of(service: HubService) -> Event:
    """The event that a hub's configuration tells of. Raises ``TilewatchError``."""
    config = service.config
    theme = load_theme(config.serve.theme) if config.serve.theme is not None else None
    results, rules = service.event.public_scores, service.rules.event()
    source = Source(config.pairings, config.name, lambda _: results(), rules, service.event.waits)
    return Event(source, theme)


def _reach(service: HubService) -> str:
    details = service.details()
    where = f"the broker at {details.host} port {details.port}"
    if is_of_this_machine(details.host) and not service.config.broker.advertise:
        return f"only tables on this machine reach {where} (set listen or advertise in [broker])"
    return f"tables reach {where}"


_AT_ONCE: Final = 50


def archive_hub(config: HubConfig, folder: Path, to: Path) -> int:
    """Write the public site to a folder that any browser reads; return the number of its files.

    ``folder`` has the hub's data; the hub need not run. What everybody sees later is left out until
    so much time has passed. Raises ``TilewatchError``.
    """
    if not (folder / DATABASE).is_file():
        raise HubError(f"{folder}: no hub has run here; start it once: tilewatch hub")
    quiet_ns = _quiet_ns(folder)
    service = HubService(config, folder)
    try:
        for table in service.store.enrolled().values():
            service.tables.register(table)
            _set_clock(service, table.id, quiet_ns)
            service.hall.draw(table.id)
        files = SiteFiles(
            hub_app(service), service, config.publish.address, config.serve.language, archive=True
        )
        return _write(files, service, to)
    finally:
        service.close_streams()
        service.store.close()


def _quiet_ns(folder: Path) -> int:
    """Return for how long nothing was written to the hub's data, by this machine's clock."""
    written = [one.stat().st_mtime_ns for one in folder.glob(f"{DATABASE}*")]
    return max(0, time.time_ns() - max(written))


def _set_clock(service: HubService, table_id: str, quiet_ns: int) -> None:
    """Let a table's clock be as late as is certain: nothing has come since its newest record."""
    log = service.hub.log(table_id)
    games = log.game_ids()
    newest = [one.mono_ns for game in games if (one := log.last_of(game)) is not None]
    if newest:
        service.presence.assume(table_id, max(newest[-1:]) + quiet_ns)


def _write(files: SiteFiles, service: HubService, to: Path) -> int:
    publication = Publication(Folder(to, plain=True), service.config.name, 3600)
    publication.begin()
    pages = Pages(files)
    made = HallFiles(service.hall.public).made(publication.number, 0.0)
    for _, some in pages.some(float("inf"), ()):
        made += some
        if len(made) >= _AT_ONCE:
            publication.publish(made)
            made = []
    kept = {one.path for one in made} | {"hall/rows.json", "hall/news.json"}
    publication.publish(made, pages.unseen(publication.paths - kept))
    publication.end()
    return len(publication.paths)
