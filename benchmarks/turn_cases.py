"""The windows of films in motion, each with its truth: what the turn decoder is fitted to.

A film is replayed in this process, and each window that the decoder is given is kept, unless it is
the one before once more.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import pickle
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from unittest import mock

from motion import complete, unpressed
from motion_report import variant_name
from turn_truth import Readings, Replay, Truth, dues_of, truth_of

from table import cli
from vision.tracking import turn_decoder, turn_window
from vision.tracking.parameters import TURN, TurnModel
from vision.tracking.turn_hypotheses import Hypothesis, Window

_MOST: Final = 3
"""So many windows of a due turn are used at most."""

_LEAST: Final = 3e-4
"""The posterior of a hypothesis that was not followed: no window outweighs all others."""


@dataclass(frozen=True)
class Case:
    """A window, what is true in it, and how much it weighs."""

    window: Window
    readings: Readings
    truth: Truth
    weight: float

    def hypotheses(self, model: TurnModel) -> list[Hypothesis]:
        """Return what the decoder makes of it with these parameters."""
        return turn_decoder.decode(with_parameters(self.window, model), self.readings, model)

    def log_posterior(self, model: TurnModel) -> float:
        """Return the log posterior of the truth."""
        return math.log(
            max(sum(one.p for one in self.hypotheses(model) if self.truth.agrees(one)), _LEAST)
        )


def with_parameters(window: Window, model: TurnModel) -> Window:
    """Return a window as it would be with other parameters: it holds some as they are today."""
    chances = {TURN.unread: model.unread, TURN.beside_arm: model.beside_arm}
    rates = {TURN.forgotten: model.forgotten, TURN.forgotten_again: model.forgotten_again}
    tiles = {s: replace(one, p=chances.get(one.p, one.p)) for s, one in window.tiles.items()}
    unpressed = window.unpressed
    return replace(
        window,
        tiles=tiles,
        unpressed=None if unpressed is None else rates.get(unpressed, unpressed),
    )


def replayed(film: Path, *, buttons: bool) -> Replay:
    """Replay a film in this process, and keep the windows that the decoder is given."""
    windows: list[tuple[Window, Readings]] = []
    decode = turn_decoder.decode

    def kept(window: Window, readings: Readings, *more: Any) -> list[Hypothesis]:
        if not windows or windows[-1][0] != window:
            windows.append((window, readings))
        return decode(window, readings, *more)

    with tempfile.TemporaryDirectory() as scratch:
        shown = film if buttons else unpressed(film, Path(scratch) / film.name)
        command = ["replay", str(shown), "--json", "--out", str(Path(scratch) / "out")]
        said = io.StringIO()
        with mock.patch.object(turn_window, "decode", kept), contextlib.redirect_stdout(said):
            status = cli.main(command)
    assert status == 0, said.getvalue()[-2000:]
    variant = json.loads((film / "truth.json").read_text("utf-8"))["variant"]
    return Replay(film.name, variant_name(variant), buttons, dues_of(film), tuple(windows))


def collect(films: Sequence[Path], out: Path, *, buttons: bool) -> Iterator[tuple[Path, Replay]]:
    """Replay films that are not in a folder yet, and write the windows of each there."""
    out.mkdir(parents=True, exist_ok=True)
    for film in filter(complete, films):
        path = out / f"{film.name}{'' if buttons else '-no-buttons'}.windows"
        if not path.exists():
            found = replayed(film.resolve(), buttons=buttons)
            beside = path.with_suffix(".part")
            beside.write_bytes(pickle.dumps(found))
            beside.rename(path)
            yield path, found


def read(folder: Path) -> Iterator[Replay]:
    """Yield what was collected in a folder."""
    for path in sorted(folder.glob("*.windows")):
        found = pickle.loads(path.read_bytes())
        assert isinstance(found, Replay)
        yield found


def cases_of(replay: Replay) -> tuple[list[Case], int]:
    """Return some windows of each due turn, and how many there are whose truth cannot be said.

    Of those that tell the same of the same tiles and presses only the newest counts.
    """
    newest: dict[object, tuple[Window, Readings, Truth]] = {}
    left_out = 0
    for window, readings in replay.windows:
        truth = truth_of(window, replay.dues)
        if truth is None:
            left_out += 1
        elif window.tiles or window.presses:
            presses, tiles = window.presses, tuple(sorted(window.tiles.items()))
            newest[truth, presses, tiles, len(window.recorded)] = window, readings, truth
    of_turn: dict[int, list[tuple[Window, Readings, Truth]]] = defaultdict(list)
    for one in newest.values():
        of_turn[one[2].last].append(one)
    few = [some[:: -(-len(some) // _MOST)] for some in of_turn.values()]
    return [Case(*one, 1 / len(some)) for some in few for one in some], left_out
