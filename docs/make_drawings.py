"""Draws the mount and the wiring, and computes where a camera has to be.

    python docs/make_drawings.py

writes docs/mount.svg and docs/wiring.svg, and the tables of docs/hardware.md between its marks.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parent

BOARD_CM = (33.0, 35.0)
SQUARE_CM = 1.95
WANTED_PX = 40
TILE_CM = 0.5
"""How high a tile stands above the board."""
TURNED_CM = math.hypot(*BOARD_CM)
"""What the board sweeps on its turntable."""
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
    """How far above the board a lens sees so wide a field."""
    return field_cm / (2 * math.tan(math.radians(angle_deg) / 2))


def pixels_a_square(pixels: int, field_cm: float) -> float:
    """How wide a square is in the picture when so wide a field fills it."""
    return pixels * SQUARE_CM / field_cm


def shift(height: float) -> float:
    """By how much of a square a tile's face seems to lie outwards at the grid's corner."""
    corner = 7.5 * SQUARE_CM * math.sqrt(2)
    return corner * TILE_CM / (height - TILE_CM) / SQUARE_CM


def lamp_cm(height: float, lamp: float) -> float:
    """How far aside a lamp must stand, at its height above the board, not to shine in a tile.

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
    """How far aside lamps must stand."""
    lines = [
        "| lamp above the board | aside of the board's middle, camera at 64 cm | at 36 cm |",
        "|---|---|---|",
    ]
    lines += [
        f"| {lamp:.0f} cm | {lamp_cm(64, lamp):.0f} cm | {lamp_cm(36, lamp):.0f} cm |"
        for lamp in (50.0, 100.0, 200.0)
    ]
    return "\n".join(lines)


# --- drawing ---

INK, SOFT, GROUND = "#1d2733", "#6b7785", "#ffffff"
FIELD, BOARD, LAMP, WIRE = "#2f7fd0", "#1f6f55", "#d99a00", "#b23a48"


class Drawing:
    """Shapes on white, one call each."""

    def __init__(self, width: int, height: int, title: str, says: str) -> None:
        self._size = width, height
        self._parts = [
            f'<title id="t">{title}</title><desc id="d">{says}</desc>',
            f'<rect width="{width}" height="{height}" fill="{GROUND}"/>',
        ]

    def line(self, *points: float, ink: str = INK, width: float = 2, dash: str = "") -> None:
        """Through points, as x, y, x, y …."""
        pairs = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(points[::2], points[1::2], strict=True))
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self._parts.append(
            f'<polyline points="{pairs}" fill="none" stroke="{ink}" stroke-width="{width}"'
            f'{dashed} stroke-linejoin="round" stroke-linecap="round"/>'
        )

    def area(self, *points: float, fill: str, opacity: float = 1) -> None:
        """A polygon."""
        pairs = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(points[::2], points[1::2], strict=True))
        self._parts.append(f'<polygon points="{pairs}" fill="{fill}" fill-opacity="{opacity}"/>')

    def box(self, x: float, y: float, w: float, h: float, fill: str, ink: str = INK) -> None:
        """A rectangle with round corners."""
        self._parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" rx="3" fill="{fill}"'
            f' stroke="{ink}" stroke-width="1.5"/>'
        )

    def disc(self, x: float, y: float, r: float, fill: str, ink: str = INK, dash: str = "") -> None:
        """A circle."""
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self._parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" fill="{fill}" stroke="{ink}"'
            f' stroke-width="1.5"{dashed}/>'
        )

    def text(
        self, x: float, y: float, words: str, at: str = "middle", ink: str = INK, size: int = 14
    ) -> None:
        """One line."""
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{at}" fill="{ink}" font-size="{size}">'
            f"{words}</text>"
        )

    def measure(self, x0: float, y0: float, x1: float, y1: float, words: str) -> None:
        """A measured distance, level or upright, with its words."""
        self.line(x0, y0, x1, y1, ink=SOFT, width=1.2)
        for x, y in ((x0, y0), (x1, y1)):
            if y0 == y1:
                self.line(x, y - 5, x, y + 5, ink=SOFT, width=1.2)
            else:
                self.line(x - 5, y, x + 5, y, ink=SOFT, width=1.2)
        if y0 == y1:
            self.text((x0 + x1) / 2, y0 + 18, words, ink=SOFT)
        else:
            self.text(x0 + 9, (y0 + y1) / 2 + 5, words, at="start", ink=SOFT)

    def write(self) -> str:
        """The whole file."""
        width, height = self._size
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" aria-labelledby="t d" '
            'font-family="DejaVu Sans, Verdana, sans-serif">\n'
            + "\n".join(self._parts)
            + "\n</svg>\n"
        )


