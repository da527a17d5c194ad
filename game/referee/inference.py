"""Infer what a turn without a ruling was, from the clock, the board and the racks.

* Challenged off: the clock was stopped after a play, its tiles and no others went, and the
  opponent's clock was started again. If the next play covers some of the same squares, sightings
  made while the clock stood decide.
* Challenge failed, under loss of turn: the clock was stopped after a play, and the next button
  started the other side's clock with nothing changed.
* Pass or exchange: nothing was played. The turn was a pass if the racks known before it and before
  the player's next turn are the same, otherwise an exchange.
* No turn: a play lacked what the rulebook lets the opponent ask for by starting the player's clock
  again. The opponent did so, and the player pressed again, with nothing played. Neither press ended
  a turn. Or a player on turn started the clock that stood by the own button, with nothing played,
  and then had a turn.

Whatever else may have been a challenge is asked about (:func:`unclear`), and the game goes on. A
stop for which somebody has entered another reason counts as no challenge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Literal, NamedTuple

from game.board import EMPTY, FACE_DOWN, UNDESIGNATED, Board, Square
from game.events import Ruling, Side, TurnEnding, TurnSeen, other
from game.guidance import Remedy
from game.plays.change import compare, same_tile
from game.referee.between_turns import gone, played_over, put_back_swapped, tiles_of
from game.referee.position import Position, Turn, last_turn, unseen
from game.referee.turn_rulings import NO_RULINGS, TurnRulings
from game.rulebooks.loading import SECOND, Rulebook


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop of the clock between two turns."""

    at_ns: int
    at_desk: bool = False
    """True if a director at the desk stopped the clock. They would enter a ruling there, too."""
    restarted: Side | None = None
    """The player whose clock was started again before the next stop and the end of the next turn;
    None if the player on turn pressed their own button next."""


def stop_at(stops: Sequence[Stop], t_ns: int) -> int | None:
    """Return the moment of the stop that something entered for ``t_ns`` is about.

    It is the last stop by then, or else the first after it; None if there is none.
    """
    by_then = [stop.at_ns for stop in stops if stop.at_ns <= t_ns]
    return by_then[-1] if by_then else next((stop.at_ns for stop in stops), None)


@dataclass(frozen=True)
class Seen:
    """A turn on the ledger: the sighting and the clock."""

    event: TurnSeen
    clocks_ns: Mapping[Side, int] | None
    """The time on each clock after the turn, by the presses alone; None for a turn without
    clocks."""
    stops: tuple[Stop, ...] = ()
    """The stops of the clock between the turn before and this one, in order."""
    at_stop: bool = False
    """True if the press that ended the turn stopped both clocks."""
    passed: bool = False
    """True if the game's first press ended the turn, and the rulebook makes that a pass."""
    shown_clock_ns: int | None = None
    """The time on the player's clock, by the presses alone, when the opponent showed the rack
    before the press that ended this turn. None if they did not, or if showing has no effect under
    the rulebook."""
    id: int = field(default=0, compare=False)
    """The number of the event that brought the turn in; it stays when turns are renumbered."""
    absorbed: frozenset[int] = field(default=frozenset(), compare=False)
    """The ids of turns that were joined into this one."""
    whole: Seen | None = field(default=None, compare=False)
    """The turn as it was before it was divided; None if it was not."""
    ended: TurnEnding | None = None
    """How the turn ended without a press; None if somebody pressed."""
    assigned: bool = False
    """True if somebody has entered which tiles were this turn's."""


_BY_PLAYER = frozenset({"restart_clock", "demand_letter"})
"""Remedies for faults that the player has to correct if the opponent may ask for it."""
_LACKS = {UNDESIGNATED: "blank_undesignated", FACE_DOWN: "face_down"}
"""The code of the flag for a tile that was read as this symbol and corrected later."""
_NOTICED_NS = 20 * SECOND
"""The longest time after a play in which its fault is seen "immediately" (WESPA 2021 3.8(b))."""
_RIGHTED_NS = 60 * SECOND
"""The longest time that it takes to write down a letter or to turn tiles."""


