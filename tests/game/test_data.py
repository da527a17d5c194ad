"""Tile sets and rulebooks as shipped, what is refused in one's own, what an event announces."""

from __future__ import annotations

import ast
from importlib import import_module, resources
from pathlib import Path

import pytest

import game
from game.errors import TilewatchError
from game.events import ChallengeBonus, TurnRuled
from game.game import Game
from game.gcg import check, events_from_record, record_from_game, write
from game.gcg.reader import read_gcg
from game.rulebooks.announcing import announced, in_words, options
from game.rulebooks.challenge import failed_bonus, nearest_bonus
from game.rulebooks.loading import (
    SECOND,
    adjusted,
    load_rulebook,
    parse_rulebook,
    rulebook_ids,
    settings,
)
from game.rulebooks.rulebook import Rulebook
from game.state.fold import apply, fold
from game.tile_symbols import SYMBOL_OF, TEXT_OF
from game.tileset import load_tile_set, parse_tile_set, tile_set_ids
from game.values import replace

from .gamekit import Table
from .scriptkit import after

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
    assert [left[tile] for tile in "ZQ?A"] == [0, 0, -1, 9]


def test_unknown_set_names_the_others():
    with pytest.raises(TilewatchError, match=r"unknown tile set 'klingon': choose .*english"):
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
        (("total = 3", "total = 4"), "total is 4"),
        (('name = "Toy"\n', ""), "name is missing"),
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
        # The display shows 0:00 (8.1); then it is a minute or part thereof (8.2).
        *((10, 0), (0, 0), (-0.5, 0), (-0.999, 0), (-1, 10), (-59, 10), (-60, 10), (-60.9, 10)),
        *((-61, 20), (-120, 20), (-121, 30), (-600, 100)),
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
        ("[flag.askew]", "[flag.nonsense]", "no flag has this code"),
        ("[flag.askew]", "[penalty]\n[flag.askew]", "penalty is not a list of tables"),
        ("[flag.askew]", "[[penalty]]\n[flag.askew]", "a penalty needs says, on and rule"),
        ("[flag.askew]", "[[penalty]]\nsays = 'a'\non = 'time'\nrule = '1'\n[flag.askew]", "form"),
        ('may = "adjust_tile"', 'may = "shout"', "unknown who, may"),
    ],
)
def test_a_rulebook_in_another_form_is_refused(old, new, why):
    text = text_of("wespa-2007")
    assert old in text
    with pytest.raises(TilewatchError, match=why):
        parse_rulebook("mine", text.replace(old, new))


VARIANT = """
name = "WESPA 2021 as played in Utopia"
source = "Utopian Scrabble Association, 2026"
based_on = "wespa-2021"

[challenge]
failed_points = { is = 4, rule = "X.7" }
choices = { is = [], rule = "X.7" }

[choice]
"challenge.failed_goes" = { values = [], rule = "X.7" }

[flag.off_centre]
rule = "X.8"
"""


def test_a_variant_gives_what_differs_from_the_rulebook_that_it_is_based_on():
    own, base = parse_rulebook("utopia", VARIANT), load_rulebook("wespa-2021")
    assert (own.id, own.name, own.based_on) == ("utopia", VARIANT.splitlines()[1][8:-1], base.id)
    assert own.challenge_failed_points == 4
    assert own.rule("challenge.failed_points") == "X.7"
    assert own.guidance["off_centre"].rule == "X.8"
    own_names = {"challenge.failed_points", "challenge.choices"}
    others = {one.name for one in settings().values()} - own_names
    assert {name: own.rule(name) for name in others} == {name: base.rule(name) for name in others}
    differ = [field for field in settings() if getattr(own, field) != getattr(base, field)]
    assert differ == ["challenge_failed_points", "challenge_choices"]
    assert own.penalties == base.penalties
    assert base.choices.keys() - own.choices.keys() == {"challenge.failed_goes"}
    with pytest.raises(TilewatchError, match="no event may announce another"):
        adjusted(own, {"challenge.failed_goes": "off"})


@pytest.mark.parametrize("base", ['"klingon-1"', "7"])
def test_a_variant_of_a_rulebook_that_is_not_shipped_is_refused(base):
    with pytest.raises(TilewatchError, match=r"based_on = .*: give one of naspa-2017, psa"):
        parse_rulebook("utopia", VARIANT.replace('"wespa-2021"', base))


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
    text = text_of("wespa-2007")
    assert "failed_cap" not in text
    book = parse_rulebook("mine", text)
    assert (book.challenge_failed_cap, book.rule("challenge.failed_cap")) == (0, None)
    head = "[challenge]\n"
    capped = text.replace(head, f'{head}failed_cap = {{ is = 9, rule = "9" }}\n')
    given = parse_rulebook("mine", capped)
    assert (given.challenge_failed_cap, given.rule("challenge.failed_cap")) == (9, "9")
    with pytest.raises(TilewatchError, match="name its rule"):
        parse_rulebook("mine", text.replace(head, f"{head}failed_cap = {{ is = 9 }}\n"))


