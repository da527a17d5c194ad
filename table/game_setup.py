"""The rules and the players of a table's next games: checked here, whichever door they come by.

A table's configuration, the page for a new game, the pairings, a hub and a recording all give the
same things and are held to the same limits.
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
    """Its name and hash."""
    announced: Mapping[str, Any] = field(default_factory=dict)
    """The settings that the event announces (``game.rulebooks.announcing``)."""
    of_round: Mapping[str, Any] | None = None
    """The settings announced for this round alone, which override the others; None without any."""
    by_hand: bool = False
    """Somebody set these rules for this table, so that pairings do not change them."""
    hands: Mapping[Side, PictureEdge] | None = None
    """The edge that each player's hand comes across, at a table without a clock."""
    first: Side | None = None
    """The player who begins the next game, at a table without a clock."""

    def adjust(self, paired: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the settings that the event announced otherwise, as a game's start has them.

        ``paired`` is what the pairings announce for its round; None if they say nothing.
        Raises ``TilewatchError`` for what the rulebook does not leave to the event.
        """
        over = paired if self.of_round is None and not self.by_hand else self.of_round
        return announced(load_rulebook(self.rulebook), {**self.announced, **(over or {})})

    def require_usable(self) -> None:
        """Refuse what no game can be played with. Raises ``TilewatchError`` with one line."""
        if not all(isinstance(one, Mapping) for one in (self.announced, self.of_round or {})):
            raise TilewatchError("what an event announces is given by name")
        self.adjust()
        load_tile_set(self.tile_set)
        words = self.word_list
        if words is not None and not all(
            isinstance(one, str) for pair in words.items() for one in pair
        ):
            raise TilewatchError("a word list is its name and its hash")


def checked_first(side: Any) -> Side | None:
    """Return who is to play first, None if that is open. Raises ``TilewatchError``."""
    if side is None:
        return None
    known = next((one for one in SIDES if one == side), None)
    if known is None:
        raise TilewatchError("who plays first is left or right, or left open")
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
        raise TilewatchError(f"both players are called {names['left']}; add what tells them apart")
    return names
