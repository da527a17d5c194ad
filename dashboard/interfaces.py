"""Interfaces between the pages and a table's own code, neither of which knows of pictures.

``sensors.phone.PhoneInbox`` is a :class:`PhoneLink`; ``table`` has the :class:`SetupBackend`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from table.desk import Attribution


class PhoneLink(Protocol):
    """Where a phone's pictures go, and what is known of the phone. Thread-safe."""

    @property
    def most_bytes(self) -> int:
        """The most bytes of one picture."""

    @property
    def wants(self) -> Mapping[str, int]:
        """What the page asks the phone's camera for: ``width``, ``height`` and ``fps``."""

    @property
    def clock(self) -> Callable[[], int]:
        """Nanoseconds on the machine's monotonic clock, by which pictures are stamped."""

    def begin(self, page: str) -> None:
        """Take pictures from this page from now on, and from no other."""

    def forget(self) -> None:
        """Another phone has been paired in place of this one."""

    def serves(self, page: str) -> bool:
        """True if this page is the camera; the first that comes is, if none began."""

    def tell(
        self,
        state: str,
        battery: float | None,
        charging: bool | None,
        locked: tuple[str, ...],
    ) -> bool:
        """Take what the page says of itself; return False if it is in no state that there is."""

    def put(self, jpeg: bytes, t_ns: int, *, captured: bool, error_ns: int) -> bool:
        """Take a picture; return False if it is left out."""

    def as_json(self) -> dict[str, Any]:
        """The phone as the director's page has it."""


Json = dict[str, Any]


class SetupBackend(Protocol):
    """A table being set up. Everything raises ``game.errors.TilewatchError`` with one line.

    ``who`` does it, and why, is logged if there is a game. An answer has ``on_disk`` false while
    that is in the table's memory alone.
    """

    def state(self) -> Json:
        """The calibration as it stands.

        ``size`` of the picture in pixels, ``found`` (corners, judgements and so on; null if no
        board was found, with ``trouble`` saying why) and ``saved``.
        """

    def look_again(self) -> Json:
        """Take pictures, find the board, judge; the state."""

    def move(self, corners: Sequence[Sequence[float]]) -> Json:
        """The grid's corners as somebody put them, in pixels of the judged picture; the state."""

    def accept(self, empty: bool | None, who: Attribution) -> Json:
        """Save; ``empty`` is what somebody says of the board, None to go by the picture."""

    def judged(self) -> bytes | None:
        """The picture that is judged, a JPEG; None before the first."""

    def live(self) -> bytes | None:
        """The newest picture, straightened like the judged one; None if there is none."""

    def count_tiles(self, by_hand: bool, who: Attribution) -> Json:
        """Check the tiles laid out on the board.

        ``by_hand``: somebody counted them, and says that all are there.
        """

    def examine(self) -> list[Json]:
        """Return the doctor's report; takes seconds. Empty if this is not the place for it."""

    def choices(self) -> Json:
        """Return the choices for a new game: ``rulebooks``, ``tile_sets``, and the table's own.

        Null where no game can be made here.
        """

    def new_game(self, wishes: Mapping[str, Any], who: Attribution) -> Json:
        """Make ready for a game with these names and settings; the choices."""
