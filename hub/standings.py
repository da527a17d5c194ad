"""Standings by TSH's order: wins, then fewer losses, then spread, then rating."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from hub.binding import Binding, game_of
from hub.pairings import Pairings
from hub.result_files import counting_results, score_of
from hub.results import Result
from table.roster import plain


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
        """What a place follows from; players who are equal in it share one."""
        return (-self.wins, self.losses, -self.spread)

    def after(self, spread: int, *, won: float | None = None) -> Standing:
        """The same after one more result; ``won`` where the spread alone does not say it."""
        if won is None:
            won = 1.0 if spread > 0 else 0.0 if spread < 0 else 0.5
        return replace(
            self,
            wins=self.wins + won,
            losses=self.losses + 1 - won,
            spread=self.spread + spread,
            games=self.games + 1,
        )


def ranked(players: Iterable[Standing]) -> list[Standing]:
    """Return the players in their order, each with the place: 1, 2, 2, 4."""
    found: list[Standing] = []
    for one in sorted(players, key=lambda s: (*s.order, -s.rating, plain(s.name))):
        same = bool(found) and found[-1].order == one.order
        found.append(replace(one, rank=found[-1].rank if same else len(found) + 1))
    return found


def division_standings(
    pairings: Pairings, division: str, results: Iterable[Result], binding: Binding
) -> list[Standing]:
    """Return the standings of a TSH division: what was settled here, else what TSH has."""
    entrants = {one.number: one for one in pairings.divisions[division]}
    counting = counting_results(results, binding)
    found = []
    for one in entrants.values():
        line = Standing(one.plain, one.rating)
        for number, opponent in enumerate(one.opponents, start=1):
            own = score_of(one, number, entrants, counting)
            if own is None:
                continue
            if opponent not in entrants:
                line = line.after(own) if own else line  # a bye or a forfeit: its spread
                continue
            other = score_of(entrants[opponent], number, entrants, counting)
            if other is not None:
                line = line.after(own - other)
        found.append(line)
    return ranked(found)


def plain_standings(results: Iterable[Result], names: Mapping[str, str]) -> list[Standing]:
    """Return the standings by results alone, for an event without a ``tourney.js``.

    ``names`` are the players known beside those who have a result, by :func:`plain` name.
    """
    found = {key: Standing(name) for key, name in names.items()}
    counted = set()
    for one in results:
        if game_of(one) in counted or not one.winner:
            continue
        counted.add(game_of(one))
        for side, name in (("left", one.left), ("right", one.right)):
            margin = one.spread or 0
            won = 0.5 if one.winner == "tie" else float(one.winner == side)
            line = found.get(plain(name), Standing(name))
            found[plain(name)] = line.after(margin if won else -margin, won=won)
    return ranked(found.values())
