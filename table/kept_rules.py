"""Who may be shown on a table's own pages: by its configuration, and by its hub's list."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from dashboard.feeds.shown import LiveRules
from game.errors import TilewatchError
from game.files import write_file
from table.desk import ListPlayers
from table.views.public_policy import PublicPolicy
from table.views.publication import Naming, policy_names

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

    def policy(self) -> PublicPolicy:
        """Return the present policy."""
        return self._policy

    def naming(self) -> Naming:
        """Return the present names of players in public."""
        return self._naming

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
