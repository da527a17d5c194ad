"""Views: complete for whoever shows them, and nothing in them that players may not know."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from game.board import Board, Square
from game.events import (
    BlankDesignated,
    ButtonPressed,
    ChallengeBonus,
    ClockAdjusted,
    Event,
    Finding,
    GameEnded,
    GameForfeited,
    GameStarted,
    RackReported,
    ResultSigned,
    ScoreAgreed,
    SquareCorrected,
    StopExplained,
    TurnInserted,
    TurnParted,
    TurnRuled,
    TurnSeen,
    TurnsJoined,
)
from game.flags import CODES, make_flag
from game.state.fold import GameState, apply, fold
from game.tileset import load_tile_set
from table.views.views import AUDIENCES, may_see, view
from tests.game.gamekit import Table

SECOND = 1_000_000_000
START = GameStarted("g1", {"left": "Ann", "right": "Bob"}, "wespa-2021", "english", None, 0)


def rows(**tiles: str) -> tuple[str, ...]:
    """A board from words: ``rows(r8H="CAT")`` across, ``rows(dH8="CAT")`` down."""
    board = Board.empty()
    for place, word in tiles.items():
        square = Square.parse(place[1:])
        changes = {square.step(place[0] == "r", at): symbol for at, symbol in enumerate(word)}
        board = board.replace(changes)
    return board.rows


def game(*boards: tuple[str, ...], extra: Sequence[Event] = ()) -> GameState:
    events: list[Event] = [START, ButtonPressed("right", 0)]
    for number, seen in enumerate(boards, start=1):
        side = "left" if number % 2 else "right"
        press = number * 60 * SECOND
        events += [ButtonPressed(side, press), TurnSeen(side, press, seen, press)]
    return fold([*events, *extra])


FIRST = rows(r8G="cAT")
SECOND_BOARD = rows(r8G="cAT", dH8="AXE")


def test_the_view_says_all_that_a_page_needs():
    state = game(FIRST, SECOND_BOARD)
    shown = view(state, "public")
    assert json.loads(json.dumps(shown)) == shown
    assert shown["audience"] == "public"
    assert shown["status"] == "running"
    assert shown["on_turn"] == "left"
    assert shown["rulebook"]["id"] == "wespa-2021"
    assert shown["tile_set"]["values"]["X"] == 8
    assert shown["tile_set"]["total"] == 100
    assert shown["players"] == {
        "left": {"name": "Ann", "score": state.scores["left"]},
        "right": {"name": "Bob", "score": state.scores["right"]},
    }
    assert shown["scores"] == {"left": state.scores["left"], "right": state.scores["right"]}
    assert shown["rows"] == list(SECOND_BOARD)
    assert shown["last"] == ["9H", "10H"]
    assert shown["squares"] == {
        "8G": {"symbol": "c", "value": 0, "blank": True, "turn": 1},
        "8H": {"symbol": "A", "value": 1, "blank": False, "turn": 1},
        "8I": {"symbol": "T", "value": 1, "blank": False, "turn": 1},
        "9H": {"symbol": "X", "value": 8, "blank": False, "turn": 2},
        "10H": {"symbol": "E", "value": 1, "blank": False, "turn": 2},
    }
    assert shown["bag_count"] == 100 - 14 - 5
    assert [turn["number"] for turn in shown["turns"]] == [1, 2]
    assert shown["turns"][1]["position"] == "H8"
    assert shown["turns"][1]["word"] == ".XE"
    assert shown["turns"][1]["tiles"] == {"9H": "X", "10H": "E"}
    assert shown["turns"][1]["press_ms"] == 120_000


def test_the_clocks_can_be_told_at_any_moment():
    state = game(FIRST, SECOND_BOARD)
    clocks = view(state, "player")["clocks"]
    assert clocks["running"] == "left"
    for later in (0, 7 * SECOND, 3000 * SECOND):
        now = clocks["since_ns"] + later
        assert clocks["remaining_ns"]["left"] - later == state.clocks.remaining("left", now)
        assert clocks["remaining_ns"]["right"] == state.clocks.remaining("right", now)


@pytest.mark.parametrize("reason", ["challenge", "medical", None])
@pytest.mark.parametrize("audience", AUDIENCES)
def test_why_the_clock_stands_is_for_the_director_alone_but_for_a_challenge(audience, reason):
    at = 130 * SECOND
    why = [StopExplained(2, reason, "TD", "", at)] if reason else []
    state = game(FIRST, SECOND_BOARD, extra=[ButtonPressed("neutral", at), *why])
    known = reason if audience == "director" or reason == "challenge" else None
    assert view(state, audience)["clocks"].get("stopped_for") == known
    for later in (
        TurnRuled(2, "challenge_failed", "TD", "", at) if reason == "challenge" else None,
        ButtonPressed("right", at + SECOND),
    ):
        if later is not None:
            state = apply(state, later)
            assert "stopped_for" not in view(state, audience)["clocks"]


def test_a_ruling_from_before_a_stop_is_no_answer_to_the_challenge():
    at = 130 * SECOND
    state = game(
        FIRST,
        SECOND_BOARD,
        extra=[
            TurnRuled(2, "play", "TD", "one turn", at - SECOND),
            ButtonPressed("neutral", at),
            StopExplained(2, "challenge", "TD", "", at),
        ],
    )
    assert view(state, "public")["clocks"]["stopped_for"] == "challenge"


OFF_CENTRE = rows(r1A="CAT")


def codes(shown: dict, number: int) -> list[str]:
    return [flag["code"] for flag in shown["turns"][number - 1]["flags"]]


@pytest.mark.parametrize("audience", AUDIENCES)
def test_what_only_the_opponent_may_raise_waits_until_the_right_has_gone(audience):
    shown = view(game(OFF_CENTRE), audience)
    assert ("off_centre" in codes(shown, 1)) == (audience == "director")
    shown = view(game(OFF_CENTRE, rows(r1A="CATS")), audience)
    assert "off_centre" in codes(shown, 1)
    shown = view(game(OFF_CENTRE, extra=[GameEnded("stopped", 90 * SECOND)]), audience)
    assert "off_centre" in codes(shown, 1)


@pytest.mark.parametrize("audience", AUDIENCES)
def test_a_press_in_error_is_no_turn_by_which_the_opponents_right_goes(audience):
    pressed = game(OFF_CENTRE, OFF_CENTRE, extra=[TurnRuled(2, "undone", "TD", "", 61 * SECOND)])
    assert ("off_centre" in codes(view(pressed, audience), 1)) == (audience == "director")


@pytest.mark.parametrize("code", CODES)
def test_every_flag_is_seen_by_those_it_is_for(code):
    state = game(FIRST)
    flag = make_flag(code, ("8H",), message="…")
    seen = {who for who in AUDIENCES if may_see(flag, state.turns[0], state, who)}
    assert seen == (set(AUDIENCES) if flag.visibility == "public" else {"director"})
    later = game(FIRST, SECOND_BOARD)
    seen = {who for who in AUDIENCES if may_see(flag, later.turns[0], later, who)}
    assert seen == ({"director"} if flag.visibility == "director" else set(AUDIENCES))


@pytest.mark.parametrize("audience", AUDIENCES)
def test_a_settled_flag_is_history_for_the_director_alone(audience):
    found = (Finding("askew", "8H"),)
    state = fold(
        [
            START,
            ButtonPressed("right", 0),
            TurnSeen("left", SECOND, rows(r8G="CAT"), findings=found),
        ]
    )
    (flag,) = view(state, audience)["turns"][0]["flags"]
    assert flag["squares"] == ["8H"]
    if audience == "public":
        assert set(flag) == {"code", "label", "squares", "rule", "message"}
    state = apply(state, SquareCorrected(1, "8H", "A", "TD", "", 2 * SECOND))
    flags = view(state, audience)["turns"][0]["flags"]
    assert [flag["settled"] for flag in flags] == ([4] if audience == "director" else [])


def played_out(*extra: Event, blanks_last: bool = False) -> GameState:
    """A whole game of seven tiles a turn, laid row by row, until one player is out."""
    tiles = "".join(t * n for t, n in load_tile_set("english").counts.items())
    tiles = tiles if blanks_last else tiles[::-1]
    state = apply(fold([START]), ButtonPressed("right", 0))
    placed = press = 0
    while state.status == "running":
        assert state.on_turn is not None
        press += SECOND
        placed += state.racks[state.on_turn]
        cells = tiles[:placed].ljust(225, ".")
        seen = tuple(cells[i : i + 15] for i in range(0, 225, 15))
        state = apply(state, TurnSeen(state.on_turn, press, seen, press))
    for event in extra:
        state = apply(state, event)
    return state


@pytest.mark.parametrize("audience", AUDIENCES)
def test_the_other_rack_stays_unknown_until_the_end_is_settled(audience):
    state = played_out()
    assert state.end_reason == "out"
    (line,) = state.adjustments
    assert line.points > 0
    shown = view(state, audience)
    hidden = 0 if audience == "director" else line.points
    assert shown["scores"][line.side] == state.scores[line.side] - hidden
    assert len(shown["adjustments"]) == (audience == "director")
    settled = view(played_out(GameEnded("signed", 999 * SECOND)), audience)
    assert settled["scores"][line.side] == state.scores[line.side]
    assert len(settled["adjustments"]) == 1


@pytest.mark.parametrize("audience", ["public", "player", "broadcast"])
def test_a_rack_that_is_worth_nothing_is_not_given_away_either(audience):
    state = played_out(blanks_last=True)
    (line,) = state.adjustments
    assert (line.points, line.tiles) == (0, "??")
    shown = view(state, audience)
    assert shown["outcome"] is None
    assert shown["adjustments"] == []


@pytest.mark.parametrize("audience", ["public", "player", "broadcast"])
def test_nobody_has_won_before_the_scores_are_final(audience):
    """Racks and time may turn a close game round."""
    out = played_out()
    assert out.outcome is not None
    shown = view(out, audience)
    assert (shown["status"], shown["settled"], shown["final"]) == ("ended", False, False)
    assert shown["outcome"] is None
    # Somebody ended it, but what it costs is not known yet.
    zeros = game(FIRST, extra=[GameEnded("six_zeros", 90 * SECOND)])
    shown = view(zeros, audience)
    assert (shown["settled"], shown["final"], shown["outcome"]) == (True, False, None)
    left = apply(zeros, RackReported("left", "AEIOU", 91 * SECOND, counted=5))
    assert view(left, audience)["final"] is False
    both = apply(left, RackReported("right", "QZ", 91 * SECOND, counted=2))
    shown = view(both, audience)
    assert (shown["final"], shown["outcome"]["winner"]) == (True, both.outcome.winner)
    assert shown["scores"] == dict(both.scores)


@pytest.mark.parametrize("audience", AUDIENCES)
def test_a_result_that_an_open_question_may_change_is_provisional_until_it_is_signed(audience):
    seen = TurnSeen(
        "left", 60 * SECOND, FIRST, 60 * SECOND, findings=(Finding("uncertain_square", "8I"),)
    )
    events = [START, ButtonPressed("right", 0), ButtonPressed("left", 60 * SECOND), seen]
    asked = fold(events)
    assert view(asked, audience)["provisional"] is False  # the game goes on
    ended = apply(asked, GameEnded("agreed", 90 * SECOND))
    shown = view(ended, audience)
    assert (shown["final"], shown["provisional"]) == (True, True)
    answer = SquareCorrected(1, "8I", "T", "TD", "seen", 91 * SECOND)
    assert view(apply(ended, answer), audience)["provisional"] is False
    signed = apply(ended, ResultSigned("both players", 92 * SECOND))
    assert view(signed, audience)["provisional"] is False


@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("rulebook", ["wespa-2021", "naspa-2017"])
def test_a_play_with_a_tile_that_is_not_read_is_being_checked(audience, rulebook):
    """Whatever is wrong with the tile: under NASPA's rules only the opponent may say face down."""
    asked = []
    for symbol in "~#":
        table = Table(rulebook=rulebook)
        table.play("8F", f"FI{symbol}NS")
        table.play("9F", "ON")
        asked.append([turn.get("checking") for turn in view(table.state, audience)["turns"]])
        assert view(table.state, audience)["squares"]["8H"]["value"] is None
    assert asked[0] == asked[1] == [None if audience == "director" else True, None]
    for end in (GameEnded("agreed", table.now), ResultSigned("both players", table.now)):
        table.put(end)
    assert "checking" not in view(table.state, audience)["turns"][0]


