"""Finding plays for the simulated players: a trie of their words, walked along every line.

Small and plain rather than fast: a few hundredths of a second a turn with some thousands of words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from game.board import CENTRE, EMPTY, SIZE, UNDESIGNATED, Board, Square

_BLANK_AS: Final = frozenset("ADEINRST")
_LETTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


@dataclass
class Node:
    """One place in the trie: the letters that may follow, and whether a word ends here."""

    next: dict[str, Node] = field(default_factory=dict)
    ends: bool = False


def trie(words: Iterable[str]) -> Node:
    """The trie of ``words``, which are in capitals."""
    root = Node()
    for word in words:
        node = root
        for letter in word:
            node = node.next.setdefault(letter, Node())
        node.ends = True
    return root


@dataclass(frozen=True)
class Candidate:
    """Tiles that a player could lay: symbols as on a board, a blank in lower case."""

    tiles: tuple[tuple[Square, str], ...]
    across: bool


def candidates(board: Board, rack: str, words: frozenset[str], root: Node) -> list[Candidate]:
    """The legal plays of ``rack`` (letters and ``?``) that make only words of ``words``.

    Not quite all: a blank is only thought of as a common letter, and one blank at a time.
    """
    rack = rack.replace(UNDESIGNATED, "", rack.count(UNDESIGNATED) - 1)
    opening = not board.tiles()
    found: list[Candidate] = []
    for across in (True, False):
        for line in range(SIZE):
            _on_line(board, Counter(rack), words, root, (across, line, opening), found)
    return found


def _on_line(
    board: Board,
    rack: Counter[str],
    words: frozenset[str],
    root: Node,
    place: tuple[bool, int, bool],
    found: list[Candidate],
) -> None:
    across, line, opening = place
    squares = [Square(line, i) if across else Square(i, line) for i in range(SIZE)]
    symbols = [board[square] for square in squares]
    hooks = [_hook(board, square, across) for square in squares]
    anchors = _anchors(squares, symbols, hooks, opening)
    if not any(anchors):
        return
    allowed = [_allowed(hook, words) for hook in hooks]
    placements: list[tuple[Square, str]] = []

    def lay(i: int, child: Node, on: bool, placed: tuple[Square, str], tile: str) -> None:
        rack[tile] -= 1
        placements.append(placed)
        walk(i + 1, child, on)
        placements.pop()
        rack[tile] += 1

    def walk(i: int, node: Node, joined: bool) -> None:
        if node.ends and joined and placements and (i == SIZE or symbols[i] == EMPTY):
            found.append(Candidate(tuple(placements), across))
        if i == SIZE:
            return
        if symbols[i] != EMPTY:
            child = node.next.get(symbols[i].upper())
            if child is not None:
                walk(i + 1, child, True)
            return
        if len(placements) == held:
            return
        fits, square, on = allowed[i], squares[i], joined or anchors[i]
        for letter, child in node.next.items():
            if letter not in fits:
                continue
            if rack.get(letter):
                lay(i, child, on, (square, letter), letter)
            if rack.get(UNDESIGNATED) and letter in _BLANK_AS:
                lay(i, child, on, (square, letter.lower()), UNDESIGNATED)

    held = sum(rack.values())
    for start in range(SIZE):
        if start > 0 and symbols[start - 1] != EMPTY:
            continue
        if _in_reach(symbols, anchors, start, held):
            walk(start, root, False)


def _anchors(
    squares: list[Square], symbols: list[str], hooks: list[tuple[str, str] | None], opening: bool
) -> list[bool]:
    """For each square of a line, True if a play may join the board there."""
    return [
        symbols[i] == EMPTY
        and (
            squares[i] == CENTRE
            if opening
            else hooks[i] is not None
            or (i > 0 and symbols[i - 1] != EMPTY)
            or (i + 1 < SIZE and symbols[i + 1] != EMPTY)
        )
        for i in range(SIZE)
    ]


def _in_reach(symbols: list[str], anchors: list[bool], start: int, held: int) -> bool:
    """True if ``held`` tiles laid from ``start`` on reach the nearest anchor."""
    empties = 0
    for i in range(start, SIZE):
        empties += symbols[i] == EMPTY
        if anchors[i]:
            return empties <= held
    return False


def _hook(board: Board, square: Square, across: bool) -> tuple[str, str] | None:
    """The letters above and below (left and right of) an empty square, if there are any."""
    if board[square] != EMPTY:
        return None
    parts = []
    for by in (-1, 1):
        letters = ""
        at = square.step(not across, by)
        while board.get(at) != EMPTY:
            letters += board[at].upper()
            at = at.step(not across, by)
        parts.append(letters)
    return (parts[0][::-1], parts[1]) if any(parts) else None


def _allowed(hook: tuple[str, str] | None, words: frozenset[str]) -> frozenset[str]:
    """The letters that make a word between those of ``hook``, or all where there is none."""
    if hook is None:
        return _LETTERS
    return frozenset(letter for letter in _LETTERS if hook[0] + letter + hook[1] in words)
