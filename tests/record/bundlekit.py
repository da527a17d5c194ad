"""A table's data folder with two interleaved games, their bundles; events as they are logged."""

from __future__ import annotations

import io
import json
import sys
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

import cv2
import numpy as np

from game.board import Board, Square
from game.events import (
    ButtonPressed,
    Event,
    GameEnded,
    GameForfeited,
    GameReopened,
    GameStarted,
    PenaltyAdded,
    Picture,
    PicturesKept,
    ResultSigned,
    Side,
    TableDescribed,
    TurnRuled,
    TurnSeen,
    other,
    to_payload,
)
from record.bundle import archive
from record.bundle.derived_files import verifier_text
from record.bundle.export import export
from record.chain import PAYLOAD_VERSION, LoggedEvent, canonical_json
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.paths import DATABASE, EVIDENCE
from record.signing import KEY_FILE, TableKey
from record.story import Entry
from record.verifier.report import Report

SECOND = 1_000_000_000
WORDS = ("8D PLATE", "D8 .IER", "11D .OAD", "7F AN", "12A MELT", "B10 FR.T", "13B .OWN")
NAMES: Final[Mapping[Side, str]] = {"left": "Ann", "right": "Björn"}
GAME = "friday-1"
OTHER = "friday-2"


def word(place: str, letters: str, board: Board) -> Board:
    square = Square.parse(place)
    return board.replace(
        {
            square.step(place[0].isdigit(), at): symbol
            for at, symbol in enumerate(letters)
            if symbol != "."
        }
    )


def jpeg(seed: int, side: int = 48) -> bytes:
    noise = np.random.default_rng(seed).integers(0, 255, (side, side, 3), dtype=np.uint8)
    return cv2.imencode(".jpg", noise)[1].tobytes()


def seed(game: str, number: int, n: int) -> int:
    """The seed of a turn's picture: another for each, and the same in every run."""
    return zlib.crc32(f"{game} {number} {n}".encode())


def fill(
    folder: Path,
    turns: int = len(WORDS),
    signed: bool = True,
    game: str = GAME,
    resigned: bool = False,
    names: Mapping[Side, str] = NAMES,
    described: Mapping[str, str] = {},
    words: Sequence[str] = WORDS,
) -> None:
    """Log a game of so many turns, a picture before, at and after each, and a second in between.

    ``described`` are more files, with their hashes, that the table says it records with.
    """
    store = EvidenceStore(folder / EVIDENCE)
    with EventLog(folder / DATABASE) as log:

        def add(game: str, event: Event, source: str = "recorder") -> None:
            t_ns = event.press_ns if isinstance(event, TurnSeen) else event.t_ns
            log.append(game, to_payload(event), mono_ns=t_ns, source=source)

        def start(game: str, names: Mapping[Side, str]) -> GameStarted:
            return GameStarted(game, names, "wespa-2007", "english", None, 0)

        add(game, start(game, names))
        files = {"model tiles.onnx": "a" * 64, **described}
        add(game, TableDescribed("0.1.0", files, {"fps": 10}, 0))
        add(game, ButtonPressed("left", SECOND), "buttons")
        board, side, t_ns = Board.empty(), "right", SECOND
        for number in range(1, turns + 1):
            if number == 1:
                add(OTHER + game, start(OTHER + game, {"left": "Čilla", "right": "Björn"}))
            board = word(*words[number - 1].split(), board)
            t_ns += 20 * SECOND + number
            add(game, ButtonPressed(side, t_ns), "buttons")
            shas = [store.store(jpeg(seed(game, number, n))) for n in range(3)]
            add(game, TurnSeen(side, t_ns, board.rows, t_ns - 7, {}, {"at": shas[1]}))
            kept = tuple(
                Picture(role, sha, t_ns + offset)
                for role, sha, offset in zip(
                    ("before", "at", "after"), shas, (-9, 0, 9), strict=True
                )
            )
            add(game, PicturesKept(number, kept, t_ns + 10))
            add(OTHER + game, ButtonPressed("left", t_ns + 20), "buttons")
            side = other(side)
        if turns > 2:
            ruling = TurnRuled(2, "challenge_failed", "director", "both are words", t_ns + SECOND)
            add(game, ruling, "director")
        add(game, PenaltyAdded("left", 5, None, "director", "late", t_ns + 2 * SECOND), "director")
        if resigned:
            add(game, GameForfeited("left", "resigned", "Ann", "", t_ns + 3 * SECOND), "director")
        else:
            add(game, GameEnded("director", t_ns + 3 * SECOND), "director")
        if signed:
            add(game, ResultSigned("both", t_ns + 4 * SECOND), "director")


def log_a_late_penalty(folder: Path) -> None:
    """Two more events of the game, after its bundle was made: it is reopened for ten points."""
    late = 10**12
    with EventLog(folder / DATABASE) as log:
        for event in (
            GameReopened("director", "director", "a penalty", late),
            PenaltyAdded("left", 10, None, "director", "late", late),
        ):
            log.append(GAME, to_payload(event), mono_ns=late, source="director")


def make(folder: Path, target: Path, game: str = GAME, turns: int = len(WORDS)) -> Path:
    fill(folder, game=game, turns=turns)
    return bundle_of(folder, target, game)


def bundle_of(folder: Path, target: Path, game: str = GAME) -> Path:
    with EventLog(folder / DATABASE, readonly=True) as log:
        key = TableKey.open(folder / KEY_FILE)
        export(log, EvidenceStore(folder / EVIDENCE), key, game, target)
    return target


def everything(folder: Path) -> list[LoggedEvent]:
    """Every event that a data folder's log has."""
    with EventLog(folder / DATABASE, readonly=True) as log:
        return log.events()


@cache
def independent() -> ModuleType:
    """The verifier as bundles carry it, which imports nothing of ours."""
    module = sys.modules["verify_bundle"] = ModuleType("verify_bundle")
    exec(compile(verifier_text(), "verify_bundle.py", "exec"), module.__dict__)
    return module


def checked(path: Path, keys: Sequence[str] = (), written: str | None = None) -> Report:
    """The report of that verifier. Raises its own ``Unusable``, and ``ValueError``."""
    own = independent()
    slip = None if written is None else own.plain_digest(written)
    report: Report = own.Check(path, [own.plain_key(key) for key in keys], slip).run()
    return report


def packed(files: dict[str, bytes]) -> bytes:
    """A sound archive of these entries."""
    sink = io.BytesIO()
    writer = archive.Writer(sink)
    for name, content in files.items():
        writer.add(name, content)
    writer.finish()
    return sink.getvalue()


def unpacked(data: bytes) -> dict[str, bytes]:
    entries, flaw = archive.read(memoryview(data))
    assert flaw is None
    return {entry.name: bytes(entry.content) for entry in entries}


def entries_of(events: Iterable[Event], source: str = "recorder") -> tuple[Entry, ...]:
    """One entry each, without a log; wall time runs with the table's own."""
    found = []
    for number, event in enumerate(events, start=1):
        t_ns = event.press_ns if isinstance(event, TurnSeen) else event.t_ns
        payload = to_payload(event)
        logged = LoggedEvent(
            number, "g1", number, t_ns, 1_800_000_000 * SECOND + t_ns, source, payload["type"],
            PAYLOAD_VERSION, canonical_json(json.loads(json.dumps(payload))), "0" * 64, "0" * 64,
            "0" * 64, "0" * 128,
        )  # fmt: skip
        found.append(Entry(logged, event))
    return tuple(found)
