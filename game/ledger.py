"""The ledger of a game: what was seen in order, what was said about it, and the tallies.

The entries stand in the order in which they became known; what was said about a turn lies
beside them. The tallies follow from both: a new entry adds one, and something new about an
earlier turn has the tallies from that turn on taken again. What the clock and the board show
of a turn (a challenge that was upheld or failed) is inferred while they are taken, so that it
too follows from the entries and from what was said, in whatever order that arrived.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from game.after_press import after_press
from game.board import Board
from game.change import compare, same_tile
from game.ending import end_reason
from game.events import (
    SIDES,
    ChallengeBonus,
    PenaltyAdded,
    RackReported,
    Ruling,
    Side,
    TilesChanged,
    TurnSeen,
    other,
)
from game.flags import make_flag
from game.said import NOTHING_SAID, Said
from game.tally import Setting, Tally
from game.turn import Circumstances, take_turn

AFTER_END = "The game had ended."


@dataclass(frozen=True)
class Seen:
    """A turn on the ledger: the sighting and what the clock told."""

    event: TurnSeen
    clocks_ns: Mapping[Side, int] | None
    """What the clocks showed after the turn, by the presses alone."""
    stopped_ns: int | None = None
    """When the clock was stopped between the turn before and this one, if it was."""
    restarted: Side | None = None
    """Whose clock was then started again before this turn ended; None where the player on
    turn pressed the own button next."""


Entry = Seen | TilesChanged | ChallengeBonus | PenaltyAdded | RackReported


@dataclass(frozen=True)
class Limit:
    """How the game stood when somebody used up the overtime too."""

    side: Side
    scores: Mapping[Side, int]
    clocks_ns: Mapping[Side, int]
    after_turn: int


@dataclass(frozen=True)
class Ledger:
    """Entries, what was said, and how the game stood before each entry and after the last."""

    entries: tuple[Entry, ...]
    tallies: tuple[Tally, ...]
    said: Mapping[int, Said] = field(default_factory=dict)
    inferred: Mapping[int, Ruling] = field(default_factory=dict)
    """What the clock and the board show of a turn, by its number."""
    limit: Limit | None = None

    @property
    def tally(self) -> Tally:
        """How the game stands."""
        return self.tallies[-1]

    def about(self, number: int) -> Said:
        """What was said about a turn."""
        return self.said.get(number, NOTHING_SAID)

    def append(self, entry: Entry, setting: Setting) -> Ledger:
        """One more entry."""
        return _run(replace(self, entries=(*self.entries, entry)), len(self.entries), setting)

    def say(self, number: int, said: Said, setting: Setting) -> Ledger:
        """Something new about a turn: it and everything after it is taken again."""
        # The turn before may owe its kind to what this one shows.
        ledger = replace(self, said={**self.said, number: said})
        return ledger.again(number - 1, setting)

    def again(self, number: int, setting: Setting) -> Ledger:
        """Take everything again from a turn on."""
        first = 0
        for at, tally in enumerate(self.tallies):
            if len(tally.turns) >= max(1, number):
                first = at - 1
                break
        kept = {n: ruling for n, ruling in self.inferred.items() if n < number}
        limit = self.limit if self.limit and self.limit.after_turn < number - 1 else None
        return _run(replace(self, inferred=kept, limit=limit), first, setting)


def _run(ledger: Ledger, first: int, setting: Setting) -> Ledger:
    """Take the entries from ``first`` on."""
    tallies = list(ledger.tallies[: first + 1])
    inferred = dict(ledger.inferred)
    limit = ledger.limit
    at = first
    while at < len(ledger.entries):
        entry, tally = ledger.entries[at], tallies[at]
        if isinstance(entry, Seen):
            number = len(tally.turns)
            upheld = number and number not in inferred and _upheld(ledger, entry, tally)
            if upheld:
                # The turn before was challenged off: take it again as that.
                inferred[number] = "challenge_upheld"
                at = next(i for i, t in enumerate(tallies) if len(t.turns) == number) - 1
                del tallies[at + 1 :]
                continue
            if limit is None and entry.clocks_ns is not None:
                side = _over_limit(entry, setting)
                if side is not None:
                    clocks = _shown(entry.clocks_ns, setting)
                    limit = Limit(side, tally.scores, clocks, number)
            if lost := _lost_turn(ledger, entry, tally, setting):
                inferred[number + 1] = lost
        tallies.append(_step(ledger, tally, entry, setting, inferred))
        at += 1
    return replace(ledger, tallies=tuple(tallies), inferred=inferred, limit=limit)


def _step(
    ledger: Ledger,
    tally: Tally,
    entry: Entry,
    setting: Setting,
    inferred: Mapping[int, Ruling],
) -> Tally:
    match entry:
        case Seen():
            return _turn(ledger, tally, entry, setting, inferred)
        case TilesChanged():
            return after_press(tally, entry, setting)
        case ChallengeBonus():
            return tally.credit(entry.side, entry.points)
        case PenaltyAdded():
            return tally.credit(entry.side, -entry.points)
        case RackReported():
            return replace(tally, reported={**tally.reported, entry.side: entry.tiles})


def _turn(
    ledger: Ledger, tally: Tally, entry: Seen, setting: Setting, inferred: Mapping[int, Ruling]
) -> Tally:
    number = len(tally.turns) + 1
    side = entry.event.side
    clock = None if entry.clocks_ns is None else entry.clocks_ns[side]
    found = tuple(
        (earlier, said.ruling == "illegal_play")
        for earlier, said in sorted(ledger.said.items())
        if said.ruling in ("illegal_play", "illegal_play_unknown")
        and said.ruled_after == number
        and (earlier < number or said.ruling == "illegal_play_unknown")
    )
    over = end_reason(tally, setting, stopped=entry.stopped_ns is not None)
    if over is not None and setting.rulebook.scoreless_goes_on and over == "six_zeros":
        over = None
    now = Circumstances(
        clock_ns=None if clock is None else clock + setting.added_ns.get(side, 0),
        inferred=inferred.get(number),
        late=any(
            said.ruling in ("challenge_upheld", "taken_back", "illegal_play")
            and earlier < number <= said.ruled_after
            for earlier, said in ledger.said.items()
        ),
        over=None if over is None else AFTER_END,
        found=found,
    )
    after = take_turn(tally, entry.event, ledger.about(number), setting, now)
    if _unclear(ledger, entry, tally, setting):
        last = after.turns[-1]
        text = (
            f"The clock was stopped and started again after turn {number - 1}: if it was a "
            "challenge that failed, how many words were challenged?"
        )
        flags = (*last.flags, make_flag("challenge_unclear", text, turn=number - 1))
        after = replace(after, turns=(*after.turns[:-1], replace(last, flags=flags)))
    return after


def _upheld(ledger: Ledger, entry: Seen, tally: Tally) -> bool:
    """Whether the turn before was challenged off the board, by clock and board alone.

    The opponent stopped the clock after it, the tiles of the play and no others went, and the
    opponent's clock was started again.
    """
    last = tally.turns[-1]
    if last.kind != "play" or ledger.about(last.number).ruling is not None:
        return False
    if entry.stopped_ns is None or entry.event.side == last.side or not last.tiles:
        return False
    seen = Board.from_rows(entry.event.rows)
    change = compare(tally.board, seen)
    gone = {*change.removed, *change.replaced, *(origin for origin, _ in change.moved)}
    tiles = {square for square in change.before.tiles() if square.name in last.tiles}
    if entry.restarted != entry.event.side and not change.placed and not change.replaced:
        return False  # nobody's clock was started but by ending this turn, and nothing played
    return gone == tiles and not any(
        same_tile(tally.board[square], seen[square]) for square in tiles
    )


def _lost_turn(ledger: Ledger, entry: Seen, tally: Tally, setting: Setting) -> Ruling | None:
    """``challenge_failed`` where a turn was lost by challenging a good play.

    Somebody ruled so of the play before; or the clock was stopped after it and the next
    button started the other side's clock, with nothing changed on the board.
    """
    if setting.rulebook.challenge_failed != "lose_turn" or not tally.turns:
        return None
    last = tally.turns[-1]
    if last.kind != "play" or entry.event.side == last.side:
        return None
    ruling = ledger.about(last.number).ruling
    if ruling == "challenge_failed":
        return "challenge_failed"
    if ruling is None and entry.stopped_ns is not None and entry.restarted is None:
        return "challenge_failed"
    return None


def _unclear(ledger: Ledger, entry: Seen, before: Tally, setting: Setting) -> bool:
    """Whether points may be due for a challenge that nobody has said anything about."""
    if setting.rulebook.challenge_failed != "points" or not before.turns:
        return False
    last = before.turns[-1]
    if entry.stopped_ns is None or entry.restarted != other(last.side) or last.kind != "play":
        return False
    bonus = any(
        isinstance(line, ChallengeBonus) and len(tally.turns) == last.number
        for line, tally in zip(ledger.entries, ledger.tallies, strict=False)
    )
    return ledger.about(last.number).ruling is None and not bonus and last.kind == "play"


def _shown(clocks_ns: Mapping[Side, int], setting: Setting) -> dict[Side, int]:
    return {side: clocks_ns[side] + setting.added_ns.get(side, 0) for side in SIDES}


def _over_limit(entry: Seen, setting: Setting) -> Side | None:
    """Who had used up the overtime too when the turn ended."""
    if entry.clocks_ns is None:
        return None
    return limit_side(_shown(entry.clocks_ns, setting), setting)


def limit_side(shown: Mapping[Side, int], setting: Setting) -> Side | None:
    """Whose clock is past the limit on overtime; the one that is further past it of two."""
    late = [(shown[side], side) for side in SIDES if setting.rulebook.over_limit(shown[side])]
    return min(late)[1] if late else None


def trial(ledger: Ledger, entry: Seen, setting: Setting) -> bool:
    """Whether an entry after the end would be a play, or undo the play before it."""
    last = len(ledger.tally.turns)
    after = ledger.append(entry, setting)
    return bool(after.tally.turns[-1].tiles) or after.inferred.get(last) == "challenge_upheld"
