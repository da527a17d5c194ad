"""A game to play through in code: the referee without a camera and without a clock.

:class:`Game` makes the events that a table would have logged and folds them, so that its scores,
flags and rules are those of a real table. Turns are a second apart. ``docs/game.md`` has examples.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Final

from game.adjudication.entries import check_entry
from game.board import Board, Square, parse_position
from game.errors import TilewatchError
from game.events import (
    SIDES,
    ButtonPressed,
    EndReason,
    Event,
    GameEnded,
    GameStarted,
    RackReported,
    Ruling,
    Side,
    TurnRuled,
    TurnSeen,
    other,
)
from game.flags import Flag
from game.gcg import GameRecord, events_from_record, parse, record_from_game, write
from game.referee.position import Turn
from game.rulebooks import announcing
from game.rulebooks.loading import DEFAULT_RULEBOOK, SECOND, load_rulebook
from game.state.fold import GameState, apply, fold

_BY: Final = "the caller"


class Game:
    """One game of Scrabble between the players ``left`` and ``right``; the left one begins.

    Args:
        left: the name of the player who begins.
        right: the name of the other one.
        rulebook: the id of a shipped rulebook (``game.rulebook_ids()``).
        tile_set: the id of a shipped tile set (``game.tile_set_ids()``).
        announced: what the event announces in place of the rulebook's own, by name.

    Raises:
        TilewatchError: there is no such rulebook or tile set, or it leaves that to no event.
    """

    def __init__(
        self,
        left: str = "Left",
        right: str = "Right",
        *,
        rulebook: str = DEFAULT_RULEBOOK,
        tile_set: str = "english",
        announced: Mapping[str, int | str] | None = None,
    ) -> None:
        players: Mapping[str, str] = {"left": left, "right": right}
        adjust = announcing.announced(load_rulebook(rulebook), announced or {})
        start = GameStarted("game", players, rulebook, tile_set, SIDES[0], 0, adjust=adjust)
        # The first press starts the clock of the player who begins.
        first_press = ButtonPressed(other(SIDES[0]), 0)
        self._events: list[Event] = [start, first_press]
        self._state = fold(self._events)
        self._now_ns = 0

    @classmethod
    def from_record(cls, record: GameRecord) -> Game:
        """The game of a record, such as :func:`read_gcg` gives.

        Raises:
            TilewatchError: the record names an unknown rulebook or tile set, or cannot be played.
        """
        game = cls.__new__(cls)
        game._events = list(events_from_record(record))
        game._state = fold(game._events)
        game._now_ns = max((getattr(event, "t_ns", 0) for event in game._events), default=0)
        return game

    # --- what stands ---

    @property
    def state(self) -> GameState:
        """Everything that follows from the events so far."""
        return self._state

    @property
    def events(self) -> tuple[Event, ...]:
        """The events so far, in order."""
        return tuple(self._events)

    @property
    def board(self) -> Board:
        """The tiles on the board."""
        return self._state.board

    @property
    def scores(self) -> Mapping[Side, int]:
        """The points of each side, end-of-game adjustments included once the game has ended."""
        return self._state.scores

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns so far, as they stand after every ruling."""
        return self._state.turns

    @property
    def flags(self) -> tuple[Flag, ...]:
        """The objections of the rulebook: in the order of the turns, then about the whole game."""
        of_turns = [flag for turn in self._state.turns for flag in turn.flags]
        return (*of_turns, *self._state.flags)

    @property
    def on_turn(self) -> Side | None:
        """Whose turn it is; None once the game has ended."""
        return None if self.is_over else self._state.on_turn

    @property
    def is_over(self) -> bool:
        """True if the game has ended."""
        return self._state.status == "ended"

    # --- turns ---

    def play(self, position: str, word: str) -> Turn:
        """Play a word and return the turn, scored.

        Args:
            position: the first square: ``8D`` across, ``D8`` down.
            word: the main word. A lower-case letter is a blank. Tiles that already lie on the board
                are written as ``.`` or as themselves.

        Raises:
            TilewatchError: the word runs off the board, a letter differs from the tile that lies
                there, no new tile is played, or the game is over. A play that breaks a rule is
                accepted and flagged, as at a table.
        """
        start, across = parse_position(position)
        placed: dict[Square, str] = {}
        for index, letter in enumerate(word):
            square = start.step(across, index)
            if not square.on_board:
                raise TilewatchError(f"{position} {word}: the word runs off the board")
            lying = self.board[square]
            if letter == ".":
                if lying == ".":
                    raise TilewatchError(f"{position} {word}: no tile lies on {square.name}")
            elif lying == ".":
                placed[square] = letter
            elif lying.upper() != letter.upper():
                raise TilewatchError(f"{position} {word}: {lying} lies on {square.name}")
        if not placed:
            raise TilewatchError(f"{position} {word}: no new tile is played")
        return self._end_turn(self.board.replace(placed))

    def exchange(self, tiles: str = "") -> Turn:
        """Exchange tiles and return the turn. ``tiles`` are those exchanged, where known."""
        self._end_turn(self.board)
        return self._rule("exchange", tiles)

    def pass_turn(self) -> Turn:
        """Pass and return the turn."""
        self._end_turn(self.board)
        return self._rule("pass")

    def challenge(self, *, succeeds: bool) -> Turn:
        """The last play is challenged; return it as it then stands.

        A play that is challenged successfully comes off the board. What a failed challenge costs
        is the rulebook's.

        Raises:
            TilewatchError: there is no play to challenge.
        """
        if not self.turns or self.turns[-1].kind != "play":
            raise TilewatchError("there is no play to challenge")
        if succeeds:
            return self._rule("challenge_upheld")
        turn, book = self.turns[-1], self._state.rulebook
        if book.challenge_failed == "points":
            return self._rule("challenge_failed", words=len(turn.words))
        if book.challenge_failed == "lose_turn":
            self._end_turn(self.board)
            return self._rule("challenge_failed")
        return turn

    def end(self, racks: Mapping[Side, str] | None = None) -> Mapping[Side, int]:
        """End the game and return the final scores.

        Args:
            racks: the tiles left on each rack, where the rulebook counts them.
        """
        for side, tiles in (racks or {}).items():
            rack = RackReported(side, tiles, self._now_ns)
            check_entry(self._state, rack)
            self._add(rack)
        if not self.is_over:
            self._add(GameEnded(EndReason.AGREED, self._now_ns))
        return self.scores

    def _add(self, event: Event) -> None:
        self._state = apply(self._state, event)
        self._events.append(event)

    def _end_turn(self, seen: Board) -> Turn:
        side = self.on_turn
        if side is None:
            raise TilewatchError("the game is over")
        self._now_ns += SECOND
        self._add(ButtonPressed(side, self._now_ns))
        self._add(TurnSeen(side, self._now_ns, seen.rows, self._now_ns))
        return self.turns[-1]

    def _rule(self, ruling: Ruling, tiles: str = "", words: int = 0) -> Turn:
        number = len(self.turns)
        self._add(
            TurnRuled(number, ruling, _BY, "as played", self._now_ns, tiles=tiles, words=words)
        )
        return self.turns[number - 1]


def read_gcg(source: str | PathLike[str]) -> GameRecord:
    """Read a game record in GCG.

    Args:
        source: a file, or the text of a record (it begins with ``#`` or ``>``).

    Raises:
        TilewatchError: the file cannot be read or is no game record; the line says why.
    """
    if isinstance(source, str) and source.lstrip("\ufeff \r\n\t")[:1] in ("#", ">"):
        return parse(source)
    path = Path(source)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TilewatchError(f"{path}: {error.strerror or error}") from error
    return parse(data, str(path))


def write_gcg(game: Game | GameRecord) -> str:
    """A game, or a record of one, as the text of a GCG file."""
    return write(record_from_game(game.state) if isinstance(game, Game) else game)
