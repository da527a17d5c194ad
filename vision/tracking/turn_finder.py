"""Finds the turns that have ended, one at a time, with questions where they are not certain.

Every sighting of a board at rest updates the timeline of the tiles; the decoder divides them into
turns. A turn is returned when it is clear. If a part of its play was occluded at its press, or it
is not clear whose tiles lie there, the turn is *pending*: it waits ``LOOK_AHEAD_NS`` for a clear
view, and is then returned as the likeliest hypothesis has it, with a question. Open turns are
returned before the next press is recorded. A turn without a press is returned once it is sure and
the board has rested.

If every frame is one settled view (``stills``), a turn is what the last frame before its press
shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from game.board import EMPTY, UNREADABLE, Board, Square, is_tile
from game.events import BoardEnding, PictureEdge, PlayMade, Side, TilesChanged, TurnReading
from game.plays.play import is_play
from game.state.fold import GameState, stop_ends_turn
from sensors.interfaces import Frame
from vision.tracking.appearance import same_appearance
from vision.tracking.board_changes import BoardChanges
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.findings import open_questions, shown_later, tiles_certainty, with_misoriented
from vision.tracking.observer import BoardObserver
from vision.tracking.parameters import AGAIN_NS, LIKELY, LOOK_AHEAD_NS, SURE
from vision.tracking.results import Corrections, SecondPlay, SeenTurn, TileChange
from vision.tracking.sighting import Observation, Sighting
from vision.tracking.stillness import Attempt, StillnessTracker, StillSegment
from vision.tracking.tile_timeline import TileTimeline
from vision.tracking.turn_hypotheses import DecodedTurn
from vision.tracking.turn_posterior import Decoded
from vision.tracking.turn_view import TurnView, view_turn
from vision.tracking.turn_window import OpenTurns

GIVE_UP_NS: Final = 10_000_000_000
"""Time after its press for which a turn waits for a view if none of its tiles is in sight."""

_OUT: Final = 3
"""A player's last tiles count as played after the board has rested this many times ``AGAIN_NS``.
Nothing new follows from a longer rest."""

_MOST_GONE: Final = 2
"""If more earlier tiles than this are gone, the board is being cleared: it is no slip."""

_PASSED: Final = "nothing was laid, and the opponent has made another play"

Need = Literal["nothing", "press", "end"]
"""Why the open turns are needed now: they are not, the next press has come, or the end has."""

Found: TypeAlias = Corrections | SeenTurn | SecondPlay | TileChange
"""The next result: corrections of earlier turns, a turn, a question, or tiles added to a play."""


@dataclass
class PendingTurn:
    """A turn whose press has come, but that has not been seen clearly yet."""

    side: Side
    press_ns: int
    before: tuple[StillSegment, ...]
    """The turn's still segments up to the press, newest first."""
    out: bool = False
    """True if both clocks were stopped: only the board can show if the turn has ended."""
    at: Sighting | None = None
    """The sighting of the board at the press; None if it was not at rest."""
    attempt: Attempt = field(default_factory=Attempt)
    """The last attempt since the press to observe the board that failed."""
    from_ns: int | None = None
    """Time at which the turn began; None if unknown."""
    base: Sighting | None = None
    """The sighting that shows the turn best so far; None if there is none."""
    earlier_taken: bool = False
    """True if all of ``before`` were observed."""


class PictureGap:
    """The newest stretch of time from which there is no picture."""

    def __init__(self) -> None:
        self._latest_ns: int | None = None
        self._from_ns, self._until_ns = 0, 0

    def add(self, frame: Frame) -> None:
        """Take the next frame."""
        if self._latest_ns is not None and frame.t_ns - self._latest_ns > LOOK_AHEAD_NS:
            self._from_ns, self._until_ns = self._latest_ns, frame.t_ns
        self._latest_ns = frame.t_ns

    def holds(self, *times_ns: int) -> bool:
        """True if all these times are in the gap."""
        return all(self._from_ns < t_ns < self._until_ns for t_ns in times_ns)

    def until(self, press_ns: int) -> int:
        """Return the end of the gap that a press fell into; the press's time if into none."""
        return self._until_ns if self._from_ns < press_ns < self._until_ns else press_ns


