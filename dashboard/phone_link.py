"""The interface between the camera's pages and the inbox of a phone's pictures.

``sensors.phone.PhoneInbox`` is one. Pages know nothing of pictures but their bytes and times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol


class PhoneLink(Protocol):
    """Where a phone's pictures go, and what is known of the phone. Thread-safe."""

    @property
    def most_bytes(self) -> int:
        """The most bytes of one picture."""
        ...

    @property
    def wants(self) -> Mapping[str, int]:
        """What the page asks the phone's camera for: ``width``, ``height`` and ``fps``."""
        ...

    @property
    def clock(self) -> Callable[[], int]:
        """Nanoseconds on the machine's monotonic clock, by which pictures are stamped."""
        ...

    def begin(self, page: str) -> None:
        """Take pictures from this page from now on, and from no other."""
        ...

    def forget(self) -> None:
        """Another phone has been paired in place of this one."""
        ...

    def serves(self, page: str) -> bool:
        """True if this page is the camera; the first that comes is, if none began."""
        ...

    def tell(
        self,
        state: str,
        battery: float | None,
        charging: bool | None,
        locked: tuple[str, ...],
    ) -> bool:
        """Take what the page says of itself; return False if it is in no state that there is."""
        ...

    def put(self, jpeg: bytes, t_ns: int, *, captured: bool, error_ns: int) -> bool:
        """Take a picture; return False if it is left out."""
        ...

    def as_json(self) -> dict[str, Any]:
        """The phone as the director's page has it."""
        ...
