"""``tilewatch read``: reads photographs of boards and racks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from game.errors import TilewatchError
from game.tile_symbols import spelled
from table.commands.options import PATH, ReadsPictures, as_json
from table.commands.terminal import answer, answer_each, fault

if TYPE_CHECKING:
    from sensors.recording import Corners
    from vision.classifier import Promise
    from vision.empty_board import EmptyBoardModel
    from vision.racks.reader import RackReading
    from vision.reader import BoardReader
    from vision.reading import Reading

_STRANGERS = 2
"""With at least this many tiles that the named set lacks, the named set is likely wrong."""


@click.command(cls=ReadsPictures)
@click.argument("images", metavar="IMAGE...", nargs=-1, required=True, type=PATH)
@click.option("--tile-set", metavar="ID", default="english", help="tiles on the board")
@click.option(
    "--corners", metavar="x,y,x,y,x,y,x,y",
    help="corners of the 15×15 grid in pixels, clockwise from the top left, if they are known",
)  # fmt: skip
@click.option(
    "--empty", metavar="FILE", type=PATH,
    help="a picture of the same board with nothing on it: tells plain blanks from squares",
)  # fmt: skip
@click.option("--rack", is_flag=True, help="read the row of tiles on a rack, and no board")
@as_json
def read(
    images: tuple[Path, ...],
    tile_set: str,
    corners: str | None,
    empty: Path | None,
    rack: bool,
    as_json: bool,
) -> int:
    """Read the board in photographs.

    Finds the board in each photograph, at any angle, and reads its squares as 15 rows: '.' empty,
    '?' a blank, '#' face down, '~' covered or unreadable. With --rack it reads the tiles on a rack
    from left to right. Exit status 2 when one cannot be read.
    """
    from vision.tile_sets import letters_of

    found = None if corners is None else parsed_corners(corners)
    letters_of(tile_set)  # refuse an unknown one before any picture
    if rack:
        if corners is not None or empty is not None:
            raise TilewatchError("--rack: takes neither --corners nor --empty, which are a board's")
        return _read_racks(images, tile_set, as_json=as_json)
    import numpy as np

    from vision.errors import ImageError, NoBoardFoundError
    from vision.images import load_image

    pose = None if found is None else np.array(found, np.float32)
    reader: BoardReader | None = None

    def read_one(path: Path) -> tuple[str, Reading]:
        nonlocal reader
        image = load_image(str(path))
        if reader is None:  # loading the weights takes longer than finding a file missing
            from table import calibrated_reader

            reader = calibrated_reader.board_reader(tile_set)
            if empty is not None:
                reader.empty = empty_look(str(empty), reader)
        reading = reader.read(image, pose)
        if len(reading.strangers) >= _STRANGERS:
            shown = spelled(", ".join(sorted(set(reading.strangers.values()))))
            fault(
                f"{path}: {len(reading.strangers)} tiles show {shown}, which the {tile_set}"
                " set does not have; name the set that lies on the board with --tile-set"
            )
        return str(path), reading

    done = answer_each(
        images,
        read_one,
        lambda one: _show(*one),
        lambda one: _document(*one),
        as_json=as_json,
        unusable=(ImageError, NoBoardFoundError),
    )
    return 0 if len(done) == len(images) else 2


def _read_racks(images: tuple[Path, ...], tile_set: str, *, as_json: bool) -> int:
    from table.calibrated_reader import rack_reader
    from vision.errors import ImageError
    from vision.images import load_image

    reader = rack_reader(tile_set)

    def document(name: str, reading: RackReading) -> dict[str, Any]:
        return {"image": name, "tiles": reading.tiles, "confidence": list(reading.confidence)}

    def show(name: str, reading: RackReading) -> None:
        least = f", the least sure with {min(reading.confidence):.0%}" if reading.tiles else ""
        answer(f"{name}: {spelled(reading.tiles) or 'no tiles'}{least}")

    done = answer_each(
        images,
        lambda path: (str(path), reader.read(load_image(str(path)))),
        lambda one: show(*one),
        lambda one: document(*one),
        as_json=as_json,
        unusable=(ImageError,),
    )
    return 0 if len(done) == len(images) else 2


def empty_look(name: str, reader: BoardReader) -> EmptyBoardModel:
    """Return the appearance of the empty board in a picture.

    Raises ``TilewatchError`` if the picture shows no board, or a board with tiles.
    """
    from vision.empty_board import EmptyBoardModel
    from vision.errors import NoBoardFoundError
    from vision.images import load_image
    from vision.rectify import rectify

    image = load_image(name)
    try:
        reading = reader.read(image)
    except NoBoardFoundError as error:
        raise TilewatchError(f"--empty {name}: {error}") from error
    letters = sum(symbol.isalpha() for row in reading.rows for symbol in row)
    if letters:
        raise TilewatchError(
            f"--empty {name}: {letters} tiles lie on the board; take its picture with nothing on it"
        )
    return EmptyBoardModel(rectify(image, reading.corners))


def parsed_corners(text: str) -> Corners:
    """Parse the text of ``--corners``. Raises ``TilewatchError``."""
    from sensors.recording import parse_corners

    try:
        return parse_corners([float(number) for number in text.split(",")])
    except ValueError as error:
        why = "corners must be numbers" if "could not convert" in str(error) else str(error)
        raise TilewatchError(f"--corners {text}: {why}") from error


def _document(name: str, reading: Reading) -> dict[str, Any]:
    from game.board import Square

    flags = []
    for finding in reading.findings:
        flag: dict[str, Any] = {
            "code": finding.code,
            "square": finding.square,
            "message": spelled(finding.detail),
        }
        if finding.square is not None:
            guesses = reading.guesses.get(Square.parse(finding.square))
            if guesses and finding.code == "uncertain_square":
                flag["guesses"] = [{"symbol": symbol, "p": p} for symbol, p in guesses]
        flags.append(flag)
    return {
        "image": name,
        "corners": [[round(float(x), 2), round(float(y), 2)] for x, y in reading.corners],
        "rows": list(reading.likeliest),
        "confidence": [[round(float(p), 4) for p in row] for row in reading.confidence],
        "flags": flags,
        **_promised(reading),
        "ms": {"locate": reading.ms["locate"], "read": reading.ms["read"]},
    }


def _promised(reading: Reading) -> dict[str, Any]:
    if reading.promise is None:
        return {}
    promise = reading.promise
    bound = {"sure": promise.sure, "risk": promise.risk, "confidence": promise.confidence}
    return {"promise": bound, "marked": [square.name for square in reading.marked]}


def _show(name: str, reading: Reading) -> None:
    ms = reading.ms
    answer(f"{name}: board found in {ms['locate']:.0f} ms, read in {ms['read']:.0f} ms")
    shown = [["", *"ABCDEFGHIJKLMNO"]]
    shown += [
        [str(number), *map(spelled, row)] for number, row in enumerate(reading.likeliest, start=1)
    ]
    wide = max(len(text) for row in shown for text in row[1:])
    for first, *cells in shown:
        answer(f"{first:>3} {' '.join(text.ljust(wide) for text in cells)}".rstrip())
    for finding in reading.findings:
        where = f" {finding.square}" if finding.square is not None else ""
        answer(f"{finding.code}{where}: {spelled(finding.detail)}")
    if reading.promise is not None:
        _show_marked(reading, reading.promise)


def _show_marked(reading: Reading, promise: Promise) -> None:
    rows = reading.likeliest
    marked = [
        f"{square.name} {spelled(rows[square.row][square.col])} {reading.confidence[square]:.2%}"
        for square in reading.marked
    ]
    answer(
        f"may be misread, below {promise.sure:.3%}: {', '.join(marked) or 'no square'}",
        f"at most 1 square in {1 / promise.risk:,.0f} is wrong and not among these"
        f" ({promise.confidence:.0%} confidence, on boards drawn as in PROMISE_CARD.md)",
    )
