"""The turns that come out right in a video that comes over the network.

    python benchmarks/stream_video.py VIDEO [--over rtsp|rtsp-jpeg|mjpeg] [--delay MS] [--work DIR]

VIDEO is a recording with an ``expected.csv``, such as ``benchmarks/live_video.py --work`` leaves. A
server plays it at its own pace, RTSP by GStreamer (see ``tests/sensors/rtsp_server.py``) or MJPEG
over HTTP; the camera of kind ``url`` takes it, with its own stamps; the presses are those of the
video, at the times at which the server was due to send them. What came is written as a recording
and replayed. Prints the right turns, by how much the stamps were off, and the pictures that came.
"""

from __future__ import annotations

import argparse
import contextlib
import http.server
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
from live_video import right

from sensors.drivers import CAMERAS
from sensors.interfaces import Frame, SensorError
from tests.sensors.streamkit import RtspServer

LEAD_S = 1.0


@contextlib.contextmanager
def mjpeg(paths: list[Path]) -> Iterator[tuple[str, list[int]]]:
    """Play JPEG files to the first that asks; yield the address and a list for the zero."""
    zero: list[int] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            self.end_headers()
            zero.append(time.monotonic_ns() + int(LEAD_S * 1e9))
            # The first picture once more, for what the client wants before it begins.
            for path, t_ms in [
                (paths[0], -800),
                (paths[0], -400),
                *((p, int(p.stem)) for p in paths),
            ]:
                time.sleep(max(0.0, (zero[0] + t_ms * 1e6 - time.monotonic_ns()) / 1e9))
                jpeg = path.read_bytes()
                head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
                self.wfile.write(head.encode() + jpeg + b"\r\n")

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", zero
    finally:
        server.shutdown()


def cropped(paths: list[Path], folder: Path) -> Path:
    """Write pictures whose sides are multiples of eight: encoders want it."""
    folder.mkdir()
    for path in paths:
        image = cv2.imread(str(path))
        height, width = (side // 8 * 8 for side in image.shape[:2])
        cv2.imwrite(str(folder / path.name), image[:height, :width], (cv2.IMWRITE_JPEG_QUALITY, 97))
    return folder


@contextlib.contextmanager
def rtsp(folder: Path, codec: str) -> Iterator[tuple[str, list[int]]]:
    """The same over RTSP."""
    server, zero = RtspServer(folder, "--codec", codec), []
    waiting = threading.Thread(target=lambda: zero.append(server.zero_ns), daemon=True)
    waiting.start()
    try:
        yield server.url, zero
    finally:
        server.stop()


def taken(url: str, zero: list[int], delay_ms: int, out: Path) -> list[tuple[int, Frame]]:
    """Write what a camera at the address gives as pictures; return stamps, in ms of the video."""
    options = {"url": url, "fps": 30, "delay_ms": delay_ms}
    camera = CAMERAS["url"].open(CAMERAS["url"].options.model_validate(options))
    got = []
    try:
        for frame in camera.frames():
            t_ms = round((frame.t_ns - zero[0]) / 1e6)
            if t_ms < 0:
                continue
            late_ms = (time.monotonic_ns() - frame.t_ns) / 1e6
            cv2.imwrite(str(out / f"{t_ms:09d}.jpg"), frame.image, (cv2.IMWRITE_JPEG_QUALITY, 92))
            got.append((late_ms, frame))
    except SensorError as error:
        print(f"over: {error}", file=sys.stderr)
    return got


def main() -> None:
    """Play, take, replay."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("video", type=Path)
    parser.add_argument("--over", choices=("rtsp", "rtsp-jpeg", "mjpeg"), default="rtsp")
    parser.add_argument("--delay", type=int, default=0, help="delay_ms of the camera's options")
    parser.add_argument("--work", type=Path, help="where what came goes, and stays")
    args = parser.parse_args()
    paths = sorted((args.video / "frames").glob("*.jpg"))
    with tempfile.TemporaryDirectory() as scratch:
        out = (args.work or Path(scratch)) / f"{args.video.name}-{args.over}"
        shutil.rmtree(out, ignore_errors=True)
        (out / "frames").mkdir(parents=True)
        for name in ("recording.toml", "buttons.csv", "expected.csv"):
            shutil.copy(args.video / name, out)
        codec = "jpeg" if args.over == "rtsp-jpeg" else "h264"
        with contextlib.ExitStack() as stack:
            if args.over == "mjpeg":
                url, zero = stack.enter_context(mjpeg(paths))
            else:
                folder = cropped(
                    paths, Path(stack.enter_context(tempfile.TemporaryDirectory())) / "cropped"
                )
                url, zero = stack.enter_context(rtsp(folder, codec))
            got = taken(url, zero, args.delay, out / "frames")
        late = statistics.median(late_ms for late_ms, _ in got)
        print(f"{args.over}: {len(got)} pictures of {len(paths)}, {late:.0f} ms late in the middle")
        found, count, wrong = right(out)
        print(f"{args.over}: {found} of {count} turns", *wrong)


if __name__ == "__main__":
    main()
