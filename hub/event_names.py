"""Players' names: their order in lists, and the search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from table.pairings.details import folded, plain


def alphabetical(names: Iterable[str]) -> dict[str, str]:
    """Return names by their :func:`plain` form; of names with the same form, only the first."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(plain(name), name)
    return dict(sorted(found.items(), key=lambda one: (folded(one[1]), one[0])))


def matching(names: Mapping[str, str], wanted: str) -> list[str]:
    """Return the :func:`plain` names that contain every word of ``wanted``, ignoring accents."""
    words = plain(wanted).split()
    return [
        key for key in names if words and all(word in key or word in folded(key) for word in words)
    ]