class Evidence(NamedTuple):
    """A turn that was just seen, with everything that may explain it and the turns before it."""

    entry: Seen
    seen: Board
    """The turn's reading with all its corrections."""
    before: Position
    last: Turn
    """The last turn before it that counts, or a press that was none if there is none."""
    press: Turn
    """The turn of the press before it, even if that press ended no turn."""
    rulings: Mapping[int, TurnRulings]
    book: Rulebook
    off: bool
    """True if the play before it was last seen off the board while the clock stood."""
    back: Seen
    """The sighting of the press before it."""

    @property
    def known(self) -> TurnRulings:
        """The rulings on the last turn before it that counts."""
        return self.rulings.get(self.last.number, NO_RULINGS)

    @property
    def nullified(self) -> bool:
        """True if somebody ruled the press before it no turn: the clock may have stood for that."""
        return self.press.kind == "undone" and not self.press.inferred

    @property
    def challenges(self) -> list[Stop]:
        """The stops since the press before that may have been for a challenge of the last turn."""
        stops = self.entry.stops
        since = rulings_since(self.before, self.rulings) if stops else []
        return [stop for stop in stops if all(one.may_be_challenge(stop.at_ns) for one in since)]


def rulings_since(position: Position, rulings: Mapping[int, TurnRulings]) -> list[TurnRulings]:
    """Return the rulings on the last turn that counts, and on the presses since."""
    last = position.last
    since = () if last is None else position.turns[last.number - 1 :]
    return [rulings.get(turn.number, NO_RULINGS) for turn in since]


def explained(by: Evidence, inferred: Mapping[int, Ruling]) -> tuple[int, Ruling] | None:
    """Return the number and kind of an earlier turn if this turn shows what it was, else None.

    ``inferred`` has the kinds of earlier turns that are already known in this way, by number.
    """
    if by.last.number not in inferred and _upheld(by):
        return by.last.number, "challenge_upheld"
    number = by.press.number
    ruled = by.rulings.get(number, NO_RULINGS).ruling is not None
    started = by.press.kind == "exchange_or_pass" and restarted(by.back, by.entry)
    none = started or given_back(by) == "certain"
    if inferred.get(number) != "undone" and not ruled and none:
        return number, "undone"
    found = _from_racks(by.entry, by.before)
    if found is None or by.rulings.get(found[0], NO_RULINGS).ruling is not None:
        return None
    return found


def restarted(back: Seen, entry: Seen) -> bool:
    """True if the press before only started a clock that stood: its player has the turn now.

    It was of the wrong button, and the opponent's clock ran.
    """
    stood = bool(back.stops) and back.stops[-1].restarted is None
    return stood and entry.event.side == back.event.side


def _upheld(by: Evidence) -> bool:
    """True if clock and board alone show that the turn before was challenged off the board."""
    entry, seen, position, last = by.entry, by.seen, by.before, by.last
    if last.kind != "play" or by.known.ruling is not None or not by.challenges:
        return False
    if entry.event.side == last.side or not last.tiles:
        return False
    change = compare(position.board, seen)
    tiles = tiles_of(change, last)
    started = any(stop.restarted == entry.event.side for stop in entry.stops)
    if not started and not change.placed and not change.replaced:
        return False  # nobody's clock was started but by ending this turn, and nothing played
    if by.off and played_over(position, last, seen):
        return True
    if put_back_swapped(position.board, seen, tiles):
        return False  # or the next play happens to be of the same letters: that is asked
    return gone(change) == tiles and not any(
        same_tile(position.board[square], seen[square]) for square in tiles
    )


def _lost_turn(by: Evidence) -> Ruling | None:
    """Return ``challenge_failed`` if the turn was lost by challenging a good play, else None.

    There are two cases. Somebody has ruled that the challenge of the play before failed. Or the
    clock was stopped after that play, and the next button started the other side's clock with
    nothing changed on the board.
    """
    entry, last, known = by.entry, by.last, by.known
    if by.book.challenge_failed != "lose_turn":
        return None
    if entry.event.side == last.side or last.kind not in ("play", "no_score"):
        return None
    if known.ruling == "challenge_failed":
        return "challenge_failed" if known.costs_turn else None
    if last.kind != "play":
        return None
    standing = set(takewhile(lambda stop: stop.restarted is None, reversed(entry.stops)))
    stopped = not standing.isdisjoint(by.challenges)
    stopped = stopped and not unseen(entry.event) and not by.nullified
    if known.ruling is not None or not stopped:
        return None
    stayed = all(by.seen[square] != EMPTY for square in map(Square.parse, last.tiles))
    return "challenge_failed" if stayed else None


