"""The turns that come out right in a video that a phone's page sends.

    python benchmarks/phone_video.py VIDEO [--work DIR] [--turns N]

VIDEO is a recording with an ``expected.csv``, such as ``benchmarks/live_video.py --work`` leaves,
of pictures at a steady rate. Debian's chromium has it as its camera, at its own pace; it opens the
page ``/camera`` of a real server, is paired, and sends what it sees; the camera of kind ``phone``
takes it, with its own stamps. What came is written as a recording, with the presses at the times
of the video, and replayed. A strip below each picture has its number, by which the video's zero is
known; it is cut off before the picture is read.

Prints the right turns, by how much the stamps were off, how late the pictures were, and how many
came.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import statistics
import tempfile
import time
from dataclasses import replace
from itertools import pairwise, repeat
from pathlib import Path

import cv2
import numpy as np
from live_video import right

from record.log.event_log import EventLog
from sensors.interfaces import Frame, Image
from tests.dashboard.phone_fixtures import PhoneTable, phone_browser, write_y4m

STRIP, BITS = 16, 16
"""The strip's height in pixels, and its blocks, the highest bit first."""
LEAD_S = 5
"""The first picture is shown for so long before the video begins: the page gets to work."""


def numbered(image: Image, number: int) -> Image:
    """Return a picture with sides that encoders like, and the strip below it."""
    height, width = (side // 2 * 2 for side in image.shape[:2])
    strip = np.zeros((STRIP, width, 3), np.uint8)
    for bit in range(BITS):
        if number >> (BITS - 1 - bit) & 1:
            strip[:, bit * width // BITS : (bit + 1) * width // BITS] = 255
    return np.vstack([image[:height, :width], strip])


def number_of(image: Image) -> int:
    """Return the number in the strip of a picture."""
    row = image[-STRIP // 2].mean(1)
    width = len(row)
    middles = [row[(2 * bit + 1) * width // (2 * BITS)] > 127 for bit in range(BITS)]
    return int("".join("01"[bool(one)] for one in middles), 2)


def pictures(video: Path, until_ms: int) -> tuple[list[Path], int]:
    """The video's pictures up to a time, and their rate a second."""
    paths = [
        path for path in sorted((video / "frames").glob("*.jpg")) if int(path.stem) <= until_ms
    ]
    steps = {int(b.stem) - int(a.stem) for a, b in pairwise(paths)}
    if len(steps) != 1:
        raise SystemExit(f"{video}: its pictures do not come at a steady rate")
    return paths, round(1000 / steps.pop())


def taken(paths: list[Path], fps: int, scratch: Path) -> list[tuple[int, Frame]]:
    """Return what the phone has sent of one run through the video, each with its arrival.

    Of their images only the strips are left.
    """
    first = cv2.imread(str(paths[0]))
    shown = [*repeat(paths[0], LEAD_S * fps), *paths]
    video = (numbered(cv2.imread(str(path)), at) for at, path in enumerate(shown))
    write_y4m(scratch / "camera.y4m", video, fps)
    last = len(shown) - 1
    height, width = first.shape[:2]
    with EventLog(scratch / "log.db") as log:
        table = PhoneTable(log, retained=_strip, fps=2 * fps, width=width, height=height)
        try:
            for driver in phone_browser(scratch / "profile", scratch / "camera.y4m"):
                driver.get(table.link())
                give_up = time.monotonic() + last / fps + 60
                while time.monotonic() < give_up and not _over(table.frames, last):
                    time.sleep(0.2)
                print(driver.execute_script("return document.querySelector('#facts').textContent"))
        finally:
            table.close()
        print(f"faults: {', '.join(sorted(set(table.errors))) or 'none'}")
    numbers = [number_of(frame.image) for _, frame in table.frames]
    again = (at for at in range(1, len(numbers)) if numbers[at] < numbers[at - 1])
    return table.frames[: next(again, len(numbers))]


def _strip(frame: Frame) -> Frame:
    return replace(frame, image=frame.image[-STRIP:].copy())


def _over(frames: list[tuple[int, Frame]], last: int) -> bool:
    """True if the video has come to its end; it begins anew then."""
    if len(frames) < 2:
        return False
    newest, before = (number_of(frames[at][1].image) for at in (-1, -2))
    return newest >= last - 1 or newest < before


def main() -> None:
    """Play, take, replay."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("video", type=Path)
    parser.add_argument("--work", type=Path, help="where what came goes, and stays")
    parser.add_argument("--turns", type=int, help="only so many turns")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.work) as name:
        scratch = Path(name)
        out = (args.work or scratch) / f"{args.video.name}-phone"
        shutil.rmtree(out, ignore_errors=True)
        (out / "frames").mkdir(parents=True)
        shutil.copy(args.video / "recording.toml", out)
        until_ms = _presses(args.video, out, args.turns)
        paths, fps = pictures(args.video, until_ms)
        got = taken(paths, fps, scratch)
        period_ns = 1_000_000_000 // fps
        lead = LEAD_S * fps
        offs = [frame.t_ns - (number_of(frame.image) - lead) * period_ns for _, frame in got]
        zero = round(statistics.median(offs))
        for _, frame in got:
            if (t_ms := round((frame.t_ns - zero) / 1e6)) >= 0:
                image = cv2.imdecode(np.frombuffer(frame.jpeg or b"", np.uint8), cv2.IMREAD_COLOR)
                path = out / "frames" / f"{t_ms:09d}.jpg"
                cv2.imwrite(str(path), image[:-STRIP], (cv2.IMWRITE_JPEG_QUALITY, 95))
        off_ms = [abs(one - zero) / 1e6 for one in offs]
        late_ms = [(arrived - frame.t_ns) / 1e6 for arrived, frame in got]
        print(
            f"{len(list((out / 'frames').iterdir()))} pictures of {len(paths)}; stamps off by "
            f"{statistics.median(off_ms):.1f} ms in the middle, {max(off_ms):.0f} ms at most; "
            f"{statistics.median(late_ms):.0f} ms late in the middle, {max(late_ms):.0f} at most"
        )
        found, count, wrong = right(out)
        print(f"{found} of {count} turns", *wrong)


def _presses(video: Path, out: Path, turns: int | None) -> int:
    """Copy the presses and the expected turns, as many as wanted; return when the video ends."""
    for name, more in (("buttons.csv", 1), ("expected.csv", 0)):
        with (video / name).open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        kept = rows if turns is None else rows[: 1 + turns + more]
        with (out / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(kept)
        if name == "buttons.csv":
            last_ms = int(kept[-1][0])
    return 10**9 if turns is None else last_ms + 4000


if __name__ == "__main__":
    main()