@pytest.mark.parametrize("audience", ["player", "public"])
def test_a_turn_of_more_tiles_than_a_rack_is_being_checked_until_it_is_ruled_on(audience):
    table = Table(rulebook="naspa-2017")
    table.play("8D", "ABCDEFGH")
    assert view(table.state, audience)["turns"][0]["checking"] is True
    table.put(TurnRuled(1, "play", "TD", "seen on video", table.now))
    assert "checking" not in view(table.state, audience)["turns"][0]


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize("symbol", "~#")
def test_a_play_is_being_checked_until_it_is_settled_whether_a_tile_read_late_counts(
    symbol, counted
):
    """The mark stands where the answer changes something, not on the turn that could read it."""
    table = Table(rulebook="naspa-2017")
    table.play("8F", f"FI{symbol}NS")
    table.lay("8H=R", "9F=O", "9G=N")

    def checked() -> list[int]:
        turns = view(table.state, "public")["turns"]
        return [turn["number"] for turn in turns if "checking" in turn]

    def about(number: int) -> list[int | None]:
        flags = view(table.state, "director")["turns"][number - 1]["flags"]
        return [flag.get("turn") for flag in flags if flag["settled"] is None]

    assert checked() == [1]
    assert (about(1), about(2)) == ([], [1])
    table.put(SquareCorrected(1 if counted else 2, "8H", "R", "TD", "seen", table.now))
    assert table.state.turns[0].tiles["8H"] == ("R" if counted else symbol)
    assert checked() == []
    assert (about(1), about(2)) == ([], [])


