"""What a ledger holds: the entries in the order in which they became known, and a limit reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from game.events import (
    BoardSeen,
    ChallengeBonus,
    DirectorNoted,
    InfractionNoted,
    PenaltyAdded,
    PointsAdjusted,
    PositionRestored,
    RackReported,
    RackUnderdrawn,
    ScoreAgreed,
    Side,
    TilesChanged,
    TilesFound,
)
from game.referee.inference import Seen

Between = (
    TilesChanged
    | BoardSeen
    | ChallengeBonus
    | PenaltyAdded
    | PointsAdjusted
    | DirectorNoted
    | RackReported
    | InfractionNoted
    | TilesFound
    | RackUnderdrawn
    | PositionRestored
    | ScoreAgreed
)
Entry = Seen | Between


@dataclass(frozen=True)
class Limit:
    """How the game stood when somebody used up the overtime too."""

    side: Side
    scores: Mapping[Side, int]
    clocks_ns: Mapping[Side, int]
    after_turn: int
