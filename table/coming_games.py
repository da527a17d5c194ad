"""The future games of a table: their players and their rules.

Names and settings come from the table's configuration, from pairings, from the page for a new game
and from people at the desk. They concern the next game, or the one that waits to be started. This
module decides which of them apply and makes the start of each game; the session records it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

from game.errors import TilewatchError
from game.events import (
    SIDES,
    ActionTaken,
    EndReason,
    GameEnded,
    GameStarted,
    PlayersNamed,
    Side,
    TableDescribed,
    from_payload,
)
from game.rulebooks.announcing import announced
from game.rulebooks.rulebook import Rulebook
from game.state.fold import GameState
from game.terms import nameless
from record.log.event_log import EventLog, LogReader
from record.paths import new_game_id
from table.desk import NamePlayers
from table.game_setup import GameSetup, checked_names
from table.pairings.details import PairingsError, Seat, SeatGames, at_seat, is_of
from table.pairings.reading import KEPT, WatchedPairings, read_pairings

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class PairedRound:
    """All that is known in advance about one round at one table."""

    names: Mapping[Side, str] | None = None
    """The players' names by side; None before the round is paired."""
    announced: Mapping[str, Any] | None = None
    """The settings announced for the round; None without any."""
    first: Side | None = None
    """The side that begins; None if unknown."""


@dataclass(frozen=True)
class Schedule:
    """The rounds that a table plays."""

    first_round: int = 1
    pairings: RosterFile | None = None
    always_first: Side | None = None
    """The side that begins in all rounds for which the pairings do not name one."""

    def paired(self, round_: int) -> PairedRound:
        """Return what is known about a round now."""
        game = self.pairings.games.game(round_) if self.pairings is not None else None
        if game is None:
            return PairedRound(first=self.always_first)
        return PairedRound(game.names, game.announced, game.first or self.always_first)

    def doubt(self, round_: int, state: GameState) -> str | None:
        """Return the pairings' fault or open question in one line; None if there is neither.

        ``state`` is the game of the round: a question is answered once its players were named.
        """
        if self.pairings is None:
            return None
        waits = state.status == "waiting" and any(
            state.players[side] == nameless(side) for side in SIDES
        )
        found = self.pairings.games.open(round_) if waits else ()
        if not found:
            return self.pairings.fault
        return (
            f"which game of round {round_} is played here? The pairings give this table's number "
            f"to {', and to '.join(game.in_words() for game in found)}. Name the players, and set "
            "division in [players] of table.toml for the rounds to come"
        )


class RosterFile:
    """Pairings in a file that is extended during the tournament, round by round.

    Raises ``PairingsError`` if it cannot be read when made.
    """

    def __init__(self, path: Path, seat: Seat, book: Rulebook | None = None) -> None:
        self._file = WatchedPairings(path, lambda path: load_games(path, seat, book), SeatGames())
        self._file.require()

    @property
    def fault(self) -> str | None:
        """The present fault of the file, in one line; None if there is none."""
        self._file.newest()
        return None if self._file.fault is None else f"{self._file.fault}; {KEPT}"

    @property
    def games(self) -> SeatGames:
        """Return the games that may be this table's, from the present file."""
        return self._file.newest()


def load_games(path: Path, seat: Seat, book: Rulebook | None = None) -> SeatGames:
    """Return the pairings of a table, from a CSV or a ``tourney.js``.

    A row of a CSV without a table belongs to this one. If the rulebook ``book`` is given, the
    announced settings are checked against it. Open questions of the file are logged. Raises
    ``PairingsError``, also if the file has divisions but not this table's.
    """
    event = read_pairings(path)
    divisions = event.divisions()
    if divisions and not any(is_of(one, seat.division) for one in divisions):
        raise PairingsError(
            f"{path}: there is no division {seat.division[:40]!r}; there are {', '.join(divisions)}"
        )
    for line in event.doubts:
        _LOG.warning("%s: %s", path, line)
    found = (
        replace(one, table=seat.number) if one.table is None and one.line else one
        for one in event.games
    )
    games = at_seat(found, seat)
    for game in (one for round_ in games.by_round.values() for one in round_):
        if book is not None and game.announced:
            try:
                announced(book, game.announced)
            except TilewatchError as error:
                raise PairingsError(f"{path}, line {game.line}: {error}") from error
    return games


