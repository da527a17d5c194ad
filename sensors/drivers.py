"""The list of all kinds of cameras and clock buttons.

An entry has all that the rest of the program knows of a kind: its name in ``table.toml``, its
options, how it is opened, and what to do when it fails. A new kind needs a driver module and an
entry here. A driver imports its device's library only when a device is opened, since most machines
have few of these libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, Literal, TypeVar

from game.options import StrictOptions
from sensors.gpio import GpioButtons, GpioOptions, why_unusable
from sensors.interfaces import Buttons, Camera, Decode, OnTrouble, SensorError
from sensors.keyboard import KeyboardButtons
from sensors.options import CameraOptions, NoButtonsOptions
from sensors.phone import PhoneCamera, PhoneInbox, PhoneOptions
from sensors.picamera import PiCamera, PiCameraOptions
from sensors.stream import StreamCamera, StreamOptions
from sensors.video_file import FileCamera, FileOptions
from sensors.watched_camera import CameraHealth, WatchedCamera
from sensors.webcam import Webcam, WebcamOptions, names_device

CameraFault = Literal["lost", "frozen", "dark", "resized", "late", "slow", "small", "battery"]
"""In this order: the camera gives no pictures; repeats one; gives black ones; changes their size;
gives them late times; gives too few; is too far from the board; its battery is low."""

ButtonsFault = Literal["lost", "stuck"]
"""The buttons cannot be opened; or one has been closed for too long."""


@dataclass(frozen=True, kw_only=True)
class CameraRemedies:
    """The remedy for each ``CameraFault``."""

    lost: str
    frozen: str
    slow: str
    dark: str = "take its cap off, switch the lamp on"
    resized: str = "set width and height in [camera] to a size that the camera keeps to"
    late: str = (
        "restart the machine; if it stays, the camera's clock is not the buttons' clock: "
        "report it with the camera's name"
    )
    small: str = "bring the camera to {:.0%} of its distance, or raise width and height in [camera]"
    """A format string: ``{}`` takes the share of its present distance at which the camera sees the
    board large enough."""
    battery: str = "plug the phone that is the camera into a charger"


@dataclass(frozen=True, kw_only=True)
class ButtonRemedies:
    """The remedy for each ``ButtonsFault``."""

    lost: str
    stuck: str


CameraOptionsT = TypeVar("CameraOptionsT", bound=CameraOptions)
ButtonOptionsT = TypeVar("ButtonOptionsT", bound=StrictOptions)


@dataclass(frozen=True, kw_only=True)
class CameraKind(Generic[CameraOptionsT]):
    """A kind of camera.

    Attributes:
        name: the ``kind`` in ``[camera]``.
        title: the name of the kind that the doctor shows.
        options: the model of its options.
        driver: opens a camera by its options; None where the table itself makes the pictures.
        remedies: what to do when it fails.
        repeats: True if pictures may be identical, as those of a file: none means a frozen camera.
        stamped: the moment that the time of a picture means, in words.
        encoded: True if its pictures are encoded as in files: the driver gets a decoder.
        inbox: makes the inbox for pictures that a web page of the table sends, by the options; None
            if no page sends them.
        live: True if its pictures show the present: a tile that is laid now can be seen.
        stalled_s: the seconds without a picture after which the camera is opened again: a fifth of
            a second less than the two seconds within which a stall must be noticed.
        first_s: the seconds that the first picture may take.
        least_rate: the least pictures a second; with fewer a passing hand looks like a tile.
        answer: returns the options that an answer in the set-up means; None if the answer means
            another kind.
    """

    name: str
    title: str
    options: type[CameraOptionsT]
    driver: Callable[..., Camera] | None
    remedies: CameraRemedies
    repeats: bool = False
    stamped: str = "its exposure began"
    encoded: bool = False
    inbox: Callable[[CameraOptionsT], PhoneInbox] | None = None
    live: bool = True
    stalled_s: float = 1.8
    first_s: float = 8.0
    least_rate: float = 5.0
    answer: Callable[[str], dict[str, Any] | None] = lambda _: None

    @property
    def on_page(self) -> bool:
        """True if a web page of the table sends the pictures."""
        return self.inbox is not None

    def open(
        self,
        options: CameraOptionsT,
        on_trouble: OnTrouble | None = None,
        inbox: PhoneInbox | None = None,
        decode: Decode | None = None,
    ) -> Camera:
        """Open a camera. Raises ``SensorError`` with one line.

        Args:
            options: the options of this camera.
            on_trouble: called with each fault that the driver reports.
            inbox: the inbox for the pictures, if a web page of the table sends them.
            decode: makes an image of a picture's bytes.
        """
        if self.driver is None:
            raise SensorError(f"camera: kind {self.name!r} has no driver to open")
        more = (inbox, on_trouble) if self.on_page else ()
        return self.driver(options, *more, **({"decode": decode} if self.encoded else {}))

    def watched(
        self,
        camera: Camera,
        name: str,
        on_trouble: OnTrouble | None = None,
        health: CameraHealth | None = None,
    ) -> WatchedCamera:
        """Return an open camera of this kind, watched for losses, stalls and faulty pictures.

        ``health`` is the judge of its pictures from before it was opened again; None: a new one.
        """
        return WatchedCamera(
            camera,
            name=name,
            stalled_s=self.stalled_s,
            first_s=self.first_s,
            remedy=self.remedies.lost,
            on_trouble=on_trouble,
            health=health or self.health(),
        )

    def health(self) -> CameraHealth:
        """Return a new judge of one camera's pictures, to be kept when the camera is reopened."""
        return CameraHealth(repeats=self.repeats)


