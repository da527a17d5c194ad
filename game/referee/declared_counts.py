"""Tiles, scores and racks as a director says they are, beside what follows from the turns.

Each function gives the position after one such event. None refuses anything: what was possible when
it was entered may not be after a later correction, and then counts for as much as it can.
"""

from __future__ import annotations

from game.events import (
    SIDES,
    PositionRestored,
    RackUnderdrawn,
    ScoreAgreed,
    Side,
    TilesFound,
    other,
)
from game.referee.position import GameConfig, Position, Turn
from game.values import replace


def found_counts(
    position: Position, event: TilesFound, config: GameConfig
) -> tuple[dict[Side, int], int]:
    """Return the tiles on each rack and in the bag once found tiles are dealt with.

    A number below 0 says that it cannot be so. The count of tiles has given each player what should
    have been drawn, so tiles that go to that player change nothing in it, but for a player who was
    out: then they are not where they were counted, on the opponent's rack. Where a rack was counted
    without them, they are added to the one that gets them.
    """
    racks, bag, side = dict(position.racks), position.bag, event.side
    if event.racks:
        total = bag + sum(racks.values())
        racks = {each: event.racks[each] for each in SIDES}
        back = goes_back(position, event, config)
        aside = event.count if side is None and not back else 0
        return racks, total - sum(racks.values()) - aside
    if goes_back(position, event, config):
        return racks, bag
    if side is None:
        return racks, bag - event.count
    known = len(position.board.symbols) + len(position.set_aside) + bag + sum(racks.values())
    if not bag and config.tile_set.total - known >= event.count:
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
    """True if tiles that were found and that no player gets go back into a bag that has tiles."""
    found = event.side is None and event.where == "table"
    return found and config.rulebook.found_goes_back and position.bag > 0


def tiles_found(position: Position, event: TilesFound, config: GameConfig) -> Position:
    """Return the position after tiles were found."""
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


def underdrawn(position: Position, event: RackUnderdrawn) -> Position:
    """Return the position after a rack was found to have too few tiles."""
    racks, bag = dict(position.racks), position.bag
    missing = min(event.missing, racks[event.side])
    racks[event.side] -= missing
    if event.drawn_by == "opponent":
        racks[other(event.side)] += missing
    else:
        bag += missing
    return _counted(position, racks, bag)


def restored(position: Position, event: PositionRestored) -> Position:
    """Return the position with the racks and scores with which a game goes on."""
    reported = {side: event.racks[side] for side in SIDES if side in event.racks}
    position = replace(position, reported=reported)
    for side in SIDES:
        position = position.credit(side, event.scores.get(side, 0))
    return position


def agreed(position: Position, event: ScoreAgreed) -> Position:
    """Return the position with a player's total as both agree on it."""
    return position.credit(event.side, event.points - position.scores[event.side])


def _counted(position: Position, racks: dict[Side, int], bag: int) -> Position:
    """Return the position with other counts, and so those turns that seemed to play out."""
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
