"""The racks at the end of a game: reported racks, racks found by count, and flags for doubts.

A reported rack is checked against the tile set and against the number of tiles that the player
should hold. A rack with more of a letter than the set, or with a wrong number of tiles, scores
nothing at first. It counts once somebody enters that the set was altered
(:class:`~game.events.SetAltered`) or that the tiles on the rack were counted
(``RackReported.counted``).
"""

from __future__ import annotations

from collections import Counter

from game.board import FACE_DOWN, UNREADABLE, Board
from game.events import Side, other
from game.flags import Flag, make_flag
from game.referee.position import GameConfig, Position, Turn
from game.rulebooks.judging import judge


def refused(position: Position, side: Side, rack: str, config: GameConfig) -> Flag | None:
    """Return the flag for a reported rack that is impossible or of a wrong size, else None."""
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
    """Return a player's rack when neither player is out, and the flag if it is doubtful.

    The rack is the reported one. Else, if the bag is empty and the opponent's rack is known, it is
    all the other unseen tiles. It is None if neither gives a valid rack.

    Args:
        position: the position at the end.
        side: the player.
        board: the board when the game ended.
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
    """Return the rack still held by the opponent of a player who is out, and the flag if doubtful.

    The rack is the reported one. Else it is every tile not seen on the board, if their number is
    right. It is empty if neither gives a valid rack. ``out`` is the turn with which the player went
    out.
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
    """Return the tiles neither on the board nor set aside, and True if these are uncertain."""
    left = Counter(config.tile_set.unseen(board.symbols))
    left.subtract(aside)
    unsure = any(count < 0 for count in left.values()) or any(
        symbol in (FACE_DOWN, UNREADABLE) for symbol in board.symbols
    )
    return Counter({tile: count for tile, count in left.items() if count > 0}), unsure


def _other_rack(position: Position, side: Side, board: Board, config: GameConfig) -> str | None:
    """Return a player's rack as all unseen tiles that the opponent does not hold; else None.

    This needs an empty bag, a known rack of the opponent, and the right number of tiles.
    """
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
