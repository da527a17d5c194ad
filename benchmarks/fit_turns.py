"""The parameters of the turn decoder, fitted to films whose truth is known.

    python benchmarks/fit_turns.py collect --films FILM… --out DIR [--no-buttons]
    python benchmarks/fit_turns.py fit DIR… [--sweeps N] [--only NAME]…
    python benchmarks/fit_turns.py records FOLDER

``collect`` replays films (``python -m tools.film``) in this process, and keeps each window
that the decoder is given (``vision.tracking.turn_decoder``). Films that are there are not replayed
again. ``fit`` finds for one parameter after another the value at which the true hypotheses are
likeliest: the sum of the log posteriors over all windows, and a weak prior around today's value, so
that what films do not show stays where it is. Windows of one due turn weigh as much as one window,
since they tell nearly the same. Printed of each parameter: today's value, the fitted one, the gain
in log posterior between the two, how many windows bear on it, and between which values it is less
than 1 below its best. *Staged* are the rates of what the films have on purpose, more often than
tables do: what is fitted there is the films'. Below stands how often the likeliest hypothesis is
true, by its posterior. ``records`` counts in game records (GCG) how often a turn lays no tile, and
how many tiles a play lays.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, Final

from profiles import profile
from turn_cases import Case, cases_of, collect, read
from turn_truth import Truth

from game.gcg import parse
from game.gcg.record import TURN_KINDS
from vision.tracking.parameters import TURN, TurnModel

FIXED: Final = {
    "nothing": "records",
    "lengths": "records",
    "certain": "a limit of what is taken unasked",
    "unlikely": "a limit of the search",
}
"""The parameters that are not fitted, and why."""

STAGED: Final = {
    *("forgotten", "forgotten_again", "reminded", "stray", "double", "taken_back"),
    *("overtaken", "overtaken_s", "prepared", "pace_s", "reach_s"),
}
"""The rates and times of what films have by their variants."""

_WIDTH: Final = 1.0
"""The prior's standard deviation, in logits of a probability, ..."""

_WIDTH_S: Final = 0.5
"""... and in natural logarithms of a time."""

_BEARS: Final = 0.01
"""A window bears on a parameter whose extremes change its log posterior by so much."""

_LITTLE: Final = 0.1
"""A gain in log posterior that is next to nothing."""

_SEARCHED: Final = replace(TURN, unlikely=1e-3)
"""Today's parameters, with a search that is quick."""

_CLEAR: Final = -1e-3
"""Log posterior of the truth in a window that is clear, ..."""

_FEW: Final = 4
"""... and one of so many of them is used."""

_EDGES: Final = (0.0, 0.5, 0.8, 0.9, 0.99, 1.0)


def to_line(name: str, value: float) -> float:
    """Return a parameter as it is searched: a time as its logarithm, else a logit."""
    return math.log(value) if name.endswith("_s") else math.log(value / (1 - value))


def from_line(name: str, at: float) -> float:
    """Return the parameter for a value that is searched."""
    return math.exp(at) if name.endswith("_s") else 1 / (1 + math.exp(-at))


def fitted(cases: Sequence[Case], sweeps: int, only: Sequence[str]) -> TurnModel:
    """Search one parameter after another, print what is found, and return the parameters.

    After the first time those are left out that gained next to nothing.
    """
    names = [one.name for one in fields(TurnModel) if one.name not in FIXED]
    names = [name for name in names if not only or name in only]
    model = _SEARCHED
    bearing: dict[str, list[Case]] = {}
    for sweep in range(sweeps):
        print(f"\nsweep {sweep + 1}\n{'':<17}{'today':>9}{'fitted':>9}{'gain':>7}{'windows':>9}")
        gains: dict[str, float] = {}
        for name in names:
            if name not in bearing:
                bearing[name] = list(_bearing(cases, name))
            today, start = (to_line(name, getattr(one, name)) for one in (TURN, model))
            gain = _objective(bearing[name], model, name)
            found = profile(gain, start, today, _width(name))
            model, gains[name] = changed(model, name, found.best), found.gain
            low, high = from_line(name, found.low), from_line(name, found.high)
            print(
                f"{name:<17}{getattr(TURN, name):>9.3g}{getattr(model, name):>9.3g}"
                f"{found.gain:>7.2f}{len(bearing[name]):>9}  {low:.3g} to {high:.3g}"
                f"{'  staged' if name in STAGED else ''}",
                flush=True,
            )
        names = [name for name in names if gains[name] > _LITTLE]
    print(*(f"{name:<17}fixed: {why}" for name, why in FIXED.items()), sep="\n")
    return model


def thinned(cases: Iterable[Case]) -> list[Case]:
    """Return the windows, of those that are clear one for several of them: it weighs as much."""
    found, clear = [], []
    for case in cases:
        (clear if case.log_posterior(_SEARCHED) > _CLEAR else found).append(case)
    few = clear[::_FEW]
    more = sum(case.weight for case in clear) / max(sum(case.weight for case in few), 1e-9)
    return found + [replace(case, weight=case.weight * more) for case in few]


