"""The racks at the end of a game: what was reported, what follows by counting, what is doubtful.

A rack that somebody reports is held against the set and against the number of tiles that the turns
and draws leave. More of a letter than the set has, or another number of tiles than is due, counts
nothing until somebody says that the set was altered (:class:`~game.events.SetAltered`) or that the
tiles were counted (``RackReported.counted``).
"""

from __future__ import annotations

from collections import Counter

from game.board import FACE_DOWN, UNREADABLE, Board
from game.events import RackReported, Side, other
from game.flags import Flag, make_flag
from game.referee.position import GameConfig, Position, Turn
from game.rulebooks.judging import judge
from game.values import replace


def reported(position: Position, event: RackReported) -> Position:
    """Return the position with a rack that was reported; one that was counted sets the count right.

    A tile more or less than was due lies in the bag or comes from it, unless the bag is empty. An
    empty rack leaves nothing to draw.
    """
    position = replace(position, reported={**position.reported, event.side: event.tiles})
    if event.counted is None:
        return position
    bag = position.bag
    if bag:
        bag = max(0, bag + position.racks[event.side] - event.counted) if event.counted else 0
    turns = position.turns
    at = next((i for i in reversed(range(len(turns))) if turns[i].side == event.side), None)
    if at is not None and not event.counted:  # the player went out with that turn
        counted = replace(turns[at], rack_count=event.counted, bag_count=bag)
        turns = (*turns[:at], counted, *turns[at + 1 :])
    racks = {**position.racks, event.side: event.counted}
    return replace(position, turns=turns, racks=racks, bag=bag)


def refused(position: Position, side: Side, rack: str, config: GameConfig) -> Flag | None:
    """The flag for a reported rack that cannot be counted; None for one that can."""
    flag: Flag | None = None
    counts, due = config.tile_set.counts, position.racks[side]
    tile, has = next(
        ((t, counts.get(t, 0)) for t, n in Counter(rack).items() if n > counts.get(t, 0)), ("", 0)
    )
    name, shown = config.players[side], rack or "nothing"
    if tile:
        number = rack.count(tile)
        flag = make_flag(
            "rack_unknown",
            variant="impossible",
            side=side,
            player=name,
            reported=shown,
            count=number,
            tile=tile,
            has=has,
        )
    elif len(rack) != due:
        flag = make_flag(
            "rack_unknown",
            variant="count",
            side=side,
            player=name,
            reported=shown,
            count=len(rack),
            due=due,
        )
    return None if flag is None else judge(flag, config.rulebook)


def own_rack(
    position: Position, side: Side, board: Board, config: GameConfig
) -> tuple[str | None, Flag | None]:
    """A rack if neither player is out, and what is doubtful about it.

    It is what was reported, or all else that is unseen where the bag is empty and the opponent's is
    known.

    Args:
        position: how the game stands.
        side: whose rack.
        board: as it lay when the game ended.
        config: players, tile set and rules.
    """
    rack = position.reported.get(side)
    if rack is not None:
        if flag := refused(position, side, rack, config):
            return None, flag
        counted, _ = _unseen(board, position.set_aside, config)
        if Counter(rack) - counted:  # nor can what could not be read be among them
            return rack, _differs(side, rack, "".join(sorted(counted.elements())), config)
        return rack, None
    if (rest := _other_rack(position, side, board, config)) is not None:
        return rest, None
    player = config.players[side]
    return None, judge(
        make_flag("rack_unknown", variant="own", side=side, player=player), config.rulebook
    )


def opponent_rack(position: Position, out: Turn, config: GameConfig) -> tuple[str, Flag | None]:
    """The rack that is left when a player is out, and what is doubtful about it.

    It is what was reported, or else every tile not seen on the board, if those are as many
    as must be on that rack.
    """
    side = other(out.side)
    unseen, unsure = _unseen(out.after, position.set_aside, config)
    counted = "".join(sorted(unseen.elements()))
    sure = not unsure and len(counted) == position.racks[side]
    name = config.players[side]
    rack = position.reported.get(side)
    if rack is not None:
        if flag := refused(position, side, rack, config):
            return "", flag
        if Counter(rack) - unseen or (sure and sorted(rack) != sorted(counted)):
            return rack, _differs(side, rack, counted, config)
        return rack, None
    if sure:
        return counted, None
    unseen_count, expected = len(counted), position.racks[side]
    flag = make_flag(
        "rack_unknown", variant="needed", side=side, player=name, unseen=unseen_count, due=expected
    )
    return "", judge(flag, config.rulebook)


def _unseen(board: Board, aside: str, config: GameConfig) -> tuple[Counter[str], bool]:
    """The tiles neither on a board nor set aside, and whether that is unsure."""
    left = Counter(config.tile_set.unseen(board.symbols))
    left.subtract(aside)
    unsure = any(count < 0 for count in left.values()) or any(
        symbol in (FACE_DOWN, UNREADABLE) for symbol in board.symbols
    )
    return Counter({tile: count for tile, count in left.items() if count > 0}), unsure


def _other_rack(position: Position, side: Side, board: Board, config: GameConfig) -> str | None:
    """A rack that follows from the opponent's once the bag is empty: all else that is unseen."""
    known = position.reported.get(other(side))
    if known is None or position.bag or refused(position, other(side), known, config) is not None:
        return None
    left, unsure = _unseen(board, position.set_aside, config)
    left.subtract(known)
    if unsure or any(count < 0 for count in left.values()):
        return None
    rack = "".join(sorted(left.elements()))
    return rack if len(rack) == position.racks[side] else None


def _differs(side: Side, rack: str, counted: str, config: GameConfig) -> Flag:
    flag = make_flag(
        "rack_unknown",
        variant="differs",
        visibility="director",
        side=side,
        player=config.players[side],
        reported=rack,
        counted=counted,
    )
    return judge(flag, config.rulebook)
