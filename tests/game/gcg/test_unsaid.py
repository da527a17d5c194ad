"""What a game record cannot say of a game is named in it."""

from __future__ import annotations

import pytest

from game.gcg import record_from_game, write
from game.gcg.omissions import OPENS
from tests.game.gamekit import Table, random_game
from tests.game.scriptkit import after

from .gcgkit import both_ways


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
    steps = "8G CAT, 1A DOG, rule 2 illegal_play, -, rule 3 undone"
    assert unsaid_in(after(steps, "naspa-2017")) == []
    assert unsaid_in(after(f"{steps}, forfeit left left", "naspa-2017")) == []


def test_tiles_that_lay_there_before_the_first_turn_are_said_to_be_unsaid():
    table = after("-, rule 1 undone, changed 1 8G=C 8H=a, 8I T")
    assert unsaid_in(table) == ["before the first turn there lay on the board C on 8G, a on 8H"]


def test_a_turn_that_never_was_before_an_illegal_play_was_announced_is_said_to_be_unsaid():
    steps = "8G CAT, 1A DOG, -, rule 2 illegal_play"
    assert unsaid_in(after(steps, "naspa-2017")) == []
    assert unsaid_in(after(f"{steps}, rule 3 undone", "naspa-2017")) == [
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
    for plays in ("", "8G CAT, 9G OFTEN, "):
        steps = f"{plays}forfeit left {cause} {'' if margin is None else margin}"
        if cause != "left" or not plays:
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
    before = write(record_from_game(table.state, result_last=False)).splitlines()
    assert before[first + 1].startswith(f"#note {OPENS} the game was not played out (resigned")
    assert sorted(before) == sorted((*lines, result))