_PLAYERS: Final = "players"
"""The event source of names that simulated players give."""

_RULES: Final = ("rulebook", "tile_set", "word_list", "announced")
"""The settings of a table that give the rules of its games."""


class ComingGames:
    """The rounds of one table from the present one on. Not safe from several threads at once.

    Args:
        table: the table's name.
        setup: the rules, and names for the first game.
        now_ns: the table's time.
        schedule: who plays in which round.
    """

    def __init__(
        self,
        table: str,
        setup: GameSetup,
        now_ns: Callable[[], int],
        schedule: Schedule | None = None,
    ) -> None:
        self._table, self._setup, self._now_ns = table, setup, now_ns
        self._schedule = schedule = schedule or Schedule()
        self._round = schedule.first_round
        self._paired = PairedRound()
        """The schedule's entry for this round, as it was when last read."""
        self._named: list[NamePlayers] = []
        """The names that were given for the next game, oldest first. They are in the log, too."""
        self._seated: Mapping[Side, str] = {}
        """The names of the simulated players of the next game, by side; empty if none wait."""

    def doubt(self, state: GameState) -> str | None:
        """Return the pairings' fault or open question on this game; None without either."""
        return self._schedule.doubt(self._round, state)

    def start(self) -> GameStarted:
        """Return the start of this round's game."""
        setup = self._setup
        self._paired = self._schedule.paired(self._round)
        paired = self._paired.names or {}
        # With a clock its first press tells.
        first = None if setup.hands is None else setup.first or self._paired.first
        names: dict[str, str] = {
            side: setup.players.get(side) or paired.get(side) or nameless(side) for side in SIDES
        }
        return GameStarted(
            new_game_id(self._table),
            names,
            setup.rulebook,
            setup.tile_set,
            first,
            self._now_ns(),
            adjust=setup.adjust(self._paired.announced),
            word_list=None if setup.word_list is None else dict(setup.word_list),
            hands=setup.hands,
            by_hand=dict(setup.announced) if setup.by_hand else None,
        )

    def begun(self, state: GameState) -> Iterator[NamePlayers]:
        """Yield the names to be recorded in a new game after its start, and forget them."""
        self._setup = replace(self._setup, players={}, first=None)
        named, self._named = self._named, []
        for naming in named:
            names = checked_names(naming.players)
            held = {s: name for s, name in names.items() if name == state.players[s]}
            if naming.by and held:
                yield replace(naming, players=held, announced=None)
        seated, self._seated = self._seated, {}
        if (own := self.seat(seated, state)) is not None:
            yield own

    def next_round(self) -> None:
        """Move to the next round, with the names and settings that were given for it."""
        self._round += 1
        players = dict(self._setup.players)
        of_round: Mapping[str, Any] | None = None
        for naming in self._named:
            players |= checked_names(naming.players)
            of_round = of_round if naming.announced is None else naming.announced
        self._setup = replace(self._setup, players=players, of_round=of_round)

    def set_up(self, setup: GameSetup) -> None:
        """Play by these rules from the next game on. Raises ``TilewatchError``."""
        players = {**self._setup.players, **checked_names(setup.players)}
        self._named = list(_overridden(self._named, players))
        hands = self._setup.hands  # the table's, whatever game is played at it
        self._setup = replace(setup, players=players, by_hand=True, hands=hands)

    def name_next(self, naming: NamePlayers) -> None:
        """Store names and settings for the next game."""
        self._named.append(naming)

    def announce(self, naming: NamePlayers, state: GameState) -> bool:
        """Take the settings, if any, that were given with names for the game on the table.

        Return True if the game waits and must be replaced by one with these settings, else False.
        Raises ``TilewatchError`` if the game is going on with other settings.
        """
        if naming.announced is None:
            return False
        setup = replace(self._setup, of_round=naming.announced)
        setup.require_usable()
        if state.status == "ended":
            return False
        if setup.adjust() == state.start.adjust:
            self._setup = setup
            return False
        if state.status == "running":
            raise TilewatchError("the game on the table is going on with other rules; end it first")
        names = checked_names(naming.players)
        seated = {side: names.get(side, state.players[side]) for side in SIDES}
        self._setup = replace(setup, players=seated, first=state.start.first)
        return True

    def take_pairing(self, state: GameState) -> dict[str, str] | None:
        """Take a round's pairing that came after its game was made ready.

        Return the names that the waiting game gets from it; None if the game must be replaced by
        one with other rules. Names that somebody has entered stay.
        """
        if state.status != "waiting":
            return {}
        paired, first = self._schedule.paired(self._round), state.start.first
        if paired.names is None or paired == self._paired:
            return {}
        known, before, players = paired.names, self._paired.names or {}, state.players
        given = (s for s in SIDES if players[s] not in (before.get(s), nameless(s)))
        by_hand = {side: players[side] for side in given}
        if not state.timed and first in (None, self._paired.first):
            first = paired.first  # nobody gave another by hand
        rules = [self._setup.adjust(one.announced) for one in (self._paired, paired)]
        if rules[0] != rules[1] or first != state.start.first:
            self._setup = replace(self._setup, players=by_hand, first=first)
            return None
        self._paired = paired
        return {
            side: known[side]
            for side in SIDES
            if side not in by_hand and players[side] != known[side]
        }

    def seat(self, players: Mapping[Side, str], state: GameState) -> NamePlayers | None:
        """Return the naming that simulated players give the game on the table; None without one.

        If that game is over, the names are kept for the next. Names from the pairings or from
        anybody else stay.
        """
        if state.status == "ended":
            self._seated = players
            return None
        if self._schedule.paired(self._round).names:
            return None
        known = state.players
        own = {s: n for s, n in players.items() if known[s] != n and _unnamed(state, s)}
        return NamePlayers(own, _PLAYERS) if own else None

    def recall(
        self,
        log: EventLog,
        games: Sequence[str],
        start: GameStarted,
        configured: Mapping[str, Any],
    ) -> None:
        """Restore the round, and the names and rules given for future games, from a table's log.

        ``start`` is the start of the newest of the log's ``games``; ``configured`` are the settings
        in the table's configuration.
        """
        described: Mapping[str, Any] = {}
        for logged in log.events(games[-1]):
            event = from_payload(logged.payload)
            if isinstance(event, TableDescribed):
                described = event.settings
            elif isinstance(event, ActionTaken) and event.next_game is not None:
                names = checked_names(event.next_game.get("players", {}))
                announced = event.next_game.get("announced")
                self._named.append(
                    NamePlayers(names, logged.source, event.by, event.why, announced=announced)
                )
        if start.by_hand is not None and all(
            described.get(one) == configured.get(one) for one in _RULES
        ):
            self._setup = replace(
                self._setup,
                tile_set=start.tile_set,
                rulebook=start.rulebook,
                word_list=start.word_list,
                announced=start.by_hand,
                by_hand=True,
            )
        self._round = round_of(log, games[-1], self._round)