@pytest.mark.parametrize("audience", AUDIENCES)
def test_a_signed_result_is_final_though_nobody_ended_the_game(audience):
    out = played_out()
    signed = apply(out, ResultSigned("both players", 999 * SECOND))
    shown = view(signed, audience)
    assert (shown["settled"], shown["final"]) == (True, True)
    assert shown["scores"] == dict(out.scores)
    assert shown["outcome"]["winner"] == out.outcome.winner
    assert len(shown["adjustments"]) == len(out.adjustments)


def test_a_bonus_is_seen_by_all():
    bonus = ChallengeBonus("left", 5, "4.6.10", "director", "challenged in vain", 61 * SECOND)
    for audience in AUDIENCES:
        shown = view(game(FIRST, extra=[bonus]), audience)
        assert [line["points"] for line in shown["adjustments"]] == [5]
        assert shown["scores"]["left"] == shown["turns"][0]["total"] + 5


@pytest.mark.parametrize("audience", ["public", "player"])
def test_nothing_tells_players_which_tiles_are_unseen_or_on_a_rack(audience):
    state = game(FIRST, extra=[RackReported("right", "QJZXVKW", 61 * SECOND)])
    text = json.dumps(view(state, audience))
    assert "QJZXVKW" not in text
    for word in ("unseen", "rack", "counts", "valid", "guesses"):
        assert f'"{word}' not in text


