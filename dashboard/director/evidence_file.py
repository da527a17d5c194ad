"""Everything that is kept about one turn, on one time line: what a dispute is settled with.

Why the pictures that a turn's page shows are not as many as the log says were kept.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from dashboard.director.folded_page import FoldedPage
from dashboard.director.turn_pictures import KeptPictures
from game.board import Board, Square
from game.events import (
    BlankDesignated,
    BoardSeen,
    ButtonPressed,
    PicturesKept,
    Retracted,
    SecondPlaySeen,
    TilesChanged,
    TimePassed,
    TimeUnseen,
    TurnInserted,
    TurnSeen,
)
from game.flags import detail_words, label
from game.plays.change import same_tile
from game.referee.turn import Turn
from game.state.numbering import made_of_events
from game.tile_symbols import spelled, symbol_words
from record.evidence import EvidenceStore
from record.raw_edges import RawEdge, edges_near
from record.seals import digest, fingerprint
from record.story.entries import Entry, real_presses
from record.story.event_wording import who
from record.story_html.words import role
from table.views.views import turn_shape

_SECOND: Final = 1_000_000_000
AFTER_NS: Final = 10 * _SECOND
"""The length of a turn's time line after its press, if no press ends it sooner."""

_GUESS: Final = re.compile(r"(\S) (\d{1,3})%")

ROLES: Final = ("previous", "before", "around", "at", "read", "after")


def guesses_in(detail: str) -> list[dict[str, Any]]:
    """The likeliest symbols that the camera named for a square: ``may be A 62%, H 31%``."""
    if not detail.startswith("may be "):
        return []
    return [
        {"symbol": symbol, "p": int(p) / 100, "words": symbol_words(symbol)}
        for symbol, p in _GUESS.findall(detail)
    ]


def crops_of(page: FoldedPage) -> dict[int, dict[str, str]]:
    """The SHA-256 of the newest crop of each square, by turn."""
    found: dict[int, dict[str, str]] = {}
    for entry in page.entries:
        if isinstance(entry.event, PicturesKept):
            for picture in entry.event.pictures:
                if picture.square is None:
                    continue
                for number in page.turns_of(entry):
                    found.setdefault(number, {})[picture.square] = picture.sha256
    return found


def evidence_file(
    page: FoldedPage, number: int, store: EvidenceStore | None, edges: Path | None = None
) -> dict[str, Any] | None:
    """Return everything known about a turn; None if there is no such turn.

    ``edges`` is the file with the raw edges of the clock's contacts, where the table has one.
    """
    turns = page.state.turns
    if not 1 <= number <= len(turns):
        return None
    turn = turns[number - 1]
    since = turns[number - 2].press_ns if number > 1 else _opening(page)
    until = turns[number].press_ns if number < len(turns) else turn.press_ns + AFTER_NS
    crops = crops_of(page).get(number, {})
    pictures = list(_pictures(page, turn, store))
    return {
        "turn": turn_shape(turn, page.state, "director").as_json(),
        "turns": len(turns),
        "press_ns": turn.press_ns,
        "since_ns": since,
        "until_ns": until,
        "sighted_ns": turn.seen.sighted_ns,
        "pictures": pictures,
        "film_note": film_note(page, number, (one["sha256"] for one in pictures)),
        "edges": [
            {
                "t_ns": entry.event.t_ns,
                "button": entry.event.button,
                "source": entry.logged.source,
                "claimed_ns": entry.event.claimed_ns,
                "heard_ns": entry.event.heard_ns,
            }
            for entry in page.entries
            if isinstance(entry.event, ButtonPressed) and since <= entry.event.t_ns <= until
        ],
        "raw": list(_raw(page, turn, edges)),
        "squares": [_square(turn, name, crops.get(name)) for name in _names(turn, crops)],
        "known": [_known(entry, page, turn) for entry in _about(page, turn, since)],
        "rows": {"before": list(turn.before.rows), "after": list(turn.after.rows)},
        "read": list(turn.seen.rows),
        "findings": [
            {"code": one.code, "square": one.square, "detail": spelled(detail_words(one.detail))}
            for one in turn.seen.findings
        ],
        "seal": {
            "game_id": page.state.game_id,
            "number": page.head.number,
            "wall_ns": page.head.wall_ns,
            "digest": digest(page.head.hash),
            "fingerprint": fingerprint(page.head.key),
        },
    }