def demanded(
    play: Turn, rulings: TurnRulings, book: Rulebook, since_ns: int | None = None
) -> Remedy | None:
    """Return what the opponent may have asked for by starting the player's clock; None if nothing.

    Args:
        play: the play that may have had a fault.
        rulings: the rulings on the play.
        book: the rules in force.
        since_ns: count only what was still lacking at this time; None for the time of the play's
            press.
    """
    since_ns = play.press_ns if since_ns is None else since_ns
    remedies = [remedy for flag in play.flags for remedy in flag.remedies]
    for square, (corrected_ns, _) in rulings.stamps.items():
        code = _LACKS.get(play.seen.rows[square.row][square.col])
        if code is not None and square.name in play.tiles and corrected_ns > since_ns:
            remedies += book.guide(code).remedies
    found = {one.action: one for one in reversed(remedies) if one.action in _BY_PLAYER}
    return found.get("restart_clock") or found.get("demand_letter")


def _stood(play: Turn, known: TurnRulings, press: Turn) -> bool:
    """True if a play stood when a later press was made, whatever came out of it since."""
    if play.kind == "play":
        return True
    since = play.inferred or known.ruled_after >= press.number
    rows = press.seen.rows
    squares = map(Square.parse, play.tiles)
    return bool(play.tiles) and since and all(rows[s.row][s.col] != EMPTY for s in squares)


def _by_nothing_else(by: Evidence, play: Turn) -> bool:
    """True if by the clock alone the press before gave it back, and this one ended no turn either.

    Each player pressed once after the play. Nobody stopped the clock, and nobody has said what one
    of the presses was.
    """
    entry, back, rulings = by.entry, by.press, by.rulings
    if entry.stops or entry.at_stop or entry.ended:
        return False
    if entry.clocks_ns is None or None in (play.clock_ns, back.clock_ns):
        return False  # a turn of a record, or one that somebody entered, is a turn
    if any(flag.code == "not_pressed" for flag in back.flags):
        return False
    if not play.side == other(back.side) == entry.event.side:
        return False
    after = rulings.get(back.number + 1, NO_RULINGS)
    return after.ruling is None and rulings.get(back.number, NO_RULINGS).ruling in (None, "undone")


def _no_turn_shown(by: Evidence, known: TurnRulings) -> bool:
    """True if nothing shows that the press before ended a turn.

    ``known``: the rulings on the play before that press. A challenge that failed later cost none.
    """
    if by.press.kind == "challenge_failed":
        return not by.back.stops and known.ruled_after >= by.press.number
    return by.press.kind in ("exchange_or_pass", "undone")


def given_back(by: Evidence) -> Literal["certain", "asked"] | None:
    """Tell if the last press only gave the player's clock back so that a fault could be corrected.

    The opponent started the player's clock again with nothing played, and now the player has
    pressed with nothing played. Neither was a pass if the rulebook lets the opponent do so (WESPA
    2021 3.4.1(e)). A fault that was corrected by then may still have been the reason, since nobody
    enters when the players spoke of it.

    Returns:
        ``certain`` if both pressed as soon as it could be done; ``asked`` if somebody has to be
            asked; None if these were turns.
    """
    position, book = by.before, by.book
    if by.press.tiles:
        return None
    play = last_turn(position.turns[:-1])
    if play is None or not _by_nothing_else(by, play):
        return None
    back, known = by.press, by.rulings.get(play.number, NO_RULINGS)
    if not _stood(play, known, back) or not _no_turn_shown(by, known):
        return None
    lacked = demanded(play, known, book)
    lay = position.board.replace(position.withdrawn)
    change = compare(lay, by.seen) if lacked is not None else None
    if change is None or change.placed or gone(change):
        return None
    at_once = back.press_ns - position.turns[-2].press_ns <= _NOTICED_NS
    righted = by.entry.event.press_ns - back.press_ns <= _RIGHTED_NS
    remedy = demanded(play, known, book, back.press_ns - 1)  # at the press it was still lacking
    if remedy is None:
        return "asked" if at_once and righted else None
    certain = remedy.action == "restart_clock" and at_once and righted
    return "certain" if certain else "asked"


