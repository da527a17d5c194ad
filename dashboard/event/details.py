"""What the pairings' file says of an event besides who plays whom.

A CSV may have these columns beside ``round``, ``table``, ``left`` and ``right``:

- ``event`` and ``logo``: the title, and a picture beside the file; once is enough,
- ``division``,
- ``left_country``, ``right_country``: codes of two or three letters,
- ``left_rating``, ``right_rating``,
- ``left_score``, ``right_score``: the result, if it is known.

TSH's ``tourney.js`` has the same as ``config.event_name``, ``config.logo``, a player's ``rating``,
``scores`` and ``etc.team``.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from game.errors import TilewatchError
from game.files import read_file
from table.roster import TOURNEY, plain

BYE: Final = ""
"""The opponent of a player without one. The player's score is then the spread of the bye."""

_MOST_BYTES: Final = 20_000_000
_COUNTRY: Final = re.compile(r"[A-Z]{2,3}")
_NUMBER: Final = re.compile(r"-?[0-9]{1,5}")
_LOGO: Final = re.compile(r"[\w][\w .+-]{0,79}\.(?:png|jpe?g|webp)", re.IGNORECASE)
_LONGEST_TITLE: Final = 80


class EventError(TilewatchError):
    """Something about the event that cannot be used, in one line."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player of the event."""

    name: str
    """``First Last``, as tables have it."""
    country: str = ""
    """A code of two or three capitals; empty if unknown."""
    rating: int | None = None
    division: str = ""


@dataclass(frozen=True, slots=True)
class PairedGame:
    """Two players who are paired, and the result if it is known."""

    round: int
    table: int | None
    left: str
    right: str
    """:data:`BYE` if there is no opponent."""
    scores: tuple[int, int] | None = None
    division: str = ""


@dataclass(frozen=True, slots=True)
class EventDetails:
    """All that is known of the event."""

    title: str = ""
    logo: Path | None = None
    players: Mapping[str, Entrant] = field(default_factory=dict)
    """By their plain names (:func:`table.roster.plain`), in the order of the file."""
    games: tuple[PairedGame, ...] = ()

    def entrant(self, name: str) -> Entrant:
        """The player of that name, as far as known."""
        return self.players.get(plain(name)) or Entrant(name)


def read_details(path: Path) -> EventDetails:
    """The event's details in a file of pairings. Raises ``EventError``."""
    try:
        text = read_file(path, _MOST_BYTES, EventError).decode("utf-8-sig")
    except OSError as error:
        raise EventError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise EventError(f"{path}: not UTF-8 text") from error
    return _of_tourney(text, path) if TOURNEY.match(text) else _of_csv(text, path)


# --- CSV ---


def _of_csv(text: str, path: Path) -> EventDetails:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    title, logo = "", None
    players: dict[str, Entrant] = {}
    games: list[PairedGame] = []
    try:
        for row in reader:
            at = f"{path}, line {reader.line_num}"
            cells = {name: (cell or "").strip() for name, cell in row.items() if name is not None}
            title = title or cells.get("event", "")[:_LONGEST_TITLE]
            logo = logo or _logo(cells.get("logo", ""), path, at)
            game = _game(cells, at, len(games) + 1)
            games.append(game)
            for side, name in (("left", game.left), ("right", game.right)):
                found = _entrant(cells, side, name, at)
                known = players.get(plain(name), found)
                players[plain(name)] = Entrant(
                    known.name,
                    found.country or known.country,
                    known.rating if found.rating is None else found.rating,
                    found.division or known.division,
                )
    except csv.Error as error:
        raise EventError(f"{path}, line {reader.line_num}: not CSV ({error})") from error
    return EventDetails(title, logo, players, tuple(games))


def _game(cells: Mapping[str, str], at: str, row: int) -> PairedGame:
    left, right = cells.get("left", ""), cells.get("right", "")
    if not left or not right:
        raise EventError(f"{at}: it needs the names of left and right")
    one, other = (_number(cells, f"{side}_score", at) for side in ("left", "right"))
    if (one is None) != (other is None):
        raise EventError(f"{at}: it needs both left_score and right_score, or neither")
    round_ = _number(cells, "round", at)
    return PairedGame(
        row if round_ is None else round_,
        _number(cells, "table", at),
        left,
        right,
        None if one is None or other is None else (one, other),
        cells.get("division", ""),
    )


