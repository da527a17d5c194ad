"""A table is made ready for a game from a page: its players' names, rules and word list."""

from __future__ import annotations

import hashlib
import unicodedata

import pytest

from game.errors import TilewatchError
from game.events import GameStarted, TurnSeen
from game.state.fold import fold
from game.tileset import load_tile_set
from table.desk import Attribution, TableDesk
from table.game_setup import MAX_NAME, GameSetup, checked_names
from table.new_games import WORD_LISTS, NewGames
from table.views.views import view
from table.word_list import load_word_list

from .sessionkit import end

SECOND = 1_000_000_000


@pytest.fixture
def table(sit, tmp_path, request):
    """A table that waits; its loop does nothing but serve its desk."""
    names = {"left": "Ann", "right": "Bob"}
    sat = sit(setup=GameSetup("english", "wespa-2007", names, **getattr(request, "param", {})))

    def serve():
        for posted in desk.take():
            sat.session.serve(posted)

    desk = TableDesk(lambda: SECOND, serve)
    sat.games = NewGames(desk, lambda: sat.state, tmp_path, None)
    return sat


ANN = Attribution("director: Ann", "Ann", "the next round")
WISH = {
    "left": "Zoë",
    "right": "Yann",
    "rulebook": "psa",
    "tile_set": "french",
    "announced": {"clock.minutes": 22},
}


def test_a_game_that_waits_is_replaced_by_one_as_wished(table):
    before = table.state.game_id
    answer = table.games.new_game(WISH, ANN)
    now, state = answer["now"], table.state
    assert answer["on_disk"]
    assert state.game_id != before
    assert dict(state.players) == {"left": "Zoë", "right": "Yann"}
    assert (state.rulebook.id, state.tile_set.id) == ("psa", "french")
    assert state.rulebook.clock_ns == 22 * 60 * SECOND
    assert (now["rulebook"], now["tile_set"], now["minutes"]) == ("psa", "french", 22)
    reasons = [one.payload.get("reason") for one in table.log.events(before)]
    assert reasons.count("set up anew") == 1


@pytest.mark.parametrize("table", [{"hands": {"left": "bottom", "right": "top"}}], indirect=True)
def test_the_page_says_who_plays_first_at_a_table_without_a_clock(table):
    assert table.games.new_game(WISH | {"first": "right"}, ANN)["now"]["first"] == "right"
    assert table.games.new_game(WISH | {"first": ""}, ANN)["now"]["first"] is None
    with pytest.raises(TilewatchError, match="left or right"):
        table.games.new_game(WISH | {"first": "Zoë"}, ANN)


def test_names_that_are_left_out_stay(table):
    table.games.new_game(WISH | {"left": "", "right": None}, ANN)
    assert dict(table.state.players) == {"left": "Ann", "right": "Bob"}


def test_what_was_wished_holds_for_the_games_that_follow(table):
    table.games.new_game(WISH, ANN)
    table.press("right")
    end(table)
    table.session.next_game("director")
    start = table.state.start
    assert (start.rulebook, start.tile_set) == ("psa", "french")
    assert start.adjust == {"clock.minutes": 22}
    assert start.players == {"left": "Left", "right": "Right"}


def test_a_game_that_is_going_on_is_left_alone(table):
    table.press("right")
    before = table.state
    with pytest.raises(TilewatchError, match="is going on; end it first"):
        table.games.new_game(WISH, ANN)
    assert table.state == before


