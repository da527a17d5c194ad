"""Points outside the turns: bonuses, penalties and agreed scores, and at the end racks and time.

No turn includes these points: its running total is the one on the score sheets before the end of
the game was settled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from game.clock import overtime_flags
from game.events import (
    SIDES,
    ChallengeBonus,
    DirectorNoted,
    EndReason,
    PenaltyAdded,
    PointsAdjusted,
    PositionRestored,
    Side,
    other,
)
from game.flags import Flag, make_flag
from game.plays.score import rack_value
from game.referee.entered import TotalAgreed, points_of
from game.referee.game_over import end_reason, out_turn, scoreless_run, scoreless_turn
from game.referee.inference import Seen
from game.referee.position import GameConfig, Position, Turn
from game.rulebooks.judging import judge
from game.rulebooks.loading import Rulebook
from game.state.ledger import Ledger
from game.state.racks import opponent_rack, own_rack
from game.values import replace

AdjustmentKind = Literal[
    "challenge_bonus",
    "penalty",
    "correction",
    "spread",
    "end_rack",
    "end_rack_penalty",
    "overtime",
    "overtime_limit",
    "limit_raise",
    "left",
    "agreed",
    "starting_score",
]
"""``overtime_limit``: points off the player who exceeds the limit on overtime. ``limit_raise``:
points that the limit adds, to the opponent (NASPA V.G.3) or to both players (WESPA 5.3.3, 2021).
``correction``: points that correct the score, or that a player starts with. ``spread``: points on
the spread alone, in no total. ``left``: the cost of leaving the game (V.K). ``agreed``: the
difference between a total that both players agree on and the score before. ``starting_score``: the
score with which a game begins again."""

_AGAINST_NEGATIVE = 100
"""Points for each player if the loser's score would be below 0 (WESPA 5.3.3, 2021)."""

UNFINISHED = (EndReason.BROKEN_OFF, EndReason.POSTPONED, EndReason.SET_UP_ANEW)
"""Ends without a result: no rack counts."""


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Points that are not the score of a turn."""

    kind: AdjustmentKind
    side: Side
    points: int
    """The points added to the side's score; negative for a deduction."""
    total: int
    """The side's score including this and all earlier adjustments."""
    rule: str | None
    after_turn: int
    """The number of the last turn before the adjustment; 0 before the first."""
    tiles: str = ""
    """The rack that the points are for; empty for other adjustments."""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A forfeit on time. It changes no score: the director rules on it."""

    side: Side
    margin: int
    rule: str | None


@dataclass(frozen=True, slots=True)
class Settlement:
    """The points, flags and scores of a game if it ends now."""

    adjustments: tuple[Adjustment, ...]
    flags: tuple[Flag, ...]
    scores: Mapping[Side, int]
    late: Mapping[Side, int] = field(default_factory=lambda: dict.fromkeys(SIDES, 0))
    """The points in the scores that came after the moment of which the game is settled."""

    def with_late(self, late: Mapping[Side, int]) -> Settlement:
        """Return the settlement with points that came after its moment in scores and totals."""
        lines = (replace(one, total=one.total + late[one.side]) for one in self.adjustments)
        scores = {side: points + late[side] for side, points in self.scores.items()}
        return Settlement(tuple(lines), self.flags, scores, late)


class Settling:
    """A settlement in the making: adds points to the scores and collects a line for each."""

    def __init__(self, scores: Mapping[Side, int], after_turn: int) -> None:
        self.scores = dict(scores)
        self.lines: list[Adjustment] = []
        self.flags: list[Flag] = []
        self._after = after_turn

    def line(
        self, kind: AdjustmentKind, side: Side, points: int, rule: str | None, rack: str = ""
    ) -> None:
        """Add points to a side's score, with the line for them."""
        self.scores[side] += points
        self.lines.append(
            Adjustment(kind, side, points, self.scores[side], rule, self._after, rack)
        )

    def time(self, side: Side, shown_ns: int, config: GameConfig) -> None:
        """Add the overtime penalty for the time that a clock shows, if there is one."""
        book = config.rulebook
        points = max(0, book.overtime_penalty(shown_ns) - config.erased.get(side, 0))
        if points:
            self.line("overtime", side, -points, book.rule("overtime.points"))
            before_ns = config.before_play_ns.get(side, 0)
            flags = overtime_flags(config.players[side], shown_ns, book, before_ns)
            self.flags += [replace(flag, side=side) for flag in flags]

    def done(self) -> Settlement:
        """Return everything collected."""
        return Settlement(tuple(self.lines), tuple(self.flags), self.scores)


