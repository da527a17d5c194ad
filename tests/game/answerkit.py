"""A game with one flag of any code, under any rulebook."""

from __future__ import annotations

from game.adjudication.remedies import ASKED
from game.events import ButtonPressed, TimeUnseen, from_payload
from game.flags import CODES, Flag, make_flag
from game.referee.position import Turn
from game.rulebooks.judging import judge
from game.state.fold import GameState, apply
from game.values import replace

from .gamekit import SECOND, Table

OF_THE_GAME = (
    *("challenge_binds", "clock_stopped", "rack_unknown", "reopened_unlisted"),
    *("late_start", "not_scoreless", "seats_unconfirmed", "set_wrong", "stop_unlisted"),
    "time_unseen",
)
"""Codes of flags that no turn has."""

EVENT_OF = {
    "seats": "PlayersNamed",
    "letter": "BlankDesignated",
    "symbol": "SquareCorrected",
    "rack": "RackReported",
    "reason": "StopExplained",
    "ruling": "TurnRuled",
    "set": "SetAltered",
    "parting": "TurnParted",
    "ending": "GameEnded",
    "time": "UnseenTimeCharged",
}
"""The event that answers a flag, by what the flag asks for."""

ASKING = (
    *("too_many_tiles", "tile_moved", "tile_removed", "tile_replaced", "withdrawn_left"),
    *("extra_tile", "unknown_letter", "blank_undesignated", "face_down", "hole_filled"),
    "hole_used",
    *("misoriented_tile", "misoriented_play", "askew", "uncertain_square"),
    *("changed_after_press", "challenge_unclear", "clock_back_unclear", "clock_stopped"),
    *("stopped_on_turn", "turn_inferred", "pictures_lost", "played_unseen"),
    *("press_forgotten", "rack_unknown", "not_scoreless", "ruling_ignored"),
    *("seats_unconfirmed", "set_wrong", "time_unseen"),
)
"""Codes of flags that a fact would settle."""

LATER = 10**15
"""A time, in ns, after all that the games of these tests have."""

SAID = {
    "letter": "E",
    "symbol": "E",
    "tiles": "E",
    "square": "8H",
    "missing": "E",
    "extra": "",
    "charged_ns": SECOND,
}
"""What is filled in where an answer asks for it."""


def entered(state, offer):
    """The state after somebody pressed an offer and filled in what it asks."""
    payload = dict(offer.event)
    for name in offer.asks:
        assert payload[name] == ASKED
        payload[name] = SAID[name]
    payload |= {name: value for name, value in (("by", "TD"), ("t_ns", LATER)) if name in payload}
    return apply(state, from_payload(payload))


def flagged(code: str, book: str) -> tuple[GameState, Turn | None, Flag]:
    """A game whose first turn, or itself, has a flag of that code as the rulebook has it."""
    table = Table(rulebook=book)
    table.play("8G", "C?T")
    if code == "clock_stopped":
        table.put(ButtonPressed("neutral", table.now + SECOND))
    if code == "time_unseen":
        table.put(TimeUnseen(table.now, table.now, SECOND, measured=False))
    if code == "rack_unknown":
        table.end("out")
    if code == "not_scoreless":
        table.end("six_zeros")
    state = table.state
    squares = ("8H",) if CODES[code].asks in ("letter", "symbol", "parting") else ()
    turn = 1 if code in ("challenge_unclear", "clock_back_unclear", "clock_stopped") else None
    side = "left" if code in ("late_start", "seats_unconfirmed") else None
    flag = judge(make_flag(code, squares, message=f"{code}?", side=side, turn=turn), state.rulebook)
    if code in OF_THE_GAME:
        quiet = replace(state.turns[0], flags=())
        return replace(state, turns=(quiet,), flags=(flag,)), None, flag
    holder = replace(state.turns[0], flags=(flag,))
    return replace(state, turns=(holder,)), holder, flag
