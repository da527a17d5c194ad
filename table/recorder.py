"""The recorder: frames and presses in, logged events and a game's state out.

At a press that ends a turn, the board as it lay *at the press* becomes a ``TurnSeen`` event
(``vision.tracking.turn_sightings`` says how that is known). One that was covered then carries a
``board_covered`` finding and, like every other, the time of its own press. A turn of which nothing
at all was seen has no ``sighted_ns`` and the board as it was known before.

What becomes of the tiles of a play after its press is watched by ``table.tile_watch``.

Each event is applied to the state before it is logged, and the state moves on only once the log has
it on disk.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from game.board import Board, Square
from game.events import (
    BoardSeen,
    Button,
    ButtonPressed,
    Event,
    Finding,
    GameStarted,
    Side,
    TilesChanged,
    TimePassed,
    TurnSeen,
    to_payload,
)
from game.rulebooks.loading import STOP
from game.state.fold import GameState, apply, ends_turn, stop_ends_turn
from game.state.timed_rights import limit_ns
from record.chain import LoggedEvent
from record.crash_snapshot import CrashSnapshot
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.picture_keeper import PictureKeeper, jpeg_of
from record.statement import described
from sensors.interfaces import Frame, Press
from table.corrections import EarlierTurnCorrections
from table.resume import ResumedGame
from table.tile_watch import TileWatch
from table.timings import Timings
from vision.images import decode_image
from vision.rectify import Corners
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.observer import BoardObserver, Observation, ReadsBoards, Sighting
from vision.tracking.stillness import StillnessTracker, StillSegment
from vision.tracking.turn_sightings import PendingTurn, TurnSightings

HEARD_NS: Final = 500_000_000
"""How much later than it was made a press may be heard of at the most, but from a page."""

_LOG = logging.getLogger(__name__)

Listener = Callable[[GameState, Event], None]


@dataclass
class RecorderTimings:
    """How long a press took until its turn was on disk, and a frame until the next could come."""

    per_press: Timings = field(default_factory=Timings)
    per_frame: Timings = field(default_factory=Timings)


class Recorder:
    """Records one game. Not safe to use from several threads at once."""

    def __init__(
        self,
        start: GameStarted | ResumedGame,
        reader: ReadsBoards,
        log: EventLog,
        evidence: EvidenceStore | None,
        *,
        stills: bool = False,
        corners: Corners | None = None,
        listener: Listener | None = None,
        spool: CrashSnapshot | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Log the start of a game, or take up one that is in the log.

        ``stills`` says that every frame is one settled view; ``corners`` fix the board's place in
        all of them. ``listener`` is told of each event once it is on disk, with the state after it.
        ``spool`` is what a recorder that is killed leaves for the next. ``settings`` are the
        table's, for the record.
        """
        self.timings = RecorderTimings()
        self._log = log
        self.pictures = PictureKeeper(evidence)
        self._listener = listener
        self._spool = spool
        self._stills = stills
        self._observer = BoardObserver(reader, corners)
        self._rests = StillnessTracker(self._observer)
        self._turns = TurnSightings(
            self._observer,
            self._rests,
            self._update,
            self._seen,
            lambda board: stop_ends_turn(self.state, board),
            stills=stills,
        )
        self._tiles = TileWatch(self._rests, lambda: self.state, self._update, self._changed)
        self._last_picture: str | None = None
        self._spooled = (-1, 0)
        """The stretch that was spooled last, and when."""
        self.at_rest: Observation | None = None
        """What the board showed when it was last looked at without a press."""
        self._corrections = EarlierTurnCorrections(self.record)
        if isinstance(start, ResumedGame):
            self.state = start.state
            self._take_up(start, evidence)
        else:
            self.state = apply(None, start)
            self._commit(start, start.t_ns, "recorder", self.state)
            self.record(described(start, settings))

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
        for kept in self.pictures.frame(frame):
            self.record(kept)
        with self.timings.per_frame.measure():
            self._turns.add(frame)
        if self._stills:
            if self._tiles.stands:
                self._tiles.see(self._observer.look((frame,)))
            return
        held = self._turns.held
        if held is not None:
            with self.timings.per_press.measure():
                if self._turns.try_again(frame.t_ns) and not held.out:
                    self._tiles.turn_seen(held.press_ns)
        else:
            self._watch(frame.t_ns)

    def time(self, now_ns: int) -> None:
        """It is so late: log it once the running clock has passed the limit on overtime.

        What follows from that (the game is lost, or is the director's to call lost) need not wait
        for the next press. The event has the time of the limit itself, so it is the same whenever
        this is called.
        """
        passed_ns = limit_ns(self.state)
        if passed_ns is not None and now_ns >= passed_ns + HEARD_NS:
            self.record(TimePassed(passed_ns))

    def press(
        self, press: Press, source: str = "buttons", by: str = "", why: str = ""
    ) -> LoggedEvent:
        """Take a press; what was logged of it. ``by`` and ``why`` where no player pressed."""
        with self.timings.per_press.measure():
            self._turns.give_up()
            self._tiles.pressed(press.t_ns)
            self.pictures.press(press.t_ns)
            side = self._ends(press.button)
            self._spool_press(press.t_ns)
            pressed = ButtonPressed(
                press.button, press.t_ns, by, why, press.claimed_ns, press.heard_ns
            )
            logged = self.record(pressed, source)
            if side is not None:
                if self._turns.end(side, press.t_ns):
                    self._tiles.turn_seen(press.t_ns)
            elif press.button == "neutral":
                self._stopped(press.t_ns)
            if press.button != "neutral":
                self._turns.started(press.t_ns)
        return logged

    def _stopped(self, press_ns: int) -> None:
        """The clock was stopped; see whether that may have ended a turn."""
        state = self.state
        may_end = not state.bag_count or STOP in state.rulebook.turn_ends
        if state.on_turn is not None and state.status == "running" and may_end:
            self._turns.stop(state.on_turn, press_ns)

    def _spool_press(self, press_ns: int) -> None:
        """Leave word of a press on a board at rest, should this process not get to reading it."""
        at_rest = self._rests.settled(press_ns) and self._spooled[0] == self._rests.number
        if self._spool is not None and at_rest:
            self._spool.pressed(press_ns, self._spooled[1])

    @property
    def held(self) -> PendingTurn | None:
        """The turn that is held open."""
        return self._turns.held

    @property
    def present(self) -> Observation | None:
        """What the board shows, while it is at rest and was looked at."""
        return self._rests.present

    @property
    def looked(self) -> bool:
        """Whether the board was looked at as it lies now; ``present`` is None if none was found."""
        return self._rests.looked

    def finish(self) -> None:
        """Settle a turn that is still held open."""
        self._turns.give_up()

    def _take_up(self, taken: ResumedGame, evidence: EvidenceStore | None) -> None:
        """Remember what the recorder before this one knew of its game."""
        self._turns.from_ns = taken.turn_from_ns
        self._last_picture = taken.picture
        self._corrections.recall(taken.events)
        if taken.picture is not None and evidence is not None:
            self._observer.recall(
                decode_image(evidence.load(taken.picture), taken.picture), taken.state
            )
            self._rests.set_roi()
        spool = self._spool
        kept = None if spool is None else spool.picture()
        since_ns = taken.turn_from_ns if taken.open_turn is None else taken.open_from_ns
        if kept is not None and kept[1] > (since_ns or 0):
            image = decode_image(kept[0], "the spool")
            self._rests.earlier.append(StillSegment((Frame(image, kept[1], 0, kept[0]),)))
        if taken.open_turn is None:
            return
        side, press_ns = taken.open_turn
        jpeg = None if spool is None else spool.at_press(press_ns)
        if jpeg is not None:
            frame = Frame(decode_image(jpeg, "the spool"), press_ns, 0, jpeg)
            sighting = self._update(self._observer.look((frame,)))
            if sighting is not None and sighting.clear:
                self._seen(side, press_ns, sighting, covered=None)
                return
        self._turns.hold(side, press_ns)

    # --- turns ---

    def _ends(self, button: Button) -> Side | None:
        if self.state.settled:
            return None  # presses now are for the next game
        return ends_turn(self.state, button)

    def _seen(
        self, side: Side, press_ns: int, sighting: Sighting | None, covered: str | None
    ) -> None:
        """Log a turn."""
        if sighting is None:
            nothing = Finding("board_covered", None, covered or "no picture of the board")
            if self.state.status != "ended":
                rows = self.state.board.rows
                self.record(TurnSeen(side, press_ns, rows, None, findings=(nothing,)))
                self._keep_pictures(press_ns, None, [])
            return
        for correction in sighting.merged.corrections:
            self._corrections.make(correction, self.state, press_ns)
        before = self.state.board
        findings = list(self._observer.findings(sighting, before))
        if covered is not None:
            findings.append(Finding("board_covered", None, covered))
        elif not sighting.clear:
            text = f"{sighting.unreadable} squares could not be seen"
            findings.append(Finding("board_covered", None, text))
        changed = tuple(before.diff(Board.from_rows(sighting.merged.rows)))
        sure = sighting.merged.confidence
        pictures = {} if self._last_picture is None else {"before": self._last_picture}
        picture = self.pictures.store(sighting.frame)
        if picture is not None:
            pictures["at"] = self._last_picture = picture
        self.record(
            TurnSeen(
                side,
                press_ns,
                sighting.merged.rows,
                sighting.frame.t_ns,
                {square.name: round(float(sure[square]), 4) for square in changed},
                pictures,
                tuple(findings),
            )
        )
        self._keep_pictures(press_ns, sighting, changed)
        self._keep(sighting)

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

    def _keep(self, sighting: Sighting) -> None:
        self._observer.commit(sighting)
        self._rests.set_roi()

    # --- frames ---

    def _watch(self, now_ns: int) -> None:
        """Look at what has come to rest, before anybody asks."""
        look = self._rests.look_ahead(now_ns)
        if look is not None:
            self.at_rest = look
            if self._spool is not None:
                self._spooled = self._rests.number, look.frame.t_ns
                self._spool.save(jpeg_of(look.frame), look.frame.t_ns)
        if not self._rests.aimed and look is not None:
            # Find the board before the first press, to watch it and to know its empty look.
            sighting = self._update(look, turn=0)
            if sighting is not None and sighting.clear:
                self._keep(sighting)
        else:
            self._tiles.look(now_ns)

    def _changed(
        self,
        kind: type[TilesChanged] | type[BoardSeen],
        sighting: Sighting,
        corrections: Iterable[ReadingCorrection],
    ) -> None:
        """Log that something became of the last play's tiles, with its picture."""
        t_ns = sighting.frame.t_ns
        for correction in corrections:
            self._corrections.make(correction, self.state, t_ns)
        last = self.state.turns[-1]
        pictures = {"at": last.seen.frames["at"]} if "at" in last.seen.frames else {}
        picture = self.pictures.store(sighting.frame)
        if picture is not None:
            pictures["after"] = self._last_picture = picture
        self.record(kind(last.number, sighting.merged.rows, t_ns, pictures, t_ns))
        self._keep(sighting)

    def _update(self, look: Observation | None, turn: int | None = None) -> Sighting | None:
        if look is None:
            return None
        return self._observer.update(look, len(self.state.turns) + 1 if turn is None else turn)

    def _commit(self, event: Event, t_ns: int, source: str, after: GameState) -> LoggedEvent:
        logged = self._log.append(after.game_id, to_payload(event), mono_ns=t_ns, source=source)
        self.state = after
        if self._listener is not None:
            self._listener(after, event)
        return logged
