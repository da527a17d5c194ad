"""From a game record to the events of a game: what a table would have logged.

GCG has no clock: turns are a second apart, and for points off for time the clock is set to a time
that costs as much. Notes, titles, and racks that show no more than the play itself make no events.
The events make the same game, and :func:`game.gcg.record_from_game` makes the same record of it
again, so a record survives any number of conversions. If by the count of tiles nobody is out at the
end of the record, its racks are left for somebody to enter.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Final, get_args

from game.board import Square
from game.errors import TilewatchError
from game.events import (
    SIDES,
    ButtonPressed,
    Cause,
    ChallengeBonus,
    ClockAdjusted,
    EndReason,
    Event,
    GameEnded,
    GameForfeited,
    GameReopened,
    GameStarted,
    LateStart,
    OvertimeErased,
    PenaltyAdded,
    PointsAdjusted,
    RackReported,
    Ruling,
    Side,
    SquareCorrected,
    TilesChanged,
    TurnRuled,
    TurnSeen,
    other,
)
from game.gcg.check import Step, check, replay, rulebook_of, taken_off_too
from game.gcg.record import POINTS, TURN_KINDS, Entry, GameRecord, HowEnded, possible_sets
from game.rulebooks.loading import SECOND, Rulebook, adjusted
from game.state.fold import GameState, apply
from game.tileset import BLANK, TileSet

_BY: Final = "the record"
_HASH: Final = re.compile(r"\bword-list-sha256=([0-9a-f]{64})\b")
_RULED: Final = frozenset({"pass", "exchange", "challenge_failed"})


def events_from_record(
    record: GameRecord, rulebook: Rulebook | None = None, tile_set: TileSet | None = None
) -> tuple[Event, ...]:
    """Return the events of a recorded game; the record's first player sits on the left.

    Args:
        record: the record.
        rulebook: the rules; those that the record names if not given, else the default.
        tile_set: the set of tiles; if not given, the one that the record names, else the set that
            has its letters and agrees best.

    Raises:
        TilewatchError: the record names an unknown rulebook or set, no set has its letters, or it
            takes back a play that it does not have.
    """
    book = _as_counted(record, rulebook or rulebook_of(record))
    sets = [tile_set] if tile_set is not None else possible_sets(record)
    tiles = min(sets, key=lambda one: len(check(record, book, one)))
    names = {side: " ".join(record.players[i].name.split()) for i, side in enumerate(SIDES)}
    start = GameStarted(
        game_id=_game_id(record),
        players={side: name or side.capitalize() for side, name in names.items()},
        rulebook=book.id,
        tile_set=tiles.id,
        first=SIDES[0],
        t_ns=0,
        adjust=dict(book.adjusted),
        word_list=_word_list(record),
    )
    game = _Events(start, book)
    for step in replay(record, book, tiles):
        game.take(step)
    game.end(record)
    return tuple(game.events)


def _as_counted(record: GameRecord, book: Rulebook) -> Rulebook:
    """Return the rulebook with the record's way to count the racks left at the end.

    If an event may announce either way, the lines of the record show which one was announced.
    """
    choice = book.choices.get("out.racks")
    rack = next((entry for entry in record.entries if entry.kind == "end_rack"), None)
    if choice is None or rack is None or not rack.tiles.strip(BLANK):
        return book
    form = "split" if taken_off_too(record, rack) else "added"
    if form == book.out_racks:
        return book
    return adjusted(book, {**book.adjusted, "out.racks": form})


def _game_id(record: GameRecord) -> str:
    if record.id is None:
        return "record"
    authority, id_ = record.id
    return id_ if authority == "tilewatch" else "/".join([authority, *id_.split()])


def _word_list(record: GameRecord) -> dict[str, str] | None:
    if not record.lexicon:
        return None
    found = _HASH.search(record.description)
    return {"name": record.lexicon, "sha256": found[1] if found else ""}


class _Events:
    """The events of a game, gathered line by line."""

    def __init__(self, start: GameStarted, book: Rulebook) -> None:
        self.events: list[Event] = []
        self._book = book
        self._state: GameState | None = None
        self._now = 0
        self._turns = 0
        self._bonus = 0
        """The points of the last play for a failed challenge, whose line is still to come."""
        self._illegal: list[tuple[int, int, Ruling]] = []
        """Illegal plays to be announced, as (turn, number of turns at the announcement, ruling)."""
        self._put(start)
        # The first press starts the clock of the player who begins.
        self._put(ButtonPressed(other(SIDES[0]), 0))

    def _put(self, event: Event) -> None:
        self._state = apply(self._state, event)
        self.events.append(event)

    @property
    def state(self) -> GameState:
        """The state of the game so far."""
        assert self._state is not None, "it has been started"
        return self._state

    def take(self, step: Step) -> None:
        """Take the next line of the record."""
        entry = step.entry
        side = SIDES[entry.player]
        if entry.kind not in ("withdrawn", "no_score"):
            self._count_last()
        if entry.kind in TURN_KINDS:
            self._turn(step, side)
        elif entry.kind == "withdrawn":
            if not self._turns:
                raise TilewatchError(f"line {entry.line}: there is no play to take back")
            self._withdrawn(entry)
            self._later(step)
        elif entry.kind == "no_score":
            self._rule(self._turns, "no_score")
            self._later(step)
        elif entry.kind == "challenge_bonus" and entry.score == self._bonus:
            self._bonus = 0  # it follows from the challenge
        elif entry.kind == "challenge_bonus":
            self._put(ChallengeBonus(side, entry.score, None, _BY, "challenged in vain", self._now))

    def _count_last(self) -> None:
        """Rule that the last play counts although the game was over, as no line takes it back."""
        last = self.state.turns[-1] if self.state.turns else None
        if last is not None and last.kind == "no_score" and last.ruling is None:
            self._rule(self._turns, "play")

    def _turn(self, step: Step, side: Side) -> None:
        entry = step.entry
        self._now += SECOND
        self._turns += 1
        if (rack := _rack(entry)) is not None:
            self._put(RackReported(side, rack, self._now))
        if entry.kind != "play" and self.state.status == "ended":
            # By what was ruled later it was over; nothing would be seen any more.
            self._put(GameReopened("other", _BY, "the record goes on", self._now))
        self._put(ButtonPressed(side, self._now))
        self._put(TurnSeen(side, self._now, step.after.rows, self._now))
        if self.state.turns[-1].score != entry.score:
            self._laid_in_holes(step)
        if entry.kind in _RULED:
            self._rule(self._turns, entry.kind, entry.exchanged)
        for turn in self.state.turns[-2:]:
            if turn.kind == "undone" and turn.inferred:
                self._rule(turn.number, "play")  # the record has it, whatever its clock says
        if entry.kind == "play" and entry.illegal_after is not None:
            self._illegal.append((self._turns, entry.illegal_after, "illegal_play_unknown"))
        if entry.challenged is not None:
            self._put(_in_vain(self._turns, entry.challenged, self._now))
        self._bonus = self.state.turns[-1].bonus
        self._announce()
        self._later(step)

    def _laid_in_holes(self, step: Step) -> None:
        """Say that the tiles of a play that lie where earlier ones were gone were laid in it."""
        asked = (one for one in self.state.turns[-1].flags if one.code == "hole_filled")
        for name in [name for flag in asked for name in flag.squares]:
            if step.change is not None and Square.parse(name) in step.change.placed:
                tile = step.after[Square.parse(name)]
                counted = SquareCorrected(self._turns, name, tile, _BY, "as recorded", self._now)
                self._put(counted)

    def _withdrawn(self, entry: Entry) -> None:
        after = entry.illegal_after
        if after is None:
            self._rule(self._turns, "challenge_upheld")
            return
        self._illegal.append((self._turns, after, "illegal_play"))
        self._announce()

    def _announce(self) -> None:
        """Rule on the illegal plays whose announcement came at this number of turns."""
        due = [one for one in self._illegal if one[1] <= self._turns]
        self._illegal = [one for one in self._illegal if one not in due]
        for turn, _, ruling in due:
            if self._book.illegal_placement == "illegal_play":
                self._rule(turn, ruling)
            elif ruling == "illegal_play":
                self._rule(turn, "challenge_upheld")

    def _later(self, step: Step) -> None:
        """Record the changes of the board that were seen after the turn."""
        if self.state.status != "ended" and step.later != step.after:
            now, rows = self._now, step.later.rows
            self._put(TilesChanged(self._turns, rows, now, {}, now))

    def _rule(self, turn: int, ruling: str, tiles: str = "") -> None:
        self._put(
            TurnRuled(
                turn,
                ruling,  # type: ignore[arg-type]  # the kinds of _RULED are rulings
                _BY,
                "as recorded",
                self._now,
                tiles=tiles,
            )
        )

    def end(self, record: GameRecord) -> None:
        """Take the lines at the end: racks, then time and penalties, then how the game ended."""
        self._count_last()
        by_racks = self._racks(record)
        for entry in record.entries:
            if entry.kind in ("time", *POINTS):
                self._points(entry, record.how_ended)
        lines = {entry.kind: entry for entry in reversed(record.entries)}
        if record.how_ended is not None:
            self._ended(record.how_ended, timed="time" in lines)
        elif "left" in lines:
            side, score = SIDES[lines["left"].player], lines["left"].score
            leaver = side if score < 0 else other(side)
            self._put(GameForfeited(leaver, "left", _BY, "as recorded", self._now))
        elif "overtime_limit" in lines:
            self._limit_passed(lines["overtime_limit"])
        elif record.ended:
            self._put(GameEnded(EndReason.SIX_ZEROS if by_racks else EndReason.OUT, self._now))
        elif "time" in lines and not record.incomplete:
            self._put(GameEnded(EndReason.AGREED, self._now))

    def _racks(self, record: GameRecord) -> bool:
        """Report the racks that were left; True if each was taken off its own player's score."""
        racks: dict[Side, str] = {}
        for entry in record.entries:
            if entry.kind == "end_rack":
                racks[other(SIDES[entry.player])] = entry.tiles
                if self.state.racks[SIDES[entry.player]]:  # by counting there were more
                    racks[SIDES[entry.player]] = ""
        by_racks = not racks
        for entry in record.entries:
            if entry.kind == "end_rack_penalty" and by_racks:
                racks[SIDES[entry.player]] = entry.tiles
        for side, tiles in racks.items():
            counted = len(tiles) if len(tiles) != self.state.racks[side] else None
            self._put(RackReported(side, tiles, self._now, counted=counted))
        return by_racks

    def _limit_passed(self, line: Entry) -> None:
        side = SIDES[line.player]
        self._out_of_time(side)
        if (erased := self._book.overtime_limit_points + line.score) > 0:
            self._put(OvertimeErased(side, _BY, "as recorded", self._now, points=erased))

    def _ended(self, how: HowEnded, *, timed: bool) -> None:
        """End the game as a note says: by a forfeit, or because somebody ended it."""
        if how.limit is not None and not timed:
            self._out_of_time(SIDES[how.limit])
            if how.loser is None:  # no line has points for it, so they were erased
                self._put(OvertimeErased(SIDES[how.limit], _BY, "as recorded", self._now))
        if how.loser is None:
            self._put(GameEnded(how.cause, self._now))
            return
        side = SIDES[how.loser]
        for cause in get_args(Cause):
            if cause == how.cause:
                if self.state.status == "ended":
                    self._put(GameReopened("other", _BY, "it was forfeited", self._now))
                if cause == "late":
                    self._put(LateStart(side, self._book.clock_ns, _BY, "as recorded", self._now))
                self._put(GameForfeited(side, cause, _BY, "as recorded", self._now, how.margin))

    def _points(self, entry: Entry, how: HowEnded | None) -> None:
        side = SIDES[entry.player]
        own = {
            "left": self._book.leaving == "fifty_behind",
            "overtime_limit": self._book.limit_changes_scores,
            "limit_raise": self._book.limit_changes_scores,
        }
        if own.get(entry.kind):
            return  # these follow from how the game ended
        shown = _shown_for(-entry.score, self._book) if entry.kind == "time" else None
        if shown is not None and how is not None and how.limit == entry.player:
            shown = min(shown, -self._book.overtime_limit_from_ns)
        if shown is not None:
            left = self.state.clocks.remaining(side, self._now)
            self._put(
                ClockAdjusted(side, shown - left, None, _BY, "overtime as recorded", self._now)
            )
        elif entry.kind == "correction":
            points = entry.score
            self._put(PointsAdjusted(side, points, "score", None, _BY, "as recorded", self._now))
        elif entry.score > 0:
            raise TilewatchError(
                f"line {entry.line}: {entry.score} points added at the end, for which "
                f"{self._book.id} has no rule"
            )
        else:
            self._put(PenaltyAdded(side, -entry.score, None, _BY, "as recorded", self._now))

    def _out_of_time(self, side: Side) -> None:
        """Let a player's clock run past the limit on overtime."""
        if self.state.clocks.running != side:
            self._put(ButtonPressed(other(side), self._now))
        left = self.state.clocks.remaining(side, self._now)
        over = self._now + left + self._book.overtime_limit_from_ns
        self._put(ButtonPressed("neutral", over))
        self._now = max(self._now, over)


