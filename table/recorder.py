"""The recorder: frames and presses in, logged events and a game's state out.

At a press that ends a turn, the board as it lay *at the press* becomes a ``TurnSeen`` event
(``vision.tracking.turn_sightings`` explains how that is known). A turn of which nothing at all was
seen has no ``sighted_ns`` and the board as it was known before.

``table.tile_watch`` watches the tiles of a play after its press.

Each event is applied to the state before it is logged, and the state moves on only once the log has
it on disk.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from game.board import Board, Square
from game.events import (
    ButtonPressed,
    Event,
    Finding,
    GameStarted,
    Side,
    TimePassed,
    TurnSeen,
    other,
    to_payload,
)
from game.rulebooks.loading import STOP
from game.state.fold import GameState, apply, ends_turn
from game.state.numbering import new_tiles, renumbering
from game.state.timed_rights import limit_ns
from record.chain import LoggedEvent
from record.evidence import EvidenceStore
from record.interruption_pictures import InterruptionPictures
from record.picture_keeper import PictureKeeper, jpeg_of
from record.statement import described
from sensors.interfaces import Frame, Press
from table.corrections import EarlierTurnCorrections
from table.presses import echo_of_ns
from table.recorder_stores import RecorderStores
from table.resume import ResumedGame, frame_at_press, kept_frame
from table.tile_watch import TileChange, TileWatch, stopped_after_play
from table.timings import RecorderTimings
from table.turn_events import second_play_event, seen_event, unseen_event
from vision.images import decode_image
from vision.rectify import Corners
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.board_watch import BoardWatch
from vision.tracking.forgotten_press import ForgottenPress
from vision.tracking.observer import BoardObserver, Observation, ReadsBoards, Sighting
from vision.tracking.stillness import StillnessTracker, StillSegment
from vision.tracking.turn_sightings import PendingTurn, SeenTurn, TurnSightings
from vision.tracking.two_plays import TwoPlays

HEARD_NS: Final = 500_000_000
"""The longest time from a press to the moment the table hears of it, pages apart."""

_LOG = logging.getLogger(__name__)

Listener = Callable[[GameState, Event], None]


class Recorder:
    """Records one game. Not safe to use from several threads at once."""

    def __init__(
        self,
        start: GameStarted | ResumedGame,
        reader: ReadsBoards,
        stores: RecorderStores,
        *,
        stills: bool = False,
        corners: Corners | None = None,
        listener: Listener | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Log the start of a game, or resume one that is in the log.

        Args:
            start: the game.
            reader: reads the board in a frame.
            stores: where events and pictures are written.
            stills: every frame is one settled view.
            corners: the board's place in all frames, where it is known.
            listener: called with each event once it is on disk, and the state after it.
            settings: the table's, for the record.
        """
        self.timings = RecorderTimings()
        self._log, self._snapshot = stores.log, stores.snapshot
        self.pictures = PictureKeeper(stores.evidence)
        self._interruptions = None if stills else InterruptionPictures(self.pictures)
        self._listener = listener
        self._stills = stills
        self._observer = BoardObserver(reader, corners)
        self._stillness = StillnessTracker(self._observer)
        self._turns = TurnSightings(self._observer, self._stillness, stills=stills)
        self._tiles = TileWatch(self._stillness, self._observer)
        self._forgotten = ForgottenPress(self._observer, self._stillness)
        self._board: BoardWatch | None = None
        """Tells the turns of a game without a clock."""
        self._last_picture: str | None = None
        self._snapshot_at = (-1, 0)
        """The still segment in the newest snapshot, and the time of its frame."""
        self.at_rest: Observation | None = None
        """The board as it was last seen without a press."""
        self._corrections = EarlierTurnCorrections()
        if isinstance(start, ResumedGame):
            self.state = start.state
            self._resume(start, stores.evidence)
        else:
            self.state = apply(None, start)
            self._commit(start, start.t_ns, "recorder", self.state)
            self.record(described(start, settings))
        if (hands := self.state.start.hands) is not None:
            self._board = BoardWatch(hands, self._observer, self._stillness)

    def run(self, stream: Iterable[Frame | Press]) -> GameState:
        """Take everything from ``stream`` (``sensors.merge.merged``) and finish."""
        for item in stream:
            if isinstance(item, Frame):
                self.frame(item)
            else:
                self.press(item)
        self.finish()
        return self.state

    def record(self, event: Event, source: str = "recorder") -> LoggedEvent:
        """Apply and log one event. Raises ``TilewatchError``, with nothing changed."""
        after = apply(self.state, event)
        t_ns = event.press_ns if isinstance(event, TurnSeen) else event.t_ns
        return self._commit(event, t_ns, source, after)

    def frame(self, frame: Frame) -> None:
        """Take the next frame."""
        if frame.image.ndim != 3 or not frame.image.size:
            _LOG.warning("frame %d is no picture and is left out", frame.seq)
            return
        self.time(frame.t_ns)
        self._keep_frame(frame)
        with self.timings.per_frame.measure():
            self._turns.add(frame)
            if self._board is not None:
                self._board.add(frame)
        if self._stills:
            if stopped_after_play(self.state):
                self._record_change(
                    self._tiles.compare(self.state, self._observer.observe((frame,)))
                )
        elif self._turns.pending is not None:
            with self.timings.per_press.measure():
                self._record_turn(self._turns.retry(self.state, frame.t_ns))
        else:
            self._watch(frame.t_ns)

    def _keep_frame(self, frame: Frame) -> None:
        """Record what pictures are kept now: of the last turn, and of an interruption."""
        for kept in self.pictures.frame(frame):
            self.record(kept)
        if self._interruptions is not None and self.pictures.keeps:
            pending = self._turns.pending is not None
            for kept in self._interruptions.frame(frame, self.state, pending=pending):
                self.record(kept)

    def time(self, now_ns: int) -> None:
        """Log that the running clock has passed the limit on overtime, if it has by ``now_ns``.

        What follows from that need not wait for the next press. The event has the time of the limit
        itself, whenever this is called.
        """
        passed_ns = limit_ns(self.state)
        if passed_ns is not None and now_ns >= passed_ns + HEARD_NS:
            self.record(TimePassed(passed_ns))

    def press(
        self, press: Press, source: str = "buttons", by: str = "", why: str = ""
    ) -> LoggedEvent:
        """Take a press and return what was logged. ``by`` and ``why`` where no player pressed."""
        heard = press.claimed_ns, press.heard_ns
        echo = None if by else echo_of_ns(self.state, press)
        pressed = ButtonPressed(press.button, press.t_ns, by, why, *heard, echo)
        if echo is not None:
            return self.record(pressed, source)
        with self.timings.per_press.measure():
            self.finish()
            self._tiles.pressed(self.state, press.t_ns)
            self.pictures.press(press.t_ns)
            # Presses after the end of a game are for the next one.
            side = None if self.state.settled else ends_turn(self.state, press.button)
            if press.button != "neutral":
                self._forgotten.claim(self.state, press.button, press.t_ns)
            self._snapshot_press(press.t_ns)
            logged = self.record(pressed, source)
            if side is not None:
                self._record_turn(self._turns.turn_ended(self.state, side, press.t_ns))
            elif press.button == "neutral":
                self._stopped(press.t_ns)
            if press.button != "neutral":
                self._turns.clock_started(press.t_ns)
        return logged

    def _stopped(self, press_ns: int) -> None:
        """The clock was stopped; see whether that ended a turn."""
        state = self.state
        may_end = not state.bag_count or STOP in state.rulebook.turn_ends
        if state.on_turn is not None and state.status == "running" and may_end:
            self._record_turn(self._turns.clock_stopped(state, state.on_turn, press_ns))

    def _snapshot_press(self, press_ns: int) -> None:
        """Leave word of a press on a board at rest, should this process not get to reading it."""
        at_rest = (
            self._stillness.is_settled(press_ns)
            and self._snapshot_at[0] == self._stillness.segment_id
        )
        if self._snapshot is not None and at_rest:
            self._snapshot.pressed(press_ns, self._snapshot_at[1])

    @property
    def held(self) -> PendingTurn | None:
        """The turn that is held open."""
        return self._turns.pending

    @property
    def present(self) -> Observation | None:
        """The board as it is now, if it is at rest and was looked at."""
        return self._stillness.current

    @property
    def looked(self) -> bool:
        """True if the board was looked at as it is now."""
        return self._stillness.observed

    def finish(self) -> None:
        """Settle a turn that is still held open."""
        self._record_turn(self._turns.settle(self.state))
        if self._board is not None:
            self._board.finish(self.state)
            self._record_ended(self._board)

    def _resume(self, game: ResumedGame, evidence: EvidenceStore | None) -> None:
        """Restore what the previous recorder knew of its game."""
        self._turns.from_ns = game.turn_from_ns
        self._last_picture = game.picture
        self._corrections.recall(game.events_as_numbered)
        if game.picture is not None and evidence is not None:
            self._observer.recall(
                decode_image(evidence.load(game.picture), game.picture), game.state
            )
            self._stillness.watch_board()
        kept = kept_frame(game, self._snapshot)
        self._stillness.earlier.extend([] if kept is None else [StillSegment((kept,))])
        if game.open_turn is None:
            return
        side, press_ns = game.open_turn
        frame = frame_at_press(press_ns, self._snapshot)
        if frame is not None:
            look = self._observer.observe((frame,))
            turn = len(self.state.turns) + 1
            sighting = None if look is None else self._observer.update(look, turn)
            if sighting is not None and sighting.clear:
                self._record_turn(SeenTurn(side, press_ns, sighting))
                return
        self._turns.defer(side, press_ns)

    def _record_turn(self, seen: SeenTurn | None) -> None:
        """Log a turn that has ended, if one has."""
        if seen is None:
            return
        if seen.sighting is None:
            self._record_unseen(seen)
        else:
            found = self._forgotten.at_press(self.state, seen) if self._board is None else None
            if found is not None and self._take_plays(*found):
                return
            self._record_sighting(seen, seen.sighting, () if found is None else found[1].first)
        if seen.present:
            self._tiles.turn_seen(seen.press_ns)

    def _record_ended(self, board: BoardWatch) -> None:
        """Log the turns that the board alone has shown to have ended."""
        while (seen := board.ended(self.state)) is not None:
            self._record_turn(seen)

    def _record_unseen(self, seen: SeenTurn) -> None:
        """Log a turn of which nothing was seen."""
        if self.state.status == "ended":
            return
        self.record(unseen_event(seen, self.state.board.rows))
        self._keep_pictures(seen.press_ns, None, [])

    def _take_plays(self, side: Side, plays: TwoPlays, sighting: Sighting) -> bool:
        """Log the first of two plays as a turn, or a question about it; return True if a turn."""
        first = self._forgotten.first_turn(self.state, side, plays, sighting)
        if first is None:
            if self.state.on_turn == side:
                self.record(second_play_event(side, plays, sighting))
            return False
        self._record_turn(first)
        press_ns = self._forgotten.claimed(self.state)
        if press_ns is not None:
            self._record_turn(self._turns.turn_ended(self.state, other(side), press_ns))
        return True

    def _record_sighting(
        self, seen: SeenTurn, sighting: Sighting, forgotten: Iterable[Square] = ()
    ) -> None:
        self._correct((*seen.corrections, *sighting.merged.corrections), seen.press_ns)
        before = self.state.board
        findings = self._observer.findings(sighting, before)
        findings += tuple(Finding("press_forgotten", square.name) for square in sorted(forgotten))
        changed = tuple(before.diff(Board.from_rows(sighting.merged.rows)))
        pictures = {} if self._last_picture is None else {"before": self._last_picture}
        picture = self.pictures.store(sighting.frame)
        if picture is not None:
            pictures["at"] = self._last_picture = picture
        self.record(seen_event(seen, sighting, changed, findings, pictures))
        self._keep_pictures(seen.press_ns, sighting, changed)
        self._remember(sighting)

    def _keep_pictures(
        self, press_ns: int, sighting: Sighting | None, changed: Iterable[Square]
    ) -> None:
        """Keep the pictures of the turn that was logged last."""
        turns = self.state.turns
        if not turns or turns[-1].press_ns != press_ns:
            return
        kept = self.pictures.turn(
            turns[-1].number,
            press_ns,
            None if sighting is None else sighting.frame,
            None if sighting is None else sighting.reading.corners,
            sorted(changed),
            flagged=bool(turns[-1].flags),
        )
        if kept is not None:
            self.record(kept)

    def _correct(self, corrections: Iterable[ReadingCorrection], t_ns: int) -> None:
        """Log what a sighting corrects of earlier turns."""
        for correction in corrections:
            for event in self._corrections.events(correction, self.state, t_ns):
                self.record(event)

    def _remember(self, sighting: Sighting) -> None:
        self._observer.commit(sighting)
        self._stillness.remember(sighting)

    def _watch(self, now_ns: int) -> None:
        """Look at a board that has come to rest, before a press needs it."""
        look = self._stillness.observe_ahead(now_ns)
        if look is not None:
            self.at_rest = look
            self._observer.update(look, len(self.state.turns) + 1)  # a press finds it ready
            if self._snapshot is not None:
                self._snapshot_at = self._stillness.segment_id, look.frame.t_ns
                self._snapshot.save(jpeg_of(look.frame), look.frame.t_ns)
        if not self._stillness.has_roi and look is not None:
            # Find the board before the first press, to watch it and to know its empty look.
            sighting = self._observer.update(look, 0)
            if sighting.clear:
                self._remember(sighting)
            return
        self._correct(self._turns.late(self.state, now_ns), now_ns)
        if self._board is not None:
            with self.timings.per_press.measure():
                self._board.look(self.state)
                self._record_ended(self._board)
        else:
            self._record_change(self._tiles.look(self.state, now_ns))
            found = self._forgotten.look(self.state, now_ns)
            if found is not None:
                self._take_plays(*found)

    def _record_change(self, change: TileChange | None) -> None:
        """Log a change to the last play's tiles, with its picture."""
        if change is None:
            return
        sighting = change.sighting
        t_ns = sighting.frame.t_ns
        self._correct(change.corrections, t_ns)
        last = self.state.turns[-1]
        pictures = {"at": last.seen.frames["at"]} if "at" in last.seen.frames else {}
        picture = self.pictures.store(sighting.frame)
        if picture is not None:
            pictures["after"] = self._last_picture = picture
        self.record(change.kind(last.number, sighting.merged.rows, t_ns, pictures, t_ns))
        self._remember(sighting)

    def _commit(self, event: Event, t_ns: int, source: str, after: GameState) -> LoggedEvent:
        logged = self._log.append(after.game_id, to_payload(event), mono_ns=t_ns, source=source)
        if numbers := renumbering(self.state, after):
            self._observer.renumber(numbers, new_tiles(self.state, after))
            self._corrections.renumber(numbers)
            self.pictures.renumber(numbers)
        self.state = after
        if self._listener is not None:
            self._listener(after, event)
        return logged