@pytest.mark.parametrize(
    ("wish", "output"),
    [
        ({"rulebook": "house rules"}, "unknown rulebook"),
        ({"tile_set": ["english"]}, "unknown tile set"),
        ({"announced": {"clock.minutes": 0}}, r"announce: 1 to 600 \(5.3.5\)"),
        ({"announced": {"clock.minutes": 22.5}}, r"announce: 1 to 600 \(5.3.5\)"),
        ({"announced": {"clock.minutes": True}}, r"announce: 1 to 600 \(5.3.5\)"),
        ({"announced": {"clock.minutes": "25"}}, r"announce: 1 to 600 \(5.3.5\)"),
        ({"left": "a\nb"}, "a name is 1 to 80"),
        ({"minutes": 22}, "unknown 'minutes'; known are announced, by"),
        ({"announced": 7}, "is given by name"),
        ({"announced": {"challenge": "lose_turn"}}, "unsuccessful challenge costs 'lose_turn'"),
        ({"announced": {"overtime.points": 5}}, r"overtime.points is 10 \(5.3.2\)"),
        ({"word_list": "../../etc/passwd"}, "there is no word list"),
        ({"word_list": 3}, "there is no word list"),
    ],
)
def test_nonsense_is_refused_in_one_line_and_nothing_happens(table, wish, output):
    before = table.log.last_seq
    with pytest.raises(TilewatchError, match=output) as raised:
        table.games.new_game(WISH | wish, ANN)
    assert "\n" not in str(raised.value)
    assert table.log.last_seq == before


def test_word_lists_in_the_data_folder_can_be_chosen(table, tmp_path):
    folder = tmp_path / WORD_LISTS
    folder.mkdir()
    (folder / "club.txt").write_text("AA\nAB\n")
    assert table.games.choices()["word_lists"] == ["club"]
    table.games.new_game(WISH | {"tile_set": "english", "word_list": "club"}, ANN)
    named = table.state.start.word_list
    assert named["name"] == "club"
    assert len(named["sha256"]) == 64


@pytest.mark.parametrize("name", ["", "  ", "x" * (MAX_NAME + 1), "A\nB", 7])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(TilewatchError, match="can be printed"):
        checked_names({"left": name})


def test_names_lose_the_blanks_around_them_and_two_players_of_one_name_are_refused():
    assert checked_names({"left": " Ann ", "right": None}) == {"left": "Ann"}
    with pytest.raises(TilewatchError, match="both players are called João; add"):
        checked_names({"left": "João", "right": " João"})


ENGLISH = load_tile_set("english")


def test_a_plain_file(tmp_path):
    file = tmp_path / "club.txt"
    data = "\ufeff# ours\ncat\nCOT 12 a definition\n\ncan't\ncut\r\n".encode()
    file.write_bytes(data)
    words = load_word_list(file, ENGLISH)
    assert words.words == {"CAT", "COT", "CUT"}
    assert words.named() == {"name": "club", "sha256": hashlib.sha256(data).hexdigest()}
    german, apart = load_tile_set("german"), unicodedata.normalize("NFD", "grün\n")
    file.write_text(apart, "utf-8")  # letters with combining marks are joined
    assert load_word_list(file, german).words == {german.rack(apart.strip())} == {"GRÜN"}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"caf\xe9\n", "not UTF-8"),
        (b"", "no word in it"),
        ("слово\n".encode(), "no word in it"),
    ],
)
def test_what_is_no_list_is_one_line(tmp_path, data, why):
    file = tmp_path / "list.txt"
    file.write_bytes(data)
    with pytest.raises(TilewatchError, match=why):
        load_word_list(file, ENGLISH)
    with pytest.raises(TilewatchError, match="not readable"):
        load_word_list(tmp_path, ENGLISH)
    with pytest.raises(TilewatchError, match="not readable"):
        load_word_list(tmp_path / "none.txt", ENGLISH)


def test_only_a_director_is_shown_suggestions():
    rows = ["." * 15] * 15
    rows[7] = "......C?T......"
    state = fold(
        [
            GameStarted("g", {"left": "Ann", "right": "Bo"}, "wespa-2007", "english", "left", 0),
            TurnSeen("left", 1, tuple(rows)),
        ]
    )
    words = frozenset({"CAT", "COT"})
    assert view(state, "director", words)["suggestions"] == {"8H": ["A", "O"]}
    assert "suggestions" not in view(state, "director")
    for audience in ("public", "player"):
        assert view(state, audience, words) == view(state, audience)