def text_of(book: str) -> str:
    return (resources.files("game") / "data" / "rulebooks" / f"{book}.toml").read_text("utf-8")


def test_only_what_differs_from_the_text_is_logged():
    book = load_rulebook("wespa-2007")
    assert announced(book, {}) == {}
    assert announced(book, {"clock.minutes": 25, "challenge": "points 5 word"}) == {}
    assert announced(book, {"clock.minutes": 20, "challenge": "points 10 challenge"}) == {
        "clock.minutes": 20,
        "challenge.failed_points": 10,
        "challenge.failed_per": "challenge",
    }
    assert announced(book, {"challenge": "lose_turn"}) == {"challenge.failed": "lose_turn"}


@pytest.mark.parametrize(
    ("book", "wishes", "why"),
    [
        ("naspa-2017", {"overtime.points": 5}, r"overtime.points is 10 \(V.G.2\), and no event"),
        ("psa", {"clock.minutes": 0}, r"cannot be 0; .* announce: 1 to 600 \(5.3.5\)"),
        ("psa", {"clock.minutes": 601}, "1 to 600"),
        ("psa", {"clock.minutes": True}, "cannot be True"),
        ("psa", {"clock.minutes": "25"}, "cannot be '25'"),
        ("psa", {"clock.minutes": [25]}, "1 to 600"),
        ("naspa-2017", {"leaving.resigning": "never"}, r"as_leaving, current_score \(I.B\)"),
        ("psa", {"leaving.resigning": "current_score"}, r"is as_leaving \(5.7\), and no event"),
        (
            "wespa-2007",
            {"challenge": "points 97 word up to 98"},
            r"unsuccessful challenge costs 'points 97 word",
        ),
        ("wespa-2007", {"challenge": "a bottle of rum"}, "write 'none', 'lose_turn', 'points"),
        ("wespa-2007", {"challenge": 7}, "7 is not a cost"),
        ("wespa-2007", {"house.rule": 1}, "unknown setting 'house.rule'"),
    ],
)
def test_anything_else_is_refused_in_one_line(book, wishes, why):
    with pytest.raises(TilewatchError, match=why) as raised:
        announced(load_rulebook(book), wishes)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("book", "changes", "why"),
    [
        ("wespa-2007", {"challenge.failed": "lose_turn"}, ""),
        ("naspa-2017", {"challenge.failed": "points", "challenge.failed_points": 10}, ""),
        ("psa", {"challenge.failed": "points"}, ""),
        ("sanspa-2001", {"clock.minutes": 20}, ""),
        ("wespa-2007", {"challenge.failed_points": 7}, r"points 7 word.*announce: .*\(4.6.10\)"),
        ("wespa-2007", {"challenge.failed_cap": 14}, "up to 14"),
        ("sanspa-2001", {"challenge.failed": "lose_turn"}, "announce: nothing else"),
        ("psa", {"challenge.failed": "lose_turn"}, "unsuccessful challenge costs 'lose_turn'"),
    ],
)
def test_a_log_has_what_the_text_leaves_to_an_event_and_nothing_else(book, changes, why):
    if not why:
        assert adjusted(load_rulebook(book), changes).adjusted == changes
        return
    with pytest.raises(TilewatchError, match=why):
        adjusted(load_rulebook(book), changes)


@pytest.mark.parametrize("id_", rulebook_ids())
def test_everything_that_is_offered_may_be_announced(id_):
    book = load_rulebook(id_)
    found = options(book)
    assert "clock.minutes" in {one.name for one in found}
    for one in found:
        assert announced(book, {one.name: one.default}) == {}
        for value in one.values or (one.least, one.most):
            made = adjusted(book, announced(book, {one.name: value}))
            assert (value == one.default) == (in_words(made) == "")


def test_a_rulebook_with_a_choice_that_makes_no_sense_is_refused():
    text = text_of("wespa-2007")
    with pytest.raises(TilewatchError, match=r"challenge.choices: 'points 5 wrod' is not a cost"):
        parse_rulebook("mine", text.replace('"points 5 word"', '"points 5 wrod"'))
    for line, why in (
        ('"clock.hours" = { from = 1, to = 2 }', "unknown setting"),
        ('"clock.minutes" = { from = 1 }', "values, or from and to"),
        ('"clock.minutes" = 20', "values, or from and to"),
    ):
        with pytest.raises(TilewatchError, match=why):
            parse_rulebook("mine", text.replace("[choice]\n", f"[choice]\n{line}\n"))


