"""Boards and sums as HTML."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from game.board import SIZE, Board, Premium, Square, is_blank, is_tile, premium
from game.tile_symbols import printed
from record.story.sums import SquareSum, TurnSum, WordSum
from record.story_html.words import escape

_PREMIUMS: Final = {
    Premium.TWS: "tws",
    Premium.DWS: "dws",
    Premium.TLS: "tls",
    Premium.DLS: "dls",
}
_BONUS: Final = {
    Premium.TWS: "3× word",
    Premium.DWS: "2× word",
    Premium.TLS: "3×",
    Premium.DLS: "2×",
}


def board(shown: Board, title: str, new: Collection[str] = (), gone: Collection[str] = ()) -> str:
    """A board with the squares marked that changed."""
    head = "".join(f'<th scope="col">{"ABCDEFGHIJKLMNO"[col]}</th>' for col in range(SIZE))
    rows = "".join(
        f'<tr><th scope="row">{row + 1}</th>'
        + "".join(_cell(shown, Square(row, col), new, gone) for col in range(SIZE))
        + "</tr>"
        for row in range(SIZE)
    )
    return (
        f'<table class="board"><caption>{escape(title)}</caption>'
        f"<tr><td></td>{head}</tr>{rows}</table>"
    )


def _cell(shown: Board, square: Square, new: Collection[str], gone: Collection[str]) -> str:
    symbol = shown[square]
    classes = []
    if symbol != ".":
        classes.append("tile")
        if is_blank(symbol):
            classes.append("blank")
        elif not is_tile(symbol):
            classes.append("unread")
    if (kind := _PREMIUMS.get(premium(square))) is not None:
        classes.append(kind)
    if square.name in new:
        classes.append("new")
    if square.name in gone:
        classes.append("gone")
    text = "" if symbol == "." else escape(printed(symbol.upper()))
    return f'<td class="{" ".join(classes)}">{text}</td>' if classes else f"<td>{text}</td>"


def sum_table(found: TurnSum) -> str:
    """A sum square by square."""
    words = "".join(_word(one) for one in found.words)
    bonus = f"<li><b>+ {found.bingo}</b> for all tiles of the rack</li>" if found.bingo else ""
    total = f"<li class=total><b>= {found.made}</b> made by the tiles</li>"
    if found.made != found.counts:
        total += f'<li class="total differs"><b>{found.counts}</b> is what the turn counts</li>'
    return f'<ul class="sum">{words}{bonus}{total}</ul>'


def _word(word: WordSum) -> str:
    tiles = "".join(_tile(one) for one in word.squares)
    factor = f" × {word.factor}" if word.factor > 1 else ""
    values = sum(one.points for one in word.squares)
    return (
        f'<li><b class="word">{escape(printed(word.text))}</b> <span class="tiles">{tiles}</span>'
        f"<span>{values}{factor} = <b>{word.points}</b></span></li>"
    )


def _tile(one: SquareSum) -> str:
    bonus = _BONUS.get(one.premium, "")
    factor = f" × {one.premium.letter}" if one.premium.letter > 1 else ""
    kind = f"t {_PREMIUMS.get(one.premium, '')}{' new' if one.new else ''}"
    return (
        f'<span class="{kind}"><i>{escape(printed(one.symbol.upper()))}</i> {one.value}{factor}'
        f"<small>{one.square}{f', {bonus}' if bonus else ''}</small></span>"
    )
