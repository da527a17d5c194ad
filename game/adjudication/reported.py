"""The events that carry out the remedies for what somebody reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from game.adjudication.answers import Case, in_vain
from game.events import (
    ClockAdjusted,
    DirectorNoted,
    Event,
    GameEnded,
    GameForfeited,
    PenaltyAdded,
    PointsAdjusted,
    PositionRestored,
    Side,
    TurnRuled,
    other,
)
from game.flag_codes import REPORTABLE
from game.flags import CODES
from game.guidance import Remedy
from game.state.game_state import GameState

Found = tuple[Event | None, tuple[str, ...], str]
"""The event (None for none), its fields that are asked, and more words for its text."""


class Due(NamedTuple):
    """A remedy for a report, and the player whom the report is about."""

    case: Case
    remedy: Remedy
    side: Side

    @property
    def state(self) -> GameState:
        """The state of the game."""
        return self.case.state

    @property
    def points(self) -> str:
        """The points of the remedy, as an ending of its text; empty if it has none."""
        return f": {self.remedy.points} points" if self.remedy.points else ""

    @property
    def lead(self) -> int:
        """The lead of that player in points; below 0 if the opponent leads."""
        return self.state.scores[self.side] - self.state.scores[other(self.side)]

    def spread(self, side: Side, points: int) -> PointsAdjusted:
        """Return an event with points on a player's spread alone."""
        return PointsAdjusted(side, points, "spread", self.remedy.rule, "", self.case.why(), 0)

    def lost_by(self, margin: int) -> Iterator[Found]:
        """Yield that the player loses the game by a margin; nothing if the game is settled."""
        if not self.state.settled:
            why = self.case.why()
            lost = GameForfeited(self.side, "director", "", why, 0, margin=margin)
            yield lost, (), f": by {margin} points"


def _deducted(due: Due) -> Iterator[Found]:
    points, rule = due.remedy.points, due.remedy.rule
    event = PenaltyAdded(due.side, points or 1, rule, "", due.case.why(), 0)
    yield event, () if points else ("points",), due.points


def _off_spread(due: Due) -> Iterator[Found]:
    if due.remedy.points:
        yield due.spread(due.side, -due.remedy.points), (), due.points
    else:
        yield None, (), ""  # the director sets the points, and enters them as such


def _off_either(due: Due) -> Iterator[Found]:
    for side in (due.side, other(due.side)):
        name = due.state.players[side]
        yield due.spread(side, -due.remedy.points), (), f"{due.points} off {name}"


def _play_awarded(due: Due) -> Iterator[Found]:
    """Yield the points of a play challenged off, and the remedy's points, on the spread."""
    turn = due.state.turns[due.case.flag.turn - 1] if due.case.flag.turn else None
    if turn is not None and turn.kind == "challenge_upheld" and turn.side == due.side:
        made, more = sum(points for _, points in turn.words) + turn.bingo, due.remedy.points
        yield due.spread(due.side, made + more), (), f": {made} and {more}"


def _verdict_righted(due: Due) -> Iterator[Found]:
    """Yield the opposite verdict: a play that came off stands, or one that stood comes off."""
    turn = due.state.turns[due.case.flag.turn - 1] if due.case.flag.turn else None
    if turn is not None and turn.kind == "challenge_upheld":
        for stood, of in in_vain(due.state, turn.number, due.case.why()):
            yield stood, (), f": turn {turn.number} stands{of}"
    elif turn is not None and turn.kind == "play":
        off = TurnRuled(turn.number, "challenge_upheld", "", due.case.why(), 0)
        yield off, (), f": turn {turn.number} comes off"


def _time_given(due: Due) -> Iterator[Found]:
    gets = other(due.side)
    given = ClockAdjusted(gets, 0, due.remedy.rule, "", due.case.why(), 0)
    yield given, ("added_ns",), f": {due.state.players[gets]} gets it"


def _warned(due: Due) -> Iterator[Found]:
    if due.case.flag.code in REPORTABLE:  # the event was the warning
        what, rule = CODES[due.case.flag.code].meaning, due.remedy.rule
        noted = DirectorNoted(what, "", due.case.why(), 0, "warning", due.side, rule=rule)
        yield noted, (), ""


def _lost(due: Due) -> Iterator[Found]:
    """Yield that the game is lost by the points of the remedy, unless it was lost by more.

    A better result of the opponent's stays (WESPA 2021 6.2.4(a)(ii)).
    """
    if due.state.status != "ended" or -due.lead < due.remedy.points:
        yield from due.lost_by(due.remedy.points)


def _lost_and_lead(due: Due) -> Iterator[Found]:
    yield from due.lost_by(due.remedy.points + max(0, -due.lead))


def _lost_or_difference(due: Due) -> Iterator[Found]:
    yield from due.lost_by(max(due.remedy.points, abs(due.lead)))


def _turns_evened(due: Due) -> Iterator[Found]:
    """Yield that the last turn's score comes off if its player has had one turn more."""
    turns, rule = [turn for turn in due.state.turns if turn.kind != "undone"], due.remedy.rule
    if not turns or any(line.rule == rule for line in due.state.adjustments):
        return
    last = turns[-1]
    if last.score and sum(1 if turn.side == last.side else -1 for turn in turns) > 0:
        off = PointsAdjusted(last.side, -last.score, "score", rule, "", due.case.why(), 0)
        yield off, (), f": {last.score} off {due.state.players[last.side]}"


def _ended(due: Due) -> Iterator[Found]:
    if not due.state.settled:
        yield GameEnded("director", 0), (), ""


def _begun_again(due: Due) -> Iterator[Found]:
    """Yield that the game begins again, with the scores that it then begins with.

    The opponent keeps a lead. The player keeps one only if the board was upset by accident. After a
    wrong verdict both begin with 0.
    """
    scores: dict[str, int] = {}
    if due.case.flag.code != "misadjudicated":
        kept = max(0, due.lead) if due.case.flag.code == "board_upset" else 0
        scores = {due.side: kept, other(due.side): max(0, -due.lead)}
    yield PositionRestored(0, "", due.case.why(), 0, scores=scores), (), ""


DONE_BY: Mapping[str, Callable[[Due], Iterator[Found]]] = {
    "award_play": _play_awarded,
    "begin_again": _begun_again,
    "correct_verdict": _verdict_righted,
    "deduct": _deducted,
    "end_as_it_stands": _ended,
    "even_turns": _turns_evened,
    "extra_time": _time_given,
    "lose_and_lead": _lost_and_lead,
    "lose_by": _lost,
    "lose_or_difference": _lost_or_difference,
    "off_either": _off_either,
    "off_spread": _off_spread,
    "warn": _warned,
}
"""The events of each action of a remedy."""
