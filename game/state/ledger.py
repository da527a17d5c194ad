"""The ledger of a game: what was seen in order, what was said about it, and the tallies.

The entries stand in the order in which they became known; what was said about a turn lies
beside them. The tallies follow from both: a new entry adds one, and something new about an
earlier turn has the tallies from that turn on taken again. What the clock and the board show
of a turn (a challenge that was upheld or failed) is inferred while they are taken, so that it
too follows from the entries and from what was said, in whatever order that arrived.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from game.board import Board
from game.events import (
    SIDES,
    BoardSeen,
    ChallengeBonus,
    InfractionNoted,
    PenaltyAdded,
    RackReported,
    Ruling,
    Side,
    TilesChanged,
)
from game.flags import make_flag
from game.referee.after_press import after_press
from game.referee.between_turns import place_of_play, seen_standing
from game.referee.corrected_sightings import corrected
from game.referee.inference import Seen, lost_turn, told_by_racks, unclear, upheld
from game.referee.position import Circumstances, Setting, Tally
from game.referee.turn import take_turn
from game.referee.turn_rulings import NOTHING_SAID, Said
from game.rulebooks.judging import infractions_flag
from game.state.ending import end_reason
from game.values import replace

__all__ = ["AFTER_END", "Ledger", "Limit", "Seen", "ends", "limit_side", "trial"]

AFTER_END = "The game had ended."


Between = TilesChanged | BoardSeen | ChallengeBonus | PenaltyAdded | RackReported | InfractionNoted
Entry = Seen | Between


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

    @property
    def taken_off(self) -> bool:
        """Whether the last play was last seen off the board while the clock stood."""
        return _taken_off(self.entries, self.tallies)

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
            seen = _sighting(ledger, entry, tally)
            off = _taken_off(ledger.entries[:at], tallies)
            if told := _told(ledger, entry, seen, tally, inferred, off=off):
                # An earlier turn is known for something else now: take it again as that.
                which, inferred[which] = told
                at = next(i for i, t in enumerate(tallies) if len(t.turns) == which) - 1
                del tallies[at + 1 :]
                continue
            if limit is None and entry.clocks_ns is not None:
                clocks = _shown(entry.clocks_ns, setting)
                side = limit_side(clocks, setting)
                if side is not None:
                    limit = Limit(side, tally.scores, clocks, number)
            said = ledger.about(number)
            if number and (lost := lost_turn(entry, seen, tally, said, setting.rulebook)):
                inferred[number + 1] = lost
            after = _turn(ledger, tally, entry, setting, inferred)
            tallies.append(_asking(ledger, after, entry, seen, tally, setting, off=off))
        else:
            tallies.append(_step(ledger, tally, entry, setting))
        at += 1
    return replace(ledger, tallies=tuple(tallies), inferred=inferred, limit=limit)


def _answered(ledger: Ledger, entry: Seen, number: int) -> int | None:
    """When the opponent's next turn ended; only looked for where a challenge was timed."""
    ruled = ledger.about(number).ruled
    if ruled is None or ruled.called_ns is None:
        return None
    at = next(i for i, one in enumerate(ledger.entries) if one is entry)
    later = (one.event for one in ledger.entries[at + 1 :] if isinstance(one, Seen))
    return next((seen.press_ns for seen in later if seen.side != entry.event.side), None)


def _sighting(ledger: Ledger, entry: Seen, tally: Tally) -> Board:
    """What the camera read for a turn, with everything in it that somebody corrected."""
    said = ledger.about(len(tally.turns) + 1)
    return corrected(Board.from_rows(entry.event.rows), tally, said)[0]


def _taken_off(entries: Sequence[Entry], tallies: Sequence[Tally]) -> bool:
    """Whether the last play before the end of these entries was last seen off the board."""
    for number in reversed(range(len(entries))):
        entry = entries[number]
        if isinstance(entry, Seen):
            return False
        if isinstance(entry, BoardSeen):
            place = place_of_play(tallies[number], Board.from_rows(entry.rows))
            if place is not None:
                return place == "off"
    return False


def _told(
    ledger: Ledger,
    entry: Seen,
    seen: Board,
    tally: Tally,
    inferred: Mapping[int, Ruling],
    *,
    off: bool,
) -> tuple[int, Ruling] | None:
    """What this turn shows of an earlier one that was not known before, if anything.

    ``off``: the play before it was seen off the board while the clock stood.
    """
    number = len(tally.turns)
    if number and number not in inferred:
        said = ledger.about(number)
        if upheld(entry, seen, tally, said, off=off):
            return number, "challenge_upheld"
    told = told_by_racks(entry, tally)
    if told is None or ledger.about(told[0]).ruling is not None:
        return None
    return told


