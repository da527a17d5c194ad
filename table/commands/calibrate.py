"""``tilewatch calibrate`` and ``check-tiles``: learn the appearance of the board and the tiles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from game.errors import TilewatchError
from table.commands.options import PATH, TABLE, Given, ReadsPictures, as_json, given, port
from table.commands.terminal import answer, answer_each, answer_json, say

if TYPE_CHECKING:
    from calibration.calibrate import Proposal
    from calibration.tile_check import TileCheck
    from table.config import TableConfig
    from table.setup.calibration_session import CalibrationSession


@click.command(cls=ReadsPictures)
@given(TABLE)
@click.option(
    "--image", "images", metavar="FILE", type=PATH, multiple=True,
    help="use this picture, not the camera; several of one view are combined",
)  # fmt: skip
@click.option("--no-browser", is_flag=True, help="judge, save, and no page")
@click.option(
    "--corners", metavar="x,y,x,y,x,y,x,y",
    help="where the grid is, clockwise, in pixels of the picture; implies --no-browser",
)  # fmt: skip
@click.option("--empty", is_flag=True, help="the board is empty, whatever seems to lie on it")
@click.option(
    "--board-only", is_flag=True,
    help="with --no-browser: pictures are black outside of the board and 3 squares around it",
)  # fmt: skip
@click.option("--host", default="127.0.0.1", help="of the page")
@click.option("--port", type=port, default=0, help="of the page; 0: any free one")
@click.option("--json", "as_json", is_flag=True, help="print one JSON document; no page")
@click.option(
    "--stickers", metavar="FILE", type=PATH,
    help="write a sheet of stickers for the board's rim to print (A4 PNG), and stop",
)  # fmt: skip
def calibrate(
    given: Given,
    images: tuple[Path, ...],
    no_browser: bool,
    corners: str | None,
    empty: bool,
    board_only: bool,
    host: str,
    port: int,
    as_json: bool,
    stickers: Path | None,
) -> int:
    """Find the board, judge the picture, and keep both.

    Takes pictures of the empty board, finds it, judges focus, size, light and glare, and opens a
    page on which the grid can be moved by hand and saved. Without a browser it prints the judgement
    and saves. A table started afterwards uses what was saved. Exit status 1 when the picture is too
    poor to read by.
    """
    if stickers is not None:
        return _sheet(stickers)
    import contextlib

    from table.setup.calibration_session import CalibrationSession
    from table.setup.capture import LiveCapture, from_files, take

    config = given.table()
    if not images:
        config = _with_free_camera(given, config, "calibrate on its page", "calibration")
    with contextlib.ExitStack() as stack:
        newest = None
        if images:
            taken = from_files(images)
            pictures = lambda: taken  # noqa: E731
        elif config.camera.simulated:
            pictures = lambda: take(config)  # noqa: E731
        else:
            camera = stack.enter_context(contextlib.closing(LiveCapture(config)))
            pictures, newest = camera.taken, camera.newest
        bench = CalibrationSession(config.tile_set, config.folder, pictures, newest=newest)
        found = bench.look()
        if not (no_browser or as_json or corners):
            return _page(bench, host, port)
        if corners:
            from table.commands.read import parsed_corners

            found = bench.nudge(parsed_corners(corners))
        if found is None:
            raise TilewatchError(bench.trouble)
        path = bench.save(True if empty else None, board_only=board_only)
        return _report(found, path, as_json=as_json)


def _with_free_camera(given: Given, config: TableConfig, do: str, page: str) -> TableConfig:
    """Return the configuration with a camera that no running table uses.

    If one does, raises ``TilewatchError`` that names the page of that table to use instead.
    """
    from table.doctor.run import at_work

    if at_work(config.folder):
        raise TilewatchError(
            f"the table is running and has its camera; {do},"
            f" {config.serve.host}:{config.serve.port}/director/tables/1/setup/{page}"
        )
    return given.camera(config)


def _report(found: Proposal, path: Path, *, as_json: bool) -> int:
    from calibration.picture_quality import worst
    from table.setup import calibration_session

    if as_json:
        answer_json(calibration_session.as_json(found) | {"saved": str(path)})
    else:
        for line in lines(found):
            answer(line)
        answer(f"saved: {path}")
    return 1 if worst(found.judgements) == "poor" else 0


def lines(found: Proposal) -> list[str]:
    """Return the judgement of a picture in plain words, line by line."""
    calibration = found.calibration
    at = ", ".join(f"{x:.0f},{y:.0f}" for x, y in calibration.corners)
    report = [f"board found at {at}, in the picture of: {calibration.camera}"]
    if calibration.lens is not None:
        report.append(f"the lens bends lines (k1 {calibration.lens.k1:+.3f}): straightened")
    if calibration.stickers:
        numbers = ", ".join(str(one.number) for one in calibration.stickers)
        report.append(f"stickers on the rim: {numbers}")
    for one in found.judgements:
        report.append(f"{one.grade.upper():5} {one.name}: {one.says}")
        if one.advice:
            report.append(f"      {one.advice}")
    return report


def _page(bench: CalibrationSession, host: str, port: int) -> int:
    """Serve the page until the calibration is saved there or Ctrl-C; return the exit status."""
    from calibration.picture_quality import worst
    from dashboard.setup.standalone import serve_alone

    for line in lines(bench.proposal) if bench.proposal is not None else [bench.trouble]:
        say(line)
    if not serve_alone(bench, bench.was_saved, host, port, say):
        say("nothing was saved")
        return 1
    assert bench.proposal is not None
    say("saved")
    return 1 if worst(bench.proposal.judgements) == "poor" else 0


def _sheet(path: Path) -> int:
    import cv2

    from calibration.markers import sheet
    from game.files import require_replaceable

    require_replaceable(path)

    good, data = cv2.imencode(".png", sheet())
    if not good:
        raise TilewatchError("the sheet cannot be made a PNG")
    path.write_bytes(data.tobytes())
    answer(f"{path}: print it at 100%, not fitted to the page")
    return 0


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
    config = given.table()
    tile_set = tile_set or config.tile_set
    if forget:
        from calibration.storage import forget_head
        from table.calibrated_reader import FOLDER

        forget_head(config.folder / FOLDER)
        answer("forgotten: the next games are read as any other set's")
        return 0
    from table.setup.calibration_session import CalibrationSession
    from table.setup.capture import from_files, name_of, take

    bench = CalibrationSession(
        tile_set, config.folder, lambda: take(config, rows=_laid_out(tile_set))
    )

    def check(path: Path) -> tuple[str, TileCheck]:
        return str(path), bench.check_tiles(from_files([path]), sure=counted)

    if images:
        named = len(images) > 1
        done = answer_each(
            images, check, lambda one: _show_tiles(*one, named), _document, as_json=as_json
        )
        if len(done) < len(images):
            return 2
        return int(not all(found.complete for _, found in done))
    config = _with_free_camera(given, config, "count the tiles on its page", "tiles")
    simulated = config.camera.simulated
    found = bench.check_tiles(sure=counted)
    name = name_of(config) if simulated else "camera"
    if as_json:
        answer_json(_document((name, found)))
    else:
        _show_tiles(name, found, simulated)
    if found.complete:
        learnt = bench.learn()
        say(
            "this set reads well as it is; nothing had to be learnt"
            if learnt is None
            else f"what the tiles look like is kept in {learnt}, for the games that follow"
        )
    return int(not found.complete)


def _document(one: tuple[str, TileCheck]) -> dict[str, Any]:
    name, found = one
    return {"image": name} | found.as_json()


def _show_tiles(name: str, found: TileCheck, named: bool) -> None:
    answer(*(f"{name}: {line}" if named else line for line in found.lines()))


def _laid_out(tile_set: str) -> tuple[str, ...]:
    """Return the rows of a board with the whole set laid out in random order, for a simulation."""
    import random

    from game.tileset import load_tile_set

    tiles = [tile for tile, count in load_tile_set(tile_set).counts.items() for _ in range(count)]
    random.Random(tile_set).shuffle(tiles)
    rows = [["."] * 15 for _ in range(15)]
    for at, tile in enumerate(tiles):
        rows[2 + at // 10][3 + at % 10] = tile
    return tuple("".join(row) for row in rows)
