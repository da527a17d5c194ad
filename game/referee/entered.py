"""Points, tiles and racks that people enter between two turns.

:func:`with_entry` refuses nothing. If a later correction makes an entry impossible, the entry
still counts as far as it can.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from game.events import (
    SIDES,
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
    TilesFound,
    other,
)
from game.referee.position import GameConfig, Position, Turn
from game.rulebooks.challenge import challenged_in_vain
from game.rulebooks.judging import infractions_flag
from game.rulebooks.rulebook import Rulebook
from game.values import replace


@dataclass(frozen=True, slots=True)
class TotalAgreed:
    """A player's total that both players agreed on, as an entry of the ledger."""

    event: ScoreAgreed
    settled: int
    """The points in the agreed total that the end of the game had brought by then (racks and
    time)."""

    @property
    def t_ns(self) -> int:
        """The time of the agreement."""
        return self.event.t_ns


Entered = (
    ChallengeBonus
    | PenaltyAdded
    | PointsAdjusted
    | DirectorNoted
    | RackReported
    | InfractionNoted
    | TilesFound
    | RackUnderdrawn
    | PositionRestored
    | TotalAgreed
)


def with_entry(position: Position, entry: Entered, config: GameConfig) -> Position:
    """Return the position after an entry, with its points, tiles and racks in it."""
    match entry:
        case PointsAdjusted(on="spread"):
            return position
        case ChallengeBonus() | PenaltyAdded() | PointsAdjusted():
            return position.credit(*points_of(entry, config.rulebook))
        case DirectorNoted():
            return _credited(position, entry.score)
        case RackReported():
            return _reported(position, entry)
        case InfractionNoted():
            return _infraction(position, entry, config)
        case TilesFound():
            return _found(position, entry, config)
        case RackUnderdrawn():
            return _underdrawn(position, entry)
        case PositionRestored():
            known = {side: entry.racks[side] for side in SIDES if side in entry.racks}
            return _credited(replace(position, reported=known), entry.scores)
        case TotalAgreed(event=event):
            agreed = event.points - entry.settled  # racks and time come on top of it
            return position.credit(event.side, agreed - position.scores[event.side])


def points_of(
    entry: ChallengeBonus | PenaltyAdded | PointsAdjusted, book: Rulebook
) -> tuple[Side, int]:
    """Return whose score or spread an entry changes, and by how many points."""
    if isinstance(entry, ChallengeBonus):
        return challenged_in_vain(book, entry.side, entry.points)
    return entry.side, -entry.points if isinstance(entry, PenaltyAdded) else entry.points


def _credited(position: Position, points: Mapping[str, int]) -> Position:
    for side in SIDES:
        position = position.credit(side, points.get(side, 0))
    return position


def _infraction(position: Position, event: InfractionNoted, config: GameConfig) -> Position:
    """Return the position with one more minor infraction; a flag for it goes to the last turn."""
    before = position.infractions[event.side]
    after = replace(position, infractions={**position.infractions, event.side: before + 1})
    name = config.players[event.side]
    flag = infractions_flag(name, before, before + 1, config.rulebook)
    if flag is None or not position.turns:
        return after
    return after.with_flag(replace(flag, side=event.side))


def _reported(position: Position, event: RackReported) -> Position:
    """Return the position with a reported rack; if its tiles were counted, with that count.

    If the rack has more tiles than expected, they come from the bag; missing ones are in the bag.
    An empty bag stays empty. After an empty rack the bag is empty, too.
    """
    position = replace(position, reported={**position.reported, event.side: event.tiles})
    if event.counted is None:
        return position
    bag = position.bag
    if bag:
        bag = max(0, bag + position.racks[event.side] - event.counted) if event.counted else 0
    turns, last = position.turns, position.last
    if last is not None and last.side == event.side and not event.counted:
        # The player went out with that turn; after one of the opponent's, with one not seen yet.
        at = last.number - 1
        counted = replace(last, rack_count=event.counted, bag_count=bag)
        turns = (*turns[:at], counted, *turns[at + 1 :])
    racks = {**position.racks, event.side: event.counted}
    return replace(position, turns=turns, racks=racks, bag=bag)


def found_counts(
    position: Position, event: TilesFound, config: GameConfig
) -> tuple[dict[Side, int], int]:
    """Return the number of tiles on each rack, and in the bag, once found tiles are dealt with.

    A number below 0 means that the entry is impossible. The counts assume that each player has
    drawn what was possible, so tiles that go to a player usually change no count. There are two
    exceptions. If that player was out, the tiles had been counted on the opponent's rack. If a rack
    was counted without the tiles, they are added to the rack that gets them.
    """
    racks, bag, side = dict(position.racks), position.bag, event.side
    lie = len(position.board.symbols) + len(position.set_aside)
    if event.racks:
        # A rack that was counted without the tiles took them out of the count.
        total = max(bag + sum(racks.values()), config.tile_set.total - lie)
        racks = {each: event.racks[each] for each in SIDES}
        back = goes_back(position, event, config)
        aside = event.count if side is None and not back else 0
        return racks, total - sum(racks.values()) - aside
    if goes_back(position, event, config):
        return racks, bag
    if side is None:
        return racks, bag - event.count
    if not bag and config.tile_set.total - lie - sum(racks.values()) >= event.count:
        racks[side] += event.count
        return racks, bag
    if bag:
        moved = max(0, min(bag, event.count, config.rulebook.rack_tiles - racks[side]))
        racks[side] += moved
        return racks, bag - moved
    if not racks[side]:
        racks[side] += event.count
        racks[other(side)] -= event.count
    return racks, bag


def goes_back(position: Position, event: TilesFound, config: GameConfig) -> bool:
    """True if found tiles that no player gets go back into a bag that still has tiles."""
    found = event.side is None and event.where == "table"
    return found and config.rulebook.found_goes_back and position.bag > 0


def _found(position: Position, event: TilesFound, config: GameConfig) -> Position:
    racks, bag = found_counts(position, event, config)
    kept = event.side is None and not goes_back(position, event, config)
    aside = position.set_aside + (event.tiles if kept else "")
    side, reported = event.side, dict(position.reported)
    if side in reported and len(reported[side]) + event.count == racks[side]:
        # It was shown without them.
        shown = reported.pop(side)
        if len(event.tiles) == event.count:
            reported[side] = shown + event.tiles
    return replace(_counted(position, racks, bag), set_aside=aside, reported=reported)


def _underdrawn(position: Position, event: RackUnderdrawn) -> Position:
    racks, bag = dict(position.racks), position.bag
    missing = min(event.missing, racks[event.side])
    racks[event.side] -= missing
    if event.drawn_by == "opponent":
        racks[other(event.side)] += missing
    else:
        bag += missing
    return _counted(position, racks, bag)


def _counted(position: Position, racks: dict[Side, int], bag: int) -> Position:
    """Return the position with other counts of tiles.

    The last turn gets them too, and so does each turn with which a player seemed to go out.
    """
    racks, bag = {side: max(0, count) for side, count in racks.items()}, max(0, bag)
    last = len(position.turns)
    turns = tuple(
        replace(turn, rack_count=racks[turn.side], bag_count=bag)
        if turn.number == last or _out(turn)
        else turn
        for turn in position.turns
    )
    return replace(position, racks=racks, bag=bag, turns=turns)


def _out(turn: Turn) -> bool:
    return not turn.rack_count and not turn.bag_count and turn.kind in ("play", "no_score")
