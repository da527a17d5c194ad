"""Turns parted, inserted and joined: presses forgotten, left out, or made too often."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.adjudication.preview import between
from game.errors import TilewatchError
from game.events import (
    BoardSeen,
    ButtonPressed,
    ChallengeBonus,
    Finding,
    GameEnded,
    HoldCalled,
    PicturesKept,
    Retracted,
    SquareCorrected,
    StopExplained,
    TilesChanged,
    TurnInserted,
    TurnParted,
    TurnRuled,
    TurnSeen,
    TurnsJoined,
    from_payload,
    other,
    to_payload,
)
from game.rulebooks.loading import load_rulebook, rulebook_ids
from game.state.fold import apply, fold
from game.state.numbering import as_numbered_now, turns_named

from .gamekit import SECOND, Table, codes, random_game

BOOKS = st.sampled_from(rulebook_ids())
seeds = st.integers(0, 2**32)
few = settings(max_examples=40, deadline=None)


def forgotten(rulebook: str = "wespa-2007") -> Table:
    """Left plays CAT; left and right play on without a press; right's own press is ignored."""
    table = Table(rulebook=rulebook)
    table.play("8G", "CAT")  # turn 1, left
    table.now += 20 * SECOND
    table.board = table.board.replace(_tiles("7I", "SO"))  # right plays, and forgets to press
    table.forgot = table.now
    table.now += 20 * SECOND
    table.board = table.board.replace(_tiles("9G", "AR"))  # left plays
    table.put(ButtonPressed("left", table.now))  # left's press: right's clock runs already
    table.now += 20 * SECOND
    table.board = table.board.replace(_tiles("10F", "BE"))  # right plays and presses
    table.see()
    table.play("11E", "HM")  # left
    return table


def _tiles(where: str, word: str) -> dict:
    from game.board import parse_position

    square, across = parse_position(where)
    return {square.step(across, i): c for i, c in enumerate(word)}


def part(table: Table, turn: int, squares: tuple[str, ...], side: str, t_ns: int, **more) -> None:
    event = TurnParted(turn, squares, side, t_ns, "TD", "forgotten", table.now, **more)
    table.put(event)


def lines(state) -> list[tuple]:
    return [(t.number, t.side, t.kind, t.word, t.score, t.total) for t in state.turns]


def test_two_forgotten_presses_make_one_turn_of_three_and_parting_it_twice_puts_it_right():
    table = forgotten()
    assert [(t.side, len(t.tiles)) for t in table.state.turns] == [
        ("left", 3),
        ("right", 6),
        ("left", 2),
    ]
    part(table, 2, ("7I", "7J"), "right", table.forgot)
    part(table, 3, ("9G", "9H"), "left", table.forgot + 20 * SECOND)
    played = Table()
    for where, word in (("8G", "CAT"), ("7I", "SO"), ("9G", "AR"), ("10F", "BE"), ("11E", "HM")):
        played.play(where, word)
    assert lines(table.state) == lines(played.state)
    assert table.state.scores == played.state.scores
    assert table.state.board == played.state.board
    assert (table.state.bag_count, table.state.racks) == (
        played.state.bag_count,
        played.state.racks,
    )
    assert table.state.on_turn == played.state.on_turn == "right"
    assert codes(table.state.turns[1]) == ["not_pressed"]
    assert [t.press_ns for t in table.state.turns] == sorted(t.press_ns for t in table.state.turns)


def test_a_part_has_the_clocks_of_the_presses_as_nobody_pressed():
    table = forgotten()
    before = table.state.clocks
    part(table, 2, ("7I", "7J"), "right", table.forgot)
    assert table.state.clocks == before
    first, second = table.state.turns[1:3]
    # Right's clock ran from the press of turn 1, 20 s by the time right's turn was over.
    assert first.clock_ns == table.state.rulebook.clock_ns - 20 * SECOND
    # Left's time was never taken: it is what it was after turn 1.
    assert second.clock_ns == table.state.turns[0].clock_ns


