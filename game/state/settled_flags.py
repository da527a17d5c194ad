"""Settled flags: what they are about no longer holds, or somebody has entered the answer.

A flag on a turn says what was found when the turn was computed, and stays in the record. When its
cause is gone, ``Flag.settled`` gets the number of the event that settled it, and nobody is asked
about it any more. A flag is settled when:

* the tiles are as they were before (a tile moved and moved back, or taken off and put back);
* what could not be seen was seen later, or a later turn has the same flag;
* the tiles that it is about came off, with permission or without;
* a later turn reports the newer state, as with overtime, whose points come off at the end;
* the scoreless turns that end a game do so no longer;
* somebody has entered what is on its squares, or what the turn was, if the flag asks that.

If a correction or ruling makes a flag untrue of its own turn, the flag is not settled but removed:
the turn is computed again without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from game.board import EMPTY, FACE_DOWN, UNDESIGNATED, UNREADABLE, Board, Square, is_blank, is_tile
from game.events import CAMERA, FACTS, Event, SquareCorrected, TurnRuled
from game.flag_codes import Cause
from game.flags import CODES, Flag
from game.plays.change import same_tile
from game.referee.game_over import scoreless_turn
from game.referee.position import Turn
from game.referee.turn_rulings import NO_RULINGS, TurnRulings
from game.state.game_state import GameState
from game.tileset import BLANK
from game.values import replace

__all__ = ["deducted", "settle"]

_OFF = frozenset({"challenge_upheld", "taken_back", "illegal_play"})
"""Kinds of turns whose tiles came off the board."""


@dataclass(frozen=True)
class _About:
    """A flag of a turn, with the evidence that may settle it."""

    flag: Flag
    turn: Turn
    later: tuple[Turn, ...]
    """The turns after ``turn``."""
    displaced: frozenset[Square]
    """Squares whose original tile was moved or swapped and is not back in place."""
    after: GameState
    """The game after the newest event, which its list of events has not got yet."""
    event: Event
    """The newest event."""

    @property
    def rulings(self) -> Mapping[int, TurnRulings]:
        """The rulings on each turn, by its number."""
        return self.after.ledger.rulings

    @property
    def squares(self) -> list[Square]:
        """The squares that the flag names."""
        return [Square.parse(name) for name in self.flag.squares]

    def again(self, square: Square, *codes: str) -> bool:
        """True if a later turn has a flag with one of these codes about a square."""
        return any(
            flag.code in codes and square.name in flag.squares
            for turn in self.later
            for flag in turn.flags
        )

    def came_back(self, square: Square, symbol: str) -> bool:
        """True if ``symbol`` was on the square after any later turn."""
        return any(same_tile(symbol, turn.after[square]) for turn in self.later)

    def read_later(self, square: Square) -> list[str]:
        """Return the readings of the square on later turns."""
        return [turn.seen.rows[square.row][square.col] for turn in self.later]


def settle(before: tuple[Turn, ...], after: GameState, event: Event) -> tuple[Turn, ...]:
    """Return the turns with each settled flag marked by the number of the event that settled it.

    Args:
        before: the turns before the event.
        after: the game after the event, which its list of events has not got yet.
        event: the newest event.
    """
    position, events = after.position, after.progress.events
    turns = position.turns
    flagged = [(at, turn) for at, turn in enumerate(turns) if turn.flags]
    if not flagged:
        return turns
    number = len(events) + 1
    displaced = frozenset(square for lay in position.displaced for square in lay)
    made = list(turns)
    for at, turn in flagged:
        known = before[at].flags if at < len(before) else ()
        flags = []
        for flag in turn.flags:
            about = _About(flag, turn, turns[at + 1 :], displaced, after, event)
            earlier = next((f for f in known if _same(f, flag)), None)
            when = None if earlier is None else earlier.settled
            if when is not None and (
                isinstance(event, FACTS)
                or isinstance(events[when - 1], SquareCorrected | TurnRuled)
            ):
                pass  # what is seen later opens nothing anew, and somebody's word holds
            elif earlier is not None and _answered(about, event):
                when = number  # what had settled it before may go with the answer
            elif _gone(about):
                when = when or number
            else:
                when = None
            flags.append(flag if when is None else replace(flag, settled=when))
        if any(flag.settled is not None for flag in flags):
            made[at] = replace(turn, flags=tuple(flags))
    return tuple(made)


def deducted(before: Sequence[Flag], flags: tuple[Flag, ...], number: int) -> tuple[Flag, ...]:
    """Return flags with those for overtime settled, since the end of the game deducts its points.

    Args:
        before: the same flags before the newest event.
        flags: the flags of a player's turn, or those of the game about a player.
        number: the number of the newest event.
    """
    earlier = next((one.settled for one in before if one.code == "overtime"), None)
    return tuple(
        replace(one, settled=earlier or number)
        if one.code == "overtime" and one.settled is None
        else one
        for one in flags
    )


def _same(earlier: Flag, now: Flag) -> bool:
    """True if ``now`` is the flag ``earlier``, perhaps with fewer squares."""
    return earlier.code == now.code and set(now.squares) <= set(earlier.squares)


def _answered(about: _About, event: Event) -> bool:
    """True if the newest event corrects a square of the flag, and now all squares are answered."""
    asks, squares = CODES[about.flag.code].asks, about.squares
    if not isinstance(event, SquareCorrected) or asks not in ("symbol", "letter") or not squares:
        return False
    if event.square not in about.flag.squares or event.turn < about.turn.number:
        return False
    open_ = (UNREADABLE, FACE_DOWN, UNDESIGNATED if asks == "letter" else "")
    symbols = [
        next(
            (
                s.symbols[at]
                for n, s in about.rulings.items()
                if n >= about.turn.number and at in s.symbols
            ),
            None,
        )
        for at in squares
    ]
    return all(symbol is not None and symbol not in open_ for symbol in symbols)


def _gone(about: _About) -> bool:
    """True if what the flag is about no longer holds."""
    return any(CAUSES[cause](about) for cause in CODES[about.flag.code].settled_by)


def _all(test: Callable[[_About, Square], bool]) -> Callable[[_About], bool]:
    """Return a test that is true if the flag names squares and ``test`` is true of each."""

    def found(about: _About) -> bool:
        squares = about.squares
        return bool(squares) and all(test(about, square) for square in squares)

    return found


def _off(about: _About) -> bool:
    """True if the turn's play came off, and the flag is about no tile that was there before it."""
    before = about.turn.before
    return about.turn.kind in _OFF and all(before[square] == EMPTY for square in about.squares)


