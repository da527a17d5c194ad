"""The end of a game: who is out, what the racks and the clocks cost, who has won and by what.

These points stand beside the turns, never in them: a turn's running total is the one on the
score sheets before the game was settled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from game.board import FACE_DOWN, UNREADABLE
from game.clock import overtime_flags
from game.events import SIDES, EndReason, Side, other
from game.flags import Flag, make_flag
from game.plays.score import rack_value
from game.referee.position import GameConfig, Position, Turn, scoreless_run
from game.rulebooks.judging import judge
from game.rulebooks.loading import Rulebook
from game.values import replace

AdjustmentKind = Literal[
    "challenge_bonus",
    "penalty",
    "end_rack",
    "end_rack_penalty",
    "overtime",
    "overtime_limit",
    "one_point",
    "left",
    "agreed",
    "starting_score",
]
"""``overtime_limit`` and ``one_point``: what NASPA V.G.3 takes off the player who exceeds the
limit, and adds so that the opponent wins. ``left``: what leaving the game costs (V.K).
``agreed``: what a total that both players agree on adds to the turns. ``starting_score``: what a
game that begins again starts with."""

BY_RACKS = (EndReason.SIX_ZEROS, EndReason.SHORTENED)
"""Ends at which each player loses the value of the own tiles."""


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Points that are not the score of a turn."""

    kind: AdjustmentKind
    side: Side
    points: int
    """Added to the side's score; negative for a deduction."""
    total: int
    """The side's score with this and all before it."""
    rule: str | None
    after_turn: int
    """The number of the last turn before it, 0 before the first."""
    tiles: str = ""
    """The rack, for the end of the game."""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A game forfeited on time: a matter for the director, the scores are left alone."""

    side: Side
    margin: int
    rule: str | None


@dataclass(frozen=True, slots=True)
class Settlement:
    """How a game stands if it ends here."""

    adjustments: tuple[Adjustment, ...]
    flags: tuple[Flag, ...]
    scores: Mapping[Side, int]


class Settling:
    """Collects the lines of a settlement on top of the scores so far."""

    def __init__(self, scores: Mapping[Side, int], after_turn: int) -> None:
        self.scores = dict(scores)
        self.lines: list[Adjustment] = []
        self.flags: list[Flag] = []
        self._after = after_turn

    def line(
        self, kind: AdjustmentKind, side: Side, points: int, rule: str | None, rack: str = ""
    ) -> None:
        """Add one line."""
        self.scores[side] += points
        self.lines.append(
            Adjustment(kind, side, points, self.scores[side], rule, self._after, rack)
        )

    def time(self, side: Side, shown_ns: int, config: GameConfig) -> None:
        """Add what the time that a clock shows costs, if anything."""
        book = config.rulebook
        points = book.overtime_penalty(shown_ns)
        erased = config.erased.get(side, 0)
        points = 0 if erased is None else max(0, points - erased)
        if points:
            self.line("overtime", side, -points, book.rule("overtime.points"))
            flags = overtime_flags(config.players[side], shown_ns, book)
            self.flags += [replace(flag, side=side) for flag in flags]

    def done(self) -> Settlement:
        """Return everything collected."""
        return Settlement(tuple(self.lines), tuple(self.flags), self.scores)


def out_turn(position: Position) -> Turn | None:
    """The turn with which a player went out, if one did: later turns change nothing in that."""
    for turn in position.turns:
        if not turn.rack_count and not turn.bag_count and turn.kind in ("play", "no_score"):
            return turn
    return None


def end_reason(position: Position, config: GameConfig, *, stopped: bool) -> EndReason | None:
    """Return why the game is over by itself, if it is: a player is out, or nobody scores.

    Args:
        position: how the game stands.
        config: players, tile set and rules.
        stopped: the clock was stopped at the last turn or since, which some texts ask for.
    """
    book = config.rulebook
    if out_turn(position) is not None:
        return EndReason.OUT if stopped or book.out_stops == "player" else None
    needed = book.scoreless_turns
    if needed and scoreless_run(position.turns, book) >= needed:
        return EndReason.SIX_ZEROS if stopped or book.scoreless_ends == "by_itself" else None
    return None


def settle(
    position: Position, clocks_ns: Mapping[Side, int], reason: str, config: GameConfig
) -> Settlement:
    """The points that the end of the game brings, racks first, then time."""
    book, tiles = config.rulebook, config.tile_set
    lines = Settling(position.scores, len(position.turns))
    by_itself = (
        reason
        if reason in (EndReason.OUT, *BY_RACKS)
        else end_reason(position, config, stopped=True)
    )
    out = out_turn(position)
    if by_itself == EndReason.OUT and out is not None:
        rack, flag = opponent_rack(position, out, config)
        if flag is not None:
            lines.flags.append(flag)
        if rack:
            points = book.out_factor * rack_value(rack, tiles)
            rule = book.rule("out.rack_factor") or book.silent_rule
            lines.line("end_rack", out.side, points, rule, rack)
    elif by_itself == EndReason.OUT:
        lines.flags.append(judge(make_flag("rack_unknown", variant="nobody_out"), book))
    elif by_itself in BY_RACKS:
        rule = book.rule("scoreless.rack_factor")
        for side in SIDES:
            reported = position.reported.get(side, _other_rack(position, side, config))
            if reported is None:
                player = config.players[side]
                flag = make_flag("rack_unknown", variant="own", rule=rule, side=side, player=player)
                lines.flags.append(flag)
            elif reported:
                points = -book.scoreless_factor * rack_value(reported, tiles)
                lines.line("end_rack_penalty", side, points, rule, reported)
    for side in SIDES:
        lines.time(side, clocks_ns[side], config)
    return lines.done()


def _other_rack(position: Position, side: Side, config: GameConfig) -> str | None:
    """A rack that follows from the opponent's once the bag is empty: all else that is unseen."""
    known = position.reported.get(other(side))
    symbols = position.board.symbols
    if known is None or position.bag or any(s in (FACE_DOWN, UNREADABLE) for s in symbols):
        return None
    left = Counter(config.tile_set.unseen(symbols))
    left.subtract(known + position.set_aside)
    if any(count < 0 for count in left.values()):
        return None
    rack = "".join(sorted(left.elements()))
    return rack if len(rack) == position.racks[side] else None


