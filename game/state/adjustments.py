"""Points beside the turns while a game goes on: bonuses, penalties, and what people agreed on."""

from __future__ import annotations

from collections.abc import Mapping

from game.events import (
    SIDES,
    ChallengeBonus,
    DirectorNoted,
    PenaltyAdded,
    PointsAdjusted,
    PositionRestored,
    ScoreAgreed,
    other,
)
from game.referee.entered import points_of
from game.referee.position import Position, Turn
from game.rulebooks.rulebook import Rulebook
from game.state.ending import Adjustment, AdjustmentKind
from game.state.ledger import Ledger


def credited_lines(ledger: Ledger, book: Rulebook) -> list[Adjustment]:
    """Bonuses and penalties of the game so far, in order."""
    turns = ledger.position.turns
    if len(turns) == len(ledger.entries) and not [t for t in turns if t.bonus or t.penalty]:
        return []  # nothing but turns, and none of them with any: the usual case
    lines = []
    for entry, before, after in zip(
        ledger.entries, ledger.positions, ledger.positions[1:], strict=False
    ):
        if isinstance(entry, ChallengeBonus | PenaltyAdded | PointsAdjusted) and entry.points:
            side, points = points_of(entry, book)
            lines.append(
                Adjustment(
                    kind=_kind_of(entry, points),
                    side=side,
                    points=points,
                    total=after.scores[side],
                    rule=entry.rule,
                    after_turn=len(after.turns),
                    why=entry.why,
                )
            )
        elif isinstance(entry, DirectorNoted):
            lines += _noted(entry, after)
        elif isinstance(entry, ScoreAgreed | PositionRestored):
            lines += _declared(entry, before, after, book)
        elif len(after.turns) > len(before.turns) and (turn := after.turns[-1]).bonus:
            lines.append(_in_vain(turn, after, book))
        elif len(after.turns) > len(before.turns) and (turn := after.turns[-1]).penalty:
            rule, why = book.rule("exchange.late_points"), "an exchange with too few tiles"
            total = turn.total - turn.penalty
            lines.append(
                Adjustment("penalty", turn.side, -turn.penalty, total, rule, turn.number, why=why)
            )
    return lines


def _in_vain(turn: Turn, after: Position, book: Rulebook) -> Adjustment:
    """The line of a challenge in vain, for the player challenged or off the challenger's score."""
    rule = book.rule("challenge.failed_points")
    if turn.bonus > 0:
        total = turn.total + turn.bonus
        return Adjustment("challenge_bonus", turn.side, turn.bonus, total, rule, turn.number)
    side = other(turn.side)
    total, why = after.scores[side], "a challenge in vain"
    return Adjustment("penalty", side, turn.bonus, total, rule, turn.number, why=why)


def _kind_of(entry: ChallengeBonus | PenaltyAdded | PointsAdjusted, points: int) -> AdjustmentKind:
    if isinstance(entry, PointsAdjusted):
        return "spread" if entry.on == "spread" else "correction"
    return "challenge_bonus" if isinstance(entry, ChallengeBonus) and points > 0 else "penalty"


def _noted(entry: DirectorNoted, after: Position) -> list[Adjustment]:
    """The points of a director's note."""
    by_kind: tuple[tuple[AdjustmentKind, Mapping[str, int]], ...] = (
        ("correction", entry.score),
        ("spread", entry.spread),
    )
    return [
        Adjustment(
            kind, side, points, after.scores[side], entry.rule, len(after.turns), why=entry.what
        )
        for kind, given in by_kind
        for side in SIDES
        if (points := given.get(side))
    ]


def _declared(
    entry: ScoreAgreed | PositionRestored, before: Position, after: Position, book: Rulebook
) -> list[Adjustment]:
    """What a total that was agreed on, or a starting score, adds to the scores of the turns."""
    agreed = isinstance(entry, ScoreAgreed)
    rule = book.event_rule("score_agreed" if agreed else "starting_score")
    return [
        Adjustment(
            kind="agreed" if agreed else "starting_score",
            side=side,
            points=points,
            total=after.scores[side],
            rule=rule,
            after_turn=len(after.turns),
            why=entry.why,
        )
        for side in SIDES
        if (points := after.scores[side] - before.scores[side])
    ]
