"""Records to events and back: the same game, and no drift however often."""

from __future__ import annotations

import contextlib
import random
import re
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from game.board import EMPTY, SQUARES, Square
from game.errors import TilewatchError
from game.events import (
    SIDES,
    BlankDesignated,
    ButtonPressed,
    ChallengeBonus,
    ClockAdjusted,
    GameForfeited,
    GameStarted,
    PenaltyAdded,
    RackReported,
    Ruling,
    SquareCorrected,
    TilesChanged,
    TurnRuled,
    TurnSeen,
    other,
)
from game.gcg import check, events_from_record, parse, record_from_game, write
from game.gcg.from_game import OPENS
from game.rulebooks.challenge import failed_bonus
from game.rulebooks.loading import load_rulebook, rulebook_ids
from game.state.fold import GameState, fold
from game.values import replace
from tests.game.gamekit import SECOND, Table, codes, random_game, random_play
from tests.game.scriptkit import after

from .gcgkit import assert_strict

MIXED = """#character-encoding UTF-8
#lexicon OWN25
#incomplete
#player1 ann Ann Lee
#player2 bo Bo
>ann: ?AEGINT 8H TEArING +60 60
>bo: QQVVUUI -QQVV +0 0
>ann: FOXHOUN 7H FOX +46 106
>ann: FOXHOUN -- -46 60
>bo: AEIOUNR N8 .AINER +14 14
>bo: AEIOUNR (challenge) +5 19
>ann: UNKNOWN - +0 60
>bo: DO O13 DO +9 28
>ann: FOXHOUN - +0 60
"""


def round_trip(text: str):
    """The record, its events, and both again after a trip through each other."""
    record = parse(text.encode(), "game.gcg")
    events = events_from_record(record)
    again = record_from_game(fold(events))
    strict = write(again)
    assert_strict(strict)
    back = parse(strict.encode(), "again.gcg")
    return record, events, back, events_from_record(back)


def figures(record):
    return [(e.kind, e.player, e.score, e.total, e.tiles) for e in record.entries]


def test_every_kind_of_line_goes_to_events_and_back():
    record, events, back, again = round_trip(MIXED)
    assert again == events
    assert [e.kind for e in back.entries] == [e.kind for e in record.entries]
    assert back.lexicon == "OWN25"
    rulings = [e.ruling for e in events if isinstance(e, TurnRuled)]
    assert rulings == ["exchange", "challenge_upheld", "pass", "pass"]
    assert [e.points for e in events if isinstance(e, ChallengeBonus)] == [5]


def test_a_rack_that_says_no_more_than_the_play_is_no_event():
    record = parse(MIXED.encode(), "game.gcg")
    racks = [(e.side, e.tiles) for e in events_from_record(record) if isinstance(e, RackReported)]
    assert ("left", "?AEGINT") not in racks
    assert ("left", "FOXHOUN") in racks
    assert ("right", "DO") not in racks


def test_points_off_for_time_set_the_clock_or_are_a_penalty():
    table = random_game(3)
    table.put(ClockAdjusted("left", -table.state.clocks.remaining_ns["left"], None, "td", "", 1))
    table.put(ClockAdjusted("left", -90 * SECOND, None, "td", "", 2))
    text = write(record_from_game(table.state))
    assert "(time) -20 " in text
    events = events_from_record(parse(text.encode(), "game.gcg"))
    assert len([e for e in events if isinstance(e, ClockAdjusted)]) == 1
    assert fold(events).scores == table.state.scores
    # seven points are no overtime under these rules
    odd = events_from_record(parse(text.replace("(time) -20 ", "(time) -7 ").encode(), "game.gcg"))
    assert [e.points for e in odd if isinstance(e, PenaltyAdded)] == [7]
    assert fold(odd).scores["left"] == table.state.scores["left"] + 13


def test_a_word_list_and_its_hash_are_in_every_record():
    table = Table()
    digest = "ab" * 32
    words = {"name": "club words", "sha256": digest}
    named = replace(table.events[0], word_list=words)
    record = record_from_game(fold([named, *table.events[1:]]))
    assert record.lexicon == "club words"
    text = write(record)
    assert "#lexicon club words" in text
    assert digest in text
    # a record without a turn can't be read back, so one is added
    reported = events_from_record(parse((text + ">Ann_Lee: UNKNOWN - +0 0\n").encode(), "x"))[0]
    assert isinstance(reported, GameStarted)
    assert reported.word_list == words


