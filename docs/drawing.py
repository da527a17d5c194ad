"""Line drawings as SVG, in the inks that docs/ uses."""

from __future__ import annotations

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
