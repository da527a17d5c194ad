"""Reports of what no camera sees: which are refused, which flags they raise, what answers them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from game.errors import TilewatchError
from game.events import (
    ClockAdjusted,
    ClockStartedInError,
    DirectorNoted,
    DrawDelayed,
    Event,
    GameEnded,
    GameForfeited,
    PenaltyAdded,
    PointsAdjusted,
    PositionRestored,
    RackUnderdrawn,
    Reported,
    ResultSigned,
    Ruling,
    TurnRuled,
    other,
)
from game.flag_codes import REPORTABLE, REPORTED
from game.flags import CODES, Flag, make_flag
from game.guidance import Remedy
from game.rulebooks.judging import judge
from game.rulebooks.rulebook import Rulebook
from game.state.game_state import GameState, Progress, Report
from game.state.numbering import place_of
from game.state.timed_rights import recount_refused, windows
from game.values import replace


def report_of(event: Event, named: int | None, progress: Progress, book: Rulebook) -> Report | None:
    """Return the report that an event makes; None if it makes none.

    An event other than ``Reported`` makes one only if the rulebook has guidance on it.
    """
    match event:
        case Reported():
            return Report(event.what, event.side, named)
        case ClockStartedInError():
            found = Report("press_in_error", event.side, named)
        case RackUnderdrawn():
            short = _short_draw(event, progress)
            found = Report("underdrawn_rack", event.side, short, missing=event.missing)
        case DrawDelayed():
            found = Report("draw_delayed", event.side)
            if book.delay_ns and progress.delays.get(event.side, 0) > 1:
                return None  # the time it costs has been given
        case _:
            return None
    return found if found.code in book.guidance else None


_DRAWING: Final = ("play", "no_score", "exchange", "exchange_or_pass", "not_known")
"""The kinds of a turn after which tiles may be drawn."""


def _short_draw(event: RackUnderdrawn, progress: Progress) -> int | None:
    """Return the id of the turn after which the player drew too few tiles; None before any.

    It is the player's last one by then after which the bag had tiles to draw. If by count it never
    had any, the count may err: it is their last one.
    """
    ledger = progress.ledger
    turns = ledger.before(event).turns
    bags = (ledger.positions[0].bag, *(turn.bag_count for turn in turns))
    own = [(turn, bag) for turn, bag in zip(turns, bags, strict=False) if turn.side == event.side]
    drawing = [turn for turn, bag in own if bag and turn.kind in _DRAWING]
    last = (drawing or [turn for turn, _ in own])[-1:]
    return ledger.sightings[last[0].number - 1].id if last else None


def with_reports(event: Event, named: int | None, after: GameState) -> tuple[Report, ...]:
    """Return the reports after an event, with its own added and the first that it answers marked.

    ``named`` is the id of the turn that the event names; None if it names none. ``after`` is the
    game after the event, which its list of events has not got yet.
    """
    reports, book = after.progress.reports, after.rulebook
    found = report_of(event, named, after.progress, book)
    for at, one in enumerate(reports):
        if one.answered is None and _answers(event, named, one, after):
            answered = replace(one, answered=after.event_number)
            reports = (*reports[:at], answered, *reports[at + 1 :])
            break
    return reports if found is None else (*reports, replace(found, event=after.event_number))


def _answers(event: Event, named: int | None, report: Report, after: GameState) -> bool:
    """True if an event carries out a remedy for a report, or shows that it was one of warning."""
    guide = after.rulebook.guide(report.code)
    remedies = guide.remedies
    match event:
        case PointsAdjusted() if event.on == "score":
            return False  # the turns may be evened, and the game ended after that
        case PenaltyAdded() | PointsAdjusted() | ClockAdjusted():
            cited = [one for one in remedies if one.rule is not None and one.rule == event.rule]
            either = isinstance(event, ClockAdjusted) or "off_either" in {r.action for r in cited}
            return bool(cited) and (either or event.side == report.side)
        case Reported(what=code, side=side) if code == report.code and guide.warns_first:
            return side == report.side
        case DrawDelayed(side=side) if report.code == "draw_delayed":
            return guide.warns_first and side == report.side
        case DirectorNoted():
            cited = [one for one in remedies if one.rule is not None and one.rule == event.rule]
            return bool(cited) and event.side == report.side
        case Reported(what="recount_halted" | "recount_refused") | ResultSigned():
            return report.code == "recount_asked"
        case GameForfeited(cause="director"):
            return event.side == report.side and any(r.action in _FORFEITS for r in remedies)
        case GameEnded():
            return any(one.action == "end_as_it_stands" for one in remedies)
        case PositionRestored():
            return any(one.action in ("begin_again", "rebuild") for one in remedies)
        case TurnRuled():
            if named is None or named != report.named:
                return False
            own = after.turn(event.turn).side == report.side
            due = [one for one in remedies if own or one.action != "lose_turn"]
            return _ruled(event.ruling, due)
        case _:
            return False


_FORFEITS: Final = ("forfeit", "lose_and_lead", "lose_by", "lose_or_difference")
"""The actions by which a player loses the game."""

_BY_RULING: Final[Mapping[str, tuple[Ruling, ...]]] = {
    "correct_verdict": ("challenge_upheld", "challenge_failed", "play"),
    "hold_or_challenge": ("challenge_upheld", "challenge_failed", "challenge_withdrawn"),
    "lose_turn": ("pass", "taken_back"),
}
"""The rulings on the turn of a report that carry out a remedy for it, by action."""


def _ruled(ruling: Ruling, remedies: Sequence[Remedy]) -> bool:
    """True if a ruling carries out a remedy, and leaves the director none to decide on.

    A player's right to challenge is none in place of what the director does (SANSPA 2001 7.5).
    """
    who = {one.who for one in remedies if ruling in _BY_RULING.get(one.action, ())}
    return "director" in who or (bool(who) and all(one.who != "director" for one in remedies))


def reported_flags(state: GameState) -> tuple[Flag, ...]:
    """Return a flag for each report, with the remedies that the rulebook has for it."""
    return tuple([_flag(one, state) for one in state.progress.reports])


def _flag(report: Report, state: GameState) -> Flag:
    turn = None if report.named is None else place_of(state.ledger, report.named)
    flag = make_flag(
        report.code,
        side=report.side,
        turn=turn,
        player=state.players[report.side],
        opponent=state.players[other(report.side)],
        missing=report.missing,
    )
    return replace(judge(flag, state.rulebook), settled=report.answered)


def reportable(book: Rulebook) -> tuple[str, ...]:
    """Return the codes of what may be reported: that on which the text has a rule.

    That the board was upset is a fact under any text: it says why tiles lie elsewhere.
    """
    known = {*book.guidance, "board_upset"}
    return tuple(code for code in REPORTED if code in REPORTABLE and code in known)


def require_reportable(state: GameState, event: Reported) -> None:
    """Refuse a report on which the rulebook has no rule, or that names no turn of the game.

    Raises:
        TilewatchError: the report is refused; the line says why.
    """
    book = state.rulebook
    if event.what not in reportable(book):
        raise TilewatchError(f"{book.id} has no rule on {CODES[event.what].meaning}")
    if not 0 <= event.turn <= len(state.turns):
        raise TilewatchError(f"there is no turn {event.turn}; {len(state.turns)} have been seen")
    if CODES[event.what].reported == "of_a_turn" and not event.turn:
        raise TilewatchError(f"say which turn it is about: {CODES[event.what].meaning}")

    if event.what.startswith("recount"):
        _require_recount(state, event)


def _require_recount(state: GameState, event: Reported) -> None:
    """Refuse a recount before the end of the game, or after the right to ask for it has ended."""
    if state.status != "ended":
        raise TilewatchError("a game can only be recounted when it is over")
    if event.what != "recount_asked":
        return
    refused = recount_refused(state)
    window = next((one for one in windows(state) if one.right == "recount"), None)
    if refused is None and (window is None or not window.open_at(event.t_ns)):
        refused = "the time to ask for one is over"
    if refused is not None:
        rule = state.rulebook.guide(event.what).rule
        raise TilewatchError(f"{refused} ({rule}): enter that the recount was refused")
