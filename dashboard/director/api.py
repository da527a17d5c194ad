"""The JSON that the director's pages ask for and send."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, TypeAlias

from flask import Blueprint, abort, render_template, send_file
from flask.typing import ResponseReturnValue

from dashboard.access import withdrawn
from dashboard.accounts.guard import current_account, director_only, logged_in, may_watch
from dashboard.director.actions import (
    asked_of,
    attribution_of,
    event_of,
    game_meant,
    happened_at,
    require_own_reason,
    source_of,
    turn_meant,
)
from dashboard.director.concerns import rack_doubts, troubles
from dashboard.director.dispute import ArchiveError, dispute, make_archive
from dashboard.director.folded_page import FoldedPage, folded_page, newest_game
from dashboard.director.game_record import record
from dashboard.director.overview import Overview, OverviewFollower, games
from dashboard.director.play_shown import shown_play
from dashboard.director.turn_pictures import boards_of
from dashboard.parts import part
from dashboard.responses import as_download, json_answer
from dashboard.sent import sent_object
from dashboard.site import Table, this_site
from dashboard.streaming.response import last_event_id, stream
from game.adjudication.preview import (
    GONE_ON,
    Difference,
    after_entry,
    between,
    difference,
    left_lying,
    of_no_play,
)
from game.errors import TilewatchError
from game.events import Event, TurnRuled, to_payload
from game.referee.position import UPHELD
from game.state.fold import GameState
from record.story.entries import is_replayed, is_watched
from record.story.event_wording import CAUSES, end_words
from table.desk import (
    Answer,
    Attend,
    CountPlay,
    Desk,
    DeskPress,
    NextGame,
    Post,
    Ruling,
)
from table.refusals import COUNTED, NOT_EMPTY

blueprint = Blueprint("director_api", __name__, url_prefix="/director/api")

TABLE = "/tables/<table_id>"
GAME = f"{TABLE}/games/<game_id>"

STALE: Final = frozenset({GONE_ON, COUNTED})
"""Refusals because the game has changed since the effect was shown: the page shows it again."""

_MOST_PREVIEWS: Final = 60

_Who: TypeAlias = Callable[[], tuple[str, str, str]]
"""Returns the source, the person and the reason of an :class:`table.desk.Attribution`."""


@blueprint.get("/tables/events")
@may_watch
def tables() -> ResponseReturnValue:
    """Every table in a few words, and again whenever one changes."""
    return stream(OverviewFollower(part(Overview), last_event_id(), withdrawn()), staff=True)


@blueprint.get(f"{TABLE}/pulse")
@may_watch
def pulse(table_id: str) -> ResponseReturnValue:
    """Answer with what can change while the game's view does not; pages ask every few seconds."""
    table = this_site().table(table_id)
    desk, found = table.desk, [*troubles(table), *rack_doubts(table, _role())]
    return json_answer(
        {
            "seq": table.log.last_seq if table.log is not None else 0,
            "game_id": newest_game(table),
            "phase": desk.phase if desk is not None else None,
            "uncounted": desk.uncounted if desk is not None else (),
            "troubles": [asdict(one) for one in found],
            "now_ns": table.feeds["director"].now_ns(),
            "rate": table.rate,
        }
    )


@blueprint.get(GAME)
@may_watch
def game(table_id: str, game_id: str) -> ResponseReturnValue:
    """Answer with a game and all that the page shows of it."""
    table = this_site().table(table_id)
    found = record(table, folded_page(table, game_id), _suggested(table, game_id), _role())
    html = render_template(
        "director/record.html", record=found, games=games(table), game=game_id, table=table
    )
    return json_answer({**found, "html": html})


@blueprint.get(f"{GAME}/turns/<int:number>/boards")
@may_watch
def boards(table_id: str, game_id: str, number: int) -> ResponseReturnValue:
    """Answer with the board's corners in each picture of a turn; missing ones are found now."""
    table = this_site().table(table_id)
    page = folded_page(table, game_id)
    _require_turn(page, number)
    wanted = [one["sha256"] for one in dispute(page, number, table.evidence).shown]
    return json_answer({"corners": boards_of(page, number, wanted, table.evidence)})


@blueprint.get(f"{GAME}/turns/<int:number>/play")
@may_watch
def play(table_id: str, game_id: str, number: int) -> ResponseReturnValue:
    """Answer with a turn's play on the board, its picture and its words, as HTML."""
    table = this_site().table(table_id)
    page = folded_page(table, game_id)
    _require_turn(page, number)
    shown = shown_play(page, number, table.evidence)
    return json_answer({"html": render_template("director/play.html", play=shown, table=table)})


def _role() -> str | None:
    account = current_account()
    return account.role if account is not None else None


