"""What a game's record tells whom."""

from __future__ import annotations

import pytest

from game.board import Board, parse_position
from game.events import (
    ButtonPressed,
    GameEnded,
    GameStarted,
    RackReported,
    TurnRuled,
    TurnSeen,
    other,
)
from game.gcg import parse, write
from game.state.fold import fold
from table.views.gcg import record_for
from table.views.public_policy import PublicPolicy

SECOND = 1_000_000_000


def game(ended: bool = False, exchanged: str = "QXZ"):
    """Two plays, an exchange of known tiles, and a play that is challenged off."""
    names = {"left": "Ann", "right": "Bob"}
    events = [GameStarted("g", names, "wespa-2007", "english", "left", 0)]
    board, side, t = Board.empty(), "left", 0
    for place, word in (("8D", "FIRNS"), ("H8", ".HOe"), ("", ""), ("10F", "TQ.LS")):
        t += 30 * SECOND
        if word:
            start, across = parse_position(place)
            board = board.replace(
                {start.step(across, i): s for i, s in enumerate(word) if s != "."}
            )
        events += [ButtonPressed(side, t), TurnSeen(side, t, board.rows, t)]
        side = other(side)
    events.append(TurnRuled(3, "exchange", "director", "said so", t, tiles=exchanged))
    events.append(TurnRuled(4, "challenge_upheld", "director", "no good", t))
    events.append(RackReported("left", "AEIJKRT", t))
    if ended:
        events.append(RackReported("right", "DVW", t))
        events.append(GameEnded("six_zeros", t + SECOND))
    return fold(events)


@pytest.mark.parametrize("audience", ["public", "player", "broadcast"])
def test_no_rack_is_told_before_the_end_is_settled(audience):
    text = write(record_for(game(), audience))
    for letters in ("QXZ", "AEIJKRT", "JK"):
        assert letters not in text
    assert ">Ann: UNKNOWN -3 +0" in text
    assert "#incomplete" in text
    assert ">Bob: LQST -- " in text
    assert parse(text).entries == record_for(game(), audience).entries


@pytest.mark.parametrize(
    ("entered", "full", "number"),
    [("3", "3", "3"), ("Q, X; z", "QXZ", "3"), ("qx", "QX", "2"), ("Q?", "Q?", "2")],
)
def test_an_exchange_is_written_as_it_can_be_read(entered, full, number):
    for audience, shown in (("director", full), ("public", number)):
        text = write(record_for(game(exchanged=entered), audience))
        assert f">Ann: UNKNOWN -{shown} +0" in text
        exchange = next(one for one in parse(text).entries if one.kind == "exchange")
        assert exchange.exchanged == shown


def test_the_director_has_it_all():
    text = write(record_for(game(), "director"))
    assert "-QXZ" in text


def test_a_settled_game_tells_the_racks_where_the_event_lets_it():
    settled = game(ended=True)
    assert settled.settled
    full = write(record_for(settled, "director"))
    assert "AEIJKRT" in full
    assert write(record_for(settled, "public")) == full
    assert write(record_for(settled, "broadcast", PublicPolicy(racks="never"))) == full
    withheld = write(record_for(settled, "public", PublicPolicy(racks="never")))
    assert "AEIJKRT" not in withheld
    assert "DVW" not in withheld
    assert "#incomplete" in withheld
