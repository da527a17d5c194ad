"""From answers to ``table.toml``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from game.errors import TilewatchError
from game.files import SMALL, read_file, require_replaceable, write_file
from game.options import one_line
from table.config import TableConfig, load_config
from table.setup.walk.state import SetupState

Section = dict[str, Any]

ALL_ADDRESSES: Final = "0.0.0.0"  # noqa: S104 - phones reach the pages only there
THIS_MACHINE: Final = "127.0.0.1"
_HEADER: Final = "# Written by `tilewatch setup`; docs/live.md explains each key.\n"


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
