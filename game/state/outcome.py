"""The winner and the spread of a game: played out, forfeited, left, or never played.

A rulebook may fix the spread (of a bye, or a game to which a player does not come). Such a spread
changes no score: it is in the outcome beside the scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from game.events import Cause, DirectorNoted, GameForfeited, Side, other
from game.rulebooks.loading import Rulebook
from game.state.settlement import Forfeit

OutcomeKind = Literal[
    "played", "overtime_limit", "absent", "both_absent", "late", "left", "resigned", "director"
]
"""``both_absent``: neither player came, and each loses by the margin."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a game."""

    kind: OutcomeKind
    winner: Side | None
    """The winner; None for a tie, or if the director has to decide."""
    margin: int | None
    """The spread; None if the rulebook gives none and the director has to decide."""
    rule: str | None
    loss: int | None = None
    """Points off the loser's spread, if they are more than the winner gains; else None."""
    basis: str = ""
    """The spread and its rule, in words that continue "the spread is"; empty for a game that its
    scores alone decide."""
    unrated: str | None = None
    """The rule by which the game does not count for ratings, or ``director`` if only a director
    decided so; None if it counts."""


BY_DIRECTOR: Final = "director"
"""Marks a game that does not count for ratings by a director's decision, without a rule."""

_BY_SCORES: Final = "the difference of the scores"


def _under(rule: str | None) -> str:
    return f" (rule {rule})" if rule else ""


def played(scores: Mapping[Side, int]) -> Outcome:
    """Return the result by the scores; equal scores are a tie."""
    lead = scores["left"] - scores["right"]
    winner: Side | None = "left" if lead > 0 else "right" if lead < 0 else None
    return Outcome("played", winner, abs(lead), None)


def by_limit(limit: Forfeit, scores: Mapping[Side, int], book: Rulebook) -> Outcome:
    """Return the result of a game lost by the limit on overtime."""
    rule = book.rule("overtime_limit.then")
    if book.limit_changes_scores:
        return Outcome(
            "overtime_limit",
            other(limit.side),
            scores[other(limit.side)] - scores[limit.side],
            rule,
            basis=f"{_BY_SCORES}, with the limit's points in them{_under(rule)}",
        )
    basis = f"the lead as the limit was reached, {book.overtime_limit_margin} points at the least"
    return Outcome(
        "overtime_limit", other(limit.side), limit.margin, rule, basis=f"{basis}{_under(rule)}"
    )


def forfeited(
    event: GameForfeited,
    scores: Mapping[Side, int],
    then: Mapping[Side, int],
    book: Rulebook,
    limit: Forfeit | None,
) -> Outcome:
    """Return the result of a forfeited game.

    Args:
        event: the player, the cause, and the margin if the director has set one.
        scores: the scores after settlement.
        then: the same without what came after the forfeit.
        book: the rules in force.
        limit: the forfeit on time; None if there is none.
    """
    usual = _usual(event.side, event.cause, scores, then, book, limit)
    if event.cause in book.unrated:
        usual = replace(usual, unrated=book.rule("forfeit.unrated"))
    if event.margin is None:
        return usual
    if usual.margin is None:
        return replace(usual, margin=event.margin, basis="set by the director")
    raised, rule = (
        max(event.margin, _least(event.cause, usual, book)),
        _raise_rule(event.cause, book),
    )
    if raised < usual.margin:
        return replace(usual, margin=raised, rule=rule, basis=f"set by the director{_under(rule)}")
    if book.raised_off == "loser":
        more = f"the director raised what the loser's spread loses{_under(rule)}"
        return replace(usual, loss=raised, rule=rule, basis=f"{usual.basis}; {more}")
    return replace(usual, margin=raised, rule=rule, basis=f"raised by the director{_under(rule)}")


def _raise_rule(cause: Cause, book: Rulebook) -> str | None:
    """Return the rule by which the director may raise the spread of a forfeit."""
    return book.rule(f"forfeit.raised_{'leaving' if cause in book.raised_leaving else 'for'}")


def _least(cause: Cause, usual: Outcome, book: Rulebook) -> int:
    """Return the least spread that the director may set; 0 if the rulebook sets no limit."""
    free = cause in book.raised_leaving and book.raised_leaving_least == "none"
    return 0 if free else usual.margin or 0


