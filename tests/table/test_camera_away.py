"""The recorder: turns that are played while the camera delivers nothing."""

from __future__ import annotations

from .recorderkit import cover, opened


def asked(live, number: int) -> list[str]:
    flags = live.turns[number - 1].flags
    return [flag.code for flag in flags if flag.settled is None and flag.code != "board_covered"]


def test_a_play_that_came_to_rest_before_the_camera_failed_is_the_turn_s(live, put):
    first = opened(live, put)
    second = put("7I", "ON", first)
    live.video(1500, 1800, cover(first), sure=0.3)
    live.video(1800, 3000, second)
    live.press("right", 9000)  # six seconds after the last picture
    live.press("left", 20000)
    live.video(30000, 31000, put("J6", "I..E", second))
    assert live.turns[1].tiles == {"7I": "O", "7J": "N"}
    assert live.codes(2) == ["board_covered"]  # a note: seen six seconds before its press


def test_tiles_first_seen_long_after_the_press_are_asked_about(live, put):
    """Whoever pressed may have exchanged tiles, and the opponent laid these since."""
    first = opened(live, put)
    live.press("right", 9000)
    live.video(20000, 21000, put("7I", "ON", first))
    live.press("left", 20950)
    assert live.turns[1].tiles == {"7I": "O", "7J": "N"}
    assert "uncertain_square" in live.codes(2)


def test_tiles_first_seen_soon_after_the_press_are_not_asked_about(live, put):
    first = opened(live, put)
    live.press("right", 9000)
    live.video(14000, 15000, put("7I", "ON", first))
    assert live.turns[1].tiles == {"7I": "O", "7J": "N"}
    assert live.codes(2) == ["board_covered"]


def test_the_view_before_the_camera_failed_counts_where_hands_are_there_when_it_is_back(live, put):
    first = opened(live, put)
    second = put("7I", "ON", first)
    live.video(1500, 1800, cover(first), sure=0.3)
    live.video(1800, 3000, second)
    live.video(6000, 6300, cover(second), sure=0.3)
    live.press("right", 6300)
    live.video(6300, 12000, cover(second), sure=0.3)
    live.press("left", 12000)
    assert live.turns[1].tiles == {"7I": "O", "7J": "N"}


def test_what_lies_there_after_a_failure_is_not_added_to_a_play_seen_before_it(live, put):
    first = opened(live, put)
    second = put("I8", ".VEN", first)
    live.video(1500, 1800, cover(first), sure=0.3)
    live.video(1800, 3000, second)
    live.press("right", 4000)
    third = put("G8", ".OT", second)  # it joins what lay there before, too
    live.video(8000, 9000, third)
    live.press("left", 8950)
    assert live.turns[1].tiles == {"9I": "V", "10I": "E", "11I": "N"}
    assert live.turns[2].tiles == {"9G": "O", "10G": "T"}


def test_tiles_of_turns_that_nobody_saw_are_no_play_without_a_press(live, put):
    first = opened(live, put)
    for at, button in ((6000, "right"), (12000, "left"), (18000, "right")):
        live.press(button, at)
    second = put("I8", ".VENS", first)
    live.video(20000, 22500, put("11E", "CLEA.", second))  # more tiles than a player has
    live.press("left", 22450)
    live.video(22500, 25000, put("11E", "CLEA.", second))
    assert len(live.turns) == 5
    assert not any("not_pressed" in live.codes(number) for number in (2, 3, 4, 5))
    assert "played_unseen" in live.codes(4) + live.codes(5)


def test_two_plays_and_a_press_between_them_are_two_turns(live, put):
    """The camera comes back when the opponent's answer lies there too, not yet pressed for."""
    first = opened(live, put)
    second = put("I8", ".VEN", first)
    third = put("10E", "PLAC.", second)
    live.press("right", 9000)
    live.video(14000, 16000, third)
    live.press("left", 15950)
    assert live.turns[1].tiles == {"9I": "V", "10I": "E", "11I": "N"}
    assert live.turns[2].tiles == {"10E": "P", "10F": "L", "10G": "A", "10H": "C"}
    assert [live.codes(number) for number in (2, 3)] == [["board_covered"], []]


def test_every_second_turn_unseen_is_told_by_its_successor(live, put):
    first = opened(live, put)
    second = put("I8", ".VEN", first)
    third = put("10E", "PLAC.", second)
    live.press("right", 9000)
    live.video(13900, 14900, second)
    live.video(14900, 15200, cover(third), sure=0.3)
    live.press("left", 30000)
    live.video(40000, 41000, put("F9", "O.T", third))
    live.press("right", 40950)
    assert live.turns[1].tiles == {"9I": "V", "10I": "E", "11I": "N"}
    assert live.turns[2].tiles == {"10E": "P", "10F": "L", "10G": "A", "10H": "C"}


def test_of_unseen_turns_each_gets_its_play_where_the_board_tells(live, put):
    first = opened(live, put)
    second = put("I8", ".VEN", first)
    third = put("10E", "PLAC.", second)
    fourth = put("F9", "O.T", third)
    live.press("right", 9000)
    live.press("left", 15000)
    live.video(18000, 20000, fourth)
    live.press("right", 19950)
    assert live.turns[1].tiles == {"9I": "V", "10I": "E", "11I": "N"}
    assert live.turns[2].tiles == {"10E": "P", "10F": "L", "10G": "A", "10H": "C"}
    assert live.turns[3].tiles == {"9F": "O", "11F": "T"}
    assert [asked(live, number) for number in (2, 3, 4)] == [[], [], []]


def test_plays_that_may_have_come_in_two_orders_are_asked_about(live, put):
    first = opened(live, put)
    live.press("right", 9000)
    live.press("left", 15000)
    live.video(18000, 20000, put("G8", ".OT", put("I8", ".VEN", first)))
    live.press("right", 19950)
    assert asked(live, 2) != []
    assert asked(live, 3) != []


def test_turns_without_a_tile_while_the_camera_shows_nothing(live, put):
    first = opened(live, put)
    live.press("right", 9000)
    live.press("left", 15000)
    live.video(18000, 20000, first)
    live.press("right", 19950)
    assert [turn.kind for turn in live.turns[1:]] == ["not_known", *["exchange_or_pass"] * 2]
    assert live.turns[3].tiles == {}
