"""Stores the answers of the set-up beside the data, and makes ``table.toml`` of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from game.errors import TilewatchError
from game.files import SMALL, read_file, require_replaceable, write_file
from game.options import one_line
from table.config import TableConfig, load_config

STATE: Final = "setup.json"


class SetupState(BaseModel):
    """Answers and steps that are done. Only its owner can read the file: addresses hold logins."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    version: Literal[1] = 1
    answers: dict[str, str] = Field(default_factory=dict)
    done: dict[str, str] = Field(default_factory=dict)
    """The result of each step that is done, in words."""
    written: str = ""
    """The SHA-256 of the configuration that was written last."""

    @classmethod
    def load(cls, folder: Path) -> SetupState:
        """Return the state in a data folder; a new one if there is none. Raises."""
        path = folder / STATE
        try:
            return cls.model_validate_json(read_file(path, SMALL))
        except FileNotFoundError:
            return cls()
        except (OSError, ValidationError) as error:
            why = (error.strerror or error) if isinstance(error, OSError) else "not a set-up's"
            raise TilewatchError(f"{path}: {why}; delete it to set up from the start") from None

    def save(self, folder: Path) -> None:
        """Write it. Raises ``TilewatchError``."""
        path = folder / STATE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_file(path, self.model_dump_json(indent=1).encode(), private=True)
        except OSError as error:
            raise TilewatchError(f"{path}: cannot be written ({error.strerror})") from error

    def wrote(self, data: bytes) -> bool:
        """True if this is the configuration that was written last."""
        return self.written == hashlib.sha256(data).hexdigest()

    def note_written(self, data: bytes) -> None:
        """Remember the configuration that was written."""
        self.written = hashlib.sha256(data).hexdigest()


Section = dict[str, Any]

ALL_ADDRESSES: Final = "0.0.0.0"  # noqa: S104 - phones reach the pages only there
THIS_MACHINE: Final = "127.0.0.1"
_HEADER: Final = "# Written by `tilewatch setup`; docs/configuration.md explains each key.\n"


def names_device(answer: str) -> bool:
    """True if an answer names a webcam's device, whether it is there or not.

    A file or folder below ``/dev/shm`` is a recording as anywhere else.
    """
    path = Path(answer)
    return answer.startswith("/dev/") and not (path.is_file() or path.is_dir())


def camera_section(answer: str) -> Section:
    """Return ``[camera]`` for the answer to the question after the camera."""
    if answer == "pi":
        return {"kind": "pi"}
    if "://" in answer:
        return {"kind": "url", "url": answer}
    if names_device(answer):
        return {"kind": "webcam", "device": answer}
    return {"kind": "file", "path": answer}


def sections_of(answers: Mapping[str, str], data: Path | None) -> Section:
    """Return the contents of ``table.toml``; what has not been asked yet is left out."""
    top: Section = {key: answers[key] for key in ("name", "tile_set", "rulebook") if key in answers}
    if data is not None:
        top["data"] = str(data.resolve())
    top["camera"] = camera_section(answers["camera"])
    clock = answers.get("clock", "web")
    hands = {"left": answers.get("left_hand"), "right": answers.get("right_hand")}
    top["buttons"] = {"kind": clock} | (hands if clock == "none" and all(hands.values()) else {})
    top["players"] = {side: answers[side] for side in ("left", "right") if side in answers}
    if "pages" in answers:
        host = ALL_ADDRESSES if answers["pages"] == "network" else THIS_MACHINE
        top["serve"] = {"host": host, "port": int(answers["port"])}
    return top


def config_of(answers: Mapping[str, str], data: Path | None) -> TableConfig:
    """Return the configuration. Raises ``TilewatchError`` with one line."""
    try:
        return TableConfig.model_validate(sections_of(answers, data))
    except ValidationError as error:
        raise TilewatchError(one_line(error)) from None


def write_config(path: Path, answers: Mapping[str, str], data: Path | None) -> bytes:
    """Write ``table.toml``, readable by its owner alone if it may hold a login; return its bytes.

    Raises ``TilewatchError``.
    """
    config_of(answers, data)
    text = _HEADER + toml(sections_of(answers, data))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, text.encode(), private="://" in answers["camera"])
    except OSError as error:
        raise TilewatchError(f"{path}: cannot be written ({error.strerror})") from error
    load_config(path)
    return text.encode()


def require_own(path: Path, state: SetupState) -> None:
    """Refuse to replace a configuration that somebody else wrote or changed. Raises."""
    require_replaceable(path)
    try:
        own = state.wrote(read_file(path, SMALL))
    except FileNotFoundError:
        return
    except OSError as error:
        raise TilewatchError(f"{path}: cannot be read ({error.strerror})") from error
    if not own:
        raise TilewatchError(
            f"{path}: is there already, and not as this set-up wrote it; name another file with "
            "--config, or replace it with --overwrite"
        )


def toml(sections: Section) -> str:
    """Return texts, numbers and one level of sections as TOML."""
    lines = [f"{key} = {_value(value)}" for key, value in sections.items() if _plain(value)]
    for key, section in sections.items():
        if not _plain(section) and section:
            lines += ["", f"[{key}]", *(f"{name} = {_value(one)}" for name, one in section.items())]
    return "\n".join(lines) + "\n"


def _plain(value: object) -> bool:
    return not isinstance(value, dict)


def _value(value: str | int) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
