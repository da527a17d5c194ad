"""The statement of a game in an evidence bundle; replaying the game must give the same."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple

from game.errors import TilewatchError
from game.events import (
    GameStarted,
    TableDescribed,
)
from game.schema import Adjustment, StatedTurn, Statement
from game.state.fold import GameState
from record.chain import LoggedEvent
from record.seals import sha256
from record.story.entries import Step, logged_entries, steps_of


def software() -> str:
    """Return the version of this tilewatch."""
    return metadata.version("tilewatch")


class RulesFile(NamedTuple):
    """A file of the rules by which a game is scored."""

    name: str
    """The file's name in a bundle: ``rulebook-….toml`` or ``tiles-….toml``."""
    label: str
    """The file's name in the log (``TableDescribed``)."""
    content: bytes


def rules_files(rulebook: str, tile_set: str) -> tuple[RulesFile, RulesFile]:
    """Return the files of a shipped rulebook and of a shipped set of tiles."""
    data = resources.files("game").joinpath("data")
    book = data.joinpath("rulebooks", f"{rulebook}.toml").read_bytes()
    tiles = data.joinpath("tilesets", f"{tile_set}.toml").read_bytes()
    return (
        RulesFile(f"rulebook-{rulebook}.toml", f"rulebook {rulebook}", book),
        RulesFile(f"tiles-{tile_set}.toml", f"tile set {tile_set}", tiles),
    )


@functools.cache
def model_hashes() -> Mapping[str, str]:
    """SHA-256 of the weights that this tilewatch reads boards with, by file name."""
    folder = resources.files("models").joinpath("weights")
    return {
        entry.name: sha256(entry.read_bytes())
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".onnx")
    }


@functools.cache
def program() -> str:
    """Return the SHA-256 of the code and rules that make bundles: the same hash, the same bundles.

    The version alone does not suffice: a checkout keeps one version through many changes.
    """
    whole = hashlib.sha256()
    for package in ("game", "record"):
        for name, content in sorted(_sources(resources.files(package), package)):
            whole.update(f"{name} {sha256(content)}\n".encode())
    return whole.hexdigest()


def _sources(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        path = f"{name}/{entry.name}"
        if entry.is_dir():
            yield from _sources(entry, path)
        elif entry.name.endswith((".py", ".toml", ".css", ".js", ".txt")):
            yield path, entry.read_bytes()


def described(start: GameStarted, settings: Mapping[str, Any] | None = None) -> TableDescribed:
    """Return the event with the recording's software, files and settings, logged after a start."""
    files = {f"model {name}": own for name, own in model_hashes().items()}
    for one in rules_files(start.rulebook, start.tile_set):
        files[one.label] = sha256(one.content)
    return TableDescribed(software(), files, dict(settings or {}), start.t_ns)


def statement_of(state: GameState) -> dict[str, Any]:
    """Return the result and the turns of a game, JSON-able."""
    statement = Statement.of(
        state,
        signed=state.signed is not None,
        rows=state.board.rows,
        turns=[StatedTurn.fields(turn) for turn in state.turns],
        adjustments=[Adjustment.fields(line, tiles=line.tiles) for line in state.adjustments],
    )
    return statement.model_dump(mode="json", exclude_unset=True)


def record_text(state: GameState) -> bytes | None:
    """Return the game as GCG; None if it has no turns, or GCG cannot express it."""
    from game.gcg import record_from_game, write  # noqa: PLC0415 (only here)

    if not state.turns:
        return None
    try:
        return write(record_from_game(state)).encode()
    except TilewatchError:
        return None


@dataclass(frozen=True)
class ReplayResult:
    """A game replayed from its events, or why that fails."""

    steps: tuple[Step, ...]
    """The state of the game after each event; empty if the events cannot be replayed."""
    why: str | None
    """Why the events cannot be replayed, in one line; None if they can."""

    @property
    def state(self) -> GameState | None:
        """The game after its last event; None if the events cannot be replayed."""
        return self.steps[-1].after if self.steps else None


def replayed(events: Iterable[LoggedEvent]) -> ReplayResult:
    """Replay a game. Raises nothing: evidence must be available even if our code fails on it."""
    try:
        return ReplayResult(steps_of(logged_entries(events)), None)
    except TilewatchError as error:
        why = str(error)
    except Exception as error:  # a fault in the rules' code is no reason to withhold evidence
        why = f"{type(error).__name__}: {error}"
    return ReplayResult((), " ".join(why.split()))
