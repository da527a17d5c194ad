"""Which game on Woogles a table's game is: claimed in a broadcast, or made by an account."""

from __future__ import annotations

import json
import re
import threading
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from game.errors import TilewatchError
from game.files import SMALL, read_file, write_file
from game.options import OptionPath, StrictOptions
from woogles.client import (
    BROADCASTS,
    GAMES,
    Woogles,
    WooglesError,
    field_of,
    games_of,
    id_of,
    is_id,
    rules_of,
)
from woogles.compare import first_difference
from woogles.document import RULES, Rule
from woogles.mapping import Ours

KEY_VARIABLE: Final = "TILEWATCH_WOOGLES_KEY"
_KEPT: Final = 200
_SERVER: Final = re.compile(
    r"(https://[a-z\d-]{1,63}(\.[a-z\d-]{1,63})*|http://127\.0\.0\.1)(:\d{1,5})?(/[\w./~-]*)?",
    re.ASCII | re.IGNORECASE,
)


class HeldError(WooglesError):
    """A game that is not followed until somebody has done what the message says."""


class WooglesOptions(StrictOptions):
    """``[woogles]``: where the table's games are followed on Woogles, and from when.

    ::

        [woogles]
        account = "our-club"        # the annotator whose key it is
        key_file = "woogles.key"    # or the environment's TILEWATCH_WOOGLES_KEY
        broadcast = "spring-open"   # the broadcast's slug; without one, a game of the account's own
        division = "A"
        lexicon = "CSW24"           # of a game without a broadcast
        delay_turns = 3             # later than [public]; the later of both holds
        racks = true                # send racks, too, once the delay has passed
    """

    on: bool = True
    account: str = Field(min_length=1)
    key_file: OptionPath | None = None
    broadcast: str = ""
    division: str = ""
    lexicon: str = ""
    delay_min: float = Field(default=0.0, ge=0, le=60)
    delay_turns: int = Field(default=0, ge=0, le=10)
    racks: bool = False
    url: str = "https://woogles.io"

    @field_validator("url")
    @classmethod
    def _safe(cls, url: str) -> str:
        if _SERVER.fullmatch(url) is None:
            raise ValueError("give https://HOST: the key goes there")
        _ = urlsplit(url).port  # a ValueError says that it is out of range
        return url

    @model_validator(mode="after")
    def _whole(self) -> WooglesOptions:
        if not self.broadcast and not self.lexicon:
            raise ValueError("give broadcast, or lexicon for games without one")
        return self

    def key(self, environment: Mapping[str, str]) -> str:
        """Return the key. Raises ``TilewatchError`` without one."""
        text = environment.get(KEY_VARIABLE, "")
        if self.key_file is not None:
            try:
                text = read_file(self.key_file, SMALL).decode("ascii").strip()
            except (OSError, UnicodeError) as error:
                raise TilewatchError(
                    f"{self.key_file}: holds no key that can be read; "
                    "save the account's API key in it"
                ) from error
        if not text or not (text.isascii() and text.isprintable()) or " " in text:
            raise TilewatchError(f"woogles: name a key_file, or set {KEY_VARIABLE}")
        return text


@dataclass(frozen=True)
class Wanted:
    """The game that is looked for."""

    game_id: str
    """The table's id of it."""
    players: tuple[str, str]
    """The players' names in the order of play."""
    round: int
    table: int
    rule: Rule
    """The challenge rule that suits the table's rulebook."""
    opened: bool = True
    """True if it is known who plays first."""


