"""The recorder: frames and presses in, logged events and a game's state out.

``vision.tracking.perception`` finds what frames and presses show; here each of its results becomes
an event with pictures. A turn that no picture shows has no ``sighted_ns``; its board is the one
known before.

Each event is applied to a copy of the state before it is logged; the new state counts only once the
log has the event on disk.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, Final

from game.board import Square
from game.events import (
    ButtonPressed,
    Event,
    GameStarted,
    Picture,
    PicturesKept,
    TimePassed,
    TurnSeen,
    to_payload,
)
from game.state.fold import GameState, apply
from game.state.numbering import new_tiles, renumbering
from game.state.timed_rights import limit_ns
from record.chain import LoggedEvent
from record.crash_snapshot import CrashSnapshot
from record.evidence import EvidenceStore
from record.interruption_pictures import InterruptionPictures
from record.log.event_log import EventLog
from record.picture_keeper import PictureKeeper, jpeg_of
from record.statement import described
from sensors.debounce import Timing
from sensors.interfaces import Frame, Press
from sensors.watched_camera import is_dark
from table.health.lost_pictures import LostPictures
from table.resume import ResumedGame, frame_at_press, kept_frame, looked_ns
from table.timings import RecorderTimings
from table.turn_events import EarlierTurnCorrections, second_play_event, seen_event, unseen_event
from vision.images import decode_image
from vision.rectify import Corners
from vision.tracking.observer import ReadsBoards
from vision.tracking.perception import Perception
from vision.tracking.results import (
    BoardChange,
    Corrections,
    EarlierProcess,
    PressDue,
    Result,
    SecondPlay,
    SeenTurn,
    TileChange,
)
from vision.tracking.sighting import Observation, Sighting
from vision.tracking.turn_sightings import PendingTurn

HEARD_NS: Final = 500_000_000
"""The longest time from a press until the table receives it, except for presses on pages."""

_BOTH_NS: Final = Timing().both_ns
"""A press of the other button within this time after a turn's press is an echo of that press."""

_LOG = logging.getLogger(__name__)

Listener = Callable[[GameState, Event], None]


