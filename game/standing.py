"""A game as it stands, with what belongs to a player by the player's name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Self

from game.arguments import require
from game.board import Board
from game.errors import TilewatchError
from game.events import SIDES, Event, Side
from game.flags import Flag
from game.rulebooks.loading import SECOND
from game.scored_turn import ScoredTurn, scored_turns
from game.state.ending import Adjustment
from game.state.fold import GameState, fold
from game.state.outcome import Outcome

_COLUMNS: Final = "ABCDEFGHIJKLMNO"


class Standing:
    """The standing of a game, as it follows from its events so far.

    Args:
        events: the events in order, the first of which starts the game.

    Raises:
        TilewatchError: the first does not start a game, or one cannot be; the line says which.
    """

    def __init__(self, events: Iterable[Event]) -> None:
        self._events = list(events)
        self._state = fold(self._events)
        self._now_ns: int = max(getattr(event, "t_ns", 0) for event in self._events)
        self._calls: list[tuple[int, GameState, int]] = []
        """Before each call: how many events there were, the state, and the time."""
        self._turns: tuple[GameState, tuple[ScoredTurn, ...]] | None = None

    @classmethod
    def from_events(cls, events: Iterable[Event]) -> Self:
        """The game of some events, as :attr:`events` or a log has them.

        Raises:
            TilewatchError: the first does not start a game, or one cannot be; the line says which.
        """
        require(events, Iterable, "from_events", "a list of events")
        game = cls.__new__(cls)
        Standing.__init__(game, events)
        return game

    @property
    def state(self) -> GameState:
        """Everything that follows from the events so far, by side."""
        return self._state

    @property
    def events(self) -> tuple[Event, ...]:
        """The events so far, in order."""
        return tuple(self._events)

    @property
    def board(self) -> Board:
        """The tiles on the board: ``game.board["8H"]``."""
        return self._state.board

    @property
    def players(self) -> Mapping[Side, str]:
        """The players' names by side. Two of one name have their sides with it."""
        names = self._state.players
        if names["left"] != names["right"]:
            return {side: names[side] for side in SIDES}
        return {side: f"{names[side]} ({side})" for side in SIDES}

    def side(self, player: str) -> Side:
        """The side of a player, as events have it.

        Raises:
            TilewatchError: nobody has that name.
        """
        for side, name in self.players.items():
            if name == player:
                return side
        known = " and ".join(self.players.values())
        raise TilewatchError(f"no player is called {player!r}; they are {known}")

    @property
    def scores(self) -> Mapping[str, int]:
        """The points by name, end-of-game adjustments included once the game has ended."""
        return {name: self._state.scores[side] for side, name in self.players.items()}

    @property
    def turns(self) -> tuple[ScoredTurn, ...]:
        """The turns so far, as they stand after every ruling, each with the sums after it."""
        if self._turns is None or self._turns[0] is not self._state:
            self._turns = self._state, tuple(scored_turns(self._state, self.players))
        return self._turns[1]

    @property
    def adjustments(self) -> tuple[Adjustment, ...]:
        """The points that are no turn's score: challenges, penalties, then racks and time."""
        return self._state.adjustments

    @property
    def flags(self) -> tuple[Flag, ...]:
        """The open objections of the rulebook: by turns, then about the whole game."""
        of_turns = [flag for turn in self._state.turns for flag in turn.flags]
        return tuple(flag for flag in (*of_turns, *self._state.flags) if flag.settled is None)

    @property
    def on_turn(self) -> str | None:
        """Whose turn it is; None once the game has ended, or if nobody was named to begin."""
        side = self._state.on_turn
        return None if self.is_over or side is None else self.players[side]

    @property
    def is_over(self) -> bool:
        """True if the game has ended; until ``end`` an out play may still be challenged off."""
        return self._state.status == "ended"

    @property
    def outcome(self) -> Outcome | None:
        """How the game was decided, and by what margin; its ``winner`` is a side.

        None while the game goes on, and while its scores need a rack that nobody has given.
        """
        outcome, state = self._state.outcome, self._state
        by_scores = outcome is not None and outcome.kind == "played" and state.signed is None
        return None if by_scores and state.lacks_rack else outcome

    @property
    def winner(self) -> str | None:
        """Who has won, by name; None for a tie, where the director decides, and as ``outcome``."""
        outcome = self.outcome
        return None if outcome is None or outcome.winner is None else self.players[outcome.winner]

    @property
    def clocks(self) -> Mapping[str, float]:
        """The clocks now, in seconds by name; below 0 past 0:00."""
        clocks = self._state.clocks
        return {
            name: clocks.remaining(side, self._now_ns) / SECOND
            for side, name in self.players.items()
        }

    @property
    def now_ns(self) -> int:
        """The time of the next event, in nanoseconds since the start."""
        return self._now_ns

    def __reduce__(self) -> tuple[object, ...]:
        # Copies and pickles are made of the events; what a call can be taken back to stays behind.
        return self.from_events, (self.events,), {"_now_ns": self._now_ns}

    def __repr__(self) -> str:
        scores = ", ".join(f"{name} {points}" for name, points in self.scores.items())
        if self.is_over:
            goes_on = "over"
        else:
            goes_on = f"{self.on_turn or 'somebody'} to play, {self._state.bag_count} in the bag"
        lines = [f"{scores}; {goes_on}", f"    {' '.join(_COLUMNS)}"]
        lines += [f"{n:2}  {' '.join(row)}" for n, row in enumerate(self.board.rows, start=1)]
        return "\n".join(lines)
