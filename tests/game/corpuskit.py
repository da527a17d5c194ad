"""The steps of the corpora's cases, done at a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import get_args

from game import events
from game.adjudication.remedies import offers
from game.board import Square
from game.events import Finding, other
from game.state.timed_rights import windows
from game.terms import ChallengeGround, VerdictBy
from game.tileset import load_tile_set

from .gamekit import SECOND, Table


def take(table: Table, step: str) -> None:
    step, *found = step.split(" !")
    findings = tuple(one for finding in found for one in _findings(finding))
    now = table.now
    match step.split():
        case ["ago", seconds, *late]:
            table.now -= int(seconds) * SECOND
            take(table, " ".join(late))
            table.now = now
        case ["-"]:
            table.see(findings=findings)
        case ["rule", number, ruling, *more]:
            found, table.found = table.found, None
            table.put(
                events.TurnRuled(
                    *(int(number), ruling, "TD", "test", now), found_ns=found, **_of_ruling(more)
                )
            )
        case ["note", *words]:
            table.put(_note(words, now))
            table.side = table.state.on_turn
        case ["found", seconds]:
            table.found = now - int(seconds) * SECOND
        case ["called", number, ruling]:
            called, table.found = table.found, None
            called = now if called is None else called
            table.put(events.TurnRuled(int(number), ruling, "TD", "test", now, called_ns=called))
        case ["hold", number]:
            table.put(events.HoldCalled(int(number), "opponent", now))
        case ["why", number, reason]:
            table.put(events.StopExplained(int(number), reason, "TD", "test", now))
            table.see_stopped()
        case ["wait", seconds]:
            table.now += int(seconds) * SECOND
        case ["nobody", seconds]:
            table.now += int(seconds) * SECOND
            table.put(events.TimePassed(table.now))
        case ["turn", side]:
            table.side = side
        case ["slip", side]:
            table.put(events.InfractionNoted(side, "IV.H.1", "TD", "a wrong score", now))
        case ["set", *changes]:
            tiles = Counter(load_tile_set("english").counts)
            for change in changes:
                tiles[change[1]] += {"+": 1, "-": -1}[change[0]]
            table.put(events.SetSeen("".join(tiles.elements()), "TD", now))
        case ["name", side, name]:
            table.put(events.PlayersNamed({side: name}, "TD", now))
        case ["penalty", side, points]:
            table.put(events.PenaltyAdded(side, int(points), None, "TD", "test", now))
        case ["points", side, points, on, *rule]:
            event = events.PointsAdjusted(
                side, int(points), on, *(rule or [None]), "TD", "test", now
            )
            table.put(event)
        case ["correct", number, change, *by]:
            square, symbol = change.split("=")
            table.put(
                events.SquareCorrected(int(number), square, symbol, *(by or ["TD"]), "test", now)
            )
        case ["letter", square, letter]:
            table.put(events.BlankDesignated(square, letter, "TD", "test", now))
        case ["bonus", side, points]:
            table.put(events.ChallengeBonus(side, int(points), "4.6.10", "TD", "test", now))
        case ["rack", side, tiles, *counted]:
            tiles = tiles.strip("-")
            table.put(
                events.RackReported(side, tiles, now, counted=len(tiles) if counted else None)
            )
        case ["altered", *changes]:
            tiles = {by: "".join(one[1] for one in changes if one[0] == by) for by in "-+"}
            table.put(events.SetAltered(tiles["-"], tiles["+"], "TD", "test", now))
        case ["clock", seconds]:
            table.seconds = float(seconds)
        case ["stop", where, word]:
            table.stop(where, word)
        case ["report", side, what, *turn]:
            about = int(turn[0]) if turn else 0
            table.put(events.Reported(what, side, "TD", "test", now, turn=about))
        case ["neutral", *by]:
            table.now += SECOND
            table.put(
                events.ButtonPressed(
                    "neutral", table.now, *by, *("stopped for a ruling" for _ in by)
                )
            )
        case ["start", side]:
            table.now += SECOND
            table.put(events.ButtonPressed(other(side), table.now))
        case ["add", side, seconds]:
            table.put(events.ClockAdjusted(side, int(seconds) * SECOND, None, "TD", "test", now))
        case ["late", side, minutes]:
            table.put(events.LateStart(side, int(minutes) * 60 * SECOND, "TD", "test", now))
        case ["forfeit", side, cause, *margin]:
            set_ = int(margin[0]) if margin else None
            table.put(events.GameForfeited(side, cause, "TD", "test", now, margin=set_))
        case ["sign"]:
            table.put(events.ResultSigned("both", now))
        case ["reopen", ground]:
            table.put(events.GameReopened(ground, "TD", "test", now))
        case ["retract", number]:
            event = int(number) if int(number) > 0 else len(table.events) + 1 + int(number)
            table.put(events.Retracted(event, "TD", "test", now))
        case ["end", *reason]:
            table.end(reason[0].replace("broken_off", "broken off") if reason else "agreed")
        case [("accept" | "part" | "insert" | "join" | "too_early" | "underdrawn"), *_]:
            amend_turns(table, step)
        case [("tiles" | "delayed" | "erase" | "restore" | "agree" | "changed" | "board"), *_]:
            amend_game(table, step)
        case ["unwatched", minutes, *how]:
            passed_ns = None if minutes == "-" else round(float(minutes) * 60) * SECOND
            from_ns = table.now = now + 10 * SECOND
            table.now += 0 if passed_ns is None or "guessed" in how else passed_ns
            stood = (from_ns, table.now, passed_ns, "guessed" not in how, "on" in how)
            table.put(events.TimeUnseen(*stood))
        case ["answer", code, name, *given]:
            table.put(_answer(table, code, name, "".join(given)))
        case [where, word] if "=" not in step:
            table.play(where, word, findings)
        case changes:
            table.see(table.board.replace(dict(map(_change, changes))), findings)


def _of_ruling(more: list[str]) -> dict[str, object]:
    """The fields of a ruling: how many words, which, on which ground, how it was decided."""
    words: dict[str, object] = {}
    for word in more:
        if word.isdigit():
            words["words"] = int(word)
        elif word in get_args(ChallengeGround):
            words["ground"] = word
        elif word in get_args(VerdictBy):
            words["verdict"] = word
        elif word.startswith("announced="):
            words["announced"] = int(word.partition("=")[2])
        elif word.startswith("tiles="):
            words["tiles"] = word.partition("=")[2]
        else:
            words["challenged_words"] = tuple(word.split(","))
    return words


def _note(words: list[str], now: int) -> events.DirectorNoted:
    """The note that ``warning side=left score.left=-5 time.left=60`` describes."""
    fields: dict = {"score": {}, "spread": {}, "added_ns": {}}
    for word in words:
        name, _, value = word.partition("=")
        what, _, side = name.partition(".")
        if not value:
            fields["measure"] = name
        elif what == "time":
            fields["added_ns"][side] = int(value) * SECOND
        elif side:
            fields[what][side] = int(value)
        elif name == "rated":
            fields["rated"] = value == "yes"
        else:
            fields[name] = int(value) if name == "turn" else value
    return events.DirectorNoted("as it was decided", "TD", "test", now, **fields)


def _findings(text: str) -> Iterator[Finding]:
    """The finding that ``code squares (details)`` describes."""
    text, _, details = text.partition(" (")
    code, _, squares = text.partition(" ")
    for square in squares.split(","):
        yield Finding(code, square.strip() or None, details.removesuffix(")"))


def _change(text: str) -> tuple[Square, str]:
    square, symbol = text.split("=")
    return Square.parse(square), symbol


def amend_turns(table: Table, step: str) -> None:
    """Take a step that tells how a turn ended, or where one began."""
    now, output = table.now, {"by": "TD", "why": "test", "t_ns": table.now}
    match step.split():
        case ["accept", number, how]:
            found, table.found = table.found, None
            table.put(events.PlayAccepted(int(number), how, **output, at_ns=found))
        case ["part", number, side, squares, *ended]:
            ends = {"ended": ended[0]} if ended else {}
            found, table.found = table.found, None
            ended_ns = now if found is None else found
            table.put(
                events.TurnParted(
                    int(number), tuple(squares.split(",")), side, ended_ns, **output, **ends
                )
            )
            table.side = table.state.on_turn
        case ["insert", number, side, tiles, *ended]:
            ends = {"ended": ended[0]} if ended else {}
            found, table.found = table.found, None
            placed = {} if tiles == "-" else dict(one.split("=") for one in tiles.split(","))
            ended_ns = now if found is None else found
            table.put(events.TurnInserted(int(number), side, placed, ended_ns, **output, **ends))
            table.board = table.board.replace({Square.parse(s): t for s, t in placed.items()})
            table.side = table.state.on_turn
        case ["join", number, side]:
            table.put(events.TurnsJoined(int(number), side, **output))
            table.side = table.state.on_turn
        case ["too_early", number, side]:
            table.put(events.ClockStartedInError(int(number), side, **output))
            table.side = side
        case ["underdrawn", side, missing, drawn_by]:
            table.put(events.RackUnderdrawn(side, int(missing), **output, drawn_by=drawn_by))


def amend_game(table: Table, step: str) -> None:
    """Take a step that tells of tiles, time, scores or the board beside the turns."""
    now, output = table.now, {"by": "TD", "why": "test", "t_ns": table.now}
    match step.split():
        case ["tiles", where, count, side, *seen]:
            tiles = "".join(one for one in seen if "=" not in one)
            racks = {a: int(b) for a, b in (one.split("=") for one in seen if "=" in one)}
            getter = None if side == "nobody" else side
            table.put(
                events.TilesFound(where, int(count), getter, **output, tiles=tiles, racks=racks)
            )
        case ["delayed", side]:
            table.put(events.DrawDelayed(side, **output))
        case ["erase", side, *points]:
            table.put(events.OvertimeErased(side, **output, points=int(points[0]) if points else 0))
        case ["restore", number, *scores]:
            start = {side: int(points) for side, points in (one.split("=") for one in scores)}
            table.put(events.PositionRestored(int(number), **output, scores=start))
            table.board, table.side = table.state.board, table.state.on_turn
        case ["agree", number, side, points]:
            table.put(events.ScoreAgreed(int(number), side, int(points), **output))
        case ["changed" | "board" as what, number, *changes]:
            pairs = [change.split("=") for change in changes]
            table.board = table.board.replace({Square.parse(s): t for s, t in pairs})
            kind = events.TilesChanged if what == "changed" else events.BoardSeen
            table.put(kind(int(number), table.board.rows, now, {}, now))


def offers_for(state, code: str) -> list:
    """The open offers for the open flags of this code."""
    flags = [(turn, flag) for turn in (None, *state.turns) for flag in (turn or state).flags]
    return [
        offer
        for turn, flag in flags
        if flag.code == code and flag.settled is None
        for offer in offers(state, turn, flag)
        if offer.open
    ]


def _answer(table: Table, code: str, name: str, given: str) -> events.Event:
    """The event that is offered by this name for the open flag of this code, with what is given."""
    (offer,) = (one for one in offers_for(table.state, code) if one.id.split(":", 3)[3] == name)
    assert bool(offer.asks) == bool(given), offer.asks
    value: object = int(given) * SECOND if offer.asks == ("charged_ns",) else given
    filled = dict.fromkeys(offer.asks, value) | {"by": "TD", "t_ns": table.now}
    return events.from_payload({**offer.event, **filled})


def offered(state) -> list[str]:
    """The open offers as "turn code action", then what is entered: "PointsAdjusted left -50"."""
    flags = [(turn, flag) for turn in state.turns for flag in turn.flags]
    flags += [(None, flag) for flag in state.flags]
    return [
        " ".join(
            [str(turn.number if turn else 0), flag.code, offer.id.split(":")[3], *entered(offer)]
        )
        for turn, flag in flags
        if flag.settled is None
        for offer in offers(state, turn, flag)
        if offer.open
    ]


def entered(offer) -> list[str]:
    event = offer.event or {}
    kept = ("type", "side", "points", "on", "added_ns", "ruling", "cause", "reason", "margin")
    return [str(event[key]) for key in kept if event.get(key) not in (None, {})]


def timed(state) -> list[str]:
    """The windows as "right whose from at-least to rule", in seconds since the last press."""
    press = state.turns[-1].press_ns if state.turns else 0

    def since(ns: int | None) -> str:
        return "-" if ns is None else f"{(ns - press) / SECOND:g}"

    return [
        f"{one.right} {one.side or 'either'} {since(one.opens_ns)} {since(one.least_ns)} "
        f"{since(one.closes_ns)} {one.rule or '-'}"
        for one in windows(state)
        if not one.right.startswith("overtime")
    ]