def _step(ledger: Ledger, tally: Tally, entry: Between, setting: Setting) -> Tally:
    match entry:
        case TilesChanged():
            return after_press(tally, entry, ledger.about(entry.turn), setting)
        case BoardSeen():
            return seen_standing(tally, entry)
        case ChallengeBonus():
            return tally.credit(entry.side, entry.points)
        case PenaltyAdded():
            return tally.credit(entry.side, -entry.points)
        case InfractionNoted():
            return noted(tally, entry, setting)
        case RackReported():
            return replace(tally, reported={**tally.reported, entry.side: entry.tiles})


def _turn(
    ledger: Ledger,
    tally: Tally,
    entry: Seen,
    setting: Setting,
    inferred: Mapping[int, Ruling],
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
    over = end_reason(tally, setting, stopped=ends(entry.stopped_ns, ledger.about(number - 1)))
    if over is not None and setting.rulebook.scoreless_goes_on and over == "six_zeros":
        over = None
    now = Circumstances(
        clock_ns=None if clock is None else clock + setting.added_ns.get(side, 0),
        inferred=inferred.get(number),
        at_stop=entry.at_stop,
        late=any(
            said.ruling in ("challenge_upheld", "taken_back", "illegal_play")
            and earlier < number <= said.ruled_after
            for earlier, said in ledger.said.items()
        ),
        over=None if over is None else AFTER_END,
        answered_ns=_answered(ledger, entry, number),
        found=found,
    )
    return take_turn(tally, entry.event, ledger.about(number), setting, now)


def _asking(
    ledger: Ledger,
    after: Tally,
    entry: Seen,
    seen: Board,
    tally: Tally,
    setting: Setting,
    *,
    off: bool,
) -> Tally:
    """The tally after a turn, with the question about the turn before it, if there is one."""
    if not tally.turns:
        return after
    last = tally.turns[-1]
    bonus = entry.stopped_ns is not None and any(
        isinstance(line, ChallengeBonus) and len(earlier.turns) == last.number
        for line, earlier in zip(ledger.entries, ledger.tallies, strict=False)
    )
    said = ledger.about(last.number)
    asked = unclear(entry, seen, tally, said, setting.rulebook, bonus=bonus, off=off)
    if asked is None:
        return after
    flag = make_flag("challenge_unclear", asked[1], turn=asked[0])
    turn = after.turns[-1]
    return replace(after, turns=(*after.turns[:-1], replace(turn, flags=(*turn.flags, flag))))


def noted(tally: Tally, event: InfractionNoted, setting: Setting) -> Tally:
    """One more minor infraction by somebody's word; the flag that is due goes to the last turn."""
    before = tally.infractions[event.side]
    after = replace(tally, infractions={**tally.infractions, event.side: before + 1})
    name = setting.players[event.side]
    flag = infractions_flag(name, before, before + 1, setting.rulebook)
    if flag is None or not tally.turns:
        return after
    last = tally.turns[-1]
    flags = (*last.flags, replace(flag, side=event.side))
    return replace(after, turns=(*tally.turns[:-1], replace(last, flags=flags)))


def _shown(clocks_ns: Mapping[Side, int], setting: Setting) -> dict[Side, int]:
    return {side: clocks_ns[side] + setting.added_ns.get(side, 0) for side in SIDES}


def ends(stopped_ns: int | None, said: Said) -> bool:
    """Whether a stop of the clock after a turn may be the one that ends a game."""
    return stopped_ns is not None and said.stop_reason in (None, "six_zeros", "out")


def limit_side(shown: Mapping[Side, int], setting: Setting) -> Side | None:
    """Whose clock is past the limit on overtime; the one that is further past it of two."""
    late = [(shown[side], side) for side in SIDES if setting.rulebook.over_limit(shown[side])]
    return min(late)[1] if late else None


def trial(ledger: Ledger, entry: Seen, setting: Setting) -> bool:
    """Whether an entry after the end would be a play, or undo the play before it."""
    last = len(ledger.tally.turns)
    after = ledger.append(entry, setting)
    return bool(after.tally.turns[-1].tiles) or after.inferred.get(last) == "challenge_upheld"
