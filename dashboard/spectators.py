"""Pages for everybody: tables and their games, with replay, result, record and picture.

Each shows what the table's public view has shown, and nothing earlier. Other sites may frame them
where the event allows it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from flask import Blueprint, Flask, Response, abort, current_app, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.wsgi import wrap_file

from dashboard import source_code
from dashboard.api.tables import clocks_at, state_answer, stream_answer
from dashboard.around import around_table
from dashboard.board_template import board_rows, place_words, placed_tiles, rack_tiles
from dashboard.commentary.pages import analysed_state
from dashboard.event import Event
from dashboard.game_numbers import chart, course, numbers, play_text, score_sum, spread_bars
from dashboard.gcg import gcg_answer
from dashboard.languages import day, gettext, language, marked
from dashboard.parts import find, part
from dashboard.qr_code import qr_svg
from dashboard.responses import answer, as_download, json_answer
from dashboard.security import under_policy
from dashboard.share_picture import share_picture
from dashboard.shown_games import ShownGames, early_end, how_far
from dashboard.site import Table, this_site
from dashboard.static_files import compressed
from game.clock import passed
from game.clock import shown as clock_text
from game.terms import SIDES, Side, other
from game.tile_symbols import spelled
from record.story.event_wording import CAUSES, ENDS

blueprint = Blueprint("spectators", __name__)

EMBED: Final = "tilewatch.embed"

_PAGE: Final = 20
_LONGEST_CODE: Final = 400
"""The most characters of an address in a QR code that a phone can still read."""
_KINDS: Final = {
    "play": marked("Play"),
    "pass": marked("Pass"),
    "exchange": marked("Exchange"),
    "exchange_or_pass": marked("Exchange or pass"),
    "no_score": marked("No score"),
    "not_known": marked("Not known"),
    "undone": marked("Undone"),
    "taken_back": marked("Taken back"),
    "illegal_play": marked("Illegal play"),
    "illegal_play_unknown": marked("Illegal play"),
    "challenge_upheld": marked("Challenged off"),
    "challenge_failed": marked("Challenge failed"),
    "challenge_withdrawn": marked("Challenge withdrawn"),
    "challenge_bonus": marked("Challenge bonus"),
    "penalty": marked("Penalty"),
    "correction": marked("Correction"),
    "spread": marked("Spread alone"),
    "overtime": marked("Overtime"),
    "overtime_limit": marked("Overtime limit"),
    "starting_score": marked("Starting score"),
    "end_rack": marked("Tiles left with the opponent"),
    "end_rack_penalty": marked("Tiles left over"),
    "limit_raise": marked("By the overtime limit"),
    "agreed": marked("Agreed by both players"),
}


def prepare(app: Flask, embed: Iterable[str] = ()) -> None:
    """Give templates of ``app`` their filters; sites of the origins in ``embed`` may frame it."""
    app.extensions[EMBED] = tuple(embed)
    app.jinja_env.globals["page_frame"] = "page.html"
    app.jinja_env.filters.update(
        passed=passed,
        day_text=day_text,
        deed_text=deed_text,
        early_end=early_end,
        how_far=how_far_text,
        initials=initials,
        kind_text=kind_text,
        outcome_text=outcome_text,
        place_words=place_words,
        play_text=play_text,
        rack_tiles=rack_tiles,
        record=lambda games: f"{games:g}",
        score_sum=score_sum,
        signed=signed,
        spelled=spelled,
        spread_bars=spread_bars,
    )


def kind_text(kind: str) -> str:
    """Return the kind of a turn or an adjustment in words."""
    return gettext(_KINDS.get(kind) or kind.replace("_", " ").capitalize())


def deed_text(kind: str) -> str:
    """Return the kind of a turn in words, after a player's name: ``no score``."""
    words = kind_text(kind)
    return words if language() == "de" else words[:1].lower() + words[1:]


def how_far_text(view: Mapping[str, Any]) -> str:
    """Return how far a view's game is, in words."""
    return gettext(how_far(view))


