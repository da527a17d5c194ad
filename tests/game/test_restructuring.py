"""Turns parted, inserted, joined and taken again: all come out right."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.adjudication.preview import between
from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    ChallengeBonus,
    Event,
    PicturesKept,
    PlayMade,
    PlaysAssigned,
    RackReported,
    Retracted,
    ScoreAgreed,
    SquareCorrected,
    StopExplained,
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
from game.state.fold import GameState, apply, fold
from game.state.numbering import as_numbered_now, turns_named
from game.values import replace

from .corpuskit import take
from .gamekit import SECOND, Table, random_game
from .scriptkit import after, follow, scripts
from .test_properties import seeds

BOOKS = st.sampled_from(rulebook_ids())


FORGOTTEN = (
    "8G CAT, wait 39, start right, clock 20, 7I=S 7J=O 9G=A 9H=R 10F=B 10G=E, clock 30, 11E HM"
)
"""Right plays SO and left AR without a press that counts; right plays BE, and left HM.

The first forgotten press was due 70 seconds before the end, and the second 50.
"""
GAMES = """
a part has the clocks of the presses as nobody pressed, and left's time was never taken
    FORGOTTEN -> clocks = 1440 1440; 1.clock_ns = 1470000000000
    found 70, part 2 right 7I,7J -> clocks = 1440 1440
    -> 2.clock_ns = 1480000000000; 3.clock_ns = 1470000000000; 2.codes = not_pressed
what a later word rests on is not taken back before it
    FORGOTTEN, found 70, part 2 right 7I,7J, rule 2 no_score
    retract -2 -> refused = take back event 11 first
what the camera saw of a part is seen of the whole again
    8G CAT, 9G ARSO, found 1, part 2 right 9G,9H, changed 3 9I=. 9J=.
    -> 3.codes = changed_after_press challenge_unclear
    retract -2 -> kinds = play play; asks = changed_after_press
an inserted pass gives the turn to the right player
    8G CAT, start right, wait 3, start left, turn left, clock 5, 9G AR -> asks = changed_out_of_turn
    found 5, insert 2 right - -> all.side = left / right / left; lacks = changed_out_of_turn
    -> on_turn = right
    rule 2 pass -> 2.kind = pass
tiles of an inserted turn are its own and no later turn's
    FORGOTTEN, found 70, insert 2 right 7I=S,7J=O -> 2.tiles = 7I=S 7J=O
    -> 3.tiles = 9G=A 9H=R 10F=B 10G=E; 4.tiles = 11E=H 11F=M
    found 70, insert 3 left 8H=A -> refused = a tile lay on 8H before turn 3
turns, tiles and times that cannot be are refused
    FORGOTTEN, found 70, part 2 right 8G -> refused = laid no tile on 8G
    found 120, part 2 right 7I -> refused = before turn 1 did
    found -120, part 2 right 7I -> refused = after turn 2 did
    found 70, part 9 right 7I -> refused = no turn 9
    join 3 left -> refused = no turn 4
    insert 5 left - -> refused = is not from 1 to 4
a turn can be parted after the end
    FORGOTTEN, end -> scores = 30 27
    found 70, part 2 right 7I,7J -> status = ended; scores = 51 6
points and holds between two turns stay where they were
    8G CAT, hold 1, bonus left 5, board 1, 9G ARS, found 1, part 2 right 9G
    -> lines = challenge_bonus left 5 after 1
    join 1 right -> lines = challenge_bonus left 5 after 0
