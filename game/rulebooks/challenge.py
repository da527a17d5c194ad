"""The cost of an unsuccessful challenge: the only code that computes or refuses a bonus."""

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
    """Return whose score changes, and by how much, if a challenge of a play of ``side`` failed."""
    return (side, points) if book.challenge_failed_goes == "added" else (other(side), -points)


def failed_bonus(book: Rulebook, words: int) -> int:
    """Return the points for a failed challenge of so many words; 0 if the rulebook gives none."""
    if book.challenge_failed != "points" or words < 1:
        return 0
    times = words if book.challenge_failed_per == "word" else 1
    points = times * book.challenge_failed_points
    return min(points, book.challenge_failed_cap) if book.challenge_failed_cap else points


def nearest_bonus(book: Rulebook, points: int) -> int:
    """Return the bonus nearest to ``points``; ``points`` itself if the rulebook gives no bonus."""
    step = failed_bonus(book, 1)
    if not step:
        return points
    words = max(1, points // step)
    near = (failed_bonus(book, words + 1), failed_bonus(book, words))
    return min(near, key=lambda bonus: abs(bonus - points))


def require_bonus(book: Rulebook, points: int) -> None:
    """Refuse a bonus that the rulebook cannot give.

    Raises:
        TilewatchError: the rulebook gives no such bonus; the message says what it gives.
    """
    step, cap = failed_bonus(book, 1), book.challenge_failed_cap
    if not step:
        raise TilewatchError(f"{book.id} gives no points for an unsuccessful challenge")
    if points < 1 or nearest_bonus(book, points) != points:
        most = f", {cap} at most" if cap else ""
        raise TilewatchError(
            f"ChallengeBonus.points: {points} is not a possible bonus; under {book.id} a bonus "
            f"comes in steps of {step}{most}"
        )


def cost_words(book: Rulebook) -> str:
    """Return the cost of an unsuccessful challenge as ``challenge.choices`` writes it."""
    if book.challenge_failed != "points":
        return book.challenge_failed
    cap = f" up to {book.challenge_failed_cap}" if book.challenge_failed_cap else ""
    return f"points {book.challenge_failed_points} {book.challenge_failed_per}{cap}"


def cost_label(words: str) -> str:
    """Return a cost in words for people, from the form of ``challenge.choices``."""
    found = _POINTS.fullmatch(words)
    if found is None:
        return {"none": "nothing", "lose_turn": "the challenger's turn"}.get(words, words)
    cap = f", {found['cap']} at most" if found["cap"] else ""
    return f"{found['points']} points for each {found['per']}{cap}"


def cost_settings(words: object) -> dict[str, int | str]:
    """Return the settings for a cost in the form of ``challenge.choices``.

    Raises:
        TilewatchError: ``words`` does not have that form.
    """
    if words in ("none", "lose_turn"):
        return {"challenge.failed": str(words)}
    found = _POINTS.fullmatch(words) if isinstance(words, str) else None
    if found is None:
        raise TilewatchError(
            f"{words!r:.60} is not a cost of an unsuccessful challenge: write 'none', 'lose_turn', "
            "'points 5 word', 'points 10 challenge' or 'points 7 word up to 14'"
        )
    return {
        "challenge.failed": "points",
        "challenge.failed_points": int(found["points"]),
        "challenge.failed_per": found["per"],
        "challenge.failed_cap": int(found["cap"] or 0),
    }
