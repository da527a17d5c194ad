"""A game with its entries: everything in its log, and the state that follows."""

from __future__ import annotations

from dataclasses import dataclass

from flask import abort

from dashboard.site import Table
from game.events import Event, Retracted
from game.state.fold import GameState
from game.state.numbering import as_numbered_now, turns_named
from record.chain import LoggedEvent
from record.result_slip import Closing
from record.story.entries import Entry, Step, steps_of
from record.story.event_wording import describe_entry
from table.folded_log import FoldedLog


@dataclass(frozen=True, slots=True)
class FoldedPage:
    """A game at one moment."""

    state: GameState
    entries: tuple[Entry, ...]
    closing: Closing
    folded: FoldedLog
    """The log that the game is in."""

    def steps(self) -> tuple[Step, ...]:
        """Return the game's events, each with the game before and after it.

        States that the log still remembers are not folded again. Raises ``TilewatchError``.
        """
        course = self.folded.course(self.state.game_id)
        after = [course.get(one.logged.seq) for one in self.entries]
        states = [one for one in after if one is not None]
        if len(states) < len(after):
            return steps_of(self.entries)
        befores = (None, *states[:-1])
        return tuple(
            Step(one.logged, one.event, before, after)
            for one, before, after in zip(self.entries, befores, states, strict=True)
        )

    def now(self, entry: Entry) -> Event:
        """Return an entry's event with the number that its turn has now."""
        return as_numbered_now(self.state, entry.logged.number, entry.event)

    def text(self, entry: Entry) -> str:
        """Return an entry in one line; a retraction says what it takes back."""
        back = entry.event.event if isinstance(entry.event, Retracted) else None
        target = next((one for one in self.entries if one.logged.number == back), None)
        gone = self.now(target) if target is not None else None
        return describe_entry(self.now(entry), self.state.players, gone)

    def turns_of(self, entry: Entry) -> tuple[int, ...]:
        """Return the present numbers of the turn that an entry's event names."""
        return turns_named(self.state, entry.logged.number, entry.event)

    @property
    def head(self) -> LoggedEvent:
        """The newest record."""
        return self.entries[-1].logged


def folded_page(table: Table, game_id: str) -> FoldedPage:
    """Return a table's game in its present state, or end the request with a 404."""
    if table.folded is None:
        abort(404, description="This table keeps no log here.")
    game = table.folded.game(game_id)
    if game is None:
        abort(404, description=f"There is no game {game_id!r} at this table.")
    records = table.folded.log.events(game_id)
    held = [one for one in records if game.holds(one.seq)]
    entries = (Entry(*pair) for pair in zip(held, game.state.progress.events, strict=True))
    return FoldedPage(game.state, tuple(entries), game.closing, table.folded)


def newest_game(table: Table) -> str | None:
    """Return the id of the game that was started last at a table; None before a first game."""
    games = table.log.game_ids() if table.log is not None else []
    return games[-1] if games else None
