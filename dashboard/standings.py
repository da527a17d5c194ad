"""The order of players in an event, as TSH has it: wins, fewer losses, spread, rating.

In TSH's own code (John Chew, https://tsh.poslfit.com),
``TSH::Player::SortByStanding`` compares in that order, then by lot, and
``TSH::Division::ComputeRanks`` gives players who are equal in wins, losses and spread one place.
Here the name comes instead of the lot. Its options ``sum_before_spread``, ``spread_bad`` and
``standings_spread_cap``, and that it puts players who have left last, are not followed.


Standings from the pairings' file and the results known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from table.pairings.details import BYE, EventDetails, plain


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's place. A tie is half a win and half a loss."""

    name: str
    rating: int = 0
    rank: int = 0
    wins: float = 0.0
    losses: float = 0.0
    spread: int = 0
    games: int = 0
    """Results that count, byes among them."""

    @property
    def order(self) -> tuple[float, float, int]:
        """The sort key of the standings; equal players share a place."""
        return (-self.wins, self.losses, -self.spread)

    def after(self, spread: int, *, won: float | None = None) -> Standing:
        """Return the standing after one more result; ``won`` gives it if the spread does not."""
        if won is None:
            won = 1.0 if spread > 0 else 0.0 if spread < 0 else 0.5
        return replace(
            self,
            wins=self.wins + won,
            losses=self.losses + 1 - won,
            spread=self.spread + spread,
            games=self.games + 1,
        )

    def after_bye(self, points: int) -> Standing:
        """Return the standing after a bye or forfeit by ``points``; 0 points count as no game."""
        return self.after(points) if points else self


def ranked(players: Iterable[Standing]) -> list[Standing]:
    """Return the players in their order, each with the place: 1, 2, 2, 4."""
    found: list[Standing] = []
    for one in sorted(players, key=lambda s: (*s.order, -s.rating, plain(s.name))):
        same = bool(found) and found[-1].order == one.order
        found.append(replace(one, rank=found[-1].rank if same else len(found) + 1))
    return found


def standings(details: EventDetails, division: str) -> list[Standing]:
    """Return the standings of a division, from the results known.

    Where the file names no divisions, ``""`` is that of all players.
    """
    lines = {
        key: Standing(player.name, player.rating or 0)
        for key, player in details.players.items()
        if player.division == division
    }
    for game in details.games:
        if game.scores is None:
            continue
        spread = game.scores[0] - game.scores[1]
        if game.right == BYE:
            if (key := plain(game.left)) in lines:
                lines[key] = lines[key].after_bye(spread)
            continue
        for name, margin in ((game.left, spread), (game.right, -spread)):
            if (key := plain(name)) in lines:
                lines[key] = lines[key].after(margin)
    return ranked(lines.values())


def divisions(details: EventDetails) -> list[str]:
    """Return the divisions, in the order of the file."""
    return list(dict.fromkeys(player.division for player in details.players.values()))


def standing_of(details: EventDetails, name: str) -> Standing | None:
    """Return the standing of the player of that name; None before the player's first result."""
    player = details.players.get(plain(name))
    rows = standings(details, player.division) if player is not None else []
    found = next((row for row in rows if plain(row.name) == plain(name)), None)
    return found if found is not None and found.games else None
