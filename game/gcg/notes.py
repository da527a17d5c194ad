"""Notes of our own in a game record: facts that GCG has no form for, written and read back.

The words of these notes are explained in :mod:`game.gcg.writer`.
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
"""The beginning of a note that carries a fact GCG cannot express."""

LATER = "then"
"""The word before changes of the board between a turn and the next."""

_NOTED = {"exchange_or_pass", "challenge_failed", "no_score", *POINTS}
_RENAMED: Final = {"one_point": "limit_raise"}
"""Former words for a kind of line, in records before 0.3.0, and the present words."""
_OWN_SQUARE = re.compile(r"(?P<square>(?:1[0-5]|[1-9])[A-O])=(?P<symbol>\S)")
_ENDED: Final = {one.replace(" ", "_"): str(one) for one in (*EndReason, *ENDED_BY_WORD)}
_PASSES: Final = frozenset({"exchange_or_pass", "challenge_failed", "exchange"})


def note_of(entry: Entry) -> str:
    """Return the note on facts that a line cannot express; empty if there are none."""
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
    """Return the words for how a game ended, with players counted from 1 as in ``#player1``."""
    margin = "" if how.margin is None else f":{how.margin}"
    forfeited = "" if how.loser is None else f"lost={how.loser + 1}:{how.cause}{margin}"
    limit = [] if how.limit is None else [f"limit={how.limit + 1}"]
    return [forfeited or f"ended={how.cause.replace(' ', '_')}", *limit]


def with_note(entry: Entry, text: str, fail: Callable[[str], NoReturn]) -> Entry:
    """Return the line with the facts of a note; ``fail`` refuses words that make no sense."""
    squares, later = dict(entry.squares), dict(entry.later)
    noted = later if later else squares
    for word in text.split():
        match = _OWN_SQUARE.fullmatch(word)
        if match is not None and valid_symbol(match["symbol"]):
            noted[match["square"]] = match["symbol"]
        elif word == LATER:
            noted = later
        elif word in _PASSES and entry.kind not in ("pass", "exchange"):
            fail(f"{word} after a line that is not a pass")
        elif (read := _with_word(entry, word)) is not None:
            entry = read
        else:
            fail(f"unknown word {word!r} in a note of tilewatch's own")
    return replace(entry, squares=MappingProxyType(squares), later=MappingProxyType(later))


def _with_word(entry: Entry, word: str) -> Entry | None:
    """Return the line with the fact of one word; None if the word makes no sense on that line."""
    for kinds, pattern, change in _WORDS:
        found = pattern.fullmatch(word)
        if found is not None and (not kinds or entry.kind in kinds):
            return change(entry, found)
    return None


def _as(entry: Entry, word: re.Match[str]) -> Entry:
    kind: EntryKind = _RENAMED.get(word[0], word[0])  # type: ignore[assignment]
    return replace(entry, kind=kind)


def _announced(entry: Entry, word: re.Match[str]) -> Entry:
    return replace(entry, illegal_after=int(word[1]))


def _ended(entry: Entry, word: re.Match[str]) -> Entry:
    return replace(entry, how_ended=HowEnded(_ENDED[word[1]]))


def _forfeited(entry: Entry, word: re.Match[str]) -> Entry:
    margin = None if word[3] is None else int(word[3])
    return replace(entry, how_ended=HowEnded(word[2], int(word[1]) - 1, margin))


def _limited(entry: Entry, word: re.Match[str]) -> Entry | None:
    if entry.how_ended is None:
        return None
    return replace(entry, how_ended=replace(entry.how_ended, limit=int(word[1]) - 1))


def _challenged(entry: Entry, word: re.Match[str]) -> Entry:
    return replace(entry, challenged=word[1] or "")


_Change = Callable[[Entry, re.Match[str]], Entry | None]
_WORDS: Final[tuple[tuple[tuple[EntryKind, ...], re.Pattern[str], _Change], ...]] = (
    (("time",), re.compile("|".join(sorted({*POINTS, *_RENAMED}))), _as),
    (("withdrawn",), re.compile("no_score"), _as),
    (("pass", "exchange"), re.compile("|".join(sorted(_PASSES))), _as),
    (("play", "withdrawn"), re.compile(r"illegal_play=([0-9]{1,6})"), _announced),
    ((), re.compile(rf"ended=({'|'.join(map(re.escape, _ENDED))})"), _ended),
    (
        (),
        re.compile(rf"lost=([12]):({'|'.join(get_args(Cause))})(?::([0-9]{{1,6}}))?"),
        _forfeited,
    ),
    ((), re.compile(r"limit=([12])"), _limited),
    (("play",), re.compile(r"challenged(?:=(\S{1,400}))?"), _challenged),
)
"""The words of a note: the kinds of lines that may have it (none: all), its form, its effect."""
