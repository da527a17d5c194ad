"""What the page of a bundle says of the result."""

from __future__ import annotations

import pytest

from game.events import (
    ButtonPressed,
    GameEnded,
    GameStarted,
    RackReported,
    ResultSigned,
    to_payload,
)
from game.state.fold import fold
from record.bundle.page import page
from record.log.event_log import EventLog

START = (
    GameStarted("g", {"left": "Ann", "right": "Bob"}, "wespa-2007", "english", "left", 0),
    ButtonPressed("right", 0),
)
ENDED = (*START, GameEnded("six_zeros", 9))
RACKS = tuple(
    RackReported(side, tiles, 9, counted=len(tiles))
    for side, tiles in (("left", "AE"), ("right", "Q"))
)


@pytest.mark.parametrize(
    ("events", "says"),
    [
        (START, "not ended"),
        (ENDED, "six zeros, result not final"),
        ((*ENDED, *RACKS), "six zeros<br>"),
        ((*ENDED, ResultSigned("both players", 9)), "six zeros, result signed"),
    ],
)
def test_the_page_says_whether_the_result_is_final(tmp_path, events, says):
    with EventLog(tmp_path / "tilewatch.db") as log:
        for event in events:
            log.append("g", to_payload(event), mono_ns=0, source="test")
        text = page(fold(events), events, log.events("g"), log.events("g")[-1].key)
    assert says in text.decode()