def round_of(log: LogReader, game_id: str, first: int) -> int:
    """Return the round of a game of a log whose games began with the round ``first``."""
    before = takewhile(lambda one: one != game_id, log.game_ids())
    return first + sum(not _was_replaced(log, one) for one in before)


def _unnamed(state: GameState, side: Side) -> bool:
    """Return True if only simulated players, or nobody, named the player of a side."""
    events, retracted = state.progress.events, state.progress.retracted
    by = [
        event.by
        for number, event in enumerate(events, start=1)
        if isinstance(event, PlayersNamed) and side in event.players and number not in retracted
    ]
    return by[-1] == _PLAYERS if by else state.start.players[side] == nameless(side)


def _was_replaced(log: LogReader, game_id: str) -> bool:
    """Return True if another game replaced this one before its play, so it counts as no round."""
    last = log.last_of(game_id)
    if last is None or last.type != GameEnded.__name__:
        return False
    return bool(last.payload["reason"] == EndReason.SET_UP_ANEW)


def _overridden(
    namings: Iterable[NamePlayers], players: Mapping[Side, str]
) -> Iterator[NamePlayers]:
    """Yield the namings without names of the sides in ``players``, which the new game names."""
    for one in namings:
        kept = {side: name for side, name in one.players.items() if side not in players}
        if kept:
            yield replace(one, players=kept, announced=None)
