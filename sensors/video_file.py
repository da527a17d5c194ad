"""A video file, or a folder of pictures, played as a camera.

It is played from its beginning at its own pace. Its last picture is then repeated, as by a camera
above a table where nothing happens any more.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, Final, cast

from pydantic import Field

from game.errors import TilewatchError
from game.files import open_file, os_error_as, read_file
from game.options import OptionPath
from sensors.interfaces import Decode, Frame, Image, SensorError
from sensors.options import CameraOptions, FrameRate

_AT_REST_NS: Final = 100_000_000
"""The interval at which a picture is repeated until the next one, as a camera would."""
_HELD_NS: Final = 500_000_000
"""The least time to the next picture for which this one is repeated. Closer pictures are frames of
a film, in which a moving hand does not rest between two frames."""
_BEHIND_NS: Final = 300_000_000
"""Pictures that the machine reads this late are dropped, as those of a camera would be lost."""
_LEAST_NS: Final = 1_000_000_000
"""The interval at which a machine that is always late still gets a picture."""
_LARGEST: Final = 1 << 40
_LARGEST_PICTURE: Final = 200_000_000
_PICTURES: Final = frozenset({".jpg", ".jpeg", ".png"})
_TIMED: Final = re.compile(r"[0-9]{9}")
_NS_PER_MS: Final = 1_000_000


class FileOptions(CameraOptions):
    """``[camera]`` with ``kind = "file"``."""

    path: OptionPath = Field(description="the video, the recording or the folder of pictures")
    fps: FrameRate = 15
    seconds: Annotated[float, Field(ge=0.1, le=600)] = Field(
        default=5.0, description="for how long each picture of a folder without times is shown"
    )

    @property
    def name(self) -> str:
        """The camera's name for people."""
        return f"file {self.path.name}"

    def own_rate(self) -> float | None:
        """Return a video's pictures a second; 0 for a single picture, None if unknown."""
        try:
            if self.path.is_dir():
                return None if _Pictures(self.path, self.seconds).several else 0.0
            video = _Video(self.path)
        except SensorError:
            return None
        try:
            return min(video.rate, float(self.fps)) if video.several else 0.0
        finally:
            video.close()


