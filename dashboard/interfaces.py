"""Interfaces between the pages and a table's own code; neither side handles pictures' contents.

``sensors.phone.PhoneInbox`` is a :class:`PhoneLink`; ``table`` has the :class:`SetupBackend`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from table.desk import Attribution


class PhoneLink(Protocol):
    """Takes a phone's pictures, and keeps what is known of the phone. Thread-safe."""

    @property
    def most_bytes(self) -> int:
        """The most bytes of one picture."""

    @property
    def wants(self) -> Mapping[str, int]:
        """The page's request to the phone's camera: ``width``, ``height`` and ``fps``."""

    @property
    def clock(self) -> Callable[[], int]:
        """The clock that stamps pictures: returns nanoseconds of the machine's monotonic clock."""

    def begin(self, page: str) -> None:
        """Take pictures from this page from now on, and from no other."""

    def forget(self) -> None:
        """Forget the phone, because another one has been paired."""

    def serves(self, page: str) -> bool:
        """True if this page is the camera: the one that began, else the first that asks."""

    def tell(
        self,
        state: str,
        battery: float | None,
        charging: bool | None,
        locked: tuple[str, ...],
    ) -> bool:
        """Take the page's report on itself; return False if ``state`` is unknown."""

    def put(self, jpeg: bytes, t_ns: int, *, captured: bool, error_ns: int) -> bool:
        """Take a picture; return False if the picture is not used."""

    def as_json(self) -> dict[str, Any]:
        """Return the phone as the director's page has it."""


Json = dict[str, Any]


class SetupBackend(Protocol):
    """A table being set up. Every method raises ``game.errors.TilewatchError`` with one line.

    ``who`` (the person and the reason) is logged if there is a game. An answer has ``on_disk``
    false while that entry is only in the table's memory.
    """

    def state(self) -> Json:
        """Return the current calibration.

        ``size`` of the picture in pixels, ``found`` (corners, judgements and so on; null if no
        board was found, with ``trouble`` saying why) and ``saved``.
        """

    def look_again(self) -> Json:
        """Take pictures, find the board and judge both; return the state."""

    def move(self, corners: Sequence[Sequence[float]]) -> Json:
        """Take corners that somebody set, in pixels of the judged picture; return the state."""

    def accept(self, empty: bool | None, who: Attribution, *, board_only: bool = False) -> Json:
        """Save; ``empty`` says if the board is empty, None to tell it from the picture.

        With ``board_only`` pictures are black outside of the board and its surroundings.
        """

    def judged(self) -> bytes | None:
        """Return the picture that is judged, a JPEG; None before the first."""

    def live(self) -> bytes | None:
        """Return the newest picture, straightened like the judged one; None if there is none."""

    def count_tiles(self, by_hand: bool, who: Attribution) -> Json:
        """Count the tiles laid out on the board; if the set is complete, learn how they look.

        ``by_hand``: a person has counted the tiles and vouches that all are there.
        """

    def examine(self) -> list[Json]:
        """Return the doctor's report, which takes seconds; empty if there is none here."""

    def choices(self) -> Json:
        """Return the choices for a new game: ``rulebooks``, ``tile_sets``, and the table's own.

        None if no game can be made here.
        """

    def new_game(self, wishes: Mapping[str, Any], who: Attribution) -> Json:
        """Prepare a game with these names and settings; return the choices."""
