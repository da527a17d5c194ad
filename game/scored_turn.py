"""The turns of a game as a score sheet has them: by player's name, with both running sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from game.events import Side
from game.flags import Flag
from game.referee.position import Kind, Turn
from game.rulebooks.loading import SECOND
from game.state.game_state import GameState

_STANDS: Final = frozenset({"play", "no_score"})
"""The kinds of a play that is on the board."""


@dataclass(frozen=True, slots=True)
class ScoredTurn:
    """One turn as it stands after every ruling and correction so far."""

    number: int
    """From 1."""
    player: str
    kind: Kind
    position: str | None
    """The start of the play, as in GCG; None if nothing was played."""
    word: str | None
    """The word played, whole, a blank in lower case; None if no play stands."""
    came_off: str | None
    """The word of a play that was taken off the board again."""
    tiles: Mapping[str, str]
    """The tiles played, by square, also where they came off."""
    score: int
    """The points of the turn, those for a challenge left out."""
    bonus: int
    """Points because the play was challenged in vain."""
    penalty: int
    """Points off for an exchange with too few tiles in the bag that was found late."""
    bingo: int
    """The part of the score that is the bonus for a full rack; 0 if the play did not stand."""
    words: tuple[tuple[str, int], ...]
    """Each word that the play formed, whole, with its points; empty if no play counts."""
    exchanged: str
    """The tiles exchanged, or their number, if somebody entered them."""
    rack: str | None
    """The tiles that the player had before the turn, if they were reported."""
    clock: float | None
    """The player's clock after the turn, in seconds; below 0 past 0:00."""
    flags: tuple[Flag, ...]
    """The objections of the rulebook, settled ones too."""
    scores: Mapping[str, int]
    """Both players' sums when the next turn began, with challenges and penalties, by name."""


def scored_turns(state: GameState, names: Mapping[Side, str]) -> Iterator[ScoredTurn]:
    """Yield the turns of a game, in order. ``names`` are the players' names by side."""
    sums = {len(one.turns): one.scores for one in state.progress.ledger.positions}
    bonuses: Counter[tuple[int, Side]] = Counter()
    for line in state.adjustments:
        if line.kind == "challenge_bonus":
            bonuses[line.after_turn, line.side] += line.points
    for turn in state.turns:
        scores = {names[side]: points for side, points in sums[turn.number].items()}
        yield _scored(turn, state, names, scores, bonuses[turn.number, turn.side])


def _scored(
    turn: Turn, state: GameState, names: Mapping[Side, str], scores: Mapping[str, int], bonus: int
) -> ScoredTurn:
    tiles = state.tile_set
    whole = None if turn.main_word is None else tiles.word(turn.main_word)
    stands, counts = turn.kind in _STANDS, turn.kind == "play"
    return ScoredTurn(
        number=turn.number,
        player=names[turn.side],
        kind=turn.kind,
        position=turn.position,
        word=whole if stands else None,
        came_off=None if stands else whole,
        tiles=dict(turn.tiles),
        score=turn.score,
        bonus=bonus,
        penalty=turn.penalty,
        bingo=turn.bingo if counts else 0,
        words=tuple((tiles.word(text), points) for text, points in turn.words) if counts else (),
        exchanged=tiles.word(turn.exchanged),
        rack=None if turn.rack is None else tiles.word(turn.rack),
        clock=None if turn.clock_ns is None else turn.clock_ns / SECOND,
        flags=turn.flags,
        scores=scores,
    )
