"""The pictures of a turn: which are kept, those that answer a question, the board, and a clip."""

from __future__ import annotations

import tempfile
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dashboard.director.folded_page import FoldedPage
from dashboard.parts import part
from game.board import SIZE, Square
from game.errors import TilewatchError
from game.events import PicturesDeleted, PicturesKept
from game.flags import CODES
from game.referee.position import Turn
from record.errors import EvidenceError
from record.evidence import EvidenceStore

if TYPE_CHECKING:
    import numpy as np

_SEEN: Final = frozenset({"ruling", "parting"})
"""The questions that pictures of the board before and after a turn may answer."""

_AROUND: Final = 1.6
"""The least margin shown around the squares in question, in squares."""

_LEAST: Final = 7.0
"""The least width and height shown, in squares."""

Corners = tuple[tuple[float, ...], ...]

_KEPT: Final = 500
"""The number of boards found in pictures that are remembered."""


@dataclass(frozen=True, slots=True)
class KeptPictures:
    """The pictures that a game's log names, each by its SHA-256."""

    corners: Mapping[str, Corners]
    """The board's corners, where the log has them."""
    gone: frozenset[str]
    """The pictures that were deleted."""
    store: EvidenceStore | None

    @classmethod
    def of(cls, page: FoldedPage, store: EvidenceStore | None) -> KeptPictures:
        """Return the pictures of a game that ``store`` keeps."""
        events = [entry.event for entry in page.entries]
        kept = [
            one for event in events if isinstance(event, PicturesKept) for one in event.pictures
        ]
        deleted = [event.pictures for event in events if isinstance(event, PicturesDeleted)]
        return cls(
            {one.sha256: one.corners for one in kept if one.corners is not None},
            frozenset().union(*deleted),
            store,
        )

    def there(self, sha256: str) -> bool:
        """True if a picture can be shown."""
        if self.store is None or sha256 in self.gone:
            return False
        try:
            return self.store.has(sha256)
        except TilewatchError:
            return False


def crops_of(page: FoldedPage) -> dict[int, dict[str, str]]:
    """Return the SHA-256 of each square's newest crop, by turn and square."""
    found: dict[int, dict[str, str]] = {}
    for entry in page.entries:
        if isinstance(entry.event, PicturesKept):
            for picture in entry.event.pictures:
                if picture.square is None:
                    continue
                for number in page.turns_of(entry):
                    found.setdefault(number, {})[picture.square] = picture.sha256
    return found


def pictures_asked(page: FoldedPage, store: EvidenceStore | None) -> dict[int, dict[str, Any]]:
    """Return the pictures of each turn with a question that pictures may answer, by its number.

    Each picture has its SHA-256 and a caption; and if the board's corners in it are known,
    ``matrix``, which maps pixels to squares from the board's top-left corner. ``squares`` are those
    in question as ``[column, row]``; ``frame`` is the part of the board that is shown: left, top,
    width and height in squares.
    """
    turns = [turn for turn in page.state.turns if _asked(turn)]
    if not turns or store is None:
        return {}
    kept = KeptPictures.of(page, store)
    found = {}
    for turn in turns:
        squares = sorted(_squares(page, turn))
        shown = [
            {"sha256": sha, "caption": caption, "matrix": to_board(kept.corners.get(sha))}
            for caption, sha in _of(page, turn)
            if kept.there(sha)
        ]
        if shown:
            found[turn.number] = {
                "shown": shown,
                "squares": [[one.col, one.row] for one in squares],
                "frame": frame_around(squares),
            }
    return found


def _squares(page: FoldedPage, turn: Turn) -> set[Square]:
    """Return the squares of the tiles in question."""
    names = {*turn.tiles, *turn.open_tiles}
    for reading in turn.seen.readings or ():
        names.update(name for play in reading.plays for name in play.tiles)
    if not names:
        turns = page.state.turns
        names.update(*(one.tiles for one in turns[max(0, turn.number - 2) : turn.number + 1]))
    return {Square.parse(name) for name in names}


def frame_around(squares: list[Square]) -> list[float]:
    """Return left, top, width and height, in squares, of what is shown around some squares."""
    if not squares:
        return [0, 0, SIZE, SIZE]
    (left, width), (top, height) = (
        _span([one.col for one in squares]),
        _span([one.row for one in squares]),
    )
    return [left, top, width, height]


def _span(places: list[int]) -> tuple[float, float]:
    first, last = min(places), max(places) + 1
    size = min(float(SIZE), max(_LEAST, last - first + 2 * _AROUND))
    return min(max((first + last - size) / 2, 0.0), SIZE - size), size


def to_board(corners: Corners | None) -> list[float] | None:
    """Return the SVG matrix that maps a picture's pixels to squares of the board, or None.

    The matrix treats the board as a parallelogram, which it nearly is below a camera.
    """
    if corners is None:
        return None
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = corners
    ux, uy = (bx - ax + cx - dx) / 2 / SIZE, (by - ay + cy - dy) / 2 / SIZE
    vx, vy = (dx - ax + cx - bx) / 2 / SIZE, (dy - ay + cy - by) / 2 / SIZE
    area = ux * vy - vx * uy
    if not area:
        return None
    x = (ax + bx + cx + dx) / 4 - SIZE / 2 * (ux + vx)
    y = (ay + by + cy + dy) / 4 - SIZE / 2 * (uy + vy)
    a, b, c, d = vy / area, -uy / area, -vx / area, ux / area
    return [a, b, c, d, -(a * x + c * y), -(b * x + d * y)]


def _asked(turn: Turn) -> bool:
    return any(
        flag.settled is None and CODES[flag.code].question and CODES[flag.code].asks in _SEEN
        for flag in turn.flags
    )


