"""Names of players and tables as other programs write them, and as they are shown and compared."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_TABLE_NUMBER: Final = re.compile(r"(\d{1,6})\D*\Z")

_MEMBER: Final = re.compile(r":(?:[A-Za-z]{2}[0-9]{1,9})?(?:/[0-9]{1,9})?,?\Z")
"""A membership number behind a name, as in ``Quill, Ada:XT000001``. TSH's own code cuts the same
(``TSH::Player::StrippedName``), but for small letters, as people type them."""

_NOBODY: Final = frozenset({"bye", "withdrawn"})
"""Words in place of an opponent that mean that there is none."""


def plain(name: str) -> str:
    """A name but for case, spaces, and the way in which Unicode spells it."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def is_nobody(name: str) -> bool:
    """True for ``Bye`` and ``Withdrawn``: no player, but a player's lack of an opponent."""
    return plain(name) in _NOBODY


def without_member(name: str) -> str:
    """A name as it is shown: without a membership number, and with single spaces."""
    return " ".join(_MEMBER.sub("", " ".join(name.split())).split())


def given_first(name: str) -> str:
    """``First Last`` of TSH's ``Last, First``, and ``First Last, Jr.`` of ``Last, First, Jr.``.

    As ``TSH::Player::PrettyName`` has it where surnames come last. What has no comma stays.
    """
    last, _, rest = without_member(name).partition(",")
    first, _, suffix = rest.partition(",")
    shown = f"{first.strip()} {last.strip()}".strip()
    return f"{shown}, {suffix.strip()}" if suffix.strip() else shown


def table_number(table_id: str) -> int | None:
    """The number of a table in its id: 12 of ``table-12``."""
    found = _TABLE_NUMBER.search(table_id)
    return int(found[1]) if found else None
