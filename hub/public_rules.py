"""Who may be shown at a hub: by the rules of ``hub.toml``, of the tables, and the director's list.

The public's pages are made from :class:`PublicEvent` alone: the pairings and results by the names
that may be shown. So no page has to know who may be shown.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pydantic import ValidationError

from dashboard.feeds.shown import LiveRules
from hub.binding import Binding, game_of
from hub.errors import HubError
from hub.results import Result
from hub.store import HubStore
from table.desk import ListPlayers
from table.pairings.details import EventDetails, pair_of, renamed
from table.views.player_list import (
    LEVELS,
    NAMED,
    PlayerList,
    PlayerWord,
    is_named,
    name_key,
    stricter_list,
)
from table.views.public_policy import PublicPolicy
from table.views.publication import Decided, Naming, policy_names, showing

LISTED: Final = "public.players"
_INITIALS: Final = "public.initials"
_LONGEST: Final = 60
_MOST: Final = 1000


class HubRules:
    """The rules of all tables of a hub. Safe to use from any thread.

    A player who is in any of the lists is shown at no table otherwise than all lists allow. If
    initials are the default at one table, they are the default of the event.
    """

    def __init__(self, store: HubStore, policy: PublicPolicy) -> None:
        self._store, self.own = store, policy
        self._tables: dict[str, PublicPolicy] = {}
        self._changing = threading.RLock()
        self._initials: dict[str, str] = json.loads(store.setting(_INITIALS) or "{}")
        self.version = 0
        self._listed: PlayerList = _parsed(json.loads(store.setting(LISTED) or "{}"))
        self._settle()

    # --- the director's list ---

    def listed(self) -> PlayerList:
        """Return the director's list."""
        return self._listed

    def put(self, name: str, words: Sequence[str]) -> None:
        """Set a player's words in the list; without words remove the player.

        Raises ``HubError``.
        """
        name = " ".join(name.split())
        if not name_key(name) or len(name) > _LONGEST or not name.isprintable():
            raise HubError(f"a name has 1 to {_LONGEST} letters")
        with self._changing:
            key = name_key(name)
            kept = {one: given for one, given in self._listed.items() if name_key(one) != key}
            if words:
                kept |= _parsed({name: list(words)})
            if len(kept) > _MOST:
                raise HubError(f"the list has room for {_MOST} players")
            self._store.keep_setting(LISTED, json.dumps(kept))
            self._listed = kept
            self._settle()

    @property
    def was_listed(self) -> bool:
        """True if the tables have to know the hub's rules: not everybody is shown, or was."""
        is_open = (self.own.games, self.own.names) == ("all", "full") and not self.own.players
        return not is_open or self._store.setting(LISTED) is not None

    def for_tables(self) -> ListPlayers:
        """Return the hub's list as the tables' own pages need it."""
        players = stricter_list(self._listed, self.own.players)
        return ListPlayers(self.own.games, self.own.names, players, "hub")

    # --- the rules ---

    def of_table(self, table_id: str, policy: PublicPolicy) -> LiveRules:
        """Return the rules of a table whose own policy, with the hub's, is ``policy``."""
        with self._changing:
            if self._tables.get(table_id) != policy:
                self._tables[table_id] = policy
                self._settle()
        return _TableRules(self, table_id)

    def policy(self, table_id: str) -> PublicPolicy:
        """Return the present policy of a table; the hub's for one that is not known."""
        return self._policies.get(table_id, self._event)

    def naming(self) -> Naming:
        """Return the present names of players in public: two players never have the same."""
        return self._naming

    def event(self) -> LiveRules:
        """Return the rules of the event as a whole."""
        return _TableRules(self, "")

    def _settle(self) -> None:
        """Combine all rules anew."""
        every = (self.own, *self._tables.values())
        players = stricter_list(self._listed, *(one.players for one in every))
        names = max((one.names for one in every), key=NAMED.index)
        common = {"players": players, "names": names}
        self._event = self.own.model_copy(update=common)
        self._policies = {
            table: one.model_copy(update=common) for table, one in self._tables.items()
        }
        by_policy = policy_names(self._event)

        def naming(name: str) -> str:
            short = by_policy(name)
            return name if short == name or not is_named(name) else self._single(name, short)

        self._naming = naming
        self.version += 1

    def _single(self, name: str, short: str) -> str:
        """Return initials that no other player has: ``A. B.``, then ``A. B. 2``."""
        key = name_key(name)
        with self._changing:
            known = self._initials.get(key)
            if known is None:
                taken, number, known = set(self._initials.values()), 1, short
                while known in taken:
                    number += 1
                    known = f"{short} {number}"
                self._initials[key] = known
                self._store.keep_setting(_INITIALS, json.dumps(self._initials))
            return known


class _TableRules(LiveRules):
    """The rules of one table."""

    def __init__(self, rules: HubRules, table_id: str) -> None:
        self._rules, self._table = rules, table_id

    @property
    def version(self) -> int:  # type: ignore[override]
        """A number that changes with the rules."""
        return self._rules.version

    def policy(self) -> PublicPolicy:
        """Return the table's present policy."""
        return self._rules.policy(self._table)

    def naming(self) -> Naming:
        """Return the present names of players in public."""
        return self._rules.naming()


def _parsed(given: Mapping[str, list[str]]) -> dict[str, tuple[PlayerWord, ...]]:
    """Return a list of players from JSON. Raises ``HubError``."""
    try:
        return dict(PublicPolicy.model_validate({"players": given}).players)
    except ValidationError as error:
        choices = f"one of {', '.join(LEVELS)}, and one of {', '.join(NAMED)}"
        raise HubError(f"how a player is shown: choose {choices}") from error


@dataclass(frozen=True)
class PublicEvent:
    """The public part of an event."""

    pairings: EventDetails | None
    results: Sequence[Result]
    """The results that the public may know. A result that waits is provisional."""
    binding: Binding
    """The rounds of these results; claims are the director's."""


def public_event(
    pairings: EventDetails | None, binding: Binding, results: Sequence[Result], naming: Naming
) -> PublicEvent:
    """Return an event by its public names; ``results`` are as :func:`public_result` has them."""
    by_game = {game_of(one): one for one in results}
    counting = {
        (number, pair_of(shown.left, shown.right)): shown
        for (number, _), one in binding.counting.items()
        if (shown := by_game.get(game_of(one))) is not None
    }
    own = replace(binding, counting=counting, claims=(), results=tuple(results))
    return PublicEvent(None if pairings is None else renamed(pairings, naming), results, own)


def public_result(one: Result, policy: PublicPolicy, naming: Naming) -> Result | None:
    """Return a result as it may be shown; None if not even the result may be."""
    decided = Decided(one.decided, one.decided_table)
    now = showing(policy, {"left": one.left, "right": one.right}, decided, naming)
    if now.level == "nothing":
        return None
    plays = {} if now.is_withheld else one.plays
    return replace(one, left=naming(one.left), right=naming(one.right), plays=plays)
