"""Pictures through stops, rulings, bumps and the set-up."""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
import pytest

from game.events import ButtonPressed, GameStarted, ResultSigned, TroubleNoted, TurnRuled
from game.state.fold import apply
from record.evidence import EvidenceStore
from record.interruption_pictures import LONG_NS, MOST_AT_SETUP, InterruptionPictures
from record.picture_keeper import PictureKeeper
from sensors.interfaces import Frame
from tests.game.gamekit import SECOND, Table

STEP = SECOND // 10


class Watch:
    """A table in front of a camera with noise."""

    def __init__(self, folder) -> None:
        self.pictures = InterruptionPictures(PictureKeeper(EvidenceStore(folder)))
        self.noise = np.random.default_rng(1).normal(0, 4, (16, 90, 160, 3))
        self.image = np.full((90, 160, 3), 120, np.uint8)

    def until(self, table: Table, from_ns: int, to_ns: int, step: int = STEP) -> list:
        found = []
        for t_ns in range(from_ns, to_ns, step):
            noise = self.noise[t_ns // step % len(self.noise)]
            image = np.clip(self.image + noise, 0, 255).astype(np.uint8)
            jpeg = b"%d" % t_ns
            frame = Frame(image, t_ns, t_ns // STEP, jpeg)
            found += self.pictures.frame(frame, table.state, pending=False)
        return [(p.role, p.exposed_ns, event.turn) for event in found for p in event.pictures]


@pytest.fixture
def watch(tmp_path):
    return Watch(tmp_path)


def played() -> Table:
    table = Table()
    table.play("8D", "PLATE")
    return table


def stopped() -> Table:
    table = played()
    table.now += SECOND
    table.put(ButtonPressed("neutral", table.now))
    return table


def test_nothing_is_kept_while_a_clock_runs(watch):
    table = played()
    assert watch.until(table, table.now, table.now + 20 * SECOND) == []


def test_a_stop_is_kept_every_second_from_its_beginning(watch):
    table = stopped()
    found = watch.until(table, table.now, table.now + 60 * SECOND)
    times = [t for _, t, _ in found]
    assert times[0] == table.now
    assert all(0 < b - a <= SECOND for a, b in pairwise(times))
    assert {(role, turn) for role, _, turn in found} == {("stopped", 1)}
    assert len(found) == 60


def test_every_change_in_a_stop_is_kept_when_it_happens(watch):
    table = stopped()
    watch.until(table, table.now, table.now + 3 * SECOND + STEP)
    changed = table.now + 3 * SECOND + 4 * STEP
    cv2.rectangle(watch.image, (50, 25), (75, 50), (10, 20, 200), -1)
    found = watch.until(table, changed, changed + SECOND // 2)
    assert [t for _, t, _ in found] == [changed]


def test_the_light_is_no_change(watch):
    table = stopped()
    watch.until(table, table.now, table.now + 3 * SECOND + STEP)
    watch.image[:] = 150
    assert watch.until(table, table.now + 3 * SECOND + 3 * STEP, table.now + 35 * STEP) == []


def test_a_long_stop_is_kept_more_thinly_but_its_changes_are(watch):
    table = stopped()
    watch.until(table, table.now, table.now + SECOND)
    late = table.now + LONG_NS + SECOND
    found = watch.until(table, late, late + 30 * SECOND)
    assert len(found) == 3
    cv2.rectangle(watch.image, (50, 25), (75, 50), (10, 20, 200), -1)
    assert len(watch.until(table, late + 31 * SECOND, late + 32 * SECOND)) == 1


def test_a_ruling_is_kept_also_while_the_clock_runs(watch):
    table = played()
    watch.until(table, table.now, table.now + SECOND)
    table.put(TurnRuled(1, "play", "Dee", "it stands", table.now + SECOND))
    found = watch.until(table, table.now + SECOND, table.now + 20 * SECOND)
    assert {role for role, _, _ in found} == {"ruled"}
    assert found[0][1] == table.now + SECOND
    assert 5 <= len(found) <= 6


def test_trouble_is_kept(watch):
    table = played()
    watch.until(table, table.now, table.now + SECOND)
    table.put(TroubleNoted("button_double", "left", "happened", "pressed twice", table.now))
    found = watch.until(table, table.now + SECOND, table.now + 3 * SECOND)
    assert {role for role, _, _ in found} == {"trouble"}


def test_a_bump_is_kept(watch):
    table = played()
    rng = np.random.default_rng(2)
    blocks = rng.integers(0, 255, (18, 32, 3), dtype=np.uint8)
    watch.image = cv2.resize(blocks, (160, 90), interpolation=cv2.INTER_NEAREST)
    assert watch.until(table, table.now, table.now + SECOND) == []
    watch.image = np.roll(watch.image, 15, axis=1)
    found = watch.until(table, table.now + SECOND, table.now + 20 * SECOND)
    assert {role for role, _, _ in found} == {"bumped"}
    assert 5 <= len(found) <= 6


def test_before_the_first_press_changes_are_kept_up_to_a_number(watch):
    table = Table()
    table.state = apply(None, GameStarted("g", {"left": "A", "right": "B"}, "wespa-2007",
                                          "english", None, 0))  # fmt: skip
    assert len(watch.until(table, 0, 30 * SECOND)) == 1
    count = 0
    for at in range(MOST_AT_SETUP + 20):
        watch.image[25:50, 50:75] = 10 if at % 2 else 240
        begin = (40 + 2 * at) * SECOND
        found = watch.until(table, begin, begin + SECOND, step=SECOND)
        assert all(one[0] == "setup" and one[2] == 0 for one in found)
        count += len(found)
    assert count == MOST_AT_SETUP - 1


def test_after_the_end_the_racks_are_kept_until_the_result_is_signed(watch):
    table = stopped()
    table.end()
    assert len(watch.until(table, table.now, table.now + 10 * SECOND)) == 10
    table.put(ResultSigned("both", table.now + 10 * SECOND))
    later = watch.until(table, table.now + 10 * SECOND, table.now + 30 * SECOND)
    assert {role for role, _, _ in later} <= {"ruled"}
    assert watch.until(table, table.now + 31 * SECOND, table.now + 40 * SECOND) == []


def test_a_turn_that_is_still_to_be_logged_gets_the_pictures(watch):
    table = stopped()
    frame = Frame(watch.image, table.now, 1, b"x")
    (event,) = watch.pictures.frame(frame, table.state, pending=True)
    assert event.turn == 2
