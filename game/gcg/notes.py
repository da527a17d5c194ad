"""Notes of our own in a game record: what GCG has no form for, written and read back.

The words are explained in :mod:`game.gcg.writer`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Final, NoReturn, get_args

from game.board import valid_symbol
from game.gcg.record import POINTS, Entry, EntryKind, HowEnded
from game.terms import ENDED_BY_WORD, Cause, EndReason

OWN = "tilewatch:"
"""How a note begins that carries what GCG cannot say."""

LATER = "then"
"""What follows this word happened after the turn, and before the next."""

_NOTED = {"exchange_or_pass", "challenge_failed", "no_score", *POINTS}
_RENAMED: Final = {"one_point": "limit_raise"}
"""Words that records had for a kind of entry until 0.3.0."""
_ILLEGAL = re.compile(r"illegal_play=([0-9]{1,6})")
_FORFEITED = re.compile(r"lost=([12]):([a-z_]+)(?::([0-9]{1,6}))?")
_LIMIT = re.compile(r"limit=([12])")
_ENDED: Final = {f"ended={one.replace(' ', '_')}": str(one) for one in (*EndReason, *ENDED_BY_WORD)}
_CHALLENGED = re.compile(r"challenged(?:=(?P<what>\S{1,400}))?")
_OWN_SQUARE = re.compile(r"(?P<square>(?:1[0-5]|[1-9])[A-O])=(?P<symbol>\S)")


def note_of(entry: Entry) -> str:
    """The note on facts that a line cannot express; empty if there are none."""
    words: list[str] = [entry.kind] if entry.kind in _NOTED else []
    if entry.kind == "exchange" and not entry.exchanged:
        words.append("exchange")
    if entry.illegal_after is not None:
        words.append(f"illegal_play={entry.illegal_after}")
    if entry.how_ended is not None:
        words += _end_words(entry.how_ended)
    if entry.challenged is not None:
        words.append(f"challenged={entry.challenged}" if entry.challenged else "challenged")
    words += [f"{square}={symbol}" for square, symbol in entry.squares.items()]
    if entry.later:
        words += [LATER, *(f"{square}={symbol}" for square, symbol in entry.later.items())]
    return " ".join(words)


def _end_words(how: HowEnded) -> list[str]:
    """The words for how a game ended, players counted from 1 as in ``#player1``."""
    margin = "" if how.margin is None else f":{how.margin}"
    forfeited = "" if how.loser is None else f"lost={how.loser + 1}:{how.cause}{margin}"
    limit = [] if how.limit is None else [f"limit={how.limit + 1}"]
    return [forfeited or f"ended={how.cause.replace(' ', '_')}", *limit]


def with_note(entry: Entry, text: str, fail: Callable[[str], NoReturn]) -> Entry:
    """The line with what the words of a note say; ``fail`` refuses those that make no sense."""
    squares, later = dict(entry.squares), dict(entry.later)
    noted = later if later else squares
    for word in text.split():
        match = _OWN_SQUARE.fullmatch(word)
        if match is not None and valid_symbol(match["symbol"]):
            noted[match["square"]] = match["symbol"]
        elif word == LATER:
            noted = later
        elif _RENAMED.get(word, word) in POINTS and entry.kind == "time":
            points: EntryKind = _RENAMED.get(word, word)  # type: ignore[assignment]
            entry = replace(entry, kind=points)
        elif word == "no_score" and entry.kind == "withdrawn":
            entry = replace(entry, kind="no_score")
        elif (found := _ILLEGAL.fullmatch(word)) and entry.kind in ("play", "withdrawn"):
            entry = replace(entry, illegal_after=int(found[1]))
        elif word in _ENDED:
            entry = replace(entry, how_ended=HowEnded(_ENDED[word]))
        elif (lost := _FORFEITED.fullmatch(word)) and lost[2] in get_args(Cause):
            margin = None if lost[3] is None else int(lost[3])
            entry = replace(entry, how_ended=HowEnded(lost[2], int(lost[1]) - 1, margin))
        elif (found := _LIMIT.fullmatch(word)) and entry.how_ended is not None:
            by_limit = replace(entry.how_ended, limit=int(found[1]) - 1)
            entry = replace(entry, how_ended=by_limit)
        elif (challenged := _CHALLENGED.fullmatch(word)) and entry.kind == "play":
            entry = replace(entry, challenged=challenged["what"] or "")
        elif word in ("exchange_or_pass", "challenge_failed", "exchange"):
            if entry.kind not in ("pass", "exchange"):
                fail(f"{word} after a line that is no pass")
            kind: EntryKind = word  # type: ignore[assignment]
            entry = replace(entry, kind=kind)
        else:
            fail(f"unknown word {word!r} in a note of tilewatch's own")
    return replace(entry, squares=MappingProxyType(squares), later=MappingProxyType(later))