class FileCamera:
    """A ``sensors.interfaces.Camera``. Raises ``SensorError`` with one line.

    ``now_ns`` and ``sleep`` (in seconds) use the machine's clock, unless a test gives another.
    """

    def __init__(
        self,
        options: FileOptions,
        *,
        decode: Decode,
        now_ns: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        self._every_ns = round(1e9 / options.fps)
        self._closed = threading.Event()
        self._now_ns, self._sleep = now_ns, sleep or self._closed.wait
        with os_error_as(SensorError, f"{options.path}: cannot be read"):
            folder = options.path.is_dir()
            if not folder:
                open_file(options.path, _LARGEST, SensorError).close()
        self._source = (
            _Pictures(options.path, options.seconds, decode) if folder else _Video(options.path)
        )

    def frames(self) -> Iterator[Frame]:
        """Yield each picture at its time, then repeat the last one until closed."""
        source, seq, wanted_ns, shown_ns = self._source, 0, 0, 0
        latest: Callable[[], Image] | None = None
        began_ns = given_ns = self._now_ns()
        try:
            while (due_ns := source.next_ns()) is not None:
                if latest is not None and due_ns < wanted_ns:
                    continue
                now_ns = self._now_ns()
                late = now_ns - began_ns - due_ns > _BEHIND_NS
                if late and latest is not None and now_ns - given_ns < _LEAST_NS:
                    latest, wanted_ns = source.picture(), due_ns + self._every_ns * 7 // 8
                    shown_ns = due_ns
                    seq += 1
                    continue
                if latest is not None and due_ns - shown_ns > _HELD_NS:
                    for frame in self._at_rest(latest, seq, began_ns + due_ns):
                        seq = frame.seq + 1
                        yield frame
                if self._wait_until(began_ns + due_ns):
                    return
                latest, wanted_ns = source.picture(), due_ns + self._every_ns * 7 // 8
                given_ns, shown_ns = self._now_ns(), due_ns
                yield Frame(latest(), began_ns + due_ns, seq)
                seq += 1
            if latest is not None:
                yield from self._at_rest(latest, seq, None)
        finally:
            source.close()

    def close(self) -> None:
        """End; the file is closed by the thread that reads it."""
        self._closed.set()

    def _at_rest(
        self, latest: Callable[[], Image], seq: int, until_ns: int | None
    ) -> Iterator[Frame]:
        """Repeat a picture until shortly before ``until_ns``, or until closed if that is None."""
        every_ns = max(_AT_REST_NS, self._every_ns)
        while True:
            due_ns = self._now_ns() + every_ns
            if until_ns is not None and due_ns > until_ns - every_ns // 2:
                return
            if self._wait_until(due_ns):
                return
            yield Frame(latest(), due_ns, seq)
            seq += 1

    def _wait_until(self, due_ns: int) -> bool:
        """Wait until a time; return True if the camera was closed meanwhile."""
        if (early_ns := due_ns - self._now_ns()) > 0:
            self._sleep(early_ns / 1e9)
        return self._closed.is_set()


class _Video:
    """The pictures of a video file with their times."""

    def __init__(self, path: Path) -> None:
        # Its decoder would write its own complaints to the terminal.
        os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
        import cv2  # noqa: PLC0415 - heavy

        self._path, self._position = path, cv2.CAP_PROP_POS_MSEC
        level = cv2.utils.logging.getLogLevel()
        cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_ERROR)
        self._capture: Any = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
        cv2.utils.logging.setLogLevel(level)
        self._at_ns, self._count = -1, 0
        rate = self._capture.get(cv2.CAP_PROP_FPS) if self._capture.isOpened() else 0.0
        self._rate = rate if 1 <= rate <= 240 else 25.0
        if not self._capture.isOpened() or not self._capture.grab():
            self._capture.release()
            raise SensorError(f"{path}: no video that can be played; MP4, MOV, MKV and AVI can")
        self._grabbed = True

    @property
    def rate(self) -> float:
        """The pictures a second that the file states."""
        return self._rate

    @property
    def several(self) -> bool:
        """True if there is more than one picture; moves to the second picture to find out."""
        return self.next_ns() is not None and self.next_ns() is not None

    def next_ns(self) -> int | None:
        """Go to the next picture; return its time, None at the end."""
        if not (self._grabbed or self._capture.grab()):
            return None
        self._grabbed = False
        given_ns = round(self._capture.get(self._position) * _NS_PER_MS)
        counted_ns = round(self._count / self._rate * 1e9)
        self._count += 1
        self._at_ns = max(self._at_ns + 1, given_ns if given_ns > 0 else counted_ns)
        return self._at_ns

    def picture(self) -> Callable[[], Image]:
        """Decode this picture; return a function that returns it. Raises ``SensorError``."""
        good, image = self._capture.retrieve()
        if not good or image is None:
            raise SensorError(f"{self._path}: damaged {self._at_ns / 1e9:.1f} s from its beginning")
        return lambda: cast("Image", image)

    def close(self) -> None:
        """Close the file."""
        self._capture.release()


class _Pictures:
    """The pictures of a folder, timed by milliseconds in their names or shown equally long."""

    def __init__(self, folder: Path, seconds: float, decode: Decode | None = None) -> None:
        self._decode = decode
        inner = folder / "frames"
        if inner.is_dir():
            folder = inner
        with os_error_as(SensorError, f"{folder}: cannot be read"):
            self._paths = sorted(one for one in folder.iterdir() if one.suffix.lower() in _PICTURES)
        if not self._paths:
            raise SensorError(f"{folder}: holds no JPEG or PNG; name a folder of pictures")
        timed = all(_TIMED.fullmatch(one.stem) for one in self._paths)
        zero_ms = int(self._paths[0].stem) if timed else 0
        self._times_ns = [
            (int(one.stem) - zero_ms) * _NS_PER_MS if timed else round(at * seconds * 1e9)
            for at, one in enumerate(self._paths)
        ]
        self._next = 0

    @property
    def several(self) -> bool:
        """True if there is more than one picture."""
        return len(self._paths) > 1

    def next_ns(self) -> int | None:
        """Go to the next picture; return its time, None at the end."""
        if self._next == len(self._paths):
            return None
        self._next += 1
        return self._times_ns[self._next - 1]

    def picture(self) -> Callable[[], Image]:
        """Return a function that reads this picture when first called.

        So a picture that is skipped is never read. The function raises ``SensorError``.
        """
        return cache(partial(self._read, self._paths[self._next - 1]))

    def _read(self, path: Path) -> Image:
        assert self._decode is not None, "only the times were asked for"
        try:
            return self._decode(read_file(path, _LARGEST_PICTURE, SensorError), str(path))
        except OSError as error:
            raise SensorError(f"{path}: cannot be read ({error.strerror})") from error
        except TilewatchError as error:
            raise SensorError(str(error)) from error

    def close(self) -> None:
        """Do nothing: no file stays open."""
