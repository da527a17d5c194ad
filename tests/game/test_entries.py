"""What is refused as people enter it, and is still read in a log that has it."""

from __future__ import annotations

import pytest

from game.adjudication.entries import MOST_FOR_A_PLAY, MOST_IN_ALL, check_entry
from game.adjudication.preview import difference
from game.errors import TilewatchError
from game.events import (
    GameEnded,
    LateStart,
    PositionRestored,
    RackReported,
    ScoreAgreed,
    SetAltered,
    TurnRuled,
)
from game.game import Game
from record.story.event_wording import ENDS

from .gamekit import Table


@pytest.fixture
def table() -> Table:
    made = Table(rulebook="wespa-2021")
    made.play("8G", "CAT")
    made.play("9G", "ON")
    return made


def agreed(turn: int, points: int) -> ScoreAgreed:
    return ScoreAgreed(turn, "left", points, "TD", "as written", 10**12)


def rack(tiles: str, counted: int | None = None) -> RackReported:
    return RackReported("left", tiles, 10**12, "TD", counted=counted)


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (agreed(1, -5), "turn 1 cannot score -5: a play makes from 0 to 2000 points; enter the"),
        (agreed(1, 9999), "turn 1 cannot score 9999"),
        (agreed(0, 5001), "Ann Lee's total cannot be 5001: it is from -5000 to 5000; enter the"),
        (agreed(0, -5001), "total cannot be -5001"),
        (rack("QQQQQQQ"), "rack 'QQQQQQQ': the English set has 1 Q, and not 7; look at the rack"),
        (rack("QQ", 2), "has 1 Q, and not 2"),
        (rack("AZZZ"), "has 1 Z, and not 3"),
        (rack("???"), "has 2 blanks, and not 3"),
        (
            PositionRestored(1, "TD", "a misdraw", 10**12, {"right": "ABJJ"}),
            "rack 'ABJJ': the English set has 1 J, and not 2",
        ),
    ],
)
def test_what_nobody_can_mean_is_refused_as_it_is_entered_and_read_from_a_log(table, event, why):
    with pytest.raises(TilewatchError, match=why):
        difference(table.state, event)
    table.put(event)


@pytest.mark.parametrize(
    "event",
    [
        agreed(1, 0),
        agreed(1, MOST_FOR_A_PLAY),
        agreed(0, -MOST_IN_ALL),
        agreed(0, MOST_IN_ALL),
        rack(""),
        rack("QZ??EEE"),
        PositionRestored(1, "TD", "a misdraw", 10**12, {"left": "AEIOUYS"}),
    ],
)
def test_what_can_be_is_taken(table, event):
    check_entry(table.state, event)
    difference(table.state, event)


def test_a_rack_may_have_what_an_altered_set_has(table):
    table.put(SetAltered("", "Q", "TD", "two of them", 10**12))
    check_entry(table.state, rack("QQ"))
    with pytest.raises(TilewatchError, match="has 2 Q, and not 3"):
        check_entry(table.state, rack("QQQ"))


def test_a_tile_of_several_letters_is_named_as_people_write_it():
    made = Table(tile_set="spanish")
    with pytest.raises(TilewatchError, match="rack 'CHCH': the Español set has 1 CH, and not 2"):
        check_entry(made.state, rack(made.state.tile_set.rack("[CH][CH]")))


def test_a_game_of_the_library_ends_with_racks_that_can_be():
    game = Game("Ann", "Bo")
    with pytest.raises(TilewatchError, match="has 1 Q, and not 2"):
        game.end({"left": "QQ"})


@pytest.mark.parametrize("exchanged", ["", "AEI", "AEIOUSS", "aei", "A, E", "??", "1", "7", "AB?"])
def test_an_exchange_of_tiles_or_of_a_number_of_them_is_entered(table, exchanged):
    table.nothing()
    check_entry(table.state, TurnRuled(3, "exchange", "TD", "", 10**12, tiles=exchanged))


@pytest.mark.parametrize(
    "exchanged", ["7O", "O7", "0", "8", "10", "A1", "ABCDEFGH", "\u0667", "7.0", "7" * 5000]
)
def test_an_exchange_of_neither_is_refused(table, exchanged):
    """A letter is never a digit: 7O is no 70, and no 7."""
    table.nothing()
    with pytest.raises(
        TilewatchError, match=r"tiles exchanged: .* is neither at most 7 tiles"
    ) as why:
        check_entry(table.state, TurnRuled(3, "exchange", "TD", "", 10**12, tiles=exchanged))
    assert "\n" not in str(why.value)


@pytest.mark.parametrize("reason", ["broken_off", "", "resigned"])
def test_an_end_for_no_known_reason_is_refused_and_the_known_ones_are_named(table, reason):
    """It would count as played, and could be signed."""
    with pytest.raises(TilewatchError, match="no known reason; known are agreed, broken off, conf"):
        difference(table.state, GameEnded(reason, table.now, "TD"))
    assert table.put(GameEnded(reason, table.now, "TD")).status == "ended"


@pytest.mark.parametrize("reason", ENDS)
def test_every_end_that_has_words_may_be_entered(table, reason):
    check_entry(table.state, GameEnded(reason, table.now, "TD"))


def test_nobody_is_late_by_more_than_the_clock_and_the_overtime(table):
    book = table.state.rulebook
    most = book.clock_ns + book.overtime_limit_from_ns
    check_entry(table.state, LateStart("left", most, "TD", "", table.now))
    late = LateStart("left", most + 1, "TD", "", table.now)
    with pytest.raises(TilewatchError, match=r"cannot have lost .* by coming late"):
        check_entry(table.state, late)
