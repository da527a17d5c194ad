"""The standings of an event, from results settled here and the scores of the pairings' file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from dashboard.standings import Standing, ranked
from hub.binding import Binding, game_of
from hub.pairings import Pairings
from hub.result_files import counting_results, score_of
from hub.results import Result
from table.pairings.details import BYE, Entrant, PairedGame, is_nobody, plain


def division_standings(
    pairings: Pairings, division: str, results: Iterable[Result], binding: Binding
) -> list[Standing]:
    """Return the standings of a TSH division, from results settled here, else from TSH's.

    A game of two players who are not paired is in no TSH file; it counts if a director lets it.
    """
    entrants = {one.number: one for one in pairings.divisions[division]}
    counting = counting_results(results, binding)
    unpaired = [one for one in counting.values() if game_of(one) in binding.unpaired]
    known = Counter(plain(one.plain) for one in entrants.values())
    found = []
    for one in entrants.values():
        if is_nobody(one.plain):
            continue
        line = Standing(one.plain, one.rating)
        for number, opponent in enumerate(one.opponents, start=1):
            own = score_of(one, number, entrants, counting)
            if own is None:
                continue
            met = entrants.get(opponent or 0)
            other = score_of(met, number, entrants, counting) if met is not None else 0
            if met is None or is_nobody(met.plain):
                line = line.after_bye(own - (other or 0))
            elif other is not None:
                line = line.after(own - other)
        for margin in _margins(one.plain, unpaired) if known[plain(one.plain)] == 1 else ():
            line = line.after(margin)
        found.append(line)
    return ranked(found)


def _margins(name: str, results: Iterable[Result]) -> Iterator[int]:
    """Yield the spreads of a player's games; a loss is below 0."""
    for one in results:
        spread = one.left_score - one.right_score
        if plain(one.left) == plain(name):
            yield spread
        elif plain(one.right) == plain(name):
            yield -spread


def plain_standings(
    results: Iterable[Result],
    names: Mapping[str, str],
    entered: Iterable[PairedGame] = (),
    entrants: Mapping[str, Entrant] | None = None,
) -> list[Standing]:
    """Return the standings of a tournament without a ``tourney.js``.

    ``names`` are players besides those with a result, by :func:`plain` name; ``entered`` are games
    with scores in the file; ``entrants`` have the ratings.
    """
    known = entrants or {}
    found = {
        key: Standing(name, known[key].rating or 0 if key in known else 0)
        for key, name in names.items()
    }
    counted = set()
    for one in results:
        if game_of(one) in counted or not one.decides:
            continue
        counted.add(game_of(one))
        for side, name in (("left", one.left), ("right", one.right)):
            margin = one.spread or 0
            won = 0.5 if one.winner == "tie" else float(one.winner == side)
            line = found.get(plain(name), Standing(name))
            found[plain(name)] = line.after(margin if won else -margin, won=won)
    for game in entered:
        left, right = game.scores or (0, 0)
        if game.right == BYE:
            line = found.get(plain(game.left), Standing(game.left))
            found[plain(game.left)] = line.after_bye(left)
            continue
        for name, margin in ((game.left, left - right), (game.right, right - left)):
            line = found.get(plain(name), Standing(name))
            found[plain(name)] = line.after(margin)
    return ranked(found.values())
