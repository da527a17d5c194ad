"""A phone as the camera: a web page on the phone sends pictures, which become frames here.

The table's web server puts each picture into a :class:`PhoneInbox`, which keeps only the newest
one, so that nothing can pile up; the driver takes it from there. The page stamps a picture with the
moment of its capture, on its estimate of this machine's monotonic clock. Nothing that the phone
sends is trusted: a stamp in the future counts as now; a picture that is too old, too large or
unreadable is left out; and no more than ``fps`` pictures a second are decoded.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal, TypeAlias, get_args

from pydantic import Field

from game.errors import TilewatchError
from game.jpeg import jpeg_frame
from game.troubles import make_trouble, trouble_over
from sensors.interfaces import PICTURE_LATE_NS, Decode, Frame, Image, OnTrouble, SensorError
from sensors.options import CameraOptions, FrameRate, Height, Width
from sensors.patience import patiently

MOST_BYTES: Final = 2 * 1024 * 1024
"""The most bytes of a picture: 1920×1080 at the page's quality are a quarter of that."""
MOST_PIXELS: Final = 4096 * 3072
SILENT_S: Final = 1.5
"""The seconds without a picture after which this driver gives up and says why.

    They are fewer than those after which the table gives up any camera."""
FIRST_S: Final = 6.0
LOW: Final = 0.15
"""A battery below this share of its charge, and not being charged, is reported."""

PageState: TypeAlias = Literal[
    "starting", "sending", "hidden", "refused", "missing", "busy", "ended", "insecure", "slow"
]
"""The state that the phone's page reports of itself."""
STATES: Final[tuple[PageState, ...]] = get_args(PageState)

WHY_NOT: Final[dict[PageState, str]] = {
    "hidden": "its page is not in view (a call, another app, a dark screen); open the page again",
    "refused": "its browser was not allowed to use the camera; allow it for this page in the "
    "browser's settings, and load the page again",
    "missing": "the device has no camera that a page may use; take another phone",
    "busy": "another app uses its camera; close that, and touch the page",
    "ended": "it has taken its camera away from the page (a call, another app); touch the page",
    "insecure": "browsers give a camera to https pages only; start the table with --https",
    "slow": "the network is too slow to tell when a picture was taken; a better Wi-Fi, or less "
    "width and height in [camera]",
}
"""Why a page sends no pictures, and the remedy."""


class PhoneOptions(CameraOptions):
    """``[camera]`` with ``kind = "phone"``."""

    width: Width = 1920
    height: Height = 1080
    fps: FrameRate = 10
    delay_ms: int = Field(
        default=0,
        ge=0,
        le=1000,
        description="delay of a phone whose browser does not tell when a picture was captured",
    )

    @property
    def name(self) -> str:
        """The camera's name for people."""
        return "phone"


@dataclass(frozen=True, slots=True)
class PhonePicture:
    """A picture as received: a JPEG, and its start of exposure in ns of this machine's clock."""

    jpeg: bytes
    t_ns: int


@dataclass(frozen=True, slots=True)
class PhoneState:
    """The phone's state when it last sent something. Shares are between 0 and 1."""

    page: str = ""
    """The name that the page gave itself; empty before a page has begun."""
    state: PageState = "starting"
    heard_ns: int | None = None
    battery: float | None = None
    """The charge of the battery, a share; None if the browser does not tell."""
    charging: bool | None = None
    locked: tuple[str, ...] = ()
    """The settings that the browser let the page lock: exposure, focus, white balance."""
    error_ns: int | None = None
    """The greatest possible error of the stamps, in ns; None before a picture has come.

    This machine derives it from the shortest round trip that it has measured."""
    size: tuple[int, int] | None = None
    """Width and height of the newest picture in pixels."""
    taken: int = 0
    """The number of pictures that were accepted as frames."""
    late: int = 0
    """The number of pictures that came too late or out of order."""
    spoilt: int = 0
    """The number of pictures that were too large or unreadable."""


