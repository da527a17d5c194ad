"""The change between two sightings of the board, tile by tile.

The camera sees positions, not hands: a tile that is gone from one square while the same letter is
new on another may have been moved, or taken off while one like it was played. :func:`compare`
chooses the explanation of the board that needs the fewest odd acts:

* tiles that are new on squares where another tile lay are matched first with tiles of that letter
  that are gone, nearest first: a word that slid by a square is found so;
* a new tile on an empty square counts as moved only if the same letter is gone from elsewhere *and*
  it is not wanted for the play: it lies off the line of the other new tiles or does not join them;
* where every new tile may have been moved, they are a play if they lie as one may (in one line,
  without a gap, joined to tiles that stayed) and are not just the tiles that are gone, all shifted
  alike: a play that was taken back leaves such a board when the answer to it happens to use the
  same letters;
* where more tiles are new than the player can have had, and one of them is the same as an earlier
  tile that is gone or cannot be seen, that one was moved, if the others lie as a play may;
* every other new tile on an empty square is played, every other tile gone is removed, and every
  other square that shows another tile is replaced.

A square that could not be read changes nothing that was known before. An unreadable square between
played tiles of one line, or the only one at their ends that joins them to earlier tiles, is taken
for a tile of that play, worth nothing until somebody says what it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal, NamedTuple

from game.board import (
    CENTRE,
    EMPTY,
    FACE_DOWN,
    SIZE,
    UNDESIGNATED,
    UNREADABLE,
    Board,
    Square,
    is_blank,
    neighbours,
)


class Change(NamedTuple):
    """The difference between the board as known before and as seen now."""

    before: Board
    after: Board
    """The board as it is now taken to be: the sighting, with unseen squares as they were."""
    placed: Mapping[Square, str]
    """New tiles that make up the play, in reading order."""
    moved: tuple[tuple[Square, Square], ...]
    """Earlier tiles that lie elsewhere now, as (from, to)."""
    removed: Mapping[Square, str]
    """Earlier tiles that are gone."""
    replaced: Mapping[Square, tuple[str, str]]
    """Squares of earlier tiles that now show another tile, as (earlier, now)."""
    turned_over: tuple[Square, ...]
    """Earlier tiles that lie face down now."""
    resolved: Mapping[Square, str]
    """Squares, unreadable or face down before, that can be read now."""
    unreadable: tuple[Square, ...]
    """Squares, empty before, of which the camera could not tell whether a tile lies there."""
    covered: tuple[Square, ...]
    """Squares of earlier tiles that could not be seen."""
    changed: Mapping[Square, str]
    """The symbol on every square on which ``after`` differs from ``before``, in reading order."""

    @property
    def tiles_added(self) -> int:
        """The number of new tiles, however they lie: by how many the board has grown.

        A tile that is removed takes none of them back. If a tile seems to have moved and another
        tile lies on its old square, one is new; one that only shows another letter is not.
        """
        return len(self.placed) + sum(there in self.replaced for there, _ in self.moved)

    @property
    def disturbed(self) -> bool:
        """True if earlier tiles were moved, removed or replaced."""
        return bool(self.moved or self.removed or self.replaced)

    def with_unreadable(self, squares: tuple[Square, ...]) -> Change:
        """Return the change with other squares of which it is open whether a tile lies there."""
        return self._replace(unreadable=squares)


def same_tile(earlier: str, now: str) -> bool:
    """True if two readings of a square can be of one tile; any two blanks can."""
    return earlier == now or (is_blank(earlier) and is_blank(now))


def lies_as_play(board: Board, squares: Collection[Square]) -> bool:
    """True if tiles on these squares are one unbroken line that joins tiles on the board.

    ``squares`` are empty on ``board``, and at least one is given. On a board without tiles any
    unbroken line will do.
    """
    first, last = min(squares), max(squares)
    if first.row != last.row and any(square.col != first.col for square in squares):
        return False
    across, at = first.row == last.row, first
    while at != last:
        at = at.step(across)
        if at not in squares and board[at] == EMPTY:
            return False
    return not board.symbols or any(map(board.touches, squares))


def chained(start: Iterable[Square], among: Collection[Square]) -> set[Square]:
    """Return ``start`` and all squares of ``among`` joined to it, neighbour by neighbour."""
    joined = set(start)
    frontier = list(joined)
    while frontier:
        for near in neighbours(frontier.pop()):
            if near in among and near not in joined:
                joined.add(near)
                frontier.append(near)
    return joined


_Kind = Literal[
    "fresh", "gone", "swapped", "resolved", "cleared", "turned", "unreadable", "covered", "same"
]
"""The difference on one square, before it is known which tiles belong together. ``cleared``: an
unreadable square is empty, or a blank has its letter now. ``same``: both are blanks."""

_LEFT: frozenset[_Kind] = frozenset({"turned", "unreadable", "covered", "same"})
"""Kinds of differences after which a square is taken to hold what it held before."""


def _kind(earlier: str, now: str) -> _Kind:
    if now == UNREADABLE:
        return "unreadable" if earlier == EMPTY else "covered"
    if earlier == EMPTY:
        return "fresh"
    if now == EMPTY:
        return "cleared" if earlier == UNREADABLE else "gone"
    if earlier in (UNREADABLE, FACE_DOWN):
        return "resolved"
    if now == FACE_DOWN:
        return "turned"
    if is_blank(earlier) and is_blank(now):
        # A letter was given by somebody; the camera cannot know better.
        return "cleared" if earlier == UNDESIGNATED else "same"
    return "swapped"


def compare(before: Board, seen: Board, rack: int = SIZE) -> Change:
    """Return the change from the board known before to the board seen now.

    ``rack`` is the most tiles that the player can have placed, if that is known.
    """
    different = before.diff(seen)
    found: dict[_Kind, list[Square]] = {}
    after: dict[Square, str] = {}
    shown = zip(different, before.text(different), seen.text(different), strict=True)
    for square, earlier, now in shown:
        kind = _kind(earlier, now)
        found.setdefault(kind, []).append(square)
        if kind not in _LEFT:
            after[square] = now
    if found.keys() <= {"fresh"} and len(different) <= rack:  # as after most turns
        return Change(before, seen, after, (), {}, {}, (), {}, (), (), after)
    fresh = {square: after[square] for square in found.get("fresh", ())}
    gone = {square: before[square] for square in found.get("gone", ())}
    swapped = {square: (before[square], after[square]) for square in found.get("swapped", ())}
    unreadable, covered = found.get("unreadable", []), found.get("covered", [])
    moved = _moves(before, fresh, gone, swapped)
    if len(fresh) - len(moved) > rack:
        moved += _surplus(before, fresh, {**gone, **{s: before[s] for s in covered}}, moved, rack)
        hidden = [square for square, _ in moved if square in covered]
        after.update(dict.fromkeys(hidden, EMPTY))
        covered = [square for square in covered if square not in hidden]
    left = {origin for origin, _ in moved}
    arrived = {target for _, target in moved}
    placed = {square: symbol for square, symbol in fresh.items() if square not in arrived}
    if bridged := _bridged(before, placed, unreadable):
        for square in bridged:
            placed[square] = after[square] = UNREADABLE
            unreadable.remove(square)
        placed, after = dict(sorted(placed.items())), dict(sorted(after.items()))
    removed = {square: symbol for square, symbol in gone.items() if square not in left}
    replaced = {}
    for square, pair in swapped.items():
        if square not in arrived:
            replaced[square] = pair
        elif square not in left:
            removed[square] = before[square]
    return Change(
        before=before,
        after=seen if len(after) == len(different) else before.replace(after),
        placed=placed,
        moved=tuple(sorted(moved)),
        removed=dict(sorted(removed.items())),
        replaced=replaced,
        turned_over=tuple(found.get("turned", ())),
        resolved={square: after[square] for square in found.get("resolved", ())},
        unreadable=tuple(unreadable),
        covered=tuple(covered),
        changed=after,
    )


def _moves(
    before: Board,
    fresh: Mapping[Square, str],
    gone: Mapping[Square, str],
    swapped: Mapping[Square, tuple[str, str]],
) -> list[tuple[Square, Square]]:
    """Return the (from, to) squares of earlier tiles that moved; the module's text has the rule."""
    origins = dict(gone) | {square: earlier for square, (earlier, _) in swapped.items()}
    if not origins:
        return []
    moves: list[tuple[Square, Square]] = []

    def take(target: Square, symbol: str) -> bool:
        near = [o for o, tile in origins.items() if o != target and same_tile(tile, symbol)]
        if not near:
            return False
        origin = min(near, key=lambda o: (_distance(o, target), o))
        del origins[origin]
        moves.append((origin, target))
        return True

    for square, (_, now) in swapped.items():
        take(square, now)
    suspects = [
        square
        for square, symbol in fresh.items()
        if any(same_tile(tile, symbol) for tile in origins.values())
    ]
    wanted = set(fresh) - set(suspects)
    if wanted:
        off = _off_the_play(before, suspects, wanted)
    elif _lies_as_a_play(before, origins, suspects) and not _shifted(origins, fresh):
        off = []
    else:
        off = suspects
    for square in off:
        take(square, fresh[square])
    return moves


