"""A turn as it counts now, and the position of a game between two turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

from game.board import Board, Square, main_word
from game.events import BoardEnding, EndReason, Ruling, Side, TurnEnding, TurnSeen, other
from game.flags import CODES, Flag
from game.rulebooks.loading import Rulebook
from game.tileset import TileSet
from game.values import replace

Kind = Literal[
    "play",
    "exchange_or_pass",
    "exchange",
    "pass",
    "challenge_upheld",
    "challenge_failed",
    "illegal_play",
    "taken_back",
    "no_score",
    "undone",
    "not_known",
]
"""``exchange_or_pass``: nothing changed, and nobody has entered which it was.
``challenge_upheld``: a play, or a change of earlier tiles, that was challenged and taken back.
``challenge_failed``: a turn lost by challenging a good play.
``illegal_play``: announced as one, and scoring nothing (NASPA III.G.5).
``taken_back``: a play that came off for another reason, the turn being lost.
``no_score``: a play that stays and scores nothing. ``undone``: there was no such turn.
``not_known``: nobody saw what was done, and nobody has entered it. It is no scoreless turn."""

UPHELD = frozenset({"challenge_upheld", "taken_back"})
"""Kinds of turns whose tiles were rightly taken off."""


@dataclass(frozen=True)
class Turn:
    """One turn as it counts after every ruling and correction so far."""

    number: int
    """The turn's number from 1, in the order seen."""
    side: Side
    kind: Kind
    position: str | None
    """The start of the play, as in GCG; None if nothing was played."""
    word: str | None
    """The main line as in GCG (``.`` for a tile already there); None if nothing was played."""
    tiles: Mapping[str, str]
    """The tiles played, by square name."""
    score: int
    total: int
    """The player's running total after this turn, before anything at the end of the game."""
    press_ns: int
    flags: tuple[Flag, ...]
    words: tuple[tuple[str, int], ...]
    """Every word formed and its points; the letters are those on the board."""
    bingo: int
    """The bonus for a full rack, or 0."""
    ruling: Ruling | None
    """The ruling, or the inference from the clock, that fits the turn; None if none does."""
    clock_ns: int | None
    """The time on the player's clock after the turn; None if unknown."""
    bag_count: int
    """The number of tiles in the bag after the turn, by count."""
    rack_count: int
    """The number of tiles on the player's rack after the turn, by count."""
    before: Board
    after: Board
    """The board before the next turn."""
    seen: TurnSeen
    """The camera's reading: kept whatever is ruled or corrected later."""
    rack: str | None = None
    """The player's rack before the turn; None if it was not reported."""
    bonus: int = 0
    """Points for an unsuccessful challenge; below 0 if they come off the challenger. They are not
    in ``score`` or ``total``."""
    penalty: int = 0
    """Points deducted for an exchange that was found late, with too few tiles in the bag; they are
    not in ``score`` or ``total``."""
    exchanged: str = ""
    """The exchanged tiles, or their number, if somebody entered them; else empty."""
    inferred: bool = False
    """True if the kind follows from the clock and the board, and nobody entered it."""
    illegal: tuple[Square, ...] = ()
    """The squares of the tiles of an illegal play; empty for any other."""
    left_board: Board | None = None
    """The board at the end of the turn, if it changed before the next turn; else None."""
    made_on: Board | None = None
    """The board with an illegal play, if all that it changed went back at once; else None."""
    open_tiles: Mapping[str, str] = field(default_factory=dict)
    """Tiles that came while nobody looked; a flag asks whose they are."""

    disturbed: bool = False
    """True if tiles of earlier turns were moved, removed or replaced in it."""

    @property
    def on_board(self) -> bool:
        """True if the turn changed the board, so that it can be held, accepted or challenged."""
        return bool(self.tiles) or self.disturbed

    @property
    def press_ms(self) -> int:
        """The time of the press in milliseconds on the table's monotonic clock."""
        return self.press_ns // 1_000_000

    @property
    def out(self) -> bool:
        """True if the player had no tiles left after the turn, and none could be drawn."""
        return not self.rack_count and not self.bag_count and self.kind in ("play", "no_score")

    @property
    def main_word(self) -> str | None:
        """The whole word along the line of the play; None if nothing was played."""
        if self.position is None or self.word is None:
            return None
        return main_word(self.position, self.word, self.before.rows)

    @property
    def pressed(self) -> bool:
        """True if a press ended the turn, as far as the camera and people have told."""
        return self.seen.ended is None and all(one.code != "not_pressed" for one in self.flags)


