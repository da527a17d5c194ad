"""A game's values as lines of text, named and written as scenes for Woogles' broadcasts expect.

The names and forms are those of Woogles' OBS endpoints, which took them from WatchGCG: existing
scenes need another host and nothing else. Player 1 is who moved first, as in a game record.
Standings, ratings and the round come from the file of pairings; without one those are empty.

A slot's values have the addresses that scenes for Woogles' broadcasts have, and short ones:
``<field>`` is a page for a browser source, ``<field>.txt`` its text alone, ``events`` a stream of
all values as JSON, ``<field>/events`` one of a field's text. In Woogles' addresses the name of the
broadcast or user before the slot may be any.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import Blueprint, Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from dashboard.access import withdrawn
from dashboard.event import Event, round_of
from dashboard.feeds.feed import Views, encode
from dashboard.overlay.followers import NOTHING
from dashboard.overlay.pages import lag_s, whereabouts
from dashboard.overlay.slots import FEATURE, Slots
from dashboard.parts import part
from dashboard.site import Table, this_site
from dashboard.standings import standing_of
from dashboard.streaming.response import stream
from dashboard.streaming.streams import Follower
from dashboard.value_style import ValueStyleError, require_possible
from game.board import EMPTY
from game.tile_symbols import spelled
from game.tileset import BLANK, load_tile_set
from table.pairings.details import EventDetails

NO_EVENT: Final = EventDetails()

_STANDINGS: Final = tuple(
    f"p{number}_{what}" for number in (1, 2) for what in ("record", "place", "spread", "rating")
)

FIELDS: Final = (
    "score",
    "p1_score",
    "p2_score",
    "name",
    "p1_name",
    "p2_name",
    "combined_names",
    "unseen_tiles",
    "unseen_count",
    "last_play",
    "blank1",
    "blank2",
    "table",
    "division",
    "tournament",
    "round",
    "opponent_name",
    *_STANDINGS,
)
"""Every value there is. ``name`` is ``combined_names``."""

_LAST: Final = "     LAST PLAY: "

_PASSED_OVER: Final = ("challenge_failed", "undone")
"""Kinds of turn that are never the last play: the play before them still is."""

_DONE: Final = {
    "exchange": "exch (unknown)",
    "exchange_or_pass": "exch or pass",
    "not_known": "not known",
    "pass": "pass",
}

_OFF: Final = {
    "challenge_upheld": "CHALLENGED OFF",
    "illegal_play": "ILLEGAL PLAY",
    "taken_back": "TAKEN BACK",
}


def values(
    view: Mapping[str, Any] | None, table: str, details: EventDetails = NO_EVENT
) -> dict[str, str]:
    """Return every value of a game as its audience sees it; empty ones without a view."""
    found = dict.fromkeys(FIELDS, "")
    found["table"], found["tournament"] = table, details.title
    if view is None:
        return found
    if "withheld" in view and not view["final"]:  # there are no scores to show
        return _withheld(found, view)
    first = _first(view)
    one, two = (view["players"][side] for side in (first, _OTHER[first]))
    blanks = [*_blank_plays(view), "", ""]
    names = f"{_in_line(one['name'])} - {_in_line(two['name'])}"
    return {
        **found,
        "score": f"{one['score']:03d} - {two['score']:03d}",
        "p1_score": f"{one['score']:3d}",
        "p2_score": f"{two['score']:3d}",
        "name": names,
        "p1_name": one["name"],
        "p2_name": two["name"],
        "combined_names": names,
        **_unseen(view),
        "last_play": _LAST + _last_play(view),
        "blank1": blanks[0],
        "blank2": blanks[1],
        **_of_the_event(details, (one["name"], two["name"])),
    }


def _in_line(name: str) -> str:
    """Return a name for a line of text; one written from right to left keeps to itself there."""
    leads = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name)
    return f"\u2068{name}\u2069" if leads else name


def _withheld(found: dict[str, str], view: Mapping[str, Any]) -> dict[str, str]:
    """Return the values of a game that is not shown: the players' names."""
    one, two = (view["players"][side]["name"] for side in _OTHER)
    names = f"{_in_line(one)} - {_in_line(two)}"
    return {**found, "p1_name": one, "p2_name": two, "name": names, "combined_names": names}