def test_what_was_said_of_later_turns_stays_with_them_and_each_can_be_taken_back():
    table = forgotten()
    table.put(SquareCorrected(3, "11E", "N", "TD", "", table.now))
    table.put(StopExplained(3, "score", "TD", "", table.now))
    table.put(PicturesKept(3, (), table.now))
    kept = len(table.events)
    before = table.state
    part(table, 2, ("7I", "7J"), "right", table.forgot)
    parted = len(table.events)
    assert table.state.turns[3].word == "NM"
    assert table.state.progress.ledger.rulings_for(4).stop_reason == "score"
    assert turns_named(table.state, kept, table.events[kept - 1]) == (4,)
    assert as_numbered_now(table.state, kept, table.events[kept - 1]).turn == 4
    table.put(TurnRuled(4, "no_score", "TD", "", table.now))
    ruled = len(table.events)
    assert table.state.turns[3].kind == "no_score"
    table.put(Retracted(parted, "TD", "it was one", table.now))
    assert table.state.turns[2].kind == "no_score"
    assert len(table.state.turns) == 3
    table.put(Retracted(ruled, "TD", "", table.now))
    assert table.state == before


def test_taking_back_what_a_later_word_rests_on_is_refused_in_a_line_that_names_it():
    table = forgotten()
    part(table, 2, ("7I", "7J"), "right", table.forgot)
    parted = len(table.events)
    table.put(TurnRuled(2, "no_score", "TD", "", table.now))
    with pytest.raises(TilewatchError, match=f"take back event {parted + 1} first"):
        table.put(Retracted(parted, "TD", "", table.now))


def test_what_the_camera_saw_of_a_part_is_seen_of_the_whole_again():
    table = Table()
    table.play("8G", "CAT")
    table.play("9G", "ARSO")
    part(table, 2, ("9G", "9H"), "right", table.state.turns[1].press_ns - SECOND)
    parted = len(table.events)
    gone = table.board.replace(dict.fromkeys(_tiles("9I", "SO"), "."))
    table.put(TilesChanged(3, gone.rows, table.now, {}, table.now))
    assert table.state.turns[2].flags[-1].code in ("changed_after_press", "challenge_unclear")
    table.put(Retracted(parted, "TD", "", table.now))
    assert len(table.state.turns) == 2
    assert "changed_after_press" in codes(table.state.turns[1])


def test_an_inserted_pass_gives_the_turn_to_the_right_player():
    table = Table()
    table.play("8G", "CAT")
    at = table.now + 5 * SECOND
    table.side = "left"
    table.put(ButtonPressed("left", table.now + SECOND))
    table.put(ButtonPressed("right", at))  # right passes and is not seen to
    table.now += 10 * SECOND
    table.put(ButtonPressed("left", table.now))
    table.board = table.board.replace(_tiles("9G", "AR"))
    table.put(TurnSeen("left", table.now, table.board.rows))
    assert "changed_out_of_turn" in codes(table.state.turns[1])
    table.put(TurnInserted(2, "right", {}, at, "TD", "right passed", table.now))
    assert [t.side for t in table.state.turns] == ["left", "right", "left"]
    assert "changed_out_of_turn" not in codes(table.state.turns[2])
    assert table.state.on_turn == "right"
    table.put(TurnRuled(2, "pass", "TD", "", table.now))
    assert table.state.turns[1].kind == "pass"


def test_tiles_of_an_inserted_turn_are_its_own_and_no_later_turns():
    table = forgotten()
    table.put(TurnInserted(2, "right", {"7I": "S", "7J": "O"}, table.forgot, "TD", "", table.now))
    assert [len(t.tiles) for t in table.state.turns] == [3, 2, 4, 2]
    with pytest.raises(TilewatchError, match="a tile lay on 8H before turn 3"):
        table.put(TurnInserted(3, "left", {"8H": "A"}, table.forgot, "TD", "", table.now))


def test_a_press_too_many_is_joined_away():
    table = Table()
    table.play("8G", "CAT")
    table.play("9G", "AR")  # right pressed by mistake, and goes on
    table.nothing()  # left presses right's clock on again
    table.lay("9I=S")  # the rest of right's play
    played = Table()
    played.play("8G", "CAT")
    played.play("9G", "ARS")
    for _ in range(2):
        table.put(TurnsJoined(2, "right", "TD", "a press too many", table.now))
    assert lines(table.state) == lines(played.state)
    assert table.state.on_turn == "left"


