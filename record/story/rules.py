"""The rule that decides on an entry, in words, with how long a hold lasted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from game import events
from game.flags import label
from game.rulebooks.challenge import cost_label, cost_words
from game.rulebooks.rulebook import Rulebook
from game.rulebooks.setting import DECLARABLE
from game.state.fold import GameState
from game.state.timed_rights import windows
from game.terms import STOP_REASONS
from record.story.entries import Step
from record.story.event_wording import lasting


def deciding_rule(last: GameState, step: Step, event: events.Event) -> str:
    """Return the rules on an entry, in words; empty if the entry has none and the text has none.

    ``event`` is that of ``step`` with the turns as they are numbered in ``last``.
    """
    found = [*_of_the_text(last, step, event)]
    entered = getattr(event, "rule", None)
    if entered and not any(entered in one for one in found):
        found.insert(0, f"rule {entered}, as entered")
    return "; ".join(filter(None, found))


def _of_the_text(last: GameState, step: Step, event: events.Event) -> Iterator[str]:
    """Yield what the rulebook has on an entry; an empty text where it is silent."""
    book = last.rulebook
    match event:
        case events.HoldCalled():
            yield from _hold(last, step, event)
        case events.TurnRuled():
            yield from _ruled(book, event)
        case events.DrawDelayed() if book.delay_ns:
            count = step.after.progress.delays.get(event.side, 0)
            what = "the first is a warning" if count < 2 else "each after the first costs time"
            yield _by(f"delay {count}: {what}", book.rule("draw_delay.seconds"))
        case events.TilesFound():
            yield _declared(book, f"tiles_found_{'in_bag' if event.where == 'bag' else 'on_table'}")
        case events.PlayAccepted():
            yield _declared(book, event.how)
        case events.Reported():
            yield _flagged(book, event.what)
        case events.BlankDesignated():
            silent = f"{book.name} is silent on the letter of a blank"
            yield _flagged(book, "blank_undesignated") or silent
        case events.StopExplained():
            rule = book.stop_reasons.get(event.reason)
            yield f"rule {rule}: a stop for {STOP_REASONS[event.reason]}" if rule else ""
        case events.InfractionNoted() if book.infractions_every:
            words = f"every {book.infractions_every} minor infractions cost time"
            yield _set(book, "infractions.every", words)
        case _:
            fact, setting, words = _RULES.get(type(event), ("", "", ""))
            yield _declared(book, fact) if fact else _set(book, setting, words)


_RULES: Final[Mapping[type, tuple[str, str, str]]] = {
    events.ClockStartedInError: ("clock_started_in_error", "", ""),
    events.OvertimeErased: ("overtime_erased", "", ""),
    events.PositionRestored: ("position_restored", "", ""),
    events.RackUnderdrawn: ("underdrawn", "", ""),
    events.ScoreAgreed: ("score_agreed", "", ""),
    events.GameReopened: ("", "signed.grounds", "why a signed result may be changed"),
    events.ResultSigned: ("", "signed.grounds", "what may be changed once it is signed"),
}
"""The fact or the setting that a kind of entry goes by, and the setting in words."""

_VERDICTS: Final[Mapping[str, tuple[str, str, str]]] = {
    "second_opinion": ("second_opinion", "", ""),
    "third_opinion": ("second_opinion", "", ""),
    "resubmitted": ("challenge_resubmitted", "", ""),
    "conceded": ("", "challenge.may_concede", "giving in to a challenge"),
    "refused": ("", "challenge.until", "until when a play can be challenged"),
}
"""The fact or the setting that a verdict goes by, and the setting in words."""


def _ruled(book: Rulebook, event: events.TurnRuled) -> Iterator[str]:
    """Yield the rules on a ruling: what the verdict costs, how it came about."""
    if event.ruling == "challenge_failed" and event.verdict != "refused":
        number = book.rule("challenge.failed")
        cost = f"a challenge in vain costs {cost_label(cost_words(book))}"
        yield f"rule {number}: {cost}" if number else f"under {book.name} {cost}"
    if event.ruling == "challenge_withdrawn":
        yield _set(book, "challenge.may_withdraw", "withdrawing a challenge")
    if event.ruling.startswith("illegal_play"):
        yield _set(book, "placement.illegal", "an illegal play")
    if event.verdict is not None:
        fact, setting, words = _VERDICTS[event.verdict]
        yield _declared(book, fact) if fact else _set(book, setting, words)


def _set(book: Rulebook, setting: str, words: str) -> str:
    """Return the rule of a setting, with its note; empty if the text has none."""
    rule, note = book.rule(setting), book.notes.get(setting, "")
    return f"rule {rule}: {words}{f', {note}' if note else ''}" if rule else ""


def _flagged(book: Rulebook, code: str) -> str:
    """Return the rule on a flag; empty if the text has none."""
    rule = book.guide(code).rule
    return f"rule {rule}: {label(code)}" if rule else ""


def _declared(book: Rulebook, fact: str) -> str:
    """Return the rule on a fact that people enter; empty if the text has none."""
    rule = book.event_rule(fact)
    note = book.notes.get(f"event.{fact}", "")
    return f"rule {rule}: {DECLARABLE[fact]}{f', {note}' if note else ''}" if rule else ""


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
