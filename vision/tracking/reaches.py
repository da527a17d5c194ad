"""The reaches of arms over the board: whose, from when to when.

Arms are looked for four times a second while something moves. A change of the board has the arm
that reached over its squares while they were not in plain sight; if no picture came meanwhile, none
but one that a dark picture shows. A reach of the player not on turn that explains no change is told
alone, and so is an arm that stays over the board after its own press.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from game.board import Square
from game.events import SIDES, BoardChanged, Side
from game.state.fold import GameState
from sensors.interfaces import Frame
from vision.tracking.arms import LEAST, ArmLikelihood
from vision.tracking.parameters import AGAIN_NS, LIKELY, LOOK_AHEAD_NS, SETTLE_NS
from vision.tracking.results import BoardChange, Moment
from vision.tracking.sighting import Observation, Sighting
from vision.tracking.stillness import AT_RIM, StillnessTracker
from vision.tracking.turn_window import OpenTurns

_KEPT: Final = 16
"""The number of reaches, and of times without a picture, kept."""

_LOOKS: Final = 64
"""The number of looks kept at which an arm was there."""

_LOOK_NS: Final = AGAIN_NS // 4
"""Time from one look for arms to the next."""


@dataclass(slots=True)
class _Reach:
    """An arm over the board."""

    side: Side
    alone: bool
    """True if it is told unless it explains a change: it is of the player not on turn, and no hand
    that is just withdrawn or passes."""
    came: tuple[int, int]
    """After and by which time it came, in ns; the same twice if it has stayed from before a press.
    """
    frame: Frame
    last_ns: int
    """When it was seen last."""
    gone: Frame | None = None
    """The first picture without it; None while it is there, or if a press came before."""

    def within(self, span: tuple[int, int]) -> bool:
        """True if it was there in an interval."""
        until_ns = self.last_ns if self.gone is None else self.gone.t_ns
        return self.came[0] <= span[1] and span[0] <= until_ns


class Reaches:
    """Watches for arms over the board of one game."""

    def __init__(self, stillness: StillnessTracker, players: OpenTurns) -> None:
        """``players`` tells whose an arm is."""
        self._stillness, self._players = stillness, players
        self._looked_ns = self._segment = 0
        """When arms were looked for last, and in which still segment; 0 if not since a press."""
        self._newest_ns = 0
        """Time of the newest picture."""
        self._unseen: deque[tuple[int, int]] = deque(maxlen=_KEPT)
        """The times from which there is no picture, or none but dark ones."""
        self._looks: deque[tuple[int, bool]] = deque(maxlen=_LOOKS)
        """When an arm was there, and if it lay right across the board."""
        self._running: Side | None = None
        """Whose clock ran then."""
        self._away_ns: dict[Side, int] = {}
        """When each player's arm was not over the board, since the last press."""
        self._now: dict[Side, _Reach] = {}
        self._ended: deque[_Reach] = deque(maxlen=_KEPT)

    def watch(self, state: GameState, frame: Frame, known: Observation | None) -> None:
        """Look for the arms over the board; ``known`` is the newest clear view."""
        running, last_ns = state.clocks.running, self._looked_ns
        if frame.t_ns - self._newest_ns >= AGAIN_NS:
            self._unseen.append((self._newest_ns, frame.t_ns))
        self._newest_ns = frame.t_ns
        if running != self._running:
            there, at_ns = [*self._now], frame.t_ns
            self._end(SIDES, None)
            self._away_ns, self._segment, self._running = {}, 0, running
            for side in there:
                alone = running not in (None, side)
                self._now[side] = _Reach(side, alone, (at_ns, at_ns), frame, at_ns)
        elif known is not None and frame.t_ns - last_ns >= _LOOK_NS:
            still = self._segment == self._stillness.segment_id
            over = maybe = set(self._now)
            if over or not still:
                tiles = state.board.tiles()
                arms = self._stillness.arms_over(known.reading.corners, known.frame.t_ns, tiles)
                of = [self._players.whose(arm) for arm, _ in arms]
                # Whose an arm is may be less sure while it stays.
                over, maybe = (
                    {side for side in SIDES if any(one[side] >= p for one in of)}
                    for p in (LIKELY, 0.5)
                )
                if arms:
                    self._looks.append((frame.t_ns, any(across for _, across in arms)))
            self._looked_ns, self._segment = frame.t_ns, self._stillness.segment_id
            away = [side for side in SIDES if side not in maybe]
            self._end(away, frame)
            self._away_ns |= dict.fromkeys(away, frame.t_ns)
            for side in over:
                alone = side in self._away_ns and running not in (None, side)
                came = self._away_ns.get(side, last_ns), frame.t_ns
                new = _Reach(side, alone, came, frame, frame.t_ns)
                self._now.setdefault(side, new)
            for reach in self._now.values():
                reach.last_ns = frame.t_ns

    def _end(self, sides: Iterable[Side], gone: Frame | None) -> None:
        for reach in [self._now.pop(side) for side in sides if side in self._now]:
            reach.gone = gone
            least_ns = AGAIN_NS if reach.came[0] < reach.came[1] else LOOK_AHEAD_NS
            reach.alone &= reach.last_ns - reach.came[1] >= least_ns
            self._ended.append(reach)

    def alone(self, seen_ns: int) -> list[BoardChange]:
        """Return the reaches that had ended by a time and explain nothing, each once."""
        found = []
        for reach in [one for one in self._ended if one.alone and one.last_ns < seen_ns]:
            reach.alone = False
            event = BoardChanged((), *reach.came, reach.side, None, None, None, (), reach.last_ns)
            change = BoardChange(event, {"altered": reach.frame})
            if reach.gone is not None:
                away = Moment((reach.last_ns, reach.gone.t_ns), reach.gone, reach.side)
                change = change.put_back(away)
            found.append(change)
        return found

    def over(
        self, spans: Mapping[Square, tuple[int, int]], seen: Sighting
    ) -> dict[Square, Side | None]:
        """Return whose arm reached over squares, each in its interval; None if that is not sure.

        ``seen`` is a sighting in which the squares are in plain sight.
        """
        near = {square: (a - SETTLE_NS, b + SETTLE_NS) for square, (a, b) in spans.items()}
        corners, seen_ns = seen.reading.corners, seen.frame.t_ns
        there = {square: self._without(span) or span for square, span in near.items()}
        least = AT_RIM if there == near else LEAST  # in dark pictures noise has patches as small
        arms = self._stillness.arm_likelihoods(corners, there, seen_ns, spans, least)
        sides = {square: self.side(arm) for square, arm in arms.items()}
        return {square: self.explain(near[square], sides.get(square)) for square in spans}

    def explain(self, span: tuple[int, int], side: Side | None) -> Side | None:
        """Note that something changed in an interval, by an arm if it was seen; return whose it is.

        It is taken for that of the player whose arm alone was over the board, if it was not seen.
        It is nobody's if what was there most of the time may have been two arms.
        """
        there = [one for one in (*self._ended, *self._now.values()) if one.within(span)]
        sides = {one.side for one in there}
        if side is None and len(sides) == 1 and self._without(span) is None:
            side = next(iter(sides))
        looks = [across for t_ns, across in self._looks if span[0] <= t_ns <= span[1]]
        if 2 * sum(looks) > len(looks):
            side = None
        for reach in there:
            reach.alone &= side not in (None, reach.side)
        return side

    def _without(self, span: tuple[int, int]) -> tuple[int, int] | None:
        """Return the time without a picture in an interval; None if there is none."""
        found = (one for one in self._unseen if one[0] < span[1] and span[0] < one[1])
        return next(((since + 1, until - 1) for since, until in found), None)

    def side(self, arm: ArmLikelihood) -> Side | None:
        """Return whose an arm is; None if that is not sure."""
        of = self._players.whose(arm)
        return next((one for one in SIDES if of[one] >= LIKELY), None)