def settle_limit(
    side: Side,
    scores: Mapping[Side, int],
    clocks_ns: Mapping[Side, int],
    config: GameConfig,
    after_turn: int,
) -> Settlement:
    """Return what follows when ``side`` exceeds the limit and loses by a point at the least.

    Points come off the offender, in place of the penalty by the minute; the opponent's own
    overtime still counts; an offender who is not behind then makes the opponent's score rise
    to win by a point. Racks are disregarded. NASPA V.G.3.
    """
    book = config.rulebook
    rule = book.rule("overtime_limit.points")
    lines = Settling(scores, after_turn)
    lines.line("overtime_limit", side, -book.overtime_limit_points, rule)
    lines.time(other(side), clocks_ns[other(side)], config)
    short = lines.scores[side] + book.overtime_limit_margin - lines.scores[other(side)]
    if short > 0:
        lines.line("one_point", other(side), short, book.rule("overtime_limit.then"))
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
    """Return what follows when ``side`` leaves the game, where that changes the scores (NASPA V.K).

    Ahead: the opponent's score rises above the leaver's. Behind: points come off. Where the
    event lets a game be resigned at its score, nothing but time is counted (NASPA I.B).
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


def opponent_rack(position: Position, out: Turn, config: GameConfig) -> tuple[str, Flag | None]:
    """The rack that is left when a player is out, and what is doubtful about it.

    It is what was reported, or else every tile not seen on the board, if those are as many
    as must be on that rack.
    """
    side = other(out.side)
    symbols = out.after.symbols
    unseen = Counter(config.tile_set.unseen(symbols))
    unseen.subtract(position.set_aside)
    counted = "".join(tile * count for tile, count in sorted(unseen.items()) if count > 0)
    sure = (
        all(count >= 0 for count in unseen.values())
        and not any(symbol in (FACE_DOWN, UNREADABLE) for symbol in symbols)
        and len(counted) == position.racks[side]
    )
    name = config.players[side]
    reported = position.reported.get(side)
    if reported is not None:
        if sure and sorted(reported) != sorted(counted):
            flag = make_flag(
                "rack_unknown",
                variant="differs",
                visibility="director",
                side=side,
                player=name,
                reported=reported,
                counted=counted,
            )
            return reported, judge(flag, config.rulebook)
        return reported, None
    if sure:
        return counted, None
    unseen_count, expected = len(counted), position.racks[side]
    flag = make_flag(
        "rack_unknown", variant="needed", side=side, player=name, unseen=unseen_count, due=expected
    )
    return "", judge(flag, config.rulebook)


def forfeit(
    side: Side, scores: Mapping[Side, int], clocks_ns: Mapping[Side, int], book: Rulebook
) -> Forfeit:
    """Return the forfeit of a player who used up the overtime too.

    The margin is the one at the moment when the limit was reached: the turns so far with both
    players' time penalties in, the offender's being that for the limit itself. It is no less
    than the rulebook's figure.
    """
    shown = {s: max(clocks_ns[s], -book.overtime_limit_ns) for s in SIDES}
    net = {s: scores[s] - book.overtime_penalty(shown[s]) for s in SIDES}
    margin = max(book.overtime_limit_margin, net[other(side)] - net[side])
    return Forfeit(side, margin, book.rule("overtime_limit.then"))