@pytest.mark.parametrize("audience", AUDIENCES)
def test_everybody_is_told_who_won(audience):
    state = game(FIRST)
    assert view(state, audience)["outcome"] is None
    left = apply(state, GameForfeited("right", "left", "td", "", 61 * SECOND, margin=70))
    assert view(left, audience)["outcome"] == {
        "kind": "left",
        "winner": "left",
        "margin": 70,
        "rule": "5.7(d)",
        "loss": None,
        "basis": "set by the director",
        "unrated": None,
    }
    ended = apply(state, GameEnded("agreed", 61 * SECOND))
    assert view(ended, audience)["outcome"]["winner"] == "left"


@pytest.fixture
def table() -> Table:
    made = Table()
    made.play("8D", "FIRNS")
    made.play("H8", ".HO?")
    made.seconds = 45
    made.play("10F", "TO.LS")
    return made


@pytest.mark.parametrize("audience", AUDIENCES)
def test_a_turn_has_the_time_that_it_took_and_what_the_clock_showed(table, audience):
    turns = view(table.state, audience)["turns"]
    assert [turn["used_ns"] for turn in turns] == [30 * SECOND, 30 * SECOND, 45 * SECOND]
    full = table.state.rulebook.clock_ns
    assert [full - turn["clock_ns"] for turn in turns] == [30 * SECOND, 30 * SECOND, 75 * SECOND]


