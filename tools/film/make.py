"""Write a recording in motion with its truth."""

from __future__ import annotations

import csv
import json
import random
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import Square
from tools.film.choreography import Choreography, Inserted, TurnRecord
from tools.film.hands import Hand, cut_hands, drawn_hand
from tools.film.stage import Stage
from tools.film.stills import Stills, load_stills, moved_on
from tools.film.variants import MotionError, Variant, described
from vision.rectify import Image


def make_motion(
    source: Path,
    out: Path,
    variant: Variant,
    *,
    seed: int = 1,
    hands: Path | None = None,
    turns: int | None = None,
) -> Path:
    """Make a recording in motion from the recording of stills in ``source``.

    Args:
        source: the recording of stills.
        out: the folder to write; it must not exist yet, or hold a recording in motion.
        variant: what happens.
        seed: of everything that is left to chance.
        hands: a folder of photographs to cut hands from; without it hands are drawn.
        turns: how many pictures to use; all if None.

    Returns:
        ``out``, with ``recording.toml``, ``frames/``, ``buttons.csv``, ``truth.json`` and, where
        the source has one, ``expected.csv``.

    Raises:
        TilewatchError: the source or the hands can't be used, or ``out`` is something else.
    """
    cut = cut_hands(hands) if hands else ()
    return film(load_stills(source, turns), out, variant, seed=seed, hands=cut)


def film(
    stills: Stills, out: Path, variant: Variant, *, seed: int = 1, hands: Sequence[Hand] = ()
) -> Path:
    """Make a recording in motion as :func:`make_motion`, from stills and hands that are loaded."""
    _fresh(out)
    rng = random.Random(seed)
    shown = list(hands) or [drawn_hand(rng) for _ in range(4)]
    stage = Stage(stills.grid, stills.empty, variant, rng, out)
    if variant.clutter:
        stage.clutter = _clutter_on(stills, rng)
    choreography = Choreography(stills, stage, shown, rng)
    choreography.play()
    _write(stills, choreography, stage, out, seed)
    return out


def _fresh(out: Path) -> None:
    if out.exists() and any(out.iterdir()) and not (out / "truth.json").is_file():
        raise MotionError(f"{out}: is no recording in motion; name a new folder")
    shutil.rmtree(out, ignore_errors=True)
    (out / "frames").mkdir(parents=True)
    (out / "truth.json").write_text("{}")  # what is begun here may be begun anew


def _write(stills: Stills, played: Choreography, stage: Stage, out: Path, seed: int) -> None:
    source = stills.recording.path
    lines = (source / "recording.toml").read_text("utf-8").splitlines()
    kept = [line for line in lines if not line.startswith(("stills", "corners"))]
    (out / "recording.toml").write_text("\n".join(["stills = false", *kept]) + "\n", "utf-8")
    with (out / "buttons.csv").open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle, lineterminator="\n").writerows([("t_ms", "button"), *played.presses])
    if (source / "expected.csv").is_file():
        write_expected(source / "expected.csv", out / "expected.csv", played.turns)
    truth = {
        "source": source.name,
        "variant": described(stage.variant),
        "seed": seed,
        "corners": np.round(stills.grid.corners, 1).tolist(),
        "presses": [{"t_ms": t_ms, "button": button} for t_ms, button in played.presses],
        "turns": [
            {
                "number": number,
                "side": turn.side,
                "press_ms": turn.press_ms,
                "placed_ms": turn.placed_ms,
                "removed_ms": turn.removed_ms,
                "elsewhere": turn.elsewhere,
                "after_press_ms": turn.after_press_ms,
                "covered_at_press": turn.covered_at_press,
                "first_clear_ms": _first_clear(turn.placed_ms, stage),
                "notes": turn.notes,
            }
            for number, turn in enumerate(played.turns, start=1)
        ],
        "frames": stage.frames,
    }
    (out / "truth.json").write_text(json.dumps(truth), "utf-8")


def write_expected(source: Path, out: Path, turns: Sequence[TurnRecord]) -> None:
    """Write what is expected of each turn, by the source's rows and the turns that were put in."""
    with source.open(encoding="utf-8", newline="") as handle:
        reader = csv.DictReader(handle)
        names, rows = reader.fieldnames or (), list(reader)
    with out.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, names, lineterminator="\n")
        writer.writeheader()
        totals: dict[str, str] = {}
        for number, turn in enumerate(turns, start=1):
            row = rows[turn.still] | {"turn": str(number)}
            if turn.kind is not None:
                scored, total = row["total"], totals.get(turn.side, "0")
                row |= {"side": turn.side, "kind": turn.kind, "score": "0"}
                row |= {"total": total if scored else "", **_played(row, turn.kind)}
            totals[turn.side] = row["total"]
            if turn.at_press:  # the source tells no points of a part of its play
                placed = " ".join(f"{at}={tile}" for at, tile in turn.at_press.items())
                row |= {"position": placed, "word": "", "score": "", "total": ""}
            writer.writerow(row)