def _moved_back(about: _About) -> bool:
    origin = about.squares[:1]
    return bool(origin) and _in_its_place(about, origin[0])


def _in_its_place(about: _About, square: Square) -> bool:
    back = about.came_back(square, about.turn.before[square])
    return back or (bool(about.later) and square not in about.displaced)


def _as_before(about: _About, square: Square) -> bool:
    return about.came_back(square, about.turn.before[square])


def _as_at_press(about: _About, square: Square) -> bool:
    left = about.turn.left_board or about.turn.after
    return same_tile(left[square], about.turn.after[square]) or about.came_back(
        square, left[square]
    )


def _tile_gone(about: _About, square: Square) -> bool:
    """True if a later board no longer has the turn's tile on the square."""
    was = about.turn.after[square]
    return any(not same_tile(was, turn.after[square]) for turn in about.later)


def _set_aside(about: _About, square: Square) -> bool:
    """True if a tile that was turned or askew is gone, or a later turn flags it again."""
    return about.again(square, about.flag.code) or _tile_gone(about, square)


def _seen_later(about: _About, square: Square) -> bool:
    """True if a covered square was read later, or a later turn flags it as covered again."""
    read = about.read_later(square)
    return any(symbol != UNREADABLE for symbol in read) or about.again(square, "board_covered")


def _known_later(about: _About, square: Square) -> bool:
    """True if a later turn asks about the square again, or shows that nothing was there."""
    if about.again(square, "uncertain_square"):
        return True
    nothing_known = square.name not in about.turn.tiles and about.turn.after[square] == EMPTY
    read = about.turn.seen.rows[square.row][square.col]
    if not nothing_known or read != UNREADABLE:
        return False
    first = next((symbol for symbol in about.read_later(square) if symbol != UNREADABLE), None)
    return first == EMPTY


