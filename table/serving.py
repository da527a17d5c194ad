"""Serves a running table's pages, and keeps who may be shown on them."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from dashboard.app import create_app
from dashboard.commentary.seat import Seat, Seats
from dashboard.event import Event, Results, Source, install, results_of_table
from dashboard.feeds.shown import LiveRules
from dashboard.gcg import GcgFile
from dashboard.link_keys import camera_address, clock_address
from dashboard.overlay.style import load_theme
from dashboard.parts import install as install_part
from dashboard.parts import part
from dashboard.server import Server
from dashboard.show.obs_studio import ObsStudio
from dashboard.shown_games import ShownGames
from dashboard.site import Site, table_over
from game.errors import TilewatchError
from game.files import write_file
from simulation.game_generator import vocabulary
from table.address import in_the_network, network_address
from table.certificates import certificate_of
from table.config import TableConfig
from table.desk import ListPlayers
from table.devices import edges_file
from table.pairings.details import PairedGame
from table.running import RunningTable
from table.views.public_policy import PublicPolicy
from table.views.publication import policy_names
from table.woogles_games import follow_on_woogles

_LOG = logging.getLogger(__name__)

FILE: Final = "hub-players.json"


class KeptRules(LiveRules):
    """A table's rules, with the hub's newest list, which is kept while the hub is away."""

    def __init__(self, policy: PublicPolicy, folder: Path) -> None:
        super().__init__(policy)
        self._own, self._path = policy, folder / FILE
        try:
            self._take(json.loads(self._path.read_bytes()))
        except FileNotFoundError:
            pass
        except (OSError, ValueError) as error:
            _LOG.error("%s: the hub's list of players cannot be used: %s", self._path, error)

    def put(self, listed: ListPlayers) -> None:
        """Take and keep the hub's list. Raises ``TilewatchError``."""
        players = {name: list(words) for name, words in listed.players.items()}
        given = {"games": listed.games, "names": listed.names, "players": players}
        try:
            self._take(given)
            write_file(self._path, json.dumps(given).encode(), private=True)
        except ValidationError as error:
            raise TilewatchError("the list of players has an entry unknown here") from error
        except OSError as error:
            raise TilewatchError(f"{self._path}: cannot be written ({error.strerror})") from error

    def _take(self, given: object) -> None:
        policy = self._own.stricter(PublicPolicy.model_validate(given))
        self._policy, self._naming = policy, policy_names(policy)
        self.version += 1


def serve_pages(table: RunningTable) -> str:
    """Serve the table's pages until it is closed; return their address."""
    resources = table.resources
    config, folder, stack = resources.config, resources.folder, resources.stack
    rules = KeptRules(config.public, folder)
    table.desk.on_list = rules.put
    words = resources.words.words if resources.words else None
    site_table = table_over(
        table.log,
        id="1",
        name=config.name,
        clock=table.now_ns,
        rate=table.time.rate,
        desk=table.desk,
        folded=resources.folded,
        evidence=resources.evidence,
        words=words,
        public=config.public,
        rules=rules,
        bench=table.calibration,
        edges=edges_file(config.buttons, folder),
        phone=table.phone,
    )
    where = config.serve
    app = create_app(
        Site((site_table,)),
        folder,
        where.names,
        where.api,
        where.webhook_hosts,
        where.embed,
        where.language,
        config.notice,
    )
    # Simulated players know few words, and no others are played at their table.
    known = words or (vocabulary() if config.camera.simulated else None)
    seat = Seat(table.session.racks, known, config.analysis)
    install_part(app, Seats({site_table.id: seat}))
    install_part(app, ObsStudio(config.show))
    shown = part(ShownGames, app)
    install(app, _event(config, results_of_table(shown, site_table), rules))
    tls = certificate_of(where, folder, (*where.names, network_address(where.host)))
    server = Server(app, where.host, where.port, where.trusted_proxy, where.limits, tls)
    stack.callback(server.stop)
    server.start()
    if where.gcg is not None:
        stack.callback(GcgFile(site_table, where.gcg).stop)
    if config.woogles is not None and config.woogles.on:
        follow_on_woogles(table, site_table, config.woogles)
    url = in_the_network(server.url, where.host)
    if tls is not None:
        resources.say(f"the pages' certificate has the SHA-256 fingerprint {tls.fingerprint}")
    app.extensions["tilewatch.address"] = url
    if table.phone is not None:
        link = camera_address(app, site_table.id)
        resources.say(f"to pair the phone that is the camera, open on it {url}{link}")
    if config.buttons.entry.on_page:
        resources.say(f"the players' clock is at {url}{clock_address(app, site_table.id)}")
    return url


def _event(
    config: TableConfig, results: Callable[[Sequence[PairedGame]], Results], rules: LiveRules
) -> Event:
    """Return the tournament that a table's configuration names. Raises ``TilewatchError``."""
    theme, players = config.serve.theme, config.players
    source = Source(players.file, results=results, rules=rules, seat_of=lambda _: players.seat)
    return Event(source, load_theme(theme) if theme is not None else None)