def _require_turn(page: FoldedPage, number: int) -> None:
    if not 1 <= number <= len(page.state.turns):
        abort(404, description=f"There is no turn {number} in this game.")


@blueprint.post(f"{GAME}/archive")
@director_only
def archive(table_id: str, game_id: str) -> ResponseReturnValue:
    """Answer with the evidence of a game in one signed file, as ``tilewatch export`` makes it."""
    table = this_site().table(table_id)
    page = folded_page(table, game_id)
    if table.log is None:
        abort(404, description="The evidence of this table is not on this machine.")
    try:
        made = make_archive(table.log, page.state.game_id)
    except ArchiveError as error:
        return json_answer({"error": str(error)}, 409)
    name = Path(made.name).name
    answer = as_download(send_file(made, mimetype="application/zip"), name)
    answer.headers["Cache-Control"] = "no-store"
    answer.content_length = os.fstat(made.fileno()).st_size
    return answer


@blueprint.post(f"{GAME}/preview")
@director_only
def preview(table_id: str, game_id: str) -> ResponseReturnValue:
    """Answer with what an event, or each of several, would change; none is entered."""
    table = this_site().table(table_id)
    page = folded_page(table, game_id)
    several = sent_object().get("events")
    if several is None:
        answer = _previewed(table, page, sent_object().get("event"))
        return json_answer(answer | ({} if "refused" in answer else _drawn(page.state, answer)))
    if not isinstance(several, list) or len(several) > _MOST_PREVIEWS:
        abort(400, description=f"events: a list of at most {_MOST_PREVIEWS}")
    return json_answer({"answers": [_previewed(table, page, one) for one in several]})


@blueprint.post(f"{GAME}/rule")
@director_only
def rule(table_id: str, game_id: str) -> ResponseReturnValue:
    """Enter an event.

    With ``effect``, the digest of the change shown beforehand, the event is entered only if it
    still makes this change; with ``flag``, the flag that it answers, only if that is unchanged.
    """
    table = this_site().table(table_id)
    page = folded_page(table, game_id)
    desk, account = _desk(table), logged_in()
    try:
        event = _event(table, page, sent_object().get("event"))
        require_own_reason(event)
        if (asked := sent_object().get("flag")) is not None:
            asked_of(page.state, asked)
        shown = sent_object().get("effect")
        # What the table is to do is what is judged now, however much later it gets there.
        name = difference(page.state, event).digest() if shown is None else str(shown)
    except TilewatchError as error:
        return json_answer({"error": str(error)}, 409)
    answer = desk.post(Ruling(game_id, event, source_of(account), name))
    after = folded_page(table, game_id)
    if not answer.done:
        return _refused(after.state, answer.refused)
    found = between(*_around(table, answer.seq, (page.state, after.state)))
    return json_answer(
        {
            "seq": answer.seq,
            "number": _number(page, after, answer.seq),
            "event": to_payload(event),
            "text": _text(after, answer.seq) + _to_do(event, after.state, newest_game(table)),
            "difference": found.as_json() | {"scores": _scores(found, after.state), "beyond": []},
            "on_disk": answer.on_disk,
        },
        _status(answer),
    )


def _refused(state: GameState, why: str | None) -> ResponseReturnValue:
    """Answer with ``why`` an event was refused, or that its question was answered meanwhile."""
    asked = sent_object().get("flag")
    if asked is not None:
        try:
            asked_of(state, asked, still_open=True)
        except TilewatchError as error:
            return json_answer({"error": str(error)}, 409)
    return json_answer({"error": why, "stale": why in STALE}, 409)


def _attended(who: _Who, sent: Mapping[str, Any], _now_ns: int) -> Attend:
    code, what, message = sent.get("code"), sent.get("what", ""), sent.get("message", "")
    if not (isinstance(code, str) and isinstance(what, str) and isinstance(message, str)):
        abort(400, description="code, what, message: name the trouble that was dealt with")
    return Attend(code, what, *who(), message)


ACTIONS: Final[dict[str, Callable[[_Who, Mapping[str, Any], int], Post]]] = {
    "stop": lambda who, sent, now_ns: DeskPress("neutral", now_ns, *who(), game_meant(sent)),
    # A player's clock is started again after a stop: the other's button is pressed.
    "start/left": lambda who, sent, now_ns: DeskPress(
        "right", now_ns, *who(), game_meant(sent), turn_meant(sent)
    ),
    "start/right": lambda who, sent, now_ns: DeskPress(
        "left", now_ns, *who(), game_meant(sent), turn_meant(sent)
    ),
    "next": lambda who, sent, _: NextGame(
        *who(), game_meant(sent), sent.get("despite_tiles") is True
    ),
    "count": lambda who, sent, _: CountPlay(*who(), game_meant(sent)),
    "attend": _attended,
}
"""A director's requests to a table besides rulings, by the end of the address. Each function
takes the function that returns who acts and why, the JSON sent, and the table's time."""