@dataclass(frozen=True, kw_only=True)
class ButtonKind(Generic[ButtonOptionsT]):
    """A kind of clock buttons.

    Attributes:
        name: the ``kind`` in ``[buttons]``.
        title: the name of the kind that the doctor shows.
        options: the model of its options.
        driver: opens the buttons by their options; None for kinds whose presses the table makes
            itself (simulated, web, none).
        remedies: what to do when they fail.
        hint: how to press them, printed when the table starts.
        without_clock: True if there is no clock: the options give the edge of the picture from
            which each player's hand comes, and turns are read from the board.
        on_page: True if the buttons are on a web page that the table serves; its address is
            printed when the table starts.
        diagnose: returns the remedy for the likeliest reason why the buttons cannot be opened, from
            the machine's files below a root folder; None if ``remedies.lost`` is the best remedy.
    """

    name: str
    title: str
    options: type[ButtonOptionsT]
    driver: Callable[[ButtonOptionsT, OnTrouble | None], Buttons] | None
    remedies: ButtonRemedies
    hint: str = ""
    without_clock: bool = False
    on_page: bool = False
    diagnose: Callable[[Path], str | None] = lambda _: None

    def open(self, options: ButtonOptionsT, on_trouble: OnTrouble | None = None) -> Buttons:
        """Open the buttons. Raises ``SensorError`` with one line."""
        if self.driver is None:
            raise SensorError(f"buttons: kind {self.name!r} has no driver to open")
        return self.driver(options, on_trouble)


_BUG: Final = "report this as a bug"

SIMULATED: Final = "simulated"
"""The ``kind`` of the camera and of the buttons of a simulated table."""

NONE: Final = "none"
"""The kind of the buttons where there are none."""