class Slots:
    """The games on Woogles by the table's ids, kept in a file. Safe to use from any thread."""

    def __init__(self, woogles: Woogles, options: WooglesOptions, path: Path) -> None:
        self._woogles, self._options, self._path = woogles, options, path
        self._changing = threading.Lock()
        try:
            found = json.loads(read_file(path, SMALL))
        except (OSError, ValueError, RecursionError, TilewatchError):
            found = {}
        known = found if isinstance(found, dict) else {}
        self._ids: dict[str, str] = {key: one for key, one in known.items() if is_id(one)}

    @property
    def claims(self) -> bool:
        """True if games are claimed in a broadcast."""
        return bool(self._options.broadcast)

    @property
    def newest(self) -> tuple[str, ...]:
        """The table's id of the game that was found last; empty before a first one."""
        return tuple(self._ids)[-1:]

    def known(self, game_id: str) -> str | None:
        """Return the id on Woogles of a game that was found before; else None."""
        return self._ids.get(game_id)

    def found(self, wanted: Wanted, ours: Ours) -> str:
        """Return the id on Woogles of a game, claimed or made if there is none yet.

        Raises ``HeldError`` if somebody has to do something first, else ``WooglesError``.
        """
        known = self.known(wanted.game_id)
        if known is not None:
            return known
        game_id = self._claimed(wanted) if self._options.broadcast else self._own(wanted, ours)
        with self._changing:
            self._ids = dict([*self._ids.items(), (wanted.game_id, game_id)][-_KEPT:])
            write_file(self._path, json.dumps(self._ids).encode())
        return game_id

    def forget(self, game_id: str) -> None:
        """Look a game up anew the next time: its claim was given back, or its game deleted."""
        with self._changing:
            self._ids.pop(game_id, None)

    def _broadcast(self, method: str, **more: Any) -> dict[str, Any]:
        named = {"slug": self._options.broadcast, "division": self._options.division}
        return self._woogles.call(BROADCASTS, method, named | more)

    def _claimed(self, wanted: Wanted) -> str:
        games = games_of(self._broadcast("GetBroadcastGames", round=wanted.round))
        here = [one for one in games if field_of(one, "table_number") == wanted.table]
        where = f"table {wanted.table} in round {wanted.round}"
        if not here:
            raise HeldError(f"the broadcast has no {where} yet: see that its pairings are loaded")
        taken = field_of(here[0], "game_uuid")
        if taken:
            self._require_mine(str(taken), where)
        at = {"round": wanted.round, "table_number": wanted.table}
        # No division means the first to the list, and one without a name to a claim.
        claimed = self._broadcast("ClaimGame", **at, division=field_of(here[0], "division") or "")
        game_id = id_of(claimed, f"for {where}")
        self._require_mine(game_id, where)  # the list is some seconds old
        return game_id

    def _require_mine(self, game_id: str, where: str) -> None:
        owner = self._woogles.owner(game_id)
        if owner.casefold() != self._options.account.casefold():
            raise HeldError(
                f"{where} is claimed by {owner or 'somebody else'} on Woogles: "
                "have them give it back, and it is claimed here"
            )

    def _own(self, wanted: Wanted, ours: Ours) -> str:
        for one in games_of(self._woogles.call(GAMES, "GetMyUnfinishedGames", {})):
            game_id = id_of(one, "that is unfinished")
            theirs = self._woogles.document(game_id)
            at = first_difference(ours.events, theirs.events)
            if order(theirs.players, wanted.players) == "same" and at == len(theirs.events):
                return game_id  # made before its answer was lost
            raise HeldError(
                f"{self._options.account} has an unfinished game {game_id} between "
                f"{' and '.join(theirs.players)} on Woogles: finish or delete it"
            )
        players = [
            {"nickname": name.replace(" ", "_"), "full_name": name, "first": not at}
            for at, name in enumerate(wanted.players)
        ]
        answer = self._woogles.call(
            GAMES,
            "CreateAnnotatedGame",
            {
                "players_info": players,
                "lexicon": self._options.lexicon,
                "rules": rules_of(ours.letters.tiles.id),
                "challenge_rule": RULES.index(wanted.rule),
            },
        )
        return id_of(answer, "for a new one")


def order(theirs: Sequence[str], ours: Sequence[str]) -> str:
    """Return ``same``, ``swapped`` or ``strangers``, by two pairs of names in the order of play."""

    def alike(one: int, other: int) -> bool:
        a, b = _parts(theirs[one]), _parts(ours[other])
        return bool(a and b) and (a <= b or b <= a)

    straight, crossed = alike(0, 0) + alike(1, 1), alike(0, 1) + alike(1, 0)
    if straight == crossed == 0:
        return "strangers"
    return "swapped" if crossed > straight else "same"


def _parts(name: str) -> frozenset[str]:
    """Return the parts of a name without accents, whichever comes first."""
    plain = unicodedata.normalize("NFKD", name.casefold()).replace(",", " ")
    return frozenset("".join(c for c in plain if not unicodedata.combining(c)).split())