def _in_vain(turn: int, challenged: str, t_ns: int) -> TurnRuled:
    """Return the ruling on a failed challenge of a play, as a note has it."""
    ruled = TurnRuled(turn, "challenge_failed", _BY, "as recorded", t_ns)
    if challenged == "placement":
        return replace(ruled, ground="placement")
    if challenged.isdecimal():
        return replace(ruled, words=int(challenged))
    return replace(ruled, challenged_words=tuple(challenged.split(",")) if challenged else None)


def _shown_for(points: int, book: Rulebook) -> int | None:
    """Return a clock's time, below 0, that costs so many points; None if no overtime does."""
    if not book.overtime_points or points <= 0:
        return None
    minutes = points // book.overtime_points
    shown = -((minutes - 1) * 60 * SECOND + SECOND)
    return shown if book.overtime_penalty(shown) == points else None


def _rack(entry: Entry) -> str | None:
    """Return the rack that a line reports if it shows more than the tiles played; else None."""
    if entry.rack is None or entry.kind != "play":
        return entry.rack
    shown = {**{s.name: t for s, t in entry.placed().items()}, **entry.squares}
    played = Counter(
        t if t.isalpha() and t.isupper() else BLANK for t in shown.values() if t != "."
    )
    rack = Counter(entry.rack)
    return entry.rack if rack != played and not played - rack else None
