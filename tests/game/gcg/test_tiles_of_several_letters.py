"""Records with tiles that say more than one letter, and tiles that a set does not have."""

from __future__ import annotations

import pytest

from game.errors import TilewatchError
from game.gcg import parse, write
from game.gcg.check import check_with_set, surplus_tiles
from game.tile_symbols import SYMBOL_OF
from game.tileset import load_tile_set

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
