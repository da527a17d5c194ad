"""Refusals of the library: one line that names the thing and the remedy, and nothing changes."""

from __future__ import annotations

import pytest

from game import Game, TilewatchError, check_gcg, events, read_gcg

SECOND = 10**9


def a_game(rulebook: str = "wespa-2021") -> Game:
    """Ann has played CAT, and Bob is on turn."""
    one = Game("Ann", "Bob", rulebook=rulebook)
    one.play("8G", "CAT")
    return one


def penalty(one: Game, **fields: object) -> events.Event:
    own = {"side": "left", "points": 5, "rule": None, "by": "TD", "why": "", "t_ns": one.now_ns}
    return events.PenaltyAdded(**{**own, **fields})


REFUSED = [
    (lambda one: one.play("12H", None), "word: None is not a text"),
    (lambda one: one.play(8, "CAT"), "position: 8 is not a square"),
    (lambda one: one.play("12H", "S[CH]"), r"'\[CH\]' is not a tile of the English set"),
    (lambda one: one.play("12H", "S[XX]"), r"'\[XX\]' is not a tile of the English set"),
    (lambda one: one.challenge(succeeds=False, words="TREE"), "words: 'TREE' is not a number"),
    (lambda one: one.challenge(succeeds="no"), "succeeds: 'no' is not True or False"),
    (lambda one: one.challenge(succeeds=None), "succeeds: None is not True or False"),
    (lambda one: one.wait("5"), "wait: '5' is not a number of seconds"),
    (lambda one: one.wait(True), "wait: True is not a number"),
    (lambda one: one.wait(10**9), "1000000000 seconds: give 0 or more, and less than 1000000000"),
    (lambda one: one.wait(-1), "-1 seconds: give 0 or more"),
    (lambda one: one.wait(float("nan")), "nan seconds: give 0 or more"),
    (lambda one: one.exchange(None), "tiles exchanged: None is not tiles"),
    (lambda one: one.exchange(True), "tiles exchanged: True is not tiles"),
    (lambda one: one.end("ABC"), "racks: 'ABC' is not tiles by name"),
    (lambda one: one.end({"Bob": None}), "the rack of Bob: None is not a text"),
    (lambda one: one.legal_remedies("x"), "legal_remedies: 'x' is not one of game.flags"),
    (lambda one: one.take("x"), r"take: 'x' is not one of game.legal_remedies\(flag\)"),
    (lambda one: one.record(penalty(one, side="Ann")), r"give game.side\('Ann'\).* 'left'"),
    (lambda one: one.record(penalty(one, points=10.5)), "PenaltyAdded.points: 10.5 .*whole number"),
    (
        lambda one: one.record(
            events.SquareCorrected(1, "8G", "WW", by="TD", why="", t_ns=one.now_ns)
        ),
        "'WW' is not a symbol: it is a letter, in lower case for a blank",
    ),
    (
        lambda one: one.record(penalty(one, t_ns=-5)),
        r"t_ns: -5 is before the game began \(0\); now is game.now_ns",
    ),
    (
        lambda one: one.record(events.ButtonPressed("right", -1)),
        r"ButtonPressed.t_ns: -1 is before the game began \(0\)",
    ),
    (
        lambda one: one.record(events.GameForfeited("left", "overtime", "TD", "", t_ns=one.now_ns)),
        "Ann has not passed the limit on overtime: the clock shows 24:59; correct the clock",
    ),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_cannot_be_is_refused_in_one_line_and_changes_nothing(call, message):
    one = a_game()
    before = one.state, one.events, one.now_ns
    with pytest.raises(TilewatchError, match=message) as why:
        call(one)
    assert str(why.value).isprintable()
    assert (one.state, one.events, one.now_ns) == before
    assert all(ord(letter) < 0x2C00 for letter in str(why.value))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Game.from_gcg(None), "GCG: None is not a file"),
        (lambda: check_gcg(5), "GCG: 5 is not a file"),
        (lambda: read_gcg("hello"), "hello.*No such file.*the text of a record begins with # or >"),
        (lambda: read_gcg("a\0b"), "the text of a record begins with # or >"),
        (lambda: Game.from_cgp(None), "None is not a line of CGP"),
        (lambda: Game.from_events(None), "from_events: None is not a list of events"),
        (lambda: Game(None, "Bob"), "players: None is not a name"),
        (lambda: Game(rulebook=None), "rulebook: None is not the id"),
        (lambda: Game(tile_set=["english"]), "tile_set: .* is not the id"),
        (lambda: Game(announced="x"), "announced: 'x' is not values by name"),
    ],
)
def test_no_game_is_made_of_what_is_none(make, message):
    with pytest.raises(TilewatchError, match=message):
        make()


