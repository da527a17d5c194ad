"""The result of a check in words, for people who are no programmers.

First what is sound and what that proves, then what was compared with what the reader holds, then
what was not checked. A fault names the thing that is wrong before any byte or hash.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Final

from record.bundle.archive import (
    CHAIN,
    EDGES,
    EVENTS,
    MANIFEST,
    PAGE,
    PICTURES,
    README,
    RECORD,
    SIGNATURE,
    VERIFIER,
)
from record.seals import fingerprint
from record.verifier.report import Facts, Fault, Report

_THINGS: Final = {
    PAGE: "the page",
    README: "the read-me",
    RECORD: "the game record",
    EVENTS: "the log",
    CHAIN: "the log's chain",
    EDGES: "the edges of the clock's contacts",
    VERIFIER: "the verifier",
    MANIFEST: "what the bundle states",
    SIGNATURE: "the signature",
}
SHOWN: Final = 50
"""The most faults of one bundle that are printed."""


def lines(report: Report) -> Iterator[str]:
    """Yield the result of a check, and then its details, indented."""
    facts = report.facts
    if report.ok and facts is not None:
        keyed = "" if report.keyed else " in itself, but no key was compared"
        page = "" if PAGE in report.remade else "; what the page says was not checked"
        yield f"{report.path}: sound{keyed}{page}"
        yield from (f"  proved: {text}" for text in _proved(report, facts))
        yield from (f"  compared: {text}" for text in report.compared)
        yield from (f"  not compared: {text}" for text in report.uncompared)
        yield from _identified(facts)
        yield from (f"  note: {text}" for text in report.notes)
        yield from (f"  not checked: {_line(*text.partition(': '))}" for text in report.unchecked)
        return
    count = len(report.faults)
    yield f"{report.path}: NOT SOUND, {count} {'fault' if count == 1 else 'faults'}"
    ordered = sorted(report.faults, key=lambda one: one.place.startswith("byte "))
    yield from (f"  {fault_line(one)}" for one in ordered[:SHOWN])
    if count > SHOWN:
        yield f"  and {count - SHOWN} more"
    if facts is not None and not {MANIFEST, SIGNATURE}.intersection(one.place for one in ordered):
        yield f"  the events are sound: {_signed(facts, '')}"
    yield from (f"  compared: {text}" for text in report.compared)


def fault_line(fault: Fault) -> str:
    """Return a fault in a line: the thing, what is wrong with it, and its place in the bundle."""
    log = " of the table's log" if re.fullmatch(r"event \d+", fault.place) else ""
    return _line(f"{fault.place}{log}", ": ", fault.message)


def _line(place: str, colon: str, text: str) -> str:
    thing = _thing(place)
    return f"{place}{colon}{text}" if thing is None else f"{thing}{colon}{text} ({place})"


def _thing(place: str) -> str | None:
    """Return what lies at a place; None for a place whose own name says it."""
    if place.startswith(f"{PICTURES}/"):
        return "a picture"
    if place.startswith("byte "):
        return "the ZIP file itself"
    if re.fullmatch(r"(rulebook|tiles)-\S+\.toml", place):
        return "the rulebook" if place.startswith("r") else "the set of tiles"
    return _THINGS.get(place)


def _proved(report: Report, facts: Facts) -> Iterator[str]:
    hub = "" if facts.key in facts.event_keys else f", the hub's key {fingerprint(facts.key)}"
    yield _signed(facts, f"{hub}{'' if hub else ' and'} the bundle")
    if facts.pictures:
        each = "the picture is the one" if facts.pictures == 1 else "each picture is one"
        yield f"{each} that the events name; there {_are(facts.pictures)}"
    game = facts.game
    if game is not None:
        scores = ", ".join(f"{game.players[side]} {game.scores[side]}" for side in game.scores)
        turns = "1 turn" if game.turns == 1 else f"{game.turns} turns"
        yield f"by the rules, the events give {scores} after {turns}"
    if report.remade:
        things = [_thing(name) for name in (PAGE, README, RECORD) if name in report.remade]
        things += [_thing(name) for name in report.remade if name.endswith(".toml")]
        yield f"what people read is what the events give: {', '.join(filter(None, things))}"


def _are(count: int) -> str:
    return "is 1" if count == 1 else f"are {count}"


def _signed(facts: Facts, also: str) -> str:
    """Return which keys signed a game's events, what else was signed, and what that shows."""
    keys = [fingerprint(key) for key in facts.event_keys]
    count = f"all {facts.events} events" if facts.events > 1 else "the only event"
    many = "the keys" if len(keys) > 1 else "the key"
    return (
        f"{many} {' and '.join(keys)} signed {count}{also}; "
        "none was changed, added, left out or moved since"
    )


def _identified(facts: Facts) -> Iterator[str]:
    yield f"  game: {facts.game_id}"
    yield f"  made: {time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime(facts.made_ns // 10**9))}"
    for stage, code in ({} if facts.game is None else facts.game.closed).items():
        yield f"  check code when it {'ended' if stage == 'ended' else 'was signed'}: {code}"
    yield f"  check code of the last event: {facts.digest}"
