"""Sets up a table's next game from a page: names, rulebook, tile set, word list, time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from game.errors import TilewatchError
from game.events import SIDES
from game.rulebooks.announcing import chosen, in_words, options
from game.rulebooks.loading import load_rulebook, rulebook_ids
from game.state.fold import GameState
from game.tileset import load_tile_set
from table.desk import Attribution, Desk, NewGame
from table.game_setup import GameSetup, checked_first, checked_names
from table.word_list import load_word_list
from vision.tile_sets import letters_of, readable_sets

WORD_LISTS: Final = "wordlists"
"""The folder of word lists to choose from, within the table's data; one word a line."""

_WISHES: Final = frozenset(
    {
        *("left", "right", "first", "rulebook", "tile_set", "word_list", "announced", "by", "why"),
        "despite_tiles",
    }
)


class NewGames:
    """Sets up new games at one table.

    Args:
        desk: the desk of the table.
        state: returns the game on the table.
        data: the table's data folder.
        configured: the word list that the configuration names, if any.
    """

    def __init__(
        self,
        desk: Desk,
        state: Callable[[], GameState],
        data: Path,
        configured: Path | None,
    ) -> None:
        self._desk, self._state = desk, state
        self._data, self._configured = data, configured

    def choices(self) -> dict[str, Any]:
        """Return the rules that a new game can have, and the rules of the present game."""
        state = self._state()
        named = state.start.word_list
        return {
            "rulebooks": [
                {
                    "id": book.id,
                    "name": book.name,
                    "options": [asdict(one) for one in options(book)],
                }
                for book in map(load_rulebook, rulebook_ids())
            ],
            "tile_sets": [{"id": one, "name": load_tile_set(one).name} for one in readable_sets()],
            "word_lists": sorted(self._word_lists()),
            "now": {
                "status": state.status,
                "left": state.players["left"],
                "right": state.players["right"],
                "rulebook": state.rulebook.id,
                "tile_set": state.tile_set.id,
                "word_list": None if named is None else named.get("name"),
                "timed": state.timed,
                "first": state.start.first,
                "minutes": state.rulebook.clock_ns / 60e9,
                "announced": chosen(state.rulebook),
                "in_words": in_words(state.rulebook),
            },
        }

    def new_game(self, wishes: Mapping[str, Any], who: Attribution) -> dict[str, Any]:
        """Set up a game; return the choices. Raises ``TilewatchError``."""
        if unknown := wishes.keys() - _WISHES:
            raise TilewatchError(
                f"unknown {min(unknown)!r}; known are {', '.join(sorted(_WISHES))}"
            )
        names = {side: wishes.get(side) for side in SIDES}
        rulebook, tile_set = wishes.get("rulebook"), wishes.get("tile_set")
        if rulebook not in rulebook_ids():
            raise TilewatchError(f"unknown rulebook {rulebook!r}")
        if not isinstance(tile_set, str):
            raise TilewatchError(f"unknown tile set {tile_set!r}")
        letters_of(tile_set)
        setup = GameSetup(
            tile_set,
            rulebook,
            checked_names({side: name for side, name in names.items() if name not in (None, "")}),
            self._named(wishes.get("word_list"), tile_set),
            wishes.get("announced") or {},
            first=checked_first(wishes.get("first") or None),
        )
        answer = self._desk.post(
            NewGame(
                setup=setup,
                source=who.source,
                by=who.by,
                why=who.why,
                despite_tiles=wishes.get("despite_tiles") is True,
            )
        )
        if not answer.done:
            raise TilewatchError(answer.refused or "the table refused it")
        return self.choices() | {"on_disk": answer.on_disk}

    def _word_lists(self) -> dict[str, Path]:
        """Return the word lists by name: those in the data folder, and the configured one."""
        found = {path.stem: path for path in (self._data / WORD_LISTS).glob("*.txt")}
        if self._configured is not None:
            found.setdefault(self._configured.stem, self._configured)
        return found

    def _named(self, name: Any, tile_set: str) -> dict[str, str] | None:
        if name in (None, ""):
            return None
        path = self._word_lists().get(name) if isinstance(name, str) else None
        if path is None:
            raise TilewatchError(
                f"there is no word list {name!r}; put it into {self._data / WORD_LISTS}"
            )
        return load_word_list(path, load_tile_set(tile_set)).named()