class TurnFinder:
    """Finds the turns of one game. Each method takes the game as it stands."""

    def __init__(
        self,
        observer: BoardObserver,
        stillness: StillnessTracker,
        hands: Mapping[Side, PictureEdge] | None,
        *,
        stills: bool,
    ) -> None:
        """``hands``: without a clock, the edge of the picture at which each player sits."""
        self._observer, self._stillness = observer, stillness
        self._by_board, self._stills = hands is not None, stills
        self._timeline = TileTimeline(stillness)
        self._open = OpenTurns(self._timeline, hands)
        self.changes = BoardChanges(stillness, self._timeline, self._open)
        """Watches the settled board, in a game with a clock."""
        self._gap = PictureGap()
        self._latest: Frame | None = None
        self._seen: Sighting | None = None
        """The newest sighting of the open turn."""
        self._new_view = False
        """True if the newest sighting's corrections of earlier turns were not yet returned."""
        self._attempt = Attempt()
        self._now_ns = 0
        self._coming_ns: int | None = None
        """Time of a press that is not recorded yet; None if all are recorded."""
        self._decided: tuple[int, int, int] | None = None
        """The sighting's time, the number of presses and the rest at the last decoding of the open
        turns."""
        self._readings: tuple[TurnReading, ...] = ()
        """Ways to divide the tiles, kept from an earlier turn: they are asked about with the next
        turn.
        """
        self._amended: set[tuple[int, Square, str]] = set()
        self._asked: frozenset[Square] | None = None
        """The squares of the first play that the last question was about; None before the first."""
        self._unsure: tuple[frozenset[Square], int] | None = None
        """The squares of the first play, and since when it is unsure; None if it is sure."""
        self.from_ns: int | None = None
        """Time at which the clock of the side on turn was started; None if unknown."""
        self.pending: PendingTurn | None = None

    # --- inputs ---

    def add(self, frame: Frame) -> None:
        """Take the next frame."""
        self._gap.add(frame)
        self._latest = frame
        self._now_ns = frame.t_ns
        if not self._stills:
            self._stillness.add(frame, self.from_ns)

    def press(self, state: GameState, side: Side, press_ns: int) -> None:
        """Note a press of a player's button, before it is recorded."""
        self._open.press(state, side, press_ns)
        self._coming_ns = press_ns

    def clock_started(self, press_ns: int) -> None:
        """Note that a clock was started: earlier still segments belong to another turn."""
        self.from_ns, self._coming_ns = press_ns, None
        self._stillness.earlier.clear()

    def turn_ended(self, state: GameState, side: Side, press_ns: int, *, out: bool = False) -> bool:
        """Take a press or stop that may end a turn; return True if the turn counts at once."""
        self._follow(state)
        self._coming_ns = None
        at = self._observe_at_press(press_ns)
        # A settled view stands for the board at the press.
        at_ns = press_ns if self._stills else None
        sighting = None if at is None else self._take(state, at, at_ns)
        earlier = self._stillness.earlier
        before = [segment for segment in reversed(earlier) if segment.began_by(press_ns)]
        newest = None if at is not None or self._stills else self._stillness.newest(self.from_ns)
        if newest is not None and newest.began_by(press_ns):
            before.insert(0, newest)  # the camera has delivered nothing since
        if not out:
            self._open.expect(side, press_ns)
        self.pending = PendingTurn(
            side, press_ns, tuple(before), out, sighting, from_ns=self.from_ns, base=sighting
        )
        return self._stills

    # --- views ---

    def observe(self, state: GameState, now_ns: int) -> bool:
        """Observe the board at rest; return True if it was observed."""
        self._follow(state)
        seen = self._stillness.current
        asked = next(open_questions(state), None) is not None or UNREADABLE in state.board.symbols
        # Too little may have moved to be noticed since the turn before.
        wanted = asked if seen is None else self._attempt.segment_id is None
        if wanted and self._stillness.attempt(self._attempt, now_ns):
            seen = self._stillness.observe()
            self._attempt.clear = seen is not None
        if seen is None:
            return False
        if self._seen is None or self._seen.observation is not seen:
            self._new_view = True
            self._take(state, seen)
        return True

    def observe_pending(self, state: GameState, now_ns: int) -> bool:
        """Observe the board for the pending turn if it is time to; return True if observed."""
        turn = self.pending
        if turn is None or not self._stillness.attempt(turn.attempt, now_ns):
            return False
        seen = self._stillness.observe()
        if seen is None:
            return False
        turn.base = self._take(state, seen)
        turn.attempt.clear = turn.base.clear
        return True

    def time_is_up(self, state: GameState, now_ns: int) -> bool:
        """True if the pending turn has waited long enough for a clear view."""
        turn = self.pending
        if turn is None:
            return False
        back_ns = self._gap.until(turn.press_ns)
        waited, blind = now_ns - back_ns, back_ns > turn.press_ns
        if not (waited > LOOK_AHEAD_NS or blind) or not (turn.before or turn.at is not None):
            return False
        self._take_earlier(state, turn)
        return turn.base is not None and bool(self._open.new(state) or waited > GIVE_UP_NS)

    def observe_once_more(self, state: GameState) -> None:
        """Observe the board for the pending turn, whose time is up."""
        turn = self.pending
        if turn is None:
            return
        # The next press may come before the board has been at rest for long.
        still_ns = self._stillness.still_ns
        soon = still_ns is not None and 0 < still_ns - turn.press_ns <= LOOK_AHEAD_NS
        seen = self._stillness.observe() if soon else None
        if seen is not None:
            turn.base = self._take(state, seen)

    def settle(self, state: GameState) -> None:
        """Take the earlier segments, or the board as it is now, for the pending turn."""
        turn = self.pending
        if turn is None:
            return
        self._take_earlier(state, turn)
        if turn.base is None:
            now = self._stillness.observe()
            if now is not None and now.frame.t_ns > (turn.from_ns or 0):
                turn.base = self._take(state, now)

    def _take_earlier(self, state: GameState, turn: PendingTurn) -> None:
        """Update by the turn's still segments up to its press."""
        if turn.earlier_taken:
            return
        turn.earlier_taken = True
        views = [self._take_segment(state, segment) for segment in turn.before]
        newest = next((view for view in views if view is not None), None)
        turn.base = turn.at or newest or turn.base

    def _take_segment(self, state: GameState, segment: StillSegment) -> Sighting | None:
        seen = self._stillness.observe_segment(segment)
        return None if seen is None else self._take(state, seen)

    def _take(self, state: GameState, seen: Observation, at_ns: int | None = None) -> Sighting:
        """Update by an observation of the board.

        ``at_ns`` is the time at which the board looked like this; None for the time of the frame.
        """
        sighting = self._observer.update(seen, len(state.turns) + 1)
        if not (self._by_board or self._stills):
            self.changes.take(state, sighting)
        if not (self._by_board and _being_cleared(state, sighting)):
            self._timeline.take(state, sighting, at_ns)
            self._open.update(state, sighting)
            if self._seen is None or seen.frame.t_ns >= self._seen.frame.t_ns:
                self._seen = sighting
        return sighting

    def _observe_at_press(self, press_ns: int) -> Observation | None:
        if not self._stills:
            return self._stillness.observe_at_press(press_ns)
        frame, since = self._latest, self.from_ns
        if frame is None or (since is not None and frame.t_ns <= since):
            return None  # the latest picture was taken in an earlier turn
        return self._observer.observe((frame,))

    # --- turns ---

    @property
    def hands(self) -> dict[Side, PictureEdge] | None:
        """The edge of the picture at which each player sits; None until that is sure."""
        return self._open.hands

    @property
    def uncounted(self) -> dict[Square, str]:
        """The symbols of the tiles that belong to no recorded turn, by square."""
        return self._open.uncounted

    def next(self, state: GameState, need: Need = "nothing") -> Found | None:
        """Return the next result; None if there is no more."""
        self._follow(state)
        if self.pending is not None:
            return self._of_pending(state, self.pending, needed=need != "nothing")
        if self._seen is None or state.settled:
            return None
        return self._of_open(state, self._seen, need)

    def _follow(self, state: GameState) -> None:
        if self._open.follow(state):
            self._asked = self._unsure = self._decided = None
            self._readings = ()
            self._attempt = Attempt()

    def _of_pending(self, state: GameState, turn: PendingTurn, *, needed: bool) -> Found | None:
        """Return the pending turn, or one before it, if it is clear or ``needed``."""
        if turn.base is None:
            return self._unseen(turn) if needed else None
        held = needed and self._is_held(state, turn)
        decoded = self._decode(state, turn.base, needed=needed and not held)
        if isinstance(decoded, Corrections | TileChange):
            return decoded
        if turn.out:
            tiles = self._open.new(state)
            decoded = replace(
                decoded,
                turns=(DecodedTurn(turn.side, frozenset(tiles), turn.press_ns, turn.press_ns),),
                sure=1.0,
                doubtful=frozenset(),
            )
        first = decoded.turns[0] if decoded.turns else None
        if first is not None and turn.press_ns in [one.press_ns for one in decoded.turns[1:]]:
            if decoded.sure < SURE and not needed:
                return None
            return self._unpressed(state, turn.base, decoded)
        if held:
            came = {s: tile.event.after_ns for s, tile in self._open.new(state).items()}
            decoded = _of_nobody(decoded, turn, (s for s, t in came.items() if t < turn.press_ns))
        return self._pressed(state, turn, turn.base, decoded, needed=needed)

    def _is_held(self, state: GameState, turn: PendingTurn) -> bool:
        """True if no picture parts a turn from the one before it, and their tiles may be either's.

        They are then returned together, with a question that names all that may have been.
        """
        last = state.turns[-1] if state.turns else None
        if last is None or not self._gap.holds(last.press_ns, turn.press_ns):
            return False
        return self._open.decode(state).sure < LIKELY

    def _unseen(self, turn: PendingTurn) -> SeenTurn | None:
        self.pending = None
        return None if turn.out else SeenTurn(turn.side, turn.press_ns, None, doubt=None)

    def _pressed(
        self, state: GameState, turn: PendingTurn, base: Sighting, decoded: Decoded, *, needed: bool
    ) -> SeenTurn | None:
        """Return the turn that a press has ended, if it is clear or ``needed``.

        If the press ends no turn in the likeliest hypothesis, all tiles are returned as one turn,
        with a question.
        """
        first = decoded.turns[0] if decoded.turns else None
        if first is not None and first.press_ns == turn.press_ns:
            tiles, doubtful, sure = first.tiles, decoded.doubtful, decoded.sure
            forgotten, readings = frozenset[Square](), decoded.readings if sure < SURE else ()
        else:
            tiles, doubtful, sure = frozenset(self._open.new(state)), frozenset(), 0.0
            forgotten, readings = (first.tiles if first is not None else tiles), decoded.readings
        moved = base is not turn.at and base.frame.t_ns < turn.press_ns
        view = view_turn(self._observer, self._timeline, state, base, tiles, doubtful, moved=moved)
        shown = view.doubt == frozenset() and not doubtful & self._timeline.beside_arm
        clear = sure >= SURE and shown
        if not (clear or needed):
            return None
        self.pending = None
        if turn.out and stop_ends_turn(state, view.sighting.board) != turn.side:
            return None
        return SeenTurn(
            turn.side,
            turn.press_ns,
            view.sighting,
            self._covered(turn, base, view, tiles, clear=clear),
            present=clear and base is self._seen and not (self._stills or turn.out or needed),
            doubt=view.doubt,
            certainty=self._certainty(state, view, sure, 1.0),
            corrections=shown_later(state, view.sighting),
            readings=self._asked_together(readings, turn.side, tiles, turn.press_ns),
            forgotten=forgotten,
            doubtful=doubtful,
        )

    def _asked_together(
        self,
        readings: tuple[TurnReading, ...],
        side: Side,
        tiles: frozenset[Square],
        ended_ns: int,
    ) -> tuple[TurnReading, ...]:
        """Return the ways to divide the tiles that people choose from with this turn.

        They are its own, those kept from earlier turns, and those with a play that was taken off
        before it; none twice.
        """
        there = self._timeline.tiles
        symbols = {s.name: there[s].event.symbol for s in sorted(tiles) if s in there}
        off = self._open.taken_off(PlayMade(side, symbols, ended_ns))
        asked = (*readings, *self._readings)
        asked += off[1:] if asked else off  # the first is as it stands
        return tuple(one for at, one in enumerate(asked) if one not in asked[:at])

    def _unpressed(self, state: GameState, base: Sighting, decoded: Decoded) -> SeenTurn:
        """Return the first decoded turn, which has no press, with what the sighting shows of it."""
        turn, sure = decoded.turns[0], decoded.sure
        view = view_turn(self._observer, self._timeline, state, base, turn.tiles, decoded.doubtful)
        ended_ns = turn.ended_ns if turn.press_ns is None else turn.press_ns
        readings = decoded.readings if sure < SURE else ()
        passed = not readings and not turn.tiles and turn.press_ns is None
        return SeenTurn(
            turn.side,
            ended_ns,
            view.sighting,
            doubt=view.doubt if turn.tiles else frozenset(),
            certainty=self._certainty(state, view, sure, 0.5 if turn.press_ns is None else 1.0),
            ended=decoded.ended,
            question=_PASSED if passed else None,
            readings=self._asked_together(readings, turn.side, turn.tiles, ended_ns),
            doubtful=decoded.doubtful,
        )

    def _certainty(
        self, state: GameState, view: TurnView, player: float, time: float
    ) -> dict[str, float]:
        """Return the probabilities that the tiles, the player and the time of a turn are right."""
        tiles = 0.0 if view.doubt is None else tiles_certainty(state, view.sighting)
        return {"tiles": round(tiles, 4), "player": round(player, 4), "time": time}

    def _covered(
        self,
        turn: PendingTurn,
        base: Sighting,
        view: TurnView,
        tiles: frozenset[Square],
        *,
        clear: bool,
    ) -> str | None:
        """Return a note on what was occluded at the press; None if nothing was."""
        if base is turn.at:
            return view.note("at the press")
        apart_s = (base.frame.t_ns - turn.press_ns) / 1e9
        hidden = "not clear at the press"
        if apart_s <= 0:
            return f"{hidden}, seen {-apart_s:.1f} s before it"
        if not clear:
            return f"{hidden} and since"
        in_view = turn.at is not None and not turn.at.merged.covered.any()
        # A shadow or a hand that moved past hides nothing that was shown before.
        in_view |= turn.at is None and self._laid_by(turn.press_ns, tiles)
        if in_view or self._unchanged(turn, base):
            return None
        return f"{hidden}, seen {apart_s:.1f} s after it"

    def _laid_by(self, press_ns: int, tiles: frozenset[Square]) -> bool:
        """True if each of these tiles was shown before a press."""
        placed = self._timeline.tiles
        return all(square in placed and placed[square].event.by_ns <= press_ns for square in tiles)

    def _unchanged(self, turn: PendingTurn, now: Sighting) -> bool:
        """True if the board looks as it did before the press: it looked so at the press, too."""
        before = self._stillness.observe_segment(turn.before[0]) if turn.before else None
        if before is None:
            return False
        return bool(same_appearance(before.appearance, now.observation.appearance).all())

    # --- turns without a press ---

    def _of_open(self, state: GameState, seen: Sighting, need: Need) -> Found | None:
        """Return the first open turn if it has ended, or a question about it."""
        if self._new_view:
            self._new_view = False
            later = shown_later(state, seen)
            if later:
                return Corrections(later, seen.frame.t_ns)
        alone = self._by_board
        going_on = state.on_turn is not None and state.status == "running"
        if not (going_on or alone):
            return None
        rested_ns = self._now_ns - seen.frame.t_ns
        rested = min(rested_ns // AGAIN_NS, _OUT + 1)
        known = seen.frame.seq, self._open.presses, rested
        if need == "nothing":
            idle = self._stillness.current is None or known == self._decided
            asked = next(open_questions(state), None) is not None
            if idle or not (rested or alone or asked or self._open.presses_since(state)):
                return None
        found = self._ended(state, seen, need, self._over(state, need, rested))
        if found is None:
            self._decided = known
        return found

    def _over(self, state: GameState, need: Need, rested: int) -> BoardEnding | None:
        """Return the evidence that the last turn on the board has ended; None if there is none."""
        if not self._by_board:
            return None
        if need == "end":
            return "watch_ended"
        new = {s: tile.event.symbol for s, tile in self._open.new(state).items()}
        side = state.on_turn
        last = side is not None and not state.bag_count and state.racks[side] == len(new)
        out = last and rested >= _OUT and is_play(state.board, new, state.rulebook.rack_tiles)
        return "played_out" if out else None

    def _ended(
        self, state: GameState, seen: Sighting, need: Need, over: BoardEnding | None
    ) -> Found | None:
        decoded = self._decode(state, seen, over)
        if isinstance(decoded, Corrections | TileChange):
            return decoded
        if need == "end" and over is None:
            return None
        if not decoded.turns:
            return self._maybe_ended(state, decoded, seen) if need == "nothing" else None
        turn, sure = decoded.turns[0], decoded.sure
        if turn.press_ns is not None and turn.press_ns == self._coming_ns:
            return None
        due = need == "end" or sure >= (SURE if need == "nothing" else LIKELY)
        if not due and need == "nothing" and self._ask(turn, seen.frame.t_ns):
            if not self._by_board:
                return _second_play(state, turn, seen)
            due = True
        if not due:
            return None
        found = self._unpressed(state, seen, decoded)
        return found if need != "nothing" or found.doubt == frozenset() else None

    def _maybe_ended(self, state: GameState, decoded: Decoded, seen: Sighting) -> SecondPlay | None:
        """Return the question whether a turn has ended; None if that is unlikely."""
        turn, p = decoded.maybe_ended or (None, 0.0)
        if turn is None or p < 1 - LIKELY or self._by_board:
            return None
        asked = self._ask(turn, seen.frame.t_ns)
        return _second_play(state, turn, seen) if asked else None

    def _ask(self, turn: DecodedTurn, seen_ns: int) -> bool:
        """True, once per play, if it is time to ask whether this turn has ended."""
        same = self._unsure is not None and (self._by_board or self._unsure[0] == turn.tiles)
        if self._unsure is None or not same:
            self._unsure = turn.tiles, seen_ns
        due = bool(turn.tiles) or self._by_board
        if not due or self._now_ns - self._unsure[1] < LOOK_AHEAD_NS:
            return False
        asked, self._asked = self._asked, turn.tiles
        return self._by_board or asked != turn.tiles

    def _decode(
        self,
        state: GameState,
        seen: Sighting,
        over: BoardEnding | None = None,
        *,
        needed: bool = False,
    ) -> Decoded | Corrections | TileChange:
        """Return the open turns; if they change recorded turns, the changes instead."""
        decoded = self._open.decode(state, over=over, needed=needed)
        if decoded.added:
            self._readings = decoded.readings if decoded.guessed else self._readings
            return self._added(state, decoded.added)
        fresh = [one for one in decoded.amended if _key(one) not in self._amended]
        if not fresh:
            return decoded
        self._amended.update(map(_key, fresh))
        if decoded.guessed:
            self._readings = decoded.readings
        return Corrections(with_misoriented(fresh, seen), seen.frame.t_ns)

    def _added(self, state: GameState, squares: frozenset[Square]) -> TileChange:
        """Return the change by which tiles were added to the last play after its press.

        Its sighting is the first that shows them all; of other squares it says nothing new.
        """
        last, tiles = state.turns[-1], self._timeline.tiles
        first = max((tiles[square].first for square in squares), key=lambda one: one.frame.t_ns)
        self.changes.added({square: tiles[square] for square in squares})
        changed = last.after.diff(last.left_board or last.after)
        known = {square: last.after[square] for square in changed}
        fresh = {square: tiles[square].event.symbol for square in squares}
        board = Board.from_rows(last.seen.rows).replace({**known, **fresh})
        sighting = self._observer.update(first, len(state.turns) + 1)
        shown = replace(sighting, merged=replace(sighting.merged, rows=board.rows))
        return TileChange(TilesChanged, shown, ())


def _of_nobody(decoded: Decoded, turn: PendingTurn, tiles: Iterable[Square]) -> Decoded:
    """Return the decoded turns with all these tiles in the pending one, which is not sure."""
    whole = DecodedTurn(turn.side, frozenset(tiles), turn.press_ns, turn.press_ns)
    return replace(decoded, turns=(whole,), sure=0.0, doubtful=frozenset())


def _second_play(state: GameState, turn: DecodedTurn, seen: Sighting) -> SecondPlay | None:
    """Return the question about a second play; None if a recorded turn has all its tiles.

    Then a question of that turn is open.
    """
    tiles = frozenset(square for square in turn.tiles if state.board[square] == EMPTY)
    return SecondPlay(turn.side, tiles, turn.ended_ns, seen) if tiles else None


def _key(one: ReadingCorrection) -> tuple[int, Square, str]:
    return one.turn, one.square, one.symbol


def _being_cleared(state: GameState, sighting: Sighting) -> bool:
    """True if so many tiles of earlier turns are gone that the board must be being cleared."""
    seen = sighting.board
    last = set(state.turns[-1].tiles) if state.turns else set()
    gone = [
        square
        for square, symbol in state.board.tiles().items()
        if is_tile(symbol) and seen[square] == EMPTY and square.name not in last
    ]
    return len(gone) > _MOST_GONE