def _surplus(
    before: Board,
    fresh: Mapping[Square, str],
    origins: Mapping[Square, str],
    moved: list[tuple[Square, Square]],
    rack: int,
) -> list[tuple[Square, Square]]:
    """Return a tile that moved, as (from, to), if the play is larger than the rack; else nothing.

    The module's text has the rule. Nothing is returned if several tiles might be that one.
    """
    left = {origin for origin, _ in moved}
    placed = set(fresh) - {target for _, target in moved}
    pairs = [
        (origin, target)
        for origin, tile in origins.items()
        for target in sorted(placed)
        if origin not in left and same_tile(tile, fresh[target])
    ]
    fits = [
        (origin, target)
        for origin, target in pairs
        if len(placed) - 1 <= rack
        and _lies_as_a_play(before, dict.fromkeys((*left, origin), EMPTY), placed - {target})
    ]
    targets = {target for _, target in fits}
    if len(targets) != 1:
        return []
    target = targets.pop()
    return [min(fits, key=lambda pair: _distance(pair[0], target))]


def _shifted(gone: Mapping[Square, str], fresh: Mapping[Square, str]) -> bool:
    """True if the new tiles are the tiles that are gone, all shifted by the same step."""
    if len(gone) != len(fresh):
        return False
    pairs = list(zip(sorted(gone), sorted(fresh), strict=True))
    shifts = {(new.row - old.row, new.col - old.col) for old, new in pairs}
    return len(shifts) == 1 and all(same_tile(gone[old], fresh[new]) for old, new in pairs)


