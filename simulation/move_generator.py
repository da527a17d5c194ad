"""Finds plays for the simulated players: a trie of their words, walked along every line.

It is simple rather than fast: a few hundredths of a second a turn with some thousands of words.
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
    """Return the root of the trie of ``words``, which are in capitals."""
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
    """Return legal plays of ``rack`` (letters and ``?``) that make only words of ``words``.

    Some plays are left out: a blank becomes only common letters, and a play has at most one blank.
    """
    rack = rack.replace(UNDESIGNATED, "", rack.count(UNDESIGNATED) - 1)
    return [
        found
        for across in (True, False)
        for line in range(SIZE)
        for found in _Line(board, Counter(rack), across, line, words).plays(root)
    ]


class _Line:
    """One line of a board, and the plays of a rack along it."""

    def __init__(
        self, board: Board, rack: Counter[str], across: bool, line: int, words: frozenset[str]
    ) -> None:
        self._rack, self._across = rack, across
        self._squares = [Square(line, i) if across else Square(i, line) for i in range(SIZE)]
        self._symbols = [board[square] for square in self._squares]
        hooks = [_hook(board, square, across) for square in self._squares]
        self._anchors = _anchors(self._squares, self._symbols, hooks, not board.tiles())
        self._hooks, self._words = hooks, words
        self._allowed: list[frozenset[str]] = []
        self._held = sum(rack.values())
        self._placements: list[tuple[Square, str]] = []
        self._found: list[Candidate] = []

    def plays(self, root: Node) -> list[Candidate]:
        """Return the plays that make only words of the trie."""
        if not any(self._anchors):
            return []
        self._allowed = [_allowed(hook, self._words) for hook in self._hooks]
        for start in range(SIZE):
            begins = start == 0 or self._symbols[start - 1] == EMPTY
            if begins and _in_reach(self._symbols, self._anchors, start, self._held):
                self._walk(start, root, False)
        return self._found

    def _walk(self, i: int, node: Node, joined: bool) -> None:
        """Extend the word from index ``i``; ``joined`` is True if it touches tiles on the board."""
        if node.ends and joined and self._placements and (i == SIZE or self._symbols[i] == EMPTY):
            self._found.append(Candidate(tuple(self._placements), self._across))
        if i == SIZE:
            return
        if self._symbols[i] != EMPTY:
            child = node.next.get(self._symbols[i].upper())
            if child is not None:
                self._walk(i + 1, child, True)
        elif len(self._placements) < self._held:
            self._lay_each(i, node, joined or self._anchors[i])

    def _lay_each(self, i: int, node: Node, joined: bool) -> None:
        """Try each tile of the rack that can extend the word."""
        fits, square = self._allowed[i], self._squares[i]
        for letter, child in node.next.items():
            if letter not in fits:
                continue
            if self._rack.get(letter):
                self._lay(i, child, joined, (square, letter), letter)
            if self._rack.get(UNDESIGNATED) and letter in _BLANK_AS:
                self._lay(i, child, joined, (square, letter.lower()), UNDESIGNATED)

    def _lay(
        self, i: int, child: Node, joined: bool, placed: tuple[Square, str], tile: str
    ) -> None:
        self._rack[tile] -= 1
        self._placements.append(placed)
        self._walk(i + 1, child, joined)
        self._placements.pop()
        self._rack[tile] += 1


def _anchors(
    squares: list[Square], symbols: list[str], hooks: list[tuple[str, str] | None], opening: bool
) -> list[bool]:
    """Return for each square of a line True if a play may join the board there, else False."""
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
    """Return True if ``held`` tiles laid from ``start`` on reach the nearest anchor."""
    empties = 0
    for i in range(start, SIZE):
        empties += symbols[i] == EMPTY
        if anchors[i]:
            return empties <= held
    return False


def _hook(board: Board, square: Square, across: bool) -> tuple[str, str] | None:
    """Return the letters on either side of an empty square across the line; None without any."""
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
    """Return the letters that make a word between those of ``hook``; every letter if it is None."""
    if hook is None:
        return _LETTERS
    return frozenset(letter for letter in _LETTERS if hook[0] + letter + hook[1] in words)