def _opening(page: FoldedPage) -> int:
    return page.state.start.t_ns


def raw_edges(page: FoldedPage, turn: Turn, edges: Path | None) -> tuple[RawEdge, ...]:
    """Every edge of the contacts close to the turn's press, bounces and all."""
    if edges is None:
        return ()
    presses = real_presses(page.entries)
    at = [i for i, (t_ns, _) in enumerate(presses) if t_ns == turn.press_ns]
    return tuple(edges_near(edges, presses, at[:1]))


def _raw(page: FoldedPage, turn: Turn, edges: Path | None) -> Iterator[dict[str, Any]]:
    for edge in raw_edges(page, turn, edges):
        yield {
            "from_press_ns": edge.t_ns - turn.press_ns,
            "button": edge.button,
            "closed": edge.closed,
        }


def _pictures(
    page: FoldedPage, turn: Turn, store: EvidenceStore | None
) -> Iterator[dict[str, Any]]:
    """Whole pictures about the turn by the time of their exposure, each once with its roles."""
    kept = KeptPictures.of(page, store)
    taken: dict[str, int] = {}
    roles: dict[str, dict[str, None]] = defaultdict(dict)
    for sha, kept_for, t_ns in _named(page, turn):
        roles[sha][kept_for] = None
        if t_ns is not None:
            taken.setdefault(sha, kept.exposed_ns.get(sha, t_ns))
    for sha in sorted(taken, key=lambda one: taken[one]):
        names = sorted(roles[sha], key=lambda one: ROLES.index(one) if one in ROLES else 9)
        corners = kept.corners.get(sha)
        yield {
            "sha256": sha,
            "t_ns": taken[sha],
            "from_press_ns": taken[sha] - turn.press_ns,
            "roles": names,
            "caption": role(tuple(names), taken[sha] - turn.press_ns),
            "there": kept.there(sha),
            "deleted": sha in kept.gone,
            "corners": None if corners is None else [list(one) for one in corners],
        }


def _named(page: FoldedPage, turn: Turn) -> Iterator[tuple[str, str, int | None]]:
    """Yield the SHA-256 of whole pictures about the turn, each with a role and when it was seen."""
    for entry in page.entries:
        match entry.event:
            case PicturesKept(pictures=pictures) if page.names_turn(entry, turn.number):
                for one in pictures:
                    if one.square is None:
                        yield one.sha256, one.role, one.exposed_ns
            case TilesChanged() | BoardSeen() if page.names_turn(entry, turn.number):
                if "after" in entry.event.frames:
                    yield entry.event.frames["after"], "after", entry.event.sighted_ns
    frames = turn.seen.frames
    if "at" in frames:
        yield frames["at"], "read", turn.seen.sighted_ns
    if "before" in frames:
        yield frames["before"], "previous", _sighted_before(page, turn)


def _sighted_before(page: FoldedPage, turn: Turn) -> int | None:
    """The time of the picture from which the turn before was read."""
    if turn.number < 2:
        return None
    return page.state.turns[turn.number - 2].seen.sighted_ns


def _names(turn: Turn, crops: Iterable[str]) -> list[str]:
    """The squares that the turn is about, in reading order."""
    before, read = turn.before, Board.from_rows(turn.seen.rows)
    found = {square.name for square in before.diff(read)} | set(crops) | set(turn.seen.confidence)
    # A blank that has a letter is read as a blank each time: that is no news.
    found = {name for name in found if not same_tile(before[at := Square.parse(name)], read[at])}
    found |= {square.name for square in before.diff(turn.after)}
    found |= {one.square for one in turn.seen.findings if one.square is not None}
    found |= {name for flag in turn.flags for name in flag.squares}
    return [square.name for square in sorted(map(Square.parse, found))]


