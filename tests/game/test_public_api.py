"""The public names of ``game``, and the examples of docs/game.md."""

from __future__ import annotations

import copy
import dataclasses
import doctest
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import game
from game import Game, TilewatchError, check_gcg, events, read_gcg

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "game.md"
SHARED = ROOT.parent / "shared" / "gcg"


def test_every_public_name_can_be_imported():
    for name in game.__all__:
        assert getattr(game, name).__name__ == name


def test_another_name_is_refused():
    with pytest.raises(AttributeError, match="no attribute 'Gaem'"):
        game.Gaem  # noqa: B018


def test_the_examples_of_the_guide():
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    results = doctest.testfile(str(GUIDE), module_relative=False, optionflags=flags)
    assert results.attempted > 20
    assert results.failed == 0


def test_the_events_of_the_guide_have_the_fields_that_it_gives_them():
    given = re.findall(r"`([A-Z][A-Za-z]+)\(([a-z_=, 0-9A-Z\"]*)\)`", GUIDE.read_text("utf-8"))
    assert len(given) > 15
    for name, fields in given:
        kind = getattr(events, name)
        known = {one.name: one for one in dataclasses.fields(kind)}
        named = [field.partition("=") for field in fields.split(", ")]
        assert {field for field, _, _ in named} <= known.keys(), name
        needed = {
            n
            for n, one in known.items()
            if one.default is one.default_factory is dataclasses.MISSING
        }
        assert needed <= {field for field, _, _ in named}, name


def test_a_word_may_be_written_with_or_without_the_tiles_that_lie_there():
    plain, dotted = Game(), Game()
    for one, word in ((plain, "TEN"), (dotted, ".EN")):
        one.play("8G", "CAT")
        one.play("I8", word)
    assert plain.board == dotted.board
    assert plain.scores == dotted.scores


@pytest.mark.parametrize(
    ("position", "word", "message"),
    [
        ("15N", "DOG", "runs off the board"),
        ("O14", "DOG", "runs off the board"),
        ("8G", "COT", "A lies on 8H"),
        ("8G", "CAT", "no new tile"),
        ("8F", ".CAT", "no tile lies on 8F"),
        ("16A", "CAT", "no such square"),
    ],
)
def test_what_cannot_be_played_is_refused_and_changes_nothing(position, word, message):
    one = Game()
    one.play("8G", "CAT")
    before = one.state
    with pytest.raises(TilewatchError, match=message):
        one.play(position, word)
    assert one.state == before


def test_there_must_be_a_play_to_challenge():
    with pytest.raises(TilewatchError, match="no play to challenge"):
        Game().challenge(succeeds=True)


def test_nobody_plays_on_after_the_end():
    one = Game()
    one.play("8G", "CAT")
    one.end()
    assert one.on_turn is None
    with pytest.raises(TilewatchError, match="the game is over"):
        one.play("I8", "TEN")
    with pytest.raises(TilewatchError, match="has been ended"):
        one.challenge(succeeds=True)
    with pytest.raises(TilewatchError, match="already been ended"):
        one.end()


def test_the_library_needs_the_standard_library_and_its_own_data_alone(tmp_path):
    """The guide's examples, with game/ in an empty place and nothing installed beside Python."""
    shutil.copytree(ROOT / "game", tmp_path / "game", ignore=shutil.ignore_patterns("__pycache__"))
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    code = (
        f"import sys; sys.path = [{str(tmp_path)!r}, *sys.path]; import doctest, game\n"
        f"done = doctest.testfile({str(GUIDE)!r}, module_relative=False, optionflags={flags})\n"
        f"print(game.__file__, done.attempted, done.failed, 'pydantic' in sys.modules)"
    )
    command = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.count("\n") == 1, done.stdout + done.stderr  # else what failed is printed
    place, attempted, failed, pydantic = done.stdout.split()
    assert Path(place).is_relative_to(tmp_path)
    assert (int(attempted) > 20, failed, pydantic) == (True, "0", "False")


def the_event(kind: type, one: Game, **fields: object) -> object:
    """An event that names who, why and when, now."""
    own = {"by": "TD", "why": "a test", "t_ns": one.now_ns}
    known = kind.__dataclass_fields__
    return kind(**{name: value for name, value in own.items() if name in known}, **fields)


