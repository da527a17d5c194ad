"""A table's notes on its own work, its pictures and the board between presses, each kind a class.

They are no part of the game. Times are integers, in nanoseconds on the table's one monotonic base.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from game.events.declaring import ONLY_IF_SET
from game.events.values import Corners, Name, Sealed, Sha256, SquareName, Symbol
from game.terms import SIDES, Side, TroubleState


@dataclass(frozen=True, slots=True)
class Picture:
    """One evidence picture, kept under its SHA-256."""

    role: Name
    """``before``, ``at`` or ``after`` the press; ``read``: the frame that was read;
    ``placed``: the first frame from which on its tiles lay there at rest; ``around``: near the
    press of a flagged turn; ``changing``: just before tiles were seen to have changed;
    ``settled``, ``altered``, ``put_back``: before, during and after a change between presses;
    ``thinking``: small, of the turn while it was made; ``crop``: a changed square of ``of``."""
    sha256: Sha256
    exposed_ns: int
    """When its exposure began."""
    square: SquareName | None = None
    of: str | None = None
    """For a crop: SHA-256 of the picture that it was cut from."""
    corners: Corners | None = None
    """For the picture that was read: the board's corners as x and y in pixels, clockwise
    from the one that is top-left when the letters read upright."""


@dataclass(frozen=True, slots=True)
class SquareChange:
    """A square that showed another tile for a while, a new one, none, or the same otherwise."""

    square: SquareName
    was: Symbol
    """The tile that lay there; ``.`` if none did."""
    showed: Symbol
    """The symbol that the square showed then."""
    askew: bool = False
    """True if the same tile lay there, turned or pushed."""
    turned: float | None = field(default=None, metadata=ONLY_IF_SET)
    """By how many degrees clockwise the same tile was turned; 0 if it was only pushed."""


@dataclass(frozen=True, slots=True)
class BoardChanged:
    """The board as the last turn had left it changed before the next press, and perhaps back.

    It changes nothing in the game: what lies there at a press counts. An arm of the player not on
    turn over the board is a change, too; ``from_ns`` is ``seen_ns`` if it stayed from the press on.
    So is a tile that is laid after the end.
    """

    changes: tuple[SquareChange, ...]
    """The tiles; none if the whole board was moved, or only an arm was over it."""
    from_ns: int
    """The last picture that shows all of it as it had settled."""
    seen_ns: int
    """The first picture that shows all of it changed."""
    side: Side | None
    """Whose arm was seen there between these two; null if that is not sure."""
    back_from_ns: int | None
    """The last picture that shows it changed; null if it was not put back, or not yet."""
    back_ns: int | None
    """The first picture that shows all of it as before; null as above."""
    back_by: Side | None
    """Whose arm was seen there between these two; null if that is not sure."""
    pictures: tuple[Picture, ...]
    t_ns: int
    moved: float | None = field(default=None, metadata=ONLY_IF_SET)
    """How far the board was moved, in squares; absent if it was not."""
    turned: float | None = field(default=None, metadata=ONLY_IF_SET)
    """How far the board was turned clockwise, in degrees; absent if it was not moved."""

    SAYS = "the board changed between two presses"


@dataclass(frozen=True, slots=True)
class TableDescribed:
    """The equipment and software that record the game, logged once at its start."""

    software: Name
    """Version of tilewatch."""
    files: Mapping[str, str]
    """SHA-256 of the weights, the rulebook and the tile set, by name."""
    settings: Mapping[str, Any]
    """The table's configuration."""
    t_ns: int

    SAYS = "recorded by tilewatch {software}"


@dataclass(frozen=True, slots=True)
class PicturesKept:
    """Evidence pictures of a turn are on the disk."""

    turn: int
    pictures: tuple[Picture, ...]
    t_ns: int


@dataclass(frozen=True, slots=True)
class PicturesDeleted:
    """Evidence pictures of the game were deleted, by the table's retention rule or on request."""

    pictures: tuple[Sha256, ...]
    """The SHA-256 of each picture."""
    why: str
    t_ns: int
    by: str | None = field(default=None, metadata=ONLY_IF_SET)
    """The person who carried out a request to erase; None for the retention rule."""


@dataclass(frozen=True, slots=True)
class TroubleNoted:
    """A fault of the camera, a button or the disk began or ended; or somebody called."""

    code: Name
    """Such as ``camera_lost``, ``button_double`` or ``director_called``."""
    what: str
    """The name of the device, such as a button; empty if there is only one of its kind."""
    state: TroubleState
    message: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class ActionTaken:
    """Somebody did something at the table that does not change the game."""

    action: Name
    """Such as ``next_game``, ``new_game``, ``attended``, ``calibrated`` or ``tiles_learnt``."""
    message: str
    """The action, in one line."""
    by: str
    why: str
    t_ns: int
    next_game: Mapping[str, Any] | None = field(default=None, metadata=ONLY_IF_SET)
    """Facts of the next game: ``players`` by side, and ``announced``, the settings that the
    event announces for that game alone."""

    SAYS = "{message}"

    def fault(self) -> str:
        """Return the contradiction between the fields; empty if there is none."""
        given = self.next_game or {}
        players, announced = given.get("players", {}), given.get("announced", {})
        if not isinstance(players, Mapping) or not isinstance(announced, Mapping):
            return "next_game: give players and announced as objects"
        if not set(players) <= set(SIDES):
            return "next_game: give players as left and right"
        if not all(isinstance(name, str) and name.strip() for name in players.values()):
            return "next_game: give each name at least one letter"
        return ""


@dataclass(frozen=True, slots=True)
class RacksSealed:
    """A key was made that seals the tiles seen on racks from now on, until it is opened."""

    commitment: Sha256
    """SHA-256 of the key's 32 bytes."""
    recipient: Sha256
    """The X25519 public key of the broadcast role, 32 bytes in hex."""
    sealed: Sealed
    """The key, sealed to the recipient."""
    t_ns: int

    SAYS = "what is seen on the racks is sealed from now on"


@dataclass(frozen=True, slots=True)
class RackSeen:
    """The tiles on a rack were seen. They are sealed by the key of the last ``RacksSealed``."""

    side: Side
    sealed: Sealed
    """The tiles, always of the same length, as :mod:`record.rack_seals` writes them."""
    t_ns: int

    SAYS = "{side}'s rack was seen, sealed"


@dataclass(frozen=True, slots=True)
class RacksOpened:
    """The key of the last ``RacksSealed`` was opened, after the game."""

    key: Sha256
    """The key's 32 bytes in hex."""
    t_ns: int

    SAYS = "what was seen on the racks can be read from now on"


HOUSEKEEPING = (
    TableDescribed
    | PicturesKept
    | PicturesDeleted
    | BoardChanged
    | TroubleNoted
    | ActionTaken
    | RacksSealed
    | RackSeen
    | RacksOpened
)
"""Notes on the work at the table: no part of the game, and welcome at any time."""