def _square(turn: Turn, name: str, crop: str | None) -> dict[str, Any]:
    square = Square.parse(name)
    read = turn.seen.rows[square.row][square.col]
    findings = [one for one in turn.seen.findings if one.square == name]
    return {
        "name": name,
        "crop": crop,
        "before": turn.before[square],
        "read": read,
        "now": turn.after[square],
        "words": {
            "before": symbol_words(turn.before[square]),
            "read": symbol_words(read),
            "now": symbol_words(turn.after[square]),
        },
        "confidence": turn.seen.confidence.get(name),
        "marked": name in (turn.seen.marked or ()),
        "findings": [
            {
                "code": one.code,
                "label": label(one.code),
                "detail": spelled(detail_words(one.detail)),
            }
            for one in findings
        ],
        "guesses": [
            guess
            for one in findings
            if one.code == "uncertain_square"
            for guess in guesses_in(one.detail)
        ],
    }


def _about(page: FoldedPage, turn: Turn, since: int) -> Iterator[Entry]:
    """The events about the turn: those since the one before ended, and all later ones about it."""
    number = turn.number
    told_of: set[int] = set()
    made_of = made_of_events(page.state, number)
    last = number == len(page.state.turns)
    until = math.inf if last else page.state.turns[number].press_ns
    for entry in page.entries:
        event = entry.event
        mine = False
        match event:
            case TurnSeen():
                mine = event.press_ns == turn.press_ns or entry.logged.number in made_of
            case ButtonPressed() | TimePassed() | TimeUnseen() | SecondPlaySeen():
                mine = since <= event.t_ns <= turn.press_ns or (last and event.t_ns > since)
            case BlankDesignated():
                mine = event.square in turn.tiles
            case Retracted():
                mine = event.event in told_of
            case _ if getattr(event, "turn", 0) and not isinstance(event, TurnInserted):
                mine = page.names_turn(entry, number)
            case _ if getattr(event, "by", ""):
                # It names no turn: it stands with the one after which it was recorded.
                mine = turn.press_ns <= entry.logged.mono_ns < until
            case _:
                mine = False
        if mine:
            told_of.add(entry.logged.number)
            yield entry


def _known(entry: Entry, page: FoldedPage, turn: Turn) -> dict[str, Any]:
    return {
        "number": entry.logged.number,
        "t_ns": entry.logged.mono_ns,
        "from_press_ns": entry.logged.mono_ns - turn.press_ns,
        "wall_ns": entry.logged.wall_ns,
        "source": entry.logged.source,
        "type": entry.logged.type,
        "text": page.text(entry),
        "by": getattr(entry.event, "by", ""),
        "who": who(getattr(entry.event, "by", ""), entry.logged.source),
        "why": getattr(entry.event, "why", ""),
    }


def film_note(page: FoldedPage, number: int, shown: Iterable[str]) -> str:
    """How the log's count of a turn's pictures differs from the page's; empty if they agree.

    ``shown`` has the SHA-256 of each picture on the turn's page.
    """
    kept = [
        picture
        for entry in page.entries
        if isinstance(entry.event, PicturesKept) and page.names_turn(entry, number)
        for picture in entry.event.pictures
    ]
    whole = [picture.sha256 for picture in kept if picture.square is None]
    known = set(whole)
    same, others = len(whole) - len(known), len(set(shown) - known)
    lines = []
    if same:
        is_, stands = ("is", "stands") if same == 1 else ("are", "stand")
        lines.append(
            f"The log names {len(whole)} pictures of this turn: {same} of them "
            f"{is_} the same as another and {stands} here once."
        )
    if others:
        lines.append(
            f"{others} of those above {'was' if others == 1 else 'were'} kept with another turn."
        )
    if len(whole) < len(kept):
        lines.append("The crops of squares are below, under Squares: the newest of each.")
    return " ".join(lines)
