"""Drawing training data in several processes, and saying how far it is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from multiprocessing import get_context
from typing import TypeVar

import cv2

Task = TypeVar("Task")
Result = TypeVar("Result")


def drawn(
    job: Callable[[Task], Result], tasks: Sequence[Task], processes: int, what: str
) -> Iterator[Result]:
    """The results of ``job`` for each task, in their order.

    Args:
        job: a function of a module, as other processes must find it.
        tasks: one argument each.
        processes: that run it; one or less runs it here.
        what: a word for the line on stderr that counts.
    """
    single = partial(_single_threaded, job)
    if processes <= 1:
        yield from counted(map(single, tasks), len(tasks), what)
        return
    with get_context("spawn").Pool(processes) as pool:
        yield from counted(pool.imap(single, tasks, chunksize=4), len(tasks), what)


def counted(
    items: Iterator[Result], total: int, what: str, more: Callable[[], str] = str
) -> Iterator[Result]:
    """The items, counted in a line on stderr that ends with ``more()``."""
    for done, item in enumerate(items, 1):
        yield item
        if done % 20 == 0 or done == total:
            sys.stderr.write(f"\r{what}: {done}/{total} {more()} ")
            sys.stderr.flush()
    sys.stderr.write("\n")


def _single_threaded(job: Callable[[Task], Result], task: Task) -> Result:
    cv2.setNumThreads(1)
    return job(task)