def outcome_text(kind: str) -> str:
    """Return the reason why a game was not played out, in words."""
    return gettext(ENDS.get(kind) or CAUSES.get(kind) or kind.replace("_", " "))


def initials(name: str) -> str:
    """Return a name in at most three letters, as ``turns.js`` has them: ``IPB``."""
    parts = [part for part in re.split(r"[\s.,'-]+", name) if part]
    return "".join(part[0].upper() for part in parts[:3])


def signed(points: int) -> str:
    """Return points with their sign: ``+12``, ``−5``, ``0``."""
    return f"{points:+d}".replace("-", "−") if points else "0"


def day_text(wall_ns: int) -> str:
    """Return the day and the time of day here: ``22 November 2026, 14:05``."""
    moment = datetime.fromtimestamp(wall_ns / 1e9).astimezone()
    return f"{day(moment)}, {moment:%H:%M}"


def _table_page(table: Table, game_id: str | None = None, *, embed: bool = False) -> Response:
    """Return a table's page: with the game on the table, or only with the game of this id."""
    latest = table.public.latest()
    shown = _as_it_counts(table, latest.view) if latest else None
    past, earlier = False, None
    if game_id is None and shown is not None:
        earlier = next(iter(part(ShownGames).lines(table, shown["game_id"], 1)), None)
    if game_id is not None:
        past = shown is None or shown["game_id"] != game_id
        shown = _shown(table, game_id)
    page = render_template(
        "table.html",
        table=table,
        rows=board_rows(),
        hall="hall" in request.args,
        embed=embed,
        embeddable=bool(current_app.extensions[EMBED]),
        game=game_id,
        past=past,
        earlier=earlier,
        analysed=shown is not None and analysed_state(table, shown["game_id"], shown) is not None,
        placed=placed_tiles(shown) if shown else {},
        around=_around(table, shown),
        spreads=[one.scores["left"] - one.scores["right"] for one in course(shown)]
        if shown
        else [],
        **(_as_loaded(table, shown) if shown else {}),
        **(result_of(shown) if shown else {"view": None}),
    )
    return compressed(answer(page, cache="no-cache"))