def mount() -> str:
    """The mount from the side and from above, to scale."""
    lens = LENSES[0]
    high = height_cm(TURNED_CM, lens.angle_deg)
    draw = Drawing(
        1180,
        590,
        "The camera's mount",
        f"From the side: a camera {high:.0f} cm above the middle of the board, on an arm that "
        "stands beside the table's edge, and a lamp on each side. From above: the circle of "
        f"{TURNED_CM:.0f} cm that the board sweeps on its turntable, within the camera's view.",
    )
    cm = 5.0
    middle, floor = 400.0, 490.0
    top = floor - 3 * cm  # the board's face
    eye = top - high * cm
    half = TURNED_CM / 2 * cm

    draw.text(30, 36, "From the side", at="start", size=18)
    draw.area(middle, eye, middle - half, top, middle + half, top, fill=FIELD, opacity=0.13)
    draw.line(middle - half, top, middle, eye, middle + half, top, ink=FIELD, width=1.5, dash="6 5")
    draw.box(30, floor, 740, 14, "#e4d8c7")
    draw.text(50, floor + 34, "table", at="start", ink=SOFT)
    draw.box(middle - 50, floor - 1.4 * cm, 100, 1.4 * cm, "#c9ced6")
    draw.box(middle - BOARD_CM[1] / 2 * cm, top, BOARD_CM[1] * cm, 1.6 * cm, BOARD)
    for column in range(4, 11):
        draw.box(
            middle + (column - 7.5) * SQUARE_CM * cm + 1, top - 3, SQUARE_CM * cm - 2, 3, "#f3e4b8"
        )
    # The arm: a post clamped to the table's far edge, and a boom over the board.
    post = 135.0
    draw.line(post, floor, post, eye - 14, width=7, ink="#8b95a1")
    draw.line(post, eye - 14, middle + 12, eye - 14, width=7, ink="#8b95a1")
    draw.box(post - 16, floor - 8, 32, 30, "#8b95a1")
    draw.text(post - 14, eye + 60, "arm,", at="end", ink=SOFT)
    draw.text(post - 14, eye + 78, "clamped", at="end", ink=SOFT)
    draw.box(middle - 13, eye - 10, 26, 12, INK)
    draw.area(
        middle - 6,
        eye + 2,
        middle + 6,
        eye + 2,
        middle + 4,
        eye + 7,
        middle - 4,
        eye + 7,
        fill=SOFT,
    )
    draw.text(middle + 24, eye, "camera, looking straight down", at="start")
    draw.box(230, eye - 44, 60, 20, "#d7e8d4")
    draw.text(260, eye - 52, "Raspberry Pi on the boom", ink=SOFT)
    draw.measure(middle, top, middle, eye + 10, f"{high:.0f} cm")
    draw.measure(middle - half, floor + 44, middle + half, floor + 44, f"{TURNED_CM:.0f} cm seen")
    aside = lamp_cm(high, 50.0)
    for sign in (-1, 1):
        x, y = middle + sign * aside * cm, top - 50 * cm
        draw.area(
            x - 22, y + 8, x + 22, y + 8, x + 12, y - 12, x - 12, y - 12, fill=LAMP, opacity=0.9
        )
        for spread in (-60, 0, 60):
            draw.line(x, y + 12, middle + spread, top - 6, ink=LAMP, width=1, dash="3 6")
    draw.text(middle + aside * cm, top - 50 * cm - 20, "diffuse lamp, on each side")
    draw.measure(
        middle, floor + 74, middle + aside * cm, floor + 74, f"{aside:.0f} cm or more aside"
    )

    x, y = 980.0, 250.0
    small = 4.0
    draw.text(810, 36, "From above", at="start", size=18)
    wide, tall = TURNED_CM * 4 / 3 * small, TURNED_CM * small
    draw.box(x - wide / 2, y - tall / 2, wide, tall, "#e9f2fb", ink=FIELD)
    draw.text(x, y - tall / 2 - 8, "what the camera sees (4:3)", ink=FIELD)
    draw.disc(x, y, TURNED_CM / 2 * small, "none", ink=SOFT, dash="5 5")
    w, h = BOARD_CM[0] * small, BOARD_CM[1] * small
    draw.box(x - w / 2, y - h / 2, w, h, BOARD)
    grid = 15 * SQUARE_CM * small
    for line in range(16):
        at = line * SQUARE_CM * small
        draw.line(
            x - grid / 2 + at,
            y - grid / 2,
            x - grid / 2 + at,
            y + grid / 2,
            ink="#cfe6db",
            width=0.8,
        )
        draw.line(
            x - grid / 2,
            y - grid / 2 + at,
            x + grid / 2,
            y - grid / 2 + at,
            ink="#cfe6db",
            width=0.8,
        )
    for column, letter in enumerate("TILES"):
        left = x - grid / 2 + (5 + column) * SQUARE_CM * small
        top_ = y - grid / 2 + 7 * SQUARE_CM * small
        draw.box(left + 0.5, top_ + 0.5, SQUARE_CM * small - 1, SQUARE_CM * small - 1, "#f3e4b8")
        draw.text(left + SQUARE_CM * small / 2, top_ + SQUARE_CM * small - 1.6, letter, size=7)
    draw.text(x, y + tall / 2 + 22, "the board may be turned: it stays within the circle", ink=SOFT)
    for sign, name in ((-1, "left"), (1, "right")):
        bx = x + sign * 60
        draw.disc(bx, y + tall / 2 + 70, 15, WIRE)
        draw.text(bx, y + tall / 2 + 104, name)
    draw.disc(x, y + tall / 2 + 70, 11, "#e6e9ee")
    draw.text(x, y + tall / 2 + 104, "neutral")
    draw.text(x, y + tall / 2 + 130, "the clock's buttons, within reach of both", ink=SOFT)
    return draw.write()


