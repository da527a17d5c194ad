"""New sightings of a rack's camera."""

from __future__ import annotations

import numpy as np

from sensors.interfaces import Frame
from table.racks.watch import STILL_NS, RackWatch
from vision.racks.reader import RackReading


class Reader:
    def read(self, image, row=None):
        return RackReading("AEINRST", (1.0,) * 7, row)


def test_a_rack_that_stands_when_another_game_begins_is_read_once_more():
    watch = RackWatch("left", Reader())
    image = np.full((90, 160, 3), 128, np.uint8)
    times = iter(range(0, 100 * STILL_NS, STILL_NS))

    def sights(pictures=3):
        looks = (watch.look(Frame(image, next(times), 0)) for _ in range(pictures))
        return [one.tiles for one in looks if one is not None]

    assert sights() == ["AEINRST"]
    assert sights() == []
    watch.begin()
    assert sights() == ["AEINRST"]
