"""Records from many hands, what is no record, and the figures that are due in one."""

from __future__ import annotations

import re
import unicodedata

import pytest

from game.errors import TilewatchError
from game.gcg import check, parse, record_from_game, require_complete, write
from game.gcg.check import check_with_set, overfull_racks, surplus_tiles
from game.tile_symbols import SYMBOL_OF
from game.tileset import load_tile_set
from tests.game.scriptkit import after

from .gcgkit import GAME, HEAD, assert_strict


def first(text: str):
    return parse(text).entries[0]


def test_a_plain_record():
    record = parse(GAME, "plain")
    kinds = " ".join(entry.kind for entry in record.entries)
    assert kinds == "play withdrawn exchange play play challenge_bonus pass"
    assert record.players[0].name == "Ann Lee"
    # LEaRNS 2+1+0+1+1+1 and, below it, ET 2, aA 1, RN 2, NG 3
    assert [(m.line, m.what, m.written, m.due) for m in check(record)] == [
        (7, "score", 20, 14),
        (7, "total", 20, 14),
        (8, "total", 25, 19),
    ]


@pytest.mark.parametrize(
    "line",
    [
        ">ann: ACTXXXX 8G CAT +10 10",
        "> ann: ACTXXXX 8g CAT +10 10",
        ">ann:   ACTXXXX   8G   CAT   +10   10  AT, OX",
        ">ann: 8G CAT +10 10",
        ">ann: UNKNOWN 8G CAT +10 10",
        "\t>ann: ACTXXXX 8G CAT 10 10\x1a",
    ],
)
def test_one_play_in_many_hands(line):
    entry = first(HEAD + line)
    assert (entry.position, entry.word, entry.score, entry.total) == ("8G", "CAT", 10, 10)


@pytest.mark.parametrize("word", ["C..S", "CATS", "C(AT)S", "CaTS", "C(at)S"])
def test_tiles_already_there_in_many_hands(word):
    text = HEAD + f">ann: AT 8H AT +4 4\n>bo: CS 8G {word} +6 6\n"
    assert parse(text).entries[1].word == "C..S"
    assert [str(m) for m in check(parse(text))] == []


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("C(XT)S", "X in parentheses, A lies on 8H"),
        ("C(?T)S", "? in parentheses, A lies on 8H"),
        ("C(ATO)S", "O in parentheses, nothing lies on 8J"),
    ],
)
def test_what_stands_in_parentheses_lies_there(word, why):
    with pytest.raises(TilewatchError) as caught:
        parse(HEAD + f">ann: AT 8H AT +4 4\n>bo: CS 8G {word} +6 6\n", "g.gcg")
    assert str(caught.value).startswith(f"g.gcg: line 4: {word!r} at 8G has {why}")


def test_dots_in_parentheses_and_the_letter_of_a_tile_that_nobody_could_read_are_taken():
    noted = HEAD + ">ann: AT 8H AT +4 4\n#note tilewatch: 8H=~\n>bo: CS 8G C({})S +6 6\n"
    for inside in ("..", "AT", "OT"):
        assert parse(noted.replace("{}", inside)).entries[1].word == "C..S"


@pytest.mark.parametrize("swap", ["-ART", "-art", "-?A", "-", "-3", "-7"])
def test_an_exchange_names_tiles_of_the_rack_or_their_number(swap):
    assert check(parse(HEAD + f">ann: ?AELNRT {swap} +0 0\n")) == []


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ("#character-encoding UTF-8\n{}".encode, "utf-8"),
        ("{}".encode, "utf-8"),
        (lambda t: t.encode("latin-1"), "latin-1"),
    ],
)
def test_encodings(data, name):
    text = "#player1 jose José\n#player2 bo Bo\n>jose: AT 8H AT +4 4\n"
    raw = text.encode(name)
    assert parse(raw).players[0].name == "José"
    assert parse(raw.replace(b"\n", b"\r\n")).players[0].name == "José"
    assert parse(raw.replace(b"\n", b"\r")).players[0].name == "José"
    if name == "utf-8":
        assert parse(b"\xef\xbb\xbf" + raw).players[0].name == "José"
        header = b"#character-encoding UTF-8\r\n"
        assert parse(b"\xef\xbb\xbf" + header + raw).players[0].name == "José"
    else:
        assert parse(b"#character-encoding ISO-8859-1\n" + raw).players[0].name == "José"


