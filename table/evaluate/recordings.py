"""Replays recordings, as they are or damaged, and compares each with its owner's record.

``expected.csv`` has one row for each turn: ``turn,side,kind,position,word,score,total``. The
position is as in GCG (``8D`` across, ``D8`` down); in the word ``.`` is a tile already there, and
``_`` or a small letter is a blank. Or the position lists the new tiles (``8H=P 8I=U``). Some
annotators name rows by letters and columns by numbers; the naming that fits better is used.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from game.board import Square, parse_position
from game.errors import TilewatchError
from game.events import SIDES, GameStarted
from game.files import SMALL, read_file
from game.flags import CODES
from game.referee.turn import Turn
from game.rulebooks.loading import DEFAULT_RULEBOOK
from game.state.fold import GameState
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.paths import DATABASE, EVIDENCE
from sensors.recording import Recording
from table.commands.replay import replayed
from table.evaluate.damages import DAMAGES, Damage, Image
from table.evaluate.photographs import say
from table.pairings.spreadsheet import SheetRow, decoded, read_sheet, whole
from table.recorder import RecorderStores
from vision.errors import NoBoardFoundError
from vision.images import decode_image
from vision.tracking.observer import ReadsBoards

EXPECTED: Final = "expected.csv"
_COLUMNS: Final = ("turn", "side", "position", "word")


@dataclass(frozen=True)
class ExpectedTurn:
    """A turn in the owner's record: new tiles by square, blanks as ``?``."""

    number: int
    side: str
    tiles: dict[str, str]


@dataclass(frozen=True)
class ReplayScore:
    """The comparison of a replay with the expected game."""

    turns: int = 0
    right: int = 0
    """The number of turns of the right side whose new tiles are exactly the expected ones."""
    flagged: int = 0
    """The number of other turns that have a flag: the board was covered or a square unsure."""
    letters: int = 0
    letters_right: int = 0

    def __add__(self, other: ReplayScore) -> ReplayScore:
        """Return the score of both replays together."""
        return ReplayScore(
            self.turns + other.turns,
            self.right + other.right,
            self.flagged + other.flagged,
            self.letters + other.letters,
            self.letters_right + other.letters_right,
        )


def is_recording(folder: Path) -> bool:
    """Return True if a folder is a recording with an ``expected.csv``."""
    return (folder / "recording.toml").is_file() and (folder / EXPECTED).is_file()


def due_turns(file: Path, rows_lettered: bool = False) -> list[ExpectedTurn]:
    """Return the turns in an ``expected.csv``.

    Raises:
        TilewatchError: the file cannot be read, or a row, which the message names, is no turn.
    """
    try:
        sheet = read_sheet(decoded(read_file(file, SMALL))[0], _COLUMNS)
        return [_turn(row, rows_lettered) for row in sheet.rows]
    except (OSError, TilewatchError) as error:
        raise TilewatchError(
            f"{file}: not turns with turn, side, position and word ({error}); see docs/recording.md"
        ) from None


def _turn(row: SheetRow, rows_lettered: bool) -> ExpectedTurn:
    number, side, position, word = (row.cells.get(one, "") for one in _COLUMNS)
    turn = whole(number)
    if turn is None or side not in SIDES:
        raise TilewatchError(f"line {row.line}: turn is a whole number, and side left or right")
    try:
        return ExpectedTurn(turn, side, _tiles(position, word, rows_lettered))
    except (ValueError, TilewatchError) as error:
        raise TilewatchError(f"line {row.line}: {error}") from error


def _tiles(position: str, word: str, rows_lettered: bool) -> dict[str, str]:
    if not position:
        return {}
    if "=" in position:
        return dict(_pair(one) for one in position.split())
    if rows_lettered:
        position = _mirrored(position)
    start, across = parse_position(position)
    squares = [start.step(across, at) for at in range(len(word))]
    if not all(square.on_board for square in squares):
        raise TilewatchError(f"{word} at {position} goes over the edge of the board")
    return {
        square.name: "?" if symbol == "_" or symbol.islower() else symbol
        for square, symbol in zip(squares, word, strict=True)
        if symbol != "."
    }


def _pair(text: str) -> tuple[str, str]:
    square, _, symbol = text.partition("=")
    return Square.parse(square).name, symbol


