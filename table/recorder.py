"""The recorder: frames and presses in, logged events and a game's state out.

At a press that ends a turn, the board as it lay *at the press* becomes a ``TurnSeen`` event. Where
each picture is one settled view (``stills``) that is the last one at or before the press, if it was
taken in this turn. In video it is the last stretch of frames in which nothing moved, provided that
it reaches up to the press. When the board was covered or moving then, the turn is *held open*: the
first clear stretch within ``LOOK_AHEAD_NS`` after the press is taken; failing that the last clear
one before it; failing that the next clear one, up to the next press. Such a turn carries a
``board_covered`` finding and, like every other, the time of its own press. A turn of which nothing
at all was seen has no ``sighted_ns`` and the board as it was known before.

Each event is applied to the state before it is logged, and the state moves on only once the log has
it on disk.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

import cv2

from game.board import UNREADABLE, Board, Square
from game.events import (
    Button,
    ButtonPressed,
    Event,
    Finding,
    GameStarted,
    Side,
    SquareCorrected,
    TurnSeen,
    to_payload,
)
from game.state import GameState, apply, ends_turn
from sensors.interfaces import Frame, Press
from table.errors import EvidenceError
from table.evidence import EvidenceStore
from table.log import EventLog
from table.memory import Correction
from table.settle import Settler
from table.sighting import Reads, Seer, Sighting
from table.timings import Timings
from vision.rectify import Corners

LOOK_AHEAD_NS: Final = 2_500_000_000
"""How long after a press the board may still be taken to lie as it did: the opponent has hardly
begun to lay tiles."""

_FIRST_LOOK_NS: Final = 2_000_000_000
"""How often a board is looked for before the first has been found."""

_RESTS: Final = 3
"""Stretches at rest that are kept from before the press: a hand may have rested in the last."""

Listener = Callable[[GameState, Event], None]


@dataclass
class _Held:
    """A turn whose press came while the board could not be seen."""

    side: Side
    press_ns: int
    before: tuple[tuple[Frame, ...], ...]
    """The last stretches of the turn at rest, newest first, each with its newest frame first."""
    tried: int = -1
    """The stretch that was looked at last, in vain."""


@dataclass
class RecorderTimings:
    """How long a press took until its turn was on disk, and a frame until the next could come."""

    per_press: Timings = field(default_factory=Timings)
    per_frame: Timings = field(default_factory=Timings)


class Recorder:
    """Records one game. Not safe to use from several threads at once."""

    def __init__(
        self,
        start: GameStarted,
        reader: Reads,
        log: EventLog,
        evidence: EvidenceStore | None,
        *,
        stills: bool = False,
        corners: Corners | None = None,
        listener: Listener | None = None,
    ) -> None:
        """Log the start of a game.

        ``stills`` says that every frame is one settled view; ``corners`` fix the board's place in
        all of them. ``listener`` is told of each event once it is on disk, with the state after it.
        """
        self.timings = RecorderTimings()
        self._log = log
        self._evidence = evidence
        self._listener = listener
        self._stills = stills
        self._seer = Seer(reader, corners)
        self._settler = Settler()
        self._settler.aim(corners)
        self._latest: Frame | None = None
        self._rests: deque[tuple[Frame, ...]] = deque(maxlen=_RESTS)
        self._held: _Held | None = None
        self._turn_from_ns: int | None = None
        self._next_look_ns: int | None = None
        self._last_picture: str | None = None
        self._amended: dict[Square, set[int]] = {}
        self.state = apply(None, start)
        self._commit(start, start.t_ns, "recorder", self.state)

    def run(self, stream: Iterable[Frame | Press]) -> GameState:
        """Take everything from ``stream`` (``sensors.merge.merged``) and finish."""
        for item in stream:
            if isinstance(item, Frame):
                self.frame(item)
            else:
                self.press(item)
        self.finish()
        return self.state

    def record(self, event: Event, source: str = "recorder") -> None:
        """Apply and log one event. Raises ``TilewatchError``, with nothing changed."""
        after = apply(self.state, event)
        t_ns = event.press_ns if isinstance(event, TurnSeen) else event.t_ns
        self._commit(event, t_ns, source, after)

    def frame(self, frame: Frame) -> None:
        """Take the next frame."""
        with self.timings.per_frame.measure():
            self._latest = frame
            if self._stills:
                return
            self._watch(frame)
        if self._held is not None:
            self._try_held(self._held, frame)

    def press(self, press: Press) -> None:
        """Take a press."""
        with self.timings.per_press.measure():
            if self._held is not None:
                self._give_up(self._held)
            side = self._ends(press.button)
            self.record(ButtonPressed(press.button, press.t_ns), "buttons")
            if side is not None:
                self._end_turn(side, press.t_ns)
            elif press.button == "neutral":
                self._maybe_out(press.t_ns)
            if press.button != "neutral":
                self._turn_from_ns = press.t_ns
                self._rests.clear()

    def finish(self) -> None:
        """Settle a turn that is still held open."""
        if self._held is not None:
            self._give_up(self._held)

    # --- turns ---

    def _ends(self, button: Button) -> Side | None:
        if self.state.settled:
            return None  # presses now are for the next game
        return ends_turn(self.state, button)

    def _end_turn(self, side: Side, press_ns: int) -> None:
        if self._stills:
            sighting = self._sight(self._still_of_turn())
            self._seen(side, press_ns, sighting, covered=None)
            return
        if self._settler.settled(press_ns):
            sighting = self._sight(self._settler.frames())
            if sighting is not None and sighting.clear:
                self._seen(side, press_ns, sighting, covered=None)
                return
        self._held = _Held(side, press_ns, tuple(reversed(self._rests)), self._settler.stretches)

    def _maybe_out(self, press_ns: int) -> None:
        """Whoever plays out stops both clocks instead of starting the opponent's."""
        side = self.state.on_turn
        if side is None or self.state.status != "running" or self.state.bag_count:
            return
        frames = self._still_of_turn() if self._stills else self._settler.frames()
        sighting = self._sight(frames)
        if sighting is None or not sighting.clear:
            return
        before = self.state.board
        after = Board.from_rows(sighting.merged.rows)
        fresh = [square for square in before.diff(after) if square not in before.tiles()]
        if fresh and len(fresh) == self.state.racks[side]:
            self._seen(side, press_ns, sighting, covered=None)

    def _try_held(self, held: _Held, frame: Frame) -> None:
        """See whether a turn that is held open can be settled now."""
        with self.timings.per_press.measure():
            late = frame.t_ns - held.press_ns > LOOK_AHEAD_NS
            if late and held.before:
                self._give_up(held)
                return
            if not self._settler.settled(frame.t_ns) or held.tried == self._settler.stretches:
                return
            held.tried = self._settler.stretches
            sighting = self._sight(self._settler.frames())
            if sighting is not None and sighting.clear:
                after = (sighting.frame.t_ns - held.press_ns) / 1e9
                self._held = None
                self._seen(
                    held.side,
                    held.press_ns,
                    sighting,
                    covered=f"covered or moving at the press, seen {after:.1f} s after it",
                )

    def _give_up(self, held: _Held) -> None:
        """Settle a turn that is held open with the best there is."""
        self._held = None
        seen = (self._sight(frames) for frames in held.before)
        sighting = next((one for one in seen if one is not None and one.clear), None)
        if sighting is not None:
            before = (held.press_ns - sighting.frame.t_ns) / 1e9
            covered = f"covered or moving at the press, seen {before:.1f} s before it"
        else:
            sighting = self._sight(self._settler.frames())
            covered = "covered or moving at the press and since"
        self._seen(held.side, held.press_ns, sighting, covered=covered)

    def _seen(
        self, side: Side, press_ns: int, sighting: Sighting | None, covered: str | None
    ) -> None:
        """Log a turn."""
        if sighting is None:
            nothing = Finding("board_covered", None, covered or "no picture of the board")
            if self.state.status != "ended":
                rows = self.state.board.rows
                self.record(TurnSeen(side, press_ns, rows, None, findings=(nothing,)))
            return
        for correction in sighting.merged.corrections:
            self._correct(correction, press_ns)
        before = self.state.board
        findings = list(self._seer.findings(sighting, before))
        if covered is not None:
            findings.append(Finding("board_covered", None, covered))
        elif not sighting.clear:
            text = f"{sighting.unreadable} squares could not be seen"
            findings.append(Finding("board_covered", None, text))
        changed = before.diff(Board.from_rows(sighting.merged.rows))
        sure = sighting.merged.confidence
        pictures = {} if self._last_picture is None else {"before": self._last_picture}
        picture = self._keep_picture(sighting.frame)
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
        self._seer.keep(sighting)
        self._settler.aim(self._seer.corners)

    def _correct(self, correction: Correction, t_ns: int) -> None:
        """Correct what earlier turns were seen to show on a square.

        A correction holds for the turns after it for as long as they were read as its own turn
        was, so a square that was read in several ways needs one for each, and so does every turn
        that was corrected before.
        """
        square, symbol = correction.square, correction.symbol
        amended = self._amended.setdefault(square, set())
        was: str | None = None
        for turn in self.state.turns[max(0, correction.turn - 1) :]:
            seen = turn.seen.rows[square.row][square.col]
            first = turn.number == correction.turn
            fits = seen == symbol if first else seen in (was, symbol, UNREADABLE)
            if fits and turn.number not in amended:
                continue
            was = seen
            amended.add(turn.number)
            self.record(
                SquareCorrected(turn.number, square.name, symbol, "camera", correction.why, t_ns)
            )

    # --- frames ---

    def _still_of_turn(self) -> tuple[Frame, ...]:
        """The latest picture, if it was taken in this turn."""
        frame, since = self._latest, self._turn_from_ns
        return () if frame is None or (since is not None and frame.t_ns <= since) else (frame,)

    def _watch(self, frame: Frame) -> None:
        kept = self._settler.frames()
        was_settled = self._settler.settled(frame.t_ns)
        moved = self._settler.add(frame)
        if moved and was_settled:
            # Only of this turn: what lay there before its start is known already.
            since = self._turn_from_ns or 0
            rest = tuple(f for f in kept if f.t_ns > since)
            if rest:
                self._rests.append(rest)
        if not self._settler.aimed:
            self._first_look(frame)

    def _first_look(self, frame: Frame) -> None:
        """Find the board before the first press, to watch it and to know its empty look."""
        due = self._next_look_ns is None or frame.t_ns >= self._next_look_ns
        if not due or not self._settler.settled(frame.t_ns):
            return
        self._next_look_ns = frame.t_ns + _FIRST_LOOK_NS
        sighting = self._seer.sight(self._settler.frames(), turn=0)
        if sighting is not None and sighting.clear:
            self._seer.keep(sighting)
            self._settler.aim(self._seer.corners)

    def _sight(self, frames: tuple[Frame, ...]) -> Sighting | None:
        return self._seer.sight(frames, len(self.state.turns) + 1)

    def _keep_picture(self, frame: Frame) -> str | None:
        if self._evidence is None:
            return None
        jpeg = frame.jpeg
        if jpeg is None:
            # A camera that delivers no JPEG: encoded here, once, and from then on the original.
            done, encoded = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, 92])
            if not done:
                raise EvidenceError(f"frame {frame.seq}: cannot be encoded as JPEG")
            jpeg = encoded.tobytes()
        return self._evidence.store(jpeg)

    def _commit(self, event: Event, t_ns: int, source: str, after: GameState) -> None:
        self._log.append(after.game_id, to_payload(event), mono_ns=t_ns, source=source)
        self.state = after
        if self._listener is not None:
            self._listener(after, event)
