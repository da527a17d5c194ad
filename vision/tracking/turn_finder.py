"""Finds the turns that have ended, one at a time, with questions where they are not certain.

Every sighting of a board at rest updates the timeline of the tiles; the decoder divides them into
turns. A turn is returned when it is clear. If a part of its play was occluded at its press, or it
is not clear whose tiles lie there, the turn is *pending*: it waits ``LOOK_AHEAD_NS`` for a clear
view, and is then returned as the likeliest hypothesis has it, with a question. Open turns are
returned before the next press is recorded. A turn without a press is returned once it is sure and
the board has rested.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, Literal, TypeAlias

from game.board import EMPTY, Board, Square
from game.events import BoardEnding, PlayMade, Side, TilesChanged, TurnReading
from game.plays.play import is_play
from game.state.fold import GameState, stop_ends_turn
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.findings import open_questions, shown_later, tiles_certainty, with_misoriented
from vision.tracking.observer import BoardObserver
from vision.tracking.parameters import AGAIN_NS, LIKELY, LOOK_AHEAD_NS, SURE
from vision.tracking.results import Corrections, SecondPlay, SeenTurn, TileChange
from vision.tracking.sighting import Sighting
from vision.tracking.stillness import StillnessTracker
from vision.tracking.turn_hypotheses import DecodedTurn
from vision.tracking.turn_posterior import Decoded
from vision.tracking.turn_sightings import PendingTurn, TurnSightings
from vision.tracking.turn_view import TurnView, view_turn

_OUT: Final = 3
"""A player's last tiles count as played after the board has rested this many times ``AGAIN_NS``.
Nothing new follows from a longer rest."""

_PASSED: Final = "nothing was laid, and the opponent has made another play"

Need = Literal["nothing", "press", "end"]
"""Why the open turns are needed now: they are not, the next press has come, or the end has."""

Found: TypeAlias = Corrections | SeenTurn | SecondPlay | TileChange
"""The next result: corrections of earlier turns, a turn, a question, or tiles added to a play."""


class TurnFinder:
    """Finds the turns of one game. Each method takes the game as it stands."""

    def __init__(
        self,
        observer: BoardObserver,
        stillness: StillnessTracker,
        sightings: TurnSightings,
        *,
        by_board: bool,
    ) -> None:
        """``by_board``: True without a clock."""
        self._observer, self._stillness, self._views = observer, stillness, sightings
        self._by_board = by_board
        self._timeline, self._open = sightings.timeline, sightings.open
        self._recorded = 0
        """The number of recorded turns."""
        self._decided: tuple[int, int, int, Side | None] | None = None
        """The sighting's time, the number of presses, the rest and whose turn it is at the last
        decoding of the open turns."""
        self._readings: tuple[TurnReading, ...] = ()
        """Ways to divide the tiles, kept from an earlier turn: they are asked about with the next
        turn.
        """
        self._amended: set[tuple[int, Square, str]] = set()
        self._asked: frozenset[Square] | None = None
        """The squares of the first play that the last question was about; None before the first."""
        self._unsure: tuple[frozenset[Square], int] | None = None
        """The squares of the first play, and since when it is unsure; None if it is sure."""

    def next(self, state: GameState, need: Need = "nothing") -> Found | None:
        """Return the next result; None if there is no more."""
        self._follow(state)
        if self._views.pending is not None:
            return self._of_pending(state, self._views.pending, needed=need != "nothing")
        if self._views.newest is None or state.settled:
            return None
        return self._of_open(state, self._views.newest, need)

    def _follow(self, state: GameState) -> None:
        self._views.follow(state)
        if len(state.turns) != self._recorded:
            self._recorded = len(state.turns)
            self._asked = self._unsure = self._decided = None
            self._readings = ()

    def _of_pending(self, state: GameState, turn: PendingTurn, *, needed: bool) -> Found | None:
        """Return the pending turn, or one before it, if it is clear or ``needed``."""
        if turn.base is None:
            return self._unseen(turn) if needed else None
        held = needed and self._is_held(state, turn)
        decoded = self._decode(state, turn.base, needed=needed and not held)
        if isinstance(decoded, Corrections | TileChange):
            return decoded
        if turn.out:
            decoded = _as_one(decoded, turn, self._open.new(state), 1.0)
        first = decoded.turns[0] if decoded.turns else None
        if first is not None and turn.press_ns in [one.press_ns for one in decoded.turns[1:]]:
            if decoded.sure < SURE and not needed:
                return None
            return self._unpressed(state, turn.base, decoded)
        if held:
            came = {s: tile.event.after_ns for s, tile in self._open.new(state).items()}
            tiles = (square for square, t_ns in came.items() if t_ns < turn.press_ns)
            decoded = _as_one(decoded, turn, tiles, 0.0)
        return self._pressed(state, turn, turn.base, decoded, needed=needed)

    def _is_held(self, state: GameState, turn: PendingTurn) -> bool:
        """True if no picture parts a turn from the one before it, and their tiles may be either's.

        They are then returned together, with a question that names all that may have been.
        """
        last = state.turns[-1] if state.turns else None
        if last is None or not self._views.gap.holds(last.press_ns, turn.press_ns):
            return False
        return self._open.decode(state).sure < LIKELY

    def _unseen(self, turn: PendingTurn) -> SeenTurn | None:
        self._views.pending = None
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
        self._views.pending = None
        if turn.out and stop_ends_turn(state, view.sighting.board) != turn.side:
            return None
        return SeenTurn(
            turn.side,
            turn.press_ns,
            view.sighting,
            self._views.note(turn, base, view, tiles, clear=clear),
            present=clear and not (needed or turn.out) and self._views.is_present(base),
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

    # --- turns without a press ---

    def _of_open(self, state: GameState, seen: Sighting, need: Need) -> Found | None:
        """Return the first open turn if it has ended, or a question about it."""
        if self._views.is_new:
            self._views.is_new = False
            later = shown_later(state, seen)
            if later:
                return Corrections(later, seen.frame.t_ns)
        alone = self._by_board
        going_on = state.on_turn is not None and state.status == "running"
        if not (going_on or alone):
            return None
        rested_ns = self._views.now_ns - seen.frame.t_ns
        rested = min(rested_ns // AGAIN_NS, _OUT + 1)
        known = seen.frame.seq, self._open.presses, rested, state.next_side
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
        if turn.press_ns is not None and turn.press_ns == self._views.coming_ns:
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
        if not due or self._views.now_ns - self._unsure[1] < LOOK_AHEAD_NS:
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
        self._views.changes.added({square: tiles[square] for square in squares})
        changed = last.after.diff(last.left_board or last.after)
        known = {square: last.after[square] for square in changed}
        fresh = {square: tiles[square].event.symbol for square in squares}
        board = Board.from_rows(last.seen.rows).replace({**known, **fresh})
        sighting = self._observer.update(first, len(state.turns) + 1)
        shown = replace(sighting, merged=replace(sighting.merged, rows=board.rows))
        return TileChange(TilesChanged, shown, ())


def _as_one(decoded: Decoded, turn: PendingTurn, tiles: Iterable[Square], sure: float) -> Decoded:
    """Return the decoded turns with all these tiles in the pending one, and how sure that is."""
    whole = DecodedTurn(turn.side, frozenset(tiles), turn.press_ns, turn.press_ns)
    return replace(decoded, turns=(whole,), sure=sure, doubtful=frozenset())


def _second_play(state: GameState, turn: DecodedTurn, seen: Sighting) -> SecondPlay | None:
    """Return the question about a second play of the player on turn, if it may be one.

    If a recorded turn has all its tiles, a question of that turn is open.
    """
    tiles = frozenset(square for square in turn.tiles if state.board[square] == EMPTY)
    may_be = tiles and turn.side == state.on_turn
    return SecondPlay(turn.side, tiles, turn.ended_ns, seen) if may_be else None


def _key(one: ReadingCorrection) -> tuple[int, Square, str]:
    return one.turn, one.square, one.symbol