CAMERAS: Final[Mapping[str, CameraKind[Any]]] = {
    kind.name: kind
    for kind in (
        CameraKind(
            name=SIMULATED,
            title="simulated",
            options=CameraOptions,
            driver=None,
            remedies=CameraRemedies(lost=_BUG, frozen=_BUG, slow=_BUG),
        ),
        CameraKind(
            name="webcam",
            title="webcam",
            options=WebcamOptions,
            driver=Webcam,
            remedies=CameraRemedies(
                lost="plug it in again, see that no other program uses it, and that this user is "
                "in the group video",
                frozen="unplug it, wait ten seconds and plug it in again",
                slow="more light (a long exposure slows it down), a USB 3 port, or less width and "
                "height in [camera]",
            ),
            answer=lambda text: {"device": text} if names_device(text) else None,
        ),
        CameraKind(
            name="pi",
            title="Raspberry Pi camera",
            options=PiCameraOptions,
            driver=PiCamera,
            remedies=CameraRemedies(
                lost="check the ribbon cable at both ends (power off), then: "
                "rpicam-hello --list-cameras",
                frozen="check the ribbon cable at both ends (power off)",
                slow="more light (a long exposure slows it down), or less width and height in "
                "[camera]",
            ),
            answer=lambda text: {} if text == "pi" else None,
        ),
        CameraKind(
            name="url",
            title="network camera",
            options=StreamOptions,
            driver=StreamCamera,
            remedies=CameraRemedies(
                lost="see that the camera and the network are on, and that a player such as VLC "
                "shows the same address",
                frozen="restart the camera or its app",
                slow="10 or more pictures a second set in the camera, more light, a better Wi-Fi "
                "or a cable",
                resized="set one size in the camera, and switch off what changes it by itself",
                late="a smaller picture or a lower bit rate in the camera, RTSP or MJPEG in place "
                "of HLS",
            ),
            # A board at rest is coded as no change at all, to the last bit.
            repeats=True,
            stamped="it left the camera, whose own delay is in delay_ms alone",
            answer=lambda text: {"url": text} if "://" in text else None,
        ),
        CameraKind(
            name="phone",
            title="phone",
            options=PhoneOptions,
            driver=PhoneCamera,
            remedies=CameraRemedies(
                lost="see that the phone shows its page, and what that says; pair it again on the "
                "director's page of this table, Camera",
                frozen="load the page on the phone again",
                slow="more light, a better Wi-Fi, or less width and height in [camera]",
                resized="fix the phone so that it cannot turn, and lock its screen's rotation",
                late="a better Wi-Fi, or less width and height in [camera]",
            ),
            # Its page sends only what the camera has newly captured: one that stands still is lost.
            repeats=True,
            encoded=True,
            inbox=PhoneInbox,
        ),
        CameraKind(
            name="file",
            title="file that stands for a camera",
            options=FileOptions,
            driver=FileCamera,
            remedies=CameraRemedies(
                lost="see that the file is there, and that a player such as VLC shows it",
                frozen=_BUG,
                slow="take another video, with 10 or more pictures a second",
                resized="take another video, of one size throughout",
                late=_BUG,
                small="take a video in which the board is larger",
            ),
            repeats=True,
            encoded=True,
            stamped="it was due",
            live=False,
            stalled_s=60.0,  # opened again, it would begin anew
            answer=lambda text: {"path": text},  # whatever no other kind is meant by
        ),
    )
}

BUTTONS: Final[Mapping[str, ButtonKind[Any]]] = {
    kind.name: kind
    for kind in (
        ButtonKind(
            name=SIMULATED,
            title="simulated",
            options=StrictOptions,
            driver=None,
            remedies=ButtonRemedies(lost=_BUG, stuck=_BUG),
        ),
        ButtonKind(
            name="gpio",
            title="at the pins of a Raspberry Pi",
            options=GpioOptions,
            driver=GpioButtons,
            remedies=ButtonRemedies(
                lost="sudo apt install python3-lgpio; see that no other program holds the pins "
                "(gpioinfo)",
                stuck="check that button's wires: one to its pin, one to ground, open until "
                "pressed",
            ),
            diagnose=why_unusable,
        ),
        ButtonKind(
            name="keyboard",
            title="the keys of this terminal",
            options=StrictOptions,
            driver=KeyboardButtons,
            remedies=ButtonRemedies(
                lost='run tilewatch in a terminal, or choose kind = "web" or "gpio" in [buttons]',
                stuck="see that nothing rests on the keyboard",
            ),
            hint="the clock's keys: z ends the left player's turn, m the right's; space stops",
        ),
        ButtonKind(
            name="web",
            title="on a page",
            options=StrictOptions,
            driver=None,
            remedies=ButtonRemedies(
                lost="open the clock's link again on the phone", stuck="reload the clock's page"
            ),
            on_page=True,
        ),
        ButtonKind(
            name=NONE,
            title="no clock, turns by the board alone",
            options=NoButtonsOptions,
            driver=None,
            remedies=ButtonRemedies(lost=_BUG, stuck=_BUG),
            hint="no clock: a turn is counted when the other player's hand lays the next tile",
            without_clock=True,
        ),
    )
}
