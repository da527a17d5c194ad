"""The ledger of a game: sightings and entries in order, the rulings on them, and the positions.

Sightings and entries are in the order in which they happened, even if they became known late. The
rulings on each turn are stored apart. The positions follow from both: a late entry is inserted
where it happened, and the positions after it are computed again. After a new ruling, the positions
from its turn on are computed again. Challenges that the clock and the board show are inferred
during that computation, so they too follow from entries and rulings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from game.board import EMPTY, Board
from game.events import (
    SIDES,
    BoardSeen,
    ChallengeBonus,
    PositionRestored,
    Ruling,
    Side,
    TilesChanged,
)
from game.flags import make_flag
from game.referee.between_turns import (
    after_press,
    place_of_play,
    seen_standing,
    without_question,
)
from game.referee.corrected_sightings import Corrected, corrected
from game.referee.entered import Entered, with_entry
from game.referee.game_over import over_before, over_since
from game.referee.inference import (
    Evidence,
    Seen,
    explained,
    given_back,
    given_back_by,
    no_own_turn,
    restarted,
    rulings_since,
    stop_at,
    unclear,
)
from game.referee.position import Answer, GameConfig, Position, TurnContext, last_turn
from game.referee.turn import take_turn
from game.referee.turn_rulings import NO_RULINGS, TurnRulings
from game.rulebooks.rulebook import Rulebook
from game.values import replace

Between = TilesChanged | BoardSeen | Entered
Entry = Seen | Between

TAKEN_OFF = frozenset({"challenge_upheld", "taken_back", "illegal_play", "illegal_play_unknown"})
"""Rulings by which tiles leave the board, at once or after later turns."""


@dataclass(frozen=True)
class Limit:
    """The scores and clocks at the moment when a player exceeded the limit on overtime."""

    side: Side
    scores: Mapping[Side, int]
    clocks_ns: Mapping[Side, int]
    after_turn: int
    at_ns: int
    """When it was used up."""


@dataclass(frozen=True)
class Ledger:
    """Entries, rulings, and the position before each entry and after the last."""

    entries: tuple[Entry, ...]
    positions: tuple[Position, ...]
    rulings: Mapping[int, TurnRulings] = field(default_factory=dict)
    inferred: Mapping[int, Ruling] = field(default_factory=dict)
    """Rulings inferred from the clock and the board, by the number of the turn."""
    limit: Limit | None = None

    @property
    def position(self) -> Position:
        """The position after the last entry."""
        return self.positions[-1]

    def place(self, entry: Entry) -> int:
        """Return the index at which an entry belongs by time."""
        return _place(self.entries, entry)

    def before(self, entry: Between) -> Position:
        """Return the position at the time of an entry."""
        return self.positions[self.place(entry)]

    def at(self, t_ns: int) -> Position:
        """Return the position at a moment, by what had happened by then."""
        later = (at for at, entry in enumerate(self.entries) if _moment(entry) > t_ns)
        return self.positions[next(later, len(self.entries))]

    def credited_after(self, t_ns: int) -> Mapping[Side, int]:
        """Return the points that each score got after a moment from anything but turns."""
        return _credited(self.entries, self.positions, t_ns)

    def rulings_for(self, number: int) -> TurnRulings:
        """Return the rulings and corrections of a turn."""
        return self.rulings.get(number, NO_RULINGS)

    @property
    def sightings(self) -> list[Seen]:
        """The sightings of the turns, in order."""
        return [entry for entry in self.entries if isinstance(entry, Seen)]

    @property
    def taken_off(self) -> bool:
        """True if the last play was off the board when it was last seen while the clock stood."""
        return _taken_off(self.entries, self.positions, len(self.entries))

    def append(self, entry: Entry, config: GameConfig) -> Ledger:
        """Return the ledger with one more entry, inserted where it happened."""
        if (at := _place(self.entries, entry)) < len(self.entries):
            return self._with(entry, at, config)
        ledger = replace(self, entries=(*self.entries, entry))
        if isinstance(entry, Seen) and self.rulings:
            number, ended_ns = len(self.position.turns) + 1, entry.event.ended_by_ns
            known = {n: r.known_at(number, ended_ns) for n, r in self.rulings.items()}
            late = [n for n, r in known.items() if r is not self.rulings[n]]
            if late:  # this turn had ended before what was ruled on came out
                ledger = _run(replace(ledger, rulings=known), len(self.entries), config)
                return ledger.again(min(late) - 1, config)
        return _run(ledger, len(self.entries), config)

    def _with(self, entry: Entry, at: int, config: GameConfig) -> Ledger:
        """Return the ledger with a late entry at index ``at``, computed again from there.

        It is left out if it happened after a turn that was undone since by going back.
        """
        number = len(self.positions[at].turns)
        back = (one.turn for one in self.entries[at:] if isinstance(one, PositionRestored))
        if not isinstance(entry, Seen) and any(number > turn for turn in back):
            return self
        entries = (*self.entries[:at], entry, *self.entries[at:])
        earlier = replace(self, entries=entries, positions=self.positions[: at + 1])
        return earlier.again(number, config)

    def with_rulings(self, number: int, rulings: TurnRulings, config: GameConfig) -> Ledger:
        """Return the ledger with new rulings on a turn, computed again from there."""
        ledger = replace(self, rulings={**self.rulings, number: rulings})
        if rulings.effect == self.rulings_for(number).effect:
            return ledger  # the same was entered again
        # The turn before may owe its kind to what this one shows, or to what this one is.
        before = last_turn(self.position.turns[: number - 1])
        return ledger.again(0 if before is None else before.number, config)

    def until(self, number: int) -> Ledger:
        """Return the ledger just after a turn was seen; all of it if it has no such turn."""
        for at, position in enumerate(self.positions):
            if len(position.turns) >= number:
                return replace(self, entries=self.entries[:at], positions=self.positions[: at + 1])
        return self

    def again(self, number: int, config: GameConfig) -> Ledger:
        """Return the ledger computed again from turn ``number`` on."""
        first = 0
        for at, position in enumerate(self.positions):
            if len(position.turns) >= max(1, number):
                first = at - 1
                break
        kept = {n: ruling for n, ruling in self.inferred.items() if n < number}
        limit = self.limit if self.limit and self.limit.after_turn < number - 1 else None
        return _run(replace(self, inferred=kept, limit=limit), first, config)

    def anew(
        self, entries: tuple[Entry, ...], rulings: Mapping[int, TurnRulings], config: GameConfig
    ) -> Ledger:
        """Return the ledger with other entries and rulings, computed from the start."""
        return _run(Ledger(entries, self.positions[:1], rulings), 0, config)


def _run(ledger: Ledger, first: int, config: GameConfig) -> Ledger:
    """Return the ledger with its positions computed again from the entry at index ``first`` on."""
    positions, inferred = list(ledger.positions[: first + 1]), dict(ledger.inferred)
    limit, at, book = ledger.limit, first, config.rulebook
    while at < len(ledger.entries):
        entry, position = ledger.entries[at], positions[at]
        if isinstance(entry, Seen):
            number = len(position.turns)
            rulings = ledger.rulings_for(number + 1)
            read = corrected(Board.from_rows(entry.event.rows), position, rulings)
            by = _evidence(ledger, entry, read.board, positions, at, book) if number else None
            if by is not None and (found := explained(by, inferred)):
                # An earlier turn is known for something else now: take it again as that.
                which, inferred[which] = found
                if inferred[which] == "undone" and (play := last_turn(position.turns[: which - 1])):
                    which = play.number  # what counts as the answer to it is another turn now
                at = next(i for i, t in enumerate(positions) if len(t.turns) == which) - 1
                del positions[at + 1 :]
                continue
            if by is not None:
                if inferred.get(number + 1) != "undone" and (lost := no_own_turn(by)):
                    inferred[number + 1] = lost
                if by.off:
                    position = without_question(position)  # this turn answers it, or asks again
            after = _turn(ledger, position, entry, read, config, inferred)
            limit = limit or _exceeded(ledger, entry, positions, after, config)
            positions.append(after if by is None else _asking(ledger, after, by))
        else:
            positions.append(_step(ledger, position, entry, config))
        at += 1
    return replace(ledger, positions=tuple(positions), inferred=inferred, limit=limit)


def _exceeded(
    ledger: Ledger,
    entry: Seen,
    positions: Sequence[Position],
    after: Position,
    config: GameConfig,
) -> Limit | None:
    """Return the limit on overtime that a player had exceeded at the end of a turn, or None.

    Args:
        ledger: the entries, of which ``entry`` is the turn.
        entry: the turn.
        positions: the positions up to the turn.
        after: the position after it.
        config: players, tile set and rules.
    """
    if entry.clocks_ns is None:
        return None
    press_ns = entry.event.press_ns
    clocks = {side: shown + config.added(side, press_ns) for side, shown in entry.clocks_ns.items()}
    clocks[entry.event.side] = after.turns[-1].clock_ns or 0
    side = limit_side(clocks, config.before_play_ns, config.rulebook)
    number = len(positions[-1].turns)
    if side is None or over_since(after, config, number):
        return None
    at_ns = press_ns + until_limit_ns(clocks, side, config)
    late = _credited(ledger.entries[: len(positions) - 1], positions, at_ns)
    then = without(positions[-1].scores, late)
    return Limit(side, then, clocks, number, at_ns)


def _credited(
    entries: Sequence[Entry], positions: Sequence[Position], t_ns: int
) -> dict[Side, int]:
    points: dict[Side, int] = dict.fromkeys(SIDES, 0)
    for entry, before, after in zip(entries, positions, positions[1:], strict=False):
        if not isinstance(entry, Seen) and _moment(entry) > t_ns:
            for side in SIDES:
                points[side] += after.scores[side] - before.scores[side]
    return points


def without(scores: Mapping[Side, int], points: Mapping[Side, int]) -> dict[Side, int]:
    """Return the scores less these points."""
    return {side: scores[side] - points[side] for side in SIDES}


def _place(entries: Sequence[Entry], entry: Entry) -> int:
    """Return the index at which an entry belongs by time.

    A sighting never moves ahead of an earlier sighting, so turns keep their numbers.
    """
    at, moment = len(entries), _moment(entry)
    if isinstance(entry, TilesChanged | BoardSeen):
        return at
    while at and _moment(entries[at - 1]) > moment:
        if isinstance(entry, Seen) and isinstance(entries[at - 1], Seen | TilesChanged | BoardSeen):
            break
        at -= 1
    return at


def _moment(entry: Entry) -> int:
    return entry.event.press_ns if isinstance(entry, Seen) else entry.t_ns


def _answer(
    ledger: Ledger, entry: Seen, number: int, inferred: Mapping[int, Ruling]
) -> Answer | None:
    """Return the opponent's next turn that counts.

    It is only looked for where a turn was ruled on, or seen to be challenged off.
    """
    known = ledger.rulings_for(number)
    if known.ruled is None and inferred.get(number) != "challenge_upheld":
        return None
    at = next(i for i, one in enumerate(ledger.entries) if one is entry)
    later, stops = (one for one in ledger.entries[at + 1 :] if isinstance(one, Seen)), list[int]()
    for after, one in enumerate(later, start=number + 1):
        rulings, seen = ledger.rulings_for(after), one.event
        stops += [stop.at_ns for stop in one.stops]
        if seen.side != entry.event.side and not _no_turn(ledger, after, inferred):
            held = known.ruled_after == after and _held_at(rulings, known)
            return Answer(after, seen.press_ns, held, tuple(stops), _played(entry, one, rulings))
    return None


def _played(before: Seen, entry: Seen, rulings: TurnRulings) -> bool:
    """True if new tiles were on the board after a turn, and it was not ruled to have come off."""
    then, now = (Board.from_rows(one.event.rows) for one in (before, entry))
    return rulings.ruling not in TAKEN_OFF and any(then[s] == EMPTY for s in now.tiles())


def _stopped_ns(ledger: Ledger, number: int, answer: Answer | None) -> int | None:
    """Return when the clock was last stopped, maybe to challenge a turn, before that was known."""
    known = ledger.rulings_for(number)
    stops = known.stops_ns if known.ruled is not None or answer is None else answer.stops_ns
    if not stops:
        return None
    after = max(ledger.rulings, default=0) + 1 if answer is None else answer.number
    since = [ledger.rulings_for(one) for one in range(number, after)]
    maybe = (at for at in stops if all(one.may_be_challenge(at) for one in since))
    return max(maybe, default=None)


def _challenged_by(ledger: Ledger, position: Position, t_ns: int) -> bool:
    """True if the last explained stop by a moment may have been for a challenge."""
    since = rulings_since(position, ledger.rulings)
    return all(one.reason_by(t_ns) in (None, "challenge") for one in since)


def _for_words(ledger: Ledger, position: Position, entry: Seen, before: TurnRulings) -> bool:
    """True if the turn before was ruled on in a stop that may have been to challenge its words."""
    ruled_ns = 0 if before.ruled is None else before.ruled.happened_ns
    if (at_ns := stop_at(entry.stops, ruled_ns)) is None:
        return _challenged_by(ledger, position, ruled_ns)
    since = rulings_since(position, ledger.rulings)
    return all(one.may_be_challenge(at_ns) for one in since)


def _held_at(rulings: TurnRulings, known: TurnRulings) -> bool:
    """True if a play was held, and not accepted, when the ruling in ``known`` was made."""
    held_ns, accepted = rulings.held_ns, rulings.accepted
    if known.ruled is None or held_ns is None or held_ns > known.ruled.happened_ns:
        return False
    return accepted is None or accepted.moment_ns > known.ruled.happened_ns


def _evidence(
    ledger: Ledger,
    entry: Seen,
    seen: Board,
    positions: Sequence[Position],
    at: int,
    book: Rulebook,
) -> Evidence:
    """Return a turn with the evidence from before it. There must be a turn before it.

    Args:
        ledger: the entries and rulings.
        entry: the turn.
        seen: its reading with all corrections.
        positions: the positions up to the turn.
        at: the index of the entry.
        book: the rules in force.
    """
    position = positions[at]
    press = position.turns[-1]
    off = _taken_off(ledger.entries, positions, at)
    pressed = next(n for n in reversed(range(at)) if isinstance(ledger.entries[n], Seen))
    back = ledger.entries[pressed]
    assert isinstance(back, Seen)
    if press.kind == "undone" and restarted(back, entry):
        # The clock stood for what the last turn was.
        off = _taken_off(ledger.entries, positions, pressed)
        entry = replace(entry, stops=(*back.stops, *entry.stops))
    last = position.last or press
    return Evidence(entry, seen, position, last, press, ledger.rulings, book, off, back)


def _taken_off(entries: Sequence[Entry], positions: Sequence[Position], end: int) -> bool:
    """True if the last play was off the board when the first ``end`` entries last showed it."""
    for number in reversed(range(end)):
        entry = entries[number]
        if isinstance(entry, Seen):
            return False
        if isinstance(entry, BoardSeen):
            place = place_of_play(positions[number], Board.from_rows(entry.rows))
            if place is not None:
                return place == "off"
    return False


def _step(ledger: Ledger, position: Position, entry: Between, config: GameConfig) -> Position:
    match entry:
        case TilesChanged():
            return after_press(position, entry, ledger.rulings_for(len(position.turns)), config)
        case BoardSeen():
            last = 0 if position.last is None else position.last.number
            asks = ledger.rulings_for(last).ruling is None
            asks = asks and _challenged_by(ledger, position, entry.t_ns)
            return seen_standing(position, entry, asks=asks)
        case _:
            return with_entry(position, entry, config)


def _turn(
    ledger: Ledger,
    position: Position,
    entry: Seen,
    read: Corrected,
    config: GameConfig,
    inferred: Mapping[int, Ruling],
) -> Position:
    number = len(position.turns) + 1
    side = entry.event.side
    clock = None if entry.clocks_ns is None else entry.clocks_ns[side]
    added = config.added(side, entry.event.press_ns)
    shown = entry.shown_clock_ns
    off = sorted((n, r) for n, r in ledger.rulings.items() if r.ruling in TAKEN_OFF)
    found = [
        (earlier, rulings.ruling == "illegal_play")
        for earlier, rulings in off
        if rulings.ruling in ("illegal_play", "illegal_play_unknown")
        and _came_out(ledger, earlier, inferred) == number
        and (earlier < number or rulings.ruling == "illegal_play_unknown")
    ]
    late = [
        earlier
        for earlier, rulings in off
        if rulings.ruling != "illegal_play_unknown" and earlier < number <= rulings.ruled_after
    ]
    last = position.last
    before = NO_RULINGS if last is None else ledger.rulings_for(last.number)
    lost = bool(inferred) and inferred.get(number) == before.ruling == "challenge_failed"
    answer = _answer(ledger, entry, number, inferred)
    gone = config.over_since is not None and entry.event.press_ns > config.over_since[0]
    now = TurnContext(
        clock_ns=None if clock is None else clock + added,
        shown_clock_ns=None if shown is None else shown + added,
        inferred=inferred.get(number),
        at_stop=entry.at_stop,
        passed=entry.passed,
        late=tuple(late),
        after_end="by_word" if gone else over_before(position, config),
        # A stop for the director is none for words: the place was challenged (WESPA 2021 3.13.1).
        lost=lost and before.ruled_after < number and _for_words(ledger, position, entry, before),
        answer=answer,
        stopped_ns=_stopped_ns(ledger, number, answer),
        found=tuple(found),
        ended=entry.ended or (entry.event.ended if entry.clocks_ns is not None else None),
        given_back=given_back_by(position, ledger.rulings, config.rulebook)
        if inferred.get(number) == "undone" and not entry.stops
        else None,
    )
    return take_turn(position, entry.event, read, ledger.rulings_for(number), config, now)


def _came_out(ledger: Ledger, number: int, inferred: Mapping[int, Ruling]) -> int:
    """Return the last turn that counts by the time when a turn was ruled on; its own if none.

    A press that was given back or nullified is no turn.
    """
    after = ledger.rulings_for(number).ruled_after
    while after > number and _no_turn(ledger, after, inferred):
        after -= 1
    return after


def _no_turn(ledger: Ledger, number: int, inferred: Mapping[int, Ruling]) -> bool:
    """True if a press ended no turn, by a ruling or by what clock and board show."""
    return (ledger.rulings_for(number).ruling or inferred.get(number)) == "undone"


def _asking(ledger: Ledger, after: Position, by: Evidence) -> Position:
    """Return the position after a turn, with the question about the turn before if there is one."""
    number = by.last.number
    bonus = bool(by.entry.stops) and any(
        isinstance(line, ChallengeBonus) and number <= len(earlier.turns) <= len(by.before.turns)
        for line, earlier in zip(ledger.entries, ledger.positions, strict=False)
    )
    if (asked := unclear(by, bonus=bonus)) is not None:
        return after.with_flag(make_flag("challenge_unclear", variant=asked, turn=number))
    back = by.press.number
    if ledger.rulings_for(back).ruling is None and given_back(by) == "asked":
        return after.with_flag(make_flag("clock_back_unclear", turn=back))
    return after


def limit_side(
    shown: Mapping[Side, int], before_play_ns: Mapping[Side, int], book: Rulebook
) -> Side | None:
    """Return the side that has exceeded the overtime limit; None if neither has.

    If both have, return the side that has used more time. ``before_play_ns`` is as in
    :class:`GameConfig`.
    """
    left, right = (shown[side] + before_play_ns.get(side, 0) for side in SIDES)
    side: Side = "left" if left <= right else "right"
    return side if book.over_limit(min(left, right)) else None


def until_limit_ns(shown: Mapping[Side, int], side: Side, config: GameConfig) -> int:
    """Return how much later a running clock reaches the overtime limit; below 0 if it has."""
    return shown[side] + config.before_play_ns.get(side, 0) + config.rulebook.overtime_limit_from_ns
