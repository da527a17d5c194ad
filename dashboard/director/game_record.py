"""A game as the director's page gets it: the view, the events, the crops, and the seal."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from dashboard.director.concerns import (
    Concern,
    concerns,
    rack_doubts,
    troubles,
    unnamed,
    unsettled,
)
from dashboard.director.entry_forms import entry_forms
from dashboard.director.folded_page import FoldedPage
from dashboard.director.turn_pictures import crops_of, pictures_asked
from dashboard.site import Table
from game.adjudication.answers import RULINGS, stop_reasons
from game.events import FACTS, ButtonPressed, ResultSigned, Retracted
from game.flag_codes import REPORTED
from game.referee.game_over import scoreless_turn
from game.rulebooks.rulebook import Rulebook
from game.state.fold import GameState
from game.state.reports import reportable
from game.terms import OTHER_GROUND, RECORD_WRONG, SIDES, STOP_REASONS, Shown
from game.tile_symbols import symbol_words
from record.log.event_log import EventLog
from record.seals import digest, fingerprint
from record.story.event_wording import CAUSES, GROUNDS, early, end_words
from table.views.publication import newest_decisions
from table.views.views import view

_NOBODY: Final = "left-both_absent"
"""Neither player came."""

_GUESS: Final = re.compile(r"(\S) (\d{1,3})%")


def record(
    table: Table, page: FoldedPage, words: Mapping[str, Any] | None = None, role: str | None = None
) -> dict[str, Any]:
    """Return everything that the director's page shows an account of this role of a game."""
    state, head = page.state, page.head
    seen = view(state, "director")
    latest = table.feeds["director"].latest()
    on_table = latest is None or latest.view["game_id"] == state.game_id
    at_table = [*troubles(table), *rack_doubts(table, role)] if on_table else []
    beside = [*at_table, *_early(page)]
    if words:
        seen["suggestions"] = words
    found = concerns(seen, beside)
    return {
        "view": seen,
        "concerns": [asdict(one) for one in found],
        "unsettled": None
        if state.no_result  # there is nothing to sign
        else "\n".join(filter(None, (unnamed(seen["players"]), unsettled(found)))) or None,
        "statements": _statements(page),
        "public": _public(table, state),
        "crops": {str(turn): squares for turn, squares in crops_of(page).items()},
        "pictures": {str(turn): one for turn, one in pictures_asked(page, table.evidence).items()},
        "guesses": {
            f"{turn.number}:{one.square}": guesses
            for turn in state.turns
            for one in turn.seen.findings
            if one.square is not None and (guesses := guesses_in(one.detail))
        },
        "head": {
            "seq": head.seq,
            "number": head.number,
            "digest": digest(head.hash),
            "fingerprint": fingerprint(head.key),
            "on_disk": head.on_disk,
        },
        "slip": _slip(page),
        "signed": None
        if state.signed is None
        else {"by": state.signed.by, "t_ns": state.signed.t_ns},
        "export": _export(table, state.game_id),
        "archive": table.log is not None,
        "options": _options(state),
        "phase": table.desk.phase if table.desk is not None else None,
    }


_PUBLIC: Final[dict[Shown, str]] = {
    "result": "no more than the result of this game",
    "nothing": "neither the moves nor the result of this game",
}


def _public(table: Table, state: GameState) -> str | None:
    """Return what the public sees of a game that is not shown whole, and by whose decision."""
    now = table.showing(state.game_id)
    short = [one for one in (now.name(side, now.names.get(side, "")) for side in SIDES) if one]
    same = short == [*now.names.values()]
    names = [] if same else [f"The players are {' and '.join(short)} there."]
    if not now.is_withheld:
        return " ".join(names) or None
    decided = next((one for one in newest_decisions(state) if one is not None), None)
    by = "as the event and its list of players have it"
    if decided is not None and decided.shown == now.level:
        by = f"{decided.by}: {decided.why}" if decided.why else decided.by
    return " ".join((f"The public sees {_PUBLIC[now.level]} ({by}).", *names))


def guesses_in(detail: str) -> list[dict[str, Any]]:
    """Return the likeliest symbols that the camera named for a square: ``may be A 62%, H 31%``."""
    if not detail.startswith("may be "):
        return []
    return [
        {"symbol": symbol, "p": int(p) / 100, "words": symbol_words(symbol)}
        for symbol, p in _GUESS.findall(detail)
    ]


def _export(table: Table, game_id: str) -> str:
    """Return the command that exports a game, to be typed on the table's machine."""
    command = f"tilewatch export {game_id}"
    if not isinstance(table.log, EventLog):
        return command
    return f"{command} --data {shlex.quote(str(table.log.path.resolve().parent))}"


