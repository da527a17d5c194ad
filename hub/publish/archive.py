"""The archive of an event: the public site as a folder of files, from a hub's data alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from flask import Flask

from hub.config import HubConfig
from hub.errors import HubError
from hub.publish.changes import Publication
from hub.publish.pages import Pages
from hub.publish.site_files import HallFiles, SiteFiles
from hub.publish.targets import Folder
from hub.service import HubService
from hub.store import DATABASE

_AT_ONCE: Final = 50


def write_archive(
    config: HubConfig,
    folder: Path,
    to: Path,
    app_of: Callable[[HubService], Flask],
) -> int:
    """Write the public site to the folder ``to``; return the number of its files.

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
            app_of(service), service, config.publish.address, config.serve.language, archive=True
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
    made = HallFiles(service.hall.feeds["public"]).made(publication.number, 0.0)
    for _, some in pages.some(float("inf"), ()):
        made += some
        if len(made) >= _AT_ONCE:
            publication.publish(made)
            made = []
    kept = {one.path for one in made} | {"hall/rows.json", "hall/news.json"}
    publication.publish(made, pages.unseen(publication.paths - kept))
    publication.end()
    return len(publication.paths)
