"""What at a table needs somebody, in order of urgency."""

from __future__ import annotations

from dashboard.director.concerns import LEVELS, QUESTIONS, Concern, concerns, trouble, unsettled
from game.flags import CODES


def test_questions_are_flags_that_there_are():
    assert set(CODES) >= QUESTIONS


def flag(code: str, *, open_: bool = True, remedies: int = 1) -> dict:
    offers = [{"open": open_}] * remedies
    return {"code": code, "message": code, "rule": None, "remedies": offers}


def test_concerns_come_in_order_of_urgency():
    turns = [
        {"number": 1, "flags": [flag("off_centre"), flag("uncertain_square")]},
        {"number": 2, "flags": []},
        {"number": 3, "flags": [flag("gap"), flag("askew", open_=False)]},
        {"number": 4, "flags": [flag("blank_undesignated"), flag("overtime", remedies=0)]},
    ]
    view = {"turns": turns, "flags": [flag("clock_stopped")]}
    found = concerns(view, [Concern("trouble", "log", "the disk is full")])
    assert [(one.level, one.code, one.turn) for one in found] == [
        ("trouble", "log", None),
        ("question", "clock_stopped", None),
        ("question", "blank_undesignated", 4),
        ("question", "uncertain_square", 1),
        ("flag", "gap", 3),
        ("note", "off_centre", 1),
    ]
    assert [one.level for one in concerns(None, [])] == []
    assert LEVELS[0] == "trouble"


def test_who_signs_is_told_every_question_and_flag_that_is_open():
    trouble = Concern("trouble", "camera_lost", "the camera is gone")
    question = Concern("question", "uncertain_square", "8E could not be read.", 3, about=1)
    flags = [
        Concern("flag", "tile_replaced", "5J showed T and now shows N.", 4, about=4),
        Concern("flag", "clock_stopped", "The clock was stopped."),
    ]
    note = Concern("note", "off_centre", "8D lies off its square.", 1, about=1)
    assert unsettled([trouble, note]) is None
    assert unsettled([trouble, *flags[:1], note]) == (
        "1 flag is open and may change the result:\nTurn 4: 5J showed T and now shows N."
    )
    assert unsettled([question, *flags]) == (
        "1 question and 2 flags are open and may change the result:\n"
        "Turn 1: 8E could not be read.\n"
        "Turn 4: 5J showed T and now shows N.\n"
        "The clock was stopped."
    )


def test_a_new_log_is_not_said_to_be_written_no_more():
    """Both are the log's: a disk that takes nothing lasts, what an opening found is done."""
    lasts, found = (trouble("log", "…", attend=attend).as_json() for attend in (False, True))
    assert lasts["label"] == "the game cannot be written down"
    assert found["label"] == "the log was not whole when it was opened"


def test_what_a_director_has_entered_is_noted():
    view = {"turns": [], "flags": [flag("stop_unlisted"), flag("challenge_binds")]}
    found = {one.code: one.level for one in concerns(view)}
    assert found == {"stop_unlisted": "note", "challenge_binds": "flag"}
    assert unsettled(one for one in concerns(view) if one.code == "stop_unlisted") is None


def test_which_flags_a_director_has_entered_is_said_where_they_are_declared():
    assert {code for code, known in CODES.items() if known.entered} == {
        "late_start",
        "reopened_unlisted",
        "stop_unlisted",
    }
    view = {"turns": [], "flags": [flag("log_full")]}  # of no declared code
    assert [one.level for one in concerns(view)] == ["flag"]


def test_a_late_start_needs_somebody_while_the_game_may_be_forfeited_for_it():
    late = flag("late_start", remedies=2)
    late["remedies"] = [{"open": True, "event": None}, {"open": True, "event": None}]
    (found,) = concerns({"turns": [], "flags": [late]})
    assert (found.level, unsettled([found])) == ("note", None)
    late["remedies"][0] = {"open": True, "event": {"type": "GameForfeited"}, "asks": ()}
    (found,) = concerns({"turns": [], "flags": [late]})
    assert found.level == "flag"


def test_a_settled_flag_needs_nobody():
    done = {**flag("uncertain_square"), "settled": 12}
    view = {"turns": [{"number": 1, "flags": [done, flag("blank_undesignated")]}], "flags": []}
    assert [one.code for one in concerns(view)] == ["blank_undesignated"]


def asking(code: str, *squares: str, more: int = 0) -> dict:
    """A flag that asks what lay on squares, with more remedies than that."""
    offers = [
        {
            "open": True,
            "asks": ["symbol"],
            "event": {"type": "SquareCorrected", "turn": 1, "square": square},
        }
        for square in squares
    ]
    return {**flag(code, remedies=more), "remedies": offers + [{"open": True}] * more}


def test_a_square_that_is_asked_about_twice_is_one_question():
    """What is counted is what is listed: one answer settles both."""
    turns = [
        {
            "number": 1,
            "flags": [
                asking("uncertain_square", "8E", "8F"),
                asking("face_down", "8E"),
                asking("misoriented_tile", "8F", more=1),
            ],
        }
    ]
    found = concerns({"turns": turns, "flags": []})
    assert [one.code for one in found] == ["uncertain_square", "misoriented_tile"]


def test_a_question_that_can_no_longer_be_answered_needs_nobody():
    turns = [{"number": 1, "flags": [flag("challenge_unclear", open_=False)]}]
    assert concerns({"turns": turns, "flags": [flag("clock_stopped", open_=False)]}) == []
    unanswerable = [flag("blank_undesignated", remedies=0)]
    assert [one.level for one in concerns({"turns": [], "flags": unanswerable})] == ["question"]


def test_a_question_counts_for_the_player_whose_turn_its_answer_changes():
    """A tile of turn 1 that could be read only in turn 2 scores for whoever laid it."""
    turns = [
        {"number": 1, "side": "left", "flags": []},
        {"number": 2, "side": "right", "flags": [{**asking("uncertain_square", "8H"), "turn": 1}]},
        {"number": 3, "side": "left", "flags": [flag("uncertain_square")]},
    ]
    found = concerns({"turns": turns, "flags": []})
    assert [(one.turn, one.side) for one in found] == [(3, "left"), (2, "left")]
    assert [one.about for one in found] == [3, 1]
