"""One file for support: the doctor's findings and the machine's description, without secrets."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import time
import tomllib
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from game.errors import TilewatchError
from game.files import SMALL, os_error_as, read_file, replacing, require_replaceable
from record.log.event_log import EventLog
from record.paths import DATABASE
from table.config import TableConfig, load_config
from table.doctor.check import Check
from table.doctor.machine import Machine, temperature_c, throttled

VERSION: Final = 1
REPORT: Final = "report.json"
PICTURE: Final = "board.jpg"
_LINES: Final = 200
_EVENTS: Final = 100
_LIBRARIES: Final = (
    *("numpy", "opencv-python", "onnxruntime", "flask", "uvicorn", "pydantic", "cryptography"),
    *("linuxpy", "gpiozero", "lgpio", "picamera2", "av", "paho-mqtt"),
)
_PLAIN: Final = frozenset({"kind", "host", "port", "device", "path", "transport", "name"})
"""Keys of table.toml whose values are never secret."""


def write_report(
    file: Path,
    checks: Sequence[Check],
    config: Path | None,
    data: Path | None,
    *,
    picture: bool = False,
    machine: Machine | None = None,
) -> None:
    """Write the report as a ZIP file. Raises ``TilewatchError``.

    Args:
        file: the file to write.
        checks: what the doctor found.
        config: the table's configuration file, if there is one.
        data: the table's data folder, if not the configured one.
        picture: add the newest picture of the board at rest.
        machine: the machine to describe; None: this one.
    """
    require_replaceable(file)
    machine = machine or Machine()
    known = _loaded(config)
    folder = data or (known or TableConfig()).folder
    document = _document(checks, known, folder, machine)
    clean = Redaction(_secrets(config)).document(document)
    with (
        os_error_as(TilewatchError, f"{file}: cannot be written"),
        replacing(file, private=True) as temporary,
        zipfile.ZipFile(temporary, "w") as out,
    ):
        text = json.dumps(clean, ensure_ascii=False, indent=1)
        out.writestr(REPORT, text, zipfile.ZIP_DEFLATED)
        for jpeg in _picture(folder) if picture else ():
            out.writestr(PICTURE, jpeg)


def _document(
    checks: Sequence[Check], config: TableConfig | None, folder: Path, machine: Machine
) -> dict[str, Any]:
    return {
        "report": VERSION,
        "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "checks": [check.as_json() for check in checks],
        "versions": _versions(),
        "machine": _machine(machine),
        "config": None if config is None else _shown(config),
        "cameras": _cameras(machine),
        "disk": _disk(folder),
        "log": _log_lines(machine),
        "events": _events(folder),
    }


def _loaded(path: Path | None) -> TableConfig | None:
    try:
        return None if path is None else load_config(path)
    except (TilewatchError, OSError):
        return None  # the doctor's checks say what is wrong with it


def _shown(config: TableConfig) -> dict[str, Any]:
    """Return the configuration in the form of the log, without the players' names."""
    shown = config.model_dump(mode="json")
    for side in ("left", "right"):
        if shown["players"][side] is not None:
            shown["players"][side] = REMOVED
    return shown


def _secrets(path: Path | None) -> Iterator[str]:
    """Yield the texts of a configuration file, valid or not, that may be secret."""
    try:
        found = {} if path is None else tomllib.loads(read_file(path, SMALL).decode("utf-8-sig"))
    except (OSError, TilewatchError, ValueError, RecursionError):  # not TOML
        return
    camera = found.get("camera")
    for key, value in camera.items() if isinstance(camera, dict) else ():
        if isinstance(value, str) and key not in _PLAIN:
            yield value
    players = found.get("players")
    for value in players.values() if isinstance(players, dict) else ():
        if isinstance(value, str):
            yield value


def _versions() -> dict[str, str | None]:
    found: dict[str, str | None] = {"python": platform.python_version()}
    for name in ("tilewatch", *_LIBRARIES):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = None
    return found


def _machine(machine: Machine) -> dict[str, Any]:
    release = machine.text(machine.path("/etc/os-release")) or ""
    names = dict(line.split("=", 1) for line in release.splitlines() if "=" in line)
    bits = throttled(machine)
    return {
        "model": machine.model,
        "system": names.get("PRETTY_NAME", "").strip('"'),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "processors": os.cpu_count(),
        "memory": (machine.text(machine.path("/proc/meminfo")) or "").splitlines()[:3],
        "temperature_c": temperature_c(machine),
        "throttled": None if bits is None else hex(bits),
    }


