"""Decides for which pairing a result counts, by the table and the round that the hub knows.

A table reports who played, and may be wrong or lie. So a result gets a round only if the hub's own
pairings seat these two players *at that table*: their first game there counts for the first round
in which they are paired there, their second game for the second. A round with scores in the file of
pairings comes last, except for a game with the same scores. It makes no difference who sits on the
left. Every other result is a :class:`Claim`: it is kept and shown to the director, and replaces
nothing. Claims are games of two players who are not paired, games at another table, surplus games,
games at one of two tables with the same number, and games whose players have not been named yet.

A result with a round counts once it is signed, or ruled by a director, and no question is open.
Until then it is provisional, and is listed among the claims as waiting (``Claim.waits``).

The director decides claims: a decision lets a game count for a round, or for none, and takes
precedence over everything else. Without pairings the round of a game is its number at its table.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from game.terms import SIDES, nameless
from hub.errors import HubError
from hub.pairings import Seats
from hub.results import Result
from hub.store import HubStore
from table.pairings.details import EventDetails, Pair, PairedGame, Seat, pair_of, plain

Game: TypeAlias = tuple[str, str]
"""A table and the name of a game there: another table may use the same name."""

SETTING: Final = "results.decided"
UNNAMED: Final = "counts for nobody, as nobody has said who played it"
UNPAIRED: Final = "nobody has paired these two"
UNSIGNED: Final = "not signed yet; it counts once it is, or if you let it"
OPEN: Final = "a question is open that may still change who has won"
NO_ROUND: Final = 0
"""The round in a decision that a game counts for none."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A result that does not count unless the director allows it."""

    result: Result
    rounds: tuple[int, ...]
    """The rounds for which the director may let it count; empty if a player has no name."""
    why: str
    against: Result | None = None
    """The result that it would replace, if any."""
    waits: bool = False
    """True if it has a round and only waits for a signature or the answer to a question."""


@dataclass(frozen=True, slots=True)
class Binding:
    """The results that count for each round."""

    rounds: Mapping[Game, int] = field(default_factory=dict)
    """The round of each game that has one: by the pairings or the director."""
    counting: Mapping[tuple[int, Pair], Result] = field(default_factory=dict)
    """The results that go to TSH, by round and pair."""
    claims: Sequence[Claim] = ()
    numbers: Mapping[Game, int] = field(default_factory=dict)
    """The number of each game at its table, from 1."""
    divisions: Mapping[Game, str] = field(default_factory=dict)
    """The division of each game that counts for a round; empty if the tournament has none."""
    results: Sequence[Result] = ()
    """All results in the order of arrival; waiting results are provisional."""
    unpaired: frozenset[Game] = frozenset()
    """The games that the director lets count for a round in which the two are not paired."""

    def round_of(self, result: Result) -> int:
        """Return the round of a game; without pairings the number of the game at its table."""
        game = game_of(result)
        return self.rounds.get(game) or self.numbers.get(game, 1)

    def claim(self, result: Result) -> Claim | None:
        """Return the claim that a result is; None if it counts for a round."""
        game = game_of(result)
        return next((c for c in self.claims if game_of(c.result) == game and not c.waits), None)


def game_of(result: Result) -> Game:
    """Return the game of a result, which identifies it."""
    return result.table, result.game_id


def bind(
    results: Sequence[Result],
    pairings: EventDetails | None,
    decided: Mapping[Game, int] | None = None,
    seats: Seats | None = None,
) -> Binding:
    """Bind results to rounds. ``results`` are in the order of arrival.

    ``decided`` are the director's decisions; ``seats`` knows the tables' divisions.
    """
    decided, seats = decided or {}, seats or Seats()
    ordered = sorted(results, key=lambda one: (one.table, one.begun))
    numbers: dict[Game, int] = {}
    counted: dict[str, int] = {}
    for one in ordered:
        counted[one.table] = numbers[game_of(one)] = counted.get(one.table, 0) + 1
    meetings = pairings.meetings() if pairings is not None else {}
    due = _due(ordered, meetings, decided, seats)
    counting: dict[tuple[int, Pair], Result] = {}
    rounds: dict[Game, int] = {}
    divisions: dict[Game, str] = {}
    claims: list[Claim] = []
    unpaired: set[Game] = set()
    adjusted = [as_it_counts(one, game_of(one) in decided) for one in results]
    # What the director decided comes first; then whatever came in first stays.
    for one in sorted(adjusted, key=lambda one: game_of(one) not in decided):
        game, pair = game_of(one), pair_of(one.left, one.right)
        met = meetings.get(pair, {})
        choices = tuple(met) or _rounds(pairings, numbers[game])
        number = decided.get(game, due.get(game)) if met else decided.get(game)
        if number is None and pairings is None:
            number = numbers[game]
        if number == NO_ROUND:
            claims.append(Claim(one, choices, "the director lets it count for no round"))
        elif number is not None and number in choices and (number, pair) not in counting:
            if pairings is not None:
                counting[number, pair] = one
            rounds[game] = number
            if met:
                divisions[game] = met[number][0].division
            elif pairings is not None:
                unpaired.add(game)
            if one.settled and not one.counts:
                claims.append(Claim(one, (number,), _lacks(one), waits=True))
        elif met:
            against = counting.get((number, pair)) if number is not None else None
            why = _why(number, met, against, seats.of(one.table))
            claims.append(Claim(one, choices, why, against))
        elif _unnamed(one):
            claims.append(Claim(one, (), UNNAMED))
        else:
            claims.append(Claim(one, choices, UNPAIRED))
    claims.sort(key=lambda one: one.waits)
    return Binding(
        rounds, counting, tuple(claims), numbers, divisions, tuple(adjusted), frozenset(unpaired)
    )