def given_back_by(
    position: Position, rulings: Mapping[int, TurnRulings], book: Rulebook
) -> str | None:
    """Return the rule by which a press gave the clock back after a play; None if it did not."""
    play = position.last
    if play is None:
        return None
    remedy = demanded(play, rulings.get(play.number, NO_RULINGS), book)
    return None if remedy is None else remedy.rule


def no_own_turn(by: Evidence) -> Ruling | None:
    """Return the ruling that the turn before gives this one; None if this is a turn of its own.

    ``challenge_failed``: challenging the turn before cost this turn. ``undone``: the two presses
    only gave the player's clock back, or this one gave it back after a press that somebody ruled
    was none: whoever played nothing then was not on turn.
    """
    if by.press.kind == "undone":
        back = given_back(by)
        ruled = by.rulings.get(by.press.number, NO_RULINGS).ruling == "undone"
        if back == "certain" or (ruled and (back == "asked" or _put_back(by))):
            return "undone"
    return _lost_turn(by)


def _put_back(by: Evidence) -> bool:
    """True if the press before was the first after the last turn, and the opponent answered it.

    Nothing was done on the board but that a play came off, and nobody stopped the clock.
    """
    entry, press, turn = by.entry, by.press, by.before.last
    first = turn is None or (turn.side == other(press.side) and press.number == turn.number + 1)
    if not first or entry.event.side != other(press.side) or entry.stops or entry.ended:
        return False
    came_off = {at for at in by.before.withdrawn if by.seen[at] == EMPTY}
    lay = {at: tile for at, tile in by.before.withdrawn.items() if at not in came_off}
    change = compare(by.before.board.replace(lay), by.seen)
    return not (change.placed or gone(change) or change.unreadable)


def _from_racks(entry: Seen, position: Position) -> tuple[int, Ruling] | None:
    """Infer from the racks whether the last turn of the player on turn was a pass or an exchange.

    Returns:
        the number of that turn and ``pass`` or ``exchange``; None if the racks do not show it. An
            exchange for the same tiles looks like a pass and is taken for one.
    """
    side = entry.event.side
    now = position.reported.get(side)
    if now is None:
        return None
    last = next(
        (t for t in reversed(position.turns) if t.side == side and t.kind != "undone"), None
    )
    if last is None or last.rack is None or last.kind != "exchange_or_pass":
        return None
    if not len(now) == len(last.rack) == position.racks[side]:
        return None
    return last.number, "pass" if sorted(now) == sorted(last.rack) else "exchange"


def unclear(by: Evidence, *, bonus: bool) -> str | None:
    """Return the question about the turn before, a variant of ``challenge_unclear``; None if clear.

    ``bonus`` is True if points for an unsuccessful challenge of that turn have been given.
    """
    entry, seen, before, rulings, book = by.entry, by.seen, by.before, by.known, by.book
    last = by.last
    if last.kind != "play" or rulings.ruling is not None or entry.event.side == last.side:
        return None
    tiles = [*map(Square.parse, last.tiles)]
    missing = [square for square in tiles if seen[square] == EMPTY]
    change = compare(before.board, seen)
    removed = change.removed
    if challenges := by.challenges:
        if by.off or not removed.keys().isdisjoint(missing):
            return "went_while_stopped"
        # With another play on the board they are none of this turn.
        if not change.placed and put_back_swapped(before.board, seen, tiles):
            return "swapped_while_stopped"
        points = book.challenge_failed == "points" and not bonus and not by.nullified
        taken_ns = None if rulings.accepted is None else rulings.accepted.moment_ns
        asked = [
            stop
            for stop in challenges
            if (not stop.at_desk or rulings.reason_at(stop.at_ns))
            and (taken_ns is None or stop.at_ns <= taken_ns)
        ]
        if points and any(stop.restarted == other(last.side) for stop in asked):
            return "restarted"
    elif missing and len(missing) == len(last.tiles) and removed.keys() == set(missing):
        return "gone"
    return None
