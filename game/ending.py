"""The end of a game: who is out, what the racks and the clocks cost, who forfeits.

These points stand beside the turns, never in them: a turn's running total is the one on the
score sheets before the game was settled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from game.board import FACE_DOWN, UNREADABLE
from game.clock import Clocks, overtime_flags
from game.events import SIDES, Side, other
from game.flags import Flag, make_flag
from game.score import rack_value
from game.turn import Setting, Tally, Turn, scoreless_run

AdjustmentKind = Literal["challenge_bonus", "penalty", "end_rack", "end_rack_penalty", "overtime"]


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


def out_turn(tally: Tally) -> Turn | None:
    """The turn with which a player went out, if one did: later turns change nothing in that."""
    for turn in tally.turns:
        if turn.kind == "play" and turn.bag_count == 0 and turn.rack_count == 0:
            return turn
    return None


def end_reason(tally: Tally, setting: Setting) -> str | None:
    """Why the game is over by itself, if it is: ``out`` or ``six_zeros``."""
    if out_turn(tally) is not None:
        return "out"
    needed = setting.rulebook.scoreless_turns
    if needed and scoreless_run(tally.turns, setting.rulebook) >= needed:
        return "six_zeros"
    return None


def settle(tally: Tally, clocks: Clocks, reason: str, setting: Setting) -> Settlement:
    """The points that the end of the game brings, racks first, then time."""
    book, tiles = setting.rulebook, setting.tile_set
    scores = dict(tally.scores)
    after = len(tally.turns)
    flags: list[Flag] = []
    lines: list[Adjustment] = []

    def line(
        kind: AdjustmentKind, side: Side, points: int, rule: str | None, rack: str = ""
    ) -> None:
        scores[side] += points
        lines.append(Adjustment(kind, side, points, scores[side], rule, after, rack))

    by_itself = reason if reason in ("out", "six_zeros") else end_reason(tally, setting)
    out = out_turn(tally)
    if by_itself == "out" and out is not None:
        rack, flag = opponent_rack(tally, out, setting)
        if flag is not None:
            flags.append(flag)
        if rack:
            points = book.out_factor * rack_value(rack, tiles)
            line("end_rack", out.side, points, book.silent_rule, rack)
    elif by_itself == "out":
        text = "The game was ended as played out; by counting, nobody is out."
        flags.append(make_flag("rack_unknown", text, rule=book.out_rule))
    elif by_itself == "six_zeros":
        for side in SIDES:
            reported = tally.reported.get(side)
            if reported is None:
                text = f"{setting.players[side]}'s rack is needed: its tiles are deducted."
                flags.append(make_flag("rack_unknown", text, rule=book.scoreless_rule))
            elif reported:
                points = -book.scoreless_factor * rack_value(reported, tiles)
                line("end_rack_penalty", side, points, book.scoreless_rule, reported)
    for side in SIDES:
        points = book.overtime_penalty(clocks.remaining_ns[side])
        if points:
            line("overtime", side, -points, book.overtime_rule)
            flags += overtime_flags(setting.players[side], clocks.remaining_ns[side], book)
    return Settlement(tuple(lines), tuple(flags))


def opponent_rack(tally: Tally, out: Turn, setting: Setting) -> tuple[str, Flag | None]:
    """The rack that is left when a player is out, and what is doubtful about it.

    It is what was reported, or else every tile not seen on the board, if those are as many
    as must be on that rack.
    """
    side = other(out.side)
    symbols = out.after.symbols
    unseen = setting.tile_set.unseen(symbols)
    counted = "".join(tile * count for tile, count in sorted(unseen.items()) if count > 0)
    due = tally.racks[side]
    sure = (
        all(count >= 0 for count in unseen.values())
        and not any(symbol in (FACE_DOWN, UNREADABLE) for symbol in symbols)
        and len(counted) == due
    )
    name = setting.players[side]
    rule = setting.rulebook.out_rule
    reported = tally.reported.get(side)
    if reported is not None:
        if sure and sorted(reported) != sorted(counted):
            text = f"{name}'s rack was reported as {reported}; by counting it is {counted}."
            return reported, make_flag("rack_unknown", text, rule=rule, visibility="director")
        return reported, None
    if sure:
        return counted, None
    text = f"{name}'s rack is needed: {len(counted)} tiles are unseen, {due} are due."
    return "", make_flag("rack_unknown", text, rule=rule)


def forfeit(tally: Tally, clocks: Clocks, setting: Setting) -> Forfeit | None:
    """Who forfeits on time under the rulebook, and by how much.

    The margin is the one at the moment when the limit was reached: the turns so far with both
    players' time penalties in, the offender's being that for the limit itself. It is no less
    than the rulebook's figure.
    """
    book = setting.rulebook
    over: dict[Side, int] = {side: -clocks.remaining_ns[side] for side in SIDES}
    late = [side for side in SIDES if over[side] >= book.overtime_limit_ns]
    if not late:
        return None
    side = max(late, key=lambda s: over[s])
    shown = {s: max(clocks.remaining_ns[s], -book.overtime_limit_ns) for s in SIDES}
    net = {s: tally.scores[s] - book.overtime_penalty(shown[s]) for s in SIDES}
    margin = max(book.overtime_limit_margin, net[other(side)] - net[side])
    return Forfeit(side, margin, book.overtime_limit_rule)