@pytest.mark.parametrize(
    ("named", "codec"),
    [
        *((name, "iso8859-2") for name in ("ISO8859-2", "iso_8859-2", "ISO 8859-2", "latin2")),
        *((name, "iso8859-2") for name in ("L2", "csISOLatin2", "ISO_8859-2:1987")),
        *((name, "cp1250") for name in ("windows-1250", "CP-1250", "win1250", "x-cp1250")),
        *((name, "iso8859-9") for name in ("ISO-8859-9", "latin5")),
        *(("windows-1254", "cp1254"), ("ISO-8859-13", "iso8859-13"), ("macintosh", "mac-roman")),
    ],
)
def test_an_encoding_may_be_named_by_any_of_its_names(named, codec):
    text = f"#character-encoding {named}\n#player1 zoe Zoë\n#player2 bo Bo\n"
    text = (text + ">zoe: ÓÖT 8H ÓT +4 4\n").replace("ë", "é")
    if codec in ("iso8859-9", "cp1254", "mac-roman", "iso8859-13"):
        text = text.replace("Ó", "Ö")
    record = parse(text.encode(codec))
    assert record.players[0].name == "Zoé"
    assert record.entries[0].word[1] == "T"


@pytest.mark.parametrize(
    "named", ["utf-16", "utf-7", "idna", "punycode", "unicode_escape", "raw_unicode_escape"]
)
def test_no_codec_that_is_none_of_text_in_ascii_is_an_encoding(named):
    with pytest.raises(TilewatchError, match="line 1: unknown character encoding"):
        parse(f"#character-encoding {named}\n{GAME}".encode())


def words_of_hint(message, raw):
    """The first word of a record with each first line that a message offers for Polish tiles."""
    lines = re.findall(r"(#character-encoding \S+) \(polish tiles\)", message)
    return [parse(f"{line}\n".encode() + raw).entries[0].word for line in lines]


@pytest.mark.parametrize("codec", ["iso8859-2", "cp1250"])
@pytest.mark.parametrize("word", ["PĄK", "ŻÓŁĆ", "ŚWIT"])
def test_letters_in_an_encoding_that_is_not_named_get_the_line_to_write(codec, word):
    raw = (HEAD + f">ann: {word} 8H {word} +4 4\n").encode(codec)
    with pytest.raises(TilewatchError, match="it was taken for ISO-8859-1") as caught:
        parse(raw, "g.gcg")
    assert word in words_of_hint(str(caught.value), raw)


@pytest.mark.parametrize("codec", ["iso8859-2", "cp1250"])
@pytest.mark.parametrize("word", ["ŚPIĄ", "ŻÓŁW", "ĆMA", "KOŃ"])
def test_a_set_that_is_named_is_held_against_the_letters_of_each_encoding(codec, word):
    """Ć and Ń of ISO-8859-2 are letters in ISO-8859-1 too, but none that the set has."""
    raw = ("#tile-distribution polish\n" + HEAD + f">ann: {word} 8H {word} +4 4\n").encode(codec)
    with pytest.raises(TilewatchError, match="it was taken for ISO-8859-1") as caught:
        parse(raw, "g.gcg")
    words = words_of_hint(str(caught.value), raw)
    assert word in words
    assert set("".join(words)) <= set(load_tile_set("polish").letters)
    assert str(caught.value).count("#character-encoding") == len(words)


def test_a_letter_in_ascii_that_a_named_set_lacks_says_nothing_of_the_encoding():
    text = "#tile-distribution polish\n#player1 jose José\n#player2 bo Bo\n>jose: QA 8H QA +4 4\n"
    assert parse(text.encode("latin-1")).entries[0].word == "QA"


def test_bytes_that_make_sense_in_no_encoding_are_still_told_what_to_write():
    with pytest.raises(TilewatchError, match="write the right one into the first line, like"):
        parse((HEAD + ">ann: A 8H A1 +4 4\n").encode() + b"#note \xff\n")


