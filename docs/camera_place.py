"""The places of a camera and its lamps, computed for a 33×35 cm board."""

from __future__ import annotations

import math
from dataclasses import dataclass

BOARD_CM = (33.0, 35.0)
SQUARE_CM = 1.95
WANTED_PX = 40
TILE_CM = 0.5
"""The height of a tile above the board."""
TURNED_CM = math.hypot(*BOARD_CM)
"""The width of the circle that the board sweeps on its turntable."""
STILL_CM = BOARD_CM[1] + 1.0


@dataclass(frozen=True)
class Lens:
    """A camera: the angle that it sees the narrow way, and the pixels it has that way."""

    name: str
    angle_deg: float
    pixels: int
    note: str


def angle(side_mm: float, focal_mm: float) -> float:
    """The angle of view, in degrees, of a sensor's side behind a lens without distortion."""
    return math.degrees(2 * math.atan(side_mm / (2 * focal_mm)))


LENSES = (
    Lens("Camera Module 3", 41.0, 1152, "at 1536×1152, as in the sample"),
    Lens("Camera Module 3 Wide", 67.0, 1152, "at 1536×1152"),
    Lens("HQ Camera, 6 mm lens", angle(4.712, 6.0), 1152, "at 1536×1152"),
    Lens("webcam, 78° across the corners", 43.0, 1080, "at 1920×1080"),
)


def height_cm(field_cm: float, angle_deg: float) -> float:
    """Return the height above the board at which a lens sees so wide a field."""
    return field_cm / (2 * math.tan(math.radians(angle_deg) / 2))


def pixels_a_square(pixels: int, field_cm: float) -> float:
    """Return the width of a square in the picture if so wide a field fills it."""
    return pixels * SQUARE_CM / field_cm


def shift(height: float) -> float:
    """By how much of a square a tile's face seems to lie outwards at the grid's corner."""
    corner = 7.5 * SQUARE_CM * math.sqrt(2)
    return corner * TILE_CM / (height - TILE_CM) / SQUARE_CM


def lamp_cm(height: float, lamp: float) -> float:
    """Return the distance aside at which a lamp, at its height above the board, does not glare.

    A flat tile mirrors a lamp into the camera where both are seen under the same angle: at
    ``aside × height / (height + lamp)`` from the point below the camera.
    """
    return TURNED_CM / 2 * (height + lamp) / height


def lens_table() -> str:
    """Heights for a board that turns and for one that does not."""
    lines = [
        "| camera | angle | a board that turns (48 cm) | | | one that lies still (36 cm) | |",
        "|---|---|---|---|---|---|---|",
        "| | narrow way | height | a square | a corner tile seems shifted | height | a square |",
    ]
    for lens in LENSES:
        turned, still = (height_cm(field, lens.angle_deg) for field in (TURNED_CM, STILL_CM))
        lines.append(
            f"| {lens.name}, {lens.note} | {lens.angle_deg:.0f}° | {turned:.0f} cm "
            f"| {pixels_a_square(lens.pixels, TURNED_CM):.0f} px | {shift(turned):.2f} of a square "
            f"| {still:.0f} cm | {pixels_a_square(lens.pixels, STILL_CM):.0f} px |"
        )
    return "\n".join(lines)


def lamp_table() -> str:
    """Return the table of the distances of lamps."""
    lines = [
        "| lamp above the board | aside of the board's middle, camera at 64 cm | at 36 cm |",
        "|---|---|---|",
    ]
    lines += [
        f"| {lamp:.0f} cm | {lamp_cm(64, lamp):.0f} cm | {lamp_cm(36, lamp):.0f} cm |"
        for lamp in (50.0, 100.0, 200.0)
    ]
    return "\n".join(lines)
