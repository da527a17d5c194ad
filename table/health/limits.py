"""The limits after which silence is a fault, in one place.

A camera that fails should be noticed by its driver before the table notices, and by the table long
before the watchdog does; each limit is therefore longer than the one before:

* a frame shows a dark or frozen picture for ``sensors.watched_camera.PATIENCE_NS`` (1.5 s);
* a driver has had no picture for the ``stalled_s`` of its kind (1.8 s, ``sensors.drivers``);
* the table has had no picture for ``STALLED_NS``;
* a device cannot be reopened for ``GONE_S``, or its driver hangs for ``HUNG_S``.

A hub calls a table silent by its own limit (``hub.presence.SILENT_S``), which concerns the network.
"""

from __future__ import annotations

from typing import Final

STALLED_NS: Final = 2_000_000_000
"""A camera that delivers nothing for this long is lost. Drivers must notice it sooner, so that
their more exact message comes first."""

GAP_NS: Final = 1_000_000_000
"""A longer gap in the processed pictures counts as lost. It may be too short for a whole play, but
tiles may be laid in it without a picture that shows if that was before or after a press."""

BLIND_NS: Final = 2_500_000_000
"""A whole play may be made in a time without pictures that is longer than this."""

BEHIND_NS: Final = 2_000_000_000
"""A table that processes pictures this long after they were taken cannot keep up."""

KEEPS_UP_NS: Final = 10_000_000_000
"""A table that was behind counts as keeping up again after it has done so for this long."""

BACK_NS: Final = 2_000_000_000
"""A lost camera is back once it has delivered for this long: a loose plug may fail again."""

GONE_S: Final = 20.0
"""If a device that worked cannot be reopened for this long (some six attempts), the process should
be restarted."""

HUNG_S: Final = 45.0
"""A driver hangs if opening, or the next picture, takes this long: longer than any driver needs."""

RESTARTED_NS: Final = 15_000_000_000
"""After a restart of at most this length the game's running clock goes on by itself: a service that
fails is back in some seconds. After a longer one both clocks stand until somebody starts one."""

LATE_PRESS_NS: Final = 10_000_000_000
"""A press on a page that took longer than this to arrive is refused: the player has seen no effect
and has gone on."""
