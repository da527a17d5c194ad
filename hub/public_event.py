"""The event as the public may see it: pairings and results by the names that may be shown.

The public's pages are made from these alone, so no page has to know who may be shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hub.binding import Binding, game_of
from hub.pairings import Pairings, pair_of
from hub.results import Result
from table.pairings.details import TshPlayer, renamed_game
from table.views.public_policy import PublicPolicy
from table.views.publication import Decided, Naming, showing


@dataclass(frozen=True)
class PublicEvent:
    """The public part of an event."""

    pairings: Pairings | None
    results: Sequence[Result]
    """The results that the public may know. A result that waits is provisional."""
    binding: Binding
    """The rounds of these results; claims are the director's."""


def public_event(
    pairings: Pairings | None, binding: Binding, results: Sequence[Result], naming: Naming
) -> PublicEvent:
    """Return an event by its public names; ``results`` are as :func:`public_result` has them."""
    by_game = {game_of(one): one for one in results}
    counting = {
        (number, pair_of(shown.left, shown.right)): shown
        for (number, _), one in binding.counting.items()
        if (shown := by_game.get(game_of(one))) is not None
    }
    own = replace(binding, counting=counting, claims=(), results=tuple(results))
    return PublicEvent(None if pairings is None else _renamed(pairings, naming), results, own)


def public_result(one: Result, policy: PublicPolicy, naming: Naming) -> Result | None:
    """Return a result as it may be shown; None if not even the result may be."""
    decided = Decided(one.decided, one.decided_table)
    now = showing(policy, {"left": one.left, "right": one.right}, decided, naming)
    if now.level == "nothing":
        return None
    plays = {} if now.is_withheld else one.plays
    return replace(one, left=naming(one.left), right=naming(one.right), plays=plays)


def _renamed(pairings: Pairings, naming: Naming) -> Pairings:
    def entrant(one: TshPlayer) -> TshPlayer:
        shown = naming(one.plain)
        return one if shown == one.plain else replace(one, name=shown, plain=shown)

    games = tuple(renamed_game(one, naming) for one in pairings.games)
    divisions = {
        name: [entrant(one) for one in players] for name, players in pairings.divisions.items()
    }
    return replace(pairings, games=games, divisions=divisions)
