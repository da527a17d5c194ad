"""Tile sets and rulebooks as shipped, and what is refused in a file of one's own."""

from __future__ import annotations

import ast
from importlib import resources
from pathlib import Path

import pytest

import game
from game.errors import TilewatchError
from game.rulebooks.loading import SECOND, load_rulebook, parse_rulebook, rulebook_ids, settings
from game.tile_symbols import SYMBOL_OF, TEXT_OF
from game.tileset import load_tile_set, parse_tile_set, tile_set_ids

SETS = {
    # tiles, points in the whole set, one value that only this set has
    "english": (100, 187, ("Q", 10)),
    "german": (102, 202, ("Ö", 8)),
    "french": (102, 197, ("K", 10)),
    "romanian": (100, 211, ("H", 10)),
    "polish": (100, 190, ("Ź", 9)),
    "catalan": (100, 189, ("Ç", 10)),
    "croatian": (103, 182, ("Đ", 10)),
    "czech": (100, 205, ("Ď", 8)),
    "danish": (100, 247, ("Æ", 4)),
    "dutch": (102, 230, ("F", 4)),
    "finnish": (101, 218, ("Ö", 7)),
    "hungarian": (100, 235, ("Ű", 7)),
    "italian": (120, 293, ("Z", 8)),
    "norwegian": (100, 202, ("Ø", 5)),
    "portuguese": (120, 204, ("Ç", 3)),
    "slovak": (100, 267, ("Ĺ", 10)),
    "slovene": (100, 180, ("Ž", 10)),
    "spanish": (100, 192, ("Ñ", 8)),
    "swedish": (100, 194, ("Å", 4)),
    "turkish": (100, 201, ("Ğ", 8)),
    "welsh": (105, 194, (SYMBOL_OF["RH"], 10)),
}


@pytest.mark.parametrize("id_", SETS)
def test_shipped_sets(id_):
    tiles = load_tile_set(id_)
    total, points, (letter, value) = SETS[id_]
    assert tiles.total == total
    assert sum(count * tiles.values[t] for t, count in tiles.counts.items()) == points
    assert tiles.value(letter) == value
    assert tiles.value(letter.lower()) == tiles.value("?") == tiles.value("#") == 0
    assert tiles.counts["?"] == (3 if id_ == "portuguese" else 2)
    assert len(tiles.source) > 40


def test_every_set_is_listed():
    assert set(SETS) == set(tile_set_ids())
    assert load_tile_set("german") is load_tile_set("german")


def test_a_blank_may_be_a_letter_without_a_tile():
    romanian = load_tile_set("romanian")
    assert romanian.knows("k")
    assert romanian.counts["K"] == 0


def test_unseen_counts_blanks_as_blanks():
    left = load_tile_set("english").unseen("ZQzz?#~.")
    assert left["Z"] == 0
    assert left["Q"] == 0
    assert left["?"] == -1
    assert left["A"] == 9


def test_unknown_set_names_the_others():
    with pytest.raises(
        TilewatchError, match=r"unknown tile set 'klingon': choose one of .*english"
    ):
        load_tile_set("klingon")


TOY = 'name = "Toy"\nsource = "a test"\ntotal = 3\n[tiles]\nA = [1, 1]\n"?" = [2, 0]\n'


def test_a_tile_of_several_letters_has_the_same_symbol_in_every_set():
    text = TOY.replace("total = 3", "total = 4") + '"CH" = [1, 5]\n'
    symbol = SYMBOL_OF["CH"]
    tiles = parse_tile_set("toy", text)
    assert tiles.spelling == {symbol: "CH"}
    assert tiles.value(symbol) == 5
    assert tiles.word(f"{symbol}A{symbol.lower()}a") == "CHAcha"


def test_both_turkish_letters_have_a_blank():
    turkish = load_tile_set("turkish")
    letters = "Iİıi"
    symbols = "".join(map(turkish.symbol, letters))
    assert turkish.word(symbols) == letters
    assert symbols.upper() == "".join(map(turkish.symbol, "Iİ")) * 2
    assert turkish.upper("sıkı iş") == "SIKI İŞ"


@pytest.mark.parametrize("id_", SETS)
def test_what_tiles_say_is_written_and_read_alike(id_):
    tiles = load_tile_set(id_)
    every = "".join(tiles.letters) + "".join(tiles.letters).lower()
    assert len({tiles.text(symbol) for symbol in every}) == len(every)


def test_symbols_never_move():
    """Logs keep them: an entry may only be added at the end."""
    first = "CH LL RR CS GY LY NY SZ TY ZS DŽ LJ NJ L·L QU DD FF NG RH TH İ"
    assert " ".join(list(SYMBOL_OF)[:21]) == first
    assert SYMBOL_OF["CH"] == "\u2c00"
    for symbol in TEXT_OF:
        assert symbol.isalpha()
        assert symbol.isupper()
        assert symbol.lower().upper() == symbol


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("total = 3", "total = 4"), "total says 4"),
        (('name = "Toy"\n', ""), "needs a name"),
        (("A = [1, 1]", "A = [1]"), "count, value"),
        (("A = [1, 1]", "A = [-1, 1]"), "count, value"),
        (("A = [1, 1]", "XY = [1, 1]"), "one upper-case letter"),
        (("A = [1, 1]", "a = [1, 1]"), "one upper-case letter"),
        (('"?" = [2, 0]', "B = [2, 0]"), "blank"),
        (("[tiles]", "[tiles"), "not TOML"),
    ],
)
def test_a_set_in_another_form_is_refused(change, why):
    with pytest.raises(TilewatchError, match=why):
        parse_tile_set("toy", TOY.replace(*change))


