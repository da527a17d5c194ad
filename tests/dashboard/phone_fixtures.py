"""A table whose camera is a phone: its server, and a browser whose camera plays a video."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from dashboard.app import create_app
from dashboard.link_keys import camera_address
from dashboard.server import Server
from dashboard.site import Site, table_over
from record.log.event_log import EventLog
from sensors.interfaces import Frame
from sensors.phone import PhoneCamera, PhoneInbox, PhoneOptions
from table.desk import ShownFrame, TableDesk
from tests.dashboard.browsing import browser
from vision.images import decode_picture

FAKE_CAMERA = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")


def write_y4m(path: Path, frames: Iterable[np.ndarray], fps: int) -> None:
    """Write pictures (BGR) as a video that chromium plays as its camera, again and again."""
    with path.open("wb") as out:
        for frame in frames:
            if out.tell() == 0:
                height, width = frame.shape[:2]
                head = f"YUV4MPEG2 W{width} H{height} F{fps}:1 Ip A1:1 C420jpeg\n"
                out.write(head.encode())
            out.write(b"FRAME\n" + cv2.cvtColor(frame, cv2.COLOR_BGR2YUV_I420).tobytes())


def phone_browser(profile: Path, video: Path, switches: Sequence[str] = FAKE_CAMERA) -> Iterator:
    """A browser whose only camera plays a video."""
    return browser(profile, (*switches, f"--use-file-for-fake-video-capture={video}"))


class PhoneTable:
    """A server over a table whose camera is a phone, and what its driver has handed on."""

    def __init__(
        self,
        log: EventLog,
        data: Path | None = None,
        retained: Callable[[Frame], Frame] = lambda frame: frame,
        **options: int,
    ) -> None:
        """``retained`` returns what is kept of a frame."""
        self._retained = retained
        self.options = PhoneOptions(**options)
        self.inbox = PhoneInbox(self.options)
        self.desk = TableDesk(time.monotonic_ns, lambda: None)
        self.frames: list[tuple[int, Frame]] = []
        """The frames, each with the time at which it was handed on."""
        self.errors: list[str] = []
        table = table_over(
            log, id="1", name="Table 1", clock=time.monotonic_ns, desk=self.desk, phone=self.inbox
        )
        self.app = create_app(Site((table,)), data)
        self.server = Server(self.app, "127.0.0.1", 0)
        self.server.start()
        self._over = threading.Event()
        self._camera: PhoneCamera | None = None
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def link(self) -> str:
        """One that pairs a phone."""
        return f"{self.server.url}{camera_address(self.app, '1')}"

    def show(self, corners) -> None:
        """Let the table have found the board in its newest frame."""
        self.desk.show(ShownFrame(self.frames[-1][1], corners))

    def close(self) -> None:
        self._over.set()
        self.server.stop()
        if self._camera is not None:
            self._camera.close()
        self._thread.join()

    def _read(self) -> None:
        while not self._over.is_set():
            try:
                self._camera = PhoneCamera(self.options, self.inbox, decode=decode_picture)
                if self._over.is_set():
                    return
                for frame in self._camera.frames():
                    self.frames.append((time.monotonic_ns(), self._retained(frame)))
                    if self._over.is_set():
                        return
            except Exception as error:
                self.errors.append(str(error))