def raise_refused(event: GameForfeited, usual: Outcome, book: Rulebook) -> str | None:
    """Return why the director may not set this margin; None if it is allowed.

    Args:
        event: the forfeit with the margin that the director set.
        usual: the result without that margin.
        book: the rules in force.
    """
    if event.margin is None:
        return None
    if event.margin < 0:
        return f"GameForfeited.margin: {event.margin} is below 0"
    if usual.margin is None:
        return None
    if event.cause not in book.raised_for | book.raised_leaving:
        own = f" ({usual.rule})" if usual.rule else ""
        return f"{book.id} fixes the spread of this forfeit at {usual.margin}{own}"
    rule = _raise_rule(event.cause, book)
    if book.raised_to and event.margin != book.raised_to:
        return f"{book.id} raises the spread of this forfeit to {book.raised_to} ({rule})"
    if event.margin < (least := _least(event.cause, usual, book)):
        return f"the spread of this forfeit must be at least {least} ({rule})"
    return None


def _usual(
    side: Side,
    cause: Cause,
    scores: Mapping[Side, int],
    then: Mapping[Side, int],
    book: Rulebook,
    limit: Forfeit | None,
) -> Outcome:
    """Return the result of a game that ``side`` forfeits, by the rulebook alone."""
    winner = other(side)
    if cause == "both_absent":
        rule = book.rule("absent.both")
        if book.absent_both != "each_loses":
            return _fixed("both_absent", None, None, rule)
        basis = f"a loss of {book.absent_points} points for each player{_under(rule)}"
        return Outcome("both_absent", None, book.absent_points, rule, basis=basis)
    if cause == "absent":
        return _fixed("absent", winner, book.absent_points, book.rule("absent.points"))
    if cause == "late":
        return _fixed("late", winner, book.late_points, book.rule("late.forfeit_points"))
    if cause == "overtime" and limit is not None and limit.side == side:
        return by_limit(limit, scores, book)
    if cause in ("left", "resigned"):
        return _left("left" if cause == "left" else "resigned", winner, scores, then, book)
    return _fixed("director", winner, None, None)


def _fixed(kind: OutcomeKind, winner: Side | None, margin: int | None, rule: str | None) -> Outcome:
    """Return a result with the rulebook's spread as ``margin``, or None for the director to set."""
    basis = "left to the director" if margin is None else "fixed by the rulebook"
    return Outcome(kind, winner, margin, rule, basis=f"{basis}{_under(rule)}")


def _left(
    kind: OutcomeKind,
    winner: Side,
    scores: Mapping[Side, int],
    then: Mapping[Side, int],
    book: Rulebook,
) -> Outcome:
    """Return the result of a game that was left or resigned before its end."""
    lead, more = scores[winner] - scores[other(winner)], book.leaving_points
    rule = book.rule("leaving.then")
    if kind == "resigned" and book.resigning != "as_leaving":
        rule = book.rule("leaving.resigning")
        if book.resigning == "current_score":
            return Outcome(kind, winner, lead, rule, basis=f"{_BY_SCORES}{_under(rule)}")
    elif book.leaving == "fifty_behind":
        basis = f"{_BY_SCORES}, to which {more} points were added{_under(rule)}"
        return Outcome(kind, winner, lead, rule, basis=basis)
    elif book.leaving != "spread_plus":
        return _fixed(kind, winner, None, rule)
    lead = then[winner] - then[other(winner)]
    basis = f"{more} points, as the winner did not lead"
    if lead > 0:
        basis = f"the lead of {lead} and {more} points more"
    return Outcome(kind, winner, more + max(0, lead), rule, basis=f"{basis}{_under(rule)}")


def rated_as_noted(result: Outcome | None, notes: Iterable[DirectorNoted]) -> Outcome | None:
    """Return the result, rated or unrated by the last note about that; unchanged without one."""
    about_it = [note for note in notes if note.rated is not None]
    if result is None or not about_it:
        return result
    last = about_it[-1]
    return replace(result, unrated=None if last.rated else last.rule or BY_DIRECTOR)


def bye(book: Rulebook) -> Outcome:
    """Return the result of a bye for the player who has it, who counts as the left side."""
    return Outcome("absent", "left", book.bye_points or None, book.rule("bye.points"))
