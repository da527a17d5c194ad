"""A hand that comes to rest on a blank which was in plain sight before."""

from __future__ import annotations

from .recorderkit import cover, opened


def test_a_blank_that_was_seen_before_the_hand_covered_it_is_part_of_the_play(live, put):
    """Beside a hand a blank passes for a part of it; but here it was seen alone."""
    play = put("9G", "?NE", opened(live, put))
    live.video(1500, 2500, play)
    rested = cover(play, range(8, 12), range(2, 7))
    live.video(2500, 3500, rested)
    live.press("right", 3450)
    live.video(3500, 6500, rested)
    assert live.turns[1].tiles == {"9G": "?", "9H": "N", "9I": "E"}