def test_turns_tiles_and_times_that_cannot_be_are_refused():
    table = forgotten()
    for squares, t_ns, match in (
        (("8G",), table.forgot, "laid no tile on 8G"),
        (("7I",), 0, "before turn 1 did"),
        (("7I",), table.now * 2, "after turn 2 did"),
    ):
        with pytest.raises(TilewatchError, match=match):
            part(table, 2, squares, "right", t_ns)
    with pytest.raises(TilewatchError, match="no turn 9"):
        part(table, 9, ("7I",), "right", table.forgot)
    with pytest.raises(TilewatchError, match="no turn 4"):
        table.put(TurnsJoined(3, "left", "TD", "", table.now))
    with pytest.raises(TilewatchError, match="is not from 1 to 4"):
        table.put(TurnInserted(5, "left", {}, table.now, "TD", "", table.now))


ENDINGS = {
    "naspa-2017": ("drawing", "IV.G.2.a"),
    "psa": ("hand_in_bag", "3.4.3"),
    "sanspa-2001": ("hand_in_bag", "7.2"),
    "sanspa-1999": ("score_written", "7.2"),
}


@pytest.mark.parametrize("book", rulebook_ids())
def test_a_turn_ends_otherwise_than_by_a_press_only_where_the_rulebook_has_it(book):
    ending, rule = ENDINGS.get(book, ("hand_in_bag", ""))
    table = forgotten(book)
    if ending not in load_rulebook(book).turn_ends:
        with pytest.raises(TilewatchError, match=f"under {book} no turn ends by 'hand_in_bag'"):
            part(table, 2, ("7I", "7J"), "right", table.forgot, ended=ending)
        return
    part(table, 2, ("7I", "7J"), "right", table.forgot, ended=ending)
    flag = next(f for f in table.state.turns[1].flags if f.code == "not_pressed")
    assert rule in flag.rule


def test_a_finding_goes_to_the_part_that_laid_the_tile():
    table = Table()
    table.play("8G", "CAT")
    found = tuple(Finding("uncertain_square", name) for name in ("9G", "9I"))
    table.play("9G", "ARS", found)
    part(table, 2, ("9G", "9H"), "right", table.now - SECOND)
    assert [t.seen.findings for t in table.state.turns[1:]] == [(found[0],), (found[1],)]


def test_a_preview_of_parting_shows_only_the_turns_that_change():
    table = forgotten()
    event = TurnParted(2, ("7I", "7J"), "right", table.forgot, "TD", "", table.now)
    found = between(table.state, apply(table.state, event))
    assert [turn.number for turn in found.turns] == [2, 3, 4]
    whole, part_, later = found.turns
    assert whole.before["tiles"] == part_.before["tiles"] == table.state.turns[1].tiles
    assert list(later.after) == ["total"]


# Properties.


def random_part(table: Table, pick) -> TurnParted | None:
    """A turn of several tiles parted at random."""
    plays = [turn for turn in table.state.turns if len(turn.tiles) > 1]
    if not plays:
        return None
    turn = pick(plays)
    names = list(turn.tiles)
    first = tuple(names[: pick(range(1, len(names)))])
    before = table.state.turns[turn.number - 2].press_ns if turn.number > 1 else 0
    at = (before + turn.press_ns) // 2
    return TurnParted(turn.number, first, pick(["left", "right"]), at, "TD", "test", table.now)


def under(table: Table, book: str) -> list:
    return [replace(table.events[0], rulebook=book), *table.events[1:]]


def test_parting_the_last_turn_and_joining_it_restores_the_clocks_at_the_end():
    table = random_game(13320)
    table.state = fold(under(table, "naspa-2017"))
    last = table.state.turns[-1]
    at = last.press_ns - 15 * SECOND
    event = TurnParted(last.number, tuple(last.tiles)[:1], "left", at, "TD", "", table.now)
    joined = TurnsJoined(last.number, last.side, "TD", "", table.now)
    assert apply(apply(table.state, event), joined) == table.state