def test_letters_with_combining_marks_are_joined():
    text = "#tile-distribution german\n#player1 jo Jörg\n#player2 bo Bo\n>jo: GRÜN 8G GRüN? +8 8\n"
    text = text.replace("GRÜN 8G GRüN?", "GRNÜ? 8G GRüNÜ").replace("+8 8", "+18 18")
    apart = unicodedata.normalize("NFD", text)
    assert apart != text
    assert parse(apart.encode()) == parse(text.encode())
    assert parse(apart).entries[0].word == "GRüNÜ"
    assert parse(apart).players[0].name == "Jörg"


def test_a_play_taken_back_for_nothing_is_read_by_its_total():
    text = HEAD + ">ann: ACT 8G CAT +10 10\n>ann: ACT   -- +0 0\n#incomplete\n"
    record = parse(text)
    assert record.entries[1].score == -10
    assert check(record) == []
    assert ">ann: ACT -- -10 0" in write(record)
    wrong = parse(text.replace("-- +0 0", "-- +0 10"))
    assert [(m.what, m.written, m.due) for m in check(wrong)] == [
        ("score", 0, -10),
        ("total", 10, 0),
    ]


def test_racks_that_are_left_tell_that_a_game_goes_on():
    """Quackle and Elise end an unfinished game so, and write no #incomplete."""
    require_complete(parse(HEAD + ">ann: ACT 8G CAT +10 10\n#rack2 AEEIILZ\n"))


def test_a_rack_holds_a_blank_as_itself_or_as_what_it_stands_for():
    for rack in ("?AT", "cAT", "UNKNOWN", "AT?X"):
        assert parse(HEAD + f">ann: {rack} 8G cAT +4 4\n").entries[0].word == "cAT"
    there = HEAD + ">ann: AT 8H AT +4 4\n>bo: CS 8G CATS +6 6\n"
    assert parse(there).entries[1].word == "C..S"


def test_pragmas_known_unknown_and_in_between():
    text = (
        "#title A title\n#lexicon CSW21\n#style 3\n#id org.x 12\n#description one\ntwo\n"
        + HEAD
        + "#note before\n#incomplete\n>ann: AT 8H AT +4 4\n#note one\nand two\n"
        + "#- and three\n\n#rack1 ABC\n>bo: O 9H O +5 5\n#note last"
    )
    record = parse(text)
    assert (record.title, record.lexicon, record.id) == ("A title", "CSW21", ("org.x", "12"))
    assert record.description == "one two"
    assert record.other == (("style", "3"),)
    assert record.notes == ("before",)
    assert record.incomplete
    assert record.racks == ("ABC", None)
    assert record.entries[0].notes == ("one and two and three",)
    again = write(parse(write(record)))
    assert again == write(record)
    assert_strict(again)