def settle(
    position: Position, clocks_ns: Mapping[Side, int], reason: str, config: GameConfig
) -> Settlement:
    """Return the points that the end of the game brings: racks first, then time."""
    lines = Settling(position.scores, len(position.turns))
    how = reason if reason in (EndReason.OUT, EndReason.SIX_ZEROS) else None
    how = how or end_reason(position, config, stopped=True) or reason
    if how == EndReason.OUT:
        _settle_out(lines, position, config)
    elif how not in UNFINISHED:
        lines.flags += not_scoreless(position, how, config)
        _settle_own(lines, position, how, config)
    for side in SIDES:
        lines.time(side, clocks_ns[side], config)
    return lines.done()


def _settle_out(lines: Settling, position: Position, config: GameConfig) -> None:
    """Add the points for the opponent's rack to the player who is out."""
    book, out = config.rulebook, out_turn(position, config)
    if out is None:
        lines.flags.append(judge(make_flag("rack_unknown", variant="nobody_out"), book))
        return
    rack, flag = opponent_rack(position, out, config)
    if flag is not None:
        lines.flags.append(flag)
    if rack:
        points, rule = rack_value(rack, config.tile_set), book.rule("out.racks")
        if book.out_racks == "split":
            lines.line("end_rack", out.side, points, rule, rack)
            lines.line("end_rack_penalty", other(out.side), -points, rule, rack)
        else:
            rule = book.rule("out.rack_factor") or rule
            lines.line("end_rack", out.side, book.out_factor * points, rule, rack)


def not_scoreless(position: Position, how: str, config: GameConfig) -> list[Flag]:
    """Return a flag if the game was ended by scoreless turns, but too few came in a row."""
    book, whole = config.rulebook, config.not_reopened()
    if how != EndReason.SIX_ZEROS or scoreless_turn(position, whole) is not None:
        return []
    count, needed = scoreless_run(position.turns, book), book.scoreless_turns
    return [judge(make_flag("not_scoreless", count=count, needed=needed), book)]


def _settle_own(lines: Settling, position: Position, how: str, config: GameConfig) -> None:
    """Deduct each player's own rack, since neither is out."""
    book, last = config.rulebook, None
    factor, setting = book.unplayed_factor, "unplayed.rack_factor"
    if how == EndReason.SIX_ZEROS or (how == EndReason.SHORTENED and not factor):
        factor, setting = book.scoreless_factor, "scoreless.rack_factor"
    if how == EndReason.SIX_ZEROS:
        last = scoreless_turn(position, config)
    if not factor:
        return
    rule = book.rule(setting)
    if how == EndReason.SHORTENED:
        rule = book.rule("unplayed.rack_factor") or book.silent_rule or rule
    board = position.board if last is None else last.after
    for side in SIDES:
        rack, flag = own_rack(position, side, board, config)
        if flag is not None:
            lines.flags.append(replace(flag, rule=rule))
        if rack:
            points = -factor * rack_value(rack, config.tile_set)
            lines.line("end_rack_penalty", side, points, rule, rack)


def settle_limit(
    side: Side,
    scores: Mapping[Side, int],
    clocks_ns: Mapping[Side, int],
    config: GameConfig,
    after_turn: int,
) -> Settlement:
    """Return the settlement when ``side`` exceeds the overtime limit and this changes the scores.

    The limit's points come off the offender's score instead of the penalty per minute. The
    opponent's own overtime still counts. If the opponent then leads by less than the margin, NASPA
    V.G.3 raises the opponent's score to the margin, and WESPA 5.3.3 (2021) lowers the offender's.
    If the offender's score is then negative, both get 100 points (note to the same rule). Racks are
    disregarded.
    """
    book, opponent = config.rulebook, other(side)
    rule = book.rule("overtime_limit.points")
    lines = Settling(scores, after_turn)
    off = book.overtime_limit_points
    if book.overtime_limit_then == "lose_by_margin":
        final = scores[opponent] - book.overtime_penalty(clocks_ns[opponent])
        off = max(off, scores[side] + book.overtime_limit_margin - final)
        lines.line("overtime_limit", side, -off, rule)
        lines.time(opponent, clocks_ns[opponent], config)
        if lines.scores[side] < 0:
            for each in SIDES:
                lines.line("limit_raise", each, _AGAINST_NEGATIVE, book.rule("overtime_limit.then"))
        return lines.done()
    off = max(0, off - config.erased.get(side, 0))  # the overtime was forced (NASPA V.D)
    lines.line("overtime_limit", side, -off, rule)
    lines.time(opponent, clocks_ns[opponent], config)
    short = lines.scores[side] + book.overtime_limit_margin - lines.scores[opponent]
    if short > 0:
        lines.line("limit_raise", opponent, short, book.rule("overtime_limit.then"))
    return lines.done()


