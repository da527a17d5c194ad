"""What tests of the set-up share: a drawn table in a folder that stands for a camera."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from game.tileset import load_tile_set
from models.scenes.render import Renderer
from simulation.appearance import look

EMPTY = ("." * 15,) * 15


def draw_still(path: Path, rows: Sequence[str] = EMPTY, *, light: float = 1.0) -> None:
    """Write a picture of a simulated table with these tiles on its board."""
    spec = look(8, load_tile_set("english"))
    image = Renderer(spec).frame(rows, np.random.default_rng(1)).image
    image = cv2.resize(image, None, fx=1.25, fy=1.25, interpolation=cv2.INTER_CUBIC)
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), np.clip(image * light, 0, 255).astype(np.uint8))


class Typist:
    """Somebody who types these lines, each at a prompt that contains a text."""

    def __init__(self, *lines: tuple[str, str]) -> None:
        self._lines = list(lines)
        self.prompts: list[str] = []

    def read(self, prompt: str) -> str:
        """Return the line for the prompt; Enter where there is none for it."""
        self.prompts.append(prompt)
        assert len(self.prompts) < 40, f"asked again and again: {prompt}"
        if self._lines and self._lines[0][0] in prompt:
            return self._lines.pop(0)[1] + "\n"
        return "\n"

    @property
    def left(self) -> list[tuple[str, str]]:
        """The lines that nobody asked for yet."""
        return self._lines
