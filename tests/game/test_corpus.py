"""The cases of ``tests/corpora``: one short game each."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from game.board import Square
from game.events import (
    BlankDesignated,
    ChallengeBonus,
    RackReported,
    SquareCorrected,
    TurnRuled,
)
from game.gcg import check, parse, record_of, write
from game.state import fold

from .gamekit import Table

CORPORA = Path(__file__).parent.parent / "corpora"
CASES = [
    pytest.param(path.stem, case, id=f"{path.stem}: {case['name']}")
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
}


def take(table: Table, step: str) -> None:
    match step.split():
        case ["-"]:
            table.nothing()
        case ["rule", number, ruling]:
            table.put(TurnRuled(int(number), ruling, "TD", "test", table.now))
        case ["correct", number, change]:
            square, symbol = change.split("=")
            table.put(SquareCorrected(int(number), square, symbol, "TD", "test", table.now))
        case ["letter", square, letter]:
            table.put(BlankDesignated(square, letter, "TD", "test", table.now))
        case ["bonus", side, points]:
            table.put(ChallengeBonus(side, int(points), "4.6.10", "TD", "test", table.now))
        case ["rack", side, tiles]:
            table.put(RackReported(side, tiles, table.now))
        case ["clock", seconds]:
            table.seconds = float(seconds)
        case ["end"]:
            table.end()
        case [where, word] if "=" not in step:
            table.play(where, word)
        case changes:
            table.lay(*changes)


@pytest.mark.parametrize(("rulebook", "case"), CASES)
def test_case(rulebook, case):
    assert set(case) <= KNOWN
    table = Table(rulebook=rulebook)
    for step in case["steps"]:
        take(table, step)
    state = table.state
    turn = state.turns[-1]
    got = {
        "kind": turn.kind,
        "score": turn.score,
        "total": turn.total,
        "word": turn.word,
        "flags": [f"{flag.code} {flag.rule or '-'}" for flag in turn.flags],
        "scores": dict(state.scores),
        "ended": state.end_reason,
        "bag": state.bag_count,
        "board": " ".join(
            f"{name}={state.board[Square.parse(name)]}"
            for name in (change.split("=")[0] for change in case.get("board", "").split())
        ),
    }
    expected = {key: case[key] for key in case if key in got}
    assert {key: got[key] for key in expected} == expected
    assert fold(table.events) == state
    written = write(record_of(state))
    assert check(parse(written)) == []