def settle_left(
    side: Side,
    scores: Mapping[Side, int],
    clocks_ns: Mapping[Side, int],
    config: GameConfig,
    after_turn: int,
    *,
    resigned: bool = False,
) -> Settlement:
    """Return the settlement when ``side`` leaves the game and this changes the scores (NASPA V.K).

    If ``side`` leads, the opponent's score rises by the lead and the rulebook's points. Otherwise
    those points come off the score of ``side``. If the tournament lets a game be resigned at its
    score, only time counts (NASPA I.B).
    """
    book = config.rulebook
    lines = Settling(scores, after_turn)
    for each in SIDES:
        lines.time(each, clocks_ns[each], config)
    at_score = resigned and book.resigning == "current_score"
    if book.leaving == "fifty_behind" and not at_score:
        rule = book.rule("leaving.points")
        lead = lines.scores[side] - lines.scores[other(side)]
        if lead > 0:
            lines.line("left", other(side), lead + book.leaving_points, rule)
        else:
            lines.line("left", side, -book.leaving_points, rule)
    return lines.done()


def forfeit(
    side: Side, scores: Mapping[Side, int], clocks_ns: Mapping[Side, int], book: Rulebook
) -> Forfeit:
    """Return the forfeit of a player who exceeded the limit on overtime.

    The margin is the score difference when the limit was reached, with both time penalties deducted
    (the offender's at the limit), but at least the rulebook's margin.
    """
    shown = {s: max(clocks_ns[s], -book.overtime_limit_ns) for s in SIDES}
    net = {s: scores[s] - book.overtime_penalty(shown[s]) for s in SIDES}
    margin = max(book.overtime_limit_margin, net[other(side)] - net[side])
    return Forfeit(side, margin, book.rule("overtime_limit.then"))


def credited_lines(ledger: Ledger, book: Rulebook) -> list[Adjustment]:
    """Return the bonuses, penalties and other points entered so far, in order."""
    lines: list[Adjustment] = []
    around = zip(ledger.entries, ledger.positions, ledger.positions[1:], strict=False)
    for entry, before, after in around:
        if isinstance(entry, Seen):  # most entries, and few of them have points beside the turn
            turn = after.turns[-1]
            if turn.bonus or turn.penalty:
                lines += _beside(turn, after, book)
        elif isinstance(entry, ChallengeBonus | PenaltyAdded | PointsAdjusted) and entry.points:
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
        elif isinstance(entry, TotalAgreed | PositionRestored):
            lines += _declared(entry, before, after, book)
    return lines


def _beside(turn: Turn, after: Position, book: Rulebook) -> Iterator[Adjustment]:
    """Yield the line for the bonus of a turn, else for its penalty."""
    if turn.bonus:
        yield _in_vain(turn, after, book)
    else:
        rule, why = book.rule("exchange.late_points"), "an exchange with too few tiles"
        total = turn.total - turn.penalty
        yield Adjustment("penalty", turn.side, -turn.penalty, total, rule, turn.number, why=why)


def _in_vain(turn: Turn, after: Position, book: Rulebook) -> Adjustment:
    """Return the line for an unsuccessful challenge: a bonus, or points off the challenger."""
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
    """Return the lines for the points in a director's note."""
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
    entry: TotalAgreed | PositionRestored, before: Position, after: Position, book: Rulebook
) -> list[Adjustment]:
    """Return the points that an agreed total, or a starting score, adds to the scores before it."""
    agreed = isinstance(entry, TotalAgreed)
    why = entry.event.why if isinstance(entry, TotalAgreed) else entry.why
    rule = book.event_rule("score_agreed" if agreed else "starting_score")
    return [
        Adjustment(
            kind="agreed" if agreed else "starting_score",
            side=side,
            points=points,
            total=after.scores[side],
            rule=rule,
            after_turn=len(after.turns),
            why=why,
        )
        for side in SIDES
        if (points := after.scores[side] - before.scores[side])
    ]
