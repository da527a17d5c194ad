"""A script from a game record: what the players of a real game did, to be done again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from game.board import Board
from game.errors import TilewatchError
from game.events import SIDES, ChallengeBonus, Side
from game.gcg.letters import possible_sets
from game.gcg.record import Entry, GameRecord
from simulation.script import Kind, Script, ScriptTurn

_KINDS: Final[Mapping[str, Kind]] = {
    "play": "play",
    "pass": "pass",
    "exchange": "exchange",
    "exchange_or_pass": "exchange",
    "challenge_failed": "pass",
}


def script_of(record: GameRecord) -> Script:
    """The record as a script; who plays first sits on the left.

    Raises ``TilewatchError`` for a record that no two people could play: a tile on another, or
    off the board, or a letter that no tile set has.
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
        raise TilewatchError(f"{name}: nobody plays in it")
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
    return ScriptTurn(side, _KINDS[entry.kind], tiles, entry.score, entry.total)


def _played_out(turns: list[ScriptTurn], side: Side) -> list[ScriptTurn]:
    """Mark the play with which ``side`` went out: nobody moves after it."""
    for place in range(len(turns) - 1, -1, -1):
        turn = turns[place]
        if turn.side == side and turn.kind == "play":
            return [*turns[:place], replace(turn, out=True)]
    return turns
