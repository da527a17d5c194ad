"""The results of a hall as files: CSV, and TSH's own format."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from hub.binding import Binding, game_of
from hub.results import Result
from table.pairings.details import EventDetails, Pair, TshPlayer, pair_of, plain, table_number

COLUMNS: Final = (
    "round", "table", "left", "right", "left_score", "right_score", "winner", "spread", "outcome",
    "signed", "settled", "game", "check_code", "in_question", "division",
)  # fmt: skip

_SEPARATORS: Final = re.compile(r"(?<=[;,|\t\r\n])")
_UNSEEN: Final = '"\u115f\u1160\u3164\uffa0\u034f'
"""Quotation marks, which a spreadsheet removes, and invisible letters and marks."""


def as_csv(results: Sequence[Result], binding: Binding) -> str:
    """The results as CSV, a line for each game."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for one in sorted(results, key=lambda r: (binding.round_of(r), table_number(r.table) or 0)):
        claim = binding.claim(one)
        writer.writerow(
            _cell(value)
            for value in (
                "" if claim else binding.round_of(one),
                table_number(one.table) or one.table,
                one.left,
                one.right,
                one.left_score,
                one.right_score,
                one.winner,
                "" if one.spread is None else one.spread,
                one.outcome,
                "yes" if one.signed else "no",
                "yes" if one.counts else "no",
                one.game_id,
                one.digest,
                claim.why if claim else "",
                binding.divisions.get(game_of(one), ""),
            )
        )
    return out.getvalue()


def as_tsh(
    results: Sequence[Result], pairings: EventDetails, division: str, binding: Binding
) -> str:
    """A division as TSH's ``.t`` file: its pairings, and the scores as far as they are known.

    A score is that of the one of ``results`` that counts for the round and the two players
    (``hub.binding``), else TSH's own. A player's scores end before the first round without either,
    since TSH reads them as the scores of the first rounds.
    """
    entrants = {one.number: one for one in pairings.tsh[division]}
    counting = counting_results(results, binding)
    lines = [
        _line(one, [score_of(one, number, entrants, counting) for number in _rounds(one)])
        for one in entrants.values()
    ]
    return "".join(line + "\n" for line in lines)


def _rounds(entrant: TshPlayer) -> range:
    return range(1, len(entrant.opponents) + 1)


def counting_results(results: Iterable[Result], binding: Binding) -> dict[tuple[int, Pair], Result]:
    """The results among ``results`` that count for TSH, by round and pair."""
    given = {game_of(one) for one in results}
    return {
        slot: one
        for slot, one in binding.counting.items()
        # What a forfeit is worth is for the director to enter.
        if one.counts and one.outcome == "played" and game_of(one) in given
    }


def score_of(
    entrant: TshPlayer,
    number: int,
    entrants: Mapping[int, TshPlayer],
    counting: Mapping[tuple[int, Pair], Result],
) -> int | None:
    """Return a player's score in a round: as settled here, else TSH's; None if unknown."""
    opponent = entrants.get(entrant.opponents[number - 1] or 0)
    if opponent is not None:
        found = counting.get((number, pair_of(entrant.plain, opponent.plain)))
        if found is not None:
            left = plain(found.left) == plain(entrant.plain)
            return found.left_score if left else found.right_score
    return entrant.scores[number - 1] if number <= len(entrant.scores) else None


def _line(entrant: TshPlayer, scores: list[int | None]) -> str:
    known: list[str] = []
    for score in scores:
        if score is None:
            break
        known.append(str(score))
    opponents = " ".join(str(one or 0) for one in entrant.opponents)
    line = f"{entrant.name:<22} {entrant.rating:>4} {opponents}; {' '.join(known)}"
    if entrant.boards:
        line += f"; board {' '.join(str(one) for one in entrant.boards)}"
    if entrant.firsts:
        line += f"; p12 {' '.join(str(one) for one in entrant.firsts)}"
    return line


def _cell(value: str | int) -> str | int:
    """Return a cell's value as a text that no spreadsheet takes for a formula.

    Some spreadsheets end a cell at a semicolon or a tab, whatever the file's separator, so each
    part of a text is protected. A formula's sign is also found after invisible characters, and in
    its full-width form.
    """
    if not isinstance(value, str):
        return value
    parts = _SEPARATORS.split(value)
    return "".join(f"'{one}" if _begins_formula(one) else one for one in parts)


def _begins_formula(text: str) -> bool:
    seen = (one for one in text if unicodedata.category(one)[0] not in "CZ" and one not in _UNSEEN)
    first = unicodedata.normalize("NFKC", next(seen, ""))
    return first.startswith(("=", "+", "-", "@", "\N{MINUS SIGN}"))
