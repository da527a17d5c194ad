"""Events in plain words, for the record of what happened at a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from game import events
from game.adjudication.answers import RULINGS
from game.board import Square
from game.clock import duration, passed
from game.events.declaring import declared_fields
from game.flags import CODES
from game.state.game_state import GameState
from game.terms import SIDES, STOP_REASONS, Side, other
from game.tile_symbols import spelled, symbol_words

Names = Mapping[str, str]
"""The players by side."""

CAUSES: Final[Mapping[str, str]] = {
    "absent": "did not come",
    "both_absent": "neither came",
    "late": "came too late",
    "left": "left the game",
    "resigned": "resigned",
    "overtime": "exceeded the limit on overtime",
    "director": "lost by the director's decision",
}
"""Reasons for a forfeit, in words, by ``Cause``."""

ENDS: Final[Mapping[str, str]] = {
    "out": "a player has played all tiles",
    "six_zeros": "scoreless turns in a row",
    "shortened": "cut short",
    "overtime_limit": "the limit on overtime was exceeded",
    "agreed": "both players agreed to end it",
    "confirmed": "both players agreed that it is over",
    "broken off": "broken off",
    "postponed": "postponed to another time",
    "director": "by the director's decision",
    "set up anew": "another game was set up in its place",
}
"""Reasons for the end of a game, in words, by the text in the log."""

_NOBODY_OUT: Final = "ended as played out, though nobody is out"


def end_words(state: GameState) -> Mapping[str, str]:
    """Return ``ENDS`` adapted to this game, in which an out play may have come off later."""
    return {**ENDS, "out": _NOBODY_OUT} if state.ended_but_nobody_out else ENDS


GROUNDS: Final[Mapping[str, str]] = {
    "both_agree": "both players agree",
    "director": "by the director's decision",
    "other": "another reason",
    "players_petition": "both players ask for it",
    "proven_misconduct": "misconduct was proved",
    "record_wrong": "the record is not what was signed",
    "reporting_error": "the result was reported wrongly",
    "scores_reversed": "each score was given to the wrong player",
    "wrongly_filled": "the result slip was filled in wrongly",
}
"""Grounds for changing a signed result, in words."""

_CLAIMED_NS: Final = 50_000_000
"""The smallest difference between claimed and accepted time that is worth a mention."""


def describe_event(event: events.Event, names: Names) -> str:
    """Return an event in one line, without its author and reason."""
    says = getattr(type(event), "SAYS", None)
    if says is None:
        return spelled(_WORDS[type(event)](event, names))
    return spelled(says.format_map(_filled(event, names)))


def _filled(event: events.Event, names: Names) -> dict[str, str]:
    """Return the fields of an event in words, for its sentence."""
    found = {}
    for field in declared_fields(cast(Any, type(event))):
        value = getattr(event, field.name)
        if field.type is Side:
            found[field.name] = names.get(value, "nobody")
        elif field.name.endswith("_ns"):
            found[field.name] = passed(value or 0)
        else:
            found[field.name] = dict(field.asked.words).get(str(value), str(value))
    return found


def describe_entry(event: events.Event, names: Names, taken_back: events.Event | None) -> str:
    """Return an event in one line; ``taken_back`` is the event that a retraction takes back."""
    if isinstance(event, events.Retracted) and taken_back is not None:
        return f"taken back: {describe_event(taken_back, names)}"
    return describe_event(event, names)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if abs(number) == 1 else 's'}"


def _altered(event: events.SetAltered, _: Names) -> str:
    lacks = f"lacks {event.missing}" if event.missing else ""
    more = f"has {event.extra} too many" if event.extra else ""
    how = " and ".join(filter(None, (lacks, more))) or "is whole"
    return f"the game is played with a set that {how}"


def _adjusted(event: events.PointsAdjusted, names: Names) -> str:
    how = "added to" if event.points >= 0 else "taken off"
    return f"{_count(abs(event.points), 'point')} {how} {names[event.side]}'s {event.on}"


def number(points: int) -> str:
    """Return a score, as it is written: ``12``, ``−5``."""
    return f"−{-points}" if points < 0 else str(points)


def signed(points: int) -> str:
    """Return points as they are written beside a play: ``+12``, ``−5``, ``+0``."""
    return f"{'−' if points < 0 else '+'}{abs(points)}"


_NO_TIME_NS: Final = 50_000_000

_SOON_NS: Final = 100_000_000_000
"""The length from which a time is given in minutes."""


def lasting(ns: int) -> str:
    """Return a length of time to the tenth of a second, as ``5.6 s`` or ``2:05.6``."""
    tenths = (ns + 50_000_000) // 100_000_000
    if ns < _SOON_NS:
        return f"{tenths // 10}.{tenths % 10} s"
    return f"{game_time(tenths * 100_000_000)}.{tenths % 10}"


def game_time(ns: int) -> str:
    """Return the time since a game began, as ``1:02:07`` or ``4:31``."""
    minutes, seconds = divmod(max(0, ns) // 10**9, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


_RESTS_NS: Final = 1_000_000_000
"""A picture of the board at rest that is no older shows it at the press."""


def from_press(ns: int, press: str = "the press") -> str:
    """Return a time relative to a press in words, as ``2.0 s after the press``."""
    if abs(ns) < _NO_TIME_NS:
        return f"at {press}"
    return f"{lasting(abs(ns))} {'before' if ns < 0 else 'after'} {press}"


def _signed_time(ns: int) -> str:
    return f"{'−' if ns < 0 else '+'}{passed(abs(ns))}"


def _seen(event: events.TurnSeen, names: Names) -> str:
    name = names[event.side]
    lost = ", and pictures were lost in it" if event.lost else ""
    if event.sighted_ns is None:
        return f"{name}'s turn ended; nothing could be seen{lost}"
    return f"{name}'s turn was read from the picture {read_when(event)}{lost}"


def read_when(event: events.TurnSeen) -> str:
    """Return when the picture was taken from which a turn was read, in words."""
    from_ns = 0 if event.sighted_ns is None else event.sighted_ns - event.press_ns
    at_rest = -_RESTS_NS < from_ns < 0
    return from_press(0 if at_rest else from_ns, "the press" if event.ended is None else "its end")


_VERDICTS: Final = {
    "conceded": "conceded before the verdict",
    "refused": "refused as too late, and nothing looked up",
    "resubmitted": "resubmitted, as other words had been looked up",
    "second_opinion": "by a second opinion",
    "third_opinion": "by a third opinion",
}


def _ruled(event: events.TurnRuled, _: Names) -> str:
    if event.ruling != "play":
        more = [f"the words {', '.join(event.challenged_words)}"] if event.challenged_words else []
        more += [f"{event.words} words"] if event.words > 1 and not event.challenged_words else []
        more += ["for its placement"] if event.ground == "placement" else []
        more += [_VERDICTS[event.verdict]] if event.verdict else []
        if event.announced is not None:
            put = f", {event.tiles} put down" if event.tiles else ""
            more.append(f"{event.announced} announced{put}")
        how = f" ({'; '.join(more)})" if more else ""
        return f"turn {event.turn}: {RULINGS[event.ruling]}{how}"
    known = event.challenged is False
    return f"turn {event.turn} {'was not challenged' if known else 'counts as a play'}"


def _unseen(event: events.TimeUnseen, _: Names) -> str:
    if event.passed_ns is None:
        return "nobody watched the table, for how long is not known"
    by = "" if event.measured else ", by the machine's date, which may be wrong"
    return f"nobody watched the table for {duration(event.passed_ns)}{by}"


def _charged(event: events.UnseenTimeCharged, names: Names) -> str:
    if not event.charged_ns:
        return "nobody is charged for the time that nobody watched"
    return f"{names[event.side]} is charged {duration(event.charged_ns)} that nobody watched"


def _pressed(event: events.ButtonPressed, names: Names) -> str:
    if event.button == "neutral":
        return f"the clock was stopped{_claimed(event)}"
    if event.echo_of_ns is not None:
        return f"{names[event.button]}'s button was pressed in one blow with the other"
    if event.by and event.claimed_ns is None:
        return f"{names[other(event.button)]}'s clock was started from the desk"
    return f"{names[event.button]} pressed the clock{_claimed(event)}"


def _claimed(event: events.ButtonPressed) -> str:
    """Return words on the time that a page claimed for a press; empty if it was accepted."""
    if not early(event):
        return ""
    assert event.claimed_ns is not None and event.heard_ns is not None
    claimed, accepted = event.heard_ns - event.claimed_ns, event.heard_ns - event.t_ns
    return (
        f": the phone claimed {claimed / 1e9:.1f} s before it was heard, "
        f"{accepted / 1e9:.1f} s were accepted"
    )


def early(event: events.ButtonPressed) -> bool:
    """True if a page claimed an earlier time for a press than the accepted one."""
    if event.claimed_ns is None or event.heard_ns is None:
        return False
    return event.t_ns - event.claimed_ns >= _CLAIMED_NS


def _second_play(event: events.SecondPlaySeen, names: Names) -> str:
    first = " ".join(event.tiles)
    return f"a second play lies on the board, with no press after {names[event.side]}'s on {first}"


def _ended(event: events.GameEnded, _names: Names) -> str:
    over = "the game is over" if event.instead is None else "the game ended otherwise"
    return f"{over}: {ENDS.get(event.reason, event.reason)}"


def _forfeited(event: events.GameForfeited, names: Names) -> str:
    if event.cause == "both_absent":
        return "neither player came: both lose"
    if event.cause == "director":
        return f"{names[event.side]} loses by the director's decision"
    loses = "" if event.cause == "resigned" else " and loses"
    return f"{names[event.side]} {CAUSES[event.cause]}{loses}"


def _parted(event: events.TurnParted, names: Names) -> str:
    return (
        f"turn {event.turn} was two: {names[event.side]} laid {', '.join(event.squares)}, "
        "and the rest was the opponent's"
    )


def _assigned(event: events.PlaysAssigned, names: Names) -> str:
    last = event.turn + event.turns - 1
    which = f"turns {event.turn} to {last} were" if event.turns > 1 else f"turn {event.turn} was"
    return f"{which}: {'; '.join(_play(one, names) for one in event.plays)}"


def _play(play: events.PlayMade, names: Names) -> str:
    squares = sorted(play.tiles, key=Square.parse)
    word = spelled("".join(play.tiles[square] for square in squares))
    what = f"laid {word} on {', '.join(squares)}" if squares else "laid no tile"
    added = ", ".join(f"{symbol} on {square}" for square, symbol in (play.added or {}).items())
    what += f" and added {added} after the press" if added else ""
    return f"{names[play.side]} {what}{' and was challenged off' * play.came_off}"


def _inserted(event: events.TurnInserted, names: Names) -> str:
    tiles = ", ".join(f"{symbol} on {square}" for square, symbol in event.tiles.items())
    return f"turn {event.turn} was {names[event.side]}'s, and nobody pressed: {tiles or 'no tile'}"


_ACCEPTED: Final = {
    "score_written": "its score was written",
    "tiles_drawn": "tiles were drawn",
    "play_accepted": "by word",
    "hold_released": "the hold was released",
}


def _found(event: events.TilesFound, names: Names) -> str:
    where = "in the bag" if event.where == "bag" else "outside the bag"
    to = "nobody" if event.side is None else names[event.side]
    which = f" ({spelled(event.tiles)})" if event.tiles else ""
    them = "it" if event.count == 1 else "them"
    return f"{_count(event.count, 'tile')}{which} found {where}: {to} gets {them}"


def _in_error(event: events.ClockStartedInError, names: Names) -> str:
    turn = f": turn {event.turn} had not ended" if event.turn else ""
    return f"{names[event.side]} started the opponent's clock in error{turn}"


def _noted(event: events.DirectorNoted, names: Names) -> str:
    """Return the note, and each of its effects, in words."""
    to = "" if event.side is None else f" to {names[event.side]}"
    kind = f"{'an official ' if event.measure == 'warning' else 'a '}{event.measure}"
    about = f", on turn {event.turn}" if event.turn else ""
    effects = [
        f"{signed(points)} on {names[side]}'s {what}"
        for what, given in (("score", event.score), ("spread", event.spread))
        for side, points in given.items()
    ]
    effects += [
        f"{names[side]}'s clock {_signed_time(added_ns)}"
        for side, added_ns in event.added_ns.items()
    ]
    if event.turn_lost is not None:
        effects.append(f"{names[event.turn_lost]} loses the turn")
    if event.first is not None:
        effects.append(f"{names[event.first]} is charged with the first turn")
    if event.rated is not None:
        effects.append(f"the game {'counts' if event.rated else 'does not count'} for ratings")
    return "; ".join([f"{kind}{to}{about}: {event.what}", *effects])


def _agreed(event: events.ScoreAgreed, names: Names) -> str:
    what = f"turn {event.turn}" if event.turn else f"{names[event.side]}'s total"
    return f"both players agree on {_count(event.points, 'point')} for {what}"


def _seated(event: events.PlayersNamed, _: Names) -> str:
    seats = [f"{event.players[side]} on the {side}" for side in SIDES if side in event.players]
    return f"the players: {', '.join(seats)}"


_WORDS: Final[Mapping[type, Callable[[Any, Names], str]]] = {
    events.ButtonPressed: _pressed,
    events.TurnSeen: _seen,
    events.TimeUnseen: _unseen,
    events.SecondPlaySeen: _second_play,
    events.PlayersNamed: _seated,
    events.TurnRuled: _ruled,
    events.StopExplained: lambda e, _: f"the clock was stopped for {STOP_REASONS[e.reason]}",
    events.SetSeen: lambda e, _: f"the set was checked: {len(e.symbols)} tiles",
    events.SetAltered: _altered,
    events.BlankDesignated: lambda e, _: f"the blank on {e.square} is {e.letter.upper()}",
    events.SquareCorrected: lambda e, _: (
        f"turn {e.turn}: on {e.square} lay {symbol_words(e.symbol)}"
    ),
    events.ChallengeBonus: lambda e, n: (
        f"{_count(e.points, 'point')} for a challenge in vain of {n[e.side]}'s play"
    ),
    events.PenaltyAdded: lambda e, n: f"{_count(e.points, 'point')} off {n[e.side]}",
    events.PointsAdjusted: _adjusted,
    events.RackReported: lambda e, n: f"{n[e.side]} has {e.tiles or 'nothing'} left",
    events.GameEnded: _ended,
    events.ClockAdjusted: lambda e, n: f"{n[e.side]}'s clock: {_signed_time(e.added_ns)}",
    events.UnseenTimeCharged: _charged,
    events.GameForfeited: _forfeited,
    events.GameReopened: lambda e, _: f"the game was reopened: {GROUNDS.get(e.ground, e.ground)}",
    events.TurnParted: _parted,
    events.TurnInserted: _inserted,
    events.PlaysAssigned: _assigned,
    events.TurnsJoined: lambda e, n: f"turns {e.turn} and {e.turn + 1} were one, {n[e.side]}'s",
    events.PlayAccepted: lambda e, _: f"turn {e.turn} was accepted: {_ACCEPTED[e.how]}",
    events.TilesFound: _found,
    events.RackUnderdrawn: lambda e, n: (
        f"{n[e.side]} had drawn {_count(e.missing, 'tile')} too few"
    ),
    events.ClockStartedInError: _in_error,
    events.Reported: lambda e, n: f"reported of {n[e.side]}: {CODES[e.what].meaning}",
    events.DirectorNoted: _noted,
    events.PositionRestored: lambda e, _: (
        f"the game went back to the position after turn {e.turn}"
        if e.turn
        else "the game began again"
    ),
    events.ScoreAgreed: _agreed,
    events.PicturesKept: lambda e, _: f"{_count(len(e.pictures), 'picture')} kept of turn {e.turn}",
    events.PicturesDeleted: lambda e, _: f"{len(e.pictures)} pictures were deleted",
    events.TroubleNoted: lambda e, _: f"{e.message}{' (over)' if e.state == 'over' else ''}",
}
