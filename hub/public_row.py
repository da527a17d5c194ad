"""A table's line in the hall's public feed: its public view in short.

It is made from the table's public view alone, which is delayed and narrowed already, and never
reads a clock. Pages draw the whole card of a table from it: the board, the clocks, the last play,
the course of the game, and what of it was worth telling.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from dashboard.game_numbers import course, play_text
from game.clock import shown
from table.pairings.details import Entrant, table_number

View = Mapping[str, Any]
Row = Mapping[str, Any]

_MOMENTS: Final = 3
"""The newest moments of a game that its line has."""

_SWING: Final = 24.0
"""About the standard deviation, in points, of what one turn changes of the spread."""
_TILES_A_TURN: Final = 4.5
_TENSION: Final = 60
_LIFTS: Final = {"challenge": 25, "bingo": 15, "lead": 12}
_SHORT_OF_TIME: Final = 8
_SHORT_NS: Final = 120 * 1_000_000_000
_RUNNING, _OPEN, _OVER = 10, 6, 4
"""The least drama of a game under way, of one without a final result, and of one that is over."""


def public_row(
    table_id: str,
    name: str,
    view: View | None,
    *,
    offset_ns: int = 0,
    rate: float = 1.0,
    round_: int | None = None,
    entrants: Mapping[str, Entrant] | None = None,
) -> dict[str, Any]:
    """Return the line of a table that shows ``view``, or waits for its first game.

    ``offset_ns`` is the time of the view's moments less the wall time, and ``rate`` how fast they
    pass beside real time. ``entrants`` are the players as the file of pairings has them, by side.
    """
    known: dict[str, Any] = {"id": table_id, "name": name, "round": round_}
    if view is None:
        nothing: dict[str, Any] = {"players": None, "on_turn": None, "turns": 0, "bag_count": None}
        ends = dict.fromkeys(("settled", "final", "no_result", "provisional"), False)
        return {**known, "status": "waiting", **nothing, **ends, "winner": None, "drama": 0}
    if "withheld" in view:
        return {**known, **_withheld(view)}
    spreads = [one.scores["left"] - one.scores["right"] for one in course(view)]
    return {
        **known,
        "game": view["game_id"],
        "status": view["status"],
        "players": {
            side: {**player, **_details((entrants or {}).get(side))}
            for side, player in view["players"].items()
        },
        "on_turn": view["on_turn"],
        "turns": len(view["turns"]),
        "bag_count": view["bag_count"],
        "settled": view["settled"],
        "final": view["final"],
        "no_result": view["no_result"],
        "provisional": view["provisional"],
        "winner": _winner(view),
        "board": view["rows"],
        "spellings": view["tile_set"]["spellings"],
        "last": _last(view),
        "course": spreads,
        "moments": list(_moments(view, spreads))[-_MOMENTS:],
        "clocks": _clocks(view),
        "offset_ns": offset_ns,
        "rate": rate,
        "drama": drama(view, spreads),
    }


def _withheld(view: View) -> dict[str, Any]:
    """Return the line of a game that is not shown: who plays, and the result if that is."""
    ends = ("settled", "final", "no_result", "provisional")
    return {
        "game": view["game_id"],
        "status": view["status"],
        "players": {
            side: player if view["final"] else {**player, "score": ""}
            for side, player in view["players"].items()
        },
        "on_turn": None,
        "turns": 0,
        "bag_count": None,
        **{key: view[key] for key in ends},
        "winner": _winner(view),
        "withheld": view["withheld"],
        "drama": 0,
    }


def _details(entrant: Entrant | None) -> dict[str, Any]:
    if entrant is None:
        return {}
    known = {"country": entrant.country, "rating": entrant.rating}
    return {key: value for key, value in known.items() if value}


def _winner(view: View) -> str | None:
    """Return the winner once nothing can change the result; None before."""
    if not view["final"] or view["provisional"] or view["outcome"] is None:
        return None
    winner: str | None = view["outcome"]["winner"]
    return winner


def _clocks(view: View) -> dict[str, Any] | None:
    """Return the clocks of a game under way."""
    clocks = view["clocks"]
    if clocks is None or view["status"] == "ended":
        return None
    return {key: clocks[key] for key in ("running", "since_ns", "remaining_ns")}


def _last(view: View) -> dict[str, Any] | None:
    """Return the newest turn; None before a first one."""
    if not view["turns"]:
        return None
    turn = view["turns"][-1]
    return {
        **{key: turn[key] for key in ("number", "side", "kind", "position", "score")},
        "word": play_text(turn),
        "bingo": bool(turn["bingo"]),
        "squares": view["last"],
    }


def _moments(view: View, spreads: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Yield what was worth telling of a game, oldest first."""
    for turn in view["turns"]:
        kind = _moment_of(turn, spreads)
        if kind:
            yield {
                "kind": kind,
                **{key: turn[key] for key in ("number", "side", "score", "press_ms")},
                "word": play_text(turn),
            }
    if view["final"] and view["turns"]:
        won = _winner(view)
        word, margin = "", abs(spreads[-1])
        turn = view["turns"][-1]
        given = {"number": turn["number"], "press_ms": turn["press_ms"]}
        yield {"kind": "over", **given, "side": won, "score": margin, "word": word}


