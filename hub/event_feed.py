"""The event as a feed (Atom, RFC 4287) and as a calendar (iCalendar, RFC 5545)."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from xml.etree import ElementTree

_ATOM: Final = "http://www.w3.org/2005/Atom"
_SPACE: Final = uuid.UUID("5b0c2f6e-2d0f-4f0b-9a55-6a8a6f0f4c11")
"""The namespace of our ids; it never changes."""
_LONGEST: Final = 75
"""The most bytes of a line of a calendar."""

STARTED: Final = datetime.now(UTC).replace(microsecond=0)
"""When this hub read its configuration: since then no round's time has changed."""


def lasting_id(*names: object) -> str:
    """Return an id that is the same for the same names, at whatever address the pages are."""
    return str(uuid.uuid5(_SPACE, "\n".join(map(str, names))))


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a feed."""

    id: str
    title: str
    text: str
    address: str
    at: datetime


def as_atom(
    title: str, id_: str, address: str, own_address: str, language: str, entries: Sequence[Entry]
) -> bytes:
    """Return a feed. ``address`` is that of the page that it is about, ``own_address`` its own."""
    feed = ElementTree.Element("feed", {"xmlns": _ATOM, "xml:lang": language})
    newest = max((one.at for one in entries), default=STARTED)
    _add(feed, "id", f"urn:uuid:{id_}")
    _add(feed, "title", title)
    _add(feed, "updated", newest.astimezone(UTC).isoformat(timespec="seconds"))
    _add(ElementTree.SubElement(feed, "author"), "name", title)
    ElementTree.SubElement(feed, "link", {"rel": "alternate", "href": address})
    ElementTree.SubElement(feed, "link", {"rel": "self", "href": own_address})
    for one in entries:
        entry = ElementTree.SubElement(feed, "entry")
        _add(entry, "id", f"urn:uuid:{one.id}")
        _add(entry, "title", one.title)
        _add(entry, "updated", one.at.astimezone(UTC).isoformat(timespec="seconds"))
        ElementTree.SubElement(entry, "link", {"rel": "alternate", "href": one.address})
        _add(entry, "summary", one.text)
    made: bytes = ElementTree.tostring(feed, "utf-8", xml_declaration=True)
    return made


def _add(parent: ElementTree.Element, name: str, text: str) -> None:
    # XML has no place for control characters, not even as references.
    ElementTree.SubElement(parent, name).text = "".join(c for c in text if c.isprintable())


@dataclass(frozen=True, slots=True)
class Appointment:
    """A round in a calendar."""

    id: str
    title: str
    begins: datetime
    lasts: timedelta


def as_calendar(title: str, rounds: Iterable[Appointment]) -> bytes:
    """Return a calendar of rounds, of which there is at least one."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//tilewatch//event//EN"]
    lines.append(f"X-WR-CALNAME:{_escaped(title)}")
    for one in rounds:
        lines += [
            "BEGIN:VEVENT",
            f"UID:{one.id}",
            f"DTSTAMP:{_utc(STARTED)}",
            f"DTSTART:{_utc(one.begins)}",
            f"DURATION:PT{int(one.lasts.total_seconds()) // 60}M",
            f"SUMMARY:{_escaped(one.title)}",
            "END:VEVENT",
        ]
    return "".join(f"{_folded(line)}\r\n" for line in [*lines, "END:VCALENDAR"]).encode()


def _utc(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _escaped(text: str) -> str:
    shown = "".join(c if c.isprintable() else " " for c in text)
    return shown.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")


def _folded(line: str) -> str:
    """Return a line in pieces of at most 75 bytes, each but the first after a space."""
    pieces: list[str] = []
    piece = ""
    for letter in line:
        if len((piece + letter).encode()) > _LONGEST - bool(pieces):
            pieces.append(piece)
            piece = ""
        piece += letter
    return "\r\n ".join([*pieces, piece])
