"""What a game record cannot say of a game is named in it."""

from __future__ import annotations

import pytest

from game.events import GameForfeited, PenaltyAdded, SetAltered, TurnRuled
from game.gcg import record_from_game, write
from game.gcg.omissions import OPENS
from tests.game.gamekit import Table, random_game

from .gcgkit import both_ways, changed_later


def unsaid_in(table) -> list[str]:
    """What a record says that it leaves out; the first such note stands behind the first turn."""
    lines = write(record_from_game(table.state)).splitlines()
    turns = [at for at, line in enumerate(lines) if line.startswith(">")]
    notes = {at: line for at, line in enumerate(lines) if line.startswith(f"#note {OPENS} ")}
    assert not notes or not turns or min(notes) > turns[0]
    return [line.removeprefix(f"#note {OPENS} ") for line in notes.values()]


def test_a_game_as_it_was_played_leaves_nothing_unsaid():
    for table in (random_game(3), Table()):
        assert unsaid_in(table) == []
    table = Table(rulebook="naspa-2017")
    table.play("8G", "CAT")
    table.play("1A", "DOG")
    table.put(TurnRuled(2, "illegal_play", "td", "", table.now))
    table.nothing()
    table.put(TurnRuled(3, "undone", "td", "", table.now))
    assert unsaid_in(table) == []
    table.put(GameForfeited("left", "left", "td", "", table.now))
    assert unsaid_in(table) == []


def test_tiles_that_lay_there_before_the_first_turn_are_said_to_be_unsaid():
    table = Table()
    table.nothing()
    table.put(TurnRuled(1, "undone", "td", "", table.now))
    changed_later(table, "8G=C", "8H=a")
    table.play("8I", "T")
    assert unsaid_in(table) == ["before the first turn there lay on the board C on 8G, a on 8H"]


def test_a_turn_that_never_was_before_an_illegal_play_was_announced_is_said_to_be_unsaid():
    table = Table(rulebook="naspa-2017")
    table.play("8G", "CAT")
    table.play("1A", "DOG")
    table.nothing()
    table.put(TurnRuled(2, "illegal_play", "td", "", table.now))
    assert unsaid_in(table) == []
    table.put(TurnRuled(3, "undone", "td", "", table.now))
    assert unsaid_in(table) == [
        "turn 2 was announced as an illegal play after turn 3, which was ruled never to have been"
    ]


@pytest.mark.parametrize(
    ("rulebook", "cause", "margin", "output"),
    [
        ("wespa-2007", "absent", None, "absent, 3.1.4): Bo wins against Ann Lee by 75"),
        ("psa", "left", None, "left, 5.7): Bo wins against Ann Lee by 50"),
        ("naspa-2017", "absent", None, "absent, V.K): Bo wins against Ann Lee by 50"),
        ("psa", "director", None, "director): Bo wins against Ann Lee"),
        ("psa", "director", 40, "director): Bo wins against Ann Lee by 40"),
        ("wespa-2007", "both_absent", None, "both absent): both players lose"),
    ],
)
def test_a_game_that_was_not_played_out_is_said_to_be_so(rulebook, cause, margin, output):
    for plays in (0, 1):
        table = Table(rulebook=rulebook)
        if plays:
            table.play("8G", "CAT")
            table.play("9G", "OFTEN")
        table.put(GameForfeited("left", cause, "td", "", table.now, margin))
        if cause != "left" or not plays:
            assert unsaid_in(table) == [f"the game was not played out ({output}"]


def test_how_a_game_was_given_up_stands_at_its_end():
    """Behind the first turn, as what was before it: who reads along would know the end there."""
    table = Table(rulebook="psa")
    table.put(SetAltered("", "Q", "td", "two of them", table.now))
    table.play("8G", "CAT")
    table.play("9G", "OFTEN")
    table.put(PenaltyAdded("left", 7, None, "td", "noise", table.now))
    table.put(GameForfeited("left", "resigned", "td", "", table.now))
    *lines, result = both_ways(table).splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith(">"))
    assert lines[first + 1] == f"#note {OPENS} the set had 2 tiles Q, not 1"
    assert result.startswith(f"#note {OPENS} the game was not played out (resigned")
    assert [line.startswith(">") for line in lines[-4:]] == [True, True, False, False]
    before = write(record_from_game(table.state, result_last=False)).splitlines()
    assert before[first + 1].startswith(f"#note {OPENS} the game was not played out (resigned")
    assert sorted(before) == sorted((*lines, result))
