"""The rules and players of a table's next games, and their checks.

They come from a table's configuration, the page for a new game, the pairings, a hub or a recording,
and all are held to the same limits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from game.errors import TilewatchError
from game.events import SIDES, PictureEdge, Side
from game.rulebooks.announcing import announced
from game.rulebooks.loading import load_rulebook
from game.tileset import load_tile_set

MAX_NAME: Final = 80
"""Characters in a player's name."""


@dataclass(frozen=True)
class GameSetup:
    """The rules of a table's games, and the names given for the next one."""

    tile_set: str
    rulebook: str
    players: Mapping[Side, str] = field(default_factory=dict)
    word_list: Mapping[str, str] | None = None
    """The name and hash of the word list; None without one."""
    announced: Mapping[str, Any] = field(default_factory=dict)
    """The settings that the tournament announces (``game.rulebooks.announcing``)."""
    of_round: Mapping[str, Any] | None = None
    """The settings announced for this round alone, which override the others; None without any."""
    by_hand: bool = False
    """True if somebody set these rules for this table; pairings then do not change them."""
    hands: Mapping[Side, PictureEdge] | None = None
    """The edge of the picture across which each player's hand comes; None with a clock."""
    first: Side | None = None
    """The side that begins the next game at a table without a clock; None if open."""

    def adjust(self, paired: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the announced settings other than the rulebook's, in the form of a game's start.

        ``paired`` are the settings that the pairings announce for the round; None without any.
        Raises ``TilewatchError`` for a setting that the rulebook does not leave to the tournament.
        """
        over = paired if self.of_round is None and not self.by_hand else self.of_round
        return announced(load_rulebook(self.rulebook), {**self.announced, **(over or {})})

    def require_usable(self) -> None:
        """Raise ``TilewatchError`` with one line if no game can be played with this set-up."""
        if not all(isinstance(one, Mapping) for one in (self.announced, self.of_round or {})):
            raise TilewatchError("each announced setting is given by name")
        self.adjust()
        load_tile_set(self.tile_set)
        words = self.word_list
        if words is not None and not all(
            isinstance(one, str) for pair in words.items() for one in pair
        ):
            raise TilewatchError("a word list must be given by its name and its hash")


def checked_first(side: Any) -> Side | None:
    """Return the side that plays first; None if open. Otherwise raises ``TilewatchError``."""
    if side is None:
        return None
    known = next((one for one in SIDES if one == side), None)
    if known is None:
        raise TilewatchError("first must be left or right, or be left out")
    return known


def checked_names(players: Mapping[Any, Any]) -> dict[Side, str]:
    """Return the given names by side, stripped.

    Raises:
        TilewatchError: a name is empty, too long, or cannot be printed, or both are the same.
    """
    names: dict[Side, str] = {}
    for side in SIDES:
        name = players.get(side)
        if name is None:
            continue
        good = isinstance(name, str) and 0 < len(name.strip()) <= MAX_NAME
        if not good or not name.strip().isprintable():
            raise TilewatchError(f"a name is 1 to {MAX_NAME} characters that can be printed")
        names[side] = name.strip()
    if len(names) == len(SIDES) and names["left"] == names["right"]:
        raise TilewatchError(
            f"both players are called {names['left']}; add something that tells them apart"
        )
    return names