@pytest.mark.parametrize("rulebook", rulebook_ids())
@pytest.mark.parametrize("seed", range(2))
def test_whole_games_are_a_fixed_point(seed, rulebook):
    start, *events = random_game(seed).events
    state = fold([replace(start, rulebook=rulebook), *events])
    first = record_from_game(state)
    once = events_from_record(first)
    second = record_from_game(fold(once))
    assert figures(second) == figures(first)
    assert events_from_record(second) == once
    assert fold(once).scores == state.scores


@given(st.integers(0, 400), st.data())
def test_corrected_challenged_and_penalised_games_are_a_fixed_point(seed, data):
    table = random_game(seed)
    turns = len(table.state.turns)
    for _ in range(data.draw(st.integers(0, 4))):
        turn = table.state.turns[data.draw(st.integers(0, turns - 1))]
        what = data.draw(st.sampled_from(["withdraw", "bonus", "penalty", "square", "clock"]))
        if what == "withdraw" and turn.number == turns and turn.kind == "play":
            table.put(TurnRuled(turn.number, "challenge_upheld", "td", "", table.now))
        elif what == "bonus":
            table.put(ChallengeBonus(turn.side, 5, None, "td", "", table.now))
        elif what == "penalty":
            table.put(PenaltyAdded(turn.side, 10, None, "td", "", table.now))
        elif what == "square" and turn.tiles:
            square = data.draw(st.sampled_from(sorted(turn.tiles)))
            table.put(SquareCorrected(turn.number, square, "E", "td", "", table.now))
        elif what == "clock":
            table.put(ClockAdjusted(turn.side, -1500 * SECOND, None, "td", "", table.now))
    first = record_from_game(table.state)
    once = events_from_record(first)
    again = record_from_game(fold(once))
    assert figures(again) == figures(first)
    assert events_from_record(again) == once


def test_a_blank_without_a_letter_stays_one():
    table = after("8G C?T, -")
    events = events_from_record(record_from_game(table.state))
    assert fold(events).board[Square(7, 7)] == "?"
    table.put(BlankDesignated("8H", "A", "td", "", table.now))
    named = fold(events_from_record(record_from_game(table.state)))
    assert named.turns[0].word == "CaT"
    assert [t.score for t in named.turns] == [t.score for t in fold(events).turns]


@pytest.mark.parametrize("changes", ["8J=S", "8I=.", "8I=P", "8I=P 8J=S 8G=."])
@pytest.mark.parametrize("on", ["", ", 7H A", ", 8I T", ", -"])
def test_what_changed_after_the_press_is_no_part_of_the_score_in_the_record_either(changes, on):
    table = after(f"8G CAT, changed 1 {changes}{on}")
    assert table.state.turns[0].score == 10
    text = write(record_from_game(table.state))
    assert f"+10 10\n#note tilewatch: then {' '.join(sorted(changes.split()))}" in text
    record, _, back, _ = round_trip(text)
    assert check(record) == []
    assert write(back) == text
    assert fold(events_from_record(record)).board == table.state.board


def test_turns_past_the_limit_on_overtime_are_no_part_of_the_record():
    steps = "8G CAT, 9G ON, clock 2101, 10G A, clock 10, 11G A"
    table = after(steps, "naspa-2017 seconds=10")
    text, again = there_and_back(table)
    assert "G8 ..A" not in text
    assert ">Ann_Lee:  (time) -100 -90\n#note tilewatch: overtime_limit\n" in text
    assert again.scores == table.state.scores == {"left": -90, "right": 10}
    assert again.end_reason == "overtime_limit"


def test_the_older_word_for_points_that_the_limit_adds_is_read():
    table = after("-, 8H ZZZZZZZ, clock 10, -, clock 2101, -", "naspa-2017")
    text, again = there_and_back(table)
    assert text.count("tilewatch: limit_raise") == 1
    assert parse(text.replace("limit_raise", "one_point")) == parse(text)
    assert again.scores == table.state.scores == {"left": 111, "right": 110}


def there_and_back(table) -> tuple[str, GameState]:
    """The record of a game, and the game that it is read back as, whose record is the same."""
    text = write(record_from_game(table.state))
    again = fold(events_from_record(parse(text)))
    assert write(record_from_game(again)) == text
    return text, again


def test_points_that_no_rule_adds_are_refused():
    text = write(record_from_game(after("8G CAT, forfeit left left", "naspa-2017").state))
    assert ">Bo:  (time) +60 60\n#note tilewatch: left\n" in text
    with pytest.raises(TilewatchError, match="60 points added at the end, for which psa"):
        events_from_record(parse(text), load_rulebook("psa"))


