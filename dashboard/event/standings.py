"""Standings by the pairings' file and the results that are known."""

from __future__ import annotations

from dashboard.event.ranking import Standing, ranked
from table.pairings.details import BYE, EventDetails, plain


def standings(details: EventDetails, division: str) -> list[Standing]:
    """The standings of a division, by the results that are known.

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
    """The divisions, in the order of the file."""
    return list(dict.fromkeys(player.division for player in details.players.values()))


def standing_of(details: EventDetails, name: str) -> Standing | None:
    """The standing of the player of that name; None before a first result of theirs."""
    player = details.players.get(plain(name))
    rows = standings(details, player.division) if player is not None else []
    found = next((row for row in rows if plain(row.name) == plain(name)), None)
    return found if found is not None and found.games else None
