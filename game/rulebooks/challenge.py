"""The cost of a challenge in vain: the one place that computes a bonus, or refuses one."""

from __future__ import annotations

import re

from game.errors import TilewatchError
from game.rulebooks.rulebook import Rulebook
from game.terms import Side, other

BONUS = frozenset(
    f"challenge.{name}" for name in ("failed", "failed_points", "failed_per", "failed_cap")
)
"""The settings that an event announces together, as one of ``challenge.choices``."""

_POINTS = re.compile(
    r"points (?P<points>[1-9]\d{0,2}) (?P<per>word|challenge)(?: up to (?P<cap>[1-9]\d{0,2}))?"
)


def challenged_in_vain(book: Rulebook, side: Side, points: int) -> tuple[Side, int]:
    """Return whose score a bonus changes, and by how much, when a play of ``side`` stood."""
    return (side, points) if book.challenge_failed_goes == "added" else (other(side), -points)


def failed_bonus(book: Rulebook, words: int) -> int:
    """Return the points for a play challenged in vain, of which so many words were challenged."""
    if book.challenge_failed != "points" or words < 1:
        return 0
    times = words if book.challenge_failed_per == "word" else 1
    points = times * book.challenge_failed_points
    return min(points, book.challenge_failed_cap) if book.challenge_failed_cap else points


def nearest_bonus(book: Rulebook, points: int) -> int:
    """Return the bonus nearest to what was written; that itself if the rulebook has none."""
    step = failed_bonus(book, 1)
    if not step:
        return points
    words = max(1, points // step)
    near = (failed_bonus(book, words + 1), failed_bonus(book, words))
    return min(near, key=lambda bonus: abs(bonus - points))


def require_bonus(book: Rulebook, points: int) -> None:
    """Refuse a bonus that the rulebook cannot give.

    Raises:
        TilewatchError: the line says what it gives.
    """
    step, cap = failed_bonus(book, 1), book.challenge_failed_cap
    if not step:
        raise TilewatchError(f"{book.id} gives no points for a challenge in vain")
    if points < 1 or nearest_bonus(book, points) != points:
        most = f", {cap} at most" if cap else ""
        raise TilewatchError(
            f"ChallengeBonus.points: {points} cannot be; under {book.id} a bonus comes in steps "
            f"of {step}{most}"
        )


def cost_words(book: Rulebook) -> str:
    """Return the cost of a challenge in vain as ``challenge.choices`` writes it."""
    if book.challenge_failed != "points":
        return book.challenge_failed
    cap = f" up to {book.challenge_failed_cap}" if book.challenge_failed_cap else ""
    return f"points {book.challenge_failed_points} {book.challenge_failed_per}{cap}"


def cost_label(words: str) -> str:
    """Return a cost that is written as in ``challenge.choices`` as people say it."""
    found = _POINTS.fullmatch(words)
    if found is None:
        return {"none": "nothing", "lose_turn": "the challenger's turn"}.get(words, words)
    cap = f", {found['cap']} at most" if found["cap"] else ""
    return f"{found['points']} points for each {found['per']}{cap}"


def cost_settings(words: object) -> dict[str, int | str]:
    """Return the settings of a cost that is written as in ``challenge.choices``.

    Raises:
        TilewatchError: it is not written so.
    """
    if words in ("none", "lose_turn"):
        return {"challenge.failed": str(words)}
    found = _POINTS.fullmatch(words) if isinstance(words, str) else None
    if found is None:
        raise TilewatchError(
            f"{words!r:.60} is no cost of a challenge in vain: write 'none', 'lose_turn', "
            "'points 5 word', 'points 10 challenge' or 'points 7 word up to 14'"
        )
    return {
        "challenge.failed": "points",
        "challenge.failed_points": int(found["points"]),
        "challenge.failed_per": found["per"],
        "challenge.failed_cap": int(found["cap"] or 0),
    }
