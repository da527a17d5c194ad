"""What the table notes of its own work is remembered and moves nothing in the game."""

from __future__ import annotations

import json

import pytest

from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    GameEnded,
    GameStarted,
    PenaltyAdded,
    Picture,
    PicturesDeleted,
    PicturesKept,
    ResultSigned,
    Retracted,
    TableDescribed,
    TroubleNoted,
    from_payload,
    to_payload,
)
from game.state.fold import fold

START = GameStarted("g", {"left": "Ann", "right": "Bob"}, "wespa-2007", "english", None, 0)
NOTES = (
    TableDescribed("0.1.0", {"model tiles.onnx": "a" * 64}, {"camera": {"fps": 10}}, 0),
    PicturesKept(
        1,
        (
            Picture(
                "at", "b" * 64, 5, corners=((1.5, 2.0), (90.0, 3.0), (91.0, 80.0), (0.0, 79.0))
            ),
            Picture("crop", "c" * 64, 5, square="8H", of="b" * 64),
        ),
        6,
    ),
    PicturesDeleted(("b" * 64,), "signed, and above 20 GB", 7),
    TroubleNoted("button_stuck", "left", "begins", "left is stuck", 8),
)


@pytest.mark.parametrize("note", NOTES, ids=lambda note: type(note).__name__)
def test_notes_survive_being_stored(note):
    assert from_payload(json.loads(json.dumps(to_payload(note)))) == note


def test_notes_move_nothing_and_are_welcome_after_signing():
    game = [START, ButtonPressed("left", 1), GameEnded("director", 2), ResultSigned("both", 3)]
    plain = fold(game)
    noted = fold([START, NOTES[0], *game[1:], *NOTES[1:]])
    for name in ("board", "scores", "turns", "status", "clocks", "flags", "signed"):
        assert getattr(noted, name) == getattr(plain, name)


def test_notes_count_among_the_events_and_cannot_be_taken_back():
    penalty = PenaltyAdded("left", 5, None, "director", "late", 4)
    game = [START, NOTES[0], ButtonPressed("left", 1), penalty]
    with pytest.raises(TilewatchError, match="event 2 is TableDescribed"):
        fold([*game, Retracted(2, "director", "?", 5)])
    after = fold([*game, Retracted(4, "director", "was in time", 5)])
    assert after.scores == fold(game[:3]).scores


def test_a_crop_of_no_square_is_refused():
    bad = to_payload(PicturesKept(1, (Picture("crop", "c" * 64, 5, square="8Z"),), 6))
    with pytest.raises(TilewatchError, match="8Z"):
        from_payload(bad)


def test_corners_that_are_no_corners_are_refused():
    bad = to_payload(PicturesKept(1, (Picture("at", "b" * 64, 5, corners=((1.0, 2.0),) * 3),), 6))
    with pytest.raises(TilewatchError, match="corners are four times x and y"):
        from_payload(bad)