def _of(page: FoldedPage, turn: Turn) -> Iterator[tuple[str, str]]:
    """Yield captions and the SHA-256 of the pictures.

    If it is asked how tiles divide into turns, the end of the next turn is included.
    """
    frames, number = turn.seen.frames, turn.number
    earlier = page.state.turns[number - 2].seen.frames if number > 1 else {}
    before = frames.get("before") or earlier.get("at")
    if before is not None:
        yield f"Before turn {number}", before
    ends = [turn] if turn.tiles or turn.open_tiles else []
    if turn.seen.readings or not ends:
        ends += page.state.turns[number : number + 1]
    for one in ends or [turn]:
        if "at" in one.seen.frames:
            yield f"At the end of turn {one.number}", one.seen.frames["at"]


class Boards:
    """The board's corners found in pictures. Only one search runs at a time, to spare the table."""

    def __init__(self) -> None:
        self._found: OrderedDict[tuple[str, str], Corners | None] = OrderedDict()
        self._looking = threading.Lock()

    def find(
        self, store: EvidenceStore, known: str, corners: Corners, other: str
    ) -> Corners | None:
        """Find the board in the picture ``other``; return its corners, None if it is not found.

        ``corners`` are the board's in the picture ``known``. Both pictures are named by SHA-256.
        """
        key = (known, other)
        with self._looking:
            if key not in self._found:
                self._found[key] = _found_by(store, known, corners, other)
                while len(self._found) > _KEPT:
                    self._found.popitem(last=False)
            return self._found[key]


def boards_of(
    page: FoldedPage, number: int, wanted: Iterable[str], store: EvidenceStore | None
) -> dict[str, Any]:
    """Return the board's corners in each of a turn's pictures, or None, by SHA-256.

    Args:
        page: the game.
        number: the turn's number.
        wanted: the SHA-256 of the turn's pictures that can be shown.
        store: the table's pictures.
    """
    known = KeptPictures.of(page, store).corners
    base = _base(page, number, known, store)
    found: dict[str, Any] = {}
    for sha in wanted:
        if sha in known:
            found[sha] = known[sha]
        elif base is None or store is None:
            found[sha] = None
        else:
            found[sha] = part(Boards).find(store, base, known[base], sha)
    return found


def _base(
    page: FoldedPage, number: int, known: Mapping[str, Corners], store: EvidenceStore | None
) -> str | None:
    """Return a kept picture with known corners, of this turn or the nearest; None if none is."""
    if store is None:
        return None
    turns = [
        (min(abs(turn - number) for turn in turns), picture.sha256)
        for entry in page.entries
        if isinstance(entry.event, PicturesKept) and (turns := page.turns_of(entry))
        for picture in entry.event.pictures
        if picture.sha256 in known and store.path(picture.sha256).is_file()
    ]
    return min(turns)[1] if turns else None


def _found_by(store: EvidenceStore, known: str, corners: Corners, other: str) -> Corners | None:
    import numpy as np  # noqa: PLC0415 (pages without pictures need none of it)

    from vision.registration import register_board  # noqa: PLC0415

    try:
        found = register_board(
            store.load(known), np.asarray(corners, np.float32), store.load(other)
        )
    except TilewatchError:
        return None
    if found is None:
        return None
    return tuple((round(float(x), 2), round(float(y), 2)) for x, y in found)


RATE: Final = 10
"""Frames a second."""
LONGEST_NS: Final = 2_000_000_000
"""The longest time for which a picture is shown."""
_WIDTH, _HEIGHT = 1280, 720
_STRIP: Final = 44
"""Pixels below the picture for its caption."""

Shown = tuple[int, bytes, str]
"""A picture of a clip: when it was exposed, its JPEG, and its caption."""


def clip(pictures: Sequence[Shown]) -> bytes:
    """Return pictures as WebM (VP8), each shown until the next. Raises ``EvidenceError``."""
    import cv2  # noqa: PLC0415 (pages without pictures need none of it)

    if not pictures:
        raise EvidenceError("no picture of this turn is kept")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.webm"
        code = cv2.VideoWriter.fourcc(*"VP80")
        writer = cv2.VideoWriter(str(path), code, RATE, (_WIDTH, _HEIGHT + _STRIP))
        if not writer.isOpened():
            raise EvidenceError("no clip can be made: this OpenCV has no VP8 encoder")
        for at, (t_ns, jpeg, caption) in enumerate(pictures):
            until = pictures[at + 1][0] if at + 1 < len(pictures) else t_ns + LONGEST_NS
            frame = _clip_frame(jpeg, caption)
            for _ in range(max(1, round(min(until - t_ns, LONGEST_NS) * RATE / 1e9))):
                writer.write(frame)
        writer.release()
        return path.read_bytes()


def _clip_frame(jpeg: bytes, caption: str) -> np.ndarray:
    """Return a picture as a frame with its caption: uint8, shape (764, 1280, 3)."""
    import cv2  # noqa: PLC0415
    import numpy as np  # noqa: PLC0415

    frame = np.zeros((_HEIGHT + _STRIP, _WIDTH, 3), np.uint8)
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    if image is not None:
        scale = min(_WIDTH / image.shape[1], _HEIGHT / image.shape[0])
        size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        top, left = (_HEIGHT - size[1]) // 2, (_WIDTH - size[0]) // 2
        frame[top : top + size[1], left : left + size[0]] = small
    text = caption.replace("−", "-").encode("ascii", "replace").decode()
    font = cv2.FONT_HERSHEY_SIMPLEX
    cv2.putText(frame, text, (12, _HEIGHT + 31), font, 0.9, (235, 235, 235), 2, cv2.LINE_AA)
    return frame