class PhoneInbox:
    """The newest picture of a phone, and the phone's state. Thread-safe."""

    def __init__(self, options: PhoneOptions, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self.options, self.clock = options, clock
        self._every_ns = round(1e9 / options.fps) * 7 // 8
        self._came = threading.Condition()
        self._newest: PhonePicture | None = None
        self._last_ns = -1
        self._state = PhoneState()

    most_bytes: Final = MOST_BYTES

    @property
    def state(self) -> PhoneState:
        """The phone's state when it last sent something."""
        return self._state

    @property
    def wants(self) -> Mapping[str, int]:
        """The ``width``, ``height`` and ``fps`` that the page asks the phone's camera for."""
        return {"width": self.options.width, "height": self.options.height, "fps": self.options.fps}

    def as_json(self) -> dict[str, Any]:
        """The phone's state in the form that the director's page reads."""
        state = self._state
        names = ("state", "battery", "charging", "locked", "size", "taken", "late", "spoilt")
        heard_ns, error_ns = state.heard_ns, state.error_ns
        silent_ns = None if heard_ns is None else self.clock() - heard_ns
        well = silent_ns is not None and silent_ns < SILENT_S * 1e9 and state.state == "sending"
        return {name: getattr(state, name) for name in names} | {
            "silent_ms": None if silent_ns is None else round(silent_ns / 1e6),
            "error_ms": None if error_ns is None else round(error_ns / 1e6),
            "says": "" if well else self.why_silent(),
        }

    def begin(self, page: str) -> None:
        """Take pictures from this page from now on, and from no other."""
        with self._came:
            self._state = PhoneState(page, heard_ns=self.clock())

    def forget(self) -> None:
        """Forget the phone: another one is being paired."""
        with self._came:
            self._state, self._newest = PhoneState(), None

    def serves(self, page: str) -> bool:
        """Return True if this page is the camera; if no page is yet, this one becomes it."""
        with self._came:
            if not self._state.page:
                self._state = replace(self._state, page=page)
            return self._state.page == page

    def tell(
        self,
        state: str,
        battery: float | None,
        charging: bool | None,
        locked: tuple[str, ...],
    ) -> bool:
        """Take the page's report on itself; return False, and ignore it, for an unknown state."""
        known = next((one for one in STATES if one == state), None)
        if known is None:
            return False
        with self._came:
            self._state = replace(
                self._state,
                state=known,
                heard_ns=self.clock(),
                battery=battery,
                charging=charging,
                locked=locked,
            )
            self._came.notify_all()
        return True

    def put(self, jpeg: bytes, t_ns: int, *, captured: bool, error_ns: int) -> bool:
        """Take a picture; return True if it is kept, False if it is left out.

        ``captured`` is True if ``t_ns`` is the time of the capture. If False, it is the time at
        which the page showed the picture, and ``delay_ms`` is subtracted. ``error_ns`` is the
        greatest possible error of ``t_ns``.
        """
        now_ns, seen = self.clock(), jpeg_frame(jpeg)
        size = seen.size
        t_ns -= 0 if captured else self.options.delay_ms * 1_000_000
        with self._came:
            state = replace(self._state, heard_ns=now_ns, error_ns=error_ns, state="sending")
            good = seen.whole and size is not None and size[0] * size[1] <= MOST_PIXELS
            t_ns = min(t_ns, now_ns)
            if not good or len(jpeg) > MOST_BYTES:
                self._state = replace(state, spoilt=state.spoilt + 1)
            elif now_ns - t_ns > PICTURE_LATE_NS or t_ns <= self._last_ns:
                self._state = replace(state, late=state.late + 1)
            elif t_ns - self._last_ns < self._every_ns and self._last_ns >= 0:
                self._state = state  # more than were asked for
            else:
                self._state = replace(state, size=size, taken=state.taken + 1)
                self._newest, self._last_ns = PhonePicture(jpeg, t_ns), t_ns
                self._came.notify_all()
                return True
            return False

    def take(
        self, timeout_s: float, over: Callable[[], bool] = lambda: False
    ) -> PhonePicture | None:
        """Wait for the next picture and return it.

        None if none came in time, if the page reports why none will come, or if ``over`` returns
        True, which is asked at the start and after each :meth:`wake`. Time in which this process is
        paused does not count.
        """
        with self._came:
            before = self._state.state

            def came() -> bool:
                why_not = self._state.state != before and self._state.state in WHY_NOT
                return self._newest is not None or over() or why_not

            patiently(partial(self._came.wait_for, came), timeout_s)
            picture, self._newest = self._newest, None
            return picture

    def wake(self) -> None:
        """Make a waiting :meth:`take` ask ``over`` again."""
        with self._came:
            self._came.notify_all()

    def why_silent(self) -> str:
        """Return why no pictures come, with the remedy, in one line."""
        state = self._state
        if state.heard_ns is None:
            return "no phone is connected; pair one on the director's page of this table, Camera"
        silent_s = (self.clock() - state.heard_ns) / 1e9
        power = ""
        if state.battery is not None and state.battery < LOW and not state.charging:
            power = f"; its battery was at {state.battery:.0%}"
        if state.state in WHY_NOT:
            return WHY_NOT[state.state] + power
        if silent_s > SILENT_S:
            return (
                f"nothing has come from it for {silent_s:.0f} s; see that it is on, in the "
                f"network, and shows its page{power}"
            )
        if state.late:
            return f"its pictures come more than {PICTURE_LATE_NS / 1e9:g} s late; {_SMALLER}"
        if state.spoilt:
            return "its pictures cannot be read; load its page again"
        return "its page is open, and no picture has come yet; touch the page"


_SMALLER: Final = "a better Wi-Fi, or less width and height in [camera]"


class PhoneCamera:
    """A ``sensors.interfaces.Camera``. Raises ``SensorError`` with one line."""

    def __init__(
        self,
        options: PhoneOptions,
        inbox: PhoneInbox | None,
        on_trouble: OnTrouble | None = None,
        *,
        decode: Decode,
    ) -> None:
        if inbox is None:
            raise SensorError(
                f"{options.name}: only a running table receives a phone's pictures; start it "
                "with tilewatch run, and set it up on its director's pages"
            )
        self._name, self._inbox, self._decode = options.name, inbox, decode
        self._report = on_trouble or (lambda _: None)
        self._closed = threading.Event()
        self._low: bool | None = None

    def frames(self) -> Iterator[Frame]:
        """Yield frames until closed: always the newest picture, without those that it overtook."""
        patience_s, good_ns, seq = FIRST_S, self._inbox.clock(), 0
        while not self._closed.is_set():
            picture = self._inbox.take(patience_s, self._closed.is_set)
            if self._closed.is_set():
                return
            self._judge_battery()
            image = None if picture is None else self._picture(picture.jpeg)
            if picture is None or image is None:
                if picture is None or self._inbox.clock() - good_ns > SILENT_S * 1e9:
                    raise SensorError(f"{self._name}: {self._inbox.why_silent()}")
                continue
            yield Frame(image, picture.t_ns, seq, picture.jpeg)
            patience_s, good_ns, seq = SILENT_S, self._inbox.clock(), seq + 1

    def close(self) -> None:
        """Stop the frames."""
        self._closed.set()
        self._inbox.wake()

    def _picture(self, jpeg: bytes) -> Image | None:
        """Return the decoded picture; None if it is damaged."""
        try:
            return self._decode(jpeg, self._name)
        except TilewatchError:
            return None

    def _judge_battery(self) -> None:
        state = self._inbox.state
        low = state.battery is not None and state.battery < LOW and not state.charging
        if low == self._low:
            return
        self._low = low
        text = f"the phone's battery is at {state.battery or 0:.0%}: plug it in"
        now_ns = self._inbox.clock()
        self._report(
            make_trouble("camera_battery", text, now_ns)
            if low
            else trouble_over("camera_battery", now_ns)
        )
