"""Servers of network cameras for tests: RTSP by GStreamer, HLS by FFmpeg, MJPEG of our own.

Every picture shows its number as eight dark or light fields, so that a test can tell when the
picture that it got was sent.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import http.server
import shutil
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

SYSTEM_PYTHON = "/usr/bin/python3"
"""Debian's GObject bindings are there."""

RTSP_SERVER = Path(__file__).with_name("rtsp_server.py")
_RTSP_NEEDS = """
import gi
gi.require_version("GstRtspServer", "1.0")
from gi.repository import Gst, GstRtspServer
Gst.init(None)
elements = {elements}
assert all(Gst.ElementFactory.find(one) for one in elements)
"""


def numbered(number: int) -> np.ndarray:
    """A picture that shows a number below 256."""
    image = np.full((480, 640, 3), (40, 90, 140), np.uint8)
    for bit in range(8):
        image[20:100, 20 + bit * 70 : 80 + bit * 70] = 255 if number >> bit & 1 else 0
    return image


def number_in(image: np.ndarray) -> int:
    """The number that a picture shows."""
    return sum(1 << bit for bit in range(8) if image[60, 50 + bit * 70].mean() > 128)


def write_pictures(folder: Path, count: int, every_ms: int) -> Path:
    """Write numbered pictures as ``<t_ms>.jpg``."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        cv2.imwrite(str(folder / f"{number * every_ms:09d}.jpg"), numbered(number))
    return folder


@functools.cache
def _why_no_rtsp(h265: bool) -> str:
    elements = ("x264enc", "h264parse", "jpegdec", "rtpjpegpay")
    if h265:
        elements += ("x265enc", "h265parse", "rtph265pay")
    script = _RTSP_NEEDS.format(elements=elements)
    done = subprocess.run([SYSTEM_PYTHON, "-c", script], capture_output=True)
    if done.returncode == 0:
        return ""
    return (
        "needs Debian's python3-gi, gir1.2-gst-rtsp-server-1.0, gstreamer1.0-plugins-good and "
        + ("-bad" if h265 else "-ugly")
    )


class RtspServer(contextlib.AbstractContextManager):
    """An RTSP camera in a process of its own. ``zero_ns``: when its first picture was sent."""

    def __init__(self, folder: Path, *options: str) -> None:
        if why := _why_no_rtsp("h265" in options):
            pytest.skip(why)
        command = [SYSTEM_PYTHON, str(RTSP_SERVER), str(folder), *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port = self._output("port")

    def _output(self, what: str) -> int:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            name, _, value = line.partition(" ")
            if name == what:
                return int(value)
        raise AssertionError(f"the server ended without its {what}")

    @functools.cached_property
    def zero_ns(self) -> int:
        return self._output("zero")

    @property
    def url(self) -> str:
        return f"rtsp://127.0.0.1:{self.port}/board"

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def __exit__(self, *_: object) -> None:
        self.stop()


class HttpCamera(contextlib.AbstractContextManager):
    """A web server that streams MJPEG as phone apps do, and plays bad ones by path.

    ``/video`` streams; ``/bare`` leaves the lengths out, ``/cut`` cuts every other picture
    off, ``/hangs`` sends nothing, ``/stops`` falls
    silent after some pictures, ``/ends`` closes, ``/<status>`` answers so, ``/page`` is a page. All
    else is a file of ``files``.
    """

    def __init__(
        self,
        *,
        every_s: float = 0.05,
        login: str | None = None,
        files: Path | None = None,
        context: ssl.SSLContext | None = None,
        port: int = 0,
    ) -> None:
        camera = self
        self.every_s, self.login, self.files = every_s, login, files
        self.closing = threading.Event()
        self.sent_ns: dict[int, int] = {}
        """When each picture was sent first."""

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                with contextlib.suppress(OSError):
                    camera.answer(self)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        if context is not None:
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self.port = self._server.server_port
        self._scheme = "http" if context is None else "https"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def url(self, path: str = "video", host: str = "127.0.0.1", login: str = "") -> str:
        return f"{self._scheme}://{login}{host}:{self.port}/{path}"

    def answer(self, asked: http.server.BaseHTTPRequestHandler) -> None:
        path = asked.path.partition("?")[0].strip("/")
        given = asked.headers.get("Authorization", "")
        if self.login and given != "Basic " + base64.b64encode(self.login.encode()).decode():
            asked.send_response(401)
            asked.send_header("WWW-Authenticate", 'Basic realm="camera"')
            asked.end_headers()
        elif path == "page":
            self._send(asked, b"<!doctype html><title>My camera</title>" * 50, "text/html")
        elif path.isdigit():
            asked.send_error(int(path))
        elif path == "hangs":
            self.closing.wait(60)
        elif path in ("video", "bare", "cut", "stops", "ends"):
            self._stream(asked, path)
        elif self.files is not None and (self.files / path).is_file():
            self._send(asked, (self.files / path).read_bytes(), "application/octet-stream")
        else:
            asked.send_error(404)

    def _send(self, asked: http.server.BaseHTTPRequestHandler, body: bytes, kind: str) -> None:
        asked.send_response(200)
        asked.send_header("Content-Type", kind)
        asked.send_header("Content-Length", str(len(body)))
        asked.end_headers()
        asked.wfile.write(body)

    def _stream(self, asked: http.server.BaseHTTPRequestHandler, path: str) -> None:
        asked.send_response(200)
        asked.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        asked.end_headers()
        for number in range(10_000):
            if self.closing.wait(self.every_s):
                return
            if number == 40 and path == "stops":
                self.closing.wait(60)
            if number == 40 and path == "ends":
                return
            jpeg = cv2.imencode(".jpg", numbered(number % 256))[1].tobytes()
            if path == "cut" and number % 2:
                jpeg = jpeg[: len(jpeg) // 2]
            length = b"" if path == "bare" else b"Content-Length: %d\r\n" % len(jpeg)
            self.sent_ns.setdefault(number % 256, time.monotonic_ns())
            asked.wfile.write(
                b"--frame\r\nContent-Type: image/jpeg\r\n" + length + b"\r\n" + jpeg + b"\r\n"
            )

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextlib.contextmanager
def hls(folder: Path, pictures: Path, fps: int, segment_s: float) -> Iterator[str]:
    """FFmpeg plays pictures into segments in ``folder``, again and again; yield the file's name."""
    if shutil.which("ffmpeg") is None:
        pytest.skip("needs Debian's ffmpeg")
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        *("ffmpeg", "-loglevel", "error", "-nostdin", "-re", "-stream_loop", "-1"),
        *("-framerate", str(fps), "-pattern_type", "glob", "-i", str(pictures / "*.jpg")),
        *("-c:v", "libx264", "-preset", "veryfast", "-tune", "zerolatency", "-pix_fmt", "yuv420p"),
        *("-g", str(round(fps * segment_s)), "-f", "hls", "-hls_time", str(segment_s)),
        *("-hls_list_size", "6", "-hls_flags", "delete_segments", str(folder / "board.m3u8")),
    ]
    process = subprocess.Popen(command)
    try:
        yield "board.m3u8"
    finally:
        process.kill()
        process.wait()