def changed(model: TurnModel, name: str, at: float) -> TurnModel:
    """Return the parameters with another value of one of them, as it is searched."""
    value: Any = from_line(name, at)
    return replace(model, **{name: value})


def _width(name: str) -> float:
    return _WIDTH_S if name.endswith("_s") else _WIDTH


def _bearing(cases: Iterable[Case], name: str) -> Iterator[Case]:
    """Yield the windows whose log posterior depends on a parameter."""
    today = to_line(name, getattr(TURN, name))
    low, high = (changed(_SEARCHED, name, today + step * _width(name)) for step in (-2.0, 2.0))
    for case in cases:
        if abs(case.log_posterior(low) - case.log_posterior(high)) > _BEARS:
            yield case


def _objective(cases: Sequence[Case], model: TurnModel, name: str) -> Callable[[float], float]:
    """Return the sum of log posteriors by one parameter, each value computed once."""
    known: dict[float, float] = {}

    def summed(at: float) -> float:
        if at not in known:
            other = changed(model, name, at)
            known[at] = sum(case.weight * case.log_posterior(other) for case in cases)
        return known[at]

    return summed


def reliability(cases: Sequence[Case], model: TurnModel) -> None:
    """Print how often the likeliest turns are true, by how likely they are said to be."""
    found: list[tuple[float, bool]] = []
    for case in cases:
        shares: dict[Truth, float] = defaultdict(float)
        for one in case.hypotheses(model):
            turns = tuple((turn.side, turn.tiles) for turn in one.turns)
            shares[Truth(case.truth.first, turns, one.rest)] += one.p
        best, p = max(shares.items(), key=lambda item: item[1])
        found.append((p, best == case.truth))
    print(f"{'posterior':>12}{'n':>6}{'mean':>8}{'true':>8}")
    for low, high in pairwise(_EDGES):
        here = [one for one in found if low < one[0] <= high]
        if here:
            mean, true = (sum(column) / len(here) for column in zip(*here, strict=True))
            print(f"{f'{low:g} to {high:g}':>12}{len(here):>6}{mean:>8.3f}{true:>8.3f}")


def records(folder: Path) -> None:
    """Print how many turns of game records lay no tile, and how many tiles plays lay."""
    paths = sorted(folder.glob("*.gcg"))
    entries = [one for path in paths for one in parse(path.read_bytes(), path.name).entries]
    turns = [one for one in entries if one.kind in TURN_KINDS]
    laid = Counter(len(one.placed()) for one in turns)
    print(f"{len(paths)} records, {len(turns)} turns")
    print(f"no tile: {laid.pop(0, 0)}; kinds: {dict(Counter(one.kind for one in turns))}")
    for count, plays in sorted(laid.items()):
        print(f"{count} tiles: {plays} plays, {plays / max(laid[3], 1):.2f} beside three")


def _fit(folders: Iterable[Path], sweeps: int, only: Sequence[str]) -> None:
    replays = [replay for folder in folders for replay in read(folder)]
    cases: list[Case] = []
    for how, group in groupby(
        sorted(replays, key=lambda one: one.buttons), lambda one: one.buttons
    ):
        films = list(group)
        found = [cases_of(one) for one in films]
        cases += [case for here, _ in found for case in here]
        print(
            f"{'with' if how else 'without'} buttons: {len(films)} films, "
            f"{sum(len(one.windows) for one in films)} windows, "
            f"{sum(count for _, count in found)} whose truth cannot be said, "
            f"{sum(len(here) for here, _ in found)} different, "
            f"{sum(case.weight for here, _ in found for case in here):.0f} due turns"
        )
    print("\nthe likeliest turns, with today's parameters")
    reliability(cases, TURN)
    model = fitted(thinned(cases), sweeps, only)
    print("\nthe likeliest turns, with the fitted parameters")
    reliability(cases, model)


def main() -> int:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    collecting = commands.add_parser("collect", help="replay films, and keep the windows")
    collecting.add_argument("--films", type=Path, nargs="+", required=True)
    collecting.add_argument("--out", type=Path, required=True)
    collecting.add_argument("--no-buttons", dest="buttons", action="store_false")
    fitting = commands.add_parser("fit", help="fit the parameters to windows")
    fitting.add_argument("folders", type=Path, nargs="+", metavar="DIR")
    fitting.add_argument("--sweeps", type=int, default=2)
    fitting.add_argument("--only", action="append", default=[], metavar="NAME")
    counting = commands.add_parser("records", help="count in game records")
    counting.add_argument("folder", type=Path)
    args = parser.parse_args()
    if args.command == "collect":
        for path, found in collect(args.films, args.out, buttons=args.buttons):
            print(f"{path.name}: {len(found.windows)} windows, {len(found.dues)} turns", flush=True)
    elif args.command == "fit":
        _fit(args.folders, args.sweeps, args.only)
    else:
        records(args.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