def test_tiles_taken_off_after_an_illegal_play_was_announced_are_no_news():
    steps = "8G CAT, 1A DOG, 9H S, rule 2 illegal_play, changed 3 1A=. 1B=. 1C=."
    table = after(steps, "naspa-2017")
    assert codes(table.state.turns[-1]) == []
    assert table.play("1A", "D").word == "D"  # a new tile of that letter there is a play again
    there_and_back(table)


@pytest.mark.parametrize(
    "steps",
    [
        # a tile was gone as an illegal play was made, and went back with it
        "8G CAT, 8I=. 9H=N 10A=O, rule 2 illegal_play, 9G ON",
        # one went as another was taken off, and lies there again
        "8G CAT, 1A=D 1B=O, 9G ON, rule 2 illegal_play, changed 3 8I=. 1A=. 1B=., 8I=T 10G=A",
        # a press that was no turn came before the announcement
        "8G CAT, clock 5, 1A=D 1B=O, -, rule 3 undone, rule 2 illegal_play, 9G ON",
    ],
)
def test_what_an_illegal_play_left_behind_is_read_back(steps):
    table = after(steps, "naspa-2017")
    text, again = there_and_back(table)
    assert check(parse(text)) == []
    assert again.board == table.state.board
    assert again.scores == table.state.scores


def test_turns_after_an_end_that_came_out_later_are_kept():
    table = after("-, -, -, 8G CAT, -, -, -, rule 4 challenge_upheld")
    assert (table.state.end_reason, len(table.state.turns)) == ("six_zeros", 7)
    assert there_and_back(table)[1].end_reason == "six_zeros"


ODD = ["play"] * 3 + ["later"] * 2 + ["apart", "nothing", "rule", "bonus", "penalty", "square"]
ENDS = ["", "left", "resigned", "agreed", "limit"]


class OddGame:
    """A game in which tiles lie and change as they will, and anything is ruled."""

    def __init__(self, seed, rulebook):
        self.rng, self.table = random.Random(seed), Table(rulebook=rulebook)

    def take(self, step):
        getattr(self, f"_{step}")()

    def end(self, how):
        now = self.table.now
        if how == "limit":
            now += 2200 * SECOND
            self._attempt(ButtonPressed(self.table.side, now))
            self._attempt(TurnSeen(self.table.side, now, self.table.board.rows))
        elif how == "agreed":
            self.table.end()
        elif how:
            self._attempt(GameForfeited("left", how, "td", "", now))

    def _attempt(self, event):
        with contextlib.suppress(TilewatchError):
            self.table.put(event)

    def _lay(self, squares, symbols):
        return self.table.board.replace({s: self.rng.choice(symbols) for s in squares})

    def _free(self):
        return self.rng.choice([s for s in SQUARES if self.table.board[s] == EMPTY])

    def _turn(self):
        turns = self.table.state.turns
        return self.rng.choice(turns) if turns else None

    def _play(self):
        if squares := random_play(self.rng, self.table.board, 7):
            self.table.see(self._lay(squares, "AEINRSTOa?"))

    def _apart(self):
        self.table.see(self._lay([self._free() for _ in range(3)], "AEINRST"))

    def _nothing(self):
        self.table.nothing()

    def _later(self):
        if number := len(self.table.state.turns):
            squares = [self._free(), self.rng.choice(SQUARES)][: self.rng.randint(1, 2)]
            self.table.board, now = self._lay(squares, "AEINRST."), self.table.now
            self._attempt(TilesChanged(number, self.table.board.rows, now, {}, now))

    def _rule(self):
        if turn := self._turn():
            ruling = self.rng.choice(get_args(Ruling))
            self._attempt(TurnRuled(turn.number, ruling, "td", "", self.table.now))
            self.table.board = self.table.state.board

    def _bonus(self):
        points = failed_bonus(self.table.state.rulebook, 1)
        self._attempt(ChallengeBonus("left", points, None, "td", "", self.table.now))

    def _penalty(self):
        self._attempt(PenaltyAdded("right", 10, None, "td", "", self.table.now))

    def _square(self):
        if (turn := self._turn()) and turn.tiles:
            square = self.rng.choice(sorted(turn.tiles))
            self._attempt(SquareCorrected(turn.number, square, "E", "td", "", self.table.now))
            self.table.board = self.table.state.board


def odd_game(seed, rulebook, steps, end):
    game = OddGame(seed, rulebook)
    for step in steps:
        game.take(step)
    game.end(end)
    return game.table


