"""The games to come at a table: who plays them, and under which rules.

Names and settings come from the table's configuration, from pairings, from the page for a new game
and from whoever enters them, for the next game or for the one that waits to be started. This module
knows what holds, and makes the start of each game; recording is the session's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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
from game.state.fold import GameState
from game.terms import nameless
from record.log.event_log import EventLog
from record.paths import new_game_id
from table.desk import NamePlayers
from table.game_setup import GameSetup, checked_names
from table.roster import PairedRound, Schedule

_PLAYERS: Final = "players"
"""The source of the names that simulated players give."""

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
        """The entry of the schedule for this round, when it was last asked."""
        self._named: list[NamePlayers] = []
        """The names that were given for the next game, oldest first. The log has them too."""
        self._seated: Mapping[Side, str] = {}
        """The simulated players who wait to sit down at the next game."""

    def doubt(self, state: GameState) -> str | None:
        """The fault of the pairings, or their open question for this round's game, or None."""
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
        """Yield the names that the record of a new game has besides its start; they are used up."""
        self._setup = replace(self._setup, players={}, first=None)
        named, self._named = self._named, []
        for naming in named:
            names = checked_names(naming.players)
            held = {s: name for s, name in names.items() if name == state.players[s]}
            if naming.why and held:
                yield replace(naming, players=held, announced=None)
        seated, self._seated = self._seated, {}
        if (own := self.seat(seated, state)) is not None:
            yield own

    def next_round(self) -> None:
        """Go on to the next round, with the names and settings that were given for it."""
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
        """Keep names and settings for the next game."""
        self._named.append(naming)

    def announce(self, naming: NamePlayers, state: GameState) -> bool:
        """Take the settings that come with names for the game on the table, if any do.

        True if that game waits and is to be set up anew for them. Raises ``TilewatchError`` while
        it goes on under others.
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

        Return the names that the waiting game gets by it, or None if it is to be set up anew under
        other rules. Names that somebody has given by hand stay.
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
        """Return the names that simulated players give the game on the table.

        Once that is over they are kept for the next. Names that anybody else gave, or the pairings,
        stay.
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
        """Restore the round, and what people have said of the games to come, from a table's log.

        ``start`` is that of the newest of its ``games``; ``configured`` are the table's settings.
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
        self._round += sum(not _was_replaced(log, game_id) for game_id in games[:-1])


def _unnamed(state: GameState, side: Side) -> bool:
    """True if nobody but the simulated players has named the player of a side."""
    events, retracted = state.progress.events, state.progress.retracted
    by = [
        event.by
        for number, event in enumerate(events, start=1)
        if isinstance(event, PlayersNamed) and side in event.players and number not in retracted
    ]
    return by[-1] == _PLAYERS if by else state.start.players[side] == nameless(side)


def _was_replaced(log: EventLog, game_id: str) -> bool:
    """True if another game replaced this one before it was played, so that it was no round."""
    last = log.last_of(game_id)
    if last is None or last.type != GameEnded.__name__:
        return False
    return bool(last.payload["reason"] == EndReason.SET_UP_ANEW)


def _overridden(
    namings: Iterable[NamePlayers], players: Mapping[Side, str]
) -> Iterator[NamePlayers]:
    """Yield the namings, without the names that the set-up of a new game gives itself."""
    for one in namings:
        kept = {side: name for side, name in one.players.items() if side not in players}
        if kept:
            yield replace(one, players=kept, announced=None)
