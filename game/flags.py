"""Flags: what is wrong with a turn, by which rule, and who may see it.

A flag changes no reading and no score; it tells people what to look at. Every kind of flag is
declared in :mod:`game.flag_codes`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from game.errors import TilewatchError
from game.flag_codes import CODES, POSES, QUESTIONS, Code, Fact
from game.guidance import Remedy, Visibility
from game.tile_symbols import spelled

__all__ = [
    "CODES",
    "POSES",
    "QUESTIONS",
    "Code",
    "Fact",
    "Flag",
    "detail_words",
    "finding_message",
    "label",
    "make_flag",
]

_GUESSED: Final = {".": "nothing", "#": "face down", "~": "unreadable", "?": "a blank"}
_GUESS: Final = re.compile(r"(?:(?<=be )|(?<=, ))([.#~?a-z])(?= \d{1,3}%|, which )")
"""Match a camera's guess in a detail if the guess is not a plain letter."""


@dataclass(frozen=True, slots=True)
class Flag:
    """Something about a turn or the game that somebody should look at."""

    code: str
    """A stable word, a key of :data:`CODES`."""
    squares: tuple[str, ...]
    """The squares it is about, as ``8H``, in reading order; empty for the whole turn or game."""
    rule: str | None
    """The rulebook's rule number; None if the rulebook is silent."""
    message: str
    """One sentence in plain words."""
    visibility: Visibility
    remedies: tuple[Remedy, ...] = ()
    """The remedies that the rulebook has for it."""
    side: Literal["left", "right"] | None = None
    """The player it is about; None for the player of the turn that has the flag."""
    turn: int | None = None
    """The turn it is about; None for the turn that has the flag."""
    settled: int | None = None
    """The number of the event that settled or answered it; None while it is open. A settled flag
    stays in the record."""

    @property
    def label(self) -> str:
        """The name of its code as people read it."""
        return label(self.code)


def label(code: str) -> str:
    """Return the label of a code; of an unknown code, the code with spaces for underscores."""
    known = CODES.get(code)
    return known.label if known is not None else code.replace("_", " ")


def make_flag(
    code: str,
    squares: tuple[str, ...] = (),
    *,
    variant: str = "",
    message: str | None = None,
    rule: str | None = None,
    visibility: Visibility | None = None,
    side: Literal["left", "right"] | None = None,
    turn: int | None = None,
    **values: object,
) -> Flag:
    """Return a flag of a registered code, with the message that is declared for the code.

    Args:
        code: a key of :data:`CODES`.
        squares: the squares it is about.
        variant: which of the code's messages, if it has several.
        message: a message to use instead.
        rule: the rule's number; :func:`game.rulebooks.judging.judge` gives the rulebook's own.
        visibility: who may see it, if not those whom the code names.
        side: the player it is about, if not the player of the turn that has the flag.
        turn: the turn it is about, if not the one that has the flag.
        values: the values that the message names.

    Raises:
        TilewatchError: the code is not registered.
    """
    known = CODES.get(code)
    if known is None:
        raise TilewatchError(f"unknown flag code {code!r}")
    if message is None:
        texts = known.messages
        text = texts if isinstance(texts, str) else texts[variant]
        message = spelled(text.format(squares=", ".join(squares), turn=turn, **values))
    seen_by = visibility or known.visibility
    return Flag(code, squares, rule, message, seen_by, side=side, turn=turn)


def detail_words(detail: str) -> str:
    """Return a camera's detail with its guesses in words: ``. 7%`` becomes ``nothing 7%``."""
    return _GUESS.sub(lambda found: _GUESSED.get(found[1], f"blank {found[1].upper()}"), detail)


def finding_message(code: str, squares: Iterable[str], details: str = "") -> str:
    """Return the message for a camera's finding: its meaning, the squares, the details."""
    details = detail_words(details)
    text = CODES[code].meaning.capitalize()
    if names := ", ".join(squares):
        text += f": {names}"
    return spelled(f"{text} {details}." if details else f"{text}.")
