"""A game on the stand-in becomes and stays the same as the table's record."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.board import Board
from game.errors import TilewatchError
from game.events import (
    BlankDesignated,
    GameEnded,
    GameForfeited,
    RackReported,
    SquareCorrected,
    TurnRuled,
)
from game.state.fold import apply
from tests.game.gamekit import SECOND, Table, random_game
from woogles.client import RefusedError
from woogles.slot import HeldError

from .standin import Standin
from .wooglekit import Followed, shown_of


@pytest.fixture
def standin():
    server = Standin()
    server.pair(1, 7, "Lee, Ann", "Bo")
    yield server
    server.close()


@pytest.fixture
def followed(standin, tmp_path):
    return Followed(standin, tmp_path)


def ruled(table: Table, turn: int, ruling: str, **more):
    table.now += SECOND
    return table.put(TurnRuled(turn, ruling, "TD", "", table.now, **more))


def opening(**options) -> Table:
    """Three plays and a pass."""
    table = Table(**options)
    table.play("8G", "CAT")
    table.play("9H", "ON")
    table.play("10I", "EA")
    table.nothing()
    return table


def test_a_game_is_claimed_and_sent_play_by_play(followed, standin):
    table = Table()
    followed.look(shown_of(table.state))
    assert standin.calls[:4] == ["GetBroadcastGames", "ClaimGame", "GetGameOwner",
                                 "GetGameDocument"]  # fmt: skip
    for where, word in (("8G", "CAT"), ("9H", "ON"), ("10I", "EA")):
        table.play(where, word)
        followed.look(shown_of(table.state))
        followed.assert_same()
    assert [one["event"]["type"] for one in standin.sent] == [0, 0, 0]
    assert not any(one["amendment"] for one in standin.sent)
    assert followed.reports.now is None


def test_nothing_is_asked_while_nothing_is_new(followed, standin):
    shown = shown_of(opening().state)
    followed.look(shown)
    before = len(standin.calls)
    followed.look(shown)
    assert len(standin.calls) == before


def test_a_letter_that_is_corrected_is_amended_and_what_was_dropped_is_sent_again(
    followed, standin
):
    table = opening()
    followed.look(shown_of(table.state))
    standin.sent.clear()
    table.put(SquareCorrected(1, "8G", "B", "TD", "", table.now))
    table.put(SquareCorrected(2, "9H", "I", "TD", "", table.now))
    followed.look(shown_of(table.state))
    followed.assert_same()
    assert {one["amendment"] for one in standin.sent} == {True}
    assert "ReplaceGameDocument" not in standin.calls


def test_later_events_that_no_longer_fit_come_back_after_an_amendment(followed, standin):
    table = opening()
    followed.look(shown_of(table.state))
    standin.sent.clear()
    # The first play lay elsewhere: the server drops all that followed.
    table = Table()
    for where, word in (("8D", "CAT"), ("9E", "ON"), ("10F", "EA")):
        table.play(where, word)
    table.nothing()
    followed.look(shown_of(table.state))
    followed.assert_same()
    assert [one["amendment"] for one in standin.sent] == [True, False, False, False]


@pytest.mark.parametrize("rule", ["FIVE_POINT", "TEN_POINT", "DOUBLE", "SINGLE"])
def test_a_challenge_that_the_lexicon_confirms_is_one_call(tmp_path, rule):
    server = Standin(words={"CAT", "ON", "AT"})
    server.rule = rule
    server.pair(1, 7, "Ann Lee", "Bo")
    followed = Followed(server, tmp_path)
    table = Table()
    table.play("8G", "CATZ")
    followed.look(shown_of(table.state))
    table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    followed.look(shown_of(table.state))
    followed.assert_same()
    assert followed.document().events[-1].kind == "PHONY_TILES_RETURNED"
    assert "ReplaceGameDocument" not in server.calls
    assert followed.reports.differences == []
    server.close()


def test_a_failed_challenge_names_its_words(followed, standin):
    table = Table(rulebook="wespa-2021", adjust={"challenge.failed": "points",
                  "challenge.failed_points": 5, "challenge.failed_per": "word"})  # fmt: skip
    table.play("8G", "CAT")
    table.play("9G", "ON")
    followed.look(shown_of(table.state))
    ruled(table, 2, "challenge_failed", words=1, challenged_words=("AN",))
    followed.look(shown_of(table.state))
    followed.assert_same()
    assert standin.sent[-1]["event"]["type"] == 3
    assert followed.document().events[-1].points == 5


def test_a_verdict_that_the_server_does_not_share_is_sent_whole_and_told(followed, standin):
    table = Table()  # the stand-in knows every word
    table.play("8G", "CATZ")
    ruled(table, 1, "challenge_upheld")
    followed.look(shown_of(table.state))
    followed.assert_same()
    assert "ReplaceGameDocument" in standin.calls
    assert followed.reports.differences == [
        "event 2: the table has player 1: phony tiles returned -30, and Woogles had player 1: "
        "challenge bonus +5. Woogles has the table's now"
    ]
    table.board = Board.empty()
    table.play("8H", "ON")
    followed.look(shown_of(table.state))
    followed.assert_same()
    assert followed.document().raw["description"] == "kept"


def test_a_broadcast_that_refuses_phoneys_is_told_before_the_first_play(tmp_path):
    server = Standin(words={"ON"})
    server.rule = "VOID"
    server.pair(1, 7, "Ann Lee", "Bo")
    followed = Followed(server, tmp_path)
    table = Table()
    followed.look(shown_of(table.state))
    assert "VOID" in followed.reports.now
    table.play("8G", "CATZ")
    ruled(table, 1, "challenge_upheld")
    followed.look(shown_of(table.state))
    followed.assert_same()
    server.close()


def test_a_blank_without_a_letter_waits(followed, standin):
    table = Table()
    table.play("8G", "CAT")
    table.play("9G", "O?")
    table.play("10G", "AD")
    followed.look(shown_of(table.state))
    assert len(followed.document().events) == 1
    table.put(BlankDesignated("9H", "n", "TD", "", table.now))
    followed.look(shown_of(table.state))
    followed.assert_same()
    assert len(followed.document().events) == 3


def test_racks_are_set_once_and_only_where_they_are_given(followed, standin):
    state = opening().state
    followed.look(shown_of(state))
    assert "SetRacks" not in standin.calls
    shown = shown_of(state, racks=("AEINRT?", None))
    followed.look(shown)
    followed.look(shown_of(state, racks=("AEINRT?", None), round=1))
    assert standin.calls.count("SetRacks") == 1
    assert followed.document().racks == (bytes([0, 1, 5, 9, 14, 18, 20]), b"")


def test_a_table_that_somebody_else_has_claimed_is_left_alone(followed, standin):
    standin.ClaimGame({"round": 1, "table_number": 7, "division": "A"})
    standin.games["g0"].owner = "rival"
    with pytest.raises(HeldError, match="table 7 in round 1 is claimed by rival"):
        followed.look(shown_of(opening().state))
    assert "ClaimGame" not in standin.calls
    assert standin.sent == []


def test_pairings_without_the_table_are_waited_for(followed):
    with pytest.raises(HeldError, match="no table 7 in round 2 yet"):
        followed.look(shown_of(opening().state, round=2))


def test_who_plays_first_there_is_told_with_the_remedy_and_looked_for_again(tmp_path):
    server = Standin()
    server.pair(1, 7, "Bo", "Ann Lee")
    followed = Followed(server, tmp_path)
    shown = shown_of(opening().state)
    with pytest.raises(HeldError, match="Bo plays first on Woogles, and Ann Lee at the table"):
        followed.look(shown)
    assert server.sent == []
    server.games.clear()
    server.pair(1, 7, "Ann Lee", "Bo")
    followed.look(shown)
    followed.assert_same()
    server.close()


def test_a_game_between_others_is_no_place_for_ours(tmp_path):
    server = Standin()
    server.pair(1, 7, "Cy", "Di")
    with pytest.raises(HeldError, match="between Cy and Di"):
        Followed(server, tmp_path).look(shown_of(opening().state))
    server.close()


def test_a_key_that_is_refused_is_said_and_never_shown(followed, standin, caplog):
    standin.key = "another"
    with pytest.raises(RefusedError, match="auth-methods-failed") as refused:
        followed.look(shown_of(opening().state))
    assert "secret-key" not in f"{refused.value!r} {caplog.text} {followed.follower.__dict__!r}"


def test_a_game_of_ones_own_is_made_once_even_if_the_answer_is_lost(tmp_path, standin):
    standin.slots.clear()
    followed = Followed(standin, tmp_path, broadcast="", lexicon="CSW24")
    standin.faults.extend([None, "lose"])
    shown = shown_of(opening().state)
    assert followed.look(shown) == 1
    followed.assert_same()
    assert list(standin.games) == ["own0"]
    followed.restart()
    followed.look(shown)
    assert list(standin.games) == ["own0"]


def test_an_unfinished_game_of_others_holds_a_game_of_ones_own(tmp_path, standin):
    standin.CreateAnnotatedGame(
        {
            "players_info": [{"full_name": "Cy", "first": True}, {"full_name": "Di"}],
            "challenge_rule": 3,
        }
    )
    followed = Followed(standin, tmp_path, broadcast="", lexicon="CSW24")
    with pytest.raises(HeldError, match="unfinished game own0 between Cy and Di"):
        followed.look(shown_of(opening().state))


def finished(seed: int = 4) -> Table:
    table = random_game(seed, pass_rate=0.05)
    if not table.racks["left"] or not table.racks["right"]:
        last = table.state.turns[-1].side
        table.put(GameEnded("out", table.now + SECOND))
        for side in ("left", "right"):
            if side != last:
                table.put(RackReported(side, "".join(table.racks[side]), table.now + SECOND))
    return table


def test_the_end_has_the_final_pass_the_racks_and_then_clocks_in_one_document(followed, standin):
    table = finished()
    followed.look(shown_of(table.state))
    followed.assert_same()
    document = followed.document()
    assert document.state == "GAME_OVER"
    assert [one.kind for one in document.events[-3:]] == [
        "PASS",
        "END_RACK_PTS",
        "END_RACK_PENALTY",
    ]
    assert all(one.millis is not None for one in document.events[:-3])
    assert standin.calls.count("ReplaceGameDocument") == 1
    assert followed.reports.differences == []
    before = len(standin.calls)
    followed.restart()
    followed.look(followed.shown)
    assert standin.calls[before:] == ["GetGameDocument"]


def test_an_event_names_the_player_who_makes_it(followed, standin):
    table = Table(rulebook="wespa-2021")
    table.play("8G", "CAT")
    followed.look(shown_of(table.state))
    ruled(table, 1, "challenge_failed", words=1, challenged_words=("CAT",))
    table.play("9H", "ON")
    followed.look(shown_of(table.state))
    assert [(one["event"]["type"], one["user_id"]) for one in standin.sent] == [
        (0, "internal-Lee, Ann"), (3, "internal-Bo"), (0, "internal-Bo"),
    ]  # fmt: skip


def test_sums_that_an_amendment_left_behind_are_mended(followed, standin):
    table = Table(rulebook="wespa-2021")
    table.play("8G", "CAT")
    ruled(table, 1, "challenge_failed", words=1, challenged_words=("CAT",))
    followed.look(shown_of(table.state))
    table.put(SquareCorrected(1, "8G", "K", "TD", "", table.now))
    followed.look(shown_of(table.state))
    followed.assert_same()
    assert standin.sent[-1]["amendment"]
    assert standin.calls.count("ReplaceGameDocument") == 1
    assert followed.reports.differences == []


@pytest.mark.parametrize("broadcast", ["open", ""])
def test_a_game_is_done_there_though_a_document_was_needed_at_its_end(tmp_path, broadcast):
    server = Standin()
    server.pair(1, 7, "Ann Lee", "Bo")
    followed = Followed(server, tmp_path, broadcast=broadcast, lexicon="CSW24")
    table = finished()
    states = [apply(None, table.events[0])]
    for event in table.events[1:]:
        states.append(apply(states[-1], event))
    followed.look(shown_of(next(one for one in states if len(one.turns) == 5)))
    game = next(iter(server.games.values()))
    game.doc["events"][1]["score"] += 3  # somebody typed there
    followed.look(shown_of(table.state))
    followed.assert_same()
    assert game.done
    assert server.GetMyUnfinishedGames({})["games"] == []
    server.close()


def test_a_player_who_resigns_ends_the_game_there(followed, standin):
    table = opening()
    followed.look(shown_of(table.state))
    table.put(GameForfeited("left", "resigned", "TD", "", table.now + SECOND))
    followed.look(shown_of(table.state))
    followed.assert_same()
    assert standin.games["g0"].done
    assert standin.sent[-1]["event"]["type"] == 4


@pytest.mark.parametrize("fault", ["refuse_500", "html", "lose", "half", "late", "drop", "wrong"])
def test_no_fault_makes_an_event_come_twice(standin, tmp_path, fault):
    followed = Followed(standin, tmp_path)
    table = Table()
    for where, word in (("8G", "CAT"), ("9H", "ON"), ("10I", "EA")):
        table.play(where, word)
        table.nothing()
        table.nothing()
        for at in range(6):
            standin.faults.extend([None] * at + [fault])
            followed.look(shown_of(table.state))
            standin.faults.clear()
    followed.assert_same()


FAULTS = st.sampled_from(["refuse_500", "html", "lose", "half", "drop", "wrong", None, None])


@given(st.integers(0, 2**32), st.lists(FAULTS, min_size=50, max_size=120))
@settings(max_examples=12, deadline=None)
def test_any_game_ends_the_same_whatever_was_corrected_and_whatever_failed(
    tmp_path_factory, seed, faults
):
    """Corrections, challenges, restarts and at least 50 faults or tries of them."""
    rng = random.Random(seed)
    server = Standin(words=_Half(seed))
    server.rule = rng.choice(["VOID", "SINGLE", "DOUBLE", "FIVE_POINT", "TEN_POINT"])
    server.pair(1, 7, "Ann Lee", "Bo")
    followed = Followed(server, tmp_path_factory.mktemp("woogles"))
    server.faults.extend(faults)
    events = list(finished(seed).events)
    state, corrections = None, []
    for event in events:
        state = apply(state, event)
        if rng.random() < 0.15 and state.turns:
            state = _corrected(state, rng, corrections)
        if rng.random() < 0.3:
            followed.look(shown_of(state))
        if rng.random() < 0.05:
            followed.restart()
    followed.look(shown_of(state))
    followed.assert_same()
    server.close()


class _Half:
    """A lexicon with half of all words."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __contains__(self, word: object) -> bool:
        return random.Random(f"{self._seed}{word}").random() < 0.5