@few
@given(seeds, BOOKS, st.randoms(use_true_random=False))
def test_parting_and_joining_is_the_identity(seed, book, rng):
    table = random_game(seed)
    table.state = fold(under(table, book))
    event = random_part(table, rng.choice)
    if event is None:
        return
    side = table.state.turns[event.turn - 1].side
    parted = apply(table.state, event)
    joined = apply(parted, TurnsJoined(event.turn, side, "TD", "test", table.now))
    assert joined == table.state


@few
@given(seeds, BOOKS, st.randoms(use_true_random=False))
def test_retracting_restores_the_state_and_later_totals_are_the_sums_of_the_turns(seed, book, rng):
    table = random_game(seed)
    state = fold(under(table, book))
    steps = [state]
    for _ in range(rng.randint(1, 4)):
        table.state = state
        last = len(state.turns)
        event = rng.choice(
            [
                random_part(table, rng.choice),
                TurnInserted(last + 1, "left", {}, table.now, "TD", "test", table.now),
                TurnInserted(1, "left", {}, 0, "TD", "test", table.now),
                TurnsJoined(rng.randint(1, max(1, last - 1)), "right", "TD", "test", table.now),
                TurnRuled(rng.randint(1, last), "undone", "TD", "test", table.now),
            ]
        )
        if event is None:
            continue
        event = from_payload(to_payload(event))
        try:
            state = apply(state, event)
        except TilewatchError:
            continue
        steps.append(state)
        totals = {"left": 0, "right": 0}
        for number, turn in enumerate(state.turns, start=1):
            totals[turn.side] += turn.score
            assert (turn.number, turn.total) == (number, totals[turn.side])
    number = len(table.events)
    while len(steps) > 1:
        steps.pop()
        state = apply(state, Retracted(number + len(steps), "TD", "test", table.now))
        assert state == steps[-1]


@few
@given(seeds, BOOKS, st.randoms(use_true_random=False))
def test_a_part_retracted_after_the_game_went_on_leaves_no_trace(seed, book, rng):
    events = under(random_game(seed), book)
    at = rng.randint(6, len(events) - 1)
    while at < len(events) and not isinstance(events[at - 1], TurnSeen):
        at += 1
    table = Table()
    table.state, table.now = fold(events[:at]), events[at - 1].press_ns
    event = random_part(table, rng.choice)
    if event is None:
        return

    def output(turn: int) -> list:
        return [SquareCorrected(turn, "8H", "Q", "TD", "", 1), TurnRuled(turn, "play", "TD", "", 2)]

    with_part = fold([*events[:at], event, *output(event.turn + 1), *events[at:]])
    without = fold([*events[:at], *output(event.turn), *events[at:]])
    back = apply(with_part, Retracted(at + 1, "TD", "", 3))
    assert back.turns == without.turns
    assert (back.scores, back.board, back.clocks) == (without.scores, without.board, without.clocks)
    assert (back.on_turn, back.status, back.flags) == (
        without.on_turn,
        without.status,
        without.flags,
    )


def test_old_logs_name_no_turn_anew():
    table = forgotten()
    assert all(
        as_numbered_now(table.state, number, event) == event
        for number, event in enumerate(table.events, start=1)
    )


def test_a_turn_can_be_parted_after_the_end():
    table = forgotten()
    table.put(GameEnded("agreed", table.now))
    scores = table.state.scores
    part(table, 2, ("7I", "7J"), "right", table.forgot)
    assert table.state.status == "ended"
    assert table.state.scores != scores


def test_points_and_holds_between_two_turns_stay_where_they_were():
    table = Table(rulebook="wespa-2007")
    table.play("8G", "CAT")
    table.put(HoldCalled(1, "right", table.now))
    table.put(ChallengeBonus("left", 5, None, "TD", "", table.now))
    table.put(BoardSeen(1, table.board.rows, table.now, {}, table.now))
    table.play("9G", "ARS")
    part(table, 2, ("9G",), "right", table.now - SECOND)
    assert [line.after_turn for line in table.state.adjustments] == [1]
    table.put(TurnsJoined(1, other(table.state.turns[0].side), "TD", "", table.now))
    assert [line.points for line in table.state.adjustments] == [5]
