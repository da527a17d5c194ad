"""Questions how tiles were parted into turns: each reading in words, and one answer takes it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from game.adjudication.remedies import offers
from game.board import Board, Square
from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    Finding,
    GameStarted,
    PlayMade,
    PlaysAssigned,
    Retracted,
    SquareCorrected,
    TilesChanged,
    TurnReading,
    TurnSeen,
    from_payload,
    to_payload,
)
from game.state.fold import apply, fold

from .gamekit import SECOND, Table

CAT = {"8G": "C", "8H": "A", "8I": "T"}
SO = {"8J": "S", "8K": "O"}
DOG = {"9G": "A", "10G": "R", "11G": "E"}
ASKED = (Finding("turn_inferred"),)
LATER = 10**15


def play_made(side, tiles, second, **more):
    return PlayMade(side, tiles, second * SECOND, **more)


def table_with(*plays, clock=False):
    """A table at which plays were seen: (side, tiles, second) and what else is in the event."""
    table = Table()
    if not clock:
        names = {"left": "Ann Lee", "right": "Bo"}
        start = GameStarted("g1", names, "wespa-2021", "english", "left", 0, hands=HANDS)
        table.events, table.state = [], None
        table.put(start)
    board = table.board
    for side, tiles, second, more in plays:
        board = board.replace({Square.parse(name): tile for name, tile in tiles.items()})
        if clock:
            table.put(ButtonPressed(side, second * SECOND))
        table.put(TurnSeen(side, second * SECOND, board.rows, **more))
    return table


HANDS = {"left": "bottom", "right": "top"}
SEEN = {"ended": "opponent_placed"}
TWO_OR_ONE = (
    TurnReading((play_made("left", CAT, 10), play_made("right", SO, 20)), going_on=True),
    TurnReading((play_made("left", CAT | SO, 20),), going_on=True),
)


TWO_TURNS = (
    (
        *("left", CAT, 10),
        {
            "findings": ASKED,
            "readings": (
                TurnReading((play_made("left", CAT, 10),)),
                TurnReading((play_made("left", CAT, 10),), going_on=True),
            ),
        },
    ),
    ("right", SO, 20, {}),
)


def question_of(state, number=1):
    (flag,) = [one for one in state.turns[number - 1].flags if one.code == "turn_inferred"]
    return flag


def answers_of(state, number=1):
    turn = state.turns[number - 1]
    return offers(state, turn, question_of(state, number))


def press(state, offer):
    """The state after somebody pressed the offer."""
    return apply(state, from_payload(dict(offer.event) | {"by": "TD", "t_ns": LATER}))


def plays(state):
    return [(one.side, one.word, sorted(one.tiles)) for one in state.turns]


def two_or_one(*later):
    asked = ("left", CAT, 10, SEEN | {"findings": ASKED, "readings": TWO_OR_ONE})
    return table_with(asked, *later)


def test_both_readings_are_named_with_words_places_and_players():
    state = two_or_one().state
    assert question_of(state).message == (
        "Which is right: CAT at 8G by Ann Lee, then CATSO at 8G by Bo; or "
        "CATSO at 8G by Ann Lee, in one play?"
    )
    assert [one.text for one in answers_of(state)] == [
        "CAT at 8G by Ann Lee, then CATSO at 8G by Bo (as it counts now)",
        "CATSO at 8G by Ann Lee, in one play",
    ]


@pytest.mark.parametrize("later", [(), (("right", SO, 20, SEEN),)])
def test_one_play_and_no_second(later):
    state = two_or_one(*later).state
    stands, other = answers_of(state)
    assert stands.text.endswith("(as it counts now)")
    kept = press(state, stands)
    assert plays(kept) == plays(state)
    assert kept.turns[0].flags == ()
    merged = press(state, other)
    assert [(one.side, sorted(one.tiles)) for one in merged.turns] == [
        ("left", sorted(CAT | SO)),
    ]
    assert not [one for one in merged.turns[0].flags if one.code == "turn_inferred"]


def test_an_answer_is_undone():
    state = two_or_one(("right", SO, 20, SEEN)).state
    _, other = answers_of(state)
    answered = press(state, other)
    number = len(answered.progress.events)
    back = apply(answered, Retracted(number, "TD", "wrong", LATER + 1))
    assert back.turns == state.turns


def test_the_question_stays_until_it_is_answered():
    later = [("right", SO, 20, SEEN), ("left", DOG, 30, SEEN)]
    assert question_of(two_or_one(*later).state).settled is None


def test_the_other_player():
    ways = (TurnReading((play_made("left", CAT, 10),)), TurnReading((play_made("right", CAT, 10),)))
    asked = ("left", CAT, 10, SEEN | {"findings": ASKED, "readings": ways})
    state = table_with(asked).state
    _, other = answers_of(state)
    assert other.text == "CAT at 8G by Bo"
    assert plays(press(state, other)) == [("right", "CAT", sorted(CAT))]


def test_one_play_split_in_two():
    ways = (
        TurnReading((play_made("left", CAT | SO, 20),)),
        TurnReading((play_made("left", CAT, 10), play_made("right", SO, 20))),
    )
    asked = ("left", CAT | SO, 20, {"findings": ASKED, "readings": ways})
    state = table_with(asked, clock=True).state
    _, other = answers_of(state)
    parted = press(state, other)
    assert [(t.side, sorted(t.tiles)) for t in parted.turns] == [
        ("left", sorted(CAT)),
        ("right", sorted(SO)),
    ]
    assert [t.press_ns for t in parted.turns] == [10 * SECOND, 20 * SECOND]
    assert [t.clock_ns for t in parted.turns][1] is not None
    assert not {f.code for t in parted.turns for f in t.flags} & {"turn_inferred"}
    assert [t.pressed for t in parted.turns] == [False, True]


@pytest.mark.parametrize("button", ["left", "right"])
def test_a_play_that_ended_at_its_players_press_was_pressed(button):
    table = table_with(("left", CAT | SO, 20, {"ended": "opponent_placed"}), clock=True)
    heard = ButtonPressed(button, 10 * SECOND)
    pressed = fold([*table.events[:1], heard, *table.events[1:]])
    plays = (play_made("left", CAT, 10), play_made("right", SO, 20))
    assigned = apply(pressed, PlaysAssigned(1, 1, plays, "TD", "seen", LATER))
    assert [t.pressed for t in assigned.turns] == [button == "left", False]


def test_a_tile_of_the_other_turn():
    own, rest = {"8G": "C", "8H": "A"}, {"8I": "T"} | SO
    ways = (
        TurnReading((play_made("left", CAT, 10), play_made("right", SO, 20)), going_on=True),
        TurnReading((play_made("left", own, 10), play_made("right", rest, 20)), going_on=True),
    )
    asked = ("left", CAT, 10, SEEN | {"findings": ASKED, "readings": ways})
    state = table_with(asked, ("right", SO, 20, SEEN)).state
    _, other = answers_of(state)
    changed = press(state, other)
    assert [sorted(t.tiles) for t in changed.turns] == [sorted(own), sorted(rest)]


DOWN = {"9G": "A", "10G": "R"}
S_LATE = {"8J": "S"}


def added_or_not(*, added: bool, last: bool = False):
    """CAT; an S beside it that came after the press; and CAR down, by the other player.

    ``added`` is how it counts: as added to CAT, or as a tile of the second play.
    """
    ways = [
        TurnReading((play_made("left", CAT, 10, added=S_LATE), play_made("right", DOWN, 20)), 1),
        TurnReading((play_made("left", CAT, 10), play_made("right", S_LATE | DOWN, 20)), 1),
    ]
    table = table_with(("left", CAT, 10, {}), clock=True)
    board = table.state.board.replace({Square.parse("8J"): "S"})
    if added:
        table.put(TilesChanged(1, board.rows, 12 * SECOND, {}, 12 * SECOND))
    table.put(ButtonPressed("right", 20 * SECOND))
    rows = board.replace({Square.parse(name): tile for name, tile in DOWN.items()}).rows
    more = {"findings": ASKED, "readings": tuple(ways if added else ways[::-1])}
    table.put(TurnSeen("right", 20 * SECOND, rows, **more))
    if last:
        later = Board.from_rows(rows).replace({Square.parse("11G"): "E"})
        table.put(ButtonPressed("left", 30 * SECOND))
        table.put(TurnSeen("left", 30 * SECOND, later.rows))
    return table.state


def tiles_and_changes(state):
    """The tiles of each turn, and the squares that changed after its press."""
    return [
        (
            sorted(t.tiles),
            [s for f in t.flags if f.code == "changed_after_press" for s in f.squares],
        )
        for t in state.turns[:2]
    ]


COUNTS = {True: [(sorted(CAT), ["8J"]), (sorted(DOWN), [])]}
COUNTS[False] = [(sorted(CAT), []), (sorted(S_LATE | DOWN), [])]


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("added", [False, True])
def test_a_tile_that_was_added_to_a_play_after_its_press(added, last):
    state = added_or_not(added=added, last=last)
    assert tiles_and_changes(state) == COUNTS[added]
    ways = [
        "CAT at 8G by Ann Lee, who made it CATS at 8G after the press, then CAR at G8 by Bo",
        "CAT at 8G by Ann Lee, then CAR at G8 and CATS at 8G by Bo",
    ]
    ways = ways if added else ways[::-1]
    assert question_of(state, 2).message == f"Which is right: {'; or '.join(ways)}?"
    stands, other = answers_of(state, 2)
    assert [one.text for one in (stands, other)] == [f"{ways[0]} (as it counts now)", ways[1]]
    assert tiles_and_changes(press(state, stands)) == COUNTS[added]
    answered = press(state, other)
    assert tiles_and_changes(answered) == COUNTS[not added]
    assert answered.board == state.board
    assert answered.turns[0].score == state.turns[0].score


def test_a_turn_with_a_tile_that_was_corrected_keeps_the_correction():
    table = two_or_one(("right", SO, 20, SEEN))
    table.put(SquareCorrected(2, "8K", "X", "TD", "seen", LATER))
    _, other = answers_of(table.state)
    merged = press(table.state, other)
    assert merged.turns[0].tiles["8K"] == "X"


def test_a_pass_that_was_not_made():
    more = {"findings": ASKED, "ended": "player_placed_again"}
    table = table_with(("left", CAT, 10, SEEN), ("right", {}, 20, more), ("left", SO, 20, SEEN))
    state = table.state
    assert question_of(state, 2).message == (
        "Bo laid no tile, and Ann Lee played again: was it a pass or an exchange, or no turn of "
        "Bo's?"
    )
    passed, exchange, one_play, whose = answers_of(state, 2)
    assert [press(state, one).turns[1].kind for one in (passed, exchange)] == ["pass", "exchange"]
    assert [(t.side, sorted(t.tiles)) for t in press(state, one_play).turns] == [
        ("left", sorted(CAT | SO))
    ]
    assert [(t.side, sorted(t.tiles)) for t in press(state, whose).turns] == [
        ("left", sorted(CAT)),
        ("right", sorted(SO)),
    ]
    for one in (passed, exchange, one_play, whose):
        flags = [flag for turn in press(state, one).turns for flag in turn.flags]
        assert not [f for f in flags if f.code == "turn_inferred" and f.settled is None]


def test_a_play_that_was_tried_out_or_challenged_off():
    tried = play_made("left", {"8F": "D", "8G": "O", "8H": "G"}, 5, came_off=True)
    ways = (
        TurnReading((play_made("left", CAT, 10),)),
        TurnReading((tried, play_made("right", CAT, 10))),
    )
    asked = ("left", CAT, 10, SEEN | {"findings": ASKED, "readings": ways})
    state = table_with(asked).state
    _, other = answers_of(state)
    assert other.text == "DOG at 8F by Ann Lee, challenged off, then CAT at 8G by Bo"
    off = press(state, other)
    assert [(t.side, t.kind, t.word) for t in off.turns] == [
        ("left", "challenge_upheld", "DOG"),
        ("right", "play", "CAT"),
    ]
    assert off.scores["left"] == 0
    assert not off.turns[1].flags


def test_a_press_that_may_have_ended_no_turn():
    ways = (
        TurnReading((play_made("left", CAT, 10),)),
        TurnReading((play_made("left", CAT, 10),), going_on=True),
    )
    table = table_with(("left", CAT, 10, {"findings": ASKED, "readings": ways}), clock=True)
    state = table.state
    assert question_of(state).message == (
        "Which is right: CAT at 8G by Ann Lee; or CAT at 8G by Ann Lee, whose turn goes on?"
    )
    stands, going_on = answers_of(state)
    assert press(state, stands).turns[0].kind == "play"
    undone = press(state, going_on)
    assert undone.turns[0].kind == "undone"
    assert undone.on_turn == "left"
    assert not [f for f in undone.turns[0].flags if f.code == "turn_inferred" and not f.settled]
    assert len(answers_of(table_with(*TWO_TURNS, clock=True).state)) == 1


def test_tiles_that_are_not_in_one_line_are_named_by_their_words():
    down = {"9I": "O", "9J": "N"}
    ways = (
        TurnReading((play_made("left", CAT | down, 10),)),
        TurnReading((play_made("left", CAT, 5), play_made("right", down, 10))),
    )
    asked = ("left", CAT | down, 10, SEEN | {"findings": ASKED, "readings": ways})
    assert [one.text for one in answers_of(table_with(asked).state)] == [
        "CAT at 8G and ON at 9I by Ann Lee, in one play (as it counts now)",
        "CAT at 8G by Ann Lee, then ON at 9I by Bo",
    ]


def test_plays_that_cannot_be_are_refused():
    state = two_or_one().state
    good = PlaysAssigned(1, 1, (play_made("left", CAT, 10),), "TD", "seen", LATER)
    cases = {
        "no turn 2": replace(good, turns=2),
        "must end when turn 1 did": replace(good, plays=(play_made("left", CAT, 9),)),
        "two plays have a tile on 8G": replace(
            good, plays=(play_made("left", CAT, 5), play_made("right", CAT, 10))
        ),
        "at least one play": replace(good, plays=()),
        "a play ended before an earlier one": replace(
            good, plays=(play_made("left", CAT, 11), play_made("right", SO, 10))
        ),
    }
    for refused, event in cases.items():
        with pytest.raises(TilewatchError, match=refused):
            apply(state, event)


def test_a_reading_is_stored_and_read_back():
    table = two_or_one(("right", SO, 20, SEEN))
    _, other = answers_of(table.state)
    payloads = [to_payload(event) for event in table.events]
    state = fold(map(from_payload, payloads))
    assert state.turns == table.state.turns
    assert press(state, other).turns[0].flags == press(table.state, other).turns[0].flags


GOES_ON = {"8J": "S"}
JOINED = {"8J": "S", "8K": "O", "8L": "N"}


def test_a_play_that_went_on_is_one_with_what_was_recorded_of_it():
    """The word was half laid when it was asked how the turn before had been parted."""
    ways = (
        TurnReading(
            (play_made("left", CAT | {"9G": "A"}, 10), play_made("right", GOES_ON, 15)), 0, True
        ),
        TurnReading(
            (
                play_made("left", CAT, 6),
                play_made("right", {"9G": "A"}, 8),
                play_made("left", {"10G": "R"}, 10),
                play_made("right", GOES_ON, 15),
            ),
            0,
            going_on=True,
        ),
    )
    tiles = CAT | {"9G": "A", "10G": "R"}
    asked = ("left", tiles, 10, {"findings": ASKED, "readings": ways})
    state = table_with(asked, ("right", JOINED, 20, {}), ("left", {"11G": "E"}, 30, {})).state
    *_, other = answers_of(state)
    assert other.text.endswith("then CATSON at 8G by Bo")
    parted = press(state, other)
    assert [(t.side, sorted(t.tiles)) for t in parted.turns] == [
        ("left", sorted(CAT)),
        ("right", ["9G"]),
        ("left", ["10G"]),
        ("right", sorted(JOINED)),
        ("left", ["11G"]),
    ]
    assert "changed_out_of_turn" not in {f.code for t in parted.turns for f in t.flags}


def test_what_was_recorded_since_is_told_as_it_was():
    """When it was asked, nothing had followed; and a play that goes on here is none in one line."""
    ways = (
        TurnReading((play_made("left", CAT, 10), play_made("right", {}, 20))),
        TurnReading((play_made("left", {}, 10), play_made("right", CAT, 15)), going_on=True),
    )
    asked = ("left", CAT, 10, {"findings": ASKED, "readings": ways})
    assert [one.text for one in answers_of(table_with(asked).state)] == [
        "CAT at 8G by Ann Lee, then no tile laid by Bo (as it counts now)",
        "no tile laid by Ann Lee, then CAT at 8G by Bo",
    ]
    later = table_with(asked, ("right", {"9I": "O", "9J": "N"}, 20, {})).state
    assert [one.text for one in answers_of(later)] == [
        "CAT at 8G by Ann Lee, then ON at 9I by Bo (as it counts now)"
    ]


def test_no_turn_without_tiles_is_told_twice():
    ways = (
        TurnReading((play_made("left", CAT, 10), play_made("right", SO, 20))),
        TurnReading(
            (
                play_made("left", {}, 5),
                play_made("right", SO | CAT, 10),
                play_made("left", {}, 15),
                play_made("right", {}, 20),
            )
        ),
    )
    asked = ("left", CAT, 10, {"findings": ASKED, "readings": ways})
    _, other = answers_of(table_with(asked, ("right", SO, 20, {})).state)
    assert other.text == (
        "no tile laid by Ann Lee, then CATSO at 8G by Bo, then no tile laid by Ann Lee, "
        "then no tile laid by Bo"
    )


def unread_before(*later):
    """A tile of the first turn could not be read until the third."""
    ways = (
        TurnReading((play_made("right", {"9G": "A"}, 20), play_made("left", {"8H": "A"}, 30)), 1),
        TurnReading((play_made("right", {"9G": "A"}, 20), play_made("left", {}, 30)), 1),
    )
    return table_with(
        ("left", CAT | {"8H": "~"}, 10, {}),
        ("right", {"9G": "A"}, 20, {}),
        ("left", {"8H": "A", "10G": "R"}, 30, {"findings": ASKED, "readings": ways}),
        *later,
    )


def test_a_tile_that_was_unread_before_is_no_hindrance_to_an_answer():
    state = unread_before().state
    for one in answers_of(state, 3):
        press(state, one)
    kept = press(state, answers_of(state, 3)[0])
    assert [(t.tiles, t.score) for t in kept.turns] == [(t.tiles, t.score) for t in state.turns]


def test_an_answer_that_cannot_be_entered_is_not_offered():
    """The tiles of the reading lay there before, so it is asked which ruling fits."""
    ways = (
        TurnReading((play_made("right", {"8H": "X"}, 20),)),
        TurnReading((play_made("left", {"8H": "X"}, 20),)),
    )
    asked = ("right", {"9G": "A"}, 20, {"findings": ASKED, "readings": ways})
    state = table_with(("left", CAT, 10, {}), asked).state
    offered = answers_of(state, 2)
    assert offered
    for one in offered:
        press(state, one)


BOTH_ORDERS = (
    TurnReading((play_made("left", CAT, 10), play_made("right", SO, 20)), 1),
    TurnReading((play_made("left", CAT | {"8J": "S"}, 10), play_made("right", {"8K": "O"}, 20)), 1),
)


def test_an_answer_that_changes_nothing_reopens_nothing():
    table = table_with(
        ("left", CAT, 10, {"findings": (Finding("uncertain_square", "8I", "may be T"),)}),
        ("right", SO, 20, {"findings": ASKED, "readings": BOTH_ORDERS}),
    )
    table.put(SquareCorrected(1, "8I", "R", "TD", "looked", LATER - 1))
    state = table.state
    stands, other = answers_of(state, 2)
    kept = press(state, stands)
    assert [what_counts(t) for t in kept.turns] == [what_counts(t) for t in state.turns]
    assert open_flags(kept) == open_flags(state) - {(2, "turn_inferred")}
    swapped = press(state, other)
    assert "uncertain_square" not in {code for _, code in open_flags(swapped)}


def test_a_correction_is_taken_back_after_the_answer_that_has_it():
    """The answer says which tile lay on each square; else taking it back would change nothing."""
    table = table_with(
        ("left", CAT, 10, {}), ("right", SO, 20, {"findings": ASKED, "readings": BOTH_ORDERS})
    )
    table.put(SquareCorrected(1, "8I", "R", "TD", "looked", LATER - 1))
    corrected = len(table.state.progress.events)
    for offer in answers_of(table.state, 2):
        answered = press(table.state, offer)
        with pytest.raises(TilewatchError, match=f"take back event {corrected + 1} first"):
            apply(answered, Retracted(corrected, "TD", "a slip", LATER + 1))
        undone = apply(answered, Retracted(corrected + 1, "TD", "a slip", LATER + 1))
        back = apply(undone, Retracted(corrected, "TD", "a slip", LATER + 2))
        assert back.turns[0].tiles["8I"] == "T"


def what_counts(turn):
    return turn.side, turn.kind, turn.tiles, turn.score, turn.total, turn.press_ns


def open_flags(state):
    return {(t.number, f.code) for t in state.turns for f in t.flags if f.settled is None}


def test_a_turn_in_which_nothing_was_laid_by_an_answer_is_a_pass_or_an_exchange():
    """Nobody had seen what was played in it; the answer says that it was nothing."""
    unseen = (Finding("uncertain_square"), *ASKED)
    ways = (
        TurnReading((play_made("right", SO, 20), play_made("left", DOG, 30)), 1),
        TurnReading((play_made("right", {}, 20), play_made("left", SO | DOG, 30)), 1),
    )
    state = table_with(
        ("left", CAT, 10, {}),
        ("right", SO, 20, {"lost": (), "findings": unseen[:1]}),
        ("left", DOG, 30, {"lost": (), "findings": unseen[1:], "readings": ways}),
    ).state
    _, other = answers_of(state, 3)
    assert [t.kind for t in press(state, other).turns] == ["play", "exchange_or_pass", "play"]


def test_plays_that_make_no_one_play_are_not_offered_as_one():
    apart = {"9I": "O", "9J": "N"}
    one_line = table_with(("left", CAT, 10, SEEN), ("right", SO, 20, {}), clock=True).state
    scattered = table_with(("left", CAT, 10, SEEN), ("right", apart, 20, {}), clock=True).state

    def joined(state):
        (flag,) = [one for one in state.turns[0].flags if one.code == "not_pressed"]
        found = offers(state, state.turns[0], flag)
        return [one.text for one in found if one.event and one.event["type"] == "TurnsJoined"]

    assert joined(one_line) == ["turns 1 and 2 were one: CATSO at 8G by Ann Lee, in one play"]
    assert joined(scattered) == []


def test_the_guesses_of_a_square_stand_with_that_square_alone():
    """Notes on other squares stay with those, and a bare square is no dot."""
    noted = (
        Finding("uncertain_square", "8H", "may be ., which is unlikely"),
        Finding("uncertain_square", "9I", "may be . 5%, I 2%"),
    )
    state = table_with(("left", CAT | {"8H": "~"}, 10, {"findings": noted})).state
    says = {one.squares: one.message for one in state.turns[0].flags}
    assert says["8H",].endswith("(may be nothing, which is unlikely).")
    assert says["9I",].endswith("9I (may be nothing 5%, I 2%).")
