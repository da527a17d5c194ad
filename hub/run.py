"""Puts a hub together, its service, pages and server, and runs it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path

from flask import Flask

from dashboard import parts
from dashboard.accounts.store import invitation
from dashboard.app import create_app
from dashboard.event import Event, Source, install
from dashboard.overlay.style import load_theme
from dashboard.server import Server
from dashboard.show.obs_studio import ObsStudio
from hub.config import HubConfig
from hub.intake import UNKNOWN
from hub.pages import register
from hub.publish.archive import write_archive
from hub.publish.changes import Target
from hub.publish.publisher import Publisher
from hub.publish.site_files import SiteFiles
from hub.publish.targets import target_of
from hub.service import HubService
from hub.store import PAGES
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


def archive_hub(config: HubConfig, folder: Path, to: Path) -> int:
    """Write the public site of a hub's data to a folder; return the number of its files.

    Raises ``TilewatchError``.
    """
    return write_archive(config, folder, to, hub_app)


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
