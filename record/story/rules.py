"""The rule that decides on an entry, in words, with how long a hold lasted."""

from __future__ import annotations

from collections.abc import Iterator

from game import events
from game.flags import label
from game.rulebooks.challenge import cost_label, cost_words
from game.rulebooks.rulebook import Rulebook
from game.rulebooks.setting import DECLARABLE
from game.state.fold import GameState
from game.state.timed_rights import windows
from record.story.entries import Step
from record.story.event_wording import lasting


def deciding_rule(last: GameState, step: Step, event: events.Event) -> str:
    """Return the rule on an entry, in words; empty if the entry has none and the text has none.

    ``event`` is that of ``step`` with the turns as they are numbered in ``last``.
    """
    book = last.rulebook
    match event:
        case events.HoldCalled():
            return "; ".join(_hold(last, step, event))
        case events.TurnRuled(ruling="challenge_failed"):
            number = book.rule("challenge.failed")
            cost = f"a challenge in vain costs {cost_label(cost_words(book))}"
            return f"rule {number}: {cost}" if number else f"under {book.name} {cost}"
        case events.OvertimeErased():
            return _declared(book, "overtime_erased")
        case events.ScoreAgreed():
            return _declared(book, "score_agreed")
        case events.PlayAccepted():
            return _declared(book, event.how)
        case events.BlankDesignated():
            flag = "blank_undesignated"
            rule = book.guidance[flag].rule if flag in book.guidance else None
            return f"rule {rule}: {label(flag)}" if rule else ""
        case events.DrawDelayed() if book.delay_ns:
            count = step.after.progress.delays.get(event.side, 0)
            what = "the first is a warning" if count < 2 else "each after the first costs time"
            return _by(f"delay {count}: {what}", book.rule("draw_delay.seconds"))
    entered = getattr(event, "rule", None)
    return f"rule {entered}, as entered" if entered else ""


def _declared(book: Rulebook, fact: str) -> str:
    """Return the rule on a fact that people enter; empty if the text has none."""
    rule = book.event_rule(fact)
    return f"rule {rule}: {DECLARABLE[fact]}" if rule else ""


def _hold(last: GameState, step: Step, event: events.HoldCalled) -> Iterator[str]:
    """Yield how long a hold lasted, its limit, and when the player who is held could draw."""
    book, turn = last.rulebook, last.turns[event.turn - 1]
    if length := _length(last, event):
        yield length
    note = book.notes.get("hold.lasts_seconds", "")
    limit = f"a hold may last {lasting(book.hold_lasts_ns)}" if book.hold_lasts_ns else ""
    limit = f"{limit or 'a hold has no limit'}{f' ({note})' if note else ''}"
    yield _by(limit, book.rule("hold.lasts_seconds"))
    name = last.players[turn.side]
    for one in windows(step.after):
        if one.right == "draw":
            since = lasting(one.opens_ns - turn.press_ns)
            yield _by(f"{name} could draw from {since} after the press", one.rule)
            drawn = last.ledger.rulings_for(event.turn).accepted
            if drawn is not None and drawn.how == "tiles_drawn" and drawn.moment_ns < one.opens_ns:
                yield f"{name} drew {lasting(one.opens_ns - drawn.moment_ns)} early"
    if not book.hold_draw_ns:
        yield _by(f"{name} could not draw during it", book.rule("hold.draw_seconds"))


def _by(words: str, rule: str | None) -> str:
    return f"{words}, rule {rule}" if rule else f"{words}; the text is silent"


def _length(last: GameState, event: events.HoldCalled) -> str:
    """Return how long a hold lasted, or lasted at most, in words; empty if nothing tells."""
    rulings = last.ledger.rulings_for(event.turn)
    ends = [] if rulings.accepted is None else [rulings.accepted.moment_ns]
    if rulings.ruled is not None:
        called_ns = rulings.challenged_ns
        ends.append(rulings.ruled.happened_ns if called_ns is None else called_ns)
    known = min((at for at in ends if at >= event.t_ns), default=None)
    next_ns = next((turn.press_ns for turn in last.turns[event.turn :]), None)
    if known is not None and (next_ns is None or known <= next_ns):
        return f"it lasted {lasting(known - event.t_ns)}"
    if next_ns is None or next_ns < event.t_ns:
        return ""
    return f"it lasted at most {lasting(next_ns - event.t_ns)}, until the next turn had ended"
