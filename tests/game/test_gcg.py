"""Game records: dialects, the strict form, what GCG cannot say, and bad input."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from game.board import Board, Square
from game.errors import TilewatchError
from game.events import (
    BlankDesignated,
    ChallengeBonus,
    PenaltyAdded,
    RackReported,
    SquareCorrected,
    TurnRuled,
)
from game.gcg import check, parse, record_of, require_complete, write
from game.state import fold

from .gamekit import Table

HEAD = "#player1 ann Ann Lee\n#player2 bo Bo\n"
GAME = (
    HEAD
    + """>ann: AEGLNRT 8G TANGLER +68 68
>ann: AEGLNRT -- -68 0
>bo: ?AELNRT -ART +0 0
>ann: AEGLNRT 8H TANG +10 10
>bo: ?AELNRS 7G LEaRNS +20 20
>bo: ?AELNRS (challenge) +5 25
>ann: AEGLNRT - +0 10
"""
)

# Every line that macondo's reader knows, as its patterns have it: the strictest there is.
STRICT = [
    r"#player[1-2]\s+\S+\s+.+",
    r"#title\s+.*",
    r"#description\s+.*",
    r"#id\s+\S+\s+\S+",
    r"#rack[12]\s+\S+",
    r">\S+:\s+\S+\s+\w+\s+\S+\s+\+\d+\s+\d+",
    r"#note\s+.*",
    r"#lexicon\s+.+",
    r"#tile-distribution\s+.*",
    r"#incomplete.*",
    r">\S+:\s+\S+\s+--\s+-\d+\s+\d+",
    r">\S+:\s+\S+\s+-\s+\+0\s+\d+",
    r">\S+:\s+\S*\s+\(challenge\)\s+\+\d+\s+\d+",
    r">\S+:\s+\S+\s+-\S+\s+\+0\s+\d+",
    r">\S+:\s+\(\S+\)\s+\+\d+\s+-?\d+",
    r">\S+:\s+\S*\s+\(time\)\s+-\d+\s+-?\d+",
    r">\S+:\s+\S+\s+\(\S+\)\s+-\d+\s+-?\d+",
]


def assert_strict(text: str) -> None:
    lines = text.splitlines()
    assert lines[0] == "#character-encoding UTF-8"
    events = [i for i, line in enumerate(lines) if line.startswith(">")]
    for i, line in enumerate(lines[1:], start=1):
        assert any(re.fullmatch(form, line) for form in STRICT), line
        if line.startswith("#") and events:
            assert (i > events[0]) == line.startswith("#note"), line


def both_ways(table: Table) -> str:
    """Write the game, read it back the same, check it, and hold it to the strict form."""
    record = record_of(table.state)
    text = write(record)
    again = parse(text, "written")
    assert again == record
    assert write(again) == text
    assert check(again) == []
    require_complete(again)
    assert_strict(text)
    return text


def first(text: str):
    return parse(text).entries[0]


# Dialects.


def test_a_plain_record():
    record = parse(GAME, "plain")
    assert [e.kind for e in record.entries] == [
        "play",
        "withdrawn",
        "exchange",
        "play",
        "play",
        "challenge_bonus",
        "pass",
    ]
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
    assert [e.kind for e in record.entries[1:]] == [
        "time",
        "end_rack_penalty",
        "end_rack",
        "time",
    ]
    assert check(record) == []
    assert_strict(write(record))
    alone = text.replace(">bo: EI (EI) -2 -22\n", "")
    assert [(m.what, m.written, m.due) for m in check(parse(alone))][:1] == [("score", 2, 4)]


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


# Figures.


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


def test_a_rack_noted_down_wrong_is_no_wrong_score():
    assert check(parse(HEAD + ">ann: ACX 8G CAT +10 10\n")) == []


@pytest.mark.parametrize(("points", "due"), [(4, 5), (6, 5), (9, 10), (11, 10), (1, 5)])
def test_a_challenge_bonus_comes_in_fives(points, due):
    text = HEAD + f">ann: ACT 8G CAT +10 10\n>ann: (challenge) +{points} {10 + due}\n"
    (found,) = check(parse(text))
    assert (found.line, found.written, found.due) == (4, points, due)


# Our own games.


def test_a_game_read_by_camera_has_racks_that_can_be_played_from():
    table = Table()
    table.play("8G", "CaT")
    table.nothing()
    table.play("9G", "O")
    text = both_ways(table)
    assert ">Ann_Lee: ?CT 8G CaT +8 8\n" in text
    assert ">Bo: UNKNOWN - +0 0\n#note tilewatch: exchange_or_pass\n" in text
    assert "#player1 Ann_Lee Ann Lee\n" in text
    assert "#incomplete\n" in text


def test_a_reported_rack_is_written_where_the_play_can_come_from_it():
    table = Table()
    table.put(RackReported("left", "ACTXX??", 0))
    table.play("8G", "CAT")
    table.put(RackReported("right", "EEEEEEE", 0))
    table.play("9G", "O")
    assert [e.rack for e in record_of(table.state).entries] == ["ACTXX??", "O"]
    both_ways(table)


def test_a_blank_without_a_letter_comes_back_as_one():
    table = Table()
    table.play("8G", "C?T")
    text = both_ways(table)
    assert ">Ann_Lee: ?CT 8G CaT +8 8\n#note tilewatch: 8H=?\n" in text
    table.put(BlankDesignated("8H", "u", "Ann", "", 0))
    assert "CuT +8 8\n>" in both_ways(table) + ">"


@pytest.mark.parametrize(
    "changes",
    [
        ["9G=O", "11C=X", "11D=Y"],
        ["8G=.", "9G=C"],
        ["8I=B", "9G=O"],
        ["8I=.", "7G=#", "9G=~"],
        ["8G=.", "8H=C", "8I=A", "8J=T"],
        ["1A=Q"],
        ["1A=Q", "1C=?"],
        ["9G=Ö"],
    ],
)
def test_faulty_turns_come_back_as_they_lay(changes):
    table = Table()
    table.play("8G", "CAT")
    table.lay(*changes)
    table.play("15A", "ZO")
    both_ways(table)
    table.put(TurnRuled(3, "challenge_upheld", "TD", "", 0))
    both_ways(table)
    if table.state.turns[1].tiles:
        table.put(TurnRuled(2, "challenge_upheld", "TD", "", 0))
        both_ways(table)


def test_every_kind_of_line_comes_back():
    table = Table(seconds=700)
    table.play("8G", "CAT")
    table.put(ChallengeBonus("left", 5, "4.6.10", "TD", "", 0))
    table.nothing()
    table.put(TurnRuled(2, "exchange", "TD", "", 0))
    table.nothing()
    table.put(TurnRuled(3, "pass", "TD", "", 0))
    table.nothing()
    table.put(TurnRuled(4, "challenge_failed", "TD", "", 0))
    table.put(PenaltyAdded("right", 7, None, "TD", "noise", 0))
    table.play("9G", "ON")
    table.put(TurnRuled(5, "challenge_upheld", "TD", "", 0))
    for _ in range(2):
        table.lay("9G=.", "9H=.")
    table.put(RackReported("left", "AEQ", 0))
    table.put(RackReported("right", "??V", 0))
    assert table.state.end_reason == "six_zeros"
    kinds = [entry.kind for entry in record_of(table.state).entries]
    assert kinds == [
        "play",
        "challenge_bonus",
        "exchange",
        "pass",
        "challenge_failed",
        "play",
        "withdrawn",
        "exchange_or_pass",
        "exchange_or_pass",
        "end_rack_penalty",
        "end_rack_penalty",
        "penalty",
        "time",
        "time",
    ]
    text = both_ways(table)
    assert ">Ann_Lee: AEQ (AEQ) -12 3\n" in text
    assert "(time) -7 -11\n#note tilewatch: penalty\n" in text
    assert "#incomplete" not in text


def test_names_make_nicknames_that_hold_together():
    for left, right in ((" A  B ", "A B"), ("", ""), ("a\nb", ">x:")):
        table = Table()
        table.state = None
        start = table.events[0]
        table.put(replace(start, players={"left": left, "right": right}))
        table.play("8G", "CAT")
        both_ways(table)


def test_another_tile_set_is_named():
    table = Table(tile_set="german")
    table.play("8G", "DÜS")
    assert "#tile-distribution german\n" in both_ways(table)


def test_a_correction_shows_in_the_record():
    table = Table()
    table.play("8G", "CAT")
    table.put(SquareCorrected(1, "8I", "B", "TD", "", 0))
    assert "8G CAB +14 14" in both_ways(table)
    assert table.state.board[Square(7, 8)] == "B"


def test_a_game_from_a_given_position_has_no_record():
    table = Table()
    start = replace(table.events[0], rows=Board.empty().replace({Square(7, 7): "A"}).rows)
    with pytest.raises(TilewatchError, match="began from a given position"):
        record_of(fold([start]))


# Bad input.


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
        (b"#player1 ann Ann\n#player1 bo Bo\n", "line 2: a second #player1"),
        (b"#player1 ann Ann\n#player2 ann Bo\n", "line 2: both players are called 'ann'"),
        (b"#player1\n", "line 1: #player1 names nobody"),
        (b">ann: AT 8H AT +4 4\n", "line 1: a turn before #player1 and #player2"),
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
        (">ann", "no player and colon"),
        (">ann:", "cut off"),
        (">ann: AT", "cut off"),
        (">ann: AT 8H", "cut off"),
        (">ann: AT 8H AT", "cut off, it has no score and total"),
        (">ann: AT 8H AT +4", "cut off, it has no score and total"),
        (">ann: AT 8H AT +x 4", "'+x' is not a score"),
        (">ann: AT 8H AT +4 4x", "'4x' is not a running total"),
        (">ann: AT 8H A7 +4 4", "'7' in 'A7' is not a tile"),
        (">ann: AT 8H [CH]A +4 4", "no known tile set has a tile [CH]"),
        (">ann: AT 8N ATE +4 4", "ATE at 8N runs off the board"),
        (">ann: AT 8H .. +0 0", ".. at 8H places no tile"),
        (">ann: AT 9Q AT +4 4", "neither a play, a pass, an exchange nor an end"),
        (">ann: AT -- -4 0", "ann takes back a play, and the last play is not theirs"),
        (">ann: AT - +0 0\n#note tilewatch: 8H=A wobble", "unknown word 'wobble'"),
        (">ann: AT 8H AT +4 4\n#note tilewatch: exchange_or_pass", "a line that is no pass"),
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
    table = Table()
    table.play("8G", "CAT")
    table.nothing()
    whole = write(record_of(table.state)).replace("#incomplete\n", "")
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
