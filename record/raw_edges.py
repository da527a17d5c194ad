"""The raw edges of the clock's contacts around a press, on the table's time base.

A running table appends every edge to a file, stamped by the kernel's monotonic clock
(:mod:`sensors.gpio`); its log has the presses made from these edges, on the table's base, which
outlives restarts. A press is stamped with its first edge, so the presses themselves give the offset
between the two clocks: exact to the nanosecond, or none.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

EDGES: Final = "edges.csv"
"""The file in a table's data folder, unless its configuration names another."""

NEAR_NS: Final = 2_000_000_000
"""The time before and after a press for which edges are listed."""

_NEIGHBOURS: Final = 6
"""The most neighbours of a press that are compared; two thirds of them have to agree."""

_QUIET_NS: Final = 20_000_000
"""The time without an edge after which a contact is quiet (``sensors.debounce.Timing``)."""


@dataclass(frozen=True, slots=True)
class RawEdge:
    """An edge: a contact closed or opened."""

    t_ns: int
    button: str
    closed: bool


def edges_near(
    path: Path, presses: Sequence[tuple[int, str]], about: Iterable[int], near_ns: int = NEAR_NS
) -> list[RawEdge]:
    """Return the edges near some presses of a game, by time, each once; empty if none match.

    Args:
        path: the file of edges; the rotated one (``.1``) is read too.
        presses: presses of real buttons by time, as (time on the table's base, button).
        about: the presses that are asked about, by their indices in ``presses``.
        near_ns: the time before and after a press.
    """
    edges = [*_read(path.with_name(f"{path.name}.1")), *_read(path)]
    closings = sorted(set(_beginnings(edges)), reverse=True)
    found: set[RawEdge] = set()
    for at in about:
        shift = _shift(closings, presses, at)
        if shift is not None:
            t_ns = presses[at][0]
            found.update(
                RawEdge(edge.t_ns + shift, edge.button, edge.closed)
                for edge in edges
                if abs(edge.t_ns + shift - t_ns) <= near_ns
            )
    return sorted(found, key=lambda one: (one.t_ns, one.button, one.closed))


def as_csv(edges: Sequence[RawEdge]) -> bytes:
    """Return edges as a bundle has them: ``t_ns,button,closed`` on the table's base, one a line."""
    return "".join(f"{one.t_ns},{one.button},{int(one.closed)}\n" for one in edges).encode()


def from_csv(content: bytes) -> list[RawEdge] | None:
    """Return the edges of a bundle; None if the text is not as :func:`as_csv` writes it."""
    lines = content.decode("ascii", "replace").splitlines()
    found = [edge for line in lines if (edge := _edge(line)) is not None]
    return found if as_csv(found) == content else None


def _shift(
    closings: Sequence[tuple[int, str]], presses: Sequence[tuple[int, str]], at: int
) -> int | None:
    """Return the offset to add to an edge's time; None if the presses match no edges.

    ``closings`` has the beginnings of presses in the file, the newest first, because after a
    restart of the machine an old time may come again.
    """
    first = max(0, at - _NEIGHBOURS // 2)
    others = [one for one in presses[first : first + _NEIGHBOURS + 1] if one != presses[at]]
    known = set(closings)
    t_ns, button = presses[at]
    for begun, which in closings:
        if which != button:
            continue
        shift = t_ns - begun
        agree = sum((when - shift, name) in known for when, name in others)
        if agree >= max(1, round(len(others) * 2 / 3)):
            return shift
    return None


def _beginnings(edges: Sequence[RawEdge]) -> Iterator[tuple[int, str]]:
    """Yield the edges that close a quiet contact: presses begin with one, bounces do not."""
    last: dict[str, int] = {}
    for edge in edges:
        before = last.get(edge.button)
        if edge.closed and (before is None or not 0 <= edge.t_ns - before < _QUIET_NS):
            yield edge.t_ns, edge.button
        last[edge.button] = edge.t_ns


def _read(path: Path) -> Iterator[RawEdge]:
    with contextlib.suppress(OSError), path.open(encoding="ascii", errors="replace") as lines:
        for line in lines:
            if (edge := _edge(line)) is not None:
                yield edge


def _edge(line: str) -> RawEdge | None:
    parts = line.strip().split(",")
    if len(parts) == 3 and parts[0].isdecimal() and len(parts[0]) < 20 and parts[2] in ("0", "1"):
        return RawEdge(int(parts[0]), parts[1], parts[2] == "1")
    return None
