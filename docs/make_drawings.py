"""Draws the mount and the wiring, and fills in where a camera has to be.

    python docs/make_drawings.py

writes docs/mount.svg and docs/wiring.svg, and the tables of docs/hardware.md between its marks.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from camera_place import (
    BOARD_CM,
    LENSES,
    SQUARE_CM,
    TURNED_CM,
    height_cm,
    lamp_cm,
    lamp_table,
    lens_table,
)
from drawing import BOARD, FIELD, INK, LAMP, SOFT, WIRE, Drawing

DOCS = Path(__file__).resolve().parent


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