def test_a_game_takes_every_event_of_a_director():
    one = Game("Ann", "Bob", rulebook="wespa-2021")
    one.play("8G", "C?T")
    bob = one.side("Bob")
    for kind, fields in (
        (events.HoldCalled, {"turn": 1}),
        (events.BlankDesignated, {"square": "8H", "letter": "O"}),
        (events.TurnRuled, {"turn": 1, "ruling": "challenge_failed", "words": 1}),
        (events.ButtonPressed, {"button": "neutral"}),
        (events.StopExplained, {"turn": 1, "reason": "challenge"}),
        (events.ClockAdjusted, {"side": bob, "added_ns": 5 * 10**9, "rule": None}),
        (events.PenaltyAdded, {"side": bob, "points": 10, "rule": None}),
        (events.RackReported, {"side": bob, "tiles": "AEIOU"}),
        (events.SquareCorrected, {"turn": 1, "square": "8G", "symbol": "B"}),
        (events.GameForfeited, {"side": bob, "cause": "resigned"}),
        (events.ResultSigned, {}),
    ):
        one.record(the_event(kind, one, **fields))
    assert one.turns[0].word == "BoT"
    assert (one.winner, one.is_over, one.scores["Bob"]) == ("Ann", True, -10)
    assert one.clocks["Bob"] == 25 * 60 + 5
    assert Game.from_events(one.events).scores == one.scores


def test_an_event_that_cannot_be_changes_nothing():
    one = Game()
    one.play("8G", "CAT")
    before = one.state, one.events, one.now_ns
    for event in (
        the_event(events.TurnRuled, one, turn=7, ruling="pass"),
        the_event(events.GameEnded, one, reason="boredom"),
        the_event(events.RackReported, one, side="left", tiles="QQQ"),
        "no event",
    ):
        with pytest.raises(TilewatchError):
            one.record(event)
    assert (one.state, one.events, one.now_ns) == before


@pytest.mark.parametrize("tiles", ["!!", "AEIOUAEI", "8", "Ж", "A1"])
def test_an_exchange_of_what_is_no_tiles_is_refused_and_is_no_turn(tiles):
    one = Game()
    with pytest.raises(TilewatchError, match="tiles exchanged"):
        one.exchange(tiles)
    assert one.turns == ()
    assert one.on_turn == "Left"


@given(st.text(st.sampled_from("AEqz?12 ,"), max_size=8))
def test_whatever_exchange_is_taken_is_read_back(tiles):
    one = Game()
    try:
        one.exchange(tiles)
    except TilewatchError:
        return
    again = Game.from_gcg(one.to_gcg())
    assert [turn.kind for turn in again.turns] == ["exchange"]


def test_a_challenge_says_how_many_words():
    one = Game("Ann", "Bob", rulebook="wespa-2021")
    one.play("8G", "CAT")
    one.play("9G", "ON")
    before = one.state
    for words in (0, 4):
        with pytest.raises(TilewatchError, match="the play has 3"):
            one.challenge(succeeds=False, words=words)
    assert one.state is before
    assert one.challenge(succeeds=False, words=2).bonus == 10
    assert one.turns[1].scores == one.scores


def test_a_challenge_that_was_free_is_on_record_and_is_made_once():
    one = Game(rulebook="psa")
    one.play("8G", "CAT")
    assert one.challenge(succeeds=False).bonus == 0
    assert one.events[-1].ruling == "challenge_failed"
    with pytest.raises(TilewatchError, match="has been challenged already"):
        one.challenge(succeeds=True)


def test_a_challenge_that_was_read_from_a_record_is_not_made_again():
    one = Game(rulebook="wespa-2021")
    one.play("8G", "CAT")
    one.challenge(succeeds=False)
    again = Game.from_gcg(one.to_gcg())
    assert again.turns[0].bonus == 5
    with pytest.raises(TilewatchError, match="has been challenged already"):
        again.challenge(succeeds=False)


def test_a_square_of_the_board_is_asked_for_by_name():
    one = Game()
    one.play("8G", "CAt")
    assert (one.board["8I"], one.board["I8"], one.board["1A"]) == ("t", "t", ".")
    with pytest.raises(TilewatchError, match="no such square"):
        one.board["16A"]


def test_what_belongs_to_a_player_goes_by_name():
    one = Game("Ann", "Bob")
    one.play("8G", "CAT")
    assert one.scores == {"Ann": 10, "Bob": 0}
    assert one.on_turn == "Bob"
    assert one.players[one.side("Bob")] == "Bob"
    with pytest.raises(TilewatchError, match="no player is called 'Cy'; they are Ann and Bob"):
        one.end({"Cy": "Q"})


@pytest.mark.parametrize(
    "names",
    [("Ann", "Ann"), ("", "Bob"), ("Ann", " "), ("A\nB", "C"), ("A", "\ud800"), ("A" * 201, "B")],
)
def test_two_players_have_two_names(names):
    with pytest.raises(TilewatchError, match="name") as why:
        Game(*names)
    assert "\n" not in str(why.value)


def test_a_game_is_copied_and_stored_as_it_stands():
    one = Game("Ann", "Bob")
    one.play("8G", "CAT")
    one.wait(30)
    for again in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert (again.turns, again.clocks) == (one.turns, one.clocks)
        again.play("I8", "TEN")
    assert len(one.turns) == 1