def _covered(about: _About) -> bool:
    if about.flag.squares:
        return all(_seen_later(about, square) for square in about.squares)
    if about.rulings.get(about.turn.number, NO_RULINGS).ruling is not None:
        return True
    hidden = about.turn.seen.rows
    squares = [
        Square(row, col)
        for row, line in enumerate(hidden)
        for col, symbol in enumerate(line)
        if symbol == UNREADABLE
    ]
    corrected = {at for n, s in about.rulings.items() if n >= about.turn.number for at in s.symbols}
    return bool(squares) and all(
        square in corrected or any(symbol != UNREADABLE for symbol in about.read_later(square))
        for square in squares
    )


def _unseen_turn(about: _About) -> bool:
    """True if it is known by now what was played in a turn that was not seen.

    A ruling or a person's correction settles that. Tiles that the camera added later do so only if
    the next turn can hold no tiles of this one; otherwise they may be only a part of the play.
    """
    number = about.turn.number
    rulings = about.rulings.get(number, NO_RULINGS)
    if about.flag.squares or (rulings.ruling is None and not rulings.symbols):
        return False
    if rulings.ruling is not None or _corrected_by_hand(about):
        return True
    following = about.later[:1]
    return bool(following) and not any(_may_be_left_over(flag) for flag in following[0].flags)


def _may_be_left_over(flag: Flag) -> bool:
    """True if the flag leaves open whether its turn holds tiles of the turn before."""
    code = CODES[flag.code]
    return code.placement or code.missed or flag.code == "press_forgotten"


def _corrected_by_hand(about: _About) -> bool:
    return any(
        isinstance(event, SquareCorrected)
        and event.turn == about.turn.number
        and event.by != CAMERA
        for event in chain(about.after.progress.events, (about.event,))
    )


def _turned_up(about: _About, square: Square) -> bool:
    if about.again(square, "face_down", "uncertain_square"):
        return True
    known = is_tile(about.turn.before[square]) and about.turn.before[square] != FACE_DOWN
    return known and any(s not in (FACE_DOWN, UNREADABLE) for s in about.read_later(square))


def _taken_away(about: _About, square: Square) -> bool:
    return EMPTY in about.read_later(square) or about.again(square, "withdrawn_left")


def _within_the_set(about: _About, square: Square) -> bool:
    tile = about.after.tile_set.tile_of(about.turn.after[square])
    has = about.after.tile_set.counts.get(tile)
    return has is not None and any(_count_on(turn.after, tile) <= has for turn in about.later)


def _count_on(board: Board, tile: str) -> int:
    return sum(map(is_blank, board.symbols)) if tile == BLANK else board.symbols.count(tile)


def _said_again(about: _About) -> bool:
    """True if a later turn of the player has a flag with the same code; it has the newer state."""
    return any(
        turn.side == about.turn.side and any(flag.code == about.flag.code for flag in turn.flags)
        for turn in about.later
    )


def _run_broken(about: _About) -> bool:
    """True if the game goes on after scoreless turns: somebody scored since, or reopened it."""
    last = scoreless_turn(about.after.position, about.after.config)
    return last is None or last.number != about.turn.number


def _ruled(about: _About) -> bool:
    return about.rulings.get(about.turn.number, NO_RULINGS).ruling is not None


def _explained(about: _About) -> bool:
    """True if somebody has entered what the stop or the removal of tiles meant.

    Also true if a later turn asks about it again.
    """
    number = about.flag.turn or about.turn.number
    rulings = about.rulings.get(number, NO_RULINGS)
    if rulings.ruling is not None:
        return True
    stops: list[int | None] = [stop.at_ns for stop in about.after.stops_after(number)]
    if not any(rulings.may_be_challenge(at_ns) for at_ns in stops or [None]):
        return True
    return any(
        flag.code == about.flag.code and flag.turn == number
        for turn in about.later
        for flag in turn.flags
    )


CAUSES: Mapping[Cause, Callable[[_About], bool]] = {
    "off": _off,
    "ruled": _ruled,
    "explained": _explained,
    "moved_back": _moved_back,
    "as_before": _all(_as_before),
    "in_its_place": _all(_in_its_place),
    "taken_away": _all(_taken_away),
    "within_the_set": _all(_within_the_set),
    "tile_gone": _all(_tile_gone),
    "set_aside": _all(_set_aside),
    "turned_up": _all(_turned_up),
    "known_later": _all(_known_later),
    "turn_known": _unseen_turn,
    "uncovered": _covered,
    "as_at_press": _all(_as_at_press),
    "said_again": _said_again,
    "run_broken": _run_broken,
}
"""The test for each cause: True if the flag's cause is gone in this way."""
