"""Colours and surfaces, made from noise alone. All images are BGR float32 in 0..255."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.float32]
Colour = npt.NDArray[np.float32]

FONTS = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
)


def f32(values: npt.ArrayLike) -> Image:
    """The values as float32."""
    return np.asarray(values, np.float32)


def hsv(hue: float, saturation: float, value: float) -> Colour:
    """One BGR colour of 0..255 from hue in turns (any number), saturation and value in 0..1."""
    pixel = np.array(
        [[[(hue % 1.0) * 360.0, np.clip(saturation, 0, 1), np.clip(value, 0, 1)]]], np.float32
    )
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0] * 255.0, np.float32)


def any_colour(rng: np.random.Generator) -> Colour:
    """A colour as things on tables have it: often grey or dull, sometimes loud."""
    saturation = rng.choice([0.05, 0.25, 0.55, 0.85]) + rng.uniform(-0.05, 0.15)
    return hsv(rng.uniform(), saturation, rng.uniform(0.05, 1.0))


def near(rng: np.random.Generator, colour: Colour, spread: float) -> Colour:
    """A colour close to the given one; spread is the standard deviation of 0..255."""
    return np.clip(colour + rng.normal(0, spread) + rng.normal(0, spread / 2, 3), 0, 255).astype(
        np.float32
    )


def noise(rng: np.random.Generator, height: int, width: int, cell: tuple[float, float]) -> Image:
    """Smooth noise of unit spread, (height, width); cell is its grain (down, right) in pixels."""
    rows = max(2, int(height / max(cell[0], 1.0)) + 1)
    cols = max(2, int(width / max(cell[1], 1.0)) + 1)
    small = rng.standard_normal((rows, cols), np.float32)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC), np.float32)


def surface(rng: np.random.Generator, height: int, width: int, unit: float) -> Image:
    """A table top, floor or cloth, (height, width, 3). unit is one square's width in pixels."""
    base = any_colour(rng)
    kind = rng.choice(
        ["plain", "wood", "planks", "carpet", "weave", "marble", "stripes", "checks", "terrazzo"],
        p=[0.2, 0.2, 0.12, 0.15, 0.08, 0.08, 0.06, 0.06, 0.05],
    )
    out: Image = np.full((height, width, 3), base, np.float32)
    if kind in ("wood", "planks"):
        if rng.uniform() < 0.8:
            base = hsv(rng.uniform(0.03, 0.12), rng.uniform(0.2, 0.8), rng.uniform(0.15, 0.95))
        grain = noise(rng, height, width, (unit * rng.uniform(0.05, 0.3), unit * 8))
        grain += noise(rng, height, width, (unit * rng.uniform(0.5, 2), unit * 20))
        out = (base + (grain * rng.uniform(3, 14))[..., None]).astype(np.float32)
        if kind == "planks":
            step = unit * rng.uniform(2, 9)
            for k, y in enumerate(np.arange(0, height, step)):
                stop = int(y + step)
                out[int(y) : stop] += rng.normal(0, 10) if k % 1 == 0 else 0
                out[int(y) : int(y) + max(1, int(unit * 0.08))] *= rng.uniform(0.3, 0.9)
    elif kind == "carpet":
        out = out + rng.standard_normal((height, width, 1), np.float32) * rng.uniform(5, 25)
        out += (noise(rng, height, width, (unit, unit)) * rng.uniform(1, 8))[..., None]
    elif kind == "weave":
        period = unit * rng.uniform(0.15, 0.8)
        ys, xs = np.mgrid[:height, :width].astype(np.float32)
        wave = np.sin(xs * 2 * np.pi / period) * np.sin(ys * 2 * np.pi / period)
        out = out + (wave * rng.uniform(4, 20))[..., None]
    elif kind == "marble":
        veins = np.abs(noise(rng, height, width, (unit * 3, unit * 3)))
        other = any_colour(rng)
        mix = np.clip(1 - veins * rng.uniform(1, 4), 0, 1)[..., None]
        out = f32(out * (1 - mix) + other * mix)
    elif kind in ("stripes", "checks"):
        period = unit * rng.uniform(0.6, 5)
        ys, xs = np.mgrid[:height, :width].astype(np.float32)
        mask = (xs // period) % 2
        if kind == "checks":
            mask = (mask + (ys // period)) % 2
        other = any_colour(rng) if rng.uniform() < 0.6 else near(rng, base, 25)
        out = out * (1 - mask[..., None]) + other * mask[..., None]
    elif kind == "terrazzo":
        for _ in range(int(rng.integers(50, 200))):
            centre = (int(rng.uniform(0, width)), int(rng.uniform(0, height)))
            cv2.circle(
                out,
                centre,
                max(1, int(unit * rng.uniform(0.1, 0.6))),
                near(rng, base, 40).tolist(),
                -1,
            )
    shade = noise(rng, height, width, (height / 2, width / 2)) * rng.uniform(0, 10)
    return np.ascontiguousarray(np.clip(out + shade[..., None], 0, 255), np.float32)


def write(
    image: Image,
    text: str,
    origin: tuple[int, int],
    font: int,
    size: float,
    colour: Colour,
    thickness: int,
) -> None:
    """Write text in place; origin is its lower left corner in pixels; putText wants uint8."""
    (wide, tall), base = cv2.getTextSize(text, font, size, thickness)
    pad = thickness + 2
    x0, y0 = max(0, origin[0] - pad), max(0, origin[1] - tall - pad)
    x1 = min(image.shape[1], origin[0] + wide + pad)
    y1 = min(image.shape[0], origin[1] + base + pad)
    if x1 <= x0 or y1 <= y0:
        return
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.putText(
        mask, text, (origin[0] - x0, origin[1] - y0), font, size, 255.0, thickness, cv2.LINE_AA
    )
    window = image[y0:y1, x0:x1]
    window += (colour - window) * (mask.astype(np.float32) / 255)[..., None]