def _as_loaded(table: Table, view: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of what the page's script draws later, for readers without scripts."""
    newest = view["turns"][-1] if view["turns"] else None
    left = clocks_at(view, table.public.now_ns())["remaining_ns"]
    state = view["status"]
    if state == "ended":
        over = "no_result" if view["no_result"] else "over"
        state = "provisional" if view["provisional"] else "final" if view["final"] else over
    return {
        "state": state,
        "newest_tiles": rack_tiles(view, newest) if newest else [],
        "clocks": {side: clock_text(ns) for side, ns in left.items()} if left else None,
    }


def _course(view: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the spread after each turn, and the numbers of turns with a bingo."""
    if view is None:
        return {"spreads": [], "bingos": []}
    return {
        "spreads": [one.scores["left"] - one.scores["right"] for one in course(view)],
        "bingos": [
            turn["number"] for turn in view["turns"] if turn["bingo"] and turn["kind"] == "play"
        ],
    }


def result_of(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values for the template of a game's result."""
    moments = course(view)
    return {
        "view": view,
        "sides": SIDES,
        "numbers": numbers(view),
        "moments": moments,
        "chart": chart(moments) if view["turns"] else None,
    }


@blueprint.get("/")
def home() -> ResponseReturnValue:
    """Answer with the page of the first table."""
    tables = this_site().tables
    return _table_page(tables[0]) if tables else abort(404)


@blueprint.get("/tables/<table_id>")
def table_page(table_id: str) -> ResponseReturnValue:
    """One table's game."""
    return _table_page(this_site().table(table_id))


@blueprint.get("/tables/<table_id>/around")
def around(table_id: str) -> ResponseReturnValue:
    """Answer with the players' details, the round and the next pairing at the table."""
    table = this_site().table(table_id)
    latest = table.public.latest()
    return json_answer(_around(table, latest.view if latest else None))


def _around(table: Table, view: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the tournament around a table, with ``coming``, the next pairing in a sentence."""
    found = around_table(table, view)
    coming = found["next"]
    if coming is None:
        return {**found, "coming": ""}
    env = current_app.jinja_env
    begins = env.globals.get("begins")
    moment = begins(coming["round"]) if callable(begins) else None
    names = {side: coming["players"][side]["name"] for side in SIDES}
    if moment is None:
        text = gettext(
            "Next at this table, round %(number)s: %(left)s – %(right)s",
            number=coming["round"],
            **names,
        )
    else:
        text = gettext(
            "Next at this table, round %(number)s, %(when)s: %(left)s – %(right)s",
            number=coming["round"],
            when=env.filters["moment_text"](moment),
            **names,
        )
    return {**found, "coming": text}


@blueprint.get("/tables/<table_id>/live")
def live(table_id: str) -> ResponseReturnValue:
    """Answer with the data of the table's page; ``[serve] api`` does not close this address."""
    table = this_site().table(table_id)
    return state_answer(table, table.public)


@blueprint.get("/tables/<table_id>/turns/<int:number>/words")
def looked_up(table_id: str, number: int) -> ResponseReturnValue:
    """Answer for each word of a play if the table's word list has it.

    Only for a play whose public turn says if it is a phoney: the event allows it, and the right to
    challenge has gone.
    """
    table = this_site().table(table_id)
    latest = table.public.latest()
    turns: list[dict[str, Any]] = latest.view["turns"] if latest else []
    turn: dict[str, Any] = next((one for one in turns if one["number"] == number), {})
    if table.words is None or "phoney" not in turn:
        abort(404, description="The words of this play may not be looked up, or not yet.")
    return json_answer(
        {
            "words": [
                {"text": word["text"], "listed": word["symbols"].upper() in table.words}
                for word in turn["words"]
            ]
        }
    )


@blueprint.get("/tables/<table_id>/live/events")
def live_events(table_id: str) -> ResponseReturnValue:
    """Stream the table's public view."""
    table = this_site().table(table_id)
    return stream_answer(table, table.public)


@blueprint.get("/source.tar.gz")
def source() -> ResponseReturnValue:
    """Answer with the source of what runs here, as the licence requires."""
    data = source_code.archive()
    # As a file: a server copies bytes for everybody who is slow to take them.
    made = Response(
        wrap_file(request.environ, io.BytesIO(data)),
        mimetype="application/gzip",
        direct_passthrough=True,
    )
    made.content_length = len(data)
    return as_download(made, "tilewatch-source.tar.gz")


@blueprint.get("/tables/<table_id>/games")
def games_page(table_id: str) -> ResponseReturnValue:
    """The games of a table, newest first."""
    table = this_site().table(table_id)
    event, found = find(Event), part(ShownGames).lines(table, request.args.get("before"), _PAGE + 1)
    waits = event.source.waits if event is not None else lambda _table, _game: False
    lines = [replace(one, provisional=one.provisional or waits(table.id, one.id)) for one in found]
    return render_template(
        "games.html",
        table=table,
        lines=lines[:_PAGE],
        begun=table.public.latest() is not None,
        more=lines[_PAGE - 1].id if len(lines) > _PAGE else None,
    )


@blueprint.get("/tables/<table_id>/games/<game_id>")
def game_page(table_id: str, game_id: str) -> ResponseReturnValue:
    """One game of a table, to be replayed; it follows the game while it is played."""
    return _table_page(this_site().table(table_id), game_id)


@blueprint.get("/tables/<table_id>/games/<game_id>/view")
def game_view(table_id: str, game_id: str) -> ResponseReturnValue:
    """Answer with the data of a game's page."""
    return json_answer(_shown(this_site().table(table_id), game_id))


@blueprint.get("/tables/<table_id>/games/<game_id>/result")
def game_result(table_id: str, game_id: str) -> ResponseReturnValue:
    """The result card of a game, as a part of its page."""
    table = this_site().table(table_id)
    view = _shown(table, game_id)
    hall = "hall" in request.args
    return answer(render_template("parts/result.html", table=table, hall=hall, **result_of(view)))


@blueprint.get("/tables/<table_id>/games/<game_id>/game.gcg")
def game_gcg(table_id: str, game_id: str) -> ResponseReturnValue:
    """Answer with the record of a game, as far as everybody may know it."""
    table = this_site().table(table_id)
    view = _shown(table, game_id)
    text = part(ShownGames).gcg(table, game_id)
    if text is None:
        abort(404, description="There is no record of this game in GCG.")
    names = "-".join(view["players"][side]["name"] for side in SIDES)
    name = re.sub(r"\W+", "-", names.casefold()).strip("-") or "game"
    return gcg_answer(text, f"{name}.gcg")


@blueprint.get("/tables/<table_id>/games/<game_id>/sheet")
def game_sheet(table_id: str, game_id: str) -> ResponseReturnValue:
    """The score sheet of a game, as far as everybody may know it, for paper and PDF."""
    table = this_site().table(table_id)
    view = _shown(table, game_id)
    first: Side = view["turns"][0]["side"] if view["turns"] else "left"
    return render_template("sheet.html", table=table, view=view, sides=(first, other(first)))


@blueprint.get("/tables/<table_id>/games/<game_id>/picture.png")
def game_picture(table_id: str, game_id: str) -> ResponseReturnValue:
    """Answer with the preview picture of a link to a game."""
    table = this_site().table(table_id)
    return _picture(table, _shown(table, game_id))


@blueprint.get("/tables/<table_id>/picture.png")
def table_picture(table_id: str) -> ResponseReturnValue:
    """Answer with the preview picture of a link to a table."""
    table = this_site().table(table_id)
    latest = table.public.latest()
    return _picture(table, _as_it_counts(table, latest.view) if latest else None)


@blueprint.get("/share-code.svg")
def share_code() -> ResponseReturnValue:
    """Answer with the address of a page, given in ``?address=``, as a QR code for phones."""
    address = request.args.get("address", "")
    if not address.startswith((f"http://{request.host}/", f"https://{request.host}/")):
        abort(404, description="Codes are made of this site's own addresses.")
    if len(address) > _LONGEST_CODE:
        abort(414)
    return Response(qr_svg(address, 4), mimetype="image/svg+xml")


@blueprint.get("/embed/tables/<table_id>")
@blueprint.get("/embed/tables/<table_id>/games/<game_id>")
def embedded(table_id: str, game_id: str | None = None) -> ResponseReturnValue:
    """A table or a game in a frame of another site, where the event allows that site."""
    origins = current_app.extensions[EMBED]
    if not origins:
        abort(404, description="This event shows no games on other sites.")
    page = _table_page(this_site().table(table_id), game_id, embed=True)
    return under_policy(page, frame_ancestors=" ".join(("'self'", *origins)))


@blueprint.get("/favicon.ico")
def favicon() -> ResponseReturnValue:
    """The icon at its traditional address."""
    return current_app.send_static_file("touch-icon.png")


@blueprint.get("/apple-touch-icon.png")
def touch_icon() -> ResponseReturnValue:
    """The icon for a phone's home screen."""
    return current_app.send_static_file("touch-icon.png")


def _shown(table: Table, game_id: str) -> dict[str, Any]:
    """Return a game as everybody may see it, or a 404."""
    view = part(ShownGames).view(table, game_id)
    if view is None:
        abort(404, description="There is no such game at this table, or not yet for everybody.")
    return _as_it_counts(table, view)


def _as_it_counts(table: Table, view: dict[str, Any]) -> dict[str, Any]:
    """Return a view, provisional while its final result does not count yet at the event."""
    event = find(Event)
    waits = view["final"] and event is not None and event.source.waits(table.id, view["game_id"])
    return {**view, "provisional": True} if waits else view


def _picture(table: Table, view: Mapping[str, Any] | None) -> Response:
    made = answer(share_picture(view, table.name), "image/png", "no-cache")
    made.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return made
