"""Pairings in TSH's ``tourney.js``.

The file holds ``config`` (``event_name``, ``logo``) and ``divisions``. A division has a ``name``
and a list ``players``, whose entry 0 is empty. A player has an ``id``, a ``name``, a ``rating``,
and by round ``pairings`` (an id; 0 is a bye), ``scores`` and, in ``etc``, ``board`` and ``p12`` (1
plays first, 2 second). Every division counts its boards from 1. TSH pairs players who have left
with nobody, and gives them scores that the director chose, as for a bye.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from table.game_setup import MAX_NAME
from table.pairings.details import (
    BYE,
    MAX_DIVISION,
    Entrant,
    EventDetails,
    PairedGame,
    PairingsError,
    TshPlayer,
    country_code,
    given_first,
    is_nobody,
    logo_beside,
    plain,
    require_name,
)
from table.pairings.javascript import NotDataError, read_javascript
from table.pairings.spreadsheet import whole

_LONGEST_TITLE: Final = 80
_MOST: Final = 99_999
_MOST_ROUNDS: Final = 1000
_MOST_DOUBTS: Final = 5
_NO_SCORE: Final = 9999
"""TSH's placeholder for a missing score before later ones."""


def of_tourney(text: str, path: Path) -> EventDetails:
    """Return the tournament in a ``tourney.js``. Raises ``PairingsError`` that names the fault."""
    try:
        data = read_javascript(text)
    except NotDataError as error:
        raise PairingsError(f"{path}, {error}") from error
    divisions: dict[str, _Division] = {}
    try:
        event = _object(data, "newt")
        config = _object(event.get("config") or {}, "config")
        for place, one in enumerate(_list(event.get("divisions"), "divisions"), start=1):
            found = _division(_object(one, f"division {place}"), str(place))
            if divisions.setdefault(found.name, found) is not found:
                raise PairingsError(f"two divisions are called {found.name[:40]!r}")
    except PairingsError as error:
        raise PairingsError(f"{path}: not a tourney.js that can be read: {error}") from error
    doubts: list[str] = []
    games = [game for one in divisions.values() for game in one.games(doubts)]
    logo = None
    try:
        logo = logo_beside(path, _text(config.get("logo")), f"{path}, config")
    except PairingsError as error:
        doubts.append(str(error))
    return EventDetails(
        _text(config.get("event_name"))[:_LONGEST_TITLE],
        logo,
        {plain(one.name): one for division in divisions.values() for one in division.entrants},
        tuple(games),
        {name: one.players for name, one in divisions.items()},
        tuple(doubts[:_MOST_DOUBTS]),
    )


@dataclass(frozen=True, slots=True)
class _Division:
    """A division and the data of its players."""

    name: str
    players: tuple[TshPlayer, ...]
    entrants: tuple[Entrant, ...]
    """The players, without placeholders for nobody."""

    def games(self, doubts: list[str]) -> Iterator[PairedGame]:
        """Yield each pairing once; append a line to ``doubts`` for one that is not mutual."""
        players = {one.number: one for one in self.players}
        for one in players.values():
            if is_nobody(one.plain):
                continue
            for place, number in enumerate(one.opponents):
                other = players.get(number or 0)
                if number == 0 or (other is not None and is_nobody(other.plain)):
                    yield self._bye(place, one, other)
                elif number is None:
                    continue
                elif other is None or _at(other.opponents, place) != one.number:
                    doubts.append(
                        f"division {self.name}, round {place + 1}: {one.plain} has number "
                        f"{number} as the opponent, who does not meet {one.plain}; this counts as "
                        "no pairing until TSH has both"
                    )
                elif one.number < number:
                    yield self._game(place, one, other)

    def _bye(self, place: int, one: TshPlayer, nobody: TshPlayer | None) -> PairedGame:
        own = _at(one.scores, place)
        other = (_at(nobody.scores, place) or 0) if nobody is not None else 0
        scores = None if own is None else (own - other, 0)
        return PairedGame(place + 1, None, one.plain, BYE, scores, self.name)

    def _game(self, place: int, one: TshPlayer, other: TshPlayer) -> PairedGame:
        firsts = _at(one.firsts, place), _at(other.firsts, place)
        if 2 not in firsts[:1] and 1 not in firsts[1:]:
            known = firsts[0] == 1 or firsts[1] == 2
        else:  # whoever goes first sits left
            one, other, known = other, one, True
        own, theirs = _at(one.scores, place), _at(other.scores, place)
        return PairedGame(
            place + 1,
            _at(one.boards, place) or _at(other.boards, place) or None,
            one.plain,
            other.plain,
            None if own is None or theirs is None else (own, theirs),
            self.name,
            "left" if known else None,
        )


