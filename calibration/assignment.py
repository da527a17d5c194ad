"""The linear assignment problem."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def assign(cost: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return each row's column, no column twice, at the least total cost.

    The Hungarian method in the form of Jonker and Volgenant: rows enter one by one, each along a
    shortest path of exchanges (R. Jonker, A. Volgenant, Computing 38, 1987).

    Args:
        cost: float64 (rows, columns), finite, with no more rows than columns.

    Raises:
        ValueError: more rows than columns.
    """
    rows, columns = cost.shape
    if rows > columns:
        raise ValueError(f"{rows} rows are too many for {columns} columns")
    # Column 0 stands for "none yet"; row and column numbers below count from 1.
    of_row, of_column = np.zeros(rows + 1), np.zeros(columns + 1)
    holder = np.zeros(columns + 1, np.intp)
    for row in range(1, rows + 1):
        before = np.zeros(columns + 1, np.intp)
        nearest = np.full(columns + 1, np.inf)
        done = np.zeros(columns + 1, bool)
        holder[0], at = row, 0
        while holder[at]:
            done[at] = True
            here = holder[at]
            reach = cost[here - 1] - of_row[here] - of_column[1:]
            shorter = ~done[1:] & (reach < nearest[1:])
            nearest[1:][shorter] = reach[shorter]
            before[1:][shorter] = at
            ahead = np.where(done[1:], np.inf, nearest[1:])
            following = int(ahead.argmin()) + 1
            step = ahead[following - 1]
            of_row[holder[done]] += step
            of_column[done] -= step
            nearest[~done] -= step
            at = following
        while at:
            holder[at] = holder[before[at]]
            at = int(before[at])
    out = np.empty(rows, np.intp)
    for column in range(1, columns + 1):
        if holder[column]:
            out[holder[column] - 1] = column - 1
    return out