def _who() -> tuple[str, str, str]:
    who = attribution_of(sent_object(), logged_in())
    return who.source, who.by, who.why


def _doing(end: str) -> Callable[[str], ResponseReturnValue]:
    """Return the view that posts an action to the table's desk; who acts and why is logged."""

    def view(table_id: str) -> ResponseReturnValue:
        desk, sent = _desk(this_site().table(table_id)), sent_object()
        try:
            answer = desk.post(ACTIONS[end](_who, sent, desk.now_ns()))
        except TilewatchError as error:
            return json_answer({"error": str(error)}, 409)
        if answer.refused is not None:
            despite = answer.refused.startswith(NOT_EMPTY)
            return json_answer({"error": answer.refused, "despite": despite}, 409)
        return json_answer({"seq": answer.seq, "on_disk": answer.on_disk}, _status(answer))

    return view


for _end in ACTIONS:
    blueprint.add_url_rule(f"{TABLE}/{_end}", _end, director_only(_doing(_end)), methods=["POST"])


def _status(answer: Answer) -> int:
    """Return 200 if the entry is on the disk, 202 (accepted) if it is only in memory."""
    return 200 if answer.on_disk else 202


def _event(table: Table, page: FoldedPage, asked: object, why_if_none: str = "") -> Event:
    body = sent_object()
    return event_of(
        asked,
        page.state.tile_set,
        by=body.get("by"),
        why=body.get("why") or why_if_none,
        account=logged_in(),
        t_ns=happened_at(body, _now_ns(table, page)),
    )


def _now_ns(table: Table, page: FoldedPage) -> int:
    """Return the table's time; for a game that was replayed, the end of its recording."""
    if not is_replayed(page.entries):
        return table.clock()
    return max(one.logged.mono_ns for one in page.entries if is_watched(one.event))


def _previewed(table: Table, page: FoldedPage, asked: object) -> dict[str, Any]:
    """Return the effect that an event would have, or the reason why it is refused."""
    try:
        event = _event(table, page, asked, "preview")
        after = after_entry(page.state, event)
        found = between(page.state, after)
        gone = (f"{line}. Was there no such turn?" for line in left_lying(found, after))
        beyond = [*gone, *of_no_play(found, after), *table.beyond(page.state, after)]
    except TilewatchError as error:
        return {"refused": str(error)}
    return {
        "difference": found.as_json() | {"beyond": beyond},
        "empty": found.empty and not beyond,
        "effect": found.digest(),
    }


def _drawn(state: GameState, effect: Mapping[str, Any]) -> dict[str, str]:
    """Return an effect as HTML."""
    words = {"players": state.players, "ends": end_words(state), "causes": CAUSES}
    return {"html": render_template("director/effect.html", **effect, **words)}


def _desk(table: Table) -> Desk:
    if table.desk is None:
        abort(409, description="This table can only be watched from here.")
    return table.desk


def _suggested(table: Table, game_id: str) -> Mapping[str, Any] | None:
    """Return the letters suggested for blanks; None unless this is the feed's current game."""
    latest = table.feeds["director"].latest()
    if latest is None or latest.view["game_id"] != game_id:
        return None
    return latest.view.get("suggestions")


def _around(
    table: Table, seq: int | None, otherwise: tuple[GameState, GameState]
) -> tuple[GameState, GameState]:
    """Return the game before and after the event logged as ``seq``, else ``otherwise``."""
    found = None if seq is None or table.folded is None else table.folded.around(seq)
    return otherwise if found is None else found


def _scores(found: Difference, after: GameState) -> dict[str, list[int]]:
    """Return each changed score without and with the entry, as the game is now."""
    now = after.scores
    return {
        side: [now[side] - (then - was), now[side]] for side, (was, then) in found.scores.items()
    }


def _number(before: FoldedPage, after: FoldedPage, seq: int | None) -> int | None:
    """Return the number in its game of the new event logged as ``seq``; None if not found."""
    fresh = after.entries[len(before.entries) :]
    return next((one.logged.number for one in fresh if one.logged.seq == seq), None)


def _to_do(event: Event, state: GameState, on_table: str | None) -> str:
    """Return what a ruling leaves to be done at the table; empty if nothing."""
    if not isinstance(event, TurnRuled) or event.ruling not in UPHELD:
        return ""
    if event.turn != len(state.turns) or state.game_id != on_table:
        return ""
    played = state.turns[-1].tiles
    return f"; have {'its tiles taken off the board' if played else 'the tiles put back'}"


def _text(page: FoldedPage, seq: int | None) -> str:
    """Return the record with number ``seq``, in one line; empty if it is not in the log yet."""
    return next((page.text(one) for one in page.entries if one.logged.seq == seq), "")