def test_wespa_figures():
    assert load_rulebook().id == "wespa-2021"  # what tournaments play under
    book = load_rulebook("wespa-2007")
    assert "wespa-2007" in rulebook_ids()
    assert book.clock_ns == 25 * 60 * SECOND
    assert (book.rule("overtime.points"), book.rule("overtime_limit.then")) == ("8.2", "8.3")
    assert (book.exchange_bag, book.rule("exchange.bag_at_least")) == (7, "4.2")
    assert (book.scoreless_turns, book.rule("scoreless.turns")) == (6, "7.2")
    assert book.rule("placement.illegal") is None


def test_penalties_that_a_director_may_impose():
    late = load_rulebook("naspa-2017").penalties[0]
    assert (late.on, late.points, late.rule) == ("score", 30, "IV.E.2.b")
    phone = next(one for one in load_rulebook("sanspa-2001").penalties if "phone" in one.says)
    assert (phone.on, phone.points, phone.rule) == ("spread", 50, "22.2")
    assert load_rulebook("wespa-2007").penalties == ()


@pytest.mark.parametrize("id_", rulebook_ids())
def test_a_late_exchange_costs_in_a_penalty_what_its_setting_says(id_):
    book = load_rulebook(id_)
    late = [one.points for one in book.penalties if one.rule == book.rule("exchange.late_points")]
    assert late == ([book.exchange_late_points] if book.exchange_late_points else [])


@pytest.mark.parametrize(
    ("seconds", "points"),
    [
        (10, 0),
        (0, 0),
        (-0.5, 0),
        (-0.999, 0),  # the display shows 0:00 (8.1)
        (-1, 10),
        (-59, 10),
        (-60, 10),
        (-60.9, 10),  # a minute or part thereof (8.2)
        (-61, 20),
        (-120, 20),
        (-121, 30),
        (-600, 100),
    ],
)
def test_overtime_is_counted_as_the_display_shows_it(seconds, points):
    assert load_rulebook().overtime_penalty(int(seconds * SECOND)) == points


def test_unknown_rulebook_names_the_others():
    with pytest.raises(TilewatchError, match=r"unknown rulebook 'house': choose one of .*wespa"):
        load_rulebook("house")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("[clock]\nminutes", "[clock]\nminute", "clock.minutes is missing"),
        ("[bye]", "[rack]\ntiles = { is = 8 }\n[bye]", "rack.tiles: name its rule"),
        ('failed = { is = "points"', 'failed = { is = "shouting"', "known: lose_turn, points"),
        ("minutes = { is = 10", "minutes = { is = -1", "wrong form"),
        ("minutes = { is = 10", 'minutes = { is = "ten"', "wrong form"),
        ("minutes = { is = 10", "minutes = { was = 10", "give it as"),
        ("[turn]", "[turn]\nspeed = { is = 3 }", "unknown setting 'turn.speed'"),
        ("[turn]", "[turn", "not TOML"),
        ("[flag.askew]", "[flag.nonsense]", "no such flag"),
        ("[flag.askew]", "[penalty]\n[flag.askew]", "penalty is a list of tables"),
        ("[flag.askew]", "[[penalty]]\n[flag.askew]", "a penalty has says, on, rule"),
        ("[flag.askew]", "[[penalty]]\nsays = 'a'\non = 'time'\nrule = '1'\n[flag.askew]", "form"),
        ('may = "adjust_tile"', 'may = "shout"', "unknown word"),
    ],
)
def test_a_rulebook_in_another_form_is_refused(old, new, why):
    from importlib import resources

    text = (resources.files("game") / "data" / "rulebooks" / "wespa-2007.toml").read_text("utf-8")
    assert old in text
    with pytest.raises(TilewatchError, match=why):
        parse_rulebook("mine", text.replace(old, new))


ROOT = Path(game.__file__).parent


def read_names():
    """The names of attributes that the package reads; the listing reads none by name."""
    return {
        node.attr
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }


def test_every_setting_is_read():
    assert not settings().keys() - read_names()


def test_a_setting_on_which_a_text_is_silent_may_be_left_out():
    text = (resources.files("game") / "data" / "rulebooks" / "wespa-2007.toml").read_text("utf-8")
    assert "failed_cap" not in text
    book = parse_rulebook("mine", text)
    assert (book.challenge_failed_cap, book.rule("challenge.failed_cap")) == (0, None)
    head = "[challenge]\n"
    given = parse_rulebook(
        "mine", text.replace(head, f'{head}failed_cap = {{ is = 9, rule = "9" }}\n')
    )
    assert (given.challenge_failed_cap, given.rule("challenge.failed_cap")) == (9, "9")
    with pytest.raises(TilewatchError, match="name its rule"):
        parse_rulebook("mine", text.replace(head, f"{head}failed_cap = {{ is = 9 }}\n"))