def _cameras(machine: Machine) -> list[dict[str, Any]]:
    from sensors.v4l2 import video_devices  # noqa: PLC0415 - Linux alone has them

    return [
        {"name": one.name, "device": str(one.stable), "modes": [asdict(m) for m in one.modes]}
        for one in video_devices(machine.path("/dev"))
    ]


def _disk(folder: Path) -> dict[str, Any]:
    there = next((one for one in (folder, *folder.parents) if one.exists()), Path("/"))
    found = shutil.disk_usage(there)
    return {"data": str(folder), "total": found.total, "free": found.free}


def _log_lines(machine: Machine) -> list[str]:
    """Return the newest lines of the service's journal; none if there is no such service."""
    unit = ("journalctl", "--unit=tilewatch", f"--lines={_LINES}", "--no-pager", "--output=short")
    return (machine.ask(unit) or "").splitlines()


def _events(folder: Path) -> list[dict[str, Any]]:
    """Return kind and time of the newest events, without their contents."""
    path = folder / DATABASE
    if not path.exists():
        return []
    try:
        with EventLog(path, readonly=True) as log:
            newest = log.events(after=max(0, log.last_seq - _EVENTS))
    except TilewatchError:
        return []  # the doctor's checks say what is wrong with it
    return [{"seq": one.seq, "type": one.type, "wall_ns": one.wall_ns} for one in newest]


def _picture(folder: Path) -> Iterator[bytes]:
    """Yield the newest picture of the board at rest, or else of its set-up; nothing without one."""
    for path in (folder / "spool" / "rest.jpg", folder / "setup" / "place.jpg"):
        try:
            yield read_file(path, 10 * SMALL)
            return
        except (OSError, TilewatchError):
            continue


REMOVED: Final = "(removed)"

_URL: Final = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<rest>[^\s\"'<>]+)", re.IGNORECASE)
_WORDS: Final = r"pass(?:word|wd|phrase|code)?|pwd|secret|token|authorization|bearer|log in as"
_WORDS_OF_FIELDS: Final = r"api[_-]?key|key|code|cookie|user(?:name)?|login"
_NAMED: Final = re.compile(
    rf"(?P<name>\b(?:(?:{_WORDS})\b[\"']?\s*[=:]?|(?:{_WORDS_OF_FIELDS})[\"']?\s*[=:])\s*)"
    r"[\"']?(?:bearer |basic )?[^\s\"',;)]+",
    re.IGNORECASE,
)
"""A word of the first list precedes a secret; one of the second only if = or a colon follows."""
_KEY: Final = re.compile(rf"{_WORDS}|{_WORDS_OF_FIELDS}", re.IGNORECASE)
_SHORT: Final = 3
"""Secrets of up to this many characters are removed only where they are whole words."""


class Redaction:
    """Removes known secrets, values named as secrets, and all parts of URLs except the host.

    Args:
        known: secrets of this table, such as the password of its camera.
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        values = {one for one in known if one}
        values |= {quote(one, safe="") for one in values}
        # The longest first: one may be a part of another.
        ordered = sorted(values, key=len, reverse=True)
        self._known = re.compile("|".join(map(_pattern, ordered))) if ordered else None

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        text = _URL.sub(_host_alone, text)
        text = _NAMED.sub(rf"\g<name>{REMOVED}", text)
        return text if self._known is None else self._known.sub(REMOVED, text)

    def document(self, value: Any) -> Any:
        """Return a JSON document with the secrets removed from every text in it."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {
                str(key): REMOVED
                if isinstance(one, str) and _KEY.fullmatch(key)
                else self.document(one)
                for key, one in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.document(one) for one in value]
        return value


def _host_alone(found: re.Match[str]) -> str:
    """Return the URL with only its host: some paths hold logins, too (cameras, clock page)."""
    authority = re.split("[/?#]", found["rest"], maxsplit=1)[0]
    host = authority.rpartition("@")[2]
    return f"{found['scheme']}://{host}" + ("/…" if len(found["rest"]) > len(authority) + 1 else "")


def _pattern(known: str) -> str:
    text = re.escape(known)
    return text if len(known) > _SHORT else rf"(?<!\w){text}(?!\w)"