def _division(data: Mapping[str, Any], place: str) -> _Division:
    name = " ".join(_text(data.get("name")).split()) or place
    require_name(name, MAX_DIVISION, f"division {place}: a name")
    players: dict[int, TshPlayer] = {}
    entrants: list[Entrant] = []
    for index, one in enumerate(_list(data.get("players"), f"division {name[:20]}: players")):
        if one is None:
            continue
        what = f"division {name[:20]}, player {index}"
        raw = _object(one, what)
        player = _player(raw, what)
        if players.setdefault(player.number, player) is not player:
            raise PairingsError(f"{what}: another player has the id {player.number} too")
        if not is_nobody(player.plain):
            rating = player.rating or None
            entrants.append(Entrant(player.plain, _country(raw), rating, name))
    return _Division(name, tuple(players.values()), tuple(entrants))


def _player(raw: Mapping[str, Any], what: str) -> TshPlayer:
    etc = _object(raw.get("etc") or {}, f"{what}: etc")
    number = _whole(raw.get("id"), f"{what}: id")
    name = " ".join(_text(raw.get("name")).split())
    shown = given_first(name)
    if number is None or number < 1:
        raise PairingsError(f"{what} has no id")
    require_name(shown, MAX_NAME, f"{what}: a name")
    scores = _numbers(raw.get("scores"), f"{what}: scores")
    return TshPlayer(
        number,
        name,
        shown,
        _rating(raw.get("rating")),
        tuple(_numbers(raw.get("pairings"), f"{what}: pairings")),
        tuple(None if one == _NO_SCORE else one for one in scores),
        tuple(one or 0 for one in _numbers(etc.get("p12"), f"{what}: p12")),
        tuple(one or 0 for one in _numbers(etc.get("board"), f"{what}: board")),
    )


def _rating(value: Any) -> int:
    """Return a rating as a whole number; 0 if TSH has none or one in words."""
    found = whole(value.strip()) if isinstance(value, str) else value
    return int(found) if isinstance(found, int | float) and abs(found) <= _MOST else 0


def _country(raw: Mapping[str, Any]) -> str:
    """Return a player's country code; empty if the field ``team`` holds a club's name."""
    team = (raw.get("etc") or {}).get("team")
    return country_code(_text(team[0] if isinstance(team, list) and team else team).strip())


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise PairingsError(f"{what} is missing" if value is None else f"{what} is no object")
    return value


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise PairingsError(f"{what} is missing" if value is None else f"{what} is no list")
    return value


def _text(value: Any) -> str:
    """Return a value as text; TSH writes a text of only digits as a number."""
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""


def _numbers(value: Any, what: str) -> list[int | None]:
    """Return the whole numbers in a list by round; an empty list if it is missing."""
    listed = [] if value is None else _list(value, what)
    if len(listed) > _MOST_ROUNDS:
        raise PairingsError(f"{what}: more than {_MOST_ROUNDS} rounds")
    return [_whole(one, f"{what}, round {place}") for place, one in enumerate(listed, start=1)]


def _whole(value: Any, what: str) -> int | None:
    """Return a whole number, also one written as text; None if there is none."""
    found = value
    if isinstance(value, str):
        if not value.strip():
            return None
        found = whole(value.strip())
    if isinstance(found, float) and found.is_integer():
        found = int(found)
    if value is None:
        return None
    if isinstance(found, float) and math.isinf(found):
        raise PairingsError(f"{what}: the number is beyond 10^308; a whole number is up to {_MOST}")
    if type(found) is not int or abs(found) > _MOST:
        raise PairingsError(f"{what}: {str(value)[:20]!r} is no whole number up to {_MOST}")
    return found


def _at(values: Sequence[int | None], place: int) -> int | None:
    return values[place] if place < len(values) else None