def _moment_of(turn: View, spreads: Sequence[int]) -> str:
    if turn["kind"].startswith("challenge"):
        return "challenge"
    if turn["bingo"] and turn["kind"] == "play":
        return "bingo"
    return "lead" if _took_the_lead(turn, spreads) else ""


def _took_the_lead(turn: View, spreads: Sequence[int]) -> bool:
    """Return True if a turn took the lead from the opponent."""
    sign = 1 if turn["side"] == "left" else -1
    at: int = turn["number"]
    return spreads[at - 1] * sign < 0 < spreads[at] * sign


# --- the most dramatic first ---


def drama(view: View, spreads: Sequence[int]) -> int:
    """Return how dramatic a game is, from 0 to 100: the hall's order.

    A game under way has up to 60 for being close *and* late: the lead counts in units of what the
    turns to come may change of it. The newest turn adds 25 for a challenge, 15 for a bingo or 12
    for a new leader; that passes with the next turn. A clock under two minutes adds 8. A game
    whose result is not final stands behind all games under way, and one that is over behind those.
    """
    if view["status"] == "waiting" or not view["turns"]:
        return _RUNNING if view["status"] == "running" else 0
    if view["status"] == "ended":
        return _OVER if view["final"] or view["no_result"] else _OPEN
    turn, clocks = view["turns"][-1], view["clocks"]
    total: int = max(1, view["tile_set"]["total"])
    left = max(1, total - len(view["squares"]))
    swing = _SWING * math.sqrt(left / _TILES_A_TURN)
    close = math.exp(-((spreads[-1] / swing) ** 2) / 2)
    late = 1 - left / total
    asked = clocks is not None and clocks.get("stopped_for") == "challenge"
    moment = "challenge" if asked else _moment_of(turn, spreads)
    short = clocks is not None and min(clocks["remaining_ns"].values()) < _SHORT_NS
    found = _RUNNING + _TENSION * close * late + _LIFTS.get(moment, 0) + _SHORT_OF_TIME * short
    return min(100, round(found))


def by_number(rows: Iterable[Row]) -> list[Row]:
    """Return lines in order of the tables' numbers, 2 before 10, as ``hall.js`` does."""
    return sorted(rows, key=lambda row: (table_number(row["id"]) or 0, row["id"]))


def by_drama(rows: Iterable[Row]) -> list[Row]:
    """Return lines with the most dramatic game first, else in order of the tables' numbers."""
    return sorted(by_number(rows), key=lambda row: -row["drama"])


def newest_moments(rows: Iterable[Row], now_ms: int, most: int = 12) -> list[dict[str, Any]]:
    """Return the newest moments of all tables, newest first, each with its line and age.

    ``now_ms`` is the wall time.
    """
    found = [
        {**one, "row": row, "ago_ms": now_ms + row["offset_ns"] // 1_000_000 - one["press_ms"]}
        for row in rows
        for one in row.get("moments", ())
    ]
    newest = sorted(found, key=lambda one: one["ago_ms"])[:most]
    return [{**one, "ago_min": max(0, one["ago_ms"] // 60_000)} for one in newest]


def clock_left(row: Row, side: str, now_ns: int) -> str:
    """Return what a player's clock shows at the wall time ``now_ns``; empty without a clock."""
    clocks = row.get("clocks")
    if clocks is None:
        return ""
    left = clocks["remaining_ns"][side]
    if clocks["running"] == side and clocks["since_ns"] is not None:
        passed = max(0, now_ns + row["offset_ns"] - clocks["since_ns"])
        left -= int(passed * row["rate"])
    return shown(left)