def _distance(one: Square, other: Square) -> int:
    return abs(one.row - other.row) + abs(one.col - other.col)


def _lies_as_a_play(before: Board, gone: Mapping[Square, str], squares: Collection[Square]) -> bool:
    """True if tiles on ``squares`` would be a legal placement once the ``gone`` tiles are off."""
    stayed = before.replace(dict.fromkeys(gone, EMPTY))
    if not squares or not (stayed.symbols or CENTRE in squares):
        return False
    return lies_as_play(stayed, squares)


def _off_the_play(before: Board, suspects: list[Square], wanted: set[Square]) -> list[Square]:
    """Return the suspects that are not needed for the play of the ``wanted`` tiles."""
    rows, cols = {s.row for s in wanted}, {s.col for s in wanted}
    # The play's tiles, grown through suspects and earlier tiles along the lines it may run.
    joined = set(wanted)
    frontier = list(wanted)
    candidates = set(suspects)
    while frontier:
        square = frontier.pop()
        for across in (True, False):
            if (across and len(rows) > 1) or (not across and len(cols) > 1):
                continue
            for by in (1, -1):
                at = square.step(across, by)
                while before.get(at) != EMPTY:
                    at = at.step(across, by)
                if at in candidates and at not in joined:
                    joined.add(at)
                    frontier.append(at)
                    rows.add(at.row)
                    cols.add(at.col)
    # A suspect between the outermost tiles of the line fills a gap: it is wanted too.
    for square in suspects:
        inside_row = rows == {square.row} and min(cols) < square.col < max(cols)
        inside_col = cols == {square.col} and min(rows) < square.row < max(rows)
        if inside_row or inside_col:
            joined.add(square)
    return [square for square in suspects if square not in joined]


def _bridged(before: Board, placed: Mapping[Square, str], unreadable: list[Square]) -> list[Square]:
    """Return unreadable squares that complete a play: between its tiles, or to earlier tiles."""
    if not placed or not unreadable:
        return []
    rows, cols = {s.row for s in placed}, {s.col for s in placed}
    if len(rows) > 1 and len(cols) > 1:
        return []
    first, last = min(placed), max(placed)
    line = [s for s in unreadable if {s.row} == rows or {s.col} == cols]
    between = [s for s in line if first < s < last]
    if not before.symbols or any(map(before.touches, (*placed, *between))):
        return between
    ends = [
        square
        for across in (True, False)
        for square in (first.step(across, -1), last.step(across, 1))
        if square in line and before.touches(square)
    ]
    return sorted([*between, *ends]) if len(ends) == 1 else between


def may_hold_play(change: Change) -> frozenset[Square]:
    """Return the squares that could not be seen and may hold a part of the play.

    A play is one unbroken line. If some of its tiles can be seen, others can only lie next to their
    ends or between them. If none can, all of it may be hidden, but only where it would join earlier
    tiles or cover the centre.
    """
    hidden = set(change.unreadable)
    bridged = {square for square, symbol in change.placed.items() if symbol == UNREADABLE}
    placed = [square for square in change.placed if square not in bridged]
    if not placed:
        unseen, before = hidden | bridged, change.before
        opening = not before.symbols
        start = [s for s in unseen if before.touches(s) or (opening and s == CENTRE)]
        return frozenset(chained(start, unseen))
    rows, cols = {s.row for s in placed}, {s.col for s in placed}
    ways = [way for way, lines in ((True, rows), (False, cols)) if len(lines) == 1]
    found = set(bridged)
    for square in placed:
        for across in ways or (True, False):
            for by in (1, -1):
                at = square.step(across, by)
                while at not in hidden and change.after.get(at) != EMPTY:
                    at = at.step(across, by)
                if at in hidden:
                    found.add(at)  # if it is empty, nothing beyond it matters
    return frozenset(found)
