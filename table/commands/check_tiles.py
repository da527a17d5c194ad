"""``tilewatch check-tiles``: is the set of tiles whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from game.errors import TilewatchError
from table.commands.options import PATH, TABLE, Given, ReadsPictures, as_json, given
from table.commands.terminal import answer, answer_json, fault, say

if TYPE_CHECKING:
    from calibration.tile_check import TileCheck
    from table.setup.calibration_session import CalibrationSession


@click.command(cls=ReadsPictures)
@click.argument(
    "images", metavar="[IMAGE]...", nargs=-1, type=PATH, help="pictures of sets laid out"
)
@given(TABLE)
@click.option("--tile-set", metavar="ID", help="which set it is (else as configured)")
@click.option(
    "--counted", is_flag=True,
    help="somebody has counted them: all are there, learn what they look like",
)  # fmt: skip
@click.option("--forget", is_flag=True, help="forget what was learnt of a set, and stop")
@as_json
def check_tiles(
    given: Given,
    images: tuple[Path, ...],
    tile_set: str | None,
    counted: bool,
    forget: bool,
    as_json: bool,
) -> int:
    """Count the tiles of a set, laid out in ten by ten.

    Reads a set of tiles laid out on the board in rows of ten, or in four blocks of five by five,
    and says what is missing and what is too many. Without pictures it looks through the table's
    camera, and keeps what the tiles look like, so that the games that follow are read the better.
    Exit status 1 when the set is not right.
    """
    used = given.table()
    config, data = used.config, used.data
    tile_set = tile_set or config.tile_set
    if forget:
        return _forget(data)
    from table.setup.calibration_session import CalibrationSession
    from table.setup.capture import Capture, from_files, name_of, take

    if images:
        bench = CalibrationSession(tile_set, data, lambda: Capture((), ""))
        done, broken = [], 0
        for path in images:
            try:
                done.append((str(path), bench.check_tiles(from_files([path]), sure=counted)))
            except TilewatchError as error:
                broken += 1
                text = str(error)
                fault(text if text.startswith(str(path)) else f"{path}: {text}")
        _tell(done, as_json, several=len(images) > 1)
        return 2 if broken else int(not all(found.complete for _, found in done))
    from table.doctor.run import at_work

    if at_work(data):
        raise TilewatchError(
            "the table is running and has its camera; count the tiles on its page,"
            f" {config.serve.host}:{config.serve.port}/director/tables/1/setup/tiles"
        )
    config = used.with_camera()
    simulated = config.camera.simulated
    bench = CalibrationSession(
        tile_set,
        data,
        lambda: take(config, rows=_laid_out(tile_set)) if simulated else take(config),
    )
    found = bench.check_tiles(sure=counted)
    _tell([(name_of(config) if simulated else "camera", found)], as_json, simulated=simulated)
    if found.complete:
        say(_learnt(bench))
    return int(not found.complete)


def _tell(
    done: list[tuple[str, TileCheck]],
    as_json: bool,
    several: bool = False,
    simulated: bool = False,
) -> None:
    if as_json:
        documents: list[dict[str, Any]] = [
            {"image": name} | found.as_json() for name, found in done
        ]
        if documents:
            answer_json(documents if several else documents[0])
        return
    for name, found in done:
        for line in found.lines():
            answer(f"{name}: {line}" if several or simulated else line)


def _learnt(bench: CalibrationSession) -> str:
    path = bench.learn()
    if path is None:
        return "this set reads well as it is; nothing had to be learnt"
    return f"what the tiles look like is kept in {path}, for the games that follow"


def _laid_out(tile_set: str) -> tuple[str, ...]:
    """The set on a simulated table, as somebody would lay it out: in no order."""
    import random

    from game.tileset import load_tile_set

    tiles = [tile for tile, count in load_tile_set(tile_set).counts.items() for _ in range(count)]
    random.Random(tile_set).shuffle(tiles)
    rows = [["."] * 15 for _ in range(15)]
    for at, tile in enumerate(tiles):
        rows[2 + at // 10][3 + at % 10] = tile
    return tuple("".join(row) for row in rows)


def _forget(data: Path) -> int:
    from calibration.storage import forget_head
    from table.setup.calibrated_reader import FOLDER

    forget_head(data / FOLDER)
    answer("forgotten: the next games are read as any other set's")
    return 0
