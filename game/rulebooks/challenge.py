"""The cost of a challenge in vain: the one place that computes a bonus, or refuses one."""

from __future__ import annotations

from collections.abc import Collection

from game.errors import TilewatchError
from game.rulebooks.rulebook import Rulebook

BONUS = frozenset(
    f"challenge.{name}" for name in ("failed", "failed_points", "failed_per", "failed_cap")
)
"""The settings that an event announces together, as one of ``challenge.choices``."""


def failed_bonus(book: Rulebook, words: int) -> int:
    """Return the points for a play challenged in vain, of which so many words were challenged."""
    if book.challenge_failed != "points" or words < 1:
        return 0
    times = words if book.challenge_failed_per == "word" else 1
    points = times * book.challenge_failed_points
    return min(points, book.challenge_failed_cap) if book.challenge_failed_cap else points


def nearest_bonus(book: Rulebook, points: int) -> int:
    """Return the bonus nearest to what was written; that itself where the rulebook has none."""
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


def require_choice(book: Rulebook, announced: Rulebook, changed: Collection[str]) -> None:
    """Refuse an announcement that the text does not leave to the event.

    Args:
        book: the rulebook as its text has it.
        announced: the same with the changes.
        changed: the names of the settings that were changed.

    Raises:
        TilewatchError: the line says what may be announced.
    """
    words = _words(announced)
    if BONUS.isdisjoint(changed) or words in {_words(book), *book.challenge_choices}:
        return
    choices = ", ".join(sorted(book.challenge_choices)) or "nothing else"
    rule = book.rule("challenge.choices")
    raise TilewatchError(
        f"rulebook {book.id!r}: a challenge in vain cannot cost {words!r}; an event may announce: "
        f"{choices}" + (f" ({rule})" if rule else "")
    )


def _words(book: Rulebook) -> str:
    """The cost as ``challenge.choices`` writes it."""
    if book.challenge_failed != "points":
        return book.challenge_failed
    cap = f" up to {book.challenge_failed_cap}" if book.challenge_failed_cap else ""
    return f"points {book.challenge_failed_points} {book.challenge_failed_per}{cap}"