def _corrected(state, rng, corrections):
    turn = rng.choice(state.turns)
    t_ns = max(state.turns[-1].press_ns, *corrections, 0) + 1
    ruling = rng.choice(["challenge_upheld", "challenge_failed", "pass", "exchange", "play"])
    events = [TurnRuled(turn.number, ruling, "TD", "", t_ns)]
    if turn.tiles:
        square = rng.choice(list(turn.tiles))
        letter = rng.choice("AEIOURST")
        events.append(SquareCorrected(turn.number, square, letter, "TD", "", t_ns))
    event = rng.choice(events)
    try:
        found = apply(state, event)
    except TilewatchError:
        return state
    corrections.append(t_ns)
    return found


def test_a_correction_after_the_end_is_carried_too(followed):
    table = finished()
    followed.look(shown_of(table.state))
    turn = next(one for one in table.state.turns if one.tiles)
    state = apply(
        table.state,
        SquareCorrected(turn.number, next(iter(turn.tiles)), "E", "TD", "", table.now + 2 * SECOND),
    )
    followed.look(shown_of(state))
    followed.assert_same()


def test_a_game_that_cannot_be_followed_does_not_keep_the_next_from_it(followed, standin):
    table = opening()
    with pytest.raises(HeldError):
        followed.look(shown_of(table.state, round=9))
    later = replace(table.state, game_id="g2")
    assert followed.look(shown_of(later)) == 0
    followed.assert_same()