def last_turn(turns: Sequence[Turn]) -> Turn | None:
    """Return the last turn that counts; None if there is none.

    A press that was given back or nullified ended no turn (WESPA 2021 3.4.3, 3.8(b), NASPA IV.E.1,
    IV.F.1.a). So the turn before it is the last one, for all that follows from that.
    """
    for turn in reversed(turns):
        if turn.kind != "undone":
            return turn
    return None


def answered(turns: Sequence[Turn], turn: Turn) -> bool:
    """True if the opponent has ended a turn since this one; a press that ended none is no turn."""
    later = turns[turn.number :]
    return any(one.side != turn.side and one.kind != "undone" for one in later)


@dataclass(frozen=True)
class Position:
    """The board, the bag, the racks and the scores of a game between two turns."""

    board: Board
    bag: int
    racks: Mapping[Side, int]
    scores: Mapping[Side, int]
    turns: tuple[Turn, ...] = ()
    overrides: Mapping[Square, tuple[str, str]] = field(default_factory=dict)
    """Corrections that still hold, as (what the camera read, what is really there)."""
    withdrawn: Mapping[Square, str] = field(default_factory=dict)
    """Tiles of withdrawn plays that the camera has not yet seen gone."""
    lingering: frozenset[Square] = frozenset()
    """Squares of withdrawn tiles that a later press showed still there: nobody plays these
    again."""
    gone: Mapping[Square, str] = field(default_factory=dict)
    """Earlier tiles that were taken off without permission; if one comes back, it was not
    played."""
    displaced: tuple[Mapping[Square, str], ...] = ()
    """The earlier tiles of squares where tiles were moved or swapped without permission, or laid
    after the press; one group for each act. If all tiles of a group are there again, they were put
    back."""
    reported: Mapping[Side, str] = field(default_factory=dict)
    """Racks reported since the player's last turn."""
    tainted: frozenset[Square] = frozenset()
    """The squares of tiles whose words score nothing, now or later (SANSPA 5.1.4)."""
    set_aside: str = ""
    """Tiles that were found and stay out of the game."""
    infractions: Mapping[Side, int] = field(default_factory=lambda: {"left": 0, "right": 0})
    """The number of each player's minor infractions so far."""

    @classmethod
    def opening(cls, board: Board, tile_set: TileSet, rulebook: Rulebook) -> Position:
        """Return the position before the first turn."""
        rack = rulebook.rack_tiles
        bag = max(0, tile_set.total - len(board.symbols) - 2 * rack)
        return cls(board, bag, {"left": rack, "right": rack}, {"left": 0, "right": 0})

    @property
    def last(self) -> Turn | None:
        """The last turn that counts (:func:`last_turn`)."""
        return last_turn(self.turns)

    def credit(self, side: Side, points: int) -> Position:
        """Return the position with points added to one score."""
        return replace(self, scores={**self.scores, side: self.scores[side] + points})

    def with_flag(self, flag: Flag) -> Position:
        """Return the position with one more flag on the last turn."""
        last = self.turns[-1]
        flagged = replace(last, flags=(*last.flags, flag))
        return replace(self, turns=(*self.turns[:-1], flagged))


class GameConfig(NamedTuple):
    """The players, the set and the rules: the same in every turn."""

    players: Mapping[str, str]
    tile_set: TileSet
    rulebook: Rulebook
    first: Side | None = None
    """Who plays first; None if that was not known before the first press."""
    added_ns: Mapping[Side, int] = MappingProxyType({})
    """The time given to each clock; below 0 if it was taken off."""
    reopened_at: int = 0
    """How many turns had been seen when the game was reopened: none of these ends it."""
    erased: Mapping[Side, int] = MappingProxyType({})
    """Points of each player's penalty for overtime that were erased."""
    charges: tuple[tuple[int, Side, int], ...] = ()
    """The charges for times when nobody watched: from when, to which player, and how much."""
    over_since: tuple[int, str | None] | None = None
    """When somebody ended the game, or it was forfeited, and the rule by which it is over; None if
    it goes on, or ends with a turn."""
    before_play_ns: Mapping[Side, int] = MappingProxyType({})
    """The time beyond the allotted that had run off each clock before its player came, where that
    loses the game otherwise than by the limit on overtime (PSA 5.3.3(c))."""

    def added(self, side: Side, press_ns: int) -> int:
        """Return the time in ns added to a clock up to a press."""
        added = self.added_ns.get(side, 0)
        for from_ns, whose, charged in self.charges:
            if whose == side and press_ns > from_ns:
                added -= charged
        return added

    def not_reopened(self) -> GameConfig:
        """Return the same of a game that was never reopened."""
        return self._replace(reopened_at=0)


