"""The classifier's model card: how it was made, and what it gets right on unseen scenes."""

from __future__ import annotations

import colorsys
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.scenes.spec import SceneSpec
from tools.scenes.system_faces import PACKAGES, is_held_out, system_faces
from tools.train.crops import CropSet, draw_spec
from vision.labels import CLASS_NAMES, LETTERS, PRIOR, STATES, state_index

Floats = NDArray[np.float64]
Labels = NDArray[np.int16]


def group(labels: Labels) -> NDArray[np.intp]:
    """0 for letters, then 1.. for each of ``STATES``."""
    first = 4 * len(LETTERS)
    return np.where(labels < first, 0, labels - first + 1).astype(np.intp)


def prior_of_groups() -> Floats:
    """The prior of letters and of each of ``STATES``, summing to 1."""
    known = [PRIOR.get(name, 0.0) for name in ("letter", *STATES)]
    known[1 + STATES.index("unreadable")] = 1 - sum(known)
    return np.array(known)


def prior_shift(labels: Labels) -> Floats:
    """Offsets of the logits that replace the labels' shares by :data:`PRIOR`."""
    share = np.bincount(group(labels), minlength=1 + len(STATES)) / len(labels)
    shift = np.log(prior_of_groups() / np.maximum(share, 1e-6))
    return shift[group(np.arange(len(CLASS_NAMES), dtype=np.int16))]


def prior_weights(labels: Labels) -> Floats:
    """Weights that make a set of crops as likely as a board's squares, mean 1."""
    groups = group(labels)
    share = np.bincount(groups, minlength=1 + len(STATES)) / len(labels)
    weight = (prior_of_groups() / np.maximum(share, 1e-6))[groups]
    return np.asarray(weight / weight.mean(), np.float64)


def same_to_the_eye(predicted: Labels, truth: Labels) -> NDArray[np.bool_]:
    """Return True where the symbol is right; a letter's direction may differ."""
    return np.asarray(_symbols(predicted) == _symbols(truth), np.bool_)


def _symbols(labels: Labels) -> NDArray[np.intp]:
    first = 4 * len(LETTERS)
    return np.where(labels < first, labels // 4, labels - first + len(LETTERS)).astype(np.intp)


def reliability(sure: Floats, right: NDArray[np.bool_], weight: Floats) -> list[tuple[float, ...]]:
    """Rows of (lower edge, share of squares, mean confidence, share right)."""
    edges = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0001)
    out: list[tuple[float, ...]] = []
    for low, high in pairwise(edges):
        mine = (sure >= low) & (sure < high)
        total = float(weight[mine].sum())
        if total > 0:
            mean = float((sure * weight)[mine].sum() / total)
            good = float((right * weight)[mine].sum() / total)
            out.append((low, total / float(weight.sum()), mean, good))
    return out


def plot(rows: list[tuple[float, ...]]) -> NDArray[np.uint8]:
    """A reliability plot, uint8 (420, 420, 3) BGR: confidence across, share right upwards."""
    page = np.full((420, 420, 3), 255, np.uint8)

    def at(x: float, y: float) -> tuple[int, int]:
        return round(50 + 340 * x), round(370 - 340 * y)

    for k in range(11):
        cv2.line(page, at(k / 10, 0), at(k / 10, 1), (232, 232, 232), 1)
        cv2.line(page, at(0, k / 10), at(1, k / 10), (232, 232, 232), 1)
        if k % 2 == 0:
            style = (cv2.FONT_HERSHEY_SIMPLEX, 0.4, (80, 80, 80), 1, cv2.LINE_AA)
            cv2.putText(page, f"{k / 10:.1f}", (at(k / 10, 0)[0] - 10, 388), *style)
            cv2.putText(page, f"{k / 10:.1f}", (20, at(0, k / 10)[1] + 4), *style)
    cv2.line(page, at(0, 0), at(1, 1), (160, 160, 160), 1, cv2.LINE_AA)
    points = [at(mean, good) for _, _, mean, good in rows]
    for start, end in pairwise(points):
        cv2.line(page, start, end, (160, 90, 20), 2, cv2.LINE_AA)
    for (_, share, _, _), point in zip(rows, points, strict=True):
        cv2.circle(page, point, 3 + round(6 * share**0.3), (160, 90, 20), -1, cv2.LINE_AA)
    style = (cv2.FONT_HERSHEY_SIMPLEX, 0.45, (40, 40, 40), 1, cv2.LINE_AA)
    cv2.putText(page, "confidence", (190, 410), *style)
    cv2.putText(page, "share right", (50, 20), *style)
    return page


def _light(spec: SceneSpec) -> str:
    blue, _, red = spec.light.gain
    if any(spot.strength > 0.5 for spot in spec.light.glares):
        return "strong glare"
    if spec.light.shadows:
        return "shadows"
    if red / blue > 1.3:
        return "warm"
    return "cold" if blue / red > 1.3 else "plain"


