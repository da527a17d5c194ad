"""The numbers of a game, worked out by hand."""

from __future__ import annotations

from dashboard.game_numbers import chart, course, numbers, play_text
from game.events import ClockAdjusted, GameForfeited, PenaltyAdded, TurnRuled
from table.views.views import view
from tests.game.gamekit import SECOND, Table


def shown(*, late: bool = True) -> dict:
    table = Table()
    table.play("8D", "FIRNS")  # (2*4+1+1+1+1) * 2 = 24
    table.play("H8", ".HOe")  # 1+4+1+0 = 6
    if late:
        table.put(PenaltyAdded("left", 10, "2.4", "director", "late", table.now))
    table.see()
    return view(table.state, "public")


def test_a_game_is_summed_up():
    found = numbers(shown())
    assert found["left"].turns == 2
    assert found["left"].average == 12.0
    assert found["left"].best is not None
    assert (found["left"].best.word, found["left"].best.position) == ("FIRNS", "8D")
    assert (found["left"].best.score, found["left"].best.turn) == (24, 1)
    assert found["left"].used_ns == 60 * SECOND
    assert found["right"].average == 6.0
    assert found["right"].best.word == "SHOE"
    assert found["left"].bingos == found["right"].bingos == 0


def test_bingos_count_while_they_stand():
    table = Table()
    table.play("8D", "ZEALOTS")
    assert numbers(view(table.state, "public"))["left"].bingos == 1
    table.put(TurnRuled(1, "challenge_upheld", "director", "not good", table.now))
    found = numbers(view(table.state, "public"))["left"]
    assert (found.bingos, found.best) == (0, None)


def test_the_course_has_each_score_where_it_came_about():
    moments = course(shown())
    assert [(one.label, one.scores["left"], one.scores["right"]) for one in moments] == [
        ("0", 0, 0),
        ("1", 24, 0),
        ("2", 14, 6),
        ("3", 14, 6),
    ]


def test_the_chart_stays_within_its_frame():
    drawn = chart(course(shown()))
    for line in drawn.lines.values():
        for point in line.split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= drawn.width
            assert 0 <= y <= drawn.height
    assert len(drawn.grid) <= 7


def test_the_time_used_has_the_turn_that_was_open_at_the_end():
    table = Table()
    for place, word in (("8D", "FIRNS"), ("H8", ".HOe"), ("10F", "TO.LS")):
        table.play(place, word)
    table.put(ClockAdjusted("right", 60 * SECOND, None, "director", "late press", table.now))
    table.now += 12 * SECOND
    table.put(GameForfeited("right", "resigned", "director", "gives up", table.now))
    found = numbers(view(table.state, "public"))
    assert found["left"].used_ns == 60 * SECOND
    assert found["right"].used_ns == 42 * SECOND


def test_a_tile_that_could_not_be_read_is_no_sign_of_the_programs_own():
    table = Table()
    table.play("8D", "FI#~S")
    (turn,) = view(table.state, "public")["turns"]
    assert play_text(turn) == "FI▢▢S"