""".replace("FORGOTTEN", FORGOTTEN.strip())


@pytest.mark.parametrize("script", scripts(GAMES))
def test_what_comes_of_turns_parted_inserted_and_joined(script):
    follow(script)


def lines(state) -> list[tuple]:
    return [(t.number, t.side, t.kind, t.word, t.score, t.total) for t in state.turns]


def test_two_forgotten_presses_make_one_turn_of_three_and_parting_it_twice_puts_it_right():
    steps = f"{FORGOTTEN}, found 70, part 2 right 7I,7J, found 50, part 3 left 9G,9H"
    state, played = after(steps).state, after("8G CAT, 7I SO, 9G AR, 10F BE, 11E HM").state
    assert [len(t.tiles) for t in after(FORGOTTEN).state.turns] == [3, 6, 2]
    assert lines(state) == lines(played)
    for name in ("scores", "board", "bag_count", "racks", "on_turn"):
        assert getattr(state, name) == getattr(played, name), name
    assert [t.press_ns for t in state.turns] == sorted(t.press_ns for t in state.turns)


def test_a_press_too_many_is_joined_away():
    table = after("8G CAT, 9G AR, -, 9I=S, join 2 right, join 2 right")
    assert lines(table.state) == lines(after("8G CAT, 9G ARS").state)
    assert table.state.on_turn == "left"


def test_what_was_said_of_later_turns_stays_with_them_and_each_can_be_taken_back():
    table = after(f"{FORGOTTEN}, correct 3 11E=N, why 3 score")
    table.put(PicturesKept(3, (), table.now))
    kept, before = len(table.events), table.state
    take(table, "found 70")
    take(table, "part 2 right 7I,7J")
    parted = len(table.events)
    assert table.state.turns[3].word == "NM"
    assert table.state.progress.ledger.rulings_for(4).stop_reasons == ("score",)
    assert turns_named(table.state, kept, table.events[kept - 1]) == (4,)
    assert as_numbered_now(table.state, kept, table.events[kept - 1]).turn == 4
    take(table, "rule 4 no_score")
    assert table.state.turns[3].kind == "no_score"
    take(table, f"retract {parted}")
    assert [turn.kind for turn in table.state.turns] == ["play", "play", "no_score"]
    take(table, f"retract {parted + 1}")
    assert table.state == before


def test_old_logs_name_no_turn_anew():
    table = after(FORGOTTEN)
    for number, event in enumerate(table.events, start=1):
        assert as_numbered_now(table.state, number, event) == event


ENDINGS = {
    "naspa-2017": ("drawing", "IV.G.2.a"),
    "psa": ("hand_in_bag", "3.4.3"),
    "sanspa-2001": ("hand_in_bag", "7.2"),
    "sanspa-1999": ("score_written", "7.2"),
}


@pytest.mark.parametrize("book", rulebook_ids())
def test_a_turn_ends_otherwise_than_by_a_press_only_where_the_rulebook_has_it(book):
    ending, rule = ENDINGS.get(book, ("hand_in_bag", ""))
    steps = f"{FORGOTTEN}, found 70, part 2 right 7I,7J {ending}"
    if ending not in load_rulebook(book).turn_ends:
        with pytest.raises(TilewatchError, match=f"under {book} no turn ends by 'hand_in_bag'"):
            after(steps, book)
        return
    flag = next(f for f in after(steps, book).state.turns[1].flags if f.code == "not_pressed")
    assert rule in flag.rule


def test_a_finding_goes_to_the_part_that_laid_the_tile():
    table = after("8G CAT, 9G ARS !uncertain_square 9G,9I, found 1, part 2 right 9G,9H")
    found = [[one.square for one in turn.seen.findings] for turn in table.state.turns]
    assert found == [[], ["9G"], ["9I"]]


def test_a_preview_of_parting_shows_only_the_turns_that_change():
    table = after(FORGOTTEN)
    event = TurnParted(2, ("7I", "7J"), "right", table.now - 70 * SECOND, "TD", "", table.now)
    found = between(table.state, apply(table.state, event))
    assert [turn.number for turn in found.turns] == [2, 3, 4]
    whole, part, later = found.turns
    assert whole.before["tiles"] == part.before["tiles"] == table.state.turns[1].tiles
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


def random_plays(table: Table, rng) -> PlaysAssigned:
    """A few turns that follow each other, with their tiles in as many plays or more or fewer."""
    turns = table.state.turns
    first = rng.randint(1, len(turns))
    window = turns[first - 1 : first - 1 + rng.randint(1, 3)]
    tiles = [pair for turn in window for pair in turn.tiles.items()]
    before_ns = turns[first - 2].press_ns if first > 1 else 0
    last_ns = window[-1].press_ns
    ends = sorted(
        rng.choice([turn.press_ns for turn in window] + [rng.randint(before_ns, last_ns)])
        for _ in range(rng.randint(0, 2))
    )
    cuts = sorted(rng.randint(0, len(tiles)) for _ in ends)
    parts = zip([0, *cuts], [*cuts, len(tiles)], [*ends, last_ns], strict=True)
    plays = tuple(
        PlayMade(rng.choice(["left", "right"]), dict(tiles[begin:end]), at)
        for begin, end, at in parts
    )
    return PlaysAssigned(first, len(window), plays, "TD", "test", table.now)


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


@given(seeds, BOOKS, st.randoms(use_true_random=False))
def test_plays_assigned_are_what_parting_and_joining_give(seed, book, rng):
    table = random_game(seed)
    table.state = fold(under(table, book))
    event = random_part(table, rng.choice)
    if event is None:
        return
    turn = table.state.turns[event.turn - 1]
    first = {name: turn.tiles[name] for name in event.squares}
    second = {name: tile for name, tile in turn.tiles.items() if name not in first}
    plays = (
        PlayMade(event.side, first, event.ended_ns),
        PlayMade(other(event.side), second, turn.press_ns),
    )
    parted = apply(table.state, event)
    assigned = apply(table.state, PlaysAssigned(event.turn, 1, plays, "TD", "test", table.now))
    assert_alike(assigned, parted)
    whole = (PlayMade(turn.side, turn.tiles, turn.press_ns),)
    again = apply(assigned, PlaysAssigned(event.turn, 2, whole, "TD", "test", table.now))
    assert_alike(again, apply(parted, TurnsJoined(event.turn, turn.side, "TD", "", table.now)))


def assert_alike(one: GameState, another: GameState) -> None:
    assert lines(one) == lines(another)
    for name in ("scores", "board", "bag_count", "racks", "on_turn", "clocks", "status"):
        assert getattr(one, name) == getattr(another, name), name


@given(seeds, BOOKS, st.randoms(use_true_random=False))
def test_plays_assigned_as_they_count_change_nothing(seed, book, rng):
    table = random_game(seed)
    table.state = fold(under(table, book))
    first = rng.randint(1, len(table.state.turns))
    window = table.state.turns[first - 1 : first + rng.randint(0, 2)]
    plays = tuple(PlayMade(turn.side, turn.tiles, turn.press_ns) for turn in window)
    event = PlaysAssigned(first, len(window), plays, "TD", "test", table.now)
    assert_alike(apply(table.state, event), table.state)


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
                random_plays(table, rng),
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
    for name in ("on_turn", "status", "flags"):
        assert getattr(back, name) == getattr(without, name), name


RULINGS = [
    *("play", "challenge_upheld", "challenge_failed", "challenge_withdrawn", "no_score"),
    *("exchange", "pass", "undone", "taken_back", "illegal_play", "illegal_play_unknown"),
]


def again(state: GameState) -> None:
    """Assert that the ledger is what its entries and rulings make, taken from the first on."""
    known = state.progress.ledger
    fresh = known.again(1, state.config)
    assert known.inferred == fresh.inferred
    assert known.limit == fresh.limit
    assert known.positions == fresh.positions


def output(rng: random.Random, state: GameState, now: int) -> Event:
    """Something that a director or a player may say."""
    turn = rng.choice(state.turns)
    number, side, points = turn.number, turn.side, rng.randrange(3)
    match rng.randrange(12):
        case 0:
            return ScoreAgreed(number, side, turn.score + points, "TD", "", now)
        case 1:
            return ScoreAgreed(0, side, 100 + points, "TD", "", now)
        case 2:
            return StopExplained(number, "challenge", "TD", "", now)
        case 3:
            return RackReported(side, "AEIOURT"[: 7 - points], now, "TD")
        case 4 if turn.tiles:
            return SquareCorrected(number, rng.choice([*turn.tiles]), "E", "TD", "", now)
        case 5:
            return ChallengeBonus(side, 5, None, "TD", "", now)
        case _:
            ruling = rng.choice(RULINGS)
            return TurnRuled(number, ruling, "TD", "", now, words=points)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("book", rulebook_ids())
def test_whatever_is_said_the_ledger_is_what_it_would_be_from_the_start(book, seed):
    rng = random.Random(f"{book} {seed}")
    table = Table(rulebook=book)
    stopped = 0
    for event in random_game(seed, pass_rate=0.3).events[2:]:
        now = event.t_ns if isinstance(event, ButtonPressed) else event.press_ns
        if isinstance(event, ButtonPressed) and table.state.turns and rng.random() < 0.2:
            stopped += 1
            table.put(ButtonPressed("neutral", now - SECOND))
            table.put(ButtonPressed(rng.choice(["left", "right"]), now - SECOND // 2))
        try:
            table.put(event)
        except TilewatchError:
            break  # the game was over before, by what was said
        for _ in range(rng.randrange(3) if isinstance(event, TurnSeen) else 0):
            with suppress(TilewatchError):
                table.put(output(rng, table.state, now))
                again(table.state)
    assert stopped and len(table.state.turns) > 5


def long_game(rulebook: str = "wespa-2021") -> Table:
    """Twenty-two turns, every other one of which plays a tile."""
    table = after("8D CAT, -", rulebook)
    for column in "DFGHIJKLMN":
        table.play(f"{column}{9 if column < 'G' else 8}", "A" if column < "G" else "E")
        table.nothing()
    return table


def test_a_total_that_was_agreed_on_later_holds_whatever_is_ruled_before():
    table = long_game()
    table.put(ScoreAgreed(0, "left", 100, "TD", "", table.now))
    table.play("N9", "A")
    table.nothing()
    scores = table.state.scores
    table.put(TurnRuled(1, "challenge_failed", "TD", "", table.now, words=1))
    assert table.state.turns[0].bonus == 5
    assert table.state.scores == scores
    again(table.state)
