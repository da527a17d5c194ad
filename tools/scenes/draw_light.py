"""Random light and random camera faults."""

from __future__ import annotations

import math

import numpy as np

from models.scenes.spec import Color, Glare, Light, Rng, Sensor, Shadow


def _warmth(rng: Rng, spread: float) -> Color:
    """A BGR multiplier from tungsten to sky, a little green or magenta."""
    warm = float(rng.normal(0, spread))
    tint = float(rng.normal(0, spread * 0.3))
    return (math.exp(-warm), math.exp(tint), math.exp(warm))


def random_shadow(rng: Rng) -> Shadow:
    """A straight-edged shadow over part of the board, or a person's blob."""
    x, y = rng.uniform(0, 15, 2)
    angle = rng.uniform(0, 2 * math.pi)
    if rng.random() < 0.5:
        a = np.array([math.cos(angle), math.sin(angle)])
        b = np.array([-a[1], a[0]])
        near, far = rng.uniform(0, 3), rng.uniform(8, 40)
        corners = [(-40, near), (40, near + rng.uniform(-6, 6)), (40, far), (-40, far)]
        points = [tuple(np.array([x, y]) + u * a + v * b) for u, v in corners]
    else:
        count = int(rng.integers(4, 9))
        turns = np.sort(rng.uniform(0, 2 * math.pi, count))
        reach = rng.uniform(1.5, 7, count)
        points = [
            (x + r * math.cos(t), y + r * math.sin(t)) for r, t in zip(reach, turns, strict=True)
        ]
    bright = rng.random() < 0.2  # a patch of sun
    factor = rng.uniform(1.3, 2.2) if bright else rng.uniform(0.3, 0.8)
    cool = float(rng.uniform(0, 0.15)) * (-1 if bright else 1)
    return Shadow(
        points=tuple((float(p[0]), float(p[1])) for p in points),
        factor=float(factor),
        softness=float(np.exp(rng.uniform(math.log(0.02), math.log(1.5)))),
        tint=(1 + cool, 1.0, 1 - cool),
    )


def _glare(rng: Rng) -> Glare:
    window = bool(rng.random() < 0.4)
    long = float(rng.uniform(0.02, 0.25))
    return Glare(
        at=(float(rng.uniform(0.1, 0.9)), float(rng.uniform(0.1, 0.9))),
        size=(long, long * float(rng.uniform(0.3, 1))),
        angle=float(rng.uniform(0, 180)),
        strength=float(rng.uniform(0.08, 0.5) if rng.random() < 0.75 else rng.uniform(0.5, 1.1)),
        softness=float(rng.uniform(0.002, 0.06)),
        window=window,
    )


def random_light(rng: Rng) -> Light:
    """Light of any kind, from studio-even to a dim lamp behind someone's back."""
    level = float(np.clip(np.exp(rng.normal(-0.08, 0.25)), 0.4, 1.6))
    if rng.random() < 0.12:
        level *= float(rng.uniform(0.3, 0.7))
    gain = _warmth(rng, 0.1 if rng.random() < 0.75 else 0.28)
    turn = rng.uniform(0, 2 * math.pi)
    throw = float(rng.uniform(0, 1.5))
    count = int(rng.choice([0, 1, 2], p=(0.6, 0.3, 0.1)))
    shadows = tuple(random_shadow(rng) for _ in range(count))
    glares = tuple(_glare(rng) for _ in range(int(rng.choice([0, 1, 3], p=(0.65, 0.22, 0.13)))))
    lamps = tuple(
        (
            float(rng.uniform(-0.1, 1.1)),
            float(rng.uniform(-0.1, 1.1)),
            float(rng.uniform(0.15, 0.6)),
            tuple(float(rng.uniform(0.05, 0.5)) * g for g in _warmth(rng, 0.1)),
        )
        for _ in range(int(rng.integers(0, 3)))
    )
    return Light(
        gain=(gain[0] * level, gain[1] * level, gain[2] * level),
        gradient=(float(abs(rng.normal(0, 0.25))), float(rng.uniform(0, 360))),
        lamps=lamps,  # type: ignore[arg-type]
        shadows=shadows,
        glares=glares,
        vignette=float(rng.uniform(0, 0.5)) if rng.random() < 0.4 else 0.0,
        direction=(throw * math.cos(turn), throw * math.sin(turn)),
        cast=float(rng.uniform(0.0, 0.6)),
        cast_softness=float(rng.uniform(0.02, 0.2)),
        sheen=float(rng.uniform(0, 0.25)) if rng.random() < 0.3 else 0.0,
        metering=float(rng.uniform(0.6, 1.0)),
    )


def random_sensor(rng: Rng, scale: float) -> Sensor:
    """A camera's faults, for pictures with ``scale`` pixels a square."""
    blur = float(abs(rng.normal(0, 0.02)) + 0.006) * scale
    if rng.random() < 0.1:
        blur += float(rng.uniform(0.02, 0.06)) * scale
    motion = float(rng.uniform(0.03, 0.14)) * scale if rng.random() < 0.12 else 0.0
    return Sensor(
        blur=min(blur, 0.09 * scale),
        motion=(motion, float(rng.uniform(0, 180))),
        noise=float(np.exp(rng.uniform(math.log(0.7), math.log(9)))),
        chroma_noise=float(rng.uniform(0, 1)),
        jpeg=int(rng.integers(28, 98)),
        sharpen=float(rng.uniform(0.2, 1.2)) if rng.random() < 0.35 else 0.0,
        contrast=float(np.clip(rng.normal(1.05, 0.15), 0.7, 1.5)),
        saturation=float(np.clip(rng.normal(1.0, 0.25), 0.0, 1.7)),
        gamma=float(np.clip(rng.normal(1.0, 0.15), 0.65, 1.5)),
    )