def _grounds(book: Rulebook) -> list[str]:
    """Return the grounds offered for opening a signed result, the rulebook's first."""
    listed = sorted(book.signed_grounds - {RECORD_WRONG})
    return [*listed, RECORD_WRONG, *([] if "director" in listed else [OTHER_GROUND])]


def _options(state: GameState) -> dict[str, Any]:
    """Return the entries that a game's rulebook allows, with their labels."""
    book = state.rulebook
    return {
        "rulings": RULINGS,
        "grounds": _grounds(book),
        "stop_reasons": stop_reasons(book),
        "causes": CAUSES,
        "event_rules": dict(book.event_rules),
        "likely_ends": _likely_ends(state),
        "turn_ends": sorted(book.turn_ends - {"clock"}),
        "rack_tiles": book.rack_tiles,
        "letters": [letter for letter in state.tile_set.letters if letter != "?"],
        "challenge_by_word": book.challenge_failed == "points"
        and book.challenge_failed_per == "word",
        "challenge_costs_turn": book.challenge_failed == "lose_turn",
        "reports": [
            {"what": code, "label": REPORTED[code].label, "rule": book.guide(code).rule}
            for code in reportable(book)
        ],
        "forms": entry_forms(state),
        "penalties": [asdict(one) for one in book.penalties],
        "words": {
            "ends": end_words(state),
            "causes": CAUSES,
            "stops": STOP_REASONS,
            "grounds": GROUNDS,
        },
    }


def _likely_ends(state: GameState) -> list[str]:
    """Return the ways in which this game may end as it stands, of those that people enter.

    Each is the reason of a ``GameEnded``, or the side and the cause of a ``GameForfeited``.
    """
    if not state.turns:
        return [*(f"{side}-{cause}" for side in SIDES for cause in ("absent", "late")), _NOBODY]
    scoreless = scoreless_turn(state.position, state.config) is not None
    used_up = {one.side for one in state.flags if one.code == "overtime_limit"}
    return [
        "confirmed",
        "shortened",
        *(["six_zeros"] if scoreless else []),
        *(f"{side}-resigned" for side in SIDES),
        *(f"{side}-overtime" for side in SIDES if side in used_up),
    ]


def _slip(page: FoldedPage) -> dict[str, str] | None:
    """Return digests for the result slip: of the event that ended the game, and that signed it.

    Later pictures and corrections don't change them. None for a game that goes on, or is over
    without a result.
    """
    if page.state.status != "ended":
        return None
    closed = page.closing.records
    return {stage: digest(logged.hash) for stage, logged in closed.items()} or None


def _statements(page: FoldedPage) -> list[dict[str, Any]]:
    """Return people's entries in a game, oldest first, each with what took it back, if anything."""
    back = {
        entry.event.event: entry.logged.number
        for entry in page.entries
        if isinstance(entry.event, Retracted)
    }
    return [
        {
            "number": entry.logged.number,
            "type": entry.logged.type,
            "text": page.text(entry),
            "by": entry.who,
            "why": getattr(entry.event, "why", ""),
            "turn": getattr(page.now(entry), "turn", None),
            "wall_ns": entry.logged.wall_ns,
            "t_ns": entry.logged.mono_ns,
            "source": entry.logged.source,
            "back": back.get(entry.logged.number),
            "may_go": page.state.signed is None
            and entry.logged.number not in back
            and not isinstance(entry.event, FACTS | Retracted | ResultSigned),
        }
        for entry in page.entries
        if not isinstance(entry.event, FACTS)
        or bool(getattr(entry.event, "by", ""))
        or (isinstance(entry.event, ButtonPressed) and early(entry.event))
    ]


def _early(page: FoldedPage) -> list[Concern]:
    """Return a concern per side whose phone claimed presses earlier than they can have been."""
    found: dict[str, list[int]] = {}
    for entry in page.entries:
        event = entry.event
        if isinstance(event, ButtonPressed) and early(event) and event.claimed_ns is not None:
            found.setdefault(event.button, []).append(event.t_ns - event.claimed_ns)
    return [
        Concern(
            "note",
            "early_press",
            f"{len(gains)} {'press' if len(gains) == 1 else 'presses'} of "
            f"{page.state.players.get(side, 'the button that stops both clocks')} on a phone "
            f"claimed an earlier time than was accepted, by {sum(gains) / 1e9:.1f} s in all",
            label="an early press",
        )
        for side, gains in found.items()
    ]
