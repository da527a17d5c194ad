"""What each audience may see of a game, chosen here and nowhere else.

``view(state, audience)`` turns the folded state into one JSON-able dictionary, complete in itself:
whoever has the newest one needs no earlier one. It reads no clock; what is due at a moment (the
running clock) is worked out by whoever shows it, from the times given::

    {
      "audience": "public",                          # whose view this is
      "game_id": "…",
      "status": "waiting" | "running" | "ended",
      "end_reason": "out" | "six_zeros" | "…" | null,
      "outcome": {"kind": "played" | "overtime_limit" | "absent" | "late" | "left" | "resigned" | …,
                  "winner": "left" | "right" | null, "margin": 12 | null, "rule": "V.K" | null,
                  "loss": 150 | null} | null,        # for all but the director, once it is final
      "settled": false,                              # somebody ended it: nothing will be undone
      "final": false,                                # and the scores are the result: all that the
                                                     # end brings (racks, time) is in them
      "rulebook": {"id": "wespa-2021", "name": "…"},
      "tile_set": {"id": "english", "name": "…", "total": 100, "values": {"A": 1, …, "?": 0}},
      "players": {"left": {"name": "Ann", "score": 24}, "right": {…}},
      "scores": {"left": 24, "right": 0},
      "on_turn": "left" | "right" | null,
      "clocks": {                                    # on the table's monotonic base
        "running": "left" | "right" | null,
        "since_ns": 123 | null,                      # what remaining_ns says held at this moment;
        "remaining_ns": {"left": 1500000000000, "right": …}   # the running side loses time since
      },
      "bag_count": 79,                               # how many tiles, never which
      "rows": ["...............", …],                # 15 strings of 15 symbols (game.board)
      "squares": {"8H": {"symbol": "P", "value": 3, "blank": false, "turn": 1}, …},
      "last": ["8H", …],                             # squares of the newest turn's tiles
      "turns": [{"number": 1, "side": "left", "kind": "play", "position": "8D" | null,
                 "word": "FIRNS" | null, "tiles": {"8D": "F", …}, "score": 24, "total": 24,
                 "words": [{"text": "FIRNS", "points": 24}], "bingo": 0, "press_ms": 60000,
                 "bag_count": 79,                # after it
                 "flags": [{"code", "label", "squares": […], "rule": "4.5" | null, "message"}]}],
      "windows": [{"right": "challenge", "side": "right" | null, "turn": 2, "opens_ns": 123,
                   "least_ns": 123 | null, "closes_ns": 123 | null, "until": "…", "rule": "…"}],
      "adjustments": [{"kind", "side", "points", "total", "rule", "after_turn", "why"}],
      "flags": [like a turn's]                       # what concerns the game, not one turn
    }

The ``public`` and ``broadcast`` views may have ``"unseen": {"A": 3, …}``, ``"tiles"`` in the lines
about racks and ``"phoney"`` in turns, as ``table.views.public_policy`` allows. With a word list,
the director's has ``"suggestions": {"8H": ["A", "E"]}``: the letters that a blank without one may
stand for, by the list; nobody is held to them.

``squares`` has an entry for every square that is not empty; ``value`` is ``null`` where what lies
there is not known, ``turn`` is the turn that laid it or ``null``. In the ``director`` view every
adjustment has ``"tiles"`` besides, every turn ``"rulings"`` (what it can be ruled to be), and
every flag ``"visibility"``, ``"settled"`` (the number of the event that settled it, or ``null``; in
no other view is one that is settled) and ``"remedies"``, what can be done about it now
(:class:`game.adjudication.remedies.OfferedRemedy`)::

    {"id": "2:off_centre:0:challenge_off", "text": "challenge the whole play off the board, …",
     "who": "opponent" | "player" | "either" | "director", "side": "right" | null,
     "until": "until the first new tile is drawn", "open": true, "until_ns": 123 | null,
     "rule": "III.G.1" | null, "says": "…",
     "event": {"type": "TurnRuled", "turn": 2, "ruling": "challenge_upheld", …} | null,
     "asks": ["letter"]}                       # fields of the event still to be filled in

What keeps players honest is what is *not* in here: no player's view says which tiles are unseen;
none but the director's has a flag before whoever it would help has lost the right to act on it
(``may_see``), or what lay on a rack before the end of the game was settled; and nothing says
whether a word is good before nobody can challenge it any more.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import asdict, replace
from typing import Any, Final, Literal, TypeAlias

from game.adjudication.blank_letters import suggestions
from game.adjudication.remedies import offers, rulings
from game.board import FACE_DOWN, UNREADABLE, is_blank
from game.events import SIDES, Side
from game.flags import Flag, label
from game.referee.turn import Turn
from game.state.ending import Adjustment
from game.state.fold import GameState
from game.state.timed_rights import windows
from table.views.public_policy import (
    BROADCAST,
    FULLY_OPEN,
    PublicPolicy,
    rack_of,
    unseen_of,
    verdict_of,
)

Audience: TypeAlias = Literal["public", "player", "broadcast", "director"]
"""``broadcast`` is whoever brings a token: what players must not see goes out on a stream."""

AUDIENCES: Final[tuple[Audience, ...]] = ("public", "player", "broadcast", "director")

NS_PER_MS = 1_000_000

_RACKS = ("end_rack", "end_rack_penalty")


def view(
    state: GameState,
    audience: Audience,
    words: Container[str] | None = None,
    public: PublicPolicy = FULLY_OPEN,
) -> dict[str, Any]:
    """The game as this audience may see it, in the form given above.

    With a word list at hand a director's view has ``"suggestions"`` for blanks without a letter.
    ``public`` is what the event lets everybody see.
    """
    rules = {"public": public, "broadcast": BROADCAST}.get(audience)
    withheld = _withheld(state, audience)
    scores = {side: state.scores[side] - withheld[side] for side in SIDES}
    return {
        "audience": audience,
        "game_id": state.game_id,
        "status": state.status,
        "end_reason": state.end_reason,
        "outcome": _outcome(state, audience),
        "settled": state.settled,
        "final": state.final,
        "rulebook": {"id": state.rulebook.id, "name": state.rulebook.name},
        "tile_set": {
            "id": state.tile_set.id,
            "name": state.tile_set.name,
            "total": state.tile_set.total,
            "values": dict(state.tile_set.values),
        },
        "players": {side: {"name": state.players[side], "score": scores[side]} for side in SIDES},
        "scores": dict(scores),
        "on_turn": state.on_turn if state.status != "ended" else None,
        "clocks": {
            "running": state.clocks.running,
            "since_ns": state.clocks.since_ns,
            "remaining_ns": {side: state.clocks.remaining_ns[side] for side in SIDES},
        },
        "bag_count": state.bag_count,
        "rows": list(state.board.rows),
        "squares": _squares(state),
        "last": list(state.turns[-1].tiles) if state.turns else [],
        "turns": [
            {
                **turn_view(turn, state, audience),
                **(verdict_of(turn, state, rules, words) if rules else {}),
            }
            for turn in state.turns
        ],
        **(unseen_of(state, rules) if rules else {}),
        **_suggested(state, audience, words),
        "windows": [window.as_json() for window in windows(state)],
        "adjustments": [
            {**_line_view(line, audience), **(rack_of(line, state, rules) if rules else {})}
            for line in _adjustments(state, audience)
        ],
        "flags": [
            _flag_view(flag, None, state, audience)
            for flag in state.flags
            if may_see(flag, None, state, audience)
        ],
    }


def _outcome(state: GameState, audience: Audience) -> dict[str, Any] | None:
    """Who has won and by what.

    Before the scores are final they would name the wrong winner of a close game, and the spread
    would give away what is withheld; a director sees what it would be as things stand.
    """
    if state.outcome is None or not (state.final or audience == "director"):
        return None
    return asdict(state.outcome)


def _suggested(
    state: GameState, audience: Audience, words: Container[str] | None
) -> dict[str, Any]:
    """What blanks may stand for: it tells of words, so only a director gets it."""
    if audience != "director" or words is None:
        return {}
    found = suggestions(state.board, words, state.tile_set.letters)
    return {"suggestions": {square.name: list(letters) for square, letters in found.items()}}


def turn_view(turn: Turn, state: GameState, audience: Audience) -> dict[str, Any]:
    """One turn as this audience may see it."""
    shown: dict[str, Any] = {
        "number": turn.number,
        "side": turn.side,
        "kind": turn.kind,
        "position": turn.position,
        "word": turn.word,
        "tiles": dict(turn.tiles),
        "score": turn.score,
        "total": turn.total,
        "words": [{"text": text, "points": points} for text, points in turn.words],
        "bingo": turn.bingo,
        "press_ms": turn.press_ns // NS_PER_MS,
        "bag_count": turn.bag_count,
        "flags": [
            _flag_view(flag, turn, state, audience)
            for flag in turn.flags
            if may_see(flag, turn, state, audience)
        ],
    }
    if audience == "director":
        shown["rulings"] = list(rulings(state, turn))
    return shown


def may_see(flag: Flag, turn: Turn | None, state: GameState, audience: Audience) -> bool:
    """Whether this audience may see a flag of a turn, or of the game where ``turn`` is None.

    A flag that only the opponent has the right to raise is kept from everybody but the director
    until that right has certainly gone. The camera cannot see a score being written, so that is
    taken to be when the opponent has completed a turn of their own, or somebody ended the game: a
    game that looks played out can still be undone by a challenge.
    """
    if audience == "director":
        return True
    if flag.settled is not None:
        return False
    if flag.visibility == "public":
        return True
    if flag.visibility == "director":
        return False
    if state.settled:
        return True
    return turn is not None and any(later.side != turn.side for later in state.turns[turn.number :])


def _may_see_line(line: Adjustment, state: GameState, audience: Audience) -> bool:
    # The worth of the tiles left on a rack tells which tiles they are.
    return audience == "director" or line.kind not in _RACKS or state.settled


def _adjustments(state: GameState, audience: Audience) -> list[Adjustment]:
    """The lines this audience may see, with totals that do not tell of the others."""
    withheld = dict.fromkeys(SIDES, 0)
    lines = []
    for line in state.adjustments:
        if _may_see_line(line, state, audience):
            lines.append(replace(line, total=line.total - withheld[line.side]))
        else:
            withheld[line.side] += line.points
    return lines


def _withheld(state: GameState, audience: Audience) -> dict[Side, int]:
    """Points in each score that come from lines this audience may not see."""
    withheld: dict[Side, int] = dict.fromkeys(SIDES, 0)
    for line in state.adjustments:
        if not _may_see_line(line, state, audience):
            withheld[line.side] += line.points
    return withheld


def _squares(state: GameState) -> dict[str, dict[str, Any]]:
    placed_in = {
        name: turn.number
        for turn in state.turns
        if turn.kind != "challenge_upheld"
        for name in turn.tiles
    }
    return {
        square.name: {
            "symbol": symbol,
            "value": _value(state, symbol),
            "blank": is_blank(symbol),
            "turn": placed_in.get(square.name),
        }
        for square, symbol in state.board.tiles().items()
    }


def _value(state: GameState, symbol: str) -> int | None:
    return None if symbol in (FACE_DOWN, UNREADABLE) else state.tile_set.value(symbol)


def _flag_view(
    flag: Flag, turn: Turn | None, state: GameState, audience: Audience
) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "code": flag.code,
        "label": label(flag.code),
        "squares": list(flag.squares),
        "rule": flag.rule,
        "message": flag.message,
    }
    if audience == "director":
        shown["visibility"] = flag.visibility
        shown["settled"] = flag.settled
        shown["remedies"] = [offer.as_json() for offer in offers(state, turn, flag)]
    return shown


def _line_view(line: Adjustment, audience: Audience) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "kind": line.kind,
        "side": line.side,
        "points": line.points,
        "total": line.total,
        "rule": line.rule,
        "after_turn": line.after_turn,
        "why": line.why,
    }
    if audience == "director":
        shown["tiles"] = line.tiles
    return shown