def _tilt(spec: SceneSpec) -> str:
    low = int(spec.camera.tilt // 15) * 15
    return f"{low}–{low + 15}°"


def _pixels(spec: SceneSpec) -> str:
    return (
        "under 30" if spec.camera.scale < 30 else "30–45" if spec.camera.scale < 45 else "over 45"
    )


def _set_color(spec: SceneSpec) -> str:
    blue, green, red = (c / 255 for c in spec.tiles.surface.color)
    hue, saturation, value = colorsys.rgb_to_hsv(red, green, blue)
    if value < 0.25:
        return "black"
    if saturation < 0.2:
        return "white or grey"
    if spec.tiles.surface.texture == "wood":
        return "wood"
    names = ("red", "orange", "yellow", "green", "green", "cyan", "blue", "blue", "violet", "pink")
    tone = "dark " if value < 0.55 else ""
    return tone + names[int(hue * 10) % 10]


_VIEWS: Final[dict[str, Callable[[SceneSpec], str]]] = {
    "set": _set_color,
    "light": _light,
    "camera's tilt": _tilt,
    "pixels a square": _pixels,
    "letters' face": lambda s: "held out" if is_held_out(s.tiles.face) else "known",
}


def write(
    path: Path, probabilities: NDArray[np.float32], held: CropSet, facts: dict[str, Any]
) -> None:
    """Write the card, and its plot next to it."""
    predicted = probabilities.argmax(axis=1).astype(np.int16)
    right = same_to_the_eye(predicted, held.labels)
    turn_right = predicted == held.labels
    sure = probabilities.max(axis=1).astype(np.float64)
    weight = prior_weights(held.labels)
    letters = held.labels < 4 * len(LETTERS)
    specs = {int(seed): draw_spec(int(seed), validation=True)[1] for seed in np.unique(held.seeds)}
    rows = reliability(sure, right, weight)
    cv2.imwrite(str(path.with_name("reliability.png")), plot(rows))
    counts: dict[str, object] = {"classes": len(CLASS_NAMES), "letters": len(LETTERS)}
    rounds = _ROUNDS["later" if facts["started"] else "first"]
    counts |= {name: words.format(**facts) for name, words in rounds.items()}
    text = [_INTRO.format(**facts, **counts, fonts=" ".join(PACKAGES), faces=_faces())]
    text.append(
        f"\n{len(held.labels)} crops of {len(specs)} scenes, none used in training or for"
        f" calibration, half of them lettered in faces that training never saw.\n"
        f"\n| | crops | right |\n|---|---|---|\n"
        f"| letters | {letters.sum()} | {_p(right[letters])} |\n"
        f"| letters and their quarter turn, one crop alone | {letters.sum()} |"
        f" {_p(turn_right[letters])} |\n"
    )
    for state in STATES:
        mine = held.labels == state_index(state)
        text.append(f"| {state} | {mine.sum()} | {_p(right[mine])} |\n")
    for title, key in _VIEWS.items():
        text.append(f"\n### Letters by {title}\n| {title} | crops | right |\n|---|---|---|\n")
        names = np.array([key(specs[int(seed)]) for seed in held.seeds])
        for name in sorted(set(names)):
            mine = letters & (names == name)
            if mine.any():
                text.append(f"| {name} | {mine.sum()} | {_p(right[mine])} |\n")
    text.append("\n### By letter\n| letter | crops | right | taken for |\n|---|---|---|---|\n")
    for index, letter in enumerate(LETTERS):
        mine = letters & (held.labels // 4 == index)
        wrong = Counter(_name(int(p)) for p in predicted[mine & ~right]).most_common(3)
        taken = ", ".join(f"{name} {count}" for name, count in wrong)
        text.append(f"| {letter} | {mine.sum()} | {_p(right[mine])} | {taken} |\n")
    text.append(
        "\n### Calibration\nWeighted to the squares of a board in play (see above).\n\n"
        "| confidence from | share of squares | mean confidence | right |\n|---|---|---|---|\n"
    )
    for low, share, mean, good in rows:
        text.append(f"| {low:g} | {share:.2%} | {mean:.2%} | {good:.2%} |\n")
    text.append("\n![reliability](reliability.png)\n")
    path.write_text("".join(text), encoding="utf-8")


def _name(label: int) -> str:
    return CLASS_NAMES[label].split("@")[0]


def _p(right: NDArray[np.bool_]) -> str:
    return f"{right.mean():.2%}" if len(right) else "–"


def _faces() -> str:
    kinds = {kind: [Path(p).stem for p in paths] for kind, paths in system_faces().items()}
    return "\n".join(f"- {kind}: {', '.join(stems)}" for kind, stems in kinds.items() if stems)


_ROUNDS: Final = {
    "first": {
        "options": "--epochs {epochs}",
        "rounds": "from nothing, in a long round\nand a shorter one at a quarter of its rate",
    },
    "later": {
        "options": "--start DIR",
        "rounds": "on from an earlier training's\nweights, at a quarter of its rate",
    },
}

_INTRO: Final = """# The tile classifier
`tiles.onnx`: in, one 64×64 crop of a square (the square and a quarter of its neighbours on each
side); out, one probability for each of {classes} classes: {letters} letters in four quarter
turns, blank, empty, facedown, unreadable. Input uint8 (N, 64, 64, 3), BGR. The class names are
in the file's metadata. Licence AGPL-3.0-or-later.

## How it was made
`python -m tools.train tiles --seed {seed} --scenes {scenes} {options} --again {again}`:
{crops} crops of {scenes} tables that our own renderer drew (`models/scenes`), cut by the
rectifier that also serves, their corners off by what a locator leaves; an Ultralytics YOLO
classification network of plain convolutions (`tools/train/tiles.yaml`), trained by its trainer
{rounds}; its convolutions then made 8-bit; a temperature of {temperature:.3f}, fitted on
scenes never trained on, baked in. No photograph was used for training or for calibration. It took
{minutes:.0f} minutes on shared CPU cores. The three files that it leaves (`tiles.onnx`,
`MODEL_CARD.md`, `reliability.png`) are copied into `models/weights`.

The probabilities assume the squares of a board in play: 59% empty, 38.5% letters, 0.8% blanks,
0.2% face down, 1.5% unreadable.

Letters come from our own stroke face (`models/scenes/strokes.py`, any weight and width) and from
these TrueType faces, where the system has them (`apt install {fonts}`):
{faces}

## What it gets right on drawn scenes
"""
