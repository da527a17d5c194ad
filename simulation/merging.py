"""A simulated table's moments, presses and announcements as one stream by time, undrawn."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from sensors.interfaces import Press
from simulation.simulated_table import SimulatedTable
from simulation.world import Announcement, Moment

SimulatedEvent = Moment | Press | Announcement


def undrawn(table: SimulatedTable) -> Iterator[SimulatedEvent]:
    """Everything that happens, oldest first; a frame before a press of the same moment."""

    def keyed(
        items: Iterator[SimulatedEvent], rank: int
    ) -> Iterator[tuple[int, int, SimulatedEvent]]:
        for item in items:
            yield item.t_ns, rank, item

    streams = (
        keyed(table.moments(), 0),
        keyed(table.buttons().presses(), 1),
        keyed(table.announcements(), 2),
    )
    for _, _, item in heapq.merge(*streams, key=lambda entry: entry[:2]):
        yield item