def _entrant(cells: Mapping[str, str], side: str, name: str, at: str) -> Entrant:
    country = cells.get(f"{side}_country", "").upper()
    if country and not _COUNTRY.fullmatch(country):
        raise EventError(f"{at}: {side}_country {country[:20]!r} is no code such as NGA or GB")
    return Entrant(name, country, _number(cells, f"{side}_rating", at), cells.get("division", ""))


def _number(cells: Mapping[str, str], column: str, at: str) -> int | None:
    text = cells.get(column, "")
    if not text:
        return None
    if not _NUMBER.fullmatch(text):
        raise EventError(f"{at}: {column} {text[:20]!r} is no whole number")
    return int(text)


def _logo(name: str, path: Path, at: str) -> Path | None:
    if not name:
        return None
    if not _LOGO.fullmatch(name):
        raise EventError(f"{at}: logo {name[:40]!r} is no PNG, JPEG or WebP beside the file")
    return path.parent / name


# --- TSH ---


def _of_tourney(text: str, path: Path) -> EventDetails:
    body = TOURNEY.sub("", text).strip().rstrip(";")
    try:
        data = json.loads(re.sub(r"(?<=[\[,])undefined(?=[\],])", "null", body))
        config = data.get("config") or {}
        players: dict[str, Entrant] = {}
        games: list[PairedGame] = []
        for division in data["divisions"]:
            name = str(division["name"])
            by_id = {int(one["id"]): one for one in division["players"] if one}
            for player in by_id.values():
                entrant = _of_tsh(player, name)
                players[plain(entrant.name)] = entrant
            games += [game for one in by_id.values() for game in _games_of(one, by_id, name)]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EventError(f"{path}: not a tourney.js that can be read ({error!r:.80})") from error
    return EventDetails(
        str(config.get("event_name") or "")[:_LONGEST_TITLE],
        _logo(str(config.get("logo") or ""), path, f"{path}, config"),
        players,
        tuple(games),
    )


def _of_tsh(player: Mapping[str, Any], division: str) -> Entrant:
    team = (player.get("etc") or {}).get("team") or ""
    # A team may be a club's name as well; a country has a code.
    code = str(team[0] if isinstance(team, list) else team).strip().upper()
    country = code if _COUNTRY.fullmatch(code) else ""
    return Entrant(tsh_name(player), country, int(player.get("rating") or 0) or None, division)


def _games_of(
    player: Mapping[str, Any], by_id: Mapping[int, Mapping[str, Any]], division: str
) -> Iterator[PairedGame]:
    """Each pairing once: that of the player with the lower number."""
    etc = player.get("etc") or {}
    for place, opponent in enumerate(player["pairings"]):
        own = _at(player.get("scores", ()), place)
        if not opponent:
            if own is not None:
                bye = (int(own), 0)
                yield PairedGame(place + 1, None, tsh_name(player), BYE, bye, division)
            continue
        other = by_id.get(int(opponent))
        if other is None or int(player["id"]) > int(opponent):
            continue
        theirs = _at(other.get("scores", ()), place)
        scores = None if own is None or theirs is None else (int(own), int(theirs))
        names = (tsh_name(player), tsh_name(other))
        if _at(etc.get("p12", ()), place) == 2:  # whoever goes first sits left
            names = (names[1], names[0])
            scores = None if scores is None else (scores[1], scores[0])
        board = int(_at(etc.get("board", ()), place) or 0) or None
        yield PairedGame(place + 1, board, *names, scores, division)


def _at(values: Iterable[Any], place: int) -> Any:
    listed = list(values)
    return listed[place] if place < len(listed) else None


def tsh_name(player: Mapping[str, Any]) -> str:
    """``First Last`` of a player of TSH, who is ``Last, First`` there."""
    last, comma, first = " ".join(str(player["name"]).split()).partition(",")
    return f"{first.strip()} {last.strip()}" if comma else last.strip()