def forfeited(one: Game) -> None:
    one.record(events.GameForfeited("left", "resigned", "TD", "", one.now_ns))


def lost_on_time(one: Game) -> None:
    one.wait(40 * 60)


def scoreless(one: Game) -> None:
    for _ in range(6):
        one.pass_turn()


@pytest.mark.parametrize(
    ("ends", "why"),
    [
        (lambda one: one.end(), r"it was ended after turn 1 \(agreed\)"),
        (forfeited, r"Ann forfeited it after turn 1 \(resigned\)"),
        (lost_on_time, "Bob passed the limit on overtime after turn 1"),
        (scoreless, "turn 7 made 6 scoreless turns in a row"),
    ],
)
def test_the_game_is_over_says_by_what(ends, why):
    one = a_game()
    ends(one)
    with pytest.raises(TilewatchError, match=rf"the game is over: {why}; undo\(\) takes"):
        one.pass_turn()


def test_a_game_that_was_forfeited_is_not_ended_again():
    one = a_game()
    forfeited(one)
    with pytest.raises(
        TilewatchError, match=r"already been ended: Ann forfeited .*; undo\(\) takes"
    ) as why:
        one.end()
    assert "forfeit_" not in str(why.value)


def test_there_is_no_play_to_challenge_says_what_there_is():
    one = a_game()
    one.pass_turn()
    with pytest.raises(TilewatchError, match="turn 2 is 'pass'"):
        one.challenge(succeeds=True)
    with pytest.raises(TilewatchError, match="nothing has been played"):
        Game().challenge(succeeds=True)


def test_nobody_has_won_while_a_rack_is_needed_and_it_can_be_given_later():
    one = a_game("naspa-2017")
    scoreless(one)
    one.end({"Ann": "EEEEEEE"})
    assert (one.is_over, one.winner, one.outcome) == (True, None, None)
    assert "rack_unknown" in [flag.code for flag in one.flags]
    with pytest.raises(TilewatchError, match=r"already been ended.* needs a rack: give it by name"):
        one.end()
    assert one.end({"Bob": "AAAAAAA"})["Bob"] < 0
    assert one.winner == "Ann"
    assert "rack_unknown" not in [flag.code for flag in one.flags]
    with pytest.raises(TilewatchError, match="already been ended"):
        one.end({"Bob": "AAAAAAA"})


def test_a_rack_that_counts_nothing_is_refused_and_the_game_goes_on():
    one = a_game()
    with pytest.raises(TilewatchError, match=r"counts no racks where the game ends so .*shortened"):
        one.end({"Bob": "AEIOUST"})
    assert (one.is_over, one.on_turn) == (False, "Bob")
    one.end()
    assert one.winner == "Ann"


def test_tiles_that_lay_on_the_board_are_not_exchanged():
    one = Game("Ann", "Bob")
    one.play("8D", "QUIET")
    with pytest.raises(TilewatchError, match="has 1 Q, and no Q off the board"):
        one.exchange("Q")
    assert one.exchange("u?").exchanged == "U?"


def test_no_more_of_a_letter_is_exchanged_than_the_set_has():
    with pytest.raises(TilewatchError, match="the English set has 1 Q"):
        Game().exchange("QQ")


def test_the_limit_on_overtime_counts_at_once_whatever_lets_the_time_pass():
    one = a_game()
    one.record(penalty(one, t_ns=10_000 * SECOND))
    assert (one.is_over, one.winner) == (True, "Ann")
    with pytest.raises(TilewatchError, match="Bob passed the limit on overtime"):
        one.play("9G", "ON")
    less = a_game()
    less.wait(20 * 60)
    less.record(events.ClockAdjusted("right", -16 * 60 * SECOND, None, "TD", "", less.now_ns))
    assert (less.is_over, less.winner) == (True, "Ann")
    less.undo()
    assert not less.is_over


def test_a_press_and_a_turn_are_on_record_once():
    one = a_game()
    one.play("9G", "ON")
    *_, press, turn = one.events
    assert (type(press), type(turn)) == (events.ButtonPressed, events.TurnSeen)
    for event in (press, turn):
        with pytest.raises(TilewatchError, match="was recorded already, as event"):
            one.record(event)
    assert len(one.turns) == 2