def _of_the_event(details: EventDetails, names: tuple[str, str]) -> dict[str, str]:
    """Return the round, and each player's rating and standing, as far as they are known."""
    round_ = round_of(details, names)
    found = {"round": "" if round_ is None else str(round_)}
    for number, name in enumerate(names, start=1):
        player = details.entrant(name)
        found["division"] = found.get("division") or player.division
        if player.rating is not None:
            found[f"p{number}_rating"] = str(player.rating)
        own = standing_of(details, name)
        if own is not None:
            found[f"p{number}_record"] = f"{own.wins:g}-{own.losses:g}"
            found[f"p{number}_place"] = str(own.rank)
            found[f"p{number}_spread"] = f"{own.spread:+d}"
    return found


_OTHER: Final = {"left": "right", "right": "left"}


def _first(view: Mapping[str, Any]) -> str:
    """Return the side that moves first."""
    if view["turns"]:
        return str(view["turns"][0]["side"])
    return str(view["on_turn"] or "left")


def _unseen(view: Mapping[str, Any]) -> dict[str, str]:
    unseen: Mapping[str, int] | None = view.get("unseen")
    if unseen is None:  # withheld
        return {}
    tile_set = load_tile_set(view["tile_set"]["id"])
    order = [*(tile for tile in tile_set.counts if tile != BLANK), BLANK]
    groups = [tile_set.text(tile) * unseen[tile] + " " for tile in order if unseen.get(tile)]
    vowels = sum(count for tile, count in unseen.items() if is_vowel(tile, tile_set.id))
    total = sum(unseen.values())
    consonants = total - vowels - unseen.get(BLANK, 0)
    return {
        "unseen_tiles": "".join(groups),
        "unseen_count": (
            f"{total} tile{_s(total)}\n"
            f"{vowels:2d} vowel{_s(vowels)} | {consonants:2d} consonant{_s(consonants)}"
        ),
    }


def is_vowel(tile: str, tile_set: str) -> bool:
    """True if a tile counts as a vowel; a blank is neither a vowel nor a consonant."""
    plain = unicodedata.normalize("NFD", spelled(tile))[:1]
    return plain in ("A", "E", "I", "O", "U") or (plain == "Y" and tile_set == "polish")


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _last_play(view: Mapping[str, Any]) -> str:
    spellings = view["tile_set"]["spellings"]
    for turn in reversed(view["turns"]):
        if turn["kind"] in _PASSED_OVER:
            continue
        name = _in_line(view["players"][turn["side"]]["name"])
        if turn["kind"] in _OFF:
            return f"{name} {_OFF[turn['kind']]} {_shown(turn, spellings)}".rstrip()
        figures = f"{turn['score']} {turn['total']}"
        if turn["word"] is None:
            return f"{name} {_DONE.get(turn['kind'], turn['kind'].replace('_', ' '))} {figures}"
        return f"{name} {turn['position']} {_shown(turn, spellings)} {figures}"
    return "(no play yet)"


def _shown(turn: Mapping[str, Any], spellings: Mapping[str, str]) -> str:
    """Return the word of a play, with the tiles that were already there in parentheses."""
    word = turn["word"] or ""
    whole = turn["words"][0]["symbols"] if turn["words"] else word
    if len(whole) != len(word):
        return str(turn["words"][0]["text"])
    texts = [spellings.get(symbol, symbol) for symbol in whole]
    shown = "".join(
        f"({text})" if played == EMPTY else text for played, text in zip(word, texts, strict=True)
    )
    return shown.replace(")(", "")


def _blank_plays(view: Mapping[str, Any]) -> list[str]:
    """Return the words of the plays with a blank, its letter in lower case."""
    return [
        turn["words"][0]["text"]
        for turn in view["turns"]
        if turn["kind"] == "play"
        and turn["words"]
        and any(tile == BLANK or tile.islower() for tile in turn["tiles"].values())
    ]


Where = Callable[[], tuple[Table, Views] | None]
"""Returns the table that is in the slot now, and its feed; None if there is none."""


Details = Callable[[], EventDetails]
"""Returns the tournament's details, as late as the game is."""


def values_of(
    there: tuple[Table, Views] | None, details: Details = EventDetails, fresh: bool = True
) -> dict[str, str]:
    """Return the values of a table as its feed shows it; empty ones without a table."""
    if there is None:
        return values(None, "")
    table, feed = there
    newest = feed.since(None, fresh)
    return values(newest[-1].view if newest else None, table.name, details())


