"""The cases of ``tests/corpora``: one short game each, and a case for and against every matter."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from game.board import Square
from game.errors import TilewatchError
from game.events import other
from game.gcg import check, events_from_record, parse, record_from_game, write
from game.gcg.from_game import OPENS
from game.rulebooks.loading import load_rulebook, shown
from game.state.fold import fold
from game.state.outcome import bye
from game.state.timed_rights import recount_refused, windows

from .corpuskit import offered, take, timed
from .gamekit import SECOND, Table, position

CORPORA = Path(__file__).parent.parent / "corpora"
FILES = {
    path.stem: tomllib.loads(path.read_text("utf-8"))["case"]
    for path in sorted(CORPORA.glob("*.toml"))
}
CASES = [
    pytest.param(book, case, id=f"{book}: {case['name']}")
    for book, cases in FILES.items()
    for case in cases
]
WHAT = {"name", "rule", "matter", "holds"}
GIVEN = {"steps", "setting", "adjust", "start_bag", "first_press"}
EXPECTED = {
    *("kind", "score", "total", "word", "flags", "scores", "ended", "board", "bag", "kinds"),
    *("remedies", "seen", "outcome", "forfeit", "running", "refused", "remaining", "gameflags"),
    *("gameremedies", "on_turn", "value", "lines", "windows", "recount", "bye", "untold"),
    *("offers", "lacks", "until", "unrated", "settled"),
}

N, P, OLD, NEW = "naspa-2017", "psa", "sanspa-1999", "sanspa-2001"
ALL = frozenset({N, P, OLD, NEW, "wespa-2007", "wespa-2021"})
EVERYWHERE = (
    *("time a player", "overtime starts", "penalty", "overtime limit", "first play off the centre"),
    *("tiles apart, or in more than one line", "a tile of an earlier turn moved or taken"),
    *("which way is up", "single tile the wrong way up", "tile between squares", "tile face down"),
    *("the turn ends", "challenge refused", "challenge upheld"),
    *("when a challenge is still possible", "new tiles during a hold", "what a verdict may say"),
    *("blank", "exchange", "scoreless turns", "scoreless turns, then", "playing out"),
    *("playing out, then", "the set is checked", "a tile too many on the board"),
    *("clock may be neutralised for", "late start", "bye, forfeit", "leaving or resigning"),
    *("recount", "after signing"),
)
ILLEGAL_PLAYS = (
    *("III.G.5 item 3, noticed at once", "III.G.5 item 4, the opponent has played"),
    *("III.G.5 item 5, the offender has played again", "III.G.5 item 6, nobody can tell who"),
    *("III.G.5 item 7, at the end of the game", "III.G.5 item 8, and six scoreless turns"),
)
NASPA = frozenset({N})
MATTERS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    # The rulebooks that have a rule on the matter, or where a fault is flagged though the text
    # is silent; and those of which there must be a case in which the rule does not bite.
    **dict.fromkeys(EVERYWHERE, (ALL, ALL)),
    "minor infractions": (NASPA, ALL),
    **dict.fromkeys(ILLEGAL_PLAYS, (NASPA, NASPA)),
}
"""The rows of the rulebooks' comparison, with NASPA's illegal plays item by item."""


def needed() -> list[tuple[str, str, bool]]:
    """Every (matter, rulebook, whether the rule bites) of which there must be a case."""
    return [
        (matter, book, holds)
        for matter, (bites, not_) in MATTERS.items()
        for holds, books in ((True, bites), (False, not_))
        for book in sorted(books)
    ]


EITHER = {
    "score": {"score", "scores"},
    "flags": {"flags", "gameflags"},
    "remedies": {"remedies", "gameremedies"},
}


@pytest.mark.parametrize(("matter", "book", "holds"), needed())
def test_every_matter_has_a_case_for_and_one_against(matter, book, holds):
    found = [
        case
        for case in FILES[book]
        if case.get("matter") == matter and case.get("holds") == holds and "steps" in case
    ]
    assert found, f"{book} has no case with matter = {matter!r} and holds = {holds}"
    for expected in ("score", "flags", "remedies"):
        assert any("refused" in case or EITHER[expected] & set(case) for case in found), expected


def test_the_matters_are_the_rows_of_the_comparison(shared_dir):
    text = (shared_dir / "rulebooks" / "README.md").read_text("utf-8")
    rows, before = [], ""
    for line in text.splitlines():
        if line.startswith("|") and not line.startswith(("| matter", "|---")):
            label = re.sub(r" \(.*?\)", "", line.split("|")[1].strip())
            rows.append(f"{before}, then" if label == "then" else label)
            before = label
    assert set(rows) <= set(MATTERS)
    assert len(set(rows)) == len(rows) > 30
    assert all(row in rows or row.startswith("III.G.5") for row in MATTERS)


@pytest.mark.parametrize("book", sorted(FILES))
def test_the_cases_are_well_formed(book):
    cases = FILES[book]
    names = [case["name"] for case in cases]
    assert len(set(names)) == len(names)
    codes = set()
    for case in cases:
        name = case["name"]
        unknown = set(case) - (WHAT | GIVEN | EXPECTED)
        assert not unknown, f"{name}: no such keys: {unknown}"
        assert {"name", "rule"} <= set(case), name
        assert ("steps" in case) != ("setting" in case), f"{name}: give steps or a setting"
        assert ("matter" in case) == ("holds" in case), f"{name}: give matter and holds, or neither"
        assert case.get("matter", "time a player") in MATTERS, f"{name}: matter is a row of MATTERS"
        codes.update(flag.split()[0] for flag in case.get("flags", []))
        codes.update(flag.split()[0] for flag in case.get("gameflags", []))
    if not load_rulebook(book).based_on:
        lacking = {"changed_out_of_turn", "exchange_too_late", "withdrawn_left"} - codes
        assert not lacking, f"{book}: no case expects the flags {lacking}"


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


def reported(state, words: list[str]) -> list[str]:
    """Which of some words any flag or line of the game names."""
    shown = [flag.message for turn in state.turns for flag in turn.flags]
    shown += [flag.message for flag in state.flags] + [line.why for line in state.adjustments]
    return [word for word in words if any(word in text.split() for text in shown)]


@pytest.mark.parametrize(("rulebook", "case"), CASES)
def test_case(rulebook, case):
    if "setting" in case:
        check_setting(rulebook, case)
        return
    rows = position(case["start_bag"]) if "start_bag" in case else None
    first = case.get("first_press", "right")
    table = Table(rulebook=rulebook, adjust=case.get("adjust", {}), rows=rows, first_press=first)
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
        "settled": [flag.code for flag in state.flags if flag.settled is not None],
        "lines": [
            f"{line.kind} {line.side} {line.points} {line.rule or '-'}"
            for line in state.adjustments
        ],
        "windows": timed(state),
        "recount": recount_refused(state) or "allowed",
        "bye": bye(state.rulebook).margin or "director",
        "untold": [word for word in case.get("untold", []) if word not in reported(state, [word])],
        "unrated": (state.outcome.unrated or "") if state.outcome else "",
        "offers": [line for line in case.get("offers", []) if line in offered(state)],
        "lacks": [line for line in case.get("lacks", []) if line not in offered(state)],
        "until": " ".join(one.until for one in windows(state) if one.right == "challenge"),
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
    if rows is None:
        written = write(record_from_game(state))
        if state.turns:
            record = parse(written)
            assert check(record) == []
            lines = [line for line in written.splitlines() if OPENS not in line]
            again = write(record_from_game(fold(events_from_record(record)))).splitlines()
            assert [line for line in again if OPENS not in line] == lines


def _outcome(state) -> str:
    if state.outcome is None:
        return "none"
    margin = "none" if state.outcome.margin is None else state.outcome.margin
    loss = "" if state.outcome.loss is None else f" -{state.outcome.loss}"
    return f"{state.outcome.winner} {margin}{loss}"
