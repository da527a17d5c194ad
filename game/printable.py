"""Text from outside as one line that can be shown: in a terminal, a log or a list."""

from __future__ import annotations

from typing import Final

_UNCHANGED: Final = frozenset("\u00a0\u3000")
"""Spaces that belong to names, though Python does not count them as printable."""


def printable(text: str) -> str:
    r"""Return ``text`` with everything escaped that a terminal would act on or could not show.

    Control characters, line and paragraph separators, marks that change the direction of writing,
    other invisible ones, and lone surrogates become ``\x1b``, ``\u202e`` and the like.
    """
    if text.isprintable():
        return text
    return "".join(one if may_be_shown(one) else _escape(ord(one)) for one in text)


def may_be_shown(one: str) -> bool:
    """True if a line may show this character as it is."""
    return one.isprintable() or one in _UNCHANGED


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
