"""The figures of a game record, what is due instead, and tiles of several letters."""

from __future__ import annotations

import pytest

from game.errors import TilewatchError
from game.gcg import check, parse, write
from game.gcg.check import check_with_set, overfull_racks, surplus_tiles
from game.tile_symbols import SYMBOL_OF
from game.tileset import load_tile_set

from .gcgkit import HEAD


def test_the_tile_set_is_told_from_the_letters():
    text = HEAD + ">ann: ADĄ 8G DĄA +16 16\n>bo: (A) +2 2\n"
    assert check(parse(text)) == []
    german = HEAD + ">ann: DSÜ 8G DÜS +16 16\n"
    assert check(parse(german)) == []
    plain = HEAD + ">ann: DUH 8G DUH +8 8\n"  # in English it would be 14
    assert check(parse("#tile-distribution german\n" + plain)) == []
    assert check(parse(plain)) == []
    (found,) = check(parse("#tile-distribution english\n" + plain.replace("8 8", "8 14")))
    assert (found.written, found.due) == (8, 14)
    with pytest.raises(TilewatchError, match="no tile set has Я"):
        check(parse(HEAD + ">ann: Я 8H Я +4 4\n"))
    with pytest.raises(TilewatchError, match="unknown tile set 'elvish'"):
        check(parse("#tile-distribution elvish\n" + plain))


def test_a_wrong_figure_is_named_with_its_line_and_what_is_due():
    good = HEAD + ">ann: ACT 8G CAT +10 10\n>bo: O 9G O +5 5\n>ann: N 9H .N +5 15\n"
    assert [str(m) for m in check(parse(good.replace("9H .N +5 15", "10G N +2 12")))] != []
    (found,) = check(parse(HEAD + ">ann: ACT 8G CAT +11 10\n"))
    assert str(found) == "line 3: ann: score written 11, due 10"
    (found,) = check(parse(HEAD + ">ann: ACT 8G CAT +10 9\n"))
    assert str(found) == "line 3: ann: running total written 9, due 10"


def test_tiles_that_cannot_be_so_are_named():
    clash = HEAD + ">ann: ACT 8G CAT +10 10\n>bo: OX 8H OX +20 20\n"
    assert "line 4: bo: O played on 8H; A lies there" in [str(m) for m in check(parse(clash))]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (">ann: ACTEEEEII 8G CAT +10 10", "9 tiles on the rack ACTEEEEII"),
        (">ann: ACTEEEEIIOOU - +0 0", "12 tiles on the rack ACTEEEEIIOOU"),
        (">ann: ACTEEEE -8 +0 0", "8 tiles exchanged"),
        (">ann: -ACTEEEEI +0 0", "8 tiles exchanged"),
        (">ann: 8D CATEEEEI +22 22", "8 tiles played"),
        (">ann: (EEEEIIOO) +16 16", "8 tiles on the rack EEEEIIOO"),
    ],
)
def test_more_tiles_than_a_full_rack_has_are_named(line, what):
    record = parse(HEAD + line + "\n")
    assert [str(one) for one in overfull_racks(record, load_tile_set("english"))] == [
        f"line 3: ann: {what}; a full rack has 7"
    ]


def test_a_full_rack_is_not_too_full_and_a_tile_in_brackets_is_one():
    lines = ">ann: ACTEEEE 8G CAT +10 10\n>bo: IIIIOOO -7 +0 0\n>bo: - +0 0\n"
    tiles = load_tile_set("spanish")
    record = parse(HEAD + lines + "#rack1 [CH]ABDEIO\n#rack2 [CH]ABDEIOO\n")
    assert [str(one) for one in overfull_racks(record, tiles)] == [
        "bo: 8 tiles on the rack CHABDEIOO; a full rack has 7"
    ]


@pytest.mark.parametrize(("points", "due"), [(4, 5), (6, 5), (9, 10), (11, 10), (1, 5)])
def test_a_challenge_bonus_comes_in_fives(points, due):
    text = HEAD + f">ann: ACT 8G CAT +10 10\n>ann: (challenge) +{points} {10 + due}\n"
    (found,) = check(parse(text))
    assert (found.line, found.written, found.due) == (4, points, due)


CH, RR = SYMBOL_OF["CH"], SYMBOL_OF["RR"]


def record_of(tile_set, *lines):
    head = f"#tile-distribution {tile_set}\n" if tile_set else ""
    return parse(head + "#player1 ann Ann\n#player2 bo Bo\n#incomplete\n" + "\n".join(lines))


def test_a_tile_in_brackets_is_one_tile_and_is_written_so_again():
    record = record_of("spanish", ">ann: A[CH]IOR[RR]? 8H [CH]O[rr]I +14 14")
    (entry,) = record.entries
    assert entry.word == f"{CH}O{RR.lower()}I"
    assert entry.rack == f"A{CH}IOR{RR}?"
    tiles, wrong = check_with_set(record)
    assert (tiles.id, wrong) == ("spanish", [])  # (5 doubled + 1 + 0 + 1) doubled
    assert ">ann: A[CH]IOR[RR]? 8H [CH]O[rr]I +14 14" in write(record)


@pytest.mark.parametrize("tile_set", ["english", "hungarian"])
def test_a_tile_that_the_named_set_does_not_have_is_refused(tile_set):
    name = load_tile_set(tile_set).name
    with pytest.raises(TilewatchError, match=rf"line 5: the {name} set has no tile \[CH\]"):
        record_of(tile_set, ">ann: A[CH] 8H [CH]A +4 4")


def test_a_record_that_names_no_set_is_checked_with_one_that_has_the_tile():
    record = record_of("", ">ann: ASZ[SZ] 8H A[SZ]S +10 10")
    assert check_with_set(record)[0].id == "hungarian"


def test_the_dotless_and_the_dotted_i_are_two_tiles():
    line = ">ann: IİKS? 8G KIiS +10 10"
    record = record_of("turkish", line)
    word = record.entries[0].word
    assert word == f"KI{SYMBOL_OF['İ'].lower()}S"
    assert line in write(record)


def test_a_tile_too_many_is_named_at_its_first_line():
    record = record_of("english", ">ann: ZZ 8G ZZ +40 40", ">bo: AZ 9G AZ +42 42")
    found = surplus_tiles(record, load_tile_set("english"))
    assert [str(one) for one in found] == [
        "line 5: ann: Z lies on the board twice; the English set has 1"
    ]
    assert surplus_tiles(record_of("", ">ann: AZ 8G ZA +22 22"), load_tile_set("english")) == []


def test_a_letter_that_the_set_does_not_have_is_named():
    record = record_of("polish", ">ann: QA 8G QA +4 4")
    (found,) = surplus_tiles(record, load_tile_set("polish"))
    assert "the Polski set has none" in str(found)
