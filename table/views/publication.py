"""Who may be shown: how much of a game the public may see, and under which names.

A player may refuse (WESPA 2021 6.4.3 c), and minors may be shown by their initials. Three sources
decide it: the event's default and its list of players (``[public]``), and what a director decided
about the game (``PublicationDecided``), which the log has. :func:`showing` combines them, and
:meth:`Showing.view` narrows a view accordingly.

The present decision holds for the whole game. A game that is shown again is shown whole; of a game
that is withheld nothing more is shown, whatever was shown before.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from game.board import EMPTY
from game.events import SIDES, PublicationDecided, Side
from game.gcg.record import GameRecord
from game.state.fold import GameState
from game.terms import Shown
from game.values import replace
from table.views.player_list import LEVELS, initials, is_named, name_key, strictest, words_of
from table.views.public_policy import PublicPolicy

Naming: TypeAlias = Callable[[str], str]
"""Returns the name under which a player is shown in public."""

Json: TypeAlias = dict[str, Any]

NOT_SHOWN: Final = "This game is not shown."

_KEPT: Final = ("audience", "game_id", "rulebook", "tile_set", "status")
"""The fields of a view that a withheld game keeps as they are."""

_NOBODYS: Final[Mapping[str, Any]] = {
    "end_reason": None,
    "outcome": None,
    "settled": False,
    "final": False,
    "no_result": False,
    "provisional": False,
    "on_turn": None,
    "clocks": None,
    "bag_count": 0,
    "rows": [EMPTY * 15] * 15,
    "squares": {},
    "last": [],
    "turns": [],
    "windows": [],
    "adjustments": [],
    "flags": [],
}
"""The values of the other fields, which say nothing of the game."""

_RESULT: Final = ("end_reason", "outcome", "settled", "final", "no_result", "provisional")
"""The fields with the result."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The decisions of directors about a game, by ``PublicationDecided``; empty: none."""

    game: Shown | None = None
    """The newest decision about the game."""
    table: Shown | None = None
    """The newest decision about the games of the table."""


def decided_in(state: GameState) -> Decided:
    """Return what directors decided about a game and did not take back."""
    newest = newest_decisions(state)
    return Decided(*(None if one is None else one.shown for one in newest))


def newest_decisions(
    state: GameState,
) -> tuple[PublicationDecided | None, PublicationDecided | None]:
    """Return the newest decision about a game, and the newest about the games of its table.

    A newer decision about the table replaces one about the game.
    """
    game: PublicationDecided | None = None
    gone = state.progress.retracted
    for number in range(len(state.progress.events), 0, -1):
        event = state.progress.events[number - 1]
        if not isinstance(event, PublicationDecided) or number in gone:
            continue
        if event.holds == "table":
            return game, event
        game = game or event
    return game, None


def policy_names(policy: PublicPolicy) -> Naming:
    """Return the naming of a policy."""
    by_key = {name_key(name): words for name, words in policy.players.items()}

    def shown(name: str) -> str:
        words = by_key.get(name_key(name), ())
        how = next((one for one in ("initials", "full") if one in words), policy.names)
        return initials(name) if how == "initials" and is_named(name) else name

    return shown


def level_of(policy: PublicPolicy, names: Mapping[Side, str], decided: Decided) -> Shown:
    """Return how much of a game may be shown.

    A decision about the game itself holds whatever else is said. Else each player's entry in the
    list holds, or without one the event's default, and a decision about the table takes the
    default's place; the strictest of them all counts.
    """
    if decided.game is not None:
        return decided.game
    base = decided.table or policy.games
    levels = [base] if decided.table is not None else []
    for name in names.values():
        words = words_of(policy.players, name) if is_named(name) else ()
        levels.append(next((one for one in LEVELS if one in words), base))
    return strictest(levels or [base])