def _rounds(pairings: EventDetails | None, own: int) -> tuple[int, ...]:
    """Return the rounds that the director may choose for two players who are not paired."""
    if pairings is None:
        return (own,)
    return tuple(sorted({game.round for game in pairings.games}))


def as_it_counts(one: Result, is_decided: bool) -> Result:
    """Return the result, provisional unless it is signed, ruled or decided by a director."""
    waits = not is_decided and (one.provisional or not (one.signed or one.ruled))
    return replace(one, provisional=waits)


def _lacks(one: Result) -> str:
    return OPEN if one.signed or one.ruled else UNSIGNED


def _unnamed(one: Result) -> bool:
    """Return True if a player has no name, only a side."""
    return any(getattr(one, side) == nameless(side) for side in SIDES)


def _due(
    ordered: Iterable[Result],
    meetings: Mapping[Pair, Mapping[int, Sequence[PairedGame]]],
    decided: Mapping[Game, int],
    seats: Seats,
) -> dict[Game, int]:
    """Return the round for which each game would count if no other game claimed it."""
    due: dict[Game, int] = {}
    played: dict[tuple[str, Pair], list[Result]] = {}
    for one in ordered:
        game, pair = game_of(one), pair_of(one.left, one.right)
        if game not in decided:
            played.setdefault((one.table, pair), []).append(one)
        elif decided[game] in meetings.get(pair, {}):
            due[game] = decided[game]
    for (table, pair), results in played.items():
        seat = seats.of(table)
        met = sorted(meetings.get(pair, {}).items())
        here = {number: found for number, games in met if (found := seat.taken(games))}
        due |= _in_order(results, here)
    return due


def _in_order(
    results: Sequence[Result], here: Mapping[int, Sequence[PairedGame]]
) -> dict[Game, int]:
    """Return the rounds of two players' games at a table that seats them in the rounds ``here``.

    A round with scores in the pairings may have been played without a camera. So a game with the
    same scores is that round's; the others take the rounds without scores first.
    """
    found: dict[Game, int] = {}
    left = dict(here)
    for one in results:
        same = (number for number, games in left.items() if any(_scored(one, g) for g in games))
        if (number := next(same, None)) is not None:
            found[game_of(one)] = number
            del left[number]
    rest = [one for one in results if game_of(one) not in found]
    open_first = sorted(left, key=lambda number: any(game.scores for game in left[number]))
    rounds = sorted(open_first[: len(rest)])
    return found | dict(zip(map(game_of, rest), rounds, strict=False))


def _scored(one: Result, game: PairedGame) -> bool:
    """Return True if the pairings have the same scores for a game."""
    scores = (one.left_score, one.right_score)
    return game.scores == (scores if plain(one.left) == plain(game.left) else scores[::-1])


def _why(
    number: int | None,
    met: Mapping[int, Sequence[PairedGame]],
    against: Result | None,
    seat: Seat,
) -> str:
    if against is not None:
        return f"round {number} has a result of these two already, from {against.table}"
    paired = [game for games in met.values() for game in games if game.table is not None]
    if any(map(seat.takes, paired)):
        return "a further game of these two at this table; the pairings have no round for it"
    if not paired:
        return "the pairings seat these two at no table"
    at = ", ".join(map(str, sorted({game.table or 0 for game in paired})))
    if any(game.table == seat.number for game in paired):
        return f"the pairings seat these two at table {at} of another division"
    return f"the pairings seat these two at table {at}"


class Decisions:
    """The director's decisions about results, in the hub's store."""

    def __init__(self, store: HubStore) -> None:
        self._store = store

    def all(self) -> dict[Game, int]:
        """Return every decision: the round of each game, or :data:`NO_ROUND`."""
        return {(table, game): round_ for table, game, round_ in self._rows()}

    def decide(self, result: Result, round_: int | None, pairings: EventDetails | None) -> None:
        """Let a game count for a round, for none (:data:`NO_ROUND`), or by the pairings (None).

        An earlier decision on the same two players and round is deleted. Raises ``HubError`` if two
        players who are paired do not meet in that round, or the pairings have no such round.
        """
        pair = pair_of(result.left, result.right)
        met = pairings.meetings().get(pair, {}) if pairings is not None else {}
        if round_ and met and round_ not in met:
            raise HubError(
                f"{result.left} and {result.right} do not meet in round {round_}; they meet in "
                f"{', '.join(map(str, sorted(met)))}"
            )
        known = _rounds(pairings, round_ or 0)
        if round_ and not met and round_ not in known:
            raise HubError(
                f"there is no round {round_}; the pairings have {', '.join(map(str, known))}"
            )
        rows = {(table, game): kept for table, game, kept in self._rows()}
        rows.pop(game_of(result), None)
        if round_:
            others = self._of_pair(pair)
            rows = {
                game: kept for game, kept in rows.items() if kept != round_ or game not in others
            }
        if round_ is not None:
            rows[game_of(result)] = round_
        self._store.keep_setting(
            SETTING, json.dumps([[table, game, kept] for (table, game), kept in rows.items()])
        )

    def _of_pair(self, pair: Pair) -> set[Game]:
        texts = self._store.read("SELECT table_id, game_id, result FROM results")
        return {
            (table, game)
            for table, game, text in texts
            if pair_of((one := json.loads(text))["left"], one["right"]) == pair
        }

    def _rows(self) -> list[tuple[str, str, int]]:
        text = self._store.setting(SETTING)
        return [
            (str(table), str(game), int(kept)) for table, game, kept in json.loads(text or "[]")
        ]