def _played(row: Mapping[str, str], kind: Inserted) -> dict[str, str]:
    """Return position and word of a turn that was put in before the play of a row."""
    if kind == "exchange_or_pass":
        return {"position": "", "word": ""}
    if "=" not in row["position"]:
        letters = [letter for letter in row["word"] if letter != "."]
        moved = iter(letters[-1:] + letters)
        return {"word": "".join(one if one == "." else next(moved) for one in row["word"])}
    tiles = {
        Square.parse(at): tile
        for at, _, tile in (one.partition("=") for one in row["position"].split())
    }
    moved_tiles = {to: tiles[at] for at, to in moved_on(tiles).items()}
    return {"position": " ".join(f"{at.name}={moved_tiles[at]}" for at in tiles)}


def _first_clear(placed_ms: dict[str, int], stage: Stage) -> dict[str, int | None]:
    """Return when each tile was first in plain sight, in milliseconds."""
    frames = [frame for frame in stage.frames if "covered" in frame]
    found: dict[str, int | None] = {}
    for name, t_ms in placed_ms.items():
        square = Square.parse(name)
        index = 15 * square.row + square.col
        clear = (
            frame["t_ms"]
            for frame in frames
            if frame["t_ms"] > t_ms and index not in frame["covered"]
        )
        found[name] = next(clear, None)
    return found


def _clutter_on(stills: Stills, rng: random.Random) -> list[tuple[Image, NDArray[np.uint8]]]:
    """Return a bag at one rim of the board and a score sheet at another, with their masks.

    They reach a little over the outermost squares, where no tile comes to be if that can be.
    """
    grid = stills.grid
    width, height = grid.size
    used = {square for still in stills.stills for square in still.placed}
    things = []
    for kind, x, column, reach in (("bag", -1.0, 0, 3), ("sheet", 15.6, 14, 5)):
        rows = [square.row for square in used if square.col == column]
        spots = [(sum(abs(row + 0.5 - y) < reach for row in rows), y) for y in _ys(rng)]
        y = min(spots)[1]
        mask = np.zeros((height, width), np.uint8)
        image = np.zeros((height, width, 3), np.uint8)
        outline = _outline(kind, x, y, rng)
        points = np.round([grid.point(*one) for one in outline]).astype(np.int32)
        _fill(image, mask, points, kind, rng)
        things.append((image, mask))
    return things


def _ys(rng: random.Random) -> list[float]:
    return [rng.uniform(2, 12) for _ in range(20)]


def _outline(kind: str, x: float, y: float, rng: random.Random) -> NDArray[np.float64]:
    if kind == "sheet":
        corners = np.array([[0, -4], [6, -4], [6, 5], [0, 5]], float)
        tilt = rng.uniform(-0.07, 0.07)
        turn = np.array([[np.cos(tilt), -np.sin(tilt)], [np.sin(tilt), np.cos(tilt)]])
        return np.asarray(corners @ turn.T + [x - 0.5, y])
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    radii = np.array([1.6 + rng.uniform(-0.25, 0.25) for _ in angles])
    return np.column_stack([x + radii * np.cos(angles), y + 1.3 * radii * np.sin(angles)])


def _fill(
    image: Image, mask: NDArray[np.uint8], points: NDArray[np.int32], kind: str, rng: random.Random
) -> None:
    cv2.fillPoly(mask, [points], 255, cv2.LINE_AA)
    colour = (225, 232, 235) if kind == "sheet" else (rng.randrange(150), 40, rng.randrange(150))
    noise = np.random.default_rng(rng.randrange(1 << 30)).normal(0, 7, image.shape[:2])
    smooth = cv2.GaussianBlur(noise, (0, 0), 3)[..., None] * 4
    image[:] = np.clip(np.array(colour) + smooth, 0, 255).astype(np.uint8)
    if kind == "sheet":
        low, high = points.min(axis=0), points.max(axis=0)
        for y in range(int(low[1]) + 12, int(high[1]), 14):
            cv2.line(image, (int(low[0]), y), (int(high[0]), y), (120, 120, 120), 1)
