"""Which cameras this machine has, and what an answer to that means."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from game.options import one_line
from sensors.v4l2 import DEVICES, video_devices
from table.config import Camera
from table.doctor.machine import Machine
from table.setup.walk.asking import AnswerError
from table.setup.walk.configuration import camera_section, names_device

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
