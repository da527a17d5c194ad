"""The kinds of cameras and clock buttons that there are: one entry for each.

An entry has all that the rest of the program knows of a kind: its name in ``table.toml``, its
options, how it is opened, and what to do when it fails. A new kind is a driver module and an entry
here. Drivers import the libraries of their devices when a device is opened, not before: most
machines have few of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, Literal, TypeVar

from game.options import StrictOptions
from sensors.camera_health import CameraHealth
from sensors.gpio import GpioButtons, GpioOptions, why_unusable
from sensors.interfaces import Buttons, Camera, Decode, OnTrouble, SensorError
from sensors.keyboard import KeyboardButtons
from sensors.options import CameraOptions, NoButtonsOptions
from sensors.phone import PhoneCamera, PhoneInbox, PhoneOptions
from sensors.picamera import PiCamera, PiCameraOptions
from sensors.stream import StreamCamera, StreamOptions
from sensors.video_file import FileCamera, FileOptions
from sensors.watched_camera import WatchedCamera
from sensors.webcam import Webcam, WebcamOptions, names_device

CameraFault = Literal["lost", "frozen", "dark", "resized", "late", "slow", "small", "battery"]
"""Gives no pictures; the same one again; black ones; of another size; stamped wrongly; too few; of
a board that is too small in them."""

ButtonsFault = Literal["lost", "stuck"]
"""Cannot be opened; one is closed for too long."""


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
    """With the share of its distance at which the board would be large enough."""
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
        title: the kind in the doctor's words.
        options: the model of its options.
        driver: opens a camera by its options; None where the table itself makes the pictures.
        remedies: what to do when it fails.
        repeats: its pictures may be the same to the last bit, as files may: none is frozen.
        stamped: the moment that its stamps tell.
        encoded: its pictures come as files have them: the driver is given what decodes them.
        inbox: makes what takes its pictures from a page of the table's, by its options; None: they
            come from no page.
        live: its pictures are of now: what is laid before it can be seen.
        stalled_s: after so many seconds without a picture it is opened again: a fifth of a second
            less than the two seconds in which a stall is promised to be noticed.
        first_s: the seconds that it may take for its first picture.
        least_rate: pictures a second, below which a passing hand looks like a tile that stays.
        answer: the options that an answer in the set-up means; None: it means another kind.
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
        """True if its pictures come from a page of the table's."""
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
            options: the camera's.
            on_trouble: gets the troubles that its driver knows of.
            inbox: where the pictures of one on a page of the table's come.
            decode: makes an image of a picture's bytes.
        """
        if self.driver is None:
            raise SensorError(f"camera: a {self.title} one has no driver")
        more = (inbox, on_trouble) if self.on_page else ()
        return self.driver(options, *more, **({"decode": decode} if self.encoded else {}))

    def watched(
        self,
        camera: Camera,
        name: str,
        on_trouble: OnTrouble | None = None,
        health: CameraHealth | None = None,
    ) -> WatchedCamera:
        """Return an open camera of this kind with its watch.

        ``health`` is what is known of its pictures from before it was opened again.
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
        """Return what judges the pictures of one camera, however often it is opened."""
        return CameraHealth(repeats=self.repeats)


@dataclass(frozen=True, kw_only=True)
class ButtonKind(Generic[ButtonOptionsT]):
    """A kind of clock buttons.

    Attributes:
        name: the ``kind`` in ``[buttons]``.
        title: the kind in the doctor's words.
        options: the model of its options.
        driver: opens the buttons by their options; None where the table itself has the presses.
        remedies: what to do when they fail.
        hint: how to press them, printed when the table starts.
        without_clock: there is no clock; its options say where the players' hands come from, and
            the table takes the turns from the board.
        on_page: they are on a page of the table's, whose address is printed when it starts.
        diagnose: returns the likeliest reason why they cannot be opened, as a remedy, from the
            files of a machine below a root; None: nothing better is known than ``remedies.lost``.
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
            raise SensorError(f"buttons: those {self.title} have no driver")
        return self.driver(options, on_trouble)


_BUG: Final = "report this as a bug"

SIMULATED: Final = "simulated"
"""The kind of the camera and the buttons of a simulated table."""

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
                resized="lay the phone's holder so that it does not turn, and lock its rotation",
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