@pytest.fixture
def house(monkeypatch) -> Rulebook:
    """WESPA 2007, for every game, with a bonus of 7 a word, 14 at most, and one to announce."""
    text = text_of("wespa-2007").replace(
        "choices = { is = [", 'choices = { is = ["points 8 word up to 16", ', 1
    )
    plain = 'failed_points = { is = 5, rule = "4.6.10" }'
    capped = plain.replace("5,", "7,") + '\nfailed_cap = { is = 14, rule = "4.6.10" }'
    assert plain in text
    book = parse_rulebook("wespa-2007", text.replace(plain, capped))
    for module in ("game.state.start_events", "game.gcg.check"):
        monkeypatch.setattr(import_module(module), "load_rulebook", lambda _id: book)
    return book


def test_a_cap_limits_the_bonus_and_a_written_one_is_held_against_the_nearest_that_can_be(house):
    assert [failed_bonus(house, words) for words in (0, 1, 2, 3, 8)] == [0, 7, 14, 14, 14]
    assert [nearest_bonus(house, points) for points in (1, 7, 10, 14, 21)] == [7, 7, 7, 14, 14]
    between = replace(load_rulebook("wespa-2007"), challenge_failed_cap=12)
    assert [failed_bonus(between, words) for words in (1, 2, 3)] == [5, 10, 12]
    assert [nearest_bonus(between, points) for points in (10, 12, 15)] == [10, 12, 12]


def test_a_capped_bonus_is_scored_refused_and_written_to_gcg_and_read_back(house):
    game = Game()
    game.play("8G", "CAT")
    game.play("9G", "ON")
    turn = game.challenge(succeeds=False)
    assert (len(turn.words), turn.bonus) == (3, 14)
    record = read_gcg(game.to_gcg())
    assert Game.from_gcg(record).scores == game.scores
    assert check(record) == []
    with pytest.raises(TilewatchError, match="steps of 7, 14 at most"):
        apply(game.state, ChallengeBonus("left", 21, None, "TD", "", 10**12))


def test_another_capped_bonus_may_be_announced(house):
    wish = {"challenge": "points 8 word up to 16"}
    (offered,) = (one for one in options(house) if one.name == "challenge")
    assert wish["challenge"] in offered.values
    changes = announced(house, wish)
    assert in_words(adjusted(house, changes)) == (
        "a challenge in vain costs 8 points for each word, 16 at most"
    )
    assert there_and_back(changes, "wespa-2007", 16)


@pytest.mark.parametrize(
    ("book", "wishes", "bonus"),
    [
        ("naspa-2017", {"clock.minutes": 20, "leaving.resigning": "current_score"}, 0),
        ("naspa-2017", {"challenge": "points 10 word", "clock.minutes": 15}, 30),
        ("psa", {"challenge": "points 5 challenge"}, 5),
        ("wespa-2007", {"challenge": "points 10 challenge"}, 10),
    ],
)
def test_what_was_announced_holds_and_goes_to_gcg_and_back(book, wishes, bonus):
    assert there_and_back(announced(load_rulebook(book), wishes), book, bonus)


def there_and_back(changes, book: str, bonus: int) -> bool:
    table = Table(rulebook=book, adjust=changes)
    table.play("8G", "CAT")
    table.play("9G", "ON")
    table.put(TurnRuled(2, "challenge_failed", "TD", "", table.now, words=3))
    assert table.state.turns[1].bonus == bonus
    record = read_gcg(write(record_from_game(table.state)))
    assert dict(record.adjust) == changes
    assert check(record) == []
    again = fold(events_from_record(record))
    assert again.rulebook == table.state.rulebook
    assert Game.from_gcg(record).state.scores == table.state.scores
    return Game.from_gcg(record).to_gcg() == write(record_from_game(table.state))


def test_a_record_that_claims_what_the_text_does_not_allow_is_refused():
    table = after("8G CAT")
    text = write(record_from_game(table.state))
    for claim, why in (
        ("challenge.failed_points=7", "unsuccessful challenge costs 'points 7 word'"),
        ("overtime.points=1", "no event may announce another"),
        ("clock.minutes=" + "9" * 5000, "cannot be"),
    ):
        with pytest.raises(TilewatchError, match=why) as raised:
            check(read_gcg(text.replace("tile-set=", f"{claim} tile-set=")))
        assert len(str(raised.value)) < 300