def undone_before_it_was_announced(state) -> bool:
    """True if a press that was no turn came between an illegal play and its announcement.

    What changed on the board meanwhile is then of the turn before.
    """
    return any(
        between.kind == "undone"
        for turn in state.turns
        if turn.ruling in ("illegal_play", "illegal_play_unknown")
        for between in state.turns[turn.number : state.ledger.rulings_for(turn.number).ruled_after]
    )


@given(
    st.integers(0, 10**6),
    st.sampled_from(rulebook_ids()),
    st.lists(st.sampled_from(ODD), min_size=1, max_size=14),
    st.sampled_from(ENDS),
)
@example(0, "sanspa-2001", ["apart"] * 5, "limit")
@example(0, "sanspa-2001", [*["apart"] * 5, "nothing", "later"], "limit")
@example(
    405, "naspa-2017", ["play", "bonus", "apart", "later", "nothing", "square", "later", "rule"], ""
)
@example(92, "wespa-2021", ["play", "nothing", "nothing", "later", "rule"], "limit")
@example(
    3977,
    "naspa-2017",
    ["play", "later", "play", "play", "rule", "square", "later", "rule"],
    "",
)
def test_games_as_odd_as_can_be_are_a_fixed_point(seed, rulebook, steps, end):
    table = odd_game(seed, rulebook, steps, end)
    opening = next((turn for turn in table.state.turns if turn.kind != "undone"), None)
    if opening is None:
        return  # a record has no form for a game without a turn
    text = write(record_from_game(table.state))
    reported = text.count(f"#note {OPENS} ")
    if opening.before.symbols:
        assert reported  # as it may be no game at all that is read back
        return
    record = parse(text)
    assert check(record) == []
    again = fold(events_from_record(record))
    if not undone_before_it_was_announced(table.state):
        lines = text.splitlines()
        kept = [line for line in lines if not line.startswith(f"#note {OPENS} ")]
        # What a record cannot say may follow from what it says, as does a limit from an overtime.
        assert write(record_from_game(again)).splitlines() in (kept, lines)
    if not reported and table.state.outcome is not None and again.outcome is not None:
        assert again.outcome.margin == table.state.outcome.margin
    totals = {entry.player: entry.total for entry in record.entries}
    first = opening.side
    for player, total in totals.items():
        assert again.scores[SIDES[player]] == total
        assert table.state.scores[first if player == 0 else other(first)] == total


@pytest.mark.parametrize("book", ["wespa-2007", "wespa-2021"])
@pytest.mark.parametrize("form", ["split", "added"])
def test_a_record_that_counts_the_rack_left_in_either_form_is_read_as_it_is(book, form):
    adjust = {} if form == load_rulebook(book).out_racks else {"out.racks": form}
    table = Table(rulebook=book, adjust=adjust)
    table.play("8D", "QUIXOTE")
    table.put(RackReported("left", "", table.now, counted=0))
    table.put(RackReported("right", "ZED", table.now, counted=3))
    table.end("out")
    written = write(record_from_game(table.state))
    # Another program names no setting that an event announced.
    plain = re.sub(r"(#description .*)", f"#description tilewatch rulebook={book}", written)
    state = fold(events_from_record(parse(plain), load_rulebook(book)))
    assert state.scores == table.state.scores
    assert state.rulebook.out_racks == form


@pytest.mark.parametrize(
    ("book", "steps", "note"),
    [
        ("sanspa-2001", "8G CAT, rule 1 challenge_failed, 9G ON", "challenged"),
        ("wespa-2021", "8G CAT, 9G ON, rule 2 challenge_failed ON,AN", "challenged=ON,AN"),
        ("wespa-2021", "8G CAT, 9G ON, rule 2 challenge_failed 2", "challenged=2"),
        ("wespa-2021", "8G CAT, rule 1 challenge_failed placement", "challenged=placement"),
        ("naspa-2017", "8G CAT, rule 1 challenge_failed CAT, -", "challenged=CAT"),
    ],
)
def test_a_challenge_in_vain_stands_in_a_note_and_is_read_back(book, steps, note):
    state = after(steps, book).state
    text = write(record_from_game(state))
    assert f"#note tilewatch: {note}\n" in text
    assert check(parse(text)) == []
    again = fold(events_from_record(parse(text)))
    assert [turn.ruling for turn in again.turns] == [turn.ruling for turn in state.turns]
    assert again.adjustments == state.adjustments
    assert write(record_from_game(again)) == text