def test_a_rack_at_the_end_has_as_many_tiles_as_were_counted():
    one = Game("Ann", "Bob", rulebook="wespa-2021")
    for _ in range(6):
        one.pass_turn()
    with pytest.raises(
        TilewatchError, match="Ann's rack should hold 7 tiles by count, but 2 were given"
    ):
        one.end({"Ann": "QZ"})
    assert one.end({"Ann": "qzaaaaa", "Bob": "EEEEEEE"}) == {"Ann": -25, "Bob": -7}


def test_an_exchange_is_of_a_number_of_tiles_too():
    assert Game().exchange(3).exchanged == "3"


def test_no_text_is_no_record():
    with pytest.raises(TilewatchError, match="is empty"):
        read_gcg("")


def test_players_of_one_name_are_told_apart_by_side():
    text = "#player1 a John Smith\n#player2 b John Smith\n>a: CAT 8G CAT +10 10\n"
    assert Game.from_gcg(text).scores == {"John Smith (left)": 10, "John Smith (right)": 0}


def test_a_bingo_that_came_off_is_none():
    one = Game("Ann", "Bob")
    one.play("8C", "ZXCVBNM")
    assert one.turns[0].bingo == 50
    turn = one.challenge(succeeds=True)
    assert (turn.kind, turn.bingo, turn.word, turn.words) == ("challenge_upheld", 0, None, ())
    assert (turn.came_off, turn.score) == ("ZXCVBNM", 0)


def test_a_word_is_whole():
    one = Game("Ann", "Bob", tile_set="spanish")
    one.play("8G", "[CH]At")
    turn = one.play("J8", "O")
    assert one.turns[0].word == "CHAt"
    assert turn.word == "CHAtO"
    assert [text for text, _ in turn.words] == ["CHAtO"]


def test_a_game_shows_its_board():
    one = Game("Ann", "Bob")
    one.play("8G", "CAT")
    lines = repr(one).splitlines()
    assert lines[0] == "Ann 10, Bob 0; Bob to play, 83 in the bag"
    assert lines[9] == " 8  . . . . . . C A T . . . . . ."


@pytest.mark.parametrize("word", ["C4T", "CÄT", "C#T", "C~T", "C T", "[CH]AT"])
def test_what_is_no_tile_of_the_set_is_refused(word):
    with pytest.raises(TilewatchError, match="is not a tile of the English set"):
        Game().play("8G", word)


def test_undo_takes_back_one_call_after_another():
    one = Game(rulebook="naspa-2017")
    states = [one.state]
    for step in (
        lambda: one.wait(10),
        lambda: one.play("8G", "CAT"),
        lambda: one.challenge(succeeds=False),
        lambda: one.exchange("QU"),
        lambda: one.record(the_event(events.PenaltyAdded, one, side="left", points=5, rule=None)),
        one.end,
    ):
        step()
        states.append(one.state)
    for state in reversed(states[:-1]):
        one.undo()
        assert one.state is state
    assert (len(one.events), one.now_ns) == (1, 0)
    with pytest.raises(TilewatchError, match="nothing to undo"):
        one.undo()


def test_time_that_passes_costs_the_player_on_turn():
    one = Game("Ann", "Bob", rulebook="wespa-2021")
    one.wait(60)
    one.play("8G", "CAT")
    one.wait(26 * 60 + 30)
    assert one.clocks == {"Ann": 24 * 60, "Bob": -90}
    assert one.play("I8", "TEN").clock == -90
    one.end()
    assert [line.points for line in one.adjustments if line.kind == "overtime"] == [-20]


def test_a_game_is_lost_as_the_limit_on_overtime_passes():
    one = Game("Ann", "Bob", rulebook="naspa-2017")
    one.wait(40 * 60)
    assert (one.is_over, one.winner) == (True, "Bob")


def test_a_remedy_is_taken():
    one = Game("Ann", "Bob", rulebook="wespa-2021")
    one.play("8G", "CAT")
    one.play("1A", "QI")
    (flag,) = one.flags
    off = next(one for one in one.legal_remedies(flag) if one.event)
    assert (flag.code, one.players[off.side]) == ("disconnected", "Ann")
    one.take(off, by="Ann")
    assert one.turns[1].came_off == "QI"
    assert one.flags == ()
    with pytest.raises(TilewatchError, match="no such flag 'disconnected'"):
        one.legal_remedies(flag)


def test_a_remedy_asks_for_what_only_people_know():
    one = Game("Ann", "Bob", rulebook="wespa-2021")
    one.play("8G", "C?T")
    (flag,) = one.flags
    letter = next(one for one in one.legal_remedies(flag) if one.asks)
    with pytest.raises(TilewatchError, match="say letter"):
        one.take(letter)
    with pytest.raises(TilewatchError, match="nobody asks for side"):
        one.take(letter, letter="A", side="left")
    one.take(letter, letter="a")
    assert one.turns[0].word == "CaT"


