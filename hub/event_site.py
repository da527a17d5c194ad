"""The data of a tournament's public site: rounds, standings, players and their names, best plays.

They are made only from what is already public.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from dashboard.standings import Standing, ranked
from game.terms import nameless
from hub.binding import Binding, Game, game_of
from hub.event_meetings import Meeting, OwnGame, Row, newest_round
from hub.result_files import counting_results, score_of
from hub.results import Result
from table.pairings.details import (
    BYE,
    Entrant,
    EventDetails,
    Pair,
    PairedGame,
    folded,
    is_nobody,
    pair_of,
    plain,
    table_number,
)


@dataclass(frozen=True, slots=True)
class BestPlay:
    """A high-scoring play of a settled game."""

    player: str
    opponent: str
    round: int
    word: str
    position: str
    score: int
    turn: int
    result: Result
    board: Sequence[str] = ()
    """The board after it, in 15 strings; empty in older records."""
    squares: Sequence[str] = ()
    """The squares of its tiles."""


@dataclass(frozen=True)
class EventSite:
    """The public data of a tournament.

    ``results`` are settled, undisputed and already public; ``rows`` are the hall's public lines.
    """

    pairings: EventDetails | None
    results: Sequence[Result]
    binding: Binding
    rows: Sequence[Row]
    details: EventDetails = field(default_factory=EventDetails)
    """The divisions, ratings and scores of a CSV of pairings."""

    @cached_property
    def players(self) -> dict[str, str]:
        """The names of the players by their :func:`plain` form, in alphabetical order.

        With pairings they are all who are paired or have a result; without, all at the tables.
        """
        names: list[str] = []
        if self.pairings is not None:
            for entrants in self.pairings.tsh.values():
                names += [one.plain for one in entrants if not is_nobody(one.plain)]
            for game in self.pairings.games:
                names += [name for name in (game.left, game.right) if name != BYE]
        for one in self.results:
            names += [one.left, one.right]
        return alphabetical([*names, *(self._names_seated if self.pairings is None else ())])

    @cached_property
    def people(self) -> dict[str, str]:
        """The names of all players, and of others who play now, in the form of :attr:`players`."""
        return alphabetical([*self.players.values(), *self._names_seated])

    @cached_property
    def rounds(self) -> dict[int, list[Meeting]]:
        """The meetings by round, each round in order of the tables' numbers."""
        found = {}
        playing = dict(self._playing())
        for number, pairs in sorted(self._pairs().items()):
            meetings = [self._meeting(number, *seats, playing) for seats in pairs.values()]
            last = 1_000_000
            found[number] = sorted(
                meetings, key=lambda m: (not m.right, m.number or last, plain(m.left))
            )
        return found

    @cached_property
    def standings(self) -> dict[str, list[Standing]]:
        """The standings by name of the division; the name is empty if there are no divisions."""
        if self.pairings is not None and self.pairings.tsh:
            return {
                name: division_standings(self.pairings, name, self.results, self.binding)
                for name in self.pairings.tsh
            }
        entrants = self.details.players
        lines = plain_standings(self.results, self.players, self._games_entered, entrants)
        of = {key: entrants[key].division if key in entrants else "" for key in self.players}
        return {
            name: ranked(line for line in lines if of.get(plain(line.name), "") == name)
            for name in sorted(set(of.values())) or [""]
        }

    @cached_property
    def best_plays(self) -> list[BestPlay]:
        """The best play of each player and settled game, the one that scored most first."""
        found = []
        for one in self.results:
            for side, player, opponent in (
                ("left", one.left, one.right),
                ("right", one.right, one.left),
            ):
                best = one.plays.get(side, {})
                if "word" in best:
                    values = {key: best[key] for key in _BEST if key in best}
                    number = self.binding.round_of(one)
                    found.append(BestPlay(player, opponent, number, result=one, **values))
        return sorted(found, key=lambda play: -play.score)

    def play_of_round(self, number: int) -> BestPlay | None:
        """Return the play that scored most in a round's settled games, or None."""
        return next((one for one in self.best_plays if one.round == number), None)

    @cached_property
    def own_games(self) -> dict[str, list[OwnGame]]:
        """The meetings of each player in order of the rounds, by :func:`plain` name."""
        found: dict[str, list[OwnGame]] = {}
        for meetings in self.rounds.values():
            for one in meetings:
                found.setdefault(plain(one.left), []).append(OwnGame(one, "left"))
                if one.right:
                    found.setdefault(plain(one.right), []).append(OwnGame(one, "right"))
        return found

    @cached_property
    def newest(self) -> int:
        """The number of the current round; 0 if there is none."""
        return newest_round(self.rounds) or 0

    def now_of(self, player: str) -> OwnGame | None:
        """Return the game that a player plays now, by :func:`plain` name, or None."""
        games = self.own_games.get(player, ())
        return next((one for one in games if one.meeting.live is not None), None)

    def next_of(self, player: str) -> OwnGame | None:
        """Return a player's next game, by :func:`plain` name, or None."""
        games = self.own_games.get(player, ())
        return next((one for one in games if one.is_to_come and one.round >= self.newest), None)

    def place_of(self, player: str) -> tuple[str, Standing] | None:
        """Return a player's division and line in its standings, by :func:`plain` name, or None."""
        return self._places.get(player)

    @cached_property
    def _places(self) -> dict[str, tuple[str, Standing]]:
        return {
            plain(one.name): (division, one)
            for division, lines in self.standings.items()
            for one in lines
        }

    def live_of(self, player: str) -> Row | None:
        """Return the hall's line of a player's present game, by :func:`plain` name, or None."""
        for row in self._seated:
            if player in (plain(one["name"]) for one in row["players"].values()):
                return row
        return None

    def _pairs(self) -> dict[int, dict[Pair, tuple[str, str, int]]]:
        """The two names and the table's number (0 if unknown), by round and pair."""
        found: dict[int, dict[Pair, tuple[str, str, int]]] = {}
        if self.pairings is not None:
            for game in self.pairings.games:
                pair = pair_of(game.left, game.right)
                found.setdefault(game.round, {})[pair] = (game.left, game.right, game.table or 0)
        for result in self.results:
            given = found.setdefault(self.binding.round_of(result), {})
            number = table_number(result.table) or 0
            given.setdefault(
                pair_of(result.left, result.right), (result.left, result.right, number)
            )
        return found

    @cached_property
    def _entered(self) -> dict[tuple[int, str], int]:
        """The scores of the pairings' file, by round and player."""
        divisions = self.pairings.tsh.values() if self.pairings is not None else ()
        found = {
            (number, plain(one.plain)): score
            for entrants in divisions
            for one in entrants
            for number, score in enumerate(one.scores, start=1)
            if score is not None
        }
        for game in self._games_entered:
            left, right = game.scores or (0, 0)
            found |= {(game.round, plain(game.left)): left, (game.round, plain(game.right)): right}
        return found

    @cached_property
    def _games_entered(self) -> list[PairedGame]:
        """Return the games with scores in a CSV for which no result counts."""
        known = {
            (self.binding.round_of(one), pair_of(one.left, one.right))
            for one in self.results
            if game_of(one) in self._counted
        }
        return [
            game
            for game in self.details.games
            if game.scores is not None and (game.round, pair_of(game.left, game.right)) not in known
        ]

    @cached_property
    def _counted(self) -> set[Game]:
        """The games whose results :attr:`standings` counts, before what the file has."""
        if self.pairings is not None and self.pairings.tsh:
            return set(map(game_of, counting_results(self.results, self.binding).values()))
        return {game_of(one) for one in self.results if one.decides}

    def _meeting(
        self, round_: int, left: str, right: str, number: int, playing: dict[Pair, Row]
    ) -> Meeting:
        """Return a meeting; a game under way belongs to the first one without a score."""
        pair = pair_of(left, right)
        of_round = (one for number, one in self._by_pair.get(pair, ()) if number == round_)
        result = next(of_round, None)
        entered = tuple(
            self._entered.get((round_, plain(name))) if name != BYE else 0 for name in (left, right)
        )
        scores = (entered[0] or 0, entered[1] or 0) if None not in entered else None
        stands = result is not None and (scores is None or game_of(result) in self._counted)
        found = result if stands else None
        live = playing.pop(pair, None) if found is None and scores is None else None
        table = found.table if found else live["id"] if live else ""
        return Meeting(round_, table, number, left, right, found, live, scores)

    @cached_property
    def _by_pair(self) -> dict[Pair, list[tuple[int, Result]]]:
        found: dict[Pair, list[tuple[int, Result]]] = {}
        for one in self.results:
            pair = pair_of(one.left, one.right)
            found.setdefault(pair, []).append((self.binding.round_of(one), one))
        return found

    @cached_property
    def _seated(self) -> list[Row]:
        """The lines of games under way, and of those that are over without a final result."""
        return [
            row
            for row in self.rows
            if row["players"]
            and row["status"] in ("running", "ended")
            and not (row["final"] or row.get("no_result"))
        ]

    @property
    def _names_seated(self) -> list[str]:
        return [
            player["name"]
            for row in self._seated
            for side, player in row["players"].items()
            if player["name"] != nameless(side)
        ]

    def _playing(self) -> dict[Pair, Row]:
        return {
            pair_of(*(player["name"] for player in row["players"].values())): row
            for row in self._seated
        }


_BEST = ("word", "position", "score", "turn", "board", "squares")


def division_standings(
    pairings: EventDetails, division: str, results: Iterable[Result], binding: Binding
) -> list[Standing]:
    """Return the standings of a TSH division, from results settled here, else from TSH's.

    A game of two players who are not paired is in no TSH file; it counts if a director lets it.
    """
    entrants = {one.number: one for one in pairings.tsh[division]}
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


def alphabetical(names: Iterable[str]) -> dict[str, str]:
    """Return names by their :func:`plain` form; of names with the same form, only the first."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(plain(name), name)
    return dict(sorted(found.items(), key=lambda one: (folded(one[1]), one[0])))


def matching(names: Mapping[str, str], wanted: str) -> list[str]:
    """Return the :func:`plain` names that contain every word of ``wanted``, ignoring accents."""
    words = plain(wanted).split()
    return [
        key for key in names if words and all(word in key or word in folded(key) for word in words)
    ]