@dataclass(frozen=True, slots=True)
class RecorderStores:
    """The places on disk that a recorder writes to."""

    log: EventLog
    evidence: EvidenceStore | None = None
    """The store of pictures; None: none are kept."""
    snapshot: CrashSnapshot | None = None
    """The picture of the board at rest, saved for the next recorder in case this one is killed."""


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
            corners: the grid's corners in all frames, if known.
            listener: called with each event once it is on disk, and the state after it.
            settings: the settings of the table, for the log.
        """
        self.timings = RecorderTimings()
        self._log, self._snapshot = stores.log, stores.snapshot
        self.pictures = PictureKeeper(stores.evidence)
        self._interruptions = None if stills else InterruptionPictures(self.pictures)
        self._listener = listener
        self._last_picture: str | None = None
        self.at_rest: Observation | None = None
        """The board as it was last seen without a press."""
        self._corrections = EarlierTurnCorrections()
        self.lost = LostPictures()
        self._stills = stills
        first = start.state.start if isinstance(start, ResumedGame) else start
        self._perception = Perception(reader, stills=stills, corners=corners, hands=first.hands)
        if isinstance(start, ResumedGame):
            self.state = start.state
            self._resume(start, stores.evidence)
        else:
            self.state = apply(None, start)
            self._commit(start, start.t_ns, "recorder", self.state)
            self.record(described(start, settings))

    def run(self, stream: Iterable[Frame | Press]) -> GameState:
        """Take all of ``stream`` (``sensors.recording.merged``) and finish; return the state."""
        for item in stream:
            if isinstance(item, Frame):
                self.frame(item)
            else:
                self.press(item)
        self.finish()
        return self.state

    def record(
        self,
        event: Event,
        source: str = "recorder",
        *,
        alone: bool = True,
        after: GameState | None = None,
    ) -> LoggedEvent:
        """Apply and log one event; ``alone`` is False if another follows at once.

        ``after`` is the state after the event, if the caller has applied it already. If the event
        is refused, raises ``TilewatchError`` and changes nothing.
        """
        after = apply(self.state, event) if after is None else after
        t_ns = event.press_ns if isinstance(event, TurnSeen) else event.t_ns
        return self._commit(event, t_ns, source, after, alone=alone)

    def frame(self, frame: Frame) -> None:
        """Take the next frame."""
        if frame.image.ndim != 3 or not frame.image.size:
            _LOG.warning("frame %d cannot be decoded and is left out", frame.seq)
            return
        self.time(frame.t_ns)
        dark = is_dark(frame.image)
        self._look_at(frame, dark=dark)
        self._keep_frame(frame)
        perception = self._perception
        if dark:
            perception.dark_frame(frame)
            return  # it shows nothing, not even bare squares
        with self.timings.per_frame.measure():
            perception.frame(frame)
        waits = perception.pending is not None or perception.by_board
        with self.timings.per_press.measure() if waits else nullcontext():
            self._take_results()

    def _look_at(self, frame: Frame, *, dark: bool) -> None:
        """Note that this picture was processed, for the turn and for the next recorder."""
        if self._stills:
            return
        self.lost.frame(frame, dark=dark)
        if self._snapshot is not None and not dark:
            self._snapshot.looked(frame.t_ns)

    def _keep_frame(self, frame: Frame) -> None:
        """Record the pictures to be kept now: those of the last turn, and of an interruption."""
        for kept in self.pictures.frame(frame):
            self.record(kept)
        if self._interruptions is not None and self.pictures.keeps:
            pending = self.held is not None
            for kept in self._interruptions.frame(frame, self.state, pending=pending):
                self.record(kept)

    def time(self, now_ns: int) -> None:
        """Log that the running clock has passed the limit on overtime, if it has by ``now_ns``.

        So the consequences need not wait for the next press. The time of the event is that of the
        limit, whenever this method is called.
        """
        passed_ns = limit_ns(self.state)
        if passed_ns is not None and now_ns >= passed_ns + HEARD_NS:
            self.record(TimePassed(passed_ns))

    def press(
        self, press: Press, source: str = "buttons", by: str = "", why: str = ""
    ) -> LoggedEvent:
        """Log a press and return its record. If no player pressed, ``by`` and ``why`` say more."""
        echo = None if by else _echo_of_ns(self.state, press)
        if echo is not None:
            heard = press.claimed_ns, press.heard_ns
            return self.record(
                ButtonPressed(press.button, press.t_ns, by, why, *heard, echo), source
            )
        logged = None
        with self.timings.per_press.measure():
            self._perception.press(press)
            for result in self._results():
                if isinstance(result, PressDue):
                    logged = self._record_press(result, source, by, why)
                else:
                    self._take(result)
            self._log.wake()
        assert logged is not None, "a press is due once"
        return logged

    def _record_press(self, due: PressDue, source: str, by: str, why: str) -> LoggedEvent:
        press = due.press
        likely = self.at_rest.frame if due.read_ahead and self.at_rest is not None else None
        self.pictures.press(press.t_ns, likely)
        if self._snapshot is not None and due.at_rest_ns is not None:
            # Should this process not get to reading the board, the next one will.
            self._snapshot.pressed(press.t_ns, due.at_rest_ns)
        event = ButtonPressed(press.button, press.t_ns, by, why, press.claimed_ns, press.heard_ns)
        # Pages take the press and its turn together: the turn has the processor for itself.
        return self.record(event, source, alone=False)

    @property
    def held(self) -> PendingTurn | None:
        """The turn that is open until the camera sees the board; None if none is."""
        return self._perception.pending

    @property
    def uncounted(self) -> dict[Square, str]:
        """The tiles of a play that no turn has counted yet, in a game without a clock."""
        return {} if self.state.settled else self._perception.uncounted

    @property
    def present(self) -> Observation | None:
        """The present board, if it is at rest and was read; else None."""
        return self._perception.present

    @property
    def looked(self) -> bool:
        """True if the board was read after the last movement."""
        return self._perception.observed

    def finish(self) -> None:
        """Settle the turn that is still open, if any."""
        self._perception.finish()
        self._take_results()

    def _resume(self, game: ResumedGame, evidence: EvidenceStore | None) -> None:
        """Restore what the previous recorder knew about the game."""
        self._last_picture = game.picture
        self.lost = LostPictures(looked_ns(game, self._snapshot))
        self._corrections.recall(game.events_as_numbered)
        picture = at_press = None
        if game.picture is not None and evidence is not None:
            picture = decode_image(evidence.load(game.picture), game.picture)
        if game.open_turn is not None:
            at_press = frame_at_press(game.open_turn[1], self._snapshot)
        kept = kept_frame(game, self._snapshot)
        sha = None if kept is None else self.pictures.store(kept)
        if kept is not None and sha is not None:  # the last before the time that nobody watched
            shown = (Picture("trouble", sha, kept.t_ns),)
            self.record(PicturesKept(len(self.state.turns), shown, kept.t_ns))
        self._perception.resume(
            EarlierProcess(game.turn_from_ns, picture, kept, game.open_turn, at_press)
        )
        self._take_results()

    def _results(self) -> Iterator[Result]:
        """Yield the results of the newest input one by one; each is recorded before the next."""
        return iter(lambda: self._perception.next(self.state), None)

    def _take_results(self) -> None:
        for result in self._results():
            self._take(result)

    def _take(self, result: Result) -> None:
        """Record a result."""
        match result:
            case Observation():
                self.at_rest = result
                self._prepare(result.frame, result.reading.rows)
            case Corrections(found, t_ns):
                for correction in found:
                    for event in self._corrections.events(correction, self.state, t_ns):
                        self.record(event)
            case SeenTurn():
                self._record_turn(result)
            case SecondPlay():
                self.record(second_play_event(result))
            case TileChange():
                self._record_change(result)
            case BoardChange():
                kept = self.pictures.of_change(result.frames)
                self.record(replace(result.event, pictures=kept))

    def _prepare(self, frame: Frame, rows: tuple[str, ...]) -> None:
        """Save the picture of a board at rest for the next recorder and the next press."""
        if self._snapshot is None and not self.pictures.keeps:
            return
        jpeg = jpeg_of(frame)
        if self._snapshot is not None:
            self._snapshot.save(jpeg, frame.t_ns)
        self.pictures.prepare(frame, jpeg, rows)

    def _frame_read(self, sighting: Sighting) -> Frame:
        """Return the frame that a sighting was read from.

        If the board has not changed since an earlier reading in the same turn, it is not read again
        at the press.
        """
        look, turns = self.at_rest, self.state.turns
        same = look is not None and look.reading is sighting.reading
        if look is None or not same or (turns and look.frame.t_ns <= turns[-1].press_ns):
            return sighting.frame
        return look.frame

    def _record_turn(self, seen: SeenTurn) -> None:
        """Log a turn that has ended, with its pictures."""
        sighting = seen.sighting
        read = None if sighting is None else self._frame_read(sighting)
        seen_ns = seen.press_ns if sighting is None else max(seen.press_ns, sighting.frame.t_ns)
        began_ns = _began_ns(self.state)
        lost, blind = self.lost.between(began_ns, seen_ns), self.lost.blind(began_ns, seen_ns)
        self.lost.dropped = 0
        if sighting is None or read is None:
            self.record(unseen_event(seen, self.state.board.rows, lost))
        else:
            pictures = {} if self._last_picture is None else {"before": self._last_picture}
            picture = self.pictures.store(read)
            if picture is not None:
                pictures["at"] = self._last_picture = picture
            hands = self._perception.hands
            self.record(seen_event(seen, sighting, pictures, lost, blind=blind, hands=hands))
        corners = None if sighting is None else sighting.reading.corners
        self._keep_pictures(seen.press_ns, read, corners, seen.changed)

    def _keep_pictures(
        self,
        press_ns: int,
        read: Frame | None,
        corners: Corners | None,
        changed: tuple[Square, ...],
    ) -> None:
        """Keep the pictures of the turn that was logged last."""
        turns = self.state.turns
        if not turns or turns[-1].press_ns != press_ns:
            return
        thinking = () if self._interruptions is None else self._interruptions.thinking.of(press_ns)
        kept = self.pictures.turn(
            turns[-1].number,
            press_ns,
            read,
            corners,
            changed,
            flagged=bool(turns[-1].flags),
            thinking=thinking,
        )
        if kept is not None:
            self.record(kept)

    def _record_change(self, change: TileChange) -> None:
        """Log a change to the last play's tiles, with its picture."""
        sighting = change.sighting
        t_ns = sighting.frame.t_ns
        last = self.state.turns[-1]
        pictures = {"at": last.seen.frames["at"]} if "at" in last.seen.frames else {}
        picture = self.pictures.store(sighting.frame)
        if picture is not None:
            pictures["after"] = self._last_picture = picture
        self.record(change.kind(last.number, sighting.merged.rows, t_ns, pictures, t_ns))
        if self.state.clocks.running is not None:  # pictures of a stop show the hand anyway
            kept = self.pictures.changed(last.number, sighting.frame)
            if kept is not None:
                self.record(kept)

    def _commit(
        self, event: Event, t_ns: int, source: str, after: GameState, *, alone: bool = True
    ) -> LoggedEvent:
        logged = self._log.append(
            after.game_id, to_payload(event), mono_ns=t_ns, source=source, alone=alone
        )
        if numbers := renumbering(self.state, after):
            self._perception.renumber(numbers, new_tiles(self.state, after))
            self._corrections.renumber(numbers)
            self.pictures.renumber(numbers)
        self.state = after
        if self._listener is not None:
            self._listener(after, event)
        return logged


def _echo_of_ns(state: GameState, press: Press) -> int | None:
    """Return the time of the other button's press if this press is its echo; else None."""
    passed_ns = state.progress.pressed_ns
    if passed_ns is None or state.clocks.running != press.button:
        return None
    return passed_ns if 0 <= press.t_ns - passed_ns < _BOTH_NS else None


def _began_ns(state: GameState) -> int:
    """Return the start of the next turn: the last turn's press, or the game's first press."""
    if state.turns:
        return state.turns[-1].press_ns
    presses = (one.t_ns for one in state.progress.events if isinstance(one, ButtonPressed))
    return next(presses, state.start.t_ns)