def test_a_remedy_of_hands_records_nothing():
    one = Game("Ann", "Bob", rulebook="naspa-2017")
    one.play("8G", "C?T")
    by_hand = next(found for found in one.legal_remedies(one.flags[0]) if found.event is None)
    with pytest.raises(TilewatchError, match="this remedy has no event to record"):
        one.take(by_hand)


def sums_add_up(one: Game) -> bool:
    """True if turns and adjustments make the scores, and the last sums are those of the turns."""
    made = dict.fromkeys(one.scores, 0)
    for turn in one.turns:
        made[turn.player] += turn.score
    for line in one.adjustments:
        made[one.players[line.side]] += line.points if line.kind != "spread" else 0
    return made == one.scores


def test_a_league_game_is_scored_with_what_the_guide_says():
    """Two challenges, a blank's letter, a correction, overtime and a forfeit."""
    one = Game("Ann Lee", "Bob Ray", rulebook="wespa-2021")
    one.play("8D", "PLATE")
    one.challenge(succeeds=False, words=1)
    one.play("H8", ".QZ")
    one.challenge(succeeds=True)
    one.play("G7", "C.N")
    one.play("I7", "A?E")
    blank = next(flag for flag in one.flags if flag.code == "blank_undesignated")
    letter = next(remedy for remedy in one.legal_remedies(blank) if "letter" in remedy.asks)
    one.take(letter, by="Ann Lee", letter="R")
    one.record(events.SquareCorrected(4, "7I", "E", by="TD", why="misread", t_ns=one.now_ns))
    one.exchange("VV")
    one.wait(26 * 60)
    one.play("10I", "EX")
    ann = one.side("Ann Lee")
    one.record(events.GameForfeited(ann, "resigned", by="TD", why="went home", t_ns=one.now_ns))
    sheet = [(t.player[:3], t.word or t.came_off or t.kind, t.score, t.bonus) for t in one.turns]
    assert sheet == [
        ("Ann", "PLATE", 20, 5),
        ("Bob", "EQZ", 0, 0),
        ("Ann", "CTN", 9, 0),
        ("Bob", "ErE", 11, 0),
        ("Ann", "exchange", 0, 0),
        ("Bob", "EX", 28, 0),
    ]
    ends = [(line.kind, line.points, line.rule) for line in one.adjustments]
    assert ends == [("challenge_bonus", 5, "3.10.13"), ("overtime", -20, "5.3.2")]
    assert one.scores == {"Ann Lee": 34, "Bob Ray": 19}
    assert (one.winner, one.outcome.margin, one.outcome.rule) == ("Bob Ray", 50, "5.7(c)")
    assert check_gcg(one.to_gcg()) == []
    assert Game.from_gcg(one.to_gcg()).scores == one.scores


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason="no game records beside the checkout")
def test_real_games_are_played_again_turn_by_turn():
    for path in sorted(SHARED.glob("*.gcg")):
        one = Game.from_gcg(path)
        assert check_gcg(path) == [], path.name
        assert sums_add_up(one), path.name
        assert all(turn.kind == "play" for turn in one.turns if turn.bingo or turn.word), path.name
        book, tiles = one.state.rulebook.id, one.state.tile_set.id
        again = Game(*one.players.values(), rulebook=book, tile_set=tiles)
        for turn in one.turns:
            if word := turn.word or turn.came_off:
                again.play(turn.position, word)
            elif turn.kind == "exchange":
                again.exchange(turn.exchanged)
            else:
                again.pass_turn()
            if turn.came_off:
                again.challenge(succeeds=True)
            elif turn.bonus:
                again.challenge(succeeds=False, words=1)
        assert again.board == one.board, path.name
        assert again.turns[-1].scores == one.turns[-1].scores, path.name
        assert sums_add_up(again), path.name
        assert Game.from_cgp(one.to_cgp()).to_cgp() == one.to_cgp(), path.name


@given(
    st.lists(st.sampled_from(["pass", "exchange", "failed", "upheld"]), min_size=1, max_size=4),
    st.sampled_from(game.rulebook_ids()),
)
def test_a_game_comes_back_from_its_own_record(steps, rulebook):
    one = Game("Ann", "Bob", rulebook=rulebook)
    for number, step in enumerate(steps):
        if step == "pass":
            one.pass_turn()
        elif step == "exchange":
            one.exchange("AB")
        else:
            one.play(f"{8 + number}{'HIJKL'[number]}", "CAT")
            one.challenge(succeeds=step == "upheld")
    again = Game.from_gcg(read_gcg(one.to_gcg()))
    assert again.board == one.board
    assert again.scores == one.scores
    assert sums_add_up(one)
