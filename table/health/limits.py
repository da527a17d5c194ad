"""The limits after which silence is a fault, in one place.

A camera that fails should be noticed by its driver before the table notices, and by the table long
before the watchdog does; each limit is therefore longer than the one before:

* a frame shows a dark or frozen picture for ``sensors.camera_health.PATIENCE_NS`` (1.5 s);
* a driver has had no picture for the ``stalled_s`` of its kind (1.8 s, ``sensors.drivers``);
* the table has had no picture for ``STALLED_NS``;
* a device cannot be reopened for ``GONE_S``, or its driver hangs for ``HUNG_S``.

A hub calls a table silent by its own limit (``hub.presence.SILENT_S``), which concerns the network.
"""

from __future__ import annotations

from typing import Final

STALLED_NS: Final = 2_000_000_000
"""A camera that delivers nothing for this long is lost: the most that a driver may take to notice
it, so that its own message comes first."""

DROPPED_NS: Final = 1_000_000_000
"""A stretch is lost to the recorder if it had no time for the pictures of so long: nobody lays a
play meanwhile, but tiles may come of which no picture tells on which side of a press."""

BLIND_NS: Final = 2_500_000_000
"""Nobody makes a play within so short a time without pictures."""

BEHIND_NS: Final = 2_000_000_000
"""A table that looks at pictures so long after they were taken cannot keep up."""

KEEPS_UP_NS: Final = 10_000_000_000
"""It keeps up again once it has done so for this long."""

BACK_NS: Final = 2_000_000_000
"""A camera that was lost is back once it has delivered for this long: a loose plug flaps."""

GONE_S: Final = 20.0
"""A device that worked and cannot be reopened for this long wants a fresh process: the time of half
a dozen attempts."""

HUNG_S: Final = 45.0
"""A driver hangs if opening, or the next picture, takes this long: longer than any driver needs."""

RESTARTED_NS: Final = 15_000_000_000
"""After a restart this short the clock that ran goes on by itself: a service that fails is back in
some seconds. After a longer time that nobody watched both clocks stand, for somebody to start."""

LATE_PRESS_NS: Final = 10_000_000_000
"""A press on a page that took longer to arrive is refused: the player has seen that nothing
happened, and has gone on."""
