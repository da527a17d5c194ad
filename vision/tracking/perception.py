"""Perception of one game: frames and presses in, typed results out, one after another.

Call ``frame``, ``press`` or ``finish``, then ``next`` with the game as it is until it returns None.
Record each result before asking for the next one: a correction of an earlier turn changes the board
that the next turn is compared with. ``table.recorder`` does so at a table.

Nothing here reads a clock, a device or a disk, and nothing is called back: the same inputs with the
same games give the same results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from game.board import Square
from game.events import Finding, PictureEdge, Side
from game.rulebooks.loading import STOP
from game.state.fold import GameState, ends_turn, may_have_stopped, said_out
from sensors.interfaces import Frame, Press
from vision.rectify import Corners
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.findings import NewFindings, questions, with_misoriented
from vision.tracking.observer import BoardObserver, ReadsBoards
from vision.tracking.results import (
    Corrections,
    EarlierProcess,
    PressDue,
    Result,
    SecondPlay,
    SeenTurn,
    TileChange,
)
from vision.tracking.sighting import Observation, Sighting
from vision.tracking.stillness import StillnessTracker, StillSegment
from vision.tracking.tile_watch import TileWatch, stopped_after_play
from vision.tracking.turn_finder import Need, TurnFinder
from vision.tracking.turn_sightings import PendingTurn, TurnSightings

_NOT_YET: Final = (-1, 0)


class Perception:
    """Watches one game by its frames and presses. Not safe to use from several threads at once."""

    def __init__(
        self,
        reader: ReadsBoards,
        *,
        stills: bool = False,
        corners: Corners | None = None,
        hands: Mapping[Side, PictureEdge] | None = None,
    ) -> None:
        """Make the perception of a game of which no frame has come yet.

        Args:
            reader: reads the board in a frame.
            stills: every frame is one settled view.
            corners: the board's corners in all frames; None if they are to be found.
            hands: for a game without a clock, the edge of the picture at which each player sits.
        """
        self._stills = stills
        self._observer = BoardObserver(reader, corners)
        self._stillness = StillnessTracker(self._observer)
        self._tiles = TileWatch(self._stillness, self._observer)
        self.by_board = hands is not None
        """True if the players press no buttons: turns are decoded from the board alone."""
        self._views = TurnSightings(self._observer, self._stillness, hands, stills=stills)
        self._finder = TurnFinder(
            self._observer, self._stillness, self._views, by_board=self.by_board
        )
        self._findings = NewFindings()
        self._shown = _NOT_YET
        """The still segment of the newest ``Observation`` yielded, and the time of its frame."""
        self._said_out_ns: int | None = None
        """The newest stop that was taken because somebody said that a player was out by it."""
        self._game: GameState
        """The game as it was when ``next`` was called last."""
        self._results: Iterator[Result] = iter(())

    def frame(self, frame: Frame) -> None:
        """Take the next frame."""
        self._views.add(frame)
        self._results = self._of_frame(frame)

    def dark_frame(self, frame: Frame) -> None:
        """Take the next frame if it is too dark to be read: it shows at most whose arm is there."""
        if not self._stills:
            self._stillness.add_dark(frame)

    def press(self, press: Press) -> None:
        """Take a press of any button: it starts a clock, ends a turn, or stops both clocks."""
        self._results = self._of_press(press)

    def finish(self) -> None:
        """Settle the open turns: no more frames will come."""
        self._results = self._of_the_rest()

    def resume(self, known: EarlierProcess) -> None:
        """Continue a game that another process has watched."""
        self._results = self._of_earlier(known)

    def renumber(self, numbers: Mapping[int, int], placed_in: Mapping[str, int]) -> None:
        """Give the turns new numbers.

        ``numbers`` maps each old number to the new one; ``placed_in`` maps the names of squares to
        the new number of the turn that laid their tile.
        """
        self._observer.renumber(numbers, placed_in)

    # --- results ---

    def next(self, state: GameState) -> Result | None:
        """Return the next result of the newest input; None if there is no more.

        ``state`` is the game with all results so far. Results of an earlier input that were not
        taken are dropped.
        """
        self._game = state
        self._observer.know_blanks(state)
        return next(self._results, None)

    @property
    def hands(self) -> dict[Side, PictureEdge] | None:
        """The edge of the picture at which each player was seen to sit; None until that is sure.

        None also in a game without a clock, where people have said it.
        """
        return None if self.by_board else self._views.open.hands

    @property
    def uncounted(self) -> dict[Square, str]:
        """The symbols of the tiles on the board that belong to no recorded turn, by square."""
        return self._views.open.uncounted if self.by_board else {}

    @property
    def pending(self) -> PendingTurn | None:
        """The turn whose press has come and that waits for a clear view; None if none waits."""
        return self._views.pending

    @property
    def present(self) -> Observation | None:
        """The observation made since the board came to rest; None if there is none."""
        return self._stillness.current

    @property
    def observed(self) -> bool:
        """True if an observation was tried since the board came to rest, found or not."""
        return self._stillness.observed

    # --- what follows from each input ---

    def _of_frame(self, frame: Frame) -> Iterator[Result]:
        if said_out(self._game):
            yield from self._played_out()
        if self._stills:
            if stopped_after_play(self._game):
                seen = self._observer.observe((frame,))
                yield from self._change(self._tiles.compare(self._game, seen))
        elif self._views.pending is None:
            yield from self._watch(frame.t_ns)
        else:
            if self._views.observe_pending(self._game, frame.t_ns):
                yield from self._ended("nothing")
            if self._views.time_is_up(self._game, frame.t_ns):
                yield from self._ended("press")
        if not (self.by_board or self._stills):
            self._views.changes.watch_arms(self._game, frame)
        yield from self._views.changes.taken(self._game)

    def _of_press(self, press: Press) -> Iterator[Result]:
        if press.button != "neutral":
            self._views.press(self._game, press.button, press.t_ns)
        # The game takes turns in the order of their presses.
        yield from self._settled("press")
        state, t_ns = self._game, press.t_ns
        self._tiles.pressed(state, t_ns)
        # Presses after the end of a game are for the next one.
        side = None if state.settled else ends_turn(state, press.button)
        rest_ns, present = self._at_rest_ns(t_ns), self._stillness.current
        ready = rest_ns is not None and present is not None and present.complete
        yield PressDue(press, rest_ns, read_ahead=side is not None and ready)
        if side is not None:
            yield from self._turn_ended(side, t_ns)
        elif press.button == "neutral":
            yield from self._stop(t_ns)
        if press.button != "neutral":
            self._views.clock_started(t_ns)

    def _of_the_rest(self) -> Iterator[Result]:
        yield from self._settled("end")
        yield from self._views.changes.taken(self._game, last=True)

    def _of_earlier(self, known: EarlierProcess) -> Iterator[Result]:
        self._views.from_ns = known.from_ns
        if known.picture is not None:
            reading = self._observer.recall(known.picture, self._game)
            self._findings.recall(self._game, reading)
            self._stillness.watch_board()
        if known.kept is not None:
            self._stillness.earlier.append(StillSegment((known.kept,), known.kept.t_ns))
        if known.open_turn is None:
            return
        if known.at_press is not None:
            self._stillness.earlier.append(StillSegment((known.at_press,), known.at_press.t_ns))
        yield from self._turn_ended(*known.open_turn)

    def _watch(self, now_ns: int) -> Iterator[Result]:
        """Observe a board that has come to rest, before a press needs it."""
        seen = self._stillness.observe_ahead(now_ns)
        seen = seen or self._observed_by_others(now_ns)
        if seen is not None:
            self._observer.update(seen, len(self._game.turns) + 1)  # a press finds it ready
            self._shown = self._stillness.segment_id, seen.frame.t_ns
            yield seen
        # Find the board before the first press, to watch it and to know its empty look.
        first = seen if self._observer.corners is None else None
        if seen is None:
            self._stillness.find_board(now_ns)
        if first is not None:
            self._know_board(first)
            if not self.by_board:
                return
        if self._views.observe(self._game, now_ns):
            yield from self._ended("nothing")
        if not self.by_board:
            yield from self._change(self._tiles.observe(self._game, now_ns))

    def _know_board(self, seen: Observation) -> None:
        """Remember how the empty squares look in the first clear view of the board."""
        sighting = self._observer.update(seen, 0)
        if sighting.clear:
            self._remember(sighting, first=True)

    def _observed_by_others(self, now_ns: int) -> Observation | None:
        """Return the observation made since the board came to rest; None if there is no new one."""
        new = self._shown[0] != self._stillness.segment_id
        return self._stillness.current if new and self._stillness.is_settled(now_ns) else None

    def _stop(self, press_ns: int) -> Iterator[Result]:
        """Take a stop of the clock, which may have ended a turn."""
        state = self._game
        may_end = not state.bag_count or STOP in state.rulebook.turn_ends or said_out(state)
        if state.on_turn is not None and may_have_stopped(state) and may_end:
            yield from self._turn_ended(state.on_turn, press_ns, out=True)

    def _played_out(self) -> Iterator[Result]:
        """Take the stop by which a player went out, once, although the count has a tile left."""
        stopped_ns = self._game.progress.stopped_ns
        if stopped_ns is None or stopped_ns == self._said_out_ns or self._views.pending:
            return
        self._said_out_ns = stopped_ns
        yield from self._stop(stopped_ns)

    def _turn_ended(self, side: Side, press_ns: int, *, out: bool = False) -> Iterator[Result]:
        """Take a press that has ended a turn; yield the turn if it is clear already."""
        at_once = self._views.turn_ended(self._game, side, press_ns, out=out)
        yield from self._ended("press" if at_once else "nothing")

    def _settled(self, need: Need) -> Iterator[Result]:
        """Yield the open turns at once, as likely as they are now; ``need`` is the reason."""
        if self._views.pending is not None:
            self._views.observe_once_more(self._game)
            yield from self._ended("nothing")
            self._views.settle(self._game)
        yield from self._ended(need)

    def _ended(self, need: Need) -> Iterator[Result]:
        """Yield the turns that have ended, and questions about them."""
        while (found := self._finder.next(self._game, need)) is not None:
            if isinstance(found, SeenTurn):
                yield from self._turn(found)
            else:
                yield found
                if isinstance(found, SecondPlay):
                    return

    def _turn(self, seen: SeenTurn) -> Iterator[Result]:
        """Yield a turn, with its corrections and findings if it has a sighting."""
        if seen.sighting is not None:
            yield from self._sighted(seen, seen.sighting)
        elif self._game.status != "ended":
            yield seen
        if seen.present:
            self._tiles.turn_seen(seen.press_ns)

    def _sighted(self, seen: SeenTurn, sighting: Sighting) -> Iterator[Result]:
        # A tile that belongs to no recorded turn yet was read wrong in none.
        uncounted = self._views.open.uncounted
        reread = [one for one in sighting.merged.corrections if one.square not in uncounted]
        found = (*seen.corrections, *reread)
        yield from self._corrected(with_misoriented(found, sighting), seen.press_ns)
        before = self._game.board
        findings = self._findings.of(sighting, self._game)
        findings += questions(self._game, sighting, findings, seen.doubtful)
        findings += tuple(Finding("press_forgotten", s.name) for s in sorted(seen.forgotten))
        changed = tuple(before.diff(sighting.board))
        yield replace(seen, changed=changed, findings=findings)
        self._remember(sighting)

    def _change(self, change: TileChange | None) -> Iterator[Result]:
        """Yield what follows from a change to the last play's tiles; nothing for None."""
        if change is None:
            return
        sighting = change.sighting
        corrections = with_misoriented(change.corrections, sighting)
        yield from self._corrected(corrections, sighting.frame.t_ns)
        yield change
        self._remember(sighting)

    def _corrected(self, found: tuple[ReadingCorrection, ...], t_ns: int) -> Iterator[Corrections]:
        if found:
            yield Corrections(found, t_ns)

    def _remember(self, sighting: Sighting, *, first: bool = False) -> None:
        self._observer.commit(sighting)
        self._stillness.remember(sighting, first=first)

    def _at_rest_ns(self, press_ns: int) -> int | None:
        """Return the time of the newest observation yielded.

        None if something has moved from then until the press.
        """
        segment_id, t_ns = self._shown
        same = self._stillness.is_settled(press_ns) and segment_id == self._stillness.segment_id
        return t_ns if same else None
