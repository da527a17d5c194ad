"""Our own games as records, and back; what a record cannot say is named in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from game.board import Board, Square
from game.errors import TilewatchError
from game.events import RackReported, TurnRuled
from game.gcg import record_from_game, write
from game.gcg.from_game import OPENS
from game.state.fold import fold
from tests.game.gamekit import Table, random_game
from tests.game.scriptkit import after

from .gcgkit import both_ways


def test_a_game_read_by_camera_has_racks_that_can_be_played_from():
    text = both_ways(after("8G CaT, -, 9G O"))
    assert ">Ann_Lee: ?CT 8G CaT +8 8\n" in text
    assert ">Bo: UNKNOWN - +0 0\n#note tilewatch: exchange_or_pass\n" in text
    assert "#player1 Ann_Lee Ann Lee\n" in text
    assert "#incomplete\n" in text


def test_a_reported_rack_is_written_where_the_play_or_the_exchange_can_come_from_it():
    played = after("rack left ACTXX??, 8G CAT, rack right EEEEEEE, 9G O")
    assert [e.rack for e in record_from_game(played.state).entries] == ["ACTXX??", "O"]
    both_ways(played)
    swapped = Table()
    for number, side, rack, tiles in ((1, "left", "ACTXX??", "XX?"), (2, "right", "EEEEEEE", "O")):
        swapped.put(RackReported(side, rack, 0))
        swapped.nothing()
        swapped.put(TurnRuled(number, "exchange", "TD", "", 0, tiles=tiles))
    assert [e.rack for e in record_from_game(swapped.state).entries] == ["ACTXX??", None]
    both_ways(swapped)


def test_a_blank_without_a_letter_comes_back_as_one():
    text = both_ways(after("8G C?T"))
    assert ">Ann_Lee: ?CT 8G CaT +8 8\n#note tilewatch: 8H=?\n" in text
    known = "#note Not known: the letter of the blank on 8H. In the line above, A stands for it.\n"
    assert known in text
    text = both_ways(after("8G C?T, letter 8H u"))
    assert "CuT +8 8\n>" in text + ">"
    assert "Not known" not in text


def test_each_tile_whose_letter_is_not_known_is_named_in_words():
    text = both_ways(after("8F ?#~T?, 9F ON"))
    assert "8F aaaTa" in text
    assert text.count("Not known") == 1
    assert (
        "#note Not known: the letters of the blanks on 8F and 8J; the tiles on 8G and 8H. In the "
        "line above, A stands for each.\n>"
    ) in text
    off = after("8F ?#~T?, 9F ON, rule 1 challenge_upheld")
    assert both_ways(off).count("Not known") == 1


@pytest.mark.parametrize(
    "changes",
    [
        *("9G=O 11C=X 11D=Y", "8G=. 9G=C", "8I=B 9G=O", "8I=. 7G=# 9G=~"),
        *("8G=. 8H=C 8I=A 8J=T", "1A=Q", "1A=Q 1C=?", "9G=Ö"),
    ],
)
def test_faulty_turns_come_back_as_they_lay(changes):
    table = after(f"8G CAT, {changes}, 15A ZO")
    both_ways(table)
    for number in (3, 2):
        if table.state.turns[number - 1].tiles:
            table.put(TurnRuled(number, "challenge_upheld", "TD", "", 0))
            both_ways(table)


def test_every_kind_of_line_comes_back():
    steps = (
        "8G CAT, bonus left 5, -, rule 2 exchange, -, rule 3 pass, -, "
        "penalty right 7, 9G ON, rule 5 challenge_upheld, 9G=. 9H=., 9G=. 9H=., "
        "rack left AEQ counted, rack right ??V counted"
    )
    table = after(steps, "seconds=700")
    assert table.state.end_reason == "six_zeros"
    kinds = " ".join(entry.kind for entry in record_from_game(table.state).entries)
    assert kinds == (
        "play challenge_bonus exchange pass exchange_or_pass play withdrawn exchange_or_pass "
        "exchange_or_pass end_rack_penalty end_rack_penalty penalty time time"
    )
    text = both_ways(table)
    assert ">Ann_Lee: AEQ (AEQ) -12 3\n" in text
    penalty = "#note tilewatch: penalty\n#note Not time: these points are a penalty.\n"
    assert f"(time) -7 -11\n{penalty}" in text
    assert text.count("Not time") == 1  # the others are for overtime
    assert "#incomplete" not in text


def test_a_turn_that_was_lost_comes_back():
    table = after("8G CAT, -, rule 2 challenge_failed, 9G ON", "naspa-2017")
    kinds = [entry.kind for entry in record_from_game(table.state).entries]
    assert kinds == ["play", "challenge_failed", "play"]
    assert "#note tilewatch: challenge_failed\n" in both_ways(table)


def test_names_make_nicknames_that_hold_together():
    for left, right in ((" A  B ", "A B"), ("", ""), ("a\nb", ">x:")):
        table = Table()
        table.state = None
        start = table.events[0]
        table.put(replace(start, players={"left": left, "right": right}))
        table.play("8G", "CAT")
        both_ways(table)


def test_another_tile_set_is_named():
    assert "#tile-distribution german\n" in both_ways(after("8G DÜS", "german"))


def test_a_correction_shows_in_the_record():
    table = after("8G CAT, correct 1 8I=B")
    assert "8G CAB +14 14" in both_ways(table)
    assert table.state.board[Square(7, 8)] == "B"


def test_a_game_from_a_given_position_has_no_record():
    table = Table()
    start = replace(table.events[0], rows=Board.empty().replace({Square(7, 7): "A"}).rows)
    with pytest.raises(TilewatchError, match="began from a given position"):
        record_from_game(fold([start]))


def unsaid_in(table) -> list[str]:
    """The note on what a record leaves out; it stands behind the first turn."""
    lines = write(record_from_game(table.state)).splitlines()
    turns = [at for at, line in enumerate(lines) if line.startswith(">")]
    notes = {at: line for at, line in enumerate(lines) if line.startswith(f"#note {OPENS} ")}
    assert not notes or not turns or min(notes) > turns[0]
    return [line.removeprefix(f"#note {OPENS} ") for line in notes.values()]


def test_a_game_as_it_was_played_leaves_nothing_unsaid():
    for table in (random_game(3), Table()):
        assert unsaid_in(table) == []
    steps = "8G CAT, 1A DOG, rule 2 illegal_play, -, rule 3 undone"
    assert unsaid_in(after(steps, "naspa-2017")) == []
    assert unsaid_in(after(f"{steps}, forfeit left left", "naspa-2017")) == []


def test_tiles_that_lay_there_before_the_first_turn_are_said_to_be_unsaid():
    table = after("-, rule 1 undone, changed 1 8G=C 8H=a, 8I T")
    assert unsaid_in(table) == ["before the first turn there lay on the board C on 8G, a on 8H"]


def test_a_turn_that_never_was_before_an_illegal_play_was_announced_leaves_nothing_unsaid():
    steps = "8G CAT, 1A DOG, -, rule 2 illegal_play"
    assert unsaid_in(after(steps, "naspa-2017")) == []
    assert unsaid_in(after(f"{steps}, rule 3 undone", "naspa-2017")) == []


@pytest.mark.parametrize(
    ("rulebook", "cause", "margin", "output"),
    [
        ("wespa-2007", "absent", None, "absent, 3.1.4): Bo wins against Ann Lee by 75"),
        ("psa", "left", None, "left, 5.7): Bo wins against Ann Lee by 50"),
        ("naspa-2017", "absent", None, "absent, V.K.1): Bo wins against Ann Lee by 50"),
        ("psa", "director", None, "director): Bo wins against Ann Lee"),
        ("psa", "director", 40, "director): Bo wins against Ann Lee by 40"),
        ("wespa-2007", "both_absent", None, "both absent): both players lose"),
    ],
)
def test_a_game_that_was_not_played_out_is_said_to_be_so(rulebook, cause, margin, output):
    for plays in ("", "8G CAT, 9G OFTEN, "):
        if plays and "absent" in cause:
            continue
        steps = f"{plays}forfeit left {cause} {'' if margin is None else margin}"
        if cause == "director" or not plays:
            due = [f"the game was not played out ({output}"]
            assert unsaid_in(after(steps.strip(), rulebook)) == due


def test_how_a_game_was_given_up_stands_at_its_end():
    """Behind the first turn, as what was before it: who reads along would know the end there."""
    steps = "altered +Q, 8G CAT, 9G OFTEN, penalty left 7, forfeit left resigned"
    table = after(steps, "psa")
    *lines, result = both_ways(table).splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith(">"))
    assert lines[first + 1] == f"#note {OPENS} the set had 2 tiles Q, not 1"
    assert result.startswith(f"#note {OPENS} the game was not played out (resigned")
    assert [line.startswith(">") for line in lines[-4:]] == [True, True, False, False]
