"""Standings: wins first, then spread, as TSH orders them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.event.details import BYE, Entrant, EventDetails
from table.roster import plain


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's place."""

    place: int
    """From 1; players with the same wins and spread share one."""
    player: Entrant
    wins: float
    """A tie is half a win and half a loss."""
    losses: float
    spread: int


def standings(details: EventDetails, division: str) -> list[Standing]:
    """The standings of a division, by the results that are known.

    Where the file names no divisions, ``""`` is that of all players.
    """
    totals = {
        key: [0.0, 0.0, 0] for key, player in details.players.items() if player.division == division
    }
    for game in details.games:
        if game.scores is None:
            continue
        spread = game.scores[0] - game.scores[1]
        won = 0.5 if spread == 0 else float(spread > 0)
        sides = ((game.left, won, spread), (game.right, 1 - won, -spread))
        for name, win, margin in sides:
            total = totals.get(plain(name)) if name != BYE else None
            if total is not None:
                total[0] += win
                total[1] += 1 - win
                total[2] += margin
    ordered = sorted(totals.items(), key=lambda one: (-one[1][0], one[1][1], -one[1][2]))
    return _placed(ordered, details)


def _placed(ordered: Sequence[tuple[str, list[float]]], details: EventDetails) -> list[Standing]:
    found: list[Standing] = []
    for number, (key, (wins, losses, spread)) in enumerate(ordered, start=1):
        place = number
        if found and (found[-1].wins, found[-1].losses, found[-1].spread) == (wins, losses, spread):
            place = found[-1].place
        found.append(Standing(place, details.players[key], wins, losses, int(spread)))
    return found


def divisions(details: EventDetails) -> list[str]:
    """The divisions, in the order of the file."""
    return list(dict.fromkeys(player.division for player in details.players.values()))


def standing_of(details: EventDetails, name: str) -> Standing | None:
    """The standing of the player of that name; None before a first result of theirs."""
    player = details.players.get(plain(name))
    rows = standings(details, player.division) if player is not None else []
    found = next((row for row in rows if plain(row.player.name) == plain(name)), None)
    return found if found is not None and (found.wins or found.losses) else None
