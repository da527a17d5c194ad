"""Takes secrets out of texts that are sent to whoever helps."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import quote

REMOVED: Final = "(removed)"

_URL: Final = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<rest>[^\s\"'<>]+)", re.IGNORECASE)
_WORDS: Final = r"pass(?:word|wd|phrase|code)?|pwd|secret|token|authorization|bearer|log in as"
_WORDS_OF_FIELDS: Final = r"api[_-]?key|key|code|cookie|user(?:name)?|login"
_NAMED: Final = re.compile(
    rf"(?P<name>\b(?:(?:{_WORDS})\b[\"']?\s*[=:]?|(?:{_WORDS_OF_FIELDS})[\"']?\s*[=:])\s*)"
    r"[\"']?(?:bearer |basic )?[^\s\"',;)]+",
    re.IGNORECASE,
)
"""A word of the first list is followed by a secret, one of the second only before = or a colon."""
_KEY: Final = re.compile(rf"{_WORDS}|{_WORDS_OF_FIELDS}", re.IGNORECASE)
_SHORT: Final = 3
"""Characters: what is shorter is removed as a word of its own alone."""


class Redaction:
    """Removes known secrets, whatever is called one, and all of an address but its host.

    Args:
        known: secrets of this table, such as the password of its camera.
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        values = {one for one in known if one}
        values |= {quote(one, safe="") for one in values}
        # The longest first: one may be a part of another.
        ordered = sorted(values, key=len, reverse=True)
        self._known = re.compile("|".join(map(_pattern, ordered))) if ordered else None

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        text = _URL.sub(_host_alone, text)
        text = _NAMED.sub(rf"\g<name>{REMOVED}", text)
        return text if self._known is None else self._known.sub(REMOVED, text)

    def document(self, value: Any) -> Any:
        """Return a JSON document with every text in it without secrets."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {
                str(key): REMOVED
                if isinstance(one, str) and _KEY.fullmatch(key)
                else self.document(one)
                for key, one in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.document(one) for one in value]
        return value


def _host_alone(found: re.Match[str]) -> str:
    """Paths hold logins too: those of some cameras, and of the clock's page."""
    authority = re.split("[/?#]", found["rest"], maxsplit=1)[0]
    host = authority.rpartition("@")[2]
    return f"{found['scheme']}://{host}" + ("/…" if len(found["rest"]) > len(authority) + 1 else "")


def _pattern(known: str) -> str:
    text = re.escape(known)
    return text if len(known) > _SHORT else rf"(?<!\w){text}(?!\w)"
