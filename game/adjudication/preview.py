"""A preview of what a ruling or a correction would change.

:func:`after_entry` applies an event to a state, and :func:`between` compares the two states turn by
turn. Nothing is stored, so a director can preview as many events as wanted. An event that would be
refused is refused here with the same message.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from game.adjudication.entries import check_entry
from game.adjudication.remedies import is_provisional
from game.board import EMPTY, Board, Square, is_tile
from game.clock import shown
from game.errors import TilewatchError
from game.events import SIDES, Event, Side
from game.flags import Flag, label
from game.referee.position import Turn
from game.state.fold import apply
from game.state.game_state import GameState
from game.state.restructuring import left_out, matched
from game.tile_symbols import printed

_FOLLOWING: Final = frozenset({"withdrawn_left"})
"""Flags that a challenge raises on whatever turn is the newest."""

_ENTERED: Final = frozenset({"penalty", "correction", "spread", "agreed"})
"""Kinds of adjustments that people enter, and that could be entered twice by mistake."""

COMPARED = ("side", "kind", "position", "word", "tiles", "score", "total", "bonus")
"""The fields of a turn that are compared, besides its flags."""


@dataclass(frozen=True, slots=True)
class TurnDifference:
    """One turn that would differ."""

    number: int
    before: Mapping[str, Any] | None
    """The values of :data:`COMPARED` that differ; None if there is no such turn now."""
    after: Mapping[str, Any] | None
    """The same values afterwards; None if there would be no such turn."""
    flags_gone: tuple[Flag, ...]
    flags_new: tuple[Flag, ...]
    side: Side
    """The player of the turn; :attr:`number` may be another turn's today."""
    word: str | None
    """The whole word played in the turn; None without a play."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How two states of one game differ."""

    turns: tuple[TurnDifference, ...]
    """The turns that differ, in order."""
    scores: Mapping[Side, tuple[int, int]]
    """Both players' scores, before and after, equal or not."""
    squares: Mapping[str, tuple[str, str]]
    """Squares of the board that would change, as (before, after)."""
    clocks: Mapping[Side, tuple[str, str]]
    """Clocks that would change, as they show (before, after)."""
    facts: Mapping[str, tuple[Any, Any]]
    """Facts that would change, as (before, after): ``status``, ``end_reason``, ``on_turn``,
    ``bag_count``, ``outcome``, ``spread`` (points on the spread alone), ``left`` and ``right`` (the
    names), ``final`` (the scores are the result), ``opened`` (a signature no longer counts)."""
    flags_gone: tuple[Flag, ...]
    """Flags of the game, not of a turn, that would go."""
    flags_new: tuple[Flag, ...]
    stops: Side | None = None
    """The player whose running clock the entry would stop when it is made; None for nobody."""
    added_ns: Mapping[Side, int] = field(default_factory=dict)
    """The change of each of ``clocks``, in nanoseconds."""
    entered: tuple[Any, ...] = ()
    """The points and times that people had entered before, in order."""
    assigned: int = 0
    """The number of turns whose plays somebody had assigned before."""
    basis: str = ""
    """How the spread of a new outcome is fixed, as :attr:`Outcome.basis` has it."""
    forfeits: bool = False
    """True if a player forfeits the game, whatever the scores."""

    @property
    def empty(self) -> bool:
        """True if nothing would change."""
        return not (
            self.turns
            or self.squares
            or self.clocks
            or self.facts
            or self.flags_gone
            or self.flags_new
            or any(before != after for before, after in self.scores.values())
        )

    def as_json(self) -> dict[str, Any]:
        """Return the difference as JSON-able data."""
        return {
            "scores": {side: list(pair) for side, pair in self.scores.items()},
            "turns": [
                {
                    "number": turn.number,
                    "side": turn.side,
                    "word": turn.word,
                    "before": None if turn.before is None else dict(turn.before),
                    "after": None if turn.after is None else dict(turn.after),
                    "flags_gone": [_flag(flag) for flag in turn.flags_gone],
                    "flags_new": [_flag(flag) for flag in turn.flags_new],
                }
                for turn in self.turns
            ],
            "squares": {name: list(pair) for name, pair in self.squares.items()},
            "clocks": {side: list(pair) for side, pair in self.clocks.items()},
            "facts": {name: list(pair) for name, pair in self.facts.items()},
            "flags_gone": [_flag(flag) for flag in self.flags_gone],
            "flags_new": [_flag(flag) for flag in self.flags_new],
            "stops": self.stops,
            "basis": self.basis,
        }

    def digest(self) -> str:
        """Return a short hash of what the event itself changes, whatever is played meanwhile.

        The game may go on while somebody looks at the preview. So scores, clocks, spreads and the
        bag are hashed by how much the event changes them, every other fact by its new value. The
        total of a turn and a flag of :data:`_FOLLOWING` only follow from other turns; a turn in
        which nothing else changes is left out. An event that changes no turn could be entered twice
        without a difference, so :attr:`entered` is hashed with it. An answer about which turns
        there were could follow another such answer, so :attr:`assigned` is hashed.

        Left out are questions that go and a running clock that stops, as both may happen by
        themselves; the text of new flags, which may name a time; and, if a player forfeits, the
        margin and all flags, as the loser is the same.
        """
        turns = (_counted(turn, flags=not self.forfeits) for turn in self.turns)
        counted: dict[str, Any] = {
            "scores": {side: now - was for side, (was, now) in self.scores.items() if was != now},
            "squares": {name: list(pair) for name, pair in self.squares.items()},
            "clocks": {side: ns for side, ns in self.added_ns.items() if side != self.stops},
            "turns": [turn for turn in turns if turn is not None],
            "facts": {name: self._becomes(name) for name in self.facts},
            "flags": [] if self.forfeits else _codes(self.flags_new),
            "assigned": self.assigned,
        }
        if not counted["turns"]:
            counted["entered"] = self.entered
        text = json.dumps(counted, ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def _becomes(self, name: str) -> Any:
        """Return the part of a fact's change that the digest has."""
        was, now = self.facts[name]
        if name == "bag_count":
            return now - was
        if name == "spread":
            return {side: now[side] - was[side] for side in SIDES}
        if name == "outcome" and self.forfeits and now is not None:
            return now.partition(" ")[0]
        return now


def difference(state: GameState, event: Event) -> Difference:
    """Return what an event would change.

    Raises:
        TilewatchError: the event would be refused; the line says why.
    """
    return between(state, after_entry(state, event))


GONE_ON: Final = (
    "The game has gone on since, and the effect is another one now: look at it and enter it again, "
    "or stop the clock first."
)
"""The message that refuses a ruling whose effect is no longer the one shown."""


def after_entry(state: GameState, event: Event, shown: str | None = None) -> GameState:
    """Return the game with an event that somebody enters.

    ``shown`` is the digest of the effect that was shown before; None if none was shown.

    Raises:
        TilewatchError: the event is refused, or its effect has changed; the message says which.
    """
    check_entry(state, event)
    after = apply(state, event)
    if shown is not None and between(state, after).digest() != shown:
        raise TilewatchError(GONE_ON)
    return after


def between(before: GameState, after: GameState) -> Difference:
    """Return how one state of a game differs from another."""
    squares = {
        square.name: (before.board[square], after.board[square])
        for square in sorted(before.board.diff(after.board))
    }
    known = matched(before, after)
    pairs = [(new.number, old, new) for old, new in zip(known, after.turns, strict=True)]
    gone_turns = [(old.number, old, None) for old in left_out(before, after)]
    turns = [
        found
        for number, old, new in (*pairs, *gone_turns)
        if (found := _turn(number, old, new)) is not None
    ]
    gone, fresh = _flags(before.flags, after.flags)
    outcomes = _outcome(before), _outcome(after)
    added_ns = {side: _remaining(after, side) - _remaining(before, side) for side in SIDES}
    return Difference(
        turns=tuple(turns),
        scores={side: (before.scores[side], after.scores[side]) for side in SIDES},
        squares=squares,
        clocks={
            side: (shown(_remaining(before, side)), shown(_remaining(after, side)))
            for side, added in added_ns.items()
            if added
        },
        facts={
            name: (was, now)
            for name, was, now in (
                *((side, before.players[side], after.players[side]) for side in SIDES),
                ("status", before.status, after.status),
                ("end_reason", before.end_reason, after.end_reason),
                ("on_turn", before.on_turn, after.on_turn),
                ("bag_count", before.bag_count, after.bag_count),
                ("outcome", *outcomes),
                ("opened", False, before.signed is not None and after.signed is None),
                ("spread", _spread(before), _spread(after)),
                ("final", _final(before, after), _final(after, before)),
            )
            if was != now
        },
        flags_gone=gone,
        flags_new=fresh,
        stops=None if after.clocks.running is not None else before.clocks.running,
        added_ns={side: added for side, added in added_ns.items() if added},
        entered=_entered(before),
        assigned=sum(turn.assigned for turn in before.ledger.sightings),
        basis=after.outcome.basis if after.outcome and outcomes[0] != outcomes[1] else "",
        forfeits=after.progress.forfeited is not None,
    )


def of_no_play(found: Difference, after: GameState) -> Iterator[str]:
    """Yield a line on tiles on the board that are of no play, if a turn becomes no turn at all."""
    if not _undone(found):
        return
    played = {name for turn in after.turns if turn.kind != "undone" for name in turn.tiles}
    begun = after.turns[0].before
    names = [one.name for one in after.board.tiles() if begun[one] == EMPTY]
    if loose := [name for name in names if name not in played]:
        yield f"what lies on {', '.join(loose)} is of no play and scores nothing"


def left_lying(found: Difference, after: GameState, lifted: Collection[str] = ()) -> Iterator[str]:
    """Yield a line on each play that leaves the record with its turn, and lies on the board.

    Its tiles count in the turn after it, but those on ``lifted`` squares: they have come off.
    """
    for turn in _undone(found):
        was, seen = turn.before or {}, Board.from_rows(after.turns[-1].seen.rows)
        own = [name for name in was.get("tiles", ()) if name not in lifted]
        lie = [name for name in own if is_tile(seen[Square.parse(name)])]
        if was.get("word") and lie:
            later = next((one for one in after.turns if set(lie) & one.tiles.keys()), None)
            where = "the next turn" if later is None else f"turn {later.number}"
            yield (
                f"{printed(was['word'].upper())}, {was.get('score', 0)} points, leaves the record "
                f"and lies on the board: its tiles count in {where}"
            )


def _undone(found: Difference) -> list[TurnDifference]:
    return [turn for turn in found.turns if (turn.after or {}).get("kind") == "undone"]


def _remaining(state: GameState, side: Side) -> int:
    return state.clocks.remaining_ns[side]


def _entered(state: GameState) -> tuple[Any, ...]:
    """Return the points and times that people have entered."""
    lines = [(one.kind, one.side, one.points) for one in state.adjustments if one.kind in _ENTERED]
    return (*lines, *state.added_ns.items())


def _counted(turn: TurnDifference, *, flags: bool) -> dict[str, Any] | None:
    """Return the changes of a turn for the digest; None if they all follow from another turn."""
    fresh = _codes(turn.flags_new) if flags else []
    sides = {"before": turn.before, "after": turn.after}
    what = {
        when: None if values is None else {k: v for k, v in values.items() if k != "total"}
        for when, values in sides.items()
    }
    if turn.before is not None and turn.after is not None and not (what["before"] or fresh):
        return None
    return {"number": turn.number, **what, "flags": fresh}


def _codes(flags: tuple[Flag, ...]) -> list[list[Any]]:
    """Return the codes and squares of new flags, without their text."""
    return [[one.code, *one.squares] for one in flags if one.code not in _FOLLOWING]


def _turn(number: int, old: Turn | None, new: Turn | None) -> TurnDifference | None:
    names = [name for name in COMPARED if getattr(old, name, None) != getattr(new, name, None)]
    gone, fresh = _flags(old.flags if old else (), new.flags if new else ())
    if not names and not gone and not fresh:
        return None
    turn = new or old
    assert turn is not None
    values = _values(old, names), _values(new, names)
    return TurnDifference(number, *values, gone, fresh, turn.side, turn.main_word)


def _values(turn: Turn | None, names: list[str]) -> dict[str, Any] | None:
    if turn is None:
        return None
    values = {name: getattr(turn, name) for name in names}
    if "word" in values:
        values["word"] = turn.main_word
    return {k: dict(v) if isinstance(v, Mapping) else v for k, v in values.items()}


def _flags(
    old: tuple[Flag, ...], new: tuple[Flag, ...]
) -> tuple[tuple[Flag, ...], tuple[Flag, ...]]:
    """Return the open flags that go or are settled, and those that are new or open again."""
    old = tuple(flag for flag in old if flag.settled is None)
    new = tuple(flag for flag in new if flag.settled is None)
    return tuple(f for f in old if f not in new), tuple(f for f in new if f not in old)


def _flag(flag: Flag) -> dict[str, Any]:
    return {
        "code": flag.code,
        "squares": list(flag.squares),
        "rule": flag.rule,
        "label": label(flag.code),
        "message": flag.message,
    }


def _outcome(state: GameState) -> str | None:
    """Return the outcome in words, such as ``left wins by 24``; None if there is none yet."""
    if state.no_result:
        return "no result"
    outcome = state.outcome
    if outcome is None:
        return None
    margin = "" if outcome.margin is None else f" by {outcome.margin}"
    if outcome.winner is None:
        if outcome.kind == "both_absent":
            return f"both lose{margin}"
        return "a tie" if outcome.kind == "played" else "the director says who has won"
    if outcome.loss is not None:
        margin += f", {outcome.loss} off the loser"
    verb = "leads" if outcome.kind == "played" and not _is_result(state) else "wins"
    return f"{outcome.winner} {verb}{margin}"


def _final(state: GameState, other: GameState) -> bool | None:
    """True if the scores are the result; None unless both states have ended with a result."""
    if state.no_result or other.no_result:
        return None
    return _is_result(state) if state.status == other.status == "ended" else None


def _is_result(state: GameState) -> bool:
    """True if the scores are the result and no open question may change them."""
    return state.final and not is_provisional(state)


def _spread(state: GameState) -> dict[str, int]:
    """Return each player's points on the spread alone."""
    lines = [line for line in state.adjustments if line.kind == "spread"]
    return {side: sum(one.points for one in lines if one.side == side) for side in SIDES}
