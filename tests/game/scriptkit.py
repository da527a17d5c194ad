"""Games told in lines: what happens, and what has come of it by then.

``scripts/`` has them, and ``test_scripts.py`` plays them. A script is a name, and below it,
indented, steps as in the corpora (tests/corpora/README.md) with commas between them, and after
``->`` what is so by then, with semicolons between::

    a tile that is moved and moved back leaves nothing open | psa
        8G CAT, 9G ON, 8I=. 8K=T -> open = 3 tile_moved(8I 8K)
        8I=T 8K=. -> open = -; kind = exchange_or_pass

``kind`` and the like are of the last turn, ``2.kind`` of turn 2, ``all.kind`` of every turn. Behind
the name stand rulebooks (``all``, or ``with=`` the event on which each has a rule), a tile set,
``seconds=`` a turn, ``bag=`` as ``start_bag`` of the corpora, and what was announced. Two steps are
of scripts alone: ``anew`` begins another game, and ``kept = yes`` where the state is what it was at
``keep``. ``refused`` has words of the line with which the last step is refused, ``says`` words of
some flag; ``asks`` has codes that are among a turn's, ``lacks`` codes that are not. Behind a flag's
code, ``offers`` has names of offers that are open, with what they ask for, ``withheld`` such as are
not, and ``offered`` words of one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import pytest

from game.board import Square
from game.errors import TilewatchError
from game.events import SIDES
from game.rulebooks.loading import load_rulebook, rulebook_ids
from game.state.fold import GameState, fold
from game.state.timed_rights import windows
from game.tileset import tile_set_ids

from .corpuskit import offers_for, take, timed
from .gamekit import Table, codes, position

Script = tuple[str, str, list[str]]
"""A rulebook, what else the game is played with, and the lines."""


def scripts(text: str) -> list:
    """The scripts of a text, as parameters of a test that takes a ``script``."""
    found: list[tuple[str, list[str]]] = []
    for line in text.strip().splitlines():
        if line[:1].strip():
            found.append((line, []))
        elif line.strip():
            found[-1][1].append(line.strip())
    params = []
    for head, lines in found:
        name, _, given = head.partition(" | ")
        books = books_of(given)
        for book in books:
            id_ = f"{name}: {book}" if len(books) > 1 else name
            params.append(pytest.param((book, given, lines), id=id_))
    assert len({one.id for one in params}) == len(params)
    return params


def books_of(given: str) -> list[str]:
    """The rulebooks that are named, or that have a rule on an event that is."""
    events = re.findall(r"with=(\w+)", given)
    if events:
        return [book for book in rulebook_ids() if all(map(load_rulebook(book).event_rule, events))]
    named = [book for book in rulebook_ids() if {book, "all"} & set(given.split())]
    return named or ["wespa-2007"]


def table_for(book: str, given: str) -> Table:
    table: dict = {"rulebook": book}
    for word in given.split():
        name, equals, value = word.partition("=")
        if word in tile_set_ids():
            table["tile_set"] = word
        elif name == "seconds":
            table["seconds"] = float(value)
        elif name == "bag":
            table["rows"] = position(int(value))
        elif equals and name != "with":
            table.setdefault("adjust", {})[name] = int(value) if value.isdigit() else value
        else:
            assert equals or word in (*rulebook_ids(), "all"), word
    return Table(**table)


def after(steps: str, given: str = "") -> Table:
    """The table after some steps."""
    table = table_for(books_of(given)[0], given)
    for step in steps_of(steps):
        take(table, step)
    return table


def steps_of(text: str) -> list[str]:
    """The steps, parted by commas that stand in no parentheses."""
    return [step for step in re.split(r", (?![^()]*\))", text.strip()) if step]


def follow(script: Script) -> Table:
    """Do what a script says, and assert what it says has come of it."""
    book, given, lines = script
    table, kept, todo = table_for(book, given), None, []
    for line in lines:
        steps, arrow, checks = line.partition("-> ")
        todo += steps_of(steps)
        if not arrow:
            continue
        parts = [one.split(" = ", 1) for one in re.split(r"; (?=[\w.]+ = )", checks)]
        due = dict(parts)
        assert len(due) == len(parts), line
        refused = due.pop("refused", None)
        for number, step in enumerate(todo, start=1):
            if step == "keep":
                kept = table.state
            elif step == "anew":
                assert fold(table.events) == table.state
                table = table_for(book, given)
            elif refused is not None and number == len(todo):
                with pytest.raises(TilewatchError, match=re.escape(refused)):
                    take(table, step)
            else:
                take(table, step)
        todo = []
        if "kept" in due:
            assert due.pop("kept") == ("yes" if table.state == kept else "no"), line
        found = {what: seen(table, what, value) for what, value in due.items()}
        assert found == due, f"{line}\nbut {found}"
    assert not todo
    assert fold(table.events) == table.state
    return table


def seen(table: Table, what: str, due: str) -> str:
    """The state of a game, in the words of a script."""
    state = table.state
    which, _, name = what.rpartition(".")
    if which == "all":
        return " / ".join(of_turn(turn, name, due) for turn in state.turns)
    if not which and name in OF_GAME:
        return OF_GAME[name](state)
    if not which and name in HELD_AGAINST:
        return HELD_AGAINST[name](state, due)
    return of_turn(state.turns[int(which or 0) - 1], name, due)


def forfeit_in_words(state: GameState) -> str:
    lost = state.forfeit
    return "-" if lost is None else f"{lost.side} {lost.margin} {lost.rule}"


def lines_in_words(state: GameState) -> str:
    lines = state.adjustments
    found = (f"{one.kind} {one.side} {one.points} after {one.after_turn}" for one in lines)
    return words(found, ", ")


def challenge_in_words(state: GameState) -> str:
    (found,) = (one for one in timed(state) if one.startswith("challenge"))
    return found.split(" ", 2)[2]


def flags_in_words(state: GameState, *, settled: bool) -> str:
    found = (
        f"{turn.number} {flag_in_words(flag)}{by(flag)}"
        for turn in state.turns
        for flag in turn.flags
        if (flag.settled is not None) == settled
    )
    return words(found, ", ")


OF_GAME: dict[str, Callable[[GameState], str]] = {
    "audience": lambda state: words(flag.visibility for flag in state.flags),
    "bag": lambda state: str(state.bag_count),
    "challenge": challenge_in_words,
    "clocks": lambda state: words(f"{state.clocks.remaining_ns[s] / 1e9:g}" for s in SIDES),
    "end": lambda state: str(state.end_reason),
    "forfeit": forfeit_in_words,
    "game": lambda state: words(map(flag_in_words, state.flags)),
    "kinds": lambda state: words(turn.kind for turn in state.turns),
    "line_rules": lambda state: words((one.rule or "-" for one in state.adjustments), ", "),
    "lines": lines_in_words,
    "on_turn": lambda state: str(state.on_turn),
    "open": lambda state: flags_in_words(state, settled=False),
    "outcome": lambda state: f"{state.outcome.winner} {state.outcome.margin}",
    "players": lambda state: f"{state.players['left']}, {state.players['right']}",
    "racks": lambda state: f"{state.racks['left']} {state.racks['right']}",
    "rights": lambda state: words(one.right for one in windows(state)),
    "running": lambda state: str(state.clocks.running),
    "scores": lambda state: f"{state.scores['left']} {state.scores['right']}",
    "settled": lambda state: flags_in_words(state, settled=True),
    "status": lambda state: str(state.status),
    "until": lambda state: words(one.until for one in windows(state) if one.right == "challenge"),
    "windows": lambda state: words(timed(state), ", "),
    "words": lambda state: words(str(turn.word) for turn in state.turns),
}


def squares_in_words(state: GameState, due: str) -> str:
    names = [change.split("=")[0] for change in due.split()]
    return words(f"{name}={state.board[Square.parse(name)]}" for name in names)


def right_lacks(state: GameState, due: str) -> str:
    return due if due not in [one.right for one in windows(state)] else "it is there"


def a_flag_says(state: GameState, due: str) -> str:
    flags = [*state.flags, *(flag for turn in state.turns for flag in turn.flags)]
    messages = [flag.message for flag in flags]
    return due if any(due in one for one in messages) else str(messages)


def offers_in_words(state: GameState, due: str, *, there: bool = True) -> str:
    """``due`` if of the open offers for the first word's flags all the others are there, or none.

    What an offer asks for stands behind its name.
    """
    code, *names = due.split()
    found = ["?".join([one.id.split(":", 3)[3], *one.asks]) for one in offers_for(state, code)]
    return due if all((name in found) == there for name in names) else words(found)


def an_offer_says(state: GameState, due: str) -> str:
    """``due`` if the words behind the code stand in an offer for such a flag."""
    code, _, expected = due.partition(" ")
    texts = [one.text for one in offers_for(state, code)]
    return due if any(expected in one for one in texts) else str(texts)


HELD_AGAINST: dict[str, Callable[[GameState, str], str]] = {
    "board": squares_in_words,
    "lacks_right": right_lacks,
    "offered": an_offer_says,
    "offers": offers_in_words,
    "withheld": partial(offers_in_words, there=False),
    "says": a_flag_says,
}


def of_turn(turn, name: str, due: str) -> str:
    match name:
        case "codes":
            return words(codes(turn))
        case "flags":
            return words(map(flag_in_words, turn.flags))
        case "rules":
            return words((f"{flag.code} {flag.rule or '-'}" for flag in turn.flags), ", ")
        case "sides":
            return words(str(flag.side) for flag in turn.flags)
        case "tiles":
            return words(f"{square}={tile}" for square, tile in turn.tiles.items())
        case "says":
            messages = [flag.message for flag in turn.flags]
            return due if any(due in one for one in messages) else str(messages)
        case "asks":
            return due if set(due.split()) <= set(codes(turn)) else words(codes(turn))
        case "lacks":
            return due if not set(due.split()) & set(codes(turn)) else words(codes(turn))
        case "inferred":
            return "yes" if turn.inferred else "no"
        case _:
            return str(getattr(turn, name))


def by(flag) -> str:
    return "" if flag.settled is None else f" by {flag.settled}"


def flag_in_words(flag) -> str:
    return f"{flag.code}({' '.join(flag.squares)})" if flag.squares else flag.code


def words(found, between: str = " ") -> str:
    return between.join(found) or "-"