@dataclass(frozen=True)
class Showing:
    """How one game may be shown now."""

    level: Shown = "all"
    names: Mapping[Side, str] = field(default_factory=dict)
    """The players' present names."""
    naming: Naming = field(default=str, compare=False)

    @property
    def is_withheld(self) -> bool:
        """True if the moves may not be shown."""
        return self.level != "all"

    @property
    def is_open(self) -> bool:
        """True if the game is shown as it is."""
        return not self.is_withheld and all(self.naming(one) == one for one in self.names.values())

    @property
    def mark(self) -> str:
        """A short text that changes with what may be shown; empty for an open game."""
        if self.is_open:
            return ""
        lines = [self.level, *(f"{side} {self.naming(name)}" for side, name in self.names.items())]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]

    def name(self, side: Side, name: str) -> str:
        """Return the public name of a side that is called ``name`` in an earlier or present view.

        A name is shown in full only if neither it nor the side's present name is to be shortened:
        names are corrected during a game.
        """
        shown, present = self.naming(name), self.names.get(side, name)
        return self.naming(present) if shown == name and self.naming(present) != present else shown

    def view(self, view: Json) -> Json:
        """Return as much of a view of the game as may be shown, in the same form."""
        if self.is_open:
            return view
        return self._withheld(view) if self.is_withheld else self._named(view)

    def state(self, state: GameState) -> GameState:
        """Return a state with the public names, for the record of a game that is shown."""
        names: dict[str, str] = {side: self.name(side, state.players[side]) for side in SIDES}
        return state if names == state.players else replace(state, players=names)

    def record(self, record: GameRecord) -> GameRecord:
        """Return the record of such a state with the public names also in what people typed."""
        if self.is_open:
            return record

        def notes(given: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(map(self.scrubbed, given))

        entries = tuple(replace(one, notes=notes(one.notes)) for one in record.entries)
        return replace(record, entries=entries, notes=notes(record.notes))

    def scrubbed(self, text: str, names: Mapping[Side, str] | None = None) -> str:
        """Return a text with names that are shortened replaced, as people may have typed them."""
        for side, name in {**self.names, **(names or {})}.items():
            shown = self.name(side, name)
            if shown != name:
                for part in (name, *(w for w in re.findall(r"\w+", name) if len(w) > 1)):
                    text = re.sub(rf"\b{re.escape(part)}\b", shown, text, flags=re.IGNORECASE)
        return text

    def _players(self, view: Json) -> Json:
        return {
            side: {**one, "name": self.name(side, one["name"])}
            for side, one in view["players"].items()
        }

    def _named(self, view: Json) -> Json:
        """Return a view with the public names, also in what people typed."""
        names = {side: one["name"] for side, one in view["players"].items()}

        def flags(given: list[Json]) -> list[Json]:
            return [{**one, "message": self.scrubbed(one["message"], names)} for one in given]

        return {
            **view,
            "players": self._players(view),
            "adjustments": [
                {**one, "why": self.scrubbed(one["why"], names)} for one in view["adjustments"]
            ],
            "flags": flags(view["flags"]),
            "turns": [{**one, "flags": flags(one["flags"])} for one in view["turns"]],
        }

    def _withheld(self, view: Json) -> Json:
        """Return who plays and, where that may be shown, the final result; nothing else."""
        with_result = self.level == "result" and (view["final"] or view["no_result"])
        scores = view["scores"] if with_result and view["final"] else dict.fromkeys(SIDES, 0)
        players = {
            side: {**one, "score": scores[side]} for side, one in self._players(view).items()
        }
        return {
            **{key: view[key] for key in _KEPT},
            **_NOBODYS,
            **({key: view[key] for key in _RESULT} if with_result else {}),
            "scores": scores,
            "players": players,
            "withheld": self.level,
        }


OPEN: Final = Showing()


def showing(
    policy: PublicPolicy, names: Mapping[Side, str], decided: Decided, naming: Naming
) -> Showing:
    """Return how a game of these players may be shown."""
    return Showing(level_of(policy, names, decided), dict(names), naming)
