"""The results of games filmed in motion: real boards and hands, invented moves.

    python benchmarks/motion.py RECORDINGS [--hands FOLDER] [--variant NAME]… [--only GAME]
        [--turns N] [--seed N]… [--work DIR] [--json FILE [--resume]] [--jobs N] [--sheets]
        [--buttons with|without|both] [--checkout DIR]
    python benchmarks/motion.py --films FILM… [the same options from --work on]
    python benchmarks/motion.py --compare OLD.json NEW.json

RECORDINGS holds recordings of stills with an ``expected.csv`` each. Each game is filmed in each
variant (``python -m tools.film``; docs/recording.md has them all) and replayed through the
whole pipeline. ``--films`` replays films that are there; folders that are no complete film are
passed over. With ``--work`` films and replays stay, with what each replay printed
(``document.json``), and a film that is complete there is used again, whatever hands it was made
with.

Found and due turns are aligned by their tiles and sides, so that a turn whose number an earlier
split or merge has put off is compared with its own. Reported are the measures that annotators of
broadcasts publish, and ours:

* right: turns with the right side, tiles, kind and score. scores: turns of which kind or score
  alone is wrong, as an earlier mistake does it. wrong: turns wrong in side, tiles or order, or not
  found, and found turns that belong to none that is due. A play in several turns is one such turn;
  of several plays in one turn each is one.
* silent: wrong turns that nobody is asked about: no open flag on them, none on another found turn
  with some of their tiles, none in the same misalignment that names one of their squares, and no
  open question about the game that does. It must be zero.
* matched, split, missed: the plays that one turn shows exactly; whose tiles are found, but in
  several turns, with others among them or with a wrong letter; the rest. Spurious: turns with tiles
  most of which belong to no play that is left.
* unaccounted: tiles in sight at the end that belong to no turn and to no open question. It must be
  zero. A checkout whose ``replay --json`` has no ``flags`` about the game counts too many.
* asked: turns with a flag that is open at the end of the game, and open questions about the game,
  for somebody to see to, and their share of the turns; the reasons follow. settled: turns whose
  flags were all settled by what was seen later, with nobody asked; their reasons follow in
  brackets. Neither a blank's letter, which no picture shows, nor a note (``board_covered``,
  ``not_pressed``) is counted.
* first: the first turn that is not right. board: the tiles that are right on the board in the end.

The last lines have each class of games: shares, the median and the range of the questions of a
game, and the processor time of a replay.

``--buttons without`` (or ``--no-buttons``) leaves the presses out: the turns are taken from the
board and the hands alone, and a pass or exchange that no turn follows is not due. ``--buttons
both`` measures each film in both ways.
``--checkout`` replays with the code of another checkout. ``--json`` writes each game as it is
measured; with ``--resume`` the games that it has are not measured again, and a file of other code
is refused. ``--compare`` sets two such files side by side, and prints each turn that differs.
``--sheets`` puts frames around the end of each wrong turn beside its replay, as ``wrong-N.png``.
Exit status 1 if an error was silent or a replay failed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
from common import replayed
from motion_report import by_class, compare, head, line, read, summary, variant_name
from motion_turns import Outcome, measured

from tests.table.sharedkit import without_buttons
from tools.film.hands import Hand, cut_hands
from tools.film.make import film
from tools.film.stills import load_stills
from tools.film.variants import ALL, parse_variant

HERE = Path(__file__).resolve().parents[1]
ROOMS = ("game", "vision", "models", "sensors", "record", "table")
"""The folders whose code replays a film."""


@dataclass(frozen=True)
class Film:
    """A film that is there, or how to make it, and in which ways it is measured."""

    path: Path
    game: str
    variant: str
    seed: int
    buttons: tuple[bool, ...]
    """True for with the presses, False for without them."""
    source: Path | None = None
    hands: Path | None = None
    turns: int | None = None

    def made(self) -> Path:
        """Return the folder of the film, and make it if it is not complete."""
        if not complete(self.path):
            assert self.source is not None
            stills, hands = load_stills(self.source, self.turns), _hands(self.hands)
            film(stills, self.path, parse_variant(self.variant), seed=self.seed, hands=hands)
        return self.path


@dataclass(frozen=True)
class Bench:
    """The place and the programs by which films are replayed."""

    work: Path
    checkout: Path
    commit: str
    sheets: bool


@cache
def _hands(folder: Path | None) -> Sequence[Hand]:
    return cut_hands(folder) if folder else ()


def complete(path: Path) -> bool:
    """True if a folder holds a film that was made to its end; its truth is written last."""
    truth = path / "truth.json"
    return (path / "buttons.csv").is_file() and truth.is_file() and truth.stat().st_size > 2


def unpressed(video: Path, out: Path) -> Path:
    """Make a view of a film without its presses: its frames are links."""
    shutil.rmtree(out, ignore_errors=True)
    (out / "frames").mkdir(parents=True)
    for frame in (video / "frames").iterdir():
        (out / "frames" / frame.name).symlink_to(frame.resolve())
    for name in ("recording.toml", "buttons.csv", "expected.csv", "truth.json"):
        shutil.copy(video / name, out)
    return without_buttons(out)


def measure(one: Film, bench: Bench) -> Iterator[Outcome]:
    """Yield the outcome of a film in each way."""
    video = one.made()
    for buttons in one.buttons:
        name = video.name if buttons else f"{video.name}-no-buttons"
        shown, out = bench.work / name, bench.work / f"{name}-out"
        if not buttons:
            unpressed(video, shown)
        elif not shown.exists():
            shown.symlink_to(video)
        began = resource.getrusage(resource.RUSAGE_CHILDREN)
        shutil.rmtree(out, ignore_errors=True)
        document = replayed(shown, out, bench.checkout)
        (out / "document.json").write_text(json.dumps(document), "utf-8")
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        outcome = Outcome(one.game, one.variant, one.seed, buttons, str(video), bench.commit)
        outcome.cpu_s = round(ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime, 2)
        yield measured(outcome, shown, document)
        if bench.sheets:
            for wrong in outcome.each:
                if wrong["turn"] is not None and wrong["verdict"] not in ("right", "score"):
                    sheet(video, out / f"wrong-{wrong['turn']}.png", wrong["t_ms"])


def attempt(one: Film, bench: Bench) -> tuple[list[Outcome], str]:
    """The outcomes of a film, and why there are no more of them, if so."""
    found: list[Outcome] = []
    try:
        found.extend(measure(one, bench))
    except subprocess.CalledProcessError as error:
        return found, f"{one.path}: {error.stderr.strip()[-2000:]}"
    return found, ""


def sheet(video: Path, out: Path, ended_ms: int | None) -> None:
    """Write frames around the end of a turn as one picture."""
    if ended_ms is None:
        return
    times = sorted(int(path.stem) for path in (video / "frames").glob("*.jpg"))
    near = [t for t in times if ended_ms - 2500 <= t <= ended_ms + 3500]
    tiles = []
    for at in np.linspace(0, len(near) - 1, min(15, len(near))).astype(int):
        image = cv2.imread(str(video / "frames" / f"{near[at]:09d}.jpg"))
        assert image is not None
        small = cv2.resize(image, None, fx=330 / image.shape[0], fy=330 / image.shape[0])
        cv2.putText(small, f"{near[at] - ended_ms:+d} ms", (4, 20), 0, 0.6, (0, 0, 255), 2)
        tiles.append(small)
    tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % 5)
    lines = [np.hstack(tiles[at : at + 5]) for at in range(0, len(tiles), 5)]
    cv2.imwrite(str(out), np.vstack(lines))


def commit_of(checkout: Path) -> str:
    """The newest commit of the code that replays, and a digest of what differs from it, if any."""

    def git(*words: str) -> bytes:
        command = ["git", "-C", str(checkout), *words, "--", *ROOMS]
        return subprocess.run(command, check=True, capture_output=True).stdout.strip()

    commit = git("log", "-1", "--format=%h").decode()
    differing = git("status", "--porcelain") + git("diff", "HEAD")
    return f"{commit}+{hashlib.sha256(differing).hexdigest()[:8]}" if differing else commit


def films_there(paths: Iterable[Path], buttons: tuple[bool, ...]) -> Iterator[Film]:
    """Yield the complete films among some folders."""
    for path in paths:
        if complete(path):
            truth = json.loads((path / "truth.json").read_text("utf-8"))
            name = variant_name(truth["variant"])
            yield Film(path.resolve(), truth["source"], name, truth["seed"], buttons)


def films_of(args: argparse.Namespace, work: Path, buttons: tuple[bool, ...]) -> Iterator[Film]:
    """Yield the films of recordings, which need not be made yet."""
    for folder in sorted(path.parent for path in args.recordings.glob("*/expected.csv")):
        if args.only not in (None, folder.name):
            continue
        for variant in args.variant or ALL:
            for seed in args.seed or [1]:
                short = "" if args.turns is None else f"-{args.turns}turns"
                path = work / f"{folder.name}-{variant}-{seed}{short}"
                yield Film(
                    *(path, folder.name, variant, seed, buttons), folder, args.hands, args.turns
                )


def left_over(films: Iterable[Film], known: Iterable[Outcome]) -> Iterator[Film]:
    """Yield the films that are to be measured yet, each in the ways that are left."""
    done = {(one.film, one.buttons) for one in known}
    for one in films:
        buttons = tuple(way for way in one.buttons if (str(one.path), way) not in done)
        if buttons:
            yield replace(one, buttons=buttons)


def attempts(films: Sequence[Film], bench: Bench, jobs: int) -> Iterator[tuple[list[Outcome], str]]:
    """Yield the outcomes of each film as they come."""
    if jobs == 1:
        yield from (attempt(one, bench) for one in films)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for done in as_completed([pool.submit(attempt, one, bench) for one in films]):
            yield done.result()


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recordings", type=Path, nargs="?")
    parser.add_argument("--films", type=Path, nargs="+", help="measure films that are there")
    parser.add_argument("--compare", type=Path, nargs=2, help="two files that --json wrote")
    parser.add_argument("--hands", type=Path, help="photographs to cut hands from; else drawn")
    parser.add_argument("--variant", action="append", help="names joined by +; else all")
    parser.add_argument("--only", help="the name of one recording")
    parser.add_argument("--turns", type=int, help="only the first turns of each game")
    parser.add_argument("--seed", type=int, action="append")
    parser.add_argument("--work", type=Path, help="where films and replays go, and stay")
    parser.add_argument("--json", type=Path, help="where to write all that was measured")
    parser.add_argument("--resume", action="store_true", help="go on with the file of --json")
    parser.add_argument("--jobs", type=int, default=1, help="how many films at once")
    parser.add_argument("--sheets", action="store_true", help="show the wrong turns")
    parser.add_argument("--buttons", choices=("with", "without", "both"), default="with")
    parser.add_argument("--no-buttons", dest="buttons", action="store_const", const="without")
    parser.add_argument("--checkout", type=Path, default=HERE, help="the code that replays")
    args = parser.parse_args()
    if sum(one is not None for one in (args.recordings, args.films, args.compare)) != 1:
        parser.error("give RECORDINGS, --films or --compare")
    return args


def main() -> int:
    """Print a line for each game and variant."""
    args = arguments()
    if args.compare:
        compare(*args.compare)
        return 0
    buttons = {"with": (True,), "without": (False,), "both": (True, False)}[args.buttons]
    checkout = args.checkout.resolve()
    commit = commit_of(checkout)
    outcomes = read(args.json) if args.resume and args.json and args.json.exists() else []
    others = {one.commit for one in outcomes} - {commit}
    if others:
        print(f"{args.json} is of {', '.join(sorted(others))}; {checkout} is at {commit}")
        return 2
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        work = (args.work or Path(scratch)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        found = films_there(args.films, buttons) if args.films else films_of(args, work, buttons)
        films = list(found)
        if not films:
            print(f"no film in {args.recordings or ' '.join(map(str, args.films))}")
            return 2
        bench = Bench(work, checkout, commit, args.sheets)
        print(head(), *map(line, outcomes), sep="\n", flush=True)
        for more, trouble in attempts(list(left_over(films, outcomes)), bench, args.jobs):
            outcomes += more
            print(*map(line, more), *[trouble][: bool(trouble)], sep="\n", flush=True)
            failed |= bool(trouble)
            if args.json:
                beside = args.json.with_name(f"{args.json.name}.part")
                beside.write_text(json.dumps([vars(one) for one in outcomes]), "utf-8")
                beside.replace(args.json)
    total = Outcome("all", "all", 0)
    for outcome in outcomes:
        total.add(outcome)
    print(line(total))
    for name, games in by_class(outcomes):
        print(summary(name, games))
    return 1 if total.silent or failed else 0


if __name__ == "__main__":
    sys.exit(main())