def test_the_lines_at_the_end():
    text = HEAD + (
        ">ann: AT 8H AT +4 4\n"
        ">bo:  (time) -20 -20\n"
        ">bo: EI (EI) -2 -22\n"
        ">ann: (EI) +2 6\n"
        ">ann: (TIME) +-10 -4\n"
    )
    record = parse(text)
    kinds = " ".join(entry.kind for entry in record.entries)
    assert kinds == "play time end_rack_penalty end_rack time"
    assert check(record) == []
    assert_strict(write(record))
    alone = text.replace(">bo: EI (EI) -2 -22\n", "")
    assert [(m.what, m.written, m.due) for m in check(parse(alone))][:1] == [("score", 2, 4)]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "g.gcg: the file is empty"),
        (b" \r\n\n", "g.gcg: the file is empty"),
        (b">" * 4_000_001, "4000001 bytes are too many"),
        (b"\xef\xbb\xbf", "g.gcg: the file is empty"),
        (GAME.encode("utf-16"), "g.gcg: line 1: UTF-16 text; save it as UTF-8"),
        (GAME.encode("utf-16-le"), "g.gcg: line 1: binary data"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "g.gcg: line 3: binary data"),
        (bytes(range(1, 32)), "binary data"),
        (b"\xff\xd8\xff\xe0JFIF", "g.gcg: line 1: neither a #pragma"),
        (
            b"#character-encoding UTF-8\n#player1 jose Jos\xe9\n",
            "g.gcg: line 2: byte 0xE9 is not UTF-8, which the first line says",
        ),
        (b"#character-encoding KOI-7\n", "g.gcg: line 1: unknown character encoding 'KOI-7'"),
        (b"#player1 a A\n#character-encoding UTF-8\n", "line 2: #character-encoding must be"),
        (b"hello world\n", "g.gcg: line 1: neither a #pragma nor a >player's turn"),
        (HEAD.encode(), "g.gcg: line 3: the file ends before the first turn"),
        (b"#player1 ann Ann\n", "the file ends without #player1 and #player2"),
        (b"#player1 ann Ann\n#player1 bo Bo\n", "line 2: #player1 is there twice"),
        (b"#player1 ann Ann\n#player2 ann Bo\n", "line 2: both players are called 'ann'"),
        (b"#player1\n", "line 1: #player1 has no name"),
        (b">ann: AT 8H AT +4 4\n", "line 1: a turn is before #player1 and #player2"),
    ],
)
def test_what_is_no_record_is_refused_in_one_line(data, why):
    with pytest.raises(TilewatchError) as caught:
        parse(data, "g.gcg")
    assert why in str(caught.value)
    assert str(caught.value).startswith("g.gcg: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (">cy: AT 8H AT +4 4", "unknown player 'cy'; the players are ann and bo"),
        (">ann", "no player and colon after >"),
        (">ann:", "cut off"),
        (">ann: AT", "cut off"),
        (">ann: AT 8H", "cut off"),
        (">ann: AT 8H AT", "cut off before its score and total"),
        (">ann: AT 8H AT +4", "cut off before its score and total"),
        (">ann: AT 8H AT +x 4", "'+x' is not a score"),
        (">ann: AT 8H AT +4 4x", "'4x' is not a running total"),
        (">ann: AT 8H A7 +4 4", "'7' in 'A7' is not a tile"),
        (">ann: AT 8H [XY]A +4 4", "no known tile set has a tile [XY]"),
        (">ann: AT 8N ATE +4 4", "ATE at 8N runs off the board"),
        (">ann: AT 8H .. +0 0", ".. at 8H places no tile"),
        (">ann: A?T 8G A?T +4 4", "'A?T' has a ? in it: write the letter that the blank stands"),
        (">ann: 8G ?? +0 0", "'??' has a ? in it"),
        (">ann: ACX 8G CAT +10 10", "T played, not on the rack ACX; correct the rack, or write"),
        (">ann: AAT 8G aAT +2 2", "blank played, not on the rack AAT"),
        (">ann: TO 8G TOT +6 6", "T played, not on the rack TO"),
        (">ann: HORNED? -XYZ +0 0", "X, Y, Z exchanged, not on the rack HORNED?; correct the"),
        (">ann: AAT -AAA +0 0", "A exchanged, not on the rack AAT"),
        (">ann: HORNED -? +0 0", "blank exchanged, not on the rack HORNED"),
        (f">ann: HORNED -{'9' * 5000} +0 0", "is not a tile"),
        (">ann: HORNED -² +0 0", "'²' in '²' is not a tile"),
        (">ann: AT 9Q AT +4 4", "neither a play, a pass, an exchange nor an end"),
        (">ann: AT -- -4 0", "ann takes back a play, but the last play is not theirs"),
        (">ann: AT - +0 0\n#note tilewatch: 8H=A wobble", "unknown word 'wobble'"),
        (f">ann: AT 8H AT +4 4\n#note tilewatch: illegal_play={'9' * 5000}", "unknown word"),
        (">ann: AT 8H AT +4 4\n#note tilewatch: exchange_or_pass", "a line that is not a pass"),
    ],
)
def test_a_line_that_cannot_be_is_refused_by_number(line, why):
    with pytest.raises(TilewatchError) as caught:
        parse(HEAD + line, "g.gcg")
    number = 3 + line.count("\n")
    assert str(caught.value).startswith(f"g.gcg: line {number}: ")
    assert why in str(caught.value)


def test_a_record_cut_off_anywhere_is_refused_or_says_so():
    """Cut at any byte, a whole game is refused, or is wrong, or is seen to stop too early."""
    whole = write(record_from_game(after("8G CAT, -").state)).replace("#incomplete\n", "")
    whole += ">Ann_Lee: (Q) +20 30\n"
    assert check(parse(whole)) == []
    require_complete(parse(whole))
    for cut in range(len(whole) - 2):
        try:
            record = parse(whole[:cut], "cut.gcg")
            require_complete(record)
        except TilewatchError as error:
            assert str(error).startswith("cut.gcg: ")
        else:
            assert check(record), whole[:cut]


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