@dataclass(frozen=True)
class Wire:
    """A button: its pin's BCM number, where that and its ground are on the header."""

    name: str
    gpio: int
    pin: int
    ground: int
    ink: str


WIRES = (
    Wire("left", 17, 11, 9, "#b23a48"),
    Wire("right", 27, 13, 14, "#2f7fd0"),
    Wire("neutral", 22, 15, 20, "#1f6f55"),
    Wire("call the director", 23, 16, 25, "#8a4fbf"),
)

GROUNDS = frozenset({6, 9, 14, 20, 25, 30, 34, 39})
GPIO_AT = {11: 17, 13: 27, 15: 22, 16: 23}
POWER = {1: "3.3 V", 17: "3.3 V", 2: "5 V", 4: "5 V"}


def _tag(pin: int) -> str:
    if pin in GPIO_AT:
        return f"GPIO {GPIO_AT[pin]}"
    return "ground" if pin in GROUNDS else POWER.get(pin, "")


def wiring() -> str:
    """The header and the buttons."""
    draw = Drawing(
        900,
        620,
        "Wiring of the clock's buttons",
        "Each button joins its pin of the Raspberry Pi's header with a ground when pressed: "
        + "; ".join(
            f"{w.name}: GPIO {w.gpio} at pin {w.pin}, ground at pin {w.ground}" for w in WIRES
        ),
    )
    draw.text(
        40,
        40,
        "The Pi's header, seen from above, its corner with pin 1 at the top",
        at="start",
        size=16,
    )
    x0, y0, step = 130.0, 84.0, 24.5
    draw.box(x0 - 26, y0 - 20, 76, 20 * step + 14, "#2b3440")
    place: dict[int, tuple[float, float]] = {}
    used = {w.pin: w.ink for w in WIRES} | {w.ground: w.ink for w in WIRES}
    for row in range(20):
        for side in range(2):
            pin = 2 * row + side + 1
            x, y = x0 + side * step, y0 + row * step
            place[pin] = x, y
            fill = used.get(
                pin,
                "#5b6673" if pin in GROUNDS else "#d06a4c" if pin in POWER else "#d8b24a",
            )
            if pin == 1:
                draw.box(x - 7, y - 7, 14, 14, fill, ink="#ffffff")
            else:
                draw.disc(x, y, 7, fill, ink="#ffffff" if pin in used else "#2b3440")
            tag = _tag(pin)
            strong = INK if pin in used else SOFT
            if side == 0:
                draw.text(
                    x - 32,
                    y + 5,
                    f"{tag} · {pin}" if tag else f"{pin}",
                    at="end",
                    ink=strong,
                    size=12,
                )
            elif pin in used:  # above its wire
                draw.text(x + 28, y - 2, f"{pin} · {tag}", at="start", ink=strong, size=9)
            else:
                label = f"{pin} · {tag}" if tag else f"{pin}"
                draw.text(x + 32, y + 5, label, at="start", ink=strong, size=12)
    # Left-hand pins leave between two rows, so that no wire crosses a pin.
    for number, wire in enumerate(WIRES):
        by = 130.0 + number * 118
        bx = 560.0
        for lane, (pin, dy) in enumerate(((wire.pin, -18), (wire.ground, 18))):
            px, py = place[pin]
            turn = 264.0 + 22 * (2 * number + lane)
            dash = "" if pin == wire.pin else "7 4"
            if px == x0:
                gap = py + step / 2
                draw.line(
                    px,
                    py,
                    px + step / 2,
                    gap,
                    turn,
                    gap,
                    turn,
                    by + dy,
                    bx,
                    by + dy,
                    ink=wire.ink,
                    dash=dash,
                )
            else:
                draw.line(px, py, turn, py, turn, by + dy, bx, by + dy, ink=wire.ink, dash=dash)
        # A contact that is open until pressed.
        draw.disc(bx, by - 18, 4, wire.ink, ink=wire.ink)
        draw.disc(bx, by + 18, 4, wire.ink, ink=wire.ink)
        draw.line(bx, by + 18, bx + 15, by - 16, ink=INK, width=2.5)
        draw.line(bx + 10, by, bx + 34, by, ink=INK, width=2)
        draw.box(bx + 34, by - 12, 10, 24, wire.ink)
        draw.text(bx + 62, by - 4, wire.name, at="start", size=17)
        draw.text(
            bx + 62,
            by + 17,
            f"GPIO {wire.gpio} (pin {wire.pin}), ground (pin {wire.ground})",
            at="start",
            ink=SOFT,
            size=13,
        )
    draw.text(bx + 62, by + 36, "optional; call = 23 in [buttons]", at="start", ink=SOFT, size=13)
    draw.line(450, 566, 486, 566, ink=INK)
    draw.text(494, 571, "to the pin", at="start", ink=SOFT, size=13)
    draw.line(590, 566, 626, 566, ink=INK, dash="7 4")
    draw.text(634, 571, "to ground", at="start", ink=SOFT, size=13)
    draw.text(
        450,
        598,
        "The Pi's own pull-up holds a pin high; a press pulls it to ground.",
        at="start",
        ink=SOFT,
        size=13,
    )
    return draw.write()


def made() -> dict[Path, str]:
    """Every file with what should be in it."""
    page = (DOCS / "hardware.md").read_text("utf-8")
    for name, table in (("lenses", lens_table()), ("lamps", lamp_table())):
        before, begin, rest = page.partition(f"<!-- {name}: begin -->\n")
        _, end, after = rest.partition(f"<!-- {name}: end -->")
        page = f"{before}{begin}{table}\n{end}{after}"
    return {
        DOCS / "mount.svg": mount(),
        DOCS / "wiring.svg": wiring(),
        DOCS / "hardware.md": page,
    }


def main() -> int:
    """Write them."""
    for path, text in made().items():
        path.write_text(text, "utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
