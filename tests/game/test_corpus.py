"""The cases of ``tests/corpora``: one short game each."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from game.board import Square
from game.errors import TilewatchError
from game.events import (
    BlankDesignated,
    ButtonPressed,
    ChallengeBonus,
    ClockAdjusted,
    Finding,
    GameForfeited,
    GameReopened,
    LateStart,
    RackReported,
    ResultSigned,
    Retracted,
    SquareCorrected,
    TurnRuled,
    other,
)
from game.gcg import check, parse, record_of, write
from game.rulebook import load_rulebook, shown
from game.state import fold

from .gamekit import SECOND, Table

CORPORA = Path(__file__).parent.parent / "corpora"
CASES = [
    pytest.param(path.stem.removesuffix("-matters"), case, id=f"{path.stem}: {case['name']}")
    for path in sorted(CORPORA.glob("*.toml"))
    for case in tomllib.loads(path.read_text("utf-8"))["case"]
]
KNOWN = {
    "name",
    "rule",
    "steps",
    "kind",
    "score",
    "total",
    "word",
    "flags",
    "scores",
    "ended",
    "board",
    "bag",
    "kinds",
    "remedies",
    "seen",
    "outcome",
    "forfeit",
    "running",
    "refused",
    "remaining",
    "gameflags",
    "gameremedies",
    "on_turn",
    "setting",
    "value",
    "adjust",
}


def take(table: Table, step: str) -> None:
    step, _, finding = step.partition(" !")
    findings = ()
    if finding:
        code, _, squares = finding.partition(" ")
        findings = tuple(Finding(code, one or None) for one in squares.split(","))
    now = table.now
    match step.split():
        case ["-"]:
            table.nothing()
        case ["rule", number, ruling, *words]:
            count = int(words[0]) if words else 0
            table.put(TurnRuled(int(number), ruling, "TD", "test", now, words=count))
        case ["correct", number, change]:
            square, symbol = change.split("=")
            table.put(SquareCorrected(int(number), square, symbol, "TD", "test", now))
        case ["letter", square, letter]:
            table.put(BlankDesignated(square, letter, "TD", "test", now))
        case ["bonus", side, points]:
            table.put(ChallengeBonus(side, int(points), "4.6.10", "TD", "test", now))
        case ["rack", side, tiles]:
            table.put(RackReported(side, tiles, now))
        case ["clock", seconds]:
            table.seconds = float(seconds)
        case ["neutral"]:
            table.now += SECOND
            table.put(ButtonPressed("neutral", table.now))
        case ["start", side]:
            table.now += SECOND
            table.put(ButtonPressed(other(side), table.now))
        case ["add", side, seconds]:
            table.put(ClockAdjusted(side, int(seconds) * SECOND, None, "TD", "test", now))
        case ["late", side, minutes]:
            table.put(LateStart(side, int(minutes) * 60 * SECOND, "TD", "test", now))
        case ["forfeit", side, cause]:
            table.put(GameForfeited(side, cause, "TD", "test", now))
        case ["sign"]:
            table.put(ResultSigned("both", now))
        case ["reopen", ground]:
            table.put(GameReopened(ground, "TD", "test", now))
        case ["retract", number]:
            table.put(Retracted(int(number), "TD", "test", now))
        case ["end"]:
            table.end()
        case [where, word] if "=" not in step:
            table.play(where, word, findings)
        case changes:
            table.lay(*changes)


def check_setting(rulebook: str, case: dict) -> None:
    (line,) = (one for one in shown(load_rulebook(rulebook)) if one.name == case["setting"])
    assert line.value == case["value"]
    assert (line.rule or "-") == case["rule"]


def remedies(flags) -> list[str]:
    return [
        " ".join(filter(None, (flag.code, one.who, one.action, one.until)))
        for flag in flags
        for one in flag.remedies
    ]


@pytest.mark.parametrize(("rulebook", "case"), CASES)
def test_case(rulebook, case):
    assert set(case) <= KNOWN
    if "setting" in case:
        check_setting(rulebook, case)
        return
    table = Table(rulebook=rulebook, adjust=case.get("adjust", {}))
    refused = ""
    for step in case["steps"]:
        assert not refused
        try:
            take(table, step)
        except TilewatchError as error:
            refused = str(error)
    assert (case["refused"] in refused) if "refused" in case else not refused
    state = table.state
    got = {
        "kinds": [turn.kind for turn in state.turns],
        "scores": dict(state.scores),
        "ended": state.end_reason,
        "running": state.status == "running",
        "bag": state.bag_count,
        "on_turn": state.on_turn,
        "outcome": _outcome(state),
        "forfeit": "none",
        "remaining": {
            side: state.clocks.remaining_ns[side] / SECOND for side in case.get("remaining", ())
        },
        "gameflags": [f"{flag.code} {flag.rule or '-'}" for flag in state.flags],
        "gameremedies": remedies(state.flags),
        "board": " ".join(
            f"{name}={state.board[Square.parse(name)]}"
            for name in (change.split("=")[0] for change in case.get("board", "").split())
        ),
    }
    if state.forfeit is not None:
        got["forfeit"] = f"{other(state.forfeit.side)} {state.forfeit.margin}"
    if state.turns:
        turn = state.turns[-1]
        got |= {
            "kind": turn.kind,
            "score": turn.score,
            "total": turn.total,
            "word": turn.word,
            "flags": [f"{flag.code} {flag.rule or '-'}" for flag in turn.flags],
            "remedies": remedies(turn.flags),
            "seen": [f"{flag.code} {flag.visibility}" for flag in turn.flags],
        }
    expected = {key: case[key] for key in case if key in got}
    assert {key: got[key] for key in expected} == expected
    assert len(expected) + ("refused" in case) >= 1
    assert fold(table.events) == state
    if not case.get("adjust"):
        written = write(record_of(state))
        assert not state.turns or check(parse(written)) == []


def _outcome(state) -> str:
    if state.outcome is None:
        return "none"
    margin = "none" if state.outcome.margin is None else state.outcome.margin
    return f"{state.outcome.winner} {margin}"
