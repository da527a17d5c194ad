"""The steps that look through the camera: itself, its place, the light, the board, the tiles."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from calibration.calibrate import Proposal
from calibration.picture_quality import Judgement
from game.errors import TilewatchError
from game.options import one_line
from sensors.v4l2 import DEVICES, video_devices
from table.config import Camera
from table.devices import open_camera
from table.doctor.camera import (
    ANSWER_S,
    LOOK_S,
    delay,
    judged,
    locked,
    look,
    pixels_a_square,
    sized,
)
from table.doctor.machine import Machine
from table.setup.walk.asking import AnswerError, Fault, one_of, yes_or_no
from table.setup.walk.configuration import camera_section, names_device
from table.setup.walk.step import Context, Outcome, first_fault, with_grid
from vision.rectify import Image

ELSE: Final = "the address of a network camera, or a video file or folder of pictures"


@dataclass(frozen=True)
class KnownCamera:
    """A camera of this machine: what it is called, and the answer that means it."""

    name: str
    answer: str


def known_cameras(machine: Machine, devices: Path = DEVICES) -> list[KnownCamera]:
    """Return the Raspberry Pi's camera, if this is one, and the webcams."""
    found = [KnownCamera("the Raspberry Pi's camera", "pi")] if machine.is_pi else []
    return found + [KnownCamera(one.name, str(one.stable)) for one in video_devices(devices)]


def camera_parser(known: Sequence[KnownCamera], folder: Path) -> Callable[[str], str]:
    """Return the parser of an answer: a number of the list, or what is not in it."""

    def parse(text: str) -> str:
        answer = _meant(text.strip(), known, folder)
        try:
            Camera.model_validate(camera_section(answer))
        except ValidationError as error:
            raise AnswerError(one_line(error)) from None
        return answer

    return parse


def _meant(text: str, known: Sequence[KnownCamera], folder: Path) -> str:
    if text.isascii() and text.isdigit():
        if not 1 <= int(text) <= len(known):
            have = f"1 to {len(known)}" if known else "none is listed"
            raise AnswerError(f"there is no camera {text} in the list ({have}); or give {ELSE}")
        return known[int(text) - 1].answer
    if text == "pi" or "://" in text or names_device(text):
        return text
    path = _path(text, folder)
    if path is None:
        raise AnswerError(f"{text!r}: no such file; give a number of the list, {ELSE}")
    return str(path)


def _path(text: str, folder: Path) -> Path | None:
    """Return the path that is meant, as typed or as a shell would take it; None: there is none."""
    for name in (text, _unquoted(text)):
        path = (folder / Path(name).expanduser()).resolve()
        if name and path.exists():
            return path
    return None


def _unquoted(text: str) -> str:
    try:
        words = shlex.split(text)
    except ValueError:  # a quotation mark without its fellow
        return text
    return words[0] if len(words) == 1 else text


_IN_VIEW = "lay the board in view, whole and with no hands over it, in even light"


def camera(context: Context) -> Outcome:
    """Choose the camera, and see that it gives pictures."""
    context.close_view()
    known = known_cameras(context.machine)
    for number, one in enumerate(known, 1):
        context.say(f"  {number}  {one.name} ({one.answer})")
    context.ask(
        "camera",
        f"the camera: a number of the list, {ELSE}"
        if known
        else f"the camera (none found): {ELSE}",
        camera_parser(known, context.asker.folder),
        known[0].answer if known else None,
    )
    chosen = context.config.camera
    sample = look(lambda: open_camera(chosen), LOOK_S, ANSWER_S)
    seen = judged(sample, chosen)
    fault = first_fault([seen, *locked(sample), *delay(chosen)], grave=sample.last is None)
    picture = None if sample.last is None else context.picture("camera", sample.last.image)
    return Outcome(seen.says, fault, picture)


def place(context: Context) -> Outcome:
    """See that the whole board is in the picture, large and sharp enough."""
    found = context.view.bench.look()
    if found is None:
        picture = context.picture("place", context.view.capture().pictures[-1])
        return Outcome("no board", Fault(context.view.bench.trouble, _IN_VIEW, grave=True), picture)
    size = sized(pixels_a_square(found.calibration.corners), context.config.camera.kind)
    fault = first_fault([size]) or _worst(found, ("grid", "focus"))
    shown = context.picture("place", with_grid(_straight(found), found.calibration.corners))
    return Outcome(size.says, fault, shown)


def light(context: Context) -> Outcome:
    """See that the light is bright and even, and that nothing shines."""
    found = context.view.bench.look()
    if found is None:
        return Outcome("no board", Fault(context.view.bench.trouble, _IN_VIEW, grave=True))
    glare = found.calibration.measures.glare
    drawn = with_grid(_straight(found), found.calibration.corners, glare)
    names = ("brightness", "evenness", "glare")
    says = "; ".join(one.says for one in found.judgements if one.name in names)
    return Outcome(says, _worst(found, names), context.picture("light", drawn))


def board(context: Context) -> Outcome:
    """Keep where the board is, and how it looks empty."""
    empty = context.ask("empty", "clear the board; is it empty now", yes_or_no, "yes") == "yes"
    bench = context.view.bench
    found = bench.look()
    if found is None:
        return Outcome("no board", Fault(bench.trouble, _IN_VIEW, grave=True))
    fault = None
    if empty and found.occupied:
        squares = ", ".join(found.occupied[:6]) + (" …" if len(found.occupied) > 6 else "")
        fault = Fault(
            f"something seems to lie at {squares}",
            "clear the board; if nothing lies there, leave it as it is",
        )
    picture = context.picture("board", with_grid(_straight(found), found.calibration.corners))

    def finish() -> list[str]:
        return [f"saved: {bench.save(empty)}"]

    says = "the board is known, and how it looks empty" if empty else "the board is known"
    return Outcome(says, fault, picture, finish)


def tiles(context: Context) -> Outcome:
    """Count the hundred tiles."""
    how = context.ask(
        "tiles",
        "lay the whole set on the board in rows of ten; check (or counted: they are all there, or "
        "skip)",
        one_of("check", "counted", "skip"),
        "skip" if context.config.camera.kind == "file" else "check",
    )
    if how == "skip":
        return Outcome("not counted; `tilewatch check-tiles` does it later")
    bench = context.view.bench
    try:
        found = bench.check_tiles(sure=how == "counted")
    except TilewatchError as error:
        remedy = "lay the tiles face up in rows of ten without gaps, and take the hands away"
        return Outcome("not counted", Fault(str(error), remedy))
    picture = context.picture("tiles", context.view.capture().pictures[-1])
    lines = found.lines()
    if not found.complete:
        remedy = "find the tiles that are missing, or answer counted if they are all there"
        return Outcome(lines[0], Fault("; ".join(lines), remedy), picture)

    def finish() -> list[str]:
        return [] if bench.learn() is None else ["the reader has learnt what the tiles look like"]

    return Outcome("; ".join(lines[:2]), None, picture, finish)


def _straight(found: Proposal) -> Image:
    calibration = found.calibration
    straighten = calibration.straighten
    return calibration.picture if straighten is None else straighten(calibration.picture)


def _worst(found: Proposal, names: Sequence[str]) -> Fault | None:
    """Return the first poor judgement as a fault; a fair one will do."""
    poor: list[Judgement] = [
        one for one in found.judgements if one.grade == "poor" and one.name in names
    ]
    return Fault(f"{poor[0].name}: {poor[0].says}", poor[0].advice) if poor else None
