"""Follows a running table's games on Woogles, no sooner than the public sees them."""

from __future__ import annotations

import os
from typing import Final

from dashboard.feeds.delayed import DelayedFeed
from dashboard.feeds.feed import Views
from dashboard.gcg import shown_record
from dashboard.site import Table
from game.events import Side, other
from game.gcg.enriched import enriched
from game.state.fold import GameState
from game.terms import nameless
from game.troubles import make_trouble
from table.coming_games import round_of
from table.desk import TableDesk
from table.racks.history import RackHistory
from table.racks.known import KnownRacks
from table.running import RunningTable
from table.views.public_policy import SECOND
from woogles.client import Woogles
from woogles.follow import Follower, Shown
from woogles.mapping import rule_of
from woogles.slot import Slots, Wanted, WooglesOptions

SLOTS: Final = "woogles.json"
"""The file with the games' ids on Woogles, in the table's data folder."""


class DeskReport:
    """Shows at a table's desk what is the matter with Woogles."""

    def __init__(self, desk: TableDesk) -> None:
        self._desk = desk

    def stands(self, message: str | None) -> None:
        """Show the trouble that lasts now; None if there is none."""
        troubles = self._desk.active_troubles
        if message is None:
            troubles.end("woogles")
        else:
            troubles.begin(make_trouble("woogles", message, self._desk.now_ns()))

    def differs(self, message: str) -> None:
        """Show what two records said of the same event, until somebody attends to it."""
        where = message.partition(":")[0]
        trouble = make_trouble("woogles_differs", message, self._desk.now_ns(), where)
        self._desk.active_troubles.begin(trouble)


class ShownLate:
    """The games of a table, as late as the public and ``[woogles]`` say: the later of both."""

    def __init__(
        self,
        table: Table,
        options: WooglesOptions,
        first_round: int,
        number: int,
        racks: KnownRacks | None = None,
    ) -> None:
        self._table, self._racks = table, racks if options.racks else None
        self._first_round, self._number = first_round, number
        lag_ns = round(options.delay_min * 60 * SECOND)
        # Turns are counted in the public's views, which lag already.
        lag_turns = max(0, options.delay_turns - table.allowed.delay_turns)

        def later(views: Views) -> Views:
            return DelayedFeed(views, table.clock, table.rate, lag_ns, lag_turns)

        self._feed = table.public.delayed(later) if lag_ns or lag_turns else table.public
        self._made: dict[str, tuple[object, Shown | None]] = {}

    def game(self, game_id: str | None) -> Shown | None:
        """Return a game as it may be shown; None stands for the one shown last.

        None for a game that may not be shown, that has players without names, or that there is not.
        A game after which another one is shown already may be shown whole.
        """
        folded, latest = self._table.folded, self._feed.latest()
        if folded is None or latest is None:
            return None
        at = latest.view["game_id"]
        if game_id in (None, at):
            return self._shown(at, latest.id, folded.state_at(at, latest.seq))
        whole = folded.game(str(game_id))
        return None if whole is None else self._shown(str(game_id), whole.newest.seq, whole.state)

    def _shown(self, game_id: str, mark: object, state: GameState | None) -> Shown | None:
        showing = self._table.showing(game_id).mark
        known = self._made.get(game_id)
        if known is None or known[0] != (mark, showing):
            known = (mark, showing), self._made_of(state)
            self._made = {**dict(list(self._made.items())[-1:]), game_id: known}
        return known[1]

    def _made_of(self, state: GameState | None) -> Shown | None:
        record = shown_record(state, self._table, "public")
        if record is None or state is None or self._table.log is None:
            return None
        if any(state.players[side] == nameless(side) for side in state.players):
            return None
        turns = [turn for turn in state.turns if turn.kind != "undone"]
        named = turns[0].side if turns else state.start.first
        first: Side = named or "left"
        sides = (first, other(first))
        known = RackHistory() if self._racks is None else self._racks.history(state)
        return Shown(
            Wanted(
                state.game_id,
                (state.players[sides[0]], state.players[sides[1]]),
                round_of(self._table.log, state.game_id, self._first_round),
                self._number,
                rule_of(state.rulebook),
                opened=named is not None,
            ),
            enriched(record, state.turns, known.held),
            tuple(None if t.clock_ns is None else t.clock_ns // 1_000_000 for t in turns),
            (known.now.get(sides[0]), known.now.get(sides[1])),
        )


def follow_on_woogles(table: RunningTable, site: Table, options: WooglesOptions) -> None:
    """Follow the table's games until it is closed. Raises ``TilewatchError`` without a key."""
    resources, players = table.resources, table.resources.config.players
    woogles = Woogles(options.url, options.key(os.environ))
    late = ShownLate(site, options, players.round, players.table, table.session.racks)
    slots = Slots(woogles, options, resources.folder / SLOTS)
    follower = Follower(woogles, slots, late.game, DeskReport(table.desk))
    resources.stack.callback(follower.stop)
    follower.start()
    where = f"the broadcast {options.broadcast}" if options.broadcast else options.account
    resources.say(f"its games are followed on Woogles: {where}")