class Answer(NamedTuple):
    """The opponent's next turn after one that was ruled on."""

    number: int
    press_ns: int
    held: bool
    """True if its play was held, and not accepted, when the turn before was ruled on."""
    stops_ns: tuple[int, ...]
    """When the clock was stopped since the turn before, in order."""
    played: bool
    """True if it is a play, and nothing shows that it came off."""


class TurnContext(NamedTuple):
    """The evidence on a turn apart from its sighting: the clock and later events."""

    clock_ns: int | None
    """The time on the player's clock after the turn; None without a clock."""
    passed: bool = False
    """True if the game's first press ended the turn, and the rulebook makes that a pass."""
    shown_clock_ns: int | None = None
    """The time on the player's clock when the opponent showed the rack, if that came before the
    press; else None. It counts if the player is out (``out.showing_stops``)."""
    inferred: Ruling | None = None
    """The kind of turn that clock and board show, if any; a ruling has
    precedence."""
    at_stop: bool = False
    """True if the press that ended the turn stopped both clocks."""
    late: tuple[int, ...] = ()
    """Earlier turns that were ruled withdrawn only after this turn: their tiles could rightly still
    be on the board."""
    after_end: EndReason | Literal["by_word"] | None = None
    """Why the game had ended before the turn; None if it had not."""
    lost: bool = False
    """True if, before the turn was made, it was ruled lost by an unsuccessful challenge."""
    answer: Answer | None = None
    """The opponent's next turn; None if there is none yet, or if this turn was neither ruled on nor
    seen to be challenged off."""
    stopped_ns: int | None = None
    """When the clock was last stopped between the turn and the ruling that it was challenged, or
    what showed that, and nobody has said that the stop was for anything else; None if it was
    not."""
    ended: TurnEnding | BoardEnding | None = None
    """How the turn ended without a press; None if somebody pressed."""
    given_back: str | None = None
    """The rule by which this was no turn, because the clock was given back to have the play
    corrected; else None."""
    found: tuple[tuple[int, bool], ...] = ()
    """Illegal plays announced after this turn, as (turn, whether it is known who made it)."""

    def as_shown(self) -> TurnContext:
        """Return the same with the clock as it was when the opponent showed the rack."""
        return self._replace(clock_ns=self.shown_clock_ns)


def unseen(seen: TurnSeen) -> bool:
    """True if the camera may have missed what was played in a turn.

    Turns recorded before the table noted lost pictures count as seen.
    """
    whole = (CODES[one.code] for one in seen.findings if one.square is None)
    return seen.lost is not None and any(code.missed for code in whole)


def unseen_before(position: Position) -> bool:
    """True if the turn before, or an undone turn since, may have tiles that the camera missed.

    False if somebody has entered what was played, or the turn already asks about such tiles.
    """
    for turn in reversed(position.turns):
        if turn.kind != "undone":
            return turn.kind == "not_known" and not turn.open_tiles
        if turn.seen.lost or unseen(turn.seen):
            return True
    return False


def played_before(position: Position, seen: TurnSeen) -> Turn | None:
    """Return the turn before if the tiles of this one may have been first seen there; else None.

    This is possible if this turn shows no new tiles, and both turns were partly unseen.
    """
    last = position.last
    if last is None or not seen.lost or last.ruling is not None:
        return None
    partly = unseen(last.seen) or _ended_unseen(last, seen)
    return last if last.open_tiles or (last.tiles and partly) else None


def _ended_unseen(last: Turn, seen: TurnSeen) -> bool:
    """True if it is asked whose a turn's tiles were, and no picture parts it from the next one."""
    asked = any(one.code == "turn_inferred" for one in last.seen.findings)
    return asked and any(one.from_ns < last.press_ns < one.until_ns for one in seen.lost or ())


def due(position: Position, config: GameConfig) -> Side | None:
    """Return the side on turn, ignoring undone turns; None before the first if nobody named it."""
    if (last := position.last) is not None:
        return other(last.side)
    return position.turns[0].side if position.turns else config.first
