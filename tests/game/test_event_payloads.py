"""Events as JSON and back."""

from __future__ import annotations

import json

import pytest

from game.errors import TilewatchError
from game.events import (
    BlankDesignated,
    ChallengeBonus,
    EndReason,
    Finding,
    GameEnded,
    PenaltyAdded,
    RackReported,
    SquareCorrected,
    TurnRuled,
    TurnSeen,
    from_payload,
    to_payload,
)
from game.state.fold import fold

from .gamekit import Table


def test_every_event_survives_json():
    table = Table()
    table.play("8G", "C?T", (Finding("askew", "8G", "half a square"),))
    table.put(BlankDesignated("8H", "a", "Ann", "said so", table.now))
    table.put(SquareCorrected(1, "8G", "B", "TD", "", table.now))
    table.put(TurnRuled(1, "challenge_failed", "TD", "", table.now))
    table.put(ChallengeBonus("left", 5, "4.6.10", "TD", "", table.now))
    table.put(PenaltyAdded("left", 5, None, "TD", "", table.now))
    table.put(RackReported("right", "AE?", table.now))
    table.put(TurnSeen("right", 9, table.board.rows, 10, {"8G": 0.5}, {"at": "ab" * 32}))
    table.end()
    again = [from_payload(json.loads(json.dumps(to_payload(e)))) for e in table.events]
    assert again == table.events
    assert fold(again) == table.state


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (None, "an event is an object"),
        ({}, "unknown event type None"),
        ({"type": "Explosion"}, "unknown event type 'Explosion'"),
        ({"type": "ButtonPressed", "button": "left"}, "t_ns is missing"),
        ({"type": "ButtonPressed", "button": "up", "t_ns": 1}, "'up' is not one of"),
        ({"type": "ButtonPressed", "button": "left", "t_ns": "1"}, "t_ns: '1' has the wrong form"),
        ({"type": "ButtonPressed", "button": "left", "t_ns": True}, "wrong form"),
        ({"type": "ButtonPressed", "button": "left", "t_ns": 1, "x": 1}, "unknown field 'x'"),
        ({"type": "ButtonPressed", "button": [], "t_ns": 1}, "is not one of"),
        ({"type": "TurnSeen", "side": "left", "press_ns": 1, "rows": "abc"}, "rows"),
        ({"type": "TurnSeen", "side": "left", "press_ns": 1, "rows": [1] * 15}, "rows[0]"),
        (
            {
                "type": "TurnSeen",
                "side": "left",
                "press_ns": 1,
                "rows": ["." * 15] * 15,
                "findings": [{"code": 1}],
            },
            "findings[0].code",
        ),
    ],
)
def test_a_payload_in_another_form_is_refused(payload, why):
    with pytest.raises(TilewatchError) as caught:
        from_payload(payload)
    assert why in str(caught.value)


def test_the_end_of_a_game_is_stored_as_plain_text_and_any_other_text_is_read():
    event = GameEnded(EndReason.BROKEN_OFF, 0)
    payload = json.loads(json.dumps(to_payload(event)))
    assert payload["reason"] == "broken off"
    assert from_payload(payload) == event
    assert from_payload(payload | {"reason": "the lights went out"}).reason == "the lights went out"
    assert {one.value for one in EndReason} >= {"out", "six_zeros", "overtime_limit"}


def test_that_nobody_challenged_is_stored_only_where_it_was_asked():
    ruled = TurnRuled(1, "play", "TD", "", 9)
    assert "challenged" not in to_payload(ruled)
    asked = TurnRuled(1, "play", "TD", "", 9, challenged=False)
    payload = to_payload(asked)
    assert payload["challenged"] is False
    assert from_payload(payload) == asked
    with pytest.raises(TilewatchError, match="wrong form"):
        from_payload({**payload, "challenged": 0})
