"""The public's views and records have nothing that helps a player."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from dashboard.app import create_app
from dashboard.feeds.delayed import DelayedFeed
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
from table.config import Buttons, Camera, Serve, TableConfig, load_config
from table.live import opened
from table.serving import serve_pages
from table.views.public_policy import PublicPolicy
from table.views.views import record_for, view
from tests.machine import PATIENCE_S
from tests.table.conftest import FakeReader
from tests.table.views.test_views import FIRST, SECOND, SECOND_BOARD, game, played_out

LIVE = PublicPolicy(delay_turns=2, unseen="live", racks="after", words="late")
WORDS = frozenset({"CAT", "ACT"})


def phonies(state, audience="public", public=LIVE):
    return [turn.get("phoney") for turn in view(state, audience, WORDS, public)["turns"]]


def test_unseen_tiles_are_shown_after_the_game_unless_the_event_says_otherwise():
    state = game(FIRST)
    ended = game(FIRST, extra=[GameEnded("agreed", 61 * SECOND)])
    for public, during, after in (
        (PublicPolicy(), False, True),
        (PublicPolicy(unseen="never"), False, False),
        (LIVE, True, True),
    ):
        assert ("unseen" in view(state, "public", public=public)) == during
        assert ("unseen" in view(ended, "public", public=public)) == after
        assert "unseen" not in view(ended, "player", public=public)
    shown = view(state, "broadcast")["unseen"]
    assert sum(shown.values()) == 97
    assert (shown["A"], shown["T"], shown["?"]) == (8, 5, 1)


def test_a_delay_is_said_in_words(tmp_path: Path):
    config = tmp_path / "table.toml"
    config.write_text('[public]\nunseen = "live"\ndelay_min = 2.5\n')
    public = load_config(config).public
    assert public.delay_ns == 150 * SECOND
    assert public.behind == "2.5 min"
    assert PublicPolicy(delay_min=5.0, delay_turns=1).behind == "5 min and 1 turn"
    assert PublicPolicy(delay_turns=2).behind == "2 turns"
    assert PublicPolicy().behind == ""


def test_a_rack_is_told_once_the_end_is_settled():
    ended = played_out(GameEnded("signed", 999 * SECOND))
    (line,) = ended.adjustments
    assert line.tiles
    for audience, public, reported in (
        ("public", PublicPolicy(), True),
        ("public", PublicPolicy(racks="never"), False),
        ("broadcast", PublicPolicy(racks="never"), True),
        ("player", PublicPolicy(), False),
    ):
        (shown,) = view(ended, audience, public=public)["adjustments"]
        assert shown.get("tiles") == (line.tiles if reported else None)
    assert view(played_out(), "broadcast")["adjustments"] == []


def test_a_phoney_is_told_once_nobody_can_challenge_it():
    # cAT is a word; CAT+AXE: AXE is not in the list.
    assert phonies(game(FIRST)) == [None]
    assert phonies(game(FIRST, SECOND_BOARD)) == [False, None]
    assert phonies(game(FIRST, SECOND_BOARD, SECOND_BOARD)) == [False, True, None]
    ended = game(FIRST, SECOND_BOARD, extra=[GameEnded("agreed", 200 * SECOND)])
    assert phonies(ended) == [False, True]
    assert phonies(ended, public=PublicPolicy(words="after")) == [False, True]
    assert phonies(game(FIRST, SECOND_BOARD), public=PublicPolicy(words="after")) == [None, None]
    assert phonies(ended, public=PublicPolicy()) == [None, None]
    assert phonies(ended, "player") == [None, None]
    assert phonies(ended, "broadcast", PublicPolicy()) == [False, True]
    # One that came off is not judged again, nor is one with a blank that has no letter.
    ruled = TurnRuled(1, "challenge_upheld", "director", "not in the list", 61 * SECOND)
    assert phonies(game(FIRST, extra=[ruled])) == [None]
    unnamed = tuple(row.replace("c", "?") for row in FIRST)
    assert phonies(game(unnamed, extra=[GameEnded("agreed", 200 * SECOND)])) == [None]


def test_a_running_table_serves_what_its_configuration_lets_the_public_see(tmp_path, monkeypatch):
    """A table whose buttons are a page also says where the clock is."""
    sites = []

    def created(site, *more):
        sites.append(site)
        return create_app(site, *more)

    monkeypatch.setattr("table.serving.create_app", created)
    words = tmp_path / "words.txt"
    words.write_text("CAT\nACT\n")
    config = TableConfig(
        camera=Camera(kind="webcam"),
        buttons=Buttons(kind="web"),
        serve=Serve(port=0),
        public=LIVE,
        word_list=words,
    )
    output: list[str] = []
    with opened(config, tmp_path / "data", output.append, reader=FakeReader()) as table:
        url = serve_pages(table)
        (served,) = sites[0].tables
        assert served.allowed == LIVE
        assert isinstance(served.public._feed, DelayedFeed)
        assert served.feeds["player"].kept()[-1].view["audience"] == "player"
        (line,) = [line for line in output if "clock" in line]
        path, key = line.split()[-1].removeprefix(url).split("#")
        assert path == "/tables/1/clock"
        request = Request(f"{url}{path}/api", headers={"X-Clock-Key": key})
        with urlopen(request, timeout=PATIENCE_S) as answer:
            assert json.load(answer)["view"]["clocks"]["running"] is None


def recorded(ended: bool = False, exchanged: str = "QXZ"):
    """Two plays, an exchange of known tiles, and a play that is challenged off."""
    names = {"left": "Ann", "right": "Bob"}
    events = [GameStarted("g", names, "wespa-2021", "english", "left", 0)]
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
    text = write(record_for(recorded(), audience))
    for letters in ("QXZ", "AEIJKRT", "JK"):
        assert letters not in text
    assert ">Ann: UNKNOWN -3 +0" in text
    assert "#incomplete" in text
    assert ">Bob: LQST -- " in text
    assert parse(text).entries == record_for(recorded(), audience).entries


@pytest.mark.parametrize(
    ("entered", "full", "number"),
    [("3", "3", "3"), ("Q, X; z", "QXZ", "3"), ("qx", "QX", "2"), ("Q?", "Q?", "2")],
)
def test_an_exchange_is_written_as_it_can_be_read(entered, full, number):
    for audience, shown in (("director", full), ("public", number)):
        text = write(record_for(recorded(exchanged=entered), audience))
        assert f">Ann: UNKNOWN -{shown} +0" in text
        exchange = next(one for one in parse(text).entries if one.kind == "exchange")
        assert exchange.exchanged == shown


def test_a_settled_game_tells_the_racks_where_the_event_lets_it():
    settled = recorded(ended=True)
    assert settled.settled
    full = write(record_for(settled, "director"))
    assert "AEIJKRT" in full
    assert write(record_for(settled, "public")) == full
    assert write(record_for(settled, "broadcast", PublicPolicy(racks="never"))) == full
    withheld = write(record_for(settled, "public", PublicPolicy(racks="never")))
    assert "AEIJKRT" not in withheld
    assert "DVW" not in withheld
    assert "#incomplete" in withheld