def _mirrored(position: str) -> str:
    """Return a position with lettered rows and numbered columns in the form of GCG."""
    across = re.fullmatch(r"([A-O])(\d{1,2})", position)
    if across:
        return f"{ord(across[1]) - 64}{chr(64 + int(across[2]))}"
    down = re.fullmatch(r"(\d{1,2})([A-O])", position)
    if down is None:
        raise ValueError(f"{position} is no position")
    return f"{chr(64 + int(down[1]))}{ord(down[2]) - 64}"


def _rehearsed(recording: Recording, reader: ReadsBoards, damage: Damage | None) -> GameState:
    """Return the game that a recording gives, with ``damage`` done to every picture first."""

    def damaged(data: bytes, name: str) -> Image:
        image = decode_image(data, name)
        if damage is None:
            return image
        try:
            corners = reader.read(image).corners
        except NoBoardFoundError:
            height, width = image.shape[:2]
            corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
        return np.ascontiguousarray(damage(image, corners)[0])

    meta = recording.meta
    rulebook = meta.rulebook or DEFAULT_RULEBOOK
    start = GameStarted("rehearsal", meta.names, rulebook, meta.tile_set, None, 0)
    if damage is not None:
        recording = replace(recording, meta=meta.model_copy(update={"corners": None}))
    with tempfile.TemporaryDirectory() as folder, EventLog(Path(folder) / DATABASE) as log:
        stores = RecorderStores(log, EvidenceStore(Path(folder) / EVIDENCE))
        return replayed(recording, start, reader, stores, damaged).state


def compared(state: GameState, due: list[ExpectedTurn]) -> ReplayScore:
    """Compare a game with the expected turns, by their numbers."""
    turns = {turn.number: turn for turn in state.turns}
    total = ReplayScore()
    for one in due:
        total += _one(turns.get(one.number), one)
    return total


def _one(turn: Turn | None, due: ExpectedTurn) -> ReplayScore:
    letters = {square: symbol for square, symbol in due.tiles.items() if symbol != "?"}
    outcome = ReplayScore(turns=1, letters=len(letters))
    if turn is None:
        return outcome
    read = {square: "?" if s.islower() else s for square, s in turn.tiles.items()}
    right = turn.side == due.side and read == due.tiles
    return replace(
        outcome,
        right=int(right),
        flagged=int(not right and any(CODES[flag.code].unread for flag in turn.flags)),
        letters_right=sum(read.get(square) == symbol for square, symbol in letters.items()),
    )


def score_replay(folder: Path, reader: ReadsBoards, damage: Damage | None = None) -> ReplayScore:
    """Replay one recording and compare it, with the naming of squares that fits better.

    Raises:
        TilewatchError: the recording or its ``expected.csv`` can't be used.
    """
    state = _rehearsed(Recording.open(folder), reader, damage)
    outcomes = [
        compared(state, due_turns(folder / EXPECTED, rows_lettered))
        for rows_lettered in (False, True)
    ]
    return max(outcomes, key=lambda outcome: (outcome.right, outcome.letters_right))


HEADER: Final = f"{'':<24} {'turns':>9} {'letters':>8} {'flagged':>12}"


def line(name: str, outcome: ReplayScore) -> str:
    """Return the row of a replay, for the table below :data:`HEADER`."""
    share = 100 * outcome.letters_right / max(1, outcome.letters)
    return (
        f"{name:<24} {outcome.right:>4}/{outcome.turns:<4} {share:>7.2f}% "
        f"{outcome.flagged:>4} of {outcome.turns - outcome.right}"
    )


def print_replays(readers: Mapping[Path, ReadsBoards], *, stress: bool = False) -> None:
    """Print a row for each recording, one for all, and with ``stress`` one for each damage.

    ``readers`` has the reader of each recording's folder. Raises ``TilewatchError``.
    """
    say(HEADER)
    total = ReplayScore()
    for folder, reader in readers.items():
        outcome = score_replay(folder, reader)
        total += outcome
        say(line(folder.name, outcome))
    say(line("all recordings", total))
    for name, damage in DAMAGES.items() if stress else ():
        outcomes = [score_replay(folder, reader, damage) for folder, reader in readers.items()]
        say(line(name, sum(outcomes, ReplayScore())))
