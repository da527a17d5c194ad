"""``tilewatch calibrate``: find the board, judge the picture, and keep how both look."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from table.commands import uses
from table.commands.arguments import port
from table.commands.terminal import answer, answer_json, say

if TYPE_CHECKING:
    from calibration.calibrate import Proposal
    from table.setup.calibration_session import CalibrationSession

NAME = "calibrate"
HELP = "find the board, judge the picture, and keep how the board looks empty"
DESCRIPTION = (
    "Takes pictures of the empty board, finds it, judges focus, size, light and glare, and opens a "
    "page on which the grid can be moved by hand and saved. Without a browser it prints the "
    "judgement and saves. A table started afterwards uses what was saved. Exit status 1 when the "
    "picture is too poor to read by."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    uses.add_config(parser, uses.TABLE)
    parser.add_argument(
        "--image", metavar="FILE", type=Path, action="append",
        help="use this picture, not the camera; several of one view are combined",
    )  # fmt: skip
    parser.add_argument("--no-browser", action="store_true", help="judge, save, and no page")
    parser.add_argument(
        "--corners", metavar="x,y,x,y,x,y,x,y",
        help="where the grid is, clockwise, in pixels of the picture; implies --no-browser",
    )  # fmt: skip
    parser.add_argument(
        "--empty", action="store_true", help="the board is empty, whatever seems to lie on it"
    )
    uses.add_data(parser, uses.TABLE)
    parser.add_argument("--host", default="127.0.0.1", help="of the page (default: 127.0.0.1)")
    parser.add_argument("--port", type=port, default=0, help="of the page (default: any free one)")
    parser.add_argument("--json", action="store_true", help="print one JSON document; no page")
    parser.add_argument(
        "--stickers", metavar="FILE",
        type=Path, help="write a sheet of stickers for the board's rim to print (A4 PNG), and stop",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Calibrate; 1 when the picture is poor."""
    if args.stickers is not None:
        return _sheet(args.stickers)
    import contextlib

    from game.errors import TilewatchError
    from table.setup.calibration_session import CalibrationSession
    from table.setup.capture import LiveCapture, from_files, take

    used = uses.table_of(args)
    config, data = used.config, used.data
    empty = True if args.empty else None
    if not args.image:
        from table.doctor.run import at_work

        if at_work(data):
            raise TilewatchError(
                "the table is running and has its camera; calibrate on its page,"
                f" {config.serve.host}:{config.serve.port}/director/tables/1/setup/calibration"
            )
        config = used.with_camera()
    with contextlib.ExitStack() as stack:
        newest = None
        if args.image:
            taken = from_files(args.image)
            pictures = lambda: taken  # noqa: E731
        elif config.camera.simulated:
            pictures = lambda: take(config)  # noqa: E731
        else:
            camera = stack.enter_context(contextlib.closing(LiveCapture(config)))
            pictures, newest = camera.taken, camera.newest
        bench = CalibrationSession(config.tile_set, data, pictures, newest=newest)
        found = bench.look()
        if not (args.no_browser or args.json or args.corners):
            return _page(bench, args)
        if args.corners:
            from table.commands.read import parsed_corners

            found = bench.nudge(parsed_corners(args.corners))
        if found is None:
            raise TilewatchError(bench.trouble)
        return _report(bench, found, args, empty)


def _report(
    bench: CalibrationSession, found: Proposal, args: argparse.Namespace, empty: bool | None
) -> int:
    """Print the judgement and save."""
    from calibration.picture_quality import worst
    from table.setup.calibration_session import as_json

    path = bench.save(empty)
    if args.json:
        answer_json(as_json(found) | {"saved": str(path)})
    else:
        for line in lines(found):
            answer(line)
        answer(f"saved: {path}")
    return 1 if worst(found.judgements) == "poor" else 0


def lines(found: Proposal) -> list[str]:
    """A judgement in plain words."""
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


def _page(bench: CalibrationSession, args: argparse.Namespace) -> int:
    """Serve the page until it was saved there, or Ctrl-C."""
    from calibration.picture_quality import worst
    from dashboard.setup.standalone import serve_alone

    for line in lines(bench.proposal) if bench.proposal is not None else [bench.trouble]:
        say(line)
    if not serve_alone(bench, bench.was_saved, args.host, args.port, say):
        say("nothing was saved")
        return 1
    assert bench.proposal is not None
    say("saved")
    return 1 if worst(bench.proposal.judgements) == "poor" else 0


def _sheet(path: Path) -> int:
    import cv2

    from calibration.markers import sheet
    from game.errors import TilewatchError
    from game.files import require_replaceable

    require_replaceable(path)

    good, data = cv2.imencode(".png", sheet())
    if not good:
        raise TilewatchError("the sheet cannot be made a PNG")
    path.write_bytes(data.tobytes())
    answer(f"{path}: print it at 100%, not fitted to the page")
    return 0
