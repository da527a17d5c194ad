"""A game as a list of turns, known before it is played: made up, or from a game record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from game.board import EMPTY, Board, Square
from game.errors import TilewatchError
from game.events import SIDES, ChallengeBonus, Side
from game.gcg.record import Entry, GameRecord, possible_sets

Kind = Literal["play", "exchange", "pass", "withdrawn"]
"""The kind of a turn; ``withdrawn`` is a play that is challenged and taken off again."""


@dataclass(frozen=True)
class ScriptTurn:
    """One turn as its player intends it.

    ``tiles`` has a lower-case letter for a blank. ``score`` and ``total`` are the points of the
    turn and the player's points after it; None if the script's source does not state them. ``out``
    is True if the turn empties the rack while the bag is empty; its player then stops both clocks
    instead of starting the opponent's.
    """

    side: Side
    kind: Kind
    tiles: Mapping[Square, str] = field(default_factory=dict)
    score: int | None = None
    total: int | None = None
    out: bool = False
    afterwards: tuple[ChallengeBonus, ...] = ()
    """Points for unsuccessful challenges, announced after the turn."""
    rack: str = ""
    """The tiles on the player's rack before the turn; empty if the source does not state them."""


@dataclass(frozen=True)
class Script:
    """A whole game."""

    players: Mapping[Side, str]
    tile_set: str
    turns: tuple[ScriptTurn, ...]
    finals: Mapping[Side, int] = field(default_factory=dict)
    """The final scores with all adjustments, by side; empty if unknown."""
    left: Mapping[Side, str] = field(default_factory=dict)
    """The tiles left on the racks after the last turn, by side; empty if unknown."""

    def boards(self) -> list[Board]:
        """Return the board after every turn, before a challenge takes any tile off again.

        Raises ``TilewatchError`` if a turn puts a tile on another.
        """
        out: list[Board] = []
        board = Board.empty()
        for number, turn in enumerate(self.turns, start=1):
            for square in turn.tiles:
                if board[square] != EMPTY:
                    raise TilewatchError(
                        f"turn {number} of the game puts a tile on {square.name}, which has one"
                    )
            played = board.replace(turn.tiles)
            out.append(played)
            if turn.kind != "withdrawn":
                board = played
        return out


_KINDS: Final[Mapping[str, Kind]] = {
    "play": "play",
    "pass": "pass",
    "exchange": "exchange",
    "exchange_or_pass": "exchange",
    "challenge_failed": "pass",
}


def script_of(record: GameRecord) -> Script:
    """Return a game record as a script; the player who plays first sits on the left.

    Raises ``TilewatchError`` for a record that cannot be played: a tile on another one or off the
    board, or a letter that no tile set has.
    """
    name = record.name or "the record"
    board = Board.empty()
    turns: list[ScriptTurn] = []
    finals: dict[Side, int] = dict.fromkeys(SIDES, 0)
    for entry in record.entries:
        side = SIDES[entry.player]
        finals[side] = entry.total
        if entry.kind in _KINDS:
            turn = _turn(entry, side, board, name)
            turns.append(turn)
            board = board.replace(turn.tiles)
        elif entry.kind == "withdrawn":
            if not turns or turns[-1].side != side or turns[-1].kind != "play":
                raise TilewatchError(f"{name}: line {entry.line}: there is no play to take back")
            board = board.replace(dict.fromkeys(turns[-1].tiles, "."))
            turns[-1] = replace(turns[-1], kind="withdrawn", score=0, total=entry.total)
        elif entry.kind == "challenge_bonus" and turns:
            bonus = ChallengeBonus(
                side, entry.score, None, "the simulated director", "the play was good", 0
            )
            turns[-1] = replace(turns[-1], afterwards=(*turns[-1].afterwards, bonus))
        elif entry.kind == "end_rack":
            turns = _played_out(turns, side)
    if not turns:
        raise TilewatchError(f"{name}: has no turns; choose a game that was played")
    return Script(
        {side: record.players[i].name for i, side in enumerate(SIDES)},
        possible_sets(record)[0].id,
        tuple(turns),
        finals if record.ended else {},
    )


def _turn(entry: Entry, side: Side, board: Board, name: str) -> ScriptTurn:
    tiles = entry.placed()
    for square in tiles:
        if not square.on_board:
            raise TilewatchError(f"{name}: line {entry.line}: {entry.word} runs off the board")
        if board[square] != ".":
            raise TilewatchError(f"{name}: line {entry.line}: {square.name} has a tile already")
    kind = _KINDS[entry.kind]
    return ScriptTurn(side, kind, tiles, entry.score, entry.total, rack=entry.rack or "")


def _played_out(turns: list[ScriptTurn], side: Side) -> list[ScriptTurn]:
    """Return the turns with the last play of ``side`` marked as out."""
    for place in range(len(turns) - 1, -1, -1):
        turn = turns[place]
        if turn.side == side and turn.kind == "play":
            return [*turns[:place], replace(turn, out=True)]
    return turns
