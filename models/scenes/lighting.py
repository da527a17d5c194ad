"""Light on the finished geometry: lamps, shadows, reflections, and the camera's own faults."""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.scenes.spec import Float, Image, Light, Sensor
from models.scenes.view import View

COARSE: Final = 4
"""Light is worked out at a quarter of the picture's resolution."""


def field(light: Light, view: View, shape: tuple[int, int]) -> Float:
    """Return each pixel's illumination, float32 (H / 4, W / 4, 3)."""
    height, width = shape[0] // COARSE + 1, shape[1] // COARSE + 1
    v, u = np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j].astype(np.float32)
    angle = math.radians(light.gradient[1])
    slope = (u - 0.5) * math.cos(angle) + (v - 0.5) * math.sin(angle)
    level = 1 + light.gradient[0] * slope
    away = (u - 0.5) ** 2 + (v - 0.5) ** 2
    level = level * (1 - light.vignette * away * 2)
    out = level[..., None] * np.array(light.gain, np.float32)
    for x, y, radius, color in light.lamps:
        spot = np.exp(-((u - x) ** 2 + (v - y) ** 2) / (2 * radius**2))[..., None]
        out = out * (1 + spot * np.array(color, np.float32))
    scale = _scale(view)
    for shadow in light.shadows:
        mask = np.zeros((height, width), np.uint8)
        points = view.points(np.array(shadow.points, np.float64), 0.1) / COARSE
        if not np.isfinite(points).all() or np.abs(points).max() > 20000:
            continue
        cv2.fillPoly(mask, [np.round(points * 16).astype(np.int32)], 255, shift=4)
        soft = cv2.GaussianBlur(mask, (0, 0), max(0.4, shadow.softness * scale / COARSE))
        cover = soft[..., None].astype(np.float32) / 255
        dim = shadow.factor * np.array(shadow.tint, np.float32)
        out = out * (1 - cover + cover * dim)
    return np.asarray(out, np.float32)


def glare(light: Light, shape: tuple[int, int]) -> Float | None:
    """Reflected light, 0..1 of white, float32 (H / 4, W / 4), or None."""
    if not light.glares:
        return None
    height, width = shape[0] // COARSE + 1, shape[1] // COARSE + 1
    longer = max(height, width)
    out = np.zeros((height, width), np.float32)
    for spot in light.glares:
        page = np.zeros((height, width), np.uint8)
        centre = (spot.at[0] * width, spot.at[1] * height)
        size = (max(2.0, spot.size[0] * longer), max(2.0, spot.size[1] * longer))
        if spot.window:
            box = cv2.boxPoints((centre, size, spot.angle))
            cv2.fillPoly(page, [np.round(box * 16).astype(np.int32)], 255, shift=4)
        else:
            cv2.ellipse(page, (centre, size, spot.angle), 255, -1)
        soft = cv2.GaussianBlur(page, (0, 0), max(0.6, spot.softness * longer))
        out = np.maximum(out, soft.astype(np.float32) * (spot.strength / 255))
    return out


def _scale(view: View) -> float:
    ends = view.points(np.array([(7.0, 7.5), (8.0, 7.5)]))
    return float(np.linalg.norm(ends[1] - ends[0]))


def expose(
    image: Image,
    light: Float,
    shine: Float | None,
    sensor: Sensor,
    rng: np.random.Generator,
) -> Image:
    """Return the camera's picture, after light, blur, noise, tone and JPEG: uint8 (H, W, 3) BGR."""
    height, width = image.shape[:2]
    full = cv2.resize(light, (width, height), interpolation=cv2.INTER_LINEAR)
    picture = np.asarray(cv2.multiply(image, full, dtype=cv2.CV_32F), np.float32)
    if shine is not None:
        wide = cv2.resize(shine, (width, height), interpolation=cv2.INTER_LINEAR)
        picture += (wide * np.float32(255))[..., None]
    if sensor.saturation != 1.0:
        grey = np.array([0.114, 0.587, 0.299], np.float32)
        mix = sensor.saturation * np.eye(3, dtype=np.float32) + (1 - sensor.saturation) * grey
        picture = _f(cv2.transform(picture, mix))
    if sensor.motion[0] > 1:
        smear = _smear(*sensor.motion)
        picture = _f(cv2.filter2D(picture, -1, smear, borderType=cv2.BORDER_REFLECT))
    if sensor.blur > 0.25:
        picture = _f(cv2.GaussianBlur(picture, (0, 0), sensor.blur))
    if sensor.sharpen > 0:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.2)
        picture = _f(cv2.addWeighted(picture, 1 + sensor.sharpen, soft, -sensor.sharpen, 0))
    if sensor.noise > 0:
        cv2.add(picture, _noise(sensor, rng, height, width), dst=picture)
    out = cv2.convertScaleAbs(np.maximum(picture, 0, out=picture))
    out = cv2.LUT(out, _tone(sensor))
    if sensor.jpeg < 100:
        _, code = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, sensor.jpeg])
        return np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8)
    return np.asarray(out, np.uint8)


def _f(picture: object) -> Float:
    return np.asarray(picture, np.float32)


def _noise(sensor: Sensor, rng: np.random.Generator, height: int, width: int) -> Float:
    down, across = 288, 352
    grain = rng.standard_normal((down, across, 1), np.float32) * np.float32(sensor.noise)
    tint = rng.standard_normal((down // 2, across // 2, 3), np.float32)
    color = cv2.resize(tint * np.float32(sensor.noise * sensor.chroma_noise), (across, down))
    block = color + grain
    turns = (-(-height // down), -(-width // across), 1)
    return np.ascontiguousarray(np.tile(block, turns)[:height, :width])


def _smear(length: float, angle: float) -> Float:
    side = int(length) // 2 * 2 + 3
    half = length / 2
    dx, dy = math.cos(math.radians(angle)) * half, math.sin(math.radians(angle)) * half
    middle = side // 2
    ends = [
        (round((middle - dx) * 16), round((middle - dy) * 16)),
        (round((middle + dx) * 16), round((middle + dy) * 16)),
    ]
    page = np.zeros((side, side), np.uint8)
    cv2.line(page, ends[0], ends[1], 255, 1, cv2.LINE_AA, shift=4)
    kernel = page.astype(np.float32)
    return np.asarray(kernel / kernel.sum(), np.float32)


def _tone(sensor: Sensor) -> NDArray[np.uint8]:
    level = np.arange(256, dtype=np.float32) / 255
    level = np.power(level, sensor.gamma)
    level = (level - 0.5) * sensor.contrast + 0.5
    return (level.clip(0, 1) * 255).round().astype(np.uint8)