def test_time_given_to_a_clock_is_no_time_that_a_turn_took(table):
    table.put(ClockAdjusted("left", 120 * SECOND, None, "director", "late press", table.now))
    turns = view(table.state, "public")["turns"]
    assert [turn["used_ns"] for turn in turns] == [30 * SECOND, 30 * SECOND, 45 * SECOND]
    table.play("F10", ".AX")
    table.play("12E", "OX.")
    assert view(table.state, "public")["turns"][-1]["used_ns"] == 45 * SECOND


def corrected(table: Table) -> list[int]:
    turns = view(table.state, "public")["turns"]
    return [turn["number"] for turn in turns if turn.get("corrected")]


def ruled(turn: int, ruling: str):
    return lambda table: TurnRuled(turn, ruling, "director", "as it was", table.now)


def agreed(turn: int, side: str, more: int):
    return lambda table: ScoreAgreed(
        turn, side, table.state.turns[turn - 1].score + more, "director", "agreed", 0
    )


def before(table: Table, turn: int) -> int:
    return table.state.turns[turn - 1].press_ns - 5 * SECOND


def inserted(table: Table) -> TurnInserted:
    return TurnInserted(2, "right", {}, before(table, 2), "director", "not seen", table.now)


def parted(table: Table) -> TurnParted:
    squares = ("8D", "8E")
    return TurnParted(1, squares, "left", before(table, 1), "director", "forgotten", table.now)


@pytest.mark.parametrize(
    ("events", "marked"),
    [
        ([], []),
        ([lambda table: SquareCorrected(1, "8D", "T", "director", "misread", table.now)], [1]),
        # The letter of a blank is no correction, nor is an answer that leaves a turn as it stood.
        ([lambda table: BlankDesignated("11H", "e", "director", "as said", table.now)], []),
        ([ruled(2, "play"), agreed(3, "left", 0)], []),
        ([ruled(3, "challenge_upheld")], []),
        ([ruled(3, "undone")], [3]),
        ([agreed(1, "left", 2)], [1]),
        ([inserted], [2]),
        ([inserted, lambda t: TurnsJoined(2, "right", "director", "it was one", t.now)], [2]),
        ([parted], [1, 2]),
    ],
)
def test_a_turn_that_was_put_right_is_marked(table, events, marked):
    for event in events:
        table.put(event(table))
    assert corrected(table) == marked