class ValueFollower(Follower):
    """All values whenever one has changed, as one JSON object, or one field's text alone.

    The messages have no ids: a client that reconnects gets the current values.
    """

    def __init__(
        self,
        where: Where,
        details: Details = EventDetails,
        field: str | None = None,
        ended: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(None, ended)
        self._where, self._details, self._field = where, details, field
        self._last_sent: Mapping[str, str] | str | None = None

    @property
    def feed(self) -> Views:
        """The feed of the table that is there now."""
        there = self._where()
        return there[1] if there else NOTHING

    def beat(self) -> bytes:
        """Return a comment, which a reader of the stream ignores."""
        return b": heartbeat\n\n"

    def new_frames(self, fresh: bool = False) -> bytes:
        """Return the values as an event if one has changed; else empty bytes."""
        there = self._where()
        newest = there[1].since(None, fresh) if there else []
        self._last_id = newest[-1].id if newest else None
        found = values_of(there, self._details, fresh=False)
        shown_values = found if self._field is None else found[self._field]
        if shown_values == self._last_sent:
            return b""
        self._last_sent = shown_values
        lines = (
            [encode(shown_values).decode()]
            if self._field is None
            else str(shown_values).split("\n")
        )
        return "".join([*(f"data: {line}\n" for line in lines), "\n"]).encode()


_OPEN: Final = {
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
"""Headers that let pages from anywhere read the values, which no cookie protects."""

_BIG: Final = {"score": 48, "p1_score": 48, "p2_score": 48, "blank1": 36, "blank2": 36}
_SIZES: Final = {**dict.fromkeys(FIELDS, 20), **_BIG, "last_play": 24}
"""The size of letters in pixels, unless the address says another."""

blueprint = Blueprint("obs", __name__)


@blueprint.get("/obs/<slot>/events")
@blueprint.get("/api/broadcasts/obs/<broadcast>/<slot>/events", endpoint="broadcast_events")
@blueprint.get("/api/annotations/obs/user/<broadcast>/<slot>/events", endpoint="user_events")
def events(slot: str, broadcast: str = "") -> ResponseReturnValue:  # noqa: ARG001
    """All values, whenever one has changed."""
    return stream(ValueFollower(_where(slot), _details(), ended=withdrawn()), _OPEN)


@blueprint.get("/obs/<slot>/<field>/events")
def field_events(slot: str, field: str) -> ResponseReturnValue:
    """One value, whenever it has changed."""
    return stream(ValueFollower(_where(slot), _details(), _known(field), withdrawn()), _OPEN)


@blueprint.get("/obs/<slot>/<name>")
@blueprint.get("/api/broadcasts/obs/<broadcast>/<slot>/<name>", endpoint="broadcast_value")
@blueprint.get("/api/annotations/obs/user/<broadcast>/<slot>/<name>", endpoint="user_value")
def value(slot: str, name: str, broadcast: str = "") -> ResponseReturnValue:  # noqa: ARG001
    """One value, as text or as a page that keeps up by itself."""
    field = _known(name.removesuffix(".txt"))
    try:
        require_possible(request.args)
    except ValueStyleError as error:
        abort(400, description=str(error))
    text = values_of(_where(slot)(), _details())[field]
    if name.endswith(".txt"):
        answer = Response(text, mimetype="text/plain", headers=_OPEN)
    else:
        answer = Response(
            render_template(
                "obs/value.html",
                field=field,
                text=text,
                size=_SIZES[field],
                events=request.path.rsplit("/", 1)[0] + "/events",
            )
        )
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _known(field: str) -> str:
    if field not in FIELDS:
        abort(404, description=f"There is no value {field[:40]!r}; known are {', '.join(FIELDS)}.")
    return field


def _details() -> Details:
    """Return a function that gives the tournament's details, as late as the request sees games."""
    event, delay_s = part(Event), lag_s()
    return lambda: event.details_at(delay_s)


def _where(slot: str) -> Where:
    """Return a function that gives the table in a slot; any unknown slot means the only table."""
    site = this_site()
    if not part(Slots).known(slot, site) and len(site.tables) == 1:
        slot = FEATURE
    return whereabouts(slot)
