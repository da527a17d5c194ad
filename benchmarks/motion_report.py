"""Tables of games filmed in motion: a line for each game, one for each class, two runs compared.

``benchmarks/motion.py`` says what is counted.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from motion_turns import COLUMNS, Outcome

from tools.film.variants import VARIANTS, described, parse_variant

CLASSES = (
    "single variants, with buttons",
    "mixtures with forgotten-press, with buttons",
    "other mixtures, with buttons",
    "without buttons",
)
Key = tuple[str, str, int, bool, int]
_WIDTHS = {name: max(8, len(name) + 1) for name in COLUMNS}


def variant_name(settings: dict[str, Any]) -> str:
    """Return the names of a variant, joined by ``+``, from what ``truth.json`` has of it."""
    names = [n for n, sets in VARIANTS.items() if sets and sets.items() <= settings.items()]
    return "+".join(names) or "calm"


def key(outcome: Outcome) -> Key:
    """Return what tells a game from all others: by whom it was replayed is no part of it."""
    variant = variant_name(described(parse_variant(outcome.variant)))
    return outcome.game, variant, outcome.seed, outcome.buttons, outcome.turns


def class_of(outcome: Outcome) -> str:
    """Return the class to which a game belongs."""
    names = outcome.variant.split("+")
    if not outcome.buttons:
        return CLASSES[3]
    if len(names) == 1:
        return CLASSES[0]
    return CLASSES[1 if "forgotten-press" in names else 2]


def head() -> str:
    """The heads of the columns of :func:`line`."""
    heads = "".join(f"{name:>{width}}" for name, width in _WIDTHS.items())
    return f"{'variant':<28}{'game':<20}{'buttons':<8}{heads}   share  first board"


def line(outcome: Outcome) -> str:
    """One row of the table."""
    shown = [f"{getattr(outcome, name):>{width}}" for name, width in _WIDTHS.items()]
    share = 100 * outcome.asked / max(outcome.turns, 1)
    tail = f"{share:>6.1f}% {outcome.first or '-':>6} {outcome.board_right}/{outcome.board_tiles}"
    reasons, settled = (
        ", ".join(f"{code} {count}" for code, count in counted.most_common())
        for counted in (outcome.reasons, outcome.settled_reasons)
    )
    with_buttons = "with" if outcome.buttons else "without"
    name = f"{outcome.variant:<27} {outcome.game:<20}{with_buttons:<8}"
    return f"{name}{''.join(shown)} {tail}  {reasons}{f' ({settled})' if settled else ''}"


def summary(name: str, outcomes: Sequence[Outcome]) -> str:
    """A line on several games: shares of turns, and the questions of a game in the median."""
    total = Outcome("all", "all", 0)
    for outcome in outcomes:
        total.add(outcome)
    asked = [outcome.asked for outcome in outcomes]
    cpu_s = sum(outcome.cpu_s for outcome in outcomes) / len(outcomes)
    return (
        f"{name:<44} {len(outcomes):>3} games {total.turns:>5} turns"
        f"  right {total.right:>4} ({100 * total.right / max(total.turns, 1):5.1f}%)"
        f"  score alone wrong {total.scores:>3}  asked about {total.wrong - total.silent:>3}"
        f"  silent {total.silent:>3}  unaccounted {total.unaccounted:>3}"
        f"  asked {statistics.median(asked):g} ({min(asked)} to {max(asked)})  {cpu_s:.0f} s"
    )


def by_class(outcomes: Iterable[Outcome]) -> Iterator[tuple[str, list[Outcome]]]:
    """Yield each class that has games, with them."""
    games = list(outcomes)
    for name in CLASSES:
        here = [outcome for outcome in games if class_of(outcome) == name]
        if here:
            yield name, here


def read(path: Path) -> list[Outcome]:
    """The outcomes in a file that ``--json`` wrote."""
    return [Outcome.read(kept) for kept in json.loads(path.read_text("utf-8"))]


def compare(before: Path, after: Path) -> None:
    """Print each class of two runs, of the games that both have, and each turn that differs."""
    old, new = ({key(one): one for one in read(path)} for path in (before, after))
    both = [one for one in old if one in new]
    for path, more in ((before, old.keys() - new.keys()), (after, new.keys() - old.keys())):
        if more:
            print(f"{len(more)} games are in {path} alone, and left out")
    for name, games in by_class(old[one] for one in both):
        print(summary(name, games))
        print(summary("", [new[key(game)] for game in games]))
    for one in both:
        differing = list(_differing(old[one], new[one]))
        if differing:
            buttons = "with" if new[one].buttons else "without"
            print(f"\n{new[one].film or one}, {buttons} buttons")
            print("\n".join(differing))


def _differing(old: Outcome, new: Outcome) -> Iterator[str]:
    """Yield lines on each turn that became something else, and on the tiles of no turn."""
    was, now = _by_turn(old), _by_turn(new)
    for turn in sorted(was.keys() | now.keys()):
        before, after = was.get(turn), now.get(turn)
        if _become(before) == _become(after):
            continue
        shown = after or before or {}
        at = f" at {shown['t_ms'] / 1000:.1f} s" if shown.get("t_ms") is not None else ""
        due = f": due {_spelled(shown['due'])}" if shown.get("due") else ""
        yield f"  turn {turn[0]}{at}{due}" if due else "  a turn that is not due"
        yield from (
            f"    {name}  {_in_words(one)}" for name, one in (("old", before), ("new", after))
        )
    if old.unaccounted_tiles != new.unaccounted_tiles:
        tiles = (" ".join(one.unaccounted_tiles) or "none" for one in (old, new))
        yield "  unaccounted: old {}; new {}".format(*tiles)


def _by_turn(outcome: Outcome) -> dict[tuple[int, int, str], dict[str, Any]]:
    """Return what became of each due turn; of one that is not due, by the turn before it."""
    found: dict[tuple[int, int, str], dict[str, Any]] = {}
    number = 0
    for one in outcome.each:
        number = one["turn"] or number
        extra = one["turn"] is None
        found[number, int(extra), str(one["found"]["tiles"]) if extra else ""] = one
    return found


def _become(one: dict[str, Any] | None) -> object:
    """Return what is compared of a turn: its number is left out."""
    if one is None or one["verdict"] == "right":
        return one and ("right", bool(one["flags"]))
    found = [one["found"], *one["beside"]]
    shown = [{**turn, "number": 0, "total": 0} for turn in found if turn]
    return one["verdict"], sorted(one["flags"]), shown


def _in_words(one: dict[str, Any] | None) -> str:
    if one is None:
        return "is not there"
    found = _spelled(one["found"]) if one["found"] else "not found"
    beside = "".join(f"; beside it {_spelled(turn)}" for turn in one["beside"])
    flags = f" [{', '.join(one['flags'])}]" if one["flags"] else ""
    return f"{one['verdict']}: {found}{flags}{beside}"


def _spelled(turn: dict[str, Any]) -> str:
    tiles = " ".join(f"{at}={symbol}" for at, symbol in turn["tiles"].items()) or "no tiles"
    points = f" {turn['score']}" if "score" in turn else ""
    return f"#{turn['number']} {turn['side']} {turn.get('kind', '')} {tiles}{points}"
