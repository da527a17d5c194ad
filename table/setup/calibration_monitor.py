"""Checks a running table's calibration: at its start, and after every bump."""

from __future__ import annotations

import threading
from collections.abc import Callable

from calibration.recheck import RecheckResult
from table.health.alerts import Alert
from table.health.monitor import HealthMonitor
from table.setup.calibrated_reader import BumpDetector, Calibrated
from vision.rectify import Image
from vision.tracking.sighting import Observation


class CalibrationWatch:
    """Belongs to a table's loop; checks run in a thread of their own.

    Args:
        calibrated: the table's.
        monitor: takes the alert that the calibration no longer holds.
        say: prints one line after every check with a new result.
        now_ns: the table's time.
    """

    def __init__(
        self,
        calibrated: Calibrated,
        monitor: HealthMonitor,
        say: Callable[[str], None],
        now_ns: Callable[[], int],
    ) -> None:
        self._calibrated, self._monitor = calibrated, monitor
        self._say, self._now_ns = say, now_ns
        self._bumps = BumpDetector()
        self._thread: threading.Thread | None = None
        self._verdict: RecheckResult | None = None
        self._reported = ""
        self._about: object = None

    def look(self, raw: Image | None, look: Observation | None) -> None:
        """Take the newest picture and the newest view of the board at rest, once a round."""
        self._report()
        if self._about is not self._calibrated.calibration:
            self._about, self._bumps = self._calibrated.calibration, BumpDetector()
        if raw is None or look is None or self._calibrated.calibration is None:
            return
        if self._thread is not None and self._thread.is_alive():
            return
        if self._bumps.moved(look.reading.corners):
            self._thread = threading.Thread(
                target=self._check, args=(raw,), name="calibration", daemon=True
            )
            self._thread.start()

    def finish(self, timeout_s: float = 5.0) -> None:
        """Wait for a check that is running, and report its result."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        self._report()

    def _check(self, raw: Image) -> None:
        self._verdict = self._calibrated.recheck(raw)

    def _report(self) -> None:
        verdict, self._verdict = self._verdict, None
        if verdict is None:
            return
        if not verdict.holds:
            self._monitor.take(Alert("calibration", verdict.line, self._now_ns()))
        else:
            self._monitor.end("calibration", message=verdict.line)
            if verdict.line != self._reported:
                self._say(verdict.line)
        self._reported = verdict.line
